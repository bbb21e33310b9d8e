/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/rig.h"
#include "trace/sources.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Memory instructions by line: CSV, JSON Lines, and output of NVBit's mem_trace. */

#define HEAD "kernel,block,warp,pc,kind,width,mask,address\n"

static const char csv[] = HEAD "copy,0,1,0x10,load,4,0x3,0x1000 0x1004\n"
                               "copy,1,0,0x20,store,16,5,4096;0x2000\n"
                               "copy,0,0,16,load,8,0x80000000,0x3000\n"
                               "\n"
                               "next,0,0,0x30,atomic,4,1,0x4000\n";

static const char json[] =
    "{\"kernel\": \"copy\", \"block\": 0, \"warp\": 1, \"pc\": 16, \"kind\": \"load\", \"mask\": 3, "
    "\"address\": [4096, 4100]}\n"
    "{\"kernel\":\"copy\",\"block\":1,\"warp\":0,\"pc\":\"0x20\",\"kind\":\"store\",\"width\":16,\"mask\":5,"
    "\"address\":[4096,\"0x2000\"]}\r\n"
    "{\"address\": 12288, \"kernel\": \"copy\", \"block\": 0, \"warp\": 0, \"pc\": 16, \"kind\": \"load\", \"width\": "
    "8, "
    "\"mask\": \"0x80000000\"}\n"
    "{\"kernel\": \"next\", \"block\": 0, \"warp\": 0, \"pc\": 48, \"kind\": \"atomic\", \"mask\": 1, \"address\": "
    "\"0x4000\"}";

static void check_instruction(const gpc_trace *trace, const gpc_warp *warp, size_t n, const char *opcode, uint64_t pc,
                              uint64_t mask, uint64_t first, uint64_t last) {
    cr_assert_lt(n, warp->count);
    const gpc_instruction *i = &warp->instructions[n];
    cr_expect_str_eq(gpc_trace_opcode(trace, i->opcode), opcode);
    cr_expect(i->pc == pc && i->mask == mask, "%s", opcode);
    size_t lanes = 0;
    for (uint64_t rest = mask; rest; rest &= rest - 1)
        lanes++;
    cr_expect(i->addresses[0] == first && i->addresses[lanes - 1] == last, "%s", opcode);
}

static uint64_t lines_passed_over(const gpc_trace *trace) {
    gpc_note note = GPC_NOTE_INIT;
    uint64_t lines = 0;
    for (size_t n = 0; n < gpc_trace_note_count(trace); n++) {
        cr_assert_eq(gpc_trace_note(trace, n, &note, NULL), GPC_OK);
        if (note.reason != GPC_NOTE_PASSED_OVER)
            continue;
        cr_expect_str_eq(note.text, "output of the program");
        lines += note.count;
    }
    return lines;
}

static void check(rig *r, const char *source) {
    gpc_trace *trace = open_trace(r, source);
    gpc_kernel kernel = next_kernel(r, trace);
    cr_expect_str_eq(kernel.name, "copy");
    cr_expect(kernel.grid[0] == 2 && kernel.block[0] == 64 && kernel.block_count == 2 && !kernel.placement);
    const gpc_block *block = next_block(r, trace);
    cr_expect(block->index == 0 && block->warp_count == 2);
    check_instruction(trace, &block->warps[0], 0, "LDG.E.64", 16, 0x80000000, 0x3000, 0x3000);
    check_instruction(trace, &block->warps[1], 0, "LDG.E", 16, 3, 0x1000, 0x1004);
    cr_expect_eq(block->warps[1].count, 2, "an EXIT is supplied");
    block = next_block(r, trace);
    cr_expect_eq(block->index, 1);
    check_instruction(trace, &block->warps[0], 0, "STG.E.128", 32, 5, 4096, 0x2000);
    expect_end(r, trace);
    kernel = next_kernel(r, trace);
    cr_expect_str_eq(kernel.name, "next");
    cr_expect_eq(kernel.index, 1);
    block = next_block(r, trace);
    check_instruction(trace, &block->warps[0], 0, "ATOMG.E.ADD", 48, 1, 0x4000, 0x4000);
    expect_end(r, trace);
    expect_last_kernel(r, trace);
    cr_expect_eq(lines_passed_over(trace), 0, "the header is no other output");
    gpc_trace_close(trace);
}

