/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "replay/rig.h"

#include <gpucache/ext/replay.h>
#include <gpucache/gpucache.h>

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Replays that continue from a snapshot between kernels: statistics of kernels equal a replay without snapshot. */

static gpc_context *context;

/* Three kernels, and SMs with few warps, so that a kernel's leftovers matter to the next kernel. */
static const char source[] = "synthetic:gather:64KiB";

#define KERNELS 3

static gpc_replay *make(const char *settings) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_config *config;
    gpc_replay *replay = NULL;
    cr_assert_eq(gpc_config_create(context, &config, &error), GPC_OK);
    cr_assert_eq(
        gpc_config_load_text(config,
                             "sm.count = 2\nkernels.flush = none\nl1.size = 4KiB\nl1.ways = 4\nl2.size = 32KiB\n"
                             "l2.slices = 2\nl2.ways = 4\ndram.channels = 2\nsample.period = 200\n",
                             "base", &error),
        GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_config_load_text(config, settings, "set", &error), GPC_OK, "%s", error.message);
    gpc_status status = gpc_replay_create(context, config, &replay, &error);
    cr_expect_eq(status, GPC_OK, "%s: %s", settings, error.message);
    gpc_config_destroy(config);
    return replay;
}

static gpc_trace *trace_of(void) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_trace *trace = NULL;
    cr_assert_eq(gpc_trace_open(context, source, &trace, &error), GPC_OK, "%s", error.message);
    return trace;
}

/* The same kernel, always from the trace's start. */
static measured_stats run(gpc_replay *replay) {
    gpc_error error = GPC_ERROR_INIT;
    measured_stats stats;
    gpc_trace *trace = trace_of();
    measured_clear(&stats);
    cr_assert_eq(measure_kernel(replay, trace, NULL, &stats, &error), GPC_OK, "%s", error.message);
    gpc_trace_close(trace);
    return stats;
}

static void check(const char *settings) {
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_context_create(NULL, &context, &error), GPC_OK);
    gpc_replay *replay = make(settings), *copy = NULL;
    for (unsigned n = 0; replay && n < KERNELS; n++) {
        cr_assert_eq(gpc_replay_copy(replay, &copy, &error), GPC_OK, "%s: %s", settings, error.message);
        measured_stats s = run(replay), t = run(copy);
        cr_expect(!memcmp(&s, &t, sizeof s), "%s: kernel %u", settings, n);
        cr_expect(s.warp_instructions > 0);
        measure_total(replay, &s), measure_total(copy, &t);
        cr_expect(!memcmp(&s, &t, sizeof s), "%s: all up to kernel %u", settings, n);
        gpc_replay_destroy(copy);
    }
    gpc_replay_destroy(replay);
    gpc_context_destroy(context);
}

/* Every scheduler, throttle and prefetcher, consulted in timed mode. */
static void check_policies(gpc_policy_kind kind, const char *form) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *names;
    cr_assert_eq(gpc_context_create(NULL, &names, &error), GPC_OK);
    for (size_t i = 0; i < gpc_policy_count(names, kind); i++) {
        gpc_policy_info info = GPC_POLICY_INFO_INIT;
        char settings[256];
        cr_assert_eq(gpc_policy_at(names, kind, i, &info, NULL), GPC_OK);
        snprintf(settings, sizeof settings, form, info.name);
        check(settings);
    }
    gpc_context_destroy(names);
}

Test(replay_snapshots, schedulers) {
    check_policies(GPC_POLICY_SCHEDULER, "mode = timed\nscheduler = %s\n");
}

Test(replay_snapshots, throttles) {
    check_policies(GPC_POLICY_THROTTLE, "mode = timed\nscheduler = gto + %s\n");
}

Test(replay_snapshots, prefetchers) {
    check_policies(GPC_POLICY_PREFETCHER, "mode = timed\nl1.prefetcher = %s\n");
    check_policies(GPC_POLICY_PREFETCHER, "mode = timed\nl2.prefetcher = %s\n");
}

Test(replay_snapshots, modes) {
    check("");
    check("l1.replacement = vote(lru, fifo)\n");
    check("l1.future = true\nl1.replacement = opt\n");
    check("mode = timed\nl1.replacement = dynamic-age-lru\nl1.bypass = agcb\n");
    check("mode = timed\nscheduler = gto + pcal(ebt=auto)\nl1.tokens = strict\n");
    check("mode = timed\nthreads = 2\nl2.partitions = 2\nscheduler = gto\n");
    check("mode = timed\nsm.fetch = 2\nl1i.size = 512B\nl1i.ways = 2\n");
    check("mode = timed\nsm.fetch = 2\nsm.fetch_by = scheduler\nl1i.size = 512B\nl1i.ways = 2\nl1i.prefetch = 3\n"
          "l15.size = 2KiB\nl15.mshr_entries = 2\n");
    check("mode = timed\ntlb.page = 4KiB\ntlb.l1_entries = 2\n");
    check("threads = 2\n");
}

