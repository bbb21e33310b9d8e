/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REPLAY_REPLAY_H
#define GPC_REPLAY_REPLAY_H

#include "base/archive.h"
#include "config/config.h"
#include "functional/round_lanes.h"
#include "level/hierarchy.h"
#include "stats/stats.h"
#include "trace/builder.h"
#include "trace/packed.h"

#include <gpucache/replay.h>

/* A warp on its way through its instructions. */
typedef struct gpci_warp_run {
    const gpci_path_step *next, *end; /* steps of its path */
    gpci_address_cursor addresses;
    uint32_t slot; /* warp number within the SM */
    bool at_barrier;
    uint32_t barrier; /* timed, where the block's are apart: which of them is this warp's next */
} gpci_warp_run;

GPCI_INLINE gpci_warp_run gpci_warp_run_begin(const gpci_packed_warp *warp, uint32_t slot) {
    return (gpci_warp_run){.next = warp->path->steps,
                           .end = warp->path->steps + warp->path->count,
                           .addresses = gpci_packed_begin(warp),
                           .slot = slot};
}

/* A thread block on an SM, or waiting for room on it. */
typedef struct gpci_block_run {
    const gpci_packed_block *block;
    gpc_trace *trace;              /* that it is of */
    struct gpci_block_run *queued; /* the next that waits for the same SM */
    gpci_warp_run *warps;          /* [block->warp_count] */
    size_t capacity;               /* of `warps` */
    uint32_t turn;                 /* warp whose turn it is */
    uint32_t live;                 /* warps that have not ended */
    uint32_t writes;               /* timed: in flight, of those that have, with blocks.release = writes */
    uint32_t at_barrier;
    bool apart;      /* timed: some of its warps have no part in its first barriers (barriers.c) */
    uint8_t stream;  /* of its kernel */
    uint8_t process; /* of its addresses and code */
    uint32_t slot;   /* of the SM's resident blocks */
    uint32_t first;  /* slot of its first warp, behind which the others follow */
    uint32_t sm;     /* that it is on, or on which it ended */
    uint64_t start;  /* timed: core cycle */
    /* of a kernel with clusters (clusters.h): */
    struct gpci_block_run *ring; /* the next of its cluster that has not ended, all round; NULL: there are none */
    uint32_t mates;              /* of its cluster that are gathered with it */
    uint32_t at_cluster;         /* cluster barriers at which it waits, or has: its own count */
} gpci_block_run;

typedef struct gpci_sm_run {
    gpci_block_run **resident; /* [room], oldest first */
    uint32_t residents;
    uint32_t turn; /* resident block whose turn it is */
    gpci_block_run *first_queued, *last_queued;
    uint64_t instructions, threads; /* functional: that the hierarchy has not counted yet */
} gpci_sm_run;

/* A turn that has come to its memory instruction. */
typedef struct gpci_turn {
    const gpci_path_step *access;
    const gpci_block_run *run; /* whose it is; only with an access */
    uint64_t *addresses;       /* [GPCI_MOST_LANES] of its lanes; none at a fence */
    uint32_t sm, block;        /* block: index in the grid */
    uint32_t warp, age;        /* warp: slot within the SM */
} gpci_turn;

typedef struct gpci_timed_replay gpci_timed_replay;
typedef struct gpci_kept_objects gpci_kept_objects;

