/* SPDX-License-Identifier: BSD-2-Clause */
#include "fuzz/api.h"

#include <string.h>

#define LARGEST_INPUT 2048u

uint8_t api_byte(api_world *w) {
    if (!w->size)
        return 0;
    w->size--;
    return *w->data++;
}

uint32_t api_below(api_world *w, uint32_t end) {
    return api_byte(w) % end;
}

uint64_t api_number(api_world *w) {
    const uint8_t form = api_byte(w), value = api_byte(w);
    switch (form & 7) {
    case 0:
        return UINT64_MAX - value;
    case 1:
        return (uint64_t)value << (form >> 3);
    case 2:
        return (uint64_t)value << 32;
    default:
        return value | (uint64_t)(form >> 3) << 8;
    }
}

api_thing *api_find(api_world *w, api_kind kind) {
    const uint32_t from = api_below(w, API_THINGS);
    for (uint32_t n = 0; n < API_THINGS; n++) {
        api_thing *thing = &w->things[(from + n) % API_THINGS];
        if (thing->kind == kind)
            return thing;
    }
    return NULL;
}

void api_check(gpc_status status, const gpc_error *error) {
    CHECK(status >= 0 || (error->status == status && *error->message));
}

gpc_request api_request(api_world *w) {
    const uint8_t flags = api_byte(w);
    gpc_request request = {.address = (flags & 1 ? UINT64_MAX - 8191 : 0) + api_byte(w) * 32u,
                           .size = api_byte(w),
                           .kind = api_below(w, GPC_KIND_COUNT + (flags >> 7)),
                           .warp = api_byte(w) & 15};
    request.warp_age = request.warp ^ 5;
    request.pc = flags & 12;
    request.sm = flags >> 4 & 1;
    if (flags & 2)
        request.sector_mask = api_byte(w);
    if (flags & 32)
        request.byte_mask[0] = api_number(w);
    if (flags & 64) {
        const uint8_t more = api_byte(w);
        request.space = more & 7;
        request.hint = more >> 3 & 7;
        request.policy.token = more >> 6;
        request.continues = more >> 5 & 1;
        request.policy.next_use = api_number(w);
        request.priority = api_below(w, GPC_PRIORITY_COUNT + 1);
    }
    return request;
}

gpc_warp_event api_warp_event(api_world *w) {
    gpc_warp_event event = {.kind = api_below(w, 6), .sm = api_below(w, 3), .warp = api_byte(w)};
    event.block = event.warp / 2;
    event.kernel = event.sm;
    return event;
}

gpc_sample api_sample(api_world *w) {
    gpc_sample sample = GPC_SAMPLE_INIT;
    sample.cycles = api_number(w);
    sample.active_cycles = api_byte(w);
    sample.instructions = api_number(w);
    return sample;
}

bool api_is_borrowed(const api_world *w, const api_thing *trace) {
    for (uint32_t n = 0; n < API_THINGS; n++)
        if (w->things[n].kind == API_REPLAY && w->things[n].at_hand == trace)
            return true;
    return false;
}

/* Replays paused within a kernel of the trace can only be destroyed after the close. */
static void close_trace(api_thing *trace) {
    for (uint32_t n = 0; n < API_THINGS; n++) {
        api_thing *other = &trace->world->things[n];
        if (other->kind == API_REPLAY && other->at_hand == trace)
            other->at_hand = other;
    }
    gpc_trace_close(trace->it);
}

void api_destroy(api_thing *thing) {
    api_world *w = thing->world;
    switch (thing->kind) {
    case API_CONFIG:
        gpc_config_destroy(thing->it);
        break;
    case API_CACHE:
        gpc_cache_destroy(thing->it);
        break;
    case API_HIERARCHY:
        gpc_hierarchy_destroy(thing->it);
        break;
    case API_REPLAY:
        gpc_replay_destroy(thing->it);
        break;
    case API_TRACE:
        close_trace(thing);
        break;
    case API_SCHEDULER:
        gpc_scheduler_destroy(thing->it);
        break;
    case API_THROTTLE:
        gpc_throttle_destroy(thing->it);
        break;
    case API_REPLACEMENT:
        gpc_replacement_destroy(thing->it);
        break;
    case API_PREDICTOR:
        gpc_predictor_destroy(thing->it);
        break;
    case API_DRAM:
        gpc_dram_destroy(thing->it);
        break;
    default:
        break;
    }
    *thing = (api_thing){.world = w};
}

void api_put(api_world *w, api_kind kind, void *it, unsigned context) {
    api_thing *thing = &w->things[api_below(w, API_THINGS)];
    if (!it)
        return;
    api_destroy(thing);
    thing->kind = kind;
    thing->it = it;
    thing->context = context;
}

/* Close an open context even with objects alive. Once the objects of a closed context are gone, open a new context. */
static void turn_context(api_world *w, unsigned which) {
    if (w->open[which]) {
        gpc_context_destroy(w->memories[which].context);
        w->open[which] = false;
    } else if (!w->memories[which].used) {
        fuzz_memory_open(&w->memories[which]);
        w->open[which] = true;
        api_register(w, w->memories[which].context);
    }
}

static void step(api_world *w) {
    const uint8_t what = api_byte(w);
    const unsigned context = what >> 7;
    api_thing *thing = &w->things[api_below(w, API_THINGS)];
    switch (what & 15) {
    case 0:
        turn_context(w, context);
        break;
    case 1:
        api_destroy(thing);
        break;
    case 2:
        w->memories[context].fail_at = api_byte(w);
        break;
    case 3:
        w->answer = (uint32_t)api_number(w);
        break;
    case 4:
    case 5:
    case 6:
        if (w->open[context])
            api_make(w, 1 + api_below(w, API_KINDS - 1), context);
        break;
    default:
        api_call(thing);
    }
}

/* Contexts first or last, and things in an order from the input. */
static void end(api_world *w) {
    const uint8_t order = api_byte(w);
    for (unsigned n = 0; n < API_CONTEXTS && order & 1; n++)
        if (w->open[n])
            turn_context(w, n);
    for (uint32_t left = API_THINGS; left; left--) {
        uint32_t which = api_byte(w) % left;
        for (uint32_t n = 0; n < API_THINGS; n++)
            if (w->things[n].kind != API_NOTHING && !which--)
                api_destroy(&w->things[n]);
    }
    for (uint32_t n = 0; n < API_THINGS; n++)
        api_destroy(&w->things[n]);
    for (unsigned n = 0; n < API_CONTEXTS; n++)
        if (w->open[n])
            turn_context(w, n);
    gpc_cache_destroy(w->beside);
    gpc_context_destroy(w->memories[API_CONTEXTS].context);
    for (unsigned n = 0; n <= API_CONTEXTS; n++)
        CHECK(w->memories[n].used == 0);
}

void fuzz_api(const uint8_t *data, size_t size) {
    api_world *w = calloc(1, sizeof *w);
    CHECK(w);
    w->data = data;
    w->size = size < LARGEST_INPUT ? size : LARGEST_INPUT;
    for (uint32_t n = 0; n < API_THINGS; n++)
        w->things[n].world = w;
    fuzz_memory_open(&w->memories[API_CONTEXTS]);
    CHECK(gpc_cache_create(w->memories[API_CONTEXTS].context, NULL, &w->beside, NULL) == GPC_OK);
    for (unsigned n = 0; n < API_CONTEXTS; n++)
        turn_context(w, n);
    while (w->size)
        step(w);
    end(w);
    free(w);
}
