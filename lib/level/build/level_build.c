/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/cache.h"
#include "config/config_object.h"
#include "level/rules/driver.h"
#include "level/rules/hierarchy.h"
#include "level/rules/memory_cache.h"
#include "policies/predictor/predictors.h"
#include "policies/prefetcher/prefetchers.h"

#include <string.h>

/* Build caches from configuration keys. */

static gpc_status refuse(gpci_key key, const gpc_hierarchy *hierarchy, const char *why, gpc_error *error) {
    return gpci_fail(error, GPC_ERROR_RANGE, "%s = %s: %s", gpci_key_name(key),
                     gpci_config_text(hierarchy->config, key), why);
}

static void fill_level(gpci_level *level, uint32_t line, uint32_t sectors) {
    const unsigned segments = line / GPCI_SEGMENT, per_sector = segments / sectors;
    *level = (gpci_level){
        .line_bytes = line, .line_shift = gpci_log2(line), .all_segments = (uint8_t)((1u << segments) - 1)};
    for (unsigned mask = 1; mask < 16; mask++)
        for (unsigned i = 0; i < segments; i++) {
            if (mask >> i & 1)
                level->sectors_of[mask] |= (uint8_t)(1u << i / per_sector);
            if (mask >> i / per_sector & 1)
                level->segments_of[mask] |= (uint8_t)(1u << i);
        }
}

gpci_level gpci_segments_level(uint32_t line_bytes) {
    gpci_level level;
    fill_level(&level, line_bytes, line_bytes / GPCI_SEGMENT);
    return level;
}

static gpc_status make_level(gpc_hierarchy *hierarchy, gpci_key line_key, gpci_key sectors_key, gpci_key fetch_key,
                             gpci_level *level, gpc_error *error) {
    uint64_t line = gpci_number(hierarchy, line_key), sectors = gpci_number(hierarchy, sectors_key);
    if (!gpci_power_of_two(line) || line < GPCI_SEGMENT || line > 128)
        return refuse(line_key, hierarchy, "lines of a hierarchy are 32, 64 or 128 bytes", error);
    if (!gpci_power_of_two(sectors) || line / sectors < GPCI_SEGMENT)
        return refuse(sectors_key, hierarchy, "sectors must be a power of two, each of 32 bytes or more", error);
    if (!gpci_power_of_two(gpci_number(hierarchy, fetch_key)) || gpci_number(hierarchy, fetch_key) > sectors)
        return refuse(fetch_key, hierarchy, "must be a power of two of at most the sectors of a line", error);
    fill_level(level, (uint32_t)line, (uint32_t)sectors);
    return GPC_OK;
}

/*
 * In a tree of coherent modules, a block has the size of a sector. Requests, waiting and transfers are per block, so an
 * L1 line is divided into line_blocks blocks. Only the tree knows which blocks share a tag
 * (gpc_coherence_module.sectors).
 */
static void divide_lines(gpc_hierarchy *hierarchy) {
    const uint32_t sectors = (uint32_t)gpci_number(hierarchy, GPCI_KEY_L1_SECTORS);
    hierarchy->line_blocks = hierarchy->levels == &gpci_tree_levels ? sectors : 1;
    if (hierarchy->line_blocks > 1)
        fill_level(&hierarchy->l1_level, hierarchy->l1_level.line_bytes / sectors, 1);
}

/* Assign SMs to partitions of L2, in each GPU alike. */
static void assign_partitions(gpc_hierarchy *hierarchy) {
    static const uint32_t neighbours[] = {0, 2, 16, 8, 1}; /* by l2.sm_partition; halves: equal parts */
    const uint32_t turn = neighbours[gpci_number(hierarchy, GPCI_KEY_L2_SM_PARTITION)], parts = hierarchy->partitions,
                   sms = hierarchy->sms / hierarchy->gpus, part = (sms + parts - 1) / parts;
    for (uint32_t i = 0; i < hierarchy->sms; i++) {
        const uint32_t sm = i % sms;
        hierarchy->sm_partition[i] = (uint16_t)(i / sms * parts + (turn ? sm / turn % parts : sm / part));
    }
}

/*
 * Assign SMs to L2 request coalescers, in each GPU alike. Either lrc.sms neighbouring SMs have the same coalescer, or
 * pairs of SMs (TPCs) are dealt round robin to coalescers, as TPCs to GPCs.
 */
