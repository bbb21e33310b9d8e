/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "replay/rig.h"

#include <criterion/criterion.h>
#include <string.h>

/* Possible errors, and continued use of a replay. */

#define GOOD LOAD("0000", "0x1000") LOAD("0010", "0x1000") EXIT("0020")

/* A good kernel gives equal results in this replay and in a new replay. `kernels.flush` must be `all`. */
static void expect_as_new(rig *r, gpc_replay *replay) {
    put_kernel(r, "good.traceg", 5, 3, "", GOOD);
    measured_stats expected;
    measured_clear(&expected);
    cr_assert_eq(run_file(r, "good.traceg", &expected), GPC_OK, "%s", r->error.message);
    gpc_trace *trace = open_trace(r, "good.traceg");
    measured_stats stats = run_kernel(r, replay, trace);
    cr_assert_eq(stats.warp_instructions, 45);
    expect_same_stats(&stats, &expected);
    gpc_trace_close(trace);
}

Test(errors, end) {
    rig *r = rig_open();
    put_kernel(r, "k.traceg", 1, 1, "", GOOD);
    gpc_replay *replay = open_replay(r);
    gpc_trace *trace = open_trace(r, "k.traceg");
    run_kernel(r, replay, trace);
    measured_stats before, after;
    measured_clear(&before);
    measured_clear(&after);
    cr_assert_eq(measure_total(replay, &before), GPC_OK);
    for (int n = 0; n < 2; n++)
        cr_assert_eq(gpc_replay_kernel(replay, trace, NULL, &r->error), GPC_END);
    cr_assert_eq(measure_total(replay, &after), GPC_OK);
    expect_same_stats(&before, &after);
    gpc_trace_close(trace);
    gpc_replay_destroy(replay);
    rig_close(r);
}

/* The third block has a wrong line; two blocks before have run. */
Test(errors, trace_breaks_off) {
    rig *r = rig_open();
    set(r, "kernels.flush", "all");
    set(r, "sm.blocks", "1");
    begin_kernel(r, "bad.traceg", 4, 32, "");
    for (unsigned b = 0; b < 4; b++) {
        begin_block(r, b);
        put_warp(r, 0, b == 2 ? LOAD("0000", "0x1000") "nonsense\n" EXIT("0020") : GOOD);
        end_block(r);
    }
    end_kernel(r);
    gpc_replay *replay = open_replay(r);
    gpc_trace *trace = open_trace(r, "bad.traceg");
    measured_stats untouched, none, total;
    memset(&untouched, 0x5a, sizeof untouched);
    none = untouched;
    /* header: 6 lines; a block: 8 */
    expect_error(r, measure_kernel(replay, trace, NULL, &none, &r->error), GPC_ERROR_FORMAT, "bad.traceg:28");
    cr_assert_eq(memcmp(&none, &untouched, sizeof none), 0);
    gpc_trace_close(trace);
    measured_clear(&total);
    cr_assert_eq(measure_total(replay, &total), GPC_OK);
    cr_assert(total.blocks == 2 && total.warp_instructions == 6 && total.l1_load_requests == 4);
    expect_as_new(r, replay);
    gpc_replay_destroy(replay);
    rig_close(r);
}

/* With a map, while blocks wait for a full SM. */
Test(errors, trace_breaks_off_while_blocks_wait) {
    rig *r = rig_open();
    set(r, "kernels.flush", "all");
    set(r, "sm.count", "2");
    begin_kernel(r, "bad.traceg", 7, 32, "");
    for (unsigned b = 0; b < 7; b++) {
        begin_block(r, b);
        put_warp(r, 0, b == 6 ? "nonsense\n" : GOOD);
        end_block(r);
    }
    end_kernel(r);
    write_text(r, "bad.sm", "1\n1\n1\n1\n1\n1\n1\n");
    gpc_replay *replay = open_replay(r);
    gpc_trace *trace = open_trace(r, "bad.traceg");
    gpc_status status = gpc_replay_kernel(replay, trace, NULL, &r->error);
    expect_error(r, status, GPC_ERROR_FORMAT, "bad.traceg:59"); /* 6 + 6 x 8 + 5 */
    cr_assert_eq(how_many(r, SEEN_START), 2, "two run, four wait");
    gpc_trace_close(trace);
    expect_as_new(r, replay);
    gpc_replay_destroy(replay);
    rig_close(r);
}

