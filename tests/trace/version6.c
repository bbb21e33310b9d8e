/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/rig.h"

#include <criterion/criterion.h>
#include <string.h>

/* Additions of tracer version 6: register values, clusters, bulk and tensor copies. */

#define HEADER6 HEADER "-accelsim tracer version = 6\n"

static const gpc_warp *warp_of(rig *r, gpc_trace **trace, const char *lines, unsigned count) {
    write_block(r, "k.traceg", HEADER6, lines, count);
    *trace = open_trace(r, path_of(r, "k.traceg"));
    next_kernel(r, *trace);
    return &next_block(r, *trace)->warps[0];
}

Test(version6, values_and_immediates) {
    rig r;
    rig_open(&r);
    char lines[2048] = "0 ffffffff 1 R1 MOV 0 0 0 NoVal\n"
                       "10 ffffffff 1 R1 IADD3 2 R2 R3 0 5 6 NoVal\n"
                       "10 ffffffff 1 R1 IADD3 2 R2 R3 0 5 6 Val 1 ff 1 0 1 deadbeef\n"
                       "20 3 1 R4 LDG.E 1 UR4 4 1 0x100 4 0 Val 1 7f 32";
    for (int lane = 0; lane < 32; lane++)
        strcat(lines, " 1f");
    strcat(lines, "\n30 3 0 BAR.SYNC 0 0 1 2\n40 1 0 HGMMA.64x8x16.F32 2 R24 UR4 1 0 0 NoVal\n");
    gpc_trace *trace;
    const gpc_warp *warp = warp_of(&r, &trace, lines, 6);
    cr_assert_eq(warp->count, 7);
    cr_assert_eq(warp->instructions[2].pc, 0x10);
    cr_assert_eq(warp->instructions[3].addresses[1], 0x104);
    cr_assert_eq(warp->instructions[3].registers[1], GPC_REGISTER_UR | 4);
    cr_assert_eq(warp->instructions[4].op_class, GPC_OP_BARRIER);
    cr_assert_eq(warp->instructions[5].op_class, GPC_OP_TENSOR);
    gpc_trace_close(trace);
    rig_close(&r);
}

Test(version6, malformed_tails) {
    static const struct {
        const char *line, *expected;
    } cases[] = {
        {"0 1 1 R1 MOV 0 0 0 Val\n", "1 or 32"},
        {"0 1 1 R1 MOV 0 0 0 Val 2 1 1\n", "1 or 32"},
        {"0 1 1 R1 MOV 0 0 0 Val 1 xyz\n", "hexadecimal value"},
        {"0 1 1 R1 MOV 0 0 0 Val 1 1 1 1\n", "end of the line"},
        {"0 1 1 R1 MOV 0 0 0 Valid\n", "1 or 32"},
        {"0 1 1 R1 MOV 0 0 1 2 3\n", "end of the line"},
        {"0 1 0 UTMALDG.2D 0 16 zz 0 64 0 3 0\n", "barrier"},
        {"0 1 0 UTMALDG.2D 0 16 80 2 64 0 3 0\n", "multicast"},
        {"0 1 0 UTMALDG.2D 0 16 80 1\n", "mask of the blocks"},
        {"0 1 0 UTMALDG.2D 0 16 80 0 64\n", "bytes of the copy"},
        {"0 1 0 UTMALDG.2D 0 16 80 0 64 0 1 0\n", "3 or 4"},
        {"0 1 0 UTMALDG.2D 0 16 80 0 64 0 3 2 0x10\n", "as many hexadecimal addresses"},
        {"0 1 0 UTMALDG.2D 0 16 80 0 64 0 4 0x10 3 16\n", "as many decimal differences"},
        {"0 1 0 UTMALDG.2D 0 16 80 0 64 0 3 4000000000 0x10\n", "1 MiB"},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        rig r;
        rig_open(&r);
        uint64_t instructions;
        write_block(&r, "k.traceg", HEADER6, cases[n].line, 1);
        gpc_status status = read_all(&r, path_of(&r, "k.traceg"), &instructions);
        expect_error(&r, status, GPC_ERROR_FORMAT, cases[n].expected);
        expect_error(&r, status, GPC_ERROR_FORMAT, "k.traceg:11:");
        rig_close(&r);
    }
}

Test(version6, clusters) {
    rig r;
    rig_open(&r);
    const char *front = HEADER6 "#\n#BEGIN_TB\nthread block = 1,0,0\ncluster id = 0,0,0\ncluster cta = 1,0,0\n";
    char text[1024];
    strcat(strcpy(text, front), "cluster rank = 1\nwarp = 0\ninsts = 1\nc0 1 0 EXIT 0 0 0 NoVal\n#END_TB\n");
    write_text(&r, "k.traceg", text);
    gpc_trace *trace = open_trace(&r, path_of(&r, "k.traceg"));
    next_kernel(&r, trace);
    cr_assert_eq(next_block(&r, trace)->index, 1);
    gpc_trace_close(trace);
    strcat(strcpy(text, front), "cluster rank = one\n#END_TB\n");
    write_text(&r, "k.traceg", text);
    uint64_t instructions;
    gpc_status status = read_all(&r, path_of(&r, "k.traceg"), &instructions);
    expect_error(&r, status, GPC_ERROR_FORMAT, "k.traceg:11: expected \"cluster rank");
    rig_close(&r);
}

