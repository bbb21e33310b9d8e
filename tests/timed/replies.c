/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/experimental/experimental.h>

#include "measured.h"
#include "timed/coherent_rig.h"
#include "timed/core/shards.h"
#include "timed/events.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Hosts with finite room for replies: credits, and standstill without credits. */

static rig r;

static void set(uint32_t sm, uint64_t credits) {
    cr_assert_eq(gpc_hierarchy_set_reply_credits(r.hierarchy, sm, credits, NULL), GPC_OK);
}

static void add(uint32_t sm, uint64_t credits) {
    cr_assert_eq(gpc_hierarchy_add_reply_credits(r.hierarchy, sm, credits, NULL), GPC_OK);
}

static uint64_t stalls(gpc_object kind, uint32_t index) {
    gpc_counter_info info = GPC_COUNTER_INFO_INIT;
    uint64_t value;
    cr_assert_eq(gpc_counter_by_name(GPC_TABLE_HIERARCHY, "l1.reply_stalls", &info, NULL), GPC_OK);
    cr_assert_eq(gpc_hierarchy_read(r.hierarchy, kind, index, &info.id, 1, &value, 1, NULL), GPC_OK);
    return value;
}

/* Every completion takes a credit, in order of completion; grants take effect from the next cycle on. */
Test(timed_replies, one_each) {
    rig_open(&r, NULL, 100);
    cr_expect_eq(gpc_hierarchy_reply_credits(r.hierarchy, 0), GPC_UNLIMITED_CREDITS);
    cr_expect_eq(stalls(GPC_OBJECT_WHOLE, 0), GPC_ABSENT);
    rig_latency(&r, LINE(GPC_LOAD, 0));
    set(0, 2);
    for (unsigned i = 0; i < 5; i++)
        rig_issue(&r, WORD(GPC_LOAD, 4 * i));
    rig_steps(&r, 60);
    cr_expect_eq(r.completed, 3);
    cr_expect_eq(gpc_hierarchy_reply_credits(r.hierarchy, 0), 0);
    cr_expect_eq(gpc_hierarchy_in_flight(r.hierarchy), 3);
    cr_expect_eq(gpc_hierarchy_next_event(r.hierarchy), UINT64_MAX, "nothing happens without the host");
    cr_expect_not(gpc_hierarchy_is_idle(r.hierarchy));
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_eq(gpc_hierarchy_begin_kernel(r.hierarchy, NULL, &error), GPC_ERROR_STATE);
    cr_expect_eq(gpc_hierarchy_drain(r.hierarchy, &error), GPC_ERROR_STATE);
    cr_expect_not_null(strstr(error.message, "L1 0 has 3 replies that its host has no credit for"), "%s",
                       error.message);

    const uint64_t second = r.done[2].cycle, granted = rig_now(&r);
    cr_expect_eq(second, r.done[1].cycle + 1, "a hit a cycle");
    add(0, 1);
    cr_expect_eq(gpc_hierarchy_next_event(r.hierarchy), granted + 1);
    rig_step(&r);
    cr_expect_eq(r.completed, 4);
    cr_expect_eq(r.done[3].cycle, granted + 1);
    rig_steps(&r, 10);
    cr_expect_eq(r.completed, 4);
    add(0, 7);
    const uint64_t last = rig_now(&r);
    rig_steps(&r, 1);
    cr_expect_eq(r.completed, 6);
    cr_expect_eq(gpc_hierarchy_reply_credits(r.hierarchy, 0), 5);
    cr_expect_eq(stalls(GPC_OBJECT_WHOLE, 0), last + 1 - (second + 1), "from the third hit on");
    cr_expect_eq(stalls(GPC_OBJECT_L1, 0), last + 1 - (second + 1));
    cr_expect_eq(rig_stats(&r).l1_reply_stalls, last + 1 - (second + 1));
    gpc_hierarchy_reset_stats(r.hierarchy);
    cr_expect_eq(stalls(GPC_OBJECT_WHOLE, 0), 0);
    rig_close(&r);
}

