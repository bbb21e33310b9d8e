/* SPDX-License-Identifier: BSD-2-Clause */
#define _XOPEN_SOURCE 700
#include "trace/made.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Writers: the text written, refusals, and files left on the disk. */

static const gpc_trace_format formats[] = {GPC_TRACE_BINARY, GPC_TRACE_TEXT};

static gpc_trace_writer *open_writer(rig *r, const char *path, gpc_trace_format format) {
    gpc_trace_writer *writer = NULL;
    gpc_status status = gpc_trace_writer_create(r->context, path, format, &writer, &r->error);
    cr_assert_eq(status, GPC_OK, "%s", r->error.message);
    return writer;
}

static void expect_ok(const rig *r, gpc_status status) {
    cr_assert_eq(status, GPC_OK, "%s", r->error.message);
}

static void expect_text(const char *path, const char *expected) {
    size_t length;
    char *text = (char *)read_file(path, &length);
    text[length] = 0;
    cr_assert_str_eq(text, expected);
    free(text);
}

#define LAUNCH                                                                                           \
    "-kernel name = vecadd\n-kernel id = 9\n-grid dim = (2,1,1)\n-block dim = (40,1,1)\n-shmem = 1024\n" \
    "-nregs = 16\n-binary version = 90\n-cuda stream id = 7\n-shmem base_addr = 0x00007f0000000000\n"    \
    "-local mem base_addr = 0x00007e0000000000\n-nvbit version = 0\n-accelsim tracer version = 4\n"

/* The largest and smallest 32-bit strides are stored as strides; beyond, addresses are stored singly. */
#define LARGEST_STRIDES                                           \
    "0040 00000003 1 R3 LDG.E 1 R2 4 1 0x10 2147483647\n"         \
    "0050 00000003 1 R3 LDG.E 1 R2 4 1 0x100000000 -2147483648\n" \
    "0060 00000003 1 R3 LDG.E 1 R2 4 2 0x10 2147483648\n"

/* Text as Accel-Sim's version 4; reading and writing again gives equal bytes. */
Test(writer, text) {
    static const char kernel[] =
        LAUNCH "-enable lineinfo = 0\n\n"
               "#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] "
               "[mem_addresses]\n"
               "\n#BEGIN_TB\n\nthread block = 1,0,0\n\nwarp = 0\ninsts = 9\n"
               "0000 ffffffff 1 R1 IMAD.WIDE 2 R9 R2 0\n"
               "0010 ffffffff 1 R3 LDG.E 1 R2 4 1 0x7f338be00000 4\n"
               "0020 00000007 0 STG.E.64 2 R6 R255 8 2 0x7f3390a00000 -16 4096\n"
               "0030 00000000 1 R3 LDG.E 1 R2 4 1 0x0 0\n" LARGEST_STRIDES "12340 80000001 0 STS 2 R6 R9 4 2 0x0 128\n"
               "12350 ffffffff 0 EXIT 0 0\n"
               "\nwarp = 1\ninsts = 1\n0000 00000000 0 EXIT 0 0\n"
               "\n#END_TB\n";
    rig r;
    rig_open(&r);
    write_text(&r, "kernel-3.traceg", kernel);
    write_text(&r, "kernel-3.sm", "5\n131\n");
    convert(&r, path_of(&r, "kernel-3.traceg"), path_of(&r, "text"), GPC_TRACE_TEXT);
    expect_text(path_of(&r, "text/kernelslist.g"), "kernel-1.traceg\n");
    expect_text(path_of(&r, "text/kernel-1.sm"), "5\n131\n");
    expect_text(path_of(&r, "text/kernel-1.traceg"), kernel);
    expect_same(&r, path_of(&r, "kernel-3.traceg"), path_of(&r, "text"));
    cr_assert_eq(entries(&r), 3, "nothing temporary is left");
    rig_close(&r);
}

