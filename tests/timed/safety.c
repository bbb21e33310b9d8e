/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "timed/drive.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Hierarchies with a scarce resource, under streams that need exactly that. */

static rig r;

static const char one_of_everything[] =
    "l1.size = 128\nl1.ways = 1\nl1.queue = 1\nl1.mshr_entries = 1\nl1.mshr_merges = 1\nl1.miss_queue = 1\n"
    "network.input_buffer = 1\nnetwork.output_buffer = 1\nl2.size = 128\nl2.ways = 1\nl2.queue = 1\n"
    "l2.mshr_entries = 1\nl2.mshr_merges = 1\nl2.miss_queue = 1\nl2.reply_queue = 1\nl2.link_buffer = 1\n"
    "memory.link_buffer = 1\nl1.latency = 1\nl2.latency = 1\nnetwork.width = 1\nnetwork.reply_width = 1\n"
    "l1.data_width = 1\nl1.fill_width = 1\nl2.data_width = 1\nl2.fill_width = 1\n";

static const char zero_buffers[] =
    "l1.miss_queue = 0\nnetwork.input_buffer = 0\nnetwork.output_buffer = 0\nl2.queue = 0\nl2.miss_queue = 0\n"
    "l2.reply_queue = 0\nl2.link_buffer = 0\nmemory.link_buffer = 0\nnetwork.latency = 0\nl2.link_latency = 0\n";

/* The same stream for every memory. */
static void survives(const char *settings, uint32_t sms, uint32_t loads, uint32_t stores) {
    stream s = {.seed = 7, .sms = sms, .accesses = 60, .bytes = 16384, .loads = loads, .stores = stores};
    for (unsigned kind = 0; kind < 4; kind++) {
        if (kind == 3) {
            rig_open_dram(&r, settings);
        } else {
            rig_open(&r, settings, kind == 0 ? 1 : 150);
            r.memory.room = kind == 2 ? 1 : 0;
            r.memory.order = kind == 1 ? RIG_BACKWARDS : RIG_IN_ORDER;
        }
        drive(&r, &s, HOST_SKIPS);
        cr_expect_eq(r.completed, sms * 60u, "%s", settings);
        rig_close(&r);
    }
}

static void survives_all(const char *base, const char *more, uint32_t sms) {
    char text[2048];
    snprintf(text, sizeof text, "%s%ssm.count = %u\n", base, more, sms);
    survives(text, sms, 16, 0);
    survives(text, sms, 0, 16);
    survives(text, sms, 8, 5);
    survives(text, sms, 0, 0); /* only atomics, reductions and prefetches */
}

Test(timed_safety, one_of_everything) {
    survives_all(one_of_everything, "", 1);
    survives_all(one_of_everything, "", 3);
    survives_all(one_of_everything, "l1.write_policy = back\nl1.write_allocate = fetch\n", 3);
    survives_all(one_of_everything, "l1.write_policy = back\nl1.write_allocate = lazy\nl1.allocate = on-fill\n", 2);
    survives_all(one_of_everything, "l2.write_allocate = lazy\nl1.allocate = streaming\n", 2);
    survives_all(one_of_everything, "l2.inclusion = inclusive\n", 3);
    survives_all(one_of_everything, "l1.enabled = false\n", 2);
    survives_all(one_of_everything, "l2.enabled = false\n", 2);
}

Test(timed_safety, one_of_everything_in_two_partitions) {
    survives_all(one_of_everything, "l2.size = 256\nl2.slices = 2\nl2.partitions = 2\n", 4);
    survives_all(one_of_everything,
                 "l2.size = 256\nl2.slices = 2\nl2.partitions = 2\nl2.link_width = 1\nmemory.link_width = 1\n"
                 "l2.link_latency = 30\n",
                 4);
    survives_all(one_of_everything,
                 "l2.size = 256\nl2.slices = 2\nl2.partitions = 2\nl2.inclusion = inclusive\n"
                 "l2.write_policy = through\n",
                 4);
}

Test(timed_safety, buffers_of_no_length) {
    survives_all(zero_buffers, "", 4);
    survives_all(zero_buffers, "l2.slices = 2\nl2.partitions = 2\nmemory.link_width = 32\n", 4);
    survives_all(zero_buffers, "l1.size = 1KiB\nl1.ways = 1\nl2.size = 4KiB\nl2.ways = 1\n", 2);
}

