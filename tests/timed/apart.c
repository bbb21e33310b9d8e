/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "timed/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* l1.coalescer = sector: every sector of a line passes the tags separately, with a separate bank, packet and reply. */

#define MEMORY 200u
#define APART "l1.coalescer = sector\n"
#define BANKS "l1.tag_ports = 4\nl1.banks = 4\nl1.data_width = "

static rig r; /* too large for a stack of many */

static measured_stats run(const char *settings, shot s, uint64_t *cycles) {
    rig_open(&r, settings, MEMORY);
    *cycles = rig_latency(&r, s);
    const measured_stats stats = rig_stats(&r);
    rig_close(&r);
    return stats;
}

/* A line is four packets up and four down, or one. */
Test(timed_apart, packets) {
    uint64_t cycles;
    measured_stats s = run(NULL, LINE(GPC_LOAD, 0), &cycles);
    cr_expect_eq(s.network_requests, 1);
    cr_expect_eq(s.network_reply_bytes, 8 + 128);
    s = run(APART, LINE(GPC_LOAD, 0), &cycles);
    cr_expect_eq(s.network_requests, 4);
    cr_expect_eq(s.network_reply_bytes, 4 * (8 + 32));
    cr_expect_eq(s.l1_load_requests, 1);
    cr_expect_eq(s.l1_load_lines, 4);
    cr_expect_eq(s.l1_load_sectors, 4);
    cr_expect_eq(s.l1_fetched_sectors, 4);
    s = run(APART, WORDS(GPC_LOAD, 0, 2, 96), &cycles);
    cr_expect_eq(s.network_requests, 2, "sectors 0 and 3");
    s = run(APART, LINE(GPC_STORE, 0), &cycles);
    cr_expect_eq(s.network_requests, 4);
    cr_expect_eq(s.network_request_bytes, 4 * (8 + 32));
}

/* Cycles from a hit's issue to the completion. */
static uint64_t hit(const char *settings, shot s) {
    rig_open(&r, settings, MEMORY);
    rig_latency(&r, s);
    const uint64_t cycles = rig_latency(&r, s);
    cr_expect_eq(rig_stats(&r).l1_load_sector_hits, rig_stats(&r).l1_load_sectors / 2);
    rig_close(&r);
    return cycles;
}

/* Four banks take a line's sectors in one cycle; 32 sectors on one bank take one cycle each. */
Test(timed_apart, banks) {
    const uint64_t base = hit(APART BANKS "128B\n", WORD(GPC_LOAD, 0));
    cr_expect_eq(hit(APART BANKS "128B\n", LINE(GPC_LOAD, 0)), base);
    cr_expect_eq(hit(APART BANKS "128B\n", WORDS(GPC_LOAD, 0, 32, 32)), base + 7);
    cr_expect_eq(hit(APART BANKS "128B\n", WORDS(GPC_LOAD, 0, 8, 128)), base + 7, "all of sector 0");
    cr_expect_eq(hit(APART "l1.tag_ports = 1\n", LINE(GPC_LOAD, 0)), base + 3);
    cr_expect_eq(hit(BANKS "128B\n", WORDS(GPC_LOAD, 0, 8, 128)), base + 7, "of lines, the data port's");
}

/* The data port moves as much as fits in a cycle, of any sectors. */
Test(timed_apart, data_port) {
    const uint64_t base = hit(APART BANKS "128B\n", LINE(GPC_LOAD, 0));
    cr_expect_eq(hit(APART BANKS "64B\n", LINE(GPC_LOAD, 0)), base + 1);
    cr_expect_eq(hit(APART BANKS "63B\n", LINE(GPC_LOAD, 0)), base + 3);
    cr_expect_eq(hit(APART BANKS "32B\n", LINE(GPC_LOAD, 0)), base + 3);
    cr_expect_eq(hit(APART BANKS "16B\n", LINE(GPC_LOAD, 0)), base + 6, "two cycles each, the last from 6 on");
}

/* bip sees one use of a line, not four: a loop over 1.5 times the capacity keeps as much as with lines. */
Test(timed_apart, parts_are_one_use) {
    static const char *const ways[] = {"l1.replacement = bip\n", APART "l1.replacement = bip\n"};
    uint64_t hits[2];
    for (unsigned way = 0; way < 2; way++) {
        rig_open(&r, ways[way], MEMORY);
        for (unsigned turn = 0; turn < 20; turn++)
            for (uint64_t line = 0; line < 192; line++)
                rig_latency(&r, LINE(GPC_LOAD, line * 128));
        hits[way] = rig_stats(&r).l1_load_sector_hits;
        rig_close(&r);
    }
    cr_expect_eq(hits[0], hits[1]);
    cr_expect_gt(hits[0], 20 * 192 * 4 / 4);
}

Test(timed_apart, refusals) {
    static const char *const wrong[][2] = {
        {APART "coherence = nmoesi\n", "l1.coalescer = sector needs coherence = none or viper"},
        {APART "l1.prefetcher = stride\n", "neither l1.prefetcher nor coherence.data knows parts of a line"},
        {APART "coherence.data = true\n", "neither l1.prefetcher nor coherence.data"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        gpc_error error = GPC_ERROR_INIT;
        cr_expect_eq(rig_refused(wrong[i][0], &error), GPC_ERROR_RANGE);
        cr_expect(strstr(error.message, wrong[i][1]), "%s", error.message);
    }
}

/*
 * Cycles of a sector's hit while a fence drops lines. `wide`: the last hit before the drop leaves room for another
 * sector in its cycle of the data port.
 */
static uint64_t hit_behind_drop(bool wide) {
    char settings[256];
    snprintf(settings, sizeof settings,
             APART "coherence = viper\nkernels.flush = l1\nl1.write_policy_local = back\nl1.invalidate_rate = 1\n"
                   "l1.write_allocate_local = fetch\nl1.latency = 20\nl1.data_width = %s\n",
             wide ? "64B" : "32B");
    rig_open(&r, settings, MEMORY);
    rig_latency(&r, WORD(GPC_STORE, 0, .space = GPC_SPACE_LOCAL));
    for (uint64_t line = 1; line <= 8; line++)
        rig_latency(&r, WORD(GPC_LOAD, line * 128));
    rig_fence(&r, (fence_shot){.order = GPC_ORDER_ACQUIRE, .scope = GPC_SCOPE_GPU, .warp = 1});
    rig_steps(&r, 4);
    rig_issue(&r, WORD(GPC_STORE, 0, .space = GPC_SPACE_LOCAL)); /* behind the write-back: modified again, and stays */
    while (!rig_stats(&r).fence_lines)
        rig_step(&r);
    const uint64_t cycles = rig_latency(&r, WORD(GPC_LOAD, 0, .space = GPC_SPACE_LOCAL));
    rig_finish(&r);
    cr_expect_eq(rig_stats(&r).l1_load_sector_hits, 1);
    cr_expect_eq(rig_stats(&r).fence_lines, 8);
    rig_close(&r);
    return cycles;
}

/* A drop takes the whole port: room in an earlier cycle is no sector's any more. */
Test(timed_apart, room_before_a_drop) {
    const uint64_t narrow = hit_behind_drop(false), wide = hit_behind_drop(true);
    cr_expect_geq(narrow, 20 + 1 + 8, "%u", (unsigned)narrow);
    cr_expect_eq(wide, narrow, "%u", (unsigned)wide);
}
