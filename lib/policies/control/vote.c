/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/control/vote.h"

/* Number of measures: throughput and L1 miss ratio, over all active SMs. */
#define MEASURES 2u

static gpci_phase_options phase_options(const gpci_vote_options *options) {
    return (gpci_phase_options){.measures = MEASURES,
                                .periods = options->phase_periods,
                                .threshold = options->phase_threshold,
                                .floors = {0, options->miss_floor}};
}

void gpci_vote_init(gpci_vote *vote, const gpci_vote_options *options, gpci_vote_sm *sms) {
    *vote = (gpci_vote){.options = *options, .sms = sms};
    for (uint32_t sm = 0; sm < options->sms; sm++)
        sms[sm] = (gpci_vote_sm){0};
    gpci_phase_options phase = phase_options(options);
    gpci_phase_init(&vote->phase, &phase);
}

static void run_everywhere(gpci_vote *vote, uint32_t candidate) {
    for (uint32_t sm = 0; sm < vote->options.sms; sm++)
        vote->sms[sm].candidate = candidate;
}

/* Number of SMs that can test a candidate. */
static uint32_t able(const gpci_vote *vote) {
    return vote->options.fixed ? vote->options.sms : vote->active;
}

/* Next SM able to test, in rotation, that runs the default. At least one SM must do so. */
static gpci_vote_sm *next_tester(gpci_vote *vote) {
    for (;;) {
        gpci_vote_sm *vote_sm = &vote->sms[vote->next_sm];
        vote->next_sm = vote->next_sm + 1 < vote->options.sms ? vote->next_sm + 1 : 0;
        if ((vote->options.fixed || vote_sm->active) && !vote_sm->candidate)
            return vote_sm;
    }
}

static bool pending(const gpci_vote *vote, uint32_t candidate) {
    const gpci_vote_candidate *vote_candidate = &vote->candidates[candidate];
    return !vote_candidate->tested && vote_candidate->attempts < vote->options.attempts;
}

/* Number of candidates, from candidate `first` on, that still wait for a successful test. */
static uint32_t count_pending(const gpci_vote *vote, uint32_t first) {
    uint32_t count = 0;
    for (uint32_t c = first; c < vote->options.candidates; c++)
        count += pending(vote, c);
    return count;
}

static void decide(gpci_vote *vote) {
    double best = 1 + vote->options.margin;
    vote->winner = 0;
    for (uint32_t c = 1; c < vote->options.candidates; c++)
        if (vote->candidates[c].tested && vote->candidates[c].score > best) {
            best = vote->candidates[c].score;
            vote->winner = c;
        }
    run_everywhere(vote, vote->winner);
    gpci_phase_restart(&vote->phase);
    vote->voting = false;
    vote->votes++;
    vote->state = GPCI_VOTE_STABLE;
    vote->warmup = vote->options.warmup;
}

static void give(gpci_vote *vote, uint32_t candidate, uint32_t testers) {
    vote->candidates[candidate].attempts++;
    if (vote->options.fixed)
        vote->next_sm = (uint32_t)((vote->options.first + (candidate - 1) * (uint64_t)testers) % vote->options.sms);
    for (uint32_t n = 0; n < testers; n++)
        next_tester(vote)->candidate = candidate;
}

/* Begin tests of as many candidates as the SMs allow. At least one of these SMs keeps the default. */
static void share_out(gpci_vote *vote) {
    uint32_t waiting = count_pending(vote, 1), room = able(vote) - 1;
    uint32_t round = waiting < room ? waiting : room;
    uint32_t testers = able(vote) / (round + 1);
    testers = testers < vote->options.testers ? testers : vote->options.testers;
    for (uint32_t c = 1; c < vote->options.candidates && round; c++)
        if (pending(vote, c)) {
            give(vote, c, testers);
            round--;
        }
}

/* Begin the test of one candidate on the only active SM: the default first, because its throughput is the reference. */
static void take_alone(gpci_vote *vote) {
    uint32_t c = vote->base >= 0;
    while (!pending(vote, c))
        c++;
    if (c)
        give(vote, c, 1);
    else
        vote->candidates[0].attempts++;
}

static bool anything_left(const gpci_vote *vote) {
    if (!count_pending(vote, 1))
        return false;
    return able(vote) > 1 || vote->base >= 0 || pending(vote, 0);
}

/* Begin the next round, wait for active SMs, or end the vote. */
static void go_on(gpci_vote *vote) {
    run_everywhere(vote, 0);
    if (!vote->active) {
        vote->state = GPCI_VOTE_WATCH;
        return;
    }
    if (!anything_left(vote)) {
        decide(vote);
        return;
    }
    for (uint32_t sm = 0; sm < vote->options.sms; sm++)
        vote->sms[sm].work = vote->sms[sm].time = 0;
    vote->alone = able(vote) == 1;
    if (vote->alone)
        take_alone(vote);
    else
        share_out(vote);
    vote->rounds++;
    vote->state = GPCI_VOTE_TEST;
    vote->warmup = vote->options.warmup;
    vote->left = vote->options.periods;
}

