/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/mutation.h"

#include "effort.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Every cell of every protocol, with every small change (mutation.h): refused, caught, or excused by a reason given
 * here. GPUCACHE_EXPLORE=full uses all trees of mutation_cells.c, otherwise the smallest, and for slc-glc, with many
 * kinds of accesses, a seventh of the changes. Of protocols with many states a sixth of these, unless all are wanted
 * (effort.h). Sanitizers, with another purpose, get one in 31 of the rest, of protocols with few states.
 */
#if defined(__SANITIZE_ADDRESS__)
#define THINNER 31u
#else
#define THINNER 1u
#endif

/* Reason that no tree reaches a cell. */
static const char *unreached_reason(const explore_family *f, const mutation_cell *c) {
    const bool tracked = f->letters || f == &explore_mended || f == &explore_forwarding;
    const bool n = f->races && strcmp(f->protocol, "vi") != 0, o = f->letters && strchr(f->letters, 'O');
    if (f == &explore_mended && c->state == GPC_LINE_O)
        return "nothing ever comes to O (D6)";
    if (c->place != GPCI_PLACE_FIRST && c->event <= GPC_EVENT_N_STORE)
        return "processors ask caches of the first level only";
    if (c->state == GPC_LINE_I && (c->event == GPC_EVENT_EVICTION || c->event == GPC_EVENT_ACQUIRE ||
                                   c->event == GPC_EVENT_READ_PROBE || c->event == GPC_EVENT_WRITE_PROBE))
        return "there is no block: nothing to evict, and a probe does not find it";
    if (!tracked && (c->event == GPC_EVENT_WRITE_ABOVE || c->event == GPC_EVENT_PROBE_DATA ||
                     c->event == GPC_EVENT_INVALIDATE_DATA))
        return "without a directory nobody asks for rights, and nobody is probed";
    if (c->place == GPCI_PLACE_LAST && c->event == GPC_EVENT_ACQUIRE)
        return "what all processors share is not acquired";
    if (!n && c->event == GPC_EVENT_N_DATA_ABOVE)
        return "nobody is ever in N";
    if ((o || f == &explore_forwarding) && c->state == GPC_LINE_S && c->event == GPC_EVENT_READ_PROBE)
        return "only owners are asked for data, and who is in S is none";
    if (o && c->place == GPCI_PLACE_MEMORY && c->event == GPC_EVENT_PROBE_DATA)
        return "who is in M stays the owner, in O, and gives memory nothing";
    return NULL;
}

#define MULTI2SIM "nmoesi-multi2sim"
#define FETCH_THROUGH (GPC_DO_READ_REQUEST | GPC_DO_WRITE_THROUGH)
#define HIT_THROUGH (GPC_DO_HIT | GPC_DO_WRITE_THROUGH)

