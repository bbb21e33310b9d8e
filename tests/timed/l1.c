/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "timed/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/*
 * The resources of L1, one at a time: n requests fit, one more waits. Times in other stages cancel: two runs that
 * differ in one key are compared.
 */

#define MEMORY 200u /* core cycles of the host's memory */
#define SET 4096u   /* bytes from a line to the next of the set */

static void warm(rig *r, uint64_t lines) {
    for (uint64_t i = 0; i < lines; i++)
        rig_push(r, LINE(GPC_LOAD, i * 128));
    rig_finish(r);
}

/* Core cycles of a load that hits. */
static uint64_t hit(const char *settings, shot s) {
    rig r;
    rig_open(&r, settings, MEMORY);
    warm(&r, 64);
    uint64_t cycles = rig_latency(&r, s);
    cr_expect_eq(r.done[r.issued - 1].level, 1, "%s", settings);
    rig_close(&r);
    return cycles;
}

/* From the tags, reached at the latest in the cycle after the issue, to the data. */
Test(timed_l1, latency) {
    static const unsigned latencies[] = {1, 2, 10, 35};
    uint64_t beside = hit("l1.latency = 1\n", LINE(GPC_LOAD, 0)) - 1;
    cr_expect_leq(beside, 1);
    for (unsigned i = 0; i < 4; i++) {
        char text[64];
        snprintf(text, sizeof text, "l1.latency = %u\n", latencies[i]);
        cr_expect_eq(hit(text, LINE(GPC_LOAD, 0)), latencies[i] + beside, "%s", text);
    }
}

/* No completion in cycle n - 1, a completion in cycle n. */
Test(timed_l1, nothing_before_its_cycle) {
    rig r;
    rig_open(&r, NULL, MEMORY);
    warm(&r, 1);
    uint64_t n = rig_latency(&r, LINE(GPC_LOAD, 0));
    cr_assert(n >= 10 && n <= 11);
    uint64_t token = rig_issue(&r, LINE(GPC_LOAD, 0));
    cr_assert_eq(gpc_hierarchy_advance(r.hierarchy, n - 1, NULL), GPC_OK);
    cr_expect_eq(r.done[token].times, 0);
    cr_expect_eq(gpc_hierarchy_in_flight(r.hierarchy), 1);
    cr_assert_eq(gpc_hierarchy_advance(r.hierarchy, 1, NULL), GPC_OK);
    cr_expect_eq(r.done[token].times, 1);
    cr_expect_eq(r.done[token].cycle, r.done[token].issued + n);
    cr_expect_eq(gpc_hierarchy_in_flight(r.hierarchy), 0);
    rig_close(&r);
}

/*
 * Times when eight misses of one instruction took MSHR entries, while memory never answers: the sum over entries of the
 * cycles since.
 */
static uint64_t entry_cycles(const char *settings, shot s, measured_stats *stats) {
    rig r;
    rig_open(&r, settings, MEMORY);
    r.memory.refuse = true;
    rig_issue(&r, s);
    rig_steps(&r, 100);
    *stats = rig_stats(&r);
    rig_release(&r);
    rig_close(&r);
    return stats->l1_mshr_cycles;
}

/* Through p ports line k passes the tags floor(k / p) cycles after the first. */
Test(timed_l1, tag_ports) {
    static const unsigned ports[] = {1, 2, 3, 4, 7, 8};
    measured_stats stats;
    uint64_t at_once = entry_cycles("l1.banks = 64\nl1.tag_ports = 64\n", WORDS(GPC_LOAD, 0, 8, 128), &stats);
    for (unsigned i = 0; i < 6; i++) {
        char text[64];
        uint64_t late = 0;
        for (unsigned k = 0; k < 8; k++)
            late += k / ports[i];
        snprintf(text, sizeof text, "l1.banks = 64\nl1.tag_ports = %u\n", ports[i]);
        cr_expect_eq(entry_cycles(text, WORDS(GPC_LOAD, 0, 8, 128), &stats), at_once - late, "%u ports", ports[i]);
        cr_expect_eq(stats.l1_bank_failures, 0);
    }
}

