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

static gpc_status check(gpc_scheduler_options *o, const char *type, gpc_error *error) {
    if (!o->warps || o->warps > GPCI_MAX_SCHEDULER_WARPS)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s.warps is %u, not 1 to %u", type, o->warps,
                         GPCI_MAX_SCHEDULER_WARPS);
    o->count = o->count ? o->count : 1;
    o->sms = o->sms ? o->sms : 1;
    if (o->index >= o->count)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s.index is %u, of %u schedulers", type, o->index, o->count);
    if (o->sm >= o->sms)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s.sm is %u, of %u SMs", type, o->sm, o->sms);
    return GPC_OK;
}

/* Allocate object, bitmaps and arrays in one block. */
static gpc_scheduler *make(gpc_context *context, const gpc_scheduler_options *o, size_t throttles) {
    size_t words = gpci_warp_words(o->warps), warps = words * 64;
    size_t map = words * sizeof(gpci_warp_word),
           bitmaps = (1 + GPCI_THROTTLE_BITMAPS * throttles) * words * sizeof(uint64_t);
    size_t bytes =
        sizeof(gpc_scheduler) + map + bitmaps + warps * (sizeof(uint32_t) + 2 * sizeof(uint16_t) + sizeof(uint8_t));
    gpc_scheduler *s = gpci_zalloc_lines(context, 1, bytes);
    if (!s)
        return NULL;
    s->warps = o->warps;
    s->words = (uint32_t)words;
    s->limit = o->warp_limit && o->warp_limit < o->warps ? o->warp_limit : o->warps;
    s->counts[GPC_STATE_ABSENT] = o->warps;
    s->again = UINT64_MAX;
    s->admissions = &s->own_admissions;
    s->sm = o->sm;
    s->next_sharing = s->next_in_sm = s;
    s->candidates = (uint64_t *)(void *)(s->map + words);
    for (size_t i = 0; i < throttles; i++)
        s->throttles[i].bits = s->candidates + (1 + GPCI_THROTTLE_BITMAPS * i) * words;
    s->blocks = (uint32_t *)(void *)(s->candidates + (1 + GPCI_THROTTLE_BITMAPS * throttles) * words);
    s->ages = (uint16_t *)(s->blocks + warps);
    s->by_age = s->ages + warps;
    s->states = (uint8_t *)(s->by_age + warps);
    return s;
}

/* Check share_with: shared state is laid out for schedulers of one context and one shape. */
static gpc_status check_sharing(const gpc_context *context, const gpc_scheduler_options *o, const char *type,
                                gpc_error *error) {
    const gpc_scheduler *other = o->share_with;
    if (!other)
        return GPC_OK;
    if (other->context != context)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s.share_with is of another context", type);
    const gpc_scheduler_env *env = &other->policy->scheduler_env;
    const struct {
        const char *name;
        uint32_t ours, theirs;
    } sizes[] = {{"warps", o->warps, env->warps}, {"count", o->count, env->count}, {"sms", o->sms, env->sms}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i].ours != sizes[i].theirs)
            return gpci_fail(error, GPC_ERROR_ARGUMENT,
                             "%s.share_with: a scheduler of %s = %u cannot share with one of %u", type, sizes[i].name,
                             sizes[i].ours, sizes[i].theirs);
    return GPC_OK;
}

/* Check the parts after their creation: names and arguments are compared after parsing, not as texts. */
static gpc_status check_parts(const gpc_scheduler *s, const gpc_scheduler *other, const char *type, gpc_error *error) {
    bool same = s->throttle_count == other->throttle_count && gpci_policy_same(s->policy, other->policy);
    for (uint32_t i = 0; same && i < s->throttle_count; i++)
        same = gpci_policy_same(s->throttles[i].policy, other->throttles[i].policy);
    return same ? GPC_OK
                : gpci_fail(error, GPC_ERROR_ARGUMENT, "%s.share_with has another policy, or other throttles", type);
}

