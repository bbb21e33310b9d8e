/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/explore.h"

#include <stdio.h>

/* The choices in a state, and how each is done and told. */

static void add(explorer *e, explore_action action) {
    if (e->action_count < EXPLORE_ACTIONS)
        e->actions[e->action_count++] = action;
}

static void stores(explorer *e, explore_action action) {
    for (uint8_t p = 0; p < e->setup->positions; p++)
        for (uint8_t v = 0; v < 2; v++) {
            action.position = p;
            action.value = v;
            add(e, action);
        }
}

static void accesses(explorer *e, explore_action action) {
    action.kind = EXPLORE_LOAD;
    if (e->setup->kinds >> EXPLORE_LOAD & 1)
        add(e, action);
    action.kind = EXPLORE_STORE;
    if (e->setup->kinds >> EXPLORE_STORE & 1)
        stores(e, action);
    action.kind = EXPLORE_N_STORE;
    if (e->setup->kinds >> EXPLORE_N_STORE & 1)
        stores(e, action);
}

void explore_choices(explorer *e) {
    static const uint32_t bits[] = {0, GPC_ACCESS_GLC, GPC_ACCESS_SLC, GPC_ACCESS_GLC | GPC_ACCESS_SLC};
    const uint32_t caches = e->setup->tree.caches;
    for (uint32_t m = 0; m < caches; m++)
        for (uint8_t b = 0; b < e->setup->blocks; b++)
            for (uint32_t f = 0; f < (e->setup->steered ? 4 : 1); f++)
                accesses(e, (explore_action){.module = m, .block = b, .flags = bits[f]});
    for (uint8_t kind = EXPLORE_FLUSH; kind <= EXPLORE_ACQUIRE; kind++) {
        if (!(e->setup->kinds >> kind & 1))
            continue;
        for (uint32_t m = 0; m + 1 < e->c->module_count; m++)
            if (kind == EXPLORE_FLUSH || m < caches)
                add(e, (explore_action){.kind = kind, .module = m});
        add(e, (explore_action){.kind = kind, .module = GPC_NO_MODULE});
    }
}

gpc_status explore_do(explorer *e, const explore_action *action, gpc_error *error, gpc_coherence_result *result) {
    if (action->kind == EXPLORE_FLUSH)
        return gpc_coherence_flush(e->c, action->module, 0, error, result);
    if (action->kind == EXPLORE_ACQUIRE)
        return gpc_coherence_acquire(e->c, action->module, 0, error, result);
    gpc_coherence_request request = GPC_COHERENCE_REQUEST_INIT;
    request.module = action->module;
    request.address = explore_address(action->block, action->position);
    request.kind = action->kind == EXPLORE_LOAD    ? GPC_COHERENCE_LOAD
                   : action->kind == EXPLORE_STORE ? GPC_COHERENCE_STORE
                                                   : GPC_COHERENCE_N_STORE;
    request.size = action->kind == EXPLORE_LOAD ? e->setup->positions : 1;
    request.bytes = &action->value;
    request.out = action->kind == EXPLORE_LOAD ? e->loaded : NULL;
    request.flags = action->flags;
    return gpc_coherence_access(e->c, &request, error, result);
}

size_t explore_text(const explore_action *action, char *text, size_t size) {
    static const char *const kinds[] = {"load", "store", "n-store", "flush", "acquire"};
    static const char *const bits[] = {"", " glc", " slc", " glc slc"};
    int length;
    if (action->module == GPC_NO_MODULE)
        length = snprintf(text, size, "all %s", kinds[action->kind]);
    else if (action->kind >= EXPLORE_FLUSH)
        length = snprintf(text, size, "m%u %s", action->module, kinds[action->kind]);
    else if (action->kind == EXPLORE_LOAD)
        length = snprintf(text, size, "m%u load %c%s", action->module, 'A' + action->block, bits[action->flags]);
    else
        length = snprintf(text, size, "m%u %s %c[%u]=%u%s", action->module, kinds[action->kind], 'A' + action->block,
                          action->position, action->value, bits[action->flags]);
    return length < 0 ? 0 : (size_t)length;
}