struct gpc_replay {
    gpc_context *context;
    gpc_config *config;
    gpc_hierarchy *hierarchy;
    gpc_progress_fn on_progress;
    void *progress_data;
    gpc_sample_fn on_sample;
    void *sample_data;
    const gpc_layout *sample_layout;
    void *sample_stats;       /* a struct of that layout, for on_sample */
    uint64_t sample_interval; /* core cycles */
    uint64_t policy_period;   /* core cycles, or rounds, between samples for policies */
    gpc_sample *samples;      /* [sm_count], of the period at hand */
    uint64_t rounds;          /* functional: of it */
    uint64_t all_rounds;      /* functional: of all kernels so far */
    uint64_t pause_at;        /* core cycle, or one of these; UINT64_MAX */
    bool policies_vote;       /* some policy wants samples */
    gpci_future *future;      /* NULL without `l1.future` */
    bool learning;            /* the kernel is run dry */
    gpci_timed_replay *timed; /* NULL: functional */
    gpci_round_lanes *lanes;  /* functional, on several threads; NULL */
    const struct gpci_driver
        *driver; /* of accesses: the hierarchy's, or, timed, while its caches are warmed, none with a clock */
    bool warming;
    gpci_sm_run *sms;             /* [sm_count] */
    uint32_t sm_count, block_sms; /* the first of these run blocks: those of GPUs */
    uint32_t room;                /* blocks that an SM takes */
    uint32_t room_capacity;
    bool block_order;         /* warps.order = block, */
    bool recorded_order;      /* or recorded */
    gpci_turn *turns;         /* [sm_count], of a round */
    uint64_t *turn_addresses; /* [sm_count][GPCI_MOST_LANES] */
    gpci_block_run *spare;    /* list of runs to use again */
    gpc_stats total;
    struct gpci_sampling *sampling; /* NULL: sample = none */
    gpci_kept_objects *objects;     /* NULL: gpc_replay_keep_objects was not asked for */
    uint64_t *stream_ids;           /* [streams_seen] the trace's, with `streams` above 1; room for all; NULL */
    uint32_t streams_seen;
    uint8_t stream;                 /* of the kernel at hand */
    struct gpci_together *together; /* together.h: kernels at once; NULL: one after the other */
    bool inside;                    /* gpc_replay_kernel is under way */
    struct gpci_parked *parked;     /* loaded: blocks that have not met their trace again; NULL */
    /* the kernel at hand */
    gpc_trace *trace; /* NULL: there is none, or it is parked */
    gpc_kernel kernel;
    gpc_stats before;                               /* when it began */
    bool begun;                                     /* up to its first block */
    uint32_t next_sm;                               /* round robin over SMs; of a kernel with clusters, over GPCs */
    uint32_t cluster[3], cluster_blocks;            /* thread blocks of a cluster, by dimension and all; 1: none */
    gpci_block_run *first_gathered, *last_gathered; /* with clusters: blocks that have no place yet */
    uint32_t queued, resident;
    bool by_map;                             /* blocks go where the trace says */
    uint64_t blocks_read, blocks_last;       /* of the kernel; no block is read behind these */
    bool skipping;                           /* it is not timed though others are */
    bool ended;                              /* the trace has no further block of this kernel */
    uint64_t instructions, threads, blocks;  /* the first two: that the hierarchy has not counted yet; threads: timed */
    uint64_t instructions_told, blocks_told; /* that it has */
    uint64_t next_progress;                  /* instructions */
    uint32_t turns_to_tell;                  /* timed: cycles with something in them, until on_progress is called */
    uint64_t first_pc, last_pc;
    uint64_t random;    /* state of the order in which SMs take turns */
    uint64_t had;       /* kernels of the trace so far, for snapshots, */
    uint64_t had_names; /* and a hash of which they were */
};

/* replay_snapshot.c: a kernel of the trace begins. */
void gpci_replay_had(gpc_replay *r, const gpc_kernel *kernel);

/* replay_kernel.c: what the kernel at hand asks of an SM; GPC_ERROR_RANGE. */
gpc_status gpci_replay_launch(const gpc_replay *r, gpc_launch *launch, gpc_error *error);
/* Carry out the host's copies before the present kernel of a trace, of a process (kernels.copies). */
gpc_status gpci_replay_copies(gpc_replay *r, const gpc_trace *trace, uint8_t process, gpc_error *error);
/* replay.c: core cycles, or rounds, of all kernels so far. */
uint64_t gpci_replay_now(const gpc_replay *r);

/* dispatch.c: thread blocks from the trace to SMs. Where they go, and room for them. */
gpc_status gpci_dispatch_start(gpc_replay *r, const gpc_launch *launch, gpc_error *error);
/* SMs have room for so many blocks each. */
gpc_status gpci_dispatch_room(gpc_replay *r, uint32_t room, gpc_error *error);
/* A block has room on an SM. */
void gpci_dispatch_start_block(gpc_replay *r, uint32_t sm, gpci_block_run *run);
/* Read and place blocks until every SM is full or the trace has no more. */
gpc_status gpci_dispatch_fill(gpc_replay *r, gpc_error *error);
/* A block has ended: its resources are free. */
void gpci_dispatch_retire(gpc_replay *r, uint32_t sm, gpci_block_run *run);
/* Give all blocks back, as after an error. */
void gpci_dispatch_abandon(gpc_replay *r);
/* Forget them: they stay with their trace, which may be gone. */
void gpci_dispatch_forget(gpc_replay *r);
/* A block that was read is run; NULL: out of memory. */
gpci_block_run *gpci_dispatch_take(gpc_replay *r, const gpci_packed_block *block);
/* The next block of the trace, to be run; NULL: there is none, and `ended` is so. */
gpc_status gpci_dispatch_read(gpc_replay *r, gpc_error *error, gpci_block_run **out);
void gpci_dispatch_give(gpc_replay *r, gpci_block_run *run);
/* It waits for room on an SM, behind others. */
void gpci_dispatch_queue(gpc_replay *r, uint32_t sm, gpci_block_run *run);

