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

/* Progress of a warp through its instructions. */
typedef struct gpci_warp_run {
    const gpci_path_step *next, *end; /* next step of the warp's path; end of the path */
    gpci_address_cursor addresses;
    uint32_t slot; /* warp number within the SM */
    bool at_barrier;
    uint32_t barrier; /* timed, with counts_by_warp: number of the warp's next barrier */
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
    struct gpci_block_run *queued; /* next block in the same list */
    gpci_warp_run *warps;          /* [block->warp_count] */
    size_t capacity;               /* capacity of `warps` */
    uint32_t next_warp;            /* functional: first warp to try for the next turn */
    uint32_t live;                 /* number of warps that have not ended */
    uint32_t writes;               /* timed, blocks.release = writes: number of writes in flight of ended warps */
    uint32_t at_barrier;           /* number of warps that wait at a barrier */
    bool counts_by_warp;           /* timed: some warps skip the block's first barriers (barriers.c) */
    uint8_t stream;                /* stream of the block's kernel */
    uint8_t process;               /* process of addresses and code */
    uint32_t slot;                 /* block slot in the SM */
    uint32_t first;                /* warp slot of the block's first warp; the other warps follow */
    uint32_t sm;                   /* SM on which the block runs, or ended */
    uint64_t start;                /* timed: core cycle in which the block starts */
    /* the following fields are only for kernels with clusters (clusters.h) */
    struct gpci_block_run *ring; /* ring of the cluster's live blocks; NULL: no clusters */
    uint32_t mates;              /* number of the cluster's gathered blocks, this block included */
    uint32_t at_cluster;         /* number of arrivals and departures at cluster barriers; odd: the block waits */
} gpci_block_run;

typedef struct gpci_sm_run {
    gpci_block_run **resident; /* [occupancy], oldest first */
    uint32_t residents;
    uint32_t next_block; /* functional: index of the resident block of the next turn */
    gpci_block_run *first_queued, *last_queued;
    uint64_t instructions, threads; /* functional: numbers not yet added to the hierarchy's counters */
} gpci_sm_run;

