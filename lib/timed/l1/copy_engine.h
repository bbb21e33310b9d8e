/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_COPY_ENGINE_H
#define GPC_TIMED_COPY_ENGINE_H

#include "level/access/bulk.h"
#include "timed/core/timed.h"

/*
 * Engine for bulk copies beside an SM's L1 (NVIDIA: TMA). It executes copies in order of arrival, divides them into
 * requests, and puts a limited number per cycle into L1's miss queue, after those of L1's tags, while few enough are in
 * flight. Replies are complete on arrival: shared memory accepts them at the rate of the fill port.
 *
 * Example: sm.bulk_rate = 1, a copy of 4 KiB, accepted at cycle 100 with sm.bulk_latency = 20: requests at cycles 120
 * to 151, if the network takes one a cycle; the copy completes with the last reply.
 */
typedef struct gpci_bulk_entry {
    uint64_t due; /* earliest core cycle of the first request */
    gpci_bulk bulk;
    gpc_request request;
    uint32_t inflight; /* in-flight access; if `named`: first of the target SMs' in-flight accesses, a linked list */
    uint32_t targets;  /* SMs */
    bool named;        /* multicast copy (multicast.h) */
} gpci_bulk_entry;

typedef struct gpci_copy_engine {
    uint32_t capacity;  /* most copies with requests left */
    uint32_t rate;      /* requests per core cycle */
    uint32_t most;      /* most requests in flight */
    uint32_t latency;   /* core cycles */
    uint32_t first;     /* head of `queue` */
    uint32_t count;     /* copies not yet completely requested */
    uint32_t under_way; /* requests in flight */
    uint32_t sent;      /* requests sent in `cycle` */
    uint64_t cycle;
    uint64_t stalls; /* core cycles with copies, but no request for lack of room */
    gpci_bulk_entry queue[];
} gpci_copy_engine;

/* A valid copy. */
typedef struct gpci_copy_asked {
    const gpc_warp_access *access;
    const uint64_t *tokens; /* tokens of the completions */
    bool token_per_sm;      /* a token per SM of access.multicast; otherwise a single token */
    bool framed;            /* from an SM of this library */
    uint32_t targets;       /* number of destination SMs */
} gpci_copy_asked;

/* Returns as gpci_timed_issue. */
gpc_status gpci_copy_issue(gpci_timed *timed, const gpci_copy_asked *asked, gpc_busy *busy);
/* Most packets that an engine with copies takes from the pool in a cycle. */
uint64_t gpci_copies_ahead(const gpci_ctrl *ctrl);
/* The engine of an L1 of plain caches; NULL: none. */
GPCI_INLINE gpci_copy_engine *gpci_copy_engine_of(const gpci_ctrl *ctrl) {
    return ctrl->parts.self[GPCI_PART_COPIES];
}

#endif
