/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"

#include <gpucache/ext/hierarchy.h>
#include <gpucache/gpucache.h>

#include <criterion/criterion.h>
#include <string.h>

/* Values by object: sums over objects are the whole's, unmeasured values are absent, identities hold. */

typedef struct made {
    gpc_context *context;
    gpc_config *config;
    gpc_replay *replay;
    gpc_hierarchy *hierarchy; /* of the replay */
    measured_stats stats;     /* statistics of the last kernel */
} made;

static void make(made *m, const char *preset, const char *settings) {
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_context_create(NULL, &m->context, &error), GPC_OK);
    cr_assert_eq(gpc_config_create(m->context, &m->config, &error), GPC_OK);
    cr_assert_eq(gpc_config_load_preset(m->config, preset, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_config_load_text(m->config, settings, "test", &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_replay_create(m->context, m->config, &m->replay, &error), GPC_OK, "%s", error.message);
    m->hierarchy = gpc_replay_hierarchy(m->replay);
}

static void run(made *m, const char *what) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_trace *trace;
    cr_assert_eq(gpc_trace_open(m->context, what, &trace, &error), GPC_OK, "%s", error.message);
    measured_clear(&m->stats);
    cr_assert_eq(measure_kernel(m->replay, trace, NULL, &m->stats, &error), GPC_OK, "%s", error.message);
    gpc_trace_close(trace);
}

static void destroy(made *m) {
    gpc_replay_destroy(m->replay);
    gpc_config_destroy(m->config);
    gpc_context_destroy(m->context);
}

static uint32_t id_of(gpc_counter_table table, const char *name) {
    gpc_counter_info info = GPC_COUNTER_INFO_INIT;
    cr_assert_eq(gpc_counter_by_name(table, name, &info, NULL), GPC_OK, "%s", name);
    return info.id;
}

static uint64_t read_one(const made *m, gpc_object kind, uint32_t index, uint32_t id) {
    uint64_t value = 0;
    cr_assert_eq(gpc_hierarchy_read(m->hierarchy, kind, index, &id, 1, &value, 1, NULL), GPC_OK);
    return value;
}

/* Energies are rounded down separately: for a kernel, the difference of two. */
static bool sums_up(const made *m, gpc_object kind, const gpc_counter_info *info, uint64_t sum, uint64_t whole) {
    uint64_t lost = !strncmp(info->name, "energy.", 7) ? gpc_hierarchy_object_count(m->hierarchy, kind) : 0;
    return sum <= whole + lost && whole <= sum + lost;
}

/* Every counter of objects of a kind sums to the whole's; returns the number of counters. */
static unsigned check_sums(const made *m, gpc_object kind) {
    unsigned seen = 0;
    gpc_counter_info info = GPC_COUNTER_INFO_INIT;
    for (size_t i = 0; gpc_counter_table_at(GPC_TABLE_HIERARCHY, i, &info, NULL) == GPC_OK && !info.ratio; i++) {
        uint64_t whole = 0, of_kernel = 0, sum = 0, sum_of_kernel = 0, value;
        if (info.buckets > 1 || !(info.objects >> kind & 1) || !gpc_hierarchy_object_count(m->hierarchy, kind))
            continue;
        cr_assert_eq(gpc_hierarchy_read(m->hierarchy, GPC_OBJECT_WHOLE, 0, &info.id, 1, &whole, 1, NULL), GPC_OK);
        cr_assert_eq(gpc_replay_read(m->replay, GPC_OBJECT_WHOLE, 0, &info.id, 1, &of_kernel, 1, NULL), GPC_OK);
        if (of_kernel == GPC_ABSENT)
            continue;
        cr_expect_eq(of_kernel, *(uint64_t *)(void *)((char *)&m->stats + measured_offset(info.id)), "%s", info.name);
        for (uint32_t n = 0; n < gpc_hierarchy_object_count(m->hierarchy, kind); n++) {
            value = read_one(m, kind, n, info.id);
            sum = value == GPC_ABSENT ? GPC_ABSENT : sum + value;
            cr_assert_eq(gpc_replay_read(m->replay, kind, n, &info.id, 1, &value, 1, NULL), GPC_OK);
            sum_of_kernel = value == GPC_ABSENT ? GPC_ABSENT : sum_of_kernel + value;
        }
        if (sum != GPC_ABSENT)
            cr_expect(sums_up(m, kind, &info, sum, whole), "%s", info.name);
        if (sum_of_kernel != GPC_ABSENT)
            cr_expect(sums_up(m, kind, &info, sum_of_kernel, of_kernel), "%s: %llu of %llu", info.name,
                      (unsigned long long)sum_of_kernel, (unsigned long long)of_kernel);
        seen += sum_of_kernel != GPC_ABSENT && sum_of_kernel > 0;
    }
    return seen;
}

