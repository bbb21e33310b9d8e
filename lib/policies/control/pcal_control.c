/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/control/pcal_control.h"

/* Throughput, L1's and L2's miss ratio. */
#define PCAL_MEASURES 3u

static gpci_phase_options phase_options(const gpci_pcal_options *o) {
    return (gpci_phase_options){.measures = PCAL_MEASURES,
                                .periods = o->phase_periods,
                                .threshold = o->phase_threshold,
                                .floors = {0, o->miss_floor, o->miss_floor}};
}

/* Tokens between two candidates of a vote: options->step, or more if the vote would have too many candidates. */
static uint32_t step_of(const gpci_pcal_options *o, uint32_t warp_opt) {
    uint32_t most = GPCI_VOTE_CANDIDATES - 1, least = (warp_opt - 1 + most - 1) / most;
    return o->step > least ? o->step : least;
}

/* Options of the vote. Candidate 0 keeps all tokens, the last candidate has one token. */
static gpci_vote_options vote_options(const gpci_pcal_options *o, uint32_t warp_opt) {
    uint32_t step = step_of(o, warp_opt);
    return (gpci_vote_options){.sms = o->sms,
                               .candidates = 1 + (warp_opt - 1 + step - 1) / step,
                               .testers = o->testers,
                               .warmup = o->warmup,
                               .periods = o->test_periods,
                               .attempts = o->attempts,
                               .activity = o->activity,
                               .margin = o->margin,
                               .phase_periods = 1,
                               .miss_floor = o->miss_floor};
}

static uint32_t cut_of(const gpci_pcal *p, uint32_t candidate) {
    uint32_t cut = candidate * step_of(&p->options, p->warp_opt);
    return cut < p->warp_opt ? cut : p->warp_opt - 1;
}

void gpci_pcal_init(gpci_pcal *p, const gpci_pcal_options *options, gpci_pcal_sample *last, gpci_vote_sm *vote_sms) {
    *p = (gpci_pcal){.options = *options, .last = last, .vote_sms = vote_sms, .left = options->init_periods};
    p->warp_opt = options->warps ? options->warps : 1;
    p->l2 = GPCI_TOKENS_ALL;
    for (uint32_t sm = 0; sm < options->sms; sm++)
        last[sm] = (gpci_pcal_sample){0};
    gpci_phase_options phase = phase_options(options);
    gpci_phase_init(&p->phase, &phase);
}

static void rest(gpci_pcal *p) {
    p->state = GPCI_PCAL_STABLE;
    gpci_phase_restart(&p->phase);
}

static bool strategy_left(const gpci_pcal *p) {
    return p->options.both && !(p->climbed && p->voted);
}

static bool l2_left(const gpci_pcal *p) {
    return p->options.l2 && !p->l2_climbed;
}

/* Finish a strategy's turn: settle before the next strategy, or rest. */
static void finish(gpci_pcal *p) {
    p->warmup = p->options.warmup;
    if (!strategy_left(p) && !l2_left(p)) {
        rest(p);
        return;
    }
    p->state = GPCI_PCAL_SETTLE;
    p->left = p->options.init_periods;
}

static void begin_step(gpci_pcal *p) {
    p->work = p->time = 0;
    p->left = p->options.climb_periods;
    p->warmup = p->options.warmup;
}

static void begin_climb(gpci_pcal *p) {
    p->climbed = true;
    p->climbs++;
    p->before = p->now.ipc;
    p->extra = 1;
    p->state = GPCI_PCAL_CLIMB;
    begin_step(p);
}

/* Warps of a scheduler for L2's tokens: the running warps; with exclusive tokens, only those without a token for L1. */
static uint32_t without_l1(const gpci_pcal *p) {
    uint32_t running = p->now.warps - (p->now.throttled < p->now.warps ? p->now.throttled : p->now.warps);
    uint32_t cache = p->options.exclusive ? p->warp_opt - p->cut : 0;
    return running > cache ? running - cache : 0;
}

static void fewer_l2(gpci_pcal *p, uint32_t from, uint32_t step) {
    p->l2_before = p->l2;
    p->l2 = from > step ? from - step : 1;
    p->state = GPCI_PCAL_CLIMB_L2;
    begin_step(p);
}

static void begin_l2(gpci_pcal *p) {
    uint32_t most = without_l1(p);
    p->l2_climbed = true;
    if (most < 2) {
        finish(p);
        return;
    }
    p->before = p->now.ipc;
    fewer_l2(p, most, p->options.exclusive ? 0 : p->options.step);
}

