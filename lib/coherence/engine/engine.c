/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"
#include "coherence/engine/engine_alone.h"
#include "coherence/engine/engine_hold.h"
#include "coherence/engine/engine_host.h"
#include "coherence/engine/engine_sweep.h"

#include <stdio.h>
#include <string.h>

/* Issue, advance, next event; tasks; reports to the host. */

const gpci_task_step_fn gpci_steps[] = {
#define X(name) gpci_step_##name,
    GPCI_STEPS(X)
#undef X
};

/* Make the root task of an access; its end resumes no parent. */
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

/* Zero the new side arrays of an in-flight access never used before, because a snapshot stores them. */
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
                                     .line_access = tree_inflight->line_access,
                                     .asks = tree_inflight->asks};
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
            engine->rests[inflight] = (gpci_inflight_rest){0}; /* a snapshot stores the rest of the struct */
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

/* Reports. */

static void tell_transitions(gpc_coherence *coherence) {
    const gpc_coherence_callbacks *callbacks = &coherence->callbacks;
    for (uint32_t i = 0; callbacks->on_transition && i < coherence->transition_count; i++)
        callbacks->on_transition(callbacks->user_data, &coherence->transitions[i]);
    coherence->transition_count = 0;
}

/* The host may issue from the callback, and arrays may move: hold no pointer into them across the callback. */
static void tell_end(gpci_engine *engine, uint32_t inflight) {
    gpc_coherence *coherence = engine->tree;
    gpci_tree_inflight *access = gpci_tree_inflight_at(engine, inflight);
    const gpc_coherence_completion completion = {.struct_size = sizeof completion,
                                                 .token = access->token,
                                                 .issued = gpci_inflight_rest_of(engine, inflight)->issued,
                                                 .cycle = engine->now,
                                                 .address = access->address,
                                                 .bytes =
                                                     coherence->with_data ? gpci_payload_of(engine, inflight) : NULL,
                                                 .module = access->module,
                                                 .size = access->size,
                                                 .kind = access->kind,
                                                 .retries = access->retries,
                                                 .hit = access->hit,
                                                 .joined = access->master != GPCI_NO_ITEM};
    engine->live--;
    uint8_t *out = gpci_inflight_rest_of(engine, inflight)->out;
    if (coherence->with_data && out)
        memcpy(out, completion.bytes, access->size);
    if (coherence->callbacks.on_complete)
        coherence->callbacks.on_complete(coherence->callbacks.user_data, &completion);
}

static void tell_ends(gpci_engine *engine) {
    gpci_due due;
    while (gpci_due_queue_leave(&engine->waiters, &engine->ended, &due)) {
        tell_end(engine, due.subject);
        gpci_tree_inflight_give(engine, due.subject);
    }
    engine->tree->busy = engine->tree->failed != GPC_OK || engine->inflights.used;
}

/* Deadlock. */

static const char *kind_of(uint32_t kind) {
    static const char *const kinds[] = {"load", "store", "n-store", "acquire"};
    return kinds[kind];
}

/* First access waiting for a block, or with `itself` the first access waiting for a lock it holds, or GPCI_NO_ITEM. */
static uint32_t who_waits(const gpci_engine *engine, const gpci_lock *lock, bool itself) {
    const gpci_waiter *waiter;
    for (uint32_t item = lock->waiters.head; item != GPCI_NO_ITEM; item = waiter->next) {
        waiter = gpci_items_at(&engine->waiters, item);
        const uint32_t inflight = gpci_task_at(engine, waiter->due.subject)->inflight;
        if (!itself || inflight == lock->holder)
            return inflight;
    }
    return GPCI_NO_ITEM;
}

static bool describe_lock(const gpci_engine *engine, const gpci_module *module, const gpci_lock *lock, bool itself,
                          char *text, size_t size) {
    const uint32_t inflight = who_waits(engine, lock, itself);
    if (lock->holder == GPCI_NO_ITEM || inflight == GPCI_NO_ITEM)
        return false;
    const gpci_tree_inflight *holder = gpci_tree_inflight_at(engine, lock->holder),
                             *waits = gpci_tree_inflight_at(engine, inflight);
    snprintf(text, size, "%s's %s to %#llx waits for block %#llx of module %s, which %s%s's %s to %#llx has locked",
             gpci_module_at(engine->tree, waits->module)->given.name, kind_of(waits->kind),
             (unsigned long long)waits->address, (unsigned long long)lock->tag, module->given.name,
             itself ? "itself, " : "", gpci_module_at(engine->tree, holder->module)->given.name, kind_of(holder->kind),
             (unsigned long long)holder->address);
    return true;
}

static bool describe(const gpci_engine *engine, bool itself, char *text, size_t size) {
    for (uint32_t i = 0; i < engine->tree->module_count; i++)
        for (uint32_t block = 0; block < engine->tree->modules[i].blocks; block++)
            if (!engine->tree->modules[i].near &&
                describe_lock(engine, &engine->tree->modules[i], gpci_lock_of(engine, i, block), itself, text, size))
                return true;
    return false;
}

/* Held tree: describe a probe that waits in the queue. */
static bool describe_held(const gpci_engine *engine, char *text, size_t size) {
    gpc_coherence_choice choice;
    if (!engine->hold || !gpci_hold_choice(engine, 0, &choice))
        return false;
    snprintf(text, size, "a probe of module %s for block %#llx waits in its queue, since module %s has it locked",
             gpci_module_at(engine->tree, choice.from)->given.name, (unsigned long long)choice.address,
             gpci_module_at(engine->tree, choice.to)->given.name);
    return true;
}

