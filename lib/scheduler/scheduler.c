/* SPDX-License-Identifier: BSD-2-Clause */
#include "scheduler/scheduler.h"
#include "stats/stats.h"

static gpci_scheduler_kind kind_of(const gpc_scheduler_ops *ops) {
    if (ops == &gpci_lrr)
        return GPCI_SCHEDULER_LRR;
    if (ops == &gpci_gto)
        return GPCI_SCHEDULER_GTO;
    if (ops == &gpci_oldest)
        return GPCI_SCHEDULER_OLDEST;
    return ops == &gpci_two_level ? GPCI_SCHEDULER_TWO_LEVEL : GPCI_SCHEDULER_TABLE;
}

static gpc_status check(gpc_scheduler_options *options, const char *type, gpc_error *error) {
    if (!options->warps || options->warps > GPCI_MAX_SCHEDULER_WARPS)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s.warps is %u, not 1 to %u", type, options->warps,
                         GPCI_MAX_SCHEDULER_WARPS);
    options->count = options->count ? options->count : 1;
    options->sms = options->sms ? options->sms : 1;
    if (options->index >= options->count)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s.index is %u, of %u schedulers", type, options->index,
                         options->count);
    if (options->sm >= options->sms)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s.sm is %u, of %u SMs", type, options->sm, options->sms);
    return GPC_OK;
}

/* Allocate object, bitmaps and arrays in one block. */
static gpc_scheduler *make(gpc_context *context, const gpc_scheduler_options *options, size_t throttles) {
    size_t words = gpci_warp_words(options->warps), warps = words * 64;
    size_t map = words * sizeof(gpci_warp_word),
           bitmaps = (1 + GPCI_THROTTLE_BITMAPS * throttles) * words * sizeof(uint64_t);
    size_t bytes =
        sizeof(gpc_scheduler) + map + bitmaps + warps * (sizeof(uint32_t) + 2 * sizeof(uint16_t) + sizeof(uint8_t));
    gpc_scheduler *scheduler = gpci_zalloc_lines(context, 1, bytes);
    if (!scheduler)
        return NULL;
    scheduler->warps = options->warps;
    scheduler->words = (uint32_t)words;
    scheduler->limit =
        options->warp_limit && options->warp_limit < options->warps ? options->warp_limit : options->warps;
    scheduler->again = UINT64_MAX;
    scheduler->admissions = &scheduler->own_admissions;
    scheduler->sm = options->sm;
    scheduler->next_sharing = scheduler->next_in_sm = scheduler;
    scheduler->candidates = (uint64_t *)(void *)(scheduler->map + words);
    for (size_t i = 0; i < throttles; i++)
        scheduler->throttles[i].bits = scheduler->candidates + (1 + GPCI_THROTTLE_BITMAPS * i) * words;
    scheduler->blocks = (uint32_t *)(void *)(scheduler->candidates + (1 + GPCI_THROTTLE_BITMAPS * throttles) * words);
    scheduler->ages = (uint16_t *)(scheduler->blocks + warps);
    scheduler->by_age = scheduler->ages + warps;
    scheduler->states = (uint8_t *)(scheduler->by_age + warps);
    return scheduler;
}

/* Check share_with: shared state is laid out for schedulers of one context and one shape. */
static gpc_status check_sharing(const gpc_context *context, const gpc_scheduler_options *options, const char *type,
                                gpc_error *error) {
    const gpc_scheduler *other = options->share_with;
    if (!other)
        return GPC_OK;
    if (other->context != context)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s.share_with is of another context", type);
    const gpc_scheduler_env *env = &other->policy->scheduler_env;
    const struct {
        const char *name;
        uint32_t ours, theirs;
    } sizes[] = {
        {"warps", options->warps, env->warps}, {"count", options->count, env->count}, {"sms", options->sms, env->sms}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i].ours != sizes[i].theirs)
            return gpci_fail(error, GPC_ERROR_ARGUMENT,
                             "%s.share_with: a scheduler of %s = %u cannot share with one of %u", type, sizes[i].name,
                             sizes[i].ours, sizes[i].theirs);
    return GPC_OK;
}

/*
 * Check that both schedulers have equal parts (policy and throttles). Called after the creation of the parts, because
 * names and arguments are compared after parsing, not as texts.
 */
