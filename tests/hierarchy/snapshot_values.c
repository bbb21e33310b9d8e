/* SPDX-License-Identifier: BSD-2-Clause */
#include "effort.h"
#include "hierarchy/snapshot_rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Snapshots of hierarchies with a clock and values, at any cycle: contents of caches and memory, also outdated copies,
 * and data on the way, later found by loads and atomics.
 */

enum { LANES = 8, OUTS = 4096, UNTOUCHED = 0xee };

/* Values found by accesses, by token; tokens before `from` were issued to another hierarchy, from another memory. */
typedef struct values_host {
    snapshot_host at;
    uint64_t from;
    uint32_t out[OUTS][LANES];
} values_host;

static unsigned saved_in_flight, came_late;

static bool is_untouched(const uint32_t *out) {
    for (size_t i = 0; i < LANES * sizeof *out; i++)
        if (((const uint8_t *)out)[i] != UNTOUCHED)
            return false;
    return true;
}

static void on_complete(void *user_data, const gpc_completion *c) {
    values_host *host = user_data;
    const uint32_t *out = host->out[c->token % OUTS];
    snapshot_on_complete(&host->at, c);
    cr_expect_eq(c->values != NULL, c->value_bytes != 0);
    cr_expect(!c->values || (!c->fence && c->value_bytes == sizeof *host->out && c->kind != GPC_STORE));
    if (c->token < host->from || !c->values || c->token % 4 == 3) /* the last: without `out` */
        cr_expect(is_untouched(out), "token %llu", (unsigned long long)c->token);
    else
        cr_expect(!memcmp(out, c->values, c->value_bytes), "token %llu", (unsigned long long)c->token);
    came_late += c->token < host->from && c->values;
}

static void attach(values_host *host) {
    gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
    callbacks.user_data = host;
    callbacks.on_complete = on_complete;
    cr_assert_eq(gpc_hierarchy_set_callbacks(host->at.hierarchy, &callbacks, NULL), GPC_OK);
}

static values_host *make(const char *settings, uint64_t seed) {
    gpc_error error = GPC_ERROR_INIT;
    values_host *host = malloc(sizeof *host);
    cr_assert_not_null(host);
    cr_assert_eq(snapshot_make(settings, true, &host->at, &error), GPC_OK, "%s: %s", settings, error.message);
    memset(host->out, UNTOUCHED, sizeof host->out);
    host->at.random = seed;
    host->from = 0;
    attach(host);
    return host;
}

static void destroy(values_host *host) {
    gpc_hierarchy_destroy(host->at.hierarchy);
    free(host);
}

static void note(snapshot_host *at, uint64_t value) {
    at->trail = (at->trail ^ value) * 0x100000001b3u + 1;
}

/* A load, store or atomic of some words of 8 KiB, ordered if supported. */
static void issue(values_host *host) {
    static const gpc_kind kinds[] = {GPC_LOAD, GPC_LOAD, GPC_STORE, GPC_ATOMIC};
    snapshot_host *at = &host->at;
    gpc_error error = GPC_ERROR_INIT;
    uint64_t addresses[LANES];
    uint32_t values[LANES], compare[LANES];
    gpc_warp_access w = GPC_WARP_ACCESS_INIT;
    const uint32_t from = snapshot_below(at, 2048 - LANES * 33), stride = snapshot_below(at, 3) ? 1 : 33;
    for (uint32_t i = 0; i < LANES; i++) {
        addresses[i] = (uint64_t)(from + i * stride) * 4;
        values[i] = snapshot_below(at, 1000000);
        compare[i] = snapshot_below(at, 2) ? 0 : snapshot_below(at, 1000000);
    }
    w.sm = snapshot_below(at, 4);
    w.kind = (uint8_t)kinds[snapshot_below(at, 4)];
    w.mask = (1u << LANES) - 1;
    w.addresses = addresses;
    w.width = 4;
    if (w.kind == GPC_ATOMIC) {
        w.order = snapshot_below(at, 3) ? GPC_ORDER_RELAXED : GPC_ORDER_ACQ_REL;
        w.scope = GPC_SCOPE_GPU;
        w.atomic = snapshot_below(at, 3) ? GPC_OP_ADD : GPC_OP_COMPARE_SWAP;
        w.compare = w.atomic == GPC_OP_COMPARE_SWAP ? (const uint8_t *)compare : NULL;
    }
    w.bytes = w.kind == GPC_LOAD ? NULL : (const uint8_t *)values;
    w.out = w.kind == GPC_STORE || at->tokens % 4 == 3 ? NULL : (uint8_t *)host->out[at->tokens % OUTS];
    gpc_busy busy = GPC_BUSY_NOT;
    gpc_status status = gpc_hierarchy_try_issue(at->hierarchy, &w, at->tokens, &busy, NULL);
    if (status == GPC_ERROR_ARGUMENT) {
        w.order = GPC_ORDER_RELAXED;
        status = gpc_hierarchy_try_issue(at->hierarchy, &w, at->tokens, &busy, &error);
    }
    cr_assert(status == GPC_OK || status == GPC_BUSY, "%s", error.message);
    at->tokens += status == GPC_OK;
    note(at, (uint64_t)status);
}

