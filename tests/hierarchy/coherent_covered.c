/* SPDX-License-Identifier: BSD-2-Clause */
#include "hierarchy/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>

/*
 * L2 reads no sector completely written by a store, as a cache or as a module of a tree; a partially written sector, or
 * one changed by an atomic, is read. So a tree and caches have equal memory reads, access by access.
 */

#define SETTINGS                                                                                                  \
    "sm.count = 2\nl1.sectors = 4\nl2.sectors = 4\nl2.write_allocate = fetch\nl2.size = 64KiB\nl1.write_allocate" \
    " = none\nl1.write_allocate_local = none\nl1.write_policy_local = through\nl2.inclusion = inclusive\n"        \
    "l2.interleave_bytes = 128\n"

static uint64_t read_by(rig *r, bool timed, const gpc_warp_access *access) {
    if (timed) {
        cr_assert_eq(gpc_hierarchy_try_issue(r->hierarchy, access, 0, NULL, NULL), GPC_OK);
        cr_assert_eq(gpc_hierarchy_drain(r->hierarchy, NULL), GPC_OK);
    } else {
        cr_assert_eq(gpc_hierarchy_access(r->hierarchy, access, NULL, NULL), GPC_OK);
    }
    return rig_stats(r).dram_read_sectors;
}

/* Loads, reductions of whole sectors, and stores of whole sectors, of only the first and last words, and of one. */
static void cover_as_in_caches(const char *protocol, const char *settings, bool timed, bool data) {
    static const uint32_t lanes[] = {255, 255, 129, 4};
    char text[1024];
    rig tree, caches;
    const int length = snprintf(text, sizeof text, SETTINGS "mode = %s\n%s", timed ? "timed" : "functional", settings);
    rig_open(&caches, text);
    snprintf(text + length, sizeof text - (size_t)length, "coherence = %s\ncoherence.data = %s\n", protocol,
             data ? "true" : "false");
    rig_open(&tree, text);
    uint64_t state = 9, before = 0;
    uint32_t whole = 0, parts = 0;
    for (unsigned n = 0; n < (timed ? 500 : 2000); n++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        uint64_t addresses[8];
        const uint64_t draw = state >> 24, sector = 128 * (draw % 211) + (draw >> 10) % 4 * 32;
        const bool store = draw >> 38 & 1;
        gpc_warp_access access = GPC_WARP_ACCESS_INIT;
        access.mask = store ? lanes[draw >> 36 & 3] : 255;
        access.kind = store ? GPC_STORE : draw >> 35 & 1 ? GPC_LOAD : GPC_REDUCTION;
        access.width = 4;
        access.sm = draw >> 34 & 1;
        access.addresses = addresses;
        for (unsigned lane = 0; lane < 8; lane++)
            addresses[lane] = sector + 4 * lane;
        const uint64_t one = read_by(&tree, timed, &access), other = read_by(&caches, timed, &access);
        cr_assert_eq(one, other, "%s, %s, %s: access %u, kind %u, lanes %x: DRAM reads %llu, %llu", protocol, settings,
                     timed ? "timed" : "functional", n, access.kind, (unsigned)access.mask, (unsigned long long)one,
                     (unsigned long long)other);
        whole += store && access.mask == 255 && one == before;
        parts += store && access.mask != 255 && one > before;
        before = one;
    }
    cr_expect(whole > 100 && parts > 30, "%s, %s: %u, %u", protocol, settings, whole, parts);
    rig_close(&tree);
    rig_close(&caches);
}

Test(coherent_covered, reads_as_caches) {
    static const char *const rows[][2] = {
        {"vi", "l1.write_policy = through\n"},
        {"vi", "l1.write_policy = evict\n"},
        {"nmoesi", "l1.write_policy = evict\n"},
        {"vi", "l1.write_policy = through\nl2.slices = 4\nl2.partitions = 2\nl2.inclusion = non-inclusive\n"},
    };
    for (unsigned i = 0; i < 2 * sizeof rows / sizeof *rows; i++)
        cover_as_in_caches(rows[i / 2][0], rows[i / 2][1], i % 2, false);
    cover_as_in_caches("vi", rows[0][1], true, true);
}