/* The tags stand still meanwhile; hosts are refused for that reason, and told at the end. */
Test(timed_replies, tags_stand_still) {
    rig_open(&r, "l1.queue = 4\n", 100);
    rig_latency(&r, LINE(GPC_LOAD, 0));
    set(0, 0);
    gpc_busy busy = GPC_BUSY_NOT, said;
    uint64_t before = r.issued;
    while (rig_now(&r) < 400) {
        rig_try(&r, WORD(GPC_LOAD, 0), &busy);
        rig_step(&r);
    }
    cr_expect_eq(busy, GPC_BUSY_REPLY);
    cr_expect_not(gpc_hierarchy_can_accept(r.hierarchy, 0, &said));
    cr_expect_eq(said, GPC_BUSY_REPLY);
    /* accesses past the tags when the first was done: one a cycle for the latency; and the queue */
    cr_expect_leq(r.issued - before, 10 + 1 + 4 + 1, "%u", (unsigned)(r.issued - before));
    measured_cache cache;
    cr_assert_eq(measure_cache(gpc_hierarchy_cache(r.hierarchy, 1, 0), &cache), GPC_OK);
    cr_expect_eq(r.completed, before);
    const uint64_t ready = r.ready;
    set(0, GPC_UNLIMITED_CREDITS);
    rig_steps(&r, 2);
    cr_expect_gt(r.ready, ready);
    cr_expect_eq(rig_try(&r, WORD(GPC_LOAD, 0), &busy), GPC_OK);
    rig_close(&r);
}

/* Resources freed by a held reply wait as well: no retries cycle by cycle. */
Test(timed_replies, nothing_is_polled) {
    rig_open(&r, "l1.mshr_entries = 1\n", 50);
    set(0, 0);
    rig_issue(&r, LINE(GPC_LOAD, 0));
    rig_issue(&r, LINE(GPC_LOAD, 4096)); /* waits for the entry, freed by the fill */
    rig_steps(&r, 500);
    cr_expect_eq(gpc_hierarchy_next_event(r.hierarchy), UINT64_MAX);
    cr_expect_eq(r.memory.calls, 1);
    add(0, 1);
    rig_steps(&r, 500);
    cr_expect(r.completed == 1 && r.memory.calls == 2);
    cr_expect_eq(gpc_hierarchy_next_event(r.hierarchy), UINT64_MAX);
    add(0, 1);
    rig_close(&r);
}

/* Replies wait in the network, and then hold back others'. */
Test(timed_replies, the_network_fills) {
    static const char narrow[] =
        "sm.count = 2\nnetwork.output_buffer = 2\nnetwork.input_buffer = 2\nl2.reply_queue = 2\n"
        "l2.latency = 2\n";
    uint64_t alone = 0, of_two[2];
    for (unsigned held = 0; held < 2; held++) {
        rig_open(&r, narrow, 20);
        if (held)
            set(0, 0);
        for (unsigned i = 0; i < 64; i++)
            rig_push(&r, LINE(GPC_LOAD, i * 128, .sm = 0));
        rig_steps(&r, 1000);
        cr_expect_eq(r.completed, held ? 0 : 64);
        if (held) /* one line a fill: the first stops the port */
            cr_expect_eq(r.fills[1], 1);
        const uint64_t token = rig_issue(&r, LINE(GPC_LOAD, 1 << 20, .sm = 1));
        rig_steps(&r, 1000);
        cr_expect_eq(r.done[token].times, !held, "the slice's reply queue is full of the other's");
        of_two[held] = r.fills[2];
        if (!held)
            alone = r.fills[2];
        set(0, GPC_UNLIMITED_CREDITS);
        rig_close(&r);
    }
    cr_expect_eq(of_two[0], alone);
    cr_expect_lt(of_two[1], alone, "L2 cannot reply, and takes no more");
}

