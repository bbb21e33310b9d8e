/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters: the table, values by name and by id, of the whole and of every SM. */
#include "example.h"

#include <gpucache/ext/hierarchy.h>

#include <inttypes.h>

int main(void) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context;
    check(gpc_context_create(NULL, &context, &error), &error);
    gpc_hierarchy *hierarchy = begun(context, "kepler", "sm.count = 2\n");
    uint64_t addresses[32];
    for (uint32_t i = 0; i < 6; i++) {
        gpc_warp_access access = load_of(addresses, i / 2 * 4096);
        access.sm = i % 2;
        check(gpc_hierarchy_access(hierarchy, &access, NULL, &error), &error);
    }

    /* The table names every counter. */
    size_t histograms = 0;
    for (size_t i = 0; i < gpc_counter_table_count(GPC_TABLE_HIERARCHY); i++) {
        gpc_counter_info info = GPC_COUNTER_INFO_INIT;
        check(gpc_counter_table_at(GPC_TABLE_HIERARCHY, i, &info, &error), &error);
        histograms += info.kind == GPC_COUNTER_HISTOGRAM;
    }
    printf("%zu histograms\n", histograms);

    /* A read takes ids. An id is a constant, or is found by name. */
    gpc_counter_info rate = GPC_COUNTER_INFO_INIT, same = GPC_COUNTER_INFO_INIT;
    check(gpc_counter_by_name(GPC_TABLE_HIERARCHY, "l2.read_hit_rate", &rate, &error), &error);
    check(gpc_counter_by_id(rate.id, &same, &error), &error);
    const uint32_t ids[] = {GPC_ID_l1_load_requests, rate.id, GPC_ID_l1_transactions_per_load, GPC_ID_cycles};
    uint64_t values[3 + 33 + 1];
    expect(gpc_counter_values(ids, 4) == sizeof values / sizeof *values, "a ratio has 2 values, the histogram 33");
    check(gpc_hierarchy_read(hierarchy, GPC_OBJECT_WHOLE, 0, ids, 4, values, sizeof values / sizeof *values, &error),
          &error);
    printf("%" PRIu64 " loads, %s %" PRIu64 " / %" PRIu64 "\n", values[0], same.name, values[1], values[2]);
    expect(values[0] == 6 && values[3 + 1] == 6, "six loads of a transaction each");
    expect(values[3 + 33] == GPC_ABSENT, "without a clock there are no cycles");

    char text[2048];
    check(gpc_counters_json(ids, 4, values, sizeof values / sizeof *values, text, sizeof text, NULL, &error), &error);
    puts(text);
    check(gpc_counters_csv(ids, 4, values, sizeof values / sizeof *values, true, text, sizeof text, NULL, &error),
          &error);
    printf("%s", text);

    /* The same of every SM. */
    for (uint32_t sm = 0; sm < gpc_hierarchy_object_count(hierarchy, GPC_OBJECT_SM); sm++) {
        char name[GPC_OBJECT_NAME];
        check(gpc_hierarchy_object_name(hierarchy, GPC_OBJECT_SM, sm, name, sizeof name, &error), &error);
        check(gpc_hierarchy_read(hierarchy, GPC_OBJECT_SM, sm, ids, 1, values, sizeof values / sizeof *values, &error),
              &error);
        printf("%s: %" PRIu64 " loads\n", name, values[0]);
        expect(values[0] == 3, "each SM has half of the loads");
    }
    gpc_hierarchy_destroy(hierarchy);
    gpc_context_destroy(context);
    return 0;
}
