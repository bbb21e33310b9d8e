/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/watch.h"

#include <inttypes.h>

/* Time: cycle after cycle in which something is due, and what a host asks about it. */

/* What failed for want of memory has changed nothing, and may be tried again. */
static gpc_status failure(gpci_timed *t) {
    gpc_status status = t->failed;
    if (GPCI_UNLIKELY(status == GPC_ERROR_MEMORY))
        t->failed = GPC_OK;
    return status;
}

gpc_status gpci_timed_run_cycle(gpc_hierarchy *h, uint64_t limit) {
    gpci_timed *t = h->timed;
    uint64_t next = gpci_wheel_next(&t->wheel);
    if (next == GPCI_NEVER)
        return GPC_END;
    if (next > limit) {
        t->wheel.now = limit > t->wheel.now ? limit : t->wheel.now;
        return t->failed;
    }
    gpci_groups_expect(t, gpci_wheel_due(&t->wheel, next));
    gpci_wheel_run_cycle(&t->wheel, next, gpci_groups_step, t);
    if (GPCI_UNLIKELY(t->trace != NULL) && t->trace->cancelled && t->failed == GPC_OK)
        return gpci_timed_cancel(t);
    return failure(t);
}

uint64_t gpci_timed_now(const gpc_hierarchy *h) {
    return h->timed->wheel.now;
}

void gpci_timed_wake(gpc_hierarchy *h, uint32_t sm, uint64_t cycle) {
    gpci_wheel_wake(&h->timed->wheel, h->timed->groups[GPCI_GROUP_SMS].first + sm, cycle);
}

void gpci_timed_attach(gpc_hierarchy *h, const gpci_sm_front_end *front) {
    h->timed->front = front ? *front : (gpci_sm_front_end){0};
    gpci_timed_hook(h->timed);
}

uint64_t gpc_hierarchy_now(const gpc_hierarchy *h) {
    return h && h->timed ? h->timed->wheel.now : 0;
}

uint64_t gpc_hierarchy_next_event(const gpc_hierarchy *h) {
    return h && h->timed ? gpci_wheel_next(&h->timed->wheel) : GPCI_NEVER;
}

uint64_t gpc_hierarchy_in_flight(const gpc_hierarchy *h) {
    return h && h->timed ? h->timed->in_flight : 0;
}

/* The cycle that the clock is moved to has happened too; what the host does in it takes effect from the next on. */
gpc_status gpc_hierarchy_advance(gpc_hierarchy *h, uint64_t cycles) {
    if (!h)
        return GPC_ERROR_ARGUMENT;
    if (!h->timed)
        return GPC_ERROR_STATE;
    gpci_timed *t = h->timed;
    uint64_t target = t->wheel.now + cycles;
    if (target < t->wheel.now)
        return GPC_ERROR_ARGUMENT;
    gpc_status status = t->failed;
    while (status == GPC_OK && gpci_wheel_next(&t->wheel) <= target)
        status = gpci_timed_run_cycle(h, target);
    if (status == GPC_OK)
        t->wheel.now = target;
    return status;
}

bool gpci_timed_quiet(const gpci_timed *t) {
    return !t->pool.live && gpci_groups_idle(t, false);
}

/* Likewise, writes to memory included. */
static bool is_idle(const gpci_timed *t) {
    return !t->pool.live && gpci_groups_idle(t, true);
}

static const char *failure_of(gpc_status status) {
    return status == GPC_ERROR_CALLBACK ? "a policy chose an impossible victim" : gpc_status_string(status);
}

gpc_status gpc_hierarchy_drain(gpc_hierarchy *h, gpc_error *error) {
    if (!h)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_drain: hierarchy is NULL");
    if (!h->timed)
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_hierarchy_drain: the hierarchy is functional");
    gpci_timed *t = h->timed;
    uint64_t patience = gpci_number(h, GPCI_KEY_DEADLOCK), since = t->wheel.now;
    uint32_t live = t->pool.live;
    while (t->in_flight || !is_idle(t)) {
        gpc_status status = gpci_timed_run_cycle(h, GPCI_NEVER - 1);
        if (status < 0)
            return gpci_fail(error, status, "gpc_hierarchy_drain: %s",
                             t->error.message[0] ? t->error.message : failure_of(status));
        if (live != t->pool.live || t->progress > since)
            since = t->wheel.now;
        live = t->pool.live;
        if (status == GPC_END || t->wheel.now - since > patience) {
            char text[400];
            gpci_timed_report(h, text, sizeof text);
            return gpci_fail(error, GPC_ERROR_STATE, "nothing moves: %s", text);
        }
    }
    return GPC_OK;
}

