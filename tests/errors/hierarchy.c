/* SPDX-License-Identifier: BSD-2-Clause */
#define GPC_EXPERIMENTAL
#include <gpucache/experimental/experimental.h>
#include <gpucache/ext/hierarchy.h>
#include <gpucache/ext/observe.h>
#include <gpucache/ext/replay.h>

#include "errors/errors.h"

#include <criterion/criterion.h>

/* gpucache/hierarchy.h, ext/hierarchy.h, ext/observe.h (event traces), ext/replay.h (snapshots), experimental.h */

#define SMALL "sm.count = 2\nl2.size = 64KiB\nl2.slices = 2\nl2.inclusion = non-inclusive\n"
#define CLOCK SMALL "mode = timed\n"

typedef struct rig {
    gpc_context *context;
    gpc_config *config;
    gpc_hierarchy *h;
} rig;

static rig rig_open(const char *text) {
    rig r = {.context = made_context()};
    gpc_error error = GPC_ERROR_INIT;
    r.config = made_config(r.context, text);
    cr_assert_eq(gpc_hierarchy_create(r.context, r.config, &r.h, &error), GPC_OK, "%s", error.message);
    return r;
}

static void rig_close(rig *r) {
    gpc_hierarchy_destroy(r->h);
    gpc_config_destroy(r->config);
    gpc_context_destroy(r->context);
}

static const uint64_t first_line[1] = {0};

/* Load of a line by lane 0 of SM 0. */
static gpc_warp_access load(void) {
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    access.mask = 1;
    access.addresses = first_line;
    access.width = 4;
    return access;
}

Test(hierarchy, creation) {
    rig r = rig_open(SMALL);
    gpc_hierarchy *made;
    gpc_config *copy;
    FAILS(ARGUMENT, "context is NULL", gpc_hierarchy_create, NULL, r.config, &made);
    FAILS(ARGUMENT, "config is NULL", gpc_hierarchy_create, r.context, NULL, &made);
    FAILS(ARGUMENT, "out is NULL", gpc_hierarchy_create, r.context, r.config, NULL);
    gpc_config *odd = made_config(r.context, SMALL "stats.stages = true\n");
    FAILS(RANGE, "stats.stages", gpc_hierarchy_create, r.context, odd, &made);
    gpc_config_destroy(odd);
    FAILS(ARGUMENT, "hierarchy is NULL", gpc_hierarchy_get_config, NULL, &copy);
    FAILS(ARGUMENT, "out is NULL", gpc_hierarchy_get_config, r.h, NULL);
    FAILS(ARGUMENT, "hierarchy is NULL", gpc_hierarchy_copy, NULL, &made);
    FAILS(ARGUMENT, "out is NULL", gpc_hierarchy_copy, r.h, NULL);
    rig_close(&r);
}

static gpc_status write_nothing(void *user_data, const void *bytes, size_t count) {
    (void)user_data, (void)bytes, (void)count;
    return GPC_ERROR_IO;
}

Test(hierarchy, snapshots) {
    rig r = rig_open(SMALL);
    gpc_hierarchy *made;
    const gpc_stream file = GPC_STREAM_FILE("/no/such/folder/file"), full = GPC_STREAM_WRITE(write_nothing, NULL);
    gpc_load_options options = GPC_LOAD_OPTIONS_INIT;
    FAILS(ARGUMENT, "hierarchy is NULL", gpc_hierarchy_save, NULL, &file);
    FAILS(ARGUMENT, "to is NULL", gpc_hierarchy_save, r.h, NULL);
    FAILS(IO, "/no/such/folder/file", gpc_hierarchy_save, r.h, &file);
    FAILS(IO, "offset 0 cannot be written", gpc_hierarchy_save, r.h, &full);
    FAILS(ARGUMENT, "context is NULL", gpc_hierarchy_load, NULL, &file, NULL, &made);
    FAILS(ARGUMENT, "out is NULL", gpc_hierarchy_load, r.context, &file, NULL, NULL);
    FAILS(NOT_FOUND, "/no/such/folder/file", gpc_hierarchy_load, r.context, &file, NULL, &made);
    options.struct_size = 1;
    FAILS(ABI, "gpc_load_options", gpc_hierarchy_load, r.context, &file, &options, &made);
    rig_close(&r);
}

