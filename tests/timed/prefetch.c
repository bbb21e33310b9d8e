/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "timed/events.h"
#include "timed/prefetch_script.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* A prefetching L1, by a script (timed/prefetch_script.h). */

#define MEMORY 200u
#define ask script_ask

static void start(rig *r, const char *settings) {
    script_open(r, "l1.prefetcher", settings, MEMORY);
}

/* L1's counts equal the prefetcher's outcomes. */
static void expect_counts(const rig *r, uint64_t sent) {
    const measured_stats s = rig_stats(r);
    cr_expect_eq(s.l1_prefetches, sent, "%u prefetches", (unsigned)s.l1_prefetches);
    script_expect_counts((uint64_t[5]){s.l1_useful_prefetches, s.l1_late_prefetches, s.l1_unused_prefetches,
                                       s.l1_redundant_prefetches, s.l1_dropped_prefetches});
}

/* A load of a prefetched line takes as long as any hit. */
Test(prefetch, useful) {
    rig r;
    start(&r, "");
    rig_issue(&r, LINE(GPC_LOAD, LINES(0)));
    rig_finish(&r);
    uint64_t hit = rig_latency(&r, LINE(GPC_LOAD, LINES(0)));
    ask(1, 5);
    rig_issue(&r, LINE(GPC_LOAD, LINES(0)));
    rig_finish(&r);
    cr_expect_eq(r.memory.read_bytes, 256);
    cr_expect_eq(rig_latency(&r, LINE(GPC_LOAD, LINES(5))), hit);
    rig_issue(&r, LINE(GPC_LOAD, LINES(5)));
    rig_finish(&r);
    OUTCOMES("U");
    expect_counts(&r, 1);
    static const uint8_t found[] = {2, 0, 0, 0, 0}, prefetched[] = {0, 0, 0, 1, 0};
    cr_assert_eq(script.accesses, 5);
    for (int i = 0; i < 5; i++) {
        cr_expect_eq(script.seen[i].found, found[i], "load %d", i);
        cr_expect_eq(script.seen[i].prefetched, prefetched[i], "load %d", i);
    }
    cr_expect_eq(rig_stats(&r).l1_load_sectors, 5 * 4, "prefetches are no loads");
    rig_close(&r);
}

/* A load while the line is in flight waits only for the rest of the way. */
Test(prefetch, late) {
    rig r;
    start(&r, "");
    uint64_t miss = rig_latency(&r, LINE(GPC_LOAD, LINES(0)));
    ask(1, 5);
    rig_issue(&r, LINE(GPC_LOAD, LINES(0)));
    rig_steps(&r, 100);
    uint64_t rest = rig_latency(&r, LINE(GPC_LOAD, LINES(5)));
    cr_expect(rest < miss - 90 && rest > miss - 110, "%u of %u", (unsigned)rest, (unsigned)miss);
    rig_issue(&r, LINE(GPC_LOAD, LINES(5)));
    rig_finish(&r);
    OUTCOMES("L");
    cr_expect_eq(script.seen[2].found, GPC_PREFETCH_FOUND_FLIGHT);
    cr_expect_eq(script.seen[2].prefetched, 1);
    cr_expect_eq(script.seen[3].prefetched, 0);
    cr_expect_eq(r.memory.read_bytes, 256);
    expect_counts(&r, 1);
    rig_close(&r);
}

/* Two ways: the mark of a line in the last set is kept, too. */
Test(prefetch, useful_in_every_set) {
    rig r;
    start(&r, "l1.ways = 2\n");
    ask(1, 63); /* 64 sets */
    rig_issue(&r, LINE(GPC_LOAD, LINES(0)));
    rig_finish(&r);
    rig_issue(&r, LINE(GPC_LOAD, LINES(63)));
    rig_finish(&r);
    OUTCOMES("U");
    expect_counts(&r, 1);
    rig_close(&r);
}

