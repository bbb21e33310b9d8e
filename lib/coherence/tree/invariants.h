/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_INVARIANTS_H
#define GPC_COHERENCE_INVARIANTS_H

#include "coherence/module/tree.h"

/*
 * Invariants of a tree between two transactions, whatever accesses came before. Every function returns true, or false
 * with a sentence in `text`. "Peers" are the modules above the same module; a module with "rights" is in M, E or O.
 *
 * Of an address, in protocols with a directory:
 *   one writer    a module in M or E has no peer with a valid copy; at most one peer is in O
 *   rights below  if a module has rights, every cache between it and memory has at least equal rights
 *   covered       every valid copy is among the sharers of the module below, in a valid entry
 *   owners        a module with rights is the owner below; an owner with a valid copy is in M, E, O, or in N (E becomes
 *                 N silently, except in nmoesi-multi2sim, which informs the module below)
 *   inclusion     a valid copy is valid in every cache below, except non-inclusive ones
 * and in all protocols:
 *   clean         modified bytes only in N, M, O (without a directory: in any valid state)
 */
bool gpci_invariants_at(const gpc_coherence *coherence, uint64_t address, char *text, size_t size);

/* Check only "one writer": for unlocked copies, the rule holds even with accesses in flight. */
bool gpci_invariants_one_writer(const gpc_coherence *coherence, uint64_t address, char *text, size_t size);

/* Check every smallest block in [first, first + bytes). */
bool gpci_invariants_over(const gpc_coherence *coherence, uint64_t first, uint64_t bytes, char *text, size_t size);

/*
 * Check tags and orders of all modules. Every tag is in its set, and only once; the recency of a set is a permutation
 * of the ways; an invalid block has no tag, owner or sharers; an owner is a sharer; a memory's blocks are in I, E or M.
 */
bool gpci_invariants_of_tags(const gpc_coherence *coherence, char *text, size_t size);

/*
 * Value of a byte, for the whole tree. The value's home is memory, a cache shared by all processors, or a module with
 * rights: of the modules that have modified the byte, the module nearest to the processors. Non-coherent stores count
 * only after the write-back.
 */
uint8_t gpci_invariants_home(const gpc_coherence *coherence, uint64_t address);

/* For coherent protocols: check that a byte which a module with rights has not modified equals the byte below. */
bool gpci_invariants_of_home(const gpc_coherence *coherence, uint64_t address, char *text, size_t size);

/*
 * Valid block of an address in the module, with data. GPCI_TREE_NO_BLOCK: no valid copy; a directory entry without data
 * is no copy.
 */
uint32_t gpci_invariants_copy(const gpci_module *module, uint64_t address);

#endif