static gpc_status make_parts(gpc_scheduler *s, const gpc_scheduler_options *o, char *const *parts, size_t count,
                             gpc_error *error) {
    gpc_scheduler_env geometry = {
        .warps = o->warps, .sm = o->sm, .index = o->index, .count = o->count, .sms = o->sms, .seed = o->seed};
    gpc_status status = gpci_scheduler_policy_create(s->context, GPC_POLICY_SCHEDULER, parts[0], &geometry, s->commons,
                                                     error, &s->policy);
    if (status < 0)
        return status;
    s->ops = s->policy->ops;
    s->self = s->policy->self;
    s->kind = kind_of(s->ops);
    for (size_t i = 1; i < count; i++) {
        gpci_throttle *t = &s->throttles[s->throttle_count];
        status = gpci_scheduler_policy_create(s->context, GPC_POLICY_THROTTLE, parts[i], &geometry, s->commons, error,
                                              &t->policy);
        if (status < 0)
            return status;
        t->ops = t->policy->ops;
        t->self = t->policy->self;
        for (uint32_t other = 0; other < s->throttle_count; other++)
            if (s->throttles[other].ops == t->ops) {
                gpci_policy_destroy(t->policy);
                return gpci_fail(error, GPC_ERROR_ARGUMENT, "throttle '%s' stands twice on a scheduler", t->ops->name);
            }
        s->throttle_count++;
        s->counts_issues |= t->ops->on_issue != NULL;
    }
    return GPC_OK;
}

static void join_rings(gpc_scheduler *s, gpc_scheduler *other) {
    s->next_sharing = other->next_sharing;
    other->next_sharing = s;
    for (other = s->next_sharing; other != s; other = other->next_sharing)
        if (other->sm == s->sm) {
            s->next_in_sm = other->next_in_sm;
            other->next_in_sm = s;
            return;
        }
}

static void leave_rings(gpc_scheduler *s) {
    gpc_scheduler *before = s;
    while (before->next_sharing != s)
        before = before->next_sharing;
    before->next_sharing = s->next_sharing;
    for (before = s; before->next_in_sm != s;)
        before = before->next_in_sm;
    before->next_in_sm = s->next_in_sm;
}

/* Mark the SM's other schedulers for their next cycle: they may be in the middle of a call. */
static void stir_others(gpc_scheduler *s) {
    for (gpc_scheduler *other = s->next_in_sm; other != s; other = other->next_in_sm)
        other->again = 0;
}

gpc_status gpc_scheduler_create(gpc_context *context, const gpc_scheduler_options *options, gpc_error *error,
                                gpc_scheduler **out) {
    if (!context || !options || !out)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_scheduler_create: %s is NULL",
                         !context   ? "context"
                         : !options ? "options"
                                    : "out");
    gpc_scheduler_options o = GPC_SCHEDULER_OPTIONS_INIT;
    gpc_status status = gpci_take(&o, sizeof o, sizeof o, options, "gpc_scheduler_options", error);
    return status < 0 ? status : gpci_scheduler_create(context, &o, "gpc_scheduler_options", error, out);
}

gpc_status gpci_scheduler_create(gpc_context *context, const gpc_scheduler_options *options, const char *type,
                                 gpc_error *error, gpc_scheduler **out) {
    gpc_scheduler_options o = *options;
    gpc_status status = check(&o, type, error);
    if (status == GPC_OK)
        status = check_sharing(context, &o, type, error);
    if (status < 0)
        return status;
    char *text = gpci_strdup(context, o.policy ? o.policy : "gto"), *parts[1 + GPCI_MAX_THROTTLES];
    size_t count = 0;
    status = text ? gpci_scheduler_parts(text, parts, &count, error) : gpci_out_of_memory(error);
    gpc_scheduler *s = status == GPC_OK ? make(context, &o, count - 1) : NULL;
    if (status == GPC_OK && !s)
        status = gpci_out_of_memory(error);
    if (s) {
        s->context = gpci_retain(context);
        s->commons = o.share_with ? gpci_commons_retain(o.share_with->commons) : gpci_commons_create(context);
        status = s->commons ? GPC_OK : gpci_out_of_memory(error);
        if (status == GPC_OK)
            status = make_parts(s, &o, parts, count, error);
        if (status == GPC_OK && o.share_with)
            status = check_parts(s, o.share_with, type, error);
        if (status == GPC_OK && o.share_with)
            join_rings(s, o.share_with);
    }
    gpci_free(context, text);
    if (status < 0) {
        gpc_scheduler_destroy(s);
        return status;
    }
    *out = s;
    return GPC_OK;
}

void gpc_scheduler_destroy(gpc_scheduler *s) {
    if (!s)
        return;
    gpc_context *context = s->context;
    leave_rings(s);
    gpci_policy_destroy(s->policy);
    for (uint32_t i = 0; i < s->throttle_count; i++)
        gpci_policy_destroy(s->throttles[i].policy);
    gpci_commons_release(s->commons);
    gpci_free_lines(context, s);
    gpci_release(context);
}

