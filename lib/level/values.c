/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/values.h"

#include <string.h>

/* For each byte of a lane that lies in a line: its offset in the line, and its place among lanes' values. */
typedef struct lane_walk {
    const gpci_lanes *lanes;
    uint64_t line;
    uint32_t line_bytes, lane, byte;
} lane_walk;

static bool next(lane_walk *w, uint32_t *offset, size_t *place) {
    for (; w->lane < w->lanes->count; w->lane++, w->byte = 0)
        while (w->byte < w->lanes->width) {
            const uint64_t at = w->lanes->addresses[w->lane] + w->byte - w->line;
            *place = (size_t)w->lane * w->lanes->width + w->byte++;
            if (at < w->line_bytes) {
                *offset = (uint32_t)at;
                return true;
            }
        }
    return false;
}

void gpci_values_gather(const gpci_lanes *lanes, uint64_t line, uint32_t line_bytes, gpc_coherence_request *request,
                        gpci_line_values *values) {
    lane_walk w = {lanes, line, line_bytes, 0, 0};
    const uint32_t first = (uint32_t)(request->address - line);
    uint32_t offset;
    size_t place;
    memset(values->mask, 0, sizeof values->mask);
    while (next(&w, &offset, &place)) {
        values->bytes[offset] = lanes->bytes ? lanes->bytes[place] : 0;
        values->mask[(offset - first) / 8] |= (uint8_t)(1u << ((offset - first) & 7));
    }
    if (request->kind == GPC_COHERENCE_LOAD) {
        request->out = values->bytes + first;
        return;
    }
    request->bytes = values->bytes + first;
    request->mask = values->mask;
}

void gpci_values_scatter(const gpci_lanes *lanes, uint64_t line, uint32_t line_bytes, const gpci_line_values *values) {
    lane_walk w = {lanes, line, line_bytes, 0, 0};
    uint32_t offset;
    size_t place;
    while (lanes->out && next(&w, &offset, &place))
        lanes->out[place] = values->bytes[offset];
}
