/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_BASE_FILE_H
#define GPC_BASE_FILE_H

#include "base/base.h"

/* Content of a small text file. */
typedef struct gpci_file {
    char *text; /* NUL-terminated; the caller frees the text */
    size_t length;
    uint64_t device, inode; /* identity of the file, independent of its path */
} gpci_file;

/*
 * Read a file. The message names the path. Fails with GPC_ERROR_IO, GPC_ERROR_RANGE (longer than GPCI_FILE_LIMIT: a
 * device, or no configuration), GPC_ERROR_FORMAT (a NUL byte; the message names the line) or GPC_ERROR_MEMORY.
 */
gpc_status gpci_file_read(gpc_context *context, const char *path, gpci_file *out, gpc_error *error);

#define GPCI_FILE_LIMIT (16u << 20)

#endif
