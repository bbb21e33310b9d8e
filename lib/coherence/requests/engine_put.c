/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"
#include "coherence/engine/engine.h"

/*
 * Puts from the requester (`from` of the task) to the target (`module` of the task). A put carries the bytes of a block
 * that is written back or evicted, or of a store that is written through or that the target performs. The target's
 * action:
 *   the target has the block        it keeps the bytes; if the rule says so, it also sends them on
 *   the target lacks the block      only without a directory: it reads the block first, or sends the bytes on
 *   the store bypasses the target   it drops its copy, and sends the bytes on
 *   the target performs the store   the requester has no copy: the target first gets the only copy; for an n-store, a
 *                                   copy
 * If the target or a module below refuses a put, nothing changes: the requester keeps its bytes.
 */

static bool is_tracked(const gpci_engine *engine) {
    return gpci_tree_has(engine->tree, GPC_PROTOCOL_DIRECTORY);
}

static gpci_task *put_begin(gpci_engine *engine, uint32_t parent, gpci_step resumes, gpci_module *from,
                            uint64_t address) {
    uint32_t task;
    gpci_task *put = gpci_task_begin(engine, parent, resumes, from->index, gpci_module_low(engine->tree, from, address),
                                     gpci_module_tag_of(from, address), &task);
    put->sort = GPCI_TASK_PUT;
    put->data = true;
    gpci_task_at(engine, parent)->refused = false;
    gpci_step_in(engine, task, GPCI_STEP_put_send, 0); /* runs after the caller has set the task's fields */
    return put;
}

static gpci_task *write_back(gpci_engine *engine, uint32_t parent, gpci_step resumes, gpci_module *module,
                             uint32_t block) {
    gpci_task *put = put_begin(engine, parent, resumes, module, gpci_module_tag(module, block));
    put->own = put->carried = block;
    put->carrier = (uint16_t)module->index;
    put->forwarded = true;
    put->kind = GPC_MESSAGE_WRITE_BACK;
    put->size = engine->tree->control_bytes + module->given.block_bytes;
    put->masked = gpci_tree_is_masked(engine->tree, module->states[block]);
    return put;
}

void gpci_write_back_begin(gpci_engine *engine, uint32_t parent, gpci_step resumes, gpci_module *module,
                           uint32_t block) {
    (void)write_back(engine, parent, resumes, module, block);
}

void gpci_write_back_last(gpci_engine *engine, uint32_t parent, gpci_step resumes, gpci_module *module,
                          uint32_t block) {
    gpci_task *put = write_back(engine, parent, resumes, module, block);
    put->forwarded = false;
    put->leaves = true;
}

void gpci_write_back_upon(gpci_engine *engine, uint32_t parent, gpci_step resumes, gpci_module *module, uint32_t block,
                          uint32_t event) {
    const bool masked = gpci_tree_is_masked(engine->tree, module->states[block]);
    write_back(engine, parent, resumes, module, block)->event =
        gpci_raised_below(module, module->states[block], event, gpci_tree_put_event(masked));
}

gpci_task *gpci_store_begin(gpci_engine *engine, uint32_t parent, gpci_step resumes, bool non_coherent) {
    const uint32_t inflight = gpci_task_at(engine, parent)->inflight;
    const gpci_tree_inflight *access = gpci_tree_inflight_at(engine, inflight);
    const gpci_inflight_rest *rest = engine->rests ? &engine->rests[inflight] : NULL;
    gpci_task *put = put_begin(engine, parent, resumes, gpci_module_at(engine->tree, access->module), access->address);
    put->stored = true;
    put->own = gpci_task_at(engine, parent)->block;
    put->kind = GPC_MESSAGE_WRITE_THROUGH;
    put->size = engine->tree->control_bytes + access->size;
    put->masked = non_coherent;
    put->blind = access->kind == GPC_COHERENCE_N_STORE && !(rest && (rest->out || rest->atomic_count)) &&
                 !(access->flags & GPC_ACCESS_RETURNS);
    return put;
}

