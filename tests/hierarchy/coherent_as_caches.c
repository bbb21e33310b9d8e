/* SPDX-License-Identifier: BSD-2-Clause */
#include "hierarchy/rig.h"

#include "measured.h"
#include "timed/core/sm_front_end.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* A tree of coherent modules doing only the work of caches, beside caches: equal, access by access. */

#define TREE                                                                                               \
    "sm.count = 2\nl1.sectors = 1\nl2.sectors = 1\nl1.write_policy = back\nl1.write_policy_local = back\n" \
    "l1.write_allocate = fetch\nl1.write_allocate_local = fetch\nl2.inclusion = inclusive\n"               \
    "l2.interleave_bytes = 128\n"

/* A tree under a protocol, and caches. */
typedef struct pair {
    rig tree, caches;
} pair;

static void open_pair(pair *p, const char *protocol, bool timed, const char *settings) {
    char text[2048];
    int length = snprintf(text, sizeof text, TREE "mode = %s\n%s\n", timed ? "timed" : "functional", settings);
    rig_open(&p->caches, text);
    snprintf(text + length, sizeof text - (size_t)length, "coherence = %s\n", protocol);
    rig_open(&p->tree, text);
}

static void close_pair(pair *p) {
    rig_close(&p->tree);
    rig_close(&p->caches);
}

static void fire(rig *r, bool timed, const gpc_warp_access *access) {
    if (timed) {
        cr_assert_eq(gpc_hierarchy_try_issue(r->hierarchy, access, 0, NULL, NULL), GPC_OK);
        cr_assert_eq(gpc_hierarchy_drain(r->hierarchy, NULL), GPC_OK);
    } else {
        cr_assert_eq(gpc_hierarchy_access(r->hierarchy, access, NULL, NULL), GPC_OK);
    }
}

static void fire_both(pair *p, bool timed, const gpc_warp_access *access) {
    fire(&p->tree, timed, access);
    fire(&p->caches, timed, access);
}

/* 40 bits of a pseudo-random sequence. */
static uint64_t next_draw(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 24;
}

/* A lane's access by one of several warps and PCs. */
static gpc_warp_access lane_of(uint64_t draw, const uint64_t *address) {
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    access.warp = access.warp_age = (uint32_t)(draw >> 8) % 8;
    access.pc = 16 * ((draw >> 16) % 5);
    access.mask = 1;
    access.width = 4;
    access.addresses = address;
    return access;
}

#define ON_FILL "l2.size = 64KiB\nl1.allocate = "
#define FOLLOW "l1.track_reuse = true\nl1.track_warps = true\n"
static bool same_lines(const measured_stats *one, const measured_stats *other) {
    return one->l1_evictions == other->l1_evictions && one->l1_zero_reuse_evictions == other->l1_zero_reuse_evictions &&
           one->l1_intra_warp_hits == other->l1_intra_warp_hits && one->l1_inter_warp_hits == other->l1_inter_warp_hits;
}

/* True if both count equal decisions about lines. */
static bool same_decisions(const measured_stats *one, const measured_stats *other) {
    return one->l1_predictions == other->l1_predictions && one->l1_bypasses == other->l1_bypasses &&
           one->l1_token_bypasses == other->l1_token_bypasses &&
           one->l1_opportunistic_fills == other->l1_opportunistic_fills &&
           one->l1_priority_evictions == other->l1_priority_evictions &&
           one->l1_overturned_bypasses == other->l1_overturned_bypasses;
}

/* A load of one of a few frequent lines, or of many rare lines; with a clock, until no access is in flight. */
static measured_stats load_any(rig *r, bool timed, uint64_t draw) {
    const uint64_t address = 128 * (draw >> 24 & 3 ? draw % 12 : draw % 97);
    const gpc_warp_access access = lane_of(draw, &address);
    fire(r, timed, &access);
    return rig_stats(r);
}

static void do_as_in_caches(const char *l1, const char *l2, const char *sizes, bool timed) {
    pair p;
    char settings[256];
    snprintf(settings, sizeof settings, FOLLOW "l1.replacement = %s\nl2.replacement = %s\n%s", l1, l2, sizes);
    open_pair(&p, "mesi", timed, settings);
    const bool roomy = strstr(sizes, "l2.size"); /* lines leaving L2 leave L1s earlier or later than in caches */
    uint64_t random = 1;
    for (unsigned n = 0; n < (timed ? 1000 : 4000); n++) {
        const uint64_t draw = next_draw(&random);
        const measured_stats one = load_any(&p.tree, timed, draw), other = load_any(&p.caches, timed, draw);
        cr_assert(one.l1_load_sector_hits == other.l1_load_sector_hits &&
                      one.dram_read_sectors == other.dram_read_sectors && (!roomy || same_lines(&one, &other)),
                  "%s over %s, %s: access %u", l1, l2, timed ? "timed" : "functional", n);
    }
    const measured_stats all = rig_stats(&p.tree);
    cr_expect_gt(all.l1_load_sector_hits, timed ? 100 : 400);
    cr_expect(!roomy ||
              (all.l1_zero_reuse_evictions > 100 && all.l1_intra_warp_hits > 3 && all.l1_inter_warp_hits > 20));
    close_pair(&p);
}

