/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/engine/engine_alone.h"
#include "coherence/engine/engine_sweep.h"
#include "coherence/module/tree_engine.h"

#include <string.h>

/*
 * Lone accesses, and the lists of their steps: messages, JOIN, EVICTION and FINISH. A trail is the position of a task
 * in the list. A new task begins at the position of its parent; at the end of a task the parent continues from the
 * task's position. After several children the parent joins their last steps, when it needs its own position again.
 *
 * Example, an L1 (0) that misses, over an L2 (2) that has the block; directory latency 0, data latency of the L2 4, of
 * the L1 1, bandwidth 64:
 *   0  READ_REQUEST  0 to 2, after the issue, delay 0     sent in cycle 0, received in 4
 *   1  DATA          2 to 0, after 0, delay 4             sent in 8, received in 15: 72 bytes need 2 cycles a stage
 *   2  FINISH        at 0, after 1, delay 1               cycle 16
 */

/* -- trails */

GPCI_INLINE gpci_trail *trail_of(const gpci_engine *e, uint32_t task) {
    return &e->trails[task];
}

/* Append a step. The list has room for the most steps of an access (layout.c), unless the bound is wrong. */
static uint32_t push(const gpci_engine *e, const gpci_trail *at, uint32_t kind, uint32_t from, uint32_t to) {
    gpc_coherence *c = e->tree;
    if (GPCI_UNLIKELY(c->message_count == c->message_room)) {
        gpci_tree_fail(c, GPC_ERROR_MEMORY, "a transaction takes more than %u steps", c->message_bound);
        c->message_count--;
    }
    const uint32_t place = c->message_count++;
    c->messages[place] = (gpc_coherence_message){.sent = e->now,
                                                 .received = e->now,
                                                 .kind = kind,
                                                 .from = from,
                                                 .to = to,
                                                 .after = at->after,
                                                 .join = GPC_NO_MESSAGE,
                                                 .delay = at->delay,
                                                 .directory = at->directory,
                                                 .looks = at->looks,
                                                 .memory = at->memory,
                                                 .network = GPC_NO_MODULE,
                                                 .request = GPC_NO_MESSAGE,
                                                 .block = GPC_NO_MODULE};
    return place;
}

/* Continue a trail from the end of a step. */
GPCI_INLINE void go_on(gpci_trail *t, uint32_t step) {
    t->after = step;
    t->delay = t->directory = 0;
    t->looks = t->memory = 0;
}

/* Join a list of steps. Returns its only step, or a new JOIN of a module. */
static uint32_t join(const gpci_engine *e, uint32_t module, uint32_t head, uint32_t count) {
    static const gpci_trail none = GPCI_TRAIL_INIT;
    gpc_coherence_message *messages = e->tree->messages;
    if (count == 1) {
        messages[head].join = GPC_NO_MESSAGE;
        return head;
    }
    const uint32_t place = push(e, &none, GPC_MESSAGE_JOIN, module, module);
    messages[place].needs = count;
    for (uint32_t next, at = head; at != GPC_NO_MESSAGE; at = next) {
        next = messages[at].join;
        messages[at].join = place;
    }
    return place;
}

/* Trail of a task, after joining the ended children. */
GPCI_INLINE gpci_trail *settled(const gpci_engine *e, uint32_t task) {
    gpci_trail *t = trail_of(e, task);
    if (t->join_count) {
        go_on(t, join(e, gpci_task_at(e, task)->module, t->joins, t->join_count));
        t->joins = GPC_NO_MESSAGE;
        t->join_count = 0;
    }
    return t;
}

void gpci_trail_begin(gpci_engine *e, uint32_t task, uint32_t parent) {
    gpci_trail *t = trail_of(e, task);
    *t = parent == GPCI_NO_ITEM ? e->start : *settled(e, parent);
    t->came = t->joins = t->peers = GPC_NO_MESSAGE;
    t->join_count = t->peer_count = 0;
    t->answered = t->late = false;
}

void gpci_trail_end(gpci_engine *e, uint32_t parent, uint32_t task) {
    const gpci_trail *t = settled(e, task);
    gpci_trail *p = trail_of(e, parent);
    if (t->after == p->after && t->delay == p->delay)
        return; /* the child took no step */
    if (t->after != GPC_NO_MESSAGE && !t->delay && !t->looks && !t->memory) {
        e->tree->messages[t->after].join = p->joins;
        p->joins = t->after;
        p->join_count++;
    } else if (!p->join_count) {
        p->after = t->after;
        p->delay = t->delay;
        p->directory = t->directory;
        p->looks = t->looks;
        p->memory = t->memory;
    }
}