/* Place them all anew, from the first. */
void gpci_dispatch_again(gpc_replay *r);

/* functional_replay.c: one turn of every SM: a warp goes on through its next memory instruction or to a barrier. */
gpc_status gpci_functional_round(gpc_replay *r, gpc_error *error);
/* As the key `threads` says. GPC_ERROR_RANGE where several have no effect, GPC_ERROR_MEMORY. */
gpc_status gpci_functional_threads(gpc_replay *r, gpc_error *error);
/* Rounds on so many from now on, which may be: gpci_round_lanes_check. */
gpc_status gpci_functional_share(gpc_replay *r, const gpci_workers_options *options, gpc_error *error);

/*
 * fences.c: what an instruction's opcode says of order; and does the hierarchy carry it out, as the fence that this
 * fills in? Others are their warp's to wait at. Never with a coherent tree.
 */
const gpci_opcode *gpci_replay_opcode(const gpci_block_run *run, const gpc_instruction *instruction);
bool gpci_replay_fence(const gpc_replay *r, const gpci_block_run *run, const gpc_instruction *instruction, uint32_t sm,
                       uint32_t warp, gpc_fence *fence);
/* What a step of a block says of its access, whose warp the caller adds. `addresses`: of its lanes. */
GPCI_INLINE gpc_warp_access gpci_replay_access(const gpci_block_run *run, const gpci_path_step *step,
                                               const uint64_t *addresses) {
    const gpc_instruction *i = &step->form->instruction;
    const gpci_opcode *opcode = gpci_replay_opcode(run, i);
    return (gpc_warp_access){.struct_size = sizeof(gpc_warp_access),
                             .pc = i->pc,
                             .mask = step->mask,
                             .addresses = addresses,
                             .width = i->width,
                             .kind = i->kind,
                             .space = i->space,
                             .hint = i->hint,
                             .priority = i->priority,
                             .scope = opcode->scope,
                             .order = opcode->order,
                             .stream = run->stream,
                             .copy = opcode->copy,
                             .process = run->process};
}

/*
 * Addresses of an access, with `bytes` from each on, come into the hierarchy. False: an address is beyond 57 bits,
 * beside other processes.
 */
GPCI_INLINE bool gpci_replay_enter(const gpc_replay *r, const gpci_block_run *run, uint64_t *addresses, uint32_t count,
                                   uint32_t bytes) {
    const gpc_hierarchy *h = r->hierarchy;
    if (GPCI_LIKELY(!h->processes))
        return true;
    for (uint32_t i = 0; i < count; i++)
        if (gpci_process_wrong(h, run->process, addresses[i], bytes))
            return false;
    gpci_process_enter(run->process, addresses, count);
    return true;
}
#define GPCI_BEYOND_PROCESS "an address is beyond the 57 bits that those of a hierarchy with several processes have"

/* Most accesses of an instruction: in MIXED space an access a space. */
#define GPCI_ACCESS_PARTS 3u
/*
 * parts.c: the access of an instruction outside global space, as the hierarchy takes it. Addresses in local space
 * become offsets of threads. An access in MIXED space becomes an access a space: lanes in global and local memory come
 * first, at least one lane; lanes in shared memory go no further.
 *   addresses  [GPCI_MOST_LANES] of the access; they change, and the parts point into them
 *   parts      [GPCI_ACCESS_PARTS]
 * Returns the number of parts; 0: the lanes may touch more lines than an instruction has.
 */
uint32_t gpci_replay_parts(const gpci_block_run *run, const gpci_path_step *step, const gpc_warp_access *access,
                           uint64_t *addresses, gpc_warp_access *parts);