static gpc_status assign_coalescers(gpc_hierarchy *hierarchy, gpc_error *error) {
    const uint32_t most = (uint32_t)gpci_number(hierarchy, GPCI_KEY_LRC_SMS);
    const bool round_robin = gpci_number(hierarchy, GPCI_KEY_LRC_LAYOUT) != 0;
    if (!most)
        return GPC_OK;
    const uint32_t sms = hierarchy->sms / hierarchy->gpus, each = (sms + most - 1) / most;
    hierarchy->coalescers = each * hierarchy->gpus;
    hierarchy->sm_coalescer = gpci_zalloc(hierarchy->context, hierarchy->sms, sizeof *hierarchy->sm_coalescer);
    if (!hierarchy->sm_coalescer)
        return gpci_out_of_memory(error);
    for (uint32_t i = 0; i < hierarchy->sms; i++) {
        const uint32_t sm = i % sms;
        hierarchy->sm_coalescer[i] = i / sms * each + (round_robin ? sm / 2 % each : sm / most);
    }
    return GPC_OK;
}

/* Partitions without homes: L2s of dies. Other parts of a hierarchy know a single place of a line below L1. */
static gpc_status check_homes(const gpc_hierarchy *hierarchy, gpc_error *error) {
    const gpci_key keys[] = {GPCI_KEY_COHERENCE, GPCI_KEY_COHERENCE_DATA, GPCI_KEY_L2_INCLUSION,
                             GPCI_KEY_PORTS,     GPCI_KEY_KERNELS_COPIES, GPCI_KEY_ADDRESS_MAPPING};
    if (hierarchy->partitions > 2 && !hierarchy->homeless)
        return refuse(GPCI_KEY_L2_PARTITIONS, hierarchy, "needs l2.homes = none: homes are of two halves", error);
    for (size_t i = 0; hierarchy->homeless && i < sizeof keys / sizeof *keys; i++)
        if (!gpci_config_is_default(hierarchy->config, keys[i]))
            return refuse(keys[i], hierarchy, "needs l2.homes = hashed: a line has one place in L2", error);
    return GPC_OK;
}

/* Refuse more SMs, slices or channels of all GPUs together than one GPU can have. */
static gpc_status check_totals(const gpc_hierarchy *hierarchy, gpc_error *error) {
    static const gpci_key keys[] = {GPCI_KEY_SM_COUNT, GPCI_KEY_L2_SLICES, GPCI_KEY_DRAM_CHANNELS};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        gpc_key_info info = GPC_KEY_INFO_INIT;
        gpc_key_at(keys[i], &info, NULL);
        if ((double)gpci_total(hierarchy, keys[i]) > info.maximum)
            return gpci_fail(error, GPC_ERROR_RANGE, "gpu.count = %u times %s = %s is more than %.0f", hierarchy->gpus,
                             info.name, gpci_config_text(hierarchy->config, keys[i]), info.maximum);
    }
    return GPC_OK;
}

/* Parts of a hierarchy that belong to one GPU: several GPUs of plain caches refuse these keys. */
static gpc_status check_gpus(const gpc_hierarchy *hierarchy, gpc_error *error) {
    static const gpci_key keys[] = {GPCI_KEY_COHERENCE_DATA, GPCI_KEY_PORTS, GPCI_KEY_KERNELS_COPIES};
    for (size_t i = 0; hierarchy->gpus > 1 && hierarchy->levels != &gpci_tree_levels && i < sizeof keys / sizeof *keys;
         i++)
        if (!gpci_config_is_default(hierarchy->config, keys[i]))
            return refuse(keys[i], hierarchy, "needs gpu.count = 1, or coherence = PROTOCOL: each GPU has a memory",
                          error);
    return check_totals(hierarchy, error);
}

/*
 * Replace values of a preset, in the hierarchy's copy of the configuration, that describe one GPU and that a tree of
 * several GPUs does not support. A value set by the host stays, and gpci_coherent_check refuses the value.
 */
