/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/coherent_rig.h"
#include "timed/core/timed.h"

#include "coherence/module/tree.h"
#include "measured.h"
#include "suited.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Conflicting accesses: in an L1, joining or waiting in MSHRs, and below, with held blocks. */

static uint64_t cycles_of(const rig *r, uint64_t token) {
    return r->done[token].cycle - r->done[token].issued;
}

/* Loads of a line in flight join it; one more than l1.mshr_merges waits at the tags, and then hits. */
Test(timed_coherent_conflict, loads_merge) {
    rig r;
    coherent_open(&r, "nmoesi", "l1.mshr_merges = 2\n");
    uint64_t tokens[3];
    for (uint32_t i = 0; i < 3; i++)
        tokens[i] = rig_issue(&r, LINE(GPC_LOAD, 0, .warp = i));
    rig_finish(&r);
    cr_expect_eq(cycles_of(&r, tokens[0]), MISS);
    cr_expect_eq(cycles_of(&r, tokens[1]), MISS);
    cr_expect_eq(cycles_of(&r, tokens[2]), MISS + L1_DATA);
    measured_stats s = rig_stats(&r);
    cr_expect_eq(s.l1_merge_failures, 1);
    cr_expect_eq(s.l1_pending_sector_hits, 4);
    cr_expect_eq(s.l1_load_sector_hits, 8);
    cr_expect_eq(s.l1_load_line_misses, 1);
    cr_expect_eq(s.network_requests, 1);
    coherent_close(&r);
}

/* A store does not join a load, nor a load a store: it waits at the entry, and starts afterwards. */
Test(timed_coherent_conflict, stores_wait) {
    for (unsigned order = 0; order < 2; order++) {
        rig r;
        coherent_open(&r, "nmoesi", NULL);
        uint64_t first = rig_issue(&r, LINE(order ? GPC_STORE : GPC_LOAD, 0));
        uint64_t second = rig_issue(&r, LINE(order ? GPC_LOAD : GPC_STORE, 0));
        rig_finish(&r);
        cr_expect_eq(cycles_of(&r, first), MISS);
        cr_expect_eq(cycles_of(&r, second), MISS + L1_DATA);
        cr_expect_eq(rig_stats(&r).l1_merge_failures, 0);
        coherent_close(&r);
    }
}

/*
 * Accesses served by controllers from L1 are hits: data take the latency. Sectors brought as neighbours are ready with
 * the other, like merged accesses.
 */
Test(timed_coherent_conflict, own_data) {
    rig r;
    coherent_open(&r, "vi", NULL);
    rig_latency(&r, LINE(GPC_LOAD, 0));
    EXPECT_CYCLES(&r, LINE(GPC_LOAD, 0, .hint = GPC_HINT_CG), TAGS + L1_DATA);
    coherent_close(&r);
    coherent_open(&r, "vi", "l1.sectors = 4\nl2.sectors = 4\nl1.fetch_sectors = 2\n");
    const uint64_t first = rig_issue(&r, WORD(GPC_LOAD, 0)), second = rig_issue(&r, WORD(GPC_LOAD, 32));
    rig_finish(&r);
    cr_expect_eq(cycles_of(&r, first), MISS);
    cr_expect_eq(cycles_of(&r, second), MISS, "%u: both come in a packet", (unsigned)cycles_of(&r, second));
    cr_expect_eq(rig_stats(&r).l1_pending_sector_hits, 1);
    coherent_close(&r);
}

/* With one MSHR entry a second line waits for the first to be done. */
Test(timed_coherent_conflict, mshr_entries) {
    rig r;
    coherent_open(&r, "nmoesi", "l1.mshr_entries = 1\n");
    uint64_t first = rig_issue(&r, LINE(GPC_LOAD, 0)), second = rig_issue(&r, LINE(GPC_LOAD, 128));
    uint64_t hit = rig_issue(&r, LINE(GPC_LOAD, 128));
    rig_finish(&r);
    cr_expect_eq(cycles_of(&r, first), MISS);
    cr_expect_eq(cycles_of(&r, second), 2 * MISS - TAGS);
    cr_expect_eq(cycles_of(&r, hit), 2 * MISS - TAGS);
    cr_expect_eq(rig_stats(&r).l1_mshr_failures, 1);
    cr_expect_eq(rig_stats(&r).l1_mshr_cycles, 2 * (MISS - TAGS));
    coherent_close(&r);
}

