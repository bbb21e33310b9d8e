/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/blocks/operands.h"

static bool is_fixed(uint16_t number) {
    return number & (GPC_REGISTER_BARRIER | GPC_REGISTER_NUMBER) || number == (GPC_REGISTER_R | 255) ||
           number == (GPC_REGISTER_UR | 63) || number == (GPC_REGISTER_UR | 255) || number == (GPC_REGISTER_P | 7) ||
           number == (GPC_REGISTER_UP | 7);
}

/* Registers written by a memory instruction from its only destination on: traces name the first of 2 or 4 registers. */
static uint32_t span_of(const gpc_instruction *instruction) {
    bool vector =
        instruction->op_class == GPC_OP_MEMORY && instruction->destinations == 1 && instruction->registers[0] < 255;
    return vector && instruction->width > 4 ? (instruction->width > 16 ? 4u : (instruction->width + 3u) / 4) : 1;
}

static unsigned use_of(const gpc_instruction *instruction) {
    if (!instruction->mask)
        return GPCI_USE_NOTHING;
    if (instruction->op_class != GPC_OP_MEMORY)
        return instruction->op_class < GPC_OP_CLASS_COUNT ? instruction->op_class : GPC_OP_ALU;
    if (instruction->addresses && gpci_space_is_recorded(instruction))
        return instruction->space == GPC_SPACE_CONSTANT ? GPCI_USE_CONSTANT : GPC_OP_MEMORY;
    return GPCI_USE_SPACE + (instruction->space < GPC_SPACE_COUNT ? instruction->space : GPC_SPACE_NONE);
}

static void put(gpci_operands *operands, uint16_t number) {
    if (is_fixed(number))
        return;
    const uint32_t entry = gpci_register_entry(number);
    operands->entries[operands->count++] = (uint16_t)entry;
    operands->planes |= (uint8_t)(1u << entry / GPCI_BOARD_STRIDE);
}

gpci_operands gpci_operands_of(const gpc_instruction *instruction) {
    gpci_operands operands = {.use = (uint8_t)use_of(instruction)};
    uint32_t count = (uint32_t)instruction->destinations + instruction->sources, writes = instruction->destinations;
    count = count < GPC_MAX_OPERANDS ? count : GPC_MAX_OPERANDS;
    writes = writes < count ? writes : count;
    for (uint32_t n = 0; n < writes; n++)
        put(&operands, instruction->registers[n]);
    for (uint32_t n = 1; n < span_of(instruction) && instruction->registers[0] + n < 255; n++)
        put(&operands, (uint16_t)(instruction->registers[0] + n));
    operands.writes = operands.count;
    for (uint32_t n = writes; n < count; n++)
        put(&operands, instruction->registers[n]);
    return operands;
}

static bool is_number(uint16_t r) {
    return !(r & GPC_REGISTER_BARRIER) && r & GPC_REGISTER_NUMBER;
}

#define NUMBER_BITS 14u
#define NUMBER_MASK ((1u << NUMBER_BITS) - 1)

bool gpci_number_of_barrier(const gpc_instruction *instruction, unsigned n, uint32_t *out) {
    if (gpci_barrier_of(instruction) == UINT32_MAX)
        return false;
    const uint32_t end = (uint32_t)instruction->destinations + instruction->sources - 1;
    uint32_t first = end;
    while (first > instruction->destinations && is_number(instruction->registers[first - 1]))
        first--;
    if (first + 2 * n + 2 > end)
        return false;
    const uint16_t *at = &instruction->registers[first + 2 * n];
    *out = (uint32_t)(at[0] & NUMBER_MASK) << NUMBER_BITS | (at[1] & NUMBER_MASK);
    return true;
}

bool gpci_mark_barrier(gpc_instruction *instruction, uint32_t number) {
    const uint32_t end = (uint32_t)instruction->destinations + instruction->sources;
    if (gpci_barrier_of(instruction) == UINT32_MAX || end + 2 > GPC_MAX_OPERANDS || number >> 2 * NUMBER_BITS)
        return false;
    const uint16_t barrier = instruction->registers[end - 1];
    instruction->registers[end - 1] = (uint16_t)(GPC_REGISTER_NUMBER | number >> NUMBER_BITS);
    instruction->registers[end] = (uint16_t)(GPC_REGISTER_NUMBER | (number & NUMBER_MASK));
    instruction->registers[end + 1] = barrier;
    instruction->sources = (uint8_t)(instruction->sources + 2);
    return true;
}
