/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Instruction lines of every tracer version. */

/* The first warp of the only block of a file with these lines. */
static const gpc_warp *warp_of(rig *r, gpc_trace **trace, const char *header, const char *lines, unsigned count) {
    write_block(r, "k.traceg", header, lines, count);
    *trace = open_trace(r, path_of(r, "k.traceg"));
    next_kernel(r, *trace);
    const gpc_block *block = next_block(r, *trace);
    expect_end(r, *trace);
    return &block->warps[0];
}

static void expect_addresses(const gpc_instruction *instruction, unsigned count, const uint64_t *expected) {
    cr_assert_not_null(instruction->addresses);
    for (unsigned i = 0; i < count; i++)
        cr_assert_eq(instruction->addresses[i], expected[i], "%u: %llx", i,
                     (unsigned long long)instruction->addresses[i]);
}

Test(text, header) {
    rig r;
    rig_open(&r);
    write_text(&r, "k.traceg",
               "-kernel name = void k<(int)3, float>(float*, A::B const&)\n-kernel id = 7\n"
               "-grid dim = (3,2,5)\n-block dim = (33,2,1)\n-shmem = 4096\n-nregs = 40\n-binary version = 86\n"
               "-cuda stream id = 18446744073709551615\n-shmem base_addr = 0x00007f2b5a000000\n"
               "-local mem base_addr = 0x00007f2b58000000\n-nvbit version = 1.5.5\n"
               "-accelsim tracer version = 4\n-something new = (a,b)\n-enable lineinfo = 0\n\n"
               "#traces format = [line_num] PC mask\n");
    gpc_trace *trace = open_trace(&r, path_of(&r, "k.traceg"));
    cr_assert_eq(gpc_trace_kernel_count(trace), 1);
    gpc_kernel k = next_kernel(&r, trace);
    cr_assert_str_eq(k.name, "void k<(int)3, float>(float*, A::B const&)");
    cr_assert_str_eq(k.file, path_of(&r, "k.traceg"));
    cr_assert_eq(k.id, 7);
    cr_assert_eq(k.index, 0);
    cr_assert(k.grid[0] == 3 && k.grid[1] == 2 && k.grid[2] == 5);
    cr_assert(k.block[0] == 33 && k.block[1] == 2 && k.block[2] == 1);
    cr_assert_eq(k.shared_bytes, 4096);
    cr_assert_eq(k.registers, 40);
    cr_assert_eq(k.binary_version, 86);
    cr_assert_eq(k.tracer_version, 4);
    cr_assert_eq(k.warp_lanes, 32);
    cr_assert_eq(k.stream, UINT64_MAX);
    cr_assert_eq(k.shared_base, 0x7f2b5a000000u);
    cr_assert_eq(k.local_base, 0x7f2b58000000u);
    cr_assert_eq(k.block_count, 30);
    cr_assert_null(k.placement);
    expect_end(&r, trace);
    cr_assert_eq(r.logged, 1, "the log tells of missing blocks");
    cr_assert(strstr(r.log, "0 of the grid's 30"), "%s", r.log);
    expect_last_kernel(&r, trace);
    gpc_trace_close(trace);
    rig_close(&r);
}

/* Tracers have printed 64-bit handles through a signed number of 32 bits: a name, modulo 2^64. */
Test(text, negative_stream) {
    rig r;
    rig_open(&r);
    write_text(&r, "k.traceg", HEADER "-cuda stream id = -1610613248\n#traces format\n");
    gpc_trace *trace = open_trace(&r, path_of(&r, "k.traceg"));
    cr_assert_eq(next_kernel(&r, trace).stream, UINT64_C(0) - 1610613248);
    gpc_trace_close(trace);
    rig_close(&r);
}

