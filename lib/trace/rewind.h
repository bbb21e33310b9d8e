/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_REWIND_H
#define GPC_TRACE_REWIND_H

#include "base/base.h"

/*
 * Read the present kernel's blocks again, from the first. A kernel must be present.
 *   kernel  is filled in again; the pointers that gpc_trace_next_kernel gave are invalid
 * Returns as gpc_trace_next_kernel.
 */
gpc_status gpci_trace_rewind(gpc_trace *trace, gpc_kernel *kernel, gpc_error *error);

/*
 * Get the next copy to the device that the trace has before the present kernel. *at is 0 for the first copy, and is
 * moved on. Copies before a kernel left out by gpc_trace_choose belong to the next chosen kernel. False: no further
 * copy.
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