/*
 * Admit the oldest warps up to the limit, without warps at a barrier. Such a warp cannot issue, and may wait for warps
 * beyond the limit.
 */
static void limit(gpc_scheduler *s) {
    bool limited = s->limit < s->warps;
    for (uint32_t i = 0; i < s->words; i++) {
        s->map[i].eligible = limited ? 0 : s->map[i].running;
        s->map[i].bypassing = s->map[i].bypassing_l2 = 0;
    }
    uint32_t places = limited ? s->limit : 0;
    for (uint32_t age = 0; places && age < s->running; age++) {
        uint32_t slot = s->by_age[age];
        s->map[slot / 64].eligible |= gpci_warp_bit(slot);
        places -= s->states[slot] != GPC_STATE_BARRIER;
    }
    for (uint32_t i = 0; i < s->words; i++)
        s->map[i].eligible_memory = s->map[i].eligible;
}

static void ask_throttle(gpc_scheduler *s, gpci_throttle *t) {
    uint32_t words = s->words;
    for (uint32_t i = 0; i < GPCI_THROTTLE_BITMAPS * words; i++)
        t->bits[i] = 0;
    gpc_throttle_view view = {.struct_size = sizeof view,
                              .cycle = s->cycle,
                              .by_age = s->by_age,
                              .states = s->states,
                              .blocks = s->blocks,
                              .running = s->running};
    gpc_throttle_classes classes = {.struct_size = sizeof classes,
                                    .throttled = t->bits,
                                    .held = t->bits + words,
                                    .bypassing = t->bits + 2 * words,
                                    .bypassing_l2 = t->bits + 3 * words,
                                    .again = UINT64_MAX};
    t->ops->classify(t->self, &view, &classes);
    for (uint32_t i = 0; i < words; i++) {
        gpci_warp_word *word = &s->map[i];
        word->eligible &= ~t->bits[i];
        word->eligible_memory &= ~(t->bits[i] | t->bits[words + i]);
        word->bypassing |= t->bits[2 * words + i];
        word->bypassing_l2 |= t->bits[3 * words + i];
    }
    uint64_t again = classes.again > s->cycle ? classes.again : s->cycle + 1;
    s->again = again < s->again ? again : s->again;
    if (classes.others)
        stir_others(s);
}

void gpci_scheduler_admit(gpc_scheduler *s) {
    if (s->limit == s->warps && !s->throttle_count)
        return;
    limit(s);
    ++*s->admissions;
    s->again = UINT64_MAX;
    for (uint32_t i = 0; i < s->throttle_count; i++)
        ask_throttle(s, &s->throttles[i]);
}

void gpci_scheduler_tell(gpc_scheduler *s, uint32_t slot, gpc_warp_state before, gpc_warp_state after) {
    for (uint32_t i = 0; i < s->throttle_count; i++)
        if (s->throttles[i].ops->on_state)
            s->throttles[i].ops->on_state(s->throttles[i].self, slot, before, after);
}

void gpci_scheduler_tell_issued(gpc_scheduler *s, uint32_t slot, uint64_t cycle) {
    for (uint32_t i = 0; i < s->throttle_count; i++)
        if (s->throttles[i].ops->on_issue)
            s->throttles[i].ops->on_issue(s->throttles[i].self, slot, cycle);
}

void gpci_scheduler_start(gpc_scheduler *s, uint32_t slot, uint32_t block) {
    gpci_warp_word *word = &s->map[slot / 64];
    uint64_t bit = gpci_warp_bit(slot);
    uint32_t age = s->running++;
    s->ages[slot] = (uint16_t)age;
    s->by_age[age] = (uint16_t)slot;
    s->blocks[slot] = block;
    word->running |= bit;
    word->eligible |= bit;
    word->eligible_memory |= bit;
    s->states[slot] = GPC_STATE_STALLED;
    s->counts[GPC_STATE_ABSENT]--;
    s->counts[GPC_STATE_STALLED]++;
    uint64_t order = s->next_order++;
    if (s->ops->on_block)
        s->ops->on_block(s->self, slot, block);
    if (s->ops->on_start)
        s->ops->on_start(s->self, slot, order);
    for (uint32_t i = 0; i < s->throttle_count; i++)
        if (s->throttles[i].ops->on_start)
            s->throttles[i].ops->on_start(s->throttles[i].self, slot, order);
    gpci_scheduler_admit(s);
}

