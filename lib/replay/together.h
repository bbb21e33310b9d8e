/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REPLAY_TOGETHER_H
#define GPC_REPLAY_TOGETHER_H

#include "level/kernels.h"
#include "replay/replay.h"

#include <gpucache/kernels.h>

/*
 * A replay of several streams: kernels at once (gpucache/kernels.h has the rules). What one kernel at a time has in
 * gpc_replay, each stream's has here; SMs, warps and the clock are the replay's, which asks gpci_together_fill for
 * blocks, and stops when that has set `ended`.
 */

typedef enum gpci_stream_state {
    GPCI_STREAM_WAITS, /* for kernels of other streams, before it is queued */
    GPCI_STREAM_QUEUED,
    GPCI_STREAM_PLACED, /* all of its blocks are, and some run, or accesses are in flight */
    GPCI_STREAM_OVER
} gpci_stream_state;

/* A stream, and its kernel at hand. */
typedef struct gpci_stream_run {
    gpc_trace *trace;
    uint64_t *sms;   /* [words] a bitmap of its SMs */
    uint32_t *on_sm; /* [sm_count] blocks of the kernel */
    int32_t priority;
    bool select, null_stream;
    uint8_t process;
    uint64_t id;
    gpci_stream_state state;
    gpc_kernel kernel;
    gpci_l1_share share;
    gpci_block_needs needs;
    const gpci_packed_block *next; /* read, and not placed yet; NULL */
    uint32_t number;               /* of the hierarchy's kernels */
    uint32_t room;                 /* blocks that an SM takes of it, alone */
    uint32_t next_sm;              /* round robin */
    uint32_t resident;
    uint64_t order; /* of those queued */
    uint64_t launched, started, dispatched, first_start;
    uint64_t done, issued, threads; /* blocks that have ended; their instructions */
    gpc_stats before;               /* its stream's, when it was launched */
} gpci_stream_run;

/* What blocks take of an SM. */
typedef struct gpci_sm_use {
    uint64_t registers, shared;
    uint32_t owner; /* kernel for which its L1 was emptied; 0: none */
} gpci_sm_use;

typedef struct gpci_together {
    gpci_stream_run *each; /* [count] */
    uint32_t count;
    uint32_t words;                   /* of a bitmap of SMs */
    uint64_t *bitmaps;                /* [count + 2][words]: streams', and two at hand: */
    uint64_t *taken, *one;            /* SMs of kernels that are first in the queue; an SM */
    uint32_t *on_sms;                 /* [count][sm_count] */
    gpci_sm_use *sms;                 /* [sm_count] */
    uint64_t *warps;                  /* [sm_count][warp_words] slots that blocks have */
    uint32_t warp_words, slots, most; /* warps and blocks of an SM, at most */
    uint64_t registers, shared;       /* of an SM; shared: where L1 leaves it alone */
    bool unified;
    bool one_kernel;     /* throttles go by the kernel: an SM has blocks of one at a time */
    bool stirred;        /* there may be room for blocks now */
    uint32_t *under_way; /* timed: [sm_count][stride] accesses, by stream */
    uint32_t stride;
    uint64_t queued;
    /* the host's */
    const gpc_layout *layout;
    void *stats;
    gpc_kernel_result_fn on_kernel;
    void *user_data;
} gpci_together;

/* Blocks to SMs, kernels to the queue, and what has ended: as gpci_dispatch_fill. */
gpc_status gpci_together_fill(gpc_replay *r, gpc_error *error);
/* A block has ended, or is given up. */
void gpci_together_retire(gpc_replay *r, uint32_t sm, const gpci_block_run *run);
/* Age of a warp of an SM's resident block: those of older ones come first. */
uint32_t gpci_together_age(const gpci_sm_run *sm, uint32_t place, uint32_t warp);

/* together_dispatch.c: blocks of the queue's kernels, as far as there is room. */
gpc_status gpci_together_dispatch(gpc_replay *r, gpc_error *error);
/* Read the kernel's next block; without one it is placed. */
gpc_status gpci_together_read(const gpc_replay *r, gpci_stream_run *k, gpc_error *error);

/* Of such accesses, on the thread of the SM. */
GPCI_INLINE void gpci_together_sent(const gpc_replay *r, uint32_t sm, uint8_t stream) {
    r->together->under_way[(size_t)sm * r->together->stride + stream]++;
}
GPCI_INLINE void gpci_together_done(const gpc_replay *r, uint32_t sm, uint8_t stream) {
    r->together->under_way[(size_t)sm * r->together->stride + stream]--;
}

#endif
