/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "policies/throttle/sm.h"

#include <criterion/criterion.h>
#include <stdio.h>

/* Static limiting of blocks with warps spread over the schedulers. */

static void start_block(sm_rig *r, uint32_t block, uint32_t first, uint32_t warps) {
    for (uint32_t warp = first; warp < first + warps; warp++)
        sm_start(r, warp, block);
}

/* The example of blocks.c: the scheduler on which a block ends knows at once, the other in the next cycle. */
Test(blocks, worked_example) {
    sm_rig r;
    sm_open(&r, "gto + blocks(limit=1)", 2, 4);
    start_block(&r, 70, 0, 2);
    start_block(&r, 9, 2, 2);
    sm_clock(&r, 1);
    cr_expect_str_eq(sm_classes(&r), "CCTT");
    sm_set(&r, 0, GPC_STATE_ABSENT);
    sm_clock(&r, 2);
    cr_expect_str_eq(sm_classes(&r), ".CTT");
    sm_set(&r, 1, GPC_STATE_ABSENT);
    cr_expect_str_eq(sm_classes(&r), "..TC");
    cr_expect_leq(gpc_scheduler_next_change(r.schedulers[0]), 3, "the other is to be asked");
    sm_clock(&r, 3);
    cr_expect_str_eq(sm_classes(&r), "..CC");
    sm_close(&r);
}

/* Limits from one to more than the blocks, on one scheduler and on several. */
Test(blocks, limits) {
    for (uint32_t count = 1; count <= 4; count++)
        for (uint32_t limit = 0; limit <= 7; limit++) {
            char spec[48];
            sm_rig r;
            snprintf(spec, sizeof spec, "lrr + blocks(limit=%u)", limit);
            sm_open(&r, spec, count, 12);
            for (uint32_t block = 0; block < 6; block++)
                start_block(&r, 100 - block, block * 2, 2); /* age is not the number */
            sm_clock(&r, 1);
            for (uint32_t warp = 0; warp < 12; warp++)
                cr_expect_eq(sm_classes(&r)[warp], limit && warp / 2 >= limit ? 'T' : 'C', "%s, %u: %s", spec, count,
                             sm_classes(&r));
            sm_expect_sums(&r);
            sm_close(&r);
        }
}

/* A block of one warp, known to one scheduler only, counts on all; a repeated number is another block. */
Test(blocks, uneven_blocks_and_numbers_again) {
    sm_rig r;
    sm_open(&r, "gto + blocks(limit=2)", 2, 6);
    start_block(&r, 5, 0, 1);
    start_block(&r, 6, 1, 1);
    start_block(&r, 7, 2, 3);
    sm_clock(&r, 1);
    cr_expect_str_eq(sm_classes(&r), "CCTTT.");
    sm_set(&r, 0, GPC_STATE_ABSENT);
    sm_clock(&r, 2);
    cr_expect_str_eq(sm_classes(&r), ".CCCC.");
    sm_start(&r, 0, 5);
    sm_clock(&r, 3);
    cr_expect_str_eq(sm_classes(&r), "TCCCC.");
    sm_start(&r, 5, 7); /* a late warp belongs to the block */
    sm_clock(&r, 4);
    cr_expect_str_eq(sm_classes(&r), "TCCCCC");
    sm_close(&r);
}

/* A block waits at a barrier for the warps, and keeps the place. */
Test(blocks, barriers_keep_the_place) {
    sm_rig r;
    sm_open(&r, "gto + blocks(limit=1)", 2, 8);
    start_block(&r, 0, 0, 4);
    start_block(&r, 1, 4, 4);
    for (uint32_t warp = 0; warp < 3; warp++)
        sm_set(&r, warp, GPC_STATE_BARRIER);
    sm_set(&r, 3, GPC_STATE_READY);
    sm_clock(&r, 1);
    cr_expect_str_eq(sm_classes(&r), "CCCCTTTT");
    cr_expect_eq(sm_issue(&r, 1, 2), 3);
    sm_close(&r);
}

enum { LENGTH = 12, BLOCKS = 40, WIDTH = 4, RESIDENT = 5 };

/* A small machine: blocks of 4 warps with a barrier every 4th instruction, 5 of them resident. */
typedef struct machine {
    sm_rig r;
    uint32_t place[RESIDENT * WIDTH], at_barrier[RESIDENT], live[RESIDENT];
    uint64_t until[RESIDENT * WIDTH];
    uint32_t started, ended;
} machine;

