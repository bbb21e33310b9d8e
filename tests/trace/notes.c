/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/blocks/packed.h"
#include "trace/rewind.h"
#include "trace/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A trace reports instructions and lines without effect: opcode, lines, place and reason. */

static gpc_note note_of(const gpc_trace *trace, gpc_note_reason reason, const char *text) {
    gpc_note note = GPC_NOTE_INIT;
    for (size_t n = 0; n < gpc_trace_note_count(trace); n++) {
        cr_assert_eq(gpc_trace_note(trace, n, &note, NULL), GPC_OK);
        if (note.reason == (uint32_t)reason && !strcmp(note.text, text))
            return note;
    }
    return (gpc_note){.count = 0};
}

static void expect_note(const gpc_trace *trace, gpc_note_reason reason, const char *text, uint64_t count) {
    gpc_note note = note_of(trace, reason, text);
    cr_expect_eq(note.count, count, "%s, reason %u: %llu", text, reason, (unsigned long long)note.count);
    if (count)
        cr_expect(note.why && strlen(note.why) > 20, "%s", text);
}

/* The note names the text's line. */
static void expect_place(const gpc_trace *trace, gpc_note_reason reason, const char *text, const char *path) {
    const gpc_note note = note_of(trace, reason, text);
    size_t length;
    char *all = (char *)read_file(path, &length), *at = all;
    cr_assert_str_eq(note.file, path, "%s", text);
    for (uint64_t line = 1; line < note.line; line++)
        at = strchr(at, '\n') + 1;
    *strchr(at, '\n') = 0;
    cr_expect(note.line && strstr(at, text), "%s:%llu: %s", path, (unsigned long long)note.line, at);
    free(all);
}

static size_t read_kernel(rig *r, gpc_trace *trace) {
    const gpc_block *block;
    size_t blocks = 0;
    for (; gpc_trace_next_block(trace, &block, &r->error) == GPC_OK; blocks++)
        gpc_trace_release_block(trace, block);
    return blocks;
}

/* A line per kind of note, with ordinary lines between. */
static const char odd[] = "0000 ffffffff 1 R2 LDG.E 1 R4 4 1 0x7f0000000000 4\n"
                          "0010 ffffffff 1 R2 LDGNEW.E.64 1 R4 8 1 0x7f0000000000 8\n"
                          "0020 00000000 1 R2 LDG.E 1 R4 4 0\n"
                          "0030 ffffffff 1 R2 NEWOP.X 1 R4 4 1 0x7f0000000000 4\n"
                          "0040 ffffffff 1 R2 NEWOP.X 1 R4 0\n"
                          "0050 00000001 0 UTMALDG.2D 1 R4 0\n"
                          "0050 00000001 0 UTMALDG.2D 1 R4 0\n"
                          "0060 00000000 0 UTMALDG.2D 1 R4 0\n"
                          "0070 ffffffff 1 R2 TEX.SCR.LL 1 R4 4 1 0x7f0000000000 4\n"
                          "0080 ffffffff 1 R2 LDC.64 1 R4 0\n"
                          "0090 ffffffff 1 R2 IADD3 1 R4 0\n"
                          "00a0 ffffffff 0 CCTL.E.IV 1 R4 4 1 0x7f0000000000 0\n"
                          "00b0 ffffffff 1 R2 LDS 1 R4 4 1 0x0 4\n"
                          "00b8 ffffffff 1 R2 LDS 1 R4 0\n"
                          "00c0 ffffffff 0 EXIT 0 0\n";

static void expect_odd(const gpc_trace *trace, uint64_t times) {
    expect_note(trace, GPC_NOTE_UNKNOWN_OPCODE, "LDGNEW.E.64", times);
    expect_note(trace, GPC_NOTE_UNKNOWN_OPCODE, "NEWOP.X", 2 * times);
    expect_note(trace, GPC_NOTE_UNUSED_ADDRESSES, "NEWOP.X", times);
    expect_note(trace, GPC_NOTE_UNUSED_ADDRESSES, "TEX.SCR.LL", times);
    expect_note(trace, GPC_NOTE_UNUSED_ADDRESSES, "CCTL.E.IV", times);
    expect_note(trace, GPC_NOTE_NO_ADDRESSES, "UTMALDG.2D", 2 * times);
    expect_note(trace, GPC_NOTE_NO_ADDRESSES, "LDC.64", times);
    cr_expect_eq(gpc_trace_note_count(trace), times ? 7 : 0, "and nothing else: %zu", gpc_trace_note_count(trace));
}

