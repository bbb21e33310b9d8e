/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/crossbar.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/*
 * Crossbars small enough to work out by hand. Senders and receivers have their turn before the network: a packet sent
 * in cycle t is granted in t if not blocked, and taken in the first cycle after arrival.
 */

static crossbar plain(uint32_t inputs, uint32_t outputs, uint32_t width, uint32_t latency) {
    return (crossbar){.options = {
                          .inputs = inputs,
                          .outputs = outputs,
                          .width = width,
                          .latency = latency,
                          .input_capacity = GPCI_UNLIMITED,
                          .output_capacity = GPCI_UNLIMITED,
                          .clock = {1, 1},
                      }};
}

#define PACKET(at, from, to, bytes) \
    { .cycle = (at), .input = (from), .output = (to), .size = (bytes) }
#define ITEMS(...) ((item[]){__VA_ARGS__})

static void expect_taken(const item *items, const uint64_t *cycles, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        cr_expect_eq(items[i].taken, cycles[i], "packet %u: cycle %llu, not %llu", i,
                     (unsigned long long)items[i].taken, (unsigned long long)cycles[i]);
}

#define EXPECT_TAKEN(items, ...) \
    expect_taken((items), (const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

/* Core cycles from send to take of a single packet. */
static uint64_t alone(uint32_t width, uint32_t size, uint32_t latency, gpci_clock clock, uint64_t at) {
    crossbar c = plain(2, 2, width, latency);
    item it = {.cycle = at, .input = 1, .output = 1, .size = size};
    c.options.clock = clock;
    crossbar_run(&c, &it, 1);
    return it.taken - at;
}

Test(network, a_packet_takes_its_transfer_and_the_latency) {
    const gpci_clock same = {1, 1};
    cr_expect_eq(alone(32, 8, 8, same, 5), 1 + 8);
    cr_expect_eq(alone(32, 32, 8, same, 5), 1 + 8);
    cr_expect_eq(alone(32, 33, 8, same, 5), 2 + 8);
    cr_expect_eq(alone(32, 136, 0, same, 5), 5);
    cr_expect_eq(alone(264, 136, 20, same, 5), 1 + 20);
    cr_expect_eq(alone(3, 8, 2, same, 5), 3 + 2, "width smaller than a header");
    cr_expect_eq(alone(1, 40, 0, same, 5), 40);
    cr_expect_eq(alone(65536, 1, 0, same, 5), 1);
    cr_expect_eq(alone(32, 0, 7, same, 5), 7, "nothing to transfer");
    cr_expect_eq(alone(32, 0, 0, same, 5), 1, "there at once; the receiver has had its turn");
}

/* Cycle in which a message has passed so many links in a row; each buffer has room for only this message. */
static uint64_t passed(const gpci_link *link, uint32_t bytes, uint32_t links, uint64_t at) {
    const uint32_t room = gpci_link_room(link, bytes);
    gpci_link_buffer buffers[4] = {{.used = room, .capacity = room}};
    for (uint32_t i = 0; i < links; i++) {
        const uint64_t free = at + gpci_link_cycles(link, bytes);
        buffers[i + 1].capacity = room;
        cr_expect(gpci_link_has_room(&buffers[i + 1], room));
        at = gpci_link_grant(link, &buffers[i], &buffers[i + 1], at, gpci_link_cycles(link, bytes), room);
        cr_expect(gpci_link_has_room(&buffers[i], room));
        cr_expect(!gpci_link_has_room(&buffers[i + 1], 1));
        cr_expect_eq(buffers[i].read_free, free + link->turnaround);
        cr_expect_eq(buffers[i + 1].write_free, free);
    }
    return at;
}

/* The examples of lib/timed/network/README.md: three links of a star, sent a cycle before; the link of a crossbar. */
Test(network, links_of_star_and_crossbar) {
    const gpci_link star = {.width = gpci_divisor_of(64), .unit = GPCI_ROOM_BYTES};
    const gpci_link across = {.width = gpci_divisor_of(32), .latency = 4, .turnaround = 2, .unit = GPCI_ROOM_FLITS};
    cr_expect_eq(passed(&star, 8, 3, 0 + 1), 4);
    cr_expect_eq(passed(&star, 72, 3, 8 + 1), 15);
    cr_expect_eq(passed(&across, 136, 1, 10), 19);
    cr_expect_eq(gpci_link_room(&star, 136), 136);
    cr_expect_eq(gpci_link_room(&across, 136), 5);
    cr_expect_eq(gpci_link_room(&(gpci_link){.width = gpci_divisor_of(32)}, 136), 1);
}

/* Bits of 130 buffers in turn from 70 on, but for a busy one; the word of the start is seen to its end, then again. */
Test(network, turns) {
    const uint64_t requests[] = {(uint64_t)1 << 3, (uint64_t)1 << 63 | 1 << 7 | 1 << 2, 1 << 1},
                   busy[] = {0, 1 << 7, 0};
    const uint32_t expected[] = {127, 129, 3, 66, 127, GPCI_NO_TURN};
    gpci_link_turn turn = gpci_link_turn_from(requests, busy, 3, 70);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        cr_expect_eq(gpci_link_turn_next(&turn), expected[i], "turn %zu", i);
    turn = gpci_link_turn_from(requests, NULL, 3, 70);
    cr_expect_eq(gpci_link_turn_next(&turn), 71);
    turn = gpci_link_turn_from(busy, NULL, 1, 0);
    cr_expect_eq(gpci_link_turn_next(&turn), GPCI_NO_TURN);
}

/* Input 0 sends again four cycles after the first packet; the output takes another input's meanwhile. */
Test(network, turnaround_is_of_an_input) {
    item items[] = {PACKET(1, 0, 1, 32), PACKET(1, 0, 1, 32), PACKET(1, 0, 0, 32), PACKET(1, 1, 1, 32)};
    crossbar c = plain(2, 2, 32, 0);
    c.options.turnaround = 3;
    crossbar_run(&c, items, 4);
    EXPECT_TAKEN(items, 2, 6, 10, 3);
    item alone[] = {PACKET(1, 0, 1, 32), PACKET(20, 0, 1, 32)};
    c = plain(2, 2, 32, 0);
    c.options.turnaround = 3;
    crossbar_run(&c, alone, 2);
    EXPECT_TAKEN(alone, 2, 21);
}

/* Two network cycles in one of the core: the turnaround is in network cycles. */
Test(network, turnaround_at_other_clocks) {
    item items[] = {PACKET(1, 0, 1, 32), PACKET(1, 0, 1, 32), PACKET(1, 0, 1, 32)};
    crossbar c = plain(2, 2, 32, 0);
    c.options.turnaround = 3;
    c.options.clock = (gpci_clock){2, 1};
    crossbar_run(&c, items, 3);
    EXPECT_TAKEN(items, 2, 4, 6);
}

Test(network, longer_than_the_span_of_the_wheel) {
    cr_expect_eq(alone(1, 5000, 0, (gpci_clock){1, 1}, 1), 5000);
    cr_expect_eq(alone(32, 32, 10000, (gpci_clock){1, 1}, 1), 10001);
    cr_expect_eq(alone(1, 5000, 3000, (gpci_clock){3, 2}, 2), (8000 * 2 + 2) / 3);
}

Test(network, time_runs_in_the_clock_of_the_network) {
    /* Half the speed: own cycle 3 is under way at core cycles 6 and 7; 9 cycles later it is core cycle 24. */
    cr_expect_eq(alone(32, 32, 8, (gpci_clock){1, 2}, 6), 24 - 6);
    cr_expect_eq(alone(32, 32, 8, (gpci_clock){1, 2}, 7), 24 - 7);
    /* 924 MHz beside 700 (33:25): core cycle 10 is own 13.2; own 22 begins at core cycle 16.67. */
    cr_expect_eq(alone(32, 32, 8, gpci_clock_make(924, 700), 10), 17 - 10);
    /* The reverse: core cycle 10 is own 7.58; own 16 begins at 21.12. */
    cr_expect_eq(alone(32, 32, 8, gpci_clock_make(700, 924), 10), 22 - 10);
}

static uint32_t visible(const gpci_network *network, gpci_wheel *wheel, uint32_t output, uint64_t cycle) {
    wheel->now = cycle;
    return gpci_network_peek(network, output);
}

static void step_output(void *network, uint32_t output) {
    if (output < 2) /* higher numbers are senders and receivers, idle here */
        gpci_network_step(&(gpci_group){.self = network}, output);
}

/* One port in every direction beside an idle port; components 0 and 1 are the outputs. */
typedef struct bare {
    gpc_context *context;
    gpci_wheel wheel;
    gpci_pool pool;
    gpci_network *network;
} bare;

static void open_bare(bare *b, gpci_queues queues) {
    crossbar c = plain(2, 2, 32, 8);
    c.options.first_receiver = 2;
    c.options.first_sender = 4;
    c.options.input_capacity = 3;
    c.options.queues = queues;
    cr_assert_eq(gpc_context_create(NULL, &b->context, NULL), GPC_OK);
    gpci_pool_init(&b->pool, b->context);
    cr_assert_eq(gpci_pool_reserve(&b->pool, 8), GPC_OK);
    cr_assert_eq(gpci_wheel_create(b->context, 6, NULL, &b->wheel), GPC_OK);
    cr_assert_eq(gpci_network_create(b->context, &c.options, &b->pool, &b->wheel, NULL, &b->network), GPC_OK);
}

static void close_bare(bare *b) {
    gpci_network_destroy(b->network);
    gpci_network_destroy(NULL);
    gpci_wheel_destroy(&b->wheel);
    gpci_pool_destroy(&b->pool);
    gpc_context_destroy(b->context);
}

static uint32_t send(bare *b, uint32_t input, uint32_t output, uint32_t size) {
    uint32_t packet = gpci_pool_take(&b->pool);
    cr_assert(gpci_network_can_send(b->network, input));
    gpci_network_send(b->network, input, output, size, packet);
    return packet;
}

Test(network, not_one_cycle_early) {
    bare b;
    open_bare(&b, GPCI_QUEUES_FIFO);
    uint32_t packet = send(&b, 0, 1, 64);
    cr_expect_eq(gpci_wheel_next(&b.wheel), 1, "cycle 0 is over");
    gpci_wheel_run_cycle(&b.wheel, 1, step_output, b.network);
    cr_expect_eq(visible(b.network, &b.wheel, 1, 1 + 2 + 8 - 1), GPCI_NO_PACKET);
    cr_expect_eq(visible(b.network, &b.wheel, 1, 1 + 2 + 8), packet);
    cr_expect_eq(visible(b.network, &b.wheel, 0, 100), GPCI_NO_PACKET);
    cr_expect_eq(gpci_network_count(b.network), 1);
    cr_expect_eq(gpci_network_receive(b.network, 1), packet);
    cr_expect_eq(gpci_network_count(b.network), 0);
    close_bare(&b);
}

Test(network, room_is_that_of_all_queues_and_who_waits_is_known) {
    for (int queues = 0; queues < 2; queues++) {
        bare b;
        uint32_t packets = 9, output = 9;
        open_bare(&b, (gpci_queues)queues);
        cr_expect_not(gpci_network_waiting(b.network, 0, &packets, &output));
        cr_expect_eq(packets, 0);
        send(&b, 0, 1, 64);
        send(&b, 0, 0, 64);
        cr_expect(gpci_network_can_send(b.network, 0));
        send(&b, 0, 1, 64);
        cr_expect_not(gpci_network_can_send(b.network, 0));
        cr_expect(gpci_network_can_send(b.network, 1));
        cr_expect(gpci_network_waiting(b.network, 0, &packets, &output));
        cr_expect_eq(packets, 3);
        cr_expect_eq(output, queues ? 0 : 1, "all since cycle 0: the lowest of several queues");
        gpci_wheel_run_cycle(&b.wheel, 1, step_output, b.network);
        cr_expect(gpci_network_can_send(b.network, 0));
        cr_expect(gpci_network_waiting(b.network, 0, &packets, &output));
        cr_expect_eq(packets, 2);
        close_bare(&b);
    }
}

Test(network, one_output_serves_one_after_the_other) {
    crossbar c = plain(2, 1, 32, 4);
    item *items = ITEMS(PACKET(10, 0, 0, 128), PACKET(10, 1, 0, 64), PACKET(11, 0, 0, 32));
    crossbar_run(&c, items, 3);
    /* granted at 10, 14 and 16 */
    EXPECT_TAKEN(items, 10 + 4 + 4, 14 + 2 + 4, 16 + 1 + 4);
}

Test(network, one_input_serves_one_after_the_other) {
    for (int queues = 0; queues < 2; queues++) {
        crossbar c = plain(1, 3, 32, 4);
        c.options.queues = (gpci_queues)queues;
        item *items = ITEMS(PACKET(10, 0, 0, 96), PACKET(10, 0, 1, 64), PACKET(10, 0, 2, 32));
        crossbar_run(&c, items, 3);
        EXPECT_TAKEN(items, 10 + 3 + 4, 13 + 2 + 4, 15 + 1 + 4);
    }
}

Test(network, different_ports_do_not_meet) {
    crossbar c = plain(2, 2, 32, 4);
    item *items = ITEMS(PACKET(10, 0, 1, 96), PACKET(10, 1, 0, 96));
    crossbar_run(&c, items, 2);
    EXPECT_TAKEN(items, 17, 17);
}

Test(network, an_output_goes_round_its_inputs) {
    crossbar c = plain(3, 1, 32, 0);
    item *items = ITEMS(PACKET(1, 0, 0, 32), PACKET(1, 0, 0, 32), PACKET(1, 0, 0, 32), PACKET(1, 1, 0, 32),
                        PACKET(1, 2, 0, 32), PACKET(1, 2, 0, 32));
    crossbar_run(&c, items, 6);
    /* 0 1 2, 0 2, 0 */
    EXPECT_TAKEN(items, 2, 5, 7, 3, 4, 6);
}

Test(network, fairness_over_many_inputs) {
    enum { INPUTS = 130, EACH = 5 };
    crossbar c = plain(INPUTS, 1, 32, 0);
    static item items[INPUTS * EACH];
    for (uint32_t i = 0; i < INPUTS * EACH; i++)
        items[i] = (item){.cycle = 1, .input = i / EACH, .size = 32};
    crossbar_run(&c, items, INPUTS * EACH);
    for (uint32_t i = 0; i < INPUTS * EACH; i++)
        cr_assert_eq(items[i].taken, 2 + i % EACH * INPUTS + i / EACH);
}

Test(network, an_input_goes_round_its_outputs) {
    crossbar c = plain(1, 3, 32, 0);
    c.options.queues = GPCI_QUEUES_VIRTUAL;
    item *items = ITEMS(PACKET(1, 0, 2, 32), PACKET(1, 0, 2, 32), PACKET(1, 0, 1, 32), PACKET(1, 0, 1, 32),
                        PACKET(1, 0, 0, 32), PACKET(1, 0, 0, 32));
    crossbar_run(&c, items, 6);
    /* 0 1 2 0 1 2 */
    EXPECT_TAKEN(items, 4, 7, 3, 6, 2, 5);
}

Test(network, a_packet_behind_another_in_one_queue) {
    crossbar c = plain(2, 2, 32, 0);
    item *items = ITEMS(PACKET(1, 0, 0, 320), PACKET(2, 1, 0, 32), PACKET(2, 1, 1, 32));
    crossbar_run(&c, items, 3);
    /* Output 0 is busy until 11; the last, for idle output 1, is behind a packet waiting for output 0. */
    EXPECT_TAKEN(items, 11, 12, 13);
    c.options.queues = GPCI_QUEUES_VIRTUAL;
    crossbar_run(&c, items, 3);
    EXPECT_TAKEN(items, 11, 12, 3);
}

/* Outputs 1, 2 and 0: two packets in a cycle, and a packet for an earlier output in the next. */
Test(network, an_input_sends_to_several_outputs_in_a_burst) {
    crossbar c = plain(1, 3, 32, 0);
    item *items = ITEMS(PACKET(1, 0, 1, 32), PACKET(1, 0, 2, 32), PACKET(1, 0, 0, 32), PACKET(1, 0, 0, 32));
    crossbar_run(&c, items, 4);
    EXPECT_TAKEN(items, 2, 3, 4, 5);
    c.options.queues = GPCI_QUEUES_BURSTS;
    crossbar_run(&c, items, 4);
    EXPECT_TAKEN(items, 2, 2, 3, 4);
}

Test(network, a_full_output_holds_senders_back) {
    crossbar c = plain(1, 1, 32, 2);
    c.options.input_capacity = 1;
    c.options.output_capacity = 2;
    c.closed = 50;
    c.takes = 1;
    item *items =
        ITEMS(PACKET(1, 0, 0, 32), PACKET(1, 0, 0, 32), PACKET(1, 0, 0, 32), PACKET(1, 0, 0, 32), PACKET(1, 0, 0, 32));
    crossbar_run(&c, items, 5);
    /*
     * The first two fill the output, the third the input. From 50 on one is taken per cycle. The third crosses at 50
     * and can be taken at 53; the fourth enters at 51, after the network's turn of 50, and crosses at once, as the
     * second was taken at 51. The fifth enters at 52, waits for the third's room and crosses at 53.
     */
    EXPECT_TAKEN(items, 50, 51, 53, 54, 56);
    const uint64_t sent[] = {1, 2, 3, 51, 52};
    for (int i = 0; i < 5; i++)
        cr_expect_eq(items[i].sent, sent[i], "packet %d: sent at %llu", i, (unsigned long long)items[i].sent);
}

Test(network, buffers_of_no_length_are_latches) {
    crossbar c = plain(2, 1, 8, 0);
    c.options.input_capacity = c.options.output_capacity = 0;
    item *items = ITEMS(PACKET(1, 0, 0, 16), PACKET(1, 0, 0, 16), PACKET(1, 1, 0, 16), PACKET(1, 1, 0, 16));
    crossbar_run(&c, items, 4);
    /* The buffer's only packet is taken in the cycle when the link becomes free. */
    EXPECT_TAKEN(items, 3, 7, 5, 9);
}

Test(network, counts_by_hand) {
    crossbar c = plain(2, 1, 32, 4);
    item *items = ITEMS(PACKET(10, 0, 0, 128), PACKET(10, 1, 0, 64), PACKET(11, 0, 0, 32));
    gpci_network_stats stats = crossbar_run(&c, items, 3);
    cr_expect_eq(stats.packets, 3);
    cr_expect_eq(stats.bytes, 128 + 64 + 32);
    cr_expect_eq(stats.cycles, (18 - 10) + (20 - 10) + (21 - 11));
    /* granted at 10, 14 and 16; afterwards in the output's buffer */
    cr_expect_eq(stats.input_cycles, 0 + 4 + 5);
    cr_expect_eq(stats.output_cycles, 8 + 6 + 5);
}

Test(network, counts_begin_anew) {
    bare b;
    open_bare(&b, GPCI_QUEUES_FIFO);
    send(&b, 0, 1, 64);
    send(&b, 0, 1, 64);
    gpci_wheel_run_cycle(&b.wheel, 1, step_output, b.network);
    cr_expect_eq(gpci_network_get_stats(b.network).input_cycles, 2, "two in cycle 0");
    gpci_network_reset_stats(b.network);
    cr_expect_eq(gpci_network_get_stats(b.network).input_cycles, 0);
    gpci_wheel_run_cycle(&b.wheel, 2, step_output, b.network);
    cr_expect_eq(gpci_network_get_stats(b.network).input_cycles, 1, "the second in cycle 1");
    cr_expect_eq(gpci_network_get_stats(b.network).output_cycles, 1, "the first in cycle 1");
    close_bare(&b);
}

/* Every input to every output, many times: no loss, in order, with all links busy at once. */
Test(network, a_saturated_crossbar_keeps_order_and_its_links_busy) {
    enum { PORTS = 70, EACH = 70 };
    static item items[PORTS * EACH];
    crossbar c = plain(PORTS, PORTS, 32, 3);
    c.options.input_capacity = 8;
    c.options.output_capacity = 4;
    for (uint32_t i = 0; i < PORTS * EACH; i++)
        items[i] = (item){.cycle = 1, .input = i % PORTS, .output = (i + i / PORTS) % PORTS, .size = 128};
    for (int queues = 0; queues < 2; queues++) {
        uint64_t last = 0, order[PORTS][PORTS] = {{0}};
        c.options.queues = (gpci_queues)queues;
        gpci_network_stats stats = crossbar_run(&c, items, PORTS * EACH);
        cr_expect_eq(stats.packets, PORTS * EACH);
        for (uint32_t i = 0; i < PORTS * EACH; i++) {
            uint64_t *before = &order[items[i].input][items[i].output];
            cr_assert_gt(items[i].taken, *before);
            *before = items[i].taken;
            last = items[i].taken > last ? items[i].taken : last;
        }
        cr_expect_geq(last, 1 + EACH * 4 + 3, "faster than the links");
        if (!queues) /* the script is a Latin square: no two conflict */
            cr_expect_eq(last, 1 + EACH * 4 + 3, "%llu", (unsigned long long)last);
    }
}

/* A host that runs out of memory at the n-th request. */
static void *allocate(void *user_data, size_t bytes) {
    int *left = user_data;
    return (*left)-- > 0 ? malloc(bytes) : NULL;
}

static void *resize(void *user_data, void *memory, size_t bytes) {
    int *left = user_data;
    return (*left)-- > 0 ? realloc(memory, bytes) : NULL;
}

static void give_back(void *user_data, void *memory) {
    (void)user_data;
    free(memory);
}

Test(network, out_of_memory) {
    int left = 1000;
    gpc_context *context;
    gpc_context_options hooks = GPC_CONTEXT_OPTIONS_INIT;
    hooks.allocate = allocate;
    hooks.resize = resize;
    hooks.release = give_back;
    hooks.allocator_data = &left;
    cr_assert_eq(gpc_context_create(&hooks, &context, NULL), GPC_OK);
    gpci_wheel wheel = {0};
    gpci_pool pool;
    gpci_pool_init(&pool, context);
    crossbar c = plain(2, 2, 32, 8);
    c.options.queues = GPCI_QUEUES_VIRTUAL;
    gpci_network *network;
    gpc_error error;
    int failures = 0;
    for (gpc_status status = GPC_ERROR_MEMORY; status != GPC_OK && failures < 100; failures += status != GPC_OK) {
        left = failures;
        status = gpci_network_create(context, &c.options, &pool, &wheel, &error, &network);
        cr_assert(status == GPC_OK ? network != NULL : status == GPC_ERROR_MEMORY && network == NULL);
    }
    cr_expect_geq(failures, 2);
    cr_expect_lt(failures, 100);
    gpci_network_destroy(network);
    gpc_context_destroy(context);
}
