/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/coherent.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* Time: cycle after cycle in which something is due, and what a host asks about it. */

static void step_slice(gpci_timed *t, uint32_t slice) {
    if (GPCI_UNLIKELY(t->play != NULL))
        gpci_play_slice_step(t, slice);
    else
        gpci_l2_step(t, slice);
}

static void step(void *user_data, uint32_t component) {
    gpci_timed *t = user_data;
    if (component < t->at_memory_replies) {
        if (component < t->at_channels)
            gpci_play_turn(t);
        else
            gpci_channel_step(t, component - t->at_channels);
    } else if (component < t->at_link_replies)
        gpci_network_step(t->memory_replies, component - t->at_memory_replies);
    else if (component < t->at_slices)
        gpci_network_step(t->link_replies, component - t->at_link_replies);
    else if (component < t->at_down)
        step_slice(t, component - t->at_slices);
    else if (component < t->at_clusters)
        gpci_network_step(t->play->down, component - t->at_down);
    else if (component < t->at_replies)
        gpci_play_cluster_step(t, component - t->at_clusters);
    else if (component < t->at_l1)
        gpci_network_step(t->replies, component - t->at_replies);
    else if (component < t->at_front)
        gpci_l1_step(t, component - t->at_l1);
    else if (component < t->at_requests) {
        if (t->front.step)
            t->front.step(t->front.user_data, component - t->at_front);
    } else if (component < t->at_link_requests)
        gpci_network_step(t->requests, component - t->at_requests);
    else if (component < t->at_memory_requests)
        gpci_network_step(t->link_requests, component - t->at_link_requests);
    else if (component < t->at_up)
        gpci_network_step(t->memory_requests, component - t->at_memory_requests);
    else
        gpci_network_step(t->play->up, component - t->at_up);
}

/*
 * Fetch what a cycle's steps will look at, so that they do not wait for memory one after the other: first the
 * stages' packets, then what these lead to.
 */
static void foresee(const gpci_timed *t, const uint64_t *due) {
    for (unsigned pass = 0; pass < 2; pass++)
        for (uint32_t word = t->at_slices / 64; word <= (t->at_front - 1) / 64; word++)
            for (uint64_t bits = due[word]; bits; bits &= bits - 1) {
                uint32_t component = word * 64 + gpci_lowest(bits);
                if (component >= t->at_l1 && component < t->at_front)
                    gpci_l1_foresee(t, component - t->at_l1, pass);
                else if (component >= t->at_slices && component < t->at_down && !t->play)
                    gpci_l2_foresee(t, component - t->at_slices, pass);
            }
}

/* What failed for want of memory has changed nothing, and may be tried again. */
static gpc_status failure(gpci_timed *t) {
    gpc_status status = t->failed;
    if (GPCI_UNLIKELY(status == GPC_ERROR_MEMORY))
        t->failed = GPC_OK;
    return status;
}

gpc_status gpci_timed_turn(gpc_hierarchy *h, uint64_t limit) {
    gpci_timed *t = h->timed;
    uint64_t next = gpci_wheel_next(&t->wheel);
    if (next == GPCI_NEVER)
        return GPC_END;
    if (next > limit) {
        t->wheel.now = limit > t->wheel.now ? limit : t->wheel.now;
        return t->failed;
    }
    foresee(t, gpci_wheel_due(&t->wheel, next));
    gpci_wheel_turn(&t->wheel, next, step, t);
    return failure(t);
}

uint64_t gpci_timed_now(const gpc_hierarchy *h) {
    return h->timed->wheel.now;
}

void gpci_timed_wake(gpc_hierarchy *h, uint32_t sm, uint64_t cycle) {
    gpci_wake(h->timed, h->timed->at_front + sm, cycle);
}

void gpci_timed_attach(gpc_hierarchy *h, const gpci_front *front) {
    h->timed->front = front ? *front : (gpci_front){0};
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
        status = gpci_timed_turn(h, target);
    if (status == GPC_OK)
        t->wheel.now = target;
    return status;
}

static bool memory_idle(const gpci_timed *t) {
    for (uint32_t channel = 0; t->dram && channel < t->channels; channel++)
        if (gpci_dram_count(t->dram, channel))
            return false;
    return true;
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
    while (t->in_flight || t->pool.live || !gpci_play_idle(t) || !memory_idle(t)) {
        gpc_status status = gpci_timed_turn(h, GPCI_NEVER - 1);
        if (status < 0)
            return gpci_fail(error, status, "gpc_hierarchy_drain: %s",
                             t->play && t->play->error.message[0] ? t->play->error.message : failure_of(status));
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

static void put(char **text, size_t *size, const char *format, ...) GPCI_PRINTF(3, 4);
static void put(char **text, size_t *size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(*text, *size, format, arguments);
    va_end(arguments);
    size_t used = n < 0 ? 0 : (size_t)n < *size ? (size_t)n : *size ? *size - 1 : 0;
    *text += used;
    *size -= used;
}

static const char *const reasons[] = {
    "", "the pipeline", "a line", "an MSHR entry", "an MSHR merge", "the miss queue", "the network"};

static void report_stage(const gpci_timed *t, const gpci_stage *stage, const char *name, char **text, size_t *size) {
    uint32_t misses = stage->mshr.used[0] + stage->mshr.used[1];
    const gpci_held *held = stage->held[1].reason ? &stage->held[1] : &stage->held[0];
    if (held->reason)
        put(text, size, "%s %u waits for %s since cycle %" PRIu64 "; ", name, stage->index, reasons[held->reason],
            held->since);
    if (stage->out.count)
        put(text, size, "%s %u has %u packets that %s does not take; ", name, stage->index, stage->out.count,
            stage->level == 1 ? "the network" : "memory");
    if (misses)
        put(text, size, "%s %u waits for %u lines from below; ", name, stage->index, misses);
    (void)t;
}

void gpci_timed_report(const gpc_hierarchy *h, char *text, size_t size) {
    const gpci_timed *t = h->timed;
    put(&text, &size, "cycle %" PRIu64 ", %" PRIu64 " accesses in flight: ", t->wheel.now, t->in_flight);
    if (t->play)
        gpci_play_report(t, &text, &size);
    for (uint32_t i = 0; i < h->slices; i++)
        report_stage(t, &t->l2[i], "L2 slice", &text, &size);
    for (uint32_t i = 0; i < h->sms; i++)
        report_stage(t, &t->l1[i], "L1", &text, &size);
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
    if (status == GPC_OK && !ours.on_memory != !t->callbacks.on_memory &&
        (t->pool.live || !gpci_play_idle(t) || !memory_idle(t)))
        status = GPC_ERROR_STATE;
    if (status < 0)
        return status;
    t->callbacks = ours;
    gpci_timed_hook(t);
    return GPC_OK;
}
