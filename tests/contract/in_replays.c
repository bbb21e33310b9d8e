/* SPDX-License-Identifier: BSD-2-Clause */
#include "contract/contract.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/*
 * Every scheduler, and every throttle alone, decides equally for a host and in a timed replay. The host is a policy of
 * the replay that leaves decisions to an object of another context, with equal inputs: the replay must equal a replay
 * with the built-in policy, to the cycle.
 */

#define SLOTS 64u

/* The hosts' objects: of all alive, each shares with the previous. */
static gpc_context *apart;
static const char *spec;
static gpc_scheduler *last_scheduler;
static gpc_throttle *last_throttle;
static unsigned alive;

/* Schedulers */

typedef struct mirror {
    gpc_scheduler *s;
    uint32_t block;
    uint8_t states[SLOTS];
} mirror;

static gpc_status mirror_init(void *self, const gpc_scheduler_env *env, char *message) {
    mirror *m = self;
    gpc_error error = GPC_ERROR_INIT;
    gpc_scheduler_options options = GPC_SCHEDULER_OPTIONS_INIT;
    options.policy = spec;
    options.warps = env->warps;
    options.sm = env->sm;
    options.index = env->index;
    options.count = env->count;
    options.sms = env->sms;
    options.share_with = alive++ ? last_scheduler : NULL;
    cr_assert_leq(env->warps, SLOTS);
    gpc_status status = gpc_scheduler_create(apart, &options, &m->s, &error);
    snprintf(message, 256, "%.255s", error.message);
    last_scheduler = m->s;
    return status;
}

static void mirror_finish(void *self) {
    gpc_scheduler_destroy(((mirror *)self)->s);
    alive--;
}

static void mirror_block(void *self, uint32_t slot, uint32_t block) {
    (void)slot;
    ((mirror *)self)->block = block;
}

static void mirror_start(void *self, uint32_t slot, uint64_t order) {
    mirror *m = self;
    (void)order;
    m->states[slot] = GPC_STATE_STALLED;
    cr_assert_eq(gpc_scheduler_start_block(m->s, slot, m->block, NULL), GPC_OK);
}

static void mirror_state(void *self, uint32_t slot, gpc_warp_state before, gpc_warp_state after) {
    mirror *m = self;
    (void)before;
    m->states[slot] = (uint8_t)after;
    cr_assert_eq(gpc_scheduler_set_state(m->s, slot, after, NULL), GPC_OK);
}

static uint32_t mirror_pick(void *self, const uint64_t *ready, uint64_t cycle) {
    mirror *m = self;
    bool memory = false;
    uint32_t slot;
    for (uint32_t i = 0; i < SLOTS; i++)
        memory |= m->states[i] == GPC_STATE_READY_MEMORY && ready[0] >> i & 1;
    cr_assert_eq(gpc_scheduler_pick(m->s, cycle, memory, &slot, NULL), GPC_OK);
    return slot;
}

static void mirror_issue(void *self, uint32_t slot, uint64_t cycle) {
    cr_assert_eq(gpc_scheduler_issued(((mirror *)self)->s, slot, cycle, NULL), GPC_OK);
}

static void mirror_event(void *self, const gpc_cache_event *event) {
    gpc_scheduler_cache_event(((mirror *)self)->s, event);
}

static void mirror_sample(void *self, const gpc_stats *lent, uint64_t cycle) {
    measured_stats read;
    const measured_stats *stats = &read;
    measure_sample(lent, &read);
    give_sample(((mirror *)self)->s, stats, cycle);
}

static const gpc_scheduler_ops mirrored = {.struct_size = sizeof mirrored,
                                           .name = "mirror",
                                           .instance_bytes = sizeof(mirror),
                                           .init = mirror_init,
                                           .finish = mirror_finish,
                                           .on_start = mirror_start,
                                           .on_state = mirror_state,
                                           .pick = mirror_pick,
                                           .on_issue = mirror_issue,
                                           .on_cache_event = mirror_event,
                                           .sample = mirror_sample,
                                           .on_block = mirror_block};

