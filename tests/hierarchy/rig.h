/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_MEMORY_RIG_H
#define TESTS_MEMORY_RIG_H

#include "measured.h"

#include <gpucache/gpucache.h>

/* A hierarchy made from a few settings, used only through the public interface. */
typedef struct rig {
    gpc_context *context;
    gpc_config *config;
    gpc_hierarchy *hierarchy;
} rig;

/*
 * A small memory system for calculations by hand: one SM, L1 of 4 sets x 2 ways x 128 bytes (lines 512 bytes apart
 * share a set), one L2 slice of 16 sets x 4 ways x 128 bytes (2 KiB apart), 32-byte sectors at every level; L1 writes
 * evict, L2 writes back and fetches; no flush between kernels.
 */
extern const char rig_base[];

/* The base, then `settings`: `key = value` lines, or NULL. */
void rig_open(rig *r, const char *settings);
/* Creation must fail: returns the status and the message. */
gpc_status rig_refused(const char *settings, gpc_error *error);
void rig_close(rig *r);

/* An access by the first `lanes` lanes of SM 0's warp 0: lane i at address + i * stride. */
typedef struct shot {
    uint64_t address;
    uint64_t stride;
    uint32_t lanes, width, sm, warp;
    uint8_t kind, space, hint;
} shot;

/* Fire; must succeed. */
gpc_warp_result rig_fire(rig *r, shot s);
/* All 128 bytes of a line, or 4 bytes, by SM 0. */
#define LINE(k, a) ((shot){.kind = (k), .address = (a), .stride = 4, .lanes = 32, .width = 4})
#define WORD(k, a) ((shot){.kind = (k), .address = (a), .lanes = 1, .width = 4})
/* A line with more fields of a shot. */
#define LINE_BY(k, a, ...) ((shot){.kind = (k), .address = (a), .stride = 4, .lanes = 32, .width = 4, __VA_ARGS__})
#define WORD_BY(k, a, ...) ((shot){.kind = (k), .address = (a), .lanes = 1, .width = 4, __VA_ARGS__})

gpc_warp_result rig_load(rig *r, uint64_t address);  /* a line */
gpc_warp_result rig_store(rig *r, uint64_t address); /* a line */
void rig_begin(rig *r, const gpc_launch *launch);    /* must succeed */
void rig_flush(rig *r);

measured_stats rig_stats(const rig *r);
/* Lines resident in all caches of a level. */
unsigned rig_lines(const rig *r, unsigned level, uint32_t instances);

/* Every counter has the named value, otherwise 0; then reset the statistics. */
#define EXPECT(r, ...) rig_expect((r), &(measured_stats){__VA_ARGS__}, __LINE__)
void rig_expect(rig *r, const measured_stats *expected, int line);

#endif
