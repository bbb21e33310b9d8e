/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "policies/predictor/agcb.h"
#include "policies/predictor/predictors.h"
#include "policies/predictor/rig.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Worked examples, among them the predictors' examples; and the limits of counters. */

#define ONE_LINE .sets = 1, .ways = 1
#define BELOW .below = "agcb-below", .below_sets = 4, .below_ways = 4

static gpc_request load_of(char line, uint64_t pc) {
    return (gpc_request){.address = (uint64_t)(line - 'A') * 128, .pc = pc};
}

static uint64_t value_of(const gpc_cache *cache, const char *name) {
    gpc_policy_value value = GPC_POLICY_VALUE_INIT;
    for (size_t i = 0; gpc_cache_policy_value(cache, i, &value, NULL) == GPC_OK; i++)
        if (!strcmp(value.name, name))
            return value.value;
    cr_assert_fail("there is no %s", name);
    return 0;
}

Test(predictor_examples, agcb) {
    rig r;
    rig_open(&r, (rig_plan){.predictor = "agcb(bits=2,initial=3,threshold=2)", ONE_LINE, BELOW});
    LOADS(&r, 0x40, "AAAAABC", "bbohhmb");
    measured_cache stats = rig_stats(&r);
    cr_expect_eq(stats.predictions, 5);
    cr_expect_eq(stats.bypasses, 4);
    cr_expect_eq(stats.overturned_bypasses, 1);
    cr_expect_eq(value_of(r.cache, "bypass.agcb.replies"), 5);
    cr_expect_eq(value_of(r.cache, "bypass.agcb.overridden"), 1);
    rig_close(&r);
}

/* Counters begin at 15 and bypass from 8: seven hits are one too few, eight suffice. */
Test(predictor_examples, agcb_threshold) {
    rig r;
    rig_open(&r, (rig_plan){.predictor = "agcb", ONE_LINE, BELOW});
    LOADS(&r, 0x40, "AAAAAAAAAAB", "bbohhhhhhhb");
    LOADS(&r, 0x40, "AB", "hm");
    rig_close(&r);
}

/* An eviction leaves 15 unchanged, and a hit 0: eight hits from the top, eight evictions from the bottom. */
Test(predictor_examples, agcb_saturates) {
    rig r;
    rig_open(&r, (rig_plan){.predictor = "agcb", ONE_LINE, BELOW});
    LOADS(&r, 0x40, "AAABBBCCC", "bbobbobbo");
    LOADS(&r, 0x40, "CCCCCCCD", "hhhhhhhb");
    LOADS(&r, 0x40, "CCCCCCCCCCCCCCCCCCCC", "hhhhhhhhhhhhhhhhhhhh");
    LOADS(&r, 0x40, "EFGHIJKLM", "mmmmmmmmb");
    rig_close(&r);
}

/* The PC that used a line last is taught, not the present or fetching PC. */
Test(predictor_examples, agcb_previous_pc) {
    rig r;
    rig_open(&r, (rig_plan){.predictor = "agcb(initial=7)", ONE_LINE});
    LOADS(&r, 0x10, "A", "m");
    LOADS(&r, 0x20, "A", "h"); /* 0x10: 6 */
    LOADS(&r, 0x10, "B", "m"); /* 0x20: 8 */
    LOADS(&r, 0x20, "C", "b");
    LOADS(&r, 0x10, "C", "m"); /* 0x10: 7, the last to use B */
    LOADS(&r, 0x10, "D", "m"); /* 8 */
    LOADS(&r, 0x10, "E", "b");
    rig_close(&r);
}

/* The authors' Figure 9: the probing PC counts up, only to the threshold. */
Test(predictor_examples, agcb_report) {
    rig r;
    rig_open(&r, (rig_plan){.predictor = "agcb(initial=7,update=report)", ONE_LINE});
    LOADS(&r, 0x10, "A", "m");
    LOADS(&r, 0x20, "A", "h"); /* 0x10: 6 */
    LOADS(&r, 0x10, "B", "m"); /* 0x10: 7 */
    LOADS(&r, 0x20, "C", "m"); /* 0x20: 8 */
    LOADS(&r, 0x20, "D", "b");
    LOADS(&r, 0x10, "D", "m"); /* 0x10: 8 */
    LOADS(&r, 0x10, "E", "b");
    rig_close(&r);
}

