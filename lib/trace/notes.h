/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_NOTES_H
#define GPC_TRACE_NOTES_H

#include "trace/builder.h"

/*
 * Notes of a trace (gpc_note): instructions and lines without effect, or run by a guess. The opcodes keep the notes,
 * because sources of a trace share the opcodes.
 */
typedef struct gpci_note {
    uint32_t reason;  /* gpc_note_reason */
    const char *text; /* owned by the opcodes, as is `file` */
    const char *file;
    uint64_t line, count, bytes;
    uint64_t before; /* `count` at the begin of the present kernel */
} gpci_note;

/* Set the place, file and line, of opcodes and notes added next. */
bool gpci_notes_file(gpci_opcodes *opcodes, const char *path);
void gpci_notes_line(gpci_opcodes *opcodes, uint64_t line);

/*
 * Count a line with a text of `length` at the present place. A reason has at most GPCI_NOTES_TEXTS different texts, the
 * last of them "others". False: out of memory.
 */
#define GPCI_NOTES_TEXTS 64u
bool gpci_notes_add(gpci_opcodes *opcodes, gpc_note_reason reason, const char *text, size_t length, uint64_t bytes);

/* Count instructions of a block. False: out of memory. */
bool gpci_notes_tally(gpci_opcodes *opcodes, const gpc_instruction *instructions, size_t count);
/* Note nothing: the library generates the instructions. */
void gpci_notes_none(gpci_opcodes *opcodes);

/* Begin a kernel; begin the kernel again, without the counts since its begin; end the kernel. */
void gpci_notes_begin(gpci_opcodes *opcodes);
void gpci_notes_again(gpci_opcodes *opcodes);
bool gpci_notes_end(gpci_opcodes *opcodes, const char *kernel);

size_t gpci_notes_count(const gpci_opcodes *opcodes);
const gpci_note *gpci_notes_at(const gpci_opcodes *opcodes, size_t index);

#endif
