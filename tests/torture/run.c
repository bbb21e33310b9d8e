/* SPDX-License-Identifier: BSD-2-Clause */
#include "host.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *const way_names[WAY_COUNT] = {"jumps",   "steps",   "trace",  "saved",  "copied",        "threads",
                                          "starved", "renewed", "replay", "paused", "replay threads"};

/* Callbacks. */

static uint64_t mix(uint64_t sum, const void *bytes, size_t size) {
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3u;
    return sum;
}

static void check_values(host *at, const gpc_completion *c) {
    const uint8_t *known;
    uint32_t count;
    uint8_t found[64 * 64];
    if (!at->expected || !expected_bytes(at->expected, (uint32_t)c->token, &known, &count))
        return;
    if (at->c->ops[c->token].kind != GPC_LOAD || !c->values)
        return;
    memcpy(found, c->values, count);
    if (at->fault == FAULT_VALUE && c->token % 4 == 3)
        found[0] ^= 1;
    at->r->value_bytes += count;
    for (uint32_t i = 0; i < count; i++)
        if (found[i] != known[i]) {
            fail(at->f, "value", "operation %" PRIu64 ": byte %" PRIu32 " is %u, not %u", c->token, i, found[i],
                 known[i]);
            return;
        }
}

static void on_complete(void *user_data, const gpc_completion *c) {
    host *at = user_data;
    record *r = at->r;
    if (r->count == r->room) {
        r->room = r->room ? 2 * r->room : 256;
        r->list = realloc(r->list, r->room * sizeof *r->list);
        if (!r->list)
            abort();
    }
    done *d = &r->list[r->count++];
    memset(d, 0, sizeof *d);
    d->token = c->token, d->issued = c->issued, d->cycle = c->cycle, d->sm = c->sm, d->warp = c->warp;
    d->kind = c->kind, d->level = c->level, d->fence = c->fence, d->port = c->port;
    d->values = mix(0, c->values, c->value_bytes);
    if (at->c->values)
        check_values(at, c);
    uint64_t stages = 0;
    for (uint32_t i = 0; i < c->stage_count; i++)
        stages += c->stages[i];
    d->stages = mix(0, c->stages, c->stage_count * sizeof *c->stages);
    if (c->stage_count && stages != c->cycle - c->issued)
        fail(at->f, "stages", "operation %" PRIu64 ": stages of %" PRIu64 " cycles in all, of %" PRIu64, c->token,
             stages, c->cycle - c->issued);
    if (c->token >= at->c->op_count)
        fail(at->f, "token", "token %" PRIu64 " was never given", c->token);
    else
        at->completions[c->token]--; /* below 0 during the call, for accesses that complete at once */
}

static void tell_event(record *r, const gpc_event *e) {
    const uint64_t fields[] = {e->cycle, e->until, e->packet, e->parent, e->access,  e->address,   e->pc,
                               e->value, e->sm,    e->warp,   e->block,  e->index,   e->bank,      e->bytes,
                               e->from,  e->to,    e->what,   e->kind,   e->outcome, e->component, e->process};
    for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++)
        record_tell(r, fields[i]);
}

static bool on_event(void *user_data, const gpc_event *e) {
    host *at = user_data;
    tell_event(at->r, e);
    at->events[e->what][e->component]++;
    at->bytes[e->what][e->component] += e->bytes;
    if (e->until < e->cycle)
        fail(at->f, "until", "%s %s %" PRIu32 ": until %" PRIu64 ", before its cycle %" PRIu64, gpc_what_name(e->what),
             gpc_component_name(e->component), e->index, e->until, e->cycle);
    return true;
}

static void set_trace(host *at) {
    gpc_event_options options = GPC_EVENT_OPTIONS_INIT;
    options.on_event = on_event;
    options.user_data = at;
    memset(at->events, 0, sizeof at->events);
    memset(at->bytes, 0, sizeof at->bytes);
    gpc_status status;
    HOST_CALL(at, status, gpc_hierarchy_set_trace(at->h, &options, NULL));
    if (status != GPC_OK)
        fail(at->f, "trace", "gpc_hierarchy_set_trace fails");
}

static void expect_count(host *at, const char *what, uint64_t events, uint64_t counted) {
    if (events != counted)
        fail(at->f, "events", "%s: %" PRIu64 " by events, %" PRIu64 " by counters", what, events, counted);
}