/*
 * One SM's loads: a tree does only the work of caches, and policies see equal calls. In a tree L1's victim leaves
 * before L2's, in caches afterwards; here irrelevant, since L2 has room for all lines, or a set of L1 for one line.
 */
static void choose_as_in_caches(const char *policy, bool below) {
    for (int timed = 0; timed < 2; timed++) {
        do_as_in_caches(policy, "lru", "l2.size = 64KiB\n", timed);
        if (below)
            do_as_in_caches("lru", policy, "l1.size = 512B\nl1.ways = 1\n", timed);
    }
}

/* Every policy chooses in a module the victims of a cache, or is refused. */
Test(coherent_as_caches, policies) {
    gpc_context *context;
    gpc_policy_info info = GPC_POLICY_INFO_INIT;
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    for (size_t i = 0; gpc_policy_at(context, GPC_POLICY_REPLACEMENT, i, &info, NULL) == GPC_OK; i++) {
        char text[2048];
        const bool future = !strncmp(info.name, "opt", 3), /* modules do not tell the future */
            bypasses = !strcmp(info.name, "combined");     /* an inclusive L2 keeps all that L1s have */
        if (!future)
            choose_as_in_caches(info.name, !bypasses);
        snprintf(text, sizeof text, TREE "coherence = mesi\nl2.replacement = %s\n", info.name);
        if (future || bypasses)
            cr_expect_eq(rig_refused(text, &error), GPC_ERROR_RANGE, "%s", error.message);
    }
    choose_as_in_caches("ship(signature=memory)", true);
    gpc_context_destroy(context);
}

/* Any victim, without a policy that sees evictions: an eviction counts once. */
Test(coherent_as_caches, any_victim_leaves_once) {
    for (int timed = 0; timed < 2; timed++) {
        rig tree;
        char text[2048];
        snprintf(text, sizeof text, TREE FOLLOW "mode = %s\ncoherence = vi\ncoherence.any_victim = true\n",
                 timed ? "timed" : "functional");
        rig_open(&tree, text);
        uint64_t random = 1;
        for (unsigned n = 0; n < 1000; n++)
            load_any(&tree, timed, next_draw(&random));
        const measured_stats all = rig_stats(&tree);
        cr_expect(all.l1_zero_reuse_evictions > 20 && all.l1_zero_reuse_evictions <= all.l1_evictions, "%llu of %llu",
                  (unsigned long long)all.l1_zero_reuse_evictions, (unsigned long long)all.l1_evictions);
        rig_close(&tree);
    }
}

Test(coherent_as_caches, allocation) {
    static const char *const specs[] = {"lru", "drrip", "ship", "age-lru"};
    for (unsigned i = 0; i < sizeof specs / sizeof *specs; i++)
        do_as_in_caches(specs[i], "lru", i % 2 ? ON_FILL "on-fill" : ON_FILL "streaming", true);
}

/* Sectors requested from a slice. */
static uint64_t asked_of(const rig *r, uint32_t slice) {
    uint64_t value;
    gpc_counter_info info = GPC_COUNTER_INFO_INIT;
    cr_assert_eq(gpc_counter_by_name(GPC_TABLE_HIERARCHY, "l2.read_sectors", &info, NULL), GPC_OK);
    cr_assert_eq(gpc_hierarchy_read(r->hierarchy, GPC_OBJECT_SLICE, slice, &info.id, 1, &value, 1, NULL), GPC_OK);
    return value;
}

/* Lines a power of two of lines apart, or a few KiB beyond: losses show the sets and slices. */
static void spread_as_in_caches(const char *settings, uint32_t slices, bool timed) {
    pair p;
    open_pair(&p, "mesi", timed, settings);
    uint64_t random = 7;
    for (unsigned n = 0; n < (timed ? 600 : 3000); n++) {
        const uint64_t draw = next_draw(&random),
                       address = (draw % 40 << (7 + (draw >> 16) % 6)) + ((draw >> 24) % 5 << 32);
        const gpc_warp_access access = lane_of(draw, &address);
        fire_both(&p, timed, &access);
        const measured_stats one = rig_stats(&p.tree), other = rig_stats(&p.caches);
        cr_assert(one.l1_load_sector_hits == other.l1_load_sector_hits &&
                      one.l2_read_sector_hits == other.l2_read_sector_hits &&
                      one.dram_read_sectors == other.dram_read_sectors,
                  "%s, %s: access %u", settings, timed ? "timed" : "functional", n);
    }
    for (uint32_t slice = 0; slice < slices; slice++)
        cr_expect_eq(asked_of(&p.tree, slice), asked_of(&p.caches, slice), "%s: slice %u", settings, slice);
    cr_expect_gt(rig_stats(&p.tree).l2_read_sector_hits, 20, "%s", settings);
    close_pair(&p);
}

