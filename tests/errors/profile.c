/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/ext/observe.h>

#include "errors/errors.h"

#include <criterion/criterion.h>
#include <string.h>

/* gpucache/ext/observe.h (profiles) */

/* A profile in memory, as gpc_profile_save writes. */
typedef struct image {
    uint8_t bytes[1 << 16];
    size_t count, at;
} image;

static gpc_status put(void *user_data, const void *data, size_t bytes) {
    image *to = user_data;
    cr_assert_leq(to->count + bytes, sizeof to->bytes);
    memcpy(to->bytes + to->count, data, bytes);
    to->count += bytes;
    return GPC_OK;
}

static gpc_status take(void *user_data, void *data, size_t bytes, size_t *out_read) {
    image *from = user_data;
    *out_read = bytes < from->count - from->at ? bytes : from->count - from->at;
    memcpy(data, from->bytes + from->at, *out_read);
    from->at += *out_read;
    return GPC_OK;
}

static gpc_status refuse(void *user_data, const void *data, size_t bytes) {
    (void)user_data, (void)data, (void)bytes;
    return GPC_ERROR_IO;
}

typedef struct rig {
    gpc_context *context;
    gpc_profile *profile, *read; /* `read`: from a file, which no access can be added to */
    gpc_trace *trace;
} rig;

static void rig_open(rig *r) {
    static image saved;
    saved = (image){.count = 0};
    const gpc_stream to = GPC_STREAM_WRITE(put, &saved), from = GPC_STREAM_READ(take, &saved);
    r->context = made_context();
    gpc_config *config = made_config(r->context, "");
    cr_assert_eq(gpc_profile_create(r->context, config, &r->profile, NULL), GPC_OK);
    cr_assert_eq(gpc_profile_save(r->profile, &to, NULL, NULL), GPC_OK);
    cr_assert_eq(gpc_profile_load(r->context, &from, &r->read, NULL), GPC_OK);
    cr_assert_eq(gpc_trace_open(r->context, "synthetic:stream:4KiB", &r->trace, NULL), GPC_OK);
    gpc_config_destroy(config);
}

static void rig_close(rig *r) {
    gpc_trace_close(r->trace);
    gpc_profile_destroy(r->read);
    gpc_profile_destroy(r->profile);
    gpc_context_destroy(r->context);
}

Test(profile, creation) {
    gpc_context *context = made_context();
    gpc_config *config = made_config(context, ""), *sampled = made_config(context, "mode = timed\nsample = kernels\n");
    gpc_profile *made = NULL;
    FAILS(ARGUMENT, "context is NULL", gpc_profile_create, NULL, config, &made);
    FAILS(ARGUMENT, "config is NULL", gpc_profile_create, context, NULL, &made);
    FAILS(ARGUMENT, "out is NULL", gpc_profile_create, context, config, NULL);
    FAILS(UNSUPPORTED, "sample = kernels", gpc_profile_create, context, sampled, &made);
    cr_expect_null(made);
    gpc_config_destroy(sampled);
    gpc_config_destroy(config);
    gpc_context_destroy(context);
}

Test(profile, files) {
    rig r;
    rig_open(&r);
    image broken = {.bytes = "no profile", .count = 10};
    const gpc_stream none = GPC_STREAM_INIT, missing = GPC_STREAM_FILE("/nowhere/any.profile");
    const gpc_stream fails = GPC_STREAM_WRITE(refuse, NULL), from = GPC_STREAM_READ(take, &broken);
    gpc_profile_save_options options = GPC_PROFILE_SAVE_OPTIONS_INIT;
    gpc_profile *made = NULL;
    FAILS(ARGUMENT, "profile is NULL", gpc_profile_save, NULL, &fails, NULL);
    FAILS(ARGUMENT, "to is NULL", gpc_profile_save, r.profile, NULL, NULL);
    FAILS(ARGUMENT, "to: gpc_stream", gpc_profile_save, r.profile, &none, NULL);
    FAILS(IO, "/nowhere/any.profile", gpc_profile_save, r.profile, &missing, NULL);
    FAILS(IO, "profile: offset 0", gpc_profile_save, r.profile, &fails, NULL);
    options.format = 99;
    FAILS(ARGUMENT, "gpc_profile_save_options.format", gpc_profile_save, r.profile, &fails, &options);
    options.struct_size = 8;
    FAILS(ABI, "gpc_profile_save_options", gpc_profile_save, r.profile, &fails, &options);
    FAILS(ARGUMENT, "context is NULL", gpc_profile_load, NULL, &from, &made);
    FAILS(ARGUMENT, "out is NULL", gpc_profile_load, r.context, &from, NULL);
    FAILS(ARGUMENT, "from is NULL", gpc_profile_load, r.context, NULL, &made);
    FAILS(ARGUMENT, "from: gpc_stream", gpc_profile_load, r.context, &none, &made);
    FAILS(NOT_FOUND, "/nowhere/any.profile", gpc_profile_load, r.context, &missing, &made);
    FAILS(FORMAT, "profile", gpc_profile_load, r.context, &from, &made);
    cr_expect_null(made);
    rig_close(&r);
}