Test(text, version_1_names_block_and_warp_on_every_line) {
    rig r;
    rig_open(&r);
    gpc_trace *trace;
    const gpc_warp *warp = warp_of(&r, &trace, HEADER,
                                   "1 0 0 0 0010 ffffffff 1 R1 MOV 0 0 \n"
                                   "1 0 0 0 0290 ffff0000 1 R8 LDG.E.SYS 1 R2 4 1 0x00007fe033702880 4 \n"
                                   "1 0 0 0 a000 00000000 0 EXIT 0 0 \n",
                                   3);
    cr_assert_eq(warp->count, 3);
    const gpc_instruction *i = warp->instructions;
    cr_assert_eq(i[0].pc, 0x10);
    cr_assert_eq(i[0].mask, 0xffffffffu);
    cr_assert_eq(i[0].line, 0);
    cr_assert(i[0].destinations == 1 && i[0].sources == 0 && i[0].registers[0] == 1);
    cr_assert_str_eq(gpc_trace_opcode(trace, i[0].opcode), "MOV");
    cr_assert_null(i[0].addresses);
    cr_assert_eq(i[1].pc, 0x290);
    cr_assert_eq(i[1].mask, 0xffff0000u);
    for (unsigned lane = 0; lane < 16; lane++)
        cr_assert_eq(i[1].addresses[lane], 0x7fe033702880u + 4 * lane);
    cr_assert_eq(i[2].pc, 0xa000);
    cr_assert_eq(i[2].op_class, GPC_OP_EXIT);
    gpc_trace_close(trace);
    rig_close(&r);
}

/* The header of version 3 announces the columns of version 2, absent in the lines. */
Test(text, columns_are_those_of_the_line) {
    static const char *const lines[] = {
        "0120 0000000f 0 STG.E.64 2 R6 R9 8 0 0x10 0x0 0x30 0x28\n",
        "77 0120 0000000f 0 STG.E.64 2 R6 R9 8 0 0x10 0x0 0x30 0x28\n",
        "0 0 0 0 0120 0000000f 0 STG.E.64 2 R6 R9 8 0 0x10 0x0 0x30 0x28\n",
        "0 0 0 0 77 0120 0000000f 0 STG.E.64 2 R6 R9 8 0 0x10 0x0 0x30 0x28\n",
        "\t0120   0000000f 0  STG.E.64 2 R6 R9 8 0 10 0 30 28  \r\n",
    };
    static const char *const versions[] = {"", "-accelsim tracer version = 2\n", "-accelsim tracer version = 3\n",
                                           "-accelsim tracer version = 4\n-enable lineinfo = 1\n"};
    for (size_t v = 0; v < 4; v++)
        for (size_t n = 0; n < 5; n++) {
            rig r;
            rig_open(&r);
            gpc_trace *trace;
            char header[256];
            snprintf(header, sizeof header, "%s%s", HEADER, versions[v]);
            const gpc_instruction *i = warp_of(&r, &trace, header, lines[n], 1)->instructions;
            cr_assert_eq(i->pc, 0x120);
            cr_assert_eq(i->mask, 15);
            cr_assert_eq(i->line, n == 1 || n == 3 ? 77 : 0);
            cr_assert_eq(i->width, 8);
            cr_assert(i->destinations == 0 && i->sources == 2 && i->registers[0] == 6 && i->registers[1] == 9);
            expect_addresses(i, 4, (const uint64_t[]){0x10, 0, 0x30, 0x28});
            gpc_trace_close(trace);
            rig_close(&r);
        }
}

