/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/rewind.h"
#include "trace/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Traces of Accel-Sim's tracer before post-traces-processing, and placements on SMs on request. */

#define HEAD HEADER "-accelsim tracer version = 4\n#traces format = x\n\n"
#define LOAD "1 R2 LDG.E 1 R4 4 1 0x1000 4 \n"
#define EXIT "0 EXIT 0 0 \n"

/* Take a .traceg's thread blocks apart: the n-th lines of all warps are adjacent, the last warp's first. */
static const char apart[] =
    "/^-/ || /^#traces/ { print; next }\n"
    "/^thread block/ { block = $4; gsub(\",\", \" \", block); next }\n"
    "/^warp/ { warp = $3; warps++; n = 0; next }\n"
    "/^insts/ || /^#/ || /^$/ { next }\n"
    "{ line[++n, warps] = block \" \" warp \" \" $0; most = n > most ? n : most }\n"
    "END { for (n = 1; n <= most; n++) for (w = warps; w; w--) if ((n, w) in line) print line[n, w] }\n";

/* Convert FOLDER/t of .traceg files to FOLDER/r of .trace files. */
static void take_apart(const rig *r) {
    write_text(r, "apart.awk", apart);
    shell(r, "mkdir -p r && for k in t/*.traceg; do awk -f apart.awk $k > r/$(basename $k g); done && "
             "sed 's/traceg$/trace/' t/kernelslist.g > r/kernelslist && "
             "for map in t/*.sm; do [ ! -e $map ] || cp $map r; done");
}

static void made(rig *r, const char *source) {
    char to[256];
    snprintf(to, sizeof to, "%s", path_of(r, "t"));
    convert(r, source, to, GPC_TRACE_TEXT);
}

static void expect_same_as(rig *r, const char *one, const char *other) {
    char first[256], second[256];
    snprintf(first, sizeof first, "%s", path_of(r, one));
    snprintf(second, sizeof second, "%s", path_of(r, other));
    expect_same(r, first, second);
}

/* Equal blocks and instructions as after post-traces-processing: a folder, a list, a file, compressed or not. */
Test(raw, same_as_processed) {
    static const char *const sources[] = {"synthetic:atax:4KiB", "examples/traces/nn"};
    for (size_t n = 0; n < sizeof sources / sizeof *sources; n++) {
        rig r;
        rig_open(&r);
        made(&r, sources[n]);
        take_apart(&r);
        expect_same_as(&r, "t", "r");
        expect_same_as(&r, "t/kernelslist.g", "r/kernelslist");
        expect_same_as(&r, "t/kernel-1.traceg", "r/kernel-1.trace");
        shell(&r, "xz r/*.trace");
        expect_same_as(&r, "t", "r");
        expect_same_as(&r, "t/kernel-1.traceg", "r/kernel-1.trace.xz");
        shell(&r, "rm r/kernelslist");
        expect_same_as(&r, "t", "r");
        rig_close(&r);
    }
}

/* A line's text is stored once. */
Test(raw, warps_that_say_the_same) {
    rig r;
    rig_open(&r);
    write_text(&r, "k",
               HEAD "0 0 0 1 0000 1 " LOAD "0 0 0 0 0000 1 " LOAD "1 0 0 0 0000 1 " LOAD "0 0 0 1 0000 1 " LOAD
                    "\n# a note\n0 0 0 0 0010 1 " EXIT "0 0 0 1 0010 1 " EXIT);
    gpc_trace *trace = open_trace(&r, path_of(&r, "k"));
    const gpc_kernel kernel = next_kernel(&r, trace);
    cr_expect(!kernel.placement && !kernel.placement_count);
    cr_expect_eq(gpc_trace_progress(trace), 0);
    const gpc_block *block = next_block(&r, trace);
    cr_expect(block->index == 0 && block->warps[0].count == 2 && block->warps[1].count == 3);
    block = next_block(&r, trace);
    cr_expect(block->index == 1 && block->warps[0].count == 2 && block->warps[1].count == 1, "an EXIT is supplied");
    cr_expect_eq(gpc_trace_progress(trace), 1);
    expect_end(&r, trace);
    cr_expect_eq(r.logged, 0);
    gpc_trace_close(trace);
    rig_close(&r);
}

