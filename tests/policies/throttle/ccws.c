/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/throttle/sm.h"

#include "policies/throttle/lost_locality.h"

#include <criterion/criterion.h>
#include <stdio.h>

/* Victim tags, scores and the cutoff. */

static void open_running(sm_rig *r, const char *policy, uint32_t count, uint32_t warps) {
    sm_open(r, policy, count, warps);
    for (uint32_t warp = 0; warp < warps; warp++)
        sm_start(r, warp, 0);
}

static void lose(sm_rig *r, uint32_t warp, uint64_t line, uint64_t cycle) {
    sm_event(r, GPC_CACHE_EVENT_EVICT, 0, warp, line, cycle);
    sm_event(r, GPC_CACHE_EVENT_MISS, warp, warp, line, cycle);
    sm_clock(r, cycle);
}

/* The head of ccws.c: 1 hit in 16 instructions, 3 warps: 150, 250, 350 of 300, until 50 cycles have passed. */
Test(ccws, worked_example) {
    sm_rig r;
    open_running(&r, "gto + ccws", 1, 3);
    sm_issue_times(&r, 1, 16, 900);
    cr_expect_str_eq(sm_classes(&r), "CCC");
    lose(&r, 0, 0x80, 1000);
    cr_expect_str_eq(sm_classes(&r), "CCH");
    cr_expect_eq(gpc_scheduler_next_change(r.schedulers[0]), 1050);
    sm_clock(&r, 1049);
    cr_expect_str_eq(sm_classes(&r), "CCH");
    sm_clock(&r, 1050);
    cr_expect_str_eq(sm_classes(&r), "CCC");
    cr_expect_eq(gpc_scheduler_next_change(r.schedulers[0]), UINT64_MAX);
    sm_close(&r);
}

/* Held warps issue instructions without memory access. */
Test(ccws, held_warps_compute) {
    sm_rig r;
    open_running(&r, "gto + ccws", 1, 3);
    sm_issue_times(&r, 1, 16, 0);
    lose(&r, 0, 0x80, 10);
    sm_set(&r, 2, GPC_STATE_READY_MEMORY);
    cr_expect_eq(sm_issue(&r, 0, 11), GPC_NO_WARP);
    sm_set(&r, 2, GPC_STATE_READY);
    cr_expect_eq(sm_issue(&r, 0, 12), 2);
    sm_set(&r, 2, GPC_STATE_READY_MEMORY);
    cr_expect_eq(sm_issue(&r, 0, 59), GPC_NO_WARP);
    cr_expect_eq(sm_issue(&r, 0, 60), 2);
    sm_close(&r);
}

/* All schedulers of the SM share scores and cutoff. The example on three of them, the last holding warp 2. */
Test(ccws, one_cutoff_for_an_sm) {
    sm_rig r;
    open_running(&r, "lrr + ccws", 3, 3);
    sm_issue_times(&r, 0, 5, 900);
    sm_issue_times(&r, 1, 5, 900);
    sm_issue_times(&r, 2, 6, 900);
    lose(&r, 0, 0x80, 1000);
    cr_expect_str_eq(sm_classes(&r), "CCH");
    sm_clock(&r, 1049);
    cr_expect_str_eq(sm_classes(&r), "CCH");
    sm_clock(&r, 1050);
    cr_expect_str_eq(sm_classes(&r), "CCC");
    sm_close(&r);
}

/* Schedulers without sharing: each has a separate cutoff, independent of the others' warps. */
Test(ccws, alone_of_several) {
    gpc_context *context;
    gpc_scheduler *s;
    gpc_scheduler_options options = GPC_SCHEDULER_OPTIONS_INIT;
    options.policy = "gto + ccws";
    options.warps = 2;
    options.count = 4;
    options.index = 2;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    cr_assert_eq(gpc_scheduler_create(context, &options, &s, NULL), GPC_OK);
    gpc_scheduler_start(s, 0, NULL);
    gpc_scheduler_start(s, 1, NULL);
    for (uint32_t warp = 0; warp < 12; warp++) {
        gpc_cache_event event = {.kind = GPC_CACHE_EVENT_EVICT, .owner = warp, .line_address = 0x1000, .cycle = 1};
        gpc_scheduler_cache_event(s, &event);
    }
    gpc_scheduler_issued(s, 0, 1, NULL);
    gpc_cache_event miss = {.kind = GPC_CACHE_EVENT_MISS, .warp = 1, .owner = 1, .line_address = 0x1000, .cycle = 1};
    gpc_scheduler_cache_event(s, &miss);
    cr_expect_eq(gpc_scheduler_next_change(s), UINT64_MAX, "warp 1 is another's");
    miss.warp = 6; /* slot 1 */
    gpc_scheduler_cache_event(s, &miss);
    cr_expect_neq(gpc_scheduler_next_change(s), UINT64_MAX, "its own");
    gpc_scheduler_destroy(s);
    gpc_context_destroy(context);
}

