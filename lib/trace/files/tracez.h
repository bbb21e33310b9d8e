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
 *   index       u32 blocks; per block 11 u32: x, y, z of the block, of its cluster, and of the block in the cluster;
 *               rank in the cluster; number of warps; per warp u32 instructions, u32 parts, u64 offset, per part a u32
 *   the last 8 bytes: u64 offset of the index
 *
 * Numbers are little-endian. An offset in the index is the place of the warp's record, or of the record's first part:
 * the reader tries both. The u32 of each part in the index is not used.
 */
typedef struct gpci_tracez gpci_tracez;

/* True if an open file is a .tracez: the file begins with a header, and the header ends in a NUL. */
bool gpci_tracez_is(int file);
/* Open a file. `path` is for messages, and must outlive the result. The caller keeps the file. */
gpc_status gpci_tracez_open(gpc_context *context, int file, const char *path, gpc_error *error, gpci_tracez **out);
void gpci_tracez_close(gpci_tracez *tracez);
/* gpci_input_read and gpci_input_progress of a .tracez. */
gpc_status gpci_tracez_read(gpci_tracez *tracez, void *buffer, size_t capacity, size_t *got, gpc_error *error);
double gpci_tracez_progress(const gpci_tracez *tracez);

#endif
