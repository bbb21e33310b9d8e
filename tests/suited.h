/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_SUITED_H
#define TESTS_SUITED_H

#include <gpucache/ext/coherence.h>
#include <gpucache/ext/hierarchy.h>
#include <gpucache/ext/parts.h>
#include <gpucache/ext/replay.h>
#include <gpucache/gpucache.h>
#include <string.h>

/*
 * Machines of tests run under every protocol: keys unknown to a protocol get their defaults, because the library
 * refuses a host's other values.
 */
static inline void suit(const gpc_context *context, gpc_config *config) {
    static const char caches[] =
        "cluster.sms = 0\ncluster.size = 128KiB\ncluster.ways = 8\ncoherence.directory_ways = 16\n",
                      tracked[] = "l1.atomics = none\n", no_place[] = "l1.write_allocate = none\n",
                      untracked[] = "l2.inclusion = non-inclusive\ncluster.inclusion = inclusive\n"
                                    "coherence.directory_ways = 16\ncoherence.directory_pointers = 0\n"
                                    "coherence.directory_overflow = broadcast\ncoherence.directory_region = 4\n"
                                    "coherence.memory_sets = 1024\ncoherence.memory_ways = 0\n";
    const char *name = "none";
    gpc_config_get(config, "coherence", &name, NULL);
    const gpc_protocol *protocol = strcmp(name, "none") != 0 ? gpc_protocol_find(context, name) : NULL;
    const bool tracks = protocol && protocol->flags & GPC_PROTOCOL_DIRECTORY;
    gpc_config_load_text(config, !protocol ? caches : tracks ? tracked : untracked, "suited", NULL);
    if (protocol && !tracks && strcmp(name, "slc-glc") != 0) /* vi and hmg keep no line of a store miss */
        gpc_config_load_text(config, no_place, "suited", NULL);
}

#endif
