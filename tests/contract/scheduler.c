/* SPDX-License-Identifier: BSD-2-Clause */
#include "contract/contract.h"

#include "base/base.h"
#include "effort.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Every scheduler: declarations, choices on random events, and all warps come to an end. */

enum { MOST = 200 };

static const struct {
    uint32_t warps, limit;
} shapes[] = {{1, 0}, {2, 0}, {2, 1}, {16, 0}, {16, 3}, {48, 0}, {64, 63}, {65, 0}, {MOST, 0}, {MOST, 70}};
#define SHAPES (sizeof shapes / sizeof *shapes)

#define EACH_ROW(row) for (const scheduler_row *row = scheduler_rows(); row->spec; row++)
#define EACH_CASE(row, shape) \
    EACH_ROW(row)             \
    for (size_t shape = 0; shape < SHAPES; shape++)

static gpc_scheduler *open_scheduler(gpc_context *context, const char *spec, size_t shape) {
    gpc_scheduler_options options = GPC_SCHEDULER_OPTIONS_INIT;
    gpc_error error = GPC_ERROR_INIT;
    gpc_scheduler *scheduler;
    options.policy = spec;
    options.warps = shapes[shape].warps;
    options.warp_limit = shapes[shape].limit;
    cr_assert_eq(gpc_scheduler_create(context, &options, &scheduler, &error), GPC_OK, "%s: %s", spec, error.message);
    return scheduler;
}

Test(scheduler, says_what_it_is_and_is_tried) {
    gpc_context *context = open_context(1);
    size_t count = gpc_policy_count(context, GPC_POLICY_SCHEDULER);
    cr_assert_gt(count, 0);
    for (size_t i = 0; i < count; i++) {
        gpc_policy_info info = GPC_POLICY_INFO_INIT;
        cr_assert_eq(gpc_policy_at(context, GPC_POLICY_SCHEDULER, i, &info, NULL), GPC_OK);
        cr_expect(info.builtin);
        cr_expect_eq(info.name[strspn(info.name, "abcdefghijklmnopqrstuvwxyz0123456789-")], '\0', "%s", info.name);
        cr_expect_gt(strlen(info.summary), 10, "%s", info.name);
        cr_expect_null(strchr(info.summary, '\n'), "%s: one line", info.name);
        cr_expect_gt(strlen(info.source), 0, "%s", info.name);
        for (size_t p = 0; p < info.parameter_count; p++)
            cr_expect_gt(strlen(info.parameters[p].meaning), 0, "%s: %s", info.name, info.parameters[p].name);
        bool listed = false;
        EACH_ROW(row)
        listed |= is_named(row->spec, info.name);
        cr_expect(listed, "%s is not tried", info.name);
    }
    gpc_context_destroy(context);
}

/* True if a row's scheduler has a throttle of this name. */
static bool has_throttle(const scheduler_row *row, const char *name) {
    for (const char *at = strchr(row->spec, '+'); at; at = strchr(at + 1, '+'))
        if (!strncmp(at + 2, name, strlen(name)) && strcspn(at + 2, "( ") == strlen(name))
            return true;
    return false;
}

Test(throttle, says_what_it_is_and_is_tried) {
    gpc_context *context = open_context(1);
    size_t count = gpc_policy_count(context, GPC_POLICY_THROTTLE);
    cr_assert_gt(count, 0);
    for (size_t i = 0; i < count; i++) {
        gpc_policy_info info = GPC_POLICY_INFO_INIT;
        cr_assert_eq(gpc_policy_at(context, GPC_POLICY_THROTTLE, i, &info, NULL), GPC_OK);
        cr_expect_eq(info.name[strspn(info.name, "abcdefghijklmnopqrstuvwxyz0123456789-")], '\0', "%s", info.name);
        cr_expect(strlen(info.summary) > 10 && !strchr(info.summary, '\n'), "%s", info.name);
        cr_expect_gt(strlen(info.source), 0, "%s", info.name);
        for (size_t p = 0; p < info.parameter_count; p++)
            cr_expect_gt(strlen(info.parameters[p].meaning), 0, "%s: %s", info.name, info.parameters[p].name);
        bool listed = false;
        EACH_ROW(row)
        listed |= has_throttle(row, info.name);
        cr_expect(listed, "%s is not tried", info.name);
    }
    gpc_context_destroy(context);
}

/* Stated, from two warps up, and no smaller for more warps. */
Test(scheduler, states_its_cost) {
    gpc_context *context = open_context(1);
    EACH_ROW(row) {
        uint64_t before = 0, bits = 0;
        for (uint32_t warps = 2; warps <= 1024; warps *= 2, before = bits) {
            cr_assert_eq(gpc_scheduler_cost(context, row->spec, warps, &bits, NULL), GPC_OK);
            cr_expect(bits > 0 && bits >= before, "%s, %u warps", row->spec, warps);
        }
    }
    gpc_context_destroy(context);
}

