/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_TEXT_OPCODES_H
#define GPC_TRACE_TEXT_OPCODES_H

#include "trace/builder.h"

/* What an opcode text means; keeps the pointer. */
void gpci_opcode_decode(const char *text, gpci_opcode *opcode);

#endif