static gpc_status suit_gpus(gpc_hierarchy *hierarchy, gpc_error *error) {
    const bool lazy = gpci_number(hierarchy, GPCI_KEY_L2_WRITE_ALLOCATE) == GPC_WRITE_LAZY_FETCH &&
                      !gpci_number(hierarchy, GPCI_KEY_GPU_HOME);
    /* Partitions of dies are no partitions in a tree: a snapshot keeps the host's number. */
    const bool parted =
        gpci_number(hierarchy, GPCI_KEY_L2_PARTITIONS) > 1 && gpci_number(hierarchy, GPCI_KEY_L2_HOMES) != 1;
    const struct {
        gpci_key key;
        const char *text;
        bool wrong;
    } rows[] = {{GPCI_KEY_L2_WRITE_ALLOCATE, "fetch", lazy}, {GPCI_KEY_L2_PARTITIONS, "1", parted}};
    gpc_status status = GPC_OK;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && status == GPC_OK; i++)
        if (rows[i].wrong && !gpci_config_is_own(hierarchy->config, rows[i].key)) {
            gpci_log(hierarchy->context, GPC_LOG_INFO, "%s = %s in place of the preset's %s: gpu.count = %u in a tree",
                     gpci_key_name(rows[i].key), rows[i].text, gpci_config_text(hierarchy->config, rows[i].key),
                     hierarchy->gpus);
            status = gpci_config_assign(hierarchy->config, rows[i].key, rows[i].text, error);
        }
    return status;
}

gpc_status gpci_build_levels(gpc_hierarchy *hierarchy, gpc_error *error) {
    hierarchy->gpus = (uint32_t)gpci_number(hierarchy, GPCI_KEY_GPU_COUNT);
    if (hierarchy->gpus > 1 && hierarchy->levels == &gpci_tree_levels && suit_gpus(hierarchy, error) < 0)
        return GPC_ERROR_MEMORY;
    hierarchy->sms = (uint32_t)gpci_total(hierarchy, GPCI_KEY_SM_COUNT);
    hierarchy->lanes = (uint32_t)gpci_number(hierarchy, GPCI_KEY_SM_LANES);
    hierarchy->warps = (uint32_t)gpci_number(hierarchy, GPCI_KEY_SM_WARPS);
    hierarchy->slices = (uint32_t)gpci_total(hierarchy, GPCI_KEY_L2_SLICES);
    const bool dies = gpci_number(hierarchy, GPCI_KEY_L2_HOMES) == 1, tree = hierarchy->levels == &gpci_tree_levels;
    hierarchy->partitions = dies && tree ? 1 : (uint32_t)gpci_number(hierarchy, GPCI_KEY_L2_PARTITIONS);
    hierarchy->homeless = dies && hierarchy->partitions > 1;
    hierarchy->l1_local_only = gpci_number(hierarchy, GPCI_KEY_L1_SPACES) == 1;
    hierarchy->inclusive = gpci_number(hierarchy, GPCI_KEY_L2_INCLUSION) == 1;
    hierarchy->cpus = (uint32_t)gpci_number(hierarchy, GPCI_KEY_CPU_COUNT);
    hierarchy->slices_per_partition = hierarchy->slices / hierarchy->gpus / hierarchy->partitions;
    if (hierarchy->slices_per_partition * hierarchy->partitions * hierarchy->gpus != hierarchy->slices)
        return refuse(GPCI_KEY_L2_SLICES, hierarchy, "must be a multiple of l2.partitions", error);
    gpci_build_memory_map(hierarchy);
    gpc_status status = check_homes(hierarchy, error);
    if (status == GPC_OK)
        status = check_gpus(hierarchy, error);
    if (status < 0)
        return status;
    status =
        make_level(hierarchy, GPCI_KEY_L1_LINE, GPCI_KEY_L1_SECTORS, GPCI_KEY_L1_FETCH, &hierarchy->l1_level, error);
    if (status == GPC_OK)
        status = make_level(hierarchy, GPCI_KEY_L2_LINE, GPCI_KEY_L2_SECTORS, GPCI_KEY_L2_FETCH, &hierarchy->l2_level,
                            error);
    if (status < 0)
        return status;
    if (hierarchy->l2_level.line_bytes < hierarchy->l1_level.line_bytes)
        return refuse(GPCI_KEY_L2_LINE, hierarchy, "must be at least l1.line", error);
    divide_lines(hierarchy);
    hierarchy->tag_banks = gpci_tag_banks_of(hierarchy);
    if (!gpci_power_of_two(gpci_number(hierarchy, GPCI_KEY_L2_ATOMIC_WIDTH)))
        return refuse(GPCI_KEY_L2_ATOMIC_WIDTH, hierarchy, "must be a power of two", error);
    status = gpci_build_interleave(hierarchy, error);
    if (status < 0)
        return status;
    hierarchy->l1_commons = gpci_commons_create(hierarchy->context);
    hierarchy->l2_commons = gpci_commons_create(hierarchy->context);
    hierarchy->sm_partition = gpci_zalloc(hierarchy->context, hierarchy->sms, sizeof *hierarchy->sm_partition);
    if (!hierarchy->l1_commons || !hierarchy->l2_commons || !hierarchy->sm_partition)
        return gpci_out_of_memory(error);
    assign_partitions(hierarchy);
    return assign_coalescers(hierarchy, error);
}

