/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_TEXT_TEXT_LINE_H
#define GPC_TRACE_TEXT_TEXT_LINE_H

#include "base/buffer.h"

#define GPCI_TEXT_LANES 32u

/*
 * Append an instruction in the format of tracer version 4: addresses with a stride if possible, otherwise with
 * differences. Version 4 knows only R registers; other registers are named as in version 6.
 * `with_line`: the source line comes first. False: out of memory.
 */
bool gpci_text_line(gpci_buffer *out, const gpc_instruction *instruction, const char *opcode, bool with_line);

#endif
