/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_BASE_FILE_H
#define GPC_BASE_FILE_H

#include "base/buffer.h"

/* Content of a small text file. */
typedef struct gpci_file {
    char *text; /* NUL-terminated; the caller frees the text */
    size_t length;
    uint64_t device, inode; /* identity of the file, independent of its path */
} gpci_file;

/*
 * Read a small text file into memory. The error message names the path. Fails with GPC_ERROR_IO; GPC_ERROR_RANGE: the
 * file is longer than GPCI_FILE_LIMIT, and so is probably a device; GPC_ERROR_FORMAT: the file has a NUL byte, and the
 * message names the line; or GPC_ERROR_MEMORY.
 */
gpc_status gpci_file_read(gpc_context *context, const char *path, gpci_file *out, gpc_error *error);

#define GPCI_FILE_LIMIT (16u << 20)

/*
 * Copy a host's gpc_stream and check the copy. GPC_ERROR_ABI. GPC_ERROR_ARGUMENT: the stream is NULL, or has both a
 * path and a function, or neither.
 *   name    name of the parameter with the stream, for messages
 *   writes  true: the function is `write`; false: `read`
 */
gpc_status gpci_host_stream_take(gpc_stream *ours, const gpc_stream *theirs, const char *name, bool writes,
                                 gpc_error *error);

/*
 * Read a stream to its end.
 *   name  name of the stream in messages, if the stream has no path
 *   out   receives the bytes; after a failure, the bytes read before. The caller must clear the buffer in any case
 */
gpc_status gpci_host_stream_read(gpc_context *context, const gpc_stream *from, const char *name, gpci_buffer *out,
                                 gpc_error *error);

#endif
