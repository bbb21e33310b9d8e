/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "replay/rig.h"

#include <criterion/criterion.h>
#include <string.h>

/* SM and time of thread blocks. */

#define SHORT LOAD("0000", "0x1000") EXIT("0010")
/* clang-format off */
#define LONG                                                                                                           \
    LOAD("0000", "0x1000")                                                                                             \
    LOAD("0010", "0x2000")                                                                                             \
    LOAD("0020", "0x3000")                                                                                             \
    LOAD("0030", "0x4000")                                                                                             \
    LOAD("0040", "0x5000") LOAD("0050", "0x6000") LOAD("0060", "0x7000") LOAD("0070", "0x8000") LOAD("0080", "0x9000") \
        LOAD("0090", "0xa000") LOAD("00a0", "0xb000") LOAD("00b0", "0xc000") EXIT("00c0")
/* clang-format on */

/* Assert that the n-th block to start on an SM is the n-th of `blocks`, without further blocks. */
static void expect_blocks(const rig *r, uint32_t sm, unsigned count, const uint32_t *blocks, unsigned warps) {
    unsigned n = 0;
    for (unsigned i = 0; i < r->count; i++)
        if (r->seen[i].kind == SEEN_START && r->seen[i].sm == sm) {
            cr_assert_lt(n, count * warps, "SM %u has further blocks, as %u", sm, r->seen[i].block);
            cr_assert_eq(r->seen[i].block, blocks[n / warps], "SM %u: block %u", sm, r->seen[i].block);
            n++;
        }
    cr_assert_eq(n, count * warps, "SM %u: %u warps", sm, n);
}

/* A block's accesses are made on the SM of the start. */
static void expect_accesses_where_started(const rig *r) {
    for (unsigned i = 0; i < r->count; i++) {
        const seen *s = &r->seen[i];
        bool found = s->kind != SEEN_ACCESS;
        for (unsigned j = 0; j < i && !found; j++)
            found = r->seen[j].kind == SEEN_START && r->seen[j].block == s->block && r->seen[j].sm == s->sm &&
                    r->seen[j].warp == s->warp;
        cr_assert(found, "block %u, warp %u on SM %u", s->block, s->warp, s->sm);
    }
}

Test(dispatch, blocks_go_to_each_sm_in_turn) {
    rig *r = rig_open();
    set(r, "sm.count", "3");
    put_kernel(r, "k.traceg", 6, 2, "", SHORT);
    cr_assert_eq(run_file(r, "k.traceg", NULL), GPC_OK, "%s", r->error.message);
    for (uint32_t sm = 0; sm < 3; sm++)
        expect_blocks(r, sm, 2, (const uint32_t[]){sm, sm + 3}, 2);
    expect_accesses_where_started(r);
    cr_assert_eq(how_many(r, SEEN_ACCESS), 12);
    cr_assert_eq(how_many(r, SEEN_EXIT), 12);
    /* 2 warps a block: an SM's first block has warps 0 and 1, the second 2 and 3 */
    for (unsigned n = 0; n < 12; n++) {
        const seen *start = nth(r, SEEN_START, n);
        cr_assert_eq(start->warp, start->block / 3 * 2 + n % 2, "block %u", start->block);
    }
    rig_close(r);
}

/* SM 0 is busy with a long block, so all other blocks go to SM 1 in turn. */
Test(dispatch, the_sm_that_has_room_gets_the_next_block) {
    rig *r = rig_open();
    set(r, "sm.count", "2");
    set(r, "sm.blocks", "1");
    begin_kernel(r, "k.traceg", 5, 32, "");
    for (unsigned b = 0; b < 5; b++) {
        begin_block(r, b);
        put_warp(r, 0, b ? SHORT : LONG);
        end_block(r);
    }
    end_kernel(r);
    cr_assert_eq(run_file(r, "k.traceg", NULL), GPC_OK, "%s", r->error.message);
    expect_blocks(r, 0, 1, (const uint32_t[]){0}, 1);
    expect_blocks(r, 1, 4, (const uint32_t[]){1, 2, 3, 4}, 1);
    expect_accesses_where_started(r);
    rig_close(r);
}

/* Room for one block: a block starts at the end of the SM's previous block, with equal warp numbers. */
static void expect_one_at_a_time(const rig *r, uint32_t sm, unsigned warps) {
    uint32_t block = UINT32_MAX;
    unsigned live = 0;
    for (unsigned i = 0; i < r->count; i++) {
        const seen *s = &r->seen[i];
        if (s->sm != sm || s->kind == SEEN_KERNEL_START || s->kind == SEEN_KERNEL_END)
            continue;
        if (s->kind == SEEN_START && !live)
            block = s->block;
        cr_assert_eq(s->block, block, "block %u on SM %u while block %u runs", s->block, sm, block);
        cr_assert_lt(s->warp, warps);
        live += s->kind == SEEN_START;
        live -= s->kind == SEEN_EXIT;
    }
    cr_assert_eq(live, 0);
}

