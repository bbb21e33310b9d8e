/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/tree/invariants.h"
#include "verify/verify.h"

#include <stdio.h>
#include <string.h>

/* Search through all states with accesses one at a time, and parts shared with verify_overlap.c. */

/* -- violations */

static void keep_path(const gpci_states *k, gpci_verify_found *found, uint32_t state, uint16_t how) {
    uint32_t length = how != GPCI_VERIFY_NO_STEP, at;
    for (at = state; at && length < GPC_VERIFY_STEPS; at = k->parents[at])
        length++;
    found->path_cut = at != 0;
    found->path_count = length;
    if (how != GPCI_VERIFY_NO_STEP)
        found->path[--length] = how;
    for (at = state; length; at = k->parents[at])
        found->path[--length] = k->how[at];
}

void gpci_verify_tell(const gpci_explorer *e, const gpci_states *k, gpci_verify_found *found, uint32_t state,
                      uint16_t how, gpc_verify_verdict verdict, const char *text) {
    if (found->violations++)
        return;
    found->verdict = verdict;
    found->wrong = e->wrong;
    snprintf(found->text, sizeof found->text, "%s", text);
    keep_path(k, found, state, how);
}

/* -- states */

bool gpci_verify_learn(gpci_explorer *e, gpci_states *k, gpci_verify_found *found, const gpci_verify_hash *hash,
                       const void *image, size_t bytes, uint32_t parent, uint16_t how, uint32_t *out_state) {
    const gpci_verify_setup *s = e->setup;
    *out_state = k->count;
    found->status = gpci_states_add(k, hash, image, bytes, parent, how);
    if (found->status != GPC_OK)
        return false;
    found->states = k->count;
    found->bytes = k->bytes;
    found->depth = k->depths[k->count - 1];
    if (s->most && k->count > s->most)
        found->limit = GPC_VERIFY_LIMIT_STATES;
    else if (s->memory && k->bytes > s->memory)
        found->limit = GPC_VERIFY_LIMIT_MEMORY;
    return found->limit == GPC_VERIFY_ALL;
}

bool gpci_verify_image_room(const gpci_explorer *e, char **image, size_t *room, size_t bytes) {
    if (bytes <= *room)
        return true;
    char *larger = gpci_resize(e->setup->context, *image, 2 * bytes, 1);
    if (!larger)
        return false;
    *image = larger;
    *room = 2 * bytes;
    return true;
}

static bool make_image(gpci_explorer *e, size_t *bytes) {
    const size_t size = sizeof e->ghost + gpci_coherence_saved_bytes(e->c);
    if (!gpci_verify_image_room(e, &e->image, &e->image_room, size))
        return false;
    memcpy(e->image, &e->ghost, sizeof e->ghost);
    gpci_coherence_save(e->c, e->image + sizeof e->ghost);
    *bytes = size;
    return true;
}

static void go_back(gpci_explorer *e) {
    memcpy(&e->ghost, e->base, sizeof e->ghost);
    gpci_coherence_load(e->c, e->base + sizeof e->ghost);
}

/* -- checks */

static bool is_done_once(const gpc_coherence_result *r, char *text, size_t size) {
    uint32_t done = 0;
    for (uint32_t i = 0; i < r->message_count; i++)
        done += r->messages[i].kind == GPC_MESSAGE_FINISH;
    if (done != 1)
        snprintf(text, size, "conservation: an access is done %u times", done);
    return done == 1;
}

static bool is_sound(gpci_explorer *e, const gpci_verify_action *action, const gpci_verify_picture *before,
                     const gpc_coherence_result *result, char *text, size_t size) {
    const uint64_t window = (uint64_t)e->setup->blocks * GPCI_VERIFY_BLOCK;
    if (!is_done_once(result, text, size))
        return false;
    if (!gpci_invariants_of_tags(e->c, text, size) || !gpci_invariants_over(e->c, GPCI_VERIFY_BASE, window, text, size))
        return false;
    if (e->setup->structure_only)
        return true;
    gpci_verify_picture after;
    gpci_verify_look(e, &after);
    gpci_verify_judge(e, action, before, &after, text, size);
    if (!*text && e->setup->judge)
        e->setup->judge(e, action, before, &after, result, text, size);
    return !*text;
}

/* -- the search */

typedef struct single_search {
    gpci_explorer e;
    gpci_states k;
    gpci_verify_found *found;
    gpci_verify_picture before;
} single_search;

