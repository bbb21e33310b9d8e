/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/binary/binary_encode.h"

#include <string.h>

#define MOST_SHAPE_BYTES (16u << 20)

/* True if the addresses have the shape. */
static bool fits(const gpci_encoder *encoder, uint32_t shape, const uint64_t *addresses, unsigned count) {
    if (count == 1)
        return true;
    if (shape == GPCI_NO_SHAPE)
        return false;
    size_t words = encoder->shapes.entries[shape].length / 8;
    uint64_t steps[GPCI_MOST_LANES];
    memcpy(steps, gpci_block_pool_at(&encoder->shapes, shape), words * 8);
    if (words > 1 && words != count - 1)
        return false;
    for (unsigned i = 1; i < count; i++)
        if (addresses[i] - addresses[i - 1] != steps[words > 1 ? i - 1 : 0])
            return false;
    return true;
}

/*
 * Find the number of the addresses' shape. A new shape is added if it is a stride, or if it comes the second time.
 * *shape is GPCI_NO_ENTRY if the shape is not added, or if the shapes are full.
 */
static gpc_status find_shape(gpci_encoder *encoder, const uint64_t *addresses, unsigned count, uint32_t *shape) {
    uint64_t steps[GPCI_MOST_LANES];
    bool even = true;
    for (unsigned i = 1; i < count; i++) {
        steps[i - 1] = addresses[i] - addresses[i - 1];
        even &= steps[i - 1] == steps[0];
    }
    size_t length = (even ? 1 : count - 1) * sizeof *steps;
    uint64_t hash = gpci_block_pool_hash(steps, length);
    *shape = gpci_block_pool_find(&encoder->shapes, hash, steps, length);
    bool came = even;
    if (*shape != GPCI_NO_ENTRY)
        return GPC_OK;
    if (!even && gpci_block_pool_came(&encoder->shapes, hash, &came) < 0)
        return GPC_ERROR_MEMORY;
    if (!came || encoder->shapes.data.length > MOST_SHAPE_BYTES)
        return GPC_OK;
    *shape = gpci_block_pool_add(&encoder->shapes, hash, steps, length);
    return *shape == GPCI_NO_ENTRY ? GPC_ERROR_MEMORY : GPC_OK;
}

static unsigned shift_of(uint64_t any) {
    unsigned shift = any ? gpci_lowest(any) : 0;
    return shift < GPCI_MOST_SHIFT ? shift : GPCI_MOST_SHIFT;
}

/*
 * Write addresses without a known shape as packed numbers. If bit 0 of the argument is 0, the numbers are `count`
 * offsets from the least address. If bit 0 is 1, the numbers are count - 1 differences of neighbours, in zigzag code.
 * Low bits that are zero in all numbers are left out: the argument's upper bits are their count, the shift. First comes
 * the varint with the code and the argument, then the width of a number, the distance from `near` to the least address
 * or to the first address, and the numbers' bits.
 */
static void put_packed(gpci_encoder *encoder, uint64_t near, const uint64_t *addresses, unsigned count) {
    uint64_t offsets[GPCI_MOST_LANES], steps[GPCI_MOST_LANES];
    uint64_t least = addresses[0], any_offset = 0, any_step = 0, most_offset = 0, most_step = 0;
    for (unsigned i = 1; i < count; i++)
        least = addresses[i] < least ? addresses[i] : least;
    for (unsigned i = 0; i < count; i++) {
        offsets[i] = addresses[i] - least;
        steps[i] = i ? addresses[i] - addresses[i - 1] : 0;
        any_offset |= offsets[i];
        any_step |= steps[i];
    }
    unsigned offset_shift = shift_of(any_offset), step_shift = shift_of(any_step);
    for (unsigned i = 0; i < count; i++) {
        offsets[i] >>= offset_shift;
        most_offset |= offsets[i];
        uint64_t step = steps[i] >> step_shift;
        /* arithmetic shift: fill the upper bits with the sign */
        if (step_shift && steps[i] >> 63)
            step |= ~(UINT64_MAX >> step_shift);
        steps[i] = gpci_zigzag(step);
        most_step |= steps[i];
    }
    unsigned offset_width = gpci_pack_width(most_offset), step_width = gpci_pack_width(most_step);
    bool differences = (count - 1) * step_width < count * offset_width;
    unsigned shift = differences ? step_shift : offset_shift;
    gpci_buffer_varint(&encoder->addresses, (uint64_t)shift << 3 | (uint64_t)differences << 2 | GPCI_CODE_PACKED);
    gpci_buffer_varint(&encoder->addresses, differences ? step_width : offset_width);
    gpci_buffer_signed(&encoder->addresses, (differences ? addresses[0] : least) - near);
    if (differences)
        gpci_buffer_bits(&encoder->addresses, steps + 1, count - 1, step_width);
    else
        gpci_buffer_bits(&encoder->addresses, offsets, count, offset_width);
}

