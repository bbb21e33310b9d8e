/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"

#include <gpucache/ext/observe.h>
#include <gpucache/ext/replay.h>
#include <gpucache/gpucache.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Print results that are alike under all tool chains and machines (portable.py): statistics of replays with and without
 * a clock, written files, decisions of all policies, and the actions of a tree of coherent caches.
 * portable FOLDER     FOLDER is empty
 */

static void check(gpc_status status, const gpc_error *error, const char *what) {
    if (status >= 0)
        return;
    printf("%s: %s: %s\n", what, gpc_status_string(status), error->message);
    exit(1);
}

static void print_stats(const char *what, const measured_stats *stats) {
    static char text[1 << 16];
    check(measured_json(stats, text, sizeof text, NULL), NULL, "json");
    printf("%s: %s\n", what, text);
}

static void replay(gpc_context *context, const char *source, const char *preset, const char *settings) {
    gpc_config *config;
    gpc_replay *replay;
    gpc_trace *trace;
    measured_stats stats, total;
    gpc_error error = GPC_ERROR_INIT;
    measured_clear(&stats);
    measured_clear(&total);
    check(gpc_config_create(context, &config, &error), &error, "config");
    check(gpc_config_load_preset(config, preset, &error), &error, preset);
    check(gpc_config_load_text(config, settings, "settings", &error), &error, settings);
    check(gpc_replay_create(context, config, &replay, &error), &error, settings);
    check(gpc_trace_open(context, source, &trace, &error), &error, source);
    gpc_status status;
    while ((status = measure_kernel(replay, trace, NULL, &stats, &error)) == GPC_OK)
        measured_add(&total, &stats);
    check(status, &error, source);
    printf("%s, %s, ", source, preset);
    print_stats(settings, &total);
    gpc_trace_close(trace);
    gpc_replay_destroy(replay);
    gpc_config_destroy(config);
}

/* FNV-1a of a file. */
static void print_file(const char *what, const char *path) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325), bytes = 0;
    FILE *file = fopen(path, "rb");
    for (int c; file && (c = fgetc(file)) != EOF; bytes++)
        hash = (hash ^ (uint64_t)c) * UINT64_C(0x100000001b3);
    printf("%s: %" PRIu64 " bytes, %016" PRIx64 "\n", what, bytes, hash);
    if (file)
        fclose(file);
}

/* A trace as a .gct, and again from the .gct. */
static void convert(gpc_context *context, const char *source, const char *path, gpc_trace_format format) {
    gpc_trace *trace;
    gpc_trace_writer *writer;
    const gpc_block *block;
    gpc_kernel kernel = GPC_KERNEL_INIT;
    gpc_error error = GPC_ERROR_INIT;
    gpc_status status;
    check(gpc_trace_open(context, source, &trace, &error), &error, source);
    check(gpc_trace_writer_create(context, path, format, &writer, &error), &error, path);
    while ((status = gpc_trace_next_kernel(trace, &kernel, &error)) == GPC_OK) {
        check(gpc_trace_writer_kernel(writer, &kernel, &error), &error, path);
        while ((status = gpc_trace_next_block(trace, &block, &error)) == GPC_OK) {
            check(gpc_trace_writer_block(writer, trace, block, &error), &error, path);
            gpc_trace_release_block(trace, block);
        }
        check(status, &error, source);
    }
    check(status, &error, source);
    check(gpc_trace_writer_finish(writer, &error), &error, path);
    gpc_trace_writer_destroy(writer);
    gpc_trace_close(trace);
}

static void write_files(gpc_context *context, const char *folder) {
    static const char *const sources[] = {"synthetic:bfs:8KiB", "synthetic:histogram:4KiB", "examples/traces/nn"};
    char first[512], second[512];
    for (size_t n = 0; n < sizeof sources / sizeof *sources; n++) {
        snprintf(first, sizeof first, "%s/first-%zu.gct", folder, n);
        snprintf(second, sizeof second, "%s/second-%zu.gct", folder, n);
        convert(context, sources[n], first, GPC_TRACE_BINARY);
        convert(context, first, second, GPC_TRACE_BINARY);
        print_file(sources[n], first);
        print_file("again", second);
        remove(first);
        remove(second);
    }
}

