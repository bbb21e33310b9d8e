/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A custom replacement policy, registered by name and then used from
 * configuration text like a built-in policy. The policy is LRU insertion (LIP;
 * Qureshi et al., ISCA 2007): a new line is the next victim until the first hit.
 * A working set slightly larger than the cache keeps most lines.
 */
#include <gpucache/ext/policies.h>
#include <gpucache/gpucache.h>

#include <stdio.h>

/* State: the clock in the instance, the time of the last hit in each line. The library allocates and clears both. */
typedef struct lip {
    uint64_t clock;
    uint64_t *last_hit; /* [sets x ways]; 0 = no hit since the fill */
    uint32_t ways;
} lip;

static gpc_status lip_init(void *self, const gpc_policy_env *env, char *message) {
    (void)message;
    lip *state = self;
    state->last_hit = env->line_state;
    state->ways = env->ways;
    return GPC_OK;
}

static void lip_on_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    lip *state = self;
    state->last_hit[(size_t)set * state->ways + way] = ++state->clock;
}

static void lip_on_fill(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    lip *state = self;
    state->last_hit[(size_t)set * state->ways + way] = 0;
}

static uint32_t lip_choose_victim(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)request;
    const lip *state = self;
    const uint64_t *last_hit = state->last_hit + (size_t)set * state->ways;
    uint32_t victim = UINT32_MAX;
    for (uint32_t way = 0; way < state->ways; way++) {
        bool allowed = !candidates || (candidates[way / 64] >> (way % 64) & 1);
        if (allowed && (victim == UINT32_MAX || last_hit[way] < last_hit[victim]))
            victim = way;
    }
    return victim;
}

static const gpc_replacement_ops lip_ops = {
    .struct_size = sizeof(gpc_replacement_ops),
    .name = "my-lip",
    .summary = "LRU insertion: a new line is the next victim until it is hit",
    .source = "Qureshi et al., ISCA 2007, section 3",
    .instance_bytes = sizeof(lip),
    .line_bytes = sizeof(uint64_t),
    .init = lip_init,
    .on_hit = lip_on_hit,
    .on_fill = lip_on_fill,
    .choose_victim = lip_choose_victim,
};

/*
 * Entry of a shared library: `gpucache run --load` and similar commands call the function for each context:
 * cc -shared -fPIC custom_policy.c $(pkg-config --cflags --libs gpucache) -o lip.so
 */
gpc_status gpucache_register(gpc_context *context, gpc_error *error);

gpc_status gpucache_register(gpc_context *context, gpc_error *error) {
    return gpc_context_register_replacement(context, &lip_ops, NULL, NULL, error);
}

/* L1 load hit rate of the first kernel of `source` under `settings`. */
static gpc_status hit_rate(gpc_context *context, const char *source, const char *settings, gpc_error *error,
                           double *rate) {
    gpc_config *config = NULL;
    gpc_replay *replay = NULL;
    gpc_trace *trace = NULL;
    const uint32_t ids[] = {GPC_ID_l1_load_sector_hits, GPC_ID_l1_load_sectors};
    uint64_t sectors[2];
    gpc_status status = gpc_config_create(context, &config, error);
    if (status == GPC_OK)
        status = gpc_config_load_text(config, settings, "settings", error);
    if (status == GPC_OK)
        status = gpc_replay_create(context, config, &replay, error);
    if (status == GPC_OK)
        status = gpc_trace_open(context, source, &trace, error);
    if (status == GPC_OK)
        status = gpc_replay_kernel(replay, trace, NULL, error);
    if (status == GPC_OK)
        status = gpc_replay_read(replay, GPC_OBJECT_WHOLE, 0, ids, 2, sectors, sizeof sectors / sizeof *sectors, error);
    if (status == GPC_OK)
        *rate = (double)sectors[0] / (double)sectors[1];
    gpc_trace_close(trace);
    gpc_replay_destroy(replay);
    gpc_config_destroy(config);
    return status;
}

int main(int argc, char **argv) {
    const char *source = argc > 1 ? argv[1] : "synthetic:warp-reuse:256KiB";
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context = NULL;
    double lru = 0, own = 0;
    gpc_status status = gpc_context_create(NULL, &context, &error);
    if (status == GPC_OK)
        status = gpucache_register(context, &error);
    if (status == GPC_OK)
        status = hit_rate(context, source, "preset = gtx480\nl1.replacement = lru\n", &error, &lru);
    if (status == GPC_OK)
        status = hit_rate(context, source, "preset = gtx480\nl1.replacement = my-lip\n", &error, &own);
    if (status == GPC_OK)
        printf("L1 load hit rate on %s: lru %.4f, my-lip %.4f\n", source, lru, own);
    else
        fprintf(stderr, "%s: %s\n", gpc_status_string(status), error.message);
    gpc_context_destroy(context);
    return status != GPC_OK;
}
