/* SPDX-License-Identifier: BSD-2-Clause */
#include "errors/errors.h"

#include <criterion/criterion.h>

/* gpucache/cache.h */

typedef struct rig {
    gpc_context *context;
    gpc_cache *cache, *lazy, *plain; /* `lazy`: lines of 64 bytes; `plain`: with the quick path of lib/cache/plain.c */
    gpc_access_result result;
    gpc_request good;
} rig;

static void rig_open(rig *r) {
    gpc_cache_options options = GPC_CACHE_OPTIONS_INIT;
    *r = (rig){.context = made_context(), .good = {.address = 0x1000}};
    options.sets = 2;
    options.ways = 2;
    options.line_bytes = 128;
    options.sectors = 4;
    cr_assert_eq(gpc_cache_create(r->context, &options, &r->cache, NULL), GPC_OK);
    options.line_bytes = 64;
    options.sectors = 1;
    cr_assert_eq(gpc_cache_create(r->context, &options, &r->lazy, NULL), GPC_OK);
    cr_assert_eq(gpc_cache_create(r->context, NULL, &r->plain, NULL), GPC_OK);
}

static void rig_close(rig *r) {
    gpc_cache_destroy(r->cache);
    gpc_cache_destroy(r->lazy);
    gpc_cache_destroy(r->plain);
    gpc_context_destroy(r->context);
}

Test(cache, creation) {
    rig r;
    rig_open(&r);
    gpc_cache *made;
    gpc_cache_options options = GPC_CACHE_OPTIONS_INIT;
    FAILS(ARGUMENT, "context", gpc_cache_create, NULL, NULL, &made);
    FAILS(ARGUMENT, "out", gpc_cache_create, r.context, NULL, NULL);
    options.ways = 0;
    FAILS(RANGE, "ways", gpc_cache_create, r.context, &options, &made);
    options = (gpc_cache_options)GPC_CACHE_OPTIONS_INIT;
    options.replacement = "nobody";
    FAILS(NOT_FOUND, "nobody", gpc_cache_create, r.context, &options, &made);
    gpc_error error = error_unwritten();
    cr_expect_eq(gpc_cache_create(r.context, NULL, &made, &error), GPC_OK);
    expect_no_error("gpc_cache_create", GPC_OK, GPC_OK, &error);
    gpc_cache_destroy(made);
    rig_close(&r);
}

Test(cache, requests) {
    rig r;
    rig_open(&r);
    gpc_request kind = r.good, size = r.good, mask = r.good, reserved = r.good, unused = r.good, token = r.good;
    kind.kind = GPC_KIND_COUNT;
    size.size = 129;
    mask.kind = GPC_STORE;
    mask.byte_mask[1] = 1; /* byte 64 of a line of 64 */
    reserved.reserved[sizeof reserved.reserved - 1] = 1;
    unused.policy.unused = 1;
    token.policy.token = GPC_TOKEN_COUNT;
#define STEP(function)                                                                 \
    FAILS(ARGUMENT, "cache is NULL", function, NULL, &r.good, &r.result);              \
    FAILS(ARGUMENT, "request is NULL", function, r.cache, NULL, &r.result);            \
    FAILS(ARGUMENT, "gpc_request.kind", function, r.cache, &kind, &r.result);          \
    FAILS(ARGUMENT, "gpc_request.size", function, r.cache, &size, &r.result);          \
    FAILS(ARGUMENT, "gpc_request.byte_mask", function, r.lazy, &mask, &r.result);      \
    FAILS(ARGUMENT, "gpc_request.reserved", function, r.cache, &reserved, &r.result);  \
    FAILS(ARGUMENT, "gpc_request.reserved", function, r.plain, &reserved, &r.result);  \
    FAILS(ARGUMENT, "gpc_request.reserved", function, r.plain, &unused, &r.result);    \
    FAILS(ARGUMENT, "gpc_request.policy.token", function, r.plain, &token, &r.result); \
    WORKS(function, r.cache, &r.good, &r.result)
    STEP(gpc_cache_access);
    STEP(gpc_cache_lookup);
    STEP(gpc_cache_probe);
    STEP(gpc_cache_probe_victim);
    FAILS(ARGUMENT, "result is NULL", gpc_cache_probe, r.cache, &r.good, NULL);
    FAILS(ARGUMENT, "result is NULL", gpc_cache_probe_victim, r.cache, &r.good, NULL);
#define PART_STEP(function)                                                       \
    FAILS(ARGUMENT, "cache is NULL", function, NULL, &r.good, 1, &r.result);      \
    FAILS(ARGUMENT, "request is NULL", function, r.cache, NULL, 1, &r.result);    \
    FAILS(ARGUMENT, "gpc_request.kind", function, r.cache, &kind, 1, &r.result);  \
    FAILS(ARGUMENT, "sectors 0x10", function, r.cache, &r.good, 0x10, &r.result); \
    WORKS(function, r.cache, &r.good, 1, &r.result)
    PART_STEP(gpc_cache_reserve);
    PART_STEP(gpc_cache_fill);
    rig_close(&r);
}

