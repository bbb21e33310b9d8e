/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/naive.h"
#include "policies/replacement/reuse.h"

#include "effort.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/*
 * Protecting distance compared with the definition: remaining distances counted down singly, and reuse distances looked
 * up in a log of all accesses of a set.
 */
typedef struct definition {
    uint32_t distance, step, most; /* accesses per decrement; the largest remaining distance */
    bool bypass;
    uint32_t period; /* 0 = the distance is given */
    uint32_t every, longest, width, stretch, eviction;
    uint32_t capacity;                       /* of a counter */
    uint32_t accesses, sampled, counts[300]; /* since the last computation */
    bool full;
    uint32_t phases[1024]; /* phases of every set's step */
    uint32_t lengths[1024];
    uint64_t *logs[1024]; /* line numbers; found ones are struck out */
    uint32_t found;       /* computations that changed the distance */
} definition;

#define LOG 20000u
#define STRUCK UINT64_MAX

static void look_back(definition *d, uint32_t set, uint64_t line) {
    if (!d->logs[set])
        cr_assert_not_null(d->logs[set] = malloc(LOG * sizeof(uint64_t)));
    uint64_t *log = d->logs[set];
    uint32_t now = ++d->lengths[set]; /* accesses are numbered from 1 */
    cr_assert_lt(now, LOG);
    log[now] = line;
    for (uint32_t then = now - 1; then > 0 && now - then <= d->longest; then--)
        if (then % d->every == 0 && log[then] == line) {
            uint32_t *counter = &d->counts[(now - then + d->width - 1) / d->width];
            log[then] = STRUCK;
            if (!d->full)
                d->full = ++*counter == d->capacity;
            break;
        }
    if (now % d->every == 0 && !d->full)
        d->sampled++;
}

/* The largest E(d), as fractions compared by multiplying across. */
static void compute(definition *d) {
    unsigned long long best_hits = 0, best_time = 1;
    uint32_t before = d->distance;
    for (uint32_t i = 1; i * d->width <= d->longest; i++) {
        unsigned long long hits = 0, time = 0;
        for (uint32_t j = 1; j <= i; j++) {
            hits += d->counts[j];
            time += (unsigned long long)d->counts[j] * j * d->width;
        }
        if (d->sampled > hits)
            time += (d->sampled - hits) * (i * d->width + d->eviction);
        if (hits && hits * best_time > best_hits * time) {
            best_hits = hits;
            best_time = time;
            d->distance = i * d->width;
        }
    }
    d->found += d->distance != before;
    memset(d->counts, 0, sizeof d->counts);
    d->sampled = 0;
    d->full = false;
}

static void one_access(naive *n, uint32_t set, const gpc_request *request) {
    definition *d = n->extra;
    if (++d->phases[set] % d->step == 0)
        for (uint32_t way = 0; way < n->ways; way++)
            naive_at(n, set, way)->value -= naive_at(n, set, way)->value > 0;
    if (!d->period)
        return;
    if (set % d->stretch == 0)
        look_back(d, set, request->address / 128);
    if (++d->accesses % d->period == 0)
        compute(d);
}

static void protect(naive *n, uint32_t set, uint32_t way) {
    const definition *d = n->extra;
    uint32_t value = (d->distance + d->step - 1) / d->step;
    naive_at(n, set, way)->value = value < d->most ? value : d->most;
}

static void hit(naive *n, uint32_t set, uint32_t way, const gpc_request *request) {
    one_access(n, set, request);
    protect(n, set, way);
    naive_at(n, set, way)->reused = true;
}

static void fill(naive *n, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    protect(n, set, way);
}

static uint32_t victim(naive *n, uint32_t set, const bool *candidate, const gpc_request *request) {
    (void)request;
    const definition *d = n->extra;
    for (uint32_t way = 0; way < n->ways; way++)
        if (candidate[way] && !naive_at(n, set, way)->value)
            return way;
    for (int reused = 0; reused < 2 && !d->bypass; reused++) {
        uint32_t best = RIG_NO_WAY;
        for (uint32_t way = 0; way < n->ways; way++)
            if (candidate[way] && naive_at(n, set, way)->reused == reused &&
                (best == RIG_NO_WAY || naive_at(n, set, way)->value > naive_at(n, set, best)->value))
                best = way;
        if (best != RIG_NO_WAY)
            return best;
    }
    return RIG_NO_WAY;
}

static const naive_ops ops = {.hit = hit, .miss = one_access, .victim = victim, .fill = fill};

