/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/binary/binary_decode.h"
#include "trace/sources.h"

#include <string.h>

/* Block being decoded: one run of bytes, the warps' controls followed by the addresses. */
typedef struct decoding {
    gpci_decoder *decoder;
    gpci_block *block;
    gpci_stream_place place;
    gpci_control_state state;
    gpci_cursor addresses;
    uint64_t expected; /* count of next instructions whose addresses are as predicted */
    uint64_t left;     /* instructions not yet read, of the count in the index */
    bool memory;
} decoding;

static bool lay_out(const decoding *decoder, uint32_t number, uint64_t first, uint64_t *addresses, unsigned count) {
    if (count == 1) {
        addresses[0] = first;
        return true;
    }
    if (number >= decoder->decoder->shape_count)
        return false;
    const gpci_shape *shape = &decoder->decoder->shapes[number];
    if (!shape->count) {
        for (unsigned i = 0; i < count; i++)
            addresses[i] = first + shape->stride * i;
        return true;
    }
    if (shape->count != count)
        return false;
    for (unsigned i = 0; i < count; i++)
        addresses[i] = first + shape->offsets[i];
    return true;
}

static bool unpack(decoding *decoder, uint64_t argument, uint64_t near, uint64_t *addresses, unsigned count) {
    bool differences = argument & 1;
    unsigned shift = (unsigned)(argument >> 1) & GPCI_MOST_SHIFT;
    unsigned width = (unsigned)gpci_cursor_below(&decoder->addresses, 64);
    uint64_t value = near + gpci_cursor_signed(&decoder->addresses);
    unsigned packed = differences ? count - 1 : count;
    const uint8_t *bits = gpci_cursor_take(&decoder->addresses, gpci_packed_bytes(packed, width));
    if (!bits || argument >> 5 || (width > 56 && width < 64))
        return false;
    if (!differences) {
        for (unsigned i = 0; i < count; i++)
            addresses[i] = value + (gpci_unpack(bits, i, width) << shift);
        return true;
    }
    addresses[0] = value;
    for (unsigned i = 1; i < count; i++)
        addresses[i] = value += gpci_unzigzag(gpci_unpack(bits, i - 1, width)) << shift;
    return true;
}

/* Read addresses with a code other than GPCI_CODE_EXPECTED. */
static bool take_coded(decoding *decoder, gpci_stream *stream, uint64_t code, uint64_t near, uint64_t *addresses,
                       unsigned count) {
    if ((code & 3) == GPCI_CODE_PACKED)
        return unpack(decoder, code >> 2, near, addresses, count);
    if ((code & 3) == GPCI_CODE_SHAPE)
        stream->shape = code >> 2 < decoder->decoder->shape_count ? (uint32_t)(code >> 2) : GPCI_NO_SHAPE;
    else if (code >> 2)
        return false;
    uint64_t first = near + gpci_cursor_signed(&decoder->addresses);
    return lay_out(decoder, stream->shape, first, addresses, count);
}

static bool take_addresses(decoding *decoder, gpci_stream *stream, uint64_t *addresses, unsigned count) {
    uint64_t expected, near, code = GPCI_CODE_EXPECTED;
    gpci_stream_predict(stream, &decoder->place, &expected, &near);
    if (!decoder->expected) {
        code = gpci_cursor_varint(&decoder->addresses);
        decoder->expected = (code & 3) == GPCI_CODE_EXPECTED ? (code >> 2) + 1 : 0;
    }
    bool good = decoder->expected ? lay_out(decoder, stream->shape, expected, addresses, count)
                                  : take_coded(decoder, stream, code, near, addresses, count);
    decoder->expected -= decoder->expected > 0;
    if (good && !gpci_stream_update(stream, decoder->decoder->context, &decoder->place, addresses[0]))
        decoder->memory = true;
    return good && !decoder->addresses.bad && !decoder->memory;
}

/* Append the instructions of `count` statics, from `first` on, to the block. Their mask is the present mask. */
static bool take_run(decoding *decoder, uint32_t first, uint32_t count) {
    gpci_decoder *d = decoder->decoder;
    gpci_block *block = decoder->block;
    uint64_t mask = decoder->state.mask;
    unsigned lanes = gpci_popcount(mask);
    uint32_t end = first + count;
    if (!gpci_block_reserve(block, count, 0)) {
        decoder->memory = true;
        return false;
    }
    gpc_instruction *instruction = block->instructions + block->count;
    memcpy(instruction, d->statics + first, count * sizeof *instruction);
    if (mask != decoder->state.full)
        for (uint32_t i = 0; i < count; i++)
            instruction[i].mask = mask;
    block->count += count;
    for (uint32_t at = lanes ? d->next_addressed[first] : end; at < end; at = d->next_addressed[at + 1]) {
        if (!gpci_block_reserve(block, 0, lanes)) {
            decoder->memory = true;
            return false;
        }
        uint64_t *addresses = gpci_block_take(block, lanes);
        instruction[at - first].addresses = addresses;
        if (!take_addresses(decoder, &d->streams[at], addresses, lanes))
            return false;
    }
    return true;
}

