/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/tree/invariants.h"
#include "verify/verify.h"

#include <stdio.h>
#include <string.h>

/* Search through all states, with accesses one at a time; and functions shared with verify_overlap.c. */

/* -- violations */

static void keep_path(const gpci_states *states, gpci_verify_found *found, uint32_t state, uint16_t how) {
    uint32_t length = how != GPCI_VERIFY_NO_STEP, at;
    for (at = state; at && length < GPC_VERIFY_STEPS; at = states->parents[at])
        length++;
    found->path_cut = at != 0;
    found->path_count = length;
    if (how != GPCI_VERIFY_NO_STEP)
        found->path[--length] = how;
    for (at = state; length; at = states->parents[at])
        found->path[--length] = states->how[at];
}

void gpci_verify_tell(const gpci_explorer *explorer, const gpci_states *states, gpci_verify_found *found,
                      uint32_t state, uint16_t how, gpc_verify_verdict verdict, const char *text) {
    if (found->violations++)
        return;
    found->verdict = verdict;
    found->wrong = explorer->wrong;
    snprintf(found->text, sizeof found->text, "%s", text);
    keep_path(states, found, state, how);
}

/* -- states */

bool gpci_verify_learn(gpci_explorer *explorer, gpci_states *states, gpci_verify_found *found,
                       const gpci_verify_hash *hash, const void *image, size_t bytes, uint32_t parent, uint16_t how,
                       uint32_t *out_state) {
    const gpci_verify_setup *setup = explorer->setup;
    *out_state = states->count;
    found->status = gpci_states_add(states, hash, image, bytes, parent, how);
    if (found->status != GPC_OK)
        return false;
    found->states = states->count;
    found->bytes = states->bytes;
    found->depth = states->depths[states->count - 1];
    if (setup->most && states->count > setup->most)
        found->limit = GPC_VERIFY_LIMIT_STATES;
    else if (setup->memory && states->bytes > setup->memory)
        found->limit = GPC_VERIFY_LIMIT_MEMORY;
    return found->limit == GPC_VERIFY_ALL;
}

bool gpci_verify_image_reserve(const gpci_explorer *explorer, char **image, size_t *capacity, size_t bytes) {
    if (bytes <= *capacity)
        return true;
    char *larger = gpci_resize(explorer->setup->context, *image, 2 * bytes, 1);
    if (!larger)
        return false;
    *image = larger;
    *capacity = 2 * bytes;
    return true;
}

static bool make_image(gpci_explorer *explorer, size_t *bytes) {
    const size_t size = sizeof explorer->ghost + gpci_coherence_saved_bytes(explorer->coherence);
    if (!gpci_verify_image_reserve(explorer, &explorer->image, &explorer->image_capacity, size))
        return false;
    memcpy(explorer->image, &explorer->ghost, sizeof explorer->ghost);
    gpci_coherence_save(explorer->coherence, explorer->image + sizeof explorer->ghost);
    *bytes = size;
    return true;
}

static void go_back(gpci_explorer *explorer) {
    memcpy(&explorer->ghost, explorer->base, sizeof explorer->ghost);
    gpci_coherence_load(explorer->coherence, explorer->base + sizeof explorer->ghost);
}

/* -- checks */

static bool is_done_once(const gpc_coherence_result *result, char *text, size_t size) {
    uint32_t done = 0;
    for (uint32_t i = 0; i < result->message_count; i++)
        done += result->messages[i].kind == GPC_MESSAGE_FINISH;
    if (done != 1)
        snprintf(text, size, "conservation: an access is done %u times", done);
    return done == 1;
}

static bool is_sound(gpci_explorer *explorer, const gpci_verify_action *action, const gpci_verify_picture *before,
                     const gpc_coherence_result *result, char *text, size_t size) {
    const uint64_t window = (uint64_t)explorer->setup->blocks * GPCI_VERIFY_BLOCK;
    if (!is_done_once(result, text, size))
        return false;
    if (!gpci_invariants_of_tags(explorer->coherence, text, size) ||
        !gpci_invariants_over(explorer->coherence, GPCI_VERIFY_BASE, window, text, size))
        return false;
    if (explorer->setup->structure_only)
        return true;
    gpci_verify_picture after;
    gpci_verify_look(explorer, &after);
    gpci_verify_judge(explorer, action, before, &after, text, size);
    if (!*text && explorer->setup->judge)
        explorer->setup->judge(explorer, action, before, &after, result, text, size);
    return !*text;
}

/* -- the search */

typedef struct single_search {
    gpci_explorer explorer;
    gpci_states states;
    gpci_verify_found *found;
    gpci_verify_picture before;
} single_search;

/*
 * Execute choice `how` in the expanded state, check the new state, and store it if new. False: the search ends, by a
 * violation, a bound or lack of memory.
 */