Test(writer, text_with_source_lines) {
    static const char kernel[] = LAUNCH "-enable lineinfo = 1\n\n"
                                        "#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num "
                                        "[reg_srcs] mem_width [adrrescompress?] "
                                        "[mem_addresses]\n"
                                        "\n#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = 2\n"
                                        "77 0000 ffffffff 1 R1 MOV 0 0\n0 0010 ffffffff 0 EXIT 0 0\n"
                                        "\nwarp = 1\ninsts = 1\n0 0000 00000000 0 EXIT 0 0\n\n#END_TB\n";
    rig r;
    rig_open(&r);
    write_text(&r, "kernel-3.traceg", kernel);
    convert(&r, path_of(&r, "kernel-3.traceg"), path_of(&r, "text"), GPC_TRACE_TEXT);
    expect_text(path_of(&r, "text/kernel-1.traceg"), kernel);
    cr_assert(!exists(&r, "text/kernel-1.sm"));
    rig_close(&r);
}

/* The header is written with the first block: later lines are lost, with a log message. */
Test(writer, late_source_lines) {
    rig r;
    rig_open(&r);
    write_text(&r, "k.traceg",
               LAUNCH "#\n#BEGIN_TB\nthread block = 0,0,0\n#END_TB\n#BEGIN_TB\nthread block = 1,0,0\n"
                      "warp = 0\ninsts = 1\n5 0000 1 0 EXIT 0 0\n#END_TB\n");
    convert(&r, path_of(&r, "k.traceg"), path_of(&r, "text"), GPC_TRACE_TEXT);
    cr_assert_eq(r.logged, 1);
    cr_assert(strstr(r.log, "source lines are left out"), "%s", r.log);
    convert(&r, path_of(&r, "k.traceg"), path_of(&r, "k.gct"), GPC_TRACE_BINARY);
    expect_same(&r, path_of(&r, "k.traceg"), path_of(&r, "k.gct"));
    rig_close(&r);
}

/* Made blocks have more fields than the text: compare addresses, masks and registers. */
Test(writer, made_blocks_as_text) {
    rig r;
    rig_open(&r);
    gpc_trace *from = made_opcodes(&r);
    gpc_kernel kernel = made_kernel(4, 3, 2, 100, 32);
    gpc_trace_writer *writer = open_writer(&r, path_of(&r, "text"), GPC_TRACE_TEXT);
    expect_ok(&r, gpc_trace_writer_kernel(writer, &kernel, &r.error));
    for (uint32_t b = 0; b < 24; b++) {
        made m = made_block(&kernel, b, 11);
        expect_ok(&r, gpc_trace_writer_block(writer, from, &m.block, &r.error));
        made_free(&m);
    }
    expect_ok(&r, gpc_trace_writer_finish(writer, &r.error));
    gpc_trace_writer_destroy(writer);
    gpc_trace *trace = open_trace(&r, path_of(&r, "text"));
    next_kernel(&r, trace);
    for (uint32_t b = 0; b < 24; b++) {
        made m = made_block(&kernel, b, 11);
        const gpc_block *block = next_block(&r, trace);
        cr_assert(block->index == b && block->warp_count == 4);
        for (uint32_t w = 0; w < 4; w++)
            for (uint64_t n = 0; n < m.warps[w].count; n++) {
                const gpc_instruction *a = &m.instructions[w][n], *i = &block->warps[w].instructions[n];
                cr_assert(a->pc == i->pc && a->mask == i->mask && a->line == i->line);
                cr_assert(!memcmp(a->registers, i->registers, sizeof a->registers));
                cr_assert_str_eq(gpc_trace_opcode(from, a->opcode), gpc_trace_opcode(trace, i->opcode));
                cr_assert_eq(a->addresses != NULL, i->addresses != NULL);
                for (int k = 0; a->addresses && k < __builtin_popcountll(a->mask); k++)
                    cr_assert_eq(a->addresses[k], i->addresses[k]);
            }
        made_free(&m);
    }
    gpc_trace_close(trace);
    gpc_trace_close(from);
    rig_close(&r);
}

/* Text to binary to text: an equal file, except for lines that are no instruction. */
Test(writer, conversions_agree) {
    rig r;
    rig_open(&r);
    gpc_trace *from = made_opcodes(&r);
    convert(&r, path_of(&r, "opcodes.traceg"), path_of(&r, "a"), GPC_TRACE_TEXT);
    convert(&r, path_of(&r, "a"), path_of(&r, "b.gct"), GPC_TRACE_BINARY);
    convert(&r, path_of(&r, "b.gct"), path_of(&r, "c"), GPC_TRACE_TEXT);
    convert(&r, path_of(&r, "b.gct"), path_of(&r, "d.gct"), GPC_TRACE_BINARY);
    shell(&r, "diff -r a c && cmp b.gct d.gct");
    expect_same(&r, path_of(&r, "a"), path_of(&r, "d.gct"));
    gpc_trace_close(from);
    rig_close(&r);
}

