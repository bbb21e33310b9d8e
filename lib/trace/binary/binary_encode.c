/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/binary/binary_encode.h"

#include "base/array.h"

#include <string.h>

#define MOST_CONTROL_BYTES (16u << 20)

gpc_status gpci_encoder_start(gpci_encoder *e, gpc_context *context, const gpc_kernel *kernel) {
    *e = (gpci_encoder){.context = context, .kernel = *kernel};
    gpci_block_pool_init(&e->statics, context);
    gpci_block_pool_init(&e->controls, context);
    gpci_block_pool_init(&e->shapes, context);
    e->control.context = e->warps.context = e->addresses.context = e->recording.context = context;
    gpci_encode_recording(kernel->recording, &e->recording);
    e->kernel.placement = NULL;
    size_t placed = (size_t)kernel->placement_count;
    e->kernel.name = gpci_strdup(context, kernel->name ? kernel->name : "");
    e->opcodes = gpci_opcodes_create(context);
    uint32_t *placement = placed ? gpci_zalloc(context, placed, sizeof *placement) : NULL;
    e->kernel.placement = placement;
    if (!e->kernel.name || !e->opcodes || (placed && !placement) || e->recording.failed) {
        gpci_encoder_clear(e);
        return GPC_ERROR_MEMORY;
    }
    if (placed)
        memcpy(placement, kernel->placement, placed * sizeof *placement);
    return GPC_OK;
}

void gpci_encoder_clear(gpci_encoder *e) {
    if (!e->context)
        return;
    gpci_free(e->context, (char *)(uintptr_t)e->kernel.name);
    gpci_free(e->context, (uint32_t *)(uintptr_t)e->kernel.placement);
    gpci_opcodes_destroy(e->opcodes);
    gpci_block_pool_clear(&e->statics);
    gpci_block_pool_clear(&e->controls);
    gpci_block_pool_clear(&e->shapes);
    for (size_t i = 0; i < e->stream_count; i++)
        gpci_free(e->context, e->streams[i].history);
    gpci_free(e->context, e->streams);
    gpci_free(e->context, e->blocks);
    gpci_buffer_clear(&e->recording);
    gpci_buffer_clear(&e->control);
    gpci_buffer_clear(&e->warps);
    gpci_buffer_clear(&e->addresses);
    *e = (gpci_encoder){0};
}

static bool add_stream(gpci_encoder *e) {
    if (!GPCI_ARRAY_ROOM(e->context, e->streams, e->stream_capacity, e->stream_count, 1))
        return false;
    gpci_stream fresh = {.shape = GPCI_NO_SHAPE};
    fresh.learned = (gpci_learned){
        .shape = GPCI_NO_SHAPE, .from = GPCI_NO_ORDINAL, .dx_from = GPCI_NO_ORDINAL, .dy_from = GPCI_NO_ORDINAL};
    e->streams[e->stream_count++] = fresh;
    return true;
}

/* Static of an instruction, added if new; mostly the static behind the last (`likely`). */
static uint32_t static_of(gpci_encoder *e, const gpc_instruction *instruction, uint32_t opcode, uint32_t likely) {
    gpc_instruction key;
    memset(&key, 0, sizeof key);
    /* compared byte by byte: the bytes behind the fields are zeros */
    memcpy(&key, instruction, GPCI_INSTRUCTION_FIELDS);
    key.opcode = opcode;
    key.addresses = NULL;
    key.mask = instruction->addresses != NULL;
    for (unsigned i = (unsigned)key.destinations + key.sources; i < GPC_MAX_OPERANDS; i++)
        key.registers[i] = 0;
    /* a predicated-off instruction may be with or without addresses; the likely static keeps straight code straight */
    if (likely < e->statics.count) {
        gpc_instruction known;
        memcpy(&known, gpci_block_pool_at(&e->statics, likely), sizeof known);
        if (!instruction->mask)
            key.mask = known.mask;
        if (!memcmp(&known, &key, sizeof key))
            return likely;
        key.mask = instruction->addresses != NULL;
    }
    uint64_t hash = gpci_block_pool_hash(&key, sizeof key);
    uint32_t number = gpci_block_pool_find(&e->statics, hash, &key, sizeof key);
    if (number != GPCI_NO_ENTRY || !add_stream(e))
        return number;
    return gpci_block_pool_add(&e->statics, hash, &key, sizeof key);
}

static void put_mask(gpci_encoder *e, uint64_t mask) {
    gpci_control_state *state = &e->state;
    state->mask = mask;
    if (mask == 0 || mask == state->full) {
        gpci_buffer_varint(&e->control, mask ? GPCI_MASK_FULL : GPCI_MASK_NONE);
        return;
    }
    for (uint32_t back = 1; back <= GPCI_RECENT_MASKS; back++)
        if (state->recent[(state->recent_at - back) % GPCI_RECENT_MASKS] == mask) {
            gpci_buffer_varint(&e->control, GPCI_MASK_RECENT + back - 1);
            return;
        }
    state->recent[state->recent_at++ % GPCI_RECENT_MASKS] = mask;
    uint8_t raw[8];
    gpci_store64(raw, mask);
    gpci_buffer_varint(&e->control, GPCI_MASK_WRITTEN);
    gpci_buffer_put(&e->control, raw, e->kernel.warp_lanes / 8);
}

