/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/control/counters.h"
#include "policies/scheduler/schedulers.h"
#include "policies/throttle/lost_locality.h"
#include "policies/throttle/siblings.h"
#include "policies/throttle/throttles.h"

/*
 * Cache-conscious wavefront scheduling. Each warp has a victim tag array: the tags of its lines last evicted by L1,
 * first in, first out. If the array has the tag of a line that the warp misses, the access would have hit with fewer
 * warps in the cache. The warp has lost locality, and its score rises from the base to
 *   LLDS = hits in victim tags / instructions issued x K x cutoff,   cutoff = running warps x base
 * Both counts are the SM's since the SM was last empty. A score falls by one per cycle, down to the base. The scores of
 * the SM's warps are added up from the highest to the lowest. If the sum up to a warp is above the cutoff, the warp may
 * not issue memory instructions. While no warp loses locality, all warps are within the cutoff.
 *
 * Example, base 100, K = 8, warps 0, 1, 2 on one scheduler: the cutoff is 300.
 *   16 instructions issue; L1 evicts warp 0's line A, then warp 0 misses on A: LLDS = 1 / 16 x 8 x 300 = 150
 *   sums up to warp 0, 1, 2: 150, 250, 350    350 > 300: warp 2 may not issue memory instructions (is held)
 *   49 cycles later          101, 201, 301    warp 2 is still held
 *   one cycle later          100, 200, 300    all may issue
 *
 * The paper leaves open: among equal scores the older warp comes first; a hit never lowers a score; a found tag leaves
 * the array, because its line goes back to L1; the warp with the highest score is never held; a warp at a barrier does
 * not count in the sums. The paper holds loads; here all memory instructions are held.
 */

enum { TAGS, BASE, K };

#define COUNT_MOST UINT32_MAX

typedef struct ccws_warp {
    gpci_score score;
    uint64_t age;
    /* The warp's part of ccws.tags. first: place of the oldest tag. tags: number of tags. */
    uint32_t first, tags;
    bool running, at_barrier;
} ccws_warp;

typedef struct ccws {
    gpci_siblings siblings;
    gpc_context *context;
    ccws_warp *of_warp;   /* [warps] */
    uint64_t *tags;       /* [warps][size] line addresses */
    gpci_scored *stack;   /* [count x warps]: the SM's warps with their scores, filled by `classify` */
    uint32_t warps, size; /* size: tags of a warp */
    uint32_t base, k;
    uint32_t running;
    uint32_t hits, issued; /* counts of the instance; before an overflow every instance halves both */
    bool news;             /* a change concerns the SM's other schedulers */
    uint64_t lost;         /* number of hits in victim tags, never halved */
} ccws;

#define EACH_SIBLING(c, other)                            \
    for (uint32_t n_ = 0; n_ < (c)->siblings.count; n_++) \
        for (ccws *other = (c)->siblings.of_sm[n_]; other; other = NULL)

static void finish(void *self) {
    ccws *throttle = self;
    gpci_siblings_leave(throttle->siblings, throttle);
    gpci_free(throttle->context, throttle->tags);
    gpci_free(throttle->context, throttle->stack);
}

static gpc_status init(void *self, const gpc_scheduler_env *env, char *message) {
    ccws *throttle = self;
    *throttle = (ccws){.context = env->context,
                       .of_warp = env->warp_state,
                       .warps = env->warps,
                       .size = (uint32_t)env->parameters[TAGS],
                       .base = (uint32_t)env->parameters[BASE],
                       .k = (uint32_t)env->parameters[K]};
    throttle->siblings = gpci_siblings_join(throttle, env);
    EACH_SIBLING(throttle, other)
    if (other->warps != throttle->warps) {
        gpci_siblings_leave(throttle->siblings, throttle);
        return gpci_policy_refuse(message, GPC_ERROR_ARGUMENT, "the schedulers of SM %u have %u and %u slots", env->sm,
                                  other->warps, throttle->warps);
    }
    throttle->tags = gpci_zalloc(throttle->context, throttle->warps, throttle->size * sizeof *throttle->tags);
    throttle->stack = gpci_zalloc(throttle->context, (size_t)env->count * throttle->warps, sizeof *throttle->stack);
    if (throttle->tags && throttle->stack)
        return GPC_OK;
    finish(throttle);
    return GPC_ERROR_MEMORY;
}