/* A host with L1s, with equally finite fills. */
Test(timed_replies, of_misses) {
    rig_open(&r,
             "network.output_buffer = 2\nl2.reply_queue = 2\nl2.latency = 2\nl1.miss_queue = 2\n"
             "network.input_buffer = 2\nl2.queue = 2\nl2.miss_queue = 2\nl2.mshr_entries = 4\n",
             20);
    set(0, 0);
    gpc_busy busy = GPC_BUSY_NOT;
    while (rig_now(&r) < 2000) {
        const gpc_request miss = {.address = r.issued * 128};
        r.issued += gpc_hierarchy_try_miss(r.hierarchy, &miss, r.issued, &busy, NULL) == GPC_OK;
        rig_step(&r);
    }
    cr_expect(busy == GPC_BUSY_MISS_QUEUE || busy == GPC_BUSY_NETWORK);
    cr_expect_eq(r.completed, 0);
    cr_expect_lt(r.issued, 40, "%u", (unsigned)r.issued);
    const uint64_t issued = r.issued;
    for (uint64_t i = 0; i < issued; i++) { /* one at a time, in order */
        cr_expect_eq(r.completed, i);
        add(0, 1);
        rig_steps(&r, 100);
        cr_expect_eq(r.completed, i + 1);
    }
    cr_expect_eq(gpc_hierarchy_reply_credits(r.hierarchy, 0), 0);
    rig_close(&r);
}

/* Throughput equals the host's rate: one in ten cycles. */
Test(timed_replies, bandwidth) {
    rig_open(&r, "l1.queue = 8\n", 100);
    rig_latency(&r, LINE(GPC_LOAD, 0));
    set(0, 4);
    const uint64_t first = r.completed, from = rig_now(&r);
    for (unsigned i = 0; i < 2000; i++) {
        rig_try(&r, WORD(GPC_LOAD, 0), NULL);
        rig_step(&r);
        if (i % 10 == 0)
            add(0, 1);
    }
    cr_expect_eq(rig_now(&r) - from, 2000);
    cr_expect_eq(r.completed - first, 4 + 200);
    set(0, GPC_UNLIMITED_CREDITS);
    rig_close(&r);
}

/* A fence waits for a store not yet taken by the host; the fence's completion takes a credit, too. */
Test(timed_replies, fences) {
    rig_open(&r, NULL, 50);
    set(0, 0);
    const uint64_t store = rig_issue(&r, LINE(GPC_STORE, 0));
    const uint64_t fence = rig_fence(&r, (fence_shot){.scope = GPC_SCOPE_GPU, .order = GPC_ORDER_RELEASE});
    rig_steps(&r, 500);
    cr_expect_eq(r.completed, 0);
    add(0, 1);
    rig_steps(&r, 500);
    cr_expect(r.done[store].times == 1 && !r.done[fence].times);
    add(0, 1);
    rig_steps(&r, 5);
    cr_expect_eq(r.done[fence].times, 1);
    rig_close(&r);
}

/* More credits than replies: no difference. Random grants: all complete, once, in every SM's order. */
static uint64_t random_run(const char *settings, uint64_t seed, bool limited, bool enough) {
    rig_open_dram(&r, settings);
    uint64_t state = seed, grants = seed;
    for (uint32_t sm = 0; limited && sm < 2; sm++)
        set(sm, enough ? UINT64_MAX - 1 : 0);
    for (unsigned i = 0; i < 1500; i++) {
        const uint8_t kind = rig_below(&state, 4) ? GPC_LOAD : rig_below(&state, 2) ? GPC_STORE : GPC_ATOMIC;
        rig_try(&r, WORDS(kind, (uint64_t)rig_below(&state, 64) * 128, 4, 64, .sm = rig_below(&state, 2)), NULL);
        if (limited && !enough && !rig_below(&grants, 3))
            add(rig_below(&grants, 2), rig_below(&grants, 3));
        rig_steps(&r, rig_below(&state, 3));
    }
    for (uint32_t sm = 0; limited && sm < 2; sm++)
        set(sm, GPC_UNLIMITED_CREDITS);
    rig_finish(&r);
    const uint64_t trail = r.trail;
    rig_close(&r);
    return trail;
}

