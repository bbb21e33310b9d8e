/* SPDX-License-Identifier: BSD-2-Clause */
#include "verify/verify.h"

#include <stdio.h>
#include <string.h>

/* Public calls: options, a run, and the counterexample, executed again for its texts. */

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

static gpc_status check(const gpc_verify_options *o, gpc_error *error) {
    if (!o->protocol)
        return wrong(error, "protocol is NULL");
    if (o->blocks < 1 || o->blocks > GPCI_VERIFY_BLOCKS)
        return wrong(error, "blocks: 1 or 2");
    if (o->bytes < 1 || o->bytes > GPCI_VERIFY_POSITIONS)
        return wrong(error, "bytes: 1 or 2");
    if (o->walks && !o->in_flight)
        return wrong(error, "walks: of accesses in flight alone");
    if (o->in_flight > 4)
        return wrong(error, "in_flight: 4 at most");
    if (o->channels != 1 && o->channels != 3)
        return wrong(error, "channels: neither 1 nor 3");
    if (o->kinds >> GPCI_VERIFY_KINDS)
        return wrong(error, "kinds: unknown bits");
    return GPC_OK;
}

static uint32_t default_kinds(const gpc_verify_options *o, const gpci_verify_setup *s) {
    if (o->kinds)
        return o->kinds;
    if (!o->in_flight)
        return (1u << GPCI_VERIFY_KINDS) - 1;
    return GPC_VERIFY_LOADS | GPC_VERIFY_STORES | (s->races ? GPC_VERIFY_N_STORES : 0u) |
           (s->refreshes || s->detaches ? GPC_VERIFY_ACQUIRES : 0u);
}

static gpc_status set_up(gpc_context *context, const gpc_verify_options *o, gpc_error *error, gpci_verify_setup *s) {
    const gpc_protocol *protocol = gpc_protocol_find(context, o->protocol);
    const gpci_verify_tree *tree = o->tree ? gpci_verify_tree_of(o->tree) : gpci_verify_tree_at(0);
    if (!protocol)
        return gpci_fail(error, GPC_ERROR_NOT_FOUND, "gpc_verify: no protocol '%s'", o->protocol);
    if (!tree)
        return gpci_fail(error, GPC_ERROR_NOT_FOUND, "gpc_verify: no tree '%s'", o->tree);
    *s = (gpci_verify_setup){
        .context = context,
        .protocol = o->protocol,
        .tree = *tree,
        .blocks = o->blocks,
        .positions = o->bytes,
        .symmetric = o->symmetry,
        .most = o->states,
        .memory = o->memory,
        .in_flight = o->in_flight,
        .entries = o->entries,
        .one_channel = o->channels == 1,
        .latencies = o->latencies && o->in_flight,
    };
    gpci_verify_promises(protocol, s);
    s->kinds = default_kinds(o, s);
    s->races &= !o->coherent;
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

static void tell_access(const gpci_explorer *e, const gpci_verify_action *a, gpc_verify_step *step) {
    gpc_coherence_request request = GPC_COHERENCE_REQUEST_INIT;
    step->module = a->module;
    step->kind = a->kind == GPCI_VERIFY_FLUSH     ? GPC_VERIFY_FLUSH
                 : a->kind == GPCI_VERIFY_ACQUIRE ? GPC_VERIFY_ACQUIRE
                 : e->setup->in_flight            ? GPC_VERIFY_ISSUE
                                                  : GPC_VERIFY_ACCESS;
    if (a->kind >= GPCI_VERIFY_FLUSH)
        return;
    gpci_verify_request(e, a, &request);
    step->address = request.address;
    step->access = request.kind;
    step->size = request.size;
    step->flags = a->flags;
    step->value = a->value;
}

static void tell_step(const gpci_explorer *e, uint16_t how, gpc_verify_step *step, char *text) {
    *step = (gpc_verify_step)GPC_VERIFY_STEP_INIT;
    step->text = text;
    if (!(how & GPCI_VERIFY_CHOICE)) {
        tell_access(e, &e->actions[how], step);
        (void)gpci_verify_text(e, &e->actions[how], text, STEP_TEXT);
        return;
    }
    gpc_coherence_choice chosen = GPC_COHERENCE_CHOICE_INIT;
    step->kind = GPC_VERIFY_CHOICE;
    step->index = how & ~(uint32_t)GPCI_VERIFY_CHOICE;
    (void)gpci_hold_choice(e->c->engine, step->index, &chosen);
    step->address = chosen.address;
    step->choice = chosen.kind;
    step->message = chosen.message;
    step->module = step->from = chosen.from;
    step->to = chosen.to;
    gpci_verify_tell_choice(&chosen, text, STEP_TEXT);
}

static gpc_status tell_steps(gpc_verify *v, const gpci_verify_setup *setup, const gpci_verify_found *found,
                             gpc_error *error) {
    gpci_explorer e;
    gpci_verify_found again;
    gpc_coherence_result result = GPC_COHERENCE_RESULT_INIT;
    gpc_status status = GPC_OK;
    v->steps = gpci_zalloc(v->context, found->path_count + 1, sizeof *v->steps);
    v->texts = gpci_zalloc(v->context, found->path_count + 1, sizeof *v->texts);
    if (!v->steps || !v->texts)
        return gpci_out_of_memory(error);
    if (!gpci_verify_open(&e, setup, &again))
        return gpci_fail(error, again.status, "%s", again.text);
    if (setup->in_flight)
        status = gpci_verify_hold(&e, error);
    for (uint32_t i = 0; i < found->path_count && status == GPC_OK; i++) {
        tell_step(&e, found->path[i], &v->steps[i], v->texts[i]);
        v->report.step_count = i + 1;
        status = setup->in_flight ? gpci_verify_step(&e, found->path[i], error)
                                  : gpci_verify_do(&e, &e.actions[found->path[i]], error, &result);
    }
    gpci_verify_close(&e);
    return status == GPC_ERROR_MEMORY ? status : GPC_OK; /* the last step may be refused: its error is the violation */
}

/* -- the calls */

static void report_of(gpc_verify *v, const gpci_verify_setup *setup, const gpci_verify_found *found) {
    gpc_verify_report *r = &v->report;
    *r = (gpc_verify_report)GPC_VERIFY_REPORT_INIT;
    memcpy(v->text, found->text, sizeof v->text);
    r->text = v->text;
    r->states = found->states;
    r->edges = found->edges;
    r->bytes = found->bytes;
    r->depth = found->depth;
    r->verdict = found->verdict;
    r->limit = found->limit;
    r->cut = found->path_cut;
    r->symmetric = setup->symmetric;
    r->wrong = found->wrong.known;
    if (!r->wrong)
        return;
    r->address = gpci_verify_address(found->wrong.block, found->wrong.position);
    r->module = found->wrong.module;
    r->value = found->wrong.found;
}

static gpc_status run(gpc_verify *v, gpci_verify_setup *setup, const gpc_verify_options *options, gpc_error *error) {
    listener l = {options, 0};
    gpci_verify_found *found = gpci_zalloc(v->context, 1, sizeof *found);
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
        report_of(v, setup, found);
        if (found->violations && !found->path_cut)
            status = tell_steps(v, setup, found, error);
    }
    gpci_free(v->context, found);
    return status;
}

