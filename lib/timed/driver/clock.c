/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/ext/hierarchy.h>

#include "level/access/processes.h"
#include "level/rules/driver.h"
#include "level/rules/events.h"
#include "level/rules/level_rules.h"
#include "level/rules/recorder.h"
#include "timed/core/coherent.h"
#include "timed/core/run_ahead.h"
#include "timed/core/shards.h"
#include "timed/core/timed.h"
#include "timed/l1/replies.h"

#include <inttypes.h>
#include <string.h>

/*
 * The clock: a wheel of cycles, the components stepped in every cycle, and the calls of a host that need the clock.
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

/* Group of a component: mostly `last`, the group of the component stepped before. */
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

/* Prefetch data of all due steps, pass by pass, so that the steps do not wait for the CPU's memory one by one. */
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
    timed->wheel.now = next; /* set before expect_steps, which then prefetches packets that arrive in this cycle */
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

/* Calls of a host (gpci_clock_calls of level/rules/driver.h). */

static bool accepts(const gpc_hierarchy *hierarchy, uint32_t sm, bool miss, gpc_busy *out_busy) {
    if (miss && hierarchy->with_data)
        return false;
    *out_busy = miss ? gpci_timed_busy_miss(hierarchy, sm) : gpci_timed_busy(hierarchy, sm);
    return *out_busy == GPC_BUSY_NOT;
}

static bool tree_accepts(const gpc_hierarchy *hierarchy, uint32_t sm, bool miss, gpc_busy *out_busy) {
    return !miss && accepts(hierarchy, sm, false, out_busy);
}

static void locate(const gpc_hierarchy *hierarchy, gpc_location *location) {
    uint64_t local;
    location->channel = gpci_channel_of(hierarchy->timed, location->slice, location->slice_address, &local);
    if (!hierarchy->timed->callbacks.on_memory)
        location->bank = gpci_dram_bank(hierarchy->timed->dram, local, &location->row, &location->column);
}

/* Accesses in flight. In a tree, a kernel launch that is still flushing counts too. */
static uint64_t in_flight(gpci_timed *timed) {
    gpci_timed_fold(timed);
    return timed->in_flight + (GPCI_UNLIKELY(timed->coherent != NULL) ? timed->coherent->sealed : 0);
}

/* True if work is in flight, but no packet has come or gone for deadlock.cycles. */
static bool is_overdue(gpci_timed *timed) {
    const uint64_t now = timed->wheel.now;
    const uint32_t live = gpci_pool_live(&timed->pool);
    if (live == timed->still.live && timed->progress <= timed->still.since)
        return now - timed->still.since > timed->deadlock_cycles;
    timed->still.live = live;
    timed->still.since = now;
    return false;
}

bool gpci_timed_is_overdue(gpc_hierarchy *hierarchy) {
    gpci_timed_fold(hierarchy->timed);
    return is_overdue(hierarchy->timed);
}

/*
 * True if work in flight can never end: no step is due (`next`), or due steps change no state. SMs of this library know
 * more about future events and check themselves.
 */
GPCI_INLINE bool stands_still(gpci_timed *timed, uint64_t next) {
    if (GPCI_LIKELY(next != GPCI_NEVER && timed->wheel.now - timed->progress <= timed->deadlock_cycles))
        return false;
    if (GPCI_CHECKING && next == GPCI_NEVER)
        gpci_holders_check(timed, true);
    const bool works = in_flight(timed) || gpci_pool_live(&timed->pool);
    if (!works || timed->front.step || timed->memory_reads || gpci_groups_wait_for_host(timed))
        return false;
    return next == GPCI_NEVER || is_overdue(timed);
}

uint64_t gpc_hierarchy_now(const gpc_hierarchy *hierarchy) {
    return hierarchy && hierarchy->now ? *hierarchy->now : 0;
}

uint64_t gpc_hierarchy_next_event(const gpc_hierarchy *hierarchy) {
    return hierarchy && hierarchy->timed ? gpci_timed_next(hierarchy->timed) : UINT64_MAX;
}