/* Columns may change within a file, and a line with a repeated PC may omit the rest. */
Test(text, lines_at_one_pc_may_differ) {
    rig r;
    rig_open(&r);
    gpc_trace *trace;
    const gpc_warp *warp = warp_of(&r, &trace, HEADER,
                                   "0010 00000001 1 R1 LDG.E 1 R2 4 1 0x100 0\n"
                                   "0010 00000003 1 R1 LDG.E 1 R2 4 1 0x200 8\n"
                                   "0010 00000001 1 R1 LDG.E 1 R2 4 2 0x300 5\n"
                                   "0010 00000001 1 R1 LDG.E 1 R2 0\n"
                                   "0010 00000001 1 R1 LDG.E 1 R20 4 1 0x400 0\n"
                                   "0010 00000001 1 R1 LDG.E.64 1 R2 4 1 0x500 0\n"
                                   "9 0010 00000001 1 R1 LDG.E 1 R2 4 1 0x600 0\n"
                                   "10 00000001 1 R1 LDG.E 1 R2 4 1 0x700 0\n",
                                   8);
    const gpc_instruction *i = warp->instructions;
    expect_addresses(&i[0], 1, (const uint64_t[]){0x100});
    expect_addresses(&i[1], 2, (const uint64_t[]){0x200, 0x208});
    expect_addresses(&i[2], 1, (const uint64_t[]){0x300}); /* 5 is an immediate: one lane has no difference */
    cr_assert_null(i[3].addresses);
    cr_assert_eq(i[4].registers[1], 20);
    cr_assert_eq(i[4].addresses[0], 0x400);
    cr_assert_eq(i[5].width, 8);
    cr_assert_eq(i[5].addresses[0], 0x500);
    cr_assert(i[6].line == 9 && i[6].addresses[0] == 0x600);
    cr_assert(i[7].line == 0 && i[7].pc == 0x10 && i[7].addresses[0] == 0x700);
    gpc_trace_close(trace);
    rig_close(&r);
}

Test(text, address_modes) {
    rig r;
    rig_open(&r);
    gpc_trace *trace;
    const gpc_warp *warp = warp_of(&r, &trace, HEADER,
                                   "0000 80000005 1 R1 LDG.E 1 R2 4 0 0x0 0xffffffffffffffff 0x00007f0000000010\n"
                                   "0010 00000070 1 R1 LDG.E 1 R2 4 1 0x7f0000001000 -8\n"
                                   "0020 00000011 1 R1 LDG.E 1 R2 4 1 0x20 64\n"
                                   "0030 f0000000 1 R1 LDG.E 1 R2 4 2 0x1000 -4096 9223372036854775807 1\n"
                                   "0040 00000000 1 R1 LDG.E 1 R2 4 1 0x0 0\n"
                                   "0050 00000000 1 R1 LDG.E 1 R2 4 0\n"
                                   "0060 00000000 1 R1 LDG.E 1 R2 4 2 0x0\n",
                                   7);
    const gpc_instruction *i = warp->instructions;
    /* Lane address 0 stays. */
    expect_addresses(&i[0], 3, (const uint64_t[]){0, UINT64_MAX, 0x7f0000000010u});
    expect_addresses(&i[1], 3, (const uint64_t[]){0x7f0000001000u, 0x7f0000000ff8u, 0x7f0000000ff0u});
    expect_addresses(&i[2], 2, (const uint64_t[]){0x20, 0x60}); /* the second active lane, though not adjacent */
    expect_addresses(&i[3], 4, (const uint64_t[]){0x1000, 0, 0x7fffffffffffffffu, 0x8000000000000000u});
    for (int n = 4; n < 7; n++)
        cr_assert(i[n].mask == 0 && i[n].addresses == NULL && i[n].op_class == GPC_OP_MEMORY);
    gpc_trace_close(trace);
    rig_close(&r);
}

Test(text, immediate_is_optional_in_every_version) {
    static const char *const versions[] = {"", "-accelsim tracer version = 4\n", "-accelsim tracer version = 5\n"};
    for (size_t v = 0; v < 3; v++) {
        rig r;
        rig_open(&r);
        gpc_trace *trace;
        char header[256];
        snprintf(header, sizeof header, "%s%s", HEADER, versions[v]);
        const gpc_warp *warp = warp_of(&r, &trace, header,
                                       "0 ffffffff 1 R1 MOV 0 0 0 \n"
                                       "10 ffffffff 1 R1 MOV 0 0 -12 \n"
                                       "20 3 1 R4 LDG.E 1 R4 4 1 0x7fb0fc430e00 4 18446744073709551615 \n"
                                       "30 3 1 R4 LDG.E 1 R4 4 2 0x7fb0fc430e00 4 -1\n"
                                       "40 1 1 R4 LDG.E 1 R4 4 2 0x7fb0fc430e00 4\n"
                                       "c0 ffffffff 1 R1 MOV 0 0 16\n",
                                       6);
        cr_assert_eq(warp->count, 7, "and an EXIT");
        for (unsigned n = 2; n < 4; n++)
            expect_addresses(&warp->instructions[n], 2, (const uint64_t[]){0x7fb0fc430e00u, 0x7fb0fc430e04u});
        expect_addresses(&warp->instructions[4], 1, (const uint64_t[]){0x7fb0fc430e00u});
        cr_assert_eq(warp->instructions[5].pc, 0xc0);
        gpc_trace_close(trace);
        rig_close(&r);
    }
}