/*
 * Event of a put's bytes at the target. A probe may have changed the kind of the bytes (masked or not) since the put
 * was prepared: then the usual event.
 */
static uint32_t event_of(const gpci_engine *engine, const gpci_task *put) {
    const uint32_t usual = gpci_tree_put_event(put->masked), event = gpci_event_or(put->event, usual);
    return GPCI_LIKELY(event == usual) || gpci_like(engine->tree->protocol, event) == usual ? event : usual;
}

/* Event that the target's rule for the put raises at the target's low module. */
static uint8_t raised_on(const gpci_engine *engine, const gpci_task *put) {
    const gpci_module *target = gpci_task_module(engine, put);
    const uint8_t state = put->block == GPCI_TREE_NO_BLOCK ? GPC_LINE_I : target->states[put->block];
    return gpci_raised_below(target, state, event_of(engine, put), gpci_tree_put_event(put->masked));
}

/*
 * Send a put's bytes from the target to the low module: the target does not keep the bytes, or keeps the bytes in
 * addition. Meanwhile the target's address or block stays locked.
 */
static void forward(gpci_engine *engine, uint32_t task, gpci_step resumes) {
    const gpci_task *put = gpci_task_at(engine, task);
    gpci_task *onward = put_begin(engine, task, resumes, gpci_task_module(engine, put), put->address);
    put = gpci_task_at(engine, task);
    if (!put->at_low && !put->passing)
        onward->event = raised_on(engine, put);
    onward->carrier = put->carrier;
    onward->carried = put->carried;
    onward->kind = put->kind;
    onward->size = put->size;
    onward->masked = put->masked;
    onward->stored = put->stored;
    onward->passing = put->passing;
    onward->blind = put->blind;
    onward->at_low = put->at_low && gpci_task_module(engine, put)->near;
    onward->forwarded = true;
}

void gpci_step_put_send(gpci_engine *engine, uint32_t task) {
    const gpci_task *put = gpci_task_at(engine, task);
    gpci_message message =
        gpci_request_message(engine, task, (gpc_message_kind)put->kind, GPCI_STEP_put_come, GPCI_STEP_put_send);
    message.bytes = put->size;
    message.masked = put->data && put->masked;
    if (!gpci_send(engine, &message))
        return;
    gpci_block_asks(engine, task);
    gpci_access_left(engine, task);
}

static bool bypasses_t(const gpci_engine *engine, const gpci_task *put) {
    const uint32_t flags = gpci_tree_inflight_at(engine, put->inflight)->flags;
    return put->passing && !put->at_low &&
           gpci_tree_passes(gpci_task_module(engine, put), engine->tree->protocol->pass_stores, flags);
}

/*
 * True if the target should perform the store, but is the near half of a cache: the target drops its copy, and sends
 * the store to the home half.
 */
static bool is_passed_on(const gpci_engine *engine, const gpci_task *put) {
    return put->at_low && gpci_task_module(engine, put)->near;
}

/* True if the target makes room for the put's block if missing. */
static bool allocates(const gpci_engine *engine, const gpci_task *put) {
    const gpci_module *target = gpci_task_module(engine, put);
    if (put->at_low || is_tracked(engine) || bypasses_t(engine, put))
        return put->at_low && !target->near;
    const uint32_t actions = gpci_module_rule(target, GPC_LINE_I, event_of(engine, put))->actions;
    return target->place == GPCI_PLACE_MEMORY || (put->data && actions & (GPC_DO_READ_REQUEST | GPC_DO_HIT));
}

void gpci_step_put_come(gpci_engine *engine, uint32_t task) {
    const gpci_task *put = gpci_task_at(engine, task);
    gpci_find_begin(engine, task,
                    &(gpci_look){.address = put->address,
                                 .module = put->module,
                                 .resumes = GPCI_STEP_put_found,
                                 .blocking = !is_tracked(engine) || (engine->waits && !put->forwarded),
                                 .allocates = allocates(engine, put),
                                 .goes_first = true,
                                 .blocks_address = put->data && (!is_tracked(engine) || bypasses_t(engine, put) ||
                                                                 is_passed_on(engine, put))});
}

