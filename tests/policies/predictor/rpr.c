/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/predictor/rig.h"

#include <criterion/criterion.h>

/* RPR's history as a filter. */

#define ONE_LINE .sets = 1, .ways = 1

static char load(rig *r, uint64_t line, uint64_t pc) {
    return rig_access(r, (gpc_request){.address = line * 128, .pc = pc});
}

/* Lines that are not reused: 31 fetches fill the 5-bit sum, with an average of 0 reuses. */
static void stream(rig *r, uint64_t from) {
    for (uint64_t i = 0; i < 31; i++)
        cr_expect_eq(load(r, from + i, 0x40), 'm', "fetch %d", (int)i);
    cr_expect_eq(load(r, from + 31, 0x40), 'b');
}

Test(predictor_rpr, example) {
    rig r;
    rig_open(&r, (rig_plan){.predictor = "rpr(sample=1)", ONE_LINE});
    stream(&r, 0);
    cr_expect_eq(load(&r, 50, 0x48), 'm', "another PC has no prediction");
    rig_close(&r);
}

/*
 * Bypassing blocks are sampled. The stream's last access was the first fetch of new sums; of thirty lines loaded three
 * times each, the last one's first load is fetch 31: 58 reuses / 31 fetches = 1, and the second load may enter.
 */
Test(predictor_rpr, a_prediction_is_taken_back) {
    rig r;
    rig_open(&r, (rig_plan){.predictor = "rpr(sample=1)", ONE_LINE});
    stream(&r, 0);
    for (uint64_t line = 100; line < 130; line++)
        for (unsigned time = 0; time < 3; time++) {
            char expected = line < 129 || time == 0 ? 'b' : time == 1 ? 'm' : 'h';
            cr_expect_eq(load(&r, line, 0x40), expected, "line %d, load %u", (int)line, time);
        }
    rig_close(&r);
}

/* With low=1 a block that is reused once is kept out, too. */
Test(predictor_rpr, low) {
    rig r;
    rig_open(&r, (rig_plan){.predictor = "rpr(sample=1, low=1)", ONE_LINE});
    stream(&r, 0);
    for (uint64_t line = 100; line < 130; line++)
        for (unsigned time = 0; time < 3; time++)
            cr_expect_eq(load(&r, line, 0x40), 'b');
    rig_close(&r);
}

/* An unsampled set teaches nothing, but uses the others' results. */
Test(predictor_rpr, sampled_sets) {
    rig r;
    rig_open(&r, (rig_plan){.predictor = "rpr(sample=2)", .sets = 2, .ways = 1});
    for (uint64_t i = 0; i < 100; i++)
        cr_expect_eq(load(&r, 2 * i + 1, 0x40), 'm', "set 1");
    for (uint64_t i = 0; i < 31; i++)
        cr_expect_eq(load(&r, 2 * i, 0x40), 'm', "set 0");
    cr_expect_eq(load(&r, 1001, 0x40), 'b', "set 1");
    rig_close(&r);
}

/* 512 entries of 32 bits, and 8 sampled sets of 16 + 4 x 48 bits, once, and two registers an SM. */
Test(predictor_rpr, cost) {
    rig r;
    uint64_t bits = 0;
    rig_open(&r, (rig_plan){.predictor = "rpr", .sets = 32, .ways = 4});
    cr_assert_eq(gpc_policy_level_cost(r.context, GPC_POLICY_PREDICTOR, "rpr", 15, 32, 4, 128, 1, &bits, NULL), GPC_OK);
    cr_expect_eq(bits, 8 * (2048 + 208) + 15 * 16);
    /* 1,024 signatures for 512 entries: each keeps its entry */
    cr_assert_eq(gpc_policy_cost(r.context, GPC_POLICY_PREDICTOR, "rpr(signature=10)", 32, 4, 128, 1, &bits, NULL),
                 GPC_OK);
    cr_expect_eq(bits, 512 * (32 + 10) + 8 * (16 + 4 * 50) + 16);
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_eq(gpc_cache_set_predictor(r.cache, "rpr(sample=3)", &error), GPC_ERROR_RANGE);
    cr_expect_eq(gpc_cache_set_predictor(r.cache, "rpr(low=16)", &error), GPC_ERROR_RANGE);
    rig_close(&r);
}