/* SMs of two partitions load lines with homes in each, and write: near copies come and go as in caches. */
Test(coherent_as_caches, partitions) {
    static const char parted[] =
        "l2.slices = 4\nl2.partitions = 2\nl2.size = 16KiB\nl2.ways = 4\nl1.size = 512B\nl1.ways = 1\n"
        "l1.write_policy = through\nl1.write_policy_local = through\n"
        "l1.write_allocate = none\nl1.write_allocate_local = none\n"
        "l2.inclusion = non-inclusive\n";
    char settings[512];
    for (unsigned i = 0; i < 4; i++) {
        const bool timed = i % 2;
        const char *l1 = i / 2 ? "agcb(threshold=3)" : "hint";
        pair p;
        snprintf(settings, sizeof settings, "%sl1.bypass = %s\n", parted, l1);
        open_pair(&p, "vi", timed, settings);
        uint64_t random = 3;
        for (unsigned n = 0; n < (timed ? 600 : 4000); n++) {
            const uint64_t draw = next_draw(&random), address = 4096 * (draw % 8) + 128 * (draw >> 8 & 7);
            gpc_warp_access access = lane_of(draw, &address);
            access.sm = draw >> 40 & 1;
            fire_both(&p, timed, &access);
            const measured_stats one = rig_stats(&p.tree), other = rig_stats(&p.caches);
            cr_assert(one.l1_load_sector_hits == other.l1_load_sector_hits &&
                          one.l1_overturned_bypasses == other.l1_overturned_bypasses &&
                          one.dram_read_sectors == other.dram_read_sectors,
                      "%s, %s: access %u", l1, timed ? "timed" : "functional", n);
            cr_assert(i / 2 || (one.l2_read_sectors == other.l2_read_sectors && /* bypassing asks for fewer there */
                                one.l2_read_sector_hits == other.l2_read_sector_hits &&
                                one.l2_remote_sectors == other.l2_remote_sectors),
                      "%s: access %u", timed ? "timed" : "functional", n);
        }
        const measured_stats all = rig_stats(&p.tree);
        cr_expect(!(i / 2) || all.l1_overturned_bypasses > 50);
        cr_expect(all.l2_remote_sectors > 100 && all.l2_read_sector_hits > 100 && all.dram_read_sectors > 100);
        for (uint32_t slice = 0; slice < 4 && i < 2; slice++)
            cr_expect_eq(asked_of(&p.tree, slice), asked_of(&p.caches, slice), "slice %u", slice);
        close_pair(&p);
    }
}

/* Sets, slices and channels equal those of caches, with any function. L1's sets hold one line. */
Test(coherent_as_caches, sets_and_slices) {
    static const struct {
        const char *settings;
        uint32_t slices;
    } rows[] = {
        {"l1.index = xor\nl2.index = ipoly", 1},
        {"l1.size = 4KiB\nl1.index = fermi\nl2.index = fermi\nl2.ways = 2", 1},
        {"l1.index = ipoly\nl2.index = xor\nl2.slices = 4\nl2.interleave_bytes = 256", 4},
        {"l1.size = 1536B\nl1.index = ipoly\nl2.slices = 6\nl2.interleave_bytes = 512\nl2.size = 12KiB", 6},
        {"l2.index = xor\nl2.slices = 3\nl2.interleave = hash\nl2.interleave_bytes = 256\nl2.size = 9KiB", 3},
        {"l2.slices = 8\nl2.interleave = hash\nl2.ways = 2", 8},
        {"l2.slices = 5\nl2.interleave = hash\nl2.interleave_bytes = 4096\nl2.size = 15KiB\ndram.channels = 10", 5},
        {"l2.slices = 4\nl2.interleave = range\nl2.interleave_bytes = 64KiB\nl2.index = ipoly", 4},
        {"l2.slices = 3\nl2.interleave = hash\nl2.interleave_bytes = 256\nl2.size = 9KiB\ncluster.sms = 2\n"
         "cluster.size = 128B\ncluster.ways = 1\nl1.size = 128B",
         3},
    };
    char settings[512];
    for (unsigned i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        snprintf(settings, sizeof settings, "l1.ways = 1\n%s", rows[i / 2].settings);
        spread_as_in_caches(settings, rows[i / 2].slices, i % 2);
    }
}

