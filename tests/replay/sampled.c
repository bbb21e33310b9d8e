/* SPDX-License-Identifier: BSD-2-Clause */
#include "effort.h"
#include "measured.h"
#include "replay/core/replay.h"
#include "replay/rig.h"
#include "replay/sampling/sampling.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

/*
 * Sampled replays compared with full replays. The speed-up is measured in instructions run with the clock. With
 * sanitizers there is no full replay, for lack of time.
 */

static rig *open_timed(const char *sample) {
    rig *r = rig_open();
    set(r, "mode", "timed");
    set(r, "l1.replacement", "lru");
    set(r, "sm.count", "4");
    set(r, "sm.blocks", "8");
    set(r, "sample", sample);
    return r;
}

static uint32_t id_of(const char *name) {
    gpc_counter_info info = GPC_COUNTER_INFO_INIT;
    cr_assert_eq(gpc_counter_by_name(GPC_TABLE_HIERARCHY, name, &info, NULL), GPC_OK, "%s", name);
    return info.id;
}

static gpc_estimate estimate_of(const gpc_replay *replay, gpc_sampling_scope scope, const char *name) {
    gpc_estimate found = GPC_ESTIMATE_INIT;
    cr_assert_eq(gpc_replay_estimate(replay, scope, id_of(name), &found, NULL), GPC_OK, "%s", name);
    return found;
}

static gpc_sampling sampling_of(const gpc_replay *replay) {
    gpc_sampling found = GPC_SAMPLING_INIT;
    cr_assert_eq(gpc_replay_get_sampling(replay, GPC_SAMPLING_ALL, &found, NULL), GPC_OK);
    return found;
}

/* Replay kernels of traces in sequence, a number of times. */
static gpc_replay *run_all(rig *r, const char *const *sources, unsigned count, unsigned times) {
    gpc_replay *replay = open_replay(r);
    for (unsigned n = 0; n < count * times; n++) {
        gpc_trace *trace = open_trace(r, sources[n % count]);
        gpc_status status = GPC_OK;
        while (status == GPC_OK)
            status = gpc_replay_kernel(replay, trace, NULL, &r->error);
        cr_assert_eq(status, GPC_END, "%s", r->error.message);
        gpc_trace_close(trace);
    }
    return replay;
}

static measured_stats stats_of(const gpc_replay *replay) {
    measured_stats stats;
    measured_clear(&stats);
    cr_assert_eq(measure_total(replay, &stats), GPC_OK);
    return stats;
}

static measured_stats run_whole(rig *r, const char *const *sources, unsigned count, unsigned times) {
    set(r, "sample", "none");
    gpc_replay *replay = run_all(r, sources, count, times);
    measured_stats stats = stats_of(replay);
    gpc_replay_destroy(replay);
    return stats;
}

static double off(double value, uint64_t truth) {
    return fabs(value - (double)truth) / (double)(truth ? truth : 1);
}

static bool covers(const gpc_estimate *e, double truth) {
    return e->low <= truth && truth <= e->high;
}

/* Values decided by the trace are counted, not estimated. */
static void expect_counted(const gpc_replay *replay, const measured_stats *whole) {
    static const char *const names[] = {"kernels",
                                        "blocks",
                                        "warp_instructions",
                                        "thread_instructions",
                                        "l1.load_lines",
                                        "l1.load_sectors",
                                        "l1.load_requests",
                                        "l1.load_bytes_used",
                                        "l1.load_bytes_moved",
                                        "l1.store_requests",
                                        "l1.store_sectors",
                                        "l1.atomic_requests",
                                        "l1.atomic_sectors",
                                        "l1.capacity"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        gpc_estimate found = estimate_of(replay, GPC_SAMPLING_ALL, names[n]);
        uint64_t truth;
        memcpy(&truth, (const char *)whole + measured_offset(id_of(names[n])), sizeof truth);
        cr_assert(!found.estimated && found.low == found.high, "%s", names[n]);
        cr_assert_eq((uint64_t)found.value, truth, "%s: %g, %llu", names[n], found.value, (unsigned long long)truth);
    }
}

