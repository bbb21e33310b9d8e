/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_TRACE_RIG_H
#define TESTS_TRACE_RIG_H

#include <gpucache/ext/replay.h>
#include <gpucache/gpucache.h>

/* A context and a folder for files; the last log message and the number of messages. */
typedef struct rig {
    gpc_context *context;
    gpc_error error;
    char folder[64];
    char log[1024];
    unsigned logged;
} rig;

void rig_open(rig *r);
void rig_close(rig *r);

/* FOLDER/NAME, stored in the rig until four calls later. */
const char *path_of(const rig *r, const char *name);

void write_file(const rig *r, const char *name, const void *data, size_t length);
void write_text(const rig *r, const char *name, const char *text);
/* Change a byte of a file, or the length, in place. */
void write_byte(const rig *r, const char *name, size_t at, unsigned char byte);
void cut_file(const rig *r, const char *name, size_t length);
unsigned char *read_file(const char *path, size_t *length);
/* Run a shell command in the folder; it must succeed. */
void shell(const rig *r, const char *command);
bool exists(const rig *r, const char *name);
/* Number of entries in the folder. */
unsigned entries(const rig *r);

/* Open; must succeed. */
gpc_trace *open_trace(rig *r, const char *source);
/* The next kernel or block; must exist. */
gpc_kernel next_kernel(rig *r, gpc_trace *trace);
const gpc_block *next_block(rig *r, gpc_trace *trace);
void expect_end(rig *r, gpc_trace *trace);         /* of the kernel */
void expect_last_kernel(rig *r, gpc_trace *trace); /* of the trace */

/* Read everything until an error or the end; of an open trace, and add its instructions. */
gpc_status read_opened(rig *r, gpc_trace *trace, uint64_t *instructions);
gpc_status read_all(rig *r, const char *source, uint64_t *instructions);
/* Assert status and that the message holds `part`. */
void expect_error(const rig *r, gpc_status status, gpc_status expected, const char *part);

/* A block of the grid (2,1,1) of 64 threads: two warps; `instructions` (`count` lines) belong to the first. */
void write_block(rig *r, const char *name, const char *header, const char *instructions, unsigned count);
#define HEADER "-kernel name = k\n-kernel id = 1\n-grid dim = (2,1,1)\n-block dim = (64,1,1)\n"

/* Copy a trace, up to the first failing step. */
gpc_status try_convert(rig *r, const char *from, const char *to, gpc_trace_format format);
/* Copy a trace; every step must succeed. */
void convert(rig *r, const char *from, const char *to, gpc_trace_format format);
/* Assert that two traces have the same kernels (but for file and tracer), blocks and instructions. */
void expect_same(rig *r, const char *one, const char *other);
void expect_same_block(const gpc_trace *of_a, const gpc_block *a, const gpc_trace *of_b, const gpc_block *b);

#endif
