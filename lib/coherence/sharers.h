/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_SHARERS_H
#define GPC_COHERENCE_SHARERS_H

#include "coherence/tree.h"

/*
 * Sets of sharers: of each sub-block of a block a bit for each module above, in words of GPCI_SHARERS bits.
 *
 * A directory has a set for each block that there is room for, and most of these sets are empty or of one module. So
 * where a set is more than a word, and the codes suffice, `sharers` has a code of 16 bits for each: 0 for none, 1 + its
 * place in `above` for one; what is greater than all places stands for a row of `shared`, which has the set's words.
 * Rows are taken by sets of two and more alone, and those that are free are chained. `shared_rows` has two elements,
 * the code of the first free row, or 0, and how many rows were ever taken.
 *
 * Example, 40 modules above, so 3 words: {} is 0, {7} is 8; {7, 20} is 49, and words 0x0080, 0x0010, 0 in row 0.
 *
 * Nearly all owners are the one sharer, whom the code names: then a bit of `alone` says so, and `owners` has none. What
 * changes such a code writes the owner into `owners` first.
 */

#define GPCI_SHARED_MOST 65535u /* codes */

/* Have sets of this module codes? */
GPCI_INLINE bool gpci_sharers_have_codes(const gpci_module *m) {
    return m->shared != NULL;
}

/* The greatest code of a set of one module. Both halves of a cache have as many words. */
GPCI_INLINE uint32_t gpci_sharers_last_single(const gpci_module *m) {
    return m->sharer_words * GPCI_SHARERS;
}

GPCI_INLINE gpci_sharers *gpci_sharers_code(const gpci_module *m, uint32_t block, uint32_t sub) {
    return &m->sharers[gpci_module_set_of(m, block, sub)];
}

GPCI_INLINE gpci_sharers *gpci_sharers_row(const gpci_module *m, uint32_t code) {
    return m->shared + (size_t)(code - gpci_sharers_last_single(m) - 1) * m->sharer_words;
}

/* One place in `above` among those of a word; none, if it is elsewhere. */
GPCI_INLINE gpci_sharers gpci_sharer_in(uint32_t slot, uint32_t word) {
    return (gpci_sharers)(slot / GPCI_SHARERS == word ? 1u << slot % GPCI_SHARERS : 0);
}

/* A word of a set. */
GPCI_INLINE gpci_sharers gpci_sharers_word(const gpci_module *m, uint32_t block, uint32_t sub, uint32_t word) {
    if (GPCI_LIKELY(!gpci_sharers_have_codes(m)))
        return m->sharers[((size_t)block * m->sub_blocks + sub) * m->sharer_words + word];
    const uint32_t code = *gpci_sharers_code(m, block, sub);
    if (code > gpci_sharers_last_single(m))
        return gpci_sharers_row(m, code)[word];
    return code ? gpci_sharer_in(code - 1, word) : 0;
}

/* Is anybody of a set? */
GPCI_INLINE bool gpci_sharers_any(const gpci_module *m, uint32_t block, uint32_t sub) {
    for (uint32_t word = 0; word < m->sharer_words; word++)
        if (gpci_sharers_word(m, block, sub, word))
            return true;
    return false;
}

/* sharers.c */
/* Elements of `sharers` for each set of a module, and (0: it has no codes) rows for so many sets. */
uint32_t gpci_sharers_elements(const gpci_module *m, size_t sets);
size_t gpci_sharers_rows(const gpci_module *m, size_t sets);
void gpci_sharers_add(const gpci_module *m, uint32_t block, uint32_t sub, uint32_t slot);
void gpci_sharers_remove(const gpci_module *m, uint32_t block, uint32_t sub, uint32_t slot);
/* All sets of a block are empty. */
void gpci_sharers_clear(const gpci_module *m, uint32_t block);
/* All sets of a block, and their owners, become another's; it has none then. */
void gpci_sharers_move(const gpci_module *m, uint32_t from, uint32_t to);

#endif