static const char *const stream[] = {"synthetic:stream:32KiB:turns=10"};
static const char *const gathers[] = {"synthetic:gather:16KiB:seed=1", "synthetic:gather:16KiB:seed=2",
                                      "synthetic:gather:16KiB:seed=3", "synthetic:gather:16KiB:seed=4",
                                      "synthetic:gather:16KiB:seed=5", "synthetic:gather:16KiB:seed=6",
                                      "synthetic:gather:16KiB:seed=7", "synthetic:gather:16KiB:seed=8"};

Test(sampled, launches_of_a_group) {
    rig *r = open_timed("kernels");
    gpc_replay *replay = run_all(r, stream, 1, 6);
    gpc_sampling s = sampling_of(replay);
    gpc_estimate cycles = estimate_of(replay, GPC_SAMPLING_ALL, "cycles");
    cr_expect_eq(s.launches, 240);
    cr_expect_eq(s.group, 4);
    cr_expect_eq(s.timed_launches, 4 * (3 + 3), "the first three and one of each twenty: %u",
                 (unsigned)s.timed_launches);
    cr_expect(cycles.estimated && cycles.low <= cycles.value && cycles.value <= cycles.high);
    if (!EFFORT_SANITIZED) {
        measured_stats whole = run_whole(r, stream, 1, 6);
        cr_expect_leq(off(cycles.value, whole.cycles), 0.03, "%g, %llu", cycles.value,
                      (unsigned long long)whole.cycles);
        cr_expect_leq(10 * s.timed_instructions, whole.warp_instructions);
        expect_counted(replay, &whole);
    }
    gpc_replay_destroy(replay);
    rig_close(r);
}

/* Inputs of energies are estimated, and so are energies, from the same launches. */
Test(sampled, energies) {
    rig *r = open_timed("kernels");
    set(r, "clock.core", "1000");
    set(r, "energy.l2_read", "2.5");
    set(r, "energy.warp_instruction", "3");
    set(r, "energy.static", "7");
    gpc_replay *replay = run_all(r, stream, 1, 1);
    gpc_estimate cycles = estimate_of(replay, GPC_SAMPLING_ALL, "cycles"),
                 fixed = estimate_of(replay, GPC_SAMPLING_ALL, "energy.static"),
                 sent = estimate_of(replay, GPC_SAMPLING_ALL, "l2.read_sectors"),
                 read = estimate_of(replay, GPC_SAMPLING_ALL, "energy.l2_read"),
                 issued = estimate_of(replay, GPC_SAMPLING_ALL, "energy.warp_instruction"),
                 total = estimate_of(replay, GPC_SAMPLING_ALL, "energy.total"), none = GPC_ESTIMATE_INIT;
    cr_assert(cycles.estimated && fixed.estimated && cycles.value > 0 && sent.value > 0);
    cr_expect_float_eq(fixed.value / cycles.value, 7000, 1e-3, "%g", fixed.value / cycles.value);
    cr_expect_float_eq(fixed.high / cycles.high, 7000, 1e-3);
    cr_expect_float_eq(read.value / sent.value, 2.5, 1e-3, "%g", read.value / sent.value);
    cr_expect(!issued.estimated && issued.value == 3 * (double)stats_of(replay).warp_instructions);
    cr_expect_float_eq(total.value / (fixed.value + read.value + issued.value), 1, 1e-3);
    cr_expect_eq(gpc_replay_estimate(replay, GPC_SAMPLING_ALL, id_of("energy.dram_read"), &none, NULL),
                 GPC_ERROR_NOT_FOUND);
    gpc_replay_destroy(replay);
    rig_close(r);
}

