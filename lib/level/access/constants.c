/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/access/constants.h"

#include "cache/cache.h"
#include "level/access/warp_access.h"
#include "level/rules/cache_lines.h"

static gpc_status refuse(const gpc_hierarchy *hierarchy, gpci_key key, const char *why, gpc_error *error) {
    return gpci_fail(error, GPC_ERROR_RANGE, "%s = %s: %s", gpci_key_name(key),
                     gpci_config_text(hierarchy->config, key), why);
}

static gpc_status read_options(const gpc_hierarchy *hierarchy, gpc_cache_options *options, gpc_error *error) {
    *options = (gpc_cache_options)GPC_CACHE_OPTIONS_INIT;
    options->ways = (uint32_t)gpci_number(hierarchy, GPCI_KEY_CONST_WAYS);
    options->line_bytes = (uint32_t)gpci_number(hierarchy, GPCI_KEY_CONST_LINE);
    options->sets = gpci_number(hierarchy, GPCI_KEY_CONST_SIZE) / options->line_bytes / options->ways;
    options->allocate = GPC_ALLOCATE_ON_FILL;
    options->replacement = gpci_config_text(hierarchy->config, GPCI_KEY_CONST_REPLACEMENT);
    options->seed = 6;
    options->instances = hierarchy->sms;
    if (!gpci_power_of_two(options->line_bytes) || options->line_bytes > hierarchy->l2_level.line_bytes)
        return refuse(hierarchy, GPCI_KEY_CONST_LINE, "must be a power of two, at most l2.line", error);
    return options->sets ? GPC_OK
                         : refuse(hierarchy, GPCI_KEY_CONST_SIZE, "is less than one set of const.ways lines", error);
}

gpc_status gpci_constants_create(gpc_hierarchy *hierarchy, gpc_error *error) {
    gpc_cache_options options;
    if (!gpci_number(hierarchy, GPCI_KEY_CONST_SIZE))
        return GPC_OK;
    if (hierarchy->with_data)
        return refuse(hierarchy, GPCI_KEY_CONST_SIZE, "needs coherence.data = false: constants have no values", error);
    gpc_status status = read_options(hierarchy, &options, error);
    if (status < 0)
        return status;
    hierarchy->constants = gpci_zalloc(hierarchy->context, hierarchy->sms, sizeof(gpc_cache *));
    if (!hierarchy->constants)
        return gpci_out_of_memory(error);
    for (uint32_t sm = 0; sm < hierarchy->sms && status == GPC_OK; sm++) {
        gpc_error detail = GPC_ERROR_INIT;
        options.instance = sm;
        options.share_with = sm ? hierarchy->constants[0] : NULL;
        status = gpc_cache_create(hierarchy->context, &options, &hierarchy->constants[sm], &detail);
        if (status < 0)
            return gpci_fail(error, status, "const: %s", detail.message);
    }
    return status;
}

void gpci_constants_destroy(gpc_hierarchy *hierarchy) {
    for (uint32_t sm = hierarchy->constants ? hierarchy->sms : 0; sm--;)
        gpc_cache_destroy(hierarchy->constants[sm]);
    gpci_free(hierarchy->context, hierarchy->constants);
}

void gpci_constants_archive(gpc_hierarchy *hierarchy, gpci_archive *archive) {
    for (uint32_t sm = 0; hierarchy->constants && sm < hierarchy->sms; sm++)
        gpci_cache_archive(hierarchy->constants[sm], archive);
}

void gpci_constants_drop(gpc_hierarchy *hierarchy) {
    for (uint32_t sm = 0; hierarchy->constants && sm < hierarchy->sms; sm++)
        gpci_drop_all(hierarchy->constants[sm]);
}

uint8_t gpci_constants_segments(const gpc_hierarchy *hierarchy) {
    return (uint8_t)((1u << hierarchy->constants[0]->options.line_bytes / GPCI_SEGMENT) - 1);
}

gpci_level gpci_one_sector_level(uint32_t line_bytes) {
    gpci_level level = {.line_bytes = line_bytes,
                        .line_shift = gpci_log2(line_bytes),
                        .all_segments = (uint8_t)((1u << line_bytes / GPCI_SEGMENT) - 1)};
    for (unsigned mask = 1; mask < 16; mask++) {
        level.sectors_of[mask] = 1;
        level.segments_of[mask] = level.all_segments; /* the single sector has all segments */
    }
    return level;
}

gpci_level gpci_constants_level(const gpc_hierarchy *hierarchy) {
    return gpci_one_sector_level(hierarchy->constants[0]->options.line_bytes);
}

uint32_t gpci_constants_lines(gpc_hierarchy *hierarchy, const gpc_warp_access *access, gpci_transaction *lines,
                              gpc_request *request) {
    const uint32_t count = gpci_coalesce(access->addresses, gpci_popcount(access->mask), access->width,
                                         hierarchy->constants[0]->line_shift, lines);
    *request = gpci_access_request(hierarchy, access, count);
    request->sector_mask = 1;
    request->policy.token = GPC_TOKEN_UNUSED; /* only L1 uses the token */
    hierarchy->of_sm[access->sm].const_requests++;
    return count;
}
