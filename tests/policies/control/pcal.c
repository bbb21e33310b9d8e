/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/control/pcal_control.h"

#include <criterion/criterion.h>
#include <string.h>

/* Dynamic PCAL's state machine, transition by transition, with artificial samples. */

#define SMS 6u
#define PERIOD 1000u

typedef struct rig {
    gpci_pcal pcal;
    gpci_pcal_sample last[SMS];
    gpci_vote_sm votes[SMS];
    /* samples of the following periods, per SM */
    uint64_t misses, stalls, noc, throttled, l2_hits;
} rig;

static const gpci_pcal_options plain = {.sms = 4,
                                        .warps = 5,
                                        .init_periods = 1,
                                        .climb_periods = 1,
                                        .test_periods = 1,
                                        .step = 2,
                                        .noc_latency = 20,
                                        .stall_ratio = 0.2,
                                        .rise = 1.1,
                                        .fall = 0.97,
                                        .miss_floor = 0.05,
                                        .phase_periods = 2,
                                        .phase_threshold = 0.2,
                                        .testers = 1,
                                        .attempts = 2,
                                        .activity = 0.5};

static void start(rig *r, const gpci_pcal_options *options) {
    memset(r, 0, sizeof *r);
    gpci_pcal_init(&r->pcal, options, r->last, r->votes);
    r->misses = 50;
    r->stalls = 100;
    r->noc = 15;
    r->throttled = 10;
    r->l2_hits = 50;
}

/* A period: SM i issued work[i] instructions per 1000 cycles; a negative work[i] means an idle SM. */
static void period(rig *r, const int *work) {
    for (uint32_t sm = 0; sm < r->pcal.options.sms; sm++) {
        bool idle = work[sm] < 0;
        gpci_pcal_sample s = {.cycles = PERIOD,
                              .active_cycles = idle ? 0 : PERIOD,
                              .instructions = idle ? 0 : (uint64_t)work[sm],
                              .loads = 100,
                              .load_misses = r->misses,
                              .scheduler_cycles = 2 * PERIOD,
                              .stalls = idle ? 2 * PERIOD : 2 * r->stalls,
                              .requests = 10,
                              .request_cycles = 10 * (r->noc / 2),
                              .replies = 10,
                              .reply_cycles = 10 * (r->noc - r->noc / 2),
                              .l2_reads = 100,
                              .l2_read_hits = r->l2_hits,
                              .warps = 5,
                              .throttled = (uint32_t)r->throttled};
        gpci_pcal_observe(&r->pcal, sm, &s);
    }
}

#define PERIOD_OF(r, ...) period(r, (const int[]){__VA_ARGS__})

static void all(rig *r, int work) {
    PERIOD_OF(r, work, work, work, work, work, work);
}

/* State, added warps, and tokens cut per SM, a digit an SM. */
static void expect_at(int line, const rig *r, gpci_pcal_state state, uint32_t extra, const char *cuts) {
    char found[SMS + 1] = "";
    for (uint32_t sm = 0; sm < r->pcal.options.sms; sm++)
        found[sm] = (char)('0' + gpci_pcal_cut(&r->pcal, sm));
    cr_expect_eq(r->pcal.state, (uint32_t)state, "line %d: state %u instead of %d", line, r->pcal.state, (int)state);
    cr_expect_eq(r->pcal.extra, extra, "line %d: extra %u instead of %u", line, r->pcal.extra, extra);
    cr_expect_str_eq(found, cuts, "line %d: cuts %s instead of %s", line, found, cuts);
}

#define EXPECT(r, ...) expect_at(__LINE__, r, __VA_ARGS__)

/* The default lasts until INIT's period is over; with `init_periods`, until the last of the periods is over. */
Test(pcal_machine, init_lasts) {
    rig r;
    gpci_pcal_options three = plain;
    three.init_periods = 3;
    start(&r, &three);
    EXPECT(&r, GPCI_PCAL_INIT, 0, "0000");
    all(&r, 100);
    all(&r, 100);
    EXPECT(&r, GPCI_PCAL_INIT, 0, "0000");
    all(&r, 100);
    EXPECT(&r, GPCI_PCAL_CLIMB, 1, "0000");
}

static gpci_pcal_state after_init(uint64_t noc, uint64_t stalls, uint64_t throttled) {
    rig r;
    start(&r, &plain);
    r.noc = noc;
    r.stalls = stalls;
    r.throttled = throttled;
    all(&r, 100);
    return (gpci_pcal_state)r.pcal.state;
}

