/* SPDX-License-Identifier: BSD-2-Clause */
#include "fuzz/api.h"
#include "measured.h"

/* Calls of caches, deciders, schedulers, and small objects. */

static void step_cache(api_thing *thing, gpc_request *request) {
    gpc_access_result result;
    if (gpc_cache_lookup(thing->it, request, &result, NULL) < 0)
        return;
    const uint8_t sectors = result.fetch_sectors;
    if (result.outcome == GPC_MISS || result.outcome == GPC_SECTOR_MISS)
        if (gpc_cache_reserve(thing->it, request, sectors, &result, NULL) == GPC_OK && sectors &&
            result.outcome != GPC_NO_VICTIM && result.outcome != GPC_BYPASSED && api_byte(thing->world) & 3)
            gpc_cache_fill(thing->it, request, sectors, &result, NULL);
    gpc_cache_stall(thing->it, request, api_below(thing->world, 9));
    gpc_cache_reply(thing->it, request, api_byte(thing->world) & 1, api_byte(thing->world));
    gpc_cache_respond(thing->it, request);
}

static void change_cache(api_thing *thing) {
    api_world *w = thing->world;
    gpc_error error = GPC_ERROR_INIT;
    gpc_policy_info info = GPC_POLICY_INFO_INIT;
    const uint8_t how = api_byte(w);
    gpc_context *context = w->memories[thing->context].context;
    const gpc_policy_kind kind = how & 1 ? GPC_POLICY_REPLACEMENT : GPC_POLICY_PREDICTOR;
    if (how & 2 || !w->open[thing->context]) {
        api_check(gpc_cache_resize(thing->it, api_below(w, 9), api_below(w, 5), &error), &error);
        return;
    }
    CHECK(gpc_policy_at(context, kind, how / 4 % gpc_policy_count(context, kind), &info, NULL) == GPC_OK);
    api_check(how & 1 ? gpc_cache_set_replacement(thing->it, info.name, &error)
                      : gpc_cache_set_predictor(thing->it, info.name, &error),
              &error);
}

static void look_at_cache(const gpc_cache *cache) {
    gpc_line line;
    uint64_t cursor = 0;
    measured_cache stats;
    gpc_policy_value value = GPC_POLICY_VALUE_INIT;
    measured_clear(&stats);
    while (gpc_cache_next_line(cache, &cursor, &line, NULL) == GPC_OK)
        CHECK(!(line.dirty_sectors & ~(line.valid_sectors | line.pending_sectors)) || line.written_bytes[0] ||
              line.written_bytes[1]);
    CHECK(measure_cache(cache, &stats) == GPC_OK);
    for (size_t n = 0; gpc_cache_policy_value(cache, n, &value, NULL) == GPC_OK; n++)
        CHECK(value.name[0]);
}

void api_call_cache(api_thing *thing) {
    api_world *w = thing->world;
    const uint8_t what = api_byte(w);
    gpc_request request = api_request(w);
    gpc_access_result result;
    const gpc_warp_event event = api_warp_event(w);
    const gpc_sample sample = api_sample(w);
    switch (what % 10) {
    case 0:
        gpc_cache_invalidate_range(thing->it, request.address, api_number(w), NULL);
        break;
    case 1:
        gpc_cache_flush(thing->it, NULL, NULL);
        break;
    case 2:
        change_cache(thing);
        break;
    case 3:
        gpc_cache_warp_event(thing->it, &event, NULL);
        gpc_cache_sample(thing->it, &sample, NULL);
        break;
    case 4:
        gpc_cache_probe_victim(thing->it, &request, &result, NULL);
        look_at_cache(thing->it);
        break;
    case 5:
    case 6:
        step_cache(thing, &request);
        break;
    default:
        for (uint32_t n = what / 10; n < 26; n++, request.address += 96)
            gpc_cache_access(thing->it, &request, &result, NULL);
    }
}

