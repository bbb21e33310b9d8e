/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "scheduler/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* A scheduler of the host: environment, order of calls, inputs, possible answers. */

typedef struct spy {
    const gpc_scheduler_env *env;
    char calls[4096]; /* a word per call, in order */
    uint32_t answer;  /* answer of pick; 100: the highest candidate */
    uint64_t offered[16];
    gpc_warp_class class_of;
    gpc_cache_event event;
    measured_stats stats;
    bool scribbles, finished;
    int destroyed;
} spy;

typedef struct spy_instance {
    spy *seen;
    uint8_t zeros[100];
} spy_instance;

static spy *seen_by(void *self) {
    return ((spy_instance *)self)->seen;
}

static void note(void *self, const char *format, unsigned a, unsigned b, unsigned c) {
    char *calls = seen_by(self)->calls;
    size_t length = strlen(calls);
    int more = snprintf(calls + length, sizeof seen_by(self)->calls - length, format, a, b, c);
    cr_assert(more > 0 && length + (size_t)more < sizeof seen_by(self)->calls);
}

static gpc_status spy_init(void *self, const gpc_scheduler_env *env, char *message) {
    spy_instance *instance = self;
    if (!strcmp(env->arguments, "refuse")) {
        snprintf(message, 256, "asked to");
        return GPC_ERROR_UNSUPPORTED;
    }
    for (size_t i = 0; i < sizeof instance->zeros; i++)
        cr_assert_eq(instance->zeros[i], 0);
    for (size_t i = 0; i < env->warps * 12; i++)
        cr_assert_eq(((const uint8_t *)env->warp_state)[i], 0);
    memset(env->warp_state, 0xff, (size_t)env->warps * 12); /* all of it may be written */
    instance->seen = env->user_data;
    instance->seen->env = env;
    return GPC_OK;
}

static void spy_finish(void *self) {
    seen_by(self)->finished = true;
}

static void spy_start(void *self, uint32_t slot, uint64_t order) {
    note(self, "start %u %u. ", slot, (unsigned)order, 0);
}

static void spy_state(void *self, uint32_t slot, gpc_warp_state before, gpc_warp_state after) {
    note(self, "state %u %u-%u. ", slot, before, after);
}

static uint32_t spy_pick(void *self, const uint64_t *ready, uint64_t cycle) {
    spy *seen = seen_by(self);
    uint32_t words = (seen->env->warps + 63) / 64;
    note(self, "pick %u. ", (unsigned)cycle, 0, 0);
    memcpy(seen->offered, ready, words * sizeof *ready);
    if (seen->scribbles)
        memset((void *)(uintptr_t)ready, 0xff, words * sizeof *ready);
    return seen->answer;
}

static void spy_issue(void *self, uint32_t slot, uint64_t cycle) {
    note(self, "issue %u %u. ", slot, (unsigned)cycle, 0);
}

static gpc_warp_class spy_class(void *self, uint32_t slot) {
    (void)slot;
    return seen_by(self)->class_of;
}

static void spy_event(void *self, const gpc_cache_event *event) {
    seen_by(self)->event = *event;
}

static void spy_sample(void *self, const gpc_stats *lent, uint64_t cycle) {
    measured_stats read;
    const measured_stats *stats = &read;
    measure_sample(lent, &read);
    seen_by(self)->stats = *stats;
    note(self, "sample %u. ", (unsigned)cycle, 0, 0);
}

static uint64_t spy_cost(const gpc_scheduler_env *env) {
    return env->warps * (uint64_t)env->parameters[0];
}

static void spy_destroy(void *user_data) {
    ((spy *)user_data)->destroyed++;
}

static const gpc_parameter depth[] = {{"depth", 2, 1, 8, true, "a number"}};

static gpc_scheduler_ops spy_ops(void) {
    return (gpc_scheduler_ops){.struct_size = sizeof(gpc_scheduler_ops),
                               .name = "spy",
                               .summary = "for tests",
                               .instance_bytes = sizeof(spy_instance),
                               .warp_bytes = 12,
                               .parameters = depth,
                               .parameter_count = 1,
                               .init = spy_init,
                               .finish = spy_finish,
                               .on_start = spy_start,
                               .on_state = spy_state,
                               .pick = spy_pick,
                               .on_issue = spy_issue,
                               .class_of = spy_class,
                               .on_cache_event = spy_event,
                               .sample = spy_sample,
                               .cost_bits = spy_cost};
}

