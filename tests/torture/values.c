/* SPDX-License-Identifier: BSD-2-Clause */
#include "torture.h"

#include <stdlib.h>
#include <string.h>

/*
 * Programs without races, with expected values of loads. A program has phases with a synchronisation behind each. In a
 * phase a block of four lines is written, read by all, or changed by additions. A written block has chunks, from a word
 * to the whole block. A chunk has one owner, a warp of an SM, for the phase: only the owner writes and reads the chunk.
 * Neighbours in a block have different owners: SMs share lines, but no words. Lanes have 4 to 64 bytes, as far as the
 * chunk goes, and a whole warp may read a block.
 */

enum { BASE = 65536, BLOCKS = 24, LINE = 128, BLOCK = 4 * LINE, WORDS = BLOCK / 4, USES = 4 };
enum { SMS = 4, WARPS = 2, OWNERS = SMS * WARPS, LANES = 32, WIDEST = 64 };

typedef enum line_use { USE_WRITTEN, USE_READ, USE_ADDED } line_use;

/* Event by which SMs see the stores of other SMs. */
typedef enum sync_kind {
    SYNC_KERNEL, /* begin of a kernel, with kernels.flush = l1 */
    SYNC_FENCES, /* a release of each SM, then acquires */
    SYNC_IDLE    /* all accesses have completed */
} sync_kind;

static const struct {
    const char *protocol;
    bool fences, idle; /* kinds with a promise of the protocol, beside kernels */
} promises[] = {
    {"none", true, false},
    {"viper", true, false},
    {"vi", true, false},
    {"slc-glc", true, false},
    {"hmg", true, false},
    {"msi", true, true},
    {"mesi", true, true},
    {"mesif", true, true},
    {"mosi", true, true},
    {"moesi", true, true},
    {"nmoesi", false, false},
    {"nmoesi-d", false, false},
    {"nmoesi-multi2sim", false, false},
};

enum {
    KNOWN = sizeof promises / sizeof *promises,
    PROTOCOLS = KNOWN - 1 /* nmoesi-multi2sim loses data, as Multi2Sim does: only by --set */
};

static unsigned promise_of(const torture_case *c) {
    const char *protocol = case_value(c, "coherence");
    for (unsigned i = 0; protocol && i < KNOWN; i++)
        if (!strcmp(promises[i].protocol, protocol))
            return i;
    return 0;
}

void draw_values_settings(torture_case *c) {
    static const char *const plain[][2] = {
        {"l1.write_policy", "through"},
        {"l1.write_policy_local", "through"},
        {"l1.write_allocate", "none"},
        {"l1.write_allocate_local", "none"},
    };
    if (!case_value(c, "coherence"))
        case_set(c, "coherence", promises[c->seed % PROTOCOLS].protocol, true);
    const char *protocol = case_value(c, "coherence");
    case_set(c, "coherence.data", "true", true);
    case_set(c, "sm.count", "4", true);
    case_set(c, "sm.lanes", "32", true);
    case_set(c, "sm.warps", "48", true);
    case_set(c, "kernels.flush", "l1", true);
    for (unsigned i = 0; i < 4 && (!strcmp(protocol, "none") || !strcmp(protocol, "viper")); i++)
        case_set(c, plain[i][0], plain[i][1], true);
}

/* Programs. */

typedef struct phase {
    unsigned number, chunk; /* words of a chunk */
} phase;

static void make_addition(dice *d, op *o) {
    o->kind = (uint8_t)(GPC_ATOMIC + dice_below(d, 2));
    o->atomic = GPC_OP_ADD;
    o->order = GPC_ORDER_RELAXED;
    o->scope = GPC_SCOPE_GPU;
}

/* Draws a load of words, or a change: a store or an addition. */
static void use_words(dice *d, op *o) {
    o->kind = dice_one_in(d, 2) ? GPC_STORE : GPC_LOAD;
    if (o->kind == GPC_STORE && o->width == 4 && dice_one_in(d, 3))
        make_addition(d, o);
}

static line_use use_of(const phase *p, uint32_t block) {
    const uint32_t n = (block + p->number) % USES;
    return n < 2 ? USE_WRITTEN : n == 2 ? USE_READ : USE_ADDED;
}

static uint32_t block_of_use(dice *d, const phase *p, line_use use) {
    uint32_t block = dice_below(d, BLOCKS);
    while (use_of(p, block) != use)
        block = (block + 1) % BLOCKS;
    return block;
}

/* The owner of a word. Blocks with a distance of USES have the same use and owners. */
static void set_owner(const phase *p, uint32_t block, uint32_t word, op *o) {
    const uint32_t owner = (block % USES * (WORDS / p->chunk) + word / p->chunk + p->number) % OWNERS;
    o->sm = owner % SMS, o->warp = owner / SMS;
}

