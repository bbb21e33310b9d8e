/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "replay/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>

/*
 * Voting policies, over whole kernels. As in GESUMMV (seeds/004 section 5.4.2), there are fewer thread blocks than SMs,
 * and SM 0 has none: a vote always testing on SM 0 (sm=0) keeps the default. L1 is a set of four ways. Blocks cycle
 * through five lines (LRU never keeps a line until reuse, MRU keeps three of four), or return to four lines after four
 * dead lines, kept by MRU instead.
 */

#define SMS 6u
#define LOADS 1200u

static char lines[LOADS * 64 + 64];

/* Loads of one warp, each waiting for the previous: line number of the n-th by `line`. */
static const char *make_lines(unsigned (*line)(unsigned n)) {
    size_t length = 0;
    for (unsigned n = 0; n < LOADS; n++) {
        char pc[16], address[32];
        snprintf(pc, sizeof pc, "%04x", n % 16 * 16);
        snprintf(address, sizeof address, "0x%x", 0x10000 + line(n) * 128);
        length += (size_t)snprintf(lines + length, sizeof lines - length, "%s ffffffff 1 R1 LDG.E 1 R1 4 1 %s 4\n", pc,
                                   address);
    }
    snprintf(lines + length, sizeof lines - length, EXIT("0100"));
    return lines;
}

static unsigned five(unsigned n) {
    return n % 5;
}

static unsigned four_after_four_dead(unsigned n) {
    return n < 4 ? 100 + n : n % 4;
}

static rig *open_voting(const char *mode, const char *period) {
    rig *r = rig_open();
    static const char *const settings[][2] = {
        {"sm.count", "6"},         {"l1.size", "512B"},         {"l1.ways", "4"},     {"l1.sectors", "1"},
        {"l1.fetch_sectors", "1"}, {"blocks.placement", "map"}, {"l1.carveouts", ""}, {"l1.unified", "false"}};
    for (size_t n = 0; n < sizeof settings / sizeof *settings; n++)
        set(r, settings[n][0], settings[n][1]);
    set(r, "mode", mode);
    set(r, "sample.period", period);
    return r;
}

static void put_blocks(rig *r, unsigned (*line)(unsigned n), const char *map, unsigned blocks) {
    put_kernel(r, "k.traceg", blocks, 1, "", make_lines(line));
    write_text(r, "k.sm", map);
}

static measured_stats run_with(rig *r, const char *policy) {
    measured_stats stats;
    measured_clear(&stats);
    set(r, "l1.replacement", policy);
    cr_assert_eq(run_file(r, "k.traceg", &stats), GPC_OK, "%s", r->error.message);
    return stats;
}

static double hit_rate(const measured_stats *s) {
    return (double)s->l1_load_sector_hits / (double)s->l1_load_sectors;
}

/* In any order, the vote is close to the better of two policies, relative to the difference. */
static void check(const char *mode, const char *period, unsigned (*line)(unsigned n), const char *map,
                  unsigned blocks) {
    rig *r = open_voting(mode, period);
    put_blocks(r, line, map, blocks);
    measured_stats lru = run_with(r, "lru"), mru = run_with(r, "mru");
    bool lru_wins = hit_rate(&lru) > hit_rate(&mru);
    double best = hit_rate(lru_wins ? &lru : &mru), worst = hit_rate(lru_wins ? &mru : &lru);
    cr_assert_gt(best - worst, 0.4, "%s: there is something to win", mode);
    static const char *const votes[] = {"vote(lru, mru)", "vote(mru, lru)"};
    for (unsigned n = 0; n < 2; n++) {
        measured_stats vote = run_with(r, votes[n]);
        cr_expect_gt(hit_rate(&vote), worst + 0.8 * (best - worst), "%s, %s: %g between %g and %g", votes[n], mode,
                     hit_rate(&vote), worst, best);
        if (lru.cycles != GPC_ABSENT) {
            cr_expect_lt(vote.cycles, (lru_wins ? mru : lru).cycles * 0.9);
        }
    }
    rig_close(r);
}

