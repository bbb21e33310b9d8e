/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "timed/coherent_rig.h"
#include "timed/events.h"

#include <criterion/criterion.h>
#include <string.h>

/* Rules of gpc_hierarchy_set_trace and the callback, and the events of a coherent hierarchy with a clock. */

#define ANY GPC_COMPONENT_COUNT

static const gpc_event_options all = GPC_EVENT_OPTIONS_INIT;

static bool never(void *user_data, const gpc_event *event) {
    (void)event;
    cr_assert(user_data && false, "called");
    return true;
}

static void count(void *user_data) {
    ++*(unsigned *)user_data;
}

Test(timed_events, refused) {
    static rig r;
    rig_open_dram(&r, NULL);
    unsigned destroyed = 0;
    gpc_event_options o = all;
    o.on_event = never;
    o.destroy = count;
    o.user_data = &destroyed;
    cr_expect_eq(gpc_hierarchy_set_trace(NULL, &o, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(destroyed, 1, "also where nothing comes of it");
    static const char *const names[] = {"first_sm", "first_address", "first_pc", "first_cycle",
                                        "whats",    "components",    "kinds"};
    for (unsigned i = 0; i < 7; i++) {
        gpc_error error = GPC_ERROR_INIT;
        gpc_event_options bad = o;
        bad.last_sm = i == 0 ? 2 : bad.last_sm;
        bad.first_sm = i == 0 ? 3 : 0;
        bad.first_address = i == 1;
        bad.last_address = i == 1 ? 0 : UINT64_MAX;
        bad.first_pc = i == 2;
        bad.last_pc = i == 2 ? 0 : UINT64_MAX;
        bad.first_cycle = i == 3;
        bad.last_cycle = i == 3 ? 0 : UINT64_MAX;
        bad.whats = i == 4 ? (uint64_t)1 << GPC_WHAT_COUNT : 0;
        bad.components = i == 5 ? 1u << GPC_COMPONENT_COUNT : 0;
        bad.kinds = i == 6 ? 1u << GPC_KIND_COUNT : 0;
        cr_expect_eq(gpc_hierarchy_set_trace(r.hierarchy, &bad, &error), GPC_ERROR_ARGUMENT);
        cr_expect(strstr(error.message, names[i]), "%s", error.message);
        cr_expect_eq(destroyed, 2 + i);
    }
    gpc_event_options small = o;
    small.struct_size = sizeof(size_t);
    cr_expect_eq(gpc_hierarchy_set_trace(r.hierarchy, &small, NULL), GPC_ERROR_ABI);
    cr_expect_eq(destroyed, 8, "what it has for a destroy is not known");
    rig_latency(&r, WORD(GPC_LOAD, 0));
    rig_close(&r);
}

/* Removed, replaced, or destroyed with the hierarchy: destroyed once, and never called again. */
Test(timed_events, ends) {
    static rig r;
    static events one, two, three;
    rig_open_dram(&r, "dram.model = fixed\n");
    events_open(&one, r.hierarchy, all);
    rig_latency(&r, WORD(GPC_LOAD, 0));
    uint64_t calls = one.calls;
    cr_expect_gt(calls, 10);
    events_open(&two, r.hierarchy, all);
    cr_expect_eq(one.destroyed, 1);
    rig_latency(&r, WORD(GPC_LOAD, 4096));
    cr_expect_eq(one.calls, calls);
    cr_expect_eq(two.calls, calls, "the same life");
    cr_expect_eq(two.list[0].packet, 1, "numbers begin anew");
    gpc_event_options none = all; /* no callback: as NULL */
    cr_expect_eq(gpc_hierarchy_set_trace(r.hierarchy, &none, NULL), GPC_OK);
    cr_expect_eq(two.destroyed, 1);
    rig_latency(&r, WORD(GPC_LOAD, 8192));
    cr_expect_eq(two.calls, calls, "off is off");
    events_open(&three, r.hierarchy, all);
    rig_close(&r);
    cr_expect_eq(three.destroyed, 1);
    cr_expect_eq(three.calls, 0);
    events_close(&one, NULL);
    events_close(&two, NULL);
    events_close(&three, NULL);
}

/* Accesses in flight before are not reported; later accesses are, from begin to end. */
Test(timed_events, set_in_flight) {
    static rig r;
    static events e;
    rig_open_dram(&r, "l1.mshr_entries = 1\n");
    rig_issue(&r, WORD(GPC_LOAD, 0));
    rig_issue(&r, WORD(GPC_LOAD, 128));
    rig_steps(&r, 20);
    events_open(&e, r.hierarchy, all);
    rig_issue(&r, WORD(GPC_LOAD, 0));
    rig_issue(&r, WORD(GPC_LOAD, 256));
    rig_finish(&r);
    events_check(&e);
    cr_expect_eq(events_count(&e, GPC_WHAT_ISSUE, ANY), 2);
    cr_expect_eq(events_count(&e, GPC_WHAT_COMPLETE, ANY), 2);
    events_close(&e, r.hierarchy);
    rig_close(&r);
}

/* False: the call reports it once, the cycle is completed, and the hierarchy continues as if unobserved. */
Test(timed_events, cancelled) {
    static rig r;
    static events e;
    uint64_t latency = 0;
    for (uint64_t stop = 0; stop <= 24; stop++) {
        rig_open_dram(&r, NULL);
        e.stop_after = stop;
        events_open(&e, r.hierarchy, all);
        rig_issue(&r, WORD(GPC_LOAD, 0));
        unsigned cancelled = 0;
        gpc_status status = GPC_OK;
        for (unsigned i = 0; i < 1000 && !r.done[0].times; i++) {
            status = gpc_hierarchy_advance(r.hierarchy, 1, NULL);
            cr_assert(status == GPC_OK || status == GPC_ERROR_CANCELLED);
            cancelled += status == GPC_ERROR_CANCELLED;
        }
        cr_expect_eq(cancelled, stop != 0, "after %u events", (unsigned)stop);
        cr_expect_eq(e.calls, stop ? stop : e.calls);
        cr_expect_eq(e.destroyed, stop != 0);
        latency = stop ? latency : r.done[0].cycle;
        cr_expect_eq(r.done[0].cycle, latency, "after %u events", (unsigned)stop);
        events_close(&e, r.hierarchy);
        rig_close(&r);
    }
    e.stop_after = 0;
}

typedef struct caller {
    gpc_hierarchy *hierarchy;
    unsigned calls;
} caller;

static bool call_back(void *user_data, const gpc_event *event) {
    caller *c = user_data;
    gpc_event_options o = all;
    gpc_error error = GPC_ERROR_INIT;
    c->calls++;
    uint64_t now = gpc_hierarchy_now(c->hierarchy); /* DRAM commands are reported a little later */
    cr_expect(now == event->cycle || (event->component == GPC_COMPONENT_MEMORY && now > event->cycle));
    cr_expect_eq(gpc_hierarchy_set_trace(c->hierarchy, &o, &error), GPC_ERROR_STATE);
    cr_expect_eq(gpc_hierarchy_set_trace(c->hierarchy, NULL, &error), GPC_ERROR_STATE);
    return true;
}

Test(timed_events, from_within) {
    static rig r;
    rig_open_dram(&r, "dram.model = fixed\n");
    caller c = {.hierarchy = r.hierarchy};
    gpc_event_options o = all;
    o.on_event = call_back;
    o.user_data = &c;
    cr_assert_eq(gpc_hierarchy_set_trace(r.hierarchy, &o, NULL), GPC_OK);
    rig_latency(&r, WORD(GPC_LOAD, 0));
    cr_expect_gt(c.calls, 10);
    cr_assert_eq(gpc_hierarchy_set_trace(r.hierarchy, NULL, NULL), GPC_OK);
    rig_close(&r);
}

/* A host's memory, and a host's L1. */
Test(timed_events, host) {
    static rig r;
    static events e;
    rig_open(&r, NULL, 50);
    events_open(&e, r.hierarchy, all);
    gpc_request miss = {.address = 0x200, .kind = GPC_LOAD, .pc = 0x18, .warp = 2};
    cr_assert_eq(gpc_hierarchy_try_miss(r.hierarchy, &miss, RIG_TOKENS - 1, NULL, NULL), GPC_OK);
    rig_steps(&r, 400);
    events_check(&e);
    const gpc_event *read = events_at(&e, GPC_WHAT_MEMORY_READ, GPC_COMPONENT_HOST, 0);
    const gpc_event *data = events_at(&e, GPC_WHAT_DATA, GPC_COMPONENT_HOST, 0);
    cr_assert(read && data);
    cr_expect_eq(data->cycle - read->cycle, 50);
    cr_expect_eq(read->pc, 0x18);
    cr_expect_eq(events_count(&e, GPC_WHAT_LOOKUP, GPC_COMPONENT_L1), 0);
    cr_expect_eq(events_at(&e, GPC_WHAT_COMPLETE, ANY, 0)->value, r.done[RIG_TOKENS - 1].cycle);
    events_close(&e, r.hierarchy);
    rig_abandon(&r);
}

Test(timed_events, names) {
    cr_expect_str_eq(gpc_what_name(GPC_WHAT_LOOKUP), "lookup");
    cr_expect_str_eq(gpc_what_name(GPC_WHAT_COUNT), "");
    cr_expect_str_eq(gpc_component_name(GPC_COMPONENT_L2), "l2");
    cr_expect_str_eq(gpc_component_name(GPC_COMPONENT_COUNT), "");
    cr_expect_str_eq(gpc_component_meaning(GPC_COMPONENT_COUNT), "");
    cr_expect_str_eq(gpc_event_outcome(NULL), "");
    for (unsigned i = 0; i < GPC_WHAT_COUNT; i++)
        cr_expect(*gpc_what_name(i) && *gpc_what_meaning(i), "%u", i);
    for (unsigned i = 0; i < GPC_COMPONENT_COUNT; i++)
        cr_expect(*gpc_component_name(i) && *gpc_component_meaning(i), "%u", i);
    gpc_event e = {.what = GPC_WHAT_LOOKUP, .outcome = 255};
    cr_expect_str_eq(gpc_event_outcome(&e), "", "of a later version");
}

/* A coherent load of a line held nowhere: messages in sequence. */
Test(timed_events, messages_of_a_miss) {
    static rig r;
    static events e;
    coherent_open(&r, "nmoesi", NULL);
    events_open(&e, r.hierarchy, all);
    EXPECT_CYCLES(&r, WORD(GPC_LOAD, 0), MISS);
    events_check(&e);
    static const char *const kinds[] = {"read-request", "read-request", "data", "data"};
    uint64_t sent = 0;
    for (uint32_t i = 0; i < 4; i++) {
        const gpc_event *m = events_at(&e, GPC_WHAT_MESSAGE, ANY, i), *a = events_at(&e, GPC_WHAT_ARRIVE, ANY, i);
        cr_assert(m && a, "message %u", i);
        cr_expect_str_eq(gpc_event_outcome(m), kinds[i]);
        cr_expect(a->packet == m->packet && a->from == m->from && a->to == m->to && m->cycle >= sent);
        cr_expect(m->access == 1 && m->parent == 2 && m->sm == 0);
        sent = a->cycle;
    }
    cr_expect_eq(events_count(&e, GPC_WHAT_MESSAGE, ANY), 4);
    cr_expect_eq(events_at(&e, GPC_WHAT_COMPLETE, ANY, 0)->cycle, MISS);
    events_close(&e, r.hierarchy);
    coherent_close(&r);
}

static void shoot(rig *r, uint32_t shots) {
    uint64_t state = 11;
    for (uint32_t i = 0; i < shots; i++) {
        static const uint8_t kinds[] = {GPC_LOAD, GPC_LOAD, GPC_STORE, GPC_ATOMIC};
        shot s = WORD(kinds[rig_below(&state, 4)], rig_below(&state, 96) * 128ull);
        s.sm = rig_below(&state, 4);
        rig_push(r, s);
    }
    rig_finish(r);
}

/*
 * With clusters, both ways of conflict, and links: every sent message arrives, and reads of memory equal the counter.
 */
Test(timed_events, coherent_agree_with_counters) {
    static const char *const settings[] = {
        "sm.count = 4\nl1.size = 2KiB\nl2.size = 8KiB\n",
        "sm.count = 4\ncluster.sms = 2\nl1.size = 2KiB\nl2.slices = 2\nl2.mshr_entries = 1\n",
        "sm.count = 4\ncoherence.conflict = retry\nmemory.link_width = 32\n",
    };
    for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++) {
        static rig r;
        static events e;
        uint64_t trails[2];
        for (unsigned look = 0; look < 2; look++) {
            coherent_open(&r, "nmoesi", settings[i]);
            if (look)
                events_open(&e, r.hierarchy, all);
            shoot(&r, 300);
            trails[look] = r.trail;
            if (look) {
                measured_stats s = rig_stats(&r);
                events_check(&e);
                cr_expect_eq(events_count(&e, GPC_WHAT_COMPLETE, ANY), r.completed, "%s", settings[i]);
                cr_expect_eq(events_bytes(&e, GPC_WHAT_MEMORY_READ, ANY), s.dram_read_sectors * 32, "%s", settings[i]);
                cr_expect_eq(events_count(&e, GPC_WHAT_RECEIVE, GPC_COMPONENT_REQUESTS), s.network_requests, "%s",
                             settings[i]);
                cr_expect_eq(events_count(&e, GPC_WHAT_EVICT, GPC_COMPONENT_L1), s.l1_evictions, "%s", settings[i]);
                cr_expect(i != 2 || events_count(&e, GPC_WHAT_REFUSE, ANY), "%s", settings[i]);
                cr_expect(i != 1 || events_count(&e, GPC_WHAT_WAIT, ANY), "%s", settings[i]);
                cr_expect_eq(events_count(&e, GPC_WHAT_SEND, GPC_COMPONENT_CLUSTER_REQUESTS) > 0, i == 1);
                cr_expect_eq(events_check_networks(&e, r.hierarchy), i ? 4 : 2, "%s", settings[i]);
                events_close(&e, r.hierarchy);
            }
            coherent_close(&r);
        }
        cr_expect_eq(trails[0], trails[1], "%s", settings[i]);
    }
}

/* A fence per SM that acquires and releases; a kernel's begin. */
static void sweep(rig *r) {
    for (uint32_t sm = 0; sm < 4; sm++)
        rig_fence(r, (fence_shot){.sm = sm, .order = GPC_ORDER_ACQ_REL, .scope = GPC_SCOPE_SYS});
    rig_finish(r);
    cr_assert_eq(gpc_hierarchy_begin_kernel(r->hierarchy, NULL, NULL), GPC_OK);
    cr_assert_eq(gpc_hierarchy_drain(r->hierarchy, NULL), GPC_OK);
}

/* Messages of sweeps belong to no access, but are reported. */
Test(timed_events, messages_of_sweeps) {
    static const char *const protocols[] = {"slc-glc", "vi", "hmg", "nmoesi", "nmoesi-d", "moesi"};
    for (unsigned p = 0; p < sizeof protocols / sizeof *protocols; p++) {
        static rig r;
        static events e;
        coherent_open(&r, protocols[p],
                      "sm.count = 4\ncluster.sms = 2\nmemory.link_width = 32\nkernels.flush = l1\nl1.size = 2KiB\n");
        events_open(&e, r.hierarchy, all);
        shoot(&r, 60);
        const uint32_t before = events_count(&e, GPC_WHAT_MESSAGE, ANY);
        sweep(&r);
        events_check(&e);
        cr_expect_eq(events_check_networks(&e, r.hierarchy), 6, "%s", protocols[p]);
        cr_expect_gt(events_count(&e, GPC_WHAT_MESSAGE, ANY), before, "%s", protocols[p]);
        for (uint32_t i = 0; i < e.count; i++) {
            const gpc_event *v = &e.list[i];
            if (v->what == GPC_WHAT_MESSAGE && !v->access)
                cr_expect(!v->parent && v->pc == UINT64_MAX && v->warp == GPC_NONE && (v->sm < 4 || v->sm == GPC_NONE));
        }
        events_close(&e, r.hierarchy);
        coherent_close(&r);
    }
}

/* Traffic of DRAM by events is traffic by counters, with the reads and writes of a flush. */
Test(timed_events, flushes_of_trees) {
    static const char *const settings[] = {"l2.bypass = agcb\n", "l2.bypass = always-bypass\n", "ports = 0\n"};
    for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++) {
        static rig r;
        static events e;
        coherent_open(&r, "slc-glc", settings[i]);
        events_open(&e, r.hierarchy, all);
        for (uint32_t line = 0; line < 8; line++)
            rig_issue(&r, WORD(GPC_STORE, line * 128));
        rig_finish(&r);
        const uint64_t before = events_bytes(&e, GPC_WHAT_MEMORY_WRITE, ANY);
        cr_assert_eq(gpc_hierarchy_flush(r.hierarchy, NULL), GPC_OK);
        const measured_stats s = rig_stats(&r);
        cr_expect_gt(s.dram_write_sectors * 32, before);
        cr_expect_eq(events_bytes(&e, GPC_WHAT_MEMORY_READ, ANY), s.dram_read_sectors * 32, "%s", settings[i]);
        cr_expect_eq(events_bytes(&e, GPC_WHAT_MEMORY_WRITE, ANY), s.dram_write_sectors * 32, "%s", settings[i]);
        events_close(&e, r.hierarchy);
        rig_close(&r); /* a flush sends without a network */
    }
}