/* Four ports, four banks: by line number, and a lookup per bank and cycle. */
Test(timed_l1, tag_banks) {
    static const char text[] = "l1.tag_ports = 4\nl1.banks = 4\n";
    measured_stats stats;
    uint64_t spread = entry_cycles(text, WORDS(GPC_LOAD, 0, 4, 128), &stats);
    cr_expect_eq(stats.l1_bank_failures, 0);
    cr_expect_eq(entry_cycles(text, WORDS(GPC_LOAD, 0, 4, 512), &stats), spread - (1 + 2 + 3), "one bank");
    cr_expect_eq(stats.l1_bank_failures, 3, "each but the first was held up for a cycle");
    cr_expect_eq(entry_cycles(text, WORDS(GPC_LOAD, 0, 4, 256), &stats), spread - (1 + 1), "two banks");
    cr_expect_eq(entry_cycles(text, WORDS(GPC_LOAD, 0, 4, 384), &stats), spread, "three lines on, all four banks");
}

static uint64_t spread(const char *settings, bool hits, shot s, uint32_t count, uint64_t apart) {
    rig r;
    rig_open(&r, settings, MEMORY);
    if (hits)
        warm(&r, 64);
    uint64_t cycles = rig_spread(&r, s, count, apart);
    rig_close(&r);
    return cycles;
}

/* Twenty hits of a whole line each leave at the rate of the data port: 128 / width cycles apart. */
Test(timed_l1, data_port) {
    cr_expect_eq(spread("l1.data_width = 128B\n", true, LINE(GPC_LOAD, 0), 20, 128), 19);
    cr_expect_eq(spread("l1.data_width = 127B\n", true, LINE(GPC_LOAD, 0), 20, 128), 19 * 2);
    cr_expect_eq(spread("l1.data_width = 64B\n", true, LINE(GPC_LOAD, 0), 20, 128), 19 * 2);
    cr_expect_eq(spread("l1.data_width = 32B\n", true, LINE(GPC_LOAD, 0), 20, 128), 19 * 4);
    /* a word needs one sector */
    cr_expect_eq(spread("l1.data_width = 32B\n", true, WORD(GPC_LOAD, 0), 20, 128), 19);
    cr_expect_eq(spread("l1.data_width = 16B\n", true, WORD(GPC_LOAD, 0), 20, 128), 19 * 2);
}

/* A hit waits at the tags if the data port is behind by more than a hit's latency. */
Test(timed_l1, data_port_holds_up_the_tags) {
    rig r;
    gpc_busy busy = GPC_BUSY_NOT;
    rig_open(&r, "l1.queue = 1\nl1.data_width = 1B\n", MEMORY);
    warm(&r, 1);
    uint64_t before = r.issued;
    for (unsigned i = 0; i < 100; i++) {
        rig_try(&r, LINE(GPC_LOAD, 0), &busy);
        rig_step(&r);
    }
    cr_expect_eq(r.issued - before, 2, "one moves its 128 bytes for as many cycles, one waits");
    cr_expect_eq(busy, GPC_BUSY_PIPELINE);
    rig_close(&r);
}

/* The fill port with replies a cycle apart. */
Test(timed_l1, fill_port) {
    cr_expect_eq(spread("l1.fill_width = 128B\n", false, LINE(GPC_LOAD, 0), 20, 128), 19);
    cr_expect_eq(spread("l1.fill_width = 127B\n", false, LINE(GPC_LOAD, 0), 20, 128), 19 * 2);
    cr_expect_eq(spread("l1.fill_width = 32B\n", false, LINE(GPC_LOAD, 0), 20, 128), 19 * 4);
    cr_expect_eq(spread("l1.fill_width = 32B\n", false, WORD(GPC_LOAD, 0), 20, 128), 19, "one sector of each line");
}