/* Changes distinguished from the correct cell only by a count or an additional message. */
static const struct harmless {
    const char *protocol;
    mutation_cell cell;
    uint16_t actions; /* of the change */
    bool small_trees; /* only there */
    const char *reason;
} all_harmless[] = {
    {"nmoesi", {GPCI_PLACE_BETWEEN, GPC_LINE_N, GPC_EVENT_N_DATA_ABOVE}, GPC_DO_IGNORE, false, "N -> N is not counted"},
    {"nmoesi", {GPCI_PLACE_BETWEEN, GPC_LINE_N, GPC_EVENT_INVALIDATE_DATA}, GPC_DO_HIT, false, "N -> N is counted"},
    {"nmoesi", {GPCI_PLACE_BETWEEN, GPC_LINE_S, GPC_EVENT_WRITE_PROBE}, GPC_DO_SEND_DATA, false, "data for an answer"},
    {"nmoesi", {GPCI_PLACE_BETWEEN, GPC_LINE_N, GPC_EVENT_WRITE_PROBE}, GPC_DO_HIT, true, "takes two modified bytes"},
    {MULTI2SIM,
     {GPCI_PLACE_BETWEEN, GPC_LINE_N, GPC_EVENT_N_DATA_ABOVE},
     GPC_DO_IGNORE,
     false,
     "N -> N is not counted"},
    {MULTI2SIM, {GPCI_PLACE_BETWEEN, GPC_LINE_N, GPC_EVENT_INVALIDATE_DATA}, GPC_DO_HIT, false, "N -> N is counted"},
    {MULTI2SIM, {GPCI_PLACE_BETWEEN, GPC_LINE_E, GPC_EVENT_READ_PROBE}, GPC_DO_SEND_DATA, false, "data for an answer"},
    {MULTI2SIM, {GPCI_PLACE_BETWEEN, GPC_LINE_E, GPC_EVENT_WRITE_PROBE}, GPC_DO_SEND_DATA, false, "data for an answer"},
    {MULTI2SIM, {GPCI_PLACE_BETWEEN, GPC_LINE_S, GPC_EVENT_WRITE_PROBE}, GPC_DO_SEND_DATA, false, "data for an answer"},
    {MULTI2SIM, {GPCI_PLACE_BETWEEN, GPC_LINE_N, GPC_EVENT_WRITE_PROBE}, GPC_DO_HIT, true, "takes another block"},
    {MULTI2SIM, {GPCI_PLACE_BETWEEN, GPC_LINE_M, GPC_EVENT_WRITE_PROBE}, GPC_DO_HIT, true, "takes another block"},
    {MULTI2SIM,
     {GPCI_PLACE_FIRST, GPC_LINE_I, GPC_EVENT_N_STORE},
     GPC_DO_READ_REQUEST,
     false,
     "its copy is a shared one"},
    {"none", {GPCI_PLACE_BETWEEN, GPC_LINE_N, GPC_EVENT_N_DATA_ABOVE}, GPC_DO_IGNORE, false, "N -> N is not counted"},
    {"none", {GPCI_PLACE_BETWEEN, GPC_LINE_S, GPC_EVENT_N_DATA_ABOVE}, GPC_DO_WRITE_THROUGH, false, "also to memory"},
    {"slc-glc", {GPCI_PLACE_FIRST, GPC_LINE_N, GPC_EVENT_THROUGH_STORE}, FETCH_THROUGH, false, "it is fetched again"},
    {"slc-glc", {GPCI_PLACE_FIRST, GPC_LINE_S, GPC_EVENT_THROUGH_STORE}, FETCH_THROUGH, false, "it is fetched again"},
    {"slc-glc",
     {GPCI_PLACE_FIRST, GPC_LINE_S, GPC_EVENT_THROUGH_STORE},
     HIT_THROUGH,
     false,
     "N, and nothing is modified"},
    {"slc-glc",
     {GPCI_PLACE_FIRST, GPC_LINE_I, GPC_EVENT_THROUGH_STORE},
     FETCH_THROUGH,
     false,
     "N, and nothing is modified"},
    {"slc-glc", {GPCI_PLACE_LAST, GPC_LINE_M, GPC_EVENT_DATA_ABOVE}, GPC_DO_IGNORE, false, "M -> M is not counted"},
    {"slc-glc", {GPCI_PLACE_LAST, GPC_LINE_M, GPC_EVENT_N_DATA_ABOVE}, GPC_DO_IGNORE, false, "M -> M is not counted"},
    {"vi", {GPCI_PLACE_FIRST, GPC_LINE_S, GPC_EVENT_N_STORE}, FETCH_THROUGH, false, "it is fetched again"},
    {"vi", {GPCI_PLACE_LAST, GPC_LINE_M, GPC_EVENT_DATA_ABOVE}, GPC_DO_IGNORE, false, "M -> M is not counted"},
};

/* No document has a table of mesif with messages: a change that only costs is identified by kind. */
static const char *costs_only(const mutation_change *change) {
    const gpc_protocol_rule *was = &change->was, *is = &change->rule;
    const uint32_t idle = GPC_DO_HIT | GPC_DO_IGNORE;
    if (was->actions == is->actions)
        return was->next == GPC_LINE_E && is->next == GPC_LINE_M        ? "clean bytes count as modified"
               : was->next == is->next && is->next_shared == GPC_LINE_S ? "the latest of several copies is not asked"
               : change->cell.place == GPCI_PLACE_MEMORY                ? "memory counts its blocks as written, or not"
                                                                        : NULL;
    if (was->actions & idle && is->actions & (GPC_DO_READ_REQUEST | GPC_DO_WRITE_REQUEST) && is->next != GPC_LINE_I)
        return "a request for what is there";
    if (was->actions & idle && is->actions & idle)
        return "a state that stays is counted, or not";
    if (is->actions & (GPC_DO_NOTIFY | GPC_DO_WRITE_BACK | GPC_DO_WRITE_THROUGH))
        return "more is sent below than has to be";
    if (change->cell.state == GPC_LINE_M && change->cell.place == GPCI_PLACE_FIRST)
        return NULL;
    return was->actions & (idle | GPC_DO_SEND_DATA) && is->actions & (idle | GPC_DO_SEND_DATA) ? "data for an answer"
                                                                                               : NULL;
}

