/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "replay/rig.h"

#include <criterion/criterion.h>
#include <string.h>

/* Timed replay as a whole: kernels in sequence, limits, samples, cancelling, and no progress. */

#define WORK "synthetic:stream:64KiB"
#define MOV(pc) pc " ffffffff 1 R1 MOV 0 0\n"

static rig *open_timed(void) {
    rig *r = rig_open();
    set(r, "mode", "timed");
    set(r, "sm.count", "4");
    set(r, "sm.blocks", "4");
    set(r, "l1.replacement", "lru");
    return r;
}

/* Every cycle of 4 SMs of 2 schedulers is in one class. */
static void expect_classes(const measured_stats *s) {
    cr_assert_eq(s->scheduler_issued + s->scheduler_empty + s->scheduler_memory_stalls + s->scheduler_unit_stalls +
                     s->scheduler_load_stalls + s->scheduler_latency_stalls + s->scheduler_barrier_stalls +
                     s->scheduler_throttled,
                 s->scheduler_cycles);
    cr_assert_eq(s->scheduler_cycles, s->sm_cycles * 2);
    cr_assert_eq(s->sm_cycles, s->cycles * 4);
}

static void expect_whole(const measured_stats *s) {
    expect_classes(s);
    cr_assert_eq(s->accepted, s->completed);
}

static const char *const kernels[] = {"synthetic:vectoradd:256KiB", "synthetic:transpose-naive:256KiB",
                                      "synthetic:stream:256KiB"};

Test(timed, same_each_time) {
    static const char *const schedulers[] = {"lrr", "gto", "two-level"};
    for (size_t k = 0; k < 3; k++) {
        rig *r = open_timed();
        set(r, "scheduler", schedulers[k]);
        measured_stats first, second;
        measured_clear(&first);
        measured_clear(&second);
        cr_assert_eq(run_file(r, kernels[k], &first), GPC_OK, "%s", r->error.message);
        cr_assert_eq(run_file(r, kernels[k], &second), GPC_OK, "%s", r->error.message);
        expect_same_stats(&first, &second);
        expect_whole(&first);
        rig_close(r);
    }
}

/* Counts independent of time equal counts without a clock. */
Test(timed, counts_as_functional) {
    for (size_t k = 0; k < 3; k++) {
        rig *r = open_timed();
        measured_stats timed, functional;
        measured_clear(&timed);
        measured_clear(&functional);
        cr_assert_eq(run_file(r, kernels[k], &timed), GPC_OK, "%s", r->error.message);
        set(r, "mode", "functional");
        cr_assert_eq(run_file(r, kernels[k], &functional), GPC_OK, "%s", r->error.message);
        cr_assert_eq(timed.warp_instructions, functional.warp_instructions);
        cr_assert_eq(timed.thread_instructions, functional.thread_instructions);
        cr_assert_eq(timed.blocks, functional.blocks);
        cr_assert_eq(timed.l1_load_sectors, functional.l1_load_sectors);
        cr_assert_eq(timed.l1_store_sectors, functional.l1_store_sectors);
        cr_assert_eq(timed.kernels, 1);
        cr_assert(functional.cycles == GPC_ABSENT && functional.scheduler_cycles == GPC_ABSENT);
        rig_close(r);
    }
}

/* The second kernel is as long as the first if caches are emptied, otherwise shorter; the sums agree. */
Test(timed, kernels_in_sequence) {
    for (int keep = 0; keep < 2; keep++) {
        rig *r = open_timed();
        set(r, "kernels.flush", keep ? "none" : "all");
        for (int k = 1; k <= 2; k++)
            put_kernel(r, k == 1 ? "kernel-1.traceg" : "kernel-2.traceg", 1, 1, "",
                       LOAD("0000", "0x1000") EXIT("0010"));
        write_text(r, "kernelslist.g", "kernel-1.traceg\nkernel-2.traceg\n");
        gpc_replay *replay = open_replay(r);
        gpc_trace *trace = open_trace(r, "kernelslist.g");
        measured_stats first = run_kernel(r, replay, trace), second = run_kernel(r, replay, trace), whole;
        expect_whole(&first);
        expect_whole(&second);
        cr_assert_eq(second.l1_load_sector_hits, keep ? 4 : 0);
        cr_assert(keep ? second.cycles < first.cycles : second.cycles > 100);
        measured_clear(&whole);
        cr_assert_eq(measure_total(replay, &whole), GPC_OK);
        measured_add(&first, &second);
        expect_same_stats(&first, &whole);
        gpc_trace_close(trace);
        gpc_replay_destroy(replay);
        rig_close(r);
    }
}

