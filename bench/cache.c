/* SPDX-License-Identifier: BSD-2-Clause */
#include "streams.h"

#include <string.h>

/*
 * gpc_cache, functional, LRU and the same LRU as a user's table: million accesses per CPU second
 * on three streams of 20 M line addresses, for an L1 (16 KB, 4-way, 32 sets) and
 * an L2 (768 KB, 16-way, 384 sets), 128-byte lines. Every policy: bench/policy_speed.c.
 */

#define ACCESSES 20000000u

/*
 * A user's policy, through the table of functions: the same LRU as the built-in
 * one, an order of 16 ways in a word, so that the difference is the table's price.
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

static void order_touch(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    uint64_t *order = &((order_lru *)self)->orders[set], older = *order;
    unsigned at = 0;
    while ((older >> at & 15) != way)
        at += 4;
    uint64_t newer = older & (((uint64_t)1 << at) - 1), through = ~(uint64_t)0 >> (60 - at);
    *order = (older & ~through) | newer << 4 | way;
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
                                              .on_fill = order_fill};

static gpc_cache *make(gpc_context *context, bool l2, const char *policy) {
    gpc_cache_options options = GPC_CACHE_OPTIONS_INIT;
    gpc_error error = GPC_ERROR_INIT;
    gpc_cache *cache;
    options.sets = l2 ? 384 : 32;
    options.ways = l2 ? 16 : 4;
    options.replacement = policy;
    need(gpc_cache_create(context, &options, &error, &cache), policy, &error);
    return cache;
}

static double best_batch(gpc_cache *cache, const gpc_batch *batch) {
    double best = 0;
    for (int round = 0; round < 3; round++) {
        double start = cpu_seconds();
        need(gpc_cache_access_many(cache, batch, NULL), "access_many", NULL);
        double rate = (double)batch->count / (cpu_seconds() - start) * 1e-6;
        best = rate > best ? rate : best;
    }
    return best;
}

static double best_calls(gpc_cache *cache, const uint64_t *addresses) {
    double best = 0;
    for (int round = 0; round < 3; round++) {
        gpc_request request = {0};
        gpc_access_result result;
        double start = cpu_seconds();
        for (uint32_t i = 0; i < ACCESSES; i++) {
            request.address = addresses[i];
            need(gpc_cache_access(cache, &request, &result), "access", NULL);
        }
        double rate = ACCESSES / (cpu_seconds() - start) * 1e-6;
        best = rate > best ? rate : best;
    }
    return best;
}

int main(void) {
    uint64_t *addresses = malloc(ACCESSES * sizeof *addresses);
    uint64_t *evicted = malloc(ACCESSES * sizeof *evicted);
    uint8_t *results = malloc(ACCESSES);
    gpc_context *context;
    gpc_error error = GPC_ERROR_INIT;
    need(gpc_context_create(NULL, &error, &context), "context", &error);
    need(gpc_context_register_replacement(context, &order_ops, NULL, NULL, &error), "register", &error);
    if (!addresses || !evicted || !results)
        return 1;
    memset(evicted, 0, ACCESSES * sizeof *evicted);
    memset(results, 0, ACCESSES);
    for (int s = 0; s < STREAMS; s++) {
        streams[s].fill(addresses, ACCESSES);
        for (int l2 = 0; l2 < 2; l2++) {
            gpc_batch batch = GPC_BATCH_INIT;
            batch.count = ACCESSES;
            batch.addresses = addresses;
            batch.results = results;
            batch.evicted = evicted;
            char name[96];
            gpc_cache *cache = make(context, l2, "lru");
            snprintf(name, sizeof name, "cache.%s.%s.lru.batch", l2 ? "768k16" : "16k4", streams[s].name);
            figure(name, best_batch(cache, &batch), "Maccess/s");
            snprintf(name, sizeof name, "cache.%s.%s.lru.call", l2 ? "768k16" : "16k4", streams[s].name);
            figure(name, best_calls(cache, addresses), "Maccess/s");
            gpc_cache_destroy(cache);
            cache = make(context, l2, "order-lru");
            snprintf(name, sizeof name, "cache.%s.%s.user-vtable.batch", l2 ? "768k16" : "16k4", streams[s].name);
            figure(name, best_batch(cache, &batch), "Maccess/s");
            gpc_cache_destroy(cache);
        }
    }
    gpc_context_destroy(context);
    free(addresses);
    free(evicted);
    free(results);
    return 0;
}