static uint32_t compare(const char *spec, definition d, uint32_t sets, uint32_t ways) {
    naive_compare(spec, &ops, sets, ways, &d);
    for (uint32_t set = 0; set < 1024; set++)
        free(d.logs[set]);
    return d.found;
}

Test(protecting, given_distances) {
    static const uint32_t ways[] = {1, 2, 3, 4, 8, 16, 17, 64, 65, 128, 1000, 1024};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        definition eight = {.distance = 7, .step = 1, .most = 255};
        compare("protecting-distance(distance=7)", eight, 3, ways[i]);
        eight.bypass = true;
        compare("protecting-distance(distance=7,bypass=1)", eight, 1, ways[i]);
        /* two bits to 256: steps of 64, and 100 is two of them; 256 would be 4 and is 3 */
        definition two = {.distance = 100, .step = 64, .most = 3};
        compare("protecting-distance(distance=100,bits=2)", two, 2, ways[i]);
        two.distance = 256;
        compare("protecting-distance(distance=256,bits=2)", two, 1, ways[i]);
    }
}

/* 8 bits hold 255; a line protected for 256 accesses is protected for 255. */
Test(protecting, remaining_distance_saturates) {
    rig r;
    rig_open(&r, "protecting-distance(distance=256,bypass=1)", 1, 1, 1);
    rig_access(&r, 0, 0);
    for (uint64_t i = 1; i <= 254; i++)
        cr_assert(rig_access(&r, i, 0).bypassed, "access %lu", (unsigned long)i);
    cr_expect_not(rig_access(&r, 255, 0).bypassed);
    rig_close(&r);
}

/* Defaults, but for the period: 32 tags, every 8th access, counters of 4 distances. */
Test(protecting, found_distances) {
    static const uint32_t ways[] = {1, 4, 16, 100};
    uint32_t found = 0;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        definition d = {.distance = ways[i],
                        .step = 1,
                        .most = 255,
                        .period = 700,
                        .every = 8,
                        .longest = 256,
                        .width = 4,
                        .eviction = ways[i],
                        .capacity = 65535,
                        .stretch = 4};
        found += compare("protecting-distance(period=700)", d, 16, ways[i]);
        d.stretch = 1;
        found += compare("protecting-distance(period=700)", d, 1, ways[i]);
        d.bypass = true;
        d.stretch = 3; /* a quarter of three sets is one */
        found += compare("protecting-distance(period=700,bypass=1)", d, 3, ways[i]);
        d.stretch = 4;
        d.capacity = 15;
        d.distance = 30;
        found += compare("protecting-distance(period=700,bypass=1,counter=4,initial=30)", d, 128, ways[i]);
        definition small = {.distance = 5,
                            .step = 4,
                            .most = 15,
                            .period = 300,
                            .every = 2,
                            .longest = 64,
                            .width = 8,
                            .eviction = 9,
                            .capacity = 65535,
                            .stretch = 8};
        found += compare("protecting-distance(initial=5,bits=4,period=300,longest=64,step=8,eviction=9,sampled=2)",
                         small, 16, ways[i]);
    }
    cr_expect_gt(found, effort_of(20), "the distance changed %u times", found);
}

static void check(const char *spec, const char *stream, const char *expected) {
    char got[32] = "";
    rig r;
    rig_open(&r, spec, 1, 2, 1);
    for (size_t i = 0; stream[i]; i++) {
        rig_outcome o = rig_access(&r, (unsigned char)stream[i], 0);
        got[i] = o.hit ? 'h' : o.bypassed ? 'b' : o.evicted ? (char)o.victim : '-';
    }
    cr_expect_str_eq(got, expected, "%s: %s, not %s", spec, got, expected);
    rig_close(&r);
}

Test(protecting, example) {
    check("protecting-distance(distance=3)", "ABCADEF", "--BhCDA");
    check("protecting-distance(distance=3,bypass=1)", "ABCAD", "--bhB");
}

static const gpci_reuse_config plain = {
    .sets = 1, .depth = 4, .every = 4, .step = 4, .longest = 16, .tag_bits = 16, .counter_bits = 16};