/* Loads and stores of a few bytes to global and local memory, `apart` bytes apart. */
static void store_as_in_caches(const char *settings, bool timed, uint64_t apart) {
    pair p;
    open_pair(&p, "mesi", timed, settings);
    uint64_t random = 11;
    for (unsigned n = 0; n < (timed ? 600 : 3000); n++) {
        const uint64_t draw = next_draw(&random), local = draw >> 31 & 1;
        const uint64_t address = (local ? apart : 0) + 128 * (draw % 23) + (draw >> 32) % 25 * 4;
        gpc_warp_access access = lane_of(draw, &address);
        access.kind = draw >> 30 & 1 ? GPC_STORE : GPC_LOAD;
        access.space = local ? GPC_SPACE_LOCAL : GPC_SPACE_GLOBAL;
        fire_both(&p, timed, &access);
        const measured_stats one = rig_stats(&p.tree), other = rig_stats(&p.caches);
        /* a tree writes back whole lines, a cache only dirty parts */
        cr_assert(one.l1_load_sector_hits / 4 == other.l1_load_sector_hits / 4 &&
                      one.l1_store_sector_hits == other.l1_store_sector_hits &&
                      one.dram_read_sectors == other.dram_read_sectors && same_lines(&one, &other),
                  "%s, %s: access %u: %llu %llu %llu, %llu %llu %llu", settings, timed ? "timed" : "functional", n,
                  (unsigned long long)one.l1_load_sector_hits, (unsigned long long)one.l1_store_sector_hits,
                  (unsigned long long)one.dram_read_sectors, (unsigned long long)other.l1_load_sector_hits,
                  (unsigned long long)other.l1_store_sector_hits, (unsigned long long)other.dram_read_sectors);
    }
    cr_expect_gt(rig_stats(&p.tree).l1_load_sector_hits, 30, "%s", settings);
    cr_expect_gt(rig_stats(&p.tree).l1_store_sector_hits, 30, "%s", settings);
    close_pair(&p);
}

/* Every pair of write policies of global and of local memory, with and without allocation. */
Test(coherent_as_caches, stores) {
    static const char *const write[] = {"back", "through", "evict"}, *const allocate[] = {"fetch", "none"};
    for (unsigned i = 0; i < 3 * 3 * 2 * 2 * 2; i++) {
        char settings[256];
        snprintf(settings, sizeof settings,
                 "l2.size = 64KiB\nl1.write_policy = %s\nl1.write_policy_local = %s\nl1.write_allocate = %s\n"
                 "l1.write_allocate_local = %s",
                 write[i / 2 % 3], write[i / 6 % 3], allocate[i / 18 % 2], allocate[i / 36]);
        store_as_in_caches(settings, i % 2, 0);
    }
    store_as_in_caches(ON_FILL "on-fill\n", true, 0);
    store_as_in_caches(ON_FILL "streaming\nl1.write_policy = through", true, 0);
    for (unsigned timed = 0; timed < 2; timed++) /* only local data are in L1 */
        store_as_in_caches("l2.size = 64KiB\nl1.spaces = local\nl1.write_policy_local = back", timed, 4096);
}

/* A sample of every SM, as if all were busy. */
static void sample(rig *r, uint64_t cycle) {
    gpc_sample samples[2] = {GPC_SAMPLE_INIT, GPC_SAMPLE_INIT};
    for (unsigned i = 0; i < 2; i++) {
        samples[i].cycle = cycle;
        samples[i].cycles = samples[i].active_cycles = 100;
        samples[i].instructions = 30 + cycle % 7;
    }
    cr_assert_eq(gpc_hierarchy_sample(r->hierarchy, samples, NULL), GPC_OK);
}

/* End a warp; every fourth time, a kernel. */
static void end_warp(pair *p, uint32_t number) {
    const gpc_warp_event event = {
        .kind = number % 4 ? GPC_WARP_EXIT : GPC_KERNEL_END, .sm = 0, .warp = number % 8, .kernel = 0};
    cr_assert_eq(gpc_hierarchy_warp_event(p->tree.hierarchy, &event, NULL), GPC_OK);
    cr_assert_eq(gpc_hierarchy_warp_event(p->caches.hierarchy, &event, NULL), GPC_OK);
}

