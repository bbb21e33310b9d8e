/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_ENGINE_ROOM_H
#define GPC_COHERENCE_ENGINE_ROOM_H

#include "coherence/engine/engine_host.h"

/* Ways for blocks that lookups miss (engine_room.c). */

/* Value in place of a block: the lookup must wait for room, in a cache of two halves. */
#define GPCI_WAIT_FOR_ROOM (GPCI_TREE_NO_BLOCK - 1)

/*
 * Collect the ways of a row, from `first` to `end` - 1, that are unlocked, or locked by access `inflight` (if not
 * GPCI_NO_ITEM): a bit per way, with bit 0 for way `first`. Returns the number of ways.
 */
uint32_t gpci_unlocked_ways(const gpci_engine *engine, const gpci_module *module, uint32_t base, uint32_t first,
                            uint32_t end, uint32_t inflight, uint64_t *candidates);
/*
 * Choose and lock a directory-only way in the task's module `from`, for the entry of a block. GPCI_TREE_NO_BLOCK: all
 * such ways are locked. `lent` is set if the access had locked the way before.
 */
uint32_t gpci_take_directory_way(gpci_engine *engine, gpci_task *task, uint64_t tag);
/*
 * Choose a way for a missing block, by the module's policy among unlocked ways. If all ways are locked, returns a
 * locked block to wait for, or GPCI_WAIT_FOR_ROOM. Multi2Sim (any_victim) chooses regardless of locks, and then waits
 * for the chosen block; halves of a cache must not wait for each other in this manner.
 */
uint32_t gpci_choose_way(gpci_engine *engine, gpci_module *module, uint64_t tag, uint32_t row);
/* Choose a directory-only way, or a fill way, in place of a regular way. */
uint32_t gpci_choose_entry_way(const gpci_engine *engine, gpci_module *module, uint64_t tag, uint32_t row);
/*
 * True if a policy keeps out the block of a lookup (module_ask.c): the request is for a copy, and the block is missing
 * or only a directory entry. Only for modules with `asks`. The policy is asked once per lookup.
 */
bool gpci_is_kept_out(const gpci_engine *engine, gpci_task *find, uint64_t tag);
/*
 * True if a request of a near half must wait: near halves leave at least one way of a set unlocked, so that the home
 * half always finds a way in the end (halves.c).
 */
bool gpci_is_full_of_near(const gpci_engine *engine, const gpci_module *module, uint64_t tag);

#endif
