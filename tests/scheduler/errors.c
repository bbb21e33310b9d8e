/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "scheduler/rig.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Refusals, statuses, and no change. */

static void refuse(gpc_context *context, gpc_scheduler_options options, gpc_status expected, const char *part) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_scheduler *scheduler = NULL;
    cr_expect_eq(gpc_scheduler_create(context, &options, &scheduler, &error), expected, "%s: %s", part, error.message);
    cr_expect_null(scheduler);
    cr_expect(strstr(error.message, part), "'%s' is not in '%s'", part, error.message);
    cr_expect_eq(gpc_scheduler_create(context, &options, &scheduler, NULL), expected);
}

#define REFUSE(field, value, expected, part)                  \
    do {                                                      \
        gpc_scheduler_options o = GPC_SCHEDULER_OPTIONS_INIT; \
        o.field = value;                                      \
        refuse(r.context, o, expected, part);                 \
    } while (0)

Test(scheduler_errors, options) {
    rig r;
    rig_open(&r, NULL, 1, 0);
    REFUSE(warps, 0, GPC_ERROR_ARGUMENT, "gpc_scheduler_options.warps is 0");
    REFUSE(warps, 1025, GPC_ERROR_ARGUMENT, "gpc_scheduler_options.warps is 1025");
    REFUSE(index, 1, GPC_ERROR_ARGUMENT, "gpc_scheduler_options.index is 1, of 1");
    REFUSE(sm, 1, GPC_ERROR_ARGUMENT, "gpc_scheduler_options.sm is 1, of 1");
    REFUSE(struct_size, sizeof(gpc_scheduler_options) - 1, GPC_ERROR_ABI, "gpc_scheduler_options.struct_size");
    REFUSE(policy, "gtoo", GPC_ERROR_NOT_FOUND, "no scheduler is named 'gtoo'; did you mean 'gto'?");
    REFUSE(policy, "lru", GPC_ERROR_NOT_FOUND, "no scheduler is named 'lru'");
    REFUSE(policy, "gto(depth=1)", GPC_ERROR_NOT_FOUND, "scheduler 'gto' takes no parameters");
    REFUSE(policy, "two-level(group=0)", GPC_ERROR_RANGE, "parameter 'group': 0 is not between 1 and 1024");
    REFUSE(policy, "two-level(size=2)", GPC_ERROR_NOT_FOUND, "unknown parameter 'size'");
    REFUSE(policy, "", GPC_ERROR_FORMAT, "names no policy");
    gpc_scheduler_options o = GPC_SCHEDULER_OPTIONS_INIT;
    gpc_scheduler *scheduler = NULL;
    cr_expect_eq(gpc_scheduler_create(NULL, &o, &scheduler, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_scheduler_create(r.context, NULL, &scheduler, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_scheduler_create(r.context, &o, NULL, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_null(scheduler);
    rig_close(&r);
}

/* Shared state of throttles is for schedulers of one context and shape. */
Test(scheduler_errors, sharing) {
    rig r, other;
    rig_open(&r, "gto + pcal", 8, 0);
    rig_open(&other, "gto + pcal", 8, 0);
    gpc_scheduler_options same = GPC_SCHEDULER_OPTIONS_INIT;
    same.warps = 8;
    same.policy = " gto+pcal() ";
    same.share_with = r.scheduler;
    gpc_scheduler *scheduler;
    cr_expect_eq(gpc_scheduler_create(r.context, &same, &scheduler, &r.error), GPC_OK, "%s", r.error.message);
    gpc_scheduler_destroy(scheduler);
    refuse(other.context, same, GPC_ERROR_ARGUMENT, "share_with is of another context");
#define REFUSE_SHARED(field, value, part)                            \
    do {                                                             \
        gpc_scheduler_options o = same;                              \
        o.field = value;                                             \
        refuse(r.context, o, GPC_ERROR_ARGUMENT, "share_with" part); \
    } while (0)
    REFUSE_SHARED(warps, 9, ": a scheduler of warps = 9 cannot share with one of 8");
    REFUSE_SHARED(count, 2, ": a scheduler of count = 2 cannot share with one of 1");
    REFUSE_SHARED(sms, 1024, ": a scheduler of sms = 1024 cannot share with one of 1");
    REFUSE_SHARED(policy, "gto", " has another policy");
    REFUSE_SHARED(policy, "lrr + pcal", " has another policy");
    REFUSE_SHARED(policy, "gto + pcal(warps=2)", " has another policy");
    REFUSE_SHARED(policy, "gto + ccws", " has another policy");
    rig_close(&other);
    cr_expect_eq(gpc_scheduler_create(r.context, &same, &scheduler, &r.error), GPC_OK, "%s", r.error.message);
    gpc_scheduler_destroy(scheduler);
    rig_close(&r);
}

Test(scheduler_errors, calls) {
    rig r;
    rig_open(&r, "lrr", 2, 0);
    gpc_scheduler *s = r.scheduler;
    uint32_t slot = 77;
    cr_expect_eq(gpc_scheduler_start(NULL, 0, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_scheduler_start(s, 2, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_scheduler_set_state(s, 0, GPC_STATE_READY, NULL), GPC_ERROR_STATE);
    cr_expect_eq(gpc_scheduler_set_state(s, 0, GPC_STATE_ABSENT, NULL), GPC_ERROR_STATE);
    cr_expect_eq(gpc_scheduler_issued(s, 0, 0, NULL), GPC_ERROR_STATE);
    rig_start(&r, 0);
    cr_expect_eq(gpc_scheduler_start(s, 0, NULL), GPC_ERROR_STATE);
    cr_expect_eq(gpc_scheduler_set_state(NULL, 0, GPC_STATE_READY, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_scheduler_set_state(s, 2, GPC_STATE_READY, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_scheduler_set_state(s, 0, GPC_STATE_COUNT, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_scheduler_issued(NULL, 0, 0, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_scheduler_issued(s, 2, 0, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_scheduler_pick(NULL, 0, true, &slot, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_scheduler_pick(s, 0, true, NULL, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(slot, 77);
    cr_expect_eq(rig_pick(&r, true), GPC_NO_WARP, "the warp is still stalled");
    rig_set(&r, 0, GPC_STATE_READY);
    cr_expect_eq(rig_pick(&r, true), 0);
    rig_close(&r);
}

Test(scheduler_errors, questions_about_nothing) {
    rig r;
    rig_open(&r, "gto", 2, 0);
    rig_start(&r, 0);
    cr_expect_eq(gpc_scheduler_age_of(NULL, 0), GPC_NO_WARP);
    cr_expect_eq(gpc_scheduler_age_of(r.scheduler, 1), GPC_NO_WARP);
    cr_expect_eq(gpc_scheduler_age_of(r.scheduler, 2), GPC_NO_WARP);
    cr_expect_eq(gpc_scheduler_class_of(NULL, 0), GPC_CLASS_THROTTLED);
    cr_expect_eq(gpc_scheduler_class_of(r.scheduler, 1), GPC_CLASS_THROTTLED);
    cr_expect_eq(gpc_scheduler_class_of(r.scheduler, 2), GPC_CLASS_THROTTLED);
    cr_expect_eq(gpc_scheduler_class_count(NULL, GPC_CLASS_CACHE), 0);
    cr_expect_eq(gpc_scheduler_class_count(r.scheduler, GPC_CLASS_COUNT), 0);
    gpc_cache_event event = {.kind = GPC_CACHE_EVENT_MISS};
    measured_stats stats;
    measured_clear(&stats);
    gpc_scheduler_cache_event(NULL, &event);
    gpc_scheduler_cache_event(r.scheduler, NULL);
    gpc_scheduler_cache_event(r.scheduler, &event);
    gpc_error error = GPC_ERROR_INIT;
    const uint32_t ids[] = {GPC_ID_cycles, GPC_ID_CACHE_reads};
    const uint64_t values[] = {1, 2};
    cr_expect_eq(give_sample(NULL, &stats, 0), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_scheduler_sample(r.scheduler, 0, ids, 1, NULL, 1, &error), GPC_ERROR_ARGUMENT);
    cr_expect_str_eq(error.message, "gpc_scheduler_sample: values is NULL");
    cr_expect_eq(gpc_scheduler_sample(r.scheduler, 0, ids, 2, values, sizeof values / sizeof *values, &error),
                 GPC_ERROR_ARGUMENT, "of a cache");
    cr_expect(strstr(error.message, "175"), "%s", error.message);
    cr_expect_eq(gpc_scheduler_sample(r.scheduler, 0, ids, 1, values, sizeof values / sizeof *values, &error), GPC_OK);
    cr_expect_eq(give_sample(r.scheduler, &stats, 0), GPC_OK);
    gpc_scheduler_destroy(NULL);
    rig_close(&r);
}

Test(scheduler_errors, costs) {
    rig r;
    rig_open(&r, "gto", 2, 0);
    uint64_t bits = 5;
    cr_expect_eq(gpc_scheduler_cost(NULL, "gto", 4, &bits, &r.error), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_scheduler_cost(r.context, NULL, 4, &bits, &r.error), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_scheduler_cost(r.context, "gto", 0, &bits, &r.error), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_scheduler_cost(r.context, "gto", 1025, &bits, &r.error), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_scheduler_cost(r.context, "gto", 4, NULL, &r.error), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_scheduler_cost(r.context, "lru", 4, &bits, &r.error), GPC_ERROR_NOT_FOUND);
    cr_expect_eq(gpc_policy_cost(r.context, GPC_POLICY_SCHEDULER, "gto", 32, 4, 128, 1, &bits, &r.error),
                 GPC_ERROR_ARGUMENT);
    cr_expect_eq(bits, 5);
    rig_close(&r);
}

/* The context lives as long as the schedulers. */
Test(scheduler_errors, outlives_the_context) {
    rig r;
    rig_open_full(&r, "gto", 2, 0);
    gpc_context_destroy(r.context);
    rig_set_all(&r, GPC_STATE_READY);
    cr_expect_eq(rig_issue(&r, true), 0);
    gpc_scheduler_destroy(r.scheduler);
}

/* Configuration text names schedulers like policies. */
Test(scheduler_errors, configuration) {
    rig r;
    rig_open(&r, "gto", 1, 0);
    gpc_config *config = NULL;
    const char *value = NULL;
    cr_assert_eq(gpc_config_create(r.context, &config, &r.error), GPC_OK);
    cr_expect_eq(gpc_config_get(config, "scheduler", &value, NULL), GPC_OK);
    cr_expect_str_eq(value, "gto");
    cr_expect_eq(gpc_config_set(config, "scheduler", " two-level ( group=4 ) ", &r.error), GPC_OK);
    cr_expect_eq(gpc_config_get(config, "scheduler", &value, NULL), GPC_OK);
    cr_expect_str_eq(value, "two-level(group=4)");
    cr_expect_eq(gpc_config_set(config, "scheduler", "lru", &r.error), GPC_ERROR_NOT_FOUND);
    cr_expect(strstr(r.error.message, "no scheduler is named 'lru'"), "%s", r.error.message);
    cr_expect_eq(gpc_config_set(config, "l1.replacement", "gto", &r.error), GPC_ERROR_NOT_FOUND);
    cr_expect_eq(gpc_config_get(config, "scheduler", &value, NULL), GPC_OK);
    cr_expect_str_eq(value, "two-level(group=4)");
    gpc_config_destroy(config);
    rig_close(&r);
}
