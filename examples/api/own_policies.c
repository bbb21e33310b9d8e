/* SPDX-License-Identifier: BSD-2-Clause */
/* Policies of the host: a predictor, a prefetcher and a scheduler, used by name. */
#include "example.h"

#include <gpucache/ext/scheduler.h>

#include <inttypes.h>

/* Bypass every load of odd PC. */
static void predict(void *self, uint32_t set, const gpc_request *request, gpc_prediction *prediction) {
    (void)self, (void)set;
    prediction->decision = request->pc & 1 ? GPC_BYPASS : GPC_CACHE;
}

/* Fetch the next line after each miss. */
static uint32_t on_access(void *self, const gpc_prefetch_access *access, gpc_prefetch *out) {
    (void)self;
    if (access->found != GPC_PREFETCH_FOUND_MISS)
        return 0;
    out[0].address = access->request->address + 128;
    return 1;
}

/* Choose the warp of the highest slot. */
static uint32_t pick(void *self, const uint64_t *ready, uint64_t cycle) {
    (void)self, (void)cycle;
    uint32_t slot = 63;
    while (!(ready[0] >> slot & 1))
        slot--;
    return slot;
}

int main(void) {
    const gpc_predictor_ops predictor = {.struct_size = sizeof predictor,
                                         .name = "odd-pc",
                                         .summary = "bypasses loads of odd PC",
                                         .source = "",
                                         .predict = predict,
                                         .reads = GPC_READS_PLACE | GPC_READS_PC};
    const gpc_prefetcher_ops prefetcher = {.struct_size = sizeof prefetcher,
                                           .name = "after-miss",
                                           .summary = "fetches the next line after a miss",
                                           .source = "",
                                           .on_access = on_access};
    const gpc_scheduler_ops scheduler = {.struct_size = sizeof scheduler,
                                         .name = "highest",
                                         .summary = "issues the warp of the highest slot",
                                         .source = "",
                                         .pick = pick};
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context;
    gpc_replay *replay;
    gpc_trace *trace;
    check(gpc_context_create(NULL, &context, &error), &error);
    check(gpc_context_register_predictor(context, &predictor, NULL, NULL, &error), &error);
    check(gpc_context_register_prefetcher(context, &prefetcher, NULL, NULL, &error), &error);
    check(gpc_context_register_scheduler(context, &scheduler, NULL, NULL, &error), &error);
    gpc_config *config = configured(context, "gtx480",
                                    "mode = timed\nsm.count = 1\nl1.bypass = odd-pc\nl1.prefetcher = after-miss\n"
                                    "scheduler = highest\n");
    check(gpc_replay_create(context, config, &replay, &error), &error);
    check(gpc_trace_open(context, "synthetic:vectoradd:64KiB", &trace, &error), &error);
    check(gpc_replay_kernel(replay, trace, NULL, &error), &error);
    const uint32_t id = GPC_ID_l1_prefetches;
    uint64_t prefetches;
    check(gpc_replay_read(replay, GPC_OBJECT_WHOLE, 0, &id, 1, &prefetches, 1, &error), &error);
    printf("%" PRIu64 " prefetches\n", prefetches);
    expect(prefetches > 0, "the prefetcher saw misses");
    gpc_trace_close(trace);
    gpc_replay_destroy(replay);
    gpc_config_destroy(config);
    gpc_context_destroy(context);
    return 0;
}
