/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "timed/events.h"
#include "timed/prefetch_script.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* A prefetching slice, by a script (timed/prefetch_script.h). */

#define MEMORY 200u
#define ask script_ask
#define LOAD(n) LINE(GPC_LOAD, LINES(n), .hint = GPC_HINT_CG)

/* With CG and l1.bypass = hint all loads go to L2. */
static void start(rig *r, const char *settings) {
    char all[400];
    snprintf(all, sizeof all, "l1.bypass = hint\n%s", settings);
    script_open(r, "l2.prefetcher", all, MEMORY);
}

static void expect_counts(const rig *r, uint64_t sent) {
    const measured_stats s = rig_stats(r);
    cr_expect_eq(s.l2_prefetches, sent, "%u prefetches", (unsigned)s.l2_prefetches);
    cr_expect_eq(s.l1_prefetches, 0);
    script_expect_counts((uint64_t[5]){s.l2_useful_prefetches, s.l2_late_prefetches, s.l2_unused_prefetches,
                                       s.l2_redundant_prefetches, s.l2_dropped_prefetches});
}

static void load(rig *r, uint64_t line) {
    rig_issue(r, LOAD(line));
    rig_finish(r);
}

/* A read of a prefetched line takes as long as any hit of L2. */
Test(prefetch_l2, useful) {
    rig r;
    start(&r, "");
    load(&r, 0);
    const uint64_t hit = rig_latency(&r, LOAD(0));
    ask(1, 5);
    load(&r, 0);
    cr_expect_eq(r.memory.read_bytes, 256);
    cr_expect_eq(rig_latency(&r, LOAD(5)), hit);
    load(&r, 5);
    OUTCOMES("U");
    expect_counts(&r, 1);
    static const uint8_t found[] = {2, 0, 0, 0, 0}, prefetched[] = {0, 0, 0, 1, 0};
    cr_assert_eq(script.accesses, 5);
    for (int i = 0; i < 5; i++) {
        cr_expect_eq(script.seen[i].found, found[i], "load %d", i);
        cr_expect_eq(script.seen[i].prefetched, prefetched[i], "load %d", i);
        cr_expect_eq(script.seen[i].level, 2);
    }
    const measured_stats s = rig_stats(&r);
    cr_expect_eq(s.l2_read_sectors, 5 * 4, "prefetches are no reads of L2");
    cr_expect_eq(s.dram_read_sectors, 2 * 4, "but of memory");
    rig_close(&r);
}

/* A read while the line is in flight waits only for the rest of the way. */
Test(prefetch_l2, late) {
    rig r;
    start(&r, "");
    const uint64_t miss = rig_latency(&r, LOAD(0));
    ask(1, 5);
    rig_issue(&r, LOAD(0));
    rig_steps(&r, 100);
    const uint64_t rest = rig_latency(&r, LOAD(5));
    cr_expect(rest < miss - 70 && rest > miss - 110, "%u of %u", (unsigned)rest, (unsigned)miss);
    load(&r, 5);
    OUTCOMES("L");
    cr_expect_eq(script.seen[2].found, GPC_PREFETCH_FOUND_FLIGHT);
    cr_expect_eq(script.seen[2].prefetched, 1);
    cr_expect_eq(script.seen[3].prefetched, 0);
    cr_expect_eq(r.memory.read_bytes, 256);
    expect_counts(&r, 1);
    rig_close(&r);
}

/* Replaced before any read: a set of the slice has 16 ways. */
Test(prefetch_l2, unused) {
    rig r;
    start(&r, "");
    ask(1, 128);
    for (uint64_t i = 0; i < 17; i++)
        load(&r, 256 + 128 * i);
    OUTCOMES("N");
    cr_expect_eq(script.lines[0], 128);
    expect_counts(&r, 1);
    rig_close(&r);
}

