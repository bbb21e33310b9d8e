/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/rules/driver.h"
#include "timed/core/coherent.h"
#include "timed/core/shards.h"
#include "timed/l1/replies.h"

/* Calls of a host that need the clock (gpci_clock_calls of level/rules/driver.h). */

static uint64_t next_event(const gpc_hierarchy *h) {
    return gpci_timed_next(h->timed);
}

static uint64_t in_flight(const gpc_hierarchy *h) {
    gpci_timed_fold(h->timed);
    return h->timed->in_flight;
}

/* Includes a kernel launch that is still flushing. */
static uint64_t in_flight_of_tree(const gpc_hierarchy *h) {
    return h->timed->in_flight + h->timed->coherent->sealed;
}

static bool accepts(const gpc_hierarchy *h, uint32_t sm, bool miss, gpc_busy *out_busy) {
    if (miss && h->with_data)
        return false;
    *out_busy = miss ? gpci_timed_busy_miss(h, sm) : gpci_timed_busy(h, sm);
    return *out_busy == GPC_BUSY_NOT;
}

static bool tree_accepts(const gpc_hierarchy *h, uint32_t sm, bool miss, gpc_busy *out_busy) {
    return !miss && accepts(h, sm, false, out_busy);
}

static void locate(const gpc_hierarchy *h, gpc_location *l) {
    uint64_t local;
    l->channel = gpci_channel_of(h->timed, l->slice, l->slice_address, &local);
    if (!h->timed->callbacks.on_memory)
        l->bank = gpci_dram_bank(h->timed->dram, local, &l->row, &l->column);
}

/* True if work is in flight, but no packet has come or gone for deadlock.cycles. */
static bool is_overdue(gpci_timed *t) {
    const uint64_t now = t->wheel.now;
    const uint32_t live = gpci_pool_live(&t->pool);
    if (live == t->still.live && t->progress <= t->still.since)
        return now - t->still.since > t->deadlock_cycles;
    t->still.live = live;
    t->still.since = now;
    return false;
}

/*
 * True if work in flight can never end: no step is due (`next`), or due steps change no state. SMs of this library know
 * more about future events and check themselves.
 */
GPCI_INLINE bool stands_still(const gpc_hierarchy *h, uint64_t next) {
    gpci_timed *t = h->timed;
    if (GPCI_LIKELY(next != GPCI_NEVER && t->wheel.now - t->progress <= t->deadlock_cycles))
        return false;
    if (GPCI_CHECKING && next == GPCI_NEVER)
        gpci_holders_check(t, true);
    gpci_timed_fold(t);
    const bool works = h->driver->clock->in_flight(h) || gpci_pool_live(&t->pool);
    if (!works || t->front.step || t->memory_reads || gpci_groups_wait_for_host(t))
        return false;
    return next == GPCI_NEVER || is_overdue(t);
}

/* The cycle the clock reaches has been run too; later calls of the host take effect in the next cycle. */
static gpc_status advance(gpc_hierarchy *h, uint64_t cycles) {
    gpci_timed *t = h->timed;
    uint64_t target = t->wheel.now + cycles, next = GPCI_NEVER;
    if (target < t->wheel.now)
        return GPC_ERROR_ARGUMENT;
    gpc_status status = t->failed;
    while (status == GPC_OK && (next = gpci_timed_next(t)) <= target)
        status = gpci_timed_run_cycle(h, target);
    if (status == GPC_OK && stands_still(h, next))
        return GPC_ERROR_STATE;
    if (status == GPC_OK && t->shards)
        gpci_shards_go(t, target);
    else if (status == GPC_OK)
        t->wheel.now = target;
    return status;
}

static const char *failure_of(const gpci_timed *t, gpc_status status) {
    if (t->error.message[0])
        return t->error.message;
    return status == GPC_ERROR_CALLBACK ? "a policy chose an impossible victim" : gpc_status_string(status);
}

