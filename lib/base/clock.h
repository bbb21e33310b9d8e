/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_BASE_CLOCK_H
#define GPC_BASE_CLOCK_H

#include "base/check.h"

/*
 * A clock domain beside the core's. Simulated time is counted in core cycles. Cycle n of a domain begins at core time n
 * * core / own, exact in integers: clocks never drift.
 * Example, core 700 MHz, DRAM 924 MHz: at the start of core cycle 3, DRAM's cycle floor(3 * 924 / 700) = 3 has begun.
 * DRAM's cycle 4 is seen at core cycle ceil(4 * 700 / 924) = 4.
 */
typedef struct gpci_clock {
    uint32_t own, core; /* frequencies in lowest terms; equal clocks have 1 and 1 */
} gpci_clock;

GPCI_INLINE gpci_clock gpci_clock_make(uint64_t own_mhz, uint64_t core_mhz) {
    uint64_t a = own_mhz, b = core_mhz;
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return (gpci_clock){(uint32_t)(own_mhz / a), (uint32_t)(core_mhz / a)};
}

/* value * over / under, rounded down, without overflow if the result fits. */
GPCI_INLINE uint64_t gpci_scale(uint64_t value, uint32_t over, uint32_t under) {
    return value / under * over + value % under * over / under;
}

/* Domain cycle in progress at the start of a core cycle. */
GPCI_INLINE uint64_t gpci_clock_own(gpci_clock clock, uint64_t core_cycle) {
    return clock.own == clock.core ? core_cycle : gpci_scale(core_cycle, clock.own, clock.core);
}

/* First core cycle at whose start the domain cycle has begun. */
GPCI_INLINE uint64_t gpci_clock_core(gpci_clock clock, uint64_t own_cycle) {
    if (clock.own == clock.core)
        return own_cycle;
    return own_cycle / clock.own * clock.core + (own_cycle % clock.own * clock.core + clock.own - 1) / clock.own;
}

/* Core cycle at the end of work that begins at `core_cycle` and takes `cycles` of the domain. */
GPCI_INLINE uint64_t gpci_clock_after(gpci_clock clock, uint64_t core_cycle, uint64_t cycles) {
    if (clock.own == clock.core)
        return core_cycle + cycles;
    return cycles ? gpci_clock_core(clock, gpci_clock_own(clock, core_cycle) + cycles) : core_cycle;
}

/* Gauge: a level that is constant between changes, summed over time. Example: occupancy of a queue. */
typedef struct gpci_gauge {
    uint64_t since, sum;
    uint32_t level;
#ifdef GPCI_CHECK
    uint64_t sum_again; /* cycles of departures minus cycles of arrivals */
#endif
} gpci_gauge;

GPCI_INLINE void gpci_gauge_set(gpci_gauge *gauge, uint64_t now, uint32_t level) {
    gauge->sum += (now - gauge->since) * gauge->level;
    gauge->since = now;
    gauge->level = level;
}

/* Sum of the level over time, up to `now`. */
GPCI_INLINE uint64_t gpci_gauge_sum(const gpci_gauge *gauge, uint64_t now) {
    return gauge->sum + (now - gauge->since) * gauge->level;
}

/* Sum anew from `now` on. */
GPCI_INLINE void gpci_gauge_reset(gpci_gauge *gauge, uint64_t now) {
    gauge->since = now;
    gauge->sum = 0;
    GPCI_AGAIN(gauge->sum_again = 0 - gauge->level * now);
}

/* Second count of the sum: members that come or go at `now`. Each place that sets a level calls one of the two. */
GPCI_INLINE void gpci_gauge_come(gpci_gauge *gauge, uint64_t now, uint32_t members) {
    (void)gauge;
    (void)now;
    (void)members;
    GPCI_AGAIN(gauge->sum_again -= now * members);
}

GPCI_INLINE void gpci_gauge_go(gpci_gauge *gauge, uint64_t now, uint32_t members) {
    (void)gauge;
    (void)now;
    (void)members;
    GPCI_AGAIN(gauge->sum_again += now * members);
}

/* Go on from `now`: the cycles since the last change do not count. */
GPCI_INLINE void gpci_gauge_skip(gpci_gauge *gauge, uint64_t now) {
    GPCI_AGAIN(gauge->sum_again += (gauge->since - now) * gauge->level);
    gauge->since = now;
}

/* As gpci_gauge_set; the members that come or go are counted again. */
GPCI_INLINE void gpci_gauge_move(gpci_gauge *gauge, uint64_t now, uint32_t level) {
    if (level > gauge->level)
        gpci_gauge_come(gauge, now, level - gauge->level);
    else
        gpci_gauge_go(gauge, now, gauge->level - level);
    gpci_gauge_set(gauge, now, level);
}

#ifdef GPCI_CHECK
GPCI_INLINE uint64_t gpci_gauge_sum_again(const gpci_gauge *gauge, uint64_t now) {
    return gauge->sum_again + gauge->level * now;
}
#endif

#endif
