/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/rpr.h"

#include "policies/replacement/warps.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* RPR's parts at the widths of the fields, costs, and the worked examples. */

static gpci_rpr_history history;

static uint32_t count_of(uint32_t signature) {
    return gpci_rpr_predict(&history, signature) >> 4;
}

static uint32_t distance_of(uint32_t signature) {
    return gpci_rpr_predict(&history, signature) & 15;
}

static void hits(uint32_t signature, uint32_t times, uint32_t distance) {
    while (times--)
        gpci_rpr_hit_update(&history, signature, distance);
}

static void misses(uint32_t signature, uint32_t times) {
    while (times--)
        gpci_rpr_miss_update(&history, signature);
}

/* 31 fetches, 70 reuses, 420 accesses between: 6 and 2. */
Test(rpr, history_example) {
    hits(9, 70, 6);
    misses(9, 30);
    cr_expect_eq(gpci_rpr_predict(&history, 9), GPCI_RPR_NONE, "not full");
    misses(9, 1);
    cr_expect_eq(distance_of(9), 6);
    cr_expect_eq(count_of(9), 2);
    cr_expect_eq(gpci_rpr_predict(&history, 8), GPCI_RPR_NONE, "another signature");
}

/* A field is full at the last value of the width: 2^5 - 1 fetches, 2^8 - 1 reuses, 2^11 - 1 of distance. */
Test(rpr, history_fields_are_full_at_their_widths) {
    misses(1, 17);
    hits(1, 254, 1);
    cr_expect_eq(gpci_rpr_predict(&history, 1), GPCI_RPR_NONE);
    hits(1, 1, 1);
    cr_expect_eq(count_of(1), 255 / 17);
    cr_expect_eq(distance_of(1), 1);
    misses(2, 10);
    hits(2, 2, 1023);
    cr_expect_eq(gpci_rpr_predict(&history, 2), GPCI_RPR_NONE, "2046");
    hits(2, 1, 1);
    cr_expect_eq(distance_of(2), 15, "2047 / 3 = 682, of which four bits keep 15");
    cr_expect_eq(count_of(2), 0, "3 / 10");
    hits(3, 1, 60000);
    cr_expect_eq(distance_of(3), 15);
    cr_expect_eq(count_of(3), 15, "a reuse, and no fetch seen");
    misses(4, 30);
    cr_expect_eq(gpci_rpr_predict(&history, 4), GPCI_RPR_NONE);
    misses(4, 1);
    cr_expect_eq(gpci_rpr_predict(&history, 4), 15, "31 fetches without a reuse");
    cr_expect_eq(sizeof(gpci_rpr_entry) * 8, GPCI_RPR_ENTRY_BITS);
}

/* The averages stay until the next are known, and the sums start from zero. */
Test(rpr, history_starts_again) {
    hits(5, 62, 4);
    misses(5, 31);
    cr_expect_eq(gpci_rpr_predict(&history, 5), 2 << 4 | 4);
    hits(5, 31, 9);
    misses(5, 30);
    cr_expect_eq(gpci_rpr_predict(&history, 5), 2 << 4 | 4);
    misses(5, 1);
    cr_expect_eq(gpci_rpr_predict(&history, 5), 1 << 4 | 9, "nothing of the first 31 fetches is left");
}

/* An average rounds down; rarely reused distances still have one. */
Test(rpr, history_rounds_down) {
    hits(6, 30, 3);
    misses(6, 31);
    cr_expect_eq(count_of(6), 0);
    cr_expect_eq(distance_of(6), 3);
}

