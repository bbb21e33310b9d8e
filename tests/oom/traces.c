/* SPDX-License-Identifier: BSD-2-Clause */
/* Readers, writers and generators of traces. */
#define _XOPEN_SOURCE 700
#include "oom/heap.h"
#include "trace/rewind.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/gpucache-oom-XXXXXX";
static char text_path[64], launches_path[80], raw_path[80], sms_path[80], binary_path[64], out_path[64];

static void add(uint64_t *sum, uint64_t value) {
    *sum = (*sum ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    *sum ^= *sum >> 29;
}

static void add_block(uint64_t *sum, const gpc_block *block) {
    add(sum, block->index);
    for (uint32_t w = 0; w < block->warp_count; w++) {
        const gpc_warp *warp = &block->warps[w];
        add(sum, warp->count);
        for (uint64_t i = 0; i < warp->count; i++) {
            const gpc_instruction *instruction = &warp->instructions[i];
            add(sum, instruction->pc);
            add(sum, instruction->mask);
            for (uint64_t mask = instruction->addresses ? instruction->mask : 0, lane = 0; mask; mask &= mask - 1)
                add(sum, instruction->addresses[lane++]);
        }
    }
}

/* Read everything, with two blocks held at a time. `*sum` gets a digest. */
static gpc_status digest(gpc_context *context, const char *source, gpc_error *error, uint64_t *sum) {
    gpc_trace *trace = NULL;
    gpc_status status = gpc_trace_open(context, source, &trace, error);
    cr_assert_eq(trace != NULL, status == GPC_OK);
    if (status == GPC_OK)
        status = gpc_trace_choose(trace, "1-, *", error);
    uint64_t kernels = 0;
    *sum = 0;
    while (status == GPC_OK) {
        gpc_kernel kernel = GPC_KERNEL_INIT;
        const gpc_block *held = NULL;
        status = gpc_trace_next_kernel(trace, &kernel, error);
        if (status == GPC_END)
            break;
        kernels++;
        while (status == GPC_OK) {
            const gpc_block *block = NULL;
            status = gpc_trace_next_block(trace, &block, error);
            if (status != GPC_OK)
                break;
            add_block(sum, block);
            if (held)
                gpc_trace_release_block(trace, held);
            held = block;
        }
        if (status == GPC_END)
            status = GPC_OK;
    }
    if (status == GPC_END)
        cr_assert_gt(kernels, 0);
    gpc_trace_close(trace); /* a block is still held */
    return status == GPC_END ? GPC_OK : status;
}

/* The digest as without a failure, or a failure. */
static gpc_status drain(gpc_context *context, const char *source, gpc_error *error) {
    gpc_context *healthy = NULL;
    uint64_t expected = 0, sum = 0;
    cr_assert_eq(gpc_context_create(NULL, &healthy, NULL), GPC_OK);
    cr_assert_eq(digest(healthy, source, NULL, &expected), GPC_OK);
    gpc_context_destroy(healthy);
    gpc_status status = digest(context, source, error, &sum);
    if (status == GPC_OK)
        cr_assert_eq(sum, expected, "something was lost");
    return status;
}

static gpc_status copy_kernel(gpc_trace *trace, gpc_trace_writer *writer, gpc_error *error) {
    gpc_kernel kernel = GPC_KERNEL_INIT;
    const gpc_block *block = NULL;
    gpc_status status = gpc_trace_next_kernel(trace, &kernel, error);
    if (status != GPC_OK)
        return status;
    status = gpc_trace_writer_kernel(writer, &kernel, error);
    while (status == GPC_OK && (status = gpc_trace_next_block(trace, &block, error)) == GPC_OK) {
        status = gpc_trace_writer_block(writer, trace, block, error);
        gpc_trace_release_block(trace, block);
    }
    return status == GPC_END ? GPC_OK : status;
}

static gpc_status convert(gpc_context *context, const char *source, const char *path, gpc_trace_format format,
                          gpc_error *error) {
    gpc_trace *trace = NULL;
    gpc_trace_writer *writer = NULL;
    gpc_status status = gpc_trace_open(context, source, &trace, error);
    if (status == GPC_OK)
        status = gpc_trace_writer_create(context, path, format, &writer, error);
    while (status == GPC_OK)
        status = copy_kernel(trace, writer, error);
    if (status == GPC_END)
        status = gpc_trace_writer_finish(writer, error);
    gpc_trace_writer_destroy(writer);
    gpc_trace_close(trace);
    return status;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *where) {
    (void)info, (void)kind, (void)where;
    return remove(path);
}

static void remove_folder(const char *path) {
    nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void write_launches(void) {
    FILE *file = fopen(launches_path, "w");
    cr_assert_not_null(file);
    for (int launch = 0; launch < 2; launch++)
        fprintf(file,
                "MEMTRACE: CTX 0x1 - LAUNCH - Kernel pc 0x7 - Kernel name k - grid launch id %d - grid size 2,1,1 - "
                "block size 64,1,1 - nregs 16 - shmem 0 - cuda stream id 0\n",
                launch);
    for (int access = 0; access < 4; access++)
        fprintf(file, "MEMTRACE: CTX 0x1 - grid_launch_id %d - CTA %d,0,0 - warp 1 - LDG.E - 0x10 0x0 0x20\n",
                access % 2, access / 2);
    cr_assert_eq(fclose(file), 0);
}

/* Two warps as left by the tracer, and after post-traces-processing, with SMs. */
static void write_raw(void) {
    static const char head[] = "-grid dim = (2,1,1)\n-block dim = (32,1,1)\n#traces format\n",
                      load[] = "7 9 0000 1 1 R2 LDG.E 1 R4 4 1 0x1000 4\n", end[] = "7 9 0010 1 0 EXIT 0 0\n";
    FILE *raw = fopen(raw_path, "w"), *sms = fopen(sms_path, "w");
    cr_assert(raw && sms);
    fprintf(raw, "%s1 0 0 0 %s0 0 0 0 %s1 0 0 0 %s0 0 0 0 %s", head, load, load, end, end);
    fprintf(sms, "%s", head);
    for (int block = 0; block < 2; block++)
        fprintf(sms, "#BEGIN_TB\nthread block = %d,0,0\nwarp = 0\ninsts = 2\n%s%s#END_TB\n", block, load, end);
    cr_assert(!fclose(raw) && !fclose(sms));
}

static void setup(void) {
    cr_assert_not_null(mkdtemp(folder));
    snprintf(text_path, sizeof text_path, "%s/text", folder);
    snprintf(raw_path, sizeof raw_path, "%s/raw", text_path);
    snprintf(sms_path, sizeof sms_path, "%s/sms", text_path);
    snprintf(launches_path, sizeof launches_path, "%s/launches", text_path);
    snprintf(binary_path, sizeof binary_path, "%s/binary.gct", folder);
    snprintf(out_path, sizeof out_path, "%s/out", folder);
    gpc_context *context = NULL;
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_context_create(NULL, &context, &error), GPC_OK);
    const char *source = "synthetic:vectoradd:2KiB";
    cr_assert_eq(convert(context, source, text_path, GPC_TRACE_TEXT, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(convert(context, source, binary_path, GPC_TRACE_BINARY, &error), GPC_OK, "%s", error.message);
    gpc_context_destroy(context);
    write_launches();
    write_raw();
}

static void teardown(void) {
    remove_folder(folder);
}

TestSuite(oom_trace, .init = setup, .fini = teardown);

static gpc_status read_synthetic(gpc_context *context, oom_heap *heap, gpc_error *error) {
    (void)heap;
    return drain(context, "synthetic:vectoradd:2KiB", error);
}

static gpc_status read_text(gpc_context *context, oom_heap *heap, gpc_error *error) {
    (void)heap;
    return drain(context, text_path, error);
}

static gpc_status read_binary(gpc_context *context, oom_heap *heap, gpc_error *error) {
    (void)heap;
    return drain(context, binary_path, error);
}

/* Accesses of two launches, mixed. */
static gpc_status read_launches(gpc_context *context, oom_heap *heap, gpc_error *error) {
    (void)heap;
    return drain(context, launches_path, error);
}

static gpc_status read_raw(gpc_context *context, oom_heap *heap, gpc_error *error) {
    (void)heap;
    return drain(context, raw_path, error);
}

static gpc_status read_sms(gpc_context *context, oom_heap *heap, gpc_error *error) {
    (void)heap;
    return drain(context, sms_path, error);
}

/* Read through a decompressor, with a placement map: after every failure, the caller waits for the child process. */
static gpc_status read_compressed(gpc_context *context, oom_heap *heap, gpc_error *error) {
    (void)heap;
    return drain(context, "examples/traces/nn", error);
}

/* Begin the first kernel, then read from the first block on. */
static gpc_status read_again(gpc_context *context, const char *source, gpc_error *error) {
    gpc_trace *trace = NULL;
    gpc_kernel kernel = GPC_KERNEL_INIT;
    const gpc_block *block = NULL;
    gpc_status status = gpc_trace_open(context, source, &trace, error);
    if (status == GPC_OK)
        status = gpc_trace_next_kernel(trace, &kernel, error);
    if (status == GPC_OK)
        status = gpc_trace_next_block(trace, &block, error);
    uint32_t first = status == GPC_OK ? block->index : 0;
    gpc_trace_release_block(trace, block);
    if (status == GPC_OK)
        status = gpci_trace_rewind(trace, &kernel, error);
    if (status == GPC_OK)
        status = gpc_trace_next_block(trace, &block, error);
    if (status == GPC_OK)
        cr_assert_eq(block->index, first);
    gpc_trace_close(trace);
    return status;
}

static gpc_status read_text_again(gpc_context *context, oom_heap *heap, gpc_error *error) {
    (void)heap;
    return read_again(context, text_path, error);
}

static gpc_status read_compressed_again(gpc_context *context, oom_heap *heap, gpc_error *error) {
    (void)heap;
    return read_again(context, "examples/traces/nn", error);
}

Test(oom_trace, read_again) {
    oom_check(read_text_again, 7);
    oom_check(read_compressed_again, 7);
}

Test(oom_trace, synthetic) {
    oom_check(read_synthetic, 3);
}

Test(oom_trace, text) {
    oom_check(read_text, 5);
}

Test(oom_trace, raw) {
    oom_check(read_raw, 9);
    oom_check(read_sms, 6);
}

Test(oom_trace, launches) {
    oom_check(read_launches, 5);
}

Test(oom_trace, binary) {
    oom_check(read_binary, 3);
}

static gpc_status read_out(gpc_context *context, oom_heap *heap, gpc_error *error) {
    (void)heap;
    return drain(context, out_path, error);
}

/* A kernel without addresses: no instruction is lost. */
Test(oom_trace, binary_without_addresses) {
    char path[80];
    snprintf(path, sizeof path, "%s/plain.traceg", folder);
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs("-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n#\n#BEGIN_TB\nthread block = 0,0,0\n"
          "warp = 0\ninsts = 2\n0000 ffffffff 1 R1 IADD3 2 R2 R3 0\n0010 ffffffff 0 EXIT 0 0\n#END_TB\n",
          file);
    fclose(file);
    gpc_context *context = NULL;
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_context_create(NULL, &context, &error), GPC_OK);
    cr_assert_eq(convert(context, path, out_path, GPC_TRACE_BINARY, &error), GPC_OK, "%s", error.message);
    gpc_context_destroy(context);
    oom_check(read_out, 3);
}

Test(oom_trace, compressed) {
    oom_check(read_compressed, 5);
}

/* Names in the folder beside the traces read in turn. */
static void list_others(char *list, size_t size) {
    DIR *directory = opendir(folder);
    cr_assert_not_null(directory);
    *list = '\0';
    for (struct dirent *entry; (entry = readdir(directory));)
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") && strcmp(entry->d_name, "text") &&
            strcmp(entry->d_name, "launches") && strcmp(entry->d_name, "binary.gct"))
            snprintf(list + strlen(list), size - strlen(list), " %s", entry->d_name);
    closedir(directory);
}

/* An unfinished writer leaves no file behind, under any name. */
static gpc_status write_one(gpc_context *context, gpc_trace_format format, gpc_error *error) {
    gpc_status status = convert(context, "synthetic:vectoradd:2KiB", out_path, format, error);
    cr_assert_eq(access(out_path, F_OK) == 0, status == GPC_OK);
    remove_folder(out_path);
    char others[512];
    list_others(others, sizeof others);
    cr_assert_str_empty(others, "left behind:%s", others);
    return status;
}

static gpc_status write_binary(gpc_context *context, oom_heap *heap, gpc_error *error) {
    (void)heap;
    return write_one(context, GPC_TRACE_BINARY, error);
}

static gpc_status write_text(gpc_context *context, oom_heap *heap, gpc_error *error) {
    (void)heap;
    return write_one(context, GPC_TRACE_TEXT, error);
}

Test(oom_trace, write_binary) {
    oom_check(write_binary, 5);
}

Test(oom_trace, write_text) {
    oom_check(write_text, 5);
}
