/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/rig.h"

#include <criterion/criterion.h>

/* Turns on an SM: warps in turn or one by one, and barriers. */

#define THREE LOAD("0000", "0x1000") LOAD("0010", "0x2000") LOAD("0020", "0x3000") EXIT("0030")

/* A block with these warps, each as long as the lines. */
static void run_warps(rig *r, unsigned warps, const char *const *lines) {
    begin_kernel(r, "k.traceg", 1, warps * 32, "");
    begin_block(r, 0);
    for (unsigned w = 0; w < warps; w++)
        if (lines[w])
            put_warp(r, w, lines[w]);
    end_block(r);
    end_kernel(r);
    cr_assert_eq(run_file(r, "k.traceg", NULL), GPC_OK, "%s", r->error.message);
    cr_assert_eq(how_many(r, SEEN_EXIT), warps);
}

/* Two blocks of two warps of three loads each: one load a turn. */
Test(turns, warps_take_turns) {
    rig *r = rig_open();
    put_kernel(r, "k.traceg", 2, 2, "", THREE);
    cr_assert_eq(run_file(r, "k.traceg", NULL), GPC_OK, "%s", r->error.message);
    cr_assert_eq(how_many(r, SEEN_ACCESS), 12);
    for (unsigned n = 0; n < 12; n++) {
        const seen *s = nth(r, SEEN_ACCESS, n);
        cr_assert(s->warp == n % 4 && s->block == n % 4 / 2 && s->pc == n / 4 * 0x10, "%u: block %u, warp %u", n,
                  s->block, s->warp);
    }
    rig_close(r);
}

Test(turns, each_warp_to_its_end) {
    rig *r = rig_open();
    set(r, "warps.order", "block");
    put_kernel(r, "k.traceg", 2, 2, "", THREE);
    cr_assert_eq(run_file(r, "k.traceg", NULL), GPC_OK, "%s", r->error.message);
    cr_assert_eq(how_many(r, SEEN_ACCESS), 12);
    for (unsigned n = 0; n < 12; n++) {
        const seen *s = nth(r, SEEN_ACCESS, n);
        cr_assert(s->warp == n / 3 && s->block == n / 6 && s->pc == n % 3 * 0x10, "%u: block %u, warp %u", n, s->block,
                  s->warp);
    }
    rig_close(r);
}

/* Warps of one load: no warp may be skipped if a turn ends with the warp. */
Test(turns, warps_of_unlike_length) {
    rig *r = rig_open();
    run_warps(r, 3, (const char *const[]){THREE, LOAD("0000", "0x1000") EXIT("0010"), THREE});
    static const unsigned warps[] = {0, 1, 2, 0};
    for (unsigned n = 0; n < 4; n++)
        cr_assert_eq(nth(r, SEEN_ACCESS, n)->warp, warps[n], "%u", n);
    cr_assert_eq(how_many(r, SEEN_ACCESS), 7);
    rig_close(r);
}

/* Instructions before the barrier in any warp come before instructions behind, in either order of warps. */
Test(turns, barrier) {
    for (int block = 0; block < 2; block++) {
        rig *r = rig_open();
        set(r, "warps.order", block ? "block" : "round-robin");
        run_warps(r, 3,
                  (const char *const[]){
                      BARRIER("0100") LOAD("0200", "0x1000") BARRIER("0210") LOAD("0300", "0x1000") EXIT("0310"),
                      LOAD("0000", "0x1000") LOAD("0010", "0x2000") LOAD("0020", "0x3000") BARRIER("0100")
                          BARRIER("0210") EXIT("0310"),
                      LOAD("0000", "0x1000") BARRIER("0100") LOAD("0200", "0x2000") LOAD("0208", "0x3000")
                          BARRIER("0210") LOAD("0300", "0x4000") EXIT("0310"),
                  });
        uint64_t part = 0;
        for (unsigned n = 0; n < 9; n++) {
            uint64_t now = nth(r, SEEN_ACCESS, n)->pc & ~0xffull;
            cr_assert_geq(now, part, "access %u", n);
            part = now;
        }
        cr_assert_eq(how_many(r, SEEN_ACCESS), 9);
        cr_assert_eq(how_many(r, SEEN_BARRIER), 6);
        rig_close(r);
    }
}