/* A bulk copy of every kind, with more lines than under way at once. */
Test(timed_events, bulk_copies) {
    static const gpc_kind kinds[] = {GPC_LOAD, GPC_STORE, GPC_REDUCTION, GPC_PREFETCH};
    static rig r;
    static events e;
    rig_open_dram(&r, "sm.count = 2\nsm.bulk_requests = 4\n");
    events_open(&e, r.hierarchy, all);
    for (uint32_t i = 0; i < 4; i++) {
        shot s = WORD(kinds[i], 0x1000 + i * 0x1000ull);
        s.width = 1000;
        s.copy = GPC_COPY_BULK;
        s.pc = 0x40;
        rig_issue(&r, s);
    }
    rig_finish(&r);
    events_check(&e);
    cr_expect_eq(events_check_networks(&e, r.hierarchy), 2);
    cr_expect_eq(events_count(&e, GPC_WHAT_ISSUE, ANY), 4);
    cr_expect_eq(events_count(&e, GPC_WHAT_LINE, ANY), 4 * 8);
    cr_expect_eq(events_count(&e, GPC_WHAT_REPLY, ANY), 4 * 8);
    for (uint32_t i = 0; i < 4; i++) {
        const gpc_event *issue = events_at(&e, GPC_WHAT_ISSUE, GPC_COMPONENT_SM, i),
                        *end = events_at(&e, GPC_WHAT_COMPLETE, GPC_COMPONENT_SM, i);
        cr_assert(issue && end);
        cr_expect(issue->kind == kinds[i] && issue->pc == 0x40 && issue->bytes == 1024);
        cr_expect(end->kind < GPC_KIND_COUNT && end->value);
    }
    events_close(&e, r.hierarchy);
    rig_close(&r);
}

