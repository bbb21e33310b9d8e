/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/wheel.h"

#include <string.h>

gpc_status gpci_wheel_create(gpc_context *context, uint32_t components, gpc_error *error, gpci_wheel *wheel) {
    *wheel = (gpci_wheel){.context = context, .components = components, .words = (components + 63) / 64};
    wheel->at = components;
    wheel->due = gpci_zalloc(context, (size_t)GPCI_WHEEL_SPAN * wheel->words, sizeof *wheel->due);
    return wheel->due ? GPC_OK : gpci_out_of_memory(error);
}

void gpci_wheel_destroy(gpci_wheel *wheel) {
    if (wheel->context)
        gpci_free(wheel->context, wheel->due);
    wheel->due = NULL;
}

uint64_t gpci_wheel_next(const gpci_wheel *wheel) {
    const uint32_t words = GPCI_WHEEL_SPAN / 64, start = (uint32_t)wheel->now & (GPCI_WHEEL_SPAN - 1);
    uint64_t first = wheel->occupied[start / 64] & (~(uint64_t)0 << (start & 63));
    for (uint32_t i = 0; i <= words; i++) {
        uint32_t word = (start / 64 + i) % words;
        uint64_t bits = i ? wheel->occupied[word] : first;
        if (i == words) /* round once: what lies before the start */
            bits &= ~(~(uint64_t)0 << (start & 63));
        if (bits) {
            uint32_t slot = word * 64 + gpci_lowest(bits);
            return wheel->now + ((slot - start) & (GPCI_WHEEL_SPAN - 1));
        }
    }
    return GPCI_NEVER;
}

void gpci_wheel_run_cycle(gpci_wheel *wheel, uint64_t cycle, gpci_step_fn step, void *user_data) {
    uint32_t slot = (uint32_t)cycle & (GPCI_WHEEL_SPAN - 1);
    uint64_t *due = wheel->due + (size_t)slot * wheel->words;
    wheel->now = cycle;
    wheel->occupied[slot / 64] &= ~((uint64_t)1 << (slot & 63));
    for (uint32_t word = 0; word < wheel->words; word++)
        while (due[word]) { /* a step may add a component of a higher number */
            uint32_t bit = gpci_lowest(due[word]);
            due[word] &= due[word] - 1;
            wheel->at = word * 64 + bit;
            step(user_data, wheel->at);
        }
    wheel->occupied[slot / 64] &= ~((uint64_t)1 << (slot & 63));
    wheel->at = wheel->components;
}

void gpci_wheel_clear(gpci_wheel *wheel) {
    memset(wheel->due, 0, (size_t)GPCI_WHEEL_SPAN * wheel->words * sizeof *wheel->due);
    memset(wheel->occupied, 0, sizeof wheel->occupied);
}