void gpci_timed_report(const gpc_hierarchy *h, char *text, size_t size) {
    gpci_text report = gpci_text_of(text, size);
    gpci_text_put(&report, "cycle %" PRIu64 ", %" PRIu64 " accesses in flight: ", h->timed->wheel.now,
                  h->timed->in_flight);
    gpci_groups_report(h->timed, &report);
}

void gpci_timed_add_sm(const gpci_timed *t, uint32_t sm, gpc_stats *s) {
    gpci_groups_count_sm(t, sm, s);
}

void gpci_timed_add_rest(const gpci_timed *t, gpc_stats *s) {
    uint64_t cycles = t->wheel.now - t->counted_from;
    s->cycles += cycles;
    s->sm_cycles += cycles * t->h->sms;
    s->accepted += t->accepted;
    s->completed += t->completed;
    gpci_groups_count_rest(t, s);
}

void gpci_timed_state(gpci_timed *t, gpci_state_fn visit, void *user_data) {
    gpci_wheel *wheel = &t->wheel;
    visit(user_data, &wheel->now, sizeof wheel->now);
    visit(user_data, wheel->due, (size_t)GPCI_WHEEL_SPAN * wheel->words * sizeof *wheel->due);
    visit(user_data, wheel->occupied, sizeof wheel->occupied);
    gpci_pool_state(&t->pool, visit, user_data);
    visit(user_data, &t->flight_fresh, sizeof t->flight_fresh);
    visit(user_data, &t->flight_free, sizeof t->flight_free);
    visit(user_data, t->flights, t->flight_fresh * sizeof *t->flights);
    uint64_t *const counts[] = {&t->in_flight,  &t->accepted, &t->completed,
                                &t->memory_ids, &t->progress, &t->counted_from};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        visit(user_data, counts[i], sizeof *counts[i]);
    visit(user_data, &t->failed, sizeof t->failed);
    gpci_groups_state(t, visit, user_data);
}

void gpci_timed_reset_stats(gpci_timed *t) {
    t->counted_from = t->wheel.now;
    t->accepted = t->in_flight; /* so that those that are under way are not missed when they complete */
    t->completed = 0;
    gpci_groups_reset(t, t->wheel.now);
}

gpc_status gpc_hierarchy_memory_reply(gpc_hierarchy *h, uint64_t id) {
    if (!h)
        return GPC_ERROR_ARGUMENT;
    if (!h->timed || !h->timed->callbacks.on_memory)
        return GPC_ERROR_STATE;
    return gpci_channel_reply(h->timed, id);
}

gpc_status gpc_hierarchy_memory_ready(gpc_hierarchy *h, uint32_t channel) {
    if (!h || (h->timed && channel >= h->timed->channels))
        return GPC_ERROR_ARGUMENT;
    if (!h->timed || !h->timed->callbacks.on_memory)
        return GPC_ERROR_STATE;
    gpci_channel_ready(h->timed, channel);
    return GPC_OK;
}

gpc_status gpc_hierarchy_set_callbacks(gpc_hierarchy *h, const gpc_hierarchy_callbacks *callbacks) {
    gpc_hierarchy_callbacks ours = GPC_HIERARCHY_CALLBACKS_INIT;
    if (!h)
        return GPC_ERROR_ARGUMENT;
    if (!h->timed)
        return GPC_ERROR_STATE;
    gpc_status status =
        callbacks ? gpci_take(&ours, sizeof ours, 2 * sizeof(void *), callbacks, "gpc_hierarchy_callbacks", NULL)
                  : GPC_OK;
    gpci_timed *t = h->timed;
    if (status == GPC_OK && !ours.on_memory != !t->callbacks.on_memory && !is_idle(t))
        status = GPC_ERROR_STATE;
    if (status < 0)
        return status;
    t->callbacks = ours;
    gpci_timed_hook(t);
    return GPC_OK;
}