/* A copy to several SMs is a single access, completing at each of them. */
Test(timed_events, bulk_copy_to_several) {
    static const uint32_t targets[] = {1, 2, 3};
    static rig r;
    static events e;
    rig_open_dram(&r, "sm.count = 4\n");
    events_open(&e, r.hierarchy, all);
    const uint64_t address = 0x1000;
    gpc_warp_access a = GPC_WARP_ACCESS_INIT;
    a.mask = 1;
    a.addresses = &address;
    a.width = 512;
    a.copy = GPC_COPY_BULK;
    a.multicast = targets;
    a.multicast_count = 3;
    cr_assert_eq(gpc_hierarchy_try_issue(r.hierarchy, &a, RIG_TOKENS - 1, NULL, NULL), GPC_OK);
    cr_assert_eq(gpc_hierarchy_drain(r.hierarchy, NULL), GPC_OK);
    cr_expect_eq(events_check_networks(&e, r.hierarchy), 2);
    cr_expect_eq(events_count(&e, GPC_WHAT_ISSUE, ANY), 1);
    cr_expect_eq(events_count(&e, GPC_WHAT_LINE, ANY), 4);
    cr_expect_eq(events_count(&e, GPC_WHAT_REPLY, ANY), 3 * 4);
    cr_assert_eq(events_count(&e, GPC_WHAT_COMPLETE, ANY), 3);
    for (uint32_t i = 0, seen = 0; i < 3; i++) {
        const gpc_event *end = events_at(&e, GPC_WHAT_COMPLETE, GPC_COMPONENT_SM, i);
        cr_expect(end->access == 1 && !(seen >> end->sm & 1) && end->sm >= 1);
        seen |= 1u << end->sm;
    }
    events_close(&e, r.hierarchy);
    rig_abandon(&r);
}

