/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/array.h"
#include "profile/profile.h"

/* Tables that grow while a trace runs: lines of an SM, pairs of line and instruction, instructions. */

static bool same_line(const void *lines, uint32_t row, const void *number) {
    return ((const gpci_line_row *)lines)[row].number == *(const uint64_t *)number;
}

static uint64_t hash_of_line(const void *lines, uint32_t row) {
    return gpci_hash(((const gpci_line_row *)lines)[row].number);
}

uint32_t gpci_live_find_line(const gpci_live_sm *sm, uint64_t number) {
    return gpci_slots_find(&sm->line_slots, sm->lines, gpci_hash(number), &number, same_line);
}

uint32_t gpci_live_line(gpci_live_sm *sm, uint64_t number) {
    uint32_t row = gpci_live_find_line(sm, number);
    if (row != GPCI_NO_ENTRY)
        return row;
    gpc_context *context = gpci_live_context(sm);
    if (!GPCI_ARRAY_RESERVE(context, sm->lines, sm->line_capacity, sm->line_count, 1) ||
        !gpci_slots_reserve(context, &sm->line_slots, sm->lines, sm->line_count, 1, hash_of_line))
        return GPCI_NONE;
    row = sm->line_count++;
    sm->lines[row] = (gpci_line_row){.number = number, .first = GPCI_NONE, .place = GPCI_STACK_NOWHERE};
    gpci_slots_add(&sm->line_slots, gpci_hash(number), row);
    return row;
}

/* Most lines are accessed by a single instruction: the row of the line has the count, and the map has no pair. */
gpc_status gpci_live_pair(gpci_live_sm *sm, uint32_t line, uint32_t instruction) {
    gpci_line_row *row = &sm->lines[line];
    if (row->first == GPCI_NONE)
        row->first = instruction;
    if (row->first == instruction) {
        row->first_count++;
        return GPC_OK;
    }
    gpci_map_entry *pair = gpci_map_at(gpci_live_context(sm), &sm->pairs, (uint64_t)line << 32 | instruction);
    if (!pair)
        return GPC_ERROR_MEMORY;
    pair->value++;
    return GPC_OK;
}

gpc_status gpci_distances_reserve(gpc_context *context, gpci_distances *distances, size_t distance) {
    if (distance < distances->capacity || GPCI_ARRAY_RESERVE(context, distances->counts, distances->capacity,
                                                             distances->count, distance + 1 - distances->count))
        return GPC_OK;
    return GPC_ERROR_MEMORY;
}

static uint64_t hash_of(uint32_t kernel, uint64_t pc) {
    return gpci_hash(pc + kernel * 0xd1342543de82ef95u);
}

typedef struct instruction_key {
    uint64_t pc;
    uint32_t kernel;
} instruction_key;

static bool same_instruction(const void *instructions, uint32_t index, const void *key) {
    const gpci_live_instruction *known = (const gpci_live_instruction *)instructions + index;
    const instruction_key *wanted = key;
    return known->pc == wanted->pc && known->kernel == wanted->kernel;
}

static uint64_t hash_of_instruction(const void *instructions, uint32_t index) {
    const gpci_live_instruction *known = (const gpci_live_instruction *)instructions + index;
    return hash_of(known->kernel, known->pc);
}

uint32_t gpci_live_instruction_of(gpc_profile *profile, uint32_t kernel, uint64_t pc) {
    gpci_live *live = profile->live;
    const instruction_key key = {pc, kernel};
    uint64_t hash = hash_of(kernel, pc);
    uint32_t index = gpci_slots_find(&live->instruction_slots, live->instructions, hash, &key, same_instruction);
    if (index != GPCI_NO_ENTRY)
        return index;
    if (!GPCI_ARRAY_RESERVE(profile->context, live->instructions, live->instruction_capacity, live->instruction_count,
                            1) ||
        !gpci_slots_reserve(profile->context, &live->instruction_slots, live->instructions, live->instruction_count, 1,
                            hash_of_instruction))
        return GPCI_NONE;
    index = live->instruction_count++;
    live->instructions[index] = (gpci_live_instruction){.pc = pc, .kernel = kernel};
    gpci_slots_add(&live->instruction_slots, hash, index);
    return index;
}

void gpci_live_sm_clear(gpci_live_sm *sm) {
    gpc_context *context = gpci_live_context(sm);
    gpci_free(context, sm->lines);
    gpci_slots_free(context, &sm->line_slots);
    gpci_map_free(context, &sm->pairs);
    gpci_free(context, sm->residences);
    gpci_stack_clear(&sm->stack);
}
