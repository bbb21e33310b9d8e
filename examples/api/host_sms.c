/* SPDX-License-Identifier: BSD-2-Clause */
/* A host with its own SMs and memory: coalesced instructions, ranked warps, fences, reads of memory. */
#include "example.h"

#include <gpucache/ext/hierarchy.h>

#include <inttypes.h>

typedef struct host {
    uint64_t reads[64]; /* numbers of the reads that memory holds */
    size_t count;
    unsigned completed;
} host;

static bool on_memory(void *data, const gpc_memory_request *request) {
    host *h = data;
    if (!request->write)
        h->reads[h->count++] = request->id;
    return true;
}

static void on_complete(void *data, const gpc_completion *completion) {
    ((host *)data)->completed++;
    printf("request %" PRIu64 ": %" PRIu64 " cycles, level %d\n", completion->token,
           completion->cycle - completion->issued, (int)completion->level);
}

int main(void) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context;
    host h = {.count = 0};
    check(gpc_context_create(NULL, &context, &error), &error);
    gpc_hierarchy *hierarchy = begun(context, "gtx480", "mode = timed\nsm.count = 1\n");
    gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
    callbacks.user_data = &h;
    callbacks.on_complete = on_complete;
    callbacks.on_memory = on_memory;
    check(gpc_hierarchy_set_callbacks(hierarchy, &callbacks, &error), &error);

    /* The library ranks the warps by their starts. */
    check(gpc_hierarchy_rank_warps(hierarchy, true, &error), &error);
    for (uint32_t warp = 0; warp < 2; warp++) {
        const gpc_warp_event start = {.kind = GPC_WARP_START, .warp = warp};
        check(gpc_hierarchy_warp_event(hierarchy, &start, &error), &error);
    }
    const gpc_request lines[2] = {{.address = 0x1000, .sector_mask = 1}, {.address = 0x2000, .sector_mask = 1}};
    const gpc_request miss = {.address = 0x4000, .size = 32};
    gpc_fence fence = GPC_FENCE_INIT;
    fence.warp = 1;
    fence.order = GPC_ORDER_ACQ_REL;
    fence.scope = GPC_SCOPE_GPU;
    gpc_busy busy;
    check(gpc_hierarchy_try_transactions(hierarchy, lines, 2, 1, &busy, &error), &error);
    check(gpc_hierarchy_try_miss(hierarchy, &miss, 2, &busy, &error), &error);
    do { /* the SM takes an instruction a cycle */
        check(gpc_hierarchy_advance(hierarchy, 1, &error), &error);
    } while (gpc_hierarchy_try_fence(hierarchy, &fence, 3, &busy, &error) == GPC_BUSY);

    while (h.completed < 3) {
        check(gpc_hierarchy_advance(hierarchy, 50, &error), &error);
        while (h.count > 0)
            check(gpc_hierarchy_memory_reply(hierarchy, h.reads[--h.count], &error), &error);
    }
    check(gpc_hierarchy_memory_ready(hierarchy, 0, &error), &error);
    check(gpc_hierarchy_drain(hierarchy, &error), &error);
    gpc_hierarchy_destroy(hierarchy);
    gpc_context_destroy(context);
    return 0;
}
