/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/experimental/experimental.h>

#include "measured.h"
#include "timed/events.h"
#include "timed/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Constant caches: loads of constant space, beside L1. */

#define MEMORY 200u
#define CACHE "const.size = 1KiB\nconst.ways = 4\nconst.line = 64B\nconst.latency = 8\nconst.mshr_entries = 4\n"
#define HIT (8 + 1) /* an instruction reaches the tags in the cycle after the issue */
#define CONSTANT(address) WORD(GPC_LOAD, address, .space = GPC_SPACE_CONSTANT)
/* Words 64 bytes apart. */
#define CONSTANTS(address, lanes) WORDS(GPC_LOAD, address, lanes, 64, .space = GPC_SPACE_CONSTANT)

static void finish(rig *r, shot s) {
    rig_issue(r, s);
    rig_finish(r);
}

/* Without a constant cache loads are done at once, without memory. */
Test(constants, none) {
    rig r;
    rig_open(&r, "", MEMORY);
    finish(&r, CONSTANT(0));
    const measured_stats s = rig_stats(&r);
    cr_expect_eq(r.done[0].cycle, r.done[0].issued);
    cr_expect_eq(s.const_requests + s.const_lines + s.l2_read_sectors, 0);
    rig_close(&r);
}

/* A miss is a read of L2, past L1; then the line is present, and served after const.latency. */
Test(constants, a_line_is_read_once) {
    rig r;
    rig_open(&r, CACHE, MEMORY);
    const uint64_t miss = rig_latency(&r, CONSTANT(256));
    cr_expect_eq(rig_latency(&r, CONSTANT(256 + 60)), HIT);
    cr_expect_eq(rig_latency(&r, CONSTANT(256)), HIT);
    cr_expect_gt(miss, MEMORY);
    measured_stats s = rig_stats(&r);
    cr_expect_eq(s.const_requests, 3);
    cr_expect_eq(s.const_lines, 3);
    cr_expect_eq(s.const_line_hits, 2);
    cr_expect_eq(s.const_line_merges, 0);
    cr_expect_eq(s.l2_constant_read_sectors, 2);
    cr_expect_eq(s.l2_constant_read_sector_hits, 0);
    cr_expect_eq(s.l2_read_sectors, 2);
    cr_expect_eq(s.l1_load_requests + s.l1_lookups, 0);
    cr_expect_eq(r.memory.read_bytes, 64);
    /* the other half of L2's line is a separate line here */
    finish(&r, CONSTANT(256 + 64));
    s = rig_stats(&r);
    cr_expect_eq(s.l2_constant_read_sectors, 4);
    cr_expect_eq(s.const_line_hits, 2);
    rig_close(&r);
}

/* Lines in L2 arrive sooner; lines in the constant cache are not in L1, and vice versa. */
Test(constants, beside_l1) {
    rig r;
    rig_open(&r, CACHE, MEMORY);
    finish(&r, LINE(GPC_LOAD, 0));
    const uint64_t from_l2 = rig_latency(&r, CONSTANT(0));
    cr_expect(from_l2 > HIT && from_l2 < MEMORY, "%u", (unsigned)from_l2);
    cr_expect_eq(rig_latency(&r, CONSTANT(0)), HIT);
    cr_expect_eq(rig_stats(&r).l2_constant_read_sector_hits, 2);
    cr_expect_eq(r.memory.read_bytes, 128);
    finish(&r, CONSTANT(4096));
    cr_expect_gt(rig_latency(&r, LINE(GPC_LOAD, 4096)), MEMORY, "two of its sectors are not in L2");
    rig_close(&r);
}

/* Lanes of one address are one line; every further line takes a cycle more. */
Test(constants, a_line_a_cycle) {
    rig r;
    rig_open(&r, CACHE, MEMORY);
    finish(&r, CONSTANTS(0, 8));
    cr_expect_eq(rig_stats(&r).const_lines, 8);
    cr_expect_eq(rig_latency(&r, WORDS(GPC_LOAD, 0, 32, 0, .space = GPC_SPACE_CONSTANT)), HIT);
    cr_expect_eq(rig_latency(&r, CONSTANTS(0, 8)), HIT + 7);
    cr_expect_eq(rig_stats(&r).const_lines, 8 + 1 + 8);
    rig_close(&r);
}