/* A copy accepted before the trace was set is not reported, nor are its later lines. */
Test(timed_events, bulk_copy_under_way) {
    static rig r;
    static events e;
    rig_open_dram(&r, NULL);
    shot s = WORD(GPC_LOAD, 0x1000);
    s.width = 4096;
    s.copy = GPC_COPY_BULK;
    rig_issue(&r, s);
    rig_steps(&r, 20);
    events_open(&e, r.hierarchy, all);
    rig_finish(&r);
    cr_expect_eq(events_count(&e, GPC_WHAT_LINE, ANY), 0);
    cr_expect_eq(events_count(&e, GPC_WHAT_SEND, ANY), 0);
    cr_expect_eq(events_count(&e, GPC_WHAT_COMPLETE, ANY), 0);
    events_close(&e, r.hierarchy);
    rig_close(&r);
}

/* A request of a port, from the port to the slice, to memory and back: every cycle by hand. */
Test(timed_events, life_of_a_ports_line) {
    static const struct {
        uint64_t cycle, until;
        gpc_what what;
        gpc_component component;
        uint64_t packet, parent;
        uint32_t bytes;
    } expected[] = {
        {0, 0, GPC_WHAT_ISSUE, GPC_COMPONENT_PORT, 1, 0, 64},
        {1, 1, GPC_WHAT_LINE, GPC_COMPONENT_PORT, 2, 1, 64},
        {1, 2, GPC_WHAT_SEND, GPC_COMPONENT_PORT, 2, 1, 0},
        {12, 12, GPC_WHAT_RECEIVE, GPC_COMPONENT_PORT, 2, 1, 0},
        {13, 13, GPC_WHAT_LOOKUP, GPC_COMPONENT_L2, 2, 1, 64},
        {13, 13, GPC_WHAT_MSHR_ALLOCATE, GPC_COMPONENT_L2, 2, 1, 64},
        {13, 13, GPC_WHAT_FETCH, GPC_COMPONENT_L2, 3, 2, 64},
        {13, 13, GPC_WHAT_QUEUE, GPC_COMPONENT_L2, 3, 2, 64},
        {13, 13, GPC_WHAT_MEMORY_READ, GPC_COMPONENT_HOST, 3, 2, 64},
        {63, 63, GPC_WHAT_DATA, GPC_COMPONENT_HOST, 3, 2, 64},
        {64, 64, GPC_WHAT_FILL, GPC_COMPONENT_L2, 2, 1, 64},
        {64, 64, GPC_WHAT_MSHR_FREE, GPC_COMPONENT_L2, 2, 1, 64},
        {64, 84, GPC_WHAT_SERVE, GPC_COMPONENT_L2, 2, 1, 64},
        {84, 92, GPC_WHAT_SEND, GPC_COMPONENT_PORT, 2, 1, 64},
        {102, 102, GPC_WHAT_RECEIVE, GPC_COMPONENT_PORT, 2, 1, 64},
        {102, 102, GPC_WHAT_REPLY, GPC_COMPONENT_PORT, 2, 1, 64},
        {102, 102, GPC_WHAT_COMPLETE, GPC_COMPONENT_PORT, 1, 0, 0},
    };
    static rig r;
    static events e;
    rig_open(&r, "ports = 2\nport.width = 8\nport.latency = 10\n", 50);
    events_open(&e, r.hierarchy, all);
    gpc_port_request q = GPC_PORT_REQUEST_INIT;
    q.address = 0x1010, q.bytes = 40, q.port = 1;
    cr_assert_eq(gpc_hierarchy_try_port(r.hierarchy, &q, RIG_TOKENS - 1, NULL), GPC_OK);
    rig_steps(&r, 200);
    events_check(&e);
    cr_expect_eq(e.count, sizeof expected / sizeof *expected);
    for (uint32_t i = 0; i < e.count && i < sizeof expected / sizeof *expected; i++) {
        const gpc_event *v = &e.list[i];
        cr_expect(v->cycle == expected[i].cycle && v->until == expected[i].until && v->what == expected[i].what &&
                      v->component == expected[i].component && v->packet == expected[i].packet &&
                      v->parent == expected[i].parent && v->bytes == expected[i].bytes,
                  "step %u: cycle %llu to %llu %s %s packet %llu of %llu, %u bytes", i, (unsigned long long)v->cycle,
                  (unsigned long long)v->until, gpc_what_name(v->what), gpc_component_name(v->component),
                  (unsigned long long)v->packet, (unsigned long long)v->parent, v->bytes);
        cr_expect(v->access == 1 && v->sm == GPC_NONE && v->warp == GPC_NONE && v->block == GPC_NONE &&
                  v->pc == UINT64_MAX && v->address == 0x1000 && v->kind == GPC_LOAD);
        cr_expect(v->component != GPC_COMPONENT_PORT || v->index == 1);
    }
    const gpc_event *end = events_at(&e, GPC_WHAT_COMPLETE, ANY, 0);
    cr_assert_not_null(end);
    cr_expect(end->outcome == 3 && end->value == 102);
    cr_expect_eq(r.done[RIG_TOKENS - 1].level, 3, "memory served a line of it");
    events_close(&e, r.hierarchy);
    rig_abandon(&r);
}

