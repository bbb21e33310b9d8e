/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_RUN_AHEAD_H
#define GPC_TIMED_RUN_AHEAD_H

#include "timed/core/timed.h"

/*
 * An SM and the L1 run ahead of the clock, while independent of all else: their data stay in the processor's caches for
 * many cycles, without all other SMs in between.
 *
 * Only replies reach an L1, and packets leave only through the miss queue. With no packet below, no reply can come;
 * otherwise only replies granted by the reply network, after the network's latency. So both are stepped cycle by cycle,
 * with the wheel's `now`, until
 *
 *  a reply has arrived, or may arrive from here on           the step is left to the clock
 *  L1's tags have put a packet into the miss queue           the rest of the step is left to the clock
 *  a block ends, and another may be placed here              the SM hands over when the clock arrives
 *  the clock's limit: a sample, a pause                      so a hierarchy is always seen in a single cycle
 *
 * Example: at cycle 100 SM 3 has 20 warps that compute, and load lines present in L1. SM 3 is stepped through cycles
 * 101 to 130, where a load misses: the miss enters the network when the clock is at 130, in the order of SMs, as usual.
 */

/* True if the configuration allows SMs to run ahead. */
bool gpci_may_run_ahead(const gpci_timed *timed);
/* Last core cycle to which SMs may run ahead: `limit`; 0 while the host observes the hierarchy (callbacks, events). */
uint64_t gpci_ahead_limit(const gpci_timed *timed, uint64_t limit);

/* Run an SM and its L1 ahead of the clock, as far as possible, after the turns of both in the present cycle. */
void gpci_run_ahead(gpci_timed *timed, uint32_t sm);

/* True if an SM is to be stepped in the present cycle, along with the L1. */
GPCI_INLINE bool gpci_sm_is_due(const gpci_timed *timed, uint32_t sm) {
    const uint32_t number = timed->groups[GPCI_GROUP_SMS].first + sm;
    return gpci_bit_is_set(gpci_wheel_row(&timed->wheel, timed->wheel.now), number);
}

#endif