static uint32_t impossible(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)self, (void)set, (void)candidates, (void)request;
    return 77;
}

Test(cache, impossible_victims) {
    rig r;
    rig_open(&r);
    const gpc_replacement_ops ops = {
        .struct_size = sizeof ops, .name = "impossible", .summary = "s", .source = "s", .choose_victim = impossible};
    cr_assert_eq(gpc_context_register_replacement(r.context, &ops, NULL, NULL, NULL), GPC_OK);
    cr_assert_eq(gpc_cache_set_replacement(r.cache, "impossible", NULL), GPC_OK);
    for (uint64_t line = 0; line < 4; line++)
        cr_assert_eq(gpc_cache_access(r.cache, &(gpc_request){.address = line * 128}, &r.result, NULL), GPC_OK);
    FAILS(CALLBACK, "impossible victim", gpc_cache_access, r.cache, &r.good, &r.result);
    FAILS(CALLBACK, "impossible victim", gpc_cache_reserve, r.cache, &r.good, 1, &r.result);
    FAILS(CALLBACK, "impossible victim", gpc_cache_fill, r.cache, &r.good, 1, &r.result);
    FAILS(UNSUPPORTED, "impossible", gpc_cache_probe_victim, r.cache, &r.good, &r.result);
    const gpc_batch batch = {.struct_size = sizeof batch, .count = 1, .addresses = &r.good.address};
    FAILS(CALLBACK, "impossible victim", gpc_cache_access_many, r.cache, &batch, NULL);
    rig_close(&r);
}

Test(cache, batches) {
    rig r;
    rig_open(&r);
    const uint64_t addresses[2] = {0, 128};
    uint64_t uses[2];
    gpc_batch batch = {.struct_size = sizeof batch, .count = 2};
    FAILS(ARGUMENT, "cache is NULL", gpc_cache_access_many, NULL, &batch, NULL);
    FAILS(ARGUMENT, "batch is NULL", gpc_cache_access_many, r.cache, NULL, NULL);
    FAILS(ARGUMENT, "addresses", gpc_cache_access_many, r.cache, &batch, NULL);
    batch.addresses = addresses;
    WORKS(gpc_cache_access_many, r.cache, &batch, NULL);
    batch.size = 129;
    FAILS(ARGUMENT, "size", gpc_cache_access_many, r.cache, &batch, NULL);
    batch.struct_size = 8;
    FAILS(ABI, "gpc_batch", gpc_cache_access_many, r.cache, &batch, NULL);
    FAILS(ARGUMENT, "context is NULL", gpc_next_uses, NULL, addresses, 2, 128, uses);
    FAILS(ARGUMENT, "addresses is NULL", gpc_next_uses, r.context, NULL, 2, 128, uses);
    FAILS(ARGUMENT, "next_uses is NULL", gpc_next_uses, r.context, addresses, 2, 128, NULL);
    FAILS(ARGUMENT, "line_bytes", gpc_next_uses, r.context, addresses, 2, 100, uses);
    FAILS(ARGUMENT, "count", gpc_next_uses, r.context, addresses, SIZE_MAX, 128, uses);
    WORKS(gpc_next_uses, r.context, addresses, 2, 128, uses);
    rig_close(&r);
}

