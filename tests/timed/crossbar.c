/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/crossbar.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* Senders and receivers have a turn only when woken by the network, or by a script. */

typedef struct run {
    const crossbar *c;
    item *items;
    uint32_t count;
    uint32_t *next; /* per input: item to send */
    uint32_t taken;
    gpci_wheel wheel;
    gpci_pool pool;
    gpci_network *network;
    gpci_network_options options;
} run;

bool crossbar_takes(const crossbar *c, uint32_t output, uint64_t cycle) {
    return cycle >= c->closed && (c->seldom < 2 || gpci_mix(cycle * 64 + output) % c->seldom == 0);
}

static uint32_t next_item(const run *r, uint32_t input, uint32_t from) {
    while (from < r->count && r->items[from].input != input)
        from++;
    return from;
}

static void step_sender(run *r, uint32_t input) {
    const uint64_t now = r->wheel.now;
    for (uint32_t i; (i = r->next[input]) < r->count; r->next[input] = next_item(r, input, i + 1)) {
        item *it = &r->items[i];
        if (it->cycle > now) {
            gpci_wheel_wake(&r->wheel, r->options.first_sender + input, it->cycle);
            return;
        }
        if (!gpci_network_can_take(r->network, input, it->size))
            return; /* woken by the network */
        uint32_t packet = gpci_pool_take(&r->pool);
        gpci_packet_at(&r->pool, packet)->address = i;
        gpci_network_send(r->network, input, it->output, it->size, packet);
        it->sent = now;
    }
}

static void step_receiver(run *r, uint32_t output) {
    const uint64_t now = r->wheel.now;
    uint32_t head = gpci_network_peek(r->network, output);
    if (head != GPCI_NO_PACKET && !crossbar_takes(r->c, output, now)) {
        gpci_wheel_wake(&r->wheel, r->options.first_receiver + output, now + 1);
        return;
    }
    for (uint32_t n = 0; head != GPCI_NO_PACKET && (!r->c->takes || n < r->c->takes); n++) {
        cr_assert_eq(gpci_network_receive(r->network, output), head);
        const gpci_packet *packet = gpci_packet_at(&r->pool, head);
        item *it = &r->items[packet->address];
        cr_assert_eq(packet->path.to, output);
        cr_assert_eq(packet->path.from, it->input);
        cr_assert_eq(packet->path.size, it->size);
        cr_assert_eq(packet->path.entered, it->sent);
        cr_assert_eq(it->output, output);
        cr_assert_eq(it->taken, 0, "packet %llu came twice", (unsigned long long)packet->address);
        it->taken = now;
        r->taken++;
        gpci_pool_give(&r->pool, head);
        head = gpci_network_peek(r->network, output);
    }
}

static void step(void *user_data, uint32_t component) {
    run *r = user_data;
    const gpci_network_options *o = &r->options;
    if (component - o->first_output < o->outputs)
        gpci_network_step(&(gpci_group){.self = r->network}, component - o->first_output);
    else if (component - o->first_receiver < o->outputs)
        step_receiver(r, component - o->first_receiver);
    else
        step_sender(r, component - o->first_sender);
}

static void open_run(run *r, gpc_context *context) {
    gpci_network_options *o = &r->options;
    *o = r->c->options;
    o->first_sender = r->c->ports_last ? 2 * o->outputs : 0;
    o->first_receiver = r->c->ports_last ? o->outputs : o->inputs;
    o->first_output = r->c->ports_last ? 0 : o->inputs + o->outputs;
    gpci_pool_init(&r->pool, context);
    cr_assert_eq(gpci_pool_reserve(&r->pool, r->count), GPC_OK);
    cr_assert_eq(gpci_wheel_create(context, o->inputs + 2 * o->outputs, NULL, &r->wheel), GPC_OK);
    cr_assert_eq(gpci_network_create(context, o, &r->pool, &r->wheel, NULL, &r->network), GPC_OK);
    r->next = calloc(o->inputs, sizeof *r->next);
    for (uint32_t i = 0; i < o->inputs; i++) {
        r->next[i] = next_item(r, i, 0);
        gpci_wheel_wake(&r->wheel, o->first_sender + i, 0);
    }
}

gpci_network_stats crossbar_run(const crossbar *c, item *items, uint32_t count) {
    gpc_context *context;
    run r = {.c = c, .items = items, .count = count};
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    open_run(&r, context);
    for (uint32_t i = 0; i < count; i++)
        items[i].sent = items[i].taken = 0;
    for (uint64_t next; (next = gpci_wheel_next(&r.wheel)) != GPCI_NEVER;)
        gpci_wheel_run_cycle(&r.wheel, next, step, &r);
    cr_assert_eq(r.taken, count, "%u of %u packets arrived", r.taken, count);
    cr_assert_eq(gpci_network_count(r.network), 0);
    cr_assert_eq(r.pool.live, 0);
    gpci_network_stats stats = gpci_network_get_stats(r.network);
    gpci_network_destroy(r.network);
    gpci_wheel_destroy(&r.wheel);
    gpci_pool_destroy(&r.pool);
    gpc_context_destroy(context);
    free(r.next);
    return stats;
}