/* 512 signatures fill the table; the next replaces the first, however often used since. */
Test(rpr, history_full) {
    for (uint32_t signature = 0; signature < 512; signature++)
        misses(signature, 31);
    hits(0, 1, 1);
    misses(1000, 31);
    cr_expect_eq(gpci_rpr_predict(&history, 0), GPCI_RPR_NONE);
    for (uint32_t signature = 1; signature < 512; signature++)
        cr_assert_eq(gpci_rpr_predict(&history, signature), 15);
    cr_expect_eq(gpci_rpr_predict(&history, 1000), 15);
    misses(0, 30);
    cr_expect_eq(gpci_rpr_predict(&history, 0), GPCI_RPR_NONE, "it begins from nothing");
    cr_expect_eq(gpci_rpr_predict(&history, 1), GPCI_RPR_NONE, "the second has left for it");
    misses(0, 1);
    cr_expect_eq(gpci_rpr_predict(&history, 0), 15);
    for (uint32_t signature = 2000; signature < 2000 + 512; signature++)
        misses(signature, 1);
    uint32_t found = 0;
    for (uint32_t signature = 0; signature < 4096; signature++)
        found += history.places[signature] != 0;
    cr_expect_eq(found, 512);
    cr_expect_eq(history.places[0], 0);
}

static gpci_rpr_tag tags[4 * 1024];
static uint16_t counters[16];

static gpci_rpr_sampler sampler_of(uint32_t ways, uint32_t every) {
    memset(tags, 0, sizeof tags);
    memset(counters, 0, sizeof counters);
    memset(&history, 0, sizeof history);
    return (gpci_rpr_sampler){.tags = tags, .counters = counters, .ways = ways, .skip = every - 1, .shift = 7};
}

static void sample(gpci_rpr_sampler *s, char block) {
    gpci_rpr_sample_access(s, &history, 0, (uint64_t)block << 7);
    gpci_rpr_sample_enter(s, &history, 0, (uint64_t)block << 7, (uint32_t)block);
}

static gpci_rpr_entry entry(char block) {
    cr_assert_neq(history.places[(int)block], 0, "no entry for %c", block);
    return history.entries[history.places[(int)block] - 1];
}

Test(rpr, sampler_example) {
    gpci_rpr_sampler s = sampler_of(2, 4);
    for (const char *block = "ABACA"; *block; block++)
        sample(&s, *block);
    cr_expect_eq(entry('A').distance_sum, 2 + 2);
    cr_expect_eq(entry('A').reuses, 2);
    cr_expect_eq(entry('A').fetches, 1);
    cr_expect_eq(entry('C').fetches, 1);
    sample(&s, 'B'); /* C left; A was used last: B takes C's place */
    sample(&s, 'A');
    cr_expect_eq(entry('B').fetches, 2);
    cr_expect_eq(entry('A').reuses, 3);
    cr_expect_eq(entry('A').fetches, 1);
}

/* A 16-bit counter and wrap: distances up to 65,535 are exact, though the sum keeps 11 bits of them. */
Test(rpr, sampler_counter_wraps) {
    gpci_rpr_sampler s = sampler_of(1, 1);
    counters[0] = 65534;
    sample(&s, 'A'); /* at 65535 */
    cr_expect_eq(counters[0], 65535);
    sample(&s, 'A'); /* at 0 */
    cr_expect_eq(counters[0], 0);
    cr_expect_eq(entry('A').distance_sum, 1);
    for (int i = 0; i < 1000; i++)
        gpci_rpr_sample_access(&s, &history, 0, (uint64_t)'B' << 7); /* bypasses: counted, not entered */
    sample(&s, 'A');
    cr_expect_eq(entry('A').distance_sum, 1 + 1001);
    cr_expect_eq(history.places['B'], 0);
}

/* The least recent leaves, also across the wrap. */
Test(rpr, sampler_evicts_the_least_recent) {
    gpci_rpr_sampler s = sampler_of(3, 1);
    counters[0] = 65533;
    for (const char *block = "ABCA"; *block; block++)
        sample(&s, *block); /* A 65534, B 65535, C 0, A 1 */
    sample(&s, 'D');        /* in place of B */
    sample(&s, 'C');
    sample(&s, 'B'); /* in place of A */
    cr_expect_eq(entry('C').fetches, 1);
    cr_expect_eq(entry('B').fetches, 2);
    sample(&s, 'A');
    cr_expect_eq(entry('A').fetches, 2);
}

