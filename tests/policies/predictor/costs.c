/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/ext/policies.h>
#include <gpucache/gpucache.h>

#include <criterion/criterion.h>

/* Costs of predictors, by hand and by the documents. */

static uint64_t cost(gpc_policy_kind kind, const char *spec, uint32_t sets, uint32_t ways, uint32_t sectors) {
    gpc_context *context;
    gpc_error error = GPC_ERROR_INIT;
    uint64_t bits;
    cr_assert_eq(gpc_context_create(NULL, &context, &error), GPC_OK);
    cr_assert_eq(gpc_policy_cost(context, kind, spec, sets, ways, 128, sectors, &bits, &error), GPC_OK, "%s",
                 error.message);
    gpc_context_destroy(context);
    return bits;
}

#define PREDICTOR(spec, sets, ways) cost(GPC_POLICY_PREDICTOR, spec, sets, ways, 4)
#define REPLACEMENT(spec, sets, ways) cost(GPC_POLICY_REPLACEMENT, spec, sets, ways, 4)

/* seeds/000: 256 counters of 4 bits, 8 bits in each of 256 lines of 32 KiB; a bit in each of 6 MiB's 49,152. */
Test(predictor_costs, agcb) {
    cr_expect_eq(PREDICTOR("agcb", 4, 64), 256 * 4 + 8 * 256);
    cr_expect_eq(PREDICTOR("agcb-early", 4, 64), 256 * 4 + 8 * 256);
    cr_expect_eq(PREDICTOR("agcb(entries=64,bits=2)", 4, 64), 64 * 2 + 6 * 256);
    cr_expect_eq(PREDICTOR("agcb(entries=1)", 4, 64), 4);
    cr_expect_eq(PREDICTOR("agcb-below", 2048, 24), 49152);
    cr_expect_eq(PREDICTOR("agcb-below(per-sector=1)", 2048, 24), 4 * 49152);
}

Test(predictor_costs, small) {
    cr_expect_eq(PREDICTOR("random-p", 4, 64), 96);
    cr_expect_eq(PREDICTOR("warp-token", 4, 64), 0);
    cr_expect_eq(PREDICTOR("access-count", 4, 64), 6);
    cr_expect_eq(PREDICTOR("access-count(threshold=1000)", 4, 64), 10);
}

/*
 * Kharbutli and Solihin: a table of 40 KB, 21 bits per line with the access interval predictor, together 61 KB for a
 * cache of 512 KB with lines of 64 bytes; 17 bits with the live-time predictor. LRU's 3 bits for 8 ways are additional.
 */
Test(predictor_costs, counter_based) {
    cr_expect_eq(REPLACEMENT("counter-based", 1024, 8), 61 * 8192 + 3 * 8192);
    cr_expect_eq(REPLACEMENT("counter-based(variant=lvp)", 1024, 8), 40 * 8192 + 17 * 8192 + 3 * 8192);
    cr_expect_eq(PREDICTOR("counter-based", 1024, 8), 40 * 8192 + 17 * 8192);
    cr_expect_eq(PREDICTOR("counter-based(retry=100)", 1024, 8), 40 * 8192 + 17 * 8192 + 7);
}

/*
 * Khan et al.: three tables of 4,096 counters of 2 bits are 3 KB; 32 sets of 12 entries with 15 bits of tag, 15 of PC,
 * a prediction, a valid and 4 LRU bits. Of a cache of 32 sets a quarter is sampled, of 4 ways three.
 */
Test(predictor_costs, sdbp) {
    cr_expect_eq(PREDICTOR("sdbp", 2048, 16), 3 * 8192 + 32 * 12 * 36);
    cr_expect_eq(REPLACEMENT("sdbp", 2048, 16), 3 * 8192 + 32 * 12 * 36 + 32768 + 32768 * 4);
    cr_expect_eq(PREDICTOR("sdbp", 32, 4), 3 * 8192 + 8 * 3 * (32 + 2));
    cr_expect_eq(PREDICTOR("sdbp", 1, 1), 3 * 8192 + 32);
    cr_expect_eq(PREDICTOR("sdbp", 5, 1024), 3 * 8192 + 2 * 768 * (32 + 10));
    cr_expect_eq(PREDICTOR("sdbp(sampler-ways=20,share=1,sampler-sets=3)", 32, 4), 3 * 8192 + 3 * 20 * (32 + 5));
}
