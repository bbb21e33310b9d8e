/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/litmus_values.h"

#include "measured.h"
#include "timed/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/*
 * Synchronisation with values: warps take turns by a ticket lock and add 1 to a counter without an atomic, like the
 * locks of HeteroSync (Sinclair et al., IISWC 2017). With fences of a scope containing all warps no addition is lost;
 * if an L1 keeps lines, some are.
 *
 *  ticket = atomic add of 1 to TICKETS; until SERVING is ticket: load SERVING (strong), wait a while
 *  fence acquire; c = COUNTER (weak); COUNTER = c + 1; fence release; SERVING = ticket + 1 (strong)
 */

enum { TICKETS, SERVING, COUNTER };
#define WARPS 6u
#define ROUNDS 5u
#define BACK_OFF 40u /* cycles */

typedef enum step { TAKE, TAKEN, LOOK, LOOKED, ACQUIRE, READ, GOT, WRITE, RELEASE, PASS, OVER } step;

typedef struct warp {
    step next;
    uint64_t not_before, fence;
    uint32_t sm, number;
    unsigned access, ticket, seen, rounds;
    bool fenced, control; /* a fence is under way; followed by control */
} warp;

typedef struct how {
    const char *settings;
    gpc_scope scope;
    bool control, one_sm;
} how;

static struct {
    rig r;
    values v;
    const how *how;
} s;

static bool offer(warp *w, gpc_kind kind, unsigned variable, unsigned value, bool strong) {
    shot a = {.address = s.v.addresses[variable], .lanes = 1, .width = 4, .sm = w->sm, .warp = w->number};
    a.kind = (uint8_t)kind;
    a.order = strong ? GPC_ORDER_RELAXED : GPC_ORDER_WEAK;
    a.scope = strong ? (uint8_t)s.how->scope : GPC_SCOPE_CTA;
    unsigned access = values_expect(&s.v, value);
    if (rig_try(&s.r, a, NULL) != GPC_OK) {
        values_forget(&s.v);
        return false;
    }
    s.v.issuing = -1;
    w->access = access;
    return true;
}

/* A fence, with control if wanted. True once done. */
static bool fence(warp *w, gpc_order order) {
    fence_shot f = {.sm = w->sm, .warp = w->number, .order = order, .scope = s.how->scope};
    if (w->fenced && !s.r.done[w->fence].times)
        return false;
    if (w->fenced && (w->control || !s.how->control || order != GPC_ORDER_ACQUIRE)) {
        w->fenced = w->control = false;
        return true;
    }
    if (w->fenced) {
        f = (fence_shot){.sm = w->sm, .warp = w->number, .control = GPC_CONTROL_INVALIDATE_ALL};
        w->control = true;
    }
    if (rig_try_fence(&s.r, f, NULL) == GPC_OK) {
        w->fence = s.r.issued - 1;
        w->fenced = true;
    } else {
        w->control = false;
    }
    return false;
}

static void go_on(warp *w) {
    const bool done = s.v.accesses[w->access].done;
    const unsigned value = s.v.accesses[w->access].reads;
    if (rig_now(&s.r) < w->not_before)
        return;
    switch (w->next) {
    case TAKE:
        w->next += offer(w, GPC_ATOMIC, TICKETS, 1, true);
        break;
    case TAKEN:
        w->ticket = done ? value : 0;
        w->next += done;
        break;
    case LOOK:
        w->next += offer(w, GPC_LOAD, SERVING, 0, true);
        break;
    case LOOKED:
        if (done && value != w->ticket) {
            w->not_before = rig_now(&s.r) + BACK_OFF;
            w->next = LOOK;
        } else {
            w->next += done;
        }
        break;
    case ACQUIRE:
        w->next += fence(w, GPC_ORDER_ACQUIRE);
        break;
    case READ:
        w->next += offer(w, GPC_LOAD, COUNTER, 0, false);
        break;
    case GOT:
        w->seen = done ? value : 0;
        w->next += done;
        break;
    case WRITE:
        w->next += offer(w, GPC_STORE, COUNTER, w->seen + 1, false);
        break;
    case RELEASE:
        w->next += fence(w, GPC_ORDER_RELEASE);
        break;
    case PASS:
        if (offer(w, GPC_STORE, SERVING, w->ticket + 1, true))
            w->next = ++w->rounds == ROUNDS ? OVER : TAKE;
        break;
    default:
        break;
    }
}

