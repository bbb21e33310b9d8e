/* SPDX-License-Identifier: BSD-2-Clause */
#define GPC_EXPERIMENTAL
#include <gpucache/experimental/experimental.h>
#include <gpucache/ext/coherence.h>
#include <gpucache/ext/protocol.h>

#include "errors/errors.h"

#include <criterion/criterion.h>

/* gpucache/ext/coherence.h, ext/protocol.h, calls of trees in experimental/experimental.h */

/* Caches 0 and 1, of 2 sets and 2 ways, over memory 2 of 4 sets and 2 ways. */
static gpc_status make(gpc_context *context, const char *protocol, bool data, gpc_coherence **out, gpc_error *error) {
    static const uint32_t memory = 2;
    static const char *const names[] = {"c0", "c1", "mm"};
    gpc_coherence_network network = GPC_COHERENCE_NETWORK_INIT;
    gpc_coherence_module modules[3];
    gpc_coherence_options options = GPC_COHERENCE_OPTIONS_INIT;
    network.name = "bus";
    for (unsigned i = 0; i < 3; i++) {
        modules[i] = (gpc_coherence_module)GPC_COHERENCE_MODULE_INIT;
        modules[i].name = names[i];
        modules[i].sets = i < 2 ? 2 : 4;
        modules[i].ways = 2;
        modules[i].memory = i == 2;
        modules[i].low = i < 2 ? &memory : NULL;
        modules[i].low_count = i < 2;
        modules[i].low_network = i < 2 ? 0 : modules[i].low_network;
        modules[i].high_network = i == 2 ? 0 : modules[i].high_network;
    }
    options.protocol = protocol;
    options.data = data;
    options.modules = modules;
    options.module_count = 3;
    options.networks = &network;
    options.network_count = 1;
    return gpc_coherence_create(context, &options, out, error);
}

typedef struct rig {
    gpc_context *context;
    gpc_coherence *tree, *bare; /* `bare`: without data */
} rig;

static void rig_open(rig *r) {
    r->context = made_context();
    cr_assert_eq(make(r->context, "nmoesi", true, &r->tree, NULL), GPC_OK);
    cr_assert_eq(make(r->context, "nmoesi", false, &r->bare, NULL), GPC_OK);
}

static void rig_close(rig *r) {
    gpc_coherence_destroy(r->tree);
    gpc_coherence_destroy(r->bare);
    gpc_context_destroy(r->context);
}

Test(coherence, creation) {
    rig r;
    rig_open(&r);
    gpc_coherence *made = NULL;
    gpc_coherence_options options = GPC_COHERENCE_OPTIONS_INIT;
    FAILS(ARGUMENT, "context is NULL", gpc_coherence_create, NULL, &options, &made);
    FAILS(ARGUMENT, "options is NULL", gpc_coherence_create, r.context, NULL, &made);
    FAILS(ARGUMENT, "out is NULL", gpc_coherence_create, r.context, &options, NULL);
    FAILS(ARGUMENT, "module_count", gpc_coherence_create, r.context, &options, &made);
    FAILS(NOT_FOUND, "gpc_coherence_options.protocol", make, r.context, "nobody", true, &made);
    options.struct_size = 8;
    FAILS(ABI, "gpc_coherence_options", gpc_coherence_create, r.context, &options, &made);
    cr_expect_null(made);
    const gpc_protocol *moesi = gpc_protocol_find(r.context, "moesi");
    FAILS(ARGUMENT, "context is NULL", gpc_context_register_protocol, NULL, moesi);
    FAILS(ARGUMENT, "protocol is NULL", gpc_context_register_protocol, r.context, NULL);
    FAILS(EXISTS, "moesi", gpc_context_register_protocol, r.context, moesi);
    rig_close(&r);
}

