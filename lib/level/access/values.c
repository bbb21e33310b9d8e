/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/access/values.h"

#include "coherence/module/atomic.h"

#include <string.h>

/*
 * Walk over the bytes of all lanes within a line. For each byte, next tells `offset`, the offset in the line, and
 * `place`, the index in the lanes' values.
 */
typedef struct lane_walk {
    const gpci_lanes *lanes;
    uint64_t line;
    uint32_t line_bytes, lane, byte;
} lane_walk;

static bool next(lane_walk *lanes, uint32_t *offset, size_t *place) {
    for (; lanes->lane < lanes->lanes->count; lanes->lane++, lanes->byte = 0)
        while (lanes->byte < lanes->lanes->width) {
            const uint64_t at = lanes->lanes->addresses[lanes->lane] + lanes->byte - lanes->line;
            *place = (size_t)lanes->lane * lanes->lanes->width + lanes->byte++;
            if (at < lanes->line_bytes) {
                *offset = (uint32_t)at;
                return true;
            }
        }
    return false;
}

const uint8_t *gpci_values_mask(const gpci_line_values *values, uint32_t size) {
    for (uint32_t i = 0; i < size; i++)
        if (!(values->mask[i / 8] >> (i & 7) & 1))
            return values->mask;
    return NULL;
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
    request->mask = gpci_values_mask(values, request->size);
}

void gpci_values_scatter(const gpci_lanes *lanes, uint64_t line, uint32_t line_bytes, const gpci_line_values *values) {
    lane_walk w = {lanes, line, line_bytes, 0, 0};
    uint32_t offset;
    size_t place;
    while (lanes->out && next(&w, &offset, &place))
        lanes->out[place] = values->bytes[offset];
}

static uint64_t value_of(const uint8_t *values, uint32_t lane, uint32_t width) {
    return values ? gpci_atomic_read(values + (size_t)lane * width, width) : 0;
}

uint32_t gpci_values_atomics(const gpci_lanes *lanes, uint64_t line, uint32_t line_bytes,
                             gpc_coherence_request *request, gpc_atomic *atomics) {
    uint32_t count = 0;
    for (uint32_t lane = 0; lane < lanes->count; lane++)
        if (lanes->addresses[lane] - line < line_bytes)
            atomics[count++] = (gpc_atomic){.operand = value_of(lanes->bytes, lane, lanes->width),
                                            .compare = value_of(lanes->compare, lane, lanes->width),
                                            .offset = (uint32_t)(lanes->addresses[lane] - request->address),
                                            .op = (uint8_t)lanes->op,
                                            .width = (uint8_t)lanes->width};
    request->atomics = atomics;
    request->atomic_count = count;
    return count;
}

void gpci_values_found(const gpci_lanes *lanes, uint64_t line, uint32_t line_bytes, const gpc_atomic *atomics) {
    for (uint32_t lane = 0; lanes->out && lane < lanes->count; lane++)
        if (lanes->addresses[lane] - line < line_bytes)
            gpci_atomic_write(lanes->out + (size_t)lane * lanes->width, lanes->width, (atomics++)->old);
}
