/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Malformed text: errors with file, line and expectation. */

typedef struct malformed {
    const char *text, *where, *expected;
} malformed;

static void check(const malformed *m) {
    rig r;
    rig_open(&r);
    uint64_t instructions;
    write_text(&r, "k.traceg", m->text);
    gpc_status status = read_all(&r, path_of(&r, "k.traceg"), &instructions);
    expect_error(&r, status, GPC_ERROR_FORMAT, m->where);
    expect_error(&r, status, GPC_ERROR_FORMAT, m->expected);
    rig_close(&r);
}

#define GRID "-grid dim = (2,1,1)\n-block dim = (64,1,1)\n"

Test(errors, header) {
    static const malformed cases[] = {
        {"", "k.traceg:0:", "#traces format"},
        {"\n\n", "k.traceg:2:", "#traces format"},
        {"-kernel id = 1\n", "k.traceg:1:", "#traces format"},
        {"-kernel id = one\n", "k.traceg:1:", "decimal number below 2^32"},
        {"-kernel id = 4294967296\n", "k.traceg:1:", "decimal number below 2^32"},
        {"-kernel id = -1\n", "k.traceg:1:", "decimal number below 2^32"},
        {"-kernel id = 1 2\n", "k.traceg:1:", "-kernel id"},
        {"-kernel name\n", "k.traceg:1:", "-key = value"},
        {"kernel id = 1\n", "k.traceg:1:", "-key = value"},
        {"-cuda stream id = 18446744073709551616\n", "k.traceg:1:", "to 2^64 - 1"},
        {"-cuda stream id = -9223372036854775809\n", "k.traceg:1:", "from -2^63"},
        {"-shmem base_addr = 0xg\n", "k.traceg:1:", "hexadecimal"},
        {"-shmem base_addr = 0x\n", "k.traceg:1:", "hexadecimal"},
        {"-shmem base_addr = 0x12345678123456789\n", "k.traceg:1:", "hexadecimal"},
        {"\n-grid dim = (1,2)\n", "k.traceg:2:", "(x,y,z)"},
        {"-grid dim = 1,2,3\n", "k.traceg:1:", "(x,y,z)"},
        {"-grid dim = (1,2,3\n", "k.traceg:1:", "(x,y,z)"},
        {"-grid dim = (1,,3)\n", "k.traceg:1:", "(x,y,z)"},
        {"-grid dim = (1,2,4294967296)\n", "k.traceg:1:", "(x,y,z)"},
        {"-block dim = (1,1,1)\n#\n", "k.traceg:2:", "-grid dim"},
        {"-grid dim = (1,1,1)\n#\n", "k.traceg:2:", "-block dim"},
        {"-grid dim = (0,1,1)\n-block dim = (1,1,1)\n#\n", "k.traceg:3:", "at least 1"},
        {"-grid dim = (1,1,1)\n-block dim = (1,0,1)\n#\n", "k.traceg:3:", "at least 1"},
        {"-grid dim = (65536,65536,1)\n-block dim = (1,1,1)\n#\n", "k.traceg:3:", "2^32 thread blocks"},
        {"-grid dim = (4294967295,4294967295,4294967295)\n-block dim = (1,1,1)\n#\n", "k.traceg:3:", "2^32"},
        {"-grid dim = (1,1,1)\n-block dim = (65537,1,1)\n#\n", "k.traceg:3:", "65536 threads"},
        {"-grid dim = (1,1,1)\n-block dim = (4294967295,4294967295,4294967295)\n#\n", "k.traceg:3:", "threads"},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
        check(&cases[n]);
}

#define BLOCK GRID "#\n#BEGIN_TB\n"
#define PLACED BLOCK "thread block = 0,0,0\n"

Test(errors, structure) {
    static const malformed cases[] = {
        {GRID "#\nthread block = 0,0,0\n", ":4:", "#BEGIN_TB"},
        {GRID "#\n#END_TB\n", ":4:", "#BEGIN_TB"},
        {GRID "#\nwarp = 0\n", ":4:", "#BEGIN_TB"},
        {BLOCK, ":4:", "#END_TB"},
        {BLOCK "#BEGIN_TB\n", ":5:", "\"thread block"},
        {BLOCK "#END_TB\n", ":5:", "\"thread block = x,y,z\" before it"},
        {BLOCK "thread block 0,0,0\n", ":5:", "\"thread block"},
        {BLOCK "thread block = 0,0\n", ":5:", "one \"thread block"},
        {BLOCK "thread block = 0,0,0,0\n", ":5:", "one \"thread block"},
        {BLOCK "thread block = (0,0,0)\n", ":5:", "one \"thread block"},
        {BLOCK "thread block = 0,0,-1\n", ":5:", "one \"thread block"},
        {BLOCK "thread block = 2,0,0\n", ":5:", "of the grid (2,1,1)"},
        {BLOCK "thread block = 0,1,0\n", ":5:", "of the grid (2,1,1)"},
        {BLOCK "thread block = 0,0,1\n", ":5:", "of the grid (2,1,1)"},
        {PLACED "thread block = 1,0,0\n", ":6:", "one \"thread block"},
        {PLACED "#END_TB\n#BEGIN_TB\nthread block = 0,0,0\n", ":8:", "not there before"},
        {BLOCK "warp = 0\n", ":5:", "before the first warp"},
        {PLACED "warp = 2\n", ":6:", "each warp once, from 0 to 1"},
        {PLACED "warp = 4294967296\n", ":6:", "insts"},
        {PLACED "warp = x\n", ":6:", "insts"},
        {PLACED "warp = 0\nwarp = 1\n", ":7:", "insts"},
        {PLACED "warp = 0\ninsts = 0\nwarp = 0\n", ":8:", "each warp once"},
        {PLACED "insts = 1\n", ":6:", "\"warp = w\", then"},
        {PLACED "warp = 0\ninsts = 0\ninsts = 0\n", ":8:", "\"warp = w\", then"},
        {PLACED "warp = 0\ninsts = -1\n", ":7:", "\"warp = w\", then"},
        {PLACED "warp = 0\n#END_TB\n", ":7:", "insts"},
        {PLACED "warp = 0\ninsts = 1\n#END_TB\n", ":8:", "an instruction"},
        {PLACED "warp = 0\ninsts = 1\nwarp = 1\n", ":8:", "an instruction"},
        {PLACED "warp = 0\ninsts = 2\n0000 1 0 NOP 0 0\n\n", ":9:", "#END_TB"},
        {PLACED "warp = 0\ninsts = 1\n0000 1 0 NOP 0 0\n0010 1 0 EXIT 0 0\n", ":9:", "all the instructions"},
        {PLACED "warp = 0\ninsts = 1\n0000 1 0 NOP 0 0\n", ":8:", "#END_TB"},
        {PLACED "#comment\n", ":6:", "\"#END_TB\""},
        {PLACED "cluster id = 0,0\n", ":6:", "cluster id"},
        {PLACED "#END_TB\nrubbish\n", ":7:", "#BEGIN_TB"},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
        check(&cases[n]);
}

static const struct {
    const char *line, *expected;
} lines[] = {
    {"0000", "an instruction"},
    {"0000 ffffffff 1", "an instruction"},
    {"0000 ffffffff MOV 0 0", "an instruction"},
    {"1 2 3 4 5 6 7 8 0000 ffffffff 0 MOV 0 0", "an instruction"},
    {"1 2 3 4 5 6 7 8 9 10 11 MOV", "an instruction"},
    {"xyz ffffffff 0 MOV 0 0", "a hexadecimal PC"},
    {"0x ffffffff 0 MOV 0 0", "a hexadecimal PC"},
    {"11112222333344445 ffffffff 0 MOV 0 0", "a hexadecimal PC"},
    {"0000 fffffffg 0 MOV 0 0", "mask"},
    {"0000 1ffffffff 0 MOV 0 0", "mask"},
    {"x 0000 ffffffff 0 MOV 0 0", "decimal number"},
    {"0 0 0 -1 0000 ffffffff 0 MOV 0 0", "decimal number"},
    {"4294967296 0000 ffffffff 0 MOV 0 0", "decimal number"},
    {"0000 ffffffff x MOV 0 0", "destination registers"},
    {"0000 ffffffff 65 R1 MOV 0 0", "destination registers"},
    {"0000 ffffffff 1 MOV 0 0", "a register"},
    {"0000 ffffffff 1 R256 MOV 0 0", "a register"},
    {"0000 ffffffff 1 R MOV 0 0", "a register"},
    {"0000 ffffffff 1 R1x MOV 0 0", "a register"},
    {"0000 ffffffff 1 U1 MOV 0 0", "a register"},
    {"0000 ffffffff 1 PZ MOV 0 0", "a register"},
    {"0000 ffffffff 0 R1 MOV 0 0", "an opcode"},
    {"0000 ffffffff 1 R1 0 0", "an opcode"},
    {"0000 ffffffff 1 R1", "an opcode"},
    {"0000 ffffffff 1 R1 mov 0 0", "an opcode"},
    {"0000 ffffffff 1 R1 MO\x80V 0 0", "an opcode"},
    {"0000 ffffffff 0 MOV", "source registers"},
    {"0000 ffffffff 0 MOV -1 0", "source registers"},
    {"0000 ffffffff 0 MOV 1 0", "a register"},
    {"0000 ffffffff 0 MOV 0", "memory width"},
    {"0000 ffffffff 0 MOV 0 x", "memory width"},
    {"0000 ffffffff 0 STG 0 99999999 1 0x0 0", "memory width"},
    {"0000 ffffffff 0 STG 0 4", "address mode"},
    {"0000 ffffffff 0 STG 0 4 3 0x0 0", "address mode"},
    {"0000 ffffffff 0 STG 0 4 1", "base address"},
    {"0000 ffffffff 0 STG 0 4 1 0x0", "stride"},
    {"0000 ffffffff 0 STG 0 4 1 0x0 0x4", "stride"},
    {"0000 ffffffff 0 STG 0 4 1 0x0 -", "stride"},
    {"0000 ffffffff 0 STG 0 4 1 0x0 9223372036854775808", "stride"},
    {"0000 ffffffff 0 STG 0 4 2 x", "base address"},
    {"0000 00000007 0 STG 0 4 2 0x0 4", "difference"},
    {"0000 00000007 0 STG 0 4 0 0x0 0x4", "one hexadecimal address per active lane"},
    {"0000 00000003 0 STG 0 4 0 0x0 0x4 0x8", "immediate"},
    {"0000 00000003 0 STG 0 4 1 0x0 4 1 2", "end of the line"},
    {"0000 ffffffff 0 MOV 0 0 5 6", "end of the line"},
    {"0000 ffffffff 0 MOV 0 0 x", "end of the line"},
    {"0000 ffffffff 0 MOV 0 0 5x", "immediate"},
    {"0000 ffffffff 0 MOV 0 0 18446744073709551616", "immediate"},
    {"0000 ffffffff 0 MOV 0 0 0 NoVal", "end of the line"},
};

Test(errors, instructions) {
    for (size_t n = 0; n < sizeof lines / sizeof *lines; n++) {
        /* As the first line of the kind, and after a good line at the same PC. */
        for (int after = 0; after < 2; after++) {
            char text[512];
            snprintf(text, sizeof text, PLACED "warp = 0\ninsts = 2\n%s%s\n#END_TB\n",
                     after ? "0000 ffffffff 0 STG 0 4 1 0x0 4\n" : "", lines[n].line);
            check(&(malformed){text, after ? "k.traceg:9: expected" : "k.traceg:8: expected", lines[n].expected});
        }
    }
}

Test(errors, zero_bytes) {
    rig r;
    rig_open(&r);
    const char text[] = PLACED "warp = 0\ninsts = 1\n0000 ffffffff 0 MO\0V 0 0\n#END_TB\n";
    write_file(&r, "k.traceg", text, sizeof text - 1);
    uint64_t instructions;
    gpc_status status = read_all(&r, path_of(&r, "k.traceg"), &instructions);
    expect_error(&r, status, GPC_ERROR_FORMAT, "k.traceg:8: expected an opcode");
    rig_close(&r);
}

/* Lines may exceed the buffer's first size, but not without limit; a file cut at any place does no harm. */
Test(errors, long_lines) {
    rig r;
    rig_open(&r);
    size_t length = 3u << 20;
    char *text = malloc(length + 256);
    cr_assert_not_null(text);
    strcpy(text, "-kernel name = ");
    memset(text + 15, 'x', length);
    strcpy(text + 15 + length, "\n" GRID "#\n");
    write_text(&r, "k.traceg", text);
    gpc_trace *trace = open_trace(&r, path_of(&r, "k.traceg"));
    cr_assert_eq(strlen(next_kernel(&r, trace).name), length);
    gpc_trace_close(trace);
    free(text);
    shell(&r, "printf -- '-kernel name = ' > long.traceg && head -c 70000000 /dev/zero | tr '\\0' x >> long.traceg");
    uint64_t instructions;
    gpc_status status = read_all(&r, path_of(&r, "long.traceg"), &instructions);
    expect_error(&r, status, GPC_ERROR_FORMAT, "long.traceg:1: the line is longer than");
    rig_close(&r);
}

Test(errors, every_cut_is_an_error_or_a_shorter_trace) {
    static const char text[] =
        PLACED "warp = 0\ninsts = 2\n0000 ffffffff 1 R2 LDG.E 1 R4 4 2 0x7f00 4 8 12 4 4 4 4 4 4 4"
               " 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4\n0010 ffffffff 0 EXIT 0 0\n\n#END_TB\n";
    rig r;
    rig_open(&r);
    for (size_t length = 0; length < sizeof text - 1; length++) {
        uint64_t instructions;
        write_file(&r, "k.traceg", text, length);
        gpc_status status = read_all(&r, path_of(&r, "k.traceg"), &instructions);
        bool whole = length >= sizeof text - 2; /* but for the last newline */
        bool header = length > sizeof GRID - 1 && length < sizeof GRID - 1 + strlen("#\n#BEGIN_TB");
        cr_assert_eq(status, whole || header ? GPC_OK : GPC_ERROR_FORMAT, "%zu: %s", length, r.error.message);
        cr_assert_eq(instructions, whole ? 3 : 0, "%zu", length); /* two, and the EXIT of the missing warp */
    }
    rig_close(&r);
}

Test(errors, after_an_error_the_trace_only_closes) {
    rig r;
    rig_open(&r);
    write_text(&r, "k.traceg", PLACED "rubbish\n#END_TB\n");
    gpc_trace *trace = open_trace(&r, path_of(&r, "k.traceg"));
    const gpc_block *block = NULL;
    gpc_kernel kernel = GPC_KERNEL_INIT;
    expect_error(&r, gpc_trace_next_block(trace, &block, &r.error), GPC_ERROR_STATE, "gpc_trace_next_kernel first");
    next_kernel(&r, trace);
    expect_error(&r, gpc_trace_next_block(trace, &block, &r.error), GPC_ERROR_FORMAT, ":6:");
    expect_error(&r, gpc_trace_next_block(trace, &block, &r.error), GPC_ERROR_STATE, "only be closed");
    expect_error(&r, gpc_trace_next_kernel(trace, &kernel, &r.error), GPC_ERROR_STATE, "only be closed");
    cr_assert_null(block);
    gpc_trace_close(trace);
    rig_close(&r);
}

Test(errors, arguments) {
    rig r;
    rig_open(&r);
    gpc_trace *trace = NULL;
    const gpc_block *block;
    gpc_kernel kernel = GPC_KERNEL_INIT;
    expect_error(&r, gpc_trace_open(NULL, "x", &trace, &r.error), GPC_ERROR_ARGUMENT, "context");
    expect_error(&r, gpc_trace_open(r.context, NULL, &trace, &r.error), GPC_ERROR_ARGUMENT, "source");
    expect_error(&r, gpc_trace_open(r.context, "", &trace, &r.error), GPC_ERROR_ARGUMENT, "source");
    expect_error(&r, gpc_trace_open(r.context, "x", NULL, &r.error), GPC_ERROR_ARGUMENT, "out");
    cr_assert_null(trace);
    write_text(&r, "k.traceg", GRID "#\n");
    trace = open_trace(&r, path_of(&r, "k.traceg"));
    expect_error(&r, gpc_trace_next_kernel(NULL, &kernel, &r.error), GPC_ERROR_ARGUMENT, "trace");
    expect_error(&r, gpc_trace_next_kernel(trace, NULL, &r.error), GPC_ERROR_ARGUMENT, "kernel");
    expect_error(&r, gpc_trace_next_block(NULL, &block, &r.error), GPC_ERROR_ARGUMENT, "trace");
    expect_error(&r, gpc_trace_next_block(trace, NULL, &r.error), GPC_ERROR_ARGUMENT, "out");
    kernel.struct_size = 8;
    expect_error(&r, gpc_trace_next_kernel(trace, &kernel, &r.error), GPC_ERROR_ABI, "struct_size is 8");
    next_kernel(&r, trace);
    expect_end(&r, trace);
    cr_assert_str_eq(gpc_trace_opcode(trace, 12345), "");
    cr_assert_str_eq(gpc_trace_opcode(NULL, 0), "");
    gpc_ordering ordering = GPC_ORDERING_INIT;
    cr_assert_eq(gpc_trace_ordering(trace, 12345, &ordering, NULL), GPC_ERROR_RANGE);
    cr_assert_eq(gpc_trace_ordering(trace, 0, NULL, NULL), GPC_ERROR_ARGUMENT);
    cr_assert_eq(gpc_trace_ordering(NULL, 0, &ordering, NULL), GPC_ERROR_ARGUMENT);
    cr_assert_eq(gpc_trace_kernel_count(NULL), 0);
    cr_assert_float_eq(gpc_trace_progress(NULL), 0, 0);
    gpc_trace_on_memcpy(NULL, NULL, NULL);
    gpc_trace_release_block(trace, NULL);
    gpc_trace_close(trace);
    gpc_trace_close(NULL);
    /* A caller built against a later header, with a longer struct. */
    struct {
        gpc_kernel known;
        uint64_t later;
    } longer = {GPC_KERNEL_INIT, 42};
    longer.known.struct_size = sizeof longer;
    trace = open_trace(&r, path_of(&r, "k.traceg"));
    cr_assert_eq(gpc_trace_next_kernel(trace, &longer.known, NULL), GPC_OK);
    cr_assert(longer.known.grid[0] == 2 && longer.known.struct_size == sizeof longer && longer.later == 42);
    gpc_trace_close(trace);
    rig_close(&r);
}