/* Follow a choice. False: the search ends, by a violation, a bound or lack of memory. */
static bool follow(single_search *s, uint32_t state, uint16_t how) {
    gpci_explorer *e = &s->e;
    gpc_error error = GPC_ERROR_INIT;
    gpc_coherence_result result = GPC_COHERENCE_RESULT_INIT;
    char text[GPC_VERIFY_TEXT] = "";
    e->wrong.known = false;
    const gpc_status status = gpci_verify_do(e, &e->actions[how], &error, &result);
    s->found->edges++;
    if (status == GPC_ERROR_MEMORY) {
        s->found->status = status;
        return false;
    }
    if (status)
        snprintf(text, sizeof text, "refused: %.480s", error.message);
    if (status || !is_sound(e, &e->actions[how], &s->before, &result, text, sizeof text)) {
        const gpc_verify_verdict verdict = status           ? GPC_VERIFY_REFUSED
                                           : e->wrong.known ? GPC_VERIFY_VALUE
                                                            : GPC_VERIFY_STRUCTURE;
        gpci_verify_tell(e, &s->k, s->found, state, how, verdict, text);
        return e->setup->go_on && !status;
    }
    const gpci_verify_hash hash = gpci_verify_key(e);
    if (e->setup->edge)
        e->setup->edge(e->setup->data, how, s->k.hashes[state].one, hash.one, &result);
    uint32_t to = gpci_states_find(&s->k, &hash);
    size_t bytes = 0;
    if (to != GPCI_VERIFY_NO_STATE)
        return true;
    if (!make_image(e, &bytes))
        s->found->status = GPC_ERROR_MEMORY;
    return bytes && gpci_verify_learn(e, &s->k, s->found, &hash, e->image, bytes, state, how, &to);
}

static bool expand(single_search *s, uint32_t state) {
    gpci_explorer *e = &s->e;
    bool more = gpci_verify_image_room(e, &e->base, &e->base_room, gpci_states_size(&s->k, state));
    if (!more)
        s->found->status = GPC_ERROR_MEMORY;
    else
        gpci_states_thaw(&s->k, state, e->base);
    for (uint32_t i = 0; i < e->action_count && more; i++) {
        go_back(e);
        if (!i && !e->setup->structure_only)
            gpci_verify_look(e, &s->before);
        more = follow(s, state, (uint16_t)(e->setup->backwards ? e->action_count - 1 - i : i));
    }
    gpci_states_spend(&s->k, state);
    s->found->expanded++;
    if (more && e->setup->progress && !e->setup->progress(e->setup->data, s->found)) {
        s->found->limit = GPC_VERIFY_LIMIT_CANCELLED;
        return false;
    }
    return more;
}

static void search_all(single_search *s) {
    gpci_states *k = &s->k;
    for (uint32_t at = 0; !s->e.setup->backwards && at < k->count; at++)
        if (!expand(s, at))
            return;
    while (s->e.setup->backwards && k->pending_count)
        if (!expand(s, k->pending[--k->pending_count]))
            return;
}

bool gpci_verify_open(gpci_explorer *e, const gpci_verify_setup *setup, gpci_verify_found *found) {
    gpc_error error = GPC_ERROR_INIT;
    memset(found, 0, sizeof *found);
    memset(e, 0, sizeof *e);
    e->setup = setup;
    e->c = gpci_verify_make(setup, &error);
    if (!e->c) {
        found->status = error.status;
        snprintf(found->text, sizeof found->text, "%.500s", error.message);
        return false;
    }
    e->tracked = e->c->protocol->flags & GPC_PROTOCOL_DIRECTORY;
    e->coherent = e->tracked && !setup->races;
    for (uint32_t i = 0; i < e->c->module_count; i++)
        for (uint32_t b = 0; b < setup->blocks; b++) {
            const gpci_module *m = &e->c->modules[i];
            e->low[i][b] = m->given.memory ? GPC_NO_MODULE : gpci_module_low(e->c, m, gpci_verify_address(b, 0));
        }
    gpci_verify_find_turns(e);
    gpci_verify_choices(e);
    return true;
}

void gpci_verify_close(gpci_explorer *e) {
    gpci_free(e->setup->context, e->image);
    gpci_free(e->setup->context, e->base);
    gpci_free(e->setup->context, e->numbers);
    gpc_coherence_destroy(e->c);
}

void gpci_verify_explore(const gpci_verify_setup *setup, gpci_verify_found *found) {
    single_search s = {.found = found};
    if (!gpci_verify_open(&s.e, setup, found))
        return;
    gpci_states_open(&s.k, setup->context);
    const gpci_verify_hash hash = gpci_verify_key(&s.e);
    size_t bytes = 0;
    uint32_t first;
    if (!make_image(&s.e, &bytes))
        found->status = GPC_ERROR_MEMORY;
    else if (gpci_verify_learn(&s.e, &s.k, found, &hash, s.e.image, bytes, 0, 0, &first))
        search_all(&s);
    if (found->violations && found->limit == GPC_VERIFY_ALL && !setup->go_on)
        found->limit = GPC_VERIFY_LIMIT_VIOLATION;
    gpci_states_close(&s.k);
    gpci_verify_close(&s.e);
}
