/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_PREFETCH_H
#define GPC_TIMED_PREFETCH_H

#include "timed/core/timed.h"

#include <gpucache/ext/policies.h>
#include <gpucache/hierarchy.h>

/*
 * The prefetcher of an L1 or a slice (gpucache/ext/policies.h): a queue of wanted lines, and marks of prefetched lines
 * not yet used by a load. A prefetch is a packet without an access; at the line's MSHR entry it waits like a load, and
 * GPCI_PACKET_LATE means that a load waits, too. A slice's prefetch is posted: no sender to answer. An L1's prefetch is
 * a plain read for a slice.
 */
typedef struct gpci_prefetch_entry {
    gpc_request request; /* request of the load, with another line */
    uint8_t segments;
} gpci_prefetch_entry;

typedef struct gpci_prefetch_counts {
    uint64_t sent, outcomes[GPC_PREFETCH_DROPPED + 1];
#ifdef GPCI_CHECK
    uint64_t asked; /* lines that the policy wanted since the last reset, and lines queued at the last reset */
    uint64_t lost;  /* prefetched lines that were dropped, or filled again, before a load used the line */
#endif
} gpci_prefetch_counts;

typedef struct gpci_prefetch {
    gpci_policy *policy;
    const gpc_prefetcher_ops *ops;
    void *self;
    uint32_t *marks; /* [slots], by the cache's slot: mark of a prefetched line; or 0 */
    uint32_t slots;
    uint32_t capacity;
    /* state */
    gpci_prefetch_counts counts;
    uint32_t first, count;
    gpci_prefetch_entry queue[]; /* a ring */
} gpci_prefetch;

/* A controller's prefetcher; NULL if the level's prefetcher is `none`. */
GPCI_INLINE gpci_prefetch *gpci_prefetch_of(const gpci_ctrl *ctrl) {
    return ctrl->parts.self[GPCI_PART_PREFETCH];
}
/*
 * Note in a load's packet what the policy learns from: number and address of the first active lane, and `line`, the
 * number of the packet's line among the lines of the instruction.
 */
void gpci_prefetch_note(const gpci_timed *timed, uint32_t packet, const gpc_warp_access *access, uint32_t line);

/* True if a packet is part of a prefetch, not of an access. */
GPCI_INLINE bool gpci_is_prefetch(const gpci_packet *pkt) {
    return pkt->line.kind == GPC_PREFETCH && pkt->line.inflight == UINT32_MAX;
}

/* True if a packet is a prefetch of the controller itself. For a slice, a prefetch of an L1 is a plain read. */
GPCI_INLINE bool gpci_prefetch_is_own(const gpci_ctrl *ctrl, const gpci_packet *pkt) {
    return gpci_is_prefetch(pkt) && (ctrl->level == 1 || pkt->flags & GPCI_PACKET_POSTED);
}

#endif
