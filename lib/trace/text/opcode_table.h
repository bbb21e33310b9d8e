/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_TEXT_OPCODE_TABLE_H
#define GPC_TRACE_TEXT_OPCODE_TABLE_H

#include "base/map.h"
#include "trace/blocks/notes.h"

/* State of an opcode for its notes (notes.c). */
typedef struct gpci_opcode_notes {
    const char *file; /* first place of the opcode */
    uint64_t line;
    uint32_t unknown, bare, unused; /* numbers of notes, from 1; 0 = no note */
    uint8_t traits;
} gpci_opcode_notes;

typedef struct gpci_text_chunk gpci_text_chunk;

struct gpci_opcodes {
    gpc_context *context;
    gpci_opcode *entries;
    gpci_opcode_notes *of_notes; /* [count] */
    size_t capacity, notes_capacity;
    uint32_t count;
    gpci_slots slots;
    gpci_text_chunk *texts;
    /* Notes (notes.c). */
    gpci_note *notes;
    size_t note_count, note_capacity;
    const char *file; /* file of opcodes and notes added next; NULL: unknown */
    uint64_t line;
    bool silent;           /* make no notes */
    bool ended;            /* the present kernel has been read whole */
    uint8_t kernel_traits; /* union over the kernel's instructions */
    uint64_t kernel_pcs;   /* bits that are set in PCs of the kernel's instructions */
};

/* Copy a text for the life of the opcodes. NULL: out of memory. */
char *gpci_opcodes_text(gpci_opcodes *opcodes, const char *text, size_t length);
/* notes.c: initial state of a new opcode. */
gpci_opcode_notes gpci_opcodes_traits(const gpci_opcodes *opcodes, const gpci_opcode *opcode);

#endif
