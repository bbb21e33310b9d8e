/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/cache.h"
#include "level/rules/driver.h"
#include "level/rules/hierarchy.h"
#include "policies/predictor/predictors.h"
#include "policies/prefetcher/prefetchers.h"

#include <string.h>

/* Build caches from configuration keys. */

static gpc_status refuse(gpci_key key, const gpc_hierarchy *h, const char *why, gpc_error *error) {
    return gpci_fail(error, GPC_ERROR_RANGE, "%s = %s: %s", gpci_key_name(key), gpci_config_text(h->config, key), why);
}

static void fill_level(gpci_level *level, uint32_t line, uint32_t sectors) {
    const unsigned segments = line / GPCI_SEGMENT, per_sector = segments / sectors;
    *level = (gpci_level){
        .line_bytes = line, .line_shift = gpci_log2(line), .all_segments = (uint8_t)((1u << segments) - 1)};
    for (unsigned mask = 0; mask < 16; mask++)
        for (unsigned i = 0; i < segments; i++) {
            if (mask >> i & 1)
                level->sectors_of[mask] |= (uint8_t)(1u << i / per_sector);
            if (mask >> i / per_sector & 1)
                level->segments_of[mask] |= (uint8_t)(1u << i);
        }
}

static gpc_status make_level(gpc_hierarchy *h, gpci_key line_key, gpci_key sectors_key, gpci_key fetch_key,
                             gpci_level *level, gpc_error *error) {
    uint64_t line = gpci_number(h, line_key), sectors = gpci_number(h, sectors_key);
    if (!gpci_power_of_two(line) || line < GPCI_SEGMENT || line > 128)
        return refuse(line_key, h, "lines of a hierarchy are 32, 64 or 128 bytes", error);
    if (!gpci_power_of_two(sectors) || line / sectors < GPCI_SEGMENT)
        return refuse(sectors_key, h, "sectors must be a power of two, each of 32 bytes or more", error);
    if (!gpci_power_of_two(gpci_number(h, fetch_key)) || gpci_number(h, fetch_key) > sectors)
        return refuse(fetch_key, h, "must be a power of two of at most the sectors of a line", error);
    fill_level(level, (uint32_t)line, (uint32_t)sectors);
    return GPC_OK;
}

/*
 * In a coherent tree the unit of transfer, waiting and requests is a block, as large as a sector. The tree itself knows
 * which blocks share a tag (gpc_coherence_module.sectors).
 */
static void divide_lines(gpc_hierarchy *h) {
    const uint32_t sectors = (uint32_t)gpci_number(h, GPCI_KEY_L1_SECTORS);
    h->line_blocks = h->levels == &gpci_tree_levels ? sectors : 1;
    if (h->line_blocks > 1)
        fill_level(&h->l1_level, h->l1_level.line_bytes / sectors, 1);
}

static void assign_partitions(gpc_hierarchy *h) {
    uint64_t how = gpci_number(h, GPCI_KEY_L2_SM_PARTITION); /* 0: halves, 1: pairs, 2: groups, 3: gpcs */
    for (uint32_t sm = 0; sm < h->sms && h->partitions == 2; sm++)
        h->sm_partition[sm] = how == 0   ? sm >= (h->sms + 1) / 2
                              : how == 1 ? sm / 2 % 2
                              : how == 2 ? sm / 16 % 2
                                         : sm / 8 % 2;
}

/* Assign SMs to L2 request coalescers: neighbours, or pairs round robin, as TPCs to GPCs. */
static gpc_status assign_coalescers(gpc_hierarchy *h, gpc_error *error) {
    const uint32_t most = (uint32_t)gpci_number(h, GPCI_KEY_LRC_SMS);
    const bool in_turn = gpci_number(h, GPCI_KEY_LRC_LAYOUT) != 0;
    if (!most)
        return GPC_OK;
    h->coalescers = (h->sms + most - 1) / most;
    h->sm_coalescer = gpci_zalloc(h->context, h->sms, sizeof *h->sm_coalescer);
    if (!h->sm_coalescer)
        return gpci_out_of_memory(error);
    for (uint32_t sm = 0; sm < h->sms; sm++)
        h->sm_coalescer[sm] = in_turn ? sm / 2 % h->coalescers : sm / most;
    return GPC_OK;
}