/* Loads of a PC that reuses lines, and of PCs that do not, and stores; by a predictor, or a policy. */
static void predict_as_in_caches(const char *predictor, const char *policy, const char *protocol, bool timed,
                                 uint32_t sectors) {
    pair p;
    char settings[512];
    snprintf(settings, sizeof settings,
             FOLLOW "l2.size = 64KiB\nl1.bypass = %s\nl1.replacement = %s\nl1.sectors = %u\nl2.sectors = %u", predictor,
             policy, sectors, sectors);
    open_pair(&p, protocol, timed, settings);
    cr_assert_eq(gpc_hierarchy_wants_samples(p.tree.hierarchy), gpc_hierarchy_wants_samples(p.caches.hierarchy));
    uint64_t random = 5;
    for (unsigned n = 0; n < (timed ? 600 : 3000); n++) {
        const uint64_t draw = next_draw(&random), far = draw >> 20 & 1;
        const uint64_t line = 128 * (far ? 16 + draw % 160 : draw % 7), within = (draw >> 30) % 4 * 32;
        const uint64_t addresses[2] = {line + within, sectors > 1 ? line + (within ^ 64) : 128 * (draw % 29)};
        gpc_warp_access access = lane_of(draw, addresses);
        access.mask = !timed && draw >> 22 & 1 ? 3 : 1; /* with a clock two lines would be in flight at once */
        access.pc = far ? 64 + 16 * ((draw >> 16) % 3) : 16;
        access.kind = draw >> 23 & 7 ? GPC_LOAD : GPC_STORE;
        access.token = draw >> 26 & 1 ? GPC_TOKEN_NONE : 0;
        if (n % 50 == 49) {
            sample(&p.tree, 100 * n);
            sample(&p.caches, 100 * n);
            end_warp(&p, n / 50);
        }
        fire_both(&p, timed, &access);
        const measured_stats one = rig_stats(&p.tree), other = rig_stats(&p.caches);
        cr_assert(one.l1_load_sector_hits == other.l1_load_sector_hits &&
                      one.l1_store_sector_hits == other.l1_store_sector_hits &&
                      one.l1_bypassed_sectors == other.l1_bypassed_sectors &&
                      one.dram_read_sectors == other.dram_read_sectors && same_lines(&one, &other) &&
                      same_decisions(&one, &other),
                  "%s, %s, %s, %s: access %u: %llu %llu %llu %llu, not %llu %llu %llu %llu", predictor, policy,
                  protocol, timed ? "timed" : "functional", n, (unsigned long long)one.l1_load_sector_hits,
                  (unsigned long long)one.l1_store_sector_hits, (unsigned long long)one.l1_bypassed_sectors,
                  (unsigned long long)one.dram_read_sectors, (unsigned long long)other.l1_load_sector_hits,
                  (unsigned long long)other.l1_store_sector_hits, (unsigned long long)other.l1_bypassed_sectors,
                  (unsigned long long)other.dram_read_sectors);
    }
    cr_expect_gt(rig_stats(&p.tree).l1_load_sector_hits, 20, "%s", predictor);
    cr_expect_gt(rig_stats(&p.tree).l1_bypassed_sectors, 20, "%s", predictor);
    close_pair(&p);
}

/* One SM's predictor predicts equally in a tree and in caches: it is asked, and informed, at equal points. */
Test(coherent_as_caches, predictors) {
    static const char *const specs[] = {"random-p(p=0.3)",   "access-count(threshold=1)",
                                        "counter-based",     "sdbp",
                                        "warp-token",        "rpr",
                                        "agcb(threshold=3)", "agcb"};
    for (unsigned i = 0; i < 2 * sizeof specs / sizeof *specs; i++) {
        predict_as_in_caches(specs[i / 2], "drrip", "mesi", i % 2, 1);
        predict_as_in_caches(specs[i / 2], "drrip", "nmoesi", i % 2, 4);
    }
}

/* Lines used by warps with tokens are kept, until warps or a kernel end, or some time has passed. */
Test(coherent_as_caches, opportunistic_tokens) {
    static const char *const rows[] = {"lru", "lru\nl1.token_clear = owners", "drrip\nl1.token_clear = last-owner",
                                       "bip(bypass=1)\nl1.token_clear = periodic\nl1.token_period = 90",
                                       "lru\nl1.token_clear = periodic\nl1.token_period = 900000"};
    char settings[200];
    for (unsigned i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        snprintf(settings, sizeof settings, "%s\nl1.tokens = opportunistic\nsm.warps = 4", rows[i / 2]);
        predict_as_in_caches("hint", settings, "mesi", i % 2, 1);
        predict_as_in_caches("random-p(p=0.2)", settings, "nmoesi", i % 2, 4);
    }
}

/* Replacement policies that decline lines, read tokens, or decide by samples. */
Test(coherent_as_caches, policies_that_admit) {
    static const char *const specs[] = {"bip(bypass=1)",     "protecting-distance(bypass=1)",
                                        "age-lru(bypass=1)", "sdbp(bypass=1)",
                                        "combined",          "vote(lru, fifo)",
                                        "dynamic-age-lru",   "dip(bypass=1)"};
    for (unsigned i = 0; i < 2 * sizeof specs / sizeof *specs; i++) {
        predict_as_in_caches("hint", specs[i / 2], "mesi", i % 2, 1);
        predict_as_in_caches("random-p(p=0.2)", specs[i / 2], "nmoesi", i % 2, 4);
    }
}

