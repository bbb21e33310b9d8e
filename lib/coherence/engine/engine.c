/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/engine/engine_hold.h"
#include "coherence/engine/engine_host.h"
#include "coherence/engine/engine_sweep.h"
#include "coherence/module/tree_engine.h"

#include <stdio.h>
#include <string.h>

/* Issue, advance, next event; tasks; reports to the host. */

const gpci_task_step_fn gpci_steps[] = {
#define X(name) gpci_step_##name,
    GPCI_STEPS(X)
#undef X
};

/* Make the root task of an access; its end resumes no parent. */
static gpci_task *take_task(gpci_engine *e, uint32_t parent, uint32_t inflight, uint32_t from, uint32_t module,
                            uint64_t address, uint32_t *out_task) {
    *out_task = gpci_items_take_any(&e->tasks);
    gpci_task *task = gpci_task_at(e, *out_task);
    memset(task, 0, sizeof *task);
    task->parent = parent;
    task->inflight = inflight;
    task->from = (uint16_t)from;
    task->module = (uint16_t)module;
    task->address = address;
    task->block = task->own = GPCI_TREE_NO_BLOCK;
    if (GPCI_UNLIKELY(*out_task < e->label_room))
        e->labels[*out_task] = 0;
    if (GPCI_UNLIKELY(e->alone))
        gpci_trail_begin(e, *out_task, parent);
    gpci_tree_inflight_at(e, inflight)->tasks++;
    return task;
}

gpci_task *gpci_task_begin(gpci_engine *e, uint32_t parent, gpci_step resumes, uint32_t from, uint32_t module,
                           uint64_t address, uint32_t *out_task) {
    const uint32_t inflight = gpci_task_at(e, parent)->inflight;
    gpci_task *task = take_task(e, parent, inflight, from, module, address, out_task);
    task->resumes = (uint8_t)resumes;
    return task;
}

/* Zero the new side arrays of an in-flight access never used before, because a snapshot stores them. */
static uint32_t take_inflight(gpci_engine *e) {
    const uint32_t had = e->inflights.count, inflight = gpci_items_take_any(&e->inflights);
    memset(gpci_tree_inflight_at(e, inflight), 0, sizeof(gpci_tree_inflight));
    if (GPCI_LIKELY(inflight < had))
        return inflight;
    if (e->payload_bytes)
        memset(gpci_mask_of(e, inflight), 0, e->payload_bytes);
    if (e->policy_request)
        memset(&e->policy_request[inflight], 0, sizeof *e->policy_request);
    if (e->rests)
        memset(&e->rests[inflight], 0, sizeof *e->rests);
    return inflight;
}

gpci_task *gpci_side_begin(gpci_engine *e, uint32_t inflight, uint64_t tag, uint32_t bytes, uint32_t from,
                           uint32_t module, uint32_t *out_task) {
    const uint32_t number = take_inflight(e);
    const gpci_tree_inflight *of = gpci_tree_inflight_at(e, inflight);
    gpci_tree_inflight *side = gpci_tree_inflight_at(e, number);
    *side = (gpci_tree_inflight){.master = GPCI_NO_ITEM,
                                 .module = of->module,
                                 .size = bytes,
                                 .kind = GPC_COHERENCE_LOAD,
                                 .address = tag,
                                 .token = GPCI_NEIGHBOUR_TOKEN + ++e->neighbours,
                                 .line_access = of->line_access,
                                 .asks = of->asks};
    if (e->rests)
        e->rests[number] = (gpci_inflight_rest){
            .issued = e->now, .older = GPCI_NO_ITEM, .newer = GPCI_NO_ITEM, .waiters = GPCI_DUE_QUEUE_INIT};
    gpci_task *task = take_task(e, GPCI_NO_ITEM, number, from, module, tag, out_task);
    side->task = *out_task;
    if (e->policy_request)
        e->policy_request[number] = e->policy_request[inflight];
    if (e->host)
        e->host->begun(e->host->self, number, inflight);
    e->live++;
    return task;
}

