/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_REPLAY_RIG_H
#define TESTS_REPLAY_RIG_H

#include "measured.h"

#include <gpucache/gpucache.h>
#include <stdio.h>

/* An event seen by a policy of L1: a line transaction, or a warp event. */
typedef struct seen {
    enum { SEEN_START, SEEN_BARRIER, SEEN_EXIT, SEEN_KERNEL_START, SEEN_KERNEL_END, SEEN_ACCESS } kind;
    uint32_t sm, warp, block;
    uint64_t pc;
} seen;

#define MOST_SEEN 4096u

/* A context counting memory, a folder for traces, a configuration, and the events seen by the policy `watch`. */
typedef struct rig {
    gpc_context *context;
    gpc_config *config;
    gpc_error error;
    char folder[64];
    char log[512];
    gpc_log_level log_level;
    size_t live; /* allocations not freed */
    bool astray; /* let the policy choose an impossible way */
    FILE *file;  /* trace being written */
    seen seen[MOST_SEEN];
    unsigned count;
} rig;

/* Allocated on the heap (large). An SM with room for two blocks, recording events, unless `set` changes it. */
rig *rig_open(void);
/* All objects are destroyed: all memory must be free. */
void rig_close(rig *r);

void set(rig *r, const char *key, const char *value);
const char *path_of(const rig *r, const char *name);
void write_text(const rig *r, const char *name, const char *text);

/* Write a kernel: the header (`more`: further lines), blocks, warps of lines, the end. */
void begin_kernel(rig *r, const char *name, unsigned blocks, unsigned threads, const char *more);
void begin_block(rig *r, unsigned x);
void put_warp(rig *r, unsigned warp, const char *lines);
void end_block(rig *r);
void end_kernel(rig *r);
/* `blocks` blocks of `warps` warps with equal lines. */
void put_kernel(rig *r, const char *name, unsigned blocks, unsigned warps, const char *more, const char *lines);

/* A load of one line of 128 bytes by 32 lanes; lines of a trace. */
#define LOAD(pc, address) pc " ffffffff 1 R1 LDG.E 1 R2 4 1 " address " 4\n"
#define BARRIER(pc) pc " ffffffff 0 BAR.SYNC.DEFER_BLOCKING 0 0\n"
#define EXIT(pc) pc " ffffffff 0 EXIT 0 0\n"

gpc_replay *open_replay(rig *r);
gpc_trace *open_trace(rig *r, const char *name);

/* Run the trace's next kernel; must succeed. */
measured_stats run_kernel(rig *r, gpc_replay *replay, gpc_trace *trace);
/* A trace of one kernel in a new replay; `stats` may be NULL. */
gpc_status run_file(rig *r, const char *name, measured_stats *stats);
void expect_error(const rig *r, gpc_status status, gpc_status expected, const char *part);
void expect_same_stats(const measured_stats *a, const measured_stats *b);

/* The n-th event of a kind, and the number of events. */
const seen *nth(const rig *r, int kind, unsigned n);
unsigned how_many(const rig *r, int kind);
/* Place of a warp's event (block; number within the SM) at a pc in the order of all events. */
unsigned place_of(const rig *r, uint32_t block, uint32_t warp, uint64_t pc);

#endif