/* Slices keep lines out: by a predictor, a declining policy, or for lack of a token. Sets of L1 hold one line. */
static void keep_out_as_in_caches(const char *l2, const char *protocol, bool timed, uint32_t sectors) {
    pair p;
    char settings[512];
    snprintf(settings, sizeof settings,
             "l1.size = 1KiB\nl1.ways = 1\nl2.inclusion = non-inclusive\nl1.sectors = %u\nl2.sectors = %u\n%s", sectors,
             sectors, l2);
    open_pair(&p, protocol, timed, settings);
    cr_assert_eq(gpc_hierarchy_wants_samples(p.tree.hierarchy), gpc_hierarchy_wants_samples(p.caches.hierarchy));
    uint64_t random = 5;
    for (unsigned n = 0; n < (timed ? 600 : 3000); n++) {
        const uint64_t draw = next_draw(&random), far = draw >> 20 & 1;
        const uint64_t address = 128 * (far ? 16 + draw % 160 : draw % 31) + (draw >> 30) % 4 * 32;
        gpc_warp_access access = lane_of(draw, &address);
        access.pc = far ? 64 + 16 * ((draw >> 16) % 3) : 16;
        access.token_l2 = draw >> 26 & 1 ? GPC_TOKEN_NONE : 0;
        if (n % 50 == 49) {
            sample(&p.tree, 100 * n);
            sample(&p.caches, 100 * n);
        }
        fire_both(&p, timed, &access);
        const measured_stats one = rig_stats(&p.tree), other = rig_stats(&p.caches);
        cr_assert(one.l1_load_sector_hits == other.l1_load_sector_hits &&
                      one.l2_read_sector_hits == other.l2_read_sector_hits &&
                      one.l2_token_bypasses == other.l2_token_bypasses &&
                      one.l2_opportunistic_fills == other.l2_opportunistic_fills &&
                      one.l2_priority_evictions == other.l2_priority_evictions &&
                      one.dram_read_sectors == other.dram_read_sectors,
                  "%s, %s, %s: access %u: %llu %llu %llu, not %llu %llu %llu", l2, protocol,
                  timed ? "timed" : "functional", n, (unsigned long long)one.l1_load_sector_hits,
                  (unsigned long long)one.l2_read_sector_hits, (unsigned long long)one.dram_read_sectors,
                  (unsigned long long)other.l1_load_sector_hits, (unsigned long long)other.l2_read_sector_hits,
                  (unsigned long long)other.dram_read_sectors);
    }
    cr_expect_gt(rig_stats(&p.tree).l1_load_sector_hits, 5, "%s", l2);
    close_pair(&p);
}

Test(coherent_as_caches, l2_keeps_out) {
    static const char *const rows[] = {"l2.bypass = random-p(p=0.3)",
                                       "l2.bypass = sdbp",
                                       "l2.bypass = counter-based",
                                       "l2.bypass = always-bypass",
                                       "l2.replacement = protecting-distance(bypass=1)",
                                       "l2.replacement = dip(bypass=1)\nl2.bypass = access-count(threshold=1)",
                                       "l2.replacement = combined",
                                       "l2.replacement = vote(lru, fifo)\nl2.slices = 2\nl2.inclusion = inclusive",
                                       "l2.tokens = strict",
                                       "l2.tokens = opportunistic",
                                       "l2.tokens = opportunistic\nl2.token_clear = periodic\nl2.token_period = 90",
                                       "l2.tokens = opportunistic\nl2.replacement = dip(bypass=1)"};
    for (unsigned i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        keep_out_as_in_caches(rows[i / 2], "mesi", i % 2, 1);
        keep_out_as_in_caches(rows[i / 2], "nmoesi", i % 2, 4);
        keep_out_as_in_caches(rows[i / 2], "vi", i % 2, 4);
    }
}

/* Events seen by an SM's scheduler, as an order-dependent sum. */
typedef struct told {
    uint64_t sum;
    uint32_t pc, of[3], others; /* PC of the access; events; evictions of lines fetched by another warp */
} told;

static void note_event(void *data, uint32_t sm, const gpc_cache_event *event) {
    told *t = data;
    t->of[event->kind]++;
    t->others += event->kind == GPC_CACHE_EVENT_EVICT && event->owner != event->warp;
    t->sum = gpci_mix(t->sum ^ event->line_address ^ (uint64_t)sm << 48 ^ (uint64_t)event->kind << 60 ^
                      event->warp * 977u ^ event->owner * 7919u);
    cr_assert_eq(event->pc, t->pc);
}

/* Schedulers and throttles based on L1's events see equal events of a tree's L1s. */
Test(coherent_as_caches, events) {
    pair p;
    told of_tree = {0}, of_caches = {0};
    open_pair(&p, "mesi", true, "l2.size = 64KiB\nscheduler = gto + ccws\nl1.replacement = fifo");
    gpci_timed_attach(p.tree.hierarchy, &(gpci_sm_front_end){.cache_event = note_event, .user_data = &of_tree});
    gpci_timed_attach(p.caches.hierarchy, &(gpci_sm_front_end){.cache_event = note_event, .user_data = &of_caches});
    uint64_t random = 3;
    for (unsigned n = 0; n < 400; n++) {
        const uint64_t draw = next_draw(&random);
        of_tree.pc = of_caches.pc = (uint32_t)lane_of(draw, NULL).pc;
        load_any(&p.tree, true, draw);
        load_any(&p.caches, true, draw);
        cr_assert_eq(of_tree.sum, of_caches.sum, "access %u", n);
    }
    cr_expect(of_tree.of[0] > 50 && of_tree.of[1] > 50 && of_tree.of[2] > 50 && of_tree.others > 20);
    gpci_timed_attach(p.tree.hierarchy, NULL);
    gpci_timed_attach(p.caches.hierarchy, NULL);
    close_pair(&p);
}

