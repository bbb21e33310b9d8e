/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "profile/rig.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* With a clock: a profile's sums equal the timed replay's counters, and profiling changes nothing. */

#define SAME(a, b) cr_expect_eq((a), (b), "%s: " #a " is %zu, " #b " %zu", source, (size_t)(a), (size_t)(b))

/* invert_mapping of Rodinia's kmeans: 34 features of 32 points each, line after line by every warp. */
#define KMEANS "synthetic:rodinia-kmeans:306KiB:launch=1"

/* Replay alone and profiled: the sum of the profile's counts, and all counts of the replay. */
static gpc_profile_counts profiled(const char *source, const char *const *settings, rig *r, measured_stats *stats) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_trace *trace;
    gpc_replay *replay;
    measured_stats own;
    measured_clear(stats);
    measured_clear(&own);
    rig_open(r, settings);
    cr_assert_eq(gpc_replay_create(r->context, r->config, &replay, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_trace_open(r->context, source, &trace, &error), GPC_OK, "%s", error.message);
    while (gpc_replay_kernel(replay, trace, NULL, &error) == GPC_OK)
        continue;
    measure_total(replay, stats);
    gpc_trace_close(trace);
    gpc_replay_destroy(replay);
    cr_assert_eq(gpc_trace_open(r->context, source, &trace, &error), GPC_OK, "%s", error.message);
    uint64_t cycles = 0;
    while (measure_profile_kernel(r->profile, trace, NULL, &own, &error) == GPC_OK)
        cycles += own.cycles;
    gpc_trace_close(trace);
    cr_expect_eq(cycles, stats->cycles, "%s: profiled %zu cycles, alone %zu", source, (size_t)cycles,
                 (size_t)stats->cycles);
    return rig_summary(r).counts;
}

static void check(const char *source, const char *const *settings) {
    rig r;
    measured_stats s;
    const gpc_profile_counts c = profiled(source, settings, &r, &s);
    const gpc_profile_sm *sms;
    size_t count;
    uint64_t residences = 0, recency = 0;
    SAME(c.loads, s.l1_load_requests);
    SAME(c.accesses, s.l1_load_lines);
    SAME(c.hits, s.l1_load_lines - s.l1_load_line_misses);
    SAME(c.evictions, s.l1_evictions);
    SAME(c.reuses, c.hits);
    SAME(c.accesses, c.hits + c.sector_misses + c.fills + c.bypasses);
    SAME(c.intra_warp_hits + c.inter_warp_hits, c.hits);
    cr_assert_eq(gpc_profile_sms(r.profile, &sms, &count, NULL), GPC_OK);
    for (size_t i = 0; i < count; i++) {
        for (unsigned n = 0; n < GPC_PROFILE_REUSE_BUCKETS; n++)
            residences += sms[i].residences_by_reuse[n];
        for (unsigned n = 0; n < GPC_PROFILE_RECENCY_BUCKETS; n++)
            recency += sms[i].hits_by_recency[n];
    }
    SAME(residences, c.fills);
    /* hits on lines in flight have no position in a set */
    cr_expect(s.l1_pending_sector_hits ? recency < c.hits : recency == c.hits, "%s: %zu of %zu hits", source,
              (size_t)recency, (size_t)c.hits);
    rig_close(&r);
}

static const char *const whole[] = {"mode=timed", "sm.count=15", "l1.size=16KiB", "l1.ways=4", "l1.index=fermi", NULL};
static const char *const sectored[] = {"mode=timed", "sm.count=15", "l1.size=16KiB", "l1.ways=4", "l1.sectors=4", NULL};

Test(timed, counters) {
    check(KMEANS, whole);
    check("synthetic:gather:64KiB", whole);
    check("synthetic:bicg:64KiB", whole);
    check("synthetic:gather:64KiB", sectored);
    check("synthetic:bicg:64KiB", sectored);
}

