/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/archive.h"
#include "scheduler/rig.h"
#include "scheduler/scheduler.h"
#include "scheduler/scheduler_archive.h"

#include <criterion/criterion.h>
#include <string.h>

/* Static warp limiting, classes and ages. */

static void expect_throttled(rig *r, uint32_t slot, bool throttled) {
    cr_expect_eq(rig_class(r, slot), throttled ? GPC_CLASS_THROTTLED : GPC_CLASS_CACHE, "slot %u", slot);
}

/* A limit of N: with N warps none is held back, with N + 1 the youngest is. */
Test(scheduler_limit, n_and_one_more) {
    for (uint32_t n = 1; n <= 70; n += n < 4 ? 1 : 22) {
        rig r;
        rig_open(&r, "lrr", 72, n);
        for (uint32_t slot = 0; slot < n; slot++)
            rig_start(&r, slot);
        for (uint32_t slot = 0; slot < n; slot++)
            expect_throttled(&r, slot, false);
        rig_start(&r, n);
        for (uint32_t slot = 0; slot <= n; slot++)
            expect_throttled(&r, slot, slot == n);
        rig_set(&r, n, GPC_STATE_READY);
        cr_expect_eq(rig_pick(&r, true), GPC_NO_WARP, "limit %u", n);
        rig_set(&r, n - 1, GPC_STATE_READY);
        cr_expect_eq(rig_pick(&r, true), n - 1, "limit %u", n);
        rig_set(&r, n - 1, GPC_STATE_WAITING);
        rig_end(&r, 0);
        expect_throttled(&r, n, false);
        cr_expect_eq(rig_pick(&r, true), n, "limit %u: the next takes over", n);
        rig_close(&r);
    }
}

/* Any warp may end, also a warp held back. */
Test(scheduler_limit, the_oldest_take_over) {
    rig r;
    rig_open_full(&r, "gto", 6, 2);
    rig_set_all(&r, GPC_STATE_READY);
    rig_end(&r, 1);
    expect_throttled(&r, 2, false);
    expect_throttled(&r, 3, true);
    rig_end(&r, 3);
    expect_throttled(&r, 4, true);
    rig_start(&r, 1); /* from oldest to youngest 0 2 4 5 1 */
    rig_end(&r, 0);
    expect_throttled(&r, 4, false);
    expect_throttled(&r, 5, true);
    expect_throttled(&r, 1, true);
    rig_end(&r, 2);
    rig_end(&r, 4);
    expect_throttled(&r, 5, false);
    expect_throttled(&r, 1, false);
    rig_close(&r);
}

/* A waiting warp keeps the place: throttling limits working sets, not issue slots. */
Test(scheduler_limit, waiting_warps_count) {
    rig r;
    rig_open_full(&r, "oldest", 3, 2);
    rig_set(&r, 0, GPC_STATE_WAITING);
    rig_set(&r, 2, GPC_STATE_READY);
    cr_expect_eq(rig_pick(&r, true), GPC_NO_WARP);
    rig_close(&r);
}

/*
 * A warp at a barrier gives up the place, or a block beyond the limit would wait forever; released, it gets a place
 * again.
 */
Test(scheduler_limit, barriers_give_way) {
    rig r;
    rig_open_full(&r, "oldest", 4, 1);
    rig_set_all(&r, GPC_STATE_READY);
    for (uint32_t slot = 0; slot < 4; slot++) {
        cr_expect_eq(rig_issue(&r, true), slot);
        expect_throttled(&r, slot, false);
        if (slot < 3)
            expect_throttled(&r, slot + 1, true);
        rig_set(&r, slot, GPC_STATE_BARRIER);
    }
    cr_expect_eq(rig_pick(&r, true), GPC_NO_WARP);
    for (uint32_t slot = 4; slot-- > 0;) {
        rig_set(&r, slot, GPC_STATE_READY);
        cr_expect_eq(rig_pick(&r, true), slot);
        for (uint32_t younger = slot + 1; younger < 4; younger++)
            expect_throttled(&r, younger, true);
    }
    rig_end(&r, 0);
    cr_expect_eq(rig_pick(&r, true), 1);
    rig_close(&r);
}

static uint32_t first_ready(void *self, const uint64_t *ready, uint64_t cycle) {
    (void)self, (void)cycle;
    uint32_t slot = 0;
    while (slot < 64 && !(*ready >> slot & 1))
        slot++;
    return slot < 64 ? slot : GPC_NO_WARP;
}

static gpc_warp_class by_thirds(void *self, uint32_t slot) {
    (void)self;
    return slot < 1 ? GPC_CLASS_THROTTLED : slot < 3 ? GPC_CLASS_BYPASS : GPC_CLASS_CACHE;
}

