/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/ext/policies.h>
#include <gpucache/gpucache.h>

#include "bare.h"
#include "streams.h"

#include <string.h>

/*
 * gpc_cache, functional, LRU, and the same LRU as a user's table: million accesses per CPU second on three streams of
 * 20 M line addresses, all loads and 30 % stores, for an L1 (16 KB, 4-way, 32 sets) and an L2 (768 KB, 16-way, 384
 * sets), 128-byte lines, results and evictions delivered. Printed beside: bare kernels of the limit (bare.h), with
 * equal results; and the calls of a user's table alone, hit or miss as in the run, without a cache. A batch takes at
 * least the time of the calls; the built-in policy's time is close to the rest. All take pieces of a stream in turn,
 * each the first equally often, so that other load slows all alike. Rates and shares are medians over the pieces. Every
 * policy: bench/policy_speed.c.
 *
 * bench-cache [none|sse2|avx2|avx512]: limits the instruction set.
 */
#define ACCESSES 20000000u
#define PIECE 200000u
#define PIECES (ACCESSES / PIECE)
#define ROUNDS 3

/*
 * A user's policy, through the table of functions: the LRU of the built-in policy, with an order of 16 ways in a word.
 * The difference is the cost of the table.
 */
typedef struct order_lru {
    uint64_t *orders;
    uint32_t last; /* shift of the least recent way */
} order_lru;

static gpc_status order_init(void *self, const gpc_policy_env *env, char *message) {
    (void)message;
    order_lru *lru = self;
    *lru = (order_lru){env->set_state, 4 * (env->ways - 1)};
    for (uint32_t set = 0; set < env->sets; set++)
        lru->orders[set] = 0xfedcba9876543210u;
    return GPC_OK;
}

/* The lowest nibble of the order equal to `way` is exact; borrows change only higher nibbles. */
static void order_touch(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    const uint64_t ones = 0x1111111111111111u;
    uint64_t *at = &((order_lru *)self)->orders[set], order = *at, differ = order ^ ones * way;
    uint64_t found = (differ - ones) & ~differ & ones << 3;
    uint64_t through = found ^ (found - 1);
    *at = (order & ~through) | (order << 4 & through) | way;
}

static uint32_t order_victim(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)request, (void)candidates;
    const order_lru *lru = self;
    return (uint32_t)(lru->orders[set] >> lru->last) & 15u;
}

/* The least recent way becomes the most recent. */
static void order_fill(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    order_lru *lru = self;
    uint64_t order = lru->orders[set], through = ~(uint64_t)0 >> (60 - lru->last);
    if ((order >> lru->last & 15) == way)
        lru->orders[set] = (order & ~through) | (order << 4 & through) | way;
    else
        order_touch(self, set, way, request);
}

static const gpc_replacement_ops order_ops = {.struct_size = sizeof order_ops,
                                              .name = "order-lru",
                                              .instance_bytes = sizeof(order_lru),
                                              .set_bytes = sizeof(uint64_t),
                                              .init = order_init,
                                              .on_hit = order_touch,
                                              .choose_victim = order_victim,
                                              .on_fill = order_fill,
                                              .reads = GPC_READS_PLACE};

/* Prevent the compiler from inlining the calls. */
static const gpc_replacement_ops *volatile called = &order_ops;

static gpc_cache *make(gpc_context *context, bool l2, const char *policy) {
    gpc_cache_options options = GPC_CACHE_OPTIONS_INIT;
    gpc_error error = GPC_ERROR_INIT;
    gpc_cache *cache;
    options.sets = l2 ? 384 : 32;
    options.ways = l2 ? 16 : 4;
    options.replacement = policy;
    need(gpc_cache_create(context, &options, &cache, &error), policy, &error);
    return cache;
}

enum { OURS, TABLE, BARE, CALLS, SUBJECTS };

typedef struct output {
    uint8_t *results;
    uint64_t *evicted;
} output;

typedef struct bench {
    gpc_context *context;
    uint64_t *addresses;
    uint8_t *stores;
    output outputs[CALLS]; /* [PIECE] */
    uint32_t sets[PIECE];
    uint64_t orders[384];
    double times[SUBJECTS][ROUNDS * PIECES];
    double shares[SUBJECTS][ROUNDS * PIECES]; /* per cent */
} bench;

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values) {
    qsort(values, ROUNDS * PIECES, sizeof *values, ascending);
    return values[ROUNDS * PIECES / 2];
}

