/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/map.h"

#include "base/array.h"
#include "base/rig.h"

#include <criterion/criterion.h>
#include <string.h>

/* The map compared with a linearly searched list. */
typedef struct model {
    uint64_t keys[2000], values[2000];
    uint32_t count;
} model;

static uint64_t *model_at(model *m, uint64_t key) {
    for (uint32_t i = 0; i < m->count; i++)
        if (m->keys[i] == key)
            return &m->values[i];
    return NULL;
}

static void expect_same(const gpci_map *map, const model *m) {
    cr_assert_eq(map->count, m->count);
    for (uint32_t i = 0; i < m->count; i++)
        cr_assert(map->entries[i].key == m->keys[i] && map->entries[i].value == m->values[i], "entry %u", i);
}

static void step(gpc_context *context, gpci_map *map, model *m, uint64_t key) {
    uint64_t *expected = model_at(m, key);
    const gpci_map_entry *found = gpci_map_find(map, key);
    cr_assert_eq(found != NULL, expected != NULL);
    cr_assert(!found || (found->key == key && found->value == *expected));
    gpci_map_entry *entry = gpci_map_at(context, map, key);
    cr_assert_eq(entry->key, key);
    entry->value += key + 1;
    if (expected) {
        *expected += key + 1;
    } else {
        m->keys[m->count] = key;
        m->values[m->count++] = key + 1;
    }
}

/* Keys that are near, far apart, multiples of large powers of two, and the extreme numbers. */
Test(map, as_the_model) {
    rig r;
    rig_open(&r);
    static model m;
    gpci_map map = {.entries = NULL};
    uint64_t state = 7;
    for (unsigned round = 0; round < 3; round++) {
        m.count = 0;
        for (unsigned i = 0; i < 4000; i++) {
            uint64_t number = gpci_random_below(&state, 400);
            uint64_t keys[] = {number, number << 40, ~number, gpci_mix(number)};
            step(r.context, &map, &m, keys[i % 4]);
        }
        expect_same(&map, &m);
        gpci_map_clear(&map);
        cr_assert_null(gpci_map_find(&map, m.keys[0]));
    }
    gpci_map_free(r.context, &map);
    cr_expect_null(gpci_map_find(&map, 0));
    rig_close(&r);
}

/* Every allocation fails in turn: existing entries are found as before. */
Test(map, out_of_memory) {
    rig r;
    rig_open(&r);
    gpci_map map = {.entries = NULL};
    unsigned failures = 0;
    for (uint64_t key = 0; key < 5000; key++)
        for (long fail_at = 1;; fail_at++) {
            r.heap.calls = 0;
            r.heap.fail_at = fail_at;
            gpci_map_entry *entry = gpci_map_at(r.context, &map, key * 977);
            r.heap.fail_at = 0;
            if (entry) {
                entry->value = key;
                break;
            }
            failures++;
            cr_assert_eq(map.count, key);
            for (uint64_t k = 0; k < key; k++)
                cr_assert_eq(gpci_map_find(&map, k * 977)->value, k);
            cr_assert_null(gpci_map_find(&map, key * 977));
        }
    cr_expect_gt(failures, 15);
    cr_expect_not(gpci_map_reserve(r.context, &map, GPCI_MOST_ENTRIES - map.count + 1));
    cr_expect_not(gpci_map_reserve(r.context, &map, SIZE_MAX));
    cr_expect_eq(map.count, 5000);
    gpci_map_free(r.context, &map);
    rig_close(&r);
}

/* With room reserved, adding takes no memory. */
Test(map, reserved) {
    rig r;
    rig_open(&r);
    gpci_map map = {.entries = NULL};
    cr_assert(gpci_map_reserve(r.context, &map, 1000));
    r.heap.calls = 0;
    for (uint64_t key = 0; key < 1000; key++)
        gpci_map_add(&map, key << 32, key);
    for (uint64_t key = 0; key < 1000; key++)
        cr_assert_eq(gpci_map_find(&map, key << 32)->value, key);
    cr_expect_eq(r.heap.calls, 0);
    gpci_map_free(r.context, &map);
    rig_close(&r);
}

/* Foreign entries with only two hashes: found by comparison. */
static bool same_word(const void *entries, uint32_t entry, const void *key) {
    return !strcmp(((const char *const *)entries)[entry], key);
}

static uint64_t one_of_two(const char *word) {
    return *word % 2 ? UINT64_MAX : 0;
}

static uint64_t hash_of_word(const void *entries, uint32_t entry) {
    return one_of_two(((const char *const *)entries)[entry]);
}

Test(map, entries_that_collide) {
    static char texts[500][8];
    static const char *words[500];
    rig r;
    rig_open(&r);
    gpci_slots slots = {NULL, 0};
    for (uint32_t i = 0; i < 500; i++) {
        texts[i][0] = (char)('a' + i % 26);
        texts[i][1] = (char)('a' + i / 26);
        words[i] = texts[i];
        cr_assert_eq(gpci_slots_find(&slots, words, one_of_two(texts[i]), texts[i], same_word), GPCI_NO_ENTRY);
        cr_assert(gpci_slots_reserve(r.context, &slots, words, i, 1, hash_of_word));
        gpci_slots_add(&slots, one_of_two(texts[i]), i);
    }
    for (uint32_t i = 0; i < 500; i++)
        cr_assert_eq(gpci_slots_find(&slots, words, one_of_two(texts[i]), texts[i], same_word), i);
    gpci_slots_clear(&slots);
    cr_expect_eq(gpci_slots_find(&slots, words, one_of_two(texts[0]), texts[0], same_word), GPCI_NO_ENTRY);
    gpci_slots_free(r.context, &slots);
    rig_close(&r);
}
