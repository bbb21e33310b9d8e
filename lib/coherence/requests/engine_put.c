/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/engine/engine.h"
#include "coherence/module/tree_engine.h"

/*
 * Puts from R (`from`) to T (`module`), as in put.c: blocks written back or evicted, and stores written through or
 * performed by T. T's action depends on the block:
 *   T has it: T keeps the bytes, and by the rule also sends them on
 *   T lacks it (only without a directory): T reads the block first, or sends the bytes on
 *   the store bypasses T: T drops its copy, and sends the bytes on
 *   R has no copy and T performs the store: T first gets the only copy; for an n-store, any copy
 * A put refused by T or below changes nothing: R keeps its bytes.
 */

static bool is_tracked(const gpci_engine *e) {
    return gpci_tree_has(e->tree, GPC_PROTOCOL_DIRECTORY);
}

static gpci_task *put_begin(gpci_engine *e, uint32_t parent, gpci_step resumes, gpci_module *from, uint64_t address) {
    uint32_t task;
    gpci_task *v = gpci_task_begin(e, parent, resumes, from->index, gpci_module_low(e->tree, from, address),
                                   gpci_module_tag_of(from, address), &task);
    v->sort = GPCI_TASK_PUT;
    v->data = true;
    gpci_task_at(e, parent)->refused = false;
    gpci_step_in(e, task, GPCI_STEP_put_send, 0); /* runs after the caller has filled in the task */
    return v;
}

static gpci_task *write_back(gpci_engine *e, uint32_t parent, gpci_step resumes, gpci_module *m, uint32_t block) {
    gpci_task *v = put_begin(e, parent, resumes, m, gpci_module_tag(m, block));
    v->own = v->carried = block;
    v->carrier = (uint16_t)m->index;
    v->forwarded = true;
    v->kind = GPC_MESSAGE_WRITE_BACK;
    v->size = e->tree->control_bytes + m->given.block_bytes;
    v->masked = gpci_tree_is_masked(e->tree, m->states[block]);
    return v;
}

void gpci_write_back_begin(gpci_engine *e, uint32_t parent, gpci_step resumes, gpci_module *m, uint32_t block) {
    (void)write_back(e, parent, resumes, m, block);
}

void gpci_write_back_last(gpci_engine *e, uint32_t parent, gpci_step resumes, gpci_module *m, uint32_t block) {
    gpci_task *v = write_back(e, parent, resumes, m, block);
    v->forwarded = false;
    v->leaves = true;
}

void gpci_write_back_upon(gpci_engine *e, uint32_t parent, gpci_step resumes, gpci_module *m, uint32_t block,
                          uint32_t event) {
    const bool masked = gpci_tree_is_masked(e->tree, m->states[block]);
    write_back(e, parent, resumes, m, block)->event =
        gpci_raised_below(m, m->states[block], event, gpci_tree_put_event(masked));
}

gpci_task *gpci_store_begin(gpci_engine *e, uint32_t parent, gpci_step resumes, bool non_coherent) {
    const uint32_t inflight = gpci_task_at(e, parent)->inflight;
    const gpci_tree_inflight *a = gpci_tree_inflight_at(e, inflight);
    const gpci_inflight_rest *rest = e->rests ? &e->rests[inflight] : NULL;
    gpci_task *v = put_begin(e, parent, resumes, gpci_module_at(e->tree, a->module), a->address);
    v->stored = true;
    v->own = gpci_task_at(e, parent)->block;
    v->kind = GPC_MESSAGE_WRITE_THROUGH;
    v->size = e->tree->control_bytes + a->size;
    v->masked = non_coherent;
    v->blind = a->kind == GPC_COHERENCE_N_STORE && !(rest && (rest->out || rest->atomic_count)) &&
               !(a->flags & GPC_ACCESS_RETURNS);
    return v;
}

/* Event of the bytes at T. A probe may have changed the kind of a block's bytes since the put was prepared. */
static uint32_t event_of(const gpci_engine *e, const gpci_task *v) {
    const uint32_t usual = gpci_tree_put_event(v->masked), event = gpci_event_or(v->event, usual);
    return GPCI_LIKELY(event == usual) || gpci_like(e->tree->protocol, event) == usual ? event : usual;
}

