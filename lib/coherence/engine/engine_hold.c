/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/engine/engine_hold.h"
#include "coherence/module/tree_engine.h"

/* Public calls of a held tree, and message passing without networks. */

static gpci_sent_message *message_at(const gpci_engine *e, uint32_t sent_message) {
    return gpci_items_at(&e->sent_messages, sent_message);
}

/* -- sending */

static uint32_t kind_of(const gpci_hold *hold, const gpci_message *l) {
    if (hold->classes == 1)
        return GPCI_CHANNEL_REQUEST;
    switch (l->arrives) {
    case GPCI_STEP_read_come:
    case GPCI_STEP_write_come:
    case GPCI_STEP_put_come:
    case GPCI_STEP_clear_come:
    case GPCI_STEP_tell_come:
    case GPCI_STEP_mark_come:
        return l->low == l->from ? GPCI_CHANNEL_FORWARD : GPCI_CHANNEL_REQUEST;
    default:
        return GPCI_CHANNEL_RESPONSE;
    }
}

/* Find or add a channel; room has been made. */
static gpci_held_channel *channel_of(gpci_hold *hold, const gpci_message *l) {
    const uint32_t kind = kind_of(hold, l);
    for (uint32_t i = 0; i < hold->count; i++) {
        gpci_held_channel *c = &hold->channels[i];
        if (c->from == l->from && c->to == l->to && c->kind == kind)
            return c;
    }
    gpci_held_channel *c = &hold->channels[hold->count++];
    *c = (gpci_held_channel){
        .from = l->from, .to = l->to, .kind = kind, .row = GPCI_DUE_QUEUE_INIT, .waiters = GPCI_DUE_QUEUE_INIT};
    return c;
}

bool gpci_hold_send(gpci_engine *e, const gpci_message *l) {
    gpc_coherence *c = e->tree;
    gpci_held_channel *channel = channel_of(e->hold, l);
    if (e->hold->entries && channel->used >= e->hold->entries) {
        gpci_due_queue_join(&e->waiters, &channel->waiters, (gpci_due){l->task, l->again});
        return false;
    }
    const gpci_module *low = gpci_module_at(c, l->low);
    const uint32_t sent_message = gpci_items_take(&e->sent_messages);
    gpci_sent_message *p = message_at(e, sent_message);
    p->task = l->receiver;
    p->step = l->arrives;
    p->network = low->given.high_network;
    p->from = l->from;
    p->to = l->to;
    p->bytes = l->bytes;
    p->kind = l->kind;
    p->address = l->address;
    p->masked = l->masked;
    p->behind = GPCI_NO_ITEM;
    if (channel->row.head == GPCI_NO_ITEM)
        channel->row.head = sent_message;
    else
        message_at(e, channel->row.tail)->behind = sent_message;
    channel->row.tail = sent_message;
    channel->used++;
    gpci_tree_count_bytes(c, low, gpci_module_at(c, l->from), gpci_module_at(c, l->to), l->kind, l->bytes);
    return true;
}

bool gpci_hold_room(gpci_engine *e) {
    gpci_hold *hold = e->hold;
    return !hold || GPCI_ARRAY_ROOM(e->context, hold->channels, hold->room, hold->count, 2);
}

/* -- choosing */

static const gpci_held_channel *channel_at(const gpci_hold *hold, uint32_t index) {
    for (uint32_t i = 0; i < hold->count; i++)
        if (hold->channels[i].used && !index--)
            return &hold->channels[i];
    return NULL;
}

static uint32_t channels_used(const gpci_hold *hold) {
    uint32_t used = 0;
    for (uint32_t i = 0; i < hold->count; i++)
        used += hold->channels[i].used != 0;
    return used;
}

uint32_t gpci_hold_choices(const gpci_engine *e) {
    return channels_used(e->hold) + e->calendar.later_count;
}

/* True if a message can be chosen. In bounded queues a probe whose block is locked waits in the queue. */
static bool is_ready(const gpci_engine *e, const gpci_sent_message *p) {
    const bool looks =
        p->step == GPCI_STEP_read_come || p->step == GPCI_STEP_write_come || p->step == GPCI_STEP_put_come;
    if (!e->hold->entries || !looks)
        return true;
    const gpci_task *task = gpci_task_at(e, p->task);
    if (gpci_tree_has(e->tree, GPC_PROTOCOL_DIRECTORY) && !task->down && (!e->waits || task->forwarded))
        return true; /* the request will be refused */
    const gpci_module *m = gpci_module_at(e->tree, p->to);
    return !gpci_find_locked(e, p->to, p->address, task) &&
           !gpci_address_is_blocked(e, m, gpci_module_tag_of(m, p->address), p->task);
}

/* Index of the index-th scheduled item, in order of scheduling. */
static uint32_t later_at(const gpci_calendar *calendar, uint32_t index) {
    for (uint32_t i = 0; i < calendar->later_count; i++) {
        uint32_t before = 0;
        for (uint32_t k = 0; k < calendar->later_count; k++)
            before += calendar->later[k].order < calendar->later[i].order;
        if (before == index)
            return i;
    }
    return 0;
}

