/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "rig.h"

#include <stdio.h>
#include <string.h>

/* Timing sets, the fixed model, and refusals. */

static gpc_dram *make(gpc_context *context, const char *const *pairs, gpc_status expected, gpc_error *error) {
    gpc_config *config;
    gpc_dram *dram = NULL;
    cr_assert_eq(gpc_config_create(context, &config, error), GPC_OK);
    for (; *pairs; pairs++)
        cr_assert_eq(gpc_config_set_pair(config, *pairs, error), GPC_OK, "%s", error->message);
    cr_assert_eq(gpc_dram_create(context, config, &dram, error), expected, "%s", error->message);
    gpc_config_destroy(config);
    return dram;
}

/* Sequential reads as fast as accepted: share of cycles with data. */
static double saturate(gpc_dram *dram, uint64_t count) {
    uint64_t burst = gpc_dram_burst_bytes(dram);
    for (uint64_t i = 0; i < count; i++)
        while (gpc_dram_try_request(dram, 0, i * burst, false, i, NULL) == GPC_BUSY)
            cr_assert_eq(gpc_dram_advance(dram, 1, NULL), GPC_OK);
    measured_stats stats;
    measured_clear(&stats);
    cr_assert_eq(measure_dram(dram, &stats), GPC_OK);
    return (double)stats.dram_busy_cycles / (double)stats.dram_cycles;
}

Test(dram_sets, sequential_reads_reach_the_peak_but_for_refresh) {
    static const char *const names[] = {"dram.timing=ddr4", "dram.timing=gddr5", "dram.timing=gddr6",
                                        "dram.timing=hbm2", "dram.timing=hbm2e", "dram.timing=hbm3",
                                        "dram.timing=ddr5"};
    gpc_context *context;
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_context_create(NULL, &context, &error), GPC_OK);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *const pairs[] = {names[i], "dram.channels=1", "dram.refresh=none", "dram.read_queue=128", NULL};
        gpc_dram *dram = make(context, pairs, GPC_OK, &error);
        double share = saturate(dram, 20000);
        cr_assert_gt(share, 0.95, "%s %g", names[i], share);
        cr_assert_leq(share, 1.02, "%s %g", names[i], share); /* data of the last commands are still missing */
        gpc_dram_destroy(dram);
    }
    gpc_context_destroy(context);
}

/*
 * Every figure of every set, again from the sources (lib/dram/sets.c): in the order of GPCI_DRAM_TIMINGS, which is the
 * order of the keys from dram.trcd to dram.burst_cycles.
 */
static const struct {
    const char *name;
    uint32_t mhz, figures[27], dual;
} published[] = {
    {"ddr4",
     1200,
     {16, 16, 16, 16, 16, 39, 55, 4, 6, 26, 19, 3, 9, 2, 9, 4, 6, 9364, 420, 0, 0, 1, 4, 4, 8192, 64, 4},
     0},
    {"gddr5",
     924,
     {12, 10, 12, 12, 4, 28, 40, 6, 6, 22, 12, 5, 5, 2, 2, 2, 3, 7210, 61, 0, 0, 1, 4, 4, 4096, 64, 2},
     0},
    {"gddr6",
     1750,
     {24, 24, 24, 24, 8, 55, 78, 12, 12, 48, 24, 10, 10, 2, 4, 2, 3, 3325, 210, 0, 0, 1, 4, 4, 2048, 32, 2},
     0},
    {"hbm2",
     850,
     {12, 12, 12, 12, 2, 28, 40, 3, 3, 26, 10, 3, 3, 2, 3, 1, 2, 3315, 221, 136, 7, 1, 4, 4, 2048, 32, 1},
     1},
    {"hbm2e",
     1512,
     {22, 22, 22, 22, 4, 50, 72, 6, 9, 24, 19, 5, 5, 2, 7, 2, 4, 5897, 394, 242, 13, 2, 4, 4, 1024, 32, 2},
     1},
    {"hbm3",
     1309,
     {19, 19, 19, 19, 6, 45, 64, 6, 8, 20, 21, 8, 11, 2, 8, 2, 3, 5105, 458, 210, 11, 4, 4, 4, 1024, 32, 2},
     1},
    {"ddr5",
     1600,
     {24, 24, 24, 24, 22, 52, 76, 8, 8, 32, 48, 4, 16, 4, 12, 8, 8, 6240, 472, 208, 48, 1, 8, 4, 4096, 64, 8},
     0},
};