/* Make the target read the block from its low module. */
static void fetch(gpci_engine *engine, uint32_t task) {
    const gpci_task *put = gpci_task_at(engine, task);
    const gpci_module *target = gpci_task_module(engine, put);
    const uint64_t tag = gpci_module_tag_of(target, put->address);
    const uint32_t block = put->block;
    const bool misses = put->stored && gpci_needs_rest(engine, target, put->inflight);
    uint32_t child;
    const uint32_t event = put->at_low ? (uint32_t)GPC_EVENT_READ_ABOVE : event_of(engine, put);
    gpci_task *own = gpci_task_begin(engine, task, GPCI_STEP_put_fetched, target->index,
                                     gpci_module_low(engine->tree, target, tag), tag, &child);
    own->own = block;
    own->event = gpci_raised_below(target, GPC_LINE_I, event, GPC_EVENT_READ_ABOVE);
    gpci_task_at(engine, task)->shared = false;
    gpci_ask(engine, target, child, GPCI_STEP_read_begin, misses);
}

/* Handle a put whose block is missing in the target. */
static void put_absent(gpci_engine *engine, uint32_t task) {
    const gpci_task *put = gpci_task_at(engine, task);
    const gpci_module *target = gpci_task_module(engine, put);
    if (is_tracked(engine)) { /* impossible in an inclusive cache, unless the tree breaks the rules */
        gpci_tree_fail(engine->tree, GPC_ERROR_STATE, "%s: module %s writes back what module %s has not",
                       engine->tree->protocol->name, gpci_task_from(engine, put)->given.name, target->given.name);
        gpci_then(engine, task, GPCI_STEP_put_reply);
        return;
    }
    /* fails the tree if the table forbids the event */
    (void)gpci_tree_rule(engine->tree, target, GPC_LINE_I, event_of(engine, put));
    if (!put->data) {
        gpci_release_address(engine, task);
        gpci_then(engine, task, GPCI_STEP_put_reply);
        return;
    }
    forward(engine, task, GPCI_STEP_put_forwarded);
}

/* True if another module above the target owns the bytes of a non-coherent store. */
static bool others_own(const gpci_engine *engine, const gpci_task *put) {
    const gpci_module *module = gpci_task_from(engine, put), *target = gpci_task_module(engine, put);
    const gpci_tree_span span = gpci_tree_span_of(target, module, put->address);
    for (uint32_t sub = span.first; put->data && put->masked && is_tracked(engine) && sub < span.end; sub++) {
        const uint16_t owner = gpci_module_owner_of(target, put->block, sub);
        if (owner != GPCI_TREE_NO_OWNER && owner != target->slots[module->index])
            return true;
    }
    return false;
}

/*
 * Handle a put whose block is present in the target. If other modules above own bytes of the put, their modified bytes
 * are older: their copies are invalidated first.
 */
static void put_present(gpci_engine *engine, uint32_t task) {
    const gpci_task *put = gpci_task_at(engine, task);
    const gpci_module *module = gpci_task_from(engine, put), *target = gpci_task_module(engine, put);
    if (others_own(engine, put))
        gpci_invalidate_begin(engine, task, GPCI_STEP_put_merge, target->index, put->block, module->index, GPCI_NO_ITEM,
                              put->address, module->given.block_bytes - 1, 0);
    else
        gpci_step_put_merge(engine, task);
}

/* True if the target can keep a store's bytes without fetching the rest of the block. */
static bool takes(const gpci_engine *engine, const gpci_task *put) {
    const gpci_module *target = gpci_task_module(engine, put);
    return put->blind && gpci_takes_store(engine, target, put->inflight);
}