/* Cycles from the first completion to the last of `count` loads, and counts of the tags. */
typedef struct held {
    uint64_t spread;
    measured_stats stats;
} held;

static held hold(const char *settings, uint64_t memory, shot s, uint32_t count, uint64_t apart) {
    rig r;
    held h;
    rig_open(&r, settings, memory);
    h.spread = rig_spread(&r, s, count, apart);
    h.stats = rig_stats(&r);
    rig_close(&r);
    return h;
}

/*
 * n loads of n lines have an MSHR entry each, and completions a cycle apart, whatever memory takes. The next load waits
 * until the first entry is free: a second round trip, and every additional cycle of memory.
 */
Test(timed_l1, mshr_entries) {
    for (unsigned n = 1; n <= 8; n *= 2) {
        char text[64];
        snprintf(text, sizeof text, "l1.mshr_entries = %u\n", n);
        held fit = hold(text, 200, LINE(GPC_LOAD, 0), n, 128), slower = hold(text, 300, LINE(GPC_LOAD, 0), n, 128);
        cr_expect_eq(fit.spread, n - 1);
        cr_expect_eq(slower.spread, n - 1);
        cr_expect_eq(fit.stats.l1_mshr_failures + fit.stats.l1_mshr_stalls, 0);
        fit = hold(text, 200, LINE(GPC_LOAD, 0), n + 1, 128);
        slower = hold(text, 300, LINE(GPC_LOAD, 0), n + 1, 128);
        cr_expect_gt(fit.spread, 200);
        cr_expect_eq(slower.spread, fit.spread + 100, "%u entries", n);
        cr_expect_eq(fit.stats.l1_mshr_failures, 1);
        cr_expect_eq(slower.stats.l1_mshr_stalls, fit.stats.l1_mshr_stalls + 100);
    }
}

/* m loads of one line share an entry. The next load waits for the data at the tags, and then hits. */
Test(timed_l1, mshr_merges) {
    for (unsigned m = 1; m <= 8; m *= 2) {
        char text[64];
        snprintf(text, sizeof text, "l1.mshr_merges = %u\n", m);
        held fit = hold(text, 200, LINE(GPC_LOAD, 0), m, 0);
        cr_expect_leq(fit.spread, m - 1);
        cr_expect_eq(fit.stats.l1_merge_failures + fit.stats.l1_merge_stalls, 0);
        cr_expect_eq(fit.stats.network_requests, 1);
        cr_expect_eq(fit.stats.l1_pending_sector_hits, 4 * (m - 1));
        fit = hold(text, 200, LINE(GPC_LOAD, 0), m + 1, 0);
        held slower = hold(text, 300, LINE(GPC_LOAD, 0), m + 1, 0);
        cr_expect_eq(fit.stats.l1_merge_failures, 1, "%u merges", m);
        cr_expect_eq(slower.stats.l1_merge_stalls, fit.stats.l1_merge_stalls + 100);
        cr_expect_eq(slower.spread, fit.spread, "no second round trip");
        cr_expect_eq(fit.stats.network_requests, 1);
        cr_expect_eq(fit.stats.l1_pending_sector_hits, 4 * m, "the tags were looked up before the wait");
    }
}

/* With n ways the n + 1st line of a set finds every way reserved, until the first is filled. */
Test(timed_l1, every_way_reserved) {
    for (unsigned n = 1; n <= 4; n *= 2) {
        char text[64];
        snprintf(text, sizeof text, "l1.ways = %u\nl1.size = %uKiB\n", n, 4 * n);
        held fit = hold(text, 200, LINE(GPC_LOAD, 0), n, SET);
        cr_expect_eq(fit.spread, n - 1);
        cr_expect_eq(fit.stats.l1_line_failures + fit.stats.l1_line_stalls, 0);
        fit = hold(text, 200, LINE(GPC_LOAD, 0), n + 1, SET);
        held slower = hold(text, 300, LINE(GPC_LOAD, 0), n + 1, SET);
        cr_expect_eq(slower.spread, fit.spread + 100, "%u ways", n);
        cr_expect_eq(fit.stats.l1_line_failures, 1);
        cr_expect_eq(slower.stats.l1_line_stalls, fit.stats.l1_line_stalls + 100);
        cr_expect_eq(fit.stats.l1_mshr_failures + fit.stats.l1_merge_failures + fit.stats.l1_queue_failures, 0);
        /* without a way at the miss there is no wait for one */
        char streaming[96];
        snprintf(streaming, sizeof streaming, "%sl1.allocate = streaming\n", text);
        cr_expect_eq(hold(streaming, 200, LINE(GPC_LOAD, 0), 3 * n, SET).spread, 3 * n - 1);
        cr_expect_eq(hold(text, 200, LINE(GPC_LOAD, 0, .hint = GPC_HINT_CG), 3 * n, SET).spread, 3 * n - 1);
    }
}

