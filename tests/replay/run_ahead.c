/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "replay/core/replay.h"
#include "timed/core/timed.h"

#include <gpucache/ext/replay.h>
#include <gpucache/gpucache.h>

#include <criterion/criterion.h>
#include <string.h>

/*
 * SMs that run ahead of the clock (lib/timed/core/run_ahead.h) end with bytes equal to SMs that do not (as when the host
 * follows the replay): statistics and samples. And SMs do run ahead.
 */

#define INTERVAL 150u

typedef struct told {
    measured_stats total;
    uint64_t samples, hash, ahead;
} told;

static void on_sample(void *user_data, uint64_t cycle, const gpc_stats *lent) {
    measured_stats read;
    const measured_stats *stats = &read;
    measure_sample(lent, &read);
    told *t = user_data;
    t->samples++;
    t->hash = (t->hash ^ cycle) * 0x100000001b3u;
    for (size_t n = 0; n < sizeof *stats; n++)
        t->hash = (t->hash ^ ((const uint8_t *)stats)[n]) * 0x100000001b3u;
}

static bool on_progress(void *user_data, const gpc_progress *progress) {
    (void)user_data;
    (void)progress;
    return true;
}

static told run(const char *source, const char *settings, bool followed, bool sampled) {
    told t = {.samples = 0};
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context;
    gpc_config *config;
    gpc_replay *replay;
    gpc_trace *trace;
    gpc_status status;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    cr_assert_eq(gpc_config_create(context, &config, &error), GPC_OK);
    cr_assert_eq(gpc_config_load_text(config, settings, "settings", &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_replay_create(context, config, &replay, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_trace_open(context, source, &trace, &error), GPC_OK, "%s", error.message);
    if (followed)
        gpc_replay_on_progress(replay, on_progress, NULL);
    if (sampled)
        cr_assert_eq(gpc_replay_on_sample(replay, INTERVAL, on_sample, &t, NULL), GPC_OK);
    while ((status = gpc_replay_kernel(replay, trace, NULL, &error)) == GPC_OK)
        ;
    cr_assert_eq(status, GPC_END, "%s, %s: %s", source, settings, error.message);
    measured_clear(&t.total);
    cr_assert_eq(measure_total(replay, &t.total), GPC_OK);
    for (uint32_t sm = 0; sm < replay->sm_count; sm++)
        t.ahead += replay->hierarchy->timed->l1[sm].ahead.until != 0;
    gpc_trace_close(trace);
    gpc_replay_destroy(replay);
    gpc_config_destroy(config);
    gpc_context_destroy(context);
    return t;
}

/* Returns the number of SMs that ran ahead. */
static uint64_t compare(const char *source, const char *settings, bool sampled) {
    const told ahead = run(source, settings, false, sampled), behind = run(source, settings, true, sampled);
    cr_expect_eq(behind.ahead, 0, "%s, %s", source, settings);
    cr_expect_eq(memcmp(&ahead.total, &behind.total, sizeof ahead.total), 0, "%s, %s", source, settings);
    cr_expect_eq(ahead.samples, behind.samples, "%s, %s", source, settings);
    cr_expect_eq(ahead.hash, behind.hash, "%s, %s", source, settings);
    return ahead.ahead;
}

static const char *const sources[] = {
    "synthetic:warp-reuse:256KiB:lines=8,repeats=8",
    "synthetic:warp-reuse:512KiB:lines=64,repeats=2",
    "synthetic:vectoradd:64KiB",
    "synthetic:histogram:32KiB",
};

#define SMALL "mode = timed\nsm.count = 4\n"

Test(run_ahead, same_as_in_step) {
    static const char *const settings[] = {
        "preset = qv100\n" SMALL,
        "preset = qv100\n" SMALL "scheduler = gto\nl1.mshr_entries = 4\nl1.queue = 2\n",
        "preset = h100\n" SMALL,
        "preset = h100\n" SMALL "lrc.sms = 2\nscheduler = lrr\n",
        "preset = h100\n" SMALL "l1.write_policy = back\nl1.write_allocate = fetch\nnetwork.latency = 200\n",
        "preset = gtx480\n" SMALL "scheduler = two-level\nl1.mshr_entries = 3\n",
        "preset = gtx480\n" SMALL "scheduler = gto + ccws\nnetwork.latency = 40\n",
        "preset = a100\n" SMALL "clock.network = 700\nblocks.interval = 9\nsm.issue_width = 2\n",
        "preset = qv100\n" SMALL "launch.cycles = 7\nl1.latency = 1500\nsm.latency_alu = 90\n",
        "preset = qv100\n" SMALL "limit.cycles = 2345\n",
    };
    for (size_t s = 0; s < sizeof settings / sizeof *settings; s++)
        for (size_t n = 0; n < sizeof sources / sizeof *sources; n++)
            compare(sources[n], settings[s], (s + n) % 2);
}

/* If L1 holds the lines read again, every SM runs ahead. */
Test(run_ahead, does_run_ahead) {
    cr_expect_eq(run(sources[0], "preset = qv100\n" SMALL, false, false).ahead, 4);
    cr_expect_eq(run(sources[0], "preset = h100\n" SMALL, false, false).ahead, 4);
}

/* Work counted across SMs, or reaching arbitrary SMs, is stepped only by the clock. */
Test(run_ahead, does_not) {
    static const char *const settings[] = {
        "preset = qv100\n" SMALL "limit.instructions = 3000\n",
        "preset = gtx480\n" SMALL "coherence = viper\n",
        "preset = h100\n" SMALL "l2.inclusion = inclusive\nl2.partitions = 1\n",
        "preset = qv100\n" SMALL "l1.prefetcher = next-line\n",
        "preset = qv100\n" SMALL "threads = 2\n",
    };
    for (size_t s = 0; s < sizeof settings / sizeof *settings; s++)
        cr_expect_eq(compare(sources[0], settings[s], false), 0, "%s", settings[s]);
}
