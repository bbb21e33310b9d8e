/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include "trace/sources.h"

#include <stdio.h>
#include <stdlib.h>

/*
 * Readers with arbitrary input. A target takes an input and aborts if the reader breaks a promise; sanitizers see the
 * rest. regression.c runs the targets over a corpus and mutations, entry.c under libFuzzer. Accepted texts, tables and
 * profiles must survive writing.
 */
void fuzz_text(const uint8_t *data, size_t size);     /* a .traceg, also as a .gct */
void fuzz_table(const uint8_t *data, size_t size);    /* CSV, JSON Lines, mem_trace, also as a .gct */
void fuzz_list(const uint8_t *data, size_t size);     /* a kernelslist.g */
void fuzz_binary(const uint8_t *data, size_t size);   /* a .gct unchanged, and with corrected checksums */
void fuzz_profile(const uint8_t *data, size_t size);  /* a profile unchanged, and with corrected checksums */
void fuzz_config(const uint8_t *data, size_t size);   /* settings, and a hierarchy with the settings */
void fuzz_options(const uint8_t *data, size_t size);  /* options of GPGPU-Sim, and a hierarchy with them */
void fuzz_name(const uint8_t *data, size_t size);     /* name(a=1, b) of anything named */
void fuzz_kernels(const uint8_t *data, size_t size);  /* the file of pcal's numbers for kernels */
void fuzz_snapshot(const uint8_t *data, size_t size); /* damaged snapshots */

void fuzz_tree(const uint8_t *data, size_t size); /* a tree of caches, and accesses to the tree */
void fuzz_api(const uint8_t *data, size_t size);  /* calls in every order that the headers allow */

#define CHECK(condition)                                                    \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                        \
        }                                                                   \
    } while (0)

typedef gpc_status (*fuzz_open)(gpc_context *, gpci_opcodes *, const char *, gpc_error *, gpci_source **);

/* Context with at most 256 MiB of memory. */
typedef struct fuzz_memory {
    gpc_context *context;
    size_t used;
    size_t fail_at; /* 1: the next allocation fails, once; 0: no failure */
} fuzz_memory;

/*
 * Results of an input, for golden numbers: a digest of the numbers and texts of a target, and the last error.
 * regression.c clears digest and error before every input.
 */
typedef struct fuzz_told {
    uint64_t digest;
    char error[300]; /* without the name of the file */
} fuzz_told;

extern fuzz_told fuzz_last;
void fuzz_tell(uint64_t number);
void fuzz_tell_text(const char *text);
void fuzz_tell_error(gpc_status status, const gpc_error *error);

void fuzz_memory_open(fuzz_memory *memory);
/* Every block must be free. */
void fuzz_memory_close(fuzz_memory *memory);

/* Temporary file with given contents, removed when closed. */
typedef struct fuzz_file {
    int descriptor;
    char path[64];
} fuzz_file;

void fuzz_file_open(fuzz_file *file, const uint8_t *data, size_t size);
void fuzz_file_close(fuzz_file *file);

/* Read a whole file, and check the promises of every block. `each` may be NULL. */
gpc_status fuzz_read(gpc_context *context, fuzz_open open, const char *path,
                     void (*each)(gpc_context *, gpci_opcodes *, const gpc_kernel *, const gpc_block *));

#endif
