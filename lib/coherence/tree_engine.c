/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/tree_engine.h"
#include "base/array.h"

#include <string.h>

/*
 * An access of a processor at the first-level module. The table has a rule for the state of the found block and the
 * kind of access. The rule gives the request to the low module, if any (a copy, or the only copy), and the next state
 * of the block; after a read request the next state depends on copies in other modules. The other modules act in
 * request.c, probe.c and put.c.
 *
 * Example, nmoesi: a STORE finds S. The rule says WRITE_REQUEST, next M: the request goes down, all other copies are
 * invalidated, and the block is in M.
 */

typedef struct gpci_tree_access {
    const gpc_coherence_request *request;
    gpci_module *m;
    gpci_tree_lookup found;
    gpci_tree_payload store;
    uint32_t event;
    gpc_protocol_rule rule;
    gpci_tree_point at;
    bool hit;   /* no request to the low module */
    bool dirty; /* the write request brought bytes modified by other modules */
} gpci_tree_access;

/*
 * True if the protocol has N: a non-coherent store can lead to it. After a read request the next state is
 * `next_shared`, because a non-coherent store always shares the block.
 */
static bool stores_non_coherently(const gpc_coherence *c) {
    const gpc_protocol_rule(*rules)[GPC_EVENT_COUNT] = *c->protocol->first;
    for (uint32_t state = 0; state < c->states; state++) {
        const gpc_protocol_rule *rule = &rules[state][GPC_EVENT_N_STORE];
        const bool asks = rule->actions & GPC_DO_READ_REQUEST;
        if (gpci_tree_is_masked(c, (uint8_t)state) || !rule->actions)
            continue;
        if (gpci_tree_is_masked(c, rule->next) || (asks && gpci_tree_is_masked(c, rule->next_shared)))
            return true;
    }
    return false;
}

gpc_status gpci_tree_engine_prepare(gpc_coherence *c) {
    c->reply_room = c->message_bound;
    c->first_map = 0;
    while (c->first_map < c->module_count && !c->modules[c->first_map].full_map)
        c->first_map++;
    c->non_coherent = stores_non_coherently(c);
    for (uint32_t state = GPC_LINE_COUNT; state < c->states; state++) {
        c->forwards |= gpci_tree_stays_owner(c, (uint8_t)state);
        c->detaches |= gpci_tree_is_detached(c, (uint8_t)state);
    }
    if (c->brood) {
        c->wish_room = c->levels * (1 + c->brood);
        c->wishes = gpci_alloc(c->context, c->wish_room * sizeof *c->wishes);
    }
    return c->wishes || !c->brood ? GPC_OK : GPC_ERROR_MEMORY;
}

void gpci_tree_engine_release(gpc_coherence *c) {
    gpci_free(c->context, c->replies);
    gpci_free(c->context, c->wishes);
}

void gpci_coherence_inject(gpc_coherence *c, uint32_t faults, uint32_t protocol_flags) {
    c->own = *c->protocol;
    c->own.flags |= protocol_flags;
    c->protocol = &c->own;
    c->faults |= faults;
}

gpci_tree_point gpci_tree_engine_begin(gpc_coherence *c, uint64_t cycle) {
    c->message_count = c->transition_count = c->reply_count = c->wish_count = 0;
    c->line_access = c->line_accesses += !c->follows;
    c->deepest = 1;
    if (c->timing)
        gpci_tree_star_begin(c);
    return (gpci_tree_point){.cycle = c->timing ? cycle : 0, .after = GPC_NO_MESSAGE};
}

/* Reserve memory for the block and the neighbours. */
static gpc_status reserve_bytes(gpc_coherence *c, uint64_t address) {
    const uint64_t first = address & ~c->group_mask, step = (uint64_t)1 << c->memory_shift;
    gpc_status status = gpci_tree_memory_reserve(c, address);
    for (uint64_t at = 0; c->brood && at <= c->group_mask && status == GPC_OK; at += step)
        status = gpci_tree_memory_reserve(c, first + at);
    return status;
}