/* Until finish no file is at the target; without finish no file is left. */
Test(writer, nothing_before_finish) {
    for (size_t f = 0; f < 2; f++) {
        rig r;
        rig_open(&r);
        gpc_trace *from = made_opcodes(&r);
        unsigned before = entries(&r);
        for (int end = 0; end < 2; end++) {
            gpc_trace_writer *writer = open_writer(&r, path_of(&r, "out"), formats[f]);
            gpc_kernel kernel = made_kernel(2, 1, 1, 64, 32);
            const uint32_t placement[] = {4, 5};
            kernel.placement = placement;
            kernel.placement_count = 2;
            for (int k = 0; k < 2; k++) {
                expect_ok(&r, gpc_trace_writer_kernel(writer, &kernel, &r.error));
                made m = made_block(&kernel, 1, 1);
                expect_ok(&r, gpc_trace_writer_block(writer, from, &m.block, &r.error));
                made_free(&m);
            }
            cr_assert(!exists(&r, "out"));
            if (end)
                expect_ok(&r, gpc_trace_writer_finish(writer, &r.error));
            gpc_trace_writer_destroy(writer);
            cr_assert_eq(entries(&r), before + (unsigned)end);
        }
        cr_assert(exists(&r, "out"));
        gpc_trace_close(from);
        rig_close(&r);
    }
}

Test(writer, existing_file_is_replaced_by_finish) {
    rig r;
    rig_open(&r);
    gpc_trace_close(made_opcodes(&r));
    write_text(&r, "out.gct", "old");
    unsigned before = entries(&r);
    gpc_trace_writer_destroy(open_writer(&r, path_of(&r, "out.gct"), GPC_TRACE_BINARY));
    expect_text(path_of(&r, "out.gct"), "old");
    convert(&r, path_of(&r, "opcodes.traceg"), path_of(&r, "out.gct"), GPC_TRACE_BINARY);
    expect_same(&r, path_of(&r, "opcodes.traceg"), path_of(&r, "out.gct"));
    cr_assert_eq(entries(&r), before);
    /* Permissions are as of any new file. */
    shell(&r, "touch plain && test $(stat -c %a plain) = $(stat -c %a out.gct)");
    rig_close(&r);
}

/* Further files in the folder stay; a placement of an older kernel is removed. */
Test(writer, existing_folder_is_filled_by_finish) {
    rig r;
    rig_open(&r);
    gpc_trace_close(made_opcodes(&r));
    shell(&r, "mkdir out && echo mine > out/mine && echo old > out/kernelslist.g && echo 3 > out/kernel-1.sm && "
              "echo 3 | xz > out/kernel-1.sm.xz && echo old > out/kernel-1.traceg && echo 3 > out/kernel-2.sm");
    unsigned before = entries(&r);
    gpc_trace_writer_destroy(open_writer(&r, path_of(&r, "out/"), GPC_TRACE_TEXT));
    shell(&r, "grep -q old out/kernel-1.traceg");
    convert(&r, path_of(&r, "opcodes.traceg"), path_of(&r, "out/"), GPC_TRACE_TEXT);
    expect_same(&r, path_of(&r, "opcodes.traceg"), path_of(&r, "out"));
    cr_assert(exists(&r, "out/mine") && exists(&r, "out/kernel-2.sm"));
    cr_assert(!exists(&r, "out/kernel-1.sm") && !exists(&r, "out/kernel-1.sm.xz"));
    cr_assert_eq(entries(&r), before);
    /* An empty folder simply becomes the trace. */
    shell(&r, "mkdir empty");
    convert(&r, path_of(&r, "opcodes.traceg"), path_of(&r, "empty"), GPC_TRACE_TEXT);
    expect_same(&r, path_of(&r, "opcodes.traceg"), path_of(&r, "empty"));
    rig_close(&r);
}

