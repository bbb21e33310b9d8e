/* SPDX-License-Identifier: BSD-2-Clause */
#define GPC_EXPERIMENTAL
#include <gpucache/experimental/experimental.h>

#include "host.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Cycles after which a program without an end has failed, even if packets move. */
enum { MOST_CYCLES = 4000000 };

static uint64_t now_of(const host *at) {
    return gpc_hierarchy_now(at->h);
}

/* Memory. */

static void note_due(host *at, uint64_t cycle) {
    at->due = cycle < at->due ? cycle : at->due;
}

bool host_on_memory(void *user_data, const gpc_memory_request *request) {
    host *at = user_data;
    const manners *m = &at->c->manners;
    dice d = {at->c->seed + ++at->calls};
    const uint64_t now = now_of(at);
    const bool full = !request->write && at->reply_count == MOST_REPLIES;
    if (full || dice_below(&d, 100) < m->refuses) {
        if (request->channel < MOST_CHANNELS && !at->ready[request->channel])
            note_due(at, at->ready[request->channel] = now + m->patience);
        return false;
    }
    if (!request->write && !(at->fault == FAULT_REPLY && at->calls == 5)) {
        at->replies[at->reply_count++] = (reply){request->id, now + m->latency + dice_below(&d, 8)};
        note_due(at, at->replies[at->reply_count - 1].due);
    }
    return true;
}

static void find_due(host *at) {
    at->due = UINT64_MAX;
    for (unsigned i = 0; i < at->reply_count; i++)
        note_due(at, at->replies[i].due);
    for (uint32_t channel = 0; channel < MOST_CHANNELS; channel++)
        if (at->ready[channel])
            note_due(at, at->ready[channel]);
}

static void give_memory(host *at, uint64_t now) {
    for (unsigned i = 0; i < at->reply_count;)
        if (at->replies[i].due <= now) {
            const uint64_t id = at->replies[i].id;
            memmove(&at->replies[i], &at->replies[i + 1], (at->reply_count - i - 1) * sizeof *at->replies);
            at->reply_count--;
            gpc_status status;
            HOST_CALL(at, status, gpc_hierarchy_memory_reply(at->h, id, NULL));
            if (status != GPC_OK)
                fail(at->f, "reply", "gpc_hierarchy_memory_reply does not know request %" PRIu64, id);
        } else {
            i++;
        }
    for (uint32_t channel = 0; channel < MOST_CHANNELS; channel++)
        if (at->ready[channel] && at->ready[channel] <= now) {
            at->ready[channel] = 0;
            if (gpc_hierarchy_memory_ready(at->h, channel, NULL) != GPC_OK)
                fail(at->f, "ready", "gpc_hierarchy_memory_ready does not know channel %" PRIu32, channel);
        }
    find_due(at);
}

/* Credits. */

void host_limit_credits(host *at) {
    at->due = at->grant = UINT64_MAX;
    if (!at->c->manners.credits)
        return;
    at->grant = at->c->manners.period;
    for (uint32_t sm = 0; sm < at->shape.sms; sm++)
        gpc_hierarchy_set_reply_credits(at->h, sm, at->c->manners.credits, NULL);
}

void host_free_credits(host *at) {
    at->grant = UINT64_MAX;
    for (uint32_t sm = 0; sm < at->shape.sms; sm++)
        gpc_hierarchy_set_reply_credits(at->h, sm, GPC_UNLIMITED_CREDITS, NULL);
}

void host_give(host *at) {
    const uint64_t now = now_of(at);
    if (at->due <= now)
        give_memory(at, now);
    if (at->grant > now)
        return;
    at->grant = now + at->c->manners.period;
    for (uint32_t sm = 0; sm < at->shape.sms; sm++)
        gpc_hierarchy_add_reply_credits(at->h, sm, at->c->manners.credits, NULL);
}

uint64_t host_due(const host *at) {
    return at->due < at->grant ? at->due : at->grant;
}

/* Memory of the host's machine. */

/* Lets an allocation of the next call fail: one, or all from one on. */
void host_starve(host *at) {
    if (at->how == WAY_STARVED)
        starve(dice_below(&at->hunger, dice_one_in(&at->hunger, 2) ? 2 : 12), dice_one_in(&at->hunger, 2));
}

bool host_feed(host *at, gpc_status status, const char *call) {
    starve(UINT64_MAX, false);
    if (status != GPC_ERROR_MEMORY)
        return false;
    if (at->how != WAY_STARVED)
        fail(at->f, "memory", "%.200s: no memory", call);
    at->r->hungers++;
    return at->fault != FAULT_HUNGER || at->r->hungers != 2;
}

/* Time. */

gpc_status host_advance(host *at, uint64_t cycles, gpc_error *error) {
    const uint64_t to = now_of(at) + cycles;
    gpc_status status;
    if (at->fed)
        return gpc_hierarchy_advance(at->h, cycles, error);
    HOST_CALL(at, status, gpc_hierarchy_advance(at->h, to - now_of(at), error));
    return status;
}

static bool under_way(const host *at) {
    return gpc_hierarchy_in_flight(at->h) || !gpc_hierarchy_is_idle(at->h);
}

static void fail_hang(host *at, uint64_t now) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_hierarchy_advance(at->h, 1, &error);
    fail(at->f, "hang", "cycle %" PRIu64 ": %" PRIu64 " in flight, %sidle, and no next event: %.700s", now,
         gpc_hierarchy_in_flight(at->h), gpc_hierarchy_is_idle(at->h) ? "" : "not ", error.message);
}

bool host_go_on(host *at, uint64_t limit) {
    const uint64_t now = now_of(at), event = gpc_hierarchy_next_event(at->h), due = host_due(at);
    gpc_error error = GPC_ERROR_INIT;
    uint64_t to = event < due ? event : due;
    if (event <= now)
        fail(at->f, "past", "cycle %" PRIu64 ": the next event is at %" PRIu64, now, event);
    if (to == UINT64_MAX && under_way(at))
        fail_hang(at, now);
    to = to < limit ? to : limit;
    if (at->f->failed || to == UINT64_MAX)
        return false;
    if (at->how == WAY_STEPS || to <= now)
        to = now + 1;
    gpc_status status = host_advance(at, to - now, &error);
    if (status != GPC_OK) {
        fail(at->f, status == GPC_ERROR_STATE ? "hang" : "advance", "cycle %" PRIu64 ": advance returns %s: %.700s",
             now_of(at), gpc_status_string(status), error.message);
    } else if (now_of(at) != to) {
        fail(at->f, "clock", "cycle %" PRIu64 " after an advance to %" PRIu64, now_of(at), to);
    }
    host_give(at);
    if (at->how == WAY_RENEWED && !at->f->failed)
        host_renew(at);
    if (to > MOST_CYCLES)
        fail(at->f, "endless", "no end after %d cycles", MOST_CYCLES);
    return !at->f->failed;
}

void host_wait(host *at) {
    while (!at->f->failed && under_way(at))
        host_go_on(at, UINT64_MAX);
}