gpc_status gpci_tree_engine_reserve(gpc_coherence *c, uint64_t address) {
    if (!GPCI_ARRAY_ROOM(c->context, c->messages, c->message_room, c->message_count, c->message_bound) ||
        !GPCI_ARRAY_ROOM(c->context, c->transitions, c->transition_room, c->transition_count, c->message_bound))
        return GPC_ERROR_MEMORY;
    if (GPCI_UNLIKELY(!c->replies)) { /* lists are allocated at the first access: a tree made anew costs nothing */
        c->replies = gpci_alloc(c->context, (size_t)c->reply_room * sizeof *c->replies);
        if (!c->replies)
            return GPC_ERROR_MEMORY;
    }
    gpc_status status = GPC_OK;
    if (c->with_data)
        status = reserve_bytes(c, address);
    if (GPCI_UNLIKELY(c->first_touch) && status == GPC_OK)
        status = gpci_tree_pages_reserve(c);
    for (uint32_t i = c->first_map; i < c->module_count && status == GPC_OK; i++)
        if (c->modules[i].full_map && c->modules[i].blocks - c->modules[i].map.count <= c->brood)
            status = gpci_module_reserve(c->context, &c->modules[i], 1 + c->brood);
    return status;
}

gpc_status gpci_tree_engine_failure(const gpc_coherence *c, gpc_error *error) {
    return gpci_fail(error, c->failed, "%s", c->failure);
}

/*
 * Sort transitions by cycle. They were listed depth first, while modules probed together changed state at the same
 * time. Insertion sort: the list is nearly sorted.
 */
static void sort_transitions(gpc_coherence *c) {
    gpc_coherence_transition *t = c->transitions;
    for (uint32_t i = 1; i < c->transition_count; i++) {
        gpc_coherence_transition transition = t[i];
        uint32_t j = i;
        for (; j && t[j - 1].cycle > transition.cycle; j--)
            t[j] = t[j - 1];
        t[j] = transition;
    }
}

static void call_back(const gpc_coherence *c) {
    const gpc_coherence_callbacks *to = &c->callbacks;
    for (uint32_t i = 0; to->on_message && i < c->message_count; i++)
        to->on_message(to->user_data, &c->messages[i]);
    for (uint32_t i = 0; to->on_transition && i < c->transition_count; i++)
        to->on_transition(to->user_data, &c->transitions[i]);
}

gpc_status gpci_tree_engine_result(gpc_coherence *c, gpc_coherence_result *done, gpc_coherence_result *result) {
    if (c->timing)
        sort_transitions(c);
    call_back(c);
    if (!result)
        return GPC_OK;
    done->messages = c->messages;
    done->message_count = c->message_count;
    done->transitions = c->transitions;
    done->transition_count = c->transition_count;
    done->level = c->deepest;
    if (GPCI_LIKELY(result->struct_size == sizeof *result)) {
        *result = *done;
        return GPC_OK;
    }
    return gpci_give(result, done, sizeof *done);
}

/* If the access must read an absent block, note its neighbours for reading. */
static void misses(gpc_coherence *c, const gpci_tree_access *access) {
    const gpci_module *m = access->m;
    if (GPCI_UNLIKELY(m->fetch_mask) && access->found.state == GPC_LINE_I &&
        (access->request->kind == GPC_COHERENCE_LOAD || !gpci_tree_writes_all(m, &access->store)))
        gpci_tree_wish_for(c, m, access->request->address);
}

/* Read request: the next state depends on other sharers. */
static void request_copy(gpc_coherence *c, gpci_tree_access *access, bool non_coherent, uint32_t origin) {
    gpci_tree_request request = {.from = access->m,
                                 .block = access->found.block,
                                 .tag = gpci_module_tag_of(access->m, access->request->address),
                                 .flags = access->request->flags,
                                 .non_coherent = non_coherent,
                                 .cause = gpci_named_event(access->event)};
    request.event = gpci_raised_below(access->m, access->found.state, access->event, GPC_EVENT_READ_ABOVE);
    misses(c, access);
    gpci_tree_reply reply = gpci_tree_read_request(c, &request, access->at);
    access->at = reply.at;
    gpci_tree_set_state(c, access->m, access->found.block, request.tag,
                        reply.shared ? access->rule.next_shared : access->rule.next, origin, access->at);
}