Test(text, registers_beyond_eight_are_dropped) {
    rig r;
    rig_open(&r);
    gpc_trace *trace;
    const gpc_warp *warp = warp_of(&r, &trace, HEADER "-accelsim tracer version = 6\n",
                                   "0000 1 2 R255 UP1 MOV 9 R0 R1 UR63 P7 RZ PT URZ UPT R8 0\n", 1);
    const gpc_instruction *i = warp->instructions;
    cr_assert_eq(i->destinations, 2);
    cr_assert_eq(i->sources, 6);
    const uint16_t expected[] = {GPC_REGISTER_R | 255, GPC_REGISTER_UP | 1, 0,   1,
                                 GPC_REGISTER_UR | 63, GPC_REGISTER_P | 7,  255, GPC_REGISTER_P | 7};
    for (int n = 0; n < 8; n++)
        cr_assert_eq(i->registers[n], expected[n], "%d", n);
    gpc_trace_close(trace);
    rig_close(&r);
}

/* Warps of 33 x 3 = 99 threads: four. One is late, one empty, one lacks an EXIT, one is missing. */
Test(text, warps_in_any_order_end_with_an_exit) {
    rig r;
    rig_open(&r);
    write_text(&r, "k.traceg",
               "-grid dim = (4,3,2)\n-block dim = (33,3,1)\n#\n\n#BEGIN_TB\n\nthread block = 3,1,1\n\n"
               "warp = 3\ninsts = 1\n0000 ffffffff 0 EXIT 0 0\n\n"
               "warp = 1\ninsts = 2\n\n0000 1 0 NOP 0 0\n\n0010 1 0 BRA 0 0\n\nwarp = 0\ninsts = 0\n\n#END_TB\n");
    gpc_trace *trace = open_trace(&r, path_of(&r, "k.traceg"));
    next_kernel(&r, trace);
    const gpc_block *block = next_block(&r, trace);
    cr_assert(block->x == 3 && block->y == 1 && block->z == 1);
    cr_assert_eq(block->index, 3 + 4 * (1 + 3 * 1));
    cr_assert_eq(block->warp_count, 4);
    cr_assert_eq(block->instruction_count, 1 + 3 + 1 + 1);
    const uint64_t counts[] = {1, 3, 1, 1};
    for (uint32_t w = 0; w < 4; w++) {
        const gpc_warp *warp = &block->warps[w];
        cr_assert_eq(warp->warp, w);
        cr_assert_eq(warp->count, counts[w]);
        const gpc_instruction *last = &warp->instructions[warp->count - 1];
        cr_assert_eq(last->op_class, GPC_OP_EXIT);
        cr_assert_str_eq(gpc_trace_opcode(trace, last->opcode), "EXIT");
        cr_assert_eq(last->mask, w == 3 ? 0xffffffffu : 0);
    }
    expect_end(&r, trace);
    gpc_trace_close(trace);
    rig_close(&r);
}

