/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_DRAIN_H
#define GPC_TIMED_DRAIN_H

#include "timed/timed.h"

/*
 * MSHR entries of an L1 that stay until all who wait with them have their data, one access after the other
 * (l1.mshr_free = drained, drained-reserving).
 *
 * The line is there from its fill on. It may have to make room again before the last of its accesses has had its turn,
 * where its set has no other line to give up. Then a load that misses still finds the entry, and takes its turn behind
 * the others. With `drained` it takes no line. With `drained-reserving` it reserves one as any other miss, but nothing
 * is sent for it: that line is held, and cannot be replaced, until it is asked for again when the entry has gone; what
 * asks is a pending hit, sends, and its fill makes a line of it. Until then the set has a way less.
 * [GPGPU-Sim 3.2, gpu-cache.cc: mshr_table::next_access; baseline_cache::send_read_request, where the tags' access
 * reserves a line whether or not there is an entry; data_cache::process_tag_probe, for what asks again.]
 *
 * All ways of a set may go like this. There the simulator stands still for good: nothing else passes the tags, and so
 * nobody asks again. Here a packet that finds all lines of its set reserved, and none of them on its way, takes the one
 * that the replacement policy chooses of them.
 *
 * Example, three loads wait for a line that comes in cycle 100:
 *   100  fill; the three have their data in cycles 101, 102, 103
 *   101  another line takes its way
 *   102  a fourth load of the line misses, and joins: two are left before it; drained-reserving: it reserves a way
 *   104  it had its turn; the entry is free
 *   300  drained-reserving: a fifth load of the line finds it reserved, and sends for it
 */

/* l1.mshr_free */
typedef enum gpci_mshr_until { GPCI_MSHR_FILLED, GPCI_MSHR_DRAINED, GPCI_MSHR_RESERVING } gpci_mshr_until;

/* All data of an entry have come, for `waiting` accesses, the last of which has them when the release port is free. */
void gpci_drain_begin(gpci_timed *t, gpci_stage *stage, uint32_t leader, uint32_t waiting);
/* May one that needs these segments take them from an entry whose data have come? If not, L1 asks again in a cycle. */
bool gpci_drain_has_room(gpci_timed *t, gpci_stage *stage, uint32_t leader, uint8_t needs);
/* It does, behind those that wait. */
void gpci_drain_join(gpci_timed *t, gpci_stage *stage, uint32_t leader);
/* Entries that are through go. */
void gpci_drain_step(gpci_timed *t, gpci_stage *stage);

#endif
