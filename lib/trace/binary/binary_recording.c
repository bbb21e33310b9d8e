/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/binary/binary_decode.h"
#include "trace/binary/binary_encode.h"

/*
 * Recording in a kernel's section: the number 1, `begun` and `launched`, the launch, the counts, and the turns.
 *
 * A turn begins with a byte of the following bits. The values that the bits announce come behind the byte: block, warp,
 * SM, slot and age as differences from the turn before. Before the first turn, all values are 0.
 */
enum {
    TURN_WHAT = 3,   /* gpc_turn_what */
    TURN_BLOCK = 4,  /* the block differs from the turn before */
    TURN_WARP = 8,   /* the warp differs */
    TURN_PLACE = 16, /* the SM or the slot differs; both follow */
    TURN_AGE = 32,   /* the warp's age differs */
    TURN_BYTES = 64, /* the six fields of a byte from `token` on follow; without the bit, all six are 0 */
};

#define TURN_BYTE_COUNT 6u

static void put_turn(const gpc_turn *turn, const gpc_turn *last, gpci_buffer *out) {
    const uint8_t rest[TURN_BYTE_COUNT] = {turn->token, turn->token_l2, turn->scope,
                                           turn->order, turn->control,  turn->event};
    bool any = false;
    for (unsigned i = 0; i < TURN_BYTE_COUNT; i++)
        any |= rest[i] != 0;
    const bool block = turn->block != last->block, warp = turn->warp != last->warp,
               age = turn->warp_age != last->warp_age, place = turn->sm != last->sm || turn->slot != last->slot;
    const uint8_t bits = (uint8_t)(turn->what | (block ? TURN_BLOCK : 0) | (warp ? TURN_WARP : 0) |
                                   (place ? TURN_PLACE : 0) | (age ? TURN_AGE : 0) | (any ? TURN_BYTES : 0));
    gpci_buffer_put(out, &bits, 1);
    if (block)
        gpci_buffer_signed(out, (uint64_t)turn->block - last->block);
    if (warp)
        gpci_buffer_signed(out, (uint64_t)turn->warp - last->warp);
    if (place) {
        gpci_buffer_signed(out, (uint64_t)turn->sm - last->sm);
        gpci_buffer_signed(out, (uint64_t)turn->slot - last->slot);
    }
    if (age)
        gpci_buffer_signed(out, (uint64_t)turn->warp_age - last->warp_age);
    if (any)
        gpci_buffer_put(out, rest, sizeof rest);
}

void gpci_encode_recording(const gpc_recording *recording, gpci_buffer *out) {
    gpci_buffer_varint(out, recording != NULL);
    if (!recording)
        return;
    const uint64_t numbers[] = {
        recording->begun,        recording->launched,   recording->threads,           recording->registers,
        recording->shared_bytes, recording->code_bytes, recording->warp_instructions, recording->thread_instructions,
        recording->blocks,       recording->turn_count};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        gpci_buffer_varint(out, numbers[i]);
    gpc_turn last = {0};
    for (uint64_t n = 0; n < recording->turn_count; n++) {
        put_turn(&recording->turns[n], &last, out);
        last = recording->turns[n];
    }
}

static void take_number(gpci_cursor *cursor, uint32_t *value) {
    const uint64_t sum = *value + gpci_cursor_signed(cursor);
    cursor->bad |= sum > UINT32_MAX;
    *value = (uint32_t)sum;
}

/* Read the next turn. `turn` has the turn before, and is replaced. */
static void take_turn(gpci_cursor *cursor, gpc_turn *turn) {
    const uint8_t *bits = gpci_cursor_take(cursor, 1);
    if (!bits)
        return;
    cursor->bad |= *bits & 128 || (*bits & TURN_WHAT) >= GPC_TURN_COUNT;
    turn->what = *bits & TURN_WHAT;
    if (*bits & TURN_BLOCK)
        take_number(cursor, &turn->block);
    if (*bits & TURN_WARP)
        take_number(cursor, &turn->warp);
    if (*bits & TURN_PLACE) {
        take_number(cursor, &turn->sm);
        take_number(cursor, &turn->slot);
    }
    if (*bits & TURN_AGE)
        take_number(cursor, &turn->warp_age);
    static const uint8_t none[TURN_BYTE_COUNT];
    const uint8_t *rest = *bits & TURN_BYTES ? gpci_cursor_take(cursor, TURN_BYTE_COUNT) : none;
    if (!rest)
        return;
    turn->token = rest[0];
    turn->token_l2 = rest[1];
    turn->scope = rest[2];
    turn->order = rest[3];
    turn->control = rest[4];
    turn->event = rest[5];
    cursor->bad |= turn->token >= GPC_TOKEN_COUNT || turn->token_l2 >= GPC_TOKEN_COUNT ||
                   turn->scope >= GPC_SCOPE_COUNT || turn->order >= GPC_ORDER_COUNT ||
                   turn->control >= GPC_CONTROL_COUNT;
}

bool gpci_decode_recording(gpci_decoder *decoder, gpci_cursor *cursor, uint64_t blocks, uint32_t warps, bool *memory) {
    gpc_recording *recording = &decoder->recording;
    if (!gpci_cursor_below(cursor, 1))
        return !cursor->bad;
    recording->struct_size = sizeof *recording;
    recording->begun = (uint8_t)gpci_cursor_below(cursor, 1);
    recording->launched = (uint8_t)gpci_cursor_below(cursor, 1);
    recording->threads = (uint32_t)gpci_cursor_below(cursor, UINT32_MAX);
    recording->registers = (uint32_t)gpci_cursor_below(cursor, UINT32_MAX);
    recording->shared_bytes = (uint32_t)gpci_cursor_below(cursor, UINT32_MAX);
    recording->code_bytes = gpci_cursor_varint(cursor);
    recording->warp_instructions = gpci_cursor_varint(cursor);
    recording->thread_instructions = gpci_cursor_varint(cursor);
    recording->blocks = gpci_cursor_varint(cursor);
    recording->turn_count = gpci_cursor_below(cursor, (uint64_t)(cursor->stop - cursor->at));
    if (cursor->bad)
        return false;
    decoder->turns = gpci_zalloc(decoder->context, (size_t)recording->turn_count + 1, sizeof *decoder->turns);
    if (!decoder->turns) {
        *memory = true;
        return false;
    }
    gpc_turn last = {0};
    for (uint64_t n = 0; n < recording->turn_count && !cursor->bad; n++) {
        take_turn(cursor, &last);
        cursor->bad |= last.what == GPC_TURN_INSTRUCTION && (last.block >= blocks || last.warp >= warps);
        decoder->turns[n] = last;
    }
    recording->turns = decoder->turns;
    decoder->kernel.recording = recording;
    return !cursor->bad;
}
