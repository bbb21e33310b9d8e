/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/experimental/experimental.h>

/* Trees of caches. */
#include "oom/heap.h"

#include <criterion/criterion.h>
#include <string.h>

/* Two first-level modules, the second with a registered policy, over two banks and a memory with an entry per block. */
static gpc_status create_tree(gpc_context *context, const char *replacement, gpc_error *error, gpc_coherence **out) {
    static const uint32_t banks[] = {2, 3}, memory[] = {4};
    gpc_coherence_module modules[5];
    gpc_coherence_network networks[2] = {GPC_COHERENCE_NETWORK_INIT, GPC_COHERENCE_NETWORK_INIT};
    static const char *const names[] = {"l1-0", "l1-1", "l2-0", "l2-1", "mm"};
    networks[0].name = "up";
    networks[1].name = "down";
    for (uint32_t i = 0; i < 5; i++) {
        modules[i] = (gpc_coherence_module)GPC_COHERENCE_MODULE_INIT;
        modules[i].name = names[i];
        modules[i].low = i < 2 ? banks : memory;
        modules[i].low_count = i < 2 ? 2 : i < 4 ? 1 : 0;
        modules[i].low_network = i < 2 ? 0 : i < 4 ? 1 : GPC_NO_MODULE;
        modules[i].high_network = i < 2 ? GPC_NO_MODULE : i < 4 ? 0 : 1;
        modules[i].sets = i < 2 ? 2 : i < 4 ? 4 : 1;
        modules[i].ways = i < 4 ? 2 : 0;
        modules[i].memory = i == 4;
        modules[i].sectors = modules[i].fetch_blocks = i < 2 ? 2 : 1;
        if (i == 2 || i == 3) {
            modules[i].served = GPC_SERVES_INTERLEAVED;
            modules[i].divisor = 64;
            modules[i].modulus = 2;
            modules[i].residue = i - 2;
        }
    }
    modules[0].replacement = replacement;
    gpc_coherence_options options = GPC_COHERENCE_OPTIONS_INIT;
    options.modules = modules;
    options.module_count = 5;
    options.networks = networks;
    options.network_count = 2;
    return gpc_coherence_create(context, &options, out, error);
}

/* Stored values, by address: every load must return the value, whatever call failed between. */
typedef struct values {
    uint8_t of[256];
} values;

static uint64_t address_of(uint32_t i) {
    return (uint64_t)(i * 37 % 256) * 128;
}

static gpc_status access(gpc_coherence *tree, values *v, uint32_t i, gpc_error *error) {
    uint8_t value = (uint8_t)(i + 1), seen = 0;
    gpc_coherence_request request = GPC_COHERENCE_REQUEST_INIT;
    request.module = i % 2;
    request.kind = i % 3 ? GPC_COHERENCE_STORE : GPC_COHERENCE_LOAD;
    request.address = address_of(i);
    request.bytes = &value;
    request.out = &seen;
    gpc_status status = gpc_coherence_access(tree, &request, NULL, error);
    uint8_t *expected = &v->of[i * 37 % 256];
    if (status == GPC_OK && request.kind == GPC_COHERENCE_STORE)
        *expected = value;
    if (status == GPC_OK)
        cr_assert_eq(seen, *expected, "access %u", i);
    return status;
}

/* A failed access changes no state: repeated with memory, the access succeeds, and no value is lost. */
static gpc_status use_tree(gpc_context *context, oom_heap *heap, gpc_error *error) {
    gpc_coherence *tree = NULL;
    values v = {{0}};
    gpc_status status = create_tree(context, "srrip", error, &tree);
    cr_assert_eq(tree != NULL, status == GPC_OK);
    gpc_status first = status;
    for (uint32_t i = 0; tree && i < 200; i++) {
        status = access(tree, &v, i, error);
        if (status == GPC_OK)
            continue;
        cr_assert_eq(status, GPC_ERROR_MEMORY);
        first = status;
        oom_heal(heap);
        cr_assert_eq(access(tree, &v, i, NULL), GPC_OK);
    }
    gpc_error later = GPC_ERROR_INIT;
    if (tree) {
        status = gpc_coherence_flush(tree, GPC_NO_MODULE, 0, NULL, first == GPC_OK ? error : &later);
        first = first == GPC_OK ? status : first;
        oom_heal(heap);
        cr_assert_eq(gpc_coherence_flush(tree, GPC_NO_MODULE, 0, NULL, &later), GPC_OK, "%s", later.message);
    }
    for (uint32_t i = 0; tree && i < 256; i++) {
        uint8_t byte = 0;
        cr_assert_eq(gpc_coherence_read_memory(tree, address_of(i), &byte, 1, NULL), GPC_OK);
        cr_assert_eq(byte, v.of[i * 37 % 256], "address %u", i);
    }
    gpc_coherence_destroy(tree);
    return first;
}

