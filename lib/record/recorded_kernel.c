/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/recorded_kernel.h"

#include "base/array.h"
#include "trace/sources.h"

#include <stdio.h>
#include <string.h>

/*
 * Kernel that a host runs by calls. Its accesses and fences are kept until the kernel ends. Then the kernel is written:
 * thread blocks with the warps' instructions, and the order of all calls (gpc_recording.turns).
 */

/*
 * Limits of a host's block numbers. If a number is at least SPARSE_LEAST, and at least SPARSE times the count of
 * recorded blocks, most blocks of the grid would be empty: the blocks are then numbered in order of arrival.
 */
#define SPARSE 4u
#define SPARSE_LEAST 1024u

void gpci_recorded_init(gpci_recorded_kernel *kernel, gpc_context *context, uint32_t lanes) {
    *kernel = (gpci_recorded_kernel){.context = context, .lanes = lanes};
    kernel->rows.context = kernel->forms.context = context;
    kernel->rows.made = gpci_forms_made;
    kernel->rows.data = &kernel->forms;
    kernel->recording = (gpc_recording)GPC_RECORDING_INIT;
}

void gpci_recorded_free(gpci_recorded_kernel *kernel) {
    gpci_rows_destroy(&kernel->rows);
    gpci_forms_free(&kernel->forms);
    gpci_free(kernel->context, kernel->turns);
    gpci_free(kernel->context, kernel->blocks);
    gpci_map_free(kernel->context, &kernel->block_of);
    gpci_map_free(kernel->context, &kernel->warp_of);
    gpci_map_free(kernel->context, &kernel->last);
}

bool gpci_recorded_is_empty(const gpci_recorded_kernel *kernel) {
    const gpc_recording *recording = &kernel->recording;
    return !kernel->turn_count && !recording->begun && !recording->warp_instructions &&
           !recording->thread_instructions && !recording->blocks;
}

gpc_status gpci_recorded_turn(gpci_recorded_kernel *kernel, const gpc_turn *turn) {
    if (!GPCI_ARRAY_RESERVE(kernel->context, kernel->turns, kernel->turn_capacity, kernel->turn_count, 1))
        return GPC_ERROR_MEMORY;
    kernel->turns[kernel->turn_count++] = *turn;
    return GPC_OK;
}

/*
 * Index in `blocks` of the block that the host calls `block`, on the SM; a new block is added. UINT32_MAX: out of
 * memory.
 */
static uint32_t block_of(gpci_recorded_kernel *kernel, uint32_t sm, uint32_t block) {
    const uint64_t key = (uint64_t)sm << 32 | block;
    const gpci_map_entry *known = gpci_map_find(&kernel->block_of, key);
    if (GPCI_LIKELY(known != NULL))
        return (uint32_t)known->value;
    if (!GPCI_ARRAY_RESERVE(kernel->context, kernel->blocks, kernel->block_capacity, kernel->block_count, 1) ||
        !gpci_map_reserve(kernel->context, &kernel->block_of, 1))
        return UINT32_MAX;
    gpci_map_add(&kernel->block_of, key, kernel->block_count);
    kernel->blocks[kernel->block_count] = (gpci_recorded_block){.sm = sm, .block = block};
    return (uint32_t)kernel->block_count++;
}

static uint32_t warp_of(gpci_recorded_kernel *kernel, uint32_t block, uint32_t slot) {
    const uint64_t key = (uint64_t)block << 32 | slot;
    const gpci_map_entry *known = gpci_map_find(&kernel->warp_of, key);
    if (GPCI_LIKELY(known != NULL))
        return (uint32_t)known->value;
    if (!gpci_map_reserve(kernel->context, &kernel->warp_of, 1))
        return UINT32_MAX;
    gpci_map_add(&kernel->warp_of, key, kernel->blocks[block].warps);
    return kernel->blocks[block].warps++;
}

static uint64_t place_key(uint32_t sm, uint32_t slot) {
    return (uint64_t)sm << 32 | slot;
}

uint32_t gpci_recorded_block_at(const gpci_recorded_kernel *kernel, uint32_t sm, uint32_t slot) {
    const gpci_map_entry *last = gpci_map_find(&kernel->last, place_key(sm, slot));
    return last ? (uint32_t)last->value : 0;
}

gpc_status gpci_recorded_add(gpci_recorded_kernel *kernel, gpci_opcodes *opcodes, const gpci_recorded_form *form,
                             uint64_t pc, uint64_t mask, const uint64_t *addresses, gpc_turn turn) {
    gpci_map_entry *last = gpci_map_at(kernel->context, &kernel->last, place_key(turn.sm, turn.slot));
    if (!last)
        return GPC_ERROR_MEMORY;
    last->value = turn.block;
    turn.block = block_of(kernel, turn.sm, turn.block);
    turn.warp = turn.block == UINT32_MAX ? UINT32_MAX : warp_of(kernel, turn.block, turn.slot);
    const uint32_t number = gpci_forms_number(&kernel->forms, opcodes, *form);
    const size_t lanes = form->fence ? 0 : gpci_popcount(mask);
    if (turn.warp == UINT32_MAX || number == UINT32_MAX ||
        !GPCI_ARRAY_RESERVE(kernel->context, kernel->rows.addresses, kernel->rows.address_capacity,
                            kernel->rows.address_count, lanes))
        return GPC_ERROR_MEMORY;
    const gpci_row row = {.block = turn.block,
                          .warp = turn.warp,
                          .pc = pc,
                          .mask = mask,
                          .first = form->fence ? GPCI_NO_ADDRESSES : kernel->rows.address_count,
                          .opcode = kernel->forms.items[number].opcode,
                          .sm = turn.sm,
                          .form = number};
    if (lanes)
        memcpy(kernel->rows.addresses + kernel->rows.address_count, addresses, lanes * sizeof *addresses);
    kernel->rows.address_count += lanes;
    gpc_status status = gpci_rows_add(&kernel->rows, &row, NULL);
    return status == GPC_OK ? gpci_recorded_turn(kernel, &turn) : status;
}

