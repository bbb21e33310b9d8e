/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/coherent_rig.h"

#include <criterion/criterion.h>
#include <stdio.h>

/* The time when a missing line takes a way in a coherent L1: at the miss, or on arrival. */

/* A full set, a further line, and meanwhile a hit of a present line, which is the least recent. */
static uint64_t load_beside_a_miss(const char *protocol, const char *allocate, gpc_coherence_state states[6]) {
    rig r;
    char settings[64];
    snprintf(settings, sizeof settings, "l1.allocate = %s\n", allocate);
    coherent_open(&r, protocol, settings);
    for (unsigned i = 0; i < 4; i++)
        rig_latency(&r, LINE(GPC_LOAD, i * SET));
    const uint64_t miss = rig_issue(&r, LINE(GPC_LOAD, 4 * SET));
    const uint64_t beside = rig_issue(&r, LINE(GPC_LOAD, 0, .warp = 1));
    rig_finish(&r);
    cr_expect_eq(r.done[miss].cycle - r.done[miss].issued, MISS, "%s, %s", protocol, allocate);
    for (unsigned i = 0; i < 5; i++)
        states[i] = coherent_state(&r, "l1-0", i * SET);
    coherent_check_idle(&r);
    const uint64_t cycles = r.done[beside].cycle - r.done[beside].issued;
    coherent_close(&r);
    return cycles;
}

/* Present lines hit until the other line arrives, which is then more recent than another. */
Test(timed_coherent_allocation, hits_meanwhile) {
    static const char *const protocols[] = {"vi", "nmoesi", "mesi"}, *const late[] = {"on-fill", "streaming"};
    gpc_coherence_state states[6];
    for (unsigned p = 0; p < 3; p++) {
        cr_expect_gt(load_beside_a_miss(protocols[p], "on-miss", states), L2_DATA, "%s", protocols[p]);
        for (unsigned i = 0; i < 2; i++) {
            cr_expect_leq(load_beside_a_miss(protocols[p], late[i], states), 1 + TAGS + L1_DATA, "%s", protocols[p]);
            for (unsigned line = 0; line < 5; line++)
                cr_expect_eq(states[line] == GPC_LINE_I, line == 1, "%s, line %u: %d", protocols[p], line,
                             states[line]);
        }
    }
}

/* More misses of a set are in flight than ways; modified lines leave behind them, without loss. */
Test(timed_coherent_allocation, more_than_ways) {
    rig r;
    coherent_open(&r, "nmoesi", "l1.allocate = on-fill\nl1.ways = 1\nl1.size = 4096\n");
    uint64_t tokens[4];
    rig_latency(&r, LINE(GPC_STORE, 0));
    for (unsigned i = 0; i < 4; i++)
        tokens[i] = rig_issue(&r, LINE(GPC_STORE, (i + 1) * SET));
    rig_finish(&r);
    for (unsigned i = 0; i < 4; i++) /* they go below in sequence, and do not wait for one another's way */
        cr_expect_lt(r.done[tokens[i]].cycle - r.done[tokens[i]].issued, MISS + 40, "store %u", i);
    for (unsigned i = 0; i < 5; i++) {
        cr_expect_eq(coherent_state(&r, "l1-0", i * SET) != GPC_LINE_I, i == 4, "line %u", i);
        cr_expect_eq(coherent_state(&r, "l2-0", i * SET) == GPC_LINE_I, false, "line %u", i);
    }
    cr_expect_eq(coherent_stats(&r, "l1-0").evictions, 4);
    coherent_check_idle(&r);
    coherent_close(&r);
}
