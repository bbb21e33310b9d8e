/* SPDX-License-Identifier: BSD-2-Clause */
#include "contract/contract.h"

#include "base/base.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(rows) (sizeof rows / sizeof *rows)

static const replacement_row own_replacement_rows[] = {
    {.spec = "lru"},
    {.spec = "fifo"},
    {.spec = "random", .seeded = true},
    {.spec = "mru"},
    {.spec = "nru"},
    {.spec = "nru(random=1)", .seeded = true},
    {.spec = "plru"},
    {.spec = "plru(insertion=lru)"},
    {.spec = "plru(insertion=bimodal,epsilon=0.1)", .couples = true},
    {.spec = "gippr"},
    {.spec = "gippr(0, 0, 2, 1, 2)"},
    {.spec = "dgippr", .couples = true},
    {.spec = "dgippr(0, 0, 0, 1, 0, leaders=1, selector=1, 0)", .couples = true},
    {.spec = "lip"},
    {.spec = "bip", .couples = true},
    {.spec = "bip(random=1)", .seeded = true},
    {.spec = "bip(bypass=1)", .bypasses = true, .couples = true},
    {.spec = "dip", .couples = true},
    {.spec = "dip(bypass=1,leaders=1,selector=1)", .bypasses = true, .couples = true},
    {.spec = "srrip"},
    {.spec = "srrip(bits=3,promotion=frequency)"},
    {.spec = "brrip", .couples = true},
    {.spec = "brrip(random=1)", .seeded = true},
    {.spec = "drrip", .couples = true},
    {.spec = "drrip(bits=8,leaders=1,selector=1)", .couples = true},
    {.spec = "ship", .couples = true},
    {.spec = "ship(signature=memory,region=256,entries=16,counter=2)", .couples = true},
    {.spec = "ship(signature=memory,region=256,sampled=1,initial=0)", .couples = true},
    {.spec = "protecting-distance", .couples = true},
    {.spec = "protecting-distance(bypass=1,period=500,bits=3,longest=64)", .bypasses = true, .couples = true},
    {.spec = "protecting-distance(distance=40)"},
    {.spec = "protecting-distance(distance=40,bypass=1,bits=2)", .bypasses = true},
    {.spec = "opt", .needs_future = true},
    {.spec = "opt(bypass=1)", .bypasses = true, .needs_future = true},
    {.spec = "opt-bypass", .bypasses = true, .needs_future = true},
    {.spec = "age-lru"},
    {.spec = "age-lru(bypass=1)", .bypasses = true},
    {.spec = "rpr", .couples = true},
    {.spec = "rpr(score=age,signature=12,sample=1,unpredicted=1)", .couples = true},
    {.spec = "rpr-age", .couples = true},
    {.spec = "rpr-distance(sample=1)", .couples = true},
    {.spec = "rpr-count(sample=64)", .couples = true},
    {.spec = "combined", .bypasses = true, .couples = true},
    {.spec = "combined(low=15)", .bypasses = true, .couples = true},
    {.spec = "counter-based", .couples = true},
    {.spec = "counter-based(variant=lvp)", .couples = true},
    {.spec = "counter-based(bypass=1,rows=1,columns=1,bits=1)", .bypasses = true, .couples = true},
    {.spec = "sdbp", .couples = true},
    {.spec = "sdbp(bypass=1,share=1)", .bypasses = true, .couples = true},
    {.spec = "sdbp(tables=1,entries=1,bits=1,threshold=1,sampler-ways=1,tag-bits=1,pc-bits=1)", .couples = true},
    {.spec = "lrfu"},
    {.spec = "lrfu(lambda=0)"},
    {.spec = "lrfu(lambda=0.3,correlated=5,age=3)"},
    {.spec = "trace-based", .couples = true},
    {.spec = "trace-based(history=bursts,block=1,signature=5,counter=1,threshold=1)", .couples = true},
    {.spec = "time-based", .couples = true},
    {.spec = "time-based(signature=pc,entries=16,tick=1,bits=2,scale=1)", .couples = true},
    {.spec = "reuse-distance", .couples = true},
    {.spec = "reuse-distance(entries=1,every=1,samples=5,quantum=3,bits=3,sure=1)", .couples = true},
    {.spec = "nucache", .couples = true},
    {.spec = "nucache(entries=1,share=1,depth=16,period=20)", .couples = true},
    {.spec = "vote"},
    {.spec = "vote(bip, nru, lru)", .couples = true},
    {.spec = "vote(random, age-lru(bypass=1), testers=2, measure=hits)", .seeded = true},
    {.spec = "vote(age-lru(bypass=1))", .bypasses = true},
    {.spec = "dynamic-age-lru"},
    {.spec = "dynamic-age-lru(bypass=1)"},
    {.spec = "dynamic-rpr"},
};

