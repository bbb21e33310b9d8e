/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/ext/scheduler.h>

#include "errors/errors.h"

#include <criterion/criterion.h>
#include <string.h>

/* gpucache/counters.h, and reads by id of each object */

static const uint32_t unknown = 999999;

Test(counters, table) {
    gpc_counter_info info = GPC_COUNTER_INFO_INIT;
    FAILS(ARGUMENT, "info is NULL", gpc_counter_table_at, GPC_TABLE_HIERARCHY, 0, NULL);
    FAILS(RANGE, "index is 100000", gpc_counter_table_at, GPC_TABLE_HIERARCHY, 100000, &info);
    FAILS(RANGE, "the table has 0 counters", gpc_counter_table_at, (gpc_counter_table)99, 0, &info);
    FAILS(ARGUMENT, "name is NULL", gpc_counter_by_name, GPC_TABLE_HIERARCHY, NULL, &info);
    FAILS(ARGUMENT, "info is NULL", gpc_counter_by_name, GPC_TABLE_HIERARCHY, "cycles", NULL);
    FAILS(NOT_FOUND, "'cycels'", gpc_counter_by_name, GPC_TABLE_HIERARCHY, "cycels", &info);
    FAILS(ARGUMENT, "info is NULL", gpc_counter_by_id, GPC_ID_cycles, NULL);
    FAILS(NOT_FOUND, "id 999999", gpc_counter_by_id, unknown, &info);
    cr_expect_null(info.name);
    WORKS(gpc_counter_table_at, GPC_TABLE_HIERARCHY, 0, &info);
    WORKS(gpc_counter_by_name, GPC_TABLE_HIERARCHY, "cycles", &info);
    WORKS(gpc_counter_by_id, GPC_ID_cycles, &info);
    info.struct_size = 0;
    FAILS(ABI, "gpc_counter_info", gpc_counter_by_id, GPC_ID_cycles, &info);
}

/* An id is known if and only if a table has a row of the id; also just beyond the last. */
Test(counters, ids) {
    const uint32_t beyond = counter_id_beyond();
    const uint64_t value = 1234;
    char text[64];
    uint32_t rows = 0, known = 0;
    for (int table = 0; table < GPC_TABLE_COUNT; table++)
        rows += (uint32_t)gpc_counter_table_count((gpc_counter_table)table);
    for (uint32_t id = 0; id < 2 * beyond; id++) {
        gpc_counter_info info = GPC_COUNTER_INFO_INIT;
        const gpc_status status = gpc_counter_by_id(id, &info, NULL);
        cr_expect(status == (id < beyond && info.id == id && info.name ? GPC_OK : GPC_ERROR_NOT_FOUND), "%u", id);
        cr_expect(status == GPC_OK || gpc_counter_values(&id, 1) == 1, "%u", id);
        known += status == GPC_OK;
    }
    cr_expect_eq(known, rows);
    cr_expect_eq(gpc_counter_by_id(UINT32_MAX, &(gpc_counter_info)GPC_COUNTER_INFO_INIT, NULL), GPC_ERROR_NOT_FOUND);
    FAILS(NOT_FOUND, "no counter has the id", gpc_counters_json, &beyond, 1, &value, 1, text, sizeof text, NULL);
    FAILS(NOT_FOUND, "no counter has the id", gpc_counters_csv, &beyond, 1, &value, 1, true, text, sizeof text, NULL);
}

Test(counters, texts) {
    const uint32_t id = GPC_ID_cycles;
    const uint64_t value = 1234;
    char text[64];
    size_t length = 7;
    FAILS(ARGUMENT, "ids is NULL", gpc_counters_json, NULL, 1, &value, 1, text, sizeof text, &length);
    FAILS(ARGUMENT, "values is NULL", gpc_counters_json, &id, 1, NULL, 1, text, sizeof text, &length);
    FAILS(NOT_FOUND, "id 999999", gpc_counters_json, &unknown, 1, &value, 1, text, sizeof text, &length);
    FAILS(ARGUMENT, "ids is NULL", gpc_counters_csv, NULL, 1, &value, 1, true, text, sizeof text, &length);
    FAILS(ARGUMENT, "values is NULL", gpc_counters_csv, &id, 1, NULL, 1, true, text, sizeof text, &length);
    FAILS(RANGE, "gpc_counters_json: value_count is 0", gpc_counters_json, &id, 1, &value, 0, text, sizeof text,
          &length);
    FAILS(RANGE, "gpc_counters_csv: value_count is 0", gpc_counters_csv, &id, 1, &value, 0, true, text, sizeof text,
          &length);
    FAILS(NOT_FOUND, "id 999999", gpc_counters_csv, &unknown, 1, &value, 1, true, text, sizeof text, &length);
    cr_expect_eq(length, 7u);
    FAILS(RANGE, "size is 4", gpc_counters_json, &id, 1, &value, 1, text, 4, &length);
    FAILS(RANGE, "size is 4", gpc_counters_csv, &id, 1, &value, 1, true, text, 4, &length);
    WORKS(gpc_counters_json, &id, 1, &value, 1, text, sizeof text, &length);
    WORKS(gpc_counters_csv, &id, 1, &value, 1, true, text, sizeof text, &length);
}

