/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/control/counters.h"
#include "policies/control/pcal_control.h"
#include "policies/scheduler/schedulers.h"
#include "policies/throttle/pcal_kernels.h"
#include "policies/throttle/throttles.h"
#include "policies/throttle/tokens.h"
#include "stats/stats.h"

#include <stdlib.h>
#include <string.h>

/*
 * Priority-based cache allocation (seeds/004 sections 4.3 and 4.4). The oldest warps of each scheduler hold tokens:
 * their accesses may allocate in the cache. Further warps may run, but bypass the cache; the remaining warps are
 * throttled. A number, EBTNum, divides the warps, starting from `warps` (warp-opt): the number of warps with which
 * throttling alone is fastest:
 *
 *   ebt      strategy                                     tokens        bypassing warps
 *   0        throttling                                   warps         0
 *   above    more parallelism, the same hit rate          warps         ebt
 *   below    a better hit rate, the same parallelism      warps + ebt   -ebt
 *
 * With warps=0 no warp is throttled: warp-opt is then the largest number of the scheduler's warps since the scheduler
 * was last empty. With ebt=auto all schedulers of all SMs share a state machine that finds EBTNum by samples, anew in
 * each phase of the program (lib/policies/control/pcal_control.h); with tokens-l2=-1 also the tokens for L2. Both
 * numbers may be set for each kernel, and a kernel's found numbers can be remembered (section 7.3, pcal_kernels.h).
 */

enum {
    WARPS,
    TOKENS_L2,
    NOC_LATENCY,
    STALL_RATIO,
    RISE,
    FALL,
    PERIODS,
    WARMUP,
    STEP,
    TESTERS,
    ATTEMPTS,
    ACTIVITY,
    MARGIN,
    PHASE_PERIODS,
    PHASE_THRESHOLD,
    MISS_FLOOR,
    PARAMETERS
};
enum { EBT, LEVEL, SETS, STRATEGY, KERNELS, REMEMBER, TEXTS };

/* Head of the shared memory; the SMs' samples and their parts of the vote follow. */
typedef struct pcal_common {
    gpci_pcal predictor;
    gpci_pcal_memory memory;
    gpci_pcal_rows rows;
    bool ready;
} pcal_common;

typedef struct pcal_of_sm {
    gpci_pcal_sample last;
    gpci_vote_sm vote;
} pcal_of_sm;

typedef struct pcal_state {
    gpci_tokens_l2 l2;
    uint32_t warps; /* 0 = `most` */
    uint32_t most;  /* largest number of the scheduler's running warps since the scheduler was last empty */
    int32_t ebt;
    bool automatic;
    pcal_common *common;
    gpc_context *context;
    bool set; /* software has set the present kernel's numbers: */
    uint32_t set_warps;
    int32_t set_ebt;
    /* the following fields are used only with ebt=auto; l2_found: tokens-l2=-1; remembers: remember=kernels */
    bool l2_found, remembers;
    bool asked; /* a sample has come, and may change the classes: `classify` is to be called again a cycle later */
    uint32_t sm;
    bool first, last;                 /* first or last of the SM's schedulers */
    uint32_t had, throttled;          /* largest number of warps and of throttled warps since the last sample */
    uint32_t tokens, bypassing, held; /* largest numbers since the start, published by `counter` */
} pcal_state;

/*
 * Numbers of seeds/004: noc-latency=20, because a network without saturation has a lower latency, and stall-ratio=0.2,
 * the ratio of stalls of a bottleneck resource (sections 4.1.4 and 4.1.5); rise=1.1, fall=0.97, periods=1, and step=2,
 * every other number of tokens (4.4.3). Without load, packets take 14 cycles to L2 and back on gtx480, but 46 on h100:
 * on h100, noc-latency=66 is in proportion. lib/policies/control/ballot.h has the reasons for the other numbers.
 */
