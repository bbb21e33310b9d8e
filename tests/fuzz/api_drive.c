/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/experimental/experimental.h>

#include "fuzz/api.h"
#include "measured.h"

#include <string.h>

/* Calls of hierarchies and replays. */

#define SAVED_MOST ((size_t)1 << 20)

typedef struct saved {
    uint8_t *data;
    size_t size, at;
} saved;

static gpc_status write_part(void *user_data, const void *data, size_t size) {
    saved *s = user_data;
    if (size > SAVED_MOST - s->size)
        return GPC_ERROR_IO;
    memcpy(s->data + s->size, data, size);
    s->size += size;
    return GPC_OK;
}

static gpc_status read_part(void *user_data, void *data, size_t size, size_t *out_read) {
    saved *s = user_data;
    *out_read = size < s->size - s->at ? size : s->size - s->at;
    memcpy(data, s->data + s->at, *out_read);
    s->at += *out_read;
    return GPC_OK;
}

/* Copy in memory, or by a snapshot, into the same context or another. */
static void copy(api_thing *thing, bool replay) {
    api_world *w = thing->world;
    saved s = {NULL, 0, 0};
    void *it = NULL;
    gpc_error error = GPC_ERROR_INIT;
    const unsigned into = api_below(w, API_CONTEXTS);
    if (api_byte(w) & 1) {
        api_check(replay ? gpc_replay_copy(thing->it, (gpc_replay **)&it, &error)
                         : gpc_hierarchy_copy(thing->it, (gpc_hierarchy **)&it, &error),
                  &error);
        api_put(w, thing->kind, it, thing->context);
        return;
    }
    s.data = malloc(SAVED_MOST);
    CHECK(s.data);
    const gpc_status status =
        replay ? gpc_replay_save(thing->it, &(gpc_stream)GPC_STREAM_WRITE(write_part, &s), &error)
               : gpc_hierarchy_save(thing->it, &(gpc_stream)GPC_STREAM_WRITE(write_part, &s), &error);
    CHECK(status >= 0 || status == GPC_ERROR_IO || *error.message);
    if (status == GPC_OK && w->open[into]) {
        gpc_context *context = w->memories[into].context;
        api_check(replay ? gpc_replay_load(context, &(gpc_stream)GPC_STREAM_READ(read_part, &s), NULL,
                                           (gpc_replay **)&it, &error)
                         : gpc_hierarchy_load(context, &(gpc_stream)GPC_STREAM_READ(read_part, &s), NULL,
                                              (gpc_hierarchy **)&it, &error),
                  &error);
        api_put(w, thing->kind, it, into);
    }
    free(s.data);
}

static gpc_warp_access access_of(api_world *w, uint64_t *addresses, uint8_t *values) {
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    const uint8_t form = api_byte(w), more = api_byte(w);
    const uint64_t base = form & 1 ? UINT64_MAX - 8191 : api_byte(w) * 64u, stride = api_byte(w);
    for (uint32_t n = 0; n < 64; n++)
        addresses[n] = base + n * stride % 8192;
    memset(values, form, 64 * 64);
    access.addresses = addresses;
    access.sm = form >> 1 & 1;
    access.warp = form >> 2 & 7;
    access.warp_age = access.warp ^ 1;
    access.width = 1u << (form >> 5);
    access.mask = more & 1 ? UINT32_MAX : 1u << (more & 15);
    access.kind = more >> 1 & 7;
    access.hint = more >> 4 & 7;
    if (more & 128) {
        const uint8_t rest = api_byte(w), last = api_byte(w);
        access.space = rest & 3;
        access.scope = rest >> 2 & 3;
        access.order = rest >> 4 & 7;
        access.copy = rest >> 7;
        access.atomic = last & 15;
        access.bytes = last & 16 ? values : NULL;
        access.token = last >> 5 & 3;
        access.stream = last >> 7;
    }
    return access;
}

