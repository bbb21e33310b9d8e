/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/events.h"

#include "measured.h"
#include "timed/rig.h"

#include <criterion/criterion.h>
#include <string.h>

/* The trace of events of a hierarchy with a clock. */

#define ANY GPC_COMPONENT_COUNT
#define FIXED "dram.model = fixed\ndram.fixed_latency = 100\n"

static const gpc_event_options all = GPC_EVENT_OPTIONS_INIT;

typedef struct step {
    uint64_t cycle;
    gpc_what what;
    gpc_component component;
    uint64_t packet, parent;
    uint32_t bytes;
    const char *outcome;
} step;

static void expect_steps(const events *e, const step *steps, uint32_t count) {
    for (uint32_t i = 0; i < count && i < e->count; i++) {
        const gpc_event *v = &e->list[i];
        cr_expect(v->cycle == steps[i].cycle && v->what == steps[i].what && v->component == steps[i].component &&
                      v->packet == steps[i].packet && v->parent == steps[i].parent && v->bytes == steps[i].bytes,
                  "step %u: cycle %llu %s %s packet %llu of %llu, %u bytes", i, (unsigned long long)v->cycle,
                  gpc_what_name(v->what), gpc_component_name(v->component), (unsigned long long)v->packet,
                  (unsigned long long)v->parent, v->bytes);
        cr_expect_str_eq(gpc_event_outcome(v), steps[i].outcome, "step %u", i);
    }
    cr_expect_eq(e->count, count, "%u steps", e->count);
}

/*
 * Step by step, every cycle by hand: tags a cycle after the issue, 6 to cross, L2's tags, memory's 100, the data's 20.
 */
Test(timed_events, life_of_a_load) {
    static const step expected[] = {
        {0, GPC_WHAT_ISSUE, GPC_COMPONENT_SM, 1, 0, 32, ""},
        {0, GPC_WHAT_LINE, GPC_COMPONENT_SM, 2, 1, 32, ""},
        {1, GPC_WHAT_LOOKUP, GPC_COMPONENT_L1, 2, 1, 32, "miss"},
        {1, GPC_WHAT_MSHR_ALLOCATE, GPC_COMPONENT_L1, 2, 1, 32, ""},
        {1, GPC_WHAT_FETCH, GPC_COMPONENT_L1, 3, 2, 32, ""},
        {1, GPC_WHAT_QUEUE, GPC_COMPONENT_L1, 3, 2, 32, ""},
        {1, GPC_WHAT_SEND, GPC_COMPONENT_REQUESTS, 3, 2, 8, ""},
        {7, GPC_WHAT_RECEIVE, GPC_COMPONENT_REQUESTS, 3, 2, 8, ""},
        {8, GPC_WHAT_LOOKUP, GPC_COMPONENT_L2, 3, 2, 32, "miss"},
        {8, GPC_WHAT_MSHR_ALLOCATE, GPC_COMPONENT_L2, 3, 2, 32, ""},
        {8, GPC_WHAT_FETCH, GPC_COMPONENT_L2, 4, 3, 32, ""},
        {8, GPC_WHAT_QUEUE, GPC_COMPONENT_L2, 4, 3, 32, ""},
        {8, GPC_WHAT_MEMORY_READ, GPC_COMPONENT_MEMORY, 4, 3, 32, ""},
        {8, GPC_WHAT_READ, GPC_COMPONENT_MEMORY, 4, 3, 64, ""},
        {108, GPC_WHAT_DATA, GPC_COMPONENT_MEMORY, 4, 3, 32, ""},
        {108, GPC_WHAT_FILL, GPC_COMPONENT_L2, 3, 2, 32, ""},
        {108, GPC_WHAT_MSHR_FREE, GPC_COMPONENT_L2, 3, 2, 32, ""},
        {108, GPC_WHAT_SERVE, GPC_COMPONENT_L2, 3, 2, 32, ""},
        {128, GPC_WHAT_SEND, GPC_COMPONENT_REPLIES, 3, 2, 40, ""},
        {134, GPC_WHAT_RECEIVE, GPC_COMPONENT_REPLIES, 3, 2, 40, ""},
        {134, GPC_WHAT_FILL, GPC_COMPONENT_L1, 3, 2, 32, ""},
        {134, GPC_WHAT_MSHR_FREE, GPC_COMPONENT_L1, 2, 1, 32, ""},
        {134, GPC_WHAT_REPLY, GPC_COMPONENT_SM, 2, 1, 32, "dram"},
        {134, GPC_WHAT_COMPLETE, GPC_COMPONENT_SM, 1, 0, 0, "dram"},
    };
    static rig r;
    static events e;
    rig_open_dram(&r, FIXED);
    events_open(&e, r.hierarchy, all);
    cr_expect_eq(rig_latency(&r, WORD(GPC_LOAD, 0x1004, .warp = 5, .pc = 0x40)), 134);
    rig_finish(&r);
    expect_steps(&e, expected, sizeof expected / sizeof *expected);
    events_check(&e);
    const gpc_event *done = events_at(&e, GPC_WHAT_COMPLETE, ANY, 0);
    cr_assert_not_null(done);
    cr_expect_eq(done->value, r.done[0].cycle - r.done[0].issued, "as the completion says");
    cr_expect_eq(done->outcome, r.done[0].level);
    cr_expect_eq(rig_stats(&r).load_latency[134 / GPC_LATENCY_STEP], 1, "and the histogram");
    cr_expect_eq(events_at(&e, GPC_WHAT_SERVE, ANY, 0)->until, 128);
    cr_expect_eq(events_at(&e, GPC_WHAT_READ, ANY, 0)->until, 108);
    for (uint32_t i = 0; i < e.count; i++) {
        const gpc_event *v = &e.list[i];
        cr_expect(v->access == 1 && v->pc == 0x40 && v->sm == 0 && v->warp == 5 && v->kind == GPC_LOAD, "step %u", i);
        cr_expect_eq(v->address, 0x1000, "step %u", i);
    }
    events_close(&e, r.hierarchy);
    rig_close(&r);
}

