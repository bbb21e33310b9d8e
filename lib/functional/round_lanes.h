/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_FUNCTIONAL_ROUND_LANES_H
#define GPC_FUNCTIONAL_ROUND_LANES_H

#include "base/workers.h"
#include "functional/functional.h"
#include "level/build/threads_check.h"

/*
 * Run the accesses of many SMs on several threads of the CPU (lanes). The results are the same as on a single thread.
 *
 * In a round, each of several SMs makes one access. A round has two steps. First each thread passes the accesses of its
 * own SMs through their L1s, in order. L1's requests to L2 are kept: L1 never depends on L2's answers. Then each thread
 * serves the kept requests of its own slices, in the order of a single thread: access by access, and within an access
 * in L1's order.
 *
 * Example, 2 threads, SMs 0 to 3, accesses in the order SM 2, 0, 3, 1: thread 0 runs 0, 1 and thread 1 runs 2, 3
 * through L1. Then thread 0 serves slices 0, 2, .. for SM 2, 0, 3, 1, and thread 1 slices 1, 3, ...
 */
typedef struct gpci_round_lanes gpci_round_lanes;

/* True if a hierarchy can run on several threads; otherwise `text` has the reason. */
bool gpci_round_lanes_check(const gpc_hierarchy *hierarchy, char text[GPCI_THREADS_TEXT]);

gpc_status gpci_round_lanes_create(gpc_hierarchy *hierarchy, const gpci_workers_options *options, gpc_error *error,
                                   gpci_round_lanes **out);
uint32_t gpci_round_lanes_count(const gpci_round_lanes *lanes);
void gpci_round_lanes_destroy(gpci_round_lanes *lanes);
/* Begin a kernel, after its caches exist. */
void gpci_round_lanes_begin(gpci_round_lanes *lanes);
/* Add each thread's counts since the last call of gpci_round_lanes_fold to the hierarchy's statistics. */
void gpci_round_lanes_fold(gpci_round_lanes *lanes);

/* Reserve room for the L2 requests of a warp instruction with `threads` lanes. Fails with GPC_ERROR_MEMORY. */
gpc_status gpci_round_lanes_reserve(gpci_round_lanes *lanes, uint32_t sm, uint32_t threads, uint32_t width);

/* Run access `index` of a round, on the thread of the SM. `hierarchy` is the thread's copy of the hierarchy. */
typedef gpc_status (*gpci_lane_access_fn)(void *user_data, gpc_hierarchy *hierarchy, uint32_t index);

/*
 * SMs of a round, in the order of their accesses. The caller of gpci_round_lanes_round fills the array, which has room
 * for all SMs.
 */
uint32_t *gpci_round_lanes_order(gpci_round_lanes *lanes);
/*
 * Run one access of each of the first `count` SMs of gpci_round_lanes_order. Returns GPC_OK, or the status of the first
 * failed access; `out_failed` receives the index of the failed access.
 */
gpc_status gpci_round_lanes_round(gpci_round_lanes *lanes, uint32_t count, gpci_lane_access_fn access, void *user_data,
                                  uint32_t *out_failed);

/* Kind of a request of L1 to L2, or of an L1 TLB to the L2 TLB, kept for the second step of a round. */
typedef enum gpci_asked_what { GPCI_ASKED_READ, GPCI_ASKED_WRITE, GPCI_ASKED_ATOMIC, GPCI_ASKED_PAGE } gpci_asked_what;

typedef struct gpci_asked {
    gpc_request request; /* request with the address of the L1 line */
    uint64_t bytes[2];
    uint32_t policy_word;
    /* slice within a partition; with a cache beside memory: group of a channel's slices; of a page: GPU */
    uint32_t slice;
    uint8_t segments;
    uint8_t what; /* gpci_asked_what */
} gpci_asked;

typedef struct gpci_asked_list {
    gpci_asked *each;
    size_t count, capacity;
    gpc_status status; /* status of the SM's access in the present round */
} gpci_asked_list;

/*
 * Keep a request for the second step, in hierarchy->asked. Called by gpci_functional_l2_read, _write, _atomic, and
 * gpci_functional_page.
 */
void gpci_round_lanes_keep(const gpc_hierarchy *hierarchy, gpci_asked_what what, const gpc_request *request,
                           uint8_t segments, uint32_t policy_word, const uint64_t bytes[2]);

#endif