uint64_t gpc_hierarchy_in_flight(const gpc_hierarchy *hierarchy) {
    return hierarchy && hierarchy->timed ? in_flight(hierarchy->timed) : 0;
}

static const char *failure_of(const gpci_timed *timed, gpc_status status, char room[GPCI_FAULT]) {
    if (timed->error.status == status) /* else the message of an earlier failure, or none */
        return timed->error.message;
    return gpci_fault_of(timed->hierarchy, status, room);
}

static GPCI_COLD gpc_status refuse_standstill(const gpc_hierarchy *hierarchy, const char *what, gpc_error *error) {
    char text[400];
    gpci_timed_report(hierarchy, text, sizeof text);
    return gpci_fail(error, GPC_ERROR_STATE, "%s: %s", what, text);
}

static gpc_status drain(gpc_hierarchy *hierarchy, gpc_error *error) {
    char room[GPCI_FAULT];
    gpci_timed *timed = hierarchy->timed;
    gpci_timed_fold(timed);
    timed->still.since = timed->wheel.now;
    timed->still.live = gpci_pool_live(&timed->pool);
    while (!gpci_timed_is_idle(timed, true)) {
        gpc_status status = gpci_timed_run_cycle(hierarchy, GPCI_NEVER - 1);
        if (status < 0)
            return gpci_fail(error, status, "gpc_hierarchy_drain: %s", failure_of(timed, status, room));
        if (status == GPC_END || is_overdue(timed))
            return refuse_standstill(hierarchy, "nothing moves", error);
    }
    return GPC_OK;
}

/* L1s of a tree hold lines known to directories, and a host's L1 cannot replace an L1 of the tree. */
static gpc_status no_miss(gpc_hierarchy *hierarchy, const gpc_request *request, uint64_t token, gpc_busy *out_busy,
                          gpc_error *error) {
    (void)hierarchy;
    (void)request;
    (void)token;
    (void)out_busy;
    return gpci_fail(error, GPC_ERROR_UNSUPPORTED,
                     "gpc_hierarchy_try_miss: a tree of coherent modules takes no misses of others' L1s");
}

/* Lines of a tree are blocks of modules, made by the tree's coalescer. */
static gpc_status no_transactions(gpc_hierarchy *hierarchy, const gpc_request *requests, uint32_t count, uint64_t token,
                                  gpc_busy *out_busy, gpc_error *error) {
    (void)hierarchy;
    (void)requests;
    (void)count;
    (void)token;
    (void)out_busy;
    return gpci_fail(error, GPC_ERROR_UNSUPPORTED,
                     "gpc_hierarchy_try_transactions: a tree of coherent modules coalesces by itself");
}

#define TIMED_CALLS(miss_function, lines_function, accepting)                                       \
    {                                                                                               \
        .issue = gpci_timed_try_issue, .fence = gpci_timed_try_fence, .miss = (miss_function),      \
        .transactions = (lines_function), .accepts = (accepting), .locate = locate, .drain = drain, \
        .grant = gpci_timed_grant, .credits = gpci_timed_credits                                    \
    }

const gpci_clock_calls gpci_timed_cache_clock = TIMED_CALLS(gpci_timed_try_miss, gpci_timed_try_transactions, accepts);
const gpci_clock_calls gpci_timed_tree_clock = TIMED_CALLS(no_miss, no_transactions, tree_accepts);

/* Refuse a call from within a callback, or of a hierarchy without a clock. */
static GPCI_COLD gpc_status refuse_state(const gpc_hierarchy *hierarchy, const char *call, gpc_error *error) {
    return gpci_fail(error, GPC_ERROR_STATE, "%s: %s", call,
                     hierarchy->called_back ? "called from within a callback" : "the hierarchy is functional");
}

/* Public calls. Without a clock, errors. */

