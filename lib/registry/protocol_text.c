/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/text.h"
#include "registry/protocol_registry.h"
#include "stats/stats.h"

#include <gpucache/protocol.h>

#include <inttypes.h>
#include <string.h>

/* Statistics as text: the two matrices side by side as in Table 4.2, and all statistics as JSON. */

static const char letters[] = "NMOESI"; /* names of rows and columns, as in Table 4.2 */

const char *gpc_coherence_event_name(gpc_coherence_event event) {
    static const char *const names[] = {
        "Load",         "Store",         "N-Store",       "Eviction",     "Read Req.",  "Write Req.",
        "Read Above",   "Write Above",   "Data Above",    "N-Data Above", "Probe Data", "Invalidate Data",
        "Passing Load", "Passing Store", "Through Store", "Acquire",
    };
    _Static_assert(sizeof names / sizeof *names == GPC_EVENT_COUNT, "every event has a name");
    return (unsigned)event < GPC_EVENT_COUNT ? names[event] : NULL;
}

/* Copy a host's struct of statistics to the library's own layout; all 0 if the struct cannot be read. */
static gpc_coherence_stats taken(const gpc_layout *layout, const void *theirs) {
    gpc_coherence_stats ours;
    if (gpci_layout_take(layout, GPC_TABLE_COHERENCE, theirs, &ours, NULL) < 0)
        gpc_coherence_stats_init(&ours);
    return ours;
}

static int decimal_width(uint64_t number) {
    int width = 1;
    while (number /= 10)
        width++;
    return width;
}

static int hexadecimal_width(uint32_t number) {
    int width = 1;
    while (number /= 16)
        width++;
    return width;
}

/* Two matrices of a protocol, and their column widths: the longest number or name, after two blanks. */
typedef struct matrices {
    const gpc_protocol *protocol; /* NULL: NMOESI */
    uint32_t states;
    const uint64_t *transitions; /* [states][states] */
    const uint32_t *origins;
    int counts, masks, names;
} matrices;

static void measure(matrices *protocol) {
    protocol->counts = protocol->masks = protocol->names = 1;
    for (uint32_t i = 0; i < protocol->states * protocol->states; i++) {
        const int count = decimal_width(protocol->transitions[i]), mask = hexadecimal_width(protocol->origins[i]);
        protocol->counts = count > protocol->counts ? count : protocol->counts;
        protocol->masks = mask > protocol->masks ? mask : protocol->masks;
    }
    for (uint32_t i = 0; i < protocol->states; i++) {
        const int name = (int)gpc_protocol_state_name(protocol->protocol, i, NULL, 0);
        protocol->names = name > protocol->names ? name : protocol->names;
    }
    protocol->counts = protocol->names > protocol->counts ? protocol->names : protocol->counts;
    protocol->masks = protocol->names > protocol->masks ? protocol->names : protocol->masks;
}

static size_t write_matrices(matrices *protocol, const char *title, char *buffer, size_t size) {
    gpci_text text = gpci_text_of(buffer, size);
    const int gap = 4, indent = title ? (int)strlen(title) : 0;
    measure(protocol);
    gpci_text_put(&text, "%s %*s", title ? title : "", protocol->names, "");
    for (uint32_t to = 0; to < protocol->states; to++)
        gpci_text_put(&text, "  %*s", protocol->counts, gpci_name_of_state(protocol->protocol, to).text);
    gpci_text_put(&text, "%*s%s %*s", gap, "", title ? title : "", protocol->names, "");
    for (uint32_t to = 0; to < protocol->states; to++)
        gpci_text_put(&text, "  %*s", protocol->masks, gpci_name_of_state(protocol->protocol, to).text);
    gpci_text_put(&text, "\n");
    for (uint32_t from = 0; from < protocol->states; from++) {
        const gpci_state_name name = gpci_name_of_state(protocol->protocol, from);
        gpci_text_put(&text, "%*s %-*s", indent, "", protocol->names, name.text);
        for (uint32_t to = 0; to < protocol->states; to++)
            gpci_text_put(&text, "  %*" PRIu64, protocol->counts, protocol->transitions[from * protocol->states + to]);
        gpci_text_put(&text, "%*s%*s %-*s", gap, "", indent, "", protocol->names, name.text);
        for (uint32_t to = 0; to < protocol->states; to++)
            gpci_text_put(&text, "  %*" PRIX32, protocol->masks, protocol->origins[from * protocol->states + to]);
        gpci_text_put(&text, "\n");
    }
    return text.length;
}

size_t gpc_coherence_matrix_text_as(const gpc_layout *layout, const void *stats, const char *title, char *buffer,
                                    size_t size) {
    const gpc_coherence_stats ours = taken(layout, stats);
    matrices protocol = {NULL, GPC_LINE_COUNT, &ours.transitions[0][0], &ours.origins[0][0], 0, 0, 0};
    return write_matrices(&protocol, title, buffer, size);
}

size_t gpc_protocol_matrices_text(const gpc_protocol *protocol, const uint64_t *transitions, const uint32_t *origins,
                                  const char *title, char *buffer, size_t size) {
    if (!protocol || !transitions || !origins)
        return 0;
    matrices tables = {protocol, gpci_states_of(protocol), transitions, origins, 0, 0, 0};
    return write_matrices(&tables, title, buffer, size);
}

/* A list of rows, in the order of `letters`. */
static void put_matrix(gpci_text *text, const uint64_t *cells) {
    for (int from = 0; from < GPC_LINE_COUNT; from++) {
        gpci_text_put(text, "%s", from ? ", " : "[");
        gpci_text_numbers(text, cells + from * GPC_LINE_COUNT, GPC_LINE_COUNT);
    }
    gpci_text_put(text, "]");
}

size_t gpc_coherence_stats_json_as(const gpc_layout *layout, const void *stats, char *buffer, size_t size) {
    gpc_coherence_stats ours = taken(layout, stats);
    uint64_t origins[GPC_LINE_COUNT * GPC_LINE_COUNT];
    gpci_text t = gpci_text_of(buffer, size);
    gpci_text_put(&t, "{");
#define X(id, field, name, ...) gpci_text_put(&t, "\"%s\": %" PRIu64 ", ", name, ours.field);
    GPC_COHERENCE_COUNTERS(X)
#undef X
    gpci_text_put(&t, "\"states\": \"%s\", \"transitions\": ", letters);
    put_matrix(&t, &ours.transitions[0][0]);
    for (int at = 0; at < GPC_LINE_COUNT * GPC_LINE_COUNT; at++)
        origins[at] = (&ours.origins[0][0])[at];
    gpci_text_put(&t, ", \"origins\": ");
    put_matrix(&t, origins);
    gpci_text_put(&t, "}");
    return t.length;
}