static void check_all(const char *preset, const char *settings, const unsigned least[GPC_OBJECT_COUNT]) {
    made m;
    make(&m, preset, settings);
    cr_assert_eq(gpc_replay_keep_objects(m.replay, true, NULL), GPC_OK);
    run(&m, "synthetic:bicg:32KiB");
    run(&m, "synthetic:histogram:32KiB");
    for (unsigned kind = GPC_OBJECT_SM; kind < GPC_OBJECT_COUNT; kind++) {
        unsigned seen = check_sums(&m, (gpc_object)kind);
        cr_expect_geq(seen, least[kind], "%s: only %u counters of objects of kind %u", settings, seen, kind);
    }
    destroy(&m);
}

Test(objects, sums) {
    check_all("kepler", "mode = functional\n", (unsigned[]){0, 8, 8, 0, 0, 2, 0, 0});
    check_all("kepler", "mode = timed\n", (unsigned[]){0, 25, 11, 0, 0, 5, 1, 0});
    check_all("h100", "mode = timed\nsm.count = 8\nkernels.flush = all\n", (unsigned[]){0, 25, 11, 0, 0, 8, 9, 0});
    check_all("h100", "mode = functional\nl1.enabled = false\n", (unsigned[]){0, 3, 0, 0, 0, 2, 0, 0});
}

Test(objects, networks) {
    made m;
    make(&m, "kepler", "mode = timed\n");
    run(&m, "synthetic:vectoradd:32KiB");
    static const char *const names[] = {"packets", "cycles", "bytes"};
    static const char *const of_whole[2][3] = {{"network.requests", "network.request_cycles", "network.request_bytes"},
                                               {"network.replies", "network.reply_cycles", "network.reply_bytes"}};
    uint32_t count = gpc_hierarchy_object_count(m.hierarchy, GPC_OBJECT_NETWORK), found = 0;
    cr_assert_geq(count, 2);
    for (uint32_t n = 0; n < count; n++) {
        char name[GPC_OBJECT_NAME];
        cr_assert_eq(gpc_hierarchy_object_name(m.hierarchy, GPC_OBJECT_NETWORK, n, name, sizeof name, NULL), GPC_OK);
        int direction = !strcmp(name, "request network") ? 0 : !strcmp(name, "reply network") ? 1 : -1;
        for (unsigned k = 0; direction >= 0 && k < 3; k++, found++) {
            uint64_t value = read_one(&m, GPC_OBJECT_NETWORK, n, id_of(GPC_TABLE_NETWORK, names[k]));
            cr_expect_eq(value, read_one(&m, GPC_OBJECT_WHOLE, 0, id_of(GPC_TABLE_HIERARCHY, of_whole[direction][k])));
            cr_expect_gt(value, 0);
        }
    }
    cr_expect_eq(found, 6);
    destroy(&m);
}

