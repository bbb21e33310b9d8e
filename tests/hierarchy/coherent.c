/* SPDX-License-Identifier: BSD-2-Clause */
#include "hierarchy/coherent.h"

#include "effort.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Functional hierarchies on a tree of coherent modules. Figures by hand: lines of 128 bytes are four sectors. */

static measured_module of(const rig *r, const char *name) {
    gpc_coherence *tree = gpc_hierarchy_coherence(r->hierarchy);
    measured_module stats = {0};
    uint32_t module = gpc_coherence_module_index(tree, name);
    cr_assert_neq(module, GPC_NO_MODULE, "no module %s", name);
    cr_assert_eq(measure_module(tree, module, &stats), GPC_OK);
    return stats;
}

static gpc_coherence_state state_of(const rig *r, const char *name, uint64_t address) {
    gpc_coherence *tree = gpc_hierarchy_coherence(r->hierarchy);
    uint32_t module = gpc_coherence_module_index(tree, name), set, way;
    gpc_coherence_block block = GPC_COHERENCE_BLOCK_INIT;
    if (gpc_coherence_find(tree, module, address, &set, &way, NULL) != GPC_OK)
        return GPC_LINE_I;
    cr_assert_eq(gpc_coherence_get_block(tree, module, set, way, &block, NULL), GPC_OK);
    return (gpc_coherence_state)block.state;
}

/* Without the key there is no tree, and with it there are no caches. */
Test(coherent, tree_or_caches) {
    rig r;
    rig_open(&r, NULL);
    cr_expect_null(gpc_hierarchy_coherence(r.hierarchy));
    cr_expect_null(gpc_hierarchy_coherence(NULL));
    cr_expect_not_null(gpc_hierarchy_cache(r.hierarchy, 1, 0));
    rig_close(&r);
    open_tree(&r, "nmoesi", "");
    cr_expect_not_null(gpc_hierarchy_coherence(r.hierarchy));
    cr_expect_null(gpc_hierarchy_cache(r.hierarchy, 1, 0));
    cr_expect_null(gpc_hierarchy_cache(r.hierarchy, 2, 0));
    rig_close(&r);
}

/* L1s, clusters, slices, memories, by name. */
Test(coherent, modules) {
    rig r;
    open_tree(&r, "nmoesi", "sm.count = 5\ncluster.sms = 2\nl2.slices = 2\n");
    static const char *const names[] = {"l1-0",      "l1-1",      "l1-2", "l1-3", "l1-4",     "cluster-0",
                                        "cluster-1", "cluster-2", "l2-0", "l2-1", "memory-0", "memory-1"};
    const gpc_coherence *tree = gpc_hierarchy_coherence(r.hierarchy);
    for (uint32_t i = 0; i < 12; i++)
        cr_expect_eq(gpc_coherence_module_index(tree, names[i]), i, "%s", names[i]);
    gpc_coherence_module m = GPC_COHERENCE_MODULE_INIT;
    cr_assert_eq(gpc_coherence_get_module(tree, 12, &m, NULL), GPC_ERROR_RANGE);
    cr_assert_eq(gpc_coherence_get_module(tree, 4, &m, NULL), GPC_OK);
    cr_expect(m.low_count == 1 && m.low[0] == 7, "l1-4 is above cluster-2");
    cr_expect(m.sets == 4 && m.ways == 2 && m.block_bytes == 128);
    cr_assert_eq(gpc_coherence_get_module(tree, 9, &m, NULL), GPC_OK);
    cr_expect(m.sets == 8 && m.ways == 4 && m.modulus == 2 && m.residue == 1 && m.divisor == 128);
    rig_close(&r);
}

