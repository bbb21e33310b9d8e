/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/experimental/experimental.h>

#include "measured.h"
#include "timed/events.h"
#include "timed/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* L1.5s: misses of constant caches, and of a host's caches of code. */

#define MEMORY 200u
#define CACHE "l15.size = 4KiB\nl15.ways = 4\nl15.latency = 30\nl15.data_width = 128B\n"
#define CONST "const.size = 1KiB\nconst.ways = 4\nconst.line = 64B\nconst.latency = 8\nconst.mshr_entries = 4\n"
#define CONST_HIT (8 + 1)
#define HIT (30 + 1) /* a request reaches the tags in the cycle after sending */
#define CONSTANT(address) WORD(GPC_LOAD, address, .space = GPC_SPACE_CONSTANT)

static uint64_t code(rig *r, uint32_t sm, uint64_t address, gpc_status expected) {
    gpc_busy busy = GPC_BUSY_NOT;
    const gpc_request request = {.address = address, .sm = sm, .kind = GPC_LOAD, .space = GPC_SPACE_INSTRUCTION};
    cr_assert_eq(gpc_hierarchy_try_miss(r->hierarchy, &request, r->issued, &busy, NULL), expected);
    cr_assert_eq(busy, expected == GPC_OK ? GPC_BUSY_NOT : GPC_BUSY_MISS_QUEUE);
    if (expected == GPC_OK)
        r->done[r->issued].accepted = true;
    return expected == GPC_OK ? r->issued++ : RIG_TOKENS;
}

static uint64_t took(const rig *r, uint64_t token) {
    cr_assert_eq(r->done[token].times, 1);
    return r->done[token].cycle - r->done[token].issued;
}

static uint64_t latency(rig *r, uint32_t sm, uint64_t address) {
    const uint64_t token = code(r, sm, address, GPC_OK);
    rig_finish(r);
    return took(r, token);
}

/* A host's miss of code is a read of L2 the first time; then the line is present, and ready after l15.latency. */
Test(l15, code_is_read_once) {
    rig r;
    rig_open(&r, CACHE, MEMORY);
    const uint64_t miss = latency(&r, 0, 256);
    cr_expect_eq(r.done[0].level, 3);
    cr_expect_gt(miss, MEMORY + HIT);
    cr_expect_eq(latency(&r, 0, 256), HIT);
    cr_expect_eq(r.done[1].level, 1);
    const measured_stats s = rig_stats(&r);
    cr_expect_eq(s.l15_lines, 2);
    cr_expect_eq(s.l15_line_hits, 1);
    cr_expect_eq(s.l15_code_lines, 2);
    cr_expect_eq(s.l15_code_line_hits, 1);
    cr_expect_eq(s.l15_line_merges, 0);
    cr_expect_eq(s.l2_instruction_read_sectors, 4);
    cr_expect_eq(r.memory.read_bytes, 128);
    rig_close(&r);
    rig_open(&r, "", MEMORY);
    cr_expect_eq(miss, latency(&r, 0, 256) + 30, "its data: its tags take no longer than the way without (%u)",
                 (unsigned)miss);
    rig_close(&r);
}

/* Other reads of a host, and all writes, bypass the L1.5. */
Test(l15, data_pass_it_by) {
    rig r;
    rig_open(&r, CACHE, MEMORY);
    for (unsigned space = 0; space < GPC_SPACE_COUNT; space++) {
        const gpc_request request = {.address = 4096, .kind = GPC_LOAD, .space = (uint8_t)space};
        if (gpc_hierarchy_try_miss(r.hierarchy, &request, r.issued, NULL, NULL) != GPC_OK)
            continue;
        r.done[r.issued++].accepted = true;
        rig_finish(&r);
        const bool read_only = space == GPC_SPACE_INSTRUCTION || space == GPC_SPACE_CONSTANT;
        cr_expect_eq(rig_stats(&r).l15_lines, read_only);
        gpc_hierarchy_reset_stats(r.hierarchy);
    }
    rig_close(&r);
}

/* Two lines of a constant cache are one here. */
Test(l15, before_a_constant_cache) {
    rig r;
    rig_open(&r, CACHE CONST, MEMORY);
    const uint64_t miss = rig_latency(&r, CONSTANT(256));
    cr_expect_gt(miss, MEMORY);
    cr_expect_eq(rig_latency(&r, CONSTANT(256)), CONST_HIT);
    cr_expect_eq(rig_latency(&r, CONSTANT(256 + 64)), 1 + HIT, "its other half");
    const measured_stats s = rig_stats(&r);
    cr_expect_eq(s.const_line_hits, 1);
    cr_expect_eq(s.l15_lines, 2);
    cr_expect_eq(s.l15_line_hits, 1);
    cr_expect_eq(s.l15_code_lines, 0);
    cr_expect_eq(s.l2_constant_read_sectors, 4);
    rig_close(&r);
}