/* Reason named by a refusal: the resource the tags wait for. */
static gpc_busy busy_with(const char *settings, shot s, uint64_t apart) {
    rig r;
    gpc_busy busy = GPC_BUSY_NOT;
    rig_open(&r, settings, 1000);
    for (unsigned i = 0; i < 900; i++) {
        if (rig_try(&r, s, &busy) == GPC_OK)
            s.address += apart;
        rig_step(&r);
    }
    rig_close(&r);
    return busy;
}

Test(timed_l1, refusals_name_the_reason) {
    cr_expect_eq(busy_with("l1.queue = 1\nl1.mshr_entries = 4\n", LINE(GPC_LOAD, 0), 128), GPC_BUSY_MSHR);
    cr_expect_eq(busy_with("l1.queue = 1\nl1.mshr_merges = 4\n", LINE(GPC_LOAD, 0), 0), GPC_BUSY_MERGE);
    cr_expect_eq(busy_with("l1.queue = 1\n", LINE(GPC_LOAD, 0), SET), GPC_BUSY_LINE);
    cr_expect_eq(busy_with("l1.queue = 1\nl1.miss_queue = 2\nnetwork.input_buffer = 2\nnetwork.output_buffer = 2\n"
                           "l2.queue = 2\nl2.mshr_entries = 1\n",
                           LINE(GPC_LOAD, 0), 128),
                 GPC_BUSY_NETWORK);
    /* 32 lines of one instruction pass the tags in 32 cycles: meanwhile only the pipeline is busy */
    rig r;
    gpc_busy busy;
    rig_open(&r, "l1.queue = 1\n", MEMORY);
    warm(&r, 32);
    rig_issue(&r, WORDS(GPC_LOAD, 0, 32, 128));
    for (unsigned i = 0; i < 31; i++) {
        cr_expect_eq(rig_try(&r, WORD(GPC_LOAD, 0), &busy), GPC_BUSY, "cycle %u", i);
        cr_expect_eq(busy, GPC_BUSY_PIPELINE);
        rig_step(&r);
    }
    rig_steps(&r, 2);
    cr_expect_eq(rig_try(&r, WORD(GPC_LOAD, 0), &busy), GPC_OK);
    rig_close(&r);
}

/* n instructions wait for the tags if the first cannot pass. */
Test(timed_l1, queue) {
    unsigned before = 0;
    for (unsigned n = 1; n <= 5; n++) {
        rig r;
        char text[64];
        snprintf(text, sizeof text, "l1.queue = %u\nl1.mshr_entries = 1\n", n);
        rig_open(&r, text, 1000);
        for (unsigned i = 0; i < 500; i++) {
            rig_try(&r, LINE(GPC_LOAD, r.issued * 128), NULL);
            rig_step(&r);
        }
        unsigned accepted = (unsigned)r.issued;
        cr_expect_eq(accepted, n + 1, "one is past the tags and %u wait", n);
        cr_expect_eq(accepted, n == 1 ? 2 : before + 1);
        before = accepted;
        rig_close(&r);
    }
}

