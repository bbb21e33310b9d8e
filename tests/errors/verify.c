/* SPDX-License-Identifier: BSD-2-Clause */
#define GPC_EXPERIMENTAL
#include <gpucache/experimental/experimental.h>

#include "errors/errors.h"

#include <criterion/criterion.h>

/* gpucache/experimental/experimental.h (gpc_verify) */

static gpc_verify_options search(const char *protocol) {
    gpc_verify_options options = GPC_VERIFY_OPTIONS_INIT;
    options.protocol = protocol;
    options.in_flight = 0;
    return options;
}

Test(verify, searches) {
    gpc_context *context = made_context();
    gpc_verify *found = NULL;
    gpc_coherence *tree = NULL;
    gpc_verify_options options = search(NULL), good = search("moesi");
    FAILS(ARGUMENT, "protocol", gpc_verify_run, context, &options, &found);
    FAILS(ARGUMENT, "protocol", gpc_verify_make_tree, context, &options, &tree);
    options = search("nobody");
    FAILS(ARGUMENT, "NULL", gpc_verify_run, NULL, &good, &found);
    FAILS(ARGUMENT, "NULL", gpc_verify_make_tree, NULL, &good, &tree);
    FAILS(NOT_FOUND, "nobody", gpc_verify_run, context, &options, &found);
    FAILS(NOT_FOUND, "nobody", gpc_verify_make_tree, context, &options, &tree);
    options = search("moesi");
    options.tree = "bush";
    FAILS(NOT_FOUND, "bush", gpc_verify_run, context, &options, &found);
    FAILS(NOT_FOUND, "bush", gpc_verify_make_tree, context, &options, &tree);
    cr_expect(!found && !tree);
    gpc_context_destroy(context);
}

Test(verify, reports) {
    gpc_context *context = made_context();
    gpc_verify *found = NULL;
    gpc_verify_options options = search("moesi");
    cr_assert_eq(gpc_verify_run(context, &options, &found, NULL), GPC_OK);
    gpc_verify_report report = GPC_VERIFY_REPORT_INIT;
    gpc_verify_step step = GPC_VERIFY_STEP_INIT;
    FAILS(ARGUMENT, "verify is NULL", gpc_verify_get_report, NULL, &report);
    FAILS(ARGUMENT, "report is NULL", gpc_verify_get_report, found, NULL);
    WORKS(gpc_verify_get_report, found, &report);
    FAILS(ARGUMENT, "verify is NULL", gpc_verify_get_step, NULL, 0, &step);
    FAILS(ARGUMENT, "step is NULL", gpc_verify_get_step, found, 0, NULL);
    FAILS(RANGE, "index 0 of 0 steps", gpc_verify_get_step, found, 0, &step);
    report.struct_size = 0;
    FAILS(ABI, "gpc_verify_report", gpc_verify_get_report, found, &report);
    gpc_verify_destroy(found);
    FAILS(ARGUMENT, "options is NULL", gpc_verify_system, 0, NULL);
    WORKS(gpc_verify_system, 0, &options);
    WORKS(gpc_verify_system, UINT32_MAX, &options); /* past the last: GPC_END */
    options.struct_size = 8;
    FAILS(ABI, "gpc_verify_options", gpc_verify_system, 0, &options);
    gpc_context_destroy(context);
}