/* Write request: further copies are invalidated. */
static void request_only_copy(gpc_coherence *c, gpci_tree_access *access, uint32_t origin) {
    gpci_tree_request request = {.from = access->m,
                                 .block = access->found.block,
                                 .tag = gpci_module_tag_of(access->m, access->request->address),
                                 .flags = access->request->flags,
                                 .valid = access->found.state != GPC_LINE_I};
    request.valid &= !(access->rule.actions & GPC_DO_EVICT_FIRST);
    request.event = gpci_raised_below(access->m, access->found.state, access->event, GPC_EVENT_WRITE_ABOVE);
    request.blind = GPCI_UNLIKELY(access->m->lazy) && !request.valid && access->request->kind != GPC_COHERENCE_LOAD &&
                    gpci_tree_writes_all(access->m, &access->store);
    misses(c, access);
    gpci_tree_reply reply = gpci_tree_write_request(c, &request, access->at);
    access->at = reply.at;
    access->dirty = reply.dirty;
    gpci_tree_set_state(c, access->m, access->found.block, request.tag, access->rule.next, origin, access->at);
}

static gpci_tree_put put_of(const gpc_coherence *c, const gpci_tree_access *access, bool non_coherent) {
    return (gpci_tree_put){.bytes = access->store,
                           .tag = gpci_module_tag_of(access->m, access->request->address),
                           .kind = GPC_MESSAGE_WRITE_THROUGH,
                           .size = c->control_bytes + access->request->size,
                           .flags = access->request->flags,
                           .non_coherent = non_coherent,
                           .blind = gpci_tree_is_blind(access->request),
                           .modified = true};
}

/*
 * The access bypasses the first level: a modified copy is written back, the copy is dropped, and the low module
 * performs the access.
 */
static void bypass(gpc_coherence *c, gpci_tree_access *access, bool coherent) {
    gpci_module *m = access->m;
    uint32_t block = access->found.block;
    if (block == GPCI_TREE_NO_BLOCK && access->request->kind == GPC_COHERENCE_N_STORE)
        gpci_module_pass_line(m, gpci_module_tag_of(m, access->request->address));
    if (block != GPCI_TREE_NO_BLOCK && gpci_tree_evicts(access->request->flags))
        access->at = gpci_tree_evict(c, m, block, access->at);
    else if (block != GPCI_TREE_NO_BLOCK && access->rule.actions & GPC_DO_WRITE_BACK)
        access->at = gpci_tree_write_back(c, m, block, access->at);
    if (block != GPCI_TREE_NO_BLOCK && m->states[block] != GPC_LINE_I)
        gpci_tree_set_state(c, m, block, gpci_module_tag(m, block), access->rule.next, GPC_ORIGIN_PASS, access->at);
    if (access->request->kind == GPC_COHERENCE_LOAD) {
        access->at = gpci_tree_load_from_low(c, m, access->request->address, access->request->size,
                                             access->request->out, access->request->flags, access->at);
        return;
    }
    gpci_tree_put put = put_of(c, access, !coherent && c->non_coherent);
    put.passing = true;
    put.out = access->request->out;
    bool tracked = gpci_tree_has(c, GPC_PROTOCOL_DIRECTORY);
    access->at = (tracked ? gpci_tree_store_at_low : gpci_tree_send_put)(c, m, &put, access->at);
}

/*
 * A load would bypass by the module's predictor. Bits of the line kept by the low module's predictor may overturn this:
 * the low module answers with the bits instead of bytes, and the load asks again, for a copy.
 */
static GPCI_NOINLINE bool is_overturned(gpc_coherence *c, gpci_tree_access *access) {
    gpci_module *m = access->m, *t = gpci_module_at(c, gpci_module_low(c, m, access->request->address));
    const uint64_t tag = gpci_module_tag_of(t, access->request->address);
    if (!t->responds || !c->request || c->request->admitted || gpci_module_line_way(t, tag) == UINT32_MAX)
        return false;
    const uint32_t word = gpci_module_respond(t, tag);
    if (!word || !gpci_module_overturns(m, gpci_module_tag_of(m, access->request->address), word))
        return false;
    access->at = gpci_tree_send(c, t, m, t, GPC_MESSAGE_READ_REQUEST, tag, c->control_bytes, access->at);
    access->at = gpci_tree_send(c, t, t, m, GPC_MESSAGE_ACK, tag, c->control_bytes, access->at);
    return true;
}

