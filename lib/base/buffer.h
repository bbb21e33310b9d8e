/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_BASE_BUFFER_H
#define GPC_BASE_BUFFER_H

#include "base/base.h"

/*
 * Numbers in binary files of traces and profiles: little-endian numbers of a fixed width, or varints. A varint has 7
 * bits of the number in a byte, low bits first; the uppermost bit of a byte is set if a further byte follows. Signed
 * varints are zigzag: the numbers 0, -1, 1, -2, ... are written as 0, 1, 2, 3, ...
 */

/* A growing buffer. After a failed allocation `failed` is set, and the buffer takes no more data. */
typedef struct gpci_buffer {
    gpc_context *context;
    uint8_t *data;
    size_t length, capacity;
    bool failed;
} gpci_buffer;

bool gpci_buffer_grow(gpci_buffer *bytes, size_t more);
void gpci_buffer_put(gpci_buffer *bytes, const void *data, size_t length);
void gpci_buffer_varint(gpci_buffer *bytes, uint64_t value);
void gpci_buffer_text(gpci_buffer *bytes, const char *text); /* length, then characters */
/* Append `count` numbers of `width` bits each, without gaps; then zero bits to the end of the last byte. */
void gpci_buffer_bits(gpci_buffer *bytes, const uint64_t *values, size_t count, unsigned width);
void gpci_buffer_clear(gpci_buffer *bytes);

GPCI_INLINE bool gpci_buffer_reserve(gpci_buffer *bytes, size_t more) {
    return GPCI_LIKELY(!bytes->failed && more <= bytes->capacity - bytes->length) || gpci_buffer_grow(bytes, more);
}

GPCI_INLINE uint64_t gpci_zigzag(uint64_t value) {
    return value << 1 ^ (0 - (value >> 63));
}

GPCI_INLINE uint64_t gpci_unzigzag(uint64_t value) {
    return value >> 1 ^ (0 - (value & 1));
}

GPCI_INLINE void gpci_buffer_signed(gpci_buffer *bytes, uint64_t value) {
    gpci_buffer_varint(bytes, gpci_zigzag(value));
}

GPCI_INLINE void gpci_store32(uint8_t *at, uint32_t value) {
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

GPCI_INLINE void gpci_store64(uint8_t *at, uint64_t value) {
    for (int i = 0; i < 8; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

GPCI_INLINE uint32_t gpci_load32(const uint8_t *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

GPCI_INLINE uint64_t gpci_load64(const uint8_t *at) {
    return gpci_load32(at) | (uint64_t)gpci_load32(at + 4) << 32;
}

/*
 * Bytes to read, from `at` to before `stop`. GPCI_SLACK readable bytes must lie behind `stop`, because gpci_unpack
 * reads eight bytes at once. `bad` is set when a value is cut, too long or too large.
 */
typedef struct gpci_cursor {
    const uint8_t *at, *stop;
    bool bad;
} gpci_cursor;

#define GPCI_SLACK 8u

GPCI_INLINE uint64_t gpci_cursor_varint(gpci_cursor *cursor) {
    const uint8_t *at = cursor->at;
    if (GPCI_LIKELY(at < cursor->stop && *at < 0x80)) {
        cursor->at = at + 1;
        return *at;
    }
    uint64_t value = 0;
    for (unsigned shift = 0; at < cursor->stop; shift += 7) {
        uint64_t part = *at & 0x7f;
        bool more = *at++ & 0x80;
        if (shift == 63 && (part > 1 || more))
            break;
        value |= part << shift;
        if (!more) {
            cursor->at = at;
            return value;
        }
    }
    cursor->bad = true;
    return 0;
}

GPCI_INLINE uint64_t gpci_cursor_signed(gpci_cursor *cursor) {
    return gpci_unzigzag(gpci_cursor_varint(cursor));
}

/* Read a varint. If the number is above `most`, set `bad` and return 0. */
GPCI_INLINE uint64_t gpci_cursor_below(gpci_cursor *cursor, uint64_t most) {
    uint64_t value = gpci_cursor_varint(cursor);
    if (value <= most)
        return value;
    cursor->bad = true;
    return 0;
}

/* Take the next `length` bytes. If fewer bytes are left, set `bad` and return NULL. */
GPCI_INLINE const uint8_t *gpci_cursor_take(gpci_cursor *cursor, uint64_t length) {
    const uint8_t *taken = cursor->at;
    if (length > (uint64_t)(cursor->stop - taken)) {
        cursor->bad = true;
        return NULL;
    }
    cursor->at += length;
    return taken;
}

/* Number at `index` of an array that gpci_buffer_bits has written. `width` is 1 to 56, or 64. */
GPCI_INLINE uint64_t gpci_unpack(const uint8_t *packed, size_t index, unsigned width) {
    size_t bit = index * width;
    uint64_t value = gpci_load64(packed + bit / 8) >> bit % 8;
    return width == 64 ? value : value & ((UINT64_C(1) << width) - 1);
}

GPCI_INLINE uint64_t gpci_packed_bytes(uint64_t count, unsigned width) {
    return (count * width + 7) / 8;
}

/* Width in bits with which gpci_unpack can read numbers up to `value`: 0 to 56, or 64. */
GPCI_INLINE unsigned gpci_pack_width(uint64_t value) {
    unsigned width = value ? gpci_log2(value) + 1 : 0;
    return width > 56 ? 64 : width;
}

#endif
