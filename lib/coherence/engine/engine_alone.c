/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/engine/engine_alone.h"
#include "coherence/engine/engine_sweep.h"

#include <string.h>

/*
 * Lone accesses, and the lists of their steps: messages, JOIN, EVICTION and FINISH. A trail is the position of a task
 * in the list. A new task begins at the position of its parent; at the end of a task, the parent continues from the
 * task's position. After several children, the parent adds a JOIN of the children's last steps, before the parent's
 * next own step.
 *
 * Example, an L1 (0) that misses, over an L2 (2) that has the block; directory latency 0, data latency of the L2 4, of
 * the L1 1, bandwidth 64:
 *   0  READ_REQUEST  0 to 2, after the issue, delay 0     sent in cycle 0, received in 4
 *   1  DATA          2 to 0, after 0, delay 4             sent in 8, received in 15: 72 bytes need 2 cycles a stage
 *   2  FINISH        at 0, after 1, delay 1               cycle 16
 */

/* -- trails */

GPCI_INLINE gpci_trail *trail_of(const gpci_engine *engine, uint32_t task) {
    return &engine->trails[task];
}

/*
 * Append a step, and return its index. The list has room for the steps of an access (gpc_coherence.message_bound),
 * unless the bound is wrong.
 */
static uint32_t push(const gpci_engine *engine, const gpci_trail *trail, uint32_t kind, uint32_t from, uint32_t to) {
    gpc_coherence *coherence = engine->tree;
    if (GPCI_UNLIKELY(coherence->message_count == coherence->message_capacity)) {
        gpci_tree_fail(coherence, GPC_ERROR_MEMORY, "a transaction takes more than %u steps", coherence->message_bound);
        coherence->message_count--;
    }
    const uint32_t place = coherence->message_count++;
    coherence->messages[place] = (gpc_coherence_message){.sent = engine->now,
                                                         .received = engine->now,
                                                         .kind = kind,
                                                         .from = from,
                                                         .to = to,
                                                         .after = trail->after,
                                                         .join = GPC_NO_MESSAGE,
                                                         .delay = trail->delay,
                                                         .directory = trail->directory,
                                                         .looks = trail->looks,
                                                         .memory = trail->memory,
                                                         .network = GPC_NO_MODULE,
                                                         .request = GPC_NO_MESSAGE,
                                                         .block = GPC_NO_MODULE};
    return place;
}

/* Continue a trail from the end of a step. */
GPCI_INLINE void go_on(gpci_trail *trail, uint32_t step) {
    trail->after = step;
    trail->delay = trail->directory = 0;
    trail->looks = trail->memory = 0;
}

/* Join a list of `count` steps, chained by `join`. Returns the only step, or a new JOIN at the module. */
static uint32_t join(const gpci_engine *engine, uint32_t module, uint32_t head, uint32_t count) {
    static const gpci_trail none = GPCI_TRAIL_INIT;
    gpc_coherence_message *messages = engine->tree->messages;
    if (count == 1) {
        messages[head].join = GPC_NO_MESSAGE;
        return head;
    }
    const uint32_t place = push(engine, &none, GPC_MESSAGE_JOIN, module, module);
    messages[place].needs = count;
    for (uint32_t next, at = head; at != GPC_NO_MESSAGE; at = next) {
        next = messages[at].join;
        messages[at].join = place;
    }
    return place;
}

/* Trail of a task, after joining the last steps of the ended children. */
GPCI_INLINE gpci_trail *settled(const gpci_engine *engine, uint32_t task) {
    gpci_trail *trail = trail_of(engine, task);
    if (trail->join_count) {
        go_on(trail, join(engine, gpci_task_at(engine, task)->module, trail->joins, trail->join_count));
        trail->joins = GPC_NO_MESSAGE;
        trail->join_count = 0;
    }
    return trail;
}

void gpci_trail_begin(gpci_engine *engine, uint32_t task, uint32_t parent) {
    gpci_trail *trail = trail_of(engine, task);
    *trail = parent == GPCI_NO_ITEM ? engine->start : *settled(engine, parent);
    trail->came = trail->joins = trail->peers = GPC_NO_MESSAGE;
    trail->join_count = trail->peer_count = 0;
    trail->answered = trail->late = false;
}

void gpci_trail_end(gpci_engine *engine, uint32_t parent, uint32_t task) {
    const gpci_trail *trail = settled(engine, task);
    gpci_trail *parent_trail = trail_of(engine, parent);
    if (trail->after == parent_trail->after && trail->delay == parent_trail->delay)
        return; /* the child added no step and no delay */
    if (trail->after != GPC_NO_MESSAGE && !trail->delay && !trail->looks && !trail->memory) {
        engine->tree->messages[trail->after].join = parent_trail->joins;
        parent_trail->joins = trail->after;
        parent_trail->join_count++;
    } else if (!parent_trail->join_count) {
        parent_trail->after = trail->after;
        parent_trail->delay = trail->delay;
        parent_trail->directory = trail->directory;
        parent_trail->looks = trail->looks;
        parent_trail->memory = trail->memory;
    }
}

