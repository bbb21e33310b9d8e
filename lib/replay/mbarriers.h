/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REPLAY_MBARRIERS_H
#define GPC_REPLAY_MBARRIERS_H

#include "replay/timed_replay.h"

/*
 * mbarriers, in the shared memory of thread blocks (PTX ISA, "mbarrier"). A phase of one ends when so many threads as
 * it was made for have arrived, and all bytes that it was told to expect have come; who waits for a phase names its
 * parity. All that is as the trace tells it (GPC_REGISTER_NUMBER). Of a barrier of which it does not tell how many
 * arrive, or of which an arrival is not told, and at a SYNCS.PHASECHK without a parity, a warp waits for the bulk
 * copies that have been sent to the barrier, and for no phase: counted as mbarrier.untold_checks.
 *
 * Example, made for 1 arrival: a thread arrives and expects 4,096 bytes, a copy of so many is sent, and warps wait for
 * parity 0. The copy's last reply ends phase 0, and they go on; those that wait for parity 1 wait for the next.
 */
typedef struct gpci_mbarrier {
    uint32_t key;     /* the slot of its block's first warp in the SM, and its number */
    uint32_t block;   /* which that is, in the grid */
    uint32_t pending; /* copies under way to it */
    uint32_t count;   /* arrivals of a phase; 0: not told */
    int64_t left;     /* arrivals that the phase at hand lacks, */
    int64_t bytes;    /* and bytes */
    uint32_t phase;   /* that have ended */
    bool used;
} gpci_mbarrier;

/* Places of them in an SM. */
#define GPCI_MBARRIERS 256u

/* A place of a block's barrier, if need be a new one; GPCI_MBARRIERS: there is none. A copy is sent to it. */
uint32_t gpci_mbarrier_place(gpci_timed_sm *sm, const gpci_block_run *run, uint32_t number);
void gpci_mbarrier_send(gpci_timed_sm *sm, uint32_t place);
/* It has come, with so many bytes, for a block; NULL: one that has ended. */
void gpci_mbarrier_copied(gpci_timed_replay *t, uint32_t sm, uint32_t place, const gpci_block_run *run, uint32_t bytes);
/* SYNCS.EXCH and SYNCS.ARRIVE of a warp, at core cycle `now`; of a copy, the bytes that are out of bounds. */
void gpci_mbarrier_init(gpci_timed_sm *sm, const gpci_block_run *run, const gpc_instruction *instruction);
gpc_status gpci_mbarrier_arrive(gpci_timed_replay *t, uint32_t sm, gpci_block_run *run,
                                const gpc_instruction *instruction, uint64_t now);
void gpci_mbarrier_outside(gpci_timed_replay *t, uint32_t sm, gpci_block_run *run, const gpc_instruction *instruction);
/* Does a SYNCS.PHASECHK hold its warp? `told`: by its phase. */
bool gpci_mbarrier_holds(const gpci_timed_sm *sm, const gpci_block_run *run, const gpc_instruction *instruction,
                         bool *told);
/* A block has ended. */
void gpci_mbarriers_drop(gpci_timed_sm *sm, const gpci_block_run *run);

/*
 * messages.c: what blocks of a cluster tell each other, over the network between SMs, in sm.latency_cluster cycles:
 * that a thread arrives at a barrier of another's, and that all have come to a barrier of the cluster.
 */
typedef struct gpci_cluster_message {
    uint64_t due; /* core cycle; none is before that of the message before it */
    uint32_t block, sm;
    uint32_t barrier, arrivals, bytes; /* arrivals, bytes: of ARRIVE */
    uint32_t opens;                    /* 1: its block goes on, from a barrier of the cluster */
} gpci_cluster_message;

gpc_status gpci_cluster_tell(gpci_timed_replay *t, const gpci_cluster_message *message);
/* Those that are due by `now` arrive. */
void gpci_cluster_messages_deliver(gpci_timed_replay *t, uint64_t now);
void gpci_cluster_messages_archive(gpci_timed_replay *t, struct gpci_archive *archive);
/* The run of a block on an SM; NULL. */
gpci_block_run *gpci_run_of_block(const gpci_timed_replay *t, uint32_t sm, uint32_t block);

GPCI_INLINE uint64_t gpci_cluster_messages_next(const gpci_timed_replay *t) {
    return t->messages.first < t->messages.count ? t->messages.each[t->messages.first].due : GPCI_NEVER;
}

#endif
