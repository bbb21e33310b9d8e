/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/control/vote.h"

#include <math.h>

/* Number of measures: throughput and L1 miss ratio, over all active SMs. */
#define MEASURES 2u

static gpci_phase_options phase_options(const gpci_vote_options *o) {
    return (gpci_phase_options){.measures = MEASURES,
                                .periods = o->phase_periods,
                                .threshold = o->phase_threshold,
                                .floors = {0, o->miss_floor}};
}

void gpci_vote_init(gpci_vote *v, const gpci_vote_options *options, gpci_vote_sm *sms) {
    *v = (gpci_vote){.options = *options, .sms = sms};
    for (uint32_t sm = 0; sm < options->sms; sm++)
        sms[sm] = (gpci_vote_sm){0};
    gpci_phase_options phase = phase_options(options);
    gpci_phase_init(&v->phase, &phase);
}

static void run_everywhere(gpci_vote *v, uint32_t candidate) {
    for (uint32_t sm = 0; sm < v->options.sms; sm++)
        v->sms[sm].candidate = candidate;
}

/* Next active SM in rotation with the default. At least one must exist. */
static gpci_vote_sm *next_tester(gpci_vote *v) {
    for (;;) {
        gpci_vote_sm *s = &v->sms[v->next_sm];
        v->next_sm = v->next_sm + 1 < v->options.sms ? v->next_sm + 1 : 0;
        if (s->active && !s->candidate)
            return s;
    }
}

static bool pending(const gpci_vote *v, uint32_t candidate) {
    const gpci_vote_candidate *c = &v->candidates[candidate];
    return !c->tested && c->attempts < v->options.attempts;
}

/* Candidates not yet tested. The default is counted only if it cannot run beside the other candidates. */
static uint32_t count_pending(const gpci_vote *v, uint32_t first) {
    uint32_t count = 0;
    for (uint32_t c = first; c < v->options.candidates; c++)
        count += pending(v, c);
    return count;
}

static void decide(gpci_vote *v) {
    double best = 1 + v->options.margin;
    v->winner = 0;
    for (uint32_t c = 1; c < v->options.candidates; c++)
        if (v->candidates[c].tested && v->candidates[c].score > best) {
            best = v->candidates[c].score;
            v->winner = c;
        }
    run_everywhere(v, v->winner);
    gpci_phase_restart(&v->phase);
    v->voting = false;
    v->votes++;
    v->state = GPCI_VOTE_STABLE;
    v->warmup = v->options.warmup;
}

static void give(gpci_vote *v, uint32_t candidate, uint32_t testers) {
    v->candidates[candidate].attempts++;
    for (uint32_t n = 0; n < testers; n++)
        next_tester(v)->candidate = candidate;
}

/* Give SMs to as many candidates as fit beside the default. */
static void share_out(gpci_vote *v) {
    uint32_t waiting = count_pending(v, 1), room = v->active - 1;
    uint32_t round = waiting < room ? waiting : room;
    uint32_t testers = v->active / (round + 1);
    testers = testers < v->options.testers ? testers : v->options.testers;
    for (uint32_t c = 1; c < v->options.candidates && round; c++)
        if (pending(v, c)) {
            give(v, c, testers);
            round--;
        }
}

/* Test one candidate on the only SM: the default first, because its throughput is the reference. */
static void take_alone(gpci_vote *v) {
    uint32_t c = v->base >= 0;
    while (!pending(v, c))
        c++;
    if (c)
        give(v, c, 1);
    else
        v->candidates[0].attempts++;
}

static bool anything_left(const gpci_vote *v) {
    if (!count_pending(v, 1))
        return false;
    return v->active > 1 || v->base >= 0 || pending(v, 0);
}

/* Begin the next round, wait for active SMs, or end the vote. */
static void go_on(gpci_vote *v) {
    run_everywhere(v, 0);
    if (!v->active) {
        v->state = GPCI_VOTE_WATCH;
        return;
    }
    if (!anything_left(v)) {
        decide(v);
        return;
    }
    for (uint32_t sm = 0; sm < v->options.sms; sm++)
        v->sms[sm].work = v->sms[sm].time = 0;
    v->alone = v->active == 1;
    if (v->alone)
        take_alone(v);
    else
        share_out(v);
    v->rounds++;
    v->state = GPCI_VOTE_TEST;
    v->warmup = v->options.warmup;
    v->left = v->options.periods;
}

static void begin(gpci_vote *v) {
    for (uint32_t c = 0; c < v->options.candidates; c++)
        v->candidates[c] = (gpci_vote_candidate){0};
    v->base = -1;
    v->voting = true;
    go_on(v);
}