Test(timed_replies, random) {
    static const char *const settings[] = {
        "sm.count = 2\nl1.queue = 4\nnetwork.output_buffer = 2\nl2.reply_queue = 4\n",
        "sm.count = 2\nl1.queue = 4\nl1.write_policy = back\nl1.write_allocate = fetch\nl1.reorder = warp\n",
        "sm.count = 2\nl1.queue = 4\nl1.latency = 1\nl1.prefetcher = next-line\nlrc.sms = 2\n",
        "sm.count = 2\nl1.queue = 4\nl1.enabled = false\n",
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        const uint64_t without = random_run(settings[i], 7, false, false);
        cr_expect_eq(random_run(settings[i], 7, true, true), without, "%s", settings[i]);
        const uint64_t some = random_run(settings[i], 7, true, false);
        cr_expect_neq(some, without, "%s", settings[i]);
        cr_expect_eq(random_run(settings[i], 7, true, false), some, "%s", settings[i]);
    }
    cr_expect_eq(random_run("sm.count = 2\nl1.queue = 4\nthreads = 2\n", 9, true, false),
                 random_run("sm.count = 2\nl1.queue = 4\n", 9, true, false));
}

/* A host without callbacks leaves SMs to several threads: credits make no difference. */
static uint64_t quiet_run(const char *settings, uint32_t threads) {
    gpc_error error = GPC_ERROR_INIT;
    rig_open_dram(&r, settings);
    cr_assert_eq(gpc_hierarchy_set_callbacks(r.hierarchy, NULL, NULL), GPC_OK);
    if (r.hierarchy->timed->shards)
        cr_assert_eq(gpci_shards_test(r.hierarchy->timed, 0, &error), GPC_OK, "%s", error.message);
    uint64_t state = 11, trail = 0;
    for (uint32_t sm = 0; sm < 4; sm++)
        set(sm, 2);
    for (unsigned i = 0; i < 1200; i++) {
        rig_try(&r, WORDS(GPC_LOAD, (uint64_t)rig_below(&state, 512) * 128, 4, 128, .sm = rig_below(&state, 4)), NULL);
        if (!rig_below(&state, 4))
            add(rig_below(&state, 4), rig_below(&state, 3));
        cr_assert_eq(gpc_hierarchy_advance(r.hierarchy, rig_below(&state, 4), NULL), GPC_OK);
        trail = trail * 31 + gpc_hierarchy_in_flight(r.hierarchy) + gpc_hierarchy_reply_credits(r.hierarchy, i % 4);
    }
    trail = trail * 31 + rig_stats(&r).l1_reply_stalls;
    for (uint32_t sm = 0; sm < 4; sm++)
        set(sm, GPC_UNLIMITED_CREDITS);
    cr_assert_eq(gpc_hierarchy_drain(r.hierarchy, &error), GPC_OK, "%s", error.message);
    cr_expect_eq(gpc_hierarchy_threads(r.hierarchy), threads);
    cr_expect_gt(rig_stats(&r).l1_reply_stalls, 500);
    trail = trail * 31 + rig_now(&r);
    rig_abandon(&r);
    return trail;
}

Test(timed_replies, threads) {
    static const char narrow[] = "sm.count = 4\nl1.queue = 4\nl2.slices = 2\nnetwork.output_buffer = 2\n"
                                 "l2.reply_queue = 4\n";
    char two[256];
    snprintf(two, sizeof two, "%sthreads = 2\n", narrow);
    cr_expect_eq(quiet_run(narrow, 1), quiet_run(two, 2));
}

