/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_ZSTD_H
#define GPC_TRACE_ZSTD_H

#include "base/buffer.h"

/*
 * Decompression of single zstd frames, with a dictionary, by libzstd. If installed, libzstd is loaded at its first use
 * (dlopen). A .tracez has a frame for each part of a warp. The program zstd, used for whole files, would have to start
 * for each frame or be fed by a second thread, and takes a dictionary only by file name.
 */
typedef struct gpci_zstd gpci_zstd;

#define GPCI_ZSTD_MAGIC 0xFD2FB528u

/*
 * Open a decompressor with a dictionary of `size` bytes; 0: no dictionary. Errors: GPC_ERROR_UNSUPPORTED, libzstd is
 * missing; GPC_ERROR_FORMAT; GPC_ERROR_MEMORY.
 */
gpc_status gpci_zstd_open(gpc_context *context, const void *dictionary, size_t size, const char *path, gpc_error *error,
                          gpci_zstd **out);
void gpci_zstd_close(gpci_zstd *zstd);
/* Decompress a frame of `size` bytes, and append its text to `out`. `offset`: place in the file, for messages. */
gpc_status gpci_zstd_frame(gpci_zstd *zstd, const uint8_t *frame, size_t size, uint64_t offset, gpci_buffer *out,
                           gpc_error *error);
/* Number of the dictionary needed by a frame of `size` bytes; 0: none, or not stated. */
uint32_t gpci_zstd_dictionary(const uint8_t *frame, size_t size);

#endif