static gpc_fence fence_of(api_world *w) {
    gpc_fence fence = GPC_FENCE_INIT;
    const uint8_t form = api_byte(w);
    fence.sm = form & 1;
    fence.scope = form >> 1 & 3;
    fence.order = form >> 3 & 7;
    fence.control = form >> 6;
    return fence;
}

/* After GPC_ERROR_CALLBACK, or a standstill, a hierarchy is only destroyed. */
static void keep(api_thing *thing, gpc_status status) {
    if (status == GPC_ERROR_CALLBACK || status == GPC_ERROR_STATE || status == GPC_ERROR_MEMORY)
        thing->failed = true;
}

static void move_on(api_thing *thing, uint8_t what) {
    gpc_error error = GPC_ERROR_INIT;
    if (gpc_hierarchy_next_event(thing->it) == UINT64_MAX && gpc_hierarchy_now(thing->it) == 0 && !(what & 7))
        return;
    if (what & 3) {
        keep(thing, gpc_hierarchy_advance(thing->it, what, NULL));
        return;
    }
    const gpc_status status = gpc_hierarchy_drain(thing->it, &error);
    api_check(status, &error);
    keep(thing, status);
}

static void set_up(api_thing *thing, uint8_t what) {
    api_world *w = thing->world;
    gpc_error error = GPC_ERROR_INIT;
    gpc_launch launch = GPC_LAUNCH_INIT;
    launch.threads = api_byte(w) * 8u;
    launch.shared_bytes = api_byte(w) * 256u;
    switch (what % 5) {
    case 0:
        keep(thing, gpc_hierarchy_begin_kernel(thing->it, what & 64 ? &launch : NULL, &error) == GPC_ERROR_CALLBACK
                        ? GPC_ERROR_CALLBACK
                        : GPC_OK);
        break;
    case 1:
        api_set_callbacks(thing);
        break;
    case 2:
        api_set_events(thing);
        break;
    case 3:
        api_check(gpc_hierarchy_rank_warps(thing->it, what & 64, &error), &error);
        gpc_hierarchy_set_reply_credits(thing->it, what & 1, api_byte(w) & 7, NULL);
        break;
    default:
        api_check(gpc_hierarchy_preload(thing->it, what & 3, what >> 7, api_number(w), api_byte(w) * 16u, &error),
                  &error);
    }
}

/* Lent objects and queries. */
static void look_at(api_thing *thing, uint8_t what) {
    measured_stats stats;
    gpc_shape shape = GPC_SHAPE_INIT;
    gpc_config *config = NULL;
    gpc_error error = GPC_ERROR_INIT;
    gpc_request request = api_request(thing->world);
    gpc_access_result result;
    gpc_cache *cache = gpc_hierarchy_cache(thing->it, what & 3, what >> 2 & 3);
    measured_clear(&stats);
    if (cache)
        gpc_cache_probe(cache, &request, &result, NULL);
    CHECK(gpc_hierarchy_get_shape(thing->it, &shape, NULL) == GPC_OK);
    const gpc_status status = measure_hierarchy(thing->it, &stats);
    CHECK(status == GPC_OK || status == GPC_ERROR_MEMORY);
    if (what & 16)
        gpc_hierarchy_reset_stats(thing->it);
    api_check(gpc_hierarchy_get_config(thing->it, &config, &error), &error);
    gpc_config_destroy(config);
    gpc_hierarchy_memory_reply(thing->it, thing->memory_id, NULL);
    gpc_hierarchy_memory_ready(thing->it, what & 1, NULL);
}