/* Counters of a hierarchy for loads that hit in L1, hit in L2, and miss. */
Test(coherent, loads) {
    rig r;
    open_tree(&r, "vi", "");
    gpc_warp_result first = rig_load(&r, 0), again = rig_load(&r, 0);
    cr_expect(first.lines == 1 && first.sectors == 4 && first.l1_sector_hits == 0);
    cr_expect(first.l2_sectors == 4 && first.l2_sector_hits == 0 && first.dram_sectors == 4);
    cr_expect(again.l1_sector_hits == 4 && again.l2_sectors == 0 && again.dram_sectors == 0);
    gpc_warp_result other = rig_fire(&r, LINE_BY(GPC_LOAD, 0, .sm = 1));
    cr_expect(other.l1_sector_hits == 0 && other.l2_sector_hits == 4 && other.dram_sectors == 0);
    measured_stats s = rig_stats(&r);
    cr_expect(s.l1_load_requests == 3 && s.l1_load_lines == 3 && s.l1_load_sectors == 12);
    cr_expect(s.l1_load_sector_hits == 4 && s.l1_fetched_sectors == 8);
    cr_expect(s.l2_read_sectors == 8 && s.l2_read_sector_hits == 4);
    cr_expect(s.dram_read_sectors == 4 && s.dram_write_sectors == 0);
    rig_close(&r);
}

/* Stores are non-coherent, atomics coherent. */
Test(coherent, kinds) {
    rig r;
    open_tree(&r, "nmoesi", "");
    rig_store(&r, 0);
    cr_expect_eq(state_of(&r, "l1-0", 0), GPC_LINE_N);
    rig_fire(&r, LINE(GPC_ATOMIC, 128));
    rig_fire(&r, LINE(GPC_REDUCTION, 256));
    rig_fire(&r, LINE(GPC_PREFETCH, 384));
    cr_expect_eq(state_of(&r, "l1-0", 128), GPC_LINE_M);
    cr_expect_eq(state_of(&r, "l1-0", 256), GPC_LINE_M);
    cr_expect_eq(state_of(&r, "l1-0", 384), GPC_LINE_E);
    measured_module l1 = of(&r, "l1-0");
    cr_expect(l1.n_stores == 1 && l1.stores == 2 && l1.loads == 1);
    rig_close(&r);
}

/* CG bypasses L1, CV also L2; other hints have no effect. */
Test(coherent, hints) {
    for (uint8_t hint = 0; hint < GPC_HINT_COUNT; hint++) {
        rig r;
        open_tree(&r, "slc-glc", "");
        bool past_l1 = hint == GPC_HINT_CG || hint == GPC_HINT_CV || hint == GPC_HINT_WT;
        rig_fire(&r, LINE_BY(GPC_LOAD, 0, .hint = hint));
        cr_expect_eq(state_of(&r, "l1-0", 0) == GPC_LINE_I, past_l1, "hint %u", hint);
        cr_expect_eq(state_of(&r, "l2-0", 0) == GPC_LINE_I, past_l1 && hint != GPC_HINT_CG, "hint %u", hint);
        rig_close(&r);
    }
}

/* A third line of a set evicts the first, with modified data to L2. */
Test(coherent, write_backs) {
    rig r;
    open_tree(&r, "nmoesi", "");
    rig_store(&r, 0);
    rig_load(&r, 512);
    rig_load(&r, 1024);
    measured_stats s = rig_stats(&r);
    cr_expect_eq(s.l1_evictions, 1);
    cr_expect_eq(s.l1_write_back_sectors, 4);
    cr_expect_eq(s.l2_write_sectors, 4);
    cr_expect_eq(s.l2_write_back_sectors, 0);
    rig_flush(&r);
    s = rig_stats(&r);
    cr_expect_eq(s.l2_write_back_sectors, 4);
    cr_expect_eq(s.dram_write_sectors, 4);
    cr_expect_eq(rig_load(&r, 512).dram_sectors, 4);
    rig_close(&r);
}