Test(notes, opcodes) {
    rig r;
    rig_open(&r);
    write_block(&r, "k.traceg", HEADER, odd, 15);
    gpc_trace *trace = open_trace(&r, path_of(&r, "k.traceg"));
    next_kernel(&r, trace);
    expect_odd(trace, 0); /* before the first block */
    read_kernel(&r, trace);
    expect_odd(trace, 1);
    const char *const texts[] = {"LDGNEW.E.64", "NEWOP.X"};
    for (size_t n = 0; n < 2; n++)
        expect_place(trace, GPC_NOTE_UNKNOWN_OPCODE, texts[n], path_of(&r, "k.traceg"));
    expect_place(trace, GPC_NOTE_NO_ADDRESSES, "UTMALDG.2D", path_of(&r, "k.traceg"));
    gpc_trace_close(trace);
    rig_close(&r);
}

/* An unknown name of a known family is an access. */
Test(notes, families_run) {
    rig r;
    rig_open(&r);
    write_block(&r, "k.traceg", HEADER, odd, 15);
    gpc_trace *trace = open_trace(&r, path_of(&r, "k.traceg"));
    next_kernel(&r, trace);
    const gpc_block *block = next_block(&r, trace);
    const gpc_instruction *i = &block->warps[0].instructions[1];
    cr_expect(i->op_class == GPC_OP_MEMORY && i->kind == GPC_LOAD && i->space == GPC_SPACE_GLOBAL && i->width == 8);
    cr_expect(i->addresses && i->addresses[31] == 0x7f0000000000u + 31 * 8);
    cr_expect_eq(block->warps[0].instructions[3].op_class, GPC_OP_ALU);
    gpc_trace_close(trace);
    rig_close(&r);
}

/* Packed blocks, as a replay reads. */
Test(notes, packed) {
    rig r;
    rig_open(&r);
    write_block(&r, "k.traceg", HEADER, odd, 15);
    gpc_trace *trace = open_trace(&r, path_of(&r, "k.traceg"));
    next_kernel(&r, trace);
    const gpci_packed_block *block;
    while (gpci_trace_next_packed(trace, &block, &r.error) == GPC_OK)
        gpci_trace_release_packed(trace, block);
    expect_odd(trace, 1);
    gpc_trace_close(trace);
    rig_close(&r);
}

/* A kernel read twice counts once, from any point on. An unread kernel has no counts. */
Test(notes, rewound) {
    rig r;
    rig_open(&r);
    write_block(&r, "kernel-1.traceg", HEADER, odd, 15);
    write_block(&r, "kernel-2.traceg", HEADER, odd, 15);
    gpc_trace *trace = open_trace(&r, r.folder);
    gpc_kernel kernel = next_kernel(&r, trace);
    gpc_trace_release_block(trace, next_block(&r, trace));
    cr_assert_eq(gpci_trace_rewind(trace, &kernel, &r.error), GPC_OK);
    read_kernel(&r, trace);
    cr_assert_eq(gpci_trace_rewind(trace, &kernel, &r.error), GPC_OK);
    read_kernel(&r, trace);
    expect_odd(trace, 1);
    next_kernel(&r, trace);
    expect_odd(trace, 1);
    read_kernel(&r, trace);
    expect_odd(trace, 2);
    gpc_trace_close(trace);
    rig_close(&r);
}

/* A .gct has equal notes, without lines. */
Test(notes, binary) {
    rig r;
    rig_open(&r);
    write_block(&r, "k.traceg", HEADER, odd, 15);
    convert(&r, path_of(&r, "k.traceg"), path_of(&r, "k.gct"), GPC_TRACE_BINARY);
    gpc_trace *trace = open_trace(&r, path_of(&r, "k.gct"));
    next_kernel(&r, trace);
    read_kernel(&r, trace);
    expect_odd(trace, 1);
    const gpc_note note = note_of(trace, GPC_NOTE_UNKNOWN_OPCODE, "NEWOP.X");
    cr_expect_str_eq(note.file, path_of(&r, "k.gct"));
    cr_expect_eq(note.line, 0);
    gpc_trace_close(trace);
    rig_close(&r);
}