Test(writer, places_that_cannot_be) {
    rig r;
    rig_open(&r);
    gpc_trace_writer *writer = NULL;
    for (size_t f = 0; f < 2; f++) {
        gpc_status status =
            gpc_trace_writer_create(r.context, path_of(&r, "no/such/out"), formats[f], &writer, &r.error);
        char expected[128];
        snprintf(expected, sizeof expected, "there is no folder %s/no/such/", r.folder);
        expect_error(&r, status, GPC_ERROR_IO, expected);
    }
    write_text(&r, "file", "");
    shell(&r, "mkdir folder");
    expect_error(&r, gpc_trace_writer_create(r.context, path_of(&r, "file"), GPC_TRACE_TEXT, &writer, &r.error),
                 GPC_ERROR_IO, "no folder");
    expect_error(&r, gpc_trace_writer_create(r.context, path_of(&r, "file/x"), GPC_TRACE_BINARY, &writer, &r.error),
                 GPC_ERROR_IO, "there is no folder");
    expect_error(&r, gpc_trace_writer_create(r.context, path_of(&r, "folder"), GPC_TRACE_BINARY, &writer, &r.error),
                 GPC_ERROR_IO, "it is a folder");
    cr_assert_null(writer);
    cr_assert_eq(entries(&r), 2);
    rig_close(&r);
}

/* The folder vanishes while the trace is written: finish fails, and afterwards only destroy is allowed. */
Test(writer, folder_that_vanishes) {
    for (size_t f = 0; f < 2; f++) {
        rig r;
        rig_open(&r);
        shell(&r, "mkdir a");
        gpc_trace_writer *writer = open_writer(&r, path_of(&r, "a/out"), formats[f]);
        gpc_kernel kernel = made_kernel(1, 1, 1, 32, 32);
        expect_ok(&r, gpc_trace_writer_kernel(writer, &kernel, &r.error));
        shell(&r, "rm -r a");
        expect_error(&r, gpc_trace_writer_finish(writer, &r.error), GPC_ERROR_IO, "cannot create");
        expect_error(&r, gpc_trace_writer_finish(writer, &r.error), GPC_ERROR_STATE, "only be destroyed");
        gpc_trace_writer_destroy(writer);
        rig_close(&r);
    }
}

Test(writer, full_disk) {
    if (access("/dev/full", W_OK) != 0)
        cr_skip_test("there is no /dev/full");
    for (size_t f = 0; f < 2; f++) {
        rig r;
        rig_open(&r);
        gpc_trace *from = made_opcodes(&r);
        gpc_trace_writer *writer = open_writer(&r, path_of(&r, "out"), formats[f]);
        gpc_kernel kernel = made_kernel(50000, 1, 1, 1024, 32);
        expect_ok(&r, gpc_trace_writer_kernel(writer, &kernel, &r.error));
        /* Redirect the temporary file's descriptor to the full device. */
        shell(&r, "true");
        for (int fd = 3; fd < 64; fd++) {
            char link[64], target[256];
            snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
            ssize_t length = readlink(link, target, sizeof target - 1);
            target[length < 0 ? 0 : length] = 0;
            if (strstr(target, ".part")) {
                FILE *full = fopen("/dev/full", "w");
                cr_assert(full && dup2(fileno(full), fd) == fd);
                fclose(full);
            }
        }
        gpc_status status = GPC_OK;
        for (uint32_t b = 0; status == GPC_OK && b < 50000; b++) {
            made m = made_block(&kernel, b, 3);
            status = gpc_trace_writer_block(writer, from, &m.block, &r.error);
            made_free(&m);
        }
        expect_error(&r, status, GPC_ERROR_IO, "No space left");
        expect_error(&r, gpc_trace_writer_finish(writer, &r.error), GPC_ERROR_STATE, "failed before");
        gpc_trace_writer_destroy(writer);
        gpc_trace_close(from);
        cr_assert_eq(entries(&r), 1);
        rig_close(&r);
    }
}

/* A writer in the first kernel, and a block. */
typedef struct session {
    rig r;
    gpc_trace *from;
    gpc_trace_writer *writer;
    gpc_kernel kernel;
    made m;
} session;

static void open_session(session *s, gpc_trace_format format) {
    rig_open(&s->r);
    s->from = made_opcodes(&s->r);
    s->writer = open_writer(&s->r, path_of(&s->r, "out"), format);
    s->kernel = made_kernel(3, 2, 1, 64, 32);
    s->m = made_block(&s->kernel, 4, 5);
}