static void tell_vote(gpci_pcal *p) {
    for (uint32_t sm = 0; sm < p->options.sms; sm++) {
        const gpci_pcal_sample *s = &p->last[sm];
        gpc_sample sample = GPC_SAMPLE_INIT;
        sample.cycles = s->cycles;
        sample.active_cycles = s->active_cycles;
        sample.instructions = s->instructions;
        sample.reads = s->loads;
        sample.read_hits = s->loads - s->load_misses;
        gpci_vote_sample(&p->vote, sm, &sample);
    }
}

static void finish_vote(gpci_pcal *p) {
    p->cut = cut_of(p, p->vote.winner);
    finish(p);
}

/* Begin a vote. The period just ended shows the active SMs. */
static void begin_vote(gpci_pcal *p) {
    p->voted = true;
    p->votes++;
    if (p->warp_opt <= 1) {
        finish(p);
        return;
    }
    gpci_vote_options options = vote_options(&p->options, p->warp_opt);
    gpci_vote_init(&p->vote, &options, p->vote_sms);
    p->state = GPCI_PCAL_VOTE;
    tell_vote(p);
}

static bool feasible(const gpci_pcal *p) {
    const gpci_pcal_options *o = &p->options;
    return p->now.noc_latency <= o->noc_latency && p->now.stall_ratio <= o->stall_ratio && p->now.throttled;
}

static void choose(gpci_pcal *p) {
    if (!p->options.warps)
        p->warp_opt = p->now.warps ? p->now.warps : 1;
    if (feasible(p))
        begin_climb(p);
    else
        begin_vote(p);
}

static void take_turns(gpci_pcal *p) {
    if (strategy_left(p) && !p->voted)
        begin_vote(p);
    else if (strategy_left(p) && feasible(p))
        begin_climb(p);
    else if (l2_left(p))
        begin_l2(p);
    else
        rest(p);
}

static void climb(gpci_pcal *p) {
    double ipc = p->time > 0 ? p->work / p->time : 0;
    if (ipc < p->options.fall * p->before) {
        p->extra--;
    } else if (ipc > p->options.rise * p->before && p->now.throttled) {
        p->extra++;
        p->before = ipc;
        begin_step(p);
        return;
    }
    finish(p);
}

static void climb_l2(gpci_pcal *p) {
    double ipc = p->time > 0 ? p->work / p->time : 0;
    if (ipc < p->options.fall * p->before) {
        p->l2 = p->l2_before;
    } else if (ipc > p->options.rise * p->before && p->l2 > 1) {
        p->before = ipc;
        fewer_l2(p, p->l2, p->options.step);
        return;
    }
    finish(p);
}

bool gpci_pcal_settled(const gpci_pcal *p, gpci_pcal_choice *out) {
    *out = (gpci_pcal_choice){p->warp_opt, p->cut, p->extra, p->l2};
    return p->state == GPCI_PCAL_STABLE;
}

void gpci_pcal_begin(gpci_pcal *p, const gpci_pcal_choice *choice) {
    p->cut = choice ? choice->cut : 0;
    p->extra = choice ? choice->extra : 0;
    p->l2 = choice ? choice->l2 : GPCI_TOKENS_ALL;
    p->warmup = p->options.warmup;
    p->climbed = p->voted = p->l2_climbed = choice != NULL;
    if (choice) {
        p->warp_opt = choice->warp_opt;
        rest(p);
        return;
    }
    p->state = GPCI_PCAL_INIT;
    p->left = p->options.init_periods;
}

static void watch(gpci_pcal *p) {
    double measures[PCAL_MEASURES] = {p->now.ipc, p->now.l1_miss, p->now.l2_miss};
    if (!gpci_phase_observe(&p->phase, measures))
        return;
    p->phases++;
    gpci_pcal_begin(p, NULL);
}

static double ratio(uint64_t part, uint64_t whole) {
    return whole ? (double)part / (double)whole : 0;
}

static bool active(const gpci_pcal *p, const gpci_pcal_sample *s) {
    return s->active_cycles && (double)s->active_cycles >= p->options.activity * (double)s->cycles;
}