Test(dram_sets, figures_are_those_of_their_sources) {
    gpc_context *context;
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_context_create(NULL, &context, &error), GPC_OK);
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        char timing[32], clock[32];
        snprintf(timing, sizeof timing, "dram.timing=%s", published[i].name);
        snprintf(clock, sizeof clock, "clock.dram=%u", published[i].mhz);
        gpc_dram *dram = make(context, (const char *const[]){timing, clock, NULL}, GPC_OK, &error);
        const gpci_dram_timing *t = &dram->rules.timing;
        size_t n = 0;
#define X(field, key, scaled)                                                                           \
    cr_expect_eq(t->field, published[i].figures[n], "%s, " #field ": %u", published[i].name, t->field); \
    n++;
        GPCI_DRAM_TIMINGS(X)
#undef X
        cr_expect_eq(n, sizeof published[i].figures / sizeof *published[i].figures);
        cr_expect_eq(t->dual, published[i].dual, "%s", published[i].name);
        gpc_dram_destroy(dram);
    }
    gpc_context_destroy(context);
}

/* A set's times hold at another clock: 12 cycles of 924 MHz are 24 of 1848 MHz. */
Test(dram_sets, auto_follows_the_clock) {
    gpc_context *context;
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_context_create(NULL, &context, &error), GPC_OK);
    gpc_dram *dram = make(context, (const char *const[]){"dram.timing=gddr5", "clock.dram=1848", NULL}, GPC_OK, &error);
    cr_assert_eq(dram->rules.timing.trcd, 24);
    cr_assert_eq(dram->rules.timing.tccd_s, 2);
    gpc_dram_destroy(dram);
    dram = make(context, (const char *const[]){"dram.timing=gddr5", "clock.dram=1000", NULL}, GPC_OK, &error);
    cr_assert_eq(dram->rules.timing.trcd, 13); /* 12.99 */
    gpc_dram_destroy(dram);
    gpc_context_destroy(context);
}

Test(dram_sets, presets_have_their_gpus_bandwidth) {
    static const struct {
        const char *preset;
        double gigabytes;
    } gpus[] = {{"gtx480", 177.4}, {"qv100", 870.4}, {"rtx2060", 336}, {"a100", 1555}, {"h100", 3350}};
    gpc_context *context;
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_context_create(NULL, &context, &error), GPC_OK);
    for (size_t i = 0; i < sizeof gpus / sizeof *gpus; i++) {
        gpc_config *config;
        gpc_dram *dram;
        cr_assert_eq(gpc_config_create(context, &config, &error), GPC_OK);
        cr_assert_eq(gpc_config_load_preset(config, gpus[i].preset, &error), GPC_OK);
        cr_assert_eq(gpc_dram_create(context, config, &dram, &error), GPC_OK, "%s", error.message);
        const gpci_dram_timing *t = &dram->rules.timing;
        double rate = 1e-3 * t->mhz * dram->channels * t->pseudo * t->burst_bytes / t->burst;
        cr_assert_float_eq(rate, gpus[i].gigabytes, gpus[i].gigabytes * 0.002, "%s %g", gpus[i].preset, rate);
        gpc_dram_destroy(dram);
        gpc_config_destroy(config);
    }
    gpc_context_destroy(context);
}

Test(dram_fixed, latency_and_bandwidth) {
    rig *r = rig_open("dram.model=fixed dram.fixed_latency=50 dram.fixed_bandwidth=24");
    for (uint64_t i = 0; i < 4; i++)
        rig_request(r, i * 64, false, i);
    rig_drain(r);
    /* 64 bytes take 8/3 cycles: turns at 0, 2.67, 5.33 and 8 */
    static const uint64_t ends[] = {50, 53, 56, 58};
    for (uint64_t i = 0; i < 4; i++)
        cr_assert_eq(done_at(r, i), ends[i]);
    cr_assert_eq(rig_stats(r).dram_queue_cycles, 0 + 3 + 6 + 8);
    rig_advance(r, 100);
    uint64_t now = gpc_dram_now(r->dram);
    rig_request(r, 0, true, 9);
    rig_drain(r);
    cr_assert_eq(done_at(r, 9), now + 50);
    rig_close(r);
}