/* Event raised further below, by T's rule. */
static uint8_t raised_on(const gpci_engine *e, const gpci_task *v) {
    const gpci_module *t = gpci_task_module(e, v);
    const uint8_t state = v->block == GPCI_TREE_NO_BLOCK ? GPC_LINE_I : t->states[v->block];
    return gpci_raised_below(t, state, event_of(e, v), gpci_tree_put_event(v->masked));
}

/* T sends on bytes it does not keep, or not alone; the address stays locked meanwhile. */
static void forward(gpci_engine *e, uint32_t task, gpci_step resumes) {
    const gpci_task *v = gpci_task_at(e, task);
    gpci_task *on = put_begin(e, task, resumes, gpci_task_module(e, v), v->address);
    v = gpci_task_at(e, task);
    if (!v->at_low && !v->passing)
        on->event = raised_on(e, v);
    on->carrier = v->carrier;
    on->carried = v->carried;
    on->kind = v->kind;
    on->size = v->size;
    on->masked = v->masked;
    on->stored = v->stored;
    on->passing = v->passing;
    on->blind = v->blind;
    on->at_low = v->at_low && gpci_task_module(e, v)->near;
    on->forwarded = true;
}

void gpci_step_put_send(gpci_engine *e, uint32_t task) {
    const gpci_task *v = gpci_task_at(e, task);
    gpci_message message =
        gpci_request_message(e, task, (gpc_message_kind)v->kind, GPCI_STEP_put_come, GPCI_STEP_put_send);
    message.bytes = v->size;
    message.masked = v->data && v->masked;
    if (!gpci_send(e, &message))
        return;
    gpci_block_asks(e, task);
    gpci_access_left(e, task);
}

static bool bypasses_t(const gpci_engine *e, const gpci_task *v) {
    const uint32_t flags = gpci_tree_inflight_at(e, v->inflight)->flags;
    return v->passing && !v->at_low && gpci_tree_passes(gpci_task_module(e, v), e->tree->protocol->pass_stores, flags);
}

/*
 * True if T should perform the store but is the near half of a cache: T drops its copy and sends the store to the home
 * half.
 */
static bool is_passed_on(const gpci_engine *e, const gpci_task *v) {
    return v->at_low && gpci_task_module(e, v)->near;
}

/* True if T makes room for a missing block. */
static bool allocates(const gpci_engine *e, const gpci_task *v) {
    const gpci_module *t = gpci_task_module(e, v);
    if (v->at_low || is_tracked(e) || bypasses_t(e, v))
        return v->at_low && !t->near;
    const uint32_t actions = gpci_module_rule(t, GPC_LINE_I, event_of(e, v))->actions;
    return t->place == GPCI_PLACE_MEMORY || (v->data && actions & (GPC_DO_READ_REQUEST | GPC_DO_HIT));
}

void gpci_step_put_come(gpci_engine *e, uint32_t task) {
    const gpci_task *v = gpci_task_at(e, task);
    gpci_find_begin(
        e, task,
        &(gpci_look){.address = v->address,
                     .module = v->module,
                     .resumes = GPCI_STEP_put_found,
                     .blocking = !is_tracked(e) || (e->waits && !v->forwarded),
                     .allocates = allocates(e, v),
                     .goes_first = true,
                     .blocks_address = v->data && (!is_tracked(e) || bypasses_t(e, v) || is_passed_on(e, v))});
}

/* T reads the block from its own low module. */
static void fetch(gpci_engine *e, uint32_t task) {
    const gpci_task *v = gpci_task_at(e, task);
    const gpci_module *t = gpci_task_module(e, v);
    const uint64_t tag = gpci_module_tag_of(t, v->address);
    const uint32_t block = v->block;
    const bool misses = v->stored && gpci_needs_rest(e, t, v->inflight);
    uint32_t child;
    const uint32_t event = v->at_low ? (uint32_t)GPC_EVENT_READ_ABOVE : event_of(e, v);
    gpci_task *own =
        gpci_task_begin(e, task, GPCI_STEP_put_fetched, t->index, gpci_module_low(e->tree, t, tag), tag, &child);
    own->own = block;
    own->event = gpci_raised_below(t, GPC_LINE_I, event, GPC_EVENT_READ_ABOVE);
    gpci_task_at(e, task)->shared = false;
    gpci_ask(e, t, child, GPCI_STEP_read_begin, misses);
}

