/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/rig.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <string.h>

/* Requests of warps without a token. */

#define HELD GPC_TOKEN_HELD
#define NONE GPC_TOKEN_NONE

static void open_tokens(rig *r, gpc_tokens tokens, gpc_token_clear clear) {
    rig_init(r);
    r->options.tokens = tokens;
    r->options.token_clear = clear;
    rig_open(r);
}

/*
 * Letters are loads of these lines by a warp, lower case without a token; '.' and a warp: end of the warp; '$': of the
 * kernel. Results of loads: h, b, -, or the leaving line.
 */
static void check(rig *r, const char *steps, const char *expected) {
    char got[65] = "";
    size_t count = 0;
    for (const char *s = steps; *s; s++) {
        if (*s == '$' || *s == '.') {
            gpc_warp_event event = {.kind = *s == '$' ? GPC_KERNEL_END : GPC_WARP_EXIT};
            event.warp = *s == '.' ? (uint32_t)(*++s - '0') : 0;
            cr_assert_eq(gpc_cache_warp_event(r->cache, &event, NULL), GPC_OK);
            continue;
        }
        bool none = *s >= 'a';
        uint64_t line = (uint64_t)(none ? *s - 'a' : *s - 'A');
        uint32_t warp = (uint32_t)(*++s - '0');
        gpc_access_result a = rig_access(r, LOAD(line * 128, .warp = warp, .policy.token = none ? NONE : HELD));
        got[count++] = a.outcome == GPC_HIT        ? 'h'
                       : a.outcome == GPC_BYPASSED ? 'b'
                       : a.evicted                 ? (char)('A' + a.eviction.line_address / 128)
                                                   : '-';
    }
    cr_expect_str_eq(got, expected, "%s: %s, not %s", steps, got, expected);
}

/* Loads without a token hit, and make a line recent; they neither fill a free way nor evict. */
Test(tokens, strict_by_hand) {
    rig r;
    open_tokens(&r, GPC_TOKENS_STRICT, GPC_CLEAR_KERNEL);
    check(&r, "a2A0a2B1a2C0", "b-h-hB");
    measured_cache s = rig_stats(&r);
    cr_expect(s.bypasses == 1 && s.token_bypasses == 1 && s.fills == 3 && s.evictions == 1);
    cr_expect(s.reads == 6 && s.read_hits == 2 && s.line_misses == 4 && s.fetched_sectors == 4);
    cr_expect(!s.opportunistic_fills && !s.priority_evictions && s.predictions == 0);
    rig_close(&r);
}

Test(tokens, ignored_they_fill_and_evict) {
    rig r;
    open_tokens(&r, GPC_TOKENS_IGNORE, GPC_CLEAR_KERNEL);
    check(&r, "a2B1c2A0", "--AB");
    cr_expect_eq(rig_stats(&r).token_bypasses, 0);
    rig_close(&r);
}

/* The example of lib/cache/cache_tokens.c. */
Test(tokens, clearing_by_hand) {
    static const struct {
        gpc_token_clear clear;
        const char *expected;
    } cases[] = {{GPC_CLEAR_KERNEL, "-h-BCb"}, {GPC_CLEAR_OWNERS, "-h-BCA"}, {GPC_CLEAR_LAST_OWNER, "-h-BAC"}};
    for (size_t i = 0; i < 3; i++) {
        rig r;
        open_tokens(&r, GPC_TOKENS_OPPORTUNISTIC, cases[i].clear);
        /* after D in A's place (last owner) or C's, warp 0 ends and a holder uses a line other than A */
        check(&r, "A0A1b2c2.1d2", i == 2 ? "-h-BA" : "-h-BC");
        check(&r, i == 2 ? "A0" : "D0", i == 2 ? "C" : "h");
        check(&r, ".1", "");
        check(&r, "e2", i == 2 ? "D" : "b");
        rig_close(&r);
        open_tokens(&r, GPC_TOKENS_OPPORTUNISTIC, cases[i].clear);
        check(&r, "A0A1B3.1.0c2", i == 0 ? "-h-b" : "-h-A");
        check(&r, "$c2", i == 0 ? "A" : "h");
        cr_expect_eq(rig_stats(&r).opportunistic_fills, 1);
        cr_expect_eq(rig_stats(&r).priority_evictions, 0);
        rig_close(&r);
    }
}

/* A warp that hits with a token is an owner, without a token not; a newly filled line has new owners. */
Test(tokens, owners_are_holders_of_this_line) {
    rig r;
    open_tokens(&r, GPC_TOKENS_OPPORTUNISTIC, GPC_CLEAR_OWNERS);
    r.options.ways = 1;
    gpc_cache_destroy(r.cache);
    rig_open(&r);
    check(&r, "A0a1b2.0b2", "-hbA"); /* warp 1 is no owner */
    check(&r, "A0B1.1c2", "BAB");    /* A's owner 0 went with A */
    check(&r, "B5.0b2c2", "Chb");
    cr_expect_eq(rig_stats(&r).priority_evictions, 1);
    rig_close(&r);
}

