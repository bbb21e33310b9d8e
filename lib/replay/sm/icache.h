/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REPLAY_ICACHE_H
#define GPC_REPLAY_ICACHE_H

#include "cache/cache_archive.h"
#include "replay/core/timed_replay.h"

/*
 * Instruction caches with `l1i.size` above 0: one per SM, or per scheduler (`sm.fetch_by`; NVIDIA: L0). A fetch
 * (replay/sm/fetch.h) looks up a line. A miss becomes a read of the SM's L1.5 (timed/ctrl/l15_ctrl.h) or of L2. The
 * read leaves through the SM's miss queue and returns over the reply network (space GPC_SPACE_INSTRUCTION, counted as
 * l2.instruction_read_sectors). A line in flight has an MSHR entry, at which warps wait. If no entry is free, or the
 * entry has no room for another warp (l1i.merges), the warp tries again when a line arrives. When the line of a warp
 * has arrived, the warp fetches again, and issues `sm.fetch_latency` later. A fetch ends at the end of its line.
 * [GPGPU-Sim 3.2.1, shader.cc: shader_core_ctx::fetch; -gpgpu_cache:il1]
 *
 * Lines after a missed line can be prefetched (replay/sm/stream_buffer.h). A fetch of instructions after a taken
 * branch, which are dropped, looks up no line. Traces give no addresses of code: a kernel's code address derives from
 * the kernel's name. Kernels of equal name and process share code, and L2 keeps code between launches.
 */
typedef struct gpci_icache_miss {
    uint64_t line;    /* address of the line */
    uint32_t waiters; /* number of waiting warps */
    uint8_t stream;   /* stream of the first waiting warp */
    bool used, sent;  /* used: the entry is in use; sent: the request was sent */
    bool ahead;       /* the line is prefetched, and no warp waits for the line */
    bool here;        /* with `ahead`: the line has arrived */
    bool abandoned;   /* with `ahead`: the line is in flight, and will be dropped on arrival */
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
    uint64_t merges;       /* largest number of warps that wait at an MSHR entry */
    uint32_t first;        /* number of the cache's first entry among the SM's entries, for tokens */
    uint32_t used, unsent; /* number of MSHR entries in use; number of entries and places with an unsent request */
    uint64_t next, end;    /* addresses [next, end) of the lines that the stream buffer requests next */
    gpci_gauge waiting;    /* number of warps that wait for instructions */
} gpci_icache;

/* Reasons why a warp cannot issue its next instruction: gpci_timed_warp.held. */
enum {
    GPCI_HELD_FENCE = 1, /* the warp waits at a fence */
    GPCI_HELD_LINE = 2,  /* the line of the instructions is in flight */
    GPCI_HELD_HERE = 4,  /* the line has arrived; the SM's next step lets the warp fetch */
    GPCI_HELD_MSHR = 8   /* the warp found no free MSHR entry, and tries again */
};

/*
 * Create the fetchers of all SMs, if sm.fetch is above 0, and the instruction caches, if l1i.size is above 0.
 * GPC_ERROR_RANGE: a key has no effect; GPC_ERROR_MEMORY.
 */
gpc_status gpci_icaches_create(gpci_timed_replay *timed_replay, gpc_error *error);
void gpci_icaches_destroy(gpci_timed_replay *timed_replay);
/* Save or load the instruction caches and fetchers of an SM. */
void gpci_icaches_archive(const gpci_timed_replay *timed_replay, gpci_timed_sm *core, gpci_archive *archive);
/* Empty the MSHR entries and stream buffers of an SM. No warp may wait, and no line may be in flight. */
void gpci_icaches_clear(const gpci_timed_replay *timed_replay, gpci_timed_sm *core);
/* Count the cycles of warps that wait for instructions, up to cycle `end`. _count_from: begin to count at `cycle`. */
void gpci_icaches_account(const gpci_timed_replay *timed_replay, gpci_timed_sm *core, uint64_t end);
void gpci_icaches_count_from(const gpci_timed_replay *timed_replay, gpci_timed_sm *core, uint64_t cycle);
/* Largest number of instruction lines in flight per SM. */
uint32_t gpci_icaches_lines(const gpci_timed_replay *timed_replay);
/* True if the SM has a miss to send. */
bool gpci_icaches_ask(const gpci_timed_replay *timed_replay, const gpci_timed_sm *core);
/*
 * gpci_icaches_begin: set the code address of a stream's kernel, which begins or resumes. gpci_icaches_launch: when a
 * kernel is launched, empty the instruction caches, unless kernels.code = kept.
 */
void gpci_icaches_begin(gpci_timed_replay *timed_replay, const gpc_kernel *kernel, uint32_t stream, uint8_t process);
void gpci_icaches_launch(gpci_timed_replay *timed_replay);
/* Make the request for a line of instructions. */
gpc_request gpci_icache_request(const gpci_timed_replay *timed_replay, const gpci_timed_sm *core, uint64_t line,
                                uint8_t stream);

/* Look up the line of a warp's next instructions. If the line is absent, the warp waits (gpci_timed_warp.held). */
GPCI_COLD void gpci_icache_fetch(const gpci_timed_replay *timed_replay, gpci_timed_sm *core, gpci_timed_warp *warp,
                                 uint64_t now);
/* In a step of an SM, let warps with an arrived line fetch, and send misses and prefetches. */
GPCI_COLD void gpci_icache_step(gpci_timed_replay *timed_replay, uint32_t sm, uint64_t now);
/* Handle the arrival of a line of instructions. */
GPCI_COLD void gpci_icache_fill(gpci_timed_replay *timed_replay, const gpc_completion *completion);

#endif
