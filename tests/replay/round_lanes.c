/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "replay/core/replay.h"
#include "rig.h"

#include <criterion/criterion.h>
#include <string.h>

/* Functional replays on several threads: figures equal to one thread, to the last counter. */

static const char *const sources[] = {
    "synthetic:gather:64KiB",
    "synthetic:sssp:32KiB",
    "synthetic:histogram:64KiB",
    "synthetic:transpose-naive:64KiB",
};

/* Pairs of a key and a value; NULL ends a configuration. */
static const char *const settings[][9] = {
    {"l1.replacement", "dynamic-age-lru", NULL},
    {"l1.replacement", "age-lru", "l2.replacement", "drrip", NULL},
    {"l1.write_policy", "back", "l1.write_allocate", "fetch", "l1.replacement", "ship", NULL},
    {"l2.partitions", "2", "l2.bypass", "random-p", "l1.bypass", "random-p", NULL},
    {"l1.bypass", "always-bypass", "l2.write_policy", "through", "l2.write_allocate", "none", NULL},
    {"tlb.page", "4KiB", "tlb.l1_entries", "2", "tlb.l2_entries", "4", "tlb.l2_ways", "full", NULL},
    {"tlb.page", "4KiB", "tlb.l1_entries", "2", "tlb.l2_entries", "6", "tlb.l2_ways", "2", NULL},
    {"warps.order", "block", "kernels.flush", "all", "l2.interleave", "modulo", "l1.bypass", "counter-based", NULL},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* All kernels of a source on so many threads; 0: the replay's default. */
static measured_stats run(const char *const *pairs, const char *source, uint32_t threads, uint64_t delay) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context;
    gpc_config *config;
    gpc_replay *replay;
    gpc_trace *trace;
    measured_stats stats;
    measured_clear(&stats);
    cr_assert_eq(gpc_context_create(NULL, &context, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_config_create(context, &config, &error), GPC_OK);
    cr_assert_eq(gpc_config_load_preset(config, "h100", &error), GPC_OK);
    cr_assert_eq(gpc_config_set(config, "sm.count", "12", &error), GPC_OK);
    for (; *pairs; pairs += 2)
        cr_assert_eq(gpc_config_set(config, pairs[0], pairs[1], &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_replay_create(context, config, &replay, &error), GPC_OK, "%s", error.message);
    const gpci_workers_options options = {.count = threads, .exactly = true, .delay = delay};
    if (threads)
        cr_assert_eq(gpci_functional_share(replay, &options, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_trace_open(context, source, &trace, &error), GPC_OK, "%s", error.message);
    gpc_status status;
    while ((status = gpc_replay_kernel(replay, trace, NULL, &error)) == GPC_OK)
        ;
    cr_assert_eq(status, GPC_END, "%s: %s", source, error.message);
    cr_assert_eq(measure_total(replay, &stats), GPC_OK);
    gpc_trace_close(trace);
    gpc_replay_destroy(replay);
    gpc_config_destroy(config);
    gpc_context_destroy(context);
    return stats;
}

Test(round_lanes, threads_change_nothing) {
    for (size_t s = 0; s < COUNT(settings); s++)
        for (size_t k = 0; k < COUNT(sources); k++) {
            const measured_stats alone = run(settings[s], sources[k], 0, 0);
            cr_assert_gt(alone.l1_load_sectors, 0);
            for (uint32_t threads = 1; threads < 6; threads += 2) {
                const measured_stats shared = run(settings[s], sources[k], threads, threads > 1);
                cr_assert_eq(memcmp(&alone, &shared, sizeof alone), 0, "configuration %zu, %s, %u threads", s,
                             sources[k], threads);
            }
        }
}

/* L1 state learned from L2's replies, or taken from other SMs, depends on an order not kept by threads. */
Test(round_lanes, what_has_an_order_is_refused) {
    static const char *const refused[][2] = {
        {"l1.bypass = agcb\n", "replies"},
        {"l2.inclusion = inclusive\n", "l2.inclusion"},
        {"l1.replacement = rpr\n", "l1.replacement: 'rpr' is one for all caches"},
        {"l1.replacement = rpr-age\n", "l1.replacement: 'rpr-age' is one for all caches"},
        {"l1.replacement = vote(lru, rpr-age)\n", "l1.replacement: 'rpr-age' is one for all caches"},
        {"coherence = vi\n", "tree"},
        {"tlb.page = 4KiB\nl2.enabled = false\n", "tlb.page"},
    };
    for (size_t i = 0; i < COUNT(refused); i++)
        for (int automatic = 0; automatic < 2; automatic++) {
            gpc_error error = GPC_ERROR_INIT;
            gpc_context *context;
            gpc_config *config;
            gpc_replay *replay = NULL;
            cr_assert_eq(gpc_context_create(NULL, &context, &error), GPC_OK);
            cr_assert_eq(gpc_config_create(context, &config, &error), GPC_OK);
            cr_assert_eq(gpc_config_load_preset(config, "gtx480", &error), GPC_OK);
            cr_assert_eq(gpc_config_load_text(config, refused[i][0], NULL, &error), GPC_OK, "%s", error.message);
            cr_assert_eq(gpc_config_set(config, "threads", automatic ? "auto" : "2", &error), GPC_OK);
            gpc_status status = gpc_replay_create(context, config, &replay, &error);
            cr_assert_eq(status, automatic ? GPC_OK : GPC_ERROR_RANGE, "%s", refused[i][0]);
            if (automatic)
                cr_assert_eq(gpc_hierarchy_threads(gpc_replay_hierarchy(replay)), 1);
            else
                cr_assert_not_null(strstr(error.message, refused[i][1]), "%s", error.message);
            gpc_replay_destroy(replay);
            gpc_config_destroy(config);
            gpc_context_destroy(context);
        }
}

/* User data: the SM with no way. */
static gpc_status note_sm(void *self, const gpc_policy_env *env, char *message) {
    (void)message;
    *(const uint32_t **)self = env->user_data;
    return GPC_OK;
}

static uint32_t no_way(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)set, (void)candidates;
    return request->sm == **(const uint32_t **)self ? GPC_MAX_WAYS : 0;
}

/* Replay until the policy of an SM goes astray; returns the instructions of all SMs. */
static uint64_t go_astray(uint32_t sm, uint32_t threads) {
    static const gpc_replacement_ops stray = {.struct_size = sizeof stray,
                                              .name = "stray",
                                              .reads = GPC_READS_PLACE | GPC_READS_SM,
                                              .instance_bytes = sizeof(const uint32_t *),
                                              .init = note_sm,
                                              .choose_victim = no_way};
    gpc_context *context;
    gpc_config *config;
    gpc_replay *replay;
    gpc_trace *trace;
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    cr_assert_eq(gpc_context_register_replacement(context, &stray, &sm, NULL, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_config_create(context, &config, NULL), GPC_OK);
    cr_assert_eq(gpc_config_load_text(config, "preset = gtx480\nsm.count = 3\nl1.replacement = stray\n", NULL, &error),
                 GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_replay_create(context, config, &replay, &error), GPC_OK, "%s", error.message);
    const gpci_workers_options options = {.count = threads, .exactly = true};
    cr_assert_eq(gpci_functional_share(replay, &options, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_trace_open(context, "synthetic:gather:4MiB", &trace, NULL), GPC_OK);
    cr_expect_eq(gpc_replay_kernel(replay, trace, NULL, &error), GPC_ERROR_CALLBACK, "SM %u", sm);
    measured_stats stats;
    measured_clear(&stats);
    cr_assert_eq(measure_total(replay, &stats), GPC_OK);
    gpc_trace_close(trace);
    gpc_replay_destroy(replay);
    gpc_config_destroy(config);
    gpc_context_destroy(context);
    return stats.warp_instructions;
}

/* The SMs run alike, so the first victim of each is in one round: that round is the last, whichever SM goes astray. */
Test(round_lanes, errors) {
    for (uint32_t sm = 0; sm < 3; sm++)
        for (uint32_t threads = 1; threads < 3; threads++)
            cr_expect_eq(go_astray(sm, threads), go_astray(0, 1), "SM %u, %u threads", sm, threads);
}
