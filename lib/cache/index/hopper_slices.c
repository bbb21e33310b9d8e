/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/index/index.h"

/*
 * Slice of an address among an H100's 80 slices, from bits 8 to 29 of the physical address. Found by
 * tests/hardware/micro/slices.cu (README there, "Slices"; tests/hardware/slices.py):
 *
 *   group   of 16; its bits are 11 to 14 of the address, each XORed with some bits from 15 on: known[b].group
 *   number  8 (address >> 17) + 4 y + 2 u + v, an integer; y, u and v are parities: y of bits 11 and 14, u of 10 and
 *           13, v of 8 and 12, and of the bits from 15 on whose known[b].number has a 4, a 2, a 1
 *   slice   5 group + number mod 5
 *
 * Bits 9 and 16 select within a slice. A KiB is in two slices, alternating every 256 bytes. 2 KiB are in four of a
 * group's five slices, and 32 KiB in four slices of each of the 16 groups. Bits from 30 on are only in `number`.
 *
 * Example: 0 has group 0, number 0. 0x500 has number 3 (u and v are set). 0x8000 has group 7. 0x28900: bits 8, 11, 15
 * and 17 give group 1 ^ 7 ^ 3 = 5, y by 11 and 17, u by 17, v by 8 and 17: number 8 + 2 = 10 and slice 25.
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
 * Group bit for the half of L2. Unknown, except that 4 KiB are in one half: bit 0 is excluded. Of the seven parities
 * left, launches of h100 are nearest to hardware with this parity, and farthest with bit 3.
 */
#define HALF_OF 4u

/*
 * Group and number as the low byte of a granule: y'gggg u'9v'. y', u' and v' are y, u and v XORed with a group bit:
 * each is one of bits 8 to 15, XORed with upper bits folded onto the bit. y' is bit 15.
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

/* Number of a group within its half, and the inverse. */
static uint32_t in_half(uint32_t group) {
    return (group & (HALF_OF - 1)) | (group / HALF_OF / 2 * HALF_OF);
}

static uint32_t of_half(uint32_t group, uint32_t half) {
    return (group & (HALF_OF - 1)) | half * HALF_OF | group / HALF_OF * HALF_OF * 2;
}

/* Number of an inner granule, from high to low: number / 5, the half (if slices are one half's), bit 16, bit 9. */
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
    /* only bit 15 remains folded onto `low`; a second fold undoes it */
    return above | (gpci_polynomial_mix(&interleave->polynomial, low) & 0xff) | (inner & 1) << 1;
}