/*
 * True if the host's block numbers are distinct, and dense enough for a grid. *memory: true after running out of
 * memory.
 */
static bool keeps_numbers(const gpci_recorded_kernel *kernel, gpci_map *seen, bool *memory) {
    for (size_t b = 0; b < kernel->block_count; b++) {
        const uint32_t number = kernel->blocks[b].block;
        if (number / SPARSE >= kernel->block_count && number >= SPARSE_LEAST)
            return false;
        if (gpci_map_find(seen, number))
            return false;
        *memory = !gpci_map_reserve(kernel->context, seen, 1);
        if (*memory)
            return false;
        gpci_map_add(seen, number, b);
    }
    return true;
}

/*
 * Give each block a number in the grid. *grid: number of blocks in the grid, at least 1. Fails with GPC_ERROR_MEMORY.
 */
static gpc_status number_blocks(gpci_recorded_kernel *kernel, uint32_t *grid) {
    gpci_map seen = {0};
    bool memory = false;
    const bool keep = keeps_numbers(kernel, &seen, &memory);
    gpci_map_free(kernel->context, &seen);
    if (memory)
        return GPC_ERROR_MEMORY;
    *grid = 1;
    for (size_t b = 0; b < kernel->block_count; b++) {
        kernel->blocks[b].block = keep ? kernel->blocks[b].block : (uint32_t)b;
        *grid = kernel->blocks[b].block >= *grid ? kernel->blocks[b].block + 1 : *grid;
    }
    for (size_t i = 0; i < kernel->rows.count; i++)
        kernel->rows.items[i].block = kernel->blocks[kernel->rows.items[i].block].block;
    for (size_t i = 0; i < kernel->turn_count; i++)
        if (kernel->turns[i].what == GPC_TURN_INSTRUCTION)
            kernel->turns[i].block = kernel->blocks[kernel->turns[i].block].block;
    return GPC_OK;
}

static gpc_kernel kernel_of(const gpci_recorded_kernel *recorded, uint32_t grid, const char *name) {
    const gpc_recording *recording = &recorded->recording;
    uint32_t warps = 1;
    for (size_t b = 0; b < recorded->block_count; b++)
        warps = recorded->blocks[b].warps > warps ? recorded->blocks[b].warps : warps;
    gpc_kernel kernel = GPC_KERNEL_INIT;
    kernel.name = name;
    kernel.id = recorded->id;
    kernel.grid[0] = grid;
    kernel.block[0] = recording->threads > (warps - 1) * recorded->lanes ? recording->threads : warps * recorded->lanes;
    kernel.grid[1] = kernel.grid[2] = kernel.block[1] = kernel.block[2] = 1;
    kernel.shared_bytes = recording->shared_bytes;
    kernel.registers = recording->registers;
    kernel.warp_lanes = recorded->lanes;
    return kernel;
}

static gpc_status write_blocks(gpci_recorded_kernel *recorded, const gpc_kernel *kernel, gpc_trace *from,
                               gpci_block *block, gpc_trace_writer *writer, gpc_error *error) {
    gpci_rows_sort(&recorded->rows);
    gpc_status status = GPC_OK;
    for (size_t next = 0; next < recorded->rows.count && status == GPC_OK;) {
        status = gpci_rows_block(&recorded->rows, &next, kernel, gpci_trace_own_opcodes(from), block, error);
        if (status == GPC_OK)
            status = gpc_trace_writer_block(writer, from, gpci_block_view(block), error);
    }
    return status;
}

static void begin_next(gpci_recorded_kernel *kernel) {
    gpci_rows_clear(&kernel->rows);
    kernel->turn_count = kernel->block_count = 0;
    gpci_map_clear(&kernel->block_of);
    gpci_map_clear(&kernel->warp_of);
    gpci_map_clear(&kernel->last);
    kernel->recording = (gpc_recording)GPC_RECORDING_INIT;
    kernel->id++;
}

gpc_status gpci_recorded_write(gpci_recorded_kernel *recorded, gpc_trace *from, gpci_block *block,
                               gpc_trace_writer *writer, gpc_error *error) {
    char name[32];
    uint32_t grid;
    if (number_blocks(recorded, &grid) < 0)
        return gpci_out_of_memory(error);
    uint32_t *placement = gpci_zalloc(recorded->context, grid, sizeof *placement);
    if (!placement)
        return gpci_out_of_memory(error);
    for (size_t b = 0; b < recorded->block_count; b++)
        placement[recorded->blocks[b].block] = recorded->blocks[b].sm;
    snprintf(name, sizeof name, "recorded-%u", recorded->id);
    gpc_recording recording = recorded->recording;
    recording.turns = recorded->turns;
    recording.turn_count = recorded->turn_count;
    gpc_kernel kernel = kernel_of(recorded, grid, name);
    kernel.placement = placement;
    kernel.placement_count = grid;
    kernel.recording = &recording;
    gpc_status status = gpc_trace_writer_kernel(writer, &kernel, error);
    gpci_free(recorded->context, placement);
    if (status == GPC_OK)
        status = write_blocks(recorded, &kernel, from, block, writer, error);
    begin_next(recorded);
    return status;
}