/* PCs 256 apart share a counter; folded by XOR they do not, nor with more counters. */
Test(predictor_examples, agcb_hashes) {
    static const struct {
        const char *spec;
        char other;
    } cases[] = {{"agcb(initial=7)", 'b'},
                 {"agcb(initial=7,hash=xor)", 'm'},
                 {"agcb(initial=7,hash=multiply)", 'm'},
                 {"agcb(initial=7,entries=512)", 'm'},
                 {"agcb(initial=7,shift=4)", 'm'},
                 {"agcb(initial=7,entries=1)", 'b'}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        rig r;
        rig_open(&r, (rig_plan){.predictor = cases[i].spec, ONE_LINE});
        LOADS(&r, 0x40, "ABC", "mmb"); /* B took A's place: 8 */
        char got = rig_access(&r, load_of('D', 0x140));
        cr_expect_eq(got, cases[i].other, "%s: %c", cases[i].spec, got);
        rig_close(&r);
    }
}

/* Only loads of global memory bypass. Lines brought by others hit. */
Test(predictor_examples, agcb_predicts_global_loads) {
    static const gpc_request others[] = {{.kind = GPC_STORE}, {.kind = GPC_PREFETCH}, {.space = GPC_SPACE_LOCAL}};
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++) {
        rig r;
        rig_open(&r, (rig_plan){.predictor = "agcb", ONE_LINE});
        cr_expect_eq(rig_access(&r, others[i]), 'm');
        cr_expect_eq(rig_access(&r, load_of('A', 0x40)), 'h');
        cr_expect_eq(rig_access(&r, load_of('B', 0x40)), 'b');
        rig_close(&r);
        rig_open(&r, (rig_plan){.predictor = "agcb-early", ONE_LINE});
        cr_expect_eq(rig_access(&r, others[i]), 'm');
        cr_expect_eq(rig_access(&r, load_of('A', 0x40)), 'b', "it does not look at the tags");
        rig_close(&r);
    }
}

/* Stores, prefetches and invalidations leave the counters alone: at 7, one eviction would suffice. */
Test(predictor_examples, agcb_learns_from_reads) {
    rig r;
    rig_open(&r, (rig_plan){.predictor = "agcb(initial=7)", .sets = 1, .ways = 2});
    for (int i = 0; i < 20; i++) {
        cr_assert_eq(rig_access(&r, load_of('A', 0x40)), 'm');
        cr_assert_eq(gpc_cache_invalidate_line(r.cache, 0, NULL), GPC_OK);
    }
    LOADS(&r, 0x40, "AB", "mm");
    for (int i = 0; i < 20; i++) {
        cr_assert_eq(rig_access(&r, (gpc_request){.kind = GPC_STORE, .pc = 0x40}), 'h');
        cr_assert_eq(rig_access(&r, (gpc_request){.kind = GPC_PREFETCH, .pc = 0x40}), 'h');
    }
    LOADS(&r, 0x40, "CD", "mb"); /* B leaves: 8; had the stores counted, it would be 1 */
    rig_close(&r);
}

Test(predictor_examples, agcb_refuses) {
    gpc_context *context;
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_context_create(NULL, &context, &error), GPC_OK);
    gpc_cache_options options = GPC_CACHE_OPTIONS_INIT;
    static const char *const specs[] = {"agcb(entries=3)", "sdbp(entries=5)", "counter-based(rows=6)",
                                        "counter-based(columns=100)"};
    for (unsigned i = 0; i < sizeof specs / sizeof *specs; i++) {
        gpc_cache *cache = NULL;
        options.predictor = specs[i];
        cr_expect_eq(gpc_cache_create(context, &options, &cache, &error), GPC_ERROR_RANGE, "%s", specs[i]);
        cr_expect_null(cache);
    }
    gpc_context_destroy(context);
}

/* The bit below, request by request: c to cache, b to bypass, n not judged, with the returned word. */
static void exchange(const char *spec, const char *requests, const char *expected) {
    rig r;
    rig_open(&r, (rig_plan){.predictor = spec, .sets = 1, .ways = 2});
    for (size_t i = 0; requests[i]; i++) {
        gpc_request request = {0};
        switch (requests[i]) {
        case 'x': /* two other lines: the line leaves */
            rig_access(&r, load_of('B', 0));
            rig_access(&r, load_of('C', 0));
            continue;
        case 'b':
            request.policy.policy_word = GPCI_AGCB_JUDGED | GPCI_AGCB_BYPASS;
            break;
        case 'c':
            request.policy.policy_word = GPCI_AGCB_JUDGED;
            break;
        default:
            break;
        }
        rig_access(&r, request);
        uint32_t word = gpc_cache_respond(r.cache, &request);
        cr_assert_eq(word, expected[i] == '1' ? GPCI_AGCB_OVERRIDE : 0, "%s, request %zu of %s: %u", spec, i, requests,
                     word);
    }
    gpc_request absent = load_of('Z', 0);
    absent.policy.policy_word = GPCI_AGCB_JUDGED | GPCI_AGCB_BYPASS;
    cr_expect_eq(gpc_cache_respond(r.cache, &absent), 0);
    cr_expect_eq(rig_stats(&r).bypasses, 0);
    rig_close(&r);
}