Test(coherence, accesses) {
    rig r;
    rig_open(&r);
    gpc_coherence_result result = GPC_COHERENCE_RESULT_INIT;
    gpc_coherence_request good = GPC_COHERENCE_REQUEST_INIT;
    good.size = 4;
    gpc_coherence_request module = good, size = good, kind = good;
    module.module = 9;
    size.size = 0;
    kind.kind = 99;
#define ACCESS(function, out)                                         \
    FAILS(ARGUMENT, "coherence is NULL", function, NULL, &good, out); \
    FAILS(ARGUMENT, "request is NULL", function, r.tree, NULL, out);  \
    FAILS(ARGUMENT, "module 9 of 3", function, r.tree, &module, out); \
    FAILS(ARGUMENT, "0 bytes", function, r.tree, &size, out);         \
    FAILS(ARGUMENT, "kind 99", function, r.tree, &kind, out)
    ACCESS(gpc_coherence_access, &result);
    WORKS(gpc_coherence_access, r.tree, &good, &result);
#define SWEEP(function)                                                        \
    FAILS(ARGUMENT, "coherence is NULL", function, NULL, 0, 0, &result);       \
    FAILS(ARGUMENT, "module 9 of 3", function, r.tree, 9, 0, &result);         \
    FAILS(ARGUMENT, "module mm is no cache", function, r.tree, 2, 0, &result); \
    WORKS(function, r.tree, 0, 0, &result)
    FAILS(ARGUMENT, "module 9 of 3", gpc_coherence_flush, r.tree, 9, 0, &result);
    FAILS(ARGUMENT, "module 9 of 3", gpc_coherence_acquire, r.tree, 9, 0, &result);
    SWEEP(gpc_coherence_flush);
    SWEEP(gpc_coherence_acquire);
    const uint32_t id = GPC_ID_MODULE_accesses;
    uint64_t before = 0, after = 0, token;
    WORKS(gpc_coherence_read, r.tree, 0, &id, 1, &before, 1);
    result.struct_size = 0;
    FAILS(ABI, "gpc_coherence_result", gpc_coherence_access, r.tree, &good, &result);
    FAILS(ABI, "gpc_coherence_result", gpc_coherence_flush, r.tree, 0, 0, &result);
    FAILS(ABI, "gpc_coherence_result", gpc_coherence_acquire, r.tree, 0, 0, &result);
    result.struct_size = sizeof result;
    WORKS(gpc_coherence_read, r.tree, 0, &id, 1, &after, 1);
    cr_expect(after == before && before > 0, "a refused access is not done");
    ACCESS(gpc_coherence_issue, &token);
    FAILS(ARGUMENT, "out_token is NULL", gpc_coherence_issue, r.tree, &good, NULL);
    FAILS(ARGUMENT, "coherence is NULL", gpc_coherence_advance, NULL, 1);
    WORKS(gpc_coherence_issue, r.tree, &good, &token);
    FAILS(STATE, "in flight", gpc_coherence_access, r.tree, &good, &result);
    WORKS(gpc_coherence_advance, r.tree, 1000);
    FAILS(ARGUMENT, "cycle 999", gpc_coherence_advance, r.tree, 999);
    FAILS(ARGUMENT, "coherence is NULL", gpc_coherence_check, NULL, 0, 1);
    FAILS(ARGUMENT, "beyond the last address", gpc_coherence_check, r.tree, 2, UINT64_MAX);
    WORKS(gpc_coherence_check, r.tree, 0, 64);
    rig_close(&r);
}

Test(coherence, bytes_of_memory) {
    rig r;
    rig_open(&r);
    uint8_t bytes[2] = {1, 2};
#define MEMORY(function)                                                                               \
    FAILS(ARGUMENT, "coherence is NULL", function, NULL, 0, bytes, 2);                                 \
    FAILS(ARGUMENT, "bytes is NULL", function, r.tree, 0, NULL, 2);                                    \
    FAILS(ARGUMENT, "size 2 from address 0xffffffffffffffff", function, r.tree, UINT64_MAX, bytes, 2); \
    FAILS(STATE, "no data", function, r.bare, 0, bytes, 2);                                            \
    WORKS(function, r.tree, 0, bytes, 2)
    MEMORY(gpc_coherence_write_memory);
    MEMORY(gpc_coherence_read_memory);
    rig_close(&r);
}