bool gpci_hold_choice(const gpci_engine *e, uint32_t index, gpc_coherence_choice *out) {
    const uint32_t messages = channels_used(e->hold);
    gpc_coherence_choice choice = GPC_COHERENCE_CHOICE_INIT;
    if (index >= messages + e->calendar.later_count)
        return false;
    if (index < messages) {
        const gpci_sent_message *p = message_at(e, channel_at(e->hold, index)->row.head);
        choice.kind = GPC_CHOICE_MESSAGE;
        choice.message = p->kind;
        choice.from = p->from;
        choice.to = p->to;
        choice.address = p->address;
        choice.ready = is_ready(e, p);
    } else {
        const gpci_due due = e->calendar.later[later_at(&e->calendar, index - messages)].due;
        const gpci_task *t = gpci_task_at(e, due.subject);
        const bool again = due.step == GPCI_STEP_access_order || due.step == GPCI_STEP_sweep_block;
        choice.kind = again ? GPC_CHOICE_RETRY : GPC_CHOICE_STEP;
        choice.from = choice.to = t->module;
        choice.address = t->address;
        choice.ready = 1;
    }
    *out = choice;
    return true;
}

static void deliver(gpci_engine *e, gpci_held_channel *channel) {
    const uint32_t sent_message = channel->row.head;
    const gpci_sent_message *p = message_at(e, sent_message);
    const uint32_t task = p->task;
    const gpci_step step = (gpci_step)p->step;
    gpci_report_message(e, p);
    channel->row.head = p->behind;
    channel->used--;
    gpci_items_give(&e->sent_messages, sent_message);
    gpci_step_in(e, task, step, 0);
    gpci_wake(e, &channel->waiters, 0);
}

void gpci_hold_take(gpci_engine *e, uint32_t index) {
    const uint32_t messages = channels_used(e->hold);
    if (index < messages) {
        const gpci_held_channel *channel = channel_at(e->hold, index);
        deliver(e, &e->hold->channels[channel - e->hold->channels]);
        return;
    }
    const uint32_t at = later_at(&e->calendar, index - messages);
    gpci_calendar_today(&e->calendar, e->calendar.later[at].due);
    gpci_calendar_remove(&e->calendar, at);
}

/* -- calls */

gpc_status gpci_hold_begin(gpci_engine *e, uint32_t entries, uint32_t classes) {
    gpci_hold *hold = gpci_zalloc(e->context, 1, sizeof *hold);
    if (!hold)
        return GPC_ERROR_MEMORY;
    hold->entries = entries;
    hold->classes = classes;
    e->hold = hold;
    e->grows = true;
    return GPC_OK;
}

void gpci_hold_end(gpci_engine *e) {
    if (e->hold)
        gpci_free(e->context, e->hold->channels);
    gpci_free(e->context, e->hold);
}

gpc_status gpc_coherence_hold(gpc_coherence *c, uint32_t entries, uint32_t channels, gpc_error *error) {
    if (!c || (channels != 1 && channels != 3))
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_coherence_hold: %s",
                         c ? "channels: neither 1 nor 3" : "coherence is NULL");
    gpc_status status = gpci_tree_engine_check_idle(c, "gpc_coherence_hold", error);
    if (status == GPC_OK && c->engine)
        status = gpci_fail(error, GPC_ERROR_STATE, "gpc_coherence_hold: accesses have been issued");
    if (status == GPC_OK)
        status = gpci_engine_create(c, false, error, &c->engine);
    if (status != GPC_OK)
        return status;
    if (gpci_hold_begin(c->engine, entries, channels) == GPC_OK)
        return GPC_OK;
    gpci_engine_destroy(c->engine);
    c->engine = NULL;
    return gpci_out_of_memory(error);
}

static bool is_held(const gpc_coherence *c) {
    return c && c->engine && c->engine->hold;
}

gpc_status gpc_coherence_get_choice(const gpc_coherence *c, uint32_t index, gpc_coherence_choice *out) {
    gpc_coherence_choice choice;
    if (!is_held(c) || !out)
        return GPC_ERROR_ARGUMENT;
    if (c->failed != GPC_OK || !gpci_hold_choice(c->engine, index, &choice))
        return GPC_ERROR_RANGE;
    return gpci_give(out, &choice, sizeof choice);
}

gpc_status gpc_coherence_choose(gpc_coherence *c, uint32_t index, gpc_error *error) {
    gpc_coherence_choice choice;
    if (!is_held(c))
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_coherence_choose: coherence is %s", c ? "not held" : "NULL");
    gpci_engine *e = c->engine;
    if (e->telling)
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_coherence_choose: called from a callback");
    gpc_status status = gpc_coherence_advance(c, 0, error); /* run issued accesses first */
    if (status != GPC_OK)
        return status;
    if (!gpci_hold_choice(e, index, &choice))
        return gpci_fail(error, GPC_ERROR_RANGE, "gpc_coherence_choose: choice %u of %u", index, gpci_hold_choices(e));
    if (!choice.ready)
        return gpci_fail(error, GPC_ERROR_RANGE, "gpc_coherence_choose: choice %u waits for a block that is locked",
                         index);
    if (!gpci_engine_room(e))
        return gpci_out_of_memory(error);
    gpci_hold_take(e, index);
    return gpc_coherence_advance(c, 0, error);
}