/* The three conditions; "not higher than a threshold" includes the threshold. */
Test(pcal_machine, feasible) {
    cr_expect_eq(after_init(20, 200, 1), GPCI_PCAL_CLIMB);
    cr_expect_eq(after_init(21, 200, 1), GPCI_PCAL_VOTE, "NoC latency");
    cr_expect_eq(after_init(20, 201, 1), GPCI_PCAL_VOTE, "memory-pipeline stalls");
    cr_expect_eq(after_init(20, 200, 0), GPCI_PCAL_VOTE, "no warp is throttled");
}

/* The worked example of the header. */
Test(pcal_machine, climbs_while_it_pays_and_takes_the_last_step_back) {
    rig r;
    start(&r, &plain);
    all(&r, 100);
    EXPECT(&r, GPCI_PCAL_CLIMB, 1, "0000");
    all(&r, 120);
    EXPECT(&r, GPCI_PCAL_CLIMB, 2, "0000");
    all(&r, 110); /* 110 < 0.97 x 120 = 116.4 */
    EXPECT(&r, GPCI_PCAL_STABLE, 1, "0000");
    cr_expect_eq(r.pcal.climbs, 1);
    cr_expect_eq(r.pcal.votes, 0);
}

/* From 1000: 1101 is more than 110 %, 1099 and 971 are no significant change, 969 is less than 97 %. */
Test(pcal_machine, the_bounds_of_a_step) {
    static const struct {
        int work;
        gpci_pcal_state state;
        uint32_t extra;
    } steps[] = {{1101, GPCI_PCAL_CLIMB, 2},
                 {1099, GPCI_PCAL_STABLE, 1},
                 {971, GPCI_PCAL_STABLE, 1},
                 {969, GPCI_PCAL_STABLE, 0}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        rig r;
        start(&r, &plain);
        all(&r, 1000);
        all(&r, steps[i].work);
        EXPECT(&r, steps[i].state, steps[i].extra, "0000");
    }
}

/* Three times the throughput is not more than three times, half of the throughput is not less than half. */
Test(pcal_machine, steps_at_the_bounds) {
    gpci_pcal_options o = plain;
    o.rise = 3;
    o.fall = 0.5;
    static const struct {
        int work[4];
        gpci_pcal_state state;
        uint32_t extra;
    } steps[] = {{{3000, 3000, 3000, 3000}, GPCI_PCAL_STABLE, 1},
                 {{3001, 3000, 3000, 3000}, GPCI_PCAL_CLIMB, 2},
                 {{500, 500, 500, 500}, GPCI_PCAL_STABLE, 1},
                 {{499, 500, 500, 500}, GPCI_PCAL_STABLE, 0}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        rig r;
        start(&r, &o);
        all(&r, 1000);
        period(&r, steps[i].work);
        EXPECT(&r, steps[i].state, steps[i].extra, "0000");
    }
}

/* Every step is compared with the previous step, not with the first. Without warps to add, the climb ends. */
Test(pcal_machine, climbs_as_far_as_there_are_warps) {
    rig r;
    start(&r, &plain);
    int work = 1000;
    all(&r, work);
    for (uint32_t extra = 1; extra < 8; extra++) {
        EXPECT(&r, GPCI_PCAL_CLIMB, extra, "0000");
        all(&r, work += work / 5);
    }
    r.throttled = 0;
    all(&r, work + work / 5);
    EXPECT(&r, GPCI_PCAL_STABLE, 8, "0000");
}

/* Throughput is the mean over active SMs: an SM becoming idle is no fall. */
Test(pcal_machine, idle_sms_do_not_climb_or_fall) {
    rig r;
    start(&r, &plain);
    PERIOD_OF(&r, 100, 100, 100, 100);
    PERIOD_OF(&r, 120, -1, 120, 120);
    EXPECT(&r, GPCI_PCAL_CLIMB, 2, "0000");
    PERIOD_OF(&r, -1, -1, -1, -1); /* no data to learn from */
    EXPECT(&r, GPCI_PCAL_CLIMB, 2, "0000");
    PERIOD_OF(&r, -1, 120, -1, -1);
    EXPECT(&r, GPCI_PCAL_STABLE, 2, "0000");
}

/* Five tokens, 3 or 1: candidates cut 0, 2 and 4. */
Test(pcal_machine, votes_in_parallel) {
    rig r;
    start(&r, &plain);
    r.stalls = 500;
    all(&r, 100);
    EXPECT(&r, GPCI_PCAL_VOTE, 0, "2400");
    PERIOD_OF(&r, 110, 130, 100, 100);
    EXPECT(&r, GPCI_PCAL_STABLE, 0, "4444");
    cr_expect_eq(r.pcal.votes, 1);
}

