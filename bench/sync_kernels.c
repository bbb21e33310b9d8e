/* SPDX-License-Identifier: BSD-2-Clause */
#include "sync_kernels.h"
#include "../tests/measured.h"

#include <string.h>

const char *const sync_names[SYNC_KERNELS] = {"mutex", "ticket", "semaphore", "barrier", "pipe"};

enum { LANES = 32, WORD = 4, LINE = 128, BACK_OFF = 1024, LARGEST = 10 /* readers at a time */ };

typedef struct warp {
    uint32_t number, sm, local; /* number of the warp; its SM; number within the SM */
    uint32_t step;              /* step of the kernel, from 0 */
    bool over, under_way;
    uint64_t not_before;
    uint32_t out[LANES], in[LANES]; /* bytes read by the last access; bytes to write */
    uint64_t addresses[LANES];
    uint32_t round, line, back_off, ticket, seen;
    bool enters;
} warp;

typedef struct run {
    gpc_hierarchy *h;
    const sync_setup *how;
    sync_result *result;
    gpc_status status;
    warp warps[SYNC_WARPS + 1]; /* and the host's */
    uint32_t count;
} run;

static void on_complete(void *user_data, const gpc_completion *completion) {
    ((run *)user_data)->warps[completion->token].under_way = false;
}

/* Addresses: separate lines, by SM in the local scope. */

enum { LOCK, SERVING, COUNT, WAITING, GATE, GATE_BACK, LOCAL_GATE, LOCAL_GATE_BACK, FLAG, DATA = FLAG + SYNC_WARPS };

/* An odd number of lines between the data of neighbouring SMs, so that all slices have a share. */
static uint64_t line_of(uint32_t sm, uint32_t variable) {
    return ((uint64_t)(sm + 1) * 8209 + variable) * LINE;
}

static bool is_local(const run *u) {
    return u->how->scope == GPC_SCOPE_CTA;
}

static uint64_t shared(const run *u, const warp *w, uint32_t variable) {
    return line_of(is_local(u) ? w->sm : UINT32_C(4000), variable);
}

/* Accesses. */

static gpc_warp_access access_of(warp *w, uint64_t address, uint32_t lanes) {
    gpc_warp_access a = GPC_WARP_ACCESS_INIT;
    for (uint32_t i = 0; i < lanes; i++)
        w->addresses[i] = address + (uint64_t)i * WORD;
    a.sm = w->sm;
    a.warp = a.warp_age = w->local;
    a.block = w->number;
    a.mask = UINT64_MAX >> (64 - lanes);
    a.addresses = w->addresses;
    a.width = WORD;
    return a;
}

static bool offer(run *u, warp *w, const gpc_warp_access *a) {
    const gpc_status status = gpc_hierarchy_try_issue(u->h, a, w->number, NULL, NULL);
    u->status = status < 0 ? status : u->status;
    w->under_way = status == GPC_OK;
    return w->under_way;
}

static bool offer_atomic(run *u, warp *w, gpc_atomic_op op, uint64_t address, uint32_t operand, uint32_t compare) {
    gpc_warp_access a = access_of(w, address, 1);
    w->in[0] = operand;
    a.kind = GPC_ATOMIC;
    a.order = GPC_ORDER_RELAXED;
    a.scope = u->how->scope;
    a.atomic = (uint8_t)op;
    a.bytes = (const uint8_t *)w->in;
    a.compare = op == GPC_OP_COMPARE_SWAP ? (const uint8_t *)&compare : NULL;
    a.out = (uint8_t *)w->out;
    return offer(u, w, &a);
}

/* Awaited condition. */
static bool offer_poll(run *u, warp *w, uint64_t address) {
    if (!u->how->polls_by_load)
        return offer_atomic(u, w, GPC_OP_ADD, address, 0, 0);
    gpc_warp_access a = access_of(w, address, 1);
    a.order = GPC_ORDER_ACQUIRE;
    a.scope = u->how->scope;
    a.out = (uint8_t *)w->out;
    return offer(u, w, &a);
}

static bool offer_load(run *u, warp *w, uint64_t address, uint32_t lanes) {
    gpc_warp_access a = access_of(w, address, lanes);
    a.out = (uint8_t *)w->out;
    return offer(u, w, &a);
}

