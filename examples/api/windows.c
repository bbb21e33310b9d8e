/* SPDX-License-Identifier: BSD-2-Clause */
/* A table that persists in L2 beside a stream. */
#include "example.h"

#define GPC_EXPERIMENTAL
#include <gpucache/experimental/experimental.h>

#include <inttypes.h>

static void load_range(gpc_hierarchy *hierarchy, uint64_t first, uint64_t bytes, uint64_t *hits) {
    gpc_error error = GPC_ERROR_INIT;
    for (uint64_t at = first; at < first + bytes; at += 128) {
        uint64_t addresses[32];
        gpc_warp_result result = GPC_WARP_RESULT_INIT;
        gpc_warp_access access = load_of(addresses, at);
        access.hint = GPC_HINT_CG; /* past L1 */
        check(gpc_hierarchy_access(hierarchy, &access, &result, &error), &error);
        *hits += result.l2_sector_hits;
    }
}

static uint64_t table_hits(gpc_context *context, bool persists) {
    enum { TABLE = 128 << 10 };
    gpc_error error = GPC_ERROR_INIT;
    uint64_t hits = 0;
    gpc_hierarchy *hierarchy = begun(context, "kepler", "l2.persisting = 192KiB\n");
    gpc_access_window window = GPC_ACCESS_WINDOW_INIT;
    window.bytes = TABLE;
    check(gpc_hierarchy_set_window(hierarchy, persists ? &window : NULL, &error), &error);
    load_range(hierarchy, 0, TABLE, &hits);
    load_range(hierarchy, 1 << 30, 8 << 20, &hits);
    hits = 0;
    load_range(hierarchy, 0, TABLE, &hits);
    if (persists)
        check(gpc_hierarchy_reset_persisting(hierarchy, &error), &error);
    gpc_hierarchy_destroy(hierarchy);
    return hits;
}

int main(void) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context;
    check(gpc_context_create(NULL, &context, &error), &error);
    const uint64_t without = table_hits(context, false), with = table_hits(context, true);
    printf("sectors of the table that hit after the stream: %" PRIu64 ", with a window %" PRIu64 "\n", without, with);
    expect(with > without, "the window keeps the table");
    gpc_context_destroy(context);
    return 0;
}