/* A refused SM is told when to try again, and then is not refused. */
Test(timed_l1, ready_after_a_refusal) {
    rig r;
    gpc_busy busy;
    rig_open(&r, "sm.count = 2\nl1.queue = 1\nl1.mshr_entries = 1\n", 300);
    rig_push(&r, LINE(GPC_LOAD, 0, .sm = 1));
    rig_push(&r, LINE(GPC_LOAD, 128, .sm = 1));
    rig_step(&r);
    cr_assert_eq(rig_try(&r, LINE(GPC_LOAD, 256, .sm = 1), &busy), GPC_BUSY);
    cr_expect_eq(busy, GPC_BUSY_MSHR);
    cr_expect_eq(rig_try(&r, LINE(GPC_LOAD, 0), NULL), GPC_OK, "the other SM does not care");
    uint64_t refused = rig_now(&r), ready = r.ready;
    while (r.ready == ready && rig_now(&r) < 2000)
        rig_step(&r);
    cr_assert_eq(r.ready, ready + 1);
    cr_expect_eq(r.ready_sm, 1);
    cr_expect_gt(rig_now(&r), refused + 250);
    cr_expect_eq(rig_try(&r, LINE(GPC_LOAD, 256, .sm = 1), &busy), GPC_OK);
    rig_finish(&r);
    cr_expect_eq(r.ready, ready + 1, "nobody else was refused");
    rig_close(&r);
}

/* Lines requested three times: data are ready together, or 4 sectors' cycles apart. */
Test(timed_l1, release_width) {
    static const char *const widths[] = {"l1.release_width = 0B\n", "l1.release_width = 32B\n",
                                         "l1.release_width = 128B\n"};
    static const uint64_t apart[] = {0, 4, 1};
    for (unsigned i = 0; i < 3; i++) {
        rig r;
        rig_open(&r, widths[i], MEMORY);
        for (unsigned n = 0; n < 3; n++)
            rig_push(&r, LINE(GPC_LOAD, 0));
        rig_finish(&r);
        /* first the joined loads, then the fetching load */
        cr_expect_eq(r.done[2].cycle, r.done[1].cycle + apart[i], "%s", widths[i]);
        cr_expect_eq(r.done[0].cycle, r.done[2].cycle + apart[i], "%s", widths[i]);
        rig_close(&r);
    }
}

static measured_stats stats_of_words(const char *settings, const uint64_t *addresses, unsigned count) {
    rig r;
    rig_open(&r, settings, MEMORY);
    for (unsigned n = 0; n < count; n++)
        rig_push(&r, WORD(GPC_LOAD, addresses[n]));
    rig_finish(&r);
    const measured_stats stats = rig_stats(&r);
    rig_close(&r);
    return stats;
}

static uint64_t merge_failures(const char *settings, const uint64_t *addresses, unsigned count) {
    return stats_of_words(settings, addresses, count).l1_merge_failures;
}

/* Two sectors of a line are requested twice each: four waiters, two for every sector. */
Test(timed_l1, merges_of_a_sector) {
    static const uint64_t two_each[] = {0, 4, 32, 36}, three[] = {0, 32, 4, 36, 8};
#define SECTORED "l1.sectors = 4\nl2.sectors = 4\nl1.mshr_merges = 2\n"
    cr_expect_eq(merge_failures(SECTORED "l1.mshr_merged = sector\n", two_each, 4), 0);
    cr_expect_gt(merge_failures(SECTORED "l1.mshr_merged = line\n", two_each, 4), 0);
    cr_expect_gt(merge_failures(SECTORED "l1.mshr_merged = sector\n", three, 5), 0);
}

/* Four sectors of a line, and a sector of another: two lines are in flight, or five sectors. */
Test(timed_l1, entries_of_sectors) {
    static const uint64_t five[] = {0, 32, 64, 96, 128};
#define ENTRIES "l1.sectors = 4\nl2.sectors = 4\nl1.mshr_entries = 4\n"
    cr_expect_eq(stats_of_words(ENTRIES "l1.mshr_merged = sector\n", five, 4).l1_mshr_failures, 0);
    cr_expect_gt(stats_of_words(ENTRIES "l1.mshr_merged = sector\n", five, 5).l1_mshr_failures, 0);
    cr_expect_eq(stats_of_words(ENTRIES "l1.mshr_merged = line\n", five, 5).l1_mshr_failures, 0);
}

