/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"
#include "timed/core/shards.h"

/* Questions to the register of holders as a whole. */

static void declare(gpci_holders *to, const gpci_group *group, uint32_t object) {
    to->group = group;
    to->object = object;
    group->class->hold(group, object, to);
}

bool gpci_holds_nothing(const gpci_group *group, uint32_t object) {
    gpci_holders to = {.any = false};
    declare(&to, group, object);
    return !to.any;
}

bool gpci_groups_idle(const gpci_timed *t, bool memory) {
    for (uint32_t kind = 0; kind < GPCI_GROUP_COUNT; kind++) {
        const gpci_group *group = &t->groups[kind];
        const bool counts = memory || !group->objects || group->class->scope != GPCI_SCOPE_CHANNEL;
        for (uint32_t i = 0; counts && i < group->objects; i++)
            if (!gpci_holds_nothing(group, i))
                return false;
    }
    return true;
}

/* Visit every holder of every object. */
static void declare_all(const gpci_timed *t, gpci_holders *to) {
    for (uint32_t kind = 0; kind < GPCI_GROUP_COUNT; kind++)
        for (uint32_t i = 0; i < t->groups[kind].objects; i++)
            declare(to, &t->groups[kind], i);
}

static void note_host(gpci_holders *to, const char *what, uint64_t count, const gpci_mover *mover) {
    bool *waits = to->user_data;
    (void)what;
    (void)count;
    *waits |= mover->host;
}

bool gpci_groups_wait_for_host(const gpci_timed *t) {
    bool waits = false;
    declare_all(t, &(gpci_holders){.visit = note_host, .user_data = &waits});
    return waits;
}

static bool has_wake_up(const gpci_timed *t, const gpci_mover *mover) {
    for (uint32_t i = 0; i < mover->components; i++)
        if (gpci_component_next(t, mover->component + i) != GPCI_NEVER)
            return true;
    return false;
}

/*
 * Motion. An object moves when a mover of a holder moves: a component with a wake-up, the host, or another moving
 * object. An object that only waits for the object alone stands still.
 */

#define OBJECTS 4096u /* in a larger hierarchy every object counts as moving */

typedef struct motion {
    const gpci_timed *timed;
    gpci_text *report;
    uint32_t numbers[GPCI_GROUP_COUNT]; /* number of the first object of a group */
    uint32_t objects;
    uint64_t moves[OBJECTS / 64]; /* by object */
    bool changed;
} motion;

static uint32_t number_of(const motion *m, uint32_t kind, uint32_t object) {
    return m->numbers[kind] + object;
}

static bool is_moving(const motion *m, uint32_t kind, uint32_t object) {
    return m->objects > OBJECTS || gpci_bit_is_set(m->moves, number_of(m, kind, object));
}

/* True if an object of a mover moves. */
static bool leads_on(const motion *m, const gpci_mover *mover) {
    for (uint32_t kind = 0; kind < GPCI_GROUP_COUNT; kind++) {
        const uint32_t objects = mover->groups >> kind & 1 ? m->timed->groups[kind].objects : 0;
        const bool any = mover->object == GPCI_ANY_OBJECT;
        for (uint32_t i = any ? 0 : mover->object; i < (any ? objects : mover->object + 1) && i < objects; i++)
            if (is_moving(m, kind, i))
                return true;
    }
    return false;
}

static bool is_moved(const motion *m, const gpci_mover *mover) {
    return mover->host || has_wake_up(m->timed, mover) || leads_on(m, mover);
}

static void note_moves(gpci_holders *to, const char *what, uint64_t count, const gpci_mover *mover) {
    motion *m = to->user_data;
    (void)what;
    (void)count;
    if (is_moving(m, to->group->kind, to->object) || !is_moved(m, mover))
        return;
    gpci_bit_set(m->moves, number_of(m, to->group->kind, to->object));
    m->changed = true;
}

static void find_motion(motion *m) {
    gpci_holders to = {.visit = note_moves, .user_data = m};
    m->objects = 0;
    for (uint32_t kind = 0; kind < GPCI_GROUP_COUNT; kind++) {
        m->numbers[kind] = m->objects;
        m->objects += m->timed->groups[kind].objects;
    }
    do {
        m->changed = false;
        declare_all(m->timed, &to);
    } while (m->changed);
}

/* Name a mover. */
static void put_mover(const motion *m, gpci_text *text, const gpci_mover *mover) {
    if (mover->host)
        gpci_text_put(text, ", for the host");
    else if (mover->components)
        gpci_text_put(text, has_wake_up(m->timed, mover) ? "" : ", without a wake-up");
    else if (!mover->groups)
        gpci_text_put(text, ", and lacks nothing");
    else if (mover->groups != GPCI_ALL_GROUPS)
        gpci_text_put(text, ", for %s %u", gpci_group_name((gpci_group_kind)gpci_lowest(mover->groups)), mover->object);
}