Test(pcal_machine, warp_opt_wins_where_fewer_tokens_are_slower) {
    rig r;
    start(&r, &plain);
    r.stalls = 500;
    all(&r, 100);
    PERIOD_OF(&r, 90, 99, 100, 100);
    EXPECT(&r, GPCI_PCAL_STABLE, 0, "0000");
}

/* SM 0 has no block: neither its default nor its candidate counts, and SM 0 gets no candidate. */
Test(pcal_machine, an_idle_sm_does_not_decide_a_vote) {
    rig r;
    start(&r, &plain);
    r.stalls = 500;
    PERIOD_OF(&r, -1, 100, 100, 100);
    EXPECT(&r, GPCI_PCAL_VOTE, 0, "0240");
    PERIOD_OF(&r, -1, 120, 90, 100);
    EXPECT(&r, GPCI_PCAL_STABLE, 0, "2222");
}

/* SM 1, testing cut 4, becomes idle: no throughput of zero for the cut, but another test, on SM 2. */
Test(pcal_machine, a_candidate_whose_sm_went_idle_is_tested_again) {
    rig r;
    start(&r, &plain);
    r.stalls = 500;
    all(&r, 100);
    EXPECT(&r, GPCI_PCAL_VOTE, 0, "2400");
    PERIOD_OF(&r, 105, -1, 100, 100);
    EXPECT(&r, GPCI_PCAL_VOTE, 0, "0040");
    PERIOD_OF(&r, 100, -1, 140, 100);
    EXPECT(&r, GPCI_PCAL_STABLE, 0, "4444");
}

/* Idle SMs do not count for stalls either, even with a stall in every cycle. */
Test(pcal_machine, an_idle_sm_does_not_choose_the_strategy) {
    rig r;
    start(&r, &plain);
    PERIOD_OF(&r, 100, -1, -1, -1);
    EXPECT(&r, GPCI_PCAL_CLIMB, 1, "0000");
    start(&r, &plain);
    PERIOD_OF(&r, -1, -1, -1, -1);
    EXPECT(&r, GPCI_PCAL_INIT, 0, "0000");
}

/* A single warp keeps the token: with a warp-opt of 1 no vote takes place. */
Test(pcal_machine, a_single_token_stays) {
    rig r;
    gpci_pcal_options one = plain;
    one.warps = 1;
    start(&r, &one);
    r.stalls = 500;
    all(&r, 100);
    EXPECT(&r, GPCI_PCAL_STABLE, 0, "0000");
    one.warps = 2; /* one of two warps with tokens may lose its token */
    start(&r, &one);
    r.stalls = 500;
    all(&r, 100);
    EXPECT(&r, GPCI_PCAL_VOTE, 0, "1000");
}

/* An even warp-opt: 4 tokens, 2, and 1 as the last. Without a warp-opt, the scheduler's number of warps: 5. */
Test(pcal_machine, every_other_number_of_tokens) {
    rig r;
    gpci_pcal_options o = plain;
    o.warps = 4;
    start(&r, &o);
    r.stalls = 500;
    all(&r, 100);
    EXPECT(&r, GPCI_PCAL_VOTE, 0, "2300");
    o.warps = 0;
    start(&r, &o);
    r.stalls = 500;
    all(&r, 100);
    EXPECT(&r, GPCI_PCAL_VOTE, 0, "2400");
    o.warps = 1024; /* more than fit: every 17th */
    start(&r, &o);
    r.stalls = 500;
    all(&r, 100);
    cr_expect_eq(r.pcal.vote.options.candidates, 1 + (1023 + 16) / 17);
    cr_expect_eq(gpci_pcal_cut(&r.pcal, 0), 17);
}

static void make_stable(rig *r) {
    start(r, &plain);
    all(r, 100);
    all(r, 100);
    EXPECT(r, GPCI_PCAL_STABLE, 1, "0000");
    all(r, 100); /* level of the phase */
}

/* An SM with work for less than half of a period decides nothing. A period without a deciding SM does not count. */
Test(pcal_machine, how_long_an_active_sm_is_active) {
    rig r;
    start(&r, &plain);
    for (uint64_t active = PERIOD / 2 - 1; active <= PERIOD / 2; active++) {
        for (uint32_t sm = 0; sm < plain.sms; sm++) {
            gpci_pcal_sample s = {.cycles = PERIOD, .active_cycles = active, .instructions = 50, .throttled = 1};
            gpci_pcal_observe(&r.pcal, sm, &s);
        }
        EXPECT(&r, active < PERIOD / 2 ? GPCI_PCAL_INIT : GPCI_PCAL_CLIMB, active == PERIOD / 2, "0000");
    }
}

