/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "timed/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Requests of a line that leave L1 together: l1.combine_lines, l1.combine_cycles. */

#define MEMORY 200u
#define WAIT 16u

static const char through[] = "l1.combine_lines = 16\nl1.combine_cycles = 16\nsm.schedulers = 4\nsm.count = 2\n"
                              "l1.write_policy = through\nl1.write_policy_local = through\n"
                              "l1.write_allocate = none\nl1.write_allocate_local = none\n";

static void start(rig *r) {
    rig_open(r, through, MEMORY);
}

/* Number of requests that went with another. */
static void expect_combined(int line, const rig *r, uint64_t combined, uint64_t reads, uint64_t writes) {
    const measured_stats s = rig_stats(r);
    cr_expect_eq(s.l1_combined_requests, combined, "line %d: %u combined", line, (unsigned)s.l1_combined_requests);
    cr_expect_eq(s.l2_read_sectors, reads, "line %d: %u read", line, (unsigned)s.l2_read_sectors);
    cr_expect_eq(s.l2_write_sectors, writes, "line %d: %u written", line, (unsigned)s.l2_write_sectors);
}
#define COMBINED(r, combined, reads, writes) expect_combined(__LINE__, r, combined, reads, writes)

Test(combine, reads_of_a_line) {
    rig r;
    start(&r);
    const uint64_t a = rig_issue(&r, WORD(GPC_LOAD, 0x1000)), b = rig_issue(&r, WORD(GPC_LOAD, 0x1020)),
                   c = rig_issue(&r, WORD(GPC_LOAD, 0x1060));
    rig_finish(&r);
    COMBINED(&r, 2, 3, 0);
    cr_expect_eq(r.done[a].cycle, r.done[b].cycle, "one reply");
    cr_expect_eq(r.done[a].cycle, r.done[c].cycle);
    cr_expect_eq(rig_stats(&r).l1_fetches[3], 1, "one read of three sectors");
    cr_expect_eq(rig_stats(&r).l1_fetches[1], 0);
    for (unsigned sector = 0; sector < 4; sector++) {
        const uint64_t token = rig_issue(&r, WORD(GPC_LOAD, 0x1000 + 32 * (uint64_t)sector));
        rig_finish(&r);
        cr_expect_eq(r.done[token].level == 1, sector != 2, "all that was read is in L1: sector %u", sector);
    }
    rig_close(&r);
}

Test(combine, a_request_waits_so_long) {
    rig r;
    start(&r);
    const uint64_t alone = rig_latency(&r, WORD(GPC_LOAD, 0x1000));
    rig_close(&r);
    rig_open(&r, "sm.schedulers = 4\n", MEMORY);
    cr_expect_eq(alone, rig_latency(&r, WORD(GPC_LOAD, 0x1000)) + WAIT);
    rig_close(&r);
    for (uint32_t apart = WAIT - 1; apart <= WAIT + 1; apart++) {
        start(&r);
        rig_issue(&r, WORD(GPC_STORE, 0x1000));
        rig_steps(&r, apart);
        rig_issue(&r, WORD(GPC_STORE, 0x1004));
        rig_finish(&r);
        COMBINED(&r, apart <= WAIT, 0, apart <= WAIT ? 1 : 2);
        rig_close(&r);
    }
}

/* Every arrival prolongs the waiting: a hundred stores, ten cycles apart, are one. */
Test(combine, those_that_come_prolong_it) {
    rig r;
    start(&r);
    for (unsigned i = 0; i < 100; i++) {
        rig_issue(&r, WORD(GPC_STORE, 0x1000 + i % 8 * 4));
        rig_steps(&r, 10);
    }
    rig_finish(&r);
    COMBINED(&r, 99, 0, 1);
    rig_close(&r);
}

/* Another line of the scheduler releases the previous one. */
Test(combine, a_line_between) {
    rig r;
    start(&r);
    rig_issue(&r, WORD(GPC_STORE, 0x1000));
    rig_issue(&r, WORD(GPC_STORE, 0x2000));
    rig_issue(&r, WORD(GPC_STORE, 0x1004));
    rig_finish(&r);
    COMBINED(&r, 0, 0, 3);
    rig_close(&r);
    start(&r);
    rig_issue(&r, WORD(GPC_STORE, 0x1000));
    rig_issue(&r, WORD(GPC_STORE, 0x2000, .warp = 1)); /* of another scheduler */
    rig_issue(&r, WORD(GPC_STORE, 0x1004));
    rig_finish(&r);
    COMBINED(&r, 1, 0, 2);
    rig_close(&r);
}

static void start_buffer(rig *r, const char *more) {
    char all[512];
    snprintf(all, sizeof all, "%sl1.combine_stores = buffer\n%s", through, more);
    rig_open(r, all, MEMORY);
}