Test(dram_refusals, name_the_key) {
    static const char *const bad[][3] = {
        {"dram.bank_groups=3", NULL, "dram.bank_groups"},
        {"dram.group_banks=32", "dram.bank_groups=4", "dram.group_banks"},
        {"dram.row_bytes=96B", NULL, "dram.row_bytes"},
        {"dram.row_bytes=32B", "dram.burst_bytes=64B", "dram.row_bytes"},
        {"dram.trefi=100", NULL, "dram.trefi"},
        {"dram.refresh=per-bank", NULL, "dram.refresh"}, /* gddr5 has none */
        {"dram.refresh=per-bank", "dram.timing=hbm3 dram.trefi=2000", "dram.trefi"},
        {"dram.refresh=same-bank", "dram.timing=ddr5 dram.trefi=2000", "dram.trefi"},
        {"dram.refresh=per-bank", "dram.timing=hbm3 dram.scheduler=by-bank", "dram.refresh"},
        {"dram.write_high=65", NULL, "dram.write_high"},
        {"dram.write_low=56", NULL, "dram.write_low"},
        {"dram.mapping=bank row", NULL, "dram.mapping"},
        {"dram.mapping=row bank column", NULL, "dram.mapping"},
        {"dram.mapping=row bank bank group pseudo column", NULL, "dram.mapping"},
        {"dram.mapping=row bank group pseudo column:99", NULL, "dram.mapping"},
        {"dram.mapping=row rank group pseudo column", NULL, "dram.mapping"},
    };
    gpc_context *context;
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_context_create(NULL, &context, &error), GPC_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bool format = !strcmp(bad[i][2], "dram.mapping");
        char two[64] = ""; /* name of the second set, if two */
        char *second = NULL;
        snprintf(two, sizeof two, "%s", bad[i][1] && !format ? bad[i][1] : "");
        if ((second = strchr(two, ' ')))
            *second++ = '\0';
        const char *const pairs[] = {bad[i][0], *two ? two : NULL, second, NULL};
        cr_assert_null(make(context, pairs, format ? GPC_ERROR_FORMAT : GPC_ERROR_RANGE, &error));
        cr_assert_not_null(strstr(error.message, bad[i][2]), "%s", error.message);
    }
    gpc_context_destroy(context);
}

/* Numbers of bits have any two digits. Rows of 2^19 bytes have 14 bits of bursts of 32 bytes. */
Test(dram_refusals, numbers_of_bits) {
    static const char *const cases[][2] = {
        {"dram.mapping=row column:10 bank group pseudo column:4", NULL},
        {"dram.mapping=row column:9 bank group pseudo column:5", NULL},
        {"dram.mapping=row column:8 bank group pseudo column:5", "column has not the number of bits"},
        {"dram.mapping=row column:11 bank group pseudo column:4", "column has not the number of bits"},
        {"dram.mapping=row bank group pseudo column:99", "column has not the number of bits"},
        {"dram.mapping=row bank group pseudo column:100", "is not a list"}};
    gpc_context *context;
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_context_create(NULL, &context, &error), GPC_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const pairs[] = {cases[i][0], "dram.burst_bytes=32B", "dram.row_bytes=512KiB", NULL};
        gpc_dram_destroy(make(context, pairs, cases[i][1] ? GPC_ERROR_FORMAT : GPC_OK, &error));
        if (cases[i][1])
            cr_expect_not_null(strstr(error.message, cases[i][1]), "%s: %s", cases[i][0], error.message);
    }
    gpc_context_destroy(context);
}

Test(dram_refusals, arguments) {
    rig *r = rig_open(NULL);
    measured_stats stats;
    cr_assert_eq(gpc_dram_try_request(r->dram, 1, 0, false, 0, NULL), GPC_ERROR_ARGUMENT);
    cr_assert_eq(gpc_dram_try_request(NULL, 0, 0, false, 0, NULL), GPC_ERROR_ARGUMENT);
    cr_assert_eq(gpc_dram_advance(NULL, 1, NULL), GPC_ERROR_ARGUMENT);
    cr_assert_eq(gpc_dram_advance(r->dram, UINT64_MAX, NULL), GPC_ERROR_RANGE);
    cr_assert_eq(gpc_dram_now(r->dram), 0);
    cr_assert_eq(measure_dram(r->dram, NULL), GPC_ERROR_ARGUMENT);
    measured_clear(&stats);
    cr_assert_eq(measure_dram(NULL, &stats), GPC_ERROR_ARGUMENT);
    gpc_dram_destroy(NULL);
    rig_close(r);
}
