/* SPDX-License-Identifier: BSD-2-Clause */
#define _XOPEN_SOURCE 700
#include "trace/rig.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void remember(void *user_data, gpc_log_level level, const char *message) {
    (void)level;
    rig *r = user_data;
    snprintf(r->log, sizeof r->log, "%s", message);
    r->logged++;
}

void rig_open(rig *r) {
    *r = (rig){.error = GPC_ERROR_INIT};
    gpc_context_options options = GPC_CONTEXT_OPTIONS_INIT;
    options.log = remember;
    options.log_data = r;
    cr_assert_eq(gpc_context_create(&options, &r->context, &r->error), GPC_OK);
    snprintf(r->folder, sizeof r->folder, "/tmp/gpucache-trace-XXXXXX");
    cr_assert_not_null(mkdtemp(r->folder));
}

void rig_close(rig *r) {
    shell(r, "rm -rf -- \"$PWD\"");
    gpc_context_destroy(r->context);
}

const char *path_of(const rig *r, const char *name) {
    static char paths[5][256];
    static unsigned next;
    char *path = paths[next++ % 5];
    snprintf(path, sizeof paths[0], "%s/%s", r->folder, name);
    return path;
}

void write_file(const rig *r, const char *name, const void *data, size_t length) {
    FILE *file = fopen(path_of(r, name), "wb");
    cr_assert_not_null(file, "%s", name);
    cr_assert_eq(fwrite(data, 1, length, file), length);
    cr_assert_eq(fclose(file), 0);
}

void write_text(const rig *r, const char *name, const char *text) {
    write_file(r, name, text, strlen(text));
}

void write_byte(const rig *r, const char *name, size_t at, unsigned char byte) {
    int file = open(path_of(r, name), O_WRONLY);
    cr_assert(file >= 0 && pwrite(file, &byte, 1, (off_t)at) == 1);
    close(file);
}

void cut_file(const rig *r, const char *name, size_t length) {
    cr_assert_eq(truncate(path_of(r, name), (off_t)length), 0);
}

unsigned char *read_file(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file, "%s", path);
    cr_assert_eq(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    rewind(file);
    unsigned char *data = malloc((size_t)size + 1);
    cr_assert_not_null(data);
    *length = fread(data, 1, (size_t)size, file);
    cr_assert_eq(*length, (size_t)size);
    fclose(file);
    return data;
}

void shell(const rig *r, const char *command) {
    char whole[1024];
    snprintf(whole, sizeof whole, "cd '%s' && %s", r->folder, command);
    cr_assert_eq(system(whole), 0, "%s", command);
}

bool exists(const rig *r, const char *name) {
    return access(path_of(r, name), F_OK) == 0;
}

unsigned entries(const rig *r) {
    unsigned count = 0;
    DIR *folder = opendir(r->folder);
    cr_assert_not_null(folder);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count - 2; /* . and .. */
}

gpc_trace *open_trace(rig *r, const char *source) {
    gpc_trace *trace = NULL;
    gpc_status status = gpc_trace_open(r->context, source, &trace, &r->error);
    cr_assert_eq(status, GPC_OK, "%s", r->error.message);
    return trace;
}

gpc_kernel next_kernel(rig *r, gpc_trace *trace) {
    gpc_kernel kernel = GPC_KERNEL_INIT;
    gpc_status status = gpc_trace_next_kernel(trace, &kernel, &r->error);
    cr_assert_eq(status, GPC_OK, "%s", r->error.message);
    return kernel;
}

const gpc_block *next_block(rig *r, gpc_trace *trace) {
    const gpc_block *block = NULL;
    gpc_status status = gpc_trace_next_block(trace, &block, &r->error);
    cr_assert_eq(status, GPC_OK, "%s", r->error.message);
    return block;
}

void expect_end(rig *r, gpc_trace *trace) {
    const gpc_block *block = NULL;
    gpc_status status = gpc_trace_next_block(trace, &block, &r->error);
    cr_assert_eq(status, GPC_END, "%d %s", status, r->error.message);
}

void expect_last_kernel(rig *r, gpc_trace *trace) {
    gpc_kernel kernel = GPC_KERNEL_INIT;
    gpc_status status = gpc_trace_next_kernel(trace, &kernel, &r->error);
    cr_assert_eq(status, GPC_END, "%d %s", status, r->error.message);
}

