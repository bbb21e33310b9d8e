/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"
#include "coherence/engine/engine_alone.h"
#include "coherence/engine/engine_hold.h"
#include "coherence/engine/engine_host.h"

#include <string.h>

/* Core of the protocol engine: tasks; messages between tasks; steps; pools of items, queues and the calendar. */

/* -- tasks */

/* Take a task from the pool. `parent` GPCI_NO_ITEM: the root task of an access, whose end resumes no parent. */
static gpci_task *take_task(gpci_engine *engine, uint32_t parent, uint32_t inflight, uint32_t from, uint32_t module,
                            uint64_t address, uint32_t *out_task) {
    *out_task = gpci_items_take_any(&engine->tasks);
    gpci_task *task = gpci_task_at(engine, *out_task);
    memset(task, 0, sizeof *task);
    task->parent = parent;
    task->inflight = inflight;
    task->from = (uint16_t)from;
    task->module = (uint16_t)module;
    task->address = address;
    task->block = task->own = GPCI_TREE_NO_BLOCK;
    if (GPCI_UNLIKELY(*out_task < engine->label_capacity))
        engine->labels[*out_task] = 0;
    if (GPCI_UNLIKELY(engine->alone))
        gpci_trail_begin(engine, *out_task, parent);
    gpci_tree_inflight_at(engine, inflight)->tasks++;
    return task;
}

gpci_task *gpci_task_begin(gpci_engine *engine, uint32_t parent, gpci_step resumes, uint32_t from, uint32_t module,
                           uint64_t address, uint32_t *out_task) {
    const uint32_t inflight = gpci_task_at(engine, parent)->inflight;
    gpci_task *task = take_task(engine, parent, inflight, from, module, address, out_task);
    task->resumes = (uint8_t)resumes;
    return task;
}

/*
 * Take an access from the pool. If the pool entry was never used before, zero its elements of the parallel arrays,
 * because snapshots save the elements.
 */
static uint32_t take_inflight(gpci_engine *engine) {
    const uint32_t had = engine->inflights.count, inflight = gpci_items_take_any(&engine->inflights);
    memset(gpci_tree_inflight_at(engine, inflight), 0, sizeof(gpci_tree_inflight));
    if (GPCI_LIKELY(inflight < had))
        return inflight;
    if (engine->payload_bytes)
        memset(gpci_mask_of(engine, inflight), 0, engine->payload_bytes);
    if (engine->policy_request)
        memset(&engine->policy_request[inflight], 0, sizeof *engine->policy_request);
    if (engine->rests)
        memset(&engine->rests[inflight], 0, sizeof *engine->rests);
    return inflight;
}

gpci_task *gpci_internal_begin(gpci_engine *engine, uint32_t inflight, uint64_t tag, uint32_t bytes, uint32_t from,
                               uint32_t module, uint32_t *out_task) {
    const uint32_t number = take_inflight(engine);
    const gpci_tree_inflight *tree_inflight = gpci_tree_inflight_at(engine, inflight);
    gpci_tree_inflight *internal = gpci_tree_inflight_at(engine, number);
    *internal = (gpci_tree_inflight){.master = GPCI_NO_ITEM,
                                     .module = tree_inflight->module,
                                     .size = bytes,
                                     .kind = GPC_COHERENCE_LOAD,
                                     .address = tag,
                                     .token = GPCI_NEIGHBOUR_TOKEN + ++engine->neighbours,
                                     .line = tree_inflight->line,
                                     .asks = tree_inflight->asks};
    if (internal->line != GPCI_NO_ITEM)
        gpci_line_record_at(engine, internal->line)->users++;
    if (engine->rests)
        engine->rests[number] = (gpci_inflight_rest){
            .issued = engine->now, .older = GPCI_NO_ITEM, .newer = GPCI_NO_ITEM, .waiters = GPCI_DUE_QUEUE_INIT};
    gpci_task *task = take_task(engine, GPCI_NO_ITEM, number, from, module, tag, out_task);
    internal->task = *out_task;
    if (engine->policy_request)
        engine->policy_request[number] = engine->policy_request[inflight];
    if (engine->host)
        engine->host->begun(engine->host->self, number, inflight);
    engine->live++;
    return task;
}