void gpci_trail_start(gpci_engine *e, uint32_t task) {
    e->start = *settled(e, task);
}

uint32_t gpci_trail_send(gpci_engine *e, const gpci_message *l) {
    gpci_trail *t = settled(e, l->task), *receiver = trail_of(e, l->receiver);
    const gpci_task *task = gpci_task_at(e, l->task);
    const bool asks = l->from == task->from && l->receiver == l->task;
    const uint32_t place = push(e, t, (uint32_t)l->kind, l->from, l->to);
    gpc_coherence_message *message = &e->tree->messages[place];
    message->address = l->address;
    message->bytes = l->bytes;
    message->network = gpci_module_at(e->tree, l->low)->given.high_network;
    message->masked = l->masked;
    if (asks)
        t->came = place;
    else
        message->request = t->came;
    if (l->receiver != l->task) { /* from a peer: the request itself is elsewhere */
        message->join = receiver->peers;
        receiver->peers = place;
        receiver->peer_count++;
        return place;
    }
    t->answered = !asks;
    go_on(t, place);
    return place;
}

void gpci_trail_join_peers(gpci_engine *e, uint32_t task) {
    gpci_trail *t = settled(e, task);
    if (!t->peer_count)
        return;
    if (t->answered && gpci_task_at(e, task)->done) {
        e->tree->messages[t->after].join = t->peers;
        t->peers = t->after;
        t->peer_count++;
    }
    go_on(t, join(e, gpci_task_at(e, task)->from, t->peers, t->peer_count));
    t->peer_count = 0;
}

void gpci_trail_look(gpci_engine *e, uint32_t task, const gpci_module *m) {
    gpci_trail *t = settled(e, task);
    t->delay += m->given.directory_latency;
    t->directory += m->given.directory_latency;
    t->looks++;
}

void gpci_trail_found(gpci_engine *e, uint32_t task, uint32_t block, bool hit) {
    const uint32_t came = trail_of(e, task)->came;
    if (came == GPC_NO_MESSAGE)
        return;
    e->tree->messages[came].block = block;
    e->tree->messages[came].found = hit;
}

void gpci_trail_use(gpci_engine *e, uint32_t task, const gpci_module *m, bool write) {
    gpci_trail *t = settled(e, task);
    t->delay += m->given.latency;
    if (m->place == GPCI_PLACE_MEMORY)
        t->memory = write ? 2 : 1;
}

void gpci_trail_evict(gpci_engine *e, uint32_t task, const gpci_module *m, uint32_t block) {
    gpci_trail *t = settled(e, task);
    const uint32_t place = push(e, t, GPC_MESSAGE_EVICTION, m->index, m->index);
    e->tree->messages[place].address = gpci_module_tag(m, block);
    go_on(t, place);
}

static void finish(gpci_engine *e, const gpci_trail *at, uint32_t module, uint64_t address) {
    const uint32_t place = push(e, at, GPC_MESSAGE_FINISH, module, module);
    e->tree->messages[place].address = address;
    go_on(&e->start, place);
}

/* True for a store that found a copy and requested write permission: defect GPCI_FAULT_TWICE ends it twice. */
static bool is_upgrade(const gpci_tree_inflight *a) {
    return !a->hit && a->found != GPC_LINE_I && a->kind == GPC_COHERENCE_STORE;
}

void gpci_trail_finish(gpci_engine *e, uint32_t task) {
    const gpci_task *t = gpci_task_at(e, task);
    const gpci_tree_inflight *a = gpci_tree_inflight_at(e, t->inflight);
    const uint64_t tag = gpci_module_tag_of(gpci_module_at(e->tree, a->module), a->address);
    const gpci_trail *at = settled(e, task);
    finish(e, at, a->module, tag);
    if (GPCI_UNLIKELY(e->tree->faults & GPCI_FAULT_TWICE) && is_upgrade(a))
        finish(e, at, a->module, tag);
}

/* -- memory */