/* With the first access after every period of accesses, or of cycles if requests have cycles. */
Test(tokens, periodic_by_hand) {
    rig r;
    rig_init(&r);
    r.options.tokens = GPC_TOKENS_OPPORTUNISTIC;
    r.options.token_clear = GPC_CLEAR_PERIODIC;
    r.options.token_period = 4;
    r.options.ways = 1;
    rig_open(&r);
    check(&r, "A0b1b1b1b1", "-bbbA");
    check(&r, "C0.0$b1b1b1",
          "Bbb"
          "C"); /* accesses 5, 6, 7, 8 */
    rig_close(&r);
    r.options.token_period = 100;
    r.context = NULL;
    rig_open(&r);
    static const struct {
        uint64_t cycle, line;
        gpc_token token;
        gpc_outcome outcome;
    } steps[] = {{30, 0, HELD, GPC_MISS},
                 {99, 1, NONE, GPC_BYPASSED},
                 {100, 1, NONE, GPC_MISS},
                 {150, 2, HELD, GPC_MISS},
                 {199, 1, NONE, GPC_BYPASSED},
                 {730, 1, NONE, GPC_MISS},
                 {731, 3, HELD, GPC_MISS},
                 {799, 1, NONE, GPC_BYPASSED},
                 {UINT64_MAX - 3, 1, NONE, GPC_MISS},
                 {UINT64_MAX - 2, 3, HELD, GPC_MISS},
                 {UINT64_MAX - 1, 1, NONE, GPC_BYPASSED}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        gpc_request q = LOAD(steps[i].line * 128, .cycle = steps[i].cycle, .policy.token = (uint8_t)steps[i].token);
        cr_expect_eq(rig_access(&r, q).outcome, steps[i].outcome, "step %zu", i);
    }
    rig_close(&r);
}

/* Stores and atomics bypass like loads: bytes go below. */
Test(tokens, stores_and_atomics) {
    rig r;
    rig_init(&r);
    r.options.tokens = GPC_TOKENS_STRICT;
    r.options.atomics_here = 1;
    r.options.sectors = 4;
    rig_open(&r);
    gpc_access_result a = rig_access(&r, STORE(0, .sector_mask = 3, .policy.token = NONE));
    cr_expect(a.outcome == GPC_BYPASSED && a.write_sectors == 3 && !a.fetch_sectors && a.way == NO_WAY);
    a = rig_access(&r, ATOMIC(0, .sector_mask = 1, .policy.token = NONE));
    cr_expect(a.outcome == GPC_BYPASSED && a.write_sectors == 1 && a.fetch_sectors == 1 && a.way == NO_WAY);
    cr_expect_eq(rig_lines(&r), 0);
    measured_cache s = rig_stats(&r);
    cr_expect(s.bypasses == 2 && s.token_bypasses == 2 && s.write_hits == 0 && s.write_below_sectors == 3);
    rig_access(&r, LOAD(0, .sector_mask = 1));
    a = rig_access(&r, STORE(0, .sector_mask = 1, .policy.token = NONE));
    cr_expect(a.outcome == GPC_HIT && !a.write_sectors);
    a = rig_access(&r, LOAD(0, .sector_mask = 4, .policy.token = NONE)); /* the line is present: no eviction */
    cr_expect(a.outcome == GPC_SECTOR_MISS && a.fetch_sectors == 4);
    cr_expect_eq(rig_line(&r, 0).valid_sectors, 5);
    rig_close(&r);
}

/* Fetches of a bypass. */
Test(tokens, bypass_fetch) {
    for (uint32_t all = 0; all < 2; all++)
        for (uint32_t mode = GPC_TOKENS_STRICT; mode <= GPC_TOKENS_OPPORTUNISTIC; mode++) {
            rig r;
            rig_init(&r);
            r.options.tokens = mode;
            r.options.sectors = r.options.fetch_sectors = 4;
            r.options.ways = 1;
            r.options.bypass_fetch = all ? GPC_BYPASS_FETCH_ALL : GPC_BYPASS_FETCH_NEEDED;
            rig_open(&r);
            rig_access(&r, LOAD_LINE(0));
            gpc_access_result a = rig_access(&r, LOAD(128, .sector_mask = 2, .policy.token = NONE));
            cr_expect_eq(a.outcome, GPC_BYPASSED);
            cr_expect_eq(a.fetch_sectors, all ? 15 : 2);
            cr_expect_eq(rig_stats(&r).bypassed_sectors, all ? 4 : 1);
            cr_expect_eq(rig_stats(&r).fetched_sectors, all ? 8 : 5);
            rig_close(&r);
        }
}