/* A hit is not held up by an earlier L1 hit with a longer latency. */
Test(constants, its_own_data_port) {
    rig r;
    rig_open(&r, "l1.latency = 50\n" CACHE, MEMORY);
    finish(&r, CONSTANT(0));
    finish(&r, LINE(GPC_LOAD, 8192));
    rig_issue(&r, LINE(GPC_LOAD, 8192));
    const uint64_t constant = rig_issue(&r, CONSTANT(0));
    rig_finish(&r);
    cr_expect_eq(r.done[constant].cycle - r.done[constant].issued, HIT);
    cr_expect_eq(r.done[constant - 1].cycle - r.done[constant - 1].issued, 51);
    rig_close(&r);
}

/* Loads of a line in flight wait for the line; other loads, without a free entry, until an arrival frees an entry. */
Test(constants, entries_and_merges) {
    rig r;
    rig_open(&r, CACHE "const.mshr_entries = 1\n", MEMORY);
    const uint64_t alone = rig_latency(&r, CONSTANT(1 << 20));
    for (int i = 0; i < 3; i++)
        rig_issue(&r, CONSTANT(0));
    rig_finish(&r);
    measured_stats s = rig_stats(&r);
    cr_expect_eq(s.const_line_merges, 2);
    cr_expect_eq(s.const_stalls, 0);
    const uint64_t first = rig_issue(&r, CONSTANT(2048)), second = rig_issue(&r, CONSTANT(3072));
    rig_finish(&r);
    s = rig_stats(&r);
    cr_expect_eq(r.done[first].cycle - r.done[first].issued, alone);
    cr_expect_geq(r.done[second].cycle - r.done[second].issued, 2 * alone - 4);
    cr_expect(s.const_stalls > alone - 4 && s.const_stalls < alone + 4, "%u", (unsigned)s.const_stalls);
    rig_close(&r);
    rig_open(&r, CACHE "const.mshr_merges = 2\n", MEMORY);
    for (int i = 0; i < 3; i++)
        rig_issue(&r, CONSTANT(0));
    rig_finish(&r);
    cr_expect_gt(rig_stats(&r).const_stalls, 100);
    cr_expect_eq(rig_stats(&r).const_line_hits, 0, "it was looked up when the line was on its way");
    cr_expect_eq(r.memory.read_bytes, 64);
    rig_close(&r);
}

/* Misses wait for room in the SM's miss queue, and so before the tags. */
Test(constants, miss_queue) {
    rig r;
    rig_open(&r,
             CACHE "const.miss_queue = 1\nconst.mshr_entries = 16\nl1.miss_queue = 1\nnetwork.width = "
                   "1B\nnetwork.input_buffer = 1\n",
             MEMORY);
    finish(&r, CONSTANTS(0, 16));
    const measured_stats s = rig_stats(&r);
    cr_expect_gt(s.const_stalls, 50);
    cr_expect_eq(s.l2_constant_read_sectors, 32);
    rig_close(&r);
}

/* Loads wait with the SM's other instructions: the memory pipeline refuses when full. */
Test(constants, the_pipeline_is_the_sms) {
    rig r;
    gpc_busy busy;
    rig_open(&r, CACHE "l1.queue = 2\n", MEMORY);
    rig_issue(&r, CONSTANTS(0, 16));
    rig_issue(&r, CONSTANTS(0, 16));
    cr_expect_eq(rig_try(&r, CONSTANT(0), &busy), GPC_BUSY);
    cr_expect_eq(rig_try(&r, LINE(GPC_LOAD, 0), &busy), GPC_BUSY);
    rig_finish(&r);
    cr_expect_gt(r.ready, 0);
    rig_close(&r);
}