/* Three rows of 16 bytes by list; two rows of 300 bytes, in pieces of 128, 128 and 44, by differences. */
Test(version6, bulk_copies_become_lanes) {
    rig r;
    rig_open(&r);
    gpc_trace *trace;
    const gpc_warp *warp = warp_of(&r, &trace,
                                   "0 ffffffff 0 UTMALDG.2D 2 UR4 UR8 16 80 0 48 0 3 3 0x1000 0x2000 0x0 0 NoVal\n"
                                   "10 1 0 UBLKCP.G.S 2 UR4 UR8 300 80 1 f 600 0 4 0x4000 2 4096 0 0 NoVal\n"
                                   "20 0 0 UTMASTG.2D 2 UR4 UR8 16 80 0 0 0 3 2 0x1 0x2\n"
                                   "30 1 0 UTMAPF.2D 2 UR4 UR8 16 80 0 0 0 4 0x0 0\n",
                                   4);
    const gpc_instruction *i = warp->instructions;
    cr_assert(i[0].sources == 3 && i[0].registers[2] == (GPC_REGISTER_BARRIER | 0x80 / 8));
    cr_assert_eq(i[1].sources, 2); /* a store completes at no barrier */
    cr_assert(i[0].kind == GPC_LOAD && i[0].space == GPC_SPACE_GLOBAL && i[0].mask == 7 && i[0].width == 16);
    cr_assert(i[0].addresses[0] == 0x1000 && i[0].addresses[1] == 0x2000 && i[0].addresses[2] == 0);
    const struct {
        uint64_t first, mask;
        unsigned width;
    } stored[] = {{0x4000, 3, 128}, {0x4100, 1, 44}, {0x5000, 3, 128}, {0x5100, 1, 44}};
    for (int n = 0; n < 4; n++) {
        cr_assert(i[1 + n].pc == 0x10 && i[1 + n].kind == GPC_STORE);
        cr_assert_eq(i[1 + n].mask, stored[n].mask);
        cr_assert_eq(i[1 + n].width, stored[n].width);
        cr_assert_eq(i[1 + n].addresses[0], stored[n].first);
        cr_assert(stored[n].mask == 1 || i[1 + n].addresses[1] == stored[n].first + 128);
    }
    cr_assert(i[5].pc == 0x20 && i[5].mask == 0 && !i[5].addresses);
    cr_assert(i[6].pc == 0x30 && i[6].mask == 1 && !i[6].addresses && i[6].kind == GPC_PREFETCH);
    cr_assert_eq(warp->count, 8);
    gpc_trace_close(trace);
    rig_close(&r);
}

/* 100 rows of 64 bytes: 32 + 32 + 32 + 4 lanes. */
Test(version6, bulk_copies_fill_warps) {
    rig r;
    rig_open(&r);
    char line[4096] = "0 1 0 UTMALDG.2D 2 UR4 UR8 64 80 0 6400 0 4 0x10000 100";
    for (int n = 1; n < 100; n++)
        strcat(line, " 128");
    strcat(line, " 0 NoVal\n");
    gpc_trace *trace;
    const gpc_warp *warp = warp_of(&r, &trace, line, 1);
    cr_assert_eq(warp->count, 5);
    for (int n = 0; n < 4; n++) {
        cr_assert_eq(warp->instructions[n].mask, n < 3 ? 0xffffffffu : 15);
        for (int lane = 0; lane < (n < 3 ? 32 : 4); lane++)
            cr_assert_eq(warp->instructions[n].addresses[lane], 0x10000u + 128u * (unsigned)(32 * n + lane));
    }
    gpc_trace_close(trace);
    rig_close(&r);
}

/* Copies as ordinary instructions survive each format. */
Test(version6, bulk_copies_round_trip) {
    rig r;
    rig_open(&r);
    write_block(&r, "k.traceg", HEADER6,
                "0 1 0 UTMALDG.2D 2 UR4 UR8 300 80 0 6400 0 4 0x10000 3 4096 -16 0 NoVal\n"
                "20 0 0 UTMASTG.2D 2 UR4 UR8 16 80 0 0 0 3 2 0x1 0x2\n",
                2);
    convert(&r, path_of(&r, "k.traceg"), path_of(&r, "k.gct"), GPC_TRACE_BINARY);
    expect_same(&r, path_of(&r, "k.traceg"), path_of(&r, "k.gct"));
    convert(&r, path_of(&r, "k.traceg"), path_of(&r, "text"), GPC_TRACE_TEXT);
    expect_same(&r, path_of(&r, "k.traceg"), path_of(&r, "text"));
    rig_close(&r);
}