/* L1 has 32 sets of 4 ways: the fifth of these lines needs a victim. The message names the place. */
Test(errors, policy_goes_astray) {
    rig *r = rig_open();
    set(r, "kernels.flush", "all");
    put_kernel(r, "k.traceg", 2, 1, "",
               LOAD("0000", "0x1000") LOAD("0010", "0x2000") LOAD("0020", "0x3000") LOAD("0030", "0x4000")
                   LOAD("0040", "0x5000") LOAD("0050", "0x6000") EXIT("0060"));
    set(r, "sm.blocks", "1");
    gpc_replay *replay = open_replay(r);
    gpc_trace *trace = open_trace(r, "k.traceg");
    r->astray = true;
    gpc_status status = gpc_replay_kernel(replay, trace, NULL, &r->error);
    expect_error(r, status, GPC_ERROR_CALLBACK, "k.traceg: block 0, pc 0x40, LDG.E");
    r->astray = false;
    gpc_trace_close(trace);
    expect_as_new(r, replay);
    gpc_replay_destroy(replay);
    rig_close(r);
}

/* A kernel that is too large is skipped; the trace's next kernel runs. */
Test(errors, kernel_that_does_not_fit) {
    static const struct {
        const char *header, *part;
        unsigned warps;
    } cases[] = {
        {"-shmem = 49153\n", "kernel-1.traceg: a block of 32 threads", 1},
        {"-nregs = 255\n", "kernel-1.traceg: a block of 512 threads with 255 registers", 16},
        {"", "kernel-1.traceg: a block of 1568 threads", 49},
    };
    for (size_t n = 0; n < 3; n++) {
        rig *r = rig_open();
        put_kernel(r, "kernel-1.traceg", 2, cases[n].warps, cases[n].header, GOOD);
        put_kernel(r, "kernel-2.traceg", 2, 1, "-shmem = 49152\n", GOOD);
        write_text(r, "kernelslist.g", "kernel-1.traceg\nkernel-2.traceg\n");
        gpc_replay *replay = open_replay(r);
        gpc_trace *trace = open_trace(r, "kernelslist.g");
        gpc_status status = gpc_replay_kernel(replay, trace, NULL, &r->error);
        expect_error(r, status, GPC_ERROR_RANGE, cases[n].part);
        cr_assert_eq(how_many(r, SEEN_ACCESS), 0);
        cr_assert_eq(run_kernel(r, replay, trace).blocks, 2);
        measured_stats total;
        measured_clear(&total);
        cr_assert_eq(measure_total(replay, &total), GPC_OK);
        cr_assert(total.kernels == 1 && total.blocks == 2);
        gpc_trace_close(trace);
        gpc_replay_destroy(replay);
        rig_close(r);
    }
}

Test(errors, warps_that_are_too_wide) {
    rig *r = rig_open();
    gpc_status status = run_file(r, "synthetic:vectoradd:64KiB:lanes=64", NULL);
    expect_error(r, status, GPC_ERROR_RANGE, "warps have 64 lanes, but sm.lanes is 32");
    set(r, "sm.lanes", "64");
    cr_assert_eq(run_file(r, "synthetic:vectoradd:64KiB:lanes=64", NULL), GPC_OK, "%s", r->error.message);
    rig_close(r);
}

/* Warps of 32 lanes take as much of the SM as warps of 64: two warps fit, a third does not. */
Test(errors, warps_that_are_narrow) {
    rig *r = rig_open();
    set(r, "sm.lanes", "64");
    set(r, "sm.warps", "2");
    for (unsigned warps = 1; warps <= 3; warps++) {
        put_kernel(r, "n.traceg", 1, warps, "", EXIT("0000"));
        cr_expect_eq(run_file(r, "n.traceg", NULL), warps < 3 ? GPC_OK : GPC_ERROR_RANGE, "%u: %s", warps,
                     r->error.message);
    }
    rig_close(r);
}

static gpc_status put_nothing(void *user_data, const void *data, size_t bytes) {
    (void)user_data, (void)data, (void)bytes;
    return GPC_OK;
}

