/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_PATHS_H
#define GPC_TRACE_PATHS_H

#include "base/base.h"

/* `first` and `second` in new memory; NULL: out of memory. */
char *gpci_join(gpc_context *context, const char *first, const char *second);
/* The same with `length` bytes of `first`. */
char *gpci_join_part(gpc_context *context, const char *first, size_t length, const char *second);

/* Bytes of `path` up to and with its last slash. */
size_t gpci_folder_length(const char *path);

/* "-" is standard input: what is opened for it, and what messages call it. Any other path is itself. */
bool gpci_is_standard_input(const char *path);
const char *gpci_path_opened(const char *path);
const char *gpci_path_shown(const char *path);

bool gpci_is_folder(const char *path);
/* Bytes of a file; 0 where there is none. */
uint64_t gpci_file_size(const char *path);

/* "kernel-10.traceg" after "kernel-9.traceg": digits compare as numbers. */
int gpci_natural_order(const char *a, const char *b);

/* A file by this name with or without a decompressor's suffix. NULL with GPC_OK where there is none. */
gpc_status gpci_find_file(gpc_context *context, const char *path, gpc_error *error, char **out);

/* Places of blocks of a grid that a file has few blocks of, at most: memory follows the file, not a number in it. */
#define GPCI_MOST_PLACES (1u << 20)

/*
 * SM of each block, from the kernel-N.sm beside a kernel-N.traceg, .tracez or .trace; *out = NULL where there is none.
 */
gpc_status gpci_placement_load(gpc_context *context, const char *traceg, uint64_t block_count, gpc_error *error,
                               uint32_t **out, uint64_t *count);

#endif
