/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/gpucache.h>

#include "base/base.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* agcb in a whole hierarchy, functional and timed: findings of L2's bit about L1's bypasses. */

static const char base[] = "sm.count = 2\n"
                           "l1.size = 1KiB\nl1.ways = 2\nl1.line = 128B\nl1.sectors = 4\n"
                           "l1.write_policy = evict\nl1.write_policy_local = evict\n"
                           "l1.write_allocate = none\nl1.write_allocate_local = none\n"
                           "l2.size = 16KiB\nl2.slices = 1\nl2.ways = 4\nl2.line = 128B\nl2.sectors = 4\n"
                           "l2.write_policy = back\nl2.write_allocate = fetch\n"
                           "kernels.flush = none\nlaunch.sectors = 0\nl1.bypass = agcb\n";

typedef struct whole {
    gpc_context *context;
    gpc_config *config;
    gpc_hierarchy *hierarchy;
    bool timed;
} whole;

static gpc_status make(whole *s, bool timed, const char *settings, gpc_error *error) {
    *s = (whole){.timed = timed};
    cr_assert_eq(gpc_context_create(NULL, &s->context, error), GPC_OK, "%s", error->message);
    cr_assert_eq(gpc_config_create(s->context, &s->config, error), GPC_OK, "%s", error->message);
    const char *texts[] = {base, timed ? "mode = timed\n" : "mode = functional\n", settings};
    for (unsigned i = 0; i < 3; i++)
        cr_assert_eq(gpc_config_load_text(s->config, texts[i], NULL, error), GPC_OK, "%s", error->message);
    return gpc_hierarchy_create(s->context, s->config, &s->hierarchy, error);
}

static void start(whole *s, bool timed, const char *settings) {
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(make(s, timed, settings, &error), GPC_OK, "%s: %s", settings, error.message);
}

static void finish(whole *s) {
    gpc_hierarchy_destroy(s->hierarchy);
    gpc_config_destroy(s->config);
    gpc_context_destroy(s->context);
}

static measured_stats stats_of(const whole *s) {
    measured_stats stats;
    measured_clear(&stats);
    cr_assert_eq(measure_hierarchy(s->hierarchy, &stats), GPC_OK);
    return stats;
}

/* One warp access, to the end. */
static void run(whole *s, const gpc_warp_access *w) {
    gpc_error error = GPC_ERROR_INIT;
    if (!s->timed) {
        cr_assert_eq(gpc_hierarchy_access(s->hierarchy, w, NULL, NULL), GPC_OK);
        return;
    }
    gpc_busy why;
    cr_assert_eq(gpc_hierarchy_try_issue(s->hierarchy, w, 0, &why, NULL), GPC_OK);
    cr_assert_eq(gpc_hierarchy_drain(s->hierarchy, &error), GPC_OK, "%s", error.message);
}

static void word(whole *s, uint32_t sm, uint64_t pc, uint64_t address) {
    gpc_warp_access w = GPC_WARP_ACCESS_INIT;
    w.sm = sm;
    w.pc = pc;
    w.mask = 1;
    w.addresses = &address;
    w.width = 4;
    w.kind = GPC_LOAD;
    run(s, &w);
}

/* Result of a load of a word, by counters: h hit, m cached, b bypassed, o bypass overturned. */
static char load(whole *s, uint32_t sm, uint64_t pc, uint64_t address) {
    measured_stats before = stats_of(s);
    word(s, sm, pc, address);
    measured_stats after = stats_of(s);
    uint64_t hits = after.l1_load_sector_hits - before.l1_load_sector_hits;
    uint64_t bypasses = after.l1_bypasses - before.l1_bypasses;
    uint64_t overturned = after.l1_overturned_bypasses - before.l1_overturned_bypasses;
    cr_assert_eq(after.l1_predictions - before.l1_predictions, 1 - hits);
    cr_assert_leq(hits + bypasses + overturned, 1);
    return hits ? 'h' : bypasses ? 'b' : overturned ? 'o' : 'm';
}

static void loads(whole *s, const char *what, uint32_t sm, uint64_t address, const char *expected) {
    for (size_t i = 0; expected[i]; i++) {
        char got = load(s, sm, 0x40, address);
        cr_assert_eq(got, expected[i], "%s, %s: load %zu was %c, not %c", what, s->timed ? "timed" : "functional", i,
                     got, expected[i]);
    }
}

static const char *const allocations[] = {"on-miss", "on-fill", "streaming"};