static gpc_status check_parts(const gpc_scheduler *scheduler, const gpc_scheduler *other, const char *type,
                              gpc_error *error) {
    bool same =
        scheduler->throttle_count == other->throttle_count && gpci_policy_same(scheduler->policy, other->policy);
    for (uint32_t i = 0; same && i < scheduler->throttle_count; i++)
        same = gpci_policy_same(scheduler->throttles[i].policy, other->throttles[i].policy);
    return same ? GPC_OK
                : gpci_fail(error, GPC_ERROR_ARGUMENT, "%s.share_with has another policy, or other throttles", type);
}

static gpc_status make_parts(gpc_scheduler *scheduler, const gpc_scheduler_options *options, char *const *parts,
                             size_t count, gpc_error *error) {
    gpc_scheduler_env geometry = {.warps = options->warps,
                                  .sm = options->sm,
                                  .index = options->index,
                                  .count = options->count,
                                  .sms = options->sms,
                                  .seed = options->seed};
    gpc_status status = gpci_scheduler_policy_create(scheduler->context, GPC_POLICY_SCHEDULER, parts[0], &geometry,
                                                     scheduler->commons, error, &scheduler->policy);
    if (status < 0)
        return status;
    scheduler->ops = scheduler->policy->ops;
    scheduler->self = scheduler->policy->self;
    scheduler->kind = kind_of(scheduler->ops);
    for (size_t i = 1; i < count; i++) {
        gpci_throttle *throttle = &scheduler->throttles[scheduler->throttle_count];
        status = gpci_scheduler_policy_create(scheduler->context, GPC_POLICY_THROTTLE, parts[i], &geometry,
                                              scheduler->commons, error, &throttle->policy);
        if (status < 0)
            return status;
        throttle->ops = throttle->policy->ops;
        throttle->self = throttle->policy->self;
        for (uint32_t other = 0; other < scheduler->throttle_count; other++)
            if (scheduler->throttles[other].ops == throttle->ops) {
                gpci_policy_destroy(throttle->policy);
                return gpci_fail(error, GPC_ERROR_ARGUMENT, "throttle '%s' stands twice on a scheduler",
                                 throttle->ops->name);
            }
        scheduler->throttle_count++;
        scheduler->counts_issues |= throttle->ops->on_issue != NULL;
    }
    return GPC_OK;
}

static void join_rings(gpc_scheduler *scheduler, gpc_scheduler *other) {
    scheduler->next_sharing = other->next_sharing;
    other->next_sharing = scheduler;
    for (other = scheduler->next_sharing; other != scheduler; other = other->next_sharing)
        if (other->sm == scheduler->sm) {
            scheduler->next_in_sm = other->next_in_sm;
            other->next_in_sm = scheduler;
            return;
        }
}

static void leave_rings(gpc_scheduler *scheduler) {
    gpc_scheduler *before = scheduler;
    while (before->next_sharing != scheduler)
        before = before->next_sharing;
    before->next_sharing = scheduler->next_sharing;
    for (before = scheduler; before->next_in_sm != scheduler;)
        before = before->next_in_sm;
    before->next_in_sm = scheduler->next_in_sm;
}

/*
 * Let the SM's other schedulers call `classify` of their throttles in their next cycle. The calls cannot be made now,
 * because another scheduler may be in the middle of a call.
 */
static void stir_others(gpc_scheduler *scheduler) {
    for (gpc_scheduler *other = scheduler->next_in_sm; other != scheduler; other = other->next_in_sm)
        other->again = 0;
}

gpc_status gpc_scheduler_create(gpc_context *context, const gpc_scheduler_options *options, gpc_scheduler **out,
                                gpc_error *error) {
    if (!context || !options || !out)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_scheduler_create: %s is NULL",
                         !context   ? "context"
                         : !options ? "options"
                                    : "out");
    gpc_scheduler_options scheduler_options = GPC_SCHEDULER_OPTIONS_INIT;
    gpc_status status = gpci_take(&scheduler_options, sizeof scheduler_options, sizeof scheduler_options, options,
                                  "gpc_scheduler_options", error);
    return status < 0 ? status
                      : gpci_scheduler_create(context, &scheduler_options, "gpc_scheduler_options", error, out);
}