/* A reduction without an operation is a coherent store. */
static bool offer_store(run *u, warp *w, uint64_t address, uint32_t lanes) {
    gpc_warp_access a = access_of(w, address, lanes);
    a.kind = u->how->coherent_stores ? GPC_REDUCTION : GPC_STORE;
    a.bytes = (const uint8_t *)w->in;
    return offer(u, w, &a);
}

static bool offer_fence(run *u, warp *w, gpc_order order, gpc_scope scope) {
    gpc_fence f = GPC_FENCE_INIT;
    f.sm = w->sm;
    f.warp = w->local;
    f.order = (uint8_t)order;
    f.scope = (uint8_t)scope;
    const gpc_status status = gpc_hierarchy_try_fence(u->h, &f, w->number, NULL, NULL);
    u->status = status < 0 ? status : u->status;
    w->under_way = status == GPC_OK;
    return w->under_way;
}

/*
 * Kernels are functions called repeatedly, and continue at `step`, a place in a line. State that outlives a call
 * belongs to the warp.
 */
#define FALLS_THROUGH __attribute__((fallthrough))
#define BEGIN(w)         \
    switch ((w)->step) { \
    case 0:
#define END(w)        \
    (w)->over = true; \
    }
/* Limit of steps in a line. */
#define STEP(n) (8 * __LINE__ + (n))
/* Offer an access until accepted, then wait until completed: the steps `n` and n + 1 of a line. */
#define DO_AS(w, n, offers)      \
    (w)->step = STEP(n);         \
    FALLS_THROUGH;               \
    case STEP(n):                \
        if (!(offers))           \
            return;              \
        (w)->step = STEP(n) + 1; \
        FALLS_THROUGH;           \
    case STEP(n) + 1:            \
        if ((w)->under_way)      \
        return
#define DO(w, offers) DO_AS(w, 0, offers)
#define ATOMIC(w, op, address, operand, compare) DO(w, offer_atomic(u, w, GPC_OP_##op, address, operand, compare))
#define FENCE(w, order) DO(w, offer_fence(u, w, GPC_ORDER_##order, u->how->scope))
#define PAUSE(w, cycles)                                  \
    (w)->not_before = gpc_hierarchy_now(u->h) + (cycles); \
    (w)->step = STEP(6);                                  \
    FALLS_THROUGH;                                        \
    case STEP(6):                                         \
        if (gpc_hierarchy_now(u->h) < (w)->not_before)    \
        return

/* Backoff of spinMutexEBO: doubled up to a bound, then reset. */
static uint32_t next_back_off(const warp *w) {
    return (w->back_off * 2 + 1) & (BACK_OFF - 1);
}

static uint32_t first_back_off(const warp *w) {
    return 16 + w->number % 16;
}

/* With polling by loads, a warp loads the lock before an attempt to take the lock (test and test-and-set). */
static bool looks_first(const run *u, warp *w) {
    w->out[0] = 0;
    return u->how->polls_by_load;
}

/* Attempt to take the lock: `out[0]` is 0 after success. */
#define ATTEMPT(w)                                                                      \
    if (looks_first(u, w)) {                                                            \
        DO_AS(w, 0, offer_poll(u, w, shared(u, w, LOCK)));                              \
    }                                                                                   \
    if (!(w)->out[0]) {                                                                 \
        DO_AS(w, 2, offer_atomic(u, w, GPC_OP_COMPARE_SWAP, shared(u, w, LOCK), 1, 0)); \
    }
#define TAKE_LOCK(w)                                                             \
    for ((w)->back_off = first_back_off(w);; (w)->back_off = next_back_off(w)) { \
        ATTEMPT(w)                                                               \
        if (!(w)->out[0])                                                        \
            break;                                                               \
        u->result->attempts++;                                                   \
        PAUSE(w, (w)->back_off);                                                 \
    }

/* Add one to all lanes of a loaded line. */
static bool store_more(run *u, warp *w, uint64_t address) {
    for (uint32_t i = 0; i < LANES; i++)
        w->in[i] = w->out[i] + 1;
    return offer_store(u, w, address, LANES);
}

static uint64_t data(const run *u, const warp *w) {
    return shared(u, w, DATA + w->line);
}

static void mutex(run *u, warp *w) {
    BEGIN(w)
    for (w->round = 0; w->round < u->how->rounds; w->round++) {
        TAKE_LOCK(w)
        FENCE(w, ACQUIRE);
        for (w->line = 0; w->line < u->how->lines; w->line++) {
            DO(w, offer_load(u, w, data(u, w), LANES));
            DO(w, store_more(u, w, data(u, w)));
        }
        FENCE(w, RELEASE);
        ATOMIC(w, EXCHANGE, shared(u, w, LOCK), 0, 0);
    }
    END(w)
}

