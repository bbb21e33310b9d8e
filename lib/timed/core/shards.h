/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_SHARDS_H
#define GPC_TIMED_SHARDS_H

#include "base/workers.h"
#include "timed/core/timed.h"

/*
 * A cycle on several threads, with the same results as on one.
 *
 * Components whose steps in a cycle are independent are divided among shards: SMs with L1s, and slices with channels
 * and peer slices in the other partition. A shard has a view of the hierarchy: a gpci_timed with a separate wheel,
 * free packets and in-flight accesses, and counters; the rest is shared. A component's step receives the shard's view,
 * and so need not know of shards.
 *
 * A cycle runs in phases, in an order with the same results as the order of component numbers:
 *
 *  reply links of partitions    one thread
 *  channels, slices             shards
 *  reply network                one thread
 *  L1s, SMs                     shards
 *  request network, links       one thread
 *
 * Between two phases all threads meet. A component wakes components of the same shard, or a network, which is told at
 * the end of the phase (gpci_network_settle). A phase with few components is run by a single thread, shard by shard
 * in the order of component numbers: results do not depend on the choice.
 *
 * Packets and in-flight accesses have the same numbers in all shards: chunks belong to the shards in turn.
 */
typedef struct gpci_shards gpci_shards;

/* Chunk of in-flight accesses: so many consecutive numbers belong to a shard. */
#define GPCI_STRAND_FLIGHTS 64u

/*
 * Create as many shards as `threads` says, if useful; otherwise t->shards stays NULL, with a log entry.
 * GPC_ERROR_RANGE, with the reason in `error`, if an explicit number of threads cannot have an effect.
 */
gpc_status gpci_shards_create(gpci_timed *timed, gpc_error *error);
void gpci_shards_destroy(gpci_timed *timed);

/* Copy the hierarchy's shared fields to the views of all shards, after a change. */
void gpci_shards_refresh(gpci_timed *timed);

/* gpci_timed_run_cycle with shards. */
gpc_status gpci_shards_run_cycle(gpci_timed *timed, uint64_t limit);
/* gpci_wheel_next and gpci_wheel_component_next, over the wheels of all shards. */
uint64_t gpci_shards_next(const gpci_timed *timed);
uint64_t gpci_shards_component_next(const gpci_timed *timed, uint32_t number);
/* Move to `now`; no earlier event is due. */
void gpci_shards_go(gpci_timed *timed, uint64_t now);
/* Move the state of all shards to the hierarchy, as with one thread. gpci_shards_split: divide the state again. */
void gpci_shards_join(gpci_timed *timed);
void gpci_shards_split(gpci_timed *timed);

/*
 * From a shard's view: gpci_make_packets and gpci_make_inflights. In a phase with several threads, room already exists.
 */
gpc_status gpci_shard_packets(gpci_timed *view, uint32_t lines);
gpc_status gpci_shard_inflights(gpci_timed *view, uint32_t count);

/* View of a component's shard. */
gpci_timed *gpci_shards_of(gpci_timed *timed, uint32_t component);

/* Threads sharing work at present. */
uint32_t gpci_shards_threads(const gpci_timed *timed);
/* Shards, 1 or more, and the shard of an SM. */
uint32_t gpci_shards_count(const gpci_timed *timed);
uint32_t gpci_shards_shard_of_sm(const gpci_timed *timed, uint32_t sm);
/* If `alone`, step all SMs in the caller's thread from now on, in order; if not, in several threads again. */
void gpci_shards_keep_sms(gpci_timed *timed, bool alone);

/* For tests: use as many threads as shards, delay threads, and share even the smallest phase among threads. */
gpc_status gpci_shards_test(gpci_timed *timed, uint64_t delay, gpc_error *error);
/* Phases so far shared by threads, and seconds of the caller's waiting for other threads. */
uint64_t gpci_shards_shared(const gpci_timed *timed, double *out_waited);

#endif
