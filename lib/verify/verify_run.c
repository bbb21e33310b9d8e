/* SPDX-License-Identifier: BSD-2-Clause */
#include "verify/verify.h"

#include <stdio.h>
#include <string.h>

/* Public calls: options; a run; and the counterexample, whose steps are executed again to make their texts. */

enum { STEP_TEXT = 112 };

struct gpc_verify {
    gpc_context *context;
    gpc_verify_report report;
    char text[GPC_VERIFY_TEXT];
    gpc_verify_step *steps; /* [report.step_count] */
    char (*texts)[STEP_TEXT];
};

/* -- options */

static gpc_status wrong(gpc_error *error, const char *what) {
    return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_verify: %s", what);
}

static gpc_status check(const gpc_verify_options *options, gpc_error *error) {
    if (!options->protocol)
        return wrong(error, "protocol is NULL");
    if (options->blocks < 1 || options->blocks > GPCI_VERIFY_BLOCKS)
        return wrong(error, "blocks: 1 or 2");
    if (options->bytes < 1 || options->bytes > GPCI_VERIFY_POSITIONS)
        return wrong(error, "bytes: 1 or 2");
    if (options->walks && !options->in_flight)
        return wrong(error, "walks: of accesses in flight alone");
    if (options->in_flight > 4)
        return wrong(error, "in_flight: 4 at most");
    if (options->channels != 1 && options->channels != 3)
        return wrong(error, "channels: neither 1 nor 3");
    if (options->kinds >> GPCI_VERIFY_KINDS)
        return wrong(error, "kinds: unknown bits");
    return GPC_OK;
}

static uint32_t default_kinds(const gpc_verify_options *options, const gpci_verify_setup *setup) {
    if (options->kinds)
        return options->kinds;
    if (!options->in_flight)
        return (1u << GPCI_VERIFY_KINDS) - 1;
    return GPC_VERIFY_LOADS | GPC_VERIFY_STORES | (setup->races ? GPC_VERIFY_N_STORES : 0u) |
           (setup->refreshes || setup->detaches ? GPC_VERIFY_ACQUIRES : 0u);
}

static gpc_status set_up(gpc_context *context, const gpc_verify_options *options, gpc_error *error,
                         gpci_verify_setup *setup) {
    const gpc_protocol *protocol = gpc_protocol_find(context, options->protocol);
    const gpci_verify_tree *tree = options->tree ? gpci_verify_tree_of(options->tree) : gpci_verify_tree_at(0);
    if (!protocol)
        return gpci_fail(error, GPC_ERROR_NOT_FOUND, "gpc_verify: no protocol '%s'", options->protocol);
    if (!tree)
        return gpci_fail(error, GPC_ERROR_NOT_FOUND, "gpc_verify: no tree '%s'", options->tree);
    *setup = (gpci_verify_setup){
        .context = context,
        .protocol = options->protocol,
        .tree = *tree,
        .blocks = options->blocks,
        .positions = options->bytes,
        .symmetric = options->symmetry,
        .most = options->states,
        .memory = options->memory,
        .in_flight = options->in_flight,
        .entries = options->entries,
        .one_channel = options->channels == 1,
        .latencies = options->latencies && options->in_flight,
    };
    gpci_verify_promises(protocol, setup);
    setup->kinds = default_kinds(options, setup);
    setup->races &= !options->coherent;
    return GPC_OK;
}

static gpc_status take(gpc_context *context, const gpc_verify_options *options, gpc_error *error,
                       gpc_verify_options *ours, gpci_verify_setup *setup) {
    *ours = (gpc_verify_options)GPC_VERIFY_OPTIONS_INIT;
    gpc_status status = gpci_take(ours, sizeof *ours, sizeof *ours, options, "gpc_verify_options", error);
    if (status == GPC_OK)
        status = check(ours, error);
    return status == GPC_OK ? set_up(context, ours, error, setup) : status;
}

/* -- progress */

typedef struct listener {
    const gpc_verify_options *options;
    uint64_t next;
} listener;

