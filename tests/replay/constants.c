/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "replay/rig.h"

#include <criterion/criterion.h>
#include <string.h>

/* Loads of constants with addresses in the trace, through constant caches. Traces of SASS have no such addresses. */

#define LDC(pc, to, address) pc " ffffffff 1 " to " LDC 1 R20 4 1 " address " 0\n"
#define LDC_UNKNOWN(pc, to) pc " ffffffff 1 " to " LDC 0 0\n"
#define AFTER(pc, from) pc " ffffffff 1 R9 MOV 1 " from " 0\n"
/* Loads of two lines, one of them three times; and a load behind, to check the address. */
#define BODY(constant)                                                                                               \
    constant("0000", "R4", "0x40") AFTER("0010", "R4") constant("0020", "R5", "0x48") constant("0030", "R6", "0x80") \
        AFTER("0040", "R6") LOAD("0050", "0x10000") AFTER("0060", "R1") constant("0070", "R7", "0x40")               \
            AFTER("0080", "R7") EXIT("0090")
#define UNKNOWN(pc, to, address) LDC_UNKNOWN(pc, to)

static rig *open_with(const char *mode, const char *size) {
    rig *r = rig_open();
    set(r, "mode", mode);
    set(r, "launch.cycles", "0");
    set(r, "kernels.flush", "none");
    set(r, "sm.latency_constant", "12");
    set(r, "const.size", size);
    return r;
}

static measured_stats run(rig *r, unsigned warps, const char *lines) {
    measured_stats s;
    measured_clear(&s);
    put_kernel(r, "k.traceg", 1, warps, "", lines);
    cr_assert_eq(run_file(r, "k.traceg", &s), GPC_OK, "%s", r->error.message);
    return s;
}

/*
 * Without a constant cache, addresses change nothing, with or without a clock; and the load behind has the right
 * address.
 */
Test(replay_constants, without_a_cache) {
    static const char *const modes[] = {"timed", "functional"};
    for (int i = 0; i < 2; i++) {
        rig *r = open_with(modes[i], "0B");
        const measured_stats known = run(r, 2, BODY(LDC));
        rig_close(r);
        r = open_with(modes[i], "0B");
        const measured_stats unknown = run(r, 2, BODY(UNKNOWN));
        cr_expect_eq(known.const_requests, GPC_ABSENT);
        cr_expect_eq(known.cycles, unknown.cycles, "%s: %u, %u", modes[i], (unsigned)known.cycles,
                     (unsigned)unknown.cycles);
        cr_expect_eq(known.warp_instructions, unknown.warp_instructions);
        cr_expect_eq(known.thread_instructions, unknown.thread_instructions);
        cr_expect_eq(known.l1_load_sectors, 2 * 4);
        cr_expect_eq(known.dram_read_sectors, unknown.dram_read_sectors);
        rig_close(r);
    }
}

/* With a constant cache: three loads of one line and one of another, by two warps; two reads of L2. */
Test(replay_constants, through_a_cache) {
    static const char *const modes[] = {"timed", "functional"};
    for (int i = 0; i < 2; i++) {
        rig *r = open_with(modes[i], "2KiB");
        const measured_stats s = run(r, 2, BODY(LDC));
        cr_expect_eq(s.const_requests, 8);
        cr_expect_eq(s.const_lines, 8);
        cr_expect_eq(s.const_line_hits + (i ? 0 : s.const_line_merges), 6, "%s: %u and %u", modes[i],
                     (unsigned)s.const_line_hits, (unsigned)s.const_line_merges);
        cr_expect_eq(s.l1_load_sectors, 2 * 4);
        cr_expect_eq(s.l2_read_sectors, 4 + 2 * 2);
        cr_expect_eq(s.warp_instructions, 2 * 10);
        cr_expect_eq(s.thread_instructions, 2 * 10 * 32);
        if (i == 0)
            cr_expect_eq(s.accepted, s.completed);
        rig_close(r);
    }
}

static measured_stats chain(const char *size, const char *latency) {
    rig *r = open_with("timed", size);
    set(r, "const.latency", latency);
    const measured_stats s = run(r, 1,
                                 LDC("0000", "R4", "0x40") AFTER("0010", "R4") LDC("0020", "R5", "0x40")
                                     AFTER("0030", "R5") LDC("0040", "R6", "0x44") AFTER("0050", "R6") EXIT("0060"));
    rig_close(r);
    return s;
}

/* A warp waits for loaded constants: a miss for L2 and memory, a hit for const.latency. */
Test(replay_constants, latencies) {
    const measured_stats soon = chain("1KiB", "30"), later = chain("1KiB", "60"), none = chain("0B", "30");
    cr_expect_eq(soon.const_line_hits, 2);
    cr_expect_eq(later.cycles - soon.cycles, 2 * 30, "%u, %u", (unsigned)soon.cycles, (unsigned)later.cycles);
    cr_expect_gt(soon.cycles, none.cycles + 50, "%u, %u", (unsigned)soon.cycles, (unsigned)none.cycles);
}

/* Addresses stay with the trace in its compact form. */
Test(replay_constants, converted) {
    rig *r = open_with("timed", "2KiB");
    measured_stats s;
    measured_clear(&s);
    const measured_stats text = run(r, 2, BODY(LDC));
    gpc_trace_writer *writer;
    gpc_kernel kernel = GPC_KERNEL_INIT;
    const gpc_block *block;
    gpc_trace *trace = open_trace(r, "k.traceg");
    cr_assert_eq(gpc_trace_writer_create(r->context, path_of(r, "k.gct"), GPC_TRACE_BINARY, &writer, &r->error),
                 GPC_OK);
    cr_assert_eq(gpc_trace_next_kernel(trace, &kernel, &r->error), GPC_OK);
    cr_assert_eq(gpc_trace_writer_kernel(writer, &kernel, &r->error), GPC_OK);
    while (gpc_trace_next_block(trace, &block, &r->error) == GPC_OK)
        cr_assert_eq(gpc_trace_writer_block(writer, trace, block, &r->error), GPC_OK);
    cr_assert_eq(gpc_trace_writer_finish(writer, &r->error), GPC_OK, "%s", r->error.message);
    gpc_trace_writer_destroy(writer);
    gpc_trace_close(trace);
    cr_assert_eq(run_file(r, "k.gct", &s), GPC_OK, "%s", r->error.message);
    cr_expect_eq(s.const_requests, 8);
    cr_expect_eq(s.cycles, text.cycles);
    cr_expect_eq(s.l2_read_sectors, text.l2_read_sectors);
    rig_close(r);
}

/* Threads divide the SMs, with equal counts. */
Test(replay_constants, threads) {
    measured_stats one, two;
    for (unsigned threads = 1; threads <= 2; threads++) {
        rig *r = open_with("functional", "1KiB");
        measured_stats *s = threads == 1 ? &one : &two;
        measured_clear(s);
        set(r, "sm.count", "2");
        set(r, "l1.replacement", "lru");
        set(r, "threads", threads == 1 ? "1" : "2");
        put_kernel(r, "k.traceg", 8, 2, "", BODY(LDC));
        cr_assert_eq(run_file(r, "k.traceg", s), GPC_OK, "%s", r->error.message);
        rig_close(r);
    }
    cr_expect_eq(one.const_requests, 8 * 8);
    cr_expect_eq(one.const_line_hits, two.const_line_hits);
    cr_expect_eq(one.l2_read_sectors, two.l2_read_sectors);
    cr_expect_eq(one.dram_read_sectors, two.dram_read_sectors);
}
