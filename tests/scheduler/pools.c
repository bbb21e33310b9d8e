/* SPDX-License-Identifier: BSD-2-Clause */
#include "scheduler/rig.h"

#include "base/base.h"

#include <criterion/criterion.h>
#include <string.h>

/* Schedulers that prefer few warps, or few thread blocks: examples by hand, and invariants. */

/* Slots of `ready` are READY, of `stalled` STALLED, others WAITING; returns the issuing slot. */
static uint32_t step(rig *r, const char *ready, const char *stalled) {
    for (uint32_t slot = 0; slot < r->warps; slot++) {
        const char name = (char)('0' + slot);
        if (gpc_scheduler_age_of(r->scheduler, slot) == GPC_NO_WARP)
            continue;
        rig_set(r, slot,
                strchr(ready, name)     ? GPC_STATE_READY
                : strchr(stalled, name) ? GPC_STATE_STALLED
                                        : GPC_STATE_WAITING);
    }
    return rig_issue(r, true);
}

Test(scheduler_pools, active_pool) {
    rig r;
    rig_open_full(&r, "active-pool(active=2)", 4, 0);
    cr_expect_eq(step(&r, "0123", ""), 0);
    cr_expect_eq(step(&r, "0123", ""), 1);
    cr_expect_eq(step(&r, "0123", ""), 0);
    cr_expect_eq(step(&r, "23", "01"), GPC_NO_WARP);
    cr_expect_eq(step(&r, "023", ""), 2);
    cr_expect_eq(step(&r, "0123", ""), 0);
    rig_close(&r);
}

/* A place of a warp held up elsewhere is lent; the borrower keeps it. */
Test(scheduler_pools, active_pool_lends) {
    rig r;
    rig_open_full(&r, "active-pool(active=1)", 3, 0);
    rig_set(&r, 0, GPC_STATE_READY_MEMORY);
    cr_expect_eq(rig_issue(&r, true), 0);
    rig_set(&r, 2, GPC_STATE_READY);
    cr_expect_eq(rig_issue(&r, true), 0, "its place is its own");
    cr_expect_eq(rig_issue(&r, false), 2, "the memory pipeline does not take it");
    cr_expect_eq(rig_issue(&r, true), 2);
    rig_set(&r, 2, GPC_STATE_BARRIER);
    cr_expect_eq(rig_issue(&r, true), 0);
    rig_close(&r);
}

/* Two places, both lent: a warp unable to issue leaves for the next warp in turn. */
Test(scheduler_pools, active_pool_makes_room) {
    rig r;
    rig_open_full(&r, "active-pool(active=2)", 5, 0);
    rig_set(&r, 1, GPC_STATE_READY_MEMORY);
    cr_expect_eq(rig_issue(&r, true), 1);
    rig_set(&r, 4, GPC_STATE_READY_MEMORY);
    cr_expect_eq(rig_issue(&r, true), 4);
    rig_set(&r, 2, GPC_STATE_READY);
    cr_expect_eq(rig_issue(&r, false), 2);
    rig_set(&r, 3, GPC_STATE_READY);
    cr_expect_eq(rig_issue(&r, true), 1, "4 has left");
    cr_expect_eq(rig_issue(&r, true), 2);
    rig_close(&r);
}

/* A warp at a barrier has no place any more when the barrier opens, in any slot. */
Test(scheduler_pools, active_pool_barriers) {
    enum { WARPS = 70 };
    static const uint32_t slots[] = {0, 1, 63, 64, 65, WARPS - 1};
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++) {
        rig r;
        rig_open_full(&r, "active-pool(active=1)", WARPS, 0);
        const uint32_t slot = slots[i], next = (slot + 1) % WARPS;
        rig_set(&r, slot, GPC_STATE_READY);
        cr_expect_eq(rig_issue(&r, true), slot);
        rig_set(&r, slot, GPC_STATE_BARRIER);
        rig_set(&r, next, GPC_STATE_READY);
        rig_set(&r, slot, GPC_STATE_READY);
        cr_expect_eq(rig_issue(&r, true), next, "slot %u", slot);
        cr_expect_eq(rig_issue(&r, true), next, "it has the one place");
        rig_close(&r);
    }
}

/* A start concerns only the slot: slot 0, which does not wait, still makes room. */
Test(scheduler_pools, active_pool_starts_in_any_word) {
    enum { WARPS = 70 };
    rig r;
    rig_open_full(&r, "active-pool(active=1)", WARPS, 0);
    rig_end(&r, 64);
    rig_set(&r, 0, GPC_STATE_READY_MEMORY);
    cr_expect_eq(rig_issue(&r, true), 0);
    rig_start(&r, 64);
    rig_set(&r, 64, GPC_STATE_READY);
    cr_expect_eq(rig_issue(&r, false), 64, "the place of 0 is lent");
    cr_expect_eq(rig_issue(&r, true), 64, "and kept");
    cr_expect_eq(rig_issue(&r, true), 64);
    rig_close(&r);
}

