/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/explore.h"
#include "coherence/invariants.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The search: states by their canonical form in an open-addressing table, those to be expanded with a snapshot. */

typedef struct known {
    uint8_t *keys;     /* [room][key_bytes] */
    uint32_t *slots;   /* [mask + 1] state + 1; 0 = empty */
    uint32_t *parents; /* [room] */
    uint8_t *how;      /* [room] action that led here */
    void **snapshots;  /* [room] NULL once expanded */
    uint32_t *pending; /* [room] states to be expanded, as a stack */
    uint32_t count, room, mask, key_bytes, pending_count;
} known;

typedef struct search {
    explorer e;
    known k;
    explore_report *report;
    explore_picture before;
    uint64_t from_hash;
} search;

static uint64_t hash_of(const void *data, size_t bytes, uint64_t h) {
    const uint8_t *p = data;
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ p[i]) * 0x100000001b3u;
    return gpci_mix(h);
}

static bool grow(known *k) {
    const uint32_t room = k->room ? k->room * 2 : 1024, mask = room * 2 - 1;
    uint8_t *keys = realloc(k->keys, (size_t)room * k->key_bytes);
    k->keys = keys ? keys : k->keys;
    uint32_t *parents = realloc(k->parents, room * sizeof *parents);
    k->parents = parents ? parents : k->parents;
    uint8_t *how = realloc(k->how, room);
    k->how = how ? how : k->how;
    void **snapshots = realloc(k->snapshots, room * sizeof *snapshots);
    k->snapshots = snapshots ? snapshots : k->snapshots;
    uint32_t *pending = realloc(k->pending, room * sizeof *pending);
    k->pending = pending ? pending : k->pending;
    uint32_t *slots = calloc((size_t)mask + 1, sizeof *slots);
    if (!keys || !parents || !how || !snapshots || !pending || !slots) {
        free(slots);
        return false;
    }
    free(k->slots);
    k->slots = slots;
    k->room = room;
    k->mask = mask;
    for (uint32_t i = 0; i < k->count; i++) {
        uint32_t at = (uint32_t)hash_of(keys + (size_t)i * k->key_bytes, k->key_bytes, 0) & mask;
        while (slots[at])
            at = (at + 1) & mask;
        slots[at] = i + 1;
    }
    return true;
}

static void forget(known *k) {
    for (uint32_t i = 0; i < k->count; i++)
        free(k->snapshots[i]);
    free(k->keys);
    free(k->slots);
    free(k->parents);
    free(k->how);
    free(k->snapshots);
    free(k->pending);
}

/* The slot of a state, empty if it is new. */
static uint32_t slot_of(const known *k, const uint8_t *key, uint64_t hash) {
    uint32_t at = (uint32_t)hash & k->mask;
    while (k->slots[at] && memcmp(k->keys + (size_t)(k->slots[at] - 1) * k->key_bytes, key, k->key_bytes) != 0)
        at = (at + 1) & k->mask;
    return at;
}

static bool learn(search *s, const uint8_t *key, uint64_t hash, uint32_t parent, uint8_t how) {
    known *k = &s->k;
    if (k->slots[slot_of(k, key, hash)])
        return true;
    if (k->count == k->room && !grow(k))
        return false;
    char *snapshot = malloc(sizeof s->e.raced + gpci_coherence_saved_bytes(s->e.c));
    if (!snapshot)
        return false;
    memcpy(snapshot, s->e.raced, sizeof s->e.raced);
    gpci_coherence_save(s->e.c, snapshot + sizeof s->e.raced);
    memcpy(k->keys + (size_t)k->count * k->key_bytes, key, k->key_bytes);
    k->parents[k->count] = parent;
    k->how[k->count] = how;
    k->snapshots[k->count] = snapshot;
    k->pending[k->pending_count++] = k->count;
    k->slots[slot_of(k, key, hash)] = ++k->count;
    return true;
}

/* -- violations */

static void tell(search *s, uint32_t state, uint8_t last, const char *what) {
    explore_report *r = s->report;
    if (r->violations++)
        return;
    uint8_t path[64];
    uint32_t length = 0;
    path[length++] = last;
    for (; state && length < sizeof path; state = s->k.parents[state])
        path[length++] = s->k.how[state];
    size_t at = (size_t)snprintf(r->text, sizeof r->text, "%s, %s: %s. After: %s", s->e.setup->protocol,
                                 s->e.setup->tree.name, what, state ? "... " : "");
    while (length && at + 40 < sizeof r->text) {
        at += explore_text(&s->e.actions[path[--length]], r->text + at, sizeof r->text - at);
        at += (size_t)snprintf(r->text + at, sizeof r->text - at, length ? "; " : "");
    }
}

static bool is_done_once(const gpc_coherence_result *r, char *text, size_t size) {
    uint32_t done = 0;
    for (uint32_t i = 0; i < r->message_count; i++)
        done += r->messages[i].kind == GPC_MESSAGE_FINISH;
    if (done != 1)
        snprintf(text, size, "conservation: an access is done %u times", done);
    return done == 1;
}