/* With a policy with classes, the stated number of warps per class. */
Test(scheduler_limit, classes_of_a_policy) {
    const gpc_scheduler_ops ops = {
        .struct_size = sizeof ops, .name = "thirds", .pick = first_ready, .class_of = by_thirds};
    gpc_scheduler_options options = GPC_SCHEDULER_OPTIONS_INIT;
    rig r = {.warps = 6, .error = GPC_ERROR_INIT};
    cr_assert_eq(gpc_context_create(NULL, &r.context, &r.error), GPC_OK);
    cr_assert_eq(gpc_context_register_scheduler(r.context, &ops, NULL, NULL, &r.error), GPC_OK, "%s", r.error.message);
    options.warps = 6;
    options.policy = "thirds";
    cr_assert_eq(gpc_scheduler_create(r.context, &options, &r.scheduler, &r.error), GPC_OK, "%s", r.error.message);
    for (uint32_t slot = 0; slot < 6; slot++)
        rig_start(&r, slot);
    cr_expect_eq(gpc_scheduler_class_count(r.scheduler, GPC_CLASS_THROTTLED), 1);
    cr_expect_eq(gpc_scheduler_class_count(r.scheduler, GPC_CLASS_BYPASS), 2);
    cr_expect_eq(gpc_scheduler_class_count(r.scheduler, GPC_CLASS_CACHE), 3);
    rig_close(&r);
}

/* Names of holders of a warp: the throttle, and for memory, the throttle of memory. */
Test(scheduler_limit, named) {
    rig r;
    rig_open(&r, "lrr + blocks(limit=1) + ccws", 8, 4);
    for (uint32_t slot = 0; slot < 8; slot++)
        cr_assert_eq(gpc_scheduler_start_block(r.scheduler, slot, slot / 2, NULL), GPC_OK);
    rig_set_all(&r, GPC_STATE_READY);
    cr_expect_null(gpci_scheduler_throttle_of(r.scheduler, 1));
    cr_expect_str_eq(gpci_scheduler_throttle_of(r.scheduler, 2), "blocks");
    rig_close(&r);
    rig_open_full(&r, "lrr + warps(limit=2)", 70, 0); /* more than a word's */
    rig_set_all(&r, GPC_STATE_READY);
    cr_expect_null(gpci_scheduler_throttle_of(r.scheduler, 1));
    cr_expect_str_eq(gpci_scheduler_throttle_of(r.scheduler, 64), "warps");
    rig_close(&r);
    rig_open_full(&r, "lrr + ccws", 8, 4);
    rig_set_all(&r, GPC_STATE_READY);
    cr_expect_null(gpci_scheduler_throttle_of(r.scheduler, 3));
    cr_expect_str_eq(gpci_scheduler_throttle_of(r.scheduler, 4), "sm.warp_limit");
    for (uint64_t cycle = 0; cycle < 200; cycle++) {
        gpc_cache_event event = {.kind = GPC_CACHE_EVENT_EVICT, .warp = 1, .owner = 0, .cycle = cycle};
        gpci_scheduler_cache_event(r.scheduler, &event);
        event.kind = GPC_CACHE_EVENT_MISS;
        event.warp = 0;
        gpci_scheduler_cache_event(r.scheduler, &event);
    }
    cr_expect_null(gpci_scheduler_throttle_of(r.scheduler, 3), "ccws lets it issue what is not memory's");
    rig_set_all(&r, GPC_STATE_READY_MEMORY);
    cr_expect_null(gpci_scheduler_throttle_of(r.scheduler, 0), "it loses what it needs");
    cr_expect_str_eq(gpci_scheduler_throttle_of(r.scheduler, 3), "ccws");
    rig_close(&r);
}

/* A throttle's own slot is throttled, the one 64 further held back; its number is the state. */
static void hold_own(void *self, const gpc_throttle_view *view, gpc_throttle_classes *classes) {
    const uint32_t number = *(uint32_t *)self;
    (void)view;
    classes->throttled[0] |= 1ull << number;
    classes->held[1] |= 1ull << number;
}

static void number_of(void *self, gpc_state_fn visit, void *visit_data) {
    visit(visit_data, self, sizeof(uint32_t));
}

static gpc_status take_number(void *self, const gpc_scheduler_env *env, char *message) {
    (void)message;
    *(uint32_t *)self = (*(uint32_t *)env->user_data)++;
    return GPC_OK;
}

static void open_held(rig *r, uint32_t *number) {
    static const char *const names[] = {"a", "b", "c"};
    gpc_scheduler_options options = GPC_SCHEDULER_OPTIONS_INIT;
    options.policy = "lrr + a + b + c";
    options.warps = r->warps = 128;
    *number = 0;
    cr_assert_eq(gpc_context_create(NULL, &r->context, NULL), GPC_OK);
    for (unsigned i = 0; i < 3; i++) {
        const gpc_throttle_ops ops = {.struct_size = sizeof ops,
                                      .name = names[i],
                                      .instance_bytes = sizeof(uint32_t),
                                      .init = take_number,
                                      .classify = hold_own,
                                      .state = number_of};
        cr_assert_eq(gpc_context_register_throttle(r->context, &ops, number, NULL, NULL), GPC_OK);
    }
    cr_assert_eq(gpc_scheduler_create(r->context, &options, &r->scheduler, NULL), GPC_OK);
}

