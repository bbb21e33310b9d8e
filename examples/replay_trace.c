/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replay a trace on a preset and print each kernel's hit rates:
 *   replay_trace SOURCE [PRESET [KEY=VALUE]...]
 */
#include <gpucache/gpucache.h>

#include <inttypes.h>
#include <stdio.h>

static double percent(uint64_t part, uint64_t whole) {
    return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

/* Every kernel in turn, until GPC_END. */
static gpc_status replay_all(gpc_replay *replay, gpc_trace *trace, gpc_error *error) {
    static const uint32_t ids[] = {GPC_ID_l1_load_sector_hits, GPC_ID_l1_load_sectors, GPC_ID_l2_read_sector_hits,
                                   GPC_ID_l2_read_sectors, GPC_ID_dram_read_sectors};
    printf("%8s %8s %12s  %s\n", "L1 hit %", "L2 hit %", "DRAM sectors", "kernel");
    for (;;) {
        gpc_kernel kernel = GPC_KERNEL_INIT;
        uint64_t values[5];
        gpc_status status = gpc_replay_kernel(replay, trace, &kernel, error);
        if (status == GPC_OK)
            status =
                gpc_replay_read(replay, GPC_OBJECT_WHOLE, 0, ids, 5, values, sizeof values / sizeof *values, error);
        if (status != GPC_OK)
            return status == GPC_END ? GPC_OK : status;
        printf("%8.2f %8.2f %12" PRIu64 "  %s\n", percent(values[0], values[1]), percent(values[2], values[3]),
               values[4], kernel.name);
    }
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: %s SOURCE [PRESET [KEY=VALUE]...]\n", argv[0]);
        return 2;
    }
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context = NULL;
    gpc_config *config = NULL;
    gpc_replay *replay = NULL;
    gpc_trace *trace = NULL;
    gpc_status status = gpc_context_create(NULL, &context, &error);
    if (status == GPC_OK)
        status = gpc_config_create(context, &config, &error);
    if (status == GPC_OK)
        status = gpc_config_load_preset(config, argc > 2 ? argv[2] : "h100", &error);
    for (int i = 3; status == GPC_OK && i < argc; i++)
        status = gpc_config_set_pair(config, argv[i], &error);
    if (status == GPC_OK)
        status = gpc_replay_create(context, config, &replay, &error);
    if (status == GPC_OK)
        status = gpc_trace_open(context, argv[1], &trace, &error);
    if (status == GPC_OK)
        status = replay_all(replay, trace, &error);
    if (status != GPC_OK)
        fprintf(stderr, "%s: %s\n", gpc_status_string(status), error.message);
    gpc_trace_close(trace);
    gpc_replay_destroy(replay);
    gpc_config_destroy(config);
    gpc_context_destroy(context);
    return status != GPC_OK;
}