/* Create `count` caches with the same options. An error message begins with the name of the level. */
static gpc_status make_caches(gpc_hierarchy *hierarchy, const char *level, gpc_cache_options *options, uint32_t count,
                              gpci_commons *commons, gpc_error *error, gpc_cache ***out) {
    gpc_cache **caches = gpci_zalloc(hierarchy->context, count, sizeof *caches);
    if (!caches)
        return gpci_out_of_memory(error);
    options->instances = count;
    for (uint32_t i = 0; i < count; i++) {
        gpc_error detail = GPC_ERROR_INIT;
        options->instance = i;
        gpc_status status = gpci_cache_create(hierarchy->context, options, commons, &detail, &caches[i]);
        if (status < 0) {
            gpci_destroy_caches(hierarchy, caches, count);
            return gpci_fail(error, status, "%s: %s", level, detail.message);
        }
    }
    *out = caches;
    return GPC_OK;
}

void gpci_destroy_caches(gpc_hierarchy *hierarchy, gpc_cache **caches, uint32_t count) {
    for (uint32_t i = 0; caches && i < count; i++)
        gpc_cache_destroy(caches[i]);
    gpci_free(hierarchy->context, caches);
}

static const char *needy(const gpc_hierarchy *hierarchy, gpci_key key) {
    const char *text = gpci_config_text(hierarchy->config, key);
    const gpc_replacement_ops *ops = gpci_policy_table(hierarchy->context, GPC_POLICY_REPLACEMENT, text);
    return ops && ops->needs_future ? text : NULL;
}

gpc_status gpci_build_future(gpc_hierarchy *hierarchy, gpc_error *error) {
    hierarchy->l1_future = gpci_number(hierarchy, GPCI_KEY_L1_FUTURE) != 0;
    bool timed = gpci_number(hierarchy, GPCI_KEY_MODE) == 1;
    const char *l1 = needy(hierarchy, GPCI_KEY_L1_REPLACEMENT), *l2 = needy(hierarchy, GPCI_KEY_L2_REPLACEMENT);
    if (l2 && gpci_number(hierarchy, GPCI_KEY_L2_ENABLED))
        return gpci_fail(error, GPC_ERROR_UNSUPPORTED,
                         "l2.replacement = %s: it needs the future, which is not known of L2: what comes there "
                         "depends on what L1s keep",
                         l2);
    if (l1 && !hierarchy->l1_future && gpci_number(hierarchy, GPCI_KEY_L1_ENABLED))
        return gpci_fail(error, GPC_ERROR_ARGUMENT,
                         "l1.replacement = %s: it needs the future: set l1.future = true, in a functional replay", l1);
    if (hierarchy->l1_future && timed)
        return gpci_fail(error, GPC_ERROR_UNSUPPORTED,
                         "l1.future = true with mode = timed: with a clock, what comes next depends on what caches do");
    return GPC_OK;
}

bool gpci_has_prefetcher(const gpc_hierarchy *hierarchy, gpci_key key) {
    return gpci_policy_table(hierarchy->context, GPC_POLICY_PREFETCHER, gpci_config_text(hierarchy->config, key)) !=
           &gpci_no_prefetcher;
}

static gpc_status check_prefetcher(const gpc_hierarchy *hierarchy, gpci_key key, bool has_level, const char *level,
                                   gpc_error *error) {
    if (!gpci_has_prefetcher(hierarchy, key))
        return GPC_OK;
    if (gpci_number(hierarchy, GPCI_KEY_MODE) != 1)
        return refuse(key, hierarchy, "needs mode = timed: what it gains is time", error);
    if (!has_level)
        return refuse(key, hierarchy, level, error);
    if (gpci_number(hierarchy, GPCI_KEY_COHERENCE_DATA))
        return refuse(key, hierarchy, "needs coherence.data = false: prefetches carry no values", error);
    return GPC_OK;
}