gpc_status gpci_scheduler_create(gpc_context *context, const gpc_scheduler_options *options, const char *type,
                                 gpc_error *error, gpc_scheduler **out) {
    gpc_scheduler_options scheduler_options = *options;
    gpc_status status = check(&scheduler_options, type, error);
    if (status == GPC_OK)
        status = check_sharing(context, &scheduler_options, type, error);
    if (status < 0)
        return status;
    char *text = gpci_strdup(context, scheduler_options.policy ? scheduler_options.policy : "gto"),
         *parts[1 + GPCI_MAX_THROTTLES];
    size_t count = 0;
    status = text ? gpci_scheduler_parts(text, parts, &count, error) : gpci_out_of_memory(error);
    gpc_scheduler *s = status == GPC_OK ? make(context, &scheduler_options, count - 1) : NULL;
    if (status == GPC_OK && !s)
        status = gpci_out_of_memory(error);
    if (s) {
        s->context = gpci_retain(context);
        s->commons = scheduler_options.share_with ? gpci_commons_retain(scheduler_options.share_with->commons)
                                                  : gpci_commons_create(context);
        status = s->commons ? GPC_OK : gpci_out_of_memory(error);
        if (status == GPC_OK)
            status = make_parts(s, &scheduler_options, parts, count, error);
        if (status == GPC_OK && scheduler_options.share_with)
            status = check_parts(s, scheduler_options.share_with, type, error);
        if (status == GPC_OK && scheduler_options.share_with)
            join_rings(s, scheduler_options.share_with);
    }
    gpci_free(context, text);
    if (status < 0) {
        gpc_scheduler_destroy(s);
        return status;
    }
    *out = s;
    return GPC_OK;
}

void gpc_scheduler_destroy(gpc_scheduler *scheduler) {
    if (!scheduler)
        return;
    gpc_context *context = scheduler->context;
    leave_rings(scheduler);
    gpci_policy_destroy(scheduler->policy);
    for (uint32_t i = 0; i < scheduler->throttle_count; i++)
        gpci_policy_destroy(scheduler->throttles[i].policy);
    gpci_commons_release(scheduler->commons);
    gpci_free_lines(context, scheduler);
    gpci_release(context);
}

/*
 * Set the eligible warps: all running warps, or the oldest running warps up to `limit`. A warp at a barrier does not
 * count against the limit, because the warp cannot issue, and may wait for warps beyond the limit.
 */
static void limit(gpc_scheduler *scheduler) {
    bool limited = scheduler->limit < scheduler->warps;
    for (uint32_t i = 0; i < scheduler->words; i++) {
        scheduler->map[i].eligible = limited ? 0 : scheduler->map[i].running;
        scheduler->map[i].bypassing = scheduler->map[i].bypassing_l2 = 0;
    }
    uint32_t places = limited ? scheduler->limit : 0;
    for (uint32_t age = 0; places && age < scheduler->running; age++) {
        uint32_t slot = scheduler->by_age[age];
        scheduler->map[slot / 64].eligible |= gpci_warp_bit(slot);
        places -= scheduler->states[slot] != GPC_STATE_BARRIER;
    }
    for (uint32_t i = 0; i < scheduler->words; i++)
        scheduler->map[i].eligible_memory = scheduler->map[i].eligible;
}

static void ask_throttle(gpc_scheduler *scheduler, gpci_throttle *throttle) {
    uint32_t words = scheduler->words;
    for (uint32_t i = 0; i < GPCI_THROTTLE_BITMAPS * words; i++)
        throttle->bits[i] = 0;
    gpc_throttle_view view = {.struct_size = sizeof view,
                              .cycle = scheduler->cycle,
                              .by_age = scheduler->by_age,
                              .states = scheduler->states,
                              .blocks = scheduler->blocks,
                              .running = scheduler->running};
    gpc_throttle_classes classes = {.struct_size = sizeof classes,
                                    .throttled = throttle->bits,
                                    .held = throttle->bits + words,
                                    .bypassing = throttle->bits + 2 * words,
                                    .bypassing_l2 = throttle->bits + 3 * words,
                                    .again = UINT64_MAX};
    throttle->ops->classify(throttle->self, &view, &classes);
    for (uint32_t i = 0; i < words; i++) {
        gpci_warp_word *word = &scheduler->map[i];
        word->eligible &= ~throttle->bits[i];
        word->eligible_memory &= ~(throttle->bits[i] | throttle->bits[words + i]);
        word->bypassing |= throttle->bits[2 * words + i];
        word->bypassing_l2 |= throttle->bits[3 * words + i];
    }
    uint64_t again = classes.again > scheduler->cycle ? classes.again : scheduler->cycle + 1;
    scheduler->again = again < scheduler->again ? again : scheduler->again;
    if (classes.others)
        stir_others(scheduler);
}