static void begin(gpci_vote *vote) {
    for (uint32_t c = 0; c < vote->options.candidates; c++)
        vote->candidates[c] = (gpci_vote_candidate){0};
    vote->base = -1;
    vote->voting = true;
    go_on(vote);
}

/* Throughput of a candidate on its SMs, in their active periods; negative if none of these SMs was active. */
static double throughput(const gpci_vote *vote, uint32_t candidate) {
    double work = 0, time = 0;
    for (uint32_t sm = 0; sm < vote->options.sms; sm++)
        if (vote->sms[sm].candidate == candidate) {
            work += vote->sms[sm].work;
            time += vote->sms[sm].time;
        }
    return time > 0 ? work / time : -1;
}

static void finish_round(gpci_vote *vote) {
    double base = vote->alone ? vote->base : throughput(vote, 0);
    uint32_t tester = 0; /* in a round with one SM: the tested candidate */
    for (uint32_t c = 1; c < vote->options.candidates; c++) {
        double rate = throughput(vote, c);
        if (rate < 0)
            continue;
        tester = c;
        if (base < 0)
            continue; /* no active SM ran the default in this round */
        /* if the default did no work, the score is infinite, or not a number (which never wins) if `rate` is 0 too */
        vote->candidates[c].score = rate / base;
        vote->candidates[c].tested = true;
    }
    if (vote->alone && !tester)
        vote->base = throughput(vote, 0);
}

static void collect(gpci_vote *vote) {
    for (uint32_t sm = 0; sm < vote->options.sms; sm++) {
        gpci_vote_sm *vote_sm = &vote->sms[sm];
        if (!vote_sm->active)
            continue;
        bool by_hits = vote->options.by_hits || !vote_sm->last.cycles;
        vote_sm->work += (double)(by_hits ? vote_sm->last.read_hits : vote_sm->last.instructions);
        vote_sm->time += (double)(by_hits ? vote_sm->last.reads : vote_sm->last.active_cycles);
    }
}

static bool new_phase(gpci_vote *vote) {
    double work = 0, time = 0, reads = 0, hits = 0;
    for (uint32_t sm = 0; sm < vote->options.sms; sm++) {
        const gpci_vote_sm *vote_sm = &vote->sms[sm];
        if (!vote_sm->active)
            continue;
        work += (double)vote_sm->last.instructions;
        time += (double)vote_sm->last.active_cycles;
        reads += (double)vote_sm->last.reads;
        hits += (double)vote_sm->last.read_hits;
    }
    double measures[MEASURES] = {work / time, reads > 0 ? 1 - hits / reads : 0};
    return gpci_phase_observe(&vote->phase, measures);
}

/* Set the active SMs. Without a clock, the turns of the busiest SM give the period's length. */
static void see_who_is_active(gpci_vote *vote) {
    uint64_t longest = 0;
    for (uint32_t sm = 0; sm < vote->options.sms; sm++) {
        const gpc_sample *sample = &vote->sms[sm].last;
        uint64_t length = sample->cycles ? sample->cycles : sample->active_cycles;
        longest = length > longest ? length : longest;
    }
    vote->active = 0;
    for (uint32_t sm = 0; sm < vote->options.sms; sm++) {
        uint64_t cycles = vote->sms[sm].last.active_cycles;
        vote->sms[sm].active = cycles && (double)cycles >= vote->options.activity * (double)longest;
        vote->active += vote->sms[sm].active;
    }
}

static void close_period(gpci_vote *vote) {
    see_who_is_active(vote);
    if (vote->state == GPCI_VOTE_WATCH) {
        if (vote->active && !vote->voting)
            begin(vote);
        else if (vote->active)
            go_on(vote);
    } else if (vote->warmup) {
        vote->warmup--;
    } else if (vote->state == GPCI_VOTE_TEST) {
        collect(vote);
        if (!--vote->left) {
            finish_round(vote);
            go_on(vote);
        }
    } else if (vote->active && new_phase(vote)) {
        begin(vote);
    }
}

void gpci_vote_sample(gpci_vote *vote, uint32_t sm, const gpc_sample *sample) {
    vote->sms[sm].last = *sample;
    if (sm + 1 == vote->options.sms)
        close_period(vote);
}

uint64_t gpci_vote_sm_bits(const gpci_vote_options *options) {
    return gpci_ceil_log2(options->candidates) + 4 * 32;
}

uint64_t gpci_vote_bits(const gpci_vote_options *options) {
    gpci_phase_options phase = phase_options(options);
    uint64_t candidate = 32 + gpci_ceil_log2((uint64_t)options->attempts + 1) + 1;
    uint64_t longest = options->warmup > options->periods ? options->warmup : options->periods;
    return gpci_phase_bits(&phase) + options->candidates * candidate + 2 + gpci_ceil_log2(options->candidates) +
           (options->fixed ? 0 : gpci_ceil_log2(options->sms)) + gpci_ceil_log2(longest + 1);
}

void gpci_vote_state_of(gpci_vote *vote, gpc_state_fn visit, void *user_data) {
    /* the members before `phase`, options and a pointer, are not saved */
    const size_t from = offsetof(gpci_vote, phase);
    visit(user_data, (char *)vote + from, sizeof *vote - from);
    visit(user_data, vote->sms, vote->options.sms * sizeof *vote->sms);
}