static bool is_sound(search *s, const explore_action *action, const gpc_coherence_result *result, char *text,
                     size_t size) {
    explorer *e = &s->e;
    const uint64_t window = (uint64_t)e->setup->blocks * EXPLORE_BLOCK;
    if (!is_done_once(result, text, size))
        return false;
    if (!invariants_of_tags(e->c, text, size) || !invariants_over(e->c, EXPLORE_BASE, window, text, size))
        return false;
    if (e->setup->structure_only)
        return true;
    explore_picture after;
    explore_look(e, &after);
    explore_judge(e, action, &s->before, &after, text, size);
    if (!*text)
        explore_look_up(e, action, &s->before, &after, result, text, size);
    if (!*text)
        explore_look_plain(e, action, &s->before, &after, result, text, size);
    return !*text;
}

/* -- what was seen, in a form that does not depend on the order */

static void imprint(search *s, uint8_t how, const gpc_coherence_result *result, uint64_t to) {
    uint64_t h = gpci_mix(s->from_hash + how) ^ to;
    s->report->shape += gpci_mix(h);
    for (uint32_t i = 0; i < result->message_count; i++) {
        const gpc_coherence_message *m = &result->messages[i];
        h = gpci_mix(h ^ ((uint64_t)m->kind << 40 | (uint64_t)m->from << 32 | (uint64_t)m->to << 24 | m->bytes));
    }
    for (uint32_t i = 0; i < result->transition_count; i++) {
        const gpc_coherence_transition *t = &result->transitions[i];
        h = gpci_mix(h ^ ((uint64_t)t->origin << 32 | (uint64_t)t->module << 16 | t->from << 8 | t->to));
    }
    s->report->print += gpci_mix(h);
}

/* -- the search */

/* False: an end of the search, by a violation, `most` or memory. */
static bool follow(search *s, uint32_t state, uint8_t how) {
    explorer *e = &s->e;
    gpc_error error = GPC_ERROR_INIT;
    gpc_coherence_result result = GPC_COHERENCE_RESULT_INIT;
    char text[512];
    const gpc_status status = explore_do(e, &e->actions[how], &error, &result);
    s->report->edges++;
    if (status)
        snprintf(text, sizeof text, "refused: %.480s", error.message);
    if (status || !is_sound(s, &e->actions[how], &result, text, sizeof text)) {
        tell(s, state, how, text);
        return e->setup->go_on && !status;
    }
    uint8_t key[EXPLORE_KEY];
    explore_key(e, key);
    const uint64_t hash = hash_of(key, s->k.key_bytes, 0);
    imprint(s, how, &result, hash);
    if (!learn(s, key, hash, state, how)) {
        s->report->failed = true;
        snprintf(s->report->text, sizeof s->report->text, "out of memory");
        return false;
    }
    return !e->setup->most || s->k.count <= e->setup->most;
}

static void go_back(search *s, const char *snapshot) {
    memcpy(s->e.raced, snapshot, sizeof s->e.raced);
    gpci_coherence_load(s->e.c, snapshot + sizeof s->e.raced);
}

static bool expand(search *s, uint32_t state) {
    explorer *e = &s->e;
    void *snapshot = s->k.snapshots[state];
    s->k.snapshots[state] = NULL;
    go_back(s, snapshot);
    if (!e->setup->structure_only)
        explore_look(e, &s->before);
    s->from_hash = hash_of(s->k.keys + (size_t)state * s->k.key_bytes, s->k.key_bytes, 0);
    bool more = true;
    for (uint32_t i = 0; i < e->action_count && more; i++) {
        if (i)
            go_back(s, snapshot);
        more = follow(s, state, (uint8_t)(e->setup->backwards ? e->action_count - 1 - i : i));
    }
    free(snapshot);
    return more;
}

static bool search_all(search *s) {
    for (uint32_t at = 0; !s->e.setup->backwards && at < s->k.count; at++)
        if (!expand(s, at))
            return false;
    while (s->e.setup->backwards && s->k.pending_count)
        if (!expand(s, s->k.pending[--s->k.pending_count]))
            return false;
    return true;
}

static void take_up(search *s) {
    explorer *e = &s->e;
    e->tracked = e->c->protocol->flags & GPC_PROTOCOL_DIRECTORY;
    e->coherent = e->tracked && !e->setup->races;
    for (uint32_t i = 0; i < e->c->module_count; i++)
        for (uint32_t b = 0; b < e->setup->blocks; b++) {
            const gpci_module *m = &e->c->modules[i];
            e->low[i][b] = m->given.memory ? GPC_NO_MODULE : gpci_module_low(e->c, m, explore_address(b, 0));
        }
    explore_choices(e);
}

void explore_run(const explore_setup *setup, explore_report *report) {
    search s = {.e = {.setup = setup}, .report = report};
    gpc_error error = GPC_ERROR_INIT;
    uint8_t key[EXPLORE_KEY];
    memset(report, 0, sizeof *report);
    s.e.c = explore_make(setup, &error);
    if (!s.e.c) {
        report->failed = true;
        snprintf(report->text, sizeof report->text, "%s, %s: %s", setup->protocol, setup->tree.name, error.message);
        return;
    }
    take_up(&s);
    s.k.key_bytes = explore_key(&s.e, key);
    report->failed = !grow(&s.k) || !learn(&s, key, hash_of(key, s.k.key_bytes, 0), 0, 0);
    report->complete = !report->failed && search_all(&s);
    report->states = s.k.count;
    forget(&s.k);
    gpc_coherence_destroy(s.e.c);
}