/* Core cycles of a load of eight lines, of which L1 sends one every `interval` cycles. */
static uint64_t cycles_of_eight(unsigned interval) {
    char settings[64];
    snprintf(settings, sizeof settings, "l1.miss_queue = 8\nl1.miss_interval = %u\n", interval);
    rig r;
    rig_open(&r, settings, MEMORY);
    rig_push(&r, (shot){.kind = GPC_LOAD, .lanes = 8, .width = 4, .stride = 128});
    rig_finish(&r);
    const uint64_t cycles = r.done[0].cycle - r.done[0].issued;
    rig_close(&r);
    return cycles;
}

Test(timed_l1, miss_interval) {
    cr_expect_eq(cycles_of_eight(1), cycles_of_eight(0), "one lookup a cycle");
    cr_expect_eq(cycles_of_eight(50), cycles_of_eight(49) + 7);
}

/* Level serving a load of line `line` of a set of four, after an instruction with five lines. */
static unsigned level_after_five(const char *settings, uint64_t line) {
    rig r;
    rig_open(&r, settings, MEMORY);
    rig_push(&r, WORDS(GPC_LOAD, 0, 5, SET));
    rig_finish(&r);
    rig_latency(&r, WORD(GPC_LOAD, line * SET));
    const unsigned level = r.done[r.issued - 1].level;
    rig_close(&r);
    return level;
}

/* The line that reached the tags first makes room for the last. */
Test(timed_l1, line_order) {
    cr_expect_eq(level_after_five("l1.line_order = lanes\n", 0), 2);
    cr_expect_eq(level_after_five("l1.line_order = lanes\n", 4), 1);
    cr_expect_eq(level_after_five("l1.line_order = descending\n", 4), 2);
    cr_expect_eq(level_after_five("l1.line_order = descending\n", 0), 1);
}

/* Cycle of completion of a load waiting for the only MSHR entry, with `waiting` waiting loads. */
static uint64_t after_entry(const char *settings, unsigned waiting) {
    rig r;
    rig_open(&r, settings, MEMORY);
    for (unsigned n = 0; n < waiting; n++)
        rig_push(&r, WORD(GPC_LOAD, 0));
    rig_push(&r, WORD(GPC_LOAD, 128));
    rig_finish(&r);
    const uint64_t cycle = r.done[waiting].cycle;
    rig_close(&r);
    return cycle;
}

#define ONE_ENTRY "l1.mshr_entries = 1\nl1.mshr_merges = 8\nl1.release_width = 128B\nl1.sectors = 1\nl2.sectors = 1\n"
#define DRAINED "l1.mshr_free = drained\n"

/* A cycle per waiter, from the cycle after the fill on. */
Test(timed_l1, an_entry_drains) {
    const uint64_t filled = after_entry(ONE_ENTRY, 1);
    cr_expect_eq(after_entry(ONE_ENTRY, 5), filled);
    for (unsigned waiting = 1; waiting < 6; waiting++)
        cr_expect_eq(after_entry(ONE_ENTRY DRAINED, waiting), filled + waiting, "%u", waiting);
}

/*
 * Four loads wait for a line of a set, one each for three others, and a fifth line for a way: it takes the way of the
 * first on arrival. Another load of the first line misses, and finds the entry.
 */
