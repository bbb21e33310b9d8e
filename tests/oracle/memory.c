/* SPDX-License-Identifier: BSD-2-Clause */
#include "oracle/memory_model.h"

#include "base/base.h"
#include "effort.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/*
 * The functional hierarchy compared with the naive model: random memory systems, random warp instructions, every
 * counter.
 */

#define SYSTEMS 600
#define ACCESSES 250

typedef struct memory_pair {
    uint64_t random;
    unsigned system, step, flush; /* flush: kernels.flush */
    memory_config config;
    memory_model model;
    gpc_context *context;
    gpc_hierarchy *hierarchy;
    char text[2048];
} memory_pair;

static unsigned below(memory_pair *p, unsigned bound) {
    return gpci_random_below(&p->random, bound);
}

static unsigned power(memory_pair *p, unsigned lowest, unsigned highest) {
    return lowest << below(p, gpci_log2(highest / lowest) + 1);
}

static const char *const policies[] = {"back", "through", "evict"}, *const allocations[] = {"none", "fetch", "lazy"};

static model_level random_level(memory_pair *p, unsigned least_line) {
    model_level level = {.line = power(p, least_line, 128)};
    level.sectors = power(p, 1, level.line / 32);
    level.fetch = power(p, 1, level.sectors);
    level.sets = 1 + below(p, MODEL_SETS);
    level.ways = 1 + below(p, MODEL_WAYS);
    while (level.sets * level.ways * level.line < 128)
        level.ways++;
    for (unsigned space = 0; space < 2; space++) {
        level.policy[space] = (gpc_write_policy)below(p, 3);
        level.allocate[space] = (gpc_write_allocate)below(p, 3);
    }
    return level;
}

static void random_config(memory_pair *p) {
    memory_config *c = &p->config;
    *c = (memory_config){.sms = 1 + below(p, MODEL_SMS), .partitions = 1 + below(p, 2)};
    c->slices = c->partitions * (1 + below(p, MODEL_SLICES / 2));
    c->has_l1 = below(p, 8);
    c->has_l2 = below(p, 8);
    c->local_only = !below(p, 6);
    c->inclusive = !below(p, 3);
    c->sm_partition = below(p, 3);
    c->l1 = random_level(p, 32);
    c->l2 = random_level(p, c->l1.line);
    c->l2.policy[1] = c->l2.policy[0];
    c->l2.allocate[1] = c->l2.allocate[0];
    c->interleave = power(p, c->l2.line, 512);
    p->flush = below(p, 3);
}

static const char *yes(bool is) {
    return is ? "true" : "false";
}

static void describe(memory_pair *p) {
    const memory_config *c = &p->config;
    const model_level *l1 = &c->l1, *l2 = &c->l2;
    static const char *const sm_partitions[] = {"halves", "pairs", "groups"}, *const flushes[] = {"none", "l1", "all"};
    snprintf(p->text, sizeof p->text,
             "sm.count = %u\nsm.lanes = 64\nl1.enabled = %s\nl1.size = %uB\nl1.ways = %u\nl1.line = %uB\n"
             "l1.sectors = %u\nl1.fetch_sectors = %u\nl1.spaces = %s\nl1.write_policy = %s\n"
             "l1.write_policy_local = %s\nl1.write_allocate = %s\nl1.write_allocate_local = %s\n"
             "l2.enabled = %s\nl2.size = %uB\nl2.slices = %u\nl2.ways = %u\nl2.line = %uB\nl2.sectors = %u\n"
             "l2.fetch_sectors = %u\nl2.write_policy = %s\nl2.write_allocate = %s\nl2.interleave_bytes = %uB\n"
             "l2.partitions = %u\nl2.sm_partition = %s\nl2.inclusion = %s\nkernels.flush = %s\n",
             c->sms, yes(c->has_l1), l1->sets * l1->ways * l1->line, l1->ways, l1->line, l1->sectors, l1->fetch,
             c->local_only ? "local" : "all", policies[l1->policy[0]], policies[l1->policy[1]],
             allocations[l1->allocate[0]], allocations[l1->allocate[1]], yes(c->has_l2),
             l2->sets * l2->ways * l2->line * c->slices, c->slices, l2->ways, l2->line, l2->sectors, l2->fetch,
             policies[l2->policy[0]], allocations[l2->allocate[0]], c->interleave, c->partitions,
             sm_partitions[c->sm_partition], c->inclusive ? "inclusive" : "non-inclusive", flushes[p->flush]);
}

static void open_pair(memory_pair *p, unsigned system) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_config *config;
    memset(p, 0, sizeof *p);
    p->system = system;
    p->random = system;
    random_config(p);
    describe(p);
    memory_model_init(&p->model, &p->config);
    cr_assert_eq(gpc_context_create(NULL, &p->context, &error), GPC_OK);
    cr_assert_eq(gpc_config_create(p->context, &config, &error), GPC_OK);
    cr_assert_eq(gpc_config_load_text(config, p->text, NULL, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_hierarchy_create(p->context, config, &p->hierarchy, &error), GPC_OK, "%s: %s", error.message,
                 p->text);
    gpc_config_destroy(config);
}

static void close_pair(memory_pair *p) {
    gpc_hierarchy_destroy(p->hierarchy);
    gpc_context_destroy(p->context);
}

