/* SPDX-License-Identifier: BSD-2-Clause */
/* All states that small trees reach under a protocol, and the steps to the first violation. */
#include "example.h"

#define GPC_EXPERIMENTAL
#include <gpucache/experimental/experimental.h>

#include <inttypes.h>

static void explore(gpc_context *context, const gpc_verify_options *options) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_verify *verify;
    gpc_verify_report report = GPC_VERIFY_REPORT_INIT;
    check(gpc_verify_run(context, options, &verify, &error), &error);
    check(gpc_verify_get_report(verify, &report, NULL), &error);
    printf("%s, %" PRIu32 " blocks: %" PRIu64 " states, verdict %" PRIu32 " %s\n", options->tree, options->blocks,
           report.states, report.verdict, report.text);
    for (uint32_t i = 0; i < report.step_count; i++) {
        gpc_verify_step step = GPC_VERIFY_STEP_INIT;
        check(gpc_verify_get_step(verify, i, &step, NULL), &error);
        printf("  %s\n", step.text);
    }
    expect(report.verdict == GPC_VERIFY_PASSED, "mesi keeps its promises");
    gpc_verify_destroy(verify);
}

int main(void) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context;
    gpc_coherence *tree;
    check(gpc_context_create(NULL, &context, &error), &error);
    gpc_verify_options options = GPC_VERIFY_OPTIONS_INIT;
    options.protocol = "mesi";
    for (uint32_t i = 0; i < 3 && gpc_verify_system(i, &options, NULL) == GPC_OK; i++)
        explore(context, &options);
    options.tree = gpc_verify_tree_name(0);
    check(gpc_verify_make_tree(context, &options, &tree, &error), &error);
    check(gpc_coherence_check(tree, 0, 4096, &error), &error);
    gpc_coherence_destroy(tree);
    gpc_context_destroy(context);
    return 0;
}
