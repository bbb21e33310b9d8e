/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/index/index.h"

/*
 * Slice of an address among an H100's 80 slices, from bits 8 to 29 of the physical address. Found by
 * tests/hardware/micro/slices.cu (README there, "Slices"; tests/hardware/slices.py):
 *
 *   group   0 to 15: bits 11 to 14 of the address, XORed with known[b - 15].group for each address bit b, from 15 on,
 *           that is set
 *   number  8 (address >> 17) + 4 y + 2 u + v, an integer. y, u and v are parities of address bits: y of bits 11 and
 *           14, u of bits 10 and 13, v of bits 8 and 12. Each address bit b, from 15 on, that is set, also flips y if
 *           known[b - 15].number has the bit 4, u if the number has the bit 2, and v if the number has the bit 1
 *   slice   5 group + number mod 5
 *
 * Bits 9 and 16 do not change the slice. The 256-byte granules of a KiB alternate between two slices. 2 KiB are in four
 * of the five slices of a group, and 32 KiB are in four slices of each of the 16 groups. Bits from 30 on are unknown,
 * and only count in `number`.
 *
 * Examples: address 0 has group 0 and number 0. Address 0x500 has number 3 (u and v are 1). Address 0x8000 has group 7.
 * Address 0x28900 has bits 8, 11, 15 and 17. Its group is 1 ^ 7 ^ 3 = 5, by bits 11, 15 and 17. y is 0, by bits 11 and
 * 17; u is 1, by bit 17; v is 0, by bits 8 and 17. Its number is 8 + 2 = 10, and its slice is 25 + 10 mod 5 = 25.
 */
static const struct {
    uint8_t group, number;
} known[] = {
    {7, 0},  {2, 0}, {3, 7}, {8, 2}, {13, 5}, {7, 5}, {6, 1},  {15, 2}, /* bits 15 to 22 */
    {11, 6}, {8, 6}, {2, 2}, {4, 6}, {15, 4}, {7, 1}, {12, 1},          /* 23 to 29 */
};

#define GROUP_BIT 11u /* lowest bit of the group before the XOR */
#define FIRST_KNOWN 15u
#define GRANULE_BITS 8u

/*
 * Bit of the group that selects the half of L2. The choice of the hardware is unknown, except that 4 KiB are in one
 * half, which excludes bit 0. Seven parities of bits 1 to 3 are left. With this parity (bit 2), the simulated times of
 * launches (preset h100) are nearest to hardware; with bit 3, the times are farthest from hardware.
 */
#define HALF_OF 4u

/*
 * Low byte of a granule's number (bits 15 to 8 of the address), with the upper bits folded onto the byte, computed from
 * group and number. From high to low the bits are y', the four bits of the group, u', a 0 in place of bit 9, and v'.
 * y', u' and v' are y, u and v without the group bits among their address bits: y' is bit 15, u' bit 10, v' bit 8.
 */
static uint32_t to_low(uint32_t group, uint32_t number) {
    const uint32_t y = number >> 2 ^ group ^ group >> 3, u = number >> 1 ^ group >> 2, v = number ^ group >> 1;
    return (y & 1) << 7 | group << 3 | (u & 1) << 2 | (v & 1);
}

static uint32_t number_of(uint32_t low, uint32_t group) {
    const uint32_t y = low >> 7 ^ group ^ group >> 3, u = low >> 2 ^ group >> 2, v = low ^ group >> 1;
    return (y & 1) << 2 | (u & 1) << 1 | (v & 1);
}

void gpci_hopper_slices_init(gpci_polynomial *polynomial) {
    gpci_polynomial_init(polynomial, FIRST_KNOWN - GRANULE_BITS, 0);
    for (unsigned bit = sizeof known / sizeof *known; bit-- > 0;) {
        gpci_polynomial_fold(polynomial, bit, to_low(known[bit].group, known[bit].number));
        polynomial->rest |= (uint64_t)1 << bit;
    }
    gpci_polynomial_fold(polynomial, 0, 1u << polynomial->degree); /* bit 15 is already in place */
}

uint64_t gpci_hopper_half_bits(void) {
    uint64_t bits = HALF_OF << GROUP_BIT;
    for (unsigned bit = sizeof known / sizeof *known; bit-- > 0;)
        bits |= known[bit].group & HALF_OF ? (uint64_t)1 << (FIRST_KNOWN + bit) : 0;
    return bits;
}

/* Number of a group within its half of L2, 0 to 7; and the inverse: the group from the number and the half. */
static uint32_t in_half(uint32_t group) {
    return (group & (HALF_OF - 1)) | (group / HALF_OF / 2 * HALF_OF);
}

static uint32_t of_half(uint32_t group, uint32_t half) {
    return (group & (HALF_OF - 1)) | half * HALF_OF | group / HALF_OF * HALF_OF * 2;
}

/*
 * The bits of an inner granule's number are, from high to low: number / 5, the half of L2 (if the slices are those of a
 * half), bit 16 of the address, bit 9 of the address.
 */
uint64_t gpci_hopper_spread(const gpci_interleave *interleave, uint64_t granule) {
    const bool halves = interleave->slices.divisor == GPCI_HOPPER_SLICES / 2;
    const uint32_t low = (uint32_t)gpci_polynomial_mix(&interleave->polynomial, granule) & 0xff, group = low >> 3 & 15;
    const uint64_t number = granule >> 9 << 3 | number_of(low, group), quotient = number / 5;
    const uint64_t high = halves ? quotient << 1 | !!(group & HALF_OF) : quotient;
    const uint64_t inner = high << 2 | (granule >> 8 & 1) << 1 | (granule >> 1 & 1);
    const uint32_t slice = (halves ? in_half(group) : group) * 5 + (uint32_t)(number - quotient * 5);
    return inner * interleave->slices.divisor + slice;
}

uint64_t gpci_hopper_gather(const gpci_interleave *interleave, uint64_t spread) {
    const bool halves = interleave->slices.divisor == GPCI_HOPPER_SLICES / 2;
    const uint64_t inner = gpci_quotient(&interleave->slices, spread);
    const uint32_t slice = (uint32_t)(spread - inner * interleave->slices.divisor);
    const uint32_t group = halves ? of_half(slice / 5, inner >> 2 & 1) : slice / 5;
    const uint64_t number = (inner >> (halves ? 3 : 2)) * 5 + slice % 5;
    const uint64_t above = number >> 3 << 9 | (inner >> 1 & 1) << 8;
    const uint64_t low =
        (to_low(group, (uint32_t)number & 7) ^ gpci_polynomial_mix(&interleave->polynomial, above)) & 0xff;
    /* bit 15 of the address is still folded onto the other bits of `low`; folding again removes bit 15 from them */
    return above | (gpci_polynomial_mix(&interleave->polynomial, low) & 0xff) | (inner & 1) << 1;
}
