/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/prefetcher/strides.h"

/*
 * Many-thread aware prefetching (MT-HWP, Lee et al., MICRO 2010; seeds/004 section 2.2). Three tables:
 *
 *   PWS  the stride of a load in one warp, as in `stride`
 *   GS   loads with the same stride in `promote` warps: the stride holds for all warps; further warps need not learn
 *   IP   inter-thread: the distance between the addresses of neighbouring warps at one load
 *
 * A load is looked up in GS, then IP, then PWS; the first match gives the prefetch. A throttle drops a share of the
 * prefetches. Every `period` cycles the throttle computes early evictions (prefetched lines evicted unused / used) and
 * merges (loads with the line in flight / all missing loads), each averaged with the period before.
 *
 *   early evictions       merges         fifths of the prefetches that are dropped
 *   above `early-high`    any            all five
 *   above `early-low`     any            one more than before
 *   up to `early-low`     above `merge`  one less than before: loads come just behind their prefetches
 *   up to `early-low`     up to `merge`  one more than before: prefetching gains little
 *
 * Thresholds are the paper's, as far as known. Prefetches go to L1; the paper has a separate prefetch cache.
 *
 * Example: warps 0, 1 and 2 run a loop with a load that moves by 4096 bytes. Each warp learns the stride (PWS). At the
 * third warp the load enters GS, and warp 3 fetches its next line with its first load. A load without a loop, at
 * 0x1000, 0x1080 and 0x1100 in warps 0, 1, 2, enters IP, and warp 2 fetches 0x1180 for warp 3.
 */

enum { PWS, GS, IP, STEADY, PROMOTE, DISTANCE, PERIOD, EARLY_HIGH, EARLY_LOW, MERGE, PARAMETERS };
enum { THROTTLE, TEXTS };

#define FIFTHS 5u     /* the throttle drops fifths of the prefetches */
#define AT_FIRST 2u   /* fifths dropped at the start */
#define COUNTERS 4u   /* number of counters of the throttle, for costs */
#define COUNT_BITS 20 /* bits of a counter, for costs */

/* Entry of table IP: distance between the addresses of neighbouring warps at the load `pc`. */
typedef struct warp_gap {
    uint64_t pc, address, used; /* used: `clock` at the last access; 0 = free entry */
    int64_t stride;             /* difference of the addresses of a warp and the next warp */
    /* warp: the warp that read `address`. run: equal strides in a row. */
    uint32_t warp, run;
} warp_gap;

typedef struct throttle {
    uint64_t next; /* cycle of the period's end */
    uint64_t useful, early, merges, misses;
    double early_before, merge_before;
    uint32_t dropped;  /* fifths of the prefetches that are dropped */
    uint32_t position; /* position of the last prefetch in its group of five, 0 to 4 */
} throttle;

typedef struct mta {
    gpci_strides warps, all; /* tables PWS and GS */
    warp_gap *pairs;         /* [pair_count]: table IP */
    gpc_context *context;
    uint64_t clock, period;
    double early_high, early_low, merge;
    uint32_t pair_count, steady, promote, distance, line_bytes;
    bool throttled;
    throttle now;
} mta;

static const gpc_parameter parameters[] = {
    {"pws", 32, 1, 4096, true, "entries of the table of strides in a warp"},
    {"gs", 8, 1, 4096, true, "entries of the table of strides in all warps"},
    {"ip", 8, 1, 4096, true, "entries of the table of distances between warps"},
    {"steady", 2, 1, 15, true, "equal strides in a row, or distances, that train an entry"},
    {"promote", 3, 1, 64, true, "warps of one stride at a load with which it enters gs"},
    {"distance", 1, 1, 4096, true, "strides, or warps, from the load to what is fetched; a line at least"},
    {"period", 100000, 1, 1e12, true, "core cycles after which the throttle decides anew"},
    {"early-high", 0.02, 0, 1e9, false, "early evictions for each useful prefetch above which all are dropped"},
    {"early-low", 0.01, 0, 1e9, false, "and above which more are"},
    {"merge", 0.15, 0, 1, false, "share of misses that found their line in flight above which fewer are"},
};

static const gpc_text_parameter texts[] = {{"throttle", "on", "on|off", "off: everything is fetched"}};

static void finish(void *self) {
    mta *prefetcher = self;
    gpci_strides_finish(&prefetcher->warps, prefetcher->context);
    gpci_strides_finish(&prefetcher->all, prefetcher->context);
    gpci_free(prefetcher->context, prefetcher->pairs);
}

