/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/experimental/experimental.h>

#include "timed/rig.h"

#include <criterion/criterion.h>
#include <string.h>

/* Callbacks of a timed hierarchy other than completions, and a failing policy. */

#define SET 4096u

typedef struct told {
    unsigned fills[3], evictions[3];
    uint64_t filled_line, evicted_line;
    uint8_t filled_sectors, dirty, forced;
    uint32_t instance, sm;
    uint64_t completions, last_token;
    uint32_t warp;
} told;

static void note_complete(void *user_data, const gpc_completion *c) {
    told *t = user_data;
    t->completions++;
    t->last_token = c->token;
    t->sm = c->sm;
    t->warp = c->warp;
}

static void note_fill(void *user_data, unsigned level, uint32_t instance, uint64_t line_address, uint8_t sectors,
                      const gpc_request *request) {
    told *t = user_data;
    t->fills[level]++;
    if (level == 1) {
        t->filled_line = line_address;
        t->filled_sectors = sectors;
        t->instance = instance;
        cr_expect_eq(request->sm, instance);
        cr_expect_eq(request->address / 128, line_address / 128);
    }
}

static void note_evict(void *user_data, unsigned level, uint32_t instance, const gpc_eviction *eviction) {
    told *t = user_data;
    (void)instance;
    t->evictions[level]++;
    t->evicted_line = eviction->line_address;
    t->dirty = eviction->dirty_sectors;
    t->forced = eviction->forced;
}

static void listen(gpc_hierarchy *hierarchy, told *t) {
    gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
    *t = (told){0};
    callbacks.user_data = t;
    callbacks.on_complete = note_complete;
    callbacks.on_fill = note_fill;
    callbacks.on_evict = note_evict;
    cr_assert_eq(gpc_hierarchy_set_callbacks(hierarchy, &callbacks, NULL), GPC_OK);
}

static void issue(rig *r, shot s, uint64_t token) {
    uint64_t addresses[32];
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    gpc_error error = GPC_ERROR_INIT;
    for (uint32_t i = 0; i < s.lanes; i++)
        addresses[i] = s.address + i * s.stride;
    access.sm = s.sm;
    access.warp = s.warp;
    access.mask = ((uint64_t)1 << s.lanes) - 1;
    access.addresses = addresses;
    access.width = s.width;
    access.kind = s.kind;
    cr_assert_eq(gpc_hierarchy_try_issue(r->hierarchy, &access, token, NULL, NULL), GPC_OK);
    cr_assert_eq(gpc_hierarchy_drain(r->hierarchy, &error), GPC_OK, "%s", error.message);
}

Test(timed_callbacks, fills_and_evictions) {
    rig r;
    told t;
    rig_open_dram(&r, "sm.count = 2\nl1.ways = 1\nl1.size = 4KiB\nl1.write_policy = back\nl1.write_allocate = fetch\n");
    listen(r.hierarchy, &t);
    issue(&r, WORD(GPC_LOAD, 128 + 36, .sm = 1, .warp = 9), 77);
    cr_expect_eq(t.completions, 1);
    cr_expect_eq(t.last_token, 77);
    cr_expect_eq(t.sm, 1);
    cr_expect_eq(t.warp, 9);
    cr_expect_eq(t.fills[1], 1);
    cr_expect_eq(t.fills[2], 1);
    cr_expect_eq(t.filled_line, 128);
    cr_expect_eq(t.filled_sectors, 2, "bytes 36 to 39 are in the second sector");
    cr_expect_eq(t.instance, 1);
    /* written whole: the line has all sectors without a reply */
    issue(&r, LINE(GPC_STORE, 256), UINT64_MAX);
    cr_expect_eq(t.last_token, UINT64_MAX, "any token will do");
    cr_expect_eq(t.filled_line, 256);
    cr_expect_eq(t.filled_sectors, 15);
    cr_expect_eq(t.evictions[1], 0);
    /* the next line of the set evicts it, dirty */
    issue(&r, LINE(GPC_LOAD, 256 + SET), 1);
    cr_expect_eq(t.evictions[1], 1);
    cr_expect_eq(t.evicted_line, 256);
    cr_expect_eq(t.dirty, 15);
    cr_expect_eq(t.forced, 0);
    cr_expect_eq(t.completions, 3);
    rig_abandon(&r);
}

