/* SPDX-License-Identifier: BSD-2-Clause */
#include "hierarchy/rig.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <string.h>

/* Scopes and orders of accesses: refusals, and strong loads in L1. */

static const uint64_t at[1] = {0x1000};

static gpc_warp_access access_of(gpc_kind kind, gpc_order order, gpc_scope scope, gpc_hint hint) {
    gpc_warp_access a = GPC_WARP_ACCESS_INIT;
    a.mask = 1;
    a.width = 4;
    a.addresses = at;
    a.kind = (uint8_t)kind;
    a.order = (uint8_t)order;
    a.scope = (uint8_t)scope;
    a.hint = (uint8_t)hint;
    return a;
}

/* Every order with every kind: PTX ISA, ld, st, atom, red. */
Test(orders, of_kinds) {
    static const char *const allowed[GPC_KIND_COUNT] = {[GPC_LOAD] = "111000",
                                                        [GPC_STORE] = "110100",
                                                        [GPC_ATOMIC] = "111110",
                                                        [GPC_REDUCTION] = "110100",
                                                        [GPC_PREFETCH] = "100000"};
    rig r;
    rig_open(&r, NULL);
    for (unsigned kind = 0; kind < GPC_KIND_COUNT; kind++)
        for (unsigned order = 0; order < GPC_ORDER_COUNT; order++) {
            gpc_warp_access a = access_of((gpc_kind)kind, (gpc_order)order, GPC_SCOPE_CTA, GPC_HINT_NONE);
            gpc_error error = GPC_ERROR_INIT;
            bool good = allowed[kind][order] == '1';
            gpc_status expected = good ? GPC_OK : GPC_ERROR_ARGUMENT;
            cr_expect_eq(gpc_hierarchy_access(r.hierarchy, &a, NULL, NULL), expected, "kind %u order %u", kind, order);
            cr_expect_eq(gpc_hierarchy_access(r.hierarchy, &a, NULL, &error), expected, "kind %u order %u", kind,
                         order);
            cr_expect_eq(strstr(error.message, "order") != NULL, !good, "%s", error.message);
        }
    rig_close(&r);
}

static void refused(const rig *r, gpc_warp_access a, const char *field) {
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_eq(gpc_hierarchy_access(r->hierarchy, &a, NULL, NULL), GPC_ERROR_ARGUMENT, "%s", field);
    cr_expect_eq(gpc_hierarchy_access(r->hierarchy, &a, NULL, &error), GPC_ERROR_ARGUMENT, "%s", field);
    cr_expect(strstr(error.message, field), "'%s' does not name %s", error.message, field);
    measured_stats stats = rig_stats(r);
    cr_expect_eq(stats.warp_instructions, 0);
}

Test(orders, contradictions) {
    rig r;
    rig_open(&r, NULL);
    refused(&r, access_of(GPC_LOAD, GPC_ORDER_COUNT, GPC_SCOPE_CTA, GPC_HINT_NONE), "order is out of range");
    refused(&r, access_of(GPC_LOAD, GPC_ORDER_RELAXED, GPC_SCOPE_COUNT, GPC_HINT_NONE), "scope is out of range");
    refused(&r, access_of(GPC_LOAD, GPC_ORDER_WEAK, GPC_SCOPE_GPU, GPC_HINT_NONE), "scope is given");
    refused(&r, access_of(GPC_STORE, GPC_ORDER_WEAK, GPC_SCOPE_CLUSTER, GPC_HINT_NONE), "scope is given");
    refused(&r, access_of(GPC_LOAD, GPC_ORDER_RELAXED, GPC_SCOPE_GPU, GPC_HINT_CA), "hint CA contradicts");
    refused(&r, access_of(GPC_LOAD, GPC_ORDER_ACQUIRE, GPC_SCOPE_CLUSTER, GPC_HINT_CA), "hint CA contradicts");
    gpc_warp_access wrong = access_of(GPC_LOAD, GPC_ORDER_WEAK, GPC_SCOPE_CTA, GPC_HINT_NONE);
    wrong.width = 0;
    refused(&r, wrong, "width");
    wrong.width = 4;
    wrong.addresses = NULL;
    refused(&r, wrong, "addresses");
    wrong.addresses = at;
    wrong.mask = UINT64_MAX;
    refused(&r, wrong, "mask");
    wrong.mask = 1;
    wrong.sm = 9;
    refused(&r, wrong, "sm");
    wrong.sm = 0;
    wrong.token_l2 = GPC_TOKEN_COUNT;
    refused(&r, wrong, "token_l2");
    gpc_error error = GPC_ERROR_INIT;
    wrong.struct_size = 8;
    cr_expect_eq(gpc_hierarchy_access(r.hierarchy, &wrong, NULL, &error), GPC_ERROR_ABI);
    cr_expect_eq(gpc_hierarchy_access(NULL, &wrong, NULL, &error), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_hierarchy_access(r.hierarchy, NULL, NULL, NULL), GPC_ERROR_ARGUMENT);
    /* hints that agree, or are unrelated */
    gpc_warp_access fine[] = {access_of(GPC_LOAD, GPC_ORDER_RELAXED, GPC_SCOPE_CTA, GPC_HINT_CA),
                              access_of(GPC_LOAD, GPC_ORDER_RELAXED, GPC_SCOPE_GPU, GPC_HINT_CG),
                              access_of(GPC_LOAD, GPC_ORDER_RELAXED, GPC_SCOPE_GPU, GPC_HINT_CS),
                              access_of(GPC_STORE, GPC_ORDER_RELEASE, GPC_SCOPE_SYS, GPC_HINT_CA)};
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++)
        cr_expect_eq(gpc_hierarchy_access(r.hierarchy, &fine[i], NULL, &error), GPC_OK, "%zu: %s", i, error.message);
    rig_close(&r);
}

