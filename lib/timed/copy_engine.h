/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_COPY_ENGINE_H
#define GPC_TIMED_COPY_ENGINE_H

#include "level/bulk.h"
#include "timed/timed.h"

/*
 * Beside an SM's L1 an engine carries out bulk copies (NVIDIA: TMA), in the order in which they came. It cuts each into
 * requests and puts so many a cycle into L1's miss queue, behind what L1's tags have put there, while few enough are
 * under way. What comes back is done: shared memory takes it as fast as the fill port lets it in.
 *
 * Example: sm.bulk_rate = 1, a copy of 4 KiB, accepted at cycle 100 with sm.bulk_latency = 20: requests at cycles 120
 * to 151, if the network takes one a cycle; it completes with the last reply.
 */
typedef struct gpci_bulk_entry {
    uint64_t due; /* core cycle of its first request, at the earliest */
    gpci_bulk bulk;
    gpc_request request;
    uint32_t flight;  /* with `named` the first of those of all its SMs, which are linked */
    uint32_t targets; /* SMs */
    bool named;       /* it is a multicast copy (multicast.h) */
} gpci_bulk_entry;

typedef struct gpci_copy_engine {
    uint32_t room;      /* copies that are not yet all asked for, at most */
    uint32_t rate;      /* requests a core cycle */
    uint32_t most;      /* under way */
    uint32_t latency;   /* core cycles */
    uint32_t first;     /* of `queue`, which has gpci_stage.bulk */
    uint32_t under_way; /* requests */
    uint32_t sent;      /* in core cycle */
    uint64_t cycle;
    uint64_t stalls; /* core cycles with copies, but no request for want of room */
    gpci_bulk_entry queue[];
} gpci_copy_engine;

/* That of an L1 of plain caches. GPC_ERROR_MEMORY. */
gpc_status gpci_copy_engine_create(const gpci_timed *t, gpci_stage *stage);
void gpci_copy_engine_destroy(const gpci_timed *t, gpci_stage *stage);
void gpci_copy_engine_state(gpci_copy_engine *engine, gpci_state_fn visit, void *user_data);
/* A copy, which is well formed. */
typedef struct gpci_copy_asked {
    const gpc_warp_access *access;
    const uint64_t *tokens; /* of its completions: */
    bool apart;             /* one for each of access.multicast, or one for all */
    bool framed;            /* from an SM of this library */
    uint32_t targets;       /* SMs that it goes to */
} gpci_copy_asked;

/* As gpci_timed_issue. */
gpc_status gpci_copy_issue(gpci_timed *t, const gpci_copy_asked *asked, gpc_busy *busy);
/* L1's tags have had their turn. */
GPCI_COLD void gpci_copy_step(gpci_timed *t, gpci_stage *stage);
/* May one that was refused be offered again? */
GPCI_COLD bool gpci_copy_has_room(const gpci_stage *stage);

#endif
