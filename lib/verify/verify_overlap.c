/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/tree/invariants.h"
#include "verify/verify.h"

#include <stdio.h>
#include <string.h>

/*
 * Search through all states with accesses in flight. A state is the state of the tree and of its engine. A step is the
 * issue of an access by a module with fewer than `in_flight` accesses, the arrival of a message, or the restart of a
 * refused access; work without delay belongs to the step. Latencies of modules are 0. With `latencies`, latencies are
 * 1, and the end of a latency is a choice as well.
 */

typedef struct overlap_search {
    gpci_explorer explorer;
    gpci_states states;
    gpci_verify_graph graph;
    gpci_verify_found *found;
} overlap_search;

gpc_status gpci_verify_hold(gpci_explorer *explorer, gpc_error *error) {
    const gpci_verify_setup *setup = explorer->setup;
    const gpc_status status =
        gpc_coherence_hold(explorer->coherence, setup->entries, setup->one_channel ? 1 : 3, error);
    if (status != GPC_OK)
        return status;
    explorer->coherence->engine->performed = gpci_verify_performed;
    explorer->coherence->engine->performed_data = explorer;
    return GPC_OK;
}

bool gpci_verify_is_settled(const gpci_explorer *explorer) {
    const gpci_engine *engine = explorer->coherence->engine;
    return !engine->inflights.used && !engine->tasks.used && !engine->sent_messages.used &&
           !engine->calendar.later_count;
}

/*
 * True for an acquire of a single module, which overlaps with accesses. Flushes, and acquires of all modules, run while
 * nothing is in flight.
 */
static bool is_overlapping_acquire(const gpci_verify_action *action) {
    return action->kind == GPCI_VERIFY_ACQUIRE && action->module != GPC_NO_MODULE;
}

static uint32_t inflight_of(const gpci_engine *engine, uint64_t token) {
    uint32_t inflight = 0;
    while (gpci_tree_inflight_at(engine, inflight)->token != token)
        inflight++;
    return inflight;
}

static gpc_status issue_acquire(gpci_explorer *explorer, uint32_t module, gpc_error *error) {
    gpci_engine *engine = explorer->coherence->engine;
    gpc_coherence_request request = GPC_COHERENCE_REQUEST_INIT;
    uint64_t token;
    request.kind = GPC_COHERENCE_ACQUIRE;
    request.module = module;
    gpci_verify_acquires(explorer, module);
    const gpc_status status = gpc_coherence_issue(explorer->coherence, &request, &token, error);
    if (status != GPC_OK)
        return status;
    explorer->ghost.acquire = 1 + inflight_of(engine, token);
    return gpci_steps_until(engine, engine->now, error);
}

gpc_status gpci_verify_step(gpci_explorer *explorer, uint16_t how, gpc_error *error) {
    gpci_engine *engine = explorer->coherence->engine;
    gpc_coherence_request request = GPC_COHERENCE_REQUEST_INIT;
    gpc_coherence_result result = GPC_COHERENCE_RESULT_INIT;
    uint64_t token;
    gpc_status status = GPC_OK;
    *explorer->told = '\0';
    explorer->wrong.known = false;
    if (how & GPCI_VERIFY_CHOICE) {
        if (!gpci_engine_reserve_step(engine))
            return gpci_out_of_memory(error);
        gpci_hold_take(engine, how & ~GPCI_VERIFY_CHOICE);
    } else if (is_overlapping_acquire(&explorer->actions[how])) {
        return issue_acquire(explorer, explorer->actions[how].module, error);
    } else if (explorer->actions[how].kind > GPCI_VERIFY_N_STORE) {
        status = gpci_verify_do(explorer, &explorer->actions[how], error, &result);
        if (status == GPC_OK && explorer->actions[how].kind == GPCI_VERIFY_ACQUIRE)
            gpci_verify_acquires(explorer, GPC_NO_MODULE);
        return status;
    } else {
        gpci_verify_request(explorer, &explorer->actions[how], &request);
        status = gpc_coherence_issue(explorer->coherence, &request, &token, error);
    }
    return status == GPC_OK ? gpci_steps_until(engine, engine->now, error) : status;
}

/* -- checks */

static bool can_go_on(const gpci_engine *engine) {
    gpc_coherence_choice choice;
    for (uint32_t i = 0; gpci_hold_choice(engine, i, &choice); i++)
        if (choice.ready)
            return true;
    return false;
}

static void tell_deadlock(gpci_explorer *explorer, char *text, size_t size) {
    const gpci_engine *engine = explorer->coherence->engine;
    gpc_coherence_choice choice;
    gpc_error error = GPC_ERROR_INIT;
    if (gpci_hold_choice(engine, 0, &choice)) {
        char what[96];
        gpci_verify_tell_choice(&choice, what, sizeof what);
        snprintf(text, size, "deadlock: nothing can happen. %s: waits, since m%u has the block locked", what,
                 choice.to);
        return;
    }
    (void)gpc_coherence_advance(explorer->coherence, engine->now, &error);
    snprintf(text, size, "%.500s", error.message);
}