/* Replaced before any load: of a set of four ways, four further lines. */
Test(prefetch, unused) {
    rig r;
    start(&r, "");
    ask(1, 32);
    for (uint64_t i = 0; i < 6; i++) {
        rig_issue(&r, LINE(GPC_LOAD, LINES(64 + 32 * i)));
        rig_finish(&r);
    }
    OUTCOMES("N");
    cr_expect_eq(script.lines[0], 32);
    expect_counts(&r, 1);
    rig_close(&r);
}

/* Present, in flight, or queued already: no request. */
Test(prefetch, redundant) {
    rig r;
    start(&r, "");
    rig_issue(&r, LINE(GPC_LOAD, LINES(0)));
    rig_finish(&r);
    rig_issue(&r, LINE(GPC_LOAD, LINES(1)));
    ask(3, 0);
    script.next[2] = script.next[0];
    rig_issue(&r, LINE(GPC_LOAD, LINES(0)));
    rig_finish(&r);
    cr_expect_eq(script.count, 0);
    OUTCOMES("RRR");
    expect_counts(&r, 0);
    cr_expect_eq(r.memory.read_bytes, 256);
    rig_close(&r);
}

/* Prefetches requested but not yet looked up keep the hierarchy from being idle, without a packet. */
Test(prefetch, drained) {
    rig r;
    start(&r, "l1.latency = 1\n");
    for (uint64_t line = 0; line < 8; line++)
        rig_issue(&r, LINE(GPC_LOAD, LINES(line)));
    rig_finish(&r);
    ask(8, 0);
    rig_issue(&r, LINE(GPC_LOAD, LINES(0)));
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_hierarchy_drain(r.hierarchy, &error), GPC_OK, "%s", error.message);
    OUTCOMES("RRRRRRRR");
    rig_close(&r);
}

/* Sectors: by default the load's. */
Test(prefetch, sectors) {
    rig r;
    start(&r, "");
    ask(1, 5);
    rig_issue(&r, WORD(GPC_LOAD, LINES(0) + 32));
    rig_finish(&r);
    cr_expect_eq(r.memory.read_bytes, 64);
    ask(1, 5);
    script.next[0].sectors = 0xc;
    rig_issue(&r, WORD(GPC_LOAD, LINES(0) + 32));
    rig_finish(&r);
    cr_expect_eq(r.memory.read_bytes, 128, "two sectors beside the one that is there");
    rig_issue(&r, WORD(GPC_LOAD, LINES(5) + 96));
    rig_issue(&r, WORD(GPC_LOAD, LINES(5)));
    rig_finish(&r);
    cr_expect_eq(r.memory.read_bytes, 160);
    OUTCOMES("U");
    expect_counts(&r, 2);
    rig_close(&r);
}

/* The queue takes a number of lines, and further lines are dropped. */
Test(prefetch, queue) {
    rig r;
    start(&r, "l1.prefetch_queue = 3\n");
    ask(8, 10);
    rig_issue(&r, LINE(GPC_LOAD, LINES(0)));
    rig_finish(&r);
    OUTCOMES("DDDDD");
    cr_expect_eq(script.lines[0], 13);
    expect_counts(&r, 3);
    rig_close(&r);
}

/* One lookup a cycle: a prefetch waits for a cycle with a free port. */
Test(prefetch, loads_come_first) {
    rig r;
    start(&r, "");
    ask(1, 50);
    for (uint64_t i = 0; i < 8; i++)
        rig_issue(&r, LINE(GPC_LOAD, LINES(i)));
    rig_steps(&r, 8);
    cr_expect_eq(rig_stats(&r).l1_prefetches, 0, "eight loads, eight cycles");
    rig_steps(&r, 2);
    cr_expect_eq(rig_stats(&r).l1_prefetches, 1);
    rig_close(&r);
}

/* A prefetch takes a free MSHR entry, and waits for one; a held-up load goes first. */
Test(prefetch, entries) {
    rig r;
    start(&r, "l1.mshr_entries = 2\n");
    ask(2, 50);
    rig_issue(&r, LINE(GPC_LOAD, LINES(0)));
    rig_steps(&r, 20);
    cr_expect_eq(rig_stats(&r).l1_prefetches, 1);
    uint64_t load = rig_issue(&r, LINE(GPC_LOAD, LINES(1)));
    rig_wait(&r, load);
    cr_expect_eq(rig_stats(&r).l1_mshr_failures, 1, "the prefetch has the second entry");
    rig_finish(&r);
    expect_counts(&r, 2);
    OUTCOMES("");
    rig_close(&r);
}