/* The stored bytes also go to the low module. The copy stays, clean if nothing else in it is modified. */
static void write_through(gpc_coherence *c, gpci_tree_access *access) {
    gpci_module *m = access->m;
    uint32_t block = access->found.block;
    uint8_t state = m->states[block];
    m->through |= (access->request->flags & GPC_ACCESS_THROUGH) != 0;
    gpci_tree_put put = put_of(c, access, gpci_tree_is_masked(c, state));
    put.event = gpci_raised_below(m, access->found.state, access->event, gpci_tree_put_event(put.non_coherent));
    access->at = gpci_tree_send_put(c, m, &put, access->at);
    gpci_tree_written_through(c, m, block, &access->store,
                              access->dirty || gpci_tree_is_modified(c, access->found.state), access->at);
}

/* Perform the access by the rule. */
static void load(gpc_coherence *c, gpci_tree_access *access) {
    access->hit = !(access->rule.actions & (GPC_DO_READ_REQUEST | GPC_DO_WRITE_REQUEST));
    if (access->rule.actions & GPC_DO_WRITE_REQUEST)
        request_only_copy(c, access, GPC_ORIGIN_LOAD_MISS);
    else if (!access->hit)
        request_copy(c, access, false, GPC_ORIGIN_LOAD_MISS);
}

static void store(gpc_coherence *c, gpci_tree_access *access) {
    const uint32_t actions = access->rule.actions;
    if (GPCI_UNLIKELY(actions & GPC_DO_EVICT_FIRST))
        access->at = gpci_tree_evict(c, access->m, access->found.block, access->at);
    if (actions & GPC_DO_WRITE_REQUEST) {
        request_only_copy(c, access, GPC_ORIGIN_STORE);
    } else if (actions & GPC_DO_READ_REQUEST) {
        request_copy(c, access, false, GPC_ORIGIN_STORE);
    } else {
        access->hit = true;
        gpci_tree_set_state(c, access->m, access->found.block, gpci_module_tag(access->m, access->found.block),
                            access->rule.next, GPC_ORIGIN_STORE, access->at);
    }
}

static void n_store(gpc_coherence *c, gpci_tree_access *access) {
    gpci_module *m = access->m;
    uint32_t block = access->found.block, actions = access->rule.actions;
    if (actions & GPC_DO_EVICT_FIRST)
        access->at = gpci_tree_evict(c, m, block, access->at);
    if (actions & GPC_DO_WRITE_REQUEST) {
        request_only_copy(c, access, GPC_ORIGIN_N_STORE);
    } else if (actions & GPC_DO_READ_REQUEST) {
        request_copy(c, access, true, GPC_ORIGIN_N_STORE);
    } else {
        access->hit = true;
        if (actions & GPC_DO_CLEAR_OWNER)
            access->at = gpci_tree_clear_owner(c, m, gpci_module_tag(m, block), access->at);
        gpci_tree_set_state(c, m, block, gpci_module_tag(m, block), access->rule.next, GPC_ORIGIN_N_STORE, access->at);
    }
}

/* Look up the block. A miss allocates, unless the access bypasses this level. True: it bypasses. */
static bool find(gpc_coherence *c, gpci_tree_access *access) {
    gpci_module *m = access->m;
    const uint32_t kind = access->request->kind, flags = access->request->flags;
    bool bypasses = gpci_tree_bypasses(m, access->event, kind, flags);
    access->found = bypasses ? gpci_tree_find(c, m, access->request->address, &access->at)
                             : gpci_tree_find_or_allocate(c, m, access->request->address, &access->at);
    access->rule = gpci_tree_rule(c, m, access->found.state, access->event);
    if (bypasses && (access->found.state == GPC_LINE_I || gpci_tree_evicts(flags)))
        access->rule.actions |= GPC_DO_PASS;
    return access->rule.actions & GPC_DO_PASS;
}

/* Perform the access on the local copy. */
static void perform_here(gpc_coherence *c, gpci_tree_access *access) {
    const gpc_coherence_request *request = access->request;
    gpci_module *m = access->m;
    if (request->kind == GPC_COHERENCE_LOAD) {
        load(c, access);
    } else {
        (request->kind == GPC_COHERENCE_STORE ? store : n_store)(c, access);
        gpci_tree_data_store(c, m, access->found.block, &access->store);
        if (access->rule.actions & GPC_DO_WRITE_THROUGH || gpci_tree_goes_through(m, request->kind, request->flags))
            write_through(c, access);
    }
    m->stats.hits += access->found.hit;
    gpci_tree_data_load(c, m, access->found.block, request->address, request->size, request->out);
    access->at = gpci_tree_use_data(c, m, access->at, request->kind != GPC_COHERENCE_LOAD);
}

