/* SPDX-License-Identifier: BSD-2-Clause */
#include "../tests/measured.h"
#include "bench.h"
#include "sync_kernels.h"

#include <string.h>

/*
 * Kernels that synchronize (sync_kernels.h), in both scopes, under caches and protocols that keep SMs coherent:
 *
 *   bench-sync [PRESET SMS WARPS ROUNDS LINES [KERNEL [KEY=VALUE]...]]     kepler 14 4 8 4
 *
 * Printed for each: cycles, bytes on the networks between L1s and L2, share of loads' sectors present in L1, number of
 * waits found, and `wrong`, which must be 0. A kernel without an end has 0 cycles.
 */

typedef struct row {
    const char *name, *coherence, *settings;
    bool coherent_stores, polls_by_load;
} row;

/* Settings needed by trees, and by plain caches with values. */
#define TREE                                                                                 \
    "l1.sectors = 1\nl2.sectors = 1\nl1.write_policy = back\nl1.write_policy_local = back\n" \
    "l1.write_allocate = fetch\nl1.write_allocate_local = fetch\nl2.write_allocate = fetch\n"
#define PLAIN                                                                                \
    "l1.write_policy = through\nl1.write_policy_local = through\nl1.write_allocate = none\n" \
    "l1.write_allocate_local = none\nl2.write_allocate = lazy\nkernels.flush = l1\n"

static const row rows[] = {
    {"vi", "vi", TREE, false, false},
    {"slc-glc", "slc-glc", TREE, false, false},
    {"viper", "viper", PLAIN "l1.sectors = 4\nl2.sectors = 4\n", false, false},
    {"viper-lines", "viper", PLAIN "l1.sectors = 1\nl2.sectors = 1\n", false, false},
    {"nmoesi", "nmoesi", TREE, true, false},
    {"nmoesi-n-stores", "nmoesi", TREE, false, false},
    {"moesi", "moesi", TREE, false, false},
    {"mesi", "mesi", TREE, false, false},
    {"msi", "msi", TREE, false, false},
    {"vi-loads", "vi", TREE, false, true},
    {"viper-loads", "viper", PLAIN "l1.sectors = 4\nl2.sectors = 4\n", false, true},
    {"nmoesi-loads", "nmoesi", TREE, true, true},
};

typedef struct asked {
    const char *preset, *kernel; /* NULL: all */
    char **settings;             /* [count] */
    int count;
    sync_setup setup;
} asked;

static gpc_hierarchy *make(gpc_context *context, const asked *a, const row *r) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_config *config;
    gpc_hierarchy *h;
    char text[1024];
    snprintf(text, sizeof text, "mode = timed\ncoherence = %s\ncoherence.data = true\nsm.count = %u\n%s", r->coherence,
             a->setup.sms, r->settings);
    need(gpc_config_create(context, &config, &error), "configuration", &error);
    need(gpc_config_load_preset(config, a->preset, &error), a->preset, &error);
    need(gpc_config_load_text(config, text, r->name, &error), r->name, &error);
    for (int i = 0; i < a->count; i++)
        need(gpc_config_set_pair(config, a->settings[i], &error), a->settings[i], &error);
    need(gpc_hierarchy_create(context, config, &h, &error), r->name, &error);
    gpc_config_destroy(config);
    return h;
}

static void print(const char *what, const row *r, const char *figure_name, double value, const char *unit) {
    char name[128];
    snprintf(name, sizeof name, "%s.%s.%s", what, r->name, figure_name);
    figure(name, value, unit);
}

static void run_row(gpc_context *context, const asked *a, const row *r) {
    gpc_hierarchy *h = make(context, a, r);
    sync_setup setup = a->setup;
    sync_result result;
    const measured_stats *s = &result.stats;
    char what[64];
    setup.coherent_stores = r->coherent_stores;
    setup.polls_by_load = r->polls_by_load;
    need(sync_run(h, &setup, &result), r->name, NULL);
    snprintf(what, sizeof what, "%s.%s", sync_names[setup.kernel], setup.scope == GPC_SCOPE_CTA ? "local" : "global");
    print(what, r, "cycles", result.over ? (double)result.cycles : 0, "cycles");
    print(what, r, "network", (double)(s->network_request_bytes + s->network_reply_bytes), "bytes");
    print(what, r, "l1_hits", s->l1_load_sectors ? (double)s->l1_load_sector_hits / (double)s->l1_load_sectors : 0,
          "share");
    print(what, r, "waits", (double)result.attempts, "times");
    print(what, r, "wrong", (double)result.wrong, "words");
    gpc_hierarchy_destroy(h);
}

static uint32_t number_of(int argc, char **argv, int at, uint32_t otherwise) {
    return argc > at ? (uint32_t)strtoul(argv[at], NULL, 0) : otherwise;
}

int main(int argc, char **argv) {
    gpc_context *context;
    asked a = {.preset = argc > 1 ? argv[1] : "kepler",
               .kernel = argc > 6 ? argv[6] : NULL,
               .settings = argv + 7,
               .count = argc > 7 ? argc - 7 : 0,
               .setup = {.sms = number_of(argc, argv, 2, 14),
                         .warps = number_of(argc, argv, 3, 4),
                         .rounds = number_of(argc, argv, 4, 8),
                         .lines = number_of(argc, argv, 5, 4),
                         .most_cycles = 20000000}};
    need(gpc_context_create(NULL, &context, NULL), "context", NULL);
    for (int kernel = 0; kernel < SYNC_KERNELS; kernel++)
        for (int scope = GPC_SCOPE_CTA; scope <= GPC_SCOPE_GPU; scope += GPC_SCOPE_GPU)
            for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                a.setup.kernel = (sync_kernel)kernel;
                a.setup.scope = (gpc_scope)scope;
                if (!a.kernel || !strcmp(a.kernel, sync_names[kernel]))
                    run_row(context, &a, &rows[i]);
            }
    gpc_context_destroy(context);
    return 0;
}
