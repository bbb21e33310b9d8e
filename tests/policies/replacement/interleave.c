/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/index/index.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Addresses over slices. */

static gpci_interleave channelled(gpci_spread kind, uint64_t bytes, uint32_t slices, uint32_t channels) {
    gpci_interleave interleave;
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpci_interleave_init(&interleave, kind, bytes, slices, channels, &error), GPC_OK, "%s", error.message);
    return interleave;
}

static gpci_interleave interleave_of(gpci_spread kind, uint64_t bytes, uint32_t slices) {
    return channelled(kind, bytes, slices, slices >= 16 ? slices / 2 : slices);
}

/* xor and ipoly need powers of two, hopper exactly an H100's slices and bytes. */
static bool is_there(int kind, uint32_t slices) {
    if (kind == GPCI_SPREAD_HOPPER)
        return slices == 80 || slices == 40;
    return (kind != GPCI_SPREAD_XOR && kind != GPCI_SPREAD_IPOLY) || gpci_power_of_two(slices);
}

static uint64_t bytes_of(int kind, size_t n) {
    return kind == GPCI_SPREAD_HOPPER ? 256 : (uint64_t)2 << n;
}

static const uint32_t some_slices[] = {1, 2, 3, 5, 6, 7, 8, 12, 16, 22, 24, 32, 40, 48, 64, 80, 96, 100, 192};
#define SOME_SLICES (sizeof some_slices / sizeof *some_slices)

Test(interleave, example) {
    gpci_interleave interleave = interleave_of(GPCI_SPREAD_MODULO, 256, 3);
    uint64_t inner;
    cr_expect_eq(gpci_interleave_slice(&interleave, 0x520, &inner), 2);
    cr_expect_eq(inner, 0x120);
    cr_expect_eq(gpci_interleave_address(&interleave, 2, 0x120), 0x520);
}

/* Four spans of 1 GiB: the slice is the span's number, and the inner address the place inside. */
Test(interleave, range) {
    gpci_interleave interleave = interleave_of(GPCI_SPREAD_RANGE, 1u << 30, 4);
    for (uint64_t slice = 0; slice < 4; slice++) {
        uint64_t inner;
        cr_expect_eq(gpci_interleave_slice(&interleave, (slice << 30) + 12345, &inner), slice);
        cr_expect_eq(inner, 12345);
    }
}

Test(interleave, is_undone) {
    uint64_t random = 1;
    for (int kind = 0; kind < GPCI_SPREAD_COUNT; kind++)
        for (size_t i = 0; i < SOME_SLICES; i++) {
            if (!is_there(kind, some_slices[i]))
                continue;
            gpci_interleave interleave = interleave_of((gpci_spread)kind, bytes_of(kind, i % 20), some_slices[i]);
            for (int k = 0; k < 5000; k++) {
                uint64_t address = gpci_random(&random) >> gpci_random_below(&random, 60), inner;
                uint32_t slice = gpci_interleave_slice(&interleave, address, &inner);
                cr_assert_lt(slice, some_slices[i]);
                cr_assert_eq(gpci_interleave_address(&interleave, slice, inner), address);
            }
        }
}

/* Every slice gets equally many of consecutive granules, at consecutive inner granules: no gap, none twice. */
Test(interleave, inner_addresses_have_no_gaps) {
    for (int kind = 0; kind < GPCI_SPREAD_COUNT; kind++)
        for (size_t i = 0; i < SOME_SLICES; i++) {
            uint32_t slices = some_slices[i], each = 256;
            if (!is_there(kind, slices))
                continue;
            gpci_interleave interleave = interleave_of((gpci_spread)kind, 256, slices);
            unsigned char *seen = calloc(slices, each);
            cr_assert_not_null(seen);
            for (uint64_t granule = 0; granule < (uint64_t)slices * each; granule++) {
                uint64_t inner;
                uint32_t slice = gpci_interleave_slice(&interleave, granule * 256 + 5, &inner);
                cr_assert_lt(inner / 256, each);
                cr_assert_eq(inner % 256, 5);
                cr_assert_eq(seen[slice * each + inner / 256]++, 0);
            }
            free(seen);
        }
}

static uint32_t most_loaded(const gpci_interleave *interleave, uint64_t stride, uint32_t count) {
    uint32_t loads[256] = {0}, most = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t inner;
        uint32_t load = ++loads[gpci_interleave_slice(interleave, i * stride, &inner)];
        most = load > most ? load : most;
    }
    return most;
}

/*
 * Strides of any power of two: even for slices of a power of two, otherwise at most two and a half times the fair
 * share.
 */
Test(interleave, hash_spreads_strides) {
    for (size_t i = 0; i < SOME_SLICES; i++) {
        uint32_t slices = some_slices[i];
        gpci_interleave interleave = interleave_of(GPCI_SPREAD_HASH, 256, slices);
        for (unsigned shift = 8; shift <= 38; shift++) {
            uint32_t most = most_loaded(&interleave, (uint64_t)1 << shift, 64 * slices);
            cr_expect_leq(most, gpci_power_of_two(slices) ? 64 : 160, "%u slices, stride 2^%u: %u in one of 64 each",
                          slices, shift, most);
        }
    }
    gpci_interleave modulo = interleave_of(GPCI_SPREAD_MODULO, 256, 32);
    cr_expect_eq(most_loaded(&modulo, 256 * 32, 640), 640, "modulo sends this stride to one slice");
}

