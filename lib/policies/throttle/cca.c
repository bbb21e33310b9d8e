/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/scheduler/schedulers.h"
#include "policies/throttle/siblings.h"
#include "policies/throttle/throttles.h"
#include "stats/stats.h"

#include <string.h>

/*
 * Adaptive cache and concurrency allocation (Zheng, Wang and Lipasti, IEEE Computer Architecture Letters 14(2), 2015;
 * seeds/000 section 3). The warps of an SM are divided by locality and reuse distance of the program's access patterns:
 *   cached    the oldest warps whose footprints together fit L1
 *   bypassed  further running warps, without allocation in L1, while the memory system has capacity
 *   waiting   the remaining warps
 * Two tables decide. The access pattern table tells for a load instruction whether its lines are used again by their
 * warp, and the number of lines between. The instruction needs this number of lines kept, and one more. The footprint
 * table tells for a warp the largest need of its executed instructions.
 *
 * The paper is short, and this file fills its gaps. The oldest warp of each scheduler is watched: its last `window`
 * lines are kept in a stack, the most recent first, each with the accessing instruction. A line found at depth d is a
 * reuse of the instruction at distance d. After `trained` accesses an instruction has locality if a share of at least
 * `locality` was reused; the instruction then needs the mean distance, rounded up, and one line more. Without locality
 * the need is none. A warp's footprint is the largest of its instructions' needs. If none of `window` accesses confirms
 * the footprint, the footprint becomes the last access's need. A warp without a known footprint gets the footprint
 * found last. A warp without locality, or with a too large footprint, is never cached. L1's lines are divided among the
 * SM's schedulers. At first as many warps may bypass as the scheduler has. If the memory pipeline stalls the scheduler
 * for more than `stalls` of its cycles in a period, half as many may bypass. For stalls below half of `stalls`, one
 * more may bypass. At least one warp always runs.
 *
 * Example, lines=8, one scheduler, instruction p goes through 3 lines of each warp again and again:
 *   each line is found at depth 2: p needs 3 lines
 *   warps 0 and 1 are cached, 3 + 3 <= 8; 2 and 3 bypass
 *   a period with stalls above 0.2: 2 of 4 warps may bypass, after the next period 1: 2 bypasses, 3 waits
 */

enum { LINES, ENTRIES, WINDOW, LOCALITY, TRAINED, STALLS };

typedef struct cca_pattern {
    uint32_t pc;
    uint32_t accesses, reuses, distances; /* sums of the present round of `trained` accesses */
    uint32_t need;                        /* lines needed, computed at the end of the last round */
    bool known;                           /* a round has ended */
} cca_pattern;

typedef struct cca_line {
    uint64_t address;   /* 1 + line address; 0 = free */
    uint32_t entry, pc; /* index in `patterns`, and PC, of the last access's instruction */
} cca_line;

typedef struct cca_warp {
    uint32_t footprint;
    uint32_t unconfirmed; /* accesses in a row with a smaller need */
    bool known;
} cca_warp;

typedef struct cca {
    gpci_siblings siblings;
    gpc_context *context;
    cca_warp *of_warp;     /* [warps]: the footprint table */
    cca_pattern *patterns; /* [entries]: the access pattern table; all instances of the SM use the first instance's */
    cca_line *stack;       /* [window]: stack of the watched warp, the most recent line first */
    uint32_t entries, window, warps, share, trained; /* share: lines of L1 for this scheduler */
    uint32_t watched;                                /* slot of the watched warp; GPC_NO_WARP = none */
    cca_warp latest;                                 /* warp with the footprint found last */
    uint32_t bypassers;                              /* warps allowed to bypass */
    double locality, stalls;
} cca;

static const gpc_parameter parameters[] = {
    [LINES] = {"lines", 128, 1, 1048576, true, "lines of L1 that footprints are to fit (16 KiB: 128)"},
    [ENTRIES] = {"entries", 32, 1, 4096, true, "instructions in the access pattern table, a power of two"},
    [WINDOW] = {"window", 64, 1, 4096, true, "lines of the watched warp within which a reuse is seen"},
    [LOCALITY] = {"locality", 0.25, 0.001, 1, false, "share of an instruction's accesses that make it one to cache"},
    [TRAINED] = {"trained", 64, 1, 1048576, true, "accesses after which an instruction is judged anew"},
    [STALLS] = {"stalls", 0.2, 0, 1, false, "share of cycles stalled by the memory pipeline above which fewer bypass"},
};

static void finish(void *self) {
    cca *throttle = self;
    gpci_siblings_leave(throttle->siblings, throttle);
    gpci_free(throttle->context, throttle->patterns);
    gpci_free(throttle->context, throttle->stack);
}