/* A cache's counters belong to the cache; so do those of a module of a coherent tree. */
Test(objects, tables) {
    made m;
    make(&m, "kepler", "mode = functional\n");
    run(&m, "synthetic:vectoradd:32KiB");
    measured_cache stats;
    measured_clear(&stats);
    cr_assert_eq(measure_cache(gpc_hierarchy_cache(m.hierarchy, 1, 0), &stats), GPC_OK);
    cr_expect_eq(read_one(&m, GPC_OBJECT_L1, 0, id_of(GPC_TABLE_CACHE, "writes")), stats.writes);
    cr_expect_eq(read_one(&m, GPC_OBJECT_L1, 0, id_of(GPC_TABLE_CACHE, "reads")), stats.reads);
    cr_expect_eq(read_one(&m, GPC_OBJECT_L1, 0, id_of(GPC_TABLE_COHERENCE, "accesses")), GPC_ABSENT);
    cr_expect_eq(read_one(&m, GPC_OBJECT_SM, 0, id_of(GPC_TABLE_CACHE, "reads")), GPC_ABSENT, "of its L1");
    destroy(&m);
}

/* Unmeasured is not zero. */
Test(objects, absent) {
    made m;
    make(&m, "kepler", "mode = functional\n");
    run(&m, "synthetic:vectoradd:32KiB");
    static const char *const clocked[] = {"cycles", "l1.mshr_stalls", "dram.reads", "network.requests"};
    for (unsigned i = 0; i < sizeof clocked / sizeof *clocked; i++)
        cr_expect_eq(read_one(&m, GPC_OBJECT_WHOLE, 0, id_of(GPC_TABLE_HIERARCHY, clocked[i])), GPC_ABSENT);
    cr_expect_eq(read_one(&m, GPC_OBJECT_WHOLE, 0, id_of(GPC_TABLE_HIERARCHY, "l1.intra_warp_hits")), GPC_ABSENT);
    cr_expect_eq(read_one(&m, GPC_OBJECT_SM, 0, id_of(GPC_TABLE_HIERARCHY, "warp_instructions")), GPC_ABSENT);
    cr_expect_neq(read_one(&m, GPC_OBJECT_WHOLE, 0, id_of(GPC_TABLE_HIERARCHY, "warp_instructions")), GPC_ABSENT);
    cr_expect_eq(read_one(&m, GPC_OBJECT_SLICE, 0, id_of(GPC_TABLE_HIERARCHY, "l1.load_sectors")), GPC_ABSENT);
    cr_expect_eq(read_one(&m, GPC_OBJECT_WHOLE, 0, 65535), GPC_ABSENT, "an id that nobody has");
    cr_expect_eq(gpc_hierarchy_object_count(m.hierarchy, GPC_OBJECT_NETWORK), 0);
    cr_expect_eq(gpc_hierarchy_object_count(m.hierarchy, GPC_OBJECT_CHANNEL), 0);
    cr_expect_eq(gpc_hierarchy_object_count(m.hierarchy, GPC_OBJECT_CLUSTER), 0);
    destroy(&m);
    make(&m, "kepler", "mode = timed\nl1.track_warps = true\n");
    run(&m, "synthetic:vectoradd:32KiB");
    cr_expect_neq(read_one(&m, GPC_OBJECT_WHOLE, 0, id_of(GPC_TABLE_HIERARCHY, "l1.intra_warp_hits")), GPC_ABSENT);
    cr_expect_eq(read_one(&m, GPC_OBJECT_WHOLE, 0, id_of(GPC_TABLE_HIERARCHY, "scheduler.issued")), GPC_ABSENT,
                 "the replay's");
    cr_expect_eq(read_one(&m, GPC_OBJECT_WHOLE, 0, id_of(GPC_TABLE_HIERARCHY, "l1.reordered")), GPC_ABSENT);
    destroy(&m);
}