/* States known to the host, and consequences. */
typedef struct host {
    uint32_t warps;
    gpc_warp_state state[MOST];
    uint32_t order[MOST], running; /* slots, oldest first */
} host;

static void begin(host *h, gpc_scheduler *s, uint32_t slot) {
    cr_assert_eq(gpc_scheduler_start(s, slot, NULL), GPC_OK);
    h->state[slot] = GPC_STATE_STALLED;
    h->order[h->running++] = slot;
}

static void change(host *h, gpc_scheduler *s, uint32_t slot, gpc_warp_state state) {
    cr_assert_eq(gpc_scheduler_set_state(s, slot, state, NULL), GPC_OK);
    h->state[slot] = state;
    if (state != GPC_STATE_ABSENT)
        return;
    uint32_t age = 0;
    while (h->order[age] != slot)
        age++;
    h->running--;
    for (; age < h->running; age++)
        h->order[age] = h->order[age + 1];
}

static void random_event(host *h, gpc_scheduler *s, uint64_t *random) {
    uint32_t slot = gpci_random_below(random, h->warps), draw = gpci_random_below(random, 30);
    if (h->state[slot] == GPC_STATE_ABSENT)
        begin(h, s, slot);
    else
        change(h, s, slot, draw ? (gpc_warp_state)(1 + draw % (GPC_STATE_COUNT - 1)) : GPC_STATE_ABSENT);
}

static void check_ages(const host *h, const gpc_scheduler *s) {
    for (uint32_t age = 0; age < h->running; age++)
        cr_assert_eq(gpc_scheduler_age_of(s, h->order[age]), age);
    for (uint32_t slot = 0; slot < h->warps; slot++)
        if (h->state[slot] == GPC_STATE_ABSENT)
            cr_assert_eq(gpc_scheduler_age_of(s, slot), GPC_NO_WARP);
}

/* One choice, compared with the states; returns the slot. */
static uint32_t check_pick(const host *h, gpc_scheduler *s, const scheduler_row *row, bool memory) {
    uint32_t slot, again;
    bool some = false, stalled = false;
    cr_assert_eq(gpc_scheduler_pick(s, 0, memory, &slot, NULL), GPC_OK);
    cr_assert_eq(gpc_scheduler_pick(s, 0, memory, &again, NULL), GPC_OK);
    cr_assert_eq(slot, again, "%s: what is not issued changes nothing", row->spec);
    for (uint32_t i = 0; i < h->warps; i++) {
        bool ready = h->state[i] == GPC_STATE_READY || (memory && h->state[i] == GPC_STATE_READY_MEMORY);
        bool candidate = ready && gpc_scheduler_class_of(s, i) != GPC_CLASS_THROTTLED;
        some |= candidate;
        stalled |= h->state[i] == GPC_STATE_STALLED;
        cr_assert(slot != i || candidate, "%s: warp %u in state %d", row->spec, i, (int)h->state[i]);
    }
    if (some && !(row->waits && stalled))
        cr_assert_neq(slot, GPC_NO_WARP, "%s: a warp is ready and none issues", row->spec);
    return slot;
}

static uint64_t exercise(gpc_context *context, const scheduler_row *row, size_t shape, uint64_t seed) {
    gpc_scheduler *s = open_scheduler(context, row->spec, shape);
    host h = {.warps = shapes[shape].warps};
    uint64_t random = seed, digest = 0;
    for (int step = 0; step < 2000; step++) {
        for (uint32_t i = gpci_random_below(&random, 4); i-- > 0;)
            random_event(&h, s, &random);
        uint32_t slot = check_pick(&h, s, row, step % 3 != 0);
        digest = gpci_mix(digest ^ slot);
        if (slot != GPC_NO_WARP)
            cr_assert_eq(gpc_scheduler_issued(s, slot, (uint64_t)step, NULL), GPC_OK);
        if (step % 16 == 0)
            check_ages(&h, s);
    }
    gpc_scheduler_destroy(s);
    return digest;
}

Test(scheduler, picks_what_is_ready_and_repeats_itself) {
    gpc_context *context = open_context(1), *other = open_context(1);
    EACH_CASE(row, shape)
    cr_expect_eq(exercise(context, row, shape, shape + 1), exercise(other, row, shape, shape + 1), "%s", row->spec);
    gpc_context_destroy(context);
    gpc_context_destroy(other);
}

