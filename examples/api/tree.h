/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_EXAMPLE_TREE_H
#define GPUCACHE_EXAMPLE_TREE_H

#include "example.h"

#include <gpucache/ext/coherence.h>

/* Make a tree of two caches, l1-0 and l1-1, over a memory. The caller destroys the tree. */
static inline gpc_coherence *tree_of_two(gpc_context *context, const char *protocol) {
    static const uint32_t memory = 2;
    static const char *const names[] = {"l1-0", "l1-1", "memory"};
    const gpc_coherence_module module = GPC_COHERENCE_MODULE_INIT;
    gpc_coherence_module modules[3] = {module, module, module};
    gpc_coherence_network network = GPC_COHERENCE_NETWORK_INIT;
    gpc_coherence_options options = GPC_COHERENCE_OPTIONS_INIT;
    gpc_error error = GPC_ERROR_INIT;
    gpc_coherence *tree;
    network.name = "bus";
    for (int i = 0; i < 3; i++)
        modules[i].name = names[i];
    for (int i = 0; i < 2; i++) {
        modules[i].low = &memory;
        modules[i].low_count = 1;
        modules[i].low_network = 0;
        modules[i].sets = 16;
        modules[i].ways = 4;
    }
    modules[2].memory = true;
    modules[2].high_network = 0;
    modules[2].ways = 0; /* a directory entry for every cached block */
    modules[2].latency = 20;
    options.protocol = protocol;
    options.modules = modules;
    options.module_count = 3;
    options.networks = &network;
    options.network_count = 1;
    check(gpc_coherence_create(context, &options, &tree, &error), &error);
    return tree;
}

#endif
