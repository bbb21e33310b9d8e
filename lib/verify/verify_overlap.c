/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/tree/invariants.h"
#include "verify/verify.h"

#include <stdio.h>
#include <string.h>

/*
 * Search through all states with accesses in flight. A state is the tree's state and its controllers' state. A step is
 * the issue of an access by a module with fewer than `in_flight` accesses, the arrival of a message, or the restart of
 * a refused access; immediate consequences belong to the step. Module latencies are 0. With `latencies` they are 1, and
 * their ends are choices as well.
 */

typedef struct overlap_search {
    gpci_explorer e;
    gpci_states k;
    gpci_verify_graph graph;
    gpci_verify_found *found;
} overlap_search;

gpc_status gpci_verify_hold(gpci_explorer *e, gpc_error *error) {
    const gpci_verify_setup *s = e->setup;
    const gpc_status status = gpc_coherence_hold(e->c, s->entries, s->one_channel ? 1 : 3, error);
    if (status != GPC_OK)
        return status;
    e->c->engine->performed = gpci_verify_performed;
    e->c->engine->performed_data = e;
    return GPC_OK;
}

bool gpci_verify_is_settled(const gpci_explorer *e) {
    const gpci_engine *c = e->c->engine;
    return !c->inflights.used && !c->tasks.used && !c->sent_messages.used && !c->calendar.later_count;
}

/*
 * True for an acquire of a single module: the acquire overlaps with accesses. Flushes, and acquires of every module,
 * are done at once.
 */
static bool is_issued_whole(const gpci_verify_action *a) {
    return a->kind == GPCI_VERIFY_ACQUIRE && a->module != GPC_NO_MODULE;
}

static uint32_t inflight_of(const gpci_engine *c, uint64_t token) {
    uint32_t inflight = 0;
    while (gpci_tree_inflight_at(c, inflight)->token != token)
        inflight++;
    return inflight;
}

static gpc_status issue_acquire(gpci_explorer *e, uint32_t module, gpc_error *error) {
    gpci_engine *c = e->c->engine;
    gpc_coherence_request request = GPC_COHERENCE_REQUEST_INIT;
    uint64_t token;
    request.kind = GPC_COHERENCE_ACQUIRE;
    request.module = module;
    gpci_verify_acquires(e, module);
    const gpc_status status = gpc_coherence_issue(e->c, &request, error, &token);
    if (status != GPC_OK)
        return status;
    e->ghost.acquire = 1 + inflight_of(c, token);
    return gpci_steps_until(c, c->now, error);
}

gpc_status gpci_verify_step(gpci_explorer *e, uint16_t how, gpc_error *error) {
    gpci_engine *c = e->c->engine;
    gpc_coherence_request request = GPC_COHERENCE_REQUEST_INIT;
    gpc_coherence_result result = GPC_COHERENCE_RESULT_INIT;
    uint64_t token;
    gpc_status status = GPC_OK;
    *e->told = '\0';
    e->wrong.known = false;
    if (how & GPCI_VERIFY_CHOICE) {
        if (!gpci_engine_room(c))
            return gpci_out_of_memory(error);
        gpci_hold_take(c, how & ~GPCI_VERIFY_CHOICE);
    } else if (is_issued_whole(&e->actions[how])) {
        return issue_acquire(e, e->actions[how].module, error);
    } else if (e->actions[how].kind > GPCI_VERIFY_N_STORE) {
        status = gpci_verify_do(e, &e->actions[how], error, &result);
        if (status == GPC_OK && e->actions[how].kind == GPCI_VERIFY_ACQUIRE)
            gpci_verify_acquires(e, GPC_NO_MODULE);
        return status;
    } else {
        gpci_verify_request(e, &e->actions[how], &request);
        status = gpc_coherence_issue(e->c, &request, error, &token);
    }
    return status == GPC_OK ? gpci_steps_until(c, c->now, error) : status;
}

/* -- checks */

static bool can_go_on(const gpci_engine *c) {
    gpc_coherence_choice choice;
    for (uint32_t i = 0; gpci_hold_choice(c, i, &choice); i++)
        if (choice.ready)
            return true;
    return false;
}

static void tell_deadlock(gpci_explorer *e, char *text, size_t size) {
    const gpci_engine *c = e->c->engine;
    gpc_coherence_choice choice;
    gpc_error error = GPC_ERROR_INIT;
    if (gpci_hold_choice(c, 0, &choice)) {
        char what[96];
        gpci_verify_tell_choice(&choice, what, sizeof what);
        snprintf(text, size, "deadlock: nothing can happen. %s: waits, since m%u has the block locked", what,
                 choice.to);
        return;
    }
    (void)gpc_coherence_advance(e->c, c->now, &error);
    snprintf(text, size, "%.500s", error.message);
}

