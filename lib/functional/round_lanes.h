/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_FUNCTIONAL_ROUND_LANES_H
#define GPC_FUNCTIONAL_ROUND_LANES_H

#include "base/workers.h"
#include "functional/functional.h"
#include "level/threads_check.h"

/*
 * Accesses of many SMs on several threads, with the results of one.
 *
 * Two steps. First each thread has the accesses of its own SMs pass their L1s, in order; what L1 asks of L2 is kept,
 * for nothing in L1 depends on what L2 answers. Then each thread has its own slices do what was asked of them, in the
 * order in which one thread would have: access by access, and within one as L1 asked.
 *
 * Example, 2 threads, SMs 0 to 3, accesses in the order SM 2, 0, 3, 1: thread 0 runs 0, 1 and thread 1 runs 2, 3
 * through L1. Then thread 0 serves slices 0, 2, .. for SM 2, 0, 3, 1, and thread 1 slices 1, 3, ...
 */
typedef struct gpci_round_lanes gpci_round_lanes;

/* Can a hierarchy be run so? If not, `text` says why. */
bool gpci_round_lanes_check(const gpc_hierarchy *h, char text[GPCI_THREADS_TEXT]);

gpc_status gpci_round_lanes_create(gpc_hierarchy *h, const gpci_workers_options *options, gpc_error *error,
                                   gpci_round_lanes **out);
uint32_t gpci_round_lanes_count(const gpci_round_lanes *lanes);
void gpci_round_lanes_destroy(gpci_round_lanes *lanes);
/* A kernel has begun: its caches are there. */
void gpci_round_lanes_begin(gpci_round_lanes *lanes);
/* What was counted since the last time is added to the hierarchy's statistics. */
void gpci_round_lanes_fold(gpci_round_lanes *lanes);

/* There is room for what an access of a warp instruction with so many lanes asks of L2. GPC_ERROR_MEMORY. */
gpc_status gpci_round_lanes_reserve(gpci_round_lanes *lanes, uint32_t sm, uint32_t threads, uint32_t width);

/* Access `index` on its SM's thread, through `h`, which stands for the hierarchy there. */
typedef gpc_status (*gpci_lane_access_fn)(void *user_data, gpc_hierarchy *h, uint32_t index);

/* The SMs of a round, in the order of their accesses: [SMs], for who calls gpci_round_lanes_round to fill. */
uint32_t *gpci_round_lanes_order(gpci_round_lanes *lanes);
/* One access of each of the first `count` of these. Returns the first failure, and which access that was. */
gpc_status gpci_round_lanes_round(gpci_round_lanes *lanes, uint32_t count, gpci_lane_access_fn access, void *user_data,
                                  uint32_t *out_failed);

/* What an L1 asks of L2, kept. */
typedef enum gpci_asked_what { GPCI_ASKED_READ, GPCI_ASKED_WRITE, GPCI_ASKED_ATOMIC } gpci_asked_what;

typedef struct gpci_asked {
    gpc_request request; /* its address is that of the L1 line */
    uint64_t bytes[2];
    uint32_t policy_word;
    uint32_t slice; /* of a partition */
    uint8_t segments;
    uint8_t what; /* gpci_asked_what */
} gpci_asked;

typedef struct gpci_asked_list {
    gpci_asked *each;
    size_t count, room;
    gpc_status status; /* of the access that asked */
} gpci_asked_list;

/* In place of gpci_functional_l2_read and the like, where h->asked is not NULL. */
void gpci_round_lanes_keep(const gpc_hierarchy *h, gpci_asked_what what, const gpc_request *request, uint8_t segments,
                           uint32_t policy_word, const uint64_t bytes[2]);

#endif