/* In a tree tags stand still, and messages continue: another SM gets lines modified by this SM. */
Test(timed_replies, trees) {
    coherent_open(&r, "msi", "");
    rig_wait(&r, rig_issue(&r, WORD(GPC_STORE, 0)));
    set(0, 0);
    const uint64_t held = rig_issue(&r, WORD(GPC_LOAD, 0));
    rig_steps(&r, 100);
    const uint64_t later = rig_issue(&r, WORD(GPC_LOAD, 4096));
    const uint64_t other = rig_issue(&r, WORD(GPC_LOAD, 0, .sm = 1));
    rig_steps(&r, 2000);
    cr_expect(!r.done[held].times && !r.done[later].times);
    cr_expect_eq(r.done[other].times, 1);
    cr_expect_eq(coherent_state(&r, "l1-0", 4096), GPC_LINE_I, "it has not passed the tags");
    set(0, GPC_UNLIMITED_CREDITS);
    coherent_close(&r);
}

Test(timed_replies, lane_packets) {
    coherent_open(&r, "nmoesi", "l1.coalescer = multi2sim\n");
    rig_wait(&r, rig_issue(&r, LINE(GPC_LOAD, 0)));
    set(0, 0);
    const uint64_t first = rig_issue(&r, LINE(GPC_LOAD, 0));
    rig_steps(&r, 500);
    const uint64_t second = rig_issue(&r, LINE(GPC_LOAD, 8192));
    rig_steps(&r, 1000);
    cr_expect(!r.done[first].times && !r.done[second].times);
    cr_expect_eq(coherent_state(&r, "l1-0", 8192), GPC_LINE_I);
    add(0, 2);
    rig_steps(&r, 1000);
    cr_expect(r.done[first].times == 1 && r.done[second].times == 1);
    coherent_close(&r);
}

Test(timed_replies, events) {
    static events e;
    rig_open(&r, NULL, 50);
    events_open(&e, r.hierarchy, (gpc_event_options)GPC_EVENT_OPTIONS_INIT);
    set(0, 0);
    rig_issue(&r, LINE(GPC_LOAD, 0, .warp = 3));
    rig_issue(&r, LINE(GPC_LOAD, 0, .warp = 4));
    rig_steps(&r, 300);
    cr_expect_eq(events_count(&e, GPC_WHAT_HOLD, GPC_COMPONENT_SM), 2);
    cr_expect_eq(events_count(&e, GPC_WHAT_COMPLETE, GPC_COMPONENT_SM), 0);
    const gpc_event *hold = events_at(&e, GPC_WHAT_HOLD, GPC_COMPONENT_SM, 1);
    cr_expect(hold->warp == 3 && hold->value == 2 && hold->access == hold->packet && hold->kind == GPC_LOAD);
    const uint64_t now = rig_now(&r) + 1;
    add(0, 2);
    rig_step(&r);
    const gpc_event *done = events_at(&e, GPC_WHAT_COMPLETE, GPC_COMPONENT_SM, 1);
    cr_assert_not_null(done);
    cr_expect(done->access == hold->access && done->cycle == now && done->value == now);
    rig_finish(&r);
    events_check(&e);
    events_close(&e, r.hierarchy);
    rig_close(&r);
}

typedef struct trail {
    const gpc_hierarchy *hierarchy;
    uint64_t sum, count;
} trail;

static void note(void *user_data, const gpc_completion *c) {
    trail *t = user_data;
    t->sum = (t->sum ^ c->token) * 0x9e3779b97f4a7c15u + c->cycle;
    t->count++;
}

static void attach(gpc_hierarchy *h, trail *t) {
    gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
    *t = (trail){.hierarchy = h};
    callbacks.user_data = t;
    callbacks.on_complete = note;
    cr_assert_eq(gpc_hierarchy_set_callbacks(h, &callbacks, NULL), GPC_OK);
}