Test(errors, arguments) {
    rig *r = rig_open();
    gpc_replay *none = NULL;
    expect_error(r, gpc_replay_create(NULL, r->config, &none, &r->error), GPC_ERROR_ARGUMENT, "context");
    expect_error(r, gpc_replay_create(r->context, NULL, &none, &r->error), GPC_ERROR_ARGUMENT, "config");
    expect_error(r, gpc_replay_create(r->context, r->config, NULL, &r->error), GPC_ERROR_ARGUMENT, "out");
    set(r, "l1.sectors", "2");
    set(r, "l1.fetch_sectors", "4");
    expect_error(r, gpc_replay_create(r->context, r->config, &none, &r->error), GPC_ERROR_RANGE, "fetch_sectors");
    set(r, "l1.fetch_sectors", "1");
    cr_assert_null(none);
    gpc_replay_destroy(NULL);
    gpc_replay_on_progress(NULL, NULL, NULL);
    cr_assert_null(gpc_replay_hierarchy(NULL));

    put_kernel(r, "k.traceg", 1, 1, "", GOOD);
    gpc_replay *replay = open_replay(r);
    gpc_trace *trace = open_trace(r, "k.traceg");
    measured_stats stats;
    measured_clear(&stats);
    cr_assert_eq(measure_total(NULL, &stats), GPC_ERROR_ARGUMENT);
    const uint32_t id = GPC_ID_cycles;
    uint64_t value = 7;
    expect_error(r, gpc_replay_read_total(NULL, &id, 1, &value, 1, &r->error), GPC_ERROR_ARGUMENT, "replay is NULL");
    expect_error(r, gpc_replay_read_total(replay, &id, 1, NULL, 1, &r->error), GPC_ERROR_ARGUMENT, "values is NULL");
    expect_error(r, gpc_replay_read(replay, GPC_OBJECT_WHOLE, 0, &id, 1, &value, 1, &r->error), GPC_ERROR_STATE,
                 "no kernel was run");
    expect_error(r, gpc_replay_read(replay, GPC_OBJECT_SM, 0, &id, 1, &value, 1, &r->error), GPC_ERROR_STATE,
                 "gpc_replay_keep_objects");
    cr_assert_eq(value, 7);
    expect_error(r, gpc_replay_kernel(NULL, trace, NULL, &r->error), GPC_ERROR_ARGUMENT, "replay is NULL");
    expect_error(r, gpc_replay_kernel(replay, NULL, NULL, &r->error), GPC_ERROR_ARGUMENT, "trace is NULL");
    expect_error(r, gpc_replay_save(NULL, &(gpc_stream)GPC_STREAM_WRITE(put_nothing, NULL), &r->error),
                 GPC_ERROR_ARGUMENT, "replay is NULL");
    expect_error(r, gpc_replay_save(replay, &(gpc_stream)GPC_STREAM_WRITE(NULL, NULL), &r->error), GPC_ERROR_ARGUMENT,
                 "neither path nor write");
    cr_assert_eq(gpc_replay_kernel(replay, trace, NULL, NULL), GPC_OK);
    cr_assert_eq(gpc_replay_kernel(replay, trace, NULL, NULL), GPC_END);
    gpc_trace_close(trace);
    gpc_replay_destroy(replay);
    rig_close(r);
}

/* Structs that cannot receive results are refused before the kernel runs. */
Test(errors, sizes_that_are_not_set) {
    rig *r = rig_open();
    put_kernel(r, "k.traceg", 1, 1, "", GOOD);
    gpc_replay *replay = open_replay(r);
    gpc_trace *trace = open_trace(r, "k.traceg");
    gpc_kernel kernel = GPC_KERNEL_INIT;
    measured_stats stats;
    measured_clear(&stats);
    kernel.struct_size = 0;
    gpc_status status = measure_kernel(replay, trace, &kernel, &stats, &r->error);
    expect_error(r, status, GPC_ERROR_ABI, "gpc_kernel");
    kernel.struct_size = sizeof kernel;
    cr_assert_eq(r->count, 0);
    status = measure_kernel(replay, trace, &kernel, &stats, &r->error);
    cr_assert_eq(status, GPC_OK, "%s", r->error.message);
    cr_assert(stats.blocks == 1 && kernel.block_count == 1);
    gpc_trace_close(trace);
    gpc_replay_destroy(replay);
    rig_close(r);
}