Test(raw, blocks_that_are_not_there) {
    rig r;
    rig_open(&r);
    write_text(&r, "k", HEAD "1 0 0 0 0000 1 " EXIT);
    gpc_trace *trace = open_trace(&r, path_of(&r, "k"));
    next_kernel(&r, trace);
    cr_expect_eq(next_block(&r, trace)->index, 1);
    expect_end(&r, trace);
    expect_end(&r, trace);
    cr_expect_eq(r.logged, 1);
    cr_expect(strstr(r.log, "1 of the grid's 2"), "%s", r.log);
    gpc_trace_close(trace);
    rig_close(&r);
}

Test(raw, read_again) {
    rig r;
    rig_open(&r);
    write_text(&r, "k", HEAD "1 0 0 0 7 9 0000 1 " EXIT "0 0 0 0 3 9 0000 1 " EXIT);
    gpc_trace *trace = open_trace(&r, path_of(&r, "k"));
    gpc_kernel kernel = next_kernel(&r, trace);
    for (int again = 0; again < 2; again++) {
        cr_assert_eq(kernel.placement_count, 2);
        cr_expect(kernel.placement[0] == 3 && kernel.placement[1] == 7);
        cr_expect_eq(next_block(&r, trace)->index, 0);
        cr_expect_eq(next_block(&r, trace)->index, 1);
        cr_assert_eq(gpci_trace_rewind(trace, &kernel, &r.error), GPC_OK);
    }
    gpc_trace_close(trace);
    rig_close(&r);
}

/* Columns added at the front by versions and settings of the tracer: block, SM and source line. */
Test(raw, columns) {
    static const struct {
        const char *columns;
        uint32_t line;
        bool sm;
    } cases[] = {{"", 0, false},
                 {"77 ", 77, false},
                 {"5 61 ", 0, true},
                 {"5 61 77 ", 77, true},
                 {"0 0 0 1 0 0 1 ", 0, false},
                 {"0 0 0 1 0 0 1 77 ", 77, false},
                 {"0 0 0 1 0 0 1 5 61 ", 0, true},
                 {"0 0 0 1 0 0 1 5 61 77 ", 77, true}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        rig r;
        rig_open(&r);
        char text[512];
        snprintf(text, sizeof text, HEAD "1 0 0 1 %s0a40 ffffffff " LOAD "1 0 0 1 %s0a50 ffffffff " EXIT,
                 cases[n].columns, cases[n].columns);
        write_text(&r, "k.trace", text);
        gpc_trace *trace = open_trace(&r, path_of(&r, "k.trace"));
        const gpc_kernel kernel = next_kernel(&r, trace);
        cr_assert_eq(kernel.placement_count, cases[n].sm ? 2 : 0, "case %zu", n);
        cr_expect(!cases[n].sm || (kernel.placement[1] == 5 && kernel.placement[0] == 0), "case %zu", n);
        const gpc_block *block = next_block(&r, trace);
        const gpc_instruction *i = block->warps[1].instructions;
        cr_expect(block->index == 1 && block->warps[1].count == 2, "case %zu", n);
        cr_expect(i->pc == 0xa40 && i->line == cases[n].line && i->addresses[31] == 0x1000 + 31 * 4, "case %zu", n);
        gpc_trace_close(trace);
        rig_close(&r);
    }
}

#define BLOCK(x, columns, more)                                                                     \
    "#BEGIN_TB\n\nthread block = " x ",0,0\n\nwarp = 0\ninsts = 0\n\nwarp = 1\ninsts = 2\n" columns \
    "0010 1 " LOAD more "0020 1 " EXIT "\n#END_TB\n"