/* Blocks live until released, in any number; released blocks are reused. */
Test(text, held_blocks_keep_their_contents) {
    rig r;
    rig_open(&r);
    char text[65536];
    int at = snprintf(text, sizeof text, "-grid dim = (100,1,1)\n-block dim = (32,1,1)\n#\n");
    for (int b = 99; b >= 0; b--)
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "#BEGIN_TB\nthread block = %d,0,0\nwarp = 0\ninsts = 1\n0000 3 0 STG 0 4 1 0x%x 4\n#END_TB\n", b,
                       b * 256);
    write_text(&r, "k.traceg", text);
    gpc_trace *trace = open_trace(&r, path_of(&r, "k.traceg"));
    next_kernel(&r, trace);
    const gpc_block *held[100];
    for (uint32_t n = 0; n < 100; n++) {
        held[n] = next_block(&r, trace);
        for (uint32_t k = n % 3 ? 0 : n; k <= n; k++) { /* sometimes all */
            if (!held[k])
                continue;
            cr_assert_eq(held[k]->index, 99 - k);
            cr_assert_eq(held[k]->warps[0].instructions[0].addresses[1], (99 - k) * 256 + 4);
        }
        if (n % 4 == 3) {
            gpc_trace_release_block(trace, held[n - 2]);
            held[n - 2] = NULL;
        }
    }
    expect_end(&r, trace);
    cr_assert_float_eq(gpc_trace_progress(trace), 1, 0);
    gpc_trace_close(trace); /* with blocks still held */
    rig_close(&r);
}

Test(text, generic_accesses_by_address) {
    rig r;
    rig_open(&r);
    const char *bases = HEADER "-shmem base_addr = 0x10000000\n-local mem base_addr = 0x12000000\n";
    const char *lines = "0000 1 1 R1 LD.E 1 R2 4 1 0x10000000 0\n"
                        "0010 1 1 R1 LD.E 1 R2 4 1 0x11fffffc 0\n"
                        "0020 1 1 R1 LD.E 1 R2 4 1 0x12000000 0\n"
                        "0030 1 0 ST.E 2 R1 R2 4 1 0xffffffc 0\n"
                        "0040 1 0 ST.E 2 R1 R2 4 1 0x7f0000000000 0\n"
                        "0050 1 1 R1 ATOM.E.ADD 1 R2 4 1 0x10000010 0\n"
                        "0060 1 1 R1 LDG.E 1 R2 4 1 0x10000010 0\n"
                        "0070 0 1 R1 LD.E 1 R2 4 1 0x0 0\n";
    gpc_trace *trace;
    const gpc_instruction *i = warp_of(&r, &trace, bases, lines, 8)->instructions;
    const uint8_t spaces[] = {GPC_SPACE_SHARED, GPC_SPACE_SHARED, GPC_SPACE_LOCAL,  GPC_SPACE_GLOBAL,
                              GPC_SPACE_GLOBAL, GPC_SPACE_SHARED, GPC_SPACE_GLOBAL, GPC_SPACE_GENERIC};
    for (int n = 0; n < 8; n++)
        cr_assert_eq(i[n].space, spaces[n], "%d: %u", n, i[n].space);
    gpc_trace_close(trace);
    i = warp_of(&r, &trace, HEADER, lines, 8)->instructions; /* no bases: all global */
    for (int n = 0; n < 7; n++)
        cr_assert_eq(i[n].space, GPC_SPACE_GLOBAL, "%d: %u", n, i[n].space);
    gpc_trace_close(trace);
    /* The local window below the shared window, as with recent drivers. */
    i = warp_of(&r, &trace, HEADER "-shmem base_addr = 0x12000000\n-local mem base_addr = 0x10000000\n", lines, 8)
            ->instructions;
    const uint8_t swapped[] = {GPC_SPACE_LOCAL, GPC_SPACE_LOCAL, GPC_SPACE_SHARED, GPC_SPACE_GLOBAL, GPC_SPACE_GLOBAL};
    for (int n = 0; n < 5; n++)
        cr_assert_eq(i[n].space, swapped[n], "%d: %u", n, i[n].space);
    gpc_trace_close(trace);
    rig_close(&r);
}

