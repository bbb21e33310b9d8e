/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/predictor/profile_file.h"
#include "profile/rig.h"

#include <criterion/criterion.h>

/* Small streams by hand. Two sets: even lines are in set 0, odd ones in set 1; two ways each. */

#define A 0x0000u
#define B 0x0100u
#define C 0x0200u

/*
 *   A by warp 0   fill
 *   A by warp 0   hit: the most recent of its set, which is not full; the warp that filled it
 *   A by warp 1   hit by another
 *   B             fill
 *   A by warp 1   hit on the least recent of a full set
 *   C             B leaves without a hit
 *   B             A leaves
 */
static void feed(rig *r) {
    rig_load(r, 0, 0x10, A);
    rig_load(r, 0, 0x10, A + 64);
    rig_load(r, 1, 0x20, A);
    rig_load(r, 0, 0x10, B);
    rig_load(r, 1, 0x20, A);
    rig_load(r, 2, 0x10, C);
    rig_load(r, 2, 0x10, B);
}

/* U x (1 + R): half of the moved bytes was used, with three more uses per fill; without a fill, as with one. */
Test(figures, scores) {
    cr_expect_eq(gpci_profile_score_of(64, 128, 2, 6, 0), 2);
    cr_expect_eq(gpci_profile_score_of(64, 128, 0, 0, 3), 2);
    cr_expect_eq(gpci_profile_score_of(64, 0, 2, 6, 3), 0);
}

Test(figures, counts_of_an_sm) {
    rig r;
    rig_open(&r, NULL);
    feed(&r);
    const gpc_profile_sm *sm = rig_sm(&r, 0);
    const gpc_profile_counts *c = &sm->counts;
    cr_expect_eq(c->loads, 7);
    cr_expect_eq(c->accesses, 7);
    cr_expect_eq(c->hits, 3);
    cr_expect_eq(c->fills, 4);
    cr_expect_eq(c->reuses, 3);
    cr_expect_eq(c->sector_misses + c->bypasses, 0);
    cr_expect_eq(c->evictions, 2);
    cr_expect_eq(c->zero_reuse_evictions, 1);
    cr_expect_eq(c->intra_warp_hits, 1);
    cr_expect_eq(c->inter_warp_hits, 2);
    cr_expect_eq(c->mru_hits, 2);
    cr_expect_eq(c->lru_hits, 1);
    cr_expect_eq(c->bytes_used, 7 * 4);
    cr_expect_eq(c->bytes_moved, 7 * 128);
    cr_expect_eq(c->segments, 7);
    cr_expect_eq(c->reuse, 0.75);
    cr_expect_eq(c->utilisation, 1.0 / 32);
    cr_expect_eq(c->score, 1.75 / 32);
    cr_expect_eq(sm->hits_by_age[0], 1);
    cr_expect_eq(sm->hits_by_age[1], 2);
    cr_expect_eq(sm->hits_by_recency[0], 2);
    cr_expect_eq(sm->hits_by_recency[1], 1);
    rig_close(&r);
}

/* Warps older than all buckets count in the last. */
Test(figures, last_age) {
    rig r;
    rig_open(&r, NULL);
    rig_load(&r, 0, 0x10, A);
    for (uint32_t warp = GPC_AGE_BUCKETS - 2; warp < GPC_AGE_BUCKETS + 2; warp++)
        rig_load(&r, warp, 0x10, A);
    const gpc_profile_sm *sm = rig_sm(&r, 0);
    cr_expect_eq(sm->hits_by_age[GPC_AGE_BUCKETS - 2], 1);
    cr_expect_eq(sm->hits_by_age[GPC_AGE_BUCKETS - 1], 3);
    rig_close(&r);
}

/* Figure 3, by line and by residence: A is hit three times, B in two residences and C never. */
Test(figures, reuse_distribution) {
    rig r;
    rig_open(&r, NULL);
    feed(&r);
    const gpc_profile_sm *sm = rig_sm(&r, 0);
    for (unsigned n = 0; n < GPC_PROFILE_REUSE_BUCKETS; n++) {
        cr_expect_eq(sm->lines_by_reuse[n], n == 0 ? 2 : n == 3);
        cr_expect_eq(sm->residences_by_reuse[n], n == 0 ? 3 : n == 3);
    }
    cr_expect_eq(sm->lines, 3);
    rig_close(&r);
}

/* The last bucket takes 15 and above. */
Test(figures, reuse_distribution_saturates) {
    for (unsigned hits = 14; hits < 18; hits++) {
        rig r;
        rig_open(&r, NULL);
        for (unsigned i = 0; i <= hits; i++)
            rig_load(&r, 0, 0x10, A);
        unsigned bucket = hits < 15 ? hits : 15;
        for (unsigned n = 0; n < GPC_PROFILE_REUSE_BUCKETS; n++) {
            cr_expect_eq(rig_sm(&r, 0)->lines_by_reuse[n], n == bucket);
            cr_expect_eq(rig_sm(&r, 0)->residences_by_reuse[n], n == bucket);
        }
        rig_close(&r);
    }
}

