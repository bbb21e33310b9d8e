/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/profile.h"

/* The flat tables that grow while a trace runs: lines of an SM, who accesses them, instructions. */

#define FIRST_SLOTS 64u

GPCI_INLINE size_t slot_of(uint64_t hash, size_t mask) {
    return (size_t)(hash >> 20) & mask;
}

/* One entry more would fill more than half of the slots: twice as many, empty ones. */
static bool needs_slots(const gpci_slots *table, size_t count) {
    return !table->slots || (count + 1) * 2 > table->mask + 1;
}

static uint32_t *more_slots(gpc_context *context, const gpci_slots *table, size_t *mask) {
    size_t count = table->slots ? (table->mask + 1) * 2 : FIRST_SLOTS;
    *mask = count - 1;
    return gpci_zalloc(context, count, sizeof(uint32_t));
}

static void put(uint32_t *slots, size_t mask, uint64_t hash, uint32_t entry) {
    size_t slot = slot_of(hash, mask);
    while (slots[slot])
        slot = (slot + 1) & mask;
    slots[slot] = entry + 1;
}

static void adopt(gpc_context *context, gpci_slots *table, uint32_t *slots, size_t mask) {
    gpci_free(context, table->slots);
    *table = (gpci_slots){slots, mask};
}

/* Room for one entry more in a flat array. */
static void *room(gpc_context *context, void *array, size_t count, size_t *capacity, size_t bytes) {
    if (count < *capacity)
        return array;
    size_t more = *capacity ? *capacity * 2 : 64;
    void *grown = gpci_resize(context, array, more, bytes);
    if (grown)
        *capacity = more;
    return grown;
}

uint32_t gpci_live_find_line(const gpci_live_sm *sm, uint64_t number) {
    const gpci_slots *table = &sm->line_slots;
    if (!table->slots)
        return GPCI_NONE;
    size_t slot = slot_of(gpci_hash(number), table->mask);
    for (; table->slots[slot]; slot = (slot + 1) & table->mask)
        if (sm->lines[table->slots[slot] - 1].number == number)
            return table->slots[slot] - 1;
    return GPCI_NONE;
}

static gpc_status line_room(gpci_live_sm *sm) {
    gpc_context *context = gpci_live_context(sm);
    if (sm->line_count >= GPCI_NONE - 1)
        return GPC_ERROR_MEMORY;
    gpci_line_row *rows = room(context, sm->lines, sm->line_count, &sm->line_capacity, sizeof *rows);
    if (!rows)
        return GPC_ERROR_MEMORY;
    sm->lines = rows;
    if (!needs_slots(&sm->line_slots, sm->line_count))
        return GPC_OK;
    size_t mask;
    uint32_t *slots = more_slots(context, &sm->line_slots, &mask);
    if (!slots)
        return GPC_ERROR_MEMORY;
    for (size_t i = 0; i < sm->line_count; i++)
        put(slots, mask, gpci_hash(sm->lines[i].number), (uint32_t)i);
    adopt(context, &sm->line_slots, slots, mask);
    return GPC_OK;
}

uint32_t gpci_live_line(gpci_live_sm *sm, uint64_t number) {
    uint32_t row = gpci_live_find_line(sm, number);
    if (row != GPCI_NONE)
        return row;
    if (line_room(sm) < 0)
        return GPCI_NONE;
    row = (uint32_t)sm->line_count++;
    sm->lines[row] = (gpci_line_row){.number = number, .first = GPCI_NONE, .place = GPCI_STACK_NOWHERE};
    put(sm->line_slots.slots, sm->line_slots.mask, gpci_hash(number), row);
    return row;
}

/* The pair's own place, or the free one where it belongs. */
static gpci_pair *pair_of(gpci_pair *pairs, size_t mask, uint64_t key) {
    size_t slot = slot_of(gpci_hash(key), mask);
    while (pairs[slot].count && pairs[slot].key != key)
        slot = (slot + 1) & mask;
    return &pairs[slot];
}

