/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_INVARIANTS_H
#define GPC_COHERENCE_INVARIANTS_H

#include "coherence/tree.h"

/*
 * What holds in a tree between two transactions, whatever came before. Each returns true, or false with a sentence in
 * `text`. "Peers" are the modules above one module; "rights" are M, E and O.
 *
 * Of an address, in protocols with a directory:
 *   one writer    a module in M or E has no peer with a valid copy, of any state; at most one peer is in O
 *   rights below  what a module has rights to, every cache between it and memory has at least the same rights to
 *   covered       every valid copy stands among the sharers of the module below, in an entry that is valid
 *   owners        who has rights is the owner below; an owner with a valid copy is in M, E, O, or in N (which a block
 *                 in E becomes in silence; not in nmoesi-multi2sim, which tells the module below), or writes through
 *   inclusion     a valid copy is valid in every cache below that is not non-inclusive
 * and in all protocols:
 *   clean         modified bytes only in N, M, O (protocols without a directory: in any valid state)
 */
bool gpci_invariants_at(const gpc_coherence *c, uint64_t address, char *text, size_t size);

/* The first of them alone: of copies that are not locked it holds at any time, whatever is in flight. */
bool gpci_invariants_one_writer(const gpc_coherence *c, uint64_t address, char *text, size_t size);

/* Likewise of every smallest block in [first, first + bytes). */
bool gpci_invariants_over(const gpc_coherence *c, uint64_t first, uint64_t bytes, char *text, size_t size);

/*
 * Of tags and lists, of all modules: each tag once and in its set, recency a permutation, invalid blocks without tag,
 * owner and sharers, owners among the sharers, states that the protocol's place has (memory: I, E, M).
 */
bool gpci_invariants_of_tags(const gpc_coherence *c, char *text, size_t size);

/*
 * The value that a byte has for the whole tree: of memory, the caches that all processors share, and the modules with
 * rights, it is that of the one nearest to the processors that has modified it. What was stored non-coherently is not
 * in it until it is written back.
 */
uint8_t gpci_invariants_home(const gpc_coherence *c, uint64_t address);

/* Of coherent protocols: a byte that is not modified in a module with rights is what the module below has. */
bool gpci_invariants_of_home(const gpc_coherence *c, uint64_t address, char *text, size_t size);

/* The module's block of an address, with data; GPCI_TREE_NO_BLOCK: no valid copy (a directory entry alone is none). */
uint32_t gpci_invariants_copy(const gpci_module *m, uint64_t address);

#endif