static void put_run(gpci_encoder *e, uint32_t first, uint64_t count, uint64_t mask) {
    gpci_control_state *state = &e->state;
    bool jump = first != state->next, masked = mask != state->mask;
    gpci_buffer_varint(&e->control, count << 2 | (uint64_t)jump << 1 | masked);
    if (jump)
        gpci_buffer_signed(&e->control, (uint64_t)first - state->next);
    if (masked)
        put_mask(e, mask);
    state->next = (uint32_t)(first + count);
}

/* Write a warp's runs to `control`, and its addresses behind the addresses of earlier warps. */
static gpc_status encode_warp(gpci_encoder *e, const gpc_warp *warp, const uint32_t *opcodes) {
    uint64_t full = gpci_full_mask(e->kernel.warp_lanes);
    e->state = (gpci_control_state){.mask = full, .full = full};
    e->control.length = 0;
    e->place.warp = warp->warp;
    uint32_t first = 0, next = 0;
    uint64_t count = 0, mask = full;
    for (uint64_t i = 0; i < warp->count; i++) {
        const gpc_instruction *instruction = &warp->instructions[i];
        uint32_t number = static_of(e, instruction, opcodes[instruction->opcode], next);
        if (number == GPCI_NO_ENTRY)
            return GPC_ERROR_MEMORY;
        if (count && (number != next || instruction->mask != mask)) {
            put_run(e, first, count, mask);
            count = 0;
        }
        if (!count) {
            first = number;
            mask = instruction->mask;
        }
        count++;
        next = number + 1;
        if (!instruction->addresses || !mask)
            continue;
        gpc_status status = gpci_encode_addresses(e, number, instruction->addresses, gpci_popcount(mask));
        if (status < 0)
            return status;
    }
    if (count)
        put_run(e, first, count, mask);
    return e->control.failed ? GPC_ERROR_MEMORY : GPC_OK;
}

static void put_repeated(gpci_encoder *e) {
    if (!e->repeated)
        return;
    gpci_buffer_varint(&e->warps, (uint64_t)(e->repeated - 1) << 1);
    gpci_buffer_varint(&e->warps, e->control_number);
    e->repeated = 0;
}

/* Write the warp's control: by number if known or if it comes the second time; otherwise in full. */
static gpc_status put_control(gpci_encoder *e) {
    uint64_t hash = gpci_block_pool_hash(e->control.data, e->control.length);
    uint32_t number = gpci_block_pool_find(&e->controls, hash, e->control.data, e->control.length);
    bool came = false;
    if (number == GPCI_NO_ENTRY && gpci_block_pool_came(&e->controls, hash, &came) < 0)
        return GPC_ERROR_MEMORY;
    if (came && e->controls.data.length + e->control.length <= MOST_CONTROL_BYTES) {
        number = gpci_block_pool_add(&e->controls, hash, e->control.data, e->control.length);
        if (number == GPCI_NO_ENTRY)
            return GPC_ERROR_MEMORY;
    }
    if (e->repeated && number != e->control_number)
        put_repeated(e);
    if (number != GPCI_NO_ENTRY) {
        e->control_number = number;
        e->repeated++;
        return GPC_OK;
    }
    gpci_buffer_varint(&e->warps, e->control.length << 1 | 1);
    gpci_buffer_put(&e->warps, e->control.data, e->control.length);
    return GPC_OK;
}

/* Keep the steps of statics that were new in this block, at the block's end. */
static void learn_steps(gpci_encoder *e) {
    for (size_t i = 0; e->learning && i < e->stream_count; i++) {
        gpci_stream *stream = &e->streams[i];
        if (stream->learned.from != e->place.ordinal)
            continue;
        stream->learned.warp_step = stream->warp_step;
        stream->learned.loop_step = stream->loop_step;
        stream->learned.shape = stream->shape;
    }
    e->learning = false;
}

static gpc_status add_entry(gpci_encoder *e, gpci_block_entry entry) {
    if (!GPCI_ARRAY_ROOM(e->context, e->blocks, e->block_capacity, e->block_count, 1))
        return GPC_ERROR_MEMORY;
    e->blocks[e->block_count++] = entry;
    return GPC_OK;
}

gpc_status gpci_encoder_block(gpci_encoder *e, const gpc_block *block, const uint32_t *opcodes, uint64_t offset,
                              gpci_buffer *out) {
    e->place = (gpci_stream_place){.ordinal = (uint32_t)e->block_count, .x = block->x, .y = block->y};
    e->warps.length = e->addresses.length = 0;
    uint64_t instructions = 0;
    for (uint32_t w = 0; w < block->warp_count; w++) {
        gpc_status status = encode_warp(e, &block->warps[w], opcodes);
        if (status == GPC_OK)
            status = put_control(e);
        if (status < 0)
            return status;
        instructions += block->warps[w].count;
    }
    put_repeated(e);
    gpci_encode_expected(e);
    learn_steps(e);
    size_t before = out->length;
    gpci_buffer_put(out, e->warps.data, e->warps.length);
    gpci_buffer_put(out, e->addresses.data, e->addresses.length);
    if (e->warps.failed || e->addresses.failed || out->failed)
        return GPC_ERROR_MEMORY;
    uint64_t length = out->length - before + GPCI_BINARY_CRC;
    return add_entry(e, (gpci_block_entry){block->index, offset, length, instructions});
}
