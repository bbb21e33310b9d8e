/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/scheduler/schedulers.h"
#include "policies/throttle/siblings.h"
#include "policies/throttle/throttles.h"
#include "stats/stats.h"

/*
 * Coordinated bypassing and warp throttling (Chen et al., MICRO 2014). A bypass policy by reuse distance protects L1:
 * l1.replacement = protecting-distance(bypass=1). If the bypassed requests exceed the network's capacity, fewer warps
 * run. Contention for L1 and congestion are detected while the program runs, and a simple predictor computes a number
 * of warps that suits both.
 *
 * The exact rules are in the paper, which is not among the documents (seeds/). The rules here have thresholds from runs
 * of twelve programs of seeds/004 (bench/documents). An SM keeps the tags of lines missed by loads. A miss on a kept
 * tag is a reuse that L1 lost: the line was replaced or bypassed. `lost` counts such misses in a period, `hits` counts
 * the reuses not lost. The SM is
 *
 *   contended   if lost reuses are more than `contention` of its accesses
 *   congested   if packets take more than `noc-latency` cycles to L2 and back, or the memory pipeline stalls the
 *               schedulers for more than `stall-ratio` of their cycles
 *
 * At the end of a period with N running warps a scheduler runs
 *
 *   contended and congested   N x hits / (hits + lost) warps, rounded up: the warps with reuse in L1
 *   not congested             one warp more: the network has capacity for bypassed requests
 *   otherwise                 N warps
 *
 * Example, 12 warps run, 4,000 accesses, 1,000 hits, 2,001 lost, 90 cycles to L2 and back: contended, congested, and 12
 * x 1,000 / 3,001, rounded up, four warps go on. In the next period 18 cycles and no stalls: not congested, five.
 */

enum { NOC_LATENCY, STALL_RATIO, CONTENTION, TAGS, PARAMETERS };

#define TAG_WAYS 8u
#define LEAST_ACCESSES 64u /* fewest accesses of a period for a decision */

typedef struct cbwt {
    gpci_siblings siblings;
    gpc_context *context;
    uint64_t *tags; /* [sets][TAG_WAYS], the latest first; 1 + line address, 0 = free */
    uint32_t sets;
    uint32_t warps;
    double noc_latency, stall_ratio, contention;
    /* state of the SM, in the SM's first instance; the other instances do not use these fields: */
    uint64_t accesses, hits, lost; /* counts of the present period */
    uint32_t limit;                /* warps of a scheduler allowed to run */
    uint32_t ran;                  /* largest number of a scheduler's running warps in the present period */
} cbwt;

static const gpc_parameter parameters[] = {
    [NOC_LATENCY] = {"noc-latency", 20, 0, 1e6, false, "core cycles to L2 and back above which it is congested"},
    [STALL_RATIO] = {"stall-ratio", 0.5, 0, 1, false, "share of cycles that the memory pipeline stalls, likewise"},
    [CONTENTION] = {"contention", 0.5, 0, 1, false,
                    "share of accesses that lost their line above which L1 is contended"},
    [TAGS] = {"tags", 512, TAG_WAYS, 65536, true, "lines that were missed, in sets of 8: a power of two"},
};

static void finish(void *self) {
    cbwt *throttle = self;
    gpci_siblings_leave(throttle->siblings, throttle);
    gpci_free(throttle->context, throttle->tags);
}

static gpc_status init(void *self, const gpc_scheduler_env *env, char *message) {
    cbwt *throttle = self;
    const double *p = env->parameters;
    const uint32_t tags = (uint32_t)p[TAGS];
    if (!gpci_power_of_two(tags))
        return gpci_policy_refuse(message, GPC_ERROR_RANGE, "tags = %u is not a power of two", tags);
    *throttle = (cbwt){.context = env->context,
                       .tags = gpci_zalloc(env->context, tags, sizeof *throttle->tags),
                       .sets = tags / TAG_WAYS,
                       .warps = env->warps,
                       .noc_latency = p[NOC_LATENCY],
                       .stall_ratio = p[STALL_RATIO],
                       .contention = p[CONTENTION],
                       .limit = env->warps};
    if (!throttle->tags)
        return GPC_ERROR_MEMORY;
    throttle->siblings = gpci_siblings_join(throttle, env);
    return GPC_OK;
}

static cbwt *first(cbwt *throttle) {
    return gpci_siblings_first(throttle->siblings, throttle);
}

/* Record a missed line. True if the line's tag was kept from an earlier miss. */
static bool note_miss(cbwt *throttle, uint64_t address) {
    uint64_t *set = throttle->tags + TAG_WAYS * (gpci_mix(address) & (throttle->sets - 1));
    uint32_t way = 0;
    while (way < TAG_WAYS - 1 && set[way] != 1 + address)
        way++;
    const bool known = set[way] == 1 + address;
    for (; way; way--)
        set[way] = set[way - 1];
    set[0] = 1 + address;
    return known;
}