void gpci_trail_start(gpci_engine *engine, uint32_t task) {
    engine->start = *settled(engine, task);
}

uint32_t gpci_trail_send(gpci_engine *engine, const gpci_message *l) {
    gpci_trail *trail = settled(engine, l->task), *receiver = trail_of(engine, l->receiver);
    const gpci_task *task = gpci_task_at(engine, l->task);
    const bool asks = l->from == task->from && l->receiver == l->task;
    const uint32_t place = push(engine, trail, (uint32_t)l->kind, l->from, l->to);
    gpc_coherence_message *message = &engine->tree->messages[place];
    message->address = l->address;
    message->bytes = l->bytes;
    message->network = gpci_module_at(engine->tree, l->low)->given.high_network;
    message->masked = l->masked;
    if (asks)
        trail->came = place;
    else
        message->request = trail->came;
    if (l->receiver != l->task) { /* from a peer, which is on another way than the request */
        message->join = receiver->peers;
        receiver->peers = place;
        receiver->peer_count++;
        return place;
    }
    trail->answered = !asks;
    go_on(trail, place);
    return place;
}

void gpci_trail_join_peers(gpci_engine *engine, uint32_t task) {
    gpci_trail *trail = settled(engine, task);
    if (!trail->peer_count)
        return;
    if (trail->answered && gpci_task_at(engine, task)->done) {
        engine->tree->messages[trail->after].join = trail->peers;
        trail->peers = trail->after;
        trail->peer_count++;
    }
    go_on(trail, join(engine, gpci_task_at(engine, task)->from, trail->peers, trail->peer_count));
    trail->peer_count = 0;
}

void gpci_trail_look(gpci_engine *engine, uint32_t task, const gpci_module *module) {
    gpci_trail *trail = settled(engine, task);
    trail->delay += module->given.directory_latency;
    trail->directory += module->given.directory_latency;
    trail->looks++;
}

void gpci_trail_found(gpci_engine *engine, uint32_t task, uint32_t block, bool hit) {
    const uint32_t came = trail_of(engine, task)->came;
    if (came == GPC_NO_MESSAGE)
        return;
    engine->tree->messages[came].block = block;
    engine->tree->messages[came].found = hit;
}

void gpci_trail_use(gpci_engine *engine, uint32_t task, const gpci_module *module, bool write) {
    gpci_trail *trail = settled(engine, task);
    trail->delay += module->given.latency;
    if (module->place == GPCI_PLACE_MEMORY)
        trail->memory = write ? 2 : 1;
}

void gpci_trail_evict(gpci_engine *engine, uint32_t task, const gpci_module *module, uint32_t block) {
    gpci_trail *trail = settled(engine, task);
    const uint32_t place = push(engine, trail, GPC_MESSAGE_EVICTION, module->index, module->index);
    engine->tree->messages[place].address = gpci_module_tag(module, block);
    go_on(trail, place);
}

static void finish(gpci_engine *engine, const gpci_trail *trail, uint32_t module, uint64_t address) {
    const uint32_t place = push(engine, trail, GPC_MESSAGE_FINISH, module, module);
    engine->tree->messages[place].address = address;
    go_on(&engine->start, place);
}

/*
 * True for a store that found a copy and requested write permission: with GPCI_FAULT_TWICE, such a store has two FINISH
 * steps.
 */
static bool is_upgrade(const gpci_tree_inflight *access) {
    return !access->hit && access->found != GPC_LINE_I && access->kind == GPC_COHERENCE_STORE;
}

void gpci_trail_finish(gpci_engine *engine, uint32_t task) {
    const gpci_task *work = gpci_task_at(engine, task);
    const gpci_tree_inflight *access = gpci_tree_inflight_at(engine, work->inflight);
    const uint64_t tag = gpci_module_tag_of(gpci_module_at(engine->tree, access->module), access->address);
    const gpci_trail *trail = settled(engine, task);
    finish(engine, trail, access->module, tag);
    if (GPCI_UNLIKELY(engine->tree->faults & GPCI_FAULT_TWICE) && is_upgrade(access))
        finish(engine, trail, access->module, tag);
}

/* -- memory */

/*
 * Make room for all items that an access may take, by the upper bound of its steps, so that the access cannot fail half
 * way.
 */
