/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/recorded_kernel.h"

#include "base/array.h"
#include "trace/sources.h"

#include <stdio.h>
#include <string.h>

/*
 * Kernel driven by a host: held while running, then written as thread blocks of warps with the order of all accesses.
 */

/* If a grid would have more than SPARSE times the seen blocks, blocks are numbered in order of arrival instead. */
#define SPARSE 4u
#define SPARSE_LEAST 1024u

void gpci_recorded_init(gpci_recorded_kernel *k, gpc_context *context, uint32_t lanes) {
    *k = (gpci_recorded_kernel){.context = context, .lanes = lanes};
    k->rows.context = k->forms.context = context;
    k->rows.made = gpci_forms_made;
    k->rows.data = &k->forms;
    k->recording = (gpc_recording)GPC_RECORDING_INIT;
}

void gpci_recorded_free(gpci_recorded_kernel *k) {
    gpci_rows_destroy(&k->rows);
    gpci_forms_free(&k->forms);
    gpci_free(k->context, k->turns);
    gpci_free(k->context, k->blocks);
    gpci_map_free(k->context, &k->block_of);
    gpci_map_free(k->context, &k->warp_of);
    gpci_map_free(k->context, &k->last);
}

bool gpci_recorded_is_empty(const gpci_recorded_kernel *k) {
    const gpc_recording *r = &k->recording;
    return !k->turn_count && !r->begun && !r->warp_instructions && !r->thread_instructions && !r->blocks;
}

gpc_status gpci_recorded_turn(gpci_recorded_kernel *k, const gpc_turn *turn) {
    if (!GPCI_ARRAY_ROOM(k->context, k->turns, k->turn_capacity, k->turn_count, 1))
        return GPC_ERROR_MEMORY;
    k->turns[k->turn_count++] = *turn;
    return GPC_OK;
}

/* Number of the block; UINT32_MAX: out of memory. */
static uint32_t block_of(gpci_recorded_kernel *k, uint32_t sm, uint32_t block) {
    const uint64_t key = (uint64_t)sm << 32 | block;
    const gpci_map_entry *known = gpci_map_find(&k->block_of, key);
    if (GPCI_LIKELY(known != NULL))
        return (uint32_t)known->value;
    if (!GPCI_ARRAY_ROOM(k->context, k->blocks, k->block_capacity, k->block_count, 1) ||
        !gpci_map_reserve(k->context, &k->block_of, 1))
        return UINT32_MAX;
    gpci_map_add(&k->block_of, key, k->block_count);
    k->blocks[k->block_count] = (gpci_recorded_block){.sm = sm, .block = block};
    return (uint32_t)k->block_count++;
}

static uint32_t warp_of(gpci_recorded_kernel *k, uint32_t block, uint32_t slot) {
    const uint64_t key = (uint64_t)block << 32 | slot;
    const gpci_map_entry *known = gpci_map_find(&k->warp_of, key);
    if (GPCI_LIKELY(known != NULL))
        return (uint32_t)known->value;
    if (!gpci_map_reserve(k->context, &k->warp_of, 1))
        return UINT32_MAX;
    gpci_map_add(&k->warp_of, key, k->blocks[block].warps);
    return k->blocks[block].warps++;
}

static uint64_t place_key(uint32_t sm, uint32_t slot) {
    return (uint64_t)sm << 32 | slot;
}

uint32_t gpci_recorded_block_at(const gpci_recorded_kernel *k, uint32_t sm, uint32_t slot) {
    const gpci_map_entry *last = gpci_map_find(&k->last, place_key(sm, slot));
    return last ? (uint32_t)last->value : 0;
}

gpc_status gpci_recorded_add(gpci_recorded_kernel *k, gpci_opcodes *opcodes, const gpci_recorded_form *form,
                             uint64_t pc, uint64_t mask, const uint64_t *addresses, gpc_turn turn) {
    gpci_map_entry *last = gpci_map_at(k->context, &k->last, place_key(turn.sm, turn.slot));
    if (!last)
        return GPC_ERROR_MEMORY;
    last->value = turn.block;
    turn.block = block_of(k, turn.sm, turn.block);
    turn.warp = turn.block == UINT32_MAX ? UINT32_MAX : warp_of(k, turn.block, turn.slot);
    const uint32_t number = gpci_forms_number(&k->forms, opcodes, *form);
    const size_t lanes = form->fence ? 0 : gpci_popcount(mask);
    if (turn.warp == UINT32_MAX || number == UINT32_MAX ||
        !GPCI_ARRAY_ROOM(k->context, k->rows.addresses, k->rows.address_capacity, k->rows.address_count, lanes))
        return GPC_ERROR_MEMORY;
    const gpci_row row = {.block = turn.block,
                          .warp = turn.warp,
                          .pc = pc,
                          .mask = mask,
                          .first = form->fence ? GPCI_NO_ADDRESSES : k->rows.address_count,
                          .opcode = k->forms.items[number].opcode,
                          .sm = turn.sm,
                          .form = number};
    if (lanes)
        memcpy(k->rows.addresses + k->rows.address_count, addresses, lanes * sizeof *addresses);
    k->rows.address_count += lanes;
    gpc_status status = gpci_rows_add(&k->rows, &row, NULL);
    return status == GPC_OK ? gpci_recorded_turn(k, &turn) : status;
}