/*
 * The first load comes from memory, the second sets the bit, the third finds it: it is kept, whole if the line has no
 * sectors, and the fourth hits. With any allocation; l1.bypass = agcb alone suffices.
 */
Test(predictor_verification, a_bypassed_line_that_is_asked_for_again_is_kept) {
    for (int timed = 0; timed < 2; timed++)
        for (unsigned a = 0; a < 3; a++)
            for (unsigned sectors = 1; sectors <= 4; sectors *= 4) {
                char settings[96];
                snprintf(settings, sizeof settings, "l1.allocate = %s\nl1.sectors = %u\n", allocations[a], sectors);
                whole s;
                start(&s, timed, settings);
                loads(&s, settings, 0, 0, "bbohhh");
                measured_stats stats = stats_of(&s);
                cr_expect_eq(stats.l1_bypasses, 2);
                cr_expect_eq(stats.l1_overturned_bypasses, 1);
                cr_expect_eq(stats.l1_overturned_fills, 0);
                cr_expect_eq(stats.l1_bypassed_sectors, 2);
                cr_expect_eq(stats.l1_fetched_sectors, 2 + (sectors == 1 ? 4 : 1), "%s", settings);
                finish(&s);
            }
}

/* With on-miss=1 the load that brought the line has set the bit. */
Test(predictor_verification, misses_of_l2_may_set_the_bit) {
    for (int timed = 0; timed < 2; timed++) {
        whole s;
        start(&s, timed, "l2.bypass = agcb-below(on-miss=1)\n");
        loads(&s, "on-miss=1", 0, 0, "bohh");
        finish(&s);
    }
}

/* The bit belongs to the line, for any bypassing SM; the counters belong to an SM. */
Test(predictor_verification, the_bit_is_shared_by_the_sms) {
    for (int timed = 0; timed < 2; timed++) {
        whole s;
        start(&s, timed, "");
        loads(&s, "SM 0", 0, 0, "bb");
        loads(&s, "SM 1", 1, 0, "ohhhhhhhh");
        loads(&s, "SM 0 again", 0, 0, "bo");
        loads(&s, "SM 1, another line", 1, 0x1000, "m"); /* eight hits: 15 has become 7 */
        loads(&s, "SM 0, another line", 0, 0x2000, "b");
        finish(&s);
    }
}

/* Sectors of a line: the bit belongs to the line, or with per-sector=1 to a sector. */
Test(predictor_verification, sectors) {
    for (int timed = 0; timed < 2; timed++) {
        whole s;
        start(&s, timed, "");
        loads(&s, "sector 0", 0, 0, "bb");
        loads(&s, "sector 1", 0, 32, "o");
        finish(&s);
        start(&s, timed, "l2.bypass = agcb-below(per-sector=1)\n");
        loads(&s, "sector 0", 0, 0, "bb");
        loads(&s, "sector 1", 0, 32, "b");
        loads(&s, "sector 1", 0, 32, "o");
        loads(&s, "sector 1", 0, 32, "h");
        finish(&s);
    }
}

/* A load of constants is not judged by a predictor: it bypasses L1, and leaves the bit unchanged. */
Test(predictor_verification, constants_leave_the_bit) {
    for (int timed = 0; timed < 2; timed++) {
        whole s;
        const uint64_t address = 0;
        gpc_warp_access w = GPC_WARP_ACCESS_INIT;
        w.mask = 1;
        w.addresses = &address;
        w.width = 4;
        w.kind = GPC_LOAD;
        w.space = GPC_SPACE_CONSTANT;
        start(&s, timed, "const.size = 1KiB\n");
        loads(&s, "before", 0, 0, "bb");
        run(&s, &w);
        cr_expect_gt(stats_of(&s).l2_constant_read_sectors, 0);
        loads(&s, "after", 0, 0, "o");
        finish(&s);
    }
}

/* An evicted L2 line takes the bit along: four ways of a set of L2, 32 sets. */
Test(predictor_verification, the_bit_goes_with_the_line) {
    for (int timed = 0; timed < 2; timed++) {
        whole s;
        start(&s, timed, "l2.index = modulo\n");
        loads(&s, "first", 0, 0, "bb");
        for (uint64_t i = 1; i <= 4; i++)
            loads(&s, "others of its set", 0, i * 32 * 128, "b");
        loads(&s, "again", 0, 0, "bbo");
        finish(&s);
    }
}

