/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/coverage.h"
#include "effort.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Every cell of every table is used, and every origin seen. A cell is in the closure if the protocol is refused without
 * it: from I, its state can be reached, and the event can be seen. It is used if, once forbidden, random programs come
 * to an access that reports it. Cells in the closure that are not used must be listed in coverage_list.c, with the
 * reason; listed cells must not be used. For most tables without sanitizers: tables are no code.
 */

#define PROGRAMS 240u
#define STEPS 400u

static const char *const place_names[] = {"first", "between", "shared", "memory"};

/* A copied protocol, with tables. */
typedef struct own_protocol {
    gpc_protocol protocol;
    gpc_protocol_rule rules[4][GPC_MAX_STATES][GPC_EVENT_COUNT];
} own_protocol;

static uint32_t rows_of(const gpc_protocol *p, uint32_t place) {
    return place == 3 ? GPC_LINE_COUNT : gpci_states_of(p);
}

static void copy_protocol(own_protocol *own, const gpc_protocol *p) {
    const gpc_protocol_rules *tables[] = {p->first, p->between, p->shared ? p->shared : p->between, p->memory};
    own->protocol = *p;
    for (unsigned i = 0; i < 4; i++)
        memcpy(own->rules[i], *tables[i], rows_of(p, i) * sizeof(own->rules[i][0]));
    own->protocol.name = "own";
    own->protocol.first = (const gpc_protocol_rules *)&own->rules[0];
    own->protocol.between = (const gpc_protocol_rules *)&own->rules[1];
    own->protocol.shared = (const gpc_protocol_rules *)&own->rules[2];
    own->protocol.memory = (const gpc_protocol_rules *)&own->rules[3];
}

typedef struct cover {
    const gpc_protocol *protocol;
    random_program *programs[PROGRAMS];
    uint32_t origins;
    uint32_t cells, used, listed;
} cover;

static void make_programs(cover *k) {
    unsigned features = TREE_ALL;
    if (k->protocol->flags & GPC_PROTOCOL_PROBE_WHOLE)
        features = TREE_SIMULATOR;
    for (uint32_t i = 0; i < PROGRAMS; i++) {
        random_program *p = k->programs[i] = random_make(k->protocol->name, 7000 + i, i % 2 ? STEPS : 0, features);
        uint64_t random = i;
        if (i % 2 == 0) { /* anything goes: data are not checked */
            p->count = 0;
            random_racy(p, &random, STEPS);
        }
    }
}

/* A cell; NULL if all are unchanged. */
typedef struct cell {
    uint32_t place, state, event;
} cell;

/* The cell keeps acting, because early questions exist, and is forbidden. */
static void forbid(gpc_coherence *c, const cell *x) {
    for (uint32_t i = 0; i < c->module_count; i++) {
        const gpc_protocol_rule *rule = &c->modules[i].rules[x->state][x->event];
        if ((uint32_t)c->modules[i].place == x->place)
            ((gpc_protocol_rule *)(uintptr_t)rule)->actions |= GPC_DO_FORBID;
    }
}

/* A program on a protocol; returns the final status. */
static gpc_status run_program(const random_program *p, const gpc_protocol *protocol, const cell *forbidden,
                              gpc_error *error, uint32_t *origins) {
    gpc_context *context;
    gpc_coherence *c = NULL;
    tree t = p->tree;
    gpc_coherence_result r = GPC_COHERENCE_RESULT_INIT;
    gpc_status status = gpc_context_create(NULL, &context, error);
    cr_assert_eq(status, GPC_OK);
    if (forbidden)
        status = gpc_context_register_protocol(context, protocol, error);
    cr_assert_eq(status, GPC_OK, "%s", error->message);
    status = tree_create(&t, context, protocol->name, true, false, error, &c);
    cr_assert_eq(status, GPC_OK, "%s", error->message);
    if (forbidden)
        forbid(c, forbidden);
    for (size_t i = 0; i <= p->count + c->module_count && status == GPC_OK; i++) {
        random_step last = {.kind = RANDOM_FLUSH, .module = GPC_NO_MODULE};
        if (i < p->count + c->module_count) /* all caches acquire */
            last = (random_step){.kind = RANDOM_ACQUIRE, .module = (uint32_t)(i - p->count)};
        if (i >= p->count && last.module != GPC_NO_MODULE && c->modules[last.module].place == GPCI_PLACE_MEMORY)
            continue;
        status = random_make_step(c, i < p->count ? &p->steps[i] : &last, NULL, error, &r);
        for (uint32_t k = 0; status == GPC_OK && k < r.transition_count; k++)
            *origins |= r.transitions[k].origin;
    }
    gpc_coherence_destroy(c);
    gpc_context_destroy(context);
    return status;
}