/* Make the target perform the store. A store needs the only copy; an n-store (`masked`) needs any copy. */
static void put_at_low(gpci_engine *engine, uint32_t task) {
    const gpci_task *put = gpci_task_at(engine, task);
    /* the requester has no copy, even if the directory lists one; the requester's address is blocked */
    const bool passed_on = gpci_task_from(engine, put)->near;
    if (passed_on)
        gpci_tree_drop_sharers(engine->tree, gpci_task_module(engine, put), put->block, gpci_task_from(engine, put),
                               put->address);
    if (!put->masked)
        gpci_invalidate_begin(engine, task, GPCI_STEP_put_alone, put->module, put->block,
                              passed_on ? put->from : GPC_NO_MODULE, GPCI_NO_ITEM, 0, GPCI_TASK_ALL, 0);
    else if (put->state != GPC_LINE_I)
        put_present(engine, task);
    else if (takes(engine, put))
        gpci_rights_begin(engine, task, GPCI_STEP_put_owned);
    else
        fetch(engine, task);
}

/*
 * True if the put is of no use: a probe passed the lock of the put's block, and took the block or its modified bytes.
 * Other modules may have written the block since.
 */
static bool is_stale(gpci_engine *engine, gpci_task *put) {
    if (!put->taken)
        return false;
    const gpci_module *module = gpci_task_from(engine, put);
    const uint8_t state = module->states[put->own];
    if (!put->leaves)
        return !gpci_tree_is_modified(engine->tree, state);
    if (state == GPC_LINE_I)
        return true;
    put->data =
        put->data && gpci_tree_rule(engine->tree, module, state, GPC_EVENT_EVICTION).actions & GPC_DO_WRITE_BACK;
    put->masked = put->data && gpci_tree_is_masked(engine->tree, state);
    return false;
}

/* True if a request of the target itself was refused: release the block and reply. */
static bool refused(gpci_engine *engine, uint32_t task) {
    if (!gpci_task_at(engine, task)->refused)
        return false;
    gpci_release_address(engine, task);
    gpci_then(engine, task, GPCI_STEP_put_reply);
    return true;
}

/*
 * Store a put's bytes in the target. `last`: no module below gets the bytes; then a store that bypasses the requester
 * returns the value.
 */
static void store_bytes(gpci_engine *engine, const gpci_task *put, bool last) {
    gpc_coherence *coherence = engine->tree;
    gpci_module *target = gpci_task_module(engine, put);
    if (!put->stored) {
        const gpci_module *probed = gpci_module_at(coherence, put->carrier);
        gpci_tree_data_merge(coherence, probed, put->carried, gpci_module_tag(probed, put->carried), target,
                             put->block);
        return;
    }
    const gpci_tree_inflight *access = gpci_tree_inflight_at(engine, put->inflight);
    const gpci_tree_payload store = gpci_store_of(engine, put->inflight);
    gpci_tree_data_store(coherence, target, put->block, &store);
    gpci_tree_data_come(target, put->block, &store);
    if (!put->passing || !last || !coherence->with_data)
        return;
    gpci_tree_data_load(coherence, target, put->block, access->address, access->size,
                        gpci_payload_of(engine, put->inflight));
    gpci_performed(engine, put->inflight);
}

/* Release the target's block, and answer when the data are written. */
static void answer(gpci_engine *engine, uint32_t task) {
    const gpci_task *put = gpci_task_at(engine, task);
    gpci_module *target = gpci_task_module(engine, put);
    gpci_release_address(engine, task);
    gpci_use_data(engine, task, GPCI_STEP_put_reply, target, put->data ? put->size - engine->tree->control_bytes : 0,
                  true);
}

