/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/naive.h"

#include <criterion/criterion.h>
#include <string.h>

/* SHiP compared with the definition, the worked example, and the cost beside the paper's. */

typedef struct table {
    uint32_t entries, index_bits, initial, highest;
    uint64_t region;  /* 0 = by instruction */
    uint32_t stretch; /* a set in this many trains */
    uint32_t counters[16384];
} table;

/* Fold by XOR, a bit at a time. */
static uint32_t signature_of(const table *t, const gpc_request *request) {
    uint64_t value = t->region ? request->address / t->region : request->pc / 8;
    uint32_t folded = 0;
    for (uint32_t bit = 0; bit < 64; bit++)
        folded ^= (uint32_t)(value >> bit & 1) << (bit % t->index_bits);
    return folded;
}

static bool trains(const naive *n, uint32_t set) {
    const table *t = n->extra;
    return set % t->stretch == 0;
}

static void hit(naive *n, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    table *t = n->extra;
    naive_line *line = naive_at(n, set, way);
    line->value = 0;
    line->reused = true;
    if (trains(n, set) && t->counters[line->signature] < t->highest)
        t->counters[line->signature]++;
}

static uint32_t victim(naive *n, uint32_t set, const bool *candidate, const gpc_request *request) {
    (void)request;
    for (;;) {
        for (uint32_t way = 0; way < n->ways; way++)
            if (candidate[way] && naive_at(n, set, way)->value == 3)
                return way;
        for (uint32_t way = 0; way < n->ways; way++)
            if (naive_at(n, set, way)->value < 3)
                naive_at(n, set, way)->value++;
    }
}

static void evict(naive *n, uint32_t set, uint32_t way) {
    table *t = n->extra;
    const naive_line *line = naive_at(n, set, way);
    if (trains(n, set) && !line->reused && t->counters[line->signature] > 0)
        t->counters[line->signature]--;
}

static void fill(naive *n, uint32_t set, uint32_t way, const gpc_request *request) {
    const table *t = n->extra;
    naive_line *line = naive_at(n, set, way);
    line->signature = signature_of(t, request);
    line->reused = false;
    line->value = t->counters[line->signature] ? 2 : 3;
}

static const naive_ops ops = {.hit = hit, .victim = victim, .evict = evict, .fill = fill};

static void compare(const char *spec, table t, uint32_t sets, uint32_t ways) {
    for (uint32_t i = 0; i < t.entries; i++)
        t.counters[i] = t.initial;
    naive_compare(spec, &ops, sets, ways, &t);
}

Test(ship, is_its_definition) {
    static const uint32_t ways[] = {1, 2, 4, 16, 17, 64, 65, 128, 1000, 1024};
    table by_pc = {.entries = 16384, .index_bits = 14, .initial = 1, .highest = 7, .stretch = 1};
    table by_region = {.entries = 16, .index_bits = 4, .initial = 3, .highest = 3, .region = 512, .stretch = 1};
    table sampled = {.entries = 4, .index_bits = 2, .initial = 0, .highest = 1, .stretch = 4};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        compare("ship", by_pc, 3, ways[i]);
        compare("ship(signature=memory,entries=16,counter=2,initial=200,region=512)", by_region, 5, ways[i]);
        compare("ship(sampled=4,entries=4,counter=1,initial=0)", sampled, 16, ways[i]);
    }
    by_pc.stretch = 1;
    compare("ship(sampled=64)", by_pc, 64, 4);
    compare("ship(sampled=65)", by_pc, 64, 4);
}

static uint32_t load(rig *r, uint64_t pc, uint64_t line) {
    r->also.pc = pc;
    rig_outcome o = rig_access(r, line, 0);
    return o.hit ? 'h' : o.evicted ? (uint32_t)o.victim : '-';
}