void gpci_task_end(gpci_engine *e, uint32_t task) {
    const gpci_task *t = gpci_task_at(e, task);
    const uint32_t parent = t->parent;
    const gpci_step step = (gpci_step)t->resumes;
    if (GPCI_UNLIKELY(e->alone))
        gpci_trail_end(e, parent, task);
    gpci_task_give(e, task);
    gpci_then(e, parent, step);
}

void gpci_task_give(gpci_engine *e, uint32_t task) {
    const uint32_t inflight = gpci_task_at(e, task)->inflight;
    gpci_tree_inflight *a = gpci_tree_inflight_at(e, inflight);
    gpci_items_give(&e->tasks, task);
    if (e->host && !--a->tasks && a->ended) {
        if (GPCI_UNLIKELY(e->rests != NULL))
            e->rests[inflight] = (gpci_inflight_rest){0}; /* a snapshot stores the rest of the struct */
        gpci_tree_inflight_give(e, inflight);
    }
}

void gpci_wake_all(gpci_engine *e, gpci_due_queue *queue, uint64_t cycles) {
    gpci_due due;
    while (gpci_due_queue_leave(&e->waiters, queue, &due))
        gpci_step_in(e, due.subject, (gpci_step)due.step, cycles);
}

void gpci_step_after(gpci_engine *e, uint32_t task, gpci_step step, const gpci_module *m, uint64_t cycles) {
    if (e->host && cycles)
        cycles = e->host->after(e->host->self, m->index, cycles) - e->now;
    else if (e->untimed)
        cycles = 0;
    gpci_step_in(e, task, step, cycles);
}

void gpci_use_data(gpci_engine *e, uint32_t task, gpci_step step, gpci_module *m, uint32_t bytes, bool write) {
    m->stats.data_accesses++;
    if (!e->host) {
        if (e->alone)
            gpci_trail_use(e, task, m, write);
        if (e->untimed)
            gpci_then(e, task, step);
        else
            gpci_step_in(e, task, step, m->given.latency);
        return;
    }
    const gpci_use use = {.task = task,
                          .module = m->index,
                          .step = step,
                          .address = gpci_task_at(e, task)->address,
                          .bytes = bytes,
                          .write = write};
    e->host->use(e->host->self, &use);
}

/* Reports. */

static void tell_transitions(gpc_coherence *c) {
    const gpc_coherence_callbacks *to = &c->callbacks;
    for (uint32_t i = 0; to->on_transition && i < c->transition_count; i++)
        to->on_transition(to->user_data, &c->transitions[i]);
    c->transition_count = 0;
}

/* The host may issue from the callback, and arrays may move: hold no pointer into them across the callback. */
static void tell_end(gpci_engine *e, uint32_t inflight) {
    gpc_coherence *c = e->tree;
    gpci_tree_inflight *a = gpci_tree_inflight_at(e, inflight);
    const gpc_coherence_completion completion = {.struct_size = sizeof completion,
                                                 .token = a->token,
                                                 .issued = gpci_inflight_rest_of(e, inflight)->issued,
                                                 .cycle = e->now,
                                                 .address = a->address,
                                                 .bytes = c->with_data ? gpci_payload_of(e, inflight) : NULL,
                                                 .module = a->module,
                                                 .size = a->size,
                                                 .kind = a->kind,
                                                 .retries = a->retries,
                                                 .hit = a->hit,
                                                 .joined = a->master != GPCI_NO_ITEM};
    e->live--;
    uint8_t *out = gpci_inflight_rest_of(e, inflight)->out;
    if (c->with_data && out)
        memcpy(out, completion.bytes, a->size);
    if (c->callbacks.on_complete)
        c->callbacks.on_complete(c->callbacks.user_data, &completion);
}

static void tell_ends(gpci_engine *e) {
    gpci_due due;
    while (gpci_due_queue_leave(&e->waiters, &e->ended, &due)) {
        tell_end(e, due.subject);
        gpci_tree_inflight_give(e, due.subject);
    }
    e->tree->busy = e->tree->failed != GPC_OK || e->inflights.used;
}