/* Loads of lanes scattered over a few sectors of two lines; with a clock, of one line: two would overlap. */
static void divide_as_in_caches(const char *settings, bool timed) {
    pair p;
    open_pair(&p, "mesi", timed, settings);
    uint64_t random = 5;
    for (unsigned n = 0; n < (timed ? 500 : 2000); n++) {
        uint64_t addresses[4];
        const uint64_t draw = next_draw(&random), line = 128 * (draw % 37);
        gpc_warp_access access = lane_of(draw, addresses);
        access.mask = 15;
        for (unsigned lane = 0; lane < 4; lane++)
            addresses[lane] = line + (draw >> (10 + 6 * lane)) % (timed ? 32 : 64) * 4;
        fire_both(&p, timed, &access);
        const measured_stats one = rig_stats(&p.tree), other = rig_stats(&p.caches);
        cr_assert(one.l1_load_sector_hits == other.l1_load_sector_hits && one.l1_load_lines == other.l1_load_lines &&
                      one.l1_fetched_sectors == other.l1_fetched_sectors &&
                      one.l2_read_sectors == other.l2_read_sectors &&
                      one.l2_read_sector_hits == other.l2_read_sector_hits &&
                      one.dram_read_sectors == other.dram_read_sectors,
                  "%s, %s: access %u: L1 hits %llu, %llu; L2 hits %llu, %llu; DRAM %llu, %llu", settings,
                  timed ? "timed" : "functional", n, (unsigned long long)one.l1_load_sector_hits,
                  (unsigned long long)other.l1_load_sector_hits, (unsigned long long)one.l2_read_sector_hits,
                  (unsigned long long)other.l2_read_sector_hits, (unsigned long long)one.dram_read_sectors,
                  (unsigned long long)other.dram_read_sectors);
    }
    cr_expect_gt(rig_stats(&p.tree).l1_load_sector_hits, 20, "%s", settings);
    close_pair(&p);
}

/* Policies see sectors of a line, and a line has a way. */
Test(coherent_as_caches, sectors) {
    static const char *const rows[] = {
        "l1.sectors = 4\nl2.sectors = 4\nl2.size = 64KiB\nl1.replacement = lru",
        "l1.sectors = 4\nl2.sectors = 4\nl2.size = 64KiB\nl1.replacement = srrip",
        "l1.sectors = 4\nl2.sectors = 4\nl2.size = 64KiB\nl1.replacement = ship\nl1.index = xor",
        "l1.sectors = 2\nl2.sectors = 4\nl2.size = 64KiB\nl1.replacement = nru",
        "l1.sectors = 2\nl2.sectors = 2\nl2.size = 64KiB\nl1.replacement = drrip",
        "l1.sectors = 1\nl2.sectors = 4\nl2.size = 64KiB",
        "l1.sectors = 4\nl2.sectors = 4\nl1.size = 512B\nl1.ways = 1\nl2.replacement = srrip\nl2.index = ipoly",
        "l1.sectors = 4\nl2.sectors = 4\nl1.size = 512B\nl1.ways = 1\nl2.slices = 4\nl2.interleave = hash\n"
        "l2.interleave_bytes = 256\nl2.replacement = bip",
        /* neighbours come, too */
        "l1.sectors = 4\nl2.sectors = 4\nl2.size = 64KiB\nl2.fetch_sectors = 2",
        "l1.sectors = 4\nl2.sectors = 4\nl2.size = 64KiB\nl1.fetch_sectors = 2\nl1.replacement = srrip",
        "l1.sectors = 4\nl2.sectors = 4\nl2.size = 64KiB\nl1.fetch_sectors = 2\nl2.fetch_sectors = 4",
        "l1.sectors = 2\nl2.sectors = 4\nl2.size = 64KiB\nl1.fetch_sectors = 2\nl2.fetch_sectors = 2",
        "l1.sectors = 1\nl2.sectors = 4\nl2.size = 64KiB\nl2.fetch_sectors = 2",
        "l1.sectors = 4\nl2.sectors = 4\nl1.size = 512B\nl1.ways = 1\nl2.slices = 4\nl2.interleave = hash\n"
        "l2.interleave_bytes = 256\nl2.replacement = bip\nl1.fetch_sectors = 4\nl2.fetch_sectors = 2",
    };
    for (unsigned i = 0; i < 2 * sizeof rows / sizeof *rows; i++)
        divide_as_in_caches(rows[i / 2], i % 2);
}

