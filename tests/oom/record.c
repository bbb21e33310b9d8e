/* SPDX-License-Identifier: BSD-2-Clause */
#include "oom/heap.h"

#include <criterion/criterion.h>
#include <unistd.h>

/* Recordings that run out of memory end; the hierarchies continue. */

#define FILE_NAME "/tmp/gpucache-oom-record.gct"

static gpc_status load(gpc_hierarchy *hierarchy, uint32_t n) {
    const uint64_t addresses[] = {n * 40, n * n * 8};
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    access.sm = n % 2;
    access.block = n % 4;
    access.warp = n % 8;
    access.mask = 3;
    access.addresses = addresses;
    access.width = 1u << n % 4;
    return gpc_hierarchy_access(hierarchy, &access, NULL, NULL);
}

static gpc_status drive(gpc_hierarchy *hierarchy, gpc_error *error) {
    gpc_status status = gpc_hierarchy_record(hierarchy, FILE_NAME, error);
    if (status < 0)
        return status;
    for (uint32_t n = 0; n < 200; n++) {
        if (n == 90)
            cr_assert_eq(gpc_hierarchy_begin_kernel(hierarchy, NULL, error), GPC_OK);
        cr_assert_eq(load(hierarchy, n), GPC_OK, "an access failed with the recording");
    }
    return gpc_hierarchy_record_end(hierarchy, error);
}

static gpc_status record(gpc_context *context, oom_heap *heap, gpc_error *error) {
    gpc_config *config = NULL;
    gpc_hierarchy *hierarchy = NULL;
    gpc_status status = gpc_config_create(context, &config, error);
    if (status == GPC_OK)
        status = gpc_config_load_text(config, "sm.count = 2\n", "settings", error);
    if (status == GPC_OK)
        status = gpc_hierarchy_create(context, config, &hierarchy, error);
    if (status == GPC_OK && (status = drive(hierarchy, error)) < 0) {
        oom_heal(heap);
        cr_assert_not(gpc_hierarchy_is_recording(hierarchy));
        cr_assert_eq(load(hierarchy, 1), GPC_OK);
        cr_assert_neq(access(FILE_NAME, F_OK), 0, "a file was left");
    }
    gpc_hierarchy_destroy(hierarchy);
    gpc_config_destroy(config);
    unlink(FILE_NAME);
    return status;
}

Test(oom, record) {
    oom_check(record, 30);
}