/* Requests for a line in flight wait; others lack an entry, a merge or room in the miss queue. */
Test(l15, entries_merges_and_queues) {
    rig r;
    rig_open(&r, CACHE "l15.mshr_entries = 1\n", MEMORY);
    const uint64_t alone = latency(&r, 0, 1 << 20);
    const uint64_t a = code(&r, 0, 0, GPC_OK), b = code(&r, 0, 64, GPC_OK), c = code(&r, 0, 4096, GPC_OK);
    rig_finish(&r);
    measured_stats s = rig_stats(&r);
    cr_expect_eq(s.l15_line_merges, 1);
    cr_expect_eq(took(&r, a), alone + 1, "who asked first is served last, and the data port has a line a cycle");
    cr_expect_eq(took(&r, b), alone);
    cr_expect_geq(took(&r, c), 2 * alone - 40);
    cr_expect(s.l15_stalls > alone - 50 && s.l15_stalls < alone, "%u", (unsigned)s.l15_stalls);
    rig_close(&r);
    rig_open(&r, CACHE "l15.mshr_merges = 1\n", MEMORY);
    code(&r, 0, 0, GPC_OK);
    code(&r, 0, 0, GPC_OK);
    rig_finish(&r);
    s = rig_stats(&r);
    cr_expect_gt(s.l15_stalls, 100);
    cr_expect_eq(s.l2_instruction_read_sectors, 4);
    rig_close(&r);
    rig_open(&r, CACHE "l15.miss_queue = 1\nl1.miss_queue = 1\nnetwork.width = 1B\nnetwork.input_buffer = 1\n", MEMORY);
    for (uint64_t i = 0; i < 8; i++)
        code(&r, 0, 128 * i, GPC_OK);
    rig_finish(&r);
    cr_expect_gt(rig_stats(&r).l15_stalls, 20);
    cr_expect_eq(rig_stats(&r).l2_instruction_read_sectors, 32);
    rig_close(&r);
}

/*
 * Tags that waited for room or an entry go on as soon as there is one: before the first line of code has come out,
 * memory has been asked for the second. SM 0's way below is full of loads of data.
 */
static void goes_on(const char *settings, uint32_t loads, uint32_t second) {
    rig r;
    char all[256];
    snprintf(all, sizeof all, CACHE "sm.count = 2\nl15.sms = 2\nl1.miss_queue = 1\nnetwork.input_buffer = 1\n%s",
             settings);
    rig_open(&r, all, MEMORY);
    for (uint64_t i = 0; i < loads; i++)
        rig_issue(&r, WORD(GPC_LOAD, 1 << 20 | i << 12));
    rig_steps(&r, 2);
    const uint64_t first = code(&r, 0, 0, GPC_OK);
    code(&r, second, 4096, GPC_OK);
    rig_wait(&r, first);
    cr_expect_eq(r.memory.calls, loads + 2, "%s", settings);
    rig_finish(&r);
    rig_close(&r);
}

Test(l15, tags_go_on_at_once) {
    goes_on("l15.latency = 200\nl15.mshr_entries = 1\n", 0, 0);
    goes_on("l15.latency = 1\nnetwork.width = 1B\nl15.miss_queue = 1\n", 4, 0);
    goes_on("l15.latency = 1\nnetwork.width = 1B\n", 4, 1);
}

/* A lookup a cycle, and a line of data, if as many bytes leave at once. */
Test(l15, a_line_a_cycle) {
    static const char *const settings[] = {"", "l15.data_width = 32B\n"};
    static const uint64_t last[] = {HIT + 3, HIT + 12};
    rig r;
    for (int i = 0; i < 2; i++) {
        char all[256];
        uint64_t token = 0;
        snprintf(all, sizeof all, CACHE "%s", settings[i]);
        rig_open(&r, all, MEMORY);
        for (uint64_t n = 0; n < 4; n++)
            latency(&r, 0, 128 * n);
        for (uint64_t n = 0; n < 4; n++)
            token = code(&r, 0, 128 * n, GPC_OK);
        rig_finish(&r);
        cr_expect_eq(took(&r, token), last[i], "%s: %u", settings[i], (unsigned)took(&r, token));
        rig_close(&r);
    }
}