Test(coherence, views) {
    rig r;
    rig_open(&r);
    uint32_t a, b, sharers[3], origins[GPC_LINE_COUNT * GPC_LINE_COUNT];
    uint64_t transitions[GPC_LINE_COUNT * GPC_LINE_COUNT];
    size_t count;
    gpc_coherence_block block = GPC_COHERENCE_BLOCK_INIT;
    gpc_coherence_module module = GPC_COHERENCE_MODULE_INIT;
    FAILS(ARGUMENT, "coherence is NULL", gpc_coherence_get_block, NULL, 0, 0, 0, &block);
    FAILS(ARGUMENT, "block is NULL", gpc_coherence_get_block, r.tree, 0, 0, 0, NULL);
    FAILS(RANGE, "module 3 of 3", gpc_coherence_get_block, r.tree, 3, 0, 0, &block);
    FAILS(RANGE, "module c1: set 2 of 2", gpc_coherence_get_block, r.tree, 1, 2, 0, &block);
    FAILS(RANGE, "module mm: way 2 of 2", gpc_coherence_get_block, r.tree, 2, 0, 2, &block);
    WORKS(gpc_coherence_get_block, r.tree, 2, 0, 1, &block);
    block.struct_size = 8;
    FAILS(ABI, "gpc_coherence_block", gpc_coherence_get_block, r.tree, 2, 0, 1, &block);
    FAILS(ARGUMENT, "coherence is NULL", gpc_coherence_get_directory, NULL, 2, 0, 0, 0, &a, sharers, 3, &count);
    FAILS(ARGUMENT, "out_owner", gpc_coherence_get_directory, r.tree, 2, 0, 0, 0, NULL, sharers, 3, &count);
    FAILS(ARGUMENT, "sharers", gpc_coherence_get_directory, r.tree, 2, 0, 0, 0, &a, NULL, 3, &count);
    FAILS(ARGUMENT, "out_count", gpc_coherence_get_directory, r.tree, 2, 0, 0, 0, &a, sharers, 3, NULL);
    FAILS(RANGE, "module 3 of 3", gpc_coherence_get_directory, r.tree, 3, 0, 0, 0, &a, sharers, 3, &count);
    FAILS(RANGE, "sub_block 1 of 1", gpc_coherence_get_directory, r.tree, 2, 0, 0, 1, &a, sharers, 3, &count);
    WORKS(gpc_coherence_get_directory, r.tree, 2, 0, 0, 0, &a, NULL, 0, &count);
    FAILS(ARGUMENT, "coherence is NULL", gpc_coherence_find, NULL, 0, 0, &a, &b);
    FAILS(ARGUMENT, "out_set is NULL", gpc_coherence_find, r.tree, 0, 0, NULL, &b);
    FAILS(ARGUMENT, "out_way is NULL", gpc_coherence_find, r.tree, 0, 0, &a, NULL);
    FAILS(RANGE, "module 3 of 3", gpc_coherence_find, r.tree, 3, 0, &a, &b);
    WORKS(gpc_coherence_find, r.tree, 0, 0, &a, &b); /* absent: GPC_END */
    FAILS(ARGUMENT, "coherence is NULL", gpc_coherence_get_module, NULL, 0, &module);
    FAILS(ARGUMENT, "out is NULL", gpc_coherence_get_module, r.tree, 0, NULL);
    FAILS(RANGE, "module 3 of 3", gpc_coherence_get_module, r.tree, 3, &module);
    WORKS(gpc_coherence_get_module, r.tree, 2, &module);
    module.struct_size = 0;
    FAILS(ABI, "gpc_coherence_module", gpc_coherence_get_module, r.tree, 2, &module);
    FAILS(ARGUMENT, "coherence is NULL", gpc_coherence_get_matrices, NULL, 0, GPC_LINE_COUNT, transitions, origins);
    FAILS(ARGUMENT, "transitions", gpc_coherence_get_matrices, r.tree, 0, GPC_LINE_COUNT, NULL, origins);
    FAILS(ARGUMENT, "origins", gpc_coherence_get_matrices, r.tree, 0, GPC_LINE_COUNT, transitions, NULL);
    FAILS(RANGE, "module 3 of 3", gpc_coherence_get_matrices, r.tree, 3, GPC_LINE_COUNT, transitions, origins);
    FAILS(RANGE, "states is 7", gpc_coherence_get_matrices, r.tree, 0, 7, transitions, origins);
    WORKS(gpc_coherence_get_matrices, r.tree, GPC_NO_MODULE, GPC_LINE_COUNT, transitions, origins);
    gpc_coherence_callbacks callbacks = GPC_COHERENCE_CALLBACKS_INIT;
    FAILS(ARGUMENT, "coherence is NULL", gpc_coherence_set_callbacks, NULL, &callbacks);
    WORKS(gpc_coherence_set_callbacks, r.tree, &callbacks);
    WORKS(gpc_coherence_set_callbacks, r.tree, NULL);
    callbacks.struct_size = 8;
    FAILS(ABI, "gpc_coherence_callbacks", gpc_coherence_set_callbacks, r.tree, &callbacks);
    rig_close(&r);
}