/* In any situation: a limited number of warps issue between two waits, and one issues if possible. */
Test(scheduler_pools, active_pool_is_small) {
    enum { WARPS = 70, ACTIVE = 5, STEPS = 40000 };
    rig r;
    uint64_t random = 7, since[WARPS] = {0};
    rig_open_full(&r, "active-pool(active=5)", WARPS, 0);
    gpc_warp_state state[WARPS];
    for (uint32_t slot = 0; slot < WARPS; slot++)
        rig_set(&r, slot, state[slot] = GPC_STATE_READY);
    bool active[WARPS] = {false};
    for (uint64_t n = 1; n <= STEPS; n++) {
        const uint32_t slot = rig_issue(&r, true);
        uint32_t count = 0, held = 0, ready = 0;
        for (uint32_t other = 0; other < WARPS; other++) {
            held += active[other];
            ready += state[other] == GPC_STATE_READY;
        }
        cr_assert_eq(slot == GPC_NO_WARP, held == ACTIVE ? !ready || slot == GPC_NO_WARP : !ready);
        if (slot != GPC_NO_WARP) {
            active[slot] = true;
            since[slot] = n;
            state[slot] = gpci_random_below(&random, 4) ? GPC_STATE_STALLED : GPC_STATE_WAITING;
            rig_set(&r, slot, state[slot]);
        }
        for (uint32_t other = 0; other < WARPS; other++) {
            active[other] &= state[other] != GPC_STATE_WAITING;
            count += active[other];
            const uint32_t chance = state[other] == GPC_STATE_STALLED ? 4 : 40;
            if (state[other] != GPC_STATE_READY && !gpci_random_below(&random, chance))
                rig_set(&r, other, state[other] = GPC_STATE_READY);
        }
        cr_assert_leq(count, ACTIVE);
    }
    for (uint32_t slot = 0; slot < WARPS; slot++)
        cr_expect_gt(since[slot], STEPS / 2, "warp %u starves", slot);
    rig_close(&r);
}

/* Two warps a block. */
static void open_blocks(rig *r, const char *policy, uint32_t warps, uint32_t sm) {
    rig_open(r, policy, warps, 0);
    gpc_scheduler_destroy(r->scheduler);
    gpc_scheduler_options options = GPC_SCHEDULER_OPTIONS_INIT;
    options.warps = warps;
    options.policy = policy;
    options.sm = sm;
    options.sms = 8;
    cr_assert_eq(gpc_scheduler_create(r->context, &options, &r->scheduler, &r->error), GPC_OK, "%s", r->error.message);
    for (uint32_t slot = 0; slot < warps; slot++)
        cr_assert_eq(gpc_scheduler_start_block(r->scheduler, slot, 100 + slot / 2, NULL), GPC_OK);
}

Test(scheduler_pools, owl_locality) {
    rig r;
    open_blocks(&r, "owl(order=locality, blocks=1)", 4, 0);
    cr_expect_eq(step(&r, "0123", ""), 0);
    cr_expect_eq(step(&r, "0123", ""), 1);
    cr_expect_eq(step(&r, "23", ""), 2);
    cr_expect_eq(step(&r, "03", ""), 0, "the oldest block is back");
    cr_expect_eq(step(&r, "23", "01"), 2, "its gaps are filled, of whatever length");
    rig_close(&r);
}

Test(scheduler_pools, owl_round) {
    rig r;
    open_blocks(&r, "owl(order=round, blocks=1)", 4, 0);
    cr_expect_eq(step(&r, "0123", ""), 0);
    cr_expect_eq(step(&r, "0123", ""), 1);
    cr_expect_eq(step(&r, "23", "0"), GPC_NO_WARP, "a fixed latency holds the group");
    cr_expect_eq(step(&r, "23", ""), 2);
    cr_expect_eq(step(&r, "03", ""), 3, "it stays with the group that it has come to");
    cr_expect_eq(step(&r, "0", ""), 0);
    rig_close(&r);
}

/* Neighbouring SMs begin with other groups, and a group has the requested number of blocks. */
Test(scheduler_pools, owl_banks) {
    for (uint32_t sm = 0; sm < 8; sm++) {
        rig r;
        open_blocks(&r, "owl(blocks=2)", 8, sm); /* two groups of four warps */
        cr_expect_eq(step(&r, "01234567", ""), sm % 2 ? 4 : 0);
        cr_expect_eq(step(&r, "01234567", ""), sm % 2 ? 5 : 1);
        cr_expect_eq(step(&r, sm % 2 ? "0123" : "4567", ""), sm % 2 ? 0 : 4);
        rig_close(&r);
    }
}

/* When a block ends the next blocks move up, and a starting block is the last, with any number and slots. */
Test(scheduler_pools, owl_blocks_come_and_go) {
    rig r;
    open_blocks(&r, "owl(order=locality, blocks=1)", 4, 0);
    rig_end(&r, 0);
    cr_expect_eq(step(&r, "123", ""), 1, "a warp of it is left");
    rig_end(&r, 1);
    cr_assert_eq(gpc_scheduler_start_block(r.scheduler, 0, 7, NULL), GPC_OK);
    cr_assert_eq(gpc_scheduler_start_block(r.scheduler, 1, 7, NULL), GPC_OK);
    cr_expect_eq(step(&r, "0123", ""), 2);
    cr_expect_eq(step(&r, "013", ""), 3);
    cr_expect_eq(step(&r, "01", ""), 0);
    rig_close(&r);
}

/* Counters of all throttles, in order, and none behind. */
Test(scheduler_pools, published_counters) {
    static const char *const names[] = {"scheduler.ccws.lost", "scheduler.pcal.tokens", "scheduler.pcal.bypassing",
                                        "scheduler.pcal.throttled"};
    gpc_policy_value value = GPC_POLICY_VALUE_INIT;
    rig r;
    rig_open(&r, "gto + ccws + warps(limit=3) + pcal", 4, 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        cr_assert_eq(gpc_scheduler_policy_value(r.scheduler, i, &value, NULL), GPC_OK, "%s", names[i]);
        cr_expect_str_eq(value.name, names[i]);
    }
    cr_expect_eq(gpc_scheduler_policy_value(r.scheduler, 4, &value, NULL), GPC_ERROR_RANGE);
    cr_expect_eq(gpc_scheduler_policy_value(NULL, 0, &value, NULL), GPC_ERROR_ARGUMENT);
    rig_close(&r);
}
