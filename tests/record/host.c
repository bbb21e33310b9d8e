/* SPDX-License-Identifier: BSD-2-Clause */
#define _XOPEN_SOURCE 700
#include "record/host.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char base[] =
    "sm.count = 4\nsm.lanes = 32\nsm.shared = 32KiB\n"
    "l1.size = 40KiB\nl1.unified = true\nl1.carveouts = 0 8K 16K 32K\nl1.ways = 4\nl1.line = 128B\n"
    "l1.sectors = 4\nl1.track_warps = true\nl1.track_reuse = true\n"
    "l2.size = 64KiB\nl2.slices = 2\nl2.ways = 4\nl2.line = 128B\nl2.sectors = 4\n"
    "launch.sectors = 3\nlaunch.code = true\n";

static void log_to(void *user_data, gpc_log_level level, const char *message) {
    host *h = user_data;
    if (level >= GPC_LOG_WARNING)
        snprintf(h->log, sizeof h->log, "%s", message);
}

static void *take(host *h, void *old, size_t bytes) {
    return h->fails_at && !--h->fails_at ? NULL : realloc(old, bytes);
}

static void *allocate(void *user_data, size_t bytes) {
    void *memory = take(user_data, NULL, bytes);
    return memory ? memset(memory, 0, bytes) : NULL;
}

static void *resize(void *user_data, void *memory, size_t bytes) {
    return take(user_data, memory, bytes);
}

static void release(void *user_data, void *memory) {
    (void)user_data;
    free(memory);
}

void host_open(host *h, const char *settings) {
    *h = (host){.error = GPC_ERROR_INIT};
    gpc_context_options options = GPC_CONTEXT_OPTIONS_INIT;
    options.log = log_to;
    options.log_data = options.allocator_data = h;
    options.allocate = allocate;
    options.resize = resize;
    options.release = release;
    strcpy(h->folder, "/tmp/gpucache-record-XXXXXX");
    cr_assert_not_null(mkdtemp(h->folder));
    snprintf(h->path, sizeof h->path, "%s/run.gct", h->folder);
    cr_assert_eq(gpc_context_create(&options, &h->context, &h->error), GPC_OK, "%s", h->error.message);
    cr_assert_eq(gpc_config_create(h->context, &h->config, &h->error), GPC_OK);
    cr_assert_eq(gpc_config_load_text(h->config, base, "base", &h->error), GPC_OK, "%s", h->error.message);
    cr_assert_eq(gpc_config_load_text(h->config, settings, "settings", &h->error), GPC_OK, "%s", h->error.message);
    cr_assert_eq(gpc_hierarchy_create(h->context, h->config, &h->hierarchy, &h->error), GPC_OK, "%s", h->error.message);
}

void host_close(host *h) {
    gpc_hierarchy_destroy(h->hierarchy);
    gpc_config_destroy(h->config);
    gpc_context_destroy(h->context);
    unlink(h->path);
    cr_expect_eq(rmdir(h->folder), 0, "something is left in %s", h->folder);
}

static bool has_clock(const host *h) {
    const char *mode;
    cr_assert_eq(gpc_config_get(h->config, "mode", &mode, NULL), GPC_OK);
    return !strcmp(mode, "timed");
}

/* Offered until accepted. */
static void issue(host *h, const gpc_warp_access *access) {
    if (!has_clock(h)) {
        cr_assert_eq(gpc_hierarchy_access(h->hierarchy, access, NULL, NULL), GPC_OK);
        return;
    }
    gpc_status status;
    while ((status = gpc_hierarchy_try_issue(h->hierarchy, access, 0, NULL, NULL)) == GPC_BUSY)
        cr_assert_eq(gpc_hierarchy_advance(h->hierarchy, 1, NULL), GPC_OK);
    cr_assert_eq(status, GPC_OK, "%s", gpc_status_string(status));
}

void host_load(host *h, uint32_t sm, uint32_t block, uint32_t slot, uint64_t address) {
    uint64_t addresses[32];
    for (uint32_t lane = 0; lane < 32; lane++)
        addresses[lane] = address + 4 * lane;
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    access.sm = sm;
    access.block = block;
    access.warp = slot;
    access.mask = UINT32_MAX;
    access.addresses = addresses;
    access.width = 4;
    issue(h, &access);
}

