/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TESTS_TIMED_WORLD_H
#define GPC_TESTS_TIMED_WORLD_H

#include <gpucache/gpucache.h>

#include <stdbool.h>
#include <stdint.h>

/* A small hierarchy with values, under any protocol; words are stored and loaded one at a time. */
enum { WORLD_SMS = 8, WORLD_LINE = 128, WORLD_TOKENS = 4096 };

typedef struct world {
    gpc_context *context;
    gpc_config *config;
    gpc_hierarchy *h;
    uint64_t lines, token;
    bool done[WORLD_TOKENS]; /* by token */
} world;

typedef enum load_manner { LOAD_WEAK, LOAD_GPU, LOAD_SYS, LOAD_CV } load_manner;

/* Returns false if the protocol has no such machine. `kept`: kernels.flush = none. */
bool world_open(world *w, const char *protocol, const char *settings, bool kept, const char *mode);
void world_close(world *w);
void world_step(world *w);
void world_wait(world *w, uint64_t token);
/* Offers until accepted. Returns the token. */
uint64_t world_issue(world *w, const gpc_warp_access *access);
uint64_t world_load(world *w, uint32_t sm, uint64_t address, load_manner how, uint32_t *found);
/* Stores, or exchanges as an atomic: `value`, or 1. */
uint64_t world_store_value(world *w, uint32_t sm, uint64_t address, uint8_t hint, bool atomic, const uint32_t *value);
uint64_t world_store(world *w, uint32_t sm, uint64_t address, uint8_t hint, bool atomic);
/* Begins a fence, and (world_fence) waits for its end. */
uint64_t world_begin_fence(world *w, uint32_t sm, gpc_order order, gpc_scope scope);
void world_fence(world *w, uint32_t sm, gpc_order order, gpc_scope scope);

#endif
