/* SPDX-License-Identifier: BSD-2-Clause */
#include "scheduler/rig.h"

#include "base/base.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/*
 * Every policy compared with a naive model of the definition, on random events: the model knows every warp's starting
 * time, and checks all slots singly.
 */

enum { MOST = 1024 };

typedef struct model {
    uint32_t warps, limit, group;
    gpc_warp_state state[MOST];
    uint64_t began[MOST];
    uint64_t time;
    int64_t last;                /* last to issue, -1 = none */
    int64_t last_of_group[MOST]; /* by fetch group */
    uint32_t current;            /* fetch group */
} model;

typedef uint32_t (*model_pick)(const model *m, bool memory);

static bool running(const model *m, uint32_t slot) {
    return m->state[slot] != GPC_STATE_ABSENT;
}

static uint32_t older_than(const model *m, uint32_t slot) {
    uint32_t older = 0;
    for (uint32_t other = 0; other < m->warps; other++)
        older += running(m, other) && m->began[other] < m->began[slot];
    return older;
}

static bool throttled(const model *m, uint32_t slot) {
    uint32_t before = 0;
    for (uint32_t other = 0; m->limit && other < m->warps; other++)
        before += running(m, other) && m->state[other] != GPC_STATE_BARRIER && m->began[other] < m->began[slot];
    return m->limit && before >= m->limit;
}

static bool may_issue(const model *m, uint32_t slot, bool memory) {
    bool ready = m->state[slot] == GPC_STATE_READY || (memory && m->state[slot] == GPC_STATE_READY_MEMORY);
    return ready && !throttled(m, slot);
}

/* First slot that may issue of the `count` slots from `first`, beginning after `last`. */
static uint32_t turn(const model *m, uint32_t first, uint32_t count, int64_t last, bool memory) {
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = first + (last < 0 ? i : ((uint32_t)last - first + 1 + i) % count);
        if (may_issue(m, slot, memory))
            return slot;
    }
    return GPC_NO_WARP;
}

static uint32_t pick_lrr(const model *m, bool memory) {
    return turn(m, 0, m->warps, m->last, memory);
}

static uint32_t pick_oldest(const model *m, bool memory) {
    uint32_t best = GPC_NO_WARP;
    for (uint32_t slot = 0; slot < m->warps; slot++)
        if (may_issue(m, slot, memory) && (best == GPC_NO_WARP || m->began[slot] < m->began[best]))
            best = slot;
    return best;
}

static uint32_t pick_gto(const model *m, bool memory) {
    /* A warp that began after the last issue cannot have issued. */
    if (m->last >= 0 && may_issue(m, (uint32_t)m->last, memory))
        return (uint32_t)m->last;
    return pick_oldest(m, memory);
}

static uint32_t pick_two_level(const model *m, bool memory) {
    uint32_t groups = (m->warps + m->group - 1) / m->group;
    for (uint32_t i = 0; i < groups; i++) {
        uint32_t group = (m->current + i) % groups, first = group * m->group;
        uint32_t count = m->warps - first < m->group ? m->warps - first : m->group;
        uint32_t slot = turn(m, first, count, m->last_of_group[group], memory);
        if (slot != GPC_NO_WARP)
            return slot;
        for (slot = first; !i && slot < first + count; slot++)
            if (m->state[slot] == GPC_STATE_STALLED)
                return GPC_NO_WARP;
    }
    return GPC_NO_WARP;
}

typedef struct subject {
    const char *policy;
    model_pick pick;
    uint32_t group;
    bool greedy; /* `last` is of a warp and not of a slot */
} subject;

static void start(rig *r, model *m, const subject *s, uint32_t slot) {
    rig_start(r, slot);
    m->state[slot] = GPC_STATE_STALLED;
    m->began[slot] = m->time++;
    if (s->greedy && m->last == slot)
        m->last = -1;
}

static void change(rig *r, model *m, const subject *s, uint64_t *random) {
    uint32_t slot = gpci_random_below(random, m->warps);
    if (!running(m, slot)) {
        start(r, m, s, slot);
        return;
    }
    /* Ends are rare beside changes of state, as in reality. */
    uint32_t draw = gpci_random_below(random, 40);
    m->state[slot] = draw ? (gpc_warp_state)(1 + draw % (GPC_STATE_COUNT - 1)) : GPC_STATE_ABSENT;
    rig_set(r, slot, m->state[slot]);
}

static void compare(rig *r, model *m, const subject *s, uint64_t *random) {
    bool memory = gpci_random_below(random, 3) != 0;
    uint32_t expected = s->pick(m, memory), slot = rig_pick(r, memory);
    cr_assert_eq(slot, expected, "%s, %u warps, limit %u: %d, not %d", s->policy, m->warps, m->limit, (int)slot,
                 (int)expected);
    uint32_t other = gpci_random_below(random, m->warps);
    cr_assert_eq(rig_age(r, other), running(m, other) ? older_than(m, other) : GPC_NO_WARP);
    bool held = !running(m, other) || throttled(m, other);
    cr_assert_eq(rig_class(r, other), held ? GPC_CLASS_THROTTLED : GPC_CLASS_CACHE);
    if (slot == GPC_NO_WARP || gpci_random_below(random, 5) == 0) /* a host may also change the decision */
        return;
    cr_assert_eq(gpc_scheduler_issued(r->scheduler, slot, 0, NULL), GPC_OK);
    m->last = slot;
    if (m->group) {
        m->current = slot / m->group;
        m->last_of_group[m->current] = slot;
    }
}

static void run(const subject *s, uint32_t warps, uint32_t limit, int steps) {
    model *m = calloc(1, sizeof *m);
    cr_assert_not_null(m);
    m->warps = warps;
    m->limit = limit;
    m->group = s->group;
    m->last = -1;
    for (uint32_t group = 0; group < MOST; group++)
        m->last_of_group[group] = -1;
    rig r;
    rig_open(&r, s->policy, warps, limit);
    uint64_t random = warps * 1000 + limit;
    for (int step = 0; step < steps; step++) {
        for (uint32_t i = gpci_random_below(&random, 4); i-- > 0;)
            change(&r, m, s, &random);
        compare(&r, m, s, &random);
    }
    rig_close(&r);
    free(m);
}

static void run_all(const subject *s) {
    static const uint32_t warps[] = {1, 2, 3, 8, 16, 48, 63, 64, 65, 130};
    for (size_t i = 0; i < sizeof warps / sizeof *warps; i++) {
        int steps = 1600000 / (int)(100 + warps[i] * warps[i]);
        run(s, warps[i], 0, steps);
        run(s, warps[i], 1, steps / 4);
        run(s, warps[i], (warps[i] + 1) / 2, steps);
    }
    run(s, 1024, 0, 200);
    run(s, 1024, 700, 60);
}

Test(scheduler_model, lrr) {
    run_all(&(subject){"lrr", pick_lrr, 0, false});
}

Test(scheduler_model, gto) {
    run_all(&(subject){"gto", pick_gto, 0, true});
}

Test(scheduler_model, oldest) {
    run_all(&(subject){"oldest", pick_oldest, 0, false});
}

Test(scheduler_model, two_level) {
    run_all(&(subject){"two-level", pick_two_level, 8, false});
    run_all(&(subject){"two-level(group=3)", pick_two_level, 3, false});
    run_all(&(subject){"two-level(group=1)", pick_two_level, 1, false});
    run_all(&(subject){"two-level(group=80)", pick_two_level, 80, false});
}
