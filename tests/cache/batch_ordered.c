/* SPDX-License-Identifier: BSD-2-Clause */
#include "effort.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <gpucache/ext/parts.h>
#include <gpucache/gpucache.h>
#include <string.h>

/*
 * Long batches of full LRU caches, with rows possibly in order of recency: every instruction set compared with single
 * accesses, in results, counters, ways of lines, and later victims. And batches under a policy that reads only places,
 * without filled-in requests.
 */

#define LONGEST 3000u

static const gpc_simd levels[] = {GPC_SIMD_NONE, GPC_SIMD_SSE2, GPC_SIMD_AVX2, GPC_SIMD_AVX512};
#define LEVELS (sizeof levels / sizeof *levels)

/* Beginnings of streams, in lines: around the ends of a window of 2^27 lines and of a region of 2^31. */
static const uint64_t begins[] = {0, (1u << 26) - 40, (1u << 27) - 40, (1u << 31) - 4000, (UINT64_C(5) << 31) + 7};

typedef struct caches {
    gpc_cache *one, *many; /* single accesses, and batches */
    uint32_t sets, ways;
    uint64_t random, begin;
} caches;

static uint32_t random_below(caches *c, uint32_t bound) {
    c->random = c->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(c->random >> 33) % bound;
}

/* -- a user's policy that reads nothing but places */

/* Ways in turn; after some hundred fills, impossible ways. */
typedef struct turns {
    uint32_t fills, hits, ways;
} turns;

static gpc_status turns_init(void *self, const gpc_policy_env *env, char *message) {
    (void)message;
    ((turns *)self)->ways = env->ways;
    return GPC_OK;
}

static uint32_t turns_victim(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)set, (void)candidates, (void)request;
    const turns *t = self;
    return t->fills < 400 ? t->fills % t->ways : t->ways;
}

static void turns_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)set, (void)way, (void)request;
    ((turns *)self)->fills += ++((turns *)self)->hits % 16 == 0;
}

static void turns_fill(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)set, (void)way, (void)request;
    ((turns *)self)->fills++;
}

static const gpc_replacement_ops turns_ops = {.struct_size = sizeof turns_ops,
                                              .name = "turns",
                                              .instance_bytes = sizeof(turns),
                                              .init = turns_init,
                                              .on_hit = turns_hit,
                                              .choose_victim = turns_victim,
                                              .on_fill = turns_fill,
                                              .reads = GPC_READS_PLACE};

/* -- two caches */

static gpc_cache *make(gpc_simd simd, const caches *c) {
    gpc_context_options context_options = GPC_CONTEXT_OPTIONS_INIT;
    context_options.simd = simd;
    gpc_cache_options options = GPC_CACHE_OPTIONS_INIT;
    options.sets = c->sets;
    options.ways = c->ways;
    gpc_context *context;
    gpc_cache *cache;
    cr_assert_eq(gpc_context_create(&context_options, &context, NULL), GPC_OK);
    cr_assert_eq(gpc_cache_create(context, &options, &cache, NULL), GPC_OK);
    cr_assert_eq(gpc_context_register_replacement(context, &turns_ops, NULL, NULL, NULL), GPC_OK);
    gpc_context_destroy(context);
    return cache;
}

typedef struct batch_memory {
    uint64_t addresses[LONGEST], evicted[LONGEST];
    uint8_t kinds[LONGEST], results[LONGEST];
} batch_memory;

static void same_access(const caches *c, const gpc_batch *b, uint32_t i) {
    gpc_request request = {.address = b->addresses[i], .size = b->size, .kind = b->kinds ? b->kinds[i] : 0};
    gpc_access_result r;
    cr_assert_eq(gpc_cache_access(c->one, &request, &r, NULL), GPC_OK);
    unsigned flags = (r.outcome == GPC_HIT ? GPC_BATCH_HIT : 0) | (r.evicted ? GPC_BATCH_EVICTED : 0) |
                     (r.evicted && r.eviction.dirty_sectors ? GPC_BATCH_WRITE_BACK : 0);
    cr_assert_eq(b->results[i], flags, "%u x %u, %u: %#x, not %#x", c->sets, c->ways, i, b->results[i], flags);
    cr_assert_eq(b->evicted[i], r.evicted ? r.eviction.line_address : UINT64_MAX, "%u x %u, %u", c->sets, c->ways, i);
}

static void same_lines(const caches *c) {
    measured_cache a, b;
    gpc_line x, y;
    measured_clear(&a);
    measured_clear(&b);
    cr_assert(measure_cache(c->one, &a) == GPC_OK && measure_cache(c->many, &b) == GPC_OK);
    cr_assert(!memcmp(&a, &b, sizeof a), "counters of %u x %u", c->sets, c->ways);
    for (uint64_t at = 0, with = 0; gpc_cache_next_line(c->one, &at, &x, NULL) == GPC_OK;) {
        cr_assert_eq(gpc_cache_next_line(c->many, &with, &y, NULL), GPC_OK);
        cr_assert(!memcmp(&x, &y, sizeof x), "%u x %u: set %u, way %u", c->sets, c->ways, x.set, x.way);
    }
}

