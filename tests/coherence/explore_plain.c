/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/explore.h"

#include <stdio.h>
#include <string.h>

/*
 * Protocols without a directory, beside their promises about values: expected behaviour of vi, none and slc-glc.
 *
 *  - a load of a valid copy, and a store that stays, send no request; clean evictions send no message
 *  - a fetched copy is in S in caches of some processors, in E in the cache of all (none: in S everywhere)
 *  - the cache of all processors writes back exactly its modified evictions
 *  - written-through data are in the cache of all processors at once, in M
 *  - memory's directory goes from E to M with the first modified data, and stays M
 *  - without any coherence, an acquire does nothing
 */

static bool said(char *text, size_t size, const gpci_verify_action *a, uint32_t module, const char *what) {
    snprintf(text, size, "plain: %s, in m%u, by an access of m%u", what, module, a->module);
    return false;
}

static bool is(const gpci_explorer *e, const char *protocol) {
    return strcmp(explore_asked(e)->plain, protocol) == 0;
}

/* True if the access ends at the accessing module, given a copy in the module. */
static bool stays(const gpci_explorer *e, const gpci_verify_action *a) {
    if (a->kind == GPCI_VERIFY_LOAD || is(e, "none"))
        return a->kind <= GPCI_VERIFY_N_STORE && !a->flags;
    return a->kind == GPCI_VERIFY_N_STORE && is(e, "slc-glc") && !a->flags;
}

static bool evicts(const gpc_coherence_result *r, uint32_t module) {
    bool evicted = false;
    for (uint32_t i = 0; i < r->message_count; i++)
        evicted |= r->messages[i].kind == GPC_MESSAGE_EVICTION && r->messages[i].from == module;
    return evicted;
}

static bool messages_are_right(const gpci_explorer *e, const gpci_verify_action *a, const gpci_verify_picture *before,
                               const gpci_verify_picture *after, const gpc_coherence_result *r, char *text,
                               size_t size) {
    const bool hit = stays(e, a) && before->state[a->module][a->block] != GPC_LINE_I;
    const bool idle = a->kind == GPCI_VERIFY_ACQUIRE && is(e, "none");
    for (uint32_t i = 0; i < r->message_count; i++) {
        const gpc_coherence_message *m = &r->messages[i];
        if (!m->bytes)
            continue;
        if (hit || idle)
            return said(text, size, a, m->from, "a message for nothing");
        if (m->kind == GPC_MESSAGE_NOTICE)
            return said(text, size, a, m->from, "a clean eviction that is told");
        const bool gives = m->kind == GPC_MESSAGE_WRITE_BACK || m->kind == GPC_MESSAGE_WRITE_THROUGH;
        const bool keeps = a->kind <= GPCI_VERIFY_N_STORE && after->state[m->from][a->block] != GPC_LINE_I;
        if (gives && keeps && e->coherence->modules[m->from].place == GPCI_PLACE_LAST && !evicts(r, m->from))
            return said(text, size, a, m->from, "a write-back of what stays");
    }
    return true;
}

static bool transition_is_right(const gpci_explorer *e, const gpci_verify_action *a,
                                const gpc_coherence_transition *t) {
    const gpci_module *m = &e->coherence->modules[t->module];
    const bool fetch = t->origin & (GPC_ORIGIN_LOAD_MISS | GPC_ORIGIN_READ_UP_DOWN);
    if (m->given.memory && t->from != GPC_LINE_I)
        return t->to == GPC_LINE_I || (t->from == GPC_LINE_E && t->to == GPC_LINE_M);
    if (fetch && !m->given.memory)
        return t->to == (m->place == GPCI_PLACE_LAST && !is(e, "none") ? GPC_LINE_E : GPC_LINE_S);
    return a->kind != GPCI_VERIFY_ACQUIRE || !is(e, "none");
}

static bool store_is_right(const gpci_explorer *e, const gpci_verify_action *a, const gpci_verify_picture *after,
                           char *text, size_t size) {
    const bool vi = is(e, "vi"), slc = is(e, "slc-glc");
    const bool store = a->kind == GPCI_VERIFY_STORE || a->kind == GPCI_VERIFY_N_STORE;
    const bool through = vi || (slc && (a->kind == GPCI_VERIFY_STORE || a->flags));
    if (!store || !through)
        return true;
    if (after->home[a->block][a->position] != a->value && e->setup->tree.l2 < 2)
        return said(text, size, a, a->module, "a store that is not yet where all meet");
    for (uint32_t i = 0; i < e->coherence->module_count; i++)
        if (e->coherence->modules[i].place == GPCI_PLACE_LAST && !(a->flags & GPC_ACCESS_SLC) &&
            after->state[i][a->block] != GPC_LINE_M)
            return said(text, size, a, i, "a store that the cache of all does not have");
    return true;
}

void explore_look_plain(const gpci_explorer *e, const gpci_verify_action *a, const gpci_verify_picture *before,
                        const gpci_verify_picture *after, const gpc_coherence_result *result, char *text, size_t size) {
    *text = '\0';
    if (!explore_asked(e)->plain)
        return;
    for (uint32_t i = 0; i < result->transition_count; i++)
        if (!transition_is_right(e, a, &result->transitions[i])) {
            said(text, size, a, result->transitions[i].module, "a transition");
            return;
        }
    if (messages_are_right(e, a, before, after, result, text, size))
        store_is_right(e, a, after, text, size);
}
