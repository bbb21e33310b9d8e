/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/text.h"
#include "registry/protocol_registry.h"

#include <gpucache/ext/protocol.h>

#include <inttypes.h>
#include <string.h>

/* Names of events, and the two matrices of transitions as text, side by side as in Table 4.2. */

const char *gpc_coherence_event_name(gpc_coherence_event event) {
    static const char *const names[] = {
        "Load",         "Store",         "N-Store",       "Eviction",     "Read Req.",  "Write Req.",
        "Read Above",   "Write Above",   "Data Above",    "N-Data Above", "Probe Data", "Invalidate Data",
        "Passing Load", "Passing Store", "Through Store", "Acquire",
    };
    _Static_assert(sizeof names / sizeof *names == GPC_EVENT_COUNT, "every event has a name");
    return (unsigned)event < GPC_EVENT_COUNT ? names[event] : NULL;
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

/* Two matrices of a protocol, and the widths of their columns: the longest number or name, after two blanks. */
typedef struct matrices {
    const gpc_protocol *protocol; /* NULL: NMOESI */
    uint32_t states;
    const uint64_t *transitions; /* [states][states] */
    const uint32_t *origins;     /* [states][states] */
    int counts, masks, names;    /* widths of transitions, of origins, and of names of states */
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

size_t gpc_protocol_matrices_text(const gpc_protocol *protocol, const uint64_t *transitions, const uint32_t *origins,
                                  const char *title, char *buffer, size_t size) {
    if (!transitions || !origins)
        return 0;
    matrices tables = {protocol, protocol ? gpci_states_of(protocol) : GPC_LINE_COUNT, transitions, origins, 0, 0, 0};
    return write_matrices(&tables, title, buffer, size);
}