/* Throughput of a candidate on its SMs while they were active; negative if no SM was active. */
static double throughput(const gpci_vote *v, uint32_t candidate) {
    double work = 0, time = 0;
    for (uint32_t sm = 0; sm < v->options.sms; sm++)
        if (v->sms[sm].candidate == candidate) {
            work += v->sms[sm].work;
            time += v->sms[sm].time;
        }
    return time > 0 ? work / time : -1;
}

static double relative(double rate, double base) {
    if (base > 0)
        return rate / base;
    return rate > 0 ? HUGE_VAL : 1;
}

static void finish_round(gpci_vote *v) {
    double base = v->alone ? v->base : throughput(v, 0);
    uint32_t tester = 0; /* candidate of a round with one SM */
    for (uint32_t c = 1; c < v->options.candidates; c++) {
        double rate = throughput(v, c);
        if (rate < 0)
            continue;
        tester = c;
        if (base < 0)
            continue; /* no reference ran in this round */
        v->candidates[c].score = relative(rate, base);
        v->candidates[c].tested = true;
    }
    if (v->alone && !tester)
        v->base = throughput(v, 0);
}

static void collect(gpci_vote *v) {
    for (uint32_t sm = 0; sm < v->options.sms; sm++) {
        gpci_vote_sm *s = &v->sms[sm];
        if (!s->active)
            continue;
        bool by_hits = v->options.by_hits || !s->last.cycles;
        s->work += (double)(by_hits ? s->last.read_hits : s->last.instructions);
        s->time += (double)(by_hits ? s->last.reads : s->last.active_cycles);
    }
}

static bool new_phase(gpci_vote *v) {
    double work = 0, time = 0, reads = 0, hits = 0;
    for (uint32_t sm = 0; sm < v->options.sms; sm++) {
        const gpci_vote_sm *s = &v->sms[sm];
        if (!s->active)
            continue;
        work += (double)s->last.instructions;
        time += (double)s->last.active_cycles;
        reads += (double)s->last.reads;
        hits += (double)s->last.read_hits;
    }
    double measures[MEASURES] = {work / time, reads > 0 ? 1 - hits / reads : 0};
    return gpci_phase_observe(&v->phase, measures);
}

/* Find the SMs with work. Without a clock the busiest SM gives the period's length. */
static void see_who_is_active(gpci_vote *v) {
    uint64_t longest = 0;
    for (uint32_t sm = 0; sm < v->options.sms; sm++) {
        const gpc_sample *s = &v->sms[sm].last;
        uint64_t length = s->cycles ? s->cycles : s->active_cycles;
        longest = length > longest ? length : longest;
    }
    v->active = 0;
    for (uint32_t sm = 0; sm < v->options.sms; sm++) {
        uint64_t cycles = v->sms[sm].last.active_cycles;
        v->sms[sm].active = cycles && (double)cycles >= v->options.activity * (double)longest;
        v->active += v->sms[sm].active;
    }
}

static void close_period(gpci_vote *v) {
    see_who_is_active(v);
    if (v->state == GPCI_VOTE_WATCH) {
        if (v->active && !v->voting)
            begin(v);
        else if (v->active)
            go_on(v);
    } else if (v->warmup) {
        v->warmup--;
    } else if (v->state == GPCI_VOTE_TEST) {
        collect(v);
        if (!--v->left) {
            finish_round(v);
            go_on(v);
        }
    } else if (v->active && new_phase(v)) {
        begin(v);
    }
}

void gpci_vote_sample(gpci_vote *v, uint32_t sm, const gpc_sample *sample) {
    v->sms[sm].last = *sample;
    if (sm + 1 == v->options.sms)
        close_period(v);
}

uint64_t gpci_vote_sm_bits(const gpci_vote_options *o) {
    return gpci_ceil_log2(o->candidates) + 4 * 32;
}

uint64_t gpci_vote_bits(const gpci_vote_options *o) {
    gpci_phase_options phase = phase_options(o);
    uint64_t candidate = 32 + gpci_ceil_log2((uint64_t)o->attempts + 1) + 1;
    uint64_t longest = o->warmup > o->periods ? o->warmup : o->periods;
    return gpci_phase_bits(&phase) + o->candidates * candidate + 2 + gpci_ceil_log2(o->candidates) +
           gpci_ceil_log2(o->sms) + gpci_ceil_log2(longest + 1);
}

void gpci_vote_state_of(gpci_vote *v, gpc_state_fn visit, void *user_data) {
    const size_t from = offsetof(gpci_vote, phase); /* pointers and options are before `phase` */
    visit(user_data, (char *)v + from, sizeof *v - from);
    visit(user_data, v->sms, v->options.sms * sizeof *v->sms);
}
