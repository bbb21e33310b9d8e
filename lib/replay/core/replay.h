/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REPLAY_REPLAY_H
#define GPC_REPLAY_REPLAY_H

#include "base/archive.h"
#include "config/config.h"
#include "functional/round_lanes.h"
#include "level/rules/hierarchy.h"
#include "stats/stats.h"
#include "trace/blocks/builder.h"
#include "trace/blocks/packed.h"

#include <gpucache/ext/replay.h>

/* Progress of a warp through the instructions. */
typedef struct gpci_warp_run {
    const gpci_path_step *next, *end; /* steps of the path */
    gpci_address_cursor addresses;
    uint32_t slot; /* warp number within the SM */
    bool at_barrier;
    uint32_t barrier; /* timed, if the block's barriers differ: number of the warp's next barrier */
} gpci_warp_run;

GPCI_INLINE gpci_warp_run gpci_warp_run_begin(const gpci_packed_warp *warp, uint32_t slot) {
    return (gpci_warp_run){.next = warp->path->steps,
                           .end = warp->path->steps + warp->path->count,
                           .addresses = gpci_packed_begin(warp),
                           .slot = slot};
}

/* A thread block on an SM, or waiting for room on an SM. */
typedef struct gpci_block_run {
    const gpci_packed_block *block;
    gpc_trace *trace;              /* trace of the block */
    struct gpci_block_run *queued; /* next block waiting for the SM */
    gpci_warp_run *warps;          /* [block->warp_count] */
    size_t capacity;               /* of `warps` */
    uint32_t next_warp;            /* warp of the next turn */
    uint32_t live;                 /* warps not ended */
    uint32_t writes;               /* timed, blocks.release = writes: writes in flight of ended warps */
    uint32_t at_barrier;
    bool counts_by_warp; /* timed: some warps skip the block's first barriers (barriers.c) */
    uint8_t stream;      /* stream of the block's kernel */
    uint8_t process;     /* process of addresses and code */
    uint32_t slot;       /* block slot in the SM */
    uint32_t first;      /* slot of the first warp; later warps follow */
    uint32_t sm;         /* current SM, or the SM on which the block ended */
    uint64_t start;      /* timed: core cycle */
    /* Kernels with clusters only (clusters.h). */
    struct gpci_block_run *ring; /* ring of the cluster's live blocks; NULL: no clusters */
    uint32_t mates;              /* number of gathered blocks of the cluster */
    uint32_t at_cluster;         /* count of arrivals at and departures from cluster barriers; odd: waiting */
} gpci_block_run;

typedef struct gpci_sm_run {
    gpci_block_run **resident; /* [occupancy], oldest first */
    uint32_t residents;
    uint32_t next_block; /* resident block of the next turn */
    gpci_block_run *first_queued, *last_queued;
    uint64_t instructions, threads; /* functional: not yet counted by the hierarchy */
} gpci_sm_run;