/* Deadlock. */

static const char *kind_of(uint32_t kind) {
    static const char *const kinds[] = {"load", "store", "n-store", "acquire"};
    return kinds[kind];
}

/* First access waiting for a block, or with `itself` the first access waiting for a lock it holds, or GPCI_NO_ITEM. */
static uint32_t who_waits(const gpci_engine *e, const gpci_lock *lock, bool itself) {
    const gpci_waiter *waiter;
    for (uint32_t item = lock->waiters.head; item != GPCI_NO_ITEM; item = waiter->next) {
        waiter = gpci_items_at(&e->waiters, item);
        const uint32_t inflight = gpci_task_at(e, waiter->due.subject)->inflight;
        if (!itself || inflight == lock->holder)
            return inflight;
    }
    return GPCI_NO_ITEM;
}

static bool describe_lock(const gpci_engine *e, const gpci_module *m, const gpci_lock *lock, bool itself, char *text,
                          size_t size) {
    const uint32_t inflight = who_waits(e, lock, itself);
    if (lock->holder == GPCI_NO_ITEM || inflight == GPCI_NO_ITEM)
        return false;
    const gpci_tree_inflight *holder = gpci_tree_inflight_at(e, lock->holder),
                             *waits = gpci_tree_inflight_at(e, inflight);
    snprintf(text, size, "%s's %s to %#llx waits for block %#llx of module %s, which %s%s's %s to %#llx has locked",
             gpci_module_at(e->tree, waits->module)->given.name, kind_of(waits->kind),
             (unsigned long long)waits->address, (unsigned long long)lock->tag, m->given.name, itself ? "itself, " : "",
             gpci_module_at(e->tree, holder->module)->given.name, kind_of(holder->kind),
             (unsigned long long)holder->address);
    return true;
}

static bool describe(const gpci_engine *e, bool itself, char *text, size_t size) {
    for (uint32_t i = 0; i < e->tree->module_count; i++)
        for (uint32_t block = 0; block < e->tree->modules[i].blocks; block++)
            if (!e->tree->modules[i].near &&
                describe_lock(e, &e->tree->modules[i], gpci_lock_of(e, i, block), itself, text, size))
                return true;
    return false;
}

/* Held tree: describe a probe that waits in the queue. */
static bool describe_held(const gpci_engine *e, char *text, size_t size) {
    gpc_coherence_choice choice;
    if (!e->hold || !gpci_hold_choice(e, 0, &choice))
        return false;
    snprintf(text, size, "a probe of module %s for block %#llx waits in its queue, since module %s has it locked",
             gpci_module_at(e->tree, choice.from)->given.name, (unsigned long long)choice.address,
             gpci_module_at(e->tree, choice.to)->given.name);
    return true;
}

static gpc_status deadlock(gpci_engine *e, gpc_error *error) {
    char text[200] = "nobody waits for a lock";
    if (!describe(e, true, text, sizeof text) && !describe(e, false, text, sizeof text))
        (void)describe_held(e, text, sizeof text);
    gpci_tree_fail(e->tree, GPC_ERROR_STATE, "deadlock of %u accesses: %s", e->live, text);
    return gpci_tree_engine_failure(e->tree, error);
}

/* Public calls. */

/* Set the request seen by policies to the access of a step. Steps of messages in flight do not concern policies. */
static void show(gpci_engine *e, gpci_due due) {
    if (!e->policy_request || (due.step >= GPCI_STEP_message_leaves && due.step != GPCI_STEP_peer_comes))
        return;
    const uint32_t inflight = gpci_task_at(e, due.subject)->inflight;
    e->tree->request = &e->policy_request[inflight];
    e->tree->line_access = gpci_tree_inflight_at(e, inflight)->line_access;
}

bool gpci_steps_room(gpci_engine *e) {
    return gpci_engine_room(e) && (!e->host || e->host->room(e->host->self) == GPC_OK);
}

