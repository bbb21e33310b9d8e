/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/binary/binary_encode.h"

#include "base/array.h"

#include <string.h>

#define MOST_CONTROL_BYTES (16u << 20)

gpc_status gpci_encoder_start(gpci_encoder *encoder, gpc_context *context, const gpc_kernel *kernel) {
    *encoder = (gpci_encoder){.context = context, .kernel = *kernel};
    gpci_block_pool_init(&encoder->statics, context);
    gpci_block_pool_init(&encoder->controls, context);
    gpci_block_pool_init(&encoder->shapes, context);
    encoder->control.context = encoder->warps.context = encoder->addresses.context = encoder->recording.context =
        context;
    gpci_encode_recording(kernel->recording, &encoder->recording);
    encoder->kernel.placement = NULL;
    size_t placed = (size_t)kernel->placement_count;
    encoder->kernel.name = gpci_strdup(context, kernel->name ? kernel->name : "");
    encoder->opcodes = gpci_opcodes_create(context);
    uint32_t *placement = placed ? gpci_zalloc(context, placed, sizeof *placement) : NULL;
    encoder->kernel.placement = placement;
    if (!encoder->kernel.name || !encoder->opcodes || (placed && !placement) || encoder->recording.failed) {
        gpci_encoder_clear(encoder);
        return GPC_ERROR_MEMORY;
    }
    if (placed)
        memcpy(placement, kernel->placement, placed * sizeof *placement);
    return GPC_OK;
}

void gpci_encoder_clear(gpci_encoder *encoder) {
    if (!encoder->context)
        return;
    gpci_free(encoder->context, (char *)(uintptr_t)encoder->kernel.name);
    gpci_free(encoder->context, (uint32_t *)(uintptr_t)encoder->kernel.placement);
    gpci_opcodes_destroy(encoder->opcodes);
    gpci_block_pool_clear(&encoder->statics);
    gpci_block_pool_clear(&encoder->controls);
    gpci_block_pool_clear(&encoder->shapes);
    for (size_t i = 0; i < encoder->stream_count; i++)
        gpci_free(encoder->context, encoder->streams[i].history);
    gpci_free(encoder->context, encoder->streams);
    gpci_free(encoder->context, encoder->blocks);
    gpci_buffer_clear(&encoder->recording);
    gpci_buffer_clear(&encoder->control);
    gpci_buffer_clear(&encoder->warps);
    gpci_buffer_clear(&encoder->addresses);
    *encoder = (gpci_encoder){0};
}

static bool add_stream(gpci_encoder *encoder) {
    if (!GPCI_ARRAY_RESERVE(encoder->context, encoder->streams, encoder->stream_capacity, encoder->stream_count, 1))
        return false;
    gpci_stream fresh = {.shape = GPCI_NO_SHAPE};
    fresh.learned = (gpci_learned){
        .shape = GPCI_NO_SHAPE, .from = GPCI_NO_ORDINAL, .dx_from = GPCI_NO_ORDINAL, .dy_from = GPCI_NO_ORDINAL};
    encoder->streams[encoder->stream_count++] = fresh;
    return true;
}

/*
 * Find or add the static of an instruction. `likely` is the number behind the last instruction's static, and mostly
 * right. Returns the static's number; GPCI_NO_ENTRY: out of memory.
 */
static uint32_t static_of(gpci_encoder *encoder, const gpc_instruction *instruction, uint32_t opcode, uint32_t likely) {
    gpc_instruction key;
    memset(&key, 0, sizeof key);
    /* compared byte by byte: the bytes behind the fields are zeros */
    memcpy(&key, instruction, GPCI_INSTRUCTION_FIELDS);
    key.opcode = opcode;
    key.addresses = NULL;
    key.mask = instruction->addresses != NULL;
    for (unsigned i = (unsigned)key.destinations + key.sources; i < GPC_MAX_OPERANDS; i++)
        key.registers[i] = 0;
    /* without active lanes, a static with addresses fits, and one without: the likely static continues the run */
    if (likely < encoder->statics.count) {
        gpc_instruction known;
        memcpy(&known, gpci_block_pool_at(&encoder->statics, likely), sizeof known);
        if (!instruction->mask)
            key.mask = known.mask;
        if (!memcmp(&known, &key, sizeof key))
            return likely;
        key.mask = instruction->addresses != NULL;
    }
    uint64_t hash = gpci_block_pool_hash(&key, sizeof key);
    uint32_t number = gpci_block_pool_find(&encoder->statics, hash, &key, sizeof key);
    if (number != GPCI_NO_ENTRY || !add_stream(encoder))
        return number;
    return gpci_block_pool_add(&encoder->statics, hash, &key, sizeof key);
}

static void put_mask(gpci_encoder *encoder, uint64_t mask) {
    gpci_control_state *state = &encoder->state;
    state->mask = mask;
    if (mask == 0 || mask == state->full) {
        gpci_buffer_varint(&encoder->control, mask ? GPCI_MASK_FULL : GPCI_MASK_NONE);
        return;
    }
    for (uint32_t back = 1; back <= GPCI_RECENT_MASKS; back++)
        if (state->recent[(state->recent_at - back) % GPCI_RECENT_MASKS] == mask) {
            gpci_buffer_varint(&encoder->control, GPCI_MASK_RECENT + back - 1);
            return;
        }
    state->recent[state->recent_at++ % GPCI_RECENT_MASKS] = mask;
    uint8_t raw[8];
    gpci_store64(raw, mask);
    gpci_buffer_varint(&encoder->control, GPCI_MASK_WRITTEN);
    gpci_buffer_put(&encoder->control, raw, encoder->kernel.warp_lanes / 8);
}

