/* SPDX-License-Identifier: BSD-2-Clause */
#include "../tests/measured.h"
#include "bench.h"

#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Timed replay on one core, caches cold, presets qv100 and h100:
 *   vecadd        streams: three arrays of 2 MiB
 *   gather        a line a lane: 2 MiB read at random
 *   reuse-hit     each warp reads 8 lines of its own 8 times: L1 holds them
 *   reuse-miss    each warp reads 512 KiB of its own twice, 64 MiB in all: more than L1 or L2 holds
 * For each: million warp instructions, L1 line transactions and simulated core cycles per CPU second, trace generation
 * included, and the peak memory of the process. Printed beside: the limit of a replay with a single cache line a
 * transaction: random writes of lines in a table as large as the run's memory.
 *
 * A line that begins with # names trace and configuration of the figures below. README.md has Accel-Sim's rates, with
 * traces and configurations.
 *
 * bench-replay [PRESET [KERNEL]]; bench-replay PRESET SOURCE [COHERENCE] replays any trace, in a tree of coherent
 * modules with COHERENCE.
 */

static const struct {
    const char *name, *source;
} kernels[] = {
    {"vecadd", "synthetic:vectoradd:2MiB"},
    {"gather", "synthetic:gather:2MiB"},
    {"reuse-hit", "synthetic:warp-reuse:8MiB:lines=8,repeats=8"},
    {"reuse-miss", "synthetic:warp-reuse:64MiB:lines=4096,repeats=2"},
};

/* Lookups of all L1s: loads, stores and atomics. */
static uint64_t transactions(gpc_hierarchy *hierarchy) {
    uint64_t sum = 0;
    for (uint32_t sm = 0;; sm++) {
        measured_cache stats;
        const gpc_cache *cache = gpc_hierarchy_cache(hierarchy, 1, sm);
        if (!cache)
            return sum;
        measured_clear(&stats);
        need(measure_cache(cache, &stats), "measure_cache", NULL);
        sum += stats.reads + stats.writes + stats.atomics;
    }
}

static void say(const char *preset, const char *kernel, const char *what, double value, const char *unit) {
    char name[160];
    snprintf(name, sizeof name, "replay.%s.%s.%s", preset, kernel, what);
    figure(name, value, unit);
}

static double peak_bytes(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) ? 0 : (double)usage.ru_maxrss * 1024;
}

/* Write a line a transaction, in a table of `bytes` bytes; returns transactions a second. */
static double line_rate(double bytes) {
    enum { LINE = 64, COUNT = 10000000 };
    const uint64_t lines = (uint64_t)(bytes / LINE) + 1;
    uint64_t *table = aligned_alloc(LINE, lines * LINE), random = 5;
    if (!table)
        exit(1);
    memset(table, 1, lines * LINE);
    double start = cpu_seconds();
    for (uint32_t i = 0; i < COUNT; i++)
        table[((next_random(&random) >> 32) * lines >> 32) * (LINE / sizeof *table)]++;
    double seconds = cpu_seconds() - start;
    free(table);
    return COUNT / seconds;
}

static void run(const char *preset, const char *kernel, const char *source, const char *coherence) {
    gpc_context *context;
    gpc_config *config;
    gpc_replay *replay;
    gpc_trace *trace;
    gpc_error error = GPC_ERROR_INIT;
    const double before = peak_bytes();
    printf("# replay.%s.%s: %s; preset = %s, mode = timed, kernels.flush = all\n", preset, kernel, source, preset);
    need(gpc_context_create(NULL, &context, &error), "context", &error);
    need(gpc_config_create(context, &config, &error), "config", &error);
    need(gpc_config_load_preset(config, preset, &error), preset, &error);
    need(gpc_config_set(config, "mode", "timed", &error), "mode", &error);
    need(gpc_config_set(config, "kernels.flush", "all", &error), "kernels.flush", &error);
    need(gpc_config_set(config, "coherence", coherence, &error), coherence, &error);
    need(gpc_replay_create(context, config, &replay, &error), "replay", &error);
    need(gpc_trace_open(context, source, &trace, &error), source, &error);
    double start = cpu_seconds();
    gpc_status status;
    while ((status = gpc_replay_kernel(replay, trace, NULL, &error)) == GPC_OK)
        ;
    need(status, source, &error);
    double seconds = cpu_seconds() - start;
    measured_stats stats;
    measured_clear(&stats);
    need(measure_total(replay, &stats), "statistics", NULL);
    say(preset, kernel, "instructions", (double)stats.warp_instructions / seconds * 1e-6, "Minstructions/s");
    if (!gpc_hierarchy_coherence(gpc_replay_hierarchy(replay))) /* trees: L1s are modules */
        say(preset, kernel, "transactions", (double)transactions(gpc_replay_hierarchy(replay)) / seconds * 1e-6,
            "Mtransactions/s");
    say(preset, kernel, "cycles", (double)stats.cycles / seconds * 1e-6, "Mcycles/s");
    const double peak = peak_bytes();
    say(preset, kernel, "memory", peak / (1 << 20), "MiB");
    gpc_trace_close(trace);
    gpc_replay_destroy(replay);
    gpc_config_destroy(config);
    gpc_context_destroy(context);
    say(preset, kernel, "line-a-transaction", line_rate(peak - before) * 1e-6, "Mtransactions/s");
}

/* Run in a separate process, to measure the run's peak memory. */
static void run_apart(const char *preset, const char *kernel, const char *source, const char *coherence) {
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        run(preset, kernel, source, coherence);
        exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) < 0 || status) {
        fprintf(stderr, "%s, %s: failed\n", preset, source);
        exit(1);
    }
}

int main(int argc, char **argv) {
    static const char *const presets[] = {"qv100", "h100"};
    const size_t count = sizeof kernels / sizeof *kernels;
    for (size_t p = 0; p < (argc > 1 ? 1 : 2); p++) {
        const char *preset = argc > 1 ? argv[1] : presets[p];
        bool known = argc < 3;
        for (size_t k = 0; k < count; k++) {
            if (argc > 2 && strcmp(argv[2], kernels[k].name))
                continue;
            known = true;
            run_apart(preset, kernels[k].name, kernels[k].source, "none");
        }
        if (!known)
            run_apart(preset, "trace", argv[2], argc > 3 ? argv[3] : "none");
    }
    return 0;
}