/* Three bytes of tag: the sampler does not distinguish blocks 2^24 tags apart. */
Test(rpr, sampler_tags_are_three_bytes) {
    gpci_rpr_sampler s = sampler_of(4, 1);
    gpci_rpr_sample_enter(&s, &history, 0, (uint64_t)5 << 7, 'A');
    gpci_rpr_sample_access(&s, &history, 0, ((uint64_t)1 << 23 | 5) << 7);
    cr_expect_eq(entry('A').reuses, 0);
    gpci_rpr_sample_access(&s, &history, 0, ((uint64_t)1 << 24 | 5) << 7);
    cr_expect_eq(entry('A').reuses, 1);
    gpci_rpr_sample_enter(&s, &history, 0, 0, 'Z');
    cr_expect_eq(entry('Z').fetches, 1, "tag 0 is a tag");
    gpci_rpr_sample_access(&s, &history, 0, 0);
    cr_expect_eq(entry('Z').reuses, 1);
}

/* Make the history predict `count` and `distance` (1 or more) of the request's signature. */
static void teach(rig *r, uint64_t pc, uint32_t warp, uint32_t count, uint32_t distance) {
    gpci_rpr *rpr = r->self;
    gpc_request request = {.pc = pc, .warp = warp, .warp_age = warp};
    uint32_t signature = gpci_rpr_signature(rpr, &request);
    for (uint32_t i = 0; i < 7 * count; i++)
        gpci_rpr_hit_update(rpr->history, signature, distance);
    for (uint32_t i = 0; i < 7; i++)
        gpci_rpr_miss_update(rpr->history, signature);
    while (gpci_rpr_predict(rpr->history, signature) == GPCI_RPR_NONE) { /* repeated until a sum is full */
        for (uint32_t i = 0; i < count; i++)
            gpci_rpr_hit_update(rpr->history, signature, distance);
        gpci_rpr_miss_update(rpr->history, signature);
    }
    uint8_t expected = (uint8_t)(count << 4 | (count ? distance : 15));
    cr_assert_eq(gpci_rpr_predict(rpr->history, signature), expected, "count %u, distance %u", count, distance);
}

/*
 * As in ages.c: a letter and a warp is an access, with the letter as pc; if any is lower case, the other warps have
 * tokens.
 */
static void check(rig *r, const char *steps, const char *expected) {
    bool in_use = strpbrk(steps, "abcdefghijklmnopqrstuvwxyz");
    char got[65] = "";
    size_t count = 0;
    for (; *steps; steps += 2) {
        uint32_t warp = (uint32_t)(steps[1] - '0');
        if (*steps == '+' || *steps == '|' || *steps == '.') {
            tell(r, *steps == '+' ? GPC_WARP_START : *steps == '|' ? GPC_WARP_BARRIER : GPC_WARP_EXIT, warp);
            continue;
        }
        bool token = *steps >= 'a';
        uint64_t block = (uint64_t)(token ? *steps - 'a' + 'A' : *steps);
        r->also.warp = r->also.warp_age = warp;
        r->also.pc = block;
        r->also.policy.token = token ? GPC_TOKEN_HELD : in_use ? GPC_TOKEN_NONE : GPC_TOKEN_UNUSED;
        rig_outcome o = rig_access(r, block, 0);
        got[count++] = o.hit ? 'h' : o.bypassed ? 'b' : o.evicted ? (char)o.victim : '-';
    }
    cr_expect_str_eq(got, expected, "%s, not %s", got, expected);
}

/* 12-bit signatures, so that the few in an example do not collide. */
static void open_taught(rig *r, const char *spec, uint32_t ways) {
    rig_open(r, spec, 1, ways, 1);
    teach(r, 'A', 0, 2, 4);
    teach(r, 'B', 0, 1, 2);
    teach(r, 'C', 0, 1, 3);
}

Test(rpr, example) {
    rig r;
    open_taught(&r, "rpr(signature=12)", 2);
    check(&r, "A0B0B0A0C0D0", "--hhBC");
    rig_close(&r);
    rig_open(&r, "lru", 1, 2, 1);
    check(&r, "A0B0B0A0C0D0", "--hhBA");
    rig_close(&r);
}