/* A scheduler saved and loaded still names the holder of every warp. */
Test(scheduler_limit, named_by_what_was_loaded) {
    rig saved, loaded;
    uint32_t numbers[2];
    gpci_archive to = {0}, from = {0};
    const gpci_archive_kind kind = {1, 1};
    open_held(&saved, &numbers[0]);
    open_held(&loaded, &numbers[1]);
    for (uint32_t slot = 0; slot < saved.warps; slot++)
        rig_start(&saved, slot);
    rig_set_all(&saved, GPC_STATE_READY_MEMORY);
    (void)rig_pick(&saved, true);
    gpci_archive_save(&to, saved.context, NULL, kind);
    gpci_archive_section(&to, "scheduler");
    gpci_scheduler_archive(saved.scheduler, &to);
    cr_assert_eq(gpci_archive_finish(&to), GPC_OK);
    uint8_t *copy = gpci_alloc(loaded.context, to.size);
    memcpy(copy, to.data, to.size);
    cr_assert_eq(gpci_archive_load(&from, loaded.context, copy, to.size, NULL, kind), GPC_OK);
    gpci_archive_section(&from, "scheduler");
    gpci_scheduler_archive(loaded.scheduler, &from);
    cr_assert_eq(gpci_archive_end(&from), GPC_OK);
    for (uint32_t slot = 0; slot < saved.warps; slot++) {
        static const char *const names[] = {"a", "b", "c"};
        const char *name = gpci_scheduler_throttle_of(loaded.scheduler, slot);
        cr_expect_str_eq(name ? name : "", slot % 64 < 3 ? names[slot % 64] : "", "slot %u", slot);
    }
    gpci_archive_close(&to);
    gpci_archive_close(&from);
    rig_close(&saved);
    rig_close(&loaded);
}

Test(scheduler_limit, none) {
    static const uint32_t limits[] = {0, 4, 5, 1000};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        rig r;
        rig_open_full(&r, "lrr", 4, limits[i]);
        for (uint32_t slot = 0; slot < 4; slot++)
            expect_throttled(&r, slot, false);
        rig_close(&r);
    }
}

/* Greed ends if another warp would have to be throttled: never, since the greedy warp is running. */
Test(scheduler_limit, greedy_stays_eligible) {
    rig r;
    rig_open_full(&r, "gto", 4, 2);
    rig_set_all(&r, GPC_STATE_READY);
    rig_set(&r, 0, GPC_STATE_STALLED);
    cr_expect_eq(rig_issue(&r, true), 1);
    rig_end(&r, 0);
    cr_expect_eq(rig_issue(&r, true), 1);
    rig_start(&r, 0);
    rig_set(&r, 0, GPC_STATE_READY);
    cr_expect_eq(rig_issue(&r, true), 1);
    rig_end(&r, 1);
    cr_expect_eq(rig_issue(&r, true), 2);
    rig_close(&r);
}

/*
 * Two groups and one eligible warp in each: the first waits for memory, beside a ready, throttled warp, which does not
 * hold the group.
 */
Test(scheduler_limit, throttled_warps_hold_no_fetch_group) {
    rig r;
    rig_open(&r, "two-level(group=2)", 4, 2);
    rig_start(&r, 0);
    rig_start(&r, 2);
    rig_start(&r, 1);
    rig_set(&r, 0, GPC_STATE_WAITING);
    rig_set(&r, 1, GPC_STATE_READY);
    rig_set(&r, 2, GPC_STATE_READY);
    cr_expect_eq(rig_pick(&r, true), 2);
    rig_set(&r, 1, GPC_STATE_READY_MEMORY);
    cr_expect_eq(rig_pick(&r, true), 2);
    rig_close(&r);
}

Test(scheduler_limit, ages) {
    rig r;
    rig_open(&r, "gto", 1024, 0);
    for (uint32_t i = 0; i < 1024; i++)
        rig_start(&r, 1023 - i);
    cr_expect_eq(rig_age(&r, 1023), 0);
    cr_expect_eq(rig_age(&r, 0), 1023);
    cr_expect_eq(rig_age(&r, 500), 523);
    rig_end(&r, 1023);
    rig_end(&r, 700);
    cr_expect_eq(rig_age(&r, 1023), GPC_NO_WARP);
    cr_expect_eq(rig_age(&r, 1022), 0);
    cr_expect_eq(rig_age(&r, 701), 321);
    cr_expect_eq(rig_age(&r, 699), 322);
    rig_start(&r, 700);
    cr_expect_eq(rig_age(&r, 700), 1022);
    rig_close(&r);
}

/* A state does not change an age. */
Test(scheduler_limit, ages_do_not_follow_states) {
    rig r;
    rig_open_full(&r, "lrr", 3, 0);
    for (int state = GPC_STATE_READY; state < GPC_STATE_COUNT; state++) {
        rig_set(&r, 1, (gpc_warp_state)state);
        for (uint32_t slot = 0; slot < 3; slot++)
            cr_expect_eq(rig_age(&r, slot), slot);
    }
    rig_close(&r);
}
