/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_TEXT_LINE_H
#define GPC_TRACE_TEXT_LINE_H

#include "trace/blocks/trace_block.h"
#include "trace/windows.h"

/*
 * Instruction lines of a text trace:
 *   [cx cy cz warp] [SM slot] [line] PC mask ndst [R<d>] opcode nsrc [R<d>...] memwidth [mode addresses...] [imm]
 * LDGSTS has two operands in memory, and comes twice from tracers of versions 3 to 5: a line with the written addresses
 * in shared memory, then a line with the read addresses in global memory. Of two lines in a row at one PC, with the
 * same lanes, the second counts. The immediate of a DEPBAR is its `width`: the number of groups that may stay in
 * flight. The header is not reliable about the columns in front; each line is checked. The first field with a capital
 * letter is a register or the opcode, with three fields between the columns and this field.
 */

/*
 * Template of a line. The text from `ndst` to `memwidth` hardly ever changes at one PC, and then need not be read
 * again. If the line is the expected line, the text before need not be read either.
 */
typedef struct gpci_line_template {
    struct gpci_line_template *follows; /* template of the line that came behind last time; NULL: unknown */
    uint8_t length;                     /* length of `text`, up to the end of memwidth; 0 = free */
    uint8_t mask, middle;               /* begin of the mask in `text`, and of `ndst` */
    bool addressed;                     /* memwidth was not 0 */
    uint8_t copy;                       /* gpc_copy */
    uint8_t registers;                  /* number of registers on the line */
    char text[100];
    gpc_instruction instruction;
} gpci_line_template;

_Static_assert(sizeof((gpci_line_template){0}.text) < 128, "shorter than what can be read behind any line");

#define GPCI_LINE_TEMPLATES 2048u

typedef struct gpci_line_parser {
    gpc_context *context;
    gpci_opcodes *opcodes;
    gpci_line_template *templates; /* [GPCI_LINE_TEMPLATES] */
    gpci_line_template *last;      /* template of the last line; NULL: no template */
    unsigned version;              /* version of the tracer */
    unsigned columns;              /* columns in front of PC on the last line: 0 to 7 (columns.h) */
    gpci_windows windows;
    uint64_t rank;        /* rank of the present block in its cluster */
    bool clusters;        /* the GPU has clusters: compute capability 9.0 or later, or the trace has a rank */
    uint64_t immediate;   /* first immediate of the last line; 0 = no immediate */
    uint64_t told[32];    /* values of the last line's last register: one for each lane, or one for all lanes */
    uint32_t told_count;  /* number of values; 0 = no values */
    bool paired;          /* the last LDGSTS had both lines */
    const char *expected; /* text that was expected, after a failure; NULL: out of memory */
} gpci_line_parser;

gpc_status gpci_line_parser_init(gpci_line_parser *parser, gpc_context *context, gpci_opcodes *opcodes);
void gpci_line_parser_clear(gpci_line_parser *parser);

/* Append the instruction of a line, which ends with a newline. False: see `expected`. */
bool gpci_line_parse(gpci_line_parser *parser, gpci_block *block, const char *line);

/*
 * As gpci_line_parse, if the line at `line` differs from the last line at its PC only in mask, source line and
 * addresses. Returns the line's newline. NULL: the line differs in more, and the block is unchanged.
 */
const char *gpci_line_parse_known(gpci_line_parser *parser, gpci_block *block, const char *line);

/* Instruction being read; the block gets the instruction with its addresses. */
typedef struct gpci_line {
    gpc_instruction instruction;
    unsigned registers; /* registers on the line, with the dropped registers */
    uint64_t memory_width;
} gpci_line;

/*
 * Read addresses behind `memwidth`, by the instruction's mask. The block must have room for the instruction. NULL:
 * error.
 */
const char *gpci_line_addresses(gpci_line_parser *parser, gpci_block *block, gpc_instruction *instruction,
                                const char *at);
/* Read a bulk or tensor copy (version 6) from behind `memwidth`: a count, and as many addresses. NULL: error. */
const char *gpci_line_bulk(gpci_line_parser *parser, gpci_block *block, const gpci_line *line, const char *at);
/* Append the barrier at this shared-memory address as the last source, if the instruction has room. */
void gpci_line_barrier(gpc_instruction *instruction, uint64_t address);
/* Finish the block's last instruction, a SYNCS of this gpc_copy, with the rest of its line (syncs.c). */
bool gpci_line_syncs(gpci_line_parser *parser, gpci_block *block, uint8_t copy);
/* Read immediates and register values behind the addresses, up to the newline. NULL: error. */
const char *gpci_line_end(gpci_line_parser *parser, unsigned registers, const char *at);

GPCI_INLINE const char *gpci_line_fail(gpci_line_parser *parser, const char *expected) {
    parser->expected = expected;
    return NULL;
}

#endif