/* A request accepted before the trace is not reported, nor are its later lines. */
Test(timed_events, request_of_a_port_under_way) {
    static rig r;
    static events e;
    rig_open_dram(&r, "ports = 1\n");
    gpc_port_request q = GPC_PORT_REQUEST_INIT;
    q.bytes = 4096;
    cr_assert_eq(gpc_hierarchy_try_port(r.hierarchy, &q, RIG_TOKENS - 1, NULL), GPC_OK);
    rig_steps(&r, 10);
    events_open(&e, r.hierarchy, all);
    cr_assert_eq(gpc_hierarchy_drain(r.hierarchy, NULL), GPC_OK);
    for (uint32_t i = 0; i < e.count; i++)
        cr_expect(!e.list[i].packet, "%s", gpc_what_name(e.list[i].what));
    events_close(&e, r.hierarchy);
    rig_abandon(&r);
}

/* Requests of ports, bulk copies, constants, and fences that write back, among loads, stores and atomics. */
static uint32_t drive_all(rig *r, uint32_t ports) {
    uint64_t state = 5;
    uint32_t extra = 0;
    for (uint32_t i = 0; i < 240; i++) {
        static const uint8_t kinds[] = {GPC_LOAD, GPC_LOAD, GPC_STORE, GPC_ATOMIC, GPC_REDUCTION, GPC_PREFETCH};
        shot s = WORDS(kinds[rig_below(&state, 6)], rig_below(&state, 256) * 128ull, 1 + rig_below(&state, 8), 64);
        s.sm = rig_below(&state, 4);
        s.pc = 16 * rig_below(&state, 4);
        if (i % 8 == 3) {
            s = WORD(i % 16 == 3 ? GPC_LOAD : GPC_STORE, s.address, .copy = GPC_COPY_BULK, .sm = s.sm);
            s.width = 600;
        }
        if (i % 8 == 5)
            s = WORDS(GPC_LOAD, s.address, 4, 64, .space = GPC_SPACE_CONSTANT, .sm = s.sm);
        rig_push(r, s);
        gpc_port_request q = GPC_PORT_REQUEST_INIT;
        q.address = s.address + 20, q.bytes = 1 + rig_below(&state, 500), q.port = i % 2, q.kind = i % 3 == 0;
        if (ports && i % 4 == 0)
            extra += gpc_hierarchy_try_port(r->hierarchy, &q, RIG_TOKENS - 1 - i, NULL) == GPC_OK;
        if (i % 40 == 39)
            rig_fence(r, (fence_shot){.sm = s.sm,
                                      .order = GPC_ORDER_ACQ_REL,
                                      .scope = GPC_SCOPE_GPU,
                                      .control = GPC_CONTROL_WRITE_BACK_ALL});
    }
    cr_assert_eq(gpc_hierarchy_drain(r->hierarchy, NULL), GPC_OK);
    return extra;
}