/* T lacks the block. */
static void put_absent(gpci_engine *e, uint32_t task) {
    const gpci_task *v = gpci_task_at(e, task);
    const gpci_module *t = gpci_task_module(e, v);
    if (is_tracked(e)) { /* impossible with inclusion, unless the tree breaks the rules */
        gpci_tree_fail(e->tree, GPC_ERROR_STATE, "%s: module %s writes back what module %s has not",
                       e->tree->protocol->name, gpci_task_from(e, v)->given.name, t->given.name);
        gpci_then(e, task, GPCI_STEP_put_reply);
        return;
    }
    (void)gpci_tree_rule(e->tree, t, GPC_LINE_I, event_of(e, v)); /* a table may forbid the event */
    if (!v->data) {
        gpci_release_address(e, task);
        gpci_then(e, task, GPCI_STEP_put_reply);
        return;
    }
    forward(e, task, GPCI_STEP_put_forwarded);
}

/* True if another module above T owns the bytes of a non-coherent store. */
static bool others_own(const gpci_engine *e, const gpci_task *v) {
    const gpci_module *m = gpci_task_from(e, v), *t = gpci_task_module(e, v);
    const gpci_tree_span span = gpci_tree_span_of(t, m, v->address);
    for (uint32_t sub = span.first; v->data && v->masked && is_tracked(e) && sub < span.end; sub++) {
        const uint16_t owner = gpci_module_owner_of(t, v->block, sub);
        if (owner != GPCI_TREE_NO_OWNER && owner != t->slots[m->index])
            return true;
    }
    return false;
}

/* T has the block. Older bytes of other owners come first. */
static void put_present(gpci_engine *e, uint32_t task) {
    const gpci_task *v = gpci_task_at(e, task);
    const gpci_module *m = gpci_task_from(e, v), *t = gpci_task_module(e, v);
    if (others_own(e, v))
        gpci_invalidate_begin(e, task, GPCI_STEP_put_merge, t->index, v->block, m->index, GPCI_NO_ITEM, v->address,
                              m->given.block_bytes - 1, 0);
    else
        gpci_step_put_merge(e, task);
}

/* True if T lacks the block and keeps only the stored bytes. */
static bool takes(const gpci_engine *e, const gpci_task *v) {
    const gpci_module *t = gpci_task_module(e, v);
    return v->blind && gpci_takes_store(e, t, v->inflight);
}

/* T performs the store, with the only copy; for an n-store, with any copy. */
static void put_at_low(gpci_engine *e, uint32_t task) {
    const gpci_task *v = gpci_task_at(e, task);
    /* R has no copy, whatever the directory says, and the address is blocked. */
    const bool passed_on = gpci_task_from(e, v)->near;
    if (passed_on)
        gpci_tree_drop_sharers(e->tree, gpci_task_module(e, v), v->block, gpci_task_from(e, v), v->address);
    if (!v->masked)
        gpci_invalidate_begin(e, task, GPCI_STEP_put_alone, v->module, v->block, passed_on ? v->from : GPC_NO_MODULE,
                              GPCI_NO_ITEM, 0, GPCI_TASK_ALL, 0);
    else if (v->state != GPC_LINE_I)
        put_present(e, task);
    else if (takes(e, v))
        gpci_rights_begin(e, task, GPCI_STEP_put_owned);
    else
        fetch(e, task);
}

/*
 * True if a probe passed the lock of the put's block and took the block or its modified bytes: others may have written
 * it since.
 */
static bool is_stale(gpci_engine *e, gpci_task *v) {
    if (!v->taken)
        return false;
    const gpci_module *m = gpci_task_from(e, v);
    const uint8_t state = m->states[v->own];
    if (!v->leaves)
        return !gpci_tree_is_modified(e->tree, state);
    if (state == GPC_LINE_I)
        return true;
    v->data = v->data && gpci_tree_rule(e->tree, m, state, GPC_EVENT_EVICTION).actions & GPC_DO_WRITE_BACK;
    v->masked = v->data && gpci_tree_is_masked(e->tree, state);
    return false;
}

