/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/index/index.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Set indices compared with definitions, written differently. */

static gpci_index index_of(gpc_index kind, uint64_t sets) {
    gpci_index index;
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpci_index_init(&index, kind, sets, NULL, NULL, &error), GPC_OK, "%s", error.message);
    return index;
}

static void check_division(uint32_t divisor, uint64_t n) {
    gpci_divisor by = gpci_divisor_of(divisor);
    cr_assert_eq(gpci_quotient(&by, n), n / divisor, "%llu / %u", (unsigned long long)n, divisor);
    cr_assert_eq(gpci_modulo(&by, n), n % divisor, "%llu %% %u", (unsigned long long)n, divisor);
}

/* Values beside the multiples of a divisor around 0, around every power of two and below 2^63. */
static void check_edges(uint32_t divisor, uint64_t *random) {
    const uint64_t end = (uint64_t)1 << 63;
    for (unsigned bit = 0; bit <= 63; bit++) {
        uint64_t multiple = ((uint64_t)1 << bit) / divisor * divisor;
        for (int step = -1; step <= 1; step++)
            for (int off = -1; off <= 1; off++) {
                uint64_t n = multiple + (uint64_t)(int64_t)step * divisor + (uint64_t)(int64_t)off;
                if (n < end)
                    check_division(divisor, n);
            }
    }
    check_division(divisor, end - 1);
    for (int i = 0; i < 100; i++)
        check_division(divisor, gpci_random(random) >> (1 + gpci_random_below(random, 63)));
}

Test(index, division) {
    uint64_t random = 1;
    for (uint32_t divisor = 1; divisor <= 3000; divisor++)
        check_edges(divisor, &random);
    for (unsigned bit = 11; bit < 32; bit++)
        for (uint32_t off = 0; off < 5; off++)
            check_edges(((uint32_t)1 << bit) - 2 + off, &random);
    for (uint32_t off = 0; off < 100; off++)
        check_edges(UINT32_MAX - off, &random);
    for (int i = 0; i < 2000; i++)
        check_edges((uint32_t)gpci_random(&random) | 1, &random);
}

/* Small numbers and divisors: all of them. */
Test(index, division_exhaustive) {
    for (uint32_t divisor = 1; divisor <= 300; divisor++)
        for (uint64_t n = 0; n < 3000; n++)
            check_division(divisor, n);
}

static const uint32_t some_sets[] = {1,  2,  3,  5,  7,  8,   12,  15,  16,  17,   24,   31,    32,
                                     33, 48, 64, 80, 96, 100, 128, 384, 512, 1000, 1536, 65536, 100000};
#define SOME_SETS (sizeof some_sets / sizeof *some_sets)

static uint64_t ceil_power(uint64_t sets) {
    uint64_t power = 1;
    while (power < sets)
        power *= 2;
    return power;
}

/* Digits of the line number in base `power`, XORed. */
static uint64_t digits(uint64_t line, uint64_t power) {
    uint64_t sum = 0;
    for (; power > 1 && line; line /= power)
        sum ^= line % power;
    return sum;
}

Test(index, modulo_and_xor) {
    uint64_t random = 2;
    for (size_t i = 0; i < SOME_SETS; i++) {
        uint64_t sets = some_sets[i], power = ceil_power(sets);
        gpci_index modulo = index_of(GPC_INDEX_MODULO, sets), folded = index_of(GPC_INDEX_XOR, sets);
        for (int k = 0; k < 5000; k++) {
            uint64_t line = gpci_random(&random) >> (1 + gpci_random_below(&random, 63));
            cr_assert_eq(gpci_index_of(&modulo, line), line % sets);
            uint64_t expected = (line / power * power + digits(line, power)) % sets;
            cr_assert_eq(gpci_index_of(&folded, line), expected, "line %llx, %llu sets", (unsigned long long)line,
                         (unsigned long long)sets);
        }
    }
}

