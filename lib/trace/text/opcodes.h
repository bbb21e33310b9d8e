/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_TEXT_OPCODES_H
#define GPC_TRACE_TEXT_OPCODES_H

#include "trace/blocks/builder.h"

/* Part of an opcode's text: the name, or a modifier. */
typedef struct gpci_opcode_part {
    const char *at; /* NULL: no part */
    size_t length;
} gpci_opcode_part;

gpci_opcode_part gpci_opcode_first(const char *text);
/* Next modifier; no part behind the last. Empty modifiers are skipped. */
gpci_opcode_part gpci_opcode_next(gpci_opcode_part part);
bool gpci_opcode_is(gpci_opcode_part part, const char *name);
bool gpci_opcode_has(const char *text, const char *modifier);

/* Modifier outside SASS: a host's access to local memory, recorded with addresses already mapped by the host. */
#define GPCI_OPCODE_MAPPED "MAPPED"

/* Name of a memory instruction. */
typedef struct gpci_memory_opcode {
    const char *name;
    uint8_t kind, space, width; /* width: default for an opcode without a width modifier */
} gpci_memory_opcode;

/*
 * opcode_names.c: find the data of a memory instruction's name. NULL: not a memory instruction. `unknown`: the tables
 * lack the name; a result then follows from the name's prefix.
 */
const gpci_memory_opcode *gpci_opcode_memory(gpci_opcode_part name, bool *unknown);
/* Set class and work of the name of any other instruction. Sets `unknown` if the tables lack the name. */
void gpci_opcode_class(gpci_opcode_part name, gpci_opcode *opcode);

/* Decode an opcode text; keeps the pointer. */
void gpci_opcode_decode(const char *text, gpci_opcode *opcode);
/* ordering.c: decode the memory order, after class, kind and space are known. */
void gpci_opcode_order(const char *text, gpci_opcode *opcode);
/* copy_opcodes.c: role of the opcode in asynchronous copies (gpc_copy). */
uint8_t gpci_opcode_copy(const char *text);

#endif
