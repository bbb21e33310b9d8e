/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/engine/engine_hold.h"
#include "coherence/engine/engine_sweep.h"

#include <stdio.h>
#include <string.h>

/* Accesses of a tree without a host: issue, advance, next event; reports of ended accesses and of deadlocks. */

/*
 * Report the end of an access. The calling program may issue accesses in the callback, and arrays may move: keep no
 * pointer into the arrays across the callback.
 */
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

void gpci_tell_ends(gpci_engine *engine) {
    gpci_due due;
    while (gpci_due_queue_leave(&engine->waiters, &engine->ended, &due)) {
        tell_end(engine, due.subject);
        gpci_tree_inflight_give(engine, due.subject);
    }
    engine->tree->busy = engine->tree->failed != GPC_OK || engine->inflights.used;
}

/* Reports of deadlocks. */

static const char *kind_of(uint32_t kind) {
    static const char *const kinds[] = {"load", "store", "n-store", "acquire"};
    return kinds[kind];
}

/*
 * First access that waits for the lock; or, if `itself`, the first access that waits for a lock that it holds itself;
 * or GPCI_NO_ITEM.
 */
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

/* Describe a probe that waits in a channel of a held tree. False: none. */
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
    coherence->busy = engine->tasks.used != 0; /* an access may end before its tasks in other modules */
    return engine->inflights.used && !can_go_on(engine) ? deadlock(engine, error) : GPC_OK;
}

uint64_t gpc_coherence_next_event(const gpc_coherence *coherence) {
    return coherence && coherence->engine && coherence->failed == GPC_OK
               ? gpci_calendar_next(&coherence->engine->calendar, coherence->engine->now)
               : UINT64_MAX;
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
    gpci_tree_begin_line(coherence);
    const uint32_t inflight = acquires ? gpci_engine_acquire(engine, request)
                                       : gpci_inflight_begin(engine, request, carried, GPCI_STEP_access_begin);
    *out_token = gpci_tree_inflight_at(engine, inflight)->token;
    return GPC_OK;
}

gpc_status gpc_coherence_issue(gpc_coherence *coherence, const gpc_coherence_request *request, uint64_t *out_token,
                               gpc_error *error) {
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