Test(sampled, same_bytes) {
    rig *r = open_timed("kernels");
    gpc_replay *a = run_all(r, stream, 1, 2), *b = run_all(r, stream, 1, 2);
    measured_stats x = stats_of(a), y = stats_of(b);
    expect_same_stats(&x, &y);
    for (size_t n = 0; n < gpc_counter_table_count(GPC_TABLE_HIERARCHY); n++) {
        gpc_counter_info info = GPC_COUNTER_INFO_INIT;
        gpc_estimate p = GPC_ESTIMATE_INIT, q = GPC_ESTIMATE_INIT;
        cr_assert_eq(gpc_counter_table_at(GPC_TABLE_HIERARCHY, n, &info, NULL), GPC_OK);
        gpc_status status = gpc_replay_estimate(a, GPC_SAMPLING_ALL, info.id, &p, NULL);
        cr_assert_eq(gpc_replay_estimate(b, GPC_SAMPLING_ALL, info.id, &q, NULL), status);
        cr_assert(!memcmp(&p, &q, sizeof p), "%s", info.name);
    }
    gpc_replay_destroy(a);
    gpc_replay_destroy(b);
    rig_close(r);
}

/* Half an interval of a variance of 1 is a table's quantile of Student's t; between small degrees, on a straight line. */
Test(sampled, intervals_of_few_units) {
    static const double rows[][2] = {{1, 12.7062},  {1.5, 8.50445}, {2, 4.3027},  {3, 3.1824}, {4, 2.7764},
                                     {4.5, 2.6735}, {5, 2.5706},    {10, 2.2281}, {1e6, 1.96}};
    const gpci_counter_row *row = gpci_counter(GPC_ID_cycles);
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        static gpci_estimates estimates;
        gpc_estimate found = GPC_ESTIMATE_INIT;
        estimates.variances[row->offset / sizeof(uint64_t)] = 1;
        estimates.freedom[row->offset / sizeof(uint64_t)] = 1 / rows[n][0];
        gpci_estimates_give(&estimates, row, &found);
        cr_expect_float_eq(found.high, rows[n][1], 1e-3, "%g: %g", rows[n][0], found.high);
    }
}

/* In 12 samples with different seeds, all but a few have the truth within the interval. */
Test(sampled, intervals_cover_the_truth) {
    rig *r = open_timed("kernels");
    set(r, "sample.every", "8");
    static const char *const names[] = {"cycles", "ipc", "l1.load_sector_hits", "scheduler.load_stalls"};
    unsigned covered[4] = {0}, seeds = EFFORT_SANITIZED ? 1 : 12;
    measured_stats whole = {0};
    if (!EFFORT_SANITIZED)
        whole = run_whole(r, gathers, 8, 6);
    set(r, "sample", "kernels");
    const double truths[] = {(double)whole.cycles, (double)whole.warp_instructions / (double)whole.cycles,
                             (double)whole.l1_load_sector_hits, (double)whole.scheduler_load_stalls};
    for (unsigned seed = 1; seed <= seeds; seed++) {
        gpc_context_options options = GPC_CONTEXT_OPTIONS_INIT;
        options.seed = seed;
        gpc_context *own, *kept = r->context;
        cr_assert_eq(gpc_context_create(&options, &own, &r->error), GPC_OK);
        r->context = own;
        gpc_replay *replay = run_all(r, gathers, 8, 6);
        for (unsigned n = 0; n < 4 && !EFFORT_SANITIZED; n++) {
            gpc_estimate found = estimate_of(replay, GPC_SAMPLING_ALL, names[n]);
            cr_expect_leq(fabs(found.value / truths[n] - 1), 0.03, "%s, seed %u", names[n], seed);
            covered[n] += covers(&found, truths[n]);
        }
        gpc_replay_destroy(replay);
        gpc_context_destroy(own);
        r->context = kept;
    }
    for (unsigned n = 0; n < 4 && !EFFORT_SANITIZED; n++)
        cr_expect_geq(covered[n], 10, "%s: %u of %u", names[n], covered[n], seeds);
    rig_close(r);
}