static uint64_t counter(host *at, gpc_counter_table table, gpc_object kind, uint32_t index, const char *name) {
    gpc_counter_info info = GPC_COUNTER_INFO_INIT;
    uint64_t value = GPC_ABSENT;
    if (gpc_counter_by_name(table, name, &info, NULL) == GPC_OK)
        gpc_hierarchy_read(at->h, kind, index, &info.id, 1, &value, 1, NULL);
    return value == GPC_ABSENT ? 0 : value;
}

/* Compares a network's packets and bytes with the events at its component. */
static void check_network(host *at, uint32_t index) {
    static const char *const names[GPC_COMPONENT_COUNT] = {
        [GPC_COMPONENT_REQUESTS] = "request network",
        [GPC_COMPONENT_REPLIES] = "reply network",
        [GPC_COMPONENT_PARTITION_REQUESTS] = "partition request link",
        [GPC_COMPONENT_PARTITION_REPLIES] = "partition reply link",
        [GPC_COMPONENT_MEMORY_REQUESTS] = "memory request link",
        [GPC_COMPONENT_MEMORY_REPLIES] = "memory reply link",
        [GPC_COMPONENT_CLUSTER_REQUESTS] = "cluster request network",
        [GPC_COMPONENT_CLUSTER_REPLIES] = "cluster reply network",
        [GPC_COMPONENT_GPU_LINKS] = "GPU link",
    };
    char name[GPC_OBJECT_NAME];
    if (gpc_hierarchy_object_name(at->h, GPC_OBJECT_NETWORK, index, name, sizeof name, NULL) != GPC_OK)
        return;
    for (unsigned n = 0; n < GPC_COMPONENT_COUNT; n++) {
        if (!names[n] || strcmp(names[n], name) != 0)
            continue;
        const uint64_t packets = counter(at, GPC_TABLE_NETWORK, GPC_OBJECT_NETWORK, index, "packets"),
                       bytes = counter(at, GPC_TABLE_NETWORK, GPC_OBJECT_NETWORK, index, "bytes");
        expect_count(at, name, at->events[GPC_WHAT_SEND][n], packets);
        expect_count(at, name, at->events[GPC_WHAT_RECEIVE][n], packets);
        expect_count(at, name, at->bytes[GPC_WHAT_SEND][n], bytes);
        return;
    }
    fail(at->f, "events", "no component is %s", name);
}

/* Compares events with counters, after a run that was traced from its begin, and never reset. */
static void check_events(host *at) {
    uint64_t lines = 0, issued = 0, ended = 0;
    for (unsigned i = 0; i < at->c->op_count; i++)
        if (at->c->ops[i].what == OP_RESET || at->c->ops[i].multicast)
            return;
    for (uint32_t i = 0; i < gpc_hierarchy_object_count(at->h, GPC_OBJECT_NETWORK); i++)
        check_network(at, i);
    for (uint32_t i = 0; i < gpc_hierarchy_ports(at->h); i++) {
        gpc_port_stats stats = GPC_PORT_STATS_INIT;
        gpc_hierarchy_port_stats(at->h, i, &stats, NULL);
        lines += stats.read_lines + stats.write_lines;
    }
    expect_count(at, "lines of ports", at->events[GPC_WHAT_LINE][GPC_COMPONENT_PORT], lines);
    expect_count(at, "replies of ports", at->events[GPC_WHAT_REPLY][GPC_COMPONENT_PORT], lines);
    expect_count(at, "ways of ports", at->events[GPC_WHAT_RECEIVE][GPC_COMPONENT_PORT], 2 * lines);
    for (unsigned n = 0; n < GPC_COMPONENT_COUNT; n++) {
        issued += at->events[GPC_WHAT_ISSUE][n];
        ended += at->events[GPC_WHAT_COMPLETE][n];
    }
    expect_count(at, "completions of issues", ended, issued);
    const uint64_t read = at->bytes[GPC_WHAT_MEMORY_READ][GPC_COMPONENT_MEMORY] +
                          at->bytes[GPC_WHAT_MEMORY_READ][GPC_COMPONENT_HOST],
                   launched = counter(at, GPC_TABLE_HIERARCHY, GPC_OBJECT_WHOLE, 0, "dram.launch_sectors");
    expect_count(at, "sectors read", read / 32 + launched,
                 counter(at, GPC_TABLE_HIERARCHY, GPC_OBJECT_WHOLE, 0, "dram.read_sectors"));
    const uint64_t written =
        at->bytes[GPC_WHAT_MEMORY_WRITE][GPC_COMPONENT_MEMORY] + at->bytes[GPC_WHAT_MEMORY_WRITE][GPC_COMPONENT_HOST];
    expect_count(at, "sectors written", written / 32,
                 counter(at, GPC_TABLE_HIERARCHY, GPC_OBJECT_WHOLE, 0, "dram.write_sectors"));
}