/* Keep only a store's bytes in the target, which lacks the block. */
static void keep_bytes(gpci_engine *engine, uint32_t task) {
    const gpci_task *put = gpci_task_at(engine, task);
    gpci_module *target = gpci_task_module(engine, put);
    const gpc_protocol_rule rule = gpci_tree_rule(engine->tree, target, GPC_LINE_I, event_of(engine, put));
    gpci_tree_set_state(engine->tree, target, put->block, gpci_module_tag_of(target, put->address), rule.next_shared,
                        gpci_tree_put_origin(engine->tree, (gpc_message_kind)put->kind, put->masked, GPC_LINE_I),
                        engine->now);
    const gpci_tree_payload store = gpci_store_of(engine, put->inflight);
    gpci_tree_data_begin(target, put->block, &store);
    store_bytes(engine, put, true);
    answer(engine, task);
}

/* Continue a put with the target's block, present or missing. */
static void take_put(gpci_engine *engine, uint32_t task) {
    const gpci_task *put = gpci_task_at(engine, task);
    if (put->at_low)
        put_at_low(engine, task);
    else if (put->state != GPC_LINE_I)
        put_present(engine, task);
    else if (takes(engine, put))
        keep_bytes(engine, task);
    else
        fetch(engine, task);
}

/* Drop the copies in the target (a near half) and above, which would be stale; then send the store on. */
static void pass_on(gpci_engine *engine, uint32_t task) {
    const gpci_task *put = gpci_task_at(engine, task);
    if (put->missing)
        forward(engine, task, GPCI_STEP_put_forwarded);
    else
        gpci_invalidate_begin(engine, task, GPCI_STEP_put_near, put->module, put->block, GPC_NO_MODULE, GPCI_NO_ITEM, 0,
                              GPCI_TASK_ALL, 0);
}

/* Evict the target's copy: no copy is left above. */
void gpci_step_put_near(gpci_engine *engine, uint32_t task) {
    const gpci_task *put = gpci_task_at(engine, task);
    const uint32_t block = put->block;
    uint32_t child;
    gpci_task_begin(engine, task, GPCI_STEP_put_moved, put->module, put->module,
                    gpci_module_tag_of(gpci_task_module(engine, put), put->address), &child)
        ->own = block;
    gpci_then(engine, child, GPCI_STEP_evict_begin);
}

void gpci_step_put_moved(gpci_engine *engine, uint32_t task) {
    if (!refused(engine, task))
        forward(engine, task, GPCI_STEP_put_forwarded);
}

void gpci_step_put_complete(gpci_engine *engine, uint32_t task) {
    if (refused(engine, task))
        return;
    (void)gpci_complete_end(engine, gpci_task_at(engine, task));
    take_put(engine, task);
}

#ifdef GPCI_CHECK
static void count_again(gpci_module *target, const gpci_task *put) {
    const bool through = put->kind == GPC_MESSAGE_WRITE_THROUGH;
    target->again.write_throughs_received += through;
    target->again.write_backs_received += !through && put->data;
    target->again.notices_received += !through && !put->data;
}
#endif

void gpci_step_put_found(gpci_engine *engine, uint32_t task) {
    gpci_task *put = gpci_task_at(engine, task);
    gpci_module *target = gpci_task_module(engine, put);
    if (put->refused) {
        gpci_then(engine, task, GPCI_STEP_put_reply);
        return;
    }
    put->served = true;
    if (engine->alone && (put->at_low ? !target->near : target->place == GPCI_PLACE_MEMORY && !is_tracked(engine)))
        gpci_inflight_reaches(engine, put);
    if (is_stale(engine, put)) {
        gpci_release_address(engine, task);
        gpci_then(engine, task, GPCI_STEP_put_reply);
        return;
    }
    *(put->kind == GPC_MESSAGE_WRITE_THROUGH ? &target->stats.write_throughs_received
      : put->data                            ? &target->stats.write_backs_received
                                             : &target->stats.notices_received) += 1;
    GPCI_AGAIN(count_again(target, put));
    if (bypasses_t(engine, put))
        gpci_drop_begin(engine, task, GPC_EVENT_PASSING_STORE, GPCI_STEP_put_dropped);
    else if (GPCI_UNLIKELY(is_passed_on(engine, put)))
        pass_on(engine, task);
    else if (put->missing)
        put_absent(engine, task);
    else if (GPCI_UNLIKELY(put->passing && !put->blind && put->state != GPC_LINE_I &&
                           gpci_module_is_partial(target, put->block)))
        gpci_complete_begin(engine, task, GPCI_STEP_put_complete);
    else
        take_put(engine, task);
}