static void open_barrier(machine *m, uint32_t block, uint64_t cycle) {
    m->at_barrier[block] = 0;
    for (uint32_t w = block * WIDTH; w < (block + 1) * WIDTH; w++)
        if (sm_state(&m->r, w) == GPC_STATE_BARRIER) {
            sm_set(&m->r, w, GPC_STATE_STALLED);
            m->until[w] = cycle + 1;
        }
}

static void advance(machine *m, uint32_t warp, uint64_t cycle, uint64_t draw) {
    uint32_t block = warp / WIDTH;
    if (++m->place[warp] == LENGTH) {
        sm_set(&m->r, warp, GPC_STATE_ABSENT);
        m->ended += !--m->live[block];
        if (m->live[block] && m->at_barrier[block] == m->live[block])
            open_barrier(m, block, cycle);
    } else if (m->place[warp] % 4 == 0) {
        sm_set(&m->r, warp, GPC_STATE_BARRIER);
        if (++m->at_barrier[block] == m->live[block])
            open_barrier(m, block, cycle);
    } else {
        sm_set(&m->r, warp, draw & 1 ? GPC_STATE_WAITING : GPC_STATE_STALLED);
        m->until[warp] = cycle + 1 + draw % 30;
        if (draw & 2) {
            uint32_t owner = (uint32_t)(draw >> 8) % (RESIDENT * WIDTH);
            sm_event(&m->r, GPC_CACHE_EVENT_EVICT, warp, owner, draw >> 4 & 3, cycle);
            sm_event(&m->r, GPC_CACHE_EVENT_MISS, warp, warp, draw >> 6 & 3, cycle);
        }
    }
}

static void start_blocks(machine *m, uint64_t cycle) {
    for (uint32_t block = 0; block < RESIDENT; block++) {
        if (m->live[block] || m->started == BLOCKS)
            continue;
        m->live[block] = WIDTH;
        for (uint32_t w = block * WIDTH; w < (block + 1) * WIDTH; w++) {
            sm_start(&m->r, w, m->started);
            m->place[w] = 0;
            m->until[w] = cycle + 1;
        }
        m->started++;
    }
}

/* All blocks end, with any stacking; and on every scheduler the classes sum to the running warps. */
Test(blocks, no_deadlock_on_random_traffic) {
    static const char *const specs[] = {
        "gto + warps(limit=1)",
        "lrr + blocks(limit=1)",
        "gto + ccws",
        "lrr + ccws(k=1024, tags=2)",
        "gto + dyncta(period=64)",
        "two-level(group=2) + blocks(limit=1) + ccws(k=100)",
        "oldest + warps(limit=1) + blocks(limit=1)",
        "gto + ccws(base=60000) + warps(limit=2) + dyncta(t-mem-h=0, t-mem-l=0)",
    };
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        for (uint32_t count = 1; count <= 4; count++) {
            machine m = {.started = 0};
            sm_open(&m.r, specs[i], count, RESIDENT * WIDTH);
            uint64_t random = count, cycle = 0;
            measured_stats stats;
            measured_clear(&stats);
            for (; m.ended < BLOCKS && cycle < 400000; cycle++) {
                start_blocks(&m, cycle);
                for (uint32_t w = 0; w < RESIDENT * WIDTH; w++) {
                    gpc_warp_state state = sm_state(&m.r, w);
                    if ((state == GPC_STATE_STALLED || state == GPC_STATE_WAITING) && m.until[w] <= cycle)
                        sm_set(&m.r, w, m.place[w] & 1 ? GPC_STATE_READY_MEMORY : GPC_STATE_READY);
                }
                for (uint32_t n = 0; n < count; n++) {
                    uint32_t warp = sm_issue(&m.r, n, cycle);
                    random = random * 6364136223846793005u + 1442695040888963407u;
                    if (warp != GPC_NO_WARP)
                        advance(&m, warp, cycle, random >> 24);
                }
                sm_expect_sums(&m.r);
                if (cycle % 64 == 0) {
                    stats.scheduler_cycles = 64 * count;
                    stats.scheduler_load_stalls = (random >> 40) % (64 * count);
                    sm_sample(&m.r, &stats, cycle);
                }
            }
            cr_expect_eq(m.ended, BLOCKS, "%s on %u schedulers: %u of %u blocks ended", specs[i], count, m.ended,
                         (unsigned)BLOCKS);
            sm_close(&m.r);
        }
}
