/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/ext/scheduler.h>

#include "errors/errors.h"

#include <criterion/criterion.h>

/* gpucache/ext/policies.h, ext/scheduler.h (tables of functions) */

static uint32_t choose_victim(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)self, (void)set, (void)candidates, (void)request;
    return 0;
}

static void predict(void *self, uint32_t set, const gpc_request *request, gpc_prediction *prediction) {
    (void)self, (void)set, (void)request, (void)prediction;
}

static uint32_t on_access(void *self, const gpc_prefetch_access *access, gpc_prefetch *out) {
    (void)self, (void)access, (void)out;
    return 0;
}

static uint32_t pick(void *self, const uint64_t *ready, uint64_t cycle) {
    (void)self, (void)ready, (void)cycle;
    return 0;
}

static void classify(void *self, const gpc_throttle_view *view, gpc_throttle_classes *classes) {
    (void)self, (void)view, (void)classes;
}

/* Count how often the data of a refused table is freed: once for each call. */
static void on_free(void *user_data) {
    ++*(unsigned *)user_data;
}

/* Rows of a table of `type` without its function `field`; `taken` is the name of a built-in policy. */
#define REGISTERS(function, type, field, taken)                                                \
    do {                                                                                       \
        unsigned freed = 0;                                                                    \
        type ops = {.struct_size = sizeof ops, .name = "mine", .summary = "s", .source = "s"}; \
        FAILS(ARGUMENT, "context is NULL", function, NULL, &ops, &freed, on_free);             \
        FAILS(ARGUMENT, "ops is NULL", function, context, NULL, &freed, on_free);              \
        FAILS(ARGUMENT, #type "." #field, function, context, &ops, &freed, on_free);           \
        ops.field = field;                                                                     \
        ops.name = "Mine";                                                                     \
        FAILS(ARGUMENT, #type ".name", function, context, &ops, &freed, on_free);              \
        ops.name = taken;                                                                      \
        FAILS(EXISTS, "'" taken "'", function, context, &ops, &freed, on_free);                \
        ops.struct_size = 8;                                                                   \
        FAILS(ABI, #type ".struct_size", function, context, &ops, &freed, on_free);            \
        cr_expect_eq(freed, 12u, #function ": %u", freed);                                     \
    } while (0)

Test(registry, tables) {
    gpc_context *context = made_context();
    size_t before[GPC_POLICY_KIND_COUNT];
    for (int kind = 0; kind < GPC_POLICY_KIND_COUNT; kind++)
        before[kind] = gpc_policy_count(context, (gpc_policy_kind)kind);
    REGISTERS(gpc_context_register_replacement, gpc_replacement_ops, choose_victim, "lru");
    REGISTERS(gpc_context_register_predictor, gpc_predictor_ops, predict, "mrpb");
    REGISTERS(gpc_context_register_prefetcher, gpc_prefetcher_ops, on_access, "next-line");
    REGISTERS(gpc_context_register_scheduler, gpc_scheduler_ops, pick, "gto");
    REGISTERS(gpc_context_register_throttle, gpc_throttle_ops, classify, "ccws");
    for (int kind = 0; kind < GPC_POLICY_KIND_COUNT; kind++)
        cr_expect_eq(gpc_policy_count(context, (gpc_policy_kind)kind), before[kind]);
    gpc_context_destroy(context);
}

Test(registry, policies) {
    gpc_context *context = made_context();
    gpc_policy_info info = GPC_POLICY_INFO_INIT;
    uint64_t reads = 7;
    FAILS(ARGUMENT, "context is NULL", gpc_policy_at, NULL, GPC_POLICY_REPLACEMENT, 0, &info);
    FAILS(ARGUMENT, "info is NULL", gpc_policy_at, context, GPC_POLICY_REPLACEMENT, 0, NULL);
    FAILS(ARGUMENT, "99 is no gpc_policy_kind", gpc_policy_at, context, (gpc_policy_kind)99, 0, &info);
    FAILS(RANGE, "index is 100000", gpc_policy_at, context, GPC_POLICY_REPLACEMENT, 100000, &info);
    cr_expect_null(info.name);
    WORKS(gpc_policy_at, context, GPC_POLICY_REPLACEMENT, 0, &info);
    info.struct_size = 0;
    FAILS(ABI, "gpc_policy_info", gpc_policy_at, context, GPC_POLICY_REPLACEMENT, 0, &info);
    FAILS(ARGUMENT, "context is NULL", gpc_policy_reads, NULL, GPC_POLICY_REPLACEMENT, "lru", &reads);
    FAILS(ARGUMENT, "spec is NULL", gpc_policy_reads, context, GPC_POLICY_REPLACEMENT, NULL, &reads);
    FAILS(ARGUMENT, "out_reads is NULL", gpc_policy_reads, context, GPC_POLICY_REPLACEMENT, "lru", NULL);
    FAILS(ARGUMENT, "kind: ", gpc_policy_reads, context, GPC_POLICY_SCHEDULER, "gto", &reads);
    FAILS(NOT_FOUND, "'nobody'", gpc_policy_reads, context, GPC_POLICY_REPLACEMENT, "nobody", &reads);
    cr_expect_eq(reads, 7u);
    WORKS(gpc_policy_reads, context, GPC_POLICY_REPLACEMENT, "lru", &reads);
    gpc_context_destroy(context);
}

/* Rows of a question about cost; `...` stands between the specification and the sets. */
#define COST(function, ...)                                                                                          \
    FAILS(ARGUMENT, #function ": context is NULL", function, NULL, kind, "lru" __VA_ARGS__, 4, 4, 128, 1, &bits);    \
    FAILS(ARGUMENT, #function ": spec is NULL", function, context, kind, NULL __VA_ARGS__, 4, 4, 128, 1, &bits);     \
    FAILS(ARGUMENT, #function ": out_bits is NULL", function, context, kind, "lru" __VA_ARGS__, 4, 4, 128, 1, NULL); \
    FAILS(ARGUMENT, #function ": kind", function, context, GPC_POLICY_SCHEDULER, "gto" __VA_ARGS__, 4, 4, 128, 1,    \
          &bits);                                                                                                    \
    FAILS(ARGUMENT, #function ": sets is 0", function, context, kind, "lru" __VA_ARGS__, 0, 4, 128, 1, &bits);       \
    FAILS(ARGUMENT, #function ": ways", function, context, kind, "lru" __VA_ARGS__, 4, 1025, 128, 1, &bits);         \
    FAILS(NOT_FOUND, "'nobody'", function, context, kind, "nobody" __VA_ARGS__, 4, 4, 128, 1, &bits);                \
    cr_expect_eq(bits, 7u);                                                                                          \
    WORKS(function, context, kind, "lru" __VA_ARGS__, 4, 4, 128, 1, &bits)

Test(registry, costs) {
    gpc_context *context = made_context();
    const gpc_policy_kind kind = GPC_POLICY_REPLACEMENT;
    uint64_t bits = 7;
    COST(gpc_policy_cost, );
    bits = 7;
#define TWO_CACHES , 2
    COST(gpc_policy_level_cost, TWO_CACHES);
    FAILS(ARGUMENT, "caches is 0", gpc_policy_level_cost, context, kind, "lru", 0, 4, 4, 128, 1, &bits);
    gpc_context_destroy(context);
}