/* A A: 0 and 0. A after B: 1. B after A, C: 2 lines, 2 accesses. Buckets: 0, [1, 2), [2, 4). */
Test(figures, distances) {
    rig r;
    rig_open(&r, NULL);
    feed(&r);
    rig_load(&r, 0, 0x10, B);
    rig_load(&r, 0, 0x10, B);
    rig_load(&r, 0, 0x10, A); /* lines C, B; accesses C, B, B, B */
    const gpc_profile_counts *c = &rig_sm(&r, 0)->counts;
    cr_expect_eq(c->first_accesses, 3);
    cr_expect_eq(c->stack_distances[0], 4);
    cr_expect_eq(c->stack_distances[1], 1);
    cr_expect_eq(c->stack_distances[2], 2);
    cr_expect_eq(c->reuse_distances[0], 4);
    cr_expect_eq(c->reuse_distances[1], 1);
    cr_expect_eq(c->reuse_distances[2], 1);
    cr_expect_eq(c->reuse_distances[3], 1);
    const gpc_profile_line *b = rig_line(&r, 0, B);
    cr_expect_eq(b->distances, 3);
    cr_expect_eq(b->reuse_distance_sum, 2);
    cr_expect_eq(b->stack_distance_sum, 2);
    rig_close(&r);
}

/* Reuses belong to the filling instruction: to 0x10, though made by 0x20. */
Test(figures, reuses_belong_to_the_filler) {
    rig r;
    rig_open(&r, NULL);
    feed(&r);
    const gpc_profile_instruction *one = rig_instruction(&r, 0x10), *two = rig_instruction(&r, 0x20);
    cr_assert(one && two);
    cr_expect_eq(one->counts.loads, 5);
    cr_expect_eq(one->counts.hits, 1);
    cr_expect_eq(one->counts.fills, 4);
    cr_expect_eq(one->counts.reuses, 3);
    cr_expect_eq(two->counts.hits, 2);
    cr_expect_eq(two->counts.fills, 0);
    cr_expect_eq(two->counts.reuses, 0);
    cr_expect_eq(two->counts.reuse, 2, "nothing filled: all its hits for nothing");
    cr_expect_null(rig_instruction(&r, 0x30));
    rig_close(&r);
}

/*
 * Figure 4. 0x10 reads four bytes of A four times, and all of B; 0x20 all of C twice, evicting A, and some of A. A: U =
 * 4/128, three hits in two residences, 2.5/32 < 1: bypass. B and C are used whole: U = 1, no bypass.
 */
Test(figures, share_that_should_bypass) {
    rig r;
    rig_open(&r, NULL);
    for (int i = 0; i < 4; i++)
        rig_load(&r, 0, 0x10, A);
    rig_load_line(&r, 0, 0x10, B);
    rig_load_line(&r, 0, 0x20, C);
    rig_load_line(&r, 0, 0x20, C);
    rig_load(&r, 0, 0x20, A); /* 0x20 is A's second instruction */
    const gpc_profile_instruction *one = rig_instruction(&r, 0x10), *two = rig_instruction(&r, 0x20);
    cr_expect_eq(one->lines, 2);
    cr_expect_eq(one->bypass_lines, 1);
    cr_expect_eq(one->bypass_accesses, 4);
    cr_expect_eq(one->counts.accesses, 5);
    cr_expect_eq(two->lines, 2);
    cr_expect_eq(two->bypass_lines, 1);
    cr_expect_eq(two->bypass_accesses, 1);
    cr_expect_eq(rig_sm(&r, 0)->bypass_lines, 1);
    cr_expect_eq(rig_summary(&r).bypass_lines, 1);
    rig_close(&r);
}

/* Eq. (1) at the edge: U = 1/4 needs R = 3 (seeds/001 IV.B), exactly. */
Test(figures, edge_of_the_equation) {
    rig r;
    rig_open(&r, NULL);
    for (int hits = 0; hits <= 3; hits++) {
        rig_load_strided(&r, 0, 0x10, A, 8, 4);
        const gpc_profile_line *line = rig_line(&r, 0, A);
        cr_expect_eq(line->utilisation, 0.25);
        cr_expect_eq(line->reuse, hits);
        cr_expect_eq(line->score, 0.25 * (1 + hits));
        cr_expect_eq(rig_sm(&r, 0)->bypass_lines, hits < 3);
    }
    rig_close(&r);
}

