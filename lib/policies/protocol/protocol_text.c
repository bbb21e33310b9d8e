/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/text.h"
#include "stats/stats.h"

#include <gpucache/protocol.h>

#include <inttypes.h>
#include <string.h>

/* Statistics as text: the two matrices side by side as in Table 4.2, and everything as JSON. */

static const char letters[] = "NMOESI"; /* of rows and columns, as in Table 4.2 */

const char *gpc_coherence_event_name(gpc_coherence_event event) {
    static const char *const names[] = {
        "Load",         "Store",         "N-Store",       "Eviction",     "Read Req.",  "Write Req.",
        "Read Above",   "Write Above",   "Data Above",    "N-Data Above", "Probe Data", "Invalidate Data",
        "Passing Load", "Passing Store", "Through Store", "Acquire",
    };
    _Static_assert(sizeof names / sizeof *names == GPC_EVENT_COUNT, "every event has a name");
    return (unsigned)event < GPC_EVENT_COUNT ? names[event] : NULL;
}

/* A host's struct of statistics as the library's own; all 0 if it cannot be read. */
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

/* How wide the columns of the two matrices are: as their longest number. Two blanks go before each. */
static void widths(const gpc_coherence_stats *stats, int *counts, int *origins) {
    *counts = *origins = 1;
    for (int from = 0; from < GPC_LINE_COUNT; from++)
        for (int to = 0; to < GPC_LINE_COUNT; to++) {
            int count = decimal_width(stats->transitions[from][to]), mask = hexadecimal_width(stats->origins[from][to]);
            *counts = count > *counts ? count : *counts;
            *origins = mask > *origins ? mask : *origins;
        }
}

size_t gpc_coherence_matrix_text_as(const gpc_layout *layout, const void *stats, const char *title, char *buffer,
                                    size_t size) {
    gpc_coherence_stats ours = taken(layout, stats);
    gpci_text t = gpci_text_of(buffer, size);
    int counts, origins, gap = 4;
    widths(&ours, &counts, &origins);
    int indent = title ? (int)strlen(title) : 0;
    gpci_text_put(&t, "%s  ", title ? title : "");
    for (int to = 0; to < GPC_LINE_COUNT; to++)
        gpci_text_put(&t, "  %*c", counts, letters[to]);
    gpci_text_put(&t, "%*s%s  ", gap, "", title ? title : "");
    for (int to = 0; to < GPC_LINE_COUNT; to++)
        gpci_text_put(&t, "  %*c", origins, letters[to]);
    gpci_text_put(&t, "\n");
    for (int from = 0; from < GPC_LINE_COUNT; from++) {
        gpci_text_put(&t, "%*s %c", indent, "", letters[from]);
        for (int to = 0; to < GPC_LINE_COUNT; to++)
            gpci_text_put(&t, "  %*" PRIu64, counts, ours.transitions[from][to]);
        gpci_text_put(&t, "%*s%*s %c", gap, "", indent, "", letters[from]);
        for (int to = 0; to < GPC_LINE_COUNT; to++)
            gpci_text_put(&t, "  %*" PRIX32, origins, ours.origins[from][to]);
        gpci_text_put(&t, "\n");
    }
    return t.length;
}

size_t gpc_coherence_stats_json_as(const gpc_layout *layout, const void *stats, char *buffer, size_t size) {
    gpc_coherence_stats ours = taken(layout, stats);
    gpci_text t = gpci_text_of(buffer, size);
    gpci_text_put(&t, "{");
#define X(id, field, name, ...) gpci_text_put(&t, "\"%s\": %" PRIu64 ", ", name, ours.field);
    GPC_COHERENCE_COUNTERS(X)
#undef X
    gpci_text_put(&t, "\"states\": \"%s\", \"transitions\": [", letters);
    for (int at = 0; at < GPC_LINE_COUNT * GPC_LINE_COUNT; at++) {
        int from = at / GPC_LINE_COUNT, to = at % GPC_LINE_COUNT;
        gpci_text_put(&t, "%s%" PRIu64 "%s",
                      to     ? ", "
                      : from ? ", ["
                             : "[",
                      ours.transitions[from][to], to == GPC_LINE_COUNT - 1 ? "]" : "");
    }
    gpci_text_put(&t, "], \"origins\": [");
    for (int at = 0; at < GPC_LINE_COUNT * GPC_LINE_COUNT; at++) {
        int from = at / GPC_LINE_COUNT, to = at % GPC_LINE_COUNT;
        gpci_text_put(&t, "%s%" PRIu32 "%s",
                      to     ? ", "
                      : from ? ", ["
                             : "[",
                      ours.origins[from][to], to == GPC_LINE_COUNT - 1 ? "]" : "");
    }
    gpci_text_put(&t, "]}");
    return t.length;
}
