/* SPDX-License-Identifier: BSD-2-Clause */
#include "scheduler/rig.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>

/* The worked example in the head of every policy's file, and statements of documents. */

/* One step: digits of ready warps, after '/' warps stalled for a fixed latency; all others wait for memory. */
static const char *read_states(rig *r, const char *step) {
    gpc_warp_state state = GPC_STATE_READY;
    rig_set_all(r, GPC_STATE_WAITING);
    for (; *step != '>'; step++) {
        if (*step == '/')
            state = GPC_STATE_STALLED;
        else
            rig_set(r, (uint32_t)(*step - '0'), state);
    }
    return step + 1;
}

/* A script of steps `STATES>SLOT`, '-' for no issue; `rSLOT`: the warp ends and another takes the slot. */
static void check(const char *policy, uint32_t warps, const char *script) {
    rig r;
    rig_open_full(&r, policy, warps, 0);
    for (const char *at = script; *at; at++) {
        if (*at == ' ')
            continue;
        if (*at == 'r') {
            uint32_t slot = (uint32_t)(*++at - '0');
            rig_end(&r, slot);
            rig_start(&r, slot);
            continue;
        }
        const char *step = at;
        at = read_states(&r, at);
        uint32_t expected = isdigit((unsigned char)*at) ? (uint32_t)(*at - '0') : GPC_NO_WARP;
        uint32_t slot = rig_issue(&r, true);
        cr_expect_eq(slot, expected, "%s: %.*s: %d issued", policy, (int)(at - step + 1), step, (int)slot);
    }
    rig_close(&r);
}

Test(scheduler_examples, lrr) {
    check("lrr", 4, "0123>0 0123>1 03>3 0123>0");
}

/* "each warp roughly has an equal opportunity to execute" (seeds/004 section 3.3) */
Test(scheduler_examples, lrr_is_fair) {
    check("lrr", 4, "0123>0 0123>1 0123>2 0123>3 0123>0 0123>1 0123>2 0123>3");
    check("lrr", 1, "0>0 0>0 >- 0>0");
}

Test(scheduler_examples, gto) {
    check("gto", 3, "012>0 012>0 12>1 012>1 02>0 r0 12>1 02>2");
}

/* "prioritizes a single warp until it stalls, then it prioritizes the warps based on their fetch order" */
Test(scheduler_examples, gto_by_fetch_order) {
    check("gto", 4, "3>3 0123>3 0123>3 012>0 0123>0 /0>- 0123>0 123>1 0123>1");
    /* Slot 1, then slot 0 are taken anew: from oldest to youngest 2 3 1 0. */
    check("gto", 4, "r1 r0 0123>2 013>3 01>1 0>0 0123>0 123>2");
}

/* A slot's new warp does not inherit the old warp's greed. */
Test(scheduler_examples, gto_forgets_what_ended) {
    check("gto", 2, "01>0 r0 01>1");
    check("gto", 2, "1>1 r1 01>0");
}

Test(scheduler_examples, oldest) {
    check("oldest", 3, "012>0 12>1 012>0 r0 012>1");
    check("oldest", 4, "r1 r0 0123>2 013>3 01>1 0>0 0123>2");
}

Test(scheduler_examples, two_level) {
    check("two-level(group=2)", 4, "0123>0 0123>1 023>0 23/1>- 23>2 0123>3");
}

/* Quoted: "It does not check the warps in the next fetch group until all warps in the current fetch group stall." */
Test(scheduler_examples, two_level_stays_and_turns) {
    check("two-level(group=2)", 6, "012345>0 12345>1 12345>1 02345>0 2345>2 012345>3 0145>4 0145>5 01>1");
    /* Round robin within a group continues. */
    check("two-level(group=3)", 6, "012345>0 345>3 012345>4 012>1 345>5 012>2 012>0");
    /* The last group has one warp only. */
    check("two-level(group=2)", 5, "4>4 01234>4 /4>- 0123>0");
    check("two-level(group=2)", 5, "2>2 04>4");
    /* Groups beyond all slots are one: loose round robin, with waiting. */
    check("two-level(group=100)", 3, "012>0 012>1 012>2 02>0 02>2");
}

