/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Launches of NVBit's mem_trace, with accesses at arbitrary times. */

#define LAUNCH_AT(context, name, id, stream)                                                                \
    "MEMTRACE: CTX " context " - LAUNCH - Kernel pc 0x00007f00 - Kernel name " name " - grid launch id " id \
    " - grid size 2,1,1 - block size 64,1,1 - nregs 24 - shmem 0 - cuda stream id " stream "\n"
#define ACCESS_AT(context, id, block, warp, opcode, address)                                                        \
    "MEMTRACE: CTX " context " - grid_launch_id " id " - CTA " block ",0,0 - warp " warp " - " opcode " - " address \
    " 0x0000000000000000 \n"
#define LAUNCH(name, id) LAUNCH_AT("0x00000000000000a0", name, id, "0")
#define ACCESS(id, block, warp, opcode, address) ACCESS_AT("0x00000000000000a0", id, block, warp, opcode, address)

/* The next kernel, as "NAME: opcode address, ...; opcode ..." of the warps, in order. */
static const char *told(rig *r, gpc_trace *trace) {
    static char text[512];
    gpc_kernel kernel = next_kernel(r, trace);
    size_t length = (size_t)snprintf(text, sizeof text, "%s:", kernel.name);
    for (;;) {
        const gpc_block *block;
        const gpc_status status = gpc_trace_next_block(trace, &block, &r->error);
        cr_assert_geq(status, 0, "%s", r->error.message);
        if (status == GPC_END)
            return text;
        for (uint32_t w = 0; w < block->warp_count; w++)
            for (uint64_t n = 0; n + 1 < block->warps[w].count; n++) { /* but for EXIT */
                const gpc_instruction *i = &block->warps[w].instructions[n];
                length += (size_t)snprintf(text + length, sizeof text - length, " %u.%u %s %llx", block->index, w,
                                           gpc_trace_opcode(trace, i->opcode), (unsigned long long)i->addresses[0]);
            }
    }
}

static const char mixed[] = "hello\n" LAUNCH("a", "0") LAUNCH("b", "1") ACCESS("0", "0", "3", "LDG.E", "0x100")
    ACCESS("1", "1", "9", "LDG.E.64", "0x200") "noise\n" LAUNCH("none", "2") ACCESS("0", "1", "3", "STG.E", "0x300")
        LAUNCH("c", "3") ACCESS("3", "0", "0", "LDG.E", "0x400") ACCESS("1", "0", "1", "STG.E", "0x500")
            ACCESS("0", "0", "3", "STG.E", "0x600") ACCESS("3", "0", "0", "LDG.E", "0x700");

static void check_mixed(rig *r, const char *path) {
    gpc_trace *trace = open_trace(r, path);
    cr_expect_str_eq(told(r, trace), "a: 0.0 LDG.E 100 0.0 STG.E 600 1.0 STG.E 300");
    cr_expect_str_eq(told(r, trace), "b: 0.0 STG.E 500 1.0 LDG.E.64 200");
    cr_expect_str_eq(told(r, trace), "none:");
    cr_expect_str_eq(told(r, trace), "c: 0.0 LDG.E 400 0.0 LDG.E 700");
    expect_last_kernel(r, trace);
    gpc_trace_close(trace);
}

/* Accesses belong to the launch at any place, and kernels come in order of launch; from a file and a pipe. */
Test(launches, mixed) {
    rig r;
    rig_open(&r);
    write_text(&r, "log", mixed);
    check_mixed(&r, path_of(&r, "log"));
    shell(&r, "gzip -k log && mkfifo pipe");
    shell(&r, "cat log > pipe &");
    check_mixed(&r, path_of(&r, "pipe"));
    check_mixed(&r, path_of(&r, "log.gz"));
    gpc_trace *trace = open_trace(&r, path_of(&r, "log"));
    cr_expect_eq(gpc_trace_kernel_count(trace), 4);
    for (int i = 0; i < 2; i++) {
        const gpc_kernel kernel = next_kernel(&r, trace);
        cr_expect(kernel.index == (uint32_t)i && kernel.id == (uint32_t)i + 1);
    }
    gpc_trace_close(trace);
    rig_close(&r);
}

/* Numbers are per context. A launch without accesses is a kernel, also at the end. */
Test(launches, contexts) {
    rig r;
    rig_open(&r);
    write_text(&r, "log",
               LAUNCH_AT("0xa0", "a", "0", "1") LAUNCH_AT("0xb0", "b", "0", "-1610612736")
                   ACCESS_AT("0xb0", "0", "0", "0", "LDG.E", "0xb") ACCESS_AT("0xa0", "0", "0", "0", "LDG.E", "0xa")
                       LAUNCH_AT("0xb0", "last", "1", "18446744073709551615"));
    gpc_trace *trace = open_trace(&r, path_of(&r, "log"));
    cr_expect_str_eq(told(&r, trace), "a: 0.0 LDG.E a");
    gpc_kernel kernel = next_kernel(&r, trace);
    cr_expect_str_eq(kernel.name, "b");
    cr_expect_eq(kernel.stream, UINT64_C(0) - 1610612736, "a handle that was printed as a signed number");
    cr_expect_eq(next_block(&r, trace)->warps[0].instructions[0].addresses[0], 0xb);
    kernel = next_kernel(&r, trace);
    cr_expect_str_eq(kernel.name, "last");
    cr_expect(kernel.stream == UINT64_MAX && kernel.block_count == 2);
    expect_end(&r, trace);
    expect_last_kernel(&r, trace);
    gpc_trace_close(trace);
    rig_close(&r);
}