typedef struct series {
    measured_stats sum;
    uint64_t cycles[4096]; /* of each sample */
    uint64_t last;
    unsigned count;
} series;

static void keep_sample(void *user_data, uint64_t cycle, const gpc_stats *lent) {
    measured_stats read;
    const measured_stats *stats = &read;
    measure_sample(lent, &read);
    series *s = user_data;
    cr_assert_lt(s->count, 4096);
    cr_assert_gt(cycle, s->last);
    s->last = cycle;
    s->cycles[s->count++] = stats->cycles;
    expect_classes(stats);
    measured_add(&s->sum, stats);
}

/* Samples of 100 cycles and a remainder make up the kernel, without effect. */
Test(timed, samples) {
    rig *r = open_timed();
    measured_stats plain;
    measured_clear(&plain);
    cr_assert_eq(run_file(r, WORK, &plain), GPC_OK, "%s", r->error.message);
    gpc_replay *replay = open_replay(r);
    gpc_trace *trace = open_trace(r, WORK);
    static series s;
    measured_clear(&s.sum);
    cr_assert_eq(gpc_replay_on_sample(replay, 0, keep_sample, &s, NULL), GPC_ERROR_ARGUMENT);
    cr_assert_eq(gpc_replay_on_sample(NULL, 100, keep_sample, &s, NULL), GPC_ERROR_ARGUMENT);
    cr_assert_eq(gpc_replay_on_sample(replay, 100, keep_sample, &s, NULL), GPC_OK);
    measured_stats stats = run_kernel(r, replay, trace);
    expect_same_stats(&stats, &plain);
    expect_same_stats(&stats, &s.sum);
    cr_assert_eq(s.count, (stats.cycles + 99) / 100);
    for (unsigned n = 0; n + 1 < s.count; n++)
        cr_assert_eq(s.cycles[n], 100, "sample %u", n);
    cr_assert_eq(s.cycles[s.count - 1], stats.cycles - 100 * (s.count - 1));
    cr_assert_eq(gpc_replay_on_sample(replay, 0, NULL, NULL, NULL), GPC_OK);
    gpc_trace_close(trace);
    gpc_replay_destroy(replay);
    rig_close(r);
}

/* Cut short: no error, all accepted accesses complete, and the next kernel runs as usual. */
Test(timed, limit_of_cycles) {
    rig *r = open_timed();
    measured_stats plain, cut;
    measured_clear(&plain);
    measured_clear(&cut);
    cr_assert_eq(run_file(r, WORK, &plain), GPC_OK, "%s", r->error.message);
    cr_assert_gt(plain.cycles, 400);
    set(r, "limit.cycles", "300");
    cr_assert_eq(run_file(r, WORK, &cut), GPC_OK, "%s", r->error.message);
    expect_whole(&cut);
    cr_assert_eq(cut.cycles, 300);
    cr_assert_lt(cut.warp_instructions, plain.warp_instructions);
    cr_assert_gt(cut.warp_instructions, 0);
    set(r, "limit.cycles", "1000000000");
    cr_assert_eq(run_file(r, WORK, &cut), GPC_OK, "%s", r->error.message);
    expect_same_stats(&cut, &plain);
    rig_close(r);
}

Test(timed, limit_of_instructions) {
    rig *r = open_timed();
    set(r, "limit.instructions", "37");
    gpc_replay *replay = open_replay(r);
    for (int n = 0; n < 2; n++) {
        gpc_trace *trace = open_trace(r, WORK);
        measured_stats stats = run_kernel(r, replay, trace);
        expect_whole(&stats);
        cr_assert_eq(stats.warp_instructions, 37);
        cr_assert_leq(stats.scheduler_issued, 37);
        gpc_trace_close(trace);
    }
    gpc_replay_destroy(replay);
    rig_close(r);
}

/* A limit that the SMs of two threads could pass within a cycle: 4 SMs of 4 schedulers that issue 2 instructions. */
Test(timed, limit_within_a_cycle) {
    static const char *const threads[] = {"1", "2"};
    for (unsigned limit = 1; limit < 80; limit += 3)
        for (size_t n = 0; n < 2; n++) {
            char text[16];
            snprintf(text, sizeof text, "%u", limit);
            rig *r = open_timed();
            set(r, "threads", threads[n]);
            set(r, "sm.schedulers", "4");
            set(r, "sm.issue_width", "2");
            set(r, "limit.instructions", text);
            put_kernel(r, "k.traceg", 4, 8, "", MOV("0000") MOV("0010") MOV("0020") MOV("0030") EXIT("0040"));
            measured_stats stats;
            measured_clear(&stats);
            cr_assert_eq(run_file(r, "k.traceg", &stats), GPC_OK, "%s", r->error.message);
            cr_expect_eq(stats.warp_instructions, limit, "%u and not %u, %s threads", (unsigned)stats.warp_instructions,
                         limit, threads[n]);
            rig_close(r);
        }
}