static const gpc_parameter parameters[] = {
    {"warps", 0, 0, 1024, true, "warps of a scheduler that run with ebt=0 (warp-opt); 0 = all"},
    {"tokens-l2", 0, -1, 1024, true, "level=separate: warps of a scheduler with a token for L2; -1 (auto) = found"},
    {"noc-latency", 20, 0, 1e6, false, "auto: core cycles to L2 and back up to which more warps are feasible"},
    {"stall-ratio", 0.2, 0, 1, false, "auto: share of cycles that the memory pipeline stalls, likewise"},
    {"rise", 1.1, 1, 100, false, "auto: relative throughput above which hill climbing goes on"},
    {"fall", 0.97, 0, 1, false, "auto: below which it takes its last step back"},
    {"periods", 1, 1, 1000, true, "auto: sampling periods of a test, of a step of hill climbing, and before either"},
    {"warmup", 0, 0, 1000, true, "auto: sampling periods after a change that do not count"},
    {"step", 2, 1, 1024, true, "auto: tokens between one number that is voted about and the next"},
    {"testers", 4, 1, 4096, true, "auto: SMs on which a number is tested, where enough are active"},
    {"attempts", 3, 1, 1000, true, "auto: tests of which all SMs became idle, after which a number loses"},
    {"activity", 0.5, 0.001, 1, false, "auto: share of a period with a thread block from which on an SM decides"},
    {"margin", 0, 0, 100, false, "auto: by which a number must beat warp-opt tokens, relative"},
    {"phase-periods", 3, 1, 1000, true, "auto: sampling periods for which a change must last to be a new phase"},
    {"phase-threshold", 0.2, 0, 1000, false, "auto: relative change of throughput or a miss ratio that may be one"},
    {"miss-floor", 0.05, 0, 1, false, "auto: miss ratios below this are taken for it"},
};

static const gpc_text_parameter texts[] = {
    {"ebt", "0", NULL,
     "EBTNum, -1024 to 1024: warps that run without a token, more than `warps` or taken from them; or auto"},
    {"level", "l1", "l1|both|separate", "where tokens count: in L1, in L1 and L2 alike, or with others in L2"},
    {"sets", "inclusive", "inclusive|exclusive",
     "level=separate: tokens for L2 go to the oldest warps, or to the oldest without one for L1"},
    {"strategy", "choose", "choose|both", "auto: one of the two strategies in each phase, or both in turn"},
    {"kernels", "", NULL, "a file of numbers set for kernels, a line each: warp-opt, EBTNum, name (* ends it early)"},
    {"remember", "nothing", "nothing|kernels", "auto: kernels = each begins with what its last launch found"},
};

static gpci_pcal_options options_of(const gpc_scheduler_env *env) {
    const double *p = env->parameters;
    uint32_t warps = (uint32_t)p[WARPS];
    return (gpci_pcal_options){.sms = env->sms,
                               .warps = warps < env->warps ? warps : env->warps,
                               .init_periods = (uint32_t)p[PERIODS],
                               .climb_periods = (uint32_t)p[PERIODS],
                               .test_periods = (uint32_t)p[PERIODS],
                               .warmup = (uint32_t)p[WARMUP],
                               .step = (uint32_t)p[STEP],
                               .both = env->words[STRATEGY] == 1,
                               .l2 = p[TOKENS_L2] < 0,
                               .exclusive = env->words[SETS] == 1,
                               .noc_latency = p[NOC_LATENCY],
                               .stall_ratio = p[STALL_RATIO],
                               .rise = p[RISE],
                               .fall = p[FALL],
                               .miss_floor = p[MISS_FLOOR],
                               .phase_periods = (uint32_t)p[PHASE_PERIODS],
                               .phase_threshold = p[PHASE_THRESHOLD],
                               .testers = (uint32_t)p[TESTERS],
                               .attempts = (uint32_t)p[ATTEMPTS],
                               .activity = p[ACTIVITY],
                               .margin = p[MARGIN]};
}

static bool is_auto(const char *ebt) {
    return !strcmp(ebt, "auto");
}

