/* SPDX-License-Identifier: BSD-2-Clause */
#include "hierarchy/rig.h"

#include "measured.h"
#include "suited.h"

#include <criterion/criterion.h>
#include <inttypes.h>

const char rig_base[] = "sm.count = 1\n"
                        "l1.size = 1KiB\nl1.ways = 2\nl1.line = 128B\nl1.sectors = 4\n"
                        "l1.write_policy = evict\nl1.write_policy_local = evict\n"
                        "l1.write_allocate = none\nl1.write_allocate_local = none\n"
                        "l2.size = 8KiB\nl2.slices = 1\nl2.ways = 4\nl2.line = 128B\nl2.sectors = 4\n"
                        "l2.write_policy = back\nl2.write_allocate = fetch\n"
                        "kernels.flush = none\n";

static gpc_status make(rig *r, const char *settings, gpc_error *error) {
    *r = (rig){0};
    cr_assert_eq(gpc_context_create(NULL, &r->context, error), GPC_OK, "%s", error->message);
    cr_assert_eq(gpc_config_create(r->context, &r->config, error), GPC_OK, "%s", error->message);
    cr_assert_eq(gpc_config_load_text(r->config, rig_base, "base", error), GPC_OK, "%s", error->message);
    if (settings)
        cr_assert_eq(gpc_config_load_text(r->config, settings, "settings", error), GPC_OK, "%s", error->message);
    suit(r->context, r->config);
    return gpc_hierarchy_create(r->context, r->config, &r->hierarchy, error);
}

void rig_open(rig *r, const char *settings) {
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(make(r, settings, &error), GPC_OK, "%s: %s", settings, error.message);
}

gpc_status rig_refused(const char *settings, gpc_error *error) {
    rig r;
    gpc_status status = make(&r, settings, error);
    cr_assert_lt(status, 0, "%s was accepted", settings);
    cr_assert_null(r.hierarchy);
    rig_close(&r);
    return status;
}

void rig_close(rig *r) {
    gpc_hierarchy_destroy(r->hierarchy);
    gpc_config_destroy(r->config);
    gpc_context_destroy(r->context);
}

gpc_warp_result rig_fire(rig *r, shot s) {
    uint64_t addresses[64];
    for (uint32_t i = 0; i < s.lanes; i++)
        addresses[i] = s.address + i * s.stride;
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    access.sm = s.sm;
    access.warp = s.warp;
    access.mask = s.lanes == 64 ? UINT64_MAX : ((uint64_t)1 << s.lanes) - 1;
    access.addresses = addresses;
    access.width = s.width;
    access.kind = s.kind;
    access.space = s.space;
    access.hint = s.hint;
    gpc_warp_result result = GPC_WARP_RESULT_INIT;
    cr_assert_eq(gpc_hierarchy_access(r->hierarchy, &access, &result, NULL), GPC_OK);
    return result;
}

gpc_warp_result rig_load(rig *r, uint64_t address) {
    return rig_fire(r, LINE(GPC_LOAD, address));
}

gpc_warp_result rig_store(rig *r, uint64_t address) {
    return rig_fire(r, LINE(GPC_STORE, address));
}

void rig_begin(rig *r, const gpc_launch *launch) {
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_hierarchy_begin_kernel(r->hierarchy, launch, &error), GPC_OK, "%s", error.message);
}

void rig_flush(rig *r) {
    cr_assert_eq(gpc_hierarchy_flush(r->hierarchy, NULL), GPC_OK);
}

measured_stats rig_stats(const rig *r) {
    measured_stats stats;
    measured_clear(&stats);
    cr_assert_eq(measure_hierarchy(r->hierarchy, &stats), GPC_OK);
    return stats;
}

unsigned rig_lines(const rig *r, unsigned level, uint32_t instances) {
    unsigned lines = 0;
    for (uint32_t i = 0; i < instances; i++) {
        const gpc_cache *cache = gpc_hierarchy_cache(r->hierarchy, level, i);
        gpc_line line;
        for (uint64_t cursor = 0; cache && gpc_cache_next_line(cache, &cursor, &line, NULL) == GPC_OK;)
            lines++;
    }
    return lines;
}

/* Reads, writes and atomics of all caches of a kind. */
static uint64_t lookups(const rig *r, gpc_object kind) {
    static const char *const names[] = {"reads", "writes", "atomics"};
    uint64_t sum = 0;
    for (unsigned n = 0; n < 3; n++) {
        gpc_counter_info info = GPC_COUNTER_INFO_INIT;
        cr_assert_eq(gpc_counter_by_name(GPC_TABLE_CACHE, names[n], &info, NULL), GPC_OK);
        for (uint32_t i = 0; i < gpc_hierarchy_object_count(r->hierarchy, kind); i++) {
            uint64_t value = 0;
            cr_assert_eq(gpc_hierarchy_read(r->hierarchy, kind, i, &info.id, 1, &value, 1, NULL), GPC_OK);
            sum += value == GPC_ABSENT ? 0 : value;
        }
    }
    return sum;
}

/* `expected` has no lookups: take the caches' counts. */
void rig_expect(rig *r, const measured_stats *expected, int line) {
    measured_stats actual = measured(rig_stats(r));
    cr_expect_eq(actual.l1_lookups, lookups(r, GPC_OBJECT_L1), "line %d: lookups of L1", line);
    cr_expect_eq(actual.l2_lookups, lookups(r, GPC_OBJECT_SLICE), "line %d: lookups of L2", line);
    actual.l1_lookups = expected->l1_lookups;
    actual.l2_lookups = expected->l2_lookups;
#define X(id, field, name, unit, kind, objects, needs, since, meaning, equals)                                        \
    cr_expect_eq(actual.field, expected->field, "line %d: %s is %" PRIu64 ", not %" PRIu64, line, name, actual.field, \
                 expected->field);
    GPC_COUNTERS(X)
#undef X
    uint64_t loads = 0;
    for (unsigned n = 0; n < GPC_TRANSACTION_BUCKETS; n++)
        loads += actual.l1_transactions_per_load[n];
    cr_expect_eq(loads, actual.l1_load_requests, "line %d: the histogram has %" PRIu64 " loads", line, loads);
    gpc_hierarchy_reset_stats(r->hierarchy);
}