/* The cycle the clock reaches has been run too; later calls of the host take effect in the next cycle. */
gpc_status gpc_hierarchy_advance(gpc_hierarchy *hierarchy, uint64_t cycles, gpc_error *error) {
    if (!hierarchy)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_advance: hierarchy is NULL");
    if (hierarchy->called_back || !hierarchy->timed)
        return refuse_state(hierarchy, "gpc_hierarchy_advance", error);
    char room[GPCI_FAULT];
    gpci_timed *timed = hierarchy->timed;
    uint64_t target = timed->wheel.now + cycles, next = GPCI_NEVER;
    if (target < timed->wheel.now)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_advance: cycles go beyond the last cycle");
    gpc_status status = timed->failed;
    while (status == GPC_OK && (next = gpci_timed_next(timed)) <= target && next != GPCI_NEVER)
        status = gpci_timed_run_cycle(hierarchy, target);
    if (status == GPC_OK && stands_still(timed, next))
        return refuse_standstill(hierarchy, "gpc_hierarchy_advance: nothing moves any more", error);
    if (GPCI_UNLIKELY(status < 0))
        return gpci_fail(error, status, "gpc_hierarchy_advance: %s", failure_of(timed, status, room));
    if (status == GPC_OK && timed->shards)
        gpci_shards_go(timed, target);
    else if (status == GPC_OK)
        timed->wheel.now = target;
    return status;
}

gpc_status gpc_hierarchy_try_issue(gpc_hierarchy *hierarchy, const gpc_warp_access *access, uint64_t token,
                                   gpc_busy *out_busy, gpc_error *error) {
    if (!hierarchy || !access)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_try_issue: %s is NULL",
                         hierarchy ? "access" : "hierarchy");
    if (hierarchy->called_back)
        return refuse_state(hierarchy, "gpc_hierarchy_try_issue", error);
    gpc_status status = GPCI_UNLIKELY(gpci_has_process(hierarchy, access))
                            ? gpci_processes_issue(hierarchy, access, token, out_busy, error)
                            : hierarchy->driver->clock->issue(hierarchy, access, token, out_busy, error);
    if (status == GPC_OK)
        GPCI_RECORD(hierarchy, access, (hierarchy->recorder, access));
    return status;
}

gpc_status gpc_hierarchy_try_fence(gpc_hierarchy *hierarchy, const gpc_fence *fence, uint64_t token, gpc_busy *out_busy,
                                   gpc_error *error) {
    if (!hierarchy || !fence)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_try_fence: %s is NULL",
                         hierarchy ? "fence" : "hierarchy");
    if (hierarchy->called_back)
        return refuse_state(hierarchy, "gpc_hierarchy_try_fence", error);
    gpc_status status = hierarchy->driver->clock->fence(hierarchy, fence, token, out_busy, error);
    if (status == GPC_OK)
        GPCI_RECORD(hierarchy, fence, (hierarchy->recorder, fence));
    return status;
}

gpc_status gpc_hierarchy_try_miss(gpc_hierarchy *hierarchy, const gpc_request *request, uint64_t token,
                                  gpc_busy *out_busy, gpc_error *error) {
    if (!hierarchy || !request)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_try_miss: %s is NULL",
                         hierarchy ? "request" : "hierarchy");
    if (hierarchy->called_back)
        return refuse_state(hierarchy, "gpc_hierarchy_try_miss", error);
    gpc_status status = GPCI_UNLIKELY(hierarchy->processes || request->process)
                            ? gpci_processes_miss(hierarchy, request, token, out_busy, error)
                            : hierarchy->driver->clock->miss(hierarchy, request, token, out_busy, error);
    if (status == GPC_OK)
        GPCI_RECORD(hierarchy, cannot, (hierarchy->recorder, "gpc_hierarchy_try_miss"));
    return status;
}

static bool is_instruction(const gpc_request *requests, uint32_t count) {
    return requests && count && count <= GPC_MAX_TRANSACTIONS;
}

