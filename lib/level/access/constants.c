/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/access/constants.h"

#include "cache/cache.h"
#include "level/rules/cache_lines.h"
#include "level/rules/kernels.h"

static gpc_status refuse(const gpc_hierarchy *h, gpci_key key, const char *why, gpc_error *error) {
    return gpci_fail(error, GPC_ERROR_RANGE, "%s = %s: %s", gpci_key_name(key), gpci_config_text(h->config, key), why);
}

static gpc_status read_options(const gpc_hierarchy *h, gpc_cache_options *o, gpc_error *error) {
    *o = (gpc_cache_options)GPC_CACHE_OPTIONS_INIT;
    o->ways = (uint32_t)gpci_number(h, GPCI_KEY_CONST_WAYS);
    o->line_bytes = (uint32_t)gpci_number(h, GPCI_KEY_CONST_LINE);
    o->sets = gpci_number(h, GPCI_KEY_CONST_SIZE) / o->line_bytes / o->ways;
    o->allocate = GPC_ALLOCATE_ON_FILL;
    o->replacement = gpci_config_text(h->config, GPCI_KEY_CONST_REPLACEMENT);
    o->seed = 6;
    o->instances = h->sms;
    if (!gpci_power_of_two(o->line_bytes) || o->line_bytes > h->l2_level.line_bytes)
        return refuse(h, GPCI_KEY_CONST_LINE, "must be a power of two, at most l2.line", error);
    return o->sets ? GPC_OK : refuse(h, GPCI_KEY_CONST_SIZE, "is less than one set of const.ways lines", error);
}

gpc_status gpci_constants_create(gpc_hierarchy *h, gpc_error *error) {
    gpc_cache_options o;
    if (!gpci_number(h, GPCI_KEY_CONST_SIZE))
        return GPC_OK;
    if (h->with_data)
        return refuse(h, GPCI_KEY_CONST_SIZE, "needs coherence.data = false: constants have no values", error);
    gpc_status status = read_options(h, &o, error);
    if (status < 0)
        return status;
    h->constants = gpci_zalloc(h->context, h->sms, sizeof(gpc_cache *));
    if (!h->constants)
        return gpci_out_of_memory(error);
    for (uint32_t sm = 0; sm < h->sms && status == GPC_OK; sm++) {
        gpc_error detail = GPC_ERROR_INIT;
        o.instance = sm;
        o.share_with = sm ? h->constants[0] : NULL;
        status = gpc_cache_create(h->context, &o, &detail, &h->constants[sm]);
        if (status < 0)
            return gpci_fail(error, status, "const: %s", detail.message);
    }
    return status;
}

void gpci_constants_destroy(gpc_hierarchy *h) {
    for (uint32_t sm = h->constants ? h->sms : 0; sm--;)
        gpc_cache_destroy(h->constants[sm]);
    gpci_free(h->context, h->constants);
}

void gpci_constants_archive(gpc_hierarchy *h, gpci_archive *archive) {
    for (uint32_t sm = 0; h->constants && sm < h->sms; sm++)
        gpci_cache_archive(h->constants[sm], archive);
}

void gpci_constants_drop(gpc_hierarchy *h) {
    for (uint32_t sm = 0; h->constants && sm < h->sms; sm++)
        gpci_drop_all(h->constants[sm]);
}

uint8_t gpci_constants_segments(const gpc_hierarchy *h) {
    return (uint8_t)((1u << h->constants[0]->options.line_bytes / GPCI_SEGMENT) - 1);
}

gpci_level gpci_one_sector_level(uint32_t line_bytes) {
    gpci_level level = {.line_bytes = line_bytes,
                        .line_shift = gpci_log2(line_bytes),
                        .all_segments = (uint8_t)((1u << line_bytes / GPCI_SEGMENT) - 1)};
    for (unsigned mask = 1; mask < 16; mask++) {
        level.sectors_of[mask] = 1;
        level.segments_of[mask] = level.all_segments; /* segments of the single sector */
    }
    return level;
}

gpci_level gpci_constants_level(const gpc_hierarchy *h) {
    return gpci_one_sector_level(h->constants[0]->options.line_bytes);
}

uint32_t gpci_constants_lines(gpc_hierarchy *h, const gpc_warp_access *w, gpci_transaction *lines,
                              gpc_request *request) {
    const uint32_t count =
        gpci_coalesce(w->addresses, gpci_popcount(w->mask), w->width, h->constants[0]->line_shift, lines);
    *request = gpci_access_request(h, w, count);
    request->sector_mask = 1;
    request->token = GPC_TOKEN_UNUSED; /* tokens are of L1 */
    h->of_sm[w->sm].const_requests++;
    return count;
}