gpc_status gpc_verify_run(gpc_context *context, const gpc_verify_options *options, gpc_error *error, gpc_verify **out) {
    gpc_verify_options ours;
    gpci_verify_setup setup;
    if (!context || !options || !out)
        return wrong(error, !context ? "context is NULL" : !options ? "options is NULL" : "out is NULL");
    gpc_status status = take(context, options, error, &ours, &setup);
    if (status != GPC_OK)
        return status;
    gpc_verify *v = gpci_zalloc(context, 1, sizeof *v);
    if (!v)
        return gpci_out_of_memory(error);
    v->context = gpci_retain(context);
    status = run(v, &setup, &ours, error);
    if (status != GPC_OK) {
        gpc_verify_destroy(v);
        return status;
    }
    *out = v;
    return GPC_OK;
}

void gpc_verify_destroy(gpc_verify *v) {
    if (!v)
        return;
    gpc_context *context = v->context;
    gpci_free(context, v->steps);
    gpci_free(context, v->texts);
    gpci_free(context, v);
    gpci_release(context);
}

gpc_status gpc_verify_get_report(const gpc_verify *v, gpc_verify_report *report) {
    return v && report ? gpci_give(report, &v->report, sizeof v->report) : GPC_ERROR_ARGUMENT;
}

gpc_status gpc_verify_get_step(const gpc_verify *v, uint32_t index, gpc_verify_step *step) {
    if (!v || !step)
        return GPC_ERROR_ARGUMENT;
    return index < v->report.step_count ? gpci_give(step, &v->steps[index], sizeof *step) : GPC_ERROR_RANGE;
}

const char *gpc_verify_tree_name(uint32_t index) {
    const gpci_verify_tree *tree = gpci_verify_tree_at(index);
    return tree ? tree->name : NULL;
}

gpc_status gpc_verify_make_tree(gpc_context *context, const gpc_verify_options *options, gpc_error *error,
                                gpc_coherence **out) {
    gpc_verify_options ours;
    gpci_verify_setup setup;
    gpc_error own = GPC_ERROR_INIT, *told = error ? error : &own;
    if (!context || !options || !out)
        return wrong(error, !context ? "context is NULL" : !options ? "options is NULL" : "out is NULL");
    const gpc_status status = take(context, options, error, &ours, &setup);
    if (status != GPC_OK)
        return status;
    gpc_coherence *c = gpci_verify_make(&setup, told);
    if (!c)
        return told->status;
    *out = c;
    return GPC_OK;
}