Test(objects, histograms) {
    made m;
    make(&m, "kepler", "mode = timed\n");
    run(&m, "synthetic:transpose-naive:32KiB");
    uint32_t id = id_of(GPC_TABLE_HIERARCHY, "l1.transactions_per_load");
    uint64_t buckets[GPC_TRANSACTION_BUCKETS + 3];
    /* a histogram between two counters, and a ratio */
    const uint32_t ids[] = {id_of(GPC_TABLE_HIERARCHY, "cycles"), id, id_of(GPC_TABLE_HIERARCHY, "l1.load_requests")};
    cr_assert_eq(
        gpc_hierarchy_read(m.hierarchy, GPC_OBJECT_WHOLE, 0, ids, 3, buckets, sizeof buckets / sizeof *buckets, NULL),
        GPC_OK);
    cr_expect_eq(gpc_counter_values(ids, 3), GPC_TRANSACTION_BUCKETS + 2);
    cr_expect_eq(buckets[0], m.stats.cycles);
    for (unsigned i = 0; i < GPC_TRANSACTION_BUCKETS; i++)
        cr_expect_eq(buckets[1 + i], m.stats.l1_transactions_per_load[i], "bucket %u", i);
    cr_expect_eq(buckets[GPC_TRANSACTION_BUCKETS + 1], m.stats.l1_load_requests);
    cr_assert_eq(
        gpc_hierarchy_read(m.hierarchy, GPC_OBJECT_SLICE, 0, &id, 1, buckets, sizeof buckets / sizeof *buckets, NULL),
        GPC_OK);
    cr_expect(buckets[0] == GPC_ABSENT && buckets[GPC_TRANSACTION_BUCKETS - 1] == GPC_ABSENT, "a slice has none");
    cr_expect_eq(buckets[GPC_TRANSACTION_BUCKETS + 1], m.stats.l1_load_requests, "not written");
    const uint32_t ratio = id_of(GPC_TABLE_HIERARCHY, "l1.lines_per_load");
    cr_assert_eq(
        gpc_replay_read(m.replay, GPC_OBJECT_WHOLE, 0, &ratio, 1, buckets, sizeof buckets / sizeof *buckets, NULL),
        GPC_OK);
    cr_expect(buckets[0] == m.stats.l1_load_lines && buckets[1] == m.stats.l1_load_requests, "numerator, denominator");
    destroy(&m);
}

/* Buckets of the objects of a kind sum to the whole's, of all kernels and of the last. */
static void check_histogram(const made *m, gpc_object kind, const gpc_counter_info *info) {
    uint64_t whole[GPC_AGE_BUCKETS], sum[GPC_AGE_BUCKETS] = {0}, of_kernel[GPC_AGE_BUCKETS] = {0}, one[GPC_AGE_BUCKETS];
    cr_assert_leq(info->buckets, GPC_AGE_BUCKETS);
    for (uint32_t n = 0; n < gpc_hierarchy_object_count(m->hierarchy, kind); n++) {
        cr_assert_eq(gpc_hierarchy_read(m->hierarchy, kind, n, &info->id, 1, one, sizeof one / sizeof *one, NULL),
                     GPC_OK);
        for (size_t k = 0; k < info->buckets; k++)
            sum[k] += one[k];
        cr_assert_eq(gpc_replay_read(m->replay, kind, n, &info->id, 1, one, sizeof one / sizeof *one, NULL), GPC_OK);
        for (size_t k = 0; k < info->buckets; k++)
            of_kernel[k] += one[k];
    }
    cr_assert_eq(
        gpc_hierarchy_read(m->hierarchy, GPC_OBJECT_WHOLE, 0, &info->id, 1, whole, sizeof whole / sizeof *whole, NULL),
        GPC_OK);
    const uint64_t *last = (const uint64_t *)(const void *)((const char *)&m->stats + measured_offset(info->id));
    for (size_t k = 0; k < info->buckets; k++) {
        cr_expect_eq(sum[k], whole[k], "%s, bucket %zu", info->name, k);
        cr_expect_eq(of_kernel[k], last[k], "%s, bucket %zu of the kernel", info->name, k);
    }
}