/* True if a request of T itself was refused: release the block and reply. */
static bool refused(gpci_engine *e, uint32_t task) {
    if (!gpci_task_at(e, task)->refused)
        return false;
    gpci_release_address(e, task);
    gpci_then(e, task, GPCI_STEP_put_reply);
    return true;
}

/*
 * Store the put's bytes in T. `last`: no module below gets the bytes; a store that bypasses R then returns the value.
 */
static void store_bytes(gpci_engine *e, const gpci_task *v, bool last) {
    gpc_coherence *c = e->tree;
    gpci_module *t = gpci_task_module(e, v);
    if (!v->stored) {
        const gpci_module *x = gpci_module_at(c, v->carrier);
        gpci_tree_data_merge(c, x, v->carried, gpci_module_tag(x, v->carried), t, v->block);
        return;
    }
    const gpci_tree_inflight *a = gpci_tree_inflight_at(e, v->inflight);
    const gpci_tree_payload store = gpci_store_of(e, v->inflight);
    gpci_tree_data_store(c, t, v->block, &store);
    gpci_tree_data_come(t, v->block, &store);
    if (!v->passing || !last || !c->with_data)
        return;
    gpci_tree_data_load(c, t, v->block, a->address, a->size, gpci_payload_of(e, v->inflight));
    gpci_performed(e, v->inflight);
}

/* T is done and answers. */
static void answer(gpci_engine *e, uint32_t task) {
    const gpci_task *v = gpci_task_at(e, task);
    gpci_module *t = gpci_task_module(e, v);
    gpci_release_address(e, task);
    gpci_use_data(e, task, GPCI_STEP_put_reply, t, v->data ? v->size - e->tree->control_bytes : 0, true);
}

/* T lacks the block and keeps only the stored bytes. */
static void keep_bytes(gpci_engine *e, uint32_t task) {
    const gpci_task *v = gpci_task_at(e, task);
    gpci_module *t = gpci_task_module(e, v);
    const gpc_protocol_rule rule = gpci_tree_rule(e->tree, t, GPC_LINE_I, event_of(e, v));
    gpci_tree_set_state(e->tree, t, v->block, gpci_module_tag_of(t, v->address), rule.next_shared,
                        gpci_tree_put_origin(e->tree, (gpc_message_kind)v->kind, v->masked, GPC_LINE_I), e->now);
    const gpci_tree_payload store = gpci_store_of(e, v->inflight);
    gpci_tree_data_begin(t, v->block, &store);
    store_bytes(e, v, true);
    answer(e, task);
}

/* T has a way for the block. */
static void take_put(gpci_engine *e, uint32_t task) {
    const gpci_task *v = gpci_task_at(e, task);
    if (v->at_low)
        put_at_low(e, task);
    else if (v->state != GPC_LINE_I)
        put_present(e, task);
    else if (takes(e, v))
        keep_bytes(e, task);
    else
        fetch(e, task);
}

/* Copies at T and above would be stale: drop them first. */
static void pass_on(gpci_engine *e, uint32_t task) {
    const gpci_task *v = gpci_task_at(e, task);
    if (v->missing)
        forward(e, task, GPCI_STEP_put_forwarded);
    else
        gpci_invalidate_begin(e, task, GPCI_STEP_put_near, v->module, v->block, GPC_NO_MODULE, GPCI_NO_ITEM, 0,
                              GPCI_TASK_ALL, 0);
}

/* No copy is left above T: drop T's. */
void gpci_step_put_near(gpci_engine *e, uint32_t task) {
    const gpci_task *v = gpci_task_at(e, task);
    const uint32_t block = v->block;
    uint32_t child;
    gpci_task_begin(e, task, GPCI_STEP_put_moved, v->module, v->module,
                    gpci_module_tag_of(gpci_task_module(e, v), v->address), &child)
        ->own = block;
    gpci_then(e, child, GPCI_STEP_evict_begin);
}

void gpci_step_put_moved(gpci_engine *e, uint32_t task) {
    if (!refused(e, task))
        forward(e, task, GPCI_STEP_put_forwarded);
}

void gpci_step_put_whole(gpci_engine *e, uint32_t task) {
    if (refused(e, task))
        return;
    (void)gpci_whole_end(e, gpci_task_at(e, task));
    take_put(e, task);
}

