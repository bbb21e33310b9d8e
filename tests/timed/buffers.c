/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "timed/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>

/*
 * Back-pressure. The host's memory accepts nothing: all buffers fill up, until the SM is refused. The work under way is
 * then the sum of all buffers, so one more entry in a buffer is one more access. Then memory accepts everything, and
 * all accesses complete.
 */

static rig r;

/* Accepted accesses until `quiet` cycles without another. */
static uint64_t fill_up(const char *settings, uint8_t kind) {
    const uint64_t quiet = 300;
    rig_open(&r, settings, 100);
    r.memory.refuse = true;
    for (uint64_t idle = 0; idle < quiet; idle++) {
        if (rig_try(&r, LINE(kind, r.issued * 128), NULL) == GPC_OK)
            idle = 0;
        rig_step(&r);
    }
    uint64_t accepted = r.issued;
    cr_expect_eq(r.memory.read_bytes + r.memory.write_bytes, 0);
    rig_release(&r);
    rig_close(&r);
    return accepted;
}

static const char small[] = "l1.queue = 1\nl1.miss_queue = 1\nnetwork.input_buffer = 1\nnetwork.output_buffer = 1\n"
                            "l2.queue = 1\nl2.miss_queue = 1\nl2.reply_queue = 1\nmemory.link_buffer = 1\n"
                            "l2.link_buffer = 1\nl2.enabled = true\n";

static uint64_t with(const char *more, const char *key, unsigned n, uint8_t kind) {
    char text[512];
    snprintf(text, sizeof text, "%s%s%s = %u\n", small, more, key, n);
    return fill_up(text, kind);
}

/* n entries of a buffer and n + 1: one access. A buffer of length 0 still has the latch of the stage. */
static void one_each(const char *more, const char *key, uint8_t kind) {
    uint64_t one = with(more, key, 1, kind);
    cr_expect_eq(with(more, key, 2, kind), one + 1, "%s", key);
    cr_expect_eq(with(more, key, 3, kind), one + 2, "%s", key);
    cr_expect_eq(with(more, key, 10, kind), one + 9, "%s", key);
    cr_expect_eq(with(more, key, 0, kind), one, "%s", key);
}

Test(timed_buffers, loads) {
    one_each("", "l1.miss_queue", GPC_LOAD);
    one_each("", "network.input_buffer", GPC_LOAD);
    one_each("", "network.output_buffer", GPC_LOAD);
    one_each("", "l2.queue", GPC_LOAD);
    one_each("", "l2.miss_queue", GPC_LOAD);
    one_each("", "l1.queue", GPC_LOAD);
}

/*
 * In bytes: a packet of a plain cache waits for room for the largest, of 136 bytes, so 8 bytes more allow one more read
 * of 8 bytes; a buffer smaller than a packet is refused.
 */
Test(timed_buffers, bytes) {
    static const char *const keys[] = {"network.input_buffer", "network.output_buffer"};
    char more[300];
    for (unsigned i = 0; i < 2; i++) {
        snprintf(more, sizeof more, "network.buffer_unit = bytes\nmemory.link_buffer = 136\n%s = 136\n", keys[!i]);
        const uint64_t least = with(more, keys[i], 136, GPC_LOAD);
        for (uint32_t reads = 1; reads <= 3; reads++) {
            const unsigned exact = 136 + 8 * reads;
            cr_expect_eq(with(more, keys[i], exact, GPC_LOAD), least + reads, "%s: %u", keys[i], exact);
            cr_expect_eq(with(more, keys[i], exact - 1, GPC_LOAD), least + reads - 1, "%s: %u", keys[i], exact - 1);
        }
    }
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_eq(rig_refused("network.buffer_unit = bytes\nnetwork.output_buffer = 135\n", &error), GPC_ERROR_RANGE);
    cr_expect_str_eq(error.message, "network.output_buffer = 135, with network.buffer_unit = bytes, does not hold a "
                                    "packet of 136 bytes");
}

/* Around L1, and for accesses that bypass L1. */
Test(timed_buffers, round_l1) {
    static const uint8_t kinds[] = {GPC_LOAD, GPC_STORE, GPC_ATOMIC, GPC_REDUCTION, GPC_PREFETCH};
    static const char passing[] = "l1.enabled = false\nl2.write_policy = through\nl2.write_allocate = none\n";
    for (unsigned i = 0; i < sizeof kinds; i++) {
        one_each(passing, "l1.miss_queue", kinds[i]);
        one_each(passing, "l2.queue", kinds[i]);
    }
    one_each("", "l1.miss_queue", GPC_ATOMIC);
    one_each("", "l1.miss_queue", GPC_PREFETCH);
    one_each("l2.enabled = false\n", "l2.miss_queue", GPC_LOAD);
}