static void takes_from_entry(const char *settings, unsigned level, uint64_t hits_and_joins) {
    rig r;
    rig_open(&r, settings, MEMORY);
    for (unsigned n = 0; n < 4; n++)
        rig_push(&r, WORD(GPC_LOAD, 0));
    for (uint64_t line = 1; line < 5; line++)
        rig_push(&r, WORD(GPC_LOAD, line * SET));
    const uint64_t last = rig_push(&r, WORD(GPC_LOAD, 0));
    rig_finish(&r);
    cr_expect_eq(r.done[last].level, level, "%s", settings);
    cr_expect_eq(r.done[last].cycle < r.done[0].cycle + 20, level == 1, "%s: without a way to L2", settings);
    cr_expect_eq(rig_stats(&r).l1_load_lines - rig_stats(&r).l1_load_line_misses, hits_and_joins, "%s", settings);
    rig_close(&r);
}

Test(timed_l1, an_entry_outlives_its_line) {
#define WHOLE "l1.mshr_merges = 8\nl1.release_width = 128B\nl1.sectors = 1\nl2.sectors = 1\n"
    takes_from_entry(WHOLE, 2, 3);
    takes_from_entry(WHOLE DRAINED, 1, 3);
    /* four wait already: the load waits until the first has had a turn, and then finds the entry */
    takes_from_entry("l1.mshr_merges = 4\nl1.release_width = 128B\nl1.sectors = 1\nl2.sectors = 1\n" DRAINED, 1, 3);
}

#define RESERVING "l1.mshr_free = drained-reserving\n"

/*
 * Loads of a line wait for the line, four more lines then take the ways of the set, the line's own last, and a further
 * load of the line finds the entry.
 */
static void loses_its_line(rig *r, const char *settings) {
    rig_open(r, settings, MEMORY);
    for (uint64_t line = 1; line < 4; line++)
        rig_latency(r, WORD(GPC_LOAD, line * SET));
    rig_push(r, WORD(GPC_LOAD, 0));
    for (uint64_t line = 4; line < 7; line++)
        rig_push(r, WORD(GPC_LOAD, line * SET));
    for (unsigned n = 0; n < 30; n++)
        rig_push(r, WORD(GPC_LOAD, 0));
    rig_push(r, WORD(GPC_LOAD, 7 * SET));
    rig_push(r, WORD(GPC_LOAD, 0));
    rig_finish(r);
    cr_expect_eq(r->done[r->issued - 1].level, 1, "%s: with the entry's data", settings);
}

static unsigned level_of(rig *r, uint64_t line) {
    rig_latency(r, WORD(GPC_LOAD, line * SET));
    return r->done[r->issued - 1].level;
}

static uint64_t missed(const rig *r) {
    return rig_stats(r).l1_load_line_misses;
}

#define LONG "l1.mshr_merges = 64\nl1.release_width = 128B\nl1.sectors = 1\nl2.sectors = 1\n"

/* The load has taken a way: one line of the set less is present. There was no request to L2. */
Test(timed_l1, a_late_load_reserves_a_line) {
    static const char *const settings[] = {LONG DRAINED, LONG RESERVING};
    for (unsigned reserves = 0; reserves < 2; reserves++) {
        rig r;
        loses_its_line(&r, settings[reserves]);
        cr_expect_eq(missed(&r), 3 + 1 + 4 + 1, "%s", settings[reserves]);
        cr_expect_eq(rig_stats(&r).l1_fetched_sectors, (3 + 1 + 4) * 4, "%s", settings[reserves]);
        for (uint64_t line = 5; line < 8; line++)
            cr_expect_eq(level_of(&r, line), 1, "%s", settings[reserves]);
        cr_expect_eq(level_of(&r, 4), reserves ? 2 : 1, "%s", settings[reserves]);
        rig_close(&r);
    }
}