/* A launch with L2 emptied by another launch before: misses only if the other launch's accesses are performed. */
Test(sampled, what_is_not_timed_warms_caches) {
    static const char *const sources[] = {"synthetic:vectoradd:16KiB", "synthetic:vecmul:256KiB"};
    const uint64_t truth = 16740; /* of all launches */
    double missed[2];
    for (unsigned warms = 0; warms < 2; warms++) {
        rig *r = open_timed("kernels");
        set(r, "l2.size", "128KiB");
        set(r, "sample.launches", "2");
        set(r, "sample.every", "3");
        set(r, "sample.warming", warms ? "functional" : "none");
        gpc_replay *replay = run_all(r, sources, 2, 12);
        gpc_estimate hits = estimate_of(replay, GPC_SAMPLING_ALL, "l2.read_sector_hits");
        gpc_sampling s = sampling_of(replay);
        cr_expect_eq(s.launches, 24);
        cr_expect_eq(s.warmed_instructions > 0, warms);
        missed[warms] = off(hits.value, truth);
        gpc_replay_destroy(replay);
        rig_close(r);
    }
    cr_expect_leq(missed[1], 0.03, "%g of the hits", missed[1]);
    cr_expect_geq(missed[0], 0.05, "%g of the hits", missed[0]);
}

/* A launch of 256 waves, at most a tenth of them timed. */
static void expect_sampled(rig *r, uint64_t windows) {
    const char *const source = "synthetic:vectoradd:2MiB";
    set(r, "sm.count", "2");
    set(r, "sm.blocks", "4");
    gpc_replay *replay = run_all(r, &source, 1, 1);
    gpc_sampling s = sampling_of(replay);
    gpc_estimate cycles = estimate_of(replay, GPC_SAMPLING_KERNEL, "cycles");
    cr_expect_eq(s.windows, windows, "%u", (unsigned)s.windows);
    cr_expect_gt(s.skipped_blocks, 0);
    cr_expect(cycles.estimated);
    if (!EFFORT_SANITIZED) {
        measured_stats whole = run_whole(r, &source, 1, 1);
        cr_expect_leq(off(cycles.value, whole.cycles), 0.03, "%g, %llu", cycles.value,
                      (unsigned long long)whole.cycles);
        cr_expect(covers(&cycles, (double)whole.cycles), "%llu, %g to %g", (unsigned long long)whole.cycles, cycles.low,
                  cycles.high);
        cr_expect_leq(10 * s.timed_instructions, whole.warp_instructions);
        if (s.warmed_instructions) {
            cr_expect_eq(s.timed_instructions + s.warmed_instructions, whole.warp_instructions);
            expect_counted(replay, &whole);
        }
    }
    gpc_replay_destroy(replay);
    rig_close(r);
}

Test(sampled, blocks_of_a_settled_launch) {
    for (unsigned warms = 0; warms < 2; warms++) {
        rig *r = open_timed("blocks");
        set(r, "l2.size", "64KiB");
        set(r, "sample.warming", warms ? "functional" : "none");
        expect_sampled(r, 5);
    }
}

/* L2 fills with dirty lines late: measurements at the beginning do not predict the rest. */
Test(sampled, intervals_of_a_launch) {
    rig *r = open_timed("intervals");
    set(r, "sample.settle", "1");
    set(r, "sample.unit", "1");
    set(r, "sample.skip", "40");
    expect_sampled(r, 7);
}

/* Windows of unequal blocks: a launch that does not settle is timed to the end. */
Test(sampled, blocks_of_an_unsettled_launch) {
    rig *r = open_timed("blocks");
    set(r, "sample.tolerance", "0");
    const char *const source = "synthetic:gather:32KiB";
    gpc_replay *replay = run_all(r, &source, 1, 1);
    measured_stats sampled = stats_of(replay), whole = run_whole(r, &source, 1, 1);
    gpc_estimate cycles = estimate_of(replay, GPC_SAMPLING_ALL, "cycles");
    cr_expect(!cycles.estimated && cycles.low == cycles.high);
    expect_same_stats(&sampled, &whole);
    gpc_replay_destroy(replay);
    rig_close(r);
}