/* Independent of the file's name, plain or compressed, from a file or a pipe. */
Test(tables, by_content) {
    rig r;
    rig_open(&r);
    write_text(&r, "a", csv);
    write_text(&r, "b.txt", json);
    check(&r, path_of(&r, "a"));
    check(&r, path_of(&r, "b.txt"));
    shell(&r, "gzip -k b.txt && cp a c.csv && xz c.csv && mkfifo pipe");
    check(&r, path_of(&r, "b.txt.gz"));
    check(&r, path_of(&r, "c.csv.xz"));
    shell(&r, "cat a > pipe &");
    check(&r, path_of(&r, "pipe"));
    write_text(&r, "k", "-kernel id = 1\n");
    shell(&r, "cat k > pipe &");
    gpc_trace *trace;
    gpc_status status = gpc_trace_open(r.context, path_of(&r, "pipe"), &trace, &r.error);
    expect_error(&r, status, GPC_ERROR_UNSUPPORTED, "is read from a file");
    rig_close(&r);
}

/* A few rows may be of blocks hundreds apart: absent blocks have no place that counts. */
Test(tables, sms_of_blocks_apart) {
    rig r;
    rig_open(&r);
    write_text(&r, "a", "block,warp,kind,sm,address\n0,0,load,2,0x100\n1000,0,load,5,0x200\n");
    gpc_trace *trace = open_trace(&r, path_of(&r, "a"));
    const gpc_kernel kernel = next_kernel(&r, trace);
    cr_assert_eq(kernel.placement_count, 1001);
    cr_expect(kernel.placement[0] == 2 && kernel.placement[1000] == 5);
    gpc_trace_close(trace);
    rig_close(&r);
}

/* Rows on SMs: one of block 0 each, and the last of the last block. */
static void write_blocks(rig *r, size_t rows, uint32_t last) {
    const size_t size = 64 + rows * 24;
    char *text = malloc(size), *at = text;
    cr_assert(text);
    at += sprintf(at, "block,warp,kind,sm,address\n");
    for (size_t n = 0; n + 1 < rows; n++)
        at += sprintf(at, "0,0,load,2,0x100\n");
    sprintf(at, "%u,0,load,5,0x200\n", last);
    write_text(r, "a", text);
    free(text);
}

/* 2^20 blocks may be on SMs, and more with a row for each 64 blocks. */
Test(tables, sms_of_many_blocks) {
    static const struct {
        size_t rows;
        uint32_t last;
    } cases[] = {{2, (1u << 20) - 1}, {16385, 16385 * 64 + 62}, {2, 1u << 20}, {16385, 16386 * 64 - 1}};
    rig r;
    rig_open(&r);
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        write_blocks(&r, cases[n].rows, cases[n].last);
        gpc_trace *trace = open_trace(&r, path_of(&r, "a"));
        gpc_kernel kernel = GPC_KERNEL_INIT;
        const gpc_status status = gpc_trace_next_kernel(trace, &kernel, &r.error);
        char part[32];
        snprintf(part, sizeof part, "not up to %u", cases[n].last);
        if (n < 2)
            cr_expect(status == GPC_OK && kernel.placement[cases[n].last] == 5, "%zu: %s", n, r.error.message);
        else
            expect_error(&r, status, GPC_ERROR_FORMAT, part);
        gpc_trace_close(trace);
    }
    rig_close(&r);
}

/* Lanes of consecutive rows form an instruction; cycles order a warp's; blocks run on the SM in `sm`. */
Test(tables, lanes_cycles_and_sms) {
    rig r;
    rig_open(&r);
    write_text(&r, "a",
               "sm,block,warp,lane,kind,address,cycle\n"
               "3,0,0,0,load,0x100,9\n3,0,0,2,load,0x108,9\n3,0,0,1,load,0x104,9\n" /* lane 1: another */
               "3,0,0,5,load,0x200,4\n"
               "1,1,0,0,store,0x300,4\n");
    gpc_trace *trace = open_trace(&r, path_of(&r, "a"));
    gpc_kernel kernel = next_kernel(&r, trace);
    cr_assert_eq(kernel.placement_count, 2);
    cr_expect(kernel.placement[0] == 3 && kernel.placement[1] == 1);
    cr_expect_str_eq(kernel.name, "kernel");
    const gpc_block *block = next_block(&r, trace);
    cr_assert_eq(block->warps[0].count, 4);
    check_instruction(trace, &block->warps[0], 0, "LDG.E", 0, 0x20, 0x200, 0x200);
    check_instruction(trace, &block->warps[0], 1, "LDG.E", 0, 5, 0x100, 0x108);
    check_instruction(trace, &block->warps[0], 2, "LDG.E", 0, 2, 0x104, 0x104);
    gpc_trace_close(trace);
    rig_close(&r);
}