void gpci_scheduler_admit(gpc_scheduler *scheduler) {
    if (scheduler->limit == scheduler->warps && !scheduler->throttle_count)
        return;
    limit(scheduler);
    ++*scheduler->admissions;
    scheduler->again = UINT64_MAX;
    for (uint32_t i = 0; i < scheduler->throttle_count; i++)
        ask_throttle(scheduler, &scheduler->throttles[i]);
}

void gpci_scheduler_tell(gpc_scheduler *scheduler, uint32_t slot, gpc_warp_state before, gpc_warp_state after) {
    for (uint32_t i = 0; i < scheduler->throttle_count; i++)
        if (scheduler->throttles[i].ops->on_state)
            scheduler->throttles[i].ops->on_state(scheduler->throttles[i].self, slot, before, after);
}

void gpci_scheduler_tell_issued(gpc_scheduler *scheduler, uint32_t slot, uint64_t cycle) {
    for (uint32_t i = 0; i < scheduler->throttle_count; i++)
        if (scheduler->throttles[i].ops->on_issue)
            scheduler->throttles[i].ops->on_issue(scheduler->throttles[i].self, slot, cycle);
}

void gpci_scheduler_start(gpc_scheduler *scheduler, uint32_t slot, uint32_t block) {
    gpci_warp_word *word = &scheduler->map[slot / 64];
    uint64_t bit = gpci_warp_bit(slot);
    uint32_t age = scheduler->running++;
    scheduler->ages[slot] = (uint16_t)age;
    scheduler->by_age[age] = (uint16_t)slot;
    scheduler->blocks[slot] = block;
    word->running |= bit;
    word->eligible |= bit;
    word->eligible_memory |= bit;
    scheduler->states[slot] = GPC_STATE_STALLED;
    scheduler->counts[GPC_STATE_STALLED]++;
    uint64_t order = scheduler->next_order++;
    if (scheduler->ops->on_block)
        scheduler->ops->on_block(scheduler->self, slot, block);
    if (scheduler->ops->on_start)
        scheduler->ops->on_start(scheduler->self, slot, order);
    for (uint32_t i = 0; i < scheduler->throttle_count; i++)
        if (scheduler->throttles[i].ops->on_start)
            scheduler->throttles[i].ops->on_start(scheduler->throttles[i].self, slot, order);
    gpci_scheduler_admit(scheduler);
}

/* End a warp; younger warps move up. */
void gpci_scheduler_end(gpc_scheduler *scheduler, uint32_t slot) {
    gpci_warp_word *word = &scheduler->map[slot / 64];
    uint64_t others = ~gpci_warp_bit(slot);
    gpc_warp_state before = gpci_scheduler_state(scheduler, slot);
    scheduler->running--;
    for (uint32_t age = scheduler->ages[slot]; age < scheduler->running; age++) {
        uint16_t moved = scheduler->by_age[age + 1];
        scheduler->by_age[age] = moved;
        scheduler->ages[moved] = (uint16_t)age;
    }
    word->ready &= others;
    word->ready_memory &= others;
    word->running &= others;
    word->eligible &= others;
    word->eligible_memory &= others;
    word->bypassing &= others;
    word->bypassing_l2 &= others;
    scheduler->counts[before]--;
    scheduler->states[slot] = GPC_STATE_ABSENT;
    if (scheduler->ops->on_state)
        scheduler->ops->on_state(scheduler->self, slot, before, GPC_STATE_ABSENT);
    gpci_scheduler_tell(scheduler, slot, before, GPC_STATE_ABSENT);
    gpci_scheduler_admit(scheduler);
}

/* Refuse a slot beyond the last, a taken slot for a new warp, or a slot without a warp. */
static GPCI_COLD gpc_status refuse_slot(const gpc_scheduler *scheduler, const char *call, uint32_t slot,
                                        gpc_error *error) {
    if (!scheduler)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: scheduler is NULL", call);
    if (slot >= scheduler->warps)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "slot %u of %u", slot, scheduler->warps);
    return gpci_fail(error, GPC_ERROR_STATE, "slot %u has %s warp", slot,
                     scheduler->states[slot] == GPC_STATE_ABSENT ? "no" : "a");
}

