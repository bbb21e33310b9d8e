/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_DRAIN_H
#define GPC_TIMED_DRAIN_H

#include "timed/core/timed.h"

/*
 * MSHR entries of an L1 that stay until all waiting accesses have their data, one access after the other (l1.mshr_free
 * = drained, drained-reserving).
 *
 * The line is valid from the fill on. It may be evicted before the last access has had its turn, if its set has no
 * other candidate. A load that misses then still finds the entry, and takes its turn behind the others. With `drained`
 * it takes no line. With `drained-reserving` it reserves a line as any miss, but sends no request: the reserved line
 * cannot be replaced until an access asks for it after the entry is gone. The asking access is a pending hit, sends a
 * request, and the fill makes the line valid. Until the fill the set has one way less. [GPGPU-Sim 3.2, gpu-cache.cc:
 * mshr_table::next_access; baseline_cache::send_read_request, where the tags' access reserves a line with or without an
 * entry; data_cache::process_tag_probe, for the access that asks again.]
 *
 * All ways of a set may end like this. The simulator then deadlocks: nothing else passes the tags, so no access asks
 * again. Here a packet that finds all lines of the set reserved, and none in flight, takes one chosen by the
 * replacement policy.
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

/* An entry's data have arrived, for `waiting` accesses; the last has them when the release port is free. */
void gpci_drain_begin(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t mshr_entry, uint32_t waiting);
/*
 * True if an access may take these segments from an entry with arrived data. If false, L1 asks again in a
 * cycle.
 */
bool gpci_drain_has_room(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t mshr_entry, uint8_t needs);
/* Take the data from the entry, behind the waiting accesses. */
void gpci_drain_join(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t mshr_entry);

#endif