void host_attach(host *at) {
    gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
    callbacks.user_data = at;
    callbacks.on_complete = at->how == WAY_THREADS ? NULL : on_complete;
    callbacks.on_memory = at->c->manners.memory ? host_on_memory : NULL;
    if (at->how == WAY_THREADS)
        return;
    gpc_status status;
    HOST_CALL(at, status, gpc_hierarchy_set_callbacks(at->h, &callbacks, NULL));
    if (status != GPC_OK)
        fail(at->f, "callbacks", "gpc_hierarchy_set_callbacks returns %s", gpc_status_string(status));
    if (at->how == WAY_TRACE)
        set_trace(at);
}

/* Snapshots. */

gpc_status write_bytes(void *user_data, const void *data, size_t size) {
    snapshot_bytes *b = user_data;
    if (b->size + size > b->room) {
        b->room = 2 * (b->size + size);
        b->data = realloc(b->data, b->room);
        if (!b->data)
            abort();
    }
    memcpy(b->data + b->size, data, size);
    b->size += size;
    return GPC_OK;
}

gpc_status read_bytes(void *user_data, void *data, size_t size, size_t *out_read) {
    snapshot_bytes *b = user_data;
    *out_read = b->size - b->at < size ? b->size - b->at : size;
    if (*out_read)
        memcpy(data, b->data + b->at, *out_read);
    b->at += *out_read;
    return GPC_OK;
}

/* Fails at a run of bytes that nobody has written. */
static void check_written(host *at, const snapshot_bytes *b) {
    size_t run = 0;
    for (size_t i = 0; i < b->size && run < 24; i++)
        run = b->data[i] == TORTURE_FILL ? run + 1 : 0;
    if (run == 24)
        fail(at->f, "unwritten", "a snapshot of %zu bytes has memory that was never written", b->size);
}

/* Some operations after a snapshot was loaded, its parts must still have been written. */
static void save_again(host *at) {
    snapshot_bytes b = {NULL, 0, 0, 0};
    if (gpc_hierarchy_save(at->h, &(gpc_stream)GPC_STREAM_WRITE(write_bytes, &b), NULL) == GPC_OK)
        check_written(at, &b);
    free(b.data);
}

void host_renew(host *at) {
    snapshot_bytes first = {NULL, 0, 0, 0}, second = {NULL, 0, 0, 0};
    gpc_error error = GPC_ERROR_INIT;
    gpc_hierarchy *h = NULL;
    gpc_status status;
    HOST_CALL(at, status,
              (first.size = 0, gpc_hierarchy_save(at->h, &(gpc_stream)GPC_STREAM_WRITE(write_bytes, &first), &error)));
    if (status == GPC_OK)
        HOST_CALL(at, status,
                  (first.at = 0, gpc_hierarchy_load(at->context, &(gpc_stream)GPC_STREAM_READ(read_bytes, &first), NULL,
                                                    &h, &error)));
    if (status == GPC_OK)
        status = gpc_hierarchy_save(h, &(gpc_stream)GPC_STREAM_WRITE(write_bytes, &second), &error);
    if (status == GPC_ERROR_UNSUPPORTED && !h) {
        free(first.data), free(second.data);
        return;
    }
    if (status != GPC_OK)
        fail(at->f, "snapshot", "saved and loaded: %s", error.message);
    else if (first.size != second.size || memcmp(first.data, second.data, first.size) != 0)
        fail(at->f, "saved twice", "a snapshot of what was loaded has %zu bytes, others than the %zu loaded",
             second.size, first.size);
    check_written(at, &first);
    if (h) {
        gpc_hierarchy_destroy(at->h);
        at->h = h;
        at->r->renewals++;
    }
    free(first.data), free(second.data);
    if (h)
        host_attach(at);
}

static void go_on_from_copy(host *at) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_hierarchy *h = NULL;
    gpc_status status;
    HOST_CALL(at, status, gpc_hierarchy_copy(at->h, &h, &error));
    if (status == GPC_ERROR_UNSUPPORTED)
        return;
    if (status != GPC_OK) {
        fail(at->f, "snapshot", "copied: %s", error.message);
        return;
    }
    gpc_hierarchy_destroy(at->h);
    at->h = h;
    host_attach(at);
}

