/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A warp scheduler alone, in the host's core model: four warps. A warp loads, waits 6
 * cycles for memory, and computes twice. Prints the issuing warp of each cycle, '.' if
 * no warp was ready.
 */
#include <gpucache/ext/scheduler.h>
#include <gpucache/gpucache.h>

#include <inttypes.h>
#include <stdio.h>

enum { WARPS = 4, INSTRUCTIONS = 3, LATENCY = 6 };

static gpc_status run(gpc_scheduler *scheduler, uint64_t *cycle, gpc_error *error) {
    unsigned done[WARPS] = {0}, left = WARPS;
    uint64_t wakes[WARPS] = {0};
    gpc_status status = GPC_OK;
    for (uint32_t slot = 0; slot < WARPS && status == GPC_OK; slot++)
        status = gpc_scheduler_start(scheduler, slot, error);
    for (*cycle = 0; left && status == GPC_OK; ++*cycle) {
        for (uint32_t slot = 0; slot < WARPS; slot++)
            if (wakes[slot] == *cycle && done[slot] < INSTRUCTIONS)
                gpc_scheduler_set_state(scheduler, slot, done[slot] ? GPC_STATE_READY : GPC_STATE_READY_MEMORY, NULL);
        uint32_t slot;
        status = gpc_scheduler_pick(scheduler, *cycle, true, &slot, error);
        putchar(status != GPC_OK || slot == GPC_NO_WARP ? '.' : '0' + (int)slot);
        if (status != GPC_OK || slot == GPC_NO_WARP)
            continue;
        gpc_scheduler_issued(scheduler, slot, *cycle, NULL);
        gpc_warp_state next = !done[slot] ? GPC_STATE_WAITING : GPC_STATE_READY;
        wakes[slot] = !done[slot] ? *cycle + LATENCY : 0;
        if (++done[slot] == INSTRUCTIONS) {
            next = GPC_STATE_ABSENT;
            left--;
        }
        status = gpc_scheduler_set_state(scheduler, slot, next, error);
    }
    return status;
}

int main(int count, char **arguments) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context = NULL;
    gpc_scheduler *scheduler = NULL;
    gpc_scheduler_options options = GPC_SCHEDULER_OPTIONS_INIT;
    options.warps = WARPS;
    options.policy = count > 1 ? arguments[1] : "gto";
    uint64_t cycles = 0;
    gpc_status status = gpc_context_create(NULL, &context, &error);
    if (status == GPC_OK)
        status = gpc_scheduler_create(context, &options, &scheduler, &error);
    if (status == GPC_OK)
        status = run(scheduler, &cycles, &error);
    if (status == GPC_OK)
        printf(" %s: %" PRIu64 " cycles\n", options.policy, cycles);
    else
        fprintf(stderr, "%s: %s\n", gpc_status_string(status), error.message);
    gpc_scheduler_destroy(scheduler);
    gpc_context_destroy(context);
    return status != GPC_OK;
}
