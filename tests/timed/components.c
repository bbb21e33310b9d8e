/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/timed.h"

#include "measured.h"
#include "timed/coherent_rig.h"

#include <criterion/criterion.h>
#include <string.h>

/* The table of a timed hierarchy's parts. */

static rig r;

/* A check possible only by table: a class without a function would not be counted, reset, reported or freed. */
Test(timed_components, every_class_has_every_function) {
    for (unsigned kind = 0; kind < GPCI_GROUP_COUNT; kind++) {
        const gpci_component_class *class = gpci_class_of((gpci_group_kind)kind);
        const char *name = gpci_group_name((gpci_group_kind)kind);
        cr_assert(class && name && *name, "group %u", kind);
        cr_expect(class->size && class->make && class->destroy && class->step, "%s", name);
        cr_expect(class->count && class->reset && class->hold && class->state, "%s", name);
        cr_expect_leq(class->scope, GPCI_SCOPE_CHANNEL, "%s", name);
    }
}

static const gpci_group *group(gpci_group_kind kind) {
    return &r.hierarchy->timed->groups[kind];
}

/* Components are numbered in the order of steps: the example of timed/component/component.h. */
Test(timed_components, numbers) {
    rig_open_dram(&r, "sm.count = 2\n");
    const struct {
        gpci_group_kind kind;
        uint32_t first, components, objects;
    } expected[] = {{GPCI_GROUP_CHANNELS, 0, 1, 1}, {GPCI_GROUP_SLICES, 1, 1, 1},    {GPCI_GROUP_REPLIES, 2, 2, 1},
                    {GPCI_GROUP_L1S, 4, 2, 2},      {GPCI_GROUP_SMS, 6, 2, 2},       {GPCI_GROUP_REQUESTS, 8, 1, 1},
                    {GPCI_GROUP_CLUSTERS, 2, 0, 0}, {GPCI_GROUP_COALESCERS, 8, 0, 0}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const gpci_group *g = group(expected[i].kind);
        cr_expect_eq(g->components, expected[i].components, "%zu", i);
        cr_expect_eq(g->objects, expected[i].objects, "%zu", i);
        cr_expect_eq(g->first, expected[i].first, "%zu", i);
    }
    cr_expect_eq(r.hierarchy->timed->wheel.components, 9);
    rig_close(&r);
}

/* Groups follow without a gap, and every number belongs to the group. */
static void check_numbers(void) {
    const gpci_timed *t = r.hierarchy->timed;
    uint32_t next = 0;
    for (unsigned kind = 0; kind < GPCI_GROUP_COUNT; kind++) {
        const gpci_group *g = &t->groups[kind];
        cr_expect_eq(g->first, next);
        cr_expect_eq(g->kind, kind);
        cr_expect(!g->components || g->objects, "%s", gpci_group_name((gpci_group_kind)kind));
        for (uint32_t i = 0; i < g->components; i++)
            cr_expect_eq(t->group_of[next + i], kind);
        next += g->components;
    }
    cr_expect_eq(t->wheel.components, next);
}

/* Traffic of loads and stores that gives every part work. */
static void traffic(void) {
    uint64_t state = 7;
    for (unsigned i = 0; i < 400; i++) {
        uint8_t kind = rig_below(&state, 3) ? GPC_LOAD : GPC_STORE;
        rig_push(&r, LINE(kind, (uint64_t)rig_below(&state, 512) * 128, .sm = rig_below(&state, 4)));
    }
    rig_steps(&r, 20);
}

/* Sums over objects are the hierarchy's counters: no part is left out, or counted twice. */
static void check_counts(const char *what) {
    const gpci_timed *t = r.hierarchy->timed;
    const measured_stats all = rig_stats(&r);
    gpc_stats sum;
    gpci_stats_init(&sum);
    for (unsigned kind = 0; kind < GPCI_GROUP_COUNT; kind++)
        for (uint32_t i = 0; i < t->groups[kind].objects; i++)
            t->groups[kind].class->count(&t->groups[kind], i, &sum);
    cr_expect_eq(sum.l2_cycles, all.l2_cycles, "%s", what);
    cr_expect_eq(sum.l1_mshr_cycles, all.l1_mshr_cycles, "%s", what);
    cr_expect_eq(sum.l2_queue_cycles, all.l2_queue_cycles, "%s", what);
    cr_expect_eq(sum.network_request_bytes, all.network_request_bytes, "%s", what);
    cr_expect_eq(sum.network_reply_bytes, all.network_reply_bytes, "%s", what);
    cr_expect_eq(sum.link_packets, all.link_packets, "%s", what);
    cr_expect_eq(sum.dram_reads, all.dram_reads, "%s", what);
    cr_expect_eq(sum.dram_cycles, all.dram_cycles, "%s", what);
    cr_expect(sum.l2_cycles && sum.dram_cycles, "%s", what);
}