/* Figure 5. */
Test(figures, transactions_per_load) {
    rig r;
    rig_open(&r, NULL);
    rig_load(&r, 0, 0x10, A);
    rig_load_strided(&r, 0, 0x10, A + 96, 32, 4); /* Fig. 2(b): 96 to 223, two lines */
    rig_load_strided(&r, 0, 0x20, A, 32, 128);
    rig_load_strided(&r, 0, 0x20, A, 31, 128);
    const uint64_t *loads = rig_sm(&r, 0)->loads_by_transactions;
    for (unsigned n = 0; n <= GPC_PROFILE_CLASSES; n++) {
        cr_expect_eq(loads[n], n == 1 || n == 2 || n == 31 || n == 32);
        if (n)
            cr_expect_eq(rig_class(&r, n)->counts.loads, loads[n]);
    }
    cr_expect_eq(rig_class(&r, 2)->counts.bytes_used, 128);
    cr_expect_eq(rig_class(&r, 2)->counts.bytes_moved, 256);
    cr_expect_eq(rig_class(&r, 2)->counts.segments, 4);
    cr_expect_eq(rig_class(&r, 31)->counts.accesses, 31);
    rig_close(&r);
}

/* More than 32 transactions, from unaligned accesses of 16 bytes, are in the last class. */
Test(figures, last_class) {
    rig r;
    rig_open(&r, NULL);
    uint64_t addresses[32];
    for (unsigned i = 0; i < 32; i++)
        addresses[i] = 120 + 256 * i;
    rig_access(&r, (gpc_warp_access){.pc = 0x10, .mask = 0xffffffff, .addresses = addresses, .width = 16});
    cr_expect_eq(rig_class(&r, 32)->counts.loads, 1);
    cr_expect_eq(rig_class(&r, 32)->counts.accesses, 64);
    cr_expect_eq(rig_class(&r, 32)->counts.bytes_used, 512);
    rig_close(&r);
}

/* A load without a lookup in L1 is a bypass, has no distance, and leaves the lines alone. */
Test(figures, bypasses) {
    rig r;
    rig_open(&r, NULL);
    uint64_t address = A;
    rig_load(&r, 0, 0x10, A);
    rig_access(&r, (gpc_warp_access){.pc = 0x20, .mask = 1, .addresses = &address, .width = 4, .hint = GPC_HINT_CG});
    rig_load(&r, 0, 0x10, A);
    const gpc_profile_counts *c = &rig_sm(&r, 0)->counts;
    cr_expect_eq(c->accesses, 3);
    cr_expect_eq(c->bypasses, 1);
    cr_expect_eq(c->hits, 1);
    cr_expect_eq(c->fills, 1);
    cr_expect_eq(c->stack_distances[0], 1);
    cr_expect_eq(rig_instruction(&r, 0x20)->counts.bypasses, 1);
    rig_close(&r);
}

/* A sectored L1 moves the touched sectors; a second sector of a line is a miss, but of one residence. */
Test(figures, sectors) {
    static const char *const settings[] = {"l1.sectors=4", NULL};
    rig r;
    rig_open(&r, settings);
    rig_load(&r, 0, 0x10, A);
    rig_load(&r, 0, 0x10, A + 32);
    rig_load_strided(&r, 0, 0x10, A, 16, 4);
    const gpc_profile_counts *c = &rig_sm(&r, 0)->counts;
    cr_expect_eq(c->fills, 1);
    cr_expect_eq(c->sector_misses, 1);
    cr_expect_eq(c->hits, 1);
    cr_expect_eq(c->bytes_used, 4 + 4 + 64);
    cr_expect_eq(c->bytes_moved, 32 + 32 + 64);
    cr_expect_eq(c->segments, 4);
    rig_close(&r);
}

/* A write-evict store ends a residence, without an eviction by replacement, and takes the line from the stream. */
Test(figures, stores_that_evict) {
    rig r;
    rig_open(&r, NULL);
    uint64_t address = A;
    rig_load(&r, 0, 0x10, A);
    rig_access(&r, (gpc_warp_access){.mask = 1, .addresses = &address, .width = 4, .kind = GPC_STORE});
    rig_load(&r, 0, 0x10, A);
    const gpc_profile_counts *c = &rig_sm(&r, 0)->counts;
    cr_expect_eq(c->loads, 2);
    cr_expect_eq(c->fills, 2);
    cr_expect_eq(c->evictions, 0);
    cr_expect_eq(c->first_accesses, 2);
    rig_close(&r);
}

