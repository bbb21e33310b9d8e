/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/next_use.h"
#include "policies/replacement/rig.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Policies learning from instructions and from time: worked examples, and the limits of LRFU. */

/*
 * Run "pA qB ..." through one set, instruction and line per access. Results: h = hit, - = miss into a free way, a
 * letter = the evicted line.
 */
static void check(const char *spec, uint32_t ways, const char *stream, const char *expected) {
    char got[65] = "";
    rig r;
    rig_open(&r, spec, 1, ways, 1);
    for (size_t i = 0; 3 * i < strlen(stream); i++) {
        r.also.pc = (uint64_t)(unsigned char)stream[3 * i] * 8;
        rig_outcome o = rig_access(&r, (unsigned char)stream[3 * i + 1], UINT64_MAX);
        got[i] = o.hit ? 'h' : o.evicted ? (char)o.victim : '-';
    }
    cr_expect_str_eq(got, expected, "%s, %s: %s, not %s", spec, stream, got, expected);
    rig_close(&r);
}

Test(instructions, lrfu_example) {
    const char *stream = "pA pA pB pC pD";
    check("lrfu(lambda=0.5)", 2, stream, "-h-BA");
    check("lrfu(lambda=0)", 2, stream, "-h-BC");
    check("lrfu(lambda=1)", 2, stream, "-h-AB");
    check("lru", 2, stream, "-h-AB");
}

/* Two consecutive accesses are one with correlated = 1; with an access of another line between they are two. */
Test(instructions, lrfu_correlated) {
    check("lrfu(lambda=0.5,correlated=1)", 2, "pA pA pB pC", "-h-A");
    check("lrfu(lambda=0.5,correlated=1)", 2, "pA pB pA pC", "--hB");
    check("lrfu(lambda=0.5,correlated=2)", 2, "pA pB pA pB pC", "--hhA");
}

/* A worth of 255 and more is full: a line of 300 accesses is worth one of 256, and the less recent leaves. */
Test(instructions, lrfu_saturates) {
    rig r;
    rig_open(&r, "lrfu(lambda=0)", 1, 2, 1);
    for (int i = 0; i < 300; i++)
        rig_access(&r, 1, 0);
    for (int i = 0; i < 256; i++)
        rig_access(&r, 2, 0);
    cr_expect_eq(rig_access(&r, 3, 0).victim, 1);
    rig_close(&r);
}

/* A line's worth by definition, from the times of all accesses since the fill. */
static double worth_of(const uint64_t *times, size_t count, uint64_t now, double lambda) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += exp2(-lambda * (double)(now - times[i]));
    return sum;
}

enum { LINES = 12, ACCESSES = 3000 };

static void least_worth_leaves(double lambda) {
    static uint64_t times[LINES][ACCESSES];
    size_t counts[LINES] = {0};
    uint64_t random = 5;
    char spec[64];
    rig r;
    snprintf(spec, sizeof spec, "lrfu(lambda=%g,age=16)", lambda);
    rig_open(&r, spec, 1, 6, 1);
    for (uint64_t now = 1; now <= ACCESSES; now++) {
        uint64_t line = gpci_random_below(&random, LINES);
        rig_outcome o = rig_access(&r, line, 0);
        for (uint64_t other = 0; o.evicted && other < LINES; other++)
            if (counts[other])
                cr_assert_leq(worth_of(times[o.victim], counts[o.victim], now, lambda),
                              worth_of(times[other], counts[other], now, lambda) + 0.002, "%s, access %llu", spec,
                              (unsigned long long)now);
        if (o.evicted)
            counts[o.victim] = 0;
        times[line][counts[line]++] = now;
    }
    rig_close(&r);
}

Test(instructions, lrfu_is_its_definition) {
    static const double lambdas[] = {0.02, 0.1, 0.3, 0.7};
    for (size_t i = 0; i < sizeof lambdas / sizeof *lambdas; i++)
        least_worth_leaves(lambdas[i]);
}

/* lambda = 1: an access is worth all earlier accesses together. */
Test(instructions, lrfu_ends_in_lru) {
    rig lrfu, lru;
    uint64_t random = 3;
    rig_open(&lrfu, "lrfu(lambda=1)", 4, 5, 1);
    rig_open(&lru, "lru", 4, 5, 1);
    for (int i = 0; i < 20000; i++) {
        uint64_t line = gpci_random_below(&random, 40);
        cr_assert_eq(rig_access(&lrfu, line, 0).way, rig_access(&lru, line, 0).way, "access %d", i);
    }
    rig_close(&lrfu);
    rig_close(&lru);
}

