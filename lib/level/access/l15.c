/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/access/l15.h"

#include "cache/cache.h"
#include "level/rules/cache_lines.h"

#include <string.h>

static gpc_status refuse(const gpc_hierarchy *hierarchy, gpci_key key, const char *why, gpc_error *error) {
    return gpci_fail(error, GPC_ERROR_RANGE, "%s = %s: %s", gpci_key_name(key),
                     gpci_config_text(hierarchy->config, key), why);
}

static gpc_status read_options(const gpc_hierarchy *hierarchy, gpc_cache_options *options, gpc_error *error) {
    *options = (gpc_cache_options)GPC_CACHE_OPTIONS_INIT;
    options->ways = (uint32_t)gpci_number(hierarchy, GPCI_KEY_L15_WAYS);
    options->line_bytes = (uint32_t)gpci_number(hierarchy, GPCI_KEY_L15_LINE);
    options->sets = gpci_number(hierarchy, GPCI_KEY_L15_SIZE) / options->line_bytes / options->ways;
    options->allocate = GPC_ALLOCATE_ON_FILL;
    options->replacement = gpci_config_text(hierarchy->config, GPCI_KEY_L15_REPLACEMENT);
    options->seed = 7;
    if (!gpci_power_of_two(options->line_bytes) || options->line_bytes > hierarchy->l2_level.line_bytes ||
        options->line_bytes < hierarchy->l1_level.line_bytes)
        return refuse(hierarchy, GPCI_KEY_L15_LINE, "must be a power of two, at least l1.line and at most l2.line",
                      error);
    if (hierarchy->constants && options->line_bytes < hierarchy->constants[0]->options.line_bytes)
        return refuse(hierarchy, GPCI_KEY_L15_LINE, "must be at least const.line", error);
    return options->sets ? GPC_OK
                         : refuse(hierarchy, GPCI_KEY_L15_SIZE, "is less than one set of l15.ways lines", error);
}

/*
 * Assign SMs to L1.5s in order, at most l15.sms per L1.5. SMs of different L2 request coalescers, or GPUs, never share
 * an L1.5. Returns the number of L1.5s. `last` and `used` have an element per coalescer, or per GPU: the L1.5 of the
 * last SM, and the number of SMs.
 */
static uint32_t share_out(gpc_hierarchy *hierarchy, uint32_t *last, uint32_t *used) {
    const uint32_t most = (uint32_t)gpci_number(hierarchy, GPCI_KEY_L15_SMS);
    uint32_t count = 0;
    for (uint32_t sm = 0; sm < hierarchy->sms; sm++) {
        const uint32_t group =
            hierarchy->coalescers ? hierarchy->sm_coalescer[sm] : sm / (hierarchy->sms / hierarchy->gpus);
        if (used[group]++ % most == 0)
            last[group] = count++;
        hierarchy->sm_l15[sm] = last[group];
    }
    return count;
}

/* Make a linked list of the SMs of each L1.5 (l15_first, l15_next), in ascending order. */
static void chain(gpc_hierarchy *hierarchy) {
    memset(hierarchy->l15_first, 0xff, hierarchy->l15_count * sizeof *hierarchy->l15_first);
    for (uint32_t sm = hierarchy->sms; sm--;) {
        hierarchy->l15_next[sm] = hierarchy->l15_first[hierarchy->sm_l15[sm]];
        hierarchy->l15_first[hierarchy->sm_l15[sm]] = sm;
    }
}

static gpc_status assign(gpc_hierarchy *hierarchy, gpc_error *error) {
    const uint32_t groups = hierarchy->coalescers ? hierarchy->coalescers : hierarchy->gpus;
    uint32_t *memory = gpci_zalloc(hierarchy->context, 2 * (size_t)groups, sizeof *memory);
    hierarchy->sm_l15 = gpci_zalloc(hierarchy->context, hierarchy->sms, sizeof *hierarchy->sm_l15);
    if (memory && hierarchy->sm_l15)
        hierarchy->l15_count = share_out(hierarchy, memory, memory + groups);
    gpci_free(hierarchy->context, memory);
    if (!hierarchy->l15_count)
        return gpci_out_of_memory(error);
    hierarchy->l15 = gpci_zalloc(hierarchy->context, hierarchy->l15_count, sizeof(gpc_cache *));
    hierarchy->l15_first = gpci_zalloc(hierarchy->context, hierarchy->l15_count, sizeof *hierarchy->l15_first);
    hierarchy->l15_next = gpci_zalloc(hierarchy->context, hierarchy->sms, sizeof *hierarchy->l15_next);
    if (!hierarchy->l15 || !hierarchy->l15_first || !hierarchy->l15_next)
        return gpci_out_of_memory(error);
    chain(hierarchy);
    return GPC_OK;
}

