/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_TRACEZ_H
#define GPC_TRACE_TRACEZ_H

#include "base/base.h"

/*
 * A .tracez of Accel-Sim's tracer (2026) as the text of a .traceg:
 *
 *   header      of a .traceg, ended by a NUL
 *   u32 bytes of the dictionary, u32 instructions of a part; the zstd dictionary
 *   per warp    u32 instructions, u32 parts, per part u32 bytes and a zstd frame: lines of instructions
 *   index       u32 blocks; per block 11 u32: its x, y, z, those of its cluster and of it in the cluster, its rank
 *               there and its warps; per warp u32 instructions, u32 parts, u64 offset, per part a u32
 *   the last 8 bytes: u64 offset of the index
 *
 * Numbers are little-endian. An index's offset points to the warp's record or to its first frame; the bytes there show
 * which. The u32 of each part is not needed.
 */
typedef struct gpci_tracez gpci_tracez;

/* True if an open file is a .tracez: it begins with a header that ends in a NUL. */
bool gpci_tracez_is(int file);
/* Open a file. `path` is for messages, and must outlive the result. The caller keeps the file. */
gpc_status gpci_tracez_open(gpc_context *context, int file, const char *path, gpc_error *error, gpci_tracez **out);
void gpci_tracez_close(gpci_tracez *tracez);
/* As gpci_input_read and gpci_input_progress. */
gpc_status gpci_tracez_read(gpci_tracez *tracez, void *buffer, size_t capacity, size_t *got, gpc_error *error);
double gpci_tracez_progress(const gpci_tracez *tracez);

#endif