/* Lines brought in by a store or a prefetch belong to no load; a hit there is still a hit. */
Test(figures, lines_that_no_load_brought) {
    static const char *const settings[] = {"l1.write_policy=back", "l1.write_allocate=fetch", NULL};
    rig r;
    rig_open(&r, settings);
    uint64_t a = A, b = 0x80;
    rig_access(&r, (gpc_warp_access){.mask = 1, .addresses = &a, .width = 4, .kind = GPC_STORE});
    rig_access(&r, (gpc_warp_access){.mask = 1, .addresses = &b, .width = 4, .kind = GPC_PREFETCH});
    rig_load(&r, 0, 0x10, A);
    rig_load(&r, 0, 0x10, 0x80);
    const gpc_profile_counts *c = &rig_sm(&r, 0)->counts;
    cr_expect_eq(c->loads, 2);
    cr_expect_eq(c->hits, 2);
    cr_expect_eq(c->fills, 0);
    cr_expect_eq(c->reuses, 0);
    cr_expect_eq(c->inter_warp_hits, 2);
    cr_expect_eq(c->stack_distances[1], 2, "they have their place in the stream");
    rig_close(&r);
}

/* Instructions are distinguished by kernel name and pc; launches of one name are one kernel. */
Test(figures, kernels) {
    rig r;
    rig_open(&r, NULL);
    static const char *const names[] = {"first", "second", "first"};
    for (unsigned i = 0; i < 3; i++) {
        cr_assert_eq(gpc_profile_begin_kernel(r.profile, names[i], NULL, NULL), GPC_OK);
        rig_load(&r, 0, 0x20, A);
        rig_load(&r, 0, 0x10, A);
    }
    const gpc_profile_instruction *rows;
    size_t count;
    cr_assert_eq(gpc_profile_instructions(r.profile, &rows, &count, NULL), GPC_OK);
    cr_assert_eq(count, 4);
    for (unsigned i = 0; i < 4; i++) {
        cr_expect_str_eq(rows[i].kernel, names[i / 2]);
        cr_expect_eq(rows[i].kernel_index, i / 2);
        cr_expect_eq(rows[i].pc, i % 2 ? 0x20 : 0x10);
        cr_expect_eq(rows[i].counts.loads, i < 2 ? 2 : 1);
    }
    cr_expect_eq(rig_summary(&r).launches, 3);
    cr_expect_eq(rig_summary(&r).kernels, 2);
    cr_expect_eq(rig_sm(&r, 0)->counts.first_accesses, 3, "L1 is empty at each launch");
    rig_close(&r);
}

/* A kernel begins, and the tables have the counts of the kernel before. */
Test(figures, kernel_before) {
    rig r;
    rig_open(&r, NULL);
    cr_assert_eq(gpc_profile_begin_kernel(r.profile, "first", NULL, NULL), GPC_OK);
    cr_expect_eq(rig_sm(&r, 0)->counts.loads, 0);
    rig_load(&r, 0, 0x10, A);
    cr_assert_eq(gpc_profile_begin_kernel(r.profile, "second", NULL, NULL), GPC_OK);
    cr_expect_eq(rig_sm(&r, 0)->counts.loads, 1);
    rig_close(&r);
}

/* Without a flush between kernels the stream goes on. */
Test(figures, kernels_without_a_flush) {
    static const char *const settings[] = {"kernels.flush=none", NULL};
    rig r;
    rig_open(&r, settings);
    for (unsigned i = 0; i < 3; i++) {
        cr_assert_eq(gpc_profile_begin_kernel(r.profile, NULL, NULL, NULL), GPC_OK);
        rig_load(&r, 0, 0x10, A);
    }
    cr_expect_eq(rig_sm(&r, 0)->counts.first_accesses, 1);
    cr_expect_eq(rig_sm(&r, 0)->counts.hits, 2);
    cr_expect_str_eq(rig_instruction(&r, 0x10)->kernel, "");
    rig_close(&r);
}

/* After a reset no counts are left, but lines in L1 are: a hit without a residence. */
Test(figures, reset) {
    rig r;
    rig_open(&r, NULL);
    feed(&r);
    cr_assert_eq(gpc_profile_reset(r.profile, NULL), GPC_OK);
    cr_expect_eq(rig_summary(&r).counts.accesses, 0);
    cr_expect_eq(rig_summary(&r).lines, 0);
    cr_expect_eq(rig_summary(&r).instructions, 0);
    rig_load(&r, 0, 0x10, B);
    const gpc_profile_sm *sm = rig_sm(&r, 0);
    cr_expect_eq(sm->counts.hits, 1);
    cr_expect_eq(sm->counts.reuses, 0);
    cr_expect_eq(sm->counts.stack_distances[0], 1);
    cr_expect_eq(sm->lines, 1);
    cr_expect_eq(sm->lines_by_reuse[1], 1);
    gpc_profile_point point = {.bytes = 128};
    cr_assert_eq(gpc_profile_curve(r.profile, 0, &point, 1, NULL), GPC_OK);
    cr_expect_eq(point.accesses, 1);
    cr_expect_eq(point.hits, 1);
    rig_close(&r);
}
