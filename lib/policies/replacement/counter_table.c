/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/counter_table.h"

enum { ROWS, COLUMNS, BITS };

gpc_status gpci_counter_table_init(gpci_counter_table *table, const gpc_policy_env *env, char *message) {
    uint32_t rows = (uint32_t)env->parameters[ROWS], columns = (uint32_t)env->parameters[COLUMNS];
    if (!gpci_power_of_two(rows) || !gpci_power_of_two(columns))
        return gpci_policy_refuse(message, GPC_ERROR_RANGE, "rows = %u, columns = %u: not powers of two", rows,
                                  columns);
    *table = (gpci_counter_table){.context = env->context,
                                  .entries = gpci_zalloc(env->context, rows, columns),
                                  .row_bits = gpci_log2(rows),
                                  .column_bits = gpci_log2(columns),
                                  .line_shift = gpci_log2(env->line_bytes),
                                  .most = (uint8_t)((1u << (uint32_t)env->parameters[BITS]) - 1)};
    return table->entries ? GPC_OK : GPC_ERROR_MEMORY;
}

void gpci_counter_table_finish(gpci_counter_table *table) {
    gpci_free(table->context, table->entries);
}

static uint32_t fold(uint64_t value, uint32_t bits) {
    uint32_t folded = 0;
    if (bits == 8) { /* the paper's hash: fold the upper half onto the lower half, down to 8 bits */
        value ^= value >> 32;
        value ^= value >> 16;
        return (uint32_t)(value ^ value >> 8) & 0xff;
    }
    for (; bits && value; value >>= bits)
        folded ^= (uint32_t)value & ((1u << bits) - 1);
    return folded;
}

static uint8_t *entry_of(const gpci_counter_table *table, uint32_t row, uint64_t address) {
    uint32_t column = fold(address >> table->line_shift, table->column_bits);
    return &table->entries[((size_t)row << table->column_bits) + column];
}

gpci_generation gpci_generation_begin(const gpci_counter_table *table, const gpc_request *request) {
    uint32_t row = fold(request->pc, table->row_bits);
    uint8_t entry = *entry_of(table, row, request->address);
    return (gpci_generation){.row = (uint16_t)row, .past = entry >> 1, .sure = entry & 1};
}

void gpci_generation_end(gpci_counter_table *table, const gpci_generation *line, uint64_t line_address) {
    *entry_of(table, line->row, line_address) = (uint8_t)(line->count << 1 | (line->count == line->past));
}

bool gpci_never_used_again(const gpci_counter_table *table, const gpc_request *request) {
    return *entry_of(table, fold(request->pc, table->row_bits), request->address) == 1;
}

uint64_t gpci_counter_table_bits(const gpc_policy_env *env) {
    return (uint64_t)env->parameters[ROWS] * (uint64_t)env->parameters[COLUMNS] * ((uint64_t)env->parameters[BITS] + 1);
}

uint64_t gpci_generation_bits(const gpc_policy_env *env) {
    return gpci_ceil_log2((uint64_t)env->parameters[ROWS]) + 2 * (uint64_t)env->parameters[BITS] + 1;
}

void gpci_counter_table_state(gpci_counter_table *table, gpc_state_fn visit, void *user_data) {
    visit(user_data, table->entries, (size_t)1 << (table->row_bits + table->column_bits));
}