Test(coherence, held_trees) {
    rig r;
    rig_open(&r);
    gpc_coherence_choice choice = GPC_COHERENCE_CHOICE_INIT;
    FAILS(ARGUMENT, "coherence is NULL", gpc_coherence_hold, NULL, 1, 1);
    FAILS(ARGUMENT, "channels", gpc_coherence_hold, r.tree, 1, 2);
    FAILS(ARGUMENT, "coherence is NULL", gpc_coherence_get_choice, NULL, 0, &choice);
    FAILS(ARGUMENT, "coherence is not held", gpc_coherence_get_choice, r.tree, 0, &choice);
    FAILS(ARGUMENT, "coherence is NULL", gpc_coherence_choose, NULL, 0);
    FAILS(ARGUMENT, "coherence is not held", gpc_coherence_choose, r.tree, 0);
    cr_assert_eq(gpc_coherence_hold(r.tree, 0, 1, NULL), GPC_OK);
    FAILS(STATE, "accesses have been issued", gpc_coherence_hold, r.tree, 0, 1);
    FAILS(ARGUMENT, "choice is NULL", gpc_coherence_get_choice, r.tree, 0, NULL);
    FAILS(RANGE, "choice 0 of 0", gpc_coherence_get_choice, r.tree, 0, &choice);
    FAILS(RANGE, "choice 0 of 0", gpc_coherence_choose, r.tree, 0);
    uint64_t token;
    gpc_coherence_request load = GPC_COHERENCE_REQUEST_INIT;
    load.size = 4;
    cr_assert_eq(gpc_coherence_issue(r.tree, &load, &token, NULL), GPC_OK);
    cr_assert_eq(gpc_coherence_advance(r.tree, 0, NULL), GPC_OK);
    WORKS(gpc_coherence_get_choice, r.tree, 0, &choice);
    FAILS(RANGE, "choice 1 of 1", gpc_coherence_get_choice, r.tree, 1, &choice);
    FAILS(RANGE, "choice 1 of 1", gpc_coherence_choose, r.tree, 1);
    choice.struct_size = 0;
    FAILS(ABI, "gpc_coherence_choice", gpc_coherence_get_choice, r.tree, 0, &choice);
    rig_close(&r);
}

Test(coherence, counters) {
    rig r;
    rig_open(&r);
    const uint32_t id = GPC_ID_MODULE_accesses;
    uint64_t value = 7;
    FAILS(ARGUMENT, "coherence is NULL", gpc_coherence_read, NULL, 0, &id, 1, &value, 1);
    FAILS(RANGE, "module is 3, and the tree has 3", gpc_coherence_read, r.tree, 3, &id, 1, &value, 1);
    cr_expect_eq(value, 7u);
    READS(gpc_coherence_read, id, r.tree, GPC_NO_MODULE);
    rig_close(&r);
}
