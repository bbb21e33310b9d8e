/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/control/vote.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

/* Parallel voting, transition by transition, with artificial samples. */

#define SMS 8u
#define PERIOD 1000u

typedef struct rig {
    gpci_vote vote;
    gpci_vote_sm sms[SMS];
} rig;

static const gpci_vote_options plain = {.sms = 4,
                                        .candidates = 3,
                                        .testers = 1,
                                        .periods = 1,
                                        .attempts = 2,
                                        .activity = 0.5,
                                        .phase_periods = 2,
                                        .phase_threshold = 0.2,
                                        .miss_floor = 0.05};

static void start(rig *r, const gpci_vote_options *options) {
    memset(r, 0, sizeof *r);
    /* not begun yet; and SMs that the vote does not have, and must not ask */
    for (uint32_t sm = 0; sm < SMS; sm++)
        r->sms[sm] =
            (gpci_vote_sm){.candidate = 1, .active = true, .last = {.instructions = 1u << 20, .active_cycles = 1}};
    gpci_vote_init(&r->vote, options, r->sms);
}

/* A period: SM i issued work[i] instructions per 1000 cycles; a negative work[i] means an idle SM. */
static void period(rig *r, const int *work) {
    for (uint32_t sm = 0; sm < r->vote.options.sms; sm++) {
        gpc_sample sample = GPC_SAMPLE_INIT;
        sample.cycles = PERIOD;
        sample.active_cycles = work[sm] < 0 ? 0 : PERIOD;
        sample.instructions = work[sm] < 0 ? 0 : (uint64_t)work[sm];
        sample.reads = 100;
        sample.read_hits = 50;
        gpci_vote_sample(&r->vote, sm, &sample);
    }
}

#define PERIOD_OF(r, ...) period(r, (const int[]){__VA_ARGS__})

/* Candidate per SM, a digit an SM, and the state. */
static void expect(const rig *r, gpci_vote_state state, const char *assignment) {
    char found[SMS + 1] = "";
    for (uint32_t sm = 0; sm < r->vote.options.sms && sm < SMS; sm++)
        found[sm] = (char)('0' + gpci_vote_of(&r->vote, sm));
    cr_expect_eq(r->vote.state, (uint32_t)state, "state %u instead of %d", r->vote.state, state);
    cr_expect_str_eq(found, assignment);
}

Test(vote, example_of_the_header) {
    rig r;
    start(&r, &plain);
    expect(&r, GPCI_VOTE_WATCH, "0000");
    PERIOD_OF(&r, -1, 6, 6, 6);
    expect(&r, GPCI_VOTE_TEST, "0120");
    PERIOD_OF(&r, -1, 9, 5, 6);
    expect(&r, GPCI_VOTE_STABLE, "1111");
    cr_expect_float_eq(r.vote.candidates[1].score, 1.5, 1e-9);
    cr_expect_float_eq(r.vote.candidates[2].score, 5.0 / 6, 1e-9);
    cr_expect_eq(r.vote.votes, 1);
}

/* seeds/004 section 5.4.2: candidate 1 belongs to SM 0, which stays idle, and loses after two attempts. */
Test(vote, fixed_testers_are_tested_even_if_idle) {
    gpci_vote_options o = plain;
    o.fixed = true;
    rig r;
    start(&r, &o);
    PERIOD_OF(&r, -1, 6, 6, 6);
    expect(&r, GPCI_VOTE_TEST, "1200");
    PERIOD_OF(&r, -1, 5, 6, 6); /* candidate 2 loses; of candidate 1 there is no measure */
    expect(&r, GPCI_VOTE_TEST, "1000");
    PERIOD_OF(&r, -1, 6, 6, 6);
    expect(&r, GPCI_VOTE_STABLE, "0000");
    cr_expect(!r.vote.candidates[1].tested);
    cr_expect_eq(r.vote.rounds, 2);
    /* with work on SM 0, candidate 1 is tested, and wins */
    start(&r, &o);
    PERIOD_OF(&r, 6, 6, 6, 6);
    PERIOD_OF(&r, 9, 5, 6, 6);
    expect(&r, GPCI_VOTE_STABLE, "1111");
}

