/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REPLAY_MBARRIERS_H
#define GPC_REPLAY_MBARRIERS_H

#include "replay/core/timed_replay.h"

/*
 * mbarriers in the shared memory of thread blocks (PTX ISA, "mbarrier"). A phase of a barrier ends when the expected
 * number of threads have arrived and all expected bytes have come. A waiting warp names the parity of a phase. The
 * trace gives these numbers (GPC_REGISTER_NUMBER). If the trace lacks the number of arrivals, an arrival, or the parity
 * of SYNCS.PHASECHK, a warp does not wait for a phase, but for all bulk copies sent to the barrier. The counter
 * mbarrier.untold_checks counts such checks.
 *
 * Example, a barrier for 1 arrival: a thread arrives and expects 4,096 bytes, a copy of 4,096 bytes is sent, and warps
 * wait for parity 0. The last reply of the copy ends phase 0 and the warps continue. Warps that wait for parity 1 wait
 * for the next phase.
 */
typedef struct gpci_mbarrier {
    uint16_t number;  /* number of the barrier within the block */
    uint16_t first;   /* slot of the block's first warp in the SM */
    uint32_t block;   /* index of the block in the grid */
    uint32_t pending; /* number of copies in flight that complete at the barrier */
    uint32_t count;   /* number of arrivals per phase; 0: unknown */
    int64_t left;     /* number of arrivals missing in the current phase */
    int64_t bytes;    /* number of bytes missing in the current phase */
    uint32_t parity;  /* parity of the current phase: 0, then 1 and 0 in turn */
    bool used;
} gpci_mbarrier;

/* Largest number of barriers in use on an SM. */
#define GPCI_MBARRIERS 256u

/*
 * gpci_mbarrier_place: index of a block's barrier in gpci_timed_sm.barriers; take a free place if the barrier has none.
 * GPCI_MBARRIERS: no place is free. gpci_mbarrier_send: note that a copy to the barrier was sent.
 */
uint32_t gpci_mbarrier_place(gpci_timed_sm *core, const gpci_block_run *run, uint32_t number);
void gpci_mbarrier_send(gpci_timed_sm *core, uint32_t place);
/* Note that a copy of `bytes` has arrived at a barrier. `run`: block of the barrier; NULL: the block has ended. */
void gpci_mbarrier_copied(gpci_timed_replay *timed_replay, uint32_t sm, uint32_t place, const gpci_block_run *run,
                          uint32_t bytes);
/*
 * gpci_mbarrier_init: execute SYNCS.EXCH. gpci_mbarrier_arrive: execute SYNCS.ARRIVE at core cycle `now`.
 * gpci_mbarrier_outside: an issued copy does not bring its out-of-bounds bytes. Expect fewer bytes at the barrier of
 * the own block, or of the target blocks of a multicast copy.
 */
void gpci_mbarrier_init(gpci_timed_sm *core, const gpci_block_run *run, const gpc_instruction *instruction);
gpc_status gpci_mbarrier_arrive(gpci_timed_replay *timed_replay, uint32_t sm, gpci_block_run *run,
                                const gpc_instruction *instruction, uint64_t now);
void gpci_mbarrier_outside(gpci_timed_replay *timed_replay, uint32_t sm, gpci_block_run *run,
                           const gpc_instruction *instruction, uint64_t now);
/* True if SYNCS.PHASECHK stalls the warp. `told`: true if the phase decides, false if copies in flight decide. */
bool gpci_mbarrier_holds(const gpci_timed_sm *core, const gpci_block_run *run, const gpc_instruction *instruction,
                         bool *told);
/* Drop the barriers of an ended block. */
void gpci_mbarriers_drop(gpci_timed_sm *core, const gpci_block_run *run);

/*
 * messages.c: messages between blocks of a cluster, over the network between SMs. A message takes sm.latency_cluster
 * cycles. A message is an arrival at a barrier of another block, or opens a cluster barrier for a block.
 */
typedef struct gpci_cluster_message {
    uint64_t due;       /* core cycle of arrival; ascending in the queue */
    uint32_t block, sm; /* receiver: block and its SM */
    /* number of the barrier; number of arrivals and of expected bytes in SYNCS.ARRIVE */
    uint32_t barrier, arrivals, bytes;
    uint32_t opens; /* 1: the block continues from a cluster barrier */
} gpci_cluster_message;

gpc_status gpci_cluster_tell(gpci_timed_replay *timed_replay, const gpci_cluster_message *message);
/* Deliver the messages due by `now`. */
void gpci_cluster_messages_deliver(gpci_timed_replay *timed_replay, uint64_t now);
void gpci_cluster_messages_archive(gpci_timed_replay *timed_replay, struct gpci_archive *archive);
/* Run of the live block with index `block` on an SM; NULL: no such block. */
gpci_block_run *gpci_run_of_block(const gpci_timed_replay *timed_replay, uint32_t sm, uint32_t block);

GPCI_INLINE uint64_t gpci_cluster_messages_next(const gpci_timed_replay *timed_replay) {
    return timed_replay->messages.first < timed_replay->messages.count
               ? timed_replay->messages.each[timed_replay->messages.first].due
               : GPCI_NEVER;
}

#endif
