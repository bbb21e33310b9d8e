/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/binary/binary.h"

#include "base/array.h"

/*
 * Two guesses for the next address of a static in a warp. First: the last address plus a step. Second: the address of
 * the warp before at the same execution, moved by the difference of both warps' first addresses. The second follows
 * nested loops; the first is right if warps differ. The guess that was right more often lately is used.
 */

#define TRUST_LEAST 2u
#define TRUST_MOST 3u
#define MOST_HISTORY 65536u

static uint64_t times(uint64_t step, uint32_t to, uint32_t from) {
    return step * ((uint64_t)to - (uint64_t)from);
}

static bool has_history(const gpci_stream *stream) {
    return stream->count < stream->before;
}

static uint64_t from_history(const gpci_stream *stream) {
    return stream->history[stream->count] + stream->offset;
}

void gpci_stream_predict(gpci_stream *stream, const gpci_stream_place *place, uint64_t *expected, uint64_t *near) {
    const gpci_learned *learned = &stream->learned;
    if (stream->touched == place->ordinal + 1) {
        bool same_warp = stream->warp == place->warp;
        *near = same_warp ? stream->last : stream->warp_first;
        if (same_warp && stream->trust >= TRUST_LEAST && has_history(stream))
            *expected = from_history(stream);
        else
            *expected = *near + (same_warp ? stream->loop_step : times(stream->warp_step, place->warp, stream->warp));
        return;
    }
    bool known = learned->from < place->ordinal;
    stream->warp_step = known ? learned->warp_step : 0;
    stream->loop_step = known ? learned->loop_step : 0;
    stream->shape = known ? learned->shape : GPCI_NO_SHAPE;
    *expected = 0;
    if (known)
        *expected = learned->base + times(learned->warp_step, place->warp, learned->warp) +
                    (learned->dx_from < place->ordinal ? times(learned->dx, place->x, learned->x) : 0) +
                    (learned->dy_from < place->ordinal ? times(learned->dy, place->y, learned->y) : 0);
    *near = *expected;
}

static void judge(gpci_stream *stream, uint64_t address) {
    if (!has_history(stream))
        return;
    bool history = from_history(stream) == address, step = stream->last + stream->loop_step == address;
    if (history && !step && stream->trust < TRUST_MOST)
        stream->trust++;
    if (step && !history && stream->trust)
        stream->trust--;
}

/* First use in a warp: the addresses of the warp before become history. */
static void begin_warp(gpci_stream *stream, const gpci_stream_place *place, uint64_t address) {
    bool same_block = stream->touched == place->ordinal + 1;
    if (same_block && place->warp - stream->warp == 1)
        stream->warp_step = address - stream->warp_first;
    if (!same_block)
        stream->trust = TRUST_LEAST;
    stream->before = same_block ? stream->count : 0;
    stream->count = 0;
    stream->offset = stream->before ? address - stream->history[0] : 0;
    stream->warp_first = address;
}

bool gpci_stream_update(gpci_stream *stream, gpc_context *context, const gpci_stream_place *place, uint64_t address) {
    if (stream->touched == place->ordinal + 1 && stream->warp == place->warp) {
        judge(stream, address);
        stream->loop_step = address - stream->last;
    } else {
        begin_warp(stream, place, address);
    }
    stream->last = address;
    stream->warp = place->warp;
    stream->touched = place->ordinal + 1;
    if (stream->count == MOST_HISTORY)
        return true;
    if (!GPCI_ARRAY_RESERVE(context, stream->history, stream->capacity, stream->count, 1))
        return false;
    stream->history[stream->count++] = address;
    return true;
}