/* Notes of a list are complete once the list is open. */
Test(notes, lists) {
    rig r;
    rig_open(&r);
    write_block(&r, "kernel-1.traceg", HEADER, "0000 ffffffff 1 R2 IADD3 1 R4 0\n", 1);
    write_text(&r, "kernelslist.g",
               "MemcpyHtoD,0x7fb0fc400000,200\nncclGroupStart\nkernel-1.traceg\nMemcpyDtoH,0x1,2\nMemcpyDtoH,0x2,2\n"
               "ncclGroupEnd \n\nMemcpyHtoD,0x10,56\r\n# a note\n");
    gpc_trace *trace = open_trace(&r, r.folder);
    expect_note(trace, GPC_NOTE_PASSED_OVER, "MemcpyDtoH", 2);
    expect_note(trace, GPC_NOTE_PASSED_OVER, "ncclGroupStart", 1);
    expect_note(trace, GPC_NOTE_PASSED_OVER, "ncclGroupEnd", 1);
    expect_note(trace, GPC_NOTE_PASSED_OVER, "#", 1);
    expect_note(trace, GPC_NOTE_COPY, "MemcpyHtoD", 2);
    cr_expect_eq(note_of(trace, GPC_NOTE_COPY, "MemcpyHtoD").bytes, 256);
    cr_expect_eq(gpc_trace_note_count(trace), 5);
    expect_place(trace, GPC_NOTE_PASSED_OVER, "MemcpyDtoH", path_of(&r, "kernelslist.g"));
    expect_place(trace, GPC_NOTE_PASSED_OVER, "ncclGroupEnd", path_of(&r, "kernelslist.g"));
    gpc_trace_close(trace);
    rig_close(&r);
}

/* A list of many words has few notes. */
Test(notes, many_words) {
    rig r;
    char text[4096];
    int length = 0;
    rig_open(&r);
    for (unsigned n = 0; n < 200; n++)
        length += snprintf(text + length, sizeof text - (size_t)length, "w%u x\n", n);
    write_text(&r, "kernelslist.g", text);
    gpc_trace *trace = open_trace(&r, path_of(&r, "kernelslist.g"));
    cr_expect_eq(gpc_trace_note_count(trace), 64);
    expect_note(trace, GPC_NOTE_PASSED_OVER, "w62", 1);
    expect_note(trace, GPC_NOTE_PASSED_OVER, "others", 137);
    gpc_trace_close(trace);
    rig_close(&r);
}

static void expect_kernels(rig *r, const char *source, gpc_note_reason reason, const char *name, uint64_t kernels) {
    gpc_trace *trace = open_trace(r, source);
    gpc_kernel kernel = GPC_KERNEL_INIT;
    while (gpc_trace_next_kernel(trace, &kernel, &r->error) == GPC_OK) {
        read_kernel(r, trace);
        expect_end(r, trace); /* a second end adds no note */
    }
    expect_note(trace, reason, name, kernels);
    gpc_trace_close(trace);
}

