/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/module/sharers.h"

enum { FREE, TAKEN }; /* indices of shared_rows */

uint32_t gpci_sharers_elements(const gpci_module *module, size_t sets) {
    return gpci_sharers_rows(module, sets) ? 1 : module->sharer_words;
}

size_t gpci_sharers_rows(const gpci_module *module, size_t sets) {
    return !module->full_map && module->sharer_words > 1 && sets <= GPCI_SHARED_MOST - gpci_sharers_last_single(module)
               ? sets
               : 0;
}

/* Take an empty row; every set has a row. */
static uint32_t take_row(const gpci_module *module) {
    uint32_t code = module->shared_rows[FREE];
    if (code)
        module->shared_rows[FREE] = *gpci_sharers_row(module, code);
    else
        code = gpci_sharers_last_single(module) + 1 + module->shared_rows[TAKEN]++;
    memset(gpci_sharers_row(module, code), 0, module->sharer_words * sizeof *module->shared);
    return code;
}

static void give_row(const gpci_module *module, uint32_t code) {
    gpci_sharers *row = gpci_sharers_row(module, code);
    memset(row, 0, module->sharer_words * sizeof *row);
    *row = module->shared_rows[FREE];
    module->shared_rows[FREE] = (gpci_sharers)code;
}

static void set_bit(gpci_sharers *words, uint32_t slot) {
    words[slot / GPCI_SHARERS] |= (gpci_sharers)(1u << slot % GPCI_SHARERS);
}

static void clear_bit(gpci_sharers *words, uint32_t slot) {
    words[slot / GPCI_SHARERS] &= (gpci_sharers) ~(1u << slot % GPCI_SHARERS);
}

static gpci_sharers *words_of(const gpci_module *module, uint32_t block, uint32_t sub) {
    return &module->sharers[((size_t)block * module->sub_blocks + sub) * module->sharer_words];
}

/* Store the owner in `owners`, before the code stops naming it. */
static void name_owner(const gpci_module *module, const gpci_sharers *code) {
    const size_t set = (size_t)(code - module->sharers);
    if (!gpci_module_owner_is_alone(module, set))
        return;
    gpci_module_set_owner_alone(module, set, false);
    module->owners[set] = (uint16_t) ~(*code - 1u);
}

static void add_to_code(const gpci_module *module, gpci_sharers *code, uint32_t slot) {
    if (!*code || *code == slot + 1) {
        *code = (gpci_sharers)(slot + 1);
        return;
    }
    if (*code <= gpci_sharers_last_single(module)) {
        const uint32_t row = take_row(module);
        name_owner(module, code);
        set_bit(gpci_sharers_row(module, row), *code - 1u);
        *code = (gpci_sharers)row;
    }
    set_bit(gpci_sharers_row(module, *code), slot);
}

void gpci_sharers_add(const gpci_module *module, uint32_t block, uint32_t sub, uint32_t slot) {
    if (gpci_sharers_have_codes(module))
        add_to_code(module, gpci_sharers_code(module, block, sub), slot);
    else
        set_bit(words_of(module, block, sub), slot);
}

/* Code of the only module in a row; 0: several modules. */
static uint32_t single_of(const gpci_module *module, const gpci_sharers *row) {
    uint32_t code = 0;
    for (uint32_t word = 0; word < module->sharer_words; word++) {
        if (!row[word])
            continue;
        if (code || row[word] & (row[word] - 1u))
            return 0;
        code = word * GPCI_SHARERS + gpci_lowest(row[word]) + 1;
    }
    return code;
}

static void remove_from_code(const gpci_module *module, gpci_sharers *code, uint32_t slot) {
    if (*code <= gpci_sharers_last_single(module)) {
        if (*code != slot + 1)
            return;
        name_owner(module, code);
        *code = 0;
        return;
    }
    gpci_sharers *row = gpci_sharers_row(module, *code);
    clear_bit(row, slot);
    const uint32_t single = single_of(module, row);
    if (!single)
        return;
    give_row(module, *code);
    *code = (gpci_sharers)single;
}

void gpci_sharers_remove(const gpci_module *module, uint32_t block, uint32_t sub, uint32_t slot) {
    if (gpci_sharers_have_codes(module))
        remove_from_code(module, gpci_sharers_code(module, block, sub), slot);
    else
        clear_bit(words_of(module, block, sub), slot);
}

void gpci_sharers_clear(const gpci_module *module, uint32_t block) {
    if (!gpci_sharers_have_codes(module)) {
        memset(words_of(module, block, 0), 0,
               (size_t)module->sub_blocks * module->sharer_words * sizeof *module->sharers);
        return;
    }
    for (uint32_t sub = 0; sub < module->sub_blocks; sub++) {
        gpci_sharers *code = gpci_sharers_code(module, block, sub);
        if (*code > gpci_sharers_last_single(module))
            give_row(module, *code);
        if (!*code) /* leaves unwritten memory untouched */
            continue;
        name_owner(module, code);
        *code = 0;
    }
}

static void move_sets(const gpci_module *module, uint32_t from, uint32_t to) {
    const size_t each = gpci_sharers_have_codes(module) ? 1 : module->sharer_words, all = module->sub_blocks * each;
    gpci_sharers *source = module->sharers + gpci_module_set_of(module, from, 0) * each;
    memcpy(module->sharers + gpci_module_set_of(module, to, 0) * each, source, all * sizeof *source);
    memset(source, 0, all * sizeof *source);
}

static void move_owners(const gpci_module *module, uint32_t from, uint32_t to) {
    for (uint32_t sub = 0; sub < module->sub_blocks; sub++) {
        const size_t set = gpci_module_set_of(module, from, sub), other = gpci_module_set_of(module, to, sub);
        if (module->alone) {
            gpci_module_set_owner_alone(module, other, gpci_module_owner_is_alone(module, set));
            gpci_module_set_owner_alone(module, set, false);
        }
        if (module->owners[other] != module->owners[set])
            module->owners[other] = module->owners[set];
        if (module->owners[set])
            module->owners[set] = 0;
    }
}

void gpci_sharers_move(const gpci_module *module, uint32_t from, uint32_t to) {
    gpci_sharers_clear(module, to);
    move_owners(module, from, to);
    move_sets(module, from, to);
}
