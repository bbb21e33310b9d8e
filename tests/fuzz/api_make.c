/* SPDX-License-Identifier: BSD-2-Clause */
#include "fuzz/api.h"

/* Small things of every kind, with options from the input. */

/* Registered name of a kind, with or without parameters. */
static const char *name_of(api_world *w, gpc_context *context, gpc_policy_kind kind) {
    gpc_policy_info info = GPC_POLICY_INFO_INIT;
    const uint8_t which = api_byte(w);
    if (which >= 250)
        return which & 1 ? "none-such" : NULL;
    CHECK(gpc_policy_at(context, kind, which % gpc_policy_count(context, kind), &info, NULL) == GPC_OK);
    return info.name;
}

static void *share_with(api_world *w, api_kind kind) {
    const api_thing *other = api_byte(w) & 1 ? api_find(w, kind) : NULL;
    return other ? other->it : NULL;
}

static const char *const settings[] = {
    "mode=timed",
    "mode=functional",
    "coherence=mesi",
    "coherence=viper",
    "coherence=vi",
    "coherence=nmoesi",
    "coherence.data=true",
    "coherence=none",
    "threads=2",
    "l1.enabled=false",
    "l2.enabled=false",
    "l1.ways=1",
    "l1.sectors=4",
    "l2.sectors=4",
    "l1.allocate=on-fill",
    "l1.allocate=streaming",
    "l1.write_policy=back",
    "l1.write_policy=through",
    "l1.write_allocate=lazy",
    "l1.write_allocate=fetch",
    "l2.inclusion=inclusive",
    "l2.partitions=2",
    "l2.slices=2",
    "l1.mshr_entries=1",
    "l1.mshr_merges=1",
    "l1.miss_queue=1",
    "l1.unified=true",
    "l1.carveouts=0KiB 8KiB 16KiB",
    "sm.shared=32KiB",
    "l1.tokens=opportunistic",
    "scheduler=gto + own",
    "scheduler=own",
    "scheduler=gto + pcal(ebt=auto)",
    "scheduler=lrr + ccws",
    "scheduler=gto + dyncta",
    "l1.replacement=own",
    "l2.replacement=own",
    "l1.bypass=own",
    "l2.bypass=own",
    "l1.prefetcher=stride",
    "l1.prefetcher=next-line",
    "cluster.sms=1",
    "lrc.sms=2",
    "l1.combine_lines=4",
    "l1.data_banks=32",
    "l1.reorder=warp",
    "sample=blocks",
    "sample=kernels",
    "sample=intervals",
    "dram.model=fixed",
    "streams=2",
    "warps.order=block",
    "kernels.flush=all",
    "kernels.flush=none",
    "limit.instructions=50",
    "limit.cycles=300",
    "gpu.count=2",
    "network.queues=virtual",
    "network.input_buffer=1",
    "l2.write_policy=through",
    "deadlock.cycles=1000",
};

/* Later additions; drawn by otherwise unused bits. */
static const char *const parts[] = {
    "ports=2",
    "port.queue=1",
    "tlb.page=4KiB",
    "tlb.l1_entries=1",
    "tlb.walkers=1",
    "const.size=1KiB",
    "l15.size=2KiB",
    "gl1.size=2KiB",
    "stats.stages=true",
    "l2.prefetcher=next-line",
    "l2.persisting=1KiB",
    "l2.window_bytes=2KiB",
    "l1.combine_stores=buffer",
    "l1.allocate=replaceable",
    "streams=2",
    "mode=timed",
};