static double batch_seconds(gpc_cache *cache, const uint64_t *addresses, const uint8_t *kinds, const output *out) {
    gpc_batch batch = GPC_BATCH_INIT;
    batch.count = PIECE;
    batch.addresses = addresses;
    batch.kinds = kinds;
    batch.results = out->results;
    batch.evicted = out->evicted;
    double start = cpu_seconds();
    need(gpc_cache_access_many(cache, &batch, NULL, NULL), "access_many", NULL);
    return cpu_seconds() - start;
}

static double bare_seconds(bare_cache *cache, const uint64_t *addresses, const uint8_t *kinds, const output *out) {
    double start = cpu_seconds();
    bare_access_many(cache, addresses, kinds, PIECE, out->results, out->evicted);
    return cpu_seconds() - start;
}

static double call_seconds(order_lru *lru, const uint32_t *sets, const output *out) {
    const gpc_replacement_ops *ops = called;
    const gpc_request request = {0};
    double start = cpu_seconds();
    for (uint32_t i = 0; i < PIECE; i++) {
        if (out->results[i] & GPC_BATCH_HIT) /* any way: only the cache knows the line's */
            ops->on_hit(lru, sets[i], sets[i] & 3, &request);
        else
            ops->on_fill(lru, sets[i], ops->choose_victim(lru, sets[i], NULL, &request), &request);
    }
    return cpu_seconds() - start;
}

static void same_outputs(const output *a, const output *b) {
    if (memcmp(a->results, b->results, PIECE) || memcmp(a->evicted, b->evicted, PIECE * sizeof *a->evicted)) {
        fprintf(stderr, "results differ\n");
        exit(1);
    }
}

/* Map `addresses` to the sets of a cache with `sets` sets. */
static const uint32_t *sets_of(bench *b, const uint64_t *addresses, uint32_t sets) {
    for (uint32_t i = 0; i < PIECE; i++)
        b->sets[i] = (uint32_t)(addresses[i] >> 7) % sets;
    return b->sets;
}

static void run_pieces(bench *b, gpc_cache *ours, gpc_cache *table, bare_cache *bare, bool stores) {
    order_lru calls = {b->orders, 4 * (bare->ways - 1)};
    for (uint32_t set = 0; set < bare->sets; set++)
        b->orders[set] = 0xfedcba9876543210u;
    for (uint32_t i = 0; i < ROUNDS * PIECES; i++) {
        const uint64_t *addresses = b->addresses + (size_t)(i % PIECES) * PIECE;
        const uint8_t *kinds = stores ? b->stores + (size_t)(i % PIECES) * PIECE : NULL;
        for (uint32_t turn = 0; turn < CALLS; turn++) {
            uint32_t who = (turn + i) % CALLS;
            b->times[who][i] = who == BARE
                                   ? bare_seconds(bare, addresses, kinds, &b->outputs[BARE])
                                   : batch_seconds(who == OURS ? ours : table, addresses, kinds, &b->outputs[who]);
        }
        const uint32_t *sets = sets_of(b, addresses, bare->sets);
        b->times[CALLS][i] = call_seconds(&calls, sets, &b->outputs[OURS]);
        b->shares[CALLS][i] = 100 * (b->times[OURS][i] + b->times[CALLS][i]) / b->times[TABLE][i];
        b->shares[OURS][i] = 100 * b->times[BARE][i] / b->times[OURS][i];
        b->shares[TABLE][i] = 100 * b->times[OURS][i] / b->times[TABLE][i];
        same_outputs(&b->outputs[OURS], &b->outputs[TABLE]);
        same_outputs(&b->outputs[OURS], &b->outputs[BARE]);
    }
}

static double best_calls(gpc_cache *cache, const uint64_t *addresses) {
    double best = 0;
    for (int round = 0; round < ROUNDS; round++) {
        gpc_request request = {0};
        gpc_access_result result;
        double start = cpu_seconds();
        for (uint32_t i = 0; i < ACCESSES; i++) {
            request.address = addresses[i];
            need(gpc_cache_access(cache, &request, &result, NULL), "access", NULL);
        }
        double rate = ACCESSES / (cpu_seconds() - start) * 1e-6;
        best = rate > best ? rate : best;
    }
    return best;
}

