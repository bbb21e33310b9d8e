/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/gpucache.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Host of versions 0.1 and 0.2, for test_hosts.py. The host uses every kind of structure in the interface: options,
 * tables of functions, callbacks, records.
 */

static void check(gpc_status status, const gpc_error *error, const char *what) {
    if (status < 0) {
        printf("%s: %s: %s\n", what, gpc_status_string(status), error ? error->message : "");
        exit(1);
    }
}

typedef struct newest {
    uint32_t last;
} newest;

static uint32_t choose(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    newest *n = self;
    (void)set, (void)request;
    uint32_t way = 0;
    while (candidates && !(candidates[way / 64] >> way % 64 & 1))
        way++;
    return candidates ? way : n->last;
}

static void on_fill(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)set, (void)request;
    ((newest *)self)->last = way;
}

static void on_evict(void *user_data, const gpc_eviction *eviction, const gpc_request *request) {
    uint64_t *sum = user_data;
    *sum = *sum * 31 + eviction->line_address + eviction->dirty_sectors + (request ? request->address : 0);
}

static void use_cache(gpc_context *context) {
    static const char *const policies[] = {"lru", "newest", "drrip", "rpr"};
    const gpc_replacement_ops ops = {.struct_size = sizeof ops,
                                     .name = "newest",
                                     .instance_bytes = sizeof(newest),
                                     .choose_victim = choose,
                                     .on_fill = on_fill};
    gpc_error error = GPC_ERROR_INIT;
    check(gpc_context_register_replacement(context, &ops, NULL, NULL, &error), &error, "register");
    for (size_t p = 0; p < sizeof policies / sizeof *policies; p++) {
        gpc_cache *cache;
        uint64_t sum = 0, outcomes[6] = {0};
        gpc_cache_options options = GPC_CACHE_OPTIONS_INIT;
        options.sectors = 4;
        options.replacement = policies[p];
        options.on_evict = on_evict;
        options.callback_data = &sum;
        check(gpc_cache_create(context, &options, &error, &cache), &error, policies[p]);
        for (uint64_t n = 0; n < 5000; n++) {
            gpc_request request;
            gpc_access_result result;
            memset(&request, 0, sizeof request);
            request.address = n * n * 32 % 65536;
            request.size = 4;
            request.pc = n % 7;
            request.warp = (uint32_t)n % 48;
            request.kind = n % 5 ? GPC_LOAD : GPC_STORE;
            check(gpc_cache_access(cache, &request, &result), NULL, "access");
            outcomes[result.outcome]++;
        }
        printf("%s: %llu hits, %llu sector misses, %llu misses, evictions %016llx\n", policies[p],
               (unsigned long long)outcomes[GPC_HIT], (unsigned long long)outcomes[GPC_SECTOR_MISS],
               (unsigned long long)outcomes[GPC_MISS], (unsigned long long)sum);
        gpc_cache_destroy(cache);
    }
}

static void on_complete(void *user_data, const gpc_completion *completion) {
    uint64_t *sum = user_data;
    *sum = *sum * 31 + completion->token + completion->level + (completion->cycle > completion->issued);
}

