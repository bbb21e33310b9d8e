/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "timed/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/*
 * Bypasses of L1: moved bytes, decisions before the move, and loads that pass an L1 without room. Lines 4 KiB apart
 * share a set of 4 ways.
 */

#define MEMORY 200u
#define SET 4096u
#define TRAFFIC(s, replies) ((s).network_reply_bytes - 8 * (uint64_t)(replies)) /* without headers */

/* A replacement policy that keeps old lines; it declines at the miss, at the fill, or both. */
static uint32_t asked, chosen, admitted;

static bool miser_declines(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)self, (void)set, (void)candidates, (void)request;
    asked++;
    return true;
}

static bool doubter_declines(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    miser_declines(self, set, candidates, request);
    return false;
}

static uint32_t keep_all(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)self, (void)set, (void)candidates;
    chosen++;
    admitted += request->policy.admitted;
    return GPC_WAY_BYPASS;
}

static const gpc_replacement_ops late = {.struct_size = sizeof late, .name = "late", .choose_victim = keep_all},
                                 miser = {.struct_size = sizeof miser,
                                          .name = "miser",
                                          .choose_victim = keep_all,
                                          .declines = miser_declines},
                                 doubter = {.struct_size = sizeof doubter,
                                            .name = "doubter",
                                            .choose_victim = keep_all,
                                            .declines = doubter_declines};

static void open_with(rig *r, const char *settings, const char *replacement) {
    gpc_error error = GPC_ERROR_INIT;
    char text[64];
    const gpc_replacement_ops *ops[] = {&late, &miser, &doubter};
    asked = chosen = admitted = 0;
    rig_open(r, settings, MEMORY);
    for (unsigned i = 0; i < 3; i++)
        cr_assert_eq(gpc_context_register_replacement(r->context, ops[i], NULL, NULL, &error), GPC_OK, "%s",
                     error.message);
    snprintf(text, sizeof text, "l1.replacement = %s\n", replacement);
    rig_reopen(r, text, MEMORY);
}

/* Five lines of one set in sequence: the fifth finds the set full. Bytes of the fifth reply. */
static uint64_t fifth(const char *replacement, const char *settings, measured_stats *stats) {
    rig r;
    open_with(&r, settings, replacement);
    for (unsigned i = 0; i < 4; i++)
        rig_latency(&r, WORD(GPC_LOAD, i * SET));
    gpc_hierarchy_reset_stats(r.hierarchy);
    rig_latency(&r, WORD(GPC_LOAD, 4 * SET));
    *stats = rig_stats(&r);
    cr_expect_eq(stats->network_replies, 1);
    for (unsigned i = 0; i < 4; i++)
        rig_latency(&r, WORD(GPC_LOAD, i * SET));
    cr_expect_eq(rig_stats(&r).l1_load_sector_hits, 4, "%s: all four are still there", replacement);
    rig_close(&r);
    return TRAFFIC(*stats, 1);
}

/* A policy that declines when the way is reserved does so before any move: 32 bytes of a line of one sector. */
Test(timed_bypass, declined_on_miss) {
    measured_stats s;
    cr_expect_eq(fifth("late", "l1.sectors = 1\n", &s), 32);
    cr_expect_eq(s.l1_bypasses, 1);
    cr_expect_eq(s.l1_bypassed_sectors, 1);
    cr_expect_eq(s.l1_fetches[1], 1);
    cr_expect_eq(s.l1_bypass_fetches[1], 1);
    cr_expect_eq(chosen, 1);
    cr_expect_eq(fifth("late", "l1.sectors = 1\nl1.bypass_fetch = line\n", &s), 128);
    cr_expect_eq(s.l1_bypassed_sectors, 4);
    cr_expect_eq(s.l1_bypass_fetches[4], 1);
    cr_expect_eq(fifth("miser", "l1.sectors = 1\n", &s), 32);
    cr_expect_eq(asked, 0, "it is asked to choose, and no more");
}