/* A copy has equal credits, and equal waiting replies. */
Test(timed_replies, snapshots) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_hierarchy *both[2];
    trail trails[2];
    rig_open_dram(&r, "sm.count = 2\nnetwork.output_buffer = 2\n");
    set(0, 3);
    for (unsigned i = 0; i < 40; i++) {
        rig_push(&r, WORD(GPC_LOAD, i * 128, .sm = i % 2));
        rig_step(&r);
    }
    rig_steps(&r, 400);
    both[0] = r.hierarchy;
    cr_assert_eq(gpc_hierarchy_copy(r.hierarchy, &both[1], &error), GPC_OK, "%s", error.message);
    for (unsigned h = 0; h < 2; h++) {
        attach(both[h], &trails[h]);
        cr_expect_eq(gpc_hierarchy_reply_credits(both[h], 0), 0);
        cr_expect_eq(gpc_hierarchy_reply_credits(both[h], 1), GPC_UNLIMITED_CREDITS);
        for (unsigned i = 0; i < 600; i++) {
            if (i % 7 == 0)
                cr_assert_eq(gpc_hierarchy_add_reply_credits(both[h], 0, 1, NULL), GPC_OK);
            cr_assert_eq(gpc_hierarchy_advance(both[h], 1, NULL), GPC_OK);
        }
        cr_expect_eq(gpc_hierarchy_drain(both[h], &error), GPC_OK, "%s", error.message);
    }
    cr_expect_geq(trails[0].count, 17);
    cr_expect(trails[0].count == trails[1].count && trails[0].sum == trails[1].sum);
    measured_stats stats[2];
    for (unsigned h = 0; h < 2; h++) {
        measured_clear(&stats[h]);
        cr_assert_eq(measure_hierarchy(both[h], &stats[h]), GPC_OK);
    }
    cr_expect(!memcmp(&stats[0], &stats[1], sizeof *stats));
    cr_expect_gt(stats[0].l1_reply_stalls, 100);
    gpc_hierarchy_destroy(both[1]);
    rig_abandon(&r);
}

Test(timed_replies, errors) {
    rig_open(&r, NULL, 50);
    cr_expect_eq(gpc_hierarchy_set_reply_credits(NULL, 0, 1, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_hierarchy_set_reply_credits(r.hierarchy, 1, 1, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_hierarchy_add_reply_credits(r.hierarchy, 0, 1, NULL), GPC_ERROR_STATE, "there is no limit");
    set(0, 5);
    cr_expect_eq(gpc_hierarchy_add_reply_credits(r.hierarchy, 0, UINT64_MAX - 5, NULL), GPC_ERROR_RANGE);
    cr_expect_eq(gpc_hierarchy_reply_credits(r.hierarchy, 0), 5);
    add(0, UINT64_MAX - 6);
    cr_expect_eq(gpc_hierarchy_reply_credits(r.hierarchy, 0), UINT64_MAX - 1);
    cr_expect_eq(gpc_hierarchy_reply_credits(r.hierarchy, 1), 0);
    cr_expect_eq(gpc_hierarchy_reply_credits(NULL, 0), 0);
    rig_close(&r);
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context;
    gpc_config *config;
    gpc_hierarchy *functional;
    cr_assert_eq(gpc_context_create(NULL, &context, &error), GPC_OK);
    cr_assert_eq(gpc_config_create(context, &config, &error), GPC_OK);
    cr_assert_eq(gpc_hierarchy_create(context, config, &functional, &error), GPC_OK);
    cr_expect_eq(gpc_hierarchy_set_reply_credits(functional, 0, 1, NULL), GPC_ERROR_STATE);
    cr_expect_eq(gpc_hierarchy_add_reply_credits(functional, 0, 1, NULL), GPC_ERROR_STATE);
    cr_expect_eq(gpc_hierarchy_reply_credits(functional, 0), 0);
    gpc_hierarchy_destroy(functional);
    gpc_config_destroy(config);
    gpc_context_destroy(context);
}