gpc_verify_verdict gpci_verify_overlap_judge(gpci_explorer *explorer, char *text, size_t size) {
    const uint32_t blocks = explorer->setup->blocks;
    for (uint32_t b = 0; b < blocks; b++)
        if (!gpci_invariants_one_writer(explorer->coherence, gpci_verify_address(b, 0), text, size))
            return GPC_VERIFY_STRUCTURE;
    (void)(*explorer->told || gpci_verify_detached(explorer));
    if (*explorer->told && !explorer->setup->structure_only) {
        snprintf(text, size, "%s", explorer->told);
        return GPC_VERIFY_VALUE;
    }
    const gpci_engine *engine = explorer->coherence->engine;
    if (!gpci_verify_is_settled(explorer)) {
        if (can_go_on(engine))
            return GPC_VERIFY_PASSED;
        tell_deadlock(explorer, text, size);
        return GPC_VERIFY_DEADLOCK;
    }
    const bool sound =
        gpci_invariants_of_tags(explorer->coherence, text, size) &&
        gpci_invariants_over(explorer->coherence, GPCI_VERIFY_BASE, (uint64_t)blocks * GPCI_VERIFY_BLOCK, text, size);
    return sound ? GPC_VERIFY_PASSED : GPC_VERIFY_STRUCTURE;
}

/* -- the search */

static bool fails(overlap_search *search, gpc_status status) {
    search->found->status = status;
    snprintf(search->found->text, sizeof search->found->text, "out of memory");
    return false;
}

static bool learn(overlap_search *search, const gpci_verify_hash *hash, uint32_t state, uint16_t how, uint32_t *to) {
    gpci_explorer *explorer = &search->explorer;
    char text[GPC_VERIFY_TEXT] = "";
    const size_t bytes = gpci_verify_overlap_bytes(explorer);
    if (!gpci_verify_image_reserve(explorer, &explorer->image, &explorer->image_capacity, bytes))
        return fails(search, GPC_ERROR_MEMORY);
    gpci_verify_overlap_save(explorer, explorer->image);
    if (!gpci_verify_learn(explorer, &search->states, search->found, hash, explorer->image, bytes, state, how, to))
        return false;
    search->found->bytes += search->graph.edge_capacity * sizeof *search->graph.edges +
                            search->graph.start_capacity * sizeof *search->graph.starts;
    if (explorer->setup->structure_only || !gpci_verify_is_settled(explorer) ||
        gpci_verify_nothing_lost(explorer, text, sizeof text))
        return true;
    gpci_verify_tell(explorer, &search->states, search->found, *to, GPCI_VERIFY_NO_STEP,
                     explorer->wrong.known ? GPC_VERIFY_LOST : GPC_VERIFY_REFUSED, text);
    return false;
}

/*
 * Execute step `how` in the expanded state, check the new state, and store it if new. `issue`: the step begins an
 * access; `retry`: the step restarts an access. False: the search ends.
 */
static bool follow(overlap_search *search, uint32_t state, uint16_t how, bool issue, bool retry) {
    gpci_explorer *explorer = &search->explorer;
    gpc_error error = GPC_ERROR_INIT;
    char text[GPC_VERIFY_TEXT] = "";
    gpci_verify_hash hash;
    gpci_verify_overlap_load(explorer, explorer->base);
    const gpc_status status = gpci_verify_step(explorer, how, &error);
    search->found->edges++;
    if (status == GPC_ERROR_MEMORY)
        return fails(search, status);
    gpc_verify_verdict verdict = GPC_VERIFY_REFUSED;
    if (status != GPC_OK)
        snprintf(text, sizeof text, "refused: %.480s", error.message);
    else
        verdict = gpci_verify_overlap_judge(explorer, text, sizeof text);
    if (verdict != GPC_VERIFY_PASSED) {
        gpci_verify_tell(explorer, &search->states, search->found, state, how, verdict, text);
        return false;
    }
    gpci_verify_overlap_scrub(explorer);
    if (!gpci_verify_overlap_key(explorer, &hash))
        return fails(search, GPC_ERROR_MEMORY);
    uint32_t to = gpci_states_find(&search->states, &hash);
    if (to == GPCI_VERIFY_NO_STATE && !learn(search, &hash, state, how, &to))
        return false;
    return issue || gpci_verify_graph_add(explorer->setup->context, &search->graph, to, retry) ||
           fails(search, GPC_ERROR_MEMORY);
}

static uint32_t in_flight(const gpci_explorer *explorer, uint32_t module) {
    const gpci_engine *engine = explorer->coherence->engine;
    uint32_t count = 0;
    for (uint32_t f = engine->units[module].oldest; f != GPCI_NO_ITEM; f = gpci_inflight_rest_of(engine, f)->newer)
        count++;
    return count;
}

bool gpci_verify_may_issue(const gpci_explorer *explorer, const gpci_verify_action *action) {
    if (is_overlapping_acquire(action))
        return !explorer->ghost.acquire;
    if (action->kind > GPCI_VERIFY_N_STORE)
        return gpci_verify_is_settled(explorer);
    return in_flight(explorer, action->module) < explorer->setup->in_flight;
}

