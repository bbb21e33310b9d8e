/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_POLICIES_PREFETCHER_RIG_H
#define TESTS_POLICIES_PREFETCHER_RIG_H

#include "registry/registry.h"

#include <gpucache/ext/policies.h>
#include <gpucache/gpucache.h>

/* A prefetcher of an L1 with lines of 128 bytes, and loads. */
typedef struct rig {
    gpc_context *context;
    gpci_policy *policy;
    const gpc_prefetcher_ops *ops;
} rig;

void rig_open(rig *r, const char *spec);
void rig_close(rig *r);

/* A load's line: all inputs of a prefetcher. */
typedef struct load {
    uint64_t pc, address; /* `address` is also the lowest lane's, if `lane` is 0 */
    uint64_t lane, cycle;
    uint32_t warp, line;
    uint8_t found; /* gpc_prefetch_found */
    bool prefetched;
} load;

#define MISS GPC_PREFETCH_FOUND_MISS
#define HIT GPC_PREFETCH_FOUND_HIT
#define FLIGHT GPC_PREFETCH_FOUND_FLIGHT

/* The prefetcher must ask for these lines, as numbers, "5 7"; "" for none. */
void rig_load(int at, const rig *r, load l, const char *lines);
#define LOAD(r, lines, ...) rig_load(__LINE__, r, (load){__VA_ARGS__}, lines)

#endif
