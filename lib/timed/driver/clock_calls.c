/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/rules/driver.h"
#include "timed/core/coherent.h"
#include "timed/core/shards.h"
#include "timed/l1/replies.h"

/* Calls of a host that need the clock (gpci_clock_calls of level/rules/driver.h). */

static uint64_t next_event(const gpc_hierarchy *hierarchy) {
    return gpci_timed_next(hierarchy->timed);
}

static uint64_t in_flight(const gpc_hierarchy *hierarchy) {
    gpci_timed_fold(hierarchy->timed);
    return hierarchy->timed->in_flight;
}

/* Includes a kernel launch that is still flushing. */
static uint64_t in_flight_of_tree(const gpc_hierarchy *hierarchy) {
    return hierarchy->timed->in_flight + hierarchy->timed->coherent->sealed;
}

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
GPCI_INLINE bool stands_still(const gpc_hierarchy *hierarchy, uint64_t next) {
    gpci_timed *timed = hierarchy->timed;
    if (GPCI_LIKELY(next != GPCI_NEVER && timed->wheel.now - timed->progress <= timed->deadlock_cycles))
        return false;
    if (GPCI_CHECKING && next == GPCI_NEVER)
        gpci_holders_check(timed, true);
    gpci_timed_fold(timed);
    const bool works = hierarchy->driver->clock->in_flight(hierarchy) || gpci_pool_live(&timed->pool);
    if (!works || timed->front.step || timed->memory_reads || gpci_groups_wait_for_host(timed))
        return false;
    return next == GPCI_NEVER || is_overdue(timed);
}

/* The cycle the clock reaches has been run too; later calls of the host take effect in the next cycle. */
static gpc_status advance(gpc_hierarchy *hierarchy, uint64_t cycles) {
    gpci_timed *timed = hierarchy->timed;
    uint64_t target = timed->wheel.now + cycles, next = GPCI_NEVER;
    if (target < timed->wheel.now)
        return GPC_ERROR_ARGUMENT;
    gpc_status status = timed->failed;
    while (status == GPC_OK && (next = gpci_timed_next(timed)) <= target)
        status = gpci_timed_run_cycle(hierarchy, target);
    if (status == GPC_OK && stands_still(hierarchy, next))
        return GPC_ERROR_STATE;
    if (status == GPC_OK && timed->shards)
        gpci_shards_go(timed, target);
    else if (status == GPC_OK)
        timed->wheel.now = target;
    return status;
}

static const char *failure_of(const gpci_timed *timed, gpc_status status) {
    if (timed->error.message[0])
        return timed->error.message;
    return status == GPC_ERROR_CALLBACK ? "a policy chose an impossible victim" : gpc_status_string(status);
}

static gpc_status check_advance(const gpc_hierarchy *hierarchy, uint64_t cycles, gpc_error *error) {
    const gpci_timed *timed = hierarchy->timed;
    if (timed->failed < 0)
        return gpci_fail(error, timed->failed, "gpc_hierarchy_advance: %s", failure_of(timed, timed->failed));
    if (timed->wheel.now + cycles < cycles)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_advance: cycles go beyond the last cycle");
    const uint64_t next = gpci_timed_next(timed);
    if (next - timed->wheel.now > cycles && stands_still(hierarchy, next)) {
        char text[400];
        gpci_timed_report(hierarchy, text, sizeof text);
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_hierarchy_advance: nothing moves any more: %s", text);
    }
    return GPC_OK;
}

static gpc_status drain(gpc_hierarchy *hierarchy, gpc_error *error) {
    gpci_timed *timed = hierarchy->timed;
    gpci_timed_fold(timed);
    timed->still.since = timed->wheel.now;
    timed->still.live = gpci_pool_live(&timed->pool);
    while (!gpci_timed_is_idle(timed, true)) {
        gpc_status status = gpci_timed_run_cycle(hierarchy, GPCI_NEVER - 1);
        if (status < 0)
            return gpci_fail(error, status, "gpc_hierarchy_drain: %s", failure_of(timed, status));
        if (status == GPC_END || is_overdue(timed)) {
            char text[400];
            gpci_timed_report(hierarchy, text, sizeof text);
            return gpci_fail(error, GPC_ERROR_STATE, "nothing moves: %s", text);
        }
    }
    return GPC_OK;
}

