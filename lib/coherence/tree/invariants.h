/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_INVARIANTS_H
#define GPC_COHERENCE_INVARIANTS_H

#include "coherence/module/tree.h"

/*
 * Invariants of a tree between two transactions, for any history. Every function returns true, or false with a sentence
 * in `text`. "Peers" are the modules above one module; "rights" are M, E and O.
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

/* Check "one writer" alone: for unlocked copies the rule holds even with accesses in flight. */
bool gpci_invariants_one_writer(const gpc_coherence *coherence, uint64_t address, char *text, size_t size);

/* Check every smallest block in [first, first + bytes). */
bool gpci_invariants_over(const gpc_coherence *coherence, uint64_t first, uint64_t bytes, char *text, size_t size);

/*
 * Check tags and lists of all modules: every tag once and in the set; recency is a permutation; invalid blocks without
 * tag, owner and sharers; owners among the sharers; states allowed at the module's place (memory: I, E, M).
 */
bool gpci_invariants_of_tags(const gpc_coherence *coherence, char *text, size_t size);

/*
 * Value of a byte for the whole tree. Candidates are memory, the caches shared by all processors, and modules with
 * rights; the value is in the candidate nearest to the processors that has modified it. Non-coherent stores count only
 * after write-back.
 */
uint8_t gpci_invariants_home(const gpc_coherence *coherence, uint64_t address);

/* For coherent protocols: check that a byte unmodified in a module with rights equals the byte below. */
bool gpci_invariants_of_home(const gpc_coherence *coherence, uint64_t address, char *text, size_t size);

/*
 * Block of an address in the module, with data; GPCI_TREE_NO_BLOCK: no valid copy (a directory entry alone is no copy).
 */
uint32_t gpci_invariants_copy(const gpci_module *module, uint64_t address);

#endif
