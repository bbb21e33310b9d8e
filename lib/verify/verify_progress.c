/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/array.h"
#include "verify/verify.h"

#include <string.h>

/*
 * States in which accesses cannot end. The graph has the states, and the steps that begin no new access. Each state
 * needs a path to a settled state, with nothing in flight. If a state has no such path, some access never ends,
 * whatever the order of messages and of restarts. Also, every cycle of steps must contain a restart.
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

/* The graph with reversed edges: edges into state s come from back[starts[s]] to back[starts[s + 1] - 1]. */
typedef struct reverse {
    size_t *starts;
    uint32_t *back, *todo, *out; /* todo: stack of states to visit; out: number of a state's steps that remain */
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

/*
 * Reverse the edges. First, starts[s + 2] counts the edges into s. After the sums, starts[s + 1] is the place of the
 * first edge into s. Each edge written advances starts[s + 1], which ends at the first edge into s + 1.
 */
static void reverse_edges(reverse *edges, const gpci_verify_graph *graph, uint32_t states) {
    for (size_t i = 0; i < graph->count; i++)
        edges->starts[(size_t)(graph->edges[i] & ~GPCI_VERIFY_RETRY) + 2]++;
    for (size_t s = 3; s <= (size_t)states + 1; s++) /* starts[1] stays 0: edges into state 0 come first */
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

/* Find the first state without a path to a settled state. A state that was not expanded counts as settled. */
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

/*
 * Find the first state from which steps can go round for ever without a restart. States without steps (restarts do not
 * count) are removed repeatedly; only states in a cycle, or with a path to a cycle, remain.
 */
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