static bool take_mask(decoding *decoder, gpci_cursor *control) {
    gpci_control_state *state = &decoder->state;
    uint64_t code = gpci_cursor_below(control, GPCI_MASK_RECENT + GPCI_RECENT_MASKS - 1);
    if (code >= GPCI_MASK_RECENT) {
        state->mask = state->recent[(state->recent_at - 1 - (uint32_t)(code - GPCI_MASK_RECENT)) % GPCI_RECENT_MASKS];
    } else if (code != GPCI_MASK_WRITTEN) {
        state->mask = code == GPCI_MASK_FULL ? state->full : 0;
    } else {
        unsigned bytes = decoder->decoder->kernel.warp_lanes / 8;
        const uint8_t *raw = gpci_cursor_take(control, bytes);
        if (!raw)
            return false;
        state->mask = bytes == 8 ? gpci_load64(raw) : gpci_load32(raw);
        state->recent[state->recent_at++ % GPCI_RECENT_MASKS] = state->mask;
    }
    return !control->bad;
}

static bool take_warp(decoding *decoder, gpci_cursor *control) {
    uint64_t full = gpci_full_mask(decoder->decoder->kernel.warp_lanes);
    decoder->state = (gpci_control_state){.mask = full, .full = full};
    while (control->at < control->stop) {
        uint64_t run = gpci_cursor_varint(control), count = run >> 2;
        uint64_t first = decoder->state.next;
        if (run & 2)
            first += gpci_cursor_signed(control);
        if ((run & 1) && !take_mask(decoder, control))
            return false;
        if (control->bad || count > decoder->left || first > decoder->decoder->static_count ||
            count > decoder->decoder->static_count - first)
            return false;
        decoder->left -= count;
        decoder->state.next = (uint32_t)(first + count);
        if (!take_run(decoder, (uint32_t)first, (uint32_t)count))
            return false;
    }
    return true;
}

/*
 * Read the control of the next warps: a control of the section, by number, for the next *repeat warps; or a whole
 * control, for one warp.
 */
static bool take_reference(const gpci_decoder *decoder, gpci_cursor *warps, uint64_t *repeat, gpci_cursor *control) {
    uint64_t head = gpci_cursor_varint(warps), length = head >> 1;
    const uint8_t *at;
    *repeat = 1;
    if (head & 1) {
        at = gpci_cursor_take(warps, length);
    } else {
        *repeat = (head >> 1) + 1;
        uint64_t number = gpci_cursor_varint(warps);
        if (warps->bad || number >= decoder->control_count)
            return false;
        at = decoder->controls[number].at;
        length = decoder->controls[number].length;
    }
    if (warps->bad || !at)
        return false;
    *control = (gpci_cursor){at, at + length, false};
    return true;
}

/* Read a block. The controls are read twice: the first time to find the addresses behind the controls. */
static bool take_block(decoding *decoder, gpci_cursor whole, uint32_t warps) {
    gpci_cursor controls = whole, control, again = whole;
    uint64_t repeat;
    for (uint32_t w = 0; w < warps; w += (uint32_t)repeat)
        if (!take_reference(decoder->decoder, &whole, &repeat, &control) || repeat > warps - w)
            return false;
    decoder->addresses = whole;
    repeat = 0;
    for (uint32_t w = 0; w < warps; w++, repeat--) {
        if (!repeat && !take_reference(decoder->decoder, &controls, &repeat, &again))
            return false;
        decoder->place.warp = w;
        control = again;
        gpc_status status = gpci_block_warp(decoder->block, w);
        decoder->memory |= status == GPC_ERROR_MEMORY;
        if (status < 0 || !take_warp(decoder, &control))
            return false;
    }
    return decoder->addresses.at == decoder->addresses.stop && !decoder->expected && !decoder->left;
}

void gpci_decoder_rewind(gpci_decoder *decoder) {
    for (uint32_t i = 0; i < decoder->static_count; i++)
        decoder->streams[i].touched = 0;
}

gpc_status gpci_decoder_block(gpci_decoder *decoder, uint32_t ordinal, const uint8_t *bytes, uint64_t length,
                              gpci_block *block, uint64_t *at, const char **what) {
    const gpci_block_entry *entry = &decoder->blocks[ordinal];
    const uint32_t *grid = decoder->kernel.grid;
    uint32_t x = entry->index % grid[0], y = entry->index / grid[0] % grid[1], z = entry->index / grid[0] / grid[1];
    uint32_t warps = gpci_kernel_warps(&decoder->kernel);
    if (gpci_block_start(block, x, y, z, entry->index, warps) < 0)
        return GPC_ERROR_MEMORY;
    decoding input = {.decoder = decoder, .block = block, .left = entry->instructions};
    input.place = (gpci_stream_place){.ordinal = ordinal, .x = x, .y = y};
    gpci_cursor whole = {bytes, bytes + length, false};
    input.addresses = whole;
    bool good = take_block(&input, whole, warps);
    if (good && gpci_block_finish(block, decoder->opcodes) == GPC_OK)
        return GPC_OK;
    if (good || input.memory)
        return GPC_ERROR_MEMORY;
    *at = (uint64_t)(input.addresses.at - bytes);
    *what = "the thread block that the index promises";
    return GPC_ERROR_FORMAT;
}