static void check_histograms(const char *settings, unsigned least) {
    made m;
    unsigned seen = 0;
    make(&m, "kepler", settings);
    cr_assert_eq(gpc_replay_keep_objects(m.replay, true, NULL), GPC_OK);
    run(&m, "synthetic:transpose-naive:32KiB");
    run(&m, "synthetic:bicg:32KiB");
    gpc_counter_info info = GPC_COUNTER_INFO_INIT;
    for (size_t i = 0; gpc_counter_table_at(GPC_TABLE_HIERARCHY, i, &info, NULL) == GPC_OK; i++) {
        uint64_t buckets[GPC_AGE_BUCKETS], sum = 0;
        if (info.kind != GPC_COUNTER_HISTOGRAM)
            continue;
        cr_assert_eq(gpc_hierarchy_read(m.hierarchy, GPC_OBJECT_WHOLE, 0, &info.id, 1, buckets,
                                        sizeof buckets / sizeof *buckets, NULL),
                     GPC_OK);
        cr_assert(info.objects >> GPC_OBJECT_SM & 1, "%s", info.name);
        if (*buckets == GPC_ABSENT)
            continue;
        for (size_t k = 0; k < info.buckets; k++)
            sum += buckets[k];
        check_histogram(&m, GPC_OBJECT_SM, &info);
        if (info.objects >> GPC_OBJECT_L1 & 1)
            check_histogram(&m, GPC_OBJECT_L1, &info);
        seen += sum > 0;
    }
    cr_expect_geq(seen, least, "%s: only %u histograms with anything in them", settings, seen);
    gpc_hierarchy_reset_stats(m.hierarchy);
    const uint32_t id = id_of(GPC_TABLE_HIERARCHY, "l1.transactions_per_load");
    uint64_t buckets[GPC_TRANSACTION_BUCKETS];
    cr_assert_eq(
        gpc_hierarchy_read(m.hierarchy, GPC_OBJECT_SM, 0, &id, 1, buckets, sizeof buckets / sizeof *buckets, NULL),
        GPC_OK);
    for (unsigned i = 0; i < GPC_TRANSACTION_BUCKETS; i++)
        cr_expect_eq(buckets[i], 0, "after a reset");
    destroy(&m);
}

Test(objects, histograms_by_sm) {
    check_histograms("mode = functional\n", 2);
    check_histograms("mode = timed\n", 5);
    check_histograms("mode = timed\nl1.bypass = always-bypass\n", 5);
}

/* A channel's bytes are bursts; over all channels, bursts bring all sectors counted as read. */
Test(objects, bytes_of_channels) {
    made m;
    uint64_t moved[2] = {0, 0};
    const uint32_t ids[] = {id_of(GPC_TABLE_HIERARCHY, "dram.reads"), id_of(GPC_TABLE_HIERARCHY, "dram.writes"),
                            id_of(GPC_TABLE_HIERARCHY, "dram.read_bytes"),
                            id_of(GPC_TABLE_HIERARCHY, "dram.write_bytes")};
    make(&m, "kepler", "mode = timed\ndram.burst_bytes = 32\n");
    run(&m, "synthetic:transpose-naive:64KiB");
    for (uint32_t n = 0; n < gpc_hierarchy_object_count(m.hierarchy, GPC_OBJECT_CHANNEL); n++) {
        uint64_t values[4];
        cr_assert_eq(gpc_hierarchy_read(m.hierarchy, GPC_OBJECT_CHANNEL, n, ids, 4, values,
                                        sizeof values / sizeof *values, NULL),
                     GPC_OK);
        cr_expect_eq(values[2], values[0] * 32);
        cr_expect_eq(values[3], values[1] * 32);
        moved[0] += values[2];
        moved[1] += values[3];
    }
    cr_expect_eq(moved[0], m.stats.dram_read_bytes);
    cr_expect_eq(moved[1], m.stats.dram_write_bytes);
    cr_expect_eq(moved[0], (m.stats.dram_read_sectors - m.stats.dram_launch_sectors) * 32);
    cr_expect_gt(moved[0], 0);
    destroy(&m);
}