static const char *harmless_reason(const explore_family *f, const mutation_change *change, bool thorough) {
    for (size_t i = 0; i < sizeof all_harmless / sizeof *all_harmless; i++) {
        const struct harmless *h = &all_harmless[i];
        if (strcmp(h->protocol, f->protocol) == 0 && memcmp(&h->cell, &change->cell, sizeof h->cell) == 0 &&
            h->actions == change->rule.actions && !(thorough && h->small_trees))
            return h->reason;
    }
    return f == &explore_forwarding ? costs_only(change) : NULL;
}

typedef struct hearing {
    const explore_family *family;
    bool thorough;
    mutation_cell last; /* unreached, reported */
} hearing;

static void hear(void *data, const mutation_change *change, mutation_verdict verdict, const char *text) {
    hearing *h = data;
    char what[128];
    mutation_text(change, what, sizeof what);
    if (verdict == MUTATION_UNREACHED && memcmp(&h->last, &change->cell, sizeof h->last) != 0) {
        const char *reason = unreached_reason(h->family, &change->cell);
        fprintf(stderr, "%s, %s: unreached: %s\n", h->family->protocol, what, reason ? reason : "?");
        cr_expect(reason || !h->thorough, "%s, %s: no tree comes here", h->family->protocol, what);
        h->last = change->cell;
    }
    if (verdict == MUTATION_EQUIVALENT)
        fprintf(stderr, "%s, %s: equivalent\n", h->family->protocol, what);
    if (verdict != MUTATION_SURVIVED)
        return;
    const char *reason = harmless_reason(h->family, change, h->thorough);
    fprintf(stderr, "%s, %s: harmless: %s\n", h->family->protocol, what, reason ? reason : "?");
    cr_expect(reason, "%s, %s: survived: %s", h->family->protocol, what, text);
}

static uint32_t of_many(uint32_t stride) {
    return effort_wanted() == EFFORT_THOROUGH ? stride : 6 * stride;
}

static void change_all(const char *protocol, uint32_t stride) {
    if (effort_wanted() < EFFORT_FULL)
        cr_skip_test("left to full runs");
    const char *wish = getenv("GPUCACHE_EXPLORE");
    const bool full = wish && strcmp(wish, "full") == 0;
    hearing h = {explore_family_of(protocol), full, {255, 0, 0}};
    const mutation_tally t = mutation_run(h.family, full ? 1 : stride * THINNER, full, hear, &h);
    fprintf(stderr, "%s: %u refused, %u caught, %u unreached, %u equivalent, %u survived; %u cells are forbidden\n",
            protocol, t.count[MUTATION_REFUSED], t.count[MUTATION_CAUGHT], t.count[MUTATION_UNREACHED],
            t.count[MUTATION_EQUIVALENT], t.count[MUTATION_SURVIVED], t.forbidden);
    cr_expect_gt(t.count[MUTATION_REFUSED], 0);
    cr_expect_gt(t.count[MUTATION_CAUGHT], 0);
}

Test(mutation, msi, .timeout = 3600) {
    change_all("msi", 1);
}

Test(mutation, mesi, .timeout = 3600) {
    change_all("mesi", 1);
}

Test(mutation, mesif, .timeout = 3600) {
    change_all("mesif", 1);
}

Test(mutation, mosi, .timeout = 3600) {
    change_all("mosi", 1);
}

Test(mutation, moesi, .timeout = 3600) {
    change_all("moesi", 1);
}

Test(mutation, nmoesi, .timeout = 3600, .disabled = EFFORT_SANITIZED) {
    change_all("nmoesi", of_many(1));
}

Test(mutation, vi, .timeout = 3600) {
    change_all("vi", 1);
}

Test(mutation, none, .timeout = 3600, .disabled = EFFORT_SANITIZED) {
    change_all("none", of_many(1));
}

Test(mutation, multi2sim, .timeout = 3600, .disabled = EFFORT_SANITIZED) {
    change_all("nmoesi-multi2sim", 1);
}

Test(mutation, slc_glc, .timeout = 3600, .disabled = EFFORT_SANITIZED) {
    change_all("slc-glc", of_many(7));
}