/* Two runs in a file may repeat context and number: accesses belong to the launch before. */
Test(launches, once_more) {
    rig r;
    rig_open(&r);
    write_text(&r, "log",
               LAUNCH("a", "0") ACCESS("0", "0", "0", "LDG.E", "0xa") LAUNCH("b", "0")
                   ACCESS("0", "0", "0", "LDG.E", "0xb"));
    gpc_trace *trace = open_trace(&r, path_of(&r, "log"));
    cr_expect_str_eq(told(&r, trace), "a: 0.0 LDG.E a");
    cr_expect_str_eq(told(&r, trace), "b: 0.0 LDG.E b");
    gpc_trace_close(trace);
    rig_close(&r);
}

/* Releases of 2021 count a launch before printing the line. */
Test(launches, counted_before_printed) {
    rig r;
    rig_open(&r);
    write_text(&r, "log",
               LAUNCH("a", "1") ACCESS("0", "0", "0", "LDG.E", "0xa") LAUNCH("b", "2")
                   ACCESS("1", "0", "0", "LDG.E", "0xb") ACCESS("1", "0", "0", "LDG.E", "0xc"));
    gpc_trace *trace = open_trace(&r, path_of(&r, "log"));
    cr_expect_str_eq(told(&r, trace), "a: 0.0 LDG.E a");
    cr_expect_str_eq(told(&r, trace), "b: 0.0 LDG.E b 0.0 LDG.E c");
    expect_last_kernel(&r, trace);
    gpc_trace_close(trace);
    rig_close(&r);
}

/* Accesses of unannounced launches belong to no kernel; so does the number of the next launch's line once found. */
Test(launches, not_announced) {
    static const char *const logs[] = {
        LAUNCH("a", "0") ACCESS("7", "0", "0", "LDG.E", "0xa"),
        LAUNCH("a", "0") ACCESS_AT("0xb0", "0", "0", "0", "LDG.E", "0xa"),
        LAUNCH("a", "0") ACCESS("0", "0", "0", "LDG.E", "0xa") LAUNCH("c", "2") ACCESS("1", "0", "0", "LDG.E", "0xa"),
        LAUNCH("a", "0") "MEMTRACE: CTX 0xg0 - grid_launch_id 0 - CTA 0,0,0 - warp 0 - LDG.E - 0x1\n",
        LAUNCH("a", "0") ACCESS("x", "0", "0", "LDG.E", "0xa"),
    };
    static const char *const expected[] = {"log:2: expected a line \"LAUNCH", "log:2: expected a line \"LAUNCH",
                                           "log:4: expected a line \"LAUNCH", "log:2: expected \"CTX 0x",
                                           "log:2: expected \"CTX 0x"};
    for (size_t n = 0; n < sizeof logs / sizeof *logs; n++) {
        rig r;
        rig_open(&r);
        uint64_t instructions;
        write_text(&r, "log", logs[n]);
        expect_error(&r, read_all(&r, path_of(&r, "log"), &instructions), GPC_ERROR_FORMAT, expected[n]);
        rig_close(&r);
    }
}

/* A kernel complete long before the file's end is returned early. */
Test(launches, complete_early) {
    static const char launches[] = LAUNCH("a", "0") LAUNCH("b", "1") ACCESS("0", "0", "0", "LDG.E", "0xa");
    static const char access[] = ACCESS("1", "0", "0", "LDG.E", "0xb");
    const size_t more = 20000, length = sizeof launches - 1 + more * (sizeof access - 1);
    rig r;
    rig_open(&r);
    char *text = malloc(length + 1), *at = text + sizeof launches - 1;
    cr_assert(text);
    memcpy(text, launches, sizeof launches - 1);
    for (size_t n = 0; n < more; n++, at += sizeof access - 1)
        memcpy(at, access, sizeof access - 1);
    write_file(&r, "log", text, length);
    gpc_trace *trace = open_trace(&r, path_of(&r, "log"));
    cr_expect_str_eq(next_kernel(&r, trace).name, "a");
    cr_expect_lt(gpc_trace_progress(trace), 0.5);
    cr_expect_str_eq(next_kernel(&r, trace).name, "b");
    cr_expect_eq(next_block(&r, trace)->warps[0].count, more + 1);
    gpc_trace_close(trace);
    free(text);
    rig_close(&r);
}
