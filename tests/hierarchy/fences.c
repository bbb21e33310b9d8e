/* SPDX-License-Identifier: BSD-2-Clause */
#include "hierarchy/rig.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Fences without a clock: effects in L1. And requirements of `coherence = viper` on a configuration. */

static const char viper[] = "coherence = viper\nkernels.flush = l1\n";

static void fence(const rig *r, gpc_scope scope, gpc_order order, gpc_control control) {
    gpc_fence f = GPC_FENCE_INIT;
    gpc_error error = GPC_ERROR_INIT;
    f.scope = (uint8_t)scope;
    f.order = (uint8_t)order;
    f.control = (uint8_t)control;
    cr_assert_eq(gpc_hierarchy_fence(r->hierarchy, &f, &error), GPC_OK, "%s", error.message);
}

static void empties(const char *settings, gpc_scope scope, gpc_order order, gpc_control control, bool expected) {
    rig r;
    rig_open(&r, settings);
    rig_load(&r, 0);
    rig_load(&r, 128);
    fence(&r, scope, order, control);
    measured_stats s = rig_stats(&r);
    cr_expect_eq(s.fences, 1);
    cr_expect_eq(s.fence_invalidations, expected);
    cr_expect_eq(s.fence_lines, expected ? 2 : 0);
    cr_expect_eq(s.l1_invalidations, expected ? 2 : 0);
    cr_expect_eq(s.fence_cycles, GPC_ABSENT, "without a clock");
    cr_expect_eq(rig_lines(&r, 1, 1), expected ? 0 : 2);
    cr_expect_eq(rig_load(&r, 0).l1_sector_hits, expected ? 0 : 4);
    rig_close(&r);
}

Test(fences, which_empty_l1) {
    for (gpc_scope scope = GPC_SCOPE_CTA; scope < GPC_SCOPE_COUNT; scope++)
        for (gpc_order order = GPC_ORDER_ACQUIRE; order < GPC_ORDER_COUNT; order++) {
            empties(NULL, scope, order, GPC_CONTROL_NONE, false);
            empties(viper, scope, order, GPC_CONTROL_NONE, scope != GPC_SCOPE_CTA && order != GPC_ORDER_RELEASE);
        }
    empties(NULL, GPC_SCOPE_CTA, GPC_ORDER_WEAK, GPC_CONTROL_INVALIDATE_ALL, true);
    empties(NULL, GPC_SCOPE_CTA, GPC_ORDER_WEAK, GPC_CONTROL_WRITE_BACK_ALL, false);
}

/* An acquiring access, at a scope above the thread block's. */
Test(fences, accesses_that_acquire) {
    for (unsigned i = 0; i < 4; i++) {
        uint64_t address = 0x8000;
        gpc_warp_access a = GPC_WARP_ACCESS_INIT;
        rig r;
        rig_open(&r, i & 1 ? viper : NULL);
        rig_load(&r, 0);
        a.mask = 1;
        a.width = 4;
        a.addresses = &address;
        a.order = GPC_ORDER_ACQUIRE;
        a.scope = i & 2 ? GPC_SCOPE_GPU : GPC_SCOPE_CTA;
        cr_assert_eq(gpc_hierarchy_access(r.hierarchy, &a, NULL, NULL), GPC_OK);
        cr_expect_eq(rig_stats(&r).fence_invalidations, i == 3);
        cr_expect_eq(rig_load(&r, 0).l1_sector_hits, i == 3 ? 0 : 4);
        rig_close(&r);
    }
}

/* Only of the fence's SM. */
Test(fences, of_one_sm) {
    rig r;
    rig_open(&r, "sm.count = 2\n");
    rig_fire(&r, LINE_BY(GPC_LOAD, 0, .sm = 0));
    rig_fire(&r, LINE_BY(GPC_LOAD, 0, .sm = 1));
    fence(&r, GPC_SCOPE_CTA, GPC_ORDER_WEAK, GPC_CONTROL_INVALIDATE_ALL);
    cr_expect_eq(rig_lines(&r, 1, 2), 1);
    gpc_line line;
    uint64_t cursor = 0;
    cr_expect_eq(gpc_cache_next_line(gpc_hierarchy_cache(r.hierarchy, 1, 1), &cursor, &line, NULL), GPC_OK);
    rig_close(&r);
}