static void call_replacement(api_thing *thing) {
    api_world *w = thing->world;
    const uint8_t what = api_byte(w);
    const uint32_t set = api_below(w, 5), way = api_below(w, 5);
    uint32_t chosen;
    const gpc_request request = api_request(w);
    const gpc_eviction eviction = {.set = set, .way = way, .line_address = request.address & ~(uint64_t)127};
    const gpc_policy_event event = {.request = what & 16 ? &request : NULL,
                                    .eviction = what & 32 ? &eviction : NULL,
                                    .kind = what % 7,
                                    .set = set,
                                    .way = way};
    const uint64_t candidates[] = {api_byte(w)};
    gpc_error error = GPC_ERROR_INIT;
    switch (what % 4) {
    case 0:
        gpc_replacement_choose(thing->it, set, what & 8 ? candidates : NULL, &request, &chosen, NULL);
        gpc_replacement_declines(thing->it, set, what & 8 ? candidates : NULL, &request);
        break;
    case 1: {
        const gpc_warp_event warp = api_warp_event(w);
        const gpc_sample sample = api_sample(w);
        gpc_replacement_event(thing->it, &(gpc_policy_event){.kind = GPC_ON_WARP_EVENT, .warp_event = &warp}, 1, NULL,
                              NULL);
        gpc_replacement_event(thing->it, &(gpc_policy_event){.kind = GPC_ON_SAMPLE, .sample = &sample}, 1, NULL, NULL);
        break;
    }
    default:
        api_check(gpc_replacement_event(thing->it, &event, 1, NULL, &error), &error);
    }
}

static void call_predictor(api_thing *thing) {
    api_world *w = thing->world;
    const uint8_t what = api_byte(w);
    const uint32_t set = api_below(w, 5), way = api_below(w, 5);
    gpc_prediction prediction;
    const gpc_request request = api_request(w);
    const gpc_eviction eviction = {.set = set, .way = way, .line_address = request.address & ~(uint64_t)127};
    const gpc_policy_event event = {.request = what & 16 ? &request : NULL,
                                    .eviction = what & 32 ? &eviction : NULL,
                                    .kind = what % 7,
                                    .set = set,
                                    .way = way};
    gpc_error error = GPC_ERROR_INIT;
    switch (what % 4) {
    case 0:
        gpc_predictor_predict(thing->it, set, &request, &prediction, NULL);
        gpc_predictor_stall(thing->it, &request, api_below(w, 9));
        break;
    case 1: {
        const gpc_warp_event warp = api_warp_event(w);
        const gpc_sample sample = api_sample(w);
        gpc_predictor_event(thing->it, &(gpc_policy_event){.kind = GPC_ON_WARP_EVENT, .warp_event = &warp}, 1, NULL,
                            NULL);
        gpc_predictor_event(thing->it, &(gpc_policy_event){.kind = GPC_ON_SAMPLE, .sample = &sample}, 1, NULL, NULL);
        gpc_predictor_reply(thing->it, &request, what >> 7, api_byte(w));
        gpc_predictor_respond(thing->it, set, what & 64 ? UINT32_MAX : way, &request);
        break;
    }
    default:
        api_check(gpc_predictor_event(thing->it, &event, 1, NULL, &error), &error);
    }
}

void api_call_decider(api_thing *thing) {
    if (thing->kind == API_REPLACEMENT)
        call_replacement(thing);
    else
        call_predictor(thing);
}

static void call_throttle(api_thing *thing, uint8_t what, uint32_t slot, uint64_t number) {
    api_world *w = thing->world;
    const gpc_cache_event event = {.kind = what & 3, .warp = slot, .owner = api_byte(w), .line_address = number * 128};
    uint64_t words[4][1];
    gpc_throttle_classes classes = GPC_THROTTLE_CLASSES_INIT;
    measured_stats stats;
    measured_clear(&stats);
    stats.cycles = number;
    stats.warp_instructions = number / 2;
    classes.throttled = words[0];
    classes.held = what & 16 ? words[1] : NULL;
    classes.bypassing = words[2];
    switch (what % 6) {
    case 0:
        gpc_throttle_start(thing->it, slot, slot / 2, NULL);
        break;
    case 1:
        gpc_throttle_set_state(thing->it, slot, api_below(w, 7), NULL);
        break;
    case 2:
        gpc_throttle_issued(thing->it, slot, number, NULL);
        break;
    case 3:
        gpc_throttle_cache_event(thing->it, &event);
        break;
    case 4:
        give_throttle_sample(thing->it, &stats, number);
        gpc_throttle_begin_kernel(thing->it, what & 32 ? "k" : NULL, NULL);
        break;
    default:
        gpc_throttle_classify(thing->it, number, what & 64 ? &classes : NULL, NULL);
        gpc_throttle_class_of(thing->it, slot);
        gpc_throttle_token_of(thing->it, slot, what & 3);
        gpc_throttle_held(thing->it, slot);
    }
}

