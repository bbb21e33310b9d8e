/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/rig.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* The worked example in the head of every policy's file, and the classic streams. */

/*
 * Run a stream of letters through one set. Per access: h = hit, - = miss into a free way, b = bypassed, a letter = the
 * evicted line.
 */
static void check(const char *spec, uint32_t ways, const char *stream, const char *expected) {
    size_t count = strlen(stream);
    uint64_t lines[64];
    char got[65] = "";
    cr_assert_leq(count, 64);
    for (size_t i = 0; i < count; i++)
        lines[i] = (unsigned char)stream[i];
    uint64_t *next = rig_next_uses(lines, count);
    rig r;
    rig_open(&r, spec, 1, ways, 1);
    for (size_t i = 0; i < count; i++) {
        rig_outcome o = rig_access(&r, lines[i], next[i]);
        got[i] = o.hit ? 'h' : o.bypassed ? 'b' : o.evicted ? (char)o.victim : '-';
    }
    cr_expect_str_eq(got, expected, "%s, %u ways, %s: %s, not %s", spec, ways, stream, got, expected);
    rig_close(&r);
    free(next);
}

Test(examples, lru) {
    check("lru", 2, "ABACB", "--hBA");
}

Test(examples, fifo) {
    check("fifo", 2, "ABACA", "--hAB");
}

/* Belady, Nelson and Shedler: nine faults in three frames, ten in four. */
Test(examples, fifo_anomaly) {
    check("fifo", 3, "123412512345", "---1234hh12h");
    check("fifo", 4, "123412512345", "----hh123451");
}

Test(examples, mru) {
    check("mru", 2, "ABCABC", "--BhAh");
    check("lru", 2, "ABCABC", "--ABCA");
}

Test(examples, nru) {
    check("nru", 4, "ABCDAEBF", "----hAhC");
    check("lru", 4, "ABCDAE", "----hB");
}

Test(examples, plru) {
    check("plru", 4, "ABCDAE", "----hC");
}

Test(examples, lip) {
    check("lip", 3, "ABCDABCD", "---ChhDC");
    check("lru", 3, "ABCDABCD", "---ABCDA");
}

Test(examples, bip) {
    check("bip(epsilon=0.25)", 3, "ABCDAED", "---ChBh");
    /* the fourth line at the full set enters, the others bypass */
    check("bip(epsilon=0.25,bypass=1)", 3, "ABCDEFGAGC", "---bbbAbhh");
}

Test(examples, srrip) {
    check("srrip", 4, "ABACDEFA", "--h--BCh");
    check("lru", 4, "ABACDEFA", "--h--BAC");
}

/* FP: two hits move a line two steps from the start, 6 of 7, and one hit one. */
Test(examples, srrip_frequency) {
    check("srrip(bits=3,promotion=frequency)", 2, "AABBBCC", "-h-hhAh");
    check("srrip(bits=3)", 2, "BBBAACC", "-hh-hBh");
    check("srrip(bits=3,promotion=frequency)", 2, "BBBAACC", "-hh-hAh");
}

Test(examples, brrip) {
    check("brrip(epsilon=0.25)", 3, "ABCDAED", "---ABAh");
}

Test(examples, plru_insertion) {
    check("plru(insertion=lru)", 4, "ABCDAE", "----hD");
    check("plru(insertion=bimodal,epsilon=0)", 4, "ABCDAE", "----hD");
    check("plru(insertion=bimodal,epsilon=1)", 4, "ABCDAE", "----hC");
}

Test(examples, gippr) {
    check("gippr(0, 0, 2, 1, 2)", 4, "ABCDAE", "----hC");
}

Test(examples, opt_bypass) {
    check("opt-bypass", 2, "ABCABC", "--bhhA");
}

Test(examples, opt) {
    check("opt", 2, "ABCABC", "--BhAh");
    check("opt(bypass=1)", 2, "ABCABC", "--bhhA");
}

/* Equal lines: the lowest way, whether never used again or without a future. */
Test(examples, opt_ties) {
    check("opt", 3, "ABCDE", "---AD");
    rig r;
    rig_open(&r, "opt", 1, 3, 1);
    for (uint64_t line = 0; line < 3; line++)
        rig_access(&r, line, 0);
    cr_expect_eq(rig_access(&r, 3, 0).way, 0);
    uint64_t upper = 6; /* ways 1 and 2 */
    cr_expect_eq(rig_replace(&r, 0, &upper, 4, 0).way, 1);
    rig_close(&r);
}

/* The first five numbers of splitmix64 from 1234567, as published with the generator, fall in quarters 1 0 2 0 3. */
Test(examples, random) {
    static const uint64_t published[] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                         4593380528125082431u, 16408922859458223821u};
    static const uint32_t candidate_ways[] = {1, 4, 5, 7}, quarters[] = {1, 0, 2, 0, 3};
    uint64_t candidates = 0xb2;
    rig r;
    rig_open(&r, "random", 1, 8, 1234567);
    for (int i = 0; i < 5; i++) {
        cr_assert_eq(published[i] >> 62, quarters[i]);
        cr_expect_eq(rig_replace(&r, 0, &candidates, 100, 0).way, candidate_ways[quarters[i]]);
    }
    rig_close(&r);
}

/*
 * The same numbers, 0.350, 0.174, 0.532, 0.249 and 0.890 of the range, choose among the unreferenced ways: of all eight
 * the third, of the remaining seven the second, and so on. A hit on way 4 removes it from the last three.
 */
Test(examples, nru_random) {
    static const uint32_t ways[] = {2, 1, 5, 3, 7};
    rig r;
    rig_open(&r, "nru(random=1)", 1, 8, 1234567);
    for (uint64_t line = 0; line < 8; line++)
        rig_access(&r, line, 0);
    for (uint64_t i = 0; i < 5; i++)
        cr_expect_eq(rig_access(&r, 8 + i, 0).way, ways[i], "victim %lu", (unsigned long)i);
    cr_expect(rig_access(&r, 4, 0).hit);
    bool gone[8] = {false};
    for (uint64_t i = 0; i < 2; i++)
        gone[rig_access(&r, 20 + i, 0).way] = true;
    cr_expect(gone[0] && gone[6], "ways 0 and 6 are the last not referenced");
    rig_close(&r);
}
