/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The skeleton of a host simulator: SMs, blocks and warps are its own, and every
 * memory instruction goes through a gpc_hierarchy. The kernel is a stencil,
 * y[i] = x[i - 1] + x[i] + x[i + 1]. Prints the statistics as JSON.
 */
#include <gpucache/gpucache.h>

#include <stdio.h>

enum { SMS = 132, BLOCKS = 264, WARPS = 8, LANES = 32, WORD = 4 };
static const uint64_t x = 0x10000000, y = 0x20000000;

/* One warp instruction: lane i of warp `warp` accesses array[i + shift]. */
static gpc_status warp_access(gpc_hierarchy *memory, gpc_kind kind, uint32_t block, uint32_t warp, uint64_t array,
                              int shift) {
    uint64_t addresses[LANES];
    for (int lane = 0; lane < LANES; lane++)
        addresses[lane] = array + (uint64_t)((((int)(block * WARPS + warp) + 1) * LANES + lane + shift) * WORD);
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    access.sm = block % SMS;
    access.warp = warp;
    access.block = block;
    access.pc = 16u * (unsigned)(shift + 1);
    access.mask = 0xffffffffu;
    access.addresses = addresses;
    access.width = WORD;
    access.kind = (uint8_t)kind;
    return gpc_hierarchy_access(memory, &access, NULL);
}

int main(void) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context = NULL;
    gpc_config *config = NULL;
    gpc_hierarchy *memory = NULL;
    gpc_status status = gpc_context_create(NULL, &error, &context);
    if (status == GPC_OK)
        status = gpc_config_create(context, &error, &config);
    if (status == GPC_OK)
        status = gpc_config_load_preset(config, "h100", &error);
    if (status == GPC_OK)
        status = gpc_hierarchy_create(context, config, &error, &memory);
    if (status == GPC_OK)
        status = gpc_hierarchy_begin_kernel(memory, NULL, &error);

    for (uint32_t block = 0; status == GPC_OK && block < BLOCKS; block++)
        for (uint32_t warp = 0; status == GPC_OK && warp < WARPS; warp++) {
            for (int shift = -1; status == GPC_OK && shift <= 1; shift++)
                status = warp_access(memory, GPC_LOAD, block, warp, x, shift);
            if (status == GPC_OK)
                status = warp_access(memory, GPC_STORE, block, warp, y, 0);
        }

    char json[8192];
    gpc_stats stats;
    gpc_stats_init(&stats);
    if (status == GPC_OK)
        status = gpc_hierarchy_get_stats(memory, &stats);
    if (status == GPC_OK)
        status = gpc_stats_json(&stats, json, sizeof json, NULL);
    if (status == GPC_OK)
        puts(json);
    else
        fprintf(stderr, "%s: %s\n", gpc_status_string(status), error.message);
    gpc_hierarchy_destroy(memory);
    gpc_config_destroy(config);
    gpc_context_destroy(context);
    return status != GPC_OK;
}
