/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/engine/engine_host.h"
#include "coherence/module/tree_engine.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

/* Interface for a host that drives the engine. */

gpc_status gpci_engine_create_for(gpc_coherence *c, const gpci_engine_host *host, bool waits, gpc_error *error) {
    const gpc_status status = gpci_engine_create(c, false, error, &c->engine);
    if (status != GPC_OK)
        return status;
    c->engine->host = host;
    c->engine->direct = true;
    c->engine->lists = false;
    c->engine->waits = c->engine->passes = waits;
    for (uint32_t i = 0; i < c->module_count; i++) /* halves probe each other to make room, even while locked */
        c->engine->passes |= c->modules[i].twin != NULL;
    return GPC_OK;
}

void gpci_engine_order(gpci_engine *e) {
    e->orders = e->lists = true;
}

gpc_status gpci_engine_inherit(gpc_coherence *c, const gpc_coherence *from, gpc_error *error) {
    const gpci_engine *was = from->engine;
    if (!was || !was->host)
        return GPC_OK;
    const gpc_status status = gpci_engine_create_for(c, was->host, was->waits, error);
    if (status == GPC_OK) {
        memcpy(c->engine->random, was->random, sizeof was->random);
        c->engine->drawn = was->drawn;
        c->engine->orders = was->orders;
        c->engine->lists = was->lists;
    }
    return status;
}

uint32_t gpci_engine_access(gpci_engine *e, const gpc_coherence_request *request, const gpc_request *carried) {
    return gpci_inflight_begin(e, request, carried, e->orders ? GPCI_STEP_access_begin : GPCI_STEP_access_order);
}

gpci_sight gpci_engine_look(const gpci_engine *e, const gpc_coherence_request *request) {
    const gpci_module *m = gpci_module_at(e->tree, request->module);
    const uint32_t block = gpci_module_find(m, gpci_module_tag_of(m, request->address));
    if (block == GPCI_TREE_NO_BLOCK || gpci_module_is_fill(m, block)) /* a block in a fill way is leaving */
        return GPCI_SIGHT_MISS;
    /* gpc_coherence_kind numbers LOAD, STORE and N_STORE like gpc_coherence_event */
    const uint32_t actions = m->rules[m->states[block]][request->kind].actions;
    if (gpci_tree_evicts(request->flags))
        return GPCI_SIGHT_TOLD;
    if (actions & (GPC_DO_READ_REQUEST | GPC_DO_WRITE_REQUEST))
        return GPCI_SIGHT_MISS;
    const bool through = gpci_tree_goes_through(m, request->kind, request->flags);
    return actions != GPC_DO_HIT || request->flags & ~(uint32_t)GPC_ACCESS_RETURNS || through ||
                   gpci_is_locked(e, m->index, block)
               ? GPCI_SIGHT_TOLD
               : GPCI_SIGHT_HIT;
}

bool gpci_engine_bring(const gpci_engine *e, const gpc_coherence_request *request) {
    const gpci_module *m = gpci_module_at(e->tree, request->module);
    if (GPCI_LIKELY(!m->fetch_mask))
        return false;
    const uint64_t tag = gpci_module_tag_of(m, request->address);
    const uint32_t block = gpci_find_coming(e, m, tag);
    return block != GPCI_TREE_NO_BLOCK && gpci_module_find(m, tag) == GPCI_TREE_NO_BLOCK &&
           gpci_lock_of(e, m->index, block)->token & GPCI_LOCK_NEIGHBOUR;
}

bool gpci_engine_all_locked(const gpci_engine *e, uint32_t module, uint64_t address) {
    const gpci_module *m = gpci_module_at(e->tree, module);
    const uint32_t first = gpci_module_row(m, gpci_module_tag_of(m, address)) * m->all_ways;
    for (uint32_t way = 0; way < m->given.ways; way++)
        if (!gpci_is_locked(e, module, first + way))
            return false;
    return true;
}

gpc_status gpci_engine_hit(gpci_engine *e, const gpc_coherence_request *request, const gpc_request *carried,
                           gpc_error *error) {
    gpc_coherence *c = e->tree;
    const bool busy = c->busy;
    c->busy = c->failed != GPC_OK; /* a hit conflicts with no access */
    const gpc_status status = gpci_coherence_access(c, request, carried, error, NULL);
    c->busy |= busy;
    return status;
}

void gpci_engine_put(gpci_engine *e, uint32_t task, gpci_step step, uint64_t cycle) {
    gpci_step_in(e, task, step, cycle - e->now);
}

void gpci_engine_sent(gpci_engine *e, uint32_t module, bool up) {
    gpci_engine_unit *unit = &e->units[module];
    if (!unit->freed[up]++)
        gpci_sender_wake(e, &unit->senders[up], 1);
}

bool gpci_engine_idle(const gpci_engine *e) {
    return !e->inflights.used && !e->tasks.used;
}