/* End of the access: last message, noted neighbours, and reports to the host. */
GPCI_INLINE gpc_status finish(gpc_coherence *c, const gpci_tree_access *access, const gpc_coherence_request *request,
                              gpc_error *error, gpc_coherence_result *result) {
    bool upgrade = !access->hit && access->found.state != GPC_LINE_I && request->kind == GPC_COHERENCE_STORE;
    gpci_tree_point end =
        gpci_tree_mark(c, access->m, GPC_MESSAGE_FINISH, gpci_module_tag_of(access->m, request->address), access->at);
    if (upgrade && c->faults & GPCI_FAULT_TWICE)
        gpci_tree_mark(c, access->m, GPC_MESSAGE_FINISH, gpci_module_tag_of(access->m, request->address), access->at);
    if (GPCI_UNLIKELY(c->wish_count))
        gpci_tree_grant_wishes(c, end);
    if (GPCI_UNLIKELY(c->failed != GPC_OK))
        return gpci_tree_engine_failure(c, error);
    gpc_coherence_result done = GPC_COHERENCE_RESULT_INIT;
    done.completed = end.cycle;
    done.hit = access->hit;
    done.found = access->found.state;
    done.state = access->found.block == GPCI_TREE_NO_BLOCK ? GPC_LINE_I : access->m->states[access->found.block];
    return gpci_tree_engine_result(c, &done, result);
}

GPCI_INLINE gpc_status run(gpc_coherence *c, const gpc_coherence_request *request, gpc_error *error,
                           gpc_coherence_result *result) {
    gpci_tree_access access = {.request = request, .m = gpci_module_at(c, request->module)};
    access.store = gpci_tree_payload_of(request);
    access.at = gpci_tree_engine_begin(c, request->cycle);
    c->asker = access.m;
    c->asked = request->address;
    gpc_status status = gpci_tree_engine_reserve(c, request->address);
    if (GPCI_UNLIKELY(status != GPC_OK))
        return gpci_out_of_memory(error);
    if (GPCI_UNLIKELY(c->first_touch))
        gpci_tree_touch(c, request->module, request->address);
    if (GPCI_UNLIKELY(request->atomic_count))
        gpci_tree_atomics_begin(request->atomics, request->atomic_count);
    access.event = gpci_tree_event_of(c, request->kind, request->flags);
    gpc_coherence_request kept;
    gpc_request shown;
    bool bypasses = find(c, &access);
    c->overturned = false;
    if (bypasses && GPCI_UNLIKELY(access.m->predictor != NULL) && request->kind == GPC_COHERENCE_LOAD &&
        is_overturned(c, &access)) {
        kept = *request;
        kept.flags &= ~(uint32_t)(GPC_ACCESS_NO_ALLOCATE | GPC_ACCESS_EVICT);
        access.request = &kept;
        shown = *c->request;
        shown.admitted = 1; /* the replacement policy already saw the miss */
        c->request = &shown;
        c->overturned = true;
        bypasses = find(c, &access);
    }
    if (bypasses)
        bypass(c, &access, request->kind == GPC_COHERENCE_STORE);
    else
        perform_here(c, &access);
    gpci_tree_count_access(&access.m->stats, request->kind, access.hit);
    return finish(c, &access, request, error, result);
}

/* gpc_coherence_kind numbers LOAD, STORE and N_STORE like gpc_coherence_event */
static bool names_event(const gpc_coherence *c, const gpc_coherence_request *request) {
    const uint32_t event = request->flags >> GPC_ACCESS_EVENT_SHIFT;
    return event >= GPC_EVENT_COUNT && event < gpci_events_of(c->protocol) &&
           gpci_like(c->protocol, event) == request->kind;
}

