/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/duel.h"
#include "policies/replacement/naive.h"
#include "policies/replacement/thrash_throttle.h"

#include <criterion/criterion.h>
#include <string.h>

/* LIP, BIP and DIP compared with definitions, and the common parts: the throttle and the duel. */

static void touch(naive *n, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    naive_touch(n, set, way);
}

static void demote(naive *n, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    naive_demote(n, set, way);
}

static uint32_t lru(naive *n, uint32_t set, const bool *candidate, const gpc_request *request) {
    (void)request;
    return naive_oldest(n, set, candidate);
}

Test(insertion, lip) {
    naive_ops ops = {.hit = touch, .victim = lru, .fill = demote};
    naive_compare_shapes("lip", &ops, NULL);
    naive_compare_shapes("bip(epsilon=0)", &ops, NULL);
}

Test(insertion, bip_of_one_is_lru) {
    naive_ops ops = {.hit = touch, .victim = lru, .fill = touch};
    naive_compare_shapes("bip(epsilon=1)", &ops, NULL);
    naive_compare_shapes("bip(epsilon=1,bypass=1)", &ops, NULL);
    naive_compare_shapes("lru", &ops, NULL);
}

/* Section 4.2: every 32nd line is inserted as the most recent. */
static bool thirty_second(naive *n) {
    return ++n->counter % 32 == 0;
}

static void bip_fill(naive *n, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    thirty_second(n) ? naive_touch(n, set, way) : naive_demote(n, set, way);
}

static uint32_t bypass_most(naive *n, uint32_t set, const bool *candidate, const gpc_request *request) {
    (void)request;
    return thirty_second(n) ? naive_oldest(n, set, candidate) : RIG_NO_WAY;
}

Test(insertion, bip) {
    naive_ops ops = {.hit = touch, .victim = lru, .fill = bip_fill};
    naive_compare_shapes("bip", &ops, NULL);
    naive_ops bypassing = {.hit = touch, .victim = bypass_most, .fill = touch};
    naive_compare_shapes("bip(bypass=1)", &bypassing, NULL);
}

/*
 * Section 5.3, complement-select: of 2^n sets in 2^k stretches, a set leads for the first policy if the offset bits
 * equal the stretch's number, for the second if they equal the complement. 0 = follows.
 */
typedef struct duel_shape {
    uint32_t leaders, most, turn;
} duel_shape;

static int leads(const naive *n, const duel_shape *shape, uint32_t set) {
    uint32_t stretch = n->sets / shape->leaders, number = set / stretch, offset = set % stretch;
    if (offset == number % stretch)
        return 1;
    return offset == stretch - 1 - number % stretch ? 2 : 0;
}

static bool follows_second(const naive *n, uint32_t set) {
    const duel_shape *shape = n->extra;
    int lead = leads(n, shape, set);
    return lead ? lead == 2 : n->selector >= shape->turn;
}

static void dip_miss(naive *n, uint32_t set, const gpc_request *request) {
    (void)request;
    const duel_shape *shape = n->extra;
    int lead = leads(n, shape, set);
    if (!n->counter && !n->newest) /* the very first */
        n->selector = shape->turn - 1;
    if (lead == 1 && n->selector < shape->most)
        n->selector++;
    if (lead == 2 && n->selector > 0)
        n->selector--;
}

static void dip_fill(naive *n, uint32_t set, uint32_t way, const gpc_request *request) {
    if (follows_second(n, set))
        bip_fill(n, set, way, request);
    else
        naive_touch(n, set, way);
}

Test(insertion, dip) {
    naive_ops ops = {.hit = touch, .miss = dip_miss, .victim = lru, .fill = dip_fill};
    duel_shape ten_bits[] = {{8, 1023, 512}, {16, 1023, 512}, {32, 1023, 512}, {1, 1023, 512}};
    naive_compare("dip", &ops, 32, 4, &ten_bits[0]);
    naive_compare("dip", &ops, 64, 20, &ten_bits[1]);
    naive_compare("dip", &ops, 1024, 4, &ten_bits[2]);
    naive_compare("dip", &ops, 2, 16, &ten_bits[3]);
    duel_shape two_bits = {4, 3, 2}, one_bit = {1, 1, 1};
    naive_compare("dip(selector=2)", &ops, 16, 8, &two_bits);
    naive_compare("dip(selector=2,leaders=4)", &ops, 64, 33, &two_bits);
    naive_compare("dip(selector=1)", &ops, 4, 1, &one_bit);
}

/* A single set has no duel: LRU. */
Test(insertion, dip_of_one_set_is_lru) {
    naive_ops ops = {.hit = touch, .victim = lru, .fill = touch};
    naive_compare("dip", &ops, 1, 16, NULL);
    naive_compare("dip(bypass=1)", &ops, 1, 100, NULL);
}