/* Despite the refusals, the trace has exactly the correct block. */
static void close_session(session *s) {
    expect_ok(&s->r, gpc_trace_writer_block(s->writer, s->from, &s->m.block, &s->r.error));
    expect_ok(&s->r, gpc_trace_writer_finish(s->writer, &s->r.error));
    gpc_trace_writer_destroy(s->writer);
    gpc_trace *trace = open_trace(&s->r, path_of(&s->r, "out"));
    next_kernel(&s->r, trace);
    cr_assert_eq(next_block(&s->r, trace)->index, 4);
    expect_end(&s->r, trace);
    expect_last_kernel(&s->r, trace);
    gpc_trace_close(trace);
    made_free(&s->m);
    gpc_trace_close(s->from);
    rig_close(&s->r);
}

static void refuse_kernel(session *s, const gpc_kernel *kernel, gpc_status status, const char *part) {
    expect_error(&s->r, gpc_trace_writer_kernel(s->writer, kernel, &s->r.error), status, part);
}

static void refuse_block(session *s, const gpc_block *block, gpc_status status, const char *part) {
    expect_error(&s->r, gpc_trace_writer_block(s->writer, s->from, block, &s->r.error), status, part);
}

Test(writer, refused_kernels) {
    for (size_t f = 0; f < 2; f++) {
        session s;
        open_session(&s, formats[f]);
        refuse_block(&s, &s.m.block, GPC_ERROR_STATE, "no kernel");
        gpc_kernel bad = s.kernel;
        bad.grid[1] = 0;
        refuse_kernel(&s, &bad, GPC_ERROR_ARGUMENT, "at least 1");
        bad = s.kernel;
        bad.warp_lanes = 16;
        refuse_kernel(&s, &bad, GPC_ERROR_ARGUMENT, "32 or 64");
        bad = s.kernel;
        bad.placement_count = 7;
        refuse_kernel(&s, &bad, GPC_ERROR_ARGUMENT, "placement_count");
        bad.placement_count = 1;
        refuse_kernel(&s, &bad, GPC_ERROR_ARGUMENT, "a placement");
        bad = s.kernel;
        bad.struct_size = 16;
        refuse_kernel(&s, &bad, GPC_ERROR_ABI, "struct_size");
        refuse_kernel(&s, NULL, GPC_ERROR_ARGUMENT, "kernel");
        expect_ok(&s.r, gpc_trace_writer_kernel(s.writer, &s.kernel, &s.r.error));
        close_session(&s);
    }
}

Test(writer, refused_blocks) {
    for (size_t f = 0; f < 2; f++) {
        session s;
        open_session(&s, formats[f]);
        expect_ok(&s.r, gpc_trace_writer_kernel(s.writer, &s.kernel, &s.r.error));
        refuse_block(&s, NULL, GPC_ERROR_ARGUMENT, "block");
        gpc_block bad = s.m.block;
        bad.y = 2;
        refuse_block(&s, &bad, GPC_ERROR_ARGUMENT, "inside the grid");
        bad = s.m.block;
        bad.index = 5;
        refuse_block(&s, &bad, GPC_ERROR_ARGUMENT, "index");
        bad = s.m.block;
        bad.warp_count = 1;
        refuse_block(&s, &bad, GPC_ERROR_ARGUMENT, "as many warps");
        s.m.warps[1].warp = 0;
        refuse_block(&s, &s.m.block, GPC_ERROR_ARGUMENT, "ascending");
        s.m.warps[1].warp = 1;
        s.m.warps[1].instructions = NULL;
        refuse_block(&s, &s.m.block, GPC_ERROR_ARGUMENT, "instructions in a warp");
        s.m.warps[1].instructions = s.m.instructions[1];
        gpc_trace *from = s.from;
        s.from = NULL;
        refuse_block(&s, &s.m.block, GPC_ERROR_ARGUMENT, "from");
        s.from = from;
        close_session(&s);
    }
}

