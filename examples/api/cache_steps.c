/* SPDX-License-Identifier: BSD-2-Clause */
/* A cache step by step, for a host with MSHRs of its own: lookup, reserve, fill. */
#include "example.h"

#include <gpucache/ext/parts.h>

int main(void) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context;
    gpc_cache *cache;
    gpc_cache_options options = GPC_CACHE_OPTIONS_INIT;
    options.sets = 1;
    options.ways = 1;
    options.sectors = 4;
    check(gpc_context_create(NULL, &context, &error), &error);
    check(gpc_cache_create(context, &options, &cache, &error), &error);

    const gpc_request load = {.address = 0x1000, .size = 4}, other = {.address = 0x2000, .size = 4};
    gpc_access_result found, reserved, filled;
    check(gpc_cache_lookup(cache, &load, &found, &error), &error);
    expect(found.outcome == GPC_MISS && found.fetch_sectors == 1, "the first sector is missing");
    check(gpc_cache_reserve(cache, &load, found.fetch_sectors, &reserved, &error), &error);
    expect(reserved.outcome == GPC_MISS, "the line has a way");

    check(gpc_cache_lookup(cache, &load, &found, &error), &error);
    expect(found.outcome == GPC_PENDING_HIT, "the sector is on its way");

    /* The only way waits for data: another line has no victim, and its request waits or goes below. */
    check(gpc_cache_lookup(cache, &other, &found, &error), &error);
    check(gpc_cache_reserve(cache, &other, found.fetch_sectors, &reserved, &error), &error);
    expect(reserved.outcome == GPC_NO_VICTIM, "the set is full of pending lines");
    expect(gpc_cache_stall(cache, &other, GPC_BUSY_LINE) == GPC_CACHE, "the predictor lets the request wait");

    /* The reply of the level below brings a word for the predictor of this level. */
    const uint32_t word = gpc_cache_respond(cache, &load);
    if (gpc_cache_reply(cache, &load, GPC_CACHE, word) == GPC_CACHE)
        check(gpc_cache_fill(cache, &load, 1, &filled, &error), &error);
    check(gpc_cache_lookup(cache, &load, &found, &error), &error);
    expect(found.outcome == GPC_HIT, "the sector has arrived");

    gpc_cache_destroy(cache);
    gpc_context_destroy(context);
    puts("lookup, reserve, fill, hit");
    return 0;
}
