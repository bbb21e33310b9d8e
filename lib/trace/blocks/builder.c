/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/blocks/trace_block.h"

#include "base/array.h"
#include "trace/blocks/notes.h"

#include <string.h>

#define NO_WARP UINT32_MAX
#define FIRST_INSTRUCTIONS 1024u
#define FIRST_ADDRESSES 8192u
#define MOST_ADDRESSES (1u << 20)

gpci_block *gpci_block_create(gpc_context *context) {
    gpci_block *block = gpci_zalloc(context, 1, sizeof *block);
    if (!block)
        return NULL;
    block->context = gpci_retain(context);
    block->warp = NO_WARP;
    return block;
}

void gpci_block_destroy(gpci_block *block) {
    if (!block)
        return;
    gpc_context *context = block->context;
    for (gpci_address_chunk *chunk = block->first, *next; chunk; chunk = next) {
        next = chunk->next;
        gpci_free(context, chunk);
    }
    gpci_free(context, block->instructions);
    gpci_free(context, block->warps);
    gpci_free(context, block->spans);
    gpci_free(context, block);
    gpci_release(context);
}

static bool reserve_warps(gpci_block *block, uint32_t count) {
    if (count <= block->warp_capacity)
        return true;
    gpc_warp *warps = gpci_zalloc(block->context, count, sizeof *warps);
    gpci_warp_span *spans = gpci_zalloc(block->context, count, sizeof *spans);
    if (!warps || !spans) {
        gpci_free(block->context, warps);
        gpci_free(block->context, spans);
        return false;
    }
    gpci_free(block->context, block->warps);
    gpci_free(block->context, block->spans);
    block->warps = warps;
    block->spans = spans;
    block->warp_capacity = count;
    return true;
}

gpc_status gpci_block_start(gpci_block *block, uint32_t x, uint32_t y, uint32_t z, uint32_t index,
                            uint32_t warp_count) {
    if (!reserve_warps(block, warp_count))
        return GPC_ERROR_MEMORY;
    block->view = (gpc_block){.x = x, .y = y, .z = z, .index = index, .warp_count = warp_count};
    block->count = 0;
    block->current = block->first;
    block->used = 0;
    block->warp = NO_WARP;
    if (warp_count)
        memset(block->spans, 0, warp_count * sizeof *block->spans);
    return !block->packer || gpci_packer_start(block->packer, warp_count) ? GPC_OK : GPC_ERROR_MEMORY;
}

static bool reserve_addresses(gpci_block *block, size_t addresses) {
    gpci_address_chunk *chunk = block->current;
    if (chunk && chunk->capacity - block->used >= addresses)
        return true;
    gpci_address_chunk **link = chunk ? &chunk->next : &block->first;
    /* chunks of an earlier block are used again in turn; all chunks but the first are larger than any single request */
    if (!*link || (*link)->capacity < addresses) {
        size_t capacity = chunk ? chunk->capacity * 2 : FIRST_ADDRESSES;
        capacity = capacity > MOST_ADDRESSES ? MOST_ADDRESSES : capacity;
        capacity = capacity < addresses ? addresses : capacity;
        if (capacity > (SIZE_MAX - sizeof *chunk) / sizeof(uint64_t))
            return false;
        gpci_address_chunk *fresh = gpci_alloc(block->context, sizeof *fresh + capacity * sizeof(uint64_t));
        if (!fresh)
            return false;
        fresh->capacity = capacity;
        fresh->next = *link;
        *link = fresh;
    }
    block->current = *link;
    block->used = 0;
    return true;
}

bool gpci_block_pack(gpci_block *block) {
    if (block->count && (!gpci_notes_tally(block->packer->opcodes, block->instructions, block->count) ||
                         !gpci_packer_add(block->packer, block->instructions, block->count)))
        return false;
    block->count = 0;
    block->current = block->first;
    block->used = 0;
    return true;
}

bool gpci_block_grow(gpci_block *block, size_t instructions, size_t addresses) {
    if (instructions == SIZE_MAX)
        return false;
    /* at a request for instructions, no instruction is half done: packing is safe */
    if (block->packer && instructions && !gpci_block_pack(block))
        return false;
    size_t more = !block->capacity && instructions < FIRST_INSTRUCTIONS ? FIRST_INSTRUCTIONS : instructions + 1;
    return GPCI_ARRAY_RESERVE(block->context, block->instructions, block->capacity, block->count, more) &&
           (addresses == 0 || reserve_addresses(block, addresses));
}

static bool pack_warp(gpci_block *block, uint32_t warp) {
    gpci_packer *packer = block->packer;
    if (block->spans[warp].supplied) {
        uint32_t end = gpci_opcodes_intern(packer->opcodes, "EXIT", 4);
        if (end == UINT32_MAX)
            return false;
        block->instructions[block->count - 1].opcode = end;
    }
    return gpci_block_pack(block) && gpci_packer_end(packer);
}

