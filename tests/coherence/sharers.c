/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/module/tree.h"

#include <criterion/criterion.h>

/* Sets of sharers, with or without codes, with an owner each: compared with tables, after each of many changes. */

enum { BLOCKS = 24, SUBS = 2, SETS = BLOCKS * SUBS, WORDS = 3, SLOTS = 40 };

typedef struct sets {
    gpci_module m;
    gpci_sharers sharers[SETS * WORDS], shared[SETS * WORDS], rows[2];
    uint16_t owners[SETS], owner[SETS]; /* `owner`: as expected */
    uint8_t alone[SETS / 8];
    bool expected[SETS][SLOTS];
} sets;

/* `parted`: in rows of four ways and two of the directory alone. */
static void open_sets(sets *s, bool codes, bool parted) {
    memset(s, 0, sizeof *s);
    s->m.sub_blocks = SUBS;
    s->m.sharer_words = WORDS;
    s->m.above_count = SLOTS;
    s->m.sharers = s->sharers;
    s->m.shared = codes ? s->shared : NULL;
    s->m.shared_rows = s->rows;
    s->m.owners = s->owners;
    s->m.alone = codes ? s->alone : NULL;
    s->m.parted = parted;
    s->m.rows = BLOCKS / 6;
    s->m.all_ways = 6;
    s->m.given.ways = 4;
    for (uint32_t set = 0; set < SETS; set++)
        s->owner[set] = GPCI_TREE_NO_OWNER;
}

static void expect_same(const sets *s, uint32_t step) {
    for (uint32_t set = 0; set < SETS; set++) {
        bool any = false;
        for (uint32_t slot = 0; slot < SLOTS; slot++) {
            const gpci_sharers word = gpci_sharers_word(&s->m, set / SUBS, set % SUBS, slot / GPCI_SHARERS);
            cr_assert_eq(word >> slot % GPCI_SHARERS & 1, s->expected[set][slot], "step %u, set %u, slot %u", step, set,
                         slot);
            any |= s->expected[set][slot];
        }
        cr_assert_eq(gpci_sharers_any(&s->m, set / SUBS, set % SUBS), any);
        cr_assert_eq(gpci_module_owner_of(&s->m, set / SUBS, set % SUBS), s->owner[set], "step %u, set %u", step, set);
    }
}

/* Sets of two and more have a row if and only if the set exists. */
static uint32_t rows_needed(const sets *s) {
    uint32_t rows = 0;
    for (uint32_t set = 0; set < SETS; set++) {
        uint32_t count = 0;
        for (uint32_t slot = 0; slot < SLOTS; slot++)
            count += s->expected[set][slot];
        rows += count > 1;
    }
    return rows;
}

static uint32_t free_rows(const sets *s) {
    uint32_t count = 0;
    for (uint32_t code = s->rows[0]; code; code = *gpci_sharers_row(&s->m, code))
        count++;
    return count;
}

static void change(sets *s, uint64_t draw) {
    const uint32_t block = draw % BLOCKS, sub = draw >> 8 & 1, slot = (uint32_t)(draw >> 16) % SLOTS;
    const uint32_t what = draw >> 32 & 15, other = (uint32_t)(draw >> 40) % BLOCKS;
    if (draw >> 50 & 1) { /* mostly a sharer, as in a directory */
        const bool none = draw >> 51 & 1;
        gpci_module_set_owner(&s->m, block, sub, none ? GPCI_TREE_NO_OWNER : slot);
        s->owner[block * SUBS + sub] = none ? GPCI_TREE_NO_OWNER : (uint16_t)slot;
    }
    if (what < 7) {
        gpci_sharers_add(&s->m, block, sub, slot);
        s->expected[block * SUBS + sub][slot] = true;
        if (draw >> 52 & 1) {
            gpci_module_set_owner(&s->m, block, sub, slot);
            s->owner[block * SUBS + sub] = (uint16_t)slot;
        }
    } else if (what < 14) {
        gpci_sharers_remove(&s->m, block, sub, slot);
        s->expected[block * SUBS + sub][slot] = false;
    } else if (what == 14 || other == block) {
        gpci_sharers_clear(&s->m, block);
        memset(s->expected[block * SUBS], 0, sizeof *s->expected * SUBS);
    } else {
        gpci_sharers_move(&s->m, block, other);
        memcpy(s->expected[other * SUBS], s->expected[block * SUBS], sizeof *s->expected * SUBS);
        memset(s->expected[block * SUBS], 0, sizeof *s->expected * SUBS);
        for (uint32_t i = 0; i < SUBS; i++) {
            s->owner[other * SUBS + i] = s->owner[block * SUBS + i];
            s->owner[block * SUBS + i] = GPCI_TREE_NO_OWNER;
        }
    }
}