gpc_status read_opened(rig *r, gpc_trace *trace, uint64_t *instructions) {
    gpc_kernel kernel = GPC_KERNEL_INIT;
    const gpc_block *block;
    gpc_status status = GPC_OK;
    while (status == GPC_OK && (status = gpc_trace_next_kernel(trace, &kernel, &r->error)) == GPC_OK) {
        while ((status = gpc_trace_next_block(trace, &block, &r->error)) == GPC_OK) {
            *instructions += block->instruction_count;
            gpc_trace_release_block(trace, block);
        }
        status = status == GPC_END ? GPC_OK : status;
    }
    return status == GPC_END ? GPC_OK : status;
}

gpc_status read_all(rig *r, const char *source, uint64_t *instructions) {
    gpc_trace *trace = NULL;
    *instructions = 0;
    gpc_status status = gpc_trace_open(r->context, source, &trace, &r->error);
    if (status == GPC_OK)
        status = read_opened(r, trace, instructions);
    gpc_trace_close(trace);
    return status;
}

void expect_error(const rig *r, gpc_status status, gpc_status expected, const char *part) {
    cr_assert_eq(status, expected, "%s and not %s: %s", gpc_status_string(status), gpc_status_string(expected),
                 r->error.message);
    cr_assert(strstr(r->error.message, part), "'%s' says nothing of '%s'", r->error.message, part);
}

void write_block(rig *r, const char *name, const char *header, const char *instructions, unsigned count) {
    char text[8192];
    int length = snprintf(text, sizeof text,
                          "%s#traces format = ...\n#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = %u\n%s#END_TB\n",
                          header, count, instructions);
    cr_assert_lt((size_t)length, sizeof text);
    write_text(r, name, text);
}

static gpc_status copy_kernel(rig *r, gpc_trace *trace, gpc_trace_writer *writer) {
    const gpc_block *block;
    gpc_status status = GPC_OK;
    while (status == GPC_OK && (status = gpc_trace_next_block(trace, &block, &r->error)) == GPC_OK) {
        status = gpc_trace_writer_block(writer, trace, block, &r->error);
        gpc_trace_release_block(trace, block);
    }
    return status == GPC_END ? GPC_OK : status;
}

gpc_status try_convert(rig *r, const char *from, const char *to, gpc_trace_format format) {
    gpc_trace *trace = open_trace(r, from);
    gpc_trace_writer *writer = NULL;
    gpc_kernel kernel = GPC_KERNEL_INIT;
    r->error = (gpc_error)GPC_ERROR_INIT;
    gpc_status status = gpc_trace_writer_create(r->context, to, format, &writer, &r->error);
    while (status == GPC_OK && (status = gpc_trace_next_kernel(trace, &kernel, &r->error)) == GPC_OK) {
        status = gpc_trace_writer_kernel(writer, &kernel, &r->error);
        if (status == GPC_OK)
            status = copy_kernel(r, trace, writer);
    }
    if (status == GPC_END)
        status = gpc_trace_writer_finish(writer, &r->error);
    gpc_trace_writer_destroy(writer);
    gpc_trace_close(trace);
    return status;
}

void convert(rig *r, const char *from, const char *to, gpc_trace_format format) {
    cr_assert_eq(try_convert(r, from, to, format), GPC_OK, "%s", r->error.message);
}