/* The second load of a line merges at the MSHR entry, the third hits. */
Test(timed_events, merge_and_hit) {
    static rig r;
    static events e;
    rig_open_dram(&r, FIXED);
    events_open(&e, r.hierarchy, all);
    uint64_t first = rig_issue(&r, WORD(GPC_LOAD, 0, .warp = 1));
    rig_steps(&r, 3);
    uint64_t second = rig_issue(&r, WORD(GPC_LOAD, 4, .warp = 2));
    rig_finish(&r);
    uint64_t third = rig_issue(&r, WORD(GPC_LOAD, 8, .warp = 3));
    rig_finish(&r);
    events_check(&e);
    const gpc_event *merge = events_at(&e, GPC_WHAT_MSHR_MERGE, GPC_COMPONENT_L1, 0);
    cr_assert_not_null(merge);
    cr_expect_eq(events_count(&e, GPC_WHAT_MSHR_MERGE, ANY), 1);
    cr_expect_eq(merge->cycle, 4);
    cr_expect_eq(merge->warp, 2);
    cr_expect_eq(merge->value, events_at(&e, GPC_WHAT_MSHR_ALLOCATE, GPC_COMPONENT_L1, 0)->packet,
                 "it waits with that");
    static const char *const found[] = {"miss", "pending", "hit"};
    static const uint32_t order[] = {2, 1, 3};
    const uint64_t tokens[] = {first, second, third};
    for (uint32_t i = 0; i < 3; i++) {
        const gpc_event *look = events_at(&e, GPC_WHAT_LOOKUP, GPC_COMPONENT_L1, i);
        const gpc_event *done = events_at(&e, GPC_WHAT_COMPLETE, ANY, i);
        cr_assert(look && done);
        cr_expect_str_eq(gpc_event_outcome(look), found[i]);
        /* a waiter goes before the owner of the entry */
        cr_expect_eq(done->warp, order[i]);
        cr_expect_eq(done->cycle, r.done[tokens[done->warp - 1]].cycle);
    }
    cr_expect_eq(events_count(&e, GPC_WHAT_FETCH, ANY), 2, "by L1 and by L2, once");
    events_close(&e, r.hierarchy);
    rig_close(&r);
}

/* Data in flight are pending, even if the line takes a way only with the data. */
Test(timed_events, pending_before_the_fill) {
    static const char *const found[] = {"miss", "pending", "hit"};
    static const char *const settings[] = {FIXED "l1.allocate = on-miss\n", FIXED "l1.allocate = on-fill\n"};
    for (uint32_t n = 0; n < sizeof settings / sizeof *settings; n++) {
        static rig r;
        static events e;
        rig_open_dram(&r, settings[n]);
        events_open(&e, r.hierarchy, all);
        rig_issue(&r, WORD(GPC_LOAD, 0, .warp = 1));
        rig_steps(&r, 3);
        rig_issue(&r, WORD(GPC_LOAD, 4, .warp = 2));
        rig_finish(&r);
        rig_issue(&r, WORD(GPC_LOAD, 8, .warp = 3));
        rig_finish(&r);
        for (uint32_t i = 0; i < 3; i++) {
            const gpc_event *look = events_at(&e, GPC_WHAT_LOOKUP, GPC_COMPONENT_L1, i);
            cr_assert_not_null(look);
            cr_expect_str_eq(gpc_event_outcome(look), found[i], "%s: lookup %u", settings[n], i);
        }
        events_close(&e, r.hierarchy);
        rig_close(&r);
    }
}

