/* SPDX-License-Identifier: BSD-2-Clause */
/* Coherent caches with a clock: two stores to a block overlap in time. */
#include "tree.h"

#include <inttypes.h>

static void on_complete(void *data, const gpc_coherence_completion *completion) {
    printf("cycle %" PRIu64 ": store of module %" PRIu32 "\n", completion->cycle, completion->module);
    ++*(unsigned *)data;
}

int main(void) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context;
    unsigned done = 0;
    check(gpc_context_create(NULL, &context, &error), &error);
    gpc_coherence *tree = tree_of_two(context, "mesi");
    gpc_coherence_callbacks callbacks = GPC_COHERENCE_CALLBACKS_INIT;
    callbacks.user_data = &done;
    callbacks.on_complete = on_complete;
    check(gpc_coherence_set_callbacks(tree, &callbacks, NULL), &error);
    for (uint32_t module = 0; module < 2; module++) {
        gpc_coherence_request request = GPC_COHERENCE_REQUEST_INIT;
        uint64_t token;
        request.module = module;
        request.kind = GPC_COHERENCE_STORE;
        request.address = 0x100;
        check(gpc_coherence_issue(tree, &request, &token, &error), &error);
    }
    check(gpc_coherence_advance(tree, 0, &error), &error);
    while (gpc_coherence_next_event(tree) != UINT64_MAX)
        check(gpc_coherence_advance(tree, gpc_coherence_next_event(tree), &error), &error);
    expect(done == 2, "both stores have ended");
    gpc_coherence_destroy(tree);
    gpc_context_destroy(context);
    return 0;
}