static void ticket(run *u, warp *w) {
    BEGIN(w)
    for (w->round = 0; w->round < u->how->rounds; w->round++) {
        ATOMIC(w, ADD, shared(u, w, LOCK), 1, 0);
        w->ticket = w->out[0];
        for (;;) {
            DO(w, offer_poll(u, w, shared(u, w, SERVING)));
            if (w->out[0] == w->ticket)
                break;
            u->result->attempts++;
            PAUSE(w, 20 * (w->ticket - w->out[0]));
        }
        FENCE(w, ACQUIRE);
        for (w->line = 0; w->line < u->how->lines; w->line++) {
            DO(w, offer_load(u, w, data(u, w), LANES));
            DO(w, store_more(u, w, data(u, w)));
        }
        FENCE(w, RELEASE);
        ATOMIC(w, EXCHANGE, shared(u, w, SERVING), w->ticket + 1, 0);
    }
    END(w)
}

static bool store_word(run *u, warp *w, uint64_t address, uint32_t value) {
    w->in[0] = value;
    return offer_store(u, w, address, 1);
}

/* A warp of each SM writes. */
static bool is_writer(const warp *w) {
    return w->local == 0;
}

/* A reader sees all words of all lines as left by a single writer. */
static void check_read(const run *u, warp *w) {
    for (uint32_t i = 0; i < LANES; i++) {
        u->result->expected++;
        u->result->wrong += w->line || i ? w->out[i] != w->seen : 0;
        w->seen = w->line || i ? w->seen : w->out[i];
    }
}

/*
 * `COUNT` is the number of further entrants, with 0 for LARGEST; a writer takes all. `COUNT` is accessed only under the
 * lock. A warp without entry releases the lock, and tries again.
 */
static void semaphore(run *u, warp *w) {
    BEGIN(w)
    for (w->round = 0; w->round < u->how->rounds; w->round++) {
        for (w->back_off = first_back_off(w);; w->back_off = is_writer(w) ? next_back_off(w) : w->back_off + 5) {
            ATTEMPT(w)
            if (!w->out[0]) {
                FENCE(w, ACQUIRE);
                DO(w, offer_load(u, w, shared(u, w, COUNT), 1));
                w->seen = w->out[0];
                w->enters = is_writer(w) ? !w->seen : w->seen < LARGEST;
                if (!is_writer(w)) {
                    DO(w, offer_load(u, w, shared(u, w, WAITING), 1));
                    w->enters &= !w->out[0];
                }
                if (w->enters) {
                    DO(w, store_word(u, w, shared(u, w, COUNT), is_writer(w) ? LARGEST : w->seen + 1));
                }
                if (is_writer(w)) {
                    DO(w, store_word(u, w, shared(u, w, WAITING), !w->enters));
                }
                FENCE(w, RELEASE);
                ATOMIC(w, EXCHANGE, shared(u, w, LOCK), 0, 0);
                if (w->enters)
                    break;
            }
            u->result->attempts++;
            PAUSE(w, w->back_off);
        }
        FENCE(w, ACQUIRE);
        for (w->line = 0; w->line < u->how->lines; w->line++) {
            DO(w, offer_load(u, w, data(u, w), LANES));
            if (is_writer(w)) {
                DO(w, store_more(u, w, data(u, w)));
            } else {
                check_read(u, w);
            }
        }
        FENCE(w, RELEASE);
        TAKE_LOCK(w)
        FENCE(w, ACQUIRE);
        DO(w, offer_load(u, w, shared(u, w, COUNT), 1));
        DO(w, store_word(u, w, shared(u, w, COUNT), is_writer(w) ? 0 : w->out[0] - 1));
        FENCE(w, RELEASE);
        ATOMIC(w, EXCHANGE, shared(u, w, LOCK), 0, 0);
    }
    END(w)
}

/*
 * Gates of a barrier in turn: of the SM's warps, twice, then of a warp of each SM, twice, then of the SM's warps again.
 * Two rounds, because a gate in immediate reuse must not be taken for the earlier gate (HeteroSync's second stage).
 */
typedef struct gate {
    uint64_t address;
    uint32_t count;
    gpc_scope scope;
} gate;