/* A reader expects the previous line: a loop again with other masks, fronts, widths of blanks, and middles. */
Test(text, lines_that_come_again_with_changes) {
    static const struct {
        const char *line;
        uint64_t mask;
        uint32_t line_number;
        uint16_t first;
    } lines[] = {
        {"10 ffffffff 1 R1 MOV 1 R2 0", 0xffffffff, 0, 1},
        {"20 ffffffff 1 R4 LDG.E 1 R2 4 1 0x1000 4", 0xffffffff, 0, 4},
        {"10 ffffffff 1 R1 MOV 1 R2 0", 0xffffffff, 0, 1},
        {"20 ffffffff 1 R4 LDG.E 1 R2 4 1 0x1000 4", 0xffffffff, 0, 4},
        {"10 0000ffff 1 R1 MOV 1 R2 0", 0xffff, 0, 1},
        {"20 ffff0000 1 R4 LDG.E 1 R2 4 1 0x2000 -4", 0xffff0000, 0, 4},
        {"10 ffff 1 R1 MOV 1 R2 0", 0xffff, 0, 1}, /* a narrower mask */
        {"20 0xf0 1 R4 LDG.E 1 R2 4 2 0x2000 8 -16 1048576", 0xf0, 0, 4},
        {"10 0x0f 1 R1 MOV 1 R2 0", 0xf, 0, 1},
        {"20 0xf0 1 R4 LDG.E 1 R2 4 2 0x2000 8 -16 12345678901", 0xf0, 0, 4},
        {"10  1 1 R1 MOV 1 R2 0", 1, 0, 1}, /* the mask of another place */
        {"20   f0 1 R5 LDG.E 1 R2 4 0 0x1 0x2 0x3 0x4", 0xf0, 0, 5},
        {"7 10 ffffffff 1 R1 MOV 1 R2 0", 0xffffffff, 7, 1}, /* with a source line */
        {"7 10 ffffffff 1 R1 MOV 1 R2 0 ", 0xffffffff, 7, 1},
        {"8 10 ffffffff 1 R1 MOV 1 R2 0", 0xffffffff, 8, 1},
        {"10 ffffffff 1 R1 MOV 1 R2 0", 0xffffffff, 0, 1},
        {"10 ffffffff 1 R1 MOV 1 R2 0 5", 0xffffffff, 0, 1}, /* an immediate */
        {"10 ffffffff 1 R1 MOV 1 R22 0", 0xffffffff, 0, 1},  /* longer by a digit, and */
        {"10 ffffffff 1 R1 MOV 1 R2 0", 0xffffffff, 0, 1},   /* shorter */
    };
    const unsigned count = sizeof lines / sizeof *lines;
    char text[2048] = "";
    for (unsigned i = 0; i < count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s\n", lines[i].line);
    rig r;
    rig_open(&r);
    gpc_trace *trace;
    const gpc_warp *warp = warp_of(&r, &trace, HEADER, text, count);
    cr_assert_eq(warp->count, count + 1, "and an EXIT");
    for (unsigned i = 0; i < count; i++) {
        const gpc_instruction *found = &warp->instructions[i];
        cr_assert_eq(found->mask, lines[i].mask, "%u: %llx", i, (unsigned long long)found->mask);
        cr_assert_eq(found->line, lines[i].line_number, "%u: line %u", i, found->line);
        cr_assert_eq(found->registers[0], lines[i].first, "%u: R%u", i, found->registers[0]);
        cr_assert_eq(found->registers[1], i == 17 ? 22 : 2, "%u: R%u", i, found->registers[1]);
        cr_assert_eq(found->addresses != NULL, found->pc == 0x20, "%u", i);
    }
    expect_addresses(&warp->instructions[5], 3, (const uint64_t[]){0x2000, 0x1ffc, 0x1ff8});
    expect_addresses(&warp->instructions[7], 4, (const uint64_t[]){0x2000, 0x2008, 0x1ff8, 0x101ff8});
    expect_addresses(&warp->instructions[9], 4, (const uint64_t[]){0x2000, 0x2008, 0x1ff8, 0x1ff8 + 12345678901u});
    expect_addresses(&warp->instructions[11], 4, (const uint64_t[]){1, 2, 3, 4});
    gpc_trace_close(trace);
    rig_close(&r);
}