/* The second vote takes the same SMs; a second candidate is behind the testers of the first, though alone. */
Test(vote, fixed_testers_stay_the_same) {
    gpci_vote_options o = plain;
    o.fixed = true;
    o.sms = 6;
    o.testers = 2;
    rig r;
    start(&r, &o);
    PERIOD_OF(&r, 6, 6, -1, -1, 6, 6);
    expect(&r, GPCI_VOTE_TEST, "112200");
    PERIOD_OF(&r, 5, 5, -1, -1, 6, 6);
    expect(&r, GPCI_VOTE_TEST, "002200");
    PERIOD_OF(&r, 6, 6, 9, -1, 6, 6);
    expect(&r, GPCI_VOTE_STABLE, "222222");
    PERIOD_OF(&r, 9, 9, 9, 9, 9, 9);
    PERIOD_OF(&r, 3, 3, 3, 3, 3, 3);
    PERIOD_OF(&r, 3, 3, 3, 3, 3, 3);
    expect(&r, GPCI_VOTE_TEST, "112200");
    o.first = 11; /* SM 5 */
    start(&r, &o);
    PERIOD_OF(&r, 6, 6, 6, 6, 6, 6);
    expect(&r, GPCI_VOTE_TEST, "122001");
}

Test(vote, the_default_wins_where_nothing_is_better) {
    rig r;
    start(&r, &plain);
    PERIOD_OF(&r, 6, 6, 6, 6);
    expect(&r, GPCI_VOTE_TEST, "1200");
    PERIOD_OF(&r, 5, 4, 6, 6);
    expect(&r, GPCI_VOTE_STABLE, "0000");
}

Test(vote, of_equals_the_first_wins) {
    rig r;
    start(&r, &plain);
    PERIOD_OF(&r, 6, 6, 6, 6);
    PERIOD_OF(&r, 6, 6, 6, 6); /* all equal: the default */
    expect(&r, GPCI_VOTE_STABLE, "0000");
    start(&r, &plain);
    PERIOD_OF(&r, 6, 6, 6, 6);
    PERIOD_OF(&r, 7, 7, 6, 6);
    expect(&r, GPCI_VOTE_STABLE, "1111");
}

Test(vote, the_default_is_what_all_its_sms_do) {
    rig r;
    start(&r, &plain);
    PERIOD_OF(&r, 6, 6, 6, 6);
    PERIOD_OF(&r, 6, 7, 1, 12); /* 13 instructions in two periods: 6.5 */
    expect(&r, GPCI_VOTE_STABLE, "2222");
    cr_expect_float_eq(r.vote.candidates[1].score, 12.0 / 13, 1e-9);
}

Test(vote, a_candidate_must_win_by_the_margin) {
    gpci_vote_options o = plain;
    o.margin = 0.25;
    rig r;
    start(&r, &o);
    PERIOD_OF(&r, 4, 4, 4, 4);
    PERIOD_OF(&r, 5, 4, 4, 4); /* by exactly the margin: not more */
    expect(&r, GPCI_VOTE_STABLE, "0000");
    start(&r, &o);
    PERIOD_OF(&r, 400, 400, 400, 400);
    PERIOD_OF(&r, 501, 400, 400, 400);
    expect(&r, GPCI_VOTE_STABLE, "1111");
}

Test(vote, a_new_phase_brings_a_new_vote_on_other_sms) {
    rig r;
    start(&r, &plain);
    PERIOD_OF(&r, 6, 6, 6, 6);
    expect(&r, GPCI_VOTE_TEST, "1200");
    PERIOD_OF(&r, 9, 6, 6, 6);
    expect(&r, GPCI_VOTE_STABLE, "1111");
    PERIOD_OF(&r, 9, 9, 9, 9); /* level of the phase */
    PERIOD_OF(&r, 3, 3, 3, 3); /* a single changed period */
    expect(&r, GPCI_VOTE_STABLE, "1111");
    PERIOD_OF(&r, 9, 9, 9, 9); /* the change did not last */
    PERIOD_OF(&r, 3, 3, 3, 3);
    PERIOD_OF(&r, 3, 3, 3, 3);
    expect(&r, GPCI_VOTE_TEST, "0012"); /* from the end of the last test */
    PERIOD_OF(&r, 3, 3, 2, 4);
    expect(&r, GPCI_VOTE_STABLE, "2222");
    cr_expect_eq(r.vote.votes, 2);
}

