/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "replay/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Throttles in a timed replay: the event that releases a warp wakes the SM in the same cycle. The throttle `gate` holds
 * back the warps of some slots of a scheduler, completely or from memory, until a cycle, an event or a sample. The
 * first instruction of a kernel issues in cycle 1.
 */

#define MOV(pc) pc " ffffffff 1 R5 MOV 0 0\n"
#define MOST_SAMPLES 512u

typedef struct heard {
    measured_stats stats;
    uint64_t cycle;
    uint32_t sm, index;
} heard;

typedef struct gate {
    uint64_t slots, memory, bypassing; /* bitmaps: held back, held back from memory, without a token */
    uint64_t until;                    /* opening cycle, known beforehand */
    unsigned events, samples;          /* count that opens the gate; 0: never */
    bool restless;                     /* asks again in every next cycle */
    unsigned told, sampled;
    uint64_t event_cycle;  /* of the last */
    uint64_t issued[4][8]; /* cycles, by slot */
    unsigned issues[4];
    unsigned asked;
} gate;

static heard samples[MOST_SAMPLES]; /* every test has a separate process */
static unsigned kernels[4];         /* kernels told, by SM */
static char kernel[16];             /* name of the last */

typedef struct self {
    gate *gate;
    uint32_t sm, index;
} self;

static gpc_status init(void *me, const gpc_scheduler_env *env, char *message) {
    (void)message;
    *(self *)me = (self){env->user_data, env->sm, env->index};
    return GPC_OK;
}

static bool open_now(const gate *g, uint64_t cycle) {
    return cycle >= g->until && g->told >= g->events && g->sampled >= g->samples;
}

static void classify(void *me, const gpc_throttle_view *view, gpc_throttle_classes *classes) {
    gate *g = ((self *)me)->gate;
    g->asked++;
    classes->bypassing[0] = g->bypassing;
    if (open_now(g, view->cycle))
        return;
    classes->throttled[0] = g->slots;
    classes->held[0] = g->memory;
    if (g->restless)
        classes->again = view->cycle + 1;
    else if (view->cycle < g->until)
        classes->again = g->until;
}

static bool on_event(void *me, const gpc_cache_event *event) {
    gate *g = ((self *)me)->gate;
    g->event_cycle = event->cycle;
    return ++g->told == g->events;
}

static bool on_sample(void *me, const gpc_stats *lent, uint64_t cycle) {
    measured_stats read;
    const measured_stats *stats = &read;
    measure_sample(lent, &read);
    const self *s = me;
    gate *g = s->gate;
    cr_assert_lt(g->sampled, MOST_SAMPLES);
    samples[g->sampled] = (heard){*stats, cycle, s->sm, s->index};
    return ++g->sampled == g->samples;
}

static bool on_kernel(void *me, const char *name) {
    snprintf(kernel, sizeof kernel, "%s", name);
    kernels[((self *)me)->sm]++;
    return false;
}

static void on_issue(void *me, uint32_t slot, uint64_t cycle) {
    gate *g = ((self *)me)->gate;
    if (slot < 4 && g->issues[slot] < 8)
        g->issued[slot][g->issues[slot]++] = cycle;
}

static rig *open_gate(gate *g) {
    gpc_throttle_ops ops = {.struct_size = sizeof ops,
                            .name = "gate",
                            .summary = "",
                            .source = "",
                            .instance_bytes = sizeof(self),
                            .init = init,
                            .classify = classify,
                            .on_cache_event = g->events ? on_event : NULL,
                            .sample = g->samples ? on_sample : NULL,
                            .on_kernel = on_kernel,
                            .on_issue = on_issue};
    rig *r = rig_open();
    static const char *const settings[][2] = {
        {"mode", "timed"},        {"sm.schedulers", "1"},    {"sm.issue_width", "1"},     {"launch.cycles", "0"},
        {"blocks.interval", "1"}, {"l1.replacement", "lru"}, {"scheduler", "gto + gate"}, {"deadlock.cycles", "20000"}};
    gpc_status status = gpc_context_register_throttle(r->context, &ops, g, NULL, &r->error);
    cr_assert_eq(status, GPC_OK, "%s", r->error.message);
    for (size_t n = 0; n < sizeof settings / sizeof *settings; n++)
        set(r, settings[n][0], settings[n][1]);
    return r;
}