static void on_start(void *self, uint32_t slot, uint64_t order) {
    ccws *throttle = self;
    throttle->of_warp[slot] =
        (ccws_warp){.age = order * throttle->siblings.count + throttle->siblings.index, .running = true};
    throttle->running++;
    throttle->news = true;
}

static uint32_t running_in_sm(const ccws *throttle) {
    uint32_t running = 0;
    EACH_SIBLING(throttle, other)
    running += other->running;
    return running;
}

static void on_state(void *self, uint32_t slot, gpc_warp_state before, gpc_warp_state after) {
    ccws *throttle = self;
    ccws_warp *warp = &throttle->of_warp[slot];
    warp->at_barrier = after == GPC_STATE_BARRIER;
    throttle->news |= before == GPC_STATE_BARRIER || after == GPC_STATE_BARRIER || after == GPC_STATE_ABSENT;
    if (after != GPC_STATE_ABSENT)
        return;
    warp->running = false;
    throttle->running--;
    if (!running_in_sm(throttle))
        EACH_SIBLING(throttle, other)
    other->hits = other->issued = 0;
}

static void halve(ccws *throttle) {
    EACH_SIBLING(throttle, other) {
        other->hits /= 2;
        other->issued /= 2;
    }
}

static void on_issue(void *self, uint32_t slot, uint64_t cycle) {
    (void)slot;
    (void)cycle;
    ccws *throttle = self;
    if (++throttle->issued == COUNT_MOST)
        halve(throttle);
}

/* Take the line's tag out of the warp's array. True if the array had the tag. */
static bool take_tag(ccws *throttle, uint32_t slot, uint64_t line) {
    ccws_warp *warp = &throttle->of_warp[slot];
    uint64_t *tags = throttle->tags + (size_t)slot * throttle->size;
    for (uint32_t n = 0; n < warp->tags; n++) {
        if (tags[(warp->first + n) % throttle->size] != line)
            continue;
        for (; n + 1 < warp->tags; n++)
            tags[(warp->first + n) % throttle->size] = tags[(warp->first + n + 1) % throttle->size];
        warp->tags--;
        return true;
    }
    return false;
}

static void put_tag(ccws *throttle, uint32_t slot, uint64_t line) {
    ccws_warp *warp = &throttle->of_warp[slot];
    throttle->tags[(size_t)slot * throttle->size + (warp->first + warp->tags) % throttle->size] = line;
    if (warp->tags < throttle->size)
        warp->tags++;
    else
        warp->first = (warp->first + 1) % throttle->size;
}

static bool lose(ccws *throttle, ccws_warp *warp, uint64_t now) {
    uint64_t hits = 0, issued = 0;
    throttle->lost++;
    if (++throttle->hits == COUNT_MOST)
        halve(throttle);
    EACH_SIBLING(throttle, other) {
        hits += other->hits;
        issued += other->issued;
    }
    uint64_t cutoff = (uint64_t)running_in_sm(throttle) * throttle->base;
    uint32_t points = gpci_lost_locality(hits, issued, throttle->k, cutoff, throttle->base);
    if (points <= gpci_score_now(&warp->score, throttle->base, now))
        return false;
    warp->score = (gpci_score){now, points};
    return throttle->news = true;
}

/* Update the victim tags. All instances of the SM get the event, and only the first instance acts. */
static bool on_cache_event(void *self, const gpc_cache_event *event) {
    ccws *throttle = self;
    if (event->kind == GPC_CACHE_EVENT_HIT || gpci_siblings_first(throttle->siblings, throttle) != throttle)
        return false;
    uint32_t warp = event->kind == GPC_CACHE_EVENT_EVICT ? event->owner : event->warp,
             slot = warp / throttle->siblings.count;
    ccws *of = throttle->siblings.of_sm[warp % throttle->siblings.count];
    if (!of || slot >= of->warps || !of->of_warp[slot].running)
        return false;
    if (event->kind == GPC_CACHE_EVENT_EVICT)
        put_tag(of, slot, event->line_address);
    else if (event->kind == GPC_CACHE_EVENT_MISS && take_tag(of, slot, event->line_address))
        return lose(throttle, &of->of_warp[slot], event->cycle);
    return false;
}

/*
 * Put the running warps of the SM into `stack`, except warps at a barrier. Returns the number of warps. *out_raised
 * becomes true if a score is above the base.
 */