static void bypassed(const char *predictor, bool exact) {
    char bypass[64] = "l1.bypass=";
    const char *const settings[] = {"mode=timed", "sm.count=15", "l1.size=16KiB", "l1.ways=4", bypass, NULL};
    const char *source = strcat(bypass, predictor);
    rig r;
    measured_stats s;
    const gpc_profile_counts c = profiled(KMEANS, settings, &r, &s);
    cr_expect_gt(c.bypasses, 0, "%s", source);
    SAME(c.hits, s.l1_load_lines - s.l1_load_line_misses);
    /* a line to be kept after all may have arrived meanwhile, and begins no residence */
    const uint64_t known = c.hits + c.sector_misses + c.fills + c.bypasses;
    if (exact) {
        SAME(c.bypasses, s.l1_bypasses);
        SAME(c.accesses, known);
    } else {
        cr_expect(known <= c.accesses && c.accesses - known <= s.l1_overturned_bypasses, "%zu of %zu", (size_t)known,
                  (size_t)c.accesses);
        cr_expect_gt(s.l1_overturned_bypasses, 0);
    }
    rig_close(&r);
}

Test(timed, bypasses) {
    bypassed("access-count", true);
    bypassed("mrpb", true);
    bypassed("agcb", false);
}

/* Alone a warp hits in every line 31 times; all together, round after round, or with lines left by others. */
Test(timed, reuse_depends_on_the_clock) {
    static const char *const one[] = {"mode=timed", "sm.count=15",     "l1.size=16KiB",
                                      "l1.ways=4",  "sm.warp_limit=1", NULL};
    static const char *const rounds[] = {"sm.count=15", "l1.size=16KiB", "l1.ways=4", NULL};
    rig r;
    measured_stats s;
    const double alone = profiled(KMEANS, one, &r, &s).reuse; /* cr_expect evaluates its argument twice */
    cr_expect_float_eq(alone, 31, 1e-9);
    rig_close(&r);
    const double round = profiled(KMEANS, rounds, &r, &s).reuse;
    cr_expect_float_eq(round, 0, 1e-9);
    rig_close(&r);
    const double all = profiled(KMEANS, whole, &r, &s).reuse;
    cr_expect(all > 0.1 && all < 1, "%f", all);
    rig_close(&r);
}

/* Threads would share the tables: one observes. */
Test(timed, threads) {
    static const char *const two[] = {"mode=timed",     "sm.count=15", "l1.size=16KiB", "l1.ways=4", "threads=2",
                                      "l1.index=fermi", NULL};
    rig r;
    measured_stats s;
    profiled("synthetic:bicg:64KiB", whole, &r, &s);
    char *one = rig_json(r.profile);
    rig_close(&r);
    profiled("synthetic:bicg:64KiB", two, &r, &s);
    char *both = rig_json(r.profile);
    rig_close(&r);
    cr_expect_str_eq(one, both);
    free(one);
    free(both);
}

Test(timed, refused) {
    static const char *const settings[] = {"mode=timed", NULL};
    uint64_t address = 0;
    gpc_warp_access access = {.struct_size = sizeof access, .mask = 1, .addresses = &address, .width = 4};
    rig r;
    gpc_error error = GPC_ERROR_INIT;
    gpc_profile *none = NULL;
    rig_open(&r, settings);
    cr_expect_eq(gpc_profile_access(r.profile, &access, NULL, NULL), GPC_ERROR_STATE);
    cr_expect_eq(rig_summary(&r).counts.accesses, 0);
    cr_assert_eq(gpc_config_set(r.config, "sample", "kernels", NULL), GPC_OK);
    cr_expect_eq(gpc_profile_create(r.context, r.config, &none, &error), GPC_ERROR_UNSUPPORTED);
    cr_expect(strstr(error.message, "sample = kernels"), "%s", error.message);
    cr_expect_null(none);
    rig_close(&r);
}