Test(vote, misses_are_a_phase_too) {
    rig r;
    start(&r, &plain);
    PERIOD_OF(&r, 6, 6, 6, 6);
    PERIOD_OF(&r, 6, 6, 6, 6);
    expect(&r, GPCI_VOTE_STABLE, "0000");
    for (unsigned n = 0; n < 3; n++) /* a miss ratio of 0.5, then 0.9 twice, at an unchanged throughput */
        for (uint32_t sm = 0; sm < 4; sm++) {
            gpc_sample sample = {sizeof sample, 0, PERIOD, PERIOD, 6, 100, n ? 10 : 50};
            gpci_vote_sample(&r.vote, sm, &sample);
        }
    cr_expect_eq(r.vote.state, (uint32_t)GPCI_VOTE_TEST);
}

/* 5 of 10 reads miss, then 6: a fifth more is not above the threshold; 7 are. */
Test(vote, misses_at_the_threshold) {
    for (uint64_t misses = 6; misses <= 7; misses++) {
        rig r;
        start(&r, &plain);
        PERIOD_OF(&r, 6, 6, 6, 6);
        PERIOD_OF(&r, 6, 6, 6, 6);
        for (unsigned n = 0; n < 3; n++)
            for (uint32_t sm = 0; sm < 4; sm++) {
                gpc_sample sample = {sizeof sample, 0, PERIOD, PERIOD, 6, 10, n ? 10 - misses : 5};
                gpci_vote_sample(&r.vote, sm, &sample);
            }
        cr_expect_eq(r.vote.state, (uint32_t)(misses == 7 ? GPCI_VOTE_TEST : GPCI_VOTE_STABLE));
    }
}

Test(vote, an_idle_sm_is_given_nothing_to_test) {
    rig r;
    start(&r, &plain);
    for (unsigned n = 0; n < 3; n++) {
        PERIOD_OF(&r, -1, -1, -1, -1); /* no SM runs: no vote */
        expect(&r, GPCI_VOTE_WATCH, "0000");
    }
    PERIOD_OF(&r, -1, 6, -1, 6); /* a single candidate fits beside the default: two rounds */
    expect(&r, GPCI_VOTE_TEST, "0100");
    PERIOD_OF(&r, -1, 6, -1, 3);
    expect(&r, GPCI_VOTE_TEST, "0002");
    PERIOD_OF(&r, -1, 4, -1, 12); /* 3 times the default; candidate 1 had twice */
    expect(&r, GPCI_VOTE_STABLE, "2222");
    cr_expect_eq(r.vote.rounds, 2);
}

Test(vote, how_long_an_active_sm_is_active) {
    gpci_vote_options o = plain;
    o.candidates = 2;
    rig r;
    start(&r, &o);
    for (uint32_t sm = 0; sm < 4; sm++) { /* SM 0 is active just short of half the period, SM 1 half of the period */
        gpc_sample sample = {sizeof sample, 0, PERIOD, sm ? PERIOD / 2 : PERIOD / 2 - 1, 6, 0, 0};
        gpci_vote_sample(&r.vote, sm, &sample);
    }
    expect(&r, GPCI_VOTE_TEST, "0100");
    cr_expect_not(r.sms[0].active);
    cr_expect_eq(r.vote.active, 3);
}

