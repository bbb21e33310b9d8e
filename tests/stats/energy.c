/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/observe/energy.h"
#include "measured.h"

#include <gpucache/ext/parts.h>
#include <gpucache/gpucache.h>

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Energies: counts times the keys energy.*; absent if either is absent. */

typedef struct machine {
    gpc_context *context;
    gpc_config *config;
    gpc_hierarchy *hierarchy;
    gpc_replay *replay;
} machine;

/* Without the preset's energies. */
static void configure(machine *m, const char *preset, const char *settings) {
    gpc_error error = GPC_ERROR_INIT;
    memset(m, 0, sizeof *m);
    cr_assert_eq(gpc_context_create(NULL, &m->context, &error), GPC_OK);
    cr_assert_eq(gpc_config_create(m->context, &m->config, &error), GPC_OK);
    cr_assert_eq(gpc_config_load_preset(m->config, preset, &error), GPC_OK, "%s", error.message);
    size_t count;
    for (const gpci_energy *e = gpci_energies(&count), *end = e + count; e < end; e++)
        cr_assert_eq(gpc_config_set(m->config, gpci_key_name(e->key), "none", &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_config_load_text(m->config, settings, "test", &error), GPC_OK, "%s", error.message);
}

static void open_hierarchy(machine *m, const char *preset, const char *settings) {
    gpc_error error = GPC_ERROR_INIT;
    configure(m, preset, settings);
    cr_assert_eq(gpc_hierarchy_create(m->context, m->config, &m->hierarchy, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_hierarchy_begin_kernel(m->hierarchy, NULL, &error), GPC_OK, "%s", error.message);
}

static void open_replay(machine *m, const char *preset, const char *settings) {
    gpc_error error = GPC_ERROR_INIT;
    configure(m, preset, settings);
    cr_assert_eq(gpc_replay_create(m->context, m->config, &m->replay, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_replay_keep_objects(m->replay, true, NULL), GPC_OK);
}

static void close_machine(machine *m) {
    gpc_replay_destroy(m->replay);
    gpc_hierarchy_destroy(m->hierarchy);
    gpc_config_destroy(m->config);
    gpc_context_destroy(m->context);
}

static measured_stats run(machine *m, const char *what) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_trace *trace;
    measured_stats stats;
    measured_clear(&stats);
    cr_assert_eq(gpc_trace_open(m->context, what, &trace, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(measure_kernel(m->replay, trace, NULL, &stats, &error), GPC_OK, "%s", error.message);
    gpc_trace_close(trace);
    return stats;
}

/* A whole line of 128 bytes, 4 bytes a lane. */
static void access_line(machine *m, uint32_t sm, gpc_kind kind, uint64_t line) {
    uint64_t addresses[32];
    for (unsigned lane = 0; lane < 32; lane++)
        addresses[lane] = line * 128 + lane * 4;
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    access.sm = sm;
    access.mask = 0xffffffff;
    access.addresses = addresses;
    access.width = 4;
    access.kind = (uint8_t)kind;
    cr_assert_eq(gpc_hierarchy_access(m->hierarchy, &access, NULL, NULL), GPC_OK);
}

static uint32_t id_of(const char *name) {
    gpc_counter_info info = GPC_COUNTER_INFO_INIT;
    cr_assert_eq(gpc_counter_by_name(GPC_TABLE_HIERARCHY, name, &info, NULL), GPC_OK, "%s", name);
    return info.id;
}

static uint64_t of_object(const machine *m, gpc_object kind, uint32_t index, const char *name) {
    uint32_t id = id_of(name);
    uint64_t value = 0;
    cr_assert_eq(m->replay ? gpc_replay_read(m->replay, kind, index, &id, 1, &value, 1, NULL)
                           : gpc_hierarchy_read(m->hierarchy, kind, index, &id, 1, &value, 1, NULL),
                 GPC_OK);
    return value;
}

#define CACHES                                                                              \
    "energy.l1_tag = 1.5\nenergy.l1_read = 10\nenergy.l1_write = 11\nenergy.l1_fill = 12\n" \
    "energy.l2_tag = 2\nenergy.l2_read = 20\nenergy.l2_write = 21\nenergy.l2_atomic = 22\n" \
    "energy.l2_fill = 23\nenergy.l2_remote = 24\nenergy.dram_read = 100.125\nenergy.dram_write = 7\n"
#define CLOCKED                                                                        \
    "energy.network_request = 0.5\nenergy.network_reply = 0.25\nenergy.link = 0.125\n" \
    "energy.dram_activate = 909.5\nenergy.dram_refresh = 5000\n"                       \
    "energy.warp_instruction = 30.3\nenergy.thread_instruction = 2.2\nenergy.static = 50.5\n"

/*
 * A load that misses, a hit, a store to the line, and on another SM a load that hits in L2: four lookups in L1 and
 * three in L2; four sectors found in L1, four stored there, eight filled; in L2 eight read, four written, four filled.
 */
Test(energy, by_hand) {
    machine m;
    measured_stats s;
    measured_clear(&s);
    open_hierarchy(&m, "qv100", "mode = functional\n" CACHES);
    access_line(&m, 0, GPC_LOAD, 5);
    access_line(&m, 0, GPC_LOAD, 5);
    access_line(&m, 0, GPC_STORE, 5);
    access_line(&m, 1, GPC_LOAD, 5);
    cr_assert_eq(measure_hierarchy(m.hierarchy, &s), GPC_OK);
    cr_expect_eq(s.l1_lookups, 4);
    cr_expect_eq(s.l2_lookups, 3);
    cr_expect_eq(s.energy_l1_tag, 6);
    cr_expect_eq(s.energy_l1_read, 40);
    cr_expect_eq(s.energy_l1_write, 44);
    cr_expect_eq(s.energy_l1_fill, 96);
    cr_expect_eq(s.energy_l2_tag, 6);
    cr_expect_eq(s.energy_l2_read, 160);
    cr_expect_eq(s.energy_l2_write, 84);
    cr_expect_eq(s.energy_l2_atomic, 0);
    cr_expect_eq(s.energy_l2_fill, 92);
    cr_expect_eq(s.energy_l2_remote, 0);
    cr_expect_eq(s.energy_dram_read, 400, "400.5, rounded down");
    cr_expect_eq(s.energy_dram_write, 0);
    cr_expect_eq(s.energy_dynamic, 6 + 40 + 44 + 96 + 6 + 160 + 84 + 92 + 400);
    cr_expect_eq(of_object(&m, GPC_OBJECT_SM, 0, "energy.l1_tag"), 4, "4.5");
    cr_expect_eq(of_object(&m, GPC_OBJECT_L1, 1, "energy.l1_tag"), 1, "1.5");
    cr_expect_eq(of_object(&m, GPC_OBJECT_L1, 1, "energy.l1_fill"), 48);
    close_machine(&m);
}

/* The atomic of a warp, and a line with home in the other partition. */
Test(energy, of_partitions) {
    machine m;
    measured_stats s;
    measured_clear(&s);
    open_hierarchy(&m, "h100", "mode = functional\nlaunch.sectors = 3\n" CACHES);
    for (uint64_t line = 0; line < 64; line++)
        access_line(&m, 0, GPC_LOAD, line);
    access_line(&m, 0, GPC_ATOMIC, 5);
    cr_assert_eq(measure_hierarchy(m.hierarchy, &s), GPC_OK);
    cr_expect_gt(s.l2_remote_sectors, 0);
    cr_expect_eq(s.energy_l2_remote, 24 * s.l2_remote_sectors);
    cr_expect_eq(s.energy_l2_atomic, 22 * 4);
    cr_expect_eq(s.dram_read_sectors, 3 + 64 * 4);
    cr_expect_eq(s.energy_l2_fill, 23 * 64 * 4, "what a launch reads fills nothing");
    cr_expect_eq(s.energy_dram_read, (uint64_t)((3 + 64 * 4) * 100.125));
    close_machine(&m);
}

static const char *const all[] = {
    "l1_tag",          "l1_read",       "l1_write",     "l1_fill",          "l2_tag",
    "l2_read",         "l2_write",      "l2_atomic",    "l2_fill",          "l2_remote",
    "network_request", "network_reply", "link",         "gpu_link",         "dram_read",
    "dram_write",      "dram_activate", "dram_refresh", "warp_instruction", "thread_instruction",
    "static",          "dynamic",       "total",
};

/* Exactly the measured energies of `there` in the whole. */
static void expect_there(const machine *m, const char *there) {
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char name[64], word[64];
        snprintf(name, sizeof name, "energy.%s", all[i]);
        snprintf(word, sizeof word, " %s ", all[i]);
        bool known = of_object(m, GPC_OBJECT_WHOLE, 0, name) != GPC_ABSENT;
        cr_expect_eq(known, strstr(there, word) != NULL, "%s", name);
    }
}

Test(energy, absent) {
    static const struct {
        const char *preset, *settings, *there;
    } cases[] = {
        {"qv100", "mode = timed\n", " "},
        {"qv100", "mode = timed\nenergy.static = 10\n", " static "},
        {"qv100", "mode = functional\nenergy.static = 10\n", " "},
        {"qv100", "mode = functional\nenergy.l1_read = 10\nenergy.network_reply = 1\n", " l1_read dynamic "},
        {"qv100", "mode = timed\nenergy.network_reply = 1\n", " network_reply dynamic "},
        {"qv100", "mode = timed\nenergy.link = 1\nenergy.gpu_link = 1\n", " "},
        {"h100", "mode = timed\nsm.count = 4\nenergy.link = 1\nenergy.static = 0\n", " link static dynamic total "},
        {"qv100", "mode = functional\nl2.enabled = false\nenergy.l2_fill = 3\nenergy.l1_fill = 0\n",
         " l1_fill dynamic "},
        {"qv100", "mode = functional\ncoherence = vi\nenergy.l1_tag = 3\nenergy.l2_tag = 2\nenergy.l2_read = 4\n",
         " l2_read dynamic "},
        {"qv100", "mode = functional\n" CACHES CLOCKED,
         " l1_tag l1_read l1_write l1_fill l2_tag l2_read l2_write l2_atomic l2_fill l2_remote dram_read dram_write "
         "warp_instruction thread_instruction dynamic "},
        {"h100", "mode = timed\nsm.count = 4\n" CACHES CLOCKED,
         " l1_tag l1_read l1_write l1_fill l2_tag l2_read l2_write l2_atomic l2_fill l2_remote network_request "
         "network_reply link dram_read dram_write dram_activate dram_refresh warp_instruction thread_instruction "
         "static dynamic total "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        machine m;
        open_replay(&m, cases[i].preset, cases[i].settings);
        run(&m, "synthetic:vectoradd:16KiB");
        expect_there(&m, cases[i].there);
        close_machine(&m);
    }
}

/* An SM of a host that issues has no instructions, and a slice no counts of L1. */
Test(energy, absent_of_objects) {
    machine m;
    open_hierarchy(&m, "qv100", "mode = functional\n" CACHES CLOCKED);
    access_line(&m, 0, GPC_LOAD, 5);
    cr_expect_eq(of_object(&m, GPC_OBJECT_SM, 0, "energy.warp_instruction"), GPC_ABSENT);
    cr_expect_eq(of_object(&m, GPC_OBJECT_WHOLE, 0, "energy.warp_instruction"), 30,
                 "30.3 of the load, which is all that the hierarchy knows of");
    cr_expect_eq(of_object(&m, GPC_OBJECT_SLICE, 0, "energy.l1_read"), GPC_ABSENT);
    cr_expect_eq(of_object(&m, GPC_OBJECT_SM, 0, "energy.dynamic"), GPC_ABSENT, "the whole's");
    cr_expect_eq(of_object(&m, GPC_OBJECT_SM, 0, "energy.l1_fill"), 48);
    close_machine(&m);
}

Test(energy, absent_of_dram_alone) {
    machine m;
    gpc_error error = GPC_ERROR_INIT;
    gpc_dram *dram;
    measured_stats stats;
    measured_clear(&stats);
    configure(&m, "qv100", CLOCKED);
    cr_assert_eq(gpc_dram_create(m.context, m.config, &dram, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(measure_dram(dram, &stats), GPC_OK);
    cr_expect_eq(stats.dram_activates, 0);
    cr_expect_eq(stats.energy_dram_activate, GPC_ABSENT);
    cr_expect_eq(stats.energy_dynamic, GPC_ABSENT);
    gpc_dram_destroy(dram);
    close_machine(&m);
}

/* With a clock, of two kernels: from the counters beside, for every kernel. */
Test(energy, of_kernels) {
    machine m;
    open_replay(&m, "h100", "mode = timed\nsm.count = 8\n" CACHES CLOCKED);
    measured_stats sum, total;
    measured_clear(&sum);
    measured_clear(&total);
    static const char *const kernels[] = {"synthetic:bicg:32KiB", "synthetic:histogram:32KiB"};
    for (unsigned i = 0; i < 2; i++) {
        measured_stats s = run(&m, kernels[i]);
        /* two moments rounded down: one less, or one more */
#define NEAR(a, exact) \
    cr_expect((double)(a) > (exact)-1 && (double)(a) < (exact) + 1, "%s: %g, not %g", #a, (double)(a), (double)(exact))
        NEAR(s.energy_static, (double)s.cycles * 50.5e6 / 1980);
        NEAR(s.energy_network_request, (double)s.network_request_bytes * 0.5);
        NEAR(s.energy_network_reply, (double)s.network_reply_bytes * 0.25);
        NEAR(s.energy_link, (double)s.link_bytes * 0.125);
        NEAR(s.energy_dram_activate, (double)s.dram_activates * 909.5);
        NEAR(s.energy_dram_refresh, (double)s.dram_refreshes * 5000);
        NEAR(s.energy_warp_instruction, (double)s.warp_instructions * 30.3);
        NEAR(s.energy_thread_instruction, (double)s.thread_instructions * 2.2);
#undef NEAR
        cr_expect_eq(s.energy_total, s.energy_dynamic + s.energy_static);
        measured_add(&sum, &s);
    }
    cr_assert_eq(measure_total(m.replay, &total), GPC_OK);
    gpc_counter_info info = GPC_COUNTER_INFO_INIT;
    unsigned seen = 0;
    for (size_t i = 0; gpc_counter_table_at(GPC_TABLE_HIERARCHY, i, &info, NULL) == GPC_OK; i++)
        if (!strncmp(info.name, "energy.", 7) && !info.ratio) {
            const uint64_t *a = (const void *)((const char *)&sum + measured_offset(info.id)),
                           *b = (const void *)((const char *)&total + measured_offset(info.id));
            cr_expect_eq(*a, *b, "%s", info.name);
            seen += *a && *a != GPC_ABSENT;
        }
    cr_expect_geq(seen, 19);
    close_machine(&m);
}

/* Energies of objects: their sum is the hierarchy's, minus losses by rounding down every object. */
Test(energy, of_objects) {
    machine m;
    open_replay(&m, "h100", "mode = timed\nsm.count = 8\n" CACHES CLOCKED);
    run(&m, "synthetic:bicg:32KiB");
    static const struct {
        gpc_object kind;
        const char *name;
    } parts[] = {{GPC_OBJECT_SM, "energy.l1_tag"},
                 {GPC_OBJECT_L1, "energy.l1_read"},
                 {GPC_OBJECT_L1, "energy.l1_fill"},
                 {GPC_OBJECT_SM, "energy.warp_instruction"},
                 {GPC_OBJECT_SM, "energy.thread_instruction"},
                 {GPC_OBJECT_SLICE, "energy.l2_tag"},
                 {GPC_OBJECT_SLICE, "energy.l2_read"},
                 {GPC_OBJECT_SLICE, "energy.l2_remote"},
                 {GPC_OBJECT_CHANNEL, "energy.dram_activate"},
                 {GPC_OBJECT_CHANNEL, "energy.dram_refresh"}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        uint32_t count = gpc_hierarchy_object_count(gpc_replay_hierarchy(m.replay), parts[i].kind);
        uint64_t whole = of_object(&m, GPC_OBJECT_WHOLE, 0, parts[i].name), sum = 0;
        for (uint32_t n = 0; n < count; n++)
            sum += of_object(&m, parts[i].kind, n, parts[i].name);
        cr_expect_gt(sum, 0, "%s", parts[i].name);
        cr_expect(sum <= whole && whole - sum < count, "%s: %llu of %llu", parts[i].name, (unsigned long long)sum,
                  (unsigned long long)whole);
    }
    close_machine(&m);
}

/* Ten minutes of 700 W, and a product beyond 64 bits of fJ. */
Test(energy, of_large_counters) {
    machine m;
    gpc_stats s;
    gpci_stats_init(&s);
    configure(&m, "h100", "energy.static = 700\nenergy.dram_read = 7821.5\n");
    s.cycles = 600ull * 1980000000 + 1;
    s.dram_read_sectors = 3000000000001;
    gpci_energy_of(m.config, 0, &s);
    cr_expect_eq(s.energy_static, 420000000000000000 + 353535);
    cr_expect_eq(s.energy_dram_read, 23464500000007821);
    cr_expect_eq(s.energy_total, s.energy_static + s.energy_dram_read);
    close_machine(&m);
}

Test(energy, ratios) {
    machine m;
    char json[1 << 16];
    open_replay(&m, "qv100", "mode = timed\nenergy.warp_instruction = 3\nenergy.static = 1.132\n");
    measured_stats s = run(&m, "synthetic:vectoradd:16KiB");
    cr_assert_eq(measured_json(&s, json, sizeof json, NULL), GPC_OK);
    cr_expect_not_null(strstr(json, "\"energy.dynamic_per_instruction\": 3.000000"));
    /* a core cycle of 1,132 MHz takes 1,000 pJ of 1.132 W */
    char expected[64];
    cr_expect_eq(s.energy_static, 1000 * s.cycles);
    snprintf(expected, sizeof expected, "\"energy.per_cycle\": %.6f",
             (double)(1000 * s.cycles + 3 * s.warp_instructions) / (double)s.cycles);
    cr_expect_not_null(strstr(json, expected), "%s", expected);
    close_machine(&m);
    open_replay(&m, "qv100", "mode = functional\nenergy.warp_instruction = 3\n");
    s = run(&m, "synthetic:vectoradd:16KiB");
    cr_assert_eq(measured_json(&s, json, sizeof json, NULL), GPC_OK);
    cr_expect_not_null(strstr(json, "\"energy.dynamic_per_instruction\": 3.000000"));
    cr_expect_null(strstr(json, "energy.per_"));
    close_machine(&m);
}