/* Blocks of 2 warps: resources just enough for two blocks, and too few. */
Test(dispatch, limits_of_an_sm_hold) {
    static const struct {
        const char *key, *value, *header;
        unsigned fitting;
    } limits[] = {
        {"sm.blocks", "2", "", 2},
        {"sm.blocks", "1", "", 1},
        {"sm.warps", "4", "", 2},
        {"sm.warps", "3", "", 1},
        {"sm.registers", "4096", "-nregs = 32\n", 2}, /* 64 threads x 32 */
        {"sm.registers", "4096", "-nregs = 33\n", 1},
        {"sm.shared", "4KiB", "-shmem = 2048\n", 2},
        {"sm.shared", "4KiB", "-shmem = 2049\n", 1},
    };
    for (size_t n = 0; n < sizeof limits / sizeof limits[0]; n++) {
        rig *r = rig_open();
        set(r, limits[n].key, limits[n].value);
        put_kernel(r, "k.traceg", 4, 2, limits[n].header, LOAD("0000", "0x1000") LOAD("0010", "0x2000") EXIT("0020"));
        measured_stats stats;
        measured_clear(&stats);
        cr_assert_eq(run_file(r, "k.traceg", &stats), GPC_OK, "%s", r->error.message);
        cr_assert_eq(stats.resident_blocks, limits[n].fitting, "%s %s", limits[n].key, limits[n].header);
        cr_assert_eq(stats.blocks, 4);
        if (limits[n].fitting == 1)
            expect_one_at_a_time(r, 0, 2);
        else
            cr_assert_lt(place_of(r, 1, 2, 0), place_of(r, 0, 0, 0x10), "block 1 runs beside block 0");
        rig_close(r);
    }
}

Test(dispatch, map_decides) {
    rig *r = rig_open();
    set(r, "sm.count", "3");
    set(r, "sm.blocks", "1");
    put_kernel(r, "kernel-1.traceg", 5, 1, "", LONG);
    write_text(r, "kernel-1.sm", "2\n2\n0\n2\n0\n");
    for (int asked = 0; asked < 2; asked++) {
        set(r, "blocks.placement", asked ? "map" : "auto");
        cr_assert_eq(run_file(r, "kernel-1.traceg", NULL), GPC_OK, "%s", r->error.message);
        expect_blocks(r, 0, 2, (const uint32_t[]){2, 4}, 1);
        expect_blocks(r, 1, 0, NULL, 1);
        expect_blocks(r, 2, 3, (const uint32_t[]){0, 1, 3}, 1);
        expect_accesses_where_started(r);
        expect_one_at_a_time(r, 0, 1);
        expect_one_at_a_time(r, 2, 1);
        /* SM 0 does not wait for blocks that wait for SM 2 */
        cr_assert_lt(place_of(r, 2, 0, 0), place_of(r, 0, 0, 0xb0));
    }
    set(r, "blocks.placement", "round-robin");
    cr_assert_eq(run_file(r, "kernel-1.traceg", NULL), GPC_OK, "%s", r->error.message);
    expect_blocks(r, 0, 2, (const uint32_t[]){0, 3}, 1);
    expect_blocks(r, 1, 2, (const uint32_t[]){1, 4}, 1);
    expect_blocks(r, 2, 1, (const uint32_t[]){2}, 1);
    rig_close(r);
}

/* More blocks wait for an SM than are read ahead for all SMs: all blocks run, in order. */
Test(dispatch, map_of_one_sm) {
    rig *r = rig_open();
    set(r, "sm.count", "2");
    put_kernel(r, "kernel-1.traceg", 40, 1, "", SHORT);
    FILE *map = fopen(path_of(r, "kernel-1.sm"), "w");
    cr_assert_not_null(map);
    uint32_t blocks[39];
    for (uint32_t b = 0; b < 40; b++) {
        fprintf(map, "%d\n", b < 39);
        blocks[b % 39] = b % 39;
    }
    fclose(map);
    cr_assert_eq(run_file(r, "kernel-1.traceg", NULL), GPC_OK, "%s", r->error.message);
    expect_blocks(r, 0, 1, (const uint32_t[]){39}, 1);
    expect_blocks(r, 1, 39, blocks, 1);
    rig_close(r);
}

Test(dispatch, map_that_is_too_short) {
    rig *r = rig_open();
    put_kernel(r, "kernel-1.traceg", 3, 1, "", SHORT);
    write_text(r, "kernel-1.sm", "0\n0\n");
    expect_error(r, run_file(r, "kernel-1.traceg", NULL), GPC_ERROR_FORMAT, "kernel-1.traceg: the placement map has 2");
    set(r, "blocks.placement", "map");
    expect_error(r, run_file(r, "kernel-1.traceg", NULL), GPC_ERROR_FORMAT, "the grid 3");
    cr_assert_eq(how_many(r, SEEN_ACCESS), 0);
    set(r, "blocks.placement", "round-robin");
    cr_assert_eq(run_file(r, "kernel-1.traceg", NULL), GPC_OK, "%s", r->error.message);
    rig_close(r);
}

Test(dispatch, map_of_a_larger_gpu) {
    rig *r = rig_open();
    set(r, "sm.count", "2");
    put_kernel(r, "kernel-1.traceg", 3, 1, "", SHORT);
    write_text(r, "kernel-1.sm", "1\n1\n2\n");
    set(r, "blocks.placement", "map");
    expect_error(r, run_file(r, "kernel-1.traceg", NULL), GPC_ERROR_FORMAT, "block 2 on SM 2, but sm.count is 2");
    cr_assert_str_empty(r->log);
    set(r, "blocks.placement", "auto");
    cr_assert_eq(run_file(r, "kernel-1.traceg", NULL), GPC_OK, "%s", r->error.message);
    expect_blocks(r, 0, 2, (const uint32_t[]){0, 2}, 1);
    expect_blocks(r, 1, 1, (const uint32_t[]){1}, 1);
    cr_assert(r->log_level == GPC_LOG_INFO && strstr(r->log, "more than 2 SMs"), "%s", r->log);
    rig_close(r);
}

Test(dispatch, map_that_is_missing) {
    rig *r = rig_open();
    put_kernel(r, "kernel-1.traceg", 3, 1, "", SHORT);
    set(r, "blocks.placement", "map");
    expect_error(r, run_file(r, "kernel-1.traceg", NULL), GPC_ERROR_NOT_FOUND, "kernel-1.traceg: blocks.placement");
    rig_close(r);
}