Test(insertion, dip_example) {
    uint8_t roles[4] = {0};
    gpci_duel duel;
    gpci_duel_init(&duel, roles, 4, 32, 1);
    static const struct {
        uint32_t set;
        bool second;
    } misses[] = {{0, true}, {0, true}, {3, false}, {1, false}, {3, false}, {2, false}, {0, true}};
    cr_expect_not(gpci_duel_second(&duel, 1));
    for (size_t i = 0; i < sizeof misses / sizeof *misses; i++) {
        gpci_duel_miss(&duel, misses[i].set);
        cr_expect_eq(gpci_duel_second(&duel, 1), misses[i].second, "miss %zu", i);
        cr_expect_eq(gpci_duel_second(&duel, 2), misses[i].second, "miss %zu", i);
        cr_expect_not(gpci_duel_second(&duel, 0));
        cr_expect(gpci_duel_second(&duel, 3));
    }
}

/* 512 misses from the start turn it, 1023 the other way end at 0, and it stays there. */
Test(insertion, selector_saturates) {
    uint8_t roles[128] = {0};
    gpci_duel duel;
    gpci_duel_init(&duel, roles, 128, 32, 10);
    cr_expect_eq(roles[0], GPCI_LEADS_FIRST);
    cr_expect_eq(roles[3], GPCI_LEADS_SECOND);
    for (int i = 0; i < 5000; i++)
        gpci_duel_miss(&duel, 0);
    cr_expect_eq(duel.selector, 1023);
    for (int i = 0; i < 511; i++)
        gpci_duel_miss(&duel, 3);
    cr_expect(gpci_duel_second(&duel, 1));
    gpci_duel_miss(&duel, 3);
    cr_expect_not(gpci_duel_second(&duel, 1));
    for (int i = 0; i < 5000; i++)
        gpci_duel_miss(&duel, 3);
    cr_expect_eq(duel.selector, 0);
}

/* Any number of sets: equally many of each, never more than a quarter, and at least one from two sets up. */
Test(insertion, leaders_of_any_cache) {
    for (uint32_t sets = 1; sets <= 300; sets++)
        for (uint32_t leaders = 1; leaders <= 64; leaders *= 2) {
            uint8_t roles[300] = {0};
            gpci_duel duel;
            gpci_duel_init(&duel, roles, sets, leaders, 10);
            uint32_t counts[3] = {0}, quarter = sets / 4 ? sets / 4 : 1;
            for (uint32_t set = 0; set < sets; set++)
                counts[roles[set]]++;
            uint32_t expected = sets == 1 ? 0 : leaders < quarter ? leaders : quarter;
            cr_expect_eq(counts[GPCI_LEADS_FIRST], expected, "%u sets, %u leaders", sets, leaders);
            cr_expect_eq(counts[GPCI_LEADS_SECOND], expected, "%u sets, %u leaders", sets, leaders);
        }
    uint8_t sixteen[16] = {0};
    gpci_duel duel;
    gpci_duel_init(&duel, sixteen, 16, 4, 10);
    cr_expect_arr_eq(sixteen, ((uint8_t[16]){1, 0, 0, 2, 0, 1, 2, 0, 0, 2, 1, 0, 2, 0, 0, 1}), 16);
}

/* The header's example, and shares over many lines: by counter exactly, by draw within five deviations. */
Test(insertion, throttle) {
    gpci_thrash_throttle throttle;
    gpci_thrash_throttle_init(&throttle, 0.375, false, 0);
    char passes[7] = "";
    for (int i = 0; i < 6; i++)
        passes[i] = gpci_thrash_throttle_passes(&throttle) ? '1' : '0';
    cr_expect_str_eq(passes, "001001");
    gpci_thrash_throttle_init(&throttle, 1.0 / 32, false, 0);
    int first = 0, count = 0;
    for (int i = 1; i <= 3200; i++)
        if (gpci_thrash_throttle_passes(&throttle)) {
            first = first ? first : i;
            count++;
        }
    cr_expect_eq(first, 32);
    cr_expect_eq(count, 100);
    gpci_thrash_throttle_init(&throttle, 1.0 / 32, true, 7);
    count = 0;
    for (int i = 0; i < 32000; i++)
        count += gpci_thrash_throttle_passes(&throttle);
    cr_expect(count > 1000 - 156 && count < 1000 + 156, "%d: the deviation is sqrt(1000 x 31/32)", count);
    for (int draws = 0; draws < 2; draws++)
        for (int epsilon = 0; epsilon < 2; epsilon++) {
            gpci_thrash_throttle_init(&throttle, epsilon, draws, 7);
            for (int i = 0; i < 100; i++)
                cr_expect_eq(gpci_thrash_throttle_passes(&throttle), epsilon);
        }
}

Test(insertion, throttle_bits) {
    cr_expect_eq(gpci_thrash_throttle_bits(1.0 / 32, false), 5);
    cr_expect_eq(gpci_thrash_throttle_bits(1.0 / 33, false), 6);
    cr_expect_eq(gpci_thrash_throttle_bits(0.5, false), 1);
    cr_expect_eq(gpci_thrash_throttle_bits(0.9, false), 1);
    cr_expect_eq(gpci_thrash_throttle_bits(0, false), 0);
    cr_expect_eq(gpci_thrash_throttle_bits(1, true), 0);
    cr_expect_eq(gpci_thrash_throttle_bits(0.25, true), 64);
}
