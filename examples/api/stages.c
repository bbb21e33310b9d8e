/* SPDX-License-Identifier: BSD-2-Clause */
/* Cycles of loads by stage: before L1, in the networks, in L2, in DRAM. */
#include "example.h"

#define GPC_EXPERIMENTAL
#include <gpucache/experimental/experimental.h>

#include <inttypes.h>

static void print_row(void *data, const gpc_stage_row *row) {
    uint64_t sum = 0;
    printf("pc %#" PRIx64 ", level %d: %" PRIu64 " accesses\n", row->pc, (int)row->level, row->accesses);
    for (unsigned stage = 0; stage < row->stage_count; stage++) {
        sum += row->stages[stage];
        if (row->stages[stage])
            printf("  %-10s %5" PRIu64 "  %s\n", gpc_stage_name(stage), row->stages[stage], gpc_stage_meaning(stage));
    }
    *(uint64_t *)data += sum == row->latency;
}

int main(void) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context;
    uint64_t exact = 0;
    check(gpc_context_create(NULL, &context, &error), &error);
    gpc_hierarchy *hierarchy = begun(context, "gtx480", "mode = timed\nsm.count = 1\nstats.stages = true\n");
    uint64_t addresses[2][32];
    for (uint64_t i = 0; i < 2; i++) {
        gpc_warp_access access = load_of(addresses[i], 0x1000);
        access.pc = 0x10 * i;
        check(gpc_hierarchy_try_issue(hierarchy, &access, i, NULL, &error), &error);
        check(gpc_hierarchy_drain(hierarchy, &error), &error);
    }
    check(gpc_hierarchy_stages(hierarchy, print_row, &exact, &error), &error);
    expect(exact == 2, "the stages of each load sum to its latency");
    gpc_hierarchy_destroy(hierarchy);
    gpc_context_destroy(context);
    return 0;
}
