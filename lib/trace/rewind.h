/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_REWIND_H
#define GPC_TRACE_REWIND_H

#include "base/base.h"

/*
 * Read the present kernel's blocks again, from the first. A kernel must be present.
 *   kernel  filled in again: pointers from gpc_trace_next_kernel are invalid
 * Returns as gpc_trace_next_kernel.
 */
gpc_status gpci_trace_rewind(gpc_trace *trace, gpc_kernel *kernel, gpc_error *error);

/*
 * Next copy by the host between the last kernel and the present kernel, from *at, first 0, on. Kernels left out by
 * gpc_trace_choose keep their copies, for the next kernel. False: no further copy.
 */
bool gpci_trace_copy(const gpc_trace *trace, size_t *at, uint64_t *address, uint64_t *bytes);

/*
 * Decoded opcodes of a trace, by gpc_instruction.opcode (trace/blocks/builder.h). Reading adds opcodes, and may move
 * the array.
 */
const struct gpci_opcodes *gpci_trace_opcodes(const gpc_trace *trace);

/* Address windows of the present kernel (trace/windows.h). */
const struct gpci_windows *gpci_trace_windows(const gpc_trace *trace);

#endif