static void use(api_thing *thing, uint8_t what) {
    api_world *w = thing->world;
    uint64_t addresses[64];
    uint8_t values[64 * 64];
    gpc_error error = GPC_ERROR_INIT;
    const gpc_warp_access access = access_of(w, addresses, values);
    const gpc_fence fence = fence_of(w);
    const gpc_request request = api_request(w);
    const gpc_warp_event event = api_warp_event(w);
    gpc_status status = gpc_hierarchy_access(thing->it, &access, NULL, &error);
    api_check(status, &error);
    if (status == GPC_ERROR_STATE)
        for (uint32_t n = 0; n <= (what & 7u); n++) {
            status = gpc_hierarchy_try_issue(thing->it, &access, n, NULL, &error);
            api_check(status, &error);
        }
    if (what & 16)
        api_check(gpc_hierarchy_try_fence(thing->it, &fence, what, NULL, &error), &error);
    if (what & 32)
        api_check(gpc_hierarchy_fence(thing->it, &fence, &error), &error);
    if (what & 64)
        api_check(gpc_hierarchy_try_miss(thing->it, &request, what, NULL, &error), &error);
    if (what & 128)
        api_check(gpc_hierarchy_warp_event(thing->it, &event, &error), &error);
    if (status == GPC_ERROR_CALLBACK)
        thing->failed = true;
}

void api_call_hierarchy(api_thing *thing) {
    const uint8_t what = api_byte(thing->world), more = api_byte(thing->world);
    if (thing->failed)
        return;
    switch (what & 7) {
    case 0:
        set_up(thing, more);
        break;
    case 1:
        look_at(thing, more);
        break;
    case 2:
        copy(thing, false);
        break;
    case 3:
        if (what & 8)
            api_call_hierarchy_more(thing);
        else
            gpc_hierarchy_flush(thing->it, NULL);
        break;
    case 4:
    case 5:
        move_on(thing, more);
        break;
    default:
        use(thing, more);
    }
}

static void run_kernel(api_thing *thing, uint8_t what) {
    gpc_kernel kernel = GPC_KERNEL_INIT;
    gpc_error error = GPC_ERROR_INIT;
    measured_stats stats;
    api_thing *trace = thing->at_hand ? thing->at_hand : api_find(thing->world, API_TRACE);
    if (!trace || trace->kind != API_TRACE || (api_is_borrowed(thing->world, trace) && thing->at_hand != trace))
        return;
    measured_clear(&stats);
    CHECK(gpc_replay_pause_at(thing->it, what & 1 ? gpc_replay_now(thing->it) + what : UINT64_MAX, NULL) == GPC_OK);
    const gpc_status status = measure_kernel(thing->it, trace->it, &kernel, &stats, &error);
    api_check(status, &error);
    thing->at_hand = status == GPC_BUSY ? trace : NULL;
    if (status < 0 && status != GPC_ERROR_MEMORY)
        api_destroy(trace); /* after an error a trace only closes */
    thing->failed = status == GPC_ERROR_CALLBACK || status == GPC_ERROR_STATE;
}

static bool on_progress(void *user_data, const gpc_progress *progress) {
    api_thing *thing = user_data;
    api_call_back(thing->world, progress->blocks);
    return thing->world->answer != 98;
}

/* The trace belongs to the replay after a resume. */
static api_thing *resume(api_thing *thing, api_thing *trace) {
    gpc_error error = GPC_ERROR_INIT;
    const gpc_status status = gpc_replay_resume(thing->it, trace->it, &error);
    api_check(status, &error);
    if (status < 0)
        api_destroy(trace);
    return status == GPC_OK ? trace : NULL;
}

void api_call_replay(api_thing *thing) {
    api_world *w = thing->world;
    const uint8_t what = api_byte(w), more = api_byte(w);
    measured_stats stats;
    measured_clear(&stats);
    if (thing->failed || thing->at_hand == thing)
        return;
    switch (what & 7) {
    case 0:
        gpc_replay_on_progress(thing->it, what & 8 ? on_progress : NULL, thing);
        break;
    case 1:
        copy(thing, true);
        break;
    case 2:
        CHECK(measure_total(thing->it, &stats) >= GPC_ERROR_CALLBACK);
        gpc_replay_keep_objects(thing->it, more & 1, NULL);
        if (what & 8)
            api_call_streams(thing, more);
        break;
    case 3: {
        api_thing *trace = api_find(w, API_TRACE);
        if (trace && !api_is_borrowed(w, trace) && !thing->at_hand)
            thing->at_hand = resume(thing, trace);
        break;
    }
    default:
        run_kernel(thing, more);
    }
}
