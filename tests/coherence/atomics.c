/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <string.h>

#include "coherence/engine/engine.h"
#include "coherence/random.h"
#include "coherence/small.h"
#include "coherence/trees.h"
#include "effort.h"

/* Atomics returning values: every operation; none is lost, done twice, or done on old data. */

/* CUDA's documentation of each, in CUDA's types. */
static uint32_t as_cuda32(gpc_atomic_op op, uint32_t old, uint32_t b, uint32_t compare) {
    const int32_t old_signed = (int32_t)old, b_signed = (int32_t)b;
    switch (op) {
    case GPC_OP_ADD:
        return old + b;
    case GPC_OP_MIN:
        return old < b ? old : b;
    case GPC_OP_MAX:
        return old > b ? old : b;
    case GPC_OP_MIN_SIGNED:
        return old_signed < b_signed ? old : b;
    case GPC_OP_MAX_SIGNED:
        return old_signed > b_signed ? old : b;
    case GPC_OP_AND:
        return old & b;
    case GPC_OP_OR:
        return old | b;
    case GPC_OP_XOR:
        return old ^ b;
    case GPC_OP_EXCHANGE:
        return b;
    case GPC_OP_COMPARE_SWAP:
        return old == compare ? b : old;
    case GPC_OP_INC:
        return old >= b ? 0 : old + 1;
    default:
        return old == 0 || old > b ? b : old - 1;
    }
}

static uint64_t as_cuda64(gpc_atomic_op op, uint64_t old, uint64_t b, uint64_t compare) {
    const int64_t old_signed = (int64_t)old, b_signed = (int64_t)b;
    switch (op) {
    case GPC_OP_ADD:
        return old + b;
    case GPC_OP_MIN:
        return old < b ? old : b;
    case GPC_OP_MAX:
        return old > b ? old : b;
    case GPC_OP_MIN_SIGNED:
        return old_signed < b_signed ? old : b;
    case GPC_OP_MAX_SIGNED:
        return old_signed > b_signed ? old : b;
    case GPC_OP_AND:
        return old & b;
    case GPC_OP_OR:
        return old | b;
    case GPC_OP_XOR:
        return old ^ b;
    case GPC_OP_EXCHANGE:
        return b;
    case GPC_OP_COMPARE_SWAP:
        return old == compare ? b : old;
    case GPC_OP_INC:
        return old >= b ? 0 : old + 1;
    default:
        return old == 0 || old > b ? b : old - 1;
    }
}

static const uint64_t values[] = {0, 1, 2, 5, 0x7fffffff, 0x80000000, 0xffffffff, INT64_MAX, 1ull << 63, UINT64_MAX};
#define VALUES (sizeof values / sizeof *values)

static void put(gpc_coherence *c, uint64_t address, uint64_t value) {
    uint8_t bytes[8];
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
    cr_assert_eq(gpc_coherence_write_memory(c, address, bytes, 8, NULL), GPC_OK);
}

