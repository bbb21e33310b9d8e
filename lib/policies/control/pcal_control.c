/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/control/pcal_control.h"
#include "stats/stats.h"

/* Number of measures of the phase detector: throughput, miss ratio of L1, miss ratio of L2. */
#define PCAL_MEASURES 3u

static gpci_phase_options phase_options(const gpci_pcal_options *options) {
    return (gpci_phase_options){.measures = PCAL_MEASURES,
                                .periods = options->phase_periods,
                                .threshold = options->phase_threshold,
                                .floors = {0, options->miss_floor, options->miss_floor}};
}

/* Tokens between two candidates of a vote: options->step, or more if the vote would have too many candidates. */
static uint32_t step_of(const gpci_pcal_options *options, uint32_t warp_opt) {
    uint32_t most = GPCI_VOTE_CANDIDATES - 1, least = (warp_opt - 1 + most - 1) / most;
    return options->step > least ? options->step : least;
}

/* Options of the vote. Candidate 0 keeps all tokens, the last candidate has one token. */
static gpci_vote_options vote_options(const gpci_pcal_options *options, uint32_t warp_opt) {
    uint32_t step = step_of(options, warp_opt);
    return (gpci_vote_options){.sms = options->sms,
                               .candidates = 1 + (warp_opt - 1 + step - 1) / step,
                               .testers = options->testers,
                               .warmup = options->warmup,
                               .periods = options->test_periods,
                               .attempts = options->attempts,
                               .activity = options->activity,
                               .margin = options->margin,
                               .phase_periods = 1,
                               .miss_floor = options->miss_floor};
}

static uint32_t cut_of(const gpci_pcal *pcal, uint32_t candidate) {
    uint32_t cut = candidate * step_of(&pcal->options, pcal->warp_opt);
    return cut < pcal->warp_opt ? cut : pcal->warp_opt - 1;
}

void gpci_pcal_init(gpci_pcal *pcal, const gpci_pcal_options *options, gpci_pcal_sample *last, gpci_vote_sm *vote_sms) {
    *pcal = (gpci_pcal){.options = *options, .last = last, .vote_sms = vote_sms, .left = options->init_periods};
    pcal->warp_opt = options->warps ? options->warps : 1;
    pcal->l2 = GPCI_TOKENS_ALL;
    for (uint32_t sm = 0; sm < options->sms; sm++)
        last[sm] = (gpci_pcal_sample){0};
    gpci_phase_options phase = phase_options(options);
    gpci_phase_init(&pcal->phase, &phase);
}

static void rest(gpci_pcal *pcal) {
    pcal->state = GPCI_PCAL_STABLE;
    gpci_phase_restart(&pcal->phase);
}

static bool strategy_left(const gpci_pcal *pcal) {
    return pcal->options.both && !(pcal->climbed && pcal->voted);
}

static bool l2_left(const gpci_pcal *pcal) {
    return pcal->options.l2 && !pcal->l2_climbed;
}

/* End a search (CLIMB, VOTE or CLIMB_L2). If another search is left, go to SETTLE; otherwise go to STABLE. */
static void finish(gpci_pcal *pcal) {
    pcal->warmup = pcal->options.warmup;
    if (!strategy_left(pcal) && !l2_left(pcal)) {
        rest(pcal);
        return;
    }
    pcal->state = GPCI_PCAL_SETTLE;
    pcal->left = pcal->options.init_periods;
}

static void begin_step(gpci_pcal *pcal) {
    pcal->work = pcal->time = 0;
    pcal->left = pcal->options.climb_periods;
    pcal->warmup = pcal->options.warmup;
}

static void begin_climb(gpci_pcal *pcal) {
    pcal->climbed = true;
    pcal->climbs++;
    pcal->before = pcal->now.ipc;
    pcal->extra = 1;
    pcal->state = GPCI_PCAL_CLIMB;
    begin_step(pcal);
}

/*
 * Number of a scheduler's warps that may have a token for L2: the warps that are not throttled; with exclusive tokens,
 * of these only the warps without a token for L1.
 */
static uint32_t without_l1(const gpci_pcal *pcal) {
    uint32_t running =
        pcal->now.warps - (pcal->now.throttled < pcal->now.warps ? pcal->now.throttled : pcal->now.warps);
    uint32_t cache = pcal->options.exclusive ? pcal->warp_opt - pcal->cut : 0;
    return running > cache ? running - cache : 0;
}

static void fewer_l2(gpci_pcal *pcal, uint32_t from, uint32_t step) {
    pcal->l2_before = pcal->l2;
    pcal->l2 = from > step ? from - step : 1;
    pcal->state = GPCI_PCAL_CLIMB_L2;
    begin_step(pcal);
}

static void begin_l2(gpci_pcal *pcal) {
    uint32_t most = without_l1(pcal);
    pcal->l2_climbed = true;
    if (most < 2) {
        finish(pcal);
        return;
    }
    pcal->before = pcal->now.ipc;
    fewer_l2(pcal, most, pcal->options.exclusive ? 0 : pcal->options.step);
}

