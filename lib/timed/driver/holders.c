/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"
#include "timed/core/shards.h"

/* Questions to the register of holders as a whole. */

static void declare(gpci_holders *holders, const gpci_group *group, uint32_t object) {
    holders->group = group;
    holders->object = object;
    group->class->hold(group, object, holders);
}

bool gpci_holds_nothing(const gpci_group *group, uint32_t object) {
    gpci_holders holders = {.any = false};
    declare(&holders, group, object);
    return !holders.any;
}

bool gpci_groups_idle(const gpci_timed *timed, bool memory) {
    for (uint32_t kind = 0; kind < GPCI_GROUP_COUNT; kind++) {
        const gpci_group *group = &timed->groups[kind];
        const bool counts = memory || !group->objects || group->class->scope != GPCI_SCOPE_CHANNEL;
        for (uint32_t i = 0; counts && i < group->objects; i++)
            if (!gpci_holds_nothing(group, i))
                return false;
    }
    return true;
}

/* Visit every holder of every object. */
static void declare_all(const gpci_timed *timed, gpci_holders *holders) {
    for (uint32_t kind = 0; kind < GPCI_GROUP_COUNT; kind++)
        for (uint32_t i = 0; i < timed->groups[kind].objects; i++)
            declare(holders, &timed->groups[kind], i);
}

static void note_host(gpci_holders *holders, const char *what, uint64_t count, const gpci_mover *mover) {
    bool *waits = holders->user_data;
    (void)what;
    (void)count;
    *waits |= mover->host;
}

bool gpci_groups_wait_for_host(const gpci_timed *timed) {
    bool waits = false;
    declare_all(timed, &(gpci_holders){.visit = note_host, .user_data = &waits});
    return waits;
}

static bool has_wake_up(const gpci_timed *timed, const gpci_mover *mover) {
    for (uint32_t i = 0; i < mover->components; i++)
        if (gpci_component_next(timed, mover->component + i) != GPCI_NEVER)
            return true;
    return false;
}

/*
 * Motion. An object moves if the mover of any of its holders moves: a component with a wake-up, the host, or another
 * object that moves. If all holders of an object wait only for the object itself, the object stands still.
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

static uint32_t number_of(const motion *moving, uint32_t kind, uint32_t object) {
    return moving->numbers[kind] + object;
}

static bool is_moving(const motion *m, uint32_t kind, uint32_t object) {
    return m->objects > OBJECTS || gpci_bit_is_set(m->moves, number_of(m, kind, object));
}

/* True if an object of a mover moves. */
static bool leads_on(const motion *moving, const gpci_mover *mover) {
    for (uint32_t kind = 0; kind < GPCI_GROUP_COUNT; kind++) {
        const uint32_t objects = mover->groups >> kind & 1 ? moving->timed->groups[kind].objects : 0;
        const bool any = mover->object == GPCI_ANY_OBJECT;
        for (uint32_t i = any ? 0 : mover->object; i < (any ? objects : mover->object + 1) && i < objects; i++)
            if (is_moving(moving, kind, i))
                return true;
    }
    return false;
}

static bool is_moved(const motion *moving, const gpci_mover *mover) {
    return mover->host || has_wake_up(moving->timed, mover) || leads_on(moving, mover);
}

static void note_moves(gpci_holders *holders, const char *what, uint64_t count, const gpci_mover *mover) {
    motion *moving = holders->user_data;
    (void)what;
    (void)count;
    if (is_moving(moving, holders->group->kind, holders->object) || !is_moved(moving, mover))
        return;
    gpci_bit_set(moving->moves, number_of(moving, holders->group->kind, holders->object));
    moving->changed = true;
}

static void find_motion(motion *moving) {
    gpci_holders holders = {.visit = note_moves, .user_data = moving};
    moving->objects = 0;
    for (uint32_t kind = 0; kind < GPCI_GROUP_COUNT; kind++) {
        moving->numbers[kind] = moving->objects;
        moving->objects += moving->timed->groups[kind].objects;
    }
    do {
        moving->changed = false;
        declare_all(moving->timed, &holders);
    } while (moving->changed);
}

/* Name a mover. */
static void put_mover(const motion *moving, gpci_text *text, const gpci_mover *mover) {
    if (mover->host)
        gpci_text_put(text, ", for the host");
    else if (mover->components)
        gpci_text_put(text, has_wake_up(moving->timed, mover) ? "" : ", without a wake-up");
    else if (!mover->groups)
        gpci_text_put(text, ", and lacks nothing");
    else if (mover->groups != GPCI_ALL_GROUPS)
        gpci_text_put(text, ", for %s %u", gpci_group_name((gpci_group_kind)gpci_lowest(mover->groups)), mover->object);
}