/* `kernels.flush` decides the state at a kernel's begin: everything, only L2, or empty. */
Test(coherent, flush_between_kernels) {
    static const char *const words[] = {"none", "l1", "all"};
    for (unsigned i = 0; i < 3; i++) {
        rig r;
        char text[64];
        snprintf(text, sizeof text, "kernels.flush = %s\n", words[i]);
        open_tree(&r, "nmoesi", text);
        rig_begin(&r, NULL);
        rig_store(&r, 0);
        rig_begin(&r, NULL);
        measured_stats s = rig_stats(&r);
        cr_expect_eq(s.l1_write_back_sectors, i ? 4 : 0, "%s", words[i]);
        cr_expect_eq(s.dram_write_sectors, i == 2 ? 4 : 0, "%s", words[i]);
        gpc_warp_result load = rig_load(&r, 0);
        cr_expect_eq(load.l1_sector_hits, i ? 0 : 4, "%s", words[i]);
        cr_expect_eq(load.dram_sectors, i == 2 ? 4 : 0, "%s", words[i]);
        rig_close(&r);
    }
}

/* A kernel's begin is an acquire: without a directory, L1s hold no data that another SM may have changed. */
Test(coherent, acquire) {
    rig r;
    open_tree(&r, "vi", "");
    rig_begin(&r, NULL);
    rig_load(&r, 0);
    rig_begin(&r, NULL);
    gpc_warp_result load = rig_load(&r, 0);
    cr_expect(load.l1_sector_hits == 0 && load.l2_sector_hits == 4);
    rig_close(&r);
}

/* Shared memory takes a part of a unified memory: L1s are replaced, and statistics continue. */
Test(coherent, carveout) {
    rig r;
    open_tree(&r, "nmoesi",
              "l1.unified = true\nl1.size = 64KiB\nl1.carveouts = 0 32KiB\nl1.carveout = auto\n"
              "sm.shared = 32KiB\n");
    gpc_launch launch = GPC_LAUNCH_INIT;
    launch.threads = 32;
    rig_begin(&r, &launch);
    cr_expect_eq(rig_stats(&r).l1_capacity, 64 << 10);
    rig_load(&r, 0);
    launch.shared_bytes = 16 << 10;
    rig_begin(&r, &launch);
    cr_expect_eq(rig_stats(&r).l1_capacity, 32 << 10);
    gpc_coherence_module m = GPC_COHERENCE_MODULE_INIT;
    cr_assert_eq(gpc_coherence_get_module(gpc_hierarchy_coherence(r.hierarchy), 0, &m, NULL), GPC_OK);
    cr_expect_eq(m.sets * m.ways * m.block_bytes, 32 << 10);
    cr_expect_eq(of(&r, "l1-0").loads, 1);
    cr_expect_eq(rig_load(&r, 0).dram_sectors, 4);
    cr_expect_eq(of(&r, "l1-0").loads, 2);
    gpc_hierarchy_reset_stats(r.hierarchy);
    cr_expect_eq(of(&r, "l1-0").loads, 0);
    rig_close(&r);
}

/* Every line transaction is one access of the tree, with no others. */
Test(coherent, as_the_tree_itself) {
    rig r, direct;
    open_tree(&r, "nmoesi-multi2sim", "");
    open_tree(&direct, "nmoesi-multi2sim", "");
    gpc_coherence *trees[] = {gpc_hierarchy_coherence(r.hierarchy), gpc_hierarchy_coherence(direct.hierarchy)};
    uint64_t state = 5;
    for (unsigned i = 0; i < 3000; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        uint64_t address = (state >> 40) % 16384 & ~(uint64_t)127;
        uint32_t sm = state >> 33 & 1, kind = (state >> 34) % 3;
        static const uint8_t kinds[] = {GPC_LOAD, GPC_STORE, GPC_ATOMIC};
        static const uint32_t meant[] = {GPC_COHERENCE_LOAD, GPC_COHERENCE_N_STORE, GPC_COHERENCE_STORE};
        rig_fire(&r, LINE_BY(kinds[kind], address, .sm = sm));
        gpc_coherence_request request = GPC_COHERENCE_REQUEST_INIT;
        request.module = sm;
        request.address = address;
        request.size = 128;
        request.kind = meant[kind];
        cr_assert_eq(gpc_coherence_access(trees[1], &request, NULL, NULL), GPC_OK);
    }
    for (uint32_t module = 0; module < 4; module++) {
        measured_module stats[2];
        for (unsigned i = 0; i < 2; i++)
            cr_assert_eq(measure_module(trees[i], module, &stats[i]), GPC_OK);
        cr_expect_eq(memcmp(&stats[0], &stats[1], sizeof *stats), 0, "module %u", module);
    }
    rig_close(&r);
    rig_close(&direct);
}