static void expect_same_instruction(const gpc_trace *of_a, const gpc_instruction *a, const gpc_trace *of_b,
                                    const gpc_instruction *b) {
    cr_assert_eq(a->pc, b->pc, "%" PRIx64 " %" PRIx64, a->pc, b->pc);
    cr_assert_eq(a->mask, b->mask, "%" PRIx64 " at pc %" PRIx64, a->mask, a->pc);
    cr_assert_eq(a->line, b->line);
    cr_assert_eq(a->destinations, b->destinations);
    cr_assert_eq(a->sources, b->sources);
    cr_assert_eq(a->op_class, b->op_class);
    cr_assert_eq(a->kind, b->kind);
    cr_assert_eq(a->space, b->space, "%u %u at pc %" PRIx64, a->space, b->space, a->pc);
    cr_assert_eq(a->hint, b->hint);
    cr_assert_eq(a->priority, b->priority);
    cr_assert_eq(a->width, b->width, "%u %u at pc %" PRIx64, a->width, b->width, a->pc);
    for (unsigned i = 0; i < (unsigned)a->destinations + a->sources; i++)
        cr_assert_eq(a->registers[i], b->registers[i]);
    cr_assert_str_eq(gpc_trace_opcode(of_a, a->opcode), gpc_trace_opcode(of_b, b->opcode));
    gpc_ordering x = GPC_ORDERING_INIT, y = GPC_ORDERING_INIT;
    cr_assert_eq(gpc_trace_ordering(of_a, a->opcode, &x, NULL), GPC_OK);
    cr_assert_eq(gpc_trace_ordering(of_b, b->opcode, &y, NULL), GPC_OK);
    cr_assert(x.scope == y.scope && x.order == y.order && x.control == y.control);
    cr_assert_eq(a->addresses == NULL, b->addresses == NULL, "at pc %" PRIx64, a->pc);
    for (unsigned lane = 0, i = 0; a->addresses && lane < 64; lane++)
        if (a->mask >> lane & 1) {
            cr_assert_eq(a->addresses[i], b->addresses[i], "lane %u: %" PRIx64 " %" PRIx64, lane, a->addresses[i],
                         b->addresses[i]);
            i++;
        }
}

void expect_same_block(const gpc_trace *of_a, const gpc_block *a, const gpc_trace *of_b, const gpc_block *b) {
    cr_assert_eq(a->x, b->x);
    cr_assert_eq(a->y, b->y);
    cr_assert_eq(a->z, b->z);
    cr_assert_eq(a->index, b->index);
    cr_assert_eq(a->warp_count, b->warp_count);
    cr_assert_eq(a->instruction_count, b->instruction_count);
    for (uint32_t w = 0; w < a->warp_count; w++) {
        cr_assert_eq(a->warps[w].warp, w);
        cr_assert_eq(b->warps[w].warp, w);
        cr_assert_eq(a->warps[w].count, b->warps[w].count);
        for (uint64_t i = 0; i < a->warps[w].count; i++)
            expect_same_instruction(of_a, &a->warps[w].instructions[i], of_b, &b->warps[w].instructions[i]);
    }
}

static void expect_same_kernel(const gpc_kernel *a, const gpc_kernel *b) {
    cr_assert_str_eq(a->name, b->name);
    cr_assert_eq(a->id, b->id);
    cr_assert_eq(a->index, b->index);
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(a->grid[i], b->grid[i]);
        cr_assert_eq(a->block[i], b->block[i]);
    }
    cr_assert_eq(a->shared_bytes, b->shared_bytes);
    cr_assert_eq(a->registers, b->registers);
    cr_assert_eq(a->binary_version, b->binary_version);
    cr_assert_eq(a->warp_lanes, b->warp_lanes);
    cr_assert_eq(a->stream, b->stream);
    cr_assert_eq(a->shared_base, b->shared_base);
    cr_assert_eq(a->local_base, b->local_base);
    cr_assert_eq(a->block_count, b->block_count);
    cr_assert_eq(a->placement_count, b->placement_count);
    for (uint64_t i = 0; i < a->placement_count; i++)
        cr_assert_eq(a->placement[i], b->placement[i]);
}

void expect_same(rig *r, const char *one, const char *other) {
    gpc_trace *a = open_trace(r, one), *b = open_trace(r, other);
    gpc_kernel kernel_a = GPC_KERNEL_INIT, kernel_b = GPC_KERNEL_INIT;
    while (gpc_trace_next_kernel(a, &kernel_a, &r->error) == GPC_OK) {
        gpc_status status = gpc_trace_next_kernel(b, &kernel_b, &r->error);
        cr_assert_eq(status, GPC_OK, "%s", r->error.message);
        expect_same_kernel(&kernel_a, &kernel_b);
        const gpc_block *block_a, *block_b;
        while ((status = gpc_trace_next_block(a, &block_a, &r->error)) == GPC_OK) {
            block_b = next_block(r, b);
            expect_same_block(a, block_a, b, block_b);
            gpc_trace_release_block(a, block_a);
            gpc_trace_release_block(b, block_b);
        }
        cr_assert_eq(status, GPC_END, "%s", r->error.message);
        expect_end(r, b);
    }
    expect_last_kernel(r, b);
    gpc_trace_close(a);
    gpc_trace_close(b);
}