static gate gate_of(const run *u, const warp *w, uint32_t stage) {
    if (stage < 2 || stage >= 4)
        return (gate){line_of(w->sm, LOCAL_GATE + stage % 2), u->how->warps, GPC_SCOPE_CTA};
    return (gate){line_of(4000, GATE + stage % 2), u->how->sms, GPC_SCOPE_GPU};
}

/* A local barrier ends with its first two stages; all but the first warp of an SM go past the global ones. */
static uint32_t next_stage(const run *u, const warp *w, uint32_t stage) {
    if (stage == 1)
        return is_local(u) ? 6 : w->local ? 4 : 2;
    return stage + 1;
}

static uint64_t own_line(const run *u, uint32_t number) {
    return line_of(is_local(u) ? number / u->how->warps : 4000, DATA + SYNC_LINES + number);
}

static uint32_t neighbour(const run *u, const warp *w) {
    if (is_local(u))
        return w->sm * u->how->warps + (w->local + 1) % u->how->warps;
    return (w->number + u->how->warps) % u->count;
}

static bool store_round(run *u, warp *w) {
    for (uint32_t i = 0; i < LANES; i++)
        w->in[i] = w->round + 1;
    return offer_store(u, w, own_line(u, w->number), LANES);
}

static void check_words(const run *u, const warp *w, uint32_t value) {
    for (uint32_t i = 0; i < LANES; i++)
        u->result->wrong += w->out[i] != value;
    u->result->expected += LANES;
}

/* The gate of a warp's stage (`line`): the last warp opens the gate, and a warp at an open gate goes on. */
#define GATE_FENCE(w, order) DO(w, offer_fence(u, w, GPC_ORDER_##order, gate_of(u, w, (w)->line).scope))

static bool offer_gate(run *u, warp *w, gpc_atomic_op op, uint32_t operand, uint32_t compare) {
    return offer_atomic(u, w, op, gate_of(u, w, w->line).address, operand, compare);
}

static void barrier(run *u, warp *w) {
    BEGIN(w)
    for (w->round = 0; w->round < u->how->rounds; w->round++) {
        DO(w, store_round(u, w));
        for (w->seen = 0; w->seen < 2; w->seen++) { /* before the neighbour's line is read, and after */
            for (w->line = 0; w->line < 6; w->line = next_stage(u, w, w->line)) {
                GATE_FENCE(w, RELEASE);
                DO(w, offer_gate(u, w, GPC_OP_INC, 0x7fffffff, 0));
                for (w->back_off = 10;; w->back_off = w->back_off < 85 ? w->back_off + 5 : 1) {
                    DO(w, offer_gate(u, w, GPC_OP_COMPARE_SWAP, 0, gate_of(u, w, w->line).count));
                    if (!w->out[0] || w->out[0] == gate_of(u, w, w->line).count)
                        break;
                    u->result->attempts++;
                    PAUSE(w, w->back_off);
                }
                GATE_FENCE(w, ACQUIRE);
            }
            if (w->seen)
                continue;
            DO(w, offer_load(u, w, own_line(u, neighbour(u, w)), LANES));
            check_words(u, w, w->round + 1);
        }
    }
    END(w)
}

/* Pairs of sender and receiver: warps of an SM, or with the receiver on the next SM. */
static uint32_t pipe_of(const run *u, const warp *w) {
    if (w->local % 2 == 0)
        return w->number;
    const uint32_t sm = is_local(u) ? w->sm : (w->sm + u->how->sms - 1) % u->how->sms;
    return sm * u->how->warps + w->local - 1;
}

static uint64_t flag_of(const run *u, const warp *w) {
    return line_of(4000, FLAG + pipe_of(u, w));
}

static uint64_t message_of(const run *u, const warp *w) {
    return line_of(4001 + pipe_of(u, w) / 64, DATA + pipe_of(u, w) % 64 * SYNC_LINES + w->line);
}

static bool store_message(run *u, warp *w) {
    for (uint32_t i = 0; i < LANES; i++)
        w->in[i] = (w->round + 1) * SYNC_LINES + w->line;
    return offer_store(u, w, message_of(u, w), LANES);
}

