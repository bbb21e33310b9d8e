/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "timed/coherent_rig.h"

#include <criterion/criterion.h>

/*
 * End of a store, by write policy (gpc_completion of hierarchy.h): with L2's acknowledgement, or with the bytes in L1.
 * The rig: L1 hits after 10 cycles, L2 after 20, a network crosses in 6, memory answers after 100.
 */

static rig r;

#define MEMORY_LATENCY 100u

/* Traffic at the end of the store, since the last reset. */
typedef struct outcome {
    uint64_t cycles, l2_writes, requests;
    uint8_t level;
} outcome;

static outcome store(shot s) {
    gpc_hierarchy_reset_stats(r.hierarchy);
    const uint64_t token = rig_issue(&r, s);
    rig_wait(&r, token);
    const measured_stats stats = rig_stats(&r);
    const outcome o = {r.done[token].cycle - r.done[token].issued, stats.l2_write_sectors, stats.network_requests,
                       r.done[token].level};
    rig_finish(&r);
    return o;
}

/* Passed on: the bytes are in L2 at the end, after a way there and back. */
static void expect_passed_on(const char *settings, bool resident) {
    rig_open(&r, settings, MEMORY_LATENCY);
    if (resident)
        rig_latency(&r, LINE(GPC_LOAD, 0));
    const outcome o = store(LINE(GPC_STORE, 0));
    cr_expect_eq(o.level, 2, "%s", settings);
    cr_expect_eq(o.l2_writes, 4, "%s: L2 has it", settings);
    cr_expect(o.cycles > 2 * 6 && o.cycles < MEMORY_LATENCY, "%s: %u cycles", settings, (unsigned)o.cycles);
    rig_close(&r);
}

Test(timed_stores, passed_on) {
    expect_passed_on("l1.write_policy = evict\n", false);
    expect_passed_on("l1.write_policy = evict\n", true);
    expect_passed_on("l1.write_policy = through\nl1.write_allocate = none\n", false);
    expect_passed_on("l1.write_policy = through\nl1.write_allocate = none\n", true);
    expect_passed_on("l1.write_policy = back\nl1.write_allocate = none\n", false);
    expect_passed_on("l1.enabled = false\n", false);
}

/* Part of a sector: L2 fetches the rest before acknowledging, with a counter. */
Test(timed_stores, passed_on_in_part) {
    rig_open(&r, NULL, MEMORY_LATENCY);
    outcome o = store(WORD(GPC_STORE, 4096));
    cr_expect(o.level == 3 && o.cycles > MEMORY_LATENCY, "level %u, %u cycles", o.level, (unsigned)o.cycles);
    o = store(WORD(GPC_STORE, 4096));
    cr_expect(o.level == 2 && o.cycles < MEMORY_LATENCY);
    rig_close(&r);
    rig_open(&r, "l2.write_allocate = lazy\n", MEMORY_LATENCY);
    o = store(WORD(GPC_STORE, 4096));
    cr_expect(o.level == 2 && o.cycles < MEMORY_LATENCY);
    rig_close(&r);
}

/* Without L2 it goes to memory, without waiting. */
Test(timed_stores, passed_on_to_memory) {
    rig_open(&r, "l2.enabled = false\n", MEMORY_LATENCY);
    const outcome o = store(LINE(GPC_STORE, 4096));
    cr_expect(o.level == 3 && o.cycles < MEMORY_LATENCY, "level %u, %u cycles", o.level, (unsigned)o.cycles);
    cr_expect_eq(r.memory.write_bytes, 128);
    rig_close(&r);
}

#define BACK "l1.write_policy = back\nl1.write_allocate = fetch\n"

/* Kept: no traffic leaves L1, except a fetch. */
Test(timed_stores, kept_by_l1) {
    rig_open(&r, BACK, MEMORY_LATENCY);
    outcome o = store(WORD(GPC_STORE, 0));
    cr_expect(o.requests == 1 && o.level == 3 && o.cycles > MEMORY_LATENCY, "a fetch: %u cycles", (unsigned)o.cycles);
    cr_expect_eq(o.l2_writes, 0);
    const uint64_t load = rig_latency(&r, WORD(GPC_LOAD, 0));
    o = store(WORD(GPC_STORE, 0));
    cr_expect(o.level == 1 && o.requests == 0 && o.l2_writes == 0);
    cr_expect_eq(o.cycles, load, "as long as a hit");
    o = store(LINE(GPC_STORE, 4096));
    cr_expect(o.level == 1 && o.requests == 0, "whole sectors need no fetch");
    rig_close(&r);
    rig_open(&r, "l1.write_policy = back\nl1.write_allocate = lazy\n", MEMORY_LATENCY);
    o = store(WORD(GPC_STORE, 0));
    cr_expect(o.level == 1 && o.requests == 0 && o.cycles == load, "%u cycles", (unsigned)o.cycles);
    rig_close(&r);
}

/* Kept and written through: when both are done. */
Test(timed_stores, kept_and_passed_on) {
    rig_open(&r, "l1.write_policy = through\nl1.write_allocate = fetch\n", MEMORY_LATENCY);
    outcome o = store(WORD(GPC_STORE, 0));
    cr_expect(o.requests == 2 && o.level == 3 && o.cycles > MEMORY_LATENCY && o.l2_writes == 1);
    o = store(WORD(GPC_STORE, 0));
    cr_expect(o.requests == 1 && o.l2_writes == 1 && o.level == 2 && o.cycles > 2 * 6, "the acknowledgement");
    rig_close(&r);
}

/* A host's L1 is told by L2. */
Test(timed_stores, of_misses) {
    rig_open(&r, BACK, MEMORY_LATENCY);
    const gpc_request request = {.address = 4096, .kind = GPC_STORE};
    cr_assert_eq(gpc_hierarchy_try_miss(r.hierarchy, &request, r.issued, NULL, NULL), GPC_OK);
    rig_wait(&r, r.issued++);
    cr_expect_eq(rig_stats(&r).l2_write_sectors, 4);
    cr_expect(r.done[0].level == 2 && r.done[0].cycle > 2 * 6);
    rig_close(&r);
}

/* In a tree, once L1 may write and has written; a store passed on by L1, once performed. */
Test(timed_stores, trees) {
    coherent_open(&r, "msi", "");
    outcome o = store(WORD(GPC_STORE, 0));
    cr_expect(o.level == 3 && coherent_state(&r, "l1-0", 0) == GPC_LINE_M);
    o = store(WORD(GPC_STORE, 0));
    cr_expect(o.level == 1 && o.requests == 0);
    rig_wait(&r, rig_issue(&r, WORD(GPC_LOAD, 0, .sm = 1)));
    rig_finish(&r);
    o = store(WORD(GPC_STORE, 0));
    cr_expect(o.level == 2 && o.cycles > 2 * CROSS, "the other copy has gone");
    coherent_close(&r);
}
