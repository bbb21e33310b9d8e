/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_PATHS_H
#define GPC_TRACE_PATHS_H

#include "base/base.h"

/* `first` and `second` in new memory; NULL: out of memory. */
char *gpci_join(gpc_context *context, const char *first, const char *second);
/* As gpci_join, with `length` bytes of `first`. */
char *gpci_join_part(gpc_context *context, const char *first, size_t length, const char *second);

/* Bytes of `path` up to its last slash, inclusive. */
size_t gpci_folder_length(const char *path);

/* Standard input is "-": the opened path and the name in messages differ. Any other path stays unchanged. */
bool gpci_is_standard_input(const char *path);
const char *gpci_path_opened(const char *path);
const char *gpci_path_shown(const char *path);

bool gpci_is_folder(const char *path);
/* Bytes of a file; 0 = no such file. */
uint64_t gpci_file_size(const char *path);

/* strcmp for names with numbers: "kernel-10.traceg" comes after "kernel-9.traceg". */
int gpci_natural_order(const char *a, const char *b);

/* Find a file by this name, with or without a decompressor's suffix. NULL with GPC_OK if the file does not exist. */
gpc_status gpci_find_file(gpc_context *context, const char *path, gpc_error *error, char **out);

/*
 * Largest grid, in blocks, for which an array of SMs is allocated if the file has few blocks. A damaged file with a
 * large number must not make the reader allocate much memory.
 */
#define GPCI_MOST_PLACES (1u << 20)

/*
 * SM of each block, from the kernel-N.sm beside a kernel-N.traceg, .tracez or .trace; *out = NULL without such a file.
 */
gpc_status gpci_placement_load(gpc_context *context, const char *traceg, uint64_t block_count, gpc_error *error,
                               uint32_t **out, uint64_t *count);

#endif