/* With no access under way, only a warp's last access matters. */
static void tidy(warp *warps) {
    values last = s.v;
    for (uint32_t w = 0; w < WARPS; w++) {
        s.v.accesses[w] = last.accesses[warps[w].access];
        warps[w].access = w;
    }
    s.v.count = WARPS;
}

typedef struct outcome {
    unsigned counted;
    uint64_t cycles;
    measured_stats stats;
} outcome;

static outcome run(how h) {
    static const char common[] = "sm.count = 6\nl1.queue = 2\nl2.slices = 4\nl2.interleave_bytes = 128\n"
                                 "kernels.flush = l1\nl1.write_policy = through\nl1.write_allocate = none\n"
                                 "l2.write_allocate = lazy\n";
    char settings[512];
    memset(&s, 0, sizeof s);
    snprintf(settings, sizeof settings, "%s%s", common, h.settings);
    s.how = &h;
    rig_open(&s.r, settings, 200);
    values_watch(&s.v, s.r.hierarchy, 4, 1);
    values_begin(&s.v, (const uint64_t[VALUES_VARIABLES]){0x10000, 0x10080, 0x10100, 0x10180});
    warp warps[WARPS];
    for (uint32_t w = 0; w < WARPS; w++)
        warps[w] = (warp){.sm = h.one_sm ? 0 : w, .number = w, .access = w};
    s.v.count = WARPS; /* first of every warp */
    for (bool going = true; going || gpc_hierarchy_in_flight(s.r.hierarchy);) {
        going = false;
        bool full = s.v.count >= VALUES_ACCESSES - WARPS;
        for (uint32_t w = 0; w < WARPS; w++) {
            if (!full)
                go_on(&warps[w]);
            going |= warps[w].next != OVER;
        }
        rig_step(&s.r);
        if (full && !gpc_hierarchy_in_flight(s.r.hierarchy))
            tidy(warps);
        cr_assert_lt(rig_now(&s.r), 3000000, "nobody gets on: %s", h.settings);
    }
    rig_finish(&s.r);
    outcome o = {.counted = s.v.home[COUNTER], .cycles = rig_now(&s.r), .stats = rig_stats(&s.r)};
    rig_abandon(&s.r);
    return o;
}

static const char viper[] = "coherence = viper\n", none[] = "coherence = none\n";

/* Separate SMs: no addition is lost if the fences' scope has all SMs, and L1 drops lines at an acquire. */
Test(sync, ticket_lock) {
    outcome global = run((how){viper, GPC_SCOPE_GPU, false, false});
    cr_expect_eq(global.counted, WARPS * ROUNDS);
    cr_expect_geq(global.stats.fence_invalidations, WARPS * ROUNDS / 2);
    cr_expect_eq(global.stats.fences, 2 * WARPS * ROUNDS);
    outcome control = run((how){none, GPC_SCOPE_GPU, true, false});
    cr_expect_eq(control.counted, WARPS * ROUNDS);
    cr_expect_lt(run((how){none, GPC_SCOPE_GPU, false, false}).counted, WARPS * ROUNDS, "L1s keep the counter");
}

/* On one SM the thread block's scope suffices: no line is dropped, and no store is waited for. */
Test(sync, local_scope) {
    outcome local = run((how){viper, GPC_SCOPE_CTA, false, true});
    outcome global = run((how){viper, GPC_SCOPE_GPU, false, true});
    cr_expect_eq(local.counted, WARPS * ROUNDS);
    cr_expect_eq(global.counted, WARPS * ROUNDS);
    cr_expect_eq(local.stats.fence_invalidations, 0);
    cr_expect_gt(global.stats.fence_invalidations, 0);
    cr_expect_lt(local.stats.fence_cycles, global.stats.fence_cycles);
    cr_expect_lt(local.stats.fence_cycles, 20 * WARPS * ROUNDS);
}