/* A write-combining buffer: other lines release nothing, by any writer, except the longest waiting line. */
Test(combine, stores_in_a_buffer) {
    rig r;
    start_buffer(&r, "");
    for (uint64_t round = 0; round < 4; round++)
        for (uint64_t line = 0; line < 16; line++)
            rig_push(&r, WORD(GPC_STORE, 128 * line + 4 * round, .warp = (uint32_t)line));
    rig_finish(&r);
    COMBINED(&r, 3 * 16, 0, 16);
    rig_close(&r);
    start_buffer(&r, "");
    for (uint64_t line = 0; line < 17; line++)
        rig_push(&r, WORD(GPC_STORE, 128 * line));
    rig_push(&r, WORD(GPC_STORE, 4));            /* line 0 has left; this makes line 1 leave */
    rig_push(&r, WORD(GPC_STORE, 128 * 2 + 4));  /* line 2 is present */
    rig_push(&r, WORD(GPC_STORE, 128 * 16 + 4)); /* and the last */
    rig_finish(&r);
    COMBINED(&r, 2, 0, 18);
    rig_close(&r);
}

/* They leave without a request for l1.combine_cycles, and reads as without a buffer. */
Test(combine, a_buffer_is_emptied) {
    rig r;
    start_buffer(&r, "");
    rig_issue(&r, WORD(GPC_STORE, 0));
    rig_issue(&r, WORD(GPC_STORE, 4096));
    rig_steps(&r, WAIT / 2);
    cr_expect_eq(rig_stats(&r).l2_write_sectors, 0);
    rig_steps(&r, WAIT + 20);
    cr_expect_eq(rig_stats(&r).l2_write_sectors, 2);
    rig_issue(&r, WORD(GPC_STORE, 4));
    rig_finish(&r);
    COMBINED(&r, 0, 0, 3);
    rig_close(&r);
    start_buffer(&r, "l1.sectors = 4\n");
    rig_issue(&r, WORD(GPC_LOAD, 0x1000));
    rig_issue(&r, WORD(GPC_LOAD, 0x2000));
    rig_issue(&r, WORD(GPC_LOAD, 0x1020));
    rig_finish(&r);
    COMBINED(&r, 0, 3, 0);
    rig_close(&r);
}

/* A release waits for the buffer, and so ends with data in L2. */
Test(combine, a_fence_waits_for_a_buffer) {
    rig r;
    start_buffer(&r, "");
    for (uint64_t line = 0; line < 8; line++)
        rig_push(&r, WORD(GPC_STORE, 128 * line));
    const uint64_t fence = rig_fence(&r, (fence_shot){.scope = GPC_SCOPE_GPU, .order = GPC_ORDER_RELEASE});
    rig_wait(&r, fence);
    cr_expect_eq(rig_stats(&r).l2_write_sectors, 8);
    rig_finish(&r);
    rig_close(&r);
}

Test(combine, a_buffer_without_effect_is_refused) {
    static const char *const settings[] = {"l1.combine_stores = buffer\n",
                                           "l1.combine_stores = buffer\nl1.combine_lines = 4\nmode = functional\n",
                                           "l1.combine_stores = buffer\nl1.combine_lines = 4\ncoherence = vi\n"};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        gpc_error error = GPC_ERROR_INIT;
        rig_refused(settings[i], &error);
        cr_expect(strstr(error.message, "l1.combine_stores = buffer needs"), "%s: %s", settings[i], error.message);
    }
}

/* As many lines of an instruction as fit: of 16 all, of 32 none. */
Test(combine, lines_of_an_instruction) {
    for (uint32_t lanes = 8; lanes <= 32; lanes *= 2) {
        rig r;
        start(&r);
        for (unsigned word = 0; word < 4; word++)
            rig_push(&r, WORDS(GPC_STORE, 0x10000 + word * 4, lanes, 128));
        rig_finish(&r);
        COMBINED(&r, lanes <= 16 ? 3 * lanes : 0, 0, lanes <= 16 ? lanes : 4 * lanes);
        rig_close(&r);
    }
}