Test(vote, a_candidate_whose_sm_went_idle_is_tested_again) {
    rig r;
    start(&r, &plain);
    PERIOD_OF(&r, 6, 6, 6, 6);
    expect(&r, GPCI_VOTE_TEST, "1200");
    PERIOD_OF(&r, -1, 7, 6, 6);
    expect(&r, GPCI_VOTE_TEST, "0010"); /* SM 2 is next */
    PERIOD_OF(&r, -1, 6, 9, 6);
    expect(&r, GPCI_VOTE_STABLE, "1111");
}

Test(vote, tests_in_vain_lose) {
    rig r;
    start(&r, &plain);
    PERIOD_OF(&r, 6, 6, 6, 6);
    PERIOD_OF(&r, -1, 5, 6, 6);
    PERIOD_OF(&r, 6, 6, -1, 6); /* candidate 1 for the second and last time */
    expect(&r, GPCI_VOTE_STABLE, "0000");
    cr_expect_not(r.vote.candidates[1].tested);
    cr_expect(r.vote.candidates[2].tested);
}

Test(vote, without_the_default_beside_it_a_test_is_in_vain) {
    gpci_vote_options o = plain;
    o.sms = 2;
    o.candidates = 2;
    rig r;
    start(&r, &o);
    PERIOD_OF(&r, 6, 6);
    expect(&r, GPCI_VOTE_TEST, "10");
    PERIOD_OF(&r, 9, -1);
    expect(&r, GPCI_VOTE_TEST, "00"); /* one SM is left, and runs the default for comparison */
    PERIOD_OF(&r, 6, -1);
    expect(&r, GPCI_VOTE_TEST, "10");
    PERIOD_OF(&r, 9, -1);
    expect(&r, GPCI_VOTE_STABLE, "11");
}

Test(vote, all_idle_in_the_middle_of_a_vote) {
    rig r;
    start(&r, &plain);
    PERIOD_OF(&r, 6, 6, 6, 6);
    PERIOD_OF(&r, -1, -1, -1, -1);
    expect(&r, GPCI_VOTE_WATCH, "0000");
    PERIOD_OF(&r, -1, -1, -1, -1);
    expect(&r, GPCI_VOTE_WATCH, "0000");
    PERIOD_OF(&r, 6, 6, 6, 6);
    expect(&r, GPCI_VOTE_TEST, "0012");
    PERIOD_OF(&r, 6, 6, 9, 7);
    expect(&r, GPCI_VOTE_STABLE, "1111");
    cr_expect_eq(r.vote.votes, 1);
}

Test(vote, one_sm_tests_one_after_another) {
    gpci_vote_options o = plain;
    o.sms = 1;
    rig r;
    start(&r, &o);
    PERIOD_OF(&r, 9); /* a cold start: no measurement of the default */
    expect(&r, GPCI_VOTE_TEST, "0");
    PERIOD_OF(&r, 6);
    expect(&r, GPCI_VOTE_TEST, "1");
    PERIOD_OF(&r, 5);
    expect(&r, GPCI_VOTE_TEST, "2");
    PERIOD_OF(&r, 7);
    expect(&r, GPCI_VOTE_STABLE, "2");
}

/* If one SM alone has failed tests of the default, the comparison is missing; two SMs have a comparison, if in time. */
Test(vote, another_sm_comes_before_it_is_given_up) {
    for (unsigned both = 0; both < 2; both++) {
        gpci_vote_options o = plain;
        o.sms = 2;
        o.candidates = 2;
        rig r;
        start(&r, &o);
        for (unsigned attempt = 0; attempt < o.attempts; attempt++) {
            PERIOD_OF(&r, 6, -1);
            expect(&r, GPCI_VOTE_TEST, "00");
            PERIOD_OF(&r, -1, -1);
            expect(&r, GPCI_VOTE_WATCH, "00");
        }
        PERIOD_OF(&r, 6, both ? 6 : -1);
        expect(&r, both ? GPCI_VOTE_TEST : GPCI_VOTE_STABLE, both ? "10" : "00");
        if (both) {
            PERIOD_OF(&r, 9, 6);
            expect(&r, GPCI_VOTE_STABLE, "11");
        }
    }
}

