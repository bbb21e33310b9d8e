/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/module/tree_engine.h"
#include "coherence/engine/engine_alone.h"

#include "base/array.h"

#include <string.h>

/* gpc_coherence_access: arguments, memory and results of accesses. */

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
    c->first_map = 0;
    while (c->first_map < c->module_count && !c->modules[c->first_map].full_map)
        c->first_map++;
    c->non_coherent = stores_non_coherently(c);
    for (uint32_t state = GPC_LINE_COUNT; state < c->states; state++) {
        c->forwards |= gpci_tree_stays_owner(c, (uint8_t)state);
        c->detaches |= gpci_tree_is_detached(c, (uint8_t)state);
    }
    if (c->neighbour_limit) {
        c->neighbour_fetch_room = c->levels * (1 + c->neighbour_limit);
        c->neighbour_fetches = gpci_alloc(c->context, c->neighbour_fetch_room * sizeof *c->neighbour_fetches);
    }
    return c->neighbour_fetches || !c->neighbour_limit ? GPC_OK : GPC_ERROR_MEMORY;
}

void gpci_tree_engine_release(gpc_coherence *c) {
    gpci_free(c->context, c->neighbour_fetches);
}

void gpci_coherence_inject(gpc_coherence *c, uint32_t faults, uint32_t protocol_flags) {
    c->own = *c->protocol;
    c->own.flags |= protocol_flags;
    c->protocol = &c->own;
    c->faults |= faults;
}

/* Reserve memory for the block and the neighbours. */
static gpc_status reserve_bytes(gpc_coherence *c, uint64_t address) {
    const uint64_t first = address & ~c->group_mask, step = (uint64_t)1 << c->memory_shift;
    gpc_status status = gpci_tree_memory_reserve(c, address);
    for (uint64_t at = 0; c->neighbour_limit && at <= c->group_mask && status == GPC_OK; at += step)
        status = gpci_tree_memory_reserve(c, first + at);
    return status;
}

gpc_status gpci_tree_engine_reserve(gpc_coherence *c, uint64_t address) {
    if (!GPCI_ARRAY_ROOM(c->context, c->messages, c->message_room, c->message_count, c->message_bound) ||
        !GPCI_ARRAY_ROOM(c->context, c->transitions, c->transition_room, c->transition_count, c->message_bound))
        return GPC_ERROR_MEMORY;
    gpc_status status = GPC_OK;
    if (c->with_data)
        status = reserve_bytes(c, address);
    if (GPCI_UNLIKELY(c->first_touch) && status == GPC_OK)
        status = gpci_tree_pages_reserve(c);
    for (uint32_t i = c->first_map; i < c->module_count && status == GPC_OK; i++)
        if (c->modules[i].full_map && c->modules[i].blocks - c->modules[i].map.count <= c->neighbour_limit)
            status = gpci_module_reserve(c->context, &c->modules[i], 1 + c->neighbour_limit);
    return status;
}

gpc_status gpci_tree_engine_failure(const gpc_coherence *c, gpc_error *error) {
    return gpci_fail(error, c->failed, "%s", c->failure);
}

static void call_back(const gpc_coherence *c) {
    const gpc_coherence_callbacks *to = &c->callbacks;
    for (uint32_t i = 0; to->on_message && i < c->message_count; i++)
        to->on_message(to->user_data, &c->messages[i]);
    for (uint32_t i = 0; to->on_transition && i < c->transition_count; i++)
        to->on_transition(to->user_data, &c->transitions[i]);
}

gpc_status gpci_tree_engine_result(gpc_coherence *c, gpc_coherence_result *done, gpc_coherence_result *result) {
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

/* Perform an access that is no plain hit. */
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
    if (gpci_tree_engine_own(c, request, carried, result, &status))
        return status;
    return gpci_alone_access(c, request, carried, error, result);
}

gpc_status gpci_coherence_access(gpc_coherence *c, const gpc_coherence_request *request, const gpc_request *carried,
                                 gpc_error *error, gpc_coherence_result *result) {
    if (gpci_tree_engine_hit(c, request, result))
        return GPC_OK;
    return access_step_by_step(c, request, carried, error, result);
}

static GPCI_COLD gpc_status access_shown(gpc_coherence *c, const gpc_coherence_request *request, gpc_error *error,
                                         gpc_coherence_result *result) {
    const gpc_request policy_request = gpci_tree_policy_request(request);
    return gpci_coherence_access(c, request, &policy_request, error, result);
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
