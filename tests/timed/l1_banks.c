/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "timed/coherent_rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Banks of L1's tags and data: l1.bank_index, l1.line_order = banks, l1.data_banks, l1.data_bank_width. */

#define MEMORY 200u
#define WIDE "l1.tag_ports = 64\nl1.banks = 64\n" /* all lines of an instruction pass the tags at once */
#define BANKS WIDE "l1.data_banks = 32\n"
#define SET4 "l1.tag_ports = 4\nl1.banks = 4\n"

/* The first load brings the lines, the second hits: cycles of the second. */
static uint64_t hit(const char *settings, shot s) {
    rig r;
    rig_open(&r, settings, MEMORY);
    rig_push(&r, s);
    rig_finish(&r);
    const uint64_t cycles = rig_latency(&r, s);
    cr_expect_eq(r.done[r.issued - 1].level, 1, "%s", settings);
    rig_close(&r);
    return cycles;
}

typedef struct pattern {
    const char *settings;
    uint32_t lanes, width;
    uint64_t stride;
    unsigned turns;
} pattern;

Test(l1_banks, turns_of_the_words) {
    static const char *const half = WIDE "l1.data_banks = 16\nl1.data_width = 64\n",
                             *const eights = WIDE "l1.data_banks = 32\nl1.data_bank_width = 8\nl1.data_width = 256\n",
                             *const many = WIDE "l1.data_banks = 64\nl1.data_width = 256\n",
                             *const whole = WIDE "l1.data_banks = 1\nl1.data_bank_width = 128\n";
    const pattern patterns[] = {
        {BANKS, 1, 4, 4, 1},     {BANKS, 32, 4, 4, 1},   {BANKS, 32, 4, 0, 1},     {BANKS, 32, 4, 8, 2},
        {BANKS, 32, 4, 128, 32}, {BANKS, 32, 4, 132, 1}, {BANKS, 32, 4, 256, 32},  {BANKS, 32, 4, 64, 16},
        {BANKS, 7, 4, 128, 7},   {BANKS, 32, 8, 8, 2},   {BANKS, 32, 16, 16, 4},   {BANKS, 32, 1, 1, 1},
        {BANKS, 32, 2, 130, 2},  {half, 32, 4, 4, 2},    {half, 32, 4, 128, 32},   {half, 16, 4, 68, 1},
        {eights, 32, 8, 8, 1},   {eights, 32, 4, 4, 1},  {eights, 32, 4, 128, 16}, {many, 32, 4, 128, 16},
        {many, 32, 8, 8, 1},     {whole, 32, 4, 4, 1},   {whole, 32, 4, 128, 32},  {whole, 32, 4, 64, 16},
    };
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        const pattern p = patterns[i];
        const shot s = {.kind = GPC_LOAD, .lanes = p.lanes, .width = p.width, .stride = p.stride};
        const uint64_t one = hit(p.settings, WORD(GPC_LOAD, 0));
        cr_expect_eq(hit(p.settings, s), one + p.turns - 1, "row %u: %u lanes of %u bytes, %u apart", (unsigned)i,
                     p.lanes, p.width, (unsigned)p.stride);
    }
}

/*
 * Half warps of 8 bytes a lane, and quarter warps of 16, take separate turns: all lanes at the same word, or 24 lanes 16
 * bytes apart, of which 16 take two turns, and 8 a third. A width below the banks' sets a least number of turns.
 */
Test(l1_banks, parts_of_wide_lanes) {
    static const char *const narrow = BANKS "l1.data_width = 64\n";
    const uint64_t one = hit(BANKS, WORD(GPC_LOAD, 0));
    const pattern patterns[] = {{BANKS, 32, 8, 0, 2},    {BANKS, 16, 8, 0, 1},   {BANKS, 17, 8, 0, 2},
                                {BANKS, 32, 16, 0, 4},   {BANKS, 32, 16, 32, 8}, {BANKS, 32, 8, 24, 2},
                                {BANKS, 24, 8, 16, 3},   {BANKS, 32, 8, 136, 2}, {narrow, 32, 4, 0, 2},
                                {narrow, 32, 4, 4, 2},   {narrow, 16, 4, 4, 1},  {narrow, 32, 8, 8, 4},
                                {narrow, 32, 4, 64, 16}, {narrow, 32, 8, 0, 4}};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        const pattern p = patterns[i];
        const shot s = {.kind = GPC_LOAD, .lanes = p.lanes, .width = p.width, .stride = p.stride};
        cr_expect_eq(hit(p.settings, s), one + p.turns - 1, "row %u: %u lanes of %u bytes, %u apart", (unsigned)i,
                     p.lanes, p.width, (unsigned)p.stride);
    }
}