/* With one MSHR entry the second line is held up from the turn at the tags until the first line's data arrive. */
Test(timed_events, reservation_failure) {
    static rig r;
    static events e;
    rig_open_dram(&r, FIXED "l1.mshr_entries = 1\n");
    events_open(&e, r.hierarchy, all);
    rig_issue(&r, WORD(GPC_LOAD, 0));
    rig_issue(&r, WORD(GPC_LOAD, 128, .pc = 8));
    rig_finish(&r);
    events_check(&e);
    const gpc_event *block = events_at(&e, GPC_WHAT_BLOCK, ANY, 0), *unblock = events_at(&e, GPC_WHAT_UNBLOCK, ANY, 0);
    cr_assert(block && unblock);
    cr_expect_eq(events_count(&e, GPC_WHAT_BLOCK, ANY), 1);
    cr_expect_str_eq(gpc_event_outcome(block), "mshr");
    cr_expect_str_eq(gpc_event_outcome(unblock), "mshr");
    cr_expect_eq(block->pc, 8);
    cr_expect_eq(unblock->packet, block->packet);
    cr_expect_eq(block->cycle, 2);
    cr_expect_eq(unblock->cycle - block->cycle, rig_stats(&r).l1_mshr_stalls);
    events_close(&e, r.hierarchy);
    rig_close(&r);
}

/* Random accesses of all kinds by some SMs, of `lines` lines. */
static void shoot(rig *r, uint32_t shots, uint32_t sms, uint32_t lines) {
    uint64_t state = 7;
    for (uint32_t i = 0; i < shots; i++) {
        static const uint8_t kinds[] = {GPC_LOAD, GPC_LOAD, GPC_LOAD, GPC_STORE, GPC_ATOMIC, GPC_REDUCTION};
        shot s = WORDS(kinds[rig_below(&state, 6)], rig_below(&state, lines) * 128ull, 1 + rig_below(&state, 8), 64);
        s.sm = rig_below(&state, sms);
        s.warp = rig_below(&state, 4);
        s.pc = 16 * rig_below(&state, 8);
        rig_push(r, s);
    }
    rig_finish(r);
}

/* Settings that give every part work. */
static const char *const busy[] = {
    "sm.count = 4\nl2.slices = 2\ndram.channels = 2\nl1.mshr_entries = 4\nl1.miss_queue = 2\n",
    "sm.count = 4\nl2.slices = 4\nl2.partitions = 2\ndram.channels = 2\nl2.mshr_entries = 2\nl1.size = 4KiB\n",
    "sm.count = 4\nl2.size = 16KiB\nl1.write_policy = back\nl1.write_allocate = fetch\nl1.size = 2KiB\nl1.ways = 2\n",
    "sm.count = 4\nl2.size = 16KiB\nl2.inclusion = inclusive\nl1.write_policy = through\n",
    "sm.count = 4\nlrc.sms = 2\nlrc.entries = 4\nmemory.link_width = 32\nmemory.link_latency = 7\n",
    "sm.count = 4\nl2.enabled = false\nl1.enabled = false\n",
    "sm.count = 4\ndram.page = closed\nnetwork.input_buffer = 1\nnetwork.output_buffer = 1\n",
    "sm.count = 4\nl1.bypass = random-p(p=0.5)\nl1.replacement = rpr\nl1.sectors = 1\n",
};