/* On fill, a policy silent at the miss has 128 bytes moved in vain. */
Test(timed_bypass, declined_on_fill) {
    static const char *const allocate[] = {"l1.sectors = 1\nl1.allocate = on-fill\n",
                                           "l1.sectors = 1\nl1.allocate = streaming\n"};
    for (unsigned i = 0; i < 2; i++) {
        measured_stats s;
        cr_expect_eq(fifth("late", allocate[i], &s), 128);
        cr_expect_eq(s.l1_bypasses, 1);
        cr_expect_eq(s.l1_bypassed_sectors, 4);
        cr_expect_eq(fifth("miser", allocate[i], &s), 32);
        cr_expect_eq(s.l1_bypasses, 1);
        cr_expect_eq(s.l1_bypassed_sectors, 1);
        cr_expect_eq(asked, 1);
        cr_expect_eq(chosen, 0, "the four found free ways, the fifth was declined at once");
        cr_expect_eq(fifth("doubter", allocate[i], &s), 128);
        cr_expect_eq(asked, 1);
        cr_expect_eq(chosen, 1, "it thinks better of it");
        cr_expect_eq(admitted, 1);
        cr_expect_eq(s.l1_bypasses, 1);
    }
}

/* A functional hierarchy asks before fetching, with any allocation. */
Test(timed_bypass, declined_in_functional_mode) {
    static const char *const settings[] = {"mode = functional\nl1.sectors = 1\n",
                                           "mode = functional\nl1.sectors = 1\nl1.allocate = on-fill\n"};
    for (unsigned i = 0; i < 2; i++) {
        gpc_context *context;
        gpc_config *config;
        gpc_hierarchy *h;
        gpc_error error = GPC_ERROR_INIT;
        cr_assert_eq(gpc_context_create(NULL, &context, &error), GPC_OK);
        cr_assert_eq(gpc_context_register_replacement(context, &miser, NULL, NULL, &error), GPC_OK);
        cr_assert_eq(gpc_config_create(context, &config, &error), GPC_OK);
        cr_assert_eq(gpc_config_load_text(config, rig_base, "base", &error), GPC_OK);
        cr_assert_eq(gpc_config_load_text(config, settings[i], "settings", &error), GPC_OK);
        cr_assert_eq(gpc_config_set(config, "l1.replacement", "miser", &error), GPC_OK);
        cr_assert_eq(gpc_hierarchy_create(context, config, &h, &error), GPC_OK, "%s", error.message);
        for (uint64_t line = 0; line < 5; line++) {
            uint64_t address = line * SET;
            gpc_warp_access access = GPC_WARP_ACCESS_INIT;
            access.mask = 1;
            access.width = 4;
            access.addresses = &address;
            cr_assert_eq(gpc_hierarchy_access(h, &access, NULL, NULL), GPC_OK);
        }
        measured_stats s;
        measured_clear(&s);
        measure_hierarchy(h, &s);
        cr_expect_eq(s.l1_fetches[4], 4);
        cr_expect_eq(s.l1_fetches[1], 1);
        cr_expect_eq(s.l1_bypass_fetches[1], 1);
        cr_expect_eq(s.l1_bypasses, 1);
        gpc_hierarchy_destroy(h);
        gpc_config_destroy(config);
        gpc_context_destroy(context);
    }
}

/* A word through L1s of one and of four sectors: a predictor's bypass moves the needed bytes, or a fill's. */
Test(timed_bypass, of_the_predictor) {
    static const struct {
        const char *settings;
        uint64_t bytes;
    } cases[] = {{"l1.sectors = 1\n", 32},
                 {"l1.sectors = 1\nl1.bypass_fetch = line\n", 128},
                 {"l1.bypass_fetch = line\n", 32},
                 {"l1.fetch_sectors = 2\nl1.bypass_fetch = line\n", 64},
                 {"l1.fetch_sectors = 2\n", 32},
                 {"l1.sectors = 2\n", 32},
                 {"l1.sectors = 2\nl1.bypass_fetch = line\n", 64}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        rig r;
        rig_open(&r, cases[i].settings, MEMORY);
        rig_latency(&r, WORD(GPC_LOAD, 96, .hint = GPC_HINT_CG));
        measured_stats s = rig_stats(&r);
        cr_expect_eq(TRAFFIC(s, 1), cases[i].bytes, "%s", cases[i].settings);
        cr_expect_eq(s.l1_bypass_fetches[cases[i].bytes / 32], 1, "%s", cases[i].settings);
        cr_expect_eq(s.l1_fetched_sectors, cases[i].bytes / 32, "%s", cases[i].settings);
        cr_expect_eq(s.l1_bypassed_sectors, cases[i].bytes / 32, "%s", cases[i].settings);
        rig_close(&r);
    }
}

/*
 * A line of one sector, of which bypassing loads have fetched only segments 0 and 2: another load of segment 2 waits
 * with the second, a load of segment 3 is fetched separately, and a load to be kept fetches the line.
 */