/* Turn of an SM in a round of a functional replay: a memory instruction or a fence. */
typedef struct gpci_turn {
    const gpci_path_step *access; /* NULL: the turn has no memory instruction */
    const gpci_block_run *run;    /* valid only if `access` is not NULL */
    uint64_t *addresses;          /* [GPCI_MOST_LANES] one per lane; unused at a fence */
    uint32_t sm, block;           /* block: index in the grid */
    uint32_t warp, age;           /* warp: slot within the SM */
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
    uint64_t sample_interval; /* core cycles between calls of on_sample */
    uint64_t policy_period;   /* core cycles (functional: rounds) between samples for policies */
    gpc_sample *samples;      /* [sm_count] samples of the current period */
    uint64_t rounds;          /* functional: rounds of the current period */
    uint64_t all_rounds;      /* functional: rounds over all kernels */
    uint64_t pause_at;        /* core cycle (functional: number of rounds) of the next pause; UINT64_MAX: never */
    bool policies_vote;       /* a cache policy wants samples */
    gpci_future *future;      /* NULL without `l1.future` */
    bool learning;            /* the kernel runs only to record its accesses (learn.c) */
    gpci_timed_replay *timed; /* NULL: functional */
    gpci_round_lanes *lanes;  /* functional with several threads; otherwise NULL */
    const struct gpci_driver *driver; /* the hierarchy's driver; with `warming`, gpci_functional_caches */
    bool warming;                     /* a timed replay runs blocks without the clock (gpci_replay_warm) */
    gpci_sm_run *sms;                 /* [sm_count] */
    uint32_t sm_count, block_sms;     /* block_sms: number of the first SMs that run blocks; the others are CPU cores */
    uint32_t occupancy;               /* blocks an SM can hold */
    uint32_t room_capacity;
    bool block_order;               /* warps.order = block */
    bool recorded_order;            /* warps.order = recorded */
    gpci_turn *turns;               /* [sm_count] turns of a round */
    uint64_t *turn_addresses;       /* [sm_count][GPCI_MOST_LANES] memory for gpci_turn.addresses */
    gpci_block_run *spare;          /* list of unused runs */
    gpc_stats total, last;          /* statistics of all ended kernels, and of the last ended kernel */
    bool has_last;                  /* a kernel has ended: `last` is valid */
    struct gpci_sampling *sampling; /* NULL: sample = none */
    gpci_kept_objects *objects;     /* NULL unless gpc_replay_keep_objects */
    /* With `streams` above 1: ids of the trace's streams so far, [streams_seen]; NULL: no kernel was run yet */
    uint64_t *stream_ids;
    uint32_t streams_seen;
    uint8_t stream;                 /* stream of the current kernel */
    struct gpci_together *together; /* concurrent kernels (together.h); NULL: kernels run in sequence */
    bool inside;                    /* within gpc_replay_kernel */
    struct gpci_parked *parked;     /* blocks of a loaded snapshot, before gpc_replay_resume; NULL: none */
    /* the current kernel */
    gpc_trace *trace; /* NULL: no kernel, or a parked kernel */
    gpc_kernel kernel;
    gpc_stats before;                    /* statistics when the kernel began */
    bool begun;                          /* the kernel was launched in the hierarchy, and has not ended */
    uint32_t next_sm;                    /* SM (with clusters: GPC) to try first for the next block */
    uint32_t cluster[3], cluster_blocks; /* dimensions and size of a cluster in thread blocks; 1: no clusters */
    gpci_block_run *first_gathered, *last_gathered; /* with clusters: blocks that wait for the cluster or for room */
    uint32_t queued, resident;                      /* number of blocks that wait, and of blocks on SMs */
    bool by_map;                                    /* the trace's placement map gives the SM of each block */
    /* blocks_read: number of blocks read. blocks_last: after this number, no further block is read. */
    uint64_t blocks_read, blocks_last;
    bool skipping; /* in a sampled replay: the kernel is not timed */
    bool ended;    /* no further block of the kernel will be read */
    /* instructions, threads: numbers not yet added to the hierarchy's counters. blocks: number of ended blocks. */
    uint64_t instructions, threads, blocks;
    uint64_t instructions_told, blocks_told; /* numbers that the hierarchy has counted */
    uint64_t next_progress;                  /* number of instructions at the next call of on_progress */
    uint32_t turns_to_tell;                  /* timed: number of active cycles until the next call of on_progress */
    uint64_t first_pc, last_pc;              /* lowest and highest PC of the kernel's instructions so far */
    uint64_t random;                         /* state of the generator for the random order of turns */
    uint64_t had;                            /* number of the trace's kernels so far, for snapshots */
    uint64_t had_names;                      /* hash of the names and dimensions of these kernels */
};

/* replay_snapshot.c: count a kernel of the trace that begins, in `had` and `had_names`. */
void gpci_replay_had(gpc_replay *replay, const gpc_kernel *kernel);

/* replay_kernel.c: launch parameters of the current kernel. GPC_ERROR_RANGE: a warp has more lanes than sm.lanes. */
gpc_status gpci_replay_launch(const gpc_replay *replay, gpc_launch *launch, gpc_error *error);
/* With kernels.copies, put into L2 what the trace's host copied to the GPU before the present kernel of a process. */
gpc_status gpci_replay_copies(gpc_replay *replay, const gpc_trace *trace, uint8_t process, gpc_error *error);
/* replay.c: time of the replay since its creation: core cycle, or, functional, number of rounds. */
uint64_t gpci_replay_now(const gpc_replay *replay);