/* A strong load bypasses L1s not shared by the scope, like a hint; a thread block's does not. */
Test(orders, strong_loads_pass_l1) {
    static const struct {
        gpc_order order;
        gpc_scope scope;
        gpc_hint hint;
        uint32_t l1_hits;
    } cases[] = {
        {GPC_ORDER_WEAK, GPC_SCOPE_CTA, GPC_HINT_NONE, 1},        {GPC_ORDER_RELAXED, GPC_SCOPE_CTA, GPC_HINT_NONE, 1},
        {GPC_ORDER_RELAXED, GPC_SCOPE_CLUSTER, GPC_HINT_NONE, 0}, {GPC_ORDER_RELAXED, GPC_SCOPE_GPU, GPC_HINT_NONE, 0},
        {GPC_ORDER_ACQUIRE, GPC_SCOPE_SYS, GPC_HINT_NONE, 0},     {GPC_ORDER_RELAXED, GPC_SCOPE_CTA, GPC_HINT_CG, 0},
        {GPC_ORDER_RELAXED, GPC_SCOPE_GPU, GPC_HINT_CS, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rig r;
        rig_open(&r, NULL);
        rig_load(&r, 0x1000);
        gpc_warp_access a = access_of(GPC_LOAD, cases[i].order, cases[i].scope, cases[i].hint);
        gpc_warp_result result = GPC_WARP_RESULT_INIT;
        cr_assert_eq(gpc_hierarchy_access(r.hierarchy, &a, &result, NULL), GPC_OK);
        cr_expect_eq(result.l1_sector_hits, cases[i].l1_hits, "case %zu", i);
        cr_expect_eq(result.l2_sector_hits, 1 - cases[i].l1_hits, "case %zu", i);
        rig_close(&r);
    }
}

/* An asynchronous copy of a host: allowed forms, and with hint CG it bypasses L1, despite l1.bypass. */
Test(orders, copies) {
    rig r;
    rig_open(&r, "l1.bypass = random-p(p=0)\n");
    const gpc_warp_access fine = access_of(GPC_LOAD, GPC_ORDER_WEAK, GPC_SCOPE_CTA, GPC_HINT_CG);
    gpc_warp_access copy = fine;
    copy.copy = GPC_COPY_COMMIT;
    refused(&r, copy, "copy is neither NONE, ASYNC nor BULK");
    copy.copy = GPC_COPY_ASYNC;
    copy.width = 2;
    refused(&r, copy, "width is not 4, 8 or 16");
    copy.width = 4;
    copy.kind = GPC_STORE;
    refused(&r, copy, "no load of global memory");
    copy.kind = GPC_LOAD;
    copy.space = GPC_SPACE_LOCAL;
    refused(&r, copy, "no load of global memory");
    copy.space = GPC_SPACE_GLOBAL;
    copy.order = GPC_ORDER_RELAXED;
    refused(&r, copy, "order is not WEAK");
    copy.order = GPC_ORDER_WEAK;
    gpc_warp_result first = GPC_WARP_RESULT_INIT, second = GPC_WARP_RESULT_INIT, third = GPC_WARP_RESULT_INIT;
    cr_assert_eq(gpc_hierarchy_access(r.hierarchy, &copy, &first, NULL), GPC_OK);
    cr_assert_eq(gpc_hierarchy_access(r.hierarchy, &fine, &second, NULL), GPC_OK);
    copy.hint = GPC_HINT_NONE;
    cr_assert_eq(gpc_hierarchy_access(r.hierarchy, &copy, &third, NULL), GPC_OK);
    cr_expect(first.l2_sectors == 1 && first.l1_sector_hits == 0);
    cr_expect(second.l2_sectors == 1 && second.l2_sector_hits == 1 && second.l1_sector_hits == 0);
    cr_expect(third.l1_sector_hits == 1 && third.l2_sectors == 0);
    const measured_stats stats = rig_stats(&r);
    cr_expect(stats.l1_copy_requests == 2 && stats.l1_copy_sectors == 2 && stats.l1_copy_passed_sectors == 1);
    cr_expect_eq(stats.l1_load_requests, 3);
    rig_close(&r);
}