/* Two atomics in sequence, on the upper or the lower word, or both, of eight bytes. */
static void try_operation(gpc_coherence *c, uint64_t address, gpc_atomic_op op, uint32_t width, uint64_t old,
                          uint64_t b) {
    const uint64_t compare = b & 1 ? old : b, all = width == 8 ? UINT64_MAX : UINT32_MAX;
    gpc_atomic two[2] = {{.operand = b, .compare = compare, .op = (uint8_t)op, .width = (uint8_t)width, .done = 9},
                         {.operand = 3, .compare = 7, .op = (uint8_t)op, .width = (uint8_t)width}};
    gpc_coherence_request r = GPC_COHERENCE_REQUEST_INIT;
    gpc_error error = GPC_ERROR_INIT;
    uint64_t after = 0;
    r.address = address;
    r.size = 8;
    r.kind = GPC_COHERENCE_STORE;
    r.atomics = two;
    r.atomic_count = 2;
    r.out = (uint8_t *)&after;
    two[0].offset = two[1].offset = 8 - width;
    put(c, address, width == 8 ? old : old << 32 | 0x12345678);
    cr_assert_eq(gpc_coherence_access(c, &r, NULL, &error), GPC_OK, "%s", error.message);
    const uint64_t first =
        width == 8 ? as_cuda64(op, old, b, compare) : as_cuda32(op, (uint32_t)old, (uint32_t)b, (uint32_t)compare);
    const uint64_t second = width == 8 ? as_cuda64(op, first, 3, 7) : as_cuda32(op, (uint32_t)first, 3, 7);
    cr_expect(two[0].done == 1 && two[1].done == 1);
    cr_expect_eq(two[0].old, old & all, "op %d, %u bytes", op, width);
    cr_expect_eq(two[1].old, first, "op %d, %u bytes, %#llx of %#llx", op, width, (unsigned long long)b,
                 (unsigned long long)old);
    cr_expect_eq(after, width == 8 ? second : second << 32 | 0x12345678, "op %d, %u bytes", op, width);
}

Test(coherence_atomics, operations) {
    small *s = small_open();
    gpc_coherence *c = small_tree(s);
    uint64_t address = 0;
    for (uint32_t op = GPC_OP_ADD; op < GPC_OP_COUNT; op++)
        for (uint32_t n = 0; n < 2 * VALUES * VALUES; n++, address += 256)
            try_operation(c, address, (gpc_atomic_op)op, n & 1 ? 8 : 4, values[n / 2 % VALUES], values[n / 2 / VALUES]);
    small_close(s);
}

/*
 * Without directories an n-store may be an atomic: performed where n-stores are, in the first level's copy. vi writes
 * it through, slc-glc keeps it. A later STORE of the same processor passes, and sees the result.
 */
Test(coherence_atomics, n_stores_without_directories) {
    static const char *const protocols[] = {"vi", "slc-glc", "hmg"};
    for (unsigned i = 0; i < 6; i++) {
        small *s = small_open();
        s->options.protocol = protocols[i / 2];
        gpc_coherence *c = small_tree(s);
        gpc_atomic a = {.op = GPC_OP_ADD, .width = 4, .operand = 1};
        gpc_coherence_request r = GPC_COHERENCE_REQUEST_INIT;
        uint64_t token;
        r.size = 4;
        r.atomics = &a;
        r.atomic_count = 1;
        small_access(c, 0, GPC_COHERENCE_LOAD, 0, 0);
        for (uint32_t n = 0; n < 3; n++) {
            r.kind = n < 2 ? GPC_COHERENCE_N_STORE : GPC_COHERENCE_STORE;
            r.cycle = 1000 * (n + 1);
            if (i % 2)
                cr_assert(gpc_coherence_issue(c, &r, &token, NULL) == GPC_OK &&
                          gpc_coherence_advance(c, r.cycle + 999, NULL) == GPC_OK);
            else
                cr_assert_eq(gpc_coherence_access(c, &r, NULL, NULL), GPC_OK);
            cr_expect(a.done && a.old == n, "%s: %u has found %u", protocols[i / 2], n, (unsigned)a.old);
        }
        cr_expect_eq(small_access(c, 1, GPC_COHERENCE_LOAD, 0, 0), 3, "%s", protocols[i / 2]);
        small_close(s);
    }
}

static void refused(gpc_coherence *c, const gpc_coherence_request *r, const char *what) {
    gpc_error error = GPC_ERROR_INIT;
    uint64_t token;
    cr_expect_eq(gpc_coherence_access(c, r, NULL, &error), GPC_ERROR_ARGUMENT, "%s", what);
    cr_expect(strstr(error.message, what), "%s", error.message);
    cr_expect_eq(gpc_coherence_issue(c, r, &token, &error), GPC_ERROR_ARGUMENT, "%s", what);
    cr_expect(strstr(error.message, what), "%s", error.message);
}