static gpc_status init(void *self, const gpc_scheduler_env *env, char *message) {
    cca *throttle = self;
    const double *p = env->parameters;
    uint32_t lines = (uint32_t)p[LINES];
    *throttle = (cca){.context = env->context,
                      .of_warp = env->warp_state,
                      .entries = (uint32_t)p[ENTRIES],
                      .window = (uint32_t)p[WINDOW],
                      .warps = env->warps,
                      .share = lines / env->count + (env->index < lines % env->count),
                      .trained = (uint32_t)p[TRAINED],
                      .watched = GPC_NO_WARP,
                      .bypassers = env->warps,
                      .locality = p[LOCALITY],
                      .stalls = p[STALLS]};
    if (!gpci_power_of_two(throttle->entries))
        return gpci_policy_refuse(message, GPC_ERROR_RANGE, "entries = %u is not a power of two", throttle->entries);
    throttle->siblings = gpci_siblings_join(throttle, env);
    throttle->patterns = gpci_zalloc(throttle->context, throttle->entries, sizeof *throttle->patterns);
    throttle->stack = gpci_zalloc(throttle->context, throttle->window, sizeof *throttle->stack);
    if (throttle->patterns && throttle->stack)
        return GPC_OK;
    finish(throttle);
    return GPC_ERROR_MEMORY;
}

static void on_state(void *self, uint32_t slot, gpc_warp_state before, gpc_warp_state after) {
    (void)before;
    cca *throttle = self;
    if (after == GPC_STATE_ABSENT)
        throttle->of_warp[slot] = (cca_warp){0};
}

/*
 * Entry of the instruction `pc`. If another instruction has the entry, the entry begins anew. PCs are multiples of 8.
 */
static cca_pattern *pattern_of(cca_pattern *patterns, uint32_t entries, uint32_t pc) {
    cca_pattern *pattern = &patterns[(pc >> 3) & (entries - 1)];
    if (pattern->pc != pc)
        *pattern = (cca_pattern){.pc = pc};
    return pattern;
}

static void judge(const cca *throttle, cca_pattern *pattern) {
    bool local = pattern->reuses && pattern->reuses >= throttle->locality * throttle->trained;
    pattern->need = local ? (pattern->distances + pattern->reuses - 1) / pattern->reuses + 1 : 0;
    pattern->known = true;
    pattern->accesses = pattern->reuses = pattern->distances = 0;
}

/* Record an access of the watched warp. */
static void watch(cca *throttle, cca_pattern *patterns, cca_pattern *pattern, uint64_t address) {
    uint32_t depth = 0, entry = (uint32_t)(pattern - patterns);
    while (depth < throttle->window && throttle->stack[depth].address != 1 + address)
        depth++;
    if (depth < throttle->window) {
        cca_pattern *earlier = &patterns[throttle->stack[depth].entry];
        if (earlier->pc == throttle->stack[depth].pc) {
            earlier->reuses++;
            earlier->distances += depth;
        }
    }
    memmove(throttle->stack + 1, throttle->stack,
            (depth < throttle->window ? depth : depth - 1) * sizeof *throttle->stack);
    throttle->stack[0] = (cca_line){.address = 1 + address, .entry = entry, .pc = pattern->pc};
    if (++pattern->accesses == throttle->trained)
        judge(throttle, pattern);
}

/* Update the warp's footprint for an access. True if the footprint has changed. */
static bool note(cca *throttle, cca_warp *warp, const cca_pattern *pattern) {
    if (!pattern->known)
        return false;
    bool before = warp->known;
    uint32_t footprint = warp->footprint;
    warp->known = true;
    if (pattern->need >= footprint) {
        warp->footprint = pattern->need;
        warp->unconfirmed = 0;
    } else if (++warp->unconfirmed == throttle->window) {
        warp->footprint = pattern->need;
        warp->unconfirmed = 0;
    }
    throttle->latest = *warp;
    return !before || warp->footprint != footprint;
}

/* Learn from an access. All instances of the SM get the event, and only the instance with the event's warp learns. */
static bool on_cache_event(void *self, const gpc_cache_event *event) {
    cca *throttle = self;
    uint32_t slot = event->warp / throttle->siblings.count;
    if (event->kind == GPC_CACHE_EVENT_EVICT || event->warp % throttle->siblings.count != throttle->siblings.index ||
        slot >= throttle->warps)
        return false;
    cca_pattern *patterns = ((cca *)gpci_siblings_first(throttle->siblings, throttle))->patterns;
    cca_pattern *pattern = pattern_of(patterns, throttle->entries, event->pc);
    if (slot == throttle->watched)
        watch(throttle, patterns, pattern, event->line_address);
    return note(throttle, &throttle->of_warp[slot], pattern);
}