/* After any history: empty slots are never chosen, ages restart, and a single warp issues, in any slot. */
Test(scheduler, ended_warps_leave_nothing) {
    gpc_context *context = open_context(1);
    EACH_CASE(row, shape) {
        gpc_scheduler *s = open_scheduler(context, row->spec, shape);
        host h = {.warps = shapes[shape].warps};
        uint64_t random = 9;
        for (int step = 0; step < 500; step++) {
            random_event(&h, s, &random);
            uint32_t slot = check_pick(&h, s, row, true);
            if (slot != GPC_NO_WARP)
                cr_assert_eq(gpc_scheduler_issued(s, slot, 0, NULL), GPC_OK);
        }
        while (h.running)
            change(&h, s, h.order[gpci_random_below(&random, h.running)], GPC_STATE_ABSENT);
        check_ages(&h, s);
        for (uint32_t slot = 0; slot < h.warps; slot++) {
            cr_assert_eq(check_pick(&h, s, row, true), GPC_NO_WARP);
            begin(&h, s, slot);
            change(&h, s, slot, GPC_STATE_READY);
            cr_assert_eq(check_pick(&h, s, row, false), slot, "%s", row->spec);
            change(&h, s, slot, GPC_STATE_ABSENT);
        }
        for (uint32_t slot = h.warps; slot-- > 0;)
            begin(&h, s, slot);
        check_ages(&h, s);
        gpc_scheduler_destroy(s);
    }
    gpc_context_destroy(context);
}

/*
 * A small core: every warp has `work` instructions; some wait for memory, some for a fixed latency, and every fifth is
 * a barrier of all warps. Returns the cycles until all have ended, or the limit.
 */
static uint64_t run_core(gpc_scheduler *s, host *h, uint64_t *random, uint32_t work, uint64_t most) {
    uint32_t left[MOST], at_barrier = 0;
    uint64_t due[MOST] = {0}, cycle = 0;
    for (uint32_t slot = 0; slot < h->warps; slot++) {
        begin(h, s, slot);
        left[slot] = work;
    }
    for (; h->running && cycle < most; cycle++) {
        for (uint32_t i = 0; i < h->warps; i++)
            if ((h->state[i] == GPC_STATE_STALLED || h->state[i] == GPC_STATE_WAITING) && due[i] <= cycle)
                change(h, s, i, gpci_random_below(random, 2) ? GPC_STATE_READY : GPC_STATE_READY_MEMORY);
        uint32_t slot;
        cr_assert_eq(gpc_scheduler_pick(s, cycle, cycle % 4 != 0, &slot, NULL), GPC_OK);
        if (slot == GPC_NO_WARP)
            continue;
        cr_assert_eq(gpc_scheduler_issued(s, slot, cycle, NULL), GPC_OK);
        bool memory = h->state[slot] == GPC_STATE_READY_MEMORY;
        due[slot] = cycle + (memory ? 50 + gpci_random_below(random, 100) : 1 + gpci_random_below(random, 6));
        if (!--left[slot])
            change(h, s, slot, GPC_STATE_ABSENT);
        else
            change(h, s, slot,
                   left[slot] % 5 == 0 ? GPC_STATE_BARRIER
                   : memory            ? GPC_STATE_WAITING
                                       : GPC_STATE_STALLED);
        at_barrier += h->state[slot] == GPC_STATE_BARRIER;
        for (uint32_t i = 0; at_barrier == h->running && i < h->warps; i++)
            if (h->state[i] == GPC_STATE_BARRIER) {
                change(h, s, i, GPC_STATE_STALLED);
                due[i] = cycle + 1;
                at_barrier--;
            }
    }
    return cycle;
}

/*
 * No warp starves, and none waits for a warp held back. An instruction alone takes at most 150 cycles, and in every
 * fourth cycle the memory pipeline is closed: even in sequence all would end by then.
 */
Test(scheduler, all_warps_come_to_their_end) {
    gpc_context *context = open_context(1);
    uint32_t largest = 0;
    EACH_CASE(row, shape) {
        const uint32_t work = effort_is_small() ? 6 : 21;
        if (shapes[shape].warps == MOST && !effort_takes(largest++))
            continue;
        gpc_scheduler *s = open_scheduler(context, row->spec, shape);
        host h = {.warps = shapes[shape].warps};
        uint64_t random = 3, most = (uint64_t)h.warps * work * 160;
        cr_expect_lt(run_core(s, &h, &random, work, most), most, "%s, %u warps, limit %u: %u are left", row->spec,
                     h.warps, shapes[shape].limit, h.running);
        gpc_scheduler_destroy(s);
    }
    gpc_context_destroy(context);
}
