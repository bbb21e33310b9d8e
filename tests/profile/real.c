/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/rig.h"

#include "effort.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Whole traces: a profile's sums equal the replay's counters, and one another. */

#define FOLDER "../shared/traces/h100"

#define SAME(a, b) cr_expect_eq((a), (b), "%s: " #a " is %zu, " #b " %zu", source, (size_t)(a), (size_t)(b))

static uint64_t sum(const uint64_t *values, size_t count) {
    uint64_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += values[i];
    return total;
}

static void same_as_stats(const char *source, const rig *r, const measured_stats *s, bool sectored) {
    gpc_profile_counts c = rig_summary(r).counts;
    SAME(c.loads, s->l1_load_requests);
    SAME(c.accesses, s->l1_load_lines);
    SAME(c.bytes_used, s->l1_load_bytes_used);
    SAME(c.bytes_moved, s->l1_load_bytes_moved);
    SAME(c.segments, s->l1_load_sectors);
    SAME(c.intra_warp_hits, s->l1_intra_warp_hits);
    SAME(c.inter_warp_hits, s->l1_inter_warp_hits);
    SAME(c.evictions, s->l1_evictions);
    SAME(c.zero_reuse_evictions, s->l1_zero_reuse_evictions);
    SAME(c.accesses, c.hits + c.sector_misses + c.fills + c.bypasses);
    cr_expect_eq(c.sector_misses > 0, sectored, "%s", source);
    SAME(c.reuses, c.hits);
    SAME(c.intra_warp_hits + c.inter_warp_hits, c.hits);
    SAME(c.first_accesses + sum(c.stack_distances, GPC_PROFILE_DISTANCE_BUCKETS), c.accesses - c.bypasses);
    SAME(sum(c.reuse_distances, GPC_PROFILE_DISTANCE_BUCKETS), sum(c.stack_distances, GPC_PROFILE_DISTANCE_BUCKETS));
}

static void sms_add_up(const char *source, const rig *r, const measured_stats *s) {
    const gpc_profile_sm *sms;
    size_t count;
    uint64_t lines = 0, age[GPC_AGE_BUCKETS] = {0};
    cr_assert_eq(gpc_profile_sms(r->profile, &sms, &count, NULL), GPC_OK);
    for (size_t i = 0; i < count; i++) {
        SAME(sum(sms[i].lines_by_reuse, GPC_PROFILE_REUSE_BUCKETS), sms[i].lines);
        SAME(sum(sms[i].residences_by_reuse, GPC_PROFILE_REUSE_BUCKETS), sms[i].counts.fills);
        SAME(sum(sms[i].loads_by_transactions, GPC_PROFILE_CLASSES + 1), sms[i].counts.loads);
        SAME(sum(sms[i].hits_by_recency, GPC_PROFILE_RECENCY_BUCKETS), sms[i].counts.hits);
        SAME(sms[i].hits_by_recency[0], sms[i].counts.mru_hits);
        lines += sms[i].lines;
        for (unsigned a = 0; a < GPC_AGE_BUCKETS; a++)
            age[a] += sms[i].hits_by_age[a];
    }
    SAME(lines, rig_summary(r).lines);
    SAME(sum(age, GPC_AGE_BUCKETS), rig_summary(r).counts.hits);
    for (unsigned n = 1; n < GPC_PROFILE_CLASSES; n++)
        SAME(rig_class(r, n)->counts.loads, s->l1_transactions_per_load[n]);
}

static void rows_add_up(const char *source, const rig *r) {
    gpc_profile_summary all = rig_summary(r);
    const gpc_profile_instruction *instructions;
    const gpc_profile_line *lines;
    size_t count;
    uint64_t accesses = 0, hits = 0, fills = 0, reuses = 0, bypass = 0;
    cr_assert_eq(gpc_profile_instructions(r->profile, &instructions, &count, NULL), GPC_OK);
    for (size_t i = 0; i < count; i++) {
        accesses += instructions[i].counts.accesses;
        reuses += instructions[i].counts.reuses;
        bypass += instructions[i].bypass_accesses;
    }
    SAME(accesses, all.counts.accesses);
    SAME(reuses, all.counts.reuses);
    accesses = 0;
    uint64_t low = 0, evictions = 0;
    cr_assert_eq(gpc_profile_lines(r->profile, &lines, &count, NULL), GPC_OK);
    for (size_t i = 0; i < count; i++) {
        accesses += lines[i].accesses;
        hits += lines[i].hits;
        fills += lines[i].fills;
        evictions += lines[i].evictions;
        low += lines[i].score < 1 ? lines[i].accesses : 0;
        if (i)
            cr_assert(lines[i - 1].sm < lines[i].sm ||
                      (lines[i - 1].sm == lines[i].sm && lines[i - 1].address < lines[i].address));
    }
    SAME(accesses, all.counts.accesses);
    SAME(hits, all.counts.hits);
    SAME(fills, all.counts.fills);
    SAME(evictions, all.counts.evictions);
    SAME(low, bypass);
}

