/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../bench/sync_kernels.h"

#include "effort.h"
#include "suited.h"

#include <criterion/criterion.h>
#include <stdio.h>

/*
 * Kernels like those of HeteroSync: results are right if SMs are kept coherent, in every scope, and wrong otherwise.
 * bench/README.md has the costs; here only the order of costs.
 */

typedef struct way {
    const char *coherence, *settings;
    bool coherent_stores, polls_by_load;
} way;

#define TREE                                                                                 \
    "l1.sectors = 1\nl2.sectors = 1\nl1.write_policy = back\nl1.write_policy_local = back\n" \
    "l1.write_allocate = fetch\nl1.write_allocate_local = fetch\n"
#define PLAIN                                                                                \
    "l1.write_policy = through\nl1.write_policy_local = through\nl1.write_allocate = none\n" \
    "l1.write_allocate_local = none\nl2.write_allocate = lazy\nkernels.flush = l1\n"
#define SECTORS PLAIN "l1.sectors = 4\nl2.sectors = 4\n"

/* Preset of the trees, with L1s of 2 KiB in which lines are evicted. */
static sync_result run(const way *w, sync_kernel kernel, gpc_scope scope) {
    gpc_context *context;
    gpc_config *config;
    gpc_hierarchy *h;
    gpc_error error = GPC_ERROR_INIT;
    char text[1024];
    sync_result result;
    const sync_setup setup = {.kernel = kernel,
                              .scope = scope,
                              .sms = 4,
                              .warps = 4,
                              .rounds = 3,
                              .lines = 2,
                              .coherent_stores = w->coherent_stores,
                              .polls_by_load = w->polls_by_load,
                              .most_cycles = 1000000};
    snprintf(text, sizeof text,
             "mode = timed\ncoherence = %s\ncoherence.data = true\nsm.count = 4\nl1.size = 2KiB\nl1.ways = 2\n%s",
             w->coherence, w->settings);
    cr_assert_eq(gpc_context_create(NULL, &context, &error), GPC_OK);
    cr_assert_eq(gpc_config_create(context, &config, &error), GPC_OK);
    cr_assert_eq(gpc_config_load_preset(config, "kepler", &error), GPC_OK);
    cr_assert_eq(gpc_config_load_text(config, text, "set", &error), GPC_OK, "%s", error.message);
    suit(context, config);
    cr_assert_eq(gpc_hierarchy_create(context, config, &h, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(sync_run(h, &setup, &result), GPC_OK, "%s %s", w->coherence, sync_names[kernel]);
    cr_assert(result.over && result.expected, "%s %s, scope %d: no end", w->coherence, sync_names[kernel], scope);
    gpc_hierarchy_destroy(h);
    gpc_config_destroy(config);
    gpc_context_destroy(context);
    return result;
}

static uint64_t bytes_of(const sync_result *r) {
    return r->stats.network_request_bytes + r->stats.network_reply_bytes;
}

Test(sync_kernels, right_where_coherent) {
    static const way ways[] = {
        {"vi", TREE, false, false},
        {"slc-glc", TREE, false, false},
        {"slc-glc", TREE "l1.atomics = cta\n", false, false},
        {"vi", TREE "l1.atomics = cta\ncluster.sms = 2\n", false, false},
        {"viper", SECTORS, false, false},
        {"viper", PLAIN, false, true},
        {"nmoesi", TREE, true, false},
        {"moesi", TREE, false, false},
        {"mesi", TREE, false, false},
        {"msi", TREE, false, false},
        {"mosi", TREE, false, true},
        {"vi", TREE, false, true},
        {"nmoesi", TREE, true, true},
        {"vi", TREE "cluster.sms = 2\n", false, false},
        {"nmoesi", TREE "cluster.sms = 2\n", true, false},
        {"hmg", TREE "cluster.sms = 2\n", false, false},
        {"nmoesi-d", TREE "l2.size = 48KiB\n", true, true},
        {"hmg", TREE "l2.slices = 8\nl2.partitions = 2\n", false, true},
        {"viper", SECTORS "l2.slices = 8\nl2.partitions = 2\nl1.write_policy = evict\n", false, false},
    };
    for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++)
        for (unsigned kernel = 0; kernel < SYNC_KERNELS; kernel++)
            for (unsigned scope = GPC_SCOPE_CTA; scope <= GPC_SCOPE_GPU; scope += GPC_SCOPE_GPU) {
                if (!effort_takes((i * SYNC_KERNELS + kernel) * 2 + scope / GPC_SCOPE_GPU))
                    continue;
                const sync_result r = run(&ways[i], (sync_kernel)kernel, (gpc_scope)scope);
                cr_expect_eq(r.wrong, 0, "%s, %s, scope %u: %u of %u wrong", ways[i].coherence, sync_names[kernel],
                             scope, (unsigned)r.wrong, (unsigned)r.expected);
            }
}

static void expect_wrong(const way *w, sync_kernel kernel) {
    cr_expect_gt(run(w, kernel, GPC_SCOPE_GPU).wrong, 0, "%s, %s", w->coherence, sync_names[kernel]);
    cr_expect_eq(run(w, kernel, GPC_SCOPE_CTA).wrong, 0, "%s, %s", w->coherence, sync_names[kernel]);
}

/* If fences leave L1s unchanged, or do not publish stores. A semaphore may then admit no warp. */
Test(sync_kernels, wrong_elsewhere) {
    static const way ways[] = {{"none", SECTORS, false, false}, {"nmoesi", TREE, false, false}};
    for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++)
        for (unsigned kernel = 0; kernel < SYNC_KERNELS; kernel++)
            if (kernel != SYNC_SEMAPHORE && effort_takes(i * SYNC_KERNELS + kernel))
                expect_wrong(&ways[i], (sync_kernel)kernel);
}