Test(replay_snapshots, files) {
    gpc_error error = GPC_ERROR_INIT;
    char path[] = "/tmp/gpucache-replay-XXXXXX";
    cr_assert_geq(mkstemp(path), 0);
    cr_assert_eq(gpc_context_create(NULL, &context, &error), GPC_OK);
    gpc_replay *replay = make("mode = timed\n"), *other = NULL;
    gpc_trace *trace = trace_of(), *again = trace_of(), *wrong = NULL;
    cr_assert_eq(gpc_replay_kernel(replay, trace, NULL, &error), GPC_OK);
    cr_assert_eq(gpc_replay_save(replay, &(gpc_stream)GPC_STREAM_FILE(path), &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_replay_load(context, &(gpc_stream)GPC_STREAM_FILE(path), NULL, &other, &error), GPC_OK, "%s",
                 error.message);
    cr_expect_eq(gpc_replay_resume(other, again, &error), GPC_OK, "%s", error.message);
    measured_stats s, t;
    measured_clear(&s), measured_clear(&t);
    cr_expect_eq(measure_kernel(replay, trace, NULL, &s, &error), measure_kernel(other, again, NULL, &t, &error));
    cr_expect(!memcmp(&s, &t, sizeof s));
    cr_assert_eq(gpc_trace_open(context, "synthetic:vectoradd:32K", &wrong, &error), GPC_OK, "%s", error.message);
    cr_expect_eq(gpc_replay_resume(other, wrong, &error), GPC_ERROR_FORMAT);
    gpc_hierarchy *hierarchy = NULL;
    cr_expect_eq(gpc_hierarchy_load(context, &(gpc_stream)GPC_STREAM_FILE(path), NULL, &hierarchy, &error),
                 GPC_ERROR_FORMAT);
    cr_expect(strstr(error.message, "another kind of object"), "%s", error.message);
    gpc_replay_destroy(replay);
    gpc_replay_destroy(other);
    gpc_trace_close(trace);
    gpc_trace_close(again);
    gpc_trace_close(wrong);
    gpc_context_destroy(context);
    remove(path);
}

/* A trace's streams have the numbers of their first kernels, also in a copy: counts by stream are equal. */
Test(replay_snapshots, streams) {
    static const unsigned ids[] = {7, 0, 0, 7}, expected[] = {1 + 4, 2 + 3};
    static const char *const modes[] = {"functional", "timed"};
    gpc_counter_info loads = GPC_COUNTER_INFO_INIT;
    cr_assert_eq(gpc_counter_by_name(GPC_TABLE_HIERARCHY, "l1.load_requests", &loads, NULL), GPC_OK);
    for (size_t m = 0; m < 2; m++) {
        rig *r = rig_open();
        set(r, "mode", modes[m]);
        set(r, "streams", "2");
        set(r, "l1.replacement", "lru");
        for (unsigned k = 0; k < 4; k++) { /* kernel k has k + 1 warps */
            char name[32], more[64];
            snprintf(name, sizeof name, "kernel-%u.traceg", k + 1);
            snprintf(more, sizeof more, "-cuda stream id = %u\n", ids[k]);
            put_kernel(r, name, 1, k + 1, more, LOAD("0000", "0x1000") EXIT("0010"));
        }
        write_text(r, "kernelslist.g", "kernel-1.traceg\nkernel-2.traceg\nkernel-3.traceg\nkernel-4.traceg\n");
        gpc_replay *replay = open_replay(r), *copy = NULL;
        gpc_trace *trace = open_trace(r, "kernelslist.g");
        for (unsigned k = 0; k < 4; k++) {
            gpc_trace *again = open_trace(r, "kernelslist.g");
            cr_assert_eq(gpc_replay_copy(replay, &copy, &r->error), GPC_OK, "%s", r->error.message);
            cr_assert_eq(gpc_replay_resume(copy, again, &r->error), GPC_OK, "%s", r->error.message);
            run_kernel(r, replay, trace), run_kernel(r, copy, again);
            for (uint32_t stream = 0; stream < 2; stream++) {
                uint64_t one = 0, other = 0;
                gpc_hierarchy_read(gpc_replay_hierarchy(replay), GPC_OBJECT_STREAM, stream, &loads.id, 1, &one, 1,
                                   NULL);
                gpc_hierarchy_read(gpc_replay_hierarchy(copy), GPC_OBJECT_STREAM, stream, &loads.id, 1, &other, 1,
                                   NULL);
                cr_expect_eq(one, other, "%s: kernel %u, stream %u", modes[m], k, stream);
                cr_expect(k < 3 || one == expected[stream], "%s: stream %u", modes[m], stream);
            }
            gpc_replay_destroy(copy);
            gpc_trace_close(again);
        }
        gpc_trace_close(trace);
        gpc_replay_destroy(replay);
        rig_close(r);
    }
}