Test(predictor_examples, agcb_below) {
    exchange("agcb-below", "bbbbbb", "001010");
    exchange("agcb-below(on-miss=1)", "bbbbbb", "010101");
    exchange("agcb-below", "bbcbb", "00101"); /* a request to be cached clears it too */
    exchange("agcb-below", "bbncb", "00010");
    exchange("agcb-below", "bbxbbb", "00x001");
    exchange("agcb-below", "nbb", "001"); /* present before the first bypass */
    exchange("agcb-below", "cccb", "0000");
}

/* The table alone, on a separate instance. */
static void *instance_of(const gpc_predictor_ops *ops, double parameter, uint64_t seed) {
    void *self = calloc(1, ops->instance_bytes);
    char message[256];
    gpc_policy_env env = {.struct_size = sizeof env,
                          .sets = 1,
                          .ways = 1,
                          .line_bytes = 128,
                          .sectors = 1,
                          .count = 1,
                          .seed = seed,
                          .parameters = &parameter};
    cr_assert_eq(ops->init(self, &env, message), GPC_OK);
    return self;
}

static bool bypasses(const gpc_predictor_ops *ops, void *self, gpc_request request) {
    gpc_prediction prediction = {0};
    ops->predict(self, 0, &request, &prediction);
    return prediction.decision == GPC_BYPASS;
}

Test(predictor_examples, random_p) {
    void *self = instance_of(&gpci_random_predictor, 0.5, 1234567);
    cr_expect(bypasses(&gpci_random_predictor, self, (gpc_request){0}));
    cr_expect(bypasses(&gpci_random_predictor, self, (gpc_request){0}));
    cr_expect_not(bypasses(&gpci_random_predictor, self, (gpc_request){0}));
    free(self);
}

/* Out of 10,000 draws p x 10,000, within four standard deviations; never and always are exact. Stores do not change. */
Test(predictor_examples, random_p_is_p) {
    static const double ps[] = {0, 0.01, 0.25, 0.9, 1};
    for (unsigned i = 0; i < sizeof ps / sizeof *ps; i++) {
        void *self = instance_of(&gpci_random_predictor, ps[i], i);
        double count = 0;
        for (int draw = 0; draw < 10000; draw++) {
            cr_assert_not(bypasses(&gpci_random_predictor, self, (gpc_request){.kind = GPC_STORE}));
            count += bypasses(&gpci_random_predictor, self, (gpc_request){0});
        }
        double off = count - 10000 * ps[i], variance = 10000 * ps[i] * (1 - ps[i]);
        cr_expect_leq(off * off, 16 * variance, "p = %g: %g", ps[i], count);
        free(self);
    }
}

Test(predictor_examples, warp_token) {
    rig r;
    rig_open(&r, (rig_plan){.predictor = "warp-token", .sets = 1, .ways = 2});
    cr_expect_eq(rig_access(&r, (gpc_request){.warp = 1, .policy.token = GPC_TOKEN_NONE}), 'b');
    cr_expect_eq(rig_access(&r, (gpc_request){.policy.token = GPC_TOKEN_HELD}), 'm');
    cr_expect_eq(rig_access(&r, (gpc_request){.warp = 1, .policy.token = GPC_TOKEN_NONE}), 'h');
    cr_expect_eq(rig_access(&r, (gpc_request){.address = 128, .kind = GPC_STORE, .policy.token = GPC_TOKEN_NONE}), 'b');
    cr_expect_eq(rig_access(&r, (gpc_request){.address = 128}), 'm', "tokens are not in use");
    rig_close(&r);
}

Test(predictor_examples, access_count) {
    rig r;
    rig_open(&r, (rig_plan){.predictor = "access-count", .sets = 1, .ways = 4});
    cr_expect_eq(rig_access(&r, (gpc_request){.address = 0, .transactions = 16}), 'm');
    cr_expect_eq(rig_access(&r, (gpc_request){.address = 128, .transactions = 17}), 'b');
    cr_expect_eq(rig_access(&r, (gpc_request){.address = 128, .transactions = 32}), 'b');
    cr_expect_eq(rig_access(&r, (gpc_request){.address = 128, .transactions = 32, .kind = GPC_STORE}), 'm');
    cr_expect_eq(rig_access(&r, (gpc_request){.address = 0, .transactions = 32}), 'h');
    rig_close(&r);
    rig_open(&r, (rig_plan){.predictor = "access-count(threshold=65535)", .sets = 1, .ways = 4});
    cr_expect_eq(rig_access(&r, (gpc_request){.transactions = UINT16_MAX}), 'm');
    rig_close(&r);
}