/* post-traces-processing removes block and warp, and leaves SM and slot, before a possible source line. */
Test(raw, sms_of_processed_traces) {
    static const char *const texts[] = {
        HEAD BLOCK("1", "9 40 ", "9 40 ") BLOCK("0", "4 41 ", "4 41 "),
        HEAD BLOCK("1", "9 40 77 ", "9 40 77 ") BLOCK("0", "4 41 78 ", "4 41 77 "),
        HEAD BLOCK("1", "1 0 0 1 9 40 ", "1 0 0 1 9 40 ") BLOCK("0", "0 0 0 1 4 41 ", "0 0 0 1 4 41 "),
        HEAD BLOCK("1", "1 0 0 1 9 40 77 ", "1 0 0 1 9 40 77 ") BLOCK("0", "0 0 0 1 4 41 77 ", "0 0 0 1 4 41 77 "),
    };
    rig r;
    rig_open(&r);
    for (size_t n = 0; n < sizeof texts / sizeof *texts; n++) {
        write_text(&r, "k.traceg", texts[n]);
        gpc_trace *trace = open_trace(&r, path_of(&r, "k.traceg"));
        const gpc_kernel kernel = next_kernel(&r, trace);
        cr_assert_eq(kernel.placement_count, 2, "case %zu", n);
        cr_expect(kernel.placement[0] == 4 && kernel.placement[1] == 9, "case %zu", n);
        const gpc_block *block = next_block(&r, trace);
        cr_expect(block->index == 1 && block->warps[1].count == 2, "case %zu", n);
        cr_expect_eq(block->warps[1].instructions->line, n % 2 ? 77 : 0);
        next_block(&r, trace);
        expect_end(&r, trace);
        gpc_trace_close(trace);
    }
    write_text(&r, "k.sm", "2\n3\n"); /* a user's map */
    gpc_trace *trace = open_trace(&r, path_of(&r, "k.traceg"));
    const gpc_kernel kernel = next_kernel(&r, trace);
    cr_expect(kernel.placement_count == 2 && kernel.placement[0] == 2 && kernel.placement[1] == 3);
    gpc_trace_close(trace);
    rig_close(&r);
}

/* Blocks of a grid of three different extents, the last block first, each on an SM of its own. */
Test(raw, sms_of_three_dimensions) {
    char text[4096], *to = text;
    to += sprintf(to, "-grid dim = (2,3,4)\n-block dim = (32,1,1)\n-accelsim tracer version = 4\n#traces format = x\n");
    for (unsigned b = 24; b-- > 0;)
        to += sprintf(to, "#BEGIN_TB\nthread block = %u,%u,%u\nwarp = 0\ninsts = 1\n%u 40 0000 1 " EXIT "#END_TB\n",
                      b % 2, b / 2 % 3, b / 6, 3 * b + 1);
    rig r;
    rig_open(&r);
    write_text(&r, "k.traceg", text);
    gpc_trace *trace = open_trace(&r, path_of(&r, "k.traceg"));
    const gpc_kernel kernel = next_kernel(&r, trace);
    cr_assert_eq(kernel.placement_count, 24);
    for (unsigned b = 0; b < 24; b++)
        cr_expect_eq(kernel.placement[b], 3 * b + 1, "block %u", b);
    gpc_trace_close(trace);
    rig_close(&r);
}