/* Without a parameter groups are of eight. */
Test(scheduler_examples, two_level_default) {
    rig r;
    rig_open_full(&r, "two-level", 16, 0);
    rig_set_all(&r, GPC_STATE_READY);
    for (uint32_t turn = 0; turn < 20; turn++)
        cr_expect_eq(rig_issue(&r, true), turn % 8);
    for (uint32_t slot = 0; slot < 8; slot++)
        rig_set(&r, slot, GPC_STATE_WAITING);
    for (uint32_t turn = 0; turn < 20; turn++)
        cr_expect_eq(rig_issue(&r, true), 8 + turn % 8);
    rig_close(&r);
}

/* A group is left when waiting for memory, a pipeline or a barrier, and held only by a fixed latency. */
Test(scheduler_examples, two_level_leaves) {
    static const struct {
        gpc_warp_state state;
        bool leaves;
    } cases[] = {{GPC_STATE_WAITING, true},
                 {GPC_STATE_BARRIER, true},
                 {GPC_STATE_READY_MEMORY, true},
                 {GPC_STATE_STALLED, false},
                 {GPC_STATE_ABSENT, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rig r;
        rig_open_full(&r, "two-level(group=2)", 4, 0);
        rig_set(&r, 0, GPC_STATE_WAITING);
        rig_set(&r, 1, cases[i].state);
        rig_set(&r, 3, GPC_STATE_READY);
        cr_expect_eq(rig_pick(&r, false), cases[i].leaves ? 3 : GPC_NO_WARP, "state %d", (int)cases[i].state);
        rig_close(&r);
    }
}

/* READY_MEMORY warps are candidates only while the pipeline accepts, for every policy. */
Test(scheduler_examples, memory_pipeline) {
    static const char *const policies[] = {"lrr", "gto", "oldest", "two-level"};
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        rig r;
        rig_open_full(&r, policies[i], 4, 0);
        rig_set_all(&r, GPC_STATE_READY_MEMORY);
        cr_expect_eq(rig_pick(&r, false), GPC_NO_WARP, "%s", policies[i]);
        cr_expect_eq(rig_pick(&r, true), 0, "%s", policies[i]);
        rig_set(&r, 2, GPC_STATE_READY);
        cr_expect_eq(rig_pick(&r, false), 2, "%s", policies[i]);
        cr_expect_eq(rig_pick(&r, true), 0, "%s", policies[i]);
        rig_close(&r);
    }
}

static void check_cost(const rig *r, const char *policy, uint32_t warps, uint64_t expected) {
    uint64_t bits = UINT64_MAX;
    cr_expect_eq(gpc_scheduler_cost(r->context, policy, warps, &bits, NULL), GPC_OK);
    cr_expect_eq(bits, expected, "%s of %u warps: %llu bits", policy, warps, (unsigned long long)bits);
}

/*
 * By hand, for 16 warps: a turn of 4 bits; 16 * 15 / 2 pairs; pairs and one of 17 (16 warps or none) in 5 bits; one of
 * two groups, and in each one of eight; a bit each, and the last to issue.
 */
Test(scheduler_examples, costs) {
    rig r;
    rig_open(&r, "gto", 1, 0);
    check_cost(&r, "lrr", 16, 4);
    check_cost(&r, "oldest", 16, 120);
    check_cost(&r, "gto", 16, 125);
    check_cost(&r, "two-level", 16, 1 + 2 * 3);
    check_cost(&r, "two-level(group=5)", 16, 2 + 4 * 3);
    check_cost(&r, "two-level(group=1024)", 16, 4);
    check_cost(&r, "active-pool", 16, 16 + 4);
    check_cost(&r, "lrr", 1, 0);
    check_cost(&r, "gto", 1, 1);
    check_cost(&r, "oldest", 1024, 1024 * 1023 / 2);
    rig_close(&r);
}