Test(fences, dirty_lines) {
    static const char back[] = "l1.write_policy = back\nl1.write_allocate = fetch\n";
    for (gpc_control control = GPC_CONTROL_INVALIDATE_ALL; control <= GPC_CONTROL_WRITE_BACK_ALL; control++) {
        bool stay = control == GPC_CONTROL_WRITE_BACK_ALL;
        rig r;
        rig_open(&r, back);
        rig_store(&r, 0);
        rig_load(&r, 128);
        gpc_hierarchy_reset_stats(r.hierarchy);
        fence(&r, GPC_SCOPE_CTA, GPC_ORDER_WEAK, control);
        measured_stats s = rig_stats(&r);
        cr_expect_eq(s.fence_write_back_sectors, 4);
        cr_expect_eq(s.l2_write_sectors, 4);
        cr_expect_eq(s.fence_lines, stay ? 0 : 2);
        cr_expect_eq(rig_lines(&r, 1, 1), stay ? 2 : 0);
        rig_flush(&r);
        cr_expect_eq(rig_stats(&r).l1_write_back_sectors, 4, "it was clean");
        rig_close(&r);
    }
}

/* A kernel's begin is an acquire of every SM. */
Test(fences, kernels_under_viper) {
    rig r;
    rig_open(&r, viper);
    rig_begin(&r, NULL);
    rig_load(&r, 0);
    rig_begin(&r, NULL);
    cr_expect_eq(rig_lines(&r, 1, 1), 0);
    cr_expect_eq(rig_stats(&r).fences, 0, "it is no fence of a warp");
    rig_close(&r);
}

Test(fences, what_viper_needs) {
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_eq(rig_refused("coherence = viper\n", &error), GPC_ERROR_RANGE);
    cr_expect_str_eq(error.message, "coherence = viper needs kernels.flush = l1 (a kernel's begin is an acquire)");
    cr_expect_eq(rig_refused("coherence = viper\nl1.write_policy = back\n", &error), GPC_ERROR_RANGE);
    cr_expect(strstr(error.message, "l1.write_policy = through ("), "%s", error.message);
    cr_expect(strstr(error.message, "; kernels.flush = l1 ("), "%s", error.message);
}

Test(fences, errors) {
    rig r;
    gpc_fence f = GPC_FENCE_INIT;
    gpc_error error = GPC_ERROR_INIT;
    rig_open(&r, NULL);
    cr_expect_eq(gpc_hierarchy_fence(r.hierarchy, &f, &error), GPC_ERROR_ARGUMENT);
    cr_expect(strstr(error.message, "nothing to do"), "%s", error.message);
    f.order = GPC_ORDER_SC;
    f.sm = 1;
    cr_expect_eq(gpc_hierarchy_fence(r.hierarchy, &f, &error), GPC_ERROR_ARGUMENT);
    cr_expect(strstr(error.message, "sm"), "%s", error.message);
    cr_expect_eq(gpc_hierarchy_fence(NULL, &f, &error), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_hierarchy_fence(r.hierarchy, NULL, &error), GPC_ERROR_ARGUMENT);
    f.sm = 0;
    cr_expect_eq(gpc_hierarchy_try_fence(r.hierarchy, &f, 0, NULL, NULL), GPC_ERROR_STATE);
    f.struct_size = 0;
    cr_expect_eq(gpc_hierarchy_fence(r.hierarchy, &f, &error), GPC_ERROR_ABI);
    cr_expect_eq(rig_stats(&r).fences, 0);
    rig_close(&r);
}

/* -- trees of modules */