static void make_config(api_world *w, unsigned which) {
    gpc_config *config = NULL;
    gpc_error error = GPC_ERROR_INIT;
    gpc_status status = gpc_config_create(w->memories[which].context, &config, &error);
    api_check(status, &error);
    if (status == GPC_OK) /* small, to keep an input quick */
        api_check(gpc_config_load_text(config,
                                       "sm.count=2\nl1.size=1KiB\nl2.slices=1\nl2.size=4KiB\ndram.channels=1\n"
                                       "sm.warps=8\ndeadlock.cycles=20000\n",
                                       NULL, &error),
                  &error);
    for (uint32_t n = api_below(w, 5); config && n; n--)
        api_check(gpc_config_set_pair(config, settings[api_below(w, sizeof settings / sizeof *settings)], &error),
                  &error);
    const uint8_t last = api_byte(w);
    if (config && (last & 6) == 6)
        for (uint32_t n = 0; n < 3; n++)
            api_check(
                gpc_config_set_pair(config, parts[(last / 8 + n * n * 4) % (sizeof parts / sizeof *parts)], &error),
                &error);
    if (config && last & 1) {
        const char *name = name_of(w, w->memories[which].context, GPC_POLICY_REPLACEMENT);
        api_check(
            gpc_config_set(config, api_byte(w) & 1 ? "l1.replacement" : "l2.replacement", name ? name : "", &error),
            &error);
    }
    api_put(w, API_CONFIG, config, which);
}

static void fill_evicted(void *user_data, const gpc_eviction *eviction, const gpc_request *request) {
    api_call_back(user_data, eviction->line_address + (request ? request->address : 0));
}

static void fill_filled(void *user_data, uint64_t line, uint32_t set, uint32_t way, uint8_t sectors,
                        const gpc_request *request) {
    (void)set, (void)way, (void)sectors;
    api_call_back(user_data, line + request->pc);
}

static void make_cache(api_world *w, unsigned which) {
    gpc_context *context = w->memories[which].context;
    gpc_cache *cache = NULL;
    gpc_error error = GPC_ERROR_INIT;
    gpc_cache_options options = GPC_CACHE_OPTIONS_INIT;
    const uint8_t form = api_byte(w);
    options.sets = 1 + (form & 3);
    options.ways = 1 + (form >> 2 & 3);
    options.sectors = form & 64 ? 4 : 0;
    options.line_bytes = form & 128 ? 64 : 128;
    const uint8_t more = api_byte(w);
    options.write_policy = more & 3;
    options.write_allocate = more >> 2 & 3;
    options.allocate = more >> 4 & 3;
    options.atomics_here = more >> 6 & 1;
    options.tokens = more >> 7 ? GPC_TOKENS_OPPORTUNISTIC : 0;
    options.token_clear = form & 3;
    options.track_reuse = options.track_warps = form >> 5 & 1;
    options.replacement = name_of(w, context, GPC_POLICY_REPLACEMENT);
    options.predictor = api_byte(w) & 1 ? name_of(w, context, GPC_POLICY_PREDICTOR) : NULL;
    options.instances = 1 + api_below(w, 3);
    options.instance = api_below(w, 3);
    options.share_with = share_with(w, API_CACHE);
    options.callback_data = w;
    options.on_evict = form & 16 ? fill_evicted : NULL;
    options.on_fill = form & 16 ? fill_filled : NULL;
    api_check(gpc_cache_create(context, &options, &cache, &error), &error);
    api_put(w, API_CACHE, cache, which);
}

static void make_driver(api_world *w, api_kind kind, unsigned which) {
    void *it = NULL;
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context = w->memories[which].context;
    const api_thing *config = api_find(w, API_CONFIG);
    if (!config)
        return;
    if (kind == API_HIERARCHY)
        api_check(gpc_hierarchy_create(context, config->it, (gpc_hierarchy **)&it, &error), &error);
    else if (kind == API_REPLAY)
        api_check(gpc_replay_create(context, config->it, (gpc_replay **)&it, &error), &error);
    else
        api_check(gpc_dram_create(context, config->it, (gpc_dram **)&it, &error), &error);
    api_put(w, kind, it, which);
}

static void make_trace(api_world *w, unsigned which) {
    static const char *const sources[] = {"synthetic:vectoradd:1KiB", "synthetic:histogram:1KiB", "synthetic:bfs:4KiB",
                                          "synthetic:bulk-copy:4KiB", "synthetic:none-such",      "/none/such.traceg"};
    gpc_trace *trace = NULL;
    gpc_error error = GPC_ERROR_INIT;
    api_check(gpc_trace_open(w->memories[which].context, sources[api_below(w, 6)], &trace, &error), &error);
    api_put(w, API_TRACE, trace, which);
}