gpc_status gpci_step_do(gpci_engine *e, gpci_due due, gpc_error *error) {
    gpc_coherence *c = e->tree;
    e->stepping = true;
    show(e, due);
    gpci_steps[due.step](e, due.subject);
    c->request = NULL;
    if (c->transition_count)
        tell_transitions(c);
    e->stepping = false;
    return GPCI_LIKELY(c->failed == GPC_OK) ? GPC_OK : gpci_tree_engine_failure(c, error);
}

gpc_status gpci_steps_until(gpci_engine *e, uint64_t until, gpc_error *error) {
    gpci_due due;
    gpc_status status = GPC_OK;
    while (status == GPC_OK) {
        const uint64_t next = gpci_calendar_next(&e->calendar, e->now);
        if (next > until || next == UINT64_MAX)
            break;
        if (!gpci_steps_room(e))
            return gpci_out_of_memory(error);
        gpci_calendar_take(&e->calendar, &e->now, &due);
        status = gpci_step_do(e, due, error);
        if (status == GPC_OK && e->ended.head != GPCI_NO_ITEM)
            tell_ends(e);
    }
    return status;
}

static bool can_go_on(const gpci_engine *e) {
    gpc_coherence_choice choice;
    if (!e->hold)
        return gpc_coherence_next_event(e->tree) != UINT64_MAX;
    for (uint32_t i = 0; gpci_hold_choice(e, i, &choice); i++)
        if (choice.ready)
            return true;
    return false;
}

gpc_status gpc_coherence_advance(gpc_coherence *c, uint64_t cycle, gpc_error *error) {
    if (!c)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_coherence_advance: coherence is NULL");
    if (c->failed != GPC_OK)
        return gpci_tree_engine_failure(c, error);
    gpci_engine *e = c->engine;
    if (!e)
        return GPC_OK;
    if (e->telling)
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_coherence_advance: called from a callback");
    if (cycle < e->now)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_coherence_advance: cycle %llu is past: it is %llu",
                         (unsigned long long)cycle, (unsigned long long)e->now);
    e->telling = true;
    gpc_status status = gpci_steps_until(e, e->hold ? e->now : cycle, error);
    e->telling = false;
    if (status != GPC_OK)
        return status;
    if (cycle != UINT64_MAX && !e->hold)
        e->now = cycle;
    c->busy = e->tasks.used != 0; /* an access may end before the tasks it began elsewhere */
    return e->inflights.used && !can_go_on(e) ? deadlock(e, error) : GPC_OK;
}

uint64_t gpc_coherence_next_event(const gpc_coherence *c) {
    return c && c->engine && c->failed == GPC_OK ? gpci_calendar_next(&c->engine->calendar, c->engine->now)
                                                 : UINT64_MAX;
}

static void keep_payload(const gpci_engine *e, uint32_t inflight, const gpc_coherence_request *request) {
    gpci_tree_inflight *a = gpci_tree_inflight_at(e, inflight);
    if (!e->payload_bytes || request->kind == GPC_COHERENCE_LOAD)
        return;
    if (GPCI_UNLIKELY(request->atomic_count))
        gpci_tree_atomics_begin(request->atomics, request->atomic_count);
    a->gave_bytes = e->tree->with_data && request->bytes;
    a->gave_mask = request->mask != NULL;
    if (a->gave_bytes)
        memcpy(gpci_payload_of(e, inflight), request->bytes, request->size);
    if (a->gave_mask)
        memcpy(gpci_mask_of(e, inflight), request->mask, (request->size + 7) / 8);
}