/* Means of 1,000 populations, with 6 of 60 units measured; sizes vary, and values with sizes. */
Test(sampled, estimator_covers_as_often_as_it_says) {
    uint64_t state = 7;
    unsigned covered = 0;
    const gpci_counter_row info = {.offset = offsetof(gpc_stats, cycles)};
    static gpci_word_kind kinds[GPCI_WORDS];
    static gpci_units units;
    static gpci_estimates e;
    const unsigned populations = EFFORT_SANITIZED ? 10 : 1000;
    for (unsigned n = 0; n < populations; n++) {
        double truth = 0, rest = 0;
        memset(&units, 0, sizeof units);
        memset(&e, 0, sizeof e);
        for (unsigned k = 0; k < 60; k++) {
            uint64_t size = 900 + gpci_random_below(&state, 200), noise = 0;
            for (unsigned i = 0; i < 8; i++)
                noise += gpci_random_below(&state, 100);
            gpc_stats unit = {.cycles = 3 * size + noise};
            truth += (double)unit.cycles;
            if (k < 6)
                gpci_units_add(&units, &unit, (double)size), gpci_estimates_count(&e, kinds, &unit);
            else
                rest += (double)size;
        }
        gpci_estimates_predict(&e, kinds, &units, rest, NULL);
        gpc_estimate found = GPC_ESTIMATE_INIT;
        gpci_estimates_give(&e, &info, &found);
        covered += covers(&found, truth);
    }
    if (!EFFORT_SANITIZED)
        cr_expect(covered >= 930 && covered <= 970, "%u of 1,000", covered);
}

/* The example of lib/replay/sampling/estimate.c; t of two degrees of freedom is 4.3027. */
Test(sampled, estimator_by_hand) {
    static gpci_word_kind kinds[GPCI_WORDS];
    static gpci_units units;
    static gpci_estimates e;
    const uint64_t cycles[] = {100, 104, 102};
    for (unsigned n = 0; n < 3; n++) {
        gpc_stats unit = {.cycles = cycles[n]};
        gpci_units_add(&units, &unit, 1);
    }
    gpci_estimates_predict(&e, kinds, &units, 7, NULL);
    const gpci_counter_row info = {.offset = offsetof(gpc_stats, cycles)};
    gpc_estimate found = GPC_ESTIMATE_INIT;
    gpci_estimates_give(&e, &info, &found);
    cr_expect_float_eq(found.value, 714, 1e-9);
    cr_expect_float_eq(found.high - found.value, 4.3027 * sqrt(49 * 4 / 3.0 + 28), 1e-6);
}

/*
 * Hits of reads, by hand: half of 700. The units' hits minus half of the units' reads are 0, 6, -11 and 5, with sum 0
 * and sum of squares 182. As many units follow; t of three degrees of freedom is 3.1824.
 */
Test(sampled, estimator_of_a_ratio_by_hand) {
    static gpci_word_kind kinds[GPCI_WORDS];
    static gpci_units units;
    static gpci_estimates e;
    const uint64_t hits[] = {50, 110, 40, 150}, reads[] = {100, 208, 102, 290}, sizes[] = {1, 2, 1, 3};
    for (unsigned n = 0; n < 4; n++) {
        gpc_stats unit = {.l2_read_sectors = reads[n], .l2_read_sector_hits = hits[n]};
        gpci_units_add(&units, &unit, (double)sizes[n]);
    }
    gpci_estimates_predict(&e, kinds, &units, 7, NULL);
    const gpci_counter_row info = {.ratio = true,
                                   .offset = offsetof(gpc_stats, l2_read_sector_hits),
                                   .divisor = offsetof(gpc_stats, l2_read_sectors)};
    gpc_estimate found = GPC_ESTIMATE_INIT;
    gpci_estimates_give(&e, &info, &found);
    cr_expect(found.estimated);
    cr_expect_float_eq(found.value, 0.5, 1e-9);
    cr_expect_float_eq(found.high - found.value, 3.1824 * sqrt(182 * (4 * 4 / 4.0 + 4) / 3) / 700, 1e-6, "%g",
                       found.high - found.value);
}

/* A group's first launch, with cold caches, counts as a unit of size 1 while fewer than two later launches do. */
Test(sampled, first_launch_of_a_group) {
    static gpci_alike group;
    static gpci_units units;
    group.first = (gpc_stats){.cycles = 300};
    for (unsigned later = 0; later < 4; later++) {
        gpci_alike_units(&group, &units);
        const unsigned first = later < 2;
        cr_expect_eq(units.count, later + first, "%u", later);
        cr_expect_eq(units.size, later + first, "%u", later);
        cr_expect_eq(units.sums[offsetof(gpc_stats, cycles) / sizeof(uint64_t)], 100 * later + 300 * first, "%u",
                     later);
        const gpc_stats unit = {.cycles = 100};
        gpci_units_add(&group.units, &unit, 1);
    }
}