gpc_status gpci_check_prefetchers(const gpc_hierarchy *hierarchy, gpc_error *error) {
    gpc_status status =
        check_prefetcher(hierarchy, GPCI_KEY_L1_PREFETCHER, hierarchy->has_l1, "needs l1.enabled = true", error);
    return status < 0
               ? status
               : check_prefetcher(hierarchy, GPCI_KEY_L2_PREFETCHER, gpci_number(hierarchy, GPCI_KEY_L2_ENABLED) != 0,
                                  "needs l2.enabled = true", error);
}

static gpc_status l1_options(const gpc_hierarchy *hierarchy, const gpci_l1_share *share, gpc_cache_options *out,
                             gpc_error *error) {
    bool wants_events = false;
    gpc_status status = gpci_scheduler_text_wants_events(
        hierarchy->context, gpci_config_text(hierarchy->config, GPCI_KEY_SCHEDULER), error, &wants_events);
    if (status < 0)
        return status;
    gpc_cache_options options = GPC_CACHE_OPTIONS_INIT;
    options.seed = 1;
    options.sets = share->sets;
    options.ways = share->ways;
    options.line_bytes = hierarchy->l1_level.line_bytes;
    options.sectors = (uint32_t)gpci_number(hierarchy, GPCI_KEY_L1_SECTORS);
    options.fetch_sectors = (uint32_t)gpci_number(hierarchy, GPCI_KEY_L1_FETCH);
    options.lines = share->lines;
    options.index = gpci_index_number(hierarchy, GPCI_KEY_L1_INDEX);
    options.index_bits = (uint32_t)gpci_number(hierarchy, GPCI_KEY_L1_INDEX_BITS);
    options.write_policy = (uint32_t)gpci_number(hierarchy, GPCI_KEY_L1_WRITE);
    options.write_policy_local = (uint32_t)gpci_number(hierarchy, GPCI_KEY_L1_WRITE_LOCAL);
    options.write_allocate = (uint32_t)gpci_number(hierarchy, GPCI_KEY_L1_WRITE_ALLOCATE);
    options.write_allocate_local = (uint32_t)gpci_number(hierarchy, GPCI_KEY_L1_WRITE_ALLOCATE_LOCAL);
    options.allocate = (uint32_t)gpci_number(hierarchy, GPCI_KEY_L1_ALLOCATE);
    options.track_reuse = (uint32_t)gpci_number(hierarchy, GPCI_KEY_L1_TRACK_REUSE);
    /* the scheduler needs eviction events, and an event names the warp that fetched the evicted line */
    options.track_warps = gpci_number(hierarchy, GPCI_KEY_L1_TRACK_WARPS) || wants_events;
    options.track_future = hierarchy->l1_future;
    options.replacement = gpci_config_text(hierarchy->config, GPCI_KEY_L1_REPLACEMENT);
    options.predictor = gpci_config_text(hierarchy->config, GPCI_KEY_L1_BYPASS);
    options.bypass_fetch = (uint32_t)gpci_number(hierarchy, GPCI_KEY_L1_BYPASS_FETCH);
    options.tokens = (uint32_t)gpci_number(hierarchy, GPCI_KEY_L1_TOKENS);
    options.token_clear = (uint32_t)gpci_number(hierarchy, GPCI_KEY_L1_TOKEN_CLEAR);
    options.token_period = gpci_number(hierarchy, GPCI_KEY_L1_TOKEN_PERIOD);
    options.token_warps = (uint32_t)gpci_number(hierarchy, GPCI_KEY_SM_WARPS);
    *out = options;
    return GPC_OK;
}

static void note_viper(const gpc_hierarchy *hierarchy, gpc_cache *l1) {
    l1->unusual |= l1->strong_passes = hierarchy->viper;
}

gpc_status gpci_build_l1(gpc_hierarchy *hierarchy, const gpci_l1_share *share, gpc_error *error, gpc_cache ***out) {
    gpc_cache_options options;
    gpc_status status = l1_options(hierarchy, share, &options, error);
    if (status == GPC_OK)
        status = make_caches(hierarchy, "l1", &options, hierarchy->sms, hierarchy->l1_commons, error, out);
    for (uint32_t sm = 0; status == GPC_OK && sm < hierarchy->sms; sm++)
        note_viper(hierarchy, (*out)[sm]);
    return status;
}