/* Throttles. A warp's block becomes known at the first question. */

typedef struct screen {
    gpc_throttle *t;
    uint64_t fresh; /* slots */
} screen;

static gpc_status screen_init(void *self, const gpc_scheduler_env *env, char *message) {
    screen *m = self;
    gpc_error error = GPC_ERROR_INIT;
    gpc_throttle_options options = GPC_THROTTLE_OPTIONS_INIT;
    options.throttles = spec;
    options.warps = env->warps;
    options.sm = env->sm;
    options.index = env->index;
    options.count = env->count;
    options.sms = env->sms;
    options.share_with = alive++ ? last_throttle : NULL;
    cr_assert_leq(env->warps, SLOTS);
    gpc_status status = gpc_throttle_create(apart, &options, &m->t, &error);
    snprintf(message, 256, "%.255s", error.message);
    last_throttle = m->t;
    return status;
}

static void screen_finish(void *self) {
    gpc_throttle_destroy(((screen *)self)->t);
    alive--;
}

static void screen_start(void *self, uint32_t slot, uint64_t order) {
    (void)order;
    ((screen *)self)->fresh |= (uint64_t)1 << slot;
}

static void screen_state(void *self, uint32_t slot, gpc_warp_state before, gpc_warp_state after) {
    (void)before;
    cr_assert_eq(gpc_throttle_set_state(((screen *)self)->t, slot, after, NULL), GPC_OK);
}

static void screen_classify(void *self, const gpc_throttle_view *view, gpc_throttle_classes *classes) {
    screen *m = self;
    for (uint32_t slot = 0; m->fresh; slot++, m->fresh >>= 1)
        if (m->fresh & 1)
            cr_assert_eq(gpc_throttle_start(m->t, slot, view->blocks[slot], NULL), GPC_OK);
    gpc_throttle_classes found = *classes;
    cr_assert_eq(gpc_throttle_classify(m->t, view->cycle, &found, NULL), GPC_OK);
    classes->again = found.again;
    classes->others = found.others;
}

static void screen_issue(void *self, uint32_t slot, uint64_t cycle) {
    cr_assert_eq(gpc_throttle_issued(((screen *)self)->t, slot, cycle, NULL), GPC_OK);
}

static bool screen_event(void *self, const gpc_cache_event *event) {
    return gpc_throttle_cache_event(((screen *)self)->t, event);
}

static bool screen_sample(void *self, const gpc_stats *lent, uint64_t cycle) {
    measured_stats read;
    const measured_stats *stats = &read;
    measure_sample(lent, &read);
    const screen *m = self;
    cr_assert_eq(give_throttle_sample(m->t, stats, cycle), GPC_OK);
    return gpc_throttle_wants_samples(m->t);
}

static bool screen_kernel(void *self, const char *name) {
    cr_assert_eq(gpc_throttle_begin_kernel(((screen *)self)->t, name, NULL), GPC_OK);
    return true;
}

static const gpc_throttle_ops screened = {.struct_size = sizeof screened,
                                          .name = "screen",
                                          .instance_bytes = sizeof(screen),
                                          .init = screen_init,
                                          .finish = screen_finish,
                                          .on_start = screen_start,
                                          .on_state = screen_state,
                                          .classify = screen_classify,
                                          .on_cache_event = screen_event,
                                          .sample = screen_sample,
                                          .on_issue = screen_issue,
                                          .on_kernel = screen_kernel};

static gpc_context *open_with_mirrors(void) {
    gpc_context *context = open_context(1);
    cr_assert_eq(gpc_context_register_scheduler(context, &mirrored, NULL, NULL, NULL), GPC_OK);
    cr_assert_eq(gpc_context_register_throttle(context, &screened, NULL, NULL, NULL), GPC_OK);
    apart = open_context(1);
    return context;
}

static void set(gpc_config *config, const char *key, const char *value) {
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_config_set(config, key, value, &error), GPC_OK, "%s", error.message);
}