/* A full miss queue holds up accesses that need it, but no hits. */
Test(timed_coherent_conflict, miss_queue) {
    rig r;
    coherent_open(&r, "nmoesi", "l1.miss_queue = 1\nnetwork.width = 1\nnetwork.input_buffer = 1\n");
    rig_latency(&r, LINE(GPC_LOAD, 0));
    for (uint64_t i = 1; i < 6; i++)
        rig_issue(&r, LINE(GPC_LOAD, i * 128));
    rig_finish(&r);
    cr_expect_gt(rig_stats(&r).l1_queue_failures, 0);
    uint64_t hit = rig_latency(&r, LINE(GPC_LOAD, 0));
    cr_expect_eq(hit, TAGS + L1_DATA);
    coherent_close(&r);
}

/*
 * n lines from memory, and n entries or one less in the slice: the last then gets the first's when the first one's data
 * are sent, and asks memory in that cycle.
 */
Test(timed_coherent_conflict, slice_mshr_entries) {
    for (uint32_t n = 2; n <= 4; n++)
        for (uint32_t entries = n - 1; entries <= n; entries++) {
            rig r;
            char settings[40];
            snprintf(settings, sizeof settings, "l2.mshr_entries = %u\n", entries);
            coherent_open(&r, "nmoesi", settings);
            uint64_t tokens[4], held = MEMORY + L2_DATA, last = n - 1;
            for (uint32_t i = 0; i < n; i++)
                tokens[i] = rig_issue(&r, LINE(GPC_LOAD, i * 128));
            rig_finish(&r);
            for (uint32_t i = 0; i < last; i++)
                cr_expect_eq(cycles_of(&r, tokens[i]), MISS + i);
            cr_expect_eq(cycles_of(&r, tokens[last]), MISS + (entries < n ? held : last));
            measured_stats s = rig_stats(&r);
            cr_expect_eq(s.l2_mshr_failures, entries < n);
            cr_expect_eq(s.l2_mshr_stalls, entries < n ? held - last : 0);
            cr_expect_eq(s.l2_mshr_cycles, n * held);
            coherent_close(&r);
        }
}

/* Tags are in order: a hit waits behind a request without an entry, and is a cycle behind at the only port. */
Test(timed_coherent_conflict, slice_hit_behind_miss) {
    rig r;
    coherent_open(&r, "vi", "l2.mshr_entries = 1\n");
    rig_latency(&r, LINE(GPC_LOAD, 256));
    rig_issue(&r, LINE(GPC_LOAD, 0));
    uint64_t second = rig_issue(&r, LINE(GPC_LOAD, 128));
    rig_steps(&r, 3);
    uint64_t hit = rig_issue(&r, LINE(GPC_LOAD, 256, .sm = 1));
    rig_finish(&r);
    cr_expect_eq(cycles_of(&r, second), MISS + MEMORY + L2_DATA);
    cr_expect_eq(cycles_of(&r, hit), MISS + 1 + L2_DATA - 3);
    coherent_close(&r);
}

/* The answer to a probe does not: the earlier load takes as long as alone. */
Test(timed_coherent_conflict, slice_answers_pass) {
    rig r;
    coherent_open(&r, "moesi", "l2.mshr_entries = 1\n");
    rig_latency(&r, LINE(GPC_ATOMIC, 0));
    uint64_t shared = rig_issue(&r, LINE(GPC_LOAD, 0, .sm = 1));
    rig_issue(&r, LINE(GPC_LOAD, 128, .sm = 1));
    uint64_t third = rig_issue(&r, LINE(GPC_LOAD, 256, .sm = 1));
    rig_finish(&r);
    cr_expect_eq(cycles_of(&r, shared), TAGS + CROSS + ENTER + CROSS + L1_DATA + CROSS + ENTER + CROSS);
    cr_expect_eq(cycles_of(&r, third), MISS + 1 + MEMORY + L2_DATA);
    cr_expect_eq(rig_stats(&r).l2_mshr_failures, 1);
    coherent_close(&r);
}

/*
 * Two SMs ask for a line from memory, in the same cycle. The requests leave in sequence; the second finds the block
 * held until the slice has it, and then takes the slice's data directly.
 */
Test(timed_coherent_conflict, waits) {
    rig r;
    coherent_open(&r, "vi", "coherence.conflict = wait\n");
    uint64_t first = rig_issue(&r, LINE(GPC_LOAD, 0)), second = rig_issue(&r, LINE(GPC_LOAD, 0, .sm = 1));
    rig_finish(&r);
    cr_expect_eq(cycles_of(&r, first), MISS);
    cr_expect_eq(cycles_of(&r, second), MISS + 1, "%u", (unsigned)cycles_of(&r, second));
    cr_expect_eq(coherent_stats(&r, NULL).retries, 0);
    coherent_close(&r);
}