static uint64_t next(uint64_t *state, uint64_t below) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 33) % below;
}

/* One access of any kind; blocks 3n to 3n + 2 live on SM n, each with four slots. */
static void random_access(host *h, uint64_t *state, unsigned what) {
    static const uint32_t widths[] = {4, 8, 1, 12, 16};
    uint64_t addresses[32], base_address = next(state, 600) * 96;
    for (uint32_t lane = 0; lane < 32; lane++)
        addresses[lane] = base_address + lane * (1 + next(state, 2) * 7) * 4;
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    access.sm = (uint32_t)next(state, 4);
    access.block = access.sm * 3 + (uint32_t)next(state, 3);
    access.warp = (access.block % 3) * 4 + (uint32_t)next(state, 4);
    access.warp_age = (uint32_t)next(state, 12);
    access.pc = next(state, 20) * 16;
    access.mask = next(state, 10) ? next(state, UINT32_MAX) : 0;
    access.addresses = addresses;
    access.width = widths[next(state, 5)];
    access.kind = (uint8_t)(next(state, 2) ? GPC_LOAD : next(state, GPC_KIND_COUNT));
    access.space = (uint8_t)(next(state, 8) ? GPC_SPACE_GLOBAL : next(state, GPC_SPACE_GENERIC));
    access.local_offsets = access.space == GPC_SPACE_LOCAL && next(state, 2);
    access.hint = (uint8_t)(next(state, 4) ? 0 : next(state, GPC_HINT_COUNT));
    access.priority = (uint8_t)(next(state, 4) ? 0 : next(state, GPC_PRIORITY_COUNT));
    if (what & HOST_TOKENS) {
        access.token = (uint8_t)next(state, GPC_TOKEN_COUNT);
        access.token_l2 = (uint8_t)next(state, GPC_TOKEN_COUNT);
    }
    if (what & HOST_ORDERS && !next(state, 4) && access.kind != GPC_PREFETCH && access.hint != GPC_HINT_CA) {
        access.order = access.kind == GPC_LOAD ? GPC_ORDER_ACQUIRE : GPC_ORDER_RELEASE;
        access.scope = (uint8_t)next(state, GPC_SCOPE_COUNT);
    }
    issue(h, &access);
}

static void random_fence(host *h, uint64_t *state) {
    gpc_fence fence = GPC_FENCE_INIT;
    fence.sm = (uint32_t)next(state, 4);
    fence.warp = (uint32_t)next(state, 12);
    if (next(state, 2)) {
        fence.order = (uint8_t)(GPC_ORDER_ACQUIRE + next(state, 4));
        fence.scope = (uint8_t)next(state, GPC_SCOPE_COUNT);
    } else {
        fence.control = (uint8_t)(GPC_CONTROL_INVALIDATE_ALL + next(state, 2));
    }
    if (!has_clock(h)) {
        cr_assert_eq(gpc_hierarchy_fence(h->hierarchy, &fence, &h->error), GPC_OK, "%s", h->error.message);
        return;
    }
    gpc_status status;
    while ((status = gpc_hierarchy_try_fence(h->hierarchy, &fence, 0, NULL, NULL)) == GPC_BUSY)
        cr_assert_eq(gpc_hierarchy_advance(h->hierarchy, 1, NULL), GPC_OK);
    cr_assert_eq(status, GPC_OK);
}

static void drain(host *h) {
    if (has_clock(h))
        cr_assert_eq(gpc_hierarchy_drain(h->hierarchy, &h->error), GPC_OK, "%s", h->error.message);
}

static void tell(host *h, gpc_warp_event_kind kind, uint64_t *state) {
    const gpc_warp_event event = {
        .kind = kind, .sm = (uint32_t)next(state, 4), .warp = (uint32_t)next(state, 12), .block = 7};
    cr_assert_eq(gpc_hierarchy_warp_event(h->hierarchy, &event, NULL), GPC_OK);
}