static bool follow(single_search *search, uint32_t state, uint16_t how) {
    gpci_explorer *explorer = &search->explorer;
    gpc_error error = GPC_ERROR_INIT;
    gpc_coherence_result result = GPC_COHERENCE_RESULT_INIT;
    char text[GPC_VERIFY_TEXT] = "";
    explorer->wrong.known = false;
    const gpc_status status = gpci_verify_do(explorer, &explorer->actions[how], &error, &result);
    search->found->edges++;
    if (status == GPC_ERROR_MEMORY) {
        search->found->status = status;
        return false;
    }
    if (status)
        snprintf(text, sizeof text, "refused: %.480s", error.message);
    if (status || !is_sound(explorer, &explorer->actions[how], &search->before, &result, text, sizeof text)) {
        const gpc_verify_verdict verdict = status                  ? GPC_VERIFY_REFUSED
                                           : explorer->wrong.known ? GPC_VERIFY_VALUE
                                                                   : GPC_VERIFY_STRUCTURE;
        gpci_verify_tell(explorer, &search->states, search->found, state, how, verdict, text);
        return explorer->setup->go_on && !status;
    }
    const gpci_verify_hash hash = gpci_verify_key(explorer);
    if (explorer->setup->edge)
        explorer->setup->edge(explorer->setup->data, how, search->states.hashes[state].one, hash.one, &result);
    uint32_t to = gpci_states_find(&search->states, &hash);
    size_t bytes = 0;
    if (to != GPCI_VERIFY_NO_STATE)
        return true;
    if (!make_image(explorer, &bytes))
        search->found->status = GPC_ERROR_MEMORY;
    return bytes &&
           gpci_verify_learn(explorer, &search->states, search->found, &hash, explorer->image, bytes, state, how, &to);
}

static bool expand(single_search *search, uint32_t state) {
    gpci_explorer *explorer = &search->explorer;
    bool more = gpci_verify_image_reserve(explorer, &explorer->base, &explorer->base_capacity,
                                          gpci_states_size(&search->states, state));
    if (!more)
        search->found->status = GPC_ERROR_MEMORY;
    else
        gpci_states_thaw(&search->states, state, explorer->base);
    for (uint32_t i = 0; i < explorer->action_count && more; i++) {
        go_back(explorer);
        if (!i && !explorer->setup->structure_only)
            gpci_verify_look(explorer, &search->before);
        more = follow(search, state, (uint16_t)(explorer->setup->backwards ? explorer->action_count - 1 - i : i));
    }
    gpci_states_spend(&search->states, state);
    search->found->expanded++;
    if (more && explorer->setup->progress && !explorer->setup->progress(explorer->setup->data, search->found)) {
        search->found->limit = GPC_VERIFY_LIMIT_CANCELLED;
        return false;
    }
    return more;
}

static void search_all(single_search *search) {
    gpci_states *states = &search->states;
    for (uint32_t at = 0; !search->explorer.setup->backwards && at < states->count; at++)
        if (!expand(search, at))
            return;
    while (search->explorer.setup->backwards && states->pending_count)
        if (!expand(search, states->pending[--states->pending_count]))
            return;
}

bool gpci_verify_open(gpci_explorer *explorer, const gpci_verify_setup *setup, gpci_verify_found *found) {
    gpc_error error = GPC_ERROR_INIT;
    memset(found, 0, sizeof *found);
    memset(explorer, 0, sizeof *explorer);
    explorer->setup = setup;
    explorer->coherence = gpci_verify_make(setup, &error);
    if (!explorer->coherence) {
        found->status = error.status;
        snprintf(found->text, sizeof found->text, "%.500s", error.message);
        return false;
    }
    explorer->tracked = explorer->coherence->protocol->flags & GPC_PROTOCOL_DIRECTORY;
    explorer->coherent = explorer->tracked && !setup->races;
    for (uint32_t i = 0; i < explorer->coherence->module_count; i++)
        for (uint32_t b = 0; b < setup->blocks; b++) {
            const gpci_module *module = &explorer->coherence->modules[i];
            explorer->low[i][b] = module->given.memory
                                      ? GPC_NO_MODULE
                                      : gpci_module_low(explorer->coherence, module, gpci_verify_address(b, 0));
        }
    gpci_verify_find_permutations(explorer);
    gpci_verify_choices(explorer);
    return true;
}

void gpci_verify_close(gpci_explorer *explorer) {
    gpci_free(explorer->setup->context, explorer->image);
    gpci_free(explorer->setup->context, explorer->base);
    gpci_free(explorer->setup->context, explorer->numbers);
    gpc_coherence_destroy(explorer->coherence);
}

void gpci_verify_explore(const gpci_verify_setup *setup, gpci_verify_found *found) {
    single_search search = {.found = found};
    if (!gpci_verify_open(&search.explorer, setup, found))
        return;
    gpci_states_open(&search.states, setup->context);
    const gpci_verify_hash hash = gpci_verify_key(&search.explorer);
    size_t bytes = 0;
    uint32_t first;
    if (!make_image(&search.explorer, &bytes))
        found->status = GPC_ERROR_MEMORY;
    else if (gpci_verify_learn(&search.explorer, &search.states, found, &hash, search.explorer.image, bytes, 0, 0,
                               &first))
        search_all(&search);
    if (found->violations && found->limit == GPC_VERIFY_ALL && !setup->go_on)
        found->limit = GPC_VERIFY_LIMIT_VIOLATION;
    gpci_states_close(&search.states);
    gpci_verify_close(&search.explorer);
}