/* Ask the parts of a hierarchy in turn for reasons of waiting: idle parts have none. */
static void check_report(const char *what, bool idle) {
    cr_expect_eq(gpci_groups_idle(r.hierarchy->timed, true), idle, "%s", what);
    char text[4096] = "";
    gpci_text report = gpci_text_of(text, sizeof text);
    gpci_groups_report(r.hierarchy->timed, &report);
    cr_expect_eq(*text == '\0', idle, "%s: %s", what, text);
}

static void check_reset(const char *what) {
    gpc_hierarchy_reset_stats(r.hierarchy);
    measured_stats s = rig_stats(&r);
    cr_expect(!s.l2_cycles && !s.l1_mshr_cycles && !s.l2_queue_cycles && !s.l2_mshr_cycles, "%s", what);
    cr_expect(!s.network_requests && !s.network_reply_bytes && !s.network_input_cycles && !s.link_packets, "%s", what);
    cr_expect(!s.dram_reads && !s.dram_cycles && !s.dram_busy_cycles, "%s", what);
}

static void check_all(const char *what) {
    check_numbers();
    traffic();
    check_counts(what);
    check_report(what, false);
    rig_finish(&r);
    check_counts(what);
    check_report(what, true);
    measured_stats s = rig_stats(&r);
    cr_expect(s.network_request_bytes && s.l1_mshr_cycles && s.dram_reads, "%s", what);
    check_reset(what);
}

Test(timed_components, counted_reported_reset) {
    static const char *const settings[] = {
        "sm.count = 4\nl2.slices = 2\ndram.channels = 2\n",
        "sm.count = 4\nl2.slices = 4\nl2.partitions = 2\ndram.channels = 2\n",
        "sm.count = 4\nl2.slices = 2\nmemory.link_width = 32B\n",
        "sm.count = 4\nl2.slices = 2\nlrc.sms = 2\n",
        "sm.count = 4\nl1.reorder = warp\nl1.mshr_entries = 2\nl1.miss_queue = 1\n",
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        rig_open_dram(&r, settings[i]);
        check_all(settings[i]);
        rig_close(&r);
    }
}

Test(timed_components, coherent) {
    static const char *const settings[] = {
        "sm.count = 4\nl2.slices = 2\n",
        "sm.count = 4\nl2.slices = 2\ncluster.sms = 2\n",
        "sm.count = 4\nl2.slices = 2\ncluster.sms = 2\nmemory.link_width = 32B\n",
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        coherent_open(&r, "nmoesi", settings[i]);
        check_all(settings[i]);
        coherent_close(&r);
    }
}

/* A host that refuses everything is named. */
Test(timed_components, host_that_refuses) {
    char text[1024] = "";
    gpci_text report = gpci_text_of(text, sizeof text);
    rig_open(&r, NULL, 100);
    r.memory.refuse = true;
    rig_issue(&r, LINE(GPC_LOAD, 0));
    rig_steps(&r, 100);
    gpci_groups_report(r.hierarchy->timed, &report);
    cr_expect(strstr(text, "host memory channel 0 has 1 refusal"), "%s", text);
    rig_release(&r);
    rig_finish(&r);
    rig_close(&r);
}

/* The wheel knows when a component is due: an L1 in the cycle after an issue, and none once all is done. */
Test(timed_components, next) {
    rig_open_dram(&r, NULL);
    rig_issue(&r, LINE(GPC_LOAD, 0));
    const gpci_timed *t = r.hierarchy->timed;
    cr_expect_eq(gpci_component_next(t, group(GPCI_GROUP_L1S)->first), rig_now(&r) + 1);
    cr_expect_eq(gpci_component_next(t, group(GPCI_GROUP_SLICES)->first), GPCI_NEVER);
    rig_finish(&r);
    rig_steps(&r, GPCI_WHEEL_SPAN + 1);
    for (uint32_t number = 0; number < t->wheel.components; number++)
        cr_expect_eq(gpci_component_next(t, number), GPCI_NEVER);
    rig_close(&r);
}