Test(predictor_examples, counter_based) {
    rig r;
    rig_open(&r, (rig_plan){.predictor = "counter-based", ONE_LINE});
    LOADS(&r, 0x40, "ABABAB", "mmbhbh");
    rig_close(&r);
    rig_open(&r, (rig_plan){.predictor = "counter-based(retry=3)", ONE_LINE});
    LOADS(&r, 0x40, "ABAAAB", "mmbbmb"); /* A's third try is admitted, and B, never hit, leaves */
    rig_close(&r);
}

/* The access interval predictor evicts C, known to be used again at once or not at all; LRU evicts A. */
Test(predictor_examples, counter_based_replacement) {
    static const struct { const char *policy, *end; } cases[] = {{"counter-based", "hhhm"}, {"lru", "mmhm"}};
    for (unsigned i = 0; i < 2; i++) {
        rig r;
        rig_open(&r, (rig_plan){.replacement = cases[i].policy, .sets = 1, .ways = 4});
        LOADS(&r, 0x40, "CCWXYZ", "mhmmmm"); /* C leaves: 1, not as expected */
        LOADS(&r, 0x40, "CCPQRS", "mhmmmm"); /* C leaves: 1, as expected */
        LOADS(&r, 0x40, "ABCD", "mmmm");
        LOADS(&r, 0x40, "E", "m");
        LOADS(&r, 0x40, "ABDC", cases[i].end);
        rig_close(&r);
    }
}

/* The live-time predictor evicts C after the single hit. */
Test(predictor_examples, counter_based_live_time) {
    rig r;
    rig_open(&r, (rig_plan){.replacement = "counter-based(variant=lvp)", .sets = 1, .ways = 4});
    LOADS(&r, 0x40, "CCWXYZCCPQRS", "mhmmmmmhmmmm");
    LOADS(&r, 0x40, "ABCD", "mmmm");
    LOADS(&r, 0x40, "E", "m"); /* C has no hit yet: A leaves */
    LOADS(&r, 0x40, "CB", "hh");
    LOADS(&r, 0x40, "F", "m"); /* now C leaves, though D is less recent */
    LOADS(&r, 0x40, "DEB", "hhh");
    rig_close(&r);
}

Test(predictor_examples, sdbp) {
    rig r;
    rig_open(&r, (rig_plan){.predictor = "sdbp", .sets = 1, .ways = 2});
    LOADS(&r, 0x40, "ABCDEE", "mmmbbm"); /* the sampler has seen E: 6 is live */
    rig_close(&r);
}

/* q's A stays while p streams by: p's blocks are dead, and leave first, or are not admitted at all. */
Test(predictor_examples, sdbp_replacement) {
    rig r;
    rig_open(&r, (rig_plan){.replacement = "sdbp(sampler-ways=2)", .sets = 1, .ways = 2});
    LOADS(&r, 0x40, "BCDEFG", "mmmmmm");
    LOADS(&r, 0x80, "A", "m");
    LOADS(&r, 0x40, "HI", "mm");
    LOADS(&r, 0x80, "A", "h");
    rig_close(&r);
    rig_open(&r, (rig_plan){.replacement = "sdbp(sampler-ways=2,bypass=1)", .sets = 1, .ways = 2});
    LOADS(&r, 0x40, "BCDEFG", "mmmmbb");
    LOADS(&r, 0x80, "A", "m");
    LOADS(&r, 0x40, "HIE", "bbh");
    rig_close(&r);
}

/* With a bit per sector, a request without sectors has the first's bit. */
Test(predictor_examples, agcb_below_without_sectors) {
    rig r;
    rig_open(&r, (rig_plan){.predictor = "agcb-below(per-sector=1)", .sets = 1, .ways = 2, .sectors = 4});
    gpc_request request = {.policy.policy_word = GPCI_AGCB_JUDGED | GPCI_AGCB_BYPASS};
    rig_access(&r, request);
    cr_expect_eq(gpc_cache_respond(r.cache, &request), 0, "it brought the line");
    cr_expect_eq(gpc_cache_respond(r.cache, &request), 0, "it sets the bit");
    request.sector_mask = 2;
    cr_expect_eq(gpc_cache_respond(r.cache, &request), 0);
    request.sector_mask = 1;
    cr_expect_eq(gpc_cache_respond(r.cache, &request), GPCI_AGCB_OVERRIDE);
    rig_close(&r);
}
