/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "replay/rig.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* `l1.future`: every request through L1 tells the next use of the line. */

#define MOST 20000u
#define SMS 3u

typedef struct stream {
    uint64_t addresses[MOST], next_uses[MOST];
    size_t count;
} stream;

typedef struct recorder {
    stream *stream;
} recorder;

static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    (void)message;
    ((recorder *)self)->stream = (stream *)env->user_data + env->index;
    return GPC_OK;
}

static void record(void *self, uint32_t set, const gpc_request *request) {
    (void)set;
    stream *s = ((recorder *)self)->stream;
    cr_assert_lt(s->count, MOST);
    s->addresses[s->count] = request->address;
    s->next_uses[s->count++] = request->policy.next_use;
}

static void on_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)way;
    record(self, set, request);
}

static uint32_t first_way(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)self, (void)set, (void)candidates, (void)request;
    return 0;
}

/* An L1 recording requests, with one set of two ways. */
static rig *open_recording(stream *streams) {
    static gpc_replacement_ops ops = {.struct_size = sizeof ops,
                                      .name = "record",
                                      .summary = "",
                                      .source = "",
                                      .instance_bytes = sizeof(recorder),
                                      .init = init,
                                      .on_hit = on_hit,
                                      .on_miss = record,
                                      .choose_victim = first_way};
    rig *r = rig_open();
    gpc_status status = gpc_context_register_replacement(r->context, &ops, streams, NULL, &r->error);
    cr_assert_eq(status, GPC_OK, "%s", r->error.message);
    set(r, "l1.replacement", "record");
    set(r, "l1.sectors", "1");
    set(r, "l1.size", "256B");
    set(r, "l1.ways", "2");
    set(r, "l1.future", "true");
    return r;
}

#define STORE(pc, address) pc " ffffffff 0 STG.E 2 R1 R3 4 1 " address " 4\n"
#define ATOMIC(pc, address) pc " ffffffff 0 RED.E.ADD 2 R1 R3 4 1 " address " 4\n"
#define NEVER UINT64_MAX

static void expect_uses(const stream *s, size_t count, const uint64_t *expected) {
    cr_assert_eq(s->count, count);
    for (size_t i = 0; i < count; i++)
        cr_expect_eq(s->next_uses[i], expected[i], "access %zu: %llu", i, (unsigned long long)s->next_uses[i]);
}

/* The example of lib/level/access/future.h. */
Test(future, a_store_that_evicts_ends_a_line) {
    stream *s = calloc(1, sizeof *s);
    rig *r = open_recording(s);
    set(r, "l1.write_policy", "evict");
    put_kernel(r, "k.traceg", 1, 1, "",
               LOAD("0000", "0x1000") LOAD("0010", "0x2000") LOAD("0020", "0x1000") STORE("0030", "0x1000")
                   LOAD("0040", "0x1000") EXIT("0050"));
    cr_assert_eq(run_file(r, "k.traceg", NULL), GPC_OK, "%s", r->error.message);
    expect_uses(s, 5, (const uint64_t[]){2, NEVER, NEVER, 4, NEVER});
    rig_close(r);
    free(s);
}

Test(future, a_store_that_passes_is_no_use_and_one_that_allocates_is) {
    for (unsigned allocates = 0; allocates < 2; allocates++) {
        stream *s = calloc(1, sizeof *s);
        rig *r = open_recording(s);
        set(r, "l1.write_policy", "through");
        set(r, "l1.write_allocate", allocates ? "fetch" : "none");
        put_kernel(r, "k.traceg", 1, 1, "",
                   LOAD("0000", "0x1000") STORE("0010", "0x1000") LOAD("0020", "0x1000") STORE("0030", "0x1000")
                       EXIT("0050"));
        cr_assert_eq(run_file(r, "k.traceg", NULL), GPC_OK, "%s", r->error.message);
        if (allocates)
            expect_uses(s, 4, (const uint64_t[]){1, 2, 3, NEVER});
        else
            expect_uses(s, 4, (const uint64_t[]){2, 2, NEVER, NEVER});
        rig_close(r);
        free(s);
    }
}

/* An atomic is performed at L2 and drops the line; L1's policy is not asked. */
Test(future, an_atomic_ends_a_line) {
    stream *s = calloc(1, sizeof *s);
    rig *r = open_recording(s);
    put_kernel(r, "k.traceg", 1, 1, "",
               LOAD("0000", "0x1000") LOAD("0010", "0x1000") ATOMIC("0020", "0x1000") LOAD("0030", "0x1000")
                   EXIT("0050"));
    cr_assert_eq(run_file(r, "k.traceg", NULL), GPC_OK, "%s", r->error.message);
    expect_uses(s, 3, (const uint64_t[]){1, NEVER, NEVER});
    rig_close(r);
    free(s);
}

