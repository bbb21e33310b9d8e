/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/ext/coherence.h>
#include <gpucache/ext/policies.h>
#include <gpucache/gpucache.h>

#include "bench.h"

#include <string.h>

/*
 * gpc_coherence: million accesses per CPU second, for each registered protocol, on a tree like Kepler's (seeds/002
 * section 3.1.1): 14 first-level modules of 16 KB, 4-way, over 6 interleaved banks of 256 KB, 16-way, each over a
 * memory; blocks of 128 bytes. `bare` has no data and cycles, `full` has both.
 *
 *   load-hits    each module its own 8 KB
 *   store-hits   each module its own 8 KB, non-coherent stores
 *   l2-hits      each module its own 32 KB: twice the first level's
 *   misses       each module its own 64 MB, sequentially
 *   read-shared  the same 8 KB for all
 *   atomics      the same 8 KB for all, every 16th access a coherent store
 *   n-sharing    the same 8 KB for all, every 4th access a non-coherent store, of 4 bytes
 */

#define FIRST 14u
#define BANKS 6u
#define MODULES (FIRST + 2 * BANKS)
#define NETWORKS (1 + BANKS)
#define BLOCK 128u
#define ACCESSES 1000000u
#define ROUNDS 3

typedef struct stream {
    const char *name;
    uint32_t kilobytes; /* memory used by a module */
    bool shared;
    uint32_t every, kind; /* every n-th access is a store of this kind, all others are loads; 0: none */
} stream;

static const stream streams[] = {{"load-hits", 8, false, 0, 0},
                                 {"store-hits", 8, false, 1, GPC_COHERENCE_N_STORE},
                                 {"l2-hits", 32, false, 0, 0},
                                 {"misses", 65536, false, 0, 0},
                                 {"read-shared", 8, true, 0, 0},
                                 {"atomics", 8, true, 16, GPC_COHERENCE_STORE},
                                 {"n-sharing", 8, true, 4, GPC_COHERENCE_N_STORE}};

static gpc_coherence_module bank_of(const char *name, uint32_t bank) {
    gpc_coherence_module m = GPC_COHERENCE_MODULE_INIT;
    m.name = name;
    m.block_bytes = BLOCK;
    m.served = GPC_SERVES_INTERLEAVED;
    m.divisor = 256;
    m.modulus = BANKS;
    m.residue = bank;
    return m;
}

static gpc_coherence *make(gpc_context *context, const char *protocol, bool full) {
    static char names[MODULES][8], network_names[NETWORKS][8];
    static uint32_t banks[BANKS], memories[BANKS];
    gpc_coherence_module modules[MODULES];
    gpc_coherence_network networks[NETWORKS];
    gpc_coherence_options options = GPC_COHERENCE_OPTIONS_INIT;
    gpc_error error = GPC_ERROR_INIT;
    gpc_coherence *tree;
    for (uint32_t i = 0; i < NETWORKS; i++) {
        snprintf(network_names[i], sizeof network_names[i], "net-%u", i);
        networks[i] = (gpc_coherence_network)GPC_COHERENCE_NETWORK_INIT;
        networks[i].name = network_names[i];
        networks[i].bandwidth = 264;
    }
    for (uint32_t i = 0; i < MODULES; i++)
        snprintf(names[i], sizeof names[i], "m%u", i);
    for (uint32_t i = 0; i < FIRST; i++) {
        modules[i] = (gpc_coherence_module)GPC_COHERENCE_MODULE_INIT;
        modules[i].name = names[i];
        modules[i].low = banks;
        modules[i].low_count = BANKS;
        modules[i].low_network = 0;
        modules[i].sets = 32;
        modules[i].ways = 4;
        modules[i].block_bytes = BLOCK;
    }
    for (uint32_t b = 0; b < BANKS; b++) {
        gpc_coherence_module *l2 = &modules[FIRST + b], *mm = &modules[FIRST + BANKS + b];
        banks[b] = FIRST + b;
        memories[b] = FIRST + BANKS + b;
        *l2 = bank_of(names[banks[b]], b);
        l2->low = &memories[b];
        l2->low_count = 1;
        l2->high_network = 0;
        l2->low_network = 1 + b;
        l2->sets = 128;
        l2->ways = 16;
        *mm = bank_of(names[memories[b]], b);
        mm->high_network = 1 + b;
        mm->memory = true;
        mm->sets = 8192;
        mm->ways = 16;
    }
    options.protocol = protocol;
    options.modules = modules;
    options.module_count = MODULES;
    options.networks = networks;
    options.network_count = NETWORKS;
    options.data = options.timing = full;
    need(gpc_coherence_create(context, &options, &tree, &error), protocol, &error);
    return tree;
}

/* The i-th access: modules take turns, and go through their blocks. */
static gpc_coherence_request access_of(const stream *s, uint32_t i) {
    static const uint8_t bytes[4] = {1, 2, 3, 4};
    const uint32_t module = i % FIRST, step = i / FIRST, blocks = s->kilobytes * 1024 / BLOCK;
    gpc_coherence_request request = GPC_COHERENCE_REQUEST_INIT;
    request.module = module;
    request.address = (uint64_t)(step % blocks) * BLOCK + (uint64_t)(s->shared ? 0 : module) * s->kilobytes * 1024;
    request.address += 4 * (module % 32);
    request.size = 4;
    request.bytes = bytes;
    request.kind = s->every && i % s->every == s->every - 1 ? s->kind : GPC_COHERENCE_LOAD;
    return request;
}

static double rate_of(gpc_coherence *tree, const stream *s, const gpc_coherence_request *requests) {
    double best = 0;
    gpc_error error = GPC_ERROR_INIT;
    for (int round = 0; round < ROUNDS; round++) {
        double start = cpu_seconds();
        for (uint32_t i = 0; i < ACCESSES; i++)
            need(gpc_coherence_access(tree, &requests[i], NULL, &error), s->name, &error);
        double rate = ACCESSES / (cpu_seconds() - start) * 1e-6;
        best = rate > best ? rate : best;
    }
    return best;
}

static void measure(gpc_context *context, const char *protocol, const stream *s, bool full,
                    const gpc_coherence_request *requests) {
    char name[96];
    gpc_coherence *tree = make(context, protocol, full);
    snprintf(name, sizeof name, "coherence.%s.%s.%s", protocol, s->name, full ? "full" : "bare");
    figure(name, rate_of(tree, s, requests), "Maccess/s");
    gpc_coherence_destroy(tree);
}

/* bench-coherence [PROTOCOL]...: default all */
int main(int count, char **names) {
    gpc_coherence_request *requests = malloc(ACCESSES * sizeof *requests);
    gpc_context *context;
    gpc_error error = GPC_ERROR_INIT;
    need(gpc_context_create(NULL, &context, &error), "context", &error);
    if (!requests)
        return 1;
    for (size_t s = 0; s < sizeof streams / sizeof *streams; s++) {
        for (uint32_t i = 0; i < ACCESSES; i++)
            requests[i] = access_of(&streams[s], i);
        for (int full = 0; full < 2; full++) {
            for (int i = 1; i < count; i++)
                measure(context, names[i], &streams[s], full, requests);
            gpc_policy_info info = GPC_POLICY_INFO_INIT;
            for (size_t i = 0; count < 2 && gpc_policy_at(context, GPC_POLICY_PROTOCOL, i, &info, NULL) == GPC_OK; i++)
                measure(context, info.name, &streams[s], full, requests);
        }
    }
    gpc_context_destroy(context);
    free(requests);
    return 0;
}