/* Callbacks are independent: without one the rest continues. */
Test(timed_callbacks, none_is_needed) {
    rig r;
    gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
    rig_open_dram(&r, NULL);
    cr_assert_eq(gpc_hierarchy_set_callbacks(r.hierarchy, &callbacks, NULL), GPC_OK);
    issue(&r, LINE(GPC_LOAD, 0), 0);
    issue(&r, LINE(GPC_STORE, 0), 0);
    cr_expect_eq(rig_stats(&r).completed, 2);
    rig_abandon(&r);
}

/* A replacement policy that names an impossible way. */
static uint32_t no_way(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)self, (void)set, (void)candidates, (void)request;
    return 99;
}

Test(timed_callbacks, impossible_victim) {
    const gpc_replacement_ops wrong = {.struct_size = sizeof wrong,
                                       .name = "wrong",
                                       .summary = "names no way",
                                       .source = "a test",
                                       .choose_victim = no_way};
    gpc_error error = GPC_ERROR_INIT;
    rig r;
    rig_open_dram(&r, NULL);
    cr_assert_eq(gpc_context_register_replacement(r.context, &wrong, NULL, NULL, &error), GPC_OK, "%s", error.message);
    gpc_hierarchy_destroy(r.hierarchy);
    r.hierarchy = NULL;
    cr_assert_eq(gpc_config_set(r.config, "l1.replacement", "wrong", &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_hierarchy_create(r.context, r.config, &r.hierarchy, &error), GPC_OK, "%s", error.message);
    uint64_t address = 0;
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    access.mask = 1;
    access.width = 4;
    access.addresses = &address;
    gpc_status status = GPC_OK;
    for (unsigned i = 0; i < 8 && status == GPC_OK; i++, address += SET) { /* four ways, then a victim is asked for */
        cr_assert_eq(gpc_hierarchy_try_issue(r.hierarchy, &access, i, NULL, NULL), GPC_OK);
        status = gpc_hierarchy_advance(r.hierarchy, 2000, NULL);
        cr_expect_eq(status, i < 4 ? GPC_OK : GPC_ERROR_CALLBACK, "line %u", i);
    }
    cr_expect_eq(status, GPC_ERROR_CALLBACK);
    cr_expect_eq(gpc_hierarchy_advance(r.hierarchy, 1, NULL), GPC_ERROR_CALLBACK, "and so it stays");
    cr_expect_eq(gpc_hierarchy_drain(r.hierarchy, &error), GPC_ERROR_CALLBACK);
    rig_abandon(&r);
}

/* `kernels.flush`: lines left by a kernel are written back before the next, in no time. */
Test(timed_callbacks, flush_between_kernels) {
    static const char *const settings[] = {"kernels.flush = none\n", "kernels.flush = l1\n", "kernels.flush = all\n"};
    static const uint8_t levels[] = {1, 2, 3};
    for (unsigned i = 0; i < 3; i++) {
        static rig r;
        gpc_error error = GPC_ERROR_INIT;
        rig_open(&r, settings[i], 100);
        rig_latency(&r, LINE(GPC_LOAD, 0));
        rig_latency(&r, LINE(GPC_STORE, 1 << 16));
        uint64_t now = rig_now(&r);
        cr_assert_eq(gpc_hierarchy_begin_kernel(r.hierarchy, NULL, &error), GPC_OK, "%s", error.message);
        cr_expect_eq(rig_now(&r), now);
        cr_expect_eq(rig_stats(&r).dram_write_sectors, i == 2 ? 4 : 0, "%s", settings[i]);
        rig_latency(&r, LINE(GPC_LOAD, 0));
        cr_expect_eq(r.done[2].level, levels[i], "%s", settings[i]);
        rig_close(&r);
    }
}

/* A host calling the hierarchy from within callbacks. */
typedef struct intruder {
    gpc_hierarchy *hierarchy;
    unsigned calls[6]; /* by callback */
    uint64_t read;     /* memory's id; 0: none */
} intruder;

static gpc_status no_bytes(void *user_data, const void *data, size_t bytes) {
    (void)user_data;
    (void)data;
    (void)bytes;
    return GPC_OK;
}

/* Every call that would change the state of a running cycle. */
static void expect_refused(gpc_hierarchy *h) {
    const uint64_t address = 0x40000;
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    gpc_fence fence = GPC_FENCE_INIT;
    gpc_kernel_options kernel = GPC_KERNEL_OPTIONS_INIT;
    gpc_request request = {.address = address, .kind = GPC_LOAD, .transactions = 1, .bytes_used = 4, .size = 4};
    gpc_hierarchy *copy = NULL;
    gpc_error error = GPC_ERROR_INIT;
    uint32_t number;
    access.addresses = &address;
    access.mask = 1;
    access.width = 4;
    fence.order = GPC_ORDER_RELEASE;
    const uint64_t now = gpc_hierarchy_now(h), flying = gpc_hierarchy_in_flight(h);
    cr_expect_eq(gpc_hierarchy_advance(h, 1, NULL), GPC_ERROR_STATE);
    cr_expect_eq(gpc_hierarchy_drain(h, &error), GPC_ERROR_STATE);
    cr_expect(strstr(error.message, "from within a callback"), "%s", error.message);
    cr_expect_eq(gpc_hierarchy_try_issue(h, &access, 0, NULL, NULL), GPC_ERROR_STATE);
    cr_expect_eq(gpc_hierarchy_try_fence(h, &fence, 0, NULL, NULL), GPC_ERROR_STATE);
    cr_expect_eq(gpc_hierarchy_try_miss(h, &request, 0, NULL, NULL), GPC_ERROR_STATE);
    cr_expect_eq(gpc_hierarchy_try_transactions(h, &request, 1, 0, NULL, NULL), GPC_ERROR_STATE);
    cr_expect_eq(gpc_hierarchy_memory_reply(h, 1, NULL), GPC_ERROR_STATE);
    cr_expect_eq(gpc_hierarchy_memory_ready(h, 0, NULL), GPC_ERROR_STATE);
    cr_expect_eq(gpc_hierarchy_set_callbacks(h, NULL, NULL), GPC_ERROR_STATE);
    cr_expect_eq(gpc_hierarchy_begin_kernel(h, NULL, NULL), GPC_ERROR_STATE);
    cr_expect_eq(gpc_hierarchy_start_kernel(h, &kernel, &number, NULL), GPC_ERROR_STATE);
    cr_expect_eq(gpc_hierarchy_end_kernel(h, 1, &error), GPC_ERROR_STATE);
    cr_expect(strstr(error.message, "from within a callback"), "%s", error.message);
    cr_expect_eq(gpc_hierarchy_flush(h, NULL), GPC_ERROR_STATE);
    cr_expect_eq(gpc_hierarchy_preload(h, 2, 0, 0, 32, NULL), GPC_ERROR_STATE);
    cr_expect_eq(gpc_hierarchy_set_reply_credits(h, 0, 4, NULL), GPC_ERROR_STATE);
    cr_expect_eq(gpc_hierarchy_add_reply_credits(h, 0, 4, NULL), GPC_ERROR_STATE);
    cr_expect_eq(gpc_hierarchy_set_trace(h, NULL, NULL), GPC_ERROR_STATE);
    cr_expect_eq(gpc_hierarchy_save(h, &(gpc_stream)GPC_STREAM_WRITE(no_bytes, NULL), NULL), GPC_ERROR_STATE);
    cr_expect_eq(gpc_hierarchy_copy(h, &copy, NULL), GPC_ERROR_STATE);
    cr_expect(gpc_hierarchy_now(h) == now && gpc_hierarchy_in_flight(h) == flying);
}

static void intrude(intruder *i, unsigned callback) {
    i->calls[callback]++;
    expect_refused(i->hierarchy);
}

static void intrude_complete(void *user_data, const gpc_completion *c) {
    (void)c;
    intrude(user_data, 0);
}

static void intrude_ready(void *user_data, uint32_t sm) {
    (void)sm;
    intrude(user_data, 1);
}

static void intrude_fill(void *user_data, unsigned level, uint32_t instance, uint64_t line_address, uint8_t sectors,
                         const gpc_request *request) {
    (void)level;
    (void)instance;
    (void)line_address;
    (void)sectors;
    (void)request;
    intrude(user_data, 2);
}

static void intrude_evict(void *user_data, unsigned level, uint32_t instance, const gpc_eviction *eviction) {
    (void)level;
    (void)instance;
    (void)eviction;
    intrude(user_data, 3);
}

static bool intrude_memory(void *user_data, const gpc_memory_request *request) {
    intruder *i = user_data;
    intrude(i, 4);
    i->read = request->write ? i->read : request->id;
    return true;
}

static bool intrude_event(void *user_data, const gpc_event *event) {
    (void)event;
    intrude(user_data, 5);
    return true;
}

/* Calls from within a callback are refused, without effect: the outer call continues. */
Test(timed_callbacks, calls_from_within) {
    static rig r;
    rig_open(&r, "l1.size = 512\nl1.ways = 1\nl1.queue = 1\nl1.mshr_entries = 1\nl2.size = 2KiB\n", 20);
    intruder i = {.hierarchy = r.hierarchy};
    gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
    gpc_event_options events = GPC_EVENT_OPTIONS_INIT;
    callbacks.user_data = events.user_data = &i;
    callbacks.on_complete = intrude_complete;
    callbacks.on_ready = intrude_ready;
    callbacks.on_fill = intrude_fill;
    callbacks.on_evict = intrude_evict;
    callbacks.on_memory = intrude_memory;
    events.on_event = intrude_event;
    events.whats = (uint64_t)1 << GPC_WHAT_ISSUE | (uint64_t)1 << GPC_WHAT_FILL;
    cr_assert_eq(gpc_hierarchy_set_callbacks(r.hierarchy, &callbacks, NULL), GPC_OK);
    cr_assert_eq(gpc_hierarchy_set_trace(r.hierarchy, &events, NULL), GPC_OK);
    for (uint32_t n = 0; n < 40; n++) {
        const uint64_t address = n * 4096ull;
        gpc_warp_access a = GPC_WARP_ACCESS_INIT;
        a.addresses = &address;
        a.mask = n % 8 != 7; /* the eighth touches no memory, and completes within the call */
        a.width = 4;
        while (gpc_hierarchy_try_issue(r.hierarchy, &a, n, NULL, NULL) == GPC_BUSY) {
            cr_assert_eq(gpc_hierarchy_advance(r.hierarchy, 1, NULL), GPC_OK);
            if (i.read)
                cr_assert_eq(gpc_hierarchy_memory_reply(r.hierarchy, i.read, NULL), GPC_OK);
            i.read = 0;
        }
    }
    while (gpc_hierarchy_in_flight(r.hierarchy)) {
        cr_assert_eq(gpc_hierarchy_advance(r.hierarchy, 1, NULL), GPC_OK);
        if (i.read)
            cr_assert_eq(gpc_hierarchy_memory_reply(r.hierarchy, i.read, NULL), GPC_OK);
        i.read = 0;
    }
    cr_expect_eq(gpc_hierarchy_drain(r.hierarchy, NULL), GPC_OK);
    cr_expect_eq(i.calls[0], 40, "each completes once");
    for (unsigned n = 0; n < 6; n++)
        cr_expect(i.calls[n], "callback %u is called", n);
    rig_abandon(&r);
}

/* A port's request is refused likewise. */
static void intrude_port(void *user_data, const gpc_completion *c) {
    gpc_port_request port = GPC_PORT_REQUEST_INIT;
    port.bytes = 32;
    port.kind = GPC_LOAD;
    ((intruder *)user_data)->calls[0]++;
    cr_expect_eq(c->port, 1);
    cr_expect_eq(gpc_hierarchy_try_port(((intruder *)user_data)->hierarchy, &port, 0, NULL), GPC_ERROR_STATE);
}

Test(timed_callbacks, ports_from_within) {
    static rig r;
    rig_open_dram(&r, "ports = 1\n");
    intruder i = {.hierarchy = r.hierarchy};
    gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
    gpc_port_request port = GPC_PORT_REQUEST_INIT;
    port.bytes = 32;
    port.kind = GPC_LOAD;
    callbacks.user_data = &i;
    callbacks.on_complete = intrude_port;
    cr_assert_eq(gpc_hierarchy_set_callbacks(r.hierarchy, &callbacks, NULL), GPC_OK);
    cr_assert_eq(gpc_hierarchy_try_port(r.hierarchy, &port, 0, NULL), GPC_OK);
    cr_assert_eq(gpc_hierarchy_drain(r.hierarchy, NULL), GPC_OK);
    cr_expect_eq(i.calls[0], 1);
    rig_abandon(&r);
}