static bool make_pools(gpci_engine *engine) {
    gpc_coherence *coherence = engine->tree;
    const uint32_t most = coherence->message_bound;
    return gpci_items_reserve(engine->context, &engine->tasks, most) &&
           gpci_items_reserve(engine->context, &engine->locks, 2 * most) &&
           gpci_items_reserve(engine->context, &engine->sent_messages, most) &&
           gpci_items_reserve(engine->context, &engine->waiters, most) &&
           gpci_calendar_reserve(engine->context, &engine->calendar, 2 * most) &&
           gpci_engine_make_inflights(engine, 1 + engine->internals * coherence->levels) &&
           gpci_engine_make_trails(engine);
}

static gpc_status make(gpc_coherence *coherence, gpc_error *error) {
    gpci_engine *engine;
    const gpc_status status = gpci_engine_create(coherence, true, error, &engine);
    if (status != GPC_OK)
        return status;
    engine->waits = true;
    engine->passes = engine->lists = false;
    engine->untimed = engine->direct = !coherence->timing;
    if (!engine->payload_bytes) /* the masks are needed to decide whether neighbours are read */
        engine->payload_bytes = (engine->largest + 7) / 8;
    if (!make_pools(engine)) {
        gpci_engine_destroy(engine);
        return gpci_out_of_memory(error);
    }
    coherence->lone = engine;
    return GPC_OK;
}

/* Make the engine of lone accesses at the first use. A flush reserves room in full maps only for valid blocks. */
static gpc_status need(gpc_coherence *coherence, gpc_error *error) {
    return GPCI_LIKELY(coherence->lone != NULL) ? GPC_OK : make(coherence, error);
}

static gpc_status reserve(gpc_coherence *coherence, uint64_t address, gpc_error *error) {
    const gpc_status status = need(coherence, error);
    if (GPCI_UNLIKELY(status != GPC_OK))
        return status;
    return gpci_engine_reserve(coherence->lone, address) == GPC_OK ? GPC_OK : gpci_out_of_memory(error);
}

/* -- running */

/* Make all networks idle. */
static void reset_networks(gpci_engine *engine) {
    for (uint32_t i = 0; i < engine->tree->star_count; i++) {
        gpci_net *net = &engine->nets[i];
        for (; net->used_count; net->used_count--) {
            gpci_star_buffer *member = &net->buffers[net->used[net->used_count - 1] * GPCI_BUFFER_COUNT];
            member->listed = false;
            for (uint32_t b = 0; b < GPCI_BUFFER_COUNT; b++)
                member[b].room.write_free = member[b].room.read_free = member[b].decided = 0;
        }
    }
}

static void begin(gpc_coherence *coherence, uint64_t cycle) {
    gpci_engine *engine = coherence->lone;
    coherence->message_count = coherence->transition_count = coherence->neighbour_fetch_count = 0;
    coherence->deepest = 1;
    engine->start = (gpci_trail)GPCI_TRAIL_INIT;
    if (!coherence->timing)
        return;
    if (cycle < engine->now)
        reset_networks(engine);
    engine->now = cycle;
}

/*
 * Make room for a step, or fail the tree. If there is room for tasks, there is room for locks and waiters (make_pools).
 */
GPCI_INLINE void make_room(gpci_engine *engine) {
    if (GPCI_LIKELY(!engine->crowded && gpci_items_have(&engine->tasks, engine->most) &&
                    gpci_items_have(&engine->inflights, engine->internals)))
        return;
    if (!gpci_engine_grow(engine))
        gpci_tree_fail(engine->tree, GPC_ERROR_MEMORY, "a transaction needs more memory than was kept for it");
}

/* Run all steps until nothing is in flight, or until the tree fails. */
static void run(gpci_engine *engine, uint32_t inflight, const gpc_request *carried) {
    gpc_coherence *coherence = engine->tree;
    gpci_due due;
    coherence->request = carried;
    for (make_room(engine); coherence->failed == GPC_OK && gpci_calendar_take(&engine->calendar, &engine->now, &due);
         make_room(engine)) {
        if (GPCI_UNLIKELY(engine->policy_request != NULL)) /* the array may have moved */
            coherence->request = &engine->policy_request[inflight];
        gpci_steps[due.step](engine, due.subject);
    }
}

static bool is_stuck(gpci_engine *engine, uint32_t inflight) {
    if (engine->tree->failed == GPC_OK && !gpci_tree_inflight_at(engine, inflight)->ended)
        gpci_tree_fail(engine->tree, GPC_ERROR_STATE, "an access by itself waits for what it has locked");
    return engine->tree->failed != GPC_OK;
}

static void settle_down(gpci_engine *engine, uint32_t inflight) {
    gpc_coherence *coherence = engine->tree;
    gpci_items_give(&engine->inflights, inflight);
    engine->live = 0;
    coherence->request = NULL;
    coherence->busy = coherence->failed != GPC_OK;
}

