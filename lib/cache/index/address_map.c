/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/index/address_map.h"

/*
 * Append runs for the bits of `mask`: the lowest bit of `mask` goes to bit runs->bits of the packed number, and so on.
 */
static void add_runs(gpci_bit_runs *runs, uint64_t mask) {
    while (mask) {
        const unsigned from = gpci_lowest(mask);
        const uint64_t above = ~(mask >> from);
        const unsigned bits = above ? gpci_lowest(above) : 64;
        const uint64_t ones = bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX;
        runs->run[runs->count++] = (gpci_bit_run){ones, (uint8_t)from, (uint8_t)runs->bits};
        runs->bits += bits;
        mask &= ~(ones << from);
    }
}

static uint64_t pack(const gpci_bit_runs *runs, uint64_t value) {
    uint64_t packed = 0;
    for (uint32_t i = 0; i < runs->count; i++)
        packed |= (value >> runs->run[i].from & runs->run[i].mask) << runs->run[i].to;
    return packed;
}

static uint64_t unpack(const gpci_bit_runs *runs, uint64_t packed) {
    uint64_t value = 0;
    for (uint32_t i = 0; i < runs->count; i++)
        value |= (packed >> runs->run[i].to & runs->run[i].mask) << runs->run[i].from;
    return value;
}

static uint64_t lowest_bits(uint64_t mask, unsigned count) {
    uint64_t lowest = 0;
    for (; count && mask; count--) {
        lowest |= mask & -mask;
        mask &= mask - 1;
    }
    return lowest;
}

/*
 * Page Address Entropy, from addrdec.cc until June 2020: entry c has the bits of the row and the bank whose parity is
 * XORed onto bit c of the channel. Later releases of GPGPU-Sim stop if the indexing is 3 (PAE).
 */
static const struct {
    uint16_t row, bank;
} entropy[] = {{1 << 13 | 1 << 10 | 1 << 9 | 1 << 5 | 1 << 0, 1 << 3 | 1 << 0},
               {1 << 12 | 1 << 11 | 1 << 6 | 1 << 1, 1 << 3 | 1 << 2 | 1 << 1},
               {1 << 14 | 1 << 9 | 1 << 8 | 1 << 7 | 1 << 2, 1 << 1},
               {1 << 11 | 1 << 10 | 1 << 8 | 1 << 3, 1 << 3 | 1 << 2},
               {1 << 12 | 1 << 9 | 1 << 8 | 1 << 5 | 1 << 4, 1 << 1 | 1 << 0}};
#define ENTROPY_CHANNELS 32u

/*
 * Let each bit n of a field (the n-th set bit of `mask` in an address) flip the channel bits c whose entropy[c] has n.
 */
static void fold_entropy(gpci_address_map *map, uint64_t mask, bool row) {
    for (unsigned n = 0; mask && n < 16; n++, mask &= mask - 1) {
        uint32_t onto = 0;
        for (unsigned c = 0; c < sizeof entropy / sizeof *entropy; c++)
            onto |= (uint32_t)((row ? entropy[c].row : entropy[c].bank) >> n & 1) << (map->slice_bits + c);
        if (!onto)
            continue;
        gpci_polynomial_fold(&map->hash, gpci_lowest(mask), onto);
        map->hash.rest |= mask & -mask;
    }
}