/* Every cycle in one class, also every warp cycle and instruction. */
static void expect_whole(const measured_stats *s) {
    cr_assert_eq(s->scheduler_issued + s->scheduler_empty + s->scheduler_memory_stalls + s->scheduler_unit_stalls +
                     s->scheduler_load_stalls + s->scheduler_latency_stalls + s->scheduler_barrier_stalls +
                     s->scheduler_throttled,
                 s->scheduler_cycles);
    cr_assert_eq(s->sm_cache_warp_cycles + s->sm_bypass_warp_cycles + s->sm_throttled_warp_cycles, s->sm_warp_cycles);
    cr_assert_eq(s->sm_cache_instructions + s->sm_bypass_instructions, s->warp_instructions);
}

static measured_stats run(rig *r) {
    measured_stats stats;
    measured_clear(&stats);
    gpc_status status = run_file(r, "k.traceg", &stats);
    cr_assert_eq(status, GPC_OK, "%s", r->error.message);
    expect_whole(&stats);
    return stats;
}

static measured_stats run_warps(rig *r, unsigned warps, const char *lines) {
    put_kernel(r, "k.traceg", 1, warps, "", lines);
    return run(r);
}

/* Schedulers of all SMs are told of a kernel, once. */
Test(throttles, kernels_are_told) {
    gate g = {.slots = 0};
    rig *r = open_gate(&g);
    set(r, "sm.count", "3");
    run_warps(r, 1, MOV("0000") EXIT("0010"));
    cr_expect(kernels[0] == 1 && kernels[1] == 1 && kernels[2] == 1 && !kernels[3]);
    cr_expect_str_eq(kernel, "k");
    rig_close(r);
}

/* Open from a cycle on: asked again in the cycle, and the warp issues then. */
Test(throttles, from_a_cycle_on) {
    static const uint64_t cycles[] = {0, 1, 2, 3, 63, 64, 65, 1000, 5000};
    for (unsigned n = 0; n < sizeof cycles / sizeof *cycles; n++)
        for (unsigned restless = 0; restless < 2; restless++) {
            gate g = {.slots = 1, .until = cycles[n], .restless = restless};
            uint64_t first = cycles[n] > 1 ? cycles[n] : 1;
            rig *r = open_gate(&g);
            measured_stats s = run_warps(r, 1, MOV("0000") EXIT("0010"));
            cr_expect_eq(s.cycles, first + 1, "until %llu", (unsigned long long)cycles[n]);
            cr_expect(s.scheduler_throttled == first - 1 && s.sm_throttled_warp_cycles == first - 1);
            cr_expect(s.sm_cache_warp_cycles == 2 && s.sm_cache_instructions == 2);
            rig_close(r);
        }
}

/* The n-th sample, in cycle 30 n, opens the gate: a warp issues in the next cycle. Nothing else is due meanwhile. */
Test(throttles, from_a_sample_on) {
    for (unsigned n = 1; n <= 3; n++) {
        gate *g = calloc(1, sizeof *g);
        *g = (gate){.slots = 1, .samples = n};
        rig *r = open_gate(g);
        set(r, "sample.period", "30");
        measured_stats s = run_warps(r, 1, MOV("0000") EXIT("0010"));
        cr_expect(s.cycles == 30 * n + 2 && s.scheduler_throttled == 30 * n && s.sm_throttled_warp_cycles == 30 * n);
        cr_expect_eq(g->sampled, n);
        for (unsigned i = 0; i < g->sampled; i++) {
            const measured_stats *t = &samples[i].stats;
            cr_expect_eq(samples[i].cycle, 30 * (i + 1));
            cr_expect(t->cycles == 30 && t->sm_cycles == 30 && t->sm_active_cycles == 30 && !t->warp_instructions &&
                      t->scheduler_throttled == 30 && t->sm_throttled_warp_cycles == 30 && t->sm_warp_cycles == 30);
        }
        rig_close(r);
        free(g);
    }
}

/*
 * Warp 0 loads, and L1's tags report the miss, opening the gate for warp 1, which issues in the same cycle. In cycle 2
 * warp 0 waits already.
 */
Test(throttles, from_an_event_on) {
    gate g = {.slots = 2, .events = 1};
    rig *r = open_gate(&g);
    put_kernel(r, "k.traceg", 1, 2, "", LOAD("0000", "0x10000") EXIT("0010"));
    measured_stats s = run(r);
    cr_assert_geq(g.told, 1);
    cr_assert(g.issued[0][0] == 1 && g.issues[1] == 2);
    /* both loads miss or hit as pending: the first event is that of warp 0 */
    gate alone = {.slots = 0, .events = 1};
    rig *q = open_gate(&alone);
    put_kernel(q, "k.traceg", 1, 1, "", LOAD("0000", "0x10000") EXIT("0010"));
    run(q);
    cr_assert_gt(alone.event_cycle, 1);
    cr_expect_eq(g.issued[1][0], alone.event_cycle);
    cr_expect_eq(s.scheduler_throttled, alone.event_cycle - 2);
    cr_expect_eq(s.sm_throttled_warp_cycles, alone.event_cycle - 1);
    rig_close(q);
    rig_close(r);
}