void gpci_task_end(gpci_engine *engine, uint32_t task) {
    const gpci_task *work = gpci_task_at(engine, task);
    const uint32_t parent = work->parent;
    const gpci_step step = (gpci_step)work->resumes;
    if (GPCI_UNLIKELY(engine->alone))
        gpci_trail_end(engine, parent, task);
    gpci_task_give(engine, task);
    gpci_then(engine, parent, step);
}

void gpci_task_give(gpci_engine *engine, uint32_t task) {
    const uint32_t inflight = gpci_task_at(engine, task)->inflight;
    gpci_tree_inflight *access = gpci_tree_inflight_at(engine, inflight);
    gpci_items_give(&engine->tasks, task);
    if (engine->host && !--access->tasks && access->ended) {
        if (GPCI_UNLIKELY(engine->rests != NULL))
            engine->rests[inflight] = (gpci_inflight_rest){0}; /* a snapshot saves the rests of free accesses, too */
        gpci_tree_inflight_give(engine, inflight);
    }
}

void gpci_wake_all(gpci_engine *engine, gpci_due_queue *queue, uint64_t cycles) {
    gpci_due due;
    while (gpci_due_queue_leave(&engine->waiters, queue, &due))
        gpci_step_in(engine, due.subject, (gpci_step)due.step, cycles);
}

void gpci_step_after(gpci_engine *engine, uint32_t task, gpci_step step, const gpci_module *module, uint64_t cycles) {
    if (engine->host && cycles)
        cycles = engine->host->after(engine->host->self, module->index, cycles) - engine->now;
    else if (engine->untimed)
        cycles = 0;
    gpci_step_in(engine, task, step, cycles);
}

void gpci_use_data(gpci_engine *engine, uint32_t task, gpci_step step, gpci_module *module, uint32_t bytes,
                   bool write) {
    module->stats.data_accesses++;
    GPCI_AGAIN(module->again.data_accesses++);
    if (!engine->host) {
        if (engine->alone)
            gpci_trail_use(engine, task, module, write);
        if (engine->untimed)
            gpci_then(engine, task, step);
        else
            gpci_step_in(engine, task, step, module->given.latency);
        return;
    }
    const gpci_use use = {.task = task,
                          .module = module->index,
                          .step = step,
                          .address = gpci_task_at(engine, task)->address,
                          .bytes = bytes,
                          .write = write};
    engine->host->use(engine->host->self, &use);
}

/* -- messages between tasks */

gpci_message gpci_request_message(const gpci_engine *engine, uint32_t task, gpc_message_kind kind, gpci_step arrives,
                                  gpci_step again) {
    const gpci_task *put = gpci_task_at(engine, task);
    return (gpci_message){.task = task,
                          .receiver = task,
                          .low = put->down ? put->from : put->module,
                          .from = put->from,
                          .to = put->module,
                          .bytes = engine->tree->control_bytes,
                          .kind = kind,
                          .arrives = arrives,
                          .again = again,
                          .address = put->address};
}

gpci_message gpci_reply_message(const gpci_engine *engine, uint32_t task, gpc_message_kind kind, gpci_step arrives,
                                gpci_step again) {
    gpci_message message = gpci_request_message(engine, task, kind, arrives, again);
    const uint32_t requester = message.from;
    message.from = message.to;
    message.to = requester;
    return message;
}

