/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/engine/engine_alone.h"

#include "base/array.h"

#include <string.h>

/* gpc_coherence_access: arguments, memory and results of accesses. */

/*
 * True if non-coherent stores of the protocol can lead to state N. After a read request for a non-coherent store, the
 * next state is always `next_shared`, because such a store shares the block.
 */
static bool stores_non_coherently(const gpc_coherence *coherence) {
    const gpc_protocol_rule(*rules)[GPC_EVENT_COUNT] = *coherence->protocol->first;
    for (uint32_t state = 0; state < coherence->states; state++) {
        const gpc_protocol_rule *rule = &rules[state][GPC_EVENT_N_STORE];
        const bool asks = rule->actions & GPC_DO_READ_REQUEST;
        if (gpci_tree_is_masked(coherence, (uint8_t)state) || !rule->actions)
            continue;
        if (gpci_tree_is_masked(coherence, rule->next) || (asks && gpci_tree_is_masked(coherence, rule->next_shared)))
            return true;
    }
    return false;
}

gpc_status gpci_tree_engine_prepare(gpc_coherence *coherence) {
    coherence->first_map = 0;
    while (coherence->first_map < coherence->module_count && !coherence->modules[coherence->first_map].full_map)
        coherence->first_map++;
    coherence->non_coherent = stores_non_coherently(coherence);
    for (uint32_t state = GPC_LINE_COUNT; state < coherence->states; state++) {
        coherence->forwards |= gpci_tree_stays_owner(coherence, (uint8_t)state);
        coherence->detaches |= gpci_tree_is_detached(coherence, (uint8_t)state);
    }
    if (coherence->neighbour_limit) {
        coherence->neighbour_fetch_capacity = coherence->levels * (1 + coherence->neighbour_limit);
        coherence->neighbour_fetches =
            gpci_alloc(coherence->context, coherence->neighbour_fetch_capacity * sizeof *coherence->neighbour_fetches);
    }
    return coherence->neighbour_fetches || !coherence->neighbour_limit ? GPC_OK : GPC_ERROR_MEMORY;
}

void gpci_tree_engine_release(gpc_coherence *coherence) {
    gpci_free(coherence->context, coherence->neighbour_fetches);
}

void gpci_coherence_inject(gpc_coherence *coherence, uint32_t faults, uint32_t protocol_flags) {
    coherence->own = *coherence->protocol;
    coherence->own.flags |= protocol_flags;
    coherence->protocol = &coherence->own;
    coherence->faults |= faults;
}

/* Reserve memory's bytes for the block and its neighbours. */
static gpc_status reserve_bytes(gpc_coherence *coherence, uint64_t address) {
    const uint64_t first = address & ~coherence->group_mask, step = (uint64_t)1 << coherence->memory_shift;
    gpc_status status = gpci_tree_memory_reserve(coherence, address);
    for (uint64_t at = 0; coherence->neighbour_limit && at <= coherence->group_mask && status == GPC_OK; at += step)
        status = gpci_tree_memory_reserve(coherence, first + at);
    return status;
}

gpc_status gpci_tree_make_lists(gpc_coherence *coherence) {
    if (!GPCI_ARRAY_RESERVE(coherence->context, coherence->messages, coherence->message_capacity,
                            coherence->message_count, coherence->message_bound) ||
        !GPCI_ARRAY_RESERVE(coherence->context, coherence->transitions, coherence->transition_capacity,
                            coherence->transition_count, coherence->message_bound))
        return GPC_ERROR_MEMORY;
    return GPC_OK;
}

gpc_status gpci_tree_engine_reserve(gpc_coherence *coherence, uint64_t address) {
    gpc_status status = gpci_tree_make_lists(coherence);
    if (coherence->with_data && status == GPC_OK)
        status = reserve_bytes(coherence, address);
    if (status < 0)
        return status;
    return GPCI_UNLIKELY(coherence->first_touch) ? gpci_tree_pages_reserve(coherence) : GPC_OK;
}

gpc_status gpci_tree_engine_failure(const gpc_coherence *coherence, gpc_error *error) {
    return gpci_fail(error, coherence->failed, "%s", coherence->failure);
}

static void call_back(const gpc_coherence *coherence) {
    const gpc_coherence_callbacks *callbacks = &coherence->callbacks;
    for (uint32_t i = 0; callbacks->on_message && i < coherence->message_count; i++)
        callbacks->on_message(callbacks->user_data, &coherence->messages[i]);
    for (uint32_t i = 0; callbacks->on_transition && i < coherence->transition_count; i++)
        callbacks->on_transition(callbacks->user_data, &coherence->transitions[i]);
}

gpc_status gpci_tree_engine_result(gpc_coherence *coherence, gpc_coherence_result *done, gpc_coherence_result *result) {
    call_back(coherence);
    if (!result)
        return GPC_OK;
    done->messages = coherence->messages;
    done->message_count = coherence->message_count;
    done->transitions = coherence->transitions;
    done->transition_count = coherence->transition_count;
    done->level = coherence->deepest;
    if (GPCI_LIKELY(result->struct_size == sizeof *result)) {
        *result = *done;
        return GPC_OK;
    }
    return gpci_give(result, done, sizeof *done, "gpc_coherence_result", NULL);
}

/*
 * True if the flags name an event that the protocol itself defines, and that is like the request's kind.
 * gpc_coherence_kind numbers LOAD, STORE and N_STORE as gpc_coherence_event does.
 */
