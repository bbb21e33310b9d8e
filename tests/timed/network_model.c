/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/crossbar.h"

#include "effort.h"

#include <criterion/criterion.h>
#include <stdio.h>

/* Random small networks and streams: every packet has an equal cycle in the naive model. */

#define MOST 60u

static uint32_t pick(uint64_t *state, uint32_t least, uint32_t most) {
    return least + gpci_random_below(state, most - least + 1);
}

static gpci_clock random_clock(uint64_t *state) {
    static const uint32_t pairs[][2] = {
        {1, 1}, {700, 924}, {924, 700}, {1980, 2619}, {2619, 1980}, {1, 2}, {2, 1}, {1, 5}, {7, 1}, {3, 2},
    };
    const uint32_t *pair = pairs[pick(state, 0, sizeof pairs / sizeof *pairs - 1)];
    return gpci_random_below(state, 2) ? gpci_clock_make(1, 1) : gpci_clock_make(pair[0], pair[1]);
}

static crossbar random_crossbar(uint64_t *state) {
    crossbar c = {.options = {
                      .inputs = pick(state, 1, 6),
                      .outputs = pick(state, 1, 6),
                      .width = pick(state, 1, 40),
                      .latency = pick(state, 0, 6),
                      .input_capacity = pick(state, 0, 5),
                      .output_capacity = pick(state, 0, 5),
                      .queues = (gpci_queues)pick(state, GPCI_QUEUES_FIFO, GPCI_QUEUES_BURSTS),
                  }};
    c.options.clock = random_clock(state);
    if (gpci_random_below(state, 4) == 0)
        c.options.latency = 0;
    if (gpci_random_below(state, 8) == 0)
        c.options.inputs = pick(state, 60, 64); /* more than one word of bits */
    if (gpci_random_below(state, 8) == 0)
        c.options.outputs = pick(state, 60, 64);
    if (gpci_random_below(state, 4) == 0)
        c.options.input_capacity = c.options.output_capacity = GPCI_UNLIMITED;
    if (gpci_random_below(state, 3) == 0) { /* bytes */
        c.options.largest = pick(state, 1, 150);
        c.options.input_capacity = c.options.largest + pick(state, 0, 300);
        c.options.output_capacity = c.options.largest + pick(state, 0, 300);
    }
    c.ports_last = gpci_random_below(state, 2);
    c.takes = pick(state, 0, 2);
    c.seldom = gpci_random_below(state, 2) ? 0 : pick(state, 2, 5);
    c.closed = gpci_random_below(state, 4) ? 0 : pick(state, 1, 100);
    return c;
}

static uint32_t random_stream(uint64_t *state, const crossbar *c, item *items) {
    const uint32_t count = pick(state, 1, MOST), span = pick(state, 0, 60), sizes = pick(state, 0, 3);
    /* few ports, to cause conflicts */
    const uint32_t inputs = pick(state, 1, c->options.inputs), outputs = pick(state, 1, c->options.outputs);
    uint64_t cycle = 1;
    for (uint32_t i = 0; i < count; i++) {
        cycle += span > 30 ? gpci_random_below(state, span / 10) : gpci_random_below(state, 20) == 0;
        uint32_t size = sizes == 0 ? c->options.width : pick(state, 0, sizes == 1 ? 20 : 150);
        if (c->options.largest)
            size = size < c->options.largest ? size : c->options.largest;
        else if (gpci_random_below(state, 300) == 0)
            size = 3000 * c->options.width; /* beyond the wheel's span */
        items[i] = (item){
            .cycle = cycle,
            .input = c->options.inputs - 1 - gpci_random_below(state, inputs),
            .output = c->options.outputs - 1 - gpci_random_below(state, outputs),
            .size = size,
        };
    }
    return count;
}

static void describe(char *text, size_t size, const crossbar *c, uint64_t trial, uint32_t i) {
    const gpci_network_options *o = &c->options;
    snprintf(
        text, size,
        "trial %llu, packet %u: %u x %u, width %u, latency %u, room %llu and %llu (bytes: %u), queues %u, clock %u/%u, "
        "ports last %u, takes %u, seldom %u, closed %llu",
        (unsigned long long)trial, i, o->inputs, o->outputs, o->width, o->latency,
        (unsigned long long)o->input_capacity, (unsigned long long)o->output_capacity, o->largest, o->queues,
        o->clock.own, o->clock.core, c->ports_last, c->takes, c->seldom, (unsigned long long)c->closed);
}

static void compare(uint64_t trial) {
    uint64_t state = trial;
    item items[MOST], expected[MOST];
    char text[300];
    crossbar c = random_crossbar(&state);
    uint32_t count = random_stream(&state, &c, items);
    for (uint32_t i = 0; i < count; i++)
        expected[i] = items[i];
    gpci_network_stats model = crossbar_model(&c, expected, count), stats = crossbar_run(&c, items, count);
    for (uint32_t i = 0; i < count; i++) {
        describe(text, sizeof text, &c, trial, i);
        cr_assert_eq(items[i].sent, expected[i].sent, "%s: sent at %llu, model %llu", text,
                     (unsigned long long)items[i].sent, (unsigned long long)expected[i].sent);
        cr_assert_eq(items[i].taken, expected[i].taken, "%s: taken at %llu, model %llu", text,
                     (unsigned long long)items[i].taken, (unsigned long long)expected[i].taken);
    }
    cr_assert_eq(stats.packets, model.packets);
    cr_assert_eq(stats.bytes, model.bytes);
    cr_assert_eq(stats.cycles, model.cycles);
    cr_assert_eq(stats.input_cycles, model.input_cycles, "%s", text);
    cr_assert_eq(stats.output_cycles, model.output_cycles, "%s", text);
}

Test(network_model, random_networks_agree_with_the_naive_model) {
    for (uint64_t trial = 0; trial < effort_of(1500); trial++)
        compare(trial);
}