Test(instructions, trace_example) {
    const char *stream = "pA qA pB qB pC qC pD qD pE pF";
    check("trace-based", 2, stream, "-h-hAhBhDC");
    check("lru", 2, stream, "-h-hAhBhCD");
    /* the hits belong to the bursts begun by p: p alone leaves dead lines */
    check("trace-based(history=bursts)", 2, stream, "-h-hAhBhDE");
    /* no line has come back */
    check("trace-based(block=1)", 2, stream, "-h-hAhBhCD");
    check("trace-based(threshold=3)", 2, stream, "-h-hAhBhCD");
}

/* p + q was the end of A and of B; C continues, and revokes A's prediction: D is not dead, C leaves. */
Test(instructions, trace_unlearns) {
    check("trace-based", 2, "pA qA pB qB pC qC rC pD qD pE", "-h-hAhhBhC");
}

/* A and C leave with p; a counter of one bit says so once, and D's hit revokes it: E is not dead, D leaves. */
Test(instructions, trace_saturates) {
    check("trace-based(counter=1,threshold=1)", 2, "pA pB qB pC pD rD pE pF", "--hAChBD");
}

/*
 * A returns for the third time: the signature, learnt from two ends, marks a dead line at the fill. If all blocks learn
 * together, A's second time suffices, and C, filled before, is hit.
 */
Test(instructions, trace_of_a_block) {
    check("trace-based(block=1)", 2, "pA pB pC pA pB pC pA pB", "--ABCABA");
    check("trace-based", 2, "pA pB pC pA pB pC pA pB", "--ABAhBA");
}

Test(instructions, time_example) {
    const char *stream = "pA pA pB pC pA pA pC pC pA pD";
    check("time-based(tick=1)", 2, stream, "-h-ABhhhhA");
    check("lru", 2, stream, "-h-ABhhhhC");
    /* four times 1 is not over after 5 with scale = 5 */
    check("time-based(tick=1,scale=5)", 2, stream, "-h-ABhhhhC");
    /* twice 1 is not over in ticks of 8 accesses: A's live time was none, and no tick has ended since the fill */
    check("time-based(tick=8)", 2, "pA pA pB pC pA pA pC", "-h-ABhh");
    /* a counter of one bit does not count beyond 1 */
    check("time-based(tick=1,bits=1)", 2, stream, "-h-ABhhhhC");
}

/* A left without a hit, so p's lines have no live time: C is dead one access later; B came before this was known. */
Test(instructions, time_by_instruction) {
    check("time-based(tick=1,signature=pc)", 2, "pA pB pC pD", "--AC");
    check("time-based(tick=1)", 2, "pA pB pC pD", "--AB");
    check("time-based(tick=1,signature=pc)", 2, "pA pB pC qC qE", "--AhC"); /* a hit does not make it younger */
}

/* q's distance, 3, is learnt from B, and p's, 6, from A; N is farther from the next use than M when O comes. */
Test(instructions, distance_example) {
    const char *stream = "qB rX rY qB pA rC rD rE rF rG rA qM pN qO qM";
    check("reuse-distance(quantum=1,every=1,samples=16,sure=1)", 2, stream, "--BXYBACDEFGANh");
    check("lru", 2, stream, "--BXYBACDEFGAMN");
    /* once is not enough to be sure of */
    check("reuse-distance(quantum=1,every=1,samples=16,sure=2)", 2, stream, "--BXYBACDEFGAMN");
    /* sampled are accesses 2, 4 and so on: X, B and never both ends of a distance of q's or p's */
    check("reuse-distance(quantum=1,every=2,samples=16,sure=1)", 2, stream, "--BXYBACDEFGAMN");
}

/* A tag leaving the FIFO has the longest distance: of r's lines only A came before this was known. */
Test(instructions, distance_of_what_never_returns) {
    const char *stream = "rA rB rC rD pX rE rF pX";
    check("reuse-distance(quantum=1,every=1,samples=1,sure=1)", 2, stream, "--BCDAEh");
    check("lru", 2, stream, "--ABCDXE");
}

