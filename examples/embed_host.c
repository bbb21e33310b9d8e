/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The skeleton of a host simulator: SMs, blocks and warps are its own, and every
 * memory instruction goes through a gpc_hierarchy. The kernel is a stencil,
 * y[i] = x[i - 1] + x[i] + x[i + 1]. Prints the statistics as JSON.
 */
#include <gpucache/gpucache.h>

#include <stdio.h>
#include <stdlib.h>

enum { SMS = 132, BLOCKS = 264, WARPS = 8, LANES = 32, WORD = 4 };
static const uint64_t x = 0x10000000, y = 0x20000000;

/* Issue one warp instruction: lane i accesses word i of the warp's 32 words in `array`. */
static gpc_status issue(gpc_hierarchy *memory, gpc_kind kind, uint32_t block, uint32_t warp, uint64_t array,
                        gpc_error *error) {
    uint64_t addresses[LANES];
    for (uint32_t lane = 0; lane < LANES; lane++)
        addresses[lane] = array + ((block * WARPS + warp) * LANES + lane) * WORD;
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    access.sm = block % SMS;
    access.warp = warp;
    access.block = block;
    access.mask = 0xffffffff; /* 32 active lanes */
    access.addresses = addresses;
    access.width = WORD;
    access.kind = (uint8_t)kind;
    return gpc_hierarchy_access(memory, &access, NULL, error);
}

/* Loop of the host: every warp runs to the end before the next warp. */
static gpc_status simulate(gpc_hierarchy *memory, gpc_error *error) {
    gpc_status status = GPC_OK;
    for (uint32_t warp = 0; status == GPC_OK && warp < BLOCKS * WARPS; warp++) {
        for (uint64_t from = x - WORD; status == GPC_OK && from <= x + WORD; from += WORD)
            status = issue(memory, GPC_LOAD, warp / WARPS, warp % WARPS, from, error);
        if (status == GPC_OK)
            status = issue(memory, GPC_STORE, warp / WARPS, warp % WARPS, y, error);
    }
    return status;
}

/* Write all counters of the hierarchy as JSON. */
static gpc_status write_json(const gpc_hierarchy *memory, char *json, size_t size, gpc_error *error) {
#define ID(id, ...) id,
    static const uint32_t ids[] = {GPC_COUNTERS(ID) GPC_HISTOGRAMS(ID) GPC_RATIOS(ID)};
    const size_t count = sizeof ids / sizeof *ids, value_count = gpc_counter_values(ids, count);
    uint64_t *values = malloc(value_count * sizeof *values);
    if (!values)
        return GPC_ERROR_MEMORY;
    gpc_status status = gpc_hierarchy_read(memory, GPC_OBJECT_WHOLE, 0, ids, count, values, value_count, error);
    if (status == GPC_OK)
        status = gpc_counters_json(ids, count, values, value_count, json, size, NULL, error);
    free(values);
    return status;
}

int main(void) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context = NULL;
    gpc_config *config = NULL;
    gpc_hierarchy *memory = NULL;
    char json[16384];
    bool done = gpc_context_create(NULL, &context, &error) == GPC_OK &&
                gpc_config_create(context, &config, &error) == GPC_OK &&
                gpc_config_load_preset(config, "h100", &error) == GPC_OK &&
                gpc_hierarchy_create(context, config, &memory, &error) == GPC_OK &&
                gpc_hierarchy_begin_kernel(memory, NULL, &error) == GPC_OK && simulate(memory, &error) == GPC_OK &&
                write_json(memory, json, sizeof json, &error) == GPC_OK;
    if (done)
        puts(json);
    else
        fprintf(stderr, "failed: %s\n", error.message);
    gpc_hierarchy_destroy(memory);
    gpc_config_destroy(config);
    gpc_context_destroy(context);
    return done ? 0 : 1;
}
