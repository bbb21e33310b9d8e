/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/cache.h"
#include "cache/rig.h"

#include <criterion/criterion.h>
#include <string.h>

/* A cache with many ways finds lines by hash as part of a hierarchy, and by comparing tags alone: results are equal. */

static void same_line(rig *r, const gpc_cache *other, uint64_t address) {
    gpc_line one = {0}, two = {0};
    const bool here = gpci_line_of(r->cache, address, &one);
    cr_assert_eq(here, gpci_line_of(other, address, &two));
    cr_assert(!memcmp(&one, &two, sizeof one), "the line of %llx", (unsigned long long)address);
}

static void same_access(rig *r, gpc_cache *other, const gpc_request *request) {
    gpc_access_result one, two;
    cr_assert_eq(gpc_cache_access(r->cache, request, &one, NULL), GPC_OK);
    cr_assert_eq(gpc_cache_access(other, request, &two, NULL), GPC_OK);
    cr_assert(!memcmp(&one, &two, sizeof one), "access of %llx", (unsigned long long)request->address);
}

/* Ways that fill no word of bits and no row of four, sets not a power of two; different upper bits, or equal. */
static void compare(uint32_t index, const char *policy, uint64_t seed, bool wide) {
    rig r;
    gpc_cache *other;
    rig_init(&r);
    r.options.sets = 3;
    r.options.ways = 101;
    r.options.index = index;
    r.options.sectors = 4;
    r.options.replacement = policy;
    rig_open(&r);
    gpci_commons *commons = gpci_commons_create(r.context);
    cr_assert_eq(gpci_cache_create(r.context, &r.options, commons, NULL, &other), GPC_OK);
    cr_assert(other->tags.places && !r.cache->tags.places);
    for (unsigned i = 0; i < 6000; i++) {
        const uint64_t draw = gpci_random(&seed), high = wide && draw >> 62 == 3 ? (uint64_t)1 << 44 : 0;
        const gpc_request request = {.address = (draw % 500) * 128 | high,
                                     .kind = (uint8_t)(draw >> 32 & 1 ? GPC_STORE : GPC_LOAD),
                                     .sector_mask = (uint8_t)(1u << (draw >> 40 & 3))};
        if (!(draw >> 48 & 7)) {
            cr_assert_eq(gpc_cache_invalidate_line(r.cache, request.address, NULL), GPC_OK);
            cr_assert_eq(gpc_cache_invalidate_line(other, request.address, NULL), GPC_OK);
        } else {
            same_access(&r, other, &request);
        }
        same_line(&r, other, (gpci_random(&seed) % 500) * 128);
        if (i == 4000) {
            cr_assert_eq(gpc_cache_invalidate_all(r.cache, NULL), GPC_OK);
            cr_assert_eq(gpc_cache_invalidate_all(other, NULL), GPC_OK);
        }
    }
    gpc_cache_destroy(other);
    gpci_commons_release(commons);
    rig_close(&r);
}

Test(places, hash_and_tags) {
    compare(GPC_INDEX_MODULO, "lru", 1, false);
    compare(GPC_INDEX_IPOLY, "srrip", 2, true);
    compare(GPC_INDEX_XOR, "fifo", 3, true);
}

/* A set whose lines are moved elsewhere by a user's function: no longer found there, nor beyond the row. */
static uint32_t moving(void *data, uint64_t line, uint32_t sets) {
    return (uint32_t)((line + *(const uint32_t *)data) % sets);
}

Test(places, another_set) {
    uint32_t shift = 0;
    rig r;
    rig_init(&r);
    r.options.sets = 2;
    r.options.ways = 64;
    r.options.index = GPC_INDEX_USER;
    r.options.index_fn = moving;
    r.options.index_data = &shift;
    rig_open(&r);
    gpc_cache_destroy(r.cache);
    gpci_commons *commons = gpci_commons_create(r.context);
    cr_assert_eq(gpci_cache_create(r.context, &r.options, commons, NULL, &r.cache), GPC_OK);
    cr_expect_eq(rig_load(&r, 0), GPC_MISS);
    cr_expect_eq(rig_load(&r, 0), GPC_HIT);
    shift = 1;
    cr_expect_eq(rig_load(&r, 0), GPC_MISS, "set 1 does not have it");
    cr_expect_eq(rig_load(&r, 0), GPC_HIT);
    shift = 0;
    cr_expect_eq(rig_load(&r, 0), GPC_HIT);
    cr_expect_eq(rig_lines(&r), 2);
    gpc_cache_destroy(r.cache);
    r.cache = NULL;
    gpci_commons_release(commons);
    rig_close(&r);
}
