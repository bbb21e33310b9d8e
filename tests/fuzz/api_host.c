/* SPDX-License-Identifier: BSD-2-Clause */
#include "fuzz/api.h"

#include <string.h>

/* Host's part: policies that answer by the input, and callbacks that use a second object. */

void api_call_back(api_world *w, uint64_t address) {
    const gpc_request request = {.address = address, .size = 1};
    w->calls++;
    CHECK(gpc_cache_access(w->beside, &request, NULL, NULL) == GPC_OK);
}

/* Policies may not call the library. */
static void note(api_world *w, uint64_t what) {
    w->calls += what + 1;
}

/* Every policy keeps its world as user_data; the world outlives the context. */
typedef struct own {
    api_world *world;
} own;

static gpc_status own_init(void *self, const gpc_policy_env *env, char *message) {
    own *o = self;
    o->world = env->user_data;
    strcpy(message, "so the host says");
    return o->world->answer == 77 ? GPC_ERROR_UNSUPPORTED : GPC_OK;
}

static gpc_status own_init_scheduler(void *self, const gpc_scheduler_env *env, char *message) {
    (void)message;
    ((own *)self)->world = env->user_data;
    return GPC_OK;
}

static void own_finish(void *self) {
    note(((own *)self)->world, 0);
}

static void own_line(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    note(((own *)self)->world, request->address + set + way);
}

static void own_evict(void *self, uint32_t set, uint32_t way, const gpc_eviction *eviction,
                      const gpc_request *request) {
    CHECK(eviction->set == set && eviction->way == way);
    note(((own *)self)->world, eviction->line_address + (request ? request->size : 0));
}

static void own_invalidate(void *self, uint32_t set, uint32_t way) {
    note(((own *)self)->world, set + way);
}

static uint32_t own_choose(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    const api_world *w = ((own *)self)->world;
    (void)set, (void)request;
    if (w->answer % 3)
        return w->answer % 3 == 1 ? GPC_WAY_BYPASS : w->answer; /* perhaps no valid way */
    uint32_t way = 0;
    while (candidates && !(candidates[way / 64] >> way % 64 & 1))
        way++;
    return way;
}

static void own_predict(void *self, uint32_t set, const gpc_request *request, gpc_prediction *prediction) {
    own_line(self, set, 0, request);
    prediction->decision = ((own *)self)->world->answer & 1;
    prediction->policy_word = ((own *)self)->world->answer;
}

static gpc_decision own_reply(void *self, const gpc_request *request, gpc_decision predicted, uint32_t word) {
    own_line(self, word, 0, request);
    return ((own *)self)->world->answer & 2 ? GPC_CACHE : predicted;
}

static uint32_t own_pick(void *self, const uint64_t *ready, uint64_t cycle) {
    const uint32_t answer = ((own *)self)->world->answer;
    (void)cycle;
    if (answer & 1)
        return answer >> 1;
    uint32_t slot = 0;
    while (!(ready[slot / 64] >> slot % 64 & 1))
        slot++;
    return slot;
}

static void own_classify(void *self, const gpc_throttle_view *view, gpc_throttle_classes *classes) {
    const uint32_t answer = ((own *)self)->world->answer;
    for (uint32_t n = 0; n < view->running; n++) {
        const uint32_t slot = view->by_age[n];
        CHECK(view->states[slot] != GPC_STATE_ABSENT);
        classes->throttled[slot / 64] |= (uint64_t)(answer >> n % 8 & 1) << slot % 64;
    }
    classes->again = view->cycle + 1 + answer % 5;
}

static bool own_event(void *self, const gpc_cache_event *event) {
    note(((own *)self)->world, event->line_address);
    return event->kind == 0;
}

static const gpc_replacement_ops own_replacement = {.struct_size = sizeof own_replacement,
                                                    .name = "own",
                                                    .instance_bytes = sizeof(own),
                                                    .reads = GPC_READS_OF_REQUESTS,
                                                    .init = own_init,
                                                    .finish = own_finish,
                                                    .on_hit = own_line,
                                                    .on_fill = own_line,
                                                    .on_evict = own_evict,
                                                    .on_invalidate = own_invalidate,
                                                    .choose_victim = own_choose};
