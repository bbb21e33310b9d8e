/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_PREFETCH_H
#define GPC_TIMED_PREFETCH_H

#include "timed/timed.h"

#include <gpucache/prefetcher.h>

/*
 * The prefetcher of an L1 or of a slice (gpucache/prefetcher.h), the queue of what it asks for, and the marks of lines
 * that came because of it, until a load wants them. A prefetch is a packet that is part of no access; at its line's
 * MSHR entry it waits like a load, and GPCI_PACKET_LATE says that a load waits there too. A slice's is posted: who sent
 * it is told nothing. What an L1 has fetched ahead is to a slice a read like any other.
 */
typedef struct gpci_prefetch_entry {
    gpc_request request; /* of the load, for another line */
    uint8_t segments;
} gpci_prefetch_entry;

typedef struct gpci_prefetch_counts {
    uint64_t sent, outcomes[GPC_PREFETCH_DROPPED + 1];
} gpci_prefetch_counts;

typedef struct gpci_prefetch {
    gpci_policy *policy;
    const gpc_prefetcher_ops *ops;
    void *self;
    uint32_t *marks; /* [slots], by the cache's slot: of its line, if it was prefetched; 0 */
    uint32_t slots;
    gpci_prefetch_counts counts;
    uint32_t room, first, count;
    gpci_prefetch_entry queue[]; /* a ring */
} gpci_prefetch;

/* A stage's; none where its level's prefetcher is `none`. GPC_ERROR_MEMORY, and what the policy's init returns. */
gpc_status gpci_prefetch_create(gpci_timed *t, gpci_stage *stage, gpc_error *error);
void gpci_prefetch_destroy(gpci_timed *t, gpci_stage *stage);
/* What the policy is to know of the instruction whose line `line` a packet is, for gpci_prefetch_train. */
void gpci_prefetch_note(const gpci_timed *t, uint32_t packet, const gpc_warp_access *w, uint32_t line);
/* A load has been looked up. `found`: all of it is in the cache or in flight. */
void gpci_prefetch_train(gpci_timed *t, gpci_stage *stage, const gpci_packet *p, const gpci_tag_access *access,
                         bool found);
/* Loads have had their turn at the tags. */
void gpci_prefetch_step(gpci_timed *t, gpci_stage *stage);
/* A fetch is back: is it a prefetch that no load waits for? To be asked once, before it is kept, */
bool gpci_prefetch_returns(const gpci_timed *t, const gpci_stage *stage, const gpci_packet *fetch);
/* and said when it has been. `address`: as the cache knows it. */
void gpci_prefetch_kept(gpci_stage *stage, uint64_t address, bool unclaimed);
void gpci_prefetch_evicted(gpci_stage *stage, const gpc_eviction *eviction);
void gpci_prefetch_state(gpci_prefetch *prefetch, gpci_state_fn visit, void *user_data);

/* Is a packet part of a prefetch, rather than of an access? */
GPCI_INLINE bool gpci_is_prefetch(const gpci_packet *p) {
    return p->line.kind == GPC_PREFETCH && p->line.flight == UINT32_MAX;
}

#endif
