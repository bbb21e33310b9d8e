/* SPDX-License-Identifier: BSD-2-Clause */
/* Coherent caches, an access at a time: blocks, directory entries, values, counters, invariants. */
#include "tree.h"

#include <inttypes.h>

enum { BLOCK = 0x100 };

static void print_transition(void *data, const gpc_coherence_transition *transition) {
    (void)data;
    printf("  module %" PRIu32 ": state %d to %d\n", transition->module, transition->from, transition->to);
}

static uint8_t access_byte(gpc_coherence *tree, uint32_t module, gpc_coherence_kind kind, uint8_t value) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_coherence_request request = GPC_COHERENCE_REQUEST_INIT;
    request.module = module;
    request.kind = kind;
    request.address = BLOCK;
    request.bytes = request.out = &value;
    check(gpc_coherence_access(tree, &request, NULL, &error), &error);
    return value;
}

static void print_directory(gpc_coherence *tree) {
    gpc_error error = GPC_ERROR_INIT;
    const uint32_t memory = gpc_coherence_module_index(tree, "memory");
    uint32_t set, way, owner, sharers[2];
    size_t count;
    check(gpc_coherence_find(tree, memory, BLOCK, &set, &way, NULL), &error);
    check(gpc_coherence_get_directory(tree, memory, set, way, 0, &owner, sharers, 2, &count, NULL), &error);
    gpc_coherence_module module = GPC_COHERENCE_MODULE_INIT;
    check(gpc_coherence_get_module(tree, sharers[0], &module, NULL), &error);
    printf("%zu sharers, the first is %s\n", count, module.name);
    expect(count == 2, "both caches have the block");
}

int main(void) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context;
    check(gpc_context_create(NULL, &context, &error), &error);
    gpc_coherence *tree = tree_of_two(context, "mesi");
    printf("protocol %s\n", gpc_coherence_protocol(tree)->name);
    gpc_coherence_callbacks callbacks = GPC_COHERENCE_CALLBACKS_INIT;
    callbacks.on_transition = print_transition;
    check(gpc_coherence_set_callbacks(tree, &callbacks, NULL), &error);

    uint8_t byte = 5;
    check(gpc_coherence_write_memory(tree, BLOCK, &byte, 1, NULL), &error);
    expect(access_byte(tree, 0, GPC_COHERENCE_LOAD, 0) == 5, "a load reads memory");
    (void)access_byte(tree, 0, GPC_COHERENCE_STORE, 6);
    expect(access_byte(tree, 1, GPC_COHERENCE_LOAD, 0) == 6, "the other cache reads the store");
    print_directory(tree);
    gpc_coherence_block block = GPC_COHERENCE_BLOCK_INIT;
    uint32_t set, way;
    check(gpc_coherence_find(tree, 0, BLOCK, &set, &way, NULL), &error);
    check(gpc_coherence_get_block(tree, 0, set, way, &block, NULL), &error);
    expect(block.state == GPC_LINE_S, "the copies are shared");
    check(gpc_coherence_check(tree, 0, 4096, &error), &error);

    const uint32_t id = GPC_ID_MODULE_accesses;
    uint64_t accesses, transitions[GPC_LINE_COUNT][GPC_LINE_COUNT];
    uint32_t origins[GPC_LINE_COUNT][GPC_LINE_COUNT];
    char text[4096];
    check(gpc_coherence_read(tree, 0, &id, 1, &accesses, 1, &error), &error);
    check(gpc_coherence_get_matrices(tree, 0, GPC_LINE_COUNT, transitions[0], origins[0], NULL), &error);
    (void)gpc_protocol_matrices_text(NULL, transitions[0], origins[0], "l1-0", text, sizeof text);
    printf("%" PRIu64 " accesses\n%s", accesses, text);
    gpc_coherence_reset_stats(tree);

    check(gpc_coherence_acquire(tree, GPC_NO_MODULE, 0, NULL, &error), &error);
    check(gpc_coherence_flush(tree, GPC_NO_MODULE, 0, NULL, &error), &error);
    check(gpc_coherence_read_memory(tree, BLOCK, &byte, 1, NULL), &error);
    expect(byte == 6, "memory has the store");
    gpc_coherence_destroy(tree);
    gpc_context_destroy(context);
    return 0;
}
