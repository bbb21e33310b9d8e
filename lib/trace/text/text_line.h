/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_TEXT_TEXT_LINE_H
#define GPC_TRACE_TEXT_TEXT_LINE_H

#include "base/buffer.h"

#define GPCI_TEXT_LANES 32u

/*
 * Append an instruction as tracer version 4 writes it: addresses with a stride where that describes them, otherwise
 * with differences. Registers other than R, of which that version knows none, are named as version 6 does. False: out
 * of memory.
 */
bool gpci_text_line(gpci_buffer *out, const gpc_instruction *instruction, const char *opcode, bool with_line);

#endif
