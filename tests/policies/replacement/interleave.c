/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/index.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Addresses over slices. */

static gpci_interleave interleave_of(gpci_spread kind, uint64_t bytes, uint32_t slices) {
    gpci_interleave interleave;
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpci_interleave_init(&interleave, kind, bytes, slices, &error), GPC_OK, "%s", error.message);
    return interleave;
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

/* Four spans of 1 GiB: the slice is the number of the span, and the inner address the place in it. */
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
            gpci_interleave interleave = interleave_of((gpci_spread)kind, (uint64_t)2 << (i % 20), some_slices[i]);
            for (int k = 0; k < 5000; k++) {
                uint64_t address = gpci_random(&random) >> gpci_random_below(&random, 60), inner;
                uint32_t slice = gpci_interleave_slice(&interleave, address, &inner);
                cr_assert_lt(slice, some_slices[i]);
                cr_assert_eq(gpci_interleave_address(&interleave, slice, inner), address);
            }
        }
}

/* Of consecutive granules every slice gets the same number, at consecutive inner granules: no gap, none twice. */
Test(interleave, inner_addresses_have_no_gaps) {
    for (int kind = 0; kind < GPCI_SPREAD_COUNT; kind++)
        for (size_t i = 0; i < SOME_SLICES; i++) {
            uint32_t slices = some_slices[i], each = 256;
            gpci_interleave interleave = interleave_of((gpci_spread)kind, 128, slices);
            unsigned char *seen = calloc(slices, each);
            cr_assert_not_null(seen);
            for (uint64_t granule = 0; granule < (uint64_t)slices * each; granule++) {
                uint64_t inner;
                uint32_t slice = gpci_interleave_slice(&interleave, granule * 128 + 5, &inner);
                cr_assert_lt(inner / 128, each);
                cr_assert_eq(inner % 128, 5);
                cr_assert_eq(seen[slice * each + inner / 128]++, 0);
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

/* Strides of any power of two: even for slices of a power of two, else at most two and a half times the share. */
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

Test(interleave, refusals) {
    gpci_interleave interleave;
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_eq(gpci_interleave_init(&interleave, GPCI_SPREAD_COUNT, 256, 4, &error), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpci_interleave_init(&interleave, GPCI_SPREAD_HASH, 0, 4, &error), GPC_ERROR_RANGE);
    cr_expect_eq(gpci_interleave_init(&interleave, GPCI_SPREAD_HASH, 1, 4, &error), GPC_ERROR_RANGE);
    cr_expect_eq(gpci_interleave_init(&interleave, GPCI_SPREAD_HASH, 96, 4, &error), GPC_ERROR_RANGE);
    cr_expect_not_null(strstr(error.message, "96 bytes"));
    cr_expect_eq(gpci_interleave_init(&interleave, GPCI_SPREAD_HASH, 256, 0, NULL), GPC_ERROR_RANGE);
}