/* End a warp; younger warps move up. */
void gpci_scheduler_end(gpc_scheduler *s, uint32_t slot) {
    gpci_warp_word *word = &s->map[slot / 64];
    uint64_t others = ~gpci_warp_bit(slot);
    gpc_warp_state before = gpci_scheduler_state(s, slot);
    s->running--;
    for (uint32_t age = s->ages[slot]; age < s->running; age++) {
        uint16_t moved = s->by_age[age + 1];
        s->by_age[age] = moved;
        s->ages[moved] = (uint16_t)age;
    }
    word->ready &= others;
    word->ready_memory &= others;
    word->running &= others;
    word->eligible &= others;
    word->eligible_memory &= others;
    word->bypassing &= others;
    word->bypassing_l2 &= others;
    s->counts[before]--;
    s->counts[GPC_STATE_ABSENT]++;
    s->states[slot] = GPC_STATE_ABSENT;
    if (s->ops->on_state)
        s->ops->on_state(s->self, slot, before, GPC_STATE_ABSENT);
    gpci_scheduler_tell(s, slot, before, GPC_STATE_ABSENT);
    gpci_scheduler_admit(s);
}

gpc_status gpc_scheduler_start_block(gpc_scheduler *s, uint32_t slot, uint32_t block) {
    if (!s || slot >= s->warps)
        return GPC_ERROR_ARGUMENT;
    if (s->states[slot] != GPC_STATE_ABSENT)
        return GPC_ERROR_STATE;
    gpci_scheduler_start(s, slot, block);
    return GPC_OK;
}

gpc_status gpc_scheduler_start(gpc_scheduler *s, uint32_t slot) {
    return gpc_scheduler_start_block(s, slot, 0);
}

gpc_status gpc_scheduler_set_state(gpc_scheduler *s, uint32_t slot, gpc_warp_state state) {
    if (!s || slot >= s->warps || (unsigned)state >= GPC_STATE_COUNT)
        return GPC_ERROR_ARGUMENT;
    if (s->states[slot] == GPC_STATE_ABSENT)
        return GPC_ERROR_STATE;
    if (state == GPC_STATE_ABSENT)
        gpci_scheduler_end(s, slot);
    else
        gpci_scheduler_set(s, slot, state);
    return GPC_OK;
}

gpc_status gpc_scheduler_pick(gpc_scheduler *s, uint64_t cycle, bool memory, uint32_t *out_slot) {
    if (!s || !out_slot)
        return GPC_ERROR_ARGUMENT;
    return gpci_scheduler_pick(s, cycle, memory, out_slot);
}

gpc_status gpc_scheduler_issued(gpc_scheduler *s, uint32_t slot, uint64_t cycle) {
    if (!s || slot >= s->warps)
        return GPC_ERROR_ARGUMENT;
    if (s->states[slot] == GPC_STATE_ABSENT)
        return GPC_ERROR_STATE;
    gpci_scheduler_clock(s, cycle);
    gpci_scheduler_issued(s, slot, cycle);
    return GPC_OK;
}

gpc_warp_class gpc_scheduler_class_of(const gpc_scheduler *s, uint32_t slot) {
    return s && slot < s->warps ? gpci_scheduler_class(s, slot) : GPC_CLASS_THROTTLED;
}

uint32_t gpc_scheduler_age_of(const gpc_scheduler *s, uint32_t slot) {
    return s && slot < s->warps && s->states[slot] != GPC_STATE_ABSENT ? gpci_scheduler_age(s, slot) : GPC_NO_WARP;
}

gpc_token gpc_scheduler_token_of(const gpc_scheduler *s, uint32_t slot, unsigned level) {
    return s && slot < s->warps && (level == 1 || level == 2) ? gpci_scheduler_token(s, slot, level) : GPC_TOKEN_UNUSED;
}