static void put_run(gpci_encoder *encoder, uint32_t first, uint64_t count, uint64_t mask) {
    gpci_control_state *state = &encoder->state;
    bool jump = first != state->next, masked = mask != state->mask;
    gpci_buffer_varint(&encoder->control, count << 2 | (uint64_t)jump << 1 | masked);
    if (jump)
        gpci_buffer_signed(&encoder->control, (uint64_t)first - state->next);
    if (masked)
        put_mask(encoder, mask);
    state->next = (uint32_t)(first + count);
}

/* Write a warp's runs to `control`, and append the addresses of its instructions to `addresses`. */
static gpc_status encode_warp(gpci_encoder *encoder, const gpc_warp *warp, const uint32_t *opcodes) {
    uint64_t full = gpci_full_mask(encoder->kernel.warp_lanes);
    encoder->state = (gpci_control_state){.mask = full, .full = full};
    encoder->control.length = 0;
    encoder->place.warp = warp->warp;
    uint32_t first = 0, next = 0;
    uint64_t count = 0, mask = full;
    for (uint64_t i = 0; i < warp->count; i++) {
        const gpc_instruction *instruction = &warp->instructions[i];
        uint32_t number = static_of(encoder, instruction, opcodes[instruction->opcode], next);
        if (number == GPCI_NO_ENTRY)
            return GPC_ERROR_MEMORY;
        if (count && (number != next || instruction->mask != mask)) {
            put_run(encoder, first, count, mask);
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
        gpc_status status = gpci_encode_addresses(encoder, number, instruction->addresses, gpci_popcount(mask));
        if (status < 0)
            return status;
    }
    if (count)
        put_run(encoder, first, count, mask);
    return encoder->control.failed ? GPC_ERROR_MEMORY : GPC_OK;
}

static void put_repeated(gpci_encoder *encoder) {
    if (!encoder->repeated)
        return;
    gpci_buffer_varint(&encoder->warps, (uint64_t)(encoder->repeated - 1) << 1);
    gpci_buffer_varint(&encoder->warps, encoder->control_number);
    encoder->repeated = 0;
}

/*
 * Write the warp's control. If the section has the control, or gets it because it comes the second time, the warp is
 * counted in `repeated`, and put_repeated writes the control's number. Otherwise the whole control is written.
 */
static gpc_status put_control(gpci_encoder *encoder) {
    uint64_t hash = gpci_block_pool_hash(encoder->control.data, encoder->control.length);
    uint32_t number = gpci_block_pool_find(&encoder->controls, hash, encoder->control.data, encoder->control.length);
    bool came = false;
    if (number == GPCI_NO_ENTRY && gpci_block_pool_came(&encoder->controls, hash, &came) < 0)
        return GPC_ERROR_MEMORY;
    if (came && encoder->controls.data.length + encoder->control.length <= MOST_CONTROL_BYTES) {
        number = gpci_block_pool_add(&encoder->controls, hash, encoder->control.data, encoder->control.length);
        if (number == GPCI_NO_ENTRY)
            return GPC_ERROR_MEMORY;
    }
    if (encoder->repeated && number != encoder->control_number)
        put_repeated(encoder);
    if (number != GPCI_NO_ENTRY) {
        encoder->control_number = number;
        encoder->repeated++;
        return GPC_OK;
    }
    gpci_buffer_varint(&encoder->warps, encoder->control.length << 1 | 1);
    gpci_buffer_put(&encoder->warps, encoder->control.data, encoder->control.length);
    return GPC_OK;
}

/* At a block's end, keep the last steps and the shape of each static that had its first addresses in the block. */
static void learn_steps(gpci_encoder *encoder) {
    for (size_t i = 0; encoder->learning && i < encoder->stream_count; i++) {
        gpci_stream *stream = &encoder->streams[i];
        if (stream->learned.from != encoder->place.ordinal)
            continue;
        stream->learned.warp_step = stream->warp_step;
        stream->learned.loop_step = stream->loop_step;
        stream->learned.shape = stream->shape;
    }
    encoder->learning = false;
}

static gpc_status add_entry(gpci_encoder *encoder, gpci_block_entry entry) {
    if (!GPCI_ARRAY_RESERVE(encoder->context, encoder->blocks, encoder->block_capacity, encoder->block_count, 1))
        return GPC_ERROR_MEMORY;
    encoder->blocks[encoder->block_count++] = entry;
    return GPC_OK;
}

gpc_status gpci_encoder_block(gpci_encoder *encoder, const gpc_block *block, const uint32_t *opcodes, uint64_t offset,
                              gpci_buffer *out) {
    encoder->place = (gpci_stream_place){.ordinal = (uint32_t)encoder->block_count, .x = block->x, .y = block->y};
    encoder->warps.length = encoder->addresses.length = 0;
    uint64_t instructions = 0;
    for (uint32_t w = 0; w < block->warp_count; w++) {
        gpc_status status = encode_warp(encoder, &block->warps[w], opcodes);
        if (status == GPC_OK)
            status = put_control(encoder);
        if (status < 0)
            return status;
        instructions += block->warps[w].count;
    }
    put_repeated(encoder);
    gpci_encode_expected(encoder);
    learn_steps(encoder);
    size_t before = out->length;
    gpci_buffer_put(out, encoder->warps.data, encoder->warps.length);
    gpci_buffer_put(out, encoder->addresses.data, encoder->addresses.length);
    if (encoder->warps.failed || encoder->addresses.failed || out->failed)
        return GPC_ERROR_MEMORY;
    uint64_t length = out->length - before + GPCI_BINARY_CRC;
    return add_entry(encoder, (gpci_block_entry){block->index, offset, length, instructions});
}