Test(hierarchy, kernels) {
    rig r = rig_open(SMALL);
    gpc_launch launch = GPC_LAUNCH_INIT;
    gpc_kernel_options options = GPC_KERNEL_OPTIONS_INIT;
    uint32_t kernel;
    FAILS(ARGUMENT, "hierarchy is NULL", gpc_hierarchy_begin_kernel, NULL, NULL);
    launch.threads = 1000000;
    FAILS(RANGE, "1000000", gpc_hierarchy_begin_kernel, r.h, &launch);
    launch.struct_size = 1;
    FAILS(ABI, "gpc_launch", gpc_hierarchy_begin_kernel, r.h, &launch);
    WORKS(gpc_hierarchy_begin_kernel, r.h, NULL);
    FAILS(ARGUMENT, "hierarchy is NULL", gpc_hierarchy_start_kernel, NULL, &options, &kernel);
    FAILS(ARGUMENT, "options is NULL", gpc_hierarchy_start_kernel, r.h, NULL, &kernel);
    FAILS(ARGUMENT, "out_kernel is NULL", gpc_hierarchy_start_kernel, r.h, &options, NULL);
    options.stream = 1;
    FAILS(ARGUMENT, "stream is 1", gpc_hierarchy_start_kernel, r.h, &options, &kernel);
    FAILS(ARGUMENT, "hierarchy is NULL", gpc_hierarchy_end_kernel, NULL, 1);
    FAILS(STATE, "kernel 77", gpc_hierarchy_end_kernel, r.h, 77);
    rig_close(&r);
}

Test(hierarchy, policies) {
    rig r = rig_open(SMALL);
    gpc_warp_event event = {.kind = GPC_WARP_START};
    gpc_sample samples[2] = {GPC_SAMPLE_INIT, GPC_SAMPLE_INIT};
    gpc_policy_value value = GPC_POLICY_VALUE_INIT;
    FAILS(ARGUMENT, "hierarchy is NULL", gpc_hierarchy_warp_event, NULL, &event);
    FAILS(ARGUMENT, "event is NULL", gpc_hierarchy_warp_event, r.h, NULL);
    WORKS(gpc_hierarchy_warp_event, r.h, &event);
    event.sm = 2;
    FAILS(ARGUMENT, "gpc_warp_event.sm: 2", gpc_hierarchy_warp_event, r.h, &event);
    event = (gpc_warp_event){.kind = GPC_KERNEL_END + 1};
    FAILS(ARGUMENT, "gpc_warp_event.kind", gpc_hierarchy_warp_event, r.h, &event);
    FAILS(ARGUMENT, "hierarchy is NULL", gpc_hierarchy_rank_warps, NULL, true);
    WORKS(gpc_hierarchy_rank_warps, r.h, true);
    event = (gpc_warp_event){.kind = GPC_WARP_EXIT, .warp = 7};
    FAILS(ARGUMENT, "gpc_warp_event.warp: 7 does not run", gpc_hierarchy_warp_event, r.h, &event);
    event.kind = GPC_WARP_START;
    cr_assert_eq(gpc_hierarchy_warp_event(r.h, &event, NULL), GPC_OK);
    FAILS(ARGUMENT, "gpc_warp_event.warp: 7 runs already", gpc_hierarchy_warp_event, r.h, &event);
    event.warp = 65535;
    FAILS(ARGUMENT, "gpc_warp_event.warp: 65535", gpc_hierarchy_warp_event, r.h, &event);
    FAILS(ARGUMENT, "hierarchy is NULL", gpc_hierarchy_sample, NULL, samples);
    FAILS(ARGUMENT, "samples is NULL", gpc_hierarchy_sample, r.h, NULL);
    WORKS(gpc_hierarchy_sample, r.h, samples);
    samples[1].struct_size = 1;
    FAILS(ABI, "gpc_sample", gpc_hierarchy_sample, r.h, samples);
    FAILS(ARGUMENT, "hierarchy is NULL", gpc_hierarchy_policy_value, NULL, 0, &value);
    FAILS(RANGE, "index: 99", gpc_hierarchy_policy_value, r.h, 99, &value);
    rig_close(&r);
}