/* A turn at a memory instruction. */
typedef struct gpci_turn {
    const gpci_path_step *access;
    const gpci_block_run *run; /* valid only with an access */
    uint64_t *addresses;       /* [GPCI_MOST_LANES] one per lane; unused at a fence */
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
    uint64_t sample_interval; /* core cycles */
    uint64_t policy_period;   /* core cycles, or rounds, between samples for policies */
    gpc_sample *samples;      /* [sm_count], of the current period */
    uint64_t rounds;          /* functional: rounds of the current period */
    uint64_t all_rounds;      /* functional: rounds over all kernels */
    uint64_t pause_at;        /* core cycle, or number of rounds; UINT64_MAX: never */
    bool policies_vote;       /* a policy wants samples */
    gpci_future *future;      /* NULL without `l1.future` */
    bool learning;            /* dry run of the kernel */
    gpci_timed_replay *timed; /* NULL: functional */
    gpci_round_lanes *lanes;  /* functional with several threads; otherwise NULL */
    const struct gpci_driver
        *driver; /* the hierarchy's driver; while a timed replay warms caches, a driver without clock */
    bool warming;
    gpci_sm_run *sms;             /* [sm_count] */
    uint32_t sm_count, block_sms; /* block_sms: the first SMs, on GPUs; only they run blocks */
    uint32_t occupancy;           /* blocks an SM can hold */
    uint32_t room_capacity;
    bool block_order;               /* warps.order = block */
    bool recorded_order;            /* warps.order = recorded */
    gpci_turn *turns;               /* [sm_count], of a round */
    uint64_t *turn_addresses;       /* [sm_count][GPCI_MOST_LANES] */
    gpci_block_run *spare;          /* free list of runs */
    gpc_stats total, last;          /* statistics of all kernels, and of the last kernel that ended */
    bool has_last;                  /* a kernel has ended */
    struct gpci_sampling *sampling; /* NULL: sample = none */
    gpci_kept_objects *objects;     /* NULL unless gpc_replay_keep_objects */
    /* [streams_seen] stream ids of the trace, with `streams` above 1; room for the maximum; NULL: none yet. */
    uint64_t *stream_ids;
    uint32_t streams_seen;
    uint8_t stream;                 /* stream of the current kernel */
    struct gpci_together *together; /* concurrent kernels (together.h); NULL: kernels run in sequence */
    bool inside;                    /* within gpc_replay_kernel */
    struct gpci_parked *parked;     /* loaded blocks not yet matched with a trace, or NULL */
    /* the current kernel */
    gpc_trace *trace; /* NULL: no kernel, or a parked kernel */
    gpc_kernel kernel;
    gpc_stats before;                    /* statistics when the kernel began */
    bool begun;                          /* the kernel is launched */
    uint32_t next_sm;                    /* round robin over SMs; with clusters, over GPCs */
    uint32_t cluster[3], cluster_blocks; /* dimensions and size of a cluster in thread blocks; 1: no clusters */
    gpci_block_run *first_gathered, *last_gathered; /* with clusters: blocks without a place */
    uint32_t queued, resident;
    bool by_map; /* blocks go where the trace says */
    /* `blocks_read`: of the kernel. `blocks_last`: number after which no block is read. */
    uint64_t blocks_read, blocks_last;
    bool skipping; /* not timed in a sampled replay */
    bool ended;    /* the trace has no further block of the kernel */
    /* `instructions`, `threads`: not yet counted by the hierarchy (threads: timed only). */
    uint64_t instructions, threads, blocks;
    uint64_t instructions_told, blocks_told; /* counted by the hierarchy */
    uint64_t next_progress;                  /* instructions */
    uint32_t turns_to_tell;                  /* timed: active cycles until the next on_progress */
    uint64_t first_pc, last_pc;
    uint64_t random;    /* state of the random order of turns */
    uint64_t had;       /* number of past kernels of the trace, for snapshots */
    uint64_t had_names; /* hash of the past kernels */
};

/* replay_snapshot.c: note a kernel of the trace that begins. */
void gpci_replay_had(gpc_replay *replay, const gpc_kernel *kernel);

/* replay_kernel.c: resources the current kernel needs of an SM; GPC_ERROR_RANGE. */
gpc_status gpci_replay_launch(const gpc_replay *replay, gpc_launch *launch, gpc_error *error);
/* Carry out the host's copies before the present kernel of a trace, of a process (kernels.copies). */
gpc_status gpci_replay_copies(gpc_replay *replay, const gpc_trace *trace, uint8_t process, gpc_error *error);
/* replay.c: core cycles, or rounds, since the first kernel. */
uint64_t gpci_replay_now(const gpc_replay *replay);

/* dispatch.c: dispatch of thread blocks from the trace to SMs. Choose the placement and compute the room. */
gpc_status gpci_dispatch_start(gpc_replay *replay, const gpc_launch *launch, gpc_error *error);
/* Set the number of blocks an SM can hold. */
gpc_status gpci_dispatch_occupancy(gpc_replay *replay, uint32_t occupancy, gpc_error *error);
/* Start a block on an SM with room. */
void gpci_dispatch_start_block(gpc_replay *replay, uint32_t sm, gpci_block_run *run);
/* Read and place blocks until every SM is full or the trace ends. */
gpc_status gpci_dispatch_fill(gpc_replay *replay, gpc_error *error);
/* End a block and free the resources. */
void gpci_dispatch_retire(gpc_replay *replay, uint32_t sm, gpci_block_run *run);
/* Give back all blocks, for example after an error. */
void gpci_dispatch_abandon(gpc_replay *replay);
/* Forget all blocks without giving any back; the trace may be gone. */
void gpci_dispatch_forget(gpc_replay *replay);
/* Make a run for a block read from the trace; NULL: out of memory. */
gpci_block_run *gpci_dispatch_take(gpc_replay *replay, const gpci_packed_block *block);
/* Read the next block of the trace. `out` NULL: no block is left, and `ended` is set. */
gpc_status gpci_dispatch_read(gpc_replay *replay, gpc_error *error, gpci_block_run **out);
void gpci_dispatch_give(gpc_replay *replay, gpci_block_run *run);
/* Queue a block for room on an SM, behind earlier blocks. */
void gpci_dispatch_queue(gpc_replay *replay, uint32_t sm, gpci_block_run *run);

