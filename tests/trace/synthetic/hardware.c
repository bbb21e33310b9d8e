/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compare with traces of the same kernels on an H100, and measured counters: ../shared/traces/h100, skipped if missing.
 */
#include "trace/synthetic/rig.h"

#include "effort.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER "../shared/traces/h100"

static const struct pair {
    const char *trace;
    unsigned launches;
    const char *synthetic;
    bool random;
} pairs[] = {
    {"vecadd", 1, "vectoradd:2MiB", false},
    {"relu", 1, "relu:2MiB", false},
    {"transpose_naive", 1, "transpose-naive:4MiB", false},
    {"transpose_tiled", 1, "transpose-tiled:4MiB", false},
    {"scalarprod", 1, "scalarprod:2MiB", false},
    {"histogram", 2, "histogram:2MiB", false},
    {"kmeans", 1, "kmeans:2MiB", false},
    {"kmeans_rowmajor", 1, "kmeans:2MiB:rowmajor=1", false},
    {"maxpool", 1, "maxpool:1MiB", false},
    {"meanpool", 1, "meanpool:4MiB", false},
    {"kronecker", 1, "kronecker:4MiB", false},
    {"zeropad", 1, "zeropad:2MiB", false},
    {"spatial_bitrev", 1, "spatial:2MiB", false},
    {"gather", 1, "gather:2MiB", true},
    {"warp_reuse", 1, "warp-reuse:2MiB:lines=8", false},
    {"warp_reuse_12_4sm", 1, "warp-reuse:384KiB:lines=12", false},
    {"warp_reuse_26_4sm", 1, "warp-reuse:832KiB:lines=26", false},
    {"warp_reuse_36_4sm", 1, "warp-reuse:1152KiB:lines=36", false},
    {"warp_reuse_48_4sm", 1, "warp-reuse:1536KiB:lines=48", false},
    {"private_reuse_32_4sm", 1, "private-reuse:1MiB:words=32,repeats=4", false},
    {"atax", 2, "atax:4MiB:columns=512", false},
};

/* A launch: traffic, and per warp a sum over accesses that covers everything but the place of arrays. */
typedef struct launch {
    gpc_kernel kernel;
    traffic traffic;
    uint64_t *warps;
} launch;

static uint64_t access_hash(const gpc_instruction *i) {
    uint64_t hash = gpci_mix(i->mask ^ (uint64_t)i->kind << 32 ^ i->addresses[0] % 512);
    for (unsigned k = 1; k < gpci_popcount(i->mask); k++)
        hash = gpci_mix(hash ^ (i->addresses[k] - i->addresses[0]));
    return hash;
}

/* Read the trace's next launch. Blocks are numbered consecutively if a trace holds only some SMs. */
static void read_launch(gpc_trace *trace, launch *l) {
    gpc_error error = GPC_ERROR_INIT;
    memset(l, 0, sizeof *l);
    l->kernel = (gpc_kernel)GPC_KERNEL_INIT;
    cr_assert_eq(gpc_trace_next_kernel(trace, &l->kernel, &error), GPC_OK, "%s", error.message);
    const gpc_kernel *k = &l->kernel;
    uint64_t per_block = ((uint64_t)k->block[0] * k->block[1] * k->block[2] + 31) / 32;
    l->warps = calloc(k->block_count * per_block, sizeof *l->warps);
    cr_assert(l->warps);
    const gpc_block *block;
    gpc_status status;
    while ((status = gpc_trace_next_block(trace, &block, &error)) == GPC_OK) {
        traffic_add(&l->traffic, block);
        for (uint32_t w = 0; w < block->warp_count; w++)
            for (uint64_t n = 0; n < block->warps[w].count; n++) {
                const gpc_instruction *i = &block->warps[w].instructions[n];
                if (i->op_class == GPC_OP_MEMORY && i->space == GPC_SPACE_GLOBAL && i->addresses)
                    l->warps[block->index * per_block + w] += access_hash(i);
            }
        gpc_trace_release_block(trace, block);
    }
    cr_assert_eq(status, GPC_END, "%s", error.message);
}

/* The whole of hardware.json, or NULL. */
static char *read_counters(void) {
    FILE *file = fopen(FOLDER "/hardware.json", "rb");
    if (!file)
        return NULL;
    char *text = calloc(1, 1 << 20);
    cr_assert(text);
    cr_assert_gt(fread(text, 1, (1 << 20) - 1, file), 0);
    fclose(file);
    return text;
}

