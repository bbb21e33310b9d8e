/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/line_states.h"
#include "cache/rig.h"

#include <criterion/criterion.h>

/* States of a line for coherence controllers: assignment and lifetime. */

#define A 0u
#define B 128u
#define C 256u

static void open_states(rig *r) {
    rig_open(r);
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpci_cache_keep_states(r->cache, &error), GPC_OK, "%s", error.message);
}

static size_t slot_of(const rig *r, uint64_t address) {
    gpc_line line = rig_line(r, address);
    return gpci_slot(r->cache, line.set, line.way);
}

/* Sector states `with`, with + 1 ..., and a word. */
static void mark(const rig *r, uint64_t address, uint8_t with) {
    size_t slot = slot_of(r, address);
    for (uint32_t sector = 0; sector < r->cache->sectors; sector++)
        gpci_set_sector_state(r->cache, slot, sector, (uint8_t)(with + sector));
    *gpci_directory_of(r->cache, slot) = (uint64_t)with << 40 | with;
}

static bool is_marked(const rig *r, size_t slot, uint8_t with) {
    bool same = *gpci_directory_of(r->cache, slot) == ((uint64_t)with << 40 | with);
    for (uint32_t sector = 0; sector < r->cache->sectors; sector++)
        same &= gpci_sector_state(r->cache, slot, sector) == (uint8_t)(with ? with + sector : 0);
    return same;
}

#define EXPECT_MARK(r, address, with) cr_expect(is_marked(r, slot_of(r, address), with), "line %u", address)

Test(line_states, only_where_asked_for) {
    rig r;
    rig_init(&r);
    rig_open(&r);
    cr_expect(!gpci_keeps_states(r.cache) && r.cache->plain && !r.cache->directory);
    rig_load(&r, A);
    cr_expect(r.cache->quick);
    cr_assert_eq(gpci_cache_keep_states(r.cache, NULL), GPC_OK);
    cr_expect(gpci_keeps_states(r.cache) && !r.cache->plain && !r.cache->quick);
    EXPECT_MARK(&r, A, 0);
    mark(&r, A, 10);
    cr_assert_eq(gpci_cache_keep_states(r.cache, NULL), GPC_OK);
    EXPECT_MARK(&r, A, 10);
    cr_assert_eq(gpc_cache_set_replacement(r.cache, "lru", NULL), GPC_OK);
    cr_assert_eq(gpc_cache_set_predictor(r.cache, "always-cache", NULL), GPC_OK);
    cr_expect(!r.cache->plain && !r.cache->quick, "other policies make it neither");
    EXPECT_MARK(&r, A, 10);
    rig_close(&r);
}

/* Hits, stores, sector misses, flushes: the line and the states stay. */
Test(line_states, kept_while_the_line_stays) {
    rig r;
    rig_init(&r);
    r.options.sectors = 4;
    open_states(&r);
    rig_access(&r, LOAD(A, .sector_mask = 1));
    rig_load(&r, B);
    EXPECT_MARK(&r, A, 0);
    mark(&r, A, 10);
    mark(&r, B, 20);
    rig_access(&r, LOAD(A, .sector_mask = 1));
    rig_access(&r, STORE(A, .sector_mask = 1));
    cr_expect_eq(rig_access(&r, LOAD(A, .sector_mask = 6)).outcome, GPC_SECTOR_MISS);
    rig_reserve(&r, LOAD(A, .sector_mask = 8), 8);
    rig_fill(&r, LOAD(A, .sector_mask = 8), 8);
    cr_assert_eq(gpc_cache_flush(r.cache, NULL), GPC_OK);
    gpc_cache_reset_stats(r.cache);
    EXPECT_MARK(&r, A, 10);
    EXPECT_MARK(&r, B, 20);
    rig_close(&r);
}

/* Setting a sector of a line keeps the neighbours' states. */
Test(line_states, sectors_are_independent) {
    rig r;
    rig_init(&r);
    r.options.sets = 3;
    r.options.ways = 5; /* a row has room for eight */
    r.options.sectors = 8;
    open_states(&r);
    for (uint64_t line = 0; line < 15; line++) {
        rig_load(&r, line * 128);
        mark(&r, line * 128, (uint8_t)(10 + 10 * line));
    }
    size_t slot = slot_of(&r, 7 * 128);
    gpci_set_sector_state(r.cache, slot, 3, 255);
    for (uint32_t sector = 0; sector < 8; sector++)
        cr_expect_eq(gpci_sector_state(r.cache, slot, sector), sector == 3 ? 255 : 80 + sector);
    cr_expect_eq(*gpci_directory_of(r.cache, slot), (uint64_t)80 << 40 | 80);
    for (uint64_t line = 0; line < 15; line++)
        cr_expect(line == 7 || is_marked(&r, slot_of(&r, line * 128), (uint8_t)(10 + 10 * line)));
    rig_close(&r);
}