void gpci_scheduler_count_classes(const gpc_scheduler *s, uint32_t counts[GPC_CLASS_COUNT]) {
    for (uint32_t age = 0; s->ops->class_of && age < s->running; age++)
        counts[gpci_scheduler_class(s, s->by_age[age])]++;
    for (uint32_t i = 0; !s->ops->class_of && i < s->words; i++) {
        const gpci_warp_word *word = &s->map[i];
        uint32_t running = gpci_popcount(word->running), eligible = gpci_popcount(word->eligible);
        uint32_t bypassing = gpci_popcount(word->eligible & word->bypassing);
        counts[GPC_CLASS_THROTTLED] += running - eligible;
        counts[GPC_CLASS_BYPASS] += bypassing;
        counts[GPC_CLASS_CACHE] += eligible - bypassing;
    }
}

const char *gpci_scheduler_throttle_of(const gpc_scheduler *s, uint32_t slot) {
    bool memory = s->states[slot] == GPC_STATE_READY_MEMORY;
    const gpci_warp_word *word = &s->map[slot / 64];
    if ((memory ? word->eligible_memory : word->eligible) & gpci_warp_bit(slot))
        return NULL;
    for (uint32_t i = 0; i < s->throttle_count; i++) {
        const uint64_t *bits = s->throttles[i].bits + slot / 64;
        if ((bits[0] | (memory ? bits[s->words] : 0)) & gpci_warp_bit(slot))
            return s->throttles[i].ops->name;
    }
    return "sm.warp_limit";
}

uint32_t gpc_scheduler_class_count(const gpc_scheduler *s, gpc_warp_class class_of) {
    uint32_t counts[GPC_CLASS_COUNT] = {0};
    if (!s || (unsigned)class_of >= GPC_CLASS_COUNT)
        return 0;
    gpci_scheduler_count_classes(s, counts);
    return counts[class_of];
}

uint64_t gpc_scheduler_next_change(const gpc_scheduler *s) {
    return s ? s->again : UINT64_MAX;
}

bool gpci_scheduler_cache_event(gpc_scheduler *s, const gpc_cache_event *event) {
    if (s->ops->on_cache_event)
        s->ops->on_cache_event(s->self, event);
    bool changed = false;
    for (uint32_t i = 0; i < s->throttle_count; i++) {
        const gpci_throttle *t = &s->throttles[i];
        changed |= t->ops->on_cache_event && t->ops->on_cache_event(t->self, event);
    }
    s->cycle = event->cycle > s->cycle ? event->cycle : s->cycle;
    if (changed)
        gpci_scheduler_admit(s);
    return changed;
}

bool gpci_scheduler_sample(gpc_scheduler *s, const gpc_stats *stats, uint64_t cycle) {
    if (s->ops->sample)
        s->ops->sample(s->self, gpci_policy_sample(s->policy, stats), cycle);
    bool changed = false;
    for (uint32_t i = 0; i < s->throttle_count; i++) {
        const gpci_throttle *t = &s->throttles[i];
        changed |= t->ops->sample && t->ops->sample(t->self, gpci_policy_sample(t->policy, stats), cycle);
    }
    s->cycle = cycle > s->cycle ? cycle : s->cycle;
    if (changed)
        gpci_scheduler_admit(s);
    return changed;
}

gpc_status gpc_scheduler_begin_kernel(gpc_scheduler *s, const char *name) {
    if (!s)
        return GPC_ERROR_ARGUMENT;
    bool changed = false;
    for (uint32_t i = 0; i < s->throttle_count; i++) {
        const gpci_throttle *t = &s->throttles[i];
        changed |= t->ops->on_kernel && t->ops->on_kernel(t->self, name ? name : "");
    }
    if (changed)
        gpci_scheduler_admit(s);
    return GPC_OK;
}

void gpc_scheduler_cache_event(gpc_scheduler *s, const gpc_cache_event *event) {
    if (s && event)
        gpci_scheduler_cache_event(s, event);
}

gpc_status gpc_scheduler_sample_as(gpc_scheduler *s, const gpc_layout *layout, const void *stats, uint64_t cycle) {
    if (!s)
        return GPC_ERROR_ARGUMENT;
    gpc_stats ours;
    gpc_status status = gpci_layout_take(layout, GPC_TABLE_HIERARCHY, stats, &ours, NULL);
    if (status < 0)
        return status;
    /* if possible, pass the host's struct itself: no value is absent, which a policy would read as a large number */
    bool own = gpci_layout_is_own(layout, GPC_TABLE_HIERARCHY) && *(const size_t *)stats >= sizeof ours &&
               !gpci_stats_clear_absent(&ours);
    gpci_scheduler_sample(s, own ? stats : &ours, cycle);
    return GPC_OK;
}