/* First in, first out: the n last evicted are known, the one before is not, and each once. */
Test(ccws, victim_tags) {
    for (uint32_t tags = 1; tags <= 16; tags += 5) {
        char spec[64];
        snprintf(spec, sizeof spec, "gto + ccws(tags=%u, k=1024)", tags);
        for (uint32_t asked = 0; asked <= 2 * tags; asked++) {
            sm_rig r;
            open_running(&r, spec, 1, 2);
            for (uint32_t line = 0; line <= 2 * tags; line++)
                sm_event(&r, GPC_CACHE_EVENT_EVICT, 1, 0, line * 128, 0);
            sm_event(&r, GPC_CACHE_EVENT_MISS, 1, 1, asked * 128, 0);
            cr_expect_str_eq(sm_classes(&r), "CC", "another warp's tags");
            sm_event(&r, GPC_CACHE_EVENT_HIT, 0, 0, asked * 128, 0);
            cr_expect_str_eq(sm_classes(&r), "CC", "a hit has lost nothing");
            sm_event(&r, GPC_CACHE_EVENT_MISS, 0, 0, asked * 128, 0);
            cr_expect_str_eq(sm_classes(&r), asked > tags ? "CH" : "CC", "%u tags, line %u", tags, asked);
            sm_clock(&r, 1 << 20);
            cr_expect_str_eq(sm_classes(&r), "CC");
            sm_event(&r, GPC_CACHE_EVENT_MISS, 0, 0, asked * 128, 1 << 20);
            cr_expect_str_eq(sm_classes(&r), "CC", "it has left the array");
            sm_close(&r);
        }
    }
}

/*
 * After removing one from the middle, order and room are correct: 3 tags, lines 1 2 3, take 2, put 4, put 5: 1 is gone.
 */
Test(ccws, a_tag_taken_from_the_middle) {
    static const char expected[] = "CCCHHH"; /* by line asked for at last */
    for (uint32_t asked = 1; asked <= 5; asked++) {
        sm_rig r;
        open_running(&r, "gto + ccws(tags=3, k=1024)", 1, 2);
        for (uint32_t line = 1; line <= 3; line++)
            sm_event(&r, GPC_CACHE_EVENT_EVICT, 1, 0, line * 128, 0);
        sm_event(&r, GPC_CACHE_EVENT_MISS, 0, 0, 2 * 128, 0);
        sm_event(&r, GPC_CACHE_EVENT_EVICT, 1, 0, 4 * 128, 0);
        sm_event(&r, GPC_CACHE_EVENT_EVICT, 1, 0, 5 * 128, 0);
        sm_clock(&r, 1 << 20);
        sm_event(&r, GPC_CACHE_EVENT_MISS, 0, 0, asked * 128, 1 << 20);
        cr_expect_eq(sm_classes(&r)[1], expected[asked], "line %u", asked);
        sm_close(&r);
    }
}

/* The next warp in a slot inherits nothing: tags, score, age. */
Test(ccws, a_new_warp_starts_clean) {
    sm_rig r;
    open_running(&r, "gto + ccws", 1, 3);
    sm_issue_times(&r, 1, 16, 0);
    sm_event(&r, GPC_CACHE_EVENT_EVICT, 1, 0, 0x200, 0);
    lose(&r, 0, 0x80, 0);
    cr_expect_str_eq(sm_classes(&r), "CCH");
    sm_set(&r, 0, GPC_STATE_ABSENT); /* the cutoff is 200 now, and all are at the base */
    cr_expect_str_eq(sm_classes(&r), ".CC");
    sm_event(&r, GPC_CACHE_EVENT_EVICT, 1, 0, 0x280, 0); /* eviction of a line fetched by the former warp */
    sm_start(&r, 0, 0);
    cr_expect_str_eq(sm_classes(&r), "CCC");
    sm_event(&r, GPC_CACHE_EVENT_MISS, 0, 0, 0x200, 0);
    sm_event(&r, GPC_CACHE_EVENT_MISS, 0, 0, 0x280, 0);
    cr_expect_str_eq(sm_classes(&r), "CCC");
    lose(&r, 1, 0x80, 0); /* 2 hits / 16 x 8 x 300 = 300: alone; then 2 and 0, the youngest */
    cr_expect_str_eq(sm_classes(&r), "HCH");
    sm_clock(&r, 99);
    cr_expect_str_eq(sm_classes(&r), "HCH");
    sm_clock(&r, 100); /* 200, 300 | 400 */
    cr_expect_str_eq(sm_classes(&r), "HCC");
    sm_clock(&r, 199);
    cr_expect_str_eq(sm_classes(&r), "HCC");
    sm_clock(&r, 200);
    cr_expect_str_eq(sm_classes(&r), "CCC");
    sm_close(&r);
}

