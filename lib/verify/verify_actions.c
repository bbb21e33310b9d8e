/* SPDX-License-Identifier: BSD-2-Clause */
#include "verify/verify.h"

#include <stdio.h>

/* Actions that can be chosen in a state: list, execution, and texts of actions and choices. */

static void add(gpci_explorer *explorer, gpci_verify_action action) {
    if (explorer->action_count < GPCI_VERIFY_ACTIONS)
        explorer->actions[explorer->action_count++] = action;
}

static void stores(gpci_explorer *explorer, gpci_verify_action action) {
    for (uint8_t p = 0; p < explorer->setup->positions; p++)
        for (uint8_t v = 0; v < 2; v++) {
            action.position = p;
            action.value = v;
            add(explorer, action);
        }
}

static void accesses(gpci_explorer *explorer, gpci_verify_action action) {
    action.kind = GPCI_VERIFY_LOAD;
    if (explorer->setup->kinds >> GPCI_VERIFY_LOAD & 1)
        add(explorer, action);
    action.kind = GPCI_VERIFY_STORE;
    if (explorer->setup->kinds >> GPCI_VERIFY_STORE & 1)
        stores(explorer, action);
    action.kind = GPCI_VERIFY_N_STORE;
    if (explorer->setup->kinds >> GPCI_VERIFY_N_STORE & 1)
        stores(explorer, action);
}

/* Add accesses that name an event defined by the protocol itself. */
static void named(gpci_explorer *explorer, gpci_verify_action action) {
    const gpc_protocol *protocol = explorer->coherence->protocol;
    for (uint32_t event = GPC_EVENT_COUNT; event < gpci_events_of(protocol); event++) {
        static const uint8_t kinds[] = {GPCI_VERIFY_LOAD, GPCI_VERIFY_STORE, GPCI_VERIFY_N_STORE};
        const uint32_t like = gpci_like(protocol, event);
        if (like > GPC_EVENT_N_STORE || !(explorer->setup->kinds >> kinds[like] & 1))
            continue;
        action.flags = GPC_ACCESS_EVENT(event);
        action.kind = kinds[like];
        if (like == GPC_EVENT_LOAD)
            add(explorer, action);
        else
            stores(explorer, action);
    }
}

void gpci_verify_choices(gpci_explorer *explorer) {
    static const uint32_t bits[] = {0, GPC_ACCESS_GLC, GPC_ACCESS_SLC, GPC_ACCESS_GLC | GPC_ACCESS_SLC};
    const uint32_t caches = explorer->setup->tree.caches;
    for (uint32_t m = 0; m < caches; m++)
        for (uint8_t b = 0; b < explorer->setup->blocks; b++) {
            for (uint32_t f = 0; f < (explorer->setup->steered ? 4 : 1); f++)
                accesses(explorer, (gpci_verify_action){.module = m, .block = b, .flags = bits[f]});
            named(explorer, (gpci_verify_action){.module = m, .block = b});
        }
    for (uint8_t kind = GPCI_VERIFY_FLUSH; kind <= GPCI_VERIFY_ACQUIRE; kind++) {
        if (!(explorer->setup->kinds >> kind & 1))
            continue;
        /* stops at the first memory: memories are the last modules */
        for (uint32_t m = 0; m < explorer->coherence->module_count && !explorer->coherence->modules[m].given.memory;
             m++)
            if (kind == GPCI_VERIFY_FLUSH || m < caches)
                add(explorer, (gpci_verify_action){.kind = kind, .module = m});
        add(explorer, (gpci_verify_action){.kind = kind, .module = GPC_NO_MODULE});
    }
}

void gpci_verify_request(const gpci_explorer *explorer, const gpci_verify_action *action,
                         gpc_coherence_request *request) {
    request->module = action->module;
    request->address = gpci_verify_address(action->block, action->position);
    request->kind = action->kind == GPCI_VERIFY_LOAD    ? GPC_COHERENCE_LOAD
                    : action->kind == GPCI_VERIFY_STORE ? GPC_COHERENCE_STORE
                                                        : GPC_COHERENCE_N_STORE;
    request->size = action->kind == GPCI_VERIFY_LOAD ? explorer->setup->positions : 1;
    request->bytes = &action->value;
    request->flags = action->flags;
}

gpc_status gpci_verify_do(gpci_explorer *explorer, const gpci_verify_action *action, gpc_error *error,
                          gpc_coherence_result *result) {
    if (action->kind == GPCI_VERIFY_FLUSH)
        return gpc_coherence_flush(explorer->coherence, action->module, 0, result, error);
    if (action->kind == GPCI_VERIFY_ACQUIRE)
        return gpc_coherence_acquire(explorer->coherence, action->module, 0, result, error);
    gpc_coherence_request request = GPC_COHERENCE_REQUEST_INIT;
    gpci_verify_request(explorer, action, &request);
    request.out = action->kind == GPCI_VERIFY_LOAD ? explorer->loaded : NULL;
    return gpc_coherence_access(explorer->coherence, &request, result, error);
}

size_t gpci_verify_text(const gpci_explorer *explorer, const gpci_verify_action *action, char *text, size_t size) {
    static const char *const kinds[] = {"load", "store", "n-store", "flush", "acquire"};
    static const char *const bits[] = {"", " glc", " slc", " glc slc"};
    const uint32_t event = action->flags >> GPC_ACCESS_EVENT_SHIFT;
    const gpci_state_name name = gpci_name_of_event(explorer->coherence->protocol, event);
    const char *what = event ? name.text : kinds[action->kind], *with = bits[action->flags & 3];
    int length;
    if (action->module == GPC_NO_MODULE)
        length = snprintf(text, size, "all %s", kinds[action->kind]);
    else if (action->kind >= GPCI_VERIFY_FLUSH)
        length = snprintf(text, size, "m%u %s", action->module, kinds[action->kind]);
    else if (action->kind == GPCI_VERIFY_LOAD)
        length = snprintf(text, size, "m%u %s %c%s", action->module, what, 'A' + action->block, with);
    else
        length = snprintf(text, size, "m%u %s %c[%u]=%u%s", action->module, what, 'A' + action->block, action->position,
                          action->value, with);
    return length < 0 ? 0 : (size_t)length;
}

static const char *message_name(uint32_t kind) {
    static const char *const names[] = {"read request", "write request", "read probe", "write probe", "data",
                                        "ack",          "write-back",    "notice",     "clear-owner", "write-through"};
    return kind < sizeof names / sizeof *names ? names[kind] : "message";
}

void gpci_verify_tell_choice(const gpc_coherence_choice *choice, char *text, size_t size) {
    const uint64_t block = (choice->address - GPCI_VERIFY_BASE) / GPCI_VERIFY_BLOCK;
    const char name = (char)('A' + (block < 26 ? block : 25));
    if (choice->kind == GPC_CHOICE_MESSAGE)
        snprintf(text, size, "%s for %c, m%u to m%u", message_name(choice->message), name, choice->from, choice->to);
    else if (choice->kind == GPC_CHOICE_RETRY)
        snprintf(text, size, "m%u begins its access to %c again", choice->from, name);
    else if (choice->address < GPCI_VERIFY_BASE)
        snprintf(text, size, "m%u goes on with its acquire", choice->from);
    else
        snprintf(text, size, "m%u ends a lookup or its use of data, for %c", choice->from, name);
}