static void measure(gpci_pcal *p) {
    const gpci_pcal_sample *chip = &p->last[p->options.sms - 1];
    gpci_pcal_sample sum = {0};
    gpci_pcal_measures now = {0};
    for (uint32_t sm = 0; sm < p->options.sms; sm++) {
        const gpci_pcal_sample *s = &p->last[sm];
        if (!active(p, s))
            continue;
        now.active++;
        sum.instructions += s->instructions;
        sum.active_cycles += s->active_cycles;
        sum.loads += s->loads;
        sum.load_misses += s->load_misses;
        sum.scheduler_cycles += s->scheduler_cycles;
        sum.stalls += s->stalls;
        now.warps = s->warps > now.warps ? s->warps : now.warps;
        now.throttled = s->throttled > now.throttled ? s->throttled : now.throttled;
    }
    now.ipc = ratio(sum.instructions, sum.active_cycles);
    now.l1_miss = ratio(sum.load_misses, sum.loads);
    now.l2_miss = ratio(chip->l2_reads - chip->l2_read_hits, chip->l2_reads);
    now.stall_ratio = ratio(sum.stalls, sum.scheduler_cycles);
    now.noc_latency = ratio(chip->request_cycles, chip->requests) + ratio(chip->reply_cycles, chip->replies);
    p->work += (double)sum.instructions;
    p->time += (double)sum.active_cycles;
    p->now = now;
}

static void close_period(gpci_pcal *p) {
    if (p->state == GPCI_PCAL_VOTE) { /* the vote finds the active SMs itself */
        tell_vote(p);
        if (p->vote.state == GPCI_VOTE_STABLE)
            finish_vote(p);
        return;
    }
    double work = p->work, time = p->time;
    measure(p);
    if (!p->now.active)
        return;
    if (p->warmup) {
        p->warmup--;
        p->work = work;
        p->time = time;
    } else if (p->state == GPCI_PCAL_STABLE) {
        watch(p);
    } else if (!--p->left) {
        if (p->state == GPCI_PCAL_INIT)
            choose(p);
        else if (p->state == GPCI_PCAL_SETTLE)
            take_turns(p);
        else if (p->state == GPCI_PCAL_CLIMB_L2)
            climb_l2(p);
        else
            climb(p);
    }
}

void gpci_pcal_observe(gpci_pcal *p, uint32_t sm, const gpci_pcal_sample *sample) {
    p->last[sm] = *sample;
    if (sm + 1 == p->options.sms)
        close_period(p);
}

uint32_t gpci_pcal_cut(const gpci_pcal *p, uint32_t sm) {
    return p->state == GPCI_PCAL_VOTE ? cut_of(p, gpci_vote_of(&p->vote, sm)) : p->cut;
}

static uint32_t warp_opt_of(const gpci_pcal_options *o, uint32_t warps) {
    return o->warps && o->warps < warps ? o->warps : warps;
}

uint64_t gpci_pcal_sm_bits(const gpci_pcal_options *o, uint32_t warps) {
    gpci_vote_options vote = vote_options(o, warp_opt_of(o, warps));
    return gpci_vote_sm_bits(&vote) + 32;
}

uint64_t gpci_pcal_bits(const gpci_pcal_options *o, uint32_t warps) {
    gpci_vote_options vote = vote_options(o, warp_opt_of(o, warps));
    gpci_phase_options phase = phase_options(o);
    uint64_t longest = o->init_periods > o->climb_periods ? o->init_periods : o->climb_periods;
    uint64_t bits = gpci_vote_bits(&vote) + gpci_phase_bits(&phase) + 6 * 32 + 32 + 3 + 2;
    bits += o->l2 ? 2 * gpci_ceil_log2((uint64_t)warps + 2) + 1 : 0; /* tokens now and before; climb done */
    return bits + 2 * gpci_ceil_log2((uint64_t)warps + 1) + gpci_ceil_log2(longest + 1) +
           gpci_ceil_log2((uint64_t)o->warmup + 1);
}

void gpci_pcal_state_of(gpci_pcal *p, gpc_state_fn visit, void *user_data) {
    const size_t from = offsetof(gpci_pcal, phase); /* pointers and options are before `phase` */
    visit(user_data, (char *)p + from, sizeof *p - from);
    visit(user_data, p->last, p->options.sms * sizeof *p->last);
    visit(user_data, p->vote_sms, p->options.sms * sizeof *p->vote_sms);
    visit(user_data, &p->vote.options, sizeof p->vote.options);
    if (p->vote.options.sms) /* a vote has begun */
        p->vote.sms = p->vote_sms;
    gpci_vote_state_of(&p->vote, visit, user_data);
}