static gpc_status settle(gpci_engine *e, gpc_status status) {
    e->tree->busy = e->tree->failed != GPC_OK || !gpci_engine_idle(e);
    return status;
}

gpc_status gpci_engine_run(gpci_engine *e, uint64_t cycle, gpc_error *error) {
    return settle(e, gpci_steps_until(e, cycle, error));
}

gpc_status gpci_engine_do(gpci_engine *e, uint32_t task, gpci_step step, gpc_error *error) {
    if (gpci_calendar_next(&e->calendar, e->now) <= e->now) { /* earlier steps are due first */
        gpci_step_in(e, task, step, 0);
        return gpci_engine_run(e, e->now, error);
    }
    if (!gpci_steps_room(e)) {
        gpci_step_in(e, task, step, 0);
        return gpci_out_of_memory(error);
    }
    gpc_status status = gpci_step_do(e, (gpci_due){task, step}, error);
    if (status == GPC_OK && e->calendar.today_count)
        status = gpci_steps_until(e, e->now, error);
    return settle(e, status);
}

uint64_t gpci_engine_next(const gpci_engine *e) {
    return gpci_calendar_next(&e->calendar, e->now);
}

bool gpci_step_looks(gpci_step step) {
    return step == GPCI_STEP_read_come || step == GPCI_STEP_write_come || step == GPCI_STEP_put_come ||
           step == GPCI_STEP_clear_come || step == GPCI_STEP_tell_come;
}

void gpci_engine_state(gpci_engine *e, gpci_state_fn visit, void *user_data) {
    gpci_items *const pools[] = {&e->tasks, &e->inflights, &e->sent_messages, &e->waiters, &e->locks};
    GPCI_STATE_FROM(visit, user_data, gpci_engine, e, waited);
    for (size_t i = 0; i < sizeof pools / sizeof *pools; i++) {
        GPCI_STATE_FROM(visit, user_data, gpci_items, pools[i], count);
        visit(user_data, pools[i]->items, pools[i]->count * pools[i]->item_bytes);
    }
    if (e->policy_request)
        visit(user_data, e->policy_request, e->inflights.count * sizeof *e->policy_request);
    if (e->rests)
        visit(user_data, e->rests, e->inflights.count * sizeof *e->rests);
    if (e->payload && e->inflights.used)
        visit(user_data, e->payload, e->inflights.count * e->payload_bytes);
    gpci_calendar_state(&e->calendar, visit, user_data);
    for (uint32_t i = 0; i < e->tree->module_count; i++) {
        visit(user_data, e->units[i].locks, ((size_t)e->units[i].lock_mask + 1) * sizeof *e->units[i].locks);
        GPCI_STATE_FROM(visit, user_data, gpci_engine_unit, &e->units[i], ports_used);
    }
}

/* Reports of waiting tasks. */

static const char *name_of(const gpci_engine *e, uint32_t module) {
    return gpci_module_at(e->tree, module)->given.name;
}

/* Name of a task in a report, by the step that ends or restarts its lookup. */
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

/* Report a lookup, or its parent if the lookup was freed (gpci_lookup_waits). */
static void report_waiter(const gpci_engine *e, gpci_due due, gpci_text *report) {
    const gpci_task *waits = gpci_task_at(e, due.subject);
    const bool alone =
        due.step == GPCI_STEP_read_come || due.step == GPCI_STEP_write_come || due.step == GPCI_STEP_access_order;
    const gpci_task *task = alone ? waits : gpci_task_at(e, waits->parent);
    gpci_text_put(report, "the %s of %s to %s for 0x%" PRIx64 " waits for that; ",
                  what_waits(alone ? (gpci_step)due.step : (gpci_step)waits->resumes, task->down),
                  name_of(e, task->from), name_of(e, waits->module), waits->address);
}

static void report_lock(const gpci_engine *e, uint32_t module, const gpci_lock *lock, gpci_text *report) {
    if (lock->holder == GPCI_NO_ITEM || lock->waiters.head == GPCI_NO_ITEM)
        return;
    const gpci_tree_inflight *holder = gpci_tree_inflight_at(e, lock->holder);
    gpci_text_put(report, "%s's access to 0x%" PRIx64 " holds block 0x%" PRIx64 " of %s; ", name_of(e, holder->module),
                  holder->address, lock->tag, name_of(e, module));
    const gpci_waiter *waiter;
    for (uint32_t item = lock->waiters.head; item != GPCI_NO_ITEM; item = waiter->next) {
        waiter = gpci_items_at(&e->waiters, item);
        report_waiter(e, waiter->due, report);
    }
}

void gpci_engine_report(const gpci_engine *e, gpci_text *report) {
    for (uint32_t i = 0; i < e->tree->module_count; i++)
        for (uint32_t block = 0; block < e->tree->modules[i].blocks && !e->tree->modules[i].near; block++)
            report_lock(e, i, gpci_lock_of(e, i, block), report);
}