#define ACCESS "MEMTRACE: CTX 0x0000000000000001 - grid_launch_id "
#define LAUNCH                                                                                                      \
    "MEMTRACE: CTX 0x0000000000000001 - LAUNCH - Kernel pc 0x00007f - Kernel name copy(float*, int) - grid launch " \
    "id 0 - grid size 2,2,1 - block size 40,1,1 - nregs 24 - shmem 1024 - cuda stream id 5\n"

/* A lane beyond the first 32 makes all warps of the kernel (not of others) warps of 64. */
Test(tables, warps_of_64_lanes) {
    rig r;
    rig_open(&r);
    write_text(
        &r, "t",
        "kernel,block,warp,lane,kind,address\na,0,2,31,load,1\nb,5,8,50,load,1\nb,0,0,3,load,2\nc,0,2,0,load,3\n");
    gpc_trace *trace = open_trace(&r, path_of(&r, "t"));
    gpc_kernel kernel = next_kernel(&r, trace);
    cr_expect(kernel.warp_lanes == 32 && kernel.block[0] == 3 * 32);
    kernel = next_kernel(&r, trace);
    cr_expect(kernel.warp_lanes == 64 && kernel.block[0] == 9 * 64, "%u, %u", kernel.warp_lanes, kernel.block[0]);
    const gpc_block *block = next_block(&r, trace);
    cr_expect(block->warp_count == 9 && block->warps[0].instructions[0].mask == 1 << 3);
    block = next_block(&r, trace);
    cr_expect_eq(block->index, 5);
    check_instruction(trace, &block->warps[8], 0, "LDG.E", 0, UINT64_C(1) << 50, 1, 1);
    kernel = next_kernel(&r, trace);
    cr_expect(kernel.warp_lanes == 32 && kernel.block[0] == 3 * 32);
    gpc_trace_close(trace);
    write_text(&r, "m", "block,warp,kind,mask,address\n0,0,load,0x100000001,1 2\n");
    trace = open_trace(&r, path_of(&r, "m"));
    cr_expect_eq(next_kernel(&r, trace).warp_lanes, 64);
    gpc_trace_close(trace);
    rig_close(&r);
}

/*
 * Between other output of the program, which is noted; warps of the hardware are ranked, and lanes
 * without an address do not take part.
 */
Test(tables, mem_trace) {
    rig r;
    rig_open(&r);
    write_text(
        &r, "log",
        "------------- NVBit (NVidia Binary Instrumentation Tool v1.7.1) Loaded --------------\n----\nhello\n" LAUNCH
        "result, 42\n" ACCESS "0 - CTA 1,1,0 - warp 17 - LDG.E.64 - 0x0000000000000000 0x7f10 0x0 0x7f20 \n" ACCESS
        "0 - CTA 1,1,0 - warp 5 - STG.E - 0x100 0x0 \n" ACCESS "0 - CTA 1,1,0 - warp 17 - LDG.E - 0x200 \n");
    gpc_trace *trace = open_trace(&r, path_of(&r, "log"));
    gpc_kernel kernel = next_kernel(&r, trace);
    cr_expect_str_eq(kernel.name, "copy(float*, int)");
    cr_expect(kernel.grid[0] == 2 && kernel.grid[1] == 2 && kernel.block[0] == 40 && kernel.registers == 24);
    cr_expect(kernel.shared_bytes == 1024 && kernel.stream == 5);
    const gpc_block *block = next_block(&r, trace);
    cr_expect(block->index == 3 && block->x == 1 && block->y == 1 && block->warp_count == 2);
    check_instruction(trace, &block->warps[0], 0, "STG.E", 0, 1, 0x100, 0x100);
    check_instruction(trace, &block->warps[1], 0, "LDG.E.64", 0, 10, 0x7f10, 0x7f20);
    check_instruction(trace, &block->warps[1], 1, "LDG.E", 0, 1, 0x200, 0x200);
    expect_end(&r, trace);
    expect_last_kernel(&r, trace);
    cr_expect_eq(lines_passed_over(trace), 4);
    gpc_trace_close(trace);
    rig_close(&r);
}

