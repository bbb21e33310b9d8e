/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"

#include <criterion/criterion.h>
#include <gpucache/ext/hierarchy.h>
#include <gpucache/gpucache.h>
#include <stdio.h>
#include <string.h>

/* Kernels on coherent trees: instructions, requests, and equal results in every run. */

static const char *const kernels[] = {"synthetic:vectoradd:32K", "synthetic:transpose-naive:16K",
                                      "synthetic:warp-reuse:32K", "synthetic:histogram:16K"};
static const char *const protocols[] = {"nmoesi", "nmoesi-multi2sim", "msi", "vi"};

typedef struct outcome {
    measured_stats stats;
    measured_module tree; /* statistics of the L1s together */
    uint64_t loads[14];   /* of every L1 */
} outcome;

static void sum_l1s(gpc_hierarchy *hierarchy, measured_module *sum, uint64_t loads[14]) {
    gpc_coherence *tree = gpc_hierarchy_coherence(hierarchy);
    for (uint32_t sm = 0; tree && sm < 14; sm++) {
        measured_module s = {0};
        cr_assert_eq(measure_module(tree, sm, &s), GPC_OK);
        sum->loads += loads[sm] = s.loads;
        sum->load_hits += s.load_hits;
        sum->n_stores += s.n_stores;
        sum->stores += s.stores;
        sum->retries += s.retries;
    }
}

/* All kernels of a source on the preset kepler. */
static outcome run(const char *source, const char *settings) {
    outcome o = {0};
    gpc_context *context;
    gpc_config *config;
    gpc_replay *replay;
    gpc_trace *trace;
    gpc_error error = GPC_ERROR_INIT;
    measured_clear(&o.stats);
    cr_assert_eq(gpc_context_create(NULL, &context, &error), GPC_OK);
    cr_assert_eq(gpc_config_create(context, &config, &error), GPC_OK);
    cr_assert_eq(gpc_config_load_preset(config, "kepler", &error), GPC_OK);
    cr_assert_eq(gpc_config_load_text(config, settings, "settings", &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_replay_create(context, config, &replay, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_trace_open(context, source, &trace, &error), GPC_OK, "%s", error.message);
    gpc_status status;
    while ((status = gpc_replay_kernel(replay, trace, NULL, &error)) == GPC_OK)
        ;
    cr_assert_eq(status, GPC_END, "%s: %s: %s", source, settings, error.message);
    cr_assert_eq(measure_total(replay, &o.stats), GPC_OK);
    sum_l1s(gpc_replay_hierarchy(replay), &o.tree, o.loads);
    gpc_trace_close(trace);
    gpc_replay_destroy(replay);
    gpc_config_destroy(config);
    gpc_context_destroy(context);
    return o;
}

/*
 * A kernel's requests do not depend on the hierarchy; an access of the tree is a line not yet brought by a load in
 * flight.
 */
Test(coherent, same_kernel) {
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        outcome plain = run(kernels[k], "");
        for (size_t p = 0; p < sizeof protocols / sizeof *protocols; p++)
            for (unsigned timed = 0; timed < 2; timed++) {
                char text[128];
                snprintf(text, sizeof text, "coherence = %s\nmode = %s\n", protocols[p],
                         timed ? "timed" : "functional");
                outcome o = run(kernels[k], text), again = run(kernels[k], text);
                cr_expect_eq(memcmp(&o, &again, sizeof o), 0, "%s %s: another run", kernels[k], text);
                cr_expect_eq(o.stats.warp_instructions, plain.stats.warp_instructions, "%s %s", kernels[k], text);
                cr_expect_eq(o.stats.l1_load_lines, plain.stats.l1_load_lines, "%s %s", kernels[k], text);
                cr_expect_eq(o.stats.l1_load_sectors, plain.stats.l1_load_sectors, "%s %s", kernels[k], text);
                cr_expect_eq(o.stats.l1_store_sectors, plain.stats.l1_store_sectors, "%s %s", kernels[k], text);
                cr_expect_eq(o.stats.accepted, o.stats.completed, "%s %s", kernels[k], text);
                cr_expect_leq(o.tree.loads, o.stats.l1_load_lines, "%s %s", kernels[k], text);
                cr_expect(timed || o.tree.loads == o.stats.l1_load_lines, "%s %s", kernels[k], text);
                cr_expect_geq(o.stats.dram_read_sectors, plain.stats.dram_read_sectors, "%s %s", kernels[k], text);
            }
    }
}

/* Blocks on many SMs read the same matrix: requests conflict below, and all end, with every rule of giving way. */
Test(coherent, conflicts) {
    const char *source = "synthetic:matmul-tiled:16K";
    outcome waits = run(source, "coherence = nmoesi\nmode = timed\ncoherence.conflict = wait\n");
    outcome retries = run(source, "coherence = nmoesi\nmode = timed\ncoherence.conflict = retry\n");
    cr_expect_eq(waits.tree.retries, 0);
    cr_expect_gt(retries.tree.retries, 0);
    cr_expect_gt(waits.tree.n_stores, 0);
    cr_expect_eq(waits.tree.n_stores, retries.tree.n_stores);
}

/* L1s of a tree know the future like caches: with room for all lines in L2, the oracle hits equally often. */
Test(coherent, future) {
    static const char *const policies[] = {"opt", "opt(bypass=1)", "opt-bypass"};
    for (unsigned i = 0; i < sizeof policies / sizeof *policies; i++) {
        char text[256];
        int length = snprintf(text, sizeof text,
                              "l1.replacement = %s\nl1.future = true\nl1.write_policy = evict\nl2.size = 24MiB\n"
                              "l1.write_allocate = none\n",
                              policies[i]);
        const outcome caches = run("synthetic:bicg:16KiB", text);
        snprintf(text + length, sizeof text - (size_t)length, "coherence = mesi\n");
        const outcome tree = run("synthetic:bicg:16KiB", text);
        cr_expect_eq(tree.stats.l1_load_sector_hits, caches.stats.l1_load_sector_hits, "%s", policies[i]);
        cr_expect_gt(caches.stats.l1_load_sector_hits, 0);
    }
}

/* A CPU's cores are numbered like SMs, after the GPUs' SMs, and run no blocks. */
Test(coherent, cpus_run_no_blocks) {
    static const char *const modes[] = {"functional", "timed"};
    for (unsigned i = 0; i < 2; i++) {
        char settings[256];
        snprintf(settings, sizeof settings,
                 "mode = %s\ncoherence = nmoesi\ngpu.count = 2\ncpu.count = 1\nsm.count = 7\nl2.slices = 3\n"
                 "l2.size = 384KiB\ndram.channels = 3\n",
                 modes[i]);
        const outcome o = run("synthetic:vectoradd:32K", settings);
        for (uint32_t sm = 0; sm < 14; sm++)
            cr_expect_eq(o.loads[sm] > 0, sm < 7, "%s: %u loads of SM %u", modes[i], (unsigned)o.loads[sm], sm);
        cr_expect_eq(o.stats.blocks, run("synthetic:vectoradd:32K", "coherence = nmoesi\n").stats.blocks);
    }
}