/* Sets and ways: five lines of one set of four ways, in turn. And a kernel's begin empties the cache like L1s. */
Test(constants, capacity) {
    rig r;
    rig_open(&r, CACHE, MEMORY);
    for (int round = 0; round < 3; round++)
        for (uint64_t line = 0; line < 5; line++)
            finish(&r, CONSTANT(256 * line));
    cr_expect_eq(rig_stats(&r).const_line_hits, 0);
    finish(&r, CONSTANT(256 * 4));
    cr_expect_eq(rig_stats(&r).const_line_hits, 1);
    cr_assert_eq(gpc_hierarchy_begin_kernel(r.hierarchy, NULL, NULL), GPC_OK);
    finish(&r, CONSTANT(256 * 4));
    cr_expect_eq(rig_stats(&r).const_line_hits, 2, "kernels.flush = none");
    cr_assert_eq(gpc_hierarchy_flush(r.hierarchy, NULL), GPC_OK);
    finish(&r, CONSTANT(256 * 4));
    cr_expect_eq(rig_stats(&r).const_line_hits, 2);
    rig_close(&r);
    rig_open(&r, CACHE "kernels.flush = l1\n", MEMORY);
    finish(&r, CONSTANT(0));
    cr_assert_eq(gpc_hierarchy_begin_kernel(r.hierarchy, NULL, NULL), GPC_OK);
    finish(&r, CONSTANT(0));
    cr_expect_eq(rig_stats(&r).const_line_hits, 0);
    rig_close(&r);
}

/* Stores and atomics of constants are done at once. A prefetch brings the line. */
Test(constants, kinds) {
    rig r;
    rig_open(&r, CACHE, MEMORY);
    finish(&r, WORD(GPC_STORE, 0, .space = GPC_SPACE_CONSTANT));
    cr_expect_eq(r.done[0].cycle, r.done[0].issued);
    cr_expect_eq(rig_stats(&r).const_requests, 0);
    finish(&r, WORD(GPC_PREFETCH, 0, .space = GPC_SPACE_CONSTANT));
    cr_expect_eq(rig_latency(&r, CONSTANT(0)), HIT);
    rig_close(&r);
}

/* A trace of events has a separate component. */
Test(constants, events) {
    rig r;
    events e = {0};
    rig_open(&r, CACHE, MEMORY);
    events_open(&e, r.hierarchy, (gpc_event_options)GPC_EVENT_OPTIONS_INIT);
    finish(&r, CONSTANT(0));
    finish(&r, CONSTANT(0));
    cr_expect_eq(events_count(&e, GPC_WHAT_LOOKUP, GPC_COMPONENT_CONST), 2);
    cr_expect_eq(events_count(&e, GPC_WHAT_FETCH, GPC_COMPONENT_CONST), 1);
    cr_expect_eq(events_count(&e, GPC_WHAT_FILL, GPC_COMPONENT_CONST), 1);
    cr_expect_eq(events_count(&e, GPC_WHAT_SERVE, GPC_COMPONENT_CONST), 1);
    cr_expect_eq(events_count(&e, GPC_WHAT_LOOKUP, GPC_COMPONENT_L1), 0);
    cr_expect_eq(events_count(&e, GPC_WHAT_LOOKUP, GPC_COMPONENT_L2), 1);
    cr_expect_eq(events_count(&e, GPC_WHAT_REPLY, GPC_COMPONENT_COUNT), 2);
    cr_expect_eq(events_count(&e, GPC_WHAT_COMPLETE, GPC_COMPONENT_COUNT), 2);
    events_close(&e, r.hierarchy);
    rig_close(&r);
}