/* A launch with a warp of so many instructions, at one place and line; some of them have no address. */
static void replay_length(rig *r, gpc_replay *replay, unsigned instructions, unsigned without) {
    static const char load[] = LOAD("0000", "0x1000"), exits[] = EXIT("0010");
    char lines[32 * sizeof load] = "";
    for (unsigned n = 1; n < instructions; n++)
        strcat(lines, n <= without ? "0000 ffffffff 1 R1 LDS 1 R2 4 1 0x100 4\n" : load);
    put_kernel(r, "k.traceg", 1, 1, "", strcat(lines, exits));
    gpc_trace *trace = open_trace(r, "k.traceg");
    run_kernel(r, replay, trace);
    gpc_trace_close(trace);
}

/* 20 and 19 instructions differ by 5 % of the larger, 20 and 18 by 10 %; a share of one more of 20 by 5 % of all. */
Test(sampled, alike_within_the_distance) {
    static const struct {
        const char *distance;
        unsigned other, without;
        uint32_t groups;
    } cases[] = {{"5", 19, 0, 1}, {"4", 19, 0, 2}, {"5", 18, 0, 2}, {"10", 18, 0, 1},
                 {"0", 20, 0, 1}, {"4", 20, 1, 2}, {"6", 20, 1, 1}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        rig *r = open_timed("kernels");
        set(r, "sample.distance", cases[n].distance);
        gpc_replay *replay = open_replay(r);
        replay_length(r, replay, 20, 0);
        replay_length(r, replay, cases[n].other, cases[n].without);
        cr_expect_eq(sampling_of(replay).group, cases[n].groups, "%s %%, %u", cases[n].distance, cases[n].other);
        gpc_replay_destroy(replay);
        rig_close(r);
    }
}

/* Shares of a class that differ by 10 % keep launches apart, even if each other feature differs by 5 % at most. */
Test(sampled, a_share_of_arithmetic) {
#define ADD "0000 ffffffff 1 R1 IADD3 2 R1 R2 0\n"
#define ADDS ADD ADD ADD ADD ADD ADD ADD ADD
    static const char *const lines[] = {ADDS ADDS ADD ADD "0000 ffffffff 0 NOP 0 0\n" EXIT("0000"),
                                        ADDS ADDS "0000 ffffffff 0 NOP 0 0\n0000 ffffffff 1 R1 LDS 1 R2 4 1 0x100 4\n"
                                                  "0000 ffffffff 1 R1 FADD 2 R1 R2 0\n" EXIT("0000")};
    static const struct {
        const char *distance;
        uint32_t groups;
    } cases[] = {{"6", 2}, {"11", 1}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        rig *r = open_timed("kernels");
        set(r, "sample.distance", cases[n].distance);
        gpc_replay *replay = open_replay(r);
        for (unsigned launch = 0; launch < 2; launch++) {
            put_kernel(r, "k.traceg", 1, 1, "", lines[launch]);
            gpc_trace *trace = open_trace(r, "k.traceg");
            run_kernel(r, replay, trace);
            gpc_trace_close(trace);
        }
        cr_expect_eq(sampling_of(replay).group, cases[n].groups, "%s %%", cases[n].distance);
        gpc_replay_destroy(replay);
        rig_close(r);
    }
}

/*
 * Launches with equal features are of different groups if their names, shapes or resources differ. Groups draw their
 * timed launches apart.
 */