/*
 * GPGPU-Sim's, bit by bit: addrdec_tlx of addrdec.cc with -gpgpu_mem_addr_mapping of SM7_QV100 (dramid@8, the lowest
 * bank bit just above the channel's), bitwise_hash_function and ipoly_hash_function of hashing.cc. For every bit of the
 * slice, the address bits above channel and subpartition that enter it, as listed in the equations.
 */
static const uint32_t ipoly_16[4] = {0xf59, 0x11eb, 0x3d6, 0x7ac},
                      ipoly_32[5] = {0x3e69, 0x7cd2, 0x47cd, 0xf9a, 0x1f34},
                      ipoly_64[6] = {0x79461, 0xbca3, 0x17946, 0x2f28c, 0x5e518, 0x3ca30};

static uint32_t parity(uint64_t bits) {
    uint32_t odd = 0;
    for (; bits; bits &= bits - 1)
        odd ^= 1;
    return odd;
}

static uint32_t gpgpusim_slice(gpci_spread kind, uint64_t address, unsigned channel_bits, unsigned sub_bits) {
    uint32_t channel = (uint32_t)(address >> 8) & ((1u << channel_bits) - 1);
    const uint32_t sub = (uint32_t)(address >> (8 + channel_bits)) & ((1u << sub_bits) - 1);
    const uint64_t above = address >> (8 + channel_bits + sub_bits);
    const unsigned bits = channel_bits + sub_bits;
    if (kind == GPCI_SPREAD_XOR)
        return (channel ^ ((uint32_t)above & ((1u << channel_bits) - 1))) << sub_bits | sub;
    const uint32_t *rows = bits == 4 ? ipoly_16 : bits == 5 ? ipoly_32 : ipoly_64;
    uint32_t slice = channel << sub_bits | sub;
    for (unsigned bit = 0; bit < bits; bit++)
        slice ^= parity(above & rows[bit]) << bit;
    return slice;
}

Test(interleave, as_gpgpusim) {
    static const struct {
        unsigned channels, subs;
    } shapes[] = {{3, 1}, {4, 0}, {4, 1}, {5, 0}, {5, 1}, {4, 2}, {6, 0}};
    uint64_t random = 5;
    for (size_t n = 0; n < sizeof shapes / sizeof *shapes; n++)
        for (gpci_spread kind = GPCI_SPREAD_XOR; kind <= GPCI_SPREAD_IPOLY; kind++) {
            const unsigned bits = shapes[n].channels + shapes[n].subs;
            gpci_interleave interleave = channelled(kind, 256, 1u << bits, 1u << shapes[n].channels);
            for (unsigned k = 0; k < 20000; k++) {
                uint64_t address = gpci_random(&random) >> 16, inner;
                cr_assert_eq(gpci_interleave_slice(&interleave, address, &inner),
                             gpgpusim_slice(kind, address, shapes[n].channels, shapes[n].subs), "%#llx",
                             (unsigned long long)address);
                cr_assert_eq(inner, address >> (8 + bits) << 8 | (address & 255));
            }
        }
}

/* By hand, 32 channels of 2: 0x5300 is channel 0x13, subpartition 0, 1 above; x^6 = x + 1. */
Test(interleave, known_pairs) {
    static const struct {
        uint64_t address;
        uint32_t xored, ipoly;
    } pairs[] = {
        {0x0, 0, 0},         {0x100, 2, 2},     {0x1f00, 62, 62}, {0x2000, 1, 1}, {0x5300, (0x13 ^ 1) << 1, 0x26 ^ 3},
        {0x8000, 2 << 1, 6}, {0x80000, 0, 0x23}};
    gpci_interleave xored = channelled(GPCI_SPREAD_XOR, 256, 64, 32),
                    ipoly = channelled(GPCI_SPREAD_IPOLY, 256, 64, 32);
    for (size_t n = 0; n < sizeof pairs / sizeof *pairs; n++) {
        uint64_t inner;
        cr_expect_eq(gpci_interleave_slice(&xored, pairs[n].address, &inner), pairs[n].xored, "%zu", n);
        cr_expect_eq(gpci_interleave_slice(&ipoly, pairs[n].address, &inner), pairs[n].ipoly, "%zu: %u", n,
                     gpci_interleave_slice(&ipoly, pairs[n].address, &inner));
    }
}

/* A group has all slices once, and rarely two groups have the same order; a stride of whole groups spreads. */
Test(interleave, random_orders) {
    for (size_t i = 0; i < SOME_SLICES; i++) {
        const uint32_t slices = some_slices[i];
        gpci_interleave interleave = interleave_of(GPCI_SPREAD_RANDOM, 256, slices);
        const uint32_t most = most_loaded(&interleave, (uint64_t)256 * slices, 64 * slices);
        cr_expect(slices == 1 || most < 160, "%u slices: %u in one of 64 each", slices, most);
    }
}