Test(cache, lines) {
    rig r;
    rig_open(&r);
    uint64_t cursor = 0;
    gpc_line line;
    FAILS(ARGUMENT, "cache is NULL", gpc_cache_invalidate_line, NULL, 0);
    FAILS(ARGUMENT, "cache is NULL", gpc_cache_invalidate_range, NULL, 0, 1);
    FAILS(ARGUMENT, "bytes", gpc_cache_invalidate_range, r.cache, 2, UINT64_MAX);
    FAILS(ARGUMENT, "cache is NULL", gpc_cache_invalidate_all, NULL);
    FAILS(ARGUMENT, "cache is NULL", gpc_cache_flush, NULL, NULL);
    FAILS(ARGUMENT, "cache is NULL", gpc_cache_next_line, NULL, &cursor, &line);
    FAILS(ARGUMENT, "cursor is NULL", gpc_cache_next_line, r.cache, NULL, &line);
    FAILS(ARGUMENT, "line is NULL", gpc_cache_next_line, r.cache, &cursor, NULL);
    WORKS(gpc_cache_next_line, r.cache, &cursor, &line);
    WORKS(gpc_cache_invalidate_line, r.cache, 0);
    WORKS(gpc_cache_invalidate_range, r.cache, 0, 128);
    WORKS(gpc_cache_invalidate_all, r.cache);
    WORKS(gpc_cache_flush, r.cache, NULL);
    FAILS(ARGUMENT, "cache is NULL", gpc_cache_resize, NULL, 2, 2);
    FAILS(RANGE, "ways", gpc_cache_resize, r.cache, 2, 0);
    WORKS(gpc_cache_resize, r.cache, 2, 4);
    rig_close(&r);
}

Test(cache, policies) {
    rig r;
    rig_open(&r);
    gpc_warp_event event = {.kind = GPC_KERNEL_END + 1};
    gpc_sample sample = GPC_SAMPLE_INIT;
    gpc_policy_value value = GPC_POLICY_VALUE_INIT;
    FAILS(ARGUMENT, "cache is NULL", gpc_cache_warp_event, NULL, &event);
    FAILS(ARGUMENT, "event is NULL", gpc_cache_warp_event, r.cache, NULL);
    FAILS(ARGUMENT, "gpc_warp_event.kind", gpc_cache_warp_event, r.cache, &event);
    event.kind = GPC_KERNEL_END;
    WORKS(gpc_cache_warp_event, r.cache, &event);
    FAILS(ARGUMENT, "cache is NULL", gpc_cache_sample, NULL, &sample);
    FAILS(ARGUMENT, "sample is NULL", gpc_cache_sample, r.cache, NULL);
    WORKS(gpc_cache_sample, r.cache, &sample);
    sample.struct_size = 8;
    FAILS(ABI, "gpc_sample", gpc_cache_sample, r.cache, &sample);
    FAILS(ARGUMENT, "cache is NULL", gpc_cache_set_replacement, NULL, "lru");
    FAILS(ARGUMENT, "spec is NULL", gpc_cache_set_replacement, r.cache, NULL);
    FAILS(NOT_FOUND, "nobody", gpc_cache_set_replacement, r.cache, "nobody");
    FAILS(ARGUMENT, "cache is NULL", gpc_cache_set_predictor, NULL, "hint");
    FAILS(ARGUMENT, "spec is NULL", gpc_cache_set_predictor, r.cache, NULL);
    FAILS(NOT_FOUND, "nobody", gpc_cache_set_predictor, r.cache, "nobody");
    WORKS(gpc_cache_set_replacement, r.cache, "dip");
    WORKS(gpc_cache_set_predictor, r.cache, "hint");
    WORKS(gpc_cache_policy_value, r.cache, 0, &value);
    FAILS(ARGUMENT, "cache is NULL", gpc_cache_policy_value, NULL, 0, &value);
    FAILS(ARGUMENT, "value is NULL", gpc_cache_policy_value, r.cache, 0, NULL);
    FAILS(RANGE, "index: 99", gpc_cache_policy_value, r.cache, 99, &value);
    value.struct_size = 0;
    FAILS(ABI, "gpc_policy_value", gpc_cache_policy_value, r.cache, 0, &value);
    rig_close(&r);
}