/* Kernels of memory instructions alone, in each format. Control and barriers are no arithmetic. */
Test(notes, memory_alone) {
    rig r;
    rig_open(&r);
    write_block(&r, "alone.traceg", HEADER,
                "0000 ffffffff 1 R2 LDG.E 1 R4 4 1 0x7f0000000000 4\n0010 ffffffff 0 BAR.SYNC 0 0\n"
                "0020 ffffffff 0 EXIT 0 0\n",
                3);
    write_block(&r, "some.traceg", HEADER,
                "0000 ffffffff 1 R2 LDG.E 1 R4 4 1 0x7f0000000000 4\n0010 ffffffff 1 R3 FADD 1 R2 0\n", 2);
    write_block(&r, "none.traceg", HEADER, "0000 ffffffff 0 EXIT 0 0\n", 1);
    write_text(&r, "t.csv", "kernel,block,warp,kind,address\na,0,0,load,4096\nb,0,0,store,4096\na,0,0,load,4096\n");
    expect_kernels(&r, path_of(&r, "alone.traceg"), GPC_NOTE_MEMORY_ALONE, "k", 1);
    expect_kernels(&r, path_of(&r, "some.traceg"), GPC_NOTE_MEMORY_ALONE, "k", 0);
    expect_kernels(&r, path_of(&r, "none.traceg"), GPC_NOTE_MEMORY_ALONE, "k", 0);
    expect_kernels(&r, path_of(&r, "t.csv"), GPC_NOTE_MEMORY_ALONE, "a", 2);
    expect_kernels(&r, path_of(&r, "t.csv"), GPC_NOTE_MEMORY_ALONE, "b", 1);
    convert(&r, path_of(&r, "t.csv"), path_of(&r, "t.gct"), GPC_TRACE_BINARY);
    expect_kernels(&r, path_of(&r, "t.gct"), GPC_NOTE_MEMORY_ALONE, "a", 2);
    rig_close(&r);
}

/* Kernels without PCs, in each format. An instruction at PC 0 is no lack if another instruction has a PC. */
Test(notes, no_pc) {
    rig r;
    rig_open(&r);
    write_block(&r, "some.traceg", HEADER,
                "0000 ffffffff 1 R2 LDG.E 1 R4 4 1 0x7f0000000000 4\n0010 ffffffff 0 EXIT 0 0\n", 2);
    write_block(&r, "none.traceg", HEADER, "0000 ffffffff 0 EXIT 0 0\n", 1);
    write_text(&r, "without.csv",
               "kernel,block,warp,kind,address\na,0,0,load,4096\nb,0,0,store,4096\na,0,0,load,4096\n");
    write_text(&r, "with.csv",
               "kernel,block,warp,pc,kind,address\na,0,0,0,load,4096\na,0,0,16,load,4096\nb,0,0,0,load,0\n");
    expect_kernels(&r, path_of(&r, "some.traceg"), GPC_NOTE_NO_PC, "k", 0);
    expect_kernels(&r, path_of(&r, "none.traceg"), GPC_NOTE_NO_PC, "k", 0);
    expect_kernels(&r, path_of(&r, "without.csv"), GPC_NOTE_NO_PC, "a", 2);
    expect_kernels(&r, path_of(&r, "without.csv"), GPC_NOTE_NO_PC, "b", 1);
    expect_kernels(&r, path_of(&r, "with.csv"), GPC_NOTE_NO_PC, "a", 0);
    expect_kernels(&r, path_of(&r, "with.csv"), GPC_NOTE_NO_PC, "b", 1);
    convert(&r, path_of(&r, "without.csv"), path_of(&r, "t.gct"), GPC_TRACE_BINARY);
    expect_kernels(&r, path_of(&r, "t.gct"), GPC_NOTE_NO_PC, "a", 2);
    rig_close(&r);
}

/* Synthetic kernels have no notes. */
Test(notes, synthetic) {
    rig r;
    rig_open(&r);
    gpc_trace *trace = open_trace(&r, "synthetic:chase:64KiB");
    next_kernel(&r, trace);
    read_kernel(&r, trace);
    cr_expect_eq(gpc_trace_note_count(trace), 0);
    gpc_trace_close(trace);
    rig_close(&r);
}

Test(notes, errors) {
    rig r;
    gpc_note note = GPC_NOTE_INIT;
    rig_open(&r);
    write_text(&r, "kernelslist.g", "word\n");
    gpc_trace *trace = open_trace(&r, path_of(&r, "kernelslist.g"));
    cr_expect_eq(gpc_trace_note_count(NULL), 0);
    cr_expect_eq(gpc_trace_note(NULL, 0, &note, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_trace_note(trace, 0, NULL, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_trace_note(trace, 1, &note, NULL), GPC_ERROR_RANGE);
    note.struct_size = 0;
    cr_expect_eq(gpc_trace_note(trace, 0, &note, NULL), GPC_ERROR_ABI);
    gpc_trace_close(trace);
    rig_close(&r);
}