static gpc_status check_advance(const gpc_hierarchy *h, uint64_t cycles, gpc_error *error) {
    const gpci_timed *t = h->timed;
    if (t->failed < 0)
        return gpci_fail(error, t->failed, "gpc_hierarchy_advance: %s", failure_of(t, t->failed));
    if (t->wheel.now + cycles < cycles)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_advance: cycles go beyond the last cycle");
    const uint64_t next = gpci_timed_next(t);
    if (next - t->wheel.now > cycles && stands_still(h, next)) {
        char text[400];
        gpci_timed_report(h, text, sizeof text);
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_hierarchy_advance: nothing moves any more: %s", text);
    }
    return GPC_OK;
}

static gpc_status drain(gpc_hierarchy *h, gpc_error *error) {
    gpci_timed *t = h->timed;
    uint64_t since = t->wheel.now;
    gpci_timed_fold(t);
    uint32_t live = gpci_pool_live(&t->pool);
    while (!gpci_timed_is_idle(t, true)) {
        gpc_status status = gpci_timed_run_cycle(h, GPCI_NEVER - 1);
        if (status < 0)
            return gpci_fail(error, status, "gpc_hierarchy_drain: %s", failure_of(t, status));
        if (live != gpci_pool_live(&t->pool) || t->progress > since)
            since = t->wheel.now;
        live = gpci_pool_live(&t->pool);
        if (status == GPC_END || t->wheel.now - since > t->deadlock_cycles) {
            char text[400];
            gpci_timed_report(h, text, sizeof text);
            return gpci_fail(error, GPC_ERROR_STATE, "nothing moves: %s", text);
        }
    }
    return GPC_OK;
}

/* L1s of a tree hold lines known to directories, and a host's L1 cannot replace an L1 of the tree. */
static gpc_status no_miss(gpc_hierarchy *h, const gpc_request *request, uint64_t token, gpc_busy *out_busy) {
    (void)h;
    (void)request;
    (void)token;
    (void)out_busy;
    return GPC_ERROR_UNSUPPORTED;
}

static gpc_status check_no_miss(const gpc_hierarchy *h, const gpc_request *request, gpc_error *error) {
    (void)h;
    (void)request;
    return gpci_fail(error, GPC_ERROR_UNSUPPORTED,
                     "gpc_hierarchy_try_miss: a tree of coherent modules takes no misses of others' L1s");
}

/* Lines of a tree are blocks of modules, made by the tree's coalescer. */
static gpc_status no_transactions(gpc_hierarchy *h, const gpc_request *requests, uint32_t count, uint64_t token,
                                  gpc_busy *out_busy) {
    (void)count;
    return no_miss(h, requests, token, out_busy);
}

static gpc_status check_no_transactions(const gpc_hierarchy *h, const gpc_request *requests, uint32_t count,
                                        gpc_error *error) {
    (void)h;
    (void)requests;
    (void)count;
    return gpci_fail(error, GPC_ERROR_UNSUPPORTED,
                     "gpc_hierarchy_try_transactions: a tree of coherent modules coalesces by itself");
}

static gpc_status memory_reply(gpc_hierarchy *h, uint64_t id) {
    return h->timed->callbacks.on_memory ? gpci_channel_reply(h->timed, id) : GPC_ERROR_STATE;
}

static gpc_status memory_ready(gpc_hierarchy *h, uint32_t channel) {
    if (channel >= h->timed->channels)
        return GPC_ERROR_ARGUMENT;
    if (!h->timed->callbacks.on_memory)
        return GPC_ERROR_STATE;
    gpci_channel_ready(h->timed, channel);
    return GPC_OK;
}

static gpc_status set_callbacks(gpc_hierarchy *h, const gpc_hierarchy_callbacks *callbacks) {
    gpc_hierarchy_callbacks ours = GPC_HIERARCHY_CALLBACKS_INIT;
    gpc_status status =
        callbacks ? gpci_take(&ours, sizeof ours, 2 * sizeof(void *), callbacks, "gpc_hierarchy_callbacks", NULL)
                  : GPC_OK;
    gpci_timed *t = h->timed;
    gpci_timed_fold(t);
    if (status == GPC_OK && ours.on_memory && t->shards)
        status = GPC_ERROR_UNSUPPORTED;
    if (status == GPC_OK && !ours.on_memory != !t->callbacks.on_memory && !gpci_timed_is_idle(t, true))
        status = GPC_ERROR_STATE;
    if (status < 0)
        return status;
    t->callbacks = ours;
    gpci_timed_hook(t);
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