static void check(const char *source, const char *const *settings, bool sectored) {
    rig r;
    gpc_error error = GPC_ERROR_INIT;
    gpc_trace *trace;
    gpc_replay *replay;
    measured_stats stats, own, all;
    measured_clear(&stats);
    measured_clear(&own);
    measured_clear(&all);
    rig_open(&r, settings);
    cr_assert_eq(gpc_replay_create(r.context, r.config, &replay, &error), GPC_OK);
    cr_assert_eq(gpc_trace_open(r.context, source, &trace, &error), GPC_OK, "%s", error.message);
    while (gpc_replay_kernel(replay, trace, NULL, &error) == GPC_OK)
        continue;
    gpc_trace_close(trace);
    measure_total(replay, &stats);
    cr_assert_eq(gpc_trace_open(r.context, source, &trace, &error), GPC_OK, "%s", error.message);
    while (measure_profile_kernel(r.profile, trace, NULL, &own, &error) == GPC_OK)
        measured_add(&all, &own);
    cr_expect_eq(all.l1_load_sector_hits, stats.l1_load_sector_hits, "%s: a profile changes nothing", source);
    cr_expect_eq(all.l2_read_sector_hits, stats.l2_read_sector_hits, "%s", source);
    same_as_stats(source, &r, &stats, sectored);
    sms_add_up(source, &r, &stats);
    rows_add_up(source, &r);
    gpc_trace_close(trace);
    gpc_replay_destroy(replay);
    rig_close(&r);
}

static const char *const fermi[] = {"sm.count=15", "l1.size=16KiB", "l1.ways=4", "l1.index=fermi", NULL};

Test(real, h100_traces) {
    static const char *const names[] = {"streamcluster", "bfs", "kmeans_rowmajor"};
    struct stat folder;
    if (stat(FOLDER, &folder))
        cr_skip_test(FOLDER " is missing");
    for (unsigned i = 0; i < (effort_is_small() ? 1 : 3); i++) {
        char source[128];
        snprintf(source, sizeof source, FOLDER "/%s", names[i]);
        check(source, fermi, false);
    }
}

Test(real, synthetic_kernels) {
    check("synthetic:bicg:256KiB", fermi, false);
    check("synthetic:kmeans:256KiB", fermi, false);
    check("synthetic:gesummv:1MiB", fermi, false);
}

Test(real, sectored) {
    static const char *const settings[] = {"sm.count=15", "l1.size=16KiB", "l1.ways=4", "l1.sectors=4", NULL};
    check("synthetic:bicg:256KiB", settings, true);
}

/* Per kernel: a reset between leaves only the kernel's values. */
Test(real, kernel_by_kernel) {
    static const char *const settings[] = {"sm.count=4", NULL};
    rig r;
    gpc_error error = GPC_ERROR_INIT;
    gpc_trace *trace;
    measured_stats stats;
    measured_clear(&stats);
    unsigned kernels = 0;
    rig_open(&r, settings);
    cr_assert_eq(gpc_trace_open(r.context, "synthetic:bicg:256KiB", &trace, &error), GPC_OK, "%s", error.message);
    while (measure_profile_kernel(r.profile, trace, NULL, &stats, &error) == GPC_OK) {
        cr_expect_eq(rig_summary(&r).counts.accesses, stats.l1_load_lines);
        cr_expect_eq(rig_summary(&r).launches, ++kernels);
        cr_assert_eq(gpc_profile_reset(r.profile, NULL), GPC_OK);
    }
    cr_expect_gt(kernels, 1);
    gpc_trace_close(trace);
    rig_close(&r);
}

/* Without an L1 there is no profile. */
Test(real, without_l1) {
    rig r;
    gpc_error error = GPC_ERROR_INIT;
    gpc_profile *none = NULL;
    rig_open(&r, NULL);
    cr_assert_eq(gpc_config_set(r.config, "l1.enabled", "false", NULL), GPC_OK);
    cr_expect_eq(gpc_profile_create(r.context, r.config, &none, &error), GPC_ERROR_ARGUMENT);
    cr_expect(strstr(error.message, "l1.enabled"), "%s", error.message);
    cr_expect_eq(gpc_profile_create(NULL, r.config, &none, &error), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_profile_create(r.context, NULL, &none, &error), GPC_ERROR_ARGUMENT);
    cr_expect_null(none);
    rig_close(&r);
}
