/* SPDX-License-Identifier: BSD-2-Clause */
#include "hierarchy/rig.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Ages of warps ranked by the library, as seen by L1's policy. */

#define SLOTS 40u

static uint32_t told; /* age of the last access, as the policy saw it */

static void on_miss(void *self, uint32_t set, const gpc_request *request) {
    (void)self, (void)set;
    told = request->warp_age;
}

static void on_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)self, (void)set, (void)way;
    told = request->warp_age;
}

static uint32_t first(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)self, (void)set, (void)candidates, (void)request;
    return 0;
}

static void no_state(void *self, gpc_state_fn visit, void *visit_data) {
    (void)self, (void)visit, (void)visit_data;
}

static const gpc_replacement_ops watch = {.struct_size = sizeof watch,
                                          .name = "watch",
                                          .choose_victim = first,
                                          .on_miss = on_miss,
                                          .on_hit = on_hit,
                                          .on_sector_miss = on_hit,
                                          .state = no_state};

static void open_watched(rig *r, const char *settings) {
    gpc_error error = GPC_ERROR_INIT;
    rig_open(r, settings);
    gpc_hierarchy_destroy(r->hierarchy);
    cr_assert_eq(gpc_context_register_replacement(r->context, &watch, NULL, NULL, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_config_set(r->config, "l1.replacement", "watch", &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_config_set(r->config, "l2.replacement", "watch", &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_hierarchy_create(r->context, r->config, &r->hierarchy, &error), GPC_OK, "%s", error.message);
}

static gpc_status tell(gpc_hierarchy *h, gpc_warp_event_kind kind, uint32_t sm, uint32_t warp) {
    const gpc_warp_event event = {.kind = kind, .sm = sm, .warp = warp};
    return gpc_hierarchy_warp_event(h, &event, NULL);
}

static gpc_status load(gpc_hierarchy *h, uint32_t sm, uint32_t warp, uint32_t age) {
    const uint64_t address = 4096;
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    access.sm = sm;
    access.warp = warp;
    access.warp_age = age;
    access.mask = 1;
    access.addresses = &address;
    access.width = 4;
    gpc_error error = GPC_ERROR_INIT;
    const gpc_status status = gpc_hierarchy_access(h, &access, NULL, &error);
    cr_expect(status == GPC_OK || strstr(error.message, "warp has not started"), "%s", error.message);
    return status;
}

/* Warps start and exit at random on two SMs; an age is the number of running warps that started before. */
Test(warp_ranks, by_starts_and_exits) {
    rig r;
    uint64_t started[2][SLOTS] = {{0}}, clock = 0;
    open_watched(&r, "sm.count = 2");
    cr_assert_eq(gpc_hierarchy_rank_warps(r.hierarchy, true, NULL), GPC_OK);
    srand(7);
    unsigned accesses = 0;
    for (unsigned n = 0; n < 4000; n++) {
        const uint32_t sm = (uint32_t)rand() % 2, warp = (uint32_t)rand() % SLOTS;
        uint64_t *mine = &started[sm][warp];
        if (rand() % 3) {
            uint32_t older = 0;
            for (uint32_t w = 0; w < SLOTS; w++)
                older += started[sm][w] && started[sm][w] < *mine;
            cr_assert_eq(load(r.hierarchy, sm, warp, 77), *mine ? GPC_OK : GPC_ERROR_ARGUMENT);
            cr_assert(!*mine || told == older, "%u: %u, not %u", n, told, older);
            accesses += *mine != 0;
        } else {
            cr_assert_eq(tell(r.hierarchy, *mine ? GPC_WARP_EXIT : GPC_WARP_START, sm, warp), GPC_OK);
            *mine = *mine ? 0 : ++clock;
        }
        if (n == 2000) { /* a copy has equal ages */
            gpc_error error = GPC_ERROR_INIT;
            gpc_hierarchy *copy;
            cr_assert_eq(gpc_hierarchy_copy(r.hierarchy, &copy, &error), GPC_OK, "%s", error.message);
            gpc_hierarchy_destroy(r.hierarchy);
            r.hierarchy = copy;
        }
    }
    cr_expect_gt(accesses, 1000);
    rig_close(&r);
}

Test(warp_ranks, on_and_off) {
    rig r;
    gpc_error error = GPC_ERROR_INIT;
    open_watched(&r, NULL);
    cr_expect_eq(load(r.hierarchy, 0, 3, 9), GPC_OK);
    cr_expect_eq(told, 9, "the host says");
    cr_expect_eq(tell(r.hierarchy, GPC_WARP_EXIT, 0, 3), GPC_OK, "and nobody counts");
    cr_expect_eq(gpc_hierarchy_rank_warps(r.hierarchy, true, &error), GPC_OK);
    cr_expect_eq(gpc_hierarchy_rank_warps(r.hierarchy, true, &error), GPC_OK);
    cr_expect_eq(load(r.hierarchy, 0, 3, 9), GPC_ERROR_ARGUMENT);
    cr_expect_eq(tell(r.hierarchy, GPC_WARP_EXIT, 0, 3), GPC_ERROR_ARGUMENT);
    cr_expect_eq(tell(r.hierarchy, GPC_WARP_START, 0, 70000), GPC_ERROR_ARGUMENT);
    cr_expect_eq(tell(r.hierarchy, GPC_WARP_START, 0, 3), GPC_OK);
    cr_expect_eq(tell(r.hierarchy, GPC_WARP_START, 0, 3), GPC_ERROR_ARGUMENT, "it runs");
    cr_expect_eq(tell(r.hierarchy, GPC_WARP_BARRIER, 0, 3), GPC_OK);
    cr_expect_eq(tell(r.hierarchy, (gpc_warp_event_kind)99, 0, 3), GPC_ERROR_ARGUMENT);
    cr_expect_eq(load(r.hierarchy, 0, 3, 9), GPC_OK);
    cr_expect_eq(told, 0);
    cr_expect_eq(gpc_hierarchy_rank_warps(r.hierarchy, false, &error), GPC_OK);
    cr_expect_eq(load(r.hierarchy, 0, 3, 9), GPC_OK);
    cr_expect_eq(told, 9);
    cr_expect_eq(gpc_hierarchy_rank_warps(r.hierarchy, true, &error), GPC_OK);
    cr_expect_eq(load(r.hierarchy, 0, 3, 9), GPC_ERROR_ARGUMENT, "what was known is forgotten");
    cr_expect_eq(gpc_hierarchy_rank_warps(NULL, true, &error), GPC_ERROR_ARGUMENT);
    rig_close(&r);
}

/* With a clock: of warp instructions, and of a host's misses while the warp runs. */
Test(warp_ranks, with_a_clock) {
    rig r;
    const uint64_t address = 4096;
    open_watched(&r, "mode = timed");
    cr_assert_eq(gpc_hierarchy_rank_warps(r.hierarchy, true, NULL), GPC_OK);
    for (uint32_t warp = 0; warp < 3; warp++)
        cr_assert_eq(tell(r.hierarchy, GPC_WARP_START, 0, 5 - warp), GPC_OK);
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    access.mask = 1;
    access.addresses = &address;
    access.width = 4;
    access.warp = 4;
    cr_assert_eq(gpc_hierarchy_try_issue(r.hierarchy, &access, 0, NULL, NULL), GPC_OK);
    cr_assert_eq(gpc_hierarchy_drain(r.hierarchy, NULL), GPC_OK);
    cr_expect_eq(told, 1);
    access.warp = 9;
    cr_expect_eq(gpc_hierarchy_try_issue(r.hierarchy, &access, 0, NULL, NULL), GPC_ERROR_ARGUMENT);
    for (uint32_t warp = 3; warp < 7; warp += 3) {
        const gpc_request request = {.address = 8192, .warp = warp, .warp_age = 42};
        cr_assert_eq(gpc_hierarchy_try_miss(r.hierarchy, &request, 0, NULL, NULL), GPC_OK);
        cr_assert_eq(gpc_hierarchy_drain(r.hierarchy, NULL), GPC_OK);
        cr_expect_eq(told, warp == 3 ? 2 : 42, "%u", told);
    }
    rig_close(&r);
}
