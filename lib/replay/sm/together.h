/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REPLAY_TOGETHER_H
#define GPC_REPLAY_TOGETHER_H

#include "level/rules/kernels.h"
#include "replay/core/replay.h"
#include "stats/stats.h"

#include <gpucache/ext/replay.h>

/*
 * Replay of several streams: concurrent kernels (rules in gpucache/ext/replay.h). gpci_stream_run has the state of a
 * stream's kernel, as gpc_replay has the state of a single kernel. SMs, warps and the clock belong to gpc_replay. The
 * replay calls gpci_together_fill to get blocks, until replay->ended is set.
 */

typedef enum gpci_stream_state {
    GPCI_STREAM_WAITS,  /* the kernel waits for earlier kernels of other streams, and is not in the queue */
    GPCI_STREAM_QUEUED, /* the kernel is in the queue: blocks have no place yet */
    GPCI_STREAM_PLACED, /* all blocks have a place; blocks run, or accesses are in flight */
    GPCI_STREAM_OVER    /* the stream has no further kernel */
} gpci_stream_state;

/* A stream and its current kernel. */
typedef struct gpci_stream_run {
    gpc_trace *trace;
    uint64_t *sms;   /* [words] bit map of the SMs that the stream may use */
    uint32_t *on_sm; /* [sm_count] number of the kernel's blocks on an SM */
    int32_t priority;
    bool select, null_stream;
    uint8_t process;
    uint64_t id;
    gpci_stream_state state;
    gpc_kernel kernel;
    gpci_l1_share share;
    gpci_block_needs needs;
    const gpci_packed_block *next; /* block that was read and has no place yet; NULL: no such block */
    uint32_t number;               /* number among the hierarchy's kernels */
    uint32_t occupancy;            /* number of the kernel's blocks that fit on an empty SM */
    uint32_t next_sm;              /* SM to try first for the next block (round robin) */
    uint32_t resident;             /* number of the kernel's blocks on SMs */
    uint64_t order;                /* number of kernels queued before */
    /* cycles: launch, first block placed, last block placed; first_start: no block starts before */
    uint64_t launched, started, dispatched, first_start;
    uint64_t done, issued, threads; /* number of ended blocks; instructions and threads of these blocks */
    gpc_stats before;               /* statistics of the stream at launch */
} gpci_stream_run;

/* Resources of an SM that its blocks use. */
typedef struct gpci_sm_use {
    uint64_t registers, shared;
    uint32_t owner; /* number of the kernel for which the L1 was prepared last; 0: no such kernel */
} gpci_sm_use;

typedef struct gpci_together {
    gpci_stream_run *each; /* [count] */
    uint32_t count;
    uint32_t words;                   /* size of a bit map of SMs, in 64-bit words */
    uint64_t *bitmaps;                /* [count + 2][words] memory of gpci_stream_run.sms, `taken` and `one` */
    uint64_t *taken, *one;            /* taken: SMs of earlier kernels in the queue; one: work space for one SM */
    uint32_t *on_sms;                 /* [count][sm_count] memory of gpci_stream_run.on_sm */
    gpci_sm_use *sms;                 /* [sm_count] */
    uint64_t *warps;                  /* [sm_count][warp_words] bit maps of the warp slots in use */
    uint32_t warp_words, slots, most; /* slots, most: largest number of warps and of blocks per SM */
    uint64_t registers, shared;       /* size of an SM's memories; with `unified`, `shared` is unused */
    bool unified;                     /* l1.unified: the L1's share gives the size of shared memory */
    bool one_kernel;                  /* throttles act by kernel: an SM has blocks of only one kernel at a time */
    bool stirred;                     /* blocks may find room: try to place blocks */
    uint32_t *under_way;              /* timed: [sm_count][stride] number of accesses in flight, by stream */
    uint32_t stride;
    uint64_t queued; /* number of kernels queued so far */
    /* callback of the host */
    gpc_kernel_result_fn on_kernel;
    void *user_data;
} gpci_together;

/* Place blocks, queue kernels and end finished kernels (called by gpci_dispatch_fill). */
gpc_status gpci_together_fill(gpc_replay *replay, gpc_error *error);
/* Free the resources of a block that has ended. */
void gpci_together_retire(gpc_replay *replay, uint32_t sm, const gpci_block_run *run);
/* Age of a warp of the resident block number `place` of an SM: the number of warps of older blocks, plus `warp`. */
uint32_t gpci_together_age(const gpci_sm_run *sm, uint32_t place, uint32_t warp);

/* together_dispatch.c: place blocks of queued kernels, as far as there is room. */
gpc_status gpci_together_dispatch(gpc_replay *replay, gpc_error *error);
/* Read the next block of a stream's kernel. If no block is left, the state becomes GPCI_STREAM_PLACED. */
gpc_status gpci_together_read(const gpc_replay *replay, gpci_stream_run *stream, gpc_error *error);

/* Count an access that was sent, or has completed. Each SM has counts of its own, for its thread of the CPU. */
GPCI_INLINE void gpci_together_sent(const gpc_replay *replay, uint32_t sm, uint8_t stream) {
    replay->together->under_way[(size_t)sm * replay->together->stride + stream]++;
}
GPCI_INLINE void gpci_together_done(const gpc_replay *replay, uint32_t sm, uint8_t stream) {
    replay->together->under_way[(size_t)sm * replay->together->stride + stream]--;
}

#endif
