/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/array.h"
#include "verify/verify.h"

#include <string.h>

/*
 * States in which accesses cannot end. The graph has the states, and the steps without new accesses. Each state needs a
 * path to a state without accesses in flight. Without a path, some access never ends, in any order of messages and of
 * restarts. Every cycle must contain a restart.
 */

bool gpci_verify_graph_begin(gpc_context *context, gpci_verify_graph *graph, bool settled) {
    if (!GPCI_ARRAY_RESERVE(context, graph->starts, graph->start_capacity, graph->states, 2) ||
        !GPCI_ARRAY_RESERVE(context, graph->settled, graph->settled_capacity, graph->states, 1))
        return false;
    graph->starts[graph->states] = graph->count;
    graph->settled[graph->states++] = settled;
    graph->starts[graph->states] = graph->count;
    return true;
}

bool gpci_verify_graph_add(gpc_context *context, gpci_verify_graph *graph, uint32_t to, bool retry) {
    if (!GPCI_ARRAY_RESERVE(context, graph->edges, graph->edge_capacity, graph->count, 1))
        return false;
    graph->edges[graph->count++] = to | (retry ? GPCI_VERIFY_RETRY : 0);
    graph->starts[graph->states] = graph->count;
    return true;
}

void gpci_verify_graph_close(gpc_context *context, gpci_verify_graph *graph) {
    gpci_free(context, graph->starts);
    gpci_free(context, graph->edges);
    gpci_free(context, graph->settled);
    *graph = (gpci_verify_graph){0};
}

/* Reversed edges: edges into state s are back[starts[s]] to back[starts[s + 1] - 1]. */
typedef struct reverse {
    size_t *starts;
    uint32_t *back, *todo, *out; /* todo: states to visit; out: remaining steps of a state */
    uint8_t *seen;
} reverse;

static bool reserve(gpc_context *context, reverse *edges, const gpci_verify_graph *graph, uint32_t states) {
    edges->starts = gpci_zalloc(context, (size_t)states + 2, sizeof *edges->starts);
    edges->back = gpci_zalloc(context, graph->count + 1, sizeof *edges->back);
    edges->todo = gpci_zalloc(context, states, sizeof *edges->todo);
    edges->out = gpci_zalloc(context, states, sizeof *edges->out);
    edges->seen = gpci_zalloc(context, states, sizeof *edges->seen);
    return edges->starts && edges->back && edges->todo && edges->out && edges->seen;
}

static void release(gpc_context *context, reverse *edges) {
    gpci_free(context, edges->starts);
    gpci_free(context, edges->back);
    gpci_free(context, edges->todo);
    gpci_free(context, edges->out);
    gpci_free(context, edges->seen);
}

/* Reverse the edges. Counts are two places ahead; after the sums, each start moves to its place during the filling. */
static void reverse_edges(reverse *edges, const gpci_verify_graph *graph, uint32_t states) {
    for (size_t i = 0; i < graph->count; i++)
        edges->starts[(size_t)(graph->edges[i] & ~GPCI_VERIFY_RETRY) + 2]++;
    for (size_t s = 3; s <= (size_t)states + 1; s++) /* the place before 2 stays 0 */
        edges->starts[s] += edges->starts[s - 1];
    for (uint32_t from = 0; from < graph->states; from++)
        for (size_t i = graph->starts[from]; i < graph->starts[from + 1]; i++) {
            size_t *at = &edges->starts[(size_t)(graph->edges[i] & ~GPCI_VERIFY_RETRY) + 1];
            edges->back[(*at)++] = from | (graph->edges[i] & GPCI_VERIFY_RETRY);
        }
}

static uint32_t first_unseen(const reverse *edges, uint32_t states) {
    for (uint32_t s = 0; s < states; s++)
        if (!edges->seen[s])
            return s;
    return GPCI_VERIFY_NO_STATE;
}

/* Mark all states with a path to an ended state. An unexpanded state counts as ended. */
static uint32_t find_stuck(reverse *edges, const gpci_verify_graph *graph, uint32_t states) {
    uint32_t count = 0;
    for (uint32_t s = 0; s < states; s++)
        if (s >= graph->states || graph->settled[s]) {
            edges->seen[s] = 1;
            edges->todo[count++] = s;
        }
    while (count) {
        const uint32_t s = edges->todo[--count];
        for (size_t i = edges->starts[s]; i < edges->starts[s + 1]; i++) {
            const uint32_t from = edges->back[i] & ~GPCI_VERIFY_RETRY;
            if (!edges->seen[from]) {
                edges->seen[from] = 1;
                edges->todo[count++] = from;
            }
        }
    }
    return first_unseen(edges, states);
}

/* Remove states without steps (retries excluded) repeatedly: cycles remain, and states with a path to a cycle. */
static uint32_t find_circle(reverse *edges, const gpci_verify_graph *graph, uint32_t states) {
    uint32_t count = 0;
    memset(edges->seen, 0, states);
    for (uint32_t s = 0; s < states; s++) {
        for (size_t i = s < graph->states ? graph->starts[s] : 0; s < graph->states && i < graph->starts[s + 1]; i++)
            edges->out[s] += !(graph->edges[i] & GPCI_VERIFY_RETRY);
        if (!edges->out[s]) {
            edges->seen[s] = 1;
            edges->todo[count++] = s;
        }
    }
    while (count) {
        const uint32_t s = edges->todo[--count];
        for (size_t i = edges->starts[s]; i < edges->starts[s + 1]; i++) {
            const uint32_t from = edges->back[i];
            if (!(from & GPCI_VERIFY_RETRY) && !--edges->out[from]) {
                edges->seen[from] = 1;
                edges->todo[count++] = from;
            }
        }
    }
    return first_unseen(edges, states);
}

gpc_status gpci_verify_graph_look(gpc_context *context, gpci_verify_graph *graph, uint32_t states, uint32_t *stuck,
                                  uint32_t *circle) {
    reverse edges = {0};
    const bool room = reserve(context, &edges, graph, states);
    if (room) {
        reverse_edges(&edges, graph, states);
        *stuck = find_stuck(&edges, graph, states);
        *circle = find_circle(&edges, graph, states);
    }
    release(context, &edges);
    return room ? GPC_OK : GPC_ERROR_MEMORY;
}