static bool issue_all(overlap_search *search, uint32_t state) {
    gpci_explorer *explorer = &search->explorer;
    bool may[GPCI_VERIFY_ACTIONS];
    for (uint32_t i = 0; i < explorer->action_count; i++)
        may[i] = gpci_verify_may_issue(explorer, &explorer->actions[i]);
    for (uint32_t i = 0; i < explorer->action_count; i++)
        if (may[i] && !follow(search, state, (uint16_t)i, true, false))
            return false;
    return true;
}

static bool choose_all(overlap_search *search, uint32_t state, uint32_t count) {
    gpc_coherence_choice choice;
    for (uint32_t i = 0; i < count; i++) {
        gpci_verify_overlap_load(&search->explorer, search->explorer.base);
        if (!gpci_hold_choice(search->explorer.coherence->engine, i, &choice) || !choice.ready)
            continue;
        if (!follow(search, state, (uint16_t)(GPCI_VERIFY_CHOICE | i), false, choice.kind == GPC_CHOICE_RETRY))
            return false;
    }
    return true;
}

static bool expand(overlap_search *search, uint32_t state) {
    gpci_explorer *explorer = &search->explorer;
    if (!gpci_verify_image_reserve(explorer, &explorer->base, &explorer->base_capacity,
                                   gpci_states_size(&search->states, state)))
        return fails(search, GPC_ERROR_MEMORY);
    gpci_states_thaw(&search->states, state, explorer->base);
    gpci_verify_overlap_load(explorer, explorer->base);
    if (!gpci_verify_graph_begin(explorer->setup->context, &search->graph, gpci_verify_is_settled(explorer)))
        return fails(search, GPC_ERROR_MEMORY);
    const uint32_t choices = gpci_hold_choices(explorer->coherence->engine);
    if (!choose_all(search, state, choices))
        return false;
    gpci_verify_overlap_load(explorer, explorer->base);
    if (!issue_all(search, state))
        return false;
    gpci_states_spend(&search->states, state);
    search->found->expanded++;
    if (explorer->setup->progress && !explorer->setup->progress(explorer->setup->data, search->found)) {
        search->found->limit = GPC_VERIFY_LIMIT_CANCELLED;
        return false;
    }
    return true;
}

/* Look in the whole graph for states in which accesses cannot end. */
static void look_for_livelock(overlap_search *search) {
    uint32_t stuck = GPCI_VERIFY_NO_STATE, circle = GPCI_VERIFY_NO_STATE;
    if (search->found->violations || search->found->status != GPC_OK)
        return;
    /* leave out the state whose expansion ended the search: it lacks steps */
    if (search->found->limit != GPC_VERIFY_ALL)
        search->graph.states =
            search->found->expanded < search->graph.states ? (uint32_t)search->found->expanded : search->graph.states;
    search->graph.count = search->graph.states ? search->graph.starts[search->graph.states] : 0;
    if (gpci_verify_graph_look(search->explorer.setup->context, &search->graph, search->states.count, &stuck,
                               &circle) != GPC_OK) {
        (void)fails(search, GPC_ERROR_MEMORY);
        return;
    }
    search->explorer.wrong.known = false;
    if (stuck != GPCI_VERIFY_NO_STATE)
        gpci_verify_tell(&search->explorer, &search->states, search->found, stuck, GPCI_VERIFY_NO_STEP,
                         GPC_VERIFY_LIVELOCK,
                         "livelock: in whatever order messages arrive from here on, an access never ends");
    else if (circle != GPCI_VERIFY_NO_STATE)
        gpci_verify_tell(&search->explorer, &search->states, search->found, circle, GPCI_VERIFY_NO_STEP,
                         GPC_VERIFY_LIVELOCK,
                         "livelock: from here on messages can go round for ever, and no access begins again");
}

static void search_all(overlap_search *search) {
    gpci_verify_hash hash;
    uint32_t first;
    if (!gpci_verify_overlap_key(&search->explorer, &hash)) {
        (void)fails(search, GPC_ERROR_MEMORY);
        return;
    }
    bool more = learn(search, &hash, 0, 0, &first);
    for (uint32_t at = 0; more && at < search->states.count; at++)
        more = expand(search, at);
    look_for_livelock(search);
    if (search->found->violations)
        search->found->limit = GPC_VERIFY_LIMIT_VIOLATION;
}

void gpci_verify_overlap(const gpci_verify_setup *setup, gpci_verify_found *found) {
    overlap_search search = {.found = found};
    gpc_error error = GPC_ERROR_INIT;
    if (!gpci_verify_open(&search.explorer, setup, found))
        return;
    gpci_states_open(&search.states, setup->context);
    found->status = gpci_verify_hold(&search.explorer, &error);
    if (found->status != GPC_OK)
        snprintf(found->text, sizeof found->text, "%.500s", error.message);
    else
        search_all(&search);
    gpci_verify_graph_close(setup->context, &search.graph);
    gpci_states_close(&search.states);
    gpci_verify_close(&search.explorer);
}
