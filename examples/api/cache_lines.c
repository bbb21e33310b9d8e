/* SPDX-License-Identifier: BSD-2-Clause */
/* The lines of a cache: probes, victims, flushes, invalidations, and another shape. */
#include "example.h"

#include <gpucache/ext/parts.h>

#include <inttypes.h>

static gpc_cache *cache;
static gpc_error error = GPC_ERROR_INIT;

static unsigned lines(void) {
    unsigned count = 0;
    uint64_t cursor = 0;
    gpc_line line;
    while (gpc_cache_next_line(cache, &cursor, &line, &error) == GPC_OK) {
        printf("  set %" PRIu32 " way %" PRIu32 " line %#" PRIx64 " dirty %x\n", line.set, line.way, line.line_address,
               (unsigned)line.dirty_sectors);
        count++;
    }
    return count;
}

static void access_line(uint64_t address, gpc_kind kind) {
    const gpc_request request = {.address = address, .size = 4, .kind = (uint8_t)kind};
    check(gpc_cache_access(cache, &request, NULL, &error), &error);
}

int main(void) {
    gpc_context *context;
    gpc_cache_options options = GPC_CACHE_OPTIONS_INIT;
    gpc_access_result result;
    uint64_t written;
    options.sets = 2;
    options.ways = 2;
    check(gpc_context_create(NULL, &context, &error), &error);
    check(gpc_cache_create(context, &options, &cache, &error), &error);
    access_line(0x000, GPC_LOAD);
    access_line(0x100, GPC_STORE);
    access_line(0x080, GPC_LOAD);
    expect(lines() == 3, "three lines are resident");

    const gpc_request load = {.address = 0x100}, next = {.address = 0x200};
    check(gpc_cache_probe(cache, &load, &result, &error), &error);
    expect(result.outcome == GPC_HIT, "a probe finds the line, and counts nothing");
    check(gpc_cache_probe_victim(cache, &next, &result, &error), &error);
    expect(result.evicted && result.eviction.line_address == 0, "line 0 would make room");

    check(gpc_cache_flush(cache, &written, &error), &error);
    expect(written == 1, "one dirty sector was written back");
    check(gpc_cache_invalidate_line(cache, 0x080, &error), &error);
    check(gpc_cache_invalidate_range(cache, 0x100, 128, &error), &error);
    expect(lines() == 1, "line 0 is left");
    check(gpc_cache_invalidate_all(cache, &error), &error);
    expect(lines() == 0, "the cache is empty");

    check(gpc_cache_resize(cache, 4, 1, &error), &error);
    access_line(0x000, GPC_LOAD);
    access_line(0x100, GPC_LOAD);
    expect(lines() == 2, "the lines have sets of their own");
    gpc_cache_reset_stats(cache);
    gpc_cache_destroy(cache);
    gpc_context_destroy(context);
    return 0;
}
