/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/module/sharers.h"

enum { FREE, TAKEN }; /* indices of shared_rows */

uint32_t gpci_sharers_elements(const gpci_module *m, size_t sets) {
    return gpci_sharers_rows(m, sets) ? 1 : m->sharer_words;
}

size_t gpci_sharers_rows(const gpci_module *m, size_t sets) {
    return !m->full_map && m->sharer_words > 1 && sets <= GPCI_SHARED_MOST - gpci_sharers_last_single(m) ? sets : 0;
}

/* Take an empty row; every set has a row. */
static uint32_t take_row(const gpci_module *m) {
    uint32_t code = m->shared_rows[FREE];
    if (code)
        m->shared_rows[FREE] = *gpci_sharers_row(m, code);
    else
        code = gpci_sharers_last_single(m) + 1 + m->shared_rows[TAKEN]++;
    memset(gpci_sharers_row(m, code), 0, m->sharer_words * sizeof *m->shared);
    return code;
}

static void give_row(const gpci_module *m, uint32_t code) {
    gpci_sharers *row = gpci_sharers_row(m, code);
    memset(row, 0, m->sharer_words * sizeof *row);
    *row = m->shared_rows[FREE];
    m->shared_rows[FREE] = (gpci_sharers)code;
}

static void set_bit(gpci_sharers *words, uint32_t slot) {
    words[slot / GPCI_SHARERS] |= (gpci_sharers)(1u << slot % GPCI_SHARERS);
}

static void clear_bit(gpci_sharers *words, uint32_t slot) {
    words[slot / GPCI_SHARERS] &= (gpci_sharers) ~(1u << slot % GPCI_SHARERS);
}

static gpci_sharers *words_of(const gpci_module *m, uint32_t block, uint32_t sub) {
    return &m->sharers[((size_t)block * m->sub_blocks + sub) * m->sharer_words];
}

/* Store the owner in `owners`, before the code stops naming it. */
static void name_owner(const gpci_module *m, const gpci_sharers *code) {
    const size_t set = (size_t)(code - m->sharers);
    if (!gpci_module_owner_is_alone(m, set))
        return;
    gpci_module_set_owner_alone(m, set, false);
    m->owners[set] = (uint16_t) ~(*code - 1u);
}

static void add_to_code(const gpci_module *m, gpci_sharers *code, uint32_t slot) {
    if (!*code || *code == slot + 1) {
        *code = (gpci_sharers)(slot + 1);
        return;
    }
    if (*code <= gpci_sharers_last_single(m)) {
        const uint32_t row = take_row(m);
        name_owner(m, code);
        set_bit(gpci_sharers_row(m, row), *code - 1u);
        *code = (gpci_sharers)row;
    }
    set_bit(gpci_sharers_row(m, *code), slot);
}

void gpci_sharers_add(const gpci_module *m, uint32_t block, uint32_t sub, uint32_t slot) {
    if (gpci_sharers_have_codes(m))
        add_to_code(m, gpci_sharers_code(m, block, sub), slot);
    else
        set_bit(words_of(m, block, sub), slot);
}

/* Code of the only module in a row; 0: several modules. */
static uint32_t single_of(const gpci_module *m, const gpci_sharers *row) {
    uint32_t code = 0;
    for (uint32_t word = 0; word < m->sharer_words; word++) {
        if (!row[word])
            continue;
        if (code || row[word] & (row[word] - 1u))
            return 0;
        code = word * GPCI_SHARERS + gpci_lowest(row[word]) + 1;
    }
    return code;
}

static void remove_from_code(const gpci_module *m, gpci_sharers *code, uint32_t slot) {
    if (*code <= gpci_sharers_last_single(m)) {
        if (*code != slot + 1)
            return;
        name_owner(m, code);
        *code = 0;
        return;
    }
    gpci_sharers *row = gpci_sharers_row(m, *code);
    clear_bit(row, slot);
    const uint32_t single = single_of(m, row);
    if (!single)
        return;
    give_row(m, *code);
    *code = (gpci_sharers)single;
}

void gpci_sharers_remove(const gpci_module *m, uint32_t block, uint32_t sub, uint32_t slot) {
    if (gpci_sharers_have_codes(m))
        remove_from_code(m, gpci_sharers_code(m, block, sub), slot);
    else
        clear_bit(words_of(m, block, sub), slot);
}

void gpci_sharers_clear(const gpci_module *m, uint32_t block) {
    if (!gpci_sharers_have_codes(m)) {
        memset(words_of(m, block, 0), 0, (size_t)m->sub_blocks * m->sharer_words * sizeof *m->sharers);
        return;
    }
    for (uint32_t sub = 0; sub < m->sub_blocks; sub++) {
        gpci_sharers *code = gpci_sharers_code(m, block, sub);
        if (*code > gpci_sharers_last_single(m))
            give_row(m, *code);
        if (!*code) /* leaves unwritten memory untouched */
            continue;
        name_owner(m, code);
        *code = 0;
    }
}

static void move_sets(const gpci_module *m, uint32_t from, uint32_t to) {
    const size_t each = gpci_sharers_have_codes(m) ? 1 : m->sharer_words, all = m->sub_blocks * each;
    gpci_sharers *source = m->sharers + gpci_module_set_of(m, from, 0) * each;
    memcpy(m->sharers + gpci_module_set_of(m, to, 0) * each, source, all * sizeof *source);
    memset(source, 0, all * sizeof *source);
}

static void move_owners(const gpci_module *m, uint32_t from, uint32_t to) {
    for (uint32_t sub = 0; sub < m->sub_blocks; sub++) {
        const size_t set = gpci_module_set_of(m, from, sub), other = gpci_module_set_of(m, to, sub);
        if (m->alone) {
            gpci_module_set_owner_alone(m, other, gpci_module_owner_is_alone(m, set));
            gpci_module_set_owner_alone(m, set, false);
        }
        if (m->owners[other] != m->owners[set])
            m->owners[other] = m->owners[set];
        if (m->owners[set])
            m->owners[set] = 0;
    }
}

void gpci_sharers_move(const gpci_module *m, uint32_t from, uint32_t to) {
    gpci_sharers_clear(m, to);
    move_owners(m, from, to);
    move_sets(m, from, to);
}
