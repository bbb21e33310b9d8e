/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/explore.h"

#include <stdio.h>
#include <string.h>

/*
 * seeds/002 section 2.2.3 once more, in a form that has nothing to do with the library's tables: what an access does to
 * the first-level caches that meet in one module, and which of them sends data. With it, what is coherent but not the
 * protocol (a store that asks without need, a clean block written back, S where E was due) does not go unseen.
 *
 * A protocol's name says which states it has; that is all that sets these five apart.
 */

typedef struct traits {
    bool e, o, n;
} traits;

static traits traits_of(const char *letters) {
    return (traits){strchr(letters, 'E'), strchr(letters, 'O'), strchr(letters, 'N')};
}

static bool said(char *text, size_t size, const explore_action *a, uint32_t module, const char *what) {
    snprintf(text, size, "table: %s, in m%u, by an access of m%u", what, module, a->module);
    return false;
}

static bool is_any(uint8_t state, const char *states) {
    return strchr(states, "NMOESI"[state]);
}

/* Without a request to other modules? */
static bool hits(uint8_t state, uint8_t kind) {
    return kind == EXPLORE_STORE ? is_any(state, "ME") : is_any(state, "NMOES");
}

/* What the accessing cache is in afterwards, if no other has a copy, or if some have. */
static uint8_t own_next(traits t, uint8_t state, uint8_t kind, bool alone) {
    if (kind == EXPLORE_STORE)
        return GPC_LINE_M;
    if (kind == EXPLORE_N_STORE)
        return is_any(state, "MO") ? state : GPC_LINE_N;
    if (state != GPC_LINE_I)
        return state;
    return t.e && alone ? GPC_LINE_E : GPC_LINE_S;
}

static uint8_t other_next(traits t, uint8_t state, uint8_t kind, bool hit) {
    if (hit || state == GPC_LINE_I)
        return state;
    if (kind == EXPLORE_STORE)
        return GPC_LINE_I;
    if (state == GPC_LINE_M)
        return t.o ? GPC_LINE_O : GPC_LINE_S;
    return state == GPC_LINE_E ? GPC_LINE_S : state;
}

/* Does the directory below still take a cache for a sharer that has dropped its copy in silence? Then S is right. */
static bool thought_alone(const explorer *e, const explore_action *a) {
    const gpci_module *low = &e->c->modules[e->low[a->module][a->block]];
    const uint64_t address = explore_address(a->block, 0);
    const uint32_t block = gpci_module_find(low, gpci_tag_of(low, address));
    const uint64_t me = (uint64_t)1 << low->slots[a->module];
    return block != GPCI_NO_BLOCK && *gpci_sharers_of(low, block, gpci_sub_of(low, address)) == me;
}

static bool states_are_right(const explorer *e, traits t, const explore_action *a, uint8_t kind,
                             const explore_picture *before, const explore_picture *after, char *text, size_t size) {
    const uint8_t mine = before->state[a->module][a->block];
    const bool hit = hits(mine, kind);
    bool alone = true;
    for (uint32_t i = 0; i < e->setup->tree.caches; i++) {
        const uint8_t was = before->state[i][a->block], is = after->state[i][a->block];
        if (i == a->module)
            continue;
        alone &= was == GPC_LINE_I;
        if (is != other_next(t, was, kind, hit))
            return said(text, size, a, i, "another cache's state");
    }
    const uint8_t is = after->state[a->module][a->block];
    if (is == own_next(t, mine, kind, alone))
        return true;
    if (mine == GPC_LINE_I && kind == EXPLORE_LOAD && alone && is == GPC_LINE_S && !thought_alone(e, a))
        return true;
    return said(text, size, a, a->module, "its own state");
}

/* Messages of a kind from a module about the block, with their bytes. */
static uint32_t count(const gpc_coherence_result *r, uint32_t kind, uint32_t from, uint32_t to, uint64_t address) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->message_count; i++) {
        const gpc_coherence_message *m = &r->messages[i];
        n += m->kind == kind && m->from == from && (to == GPC_NO_MODULE || m->to == to) && m->address == address;
    }
    return n;
}