/* A functional replay knows the SM of every instruction, also without memory access. */
Test(objects, functional_instructions) {
    made m;
    make(&m, "kepler", "mode = functional\n");
    cr_assert_eq(gpc_replay_keep_objects(m.replay, true, NULL), GPC_OK);
    run(&m, "synthetic:vectoradd:32KiB");
    static const char *const names[] = {"warp_instructions", "thread_instructions"};
    const uint64_t whole[] = {m.stats.warp_instructions, m.stats.thread_instructions};
    uint32_t sms = gpc_hierarchy_object_count(m.hierarchy, GPC_OBJECT_SM);
    for (unsigned i = 0; i < 2; i++) {
        uint32_t id = id_of(GPC_TABLE_HIERARCHY, names[i]), busy = 0;
        uint64_t sum = 0, value;
        for (uint32_t n = 0; n < sms; n++) {
            cr_assert_eq(gpc_replay_read(m.replay, GPC_OBJECT_SM, n, &id, 1, &value, 1, NULL), GPC_OK);
            cr_assert_neq(value, GPC_ABSENT);
            sum += value;
            busy += value > 0;
        }
        cr_expect_eq(sum, whole[i], "%s", names[i]);
        cr_expect_gt(busy, 1);
    }
    cr_expect_gt(whole[0], m.stats.l1_load_requests + m.stats.l1_store_requests, "others are among them");
    destroy(&m);
}