bool gpci_send(gpci_engine *engine, const gpci_message *message) {
    if (engine->host)
        return gpci_host_send(engine, message);
    if (engine->untimed) {
        (void)gpci_trail_send(engine, message);
        const gpc_coherence *tree = engine->tree;
        gpci_tree_count_bytes(tree, gpci_module_at(tree, message->low), gpci_module_at(tree, message->from),
                              gpci_module_at(tree, message->to), message->kind, message->bytes);
        gpci_calendar_today(&engine->calendar, (gpci_due){message->receiver, message->arrives});
        return true;
    }
    if (engine->hold)
        return gpci_hold_send(engine, message);
    return gpci_star_send(engine, message);
}

bool gpci_send_to_peer(gpci_engine *engine, uint32_t probe, uint32_t request, gpci_step again) {
    const gpci_task *probe_task = gpci_task_at(engine, probe), *request_task = gpci_task_at(engine, request);
    return gpci_send(engine, &(gpci_message){.task = probe,
                                             .receiver = request,
                                             .low = probe_task->from,
                                             .from = probe_task->module,
                                             .to = request_task->from,
                                             .bytes = engine->tree->control_bytes +
                                                      gpci_task_module(engine, probe_task)->given.block_bytes,
                                             .kind = GPC_MESSAGE_DATA,
                                             .arrives = GPCI_STEP_peer_comes,
                                             .again = again,
                                             .address = probe_task->address,
                                             .masked = probe_task->masked});
}

static void go_on(gpci_engine *engine, uint32_t task) {
    gpci_task *request = gpci_task_at(engine, task);
    const bool leaves = !request->left;
    const uint32_t parent = request->parent;
    const gpci_step step = (gpci_step)request->resumes;
    request->left = true;
    if (leaves && engine->alone) {
        gpci_trail_join_peers(engine, task);
        gpci_trail_end(engine, parent, task);
    }
    if (leaves) {
        gpci_block_answered(engine, task);
        gpci_task_at(engine, parent)->shared |= request->shared;
    }
    if (request->done)
        gpci_task_give(engine, task);
    if (leaves)
        gpci_then(engine, parent, step);
}

void gpci_request_done(gpci_engine *engine, uint32_t task) {
    gpci_task *request = gpci_task_at(engine, task);
    request->done = true;
    if (request->mshr) /* the module sends no answer */
        engine->host->release(engine->host->self, task);
    if (!request->coming)
        go_on(engine, task);
}

/*
 * Receive a block from a peer. If the request is `eager`, the peer's block completes the read request, without data
 * from the target; the peer keeps a copy.
 */
void gpci_step_peer_comes(gpci_engine *engine, uint32_t task) {
    gpci_task *request = gpci_task_at(engine, task);
    if (--request->coming || !(request->done || request->eager))
        return;
    request->shared |= request->eager;
    go_on(engine, task);
}

/* -- steps */

static void tell_transitions(gpc_coherence *coherence) {
    const gpc_coherence_callbacks *callbacks = &coherence->callbacks;
    for (uint32_t i = 0; callbacks->on_transition && i < coherence->transition_count; i++)
        callbacks->on_transition(callbacks->user_data, &coherence->transitions[i]);
    coherence->transition_count = 0;
}

/*
 * Set the request that policies see to the request of the step's access. Steps of messages in flight have no access,
 * and do not call policies.
 */
static void show(gpci_engine *engine, gpci_due due) {
    if (!engine->policy_request || (due.step >= GPCI_STEP_message_leaves && due.step != GPCI_STEP_peer_comes))
        return;
    const uint32_t inflight = gpci_task_at(engine, due.subject)->inflight;
    engine->tree->request = &engine->policy_request[inflight];
    engine->tree->line = gpci_line_record_at(engine, gpci_tree_inflight_at(engine, inflight)->line);
}

bool gpci_steps_reserve_step(gpci_engine *engine) {
    return gpci_engine_reserve_step(engine) &&
           (!engine->host || engine->host->reserve_step(engine->host->self) == GPC_OK);
}