static bool on_progress(void *data, const gpci_verify_found *found) {
    listener *l = data;
    if (!l->options->on_progress || found->expanded < l->next)
        return true;
    l->next = found->expanded + (l->options->interval ? l->options->interval : 4096);
    const gpc_verify_progress progress = {.states = found->states,
                                          .edges = found->edges,
                                          .waiting = found->states - found->expanded,
                                          .bytes = found->bytes,
                                          .depth = found->depth};
    return l->options->on_progress(l->options->user_data, &progress);
}

/* -- the counterexample */

static void tell_access(const gpci_explorer *explorer, const gpci_verify_action *action, gpc_verify_step *step) {
    gpc_coherence_request request = GPC_COHERENCE_REQUEST_INIT;
    step->module = action->module;
    step->kind = action->kind == GPCI_VERIFY_FLUSH     ? GPC_VERIFY_FLUSH
                 : action->kind == GPCI_VERIFY_ACQUIRE ? GPC_VERIFY_ACQUIRE
                 : explorer->setup->in_flight          ? GPC_VERIFY_ISSUE
                                                       : GPC_VERIFY_ACCESS;
    if (action->kind >= GPCI_VERIFY_FLUSH)
        return;
    gpci_verify_request(explorer, action, &request);
    step->address = request.address;
    step->access = request.kind;
    step->size = request.size;
    step->flags = action->flags;
    step->value = action->value;
}

static void tell_step(const gpci_explorer *explorer, uint16_t how, gpc_verify_step *step, char *text) {
    *step = (gpc_verify_step)GPC_VERIFY_STEP_INIT;
    step->text = text;
    if (!(how & GPCI_VERIFY_CHOICE)) {
        tell_access(explorer, &explorer->actions[how], step);
        (void)gpci_verify_text(explorer, &explorer->actions[how], text, STEP_TEXT);
        return;
    }
    gpc_coherence_choice chosen = GPC_COHERENCE_CHOICE_INIT;
    step->kind = GPC_VERIFY_CHOICE;
    step->index = how & ~(uint32_t)GPCI_VERIFY_CHOICE;
    (void)gpci_hold_choice(explorer->coherence->engine, step->index, &chosen);
    step->address = chosen.address;
    step->choice = chosen.kind;
    step->message = chosen.message;
    step->module = step->from = chosen.from;
    step->to = chosen.to;
    gpci_verify_tell_choice(&chosen, text, STEP_TEXT);
}

static gpc_status tell_steps(gpc_verify *verify, const gpci_verify_setup *setup, const gpci_verify_found *found,
                             gpc_error *error) {
    gpci_explorer explorer;
    gpci_verify_found again;
    gpc_coherence_result result = GPC_COHERENCE_RESULT_INIT;
    gpc_status status = GPC_OK;
    verify->steps = gpci_zalloc(verify->context, found->path_count + 1, sizeof *verify->steps);
    verify->texts = gpci_zalloc(verify->context, found->path_count + 1, sizeof *verify->texts);
    if (!verify->steps || !verify->texts)
        return gpci_out_of_memory(error);
    if (!gpci_verify_open(&explorer, setup, &again))
        return gpci_fail(error, again.status, "%s", again.text);
    if (setup->in_flight)
        status = gpci_verify_hold(&explorer, error);
    for (uint32_t i = 0; i < found->path_count && status == GPC_OK; i++) {
        tell_step(&explorer, found->path[i], &verify->steps[i], verify->texts[i]);
        verify->report.step_count = i + 1;
        status = setup->in_flight ? gpci_verify_step(&explorer, found->path[i], error)
                                  : gpci_verify_do(&explorer, &explorer.actions[found->path[i]], error, &result);
    }
    gpci_verify_close(&explorer);
    return status == GPC_ERROR_MEMORY ? status : GPC_OK; /* the last step may be refused: its error is the violation */
}

/* -- the calls */

static void report_of(gpc_verify *verify, const gpci_verify_setup *setup, const gpci_verify_found *found) {
    gpc_verify_report *report = &verify->report;
    *report = (gpc_verify_report)GPC_VERIFY_REPORT_INIT;
    memcpy(verify->text, found->text, sizeof verify->text);
    report->text = verify->text;
    report->states = found->states;
    report->edges = found->edges;
    report->bytes = found->bytes;
    report->depth = found->depth;
    report->verdict = found->verdict;
    report->limit = found->limit;
    report->cut = found->path_cut;
    report->symmetric = setup->symmetric;
    report->wrong = found->wrong.known;
    if (!report->wrong)
        return;
    report->address = gpci_verify_address(found->wrong.block, found->wrong.position);
    report->module = found->wrong.module;
    report->value = found->wrong.found;
}

