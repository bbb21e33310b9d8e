/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_ENGINE_ROOM_H
#define GPC_COHERENCE_ENGINE_ROOM_H

#include "coherence/engine/engine_host.h"

/* Ways of blocks that lookups bring (engine_room.c). */

/* No block is free in a cache of two halves; returned in place of a block. */
#define GPCI_WAIT_FOR_ROOM (GPCI_TREE_NO_BLOCK - 1)

/*
 * Collect the ways of a row, from `first` to below `end`, that are unlocked or locked by access `inflight` (if given):
 * a bit per way, bit 0 for `first`. Returns their number.
 */
uint32_t gpci_unlocked_ways(const gpci_engine *engine, const gpci_module *module, uint32_t base, uint32_t first,
                            uint32_t end, uint32_t inflight, uint64_t *candidates);
/*
 * Choose and lock a directory-only way of the task's own module `from` for a block's entry. GPCI_TREE_NO_BLOCK: all are
 * locked. If the access had locked the way before, `lent` is set.
 */
uint32_t gpci_take_directory_way(gpci_engine *engine, gpci_task *task, uint64_t tag);
/*
 * Choose a way for a missing block, by the module's policy among unlocked ways. If all are locked: a block of the first
 * way, to wait for the lock; or GPCI_WAIT_FOR_ROOM. Multi2Sim chooses regardless of locks and then waits for the chosen
 * block; halves of a cache must not wait for each other like this.
 */
uint32_t gpci_choose_way(gpci_engine *engine, gpci_module *module, uint64_t tag, uint32_t row);
/* Choose among directory-only ways or fill ways. */
uint32_t gpci_choose_entry_way(const gpci_engine *engine, gpci_module *module, uint64_t tag, uint32_t row);
/*
 * True if a policy keeps out a block missed by a request for a copy (or present only as an entry), module_ask.c. Only
 * for modules that ask; asked once per lookup.
 */
bool gpci_is_kept_out(const gpci_engine *engine, gpci_task *find, uint64_t tag);
/*
 * Requests of a near half leave a way of a set unlocked, for the home half to find a way in the end (halves.c). True if
 * the request must wait.
 */
bool gpci_is_full_of_near(const gpci_engine *engine, const gpci_module *module, uint64_t tag);

#endif