/*
 * Within an SM owners write locally, and others to L2. Among SMs every attempt at a lock takes the line from another L1
 * with owners: less often if waiters load the line.
 */
Test(sync_kernels, traffic) {
    static const way vi = {"vi", TREE, false, false}, viper = {"viper", SECTORS, false, false},
                     nmoesi = {"nmoesi", TREE, true, false}, loads = {"nmoesi", TREE, true, true};
    for (unsigned kernel = 0; kernel < SYNC_KERNELS && !effort_is_small(); kernel++) {
        const sync_kernel k = (sync_kernel)kernel;
        const sync_result a = run(&vi, k, GPC_SCOPE_CTA), b = run(&viper, k, GPC_SCOPE_CTA),
                          c = run(&nmoesi, k, GPC_SCOPE_CTA);
        cr_expect(bytes_of(&c) < bytes_of(&a) && bytes_of(&a) < bytes_of(&b), "%s, local: %u, %u, %u bytes",
                  sync_names[kernel], (unsigned)bytes_of(&a), (unsigned)bytes_of(&b), (unsigned)bytes_of(&c));
    }
    for (unsigned kernel = SYNC_MUTEX; kernel <= SYNC_SEMAPHORE && !effort_is_small(); kernel++) {
        const sync_kernel k = (sync_kernel)kernel;
        const sync_result a = run(&vi, k, GPC_SCOPE_GPU), b = run(&viper, k, GPC_SCOPE_GPU),
                          c = run(&nmoesi, k, GPC_SCOPE_GPU), d = run(&loads, k, GPC_SCOPE_GPU);
        cr_expect(bytes_of(&a) < bytes_of(&b) && bytes_of(&b) < bytes_of(&c), "%s, global: %u, %u, %u bytes",
                  sync_names[kernel], (unsigned)bytes_of(&a), (unsigned)bytes_of(&b), (unsigned)bytes_of(&c));
        cr_expect(d.cycles < c.cycles && bytes_of(&d) < bytes_of(&c), "%s", sync_names[kernel]);
    }
}