/* A single load uses the banks. */
Test(l1_banks, one_load_after_another) {
    rig r;
    rig_open(&r, BANKS, MEMORY);
    const shot s = WORDS(GPC_LOAD, 0, 8, 128);
    rig_push(&r, s);
    rig_finish(&r);
    uint64_t tokens[6];
    for (unsigned i = 0; i < 6; i++)
        tokens[i] = rig_issue(&r, s);
    rig_finish(&r);
    for (unsigned i = 1; i < 6; i++)
        cr_expect_eq(r.done[tokens[i]].cycle - r.done[tokens[i - 1]].cycle, 8, "%u", i);
    const measured_stats stats = rig_stats(&r);
    cr_expect_eq(stats.l1_data_turns, 7 * 8);
    cr_expect_eq(stats.l1_data_conflicts, 7 * 7);
    cr_expect_eq(stats.l1_data_waits, 7 * (1 + 2 + 3 + 4 + 5), "one passes the tags each cycle");
    rig_close(&r);
}

/* As many loads wait as l1.latency has cycles; others do not pass the tags. */
Test(l1_banks, tags_wait_for_the_data) {
    rig r;
    rig_open(&r, BANKS "l1.latency = 4\n", MEMORY);
    const shot s = WORDS(GPC_LOAD, 0, 8, 128);
    rig_push(&r, s);
    rig_finish(&r);
    for (unsigned i = 0; i < 20; i++)
        rig_issue(&r, s);
    rig_steps(&r, 28);
    cr_expect_eq(rig_stats(&r).l1_lookups, 8 * (1 + 4 + 4), "four have begun, in cycles 0, 8, 16 and 24");
    rig_finish(&r);
    rig_close(&r);
}

/* Data from below are read, too: all words of the access at once when the last line arrives. */
Test(l1_banks, misses) {
    uint64_t cycles[2];
    for (unsigned banks = 0; banks < 2; banks++) {
        rig r;
        rig_open(&r, banks ? BANKS : WIDE, MEMORY);
        cycles[banks] = rig_latency(&r, WORDS(GPC_LOAD, 0, 32, 128));
        const uint64_t apart = rig_latency(&r, WORDS(GPC_LOAD, 0x10000, 32, 132));
        cr_expect_eq(apart + (banks ? 31 : 0), cycles[banks], "one word in each bank");
        rig_close(&r);
    }
    cr_expect_eq(cycles[1], cycles[0] + 31);
}

/* Hits pass a load waiting for memory, and the two have separate turns. */
Test(l1_banks, a_hit_before_what_was_asked_for_first) {
    rig r;
    rig_open(&r, BANKS, MEMORY);
    rig_push(&r, LINE(GPC_LOAD, 0));
    rig_finish(&r);
    const uint64_t miss = rig_issue(&r, WORDS(GPC_LOAD, 0x10000, 32, 128)), found = rig_issue(&r, LINE(GPC_LOAD, 0));
    rig_finish(&r);
    cr_expect_lt(r.done[found].cycle, r.done[miss].cycle);
    rig_close(&r);
}

/* A store's words are written in as many turns, and a later load waits. */
Test(l1_banks, stores) {
    static const char through[] = BANKS "l1.write_policy = through\n";
    uint64_t after[2];
    for (unsigned conflicts = 0; conflicts < 2; conflicts++) {
        rig r;
        rig_open(&r, through, MEMORY);
        rig_push(&r, LINE(GPC_LOAD, 0x10000));
        rig_finish(&r);
        rig_issue(&r, WORDS(GPC_STORE, 0, 16, conflicts ? 128 : 132));
        after[conflicts] = rig_latency(&r, LINE(GPC_LOAD, 0x10000));
        cr_expect_eq(rig_stats(&r).l1_data_conflicts, conflicts ? 15 : 0);
        rig_close(&r);
    }
    cr_expect_eq(after[1], after[0] + 15);
}

/* A tree's L1s have banks of data, too, and banks of tags if lines are hashed: 16 lines side by side. */
Test(l1_banks, of_a_tree) {
    static const char *const settings[] = {"l1.data_banks = 32\nl1.tag_ports = 64\n",
                                           SET4 "l1.bank_index = hopper\nl1.line_order = banks\nl1.data_banks = 32\n"};
    const uint64_t one = hit(BANKS, WORD(GPC_LOAD, 0));
    for (unsigned i = 0; i < 2; i++) {
        rig r;
        coherent_open(&r, "vi", settings[i]);
        const shot s = WORDS(GPC_LOAD, 0, 16, i ? 132 : 128);
        rig_push(&r, s);
        rig_finish(&r);
        cr_expect_eq(rig_latency(&r, s), one + (i ? 3 : 15), "four rounds at the tags, or 16 turns");
        cr_expect_eq(r.done[r.issued - 1].level, 1);
        rig_close(&r);
    }
}

