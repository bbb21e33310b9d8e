/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Throttling in the host's core model: four warps load a private line each, repeatedly, in a cache of two lines. The
 * host gives the scheduler the warps' states and a sample every 40 cycles, and sends the warp's cache token with each
 * load. The host's throttle removes a token while most loads miss.
 * Prints hits and the warps' classes at the end of each period (C: cache, B: bypassing, T: throttled).
 * An argument is another scheduler: "gto", "gto + warps(limit=2)".
 */
#include <gpucache/ext/scheduler.h>
#include <gpucache/gpucache.h>

#include <inttypes.h>
#include <stdio.h>

enum { WARPS = 4, CYCLES = 240, PERIOD = 40, HIT = 3, MISS = 6 };

/* Counters of a sample: line transactions of loads, and their misses in L1. */
static const uint32_t counter_ids[] = {GPC_ID_l1_load_lines, GPC_ID_l1_load_line_misses};

typedef struct careful {
    uint32_t tokens;
} careful;

static gpc_status init(void *self, const gpc_scheduler_env *env, char *message) {
    (void)message;
    ((careful *)self)->tokens = env->warps;
    return GPC_OK;
}

/* The oldest hold the tokens. */
static void classify(void *self, const gpc_throttle_view *view, gpc_throttle_classes *classes) {
    for (uint32_t age = ((const careful *)self)->tokens; age < view->running; age++) {
        uint32_t slot = view->by_age[age];
        classes->bypassing[slot / 64] |= (uint64_t)1 << slot % 64;
    }
}

static bool sample(void *self, const gpc_stats *stats, uint64_t cycle) {
    careful *c = self;
    uint64_t lines[2];
    (void)cycle;
    if (gpc_stats_read(stats, counter_ids, 2, lines, sizeof lines / sizeof *lines, NULL) != GPC_OK || c->tokens == 1 ||
        2 * lines[1] <= lines[0])
        return false;
    c->tokens--;
    return true;
}

typedef struct core {
    gpc_scheduler *scheduler;
    gpc_cache *cache;
    uint64_t wakes[WARPS];
    uint64_t period[2]; /* counters of the sample */
} core;

/* Issue the warp's load; the next load waits for the end of the current load. */
static gpc_status load(core *c, uint32_t slot, uint64_t cycle, gpc_error *error) {
    gpc_request request = {.address = slot * 128u,
                           .size = 4,
                           .warp = slot,
                           .kind = GPC_LOAD,
                           .policy.token = (uint8_t)gpc_scheduler_token_of(c->scheduler, slot, 1)};
    gpc_access_result result;
    gpc_status status = gpc_cache_access(c->cache, &request, &result, error);
    bool hit = result.outcome == GPC_HIT;
    c->period[0]++;
    c->period[1] += !hit;
    c->wakes[slot] = cycle + (hit ? HIT : MISS);
    return status == GPC_OK ? gpc_scheduler_set_state(c->scheduler, slot, GPC_STATE_WAITING, error) : status;
}

static gpc_status end_period(core *c, uint64_t cycle, gpc_error *error) {
    printf("%3" PRIu64 " ", cycle);
    for (uint32_t slot = 0; slot < WARPS; slot++)
        putchar("CBT"[gpc_scheduler_class_of(c->scheduler, slot)]);
    printf(" %" PRIu64 " of %" PRIu64 "\n", c->period[0] - c->period[1], c->period[0]);
    gpc_status status = gpc_scheduler_sample(c->scheduler, cycle, counter_ids, 2, c->period, 2, error);
    c->period[0] = c->period[1] = 0;
    return status;
}

static gpc_status run(core *c, gpc_error *error) {
    gpc_status status = GPC_OK;
    for (uint32_t slot = 0; slot < WARPS && status == GPC_OK; slot++)
        status = gpc_scheduler_start(c->scheduler, slot, error);
    for (uint64_t cycle = 0; cycle < CYCLES && status == GPC_OK; cycle++) {
        for (uint32_t slot = 0; slot < WARPS; slot++)
            if (c->wakes[slot] == cycle)
                gpc_scheduler_set_state(c->scheduler, slot, GPC_STATE_READY_MEMORY, NULL);
        uint32_t slot;
        status = gpc_scheduler_pick(c->scheduler, cycle, true, &slot, error);
        if (status == GPC_OK && slot != GPC_NO_WARP)
            status = gpc_scheduler_issued(c->scheduler, slot, cycle, error);
        if (status == GPC_OK && slot != GPC_NO_WARP)
            status = load(c, slot, cycle, error);
        if (status == GPC_OK && cycle % PERIOD == PERIOD - 1)
            status = end_period(c, cycle, error);
    }
    return status;
}

static gpc_status make(core *c, gpc_context *context, const char *policy, gpc_error *error) {
    static const gpc_throttle_ops ops = {.struct_size = sizeof ops,
                                         .name = "careful",
                                         .summary = "fewer cache tokens while most loads miss",
                                         .source = "",
                                         .instance_bytes = sizeof(careful),
                                         .init = init,
                                         .classify = classify,
                                         .sample = sample};
    gpc_scheduler_options options = GPC_SCHEDULER_OPTIONS_INIT;
    gpc_cache_options cache = GPC_CACHE_OPTIONS_INIT;
    options.warps = WARPS;
    options.policy = policy;
    cache.sets = 1;
    cache.ways = 2;
    cache.line_bytes = 128;
    cache.tokens = GPC_TOKENS_STRICT; /* a load without token does not allocate */
    gpc_status status = gpc_context_register_throttle(context, &ops, NULL, NULL, error);
    if (status == GPC_OK)
        status = gpc_scheduler_create(context, &options, &c->scheduler, error);
    return status == GPC_OK ? gpc_cache_create(context, &cache, &c->cache, error) : status;
}

int main(int count, char **arguments) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context = NULL;
    core c = {.scheduler = NULL};
    gpc_status status = gpc_context_create(NULL, &context, &error);
    if (status == GPC_OK)
        status = make(&c, context, count > 1 ? arguments[1] : "gto + careful", &error);
    if (status == GPC_OK)
        status = run(&c, &error);
    if (status != GPC_OK)
        fprintf(stderr, "%s: %s\n", gpc_status_string(status), error.message);
    gpc_cache_destroy(c.cache);
    gpc_scheduler_destroy(c.scheduler);
    gpc_context_destroy(context);
    return status != GPC_OK;
}