Test(hierarchy, questions) {
    rig r = rig_open(CLOCK);
    gpc_location location = GPC_LOCATION_INIT;
    gpc_shape shape = GPC_SHAPE_INIT;
    char name[GPC_OBJECT_NAME];
    const uint32_t id = GPC_ID_l1_load_sectors;
    uint64_t value;
    FAILS(ARGUMENT, "hierarchy is NULL", gpc_hierarchy_locate, NULL, 0, 0, &location);
    FAILS(ARGUMENT, "location is NULL", gpc_hierarchy_locate, r.h, 0, 0, NULL);
    FAILS(ARGUMENT, "sm 2", gpc_hierarchy_locate, r.h, 2, 0, &location);
    WORKS(gpc_hierarchy_locate, r.h, 1, 0, &location);
    location.struct_size = 0;
    FAILS(ABI, "gpc_location", gpc_hierarchy_locate, r.h, 1, 0, &location);
    FAILS(ARGUMENT, "hierarchy is NULL", gpc_hierarchy_get_shape, NULL, &shape);
    FAILS(ARGUMENT, "shape is NULL", gpc_hierarchy_get_shape, r.h, NULL);
    WORKS(gpc_hierarchy_get_shape, r.h, &shape);
    shape.struct_size = 0;
    FAILS(ABI, "gpc_shape", gpc_hierarchy_get_shape, r.h, &shape);
    FAILS(ARGUMENT, "hierarchy is NULL", gpc_hierarchy_object_name, NULL, GPC_OBJECT_SM, 0, name, sizeof name);
    FAILS(ARGUMENT, "name is NULL", gpc_hierarchy_object_name, r.h, GPC_OBJECT_SM, 0, NULL, sizeof name);
    FAILS(ARGUMENT, "size is 0", gpc_hierarchy_object_name, r.h, GPC_OBJECT_SM, 0, name, 0);
    FAILS(RANGE, "index is 2", gpc_hierarchy_object_name, r.h, GPC_OBJECT_SM, 2, name, sizeof name);
    FAILS(RANGE, "size is 4", gpc_hierarchy_object_name, r.h, GPC_OBJECT_SM, 0, name, 4);
    WORKS(gpc_hierarchy_object_name, r.h, GPC_OBJECT_SM, 0, name, 5);
    FAILS(ARGUMENT, "hierarchy is NULL", gpc_hierarchy_read, NULL, GPC_OBJECT_WHOLE, 0, &id, 1, &value, 1);
    FAILS(RANGE, "index 2", gpc_hierarchy_read, r.h, GPC_OBJECT_SM, 2, &id, 1, &value, 1);
    READS(gpc_hierarchy_read, id, r.h, GPC_OBJECT_SM, 1);
    rig_close(&r);
}

Test(hierarchy, lines) {
    rig r = rig_open(SMALL "l2.persisting = 0B\n"), busy = rig_open(CLOCK),
        tree = rig_open(SMALL "coherence = nmoesi\n");
    gpc_access_window window = GPC_ACCESS_WINDOW_INIT;
    gpc_location location = GPC_LOCATION_INIT;
    const gpc_warp_access access = load();
    cr_assert_eq(gpc_hierarchy_try_issue(busy.h, &access, 0, NULL, NULL), GPC_OK);
    FAILS(ARGUMENT, "hierarchy is NULL", gpc_hierarchy_flush, NULL);
    FAILS(STATE, "in flight", gpc_hierarchy_flush, busy.h);
    WORKS(gpc_hierarchy_flush, r.h);
    FAILS(STATE, "in flight", gpc_hierarchy_begin_kernel, busy.h, NULL);
    FAILS(ARGUMENT, "hierarchy is NULL", gpc_hierarchy_preload, NULL, 1, 0, 0, 128);
    FAILS(ARGUMENT, "level", gpc_hierarchy_preload, r.h, 3, 0, 0, 128);
    FAILS(STATE, "in flight", gpc_hierarchy_preload, busy.h, 1, 0, 0, 128);
    FAILS(UNSUPPORTED, "tree", gpc_hierarchy_preload, tree.h, 1, 0, 0, 128);
    WORKS(gpc_hierarchy_preload, r.h, 1, 0, 0, 128);
    FAILS(ARGUMENT, "hierarchy is NULL", gpc_hierarchy_set_window, NULL, NULL);
    WORKS(gpc_hierarchy_set_window, r.h, NULL);
    window.bytes = 128;
    FAILS(UNSUPPORTED, "l2.persisting", gpc_hierarchy_set_window, r.h, &window);
    window.hit_ratio = 101;
    FAILS(ARGUMENT, "hit_ratio", gpc_hierarchy_set_window, r.h, &window);
    FAILS(ARGUMENT, "hierarchy is NULL", gpc_hierarchy_reset_persisting, NULL);
    FAILS(UNSUPPORTED, "no plain L2", gpc_hierarchy_reset_persisting, tree.h);
    WORKS(gpc_hierarchy_reset_persisting, r.h);
    FAILS(UNSUPPORTED, "tree", gpc_hierarchy_locate, tree.h, 0, 0, &location);
    rig_close(&r);
    rig_close(&busy);
    rig_close(&tree);
}