/* A request without a token does not wait for pending ways, unlike others. */
Test(tokens, none_waits_for_nobody) {
    rig r;
    open_tokens(&r, GPC_TOKENS_OPPORTUNISTIC, GPC_CLEAR_KERNEL);
    for (uint64_t line = 0; line < 2; line++) {
        rig_lookup(&r, LOAD(line * 128, .policy.token = NONE));
        cr_expect_eq(rig_reserve(&r, LOAD(line * 128, .policy.token = NONE), 1).outcome, GPC_MISS);
    }
    rig_lookup(&r, LOAD(256, .policy.token = HELD));
    cr_expect_eq(rig_reserve(&r, LOAD(256, .policy.token = HELD), 1).outcome, GPC_NO_VICTIM);
    rig_lookup(&r, LOAD(256, .policy.token = NONE));
    gpc_access_result a = rig_reserve(&r, LOAD(256, .policy.token = NONE), 1);
    cr_expect(a.outcome == GPC_BYPASSED && a.fetch_sectors == 1);
    rig_fill(&r, LOAD(0, .policy.token = NONE), 1);
    cr_expect_eq(rig_reserve(&r, LOAD(256, .policy.token = NONE), 1).outcome, GPC_MISS);
    rig_close(&r);
}

/* A line evicted while more of it was in flight is not filled again for a warp without a token. */
Test(tokens, strict_fills_nothing_late) {
    rig r;
    open_tokens(&r, GPC_TOKENS_STRICT, GPC_CLEAR_KERNEL);
    cr_expect_eq(rig_fill(&r, LOAD(0, .policy.token = NONE), 1).outcome, GPC_BYPASSED);
    cr_expect_eq(rig_lines(&r), 0);
    rig_close(&r);
}

Test(tokens, asked_at_the_miss_where_lines_are_allocated_on_fill) {
    rig r;
    rig_init(&r);
    r.options.tokens = GPC_TOKENS_OPPORTUNISTIC;
    r.options.allocate = GPC_ALLOCATE_ON_FILL;
    r.options.ways = 1;
    rig_open(&r);
    cr_expect_eq(rig_lookup(&r, LOAD(0, .policy.token = NONE)).outcome, GPC_MISS);
    rig_fill(&r, LOAD(0, .policy.token = NONE), 1);
    cr_expect_eq(rig_lookup(&r, LOAD(128, .policy.token = NONE)).outcome, GPC_MISS, "nobody's");
    rig_lookup(&r, LOAD(0, .policy.token = HELD));
    gpc_access_result a = rig_lookup(&r, LOAD(128, .policy.token = NONE));
    cr_expect(a.outcome == GPC_BYPASSED && a.admission == GPC_DECLINED && a.fetch_sectors == 1);
    cr_expect_eq(rig_stats(&r).token_bypasses, 1);
    cr_expect(rig_line(&r, 0).prioritised);
    rig_close(&r);
}

Test(tokens, cost) {
    static const uint64_t bits[] = {128, 128 * 48, 128 * 7, 128 + 13}; /* 48 warps take 6 bits, 5000 13 */
    for (uint32_t mode = 0; mode < 3; mode++)
        for (uint32_t clear = 0; clear < 4; clear++) {
            rig r;
            rig_init(&r);
            r.options.sets = 32, r.options.ways = 4;
            r.options.tokens = mode, r.options.token_clear = clear, r.options.token_warps = 48;
            rig_open(&r);
            cr_expect_eq(gpc_cache_token_bits(r.cache), mode == GPC_TOKENS_OPPORTUNISTIC ? bits[clear] : 0);
            rig_close(&r);
        }
    cr_expect_eq(gpc_cache_token_bits(NULL), 0);
}

Test(tokens, refused) {
    gpc_cache_options options[3] = {GPC_CACHE_OPTIONS_INIT, GPC_CACHE_OPTIONS_INIT, GPC_CACHE_OPTIONS_INIT};
    static const char *const fields[] = {"tokens", "token_clear", "token_warps"};
    gpc_context *context;
    options[0].tokens = 3, options[1].token_clear = 4, options[2].token_warps = 1025;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    for (size_t i = 0; i < 3; i++) {
        gpc_error error = GPC_ERROR_INIT;
        gpc_cache *cache = NULL;
        cr_expect_eq(gpc_cache_create(context, &options[i], &cache, &error), GPC_ERROR_RANGE);
        cr_expect(strstr(error.message, fields[i]), "%s", error.message);
    }
    gpc_context_destroy(context);
    rig r;
    open_tokens(&r, GPC_TOKENS_STRICT, GPC_CLEAR_KERNEL);
    gpc_request request = LOAD(0, .policy.token = GPC_TOKEN_COUNT);
    cr_expect_eq(gpc_cache_access(r.cache, &request, NULL, NULL), GPC_ERROR_ARGUMENT);
    rig_close(&r);
}