/* Decimal or hexadecimal; 2^64 - 1 is a number, 2^64 is an error. */
Test(tables, largest_numbers) {
    rig r;
    uint64_t instructions;
    rig_open(&r);
    write_text(&r, "a", HEAD "k,0,0,0xffffffffffffffff,load,4,3,18446744073709551615 0xffffffffffffffff\n");
    gpc_trace *trace = open_trace(&r, path_of(&r, "a"));
    next_kernel(&r, trace);
    check_instruction(trace, &next_block(&r, trace)->warps[0], 0, "LDG.E", UINT64_MAX, 3, UINT64_MAX, UINT64_MAX);
    gpc_trace_close(trace);
    write_text(&r, "b", HEAD "k,0,0,0,load,4,1,18446744073709551616\n");
    expect_error(&r, read_all(&r, path_of(&r, "b"), &instructions), GPC_ERROR_FORMAT, "addresses, decimal or 0x");
    write_text(&r, "c", HEAD "k,0,0,0,load,4,1,0x10000000000000000\n");
    expect_error(&r, read_all(&r, path_of(&r, "c"), &instructions), GPC_ERROR_FORMAT, "addresses, decimal or 0x");
    rig_close(&r);
}

/* Bytes after the available bytes are not read. */
Test(tables, form_of_blanks) {
    cr_expect_null(gpci_table_form("  {\"block\": 0}", 2));
    cr_expect_not_null(gpci_table_form("  {\"block\": 0}", 3));
}