Test(timed_bypass, segments_in_flight) {
    rig r;
    rig_open(&r, "l1.sectors = 1\n", MEMORY);
    rig_issue(&r, WORD(GPC_LOAD, 0, .hint = GPC_HINT_CG));
    rig_issue(&r, WORD(GPC_LOAD, 64, .hint = GPC_HINT_CG));
    rig_issue(&r, WORD(GPC_LOAD, 68, .hint = GPC_HINT_CG));
    rig_steps(&r, 50);
    measured_stats s = rig_stats(&r);
    cr_expect_eq(s.l1_fetches[1], 2);
    cr_expect_eq(s.l1_pending_sector_hits, 1);
    rig_issue(&r, WORD(GPC_LOAD, 96, .hint = GPC_HINT_CG));
    uint64_t kept = rig_issue(&r, WORD(GPC_LOAD, 0));
    uint64_t with_it = rig_issue(&r, WORD(GPC_LOAD, 32));
    rig_steps(&r, 20);
    s = rig_stats(&r);
    cr_expect_eq(s.l1_fetches[1], 3);
    cr_expect_eq(s.l1_fetches[4], 1);
    cr_expect_eq(s.l1_pending_sector_hits, 2);
    rig_finish(&r);
    cr_expect_geq(r.done[with_it].cycle, r.done[kept].cycle);
    s = rig_stats(&r);
    cr_expect_eq(TRAFFIC(s, 4), 3 * 32 + 128);
    cr_expect_eq(s.l1_bypassed_sectors, 3);
    cr_expect_eq(s.l1_load_line_misses, 4);
    rig_latency(&r, LINE(GPC_LOAD, 0));
    cr_expect_eq(r.done[r.issued - 1].level, 1, "the whole line has been kept");
    rig_close(&r);
}

/*
 * Without MSHR entries each bypassing load goes below by itself: nothing joins, and the only entry may be taken. A load
 * that the replacement policy declines is no predictor's, and keeps to the entries.
 */
Test(timed_bypass, past_the_mshrs) {
    for (unsigned mshrs = 0; mshrs < 2; mshrs++) {
        rig r;
        rig_open(&r, mshrs ? "l1.mshr_entries = 1\n" : "l1.mshr_entries = 1\nl1.bypass_mshrs = false\n", MEMORY);
        const uint64_t alone = rig_latency(&r, WORD(GPC_LOAD, 8 * SET, .hint = GPC_HINT_CG));
        rig_issue(&r, WORD(GPC_LOAD, 0));
        const uint64_t past = rig_push(&r, WORD(GPC_LOAD, 64 + SET, .hint = GPC_HINT_CG)),
                       again = rig_push(&r, WORD(GPC_LOAD, 68 + SET, .hint = GPC_HINT_CG, .warp = 1));
        rig_finish(&r);
        const measured_stats s = rig_stats(&r);
        cr_expect_eq(s.l1_bypasses, 3);
        cr_expect_eq(s.l1_bypassed_sectors, mshrs ? 2 : 3);
        cr_expect_eq(s.l1_pending_sector_hits, mshrs);
        cr_expect_eq(TRAFFIC(s, mshrs ? 3 : 4), (mshrs ? 3 : 4) * 32);
        cr_expect_eq(r.done[past].cycle - r.done[past].issued > alone + MEMORY / 2, mshrs, "waits for the entry");
        cr_expect_eq(r.done[again].level, 3);
        cr_expect_eq(s.l1_mshr_stalls > 0, mshrs);
        rig_close(&r);
    }
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_eq(rig_refused("l1.bypass_mshrs = false\nl1.bypass = agcb\n", &error), GPC_ERROR_RANGE);
    cr_expect_not_null(strstr(error.message, "l1.bypass = agcb learns"), "%s", error.message);
    cr_expect_eq(rig_refused("l1.bypass_mshrs = false\nl1.bypass_fetch = line\n", &error), GPC_ERROR_RANGE);
    cr_expect_not_null(strstr(error.message, "needs l1.bypass_fetch = segments"), "%s", error.message);
    measured_stats s;
    cr_expect_eq(fifth("miser", "l1.bypass_mshrs = false\n", &s), 32);
}