/* Loads, and stores of a few bytes, written through by L1, and kept under masks by L2. */
static void mask_as_in_caches(const char *protocol, const char *settings, bool timed) {
    pair p;
    open_pair(&p, protocol, timed, settings);
    uint64_t random = 9;
    for (unsigned n = 0; n < (timed ? 500 : 3000); n++) {
        uint64_t addresses[4];
        const uint64_t draw = next_draw(&random), line = 128 * (draw % 61);
        gpc_warp_access access = lane_of(draw, addresses);
        access.mask = 15;
        access.kind = draw >> 38 & 1 ? GPC_STORE : GPC_LOAD;
        for (unsigned lane = 0; lane < 4; lane++)
            addresses[lane] = line + (draw >> 36 & 1 ? draw % 29 + lane : (draw >> (10 + 6 * lane)) % 32) * 4;
        fire_both(&p, timed, &access);
        const measured_stats one = rig_stats(&p.tree), other = rig_stats(&p.caches);
        cr_assert(
            one.l1_load_sector_hits == other.l1_load_sector_hits && one.l2_write_sectors == other.l2_write_sectors &&
                one.dram_read_sectors == other.dram_read_sectors && one.dram_write_sectors == other.dram_write_sectors,
            "%s, %s, %s: access %u: L1 hits %llu, %llu; DRAM reads %llu, %llu, writes %llu, %llu", protocol, settings,
            timed ? "timed" : "functional", n, (unsigned long long)one.l1_load_sector_hits,
            (unsigned long long)other.l1_load_sector_hits, (unsigned long long)one.dram_read_sectors,
            (unsigned long long)other.dram_read_sectors, (unsigned long long)one.dram_write_sectors,
            (unsigned long long)other.dram_write_sectors);
    }
    cr_expect_gt(rig_stats(&p.tree).dram_read_sectors, 20);
    close_pair(&p);
}

#define BYTE_MASKS                                                                \
    "l1.sectors = 4\nl2.sectors = 4\nl2.write_allocate = lazy\nl2.size = 64KiB\n" \
    "l1.write_policy = through\nl1.write_allocate = none\n"

/* A store fetches nothing; a sector's missing bytes are read when a load needs them; evicted bytes are written. */
Test(coherent_as_caches, byte_masks) {
    static const char *const protocols[] = {"vi", "mesi", "nmoesi"};
    for (unsigned i = 0; i < 2 * sizeof protocols / sizeof *protocols; i++) {
        mask_as_in_caches(protocols[i / 2], BYTE_MASKS, i % 2);
        mask_as_in_caches(protocols[i / 2], BYTE_MASKS "l2.fetch_sectors = 2\n", i % 2);
    }
}

/* Loads, and stores of whole sectors, written through and kept by L1: written sectors are never fetched. */
static void keep_as_in_caches(const char *protocol, bool timed) {
    pair p;
    open_pair(&p, protocol, timed,
              "l1.sectors = 4\nl2.sectors = 4\nl2.size = 64KiB\nl2.write_allocate = lazy\nl2.fetch_sectors = 2\n"
              "l1.write_policy = through\nl1.write_allocate = lazy");
    uint64_t random = 9;
    for (unsigned n = 0; n < (timed ? 500 : 3000); n++) {
        uint64_t addresses[8];
        const uint64_t draw = next_draw(&random), sector = 128 * (draw % 19) + (draw >> 10) % 4 * 32;
        gpc_warp_access access = lane_of(draw, addresses);
        access.mask = 255;
        access.kind = draw >> 38 & 1 ? GPC_STORE : GPC_LOAD;
        for (unsigned lane = 0; lane < 8; lane++)
            addresses[lane] = sector + 4 * lane;
        fire_both(&p, timed, &access);
        const measured_stats one = rig_stats(&p.tree), other = rig_stats(&p.caches);
        cr_assert(one.l1_load_sector_hits == other.l1_load_sector_hits &&
                      one.l1_store_sector_hits == other.l1_store_sector_hits &&
                      one.l2_write_sectors == other.l2_write_sectors &&
                      one.dram_read_sectors == other.dram_read_sectors &&
                      one.dram_write_sectors == other.dram_write_sectors,
                  "%s, %s: access %u: hits %llu, %llu; %llu, %llu; L2 writes %llu, %llu; DRAM reads %llu, %llu",
                  protocol, timed ? "timed" : "functional", n, (unsigned long long)one.l1_load_sector_hits,
                  (unsigned long long)other.l1_load_sector_hits, (unsigned long long)one.l1_store_sector_hits,
                  (unsigned long long)other.l1_store_sector_hits, (unsigned long long)one.l2_write_sectors,
                  (unsigned long long)other.l2_write_sectors, (unsigned long long)one.dram_read_sectors,
                  (unsigned long long)other.dram_read_sectors);
    }
    const measured_stats s = rig_stats(&p.tree);
    cr_expect(s.l1_load_sector_hits > 10 && s.dram_read_sectors > 10, "%llu, %llu",
              (unsigned long long)s.l1_load_sector_hits, (unsigned long long)s.dram_read_sectors);
    close_pair(&p);
}

Test(coherent_as_caches, whole_sectors) {
    static const char *const protocols[] = {"mesi", "moesi"}; /* written-through sectors are clean */
    for (unsigned i = 0; i < 2 * sizeof protocols / sizeof *protocols; i++)
        keep_as_in_caches(protocols[i / 2], i % 2);
}