/* Errors and lines. */
Test(tables, malformed) {
    static const struct {
        const char *text, *where, *expected;
    } cases[] = {
        {"block,warp,kind,adress\n", "neither a .traceg", "CSV"},
        {"block,warp,kind,address,colour\n", "t:1:", "kernel, block, warp, pc"},
        {"block,warp,warp,kind,address\n", "t:1:", "each once"},
        {"block,warp,address\n", "t:1:", "columns block, warp, kind and address"},
        {"block,warp,kind,mask,lane,address\n", "t:1:", "not both"},
        {HEAD "k,0,0,0,load,4,1\n", "t:2:", "as many fields"},
        {HEAD "k,0,0,0,load,4,1,1,1\n", "t:2:", "as many fields"},
        {HEAD "\nk,x,0,0,load,4,1,1\n", "t:3:", "a block"},
        {HEAD "k,4294967295,0,0,load,4,1,1\n", "t:2:", "a block"},
        {HEAD "k,0,1024,0,load,4,1,1\n", "t:2:", "a warp from 0 to 1023"},
        {HEAD "k,0,0,-1,load,4,1,1\n", "t:2:", "pc, cycle and mask"},
        {HEAD "k,0,0,0,fetch,4,1,1\n", "t:2:", "a kind"},
        {HEAD "k,0,0,0,load,3,1,1\n", "t:2:", "a width"},
        {HEAD "k,0,0,0,load,32,1,1\n", "t:2:", "a width"},
        {HEAD "k,0,0,0,load,4,3,1\n", "t:2:", "an address for each lane"},
        {HEAD "k,0,0,0,load,4,1,1 2\n", "t:2:", "an address for each lane"},
        {HEAD "k,0,0,0,load,4,1,0x1g\n", "t:2:", "addresses, decimal or 0x"},
        {"block,warp,kind,lane,address\n0,0,load,64,1\n", "t:2:", "a lane from 0 to 63"},
        {"block,warp,kind,address,sm\n0,0,load,1,4294967294\n1,0,load,1,4294967295\n", "t:3:", "the number of an SM"},
        {"block,warp,kind,sm,address\n0,0,load,1,1\n0,0,load,2,1\n", "t:", "one sm"},
        {"block,warp,kind,sm,address\n4000000000,0,load,1,1\n", "t:", "blocks from 0 on"},
        {"{\"block\": 0}\n", "t:1:", "block, warp, kind and address"},
        {"{\"warp\": 0, \"kind\": \"load\", \"address\": 1}\n", "t:1:", "block, warp, kind and address"},
        {"{\"block\": 0, \"warp\": 0, \"kind\": \"load\"}\n", "t:1:", "block, warp, kind and address"},
        {"{\"block\": 0, \"block\": 0}\n", "t:1:", "each once"},
        {"{\"block\": 0,}\n", "t:1:", "an object"},
        {"{\"block\": [0}\n", "t:1:", "an object"},
        {"{\"block\": 0} x\n", "t:1:", "an object"},
        {"{}\n", "t:1:", "an object"},
        {"NVBit (\n" ACCESS "0 - CTA 0,0,0 - warp 1 - LDG.E - 0x1 \n", "t:2:", "LAUNCH"},
        {"NVBit (\nMEMTRACE: CTX 0x1 - LAUNCH - Kernel pc 0x7 - Kernel name k\n", "t:2:", "grid launch id"},
        {LAUNCH ACCESS "0 - CTA 2,0,0 - warp 1 - LDG.E - 0x1 \n", "t:2:", "a CTA of the grid"},
        {LAUNCH ACCESS "0 - CTA 0,0,0 - warp 1 - LDG.E\n", "t:2:", "32 addresses"},
        {LAUNCH ACCESS "0 - CTA 0,0,0 - warp 1 - FADD - 0x1 \n", "t:2:", "memory instruction"},
        {LAUNCH ACCESS "0 - CTA 0,0,0 - warp 1 - LDG.E - 0x1 \n" ACCESS "0 - CTA 0,0,0 - warp 2 - LDG.E - 0x1 \n" ACCESS
                       "0 - CTA 0,0,0 - warp 3 - LDG.E - 0x1 \n",
         "t:", "at most 2 warps"},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        rig r;
        rig_open(&r);
        uint64_t instructions;
        write_text(&r, "t", cases[n].text);
        gpc_status status = read_all(&r, path_of(&r, "t"), &instructions);
        cr_expect_lt(status, 0, "case %zu", n);
        cr_expect(strstr(r.error.message, cases[n].where) && strstr(r.error.message, cases[n].expected),
                  "case %zu: '%s' says nothing of '%s' and '%s'", n, r.error.message, cases[n].where,
                  cases[n].expected);
        rig_close(&r);
    }
}

/* Converted like any other trace, with an equal result. */
Test(tables, converted) {
    rig r;
    rig_open(&r);
    write_text(&r, "a", csv);
    char from[256], to[256];
    snprintf(from, sizeof from, "%s", path_of(&r, "a"));
    snprintf(to, sizeof to, "%s", path_of(&r, "a.gct"));
    convert(&r, from, to, GPC_TRACE_BINARY);
    expect_same(&r, from, to);
    rig_close(&r);
}