static const gpc_predictor_ops own_predictor = {.struct_size = sizeof own_predictor,
                                                .name = "own",
                                                .instance_bytes = sizeof(own),
                                                .init = own_init,
                                                .finish = own_finish,
                                                .predict = own_predict,
                                                .on_reply = own_reply,
                                                .on_hit = own_line,
                                                .on_evict = own_evict};
static const gpc_scheduler_ops own_scheduler = {.struct_size = sizeof own_scheduler,
                                                .name = "own",
                                                .instance_bytes = sizeof(own),
                                                .init = own_init_scheduler,
                                                .finish = own_finish,
                                                .pick = own_pick};
static const gpc_throttle_ops own_throttle = {.struct_size = sizeof own_throttle,
                                              .name = "own",
                                              .instance_bytes = sizeof(own),
                                              .init = own_init_scheduler,
                                              .finish = own_finish,
                                              .classify = own_classify,
                                              .on_cache_event = own_event};

static void forget(void *user_data) {
    ((api_world *)user_data)->calls++;
}

void api_register(api_world *w, gpc_context *context) {
    CHECK(gpc_context_register_replacement(context, &own_replacement, w, forget, NULL) == GPC_OK);
    CHECK(gpc_context_register_predictor(context, &own_predictor, w, forget, NULL) == GPC_OK);
    CHECK(gpc_context_register_scheduler(context, &own_scheduler, w, forget, NULL) == GPC_OK);
    CHECK(gpc_context_register_throttle(context, &own_throttle, w, forget, NULL) == GPC_OK);
}

static void on_complete(void *user_data, const gpc_completion *completion) {
    const api_thing *thing = user_data;
    CHECK(gpc_hierarchy_now(thing->it) == completion->cycle && completion->issued <= completion->cycle);
    for (uint32_t n = 0; n < completion->value_bytes; n++)
        thing->world->calls += completion->values[n];
    api_call_back(thing->world, completion->token);
}

static void on_ready(void *user_data, uint32_t sm) {
    api_call_back(((api_thing *)user_data)->world, sm);
}

static void on_fill(void *user_data, unsigned level, uint32_t instance, uint64_t line, uint8_t sectors,
                    const gpc_request *request) {
    (void)level, (void)instance, (void)sectors;
    api_call_back(((api_thing *)user_data)->world, line + request->size);
}

static void on_evict(void *user_data, unsigned level, uint32_t instance, const gpc_eviction *eviction) {
    (void)level, (void)instance;
    api_call_back(((api_thing *)user_data)->world, eviction->line_address);
}

/* Accept, or refuse, by the input. */
static bool on_memory(void *user_data, const gpc_memory_request *request) {
    api_thing *thing = user_data;
    api_call_back(thing->world, request->address);
    if (thing->world->answer % 5 == 4)
        return false;
    if (!request->write)
        thing->memory_id = request->id;
    return true;
}

static bool on_event(void *user_data, const gpc_event *event) {
    api_call_back(((api_thing *)user_data)->world, event->cycle);
    return ((api_thing *)user_data)->world->answer != 99;
}

void api_set_callbacks(api_thing *thing) {
    gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
    const uint8_t which = api_byte(thing->world);
    callbacks.user_data = thing;
    callbacks.on_complete = which & 1 ? on_complete : NULL;
    callbacks.on_ready = which & 2 ? on_ready : NULL;
    callbacks.on_fill = which & 4 ? on_fill : NULL;
    callbacks.on_evict = which & 8 ? on_evict : NULL;
    callbacks.on_memory = which & 16 ? on_memory : NULL;
    gpc_hierarchy_set_callbacks(thing->it, which & 128 ? NULL : &callbacks, NULL);
}

void api_set_events(api_thing *thing) {
    gpc_event_options options = GPC_EVENT_OPTIONS_INIT;
    gpc_error error = GPC_ERROR_INIT;
    const uint8_t which = api_byte(thing->world);
    options.on_event = on_event;
    options.user_data = thing;
    options.whats = api_number(thing->world);
    options.components = which & 2 ? api_byte(thing->world) : 0;
    api_check(gpc_hierarchy_set_trace(thing->it, which & 1 ? NULL : &options, &error), &error);
}