/* Blocks of warps with barriers, on several SMs, more than fit at once; two kernels. */
static void put_random_kernel(rig *r, const char *name, unsigned seed) {
    srand(seed);
    begin_kernel(r, name, 11, 96, "");
    for (unsigned b = 0; b < 11; b++) {
        begin_block(r, b);
        for (unsigned w = 0; w < 3; w++) {
            char text[8192];
            size_t length = 0;
            for (unsigned n = 0; n < 40; n++) {
                if (n % 15 == 14)
                    length += (size_t)snprintf(text + length, sizeof text - length, BARRIER("%04x"), n * 16);
                else if (rand() % 4)
                    length += (size_t)snprintf(text + length, sizeof text - length, LOAD("%04x", "0x%x"), n * 16,
                                               0x1000 + rand() % 30 * 128);
                else
                    length += (size_t)snprintf(text + length, sizeof text - length, "%04x ffffffff 1 R1 IADD3 1 R1 0\n",
                                               n * 16);
            }
            snprintf(text + length, sizeof text - length, EXIT("%04x"), 40 * 16);
            put_warp(r, w, text);
        }
        end_block(r);
    }
    end_kernel(r);
}

/* Compare predictions with later events, SM by SM. */
Test(future, what_is_said_comes_true) {
    stream *streams = calloc(SMS, sizeof *streams);
    rig *r = open_recording(streams);
    set(r, "sm.count", "3");
    put_random_kernel(r, "kernel-1.traceg", 1);
    put_random_kernel(r, "kernel-2.traceg", 2);
    gpc_replay *replay = open_replay(r);
    gpc_trace *trace = open_trace(r, "");
    size_t begins[SMS] = {0};
    for (unsigned k = 0; k < 2; k++) {
        run_kernel(r, replay, trace);
        for (unsigned sm = 0; sm < SMS; sm++) {
            const stream *s = &streams[sm];
            cr_assert_gt(s->count, begins[sm] + 100);
            for (size_t i = begins[sm]; i < s->count; i++) {
                size_t next = i + 1;
                while (next < s->count && s->addresses[next] != s->addresses[i])
                    next++;
                cr_assert_eq(s->next_uses[i], next < s->count ? next : NEVER, "kernel %u, SM %u, access %zu", k, sm, i);
            }
            begins[sm] = s->count;
        }
    }
    gpc_trace_close(trace);
    gpc_replay_destroy(replay);
    rig_close(r);
    free(streams);
}

/* After a dry run a kernel runs as without one, to the end or to a limit. */
Test(future, the_dry_run_leaves_no_trace) {
    static const char *const limits[] = {"0", "100", "777"};
    for (unsigned n = 0; n < 3; n++) {
        rig *r = rig_open();
        measured_stats without, with;
        measured_clear(&without);
        measured_clear(&with);
        set(r, "sm.count", "3");
        set(r, "l1.size", "512B");
        set(r, "limit.instructions", limits[n]);
        put_random_kernel(r, "k.traceg", 3);
        cr_assert_eq(run_file(r, "k.traceg", &without), GPC_OK, "%s", r->error.message);
        unsigned events = r->count;
        set(r, "l1.future", "true");
        cr_assert_eq(run_file(r, "k.traceg", &with), GPC_OK, "%s", r->error.message);
        cr_expect_gt(with.l1_oracle_decisions, 0);
        with.l1_oracle_decisions = with.l1_oracle_bypasses = GPC_ABSENT;
        with.l1_oracle_agreements = with.l1_oracle_agreed_bypasses = GPC_ABSENT;
        cr_expect_eq(r->count, events, "policies saw %u and not %u events", r->count, events);
        expect_same_stats(&without, &with);
        rig_close(r);
    }
}

/* Two ways: of A B C A B C the optimum hits A and C (lib/policies/replacement/opt.c), LRU none. */
Test(future, optimum_by_hand) {
    static const char *const policies[] = {"lru", "opt", "opt-bypass"};
    static const uint64_t hits[] = {0, 2, 2};
    rig *r = open_recording(NULL);
    put_kernel(r, "k.traceg", 1, 1, "",
               LOAD("0000", "0x1000") LOAD("0010", "0x2000") LOAD("0020", "0x3000") LOAD("0030", "0x1000")
                   LOAD("0040", "0x2000") LOAD("0050", "0x3000") EXIT("0060"));
    for (unsigned n = 0; n < 3; n++) {
        measured_stats stats;
        measured_clear(&stats);
        set(r, "l1.replacement", policies[n]);
        cr_assert_eq(run_file(r, "k.traceg", &stats), GPC_OK, "%s", r->error.message);
        cr_expect_eq(stats.l1_load_sector_hits, hits[n] * 4, "%s", policies[n]);
    }
    rig_close(r);
}