/* Data for a bypassing load leave no trace, even if another load waits for the rest of the line. */
Test(timed_bypass, keeps_nothing_of_a_part) {
    rig r;
    rig_open(&r, "l1.sectors = 1\nl1.allocate = on-fill\n", MEMORY);
    uint64_t first = rig_issue(&r, WORD(GPC_LOAD, 0, .hint = GPC_HINT_CG));
    rig_steps(&r, 100);
    rig_issue(&r, WORD(GPC_LOAD, 64));
    rig_wait(&r, first);
    gpc_line line;
    uint64_t cursor = 0;
    cr_expect_eq(gpc_cache_next_line(gpc_hierarchy_cache(r.hierarchy, 1, 0), &cursor, &line, NULL), GPC_END);
    rig_finish(&r);
    cursor = 0;
    cr_assert_eq(gpc_cache_next_line(gpc_hierarchy_cache(r.hierarchy, 1, 0), &cursor, &line, NULL), GPC_OK);
    cr_expect_eq(line.valid_sectors, 1);
    rig_close(&r);
}

/* Past an L1 that cannot take a load (mrpb) */

/* Loads of n lines of one set, a cycle apart, before any data return. */
static measured_stats crowd(rig *r, const char *settings, unsigned lines, uint64_t apart) {
    rig_open(r, settings, MEMORY);
    for (unsigned i = 0; i < lines; i++)
        rig_issue(r, WORD(GPC_LOAD, i * apart));
    rig_steps(r, 60);
    return rig_stats(r);
}

/* Every way reserved: the fifth line waits for the first one's data, or bypasses L1. */
Test(timed_bypass, line_stall) {
    rig r;
    measured_stats s = crowd(&r, "l1.bypass = hint\n", 6, SET);
    cr_expect_eq(s.l1_line_failures, 1);
    cr_expect_eq(s.network_requests, 4);
    rig_finish(&r);
    cr_expect_eq(rig_stats(&r).l1_fetched_sectors, 6);
    cr_expect_gt(rig_stats(&r).l1_line_stalls, 100);
    rig_close(&r);
    s = crowd(&r, "l1.bypass = mrpb\n", 6, SET);
    cr_expect_eq(s.l1_line_failures, 0);
    cr_expect_eq(s.l1_line_bypasses, 2);
    cr_expect_eq(s.network_requests, 6);
    rig_finish(&r);
    s = rig_stats(&r);
    cr_expect_eq(s.l1_line_stalls, 0);
    cr_expect_eq(s.l1_bypasses, 2);
    cr_expect_eq(s.l1_bypassed_sectors, 2);
    cr_expect_eq(s.l1_evictions, 0);
    cr_expect_eq(s.l1_load_line_misses, 6);
    cr_expect_eq(s.l1_load_dram_lines, 6);
    for (unsigned i = 0; i < 6; i++)
        rig_latency(&r, WORD(GPC_LOAD, (5 - i) * SET));
    cr_expect_eq(rig_stats(&r).l1_load_sector_hits, 2, "4 and 5 were not kept, and take the places of 0 and 1");
    rig_close(&r);
}

/* By hand: two entries, four lines of four sets. The third and fourth bypass L1 if told so, otherwise they wait. */
Test(timed_bypass, mshr_stall) {
    rig r;
    measured_stats s = crowd(&r, "l1.mshr_entries = 2\nl1.bypass = mrpb(mshr=0)\n", 4, 128);
    cr_expect_eq(s.l1_mshr_failures, 1, "that is no associativity stall");
    cr_expect_eq(s.network_requests, 2);
    rig_finish(&r);
    rig_close(&r);
    s = crowd(&r, "l1.mshr_entries = 2\nl1.bypass = mrpb\n", 4, 128);
    cr_expect_eq(s.l1_mshr_failures, 0);
    cr_expect_eq(s.l1_mshr_bypasses, 2);
    cr_expect_eq(s.network_requests, 4);
    uint64_t merged = rig_issue(&r, WORD(GPC_LOAD, 4));
    rig_finish(&r);
    cr_expect_eq(rig_stats(&r).l1_mshr_bypasses, 2, "what can merge does");
    cr_expect_eq(r.done[merged].times, 1);
    cr_expect_eq(rig_stats(&r).network_requests, 4);
    rig_close(&r);
}