static gpc_status pair_room(gpci_live_sm *sm) {
    if (sm->pairs && (sm->pair_count + 1) * 2 <= sm->pair_mask + 1)
        return GPC_OK;
    size_t count = sm->pairs ? (sm->pair_mask + 1) * 2 : FIRST_SLOTS;
    gpci_pair *pairs = gpci_zalloc(gpci_live_context(sm), count, sizeof *pairs);
    if (!pairs)
        return GPC_ERROR_MEMORY;
    for (size_t i = 0; sm->pairs && i <= sm->pair_mask; i++)
        if (sm->pairs[i].count)
            *pair_of(pairs, count - 1, sm->pairs[i].key) = sm->pairs[i];
    gpci_free(gpci_live_context(sm), sm->pairs);
    sm->pairs = pairs;
    sm->pair_mask = count - 1;
    return GPC_OK;
}

/* Most lines are one instruction's: that count is in the row. */
gpc_status gpci_live_pair(gpci_live_sm *sm, uint32_t line, uint32_t instruction) {
    gpci_line_row *row = &sm->lines[line];
    if (row->first == GPCI_NONE)
        row->first = instruction;
    if (row->first == instruction) {
        row->first_count++;
        return GPC_OK;
    }
    if (pair_room(sm) < 0)
        return GPC_ERROR_MEMORY;
    uint64_t key = (uint64_t)line << 32 | instruction;
    gpci_pair *pair = pair_of(sm->pairs, sm->pair_mask, key);
    sm->pair_count += !pair->count;
    pair->key = key;
    pair->count++;
    return GPC_OK;
}

gpc_status gpci_distances_room(gpc_context *context, gpci_distances *d, size_t distance) {
    if (distance >= d->capacity) {
        size_t capacity = d->capacity ? d->capacity * 2 : 64;
        capacity = capacity > distance ? capacity : distance + 1;
        uint64_t *counts = gpci_resize(context, d->counts, capacity, sizeof *counts);
        if (!counts)
            return GPC_ERROR_MEMORY;
        d->counts = counts;
        d->capacity = capacity;
    }
    return GPC_OK;
}

static uint64_t instruction_hash(uint32_t kernel, uint64_t pc) {
    return gpci_hash(pc + kernel * 0xd1342543de82ef95u);
}

static gpc_status instruction_room(gpc_profile *p) {
    gpci_live *l = p->live;
    gpci_live_instruction *rows =
        room(p->context, l->instructions, l->instruction_count, &l->instruction_capacity, sizeof *rows);
    if (!rows)
        return GPC_ERROR_MEMORY;
    l->instructions = rows;
    if (!needs_slots(&l->instruction_slots, l->instruction_count))
        return GPC_OK;
    size_t mask;
    uint32_t *slots = more_slots(p->context, &l->instruction_slots, &mask);
    if (!slots)
        return GPC_ERROR_MEMORY;
    for (size_t i = 0; i < l->instruction_count; i++)
        put(slots, mask, instruction_hash(rows[i].kernel, rows[i].pc), (uint32_t)i);
    adopt(p->context, &l->instruction_slots, slots, mask);
    return GPC_OK;
}

uint32_t gpci_live_instruction_of(gpc_profile *p, uint32_t kernel, uint64_t pc) {
    gpci_live *l = p->live;
    const gpci_slots *table = &l->instruction_slots;
    uint64_t hash = instruction_hash(kernel, pc);
    if (table->slots)
        for (size_t slot = slot_of(hash, table->mask); table->slots[slot]; slot = (slot + 1) & table->mask) {
            uint32_t index = table->slots[slot] - 1;
            if (l->instructions[index].pc == pc && l->instructions[index].kernel == kernel)
                return index;
        }
    if (l->instruction_count >= GPCI_NONE - 1 || instruction_room(p) < 0)
        return GPCI_NONE;
    uint32_t index = (uint32_t)l->instruction_count++;
    l->instructions[index] = (gpci_live_instruction){.pc = pc, .kernel = kernel};
    put(l->instruction_slots.slots, l->instruction_slots.mask, hash, index);
    return index;
}

void gpci_live_sm_clear(gpci_live_sm *sm) {
    gpc_context *context = gpci_live_context(sm);
    gpci_free(context, sm->lines);
    gpci_free(context, sm->line_slots.slots);
    gpci_free(context, sm->pairs);
    gpci_free(context, sm->residences);
    gpci_stack_clear(&sm->stack);
}