gpc_status gpc_scheduler_start_block(gpc_scheduler *scheduler, uint32_t slot, uint32_t block, gpc_error *error) {
    if (!scheduler || slot >= scheduler->warps || scheduler->states[slot] != GPC_STATE_ABSENT)
        return refuse_slot(scheduler, "gpc_scheduler_start_block", slot, error);
    gpci_scheduler_start(scheduler, slot, block);
    return GPC_OK;
}

gpc_status gpc_scheduler_start(gpc_scheduler *scheduler, uint32_t slot, gpc_error *error) {
    if (!scheduler)
        return refuse_slot(NULL, "gpc_scheduler_start", slot, error);
    return gpc_scheduler_start_block(scheduler, slot, 0, error);
}

gpc_status gpc_scheduler_set_state(gpc_scheduler *scheduler, uint32_t slot, gpc_warp_state state, gpc_error *error) {
    if (scheduler && (unsigned)state >= GPC_STATE_COUNT)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "state: %u is no gpc_warp_state", (unsigned)state);
    if (!scheduler || slot >= scheduler->warps || scheduler->states[slot] == GPC_STATE_ABSENT)
        return refuse_slot(scheduler, "gpc_scheduler_set_state", slot, error);
    if (state == GPC_STATE_ABSENT)
        gpci_scheduler_end(scheduler, slot);
    else
        gpci_scheduler_set(scheduler, slot, state);
    return GPC_OK;
}

gpc_status gpc_scheduler_pick(gpc_scheduler *scheduler, uint64_t cycle, bool memory, uint32_t *out_slot,
                              gpc_error *error) {
    if (!scheduler || !out_slot)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_scheduler_pick: %s is NULL",
                         scheduler ? "out_slot" : "scheduler");
    const gpc_status status = gpci_scheduler_pick(scheduler, cycle, memory, out_slot);
    return GPCI_LIKELY(status >= 0)
               ? status
               : gpci_fail(error, status, "gpc_scheduler_pick: policy '%s' chose an impossible slot",
                           scheduler->ops->name);
}

gpc_status gpc_scheduler_issued(gpc_scheduler *scheduler, uint32_t slot, uint64_t cycle, gpc_error *error) {
    if (!scheduler || slot >= scheduler->warps || scheduler->states[slot] == GPC_STATE_ABSENT)
        return refuse_slot(scheduler, "gpc_scheduler_issued", slot, error);
    gpci_scheduler_clock(scheduler, cycle);
    gpci_scheduler_issued(scheduler, slot, cycle);
    return GPC_OK;
}

gpc_warp_class gpc_scheduler_class_of(const gpc_scheduler *scheduler, uint32_t slot) {
    return scheduler && slot < scheduler->warps ? gpci_scheduler_class(scheduler, slot) : GPC_CLASS_THROTTLED;
}

uint32_t gpc_scheduler_age_of(const gpc_scheduler *scheduler, uint32_t slot) {
    return scheduler && slot < scheduler->warps && scheduler->states[slot] != GPC_STATE_ABSENT
               ? gpci_scheduler_age(scheduler, slot)
               : GPC_NO_WARP;
}

gpc_token gpc_scheduler_token_of(const gpc_scheduler *scheduler, uint32_t slot, unsigned level) {
    return scheduler && slot < scheduler->warps && (level == 1 || level == 2)
               ? gpci_scheduler_token(scheduler, slot, level)
               : GPC_TOKEN_UNUSED;
}

void gpci_scheduler_count_classes(const gpc_scheduler *scheduler, uint32_t counts[GPC_CLASS_COUNT]) {
    for (uint32_t age = 0; scheduler->ops->class_of && age < scheduler->running; age++)
        counts[gpci_scheduler_class(scheduler, scheduler->by_age[age])]++;
    for (uint32_t i = 0; !scheduler->ops->class_of && i < scheduler->words; i++) {
        const gpci_warp_word *word = &scheduler->map[i];
        uint32_t running = gpci_popcount(word->running), eligible = gpci_popcount(word->eligible);
        uint32_t bypassing = gpci_popcount(word->eligible & word->bypassing);
        counts[GPC_CLASS_THROTTLED] += running - eligible;
        counts[GPC_CLASS_BYPASS] += bypassing;
        counts[GPC_CLASS_CACHE] += eligible - bypassing;
    }
}

