/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_DRAIN_H
#define GPC_TIMED_DRAIN_H

#include "timed/timed.h"

/*
 * MSHR entries of an L1 that stay until all who wait with them have their data, one access after the other
 * (l1.mshr_free = drained).
 *
 * The line is there from its fill on. It may have to make room again before the last of its accesses has had its turn,
 * where its set has no other line to give up. Then a load that misses still finds the entry: it takes its turn behind
 * the others, and no line.
 * [GPGPU-Sim 3.2.1, gpu-cache.cc: mshr_table::next_access, send_read_request. There such a load reserves a line, which
 * nothing fills until it is asked for once more.]
 *
 * Example, three loads wait for a line that comes in cycle 100:
 *   100  fill; the three have their data in cycles 101, 102, 103
 *   101  another line takes its way
 *   102  a fourth load of the line misses, and joins: two are left before it
 *   104  it had its turn; the entry is free
 */

/* All data of an entry have come, for `waiting` accesses, the last of which has them when the release port is free. */
void gpci_drain_begin(gpci_timed *t, gpci_stage *stage, uint32_t leader, uint32_t waiting);
/* May one that needs these segments take them from an entry whose data have come? If so it has a turn. */
bool gpci_drain_join(gpci_timed *t, gpci_stage *stage, uint32_t leader, uint8_t needs);
/* Entries that are through go. */
void gpci_drain_step(gpci_timed *t, gpci_stage *stage);

#endif
