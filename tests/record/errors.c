/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "record/host.h"

#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

/* The end of a recording leaves the hierarchy unchanged. */

static void expect(const host *h, gpc_status actual, gpc_status expected, const char *part) {
    cr_expect_eq(actual, expected, "%s", gpc_status_string(actual));
    cr_expect(strstr(h->error.message, part), "'%s' says nothing of '%s'", h->error.message, part);
}

/* Statistics equal to those without a recording. */
static void expect_unharmed(const measured_stats *recorded, const char *settings, uint64_t seed, unsigned what) {
    host h;
    host_open(&h, settings);
    host_drive(&h, seed, what);
    const measured_stats plain = host_stats(h.hierarchy);
    host_expect_same(&plain, recorded);
    host_close(&h);
}

Test(record_errors, full_disk) {
    host h;
    host_open(&h, "");
    cr_assert_eq(gpc_hierarchy_record(h.hierarchy, "/dev/full", &h.error), GPC_OK);
    host_drive(&h, 9, HOST_FENCES);
    const measured_stats stats = host_stats(h.hierarchy);
    expect(&h, gpc_hierarchy_record_end(h.hierarchy, &h.error), GPC_ERROR_IO, "/dev/full");
    cr_expect(!gpc_hierarchy_is_recording(h.hierarchy));
    expect_unharmed(&stats, "", 9, HOST_FENCES);
    host_record(&h);
    host_load(&h, 0, 0, 0, 0);
    host_end(&h);
    host_close(&h);
}

/* The file is written while the host continues: errors are reported at once. */
Test(record_errors, full_disk_on_the_way) {
    host h;
    host_open(&h, "");
    cr_assert_eq(gpc_hierarchy_record(h.hierarchy, "/dev/full", &h.error), GPC_OK);
    for (unsigned kernel = 0; kernel < 40 && gpc_hierarchy_is_recording(h.hierarchy); kernel++)
        host_drive(&h, kernel, 0);
    cr_expect(!gpc_hierarchy_is_recording(h.hierarchy));
    cr_expect(strstr(h.log, "/dev/full"), "the log has '%s'", h.log);
    host_load(&h, 0, 0, 0, 0);
    expect(&h, gpc_hierarchy_record_end(h.hierarchy, &h.error), GPC_ERROR_IO, "/dev/full");
    host_close(&h);
}

Test(record_errors, what_is_in_no_trace) {
    host h;
    host_open(&h, "mode = timed\n");
    host_record(&h);
    host_load(&h, 0, 0, 0, 0);
    gpc_request request = {.address = 4096, .kind = GPC_LOAD};
    cr_assert_eq(gpc_hierarchy_try_miss(h.hierarchy, &request, 0, NULL, NULL), GPC_OK);
    cr_expect(!gpc_hierarchy_is_recording(h.hierarchy));
    cr_expect_eq(access(h.path, F_OK), -1);
    expect(&h, gpc_hierarchy_record_end(h.hierarchy, &h.error), GPC_ERROR_UNSUPPORTED, "gpc_hierarchy_try_miss");
    cr_assert_eq(gpc_hierarchy_drain(h.hierarchy, &h.error), GPC_OK);
    host_record(&h);
    cr_assert_eq(gpc_hierarchy_preload(h.hierarchy, 2, 0, 0, 128, &h.error), GPC_OK, "%s", h.error.message);
    expect(&h, gpc_hierarchy_record_end(h.hierarchy, &h.error), GPC_ERROR_UNSUPPORTED, "gpc_hierarchy_preload");
    host_close(&h);
}

/* Waiting for a copy is in no call; a port's request is no instruction. */
Test(record_errors, copies_and_ports) {
    host h;
    host_open(&h, "mode = timed\nports = 1\n");
    uint64_t addresses[32];
    for (uint64_t lane = 0; lane < 32; lane++)
        addresses[lane] = 4096 + 16 * lane;
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    access.mask = UINT32_MAX;
    access.width = 16;
    access.addresses = addresses;
    for (uint8_t copy = GPC_COPY_ASYNC; copy <= GPC_COPY_BULK; copy += GPC_COPY_BULK - GPC_COPY_ASYNC) {
        host_record(&h);
        access.copy = copy;
        cr_assert_eq(gpc_hierarchy_try_issue(h.hierarchy, &access, 0, NULL, NULL), GPC_OK);
        cr_expect(!gpc_hierarchy_is_recording(h.hierarchy));
        expect(&h, gpc_hierarchy_record_end(h.hierarchy, &h.error), GPC_ERROR_UNSUPPORTED, "gpc_warp_access.copy");
        cr_assert_eq(gpc_hierarchy_drain(h.hierarchy, &h.error), GPC_OK);
    }
    host_record(&h);
    gpc_port_request request = GPC_PORT_REQUEST_INIT;
    request.kind = GPC_STORE;
    request.bytes = 4096;
    cr_assert_eq(gpc_hierarchy_try_port(h.hierarchy, &request, 0, &h.error), GPC_OK, "%s", h.error.message);
    expect(&h, gpc_hierarchy_record_end(h.hierarchy, &h.error), GPC_ERROR_UNSUPPORTED, "gpc_hierarchy_try_port");
    host_close(&h);
}