/* A link to memory has a buffer at either end. */
Test(timed_buffers, memory_link) {
    uint64_t none = with("", "l1.queue", 1, GPC_LOAD);
    uint64_t one = with("memory.link_width = 256B\n", "memory.link_buffer", 1, GPC_LOAD);
    cr_expect_gt(one, none);
    cr_expect_eq(with("memory.link_width = 256B\n", "memory.link_buffer", 4, GPC_LOAD), one + 2 * 3);
}

/* Stores that pass every level take the same places. */
Test(timed_buffers, stores) {
    static const char passing[] = "l2.write_policy = through\nl2.write_allocate = none\n";
    one_each(passing, "l1.miss_queue", GPC_STORE);
    one_each(passing, "network.input_buffer", GPC_STORE);
    one_each(passing, "network.output_buffer", GPC_STORE);
    one_each(passing, "l2.queue", GPC_STORE);
    one_each(passing, "l2.miss_queue", GPC_STORE);
}

/* Entries that limit misses in flight, before any buffer does. */
Test(timed_buffers, entries) {
    static const char deep[] = "l1.queue = 1\n";
    char text[96];
    for (unsigned n = 1; n <= 9; n += 4) {
        snprintf(text, sizeof text, "%sl1.mshr_entries = %u\n", deep, n);
        cr_expect_eq(fill_up(text, GPC_LOAD), n + 1, "and one that waits at the tags");
        snprintf(text, sizeof text, "%sl2.mshr_entries = %u\nl2.queue = 1\nl1.miss_queue = 1\n", deep, n);
        cr_expect_gt(fill_up(text, GPC_LOAD), n + 1);
    }
}

/* While a packet cannot enter the slice, the network's output is congested, in every cycle. */
Test(timed_buffers, congestion) {
    char text[256];
    snprintf(text, sizeof text, "%snetwork.output_buffer = 4\n", small);
    rig_open(&r, text, 100);
    r.memory.refuse = true;
    for (unsigned i = 0; i < 400; i++) {
        rig_try(&r, LINE(GPC_LOAD, r.issued * 128), NULL);
        rig_step(&r);
    }
    measured_stats before = rig_stats(&r);
    rig_steps(&r, 1000);
    measured_stats after = rig_stats(&r);
    cr_expect_eq(after.l2_congested_cycles - before.l2_congested_cycles, 1000);
    cr_expect_eq(after.l2_cycles - before.l2_cycles, 1000);
    cr_expect_eq(after.l1_network_stalls - before.l1_network_stalls, 1000);
    cr_expect_eq(after.network_output_cycles - before.network_output_cycles, 4 * 1000);
    cr_expect_eq(after.network_input_cycles - before.network_input_cycles, 1000);
    cr_expect_eq(after.l1_miss_queue_cycles - before.l1_miss_queue_cycles, 1000);
    cr_expect_eq(after.l2_miss_queue_cycles - before.l2_miss_queue_cycles, 1000);
    cr_expect_eq(after.l2_queue_cycles - before.l2_queue_cycles, 1000);
    cr_expect_eq(after.l1_queue_cycles - before.l1_queue_cycles, 1000);
    rig_release(&r);
    rig_close(&r);
}

/*
 * Hits of L2 with a slow reply network: n of them are in the queue, and one per cycle of latency on the way there; then
 * the slice stops looking up.
 */
Test(timed_buffers, reply_queue) {
    for (unsigned n = 1; n <= 4; n++) {
        char text[512];
        snprintf(text, sizeof text, "%sl2.latency = 1\nl2.reply_queue = %u\nnetwork.reply_width = 1B\n", small, n);
        rig_open(&r, text, 10);
        rig_spread(&r, LINE(GPC_LOAD, 0, .hint = GPC_HINT_CG), 30, 128);
        for (uint64_t i = 0; i < 20; i++) /* a few of them wait in the network */
            rig_push(&r, LINE(GPC_LOAD, i * 128, .hint = GPC_HINT_CG));
        uint64_t before = rig_stats(&r).l2_reply_queue_cycles;
        rig_steps(&r, 1000);
        uint64_t in_queue = rig_stats(&r).l2_reply_queue_cycles - before;
        /* a packet leaves every 136 cycles or more, and the next takes the place a little later */
        cr_expect(in_queue <= (n + 1) * 1000 && in_queue >= (n + 1) * 1000 - 300, "%u: %u", n, (unsigned)in_queue);
        rig_close(&r);
    }
}

/* A narrow way back: replies fill the reply queue, without loss or deadlock behind. */
Test(timed_buffers, replies) {
    for (unsigned n = 0; n <= 3; n++) {
        char text[512];
        snprintf(text, sizeof text, "%snetwork.output_buffer = 4\nl2.reply_queue = %u\nnetwork.reply_width = 1B\n",
                 small, n);
        rig_open(&r, text, 10);
        for (unsigned i = 0; i < 40; i++)
            rig_push(&r, LINE(GPC_LOAD, i * 128));
        rig_finish(&r);
        uint64_t first = r.done[0].cycle, last = r.done[39].cycle;
        cr_expect_eq(last - first, 39 * 136, "a byte a cycle, without a gap");
        rig_close(&r);
    }
}