/* The farthest leaves; distances shrink with every access to the set, and stop at 0. */
Test(rpr, distance) {
    rig r;
    open_taught(&r, "rpr-distance(signature=12)", 3);
    teach(&r, 'X', 0, 1, 12);
    check(&r, "A0X0B0C0", "---X"); /* A 2/1, X 1/10, B 1/1 */
    rig_close(&r);
    open_taught(&r, "rpr-distance(signature=12)", 2);
    teach(&r, 'X', 0, 1, 12);
    check(&r, "B0A0", "--");
    for (int i = 0; i < 20; i++) /* accesses to the set without effect */
        r.ops->on_miss(r.self, 0, &(gpc_request){.pc = 1});
    check(&r, "C0", "B"); /* both at 0: the least recent */
    rig_close(&r);
}

/* 256 + the rest, 0 for none: unpredicted lines leave before predicted ones, dead lines before both. */
Test(rpr, count) {
    rig r;
    open_taught(&r, "rpr-count(signature=12)", 3);
    check(&r, "A0U0B0C0", "---U"); /* 258, 0, 257 */
    rig_close(&r);
    open_taught(&r, "rpr-count(signature=12)", 3);
    check(&r, "U0A0B0B0C0D0", "---hBU");
    rig_close(&r);
    open_taught(&r, "rpr-count(signature=12)", 2);
    check(&r, "B0A0C0", "--B"); /* 257 and 258 */
    rig_close(&r);
}

/* As age-lru, except dead lines. */
Test(rpr, age) {
    rig r;
    rig_open(&r, "rpr-age", 1, 2, 1);
    check(&r, "+0+1+2A0B1C2D1.0E2", "--BCA");
    rig_close(&r);
    open_taught(&r, "rpr-age(signature=12)", 3);
    check(&r, "B0A1U2B0C0D0", "---hBU"); /* B dead by the hit; then of A1, U2 and C0 the youngest warp's */
    rig_close(&r);
}

/* Without a prediction a line is not dead, unless marked. */
Test(rpr, unpredicted) {
    rig r;
    open_taught(&r, "rpr(signature=12)", 2);
    check(&r, "U0C0X0", "--C"); /* 256 against 256 - 2 */
    rig_close(&r);
    open_taught(&r, "rpr(signature=12,unpredicted=1)", 2);
    check(&r, "U0C0X0", "--U");
    rig_close(&r);
}

/* A line predicted never to be reused is not dead: it leaves by the distance, 14, or by the count, 0. */
Test(rpr, predicted_without_reuse) {
    rig r;
    open_taught(&r, "rpr(signature=12)", 2);
    teach(&r, 'Z', 0, 0, 1);
    teach(&r, 'F', 0, 1, 15);
    check(&r, "A0Z0B0", "--Z"); /* A 2/3 after Z's access, Z 14 */
    check(&r, "F0Z0A0", "AFZ"); /* A 2/1 and B 1/1: A longer unused; F 1/14 and Z 14: F */
    rig_close(&r);
    open_taught(&r, "rpr-count(signature=12)", 2);
    teach(&r, 'Z', 0, 0, 1);
    check(&r, "Z0B0C0", "--Z"); /* 0 and 257 */
    rig_close(&r);
    open_taught(&r, "rpr-age(signature=12)", 2);
    teach(&r, 'Z', 0, 0, 1);
    check(&r, "Z0B1C0", "--B"); /* as age-lru */
    rig_close(&r);
}

/* The distance of a count of zero shrinks like others, and at 0 equals an unpredicted line. */
Test(rpr, without_reuse_runs_out) {
    static const struct {
        const char *spec, *evicted;
        int misses;
    } cases[] = {{"rpr(signature=12)", "-F", 11},
                 {"rpr(signature=12)", "-F", 12},
                 {"rpr(signature=12,unpredicted=1)", "-F", 11}, /* Z at 1, F at 14 */
                 {"rpr(signature=12,unpredicted=1)", "-Z", 12}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rig r;
        open_taught(&r, cases[i].spec, 2);
        teach(&r, 'Z', 0, 0, 1);
        teach(&r, 'F', 0, 1, 15);
        check(&r, "Z0", "-"); /* 14 */
        for (int n = 0; n < cases[i].misses; n++)
            r.ops->on_miss(r.self, 0, &(gpc_request){.pc = 1});
        check(&r, "F0B0", cases[i].evicted);
        rig_close(&r);
    }
}