static const char *const own_predictor_rows[] = {
    "always-cache",
    "always-bypass",
    "hint",
    "agcb",
    "agcb(entries=1)",
    "agcb(entries=4096,bits=8,hash=xor)",
    "agcb(bits=1,threshold=1,hash=multiply)",
    "agcb(update=report,initial=0)",
    "agcb-early",
    "agcb-early(initial=7)",
    "agcb-below",
    "agcb-below(on-miss=1,per-sector=1)",
    "random-p",
    "random-p(p=0)",
    "random-p(p=1)",
    "warp-token",
    "access-count",
    "access-count(threshold=0)",
    "vote",
    "vote(access-count, random-p, always-bypass, measure=hits)",
    "counter-based",
    "counter-based(rows=1,columns=4096,bits=1,retry=3)",
    "sdbp",
    "profile-address(file=tests/contract/small.profile)",
    "hybrid(file=tests/contract/small.profile)",
    "hybrid(file=tests/contract/small.profile,threshold=0.05,limit=0)",
    "hybrid(file=tests/contract/small.profile,use=segments)",
    "compiler(file=tests/contract/small.profile)",
    "profile-address(file=tests/contract/small.profile,use=segments)",
    "profile-address(file=tests/contract/small.profile,reuse=address)",
    "compiler(file=tests/contract/small.profile,use=segments)",
    "sdbp(tables=8,entries=64,share=1,sampler-ways=20)",
    "mrpb",
    "mrpb(line=0,mshr=1,queue=1)",
    "rpr",
    "rpr(sample=1,signature=12,low=15)",
};

static const scheduler_row own_scheduler_rows[] = {
    {.spec = "gto"},
    {.spec = "lrr"},
    {.spec = "oldest"},
    {.spec = "two-level", .waits = true},
    {.spec = "two-level(group=1)", .waits = true},
    {.spec = "two-level(group=5)", .waits = true},
    {.spec = "active-pool", .waits = true},
    {.spec = "active-pool(active=2)", .waits = true},
    {.spec = "owl"},
    {.spec = "owl(order=locality, blocks=1)"},
    {.spec = "owl(order=round)", .waits = true},
    {.spec = "owl + warps(limit=3)"},
    {.spec = "active-pool(active=1) + warps(limit=2)", .waits = true},
    {.spec = "gto + warps(limit=3)"},
    {.spec = "lrr + blocks(limit=2)"},
    {.spec = "gto + ccws"},
    {.spec = "gto + dyncta"},
    {.spec = "lrr + pcal"},
    {.spec = "gto + pcal(warps=5, ebt=3)"},
    {.spec = "oldest + pcal(warps=6, ebt=-4, level=both)"},
    {.spec = "two-level + pcal(ebt=-9, level=separate, tokens-l2=3, sets=exclusive)", .waits = true},
    {.spec = "gto + pcal(warps=2, ebt=auto)"},
    {.spec = "lrr + pcal(ebt=auto, strategy=both) + warps(limit=9)"},
};

bool is_named(const char *spec, const char *name) {
    size_t length = strcspn(spec, "( ");
    return strlen(name) == length && !memcmp(spec, name, length);
}

void each_without_row(gpc_policy_kind kind, bool (*has_row)(const char *name), void (*add)(const char *name)) {
    gpc_context *context = open_context(1);
    for (size_t i = 0; i < gpc_policy_count(context, kind); i++) {
        gpc_policy_info info = GPC_POLICY_INFO_INIT;
        cr_assert_eq(gpc_policy_at(context, kind, i, &info, NULL), GPC_OK);
        if (!has_row(info.name))
            add(info.name); /* name in a built-in table: outlives the context */
    }
    gpc_context_destroy(context);
}

enum { ROWS = 256 };

static struct {
    replacement_row replacement[ROWS];
    const char *predictor[ROWS];
    scheduler_row scheduler[ROWS];
    char specs[ROWS][80]; /* of throttles */
    size_t replacements, predictors, schedulers;
} all;

static bool has_replacement_row(const char *name) {
    bool found = false;
    for (size_t row = 0; row < COUNT(own_replacement_rows); row++)
        found |= is_named(own_replacement_rows[row].spec, name);
    return found;
}

static void add_replacement(const char *name) {
    cr_assert_lt(all.replacements, ROWS - 1);
    all.replacement[all.replacements++].spec = name;
}

const replacement_row *replacement_rows(void) {
    if (!all.replacements) {
        memcpy(all.replacement, own_replacement_rows, sizeof own_replacement_rows);
        all.replacements = COUNT(own_replacement_rows);
        each_without_row(GPC_POLICY_REPLACEMENT, has_replacement_row, add_replacement);
    }
    return all.replacement;
}

static bool has_predictor_row(const char *name) {
    bool found = false;
    for (size_t row = 0; row < COUNT(own_predictor_rows); row++)
        found |= is_named(own_predictor_rows[row], name);
    return found;
}

static void add_predictor(const char *name) {
    cr_assert_lt(all.predictors, ROWS - 1);
    all.predictor[all.predictors++] = name;
}

const char *const *predictor_rows(void) {
    if (!all.predictors) {
        memcpy(all.predictor, own_predictor_rows, sizeof own_predictor_rows);
        all.predictors = COUNT(own_predictor_rows);
        each_without_row(GPC_POLICY_PREDICTOR, has_predictor_row, add_predictor);
    }
    return all.predictor;
}