gpc_status gpci_step_do(gpci_engine *engine, gpci_due due, gpc_error *error) {
    gpc_coherence *coherence = engine->tree;
    engine->stepping = true;
    show(engine, due);
    gpci_steps[due.step](engine, due.subject);
    coherence->request = NULL;
    coherence->line = &coherence->own_line;
    if (coherence->transition_count)
        tell_transitions(coherence);
    engine->stepping = false;
    return GPCI_LIKELY(coherence->failed == GPC_OK) ? GPC_OK : gpci_tree_engine_failure(coherence, error);
}

gpc_status gpci_steps_until(gpci_engine *engine, uint64_t until, gpc_error *error) {
    gpci_due due;
    gpc_status status = GPC_OK;
    while (status == GPC_OK) {
        const uint64_t next = gpci_calendar_next(&engine->calendar, engine->now);
        if (next > until || next == UINT64_MAX)
            break;
        if (!gpci_steps_reserve_step(engine))
            return gpci_out_of_memory(error);
        gpci_calendar_take(&engine->calendar, &engine->now, &due);
        status = gpci_step_do(engine, due, error);
        if (status == GPC_OK && engine->ended.head != GPCI_NO_ITEM)
            gpci_tell_ends(engine);
    }
    return status;
}

static void keep_payload(const gpci_engine *engine, uint32_t inflight, const gpc_coherence_request *request) {
    gpci_tree_inflight *access = gpci_tree_inflight_at(engine, inflight);
    if (!engine->payload_bytes || request->kind == GPC_COHERENCE_LOAD)
        return;
    if (GPCI_UNLIKELY(request->atomic_count))
        gpci_tree_atomics_begin(request->atomics, request->atomic_count);
    access->gave_bytes = engine->tree->with_data && request->bytes;
    access->gave_mask = request->mask != NULL;
    if (access->gave_bytes)
        memcpy(gpci_payload_of(engine, inflight), request->bytes, request->size);
    if (access->gave_mask)
        memcpy(gpci_mask_of(engine, inflight), request->mask, (request->size + 7) / 8);
}

/*
 * Record of the line access of a new access: the record that the host has set, or else a new record with the decisions
 * that policies have already made.
 */
static uint32_t line_of(gpci_engine *engine, bool sweeps) {
    const gpc_coherence *tree = engine->tree;
    if (engine->alone || !engine->policy_request)
        return GPCI_NO_ITEM;
    if (!sweeps && tree->line != &tree->own_line) {
        tree->line->users++;
        return (uint32_t)(tree->line - (const gpci_line_record *)(const void *)engine->lines.items);
    }
    const uint32_t line = gpci_items_take(&engine->lines);
    if (!sweeps)
        memcpy(gpci_line_record_at(engine, line), tree->line,
               offsetof(gpci_line_record, notified) + tree->line->notified_count * sizeof *tree->line->notified);
    gpci_line_record_at(engine, line)->users = 1;
    return line;
}

/* Begin an access; room has been made. */
uint32_t gpci_inflight_begin(gpci_engine *engine, const gpc_coherence_request *request, const gpc_request *carried,
                             gpci_step step) {
    const uint32_t inflight = take_inflight(engine);
    gpci_tree_inflight *access = gpci_tree_inflight_at(engine, inflight);
    const gpci_module *module = gpci_module_at(engine->tree, request->module);
    const bool sweeps = request->kind == GPC_COHERENCE_ACQUIRE || request->kind == GPC_COHERENCE_RELEASE;
    *access = (gpci_tree_inflight){.master = GPCI_NO_ITEM,
                                   .module = (uint16_t)request->module,
                                   .size = request->size,
                                   .kind = (uint8_t)request->kind,
                                   .flags = request->flags,
                                   .address = request->address,
                                   .token = ++engine->next_token,
                                   .line = line_of(engine, sweeps),
                                   .asks = sweeps ? (gpci_tree_asks){0} : engine->tree->asks,
                                   .deepest = 1};
    if (engine->rests)
        engine->rests[inflight] = (gpci_inflight_rest){.issued = request->cycle,
                                                       .out = request->out,
                                                       .atomics = request->atomics,
                                                       .atomic_count = request->atomic_count,
                                                       .older = GPCI_NO_ITEM,
                                                       .newer = GPCI_NO_ITEM,
                                                       .waiters = GPCI_DUE_QUEUE_INIT};
    if (GPCI_UNLIKELY(engine->tree->first_touch) && request->kind <= GPC_COHERENCE_N_STORE)
        gpci_tree_touch(engine->tree, request->module, request->address);
    const uint64_t tag = gpci_module_tag_of(module, request->address);
    take_task(engine, GPCI_NO_ITEM, inflight, request->module, request->module, tag, &access->task)->state = GPC_LINE_I;
    keep_payload(engine, inflight, request);
    if (engine->policy_request)
        engine->policy_request[inflight] = carried ? *carried : (gpc_request){.address = request->address};
    if (!engine->tree->busy && !engine->alone) /* forget the transitions of an earlier access, which were reported */
        engine->tree->transition_count = 0;
    gpci_step_in(engine, access->task, step, engine->alone ? 0 : request->cycle - engine->now);
    engine->live++;
    engine->tree->busy = true;
    return inflight;
}