gpc_verify_verdict gpci_verify_overlap_judge(gpci_explorer *e, char *text, size_t size) {
    const uint32_t blocks = e->setup->blocks;
    for (uint32_t b = 0; b < blocks; b++)
        if (!gpci_invariants_one_writer(e->c, gpci_verify_address(b, 0), text, size))
            return GPC_VERIFY_STRUCTURE;
    (void)(*e->told || gpci_verify_detached(e));
    if (*e->told && !e->setup->structure_only) {
        snprintf(text, size, "%s", e->told);
        return GPC_VERIFY_VALUE;
    }
    const gpci_engine *c = e->c->engine;
    if (!gpci_verify_is_settled(e)) {
        if (can_go_on(c))
            return GPC_VERIFY_PASSED;
        tell_deadlock(e, text, size);
        return GPC_VERIFY_DEADLOCK;
    }
    const bool sound = gpci_invariants_of_tags(e->c, text, size) &&
                       gpci_invariants_over(e->c, GPCI_VERIFY_BASE, (uint64_t)blocks * GPCI_VERIFY_BLOCK, text, size);
    return sound ? GPC_VERIFY_PASSED : GPC_VERIFY_STRUCTURE;
}

/* -- the search */

static bool fails(overlap_search *s, gpc_status status) {
    s->found->status = status;
    snprintf(s->found->text, sizeof s->found->text, "out of memory");
    return false;
}

static bool learn(overlap_search *s, const gpci_verify_hash *hash, uint32_t state, uint16_t how, uint32_t *to) {
    gpci_explorer *e = &s->e;
    char text[GPC_VERIFY_TEXT] = "";
    const size_t bytes = gpci_verify_overlap_bytes(e);
    if (!gpci_verify_image_room(e, &e->image, &e->image_room, bytes))
        return fails(s, GPC_ERROR_MEMORY);
    gpci_verify_overlap_save(e, e->image);
    if (!gpci_verify_learn(e, &s->k, s->found, hash, e->image, bytes, state, how, to))
        return false;
    s->found->bytes += s->graph.edge_room * sizeof *s->graph.edges + s->graph.start_room * sizeof *s->graph.starts;
    if (e->setup->structure_only || !gpci_verify_is_settled(e) || gpci_verify_nothing_lost(e, text, sizeof text))
        return true;
    gpci_verify_tell(e, &s->k, s->found, *to, GPCI_VERIFY_NO_STEP,
                     e->wrong.known ? GPC_VERIFY_LOST : GPC_VERIFY_REFUSED, text);
    return false;
}

/* Follow a choice. False: the search ends. */
static bool follow(overlap_search *s, uint32_t state, uint16_t how, bool issue, bool retry) {
    gpci_explorer *e = &s->e;
    gpc_error error = GPC_ERROR_INIT;
    char text[GPC_VERIFY_TEXT] = "";
    gpci_verify_hash hash;
    gpci_verify_overlap_load(e, e->base);
    const gpc_status status = gpci_verify_step(e, how, &error);
    s->found->edges++;
    if (status == GPC_ERROR_MEMORY)
        return fails(s, status);
    gpc_verify_verdict verdict = GPC_VERIFY_REFUSED;
    if (status != GPC_OK)
        snprintf(text, sizeof text, "refused: %.480s", error.message);
    else
        verdict = gpci_verify_overlap_judge(e, text, sizeof text);
    if (verdict != GPC_VERIFY_PASSED) {
        gpci_verify_tell(e, &s->k, s->found, state, how, verdict, text);
        return false;
    }
    gpci_verify_overlap_scrub(e);
    if (!gpci_verify_overlap_key(e, &hash))
        return fails(s, GPC_ERROR_MEMORY);
    uint32_t to = gpci_states_find(&s->k, &hash);
    if (to == GPCI_VERIFY_NO_STATE && !learn(s, &hash, state, how, &to))
        return false;
    return issue || gpci_verify_graph_add(e->setup->context, &s->graph, to, retry) || fails(s, GPC_ERROR_MEMORY);
}

static uint32_t in_flight(const gpci_explorer *e, uint32_t module) {
    const gpci_engine *c = e->c->engine;
    uint32_t count = 0;
    for (uint32_t f = c->units[module].oldest; f != GPCI_NO_ITEM; f = gpci_inflight_rest_of(c, f)->newer)
        count++;
    return count;
}

bool gpci_verify_may_issue(const gpci_explorer *e, const gpci_verify_action *a) {
    if (is_issued_whole(a))
        return !e->ghost.acquire;
    if (a->kind > GPCI_VERIFY_N_STORE)
        return gpci_verify_is_settled(e);
    return in_flight(e, a->module) < e->setup->in_flight;
}