Test(profile, calls) {
    rig r;
    rig_open(&r);
    const uint32_t id = GPC_ID_l1_load_sectors;
    uint64_t addresses[1] = {0x1000}, value = 7;
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    gpc_launch launch = GPC_LAUNCH_INIT;
    gpc_kernel kernel = GPC_KERNEL_INIT;
    access.addresses = addresses;
    access.mask = 1;
    access.width = 4;
    FAILS(ARGUMENT, "profile is NULL", gpc_profile_kernel, NULL, r.trace, NULL);
    FAILS(STATE, "read from a file", gpc_profile_kernel, r.read, r.trace, NULL);
    FAILS(ARGUMENT, "trace is NULL", gpc_profile_kernel, r.profile, NULL, NULL);
    kernel.struct_size = 0;
    FAILS(ABI, "gpc_kernel", gpc_profile_kernel, r.profile, r.trace, &kernel);
    FAILS(ARGUMENT, "profile is NULL", gpc_profile_run, NULL, r.trace);
    FAILS(STATE, "read from a file", gpc_profile_run, r.read, r.trace);
    FAILS(ARGUMENT, "trace is NULL", gpc_profile_run, r.profile, NULL);
    FAILS(ARGUMENT, "profile is NULL", gpc_profile_read_kernel, NULL, &id, 1, &value, 1);
    FAILS(STATE, "read from a file", gpc_profile_read_kernel, r.read, &id, 1, &value, 1);
    FAILS(STATE, "gpc_profile_read_kernel: no kernel was run", gpc_profile_read_kernel, r.profile, &id, 1, &value, 1);
    cr_expect_eq(value, 7u);
    WORKS(gpc_profile_run, r.profile, r.trace);
    READS(gpc_profile_read_kernel, id, r.profile);
    FAILS(ARGUMENT, "profile is NULL", gpc_profile_begin_kernel, NULL, "k", &launch);
    FAILS(STATE, "read from a file", gpc_profile_begin_kernel, r.read, "k", &launch);
    WORKS(gpc_profile_begin_kernel, r.profile, "k", &launch);
    launch.struct_size = 8;
    FAILS(ABI, "gpc_launch", gpc_profile_begin_kernel, r.profile, "k", &launch);
    FAILS(ARGUMENT, "profile is NULL", gpc_profile_access, NULL, &access, NULL);
    FAILS(STATE, "read from a file", gpc_profile_access, r.read, &access, NULL);
    FAILS(ARGUMENT, "access is NULL", gpc_profile_access, r.profile, NULL, NULL);
    WORKS(gpc_profile_access, r.profile, &access, NULL);
    access.sm = 99;
    FAILS(ARGUMENT, "gpc_warp_access: sm is not below", gpc_profile_access, r.profile, &access, NULL);
    FAILS(ARGUMENT, "profile is NULL", gpc_profile_reset, NULL);
    FAILS(STATE, "read from a file", gpc_profile_reset, r.read);
    WORKS(gpc_profile_reset, r.profile);
    rig_close(&r);
}

/* Rows of a query of rows of `type`. */
#define ROWS(function, type)                                                                \
    do {                                                                                    \
        const type *rows = NULL;                                                            \
        FAILS(ARGUMENT, "profile is NULL", function, NULL, &rows, &count);                  \
        FAILS(ARGUMENT, #function ": out_rows is NULL", function, r.profile, NULL, &count); \
        FAILS(ARGUMENT, #function ": out_count is NULL", function, r.profile, &rows, NULL); \
        cr_expect(!rows && count == 7);                                                     \
        WORKS(function, r.profile, &rows, &count);                                          \
        count = 7;                                                                          \
    } while (0)

Test(profile, queries) {
    rig r;
    rig_open(&r);
    gpc_profile_summary summary = GPC_PROFILE_SUMMARY_INIT;
    gpc_profile_point point = {.bytes = 1024, .hits = 7};
    double values[GPC_PROFILE_CLASSES] = {7};
    uint32_t classes = 7;
    size_t count = 7;
    ROWS(gpc_profile_sms, gpc_profile_sm);
    ROWS(gpc_profile_instructions, gpc_profile_instruction);
    ROWS(gpc_profile_classes, gpc_profile_class);
    ROWS(gpc_profile_lines, gpc_profile_line);
    FAILS(ARGUMENT, "profile is NULL", gpc_profile_get_summary, NULL, &summary);
    FAILS(ARGUMENT, "summary is NULL", gpc_profile_get_summary, r.profile, NULL);
    WORKS(gpc_profile_get_summary, r.profile, &summary);
    summary.struct_size = 0;
    FAILS(ABI, "gpc_profile_summary", gpc_profile_get_summary, r.profile, &summary);
    FAILS(ARGUMENT, "profile is NULL", gpc_profile_curve, NULL, 0, &point, 1);
    FAILS(ARGUMENT, "points is NULL", gpc_profile_curve, r.profile, 0, NULL, 1);
    FAILS(RANGE, "SM 99 of", gpc_profile_curve, r.profile, 99, &point, 1);
    cr_expect_eq(point.hits, 7u);
    WORKS(gpc_profile_curve, r.profile, 0, &point, 1);
    FAILS(ARGUMENT, "profile is NULL", gpc_profile_thresholds, NULL, values, GPC_PROFILE_CLASSES, &count);
    FAILS(ARGUMENT, "values is NULL", gpc_profile_thresholds, r.profile, NULL, 1, &count);
    cr_expect(count == 7 && values[0] == 7);
    FAILS(RANGE, "capacity is 0", gpc_profile_thresholds, r.profile, values, 0, &count);
    WORKS(gpc_profile_thresholds, r.profile, values, GPC_PROFILE_CLASSES, &count);
    FAILS(ARGUMENT, "profile is NULL", gpc_profile_classes_above, NULL, 1, &classes);
    FAILS(ARGUMENT, "out_classes is NULL", gpc_profile_classes_above, r.profile, 1, NULL);
    cr_expect_eq(classes, 7u);
    WORKS(gpc_profile_classes_above, r.profile, 1, &classes);
    rig_close(&r);
}
