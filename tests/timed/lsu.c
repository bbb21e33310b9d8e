/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "timed/coherent_rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/*
 * l1.coalescer = multi2sim (section 3.10 of the specification of Multi2Sim's NMOESI): joining, lookups and waiting of
 * the lanes' accesses; instructions begun by load/store units.
 */

#define LANES "l1.coalescer = multi2sim\nl1.queue = 100\n"

static void open(rig *r, const char *settings) {
    char text[400];
    snprintf(text, sizeof text, LANES "%s", settings ? settings : "");
    coherent_open(r, "nmoesi", text);
}

/* Lookups of L1 so far, and hits. */
static void expect_lookups(const rig *r, uint64_t lookups, uint64_t hits, int line) {
    const measured_module s = coherent_stats(r, "l1-0");
    cr_expect_eq(s.accesses, lookups, "line %d: %u lookups", line, (unsigned)s.accesses);
    cr_expect_eq(s.hits, hits, "line %d: %u hits", line, (unsigned)s.hits);
}
#define EXPECT_LOOKUPS(r, lookups, hits) expect_lookups(r, lookups, hits, __LINE__)

static uint64_t cycles_of(const rig *r, uint64_t token) {
    return r->done[token].cycle - r->done[token].issued;
}

/* Lane i touches line i % lines, 128 bytes apart from 0 on. */
static uint64_t issue_in_turn(rig *r, gpc_kind kind, uint32_t lines) {
    uint64_t addresses[32];
    gpc_warp_access w = GPC_WARP_ACCESS_INIT;
    for (uint32_t i = 0; i < 32; i++)
        addresses[i] = (i % lines) * 128 + i * 4;
    w.kind = (uint8_t)kind;
    w.width = 4;
    w.mask = UINT32_MAX;
    w.addresses = addresses;
    const uint64_t token = r->issued;
    cr_assert_eq(gpc_hierarchy_try_issue(r->hierarchy, &w, token, NULL, NULL), GPC_OK);
    r->done[token] = (rig_done){.issued = rig_now(r), .accepted = true};
    r->issued++;
    return token;
}

/* A load's lanes are part of the first to the line, with or without others between; and count no hits. */
Test(timed_lsu, loads_join) {
    for (uint32_t lines = 1; lines <= 4; lines++) {
        rig r;
        open(&r, NULL);
        const uint64_t token = issue_in_turn(&r, GPC_LOAD, lines);
        rig_finish(&r);
        EXPECT_LOOKUPS(&r, lines, 0);
        const measured_module s = coherent_stats(&r, "l1-0");
        cr_expect_eq(s.loads, 32);
        cr_expect_eq(s.load_hits, 0);
        const measured_stats all = rig_stats(&r);
        cr_expect_eq(all.network_requests, lines);
        cr_expect_eq(all.l1_load_sectors, 32);
        cr_expect_eq(all.l1_load_sector_hits, 32 - lines);
        cr_expect_eq(all.l1_pending_sector_hits, 32 - lines);
        cr_expect_eq(all.l1_load_line_misses, lines);
        cr_expect_eq(cycles_of(&r, token), MISS_APART + lines - 1); /* requests leave L1 one by one */
        coherent_close(&r);
    }
}

/* A store's lane can only be part of the previous one: alternating lanes are all looked up. */
Test(timed_lsu, stores_join_the_one_before) {
    for (uint32_t lines = 1; lines <= 4; lines++) {
        rig r;
        open(&r, NULL);
        issue_in_turn(&r, GPC_STORE, lines);
        rig_finish(&r);
        EXPECT_LOOKUPS(&r, lines == 1 ? 1 : 32, lines == 1 ? 0 : 32 - lines);
        cr_expect_eq(coherent_stats(&r, "l1-0").n_stores, 32);
        cr_expect_eq(rig_stats(&r).network_requests, lines);
        cr_expect_eq(coherent_state(&r, "l1-0", 0), GPC_LINE_N);
        coherent_close(&r);
    }
}

/* Loads of a line join across instructions, and across loads of other lines; not across a store, nor a store a load. */
Test(timed_lsu, what_is_between) {
    static const struct {
        gpc_kind kinds[3];
        uint64_t lines[3], lookups, hits;
    } cases[] = {
        {{GPC_LOAD, GPC_LOAD, GPC_LOAD}, {0, 128, 0}, 2, 0},   {{GPC_LOAD, GPC_STORE, GPC_LOAD}, {0, 128, 0}, 3, 1},
        {{GPC_LOAD, GPC_STORE, GPC_LOAD}, {0, 0, 0}, 3, 2},    {{GPC_STORE, GPC_STORE, GPC_STORE}, {0, 0, 0}, 1, 0},
        {{GPC_STORE, GPC_LOAD, GPC_STORE}, {0, 128, 0}, 3, 1}, {{GPC_STORE, GPC_STORE, GPC_STORE}, {0, 128, 0}, 3, 1},
        {{GPC_STORE, GPC_ATOMIC, GPC_STORE}, {0, 0, 0}, 3, 2},
    };
    for (unsigned c = 0; c < sizeof cases / sizeof *cases; c++) {
        rig r;
        open(&r, NULL);
        for (unsigned i = 0; i < 3; i++)
            rig_issue(&r, LINE(cases[c].kinds[i], cases[c].lines[i], .warp = i));
        rig_finish(&r);
        const measured_module s = coherent_stats(&r, "l1-0");
        cr_expect_eq(s.accesses, cases[c].lookups, "case %u: %u lookups", c, (unsigned)s.accesses);
        cr_expect_eq(s.hits, cases[c].hits, "case %u: %u hits", c, (unsigned)s.hits);
        coherent_close(&r);
    }
}

/* A lane over the end of a line is two accesses. */
Test(timed_lsu, over_a_line) {
    rig r;
    open(&r, NULL);
    rig_issue(&r, (shot){.kind = GPC_LOAD, .lanes = 32, .width = 8, .stride = 8, .address = 4});
    rig_finish(&r);
    EXPECT_LOOKUPS(&r, 3, 0);
    cr_expect_eq(coherent_stats(&r, "l1-0").loads, 34);
    coherent_close(&r);
}

/* Arrays that begin behind a word: a warp's 128 bytes are in two lines, of which the next warp has the second. */
Test(timed_lsu, neighbours_share_a_line) {
    rig r;
    open(&r, NULL);
    for (uint32_t warp = 0; warp < 8; warp++) {
        rig_issue(&r, LINE(GPC_LOAD, warp * 128 + 4, .warp = warp));
        rig_finish(&r);
    }
    EXPECT_LOOKUPS(&r, 16, 7);
    coherent_close(&r);
}

/* The limit applies to an instruction as a whole: 32 lines begin with one entry, and the next when all are done. */
Test(timed_lsu, mshr_entries_advise) {
    rig r;
    open(&r, "l1.mshr_entries = 1\nsm.lsus = 2\n");
    const uint64_t first = rig_issue(&r, WORDS(GPC_LOAD, 0, 32, 128));
    rig_step(&r);
    const uint64_t second = rig_issue(&r, WORD(GPC_LOAD, SET * 2, .warp = 1));
    rig_finish(&r);
    EXPECT_LOOKUPS(&r, 33, 0);
    cr_expect_eq(cycles_of(&r, first), MISS_APART + 31);
    cr_expect_geq(cycles_of(&r, second), cycles_of(&r, first) + MISS_APART - TAGS - 1);
    cr_expect_eq(rig_stats(&r).l1_mshr_failures, 1);
    coherent_close(&r);
}

/* Units begin instructions in sequence; with one in flight the second waits for the first's end. */
Test(timed_lsu, units) {
    static const struct {
        const char *settings;
        uint64_t after; /* the second's end, after the first's */
    } cases[] = {{"", 1},
                 {"sm.lsu_in_flight = 1\n", MISS_APART - TAGS},
                 {"sm.lsu_in_flight = 2\n", 1},
                 {"sm.lsus = 2\nsm.lsu_in_flight = 1\n", 1}};
    for (unsigned c = 0; c < sizeof cases / sizeof *cases; c++) {
        rig r;
        open(&r, cases[c].settings);
        const uint64_t first = rig_issue(&r, WORD(GPC_LOAD, 0)), second = rig_issue(&r, WORD(GPC_LOAD, 128, .warp = 1));
        rig_finish(&r);
        cr_expect_eq(r.done[first].cycle, MISS_APART, "case %u", c);
        cr_expect_eq(r.done[second].cycle - r.done[first].cycle, cases[c].after, "case %u: %u", c,
                     (unsigned)(r.done[second].cycle - r.done[first].cycle));
        coherent_close(&r);
    }
}

/* A store that is part of another signals at once: the unit continues though the line is still in flight. */
Test(timed_lsu, joined_stores_signal) {
    rig r;
    open(&r, "sm.lsus = 2\nsm.lsu_in_flight = 1\n");
    const uint64_t first = rig_issue(&r, LINE(GPC_STORE, 0)), joined = rig_issue(&r, LINE(GPC_STORE, 0, .warp = 1));
    const uint64_t third = rig_issue(&r, WORD(GPC_LOAD, 128, .warp = 1));
    rig_finish(&r);
    cr_expect_eq(r.done[joined].cycle, r.done[first].cycle);
    cr_expect_leq(r.done[third].cycle, r.done[first].cycle + 2);
    EXPECT_LOOKUPS(&r, 2, 0);
    coherent_close(&r);
}

/* No waiting: a load is done when begun, and the accesses continue; entries hold up the next. */
Test(timed_lsu, nothing_is_awaited) {
    rig r;
    open(&r, "sm.lsu_waits = false\nl1.mshr_entries = 1\n");
    const uint64_t first = rig_issue(&r, WORDS(GPC_LOAD, 0, 32, 128)), second = rig_issue(&r, WORD(GPC_LOAD, SET));
    rig_wait(&r, first);
    cr_expect_eq(cycles_of(&r, first), TAGS);
    cr_expect_eq(gpc_hierarchy_in_flight(r.hierarchy), 1);
    rig_finish(&r);
    cr_expect_geq(cycles_of(&r, second), MISS_APART - 1);
    cr_assert_eq(gpc_hierarchy_drain(r.hierarchy, NULL), GPC_OK);
    EXPECT_LOOKUPS(&r, 33, 0);
    cr_expect_eq(rig_stats(&r).network_requests, 33);
    cr_expect_eq(rig_stats(&r).l1_load_dram_lines, 33);
    coherent_close(&r);
}

/* A hit takes L1's latency, and no port: 32 lines in one cycle. */
Test(timed_lsu, hits) {
    rig r;
    open(&r, NULL);
    rig_latency(&r, WORDS(GPC_LOAD, 0, 32, 128));
    cr_expect_eq(rig_latency(&r, WORDS(GPC_LOAD, 0, 32, 128)), TAGS + L1_DATA);
    EXPECT_LOOKUPS(&r, 64, 32);
    coherent_close(&r);
}

static void expect_refused(const char *settings, const char *what) {
    gpc_error error = GPC_ERROR_INIT;
    char text[2048];
    snprintf(text, sizeof text, "%s%s", coherent_base, settings);
    cr_expect_eq(rig_refused(text, &error), GPC_ERROR_RANGE, "%s", settings);
    cr_expect(strstr(error.message, what), "%s: %s", settings, error.message);
}

/* Settings without effect, or meaning. */
Test(timed_lsu, refused) {
    expect_refused(LANES, "l1.coalescer = multi2sim needs mode = timed and coherence");
    expect_refused(LANES "coherence = viper\nl1.write_policy = through\n", "l1.coalescer = multi2sim needs");
    expect_refused(LANES "coherence = nmoesi\nmode = functional\n", "l1.coalescer = multi2sim needs");
    expect_refused("coherence = nmoesi\nsm.lsus = 2\n", "need l1.coalescer");
    expect_refused("coherence = nmoesi\nsm.lsu_in_flight = 2\n", "need l1.coalescer");
    expect_refused("coherence = nmoesi\nsm.lsu_waits = false\n", "need l1.coalescer");
    expect_refused(LANES "coherence = nmoesi\nl1.issue_latency = 1\n", "l1.issue_latency needs l1.coalescer = warp");
    expect_refused("l1.reorder = pc\nl1.issue_latency = 1\n", "l1.issue_latency needs");
    expect_refused(LANES "coherence = nmoesi\nsm.lsu_waits = false\nsm.lsu_in_flight = 1\n", "needs sm.lsu_waits");
    expect_refused(LANES "coherence = nmoesi\ncoherence.data = true\n", "coherence.data = false");
    rig r;
    open(&r, NULL);
    gpc_fence fence = GPC_FENCE_INIT;
    fence.order = GPC_ORDER_ACQ_REL;
    cr_expect_eq(gpc_hierarchy_try_fence(r.hierarchy, &fence, 0, NULL, NULL), GPC_ERROR_UNSUPPORTED);
    uint64_t address = 0;
    gpc_warp_access w = GPC_WARP_ACCESS_INIT;
    w.mask = 1;
    w.width = 4;
    w.addresses = &address;
    w.order = GPC_ORDER_ACQUIRE;
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_eq(gpc_hierarchy_try_issue(r.hierarchy, &w, 0, NULL, &error), GPC_ERROR_ARGUMENT);
    cr_expect(strstr(error.message, "l1.coalescer = multi2sim"), "%s", error.message);
    coherent_close(&r);
}
