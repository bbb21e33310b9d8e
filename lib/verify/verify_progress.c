/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/array.h"
#include "verify/verify.h"

#include <string.h>

/*
 * States in which accesses cannot end. The graph has the states, and the steps without new accesses. Each state needs a
 * path to a state without accesses in flight. Without a path, some access never ends, in any order of messages and of
 * restarts. Every cycle must contain a restart.
 */

bool gpci_verify_graph_begin(gpc_context *context, gpci_verify_graph *g, bool settled) {
    if (!GPCI_ARRAY_ROOM(context, g->starts, g->start_room, g->states, 2) ||
        !GPCI_ARRAY_ROOM(context, g->settled, g->settled_room, g->states, 1))
        return false;
    g->starts[g->states] = g->count;
    g->settled[g->states++] = settled;
    g->starts[g->states] = g->count;
    return true;
}

bool gpci_verify_graph_add(gpc_context *context, gpci_verify_graph *g, uint32_t to, bool retry) {
    if (!GPCI_ARRAY_ROOM(context, g->edges, g->edge_room, g->count, 1))
        return false;
    g->edges[g->count++] = to | (retry ? GPCI_VERIFY_RETRY : 0);
    g->starts[g->states] = g->count;
    return true;
}

void gpci_verify_graph_close(gpc_context *context, gpci_verify_graph *g) {
    gpci_free(context, g->starts);
    gpci_free(context, g->edges);
    gpci_free(context, g->settled);
    *g = (gpci_verify_graph){0};
}

/* Reversed edges: edges into state s are back[starts[s]] to back[starts[s + 1] - 1]. */
typedef struct reverse {
    size_t *starts;
    uint32_t *back, *todo, *out; /* todo: states to visit; out: remaining steps of a state */
    uint8_t *seen;
} reverse;

static bool reserve(gpc_context *context, reverse *r, const gpci_verify_graph *g, uint32_t states) {
    r->starts = gpci_zalloc(context, (size_t)states + 2, sizeof *r->starts);
    r->back = gpci_zalloc(context, g->count + 1, sizeof *r->back);
    r->todo = gpci_zalloc(context, states, sizeof *r->todo);
    r->out = gpci_zalloc(context, states, sizeof *r->out);
    r->seen = gpci_zalloc(context, states, sizeof *r->seen);
    return r->starts && r->back && r->todo && r->out && r->seen;
}

static void release(gpc_context *context, reverse *r) {
    gpci_free(context, r->starts);
    gpci_free(context, r->back);
    gpci_free(context, r->todo);
    gpci_free(context, r->out);
    gpci_free(context, r->seen);
}

/* Reverse the edges. Counts are two places ahead; after the sums, each start moves to its place during the filling. */
static void turn_round(reverse *r, const gpci_verify_graph *g, uint32_t states) {
    for (size_t i = 0; i < g->count; i++)
        r->starts[(size_t)(g->edges[i] & ~GPCI_VERIFY_RETRY) + 2]++;
    for (size_t s = 3; s <= (size_t)states + 1; s++) /* the place before 2 stays 0 */
        r->starts[s] += r->starts[s - 1];
    for (uint32_t from = 0; from < g->states; from++)
        for (size_t i = g->starts[from]; i < g->starts[from + 1]; i++) {
            size_t *at = &r->starts[(size_t)(g->edges[i] & ~GPCI_VERIFY_RETRY) + 1];
            r->back[(*at)++] = from | (g->edges[i] & GPCI_VERIFY_RETRY);
        }
}

static uint32_t first_unseen(const reverse *r, uint32_t states) {
    for (uint32_t s = 0; s < states; s++)
        if (!r->seen[s])
            return s;
    return GPCI_VERIFY_NO_STATE;
}

/* Mark all states with a path to an ended state. An unexpanded state counts as ended. */
static uint32_t find_stuck(reverse *r, const gpci_verify_graph *g, uint32_t states) {
    uint32_t count = 0;
    for (uint32_t s = 0; s < states; s++)
        if (s >= g->states || g->settled[s]) {
            r->seen[s] = 1;
            r->todo[count++] = s;
        }
    while (count) {
        const uint32_t s = r->todo[--count];
        for (size_t i = r->starts[s]; i < r->starts[s + 1]; i++) {
            const uint32_t from = r->back[i] & ~GPCI_VERIFY_RETRY;
            if (!r->seen[from]) {
                r->seen[from] = 1;
                r->todo[count++] = from;
            }
        }
    }
    return first_unseen(r, states);
}

/* Remove states without steps (retries excluded) repeatedly: cycles remain, and states with a path to a cycle. */
static uint32_t find_circle(reverse *r, const gpci_verify_graph *g, uint32_t states) {
    uint32_t count = 0;
    memset(r->seen, 0, states);
    for (uint32_t s = 0; s < states; s++) {
        for (size_t i = s < g->states ? g->starts[s] : 0; s < g->states && i < g->starts[s + 1]; i++)
            r->out[s] += !(g->edges[i] & GPCI_VERIFY_RETRY);
        if (!r->out[s]) {
            r->seen[s] = 1;
            r->todo[count++] = s;
        }
    }
    while (count) {
        const uint32_t s = r->todo[--count];
        for (size_t i = r->starts[s]; i < r->starts[s + 1]; i++) {
            const uint32_t from = r->back[i];
            if (!(from & GPCI_VERIFY_RETRY) && !--r->out[from]) {
                r->seen[from] = 1;
                r->todo[count++] = from;
            }
        }
    }
    return first_unseen(r, states);
}

gpc_status gpci_verify_graph_look(gpc_context *context, gpci_verify_graph *g, uint32_t states, uint32_t *stuck,
                                  uint32_t *circle) {
    reverse r = {0};
    const bool room = reserve(context, &r, g, states);
    if (room) {
        turn_round(&r, g, states);
        *stuck = find_stuck(&r, g, states);
        *circle = find_circle(&r, g, states);
    }
    release(context, &r);
    return room ? GPC_OK : GPC_ERROR_MEMORY;
}