Test(hierarchy, fences) {
    rig r = rig_open(SMALL), timed = rig_open(CLOCK);
    gpc_fence fence = GPC_FENCE_INIT;
    fence.order = GPC_ORDER_ACQ_REL;
    fence.scope = GPC_SCOPE_GPU;
    FAILS(ARGUMENT, "hierarchy is NULL", gpc_hierarchy_fence, NULL, &fence);
    FAILS(ARGUMENT, "fence is NULL", gpc_hierarchy_fence, r.h, NULL);
    FAILS(STATE, "gpc_hierarchy_try_fence", gpc_hierarchy_fence, timed.h, &fence);
    WORKS(gpc_hierarchy_fence, r.h, &fence);
    fence.sm = 2;
    FAILS(ARGUMENT, "gpc_fence: sm", gpc_hierarchy_fence, r.h, &fence);
    rig_close(&r);
    rig_close(&timed);
}

Test(hierarchy, accesses) {
    rig r = rig_open(SMALL), timed = rig_open(CLOCK);
    const gpc_warp_access good = load();
    gpc_warp_access sm = good, process = good, abi = good;
    gpc_warp_result result = GPC_WARP_RESULT_INIT;
    gpc_access_batch batch = GPC_ACCESS_BATCH_INIT;
    sm.sm = 2;
    process.process = GPC_PROCESSES;
    abi.struct_size = 1;
    FAILS(ARGUMENT, "hierarchy is NULL", gpc_hierarchy_access, NULL, &good, &result);
    FAILS(ARGUMENT, "access is NULL", gpc_hierarchy_access, r.h, NULL, &result);
    FAILS(ABI, "gpc_warp_access", gpc_hierarchy_access, r.h, &abi, &result);
    FAILS(ARGUMENT, "gpc_warp_access: sm is not below sm.count", gpc_hierarchy_access, r.h, &sm, &result);
    FAILS(ARGUMENT, "gpc_warp_access: process", gpc_hierarchy_access, r.h, &process, &result);
    FAILS(STATE, "gpc_hierarchy_try_issue", gpc_hierarchy_access, timed.h, &good, &result);
    WORKS(gpc_hierarchy_access, r.h, &good, &result);
    const uint32_t id = GPC_ID_l1_load_sectors;
    uint64_t before = 0, after = 0;
    WORKS(gpc_hierarchy_read, r.h, GPC_OBJECT_WHOLE, 0, &id, 1, &before, 1);
    result.struct_size = 0;
    FAILS(ABI, "gpc_warp_result", gpc_hierarchy_access, r.h, &good, &result);
    WORKS(gpc_hierarchy_read, r.h, GPC_OBJECT_WHOLE, 0, &id, 1, &after, 1);
    cr_expect(after == before && before > 0, "a refused access is not done");
    batch.count = 1;
    batch.lanes = 1;
    FAILS(ARGUMENT, "hierarchy is NULL", gpc_hierarchy_access_many, NULL, &batch, NULL);
    FAILS(ARGUMENT, "batch is NULL", gpc_hierarchy_access_many, r.h, NULL, NULL);
    FAILS(ARGUMENT, "gpc_access_batch.addresses is NULL", gpc_hierarchy_access_many, r.h, &batch, NULL);
    batch.addresses = first_line;
    WORKS(gpc_hierarchy_access_many, r.h, &batch, NULL);
    FAILS(STATE, "gpc_hierarchy_try_issue", gpc_hierarchy_access_many, timed.h, &batch, NULL);
    batch.masks = (const uint64_t[]){2};
    FAILS(ARGUMENT, "gpc_access_batch.masks[0]", gpc_hierarchy_access_many, r.h, &batch, NULL);
    batch.masks = NULL;
    batch.sms = (const uint32_t[]){2};
    FAILS(ARGUMENT, "gpc_warp_access: sm", gpc_hierarchy_access_many, r.h, &batch, NULL);
    batch.lanes = 65;
    FAILS(ARGUMENT, "gpc_access_batch.lanes: 65", gpc_hierarchy_access_many, r.h, &batch, NULL);
    batch.struct_size = 1;
    FAILS(ABI, "gpc_access_batch", gpc_hierarchy_access_many, r.h, &batch, NULL);
    rig_close(&r);
    rig_close(&timed);
}

static uint32_t impossible(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)self, (void)set, (void)candidates, (void)request;
    return 77;
}