/* Reuses lost by a small L1 to other warps. */
static measured_stats replay(gpc_context *context, const char *scheduler) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_config *config;
    gpc_replay *replay;
    gpc_trace *trace;
    measured_stats stats;
    measured_clear(&stats);
    cr_assert_eq(gpc_config_create(context, &config, &error), GPC_OK);
    cr_assert_eq(gpc_config_load_preset(config, "gtx480", &error), GPC_OK, "%s", error.message);
    set(config, "mode", "timed");
    set(config, "sm.count", "3");
    set(config, "sample.period", "500");
    set(config, "l1.track_warps", "true");
    set(config, "scheduler", scheduler);
    cr_assert_eq(gpc_replay_create(context, config, &replay, &error), GPC_OK, "%s: %s", scheduler, error.message);
    cr_assert_eq(gpc_trace_open(context, "synthetic:gather:64KiB", &trace, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(measure_kernel(replay, trace, NULL, &stats, &error), GPC_OK, "%s: %s", scheduler, error.message);
    gpc_trace_close(trace);
    gpc_replay_destroy(replay);
    gpc_config_destroy(config);
    return stats;
}

/*
 * A cycle in which an SM is held up at L1 counts for the reason found at the last look. Asking a throttle is a look;
 * here all are asked after a sample, while built-in throttles without a change decline.
 */
static bool is_of_last_look(const char *counter) {
    return !strcmp(counter, "scheduler.mshr_stalls") || !strcmp(counter, "scheduler.line_stalls");
}

/* Returns the number of cycles. */
static uint64_t compare(gpc_context *context, const char *own, const char *theirs, const char *which) {
    measured_stats a = replay(context, theirs);
    spec = which;
    measured_stats b = replay(context, own);
    cr_assert_eq(alive, 0);
    cr_expect_eq(a.cycles, b.cycles, "%s: %llu cycles, by itself %llu", which, (unsigned long long)a.cycles,
                 (unsigned long long)b.cycles);
    for (size_t n = 0; n < gpc_counter_table_count(GPC_TABLE_HIERARCHY); n++) {
        gpc_counter_info info = GPC_COUNTER_INFO_INIT;
        cr_assert_eq(gpc_counter_table_at(GPC_TABLE_HIERARCHY, n, &info, NULL), GPC_OK);
        const void *x = (const char *)&a + measured_offset(info.id), *y = (const char *)&b + measured_offset(info.id);
        cr_expect(info.ratio || is_of_last_look(info.name) || !memcmp(x, y, info.buckets * sizeof(uint64_t)),
                  "%s: %s differs", which, info.name);
    }
    return a.cycles;
}

Test(in_replays, schedulers, .timeout = 120) {
    gpc_context *context = open_with_mirrors();
    const uint64_t plain = replay(context, "gto").cycles;
    unsigned tried = 0, differ = 0;
    for (const scheduler_row *row = scheduler_rows(); row->spec; row++)
        if (!strchr(row->spec, '+')) {
            differ += compare(context, "mirror", row->spec, row->spec) != plain;
            tried++;
        }
    cr_expect(tried >= 6 && differ >= 4, "%u, of which %u differ", tried, differ);
    gpc_context_destroy(apart);
    gpc_context_destroy(context);
}

Test(in_replays, throttles, .timeout = 120) {
    gpc_context *context = open_with_mirrors();
    const uint64_t plain = replay(context, "gto").cycles;
    unsigned tried = 0, differ = 0;
    for (const scheduler_row *row = scheduler_rows(); row->spec; row++) {
        const char *throttle = strchr(row->spec, '+');
        if (!throttle || strchr(throttle + 1, '+'))
            continue;
        char theirs[100];
        snprintf(theirs, sizeof theirs, "gto + %s", throttle + 2);
        differ += compare(context, "gto + screen", theirs, throttle + 2) != plain;
        tried++;
    }
    cr_expect(tried >= 10 && differ >= 8, "%u, of which %u differ", tried, differ);
    gpc_context_destroy(apart);
    gpc_context_destroy(context);
}