static void tell_vote(gpci_pcal *pcal) {
    for (uint32_t sm = 0; sm < pcal->options.sms; sm++) {
        const gpci_pcal_sample *pcal_sample = &pcal->last[sm];
        gpc_sample sample = GPC_SAMPLE_INIT;
        sample.cycles = pcal_sample->cycles;
        sample.active_cycles = pcal_sample->active_cycles;
        sample.instructions = pcal_sample->instructions;
        sample.reads = pcal_sample->loads;
        sample.read_hits = pcal_sample->loads - pcal_sample->load_misses;
        gpci_vote_sample(&pcal->vote, sm, &sample);
    }
}

static void finish_vote(gpci_pcal *pcal) {
    pcal->cut = cut_of(pcal, pcal->vote.winner);
    finish(pcal);
}

/* Begin a vote. The samples of the period just ended tell the vote which SMs are active. */
static void begin_vote(gpci_pcal *pcal) {
    pcal->voted = true;
    pcal->votes++;
    if (pcal->warp_opt <= 1) {
        finish(pcal);
        return;
    }
    gpci_vote_options options = vote_options(&pcal->options, pcal->warp_opt);
    gpci_vote_init(&pcal->vote, &options, pcal->vote_sms);
    pcal->state = GPCI_PCAL_VOTE;
    tell_vote(pcal);
}

static bool feasible(const gpci_pcal *pcal) {
    const gpci_pcal_options *options = &pcal->options;
    return pcal->now.noc_latency <= options->noc_latency && pcal->now.stall_ratio <= options->stall_ratio &&
           pcal->now.throttled;
}

static void choose(gpci_pcal *pcal) {
    if (!pcal->options.warps)
        pcal->warp_opt = pcal->now.warps ? pcal->now.warps : 1;
    if (feasible(pcal))
        begin_climb(pcal);
    else
        begin_vote(pcal);
}

static void next_strategy(gpci_pcal *pcal) {
    if (strategy_left(pcal) && !pcal->voted)
        begin_vote(pcal);
    else if (strategy_left(pcal) && feasible(pcal))
        begin_climb(pcal);
    else if (l2_left(pcal))
        begin_l2(pcal);
    else
        rest(pcal);
}

static void climb(gpci_pcal *pcal) {
    double ipc = pcal->time > 0 ? pcal->work / pcal->time : 0;
    if (ipc < pcal->options.fall * pcal->before) {
        pcal->extra--;
    } else if (ipc > pcal->options.rise * pcal->before && pcal->now.throttled) {
        pcal->extra++;
        pcal->before = ipc;
        begin_step(pcal);
        return;
    }
    finish(pcal);
}

static void climb_l2(gpci_pcal *pcal) {
    double ipc = pcal->time > 0 ? pcal->work / pcal->time : 0;
    if (ipc < pcal->options.fall * pcal->before) {
        pcal->l2 = pcal->l2_before;
    } else if (ipc > pcal->options.rise * pcal->before && pcal->l2 > 1) {
        pcal->before = ipc;
        fewer_l2(pcal, pcal->l2, pcal->options.step);
        return;
    }
    finish(pcal);
}

bool gpci_pcal_settled(const gpci_pcal *pcal, gpci_pcal_choice *out) {
    *out = (gpci_pcal_choice){pcal->warp_opt, pcal->cut, pcal->extra, pcal->l2};
    return pcal->state == GPCI_PCAL_STABLE;
}

void gpci_pcal_begin(gpci_pcal *pcal, const gpci_pcal_choice *choice) {
    pcal->cut = choice ? choice->cut : 0;
    pcal->extra = choice ? choice->extra : 0;
    pcal->l2 = choice ? choice->l2 : GPCI_TOKENS_ALL;
    pcal->warmup = pcal->options.warmup;
    pcal->climbed = pcal->voted = pcal->l2_climbed = choice != NULL;
    if (choice) {
        pcal->warp_opt = choice->warp_opt;
        rest(pcal);
        return;
    }
    pcal->state = GPCI_PCAL_INIT;
    pcal->left = pcal->options.init_periods;
}

static void watch(gpci_pcal *pcal) {
    double measures[PCAL_MEASURES] = {pcal->now.ipc, pcal->now.l1_miss, pcal->now.l2_miss};
    if (!gpci_phase_observe(&pcal->phase, measures))
        return;
    pcal->phases++;
    gpci_pcal_begin(pcal, NULL);
}

static double ratio(uint64_t part, uint64_t total) {
    return total ? (double)part / (double)total : 0;
}

static bool active(const gpci_pcal *pcal, const gpci_pcal_sample *sample) {
    return sample->active_cycles && (double)sample->active_cycles >= pcal->options.activity * (double)sample->cycles;
}