/* With refusals: refused and sent again, until admitted. */
Test(timed_coherent_conflict, retries) {
    rig r;
    coherent_open(&r, "vi", "coherence.conflict = retry\n");
    uint64_t first = rig_issue(&r, LINE(GPC_LOAD, 0)), second = rig_issue(&r, LINE(GPC_LOAD, 0, .sm = 1));
    rig_finish(&r);
    measured_module s = coherent_stats(&r, "l1-1"), l2 = coherent_stats(&r, "l2-0");
    cr_expect_eq(cycles_of(&r, first), MISS);
    /* the copy returns 2 CROSS + ENTER and 0 to 11 cycles after arrival, from cycle 9 on, for the time of memory */
    uint64_t held = ENTER + MEMORY, turn = 2 * CROSS + ENTER;
    cr_expect_geq(s.retries, held / (turn + L1_DATA + 1));
    cr_expect_leq(s.retries, held / turn + 1);
    cr_expect_geq(cycles_of(&r, second), MISS);
    cr_expect_lt(cycles_of(&r, second), MISS + turn + L1_DATA + 1);
    cr_expect_eq(s.accesses, 1 + s.retries);
    cr_expect_eq(l2.accesses, 2 + s.retries);
    cr_expect_eq(s.low_sent, 8 * (1 + s.retries));
    cr_expect_eq(s.low_received, 8 * s.retries + 8 + 128);
    coherent_close(&r);
}

/*
 * Refused accesses of a GPU with one entry in an L1 end between messages: L1 looks again for the packet that waits for
 * the entry.
 */
Test(timed_coherent_conflict, retries_with_one_entry) {
    gpc_context *context;
    gpc_config *config;
    gpc_hierarchy *h;
    gpc_error error = GPC_ERROR_INIT;
    uint64_t addresses[8];
    for (uint64_t lane = 0; lane < 8; lane++)
        addresses[lane] = 0x10700 + lane * 128;
    cr_assert_eq(gpc_context_create(NULL, &context, &error), GPC_OK);
    cr_assert_eq(gpc_config_create(context, &config, &error), GPC_OK);
    cr_assert_eq(gpc_config_load_text(config,
                                      "mode = timed\npreset = rtx2060\ncoherence = mesi\n"
                                      "coherence.conflict = retry\nl1.mshr_entries = 1\n",
                                      "set", &error),
                 GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_hierarchy_create(context, config, &h, &error), GPC_OK, "%s", error.message);
    for (uint32_t i = 0; i < 2; i++) {
        gpc_warp_access access = GPC_WARP_ACCESS_INIT;
        access.sm = 26 * i;
        access.mask = 0xff;
        access.width = 4;
        access.addresses = addresses;
        access.kind = i ? GPC_LOAD : GPC_ATOMIC;
        cr_assert_eq(gpc_hierarchy_try_issue(h, &access, i, NULL, NULL), GPC_OK);
    }
    cr_assert_eq(gpc_hierarchy_drain(h, &error), GPC_OK, "%s", error.message);
    gpc_hierarchy_destroy(h);
    gpc_config_destroy(config);
    gpc_context_destroy(context);
}

/* The time of the return is random, by the seed. */
Test(timed_coherent_conflict, chance_by_seed) {
    uint64_t trails[3];
    for (unsigned run = 0; run < 3; run++) {
        gpc_context_options options = GPC_CONTEXT_OPTIONS_INIT;
        options.seed = run == 2 ? 2 : 1;
        gpc_context *context;
        gpc_config *config;
        gpc_hierarchy *h;
        gpc_error error = GPC_ERROR_INIT;
        cr_assert_eq(gpc_context_create(&options, &context, &error), GPC_OK);
        cr_assert_eq(gpc_config_create(context, &config, &error), GPC_OK);
        cr_assert_eq(gpc_config_load_text(config, rig_base, "base", &error), GPC_OK);
        cr_assert_eq(gpc_config_load_text(config, coherent_base, "base", &error), GPC_OK);
        cr_assert_eq(
            gpc_config_load_text(config, "coherence = vi\ncoherence.conflict = retry\nsm.count = 8\n", "set", &error),
            GPC_OK);
        suit(context, config);
        cr_assert_eq(gpc_hierarchy_create(context, config, &h, &error), GPC_OK, "%s", error.message);
        for (uint32_t sm = 0; sm < 8; sm++) {
            uint64_t address = 0;
            gpc_warp_access w = GPC_WARP_ACCESS_INIT;
            w.sm = sm;
            w.mask = 1;
            w.addresses = &address;
            w.width = 4;
            cr_assert_eq(gpc_hierarchy_try_issue(h, &w, sm, NULL, NULL), GPC_OK);
        }
        cr_assert_eq(gpc_hierarchy_drain(h, &error), GPC_OK);
        measured_stats s;
        measured_clear(&s);
        measure_hierarchy(h, &s);
        trails[run] = s.load_cycles;
        gpc_hierarchy_destroy(h);
        gpc_config_destroy(config);
        gpc_context_destroy(context);
    }
    cr_expect_eq(trails[0], trails[1]);
    cr_expect_neq(trails[0], trails[2]);
}