/* Read a number; the text must end behind the number. */
static bool read_ebt(const char *text, int32_t *out_ebt) {
    char *end;
    long ebt = strtol(text, &end, 10);
    if (end == text || *end || ebt < -1024 || ebt > 1024)
        return false;
    *out_ebt = (int32_t)ebt;
    return true;
}

/* Join the shared state. The first scheduler of all SMs creates the state. */
static void join(pcal_state *pcal, const gpc_scheduler_env *env) {
    pcal_common *common = env->shared_state;
    if (!common->ready) {
        gpci_pcal_options options = options_of(env);
        gpci_pcal_sample *last = (gpci_pcal_sample *)(void *)(common + 1);
        gpci_pcal_init(&common->predictor, &options, last, (gpci_vote_sm *)(void *)(last + env->sms));
        common->ready = true;
    }
    pcal->sm = env->sm;
    pcal->first = env->index == 0;
    pcal->last = env->index + 1 == env->count;
    pcal->l2_found = env->parameters[TOKENS_L2] < 0;
    pcal->remembers = env->words[REMEMBER] == 1;
}

/* Read `ebt`, and refuse parameters without effect. */
static gpc_status check(const gpc_scheduler_env *env, int32_t *out_ebt, char *message) {
    const double *p = env->parameters;
    bool separate = env->words[LEVEL] == GPCI_TOKENS_SEPARATE, found = is_auto(env->texts[EBT]);
    if (!found && !read_ebt(env->texts[EBT], out_ebt))
        return gpci_policy_refuse(message, GPC_ERROR_ARGUMENT,
                                  "ebt is '%.60s', neither auto nor a number from -1024 to 1024", env->texts[EBT]);
    if (env->words[REMEMBER] == 1 && !found)
        return gpci_policy_refuse(message, GPC_ERROR_ARGUMENT, "remember=kernels has no effect without ebt=auto");
    if (p[TOKENS_L2] < 0 && !found)
        return gpci_policy_refuse(message, GPC_ERROR_ARGUMENT, "tokens-l2=-1 has no effect without ebt=auto");
    if (p[TOKENS_L2] != 0 && !separate)
        return gpci_policy_refuse(message, GPC_ERROR_ARGUMENT, "tokens-l2 has no effect without level=separate");
    return GPC_OK;
}

static gpc_status init(void *self, const gpc_scheduler_env *env, char *message) {
    pcal_state *pcal = self;
    gpc_status status = check(env, &pcal->ebt, message);
    pcal->common = env->shared_state;
    pcal->context = env->context;
    if (status == GPC_OK && env->texts[KERNELS][0])
        status = gpci_pcal_rows_take(&pcal->common->rows, env->context, env->texts[KERNELS], message);
    if (status < 0)
        return status;
    pcal->warps = (uint32_t)env->parameters[WARPS];
    pcal->l2.level = (gpci_tokens_level)env->words[LEVEL];
    pcal->l2.tokens = env->parameters[TOKENS_L2] < 0 ? GPCI_TOKENS_ALL : (uint32_t)env->parameters[TOKENS_L2];
    pcal->l2.exclusive = env->words[SETS] == 1;
    pcal->automatic = is_auto(env->texts[EBT]);
    if (pcal->automatic)
        join(pcal, env);
    return GPC_OK;
}

static void finish(void *self) {
    pcal_state *pcal = self;
    if (pcal->common->rows.users)
        gpci_pcal_rows_leave(&pcal->common->rows, pcal->context);
}

/* The SMs get the event in turn; the first scheduler of the first SM updates the shared state. */
static bool on_kernel(void *self, const char *name) {
    pcal_state *pcal = self;
    const gpci_pcal_row *row = gpci_pcal_rows_find(&pcal->common->rows, name);
    pcal->set = row != NULL;
    pcal->set_warps = row && row->warps ? row->warps : pcal->warps;
    pcal->set_ebt = row ? row->ebt : 0;
    if (pcal->remembers && pcal->first && pcal->sm == 0)
        gpci_pcal_memory_kernel(&pcal->common->memory, &pcal->common->predictor, row ? NULL : name);
    return true;
}