static void put_holder(const motion *moving, gpci_text *text, const gpci_holders *holders, const char *what,
                       uint64_t count, const gpci_mover *mover) {
    gpci_text_put(text, "%s %u has %llu %s", gpci_group_name((gpci_group_kind)holders->group->kind), holders->object,
                  (unsigned long long)count, what);
    put_mover(moving, text, mover);
    gpci_text_put(text, "; ");
}

static void report_still(gpci_holders *holders, const char *what, uint64_t count, const gpci_mover *mover) {
    const motion *moving = holders->user_data;
    if (!mover->groups && !is_moved(moving, mover))
        put_holder(moving, moving->report, holders, what, count, mover);
}

static void report_rest(gpci_holders *holders, const char *what, uint64_t count, const gpci_mover *mover) {
    const motion *moving = holders->user_data;
    if (mover->groups || is_moved(moving, mover))
        put_holder(moving, moving->report, holders, what, count, mover);
}

void gpci_groups_report(const gpci_timed *timed, gpci_text *report) {
    motion moving = {.timed = timed, .report = report};
    declare_all(timed, &(gpci_holders){.visit = report_still, .user_data = &moving});
    declare_all(timed, &(gpci_holders){.visit = report_rest, .user_data = &moving, .report = report});
}

/* The checking build. */

#define AT_ONCE 24u /* objects checked after a cycle */

/* True if a mover has a wake-up, or holds packets. */
static bool is_sound(const motion *moving, const gpci_holders *holders, const gpci_mover *mover) {
    const gpci_timed *timed = moving->timed;
    if (mover->host || has_wake_up(timed, mover))
        return true;
    if (!mover->groups || mover->object == GPCI_ANY_OBJECT)
        return mover->groups != 0;
    const gpci_group *group = &timed->groups[gpci_lowest(mover->groups)];
    if (group == holders->group && mover->object == holders->object)
        return true; /* the mover is the holder's own object, which is not empty: it has the holder */
    return mover->object < group->objects && !gpci_holds_nothing(group, mover->object);
}

static void stands_still(const motion *moving, const gpci_holders *holders, const char *what, uint64_t count,
                         const gpci_mover *mover) {
    char text[600];
    gpci_text report = gpci_text_of(text, sizeof text);
    put_holder(moving, &report, holders, what, count, mover);
    gpci_text_put(&report, "in all: ");
    gpci_groups_report(moving->timed, &report);
    GPCI_ENSURE(false, "cycle %llu: stands still: %s", (unsigned long long)moving->timed->wheel.now, text);
}

static void ensure_sound(gpci_holders *holders, const char *what, uint64_t count, const gpci_mover *mover) {
    const motion *moving = holders->user_data;
    if (!is_sound(moving, holders, mover))
        stands_still(moving, holders, what, count, mover);
}

static void ensure_moved(gpci_holders *holders, const char *what, uint64_t count, const gpci_mover *mover) {
    const motion *moving = holders->user_data;
    ensure_sound(holders, what, count, mover);
    if (!is_moved(moving, mover))
        stands_still(moving, holders, what, count, mover);
}

static void check_some(gpci_timed *timed) {
    motion moving = {.timed = timed};
    gpci_holders holders = {.visit = ensure_sound, .user_data = &moving};
    uint32_t kind = timed->checked.kind, object = timed->checked.object;
    for (uint32_t n = 0, empty = 0; n < AT_ONCE && empty <= GPCI_GROUP_COUNT; empty++) {
        const gpci_group *group = &timed->groups[kind];
        for (; object < group->objects && n < AT_ONCE; object++, n++) {
            declare(&holders, group, object);
            empty = 0;
        }
        if (object < group->objects)
            break;
        object = 0;
        kind = kind + 1 < GPCI_GROUP_COUNT ? kind + 1 : 0;
    }
    timed->checked.kind = kind;
    timed->checked.object = object;
}

void gpci_holders_check(gpci_timed *timed, bool all) {
    motion moving = {.timed = timed};
    if (timed->failed < 0 || timed->checked.defective || timed->wheel.at < timed->wheel.components)
        return;
    if (!all) {
        check_some(timed);
        return;
    }
    find_motion(&moving);
    declare_all(timed, &(gpci_holders){.visit = ensure_moved, .user_data = &moving});
    gpci_timed_fold(timed);
    GPCI_ENSURE(!(timed->in_flight | gpci_pool_live(&timed->pool)) || !gpci_groups_idle(timed, true),
                "cycle %llu: %llu accesses in flight and %u packets stand nowhere",
                (unsigned long long)timed->wheel.now, (unsigned long long)timed->in_flight,
                gpci_pool_live(&timed->pool));
}
