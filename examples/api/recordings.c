/* SPDX-License-Identifier: BSD-2-Clause */
/* The calls of a host recorded as a trace, and replayed with the same hits. */
#include "example.h"

#include <gpucache/ext/observe.h>

#include <inttypes.h>

static uint64_t hits(gpc_hierarchy *hierarchy) {
    gpc_error error = GPC_ERROR_INIT;
    const uint32_t id = GPC_ID_l1_load_sector_hits;
    uint64_t value;
    check(gpc_hierarchy_read(hierarchy, GPC_OBJECT_WHOLE, 0, &id, 1, &value, 1, &error), &error);
    return value;
}

int main(void) {
    static const char path[] = "recordings.gct";
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context;
    gpc_trace *trace;
    gpc_replay *replay;
    check(gpc_context_create(NULL, &context, &error), &error);
    gpc_config *config = configured(context, "kepler", "sm.count = 1\nwarps.order = recorded\n");
    gpc_hierarchy *hierarchy;
    check(gpc_hierarchy_create(context, config, &hierarchy, &error), &error);
    check(gpc_hierarchy_record(hierarchy, path, &error), &error);
    check(gpc_hierarchy_begin_kernel(hierarchy, NULL, &error), &error);
    for (uint64_t i = 0; i < 100; i++) {
        uint64_t addresses[32];
        gpc_warp_access access = load_of(addresses, i * i % 37 * 128);
        access.warp = (uint32_t)i % 4;
        check(gpc_hierarchy_access(hierarchy, &access, NULL, &error), &error);
    }
    expect(gpc_hierarchy_is_recording(hierarchy), "the recording goes on");
    check(gpc_hierarchy_record_end(hierarchy, &error), &error);

    check(gpc_trace_open(context, path, &trace, &error), &error);
    check(gpc_replay_create(context, config, &replay, &error), &error);
    check(gpc_replay_kernel(replay, trace, NULL, &error), &error);
    printf("%" PRIu64 " sectors hit\n", hits(hierarchy));
    expect(hits(hierarchy) == hits(gpc_replay_hierarchy(replay)), "the replay has the host's hits");

    gpc_replay_destroy(replay);
    gpc_trace_close(trace);
    (void)remove(path);
    gpc_hierarchy_destroy(hierarchy);
    gpc_config_destroy(config);
    gpc_context_destroy(context);
    return 0;
}
