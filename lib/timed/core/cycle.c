/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"
#include "timed/core/event_log.h"
#include "timed/core/run_ahead.h"
#include "timed/core/shards.h"

#include <string.h>

/*
 * The engine: a wheel of cycles, and the components stepped in every cycle.
 *
 * Example: at cycle 7 L1 3 puts a packet into the request network, whose turn comes later in the cycle: it is woken for
 * cycle 7 too, and stepped after all L1s. It grants the packet at once, and wakes the slice for cycle 15, when the
 * packet arrives. If nothing else is due, the next cycle run is 15.
 */

/* The wheel. */

gpc_status gpci_wheel_create(gpc_context *context, uint32_t components, gpc_error *error, gpci_wheel *wheel) {
    *wheel = (gpci_wheel){.context = context, .components = components, .words = (components + 63) / 64};
    wheel->at = components;
    wheel->due = gpci_zalloc(context, (size_t)GPCI_WHEEL_SPAN * wheel->words, sizeof *wheel->due);
    return wheel->due ? GPC_OK : gpci_out_of_memory(error);
}

void gpci_wheel_destroy(gpci_wheel *wheel) {
    if (wheel->context)
        gpci_free(wheel->context, wheel->due);
    wheel->due = NULL;
}

uint64_t gpci_wheel_next(const gpci_wheel *wheel) {
    const uint32_t words = GPCI_WHEEL_SPAN / 64, start = (uint32_t)wheel->now & (GPCI_WHEEL_SPAN - 1);
    uint64_t first = wheel->occupied[start / 64] & (~(uint64_t)0 << (start & 63));
    for (uint32_t i = 0; i <= words; i++) {
        uint32_t word = (start / 64 + i) % words;
        uint64_t bits = i ? wheel->occupied[word] : first;
        if (i == words) /* after a full turn: the part before the start */
            bits &= ~(~(uint64_t)0 << (start & 63));
        if (bits) {
            uint32_t slot = word * 64 + gpci_lowest(bits);
            return wheel->now + ((slot - start) & (GPCI_WHEEL_SPAN - 1));
        }
    }
    return GPCI_NEVER;
}

void gpci_wheel_clear(gpci_wheel *wheel) {
    memset(wheel->due, 0, (size_t)GPCI_WHEEL_SPAN * wheel->words * sizeof *wheel->due);
    memset(wheel->occupied, 0, sizeof wheel->occupied);
}

uint64_t gpci_wheel_component_next(const gpci_wheel *wheel, uint32_t number) {
    for (uint64_t ahead = 0; ahead < GPCI_WHEEL_SPAN; ahead++)
        if (gpci_bit_is_set(gpci_wheel_row(wheel, wheel->now + ahead), number))
            return wheel->now + ahead;
    return GPCI_NEVER;
}

uint64_t gpci_component_next(const gpci_timed *timed, uint32_t number) {
    return timed->shards ? gpci_shards_component_next(timed, number) : gpci_wheel_component_next(&timed->wheel, number);
}

uint64_t gpci_timed_next(const gpci_timed *timed) {
    const uint64_t next =
        GPCI_UNLIKELY(timed->shards != NULL) ? gpci_shards_next(timed) : gpci_wheel_next(&timed->wheel);
    if (GPCI_CHECKING && next == GPCI_NEVER)
        gpci_holders_check(timed->hierarchy->timed, true);
    return next;
}

/* A cycle. */

/* Group of a component, mostly of the previous component. */
static inline const gpci_group *group_at(const gpci_timed *timed, const gpci_group *last, uint32_t number) {
    return GPCI_LIKELY(number - last->first < last->components) ? last : &timed->groups[timed->group_of[number]];
}

typedef struct turn {
    const gpci_timed *timed;
    const gpci_group *group; /* group of the last component */
} turn;

GPCI_INLINE void step_component(void *user_data, uint32_t number) {
    turn *at = user_data;
    at->group = group_at(at->timed, at->group, number);
    at->group->step(at->group, number - at->group->first);
}

/* Prefetch packets for steps, then the referenced data, and so on: steps need not wait for host memory in turn. */
static void expect_steps(const gpci_timed *timed, const uint64_t *due) {
    const gpci_group *group = timed->groups;
    for (unsigned pass = 0; pass < GPCI_EXPECT_PASSES; pass++)
        for (uint32_t word = timed->expect_from / 64; word <= timed->expect_to / 64; word++)
            for (uint64_t bits = due[word] & timed->expected[word]; bits; bits &= bits - 1) {
                const uint32_t number = word * 64 + gpci_lowest(bits);
                group = group_at(timed, group, number);
                group->expect(group, number - group->first, pass);
            }
}

/* After a failure for lack of memory nothing has changed, and the call can be repeated. */
static gpc_status failure(gpci_timed *timed) {
    gpc_status status = timed->failed;
    if (GPCI_UNLIKELY(status == GPC_ERROR_MEMORY))
        timed->failed = GPC_OK;
    return status;
}

gpc_status gpci_timed_end_cycle(gpci_timed *timed) {
    if (GPCI_CHECKING)
        gpci_holders_check(timed, false);
    if (GPCI_UNLIKELY(timed->log != NULL) && timed->log->cancelled && timed->failed == GPC_OK)
        return gpci_timed_cancel(timed);
    return failure(timed);
}

gpc_status gpci_timed_end(gpci_timed *timed) {
    if (GPCI_CHECKING)
        gpci_holders_check(timed, true);
    return GPC_END;
}

/* Make room for lines that begin without an issue. A cycle without memory does not begin: no state has changed. */
static GPCI_NOINLINE gpc_status make_room(gpci_timed *timed) {
    return gpci_make_packets(timed, (uint32_t)gpci_lines_to_begin(timed, timed->starters));
}

static gpc_status run_cycle(gpci_timed *timed, uint64_t limit) {
    if (GPCI_UNLIKELY(timed->shards != NULL))
        return gpci_shards_run_cycle(timed, limit);
    uint64_t next = gpci_wheel_next(&timed->wheel);
    if (next == GPCI_NEVER)
        return gpci_timed_end(timed);
    if (next > limit) {
        timed->wheel.now = limit > timed->wheel.now ? limit : timed->wheel.now;
        return timed->failed;
    }
    if (GPCI_UNLIKELY((timed->starters | timed->self_started) != 0)) {
        const gpc_status status = make_room(timed);
        if (status < 0)
            return status;
    }
    timed->ahead_limit = timed->runs_ahead ? gpci_ahead_limit(timed, limit) : 0;
    timed->wheel.now = next; /* arrivals of this cycle are prefetched too */
    expect_steps(timed, gpci_wheel_row(&timed->wheel, next));
    gpci_wheel_run_cycle(&timed->wheel, next, step_component, &(turn){timed, timed->groups});
    return gpci_timed_end_cycle(timed);
}

gpc_status gpci_timed_run_cycle(gpc_hierarchy *hierarchy, uint64_t limit) {
    hierarchy->called_back = true;
    const gpc_status status = run_cycle(hierarchy->timed, limit);
    hierarchy->called_back = false;
    return status;
}