static gpc_protocol_rule rule_of(const gpci_engine *engine, const gpci_task *put) {
    const gpci_module *target = gpci_task_module(engine, put);
    return gpci_tree_rule(engine->tree, target, target->states[put->block], event_of(engine, put));
}

/* True if the target sends the put's bytes on before it keeps the bytes itself. */
static bool sends_on(const gpci_engine *engine, const gpci_task *put) {
    return put->data && rule_of(engine, put).actions & GPC_DO_WRITE_THROUGH;
}

void gpci_step_put_alone(gpci_engine *engine, uint32_t task) {
    gpci_rights_begin(engine, task, GPCI_STEP_put_owned);
}

void gpci_step_put_owned(gpci_engine *engine, uint32_t task) {
    if (refused(engine, task))
        return;
    const gpci_task *put = gpci_task_at(engine, task);
    const gpci_tree_payload store = gpci_store_of(engine, put->inflight);
    if (GPCI_UNLIKELY(gpci_rights_end(engine, put)))
        gpci_tree_data_begin(gpci_task_module(engine, put), put->block, sends_on(engine, put) ? NULL : &store);
    gpci_step_put_merge(engine, task);
}

/*
 * Continue when the missing block has arrived, for a write-back or a store written through: set the state by the rule
 * for the put's event.
 */
void gpci_step_put_fetched(gpci_engine *engine, uint32_t task) {
    gpci_task *put = gpci_task_at(engine, task);
    gpci_module *target = gpci_task_module(engine, put);
    if (refused(engine, task))
        return;
    const uint32_t event = put->at_low ? (uint32_t)GPC_EVENT_READ_ABOVE : event_of(engine, put);
    const gpc_protocol_rule rule = gpci_tree_rule(engine->tree, target, GPC_LINE_I, event);
    const uint32_t origin =
        put->at_low ? (uint32_t)GPC_ORIGIN_READ_UP_DOWN
                    : gpci_tree_put_origin(engine->tree, (gpc_message_kind)put->kind, put->masked, GPC_LINE_I);
    gpci_tree_set_state(engine->tree, target, put->block, gpci_module_tag_of(target, put->address),
                        put->shared ? rule.next_shared : rule.next, origin, engine->now);
    if (put->at_low) {
        gpci_step_put_merge(engine, task);
        return;
    }
    store_bytes(engine, put, true);
    answer(engine, task);
}

static void leave(const gpci_engine *engine, const gpci_task *put) {
    if (put->leaves)
        gpci_tree_drop_sharers(engine->tree, gpci_task_module(engine, put), put->block, gpci_task_from(engine, put),
                               put->address);
}

/*
 * Keep the put's bytes in the target. If the target must also send the bytes on, it sends first. The put is refused if
 * an owner's locked copy refused the invalidation.
 */
void gpci_step_put_merge(gpci_engine *engine, uint32_t task) {
    const gpci_task *put = gpci_task_at(engine, task);
    if (refused(engine, task))
        return;
    if (sends_on(engine, put))
        forward(engine, task, GPCI_STEP_put_keep);
    else
        gpci_step_put_keep(engine, task);
}

/* Send invalidations to the other readers of the stored bytes (engine_tell.c). */
static void tell_others(gpci_engine *engine, uint32_t task) {
    const gpci_task *put = gpci_task_at(engine, task);
    const gpci_tree_inflight *access = gpci_tree_inflight_at(engine, put->inflight);
    const gpci_module *requester = gpci_task_from(engine, put);
    const uint64_t first = put->stored ? access->address : put->address;
    const gpci_tree_notification notified = {.block = put->block,
                                             .except = requester,
                                             .first = first,
                                             .last = first +
                                                     (put->stored ? access->size : requester->given.block_bytes) - 1};
    gpci_engine_notify(engine, task, gpci_task_module(engine, put), &notified);
}