Test(hierarchy, impossible_victims) {
    rig r = rig_open(SMALL "l1.write_allocate = none\n"), timed = rig_open(CLOCK);
    const gpc_replacement_ops ops = {
        .struct_size = sizeof ops, .name = "impossible", .summary = "s", .source = "s", .choose_victim = impossible};
    gpc_warp_access access = load();
    cr_assert_eq(gpc_context_register_replacement(r.context, &ops, NULL, NULL, NULL), GPC_OK);
    cr_assert_eq(gpc_context_register_replacement(timed.context, &ops, NULL, NULL, NULL), GPC_OK);
    gpc_cache *l1 = gpc_hierarchy_cache(r.h, 1, 0);
    cr_assert_eq(gpc_cache_set_replacement(l1, "impossible", NULL), GPC_OK);
    cr_assert_eq(gpc_cache_set_replacement(gpc_hierarchy_cache(timed.h, 1, 0), "impossible", NULL), GPC_OK);
    gpc_status status = GPC_OK, later = GPC_OK;
    for (uint64_t line = 0; line < 4096 && status == GPC_OK; line++) {
        const uint64_t address = line * 128;
        access.addresses = &address;
        status = gpc_hierarchy_access(r.h, &access, NULL, NULL);
    }
    const uint64_t far = 4096 * 128;
    access.addresses = &far;
    FAILS(CALLBACK, "gpc_hierarchy_access: a policy chose an impossible victim: l1 0: 'impossible' chose way",
          gpc_hierarchy_access, r.h, &access, NULL);
    for (uint64_t line = 0; line < 4096 && later == GPC_OK; line++) {
        const uint64_t address = line * 128;
        access.addresses = &address;
        cr_assert_geq(gpc_hierarchy_try_issue(timed.h, &access, line, NULL, NULL), 0);
        later = gpc_hierarchy_advance(timed.h, 2000, NULL);
    }
    FAILS(CALLBACK, "gpc_hierarchy_advance: a policy chose an impossible victim: l1 0: 'impossible' chose way",
          gpc_hierarchy_advance, timed.h, 1);
    rig_close(&r);
    rig_close(&timed);
}