/* The queue before the tags is limited: a host is told of room. */
Test(l15, refuses) {
    rig r;
    rig_open(&r, CACHE "l15.queue = 2\nl15.mshr_entries = 1\n", MEMORY);
    code(&r, 0, 0, GPC_OK);
    rig_steps(&r, 3);
    code(&r, 0, 1024, GPC_OK);
    code(&r, 0, 2048, GPC_OK);
    rig_steps(&r, 3);
    code(&r, 0, 4096, GPC_BUSY);
    const uint64_t ready = r.ready;
    const gpc_request data = {.address = 1 << 20, .kind = GPC_LOAD};
    cr_expect_eq(gpc_hierarchy_try_miss(r.hierarchy, &data, r.issued, NULL, NULL), GPC_OK,
                 "data have a way of their own");
    r.done[r.issued++].accepted = true;
    rig_finish(&r);
    cr_expect_gt(r.ready, ready);
    code(&r, 0, 4096, GPC_OK);
    rig_finish(&r);
    rig_close(&r);
}

/* SMs sharing an L1.5 find lines requested by others, and wait for lines in flight to another. */
Test(l15, shared) {
    rig r;
    rig_open(&r, CACHE "sm.count = 4\nl15.sms = 2\n", MEMORY);
    const uint64_t alone = latency(&r, 0, 0);
    cr_expect_eq(latency(&r, 1, 0), HIT);
    cr_expect_gt(latency(&r, 2, 0), HIT);
    cr_expect_eq(latency(&r, 3, 0), HIT);
    const uint64_t a = code(&r, 2, 4096, GPC_OK), b = code(&r, 3, 4096, GPC_OK);
    rig_finish(&r);
    cr_expect_eq(took(&r, a), alone + 1);
    cr_expect_eq(took(&r, b), alone);
    cr_expect_eq(rig_stats(&r).l15_line_merges, 1);
    cr_expect_eq(rig_stats(&r).l2_instruction_read_sectors, 12);
    rig_close(&r);
    /* dealt out in turn, SMs 0, 1, 4 and 5 share a coalescer, and so an L1.5 */
    rig_open(&r, CACHE "sm.count = 8\nl15.sms = 4\nlrc.sms = 4\nlrc.layout = in-turn\n", MEMORY);
    latency(&r, 0, 0);
    for (uint32_t sm = 1; sm < 8; sm++)
        latency(&r, sm, 0);
    cr_expect_eq(rig_stats(&r).l15_line_hits, 6);
    cr_expect_eq(latency(&r, 5, 0), HIT);
    rig_close(&r);
}

/* Sets and ways; and contents after a kernel's begin. */
Test(l15, capacity_and_kernels) {
    rig r;
    rig_open(&r, CACHE, MEMORY);
    for (int round = 0; round < 3; round++)
        for (uint64_t line = 0; line < 5; line++)
            latency(&r, 0, 1024 * line);
    cr_expect_eq(rig_stats(&r).l15_line_hits, 0);
    cr_expect_eq(latency(&r, 0, 4096), HIT);
    cr_assert_eq(gpc_hierarchy_begin_kernel(r.hierarchy, NULL, NULL), GPC_OK);
    cr_expect_eq(latency(&r, 0, 4096), HIT, "kernels.flush = none");
    cr_assert_eq(gpc_hierarchy_flush(r.hierarchy, NULL), GPC_OK);
    cr_expect_gt(latency(&r, 0, 4096), HIT);
    rig_close(&r);
    rig_open(&r, CACHE CONST "kernels.flush = l1\n", MEMORY);
    const uint64_t above = (uint64_t)1 << 56; /* where a replay has its code */
    rig_latency(&r, CONSTANT(0));
    latency(&r, 0, above);
    cr_assert_eq(gpc_hierarchy_begin_kernel(r.hierarchy, NULL, NULL), GPC_OK);
    cr_expect_eq(latency(&r, 0, above), HIT, "code stays");
    rig_latency(&r, CONSTANT(0));
    cr_expect_eq(rig_stats(&r).l15_line_hits, 1, "constants do not");
    rig_close(&r);
    rig_open(&r, CACHE "kernels.code = dropped\n", MEMORY);
    latency(&r, 0, above);
    cr_assert_eq(gpc_hierarchy_begin_kernel(r.hierarchy, NULL, NULL), GPC_OK);
    cr_expect_gt(latency(&r, 0, above), HIT);
    cr_expect_eq(rig_stats(&r).l2_instruction_read_sector_hits, 4);
    rig_close(&r);
}

