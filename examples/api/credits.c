/* SPDX-License-Identifier: BSD-2-Clause */
/* A host with a finite queue of replies: an SM without credits holds its replies back. */
#include "example.h"

#define GPC_EXPERIMENTAL
#include <gpucache/experimental/experimental.h>

#include <inttypes.h>

static void on_complete(void *data, const gpc_completion *completion) {
    printf("cycle %" PRIu64 ": load %" PRIu64 "\n", completion->cycle, completion->token);
    ++*(unsigned *)data;
}

int main(void) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context;
    unsigned replies = 0;
    check(gpc_context_create(NULL, &context, &error), &error);
    gpc_hierarchy *hierarchy = begun(context, "gtx480", "mode = timed\nsm.count = 1\n");
    gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
    callbacks.user_data = &replies;
    callbacks.on_complete = on_complete;
    check(gpc_hierarchy_set_callbacks(hierarchy, &callbacks, &error), &error);
    expect(gpc_hierarchy_reply_credits(hierarchy, 0) == GPC_UNLIMITED_CREDITS, "at first there is no limit");
    check(gpc_hierarchy_set_reply_credits(hierarchy, 0, 1, &error), &error);
    uint64_t addresses[2][32];
    for (uint64_t i = 0; i < 2; i++) {
        const gpc_warp_access access = load_of(addresses[i], i * 4096);
        check(gpc_hierarchy_try_issue(hierarchy, &access, i, NULL, &error), &error);
        check(gpc_hierarchy_advance(hierarchy, 2500, &error), &error);
    }
    expect(replies == 1, "the second reply waits for a credit");
    check(gpc_hierarchy_add_reply_credits(hierarchy, 0, 1, &error), &error);
    check(gpc_hierarchy_drain(hierarchy, &error), &error);
    expect(replies == 2, "the credit lets the reply go");
    gpc_hierarchy_destroy(hierarchy);
    gpc_context_destroy(context);
    return 0;
}