/* Overlapping accesses, and sometimes a fence. */
static void drive(values_host *host, uint32_t steps) {
    snapshot_host *at = &host->at;
    for (uint32_t i = 0; i < steps; i++) {
        issue(host);
        if (!snapshot_below(at, 12)) {
            gpc_fence fence = GPC_FENCE_INIT;
            gpc_busy busy;
            fence.sm = snapshot_below(at, 4);
            fence.order = GPC_ORDER_ACQ_REL;
            fence.scope = GPC_SCOPE_GPU;
            const gpc_status status = gpc_hierarchy_try_fence(at->hierarchy, &fence, at->tokens, &busy, NULL);
            at->tokens += status == GPC_OK;
            note(at, (uint64_t)status);
        }
        cr_assert_eq(gpc_hierarchy_advance(at->hierarchy, snapshot_below(at, 20), NULL), GPC_OK);
        cr_assert_lt(at->tokens, OUTS);
    }
}

static snapshot_bytes save(const values_host *host) {
    saved_in_flight += gpc_hierarchy_in_flight(host->at.hierarchy) > 2;
    return snapshot_save(&host->at);
}

static void expect_bytes(const values_host *host, const snapshot_bytes *file, const char *what) {
    snapshot_bytes again = save(host);
    cr_expect(again.size == file->size && !memcmp(again.data, file->data, file->size), "%s: other bytes", what);
    free(again.data);
}

/* Continue from a file, in separate memory. */
static values_host *load(const values_host *from, snapshot_bytes *file) {
    values_host *host = malloc(sizeof *host);
    cr_assert_not_null(host);
    host->at = snapshot_load(&from->at, file);
    host->from = host->at.tokens;
    memset(host->out, UNTOUCHED, sizeof host->out);
    attach(host);
    return host;
}

/* A twin with equal history, elsewhere in memory, has equal bytes: there are no addresses in them. */
static void check_twins(const char *settings) {
    values_host *a = make(settings, 5), *b = make(settings, 5);
    drive(a, 60), drive(b, 60);
    snapshot_bytes file = save(a);
    expect_bytes(b, &file, settings);
    destroy(a), destroy(b);
    free(file.data);
}

/* At any cycle; and again in a hierarchy loaded before. Saving does not change the saved hierarchy. */
static void check(const char *settings, uint64_t seed) {
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_context_create(NULL, &snapshot_context, &error), GPC_OK);
    values_host *a = make(settings, seed), *unsaved = make(settings, seed);
    for (unsigned round = 0; round < 3; round++) {
        const uint32_t steps = 1 + snapshot_below(&a->at, 90);
        cr_assert_eq(steps, 1 + snapshot_below(&unsaved->at, 90));
        drive(a, steps), drive(unsaved, steps);
        snapshot_bytes file = save(a);
        values_host *b = load(a, &file);
        expect_bytes(b, &file, settings);
        expect_bytes(a, &file, settings);
        for (unsigned i = 0; i < 3; i++)
            snapshot_check_damaged(&unsaved->at, &file);
        unsaved->at.random = a->at.random;
        drive(a, 100), drive(b, 100), drive(unsaved, 100);
        snapshot_expect_same(&a->at, &b->at, settings);
        snapshot_expect_same(&a->at, &unsaved->at, settings);
        destroy(a);
        a = b;
        free(file.data);
    }
    snapshot_finish(&a->at), snapshot_finish(&unsaved->at);
    snapshot_expect_same(&a->at, &unsaved->at, settings);
    check_twins(settings);
    destroy(a), destroy(unsaved);
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
        PLAIN "viper\nkernels.flush = l1\nl2.atomic_cycles = 4\nl1.reorder = warp\n",
        TREE "msi\n",
        TREE "nmoesi\n",
        TREE "vi\n",
        TREE "slc-glc\n",
        TREE "vi\nl2.partitions = 2\n",
        TREE "mesi\ncluster.sms = 2\n",
        TREE "moesi\ncoherence.directory_ways = 4\n",
        TREE "nmoesi\nl2.mshr_entries = 2\ncoherence.conflict = wait\n",
    };
    const unsigned rounds = effort_is_small() ? 1 : 4, count = sizeof settings / sizeof *settings;
    for (size_t i = 0; i < count; i++)
        for (unsigned round = 0; round < rounds; round++)
            check(settings[i], 1000 * i + round);
    cr_expect_gt(saved_in_flight, 5 * count * rounds, "%u", saved_in_flight);
    cr_expect_gt(came_late, 2 * count * rounds, "%u", came_late);
}