/* L1s of a tree hold lines known to directories, and a host's L1 cannot replace an L1 of the tree. */
static gpc_status no_miss(gpc_hierarchy *hierarchy, const gpc_request *request, uint64_t token, gpc_busy *out_busy) {
    (void)hierarchy;
    (void)request;
    (void)token;
    (void)out_busy;
    return GPC_ERROR_UNSUPPORTED;
}

static gpc_status check_no_miss(const gpc_hierarchy *hierarchy, const gpc_request *request, gpc_error *error) {
    (void)hierarchy;
    (void)request;
    return gpci_fail(error, GPC_ERROR_UNSUPPORTED,
                     "gpc_hierarchy_try_miss: a tree of coherent modules takes no misses of others' L1s");
}

/* Lines of a tree are blocks of modules, made by the tree's coalescer. */
static gpc_status no_transactions(gpc_hierarchy *hierarchy, const gpc_request *requests, uint32_t count, uint64_t token,
                                  gpc_busy *out_busy) {
    (void)count;
    return no_miss(hierarchy, requests, token, out_busy);
}

static gpc_status check_no_transactions(const gpc_hierarchy *hierarchy, const gpc_request *requests, uint32_t count,
                                        gpc_error *error) {
    (void)hierarchy;
    (void)requests;
    (void)count;
    return gpci_fail(error, GPC_ERROR_UNSUPPORTED,
                     "gpc_hierarchy_try_transactions: a tree of coherent modules coalesces by itself");
}

static gpc_status memory_reply(gpc_hierarchy *hierarchy, uint64_t id) {
    return hierarchy->timed->callbacks.on_memory ? gpci_channel_reply(hierarchy->timed, id) : GPC_ERROR_STATE;
}

static gpc_status memory_ready(gpc_hierarchy *hierarchy, uint32_t channel) {
    if (channel >= hierarchy->timed->channels)
        return GPC_ERROR_ARGUMENT;
    if (!hierarchy->timed->callbacks.on_memory)
        return GPC_ERROR_STATE;
    gpci_channel_ready(hierarchy->timed, channel);
    return GPC_OK;
}

static gpc_status set_callbacks(gpc_hierarchy *hierarchy, const gpc_hierarchy_callbacks *callbacks) {
    gpc_hierarchy_callbacks ours = GPC_HIERARCHY_CALLBACKS_INIT;
    gpc_status status =
        callbacks ? gpci_take(&ours, sizeof ours, 2 * sizeof(void *), callbacks, "gpc_hierarchy_callbacks", NULL)
                  : GPC_OK;
    gpci_timed *timed = hierarchy->timed;
    gpci_timed_fold(timed);
    if (status == GPC_OK && ours.on_memory && timed->shards)
        status = GPC_ERROR_UNSUPPORTED;
    if (status == GPC_OK && !ours.on_memory != !timed->callbacks.on_memory && !gpci_timed_is_idle(timed, true))
        status = GPC_ERROR_STATE;
    if (status < 0)
        return status;
    timed->callbacks = ours;
    gpci_timed_hook(timed);
    return GPC_OK;
}

#define TIMED_CALLS(miss_function, checking, lines_function, checking_lines, accepting, flying)                       \
    {                                                                                                                 \
        .issue = gpci_timed_try_issue, .fence = gpci_timed_try_fence, .miss = (miss_function),                        \
        .check_miss = (checking), .transactions = (lines_function), .check_transactions = (checking_lines),           \
        .accepts = (accepting), .locate = locate, .advance = advance, .check_advance = check_advance, .drain = drain, \
        .next_event = next_event, .in_flight = (flying), .memory_reply = memory_reply, .memory_ready = memory_ready,  \
        .grant = gpci_timed_grant, .credits = gpci_timed_credits, .set_callbacks = set_callbacks                      \
    }

const gpci_clock_calls gpci_timed_cache_clock =
    TIMED_CALLS(gpci_timed_try_miss, gpci_timed_check_miss, gpci_timed_try_transactions, gpci_timed_check_transactions,
                accepts, in_flight);
const gpci_clock_calls gpci_timed_tree_clock =
    TIMED_CALLS(no_miss, check_no_miss, no_transactions, check_no_transactions, tree_accepts, in_flight_of_tree);