Test(hierarchy, offers) {
    rig r = rig_open(SMALL), timed = rig_open(CLOCK), tree = rig_open(CLOCK "coherence = nmoesi\n"),
        values = rig_open(
            CLOCK "coherence = viper\ncoherence.data = true\nl1.write_policy = through\n"
                  "l1.write_policy_local = through\nl1.write_allocate = none\nl1.write_allocate_local = none\n");
    const gpc_warp_access good = load();
    gpc_warp_access width = good, abi = good;
    gpc_fence fence = GPC_FENCE_INIT, scope;
    const gpc_request line = {.address = 0}, far = {.sm = 2}, of_process = {.process = GPC_PROCESSES};
    const gpc_request two[2] = {{.address = 0}, {.address = 128, .warp = 1}};
    width.width = 0;
    abi.struct_size = 1;
    fence.order = GPC_ORDER_RELEASE;
    fence.scope = GPC_SCOPE_GPU;
    scope = fence;
    scope.scope = GPC_SCOPE_COUNT;
    FAILS(ARGUMENT, "hierarchy is NULL", gpc_hierarchy_try_issue, NULL, &good, 0, NULL);
    FAILS(ARGUMENT, "access is NULL", gpc_hierarchy_try_issue, timed.h, NULL, 0, NULL);
    FAILS(ABI, "gpc_warp_access", gpc_hierarchy_try_issue, timed.h, &abi, 0, NULL);
    FAILS(ARGUMENT, "gpc_warp_access: width", gpc_hierarchy_try_issue, timed.h, &width, 0, NULL);
    FAILS(STATE, "try_issue: the hierarchy is functional", gpc_hierarchy_try_issue, r.h, &good, 0, NULL);
    WORKS(gpc_hierarchy_try_issue, timed.h, &good, 0, NULL);
    FAILS(ARGUMENT, "hierarchy is NULL", gpc_hierarchy_try_fence, NULL, &fence, 0, NULL);
    FAILS(ARGUMENT, "fence is NULL", gpc_hierarchy_try_fence, timed.h, NULL, 0, NULL);
    FAILS(ARGUMENT, "gpc_fence: scope", gpc_hierarchy_try_fence, timed.h, &scope, 0, NULL);
    FAILS(STATE, "try_fence: the hierarchy is functional", gpc_hierarchy_try_fence, r.h, &fence, 0, NULL);
    WORKS(gpc_hierarchy_try_fence, timed.h, &fence, 0, NULL);
    FAILS(ARGUMENT, "hierarchy is NULL", gpc_hierarchy_try_miss, NULL, &line, 0, NULL);
    FAILS(ARGUMENT, "request is NULL", gpc_hierarchy_try_miss, timed.h, NULL, 0, NULL);
    FAILS(ARGUMENT, "gpc_request: sm", gpc_hierarchy_try_miss, timed.h, &far, 0, NULL);
    FAILS(ARGUMENT, "gpc_request: process", gpc_hierarchy_try_miss, timed.h, &of_process, 0, NULL);
    FAILS(STATE, "try_miss: the hierarchy is functional", gpc_hierarchy_try_miss, r.h, &line, 0, NULL);
    FAILS(UNSUPPORTED, "tree of coherent modules", gpc_hierarchy_try_miss, tree.h, &line, 0, NULL);
    FAILS(UNSUPPORTED, "coherence.data", gpc_hierarchy_try_miss, values.h, &line, 0, NULL);
    WORKS(gpc_hierarchy_try_miss, timed.h, &line, 0, NULL);
    FAILS(ARGUMENT, "hierarchy is NULL", gpc_hierarchy_try_transactions, NULL, &line, 1, 0, NULL);
    FAILS(ARGUMENT, "requests is NULL", gpc_hierarchy_try_transactions, timed.h, NULL, 1, 0, NULL);
    FAILS(ARGUMENT, "count is not 1", gpc_hierarchy_try_transactions, timed.h, &line, 0, 0, NULL);
    FAILS(ARGUMENT, "gpc_request 1: ", gpc_hierarchy_try_transactions, timed.h, two, 2, 0, NULL);
    FAILS(ARGUMENT, "sm is not below", gpc_hierarchy_try_transactions, timed.h, &far, 1, 0, NULL);
    FAILS(ARGUMENT, "gpc_request: process", gpc_hierarchy_try_transactions, timed.h, &of_process, 1, 0, NULL);
    FAILS(STATE, "transactions: the hierarchy is functional", gpc_hierarchy_try_transactions, r.h, &line, 1, 0, NULL);
    FAILS(UNSUPPORTED, "tree of coherent modules", gpc_hierarchy_try_transactions, tree.h, &line, 1, 0, NULL);
    FAILS(UNSUPPORTED, "coherence.data", gpc_hierarchy_try_transactions, values.h, &line, 1, 0, NULL);
    WORKS(gpc_hierarchy_try_transactions, timed.h, &line, 1, 0, NULL);
    FAILS(ARGUMENT, "hierarchy is NULL", gpc_hierarchy_advance, NULL, 1);
    FAILS(STATE, "advance: the hierarchy is functional", gpc_hierarchy_advance, r.h, 1);
    WORKS(gpc_hierarchy_advance, timed.h, 1);
    FAILS(ARGUMENT, "cycles go beyond", gpc_hierarchy_advance, timed.h, UINT64_MAX);
    rig_close(&r);
    rig_close(&timed);
    rig_close(&tree);
    rig_close(&values);
}

