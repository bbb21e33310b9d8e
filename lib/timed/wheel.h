/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_WHEEL_H
#define GPC_TIMED_WHEEL_H

#include "base/base.h"

/*
 * Who has something to do when. Components (an L1, a network port, a slice, a
 * channel) are numbers; a component asks to be stepped at a core cycle. Per cycle
 * of the next GPCI_WHEEL_SPAN - 1 there is a bitmap of components, so that a
 * cycle's are stepped in ascending order however they were asked for, and idle
 * ones cost nothing. A later cycle is clamped to the span's end: the component is then stepped
 * early, finds nothing due, and asks again. Being stepped for nothing must be harmless.
 */
#define GPCI_WHEEL_SPAN 1024u /* cycles, a power of two */
#define GPCI_NEVER UINT64_MAX

typedef struct gpci_wheel {
    gpc_context *context;
    uint64_t now;
    uint64_t lead;                           /* cycles that `now` is ahead of the clock, while an SM is (run_ahead.h) */
    uint32_t components, words;              /* words: of a cycle's bitmap */
    uint32_t at;                             /* component under step; components when between cycles */
    uint64_t *due;                           /* [GPCI_WHEEL_SPAN][words] */
    uint64_t occupied[GPCI_WHEEL_SPAN / 64]; /* cycles modulo the span that may have a component */
} gpci_wheel;

gpc_status gpci_wheel_create(gpc_context *context, uint32_t components, gpc_error *error, gpci_wheel *wheel);
void gpci_wheel_destroy(gpci_wheel *wheel);

/* The bitmap of those to be stepped at a cycle less than the span from now. */
GPCI_INLINE uint64_t *gpci_wheel_row(const gpci_wheel *wheel, uint64_t cycle) {
    return wheel->due + (size_t)((uint32_t)cycle & (GPCI_WHEEL_SPAN - 1)) * wheel->words;
}

/*
 * Step `component` at `cycle`, or as soon as it can be: a component that has had its
 * turn in the present cycle, or has it now, gets the next.
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

/* The next cycle at which a component is to be stepped; GPCI_NEVER. */
uint64_t gpci_wheel_component_next(const gpci_wheel *wheel, uint32_t component);

/* The next cycle, from `now` on, that has a component to step; GPCI_NEVER where none has. */
uint64_t gpci_wheel_next(const gpci_wheel *wheel);

typedef void (*gpci_step_fn)(void *user_data, uint32_t component);

/* Go to `cycle`, which is not before now, and step its components. Between now and there must be none. */
GPCI_INLINE void gpci_wheel_run_cycle(gpci_wheel *wheel, uint64_t cycle, gpci_step_fn step, void *user_data) {
    uint32_t slot = (uint32_t)cycle & (GPCI_WHEEL_SPAN - 1);
    uint64_t *due = wheel->due + (size_t)slot * wheel->words;
    wheel->now = cycle;
    gpci_bit_clear(wheel->occupied, slot);
    for (uint32_t word = 0; word < wheel->words; word++)
        while (due[word]) { /* a step may add a component of a higher number */
            uint32_t bit = gpci_lowest(due[word]);
            due[word] &= due[word] - 1;
            wheel->at = word * 64 + bit;
            step(user_data, wheel->at);
        }
    gpci_bit_clear(wheel->occupied, slot);
    wheel->at = wheel->components;
}

/* Forget everything that is due. */
void gpci_wheel_clear(gpci_wheel *wheel);

#endif