/* A and B by p and q; C and D by q; A hit again and again. */
Test(ship, example) {
    rig r;
    rig_open(&r, "ship", 1, 2, 1);
    cr_expect_eq(load(&r, 16, 'A'), '-');
    cr_expect_eq(load(&r, 32, 'B'), '-');
    cr_expect_eq(load(&r, 16, 'A'), 'h');
    cr_expect_eq(load(&r, 32, 'C'), 'B');
    cr_expect_eq(load(&r, 32, 'D'), 'C');
    cr_expect_eq(load(&r, 16, 'A'), 'h');
    for (uint64_t line = 1000; line < 1100; line++) /* a stream by q never evicts A */
        load(&r, 32, line);
    cr_expect_eq(load(&r, 16, 'A'), 'h');
    /* and so does a stream by an unseen instruction: the first line to leave, when A ages to 1, counts it to 0 */
    for (uint64_t line = 2000; line < 2100; line++)
        load(&r, 48, line);
    cr_expect_eq(load(&r, 16, 'A'), 'h');
    rig_close(&r);
}

/*
 * Two ways, B by p in way 0, hit 100 times: p counts 7, not 101. A by q in way 1 is hit after every load of p's stream:
 * X1 evicts B, which was hit, and X2 to X8 evict X1 to X7, which were not, so that p counts 0 and X8 is inserted
 * distant. From then on the stream evicts only its own lines and A, not hit again, stays. 100 evictions later, p counts
 * 0 and not less: one hit makes it 1, and p's next line is inserted with 2. Both lines were hit, so both are aged to 3,
 * and of A with 3 and the new line with 2, A leaves.
 */
Test(ship, counters_saturate) {
    rig r;
    rig_open(&r, "ship", 1, 2, 1);
    for (int i = 0; i <= 100; i++)
        load(&r, 16, 'B');
    load(&r, 32, 'A');
    cr_expect_eq(load(&r, 32, 'A'), 'h');
    cr_expect_eq(load(&r, 16, 1), 'B');
    for (uint64_t x = 2; x <= 8; x++) {
        cr_expect_eq(load(&r, 32, 'A'), 'h');
        cr_expect_eq(load(&r, 16, x), x - 1);
    }
    for (uint64_t x = 9; x <= 60; x++)
        cr_expect_eq(load(&r, 16, x), x - 1);
    for (uint64_t x = 1000; x < 1048; x++)
        load(&r, 16, x);
    cr_expect_eq(load(&r, 32, 'A'), 'h');
    cr_expect_eq(load(&r, 16, 1047), 'h');
    cr_expect_eq(load(&r, 16, 2000), 1047);
    cr_expect_eq(load(&r, 16, 2001), 'A');
    rig_close(&r);
}

/*
 * 1 MB, 16 ways of 64 bytes: 4 KB of values, 16384 x (14 + 1) bits = 30 KB, SHCT 16384 x 3 = 6 KB.
 * Of 64 sampled sets and 2-bit counters 4 + 1.875 + 4 KB, the paper's "10 KB" (table 6).
 */
Test(ship, cost) {
    gpc_context *context;
    uint64_t bits;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    cr_assert_eq(gpc_policy_cost(context, GPC_POLICY_REPLACEMENT, "ship", 1024, 16, 64, 1, &bits, NULL), GPC_OK);
    cr_expect_eq(bits, (4 + 30 + 6) * 8192);
    cr_assert_eq(
        gpc_policy_cost(context, GPC_POLICY_REPLACEMENT, "ship(sampled=64,counter=2)", 1024, 16, 64, 1, &bits, NULL),
        GPC_OK);
    cr_expect_eq(bits, 4 * 8192 + 15360 + 4 * 8192);
    gpc_context_destroy(context);
}

static void refuse(const char *spec, const char *word) {
    gpc_context *context;
    gpc_error error = GPC_ERROR_INIT;
    gpc_cache_options options = GPC_CACHE_OPTIONS_INIT;
    gpc_cache *cache = NULL;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    options.sets = 4;
    options.ways = 4;
    options.replacement = spec;
    cr_expect_lt(gpc_cache_create(context, &options, &cache, &error), 0);
    cr_expect_not_null(strstr(error.message, word), "'%s' does not say '%s'", error.message, word);
    gpc_context_destroy(context);
}

Test(ship, refusals) {
    refuse("ship(entries=100)", "entries");
    refuse("ship(region=1000)", "region");
    refuse("ship(signature=warp)", "signature");
}