static void open_tree(rig *r, const char *protocol) {
    char text[512];
    snprintf(text, sizeof text,
             "sm.count = 4\ncluster.sms = 2\nl1.sectors = 1\nl2.sectors = 1\nl1.write_policy = back\n"
             "l1.write_policy_local = back\nl1.write_allocate = fetch\nl1.write_allocate_local = fetch\n"
             "l2.inclusion = inclusive\nl2.interleave_bytes = 128\ncoherence = %s\n",
             protocol);
    rig_open(r, text);
}

static void tree_orders(const char *protocol, gpc_order order, gpc_scope scope, bool drops) {
    for (unsigned access = 0; access < 2; access++) {
        const gpc_kind kind = order == GPC_ORDER_RELEASE   ? GPC_STORE
                              : order == GPC_ORDER_ACQUIRE ? GPC_LOAD
                                                           : GPC_ATOMIC;
        uint64_t address = 0x8000;
        gpc_warp_access a = {.struct_size = sizeof a, .mask = 1, .addresses = &address, .width = 4, .kind = kind};
        rig r;
        open_tree(&r, protocol);
        rig_fire(&r, LINE_BY(GPC_LOAD, 0, .sm = 1));
        rig_load(&r, 0);
        rig_store(&r, 128);
        gpc_hierarchy_reset_stats(r.hierarchy);
        a.order = order;
        a.scope = scope;
        if (access)
            cr_expect_eq(gpc_hierarchy_access(r.hierarchy, &a, NULL, NULL), GPC_OK);
        else
            fence(&r, scope, order, GPC_CONTROL_NONE);
        cr_expect_eq(rig_stats(&r).fences, !access);
        cr_expect(access || rig_stats(&r).fence_invalidations == drops, "%s %d %d", protocol, order, scope);
        cr_expect_eq(rig_load(&r, 0).l1_sector_hits, drops ? 0 : 4, "%s %d %d", protocol, order, scope);
        cr_expect_eq(rig_fire(&r, LINE_BY(GPC_LOAD, 0, .sm = 1)).l1_sector_hits, 4, "another SM's stays");
        rig_close(&r);
    }
}

/* If directories keep copies up to date, nothing is dropped; slc-glc's stores are written back by acquires. */
Test(fences, trees) {
    for (gpc_order order = GPC_ORDER_ACQUIRE; order <= GPC_ORDER_ACQ_REL; order++)
        for (gpc_scope scope = GPC_SCOPE_CTA; scope < GPC_SCOPE_COUNT; scope++) {
            const bool wide = scope != GPC_SCOPE_CTA;
            tree_orders("moesi", order, scope, false);
            tree_orders("nmoesi", order, scope, false);
            tree_orders("vi", order, scope, wide && order != GPC_ORDER_RELEASE);
            tree_orders("slc-glc", order, scope, wide);
        }
}

/* An SM's stores in L1 are in L2 after a fence of either kind, and not before. */
Test(fences, stores_of_a_tree_are_published) {
    rig r;
    open_tree(&r, "slc-glc");
    rig_store(&r, 0);
    const uint64_t written = rig_stats(&r).l2_write_sectors;
    fence(&r, GPC_SCOPE_GPU, GPC_ORDER_ACQUIRE, GPC_CONTROL_NONE);
    cr_expect_gt(rig_stats(&r).l2_write_sectors, written);
    rig_close(&r);
    open_tree(&r, "slc-glc");
    rig_store(&r, 0);
    fence(&r, GPC_SCOPE_GPU, GPC_ORDER_RELEASE, GPC_CONTROL_NONE);
    cr_expect_gt(rig_stats(&r).l2_write_sectors, written);
    rig_close(&r);
}

Test(fences, trees_have_no_control) {
    gpc_fence f = {.struct_size = sizeof f, .control = GPC_CONTROL_INVALIDATE_ALL};
    gpc_error error = GPC_ERROR_INIT;
    rig r;
    open_tree(&r, "vi");
    cr_expect_eq(gpc_hierarchy_fence(r.hierarchy, &f, &error), GPC_ERROR_UNSUPPORTED);
    cr_expect(strstr(error.message, "control is of L1s alone"), "%s", error.message);
    cr_expect_eq(rig_stats(&r).fences, 0);
    rig_close(&r);
}
