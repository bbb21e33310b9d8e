/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "replay/rig.h"

#include <criterion/criterion.h>
#include <string.h>

/* Samples for policies per period (`sample.period`): instructions, activity and reads of the policy's SM. */

#define MOST 64u

typedef struct heard {
    gpc_sample samples[MOST];
    uint32_t caches[MOST]; /* caches of the samples */
    unsigned count;
} heard;

typedef struct listener {
    heard *heard;
    uint32_t cache;
} listener;

static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    (void)message;
    *(listener *)self = (listener){env->user_data, env->index};
    return GPC_OK;
}

static uint32_t first_way(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)self, (void)set, (void)candidates, (void)request;
    return 0;
}

static void on_sample(void *self, const gpc_sample *sample) {
    const listener *l = self;
    cr_assert_lt(l->heard->count, MOST);
    l->heard->caches[l->heard->count] = l->cache;
    l->heard->samples[l->heard->count++] = *sample;
}

/* Two SMs with listening L1s. */
static rig *open_listening(heard *h, const char *mode, const char *period) {
    static gpc_replacement_ops ops = {.struct_size = sizeof ops,
                                      .name = "listen",
                                      .summary = "",
                                      .source = "",
                                      .instance_bytes = sizeof(listener),
                                      .init = init,
                                      .choose_victim = first_way,
                                      .on_sample = on_sample};
    rig *r = rig_open();
    memset(h, 0, sizeof *h);
    gpc_status status = gpc_context_register_replacement(r->context, &ops, h, NULL, &r->error);
    cr_assert_eq(status, GPC_OK, "%s", r->error.message);
    set(r, "mode", mode);
    set(r, "sm.count", "2");
    set(r, "sm.latency_alu", "18");
    set(r, "l1.replacement", "listen");
    set(r, "l1.sectors", "1");
    set(r, "l1.fetch_sectors", "1");
    set(r, "sample.period", period);
    return r;
}

static void expect_sample(const heard *h, unsigned n, uint32_t cache, gpc_sample expected) {
    cr_assert_lt(n, h->count);
    const gpc_sample *s = &h->samples[n];
    cr_expect(h->caches[n] == cache && !memcmp(s, &expected, sizeof *s),
              "%u: cache %u, cycle %llu, cycles %llu, active %llu, instructions %llu, reads %llu, hits %llu", n,
              h->caches[n], (unsigned long long)s->cycle, (unsigned long long)s->cycles,
              (unsigned long long)s->active_cycles, (unsigned long long)s->instructions, (unsigned long long)s->reads,
              (unsigned long long)s->read_hits);
}

#define MOV(pc) pc " ffffffff 1 R1 MOV 0 0\n"
#define ADD(pc) pc " ffffffff 1 R1 IADD3 1 R1 0\n"
/* issue in cycles 1, 19, 37, 55, 73 and 74 of a kernel */
#define CHAIN MOV("0000") ADD("0010") ADD("0020") ADD("0030") ADD("0040") EXIT("0050")

/* Cycles 1 to 30 and 31 to 60; then 14 of the first kernel and 16 of the second. SM 1 has no block. */
Test(samples, periods_of_a_timed_replay) {
    heard h;
    rig *r = open_listening(&h, "timed", "30");
    put_kernel(r, "kernel-1.traceg", 1, 1, "", CHAIN);
    put_kernel(r, "kernel-2.traceg", 1, 1, "", CHAIN);
    gpc_replay *replay = open_replay(r);
    gpc_trace *trace = open_trace(r, "");
    cr_assert_eq(run_kernel(r, replay, trace).cycles, 74);
    cr_assert_eq(h.count, 4);
    expect_sample(&h, 0, 0, (gpc_sample){sizeof(gpc_sample), 30, 30, 30, 2, 0, 0});
    expect_sample(&h, 1, 1, (gpc_sample){sizeof(gpc_sample), 30, 30, 0, 0, 0, 0});
    expect_sample(&h, 2, 0, (gpc_sample){sizeof(gpc_sample), 60, 30, 30, 2, 0, 0});
    expect_sample(&h, 3, 1, (gpc_sample){sizeof(gpc_sample), 60, 30, 0, 0, 0, 0});
    run_kernel(r, replay, trace);
    cr_assert_eq(h.count, 8);
    expect_sample(&h, 4, 0, (gpc_sample){sizeof(gpc_sample), 90, 30, 30, 3, 0, 0});
    gpc_trace_close(trace);
    gpc_replay_destroy(replay);
    rig_close(r);
}

/* Turns: a load; a load, the sample; an instruction and a load; the end, the sample. One line: a miss, then hits. */
Test(samples, rounds_of_a_functional_replay) {
    heard h;
    rig *r = open_listening(&h, "functional", "2");
    put_kernel(r, "k.traceg", 1, 1, "",
               LOAD("0000", "0x1000") LOAD("0010", "0x1000") MOV("0020") LOAD("0030", "0x1000") EXIT("0040"));
    cr_assert_eq(run_file(r, "k.traceg", NULL), GPC_OK, "%s", r->error.message);
    cr_assert_eq(h.count, 4);
    expect_sample(&h, 0, 0, (gpc_sample){sizeof(gpc_sample), 0, 0, 2, 2, 2, 1});
    expect_sample(&h, 1, 1, (gpc_sample){sizeof(gpc_sample), 0, 0, 0, 0, 0, 0});
    expect_sample(&h, 2, 0, (gpc_sample){sizeof(gpc_sample), 0, 0, 2, 3, 1, 1});
    rig_close(r);
}

/* With any period, counts are complete and not doubled, and the run is unchanged. */
Test(samples, add_up) {
    for (unsigned timed = 0; timed < 2; timed++) {
        heard h;
        measured_stats without, with;
        measured_clear(&without);
        measured_clear(&with);
        rig *r = open_listening(&h, timed ? "timed" : "functional", "1000000");
        put_kernel(r, "k.traceg", 5, 3, "", LOAD("0000", "0x1000") ADD("0010") LOAD("0020", "0x9000") EXIT("0030"));
        cr_assert_eq(run_file(r, "k.traceg", &without), GPC_OK, "%s", r->error.message);
        cr_assert_eq(h.count, 0);
        set(r, "sample.period", timed ? "100" : "1");
        cr_assert_eq(run_file(r, "k.traceg", &with), GPC_OK, "%s", r->error.message);
        expect_same_stats(&without, &with);
        cr_assert_gt(h.count, 3);
        uint64_t instructions = 0, active = 0, reads = 0;
        for (unsigned n = 0; n < h.count; n++) {
            cr_expect_eq(h.caches[n], n % 2);
            instructions += h.samples[n].instructions;
            active += h.samples[n].active_cycles;
            reads += h.samples[n].reads;
        }
        cr_expect_leq(instructions, with.warp_instructions);
        if (timed) {
            cr_expect_leq(active, with.sm_active_cycles);
            cr_expect_geq(active + 2 * 100, with.sm_active_cycles, "but for the last period");
        } else {
            cr_expect_eq(instructions, with.warp_instructions);
            cr_expect_eq(reads, 5 * 3 * 2);
        }
        rig_close(r);
    }
}