/* A miss queue of one, and a network with 40 cycles per packet: as many loads as places pass the queue. */
Test(timed_bypass, queue_stall) {
    static const char *const settings = "network.width = 1B\nnetwork.header = 40B\nnetwork.input_buffer = 1\n"
                                        "l1.miss_queue = 1\n";
    static const struct {
        const char *more;
        unsigned failures, bypasses;
    } cases[] = {{"l1.bypass = mrpb(queue=0)\n", 1, 0},
                 {"l1.bypass = mrpb(queue=1)\nl1.bypass_queue = 0\n", 1, 0},
                 {"l1.bypass = mrpb(queue=1)\n", 1, 1},
                 {"l1.bypass = mrpb(queue=1)\nl1.bypass_queue = 3\n", 1, 3},
                 {"l1.bypass = mrpb(queue=1)\nl1.bypass_queue = 100\n", 0, 17}};
    uint64_t held = 0;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256];
        rig r;
        snprintf(text, sizeof text, "%s%s", settings, cases[i].more);
        rig_open(&r, text, MEMORY);
        for (unsigned line = 0; line < 20; line++)
            rig_issue(&r, WORD(GPC_LOAD, line * 128));
        rig_steps(&r, 30);
        measured_stats s = rig_stats(&r);
        cr_expect_eq(s.l1_queue_failures, cases[i].failures, "%s", text);
        if (i == 0)
            held = s.l1_fetched_sectors;
        cr_expect_eq(s.l1_fetched_sectors, held + s.l1_queue_bypasses, "%s", text);
        if (cases[i].failures)
            cr_expect_eq(s.l1_queue_bypasses, cases[i].bypasses, "%s", text);
        else
            cr_expect_eq(s.l1_queue_bypasses, 20 - held, "%s", text);
        rig_finish(&r);
        rig_close(&r);
    }
}

/* Data not yet in L2 are not requested there: dirty sectors here, and the line of a store waiting for a fetch. */
Test(timed_bypass, not_past_what_is_written_here) {
    static const char *const back = "l1.write_policy = back\nl1.write_allocate = fetch\nl1.mshr_entries = 1\n"
                                    "l1.bypass = mrpb(mshr=1)\n";
    rig r;
    rig_open(&r, back, MEMORY);
    rig_latency(&r, WORDS(GPC_STORE, 0, 8, 4)); /* sector 0, dirty */
    rig_issue(&r, WORD(GPC_LOAD, 128));         /* takes the only entry */
    rig_step(&r);
    uint64_t dirty = rig_issue(&r, LINE(GPC_LOAD, 0)); /* sectors 1 to 3 are missing */
    rig_steps(&r, 20);
    measured_stats s = rig_stats(&r);
    cr_expect_eq(s.l1_mshr_failures, 1);
    cr_expect_eq(s.l1_mshr_bypasses, 0);
    rig_finish(&r);
    cr_expect_eq(r.done[dirty].times, 1);
    rig_close(&r);
    rig_open(&r, back, MEMORY);
    rig_issue(&r, WORD(GPC_STORE, 0)); /* waits for the rest of the sector, with the only entry */
    rig_step(&r);
    uint64_t after = rig_issue(&r, WORD(GPC_LOAD, 4));
    rig_steps(&r, 20);
    cr_expect_eq(rig_stats(&r).l1_mshr_bypasses, 0);
    rig_finish(&r);
    cr_expect_eq(r.done[after].times, 1);
    cr_expect_eq(rig_stats(&r).network_requests, 1);
    rig_close(&r);
}

/*
 * seeds/004, Figure 5.10: with more lines than ways in flight, a policy that only replaces holds up L1's tags; a
 * bypassing policy does not. Warp w of 8 reads line w of a set of 4 ways, repeatedly.
 */
static measured_stats many_warps(const char *settings) {
    rig r;
    rig_open(&r, settings, MEMORY);
    for (unsigned round = 0; round < 10; round++)
        for (unsigned warp = 0; warp < 8; warp++)
            rig_push(&r, WORD(GPC_LOAD, warp * SET, .warp = warp, .age = warp));
    rig_finish(&r);
    measured_stats s = rig_stats(&r);
    rig_close(&r);
    return s;
}

Test(timed_bypass, reservation_failures_fall) {
    measured_stats replaces = many_warps("l1.replacement = lru\n"), bypasses = many_warps("l1.bypass = mrpb\n");
    cr_expect_geq(replaces.l1_line_failures, 10, "%u", (unsigned)replaces.l1_line_failures);
    cr_expect_gt(replaces.l1_line_stalls, replaces.l1_line_failures);
    cr_expect_eq(bypasses.l1_line_failures, 0);
    cr_expect_eq(bypasses.l1_line_stalls, 0);
    cr_expect_lt(bypasses.cycles, replaces.cycles);
}
