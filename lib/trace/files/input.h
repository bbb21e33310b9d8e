/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_INPUT_H
#define GPC_TRACE_INPUT_H

#include "base/base.h"

/*
 * Bytes of a file, or of standard input (paths.h). A file compressed by xz, gzip or zstd is read through a
 * decompressor, which is chosen by the first bytes of the file or by the file's name. A .tracez is read as text.
 */
typedef struct gpci_input gpci_input;

gpc_status gpci_input_open(gpc_context *context, const char *path, gpc_error *error, gpci_input **out);
/* Peek at the first bytes, up to GPCI_INPUT_HEAD; gpci_input_read still returns them. Call before the first read. */
#define GPCI_INPUT_HEAD 1024u
gpc_status gpci_input_peek(gpci_input *input, const char **first, size_t *length, gpc_error *error);
/* Read up to `capacity` bytes. *got = 0 at the end. The end is only reported if the decompressor succeeded. */
gpc_status gpci_input_read(gpci_input *input, void *buffer, size_t capacity, size_t *got, gpc_error *error);
/* Part of the file already read, 0 to 1. */
double gpci_input_progress(const gpci_input *input);
/* True for a pipe or a device: such an input cannot be opened again from its beginning. */
bool gpci_input_is_stream(const gpci_input *input);
/* Path for messages. */
const char *gpci_input_path(const gpci_input *input);
/* Path as given to gpci_input_open, for opening again. */
const char *gpci_input_name(const gpci_input *input);
void gpci_input_close(gpci_input *input);

/* Suffixes of decompressors, "" first; NULL behind the last. */
extern const char *const gpci_input_suffixes[];

bool gpci_ends_with(const char *text, const char *suffix);

#endif