static uint32_t gather(ccws *throttle, uint64_t now, bool *out_raised) {
    uint32_t count = 0;
    EACH_SIBLING(throttle, other)
    for (uint32_t slot = 0; slot < other->warps; slot++) {
        const ccws_warp *warp = &other->of_warp[slot];
        if (!warp->running || warp->at_barrier)
            continue;
        uint32_t score = gpci_score_now(&warp->score, throttle->base, now);
        *out_raised |= score > throttle->base;
        throttle->stack[count++] = (gpci_scored){warp->age, score, n_, slot};
    }
    return count;
}

static void classify(void *self, const gpc_throttle_view *view, gpc_throttle_classes *classes) {
    ccws *throttle = self;
    bool raised = false;
    classes->others = throttle->news;
    throttle->news = false;
    uint32_t count = gather(throttle, view->cycle, &raised);
    if (!raised)
        return;
    uint64_t change, cutoff = (uint64_t)running_in_sm(throttle) * throttle->base;
    uint32_t within = gpci_cutoff(throttle->stack, count, cutoff, throttle->base, &change);
    for (uint32_t n = within; n < count; n++)
        if (throttle->stack[n].scheduler == throttle->siblings.index)
            classes->held[throttle->stack[n].slot / 64] |= gpci_warp_bit(throttle->stack[n].slot);
    classes->again = change == UINT64_MAX ? change : view->cycle + change;
}

/*
 * Cost. For each warp: its tags, each with a valid bit; the place of the oldest tag; a score; a held bit. Besides: the
 * order of the scheduler's warps, and two counters of 32 bits. The warp number in each line of L1 (l1.track_warps) is
 * not counted. With 48 warps: 48 x (16 x 34 + 4 + 16 + 1) + 1128 + 64 = 28312 bits.
 */
static uint64_t cost_bits(const gpc_scheduler_env *env) {
    uint64_t tags = (uint64_t)env->parameters[TAGS];
    uint64_t warp = tags * (GPCI_LINE_TAG_BITS + 1) + gpci_ceil_log2(tags) + GPCI_SCORE_BITS + 1;
    return env->warps * warp + gpci_age_bits(env) + 64;
}

static const gpc_parameter parameters[] = {
    [TAGS] = {"tags", 16, 1, 1024, true, "tags of a warp's victim tag array"},
    [BASE] = {"base", 100, 1, GPCI_SCORE_MOST, true, "score of a warp that has lost no locality, points"},
    [K] = {"k", 8, 0, 1024, true, "factor K of the score of lost locality"},
};

static void state_of(void *self, gpc_state_fn visit, void *user_data) {
    ccws *throttle = self;
    visit(user_data, &throttle->running, sizeof throttle->running);
    visit(user_data, &throttle->hits, sizeof throttle->hits);
    visit(user_data, &throttle->lost, sizeof throttle->lost);
    visit(user_data, &throttle->issued, sizeof throttle->issued);
    visit(user_data, &throttle->news, sizeof throttle->news);
    visit(user_data, throttle->tags, (size_t)throttle->warps * throttle->size * sizeof *throttle->tags);
}

static bool counter(void *self, size_t index, gpc_policy_counter *out) {
    const gpci_published rows[] = {{"lost", "transactions", "misses of lines that their warp had lost: victim tag hits",
                                    GPCI_COUNTS, ((const ccws *)self)->lost}};
    return GPCI_PUBLISH(rows, index, out);
}

const gpc_throttle_ops gpci_ccws_throttle = {
    .struct_size = sizeof(gpc_throttle_ops),
    .counter = counter,
    .state = state_of,
    .name = "ccws",
    .summary = "cache-conscious wavefront scheduling: warps that lose locality issue memory instructions first",
    .source = "seeds/004 section 2.1.1; Rogers, O'Connor and Aamodt, MICRO 2012",
    .instance_bytes = sizeof(ccws),
    .warp_bytes = sizeof(ccws_warp),
    .parameters = parameters,
    .parameter_count = 3,
    .init = init,
    .finish = finish,
    .on_start = on_start,
    .on_state = on_state,
    .classify = classify,
    .on_cache_event = on_cache_event,
    .on_issue = on_issue,
    .cost_bits = cost_bits,
    .shared_scheduler_bytes = GPCI_SIBLING_BYTES,
};