Test(coherence_atomics, refusals) {
    static const uint8_t bytes[8];
    small *s = small_open();
    gpc_coherence *c = small_tree(s);
    gpc_atomic a = {.op = GPC_OP_ADD, .width = 4};
    gpc_coherence_request good = GPC_COHERENCE_REQUEST_INIT, r;
    good.size = 8;
    good.kind = GPC_COHERENCE_STORE;
    good.atomics = &a;
    good.atomic_count = 1;
    cr_expect_eq(gpc_coherence_access(c, &good, NULL, NULL), GPC_OK);
    refused(c, (r = good, r.kind = GPC_COHERENCE_N_STORE, &r), "no STORE");
    refused(c, (r = good, r.kind = GPC_COHERENCE_LOAD, &r), "no STORE");
    refused(c, (r = good, r.atomics = NULL, &r), "without atomics");
    refused(c, (r = good, r.bytes = bytes, &r), "beside bytes");
    refused(c, (r = good, r.mask = bytes, &r), "beside bytes");
    refused(c, (a.op = GPC_OP_NONE, &good), "op is none");
    refused(c, (a.op = GPC_OP_COUNT, &good), "op is none");
    refused(c, (a.op = GPC_OP_ADD, a.width = 2, &good), "width");
    refused(c, (a.width = 8, a.offset = 4, &good), "offset");
    refused(c, (a.width = 4, a.offset = 8, &good), "offset");
    refused(c, (a.offset = 2, &good), "multiple");
    small_close(s);
    s = small_open();
    s->options.data = false;
    a.offset = 0;
    refused(small_tree(s), &good, "without data");
    small_close(s);
}

/*
 * Counters, changed only by atomics, while others load them and store beside them. Under every protocol, every addition
 * returns a different number, and none is missing; without overlap they are in order.
 */
#define WORDS 4u
#define EACH 120u /* accesses */
#define LANES 3u  /* most additions of one */

typedef struct addition {
    gpc_atomic lanes[LANES];
    uint32_t count, word;
    uint64_t ended; /* order */
} addition;

typedef struct world {
    gpc_coherence *c;
    tree t;
    uint64_t seed, order;
    addition additions[EACH];
    uint32_t of_token[EACH + 1], made, total[WORDS];
    bool overlap;
} world;

static void on_complete(void *user_data, const gpc_coherence_completion *done) {
    world *w = user_data;
    if (w->of_token[done->token] != UINT32_MAX)
        w->additions[w->of_token[done->token]].ended = ++w->order;
}

/* A word is in the middle of 64 separate bytes, or at the end. */
static uint64_t address_of(const world *w, uint32_t word) {
    return w->t.base + word * 64u + (word & 1 ? 60 : 32);
}

static void act(world *w, uint64_t *random, uint64_t cycle) {
    gpc_coherence_request r = GPC_COHERENCE_REQUEST_INIT;
    gpc_error error = GPC_ERROR_INIT;
    const uint32_t word = gpci_random_below(random, WORDS), what = gpci_random_below(random, 4);
    uint64_t token = 0;
    uint8_t value = 1;
    addition *a = &w->additions[w->made];
    r.address = address_of(w, word);
    r.module = gpci_random_below(random, w->t.first_count);
    r.flags = gpci_random_below(random, 4);
    r.cycle = cycle;
    if (what < 2) {
        *a = (addition){.count = 1 + gpci_random_below(random, LANES), .word = word};
        for (uint32_t i = 0; i < a->count; i++)
            a->lanes[i] = (gpc_atomic){.operand = 1, .op = GPC_OP_ADD, .width = 4};
        r.kind = GPC_COHERENCE_STORE;
        r.size = 4;
        r.atomics = a->lanes;
        r.atomic_count = a->count;
        w->total[word] += a->count;
        w->made++;
    } else if (what == 2) {
        r.kind = GPC_COHERENCE_N_STORE;
        r.address -= 1 + gpci_random_below(random, 8);
        r.bytes = &value;
    }
    const gpc_status status =
        w->overlap ? gpc_coherence_issue(w->c, &r, &token, &error) : gpc_coherence_access(w->c, &r, NULL, &error);
    cr_assert_eq(status, GPC_OK, "seed %llu: %s", (unsigned long long)w->seed, error.message);
    w->of_token[token] = what < 2 ? w->made - 1 : UINT32_MAX;
    if (!w->overlap && what < 2)
        a->ended = ++w->order;
}

