/* SPDX-License-Identifier: BSD-2-Clause */
#include "torture.h"

#include <stdlib.h>
#include <string.h>

/* Style of a program: a share for each kind of operation, distances in space and time. */
typedef struct style {
    uint32_t shares[OP_COUNT];
    uint32_t lines;  /* lines of the addresses: few lines, for conflicts */
    uint32_t delay;  /* most cycles between two operations */
    uint32_t stores; /* stores in 16 accesses; atomics and the like: */
    uint32_t atomics;
    uint32_t odd; /* odd accesses in 16: hints, orders, copies and so on */
    uint64_t base;
} style;

static style draw_style(dice *d) {
    static const uint32_t delays[] = {1, 1, 4, 40, 400}, lines[] = {2, 4, 16, 64, 512};
    style s = {.lines = lines[dice_below(d, 5)],
               .delay = delays[dice_below(d, 5)],
               .stores = dice_below(d, 9),
               .atomics = dice_below(d, 5),
               .odd = dice_below(d, 9),
               .base = dice_one_in(d, 8) ? (uint64_t)3 << 40 : 65536};
    s.shares[OP_ACCESS] = 40;
    for (unsigned i = OP_TRANSACTIONS; i < OP_COUNT; i++)
        s.shares[i] = dice_one_in(d, 3) ? 1 + dice_below(d, i < OP_START ? 8 : 2) : 0;
    for (unsigned i = OP_PRELOAD; i < OP_COUNT; i++)
        s.shares[i] &= dice_one_in(d, 4) ? 1 : 0;
    return s;
}

static uint8_t draw_kind(dice *d, const style *s) {
    const uint32_t n = dice_below(d, 16);
    if (n < s->stores)
        return GPC_STORE;
    if (n < s->stores + s->atomics)
        return (uint8_t)(GPC_ATOMIC + dice_below(d, 2));
    return dice_one_in(d, 12) ? GPC_PREFETCH : GPC_LOAD;
}

static uint64_t draw_mask(dice *d) {
    switch (dice_below(d, 5)) {
    case 0:
        return 1;
    case 1:
        return 0xff;
    case 2:
        return dice_next(d);
    default:
        return UINT64_MAX;
    }
}

static void draw_order(dice *d, op *o) {
    o->order = (uint8_t)dice_below(d, GPC_ORDER_SC);
    o->scope = o->order ? (uint8_t)dice_below(d, GPC_SCOPE_COUNT) : 0;
}

/* Draws rare fields. Contradictory fields are refused later, and passed over. */
static void draw_oddities(dice *d, op *o) {
    switch (dice_below(d, 8)) {
    case 0:
        o->hint = (uint8_t)dice_below(d, GPC_HINT_COUNT);
        break;
    case 1:
        draw_order(d, o);
        break;
    case 2:
        o->space = (uint8_t)dice_below(d, GPC_SPACE_CLUSTER + 1);
        o->local = o->space == GPC_SPACE_LOCAL && dice_one_in(d, 2);
        break;
    case 3:
        o->copy = dice_one_in(d, 3) ? GPC_COPY_ASYNC : GPC_COPY_BULK;
        o->kind = o->copy == GPC_COPY_ASYNC || dice_one_in(d, 2) ? GPC_LOAD : GPC_STORE;
        o->width = o->copy == GPC_COPY_ASYNC ? 4u << dice_below(d, 3) : 1 + dice_below(d, 600);
        o->multicast = o->copy == GPC_COPY_BULK && o->kind == GPC_LOAD ? (uint8_t)dice_below(d, 5) : 0;
        o->mask = o->copy == GPC_COPY_BULK ? o->mask & 7 : o->mask;
        break;
    case 4:
        o->token = (uint8_t)dice_below(d, GPC_TOKEN_COUNT);
        o->token_l2 = (uint8_t)dice_below(d, GPC_TOKEN_COUNT);
        break;
    case 5:
        o->priority = (uint8_t)dice_below(d, GPC_PRIORITY_COUNT);
        break;
    case 6:
        o->atomic = (uint8_t)dice_below(d, GPC_OP_COUNT);
        o->kind = (uint8_t)(GPC_ATOMIC + dice_below(d, 2));
        o->width = dice_one_in(d, 2) ? 8 : 4;
        break;
    default:
        o->process = (uint8_t)dice_below(d, 3);
    }
}

static void draw_place(dice *d, const style *s, op *o) {
    static const uint32_t strides[] = {4, 4, 4, 8, 0, 128, 33, 256, 1024};
    o->address = s->base + (uint64_t)dice_below(d, s->lines) * 128 + (dice_one_in(d, 2) ? 0 : dice_below(d, 32) * 4u);
    o->stride = strides[dice_below(d, sizeof strides / sizeof *strides)];
    o->mask = draw_mask(d);
    o->width = dice_one_in(d, 3) ? 1u << dice_below(d, 5) : 4;
    if (o->width > 4 && o->stride == 4)
        o->stride = o->width;
}

