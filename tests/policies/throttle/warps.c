/* SPDX-License-Identifier: BSD-2-Clause */
#include "scheduler/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>

/* The throttle `warps` is sm.warp_limit: on random traffic both choose and classify equally. */
Test(warps, as_the_schedulers_own_limit) {
    static const char *const policies[] = {"gto", "lrr", "oldest", "two-level(group=4)"};
    for (size_t p = 0; p < sizeof policies / sizeof *policies; p++)
        for (uint32_t limit = 0; limit <= 70; limit += limit < 3 ? 1 : 33) {
            char spec[64];
            rig own, throttle;
            snprintf(spec, sizeof spec, "%s + warps(limit=%u)", policies[p], limit);
            rig_open(&own, policies[p], 67, limit);
            rig_open(&throttle, spec, 67, 0);
            uint64_t random = limit + 1;
            for (int step = 0; step < 5000; step++) {
                random = random * 6364136223846793005u + 1442695040888963407u;
                uint32_t slot = (uint32_t)(random >> 33) % 67, draw = (uint32_t)(random >> 20) % 40;
                gpc_warp_state state = draw < 2 ? GPC_STATE_ABSENT : (gpc_warp_state)(1 + draw % 5);
                if (rig_age(&own, slot) == GPC_NO_WARP) {
                    rig_start(&own, slot);
                    rig_start(&throttle, slot);
                } else {
                    rig_set(&own, slot, state);
                    rig_set(&throttle, slot, state);
                }
                cr_assert_eq(rig_issue(&own, draw & 1), rig_issue(&throttle, draw & 1), "%s, step %d", spec, step);
                for (uint32_t w = 0; w < 67; w++)
                    cr_assert_eq(rig_class(&own, w), rig_class(&throttle, w), "%s, step %d, slot %u", spec, step, w);
            }
            rig_close(&own);
            rig_close(&throttle);
        }
}

/* The order of 48 warps, 48 x 47 / 2 bits, and a limit of 0 to 48. */
Test(warps, cost) {
    gpc_context *context;
    uint64_t bits = 0, policy = 0;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    cr_assert_eq(gpc_scheduler_cost(context, "gto + warps(limit=2)", 48, &bits, NULL), GPC_OK);
    cr_assert_eq(gpc_scheduler_cost(context, "gto", 48, &policy, NULL), GPC_OK);
    cr_expect_eq(bits - policy, 1128 + 6);
    /* tags, the oldest, score, held; order; two counters */
    cr_assert_eq(gpc_scheduler_cost(context, "gto + ccws", 48, &bits, NULL), GPC_OK);
    cr_expect_eq(bits - policy, 48 * (16 * 34 + 4 + 16 + 1) + 1128 + 64);
    /* a block's number for each of 48 warps; order of 48 blocks; limit */
    cr_assert_eq(gpc_scheduler_cost(context, "gto + blocks(limit=2)", 48, &bits, NULL), GPC_OK);
    cr_expect_eq(bits - policy, 48 * 6 + 1128 + 10);
    /* three counters and three thresholds up to 2048; a limit of 0 to 48 */
    cr_assert_eq(gpc_scheduler_cost(context, "gto + dyncta", 48, &bits, NULL), GPC_OK);
    cr_expect_eq(bits - policy, 48 * 6 + 1128 + 6 * 12 + 6);
    gpc_context_destroy(context);
}
