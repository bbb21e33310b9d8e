/* SPDX-License-Identifier: BSD-2-Clause */
/* A profile of loads in L1: tables, the miss-ratio curve, files. */
#include "example.h"

#include <gpucache/ext/observe.h>

#include <inttypes.h>

static const char path[] = "profiles.gcp";

static void print_tables(gpc_profile *profile) {
    gpc_error error = GPC_ERROR_INIT;
    const gpc_profile_sm *sms;
    const gpc_profile_instruction *instructions;
    const gpc_profile_line *lines;
    size_t sm_count, instruction_count, line_count;
    check(gpc_profile_sms(profile, &sms, &sm_count, &error), &error);
    check(gpc_profile_instructions(profile, &instructions, &instruction_count, &error), &error);
    check(gpc_profile_lines(profile, &lines, &line_count, &error), &error);
    printf("SM 0: %" PRIu64 " loads; %zu instructions, %zu lines\n", sms[0].counts.loads, instruction_count,
           line_count);
    for (size_t i = 0; i < instruction_count; i++)
        printf("  pc %#" PRIx64 ": score %.2f\n", instructions[i].pc, instructions[i].counts.score);

    gpc_profile_point points[2] = {{.bytes = 1024}, {.bytes = 65536}};
    check(gpc_profile_curve(profile, GPC_PROFILE_ALL_SMS, points, 2, &error), &error);
    expect(points[0].hits <= points[1].hits, "a larger cache has more hits");

    double thresholds[GPC_PROFILE_CLASSES];
    size_t count;
    uint32_t classes;
    check(gpc_profile_thresholds(profile, thresholds, GPC_PROFILE_CLASSES, &count, &error), &error);
    check(gpc_profile_classes_above(profile, thresholds[0], &classes, &error), &error);
    printf("%zu thresholds; above the first: classes %#" PRIx32 "\n", count, classes);
}

static bool on_progress(void *data, const gpc_progress *progress) {
    (void)data;
    return progress->trace_fraction <= 1;
}

int main(void) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context;
    gpc_profile *profile, *read;
    gpc_trace *trace;
    check(gpc_context_create(NULL, &context, &error), &error);
    gpc_config *config = configured(context, "kepler", "sm.count = 1\n");
    check(gpc_profile_create(context, config, &profile, &error), &error);
    gpc_profile_on_progress(profile, on_progress, NULL);
    check(gpc_trace_open(context, "synthetic:gather:64KiB", &trace, &error), &error);
    check(gpc_profile_kernel(profile, trace, NULL, &error), &error);
    const uint32_t id = GPC_ID_l1_load_requests;
    uint64_t loads;
    check(gpc_profile_read_kernel(profile, &id, 1, &loads, 1, &error), &error);
    gpc_trace_close(trace);
    print_tables(profile);

    const gpc_stream file = GPC_STREAM_FILE(path);
    gpc_profile_save_options options = GPC_PROFILE_SAVE_OPTIONS_INIT;
    check(gpc_profile_save(profile, &file, &options, &error), &error);
    const gpc_status status = gpc_profile_load(context, &file, &read, &error);
    (void)remove(path);
    check(status, &error);
    gpc_profile_summary summary = GPC_PROFILE_SUMMARY_INIT;
    check(gpc_profile_get_summary(read, &summary, &error), &error);
    expect(summary.counts.loads == loads, "the file has all loads");
    expect(gpc_profile_score(0.25, 3) == 1, "a quarter of a line used four times is worth a line");

    /* A host without a trace passes its own accesses. */
    check(gpc_profile_reset(profile, &error), &error);
    check(gpc_profile_begin_kernel(profile, "own", NULL, &error), &error);
    uint64_t addresses[32];
    const gpc_warp_access access = load_of(addresses, 0);
    check(gpc_profile_access(profile, &access, NULL, &error), &error);
    check(gpc_profile_get_summary(profile, &summary, &error), &error);
    expect(summary.counts.loads == 1, "the profile begins again");

    gpc_profile_destroy(read);
    gpc_profile_destroy(profile);
    gpc_config_destroy(config);
    gpc_context_destroy(context);
    return 0;
}