GPCI_INLINE gpc_status check(const gpc_coherence *c, const char *call, const gpc_coherence_request *request,
                             gpc_error *error) {
    if (request->module >= c->module_count)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: module %u of %u", call, request->module, c->module_count);
    const gpci_module *m = &c->modules[request->module];
    if (m->place != GPCI_PLACE_FIRST)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: module %s is not of the first level", call, m->given.name);
    if (request->kind > GPC_COHERENCE_N_STORE)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: kind %u is none", call, request->kind);
    uint32_t offset = (uint32_t)(request->address & (m->given.block_bytes - 1));
    if (!request->size || request->size > m->given.block_bytes - offset)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: %u bytes at %#llx are not within a block of %u", call,
                         request->size, (unsigned long long)request->address, m->given.block_bytes);
    if (!gpci_module_serves(m, request->address))
        return gpci_fail(error, GPC_ERROR_RANGE, "%s: module %s does not serve address %#llx", call, m->given.name,
                         (unsigned long long)request->address);
    if (GPCI_UNLIKELY(request->atomic_count)) {
        const gpc_status status = gpci_tree_atomics_check(c, call, request, error);
        if (status != GPC_OK)
            return status;
    }
    if (GPCI_UNLIKELY(request->flags >> GPC_ACCESS_EVENT_SHIFT) && !names_event(c, request))
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: protocol '%s' has no event %u that is like a %s", call,
                         c->protocol->name, request->flags >> GPC_ACCESS_EVENT_SHIFT,
                         gpc_coherence_event_name((gpc_coherence_event)request->kind));
    return c->failed == GPC_OK ? GPC_OK : gpci_tree_engine_failure(c, error);
}

gpc_status gpci_tree_engine_check(const gpc_coherence *c, const char *call, const gpc_coherence_request *request,
                                  gpc_error *error) {
    return check(c, call, request, error);
}

gpc_status gpci_tree_engine_check_idle(const gpc_coherence *c, const char *call, gpc_error *error) {
    if (c->failed == GPC_OK && c->busy)
        return gpci_fail(error, GPC_ERROR_STATE, "%s: accesses of gpc_coherence_issue are in flight", call);
    return GPC_OK;
}

/* Everything except plain hits. Inlines `run`: a further call would slow down every miss. */
static GPCI_NOINLINE gpc_status access_step_by_step(gpc_coherence *c, const gpc_coherence_request *request,
                                                    const gpc_request *carried, gpc_error *error,
                                                    gpc_coherence_result *result) {
    if (request->kind == GPC_COHERENCE_ACQUIRE || request->kind == GPC_COHERENCE_RELEASE)
        return gpci_tree_order(c, request, error, result);
    gpc_status status = check(c, "gpc_coherence_access", request, error);
    if (GPCI_UNLIKELY(status == GPC_OK && c->busy))
        status = gpci_tree_engine_check_idle(c, "gpc_coherence_access", error);
    if (status != GPC_OK)
        return status;
    c->request = carried;
    status = run(c, request, error, result);
    c->request = NULL;
    return status;
}

gpc_status gpci_coherence_access(gpc_coherence *c, const gpc_coherence_request *request, const gpc_request *carried,
                                 gpc_error *error, gpc_coherence_result *result) {
    if (gpci_tree_engine_hit(c, request, result))
        return GPC_OK;
    return access_step_by_step(c, request, carried, error, result);
}

static GPCI_COLD gpc_status access_shown(gpc_coherence *c, const gpc_coherence_request *request, gpc_error *error,
                                         gpc_coherence_result *result) {
    const gpc_request shown = gpci_tree_shown(request);
    return gpci_coherence_access(c, request, &shown, error, result);
}

/* Rare: a request with another header's size, or a tree whose policies see requests. */
static GPCI_COLD gpc_status access_other(gpc_coherence *c, const gpc_coherence_request *request, gpc_error *error,
                                         gpc_coherence_result *result) {
    gpc_coherence_request ours = GPC_COHERENCE_REQUEST_INIT;
    size_t least = offsetof(gpc_coherence_request, flags) + sizeof ours.flags;
    gpc_status status = gpci_take(&ours, sizeof ours, least, request, "gpc_coherence_request", error);
    if (status != GPC_OK)
        return status;
    return c->has_policies ? access_shown(c, &ours, error, result)
                           : gpci_coherence_access(c, &ours, NULL, error, result);
}

gpc_status gpc_coherence_access(gpc_coherence *c, const gpc_coherence_request *request, gpc_error *error,
                                gpc_coherence_result *result) {
    if (!c || !request)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_coherence_access: %s is NULL", c ? "request" : "coherence");
    if (GPCI_UNLIKELY(request->struct_size != sizeof *request || c->has_policies))
        return access_other(c, request, error, result);
    return gpci_coherence_access(c, request, NULL, error, result);
}