void gpci_step_put_keep(gpci_engine *engine, uint32_t task) {
    gpci_task *put = gpci_task_at(engine, task);
    gpci_module *target = gpci_task_module(engine, put);
    if (refused(engine, task))
        return;
    if (put->data) {
        const uint8_t state = target->states[put->block];
        const gpc_protocol_rule rule = rule_of(engine, put);
        store_bytes(engine, put, !(rule.actions & GPC_DO_WRITE_THROUGH));
        if (!(rule.actions & GPC_DO_IGNORE))
            gpci_tree_set_state(engine->tree, target, put->block, gpci_module_tag(target, put->block), rule.next,
                                gpci_tree_put_origin(engine->tree, (gpc_message_kind)put->kind, put->masked, state),
                                engine->now);
        if (rule.actions & GPC_DO_WRITE_THROUGH)
            gpci_tree_data_clean(engine->tree, target, put->block);
        if (GPCI_UNLIKELY(gpci_tree_has(engine->tree, GPC_PROTOCOL_INVALIDATES))) {
            tell_others(engine, task);
            put = gpci_task_at(engine, task);
        }
    }
    if (put->data && gpci_module_directory_only(target, put->block) &&
        gpci_tree_is_modified(engine->tree, target->states[put->block])) {
        gpci_write_back_begin(engine, task, GPCI_STEP_put_cleaned, target, put->block);
        return;
    }
    leave(engine, put);
    answer(engine, task);
}

/*
 * Continue when the target has sent the put's bytes below, because its directory-only entry has no room for data. If
 * refused, the requester keeps the bytes.
 */
void gpci_step_put_cleaned(gpci_engine *engine, uint32_t task) {
    const gpci_task *put = gpci_task_at(engine, task);
    gpci_module *target = gpci_task_module(engine, put);
    if (refused(engine, task))
        return;
    leave(engine, put);
    gpci_tree_data_clean(engine->tree, target, put->block);
    gpci_tree_written_back(engine->tree, target, put->block, GPC_ORIGIN_DIRECTORY_ONLY, engine->now);
    answer(engine, task);
}

void gpci_step_put_dropped(gpci_engine *engine, uint32_t task) {
    if (refused(engine, task))
        return;
    gpci_drop_end(engine, gpci_task_at(engine, task), GPC_EVENT_PASSING_STORE);
    forward(engine, task, GPCI_STEP_put_forwarded);
}

/* Continue when the target has sent the bytes below without keeping them. */
void gpci_step_put_forwarded(gpci_engine *engine, uint32_t task) {
    if (refused(engine, task))
        return;
    gpci_release_address(engine, task);
    gpci_then(engine, task, GPCI_STEP_put_reply);
}

void gpci_step_put_reply(gpci_engine *engine, uint32_t task) {
    const gpci_task *put = gpci_task_at(engine, task);
    const gpci_tree_inflight *access = gpci_tree_inflight_at(engine, put->inflight);
    gpci_message message =
        gpci_reply_message(engine, task, GPC_MESSAGE_ACK, GPCI_STEP_put_replied, GPCI_STEP_put_reply);
    if (GPCI_UNLIKELY(access->flags & GPC_ACCESS_RETURNS) && put->stored && put->passing && !put->refused)
        message.bytes += access->size;
    gpci_send(engine, &message);
}

void gpci_step_put_replied(gpci_engine *engine, uint32_t task) {
    gpci_task *put = gpci_task_at(engine, task);
    gpci_block_answered(engine, task);
    if (put->leaves && put->resumes != GPCI_STEP_flush_left) {
        gpci_step_evict_replied(engine, task);
        return;
    }
    gpci_task_at(engine, put->parent)->refused |= put->refused;
    gpci_task_end(engine, task);
}
