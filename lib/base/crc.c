/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/crc.h"

#include "base/buffer.h"

#define POLYNOMIAL 0x82f63b78u

void gpci_crc_init(gpci_crc *crc) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t value = i;
        for (int bit = 0; bit < 8; bit++)
            value = value >> 1 ^ (value & 1 ? POLYNOMIAL : 0);
        crc->table[0][i] = value;
    }
    for (uint32_t i = 0; i < 256; i++)
        for (int t = 1; t < 8; t++) {
            uint32_t before = crc->table[t - 1][i];
            crc->table[t][i] = before >> 8 ^ crc->table[0][before & 0xff];
        }
}

uint32_t gpci_crc_of(const gpci_crc *crc, uint32_t before, const void *data, size_t length) {
    const uint8_t *at = data;
    uint32_t value = ~before;
    for (; length >= 8; at += 8, length -= 8) {
        uint32_t low = gpci_load32(at) ^ value, high = gpci_load32(at + 4);
        value = crc->table[7][low & 0xff] ^ crc->table[6][low >> 8 & 0xff] ^ crc->table[5][low >> 16 & 0xff] ^
                crc->table[4][low >> 24] ^ crc->table[3][high & 0xff] ^ crc->table[2][high >> 8 & 0xff] ^
                crc->table[1][high >> 16 & 0xff] ^ crc->table[0][high >> 24];
    }
    for (; length; at++, length--)
        value = value >> 8 ^ crc->table[0][(value ^ *at) & 0xff];
    return ~value;
}