static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    (void)message;
    mta *prefetcher = self;
    const double *p = env->parameters;
    *prefetcher = (mta){.context = env->context,
                        .period = (uint64_t)p[PERIOD],
                        .early_high = p[EARLY_HIGH],
                        .early_low = p[EARLY_LOW],
                        .merge = p[MERGE],
                        .pair_count = (uint32_t)p[IP],
                        .steady = (uint32_t)p[STEADY],
                        .promote = (uint32_t)p[PROMOTE],
                        .distance = (uint32_t)p[DISTANCE],
                        .line_bytes = env->line_bytes,
                        .throttled = env->words[THROTTLE] == 0,
                        .now = {.next = (uint64_t)p[PERIOD], .dropped = AT_FIRST}};
    gpc_status status = gpci_strides_init(&prefetcher->warps, env->context, (uint32_t)p[PWS], prefetcher->steady);
    if (status == GPC_OK)
        status = gpci_strides_init(&prefetcher->all, env->context, (uint32_t)p[GS], 1);
    prefetcher->pairs =
        status == GPC_OK ? gpci_zalloc(env->context, prefetcher->pair_count, sizeof *prefetcher->pairs) : NULL;
    if (prefetcher->pairs)
        return GPC_OK;
    finish(prefetcher);
    return GPC_ERROR_MEMORY;
}

/* Number of warps with a trained entry in PWS that has the load and the stride of `stride`. */
static uint32_t agreeing(const mta *prefetcher, const gpci_stride *stride) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < prefetcher->warps.count; i++) {
        const gpci_stride *other = &prefetcher->warps.all[i];
        count += other->used && other->pc == stride->pc && other->stride == stride->stride &&
                 other->run >= prefetcher->steady;
    }
    return count;
}

static void learn_in_warp(mta *prefetcher, const gpc_request *request, uint64_t address) {
    const gpci_stride *stride = gpci_strides_learn(&prefetcher->warps, request->pc, gpci_warp_of(request), address);
    if (!gpci_stride_is_trained(&prefetcher->warps, stride) || agreeing(prefetcher, stride) < prefetcher->promote)
        return;
    gpci_stride *all = gpci_strides_learn(&prefetcher->all, request->pc, UINT32_MAX, 0);
    all->stride = stride->stride;
    all->run = 1;
}

static warp_gap *find_gap(const mta *prefetcher, uint64_t pc) {
    for (uint32_t i = 0; i < prefetcher->pair_count; i++)
        if (prefetcher->pairs[i].used && prefetcher->pairs[i].pc == pc)
            return &prefetcher->pairs[i];
    return NULL;
}

/* Entry for a new load: replaces the least recently used entry. */
static warp_gap *new_gap(const mta *prefetcher, uint64_t pc) {
    warp_gap *found = prefetcher->pairs;
    for (uint32_t i = 1; i < prefetcher->pair_count; i++)
        if (prefetcher->pairs[i].used < found->used)
            found = &prefetcher->pairs[i];
    *found = (warp_gap){.pc = pc};
    return found;
}

static void learn_gap(mta *prefetcher, const gpc_request *request, uint64_t address) {
    warp_gap *known = find_gap(prefetcher, request->pc), *gap = known ? known : new_gap(prefetcher, request->pc);
    const int64_t warps = (int64_t)gpci_warp_of(request) - gap->warp, bytes = (int64_t)(address - gap->address);
    gap->used = ++prefetcher->clock;
    if (known && !warps)
        return; /* the same warp again: a stride for PWS */
    if (known) {
        const int64_t stride = bytes % warps ? 0 : bytes / warps;
        gap->run = !stride ? 0 : stride != gap->stride ? 1 : gap->run < prefetcher->steady ? gap->run + 1 : gap->run;
        gap->stride = stride;
    }
    gap->warp = gpci_warp_of(request);
    gap->address = address;
}

/* Bytes from the load's line to the line to fetch; 0 = no prediction. */
static uint64_t ahead_of(mta *prefetcher, const gpc_request *request) {
    const gpci_stride *all = gpci_strides_find(&prefetcher->all, request->pc, UINT32_MAX);
    if (all)
        return gpci_stride_ahead(all->stride, prefetcher->distance, prefetcher->line_bytes);
    const warp_gap *gap = find_gap(prefetcher, request->pc);
    if (gap && gap->run >= prefetcher->steady)
        return gpci_stride_ahead(gap->stride, prefetcher->distance, prefetcher->line_bytes);
    const gpci_stride *own = gpci_strides_find(&prefetcher->warps, request->pc, gpci_warp_of(request));
    return gpci_stride_is_trained(&prefetcher->warps, own)
               ? gpci_stride_ahead(own->stride, prefetcher->distance, prefetcher->line_bytes)
               : 0;
}