Test(sampled, names_and_shapes_are_apart) {
    static const char *const heads[] = {"",
                                        "-kernel name = l\n",
                                        "-kernel name = kk\n",
                                        "-grid dim = (2,1,1)\n",
                                        "-grid dim = (1,2,1)\n",
                                        "-grid dim = (1,1,2)\n",
                                        "-block dim = (31,1,1)\n",
                                        "-block dim = (16,1,1)\n",
                                        "-block dim = (16,2,1)\n",
                                        "-block dim = (16,1,2)\n",
                                        "-nregs = 8\n",
                                        "-nregs = 9\n",
                                        "-shmem = 8\n",
                                        "-shmem = 9\n"};
    const size_t count = sizeof heads / sizeof *heads;
    rig *r = open_timed("kernels");
    set(r, "sample.launches", "2");
    gpc_replay *replay = open_replay(r);
    for (size_t n = 0; n < 3 * count; n++) {
        put_kernel(r, "k.traceg", 1, 1, heads[n % count], EXIT("0000"));
        gpc_trace *trace = open_trace(r, "k.traceg");
        run_kernel(r, replay, trace);
        gpc_trace_close(trace);
        cr_expect_eq(sampling_of(replay).group, n < count ? n + 1 : count, "%zu: %u", n,
                     (unsigned)sampling_of(replay).group);
    }
    unsigned apart = 0;
    for (size_t n = 1; n < count; n++)
        apart += replay->sampling->groups[n]->place != replay->sampling->groups[0]->place;
    cr_expect_gt(apart, 0);
    gpc_replay_destroy(replay);
    rig_close(r);
}

/*
 * Features of a launch of four warps with equal instructions: loads, a store, and one of shared memory. Global loads
 * touch 4 and 16 sectors of 1 and 4 lines, the store repeats 4 of the sectors. A word of local memory takes 4 sectors
 * of a line of the warp's own, and 32 bytes per lane take eight words; a byte has the line of the byte's word. An
 * access by generic addresses has a lane in local, a lane in global, and a lane in shared memory.
 */
Test(sampled, features_by_hand) {
    static const char lines[] =
        "0000 ffffffff 1 R1 LDG.E 1 R2 4 1 0x100000 4\n"
        "0010 0000ffff 1 R1 LDG.E 1 R2 4 1 0x200000 32\n"
        "0020 ffffffff 0 STG.E 2 R2 R3 4 1 0x100000 4\n"
        "0030 ffffffff 1 R1 LDS 1 R2 4 1 0x100 4\n"
        "0040 ffffffff 1 R1 LDL 1 R2 4 1 0x1000 0\n"
        "0050 ffffffff 1 R1 LDL.256 1 R2 32 1 0x2000 0\n"
        "0054 ffffffff 1 R1 LDL 1 R2 4 1 0x2010 0\n"
        "0058 ffffffff 1 R1 LDL.U8 1 R2 1 1 0x1001 0\n"
        "0060 ffffffff 1 R1 IADD3 2 R1 R2 0\n"
        "0070 00000007 1 R1 LD.E 1 R2 4 0 0x7f0040000010 0x300000 0x7f0000000100\n" EXIT("0080");
    static const struct {
        unsigned feature;
        double value;
    } expected[] = {{GPCI_FEATURE_CLASS + GPC_OP_MEMORY, 9. / 11},
                    {GPCI_FEATURE_CLASS + GPC_OP_ALU, 1. / 11},
                    {GPCI_FEATURE_CLASS + GPC_OP_EXIT, 1. / 11},
                    {GPCI_FEATURE_KIND + GPC_LOAD, 7. / 11},
                    {GPCI_FEATURE_KIND + GPC_STORE, 1. / 11},
                    {GPCI_FEATURE_SHARED, 1. / 11},
                    {GPCI_FEATURE_LANES, 307. / 11 / 32},
                    {GPCI_FEATURE_INSTRUCTIONS, 22},
                    {GPCI_FEATURE_WARPS, 2},
                    {GPCI_FEATURE_SECTORS, 70. / 8},
                    {GPCI_FEATURE_LINES, (6 + 4 * 10) / 2.},
                    {GPCI_FEATURE_STATIC, 11}};
    gpci_features all = {{0}};
    rig *r = open_timed("kernels");
    set(r, "sample.look", "2");
    put_kernel(r, "k.traceg", 3, 2,
               "-binary version = 90\n-shmem base_addr = 0x7f0000000000\n"
               "-local mem base_addr = 0x7f0040000000\n",
               lines);
    gpc_replay *replay = open_replay(r);
    gpc_trace *trace = open_trace(r, "k.traceg");
    run_kernel(r, replay, trace);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        all.values[expected[i].feature] = expected[i].value;
    const double *found = replay->sampling->groups[0]->features.values;
    for (unsigned n = 0; n < GPCI_FEATURE_COUNT; n++)
        cr_expect_lt(fabs(found[n] - all.values[n]), 1e-12, "%u: %g, not %g", n, found[n], all.values[n]);
    gpc_trace_close(trace);
    gpc_replay_destroy(replay);
    rig_close(r);
}