static bool names_event(const gpc_coherence *coherence, const gpc_coherence_request *request) {
    const uint32_t event = request->flags >> GPC_ACCESS_EVENT_SHIFT;
    return event >= GPC_EVENT_COUNT && event < gpci_events_of(coherence->protocol) &&
           gpci_like(coherence->protocol, event) == request->kind;
}

GPCI_INLINE gpc_status check(const gpc_coherence *coherence, const char *call, const gpc_coherence_request *request,
                             gpc_error *error) {
    if (request->module >= coherence->module_count)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: module %u of %u", call, request->module,
                         coherence->module_count);
    const gpci_module *module = &coherence->modules[request->module];
    if (module->place != GPCI_PLACE_FIRST)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: module %s is not of the first level", call,
                         module->given.name);
    if (request->kind > GPC_COHERENCE_N_STORE)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: kind %u is none", call, request->kind);
    uint32_t offset = (uint32_t)(request->address & (module->given.block_bytes - 1));
    if (!request->size || request->size > module->given.block_bytes - offset)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: %u bytes at %#llx are not within a block of %u", call,
                         request->size, (unsigned long long)request->address, module->given.block_bytes);
    if (!gpci_module_serves(module, request->address))
        return gpci_fail(error, GPC_ERROR_RANGE, "%s: module %s does not serve address %#llx", call, module->given.name,
                         (unsigned long long)request->address);
    if (GPCI_UNLIKELY(request->atomic_count)) {
        const gpc_status status = gpci_tree_atomics_check(coherence, call, request, error);
        if (status != GPC_OK)
            return status;
    }
    if (GPCI_UNLIKELY(request->flags >> GPC_ACCESS_EVENT_SHIFT) && !names_event(coherence, request))
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: protocol '%s' has no event %u that is like a %s", call,
                         coherence->protocol->name, request->flags >> GPC_ACCESS_EVENT_SHIFT,
                         gpc_coherence_event_name((gpc_coherence_event)request->kind));
    return coherence->failed == GPC_OK ? GPC_OK : gpci_tree_engine_failure(coherence, error);
}

gpc_status gpci_tree_engine_check(const gpc_coherence *coherence, const char *call,
                                  const gpc_coherence_request *request, gpc_error *error) {
    return check(coherence, call, request, error);
}

gpc_status gpci_tree_engine_check_idle(const gpc_coherence *coherence, const char *call, gpc_error *error) {
    if (coherence->failed == GPC_OK && coherence->busy)
        return gpci_fail(error, GPC_ERROR_STATE, "%s: accesses of gpc_coherence_issue are in flight", call);
    return GPC_OK;
}

/* Perform an access that gpci_tree_engine_hit cannot perform. */
static GPCI_NOINLINE gpc_status access_step_by_step(gpc_coherence *coherence, const gpc_coherence_request *request,
                                                    const gpc_request *carried, gpc_error *error,
                                                    gpc_coherence_result *result) {
    if (request->kind == GPC_COHERENCE_ACQUIRE || request->kind == GPC_COHERENCE_RELEASE)
        return gpci_tree_order(coherence, request, error, result);
    gpc_status status = check(coherence, "gpc_coherence_access", request, error);
    if (GPCI_UNLIKELY(status == GPC_OK && coherence->busy))
        status = gpci_tree_engine_check_idle(coherence, "gpc_coherence_access", error);
    if (status != GPC_OK)
        return status;
    if (gpci_tree_engine_own(coherence, request, carried, result, &status))
        return status;
    return gpci_alone_access(coherence, request, carried, error, result);
}

gpc_status gpci_coherence_access(gpc_coherence *coherence, const gpc_coherence_request *request,
                                 const gpc_request *carried, gpc_error *error, gpc_coherence_result *result) {
    if (gpci_tree_engine_hit(coherence, request, result))
        return GPC_OK;
    return access_step_by_step(coherence, request, carried, error, result);
}

static GPCI_COLD gpc_status access_shown(gpc_coherence *coherence, const gpc_coherence_request *request,
                                         gpc_error *error, gpc_coherence_result *result) {
    const gpc_request policy_request = gpci_tree_policy_request(request);
    gpci_tree_begin_line(coherence);
    return gpci_coherence_access(coherence, request, &policy_request, error, result);
}

/*
 * Perform an access in the rare cases: the request has the size of another version of the header, or the tree's
 * policies see requests.
 */
static GPCI_COLD gpc_status access_other(gpc_coherence *coherence, const gpc_coherence_request *request,
                                         gpc_error *error, gpc_coherence_result *result) {
    gpc_coherence_request ours = GPC_COHERENCE_REQUEST_INIT;
    size_t least = offsetof(gpc_coherence_request, flags) + sizeof ours.flags;
    gpc_status status = gpci_take(&ours, sizeof ours, least, request, "gpc_coherence_request", error);
    if (status != GPC_OK)
        return status;
    return coherence->has_policies ? access_shown(coherence, &ours, error, result)
                                   : gpci_coherence_access(coherence, &ours, NULL, error, result);
}

gpc_status gpc_coherence_access(gpc_coherence *coherence, const gpc_coherence_request *request,
                                gpc_coherence_result *result, gpc_error *error) {
    if (!coherence || !request)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_coherence_access: %s is NULL",
                         coherence ? "request" : "coherence");
    if (GPCI_UNLIKELY(result && result->struct_size != sizeof *result) &&
        gpci_can_give(result, "gpc_coherence_result", error) < 0)
        return GPC_ERROR_ABI;
    if (GPCI_UNLIKELY(request->struct_size != sizeof *request || coherence->has_policies))
        return access_other(coherence, request, error, result);
    return gpci_coherence_access(coherence, request, NULL, error, result);
}