static void make_scheduler(api_world *w, unsigned which) {
    gpc_scheduler *scheduler = NULL;
    gpc_error error = GPC_ERROR_INIT;
    gpc_scheduler_options options = GPC_SCHEDULER_OPTIONS_INIT;
    char policy[64];
    const char *name = name_of(w, w->memories[which].context, GPC_POLICY_SCHEDULER);
    const char *throttle = api_byte(w) & 1 ? name_of(w, w->memories[which].context, GPC_POLICY_THROTTLE) : NULL;
    snprintf(policy, sizeof policy, "%s%s%s", name ? name : "gto", throttle ? " + " : "", throttle ? throttle : "");
    options.policy = policy;
    options.warps = api_below(w, 20);
    options.count = api_below(w, 3);
    options.sms = api_below(w, 3);
    options.index = api_below(w, 2);
    options.warp_limit = api_below(w, 4);
    options.share_with = share_with(w, API_SCHEDULER);
    api_check(gpc_scheduler_create(w->memories[which].context, &options, &scheduler, &error), &error);
    api_put(w, API_SCHEDULER, scheduler, which);
}

static void make_throttle(api_world *w, unsigned which) {
    gpc_throttle *throttle = NULL;
    gpc_error error = GPC_ERROR_INIT;
    gpc_throttle_options options = GPC_THROTTLE_OPTIONS_INIT;
    options.throttles = name_of(w, w->memories[which].context, GPC_POLICY_THROTTLE);
    options.warps = api_below(w, 20);
    options.count = api_below(w, 3);
    options.sms = api_below(w, 3);
    options.share_with = share_with(w, API_THROTTLE);
    api_check(gpc_throttle_create(w->memories[which].context, &options, &throttle, &error), &error);
    api_put(w, API_THROTTLE, throttle, which);
}

static void make_replacement(api_world *w, unsigned which) {
    gpc_replacement *made = NULL;
    gpc_error error = GPC_ERROR_INIT;
    gpc_replacement_options options = GPC_REPLACEMENT_OPTIONS_INIT;
    options.policy = name_of(w, w->memories[which].context, GPC_POLICY_REPLACEMENT);
    options.sets = 1 + api_below(w, 4);
    options.ways = 1 + api_below(w, 4);
    options.sectors = api_byte(w) & 4;
    options.instances = api_below(w, 3);
    options.instance = api_below(w, 3);
    options.tells = api_byte(w) & 1 ? GPC_READS_EVERYTHING : 0;
    options.share_with = share_with(w, API_REPLACEMENT);
    api_check(gpc_replacement_create(w->memories[which].context, &options, &made, &error), &error);
    api_put(w, API_REPLACEMENT, made, which);
}

static void make_predictor(api_world *w, unsigned which) {
    gpc_predictor *made = NULL;
    gpc_error error = GPC_ERROR_INIT;
    gpc_predictor_options options = GPC_PREDICTOR_OPTIONS_INIT;
    options.policy = name_of(w, w->memories[which].context, GPC_POLICY_PREDICTOR);
    options.sets = 1 + api_below(w, 4);
    options.ways = 1 + api_below(w, 4);
    options.instances = api_below(w, 3);
    options.tells = api_byte(w) & 1 ? GPC_READS_EVERYTHING : 0;
    options.share_with = share_with(w, API_PREDICTOR);
    api_check(gpc_predictor_create(w->memories[which].context, &options, &made, &error), &error);
    api_put(w, API_PREDICTOR, made, which);
}

void api_make(api_world *w, api_kind kind, unsigned which) {
    switch (kind) {
    case API_CONFIG:
        make_config(w, which);
        break;
    case API_CACHE:
        make_cache(w, which);
        break;
    case API_TRACE:
        make_trace(w, which);
        break;
    case API_SCHEDULER:
        make_scheduler(w, which);
        break;
    case API_THROTTLE:
        make_throttle(w, which);
        break;
    case API_REPLACEMENT:
        make_replacement(w, which);
        break;
    case API_PREDICTOR:
        make_predictor(w, which);
        break;
    default:
        make_driver(w, kind, which);
    }
}
