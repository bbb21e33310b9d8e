/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REPLAY_COPIES_H
#define GPC_REPLAY_COPIES_H

#include "replay/timed_replay.h"

/*
 * Groups of a warp's asynchronous copies. LDGSTS goes to memory, and its warp on; LDGDEPBAR closes the group of those
 * since the last one; DEPBAR holds its warp until at most so many closed groups are under way. Groups are done in their
 * order: one is under way while an older one is. A warp ends when its copies have, for its block's shared memory is
 * then another's.
 *
 * A bulk copy that loads completes at an mbarrier of its block (mbarriers.h). Bulk stores and reductions are in groups,
 * which UTMACMDFLUSH closes.
 *
 * Example: two copies, LDGDEPBAR (group 0), one copy, LDGDEPBAR (group 1), DEPBAR 1: it waits for the two copies.
 */

/* Groups by number modulo. A scoreboard's counter has 6 bits: behind 63 closed groups LDGDEPBAR waits for one. */
#define GPCI_COPY_GROUPS 64u

typedef struct gpci_copy_groups {
    uint32_t under_way[GPCI_COPY_GROUPS]; /* copies of each group */
    uint32_t oldest;                      /* that is not done, */
    uint32_t open;                        /* and the one that is not closed */
    uint32_t bulk;                        /* copies under way that complete at a barrier */
    bool used;                            /* since the warp started */
    uint64_t since;                       /* core cycle from which on its warp waits at a DEPBAR; 0: it does not */
} gpci_copy_groups;

/*
 * A copy's place, for the token of its completion (sm_tokens.h): its group, from 1, or behind all of these its barrier;
 * 0: an SM has none for it now. It has been sent. That has come.
 */
uint64_t gpci_bulk_place(gpci_timed_sm *sm, uint32_t slot, const gpci_block_run *run,
                         const gpc_instruction *instruction);
void gpci_bulk_send(gpci_timed_sm *sm, uint32_t slot, uint64_t place);
void gpci_bulk_done(gpci_timed_replay *t, const gpc_completion *completion, uint32_t place);
void gpci_multicast_done(gpci_timed_replay *t, const gpc_completion *completion);
/* An instruction that is no access has been issued, and has to do with copies. GPC_ERROR_MEMORY. */
GPCI_COLD gpc_status gpci_copies_issued(gpci_timed_replay *t, uint32_t sm, uint32_t slot, const gpci_form *form,
                                        uint64_t now);

/* A warp starts, without any. */
void gpci_copies_start(gpci_copy_groups *groups);
/* Where its next copy will be counted, from 1, for the token of its completion; it has been sent; that has come. */
uint64_t gpci_copies_place(const gpci_copy_groups *groups);
void gpci_copies_send(gpci_copy_groups *groups);
void gpci_copies_done(gpci_copy_groups *groups, uint64_t place);
/* LDGDEPBAR. */
void gpci_copies_commit(gpci_timed_sm *sm, gpci_copy_groups *groups);
/* Does a warp's next instruction wait for copies? `now`: core cycle; waits are counted. */
GPCI_COLD bool gpci_copies_hold(gpci_timed_sm *sm, uint32_t slot, const gpci_form *next, uint64_t now);

/* Copies under way of a warp that is about to end. */
GPCI_INLINE bool gpci_copies_any(const gpci_copy_groups *groups) {
    return groups->bulk || groups->oldest != groups->open || groups->under_way[groups->open % GPCI_COPY_GROUPS];
}

#endif