static bool count(void *user_data, const gpc_progress *progress) {
    uint64_t *calls = user_data;
    cr_expect_lt(progress->warp_instructions, 1000000);
    ++*calls;
    return true;
}

/* The callback is called after 16,384 cycles with work, at most all cycles. */
Test(timed, progress) {
    rig *r = open_timed();
    gpc_replay *replay = open_replay(r);
    gpc_trace *trace = open_trace(r, "synthetic:vectoradd:4MiB");
    uint64_t calls = 0;
    gpc_replay_on_progress(replay, count, &calls);
    const measured_stats stats = run_kernel(r, replay, trace);
    cr_expect(calls >= 2 && calls <= stats.cycles / 16384, "%llu calls in %llu cycles", (unsigned long long)calls,
              (unsigned long long)stats.cycles);
    gpc_trace_close(trace);
    gpc_replay_destroy(replay);
    rig_close(r);
}

/* With a clock the callback comes long before a million instructions. */
static bool refuse(void *user_data, const gpc_progress *progress) {
    *(uint64_t *)user_data = progress->warp_instructions;
    return false;
}

Test(timed, cancel) {
    rig *r = open_timed();
    gpc_replay *replay = open_replay(r);
    gpc_trace *trace = open_trace(r, "synthetic:vectoradd:64MiB");
    uint64_t told = 0;
    gpc_replay_on_progress(replay, refuse, &told);
    expect_error(r, gpc_replay_kernel(replay, trace, NULL, &r->error), GPC_ERROR_CANCELLED, "vectoradd");
    cr_assert(told > 1000 && told < 500000, "%llu", (unsigned long long)told);
    measured_stats total;
    measured_clear(&total);
    cr_assert_eq(measure_total(replay, &total), GPC_OK);
    expect_whole(&total);
    cr_assert_eq(total.warp_instructions, told, "what had run is counted");
    gpc_trace_close(trace);
    gpc_replay_on_progress(replay, NULL, NULL);
    trace = open_trace(r, WORK);
    measured_stats after = run_kernel(r, replay, trace), fresh;
    expect_whole(&after);
    measured_clear(&fresh);
    cr_assert_eq(run_file(r, WORK, &fresh), GPC_OK);
    cr_assert_eq(after.warp_instructions, fresh.warp_instructions, "the replay goes on");
    gpc_trace_close(trace);
    gpc_replay_destroy(replay);
    rig_close(r);
}

/* The host's memory takes reads and never answers. */
static bool swallow(void *user_data, const gpc_memory_request *request) {
    (void)request;
    ++*(unsigned *)user_data;
    return true;
}

/*
 * On one SM three blocks of two warps: a warp waits for a load, the block's other warp at a barrier. Four warps are
 * named with block, number within the block, and reason.
 */
Test(timed, deadlock_names_who_waits) {
    rig *r = open_timed();
    set(r, "sm.count", "1");
    set(r, "deadlock.cycles", "700");
    begin_kernel(r, "k.traceg", 3, 64, "");
    for (unsigned b = 0; b < 3; b++) {
        begin_block(r, b);
        put_warp(r, 0, BARRIER("0150") EXIT("0160"));
        put_warp(r, 1, LOAD("0240", "0x1000") "0250 ffffffff 1 R3 IADD3 1 R1 0\n" BARRIER("0260") EXIT("0270"));
        end_block(r);
    }
    end_kernel(r);
    gpc_replay *replay = open_replay(r);
    gpc_trace *trace = open_trace(r, "k.traceg");
    unsigned reads = 0;
    gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
    callbacks.user_data = &reads;
    callbacks.on_memory = swallow;
    cr_assert_eq(gpc_hierarchy_set_callbacks(gpc_replay_hierarchy(replay), &callbacks, NULL), GPC_OK);
    gpc_status status = gpc_replay_kernel(replay, trace, NULL, &r->error);
    expect_error(r, status, GPC_ERROR_STATE,
                 "k.traceg: no progress since cycle 3 of the kernel, now 12: "
                 "SM 0, block 0, warp 0 at pc 0x160 (EXIT) waits for its block at a barrier, 1 of 2 warps there; "
                 "SM 0, block 0, warp 1 at pc 0x250 (IADD3) waits for R1, with 1 loads in flight; "
                 "SM 0, block 1, warp 0 at pc 0x160 (EXIT) waits for its block at a barrier, 1 of 2 warps there; "
                 "SM 0, block 1, warp 1 at pc 0x250 (IADD3) waits for R1, with 1 loads in flight; "
                 "and 2 more warps. 3 accesses in flight. cycle 12, 3 accesses in flight: "
                 "host memory channel 0 has 1 reads that the host has not answered, for the host; ");
    cr_assert_gt(reads, 0);
    gpc_trace_close(trace);
    /* Uncompleted accesses keep further kernels out. */
    trace = open_trace(r, "k.traceg");
    expect_error(r, gpc_replay_kernel(replay, trace, NULL, &r->error), GPC_ERROR_STATE, "nothing moves");
    gpc_trace_close(trace);
    gpc_replay_destroy(replay);
    rig_close(r);
}