static gpc_status make_hash(gpci_address_map *map, const gpci_address_bits *bits, gpc_error *error) {
    const uint32_t number_bits = gpci_ceil_log2(bits->channels) + map->slice_bits;
    if (map->indexing == GPCI_INDEXING_CONSECUTIVE || map->indexing == GPCI_INDEXING_RANDOM || !number_bits)
        return GPC_OK;
    if (map->indexing != GPCI_INDEXING_IPOLY && map->gap)
        return gpci_fail(error, GPC_ERROR_RANGE, "is for a power of two of channels, not for %u", bits->channels);
    if (map->indexing == GPCI_INDEXING_PAE) {
        if (bits->channels != ENTROPY_CHANNELS)
            return gpci_fail(error, GPC_ERROR_RANGE, "is for %u channels, not for %u", ENTROPY_CHANNELS,
                             bits->channels);
        gpci_polynomial_init(&map->hash, number_bits, 0);
        fold_entropy(map, bits->mask[GPCI_ADDRESS_ROW], true);
        fold_entropy(map, bits->mask[GPCI_ADDRESS_BANK], false);
        return GPC_OK;
    }
    if (!bits->dramid)
        return gpci_fail(error, GPC_ERROR_RANGE, "is of the bits above the channel's, which dramid@ places");
    map->hash_from = (uint8_t)(map->gap ? bits->from : bits->from + number_bits);
    if (map->indexing == GPCI_INDEXING_IPOLY) {
        gpci_polynomial_init(&map->hash, number_bits, gpci_ipoly_rest((uint64_t)1 << number_bits));
        return GPC_OK;
    }
    gpci_polynomial_init(&map->hash, number_bits, 0);
    for (unsigned bit = 0; bit < number_bits - map->slice_bits; bit++)
        gpci_polynomial_fold(&map->hash, bit, 1u << (map->slice_bits + bit));
    map->hash.rest = ((uint64_t)1 << (number_bits - map->slice_bits)) - 1;
    return GPC_OK;
}

static gpc_status make_lots(gpci_address_map *map, const gpci_address_bits *bits, gpc_error *error) {
    if (map->indexing != GPCI_INDEXING_RANDOM)
        return GPC_OK;
    if (!bits->dramid || bits->from < map->slice_bits)
        return gpci_fail(error, GPC_ERROR_RANGE, "is of stretches, which dramid@ says, %u or above", map->slice_bits);
    map->lot_from = (uint8_t)(bits->from - map->slice_bits);
    map->rest = GPCI_REST_WHOLE;
    map->finest = map->lot_from;
    return GPC_OK;
}

/*
 * Build the runs for the slice number (`number`) and for the address within a slice (`left`). `of_bank`: address bits
 * of the bank that are part of the slice number. Except for random (make_lots): choose the additional top bits of the
 * address within a slice (map->rest), and find the lowest address bit that the slice depends on (map->finest).
 */
static void make_runs(gpci_address_map *map, const gpci_address_bits *bits, uint64_t of_bank) {
    const uint64_t hashed = map->hash.rest << map->hash_from;
    const uint64_t taken = of_bank | (map->gap ? 0 : bits->mask[GPCI_ADDRESS_CHANNEL]), used = taken | hashed;
    add_runs(&map->number, of_bank);
    if (!map->gap)
        add_runs(&map->number, bits->mask[GPCI_ADDRESS_CHANNEL]);
    add_runs(&map->left, ~taken);
    if (map->indexing == GPCI_INDEXING_RANDOM)
        return;
    if (map->hash.rest && map->gap)
        map->rest = GPCI_REST_WRAPPED;
    else if (hashed & taken)
        map->rest = GPCI_REST_NUMBER;
    map->finest = used ? (uint8_t)gpci_lowest(used) : 63;
    if (map->gap && map->finest > bits->from)
        map->finest = (uint8_t)bits->from;
}

gpc_status gpci_address_map_init(gpci_address_map *map, const gpci_address_bits *bits, gpci_indexing indexing,
                                 uint32_t slices, gpc_error *error) {
    const uint32_t each = slices / bits->channels;
    if (!each || slices % bits->channels || !gpci_power_of_two(each))
        return gpci_fail(error, GPC_ERROR_RANGE, "%u slices of %u channels: each has no power of two of them", slices,
                         bits->channels);
    *map = (gpci_address_map){.channels = gpci_divisor_of(bits->channels),
                              .slices = gpci_divisor_of(slices),
                              .from = bits->from,
                              .gap = bits->gap,
                              .indexing = (uint8_t)indexing,
                              .slice_bits = (uint8_t)gpci_log2(each)};
    const uint64_t of_bank = lowest_bits(bits->mask[GPCI_ADDRESS_BANK], map->slice_bits);
    if (gpci_popcount(of_bank) < map->slice_bits)
        return gpci_fail(error, GPC_ERROR_RANGE, "%u slices a channel are more than its bits of the bank tell", each);
    gpc_status status = make_hash(map, bits, error);
    if (status == GPC_OK)
        status = make_lots(map, bits, error);
    if (status == GPC_OK)
        make_runs(map, bits, of_bank);
    return status;
}