/* Keys without a meaning in a tree are refused. */
Test(coherent, refusals) {
    static const char *const settings[] = {
        "l1.enabled = false",
        "l1.allocate = on-fill\nmode = timed\ncoherence.conflict = retry",
        "l1.allocate = streaming\nmode = timed\nl1.sectors = 4\nl1.fetch_sectors = 2\nl2.sectors = 4",
        "lrc.sms = 2\ncluster.sms = 1",
        "l2.write_policy = through",
        "l2.write_allocate = none",
        "l2.inclusion = inclusive\nl2.bypass = always-bypass",
        "l1.write_allocate = lazy",
        "network.header = 0"};
    for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++) {
        gpc_error error = GPC_ERROR_INIT;
        char text[1024], key[40];
        snprintf(text, sizeof text, COHERENT "l2.slices = 2\ncoherence = nmoesi\n%s\n", settings[i]);
        snprintf(key, sizeof key, "%.*s", (int)strcspn(settings[i], " "), settings[i]);
        cr_expect_eq(rig_refused(text, &error), GPC_ERROR_RANGE, "%s", settings[i]);
        cr_expect(strstr(error.message, key), "%s: %s", settings[i], error.message);
        cr_expect(strstr(error.message, "coherence = nmoesi"), "%s: %s", settings[i], error.message);
    }
    gpc_error error = GPC_ERROR_INIT;
    rig_refused(COHERENT "coherence = nmoesi\nl2.slices = 2\nl2.partitions = 2\nl2.ways = 1\ncluster.sms = 2\n",
                &error);
    cr_expect(strstr(error.message, "l2.ways = 2; cluster.sms = 0 (copies leave something to lines that are at home; "
                                    "a cluster reads through one partition)"),
              "%s", error.message);
    rig_refused(COHERENT "coherence = nmoesi\nl2.enabled = false\nl2.slices = 2\nl2.partitions = 2\n", &error);
    cr_expect(strstr(error.message, "needs l2.partitions = 1"), "%s", error.message);
    rig_refused(COHERENT "coherence = nmoesi\ncluster.sms = 2\ncluster.size = 512\n", &error);
    cr_expect(strstr(error.message, "cluster.size"), "%s", error.message);
}

