/* SPDX-License-Identifier: BSD-2-Clause */
#include "fuzz/fuzz.h"

#include <gpucache/ext/parts.h>
#include <gpucache/gpucache.h>

#include <string.h>

/* Names with arguments, `name(a=1, b)`: a text as the name of every kind of thing; and named files. */

#define LARGEST_NAME 512u
#define LARGEST_BLOCK 4096u

static void check(gpc_status status, const void *made, const gpc_error *error) {
    CHECK((status == GPC_OK) == (made != NULL));
    CHECK(status == GPC_OK || (error->status == status && *error->message));
    fuzz_tell_error(status, error);
}

static void name_cache(gpc_context *context, const char *replacement, const char *predictor) {
    gpc_cache *cache = NULL;
    gpc_error error = GPC_ERROR_INIT;
    gpc_cache_options options = GPC_CACHE_OPTIONS_INIT;
    gpc_request request = {.size = 4};
    options.sets = 4;
    options.ways = 2;
    options.replacement = replacement;
    options.predictor = predictor;
    const gpc_status status = gpc_cache_create(context, &options, &cache, &error);
    check(status, cache, &error);
    for (unsigned n = 0; cache && n < 40; n++) {
        request.address = n * 2477 % 1024 * 4;
        request.pc = n % 3;
        gpc_access_result result;
        CHECK(gpc_cache_access(cache, &request, &result, NULL) == GPC_OK);
        fuzz_tell(result.outcome);
        fuzz_tell(result.way);
    }
    gpc_cache_destroy(cache);
}

static void use_scheduler(gpc_scheduler *scheduler) {
    uint32_t slot;
    CHECK(gpc_scheduler_begin_kernel(scheduler, "_Z4nameP", NULL) == GPC_OK);
    for (uint32_t n = 0; n < 8; n++) {
        CHECK(gpc_scheduler_start_block(scheduler, n, n / 2, NULL) == GPC_OK);
        CHECK(gpc_scheduler_set_state(scheduler, n, GPC_STATE_READY_MEMORY, NULL) == GPC_OK);
    }
    for (uint64_t cycle = 1; cycle < 20; cycle++)
        if (gpc_scheduler_pick(scheduler, cycle, true, &slot, NULL) == GPC_OK && slot != GPC_NO_WARP)
            CHECK((fuzz_tell(slot), gpc_scheduler_issued(scheduler, slot, cycle, NULL) == GPC_OK));
}

static void name_scheduler(gpc_context *context, const char *policy) {
    gpc_scheduler *scheduler = NULL;
    gpc_error error = GPC_ERROR_INIT;
    gpc_scheduler_options options = GPC_SCHEDULER_OPTIONS_INIT;
    options.policy = policy;
    const gpc_status status = gpc_scheduler_create(context, &options, &scheduler, &error);
    check(status, scheduler, &error);
    if (scheduler)
        use_scheduler(scheduler);
    gpc_scheduler_destroy(scheduler);
}

static void name_throttles(gpc_context *context, const char *throttles) {
    gpc_throttle *throttle = NULL;
    gpc_error error = GPC_ERROR_INIT;
    gpc_throttle_options options = GPC_THROTTLE_OPTIONS_INIT;
    options.throttles = throttles;
    const gpc_status status = gpc_throttle_create(context, &options, &throttle, &error);
    check(status, throttle, &error);
    gpc_throttle_destroy(throttle);
}

static void name_prefetcher(gpc_context *context, const char *prefetcher) {
    gpc_config *config = NULL;
    gpc_hierarchy *hierarchy = NULL;
    gpc_error error = GPC_ERROR_INIT;
    CHECK(gpc_config_create(context, &config, NULL) == GPC_OK);
    CHECK(gpc_config_load_text(config, "mode = timed\nsm.count = 1\nl2.slices = 1\n", NULL, NULL) == GPC_OK);
    gpc_status status = gpc_config_set(config, "l1.prefetcher", prefetcher, &error);
    if (status == GPC_OK) {
        status = gpc_hierarchy_create(context, config, &hierarchy, &error);
        check(status, hierarchy, &error);
    } else
        fuzz_tell_error(status, &error);
    gpc_hierarchy_destroy(hierarchy);
    gpc_config_destroy(config);
}

/* A kernel made on the fly: the first blocks, unless large. */
static void name_kernel(gpc_context *context, const char *name) {
    char source[LARGEST_NAME + 16];
    gpc_trace *trace = NULL;
    const gpc_block *block;
    gpc_kernel kernel = GPC_KERNEL_INIT;
    gpc_error error = GPC_ERROR_INIT;
    snprintf(source, sizeof source, "synthetic:%s", name);
    const gpc_status status = gpc_trace_open(context, source, &trace, &error);
    check(status, trace, &error);
    if (trace && gpc_trace_next_kernel(trace, &kernel, &error) == GPC_OK &&
        (uint64_t)kernel.block[0] * kernel.block[1] * kernel.block[2] < LARGEST_BLOCK)
        for (int n = 0; n < 2 && gpc_trace_next_block(trace, &block, &error) == GPC_OK; n++)
            gpc_trace_release_block(trace, block);
    gpc_trace_close(trace);
}

void fuzz_name(const uint8_t *data, size_t size) {
    char name[LARGEST_NAME + 1];
    fuzz_memory memory;
    if (size < 1 || size > LARGEST_NAME || memchr(data, '/', size)) /* '/' would name files of the machine */
        return;
    memcpy(name, data + 1, size - 1);
    name[size - 1] = 0;
    fuzz_memory_open(&memory);
    switch (data[0] % 6) {
    case 0:
        name_cache(memory.context, name, NULL);
        break;
    case 1:
        name_cache(memory.context, NULL, name);
        break;
    case 2:
        name_scheduler(memory.context, name);
        break;
    case 3:
        name_throttles(memory.context, name);
        break;
    case 4:
        name_prefetcher(memory.context, name);
        break;
    default:
        name_kernel(memory.context, name);
    }
    fuzz_memory_close(&memory);
}

void fuzz_kernels(const uint8_t *data, size_t size) {
    char policy[128];
    fuzz_memory memory;
    fuzz_file file;
    fuzz_memory_open(&memory);
    fuzz_file_open(&file, data, size);
    snprintf(policy, sizeof policy, "gto + pcal(kernels=%s)", file.path);
    name_scheduler(memory.context, policy);
    fuzz_file_close(&file);
    fuzz_memory_close(&memory);
}