/* -- accesses */

static void deliver(const gpci_engine *engine, uint32_t inflight, const gpc_coherence_request *request) {
    if (engine->tree->with_data && request->out)
        memcpy(request->out, gpci_payload_of(engine, inflight), request->size);
}

static uint8_t state_of(const gpc_coherence *coherence, const gpc_coherence_request *request) {
    const gpci_module *module = gpci_module_at(coherence, request->module);
    const uint32_t block = gpci_module_find(module, gpci_module_tag_of(module, request->address));
    return block == GPCI_TREE_NO_BLOCK ? GPC_LINE_I : module->states[block];
}

/*
 * Read the neighbours of the missed blocks, one after another (engine_fetch.c); the access does not wait for the
 * neighbours.
 */
static void grant_wishes(gpci_engine *engine, uint32_t inflight, const gpc_request *carried) {
    gpc_coherence *coherence = engine->tree;
    for (uint32_t i = 0; i < coherence->neighbour_fetch_count; i++) {
        const gpci_tree_neighbour_fetch neighbour_fetch = coherence->neighbour_fetches[i];
        const gpci_module *module = gpci_module_at(coherence, neighbour_fetch.module);
        for (uint32_t k = 0; k <= module->fetch_mask && coherence->failed == GPC_OK; k++) {
            gpci_fetch_neighbour(engine, inflight, &neighbour_fetch, k);
            run(engine, inflight, carried);
        }
    }
    coherence->neighbour_fetch_count = 0;
}

gpc_status gpci_alone_access(gpc_coherence *coherence, const gpc_coherence_request *request, const gpc_request *carried,
                             gpc_error *error, gpc_coherence_result *result) {
    const gpc_status status = reserve(coherence, request->address, error);
    if (GPCI_UNLIKELY(status != GPC_OK))
        return status;
    gpci_engine *engine = coherence->lone;
    begin(coherence, request->cycle);
    const uint32_t inflight = gpci_inflight_begin(engine, request, carried, GPCI_STEP_access_order);
    const gpci_tree_inflight *access = gpci_tree_inflight_at(engine, inflight);
    run(engine, inflight, carried);
    if (is_stuck(engine, inflight))
        return gpci_tree_engine_failure(coherence, error);
    gpc_coherence_result done = GPC_COHERENCE_RESULT_INIT;
    done.completed = coherence->messages[engine->start.after].received;
    access = gpci_tree_inflight_at(engine, inflight);
    done.hit = access->hit;
    done.found = access->found;
    done.state = state_of(coherence, request);
    coherence->deepest = access->deepest;
    coherence->overturned = access->overturned;
    deliver(engine, inflight, request);
    if (GPCI_UNLIKELY(coherence->neighbour_fetch_count))
        grant_wishes(engine, inflight, carried);
    if (GPCI_UNLIKELY(coherence->failed != GPC_OK))
        return gpci_tree_engine_failure(coherence, error);
    settle_down(engine, inflight);
    return gpci_tree_engine_result(coherence, &done, result);
}

/* -- blocks of modules */

gpc_status gpci_alone_begin(gpc_coherence *coherence, uint64_t cycle, gpc_error *error) {
    const gpc_status status = need(coherence, error);
    if (status != GPC_OK)
        return status;
    begin(coherence, cycle);
    gpci_tree_begin_line(coherence);
    return GPC_OK;
}

gpc_status gpci_alone_block(gpc_coherence *coherence, uint32_t module, uint32_t block, uint32_t kind,
                            gpc_error *error) {
    const gpc_status status = reserve(coherence, gpci_module_tag(gpci_module_at(coherence, module), block), error);
    if (status != GPC_OK)
        return status;
    gpci_engine *engine = coherence->lone;
    const gpc_request policy_request = {.cycle = engine->now, .kind = GPC_STORE};
    const uint32_t inflight = gpci_engine_sweep_block(engine, module, block, (gpci_sweep)kind, &policy_request);
    run(engine, inflight, &policy_request);
    if (is_stuck(engine, inflight))
        return gpci_tree_engine_failure(coherence, error);
    settle_down(engine, inflight);
    return GPC_OK;
}

gpc_status gpci_alone_end(gpc_coherence *coherence, uint32_t module, gpc_coherence_result *result) {
    gpci_engine *engine = coherence->lone;
    gpc_coherence_result done = GPC_COHERENCE_RESULT_INIT;
    const gpci_trail trail = engine->start;
    finish(engine, &trail, module, 0);
    done.completed = engine->now;
    done.found = done.state = GPC_LINE_I;
    return gpci_tree_engine_result(coherence, &done, result);
}