/* Count an event. All instances of the SM get the event, and only the first instance counts. */
static bool on_cache_event(void *self, const gpc_cache_event *event) {
    cbwt *throttle = self;
    if (event->kind == GPC_CACHE_EVENT_EVICT || first(throttle) != throttle)
        return false;
    throttle->accesses++;
    if (event->kind == GPC_CACHE_EVENT_HIT)
        throttle->hits++;
    else
        throttle->lost += note_miss(throttle, event->line_address);
    return false;
}

static void classify(void *self, const gpc_throttle_view *view, gpc_throttle_classes *classes) {
    cbwt *throttle = first(self);
    uint32_t places = throttle->limit, run = 0;
    for (uint32_t age = 0; age < view->running; age++) {
        const uint32_t slot = view->by_age[age];
        if (!places) {
            classes->throttled[slot / 64] |= gpci_warp_bit(slot);
            continue;
        }
        run++;
        places -= view->states[slot] != GPC_STATE_BARRIER;
    }
    throttle->ran = run > throttle->ran ? run : throttle->ran;
}

static double ratio(uint64_t part, uint64_t total) {
    return total ? (double)part / (double)total : 0;
}

/* Limit for the next period, from the counts and the statistics of the past period. */
static uint32_t suits(const cbwt *throttle, const gpc_stats *stats) {
    const double latency = ratio(stats->network_request_cycles, stats->network_requests) +
                           ratio(stats->network_reply_cycles, stats->network_replies),
                 stalled = ratio(stats->scheduler_memory_stalls, stats->scheduler_cycles);
    const uint64_t reuses = throttle->hits + throttle->lost;
    if (latency <= throttle->noc_latency && stalled <= throttle->stall_ratio)
        return throttle->limit < throttle->warps ? throttle->limit + 1 : throttle->limit;
    if ((double)throttle->lost <= throttle->contention * (double)throttle->accesses)
        return throttle->limit;
    const uint32_t found = (uint32_t)((throttle->ran * throttle->hits + reuses - 1) / reuses);
    return found ? found : 1;
}

/*
 * All of the SM's instances get the sample; the first instance decides, and the others follow at their next `classify`.
 */
static bool sample(void *self, const gpc_stats *stats, uint64_t cycle) {
    cbwt *throttle = self;
    (void)cycle;
    if (first(throttle) != throttle)
        return true;
    if (throttle->accesses < LEAST_ACCESSES)
        return false;
    throttle->limit = suits(throttle, stats);
    throttle->accesses = throttle->hits = throttle->lost = 0;
    throttle->ran = 0;
    return true;
}

/*
 * Cost: the order of warps. Once for an SM's schedulers: tags; the counters `accesses`, `hits` and `lost` of 16 bits;
 * three more counters of 16 bits, two for the network's latency and one for stalls; the limit, and the largest number
 * of running warps.
 */
static uint64_t cost_bits(const gpc_scheduler_env *env) {
    const uint64_t tags = (uint64_t)env->parameters[TAGS] * (GPCI_LINE_TAG_BITS + 1);
    const uint64_t number = gpci_ceil_log2((uint64_t)env->warps + 1);
    return gpci_age_bits(env) + (tags + 6 * 16 + 2 * number + env->count - 1) / env->count;
}

static void state_of(void *self, gpc_state_fn visit, void *user_data) {
    cbwt *throttle = self;
    visit(user_data, throttle->tags, (size_t)throttle->sets * TAG_WAYS * sizeof *throttle->tags);
    visit(user_data, &throttle->accesses, sizeof throttle->accesses);
    visit(user_data, &throttle->hits, sizeof throttle->hits);
    visit(user_data, &throttle->lost, sizeof throttle->lost);
    visit(user_data, &throttle->limit, sizeof throttle->limit);
    visit(user_data, &throttle->ran, sizeof throttle->ran);
}

const gpc_throttle_ops gpci_cbwt_throttle = {
    .struct_size = sizeof(gpc_throttle_ops),
    .state = state_of,
    .name = "cbwt",
    .summary = "coordinated bypassing and warp throttling: fewer warps while L1 is contended and the network congested",
    .source = "Chen et al., MICRO 2014",
    .instance_bytes = sizeof(cbwt),
    .parameters = parameters,
    .parameter_count = PARAMETERS,
    .init = init,
    .finish = finish,
    .classify = classify,
    .on_cache_event = on_cache_event,
    .sample = sample,
    .cost_bits = cost_bits,
    .shared_scheduler_bytes = GPCI_SIBLING_BYTES,
};