/* Present, in flight or queued already; or more than fit in the queue. */
Test(prefetch_l2, redundant_and_dropped) {
    rig r;
    start(&r, "l2.prefetch_queue = 3\n");
    load(&r, 0);
    ask(3, 0);
    script.next[1] = script.next[2] = script.next[0];
    load(&r, 0);
    OUTCOMES("RRR");
    ask(8, 10);
    load(&r, 0);
    OUTCOMES("RRRDDDDD");
    cr_expect_eq(script.lines[3], 13);
    expect_counts(&r, 3);
    rig_close(&r);
}

/* Sectors: the read's sectors, or as requested. */
Test(prefetch_l2, sectors) {
    rig r;
    start(&r, "");
    ask(1, 5);
    rig_issue(&r, WORD(GPC_LOAD, LINES(0) + 36, .hint = GPC_HINT_CG));
    rig_finish(&r);
    cr_expect_eq(r.memory.read_bytes, 64);
    cr_expect_eq(script.seen[0].lane_address, 32, "the first segment");
    cr_expect_eq(script.seen[0].sectors, 2);
    ask(1, 5);
    script.next[0].sectors = 0xc;
    rig_issue(&r, WORD(GPC_LOAD, LINES(0) + 36, .hint = GPC_HINT_CG));
    rig_finish(&r);
    cr_expect_eq(r.memory.read_bytes, 128, "two sectors beside the one that is there");
    rig_close(&r);
}

/* Reads have the tag port first, and also MSHR entries. */
Test(prefetch_l2, reads_come_first) {
    rig r;
    start(&r, "l2.mshr_entries = 2\n");
    ask(3, 50);
    rig_issue(&r, LOAD(0));
    rig_steps(&r, 60);
    cr_expect_eq(rig_stats(&r).l2_prefetches, 1, "the second entry");
    rig_issue(&r, LOAD(1));
    rig_finish(&r);
    cr_expect_eq(rig_stats(&r).l2_mshr_failures, 1);
    expect_counts(&r, 3);
    rig_close(&r);
}

/* Hits of L1 are invisible; prefetches of L1 are visible, and use lines prefetched by the slice. */
Test(prefetch_l2, sees_what_reaches_it) {
    rig r;
    start(&r, "l1.prefetcher = next-line(on=miss)\n");
    ask(1, 9);
    rig_issue(&r, LINE(GPC_LOAD, LINES(8), .pc = 0x40, .warp = 3));
    rig_finish(&r);
    rig_issue(&r, LINE(GPC_LOAD, LINES(8)));
    rig_issue(&r, LINE(GPC_STORE, LINES(20)));
    rig_finish(&r);
    cr_assert_eq(script.accesses, 2, "%u", script.accesses);
    cr_expect_eq(script.requests[0].kind, GPC_LOAD);
    cr_expect_eq(script.requests[0].pc, 0x40);
    cr_expect_eq(script.requests[0].warp, 3);
    cr_expect_eq(script.requests[0].address, LINES(8));
    cr_expect_eq(script.requests[1].kind, GPC_PREFETCH);
    cr_expect_eq(script.requests[1].address, LINES(9));
    cr_expect_eq(script.told, 1);
    cr_expect(script.outcomes[0] == 'L' || script.outcomes[0] == 'R', "%c", script.outcomes[0]);
    cr_expect_eq(r.memory.read_bytes, 256);
    rig_close(&r);
}

