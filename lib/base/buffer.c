/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/buffer.h"

#include "base/array.h"

#include <string.h>

bool gpci_buffer_grow(gpci_buffer *bytes, size_t more) {
    bytes->failed =
        bytes->failed || !GPCI_ARRAY_RESERVE(bytes->context, bytes->data, bytes->capacity, bytes->length, more);
    return !bytes->failed;
}

void gpci_buffer_put(gpci_buffer *bytes, const void *data, size_t length) {
    if (!length || !gpci_buffer_reserve(bytes, length))
        return;
    memcpy(bytes->data + bytes->length, data, length);
    bytes->length += length;
}

void gpci_buffer_varint(gpci_buffer *bytes, uint64_t value) {
    if (!gpci_buffer_reserve(bytes, 10))
        return;
    for (; value >= 0x80; value >>= 7)
        bytes->data[bytes->length++] = (uint8_t)(value | 0x80);
    bytes->data[bytes->length++] = (uint8_t)value;
}

void gpci_buffer_text(gpci_buffer *bytes, const char *text) {
    size_t length = strlen(text);
    gpci_buffer_varint(bytes, length);
    gpci_buffer_put(bytes, text, length);
}

void gpci_buffer_bits(gpci_buffer *bytes, const uint64_t *values, size_t count, unsigned width) {
    size_t length = (size_t)gpci_packed_bytes(count, width);
    if (!width || !gpci_buffer_reserve(bytes, length))
        return;
    uint8_t *packed = bytes->data + bytes->length;
    memset(packed, 0, length);
    for (size_t i = 0, bit = 0; i < count; i++)
        for (unsigned done = 0; done < width;) {
            unsigned free = 8 - (unsigned)(bit % 8), part = width - done < free ? width - done : free;
            packed[bit / 8] |= (uint8_t)((values[i] >> done & ((1u << part) - 1)) << bit % 8);
            done += part;
            bit += part;
        }
    bytes->length += length;
}

void gpci_buffer_clear(gpci_buffer *bytes) {
    if (bytes->context)
        gpci_free(bytes->context, bytes->data);
    *bytes = (gpci_buffer){.context = bytes->context};
}