static void profile(gpc_context *context, const char *folder) {
    char path[512];
    gpc_config *config;
    gpc_profile *made, *read;
    gpc_trace *trace;
    gpc_error error = GPC_ERROR_INIT;
    snprintf(path, sizeof path, "%s/a.profile", folder);
    check(gpc_config_create(context, &config, &error), &error, "config");
    check(gpc_profile_create(context, config, &made, &error), &error, "profile");
    check(gpc_trace_open(context, "synthetic:bfs:16KiB", &trace, &error), &error, "bfs");
    check(gpc_profile_run(made, trace, &error), &error, "profile");
    check(gpc_profile_save(made, &(gpc_stream)GPC_STREAM_FILE(path), NULL, &error), &error, path);
    check(gpc_profile_load(context, &(gpc_stream)GPC_STREAM_FILE(path), &read, &error), &error, path);
    print_file("profile", path);
    remove(path);
    gpc_profile_destroy(read);
    gpc_profile_destroy(made);
    gpc_trace_close(trace);
    gpc_config_destroy(config);
}

/* Every policy in a small cache. The accesses differ in every property that a policy reads. */
static void decide(gpc_context *context, gpc_policy_kind kind) {
    for (size_t n = 0; n < gpc_policy_count(context, kind); n++) {
        gpc_policy_info info = GPC_POLICY_INFO_INIT;
        gpc_cache *cache;
        gpc_cache_options options = GPC_CACHE_OPTIONS_INIT;
        uint64_t random = 1, outcomes = 0;
        check(gpc_policy_at(context, kind, n, &info, NULL), NULL, "policy");
        options.sets = 16;
        options.sectors = 4;
        options.allocate = GPC_ALLOCATE_ON_FILL;
        options.replacement = kind == GPC_POLICY_REPLACEMENT ? info.name : NULL;
        options.predictor = kind == GPC_POLICY_PREDICTOR ? info.name : NULL;
        gpc_error error = GPC_ERROR_INIT;
        if (gpc_cache_create(context, &options, &cache, &error) < 0) {
            printf("%s: %s\n", info.name, error.message);
            continue;
        }
        for (uint64_t i = 0; i < 3000; i++) {
            gpc_access_result result;
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            const gpc_request request = {.address = (random >> 40) % 6144 * 4,
                                         .size = 4,
                                         .pc = random >> 60,
                                         .warp = (uint32_t)i % 48,
                                         .warp_age = (uint32_t)(random >> 33) % 48,
                                         .transactions = 1 + i % 32,
                                         .kind = i % 9 ? GPC_LOAD : GPC_STORE,
                                         .policy.next_use = i * 7 % 5000};
            check(gpc_cache_access(cache, &request, &result, NULL), &error, info.name);
            outcomes = outcomes * 31 + result.outcome * 7u + result.way + result.eviction.line_address;
        }
        printf("%s: %016" PRIx64 "\n", info.name, outcomes);
        gpc_cache_destroy(cache);
    }
}

int main(int argc, char **argv) {
    gpc_context *context;
    gpc_error error = GPC_ERROR_INIT;
    if (argc != 2)
        return 2;
    check(gpc_context_create(NULL, &context, &error), &error, "context");
    decide(context, GPC_POLICY_REPLACEMENT);
    decide(context, GPC_POLICY_PREDICTOR);
    replay(context, "synthetic:vectoradd:16KiB", "gtx480", "");
    replay(context, "synthetic:gather:16KiB", "h100", "l2.replacement = random\nl1.replacement = random\n");
    replay(context, "examples/traces/nn", "qv100", "l1.replacement = plru\nwarps.order = block\n");
    replay(context, "synthetic:histogram:4KiB", "gtx480", "mode = timed\nscheduler = gto + ccws\n");
    replay(context, "synthetic:bicg:4KiB", "h100", "mode = timed\nsm.count = 4\n");
    replay(context, "synthetic:bfs:8KiB", "gcn-7970", "mode = timed\ncoherence = nmoesi\nl1.bypass = agcb\n");
    replay(context, "synthetic:transpose-naive:16KiB", "a100", "mode = timed\nsm.count = 8\nsample = blocks\n");
    write_files(context, argv[1]);
    profile(context, argv[1]);
    gpc_context_destroy(context);
    return 0;
}
