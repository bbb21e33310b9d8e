/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/explore.h"

#include <stdio.h>
#include <string.h>

/* An exploration by the library, with the tests' judges, and a print of the result. */

static void judge(const gpci_explorer *e, const gpci_verify_action *action, const gpci_verify_picture *before,
                  const gpci_verify_picture *after, const gpc_coherence_result *result, char *text, size_t size) {
    explore_look_up(e, action, before, after, result, text, size);
    if (!*text)
        explore_look_plain(e, action, before, after, result, text, size);
}

/* An order-independent summary of the exploration. */
static void imprint(void *data, uint32_t how, uint64_t from, uint64_t to, const gpc_coherence_result *result) {
    explore_report *report = ((explore_told *)data)->report;
    uint64_t h = gpci_mix(from + how) ^ to;
    report->shape += gpci_mix(h);
    for (uint32_t i = 0; i < result->message_count; i++) {
        const gpc_coherence_message *m = &result->messages[i];
        h = gpci_mix(h ^ ((uint64_t)m->kind << 40 | (uint64_t)m->from << 32 | (uint64_t)m->to << 24 | m->bytes));
    }
    for (uint32_t i = 0; i < result->transition_count; i++) {
        const gpc_coherence_transition *t = &result->transitions[i];
        h = gpci_mix(h ^ ((uint64_t)t->origin << 32 | (uint64_t)t->module << 16 | t->from << 8 | t->to));
    }
    report->print += gpci_mix(h);
}

static void tell(const explore_setup *setup, const gpci_verify_setup *library, const gpci_verify_found *found,
                 explore_report *report) {
    gpci_explorer e = {.setup = library};
    gpci_verify_found again;
    size_t at = (size_t)snprintf(report->text, sizeof report->text, "%s, %s: %s", setup->protocol, setup->tree.name,
                                 found->text);
    if (!found->violations || !gpci_verify_open(&e, library, &again))
        return;
    at += (size_t)snprintf(report->text + at, sizeof report->text - at, ". After: ");
    for (uint32_t i = 0; i < found->path_count && at + 40 < sizeof report->text; i++) {
        at += gpci_verify_text(&e, &e.actions[found->path[i]], report->text + at, sizeof report->text - at);
        at += (size_t)snprintf(report->text + at, sizeof report->text - at, i + 1 < found->path_count ? "; " : "");
    }
    gpci_verify_close(&e);
}

void explore_run(const explore_setup *setup, explore_report *report) {
    explore_told told = {setup, report};
    const gpci_verify_setup library = {
        .context = setup->context,
        .protocol = setup->protocol,
        .tree = setup->tree,
        .blocks = setup->blocks,
        .positions = setup->positions,
        .kinds = setup->kinds,
        .steered = setup->steered,
        .races = setup->races,
        .refreshes = setup->refreshes,
        .structure_only = setup->structure_only,
        .go_on = setup->go_on,
        .backwards = setup->backwards,
        .faults = setup->faults,
        .protocol_flags = setup->protocol_flags,
        .most = setup->most,
        .data = &told,
        .judge = judge,
        .edge = imprint,
    };
    gpci_verify_found found;
    memset(report, 0, sizeof *report);
    gpci_verify_explore(&library, &found);
    report->states = found.states;
    report->edges = found.edges;
    report->violations = found.violations;
    report->failed = found.status != GPC_OK;
    report->complete = !report->failed && found.limit == GPC_VERIFY_ALL;
    if (report->failed || report->violations)
        tell(setup, &library, &found, report);
}