const char *gpci_scheduler_throttle_of(const gpc_scheduler *scheduler, uint32_t slot) {
    bool memory = scheduler->states[slot] == GPC_STATE_READY_MEMORY;
    const gpci_warp_word *word = &scheduler->map[slot / 64];
    if ((memory ? word->eligible_memory : word->eligible) & gpci_warp_bit(slot))
        return NULL;
    for (uint32_t i = 0; i < scheduler->throttle_count; i++) {
        const uint64_t *bits = scheduler->throttles[i].bits + slot / 64;
        if ((bits[0] | (memory ? bits[scheduler->words] : 0)) & gpci_warp_bit(slot))
            return scheduler->throttles[i].ops->name;
    }
    return "sm.warp_limit";
}

uint32_t gpc_scheduler_class_count(const gpc_scheduler *scheduler, gpc_warp_class class_of) {
    uint32_t counts[GPC_CLASS_COUNT] = {0};
    if (!scheduler || (unsigned)class_of >= GPC_CLASS_COUNT)
        return 0;
    gpci_scheduler_count_classes(scheduler, counts);
    return counts[class_of];
}

uint64_t gpc_scheduler_next_change(const gpc_scheduler *scheduler) {
    return scheduler ? scheduler->again : UINT64_MAX;
}

bool gpci_scheduler_cache_event(gpc_scheduler *scheduler, const gpc_cache_event *event) {
    if (scheduler->ops->on_cache_event)
        scheduler->ops->on_cache_event(scheduler->self, event);
    bool changed = false;
    for (uint32_t i = 0; i < scheduler->throttle_count; i++) {
        const gpci_throttle *throttle = &scheduler->throttles[i];
        changed |= throttle->ops->on_cache_event && throttle->ops->on_cache_event(throttle->self, event);
    }
    scheduler->cycle = event->cycle > scheduler->cycle ? event->cycle : scheduler->cycle;
    if (changed)
        gpci_scheduler_admit(scheduler);
    return changed;
}

bool gpci_scheduler_sample(gpc_scheduler *scheduler, const gpc_stats *stats, uint64_t cycle) {
    if (scheduler->ops->sample)
        scheduler->ops->sample(scheduler->self, stats, cycle);
    bool changed = false;
    for (uint32_t i = 0; i < scheduler->throttle_count; i++) {
        const gpci_throttle *throttle = &scheduler->throttles[i];
        changed |= throttle->ops->sample && throttle->ops->sample(throttle->self, stats, cycle);
    }
    scheduler->cycle = cycle > scheduler->cycle ? cycle : scheduler->cycle;
    if (changed)
        gpci_scheduler_admit(scheduler);
    return changed;
}

gpc_status gpc_scheduler_begin_kernel(gpc_scheduler *scheduler, const char *name, gpc_error *error) {
    if (!scheduler)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_scheduler_begin_kernel: scheduler is NULL");
    bool changed = false;
    for (uint32_t i = 0; i < scheduler->throttle_count; i++) {
        const gpci_throttle *throttle = &scheduler->throttles[i];
        changed |= throttle->ops->on_kernel && throttle->ops->on_kernel(throttle->self, name ? name : "");
    }
    if (changed)
        gpci_scheduler_admit(scheduler);
    return GPC_OK;
}

void gpc_scheduler_cache_event(gpc_scheduler *scheduler, const gpc_cache_event *event) {
    if (scheduler && event)
        gpci_scheduler_cache_event(scheduler, event);
}

gpc_status gpc_scheduler_sample(gpc_scheduler *scheduler, uint64_t cycle, const uint32_t *ids, size_t count,
                                const uint64_t *values, size_t value_count, gpc_error *error) {
    if (!scheduler)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_scheduler_sample: scheduler is NULL");
    gpc_stats stats;
    const gpc_status status = gpci_stats_take(&stats, ids, count, values, value_count, "gpc_scheduler_sample", error);
    if (status == GPC_OK)
        gpci_scheduler_sample(scheduler, &stats, cycle);
    return status;
}
