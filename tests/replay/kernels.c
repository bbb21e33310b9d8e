/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "replay/rig.h"

#include <criterion/criterion.h>
#include <string.h>

/* Effects of kernels on later kernels, and counts per kernel. */

/* Two kernels, both loading one line of four sectors. */
static void put_two(rig *r) {
    for (int k = 1; k <= 2; k++)
        put_kernel(r, k == 1 ? "kernel-1.traceg" : "kernel-2.traceg", 1, 1, "", LOAD("0000", "0x1000") EXIT("0010"));
    write_text(r, "kernelslist.g", "kernel-1.traceg\nkernel-2.traceg\n");
}

Test(kernels, flush) {
    static const struct {
        const char *flush;
        uint64_t l1_hits, l2_reads, l2_hits, dram_reads;
    } cases[] = {{"none", 4, 0, 0, 0}, {"l1", 0, 4, 4, 0}, {"all", 0, 4, 0, 4}};
    for (size_t n = 0; n < 3; n++) {
        rig *r = rig_open();
        put_two(r);
        set(r, "kernels.flush", cases[n].flush);
        gpc_replay *replay = open_replay(r);
        gpc_trace *trace = open_trace(r, "kernelslist.g");
        measured_stats first = run_kernel(r, replay, trace), second = run_kernel(r, replay, trace);
        cr_assert(first.l1_load_sectors == 4 && first.l1_load_sector_hits == 0 && first.dram_read_sectors == 4);
        cr_assert_eq(second.l1_load_sectors, 4);
        cr_assert_eq(second.l1_load_sector_hits, cases[n].l1_hits, "%s", cases[n].flush);
        cr_assert_eq(second.l2_read_sectors, cases[n].l2_reads, "%s", cases[n].flush);
        cr_assert_eq(second.l2_read_sector_hits, cases[n].l2_hits, "%s", cases[n].flush);
        cr_assert_eq(second.dram_read_sectors, cases[n].dram_reads, "%s", cases[n].flush);
        gpc_trace_close(trace);
        gpc_replay_destroy(replay);
        rig_close(r);
    }
}

/* Placement of blocks restarts: the second kernel's first block is on SM 0 again, and events number the kernels. */
Test(kernels, begin_at_the_first_sm) {
    rig *r = rig_open();
    put_two(r);
    set(r, "sm.count", "2");
    gpc_replay *replay = open_replay(r);
    gpc_trace *trace = open_trace(r, "kernelslist.g");
    run_kernel(r, replay, trace);
    run_kernel(r, replay, trace);
    cr_assert_eq(how_many(r, SEEN_START), 2);
    cr_assert(nth(r, SEEN_START, 0)->sm == 0 && nth(r, SEEN_START, 1)->sm == 0);
    cr_assert(how_many(r, SEEN_KERNEL_START) == 4 && how_many(r, SEEN_KERNEL_END) == 4, "of two SMs each");
    cr_assert_eq(r->seen[0].kind, SEEN_KERNEL_START);
    cr_assert_eq(r->seen[r->count - 1].kind, SEEN_KERNEL_END);
    gpc_trace_close(trace);
    gpc_replay_destroy(replay);
    rig_close(r);
}

/* Instructions: with memory, without, of some lanes, of no lane, and EXITs missing in the trace. */
Test(kernels, counts) {
    rig *r = rig_open();
    begin_kernel(r, "k.traceg", 2, 64, "");
    begin_block(r, 0);
    put_warp(r, 0,
             "0000 ffffffff 1 R1 MOV 0 0\n"                       /* 32 */
             "0010 0000ffff 1 R1 LDG.E 1 R2 4 1 0x1000 4\n"       /* 16, two sectors */
             "0020 00000000 1 R1 LDG.E 1 R2 0\n"                  /* 0 */
             "0030 0000000f 0 STG.E 2 R2 R1 4 1 0x2000 4\n"       /* 4, one sector */
             "0040 00000001 1 R1 LDS 1 R2 4 1 0x7f0000000000 0\n" /* 1 */
             EXIT("0050"));                                       /* 32 */
    put_warp(r, 1, EXIT("0050"));                                 /* 32 */
    end_block(r);
    begin_block(r, 1);
    put_warp(r, 0, LOAD("0010", "0x1000") EXIT("0050")); /* 64, four sectors */
    put_warp(r, 1, "0050 00000003 0 EXIT 0 0\n");        /* 2 */
    end_block(r);
    end_kernel(r);
    measured_stats stats;
    measured_clear(&stats);
    cr_assert_eq(run_file(r, "k.traceg", &stats), GPC_OK, "%s", r->error.message);
    cr_assert_eq(stats.kernels, 1);
    cr_assert_eq(stats.blocks, 2);
    cr_assert_eq(stats.warp_instructions, 10);
    cr_assert_eq(stats.thread_instructions, 32 + 16 + 4 + 1 + 32 + 32 + 64 + 2);
    cr_assert_eq(stats.l1_load_requests, 2);
    cr_assert_eq(stats.l1_load_sectors, 6);
    cr_assert_eq(stats.l1_load_bytes_used, 64 + 128);
    cr_assert_eq(stats.l1_store_requests, 1);
    cr_assert_eq(stats.l1_store_sectors, 1);
    cr_assert_eq(stats.l1_transactions_per_load[1], 2);
    rig_close(r);
}