void gpci_encode_expected(gpci_encoder *encoder) {
    if (encoder->expected)
        gpci_buffer_varint(&encoder->addresses, (encoder->expected - 1) << 2 | GPCI_CODE_EXPECTED);
    encoder->expected = 0;
}

/*
 * Learn dx or dy from a second block with the static. dx: the block must be in the row of the first block. dy: the
 * block is in another row; if it is also in another column, dx must be known.
 */
static void learn_block_step(gpci_learned *learned, const gpci_stream_place *place, uint64_t address,
                             uint64_t expected) {
    int64_t across = (int64_t)place->x - learned->x, down = (int64_t)place->y - learned->y;
    int64_t off = (int64_t)(address - expected);
    if (off == INT64_MIN) /* the quotient by -1 does not fit */
        return;
    if (learned->dx_from == GPCI_NO_ORDINAL && down == 0 && across != 0 && off % across == 0) {
        learned->dx = (uint64_t)(off / across);
        learned->dx_from = place->ordinal;
    } else if (learned->dy_from == GPCI_NO_ORDINAL && down != 0 && (across == 0 || learned->dx_from < place->ordinal) &&
               off % down == 0) {
        learned->dy = (uint64_t)(off / down);
        learned->dy_from = place->ordinal;
    }
}

static void learn(gpci_encoder *encoder, gpci_stream *stream, uint64_t address, uint64_t expected) {
    const gpci_stream_place *place = &encoder->place;
    gpci_learned *learned = &stream->learned;
    if (stream->touched == place->ordinal + 1)
        return;
    if (learned->from != GPCI_NO_ORDINAL) {
        learn_block_step(learned, place, address, expected);
        return;
    }
    learned->base = address;
    learned->x = place->x;
    learned->y = place->y;
    learned->warp = place->warp;
    learned->from = place->ordinal;
    encoder->learning = true;
}

gpc_status gpci_encode_addresses(gpci_encoder *encoder, uint32_t number, const uint64_t *addresses, unsigned count) {
    gpci_stream *stream = &encoder->streams[number];
    uint64_t expected, near;
    gpci_stream_predict(stream, &encoder->place, &expected, &near);
    bool same = fits(encoder, stream->shape, addresses, count);
    if (same && addresses[0] == expected) {
        encoder->expected++;
    } else {
        gpci_encode_expected(encoder);
        uint32_t shape = stream->shape;
        if (!same && find_shape(encoder, addresses, count, &shape) < 0)
            return GPC_ERROR_MEMORY;
        if (same) {
            gpci_buffer_varint(&encoder->addresses, GPCI_CODE_MOVED);
            gpci_buffer_signed(&encoder->addresses, addresses[0] - near);
        } else if (shape != GPCI_NO_ENTRY) {
            gpci_buffer_varint(&encoder->addresses, (uint64_t)shape << 2 | GPCI_CODE_SHAPE);
            gpci_buffer_signed(&encoder->addresses, addresses[0] - near);
            stream->shape = shape;
        } else {
            put_packed(encoder, near, addresses, count);
        }
    }
    learn(encoder, stream, addresses[0], expected);
    return gpci_stream_update(stream, encoder->context, &encoder->place, addresses[0]) ? GPC_OK : GPC_ERROR_MEMORY;
}