static op *add_op(torture_case *c, op_kind what, bool pinned) {
    op *o = &c->ops[c->op_count++];
    *o = (op){.what = (uint8_t)what, .pinned = pinned, .width = 4, .stride = 4, .mask = 1};
    return o;
}

static uint64_t lanes(uint32_t count) {
    return count < 64 ? ((uint64_t)1 << count) - 1 : UINT64_MAX;
}

/* Bytes of a lane, at most `most`: a power of two. */
static uint32_t draw_width(dice *d, uint32_t most) {
    uint32_t width = 4;
    while (width < WIDEST && 2 * width <= most && !dice_one_in(d, 3))
        width *= 2;
    return width;
}

/* Draws lanes side by side, among as many bytes from an address on. */
static void use_lanes(dice *d, uint64_t address, uint32_t bytes, op *o) {
    o->width = o->stride = draw_width(d, bytes);
    const uint32_t room = bytes / o->width, first = dice_below(d, room), left = room - first;
    o->address = address + first * o->width;
    o->mask = lanes(1 + dice_below(d, left < LANES ? left : LANES));
}

/* Draws an access to a part of a chunk, by the chunk's owner. */
static void use_chunk(dice *d, const phase *p, op *o) {
    const uint32_t block = block_of_use(d, p, USE_WRITTEN), word = dice_below(d, WORDS / p->chunk) * p->chunk;
    set_owner(p, block, word, o);
    use_lanes(d, BASE + block * BLOCK + word * 4, p->chunk * 4, o);
    use_words(d, o);
}

/* Draws an access to a place in each of several blocks. */
static void use_column(dice *d, const phase *p, op *o) {
    const uint32_t block = block_of_use(d, p, USE_WRITTEN) % USES, width = draw_width(d, p->chunk * 4),
                   word = dice_below(d, BLOCK / width) * width / 4;
    set_owner(p, block, word, o);
    o->width = width;
    o->stride = USES * BLOCK;
    o->address = BASE + block * BLOCK + word * 4;
    o->mask = lanes(1 + dice_below(d, BLOCKS / USES));
    use_words(d, o);
}

static void use_read_block(dice *d, const phase *p, op *o) {
    const uint32_t block = block_of_use(d, p, USE_READ);
    o->sm = dice_below(d, SMS), o->warp = dice_below(d, WARPS);
    if (dice_one_in(d, 4)) {
        use_lanes(d, BASE + block * BLOCK, BLOCK, o);
        return;
    }
    o->width = o->stride = 16u << dice_below(d, 3);
    o->address = BASE + block * BLOCK;
    o->mask = lanes(BLOCK / o->width);
}

static void add_to_block(dice *d, const phase *p, op *o) {
    const uint32_t count = 1 + dice_below(d, LANES);
    o->sm = dice_below(d, SMS), o->warp = dice_below(d, WARPS);
    o->address = BASE + block_of_use(d, p, USE_ADDED) * BLOCK + dice_below(d, WORDS - count) * 4;
    o->mask = lanes(count);
    make_addition(d, o);
}

/* Hints, and strong accesses: values are the same. .ca contradicts a scope beyond the SM. */
static void draw_manner(dice *d, op *o) {
    static const uint8_t hints[] = {GPC_HINT_CA, GPC_HINT_CG, GPC_HINT_CV, GPC_HINT_CS};
    static const uint8_t scopes[] = {GPC_SCOPE_CTA, GPC_SCOPE_GPU, GPC_SCOPE_SYS};
    if (o->kind == GPC_LOAD && dice_one_in(d, 4))
        o->hint = hints[dice_below(d, 4)];
    if (o->kind == GPC_STORE && dice_one_in(d, 8))
        o->hint = GPC_HINT_WT;
    if ((o->kind == GPC_LOAD || o->kind == GPC_STORE) && o->hint != GPC_HINT_CA && dice_one_in(d, 8))
        o->order = GPC_ORDER_RELAXED, o->scope = scopes[dice_below(d, 3)];
}

static void draw_access(dice *d, const phase *p, torture_case *c, uint32_t delay) {
    op *o = add_op(c, OP_ACCESS, false);
    const uint32_t n = dice_below(d, 8);
    if (n < 3)
        use_chunk(d, p, o);
    else if (n < 4)
        use_column(d, p, o);
    else if (n < 7)
        use_read_block(d, p, o);
    else
        add_to_block(d, p, o);
    o->pc = 16 * dice_below(d, 8);
    o->delay = dice_below(d, delay);
    draw_manner(d, o);
}

static void add_fences(torture_case *c, uint8_t order, uint8_t control) {
    for (uint32_t sm = 0; sm < SMS; sm++) {
        op *o = add_op(c, OP_FENCE, true);
        o->sm = sm, o->order = order, o->scope = GPC_SCOPE_SYS, o->control = control;
    }
    add_op(c, OP_WAIT, true);
}