/* GPGPU-Sim's BITWISE_XORING_FUNCTION for 32 sets XORs the next five bits onto the set; 63 bits are all bits. */
Test(index, xor_of_some_bits) {
    uint64_t random = 3;
    for (size_t i = 0; i < SOME_SETS; i++)
        for (uint32_t bits = 1; bits <= 63; bits += bits < 20 ? 1 : 43) {
            const uint64_t sets = some_sets[i], power = ceil_power(sets);
            gpci_index index = index_of(GPC_INDEX_XOR, sets);
            gpci_index_fold(&index, bits);
            for (int k = 0; k < 100; k++) {
                const uint64_t line = gpci_random(&random) >> (1 + gpci_random_below(&random, 63)),
                               part = bits < 63 ? line % (power << bits) : line;
                cr_assert_eq(gpci_index_of(&index, line), (line / power * power + digits(part, power)) % sets,
                             "line %llx, %llu sets, %u bits", (unsigned long long)line, (unsigned long long)sets, bits);
            }
        }
    gpci_index bitwise = index_of(GPC_INDEX_XOR, 32);
    gpci_index_fold(&bitwise, 5);
    for (uint64_t line = 0; line < 1 << 16; line++)
        cr_assert_eq(gpci_index_of(&bitwise, line), (line & 31) ^ (line >> 5 & 31));
}

static unsigned bit(uint64_t value, unsigned at) {
    return (unsigned)(value >> at & 1);
}

/*
 * Nugteren et al.: set bits are address bits 7 to 11, XORed with address bits 13,
 * 14, 15, 17 and 19; 64 sets have address bit 12 on top.
 */
Test(index, fermi) {
    static const unsigned upper[] = {13, 14, 15, 17, 19};
    gpci_index small = index_of(GPC_INDEX_FERMI, 32), large = index_of(GPC_INDEX_FERMI, 64);
    uint64_t random = 3;
    for (int k = 0; k < 100000; k++) {
        uint64_t address = gpci_random(&random) >> 16;
        uint32_t expected = 0;
        for (unsigned i = 0; i < 5; i++)
            expected |= (bit(address, 7 + i) ^ bit(address, upper[i])) << i;
        cr_assert_eq(gpci_index_of(&small, address / 128), expected);
        cr_assert_eq(gpci_index_of(&large, address / 128), expected | bit(address, 12) << 5);
    }
}

/*
 * Rows of GPGPU-Sim's ipoly_hash_function (gpgpu-sim/hashing.cc): per bit of the set the higher bits, bit 0 being the
 * first above the index, that are XORed onto that bit of the index. -1 ends a row.
 */
typedef struct ipoly_rows {
    unsigned bits;
    int taps[6][12];
} ipoly_rows;

static const ipoly_rows reference_rows[] = {
    {4,
     {{0, 3, 4, 6, 8, 9, 10, 11, -1},
      {0, 1, 3, 5, 6, 7, 8, 12, -1},
      {1, 2, 4, 6, 7, 8, 9, -1},
      {2, 3, 5, 7, 8, 9, 10, -1}}},
    {5,
     {{0, 3, 5, 6, 9, 10, 11, 12, 13, -1},
      {1, 4, 6, 7, 10, 11, 12, 13, 14, -1},
      {0, 2, 3, 6, 7, 8, 9, 10, 14, -1},
      {1, 3, 4, 7, 8, 9, 10, 11, -1},
      {2, 4, 5, 8, 9, 10, 11, 12, -1}}},
    {6,
     {{0, 5, 6, 10, 12, 15, 16, 17, 18, -1},
      {0, 1, 5, 7, 10, 11, 12, 13, 15, -1},
      {1, 2, 6, 8, 11, 12, 13, 14, 16, -1},
      {2, 3, 7, 9, 12, 13, 14, 15, 17, -1},
      {3, 4, 8, 10, 13, 14, 15, 16, 18, -1},
      {4, 5, 9, 11, 14, 15, 16, 17, -1}}},
};