Test(predictor_verification, attaches_itself_below) {
    whole s;
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_eq(make(&s, false, "l2.bypass = always-bypass\n", &error), GPC_ERROR_ARGUMENT);
    cr_expect(strstr(error.message, "agcb-below"), "%s", error.message);
    finish(&s);
    start(&s, false, "l1.bypass = agcb-early(initial=7)\n");
    loads(&s, "agcb-early", 0, 0, "m");
    finish(&s);
}

/* The counts of the two modes agree so far. */
#define SAME(counter)                                                                                      \
    cr_assert_eq(f.counter, t.counter, #counter " is %llu functionally, %llu timed, after step %d of\n%s", \
                 (unsigned long long)f.counter, (unsigned long long)t.counter, step, settings)

static void compare(const whole *functional, const whole *timed, int step, const char *settings) {
    measured_stats f = stats_of(functional), t = stats_of(timed);
    SAME(l1_predictions);
    SAME(l1_bypasses);
    SAME(l1_overturned_bypasses);
    SAME(l1_load_sector_hits);
    SAME(l1_bypassed_sectors);
    SAME(l1_fetched_sectors);
    SAME(l1_evictions);
    SAME(l2_read_sectors);
    SAME(dram_read_sectors);
}

/* A random stream of parts of lines, one at a time, each to the end. */
static void agree(const char *settings) {
    whole functional, timed;
    start(&functional, false, settings);
    start(&timed, true, settings);
    uint64_t random = 9;
    for (int step = 0; step < 3000; step++) {
        gpc_warp_access w = GPC_WARP_ACCESS_INIT;
        uint64_t addresses[32], line = gpci_random(&random) % 192 * 128, first = gpci_random(&random) % 32;
        for (unsigned lane = 0; lane < 32; lane++)
            addresses[lane] = line + (first + lane) % 32 * 4;
        w.sm = gpci_random_below(&random, 2);
        w.pc = gpci_random_below(&random, 4) * 16;
        w.mask = UINT32_MAX >> gpci_random_below(&random, 32);
        w.addresses = addresses;
        w.width = 4;
        w.kind = gpci_random(&random) % 8 ? GPC_LOAD : GPC_STORE;
        w.space = gpci_random(&random) % 8 ? GPC_SPACE_GLOBAL : GPC_SPACE_LOCAL;
        run(&functional, &w);
        run(&timed, &w);
        compare(&functional, &timed, step, settings);
    }
    cr_expect_gt(stats_of(&functional).l1_overturned_bypasses, 0, "%s", settings);
    finish(&functional);
    finish(&timed);
}

Test(predictor_verification, functional_and_timed_agree) {
    for (unsigned a = 0; a < 3; a++)
        for (unsigned sectors = 1; sectors <= 4; sectors *= 2) {
            char settings[160];
            snprintf(settings, sizeof settings, "l1.allocate = %s\nl1.sectors = %u\n", allocations[a], sectors);
            agree(settings);
            strcat(settings, "l2.bypass = agcb-below(on-miss=1,per-sector=1)\nl2.slices = 2\nl2.partitions = 2\n");
            agree(settings);
        }
}

/* A replacement policy that declines a line does so at the miss: a word moves a segment, not the line. */
Test(predictor_verification, declined_at_the_miss) {
    static const char *const policies[] = {"counter-based(bypass=1)", "counter-based(variant=lvp,bypass=1)",
                                           "sdbp(bypass=1,threshold=0)"};
    for (int timed = 0; timed < 2; timed++)
        for (unsigned a = 0; a < 3; a++)
            for (unsigned p = 0; p < 3; p++) {
                char settings[192];
                snprintf(settings, sizeof settings,
                         "l1.bypass = always-cache\nl1.size = 256B\nl1.sectors = 1\nl1.allocate = %s\n"
                         "l1.replacement = %s\n",
                         allocations[a], policies[p]);
                bool dead = p == 2; /* for every insertion into a full set, from the third line on */
                whole s;
                start(&s, timed, settings);
                for (uint64_t line = 0; line < 4; line++)
                    word(&s, 0, 0x40, line % 3 * 128); /* the third replaces the unused first */
                measured_stats stats = stats_of(&s);
                cr_expect_eq(stats.l1_bypasses, 1, "%s", settings);
                cr_expect_eq(stats.l1_load_sector_hits, dead, "%s", settings);
                cr_expect_eq(stats.l1_fetched_sectors, dead ? 4 + 4 + 1 : 4 + 4 + 4 + 1, "%s", settings);
                finish(&s);
            }
}