/* A refusal for now is no failure: the error is not written. */
Test(hierarchy, refusals) {
    rig timed = rig_open(CLOCK);
    const gpc_warp_access good = load();
    const gpc_request line = {.address = 0};
    const gpc_fence fence = {sizeof fence, .order = GPC_ORDER_RELEASE, .scope = GPC_SCOPE_GPU};
    while (gpc_hierarchy_try_issue(timed.h, &good, 0, NULL, NULL) == GPC_OK)
        ;
    while (gpc_hierarchy_try_miss(timed.h, &line, 0, NULL, NULL) == GPC_OK)
        ;
#define BUSY(function, ...)                \
    WORKS(function, timed.h, __VA_ARGS__); \
    cr_expect_eq(function(timed.h, __VA_ARGS__, NULL), GPC_BUSY, #function)
    BUSY(gpc_hierarchy_try_issue, &good, 0, NULL);
    BUSY(gpc_hierarchy_try_fence, &fence, 0, NULL);
    BUSY(gpc_hierarchy_try_transactions, &line, 1, 0, NULL);
    BUSY(gpc_hierarchy_try_miss, &line, 0, NULL);
    rig_close(&timed);
}

static void ignore_row(void *user_data, const gpc_stage_row *row) {
    (void)user_data, (void)row;
}

static bool ignore_event(void *user_data, const gpc_event *event) {
    (void)user_data, (void)event;
    return true;
}

Test(hierarchy, observation) {
    rig r = rig_open(SMALL), timed = rig_open(CLOCK "stats.stages = true\n");
    gpc_event_options options = GPC_EVENT_OPTIONS_INIT;
    options.on_event = ignore_event;
    FAILS(ARGUMENT, "hierarchy is NULL", gpc_hierarchy_stages, NULL, ignore_row, NULL);
    FAILS(ARGUMENT, "on_row is NULL", gpc_hierarchy_stages, timed.h, NULL, NULL);
    FAILS(STATE, "stats.stages", gpc_hierarchy_stages, r.h, ignore_row, NULL);
    WORKS(gpc_hierarchy_stages, timed.h, ignore_row, NULL);
    FAILS(ARGUMENT, "hierarchy is NULL", gpc_hierarchy_set_trace, NULL, &options);
    WORKS(gpc_hierarchy_set_trace, r.h, &options);
    options.first_sm = 5;
    options.last_sm = 4;
    FAILS(ARGUMENT, "first_sm", gpc_hierarchy_set_trace, r.h, &options);
    rig_close(&r);
    rig_close(&timed);
}

Test(hierarchy, ports) {
    rig r = rig_open(CLOCK "ports = 1\n");
    gpc_port_request request = GPC_PORT_REQUEST_INIT;
    gpc_port_stats stats = GPC_PORT_STATS_INIT;
    request.bytes = 32;
    FAILS(ARGUMENT, "hierarchy is NULL", gpc_hierarchy_try_port, NULL, &request, 0);
    FAILS(ARGUMENT, "request is NULL", gpc_hierarchy_try_port, r.h, NULL, 0);
    WORKS(gpc_hierarchy_try_port, r.h, &request, 0);
    request.port = 1;
    FAILS(ARGUMENT, "port is 1", gpc_hierarchy_try_port, r.h, &request, 0);
    FAILS(ARGUMENT, "hierarchy is NULL", gpc_hierarchy_port_stats, NULL, 0, &stats);
    FAILS(ARGUMENT, "out is NULL", gpc_hierarchy_port_stats, r.h, 0, NULL);
    FAILS(RANGE, "port is 1", gpc_hierarchy_port_stats, r.h, 1, &stats);
    WORKS(gpc_hierarchy_port_stats, r.h, 0, &stats);
    stats.struct_size = 0;
    FAILS(ABI, "gpc_port_stats", gpc_hierarchy_port_stats, r.h, 0, &stats);
    rig_close(&r);
}

Test(hierarchy, reply_credits) {
    rig r = rig_open(SMALL), timed = rig_open(CLOCK);
    FAILS(ARGUMENT, "hierarchy is NULL", gpc_hierarchy_set_reply_credits, NULL, 0, 1);
    FAILS(ARGUMENT, "sm 2", gpc_hierarchy_set_reply_credits, timed.h, 2, 1);
    FAILS(STATE, "set_reply_credits: the hierarchy is functional", gpc_hierarchy_set_reply_credits, r.h, 0, 1);
    FAILS(ARGUMENT, "hierarchy is NULL", gpc_hierarchy_add_reply_credits, NULL, 0, 1);
    FAILS(ARGUMENT, "sm 2", gpc_hierarchy_add_reply_credits, timed.h, 2, 1);
    FAILS(STATE, "add_reply_credits: the hierarchy is functional", gpc_hierarchy_add_reply_credits, r.h, 0, 1);
    FAILS(STATE, "sm 0 has no limit", gpc_hierarchy_add_reply_credits, timed.h, 0, 1);
    WORKS(gpc_hierarchy_set_reply_credits, timed.h, 0, 1);
    FAILS(RANGE, "credits", gpc_hierarchy_add_reply_credits, timed.h, 0, UINT64_MAX);
    WORKS(gpc_hierarchy_add_reply_credits, timed.h, 0, 1);
    rig_close(&r);
    rig_close(&timed);
}

static gpc_hierarchy *calling;
static uint64_t read_id;
static unsigned completions;

/* Callback of `calling`: calls that a callback may not make. */
static void on_complete(void *user_data, const gpc_completion *completion) {
    (void)user_data, (void)completion;
    completions++;
    const gpc_port_request request = GPC_PORT_REQUEST_INIT;
    const gpc_kernel_options kernel_options = GPC_KERNEL_OPTIONS_INIT;
    gpc_hierarchy *copy;
    uint32_t kernel;
#define REFUSED(function, ...) FAILS(STATE, "called from within a callback", function, __VA_ARGS__)
    const gpc_warp_access access = load();
    const gpc_fence fence = GPC_FENCE_INIT;
    const gpc_request line = {.address = 0};
    REFUSED(gpc_hierarchy_try_issue, calling, &access, 0, NULL);
    REFUSED(gpc_hierarchy_try_fence, calling, &fence, 0, NULL);
    REFUSED(gpc_hierarchy_try_miss, calling, &line, 0, NULL);
    REFUSED(gpc_hierarchy_try_transactions, calling, &line, 1, 0, NULL);
    REFUSED(gpc_hierarchy_advance, calling, 1);
    REFUSED(gpc_hierarchy_set_callbacks, calling, NULL);
    REFUSED(gpc_hierarchy_memory_reply, calling, 1);
    REFUSED(gpc_hierarchy_memory_ready, calling, 0);
    REFUSED(gpc_hierarchy_flush, calling);
    REFUSED(gpc_hierarchy_set_reply_credits, calling, 0, 1);
    REFUSED(gpc_hierarchy_add_reply_credits, calling, 0, 1);
    REFUSED(gpc_hierarchy_begin_kernel, calling, NULL);
    REFUSED(gpc_hierarchy_start_kernel, calling, &kernel_options, &kernel);
    REFUSED(gpc_hierarchy_end_kernel, calling, 1);
    REFUSED(gpc_hierarchy_drain, calling);
    REFUSED(gpc_hierarchy_copy, calling, &copy);
    REFUSED(gpc_hierarchy_set_trace, calling, NULL);
    REFUSED(gpc_hierarchy_preload, calling, 1, 0, 0, 128);
    REFUSED(gpc_hierarchy_try_port, calling, &request, 0);
}

static bool on_memory(void *user_data, const gpc_memory_request *request) {
    (void)user_data;
    if (!request->write)
        read_id = request->id;
    return true;
}

Test(hierarchy, memory_of_a_host) {
    rig r = rig_open(SMALL), timed = rig_open(CLOCK);
    gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
    const gpc_warp_access access = load();
    calling = timed.h;
    callbacks.on_complete = on_complete;
    callbacks.on_memory = on_memory;
    FAILS(ARGUMENT, "hierarchy is NULL", gpc_hierarchy_set_callbacks, NULL, &callbacks);
    FAILS(STATE, "functional", gpc_hierarchy_set_callbacks, r.h, &callbacks);
    FAILS(ARGUMENT, "hierarchy is NULL", gpc_hierarchy_memory_reply, NULL, 1);
    FAILS(STATE, "functional", gpc_hierarchy_memory_reply, r.h, 1);
    FAILS(STATE, "on_memory is not set", gpc_hierarchy_memory_reply, timed.h, 1);
    FAILS(ARGUMENT, "hierarchy is NULL", gpc_hierarchy_memory_ready, NULL, 0);
    FAILS(STATE, "functional", gpc_hierarchy_memory_ready, r.h, 0);
    FAILS(ARGUMENT, "channel is 99", gpc_hierarchy_memory_ready, timed.h, 99);
    FAILS(STATE, "on_memory is not set", gpc_hierarchy_memory_ready, timed.h, 0);
    WORKS(gpc_hierarchy_set_callbacks, timed.h, &callbacks);
    WORKS(gpc_hierarchy_memory_ready, timed.h, 0);
    cr_assert_eq(gpc_hierarchy_try_issue(timed.h, &access, 0, NULL, NULL), GPC_OK);
    while (!read_id)
        cr_assert_eq(gpc_hierarchy_advance(timed.h, 1, NULL), GPC_OK);
    FAILS(ARGUMENT, "id 12345", gpc_hierarchy_memory_reply, timed.h, 12345);
    FAILS(STATE, "gpc_hierarchy_callbacks.on_memory", gpc_hierarchy_set_callbacks, timed.h, NULL);
    FAILS(STATE, "nothing moves", gpc_hierarchy_drain, timed.h);
    gpc_error error = error_unwritten();
    const gpc_status status = gpc_hierarchy_memory_reply(timed.h, read_id, &error);
    expect_no_error("gpc_hierarchy_memory_reply", status, GPC_OK, &error);
    WORKS(gpc_hierarchy_drain, timed.h);
    cr_expect_eq(completions, 1);
    FAILS(ARGUMENT, "hierarchy is NULL", gpc_hierarchy_drain, NULL);
    FAILS(STATE, "functional", gpc_hierarchy_drain, r.h);
    callbacks.struct_size = 1;
    FAILS(ABI, "gpc_hierarchy_callbacks", gpc_hierarchy_set_callbacks, timed.h, &callbacks);
    rig_close(&r);
    rig_close(&timed);
}