Test(index, ipoly_equals_gpgpu_sim) {
    uint64_t random = 4;
    for (size_t r = 0; r < sizeof reference_rows / sizeof *reference_rows; r++) {
        const ipoly_rows *rows = &reference_rows[r];
        gpci_index index = index_of(GPC_INDEX_IPOLY, (uint64_t)1 << rows->bits);
        for (int k = 0; k < 100000; k++) {
            uint64_t address = gpci_random(&random) >> gpci_random_below(&random, 50);
            uint64_t higher = address >> (7 + rows->bits);
            uint32_t expected = 0;
            for (unsigned i = 0; i < rows->bits; i++) {
                unsigned sum = bit(address, 7 + i);
                for (const int *tap = rows->taps[i]; *tap >= 0; tap++)
                    sum ^= bit(higher, (unsigned)*tap);
                expected |= sum << i;
            }
            cr_assert_eq(gpci_index_of(&index, address / 128), expected, "%u bits, address %llx", rows->bits,
                         (unsigned long long)address);
        }
    }
}

/* Remainder of polynomials over GF(2), by long division. */
static uint64_t remainder_of(uint64_t dividend, uint64_t divisor) {
    unsigned degree = gpci_log2(divisor);
    while (dividend && gpci_log2(dividend) >= degree)
        dividend ^= divisor << (gpci_log2(dividend) - degree);
    return dividend;
}

static uint64_t polynomial_of(const gpci_polynomial *polynomial) {
    uint64_t leading = (uint64_t)1 << polynomial->degree;
    /* X^n = the lower terms, so x^n plus the lower terms is the polynomial. */
    return gpci_polynomial_mix(polynomial, leading);
}

Test(index, polynomials_are_irreducible) {
    for (unsigned degree = 1; degree <= 32; degree++) {
        gpci_polynomial polynomial;
        gpci_polynomial_init(&polynomial, degree, 64);
        uint64_t p = polynomial_of(&polynomial);
        cr_assert_eq(gpci_log2(p), degree);
        for (uint64_t divisor = 2; degree > 1 && divisor < (uint64_t)2 << (degree / 2); divisor++)
            cr_assert_neq(remainder_of(p, divisor), 0, "%llx divides %llx", (unsigned long long)divisor,
                          (unsigned long long)p);
    }
}

/* The powers of x repeat only after all 2^n - 1 remainders other than 0. */
Test(index, polynomials_are_primitive) {
    for (unsigned degree = 1; degree <= 24; degree++) {
        gpci_polynomial polynomial;
        gpci_polynomial_init(&polynomial, degree, 64);
        uint64_t p = polynomial_of(&polynomial), power = 1, period = 0;
        do {
            power <<= 1;
            power ^= power >> degree ? p : 0;
            period++;
        } while (power != 1);
        cr_expect_eq(period, ((uint64_t)1 << degree) - 1, "degree %u", degree);
    }
}

Test(index, polynomial_mix) {
    uint64_t random = 5;
    for (unsigned degree = 1; degree <= 32; degree++) {
        gpci_polynomial polynomial;
        gpci_polynomial_init(&polynomial, degree, 64);
        uint64_t p = polynomial_of(&polynomial), low = ((uint64_t)1 << degree) - 1;
        for (int k = 0; k < 2000; k++) {
            uint64_t n = gpci_random(&random) >> gpci_random_below(&random, 64);
            uint64_t mixed = gpci_polynomial_mix(&polynomial, n);
            cr_assert_eq(mixed, (n & ~low) | remainder_of(n, p));
            cr_assert_eq(gpci_polynomial_mix(&polynomial, mixed), n);
        }
    }
    gpci_polynomial two;
    gpci_polynomial_init(&two, 2, 64);
    cr_expect_eq(gpci_polynomial_mix(&two, 0xd), 0xf, "the example of the header");
}