static gpc_status deadlock(gpci_engine *engine, gpc_error *error) {
    char text[200] = "nobody waits for a lock";
    if (!describe(engine, true, text, sizeof text) && !describe(engine, false, text, sizeof text))
        (void)describe_held(engine, text, sizeof text);
    gpci_tree_fail(engine->tree, GPC_ERROR_STATE, "deadlock of %u accesses: %s", engine->live, text);
    return gpci_tree_engine_failure(engine->tree, error);
}

/* Public calls. */

/* Set the request seen by policies to the access of a step. Steps of messages in flight do not concern policies. */
static void show(gpci_engine *engine, gpci_due due) {
    if (!engine->policy_request || (due.step >= GPCI_STEP_message_leaves && due.step != GPCI_STEP_peer_comes))
        return;
    const uint32_t inflight = gpci_task_at(engine, due.subject)->inflight;
    engine->tree->request = &engine->policy_request[inflight];
    engine->tree->line_access = gpci_tree_inflight_at(engine, inflight)->line_access;
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
            tell_ends(engine);
    }
    return status;
}

static bool can_go_on(const gpci_engine *engine) {
    gpc_coherence_choice choice;
    if (!engine->hold)
        return gpc_coherence_next_event(engine->tree) != UINT64_MAX;
    for (uint32_t i = 0; gpci_hold_choice(engine, i, &choice); i++)
        if (choice.ready)
            return true;
    return false;
}

gpc_status gpc_coherence_advance(gpc_coherence *coherence, uint64_t cycle, gpc_error *error) {
    if (!coherence)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_coherence_advance: coherence is NULL");
    if (coherence->failed != GPC_OK)
        return gpci_tree_engine_failure(coherence, error);
    gpci_engine *engine = coherence->engine;
    if (!engine)
        return GPC_OK;
    if (engine->telling)
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_coherence_advance: called from a callback");
    if (cycle < engine->now)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_coherence_advance: cycle %llu is past: it is %llu",
                         (unsigned long long)cycle, (unsigned long long)engine->now);
    engine->telling = true;
    gpc_status status = gpci_steps_until(engine, engine->hold ? engine->now : cycle, error);
    engine->telling = false;
    if (status != GPC_OK)
        return status;
    if (cycle != UINT64_MAX && !engine->hold)
        engine->now = cycle;
    coherence->busy = engine->tasks.used != 0; /* an access may end before the tasks it began elsewhere */
    return engine->inflights.used && !can_go_on(engine) ? deadlock(engine, error) : GPC_OK;
}

uint64_t gpc_coherence_next_event(const gpc_coherence *coherence) {
    return coherence && coherence->engine && coherence->failed == GPC_OK
               ? gpci_calendar_next(&coherence->engine->calendar, coherence->engine->now)
               : UINT64_MAX;
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
                                   .line_access = engine->tree->line_accesses += sweeps || !engine->tree->follows,
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
    if (!engine->tree->busy && !engine->alone) /* transitions of an earlier access were reported */
        engine->tree->transition_count = 0;
    gpci_step_in(engine, access->task, step, engine->alone ? 0 : request->cycle - engine->now);
    engine->live++;
    engine->tree->busy = true;
    return inflight;
}

gpc_status gpci_coherence_issue(gpc_coherence *coherence, const gpc_coherence_request *request,
                                const gpc_request *carried, gpc_error *error, uint64_t *out_token) {
    const bool acquires = request->kind == GPC_COHERENCE_ACQUIRE || request->kind == GPC_COHERENCE_RELEASE;
    gpc_status status =
        (acquires ? gpci_tree_check_acquire : gpci_tree_engine_check)(coherence, "gpc_coherence_issue", request, error);
    if (status == GPC_OK && !coherence->engine)
        status = gpci_engine_create(coherence, false, error, &coherence->engine);
    if (status != GPC_OK)
        return status;
    gpci_engine *engine = coherence->engine;
    if (engine->host)
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_coherence_issue: the tree is a hierarchy's, which has the clock");
    if (engine->stepping)
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_coherence_issue: called from on_message or on_transition");
    if (request->cycle < engine->now || request->cycle == UINT64_MAX)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_coherence_issue: cycle %llu is past: it is %llu",
                         (unsigned long long)request->cycle, (unsigned long long)engine->now);
    if (gpci_engine_reserve(engine, acquires ? 0 : request->address) != GPC_OK)
        return gpci_out_of_memory(error);
    const uint32_t inflight = acquires ? gpci_engine_acquire(engine, request)
                                       : gpci_inflight_begin(engine, request, carried, GPCI_STEP_access_begin);
    *out_token = gpci_tree_inflight_at(engine, inflight)->token;
    return GPC_OK;
}

gpc_status gpc_coherence_issue(gpc_coherence *coherence, const gpc_coherence_request *request, gpc_error *error,
                               uint64_t *out_token) {
    if (!coherence || !request || !out_token)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_coherence_issue: %s is NULL",
                         !coherence ? "coherence"
                         : !request ? "request"
                                    : "out_token");
    gpc_coherence_request ours = GPC_COHERENCE_REQUEST_INIT;
    const size_t least = offsetof(gpc_coherence_request, flags) + sizeof ours.flags;
    const gpc_status status = gpci_take(&ours, sizeof ours, least, request, "gpc_coherence_request", error);
    const gpc_request policy_request = gpci_tree_policy_request(&ours);
    return status == GPC_OK ? gpci_coherence_issue(coherence, &ours, &policy_request, error, out_token) : status;
}
