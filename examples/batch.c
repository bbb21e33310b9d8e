/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A whole address stream in one call: three policies on a loop over 160 lines
 * with a cache of 128. `opt` also needs the stream's future, from gpc_next_uses.
 */
#include <gpucache/ext/parts.h>
#include <gpucache/gpucache.h>

#include <inttypes.h>
#include <stdio.h>

enum { LINES = 160, ROUNDS = 100, COUNT = LINES * ROUNDS, LINE = 128 };
static uint64_t addresses[COUNT], next_uses[COUNT];
static uint8_t results[COUNT];

static gpc_status run(gpc_context *context, const char *policy, gpc_error *error) {
    gpc_cache *cache = NULL;
    gpc_cache_options options = GPC_CACHE_OPTIONS_INIT; /* 32 sets, 4 ways, 128-byte lines */
    options.replacement = policy;
    gpc_status status = gpc_cache_create(context, &options, &cache, error);
    gpc_batch batch = GPC_BATCH_INIT;
    batch.count = COUNT;
    batch.addresses = addresses;
    batch.next_uses = next_uses;
    batch.results = results;
    if (status == GPC_OK)
        status = gpc_cache_access_many(cache, &batch, NULL, NULL);
    uint64_t hits = 0;
    for (size_t i = 0; status == GPC_OK && i < COUNT; i++)
        hits += results[i] & GPC_BATCH_HIT;
    if (status == GPC_OK)
        printf("%-8s %" PRIu64 " of %d hit\n", policy, hits, COUNT);
    gpc_cache_destroy(cache);
    return status;
}

int main(void) {
    for (size_t i = 0; i < COUNT; i++)
        addresses[i] = i % LINES * LINE;
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context = NULL;
    gpc_status status = gpc_context_create(NULL, &context, &error);
    if (status == GPC_OK)
        status = gpc_next_uses(context, addresses, COUNT, LINE, next_uses, NULL);
    static const char *const policies[] = {"lru", "random", "opt"};
    for (size_t i = 0; status == GPC_OK && i < sizeof policies / sizeof *policies; i++)
        status = run(context, policies[i], &error);
    if (status != GPC_OK)
        fprintf(stderr, "%s: %s\n", gpc_status_string(status), error.message);
    gpc_context_destroy(context);
    return status != GPC_OK;
}