Test(instructions, nucache_example) {
    const char *stream = "pA qB qC qD qE pA qF qG qH qI pA qJ qK qL qM qN qO pA";
    check("nucache(share=1,depth=16,period=8)", 4, stream, "----ABCDEAFGHIJKLh");
    check("lru", 4, stream, "----ABCDEAFGHIAJKL");
    /* nothing is selected before a period ends */
    check("nucache(share=1,depth=16,period=100)", 4, stream, "----ABCDEAFGHIAJKL");
}

Test(instructions, nucache_selection) {
    const uint32_t p = 1, q = 2;
    const gpci_next_use_config config = {.entries = 4, .sets = 1, .depth = 16, .deli = 2, .period = 1};
    gpc_context *context;
    gpci_next_use monitor;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    cr_assert_eq(gpci_next_use_init(&monitor, context, &config), GPC_OK);
    monitor.table[p] = (gpci_next_use_entry){.left = 39, .used = {[3] = 20}};
    monitor.table[q] = (gpci_next_use_entry){.left = 60, .used = {[4] = 50}};
    gpci_next_use_leaves(&monitor, 0, 1000, p); /* the hundredth, and the end of a period */
    cr_expect(monitor.table[p].selected);
    cr_expect_not(monitor.table[q].selected);
    cr_expect_eq(monitor.table[p].left, 20, "half of what was counted stays");
    cr_expect_eq(monitor.table[q].used[4], 25);
    /* q used at 1, within two lines even if both are selected: together they have more */
    monitor.table[p] = (gpci_next_use_entry){.left = 39, .used = {[1] = 20}};
    monitor.table[q] = (gpci_next_use_entry){.left = 60, .used = {[1] = 50}};
    gpci_next_use_leaves(&monitor, 0, 1001, p);
    cr_expect(monitor.table[p].selected && monitor.table[q].selected);
    /* block 1000 left one line before the last */
    monitor.table[p] = (gpci_next_use_entry){.left = 0};
    gpci_next_use_access(&monitor, 0, 1000);
    gpci_next_use_access(&monitor, 0, 1000);
    cr_expect_eq(monitor.table[p].used[1], 1, "a next use is the first");
    gpci_next_use_finish(&monitor);
    gpc_context_destroy(context);
}

/* Lines that left another set do not count, though the FIFO lies behind. */
Test(instructions, nucache_fifos_are_apart) {
    const gpci_next_use_config config = {.entries = 4, .sets = 3, .depth = 16, .deli = 2, .period = 100};
    gpc_context *context;
    gpci_next_use monitor;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    cr_assert_eq(gpci_next_use_init(&monitor, context, &config), GPC_OK);
    gpci_next_use_leaves(&monitor, 1, 1000, 1);
    gpci_next_use_access(&monitor, 0, 1000);
    gpci_next_use_access(&monitor, 2, 1000);
    cr_expect_eq(monitor.table[1].used[0], 0);
    gpci_next_use_access(&monitor, 1, 1000);
    cr_expect_eq(monitor.table[1].used[0], 1);
    gpci_next_use_finish(&monitor);
    gpc_context_destroy(context);
}

static void refused(gpc_context *context, const char *spec, const char *words) {
    gpc_cache_options options = GPC_CACHE_OPTIONS_INIT;
    gpc_error error = GPC_ERROR_INIT;
    gpc_cache *cache = NULL;
    options.sets = 4;
    options.ways = 4;
    options.replacement = spec;
    cr_expect_eq(gpc_cache_create(context, &options, &cache, &error), GPC_ERROR_RANGE, "%s", spec);
    cr_expect_not_null(strstr(error.message, words), "%s: %s", spec, error.message);
}

Test(instructions, refusals) {
    gpc_context *context;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    refused(context, "lrfu(lambda=1.01)", "lambda");
    refused(context, "lrfu(age=17)", "age");
    refused(context, "trace-based(threshold=4)", "threshold = 4");
    refused(context, "trace-based(signature=25)", "signature");
    refused(context, "time-based(entries=3)", "entries = 3");
    refused(context, "time-based(scale=0)", "scale");
    refused(context, "reuse-distance(entries=6)", "entries = 6");
    refused(context, "reuse-distance(sure=4)", "sure = 4");
    refused(context, "nucache(entries=6)", "entries = 6");
    refused(context, "nucache(depth=17)", "depth = 17");
    refused(context, "nucache(deli=4)", "deli = 4");
    gpc_context_destroy(context);
}
