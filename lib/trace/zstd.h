/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_ZSTD_H
#define GPC_TRACE_ZSTD_H

#include "base/buffer.h"

/*
 * zstd frames, one by one, with a dictionary: by libzstd, where it is installed, found when it is needed (dlopen). A
 * .tracez has a frame for each part of a warp. The program zstd, which whole files go through, would be started for
 * each, or be fed with all of them from beside, and takes a dictionary by the name of a file alone.
 */
typedef struct gpci_zstd gpci_zstd;

#define GPCI_ZSTD_MAGIC 0xFD2FB528u

/* Without a dictionary: size 0. GPC_ERROR_UNSUPPORTED: there is no libzstd; GPC_ERROR_FORMAT; GPC_ERROR_MEMORY. */
gpc_status gpci_zstd_open(gpc_context *context, const void *dictionary, size_t size, const char *path, gpc_error *error,
                          gpci_zstd **out);
void gpci_zstd_close(gpci_zstd *zstd);
/* Append what a frame, of a file at an offset, holds. */
gpc_status gpci_zstd_frame(gpci_zstd *zstd, const uint8_t *frame, size_t size, uint64_t offset, gpci_buffer *out,
                           gpc_error *error);
/* The dictionary that a frame of `size` bytes says it needs; 0: none, or it does not say. */
uint32_t gpci_zstd_dictionary(const uint8_t *frame, size_t size);

#endif
