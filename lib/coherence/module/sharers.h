/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_SHARERS_H
#define GPC_COHERENCE_SHARERS_H

#include "coherence/module/tree.h"

/*
 * Sets of sharers: for every sub-block of a block a bit per module above, in words of GPCI_SHARERS bits.
 *
 * A directory has a set for every possible block, and most sets are empty or have one member. If a set needs more than
 * a word, and codes suffice, `sharers` has a 16-bit code per set: 0: empty; 1 + place in `above`: one member; larger
 * codes: a row of `shared`, which holds the set's words. Only sets of two or more take rows; free rows are chained.
 * `shared_rows` has two elements: code of the first free row (or 0), and number of rows ever taken.
 *
 * Example, 40 modules above, so 3 words: {} is 0, {7} is 8; {7, 20} is 49, and words 0x0080, 0x0010, 0 in row 0.
 *
 * Nearly always the owner is the only sharer, already named by the code: then a bit of `alone` is set, and `owners` is
 * unused. Before such a code changes, the owner is written to `owners`.
 */

#define GPCI_SHARED_MOST 65535u /* codes */

/* True if sets of this module have codes. */
GPCI_INLINE bool gpci_sharers_have_codes(const gpci_module *module) {
    return module->shared != NULL;
}

/* Largest code of a set with one member. Both halves of a cache have equally many words. */
GPCI_INLINE uint32_t gpci_sharers_last_single(const gpci_module *module) {
    return module->sharer_words * GPCI_SHARERS;
}

GPCI_INLINE gpci_sharers *gpci_sharers_code(const gpci_module *module, uint32_t block, uint32_t sub) {
    return &module->sharers[gpci_module_set_of(module, block, sub)];
}

GPCI_INLINE gpci_sharers *gpci_sharers_row(const gpci_module *module, uint32_t code) {
    return module->shared + (size_t)(code - gpci_sharers_last_single(module) - 1) * module->sharer_words;
}

/* Bit of a place in `above` within a word; 0 if it lies in another word. */
GPCI_INLINE gpci_sharers gpci_sharer_in(uint32_t slot, uint32_t word) {
    return (gpci_sharers)(slot / GPCI_SHARERS == word ? 1u << slot % GPCI_SHARERS : 0);
}

/* Word of a set. */
GPCI_INLINE gpci_sharers gpci_sharers_word(const gpci_module *module, uint32_t block, uint32_t sub, uint32_t word) {
    if (GPCI_LIKELY(!gpci_sharers_have_codes(module)))
        return module->sharers[((size_t)block * module->sub_blocks + sub) * module->sharer_words + word];
    const uint32_t code = *gpci_sharers_code(module, block, sub);
    if (code > gpci_sharers_last_single(module))
        return gpci_sharers_row(module, code)[word];
    return code ? gpci_sharer_in(code - 1, word) : 0;
}

/* True if a set is not empty. */
GPCI_INLINE bool gpci_sharers_any(const gpci_module *module, uint32_t block, uint32_t sub) {
    for (uint32_t word = 0; word < module->sharer_words; word++)
        if (gpci_sharers_word(module, block, sub, word))
            return true;
    return false;
}

/* sharers.c */
/* Elements of `sharers` per set of a module. gpci_sharers_rows: rows for `sets` sets; 0: no codes. */
uint32_t gpci_sharers_elements(const gpci_module *module, size_t sets);
size_t gpci_sharers_rows(const gpci_module *module, size_t sets);
void gpci_sharers_add(const gpci_module *module, uint32_t block, uint32_t sub, uint32_t slot);
void gpci_sharers_remove(const gpci_module *module, uint32_t block, uint32_t sub, uint32_t slot);
/* Empty the sets of a block. */
void gpci_sharers_clear(const gpci_module *module, uint32_t block);
/* Move all sets and owners of a block to another block; the first has none afterwards. */
void gpci_sharers_move(const gpci_module *module, uint32_t from, uint32_t to);

#endif