/* An inactive warp's lines are dead with any prediction. */
Test(rpr, inactive_warps) {
    rig r;
    static const char *const specs[] = {"rpr", "rpr-age", "rpr-distance", "rpr-count"};
    for (size_t i = 0; i < 4; i++) {
        rig_open(&r, specs[i], 1, 2, 1);
        check(&r, "+0+1B1A0", "--");
        check(&r, ".0C1", "A");
        rig_close(&r);
    }
}

/* A warp of another age, another signature. */
Test(rpr, signature_knows_pc_and_age) {
    rig r;
    rig_open(&r, "rpr", 1, 2, 1);
    uint32_t same_pc = 0, same_age = 0, first = 0;
    for (uint32_t i = 0; i < 200; i++) {
        gpc_request by_age = {.pc = 0x400, .warp_age = i}, by_pc = {.pc = 0x400 + 16 * i};
        uint32_t a = gpci_rpr_signature(r.self, &by_age), p = gpci_rpr_signature(r.self, &by_pc);
        cr_assert_lt(a, 256);
        cr_assert_lt(p, 256);
        first = i ? first : a;
        same_pc += a == first;
        same_age += p == first;
    }
    cr_expect_lt(same_pc, 10);
    cr_expect_lt(same_age, 10);
    rig_close(&r);
}

/* Only one SM samples, the first with an access, and only one in four of the sets; another SM in the next kernel. */
Test(rpr, samples_a_quarter_of_the_sets_of_one_sm) {
    enum { SMS = 3 };
    rig r[SMS];
    for (uint32_t index = 0; index < SMS; index++) {
        rig_open(&r[index], "rpr", 32, 4, 1);
        r[index].env.index = index;
        r[index].env.count = SMS;
        r[index].env.shared_state = r[0].env.shared_state;
        cr_assert_eq(r[index].ops->init(r[index].self, &r[index].env, (char[256]){""}), GPC_OK);
    }
    for (uint32_t kernel = 0; kernel < 4; kernel++) {
        const gpc_warp_event start = {.kind = GPC_KERNEL_START, .kernel = kernel};
        for (uint32_t index = 0; index < SMS; index++)
            r[index].ops->on_warp_event(r[index].self, &start);
        const uint32_t first = (kernel * 2 + 1) % SMS; /* earlier SMs have no work */
        for (uint32_t n = first * 32; n < SMS * 32; n++) {
            const uint32_t index = n / 32, set = n % 32;
            gpci_rpr *rpr = r[index].self;
            uint16_t before = rpr->sampler.counters[set];
            rig_access(&r[index], set, 0);
            cr_expect_eq(rpr->sampler.counters[set] - before, index == first && set % 4 == 0,
                         "kernel %u, SM %u, set %u", kernel, index, set);
        }
    }
    cr_expect_gt(((gpci_rpr *)r[0].self)->history->used, 0);
    for (uint32_t index = SMS; index-- > 0;)
        rig_close(&r[index]);
}

Test(rpr, refuses_what_it_cannot_sample) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_cache_options options = GPC_CACHE_OPTIONS_INIT;
    gpc_context *context;
    gpc_cache *cache;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    options.sets = 32, options.ways = 4;
    options.replacement = "rpr(sample=3)";
    cr_expect_lt(gpc_cache_create(context, &options, &cache, &error), 0);
    cr_expect(strstr(error.message, "sample=3"), "%s", error.message);
    static const char *const bad[] = {"rpr(signature=0)", "rpr(signature=13)", "rpr(score=wrap)", "rpr-age(score=age)"};
    for (size_t i = 0; i < 4; i++) {
        options.replacement = bad[i];
        cr_expect_lt(gpc_cache_create(context, &options, &cache, &error), 0, "%s", bad[i]);
    }
    gpc_context_destroy(context);
}

/*
 * Section 6.3, GTX480: 16 KiB of 32 sets, 4 ways and 128 bytes on each of 15 SMs. Without LRU's order, 32 bytes here,
 * and the two registers of active warp ids.
 */
