/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/binary/binary_decode.h"
#include "trace/binary/binary_encode.h"

/*
 * Recording in a kernel's section: 1, the kernel's start, its launch, the counts, and the turns.
 *
 * A turn is a byte of these bits, then the announced values, as differences from the turn before; at first from zero.
 */
enum {
    TURN_WHAT = 3,   /* gpc_turn_what */
    TURN_BLOCK = 4,  /* another block follows */
    TURN_WARP = 8,   /* another warp follows */
    TURN_PLACE = 16, /* another SM or slot follows */
    TURN_AGE = 32,   /* age follows */
    TURN_BYTES = 64, /* the six bytes from `token` on follow; otherwise 0 */
};

#define TURN_BYTE_COUNT 6u

static void put_turn(const gpc_turn *t, const gpc_turn *last, gpci_buffer *out) {
    const uint8_t rest[TURN_BYTE_COUNT] = {t->token, t->token_l2, t->scope, t->order, t->control, t->event};
    bool any = false;
    for (unsigned i = 0; i < TURN_BYTE_COUNT; i++)
        any |= rest[i] != 0;
    const bool block = t->block != last->block, warp = t->warp != last->warp, age = t->warp_age != last->warp_age,
               place = t->sm != last->sm || t->slot != last->slot;
    const uint8_t bits = (uint8_t)(t->what | (block ? TURN_BLOCK : 0) | (warp ? TURN_WARP : 0) |
                                   (place ? TURN_PLACE : 0) | (age ? TURN_AGE : 0) | (any ? TURN_BYTES : 0));
    gpci_buffer_put(out, &bits, 1);
    if (block)
        gpci_buffer_signed(out, (uint64_t)t->block - last->block);
    if (warp)
        gpci_buffer_signed(out, (uint64_t)t->warp - last->warp);
    if (place) {
        gpci_buffer_signed(out, (uint64_t)t->sm - last->sm);
        gpci_buffer_signed(out, (uint64_t)t->slot - last->slot);
    }
    if (age)
        gpci_buffer_signed(out, (uint64_t)t->warp_age - last->warp_age);
    if (any)
        gpci_buffer_put(out, rest, sizeof rest);
}

void gpci_encode_recording(const gpc_recording *r, gpci_buffer *out) {
    gpci_buffer_varint(out, r != NULL);
    if (!r)
        return;
    const uint64_t numbers[] = {r->begun,        r->launched,   r->threads,           r->registers,
                                r->shared_bytes, r->code_bytes, r->warp_instructions, r->thread_instructions,
                                r->blocks,       r->turn_count};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        gpci_buffer_varint(out, numbers[i]);
    gpc_turn last = {0};
    for (uint64_t n = 0; n < r->turn_count; n++) {
        put_turn(&r->turns[n], &last, out);
        last = r->turns[n];
    }
}

static void take_number(gpci_cursor *c, uint32_t *value) {
    const uint64_t sum = *value + gpci_cursor_signed(c);
    c->bad |= sum > UINT32_MAX;
    *value = (uint32_t)sum;
}

/* Read the turn behind *t into *t. */
static void take_turn(gpci_cursor *c, gpc_turn *t) {
    const uint8_t *bits = gpci_cursor_take(c, 1);
    if (!bits)
        return;
    c->bad |= *bits & 128 || (*bits & TURN_WHAT) >= GPC_TURN_COUNT;
    t->what = *bits & TURN_WHAT;
    if (*bits & TURN_BLOCK)
        take_number(c, &t->block);
    if (*bits & TURN_WARP)
        take_number(c, &t->warp);
    if (*bits & TURN_PLACE) {
        take_number(c, &t->sm);
        take_number(c, &t->slot);
    }
    if (*bits & TURN_AGE)
        take_number(c, &t->warp_age);
    static const uint8_t none[TURN_BYTE_COUNT];
    const uint8_t *rest = *bits & TURN_BYTES ? gpci_cursor_take(c, TURN_BYTE_COUNT) : none;
    if (!rest)
        return;
    t->token = rest[0];
    t->token_l2 = rest[1];
    t->scope = rest[2];
    t->order = rest[3];
    t->control = rest[4];
    t->event = rest[5];
    c->bad |= t->token >= GPC_TOKEN_COUNT || t->token_l2 >= GPC_TOKEN_COUNT || t->scope >= GPC_SCOPE_COUNT ||
              t->order >= GPC_ORDER_COUNT || t->control >= GPC_CONTROL_COUNT;
}

bool gpci_decode_recording(gpci_decoder *d, gpci_cursor *c, uint64_t blocks, uint32_t warps, bool *memory) {
    gpc_recording *r = &d->recording;
    if (!gpci_cursor_below(c, 1))
        return !c->bad;
    r->struct_size = sizeof *r;
    r->begun = (uint8_t)gpci_cursor_below(c, 1);
    r->launched = (uint8_t)gpci_cursor_below(c, 1);
    r->threads = (uint32_t)gpci_cursor_below(c, UINT32_MAX);
    r->registers = (uint32_t)gpci_cursor_below(c, UINT32_MAX);
    r->shared_bytes = (uint32_t)gpci_cursor_below(c, UINT32_MAX);
    r->code_bytes = gpci_cursor_varint(c);
    r->warp_instructions = gpci_cursor_varint(c);
    r->thread_instructions = gpci_cursor_varint(c);
    r->blocks = gpci_cursor_varint(c);
    r->turn_count = gpci_cursor_below(c, (uint64_t)(c->stop - c->at));
    if (c->bad)
        return false;
    d->turns = gpci_zalloc(d->context, (size_t)r->turn_count + 1, sizeof *d->turns);
    if (!d->turns) {
        *memory = true;
        return false;
    }
    gpc_turn last = {0};
    for (uint64_t n = 0; n < r->turn_count && !c->bad; n++) {
        take_turn(c, &last);
        c->bad |= last.what == GPC_TURN_INSTRUCTION && (last.block >= blocks || last.warp >= warps);
        d->turns[n] = last;
    }
    r->turns = d->turns;
    d->kernel.recording = r;
    return !c->bad;
}
