/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/engine/engine_host.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

/* Interface for a host that drives the engine. */

gpc_status gpci_engine_create_for(gpc_coherence *coherence, const gpci_engine_host *host, bool waits, bool orders,
                                  gpc_error *error) {
    const gpc_status status = gpci_engine_create(coherence, false, error, &coherence->engine);
    if (status != GPC_OK)
        return status;
    coherence->engine->host = host;
    coherence->engine->direct = true;
    coherence->engine->orders = coherence->engine->lists = orders;
    coherence->engine->waits = coherence->engine->passes = waits;
    /* halves of a cache probe each other to make room, even if a block is locked */
    for (uint32_t i = 0; i < coherence->module_count; i++)
        coherence->engine->passes |= coherence->modules[i].twin != NULL;
    const bool ready = gpci_tree_make_lists(coherence) == GPC_OK && gpci_engine_grow(coherence->engine) &&
                       (orders || gpci_engine_make_lines(coherence->engine, GPCI_INSTRUCTION_LINES));
    return ready ? GPC_OK : gpci_out_of_memory(error);
}

gpc_status gpci_engine_inherit(gpc_coherence *coherence, const gpc_coherence *from, gpc_error *error) {
    const gpci_engine *was = from->engine;
    if (!was || !was->host)
        return GPC_OK;
    const gpc_status status = gpci_engine_create_for(coherence, was->host, was->waits, was->orders, error);
    if (status == GPC_OK) {
        memcpy(coherence->engine->random, was->random, sizeof was->random);
        coherence->engine->drawn = was->drawn;
    }
    return status;
}

uint32_t gpci_engine_access(gpci_engine *engine, const gpc_coherence_request *request, const gpc_request *carried) {
    return gpci_inflight_begin(engine, request, carried,
                               engine->orders ? GPCI_STEP_access_begin : GPCI_STEP_access_order);
}

gpci_sight gpci_engine_look(const gpci_engine *engine, const gpc_coherence_request *request) {
    const gpci_module *module = gpci_module_at(engine->tree, request->module);
    const uint32_t block = gpci_module_find(module, gpci_module_tag_of(module, request->address));
    if (block == GPCI_TREE_NO_BLOCK || gpci_module_is_fill(module, block)) /* a block in a fill way is about to leave */
        return GPCI_SIGHT_MISS;
    /* gpc_coherence_kind numbers LOAD, STORE and N_STORE like gpc_coherence_event */
    const uint32_t actions = module->rules[module->states[block]][request->kind].actions;
    if (gpci_tree_evicts(request->flags))
        return GPCI_SIGHT_TOLD;
    if (actions & (GPC_DO_READ_REQUEST | GPC_DO_WRITE_REQUEST))
        return GPCI_SIGHT_MISS;
    const bool through = gpci_tree_goes_through(module, request->kind, request->flags);
    return actions != GPC_DO_HIT || request->flags & ~(uint32_t)GPC_ACCESS_RETURNS || through ||
                   gpci_is_locked(engine, module->index, block)
               ? GPCI_SIGHT_TOLD
               : GPCI_SIGHT_HIT;
}

bool gpci_engine_bring(const gpci_engine *engine, const gpc_coherence_request *request) {
    const gpci_module *module = gpci_module_at(engine->tree, request->module);
    if (GPCI_LIKELY(!module->fetch_mask))
        return false;
    const uint64_t tag = gpci_module_tag_of(module, request->address);
    const uint32_t row = gpci_module_row(module, tag), block = gpci_find_coming(engine, module, tag, row);
    return block != GPCI_TREE_NO_BLOCK && gpci_module_find_in(module, tag, row) == GPCI_TREE_NO_BLOCK &&
           gpci_lock_of(engine, module->index, block)->token & GPCI_LOCK_NEIGHBOUR;
}

bool gpci_engine_all_locked(const gpci_engine *engine, uint32_t module, uint64_t address) {
    const gpci_module *m = gpci_module_at(engine->tree, module);
    const uint32_t first = gpci_module_row(m, gpci_module_tag_of(m, address)) * m->all_ways;
    for (uint32_t way = 0; way < m->given.ways; way++)
        if (!gpci_is_locked(engine, module, first + way))
            return false;
    return true;
}

gpc_status gpci_engine_hit(gpci_engine *engine, const gpc_coherence_request *request, const gpc_request *carried,
                           gpc_error *error) {
    gpc_coherence *coherence = engine->tree;
    const bool busy = coherence->busy;
    coherence->busy = coherence->failed != GPC_OK; /* a hit may be performed while accesses are in flight */
    const gpc_status status = gpci_coherence_access(coherence, request, carried, error, NULL);
    coherence->busy |= busy;
    return status;
}

/* Schedule the step of the first sender in a queue, which tries to send again. */
static void sender_wake(gpci_engine *engine, const gpci_due_queue *queue, uint64_t cycles) {
    if (queue->head == GPCI_NO_ITEM)
        return;
    const gpci_due due = ((const gpci_waiter *)gpci_items_at(&engine->waiters, queue->head))->due;
    gpci_step_in(engine, due.subject, (gpci_step)due.step, cycles);
}