static uint64_t whole(const rig *r, const char *name) {
    gpc_counter_info info = GPC_COUNTER_INFO_INIT;
    uint64_t value = 0;
    cr_assert_eq(gpc_counter_by_name(GPC_TABLE_HIERARCHY, name, &info, NULL), GPC_OK, "%s", name);
    cr_assert_eq(gpc_hierarchy_read(r->hierarchy, GPC_OBJECT_WHOLE, 0, &info.id, 1, &value, 1, NULL), GPC_OK);
    return value == GPC_ABSENT ? 0 : value;
}

/* All kinds of traffic: packets and bytes by events equal the counters. */
Test(timed_events, every_kind_of_traffic) {
    static const struct {
        const char *settings;
        uint32_t ports;
        unsigned networks; /* with traffic */
    } rows[] = {
        {"ports = 2\nl2.slices = 2\nl2.size = 16KiB\n", 2, 2},
        {"ports = 2\nl2.slices = 4\nl2.partitions = 2\nl2.size = 16KiB\nl2.mshr_entries = 2\n", 2, 4},
        {"ports = 2\nl2.intake = queue\nmemory.link_width = 32\nl1.prefetcher = next-line\n", 2, 4},
        {"l2.prefetcher = next-line\nl2.slices = 2\nlrc.sms = 2\nl1.write_policy = back\nl1.write_allocate = lazy\n", 0,
         2},
        {"const.size = 1KiB\nl1.write_policy = back\nl1.write_allocate = fetch\nl1.size = 2KiB\nports = 2\n", 2, 2},
        {"const.size = 1KiB\nl15.size = 2KiB\nl15.sms = 2\ntlb.page = 4KiB\ntlb.l1_entries = 2\n", 0, 2},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        static rig r;
        static events e;
        char settings[400] = "sm.count = 4\nl1.size = 4KiB\n";
        strcat(settings, rows[i].settings);
        rig_open_dram(&r, settings);
        events_open(&e, r.hierarchy, all);
        const uint32_t extra = drive_all(&r, rows[i].ports);
        const measured_stats s = rig_stats(&r);
        events_check(&e);
        cr_expect_eq(events_check_networks(&e, r.hierarchy), rows[i].networks, "%s", settings);
        cr_expect_eq(events_bytes(&e, GPC_WHAT_MEMORY_READ, ANY), s.dram_read_sectors * 32, "%s", settings);
        cr_expect_eq(events_bytes(&e, GPC_WHAT_MEMORY_WRITE, ANY), s.dram_write_sectors * 32, "%s", settings);
        cr_expect_eq(events_count(&e, GPC_WHAT_READ, ANY), s.dram_reads, "%s", settings);
        cr_expect_eq(events_count(&e, GPC_WHAT_WRITE, ANY), s.dram_writes, "%s", settings);
        cr_expect_eq(events_count(&e, GPC_WHAT_ISSUE, GPC_COMPONENT_PORT), extra);
        cr_expect_eq(events_count(&e, GPC_WHAT_COMPLETE, GPC_COMPONENT_PORT), extra);
        cr_expect_eq(events_count(&e, GPC_WHAT_LOOKUP, GPC_COMPONENT_CONST), whole(&r, "const.lines"), "%s", settings);
        uint64_t lines = 0, written = 0;
        for (uint32_t n = 0; n < gpc_hierarchy_ports(r.hierarchy); n++) {
            gpc_port_stats p = GPC_PORT_STATS_INIT;
            cr_assert_eq(gpc_hierarchy_port_stats(r.hierarchy, n, &p, NULL), GPC_OK);
            lines += p.read_lines + p.write_lines;
            written += p.write_lines;
        }
        cr_expect_eq(lines > 0 && written > 0, rows[i].ports > 0, "%s", settings);
        cr_expect_eq(events_count(&e, GPC_WHAT_LINE, GPC_COMPONENT_PORT), lines, "%s", settings);
        cr_expect_eq(events_count(&e, GPC_WHAT_REPLY, GPC_COMPONENT_PORT), lines, "%s", settings);
        cr_expect_eq(events_count(&e, GPC_WHAT_SEND, GPC_COMPONENT_PORT), 2 * lines, "%s", settings);
        cr_expect_eq(events_count(&e, GPC_WHAT_RECEIVE, GPC_COMPONENT_PORT), 2 * lines, "%s", settings);
        events_close(&e, r.hierarchy);
        rig_abandon(&r);
    }
}