Test(timed_safety, slices_that_are_no_power_of_two) {
    static const unsigned slices[] = {3, 5, 7, 12};
    for (unsigned i = 0; i < 4; i++)
        for (unsigned channels = 1; channels <= 7; channels += 3) {
            char text[160];
            snprintf(text, sizeof text,
                     "l2.size = %u\nl2.slices = %u\nl2.ways = 2\ndram.channels = %u\nl1.size = 1KiB\n",
                     slices[i] * 1024, slices[i], channels);
            survives_all(zero_buffers, text, 2);
        }
}

/* All lines dirty at every level: every load must first write back one, through full buffers. */
Test(timed_safety, all_lines_dirty) {
    static const char text[] = "l1.size = 1KiB\nl1.ways = 2\nl1.write_policy = back\nl1.write_allocate = fetch\n"
                               "l2.size = 4KiB\nl2.ways = 2\nl1.miss_queue = 1\nl2.miss_queue = 1\nl1.queue = 1\n"
                               "network.input_buffer = 1\nnetwork.output_buffer = 1\nl2.queue = 1\n"
                               "l2.reply_queue = 1\n";
    rig_open(&r, text, 100);
    for (uint64_t line = 0; line < 64; line++)
        rig_push(&r, LINE(GPC_STORE, line * 128));
    rig_finish(&r);
    for (uint64_t line = 64; line < 192; line++)
        rig_push(&r, LINE(GPC_LOAD, line * 128));
    rig_finish(&r);
    cr_expect_eq(r.memory.write_bytes, 64 * 128, "every dirty line has been replaced, at both levels");
    cr_expect_eq(r.memory.read_bytes, 128 * 128);
    rig_close(&r);
}

/* More stores than fit in all buffers, to memory that takes one transfer in fifty cycles. */
Test(timed_safety, write_storm) {
    static const char *const policies[] = {"l2.write_policy = back\nl2.size = 2KiB\nl2.ways = 1\n",
                                           "l2.write_policy = through\n", "l2.enabled = false\n"};
    for (unsigned i = 0; i < 3; i++) {
        rig_open(&r, policies[i], 1);
        r.memory.refuse = true;
        uint64_t taken = 0;
        for (uint64_t cycle = 0; r.issued < 300 || gpc_hierarchy_in_flight(r.hierarchy); cycle++) {
            cr_assert_lt(cycle, 500000, "%s", policies[i]);
            if (r.issued < 300)
                rig_try(&r, LINE(GPC_STORE, r.issued * 128), NULL);
            if (cycle % 50 == 0) {
                rig_release(&r);
                rig_step(&r);
                r.memory.refuse = true;
            }
            rig_step(&r);
            cr_assert_geq(r.memory.writes, taken);
            taken = r.memory.writes;
        }
        rig_release(&r);
        rig_finish(&r);
        /* lines still held by a writing-back L2 are not written */
        cr_expect_eq(r.memory.write_bytes, (i == 0 ? 300 - 16 : 300) * 128, "%s", policies[i]);
        rig_close(&r);
    }
}

/* A load that merges during the fill, in every cycle of a round trip. */
Test(timed_safety, merges_at_any_time) {
    static const char *const settings[] = {
        "l1.mshr_merges = 2\nl1.fill_width = 8B\n", "l1.mshr_merges = 2\nl1.allocate = on-fill\nl1.fill_width = 8B\n",
        "l1.mshr_merges = 2\nl1.allocate = streaming\n", "l1.mshr_merges = 1\n", "l1.ways = 1\nl1.size = 128\n"};
    for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++)
        for (unsigned after = 0; after < 130; after++) {
            rig_open(&r, settings[i], 20);
            rig_issue(&r, LINE(GPC_LOAD, 0));
            rig_steps(&r, after);
            rig_push(&r, LINE(GPC_LOAD, 0));
            rig_push(&r, WORD(GPC_LOAD, 64));
            rig_push(&r, LINE(GPC_STORE, 0));
            rig_push(&r, LINE(GPC_LOAD, 0));
            rig_finish(&r);
            cr_expect_geq(r.done[1].cycle, r.done[0].cycle, "not before the data are there");
            rig_close(&r);
        }
}