gpc_status gpci_build_levels(gpc_hierarchy *h, gpc_error *error) {
    h->sms = (uint32_t)gpci_number(h, GPCI_KEY_SM_COUNT);
    h->lanes = (uint32_t)gpci_number(h, GPCI_KEY_SM_LANES);
    h->warps = (uint32_t)gpci_number(h, GPCI_KEY_SM_WARPS);
    h->slices = (uint32_t)gpci_number(h, GPCI_KEY_L2_SLICES);
    h->partitions = (uint32_t)gpci_number(h, GPCI_KEY_L2_PARTITIONS);
    h->l1_local_only = gpci_number(h, GPCI_KEY_L1_SPACES) == 1;
    h->inclusive = gpci_number(h, GPCI_KEY_L2_INCLUSION) == 1;
    h->gpus = (uint32_t)gpci_number(h, GPCI_KEY_GPU_COUNT);
    h->cpus = (uint32_t)gpci_number(h, GPCI_KEY_CPU_COUNT);
    h->slices_per_partition = h->slices / h->partitions / h->gpus;
    if (h->slices % h->partitions)
        return refuse(GPCI_KEY_L2_SLICES, h, "must be a multiple of l2.partitions", error);
    if (h->slices % h->gpus || !h->slices_per_partition)
        return refuse(GPCI_KEY_L2_SLICES, h, "must be a multiple of gpu.count", error);
    gpc_status status = make_level(h, GPCI_KEY_L1_LINE, GPCI_KEY_L1_SECTORS, GPCI_KEY_L1_FETCH, &h->l1_level, error);
    if (status == GPC_OK)
        status = make_level(h, GPCI_KEY_L2_LINE, GPCI_KEY_L2_SECTORS, GPCI_KEY_L2_FETCH, &h->l2_level, error);
    if (status < 0)
        return status;
    if (h->l2_level.line_bytes < h->l1_level.line_bytes)
        return refuse(GPCI_KEY_L2_LINE, h, "must be at least l1.line", error);
    divide_lines(h);
    h->tag_banks = gpci_tag_banks_of(h);
    if (!gpci_power_of_two(gpci_number(h, GPCI_KEY_L2_ATOMIC_WIDTH)))
        return refuse(GPCI_KEY_L2_ATOMIC_WIDTH, h, "must be a power of two", error);
    status = gpci_build_interleave(h, error);
    if (status < 0)
        return status;
    h->l1_commons = gpci_commons_create(h->context);
    h->l2_commons = gpci_commons_create(h->context);
    h->sm_partition = gpci_zalloc(h->context, h->sms, sizeof *h->sm_partition);
    if (!h->l1_commons || !h->l2_commons || !h->sm_partition)
        return gpci_out_of_memory(error);
    assign_partitions(h);
    return assign_coalescers(h, error);
}

/* Create `count` caches; an error names the level instead of the option struct. */
static gpc_status make_caches(gpc_hierarchy *h, const char *level, gpc_cache_options *options, uint32_t count,
                              gpci_commons *commons, gpc_error *error, gpc_cache ***out) {
    gpc_cache **caches = gpci_zalloc(h->context, count, sizeof *caches);
    if (!caches)
        return gpci_out_of_memory(error);
    options->instances = count;
    for (uint32_t i = 0; i < count; i++) {
        gpc_error detail = GPC_ERROR_INIT;
        options->instance = i;
        gpc_status status = gpci_cache_create(h->context, options, commons, &detail, &caches[i]);
        if (status < 0) {
            gpci_destroy_caches(h, caches, count);
            return gpci_fail(error, status, "%s: %s", level, detail.message);
        }
    }
    *out = caches;
    return GPC_OK;
}

void gpci_destroy_caches(gpc_hierarchy *h, gpc_cache **caches, uint32_t count) {
    for (uint32_t i = 0; caches && i < count; i++)
        gpc_cache_destroy(caches[i]);
    gpci_free(h->context, caches);
}

static const char *needy(const gpc_hierarchy *h, gpci_key key) {
    const char *text = gpci_config_text(h->config, key);
    const gpc_replacement_ops *ops = gpci_policy_table(h->context, GPC_POLICY_REPLACEMENT, text);
    return ops && ops->needs_future ? text : NULL;
}

