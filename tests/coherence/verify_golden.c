/* SPDX-License-Identifier: BSD-2-Clause */
#include "golden.h"

#include <gpucache/experimental/experimental.h>
#include <gpucache/ext/policies.h>
#include <gpucache/gpucache.h>

#include <inttypes.h>

/*
 * Golden searches and random walks of every protocol in every tree, as the files verify_*.golden have them: verdict,
 * reason of the end, visited states, steps, depth, and the counterexample's length and last step.
 */

enum { ROOM = 1 << 17 };

static void put_search(gpc_context *context, const gpc_verify_options *options, const char *name, char *text) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_verify *verify = NULL;
    gpc_verify_report report = GPC_VERIFY_REPORT_INIT;
    gpc_verify_step step = GPC_VERIFY_STEP_INIT;
    snprintf(text + strlen(text), ROOM - strlen(text), "; %s", name);
    const gpc_status status = gpc_verify_run(context, options, &verify, &error);
    if (status != GPC_OK) {
        snprintf(text + strlen(text), ROOM - strlen(text), " %s", error.message);
        return;
    }
    cr_assert_eq(gpc_verify_get_report(verify, &report, NULL), GPC_OK);
    snprintf(text + strlen(text), ROOM - strlen(text), " %" PRIu32 " %" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu32,
             report.verdict, report.limit, report.states, report.edges, report.depth);
    if (*report.text)
        snprintf(text + strlen(text), ROOM - strlen(text), " (%s)", report.text);
    if (report.step_count && gpc_verify_get_step(verify, report.step_count - 1, &step, NULL) == GPC_OK)
        snprintf(text + strlen(text), ROOM - strlen(text), " (%" PRIu32 " steps, then %s)", report.step_count,
                 step.text);
    gpc_verify_destroy(verify);
}

/* A tree in four ways: accesses one at a time, overlapping, with two blocks and latencies, and walks. */
static void put_tree(gpc_context *context, const char *protocol, const char *tree, char *text) {
    gpc_verify_options options = GPC_VERIFY_OPTIONS_INIT;
    options.protocol = protocol;
    options.tree = tree;
    snprintf(text + strlen(text), ROOM - strlen(text), "%s %s", protocol, tree);
    options.states = 150;
    options.in_flight = 0;
    options.bytes = 2;
    put_search(context, &options, "whole", text);
    options.in_flight = 1;
    options.bytes = 1;
    put_search(context, &options, "overlapping", text);
    options.blocks = 2;
    options.latencies = true;
    options.symmetry = false;
    options.entries = 2;
    put_search(context, &options, "two blocks", text);
    options.states = 0;
    options.walks = 1;
    options.in_flight = 2;
    put_search(context, &options, "walk", text);
    strcat(text, "\n");
}

static void expect_protocols(size_t first, const char *path) {
    static char text[ROOM];
    gpc_context *context = NULL;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    gpc_policy_info info = GPC_POLICY_INFO_INIT;
    for (size_t i = first; gpc_policy_at(context, GPC_POLICY_PROTOCOL, i, &info, NULL) == GPC_OK; i += 3)
        for (uint32_t tree = 0; gpc_verify_tree_name(tree); tree++)
            put_tree(context, info.name, gpc_verify_tree_name(tree), text);
    gpc_context_destroy(context);
    expect_golden(path, text);
}

Test(verify_golden, first_third) {
    expect_protocols(0, "tests/coherence/verify_0.golden");
}

Test(verify_golden, second_third) {
    expect_protocols(1, "tests/coherence/verify_1.golden");
}

Test(verify_golden, last_third) {
    expect_protocols(2, "tests/coherence/verify_2.golden");
}