/* Held back from memory alone: MOV issues, the load is THROTTLED from the next cycle on, with any issue width. */
Test(throttles, held_from_memory) {
    static const uint64_t cycles[] = {2, 3, 40};
    for (unsigned n = 0; n < 3; n++)
        for (unsigned width = 1; width <= 2; width++) {
            gate g = {.memory = 1, .until = cycles[n]};
            rig *r = open_gate(&g);
            set(r, "sm.issue_width", width == 1 ? "1" : "2");
            measured_stats s = run_warps(r, 1, MOV("0000") LOAD("0010", "0x10000") EXIT("0020"));
            cr_expect(g.issued[0][0] == 1 && g.issued[0][1] == cycles[n], "until %llu, width %u",
                      (unsigned long long)cycles[n], width);
            cr_expect_eq(s.scheduler_throttled, cycles[n] - 2);
            cr_expect(!s.sm_throttled_warp_cycles, "it runs");
            rig_close(r);
        }
}

/* Two computing warps, in sequence: 1, 2 and 3, 4. The second has no token. */
Test(throttles, bypassing_warps) {
    gate g = {.bypassing = 2};
    rig *r = open_gate(&g);
    measured_stats s = run_warps(r, 2, MOV("0000") EXIT("0010"));
    cr_expect(s.cycles == 4 && s.sm_warp_cycles == 6 && s.sm_cache_warp_cycles == 2 && s.sm_bypass_warp_cycles == 4);
    cr_expect(s.sm_cache_instructions == 2 && s.sm_bypass_instructions == 2);
    cr_expect(g.asked >= 4, "two starts, two ends");
    rig_close(r);
}

/* A static limit is a throttle as well: the second warp waits for the first. */
Test(throttles, limit_of_warps) {
    gate g = {0};
    rig *r = open_gate(&g);
    set(r, "scheduler", "gto");
    set(r, "sm.warp_limit", "1");
    measured_stats s = run_warps(r, 2, MOV("0000") EXIT("0010"));
    cr_expect(s.cycles == 4 && s.sm_warp_cycles == 6 && s.sm_throttled_warp_cycles == 2 && s.sm_cache_warp_cycles == 4);
    rig_close(r);
}

static void expect_stuck(gate *g, const char *setting) {
    rig *r = open_gate(g);
    set(r, "deadlock.cycles", "300");
    set(r, "sample.period", setting);
    put_kernel(r, "k.traceg", 1, 2, "", MOV("0000") EXIT("0010"));
    gpc_status status = run_file(r, "k.traceg", NULL);
    expect_error(r, status, GPC_ERROR_STATE, "warp 0 at pc 0x0 (MOV) waits for its throttle, gate");
    expect_error(r, status, GPC_ERROR_STATE, "no progress");
    rig_close(r);
}

/*
 * A gate that never opens is a reported deadlock, whether or not the throttle waits for a sample, an event or another
 * cycle.
 */
Test(throttles, for_ever) {
    gate *g = calloc(1, sizeof *g);
    *g = (gate){.slots = 3, .events = 1};
    expect_stuck(g, "50");
    *g = (gate){.slots = 3, .until = UINT64_MAX};
    expect_stuck(g, "50");
    *g = (gate){.slots = 3, .samples = 400};
    expect_stuck(g, "50");
    cr_expect_eq(g->sampled, 6, "one in 50 of 300 cycles");
    *g = (gate){.slots = 3, .until = UINT64_MAX, .restless = true};
    expect_stuck(g, "50");
    free(g);
}

static bool by_sm(const gpc_counter_info *info) {
    static const char *const names[] = {"sm.",         "scheduler.", "l1.",         "load.",
                                        "round_trip.", "warp_instr", "thread_instr"};
    for (unsigned n = 0; n < sizeof names / sizeof *names; n++)
        if (!strncmp(info->name, names[n], strlen(names[n])))
            return info->buckets == 1 && info->merge == GPC_MERGE_SUM;
    return false;
}

typedef struct series {
    measured_stats stats[64];
    unsigned count;
} series;

static void keep(void *user_data, uint64_t cycle, const gpc_stats *lent) {
    measured_stats read;
    const measured_stats *stats = &read;
    measure_sample(lent, &read);
    series *s = user_data;
    (void)cycle;
    cr_assert_lt(s->count, 64);
    s->stats[s->count++] = *stats;
}