static gpc_status run(gpc_verify *verify, gpci_verify_setup *setup, const gpc_verify_options *options,
                      gpc_error *error) {
    listener l = {options, 0};
    gpci_verify_found *found = gpci_zalloc(verify->context, 1, sizeof *found);
    if (!found)
        return gpci_out_of_memory(error);
    setup->progress = on_progress;
    setup->data = &l;
    if (options->walks)
        gpci_verify_walk(setup, options->walks, found);
    else if (setup->in_flight)
        gpci_verify_overlap(setup, found);
    else
        gpci_verify_explore(setup, found);
    gpc_status status = found->status;
    if (status != GPC_OK) {
        (void)(status == GPC_ERROR_MEMORY ? gpci_out_of_memory(error) : gpci_fail(error, status, "%s", found->text));
    } else {
        report_of(verify, setup, found);
        if (found->violations && !found->path_cut)
            status = tell_steps(verify, setup, found, error);
    }
    gpci_free(verify->context, found);
    return status;
}

gpc_status gpc_verify_run(gpc_context *context, const gpc_verify_options *options, gpc_verify **out, gpc_error *error) {
    gpc_verify_options ours;
    gpci_verify_setup setup;
    if (!context || !options || !out)
        return wrong(error, !context ? "context is NULL" : !options ? "options is NULL" : "out is NULL");
    gpc_status status = take(context, options, error, &ours, &setup);
    if (status != GPC_OK)
        return status;
    gpc_verify *verify = gpci_zalloc(context, 1, sizeof *verify);
    if (!verify)
        return gpci_out_of_memory(error);
    verify->context = gpci_retain(context);
    status = run(verify, &setup, &ours, error);
    if (status != GPC_OK) {
        gpc_verify_destroy(verify);
        return status;
    }
    *out = verify;
    return GPC_OK;
}

void gpc_verify_destroy(gpc_verify *verify) {
    if (!verify)
        return;
    gpc_context *context = verify->context;
    gpci_free(context, verify->steps);
    gpci_free(context, verify->texts);
    gpci_free(context, verify);
    gpci_release(context);
}

gpc_status gpc_verify_get_report(const gpc_verify *verify, gpc_verify_report *report, gpc_error *error) {
    if (!verify || !report)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_verify_get_report: %s is NULL", verify ? "report" : "verify");
    return gpci_give(report, &verify->report, sizeof verify->report, "gpc_verify_report", error);
}

gpc_status gpc_verify_get_step(const gpc_verify *verify, uint32_t index, gpc_verify_step *step, gpc_error *error) {
    if (!verify || !step)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_verify_get_step: %s is NULL", verify ? "step" : "verify");
    if (index >= verify->report.step_count)
        return gpci_fail(error, GPC_ERROR_RANGE, "gpc_verify_get_step: index %u of %u steps", index,
                         verify->report.step_count);
    return gpci_give(step, &verify->steps[index], sizeof *step, "gpc_verify_step", error);
}

const char *gpc_verify_tree_name(uint32_t index) {
    const gpci_verify_tree *tree = gpci_verify_tree_at(index);
    return tree ? tree->name : NULL;
}

gpc_status gpc_verify_make_tree(gpc_context *context, const gpc_verify_options *options, gpc_coherence **out,
                                gpc_error *error) {
    gpc_verify_options ours;
    gpci_verify_setup setup;
    gpc_error own = GPC_ERROR_INIT, *told = error ? error : &own;
    if (!context || !options || !out)
        return wrong(error, !context ? "context is NULL" : !options ? "options is NULL" : "out is NULL");
    const gpc_status status = take(context, options, error, &ours, &setup);
    if (status != GPC_OK)
        return status;
    gpc_coherence *coherence = gpci_verify_make(&setup, told);
    if (!coherence)
        return told->status;
    *out = coherence;
    return GPC_OK;
}
