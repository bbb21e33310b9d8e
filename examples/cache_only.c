/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A cache alone: fully associative, write-back, two lines with 32-byte sectors.
 * Callbacks report every fill and every eviction.
 */
#include <gpucache/gpucache.h>

#include <inttypes.h>
#include <stdio.h>

static void on_fill(void *user_data, uint64_t line_address, uint32_t set, uint32_t way, uint8_t sectors,
                    const gpc_request *request) {
    (void)user_data, (void)set, (void)request;
    printf("    fill  line %#" PRIx64 " way %" PRIu32 " sectors %#x\n", line_address, way, (unsigned)sectors);
}

static void on_evict(void *user_data, const gpc_eviction *eviction, const gpc_request *request) {
    (void)user_data, (void)request;
    printf("    evict line %#" PRIx64 " dirty sectors %#x after %" PRIu32 " hits%s\n", eviction->line_address,
           (unsigned)eviction->dirty_sectors, eviction->reuse_count, eviction->forced ? " (forced)" : "");
}

static gpc_status access_one(gpc_cache *cache, gpc_kind kind, uint64_t address) {
    static const char *const outcomes[] = {"hit", "pending hit", "sector miss", "miss", "bypassed", "no victim"};
    gpc_request request = {.address = address, .size = 4, .kind = (uint8_t)kind};
    gpc_access_result result;
    gpc_status status = gpc_cache_access(cache, &request, &result, NULL);
    if (status == GPC_OK)
        printf("%s %#" PRIx64 ": %s\n", kind == GPC_STORE ? "store" : "load ", address, outcomes[result.outcome]);
    return status;
}

int main(void) {
    static const struct {
        gpc_kind kind;
        uint64_t address;
    } stream[] = {
        {GPC_LOAD, 0x100},  /* miss */
        {GPC_LOAD, 0x104},  /* hit: the same sector */
        {GPC_LOAD, 0x120},  /* sector miss: the same line */
        {GPC_STORE, 0x200}, /* miss; part of a sector is written, so the rest is fetched */
        {GPC_LOAD, 0x100},  /* hit, and 0x200 is now the least recently used line */
        {GPC_LOAD, 0x300},  /* miss: 0x200 leaves, dirty */
    };
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context = NULL;
    gpc_cache *cache = NULL;
    gpc_cache_options options = GPC_CACHE_OPTIONS_INIT;
    options.sets = 1;
    options.ways = 2;
    options.line_bytes = 128;
    options.sectors = 4;
    options.track_reuse = 1;
    options.on_fill = on_fill;
    options.on_evict = on_evict;
    gpc_status status = gpc_context_create(NULL, &context, &error);
    if (status == GPC_OK)
        status = gpc_cache_create(context, &options, &cache, &error);
    for (size_t i = 0; status == GPC_OK && i < sizeof stream / sizeof *stream; i++)
        status = access_one(cache, stream[i].kind, stream[i].address);

    const uint32_t ids[] = {GPC_ID_CACHE_read_sector_hits, GPC_ID_CACHE_read_sectors};
    uint64_t sectors[2];
    if (status == GPC_OK)
        status = gpc_cache_read(cache, ids, 2, sectors, sizeof sectors / sizeof *sectors, &error);
    if (status == GPC_OK)
        printf("%" PRIu64 " of %" PRIu64 " read sectors hit\n", sectors[0], sectors[1]);
    else
        fprintf(stderr, "%s: %s\n", gpc_status_string(status), error.message);
    gpc_cache_destroy(cache);
    gpc_context_destroy(context);
    return status != GPC_OK;
}