static bool issue_all(overlap_search *s, uint32_t state) {
    gpci_explorer *e = &s->e;
    bool may[GPCI_VERIFY_ACTIONS];
    for (uint32_t i = 0; i < e->action_count; i++)
        may[i] = gpci_verify_may_issue(e, &e->actions[i]);
    for (uint32_t i = 0; i < e->action_count; i++)
        if (may[i] && !follow(s, state, (uint16_t)i, true, false))
            return false;
    return true;
}

static bool choose_all(overlap_search *s, uint32_t state, uint32_t count) {
    gpc_coherence_choice choice;
    for (uint32_t i = 0; i < count; i++) {
        gpci_verify_overlap_load(&s->e, s->e.base);
        if (!gpci_hold_choice(s->e.c->engine, i, &choice) || !choice.ready)
            continue;
        if (!follow(s, state, (uint16_t)(GPCI_VERIFY_CHOICE | i), false, choice.kind == GPC_CHOICE_RETRY))
            return false;
    }
    return true;
}

static bool expand(overlap_search *s, uint32_t state) {
    gpci_explorer *e = &s->e;
    if (!gpci_verify_image_room(e, &e->base, &e->base_room, gpci_states_size(&s->k, state)))
        return fails(s, GPC_ERROR_MEMORY);
    gpci_states_thaw(&s->k, state, e->base);
    gpci_verify_overlap_load(e, e->base);
    if (!gpci_verify_graph_begin(e->setup->context, &s->graph, gpci_verify_is_settled(e)))
        return fails(s, GPC_ERROR_MEMORY);
    const uint32_t choices = gpci_hold_choices(e->c->engine);
    if (!choose_all(s, state, choices))
        return false;
    gpci_verify_overlap_load(e, e->base);
    if (!issue_all(s, state))
        return false;
    gpci_states_spend(&s->k, state);
    s->found->expanded++;
    if (e->setup->progress && !e->setup->progress(e->setup->data, s->found)) {
        s->found->limit = GPC_VERIFY_LIMIT_CANCELLED;
        return false;
    }
    return true;
}

/* Check the whole graph. */
static void look_for_livelock(overlap_search *s) {
    uint32_t stuck = GPCI_VERIFY_NO_STATE, circle = GPCI_VERIFY_NO_STATE;
    if (s->found->violations || s->found->status != GPC_OK)
        return;
    if (s->found->limit != GPC_VERIFY_ALL) /* the state at which the search ended lacks steps */
        s->graph.states = s->found->expanded < s->graph.states ? (uint32_t)s->found->expanded : s->graph.states;
    s->graph.count = s->graph.states ? s->graph.starts[s->graph.states] : 0;
    if (gpci_verify_graph_look(s->e.setup->context, &s->graph, s->k.count, &stuck, &circle) != GPC_OK) {
        (void)fails(s, GPC_ERROR_MEMORY);
        return;
    }
    s->e.wrong.known = false;
    if (stuck != GPCI_VERIFY_NO_STATE)
        gpci_verify_tell(&s->e, &s->k, s->found, stuck, GPCI_VERIFY_NO_STEP, GPC_VERIFY_LIVELOCK,
                         "livelock: in whatever order messages arrive from here on, an access never ends");
    else if (circle != GPCI_VERIFY_NO_STATE)
        gpci_verify_tell(&s->e, &s->k, s->found, circle, GPCI_VERIFY_NO_STEP, GPC_VERIFY_LIVELOCK,
                         "livelock: from here on messages can go round for ever, and no access begins again");
}

static void search_all(overlap_search *s) {
    gpci_verify_hash hash;
    uint32_t first;
    if (!gpci_verify_overlap_key(&s->e, &hash)) {
        (void)fails(s, GPC_ERROR_MEMORY);
        return;
    }
    bool more = learn(s, &hash, 0, 0, &first);
    for (uint32_t at = 0; more && at < s->k.count; at++)
        more = expand(s, at);
    look_for_livelock(s);
    if (s->found->violations)
        s->found->limit = GPC_VERIFY_LIMIT_VIOLATION;
}

void gpci_verify_overlap(const gpci_verify_setup *setup, gpci_verify_found *found) {
    overlap_search s = {.found = found};
    gpc_error error = GPC_ERROR_INIT;
    if (!gpci_verify_open(&s.e, setup, found))
        return;
    gpci_states_open(&s.k, setup->context);
    found->status = gpci_verify_hold(&s.e, &error);
    if (found->status != GPC_OK)
        snprintf(found->text, sizeof found->text, "%.500s", error.message);
    else
        search_all(&s);
    gpci_verify_graph_close(setup->context, &s.graph);
    gpci_states_close(&s.k);
    gpci_verify_close(&s.e);
}