/* A configuration of a context with a protocol of its own, and a hierarchy of a context without. */
Test(coherent, protocol_of_another_context) {
    rig r;
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *other = NULL;
    gpc_hierarchy *hierarchy = NULL;
    rig_open(&r, NULL);
    gpc_protocol mine = *gpc_protocol_find(r.context, "nmoesi");
    mine.name = "mine";
    cr_assert_eq(gpc_context_register_protocol(r.context, &mine, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_config_load_text(r.config, COHERENT "coherence = mine\n", NULL, &error), GPC_OK, "%s",
                 error.message);
    cr_assert_eq(gpc_config_set(r.config, "l1.write_allocate", "fetch", &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_context_create(NULL, &other, NULL), GPC_OK);
    cr_expect_lt(gpc_hierarchy_create(other, r.config, &hierarchy, &error), 0);
    cr_expect(strstr(error.message, "mine"), "%s", error.message);
    gpc_context_destroy(other);
    rig_close(&r);
}

/* "needs KEY = VALUE; KEY = VALUE ... (reasons)" as lines of configuration text. */
static void settings_of(const char *message, char *out, size_t room) {
    const char *from = strstr(message, " needs "), *end = strstr(message, " (");
    cr_assert(from && end, "%s", message);
    from += strlen(" needs ");
    snprintf(out, room, "%.*s\n", (int)(end - from), from);
    for (char *at = out; (at = strstr(at, "; ")); at++)
        at[0] = '\n';
}

/* Presets with parts that trees lack, and the settings named by the refusal. */
static const char *const lacking[][2] = {
    {"gtx480-gpgpusim",
     "l2.write_allocate = fetch\n l1.release_width = 0B\n l1.mshr_free = filled\n"
     " l1.release_latency = 0\n l1.collectors = 0\n l2.intake = pipeline\n dram.latency_at = data\n"},
    {"rx6900xt", "l1.line_order = lanes\n gl1.size = 0B\n"},
};

/* Make a preset with a protocol; on an error, with the settings named by the message. */
static void heed(gpc_context *context, const char *preset, const char *protocol, const char *mode) {
    gpc_error error = GPC_ERROR_INIT;
    char text[2048], needed[1024];
    int length = snprintf(text, sizeof text, "preset = %s\ncoherence = %s\nmode = %s\n", preset, protocol, mode);
    for (size_t i = 0; i < sizeof lacking / sizeof *lacking; i++)
        if (!strcmp(preset, lacking[i][0]) && make(context, text, &error) == GPC_ERROR_RANGE) {
            settings_of(error.message, needed, sizeof needed);
            cr_expect_str_eq(needed, lacking[i][1]);
            length += snprintf(text + length, sizeof text - (size_t)length, "%s", needed);
        }
    cr_expect_eq(make(context, text, &error), GPC_OK, "%s, %s: %s", preset, protocol, error.message);
    if (!strcmp(protocol, "none"))
        return; /* without a tree */
    length += snprintf(text + length, sizeof text - (size_t)length,
                       "l1.enabled = false\nl2.write_policy = through\nnetwork.header = 0\n");
    cr_assert_eq(make(context, text, &error), GPC_ERROR_RANGE, "%s, %s", preset, protocol);
    settings_of(error.message, needed, sizeof needed);
    cr_expect_null(strstr(error.message, " more"), "%s", error.message);
    snprintf(text + length, sizeof text - (size_t)length, "%s", needed);
    cr_expect_eq(make(context, text, &error), GPC_OK, "%s, %s, with %s: %s", preset, protocol, needed, error.message);
}

/*
 * Every preset with every protocol, in every mode: as it is; otherwise a single message names all needed settings. A
 * random mode, except in thorough runs.
 */
Test(coherent, one_message_has_all_that_is_needed) {
    gpc_context *context;
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_context_create(NULL, &context, &error), GPC_OK);
    const size_t protocols = gpc_policy_count(context, GPC_POLICY_PROTOCOL);
    for (size_t p = 0; p < 2 * gpc_preset_count() * protocols; p++) {
        const char *preset, *summary;
        gpc_policy_info protocol = GPC_POLICY_INFO_INIT;
        cr_assert_eq(gpc_preset_at(p / 2 / protocols, &preset, &summary, NULL), GPC_OK);
        cr_assert_eq(gpc_policy_at(context, GPC_POLICY_PROTOCOL, p / 2 % protocols, &protocol, NULL), GPC_OK);
        if (effort_wanted() == EFFORT_THOROUGH || ((p / 2 / protocols + p / 2) % 2 == p % 2 && effort_takes(p)))
            heed(context, preset, protocol.name, p % 2 ? "timed" : "functional");
    }
    gpc_context_destroy(context);
}

#define LONG "a-policy-that-does-not-say-what-it-reads-and-has-a-long-name"

static void let_in(void *self, uint32_t set, const gpc_request *request, gpc_prediction *prediction) {
    (void)self, (void)set, (void)request, (void)prediction;
}

/* Nearly all possible errors at once: every setting in a fixed order, with the policies' reasons. */
Test(coherent, all_that_can_be_wrong) {
    static const char wrong[] =
        "preset = h100\ncoherence = nmoesi\nl1.enabled = false\nl1.spaces = local\n"
        "l1.reorder = warp\nl1.index = xor\nl1.write_policy = evict\nl1.write_allocate = lazy\n"
        "l1.write_policy_local = through\nl1.write_allocate_local = none\nl1.replacement = " LONG "\n"
        "l2.replacement = " LONG "\nl1.bypass = " LONG "\nl2.bypass = " LONG "\n"
        "scheduler = two-level + ccws + pcal\nnetwork.header = 0\nl2.write_allocate = none\n"
        "l2.write_policy = through\nl2.inclusion = inclusive\ncluster.sms = 2\ncluster.size = 128\ngpu.count = 2\n"
        "l2.partitions = 2\n"
        "page.bytes = 384\nmode = timed\nl1.allocate = on-fill\ncoherence.conflict = retry\n";
    static const char settings[] =
        "coherence = nmoesi needs l1.enabled = true; "
        "l2.write_policy = back; "
        "l2.write_allocate = fetch; "
        "l1.allocate = on-miss; lrc.sms = 0; network.header = 8B; cluster.size = 1024B; "
        "page.bytes = 64KiB; l1.replacement = lru; l2.replacement = lru; l1.bypass = hint; l2.bypass = hint; "
        "l2.inclusion = non-inclusive; l2.partitions = 1 "
        "(l1.replacement '" LONG "' reads what it has not declared, which coherent modules do not tell policies; ";
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context;
    cr_assert_eq(gpc_context_create(NULL, &context, &error), GPC_OK);
    const gpc_replacement_ops policy = {.struct_size = sizeof policy, .name = LONG, .choose_victim = first_way};
    const gpc_predictor_ops predictor = {.struct_size = sizeof predictor, .name = LONG, .predict = let_in};
    cr_assert_eq(gpc_context_register_replacement(context, &policy, NULL, NULL, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_context_register_predictor(context, &predictor, NULL, NULL, &error), GPC_OK, "%s", error.message);
    cr_expect_eq(make(context, wrong, &error), GPC_ERROR_RANGE);
    cr_expect_eq(strncmp(error.message, settings, strlen(settings)), 0, "%s", error.message);
    cr_expect_str_eq(error.message + strlen(error.message) - 4, "...)");
    gpc_context_destroy(context);
}

/* A preset under a protocol: a load from memory, then from L1; a store; lines not loaded are absent. */
static void run_preset(const char *preset, const char *protocol, bool timed) {
    rig r = {0};
    gpc_error error = GPC_ERROR_INIT;
    const uint64_t address = 4096;
    gpc_warp_access a = GPC_WARP_ACCESS_INIT;
    a.mask = 1;
    a.addresses = &address;
    a.width = 4;
    cr_assert_eq(gpc_context_create(NULL, &r.context, &error), GPC_OK);
    cr_assert_eq(gpc_config_create(r.context, &r.config, &error), GPC_OK);
    cr_assert_eq(gpc_config_load_preset(r.config, preset, &error), GPC_OK);
    cr_assert_eq(gpc_config_set(r.config, "coherence", protocol, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_config_set(r.config, "mode", timed ? "timed" : "functional", &error), GPC_OK);
    cr_assert_eq(gpc_hierarchy_create(r.context, r.config, &r.hierarchy, &error), GPC_OK, "%s: %s", preset,
                 error.message);
    for (unsigned n = 0; n < 4; n++) {
        a.kind = n == 2 ? GPC_STORE : GPC_LOAD;
        a.sm = n == 3;
        if (timed)
            cr_assert_eq(gpc_hierarchy_try_issue(r.hierarchy, &a, 0, NULL, NULL), GPC_OK);
        cr_assert_eq(timed ? gpc_hierarchy_drain(r.hierarchy, NULL) : gpc_hierarchy_access(r.hierarchy, &a, NULL, NULL),
                     GPC_OK);
        if (n == 0)
            cr_expect_gt(rig_stats(&r).dram_read_sectors, 0);
    }
    const measured_stats s = rig_stats(&r);
    cr_expect(s.l1_load_sectors >= 3 && s.l1_load_sector_hits * 3 == s.l1_load_sectors, "%s, %s, %s", preset, protocol,
              timed ? "timed" : "functional");
    rig_close(&r);
}

/*
 * Every GPU runs under every protocol in every mode, by preset. The trees are large: a random mode, except in thorough
 * runs.
 */
Test(coherent, presets) {
    static const char *const presets[] = {"kepler", "gtx480",  "gtx480-l1-48k", "gcn-7970",
                                          "qv100",  "rtx2060", "a100",          "h100"};
    static const char *const protocols[] = {"msi", "mesi",   "mosi", "moesi", "nmoesi", "nmoesi-multi2sim",
                                            "vi",  "slc-glc"};
    for (unsigned i = 0; i < sizeof presets / sizeof *presets; i++)
        for (unsigned p = 0; p < 2 * sizeof protocols / sizeof *protocols; p++)
            if (effort_wanted() == EFFORT_THOROUGH || ((i + p / 2) % 2 == p % 2 && effort_takes(i * 16 + p)))
                run_preset(presets[i], protocols[p / 2], p % 2);
}

/*
 * Lines 0 and 512 fill SM 0's set; 0 is used last, and then invalidated by SM 1. A third line takes the invalid way,
 * or, as in Multi2Sim, the way of 512, used least recently.
 */
Test(coherent, any_victim) {
    for (int any = 0; any < 2; any++) {
        rig r;
        open_tree(&r, "nmoesi", any ? "coherence.any_victim = true\n" : "");
        rig_load(&r, 0);
        rig_load(&r, 512);
        rig_load(&r, 0);
        rig_fire(&r, LINE_BY(GPC_ATOMIC, 0, .sm = 1));
        cr_expect_eq(state_of(&r, "l1-0", 0), GPC_LINE_I);
        rig_load(&r, 1024);
        cr_expect_eq(state_of(&r, "l1-0", 512) == GPC_LINE_I, any);
        cr_expect_eq(rig_stats(&r).l1_evictions, (uint64_t)any);
        rig_close(&r);
    }
}

/* Two GPUs: each has an L2 in front of the two memories, and traffic between GPUs is counted. */
Test(coherent, gpus) {
    rig r;
    open_tree(&r, "vi",
              "sm.count = 2\nl2.slices = 2\nl2.size = 8KiB\ndram.channels = 1\ngpu.count = 2\npage.bytes = 4KiB\n");
    const gpc_coherence *tree = gpc_hierarchy_coherence(r.hierarchy);
    gpc_coherence_module m = GPC_COHERENCE_MODULE_INIT;
    cr_assert_eq(gpc_coherence_get_module(tree, 3, &m, NULL), GPC_OK);
    cr_expect(m.low_count == 2 && m.low[0] == 6 && m.low[1] == 7 && m.home == 2, "l1-3 is over the slices of GPU 1");
    cr_assert_eq(gpc_coherence_get_module(tree, 5, &m, NULL), GPC_OK);
    cr_expect(m.low_count == 2 && m.low[0] == 9 && m.low[1] == 11 && m.residue == 1, "l2-1 is over memories 1 and 3");
    rig_load(&r, 0);
    rig_fire(&r, LINE_BY(GPC_LOAD, 0, .sm = 1));
    rig_fire(&r, LINE_BY(GPC_LOAD, 0, .sm = 2));
    measured_stats s = rig_stats(&r);
    cr_expect(s.local_requests == 1 && s.remote_requests == 1, "page 0 was touched by GPU 0");
    cr_expect(s.gpu_link_packets == 2 && s.gpu_link_bytes == 8 + 136);
    rig_store(&r, 0);
    rig_fire(&r, LINE_BY(GPC_LOAD, 0, .sm = 2));
    cr_expect_eq(rig_stats(&r).remote_requests, 1, "what it has is old, and valid until it acquires");
    const gpc_fence fence = {.struct_size = sizeof fence, .sm = 3, .scope = GPC_SCOPE_SYS, .order = GPC_ORDER_ACQUIRE};
    cr_assert_eq(gpc_hierarchy_fence(r.hierarchy, &fence, NULL), GPC_OK);
    rig_fire(&r, LINE_BY(GPC_LOAD, 0, .sm = 3));
    cr_expect_eq(rig_stats(&r).remote_requests, 2, "its L2 had it, too");
    rig_close(&r);
}