gpc_status gpci_build_future(gpc_hierarchy *h, gpc_error *error) {
    h->l1_future = gpci_number(h, GPCI_KEY_L1_FUTURE) != 0;
    bool timed = gpci_number(h, GPCI_KEY_MODE) == 1;
    const char *l1 = needy(h, GPCI_KEY_L1_REPLACEMENT), *l2 = needy(h, GPCI_KEY_L2_REPLACEMENT);
    if (l2 && gpci_number(h, GPCI_KEY_L2_ENABLED))
        return gpci_fail(error, GPC_ERROR_UNSUPPORTED,
                         "l2.replacement = %s: it needs the future, which is not known of L2: what comes there "
                         "depends on what L1s keep",
                         l2);
    if (l1 && !h->l1_future && gpci_number(h, GPCI_KEY_L1_ENABLED))
        return gpci_fail(error, GPC_ERROR_ARGUMENT,
                         "l1.replacement = %s: it needs the future: set l1.future = true, in a functional replay", l1);
    if (h->l1_future && timed)
        return gpci_fail(error, GPC_ERROR_UNSUPPORTED,
                         "l1.future = true with mode = timed: with a clock, what comes next depends on what caches do");
    return GPC_OK;
}

bool gpci_has_prefetcher(const gpc_hierarchy *h, gpci_key key) {
    return gpci_policy_table(h->context, GPC_POLICY_PREFETCHER, gpci_config_text(h->config, key)) !=
           &gpci_no_prefetcher;
}

static gpc_status check_prefetcher(const gpc_hierarchy *h, gpci_key key, bool has_level, const char *level,
                                   gpc_error *error) {
    if (!gpci_has_prefetcher(h, key))
        return GPC_OK;
    if (gpci_number(h, GPCI_KEY_MODE) != 1)
        return refuse(key, h, "needs mode = timed: what it gains is time", error);
    if (!has_level)
        return refuse(key, h, level, error);
    if (gpci_number(h, GPCI_KEY_COHERENCE_DATA))
        return refuse(key, h, "needs coherence.data = false: prefetches carry no values", error);
    return GPC_OK;
}

gpc_status gpci_check_prefetchers(const gpc_hierarchy *h, gpc_error *error) {
    gpc_status status = check_prefetcher(h, GPCI_KEY_L1_PREFETCHER, h->has_l1, "needs l1.enabled = true", error);
    return status < 0 ? status
                      : check_prefetcher(h, GPCI_KEY_L2_PREFETCHER, gpci_number(h, GPCI_KEY_L2_ENABLED) != 0,
                                         "needs l2.enabled = true", error);
}

static gpc_status l1_options(const gpc_hierarchy *h, const gpci_l1_share *share, gpc_cache_options *out,
                             gpc_error *error) {
    bool wants_events = false;
    gpc_status status = gpci_scheduler_text_wants_events(h->context, gpci_config_text(h->config, GPCI_KEY_SCHEDULER),
                                                         error, &wants_events);
    if (status < 0)
        return status;
    gpc_cache_options o = GPC_CACHE_OPTIONS_INIT;
    o.seed = 1;
    o.sets = share->sets;
    o.ways = share->ways;
    o.line_bytes = h->l1_level.line_bytes;
    o.sectors = (uint32_t)gpci_number(h, GPCI_KEY_L1_SECTORS);
    o.fetch_sectors = (uint32_t)gpci_number(h, GPCI_KEY_L1_FETCH);
    o.lines = share->lines;
    o.index = gpci_index_number(h, GPCI_KEY_L1_INDEX);
    o.write_policy = (uint32_t)gpci_number(h, GPCI_KEY_L1_WRITE);
    o.write_policy_local = (uint32_t)gpci_number(h, GPCI_KEY_L1_WRITE_LOCAL);
    o.write_allocate = (uint32_t)gpci_number(h, GPCI_KEY_L1_WRITE_ALLOCATE);
    o.write_allocate_local = (uint32_t)gpci_number(h, GPCI_KEY_L1_WRITE_ALLOCATE_LOCAL);
    o.allocate = (uint32_t)gpci_number(h, GPCI_KEY_L1_ALLOCATE);
    o.track_reuse = (uint32_t)gpci_number(h, GPCI_KEY_L1_TRACK_REUSE);
    /* Eviction events name the warp that fetched the line. */
    o.track_warps = gpci_number(h, GPCI_KEY_L1_TRACK_WARPS) || wants_events;
    o.track_future = h->l1_future;
    o.replacement = gpci_config_text(h->config, GPCI_KEY_L1_REPLACEMENT);
    o.predictor = gpci_config_text(h->config, GPCI_KEY_L1_BYPASS);
    o.bypass_fetch = (uint32_t)gpci_number(h, GPCI_KEY_L1_BYPASS_FETCH);
    o.tokens = (uint32_t)gpci_number(h, GPCI_KEY_L1_TOKENS);
    o.token_clear = (uint32_t)gpci_number(h, GPCI_KEY_L1_TOKEN_CLEAR);
    o.token_period = gpci_number(h, GPCI_KEY_L1_TOKEN_PERIOD);
    o.token_warps = (uint32_t)gpci_number(h, GPCI_KEY_SM_WARPS);
    *out = o;
    return GPC_OK;
}