/* A context with a spy, and a scheduler of `warps` slots. */
static void open_spy(rig *r, spy *seen, uint32_t warps, uint32_t limit) {
    *r = (rig){.warps = warps, .error = GPC_ERROR_INIT};
    *seen = (spy){.answer = GPC_NO_WARP};
    gpc_scheduler_ops ops = spy_ops();
    cr_assert_eq(gpc_context_create(NULL, &r->context, &r->error), GPC_OK);
    cr_assert_eq(gpc_context_register_scheduler(r->context, &ops, seen, spy_destroy, &r->error), GPC_OK);
    gpc_scheduler_options options = GPC_SCHEDULER_OPTIONS_INIT;
    options.warps = warps;
    options.warp_limit = limit;
    options.sm = 3;
    options.index = 1;
    options.count = 4;
    options.sms = 5;
    options.policy = "spy(depth=7)";
    cr_assert_eq(gpc_scheduler_create(r->context, &options, &r->scheduler, &r->error), GPC_OK, "%s", r->error.message);
}

Test(scheduler_host, environment) {
    rig r;
    spy seen;
    open_spy(&r, &seen, 100, 0);
    cr_expect_eq(seen.env->struct_size, sizeof *seen.env);
    cr_expect_eq(seen.env->warps, 100);
    cr_expect_eq(seen.env->sm, 3);
    cr_expect_eq(seen.env->index, 1);
    cr_expect_eq(seen.env->count, 4);
    cr_expect_eq(seen.env->sms, 5);
    cr_expect_eq(seen.env->parameters[0], 7);
    cr_expect_str_eq(seen.env->arguments, "depth=7");
    rig_close(&r);
    cr_expect(seen.finished);
    cr_expect_eq(seen.destroyed, 1);
}

/* Schedulers of a machine have different seeds; equal machines have equal seeds. */
Test(scheduler_host, seeds) {
    rig r;
    spy seen;
    open_spy(&r, &seen, 4, 0);
    uint64_t seeds[3][2];
    for (uint32_t i = 0; i < 6; i++) {
        gpc_scheduler_options options = GPC_SCHEDULER_OPTIONS_INIT;
        gpc_scheduler *scheduler = NULL;
        options.policy = "spy";
        options.sms = 3;
        options.count = 2;
        options.sm = i / 2;
        options.index = i % 2;
        cr_assert_eq(gpc_scheduler_create(r.context, &options, &scheduler, &r.error), GPC_OK);
        seeds[i / 2][i % 2] = seen.env->seed;
        gpc_scheduler_destroy(scheduler);
        cr_assert_eq(gpc_scheduler_create(r.context, &options, &scheduler, &r.error), GPC_OK);
        cr_expect_eq(seen.env->seed, seeds[i / 2][i % 2]);
        gpc_scheduler_destroy(scheduler);
        for (uint32_t j = 0; j < i; j++)
            cr_expect_neq(seeds[i / 2][i % 2], seeds[j / 2][j % 2]);
    }
    rig_close(&r);
}

Test(scheduler_host, order_of_calls) {
    rig r;
    spy seen;
    open_spy(&r, &seen, 3, 0);
    rig_start(&r, 2);
    rig_start(&r, 0);
    rig_set(&r, 2, GPC_STATE_STALLED); /* unchanged: not told */
    cr_expect_eq(rig_pick(&r, true), GPC_NO_WARP, "nothing is ready: the policy is not asked");
    rig_set(&r, 2, GPC_STATE_READY);
    rig_set(&r, 0, GPC_STATE_READY_MEMORY);
    seen.answer = 0;
    uint32_t slot = GPC_NO_WARP;
    cr_expect_eq(gpc_scheduler_pick(r.scheduler, 9, true, &slot, NULL), GPC_OK);
    cr_expect_eq(slot, 0);
    cr_expect_eq(gpc_scheduler_issued(r.scheduler, 0, 9, NULL), GPC_OK);
    rig_end(&r, 0);
    rig_start(&r, 0);
    measured_stats stats;
    measured_clear(&stats);
    stats.l1_load_lines = 5;
    stats.load_latency[GPC_LATENCY_BUCKETS - 1] = 6;
    cr_expect_eq(give_sample(r.scheduler, &stats, 11), GPC_OK);
    cr_expect(!memcmp(&seen.stats, &stats, sizeof stats));
    cr_expect_str_eq(seen.calls, "start 2 0. start 0 1. state 2 3-1. state 0 3-2. pick 9. issue 0 9. state 0 2-0. "
                                 "start 0 2. sample 11. ");
    gpc_cache_event event = {.kind = GPC_CACHE_EVENT_EVICT, .warp = 9, .owner = 1, .line_address = 256, .cycle = 8};
    gpc_scheduler_cache_event(r.scheduler, &event);
    cr_expect_arr_eq(&seen.event, &event, sizeof event);
    rig_close(&r);
}

