/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/experimental/experimental.h>

#include "fuzz/api.h"
#include "measured.h"

/* Further calls of hierarchies and replays: kernels at once, ports, transactions, windows, and queries. */

/* Afterwards a hierarchy is only destroyed. */
static gpc_status heed(api_thing *thing, gpc_status status) {
    thing->failed |= status == GPC_ERROR_CALLBACK;
    return status;
}

static void kernels(api_thing *thing, uint8_t what) {
    api_world *w = thing->world;
    gpc_kernel_options options = GPC_KERNEL_OPTIONS_INIT;
    gpc_launch launch = GPC_LAUNCH_INIT;
    gpc_error error = GPC_ERROR_INIT;
    uint32_t kernel;
    const uint32_t sms[] = {api_below(w, 3), 1};
    launch.threads = api_byte(w) * 8u;
    launch.shared_bytes = api_byte(w) * 256u;
    options.launch = what & 1 ? &launch : NULL;
    options.sms = what & 2 ? sms : NULL;
    options.sm_count = what & 2 ? 1 + (what >> 2 & 1u) : 0;
    options.stream = what >> 3 & 1;
    if (what & 16)
        api_check(heed(thing, gpc_hierarchy_start_kernel(thing->it, &options, &kernel, &error)), &error);
    else if (!gpc_hierarchy_in_flight(thing->it)) /* the headers' rule for the end of a kernel */
        api_check(gpc_hierarchy_end_kernel(thing->it, api_below(w, 4), &error), &error);
    CHECK(gpc_hierarchy_running_kernels(thing->it) <= 2);
    gpc_hierarchy_occupancy(thing->it, &launch);
}

static void ports(api_thing *thing, uint8_t what) {
    api_world *w = thing->world;
    gpc_port_request request = GPC_PORT_REQUEST_INIT;
    gpc_port_stats stats = GPC_PORT_STATS_INIT;
    gpc_error error = GPC_ERROR_INIT;
    request.address = api_number(w);
    request.bytes = what & 1 ? api_number(w) & 0xffff : api_byte(w) * 16u;
    request.port = what >> 1 & 3;
    request.kind = what >> 3 & 3;
    for (uint32_t n = 0; n <= what >> 6; n++)
        api_check(gpc_hierarchy_try_port(thing->it, &request, n, &error), &error);
    for (uint32_t n = 0; n < gpc_hierarchy_ports(thing->it); n++) {
        CHECK(gpc_hierarchy_port_stats(thing->it, n, &stats, NULL) == GPC_OK);
        CHECK(stats.completed <= stats.requests);
    }
}

static void transactions(api_thing *thing, uint8_t what) {
    api_world *w = thing->world;
    gpc_request each[4];
    gpc_error error = GPC_ERROR_INIT;
    const uint32_t count = 1 + (what & 3u);
    each[0] = api_request(w);
    for (uint32_t n = 1; n < count; n++) {
        each[n] = each[n - 1];
        each[n].address += what & 4 ? 128 : 32;
        each[n].warp ^= what >> 7; /* transactions of different warps disagree */
    }
    api_check(gpc_hierarchy_try_transactions(thing->it, each, count, what, NULL, &error), &error);
    api_check(gpc_hierarchy_try_miss(thing->it, each, what, NULL, &error), &error);
}

static void windows(api_thing *thing, uint8_t what) {
    api_world *w = thing->world;
    gpc_access_window window = GPC_ACCESS_WINDOW_INIT;
    gpc_error error = GPC_ERROR_INIT;
    window.begin = api_number(w);
    window.bytes = api_number(w);
    window.hit_ratio = api_below(w, 103);
    window.hit = what & 3;
    window.miss = what >> 2 & 3;
    api_check(gpc_hierarchy_set_window(thing->it, what & 128 ? NULL : &window, &error), &error);
    if (what & 64)
        gpc_hierarchy_reset_persisting(thing->it, NULL);
}

static void on_row(void *user_data, const gpc_stage_row *row) {
    uint64_t sum = 0;
    for (uint32_t n = 0; n < row->stage_count; n++)
        sum += row->stages[n];
    CHECK(sum == row->latency);
    ((api_world *)user_data)->calls++;
}

static void ask(api_thing *thing, uint8_t what) {
    api_world *w = thing->world;
    gpc_busy busy;
    gpc_error error = GPC_ERROR_INIT;
    gpc_location location = {.struct_size = sizeof location};
    gpc_policy_value value = GPC_POLICY_VALUE_INIT;
    const uint32_t sm = what & 3;
    gpc_hierarchy_can_accept(thing->it, sm, &busy);
    gpc_hierarchy_can_accept_miss(thing->it, sm, &busy);
    gpc_hierarchy_is_idle(thing->it);
    api_check(gpc_hierarchy_locate(thing->it, sm, api_number(w), &location, &error), &error);
    CHECK(gpc_hierarchy_threads(thing->it) >= 1);
    api_check(gpc_hierarchy_add_reply_credits(thing->it, sm, what >> 6, &error), &error);
    gpc_hierarchy_reply_credits(thing->it, sm);
    api_check(gpc_hierarchy_stages(thing->it, on_row, w, &error), &error);
    api_number(w); /* cycles of an earlier call: corpora keep their meaning */
    for (size_t n = 0; gpc_hierarchy_policy_value(thing->it, n, &value, NULL) == GPC_OK; n++)
        CHECK(value.name[0]);
}