Test(writer, refused_instructions) {
    for (size_t f = 0; f < 2; f++) {
        session s;
        open_session(&s, formats[f]);
        expect_ok(&s.r, gpc_trace_writer_kernel(s.writer, &s.kernel, &s.r.error));
        gpc_instruction *i = &s.m.instructions[1][0], kept = *i;
        i->mask = UINT64_C(1) << 32;
        refuse_block(&s, &s.m.block, GPC_ERROR_ARGUMENT, "lanes");
        *i = kept;
        i->sources = 9;
        refuse_block(&s, &s.m.block, GPC_ERROR_ARGUMENT, "registers");
        *i = kept;
        i->opcode = 999;
        refuse_block(&s, &s.m.block, GPC_ERROR_ARGUMENT, "opcodes");
        *i = kept;
        uint8_t *const fields[] = {&i->op_class, &i->kind, &i->space, &i->hint, &i->priority};
        for (size_t n = 0; n < 5; n++) {
            *fields[n] = 20;
            refuse_block(&s, &s.m.block, GPC_ERROR_ARGUMENT, "known values");
            *i = kept;
        }
        close_session(&s);
    }
}

Test(writer, refused_twice_and_after_the_end) {
    for (size_t f = 0; f < 2; f++) {
        rig r;
        rig_open(&r);
        gpc_trace *from = made_opcodes(&r);
        gpc_trace_writer *writer = open_writer(&r, path_of(&r, "out"), formats[f]);
        gpc_kernel kernel = made_kernel(3, 2, 1, 64, 32);
        made m = made_block(&kernel, 4, 5);
        for (int k = 0; k < 2; k++) { /* a different block per kernel */
            expect_ok(&r, gpc_trace_writer_kernel(writer, &kernel, &r.error));
            expect_ok(&r, gpc_trace_writer_block(writer, from, &m.block, &r.error));
            expect_error(&r, gpc_trace_writer_block(writer, from, &m.block, &r.error), GPC_ERROR_ARGUMENT,
                         "block 4 was written before");
        }
        expect_ok(&r, gpc_trace_writer_finish(writer, &r.error));
        expect_error(&r, gpc_trace_writer_block(writer, from, &m.block, &r.error), GPC_ERROR_STATE, "finished");
        expect_error(&r, gpc_trace_writer_kernel(writer, &kernel, &r.error), GPC_ERROR_STATE, "finished");
        expect_error(&r, gpc_trace_writer_finish(writer, &r.error), GPC_ERROR_STATE, "finished");
        gpc_trace_writer_destroy(writer);
        made_free(&m);
        gpc_trace_close(from);
        rig_close(&r);
    }
}

Test(writer, arguments) {
    rig r;
    rig_open(&r);
    gpc_trace_writer *writer = NULL;
    expect_error(&r, gpc_trace_writer_create(NULL, "x", GPC_TRACE_TEXT, &writer, &r.error), GPC_ERROR_ARGUMENT,
                 "context");
    expect_error(&r, gpc_trace_writer_create(r.context, NULL, GPC_TRACE_TEXT, &writer, &r.error), GPC_ERROR_ARGUMENT,
                 "path");
    expect_error(&r, gpc_trace_writer_create(r.context, "", GPC_TRACE_TEXT, &writer, &r.error), GPC_ERROR_ARGUMENT,
                 "path");
    expect_error(&r, gpc_trace_writer_create(r.context, "x", (gpc_trace_format)2, &writer, &r.error),
                 GPC_ERROR_ARGUMENT, "format");
    expect_error(&r, gpc_trace_writer_create(r.context, "x", GPC_TRACE_TEXT, NULL, &r.error), GPC_ERROR_ARGUMENT,
                 "out");
    cr_assert_null(writer);
    gpc_kernel kernel = made_kernel(1, 1, 1, 64, 64);
    expect_error(&r, gpc_trace_writer_kernel(NULL, &kernel, &r.error), GPC_ERROR_ARGUMENT, "writer");
    expect_error(&r, gpc_trace_writer_finish(NULL, &r.error), GPC_ERROR_ARGUMENT, "writer");
    expect_error(&r, gpc_trace_writer_block(NULL, NULL, NULL, &r.error), GPC_ERROR_ARGUMENT, "writer");
    writer = open_writer(&r, path_of(&r, "out"), GPC_TRACE_TEXT);
    expect_error(&r, gpc_trace_writer_kernel(writer, &kernel, &r.error), GPC_ERROR_UNSUPPORTED, "32 lanes, not of 64");
    gpc_trace_writer_destroy(writer);
    gpc_trace_writer_destroy(NULL);
    cr_assert_eq(entries(&r), 0);
    rig_close(&r);
}