/*
 * XOR the hash of an address onto the number of a slice. Only address bits outside the number matter (except with
 * GPCI_REST_NUMBER), and so the function is its own inverse.
 */
static uint32_t hashed(const gpci_address_map *map, uint64_t address, uint32_t number) {
    return (uint32_t)gpci_polynomial_onto(&map->hash, address >> map->hash_from, number);
}

static uint32_t low(const gpci_address_map *map, uint64_t number) {
    return (uint32_t)number & ((1u << map->slice_bits) - 1);
}

/* gpci_address_map_slice for a number of channels that is no power of two: divide the address by the number. */
static uint32_t slice_with_gap(const gpci_address_map *map, uint64_t address, uint64_t *inner) {
    const uint64_t rest = gpci_address_quotient(&map->channels, map->from, address);
    const uint32_t channel = gpci_modulo(&map->channels, address >> map->from);
    const uint32_t of_bank = (uint32_t)pack(&map->number, rest);
    uint32_t slice = channel << map->slice_bits | of_bank;
    *inner = pack(&map->left, rest);
    if (map->rest != GPCI_REST_WRAPPED)
        return slice;
    slice = hashed(map, rest, slice);
    const bool wraps = slice >= map->slices.divisor;
    *inner |= (uint64_t)((uint32_t)wraps << map->slice_bits | of_bank) << (63 - map->slice_bits);
    return wraps ? slice - map->slices.divisor : slice;
}

uint32_t gpci_address_map_slice(const gpci_address_map *map, uint64_t address, uint64_t *inner) {
    if (map->rest == GPCI_REST_WHOLE) {
        *inner = address;
        return gpci_modulo(&map->slices, gpci_mix(address >> map->lot_from) >> 1);
    }
    if (map->gap)
        return slice_with_gap(map, address, inner);
    const uint64_t number = pack(&map->number, address);
    *inner = pack(&map->left, address);
    if (map->rest == GPCI_REST_NUMBER)
        *inner |= number << map->left.bits;
    return hashed(map, address, (uint32_t)number);
}

static uint64_t address_with_gap(const gpci_address_map *map, uint32_t slice, uint64_t inner) {
    const uint32_t top = (uint32_t)(inner >> (63 - map->slice_bits));
    const bool hashes = map->rest == GPCI_REST_WRAPPED;
    const uint64_t left = hashes ? inner & (((uint64_t)1 << (63 - map->slice_bits)) - 1) : inner;
    const uint64_t rest = unpack(&map->left, left) | unpack(&map->number, low(map, hashes ? top : slice));
    const uint64_t quotient = rest >> map->from;
    uint32_t number = slice;
    if (hashes)
        number = hashed(map, rest, slice + (top >> map->slice_bits) * map->slices.divisor);
    return (quotient * map->channels.divisor + (number >> map->slice_bits)) << map->from |
           (rest & (((uint64_t)1 << map->from) - 1));
}

uint64_t gpci_address_map_address(const gpci_address_map *map, uint32_t slice, uint64_t inner) {
    if (map->rest == GPCI_REST_WHOLE)
        return inner;
    if (map->gap)
        return address_with_gap(map, slice, inner);
    const uint64_t rest = unpack(&map->left, inner);
    if (map->rest == GPCI_REST_NUMBER)
        return rest | unpack(&map->number, inner >> map->left.bits);
    return rest | unpack(&map->number, hashed(map, rest, slice));
}

void gpci_interleave_by(gpci_interleave *interleave, const gpci_address_map *map) {
    *interleave =
        (gpci_interleave){.shift = map->finest, .slices = map->slices, .kind = GPCI_SPREAD_MAPPED, .map = map};
}