static void check(const world *w, const char *protocol) {
    static bool found[WORDS][EACH * LANES];
    gpc_error error = GPC_ERROR_INIT;
    memset(found, 0, sizeof found);
    for (uint32_t i = 0; i < w->made; i++) {
        const addition *a = &w->additions[i];
        cr_assert(a->ended);
        for (uint32_t k = 0; k < a->count; k++) {
            const uint64_t old = a->lanes[k].old;
            cr_assert(a->lanes[k].done && old < w->total[a->word] && !found[a->word][old], "%s, seed %llu: %llu twice",
                      protocol, (unsigned long long)w->seed, (unsigned long long)old);
            found[a->word][old] = true;
            cr_assert(!k || old == a->lanes[k - 1].old + 1);
            cr_assert(w->overlap || !old || found[a->word][old - 1]);
        }
    }
    cr_assert_eq(gpc_coherence_flush(w->c, GPC_NO_MODULE, 0, NULL, &error), GPC_OK, "%s", error.message);
    for (uint32_t word = 0; word < WORDS; word++) {
        uint8_t bytes[4];
        cr_assert_eq(gpc_coherence_read_memory(w->c, address_of(w, word), bytes, 4, NULL), GPC_OK);
        cr_assert_eq(bytes[0] | bytes[1] << 8, w->total[word], "%s, seed %llu", protocol, (unsigned long long)w->seed);
    }
}

static void run_one(gpc_context *context, const char *protocol, uint64_t seed) {
    static world w;
    gpc_coherence_callbacks callbacks = GPC_COHERENCE_CALLBACKS_INIT;
    gpc_error error = GPC_ERROR_INIT;
    uint64_t random = gpci_mix(seed), cycle = 0;
    w = (world){.seed = seed, .overlap = seed & 1};
    tree_random(&w.t, &random, 1024, TREE_ALL);
    for (uint32_t i = 0; i < w.t.module_count; i++)
        w.t.modules[i].latency = 1 + gpci_random_below(&random, 6);
    cr_assert_eq(tree_create(&w.t, context, protocol, true, true, &error, &w.c), GPC_OK, "%s", error.message);
    callbacks.user_data = &w;
    callbacks.on_complete = on_complete;
    cr_assert_eq(gpc_coherence_set_callbacks(w.c, &callbacks, NULL), GPC_OK);
    for (uint32_t i = 0; i < EACH; i++) {
        cycle += gpci_random_below(&random, 8) / 3;
        act(&w, &random, cycle);
    }
    cr_assert_eq(gpc_coherence_advance(w.c, UINT64_MAX, &error), GPC_OK, "%s, seed %llu: %s", protocol,
                 (unsigned long long)seed, error.message);
    check(&w, protocol);
    gpc_coherence_destroy(w.c);
}

Test(coherence_atomics, none_is_lost) {
    static const char *const protocols[] = {"msi", "mesi", "mosi", "moesi", "nmoesi", "vi", "slc-glc", "hmg"};
    gpc_context *context;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    for (uint64_t seed = 0; seed < effort_of(300); seed++)
        for (uint32_t p = 0; p < sizeof protocols / sizeof *protocols; p++)
            run_one(context, protocols[p], seed);
    gpc_context_destroy(context);
}
