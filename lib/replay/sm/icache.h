/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REPLAY_ICACHE_H
#define GPC_REPLAY_ICACHE_H

#include "cache/cache_archive.h"
#include "replay/core/timed_replay.h"

/*
 * Instruction caches with `l1i.size` above 0: one per SM, or per scheduler (`sm.fetch_by`; NVIDIA: L0). A fetch
 * (replay/sm/fetch.h) reads a line. A miss becomes a read of the SM's L1.5 (timed/ctrl/l15_ctrl.h) or of L2. The read
 * leaves through the SM's miss queue and returns over the reply network (space GPC_SPACE_INSTRUCTION, counted as
 * l2.instruction_read_sectors). A line in flight has an MSHR entry, at which warps wait. If entries or merges run out,
 * warps try again when a line arrives. A warp whose line arrived fetches again and issues `sm.fetch_latency` later. A
 * fetch ends at the end of its line. [GPGPU-Sim 3.2.1, shader.cc: shader_core_ctx::fetch; -gpgpu_cache:il1]
 *
 * Lines behind a missed line can be prefetched (replay/sm/stream_buffer.h). A fetch behind a taken branch takes its
 * slot, but looks up no line. Traces give no addresses of code: a kernel's code address derives from its name. Kernels
 * of equal name and process share code, and L2 keeps code between launches.
 */
typedef struct gpci_icache_miss {
    uint64_t line;
    uint32_t waiters;
    uint8_t stream; /* stream of the first waiting warp */
    bool used, sent;
    bool ahead;     /* in the stream buffer, not wanted yet */
    bool here;      /* `ahead`: arrived */
    bool abandoned; /* `ahead`: in flight, to be dropped on arrival */
} gpci_icache_miss;

/* Code of a kernel. */
typedef struct gpci_code {
    uint64_t first; /* address of the first instruction */
    uint32_t instruction_bytes;
} gpci_code;

typedef struct gpci_icache {
    gpc_cache *cache;
    gpci_icache_miss *misses; /* [entries + ahead] MSHR entries, then places of the stream buffer */
    uint32_t entries, ahead, line_bytes;
    uint64_t merges;
    uint32_t first;        /* number of its first entry among the SM's entries, for tokens */
    uint32_t used, unsent; /* used: MSHR entries; unsent: entries not sent yet */
    uint64_t next, end;    /* lines the stream buffer requests next: [next, end) */
    gpci_gauge waiting;    /* number of waiting warps */
} gpci_icache;

/* Reasons why a warp cannot issue its next instruction: gpci_timed_warp.held. */
enum {
    GPCI_HELD_FENCE = 1, /* waits at a fence */
    GPCI_HELD_LINE = 2,  /* instructions in flight */
    GPCI_HELD_HERE = 4,  /* instructions arrived; handled by the SM's next step */
    GPCI_HELD_MSHR = 8   /* instructions not requested yet */
};

/*
 * Create the instruction caches and fetch slots of all SMs; none if l1i.size or sm.fetch is 0. GPC_ERROR_RANGE: a key
 * has no effect; GPC_ERROR_MEMORY.
 */
gpc_status gpci_icaches_create(gpci_timed_replay *timed_replay, gpc_error *error);
void gpci_icaches_destroy(gpci_timed_replay *timed_replay);
/* Save or load the caches and fetch slots of an SM. */
void gpci_icaches_archive(const gpci_timed_replay *timed_replay, gpci_timed_sm *core, gpci_archive *archive);
/* Empty the MSHR entries of an SM: no warp waits and no line is in flight. */
void gpci_icaches_clear(const gpci_timed_replay *timed_replay, gpci_timed_sm *core);
/* Account for waiting warps up to cycle `end`; gpci_icaches_count_from: count from `cycle` on. */
void gpci_icaches_account(const gpci_timed_replay *timed_replay, gpci_timed_sm *core, uint64_t end);
void gpci_icaches_count_from(const gpci_timed_replay *timed_replay, gpci_timed_sm *core, uint64_t cycle);
/* Largest number of lines in flight per SM. */
uint32_t gpci_icaches_lines(const gpci_timed_replay *timed_replay);
/* True if the SM has a miss to send. */
bool gpci_icaches_ask(const gpci_timed_replay *timed_replay, const gpci_timed_sm *core);
/*
 * gpci_icaches_begin: a kernel of a stream begins or resumes; sets its code address. gpci_icaches_launch: a kernel is
 * launched (key `kernels.code`).
 */
void gpci_icaches_begin(gpci_timed_replay *timed_replay, const gpc_kernel *kernel, uint32_t stream, uint8_t process);
void gpci_icaches_launch(gpci_timed_replay *timed_replay);
/* Request for a line, as sent to the hierarchy. */
gpc_request gpci_icache_request(const gpci_timed_replay *timed_replay, const gpci_timed_sm *core, uint64_t line,
                                uint8_t stream);

/* Fetch the instructions a warp executes next. */
GPCI_COLD void gpci_icache_fetch(const gpci_timed_replay *timed_replay, gpci_timed_sm *core, gpci_timed_warp *warp,
                                 uint64_t now);
/* Step of the SM: warps with an arrived line fetch, and misses are sent. */
GPCI_COLD void gpci_icache_step(gpci_timed_replay *timed_replay, uint32_t sm, uint64_t now);
/* Accept an arrived line. */
GPCI_COLD void gpci_icache_fill(gpci_timed_replay *timed_replay, const gpc_completion *completion);

#endif