static void call_scheduler(api_thing *thing, uint8_t what, uint32_t slot, uint64_t number) {
    api_world *w = thing->world;
    const gpc_cache_event event = {.kind = what & 3, .warp = slot, .owner = api_byte(w), .line_address = number * 128};
    uint32_t picked;
    measured_stats stats;
    measured_clear(&stats);
    stats.cycles = number;
    switch (what % 6) {
    case 0:
        gpc_scheduler_start_block(thing->it, slot, slot / 2, NULL);
        break;
    case 1:
        gpc_scheduler_set_state(thing->it, slot, api_below(w, 7), NULL);
        break;
    case 2:
        gpc_scheduler_cache_event(thing->it, &event);
        break;
    case 3:
        give_sample(thing->it, &stats, number);
        gpc_scheduler_begin_kernel(thing->it, what & 32 ? "k" : NULL, NULL);
        break;
    case 4:
        gpc_scheduler_class_of(thing->it, slot);
        gpc_scheduler_token_of(thing->it, slot, what & 3);
        gpc_scheduler_age_of(thing->it, slot);
        gpc_scheduler_next_change(thing->it);
        break;
    default:
        for (uint32_t n = 0; n < 4; n++)
            if (gpc_scheduler_pick(thing->it, number + n, what & 64, &picked, NULL) == GPC_OK && picked != GPC_NO_WARP)
                CHECK(gpc_scheduler_issued(thing->it, picked, number + n, NULL) == GPC_OK);
    }
}

void api_call_scheduler(api_thing *thing) {
    api_world *w = thing->world;
    const uint8_t what = api_byte(w);
    const uint32_t slot = api_below(w, 24);
    const uint64_t number = api_number(w);
    if (thing->kind == API_SCHEDULER)
        call_scheduler(thing, what, slot, number);
    else
        call_throttle(thing, what, slot, number);
}

static void call_config(api_thing *thing) {
    api_world *w = thing->world;
    gpc_config *copy = NULL;
    gpc_error error = GPC_ERROR_INIT;
    const char *name, *summary;
    const uint8_t what = api_byte(w);
    CHECK(gpc_preset_at(what % gpc_preset_count(), &name, &summary, NULL) == GPC_OK);
    if (what & 128)
        api_check(gpc_config_load_text(thing->it, "l1.ways=2\nl1.ways=no", NULL, &error), &error);
    else if (what & 64)
        api_check(gpc_config_set(thing->it, "l1.index", name, &error), &error);
    api_check(gpc_config_copy(thing->it, &copy, &error), &error);
    api_put(w, API_CONFIG, copy, thing->context);
}

static void call_dram(api_thing *thing) {
    api_world *w = thing->world;
    const uint8_t what = api_byte(w);
    for (uint32_t n = 0; n < (what & 31u); n++)
        gpc_dram_try_request(thing->it, api_below(w, 2), api_number(w), what & 32, n, NULL);
    gpc_dram_advance(thing->it, what, NULL);
}

static void call_trace(api_thing *thing) {
    const gpc_block *block = NULL;
    gpc_kernel kernel = GPC_KERNEL_INIT;
    gpc_error error = GPC_ERROR_INIT;
    const uint8_t what = api_byte(thing->world);
    if (api_is_borrowed(thing->world, thing))
        return;
    if (what & 1)
        api_check(gpc_trace_next_kernel(thing->it, &kernel, &error), &error);
    const gpc_status status = gpc_trace_next_block(thing->it, &block, &error);
    api_check(status, &error);
    if (status == GPC_OK && what & 2)
        gpc_trace_release_block(thing->it, block);
}

void api_call(api_thing *thing) {
    switch (thing->kind) {
    case API_NOTHING:
        break;
    case API_CONFIG:
        call_config(thing);
        break;
    case API_CACHE:
        api_call_cache(thing);
        break;
    case API_HIERARCHY:
        api_call_hierarchy(thing);
        break;
    case API_REPLAY:
        api_call_replay(thing);
        break;
    case API_TRACE:
        call_trace(thing);
        break;
    case API_SCHEDULER:
    case API_THROTTLE:
        api_call_scheduler(thing);
        break;
    case API_DRAM:
        call_dram(thing);
        break;
    default:
        api_call_decider(thing);
    }
}
