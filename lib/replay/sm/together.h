/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REPLAY_TOGETHER_H
#define GPC_REPLAY_TOGETHER_H

#include "level/rules/kernels.h"
#include "replay/core/replay.h"
#include "stats/stats.h"

#include <gpucache/ext/replay.h>

/*
 * Replay of several streams: concurrent kernels (rules in gpucache/ext/replay.h). Every stream holds here the state of
 * its kernel that gpc_replay holds for a single kernel. SMs, warps and the clock belong to the replay. The replay calls
 * gpci_together_fill for blocks and stops once `ended` is set.
 */

typedef enum gpci_stream_state {
    GPCI_STREAM_WAITS, /* for kernels of preceding streams, before queueing */
    GPCI_STREAM_QUEUED,
    GPCI_STREAM_PLACED, /* all blocks are placed; blocks run or accesses are in flight */
    GPCI_STREAM_OVER
} gpci_stream_state;

/* A stream and the current kernel. */
typedef struct gpci_stream_run {
    gpc_trace *trace;
    uint64_t *sms;   /* [words] bitmap of its SMs */
    uint32_t *on_sm; /* [sm_count] blocks of the kernel */
    int32_t priority;
    bool select, null_stream;
    uint8_t process;
    uint64_t id;
    gpci_stream_state state;
    gpc_kernel kernel;
    gpci_l1_share share;
    gpci_block_needs needs;
    const gpci_packed_block *next; /* read, not placed yet; NULL: none */
    uint32_t number;               /* number among the hierarchy's kernels */
    uint32_t occupancy;            /* blocks of the kernel that fit an empty SM */
    uint32_t next_sm;              /* round robin */
    uint32_t resident;
    uint64_t order; /* position in the queue */
    uint64_t launched, started, dispatched, first_start;
    uint64_t done, issued, threads; /* ended blocks, and instructions of these blocks */
    gpc_stats before;               /* statistics of the stream at launch */
} gpci_stream_run;

/* Resources of an SM taken by blocks. */
typedef struct gpci_sm_use {
    uint64_t registers, shared;
    uint32_t owner; /* kernel using the L1, emptied before; 0: none */
} gpci_sm_use;

typedef struct gpci_together {
    gpci_stream_run *each; /* [count] */
    uint32_t count;
    uint32_t words;                   /* size of a bitmap of SMs */
    uint64_t *bitmaps;                /* [count + 2][words]: a bitmap per stream, then `taken` and `one` */
    uint64_t *taken, *one;            /* taken: SMs of earlier kernels in the queue; one: a single SM */
    uint32_t *on_sms;                 /* [count][sm_count] */
    gpci_sm_use *sms;                 /* [sm_count] */
    uint64_t *warps;                  /* [sm_count][warp_words] warp slots in use */
    uint32_t warp_words, slots, most; /* slots, most: largest number of warps and of blocks per SM */
    uint64_t registers, shared;       /* per SM; shared: if independent of L1 */
    bool unified;
    bool one_kernel;     /* throttles go by kernel: an SM has blocks of one kernel at a time */
    bool stirred;        /* room for blocks may have appeared */
    uint32_t *under_way; /* timed: [sm_count][stride] accesses in flight, by stream */
    uint32_t stride;
    uint64_t queued;
    /* the host's */
    gpc_kernel_result_fn on_kernel;
    void *user_data;
} gpci_together;

/* Place blocks, queue kernels and end finished kernels (called by gpci_dispatch_fill). */
gpc_status gpci_together_fill(gpc_replay *replay, gpc_error *error);
/* A block ended, or was given up. */
void gpci_together_retire(gpc_replay *replay, uint32_t sm, const gpci_block_run *run);
/* Age of a warp of a resident block: warps of older blocks come first. */
uint32_t gpci_together_age(const gpci_sm_run *sm, uint32_t place, uint32_t warp);

/* together_dispatch.c: place blocks of queued kernels, as far as there is room. */
gpc_status gpci_together_dispatch(gpc_replay *replay, gpc_error *error);
/* Read the kernel's next block. At the end, the kernel is placed. */
gpc_status gpci_together_read(const gpc_replay *replay, gpci_stream_run *stream, gpc_error *error);

/* Count an access in flight, on the thread of the SM. */
GPCI_INLINE void gpci_together_sent(const gpc_replay *replay, uint32_t sm, uint8_t stream) {
    replay->together->under_way[(size_t)sm * replay->together->stride + stream]++;
}
GPCI_INLINE void gpci_together_done(const gpc_replay *replay, uint32_t sm, uint8_t stream) {
    replay->together->under_way[(size_t)sm * replay->together->stride + stream]--;
}

#endif