/* -- pools, queues and calendar */

void gpci_items_init(gpci_items *pool, size_t item_bytes) {
    *pool = (gpci_items){.item_bytes = item_bytes, .free = GPCI_NO_ITEM};
}

/* Enlarge an array of `*capacity` items, so that `more` items fit behind the first `count`. NULL: out of memory. */
static void *enlarge(gpc_context *context, void *items, size_t *capacity, size_t count, size_t more, size_t bytes) {
    const size_t larger = gpci_array_larger(*capacity, count, more, bytes);
    void *memory = larger ? gpci_array_enlarge(context, items, *capacity * bytes, larger * bytes) : NULL;
    if (memory)
        *capacity = larger;
    return memory;
}

bool gpci_items_reserve(gpc_context *context, gpci_items *pool, uint32_t more) {
    if (GPCI_LIKELY(gpci_items_have(pool, more)))
        return true;
    /* taken items are free items first: room for `more` items at the end is enough */
    char *items = enlarge(context, pool->items, &pool->capacity, pool->count, more, pool->item_bytes);
    pool->items = items ? items : pool->items;
    return items;
}

void gpci_items_free(gpc_context *context, gpci_items *pool) {
    gpci_array_free(context, pool->items, pool->capacity * pool->item_bytes);
}

uint32_t gpci_items_take(gpci_items *pool) {
    const uint32_t item = gpci_items_take_any(pool);
    memset(gpci_items_at(pool, item), 0, pool->item_bytes);
    return item;
}

static bool grow_ring(gpc_context *context, gpci_calendar *calendar, uint32_t more) {
    size_t capacity = calendar->today_capacity ? calendar->today_capacity : 64;
    while (capacity - calendar->today_count < more && capacity <= UINT32_MAX / 2)
        capacity *= 2;
    gpci_due *larger =
        capacity > UINT32_MAX / 2 ? NULL : gpci_array_enlarge(context, NULL, 0, capacity * sizeof *larger);
    if (!larger)
        return false;
    for (uint32_t i = 0; i < calendar->today_count; i++)
        larger[i] = calendar->today[(calendar->today_first + i) & (calendar->today_capacity - 1)];
    gpci_array_free(context, calendar->today, calendar->today_capacity * sizeof *calendar->today);
    calendar->today = larger;
    calendar->today_capacity = capacity;
    calendar->today_first = 0;
    return true;
}

bool gpci_calendar_reserve(gpc_context *context, gpci_calendar *calendar, uint32_t more) {
    if (GPCI_UNLIKELY(calendar->today_capacity - calendar->today_count < more) && !grow_ring(context, calendar, more))
        return false;
    if (GPCI_LIKELY(calendar->later_capacity - calendar->later_count >= more))
        return true;
    gpci_dated *later =
        enlarge(context, calendar->later, &calendar->later_capacity, calendar->later_count, more, sizeof *later);
    calendar->later = later ? later : calendar->later;
    return later;
}