Test(counters, objects) {
    gpc_context *context = made_context();
    gpc_config *config = made_config(context, "dram.model = timing\n");
    gpc_cache *cache;
    gpc_dram *dram;
    uint64_t value = 7;
    const uint32_t of_cache = GPC_ID_CACHE_reads, of_dram = GPC_ID_dram_reads;
    cr_assert_eq(gpc_cache_create(context, NULL, &cache, NULL), GPC_OK);
    cr_assert_eq(gpc_dram_create(context, config, &dram, NULL), GPC_OK);
    FAILS(ARGUMENT, "cache is NULL", gpc_cache_read, NULL, &of_cache, 1, &value, 1);
    READS(gpc_cache_read, of_cache, cache);
    FAILS(ARGUMENT, "dram is NULL", gpc_dram_read, NULL, &of_dram, 1, &value, 1);
    READS(gpc_dram_read, of_dram, dram);
    FAILS(ARGUMENT, "stats is NULL", gpc_stats_read, NULL, &of_dram, 1, &value, 1);
    cr_expect_eq(value, 7u);
    gpc_dram_destroy(dram);
    gpc_cache_destroy(cache);
    gpc_config_destroy(config);
    gpc_context_destroy(context);
}

static unsigned samples;

static void read_sample(void *self, const gpc_stats *stats, uint64_t cycle) {
    (void)self, (void)cycle;
    READS(gpc_stats_read, GPC_ID_cycles, stats);
    samples++;
}

static bool on_sample(void *self, const gpc_stats *stats, uint64_t cycle) {
    read_sample(self, stats, cycle);
    return false;
}

static uint32_t pick(void *self, const uint64_t *ready, uint64_t cycle) {
    (void)self, (void)ready, (void)cycle;
    return 0;
}

static void classify(void *self, const gpc_throttle_view *view, gpc_throttle_classes *classes) {
    (void)self, (void)view, (void)classes;
}

/* Rows of a host's sample of a scheduler or throttle. */
#define SAMPLES(function, object)                                                                                \
    FAILS(ARGUMENT, #function ": " #object " is NULL", function, NULL, 1, &id, 1, &value, 1);                    \
    FAILS(ARGUMENT, #function ": ids is NULL", function, object, 1, NULL, 1, &value, 1);                         \
    FAILS(ARGUMENT, #function ": values is NULL", function, object, 1, &id, 1, NULL, 1);                         \
    FAILS(RANGE, #function ": value_count is 0", function, object, 1, &id, 1, &value, 0);                        \
    FAILS(ARGUMENT, #function ": no counter of a hierarchy has the id 999999", function, object, 1, &unknown, 1, \
          &value, 1);                                                                                            \
    FAILS(ARGUMENT, #function ": no counter of a hierarchy has the id", function, object, 1, &beyond, 1, &value, 1)

Test(counters, samples) {
    gpc_context *context = made_context();
    const gpc_scheduler_ops scheduler_ops = {.struct_size = sizeof scheduler_ops,
                                             .name = "mine",
                                             .summary = "s",
                                             .source = "s",
                                             .pick = pick,
                                             .sample = read_sample};
    const gpc_throttle_ops throttle_ops = {.struct_size = sizeof throttle_ops,
                                           .name = "mine",
                                           .summary = "s",
                                           .source = "s",
                                           .classify = classify,
                                           .sample = on_sample};
    gpc_scheduler_options of_scheduler = GPC_SCHEDULER_OPTIONS_INIT;
    gpc_throttle_options of_throttle = GPC_THROTTLE_OPTIONS_INIT;
    gpc_scheduler *scheduler;
    gpc_throttle *throttle;
    const uint32_t id = GPC_ID_cycles, beyond = counter_id_beyond();
    const uint64_t value = 1234;
    of_scheduler.policy = of_throttle.throttles = "mine";
    cr_assert_eq(gpc_context_register_scheduler(context, &scheduler_ops, NULL, NULL, NULL), GPC_OK);
    cr_assert_eq(gpc_context_register_throttle(context, &throttle_ops, NULL, NULL, NULL), GPC_OK);
    cr_assert_eq(gpc_scheduler_create(context, &of_scheduler, &scheduler, NULL), GPC_OK);
    cr_assert_eq(gpc_throttle_create(context, &of_throttle, &throttle, NULL), GPC_OK);
    SAMPLES(gpc_scheduler_sample, scheduler);
    SAMPLES(gpc_throttle_sample, throttle);
    cr_expect_eq(samples, 0u);
    WORKS(gpc_scheduler_sample, scheduler, 1, &id, 1, &value, 1);
    WORKS(gpc_throttle_sample, throttle, 1, &id, 1, &value, 1);
    cr_expect_eq(samples, 4u);
    gpc_throttle_destroy(throttle);
    gpc_scheduler_destroy(scheduler);
    gpc_context_destroy(context);
}