/* True if a program comes to this cell. */
static bool is_used(cover *k, const own_protocol *own, const cell *x, uint32_t programs) {
    const char *name = gpc_coherence_event_name((gpc_coherence_event)x->event);
    bool used = false;
    for (uint32_t i = 0; i < programs && !used; i++) {
        gpc_error error = GPC_ERROR_INIT;
        uint32_t origins = 0;
        gpc_status status = run_program(k->programs[i], &own->protocol, x, &error, &origins);
        cr_assert(status == GPC_OK || status == GPC_ERROR_STATE, "%s", error.message);
        used = status == GPC_ERROR_STATE;
        cr_assert(!used || strstr(error.message, name), "%s is not named: %s", name, error.message);
    }
    return used;
}

/* True if a protocol without this cell is refused. */
static bool in_closure(own_protocol *own, uint32_t place, uint32_t state, uint32_t event) {
    gpc_protocol_rule *rule = &own->rules[place][state][event], kept = *rule;
    gpc_error error = GPC_ERROR_INIT;
    memset(rule, 0, sizeof(*rule));
    gpc_status status = gpci_protocol_check(&own->protocol, &error);
    *rule = kept;
    return status != GPC_OK;
}

static bool covers_cell(cover *k, own_protocol *own, uint32_t place, uint32_t state, uint32_t event) {
    if (!in_closure(own, place, state, event) || own->rules[place][state][event].actions & GPC_DO_FORBID)
        return true;
    const char *reason = coverage_reason(k->protocol->name, place, state, event);
    bool used = is_used(k, own, &(cell){place, state, event}, reason ? PROGRAMS / 20 : PROGRAMS);
    k->cells++;
    k->used += used;
    k->listed += reason != NULL;
    if (used == !reason)
        return true;
    fprintf(stderr, "%s, %s, %c, %s: %s%s\n", k->protocol->name, place_names[place], "NMOESIF"[state],
            gpc_coherence_event_name((gpc_coherence_event)event), used ? "used, though " : "never used",
            used ? reason : "");
    return false;
}

static bool covers_origins(cover *k) {
    bool good = true;
    for (uint32_t i = 0; i < PROGRAMS; i++) {
        gpc_error error = GPC_ERROR_INIT;
        cr_assert_eq(run_program(k->programs[i], k->protocol, NULL, &error, &k->origins), GPC_OK, "%s", error.message);
    }
#define X(id, bit, text)                                                                           \
    {                                                                                              \
        const char *reason = coverage_origin_reason(k->protocol->name, bit);                       \
        if (!(k->origins & bit) != !!reason) {                                                     \
            fprintf(stderr, "%s, origin 0x%x, %s: %s%s\n", k->protocol->name, (unsigned)bit, text, \
                    reason ? "seen, though " : "never seen", reason ? reason : "");                \
            good = false;                                                                          \
        }                                                                                          \
    }
    GPC_ORIGIN_LIST(X)
#undef X
    return good;
}

static void covers(const gpc_protocol *protocol) {
    cover k = {.protocol = protocol};
    own_protocol own;
    bool good = true;
    make_programs(&k);
    copy_protocol(&own, protocol);
    for (uint32_t place = 0; place < 4; place++)
        for (uint32_t state = 0; state < rows_of(protocol, place); state++)
            for (uint32_t event = 0; event < GPC_EVENT_COUNT; event++)
                good &= covers_cell(&k, &own, place, state, event);
    good &= covers_origins(&k);
    for (uint32_t i = 0; i < PROGRAMS; i++)
        random_free(k.programs[i]);
    printf("%s: %u cells, %u used, %u listed as unreachable; origins 0x%x\n", protocol->name, k.cells, k.used, k.listed,
           k.origins);
    cr_assert(good, "%s: cells or origins are not covered", protocol->name);
}

Test(coverage, msi, .disabled = EFFORT_SANITIZED) {
    covers(&gpci_msi);
}

Test(coverage, mesi, .disabled = EFFORT_SANITIZED) {
    covers(&gpci_mesi);
}

Test(coverage, mesif, .disabled = EFFORT_SANITIZED) {
    covers(&gpci_mesif);
}

Test(coverage, mosi, .disabled = EFFORT_SANITIZED) {
    covers(&gpci_mosi);
}

Test(coverage, moesi, .disabled = EFFORT_SANITIZED) {
    covers(&gpci_moesi);
}

Test(coverage, nmoesi, .disabled = EFFORT_SANITIZED) {
    covers(&gpci_nmoesi);
}

Test(coverage, nmoesi_multi2sim, .disabled = EFFORT_SANITIZED) {
    covers(&gpci_nmoesi_multi2sim);
}

Test(coverage, vi) {
    covers(&gpci_vi);
}

Test(coverage, none, .disabled = EFFORT_SANITIZED) {
    covers(&gpci_no_coherence);
}

Test(coverage, slc_glc, .disabled = EFFORT_SANITIZED) {
    covers(&gpci_slc_glc);
}