/* A warp at a barrier takes no place: 150 of warp 0 are not counted meanwhile. */
Test(ccws, barriers_give_way) {
    sm_rig r;
    open_running(&r, "gto + ccws", 1, 3);
    sm_issue_times(&r, 1, 16, 0);
    lose(&r, 0, 0x80, 0);
    cr_expect_str_eq(sm_classes(&r), "CCH");
    sm_set(&r, 0, GPC_STATE_BARRIER);
    cr_expect_str_eq(sm_classes(&r), "CCC");
    sm_set(&r, 0, GPC_STATE_READY);
    cr_expect_str_eq(sm_classes(&r), "CCH");
    sm_close(&r);
}

/* An ending warp makes way at once, also on the SM's other schedulers. */
Test(ccws, ended_warps_give_way) {
    sm_rig r;
    open_running(&r, "gto + ccws", 3, 3);
    sm_issue_times(&r, 1, 16, 0);
    lose(&r, 0, 0x80, 0);
    cr_expect_str_eq(sm_classes(&r), "CCH");
    sm_set(&r, 0, GPC_STATE_ABSENT);
    sm_clock(&r, 1);
    cr_expect_str_eq(sm_classes(&r), ".CC");
    sm_close(&r);
}

/* LLDS = hits / issued x K x cutoff, between the base and 16 bits. */
Test(ccws, lost_locality) {
    cr_expect_eq(gpci_lost_locality(1, 16, 8, 300, 100), 150);
    cr_expect_eq(gpci_lost_locality(1, 1000, 8, 4800, 100), 100); /* 38.4 */
    cr_expect_eq(gpci_lost_locality(1, 1, 8, 8191, 100), 65528);
    cr_expect_eq(gpci_lost_locality(1, 1, 8, 8192, 100), 65535);
    cr_expect_eq(gpci_lost_locality(3, 0, 1, 200, 100), 600);
    cr_expect_eq(gpci_lost_locality(0, 0, 8, 300, 100), 100);
    cr_expect_eq(gpci_lost_locality(5, 5, 0, 300, 100), 100);
    cr_expect_eq(gpci_lost_locality(1, 1, 1024, 0, 7), 7);
    cr_expect_eq(gpci_lost_locality(UINT64_C(1) << 40, UINT64_C(1) << 44, 1 << 10, UINT64_C(1) << 20, 1), 65535);
    cr_expect_eq(gpci_lost_locality(UINT64_C(1) << 40, UINT64_C(1) << 54, 1, UINT64_C(1) << 28, 1), 16384);
}

/* The slots within the cutoff some cycles later. */
static uint32_t within_after(const gpci_scored *scored, uint32_t count, uint64_t cutoff, uint32_t base,
                             uint64_t cycles) {
    gpci_scored warps[8];
    uint64_t change;
    for (uint32_t n = 0; n < count; n++) {
        warps[n] = scored[n];
        gpci_score score = {0, scored[n].score};
        warps[n].score = gpci_score_now(&score, base, cycles);
    }
    uint32_t within = gpci_cutoff(warps, count, cutoff, base, &change), slots = 0;
    while (within-- > 0)
        slots |= 1u << warps[within].slot;
    return slots;
}

/* Compared with a cycle by cycle search: before the predicted change, the same warps are within the cutoff. */
Test(ccws, the_change_foretold_is_the_first) {
    uint64_t random = 1, foretold = 0;
    for (int round = 0; round < 2000; round++) {
        uint32_t count = 2 + (uint32_t)(random >> 60) % 6, base = 5;
        gpci_scored warps[8], sorted[8];
        for (uint32_t n = 0; n < count; n++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            warps[n] = sorted[n] = (gpci_scored){n, base + (random >> 33) % 3 * ((random >> 40) % 12), 0, n};
        }
        uint64_t change, cutoff = count * base;
        uint32_t within = gpci_cutoff(sorted, count, cutoff, base, &change);
        uint32_t slots = within_after(warps, count, cutoff, base, 0);
        for (uint32_t n = 1; n < count; n++)
            cr_assert(sorted[n - 1].score > sorted[n].score ||
                      (sorted[n - 1].score == sorted[n].score && sorted[n - 1].age < sorted[n].age));
        for (uint64_t cycle = 1; cycle < change && cycle < 40; cycle++)
            cr_assert_eq(within_after(warps, count, cutoff, base, cycle), slots, "round %d, cycle %u of %u", round,
                         (unsigned)cycle, (unsigned)change);
        cr_assert((change == UINT64_MAX) == (within == count));
        foretold += change != UINT64_MAX && within_after(warps, count, cutoff, base, change) != slots;
    }
    cr_expect_gt(foretold, 200);
}