/*
 * Send a message of a module for whose queue senders wait. Senders wait in order of arrival, and a new sender goes
 * behind all waiters. The first waiter stays first until its message is sent, even after being woken. False: not sent.
 */
static GPCI_NOINLINE bool send_in_order(gpci_engine *engine, gpci_engine_unit *unit, bool up,
                                        const gpci_message *message) {
    gpci_due_queue *queue = &unit->senders[up];
    gpci_due first = ((const gpci_waiter *)gpci_items_at(&engine->waiters, queue->head))->due;
    const bool behind = first.subject != message->task || first.step != message->again;
    if (!engine->host->takes(engine->host->self, message, behind)) {
        if (behind)
            gpci_due_queue_join(&engine->waiters, queue, (gpci_due){message->task, message->again});
        else
            unit->freed[up] = 0; /* another message has taken the place */
        return false;
    }
    if (behind)
        return true; /* the queue is unbounded, or the message joins a packet in the queue */
    gpci_due_queue_leave(&engine->waiters, queue, &first);
    unit->freed[up] -= unit->freed[up] != 0;
    if (queue->head == GPCI_NO_ITEM)
        unit->freed[up] = 0;
    /*
     * If L1s have sectors, a message of or to an L1 may have joined a packet of its line and taken no place: then the
     * next sender tries, too.
     */
    else if (unit->freed[up] || gpci_module_at(engine->tree, 0)->sector_mask)
        sender_wake(engine, queue, 0);
    return true;
}

/*
 * True if the sender's queue has room. If not, the sender waits for the queue. Both halves of a cache share a queue,
 * and wait in turn.
 */
static bool has_place(gpci_engine *engine, const gpci_message *message) {
    gpci_engine_unit *unit = &engine->units[gpci_module_at(engine->tree, message->from)->store->index];
    const bool up = message->from == message->low;
    if (GPCI_UNLIKELY(unit->senders[up].head != GPCI_NO_ITEM))
        return send_in_order(engine, unit, up, message);
    if (engine->host->takes(engine->host->self, message, false))
        return true;
    gpci_due_queue_join(&engine->waiters, &unit->senders[up], (gpci_due){message->task, message->again});
    return false;
}

bool gpci_host_send(gpci_engine *engine, const gpci_message *message) {
    gpc_coherence *coherence = engine->tree;
    if (!has_place(engine, message))
        return false;
    const gpci_module *low = gpci_module_at(coherence, message->low);
    gpci_module *from = gpci_module_at(coherence, message->from), *receiver = gpci_module_at(coherence, message->to);
    gpci_tree_count_bytes(coherence, low, from, receiver, message->kind, message->bytes);
    gpci_tree_uncount_bytes(low, from, receiver, engine->host->send(engine->host->self, message));
    return true;
}

void gpci_engine_put(gpci_engine *engine, uint32_t task, gpci_step step, uint64_t cycle) {
    gpci_step_in(engine, task, step, cycle - engine->now);
}

void gpci_engine_sent(gpci_engine *engine, uint32_t module, bool up) {
    gpci_engine_unit *unit = &engine->units[module];
    if (!unit->freed[up]++)
        sender_wake(engine, &unit->senders[up], 1);
}

bool gpci_engine_idle(const gpci_engine *engine) {
    return !engine->inflights.used && !engine->tasks.used;
}

static gpc_status settle(gpci_engine *engine, gpc_status status) {
    engine->tree->busy = engine->tree->failed != GPC_OK || !gpci_engine_idle(engine);
    return status;
}

gpc_status gpci_engine_run(gpci_engine *engine, uint64_t cycle, gpc_error *error) {
    return settle(engine, gpci_steps_until(engine, cycle, error));
}

gpc_status gpci_engine_do(gpci_engine *engine, uint32_t task, gpci_step step, gpc_error *error) {
    if (gpci_calendar_next(&engine->calendar, engine->now) <= engine->now) { /* steps due earlier run first */
        gpci_step_in(engine, task, step, 0);
        return gpci_engine_run(engine, engine->now, error);
    }
    if (!gpci_steps_reserve_step(engine)) {
        gpci_step_in(engine, task, step, 0);
        return gpci_out_of_memory(error);
    }
    gpc_status status = gpci_step_do(engine, (gpci_due){task, step}, error);
    if (status == GPC_OK && engine->calendar.today_count)
        status = gpci_steps_until(engine, engine->now, error);
    return settle(engine, status);
}

uint64_t gpci_engine_next(const gpci_engine *engine) {
    return gpci_calendar_next(&engine->calendar, engine->now);
}

/* Count the locked blocks of a module, by its buckets of locks. */
static void count_held(const gpci_engine *engine, gpci_engine_unit *unit) {
    unit->held = 0;
    for (uint32_t bucket = 0; bucket <= unit->lock_mask; bucket++)
        for (uint32_t item = unit->locks[bucket]; item;
             item = ((const gpci_lock *)gpci_items_at(&engine->locks, item))->next)
            unit->held++;
}

