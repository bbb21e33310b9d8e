/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_CLOCK_H
#define GPC_TIMED_CLOCK_H

#include "base/check.h"

/* Time: clock domains, levels summed over time, and the wheel of cycles. */

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
    uint64_t sum_again; /* second count of `sum`: cycles of departures minus cycles of arrivals */
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

/* Begin a new sum at `now`. */
GPCI_INLINE void gpci_gauge_reset(gpci_gauge *gauge, uint64_t now) {
    gauge->since = now;
    gauge->sum = 0;
    GPCI_AGAIN(gauge->sum_again = 0 - gauge->level * now);
}

/*
 * Checking build: count the sum a second time, by the members that come (gpci_gauge_come) or go (gpci_gauge_go) at
 * `now`. A caller of gpci_gauge_set also calls one of the two functions.
 */
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

/* Leave the cycles from the last change to `now` out of the sum. */
GPCI_INLINE void gpci_gauge_skip(gpci_gauge *gauge, uint64_t now) {
    GPCI_AGAIN(gauge->sum_again += (gauge->since - now) * gauge->level);
    gauge->since = now;
}

/* Set the level, and count the members that come or go a second time (`sum_again`). */
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

/*
 * Schedule of work. Components (an L1, a network port, a slice, a channel) are numbers; a component asks to be stepped
 * at a core cycle. A bitmap of components exists per cycle of the next GPCI_WHEEL_SPAN - 1: components of a cycle are
 * stepped in ascending order, independent of the order of asking, and idle components cost no time. If a component asks
 * for a cycle beyond the span, the wheel steps the component at the span's end: the component finds no work due, and
 * asks again. A step without work must be harmless.
 */
#define GPCI_WHEEL_SPAN 1024u /* cycles, a power of two */
#define GPCI_NEVER UINT64_MAX

typedef struct gpci_wheel {
    gpc_context *context;
    uint64_t now;
    uint64_t lead;              /* cycles by which `now` is ahead of the clock, while an SM runs ahead (run_ahead.h) */
    uint32_t components, words; /* words: of a cycle's bitmap */
    uint32_t at;                /* number of the component that is being stepped; between cycles `components` */
    uint64_t *due;              /* [GPCI_WHEEL_SPAN][words] */
    uint64_t occupied[GPCI_WHEEL_SPAN / 64]; /* bit per cycle, modulo the span: a component may be due */
} gpci_wheel;

gpc_status gpci_wheel_create(gpc_context *context, uint32_t components, gpc_error *error, gpci_wheel *wheel);
void gpci_wheel_destroy(gpci_wheel *wheel);

/* Bitmap of the components to step in `cycle`, which is less than GPCI_WHEEL_SPAN cycles from `now`. */
GPCI_INLINE uint64_t *gpci_wheel_row(const gpci_wheel *wheel, uint64_t cycle) {
    return wheel->due + (size_t)((uint32_t)cycle & (GPCI_WHEEL_SPAN - 1)) * wheel->words;
}

/*
 * Step `component` at `cycle`. If `cycle` is past, step the component as soon as possible: in the present cycle, or, if
 * the component's turn in the present cycle has begun or is past, in the next cycle.
 */
GPCI_INLINE void gpci_wheel_wake(gpci_wheel *wheel, uint32_t component, uint64_t cycle) {
    uint64_t first = wheel->now + (component <= wheel->at);
    if (cycle == GPCI_NEVER)
        return;
    if (cycle < first)
        cycle = first;
    if (cycle - wheel->now + wheel->lead >= GPCI_WHEEL_SPAN)
        cycle = wheel->now - wheel->lead + GPCI_WHEEL_SPAN - 1;
    uint32_t slot = (uint32_t)cycle & (GPCI_WHEEL_SPAN - 1);
    gpci_bit_set(wheel->due + (size_t)slot * wheel->words, component);
    gpci_bit_set(wheel->occupied, slot);
}

/* Next cycle in which a component is to be stepped; or GPCI_NEVER. */
uint64_t gpci_wheel_component_next(const gpci_wheel *wheel, uint32_t component);

/* Next cycle, from `now` on, with a component to step; or GPCI_NEVER. */
uint64_t gpci_wheel_next(const gpci_wheel *wheel);

typedef void (*gpci_step_fn)(void *user_data, uint32_t component);

/* Set the clock to `cycle`, which is not before `now`, and step the due components. No earlier step may be due. */
GPCI_INLINE void gpci_wheel_run_cycle(gpci_wheel *wheel, uint64_t cycle, gpci_step_fn step, void *user_data) {
    uint32_t slot = (uint32_t)cycle & (GPCI_WHEEL_SPAN - 1);
    uint64_t *due = wheel->due + (size_t)slot * wheel->words;
    wheel->now = cycle;
    gpci_bit_clear(wheel->occupied, slot);
    for (uint32_t word = 0; word < wheel->words; word++)
        while (due[word]) { /* a step may add a component with a higher number */
            uint32_t bit = gpci_lowest(due[word]);
            due[word] &= due[word] - 1;
            wheel->at = word * 64 + bit;
            step(user_data, wheel->at);
        }
    gpci_bit_clear(wheel->occupied, slot);
    wheel->at = wheel->components;
}

/* Forget all due components. */
void gpci_wheel_clear(gpci_wheel *wheel);

#endif