static void pipe(run *u, warp *w) {
    BEGIN(w)
    for (w->round = 0; w->round < u->how->rounds; w->round++) {
        for (w->back_off = first_back_off(w);; w->back_off = next_back_off(w)) {
            DO(w, offer_poll(u, w, flag_of(u, w)));
            if (w->out[0] == w->local % 2)
                break;
            u->result->attempts++;
            PAUSE(w, w->back_off);
        }
        FENCE(w, ACQUIRE);
        for (w->line = 0; w->line < u->how->lines; w->line++) {
            if (w->local % 2) {
                DO(w, offer_load(u, w, message_of(u, w), LANES));
                check_words(u, w, (w->round + 1) * SYNC_LINES + w->line);
            } else {
                DO(w, store_message(u, w));
            }
        }
        FENCE(w, RELEASE);
        ATOMIC(w, EXCHANGE, flag_of(u, w), 1 - w->local % 2, 0);
    }
    END(w)
}

/* Running. */

static void (*const kernels[SYNC_KERNELS])(run *u, warp *w) = {mutex, ticket, semaphore, barrier, pipe};

static gpc_status advance(run *u) {
    const gpc_status status = gpc_hierarchy_advance(u->h, 1, NULL);
    u->status = status < 0 ? status : u->status;
    return u->status;
}

static bool play(run *u) {
    const uint64_t began = gpc_hierarchy_now(u->h);
    for (bool going = true; going && u->status == GPC_OK;) {
        going = false;
        for (uint32_t i = 0; i < u->count; i++) {
            if (!u->warps[i].over)
                kernels[u->how->kernel](u, &u->warps[i]);
            going |= !u->warps[i].over;
        }
        if (going && advance(u) == GPC_OK && gpc_hierarchy_now(u->h) - began > u->how->most_cycles)
            return false;
    }
    u->result->cycles = gpc_hierarchy_now(u->h) - began;
    return u->status == GPC_OK;
}

static void finish(run *u, warp *host, bool taken) {
    while (u->status == GPC_OK && host->under_way)
        (void)advance(u);
    u->status = u->status == GPC_OK && !taken ? GPC_ERROR_STATE : u->status;
}

/* Expected additions of the words of a line, and found additions. */
static void check_line(run *u, warp *host, uint64_t address, uint32_t additions) {
    for (uint32_t lane = 0; lane < LANES && u->status == GPC_OK; lane++) {
        finish(u, host, offer_atomic(u, host, GPC_OP_OR, address + lane * WORD, 0, 0));
        u->result->expected += additions;
        u->result->wrong += host->out[0] < additions ? additions - host->out[0] : host->out[0] - additions;
    }
}

/* Sums of kernels with locks: release all stores, then read at the level of the release. */
static void check_sums(run *u) {
    warp *host = &u->warps[u->count];
    const sync_setup *how = u->how;
    const uint32_t places = is_local(u) ? how->sms : 1;
    const uint32_t adders = (how->kernel == SYNC_SEMAPHORE ? 1 : how->warps) * (is_local(u) ? 1 : how->sms);
    for (host->sm = 0; host->sm < how->sms; host->sm++)
        finish(u, host, offer_fence(u, host, GPC_ORDER_SC, GPC_SCOPE_GPU));
    for (uint32_t sm = 0; sm < places; sm++)
        for (uint32_t line = 0; line < how->lines; line++) {
            host->sm = sm;
            check_line(u, host, shared(u, host, DATA + line), adders * how->rounds);
        }
}

gpc_status sync_run(gpc_hierarchy *hierarchy, const sync_setup *setup, sync_result *result) {
    static run u;
    gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
    memset(&u, 0, sizeof u);
    *result = (sync_result){0};
    u.h = hierarchy;
    u.how = setup;
    u.result = result;
    u.count = setup->sms * setup->warps;
    if (u.count > SYNC_WARPS || setup->warps % 2 || setup->lines > SYNC_LINES || setup->kernel >= SYNC_KERNELS)
        return GPC_ERROR_ARGUMENT;
    for (uint32_t i = 0; i <= u.count; i++) {
        u.warps[i].number = i;
        u.warps[i].sm = i / setup->warps;
        u.warps[i].local = i % setup->warps;
    }
    callbacks.user_data = &u;
    callbacks.on_complete = on_complete;
    u.status = gpc_hierarchy_set_callbacks(hierarchy, &callbacks, NULL);
    result->over = u.status == GPC_OK && play(&u);
    measured_clear(&result->stats);
    u.status = u.status == GPC_OK ? measure_hierarchy(hierarchy, &result->stats) : u.status;
    if (result->over && setup->kernel <= SYNC_SEMAPHORE)
        check_sums(&u);
    return u.status;
}