void gpci_step_put_found(gpci_engine *e, uint32_t task) {
    gpci_task *v = gpci_task_at(e, task);
    gpci_module *t = gpci_task_module(e, v);
    if (v->refused) {
        gpci_then(e, task, GPCI_STEP_put_reply);
        return;
    }
    v->served = true;
    if (e->alone && (v->at_low ? !t->near : t->place == GPCI_PLACE_MEMORY && !is_tracked(e)))
        gpci_inflight_reaches(e, v);
    if (is_stale(e, v)) {
        gpci_release_address(e, task);
        gpci_then(e, task, GPCI_STEP_put_reply);
        return;
    }
    *(v->kind == GPC_MESSAGE_WRITE_THROUGH ? &t->stats.write_throughs_received
      : v->data                            ? &t->stats.write_backs_received
                                           : &t->stats.notices_received) += 1;
    if (bypasses_t(e, v))
        gpci_drop_begin(e, task, GPC_EVENT_PASSING_STORE, GPCI_STEP_put_dropped);
    else if (GPCI_UNLIKELY(is_passed_on(e, v)))
        pass_on(e, task);
    else if (v->missing)
        put_absent(e, task);
    else if (GPCI_UNLIKELY(v->passing && !v->blind && v->state != GPC_LINE_I && gpci_module_is_partial(t, v->block)))
        gpci_whole_begin(e, task, GPCI_STEP_put_whole);
    else
        take_put(e, task);
}

static gpc_protocol_rule rule_of(const gpci_engine *e, const gpci_task *v) {
    const gpci_module *t = gpci_task_module(e, v);
    return gpci_tree_rule(e->tree, t, t->states[v->block], event_of(e, v));
}

/* True if T sends the bytes on before keeping a copy. */
static bool sends_on(const gpci_engine *e, const gpci_task *v) {
    return v->data && rule_of(e, v).actions & GPC_DO_WRITE_THROUGH;
}

void gpci_step_put_alone(gpci_engine *e, uint32_t task) {
    gpci_rights_begin(e, task, GPCI_STEP_put_owned);
}

void gpci_step_put_owned(gpci_engine *e, uint32_t task) {
    if (refused(e, task))
        return;
    const gpci_task *v = gpci_task_at(e, task);
    const gpci_tree_payload store = gpci_store_of(e, v->inflight);
    if (GPCI_UNLIKELY(gpci_rights_end(e, v)))
        gpci_tree_data_begin(gpci_task_module(e, v), v->block, sends_on(e, v) ? NULL : &store);
    gpci_step_put_merge(e, task);
}

/* The block arrived, for a write-back or a store written through; set the state its event leads to. */
void gpci_step_put_fetched(gpci_engine *e, uint32_t task) {
    gpci_task *v = gpci_task_at(e, task);
    gpci_module *t = gpci_task_module(e, v);
    if (refused(e, task))
        return;
    const uint32_t event = v->at_low ? (uint32_t)GPC_EVENT_READ_ABOVE : event_of(e, v);
    const gpc_protocol_rule rule = gpci_tree_rule(e->tree, t, GPC_LINE_I, event);
    const uint32_t origin = v->at_low ? (uint32_t)GPC_ORIGIN_READ_UP_DOWN
                                      : gpci_tree_put_origin(e->tree, (gpc_message_kind)v->kind, v->masked, GPC_LINE_I);
    gpci_tree_set_state(e->tree, t, v->block, gpci_module_tag_of(t, v->address),
                        v->shared ? rule.next_shared : rule.next, origin, e->now);
    if (v->at_low) {
        gpci_step_put_merge(e, task);
        return;
    }
    store_bytes(e, v, true);
    answer(e, task);
}

static void leave(const gpci_engine *e, const gpci_task *v) {
    if (v->leaves)
        gpci_tree_drop_sharers(e->tree, gpci_task_module(e, v), v->block, gpci_task_from(e, v), v->address);
}

/* T keeps the bytes. If T also sends on, sending comes first. */
void gpci_step_put_merge(gpci_engine *e, uint32_t task) {
    const gpci_task *v = gpci_task_at(e, task);
    if (sends_on(e, v))
        forward(e, task, GPCI_STEP_put_keep);
    else
        gpci_step_put_keep(e, task);
}