static bool has_scheduler_row(const char *name) {
    bool found = false;
    for (size_t row = 0; row < COUNT(own_scheduler_rows); row++)
        found |= is_named(own_scheduler_rows[row].spec, name);
    return found;
}

static bool has_throttle_row(const char *name) {
    bool found = false;
    for (size_t row = 0; row < COUNT(own_scheduler_rows); row++)
        for (const char *at = strchr(own_scheduler_rows[row].spec, '+'); at; at = strchr(at + 1, '+'))
            found |= is_named(at + 2, name);
    return found;
}

static void add_scheduler(const char *name) {
    cr_assert_lt(all.schedulers, ROWS - 1);
    all.scheduler[all.schedulers++].spec = name;
}

static void add_throttle(const char *name) {
    snprintf(all.specs[all.schedulers], sizeof *all.specs, "gto + %s", name);
    add_scheduler(all.specs[all.schedulers]);
}

const scheduler_row *scheduler_rows(void) {
    if (!all.schedulers) {
        memcpy(all.scheduler, own_scheduler_rows, sizeof own_scheduler_rows);
        all.schedulers = COUNT(own_scheduler_rows);
        each_without_row(GPC_POLICY_SCHEDULER, has_scheduler_row, add_scheduler);
        each_without_row(GPC_POLICY_THROTTLE, has_throttle_row, add_throttle);
    }
    return all.scheduler;
}

static uint64_t phase_line(uint64_t *random, uint64_t capacity, size_t i, size_t count) {
    uint64_t phase = i * 7 / count;
    uint64_t span = 1 + capacity * (phase % 3 + 1) / 2;
    return phase * capacity + gpci_random(random) % span;
}

static uint64_t stream_line(stream_kind kind, uint64_t *random, uint64_t capacity, size_t i, size_t count) {
    uint64_t value = gpci_random(random), span = 4 * capacity;
    switch (kind) {
    case STREAM_UNIFORM:
        return value % (2 * capacity);
    case STREAM_SKEWED: /* the least of three draws */
        for (int draw = 0; draw < 2; draw++) {
            uint64_t other = gpci_random(random);
            value = other % span < value % span ? other : value;
        }
        return value % span;
    case STREAM_LOOP:
        return i % (capacity + capacity / 4 + 1);
    case STREAM_SCANS:
        return value % 3 ? gpci_random(random) % (capacity / 2 + 1) : 8 * capacity + i;
    default:
        return phase_line(random, capacity, i, count);
    }
}

uint64_t *stream_make(stream_kind kind, uint64_t seed, uint64_t capacity, size_t count) {
    uint64_t *lines = malloc(count * sizeof *lines);
    cr_assert_not_null(lines);
    uint64_t random = seed;
    for (size_t i = 0; i < count; i++)
        lines[i] = stream_line(kind, &random, capacity, i, count);
    return lines;
}

gpc_context *open_context(uint64_t seed) {
    gpc_context_options options = GPC_CONTEXT_OPTIONS_INIT;
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context;
    options.seed = seed;
    cr_assert_eq(gpc_context_create(&options, &context, &error), GPC_OK, "%s", error.message);
    return context;
}

gpc_cache *open_cache(gpc_context *context, const char *spec, uint32_t sets, uint32_t ways) {
    gpc_cache_options options = GPC_CACHE_OPTIONS_INIT;
    gpc_error error = GPC_ERROR_INIT;
    gpc_cache *cache;
    options.sets = sets;
    options.ways = ways;
    options.replacement = spec;
    cr_assert_eq(gpc_cache_create(context, &options, &cache, &error), GPC_OK, "%s, %u x %u: %s", spec, sets, ways,
                 error.message);
    return cache;
}

size_t count_hits(gpc_context *context, const char *spec, uint32_t sets, uint32_t ways, const uint64_t *lines,
                  size_t count) {
    uint64_t *addresses = malloc(count * sizeof *addresses), *next = malloc(count * sizeof *next);
    uint8_t *results = malloc(count);
    cr_assert(addresses && next && results);
    for (size_t i = 0; i < count; i++)
        addresses[i] = lines[i] * 128;
    cr_assert_eq(gpc_next_uses(context, addresses, count, 128, next, NULL), GPC_OK);
    gpc_cache *cache = open_cache(context, spec, sets, ways);
    gpc_batch batch = GPC_BATCH_INIT;
    batch.count = count;
    batch.addresses = addresses;
    batch.next_uses = next;
    batch.results = results;
    size_t done, hits = 0;
    cr_assert_eq(gpc_cache_access_many(cache, &batch, &done, NULL), GPC_OK);
    cr_assert_eq(done, count);
    for (size_t i = 0; i < count; i++)
        hits += results[i] & GPC_BATCH_HIT;
    gpc_cache_destroy(cache);
    free(addresses);
    free(next);
    free(results);
    return hits;
}