static gpci_tokens sizes(const pcal_state *pcal) {
    uint32_t warps = pcal->set ? pcal->set_warps : pcal->warps, warp_opt = warps ? warps : pcal->most;
    if (pcal->set || !pcal->automatic)
        return gpci_tokens_of(warp_opt, pcal->set ? pcal->set_ebt : pcal->ebt);
    const gpci_pcal *predictor = &pcal->common->predictor;
    return gpci_tokens_both(warp_opt, gpci_pcal_cut(predictor, pcal->sm), predictor->extra);
}

static void raise(uint32_t *peak, uint32_t value) {
    *peak = value > *peak ? value : *peak;
}

/* Update the peaks `tokens`, `bypassing` and `held`. The oldest of the `running` warps have the tokens. */
static void note_peaks(pcal_state *pcal, const gpci_tokens *tokens, uint32_t running, uint32_t throttled) {
    uint32_t with = running < tokens->cache ? running : tokens->cache, without = running - with;
    raise(&pcal->tokens, with);
    raise(&pcal->bypassing, without < tokens->bypass ? without : tokens->bypass);
    raise(&pcal->held, throttled);
}

static void classify(void *self, const gpc_throttle_view *view, gpc_throttle_classes *classes) {
    pcal_state *pcal = self;
    pcal->most = !view->running || view->running > pcal->most ? view->running : pcal->most;
    gpci_tokens tokens = sizes(pcal);
    if (pcal->l2_found)
        pcal->l2.tokens = pcal->set ? GPCI_TOKENS_ALL : pcal->common->predictor.l2;
    uint32_t throttled = gpci_tokens_give(&tokens, &pcal->l2, view, classes);
    note_peaks(pcal, &tokens, view->running, throttled);
    pcal->had = view->running > pcal->had ? view->running : pcal->had;
    pcal->throttled = throttled > pcal->throttled ? throttled : pcal->throttled;
    if (pcal->asked)
        classes->again = view->cycle + 1;
    pcal->asked = false;
}

static void take_counters(gpci_pcal_sample *sample, const gpc_stats *stats) {
    *sample = (gpci_pcal_sample){.cycles = stats->sm_cycles,
                                 .active_cycles = stats->sm_active_cycles,
                                 .instructions = stats->warp_instructions,
                                 .loads = stats->l1_load_lines,
                                 .load_misses = stats->l1_load_line_misses,
                                 .scheduler_cycles = stats->scheduler_cycles,
                                 .stalls = stats->scheduler_memory_stalls,
                                 .requests = stats->network_requests,
                                 .request_cycles = stats->network_request_cycles,
                                 .replies = stats->network_replies,
                                 .reply_cycles = stats->network_reply_cycles,
                                 .l2_reads = stats->l2_read_sectors,
                                 .l2_read_hits = stats->l2_read_sector_hits};
}

/* The schedulers of an SM get equal samples; the last scheduler of the GPU closes the period. */
static bool sample(void *self, const gpc_stats *stats, uint64_t cycle) {
    (void)cycle;
    pcal_state *pcal = self;
    if (!pcal->automatic || pcal->set)
        return false;
    gpci_pcal *predictor = &pcal->common->predictor;
    gpci_pcal_sample *pcal_sample = &predictor->last[pcal->sm];
    if (pcal->first)
        take_counters(pcal_sample, stats);
    pcal_sample->warps = pcal->had > pcal_sample->warps ? pcal->had : pcal_sample->warps;
    pcal_sample->throttled = pcal->throttled > pcal_sample->throttled ? pcal->throttled : pcal_sample->throttled;
    pcal->had = pcal->throttled = 0;
    if (pcal->last)
        gpci_pcal_observe(predictor, pcal->sm, pcal_sample);
    pcal->asked = true;
    return true;
}