static void watch_oldest(cca *throttle, const gpc_throttle_view *view) {
    uint32_t oldest = view->running ? view->by_age[0] : GPC_NO_WARP;
    if (oldest != throttle->watched)
        memset(throttle->stack, 0, throttle->window * sizeof *throttle->stack);
    throttle->watched = oldest;
}

/*
 * Set the classes. A warp at a barrier cannot issue: the warp gets the class of the next free place, but does not take
 * the place.
 */
static void classify(void *self, const gpc_throttle_view *view, gpc_throttle_classes *classes) {
    cca *throttle = self;
    uint32_t used = 0, bypassed = 0;
    bool runs = false;
    watch_oldest(throttle, view);
    for (uint32_t age = 0; age < view->running; age++) {
        uint32_t slot = view->by_age[age];
        const cca_warp *warp = &throttle->of_warp[slot];
        bool ready = view->states[slot] != GPC_STATE_BARRIER;
        warp = warp->known ? warp : &throttle->latest;
        uint32_t footprint = warp->footprint;
        if (!warp->known || (footprint && used + footprint <= throttle->share)) {
            used += ready ? footprint : 0;
        } else if (bypassed < throttle->bypassers || !runs) {
            classes->bypassing[slot / 64] |= gpci_warp_bit(slot);
            bypassed += ready;
        } else {
            classes->throttled[slot / 64] |= gpci_warp_bit(slot);
            continue;
        }
        runs |= ready;
    }
}

static bool sample(void *self, const gpc_stats *stats, uint64_t cycle) {
    (void)cycle;
    cca *throttle = self;
    uint32_t before = throttle->bypassers;
    double stalled = (double)stats->scheduler_memory_stalls, of = (double)stats->scheduler_cycles;
    if (stalled > throttle->stalls * of)
        throttle->bypassers /= 2;
    else if (stalled < throttle->stalls * of / 2)
        throttle->bypassers += throttle->bypassers < throttle->warps;
    return throttle->bypassers != before;
}

/*
 * Cost. Once for an SM's schedulers: the access pattern table. An entry has 32 bits of PC, the counters of a round, the
 * lines needed, and the bit `known`. For each scheduler: the stack, with a tag, a valid bit and an entry's index for
 * each line; the footprint table; the order of warps; the watched warp, the footprint found last, the number of
 * bypassing warps; two 32-bit counters, of cycles and of stalls.
 */
static uint64_t cost_bits(const gpc_scheduler_env *env) {
    const double *p = env->parameters;
    uint64_t window = (uint64_t)p[WINDOW], entries = (uint64_t)p[ENTRIES];
    uint64_t round = gpci_ceil_log2((uint64_t)p[TRAINED] + 1), need = gpci_ceil_log2(window + 1);
    uint64_t pattern = 32 + 2 * round + (round + gpci_ceil_log2(window)) + need + 1;
    uint64_t warp = need + gpci_ceil_log2(window) + 1, number = gpci_ceil_log2((uint64_t)env->warps + 1);
    return (entries * pattern + env->count - 1) / env->count +
           window * (GPCI_LINE_TAG_BITS + 1 + gpci_ceil_log2(entries)) + env->warps * warp + gpci_age_bits(env) +
           2 * number + need + 1 + 64;
}

static void state_of(void *self, gpc_state_fn visit, void *user_data) {
    cca *throttle = self;
    visit(user_data, throttle->patterns, throttle->entries * sizeof *throttle->patterns);
    visit(user_data, throttle->stack, throttle->window * sizeof *throttle->stack);
    visit(user_data, &throttle->watched, sizeof throttle->watched);
    visit(user_data, &throttle->latest, sizeof throttle->latest);
    visit(user_data, &throttle->bypassers, sizeof throttle->bypassers);
}

const gpc_throttle_ops gpci_cca_throttle = {
    .struct_size = sizeof(gpc_throttle_ops),
    .state = state_of,
    .name = "cca",
    .summary =
        "adaptive cache and concurrency allocation: warps whose footprints fit are cached, others bypass or wait",
    .source = "Zheng, Wang and Lipasti, IEEE CAL 14(2), 2015; seeds/000 section 3",
    .instance_bytes = sizeof(cca),
    .warp_bytes = sizeof(cca_warp),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .init = init,
    .finish = finish,
    .on_state = on_state,
    .classify = classify,
    .on_cache_event = on_cache_event,
    .sample = sample,
    .cost_bits = cost_bits,
    .shared_scheduler_bytes = GPCI_SIBLING_BYTES,
};