gpc_status gpci_build_l1_of(gpc_hierarchy *hierarchy, const gpci_l1_share *share, uint32_t sm, gpc_error *error,
                            gpc_cache **out) {
    gpc_cache_options options;
    gpc_error detail = GPC_ERROR_INIT;
    gpc_status status = l1_options(hierarchy, share, &options, error);
    if (status < 0)
        return status;
    options.instances = hierarchy->sms;
    options.instance = sm;
    status = gpci_cache_create(hierarchy->context, &options, hierarchy->l1_commons, &detail, out);
    if (status < 0)
        return gpci_fail(error, status, "l1: %s", detail.message);
    note_viper(hierarchy, *out);
    return GPC_OK;
}

gpc_status gpci_l2_predictor(const gpc_hierarchy *hierarchy, const char **out, gpc_error *error) {
    const char *above = gpci_config_text(hierarchy->config, GPCI_KEY_L1_BYPASS);
    const gpc_predictor_ops *ops = gpci_policy_table(hierarchy->context, GPC_POLICY_PREDICTOR, above);
    *out = gpci_config_text(hierarchy->config, GPCI_KEY_L2_BYPASS);
    const gpc_predictor_ops *own = gpci_policy_table(hierarchy->context, GPC_POLICY_PREDICTOR, *out);
    if (!(hierarchy->l1 || hierarchy->levels == &gpci_tree_levels) || !ops || !ops->below || !own ||
        !strcmp(own->name, ops->below))
        return GPC_OK;
    if (own != &gpci_always_cache)
        return gpci_fail(error, GPC_ERROR_ARGUMENT,
                         "l2.bypass = %s: l1.bypass = %s needs '%s' there, which keeps its bits in L2's lines", *out,
                         above, ops->below);
    *out = ops->below;
    return GPC_OK;
}

gpc_status gpci_build_l2(gpc_hierarchy *hierarchy, gpc_error *error) {
    gpc_cache_options options = GPC_CACHE_OPTIONS_INIT;
    uint64_t lines = gpci_total(hierarchy, GPCI_KEY_L2_SIZE) / hierarchy->l2_level.line_bytes / hierarchy->slices;
    options.seed = 2;
    options.ways = (uint32_t)gpci_number(hierarchy, GPCI_KEY_L2_WAYS);
    options.sets = lines / options.ways;
    if (!options.sets)
        return refuse(GPCI_KEY_L2_SIZE, hierarchy, "holds less than one set of each slice", error);
    options.line_bytes = hierarchy->l2_level.line_bytes;
    options.sectors = (uint32_t)gpci_number(hierarchy, GPCI_KEY_L2_SECTORS);
    options.fetch_sectors = (uint32_t)gpci_number(hierarchy, GPCI_KEY_L2_FETCH);
    options.index = gpci_index_number(hierarchy, GPCI_KEY_L2_INDEX);
    options.write_policy = options.write_policy_local = (uint32_t)gpci_number(hierarchy, GPCI_KEY_L2_WRITE);
    options.write_allocate = options.write_allocate_local =
        (uint32_t)gpci_number(hierarchy, GPCI_KEY_L2_WRITE_ALLOCATE);
    options.atomics_here = 1;
    options.replacement = gpci_config_text(hierarchy->config, GPCI_KEY_L2_REPLACEMENT);
    options.tokens = (uint32_t)gpci_number(hierarchy, GPCI_KEY_L2_TOKENS);
    options.token_clear = gpci_number(hierarchy, GPCI_KEY_L2_TOKEN_CLEAR) ? GPC_CLEAR_PERIODIC : GPC_CLEAR_KERNEL;
    options.token_period = gpci_number(hierarchy, GPCI_KEY_L2_TOKEN_PERIOD);
    gpc_status status = gpci_set_aside(hierarchy, options.ways, &options.last_ways, error);
    if (status == GPC_OK)
        status = gpci_l2_predictor(hierarchy, &options.predictor, error);
    if (status < 0)
        return status;
    return make_caches(hierarchy, "l2", &options, hierarchy->slices, hierarchy->l2_commons, error, &hierarchy->l2);
}