/* Predictors of a hierarchy compared with the oracle: a decision per miss. */
Test(future, an_oracle_beside_the_predictors) {
    rig *r = rig_open();
    set(r, "sm.count", "3");
    set(r, "l1.size", "512B");
    set(r, "l1.sectors", "1");
    set(r, "l1.replacement", "lru");
    put_random_kernel(r, "k.traceg", 5);
    for (unsigned n = 0; n < 6; n++) {
        static const char *const predictors[] = {"always-cache", "always-bypass", "hint"};
        measured_stats s;
        measured_clear(&s);
        set(r, "l1.bypass", predictors[n % 3]);
        set(r, "l1.future", n < 3 ? "false" : "true");
        cr_assert_eq(run_file(r, "k.traceg", &s), GPC_OK, "%s", r->error.message);
        cr_expect_eq(s.l1_oracle_decisions, n < 3 ? GPC_ABSENT : s.l1_load_lines - s.l1_load_sector_hits / 4, "%u", n);
        if (n < 3)
            continue;
        cr_expect_gt(s.l1_oracle_bypasses, 0);
        cr_expect_lt(s.l1_oracle_bypasses, s.l1_oracle_decisions);
        cr_expect_eq(s.l1_oracle_agreed_bypasses, n == 4 ? s.l1_oracle_bypasses : 0, "%u", n);
    }
    rig_close(r);
}

/* No policy hits more than the bypassing optimum, nor, without bypassing, than the optimum without. */
Test(future, nothing_beats_the_optimum) {
    rig *r = rig_open();
    set(r, "sm.count", "3");
    set(r, "l1.size", "1KiB");
    set(r, "l1.ways", "4");
    set(r, "l1.sectors", "1");
    set(r, "l1.future", "true");
    put_random_kernel(r, "k.traceg", 4);
    static const char *const policies[] = {"opt-bypass", "opt", "lru", "mru", "bip", "srrip", "random", "age-lru"};
    uint64_t hits[8];
    for (unsigned n = 0; n < 8; n++) {
        measured_stats stats;
        measured_clear(&stats);
        set(r, "l1.replacement", policies[n]);
        cr_assert_eq(run_file(r, "k.traceg", &stats), GPC_OK, "%s", r->error.message);
        hits[n] = stats.l1_load_lines - stats.l1_fetched_sectors / 4; /* a miss fetches a line of four segments */
        cr_expect_leq(hits[n], hits[n < 2 ? 0 : 1], "%s", policies[n]);
    }
    cr_expect_gt(hits[1], hits[2]);
    rig_close(r);
}

Test(future, who_is_refused) {
    static const char *const cases[][5] = {
        {"l1.replacement", "opt", "mode", "functional", "l1.future"},
        {"l1.replacement", "opt-bypass", "mode", "timed", "l1.future"},
        {"l1.future", "true", "mode", "timed", "l1.future"},
        {"l2.replacement", "opt", "l1.future", "true", "l2.replacement"},
        {"l1.replacement", "vote(lru, opt)", "l1.future", "true", "knows the future"},
    };
    for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
        rig *r = rig_open();
        set(r, cases[n][0], cases[n][1]);
        set(r, cases[n][2], cases[n][3]);
        gpc_hierarchy *h = NULL;
        gpc_status status = gpc_hierarchy_create(r->context, r->config, &h, &r->error);
        cr_expect(status == GPC_ERROR_ARGUMENT || status == GPC_ERROR_UNSUPPORTED, "%u: %d", n, status);
        cr_expect(strstr(r->error.message, cases[n][4]), "%u: %s", n, r->error.message);
        rig_close(r);
    }
    /* wrong: policies at a missing level, and the future without a user */
    rig *r = rig_open();
    set(r, "l2.enabled", "false");
    set(r, "l2.replacement", "opt");
    set(r, "l1.future", "true");
    gpc_hierarchy *h = NULL;
    cr_assert_eq(gpc_hierarchy_create(r->context, r->config, &h, &r->error), GPC_OK, "%s", r->error.message);
    /* but a host's accesses have no future */
    uint64_t address = 0x1000;
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    access.mask = 1;
    access.addresses = &address;
    access.width = 4;
    cr_expect_eq(gpc_hierarchy_access(h, &access, NULL, NULL), GPC_ERROR_STATE);
    gpc_hierarchy_destroy(h);
    rig_close(r);
}