/* Begin an access; room has been made. */
uint32_t gpci_inflight_begin(gpci_engine *e, const gpc_coherence_request *request, const gpc_request *carried,
                             gpci_step step) {
    const uint32_t inflight = take_inflight(e);
    gpci_tree_inflight *a = gpci_tree_inflight_at(e, inflight);
    const gpci_module *m = gpci_module_at(e->tree, request->module);
    *a = (gpci_tree_inflight){.master = GPCI_NO_ITEM,
                              .module = (uint16_t)request->module,
                              .size = request->size,
                              .kind = (uint8_t)request->kind,
                              .flags = request->flags,
                              .address = request->address,
                              .token = ++e->next_token,
                              .line_access = e->tree->line_accesses += !e->tree->follows,
                              .asks = e->tree->asks,
                              .deepest = 1};
    if (e->rests)
        e->rests[inflight] = (gpci_inflight_rest){.issued = request->cycle,
                                                  .out = request->out,
                                                  .atomics = request->atomics,
                                                  .atomic_count = request->atomic_count,
                                                  .older = GPCI_NO_ITEM,
                                                  .newer = GPCI_NO_ITEM,
                                                  .waiters = GPCI_DUE_QUEUE_INIT};
    if (GPCI_UNLIKELY(e->tree->first_touch) && request->kind <= GPC_COHERENCE_N_STORE)
        gpci_tree_touch(e->tree, request->module, request->address);
    const uint64_t tag = gpci_module_tag_of(m, request->address);
    take_task(e, GPCI_NO_ITEM, inflight, request->module, request->module, tag, &a->task)->state = GPC_LINE_I;
    keep_payload(e, inflight, request);
    if (e->policy_request)
        e->policy_request[inflight] = carried ? *carried : (gpc_request){.address = request->address};
    if (!e->tree->busy && !e->alone) /* transitions of an earlier access were reported */
        e->tree->transition_count = 0;
    gpci_step_in(e, a->task, step, e->alone ? 0 : request->cycle - e->now);
    e->live++;
    e->tree->busy = true;
    return inflight;
}

gpc_status gpci_coherence_issue(gpc_coherence *c, const gpc_coherence_request *request, const gpc_request *carried,
                                gpc_error *error, uint64_t *out_token) {
    const bool acquires = request->kind == GPC_COHERENCE_ACQUIRE || request->kind == GPC_COHERENCE_RELEASE;
    gpc_status status =
        (acquires ? gpci_tree_check_acquire : gpci_tree_engine_check)(c, "gpc_coherence_issue", request, error);
    if (status == GPC_OK && !c->engine)
        status = gpci_engine_create(c, false, error, &c->engine);
    if (status != GPC_OK)
        return status;
    gpci_engine *e = c->engine;
    if (e->host)
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_coherence_issue: the tree is a hierarchy's, which has the clock");
    if (e->stepping)
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_coherence_issue: called from on_message or on_transition");
    if (request->cycle < e->now || request->cycle == UINT64_MAX)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_coherence_issue: cycle %llu is past: it is %llu",
                         (unsigned long long)request->cycle, (unsigned long long)e->now);
    if (gpci_engine_reserve(e, acquires ? 0 : request->address) != GPC_OK)
        return gpci_out_of_memory(error);
    const uint32_t inflight =
        acquires ? gpci_engine_acquire(e, request) : gpci_inflight_begin(e, request, carried, GPCI_STEP_access_begin);
    *out_token = gpci_tree_inflight_at(e, inflight)->token;
    return GPC_OK;
}

gpc_status gpc_coherence_issue(gpc_coherence *c, const gpc_coherence_request *request, gpc_error *error,
                               uint64_t *out_token) {
    if (!c || !request || !out_token)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_coherence_issue: %s is NULL",
                         !c         ? "coherence"
                         : !request ? "request"
                                    : "out_token");
    gpc_coherence_request ours = GPC_COHERENCE_REQUEST_INIT;
    const size_t least = offsetof(gpc_coherence_request, flags) + sizeof ours.flags;
    const gpc_status status = gpci_take(&ours, sizeof ours, least, request, "gpc_coherence_request", error);
    const gpc_request policy_request = gpci_tree_policy_request(&ours);
    return status == GPC_OK ? gpci_coherence_issue(c, &ours, &policy_request, error, out_token) : status;
}
