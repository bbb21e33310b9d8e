/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REPLAY_ICACHE_H
#define GPC_REPLAY_ICACHE_H

#include "cache/cache_archive.h"
#include "replay/timed_replay.h"

/*
 * Instruction caches, where `l1i.size` says so: one of an SM, or of each of its schedulers (`sm.fetch_by`; NVIDIA: L0).
 * What a warp fetches (replay/fetch.h) is a line of it, and what it lacks a read of the SM's L1.5
 * (timed/l15_stage.h), or of L2, which leaves through the SM's miss queue like any other and comes back over the reply
 * network (space GPC_SPACE_INSTRUCTION, counted as l2.instruction_read_sectors). A line on its way has an MSHR entry,
 * at which warps wait; where entries or merges are short, warps look again when a line has come. A warp whose line has
 * come fetches again, and so issues `sm.fetch_latency` later. A fetch ends at its line's end.
 * [GPGPU-Sim 3.2.1, shader.cc: shader_core_ctx::fetch; -gpgpu_cache:il1]
 *
 * What follows a line that was missed may be asked for ahead (replay/stream_buffer.h). What is fetched behind a taken
 * branch takes its turn, but looks for no line. Code has no addresses in traces: a kernel's lies where its name says,
 * so that kernels of one name, and process, share it, and L2 keeps it between their launches.
 */
typedef struct gpci_icache_miss {
    uint64_t line;
    uint32_t waiters;
    uint8_t stream; /* of the warp that came first */
    bool used, sent;
    bool ahead;     /* in the stream buffer: nobody has wanted it so far, */
    bool here;      /* and it has come, */
    bool abandoned; /* or is no longer to be kept when it does */
} gpci_icache_miss;

/* Where a kernel's code is. */
typedef struct gpci_code {
    uint64_t first; /* address of its first instruction */
    uint32_t instruction_bytes;
} gpci_code;

typedef struct gpci_icache {
    gpc_cache *cache;
    gpci_icache_miss *misses; /* [entries + ahead] MSHR entries, and places of the stream buffer */
    uint32_t entries, ahead, line_bytes;
    uint64_t merges;
    uint32_t first;        /* of its lines' tokens, among the SM's */
    uint32_t used, unsent; /* MSHR entries; of all, those that are to be asked for */
    uint64_t next, end;    /* lines that the stream buffer asks for next */
    gpci_gauge waiting;    /* warps */
} gpci_icache;

/* Why a warp does not look when its next instruction can issue: gpci_timed_warp.held. */
enum {
    GPCI_HELD_FENCE = 1, /* it waits at a fence */
    GPCI_HELD_LINE = 2,  /* its instructions are on their way, */
    GPCI_HELD_HERE = 4,  /* or are here, which the SM's next step sees to; */
    GPCI_HELD_MSHR = 8   /* or are still to be asked for */
};

/*
 * Those of all SMs, and their turns to fetch; none where l1i.size is 0, or sm.fetch. GPC_ERROR_RANGE for what has no
 * effect, GPC_ERROR_MEMORY.
 */
gpc_status gpci_icaches_create(gpci_timed_replay *t, gpc_error *error);
void gpci_icaches_destroy(gpci_timed_replay *t);
/* An SM's. Fetches too. */
void gpci_icaches_archive(const gpci_timed_replay *t, gpci_timed_sm *m, gpci_archive *archive);
/* No warp of an SM waits any more, and nothing is on its way. */
void gpci_icaches_clear(const gpci_timed_replay *t, gpci_timed_sm *m);
/* Its warps' waits are counted up to a cycle; and from one on. */
void gpci_icaches_account(const gpci_timed_replay *t, gpci_timed_sm *m, uint64_t end);
void gpci_icaches_count_from(const gpci_timed_replay *t, gpci_timed_sm *m, uint64_t cycle);
/* Most lines of an SM's on their way. */
uint32_t gpci_icaches_lines(const gpci_timed_replay *t);
/* Has an SM's any line that is to be asked for? */
bool gpci_icaches_ask(const gpci_timed_replay *t, const gpci_timed_sm *m);
/* A stream's kernel begins, or goes on: where its code is. It is launched: `kernels.code`. */
void gpci_icaches_begin(gpci_timed_replay *t, const gpc_kernel *kernel, uint32_t stream, uint8_t process);
void gpci_icaches_launch(gpci_timed_replay *t);
/* A line as the hierarchy is asked for it. */
gpc_request gpci_icache_request(const gpci_timed_replay *t, const gpci_timed_sm *m, uint64_t line, uint8_t stream);

/* A warp fetches what it executes next. */
GPCI_COLD void gpci_icache_fetch(const gpci_timed_replay *t, gpci_timed_sm *m, gpci_timed_warp *w, uint64_t now);
/* In a step of the SM: warps fetch for which a line has come, and what is missing is asked for. */
GPCI_COLD void gpci_icache_step(gpci_timed_replay *t, uint32_t sm, uint64_t now);
/* A line is here. */
GPCI_COLD void gpci_icache_fill(gpci_timed_replay *t, const gpc_completion *completion);

#endif