static void expect_refused(const char *key, const char *value, const char *part) {
    rig *r = open_timed("intervals");
    set(r, key, value);
    gpc_replay *replay = NULL;
    expect_error(r, gpc_replay_create(r->context, r->config, &replay, &r->error), GPC_ERROR_RANGE, part);
    cr_assert_null(replay);
    rig_close(r);
}

Test(sampled, refused_configurations) {
    expect_refused("mode", "functional", "sample = intervals needs mode = timed");
    expect_refused("coherence", "mesi", "needs coherence = none");
    expect_refused("sample.warming", "none", "needs sample.warming = functional");
    expect_refused("limit.cycles", "1000", "needs no limit.cycles");
    expect_refused("limit.instructions", "1000", "needs no limit.instructions");
}

static void on_sample(void *user_data, uint64_t cycle, const gpc_stats *lent) {
    measured_stats read;
    const measured_stats *stats = &read;
    measure_sample(lent, &read);
    (void)user_data, (void)cycle, (void)stats;
}

Test(sampled, refused_requests) {
    rig *r = open_timed("kernels");
    gpc_replay *replay = open_replay(r);
    gpc_trace *trace = open_trace(r, stream[0]);
    gpc_estimate found = GPC_ESTIMATE_INIT;
    gpc_sampling s = GPC_SAMPLING_INIT;
    cr_expect_eq(gpc_replay_estimate(replay, GPC_SAMPLING_ALL, 1, &found, NULL), GPC_ERROR_STATE);
    cr_expect_eq(gpc_replay_keep_objects(replay, true, NULL), GPC_OK);
    expect_error(r, gpc_replay_kernel(replay, trace, NULL, &r->error), GPC_ERROR_UNSUPPORTED, "values by object");
    cr_expect_eq(gpc_replay_keep_objects(replay, false, NULL), GPC_OK);
    cr_expect_eq(gpc_replay_on_sample(replay, 100, on_sample, NULL, NULL), GPC_OK);
    expect_error(r, gpc_replay_kernel(replay, trace, NULL, &r->error), GPC_ERROR_UNSUPPORTED, "a time series");
    cr_expect_eq(gpc_replay_on_sample(replay, 0, NULL, NULL, NULL), GPC_OK);
    run_kernel(r, replay, trace);
    cr_expect_eq(gpc_replay_get_sampling(replay, GPC_SAMPLING_KERNEL, &s, NULL), GPC_OK);
    cr_expect(s.mode == 1 && s.launches == 1 && s.timed_launches == 1);
    cr_expect_eq(gpc_replay_get_sampling(replay, (gpc_sampling_scope)2, &s, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_replay_estimate(replay, GPC_SAMPLING_ALL, 1, NULL, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_replay_estimate(replay, GPC_SAMPLING_ALL, 999999, &found, NULL), GPC_ERROR_NOT_FOUND);
    cr_expect_eq(gpc_replay_estimate(replay, GPC_SAMPLING_ALL, id_of("load.latency"), &found, NULL),
                 GPC_ERROR_NOT_FOUND, "a histogram");
    cr_expect_eq(gpc_replay_estimate(replay, GPC_SAMPLING_ALL, id_of("l1.zero_reuse_evictions"), &found, NULL),
                 GPC_ERROR_NOT_FOUND, "not measured");
    found.struct_size = 0;
    cr_expect_eq(gpc_replay_estimate(replay, GPC_SAMPLING_ALL, 1, &found, NULL), GPC_ERROR_ABI);
    gpc_trace_close(trace);
    gpc_replay_destroy(replay);
    rig_close(r);
}