Test(coherence_sharers, are_sets) {
    static sets s;
    for (uint32_t kind = 0; kind < 3; kind++) {
        const bool codes = kind > 0;
        open_sets(&s, codes, kind == 2);
        for (uint32_t step = 0; step < 20000; step++) {
            change(&s, gpci_mix(step));
            expect_same(&s, step);
            if (codes)
                cr_assert_eq(s.rows[1] - free_rows(&s), rows_needed(&s), "step %u", step);
        }
    }
}

/* Worked example of the header. */
Test(coherence_sharers, by_hand) {
    static sets s;
    open_sets(&s, true, false);
    cr_expect_eq(*gpci_sharers_code(&s.m, 3, 1), 0);
    gpci_sharers_add(&s.m, 3, 1, 7);
    cr_expect_eq(*gpci_sharers_code(&s.m, 3, 1), 8);
    gpci_module_set_owner(&s.m, 3, 1, 7);
    cr_expect(s.alone[0] == 0x80 && s.owners[7] == 0, "the code names the owner");
    gpci_sharers_add(&s.m, 3, 1, 20);
    cr_expect(s.alone[0] == 0 && s.owners[7] == (uint16_t)~7u, "and does no more");
    cr_expect_eq(*gpci_sharers_code(&s.m, 3, 1), 49);
    cr_expect(s.shared[0] == 0x0080 && s.shared[1] == 0x0010 && s.shared[2] == 0);
    gpci_sharers_remove(&s.m, 3, 1, 7);
    cr_expect_eq(*gpci_sharers_code(&s.m, 3, 1), 21);
    gpci_sharers_add(&s.m, 5, 0, 0);
    gpci_sharers_add(&s.m, 5, 0, 39);
    cr_expect_eq(*gpci_sharers_code(&s.m, 5, 0), 49, "the row that has come free");
}

/* 3 rows of 2 ways and 1 way only in the directory: the ways of all rows come first. */
Test(coherence_sharers, directory_ways_stand_behind_others) {
    static const size_t places[] = {0, 1, 6, 2, 3, 7, 4, 5, 8};
    gpci_module m = {.parted = true, .rows = 3, .all_ways = 3, .sub_blocks = 2, .given = {.ways = 2}};
    for (uint32_t block = 0; block < 9; block++) {
        cr_expect_eq(gpci_module_set_of(&m, block, 0), 2 * places[block]);
        cr_expect_eq(gpci_module_set_of(&m, block, 1), 2 * places[block] + 1);
    }
}

/* A word is no more than a code; and the number of codes is the number needed by a set, or 0. */
Test(coherence_sharers, who_has_codes) {
    gpci_module m = {.sharer_words = 1};
    cr_expect_eq(gpci_sharers_rows(&m, 100), 0);
    m.sharer_words = 5;
    cr_expect_eq(gpci_sharers_rows(&m, 65535 - 80), 65535 - 80);
    cr_expect_eq(gpci_sharers_elements(&m, 65535 - 80), 1);
    cr_expect_eq(gpci_sharers_rows(&m, 65535 - 79), 0);
    cr_expect_eq(gpci_sharers_elements(&m, 65535 - 79), 5);
    m.full_map = true;
    cr_expect_eq(gpci_sharers_rows(&m, 100), 0);
}