/* Error and line: the first of equal lines. */
Test(raw, malformed) {
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {HEAD "0000 1 " EXIT, "k:8: expected an instruction behind its block and warp"},
        {HEAD "0 0 0 0 0 0 0 0 0000 1 " EXIT, "k:8: expected an instruction behind its block and warp"},
        {HEAD "0 0 0 0 0000 1 " EXIT "0 0 0 0 5 6 0000 1 " EXIT, "k:9: expected an instruction behind its block"},
        {HEAD "0 0 0 0 0000 1 " EXIT "#BEGIN_TB\nthread block = 0,0,0\n", "k:10: expected an instruction behind"},
        {HEAD "2 0 0 0 0000 1 " EXIT, "k:8: expected a thread block of the grid (2,1,1) and a warp from 0 to 1"},
        {HEAD "0 0 0 2 0000 1 " EXIT, "k:8: expected a thread block of the grid (2,1,1) and a warp from 0 to 1"},
        {HEAD "0 0 -1 0 0000 1 " EXIT, "k:8: expected decimal numbers"},
        {HEAD "0 0 0 0 5 6 0000 1 " EXIT "0 0 0 0 4 6 0010 1 " EXIT, "k:9: expected SM 5"},
        {HEAD "0 0 0 0 5 6 0000 1 " EXIT "0 0 0 1 4 6 0010 1 " EXIT, "k:9: expected SM 5, which other instructions"},
        {HEAD "0 0 0 0 0000 1 " EXIT "0 0 0 0 0010 1 0 EXIT x\n0 0 0 1 0010 1 0 EXIT x\n", "k:9: expected the number"},
        {HEAD BLOCK("0", "9 40 ", "") BLOCK("0", "4 41 ", ""), "k:30: expected SM 9"},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        rig r;
        rig_open(&r);
        uint64_t instructions;
        write_text(&r, "k", cases[n].text);
        expect_error(&r, read_all(&r, path_of(&r, "k"), &instructions), GPC_ERROR_FORMAT, cases[n].expected);
        rig_close(&r);
    }
}

/* A few instructions reserve no room for the SMs of a grid of four thousand million blocks. */
Test(raw, sms_of_a_large_grid) {
    static const char head[] = "-grid dim = (65535,65535,1)\n-block dim = (32,1,1)\n#traces format\n";
    rig r;
    rig_open(&r);
    uint64_t instructions;
    char text[256];
    snprintf(text, sizeof text, "%s0 0 0 0 5 6 0000 1 " EXIT, head);
    write_text(&r, "k", text);
    expect_error(&r, read_all(&r, path_of(&r, "k"), &instructions), GPC_ERROR_FORMAT, "more of the grid's 4294836225");
    rig_close(&r);
}

static void count_copies(void *data, uint64_t address, uint64_t bytes) {
    *(uint64_t *)data += address + bytes;
}

/* Newer tracers name files by contexts. Lists of several contexts are not one trace. */
Test(raw, lists) {
    rig r;
    rig_open(&r);
    shell(&r, "mkdir t");
    write_text(&r, "t/kernelslist_ctx_0x7f00", "MemcpyHtoD,0x1000,64\nkernel-1-ctx_0x7f00.trace\n");
    write_text(&r, "t/kernel-1-ctx_0x7f00.trace", HEAD "0 0 0 0 0000 1 " EXIT);
    gpc_trace *trace = open_trace(&r, path_of(&r, "t"));
    uint64_t copied = 0;
    gpc_trace_on_memcpy(trace, count_copies, &copied);
    next_kernel(&r, trace);
    cr_expect_eq(copied, 0x1000 + 64);
    expect_last_kernel(&r, trace);
    gpc_trace_close(trace);
    write_text(&r, "t/kernelslist_ctx_0x7f99", "kernel-1-ctx_0x7f99.trace\n");
    gpc_status status = gpc_trace_open(r.context, path_of(&r, "t"), &trace, &r.error);
    expect_error(&r, status, GPC_ERROR_UNSUPPORTED, "lists of 2 contexts");
    cr_expect(strstr(r.error.message, "t/kernelslist_ctx_0x7f00"), "%s", r.error.message);
    shell(&r, "cp t/kernel-1-ctx_0x7f00.trace t/kernel-1.traceg"); /* processed files go first */
    trace = open_trace(&r, path_of(&r, "t"));
    cr_expect_eq(gpc_trace_kernel_count(trace), 1);
    gpc_trace_close(trace);
    rig_close(&r);
}