static uint64_t value_of(const measured_stats *stats, const gpc_counter_info *info, size_t bucket) {
    return ((const uint64_t *)(const void *)((const char *)stats + measured_offset(info->id)))[bucket];
}

/*
 * Three SMs of two schedulers, with samples in order at equal cycles: equal for the schedulers of an SM, summing over
 * SMs to the replay's counts of the period; other counters are the whole's.
 */
Test(throttles, samples_of_sms_sum_to_the_whole) {
    enum { SMS = 3, SCHEDULERS = 2, PERIOD = 300 };
    gate *g = calloc(1, sizeof *g);
    series *s = calloc(1, sizeof *s);
    g->samples = MOST_SAMPLES;
    rig *r = open_gate(g);
    set(r, "sm.count", "3");
    set(r, "sm.schedulers", "2");
    set(r, "sample.period", "300");
    g->bypassing = 6; /* warps 1 and 2 of each scheduler */
    gpc_replay *replay = open_replay(r);
    gpc_trace *trace = open_trace(r, "synthetic:stream:64KiB");
    cr_assert_eq(gpc_replay_on_sample(replay, PERIOD, keep, s, NULL), GPC_OK);
    g->until = 0;
    g->samples = 0; /* open */
    measured_stats all = run_kernel(r, replay, trace);
    expect_whole(&all);
    unsigned periods = (unsigned)(all.cycles - 1) / PERIOD;
    cr_assert_gt(periods, 2);
    cr_assert_eq(g->sampled, periods * SMS * SCHEDULERS);
    cr_assert_gt(all.sm_bypass_instructions, 0);
    for (unsigned p = 0; p < periods; p++)
        for (size_t i = 0; i < gpc_counter_table_count(GPC_TABLE_HIERARCHY); i++) {
            gpc_counter_info info = GPC_COUNTER_INFO_INIT;
            gpc_counter_table_at(GPC_TABLE_HIERARCHY, i, &info, NULL);
            for (size_t b = 0; !info.ratio && b < info.buckets; b++) {
                /* counters absent for a host are 0 for a policy */
                uint64_t sum = 0, told = value_of(&s->stats[p], &info, b), whole = told == GPC_ABSENT ? 0 : told;
                for (unsigned n = 0; n < SMS * SCHEDULERS; n++) {
                    const heard *h = &samples[p * SMS * SCHEDULERS + n];
                    uint64_t value = value_of(&h->stats, &info, b);
                    cr_assert(h->cycle == (p + 1) * PERIOD && h->sm == n / SCHEDULERS && h->index == n % SCHEDULERS);
                    cr_assert_eq(value, value_of(&(h - n % SCHEDULERS)->stats, &info, b), "%s", info.name);
                    cr_assert(by_sm(&info) || value == whole, "%s, period %u", info.name, p);
                    sum += n % SCHEDULERS ? 0 : value;
                }
                cr_assert(!by_sm(&info) || sum == whole, "%s, period %u: %llu of %llu", info.name, p,
                          (unsigned long long)sum, (unsigned long long)whole);
            }
        }
    gpc_trace_close(trace);
    gpc_replay_destroy(replay);
    rig_close(r);
    free(g);
    free(s);
}

/* A sample without a decision changes nothing. */
Test(throttles, sampling_is_no_event) {
    gate *g = calloc(1, sizeof *g);
    g->samples = MOST_SAMPLES;
    rig *r = open_gate(g);
    g->samples = 0;
    measured_stats plain, sampled;
    measured_clear(&plain);
    measured_clear(&sampled);
    static const char *const work = "synthetic:stream:64KiB";
    set(r, "scheduler", "gto");
    cr_assert_eq(run_file(r, work, &plain), GPC_OK, "%s", r->error.message);
    set(r, "scheduler", "gto + gate");
    set(r, "sample.period", "77");
    cr_assert_eq(run_file(r, work, &sampled), GPC_OK, "%s", r->error.message);
    cr_assert_eq(g->sampled, (sampled.cycles - 1) / 77);
    expect_same_stats(&plain, &sampled);
    rig_close(r);
    free(g);
}

/* A functional replay has no schedulers, and so no throttles. */
Test(throttles, functional) {
    gate g = {.slots = 3, .until = UINT64_MAX};
    rig *r = open_gate(&g);
    set(r, "mode", "functional");
    measured_stats stats;
    measured_clear(&stats);
    put_kernel(r, "k.traceg", 1, 2, "", MOV("0000") EXIT("0010"));
    cr_assert_eq(run_file(r, "k.traceg", &stats), GPC_OK, "%s", r->error.message);
    cr_assert(stats.warp_instructions == 4 && !g.asked && stats.sm_cache_instructions == GPC_ABSENT);
    rig_close(r);
}