static uint64_t held_up(const char *settings, const uint64_t *lines, uint32_t count) {
    uint64_t addresses[8];
    rig r;
    rig_open(&r, settings, MEMORY);
    for (uint32_t i = 0; i < count; i++)
        addresses[i] = lines[i] * 128;
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    access.mask = (1u << count) - 1;
    access.addresses = addresses;
    access.width = 4;
    access.kind = GPC_LOAD;
    gpc_busy busy;
    cr_assert_eq(gpc_hierarchy_try_issue(r.hierarchy, &access, 0, &busy, NULL), GPC_OK);
    r.issued++;
    r.done[0].accepted = true;
    rig_finish(&r);
    const uint64_t failures = rig_stats(&r).l1_bank_failures;
    rig_close(&r);
    return failures;
}

Test(l1_banks, each_bank_its_next_line) {
    static const uint64_t lines[] = {0, 4, 1, 5}, worst[] = {0, 4, 8, 1, 2};
    cr_expect_eq(held_up(SET4, lines, 4), 2, "line 4 waits for 0, and 5 for 1");
    cr_expect_eq(held_up(SET4 "l1.line_order = banks\n", lines, 4), 1, "0 and 1, then 4 and 5");
    cr_expect_eq(held_up(SET4, worst, 5), 2);
    cr_expect_eq(held_up(SET4 "l1.line_order = banks\n", worst, 5), 2, "three lines of one bank");
}

/* Index of an H100: parities of bits 181 and 367 of a set's number; line 512 shares set 113. */
Test(l1_banks, hopper) {
    static const char hopper[] = SET4 "l1.bank_index = hopper\nl1.line_order = banks\n";
    static const uint64_t apart[] = {0, 16, 2, 1}, same[] = {1, 4, 512}, by_number[] = {0, 1, 2, 3}, far[] = {113, 512};
    cr_expect_eq(held_up(hopper, apart, 4), 0, "banks 0, 1, 2, 3");
    cr_expect_eq(held_up(hopper, same, 3), 2, "bank 3");
    cr_expect_eq(held_up(hopper, by_number, 4), 0, "line 3 is of bank 1");
    cr_expect_eq(held_up(hopper, far, 2), 1);
}

/* XOR of the pairs of bits: line 5 is 1 ^ 1, line 6 is 2 ^ 1, line 16 is 1. */
Test(l1_banks, pairs_of_bits) {
    static const char pairs[] = SET4 "l1.bank_index = xor\nl1.line_order = banks\n";
    static const uint64_t apart[] = {0, 16, 8, 6}, same[] = {0, 5, 10, 15}, far[] = {1, 1u << 20};
    cr_expect_eq(held_up(pairs, apart, 4), 0, "banks 0, 1, 2, 3");
    cr_expect_eq(held_up(pairs, same, 4), 3);
    cr_expect_eq(held_up(pairs, far, 2), 1);
}

Test(l1_banks, what_has_no_effect_is_refused) {
    static const char *const refused[][2] = {
        {"l1.data_bank_width = 8\n", "l1.data_bank_width needs l1.data_banks"},
        {"l1.data_banks = 24\nl1.data_width = 96\n", "l1.data_banks = 24"},
        {"l1.data_banks = 32\nl1.data_width = 256\n", "l1.data_width"},
        {"l1.data_banks = 4\nl1.data_width = 16\n", "32 bytes or more"},
        {"l1.data_banks = 32\nl1.release_width = 128\n", "l1.release_width"},
        {"l1.bank_index = hopper\nl1.coalescer = sector\nl1.tag_ports = 4\nl1.banks = 4\n", "l1.coalescer"},
        {"l1.bank_index = hopper\nl1.tag_ports = 4\nl1.banks = 8\n", "l1.banks = 4"},
        {"l1.bank_index = xor\nl1.tag_ports = 4\nl1.banks = 8\n", "l1.banks = 4"},
        {"l1.bank_index = hopper\nl1.tag_ports = 1\nl1.banks = 4\n", "l1.tag_ports above 1"},
        {"l1.line_order = banks\n", "l1.tag_ports above 1"},
        {SET4 "l1.line_order = banks\ncoherence = msi\n", "l1.line_order = lanes"},
        {SET4 "l1.line_order = banks\nl1.coalescer = sector\n", "l1.coalescer"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        gpc_error error = GPC_ERROR_INIT;
        cr_expect_eq(rig_refused(refused[i][0], &error), GPC_ERROR_RANGE, "%s", refused[i][0]);
        cr_expect(strstr(error.message, refused[i][1]), "%s: %s", refused[i][0], error.message);
    }
}