/* "Send Data" goes from who has to send it to who asked; nobody else among the caches does. */
static bool senders_are_right(const explorer *e, traits t, const explore_action *a, uint8_t kind,
                              const explore_picture *before, const gpc_coherence_result *r, char *text, size_t size) {
    const uint8_t mine = before->state[a->module][a->block];
    const uint64_t address = explore_address(a->block, 0);
    const bool ask = !hits(mine, kind), read = kind != EXPLORE_STORE;
    for (uint32_t i = 0; i < e->setup->tree.caches; i++) {
        const uint8_t was = before->state[i][a->block];
        if (i == a->module)
            continue;
        const uint32_t sent = count(r, GPC_MESSAGE_DATA, i, GPC_NO_MODULE, address);
        const bool must = ask && is_any(was, read ? "MOE" : "NMOE") && mine == GPC_LINE_I;
        const bool may = ask && was != GPC_LINE_I && (is_any(was, "NMOE") || !t.o);
        if (sent > 1 || (must && !count(r, GPC_MESSAGE_DATA, i, a->module, address)) || (sent && !may))
            return said(text, size, a, i, "who sends data");
        const bool back = ask && read && was == GPC_LINE_M && !t.o;
        if (count(r, GPC_MESSAGE_WRITE_BACK, i, GPC_NO_MODULE, address) != back)
            return said(text, size, a, i, "write-back upon a read request");
    }
    return true;
}

/* A hit asks nobody; a miss asks the low module once, for the right thing; an eviction writes back if it has to. */
static bool requests_are_right(const explorer *e, const explore_action *a, uint8_t kind, const explore_picture *before,
                               const gpc_coherence_result *r, char *text, size_t size) {
    const uint8_t mine = before->state[a->module][a->block];
    const uint64_t address = explore_address(a->block, 0);
    const bool hit = hits(mine, kind);
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < r->message_count; i++)
        bytes += r->messages[i].bytes;
    if (hit && bytes)
        return said(text, size, a, a->module, "a hit that sends messages");
    if (r->hit != hit)
        return said(text, size, a, a->module, "what is called a hit");
    const uint32_t asked = kind == EXPLORE_STORE ? GPC_MESSAGE_WRITE_REQUEST : GPC_MESSAGE_READ_REQUEST;
    if (!hit && count(r, asked, a->module, GPC_NO_MODULE, address) != 1)
        return said(text, size, a, a->module, "no request for what it needs");
    for (uint32_t b = 0; b < e->setup->blocks; b++) {
        const uint8_t was = before->state[a->module][b];
        const bool leaves = b != a->block && was != GPC_LINE_I;
        const uint64_t other = explore_address(b, 0);
        if (b == a->block)
            continue;
        if (count(r, GPC_MESSAGE_WRITE_BACK, a->module, GPC_NO_MODULE, other) != (leaves && is_any(was, "NMO")))
            return said(text, size, a, a->module, "what an eviction writes back");
        if (count(r, GPC_MESSAGE_NOTICE, a->module, GPC_NO_MODULE, other))
            return said(text, size, a, a->module, "a clean eviction that is told");
    }
    return true;
}

/* Is the eviction of a cache below in what happened? It takes copies along, of which the table says nothing. */
static bool took_copies(const explorer *e, const gpc_coherence_result *r) {
    for (uint32_t i = 0; i < r->message_count; i++)
        if (r->messages[i].kind == GPC_MESSAGE_EVICTION && r->messages[i].from >= e->setup->tree.caches)
            return true;
    return false;
}

void explore_look_up(const explorer *e, const explore_action *a, const explore_picture *before,
                     const explore_picture *after, const gpc_coherence_result *result, char *text, size_t size) {
    *text = '\0';
    if (a->kind > EXPLORE_N_STORE || took_copies(e, result))
        return;
    const traits t = traits_of(e->setup->letters);
    const uint8_t kind = a->kind == EXPLORE_N_STORE && !t.n ? EXPLORE_STORE : a->kind;
    if (states_are_right(e, t, a, kind, before, after, text, size) &&
        senders_are_right(e, t, a, kind, before, result, text, size))
        requests_are_right(e, a, kind, before, result, text, size);
}