Test(objects, errors) {
    made m;
    make(&m, "kepler", "mode = timed\n");
    uint64_t value = 7;
    uint32_t id = id_of(GPC_TABLE_HIERARCHY, "cycles"), sms = gpc_hierarchy_object_count(m.hierarchy, GPC_OBJECT_SM);
    char name[GPC_OBJECT_NAME];
    cr_expect_eq(gpc_hierarchy_read(NULL, GPC_OBJECT_WHOLE, 0, &id, 1, &value, 1, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_hierarchy_read(m.hierarchy, GPC_OBJECT_WHOLE, 0, NULL, 1, &value, 1, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_hierarchy_read(m.hierarchy, GPC_OBJECT_WHOLE, 0, &id, 1, NULL, 1, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_hierarchy_read(m.hierarchy, GPC_OBJECT_SM, sms, &id, 1, &value, 1, NULL), GPC_ERROR_RANGE);
    cr_expect_eq(gpc_hierarchy_read(m.hierarchy, GPC_OBJECT_COUNT, 0, &id, 1, &value, 1, NULL), GPC_ERROR_RANGE);
    const uint32_t histogram = id_of(GPC_TABLE_HIERARCHY, "l1.transactions_per_load");
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_eq(gpc_hierarchy_read(m.hierarchy, GPC_OBJECT_WHOLE, 0, &histogram, 1, &value, 1, &error),
                 GPC_ERROR_RANGE, "33 values");
    cr_expect_str_eq(error.message, "gpc_hierarchy_read: value_count is 1, but l1.transactions_per_load has values[0] "
                                    "to values[32] (gpc_counter_values)");
    cr_expect_eq(value, 7);
    cr_expect_eq(gpc_hierarchy_object_count(NULL, GPC_OBJECT_SM), 0);
    cr_expect_eq(gpc_hierarchy_object_name(m.hierarchy, GPC_OBJECT_SM, sms, name, sizeof name, NULL), GPC_ERROR_RANGE);
    cr_expect_eq(gpc_hierarchy_object_name(NULL, GPC_OBJECT_SM, 0, name, sizeof name, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_hierarchy_object_name(m.hierarchy, GPC_OBJECT_SM, 0, NULL, sizeof name, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_hierarchy_object_name(m.hierarchy, GPC_OBJECT_SM, 0, name, 0, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_hierarchy_object_name(m.hierarchy, GPC_OBJECT_SM, 0, NULL, 0, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_hierarchy_object_name(m.hierarchy, GPC_OBJECT_SM, 0, name, 3, NULL), GPC_ERROR_RANGE);
    cr_expect_eq(gpc_hierarchy_object_name(m.hierarchy, GPC_OBJECT_SM, 3, name, sizeof name, NULL), GPC_OK);
    cr_expect_str_eq(name, "sm-3");
    cr_expect_eq(gpc_replay_read(m.replay, GPC_OBJECT_WHOLE, 0, &id, 1, &value, 1, NULL), GPC_ERROR_STATE,
                 "no kernel yet");
    cr_expect_eq(gpc_replay_keep_objects(NULL, true, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_replay_keep_objects(m.replay, true, NULL), GPC_OK);
    cr_expect_eq(gpc_replay_read(m.replay, GPC_OBJECT_SM, 0, &id, 1, &value, 1, NULL), GPC_ERROR_STATE,
                 "no kernel yet");
    run(&m, "synthetic:vectoradd:32KiB");
    cr_expect_eq(gpc_replay_read(m.replay, GPC_OBJECT_WHOLE, 0, &id, 1, &value, 1, NULL), GPC_OK);
    cr_expect_eq(value, m.stats.cycles);
    cr_expect_eq(gpc_replay_read(m.replay, GPC_OBJECT_SM, sms, &id, 1, &value, 1, NULL), GPC_ERROR_RANGE);
    cr_expect_eq(gpc_replay_keep_objects(m.replay, false, NULL), GPC_OK);
    cr_expect_eq(gpc_replay_read(m.replay, GPC_OBJECT_SM, 0, &id, 1, &value, 1, NULL), GPC_ERROR_STATE, "not kept");
    value = 0;
    cr_expect_eq(gpc_replay_read(m.replay, GPC_OBJECT_WHOLE, 0, &id, 1, &value, 1, NULL), GPC_OK, "always kept");
    cr_expect_eq(value, m.stats.cycles);
    destroy(&m);
}

Test(objects, descriptors) {
    gpc_counter_info info = GPC_COUNTER_INFO_INIT, same = GPC_COUNTER_INFO_INIT;
    for (unsigned table = 0; table < GPC_TABLE_COUNT; table++) {
        size_t count = gpc_counter_table_count((gpc_counter_table)table);
        cr_expect_gt(count, 4);
        for (size_t i = 0; i < count; i++) {
            cr_assert_eq(gpc_counter_table_at((gpc_counter_table)table, i, &info, NULL), GPC_OK);
            cr_expect(*info.name && *info.unit && *info.meaning && *info.since && info.id && info.table == table);
            cr_assert_eq(gpc_counter_by_id(info.id, &same, NULL), GPC_OK);
            cr_expect_str_eq(same.name, info.name);
            cr_assert_eq(gpc_counter_by_name((gpc_counter_table)table, info.name, &same, NULL), GPC_OK);
            cr_expect_eq(same.id, info.id);
            cr_expect_eq(info.ratio, info.numerator && info.denominator);
            cr_expect_neq(info.ratio, info.objects != 0, "%s", info.name);
        }
        cr_expect_eq(gpc_counter_table_at((gpc_counter_table)table, count, &info, NULL), GPC_ERROR_RANGE);
    }
    cr_expect_eq(gpc_counter_table_count(GPC_TABLE_COUNT), 0);
    cr_expect_eq(gpc_counter_by_id(0, &info, NULL), GPC_ERROR_NOT_FOUND);
    cr_expect_eq(gpc_counter_by_id(UINT32_MAX, &info, NULL), GPC_ERROR_NOT_FOUND);
    cr_expect_eq(gpc_counter_by_name(GPC_TABLE_HIERARCHY, "no such", &info, NULL), GPC_ERROR_NOT_FOUND);
    cr_expect_eq(gpc_counter_by_name(GPC_TABLE_HIERARCHY, NULL, &info, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_counter_by_id(1, NULL, NULL), GPC_ERROR_ARGUMENT);
}