Test(vote, several_sms_per_candidate) {
    gpci_vote_options o = plain;
    o.sms = 8;
    o.testers = 2;
    rig r;
    start(&r, &o);
    PERIOD_OF(&r, 6, 6, 6, 6, 6, 6, 6, -1);
    expect(&r, GPCI_VOTE_TEST, "11220000");
    PERIOD_OF(&r, 9, 5, 5, 8, 6, 6, 6, -1); /* 7 and 6.5 */
    expect(&r, GPCI_VOTE_STABLE, "11111111");
    cr_expect_float_eq(r.vote.candidates[1].score, 7.0 / 6, 1e-9);
    /* five active SMs: 5 / 3 = 1 for each candidate, and 3 for the default */
    start(&r, &o);
    PERIOD_OF(&r, 6, 6, 6, 6, 6, -1, -1, -1);
    expect(&r, GPCI_VOTE_TEST, "12000000");
    /* a candidate's first SM is idle: the second SM represents the candidate */
    start(&r, &o);
    PERIOD_OF(&r, 6, 6, 6, 6, 6, 6, 6, 6);
    PERIOD_OF(&r, -1, 9, 6, 6, 6, 6, 6, 6);
    expect(&r, GPCI_VOTE_STABLE, "11111111");
}

Test(vote, warmup_does_not_count) {
    gpci_vote_options o = plain;
    o.warmup = 2;
    o.periods = 2;
    rig r;
    start(&r, &o);
    PERIOD_OF(&r, 6, 6, 6, 6);
    for (unsigned n = 0; n < 2; n++) {
        PERIOD_OF(&r, 100, 1, 6, 6);
        expect(&r, GPCI_VOTE_TEST, "1200");
    }
    PERIOD_OF(&r, 5, 9, 6, 6);
    expect(&r, GPCI_VOTE_TEST, "1200");
    PERIOD_OF(&r, 8, 9, 6, 6);
    expect(&r, GPCI_VOTE_STABLE, "2222");
    cr_expect_float_eq(r.vote.candidates[1].score, 6.5 / 6, 1e-9);
    /* nor is a new phase detected in the test */
    PERIOD_OF(&r, 1, 1, 1, 1);
    PERIOD_OF(&r, 1, 1, 1, 1);
    for (unsigned n = 0; n < 5; n++)
        PERIOD_OF(&r, 9, 9, 9, 9);
    expect(&r, GPCI_VOTE_STABLE, "2222");
}

Test(vote, every_sm_has_its_turn) {
    gpci_vote_options o = plain;
    o.candidates = 2;
    rig r;
    start(&r, &o);
    unsigned tested[4] = {0};
    PERIOD_OF(&r, 6, 6, 6, 6);
    for (unsigned n = 0; n < 8; n++) {
        cr_assert_eq(r.vote.state, (uint32_t)GPCI_VOTE_TEST);
        for (uint32_t sm = 0; sm < 4; sm++)
            tested[sm] += gpci_vote_of(&r.vote, sm);
        PERIOD_OF(&r, 6, 6, 6, 6);
        int even = n % 2 ? 6 : 60, odd = n % 2 ? 60 : 6; /* a phase ends */
        PERIOD_OF(&r, even, even, even, even);
        PERIOD_OF(&r, odd, odd, odd, odd);
        PERIOD_OF(&r, odd, odd, odd, odd);
    }
    for (uint32_t sm = 0; sm < 4; sm++)
        cr_expect_eq(tested[sm], 2, "SM %u tested %u times", sm, tested[sm]);
}

Test(vote, without_a_clock_hit_rates_are_compared) {
    gpci_vote_options o = plain;
    o.candidates = 2;
    rig r;
    start(&r, &o);
    static const unsigned hits[2][4] = {{50, 50, 50, 50}, {60, 50, 50, 50}};
    for (unsigned n = 0; n < 2; n++)
        for (uint32_t sm = 0; sm < 4; sm++) { /* the busiest SM says how long the period was: SM 3 is idle */
            gpc_sample sample = {sizeof sample, 0, 0, sm == 3 ? 4 : 10, sm ? 900 : 100, 100, hits[n][sm]};
            gpci_vote_sample(&r.vote, sm, &sample);
        }
    expect(&r, GPCI_VOTE_STABLE, "1111");
    cr_expect_float_eq(r.vote.candidates[1].score, 1.2, 1e-9);
    cr_expect_not(r.sms[3].active);
}