/*
 * Cost. For each warp: a bit for each level with tokens. For each scheduler: the order of warps; the sizes of the
 * groups, 0 to warps each; with warps=0 the largest number of running warps. The token bits in requests and lines are
 * not counted. With ebt=auto also: for a scheduler the largest numbers of warps and of throttled warps, for an SM its
 * counters, for the GPU the predictor. A runtime's memory of kernels is software.
 */
static uint64_t cost_bits(const gpc_scheduler_env *env) {
    uint64_t size = gpci_ceil_log2((uint64_t)env->warps + 1);
    uint64_t sets = env->words[LEVEL] == GPCI_TOKENS_SEPARATE ? 2 : 1;
    uint64_t bits = sets * env->warps + gpci_age_bits(env) + (sets + 1) * size;
    bits += env->parameters[WARPS] > 0 ? 0 : size;
    /* registers for the numbers that software sets: warp-opt, and EBTNum with a sign */
    bits += env->texts[KERNELS][0] && !env->index && !env->sm ? 2 * size + 2 : 0;
    if (!is_auto(env->texts[EBT]))
        return bits;
    gpci_pcal_options options = options_of(env);
    bits += 2 * size;
    bits += env->index ? 0 : gpci_pcal_sm_bits(&options, env->warps);
    return bits + (env->index || env->sm ? 0 : gpci_pcal_bits(&options, env->warps));
}

static void state_of(void *self, gpc_state_fn visit, void *user_data) {
    pcal_state *pcal = self;
    visit(user_data, &pcal->warps, sizeof pcal->warps);
    visit(user_data, &pcal->most, sizeof pcal->most);
    visit(user_data, &pcal->ebt, sizeof pcal->ebt);
    visit(user_data, &pcal->asked, sizeof pcal->asked);
    visit(user_data, &pcal->had, sizeof pcal->had);
    visit(user_data, &pcal->throttled, sizeof pcal->throttled);
    visit(user_data, &pcal->set, sizeof pcal->set);
    visit(user_data, &pcal->set_warps, sizeof pcal->set_warps);
    visit(user_data, &pcal->set_ebt, sizeof pcal->set_ebt);
    visit(user_data, &pcal->l2.tokens, sizeof pcal->l2.tokens);
    visit(user_data, &pcal->tokens, sizeof pcal->tokens);
    visit(user_data, &pcal->bypassing, sizeof pcal->bypassing);
    visit(user_data, &pcal->held, sizeof pcal->held);
    if (!pcal->automatic)
        return;
    gpci_pcal_state_of(&pcal->common->predictor, visit, user_data);
    visit(user_data, &pcal->common->memory, sizeof pcal->common->memory);
}

static bool counter(void *self, size_t index, gpc_policy_counter *out) {
    const pcal_state *pcal = self;
    const gpci_published rows[] = {
        {"tokens", "warps", "the most warps of a scheduler that had a token at once", GPCI_IS_LEVEL, pcal->tokens},
        {"bypassing", "warps", "the most that ran without one", GPCI_IS_LEVEL, pcal->bypassing},
        {"throttled", "warps", "the most that were held back", GPCI_IS_LEVEL, pcal->held},
    };
    return GPCI_PUBLISH(rows, index, out);
}

const gpc_throttle_ops gpci_pcal_throttle = {
    .struct_size = sizeof(gpc_throttle_ops),
    .counter = counter,
    .state = state_of,
    .name = "pcal",
    .summary = "priority-based cache allocation: the oldest warps hold tokens, some run past the cache, the rest waits",
    .source = "seeds/004 sections 4.3 and 4.4; Li et al., HPCA 2015",
    .instance_bytes = sizeof(pcal_state),
    .parameters = parameters,
    .parameter_count = PARAMETERS,
    .texts = texts,
    .text_count = TEXTS,
    .shared_bytes = sizeof(pcal_common),
    .shared_scheduler_bytes = sizeof(pcal_of_sm),
    .init = init,
    .finish = finish,
    .on_kernel = on_kernel,
    .classify = classify,
    .sample = sample,
    .cost_bits = cost_bits,
};