/* If every way of the set waits for data, the prefetch has none. */
Test(prefetch, no_way) {
    rig r;
    start(&r, "l1.allocate = on-miss\n");
    for (uint64_t i = 0; i < 3; i++)
        rig_issue(&r, LINE(GPC_LOAD, LINES(32 * i)));
    ask(1, 320);
    rig_issue(&r, LINE(GPC_LOAD, LINES(96)));
    rig_finish(&r);
    OUTCOMES("D");
    cr_expect_eq(rig_stats(&r).l1_line_failures, 0, "nobody was held up");
    expect_counts(&r, 0);
    rig_close(&r);
}

/* Lines that the predictor would not keep are not fetched. */
Test(prefetch, bypassed) {
    rig r;
    start(&r, "l1.bypass = always-bypass\n");
    ask(1, 5);
    rig_issue(&r, LINE(GPC_LOAD, LINES(0)));
    rig_finish(&r);
    OUTCOMES("D");
    cr_expect_eq(r.memory.read_bytes, 128);
    expect_counts(&r, 0);
    rig_close(&r);
}

/* A prefetcher's facts about a load: every line, the first lane's address, and the issuer. */
Test(prefetch, what_it_is_told) {
    rig r;
    start(&r, "");
    rig_issue(&r, WORDS(GPC_LOAD, 0x10004, 3, 512, .pc = 0x40, .warp = 7));
    rig_issue(&r, WORD(GPC_STORE, 0x20000));
    rig_finish(&r);
    cr_assert_eq(script.accesses, 3, "stores are not told");
    for (uint32_t i = 0; i < 3; i++) {
        cr_expect_eq(script.seen[i].lane_address, 0x10004);
        cr_expect_eq(script.seen[i].lane, 0);
        cr_expect_eq(script.seen[i].line, i);
        cr_expect_eq(script.seen[i].sectors, 1);
        cr_expect_eq(script.requests[i].address, 0x10000 + 512 * i);
        cr_expect_eq(script.requests[i].pc, 0x40);
        cr_expect_eq(script.requests[i].warp, 7);
        cr_expect_eq(script.requests[i].transactions, 3);
    }
    rig_close(&r);
}

/* The first active lane may be another than lane 0. */
Test(prefetch, lowest_lane) {
    rig r;
    start(&r, "");
    uint64_t address = 0x8010;
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    access.mask = 1u << 9;
    access.width = 4;
    access.addresses = &address;
    cr_assert_eq(gpc_hierarchy_try_issue(r.hierarchy, &access, 0, NULL, NULL), GPC_OK);
    r.done[r.issued++].accepted = true;
    rig_finish(&r);
    cr_expect_eq(script.seen[0].lane, 9);
    cr_expect_eq(script.seen[0].lane_address, 0x8010);
    rig_close(&r);
}

/* A trace of events shows the way through the levels, without a waiting access. */
Test(prefetch, events) {
    rig r;
    events e = {0};
    start(&r, "");
    events_open(&e, r.hierarchy, (gpc_event_options)GPC_EVENT_OPTIONS_INIT);
    ask(1, 5);
    rig_issue(&r, LINE(GPC_LOAD, LINES(0)));
    rig_finish(&r);
    cr_expect_eq(events_count(&e, GPC_WHAT_LOOKUP, GPC_COMPONENT_L1), 2);
    cr_expect_eq(events_count(&e, GPC_WHAT_FETCH, GPC_COMPONENT_L1), 2);
    cr_expect_eq(events_count(&e, GPC_WHAT_FILL, GPC_COMPONENT_L1), 2);
    cr_expect_eq(events_count(&e, GPC_WHAT_MSHR_FREE, GPC_COMPONENT_L1), 2);
    cr_expect_eq(events_count(&e, GPC_WHAT_MEMORY_READ, GPC_COMPONENT_COUNT), 2);
    cr_expect_eq(events_count(&e, GPC_WHAT_REPLY, GPC_COMPONENT_COUNT), 1);
    rig_finish(&r);
    events_close(&e, r.hierarchy);
    rig_close(&r);
}