/* Every SM may be the busiest. */
Test(vote, without_a_clock_the_busiest_is_the_measure) {
    for (uint32_t busiest = 0; busiest < plain.sms; busiest++) {
        rig r;
        start(&r, &plain);
        for (uint32_t sm = 0; sm < plain.sms; sm++) {
            gpc_sample sample = {sizeof sample, 0, 0, sm == busiest ? 10 : 4, 100, 100, 50};
            gpci_vote_sample(&r.vote, sm, &sample);
        }
        cr_expect_eq(r.vote.active, 1);
        cr_expect(r.sms[busiest].active);
    }
}

Test(vote, an_sm_that_does_nothing_at_all) {
    /* active, but without an instruction: throughput 0, the least possible */
    rig r;
    start(&r, &plain);
    PERIOD_OF(&r, 0, 0, 0, 0);
    PERIOD_OF(&r, 0, 1, 0, 0);
    expect(&r, GPCI_VOTE_STABLE, "2222");
    gpci_vote_options o = plain;
    o.sms = 1;
    start(&r, &o);
    for (unsigned n = 0; n < 3; n++) {
        PERIOD_OF(&r, 0);
        expect(&r, GPCI_VOTE_TEST, n == 0 ? "0" : n == 1 ? "1" : "2");
    }
    PERIOD_OF(&r, 0); /* no candidate is better than zero */
    expect(&r, GPCI_VOTE_STABLE, "0");
}

Test(vote, one_candidate_has_nothing_to_vote_about) {
    gpci_vote_options o = plain;
    o.candidates = 1;
    rig r;
    start(&r, &o);
    PERIOD_OF(&r, 6, 6, 6, 6);
    expect(&r, GPCI_VOTE_STABLE, "0000");
    cr_expect_eq(r.vote.rounds, 0);
}

/* With random samples, every named candidate exists, rounds end, and idle SMs never test. */
Test(vote, random_samples) {
    srand(7);
    for (unsigned trial = 0; trial < 200; trial++) {
        gpci_vote_options o = plain;
        o.sms = 1 + (uint32_t)rand() % SMS;
        o.candidates = 1 + (uint32_t)rand() % 12;
        o.testers = 1 + (uint32_t)rand() % 3;
        o.warmup = (uint32_t)rand() % 3;
        rig r;
        start(&r, &o);
        unsigned since = 0;
        for (unsigned n = 0; n < 400; n++) {
            int work[SMS];
            for (unsigned sm = 0; sm < SMS; sm++)
                work[sm] = rand() % 4 ? rand() % 50 : -1;
            uint64_t rounds = r.vote.rounds;
            period(&r, work);
            bool begun = r.vote.rounds != rounds;
            for (uint32_t sm = 0; sm < o.sms; sm++) {
                cr_assert_lt(gpci_vote_of(&r.vote, sm), o.candidates);
                if (begun && gpci_vote_of(&r.vote, sm))
                    cr_assert(work[sm] >= 0);
            }
            since = r.vote.state == GPCI_VOTE_STABLE ? 0 : since + 1;
            /* a round ends in warmup + 1 periods, with two per candidate */
            cr_assert_lt(since, 2 * o.candidates * (o.warmup + 1) + 60u);
        }
        cr_assert(r.vote.votes > 0);
    }
}

Test(vote, cost) {
    /* 3 candidates: 2 bits, and four counters; in the middle 2 x 32 + 2 of phases, 3 x (32 + 2 + 1), 2, 2, 2, 1 */
    cr_expect_eq(gpci_vote_sm_bits(&plain), 2 + 128);
    cr_expect_eq(gpci_vote_bits(&plain), 66 + 105 + 2 + 2 + 2 + 1);
}