/* Make room for all items of an access, by its most steps: the access cannot fail half way. */
static bool make_pools(gpci_engine *e) {
    gpc_coherence *c = e->tree;
    const uint32_t most = c->message_bound;
    e->grows = false;
    return gpci_items_room(e->context, &e->tasks, most) && gpci_items_room(e->context, &e->locks, 2 * most) &&
           gpci_items_room(e->context, &e->sent_messages, most) && gpci_items_room(e->context, &e->waiters, most) &&
           gpci_calendar_room(e->context, &e->calendar, 2 * most) &&
           gpci_engine_make_inflights(e, 1 + e->sides * c->levels) && gpci_engine_make_trails(e);
}

static gpc_status make(gpc_coherence *c, gpc_error *error) {
    gpci_engine *e;
    const gpc_status status = gpci_engine_create(c, true, error, &e);
    if (status != GPC_OK)
        return status;
    e->waits = true;
    e->passes = e->lists = false;
    e->untimed = e->direct = !c->timing;
    if (!e->payload_bytes) /* masks say whether neighbours are read */
        e->payload_bytes = (e->largest + 7) / 8;
    if (!make_pools(e)) {
        gpci_engine_destroy(e);
        return gpci_out_of_memory(error);
    }
    c->lone = e;
    return GPC_OK;
}

/* Make the engine of lone accesses at the first use. A flush makes room in full maps only for a valid block. */
static gpc_status need(gpc_coherence *c, gpc_error *error) {
    return GPCI_LIKELY(c->lone != NULL) ? GPC_OK : make(c, error);
}

static gpc_status reserve(gpc_coherence *c, uint64_t address, gpc_error *error) {
    const gpc_status status = need(c, error);
    if (GPCI_UNLIKELY(status != GPC_OK))
        return status;
    gpci_engine *e = c->lone;
    const uint32_t entries = 2 * (e->fan_out + GPCI_STEP_TASKS);
    bool room = gpci_engine_reserve(e, address) == GPC_OK;
    for (uint32_t i = c->first_map; i < c->module_count && room; i++)
        if (c->modules[i].full_map && c->modules[i].blocks - c->modules[i].map.count < entries)
            room = gpci_module_reserve(c->context, &c->modules[i], entries) == GPC_OK;
    return room ? GPC_OK : gpci_out_of_memory(error);
}

/* -- running */

/* Make all networks idle. */
static void reset_networks(gpci_engine *e) {
    for (uint32_t i = 0; i < e->tree->star_count; i++)
        for (uint32_t b = 0; b < e->nets[i].count * GPCI_BUFFER_COUNT; b++) {
            gpci_star_buffer *buffer = &e->nets[i].buffers[b];
            buffer->write_free = buffer->read_free = buffer->decided = 0;
        }
}

static void begin(gpc_coherence *c, uint64_t cycle) {
    gpci_engine *e = c->lone;
    c->message_count = c->transition_count = c->neighbour_fetch_count = 0;
    c->deepest = 1;
    e->start = (gpci_trail)GPCI_TRAIL_INIT;
    if (!c->timing)
        return;
    if (cycle < e->now)
        reset_networks(e);
    e->now = cycle;
}

/* Make room for a step, or fail the tree. Locks and waiters have room if tasks have (make_pools). */
static void make_room(gpci_engine *e) {
    if (GPCI_LIKELY(!e->crowded && gpci_items_have(&e->tasks, e->fan_out + GPCI_STEP_TASKS) &&
                    gpci_items_have(&e->inflights, e->sides)))
        return;
    if (!gpci_engine_grow(e))
        gpci_tree_fail(e->tree, GPC_ERROR_MEMORY, "a transaction needs more memory than was kept for it");
}

/* Run all steps until nothing is in flight, or until the tree fails. */
static void run(gpci_engine *e, uint32_t inflight, const gpc_request *carried) {
    gpc_coherence *c = e->tree;
    gpci_due due;
    c->request = carried;
    for (make_room(e); c->failed == GPC_OK && gpci_calendar_take(&e->calendar, &e->now, &due); make_room(e)) {
        if (GPCI_UNLIKELY(e->policy_request != NULL)) /* may move with the accesses in flight */
            c->request = &e->policy_request[inflight];
        gpci_steps[due.step](e, due.subject);
    }
}

static bool is_stuck(gpci_engine *e, uint32_t inflight) {
    if (e->tree->failed == GPC_OK && !gpci_tree_inflight_at(e, inflight)->ended)
        gpci_tree_fail(e->tree, GPC_ERROR_STATE, "an access by itself waits for what it has locked");
    return e->tree->failed != GPC_OK;
}

