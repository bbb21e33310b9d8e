/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/engine/engine_hold.h"

/* Held trees: public calls, and messages that go through channels, without networks. */

static gpci_sent_message *message_at(const gpci_engine *engine, uint32_t sent_message) {
    return gpci_items_at(&engine->sent_messages, sent_message);
}

/* -- sending */

static uint32_t kind_of(const gpci_hold *hold, const gpci_message *message) {
    if (hold->classes == 1)
        return GPCI_CHANNEL_REQUEST;
    switch (message->arrives) {
    case GPCI_STEP_read_come:
    case GPCI_STEP_write_come:
    case GPCI_STEP_put_come:
    case GPCI_STEP_clear_come:
    case GPCI_STEP_tell_come:
    case GPCI_STEP_mark_come:
        return message->low == message->from ? GPCI_CHANNEL_FORWARD : GPCI_CHANNEL_REQUEST;
    default:
        return GPCI_CHANNEL_RESPONSE;
    }
}

/* Find or add a channel; room has been made. */
static gpci_held_channel *channel_of(gpci_hold *hold, const gpci_message *message) {
    const uint32_t kind = kind_of(hold, message);
    for (uint32_t i = 0; i < hold->count; i++) {
        gpci_held_channel *held = &hold->channels[i];
        if (held->from == message->from && held->to == message->to && held->kind == kind)
            return held;
    }
    gpci_held_channel *held_channel = &hold->channels[hold->count++];
    *held_channel = (gpci_held_channel){.from = message->from,
                                        .to = message->to,
                                        .kind = kind,
                                        .row = GPCI_DUE_QUEUE_INIT,
                                        .waiters = GPCI_DUE_QUEUE_INIT};
    return held_channel;
}

bool gpci_hold_send(gpci_engine *engine, const gpci_message *message) {
    gpc_coherence *coherence = engine->tree;
    gpci_held_channel *channel = channel_of(engine->hold, message);
    if (engine->hold->entries && channel->used >= engine->hold->entries) {
        gpci_due_queue_join(&engine->waiters, &channel->waiters, (gpci_due){message->task, message->again});
        return false;
    }
    const gpci_module *low = gpci_module_at(coherence, message->low);
    const uint32_t sent_message = gpci_items_take(&engine->sent_messages);
    gpci_sent_message *sent = message_at(engine, sent_message);
    sent->task = message->receiver;
    sent->step = message->arrives;
    sent->network = low->given.high_network;
    sent->from = message->from;
    sent->to = message->to;
    sent->bytes = message->bytes;
    sent->kind = message->kind;
    sent->address = message->address;
    sent->masked = message->masked;
    sent->behind = GPCI_NO_ITEM;
    if (channel->row.head == GPCI_NO_ITEM)
        channel->row.head = sent_message;
    else
        message_at(engine, channel->row.tail)->behind = sent_message;
    channel->row.tail = sent_message;
    channel->used++;
    gpci_tree_count_bytes(coherence, low, gpci_module_at(coherence, message->from),
                          gpci_module_at(coherence, message->to), message->kind, message->bytes);
    return true;
}