/* Without an L1.5: reject l15.sms, and, if no instruction cache exists, kernels.code. The keys would have no effect. */
static gpc_status check_without(const gpc_hierarchy *hierarchy, gpc_error *error) {
    if (gpci_number(hierarchy, GPCI_KEY_L15_SMS) != 1)
        return refuse(hierarchy, GPCI_KEY_L15_SMS, "needs l15.size: there is nothing to share", error);
    if (gpci_number(hierarchy, GPCI_KEY_KERNELS_CODE) && !gpci_number(hierarchy, GPCI_KEY_L1I_SIZE))
        return refuse(hierarchy, GPCI_KEY_KERNELS_CODE, "needs l1i.size or l15.size: else no cache has any code",
                      error);
    return GPC_OK;
}

gpc_status gpci_l15_create(gpc_hierarchy *hierarchy, gpc_error *error) {
    gpc_cache_options options;
    hierarchy->code_in_l2 = gpci_number(hierarchy, GPCI_KEY_KERNELS_CODE) == 2;
    if (hierarchy->code_in_l2 && !hierarchy->l2)
        return refuse(hierarchy, GPCI_KEY_KERNELS_CODE, "needs an L2", error);
    if (!gpci_number(hierarchy, GPCI_KEY_L15_SIZE))
        return check_without(hierarchy, error);
    if (hierarchy->with_data)
        return refuse(hierarchy, GPCI_KEY_L15_SIZE, "needs coherence.data = false: code and constants have no values",
                      error);
    gpc_status status = read_options(hierarchy, &options, error);
    if (status == GPC_OK)
        status = assign(hierarchy, error);
    options.instances = hierarchy->l15_count;
    for (uint32_t i = 0; i < hierarchy->l15_count && status == GPC_OK; i++) {
        gpc_error detail = GPC_ERROR_INIT;
        options.instance = i;
        options.share_with = i ? hierarchy->l15[0] : NULL;
        status = gpc_cache_create(hierarchy->context, &options, &hierarchy->l15[i], &detail);
        if (status < 0)
            return gpci_fail(error, status, "l15: %s", detail.message);
    }
    return status;
}

void gpci_l15_destroy(gpc_hierarchy *hierarchy) {
    for (uint32_t i = hierarchy->l15 ? hierarchy->l15_count : 0; i--;)
        gpc_cache_destroy(hierarchy->l15[i]);
    gpci_free(hierarchy->context, hierarchy->l15);
    gpci_free(hierarchy->context, hierarchy->l15_first);
    gpci_free(hierarchy->context, hierarchy->l15_next);
    gpci_free(hierarchy->context, hierarchy->sm_l15);
}

void gpci_l15_archive(gpc_hierarchy *hierarchy, gpci_archive *archive) {
    for (uint32_t i = 0; i < hierarchy->l15_count; i++)
        gpci_cache_archive(hierarchy->l15[i], archive);
}

void gpci_l15_drop(gpc_hierarchy *hierarchy) {
    for (uint32_t i = 0; i < hierarchy->l15_count; i++)
        gpci_drop_all(hierarchy->l15[i]);
}

/* Drop the constants of every process. All constants have addresses below GPCI_CODE. */
static void drop_constants(const gpc_hierarchy *hierarchy, gpc_cache *cache) {
    gpci_drop_below(cache, GPCI_CODE, gpci_process_plain(hierarchy, UINT64_MAX));
}

void gpci_l15_begin(gpc_hierarchy *hierarchy, bool constants) {
    if (gpci_number(hierarchy, GPCI_KEY_KERNELS_CODE)) {
        gpci_l15_drop(hierarchy);
        return;
    }
    for (uint32_t i = 0; i < hierarchy->l15_count && constants; i++)
        drop_constants(hierarchy, hierarchy->l15[i]);
}

void gpci_l15_drop_constants(gpc_hierarchy *hierarchy, uint32_t sm) {
    if (hierarchy->l15 && gpci_number(hierarchy, GPCI_KEY_L15_SMS) == 1)
        drop_constants(hierarchy, gpci_l15_of(hierarchy, sm));
}

gpci_level gpci_l15_level(const gpc_hierarchy *hierarchy) {
    return gpci_one_sector_level(hierarchy->l15[0]->options.line_bytes);
}