gpc_status gpc_hierarchy_try_transactions(gpc_hierarchy *hierarchy, const gpc_request *requests, uint32_t count,
                                          uint64_t token, gpc_busy *out_busy, gpc_error *error) {
    if (!hierarchy || !is_instruction(requests, count))
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_try_transactions: %s",
                         !hierarchy  ? "hierarchy is NULL"
                         : !requests ? "requests is NULL"
                                     : "count is not 1 to GPC_MAX_TRANSACTIONS");
    if (hierarchy->called_back)
        return refuse_state(hierarchy, "gpc_hierarchy_try_transactions", error);
    gpc_status status =
        GPCI_UNLIKELY(hierarchy->processes || requests->process)
            ? gpci_processes_transactions(hierarchy, requests, count, token, out_busy, error)
            : hierarchy->driver->clock->transactions(hierarchy, requests, count, token, out_busy, error);
    if (status == GPC_OK)
        GPCI_RECORD(hierarchy, cannot, (hierarchy->recorder, "gpc_hierarchy_try_transactions"));
    return status;
}

gpc_status gpc_hierarchy_memory_reply(gpc_hierarchy *hierarchy, uint64_t id, gpc_error *error) {
    if (!hierarchy)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_memory_reply: hierarchy is NULL");
    if (hierarchy->called_back || !hierarchy->timed)
        return refuse_state(hierarchy, "gpc_hierarchy_memory_reply", error);
    if (!hierarchy->timed->callbacks.on_memory)
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_hierarchy_memory_reply: on_memory is not set");
    const gpc_status status = gpci_channel_reply(hierarchy->timed, id);
    return status == GPC_OK
               ? GPC_OK
               : gpci_fail(error, status, "gpc_hierarchy_memory_reply: id %" PRIu64 " is of no read in flight", id);
}

gpc_status gpc_hierarchy_memory_ready(gpc_hierarchy *hierarchy, uint32_t channel, gpc_error *error) {
    if (!hierarchy)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_memory_ready: hierarchy is NULL");
    if (hierarchy->called_back || !hierarchy->timed)
        return refuse_state(hierarchy, "gpc_hierarchy_memory_ready", error);
    if (channel >= hierarchy->timed->channels)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_memory_ready: channel is %u, of %u", channel,
                         hierarchy->timed->channels);
    if (!hierarchy->timed->callbacks.on_memory)
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_hierarchy_memory_ready: on_memory is not set");
    gpci_channel_ready(hierarchy->timed, channel);
    return GPC_OK;
}

gpc_status gpc_hierarchy_set_callbacks(gpc_hierarchy *hierarchy, const gpc_hierarchy_callbacks *callbacks,
                                       gpc_error *error) {
    if (!hierarchy)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_set_callbacks: hierarchy is NULL");
    if (hierarchy->called_back || !hierarchy->timed)
        return refuse_state(hierarchy, "gpc_hierarchy_set_callbacks", error);
    gpc_hierarchy_callbacks ours = GPC_HIERARCHY_CALLBACKS_INIT;
    const size_t least = offsetof(gpc_hierarchy_callbacks, on_complete);
    gpc_status status =
        callbacks ? gpci_take(&ours, sizeof ours, least, callbacks, "gpc_hierarchy_callbacks", error) : GPC_OK;
    gpci_timed *timed = hierarchy->timed;
    gpci_timed_fold(timed);
    if (status == GPC_OK && ours.on_memory && timed->shards)
        status = gpci_fail(error, GPC_ERROR_UNSUPPORTED,
                           "gpc_hierarchy_callbacks.on_memory: no host's memory with threads above 1");
    if (status == GPC_OK && !ours.on_memory != !timed->callbacks.on_memory && !gpci_timed_is_idle(timed, true))
        status = gpci_fail(error, GPC_ERROR_STATE, "gpc_hierarchy_callbacks.on_memory: accesses are in flight");
    if (status < 0)
        return status;
    timed->callbacks = ours;
    gpci_timed_hook(timed);
    return GPC_OK;
}