bool gpci_hold_reserve(gpci_engine *engine) {
    gpci_hold *hold = engine->hold;
    return !hold || GPCI_ARRAY_RESERVE(engine->context, hold->channels, hold->capacity, hold->count, 2);
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

uint32_t gpci_hold_choices(const gpci_engine *engine) {
    return channels_used(engine->hold) + engine->calendar.later_count;
}

/*
 * True if a message can be chosen. If channels are bounded, a message whose lookup would find its block locked waits in
 * the channel.
 */
static bool is_ready(const gpci_engine *engine, const gpci_sent_message *sent) {
    const bool looks =
        sent->step == GPCI_STEP_read_come || sent->step == GPCI_STEP_write_come || sent->step == GPCI_STEP_put_come;
    if (!engine->hold->entries || !looks)
        return true;
    const gpci_task *task = gpci_task_at(engine, sent->task);
    if (gpci_tree_has(engine->tree, GPC_PROTOCOL_DIRECTORY) && (task->forwarded || (!task->down && !engine->waits)))
        return true; /* the lookup will be refused, and does not wait */
    const gpci_module *module = gpci_module_at(engine->tree, sent->to);
    return !gpci_find_locked(engine, sent->to, sent->address, task) &&
           !gpci_address_is_blocked(engine, module, gpci_module_tag_of(module, sent->address), sent->task);
}

/* Place in the heap of scheduled event number `index`, in the order of scheduling. */
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

bool gpci_hold_choice(const gpci_engine *engine, uint32_t index, gpc_coherence_choice *out) {
    const uint32_t messages = channels_used(engine->hold);
    gpc_coherence_choice choice = GPC_COHERENCE_CHOICE_INIT;
    if (index >= messages + engine->calendar.later_count)
        return false;
    if (index < messages) {
        const gpci_sent_message *sent = message_at(engine, channel_at(engine->hold, index)->row.head);
        choice.kind = GPC_CHOICE_MESSAGE;
        choice.message = sent->kind;
        choice.from = sent->from;
        choice.to = sent->to;
        choice.address = sent->address;
        choice.ready = is_ready(engine, sent);
    } else {
        const gpci_due due = engine->calendar.later[later_at(&engine->calendar, index - messages)].due;
        const gpci_task *work = gpci_task_at(engine, due.subject);
        const bool again = due.step == GPCI_STEP_access_order || due.step == GPCI_STEP_sweep_block;
        choice.kind = again ? GPC_CHOICE_RETRY : GPC_CHOICE_STEP;
        choice.from = choice.to = work->module;
        choice.address = work->address;
        choice.ready = 1;
    }
    *out = choice;
    return true;
}

static void deliver(gpci_engine *engine, gpci_held_channel *channel) {
    const uint32_t sent_message = channel->row.head;
    const gpci_sent_message *sent = message_at(engine, sent_message);
    const uint32_t task = sent->task;
    const gpci_step step = (gpci_step)sent->step;
    gpci_report_message(engine, sent);
    channel->row.head = sent->behind;
    channel->used--;
    gpci_items_give(&engine->sent_messages, sent_message);
    gpci_step_in(engine, task, step, 0);
    gpci_wake(engine, &channel->waiters, 0);
}

void gpci_hold_take(gpci_engine *engine, uint32_t index) {
    const uint32_t messages = channels_used(engine->hold);
    if (index < messages) {
        const gpci_held_channel *channel = channel_at(engine->hold, index);
        deliver(engine, &engine->hold->channels[channel - engine->hold->channels]);
        return;
    }
    const uint32_t at = later_at(&engine->calendar, index - messages);
    gpci_calendar_today(&engine->calendar, engine->calendar.later[at].due);
    gpci_calendar_remove(&engine->calendar, at);
}

/* -- calls */

gpc_status gpci_hold_begin(gpci_engine *engine, uint32_t entries, uint32_t classes) {
    gpci_hold *hold = gpci_zalloc(engine->context, 1, sizeof *hold);
    if (!hold)
        return GPC_ERROR_MEMORY;
    hold->entries = entries;
    hold->classes = classes;
    engine->hold = hold;
    return GPC_OK;
}

void gpci_hold_end(gpci_engine *engine) {
    if (engine->hold)
        gpci_free(engine->context, engine->hold->channels);
    gpci_free(engine->context, engine->hold);
}

gpc_status gpc_coherence_hold(gpc_coherence *coherence, uint32_t entries, uint32_t channels, gpc_error *error) {
    if (!coherence || (channels != 1 && channels != 3))
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_coherence_hold: %s",
                         coherence ? "channels: neither 1 nor 3" : "coherence is NULL");
    gpc_status status = gpci_tree_engine_check_idle(coherence, "gpc_coherence_hold", error);
    if (status == GPC_OK && coherence->engine)
        status = gpci_fail(error, GPC_ERROR_STATE, "gpc_coherence_hold: accesses have been issued");
    if (status == GPC_OK)
        status = gpci_engine_create(coherence, false, error, &coherence->engine);
    if (status != GPC_OK)
        return status;
    if (gpci_hold_begin(coherence->engine, entries, channels) == GPC_OK)
        return GPC_OK;
    gpci_engine_destroy(coherence->engine);
    coherence->engine = NULL;
    return gpci_out_of_memory(error);
}

static bool is_held(const gpc_coherence *coherence) {
    return coherence && coherence->engine && coherence->engine->hold;
}

static gpc_status refuse_unheld(const gpc_coherence *coherence, const char *call, gpc_error *error) {
    return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: coherence is %s", call, coherence ? "not held" : "NULL");
}

gpc_status gpc_coherence_get_choice(const gpc_coherence *coherence, uint32_t index, gpc_coherence_choice *out,
                                    gpc_error *error) {
    gpc_coherence_choice choice;
    if (!is_held(coherence))
        return refuse_unheld(coherence, "gpc_coherence_get_choice", error);
    if (!out)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_coherence_get_choice: choice is NULL");
    if (coherence->failed != GPC_OK || !gpci_hold_choice(coherence->engine, index, &choice))
        return gpci_fail(error, GPC_ERROR_RANGE, "gpc_coherence_get_choice: choice %u of %u", index,
                         coherence->failed == GPC_OK ? gpci_hold_choices(coherence->engine) : 0);
    return gpci_give(out, &choice, sizeof choice, "gpc_coherence_choice", error);
}

gpc_status gpc_coherence_choose(gpc_coherence *coherence, uint32_t index, gpc_error *error) {
    gpc_coherence_choice choice;
    if (!is_held(coherence))
        return refuse_unheld(coherence, "gpc_coherence_choose", error);
    gpci_engine *engine = coherence->engine;
    if (engine->telling)
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_coherence_choose: called from a callback");
    gpc_status status = gpc_coherence_advance(coherence, 0, error); /* run issued accesses first */
    if (status != GPC_OK)
        return status;
    if (!gpci_hold_choice(engine, index, &choice))
        return gpci_fail(error, GPC_ERROR_RANGE, "gpc_coherence_choose: choice %u of %u", index,
                         gpci_hold_choices(engine));
    if (!choice.ready)
        return gpci_fail(error, GPC_ERROR_RANGE, "gpc_coherence_choose: choice %u waits for a block that is locked",
                         index);
    if (!gpci_engine_reserve_step(engine))
        return gpci_out_of_memory(error);
    gpci_hold_take(engine, index);
    return gpc_coherence_advance(coherence, 0, error);
}