/* Restart dispatch from the first block. */
void gpci_dispatch_again(gpc_replay *replay);

/* functional_replay.c: one turn of every SM: a warp advances through its next memory instruction or to a barrier. */
gpc_status gpci_functional_round(gpc_replay *replay, gpc_error *error);
/* Start threads as key `threads` says. GPC_ERROR_RANGE: several threads have no effect; GPC_ERROR_MEMORY. */
gpc_status gpci_functional_threads(gpc_replay *replay, gpc_error *error);
/* Run rounds on `options` threads from now on. Call only if gpci_round_lanes_check allows. */
gpc_status gpci_functional_share(gpc_replay *replay, const gpci_workers_options *options, gpc_error *error);

/*
 * fences.c: opcode of an instruction (scope, order). gpci_replay_fence: true if the hierarchy executes the fence, which
 * is filled in; otherwise the warp waits by itself.
 */
const gpci_opcode *gpci_replay_opcode(const gpci_block_run *run, const gpc_instruction *instruction);
bool gpci_replay_fence(const gpc_replay *replay, const gpci_block_run *run, const gpc_instruction *instruction,
                       uint32_t sm, uint32_t warp, gpc_fence *fence);
/* Access of a step; the caller adds the warp. `addresses`: one per active lane. */
GPCI_INLINE gpc_warp_access gpci_replay_access(const gpci_block_run *run, const gpci_path_step *step,
                                               const uint64_t *addresses) {
    const gpc_instruction *instruction = &step->form->instruction;
    const gpci_opcode *opcode = gpci_replay_opcode(run, instruction);
    return (gpc_warp_access){.struct_size = sizeof(gpc_warp_access),
                             .pc = instruction->pc,
                             .mask = step->mask,
                             .addresses = addresses,
                             .width = instruction->width,
                             .kind = instruction->kind,
                             .space = instruction->space,
                             .hint = instruction->hint,
                             .priority = instruction->priority,
                             .scope = opcode->scope,
                             .order = opcode->order,
                             .stream = run->stream,
                             .copy = opcode->copy,
                             .process = run->process};
}

/*
 * Map the addresses of an access, `bytes` from each, into the hierarchy's address space. False: with several processes,
 * an address exceeds 57 bits.
 */
GPCI_INLINE bool gpci_replay_enter(const gpc_replay *replay, const gpci_block_run *run, uint64_t *addresses,
                                   uint32_t count, uint32_t bytes) {
    const gpc_hierarchy *hierarchy = replay->hierarchy;
    if (GPCI_LIKELY(!hierarchy->processes))
        return true;
    for (uint32_t i = 0; i < count; i++)
        if (gpci_process_wrong(hierarchy, run->process, addresses[i], bytes))
            return false;
    gpci_process_enter(run->process, addresses, count);
    return true;
}
#define GPCI_BEYOND_PROCESS "an address is beyond the 57 bits that those of a hierarchy with several processes have"

/* Most accesses of an instruction: a MIXED access becomes an access per space. */
#define GPCI_ACCESS_PARTS 3u
/*
 * parts.c: split an instruction's access outside global space for the hierarchy. Addresses in local space become
 * offsets of threads. A MIXED access becomes an access per space: lanes in global and local memory come first, at least
 * one lane; lanes in shared memory go no further.
 *   addresses  [GPCI_MOST_LANES] of the access; they change, and the parts point into them
 *   parts      [GPCI_ACCESS_PARTS]
 * Returns the number of parts; 0: the lanes may touch more lines than an instruction has.
 */
uint32_t gpci_replay_parts(const gpci_block_run *run, const gpci_path_step *step, const gpc_warp_access *access,
                           uint64_t *addresses, gpc_warp_access *parts);
/* gpci_replay_enter for the parts of an access. Offsets of threads get the process with their addresses. */
bool gpci_replay_enter_parts(const gpc_replay *replay, const gpci_block_run *run, const gpc_warp_access *parts,
                             uint32_t count, uint64_t *addresses);