Test(oom, coherence_tree) {
    oom_check(use_tree, 40);
}

/* A write over many blocks new to memory is done as a whole or not at all. */
static gpc_status write_memory(gpc_context *context, oom_heap *heap, gpc_error *error) {
    gpc_coherence *tree = NULL;
    uint8_t bytes[4096], read[4096];
    gpc_status status = create_tree(context, "srrip", error, &tree);
    if (status == GPC_OK) {
        memset(bytes, 7, sizeof bytes);
        status = gpc_coherence_write_memory(tree, 100, bytes, sizeof bytes, NULL);
        if (status != GPC_OK) {
            memset(bytes, 0, sizeof bytes);
            /* the call has no gpc_error */
            error->status = status;
            strcpy(error->message, "out of memory");
        }
        cr_assert_eq(gpc_coherence_read_memory(tree, 100, read, sizeof read, NULL), GPC_OK);
        cr_assert_arr_eq(read, bytes, sizeof read);
        oom_heal(heap);
        cr_assert_eq(gpc_coherence_write_memory(tree, 100, bytes, sizeof bytes, NULL), GPC_OK);
    }
    gpc_coherence_destroy(tree);
    return status;
}

Test(oom, coherence_memory) {
    oom_check(write_memory, 30);
}

/* Accesses in flight: a refused access has not begun, and a failed advance continues from the same point. */
static gpc_status issue(gpc_coherence *tree, uint32_t i, gpc_error *error) {
    uint64_t token;
    uint8_t value = (uint8_t)(i + 1);
    gpc_coherence_request request = GPC_COHERENCE_REQUEST_INIT;
    request.module = i % 2;
    request.kind = GPC_COHERENCE_STORE;
    request.address = address_of(i % 64);
    request.bytes = &value;
    request.cycle = i;
    return gpc_coherence_issue(tree, &request, &token, error);
}

static gpc_status use_inflights(gpc_context *context, oom_heap *heap, gpc_error *error) {
    gpc_coherence *tree = NULL;
    gpc_status first = create_tree(context, NULL, error, &tree);
    gpc_error later = GPC_ERROR_INIT;
    for (uint32_t i = 0; tree && i < 192; i++) {
        gpc_error *told = first == GPC_OK ? error : &later;
        gpc_status status = issue(tree, i, told);
        if (status != GPC_OK) {
            oom_heal(heap);
            cr_assert_eq(issue(tree, i, NULL), GPC_OK);
        } else if (i % 8 == 0 && (status = gpc_coherence_advance(tree, i, told)) != GPC_OK) {
            oom_heal(heap);
            cr_assert_eq(gpc_coherence_advance(tree, i, NULL), GPC_OK);
        }
        cr_assert(status == GPC_OK || status == GPC_ERROR_MEMORY);
        first = first == GPC_OK ? status : first;
    }
    if (tree) {
        const gpc_status status = gpc_coherence_advance(tree, UINT64_MAX, first == GPC_OK ? error : &later);
        first = first == GPC_OK ? status : first;
        oom_heal(heap);
        cr_assert_eq(gpc_coherence_advance(tree, UINT64_MAX, &later), GPC_OK, "%s", later.message);
        cr_assert_eq(gpc_coherence_flush(tree, GPC_NO_MODULE, 0, NULL, &later), GPC_OK, "%s", later.message);
    }
    for (uint32_t i = 128; tree && i < 192; i++) { /* the last to every address */
        uint8_t byte = 0;
        cr_assert_eq(gpc_coherence_read_memory(tree, address_of(i % 64), &byte, 1, NULL), GPC_OK);
        cr_assert_eq(byte, (uint8_t)(i + 1), "store %u", i);
    }
    gpc_coherence_destroy(tree);
    return first;
}

Test(oom, coherence_inflights) {
    oom_check(use_inflights, 40);
}

/* Exploring: out of memory is a status, for every bound of memory for states. */
static gpc_status verify(gpc_context *context, oom_heap *heap, gpc_error *error) {
    gpc_status first = GPC_OK;
    (void)heap;
    for (uint32_t way = 0; way < 3 && first == GPC_OK; way++) {
        const uint32_t in_flight = way > 0;
        gpc_verify_options options = GPC_VERIFY_OPTIONS_INIT;
        gpc_verify *v = NULL;
        options.protocol = in_flight ? "nmoesi-multi2sim" : "nmoesi"; /* also a counterexample of the former */
        options.tree = "2 over L2";
        options.in_flight = in_flight;
        options.states = 60;
        options.walks = way > 1;
        first = gpc_verify_run(context, &options, &v, error);
        cr_assert_eq(v != NULL, first == GPC_OK);
        gpc_verify_destroy(v);
    }
    return first;
}

Test(oom, coherence_verify) {
    oom_check(verify, 30);
}