/* Under load: equal history, watched or not, no loss, and consistent sums. */
static uint64_t storm(const char *settings, const char *prefetcher, bool watched) {
    static rig r;
    events e = {0};
    char all[512];
    snprintf(all, sizeof all,
             "l1.size = 4KiB\nl1.mshr_entries = 8\nl1.mshr_merges = 3\nl1.miss_queue = 4\nl1.queue = 2\n"
             "l1.prefetcher = %s\n%s",
             prefetcher, settings);
    rig_open(&r, all, 60);
    if (watched)
        events_open(&e, r.hierarchy, (gpc_event_options)GPC_EVENT_OPTIONS_INIT);
    uint64_t random = 5;
    for (uint32_t i = 0; i < 1200; i++) {
        rig_steps(&r, rig_below(&random, 4) ? 0 : rig_below(&random, 100));
        uint64_t line = rig_below(&random, 4) ? i / 3 : rig_below(&random, 400);
        uint8_t kind = rig_below(&random, 8) ? GPC_LOAD : rig_below(&random, 2) ? GPC_STORE : GPC_ATOMIC;
        rig_push(&r, WORDS(kind, LINES(line), 1 + rig_below(&random, 8), 128, .warp = i % 8, .pc = 16 * (i % 3)));
    }
    rig_finish(&r);
    measured_stats s = rig_stats(&r);
    uint64_t resident = s.l1_prefetches - s.l1_useful_prefetches - s.l1_late_prefetches - s.l1_unused_prefetches;
    cr_expect(s.l1_prefetches > 30, "%s: %u", prefetcher, (unsigned)s.l1_prefetches);
    cr_expect(resident <= 32 + 200, "%s: %u of %u are neither used nor replaced", prefetcher, (unsigned)resident,
              (unsigned)s.l1_prefetches);
    uint64_t trail = r.trail;
    if (watched)
        events_close(&e, r.hierarchy);
    rig_close(&r);
    return trail;
}

Test(prefetch, storms) {
    static const char *const settings[] = {"",
                                           "l1.allocate = on-miss\n",
                                           "l1.write_policy = back\n",
                                           "l1.sectors = 1\nl1.allocate = on-miss\n",
                                           "l1.bypass = random-p(p=0.3)\n",
                                           "l1.bypass = mrpb\nl1.allocate = on-miss\n",
                                           "lrc.sms = 1\n",
                                           "l1.reorder = warp\n"};
    gpc_context *context;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    for (size_t p = 1; p < gpc_policy_count(context, GPC_POLICY_PREFETCHER); p++) { /* the first is none */
        gpc_policy_info info = GPC_POLICY_INFO_INIT;
        cr_assert_eq(gpc_policy_at(context, GPC_POLICY_PREFETCHER, p, &info, NULL), GPC_OK);
        for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
            cr_expect_eq(storm(settings[i], info.name, false), storm(settings[i], info.name, true));
    }
    gpc_context_destroy(context);
}

static void refuse(const char *settings, const char *message) {
    gpc_error error = GPC_ERROR_INIT;
    rig_refused(settings, &error);
    cr_expect(strstr(error.message, message), "%s: %s", settings, error.message);
}

Test(prefetch, refused) {
    refuse("mode = functional\nl1.prefetcher = stride\n", "l1.prefetcher = stride: needs mode = timed");
    refuse("l1.enabled = false\nl1.prefetcher = stride\n", "l1.prefetcher = stride: needs l1.enabled = true");
    refuse("coherence.data = true\nl1.prefetcher = mta\n", "l1.prefetcher = mta: needs coherence.data = false");
    refuse("coherence = nmoesi\nl1.prefetcher = mta\n", "l1.prefetcher = none");
    refuse("l1.prefetcher = locality-aware(lines=4, threshold=4)\n", "threshold = 4 has no effect with lines = 4");
}