/* Most and fewest lines in a set, of `count` lines from `first`, `stride` apart. */
static void spread(const gpci_index *index, uint64_t first, uint64_t stride, uint64_t count, uint32_t *most,
                   uint32_t *least) {
    uint32_t sets = index->sets.divisor, *loads = calloc(sets, sizeof *loads);
    cr_assert_not_null(loads);
    for (uint64_t i = 0; i < count; i++) {
        uint32_t set = gpci_index_of(index, first + i * stride);
        cr_assert_lt(set, sets);
        loads[set]++;
    }
    *most = 0, *least = UINT32_MAX;
    for (uint32_t set = 0; set < sets; set++) {
        *most = loads[set] > *most ? loads[set] : *most;
        *least = loads[set] < *least ? loads[set] : *least;
    }
    free(loads);
}

/*
 * Within 2^b sets x 2^b, the low b bits are permuted per value of the upper bits, so that consecutive lines fill all
 * sets equally, powers of two or not.
 */
Test(index, consecutive_lines_fill_sets_alike) {
    static const gpc_index kinds[] = {GPC_INDEX_MODULO, GPC_INDEX_XOR, GPC_INDEX_IPOLY};
    for (size_t i = 0; i < SOME_SETS; i++)
        for (size_t k = 0; k < 3 && some_sets[i] <= 2000; k++) {
            uint64_t sets = some_sets[i], power = ceil_power(sets);
            gpci_index index = index_of(kinds[k], sets);
            uint32_t most, least;
            spread(&index, 77 * power * sets, 1, power * sets, &most, &least);
            cr_expect_eq(most, power, "%llu sets, kind %d", (unsigned long long)sets, (int)kinds[k]);
            cr_expect_eq(least, power, "%llu sets, kind %d", (unsigned long long)sets, (int)kinds[k]);
        }
}

/*
 * Rau: `sets` lines any power of two apart fall into as many sets, because x^s has an inverse. Up to the highest
 * participating bit: 16, 32 and 64 sets have few.
 */
Test(index, ipoly_strides_are_free_of_conflicts) {
    for (unsigned bits = 1; bits <= 12; bits++) {
        gpci_index index = index_of(GPC_INDEX_IPOLY, (uint64_t)1 << bits);
        unsigned highest = bits == 4 ? 13 : bits == 5 ? 15 : bits == 6 ? 19 : 40;
        for (unsigned stride = 0; stride <= highest; stride++) {
            uint32_t most, least;
            spread(&index, 0, (uint64_t)1 << stride, (uint64_t)1 << bits, &most, &least);
            cr_expect_eq(most, 1, "2^%u sets, stride 2^%u: %u lines in one", bits, stride, most);
        }
    }
}

/*
 * Other numbers of sets: no set has more than two and a half times the fair share; modulo gives all lines of a stride
 * 2^k to one set in every 2^k of the sets' power of two.
 */
Test(index, ipoly_strides_are_nearly_even) {
    static const uint32_t sets[] = {3, 5, 6, 7, 12, 24, 40, 48, 80, 96, 100, 384, 1536};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        gpci_index index = index_of(GPC_INDEX_IPOLY, sets[i]);
        for (unsigned stride = 0; stride <= 30; stride++) {
            uint32_t most, least;
            spread(&index, 0, (uint64_t)1 << stride, 64 * (uint64_t)sets[i], &most, &least);
            cr_expect_leq(most, 160, "%u sets, stride 2^%u: %u lines in one, 64 would be even", sets[i], stride, most);
        }
    }
}

static uint32_t third(void *data, uint64_t line, uint32_t sets) {
    ++*(int *)data;
    return (uint32_t)(line / 3 % sets);
}

static uint32_t wrong(void *data, uint64_t line, uint32_t sets) {
    (void)data, (void)line;
    return sets + 5;
}

Test(index, user_function) {
    int calls = 0;
    gpci_index index;
    cr_assert_eq(gpci_index_init(&index, GPC_INDEX_USER, 10, third, &calls, NULL), GPC_OK);
    for (uint64_t line = 0; line < 100; line++)
        cr_expect_eq(gpci_index_of(&index, line), line / 3 % 10);
    cr_expect_eq(calls, 100);
    cr_assert_eq(gpci_index_init(&index, GPC_INDEX_USER, 7, wrong, NULL, NULL), GPC_OK);
    cr_expect_lt(gpci_index_of(&index, 1), 7);
}