/* All schedulers' lines together: a third scheduler's eight take the places of the first's. */
Test(combine, the_one_that_has_waited_longest_makes_room) {
    rig r;
    start(&r);
    for (uint32_t warp = 0; warp < 3; warp++)
        rig_push(&r, WORDS(GPC_STORE, 0x10000 + (uint64_t)warp * 0x1000, 8, 128, .warp = warp));
    rig_push(&r, WORDS(GPC_STORE, 0x11004, 8, 128, .warp = 1));
    rig_push(&r, WORDS(GPC_STORE, 0x10004, 8, 128, .warp = 0));
    rig_finish(&r);
    COMBINED(&r, 8, 0, 32);
    rig_close(&r);
    start(&r);
    for (uint32_t warp = 0; warp < 2; warp++)
        rig_push(&r, WORDS(GPC_STORE, 0x10000 + (uint64_t)warp * 0x1000, 8, 128, .warp = warp));
    rig_push(&r, WORDS(GPC_STORE, 0x12000, 2, 128, .warp = 2)); /* the first two warps of the first scheduler */
    rig_push(&r, WORDS(GPC_STORE, 0x10004 + 256, 6, 128, .warp = 3));
    rig_finish(&r);
    COMBINED(&r, 6, 0, 18);
    rig_close(&r);
}

/* Stores join those of other schedulers, reads do not. */
Test(combine, other_schedulers) {
    rig r;
    start(&r);
    for (uint32_t warp = 0; warp < 4; warp++)
        rig_issue(&r, WORD(GPC_STORE, 0x1000 + warp * 4, .warp = warp));
    rig_finish(&r);
    COMBINED(&r, 3, 0, 1);
    for (uint32_t warp = 0; warp < 4; warp++)
        rig_issue(&r, WORD(GPC_LOAD, 0x2000 + warp * 32, .warp = warp));
    rig_finish(&r);
    COMBINED(&r, 3, 4, 1);
    rig_issue(&r, WORD(GPC_LOAD, 0x3000, .warp = 1));
    rig_issue(&r, WORD(GPC_LOAD, 0x3020, .warp = 5)); /* a warp of the same scheduler */
    rig_finish(&r);
    COMBINED(&r, 4, 6, 1);
    rig_close(&r);
}

Test(combine, a_read_with_no_store_and_no_other_sm) {
    rig r;
    start(&r);
    rig_issue(&r, WORD(GPC_STORE, 0x1000));
    rig_issue(&r, WORD(GPC_LOAD, 0x1020));
    rig_issue(&r, WORD(GPC_STORE, 0x1004, .sm = 1));
    rig_finish(&r);
    COMBINED(&r, 0, 1, 2);
    rig_close(&r);
}

/* A request that does not wait lets earlier ones leave first: an atomic follows the warp's store. */
Test(combine, atomics_keep_their_order) {
    rig r;
    start(&r);
    rig_latency(&r, LINE(GPC_LOAD, 0x1000, .sm = 1)); /* hits in L2 */
    const uint64_t store = rig_issue(&r, WORD(GPC_STORE, 0x1000)), atomic = rig_issue(&r, WORD(GPC_ATOMIC, 0x1000)),
                   later = rig_issue(&r, WORD(GPC_STORE, 0x1004));
    rig_finish(&r);
    COMBINED(&r, 0, 4, 2);
    cr_expect_lt(r.done[store].cycle, r.done[atomic].cycle);
    cr_expect_lt(r.done[atomic].cycle, r.done[later].cycle);
    rig_close(&r);
}

/* Joined stores are done together, and a fence waits for both. */
Test(combine, a_fence_waits_for_those_that_joined) {
    rig r;
    start(&r);
    const uint64_t first = rig_issue(&r, WORD(GPC_STORE, 0x1000)), joined = rig_issue(&r, WORD(GPC_STORE, 0x1004)),
                   fence = rig_fence(&r, (fence_shot){.scope = GPC_SCOPE_GPU, .order = GPC_ORDER_ACQ_REL});
    rig_finish(&r);
    cr_expect_eq(r.done[first].cycle, r.done[joined].cycle);
    cr_expect_geq(r.done[fence].cycle, r.done[joined].cycle);
    COMBINED(&r, 1, 0, 1);
    rig_close(&r);
}

/* The 32-byte parts of a bypassing line are separate packets, and leave as one read: L1 is idle behind it. */
Test(combine, parts_of_a_line_that_is_not_kept) {
    for (unsigned sectors = 1; sectors <= 4; sectors *= 4) {
        rig r;
        char settings[160];
        snprintf(settings, sizeof settings,
                 "l1.coalescer = sector\nl1.combine_lines = 8\nl1.bypass = hint\nl1.sectors = %u\n", sectors);
        rig_open(&r, settings, 100);
        for (uint64_t line = 0; line < 4; line++)
            rig_push(&r, LINE(GPC_LOAD, 0x1000 + line * 96, .hint = GPC_HINT_CG));
        rig_finish(&r);
        cr_expect(gpc_hierarchy_is_idle(r.hierarchy), "%u sectors", sectors);
        cr_expect_gt(rig_stats(&r).l1_combined_requests, 0);
        rig_close(&r);
    }
}