static void tell(const char *cell, const char *what, double value, const char *unit) {
    char name[96];
    snprintf(name, sizeof name, "cache.%s.%s", cell, what);
    figure(name, value, unit);
}

static void measure(bench *b, const char *stream, bool l2, bool stores) {
    char cell[48];
    gpc_cache *ours = make(b->context, l2, "lru"), *table = make(b->context, l2, "order-lru");
    bare_cache bare;
    if (!bare_create(&bare, l2 ? 384 : 32, l2 ? 16 : 4))
        exit(1);
    snprintf(cell, sizeof cell, "%s.%s%s", l2 ? "768k16" : "16k4", stream, stores ? ".stores" : "");
    run_pieces(b, ours, table, &bare, stores);
    tell(cell, "lru.batch", PIECE / median(b->times[OURS]) * 1e-6, "Maccess/s");
    tell(cell, "bare", PIECE / median(b->times[BARE]) * 1e-6, "Maccess/s");
    tell(cell, "lru.of-bare", median(b->shares[OURS]), "%");
    tell(cell, "user-vtable.batch", PIECE / median(b->times[TABLE]) * 1e-6, "Maccess/s");
    tell(cell, "user-vtable.of-lru", median(b->shares[TABLE]), "%");
    tell(cell, "user-vtable.calls", PIECE / median(b->times[CALLS]) * 1e-6, "Maccess/s");
    tell(cell, "user-vtable.calls-and-lru", median(b->shares[CALLS]), "%");
    if (!stores)
        tell(cell, "lru.call", best_calls(ours, b->addresses), "Maccess/s");
    bare_destroy(&bare);
    gpc_cache_destroy(table);
    gpc_cache_destroy(ours);
}

static void *array(size_t count, size_t element) {
    void *memory = calloc(count, element);
    if (!memory)
        exit(1);
    memset(memory, 1, count * element);
    return memory;
}

static void set_simd(gpc_context_options *options, const char *wanted) {
    static const char *const names[] = {"none", "sse2", "avx2", "avx512"};
    static const uint32_t levels[] = {GPC_SIMD_NONE, GPC_SIMD_SSE2, GPC_SIMD_AVX2, GPC_SIMD_AVX512};
    for (unsigned i = 0; wanted && i < sizeof levels / sizeof *levels; i++)
        if (!strcmp(wanted, names[i]))
            options->simd = levels[i];
    bare_limit(wanted);
}

int main(int argc, char **argv) {
    static bench b;
    uint64_t random = 3;
    gpc_error error = GPC_ERROR_INIT;
    gpc_context_options options = GPC_CONTEXT_OPTIONS_INIT;
    set_simd(&options, argc > 1 ? argv[1] : NULL);
    need(gpc_context_create(&options, &b.context, &error), "context", &error);
    need(gpc_context_register_replacement(b.context, &order_ops, NULL, NULL, &error), "register", &error);
    b.addresses = array(ACCESSES, sizeof *b.addresses);
    b.stores = array(ACCESSES, sizeof *b.stores);
    for (uint32_t i = 0; i < ACCESSES; i++)
        b.stores[i] = next_random(&random) % 10 < 3 ? GPC_STORE : GPC_LOAD;
    for (uint32_t i = 0; i < CALLS; i++)
        b.outputs[i] = (output){array(PIECE, sizeof(uint8_t)), array(PIECE, sizeof(uint64_t))};
    fprintf(stderr, "bare kernels with %s\n", bare_simd());
    for (int s = 0; s < STREAMS; s++) {
        streams[s].fill(b.addresses, ACCESSES);
        for (int cell = 0; cell < 4; cell++)
            measure(&b, streams[s].name, cell & 1, cell >> 1);
    }
    for (uint32_t i = 0; i < CALLS; i++) {
        free(b.outputs[i].results);
        free(b.outputs[i].evicted);
    }
    gpc_context_destroy(b.context);
    free(b.addresses);
    free(b.stores);
    return 0;
}