/* Instructions given to a writer, in any order of blocks, equal the reader's instructions. */
Test(tables, written) {
    rig r;
    rig_open(&r);
    char path[256];
    snprintf(path, sizeof path, "%s", path_of(&r, "a.gct"));
    gpc_trace_writer *writer;
    cr_assert_eq(gpc_trace_writer_create(r.context, path, GPC_TRACE_BINARY, &writer, &r.error), GPC_OK);
    const uint64_t addresses[][2] = {{0x4000, 0x4008}, {0x1000, 0x1004}, {0x2000, 0}};
    const uint64_t masks[] = {3, 3, 1}, pcs[] = {48, 16, 32};
    const uint32_t blocks[] = {1, 0, 0}, warps[] = {0, 1, 1}, widths[] = {8, 4, 16};
    const uint8_t kinds[] = {GPC_ATOMIC, GPC_LOAD, GPC_STORE};
    gpc_trace_accesses accesses = GPC_TRACE_ACCESSES_INIT;
    accesses.count = 3;
    accesses.lanes = 2;
    accesses.addresses = &addresses[0][0];
    accesses.masks = masks;
    accesses.pcs = pcs;
    accesses.blocks = blocks;
    accesses.warps = warps;
    accesses.widths = widths;
    accesses.kinds = kinds;
    gpc_status status = gpc_trace_writer_accesses(writer, &accesses, &r.error);
    expect_error(&r, status, GPC_ERROR_STATE, "no kernel yet");
    gpc_kernel kernel = GPC_KERNEL_INIT;
    kernel.name = "mine";
    kernel.grid[0] = 2;
    kernel.block[0] = 64;
    kernel.grid[1] = kernel.grid[2] = kernel.block[1] = kernel.block[2] = 1;
    kernel.warp_lanes = 32;
    cr_assert_eq(gpc_trace_writer_kernel(writer, &kernel, &r.error), GPC_OK, "%s", r.error.message);
    const uint32_t beyond[] = {0, 0, 2};
    accesses.warps = beyond;
    status = gpc_trace_writer_accesses(writer, &accesses, &r.error);
    expect_error(&r, status, GPC_ERROR_ARGUMENT, "entry 2: expected in warps");
    accesses.warps = warps;
    cr_assert_eq(gpc_trace_writer_accesses(writer, &accesses, &r.error), GPC_OK, "%s", r.error.message);
    cr_assert_eq(gpc_trace_writer_finish(writer, &r.error), GPC_OK, "%s", r.error.message);
    gpc_trace_writer_destroy(writer);
    gpc_trace *trace = open_trace(&r, path);
    kernel = next_kernel(&r, trace);
    cr_expect_str_eq(kernel.name, "mine");
    const gpc_block *block = next_block(&r, trace);
    check_instruction(trace, &block->warps[1], 0, "LDG.E", 16, 3, 0x1000, 0x1004);
    check_instruction(trace, &block->warps[1], 1, "STG.E.128", 32, 1, 0x2000, 0x2000);
    cr_expect_eq(block->warps[1].count, 3, "none of the call that was refused");
    block = next_block(&r, trace);
    cr_expect_eq(block->index, 1);
    check_instruction(trace, &block->warps[0], 0, "ATOMG.E.ADD.64", 48, 3, 0x4000, 0x4008);
    expect_end(&r, trace);
    gpc_trace_close(trace);
    rig_close(&r);
}

/* An instruction with only addresses: all lanes of the first warp load 4 bytes. */
Test(tables, written_without_more) {
    rig r;
    rig_open(&r);
    gpc_trace_writer *writer;
    const uint64_t addresses[] = {0x1000, 0x1004, 0x2000, 0x2004};
    gpc_trace_accesses accesses = GPC_TRACE_ACCESSES_INIT;
    accesses.count = accesses.lanes = 2;
    accesses.addresses = addresses;
    gpc_kernel kernel = GPC_KERNEL_INIT;
    kernel.grid[0] = kernel.grid[1] = kernel.grid[2] = kernel.block[1] = kernel.block[2] = 1;
    kernel.block[0] = 64;
    kernel.warp_lanes = 32;
    const char *path = path_of(&r, "a.gct");
    cr_assert_eq(gpc_trace_writer_create(r.context, path, GPC_TRACE_BINARY, &writer, &r.error), GPC_OK);
    cr_assert_eq(gpc_trace_writer_kernel(writer, &kernel, &r.error), GPC_OK, "%s", r.error.message);
    cr_assert_eq(gpc_trace_writer_accesses(writer, &accesses, &r.error), GPC_OK, "%s", r.error.message);
    cr_assert_eq(gpc_trace_writer_finish(writer, &r.error), GPC_OK, "%s", r.error.message);
    gpc_trace_writer_destroy(writer);
    gpc_trace *trace = open_trace(&r, path);
    next_kernel(&r, trace);
    const gpc_block *block = next_block(&r, trace);
    cr_expect_eq(block->index, 0);
    check_instruction(trace, &block->warps[0], 0, "LDG.E", 0, 3, 0x1000, 0x1004);
    check_instruction(trace, &block->warps[0], 1, "LDG.E", 0, 3, 0x2000, 0x2004);
    expect_end(&r, trace);
    gpc_trace_close(trace);
    rig_close(&r);
}