static void synchronise(dice *d, torture_case *c) {
    const unsigned promise = promise_of(c);
    const sync_kind kind = dice_one_in(d, 3)                             ? SYNC_KERNEL
                           : promises[promise].idle && dice_one_in(d, 2) ? SYNC_IDLE
                           : promises[promise].fences                    ? SYNC_FENCES
                                                                         : SYNC_KERNEL;
    add_op(c, OP_WAIT, true);
    if (kind == SYNC_KERNEL)
        add_op(c, OP_BEGIN, true);
    if (kind == SYNC_FENCES) {
        add_fences(c, GPC_ORDER_RELEASE, GPC_CONTROL_NONE);
        add_fences(c, GPC_ORDER_ACQUIRE, promise ? GPC_CONTROL_NONE : GPC_CONTROL_INVALIDATE_ALL);
    }
}

void draw_values_program(const torture_options *o, torture_case *c) {
    static const uint32_t delays[] = {1, 1, 3, 30};
    dice d = {c->seed * 2 + 0x7777777777u};
    const uint32_t delay = delays[dice_below(&d, 4)];
    phase p = {.chunk = 1u << dice_below(&d, 8)};
    const unsigned room = 4 * SMS + 8, length = 6 + dice_below(&d, 60);
    c->op_count = 0;
    c->ops = calloc(o->operations + room + length, sizeof *c->ops);
    while (c->ops && c->op_count < o->operations) {
        for (unsigned i = 0; i < length; i++)
            draw_access(&d, &p, c, delay);
        synchronise(&d, c);
        p.number++;
        p.chunk = dice_one_in(&d, 3) ? 1u << dice_below(&d, 8) : p.chunk;
    }
}

/* Expected values: the program runs in order on one memory. */

struct expected {
    uint32_t count;
    uint32_t *at; /* [count + 1] begin of an operation's bytes */
    uint8_t *bytes;
    uint8_t memory[BLOCKS * BLOCK];
};

static uint32_t bytes_of(const op *o) {
    uint32_t count = 0;
    for (uint64_t mask = o->mask; o->what == OP_ACCESS && mask; mask &= mask - 1)
        count += o->width;
    return count;
}

/* The value of a lane's word: stored, or added. */
static uint32_t word_of(uint32_t n, uint32_t lane, uint32_t word) {
    return (n * 64 + lane) * 16 + word;
}

static void perform_lane(const op *o, uint32_t n, uint32_t lane, uint8_t *memory, uint8_t *bytes) {
    uint32_t sum, more = word_of(n, lane, 0);
    if (o->kind == GPC_LOAD) {
        memcpy(bytes, memory, o->width);
    } else if (o->kind == GPC_STORE) {
        for (uint32_t i = 0; i < o->width; i += 4, more++)
            memcpy(bytes + i, &more, 4);
        memcpy(memory, bytes, o->width);
    } else {
        memcpy(bytes, &more, 4);
        memcpy(&sum, memory, 4), sum += more, memcpy(memory, &sum, 4);
    }
}

static void perform(expected *e, const op *o, uint32_t n) {
    const uint32_t lanes_of_op = bytes_of(o) / o->width;
    uint8_t *bytes = &e->bytes[e->at[n]];
    for (uint32_t lane = 0; lane < lanes_of_op; lane++, bytes += o->width) {
        const uint64_t offset = o->address - BASE + lane * o->stride;
        if (offset + o->width <= sizeof e->memory)
            perform_lane(o, n, lane, &e->memory[offset], bytes);
    }
}

expected *expected_make(const torture_case *c) {
    expected *e = calloc(1, sizeof *e);
    uint32_t size = 0;
    if (!e)
        abort();
    e->count = c->op_count;
    e->at = calloc(c->op_count + 1, sizeof *e->at);
    for (uint32_t n = 0; e->at && n < c->op_count; n++)
        e->at[n + 1] = size += bytes_of(&c->ops[n]);
    e->bytes = calloc(size + 1, 1);
    if (!e->at || !e->bytes)
        abort();
    for (uint32_t n = 0; n < c->op_count; n++)
        if (c->ops[n].what == OP_ACCESS)
            perform(e, &c->ops[n], n);
    return e;
}

void expected_free(expected *e) {
    if (e) {
        free(e->at);
        free(e->bytes);
    }
    free(e);
}

bool expected_bytes(const expected *e, uint32_t n, const uint8_t **bytes, uint32_t *count) {
    if (n >= e->count || e->at[n] == e->at[n + 1])
        return false;
    *bytes = &e->bytes[e->at[n]];
    *count = e->at[n + 1] - e->at[n];
    return true;
}