static void drive_kernel(host *h, uint64_t *state, unsigned what) {
    for (unsigned n = 0; n < 1500; n++) {
        random_access(h, state, what);
        if (what & HOST_FENCES && n % 97 == 5)
            random_fence(h, state);
        if (what & HOST_EVENTS && n % 50 == 7)
            tell(h, (gpc_warp_event_kind)next(state, GPC_KERNEL_START), state);
        if (has_clock(h) && n % 3 == 0)
            cr_assert_eq(gpc_hierarchy_advance(h->hierarchy, 2, NULL), GPC_OK);
    }
    gpc_hierarchy_count_instructions(h->hierarchy, 700, 9000, 12);
}

/* Before any launch, then a launch without facts, two with and without shared memory, and a flush between. */
void host_drive(host *h, uint64_t seed, unsigned what) {
    uint64_t state = seed;
    gpc_launch launch = GPC_LAUNCH_INIT;
    launch.threads = 128;
    launch.registers = 32;
    launch.code_bytes = 4096;
    for (unsigned kernel = 0; kernel < 4; kernel++) {
        drain(h);
        launch.shared_bytes = kernel == 2 ? 5000 : 0;
        if (kernel == 3)
            cr_assert_eq(gpc_hierarchy_flush(h->hierarchy, NULL), GPC_OK);
        if (kernel)
            cr_assert_eq(gpc_hierarchy_begin_kernel(h->hierarchy, kernel == 1 ? NULL : &launch, &h->error), GPC_OK,
                         "%s", h->error.message);
        drive_kernel(h, &state, what);
    }
    drain(h);
}

measured_stats host_stats(const gpc_hierarchy *hierarchy) {
    measured_stats stats;
    measured_clear(&stats);
    cr_assert_eq(measure_hierarchy(hierarchy, &stats), GPC_OK);
    return stats;
}

void host_expect_same(const measured_stats *expected, const measured_stats *actual) {
    for (size_t n = 0; n < gpc_counter_table_count(GPC_TABLE_HIERARCHY); n++) {
        gpc_counter_info info = GPC_COUNTER_INFO_INIT;
        cr_assert_eq(gpc_counter_table_at(GPC_TABLE_HIERARCHY, n, &info, NULL), GPC_OK);
        if (info.ratio)
            continue;
        const uint64_t *a = (const uint64_t *)((const char *)expected + measured_offset(info.id)),
                       *b = (const uint64_t *)((const char *)actual + measured_offset(info.id));
        cr_expect(!memcmp(a, b, info.buckets * sizeof *a), "%s: %llu, and replayed %llu", info.name,
                  (unsigned long long)*a, (unsigned long long)*b);
    }
}

static gpc_status replay_all(host *h, gpc_replay *replay, measured_stats *stats) {
    gpc_trace *trace;
    gpc_status status = gpc_trace_open(h->context, h->path, &trace, &h->error);
    cr_assert_eq(status, GPC_OK, "%s", h->error.message);
    while ((status = gpc_replay_kernel(replay, trace, NULL, &h->error)) == GPC_OK)
        continue;
    if (stats)
        *stats = host_stats(gpc_replay_hierarchy(replay));
    gpc_trace_close(trace);
    return status == GPC_END ? GPC_OK : status;
}

gpc_status host_replay(host *h, const char *settings, measured_stats *stats) {
    gpc_config *config;
    gpc_replay *replay = NULL;
    cr_assert_eq(gpc_config_copy(h->config, &config, &h->error), GPC_OK);
    cr_assert_eq(gpc_config_load_text(config, settings, "replay", &h->error), GPC_OK, "%s", h->error.message);
    gpc_status status = gpc_replay_create(h->context, config, &replay, &h->error);
    if (status == GPC_OK)
        status = replay_all(h, replay, stats);
    gpc_replay_destroy(replay);
    gpc_config_destroy(config);
    return status;
}

void host_record(host *h) {
    cr_assert_eq(gpc_hierarchy_record(h->hierarchy, h->path, &h->error), GPC_OK, "%s", h->error.message);
    cr_assert(gpc_hierarchy_is_recording(h->hierarchy));
}

void host_end(host *h) {
    cr_assert_eq(gpc_hierarchy_record_end(h->hierarchy, &h->error), GPC_OK, "%s", h->error.message);
    cr_assert(!gpc_hierarchy_is_recording(h->hierarchy));
}