/* Many kernels: the sum of statistics is the whole's, and the hierarchy's statistics agree. */
Test(kernels, add_up) {
    static const char *const flushes[] = {"none", "l1", "all"};
    for (size_t n = 0; n < 3; n++) {
        rig *r = rig_open();
        set(r, "sm.count", "4");
        set(r, "kernels.flush", flushes[n]);
        set(r, "launch.sectors", "7");
        set(r, "launch.code", "true");
        gpc_replay *replay = open_replay(r);
        gpc_trace *trace = open_trace(r, "synthetic:stream:256KiB:turns=2");
        measured_stats sum, whole, own;
        measured_clear(&sum);
        measured_clear(&own);
        gpc_kernel kernel = GPC_KERNEL_INIT;
        gpc_status status;
        uint32_t kernels = 0;
        while ((status = measure_kernel(replay, trace, &kernel, &own, &r->error)) == GPC_OK) {
            cr_assert_eq(kernel.index, kernels);
            cr_assert_eq(own.kernels, 1);
            cr_assert_eq(own.blocks, kernel.block_count);
            measured_add(&sum, &own);
            kernels++;
        }
        cr_assert_eq(status, GPC_END);
        cr_assert_eq(kernels, 8);
        measured_clear(&whole);
        cr_assert_eq(measure_total(replay, &whole), GPC_OK);
        expect_same_stats(&sum, &whole);
        cr_assert_eq(whole.kernels, 8);
        measured_clear(&own);
        cr_assert_eq(measure_hierarchy(gpc_replay_hierarchy(replay), &own), GPC_OK);
        cr_assert_eq(own.warp_instructions, whole.warp_instructions);
        cr_assert_eq(own.dram_read_sectors, whole.dram_read_sectors);
        gpc_trace_close(trace);
        gpc_replay_destroy(replay);
        rig_close(r);
    }
}

/* From the first instruction to the end of the last, in lines of 128 bytes. */
Test(kernels, launch_reads_its_code) {
    static const struct {
        const char *header, *last;
        uint64_t sectors;
    } cases[] = {
        {"-binary version = 80\n", EXIT("0170"), 4}, /* 0x100 to 0x180: 128 bytes */
        {"-binary version = 80\n", EXIT("0178"), 8}, /* 136 bytes */
        {"-binary version = 61\n", EXIT("0178"), 4}, /* instructions of 8 bytes: 128 */
        {"-binary version = 61\n", EXIT("0180"), 8},
    };
    for (size_t n = 0; n < 4; n++) {
        rig *r = rig_open();
        char lines[256];
        snprintf(lines, sizeof lines, "%s%s", LOAD("0100", "0x1000"), cases[n].last);
        put_kernel(r, "k.traceg", 3, 1, cases[n].header, lines);
        set(r, "launch.sectors", "10");
        measured_stats stats;
        measured_clear(&stats);
        cr_assert_eq(run_file(r, "k.traceg", &stats), GPC_OK, "%s", r->error.message);
        cr_assert(stats.dram_launch_sectors == 10 && stats.dram_read_sectors == 14);
        set(r, "launch.code", "true");
        cr_assert_eq(run_file(r, "k.traceg", &stats), GPC_OK, "%s", r->error.message);
        cr_assert_eq(stats.dram_launch_sectors, 10 + cases[n].sectors, "%zu", n);
        cr_assert_eq(stats.dram_read_sectors, 14 + cases[n].sectors, "%zu", n);
        rig_close(r);
    }
}

/* Once, unless all caches are emptied. */
Test(kernels, code_is_read_when_cold) {
    for (int all = 0; all < 2; all++) {
        rig *r = rig_open();
        put_two(r);
        set(r, "launch.code", "true");
        set(r, "kernels.flush", all ? "all" : "l1");
        gpc_replay *replay = open_replay(r);
        gpc_trace *trace = open_trace(r, "kernelslist.g");
        cr_assert_eq(run_kernel(r, replay, trace).dram_launch_sectors, 4);
        cr_assert_eq(run_kernel(r, replay, trace).dram_launch_sectors, all ? 4 : 0);
        gpc_trace_close(trace);
        gpc_replay_destroy(replay);
        rig_close(r);
    }
}

/* Two runs: equal counters, and equal calls of a policy, in order. */
Test(kernels, same_each_time) {
    rig *r = rig_open();
    set(r, "sm.count", "7");
    set(r, "sm.blocks", "3");
    measured_stats first, second;
    measured_clear(&first);
    measured_clear(&second);
    static seen before[MOST_SEEN];
    cr_assert_eq(run_file(r, "synthetic:transpose-naive:1MiB", &first), GPC_OK, "%s", r->error.message);
    unsigned count = r->count;
    memcpy(before, r->seen, count * sizeof *before);
    cr_assert_eq(run_file(r, "synthetic:transpose-naive:1MiB", &second), GPC_OK, "%s", r->error.message);
    expect_same_stats(&first, &second);
    cr_assert_eq(r->count, count);
    for (unsigned i = 0; i < count; i++) {
        const seen *a = &before[i], *b = &r->seen[i];
        cr_assert(a->kind == b->kind && a->sm == b->sm && a->warp == b->warp && a->block == b->block && a->pc == b->pc);
    }
    rig_close(r);
}
