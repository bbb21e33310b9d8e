/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A star network: one switch, a link each way to every module. A message goes from its module's output buffer over the
 * link to the switch, through the switch to the buffer of its receiver's link, and over that link. Each of the three
 * takes size / bandwidth cycles, rounded up, and carries one message at a time; entering the first buffer takes one
 * cycle, and one message a cycle enters. Idle, that is 1 + 3 * ceil(size / bandwidth).
 */
#include "coherence/internal.h"

#include <string.h>

void gpci_star_begin(gpc_coherence *c) {
    const size_t bytes = c->module_count * sizeof(uint64_t);

    for (uint32_t i = 0; i < c->star_count; i++) {
        memset(c->stars[i].out_free, 0, bytes);
        memset(c->stars[i].switch_free, 0, bytes);
        memset(c->stars[i].in_free, 0, bytes);
    }
}

/* Keep a stage for a message that comes at `cycle`; the cycle at which it has passed. */
static uint64_t pass(uint64_t *free, uint64_t cycle, uint64_t cycles) {
    const uint64_t start = cycle > *free ? cycle : *free;

    *free = start + cycles;
    return *free;
}

uint64_t gpci_star_send(gpc_coherence *c, uint32_t network, uint32_t from, uint32_t to, uint32_t bytes,
                        uint64_t cycle) {
    gpci_star *star = &c->stars[network];
    const uint64_t cycles = ((uint64_t)bytes + star->given.bandwidth - 1) / star->given.bandwidth;

    cycle = pass(&star->out_free[from], cycle + 1, cycles);
    cycle = pass(&star->switch_free[to], cycle, cycles);
    return pass(&star->in_free[to], cycle, cycles);
}
