/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_CACHE_RIG_H
#define TESTS_CACHE_RIG_H

#include "measured.h"

#include <gpucache/ext/parts.h>
#include <gpucache/gpucache.h>

/* A cache in a separate context, and the last arguments of callbacks. */

#define NO_WAY UINT32_MAX

typedef struct rig {
    gpc_context *context;
    gpc_cache *cache;
    gpc_cache_options options;
    /* on_fill and on_evict, if named in `options` */
    unsigned fills, evictions;
    uint64_t fill_line;
    uint32_t fill_set, fill_way;
    uint8_t fill_sectors;
    gpc_request fill_request;
    gpc_eviction eviction;
    bool eviction_has_request;
    uint64_t eviction_request;
} rig;

/* 1 set x 2 ways x 128 bytes, LRU; change `options` before rig_open. */
void rig_init(rig *r);
/* Adds the callbacks, too. */
void rig_listen(rig *r);
void rig_open(rig *r);
void rig_close(rig *r);

/* An access; must succeed. */
gpc_access_result rig_access(rig *r, gpc_request request);
gpc_access_result rig_lookup(rig *r, gpc_request request);
gpc_access_result rig_reserve(rig *r, gpc_request request, uint8_t sectors);
gpc_access_result rig_fill(rig *r, gpc_request request, uint8_t sectors);
gpc_access_result rig_probe(const rig *r, uint64_t address);
/* Load of a whole line: the outcome. */
gpc_outcome rig_load(rig *r, uint64_t address);
bool rig_holds(const rig *r, uint64_t address);
gpc_line rig_line(const rig *r, uint64_t address); /* must be resident */
unsigned rig_lines(const rig *r);
measured_cache rig_stats(const rig *r);

#define LOAD_LINE(a) ((gpc_request){.address = (a), .kind = GPC_LOAD})
#define STORE_LINE(a) ((gpc_request){.address = (a), .kind = GPC_STORE})
#define LOAD(a, ...) ((gpc_request){.address = (a), .kind = GPC_LOAD, __VA_ARGS__})
#define STORE(a, ...) ((gpc_request){.address = (a), .kind = GPC_STORE, __VA_ARGS__})
#define ATOMIC(a, ...) ((gpc_request){.address = (a), .kind = GPC_ATOMIC, __VA_ARGS__})

#endif