static void refuse(gpc_index kind, uint64_t sets, gpc_status status, const char *word) {
    gpci_index index;
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_eq(gpci_index_init(&index, kind, sets, NULL, NULL, &error), status);
    cr_expect_not_null(strstr(error.message, word), "'%s' does not say '%s'", error.message, word);
    cr_expect_eq(gpci_index_init(&index, kind, sets, NULL, NULL, NULL), status);
}

/* As on the GPU: lines of 2 MiB that share the set of line t are numbered t XOR one of these. */
Test(index, hopper_shares_sets) {
    static const uint32_t same[] = {0,    625,  1051, 1642, 2422, 2823, 3437, 3868, 4425, 4920,  5458,
                                    5923, 6207, 6734, 7204, 7765, 8249, 8776, 9250, 9811, 10575, 11070};
    gpci_index index = index_of(GPC_INDEX_HOPPER, 512);
    for (uint32_t t = 0; t < 3000; t += 7)
        for (uint32_t line = 0, k = 0; line <= 11070; line++) {
            bool shares = false;
            for (k = 0; k < sizeof same / sizeof *same; k++)
                shares |= (line ^ t) == same[k];
            if ((line ^ t) <= 11070)
                cr_assert_eq(gpci_index_of(&index, line) == gpci_index_of(&index, t), shares, "%u, %u", line, t);
        }
}

/* Sets of addresses, measured on the GPU: the first of 512 lines of a page of the same memory with an equal set. */
Test(index, hopper_of_addresses) {
    static const struct {
        uint64_t at;
        uint32_t set;
    } found[] = {{0x7f8de21bb800, 106}, {0x7f8de4000000, 289}, {0x7f8e3591c400, 498}, {0x7f8e25c7ad00, 134},
                 {0x7f9692c42100, 102}, {0x7f980a912780, 461}, {0x7f9c717b1b80, 440}, {0x7f95d129ba80, 135},
                 {0x7f9bd895a700, 350}, {0x7f9e80c00000, 281}, {0x7f8d62000000, 277}, {0x7f9e88200000, 319}};
    const uint64_t page = 0x7f8de2000000;
    gpci_index index = index_of(GPC_INDEX_HOPPER, 512);
    for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
        const uint32_t same = gpci_index_of(&index, (page >> 7) + found[i].set);
        cr_expect_eq(gpci_index_of(&index, found[i].at >> 7), same, "%llx", (unsigned long long)found[i].at);
    }
}

/* Other powers of two have the low bits of the same number, or further unchanged bits. */
Test(index, hopper_of_other_sets) {
    gpci_index whole = index_of(GPC_INDEX_HOPPER, 512);
    for (unsigned bits = 1; bits <= 12; bits++) {
        gpci_index index = index_of(GPC_INDEX_HOPPER, (uint64_t)1 << bits);
        for (uint64_t line = 0; line < 100000; line += 37) {
            const uint64_t number = (line & ~(uint64_t)511) | gpci_index_of(&whole, line);
            cr_assert_eq(gpci_index_of(&index, line), number & (((uint64_t)1 << bits) - 1));
        }
    }
}

Test(index, refusals) {
    refuse(GPC_INDEX_MODULO, 0, GPC_ERROR_RANGE, "sets: 0");
    refuse(GPC_INDEX_MODULO, (uint64_t)UINT32_MAX + 1, GPC_ERROR_RANGE, "4294967296");
    refuse(GPC_INDEX_FERMI, 16, GPC_ERROR_RANGE, "32 or 64");
    refuse(GPC_INDEX_FERMI, 128, GPC_ERROR_RANGE, "128");
    refuse(GPC_INDEX_USER, 16, GPC_ERROR_ARGUMENT, "index_fn");
    refuse(GPC_INDEX_COUNT, 16, GPC_ERROR_ARGUMENT, "index: 6");
}