/* The line stays, in spite of new lines in the set, until requested again: a pending hit that sends. */
Test(timed_l1, a_reserved_line_is_asked_for_again) {
    rig r;
    loses_its_line(&r, LONG RESERVING);
    for (uint64_t line = 8; line < 20; line++)
        cr_expect_eq(level_of(&r, line), 3);
    const uint64_t misses = missed(&r), pending = rig_stats(&r).l1_pending_sector_hits,
                   fetched = rig_stats(&r).l1_fetched_sectors;
    rig_push(&r, WORD(GPC_LOAD, 0));
    rig_push(&r, WORD(GPC_LOAD, 0)); /* joins the previous one */
    rig_finish(&r);
    cr_expect_eq(r.done[r.issued - 2].level, 2);
    cr_expect_eq(r.done[r.issued - 1].level, 2);
    cr_expect_eq(missed(&r), misses);
    cr_expect_eq(rig_stats(&r).l1_pending_sector_hits, pending + 2);
    cr_expect_eq(rig_stats(&r).l1_fetched_sectors, fetched + 4);
    cr_expect_eq(level_of(&r, 0), 1, "now it is a line as any other");
    for (uint64_t line = 20; line < 24; line++)
        level_of(&r, line);
    cr_expect_eq(level_of(&r, 0), 2);
    rig_close(&r);
}

/* A reserved line also ends if a kernel begins with an empty L1. */
Test(timed_l1, a_reserved_line_ends_with_its_kernel) {
    rig r;
    gpc_error error = GPC_ERROR_INIT;
    loses_its_line(&r, LONG RESERVING "kernels.flush = l1\n");
    cr_assert_eq(gpc_hierarchy_begin_kernel(r.hierarchy, NULL, &error), GPC_OK, "%s", error.message);
    const uint64_t misses = missed(&r);
    for (uint64_t line = 0; line < 4; line++)
        cr_expect_eq(level_of(&r, line), 2);
    cr_expect_eq(missed(&r), misses + 4);
    for (uint64_t line = 0; line < 4; line++)
        cr_expect_eq(level_of(&r, line), 1);
    rig_close(&r);
}

#define FEW LONG "l1.size = 1KiB\nl1.mshr_entries = 24\n"

/* Misses of loads, stores and atomics on few sets, all ending. */
static uint64_t misses_of_storm(const char *settings, uint64_t random) {
    rig r;
    rig_open(&r, settings, 20 + rig_below(&random, 200));
    for (unsigned i = 0; i < 3000; i++) {
        const uint32_t kind = rig_below(&random, 20), line = rig_below(&random, 2) ? 0 : rig_below(&random, 12);
        rig_push(&r, WORD(kind < 18 ? GPC_LOAD : kind < 19 ? GPC_STORE : GPC_ATOMIC, line * 256));
    }
    rig_finish(&r);
    const uint64_t misses = missed(&r);
    rig_close(&r);
    return misses;
}

Test(timed_l1, reserved_lines_in_a_storm) {
    unsigned differ = 0;
    for (uint64_t random = 1; random <= 8; random++)
        differ += misses_of_storm(FEW DRAINED, random) != misses_of_storm(FEW RESERVING, random);
    cr_expect_gt(differ, 4, "%u", differ);
}

Test(timed_l1, drained_needs) {
    static const char *const wrong[] = {"l1.sectors = 1\n", "l1.release_width = 128B\nl1.sectors = 4\n",
                                        "l1.release_width = 128B\nl1.sectors = 1\ncoherence.data = true\n"};
    for (unsigned i = 0; i < 3; i++) {
        gpc_error error = GPC_ERROR_INIT;
        char text[4096];
        snprintf(text, sizeof text, "%s%s" DRAINED, rig_base, wrong[i]);
        cr_expect_eq(rig_refused(text, &error), GPC_ERROR_RANGE);
        cr_expect(strstr(error.message, "l1.mshr_free = drained needs"), "%s", error.message);
    }
    static const char *const allocate[] = {"on-fill", "streaming", "replaceable"};
    for (unsigned i = 0; i < 3; i++) {
        gpc_error error = GPC_ERROR_INIT;
        char text[4096];
        snprintf(text, sizeof text, "%s" LONG RESERVING "l1.allocate = %s\n", rig_base, allocate[i]);
        cr_expect_eq(rig_refused(text, &error), GPC_ERROR_RANGE);
        cr_expect(strstr(error.message, "l1.mshr_free = drained-reserving needs"), "%s", error.message);
    }
}
