/* SPDX-License-Identifier: BSD-2-Clause */
#include "effort.h"
#include "hierarchy/snapshot_rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Snapshots of hierarchies with a clock whose accesses carry values: what caches and memory hold, copies that are out
 * of date among them, is what loads and atomics find that come after.
 */

enum { LANES = 8, MOST = 24 };

static void note(snapshot_host *at, uint64_t value) {
    at->trail = (at->trail ^ value) * 0x100000001b3u + 1;
}

/* A load, store or atomic of some words of 8 KiB. What it finds goes to `out`. */
static gpc_status issue(snapshot_host *at, uint32_t *out) {
    static const gpc_kind kinds[] = {GPC_LOAD, GPC_LOAD, GPC_STORE, GPC_ATOMIC};
    uint64_t addresses[LANES];
    uint32_t values[LANES];
    gpc_warp_access w = GPC_WARP_ACCESS_INIT;
    const uint32_t from = snapshot_below(at, 2048 - LANES * 33), stride = snapshot_below(at, 3) ? 1 : 33;
    for (uint32_t i = 0; i < LANES; i++) {
        addresses[i] = (uint64_t)(from + i * stride) * 4;
        values[i] = snapshot_below(at, 1000000);
    }
    w.sm = snapshot_below(at, 4);
    w.kind = (uint8_t)kinds[snapshot_below(at, 4)];
    w.mask = (1u << LANES) - 1;
    w.addresses = addresses;
    w.width = 4;
    w.order = w.kind == GPC_ATOMIC ? GPC_ORDER_RELAXED : GPC_ORDER_WEAK;
    w.scope = w.kind == GPC_ATOMIC ? GPC_SCOPE_GPU : GPC_SCOPE_CTA;
    w.atomic = w.kind == GPC_ATOMIC ? GPC_OP_ADD : GPC_OP_NONE;
    w.bytes = w.kind == GPC_LOAD ? NULL : (const uint8_t *)values;
    w.out = w.kind == GPC_STORE ? NULL : (uint8_t *)out;
    return gpc_hierarchy_try_issue(at->hierarchy, &w, at->tokens++, NULL);
}

/* Accesses that overlap, until all are done; in between an acquire, and a snapshot, which is refused. */
static void burst(snapshot_host *at) {
    static const char part[] = "coherence.data";
    gpc_error error = GPC_ERROR_INIT;
    uint32_t out[MOST][LANES];
    memset(out, 0, sizeof out);
    for (uint32_t i = 0; i < MOST; i++) {
        const gpc_status status = issue(at, out[i]);
        cr_assert(status == GPC_OK || status == GPC_BUSY, "%d", status);
        note(at, (uint64_t)status);
        if (!snapshot_below(at, 8)) {
            gpc_fence fence = GPC_FENCE_INIT;
            gpc_busy busy;
            fence.sm = snapshot_below(at, 4);
            fence.order = GPC_ORDER_ACQ_REL;
            fence.scope = GPC_SCOPE_GPU;
            note(at, (uint64_t)gpc_hierarchy_try_fence(at->hierarchy, &fence, at->tokens++, &busy));
        }
        cr_assert_eq(gpc_hierarchy_advance(at->hierarchy, snapshot_below(at, 20)), GPC_OK);
    }
    if (gpc_hierarchy_in_flight(at->hierarchy)) {
        snapshot_bytes none = {NULL, 0, 0};
        cr_expect_eq(gpc_hierarchy_save_to(at->hierarchy, snapshot_write_bytes, &none, &error), GPC_ERROR_STATE);
        cr_expect(strstr(error.message, part), "'%s' says nothing of %s", error.message, part);
        free(none.data);
    }
    cr_assert_eq(gpc_hierarchy_drain(at->hierarchy, &error), GPC_OK, "%s", error.message);
    for (uint32_t i = 0; i < MOST; i++)
        for (uint32_t lane = 0; lane < LANES; lane++)
            note(at, out[i][lane]);
}

static void expect_bytes(const snapshot_host *at, const snapshot_bytes *file, const char *what) {
    snapshot_bytes again = snapshot_save(at);
    cr_expect(again.size == file->size && !memcmp(again.data, file->data, file->size), "%s: other bytes", what);
    free(again.data);
}

/* Another that has done the same, elsewhere in memory, has the same bytes: there are no addresses in them. */
static void check_twins(const char *settings) {
    gpc_error error = GPC_ERROR_INIT;
    snapshot_host a, b;
    cr_assert_eq(snapshot_make(settings, true, &a, &error), GPC_OK, "%s: %s", settings, error.message);
    cr_assert_eq(snapshot_make(settings, true, &b, &error), GPC_OK, "%s: %s", settings, error.message);
    for (unsigned i = 0; i < 3; i++)
        burst(&a), burst(&b);
    snapshot_bytes file = snapshot_save(&a);
    expect_bytes(&b, &file, settings);
    gpc_hierarchy_destroy(a.hierarchy);
    gpc_hierarchy_destroy(b.hierarchy);
    free(file.data);
}

/* After some bursts, and in the second round of a hierarchy that was itself loaded. */
static void check(const char *settings, uint64_t seed) {
    gpc_error error = GPC_ERROR_INIT;
    snapshot_host a;
    cr_assert_eq(gpc_context_create(NULL, &error, &snapshot_context), GPC_OK);
    cr_assert_eq(snapshot_make(settings, true, &a, &error), GPC_OK, "%s: %s", settings, error.message);
    a.random = seed;
    for (unsigned round = 0; round < 2; round++) {
        for (uint32_t i = 1 + snapshot_below(&a, 6); i; i--)
            burst(&a);
        snapshot_bytes file = snapshot_save(&a);
        snapshot_host b = snapshot_load(&a, &file);
        snapshot_attach(&b);
        expect_bytes(&b, &file, settings);
        for (unsigned i = 0; i < 5; i++)
            burst(&a), burst(&b);
        snapshot_expect_same(&a, &b, settings);
        gpc_hierarchy_destroy(a.hierarchy);
        a = b;
        snapshot_attach(&a);
        free(file.data);
    }
    check_twins(settings);
    gpc_hierarchy_destroy(a.hierarchy);
    gpc_context_destroy(snapshot_context);
}

#define TREE                                                                                                        \
    "coherence.data = true\nl1.sectors = 1\nl2.sectors = 1\nl1.write_policy = back\nl1.write_policy_local = back\n" \
    "l1.write_allocate = fetch\nl1.write_allocate_local = fetch\nl2.inclusion = inclusive\n"                        \
    "l2.interleave_bytes = 128\ncoherence = "
#define PLAIN                                                                                                       \
    "coherence.data = true\nl1.write_policy = through\nl1.write_policy_local = through\nl1.write_allocate = none\n" \
    "l1.write_allocate_local = none\ncoherence = "

Test(hierarchy_snapshots, values) {
    static const char *const settings[] = {
        PLAIN "none\n",
        PLAIN "viper\nkernels.flush = l1\n",
        PLAIN "none\nl2.partitions = 2\n",
        TREE "msi\n",
        TREE "nmoesi\n",
        TREE "vi\n",
        TREE "slc-glc\n",
        TREE "vi\nl2.partitions = 2\n",
        TREE "mesi\ncluster.sms = 2\n",
        TREE "moesi\ncoherence.directory_ways = 4\n",
    };
    const unsigned rounds = effort_is_small() ? 1 : 4;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        for (unsigned round = 0; round < rounds; round++)
            check(settings[i], 1000 * i + round);
}