Test(rpr, costs_are_the_documents) {
    static const char *const specs[] = {"rpr", "rpr-age", "rpr-distance", "rpr-count", "rpr(score=count)"};
    const uint64_t table = 2048, sampler = 208, lines = 256, besides = 32 + 2;
    gpc_context *context;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        uint64_t one = 0, two = 0, all = 0;
        cr_assert_eq(gpc_policy_cost(context, GPC_POLICY_REPLACEMENT, specs[i], 32, 4, 128, 1, &one, NULL), GPC_OK);
        cr_assert_eq(gpc_policy_level_cost(context, GPC_POLICY_REPLACEMENT, specs[i], 2, 32, 4, 128, 1, &two, NULL),
                     GPC_OK);
        cr_assert_eq(gpc_policy_level_cost(context, GPC_POLICY_REPLACEMENT, specs[i], 15, 32, 4, 128, 1, &all, NULL),
                     GPC_OK);
        cr_expect_eq(one, 8 * (table + sampler + lines + besides), "%s: %llu", specs[i], (unsigned long long)one);
        cr_expect_eq(two - one, 8 * (lines + besides));
        cr_expect_eq(all, 8 * (6096 + 15 * besides), "%s: %llu", specs[i], (unsigned long long)all);
    }
    uint64_t bits;
    /* five sampled sets of 18: 0, 4, 8, 12, 16; 9-bit signatures */
    cr_assert_eq(gpc_policy_cost(context, GPC_POLICY_REPLACEMENT, "rpr(signature=9)", 18, 3, 128, 1, &bits, NULL),
                 GPC_OK);
    cr_expect_eq(bits, 16384 + 5 * (16 + 3 * 49) + 18 * 3 * (16 + 2) + 16);
    cr_assert_eq(gpc_policy_cost(context, GPC_POLICY_REPLACEMENT, "age-lru", 32, 4, 128, 1, &bits, NULL), GPC_OK);
    cr_expect_eq(bits, 128 * (2 + 8) + 16);
    gpc_context_destroy(context);
}

/* The example of combined.c: without a token no place, unless a line is dead. */
Test(rpr, combined_example) {
    rig r;
    rig_open(&r, "combined", 1, 2, 1);
    check(&r, "+0+1+2a0b1C2d0E2.0F2", "--bBbA");
    rig_close(&r);
}

/* Without tokens all are cache warps, and it is age-lru. */
Test(rpr, combined_without_tokens) {
    rig r;
    rig_open(&r, "combined", 1, 2, 1);
    check(&r, "+0+1+2A0B1C2D1.0E2", "--BCA");
    rig_close(&r);
}

/*
 * Blocks of low reuse stay out of a full set, with or without tokens; a block in a formerly free way leaves like any
 * other.
 */
Test(rpr, combined_keeps_low_reuse_out) {
    rig r;
    open_taught(&r, "combined(signature=12)", 2);
    teach(&r, 'Z', 0, 0, 1);
    check(&r, "a0u0z0u0b0", "--bhA");
    rig_close(&r);
    open_taught(&r, "combined(signature=12)", 2);
    teach(&r, 'Z', 0, 0, 1);
    check(&r, "a0z0z0b0", "--hA");
    rig_close(&r);
    open_taught(&r, "combined(signature=12,low=1)", 2);
    check(&r, "a0u0b0c0A0", "--bbh");
    rig_close(&r);
}

/* A block that bypasses for low reuse is sampled: reused again and again, it is admitted. */
Test(rpr, combined_takes_a_prediction_back) {
    rig r;
    open_taught(&r, "combined(signature=12)", 2);
    teach(&r, 'Z', 0, 0, 1);
    check(&r, "a0u0z0z0z0", "--bbb"); /* fetched once, used again at distance 1, and again ... */
    r.also.pc = 'Z';
    for (int i = 0; i < 252; i++)
        cr_assert(rig_access(&r, 'Z', 0).bypassed, "%d", i);
    cr_expect_not(rig_access(&r, 'Z', 0).bypassed, "the 255th reuse fills the sum: 255 reuses of a fetch");
    rig_close(&r);
}