/* dispatch.c. Begin the dispatch of a kernel's thread blocks: choose the placement, and compute the occupancy. */
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
/* Forget all blocks, and give none back to the trace: the trace may not exist any more. */
void gpci_dispatch_forget(gpc_replay *replay);
/* Make a run for a block read from the trace; NULL: out of memory. */
gpci_block_run *gpci_dispatch_take(gpc_replay *replay, const gpci_packed_block *block);
/* Read the next block of the trace. `out` NULL: no block is left, and `ended` is set. */
gpc_status gpci_dispatch_read(gpc_replay *replay, gpc_error *error, gpci_block_run **out);
void gpci_dispatch_give(gpc_replay *replay, gpci_block_run *run);
/* Let a block wait for room on an SM, behind the blocks that wait already. */
void gpci_dispatch_queue(gpc_replay *replay, uint32_t sm, gpci_block_run *run);

/* Restart dispatch from the first block. */
void gpci_dispatch_again(gpc_replay *replay);

/* functional_replay.c: give every SM a turn: a warp advances through its next memory instruction, or to a barrier. */
gpc_status gpci_functional_round(gpc_replay *replay, gpc_error *error);
/* Start the threads of key `threads`. GPC_ERROR_RANGE: the replay cannot use several threads; GPC_ERROR_MEMORY. */
gpc_status gpci_functional_threads(gpc_replay *replay, gpc_error *error);
/* Run rounds on `options` threads from now on. Call only if gpci_round_lanes_check allows. */
gpc_status gpci_functional_share(gpc_replay *replay, const gpci_workers_options *options, gpc_error *error);

/*
 * fences.c. gpci_replay_opcode: properties of an instruction's opcode (scope, order). gpci_replay_fence: true if the
 * instruction is a fence that the hierarchy executes; `fence` receives the fence. If false, only the warp waits.
 */
const gpci_opcode *gpci_replay_opcode(const gpci_block_run *run, const gpc_instruction *instruction);
bool gpci_replay_fence(const gpc_replay *replay, const gpci_block_run *run, const gpc_instruction *instruction,
                       uint32_t sm, uint32_t warp, gpc_fence *fence);
/* Make the access of a step. The caller sets the SM, the warp and the block. `addresses`: one per active lane. */
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
 * Join the block's process to the addresses of an access, which touches `bytes` bytes from each address on. False: an
 * address has more than 57 bits, and the hierarchy has several processes.
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

/* Largest number of parts of an access: a MIXED access has a part per space. */
#define GPCI_ACCESS_PARTS 3u
/*
 * parts.c: split an access outside global space into parts of one space. Addresses in local space become offsets
 * (gpc_warp_access.local_offsets). A MIXED access becomes a part per space: first global, then local, then shared. The
 * first part is always global or local. The hierarchy does not perform a shared part.
 *   addresses  [GPCI_MOST_LANES] addresses of the access; the function reorders them, and the parts point into them
 *   parts      [GPCI_ACCESS_PARTS] receives the parts
 * Returns the number of parts; 0: the lanes may touch more than GPCI_MAX_TRANSACTIONS lines.
 */
uint32_t gpci_replay_parts(const gpci_block_run *run, const gpci_path_step *step, const gpc_warp_access *access,
                           uint64_t *addresses, gpc_warp_access *parts);
/* gpci_replay_enter for the parts of an access, except parts with local_offsets: their process is joined later. */
bool gpci_replay_enter_parts(const gpc_replay *replay, const gpci_block_run *run, const gpc_warp_access *parts,
                             uint32_t count, uint64_t *addresses);
/* Let the driver perform the parts as a single instruction. While `learning`, only record the parts. */
gpc_status gpci_replay_other(const gpc_replay *replay, gpc_hierarchy *hierarchy, const gpci_block_run *run,
                             const gpci_path_step *step, const gpc_warp_access *access, uint64_t *addresses);

/*
 * replay.c. gpci_replay_begin: reset the progress of the kernel. gpci_replay_rounds: run rounds until no block is left.
 * GPC_BUSY: the replay has reached `pause_at`.
 */
void gpci_replay_begin(gpc_replay *replay);
gpc_status gpci_replay_rounds(gpc_replay *replay, gpc_error *error);