static double ratio(uint64_t part, uint64_t total) {
    return total ? (double)part / (double)total : part ? 1e9 : 0;
}

static void decide(mta *prefetcher) {
    throttle *now = &prefetcher->now;
    const double early = (ratio(now->early, now->useful) + now->early_before) / 2,
                 merge = (ratio(now->merges, now->misses) + now->merge_before) / 2;
    if (early > prefetcher->early_high)
        now->dropped = FIFTHS;
    else if (early <= prefetcher->early_low && merge > prefetcher->merge)
        now->dropped -= now->dropped > 0;
    else
        now->dropped += now->dropped < FIFTHS;
    *now = (throttle){.early_before = early, .merge_before = merge, .dropped = now->dropped, .position = now->position};
}

/* True if the next prefetch may go. Of each group of five prefetches, the last `dropped` are dropped. */
static bool lets_pass(mta *prefetcher) {
    prefetcher->now.position = (prefetcher->now.position + 1) % FIFTHS;
    return !prefetcher->throttled || prefetcher->now.position < FIFTHS - prefetcher->now.dropped;
}

static void count(mta *prefetcher, const gpc_prefetch_access *access) {
    const uint64_t cycle = access->request->cycle;
    if (cycle >= prefetcher->now.next) {
        decide(prefetcher);
        prefetcher->now.next = cycle - cycle % prefetcher->period + prefetcher->period;
    }
    prefetcher->now.misses += access->found != GPC_PREFETCH_FOUND_HIT;
    prefetcher->now.merges += access->found == GPC_PREFETCH_FOUND_FLIGHT;
}

static uint32_t on_access(void *self, const gpc_prefetch_access *access, gpc_prefetch *out) {
    mta *prefetcher = self;
    const gpc_request *request = access->request;
    count(prefetcher, access);
    if (!access->line) {
        if (!gpci_strides_find(&prefetcher->all, request->pc, UINT32_MAX))
            learn_in_warp(prefetcher, request, access->lane_address);
        learn_gap(prefetcher, request, access->lane_address);
    }
    const uint64_t ahead = ahead_of(prefetcher, request);
    if (!ahead || !lets_pass(prefetcher))
        return 0;
    out->address = request->address + ahead;
    return 1;
}

static void on_outcome(void *self, uint64_t line_address, uint32_t outcome) {
    (void)line_address;
    mta *prefetcher = self;
    prefetcher->now.useful += outcome == GPC_PREFETCH_USEFUL || outcome == GPC_PREFETCH_LATE;
    prefetcher->now.early += outcome == GPC_PREFETCH_UNUSED;
}

static uint64_t cost_bits(const gpc_policy_env *env) {
    const double *p = env->parameters;
    const uint32_t steady = (uint32_t)p[STEADY], ip = (uint32_t)p[IP], gs = (uint32_t)p[GS];
    uint64_t bits =
        gpci_strides_bits((uint32_t)p[PWS], steady, GPCI_SLOT_BITS) + gpci_strides_bits(ip, steady, GPCI_SLOT_BITS);
    bits += gs * (uint64_t)(GPCI_PC_BITS + GPCI_STRIDE_BITS + gpci_ceil_log2(gs));
    return env->words[THROTTLE] ? bits : bits + COUNTERS * COUNT_BITS + 2 * COUNT_BITS + 3 + 3;
}

static void state(void *self, gpc_state_fn visit, void *visit_data) {
    mta *prefetcher = self;
    gpci_strides_state(&prefetcher->warps, visit, visit_data);
    gpci_strides_state(&prefetcher->all, visit, visit_data);
    visit(visit_data, prefetcher->pairs, prefetcher->pair_count * sizeof *prefetcher->pairs);
    visit(visit_data, &prefetcher->clock, sizeof prefetcher->clock);
    visit(visit_data, &prefetcher->now, sizeof prefetcher->now);
}

const gpc_prefetcher_ops gpci_mta = {
    .struct_size = sizeof(gpc_prefetcher_ops),
    .name = "mta",
    .summary = "strides of warps, of all warps and between them, as many as are in time and used",
    .source = "Lee et al., MICRO 2010; seeds/004 section 2.2",
    .instance_bytes = sizeof(mta),
    .parameters = parameters,
    .parameter_count = PARAMETERS,
    .texts = texts,
    .text_count = TEXTS,
    .init = init,
    .finish = finish,
    .on_access = on_access,
    .on_outcome = on_outcome,
    .cost_bits = cost_bits,
    .state = state,
};