/* kernels.code = l2: no code is read from memory, in either partition, but constants are. */
Test(l15, code_is_in_l2) {
    static const char *const settings[] = {"", "sm.count = 2\nl2.slices = 2\nl2.partitions = 2\n", "l2.sectors = 1\n",
                                           "l2.size = 2KiB\nl2.ways = 4\n"};
    rig r;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        char all[256];
        snprintf(all, sizeof all, CACHE "kernels.code = l2\n%s", settings[i]);
        rig_open(&r, all, MEMORY);
        for (uint64_t n = 0; n < 64; n++)
            cr_expect_lt(latency(&r, i == 1 ? n % 2 : 0, 128 * n), MEMORY, "%s", settings[i]);
        cr_expect_eq(r.memory.read_bytes, 0, "%s", settings[i]);
        const gpc_request constant = {.address = 1 << 20, .kind = GPC_LOAD, .space = GPC_SPACE_CONSTANT};
        cr_assert_eq(gpc_hierarchy_try_miss(r.hierarchy, &constant, r.issued, NULL, NULL), GPC_OK);
        r.done[r.issued++].accepted = true;
        rig_finish(&r);
        cr_expect_eq(r.memory.read_bytes, 128);
        rig_close(&r);
    }
}

/* A separate component in a trace of events. */
Test(l15, events) {
    rig r;
    events e = {0};
    rig_open(&r, CACHE CONST, MEMORY);
    events_open(&e, r.hierarchy, (gpc_event_options)GPC_EVENT_OPTIONS_INIT);
    rig_latency(&r, CONSTANT(0));
    rig_latency(&r, CONSTANT(64));
    latency(&r, 0, 0);
    cr_expect_eq(events_count(&e, GPC_WHAT_LOOKUP, GPC_COMPONENT_CONST), 2);
    cr_expect_eq(events_count(&e, GPC_WHAT_LOOKUP, GPC_COMPONENT_L15), 3);
    cr_expect_eq(events_count(&e, GPC_WHAT_FETCH, GPC_COMPONENT_L15), 1);
    cr_expect_eq(events_count(&e, GPC_WHAT_FILL, GPC_COMPONENT_L15), 1);
    cr_expect_eq(events_count(&e, GPC_WHAT_SERVE, GPC_COMPONENT_L15), 3);
    cr_expect_eq(events_count(&e, GPC_WHAT_LOOKUP, GPC_COMPONENT_L2), 1);
    cr_expect_eq(events_count(&e, GPC_WHAT_COMPLETE, GPC_COMPONENT_COUNT), 3);
    events_close(&e, r.hierarchy);
    rig_close(&r);
}

/* Under load, of sharing SMs, beside data: equal history, watched or not, on any number of threads. */
static uint64_t storm(const char *settings, bool watched) {
    static rig r;
    events e = {0};
    char all[640];
    snprintf(all, sizeof all,
             "sm.count = 4\nl15.sms = 2\nl1.size = 4KiB\nl1.mshr_entries = 8\nl1.miss_queue = 3\nl1.queue = 3\n" CONST
             "const.mshr_merges = 2\nconst.miss_queue = 2\nl15.size = 2KiB\nl15.ways = 4\nl15.mshr_entries = 3\n"
             "l15.mshr_merges = 2\nl15.queue = 3\nl15.miss_queue = 2\n%s",
             settings);
    rig_open(&r, all, 60);
    if (watched)
        events_open(&e, r.hierarchy, (gpc_event_options)GPC_EVENT_OPTIONS_INIT);
    uint64_t random = 11, lines = 0, refused = 0;
    for (uint32_t i = 0; i < 800; i++) {
        rig_steps(&r, rig_below(&random, 4) ? 0 : rig_below(&random, 60));
        const uint64_t line = rig_below(&random, 40);
        const uint32_t what = rig_below(&random, 3), sm = rig_below(&random, 4);
        if (what == 2) {
            const gpc_request request = {.address = 1 << 20 | 128 * line, .sm = sm, .space = GPC_SPACE_INSTRUCTION};
            gpc_status status = gpc_hierarchy_try_miss(r.hierarchy, &request, r.issued, NULL, NULL);
            for (; status == GPC_BUSY; status = gpc_hierarchy_try_miss(r.hierarchy, &request, r.issued, NULL, NULL)) {
                for (r.ready_sms[sm] = false; !r.ready_sms[sm];)
                    rig_steps(&r, 1);
                refused++;
            }
            cr_assert_eq(status, GPC_OK);
            r.done[r.issued++].accepted = true;
            lines++;
        } else {
            rig_push(&r, WORDS(GPC_LOAD, 64 * line, 1 + rig_below(&random, 6), 64, .warp = i % 8, .sm = sm,
                               .space = what ? GPC_SPACE_CONSTANT : GPC_SPACE_GLOBAL));
        }
    }
    rig_finish(&r);
    const measured_stats s = rig_stats(&r);
    cr_expect_eq(s.l15_code_lines, lines);
    cr_expect_eq(s.accepted, s.completed);
    cr_expect_gt(s.l15_line_hits, 20);
    cr_expect_gt(s.l15_line_merges, 5);
    cr_expect_gt(s.l15_stalls, 20);
    cr_expect_gt(refused, 0);
    const uint64_t trail = r.trail;
    if (watched)
        events_close(&e, r.hierarchy);
    rig_close(&r);
    return trail;
}