/* Send invalidations to other readers of T's block. */
static void tell_others(gpci_engine *e, uint32_t task) {
    const gpci_task *v = gpci_task_at(e, task);
    const gpci_tree_inflight *a = gpci_tree_inflight_at(e, v->inflight);
    const gpci_module *r = gpci_task_from(e, v);
    const uint64_t first = v->stored ? a->address : v->address;
    const gpci_tree_notification notified = {.block = v->block,
                                             .except = r,
                                             .first = first,
                                             .last = first + (v->stored ? a->size : r->given.block_bytes) - 1};
    gpci_engine_notify(e, task, gpci_task_module(e, v), &notified);
}

void gpci_step_put_keep(gpci_engine *e, uint32_t task) {
    gpci_task *v = gpci_task_at(e, task);
    gpci_module *t = gpci_task_module(e, v);
    if (refused(e, task))
        return;
    if (v->data) {
        const uint8_t state = t->states[v->block];
        const gpc_protocol_rule rule = rule_of(e, v);
        store_bytes(e, v, !(rule.actions & GPC_DO_WRITE_THROUGH));
        if (!(rule.actions & GPC_DO_IGNORE))
            gpci_tree_set_state(e->tree, t, v->block, gpci_module_tag(t, v->block), rule.next,
                                gpci_tree_put_origin(e->tree, (gpc_message_kind)v->kind, v->masked, state), e->now);
        if (rule.actions & GPC_DO_WRITE_THROUGH)
            gpci_tree_data_clean(e->tree, t, v->block);
        if (GPCI_UNLIKELY(gpci_tree_has(e->tree, GPC_PROTOCOL_INVALIDATES))) {
            tell_others(e, task);
            v = gpci_task_at(e, task);
        }
    }
    if (v->data && gpci_module_directory_only(t, v->block) && gpci_tree_is_modified(e->tree, t->states[v->block])) {
        gpci_write_back_begin(e, task, GPCI_STEP_put_cleaned, t, v->block);
        return;
    }
    leave(e, v);
    answer(e, task);
}

/* The bytes of a directory-only entry (no room for data) were written below; if refused, R still has them. */
void gpci_step_put_cleaned(gpci_engine *e, uint32_t task) {
    const gpci_task *v = gpci_task_at(e, task);
    gpci_module *t = gpci_task_module(e, v);
    if (refused(e, task))
        return;
    leave(e, v);
    gpci_tree_data_clean(e->tree, t, v->block);
    gpci_tree_written_back(e->tree, t, v->block, GPC_ORIGIN_DIRECTORY_ONLY, e->now);
    answer(e, task);
}

void gpci_step_put_dropped(gpci_engine *e, uint32_t task) {
    if (refused(e, task))
        return;
    gpci_drop_end(e, gpci_task_at(e, task), GPC_EVENT_PASSING_STORE);
    forward(e, task, GPCI_STEP_put_forwarded);
}

/* Bytes that T does not keep were stored below. */
void gpci_step_put_forwarded(gpci_engine *e, uint32_t task) {
    if (refused(e, task))
        return;
    gpci_release_address(e, task);
    gpci_then(e, task, GPCI_STEP_put_reply);
}

void gpci_step_put_reply(gpci_engine *e, uint32_t task) {
    const gpci_task *v = gpci_task_at(e, task);
    const gpci_tree_inflight *a = gpci_tree_inflight_at(e, v->inflight);
    gpci_message message = gpci_reply_message(e, task, GPC_MESSAGE_ACK, GPCI_STEP_put_replied, GPCI_STEP_put_reply);
    if (GPCI_UNLIKELY(a->flags & GPC_ACCESS_RETURNS) && v->stored && v->passing && !v->refused)
        message.bytes += a->size;
    gpci_send(e, &message);
}

void gpci_step_put_replied(gpci_engine *e, uint32_t task) {
    gpci_task *v = gpci_task_at(e, task);
    gpci_block_answered(e, task);
    if (v->leaves && v->resumes != GPCI_STEP_flush_left) {
        gpci_step_evict_replied(e, task);
        return;
    }
    gpci_task_at(e, v->parent)->refused |= v->refused;
    gpci_task_end(e, task);
}