/* A longer wait is no deadlock, while the end is known. */
Test(timed, slow_is_no_deadlock) {
    rig *r = open_timed();
    set(r, "deadlock.cycles", "10");
    set(r, "launch.cycles", "4000");
    set(r, "sm.latency_alu", "3000");
    put_kernel(r, "k.traceg", 1, 1, "", "0000 ffffffff 1 R1 MOV 0 0\n0010 ffffffff 1 R3 IADD3 1 R1 0\n" EXIT("0020"));
    measured_stats stats;
    measured_clear(&stats);
    cr_assert_eq(run_file(r, "k.traceg", &stats), GPC_OK, "%s", r->error.message);
    cr_assert_eq(stats.cycles, 4000 + 3002);
    rig_close(r);
}

/*
 * Lanes of one instruction that a unit serves one after another are no deadlock. Each lane is an access and takes one
 * turn of the unit, and the last turn ends after the start of 31 others.
 */
Test(timed, slow_unit_is_no_deadlock) {
    rig *r = open_timed();
    set(r, "coherence", "nmoesi-multi2sim");
    set(r, "l1.coalescer", "multi2sim");
    set(r, "deadlock.cycles", "1000");
    set(r, "l2.atomic_cycles", "900");
    put_kernel(r, "k.traceg", 1, 1, "", "0000 ffffffff 1 R3 ATOMG.E.ADD 1 R4 4 1 0x1000 0\n" EXIT("0010"));
    measured_stats stats;
    measured_clear(&stats);
    cr_assert_eq(run_file(r, "k.traceg", &stats), GPC_OK, "%s", r->error.message);
    cr_assert_gt(stats.cycles, 31 * 900);
    cr_assert_lt(stats.cycles, 32 * 900);
    rig_close(r);
}

static uint32_t pick_none(void *self, const uint64_t *ready, uint64_t cycle) {
    (void)self, (void)ready;
    return cycle < 500 ? GPC_NO_WARP : 0;
}

static uint32_t pick_astray(void *self, const uint64_t *ready, uint64_t cycle) {
    (void)self, (void)ready, (void)cycle;
    return 7;
}

/* A scheduler of the host's may let cycles pass; forever is a deadlock; a warp that is not ready is an error. */
Test(timed, schedulers_of_the_host) {
    rig *r = open_timed();
    gpc_scheduler_ops ops = {
        .struct_size = sizeof ops, .name = "idle", .summary = "s", .source = "", .pick = pick_none};
    cr_assert_eq(gpc_context_register_scheduler(r->context, &ops, NULL, NULL, &r->error), GPC_OK);
    ops.name = "astray";
    ops.pick = pick_astray;
    cr_assert_eq(gpc_context_register_scheduler(r->context, &ops, NULL, NULL, &r->error), GPC_OK);
    put_kernel(r, "k.traceg", 1, 1, "", EXIT("0000"));
    set(r, "scheduler", "idle");
    measured_stats stats;
    measured_clear(&stats);
    cr_assert_eq(run_file(r, "k.traceg", &stats), GPC_OK, "%s", r->error.message);
    expect_whole(&stats);
    cr_assert(stats.cycles == 500 && stats.scheduler_throttled == 499);
    set(r, "deadlock.cycles", "300");
    expect_error(r, run_file(r, "k.traceg", NULL), GPC_ERROR_STATE, "waits for its scheduler");
    set(r, "scheduler", "astray");
    expect_error(r, run_file(r, "k.traceg", NULL), GPC_ERROR_CALLBACK, "SM 0, scheduler 0");
    rig_close(r);
}