/* In any configuration: beginnings have ends, and sums of events are the counters. */
Test(timed_events, agree_with_counters) {
    for (unsigned i = 0; i < sizeof busy / sizeof *busy; i++) {
        static rig r;
        static events e;
        rig_open_dram(&r, busy[i]);
        events_open(&e, r.hierarchy, all);
        shoot(&r, 300, 4, i == 4 ? 20 : 200); /* reads of a line join at a coalescer */
        events_check(&e);
        measured_stats s = rig_stats(&r);
        cr_expect_eq(events_count(&e, GPC_WHAT_ISSUE, ANY), r.issued, "%s", busy[i]);
        cr_expect_eq(events_count(&e, GPC_WHAT_COMPLETE, ANY), r.completed, "%s", busy[i]);
        cr_expect_eq(events_count(&e, GPC_WHAT_RECEIVE, GPC_COMPONENT_REQUESTS), s.network_requests, "%s", busy[i]);
        cr_expect_eq(events_bytes(&e, GPC_WHAT_RECEIVE, GPC_COMPONENT_REPLIES), s.network_reply_bytes, "%s", busy[i]);
        cr_expect_eq(events_bytes(&e, GPC_WHAT_MEMORY_READ, ANY), s.dram_read_sectors * 32, "%s", busy[i]);
        cr_expect_eq(events_bytes(&e, GPC_WHAT_MEMORY_WRITE, ANY), s.dram_write_sectors * 32, "%s", busy[i]);
        cr_expect_eq(events_count(&e, GPC_WHAT_EVICT, GPC_COMPONENT_L1), s.l1_evictions, "%s", busy[i]);
        cr_expect_eq(events_count(&e, GPC_WHAT_INVALIDATE, GPC_COMPONENT_L1), s.l1_invalidations, "%s", busy[i]);
        cr_expect_eq(events_count(&e, GPC_WHAT_EVICT, GPC_COMPONENT_L2), s.l2_evictions, "%s", busy[i]);
        cr_expect_eq(events_bytes(&e, GPC_WHAT_FETCH, GPC_COMPONENT_L1), s.l1_fetched_sectors * 32, "%s", busy[i]);
        cr_expect_eq(events_count(&e, GPC_WHAT_READ, ANY), s.dram_reads, "%s", busy[i]);
        cr_expect_eq(events_count(&e, GPC_WHAT_WRITE, ANY), s.dram_writes, "%s", busy[i]);
        cr_expect_eq(events_count(&e, GPC_WHAT_ACTIVATE, ANY), s.dram_activates, "%s", busy[i]);
        cr_expect_eq(events_count(&e, GPC_WHAT_JOIN, ANY) > 0, i == 4, "%s", busy[i]);
        cr_expect_eq(events_check_networks(&e, r.hierarchy), i == 1 || i == 4 ? 4 : 2, "%s", busy[i]);
        events_close(&e, r.hierarchy);
        rig_close(&r);
    }
}

/* Observed or not, a hierarchy acts equally in equal cycles. */
Test(timed_events, change_nothing) {
    for (unsigned i = 0; i < sizeof busy / sizeof *busy; i++) {
        static rig r;
        static events e;
        uint64_t trails[2];
        for (unsigned look = 0; look < 2; look++) {
            rig_open_dram(&r, busy[i]);
            if (look)
                events_open(&e, r.hierarchy, all);
            shoot(&r, 300, 4, 200);
            trails[look] = r.trail;
            if (look)
                events_close(&e, r.hierarchy);
            rig_close(&r);
        }
        cr_expect_eq(trails[0], trails[1], "%s", busy[i]);
    }
}

/* A filter passes exactly the matching events, in order. */
Test(timed_events, filters) {
    static rig r;
    static events whole, part;
    gpc_event_options options[8];
    for (unsigned i = 0; i < 8; i++)
        options[i] = all;
    options[0].first_sm = options[0].last_sm = 2;
    options[1].first_address = 0x800, options[1].last_address = 0xfff;
    options[2].first_pc = options[2].last_pc = 0x30;
    options[3].kinds = 1u << GPC_ATOMIC;
    options[4].whats = (uint64_t)1 << GPC_WHAT_FILL | (uint64_t)1 << GPC_WHAT_READ;
    options[5].components = 1u << GPC_COMPONENT_MEMORY;
    options[6].first_cycle = 300, options[6].last_cycle = 500;
    options[7].first_sm = 1, options[7].kinds = 1u << GPC_LOAD | 1u << GPC_STORE, options[7].last_pc = 0x60;
    rig_open_dram(&r, busy[0]);
    events_open(&whole, r.hierarchy, all);
    shoot(&r, 300, 4, 200);
    for (unsigned i = 0; i < 8; i++) {
        static rig again;
        const gpc_event_options *o = &options[i];
        rig_open_dram(&again, busy[0]);
        events_open(&part, again.hierarchy, *o);
        shoot(&again, 300, 4, 200);
        uint32_t n = 0;
        for (uint32_t k = 0; k < whole.count; k++) {
            const gpc_event *v = &whole.list[k];
            if (v->sm < o->first_sm || v->sm > o->last_sm || v->address < o->first_address ||
                v->address > o->last_address || v->pc < o->first_pc || v->pc > o->last_pc ||
                v->cycle < o->first_cycle || v->cycle > o->last_cycle || (o->kinds && !(o->kinds >> v->kind & 1)) ||
                (o->whats && !(o->whats >> v->what & 1)) || (o->components && !(o->components >> v->component & 1)))
                continue;
            cr_assert(n < part.count && !memcmp(v, &part.list[n], sizeof *v), "filter %u, event %u", i, n);
            n++;
        }
        cr_expect_eq(n, part.count, "filter %u", i);
        cr_expect(n > 10 && n < whole.count, "filter %u: %u of %u", i, n, whole.count);
        events_close(&part, again.hierarchy);
        rig_close(&again);
    }
    events_close(&whole, r.hierarchy);
    rig_close(&r);
}