Test(interleave, refusals) {
    gpci_interleave interleave;
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_eq(gpci_interleave_init(&interleave, GPCI_SPREAD_COUNT, 256, 4, 1, &error), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpci_interleave_init(&interleave, GPCI_SPREAD_HASH, 0, 4, 1, &error), GPC_ERROR_RANGE);
    cr_expect_eq(gpci_interleave_init(&interleave, GPCI_SPREAD_HASH, 1, 4, 1, &error), GPC_ERROR_RANGE);
    cr_expect_eq(gpci_interleave_init(&interleave, GPCI_SPREAD_HASH, 96, 4, 1, &error), GPC_ERROR_RANGE);
    cr_expect_not_null(strstr(error.message, "96 bytes"));
    cr_expect_eq(gpci_interleave_init(&interleave, GPCI_SPREAD_HASH, 256, 0, 1, NULL), GPC_ERROR_RANGE);
    cr_expect_eq(gpci_interleave_init(&interleave, GPCI_SPREAD_XOR, 256, 12, 6, &error), GPC_ERROR_RANGE);
    cr_expect_not_null(strstr(error.message, "12 slices of 6 channels"));
    cr_expect_eq(gpci_interleave_init(&interleave, GPCI_SPREAD_IPOLY, 256, 16, 3, &error), GPC_ERROR_RANGE);
    cr_expect_eq(gpci_interleave_init(&interleave, GPCI_SPREAD_HOPPER, 512, 80, 40, &error), GPC_ERROR_RANGE);
    cr_expect_not_null(strstr(error.message, "512 bytes"));
    cr_expect_eq(gpci_interleave_init(&interleave, GPCI_SPREAD_HOPPER, 256, 64, 32, &error), GPC_ERROR_RANGE);
}

/* The header's rule, bit by bit. */
static uint32_t slice_by_rule(uint64_t address, uint32_t *out_group) {
    static const uint32_t group[] = {1, 2, 4, 8, 7, 2, 3, 8, 13, 7, 6, 15, 11, 8, 2, 4, 15, 7, 12};
    static const uint8_t y[] = {11, 14, 17, 19, 20, 23, 24, 26, 27}, u[] = {10, 13, 17, 18, 22, 23, 24, 25, 26},
                         v[] = {8, 12, 17, 19, 20, 21, 28, 29};
    uint64_t number = (address >> 17) * 8;
    uint32_t odd[3] = {0, 0, 0};
    *out_group = 0;
    for (unsigned bit = 11; bit < 30; bit++)
        *out_group ^= address >> bit & 1 ? group[bit - 11] : 0;
    for (size_t i = 0; i < sizeof y; i++)
        odd[0] ^= address >> y[i] & 1;
    for (size_t i = 0; i < sizeof u; i++)
        odd[1] ^= address >> u[i] & 1;
    for (size_t i = 0; i < sizeof v; i++)
        odd[2] ^= address >> v[i] & 1;
    number += 4 * odd[0] + 2 * odd[1] + odd[2];
    return *out_group * 5 + (uint32_t)(number % 5);
}

Test(interleave, of_an_h100) {
    gpci_interleave whole = interleave_of(GPCI_SPREAD_HOPPER, 256, 80),
                    half = interleave_of(GPCI_SPREAD_HOPPER, 256, 40);
    const uint64_t bits = gpci_hopper_half_bits();
    uint64_t random = 3, inner;
    cr_expect_eq(gpci_interleave_slice(&whole, 0x28900, &inner), 25);
    for (int k = 0; k < 20000; k++) {
        const uint64_t address = gpci_random(&random) >> gpci_random_below(&random, 50);
        uint32_t group, slice = slice_by_rule(address, &group);
        cr_assert_eq(gpci_interleave_slice(&whole, address, &inner), slice);
        cr_assert_eq(gpci_parity(address & bits), group >> 2 & 1);
        cr_assert_eq(gpci_interleave_slice(&half, address, &inner), ((group & 3) | (group >> 1 & 4)) * 5 + slice % 5);
    }
}

/* Any 32 KiB have 512 bytes in each of 64 slices, and no slice has more of a MiB than a tenth beyond the fair share. */
Test(interleave, of_an_h100_is_even) {
    gpci_interleave whole = interleave_of(GPCI_SPREAD_HOPPER, 256, 80);
    for (uint64_t mib = 0; mib < 64; mib++) {
        uint32_t all[80] = {0};
        for (uint64_t part = 0; part < 32; part++) {
            uint32_t some[80] = {0}, used = 0;
            for (uint64_t at = 0; at < 128; at++) {
                uint64_t inner;
                const uint32_t slice = gpci_interleave_slice(&whole, mib << 20 | part << 15 | at << 8, &inner);
                all[slice]++;
                used += !some[slice]++;
                cr_assert_leq(some[slice], 2);
            }
            cr_assert_eq(used, 64);
        }
        for (uint32_t slice = 0; slice < 80; slice++)
            cr_assert_leq(all[slice], 56, "MiB %u: %u of 51.2", (unsigned)mib, all[slice]);
    }
}