/*
 * recorded.c. gpci_recorded_run: run the kernel in the recorded order of turns. gpci_recorded_check:
 * GPC_ERROR_NOT_FOUND if the trace has no recording.
 */
gpc_status gpci_recorded_check(const gpc_replay *replay, gpc_error *error);
gpc_status gpci_recorded_run(gpc_replay *replay, gpc_error *error);
/* Get the launch parameters that the recorded host gave. False: the host gave none. */
bool gpci_recorded_launch(const gpc_replay *replay, gpc_launch *launch);

/*
 * learn.c. gpci_replay_learn: run the kernel only to record its accesses, then prepare the real run.
 * gpci_replay_record: record an access. GPC_ERROR_MEMORY.
 */
gpc_status gpci_replay_learn(gpc_replay *replay, gpc_error *error);
gpc_status gpci_replay_record(const gpc_replay *replay, const gpc_warp_access *access);

/* replay.c: statistics of the hierarchy and the replay, since the creation. */
void gpci_replay_stats(const gpc_replay *replay, gpc_stats *stats);
/* replay_objects.c: assert the ledger of an idle replay, in the checking build (base/check.h). */
void gpci_replay_check_ledger(const gpc_replay *replay);
/* Keep the present values of all objects, when a kernel begins (gpc_replay_keep_objects). */
void gpci_replay_note_objects(gpc_replay *replay);
/* gpc_replay_read, with `function` as the name in error messages. */
gpc_status gpci_replay_read(const gpc_replay *replay, gpc_object kind, uint32_t index, const uint32_t *ids,
                            size_t count, uint64_t *values, size_t value_count, const char *function, gpc_error *error);
void gpci_replay_archive_objects(gpc_replay *replay, gpci_archive *archive);

/*
 * replay.c. gpci_replay_progress: call on_progress if the call is due. gpci_replay_count: add the instructions and
 * blocks not yet counted to the hierarchy's counters.
 */
gpc_status gpci_replay_progress(gpc_replay *replay, gpc_error *error);
void gpci_replay_count(gpc_replay *replay);
/* icache.c: true if the replay has instruction caches, which read code; launch.code then has no effect. */
bool gpci_replay_reads_code(const gpc_replay *replay);
/* replay.c: switch a timed replay to running blocks without the clock, or back. Nothing may be in flight. */
void gpci_replay_warm(gpc_replay *replay, bool warming);
/* End a sampling period of `cycles` cycles at cycle `cycle`: pass `samples` to the cache policies, and clear them. */
void gpci_replay_sample(gpc_replay *replay, uint64_t cycle, uint64_t cycles);

/* timed_replay.c: timed replay of a kernel. */
gpc_status gpci_timed_replay_create(gpc_replay *replay, gpc_error *error);
void gpci_timed_replay_destroy(gpci_timed_replay *timed_replay);
/* Choose the start cycle of a block that was placed on an SM, and queue the block for its start. */
void gpci_timed_place(gpci_timed_replay *timed_replay, uint32_t sm, gpci_block_run *run);
/* Let placed blocks start in the same cycle, the latest of their start cycles. */
void gpci_timed_start_as_one(gpci_timed_replay *timed_replay, gpci_block_run *const *blocks, uint32_t count);
/* gpci_timed_begin: launch the kernel. gpci_timed_run: run the kernel to its end. GPC_BUSY: reached `pause_at`. */
void gpci_timed_begin(gpci_timed_replay *timed_replay);
void gpci_timed_tell_kernel(gpci_timed_replay *timed_replay, const char *name); /* call before gpci_timed_begin */
gpc_status gpci_timed_run(gpci_timed_replay *timed_replay, gpc_error *error);
/* Statistics of the hierarchy and of the timed replay. */
void gpci_timed_stats(const gpci_timed_replay *timed_replay, gpc_stats *stats);
/* Call on_sample for the rest of the kernel. `stats`: statistics at the end of the kernel. */
void gpci_timed_last_sample(gpci_timed_replay *timed_replay, const gpc_stats *stats);

#endif