/* A change of more than 20 % lasting two periods: the default, and a new start. */
Test(pcal_machine, a_new_phase_begins_anew) {
    rig r;
    make_stable(&r);
    all(&r, 130);
    EXPECT(&r, GPCI_PCAL_STABLE, 1, "0000");
    all(&r, 130);
    EXPECT(&r, GPCI_PCAL_INIT, 0, "0000");
    cr_expect_eq(r.pcal.phases, 1);
    r.stalls = 500;
    all(&r, 130);
    EXPECT(&r, GPCI_PCAL_VOTE, 0, "2400");
}

Test(pcal_machine, a_short_change_is_no_phase) {
    rig r;
    make_stable(&r);
    for (int i = 0; i < 5; i++) {
        all(&r, 130);
        all(&r, 100);
    }
    EXPECT(&r, GPCI_PCAL_STABLE, 1, "0000");
}

Test(pcal_machine, miss_ratios_make_phases_too) {
    rig r;
    make_stable(&r);
    r.misses = 80;
    all(&r, 100);
    all(&r, 100);
    EXPECT(&r, GPCI_PCAL_INIT, 0, "0000");
    make_stable(&r);
    r.l2_hits = 80;
    all(&r, 100);
    all(&r, 100);
    EXPECT(&r, GPCI_PCAL_INIT, 0, "0000");
}

/* Resource constrained: first a vote; once the stalls have gone, a climb with the tokens of the vote. */
Test(pcal_machine, both_strategies_from_a_vote) {
    rig r;
    gpci_pcal_options both = plain;
    both.both = true;
    start(&r, &both);
    r.stalls = 500;
    all(&r, 100);
    PERIOD_OF(&r, 130, 110, 100, 100);
    EXPECT(&r, GPCI_PCAL_SETTLE, 0, "2222");
    r.stalls = 100;
    all(&r, 130);
    EXPECT(&r, GPCI_PCAL_CLIMB, 1, "2222");
    all(&r, 150);
    EXPECT(&r, GPCI_PCAL_CLIMB, 2, "2222");
    all(&r, 150);
    EXPECT(&r, GPCI_PCAL_STABLE, 2, "2222");
    /* as constrained as before: the vote's result stays */
    start(&r, &both);
    r.stalls = 500;
    all(&r, 100);
    PERIOD_OF(&r, 130, 110, 100, 100);
    all(&r, 130);
    EXPECT(&r, GPCI_PCAL_STABLE, 0, "2222");
}

/* Not constrained: a climb until constrained, followed by a vote with the added warps. */
Test(pcal_machine, both_strategies_from_a_climb) {
    rig r;
    gpci_pcal_options both = plain;
    both.both = true;
    start(&r, &both);
    all(&r, 100);
    all(&r, 120);
    all(&r, 120);
    EXPECT(&r, GPCI_PCAL_SETTLE, 2, "0000");
    all(&r, 120);
    EXPECT(&r, GPCI_PCAL_VOTE, 2, "2400");
    PERIOD_OF(&r, 130, 150, 120, 120);
    EXPECT(&r, GPCI_PCAL_STABLE, 2, "4444");
    /* both again in a new phase */
    all(&r, 150);
    all(&r, 300);
    all(&r, 300);
    EXPECT(&r, GPCI_PCAL_INIT, 0, "0000");
    all(&r, 300);
    all(&r, 350);
    all(&r, 350);
    EXPECT(&r, GPCI_PCAL_SETTLE, 2, "0000");
    cr_expect_eq(r.pcal.climbs, 2);
}

/* Normally, periods after a change do not count. A step of two periods counts as the mean of both. */
Test(pcal_machine, warmup_and_longer_steps) {
    rig r;
    gpci_pcal_options slow = plain;
    slow.warmup = 1;
    slow.climb_periods = 2;
    start(&r, &slow);
    all(&r, 100);
    EXPECT(&r, GPCI_PCAL_CLIMB, 1, "0000");
    all(&r, 10); /* warming up */
    all(&r, 90);
    EXPECT(&r, GPCI_PCAL_CLIMB, 1, "0000");
    all(&r, 140); /* 115 in the mean */
    EXPECT(&r, GPCI_PCAL_CLIMB, 2, "0000");
    all(&r, 10);
    all(&r, 115);
    all(&r, 115);
    EXPECT(&r, GPCI_PCAL_STABLE, 2, "0000");
}