/* Four slices, line by line in turn: each has separate addresses, with a separate next line. */
Test(prefetch_l2, addresses_are_the_slices) {
    rig r;
    start(&r, "l2.slices = 4\nl2.interleave = modulo\nl2.interleave_bytes = 128B\n");
    ask(1, 3);
    load(&r, 2 + 4 * 2); /* slice 2's line 2 */
    cr_expect_eq(script.requests[0].address, LINES(2));
    load(&r, 2 + 4 * 3);
    OUTCOMES("U");
    cr_expect_eq(script.lines[0], 3);
    cr_expect_eq(r.memory.read_bytes, 256);
    rig_close(&r);
    rig_open(&r,
             "l1.bypass = hint\nl2.slices = 4\nl2.interleave = hash\nl2.interleave_bytes = 128B\n"
             "l2.prefetcher = next-line\n",
             MEMORY);
    for (uint64_t i = 0; i < 64; i++)
        load(&r, i);
    const measured_stats s = rig_stats(&r);
    cr_expect_eq(s.l2_useful_prefetches + s.l2_late_prefetches, 60, "%u", (unsigned)s.l2_useful_prefetches);
    cr_expect_eq(r.memory.read_bytes, (64 + 4) * 128);
    rig_close(&r);
}

/* Lines beyond the last line are dropped. */
Test(prefetch_l2, no_such_line) {
    rig r;
    start(&r, "l2.slices = 4\nl2.interleave = modulo\nl2.interleave_bytes = 128B\n");
    script.next[0].address = UINT64_MAX - 127;
    script.count = 1;
    load(&r, 0);
    OUTCOMES("D");
    expect_counts(&r, 0);
    rig_close(&r);
}

/* Two partitions: lines with home in the other are requested there, and kept on every side. */
Test(prefetch_l2, partitions) {
    rig r;
    start(&r, "l2.slices = 2\nl2.partitions = 2\nl2.size = 512KiB\n");
    uint64_t hits[2] = {0};
    for (uint64_t page = 0; page < 8; page++) { /* pages of 4 KiB, homed in either partition */
        ask(1, 32 * page + 1);
        load(&r, 32 * page);
        hits[rig_latency(&r, LOAD(32 * page + 1)) != 0]++;
    }
    const measured_stats s = rig_stats(&r);
    cr_expect_eq(s.l2_useful_prefetches, 8);
    cr_expect_eq(s.l2_read_sector_hits, 8 * 4);
    cr_expect(s.l2_remote_sectors > 0 && s.l2_remote_sectors < 16 * 4 && s.l2_remote_sectors % 8 == 0, "%u",
              (unsigned)s.l2_remote_sectors);
    cr_expect_eq(r.memory.read_bytes, 16 * 128);
    rig_close(&r);
}

/* No access waits for a prefetch, but a trace of events has it: of L2, not of L1. */
Test(prefetch_l2, events) {
    rig r;
    events e = {0};
    start(&r, "");
    events_open(&e, r.hierarchy, (gpc_event_options)GPC_EVENT_OPTIONS_INIT);
    ask(1, 5);
    load(&r, 0);
    cr_expect_eq(events_count(&e, GPC_WHAT_LOOKUP, GPC_COMPONENT_L1), 1);
    cr_expect_eq(events_count(&e, GPC_WHAT_LOOKUP, GPC_COMPONENT_L2), 2);
    cr_expect_eq(events_count(&e, GPC_WHAT_FETCH, GPC_COMPONENT_L2), 2);
    cr_expect_eq(events_count(&e, GPC_WHAT_FILL, GPC_COMPONENT_L2), 2);
    cr_expect_eq(events_count(&e, GPC_WHAT_MSHR_FREE, GPC_COMPONENT_L2), 2);
    cr_expect_eq(events_count(&e, GPC_WHAT_REPLY, GPC_COMPONENT_COUNT), 1);
    events_close(&e, r.hierarchy);
    rig_close(&r);
}