/* The header's example: E is 0, 0.0625, 0.0536 and 0.0667. Without the two at 16, 8 is best. */
Test(protecting, best_distance) {
    gpc_context *context;
    gpci_reuse reuse = {0};
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    cr_assert_eq(gpci_reuse_init(&reuse, context, &plain), GPC_OK);
    cr_assert_eq(reuse.counters, 4);
    cr_expect_eq(gpci_reuse_best(&reuse, 4, 77), 77, "nothing was used again");
    reuse.counts[1] = 6, reuse.counts[3] = 2, reuse.total = 10;
    cr_expect_eq(gpci_reuse_best(&reuse, 4, 77), 16);
    cr_expect_eq(reuse.counts[1] + reuse.counts[3] + reuse.total, 0, "cleared");
    reuse.counts[1] = 6, reuse.total = 10;
    cr_expect_eq(gpci_reuse_best(&reuse, 4, 77), 8);
    gpci_reuse_finish(&reuse);
    gpc_context_destroy(context);
}

/* Every distance of 1 to 16 is measured exactly, in any phase; 17 is not found any more. */
Test(protecting, distances_are_exact) {
    gpc_context *context;
    gpci_reuse_config config = plain;
    config.step = 1;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    for (uint32_t distance = 1; distance <= 20; distance++) {
        gpci_reuse reuse = {0};
        cr_assert_eq(gpci_reuse_init(&reuse, context, &config), GPC_OK);
        uint64_t fresh = 100;
        for (int round = 0; round < 3; round++)
            gpci_reuse_access(&reuse, 0, fresh++);
        gpci_reuse_access(&reuse, 0, 7); /* the fourth goes in */
        for (uint32_t i = 1; i < distance; i++)
            gpci_reuse_access(&reuse, 0, fresh++);
        gpci_reuse_access(&reuse, 0, 7);
        for (uint32_t i = 1; i <= 16; i++)
            cr_expect_eq(reuse.counts[i - 1], i == distance, "%u, counted as %u", distance, i);
        cr_expect_eq(reuse.total, (4 + distance) / 4);
        gpci_reuse_finish(&reuse);
    }
    gpc_context_destroy(context);
}

/* A counter of two bits is full at 3, and then no counter counts. */
Test(protecting, counters_freeze_when_one_is_full) {
    gpc_context *context;
    gpci_reuse reuse = {0};
    gpci_reuse_config config = plain;
    config.every = config.depth = 1;
    config.counter_bits = 2;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    cr_assert_eq(gpci_reuse_init(&reuse, context, &config), GPC_OK);
    for (int i = 0; i < 10; i++)
        gpci_reuse_access(&reuse, 0, 5);
    cr_expect_eq(reuse.counts[0], 3);
    cr_expect_eq(reuse.total, 3, "the fourth access found the third, and filled the counter");
    gpci_reuse_best(&reuse, 1, 1);
    gpci_reuse_access(&reuse, 0, 5);
    cr_expect_eq(reuse.counts[0], 1);
    gpci_reuse_finish(&reuse);
    gpc_context_destroy(context);
}

/*
 * 2 MB, 16 ways of 64 bytes, 2048 sets: RPDs of 8 bits and a hit bit, 32768 x 9; 32 FIFOs of 32 tags of 16 bits, the
 * paper's 2 KB, with valid bits and 3-bit counters; 64 counters of 16 bits and one of 32; PD to 256 in 9 bits, and a
 * period of 2^19. With bypass and 3 bits no hit bit and 5 bits per set for the step of 32.
 */
Test(protecting, cost) {
    gpc_context *context;
    uint64_t bits, sampler = 32 * (32 * 17 + 3) + 64 * 16 + 32 + 9 + 19;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    cr_assert_eq(gpc_policy_cost(context, GPC_POLICY_REPLACEMENT, "protecting-distance", 2048, 16, 64, 1, &bits, NULL),
                 GPC_OK);
    cr_expect_eq(bits, 32768 * 9 + sampler);
    cr_assert_eq(gpc_policy_cost(context, GPC_POLICY_REPLACEMENT, "protecting-distance(bits=3,bypass=1)", 2048, 16, 64,
                                 1, &bits, NULL),
                 GPC_OK);
    cr_expect_eq(bits, 32768 * 3 + 2048 * 5 + sampler);
    gpc_context_destroy(context);
}

Test(protecting, refuses_more_than_the_longest) {
    gpc_context *context;
    gpc_error error = GPC_ERROR_INIT;
    gpc_cache_options options = GPC_CACHE_OPTIONS_INIT;
    gpc_cache *cache = NULL;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    options.sets = options.ways = 4;
    options.replacement = "protecting-distance(distance=257)";
    cr_expect_eq(gpc_cache_create(context, &options, &cache, &error), GPC_ERROR_ARGUMENT);
    cr_expect_not_null(strstr(error.message, "distance 257"), "%s", error.message);
    gpc_context_destroy(context);
}
