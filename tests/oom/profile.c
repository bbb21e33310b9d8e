/* SPDX-License-Identifier: BSD-2-Clause */
/* Profiles, profile files, and predictors that read profiles. */
#define _XOPEN_SOURCE 700
#include "oom/heap.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/gpucache-oom-XXXXXX", path[64], spec[3][128];

static void open_folder(void) {
    static const char *const names[] = {"profile-address", "hybrid", "compiler"};
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/p", folder);
    for (unsigned i = 0; i < 3; i++)
        snprintf(spec[i], sizeof spec[i], "%s(file=%s)", names[i], path);
}

static void close_folder(void) {
    unlink(path);
    cr_assert_eq(rmdir(folder), 0);
}

static gpc_status open_config(gpc_context *context, gpc_error *error, gpc_config **out) {
    gpc_status status = gpc_config_create(context, out, error);
    if (status == GPC_OK)
        status = gpc_config_set(*out, "sm.count", "2", error);
    if (status == GPC_OK)
        status = gpc_config_set(*out, "l1.size", "1KiB", error);
    if (status == GPC_OK)
        status = gpc_config_set(*out, "l1.ways", "4", error);
    return status;
}

/* For calls without a gpc_error. */
static void say(gpc_error *error, gpc_status status) {
    error->status = status;
    snprintf(error->message, sizeof error->message, "%s", gpc_status_string(status));
}

/* Loads and stores of more lines than the first tables hold, by more instructions, in two kernels. */
static gpc_status feed(gpc_profile *profile, gpc_error *error) {
    gpc_status status = GPC_OK;
    for (uint64_t i = 0; i < 900 && status == GPC_OK; i++) {
        uint64_t addresses[4];
        gpc_warp_access access = GPC_WARP_ACCESS_INIT;
        if (i % 450 == 0)
            status = gpc_profile_begin_kernel(profile, i ? "second" : "first", NULL, error);
        for (unsigned lane = 0; lane < 4; lane++)
            addresses[lane] = (i * (lane + 1) % 400) * 128;
        access.sm = i % 2;
        access.pc = i % 80 * 16;
        access.mask = 15;
        access.addresses = addresses;
        access.width = 4;
        access.kind = i % 9 ? GPC_LOAD : GPC_STORE;
        if (status == GPC_OK && (status = gpc_profile_access(profile, &access, NULL, NULL)) < 0)
            say(error, status);
    }
    return status;
}

static gpc_status make(gpc_context *context, gpc_error *error, gpc_profile **out) {
    gpc_config *config = NULL;
    gpc_status status = open_config(context, error, &config);
    if (status == GPC_OK)
        status = gpc_profile_create(context, config, out, error);
    cr_assert_eq(*out != NULL, status == GPC_OK);
    gpc_config_destroy(config);
    return status;
}

/* After a failure the profile continues, with the earlier data; and the tables can be queried. */
static gpc_status scenario_profile(gpc_context *context, oom_heap *heap, gpc_error *error) {
    gpc_profile *profile = NULL;
    gpc_status status = make(context, error, &profile);
    if (status != GPC_OK)
        return status;
    status = feed(profile, error);
    gpc_profile_summary summary = GPC_PROFILE_SUMMARY_INIT;
    if (status == GPC_OK && (status = gpc_profile_get_summary(profile, &summary, NULL)) < 0)
        say(error, status);
    if (status < 0) {
        oom_heal(heap);
        cr_assert_eq(feed(profile, error), GPC_OK);
        cr_assert_eq(gpc_profile_get_summary(profile, &summary, NULL), GPC_OK);
        const gpc_profile_counts *c = &summary.counts;
        cr_assert_eq(c->accesses, c->hits + c->sector_misses + c->fills + c->bypasses);
        cr_assert_geq(c->accesses, 3200 - 100);
    }
    gpc_profile_destroy(profile);
    return status;
}

Test(oom, profile) {
    oom_check(scenario_profile, 20);
}

static gpc_status scenario_files(gpc_context *context, oom_heap *heap, gpc_error *error) {
    gpc_profile *profile = NULL, *read = NULL;
    (void)heap;
    gpc_status status = make(context, error, &profile);
    if (status == GPC_OK)
        status = feed(profile, error);
    if (status == GPC_OK)
        status = gpc_profile_save(profile, &(gpc_stream)GPC_STREAM_FILE(path), NULL, error);
    if (status == GPC_OK)
        status =
            gpc_profile_save(profile, &(gpc_stream)GPC_STREAM_FILE(path),
                             &(gpc_profile_save_options){sizeof(gpc_profile_save_options), GPC_PROFILE_JSON, 1}, error);
    if (status == GPC_OK)
        status = gpc_profile_save(profile, &(gpc_stream)GPC_STREAM_FILE(path), NULL, error);
    if (status == GPC_OK)
        status = gpc_profile_load(context, &(gpc_stream)GPC_STREAM_FILE(path), &read, error);
    gpc_profile_destroy(read);
    gpc_profile_destroy(profile);
    return status;
}

Test(oom, profile_files) {
    open_folder();
    oom_check(scenario_files, 30);
    close_folder();
}

static gpc_status read_by(gpc_context *context, const char *predictor, gpc_error *error) {
    gpc_config *config = NULL;
    gpc_hierarchy *hierarchy = NULL;
    gpc_status status = open_config(context, error, &config);
    if (status == GPC_OK)
        status = gpc_config_set(config, "l1.bypass", predictor, error);
    if (status == GPC_OK)
        status = gpc_hierarchy_create(context, config, &hierarchy, error);
    gpc_hierarchy_destroy(hierarchy);
    gpc_config_destroy(config);
    return status;
}

static gpc_status scenario_address(gpc_context *context, oom_heap *heap, gpc_error *error) {
    (void)heap;
    return read_by(context, spec[0], error);
}

static gpc_status scenario_hybrid(gpc_context *context, oom_heap *heap, gpc_error *error) {
    (void)heap;
    return read_by(context, spec[1], error);
}

static gpc_status scenario_compiler(gpc_context *context, oom_heap *heap, gpc_error *error) {
    (void)heap;
    return read_by(context, spec[2], error);
}

Test(oom, profile_predictors) {
    gpc_context *context;
    gpc_error error = GPC_ERROR_INIT;
    gpc_profile *profile = NULL;
    open_folder();
    cr_assert_eq(gpc_context_create(NULL, &context, &error), GPC_OK);
    cr_assert_eq(make(context, &error, &profile), GPC_OK);
    cr_assert_eq(feed(profile, &error), GPC_OK);
    cr_assert_eq(gpc_profile_save(profile, &(gpc_stream)GPC_STREAM_FILE(path), NULL, &error), GPC_OK);
    gpc_profile_destroy(profile);
    gpc_context_destroy(context);
    oom_check(scenario_address, 10);
    oom_check(scenario_hybrid, 10);
    oom_check(scenario_compiler, 10);
    close_folder();
}
