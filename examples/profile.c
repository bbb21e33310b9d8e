/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Profile a trace's loads, and bypass by the profile:
 *   profile SOURCE FILE [PRESET]
 * Prints the loads, by number of line transactions, that should bypass L1 (seeds/001, Eq. 1 and Table 1). Writes the
 * profile to FILE, and replays the trace without and with the predictor `hybrid`, a reader of FILE.
 */
#include <gpucache/ext/observe.h>
#include <gpucache/gpucache.h>

#include <inttypes.h>
#include <stdio.h>

static gpc_status print_classes(gpc_profile *profile, gpc_error *error) {
    const gpc_profile_class *rows;
    size_t count;
    gpc_status status = gpc_profile_classes(profile, &rows, &count, error);
    if (status != GPC_OK)
        return status;
    printf("transactions      loads        R        U   (1+R)U\n");
    for (size_t i = 0; i < count; i++) {
        const gpc_profile_counts *counts = &rows[i].counts;
        if (counts->loads)
            printf("%12" PRIu32 " %10" PRIu64 " %8.3f %8.3f %8.3f  %s\n", rows[i].transactions, counts->loads,
                   counts->reuse, counts->utilisation, counts->score, counts->score < 1 ? "bypass" : "cache");
    }
    return GPC_OK;
}

/* FILE has the needed part of the profile. */
static gpc_status profile_trace(gpc_context *context, const gpc_config *config, const char *source, const char *file,
                                gpc_error *error) {
    gpc_profile *profile = NULL;
    gpc_trace *trace = NULL;
    gpc_status status = gpc_profile_create(context, config, &profile, error);
    if (status == GPC_OK)
        status = gpc_trace_open(context, source, &trace, error);
    if (status == GPC_OK)
        status = gpc_profile_run(profile, trace, error);
    if (status == GPC_OK)
        status = print_classes(profile, error);
    if (status == GPC_OK)
        status = gpc_profile_save(profile, &(gpc_stream)GPC_STREAM_FILE(file), NULL, error);
    gpc_trace_close(trace);
    gpc_profile_destroy(profile);
    return status;
}

static gpc_status print_traffic(gpc_context *context, gpc_config *config, const char *source, const char *predictor,
                                gpc_error *error) {
    gpc_replay *replay = NULL;
    gpc_trace *trace = NULL;
    const uint32_t id = GPC_ID_l2_read_sectors;
    uint64_t sectors;
    gpc_status status = gpc_config_set(config, "l1.bypass", predictor, error);
    if (status == GPC_OK)
        status = gpc_replay_create(context, config, &replay, error);
    if (status == GPC_OK)
        status = gpc_trace_open(context, source, &trace, error);
    while (status == GPC_OK)
        status = gpc_replay_kernel(replay, trace, NULL, error);
    if (status == GPC_END)
        status = gpc_replay_read_total(replay, &id, 1, &sectors, 1, error);
    if (status == GPC_OK)
        printf("%" PRIu64 " sectors from L2 with %s\n", sectors, predictor);
    gpc_trace_close(trace);
    gpc_replay_destroy(replay);
    return status;
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: %s SOURCE FILE [PRESET]\n", argv[0]);
        return 2;
    }
    char hybrid[512];
    int length = snprintf(hybrid, sizeof hybrid, "hybrid(file=%s, threshold=1, limit=0)", argv[2]);
    if (length < 0 || (size_t)length >= sizeof hybrid) {
        fprintf(stderr, "%s: too long a name\n", argv[2]);
        return 2;
    }
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context = NULL;
    gpc_config *config = NULL;
    gpc_status status = gpc_context_create(NULL, &context, &error);
    if (status == GPC_OK)
        status = gpc_config_create(context, &config, &error);
    if (status == GPC_OK)
        status = gpc_config_load_preset(config, argc > 3 ? argv[3] : "gtx480", &error);
    if (status == GPC_OK)
        status = gpc_config_set(config, "l1.bypass", "always-cache", &error);
    if (status == GPC_OK)
        status = profile_trace(context, config, argv[1], argv[2], &error);
    if (status == GPC_OK)
        status = print_traffic(context, config, argv[1], "always-cache", &error);
    if (status == GPC_OK)
        status = print_traffic(context, config, argv[1], hybrid, &error);
    if (status != GPC_OK)
        fprintf(stderr, "%s: %s\n", gpc_status_string(status), error.message);
    gpc_config_destroy(config);
    gpc_context_destroy(context);
    return status != GPC_OK;
}