#define THREE_OF_SIX "2\n4\n5\n"

Test(votes, timed_with_sm_0_idle) {
    check("timed", "1000", five, THREE_OF_SIX, 3);
    check("timed", "1000", four_after_four_dead, THREE_OF_SIX, 3);
}

Test(votes, functional_with_sm_0_idle) {
    check("functional", "30", five, THREE_OF_SIX, 3);
    check("functional", "30", four_after_four_dead, THREE_OF_SIX, 3);
}

/* The better candidate has SM 0, without a block: all cycles are the default's. On SM 2 the candidate wins. */
Test(votes, fixed_testers) {
    rig *r = open_voting("timed", "1000");
    put_blocks(r, five, THREE_OF_SIX, 3);
    measured_stats lru = run_with(r, "lru"), idle = run_with(r, "vote(lru, mru, sm=0, testers=1)");
    measured_stats busy = run_with(r, "vote(lru, mru, sm=8, testers=1)"),
                   next = run_with(r, "vote(lru, lru, mru, sm=1, testers=1)");
    cr_expect_eq(idle.cycles, lru.cycles);
    cr_expect_eq(idle.l1_load_sector_hits, lru.l1_load_sector_hits);
    cr_expect_lt(busy.cycles, lru.cycles * 0.9);
    cr_expect_lt(next.cycles, lru.cycles * 0.9);
    rig_close(r);
}

Test(votes, one_active_sm) {
    check("timed", "1000", five, "3\n", 1);
    check("functional", "30", five, "3\n", 1);
}

static unsigned five_twice(unsigned n) {
    return n / 2 % 5;
}

/* LRU hits every line's second load. A candidate without enough gain runs for a period on one SM. */
Test(votes, every_sm_but_the_tested_one_keeps_the_default) {
    rig *r = open_voting("functional", "30");
    put_blocks(r, five_twice, "1\n3\n5\n", 3);
    measured_stats lru = run_with(r, "lru"), never = run_with(r, "vote(lru, mru, margin=100, testers=1, periods=1)");
    cr_expect_eq(lru.l1_load_sector_hits, 4 * 3 * LOADS / 2, "four segments of each line");
    cr_expect_gt(never.l1_load_sector_hits, lru.l1_load_sector_hits);
    cr_expect_leq(never.l1_load_sector_hits, lru.l1_load_sector_hits + 4 * (15 + 4),
                  "half of a period, and then what mru left");
    rig_close(r);
}

/* Three policies, with two of them tied first: every run votes equally. */
Test(votes, deterministic) {
    rig *r = open_voting("timed", "700");
    put_blocks(r, five, "1\n2\n3\n4\n5\n", 5);
    measured_stats one = run_with(r, "vote(lru, bip(random=1), mru, random)");
    measured_stats two = run_with(r, "vote(lru, bip(random=1), mru, random)");
    expect_same_stats(&one, &two);
    rig_close(r);
}

/* Voting predictors: bypassing everything never hits, and an oracle beside the vote sees the vote's decisions. */
Test(votes, predictors) {
    rig *r = open_voting("functional", "30");
    put_blocks(r, four_after_four_dead, THREE_OF_SIX, 3);
    set(r, "l1.bypass", "always-cache");
    measured_stats cache = run_with(r, "lru");
    static const char *const votes[] = {"vote(always-cache, always-bypass)", "vote(always-bypass, always-cache)"};
    for (unsigned n = 0; n < 2; n++) {
        set(r, "l1.bypass", votes[n]);
        measured_stats vote = run_with(r, "lru");
        cr_expect_gt(hit_rate(&vote), 0.8 * hit_rate(&cache), "%s: %g", votes[n], hit_rate(&vote));
        cr_expect_eq(vote.l1_bypasses > 0, n == 1, "%s: lines that are resident are not bypassed", votes[n]);
    }
    rig_close(r);
}