/* An object's missing value is absent, and no value exceeds the hierarchy's value. */
static void read_objects(api_thing *thing, uint8_t what) {
    const gpc_object kind = what & 7;
    const uint32_t ids[] = {api_byte(thing->world), what};
    uint64_t values[2 * GPC_AGE_BUCKETS]; /* ids may be of histograms */
    char name[GPC_OBJECT_NAME];
    const uint32_t count = gpc_hierarchy_object_count(thing->it, kind);
    for (uint32_t n = 0; n <= count; n++) {
        const bool there = gpc_hierarchy_object_name(thing->it, kind, n, name, sizeof name, NULL) == GPC_OK;
        CHECK(there == (n < count));
        const gpc_status status =
            gpc_hierarchy_read(thing->it, kind, n, ids, 2, values, sizeof values / sizeof *values, NULL);
        CHECK(there || status < 0);
    }
}

static void access_many(api_thing *thing, uint8_t what) {
    api_world *w = thing->world;
    uint64_t addresses[3 * 32];
    uint64_t masks[3];
    uint32_t sms[3];
    size_t done = 0;
    gpc_access_batch batch = GPC_ACCESS_BATCH_INIT;
    for (uint32_t n = 0; n < 3; n++) {
        const uint64_t base = api_number(w);
        sms[n] = api_below(w, 3);
        masks[n] = what & 1 ? UINT32_MAX : api_byte(w);
        for (uint32_t lane = 0; lane < 32; lane++)
            addresses[n * 32 + lane] = base + lane * (what >> 2 & 15u);
    }
    batch.count = 3;
    batch.addresses = addresses;
    batch.sms = sms;
    batch.masks = masks;
    const gpc_status status = gpc_hierarchy_access_many(thing->it, &batch, &done, NULL);
    CHECK(status != GPC_OK || done == 3);
    heed(thing, status);
}

static void samples(api_thing *thing) {
    gpc_shape shape = GPC_SHAPE_INIT;
    CHECK(gpc_hierarchy_get_shape(thing->it, &shape, NULL) == GPC_OK);
    gpc_sample *of = calloc(shape.sms, sizeof *of);
    CHECK(of);
    for (uint32_t sm = 0; sm < shape.sms; sm++)
        of[sm] = api_sample(thing->world);
    gpc_hierarchy_wants_samples(thing->it);
    gpc_hierarchy_sample(thing->it, of, NULL);
    gpc_hierarchy_count_instructions(thing->it, 1, 32, 0);
    free(of);
}

void api_call_hierarchy_more(api_thing *thing) {
    const uint8_t what = api_byte(thing->world), more = api_byte(thing->world);
    switch (what & 7) {
    case 0:
        ports(thing, more);
        break;
    case 1:
        transactions(thing, more);
        break;
    case 2:
        windows(thing, more);
        break;
    case 3:
        ask(thing, more);
        break;
    case 4:
        read_objects(thing, more);
        break;
    case 5:
        access_many(thing, more);
        break;
    case 6:
        samples(thing);
        break;
    default:
        kernels(thing, more);
    }
}

static void on_kernel(void *user_data, const gpc_kernel_result *result) {
    CHECK(result->launched <= result->started && result->started <= result->ended);
    api_call_back(user_data, result->stream);
}

/* Replay one or two traces not in use. A trace with an error can only be closed. */
void api_call_streams(api_thing *thing, uint8_t what) {
    api_world *w = thing->world;
    gpc_replay_stream streams[2] = {GPC_REPLAY_STREAM_INIT, GPC_REPLAY_STREAM_INIT};
    api_thing *traces[2] = {api_find(w, API_TRACE), api_find(w, API_TRACE)};
    const uint32_t sms[] = {0, 1};
    gpc_error error = GPC_ERROR_INIT;
    measured_stats stats;
    const size_t count = 1 + (what & 1u);
    for (size_t n = 0; n < count; n++) {
        if (!traces[n] || api_is_borrowed(w, traces[n]))
            return;
        streams[n].trace = traces[n]->it;
        streams[n].sms = what & 2 ? sms + n : NULL;
        streams[n].sm_count = what & 2 ? 1 : 0;
        streams[n].priority = what >> (2 + n) & 1;
        streams[n].null_stream = what >> (4 + n) & 1;
    }
    measured_clear(&stats);
    const gpc_status status = measure_streams(thing->it, streams, count, on_kernel, w, &stats, &error);
    api_check(status, &error);
    thing->failed = status == GPC_ERROR_CALLBACK || status == GPC_ERROR_MEMORY;
    for (size_t n = 0; n < count && status < 0; n++)
        if (traces[n]->kind == API_TRACE)
            api_destroy(traces[n]);
}