/* gpci_replay_enter for the parts of an access. Offsets of threads get the process with their addresses. */
bool gpci_replay_enter_parts(const gpc_replay *r, const gpci_block_run *run, const gpc_warp_access *parts,
                             uint32_t count, uint64_t *addresses);
/* Has the driver perform the parts, as one instruction, or records them where the kernel is learnt. */
gpc_status gpci_replay_other(const gpc_replay *r, gpc_hierarchy *h, const gpci_block_run *run,
                             const gpci_path_step *step, const gpc_warp_access *access, uint64_t *addresses);

/* replay.c: forget how far the kernel has come. Round after round, until no block is left; GPC_BUSY: to `pause_at`. */
void gpci_replay_begin(gpc_replay *r);
gpc_status gpci_replay_rounds(gpc_replay *r, gpc_error *error);

/* recorded.c: as gpci_replay_rounds, in the order of the kernel's recording. GPC_ERROR_NOT_FOUND: it has none. */
gpc_status gpci_recorded_check(const gpc_replay *r, gpc_error *error);
gpc_status gpci_recorded_run(gpc_replay *r, gpc_error *error);
/* The launch as the host gave it; false: it gave none. */
bool gpci_recorded_launch(const gpc_replay *r, gpc_launch *launch);

/* learn.c: run the kernel dry, then make ready to run it. An access of the dry run: GPC_ERROR_MEMORY. */
gpc_status gpci_replay_learn(gpc_replay *r, gpc_error *error);
gpc_status gpci_replay_record(const gpc_replay *r, const gpc_warp_access *access);

/* replay.c: statistics of the hierarchy and the replay, all kernels so far and what was between them. */
void gpci_replay_stats(const gpc_replay *r, gpc_stats *stats);
/* To a host's struct, in which what is not measured is absent. */
gpc_status gpci_replay_give(const gpc_replay *r, const gpc_stats *ours, const gpc_layout *layout, void *theirs);
/* replay_objects.c: assert the ledger of an idle replay, in the checking build (base/check.h). */
void gpci_replay_check_ledger(const gpc_replay *r);
/* A kernel begins, and values by object are kept. These, in a snapshot. */
void gpci_replay_note_objects(gpc_replay *r);
void gpci_replay_archive_objects(gpc_replay *r, gpci_archive *archive);

/* replay.c: tell the progress callback, if it is time. Tell the hierarchy what it has not counted. */
gpc_status gpci_replay_progress(gpc_replay *r, gpc_error *error);
void gpci_replay_count(gpc_replay *r);
/* icache.c: is code read, by instruction caches? Then `launch.code` has nothing to count. */
bool gpci_replay_reads_code(const gpc_replay *r);
/* replay.c, of a timed replay: from now on blocks are run without the clock, or with it again. Nothing is in flight. */
void gpci_replay_warm(gpc_replay *r, bool warming);
/* A period of policies that vote is over, at `cycle` after `cycles`: `samples` go to them and begin anew. */
void gpci_replay_sample(gpc_replay *r, uint64_t cycle, uint64_t cycles);

/* timed_replay.c: the other way to run a kernel. */
gpc_status gpci_timed_replay_create(gpc_replay *r, gpc_error *error);
void gpci_timed_replay_destroy(gpci_timed_replay *t);
/* A block has its place on an SM: it starts when it may. */
void gpci_timed_place(gpci_timed_replay *t, uint32_t sm, gpci_block_run *run);
/* Blocks that have just got their places start in one cycle. */
void gpci_timed_start_as_one(gpci_timed_replay *t, gpci_block_run *const *blocks, uint32_t count);
/* All blocks of the kernel, from its launch to its last completion: begin, then run. GPC_BUSY: to `pause_at`. */
void gpci_timed_begin(gpci_timed_replay *t);
void gpci_timed_tell_kernel(gpci_timed_replay *t, const char *name); /* before it */
gpc_status gpci_timed_run(gpci_timed_replay *t, gpc_error *error);
/* The hierarchy's statistics and those counted here. */
void gpci_timed_stats(const gpci_timed_replay *t, gpc_stats *stats);
/* The last sample of the kernel, whose statistics are now `stats`. */
void gpci_timed_last_sample(gpci_timed_replay *t, const gpc_stats *stats);

#endif
