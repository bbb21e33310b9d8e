/* SPDX-License-Identifier: BSD-2-Clause */
/* A tree whose messages arrive in the host's order: the last possible event first. */
#include "tree.h"

#define GPC_EXPERIMENTAL
#include <gpucache/experimental/experimental.h>

#include <inttypes.h>

int main(void) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context;
    check(gpc_context_create(NULL, &context, &error), &error);
    gpc_coherence *tree = tree_of_two(context, "mesi");
    check(gpc_coherence_hold(tree, 0, 3, &error), &error);
    for (uint32_t module = 0; module < 2; module++) {
        gpc_coherence_request request = GPC_COHERENCE_REQUEST_INIT;
        uint64_t token;
        request.module = module;
        request.kind = GPC_COHERENCE_STORE;
        request.address = 0x100;
        check(gpc_coherence_issue(tree, &request, &token, &error), &error);
    }
    check(gpc_coherence_advance(tree, 0, &error), &error);
    unsigned steps = 0;
    for (;; steps++) {
        gpc_coherence_choice choice = GPC_COHERENCE_CHOICE_INIT, last = choice;
        uint32_t chosen = UINT32_MAX;
        for (uint32_t i = 0; gpc_coherence_get_choice(tree, i, &choice, NULL) == GPC_OK; i++)
            if (choice.ready) {
                chosen = i;
                last = choice;
            }
        if (chosen == UINT32_MAX)
            break;
        printf("kind %" PRIu32 ", message %" PRIu32 " from %" PRIu32 " to %" PRIu32 "\n", last.kind, last.message,
               last.from, last.to);
        check(gpc_coherence_choose(tree, chosen, &error), &error);
    }
    expect(steps > 4, "two stores take several messages");
    check(gpc_coherence_check(tree, 0, 4096, &error), &error);
    gpc_coherence_destroy(tree);
    gpc_context_destroy(context);
    return 0;
}