/* Lines that nearly fit, sometimes do not, and sometimes, if `far`, lines of other windows. */
static uint64_t next_line(caches *c, bool far) {
    uint32_t lines = c->sets * c->ways;
    if (far && !random_below(c, 500))
        return c->begin + ((uint64_t)(1 + random_below(c, 3)) << 26) + random_below(c, lines);
    return c->begin + random_below(c, random_below(c, 3) ? lines : 4 * lines);
}

static void run_batch(caches *c, bool stores, bool far) {
    static batch_memory m;
    gpc_batch b = GPC_BATCH_INIT;
    b.count = 1 + random_below(c, LONGEST);
    b.addresses = m.addresses;
    b.kinds = stores ? m.kinds : NULL;
    b.size = random_below(c, 3) ? 0 : 4;
    b.results = m.results;
    b.evicted = m.evicted;
    for (uint32_t i = 0; i < b.count; i++) {
        m.addresses[i] = next_line(c, far) * 128;
        m.kinds[i] = random_below(c, 10) < 3 ? GPC_STORE : GPC_LOAD;
    }
    cr_assert_eq(gpc_cache_access_many(c->many, &b, NULL, NULL), GPC_OK);
    for (uint32_t i = 0; i < b.count; i++)
        same_access(c, &b, i);
    same_lines(c);
}

static void run(caches *c, gpc_simd simd) {
    c->one = make(GPC_SIMD_NONE, c);
    c->many = make(simd, c);
    for (uint32_t i = 0; i < 8; i++) {
        bool stores = random_below(c, 2), far = i > 3;
        run_batch(c, stores, far);
        if (random_below(c, 4))
            continue;
        uint64_t address = next_line(c, false) * 128; /* a free way */
        cr_assert_eq(gpc_cache_invalidate_line(c->one, address, NULL), GPC_OK);
        cr_assert_eq(gpc_cache_invalidate_line(c->many, address, NULL), GPC_OK);
    }
    gpc_cache_destroy(c->one);
    gpc_cache_destroy(c->many);
}

Test(batch, full_caches) {
    static const uint32_t ways[] = {4, 8, 16, 12}, sets[] = {1, 12, 32};
    for (uint64_t seed = 1; seed <= effort_of(24); seed++)
        for (uint32_t shape = 0; shape < 12; shape++)
            for (uint32_t level = 0; level < LEVELS; level++) {
                caches c = {.sets = sets[shape / 4], .ways = ways[shape % 4], .random = seed + shape};
                c.begin = begins[(seed + shape) % (sizeof begins / sizeof *begins)];
                run(&c, levels[level]);
            }
}

/* Each stops at the same access, with equal state; twice. */
static void run_turns(gpc_simd simd, uint32_t ways, bool stores) {
    static batch_memory m;
    caches c = {.sets = 8, .ways = ways, .random = ways};
    c.one = make(GPC_SIMD_NONE, &c);
    c.many = make(simd, &c);
    cr_assert_eq(gpc_cache_set_replacement(c.one, "turns", NULL), GPC_OK);
    cr_assert_eq(gpc_cache_set_replacement(c.many, "turns", NULL), GPC_OK);
    gpc_batch b = GPC_BATCH_INIT;
    b.addresses = m.addresses, b.kinds = stores ? m.kinds : NULL, b.results = m.results, b.evicted = m.evicted;
    size_t done = 0;
    for (uint32_t round = 0; round < 2; round++) {
        b.count = LONGEST;
        for (uint32_t i = 0; i < LONGEST; i++) {
            m.addresses[i] = next_line(&c, false) * 128;
            m.kinds[i] = random_below(&c, 2) ? GPC_STORE : GPC_LOAD;
        }
        cr_expect_eq(gpc_cache_access_many(c.many, &b, &done, NULL), GPC_ERROR_CALLBACK);
        cr_assert(done < LONGEST && (round || done > 0));
        for (uint32_t i = 0; i < done; i++)
            same_access(&c, &b, i);
        gpc_request request = {.address = m.addresses[done], .kind = stores ? m.kinds[done] : 0};
        cr_expect_eq(gpc_cache_access(c.one, &request, NULL, NULL), GPC_ERROR_CALLBACK);
        same_lines(&c);
    }
    gpc_cache_destroy(c.one);
    gpc_cache_destroy(c.many);
}

Test(batch, policy_that_reads_places) {
    for (uint32_t level = 0; level < LEVELS; level++)
        for (uint32_t shape = 0; shape < 6; shape++)
            run_turns(levels[level], shape % 3 ? 4 * (shape % 3) * (shape % 3) : 12, shape > 2);
}