/* Three of five warps run and share L2. With warp-opt 1, no warp votes about L1. */
static void start_l2_by(rig *r, bool exclusive, uint32_t step) {
    gpci_pcal_options o = plain;
    o.l2 = true;
    o.exclusive = exclusive;
    o.warps = 1;
    o.step = step;
    start(r, &o);
    r->stalls = 500;
    r->throttled = 0;
    all(r, 100); /* no vote */
    EXPECT(r, GPCI_PCAL_SETTLE, 0, "0000");
    cr_expect_eq(r->pcal.l2, GPCI_TOKENS_ALL);
    all(r, 100);
    cr_expect_eq(r->pcal.state, GPCI_PCAL_CLIMB_L2);
}

static void start_l2(rig *r, bool exclusive) {
    start_l2_by(r, exclusive, 1);
}

static void expect_l2(int line, const rig *r, gpci_pcal_state state, uint32_t l2) {
    cr_expect_eq(r->pcal.state, (uint32_t)state, "line %d: state %u", line, r->pcal.state);
    cr_expect_eq(r->pcal.l2, l2, "line %d: %u tokens, not %u", line, r->pcal.l2, l2);
}

#define EXPECT_L2(r, ...) expect_l2(__LINE__, r, __VA_ARGS__)

Test(pcal_machine, fewer_tokens_for_l2_while_it_pays) {
    rig r;
    start_l2(&r, false);
    EXPECT_L2(&r, GPCI_PCAL_CLIMB_L2, 4);
    all(&r, 111);
    EXPECT_L2(&r, GPCI_PCAL_CLIMB_L2, 3);
    all(&r, 107); /* below 0.97 x 111 */
    EXPECT_L2(&r, GPCI_PCAL_STABLE, 4);
    start_l2(&r, false);
    all(&r, 105); /* no significant change */
    EXPECT_L2(&r, GPCI_PCAL_STABLE, 4);
    start_l2(&r, false);
    all(&r, 96); /* the first step back: every warp has its token again */
    EXPECT_L2(&r, GPCI_PCAL_STABLE, GPCI_TOKENS_ALL);
    start_l2(&r, false);
    for (int work = 120, tokens = 3; tokens > 0; tokens--, work += work / 5) {
        all(&r, work);
        EXPECT_L2(&r, GPCI_PCAL_CLIMB_L2, (uint32_t)tokens);
    }
    all(&r, 1000);
    EXPECT_L2(&r, GPCI_PCAL_STABLE, 1);
}

/* A step as large as the rest, or larger, leaves a token. */
Test(pcal_machine, the_last_token_for_l2) {
    rig r;
    for (uint32_t step = 3; step <= 5; step++) {
        start_l2_by(&r, false, step);
        EXPECT_L2(&r, GPCI_PCAL_CLIMB_L2, step < 5 ? 5 - step : 1);
        all(&r, 120);
        EXPECT_L2(&r, step == 3 ? GPCI_PCAL_CLIMB_L2 : GPCI_PCAL_STABLE, 1);
    }
}

/* The warp with a token for L1 first loses its token for L2. */
Test(pcal_machine, tokens_for_l2_that_exclude_l1s) {
    rig r;
    start_l2(&r, true);
    EXPECT_L2(&r, GPCI_PCAL_CLIMB_L2, 4);
    all(&r, 120);
    EXPECT_L2(&r, GPCI_PCAL_CLIMB_L2, 3);
}

/* A phase begins with every token for L2. */
Test(pcal_machine, a_new_phase_gives_tokens_for_l2_back) {
    rig r;
    start_l2(&r, false);
    all(&r, 105);
    all(&r, 105);
    all(&r, 200);
    EXPECT_L2(&r, GPCI_PCAL_STABLE, 4);
    all(&r, 200);
    EXPECT_L2(&r, GPCI_PCAL_INIT, GPCI_TOKENS_ALL);
}

Test(pcal_machine, begins_with_a_choice) {
    rig r;
    gpci_pcal_choice found, choice = {.warp_opt = 4, .cut = 2, .extra = 3, .l2 = 7};
    start(&r, &plain);
    cr_expect_not(gpci_pcal_settled(&r.pcal, &found));
    gpci_pcal_begin(&r.pcal, &choice);
    EXPECT(&r, GPCI_PCAL_STABLE, 3, "2222");
    cr_expect(gpci_pcal_settled(&r.pcal, &found));
    cr_expect_eq(memcmp(&found, &choice, sizeof found), 0);
    all(&r, 100);
    all(&r, 200);
    all(&r, 200);
    EXPECT(&r, GPCI_PCAL_INIT, 0, "0000"); /* a phase of the kernel remains a single phase */
    gpci_pcal_begin(&r.pcal, NULL);
    EXPECT(&r, GPCI_PCAL_INIT, 0, "0000");
}