/* Under load, beside loads and stores: equal history, watched or not, without loss. */
static uint64_t storm(const char *settings, bool watched) {
    static rig r;
    events e = {0};
    char all[512];
    snprintf(all, sizeof all,
             "sm.count = 2\nl1.size = 4KiB\nl1.mshr_entries = 8\nl1.miss_queue = 3\nl1.queue = 3\n" CACHE
             "const.mshr_merges = 2\nconst.miss_queue = 2\n%s",
             settings);
    rig_open(&r, all, 60);
    if (watched)
        events_open(&e, r.hierarchy, (gpc_event_options)GPC_EVENT_OPTIONS_INIT);
    uint64_t random = 11, constants = 0;
    for (uint32_t i = 0; i < 400; i++) {
        rig_steps(&r, rig_below(&random, 4) ? 0 : rig_below(&random, 100));
        const uint64_t line = rig_below(&random, 40);
        const bool constant = rig_below(&random, 2);
        const uint8_t kind = constant || rig_below(&random, 3) ? GPC_LOAD : GPC_STORE;
        constants += constant;
        rig_push(&r, WORDS(kind, 64 * line, 1 + rig_below(&random, 6), 64, .warp = i % 8, .sm = i % 2,
                           .space = constant ? GPC_SPACE_CONSTANT : GPC_SPACE_GLOBAL));
    }
    rig_finish(&r);
    const measured_stats s = rig_stats(&r);
    cr_expect_eq(s.const_requests, constants);
    cr_expect_eq(s.accepted, 400);
    cr_expect_eq(s.completed, 400);
    cr_expect_gt(s.const_line_hits, 20);
    cr_expect_gt(s.const_line_merges, 5);
    cr_expect_gt(s.const_stalls, 20);
    const uint64_t trail = r.trail;
    if (watched)
        events_close(&e, r.hierarchy);
    rig_close(&r);
    return trail;
}

Test(constants, storms) {
    static const char *const settings[] = {"",
                                           "l1.write_policy = back\nl1.write_allocate = fetch\n",
                                           "lrc.sms = 2\n",
                                           "l2.slices = 2\nl2.partitions = 2\nl2.prefetcher = next-line\n",
                                           "l1.reorder = warp\n",
                                           "l1.release_width = 32B\nl1.miss_latency = 9\n",
                                           "const.replacement = bip(bypass=1)\n",
                                           "tlb.page = 4KiB\n",
                                           "l1.enabled = false\n",
                                           "stats.stages = true\n"};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        cr_expect_eq(storm(settings[i], false), storm(settings[i], true), "%s", settings[i]);
}

static void add_stages(void *user_data, const gpc_stage_row *row) {
    for (uint32_t n = 0; n < row->stage_count; n++)
        *(uint64_t *)user_data += row->stages[n];
}

/* The cycles of all stages are those from issue to completion. */
Test(constants, stages) {
    rig r;
    rig_open(&r, CACHE "stats.stages = true\nconst.mshr_entries = 1\n", MEMORY);
    finish(&r, CONSTANTS(0, 4));
    finish(&r, CONSTANTS(0, 6));
    uint64_t sum = 0;
    for (uint64_t i = 0; i < r.issued; i++)
        sum += r.done[i].cycle - r.done[i].issued;
    uint64_t stages = 0;
    cr_assert_eq(gpc_hierarchy_stages(r.hierarchy, add_stages, &stages, NULL), GPC_OK);
    cr_expect_eq(stages, sum, "%u of %u", (unsigned)stages, (unsigned)sum);
    rig_close(&r);
}

static void refuse(const char *settings, const char *message) {
    gpc_error error = GPC_ERROR_INIT;
    rig_refused(settings, &error);
    cr_expect(strstr(error.message, message), "%s: %s", settings, error.message);
}

Test(constants, refused) {
    refuse("const.size = 1KiB\nconst.line = 48B\n", "const.line = 48B: must be a power of two, at most l2.line");
    refuse("const.size = 1KiB\nconst.line = 128B\nl2.line = 64B\nl2.sectors = 2\nl1.line = 64B\nl1.sectors = 2\n",
           "const.line = 128B: must be a power of two, at most l2.line");
    refuse("const.size = 100B\n", "const.size = 100B: is less than one set of const.ways lines");
    refuse("const.size = 1KiB\ncoherence.data = true\n", "const.size = 1KiB: needs coherence.data = false");
    refuse("const.size = 1KiB\ncoherence = nmoesi\n", "const.size = 0B");
}