/* advance(n) is advance(1) n times. */
Test(timed_safety, steps_of_any_length) {
    static rig other;
    for (uint64_t seed = 0; seed < 60; seed++) {
        uint64_t state = seed;
        machine m;
        draw_machine(&state, true, &m);
        stream s = {.seed = seed, .sms = m.sms, .accesses = 100, .bytes = 8192, .loads = 8, .stores = 4};
        rig_open_dram(&r, m.text);
        rig_open_dram(&other, m.text);
        uint32_t at[8] = {0};
        for (unsigned round = 0; round < 40; round++) {
            for (uint32_t sm = 0; sm < m.sms; sm++) {
                gpc_busy a, b;
                gpc_status status = rig_try(&r, stream_shot(&s, sm, at[sm]), &a);
                cr_assert_eq(rig_try(&other, stream_shot(&s, sm, at[sm]), &b), status, "seed %u", (unsigned)seed);
                cr_assert_eq(a, b, "seed %u: another reason", (unsigned)seed);
                at[sm] += status == GPC_OK;
            }
            uint32_t cycles = rig_below(&state, 4) ? 1 + rig_below(&state, 9) : 1 + rig_below(&state, 3000);
            for (uint32_t i = 0; i < cycles; i++)
                cr_assert_eq(gpc_hierarchy_advance(r.hierarchy, 1, NULL), GPC_OK);
            cr_assert_eq(gpc_hierarchy_advance(other.hierarchy, cycles, NULL), GPC_OK);
            cr_assert_eq(r.trail, other.trail, "seed %u: %s", (unsigned)seed, m.text);
        }
        measured_stats a = rig_stats(&r), b = rig_stats(&other);
        cr_expect_eq(memcmp(&a, &b, sizeof a), 0, "seed %u: %s", (unsigned)seed, m.text);
        rig_close(&r);
        rig_close(&other);
    }
}

/* A stretch without work is free, and moves the clock. */
Test(timed_safety, long_idle_stretches) {
    rig_open_dram(&r, NULL);
    rig_latency(&r, LINE(GPC_LOAD, 0));
    uint64_t now = rig_now(&r);
    cr_expect_eq(gpc_hierarchy_next_event(r.hierarchy), UINT64_MAX);
    cr_assert_eq(gpc_hierarchy_advance(r.hierarchy, (uint64_t)1 << 40, NULL), GPC_OK);
    cr_expect_eq(rig_now(&r), now + ((uint64_t)1 << 40));
    cr_expect_eq(rig_latency(&r, LINE(GPC_LOAD, 0)), r.done[1].cycle - r.done[1].issued);
    cr_expect_eq(r.done[1].level, 1);
    rig_latency(&r, LINE(GPC_LOAD, 1 << 20));
    cr_expect_eq(r.done[2].level, 3);
    rig_close(&r);
}

/* drain alone finishes everything, including write-backs. */
Test(timed_safety, drain) {
    for (uint64_t seed = 0; seed < 100; seed++) {
        uint64_t state = seed;
        machine m;
        gpc_error error = GPC_ERROR_INIT;
        draw_machine(&state, true, &m);
        stream s = {.seed = seed, .sms = m.sms, .accesses = 40, .bytes = 8192, .loads = 6, .stores = 8};
        rig_open_dram(&r, m.text);
        for (uint32_t n = 0; n < 40; n++)
            for (uint32_t sm = 0; sm < m.sms; sm++)
                rig_try(&r, stream_shot(&s, sm, n), NULL);
        cr_expect_eq(gpc_hierarchy_in_flight(r.hierarchy), r.issued - r.completed);
        cr_assert_eq(gpc_hierarchy_drain(r.hierarchy, &error), GPC_OK, "%s: %s", m.text, error.message);
        cr_expect_eq(gpc_hierarchy_in_flight(r.hierarchy), 0);
        cr_expect_eq(r.completed, r.issued);
        measured_stats before = rig_stats(&r);
        cr_assert_eq(gpc_hierarchy_advance(r.hierarchy, 100000, NULL), GPC_OK);
        measured_stats later = rig_stats(&r);
        cr_expect_eq(later.dram_writes, before.dram_writes, "a write was left: %s", m.text);
        cr_expect_eq(later.dram_queue_cycles, before.dram_queue_cycles);
        rig_close(&r);
    }
}

/* A host's memory that never answers: drain reports it after deadlock.cycles, and names the waiters. */
Test(timed_safety, deadlock_is_reported) {
    gpc_error error = GPC_ERROR_INIT;
    rig_open(&r, "deadlock.cycles = 5000\n", UINT64_MAX / 2);
    rig_issue(&r, LINE(GPC_LOAD, 0));
    cr_expect_eq(gpc_hierarchy_drain(r.hierarchy, &error), GPC_ERROR_STATE);
    cr_expect_gt(strlen(error.message), 20);
    cr_expect_eq(gpc_hierarchy_in_flight(r.hierarchy), 1);
    /* no deadlock: the answer arrives, and all is well */
    cr_assert_eq(r.memory.count, 1);
    r.memory.reads[0].due = rig_now(&r);
    rig_close(&r);
}