/* A way with a line in flight: the access that takes it waits until the line has arrived, and evicts it. */
Test(timed_coherent_conflict, victim_in_flight) {
    rig r;
    coherent_open(&r, "nmoesi", "l1.size = 4KiB\nl1.ways = 1\n");
    uint64_t first = rig_issue(&r, LINE(GPC_LOAD, 0)), second = rig_issue(&r, LINE(GPC_LOAD, SET));
    rig_finish(&r);
    cr_expect_eq(cycles_of(&r, first), MISS);
    cr_expect_eq(cycles_of(&r, second), 2 * MISS - TAGS);
    cr_expect_eq(coherent_state(&r, "l1-0", 0), GPC_LINE_I);
    cr_expect_eq(coherent_state(&r, "l1-0", SET), GPC_LINE_E);
    coherent_close(&r);
}

/* A line's accesses keep order, with any number waiting at the entry: stores, loads, and stores again. */
Test(timed_coherent_conflict, order_within_a_line) {
    static const uint8_t kinds[] = {GPC_LOAD, GPC_LOAD, GPC_STORE, GPC_LOAD, GPC_ATOMIC, GPC_LOAD, GPC_LOAD, GPC_STORE};
    enum { COUNT = sizeof kinds };
    rig r;
    coherent_open(&r, "nmoesi", "l1.mshr_merges = 8\n");
    uint64_t tokens[COUNT];
    for (uint32_t i = 0; i < COUNT; i++)
        tokens[i] = rig_issue(&r, LINE(kinds[i], 0, .warp = i));
    rig_finish(&r);
    for (uint32_t i = 1; i < COUNT; i++)
        cr_expect_leq(r.done[tokens[i - 1]].cycle, r.done[tokens[i]].cycle, "%u", i);
    cr_expect_eq(rig_stats(&r).l1_merge_failures, 0);
    cr_expect_eq(rig_stats(&r).network_requests, 2); /* for the line, and for the right to perform the atomic */
    cr_expect_eq(coherent_state(&r, "l1-0", 0), GPC_LINE_M);
    coherent_close(&r);
}

/*
 * D1 of Multi2Sim 5.0. SM 0 has line 0 modified, and writes it back before a non-coherent store; L2 refuses, because SM
 * 1's load holds the block there, and probes SM 0. If SM 0 kept the block locked while retrying, the probe would wait
 * forever.
 */
static void write_back_what_is_probed(rig *r, bool fault) {
    coherent_open(r, "nmoesi-multi2sim", "deadlock.cycles = 5000\n");
    rig_latency(r, LINE(GPC_ATOMIC, 0));
    r->hierarchy->timed->checked.defective = fault;
    if (fault)
        gpci_coherence_inject(gpc_hierarchy_coherence(r->hierarchy), GPCI_FAULT_NO_UNLOCK, 0);
    rig_issue(r, LINE(GPC_LOAD, 0, .sm = 1));
    rig_steps(r, 1); /* SM 1's load goes first, and the probe has not arrived */
    rig_issue(r, LINE(GPC_STORE, 0));
}

Test(timed_coherent_conflict, no_deadlock) {
    rig r;
    write_back_what_is_probed(&r, false);
    rig_finish(&r);
    cr_expect_gt(coherent_stats(&r, "l1-0").retries, 0, "nothing met");
    coherent_close(&r);
}

Test(timed_coherent_conflict, deadlock_is_told) {
    rig r;
    write_back_what_is_probed(&r, true);
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_eq(gpc_hierarchy_drain(r.hierarchy, &error), GPC_ERROR_STATE);
    cr_expect(strstr(error.message, "nothing moves"), "%s", error.message);
    cr_expect(strstr(error.message, "l1-0's access to 0x0 holds block 0x0 of l1-0"), "%s", error.message);
    cr_expect(strstr(error.message, "the access of l1-0 to l1-0 for 0x0 waits for that"), "%s", error.message);
    rig_abandon(&r);
}