static void put_holder(const motion *m, gpci_text *text, const gpci_holders *to, const char *what, uint64_t count,
                       const gpci_mover *mover) {
    gpci_text_put(text, "%s %u has %llu %s", gpci_group_name((gpci_group_kind)to->group->kind), to->object,
                  (unsigned long long)count, what);
    put_mover(m, text, mover);
    gpci_text_put(text, "; ");
}

static void report_still(gpci_holders *to, const char *what, uint64_t count, const gpci_mover *mover) {
    const motion *m = to->user_data;
    if (!mover->groups && !is_moved(m, mover))
        put_holder(m, m->report, to, what, count, mover);
}

static void report_rest(gpci_holders *to, const char *what, uint64_t count, const gpci_mover *mover) {
    const motion *m = to->user_data;
    if (mover->groups || is_moved(m, mover))
        put_holder(m, m->report, to, what, count, mover);
}

void gpci_groups_report(const gpci_timed *t, gpci_text *report) {
    motion m = {.timed = t, .report = report};
    declare_all(t, &(gpci_holders){.visit = report_still, .user_data = &m});
    declare_all(t, &(gpci_holders){.visit = report_rest, .user_data = &m, .report = report});
}

/* The checking build. */

#define AT_ONCE 24u /* objects checked after a cycle */

/* True if a mover has a wake-up, or holds packets. */
static bool is_sound(const motion *m, const gpci_holders *to, const gpci_mover *mover) {
    const gpci_timed *t = m->timed;
    if (mover->host || has_wake_up(t, mover))
        return true;
    if (!mover->groups || mover->object == GPCI_ANY_OBJECT)
        return mover->groups != 0;
    const gpci_group *group = &t->groups[gpci_lowest(mover->groups)];
    if (group == to->group && mover->object == to->object)
        return true; /* the holder is a holder of the object */
    return mover->object < group->objects && !gpci_holds_nothing(group, mover->object);
}

static void stands_still(const motion *m, const gpci_holders *to, const char *what, uint64_t count,
                         const gpci_mover *mover) {
    char text[600];
    gpci_text report = gpci_text_of(text, sizeof text);
    put_holder(m, &report, to, what, count, mover);
    gpci_text_put(&report, "in all: ");
    gpci_groups_report(m->timed, &report);
    GPCI_ENSURE(false, "cycle %llu: stands still: %s", (unsigned long long)m->timed->wheel.now, text);
}

static void ensure_sound(gpci_holders *to, const char *what, uint64_t count, const gpci_mover *mover) {
    const motion *m = to->user_data;
    if (!is_sound(m, to, mover))
        stands_still(m, to, what, count, mover);
}

static void ensure_moved(gpci_holders *to, const char *what, uint64_t count, const gpci_mover *mover) {
    const motion *m = to->user_data;
    ensure_sound(to, what, count, mover);
    if (!is_moved(m, mover))
        stands_still(m, to, what, count, mover);
}

static void check_some(gpci_timed *t) {
    motion m = {.timed = t};
    gpci_holders to = {.visit = ensure_sound, .user_data = &m};
    uint32_t kind = t->checked.kind, object = t->checked.object;
    for (uint32_t n = 0, empty = 0; n < AT_ONCE && empty <= GPCI_GROUP_COUNT; empty++) {
        const gpci_group *group = &t->groups[kind];
        for (; object < group->objects && n < AT_ONCE; object++, n++) {
            declare(&to, group, object);
            empty = 0;
        }
        if (object < group->objects)
            break;
        object = 0;
        kind = kind + 1 < GPCI_GROUP_COUNT ? kind + 1 : 0;
    }
    t->checked.kind = kind;
    t->checked.object = object;
}

void gpci_holders_check(gpci_timed *t, bool all) {
    motion m = {.timed = t};
    if (t->failed < 0 || t->checked.defective || t->wheel.at < t->wheel.components)
        return;
    if (!all) {
        check_some(t);
        return;
    }
    find_motion(&m);
    declare_all(t, &(gpci_holders){.visit = ensure_moved, .user_data = &m});
    gpci_timed_fold(t);
    GPCI_ENSURE(!(t->in_flight | gpci_pool_live(&t->pool)) || !gpci_groups_idle(t, true),
                "cycle %llu: %llu accesses in flight and %u packets stand nowhere", (unsigned long long)t->wheel.now,
                (unsigned long long)t->in_flight, gpci_pool_live(&t->pool));
}