/* A new line in a way has no states of the previous line. */
Test(line_states, cleared_by_an_eviction) {
    rig r;
    rig_init(&r);
    r.options.sectors = 4;
    open_states(&r);
    rig_load(&r, A);
    mark(&r, A, 10);
    rig_load(&r, B);
    mark(&r, B, 20);
    size_t slot = slot_of(&r, A);
    cr_expect_eq(rig_access(&r, LOAD_LINE(C)).evicted, 1);
    cr_expect_eq(slot_of(&r, C), slot);
    EXPECT_MARK(&r, C, 0);
    EXPECT_MARK(&r, B, 20);
    mark(&r, C, 30);
    rig_reserve(&r, LOAD_LINE(A), 15); /* in place of B */
    EXPECT_MARK(&r, A, 0);
    EXPECT_MARK(&r, C, 30);
    rig_close(&r);
}

/* Also in a cache with the quick path, in single accesses and batches. */
Test(line_states, cleared_where_a_cache_would_be_quick) {
    rig r;
    rig_init(&r);
    open_states(&r);
    rig_load(&r, A);
    rig_load(&r, B);
    mark(&r, A, 10);
    mark(&r, B, 20);
    rig_load(&r, C);
    EXPECT_MARK(&r, C, 0);
    EXPECT_MARK(&r, B, 20);
    mark(&r, C, 30);
    uint64_t addresses[] = {C, A};
    gpc_batch batch = GPC_BATCH_INIT;
    batch.addresses = addresses;
    batch.count = 2;
    cr_assert_eq(gpc_cache_access_many(r.cache, &batch, NULL), GPC_OK);
    EXPECT_MARK(&r, C, 30);
    EXPECT_MARK(&r, A, 0);
    rig_close(&r);
}

Test(line_states, cleared_by_an_invalidation) {
    rig r;
    rig_init(&r);
    r.options.sets = 4;
    r.options.ways = 4;
    r.options.sectors = 2;
    open_states(&r);
    for (unsigned how = 0; how < 4; how++) {
        for (uint64_t line = 0; line < 16; line++) {
            rig_load(&r, line * 128);
            EXPECT_MARK(&r, (unsigned)line * 128, 0);
            mark(&r, line * 128, 10);
        }
        size_t slot = slot_of(&r, 5 * 128), other = slot_of(&r, 6 * 128);
        if (how == 0)
            cr_assert_eq(gpc_cache_invalidate_line(r.cache, 5 * 128), GPC_OK);
        else if (how == 1)
            cr_assert_eq(gpc_cache_invalidate_range(r.cache, 5 * 128, 1), GPC_OK);
        else if (how == 2)
            cr_assert_eq(gpc_cache_invalidate_all(r.cache), GPC_OK);
        else
            rig_access(&r, ATOMIC(5 * 128, .size = 4)); /* performed below */
        cr_expect(!rig_holds(&r, 5 * 128) && is_marked(&r, slot, 0), "way %u to empty it", how);
        cr_expect(is_marked(&r, other, how == 2 ? 0 : 10), "its neighbour, by way %u", how);
        cr_assert_eq(gpc_cache_invalidate_all(r.cache), GPC_OK);
    }
    rig_close(&r);
}

/* On eviction the callback can still see the line's states. */
typedef struct witness {
    gpc_cache *cache;
    uint64_t directory;
    uint8_t state;
} witness;

static void look(void *data, const gpc_eviction *eviction, const gpc_request *request) {
    (void)request;
    witness *w = data;
    size_t slot = gpci_slot(w->cache, eviction->set, eviction->way);
    w->directory = *gpci_directory_of(w->cache, slot);
    w->state = gpci_sector_state(w->cache, slot, 1);
    *gpci_directory_of(w->cache, slot) = 77; /* without effect */
}

Test(line_states, seen_by_who_is_told_of_an_eviction) {
    rig r;
    rig_init(&r);
    witness seen = {0};
    r.options.sectors = 2;
    r.options.ways = 1;
    r.options.on_evict = look;
    r.options.callback_data = &seen;
    open_states(&r);
    seen.cache = r.cache;
    rig_load(&r, A);
    mark(&r, A, 10);
    rig_load(&r, B);
    cr_expect(seen.directory == ((uint64_t)10 << 40 | 10) && seen.state == 11);
    EXPECT_MARK(&r, B, 0);
    mark(&r, B, 20);
    cr_assert_eq(gpc_cache_invalidate_all(r.cache), GPC_OK);
    cr_expect(seen.directory == ((uint64_t)20 << 40 | 20) && seen.state == 21);
    rig_load(&r, C);
    EXPECT_MARK(&r, C, 0);
    rig_close(&r);
}
