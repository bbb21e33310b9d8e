/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REPLAY_COPIES_H
#define GPC_REPLAY_COPIES_H

#include "replay/core/timed_replay.h"

/*
 * Groups of a warp's asynchronous copies. LDGSTS sends a copy to memory, and the warp continues. LDGDEPBAR closes the
 * group of copies issued since the last LDGDEPBAR. DEPBAR n stalls the warp until at most n closed groups are
 * incomplete. Groups complete in order: a group stays incomplete while an older group is incomplete. A warp ends only
 * after its copies have completed, because the block's shared memory is reused after the end.
 *
 * A bulk load completes at an mbarrier of its block (mbarriers.h). Bulk stores and reductions form groups closed by
 * UTMACMDFLUSH.
 *
 * Example: two copies, LDGDEPBAR (group 0), one copy, LDGDEPBAR (group 1), DEPBAR 1: the warp waits for the first two
 * copies.
 */

/*
 * Size of the ring of groups. A scoreboard counter has 6 bits: with 63 closed groups, LDGDEPBAR waits for a group to
 * complete.
 */
#define GPCI_COPY_GROUPS 64u

typedef struct gpci_copy_groups {
    uint32_t under_way[GPCI_COPY_GROUPS]; /* [group % GPCI_COPY_GROUPS] number of copies in flight */
    uint32_t oldest;                      /* number of the oldest incomplete group */
    uint32_t open;                        /* number of the open group, to which the next copy belongs */
    uint32_t bulk;                        /* number of bulk copies in flight that complete at an mbarrier */
    bool used;                            /* true: the warp has sent a copy or closed a group */
    uint64_t since;                       /* 1 + core cycle since which the warp waits for copies; 0: not waiting */
} gpci_copy_groups;

/*
 * gpci_bulk_place: place that counts the next bulk copy, for the token of the copy (sm_tokens.h). Places 1 to
 * GPCI_COPY_GROUPS are groups, and higher places are mbarriers. 0: no mbarrier of the SM is free now. gpci_bulk_send:
 * note that a copy was sent. gpci_bulk_done, gpci_multicast_done: note that a copy has completed.
 */
uint64_t gpci_bulk_place(gpci_timed_sm *core, uint32_t slot, const gpci_block_run *run,
                         const gpc_instruction *instruction);
void gpci_bulk_send(gpci_timed_sm *core, uint32_t slot, uint64_t place);
void gpci_bulk_done(gpci_timed_replay *timed_replay, const gpc_completion *completion, uint32_t place);
void gpci_multicast_done(gpci_timed_replay *timed_replay, const gpc_completion *completion);
/* Execute the effect of an issued instruction on groups (commit) and mbarriers. GPC_ERROR_MEMORY. */
GPCI_COLD gpc_status gpci_copies_issued(gpci_timed_replay *timed_replay, uint32_t sm, uint32_t slot,
                                        const gpci_form *form, uint64_t now);

/* Clear the groups, when a warp starts. */
void gpci_copies_start(gpci_copy_groups *groups);
/*
 * gpci_copies_place: place of the open group, for the token of the next copy. gpci_copies_send: note that a copy was
 * sent. gpci_copies_done: note that a copy has completed.
 */
uint64_t gpci_copies_place(const gpci_copy_groups *groups);
void gpci_copies_send(gpci_copy_groups *groups);
void gpci_copies_done(gpci_copy_groups *groups, uint64_t place);
/* Close the open group (LDGDEPBAR). */
void gpci_copies_commit(gpci_timed_sm *core, gpci_copy_groups *groups);
/*
 * True if the warp's next instruction must wait for copies. Counts the waits and their cycles. `now`: core cycle;
 * `first`: first cycle in which the warp could issue.
 */
GPCI_COLD bool gpci_copies_hold(gpci_timed_sm *core, uint32_t slot, const gpci_form *next, uint64_t now,
                                uint64_t first);

/* True if the warp has copies in flight, so that it may not end. */
GPCI_INLINE bool gpci_copies_any(const gpci_copy_groups *groups) {
    return groups->bulk || groups->oldest != groups->open || groups->under_way[groups->open % GPCI_COPY_GROUPS];
}

#endif
