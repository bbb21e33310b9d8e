/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/access/l15.h"

#include "cache/cache.h"
#include "level/rules/cache_lines.h"

#include <string.h>

static gpc_status refuse(const gpc_hierarchy *h, gpci_key key, const char *why, gpc_error *error) {
    return gpci_fail(error, GPC_ERROR_RANGE, "%s = %s: %s", gpci_key_name(key), gpci_config_text(h->config, key), why);
}

static gpc_status read_options(const gpc_hierarchy *h, gpc_cache_options *o, gpc_error *error) {
    *o = (gpc_cache_options)GPC_CACHE_OPTIONS_INIT;
    o->ways = (uint32_t)gpci_number(h, GPCI_KEY_L15_WAYS);
    o->line_bytes = (uint32_t)gpci_number(h, GPCI_KEY_L15_LINE);
    o->sets = gpci_number(h, GPCI_KEY_L15_SIZE) / o->line_bytes / o->ways;
    o->allocate = GPC_ALLOCATE_ON_FILL;
    o->replacement = gpci_config_text(h->config, GPCI_KEY_L15_REPLACEMENT);
    o->seed = 7;
    if (!gpci_power_of_two(o->line_bytes) || o->line_bytes > h->l2_level.line_bytes ||
        o->line_bytes < h->l1_level.line_bytes)
        return refuse(h, GPCI_KEY_L15_LINE, "must be a power of two, at least l1.line and at most l2.line", error);
    if (h->constants && o->line_bytes < h->constants[0]->options.line_bytes)
        return refuse(h, GPCI_KEY_L15_LINE, "must be at least const.line", error);
    return o->sets ? GPC_OK : refuse(h, GPCI_KEY_L15_SIZE, "is less than one set of l15.ways lines", error);
}

/*
 * Assign SMs to L1.5s in order, at most l15.sms per L1.5, and without crossing coalescers. Returns the number of L1.5s.
 */
static uint32_t share_out(gpc_hierarchy *h, uint32_t *last, uint32_t *used) {
    const uint32_t most = (uint32_t)gpci_number(h, GPCI_KEY_L15_SMS);
    uint32_t count = 0;
    for (uint32_t sm = 0; sm < h->sms; sm++) {
        const uint32_t group = h->coalescers ? h->sm_coalescer[sm] : 0;
        if (used[group]++ % most == 0)
            last[group] = count++;
        h->sm_l15[sm] = last[group];
    }
    return count;
}

/* Chain the SMs of each L1.5 in ascending order. */
static void chain(gpc_hierarchy *h) {
    memset(h->l15_first, 0xff, h->l15_count * sizeof *h->l15_first);
    for (uint32_t sm = h->sms; sm--;) {
        h->l15_next[sm] = h->l15_first[h->sm_l15[sm]];
        h->l15_first[h->sm_l15[sm]] = sm;
    }
}

static gpc_status assign(gpc_hierarchy *h, gpc_error *error) {
    const uint32_t groups = h->coalescers ? h->coalescers : 1;
    uint32_t *memory = gpci_zalloc(h->context, 2 * (size_t)groups, sizeof *memory);
    h->sm_l15 = gpci_zalloc(h->context, h->sms, sizeof *h->sm_l15);
    if (memory && h->sm_l15)
        h->l15_count = share_out(h, memory, memory + groups);
    gpci_free(h->context, memory);
    if (!h->l15_count)
        return gpci_out_of_memory(error);
    h->l15 = gpci_zalloc(h->context, h->l15_count, sizeof(gpc_cache *));
    h->l15_first = gpci_zalloc(h->context, h->l15_count, sizeof *h->l15_first);
    h->l15_next = gpci_zalloc(h->context, h->sms, sizeof *h->l15_next);
    if (!h->l15 || !h->l15_first || !h->l15_next)
        return gpci_out_of_memory(error);
    chain(h);
    return GPC_OK;
}

/* Reject keys without effect if there is no L1.5, or no other cache with code. */
static gpc_status check_without(const gpc_hierarchy *h, gpc_error *error) {
    if (gpci_number(h, GPCI_KEY_L15_SMS) != 1)
        return refuse(h, GPCI_KEY_L15_SMS, "needs l15.size: there is nothing to share", error);
    if (gpci_number(h, GPCI_KEY_KERNELS_CODE) && !gpci_number(h, GPCI_KEY_L1I_SIZE))
        return refuse(h, GPCI_KEY_KERNELS_CODE, "needs l1i.size or l15.size: else no cache has any code", error);
    return GPC_OK;
}

gpc_status gpci_l15_create(gpc_hierarchy *h, gpc_error *error) {
    gpc_cache_options o;
    h->code_in_l2 = gpci_number(h, GPCI_KEY_KERNELS_CODE) == 2;
    if (h->code_in_l2 && !h->l2)
        return refuse(h, GPCI_KEY_KERNELS_CODE, "needs an L2", error);
    if (!gpci_number(h, GPCI_KEY_L15_SIZE))
        return check_without(h, error);
    if (h->with_data)
        return refuse(h, GPCI_KEY_L15_SIZE, "needs coherence.data = false: code and constants have no values", error);
    gpc_status status = read_options(h, &o, error);
    if (status == GPC_OK)
        status = assign(h, error);
    o.instances = h->l15_count;
    for (uint32_t i = 0; i < h->l15_count && status == GPC_OK; i++) {
        gpc_error detail = GPC_ERROR_INIT;
        o.instance = i;
        o.share_with = i ? h->l15[0] : NULL;
        status = gpc_cache_create(h->context, &o, &detail, &h->l15[i]);
        if (status < 0)
            return gpci_fail(error, status, "l15: %s", detail.message);
    }
    return status;
}

void gpci_l15_destroy(gpc_hierarchy *h) {
    for (uint32_t i = h->l15 ? h->l15_count : 0; i--;)
        gpc_cache_destroy(h->l15[i]);
    gpci_free(h->context, h->l15);
    gpci_free(h->context, h->l15_first);
    gpci_free(h->context, h->l15_next);
    gpci_free(h->context, h->sm_l15);
}

void gpci_l15_archive(gpc_hierarchy *h, gpci_archive *archive) {
    for (uint32_t i = 0; i < h->l15_count; i++)
        gpci_cache_archive(h->l15[i], archive);
}

void gpci_l15_drop(gpc_hierarchy *h) {
    for (uint32_t i = 0; i < h->l15_count; i++)
        gpci_drop_all(h->l15[i]);
}

/* Drop the constants of every process; they lie below the addresses of code. */
static void drop_constants(const gpc_hierarchy *h, gpc_cache *cache) {
    gpci_drop_below(cache, GPCI_CODE, gpci_process_plain(h, UINT64_MAX));
}

void gpci_l15_begin(gpc_hierarchy *h, bool constants) {
    if (gpci_number(h, GPCI_KEY_KERNELS_CODE)) {
        gpci_l15_drop(h);
        return;
    }
    for (uint32_t i = 0; i < h->l15_count && constants; i++)
        drop_constants(h, h->l15[i]);
}

void gpci_l15_drop_constants(gpc_hierarchy *h, uint32_t sm) {
    if (h->l15 && gpci_number(h, GPCI_KEY_L15_SMS) == 1)
        drop_constants(h, gpci_l15_of(h, sm));
}

gpci_level gpci_l15_level(const gpc_hierarchy *h) {
    return gpci_one_sector_level(h->l15[0]->options.line_bytes);
}