/* Under load: equal history, watched or not, no loss, and consistent sums. */
static uint64_t storm(const char *settings, const char *prefetcher, bool watched) {
    static rig r;
    events e = {0};
    char all[640];
    snprintf(all, sizeof all,
             "sm.count = 2\nl1.size = 1KiB\nl2.size = 16KiB\nl2.ways = 4\nl2.mshr_entries = 6\nl2.mshr_merges = 3\n"
             "l2.miss_queue = 3\nl2.queue = 4\nl2.prefetcher = %s\n%s",
             prefetcher, settings);
    rig_open(&r, all, 60);
    if (watched)
        events_open(&e, r.hierarchy, (gpc_event_options)GPC_EVENT_OPTIONS_INIT);
    uint64_t random = 7;
    for (uint32_t i = 0; i < 500; i++) {
        rig_steps(&r, rig_below(&random, 4) ? 0 : rig_below(&random, 100));
        const uint64_t line = rig_below(&random, 4) ? i / 3 : rig_below(&random, 400);
        const uint8_t kind = rig_below(&random, 8) ? GPC_LOAD : rig_below(&random, 2) ? GPC_STORE : GPC_ATOMIC;
        rig_push(&r, WORDS(kind, LINES(line), 1 + rig_below(&random, 8), 128, .warp = i % 8, .pc = 16 * (i % 3),
                           .sm = i % 2));
    }
    rig_finish(&r);
    const measured_stats s = rig_stats(&r);
    const uint64_t used = s.l2_useful_prefetches + s.l2_late_prefetches + s.l2_unused_prefetches;
    cr_expect(s.l2_prefetches > 30, "%s: %u", prefetcher, (unsigned)s.l2_prefetches);
    cr_expect(used <= s.l2_prefetches && s.l2_prefetches - used <= 128 + 300, "%s: %u of %u", prefetcher,
              (unsigned)used, (unsigned)s.l2_prefetches);
    const uint64_t trail = r.trail;
    if (watched)
        events_close(&e, r.hierarchy);
    rig_close(&r);
    return trail;
}

Test(prefetch_l2, storms) {
    static const char *const settings[] = {
        "",
        "l2.slices = 4\nl2.interleave = hash\nclock.l2 = 700\n",
        "l2.slices = 2\nl2.partitions = 2\n",
        "l2.slices = 2\nl2.partitions = 2\ncoherence = viper\nl2.write_allocate = lazy\nkernels.flush = l1\n",
        "l2.inclusion = inclusive\n",
        "l2.bypass = random-p(p=0.3)\n",
        "l1.line = 64B\nl1.sectors = 2\nl2.fetch_sectors = 2\n",
        "l2.sectors = 1\nl1.prefetcher = next-line\n",
        "lrc.sms = 2\nl2.mshr_merged = sector\n"};
    gpc_context *context;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    for (size_t p = 1; p < gpc_policy_count(context, GPC_POLICY_PREFETCHER); p++) { /* the first is none */
        gpc_policy_info info = GPC_POLICY_INFO_INIT;
        char spec[64];
        cr_assert_eq(gpc_policy_at(context, GPC_POLICY_PREFETCHER, p, &info, NULL), GPC_OK);
        snprintf(spec, sizeof spec, "%s%s", info.name, strcmp(info.name, "mta") ? "" : "(throttle=off)");
        for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
            cr_expect_eq(storm(settings[i], spec, false), storm(settings[i], spec, true), "%s, %s", spec, settings[i]);
    }
    gpc_context_destroy(context);
}

static void refuse(const char *settings, const char *message) {
    gpc_error error = GPC_ERROR_INIT;
    rig_refused(settings, &error);
    cr_expect(strstr(error.message, message), "%s: %s", settings, error.message);
}

Test(prefetch_l2, refused) {
    refuse("mode = functional\nl2.prefetcher = stride\n", "l2.prefetcher = stride: needs mode = timed");
    refuse("l2.enabled = false\nl2.prefetcher = stride\n", "l2.prefetcher = stride: needs l2.enabled = true");
    refuse("coherence.data = true\nl2.prefetcher = mta\n", "l2.prefetcher = mta: needs coherence.data = false");
    refuse("coherence = nmoesi\nl2.prefetcher = mta\n", "l2.prefetcher = none");
    refuse("l2.prefetcher = locality-aware(lines=4, threshold=4)\n", "l2: ");
}