void gpci_calendar_free(gpc_context *context, gpci_calendar *calendar) {
    gpci_array_free(context, calendar->later, calendar->later_capacity * sizeof *calendar->later);
    gpci_array_free(context, calendar->today, calendar->today_capacity * sizeof *calendar->today);
}

static bool before(const gpci_dated *left, const gpci_dated *right) {
    return left->cycle != right->cycle ? left->cycle < right->cycle : left->order < right->order;
}

void gpci_calendar_later(gpci_calendar *calendar, uint64_t cycle, gpci_due due) {
    const gpci_dated dated = {cycle, calendar->order++, due};
    uint32_t at = calendar->later_count++;
    for (; at && before(&dated, &calendar->later[(at - 1) / 2]); at = (at - 1) / 2)
        calendar->later[at] = calendar->later[(at - 1) / 2];
    calendar->later[at] = dated;
}

void gpci_calendar_remove(gpci_calendar *calendar, uint32_t at) {
    if (at == --calendar->later_count)
        return;
    const gpci_dated last = calendar->later[calendar->later_count];
    for (; at && before(&last, &calendar->later[(at - 1) / 2]); at = (at - 1) / 2)
        calendar->later[at] = calendar->later[(at - 1) / 2];
    for (uint32_t child; (child = 2 * at + 1) < calendar->later_count; at = child) {
        if (child + 1 < calendar->later_count && before(&calendar->later[child + 1], &calendar->later[child]))
            child++;
        if (!before(&calendar->later[child], &last))
            break;
        calendar->later[at] = calendar->later[child];
    }
    calendar->later[at] = last;
}

void gpci_calendar_state(gpci_calendar *calendar, gpci_state_fn visit, void *user_data) {
    visit(user_data, &calendar->later_count, sizeof calendar->later_count);
    visit(user_data, &calendar->order, sizeof calendar->order);
    visit(user_data, calendar->later, calendar->later_count * sizeof *calendar->later);
    /* visit from the ring's first item on, because the first item's position in memory depends on how the ring grew */
    uint32_t count = calendar->today_count;
    visit(user_data, &count, sizeof count);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t at = (calendar->today_first + i) & (uint32_t)(calendar->today_capacity - 1);
        visit(user_data, &calendar->today[at], sizeof *calendar->today);
    }
    calendar->today_count = count;
}

static uint32_t waiter_of(gpci_items *waiters, gpci_due due) {
    const uint32_t item = gpci_items_take_any(waiters);
    *(gpci_waiter *)gpci_items_at(waiters, item) = (gpci_waiter){.next = GPCI_NO_ITEM, .due = due};
    return item;
}

void gpci_due_queue_join(gpci_items *waiters, gpci_due_queue *queue, gpci_due due) {
    const uint32_t item = waiter_of(waiters, due);
    if (queue->head == GPCI_NO_ITEM)
        queue->head = item;
    else
        ((gpci_waiter *)gpci_items_at(waiters, queue->tail))->next = item;
    queue->tail = item;
}

void gpci_due_queue_lead(gpci_items *waiters, gpci_due_queue *queue, gpci_due due) {
    const uint32_t item = waiter_of(waiters, due);
    ((gpci_waiter *)gpci_items_at(waiters, item))->next = queue->head;
    if (queue->head == GPCI_NO_ITEM)
        queue->tail = item;
    queue->head = item;
}

bool gpci_due_queue_leave(gpci_items *waiters, gpci_due_queue *queue, gpci_due *due) {
    const uint32_t item = queue->head;
    if (item == GPCI_NO_ITEM)
        return false;
    const gpci_waiter *waiter = gpci_items_at(waiters, item);
    *due = waiter->due;
    queue->head = waiter->next;
    gpci_items_give(waiters, item);
    return true;
}