Test(l15, storms) {
    static const char *const settings[] = {"",
                                           "l1.write_policy = back\nl1.write_allocate = fetch\n",
                                           "lrc.sms = 2\n",
                                           "lrc.sms = 4\nl15.sms = 4\n",
                                           "l2.slices = 2\nl2.partitions = 2\n",
                                           "l15.replacement = bip(bypass=1)\n",
                                           "tlb.page = 4KiB\n",
                                           "l1.enabled = false\n",
                                           "kernels.code = l2\n",
                                           "stats.stages = true\n"};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        cr_expect_eq(storm(settings[i], false), storm(settings[i], true), "%s", settings[i]);
}

static void add_stages(void *user_data, const gpc_stage_row *row) {
    for (uint32_t n = 0; n < row->stage_count; n++)
        *(uint64_t *)user_data += row->stages[n];
}

/* The cycles of all stages are those from issue to completion. */
Test(l15, stages) {
    rig r;
    rig_open(&r, CACHE CONST "stats.stages = true\nl15.mshr_entries = 1\n", MEMORY);
    rig_issue(&r, WORDS(GPC_LOAD, 0, 6, 64, .space = GPC_SPACE_CONSTANT));
    rig_issue(&r, WORDS(GPC_LOAD, 128, 6, 64, .space = GPC_SPACE_CONSTANT));
    code(&r, 0, 0, GPC_OK);
    code(&r, 0, 4096, GPC_OK);
    rig_finish(&r);
    uint64_t sum = 0, stages = 0;
    for (uint64_t i = 0; i < r.issued; i++)
        sum += took(&r, i);
    cr_assert_eq(gpc_hierarchy_stages(r.hierarchy, add_stages, &stages, NULL), GPC_OK);
    cr_expect_eq(stages, sum, "%u of %u", (unsigned)stages, (unsigned)sum);
    rig_close(&r);
}

static void refuse(const char *settings, const char *message) {
    gpc_error error = GPC_ERROR_INIT;
    rig_refused(settings, &error);
    cr_expect(strstr(error.message, message), "%s: %s", settings, error.message);
}

Test(l15, refused) {
    refuse("l15.size = 4KiB\nl15.line = 64B\n", "l15.line = 64B: must be a power of two, at least l1.line");
    refuse("l15.size = 4KiB\nl2.line = 64B\nl2.sectors = 2\nl1.line = 64B\nl1.sectors = 2\n", "at most l2.line");
    refuse("l15.size = 100B\n", "l15.size = 100B: is less than one set of l15.ways lines");
    refuse("l15.size = 4KiB\ncoherence.data = true\n", "l15.size = 4KiB: needs coherence.data = false");
    refuse("l15.size = 4KiB\ncoherence = nmoesi\n", "l15.size = 0B");
    refuse("kernels.code = l2\ncoherence = nmoesi\n", "kernels.code = kept");
    refuse("l15.sms = 2\n", "l15.sms = 2: needs l15.size");
    refuse("kernels.code = dropped\n", "kernels.code = dropped: needs l1i.size or l15.size");
    refuse("kernels.code = l2\nl15.size = 4KiB\nl2.enabled = false\n", "kernels.code = l2: needs an L2");
}
