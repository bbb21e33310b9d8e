/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench.h"

#include "level/rules/hierarchy.h"
#include "timed/core/shards.h"

#include <string.h>

/*
 * Replays with `threads` = 1, 2, 4 and 8, up to the number of processors: speed-up over a single thread by elapsed
 * time, the least of REPEATS runs each, in turns. Timed mode also has the percentage of time in which the first thread
 * waited at meetings.
 *
 * bench-threads [PRESET [MODE [SOURCE]]]
 */

#define REPEATS 3

static const char *const sources[] = {
    "synthetic:gather:2MiB",
    "synthetic:vectoradd:4MiB",
    "synthetic:warp-reuse:8MiB:lines=8,repeats=8",
};

typedef struct outcome {
    double seconds; /* 0: too few processors */
    double waited;  /* seconds at meetings; negative: unmeasured */
} outcome;

/* Seconds of waiting of the first thread since the first call. */
static double waited(const gpc_hierarchy *hierarchy) {
    double seconds = -1;
    if (hierarchy->timed)
        gpci_shards_shared(hierarchy->timed, &seconds);
    return seconds;
}

static outcome run(const char *preset, const char *mode, const char *source, uint32_t threads) {
    gpc_context *context;
    gpc_config *config;
    gpc_replay *replay;
    gpc_trace *trace;
    gpc_error error = GPC_ERROR_INIT;
    char number[16];
    snprintf(number, sizeof number, "%u", threads);
    need(gpc_context_create(NULL, &context, &error), "context", &error);
    need(gpc_config_create(context, &config, &error), "config", &error);
    need(gpc_config_load_preset(config, preset, &error), preset, &error);
    need(gpc_config_set(config, "mode", mode, &error), "mode", &error);
    need(gpc_config_set(config, "threads", number, &error), "threads", &error);
    need(gpc_replay_create(context, config, &replay, &error), "replay", &error);
    need(gpc_trace_open(context, source, &trace, &error), source, &error);
    const gpc_hierarchy *hierarchy = gpc_replay_hierarchy(replay);
    const bool there_are = gpc_hierarchy_threads(hierarchy) == threads;
    const double before = waited(hierarchy), start = wall_seconds();
    gpc_status status = GPC_END;
    while (there_are && (status = gpc_replay_kernel(replay, trace, NULL, &error)) == GPC_OK)
        ;
    need(status, source, &error);
    const double seconds = wall_seconds() - start, after = waited(hierarchy);
    gpc_trace_close(trace);
    gpc_replay_destroy(replay);
    gpc_config_destroy(config);
    gpc_context_destroy(context);
    return (outcome){there_are ? seconds : 0, before < 0 ? -1 : after - before};
}

static void compare(const char *preset, const char *mode, const char *source) {
    static const uint32_t threads[] = {1, 2, 4, 8};
    outcome best[4] = {{0}};
    for (unsigned repeat = 0; repeat < REPEATS; repeat++)
        for (size_t n = 0; n < 4; n++) {
            const outcome now = run(preset, mode, source, threads[n]);
            best[n] = !repeat || now.seconds < best[n].seconds ? now : best[n];
        }
    for (size_t n = 0; n < 4 && best[n].seconds > 0; n++) {
        char name[256];
        snprintf(name, sizeof name, "threads.%s.%s.%s.%u", preset, mode, source, threads[n]);
        figure(name, best[0].seconds / best[n].seconds, "x");
        if (best[n].waited < 0 || threads[n] == 1)
            continue;
        snprintf(name, sizeof name, "threads.%s.%s.%s.%u.waiting", preset, mode, source, threads[n]);
        figure(name, 100 * best[n].waited / best[n].seconds, "%");
    }
}

int main(int argc, char **argv) {
    static const char *const modes[] = {"timed", "functional"};
    const char *preset = argc > 1 ? argv[1] : "h100";
    for (size_t mode = 0; mode < 2; mode++)
        for (size_t k = 0; k < (argc > 3 ? 1 : sizeof sources / sizeof *sources); k++)
            if (argc < 3 || !strcmp(argv[2], modes[mode]))
                compare(preset, modes[mode], argc > 3 ? argv[3] : sources[k]);
    return 0;
}