static void measure(gpci_pcal *pcal) {
    const gpci_pcal_sample *chip = &pcal->last[pcal->options.sms - 1];
    gpci_pcal_sample sum = {0};
    gpci_pcal_measures now = {0};
    for (uint32_t sm = 0; sm < pcal->options.sms; sm++) {
        const gpci_pcal_sample *sample = &pcal->last[sm];
        if (!active(pcal, sample))
            continue;
        now.active++;
        sum.instructions += sample->instructions;
        sum.active_cycles += sample->active_cycles;
        sum.loads += sample->loads;
        sum.load_misses += sample->load_misses;
        sum.scheduler_cycles += sample->scheduler_cycles;
        sum.stalls += sample->stalls;
        now.warps = sample->warps > now.warps ? sample->warps : now.warps;
        now.throttled = sample->throttled > now.throttled ? sample->throttled : now.throttled;
    }
    now.ipc = ratio(sum.instructions, sum.active_cycles);
    now.l1_miss = ratio(sum.load_misses, sum.loads);
    now.l2_miss = ratio(chip->l2_reads - chip->l2_read_hits, chip->l2_reads);
    now.stall_ratio = ratio(sum.stalls, sum.scheduler_cycles);
    now.noc_latency = ratio(chip->request_cycles, chip->requests) + ratio(chip->reply_cycles, chip->replies);
    pcal->work += (double)sum.instructions;
    pcal->time += (double)sum.active_cycles;
    pcal->now = now;
}

static void close_period(gpci_pcal *pcal) {
    if (pcal->state == GPCI_PCAL_VOTE) { /* the vote finds the active SMs itself */
        tell_vote(pcal);
        if (pcal->vote.state == GPCI_VOTE_STABLE)
            finish_vote(pcal);
        return;
    }
    double work = pcal->work, time = pcal->time;
    measure(pcal);
    if (!pcal->now.active)
        return;
    if (pcal->warmup) {
        pcal->warmup--;
        pcal->work = work;
        pcal->time = time;
    } else if (pcal->state == GPCI_PCAL_STABLE) {
        watch(pcal);
    } else if (!--pcal->left) {
        if (pcal->state == GPCI_PCAL_INIT)
            choose(pcal);
        else if (pcal->state == GPCI_PCAL_SETTLE)
            next_strategy(pcal);
        else if (pcal->state == GPCI_PCAL_CLIMB_L2)
            climb_l2(pcal);
        else
            climb(pcal);
    }
}

void gpci_pcal_observe(gpci_pcal *pcal, uint32_t sm, const gpci_pcal_sample *sample) {
    pcal->last[sm] = *sample;
    if (sm + 1 == pcal->options.sms)
        close_period(pcal);
}

uint32_t gpci_pcal_cut(const gpci_pcal *pcal, uint32_t sm) {
    return pcal->state == GPCI_PCAL_VOTE ? cut_of(pcal, gpci_vote_of(&pcal->vote, sm)) : pcal->cut;
}

static uint32_t warp_opt_of(const gpci_pcal_options *options, uint32_t warps) {
    return options->warps && options->warps < warps ? options->warps : warps;
}

uint64_t gpci_pcal_sm_bits(const gpci_pcal_options *options, uint32_t warps) {
    gpci_vote_options vote = vote_options(options, warp_opt_of(options, warps));
    return gpci_vote_sm_bits(&vote) + 32;
}

uint64_t gpci_pcal_bits(const gpci_pcal_options *options, uint32_t warps) {
    gpci_vote_options vote = vote_options(options, warp_opt_of(options, warps));
    gpci_phase_options phase = phase_options(options);
    uint64_t longest = options->init_periods > options->climb_periods ? options->init_periods : options->climb_periods;
    uint64_t bits = gpci_vote_bits(&vote) + gpci_phase_bits(&phase) + 6 * 32 + 32 + 3 + 2;
    bits += options->l2 ? 2 * gpci_ceil_log2((uint64_t)warps + 2) + 1 : 0; /* `l2`, `l2_before`, `l2_climbed` */
    return bits + 2 * gpci_ceil_log2((uint64_t)warps + 1) + gpci_ceil_log2(longest + 1) +
           gpci_ceil_log2((uint64_t)options->warmup + 1);
}

void gpci_pcal_state_of(gpci_pcal *pcal, gpc_state_fn visit, void *user_data) {
    const size_t from = offsetof(gpci_pcal, phase); /* `vote`, before `phase`, is saved below */
    visit(user_data, (char *)pcal + from, sizeof *pcal - from);
    visit(user_data, pcal->last, pcal->options.sms * sizeof *pcal->last);
    visit(user_data, pcal->vote_sms, pcal->options.sms * sizeof *pcal->vote_sms);
    visit(user_data, &pcal->vote.options, sizeof pcal->vote.options);
    if (pcal->vote.options.sms) /* a vote has begun: set the pointer, which is not saved */
        pcal->vote.sms = pcal->vote_sms;
    gpci_vote_state_of(&pcal->vote, visit, user_data);
}