/* Candidates: ready, eligible, and of memory instructions only if the pipeline accepts. */
Test(scheduler_host, candidates) {
    rig r;
    spy seen;
    open_spy(&r, &seen, 130, 129);
    for (uint32_t slot = 0; slot < 130; slot++)
        rig_start(&r, slot);
    rig_set(&r, 0, GPC_STATE_READY);
    rig_set(&r, 63, GPC_STATE_READY_MEMORY);
    rig_set(&r, 64, GPC_STATE_READY);
    rig_set(&r, 127, GPC_STATE_WAITING);
    rig_set(&r, 128, GPC_STATE_READY_MEMORY);
    rig_set(&r, 129, GPC_STATE_READY); /* beyond the limit */
    rig_pick(&r, false);
    cr_expect(seen.offered[0] == 1 && seen.offered[1] == 1 && seen.offered[2] == 0);
    rig_pick(&r, true);
    cr_expect(seen.offered[0] == (1 | (uint64_t)1 << 63) && seen.offered[1] == 1 && seen.offered[2] == 1);
    rig_close(&r);
}

static void impossible(rig *r, spy *seen, uint32_t answer, bool memory) {
    uint32_t slot = 77;
    seen->answer = answer;
    cr_expect_eq(gpc_scheduler_pick(r->scheduler, 0, memory, &slot, NULL), GPC_ERROR_CALLBACK, "%u", answer);
    cr_expect_eq(slot, 77);
}

/* A slot that is no candidate is refused, even if the policy overwrites the list; the state is as before. */
Test(scheduler_host, impossible_slots) {
    for (int scribbles = 0; scribbles <= 1; scribbles++) {
        rig r;
        spy seen;
        open_spy(&r, &seen, 6, 3);
        seen.scribbles = scribbles;
        for (uint32_t slot = 0; slot < 5; slot++)
            rig_start(&r, slot);
        rig_set(&r, 0, GPC_STATE_READY);
        rig_set(&r, 1, GPC_STATE_READY_MEMORY);
        rig_set(&r, 3, GPC_STATE_BARRIER);
        rig_set(&r, 4, GPC_STATE_READY); /* beyond the limit */
        impossible(&r, &seen, 1, false); /* the pipeline is busy */
        impossible(&r, &seen, 2, true);  /* stalled */
        impossible(&r, &seen, 3, true);  /* at a barrier */
        impossible(&r, &seen, 4, true);  /* throttled */
        impossible(&r, &seen, 5, true);  /* empty */
        impossible(&r, &seen, 6, true);  /* no slot */
        impossible(&r, &seen, GPC_NO_WARP - 1, true);
        seen.answer = 1;
        cr_expect_eq(rig_pick(&r, true), 1);
        seen.answer = 0;
        cr_expect_eq(rig_pick(&r, false), 0);
        seen.answer = GPC_NO_WARP; /* declines */
        cr_expect_eq(rig_pick(&r, true), GPC_NO_WARP);
        for (uint32_t slot = 0; slot < 5; slot++)
            cr_expect_eq(rig_age(&r, slot), slot);
        rig_close(&r);
    }
}

Test(scheduler_host, classes) {
    rig r;
    spy seen;
    open_spy(&r, &seen, 2, 1);
    rig_start(&r, 1);
    rig_start(&r, 0);
    for (int class_of = 0; class_of < GPC_CLASS_COUNT; class_of++) {
        seen.class_of = (gpc_warp_class)class_of;
        cr_expect_eq(rig_class(&r, 1), seen.class_of);
        cr_expect_eq(rig_class(&r, 0), GPC_CLASS_THROTTLED, "beyond the limit, whatever the policy says");
    }
    seen.class_of = GPC_CLASS_COUNT;
    cr_expect_eq(rig_class(&r, 1), GPC_CLASS_CACHE, "no class is the default one");
    rig_close(&r);
}

Test(scheduler_host, refuses_to_start) {
    rig r;
    spy seen;
    open_spy(&r, &seen, 2, 0);
    gpc_scheduler_ops ops = spy_ops();
    ops.name = "raw";
    ops.parameters = NULL;
    ops.parameter_count = 0;
    cr_assert_eq(gpc_context_register_scheduler(r.context, &ops, &seen, NULL, &r.error), GPC_OK);
    gpc_scheduler_options options = GPC_SCHEDULER_OPTIONS_INIT;
    gpc_scheduler *scheduler = NULL;
    options.policy = "raw(refuse)";
    cr_expect_eq(gpc_scheduler_create(r.context, &options, &scheduler, &r.error), GPC_ERROR_UNSUPPORTED);
    cr_expect_null(scheduler);
    cr_expect_str_eq(r.error.message, "scheduler 'raw(refuse)': asked to");
    cr_expect_not(seen.finished);
    rig_close(&r);
}