/* True if the host's block numbers are distinct, and dense enough for a grid. */
static bool keeps_numbers(const gpci_recorded_kernel *k, gpci_map *seen, bool *memory) {
    for (size_t b = 0; b < k->block_count; b++) {
        const uint32_t number = k->blocks[b].block;
        if (number / SPARSE >= k->block_count && number >= SPARSE_LEAST)
            return false;
        if (gpci_map_find(seen, number))
            return false;
        *memory = !gpci_map_reserve(k->context, seen, 1);
        if (*memory)
            return false;
        gpci_map_add(seen, number, b);
    }
    return true;
}

/* Number the blocks in the grid; *grid: blocks of the grid, at least 1. Fails with GPC_ERROR_MEMORY. */
static gpc_status number_blocks(gpci_recorded_kernel *k, uint32_t *grid) {
    gpci_map seen = {0};
    bool memory = false;
    const bool keep = keeps_numbers(k, &seen, &memory);
    gpci_map_free(k->context, &seen);
    if (memory)
        return GPC_ERROR_MEMORY;
    *grid = 1;
    for (size_t b = 0; b < k->block_count; b++) {
        k->blocks[b].block = keep ? k->blocks[b].block : (uint32_t)b;
        *grid = k->blocks[b].block >= *grid ? k->blocks[b].block + 1 : *grid;
    }
    for (size_t i = 0; i < k->rows.count; i++)
        k->rows.items[i].block = k->blocks[k->rows.items[i].block].block;
    for (size_t i = 0; i < k->turn_count; i++)
        if (k->turns[i].what == GPC_TURN_INSTRUCTION)
            k->turns[i].block = k->blocks[k->turns[i].block].block;
    return GPC_OK;
}

static gpc_kernel kernel_of(const gpci_recorded_kernel *k, uint32_t grid, const char *name) {
    const gpc_recording *r = &k->recording;
    uint32_t warps = 1;
    for (size_t b = 0; b < k->block_count; b++)
        warps = k->blocks[b].warps > warps ? k->blocks[b].warps : warps;
    gpc_kernel kernel = GPC_KERNEL_INIT;
    kernel.name = name;
    kernel.id = k->id;
    kernel.grid[0] = grid;
    kernel.block[0] = r->threads > (warps - 1) * k->lanes ? r->threads : warps * k->lanes;
    kernel.grid[1] = kernel.grid[2] = kernel.block[1] = kernel.block[2] = 1;
    kernel.shared_bytes = r->shared_bytes;
    kernel.registers = r->registers;
    kernel.warp_lanes = k->lanes;
    return kernel;
}

static gpc_status write_blocks(gpci_recorded_kernel *k, const gpc_kernel *kernel, gpc_trace *from, gpci_block *block,
                               gpc_trace_writer *writer, gpc_error *error) {
    gpci_rows_sort(&k->rows);
    gpc_status status = GPC_OK;
    for (size_t next = 0; next < k->rows.count && status == GPC_OK;) {
        status = gpci_rows_block(&k->rows, &next, kernel, gpci_trace_own_opcodes(from), block, error);
        if (status == GPC_OK)
            status = gpc_trace_writer_block(writer, from, gpci_block_view(block), error);
    }
    return status;
}

static void begin_next(gpci_recorded_kernel *k) {
    gpci_rows_clear(&k->rows);
    k->turn_count = k->block_count = 0;
    gpci_map_clear(&k->block_of);
    gpci_map_clear(&k->warp_of);
    gpci_map_clear(&k->last);
    k->recording = (gpc_recording)GPC_RECORDING_INIT;
    k->id++;
}

gpc_status gpci_recorded_write(gpci_recorded_kernel *k, gpc_trace *from, gpci_block *block, gpc_trace_writer *writer,
                               gpc_error *error) {
    char name[32];
    uint32_t grid;
    if (number_blocks(k, &grid) < 0)
        return gpci_out_of_memory(error);
    uint32_t *placement = gpci_zalloc(k->context, grid, sizeof *placement);
    if (!placement)
        return gpci_out_of_memory(error);
    for (size_t b = 0; b < k->block_count; b++)
        placement[k->blocks[b].block] = k->blocks[b].sm;
    snprintf(name, sizeof name, "recorded-%u", k->id);
    gpc_recording recording = k->recording;
    recording.turns = k->turns;
    recording.turn_count = k->turn_count;
    gpc_kernel kernel = kernel_of(k, grid, name);
    kernel.placement = placement;
    kernel.placement_count = grid;
    kernel.recording = &recording;
    gpc_status status = gpc_trace_writer_kernel(writer, &kernel, error);
    gpci_free(k->context, placement);
    if (status == GPC_OK)
        status = write_blocks(k, &kernel, from, block, writer, error);
    begin_next(k);
    return status;
}