/* After any failed allocation, the recording has ended with the access concerned, and gives the reason. */
Test(record_errors, out_of_memory) {
    size_t failed = 0;
    for (bool recording = false; !recording; failed++) {
        host h;
        host_open(&h, "");
        for (uint32_t block = 0; block < 2; block++)
            host_load(&h, block, block, 0, 0);
        host_record(&h);
        h.fails_at = failed + 1;
        for (uint32_t block = 0; block < 2; block++) {
            host_load(&h, block, block, 0, 0);
            recording = gpc_hierarchy_is_recording(h.hierarchy);
            cr_assert_eq(recording, h.fails_at != 0, "allocation %zu", failed);
        }
        h.fails_at = 0;
        const gpc_status status = gpc_hierarchy_record_end(h.hierarchy, &h.error);
        cr_expect_eq(status, recording ? GPC_OK : GPC_ERROR_MEMORY);
        cr_expect(recording || !strcmp(h.error.message, gpc_status_string(GPC_ERROR_MEMORY)), "'%s'", h.error.message);
        host_close(&h);
    }
    cr_expect_gt(failed, 5, "%zu", failed);
}

Test(record_errors, states) {
    host h;
    host_open(&h, "mode = timed\n");
    expect(&h, gpc_hierarchy_record_end(h.hierarchy, &h.error), GPC_ERROR_STATE, "no recording");
    cr_expect(!gpc_hierarchy_is_recording(NULL));
    expect(&h, gpc_hierarchy_record(NULL, h.path, &h.error), GPC_ERROR_ARGUMENT, "hierarchy");
    expect(&h, gpc_hierarchy_record(h.hierarchy, "", &h.error), GPC_ERROR_ARGUMENT, "path");
    expect(&h, gpc_hierarchy_record(h.hierarchy, "/nowhere/a.gct", &h.error), GPC_ERROR_IO, "/nowhere");
    cr_expect(!gpc_hierarchy_is_recording(h.hierarchy));
    host_load(&h, 0, 0, 0, 0);
    expect(&h, gpc_hierarchy_record(h.hierarchy, h.path, &h.error), GPC_ERROR_STATE, "in flight");
    cr_assert_eq(gpc_hierarchy_drain(h.hierarchy, &h.error), GPC_OK);
    host_record(&h);
    expect(&h, gpc_hierarchy_record(h.hierarchy, h.path, &h.error), GPC_ERROR_STATE, "under way");
    host_end(&h);
    host_close(&h);
    host_open(&h, "sm.lanes = 64\n");
    host_record(&h);
    host_end(&h);
    host_close(&h);
    host_open(&h, "sm.lanes = 16\n");
    expect(&h, gpc_hierarchy_record(h.hierarchy, h.path, &h.error), GPC_ERROR_UNSUPPORTED, "sm.lanes is 16");
    gpc_replay *replay;
    cr_assert_eq(gpc_replay_create(h.context, h.config, &replay, &h.error), GPC_OK);
    expect(&h, gpc_hierarchy_record(gpc_replay_hierarchy(replay), h.path, &h.error), GPC_ERROR_STATE, "replay's");
    gpc_replay_destroy(replay);
    host_close(&h);
}

Test(record_errors, destroyed) {
    host h;
    host_open(&h, "");
    host_record(&h);
    host_load(&h, 0, 0, 0, 0);
    gpc_hierarchy_destroy(h.hierarchy);
    h.hierarchy = NULL;
    cr_expect_eq(access(h.path, F_OK), -1, "a file was left");
    host_close(&h);
}

/* If the order of a file cannot be kept, a replay says so. */
Test(record_errors, replays) {
    host h;
    host_open(&h, "");
    host_record(&h);
    host_load(&h, 3, 0, 0, 0);
    host_end(&h);
    expect(&h, host_replay(&h, "warps.order = recorded\nsm.count = 2\n", NULL), GPC_ERROR_RANGE, "SM 3");
    expect(&h, host_replay(&h, "warps.order = recorded\nmode = timed\n", NULL), GPC_ERROR_RANGE, "mode = functional");
    expect(&h, host_replay(&h, "warps.order = recorded\nthreads = 2\n", NULL), GPC_ERROR_RANGE, "threads = 2");
    gpc_config *config;
    gpc_replay *replay;
    gpc_trace *trace;
    cr_assert_eq(gpc_config_copy(h.config, &config, &h.error), GPC_OK);
    cr_assert_eq(gpc_config_set(config, "warps.order", "recorded", &h.error), GPC_OK);
    cr_assert_eq(gpc_replay_create(h.context, config, &replay, &h.error), GPC_OK);
    cr_assert_eq(gpc_trace_open(h.context, "synthetic:vectoradd:4KiB", &trace, &h.error), GPC_OK);
    expect(&h, gpc_replay_kernel(replay, trace, NULL, &h.error), GPC_ERROR_NOT_FOUND, "no recording");
    gpc_trace_close(trace);
    gpc_replay_destroy(replay);
    gpc_config_destroy(config);
    host_close(&h);
}