void gpci_engine_resume(gpci_engine *engine, uint64_t cycle) {
    engine->now = cycle;
    for (uint32_t i = 0; i < engine->tree->module_count; i++)
        if (!engine->tree->modules[i].near)
            count_held(engine, &engine->units[i]);
    (void)settle(engine, GPC_OK);
}

bool gpci_step_looks(gpci_step step) {
    return step == GPCI_STEP_read_come || step == GPCI_STEP_write_come || step == GPCI_STEP_put_come ||
           step == GPCI_STEP_clear_come || step == GPCI_STEP_tell_come;
}

void gpci_engine_state(gpci_engine *engine, gpci_state_fn visit, void *user_data) {
    GPCI_ENSURE(engine->ended.head == GPCI_NO_ITEM, "the engine has ended accesses to tell between two cycles");
    gpci_items *const pools[GPCI_POOL_COUNT] = GPCI_POOLS_OF(engine);
    GPCI_STATE_FROM(visit, user_data, gpci_engine, engine, neighbours);
    for (size_t i = 0; i < GPCI_POOL_COUNT; i++) {
        GPCI_STATE_FROM(visit, user_data, gpci_items, pools[i], count);
        visit(user_data, pools[i]->items, pools[i]->count * pools[i]->item_bytes);
    }
    if (engine->policy_request)
        visit(user_data, engine->policy_request, engine->inflights.count * sizeof *engine->policy_request);
    if (engine->rests)
        visit(user_data, engine->rests, engine->inflights.count * sizeof *engine->rests);
    if (engine->payload && engine->inflights.used)
        visit(user_data, engine->payload, engine->inflights.count * engine->payload_bytes);
    gpci_calendar_state(&engine->calendar, visit, user_data);
    for (uint32_t i = 0; i < engine->tree->module_count; i++) {
        visit(user_data, engine->units[i].locks,
              ((size_t)engine->units[i].lock_mask + 1) * sizeof *engine->units[i].locks);
        GPCI_STATE_FROM(visit, user_data, gpci_engine_unit, &engine->units[i], entry_waiters);
    }
}

/* Reports of waiting tasks. */

static const char *name_of(const gpci_engine *engine, uint32_t module) {
    return gpci_module_at(engine->tree, module)->given.name;
}

/* Name of a waiting task in a report, by the step that the task or its lookup continues with. */
static const char *what_waits(gpci_step step, bool down) {
    switch (step) {
    case GPCI_STEP_read_come:
    case GPCI_STEP_read_found:
        return down ? "read probe" : "read request";
    case GPCI_STEP_write_come:
    case GPCI_STEP_write_found:
        return down ? "write probe" : "write request";
    case GPCI_STEP_put_found:
        return "write-back, notice or store";
    case GPCI_STEP_clear_found:
        return "clear owner";
    case GPCI_STEP_tell_found:
        return "invalidation";
    case GPCI_STEP_sweep_joined:
        return "acquire or flush";
    default:
        return "access";
    }
}

/* Report a waiting lookup; or its parent, which waits if the lookup was freed (gpci_lookup_waits). */
static void report_waiter(const gpci_engine *engine, gpci_due due, gpci_text *report) {
    const gpci_task *waits = gpci_task_at(engine, due.subject);
    const bool alone =
        due.step == GPCI_STEP_read_come || due.step == GPCI_STEP_write_come || due.step == GPCI_STEP_access_order;
    const gpci_task *task = alone ? waits : gpci_task_at(engine, waits->parent);
    gpci_text_put(report, "the %s of %s to %s for 0x%" PRIx64 " waits for that; ",
                  what_waits(alone ? (gpci_step)due.step : (gpci_step)waits->resumes, task->down),
                  name_of(engine, task->from), name_of(engine, waits->module), waits->address);
}

static void report_lock(const gpci_engine *engine, uint32_t module, const gpci_lock *lock, gpci_text *report) {
    if (lock->holder == GPCI_NO_ITEM || lock->waiters.head == GPCI_NO_ITEM)
        return;
    const gpci_tree_inflight *holder = gpci_tree_inflight_at(engine, lock->holder);
    gpci_text_put(report, "%s's access to 0x%" PRIx64 " holds block 0x%" PRIx64 " of %s; ",
                  name_of(engine, holder->module), holder->address, lock->tag, name_of(engine, module));
    const gpci_waiter *waiter;
    for (uint32_t item = lock->waiters.head; item != GPCI_NO_ITEM; item = waiter->next) {
        waiter = gpci_items_at(&engine->waiters, item);
        report_waiter(engine, waiter->due, report);
    }
}

void gpci_engine_report(const gpci_engine *engine, gpci_text *report) {
    for (uint32_t i = 0; i < engine->tree->module_count; i++)
        for (uint32_t block = 0; block < engine->tree->modules[i].blocks && !engine->tree->modules[i].near; block++)
            report_lock(engine, i, gpci_lock_of(engine, i, block), report);
}