static void settle_down(gpci_engine *e, uint32_t inflight) {
    gpc_coherence *c = e->tree;
    gpci_items_give(&e->inflights, inflight);
    e->live = 0;
    c->request = NULL;
    c->busy = c->failed != GPC_OK;
}

/* -- accesses */

static void deliver(const gpci_engine *e, uint32_t inflight, const gpc_coherence_request *request) {
    if (e->tree->with_data && request->out)
        memcpy(request->out, gpci_payload_of(e, inflight), request->size);
}

static uint8_t state_of(const gpc_coherence *c, const gpc_coherence_request *request) {
    const gpci_module *m = gpci_module_at(c, request->module);
    const uint32_t block = gpci_module_find(m, gpci_module_tag_of(m, request->address));
    return block == GPCI_TREE_NO_BLOCK ? GPC_LINE_I : m->states[block];
}

/* Read the neighbours, one after another (engine_fetch.c); the access does not wait for them. */
static void grant_wishes(gpci_engine *e, uint32_t inflight, const gpc_request *carried) {
    gpc_coherence *c = e->tree;
    for (uint32_t i = 0; i < c->neighbour_fetch_count; i++) {
        const gpci_tree_neighbour_fetch neighbour_fetch = c->neighbour_fetches[i];
        const gpci_module *m = gpci_module_at(c, neighbour_fetch.module);
        for (uint32_t k = 0; k <= m->fetch_mask && c->failed == GPC_OK; k++)
            if (gpci_fetch_neighbour(e, inflight, &neighbour_fetch, k))
                run(e, inflight, carried);
    }
    c->neighbour_fetch_count = 0;
}

gpc_status gpci_alone_access(gpc_coherence *c, const gpc_coherence_request *request, const gpc_request *carried,
                             gpc_error *error, gpc_coherence_result *result) {
    const gpc_status status = reserve(c, request->address, error);
    if (GPCI_UNLIKELY(status != GPC_OK))
        return status;
    gpci_engine *e = c->lone;
    begin(c, request->cycle);
    const uint32_t inflight = gpci_inflight_begin(e, request, carried, GPCI_STEP_access_order);
    const gpci_tree_inflight *a = gpci_tree_inflight_at(e, inflight);
    c->line_access = a->line_access;
    run(e, inflight, carried);
    if (is_stuck(e, inflight))
        return gpci_tree_engine_failure(c, error);
    gpc_coherence_result done = GPC_COHERENCE_RESULT_INIT;
    done.completed = c->messages[e->start.after].received;
    a = gpci_tree_inflight_at(e, inflight);
    done.hit = a->hit;
    done.found = a->found;
    done.state = state_of(c, request);
    c->deepest = a->deepest;
    c->overturned = a->overturned;
    deliver(e, inflight, request);
    if (GPCI_UNLIKELY(c->neighbour_fetch_count))
        grant_wishes(e, inflight, carried);
    if (GPCI_UNLIKELY(c->failed != GPC_OK))
        return gpci_tree_engine_failure(c, error);
    settle_down(e, inflight);
    return gpci_tree_engine_result(c, &done, result);
}

/* -- blocks of modules */

gpc_status gpci_alone_begin(gpc_coherence *c, uint64_t cycle, gpc_error *error) {
    const gpc_status status = need(c, error);
    if (status == GPC_OK)
        begin(c, cycle);
    return status;
}

gpc_status gpci_alone_block(gpc_coherence *c, uint32_t module, uint32_t block, uint32_t kind, gpc_error *error) {
    const gpc_status status = reserve(c, gpci_module_tag(gpci_module_at(c, module), block), error);
    if (status != GPC_OK)
        return status;
    gpci_engine *e = c->lone;
    const gpc_request policy_request = {.cycle = e->now, .kind = GPC_STORE};
    const uint32_t inflight = gpci_engine_sweep_block(e, module, block, (gpci_sweep)kind, &policy_request);
    run(e, inflight, &policy_request);
    if (is_stuck(e, inflight))
        return gpci_tree_engine_failure(c, error);
    settle_down(e, inflight);
    return GPC_OK;
}

gpc_status gpci_alone_end(gpc_coherence *c, uint32_t module, gpc_coherence_result *result) {
    gpci_engine *e = c->lone;
    gpc_coherence_result done = GPC_COHERENCE_RESULT_INIT;
    const gpci_trail at = e->start;
    finish(e, &at, module, 0);
    done.completed = e->now;
    done.found = done.state = GPC_LINE_I;
    return gpci_tree_engine_result(c, &done, result);
}