/* A counter of a trace's entry; false if absent. */
static bool counter(const char *counters, const char *trace, const char *name, uint64_t *out) {
    char key[160];
    snprintf(key, sizeof key, "\"trace\": \"%s\"", trace);
    const char *entry = strstr(counters, key);
    cr_assert(entry, "hardware.json lacks %s", trace);
    const char *end = strstr(entry + 1, "\"trace\": ");
    snprintf(key, sizeof key, "\"%s\": ", name);
    const char *at = strstr(entry, key);
    if (!at || (end && at > end))
        return false;
    *out = strtoull(at + strlen(key), NULL, 10);
    return true;
}

static void compare_counters(const char *counters, const char *trace, const traffic *t, bool random) {
    const struct {
        const char *name;
        uint64_t value;
        double tolerance;
    } rows[] = {
        {"load_requests", t->loads, 0},
        {"load_sectors", t->load_sectors, random ? 0.001 : 0},
        {"store_requests", t->stores, 0},
        {"store_sectors", t->store_sectors, 0},
        {"warp_instructions", t->instructions, 0.11},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t measured;
        if (!counter(counters, trace, rows[i].name, &measured))
            continue;
        double off = (double)rows[i].value / (double)measured - 1;
        cr_assert(off <= rows[i].tolerance && -off <= rows[i].tolerance, "%s, %s: %lu, the GPU counted %lu", trace,
                  rows[i].name, (unsigned long)rows[i].value, (unsigned long)measured);
    }
}

static void compare(const launch *ours, const launch *theirs, const char *trace, bool random) {
    const traffic *a = &ours->traffic, *b = &theirs->traffic;
    for (unsigned d = 0; d < 3; d++) {
        cr_assert_eq(ours->kernel.grid[d], theirs->kernel.grid[d], "%s: grid %u", trace, d);
        cr_assert_eq(ours->kernel.block[d], theirs->kernel.block[d], "%s: block %u", trace, d);
    }
    cr_assert_eq(ours->kernel.shared_bytes, theirs->kernel.shared_bytes, "%s: shared memory", trace);
    cr_assert_eq(a->loads, b->loads, "%s: loads", trace);
    cr_assert_eq(a->stores, b->stores, "%s: stores", trace);
    cr_assert_eq(a->store_sectors, b->store_sectors, "%s: store sectors", trace);
    if (random)
        return;
    cr_assert_eq(a->load_sectors, b->load_sectors, "%s: load sectors", trace);
    cr_assert_eq(a->warps, b->warps);
    for (uint64_t w = 0; w < a->warps; w++)
        if (ours->warps[w] != theirs->warps[w])
            cr_assert_fail("%s: warp %lu makes other accesses", trace, (unsigned long)w);
}

static void check_pair(gpc_context *context, const char *counters, const struct pair *pair) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_trace *ours;
    char name[128];
    snprintf(name, sizeof name, "synthetic:%s", pair->synthetic);
    cr_assert_eq(gpc_trace_open(context, name, &ours, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_trace_kernel_count(ours), pair->launches);
    for (unsigned n = 1; n <= pair->launches; n++) {
        gpc_trace *theirs;
        launch a, b;
        snprintf(name, sizeof name, FOLDER "/%s/kernel-%u.traceg.xz", pair->trace, n);
        cr_assert_eq(gpc_trace_open(context, name, &theirs, &error), GPC_OK, "%s", error.message);
        read_launch(ours, &a);
        read_launch(theirs, &b);
        compare(&a, &b, name, pair->random);
        snprintf(name, sizeof name, "%s/kernel-%u.traceg.xz", pair->trace, n);
        compare_counters(counters, name, &a.traffic, pair->random);
        free(a.warps);
        free(b.warps);
        gpc_trace_close(theirs);
    }
    gpc_trace_close(ours);
}

/* Equal grids, blocks, shared memory, and accesses in every warp; instructions within 11 %. */
Test(synthetic_hardware, same_accesses_as_on_an_h100) {
    char *counters = read_counters();
    if (!counters)
        cr_skip_test("there is no " FOLDER);
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context;
    cr_assert_eq(gpc_context_create(NULL, &context, &error), GPC_OK);
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if (effort_takes(i))
            check_pair(context, counters, &pairs[i]);
    gpc_context_destroy(context);
    free(counters);
}
