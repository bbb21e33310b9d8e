/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/binary/binary_decode.h"
#include "trace/sources.h"

#include <string.h>

/* Block being decoded: one run of bytes, the warps' controls followed by the addresses. */
typedef struct decoding {
    gpci_decoder *d;
    gpci_block *block;
    gpci_stream_place place;
    gpci_control_state state;
    gpci_cursor addresses;
    uint64_t expected; /* instructions with expected addresses still to come */
    uint64_t left;     /* instructions in the index still to come */
    bool memory;
} decoding;

static bool lay_out(const decoding *k, uint32_t number, uint64_t first, uint64_t *addresses, unsigned count) {
    if (count == 1) {
        addresses[0] = first;
        return true;
    }
    if (number >= k->d->shape_count)
        return false;
    const gpci_shape *shape = &k->d->shapes[number];
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

static bool unpack(decoding *k, uint64_t argument, uint64_t near, uint64_t *addresses, unsigned count) {
    bool differences = argument & 1;
    unsigned shift = (unsigned)(argument >> 1) & GPCI_MOST_SHIFT;
    unsigned width = (unsigned)gpci_cursor_below(&k->addresses, 64);
    uint64_t value = near + gpci_cursor_signed(&k->addresses);
    unsigned packed = differences ? count - 1 : count;
    const uint8_t *bits = gpci_cursor_take(&k->addresses, gpci_packed_bytes(packed, width));
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

/* Take a code other than "as expected". */
static bool take_coded(decoding *k, gpci_stream *stream, uint64_t code, uint64_t near, uint64_t *addresses,
                       unsigned count) {
    if ((code & 3) == GPCI_CODE_PACKED)
        return unpack(k, code >> 2, near, addresses, count);
    if ((code & 3) == GPCI_CODE_SHAPE)
        stream->shape = code >> 2 < k->d->shape_count ? (uint32_t)(code >> 2) : GPCI_NO_SHAPE;
    else if (code >> 2)
        return false;
    uint64_t first = near + gpci_cursor_signed(&k->addresses);
    return lay_out(k, stream->shape, first, addresses, count);
}

static bool take_addresses(decoding *k, gpci_stream *stream, uint64_t *addresses, unsigned count) {
    uint64_t expected, near, code = GPCI_CODE_EXPECTED;
    gpci_stream_predict(stream, &k->place, &expected, &near);
    if (!k->expected) {
        code = gpci_cursor_varint(&k->addresses);
        k->expected = (code & 3) == GPCI_CODE_EXPECTED ? (code >> 2) + 1 : 0;
    }
    bool good = k->expected ? lay_out(k, stream->shape, expected, addresses, count)
                            : take_coded(k, stream, code, near, addresses, count);
    k->expected -= k->expected > 0;
    if (good && !gpci_stream_update(stream, k->d->context, &k->place, addresses[0]))
        k->memory = true;
    return good && !k->addresses.bad && !k->memory;
}

/* Take `count` statics from `first` on, under the present mask. */
static bool take_run(decoding *k, uint32_t first, uint32_t count) {
    gpci_decoder *d = k->d;
    gpci_block *block = k->block;
    uint64_t mask = k->state.mask;
    unsigned lanes = gpci_popcount(mask);
    uint32_t end = first + count;
    if (!gpci_block_room(block, count, 0)) {
        k->memory = true;
        return false;
    }
    gpc_instruction *to = block->instructions + block->count;
    memcpy(to, d->statics + first, count * sizeof *to);
    if (mask != k->state.full)
        for (uint32_t i = 0; i < count; i++)
            to[i].mask = mask;
    block->count += count;
    for (uint32_t at = lanes ? d->next_addressed[first] : end; at < end; at = d->next_addressed[at + 1]) {
        if (!gpci_block_room(block, 0, lanes)) {
            k->memory = true;
            return false;
        }
        uint64_t *addresses = gpci_block_take(block, lanes);
        to[at - first].addresses = addresses;
        if (!take_addresses(k, &d->streams[at], addresses, lanes))
            return false;
    }
    return true;
}

static bool take_mask(decoding *k, gpci_cursor *control) {
    gpci_control_state *state = &k->state;
    uint64_t code = gpci_cursor_below(control, GPCI_MASK_RECENT + GPCI_RECENT_MASKS - 1);
    if (code >= GPCI_MASK_RECENT) {
        state->mask = state->recent[(state->recent_at - 1 - (uint32_t)(code - GPCI_MASK_RECENT)) % GPCI_RECENT_MASKS];
    } else if (code != GPCI_MASK_WRITTEN) {
        state->mask = code == GPCI_MASK_FULL ? state->full : 0;
    } else {
        unsigned bytes = k->d->kernel.warp_lanes / 8;
        const uint8_t *raw = gpci_cursor_take(control, bytes);
        if (!raw)
            return false;
        state->mask = bytes == 8 ? gpci_load64(raw) : gpci_load32(raw);
        state->recent[state->recent_at++ % GPCI_RECENT_MASKS] = state->mask;
    }
    return !control->bad;
}

static bool take_warp(decoding *k, gpci_cursor *control) {
    uint64_t full = gpci_full_mask(k->d->kernel.warp_lanes);
    k->state = (gpci_control_state){.mask = full, .full = full};
    while (control->at < control->stop) {
        uint64_t run = gpci_cursor_varint(control), count = run >> 2;
        uint64_t first = k->state.next;
        if (run & 2)
            first += gpci_cursor_signed(control);
        if ((run & 1) && !take_mask(k, control))
            return false;
        if (control->bad || count > k->left || first > k->d->static_count || count > k->d->static_count - first)
            return false;
        k->left -= count;
        k->state.next = (uint32_t)(first + count);
        if (!take_run(k, (uint32_t)first, (uint32_t)count))
            return false;
    }
    return true;
}

/* Take the control of the next warps: a known control for `repeat` warps, or a control written here. */
static bool take_reference(const gpci_decoder *d, gpci_cursor *warps, uint64_t *repeat, gpci_cursor *control) {
    uint64_t head = gpci_cursor_varint(warps), length = head >> 1;
    const uint8_t *at;
    *repeat = 1;
    if (head & 1) {
        at = gpci_cursor_take(warps, length);
    } else {
        *repeat = (head >> 1) + 1;
        uint64_t number = gpci_cursor_varint(warps);
        if (warps->bad || number >= d->control_count)
            return false;
        at = d->controls[number].at;
        length = d->controls[number].length;
    }
    if (warps->bad || !at)
        return false;
    *control = (gpci_cursor){at, at + length, false};
    return true;
}

/* read the controls twice: the first time to find the addresses behind them */
static bool take_block(decoding *k, gpci_cursor whole, uint32_t warps) {
    gpci_cursor controls = whole, control, again = whole;
    uint64_t repeat;
    for (uint32_t w = 0; w < warps; w += (uint32_t)repeat)
        if (!take_reference(k->d, &whole, &repeat, &control) || repeat > warps - w)
            return false;
    k->addresses = whole;
    repeat = 0;
    for (uint32_t w = 0; w < warps; w++, repeat--) {
        if (!repeat && !take_reference(k->d, &controls, &repeat, &again))
            return false;
        k->place.warp = w;
        control = again;
        gpc_status status = gpci_block_warp(k->block, w);
        k->memory |= status == GPC_ERROR_MEMORY;
        if (status < 0 || !take_warp(k, &control))
            return false;
    }
    return k->addresses.at == k->addresses.stop && !k->expected && !k->left;
}

void gpci_decoder_rewind(gpci_decoder *d) {
    for (uint32_t i = 0; i < d->static_count; i++)
        d->streams[i].touched = 0;
}

gpc_status gpci_decoder_block(gpci_decoder *d, uint32_t ordinal, const uint8_t *bytes, uint64_t length,
                              gpci_block *block, uint64_t *at, const char **what) {
    const gpci_block_entry *entry = &d->blocks[ordinal];
    const uint32_t *grid = d->kernel.grid;
    uint32_t x = entry->index % grid[0], y = entry->index / grid[0] % grid[1], z = entry->index / grid[0] / grid[1];
    uint32_t warps = gpci_kernel_warps(&d->kernel);
    if (gpci_block_start(block, x, y, z, entry->index, warps) < 0)
        return GPC_ERROR_MEMORY;
    decoding k = {.d = d, .block = block, .left = entry->instructions};
    k.place = (gpci_stream_place){.ordinal = ordinal, .x = x, .y = y};
    gpci_cursor whole = {bytes, bytes + length, false};
    k.addresses = whole;
    bool good = take_block(&k, whole, warps);
    if (good && gpci_block_finish(block, d->opcodes) == GPC_OK)
        return GPC_OK;
    if (good || k.memory)
        return GPC_ERROR_MEMORY;
    *at = (uint64_t)(k.addresses.at - bytes);
    *what = "the thread block that the index promises";
    return GPC_ERROR_FORMAT;
}