/* An ended warp, or a warp missing in the trace, holds up no other; nor does a warp whose end others wait for. */
Test(turns, barrier_of_the_living) {
    static const char waits[] = LOAD("0000", "0x1000") BARRIER("0100") LOAD("0200", "0x1000") EXIT("0210");
    rig *r = rig_open();
    run_warps(r, 3, (const char *const[]){waits, EXIT("0000"), waits});
    cr_assert_lt(place_of(r, 0, 2, 0), place_of(r, 0, 0, 0x200));
    run_warps(r, 3, (const char *const[]){waits, NULL, waits});
    cr_assert_lt(place_of(r, 0, 2, 0), place_of(r, 0, 0, 0x200));
    run_warps(r, 2, (const char *const[]){waits, THREE});
    cr_assert_lt(place_of(r, 0, 1, 0x20), place_of(r, 0, 0, 0x200));
    run_warps(r, 1, (const char *const[]){waits});
    rig_close(r);
}

/* Without an EXIT in the trace. */
Test(turns, barrier_at_the_end) {
    rig *r = rig_open();
    run_warps(r, 2,
              (const char *const[]){LOAD("0000", "0x1000") BARRIER("0100"),
                                    LOAD("0000", "0x1000") BARRIER("0100") LOAD("0200", "0x1000")});
    cr_assert_eq(how_many(r, SEEN_ACCESS), 3);
    run_warps(r, 2, (const char *const[]){BARRIER("0100"), BARRIER("0100")});
    cr_assert_eq(how_many(r, SEEN_BARRIER), 2);
    rig_close(r);
}

/* A barrier executed by no lane has no effect: warp 0 continues while warp 1 is still before a barrier. */
Test(turns, barrier_predicated_off) {
    rig *r = rig_open();
    run_warps(r, 2,
              (const char *const[]){
                  "0100 00000000 0 BAR.SYNC 0 0\n" LOAD("0200", "0x1000") EXIT("0210"),
                  LOAD("0000", "0x1000") LOAD("0010", "0x2000") LOAD("0020", "0x3000") BARRIER("0100") EXIT("0210"),
              });
    cr_assert_lt(place_of(r, 0, 0, 0x200), place_of(r, 0, 1, 0x20));
    cr_assert_eq(how_many(r, SEEN_BARRIER), 1);
    rig_close(r);
}

/* A barrier belongs to a block: two blocks on an SM do not wait for each other. */
Test(turns, barriers_of_two_blocks) {
    rig *r = rig_open();
    begin_kernel(r, "k.traceg", 2, 64, "");
    for (unsigned b = 0; b < 2; b++) {
        begin_block(r, b);
        put_warp(r, 0, LOAD("0000", "0x1000") BARRIER("0100") LOAD("0200", "0x1000") EXIT("0210"));
        put_warp(r, 1,
                 b ? LOAD("0000", "0x1000") LOAD("0010", "0x1000") LOAD("0020", "0x1000") LOAD("0030", "0x1000")
                         LOAD("0040", "0x1000") LOAD("0050", "0x1000") BARRIER("0100") EXIT("0210")
                   : BARRIER("0100") EXIT("0110"));
        end_block(r);
    }
    end_kernel(r);
    cr_assert_eq(run_file(r, "k.traceg", NULL), GPC_OK, "%s", r->error.message);
    cr_assert_lt(place_of(r, 0, 0, 0x200), place_of(r, 1, 3, 0x50));
    cr_assert_lt(place_of(r, 1, 3, 0x50), place_of(r, 1, 2, 0x200));
    rig_close(r);
}

/*
 * In block order a barrier holds up only warps of the same block: they continue, the first of them first, and the next
 * block has a turn after all have ended.
 */
Test(turns, barrier_in_block_order) {
    rig *r = rig_open();
    set(r, "warps.order", "block");
    put_kernel(r, "k.traceg", 2, 2, "",
               LOAD("0000", "0x1000") BARRIER("0100") LOAD("0200", "0x1000") LOAD("0210", "0x1000") EXIT("0220"));
    cr_assert_eq(run_file(r, "k.traceg", NULL), GPC_OK, "%s", r->error.message);
    static const struct {
        uint32_t warp;
        uint64_t pc;
    } expected[] = {{0, 0}, {1, 0}, {0, 0x200}, {0, 0x210}, {1, 0x200}, {1, 0x210}};
    for (unsigned n = 0; n < 12; n++) {
        const seen *s = nth(r, SEEN_ACCESS, n);
        cr_assert(s->block == n / 6 && s->warp == expected[n % 6].warp + n / 6 * 2 && s->pc == expected[n % 6].pc,
                  "access %u: block %u, warp %u, pc 0x%llx", n, s->block, s->warp, (unsigned long long)s->pc);
    }
    rig_close(r);
}