/* Last instruction of the warp being filled, perhaps already packed; NULL if the warp has none. */
static const gpc_instruction *last_of(const gpci_block *block) {
    if (block->count > block->spans[block->warp].first)
        return &block->instructions[block->count - 1];
    return block->packer && block->packer->step_count ? &gpci_packer_last(block->packer)->instruction : NULL;
}

/* Close the warp being filled: append an EXIT unless its last instruction is an EXIT. */
static bool end_warp(gpci_block *block) {
    if (block->warp == NO_WARP)
        return true;
    gpci_warp_span *span = &block->spans[block->warp];
    const gpc_instruction *last = last_of(block);
    span->count = block->count - span->first;
    if (!last || last->op_class != GPC_OP_EXIT) {
        if (!gpci_block_grow(block, 1, 0))
            return false;
        block->instructions[block->count++] = (gpc_instruction){.op_class = GPC_OP_EXIT, .space = GPC_SPACE_NONE};
        span->count++;
        span->supplied = true;
    }
    uint32_t warp = block->warp;
    block->warp = NO_WARP;
    return !block->packer || pack_warp(block, warp);
}

gpc_status gpci_block_warp(gpci_block *block, uint32_t warp) {
    if (warp >= block->view.warp_count || block->spans[warp].begun)
        return GPC_ERROR_FORMAT;
    if (!end_warp(block))
        return GPC_ERROR_MEMORY;
    if (block->packer)
        gpci_packer_begin(block->packer, warp);
    block->spans[warp].begun = true;
    block->spans[warp].first = block->count;
    block->warp = warp;
    return GPC_OK;
}

gpc_instruction *gpci_block_add(gpci_block *block, const gpci_opcodes *opcodes, uint32_t opcode, uint64_t pc,
                                uint64_t mask, bool with_addresses, uint64_t **addresses) {
    size_t lanes = with_addresses ? gpci_popcount(mask) : 0;
    if (addresses)
        *addresses = NULL;
    if (!gpci_block_reserve(block, 1, lanes))
        return NULL;
    const gpci_opcode *known = gpci_opcodes_at(opcodes, opcode);
    gpc_instruction *instruction = &block->instructions[block->count++];
    *instruction = (gpc_instruction){.pc = pc,
                                     .mask = mask,
                                     .opcode = opcode,
                                     .op_class = known->op_class,
                                     .kind = known->kind,
                                     .space = known->space,
                                     .hint = known->hint,
                                     .priority = known->priority,
                                     .width = known->width};
    if (lanes) {
        uint64_t *taken = gpci_block_take(block, lanes);
        instruction->addresses = taken;
        if (addresses)
            *addresses = taken;
    }
    return instruction;
}

/* Warps missing in the trace get only an EXIT. */
static gpc_status pack_missing(gpci_block *block) {
    for (uint32_t w = 0; w < block->view.warp_count; w++)
        if (!block->spans[w].begun && (gpci_block_warp(block, w) < 0 || !end_warp(block)))
            return GPC_ERROR_MEMORY;
    return GPC_OK;
}

gpc_status gpci_block_finish(gpci_block *block, gpci_opcodes *opcodes) {
    if (!end_warp(block))
        return GPC_ERROR_MEMORY;
    if (block->packer)
        return pack_missing(block);
    uint32_t missing = 0, supplied = 0;
    for (uint32_t w = 0; w < block->view.warp_count; w++) {
        missing += !block->spans[w].begun;
        supplied += !block->spans[w].begun || block->spans[w].supplied;
    }
    uint32_t end = supplied ? gpci_opcodes_intern(opcodes, "EXIT", 4) : 0;
    if (end == UINT32_MAX || !gpci_block_grow(block, missing, 0))
        return GPC_ERROR_MEMORY;
    for (uint32_t w = 0; w < block->view.warp_count; w++) {
        gpci_warp_span *span = &block->spans[w];
        if (!span->begun) {
            *span = (gpci_warp_span){block->count, 1, true, true};
            block->instructions[block->count++] = (gpc_instruction){.op_class = GPC_OP_EXIT, .space = GPC_SPACE_NONE};
        }
        gpc_instruction *first = block->instructions + span->first;
        if (span->supplied)
            first[span->count - 1].opcode = end;
        block->warps[w] = (gpc_warp){.warp = w, .count = span->count, .instructions = first};
    }
    block->view.warps = block->warps;
    block->view.instruction_count = block->count;
    return gpci_notes_tally(opcodes, block->instructions, block->count) ? GPC_OK : GPC_ERROR_MEMORY;
}

const gpc_block *gpci_block_view(const gpci_block *block) {
    return &block->view;
}

gpci_block *gpci_block_of(const gpc_block *view) {
    /* the view is the block's first member, and blocks are never const */
    return (gpci_block *)(uintptr_t)view;
}