/* A clock, and callbacks of the host. */
static void use_hierarchy(gpc_context *context, const char *settings) {
    gpc_config *config;
    gpc_hierarchy *hierarchy;
    gpc_error error = GPC_ERROR_INIT;
    gpc_launch launch = GPC_LAUNCH_INIT;
    uint64_t sum = 0, addresses[32], accepted = 0;
    gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
    check(gpc_config_create(context, &error, &config), &error, "config");
    check(gpc_config_load_preset(config, "gtx480", &error), &error, "preset");
    check(gpc_config_load_text(config, settings, "host", &error), &error, "settings");
    check(gpc_hierarchy_create(context, config, &error, &hierarchy), &error, "hierarchy");
    launch.threads = 256;
    check(gpc_hierarchy_begin_kernel(hierarchy, &launch, &error), &error, "kernel");
    callbacks.user_data = &sum;
    callbacks.on_complete = on_complete;
    const gpc_status called = gpc_hierarchy_set_callbacks(hierarchy, &callbacks);
    for (uint64_t n = 0; n < 300; n++) {
        gpc_warp_access access = GPC_WARP_ACCESS_INIT;
        gpc_warp_result result = GPC_WARP_RESULT_INIT;
        for (uint64_t lane = 0; lane < 32; lane++)
            addresses[lane] = n * 64 + lane * (4 + n % 3 * 28);
        access.mask = 0xffffffff;
        access.addresses = addresses;
        access.width = 4;
        access.kind = n % 4 ? GPC_LOAD : GPC_STORE;
        if (called != GPC_OK) { /* no clock */
            check(gpc_hierarchy_access(hierarchy, &access, &result), NULL, "access");
            sum = sum * 31 + result.lines + result.l1_sector_hits * 7 + result.dram_sectors;
        } else {
            accepted += gpc_hierarchy_try_issue(hierarchy, &access, n, NULL) == GPC_OK;
            check(gpc_hierarchy_advance(hierarchy, 5), NULL, "advance");
        }
    }
    if (called == GPC_OK)
        check(gpc_hierarchy_drain(hierarchy, &error), &error, "drain");
    printf("%s: %llu accepted, sum %016llx, cycle %llu\n", settings, (unsigned long long)accepted,
           (unsigned long long)sum, (unsigned long long)gpc_hierarchy_now(hierarchy));
    gpc_hierarchy_destroy(hierarchy);
    gpc_config_destroy(config);
}

static void use_scheduler(gpc_context *context) {
    gpc_scheduler *scheduler;
    gpc_error error = GPC_ERROR_INIT;
    gpc_scheduler_options options = GPC_SCHEDULER_OPTIONS_INIT;
    uint32_t picked, sum = 0;
    options.warps = 8;
    options.policy = "two-level";
    check(gpc_scheduler_create(context, &options, &error, &scheduler), &error, "scheduler");
    for (uint32_t n = 0; n < 8; n++) {
        check(gpc_scheduler_start(scheduler, n), NULL, "start");
        check(gpc_scheduler_set_state(scheduler, n, n % 3 ? GPC_STATE_READY : GPC_STATE_READY_MEMORY), NULL, "state");
    }
    for (uint64_t cycle = 1; cycle < 50; cycle++) {
        check(gpc_scheduler_pick(scheduler, cycle, cycle % 2, &picked), NULL, "pick");
        check(gpc_scheduler_issued(scheduler, picked, cycle), NULL, "issued");
        sum = sum * 31 + picked;
    }
    printf("scheduler: %08x\n", sum);
    gpc_scheduler_destroy(scheduler);
}

static void use_trace(gpc_context *context) {
    gpc_trace *trace;
    const gpc_block *block;
    gpc_error error = GPC_ERROR_INIT;
    gpc_kernel kernel = GPC_KERNEL_INIT;
    uint64_t instructions = 0, sum = 0;
    check(gpc_trace_open(context, "synthetic:vectoradd:4KiB", &error, &trace), &error, "trace");
    check(gpc_trace_next_kernel(trace, &kernel, &error), &error, "kernel");
    while (gpc_trace_next_block(trace, &block, &error) == GPC_OK) {
        for (uint32_t w = 0; w < block->warp_count; w++)
            for (uint64_t n = 0; n < block->warps[w].count; n++, instructions++) {
                const gpc_instruction *in = &block->warps[w].instructions[n];
                sum = sum * 31 + in->pc + in->mask + (in->addresses ? in->addresses[0] : in->op_class);
            }
        gpc_trace_release_block(trace, block);
    }
    printf("%s: %llu blocks, %llu instructions, %016llx\n", kernel.name, (unsigned long long)kernel.block_count,
           (unsigned long long)instructions, (unsigned long long)sum);
    gpc_trace_close(trace);
}

int main(void) {
    gpc_context *context;
    gpc_error error = GPC_ERROR_INIT;
    gpc_context_options options = GPC_CONTEXT_OPTIONS_INIT;
    options.seed = 5;
    check(gpc_context_create(&options, &error, &context), &error, "context");
    use_cache(context);
    use_hierarchy(context, "sm.count = 2\nl1.sectors = 4\nl2.sectors = 4\n");
    use_hierarchy(context, "mode = timed\n");
    use_scheduler(context);
    use_trace(context);
    gpc_context_destroy(context);
    return 0;
}
