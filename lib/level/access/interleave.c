/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/text.h"
#include "cache/index/address_map.h"
#include "level/rules/hierarchy.h"

/* Spread addresses over slices, from configuration keys: l2.interleave, or address.mapping. */

static gpc_status refuse(const gpc_hierarchy *hierarchy, gpci_key key, gpc_status status, const char *why,
                         gpc_error *error) {
    return gpci_fail(error, status, "%s = %s: %s", gpci_key_name(key),
                     gpci_quote(gpci_config_text(hierarchy->config, key)).text, why);
}

/* Number of DRAM channels per L2 partition of a GPU. The number may differ from the number of slices. */
static uint32_t channels_per_partition(const gpc_hierarchy *hierarchy) {
    const uint32_t channels = (uint32_t)gpci_number(hierarchy, GPCI_KEY_DRAM_CHANNELS), parts = hierarchy->partitions;
    return channels < parts ? 1 : channels / parts;
}

/* Reject keys that have no effect with address.mapping. */
static gpc_status check_without_effect(const gpc_hierarchy *hierarchy, gpc_error *error) {
    static const gpci_key keys[] = {GPCI_KEY_L2_INTERLEAVE, GPCI_KEY_L2_INTERLEAVE_BYTES};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!gpci_config_is_default(hierarchy->config, keys[i]))
            return refuse(hierarchy, keys[i], GPC_ERROR_ARGUMENT,
                          "has no effect with address.mapping, which spreads addresses", error);
    return GPC_OK;
}

static gpc_status map_addresses(gpc_hierarchy *hierarchy, const gpci_address_bits *bits, gpc_error *error) {
    const uint64_t indexing = gpci_number(hierarchy, GPCI_KEY_ADDRESS_INDEXING);
    gpc_error detail = GPC_ERROR_INIT;
    gpc_status status = check_without_effect(hierarchy, error);
    if (status < 0)
        return status;
    hierarchy->address_map = gpci_zalloc(hierarchy->context, 1, sizeof *hierarchy->address_map);
    if (!hierarchy->address_map)
        return gpci_out_of_memory(error);
    status = gpci_address_map_init(hierarchy->address_map, bits, (gpci_indexing)indexing,
                                   hierarchy->slices_per_partition, &detail);
    if (status < 0)
        return refuse(hierarchy, indexing ? GPCI_KEY_ADDRESS_INDEXING : GPCI_KEY_ADDRESS_MAPPING, status,
                      detail.message, error);
    if (hierarchy->address_map->finest < hierarchy->l2_level.line_shift)
        return refuse(hierarchy, GPCI_KEY_ADDRESS_MAPPING, GPC_ERROR_RANGE,
                      "chooses slices by bits within a line (l2.line)", error);
    gpci_interleave_by(&hierarchy->interleave, hierarchy->address_map);
    return GPC_OK;
}

gpc_status gpci_build_interleave(gpc_hierarchy *hierarchy, gpc_error *error) {
    gpc_error detail = GPC_ERROR_INIT;
    gpci_address_bits bits;
    gpc_status status = gpci_address_of(hierarchy->config, &bits, error);
    if (status < 0 || bits.channels)
        return status < 0 ? status : map_addresses(hierarchy, &bits, error);
    if (!gpci_config_is_default(hierarchy->config, GPCI_KEY_ADDRESS_INDEXING))
        return refuse(hierarchy, GPCI_KEY_ADDRESS_INDEXING, GPC_ERROR_ARGUMENT,
                      "has no effect without address.mapping: l2.interleave", error);
    if (gpci_number(hierarchy, GPCI_KEY_L2_INTERLEAVE_BYTES) < hierarchy->l2_level.line_bytes)
        return refuse(hierarchy, GPCI_KEY_L2_INTERLEAVE_BYTES, GPC_ERROR_RANGE, "must be at least l2.line", error);
    status = gpci_interleave_init(&hierarchy->interleave, (gpci_spread)gpci_number(hierarchy, GPCI_KEY_L2_INTERLEAVE),
                                  gpci_number(hierarchy, GPCI_KEY_L2_INTERLEAVE_BYTES), hierarchy->slices_per_partition,
                                  channels_per_partition(hierarchy), &detail);
    if (status < 0)
        return refuse(hierarchy, GPCI_KEY_L2_INTERLEAVE, status, detail.message, error);
    if (hierarchy->partitions == 2 && gpci_number(hierarchy, GPCI_KEY_L2_INTERLEAVE) == GPCI_SPREAD_HOPPER)
        hierarchy->home_bits = gpci_hopper_half_bits();
    return GPC_OK;
}