static op draw_op(dice *d, const style *s) {
    op o = {.delay = dice_below(d, s->delay)};
    uint32_t all = 0, n;
    for (unsigned i = 0; i < OP_COUNT; i++)
        all += s->shares[i];
    for (n = dice_below(d, all); n >= s->shares[o.what]; o.what++)
        n -= s->shares[o.what];
    if (dice_one_in(d, 20))
        o.delay += dice_below(d, 2000);
    o.kind = draw_kind(d, s);
    o.sm = dice_below(d, 64);
    o.warp = dice_below(d, 8);
    o.stream = (uint8_t)dice_below(d, 4);
    o.count = dice_one_in(d, 4) ? dice_below(d, 40) : 1 + dice_below(d, 4);
    o.pc = 16 * dice_below(d, 12);
    draw_place(d, s, &o);
    if (dice_below(d, 16) < s->odd)
        draw_oddities(d, &o);
    if (o.what == OP_FENCE) {
        o.order = (uint8_t)(dice_one_in(d, 8) ? GPC_ORDER_WEAK : GPC_ORDER_ACQUIRE + dice_below(d, 4));
        o.scope = o.order ? (uint8_t)dice_below(d, GPC_SCOPE_COUNT) : 0;
        o.control = (uint8_t)(o.order && !dice_one_in(d, 3) ? 0 : dice_below(d, 3));
    }
    return o;
}

static manners draw_manners(dice *d) {
    manners m = {0};
    if (dice_one_in(d, 5)) {
        m.memory = true;
        m.refuses = dice_one_in(d, 2) ? 0 : 5 + dice_below(d, 60);
        m.patience = 1 + dice_below(d, 60);
        m.latency = 1 + dice_below(d, 200);
    }
    if (dice_one_in(d, 6)) {
        m.credits = 1 + dice_below(d, 4);
        m.period = 1 + dice_below(d, 100);
    }
    return m;
}

/* Themes: a sixteenth of the seeds each, with settings that draw_settings adds. */

/* Three ports and accesses of SMs compete; SMs have few credits for replies. */
static void compete(dice *d, torture_case *c) {
    c->manners.credits = 1 + dice_below(d, 3);
    c->manners.period = 1 + dice_below(d, 40);
    for (unsigned n = 0; n < c->op_count; n++)
        if (dice_one_in(d, 3)) {
            c->ops[n].what = OP_PORT;
            c->ops[n].count = 1 + dice_below(d, 12);
        }
}

/* Processes with equal addresses, and local memory. */
static void share_addresses(dice *d, torture_case *c) {
    for (unsigned n = 0; n < c->op_count; n++) {
        op *o = &c->ops[n];
        o->process = (uint8_t)dice_below(d, 3);
        if (o->what != OP_ACCESS || o->copy || o->order || !dice_one_in(d, 3))
            continue;
        o->space = GPC_SPACE_LOCAL, o->local = dice_one_in(d, 2);
        o->atomic = 0, o->hint = 0;
        o->kind = o->kind == GPC_STORE ? GPC_STORE : GPC_LOAD;
        o->width = 4u << dice_below(d, 2);
    }
}

/* Thousands of packets at once: bulk copies, and a slow memory. */
static void flood(dice *d, torture_case *c) {
    c->manners = (manners){.memory = true, .patience = 1 + dice_below(d, 60), .latency = 1000};
    c->cut = c->op_count - c->op_count / 8;
    for (unsigned n = 0; n < c->op_count; n++) {
        op *o = &c->ops[n];
        o->delay = dice_below(d, 60);
        o->what = o->what == OP_ACCESS || dice_one_in(d, 8) ? o->what : OP_ACCESS;
        if (o->what != OP_ACCESS || dice_one_in(d, 3))
            continue;
        o->copy = GPC_COPY_BULK, o->kind = dice_one_in(d, 4) ? GPC_STORE : GPC_LOAD;
        o->space = o->hint = o->order = o->scope = o->atomic = o->multicast = o->token = 0;
        o->width = 1024u << dice_below(d, 4), o->stride = o->width, o->mask = 0xf;
        o->address += (uint64_t)n << 16;
    }
}

const char *theme_settings(uint64_t seed) {
    switch (seed % 16) {
    case 3:
        return "ports=3";
    case 7:
        return "tlb.page=4KiB";
    case 11:
        return "sm.count=4; sm.bulk_rate=8; sm.bulk_queue=64; network.input_buffer=unlimited; "
               "network.output_buffer=unlimited";
    default:
        return "";
    }
}

static void draw_theme(dice *d, torture_case *c) {
    if (c->seed % 16 == 3)
        compete(d, c);
    else if (c->seed % 16 == 7)
        share_addresses(d, c);
    else if (c->seed % 16 == 11)
        flood(d, c);
}

void draw_program(const torture_options *o, torture_case *c) {
    dice d = {c->seed * 2 + 0x5555555555u};
    const style s = draw_style(&d);
    c->manners = draw_manners(&d);
    c->op_count = 0;
    c->ops = calloc(o->operations + 1, sizeof *c->ops);
    for (unsigned i = 0; c->ops && i < o->operations; i++)
        c->ops[c->op_count++] = draw_op(&d, &s);
    if (!o->plain)
        draw_theme(&d, c);
}