/* Let the driver perform the parts as one instruction; in a dry run, record them. */
gpc_status gpci_replay_other(const gpc_replay *replay, gpc_hierarchy *hierarchy, const gpci_block_run *run,
                             const gpci_path_step *step, const gpc_warp_access *access, uint64_t *addresses);

/*
 * replay.c: reset the progress of the kernel. gpci_replay_rounds: run rounds until no block is left; GPC_BUSY: reached
 * `pause_at`.
 */
void gpci_replay_begin(gpc_replay *replay);
gpc_status gpci_replay_rounds(gpc_replay *replay, gpc_error *error);

/* recorded.c: gpci_replay_rounds in the recorded order of the kernel. GPC_ERROR_NOT_FOUND: no recording. */
gpc_status gpci_recorded_check(const gpc_replay *replay, gpc_error *error);
gpc_status gpci_recorded_run(gpc_replay *replay, gpc_error *error);
/* Launch parameters given by the host; false: none. */
bool gpci_recorded_launch(const gpc_replay *replay, gpc_launch *launch);

/*
 * learn.c: run the kernel dry, then prepare the real run. gpci_replay_record: record an access of the dry run;
 * GPC_ERROR_MEMORY.
 */
gpc_status gpci_replay_learn(gpc_replay *replay, gpc_error *error);
gpc_status gpci_replay_record(const gpc_replay *replay, const gpc_warp_access *access);

/* replay.c: statistics of the hierarchy and the replay, over all kernels so far and the time between. */
void gpci_replay_stats(const gpc_replay *replay, gpc_stats *stats);
/* replay_objects.c: assert the ledger of an idle replay, in the checking build (base/check.h). */
void gpci_replay_check_ledger(const gpc_replay *replay);
/* Note the values by object when a kernel begins. gpci_replay_archive_objects: save or load them. */
void gpci_replay_note_objects(gpc_replay *replay);
/* gpc_replay_read for `function`. */
gpc_status gpci_replay_read(const gpc_replay *replay, gpc_object kind, uint32_t index, const uint32_t *ids,
                            size_t count, uint64_t *values, size_t value_count, const char *function, gpc_error *error);
void gpci_replay_archive_objects(gpc_replay *replay, gpci_archive *archive);

/* replay.c: call the progress callback if due. gpci_replay_count: pass uncounted instructions to the hierarchy. */
gpc_status gpci_replay_progress(gpc_replay *replay, gpc_error *error);
void gpci_replay_count(gpc_replay *replay);
/* icache.c: true if instruction caches read code; `launch.code` then counts nothing. */
bool gpci_replay_reads_code(const gpc_replay *replay);
/* replay.c: switch a timed replay to running blocks without the clock, or back. Nothing may be in flight. */
void gpci_replay_warm(gpc_replay *replay, bool warming);
/* A period of voting policies ends at `cycle`, after `cycles`: pass `samples` to the policies and clear them. */
void gpci_replay_sample(gpc_replay *replay, uint64_t cycle, uint64_t cycles);

/* timed_replay.c: timed replay of a kernel. */
gpc_status gpci_timed_replay_create(gpc_replay *replay, gpc_error *error);
void gpci_timed_replay_destroy(gpci_timed_replay *timed_replay);
/* A block got its place on an SM and starts when allowed. */
void gpci_timed_place(gpci_timed_replay *timed_replay, uint32_t sm, gpci_block_run *run);
/* Start blocks in one cycle, after placement. */
void gpci_timed_start_as_one(gpci_timed_replay *timed_replay, gpci_block_run *const *blocks, uint32_t count);
/* Run the blocks of the kernel, from launch to the last completion: begin, then run. GPC_BUSY: reached `pause_at`. */
void gpci_timed_begin(gpci_timed_replay *timed_replay);
void gpci_timed_tell_kernel(gpci_timed_replay *timed_replay, const char *name); /* call before gpci_timed_begin */
gpc_status gpci_timed_run(gpci_timed_replay *timed_replay, gpc_error *error);
/* Statistics of the hierarchy and of the timed replay. */
void gpci_timed_stats(const gpci_timed_replay *timed_replay, gpc_stats *stats);
/* Give the last sample of the kernel; `stats`: its statistics. */
void gpci_timed_last_sample(gpci_timed_replay *timed_replay, const gpc_stats *stats);

#endif