/* Configuration and context may be destroyed before the replay. */
Test(errors, owners_go_first) {
    rig *r = rig_open();
    gpc_replay *replay = open_replay(r);
    put_kernel(r, "k.traceg", 1, 1, "", GOOD);
    gpc_trace *trace = open_trace(r, "k.traceg");
    gpc_config_destroy(r->config);
    gpc_context_destroy(r->context);
    r->config = NULL;
    r->context = NULL;
    cr_assert_eq(run_kernel(r, replay, trace).blocks, 1);
    gpc_replay_destroy(replay);
    gpc_trace_close(trace);
    rig_close(r);
}

/* Calls of the progress callback. */
typedef struct told {
    unsigned calls, cancel_at; /* 0: never */
    gpc_progress last;
    uint64_t blocks;
} told;

static bool tell(void *user_data, const gpc_progress *progress) {
    told *t = user_data;
    t->calls++;
    cr_assert_eq(progress->struct_size, sizeof *progress);
    cr_assert_geq(progress->warp_instructions, t->calls * 1000000ull);
    cr_assert_lt(progress->warp_instructions, t->calls * 1000000ull + 1000, "a round of 4 SMs is short");
    cr_assert(progress->blocks >= t->last.blocks && progress->blocks <= progress->block_count);
    cr_assert_eq(progress->block_count, t->blocks);
    cr_assert(progress->trace_fraction >= t->last.trace_fraction && progress->trace_fraction <= 1);
    t->last = *progress;
    return t->calls != t->cancel_at;
}

#define LARGE "synthetic:vectoradd:64MiB"

static uint64_t blocks_of_large(rig *r) {
    gpc_trace *trace = open_trace(r, LARGE);
    gpc_kernel kernel = GPC_KERNEL_INIT;
    cr_assert_eq(gpc_trace_next_kernel(trace, &kernel, &r->error), GPC_OK);
    gpc_trace_close(trace);
    return kernel.block_count;
}

Test(errors, progress) {
    rig *r = rig_open();
    set(r, "sm.count", "4");
    gpc_replay *replay = open_replay(r);
    gpc_trace *trace = open_trace(r, LARGE);
    told t = {.blocks = blocks_of_large(r)};
    gpc_replay_on_progress(replay, tell, &t);
    measured_stats stats = run_kernel(r, replay, trace);
    cr_assert_geq(t.calls, 2, "%llu instructions", (unsigned long long)stats.warp_instructions);
    cr_assert_eq(t.calls, stats.warp_instructions / 1000000);
    cr_assert(t.last.blocks > 0 && t.last.trace_fraction > 0);
    gpc_trace_close(trace);
    gpc_replay_destroy(replay);
    rig_close(r);
}

Test(errors, cancel) {
    rig *r = rig_open();
    set(r, "sm.count", "4");
    set(r, "kernels.flush", "all");
    gpc_replay *replay = open_replay(r);
    gpc_trace *trace = open_trace(r, LARGE);
    told t = {.cancel_at = 2, .blocks = blocks_of_large(r)};
    gpc_replay_on_progress(replay, tell, &t);
    expect_error(r, gpc_replay_kernel(replay, trace, NULL, &r->error), GPC_ERROR_CANCELLED, LARGE);
    cr_assert_eq(t.calls, 2);
    measured_stats total;
    measured_clear(&total);
    cr_assert_eq(measure_total(replay, &total), GPC_OK);
    cr_assert_eq(total.warp_instructions, t.last.warp_instructions, "what had run is counted");
    cr_assert_eq(total.blocks, t.last.blocks);
    cr_assert_eq(gpc_replay_kernel(replay, trace, NULL, &r->error), GPC_END, "the kernel's rest is passed over");
    gpc_trace_close(trace);
    gpc_replay_on_progress(replay, NULL, NULL);
    expect_as_new(r, replay);
    gpc_replay_destroy(replay);
    rig_close(r);
}
