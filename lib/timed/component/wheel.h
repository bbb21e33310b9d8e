/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_WHEEL_H
#define GPC_TIMED_WHEEL_H

#include "base/base.h"

/*
 * Schedule of work. Components (an L1, a network port, a slice, a channel) are numbers; a component asks to be stepped
 * at a core cycle. A bitmap of components exists per cycle of the next GPCI_WHEEL_SPAN - 1: components of a cycle are
 * stepped in ascending order, independent of the order of asking, and idle components cost no time. A later cycle is
 * limited to the span's end: the component is then stepped early, finds no work due, and asks again. A step without
 * work must be harmless.
 */
#define GPCI_WHEEL_SPAN 1024u /* cycles, a power of two */
#define GPCI_NEVER UINT64_MAX

typedef struct gpci_wheel {
    gpc_context *context;
    uint64_t now;
    uint64_t lead;              /* cycles of `now` ahead of the clock, while an SM is ahead (run_ahead.h) */
    uint32_t components, words; /* words: of a cycle's bitmap */
    uint32_t at;                /* component under step; components when between cycles */
    uint64_t *due;              /* [GPCI_WHEEL_SPAN][words] */
    uint64_t occupied[GPCI_WHEEL_SPAN / 64]; /* cycles modulo the span that may have a component */
} gpci_wheel;

gpc_status gpci_wheel_create(gpc_context *context, uint32_t components, gpc_error *error, gpci_wheel *wheel);
void gpci_wheel_destroy(gpci_wheel *wheel);

/* Bitmap of components to step in a cycle less than the span from now. */
GPCI_INLINE uint64_t *gpci_wheel_row(const gpci_wheel *wheel, uint64_t cycle) {
    return wheel->due + (size_t)((uint32_t)cycle & (GPCI_WHEEL_SPAN - 1)) * wheel->words;
}

/*
 * Step `component` at `cycle`, or as soon as possible: a component whose turn in the present cycle is past, or running,
 * gets the next cycle.
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

/* Next cycle of a component; or GPCI_NEVER. */
uint64_t gpci_wheel_component_next(const gpci_wheel *wheel, uint32_t component);

/* Next cycle, from `now` on, with a component to step; or GPCI_NEVER. */
uint64_t gpci_wheel_next(const gpci_wheel *wheel);

typedef void (*gpci_step_fn)(void *user_data, uint32_t component);

/* Go to `cycle`, at or after now, and step the due components. No component may be due before. */
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