/* A run. */

static bool open_host(host *at, gpc_config **out) {
    gpc_error error = GPC_ERROR_INIT;
    uint64_t number = 0;
    const char *data = NULL;
    gpc_config *config = *out = case_config(at->context, at->c, at->threads, &error);
    gpc_status status = error.status;
    if (config)
        HOST_CALL(at, status, gpc_hierarchy_create(at->context, config, &at->h, &error));
    if (status != GPC_OK) {
        if (!at->threads)
            fail(at->f, "create", "%s", error.message);
        return false;
    }
    at->shape = (gpc_shape)GPC_SHAPE_INIT;
    gpc_hierarchy_get_shape(at->h, &at->shape, NULL);
    at->streams = gpc_config_get_u64(config, "streams", &number, NULL) == GPC_OK ? (uint32_t)number : 1;
    at->slots = gpc_config_get_u64(config, "sm.warps", &number, NULL) == GPC_OK ? (uint32_t)number : 1;
    at->data = gpc_config_get(config, "coherence.data", &data, NULL) == GPC_OK && !strcmp(data, "true");
    at->fed = gpc_hierarchy_coherence(at->h) != NULL;
    host_attach(at);
    host_limit_credits(at);
    return !at->f->failed;
}

static void end_last(host *at) {
    gpc_error error = GPC_ERROR_INIT;
    const uint32_t kernel = at->kernels[--at->kernel_count];
    gpc_status status;
    HOST_CALL(at, status, gpc_hierarchy_end_kernel(at->h, kernel, &error));
    if (status != GPC_OK)
        fail(at->f, "end", "gpc_hierarchy_end_kernel: %s", error.message);
}

static void finish(host *at) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_status status;
    host_free_credits(at);
    host_wait(at);
    while (at->kernel_count && !at->f->failed)
        end_last(at);
    if (at->f->failed)
        return;
    /* DRAM writes its queue in the meantime */
    status = gpc_hierarchy_drain(at->h, &error);
    if (status != GPC_OK)
        fail(at->f, "drain", "all is idle, but drain fails: %.700s", error.message);
    at->r->end = gpc_hierarchy_now(at->h);
    for (unsigned i = 0; i < at->c->op_count && at->how != WAY_THREADS; i++)
        if (at->completions[i])
            fail(at->f, "completions", "operation %u: %d completions are missing", i, (int8_t)at->completions[i]);
    record_read(at->h, at->r);
    if (at->fault == FAULT_STATISTIC && at->how == WAY_STEPS)
        at->r->words[3]++;
    if (at->how == WAY_JUMPS)
        record_sums(at->h, at->f);
    if (at->how == WAY_TRACE && !at->c->retraces)
        check_events(at);
}

void run_case(gpc_context *context, const torture_case *c, torture_way how, const char *threads, unsigned fault,
              record *r, failure *f) {
    host *at = calloc(1, sizeof *at);
    gpc_config *config = NULL;
    if (!at)
        abort();
    at->context = context, at->c = c, at->how = how, at->threads = threads, at->fault = fault, at->r = r, at->f = f;
    at->completions = calloc(c->op_count + 1, 1);
    at->hunger.state = c->seed;
    at->expected = c->values ? expected_make(c) : NULL;
    if (open_host(at, &config)) {
        for (unsigned n = 0; n < c->op_count && !f->failed; n++) {
            host_operate(at, n);
            if (n == c->cut && (how == WAY_SAVED || how == WAY_STARVED) && !f->failed)
                host_renew(at);
            if (how == WAY_SAVED && (n == c->cut + 1 || n == c->cut + 4) && !f->failed)
                save_again(at);
            if (n == c->cut && how == WAY_TRACE && c->retraces) /* while packets are under way */
                set_trace(at);
            if (c->op_count - n == c->cut && how == WAY_STARVED && !f->failed)
                go_on_from_copy(at);
            if (n == c->cut && how == WAY_COPIED && !f->failed)
                go_on_from_copy(at);
        }
        if (!f->failed)
            finish(at);
    }
    gpc_hierarchy_destroy(at->h);
    gpc_config_destroy(config);
    expected_free(at->expected);
    free(at->completions);
    free(at);
}
