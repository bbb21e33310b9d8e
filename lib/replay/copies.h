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
 * Example: two copies, LDGDEPBAR (group 0), one copy, LDGDEPBAR (group 1), DEPBAR 1: it waits for the two copies.
 */

/* Groups by number modulo. A scoreboard's counter has 6 bits: behind 63 closed groups LDGDEPBAR waits for the oldest. */
#define GPCI_COPY_GROUPS 64u

typedef struct gpci_copy_groups {
    uint32_t under_way[GPCI_COPY_GROUPS]; /* copies of each group */
    uint32_t oldest;                      /* that is not done, */
    uint32_t open;                        /* and the one that is not closed */
    bool used;                            /* since the warp started */
    uint64_t since;                       /* core cycle from which on its warp waits at a DEPBAR; 0: it does not */
} gpci_copy_groups;

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
    return groups->oldest != groups->open || groups->under_way[groups->open % GPCI_COPY_GROUPS];
}

#endif