/* Addresses meet in few lines of several pages, with different homes. */
static uint64_t random_address(memory_pair *p) {
    return (uint64_t)below(p, 6) * 4096 + below(p, 2) * 1024 + below(p, 8) * 128 + below(p, 128);
}

static void random_lanes(memory_pair *p, gpc_warp_access *a, uint64_t addresses[64]) {
    static const unsigned strides[] = {0, 1, 4, 8, 32, 64, 128, 132};
    unsigned width = below(p, 4) ? power(p, 1, 64) : 1 + below(p, 64), stride = strides[below(p, 8)];
    uint64_t base = random_address(p);
    a->width = width;
    a->addresses = addresses;
    switch (below(p, 6)) {
    case 0:
        a->mask = gpci_random(&p->random);
        break;
    case 1:
        a->mask = below(p, 8) ? 0xffffffffu : 0;
        break;
    case 2:
        a->mask = UINT64_MAX;
        break;
    default:
        a->mask = (uint64_t)below(p, 256) << below(p, 57);
    }
    bool scattered = !below(p, 3);
    for (unsigned lane = 0; lane < 64; lane++)
        addresses[lane] = scattered ? random_address(p) : base + lane * stride;
}

static gpc_warp_access random_access(memory_pair *p, uint64_t addresses[64]) {
    static const uint8_t kinds[] = {GPC_LOAD,  GPC_LOAD, GPC_LOAD,   GPC_STORE,     GPC_STORE,
                                    GPC_STORE, GPC_LOAD, GPC_ATOMIC, GPC_REDUCTION, GPC_PREFETCH};
    gpc_warp_access a = GPC_WARP_ACCESS_INIT;
    a.sm = below(p, p->config.sms);
    a.kind = kinds[below(p, sizeof kinds)];
    a.space = (uint8_t)(below(p, 30) ? below(p, 3) == 0 : below(p, GPC_SPACE_INSTRUCTION));
    a.hint = (uint8_t)(below(p, 3) ? GPC_HINT_NONE : below(p, GPC_HINT_COUNT));
    random_lanes(p, &a, addresses);
    return a;
}

#define SAME(what, field, expected, got)                                                                            \
    cr_assert_eq((expected)->field, (got)->field, "system %u, step %u (%s): " #field " is %llu, not %llu\n%s",      \
                 p->system, p->step, what, (unsigned long long)(got)->field, (unsigned long long)(expected)->field, \
                 p->text)

static void same_stats(memory_pair *p, const char *what) {
    measured_stats got, *expected = &p->model.stats;
    measured_clear(&got);
    cr_assert_eq(measure_hierarchy(p->hierarchy, &got), GPC_OK);
    got = measured(got);
#define X(id, field, name, unit, kind, objects, needs, since, meaning, equals) SAME(what, field, expected, &got);
    GPC_COUNTERS(X)
#undef X
    for (unsigned i = 0; i < GPC_TRANSACTION_BUCKETS; i++)
        SAME(what, l1_transactions_per_load[i], expected, &got);
}

static void access_both(memory_pair *p) {
    uint64_t addresses[64];
    gpc_warp_access a = random_access(p, addresses);
    char what[96];
    snprintf(what, sizeof what, "kind %u space %u hint %u sm %u width %u mask %llx", a.kind, a.space, a.hint, a.sm,
             a.width, (unsigned long long)a.mask);
    gpc_warp_result got = GPC_WARP_RESULT_INIT, expected = memory_model_access(&p->model, &a);
    cr_assert_eq(gpc_hierarchy_access(p->hierarchy, &a, &got, NULL), GPC_OK);
    SAME(what, lines, &expected, &got);
    SAME(what, sectors, &expected, &got);
    SAME(what, l1_sector_hits, &expected, &got);
    SAME(what, l2_sectors, &expected, &got);
    SAME(what, l2_sector_hits, &expected, &got);
    SAME(what, dram_sectors, &expected, &got);
    same_stats(p, what);
}

static void flush_both(memory_pair *p) {
    memory_model_flush_l1(&p->model);
    memory_model_flush_l2(&p->model);
    cr_assert_eq(gpc_hierarchy_flush(p->hierarchy, NULL), GPC_OK);
    same_stats(p, "flush");
}

static void begin_both(memory_pair *p) {
    const model_level *l1 = &p->config.l1;
    if (p->flush >= 1)
        memory_model_flush_l1(&p->model);
    if (p->flush >= 2)
        memory_model_flush_l2(&p->model);
    p->model.stats.kernels++;
    p->model.stats.l1_capacity = p->config.has_l1 ? l1->sets * l1->ways * l1->line : 0;
    cr_assert_eq(gpc_hierarchy_begin_kernel(p->hierarchy, NULL, NULL), GPC_OK);
    same_stats(p, "begin_kernel");
}

static void run_system(unsigned system) {
    memory_pair p;
    open_pair(&p, system);
    for (p.step = 0; p.step < ACCESSES; p.step++) {
        if (!below(&p, 100))
            flush_both(&p);
        if (!below(&p, 100))
            begin_both(&p);
        access_both(&p);
    }
    flush_both(&p);
    close_pair(&p);
}

Test(memory_model, every_counter_of_random_systems, .timeout = 600) {
    for (unsigned system = 0; system < effort_of(SYSTEMS); system++)
        run_system(system);
}