static void note_viper(const gpc_hierarchy *h, gpc_cache *l1) {
    l1->unusual |= l1->strong_passes = h->viper;
}

gpc_status gpci_build_l1(gpc_hierarchy *h, const gpci_l1_share *share, gpc_error *error, gpc_cache ***out) {
    gpc_cache_options o;
    gpc_status status = l1_options(h, share, &o, error);
    if (status == GPC_OK)
        status = make_caches(h, "l1", &o, h->sms, h->l1_commons, error, out);
    for (uint32_t sm = 0; status == GPC_OK && sm < h->sms; sm++)
        note_viper(h, (*out)[sm]);
    return status;
}

gpc_status gpci_build_l1_of(gpc_hierarchy *h, const gpci_l1_share *share, uint32_t sm, gpc_error *error,
                            gpc_cache **out) {
    gpc_cache_options o;
    gpc_error detail = GPC_ERROR_INIT;
    gpc_status status = l1_options(h, share, &o, error);
    if (status < 0)
        return status;
    o.instances = h->sms;
    o.instance = sm;
    status = gpci_cache_create(h->context, &o, h->l1_commons, &detail, out);
    if (status < 0)
        return gpci_fail(error, status, "l1: %s", detail.message);
    note_viper(h, *out);
    return GPC_OK;
}

gpc_status gpci_l2_predictor(const gpc_hierarchy *h, const char **out, gpc_error *error) {
    const char *above = gpci_config_text(h->config, GPCI_KEY_L1_BYPASS);
    const gpc_predictor_ops *ops = gpci_policy_table(h->context, GPC_POLICY_PREDICTOR, above);
    *out = gpci_config_text(h->config, GPCI_KEY_L2_BYPASS);
    const gpc_predictor_ops *own = gpci_policy_table(h->context, GPC_POLICY_PREDICTOR, *out);
    if (!(h->l1 || h->levels == &gpci_tree_levels) || !ops || !ops->below || !own || !strcmp(own->name, ops->below))
        return GPC_OK;
    if (own != &gpci_always_cache)
        return gpci_fail(error, GPC_ERROR_ARGUMENT,
                         "l2.bypass = %s: l1.bypass = %s needs '%s' there, which keeps its bits in L2's lines", *out,
                         above, ops->below);
    *out = ops->below;
    return GPC_OK;
}

gpc_status gpci_build_l2(gpc_hierarchy *h, gpc_error *error) {
    gpc_cache_options o = GPC_CACHE_OPTIONS_INIT;
    uint64_t lines = gpci_number(h, GPCI_KEY_L2_SIZE) / h->l2_level.line_bytes / h->slices;
    o.seed = 2;
    o.ways = (uint32_t)gpci_number(h, GPCI_KEY_L2_WAYS);
    o.sets = lines / o.ways;
    if (!o.sets)
        return refuse(GPCI_KEY_L2_SIZE, h, "holds less than one set of each slice", error);
    o.line_bytes = h->l2_level.line_bytes;
    o.sectors = (uint32_t)gpci_number(h, GPCI_KEY_L2_SECTORS);
    o.fetch_sectors = (uint32_t)gpci_number(h, GPCI_KEY_L2_FETCH);
    o.index = gpci_index_number(h, GPCI_KEY_L2_INDEX);
    o.write_policy = o.write_policy_local = (uint32_t)gpci_number(h, GPCI_KEY_L2_WRITE);
    o.write_allocate = o.write_allocate_local = (uint32_t)gpci_number(h, GPCI_KEY_L2_WRITE_ALLOCATE);
    o.atomics_here = 1;
    o.replacement = gpci_config_text(h->config, GPCI_KEY_L2_REPLACEMENT);
    o.tokens = (uint32_t)gpci_number(h, GPCI_KEY_L2_TOKENS);
    o.token_clear = gpci_number(h, GPCI_KEY_L2_TOKEN_CLEAR) ? GPC_CLEAR_PERIODIC : GPC_CLEAR_KERNEL;
    o.token_period = gpci_number(h, GPCI_KEY_L2_TOKEN_PERIOD);
    gpc_status status = gpci_set_aside(h, o.ways, &o.last_ways, error);
    if (status == GPC_OK)
        status = gpci_l2_predictor(h, &o.predictor, error);
    if (status < 0)
        return status;
    return make_caches(h, "l2", &o, h->slices, h->l2_commons, error, &h->l2);
}