static void refuse(const char *what, const gpc_scheduler_ops *ops, gpc_status expected, const char *part) {
    rig r;
    int destroyed = 0;
    rig_open(&r, "gto", 1, 0);
    size_t before = gpc_policy_count(r.context, GPC_POLICY_SCHEDULER);
    spy seen = {.destroyed = 0};
    cr_expect_eq(gpc_context_register_scheduler(r.context, ops, &seen, spy_destroy, &r.error), expected, "%s", what);
    cr_expect(strstr(r.error.message, part), "%s: '%s' is not in '%s'", what, part, r.error.message);
    destroyed = seen.destroyed;
    cr_expect_eq(destroyed, 1, "%s", what);
    cr_expect_eq(gpc_policy_count(r.context, GPC_POLICY_SCHEDULER), before);
    rig_close(&r);
}

Test(scheduler_host, refused_tables) {
    gpc_scheduler_ops ops = spy_ops();
    refuse("no table", NULL, GPC_ERROR_ARGUMENT, "registering a scheduler: ops is NULL");
    ops.pick = NULL;
    refuse("no pick", &ops, GPC_ERROR_ARGUMENT, "gpc_scheduler_ops.pick of 'spy' is NULL");
    ops = spy_ops();
    ops.reserved = 8;
    refuse("reserved", &ops, GPC_ERROR_ARGUMENT, "gpc_scheduler_ops.reserved of 'spy' is not 0");
    ops = spy_ops();
    ops.name = "gto";
    refuse("taken", &ops, GPC_ERROR_EXISTS, "a scheduler named 'gto' is registered already");
    ops = spy_ops();
    ops.struct_size--;
    refuse("size", &ops, GPC_ERROR_ABI, "gpc_scheduler_ops.struct_size");
    ops = spy_ops();
    ops.name = "A";
    refuse("name", &ops, GPC_ERROR_ARGUMENT, "gpc_scheduler_ops.name");
}

/* Every kind has separate names. */
Test(scheduler_host, own_names) {
    rig r;
    spy seen = {.destroyed = 0};
    rig_open(&r, "gto", 1, 0);
    gpc_scheduler_ops ops = spy_ops();
    ops.name = "lru";
    cr_expect_eq(gpc_context_register_scheduler(r.context, &ops, &seen, spy_destroy, &r.error), GPC_OK, "%s",
                 r.error.message);
    gpc_policy_info info = GPC_POLICY_INFO_INIT;
    size_t last = gpc_policy_count(r.context, GPC_POLICY_SCHEDULER) - 1;
    cr_assert_eq(gpc_policy_at(r.context, GPC_POLICY_SCHEDULER, last, &info, NULL), GPC_OK);
    cr_expect_str_eq(info.name, "lru");
    cr_expect_str_eq(info.parameters[0].name, "depth");
    cr_expect_not(info.builtin);
    uint64_t bits = 0;
    cr_expect_eq(gpc_scheduler_cost(r.context, "lru(depth=3)", 48, &bits, &r.error), GPC_OK);
    cr_expect_eq(bits, 48 * 3);
    rig_close(&r);
}

static uint32_t highest(void *self, const uint64_t *ready, uint64_t cycle) {
    (void)self, (void)cycle;
    uint32_t slot = GPC_NO_WARP;
    for (uint32_t i = 0; i < 70; i++)
        if (ready[i / 64] >> (i % 64) & 1)
            slot = i;
    return slot;
}

/* The smallest working table: a name and pick. */
Test(scheduler_host, only_pick) {
    rig r;
    rig_open(&r, "gto", 1, 0);
    gpc_scheduler_ops ops = {.struct_size = sizeof ops, .name = "highest", .pick = highest};
    cr_assert_eq(gpc_context_register_scheduler(r.context, &ops, NULL, NULL, &r.error), GPC_OK);
    gpc_scheduler_destroy(r.scheduler);
    gpc_scheduler_options options = GPC_SCHEDULER_OPTIONS_INIT;
    options.warps = r.warps = 70;
    options.policy = "highest";
    cr_assert_eq(gpc_scheduler_create(r.context, &options, &r.scheduler, &r.error), GPC_OK);
    for (uint32_t slot = 0; slot < 70; slot++)
        rig_start(&r, slot);
    rig_set(&r, 3, GPC_STATE_READY);
    cr_expect_eq(rig_issue(&r, true), 3);
    rig_set(&r, 69, GPC_STATE_READY);
    cr_expect_eq(rig_issue(&r, true), 69);
    cr_expect_eq(rig_class(&r, 69), GPC_CLASS_CACHE);
    uint64_t bits = 1;
    cr_expect_eq(gpc_scheduler_cost(r.context, "highest", 70, &bits, &r.error), GPC_OK);
    cr_expect_eq(bits, 0);
    rig_close(&r);
}
