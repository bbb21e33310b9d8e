/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_TEXT_LINE_H
#define GPC_TRACE_TEXT_LINE_H

#include "trace/trace_block.h"
#include "trace/windows.h"

/*
 * Instruction lines of a text trace:
 *   [cx cy cz warp] [SM slot] [line] PC mask ndst [R<d>] opcode nsrc [R<d>...] memwidth [mode addresses...] [imm]
 * LDGSTS, which has two operands in memory, comes twice from tracers of versions 3 to 5: a line with the addresses in
 * shared memory that it writes, then one with those in global memory that it reads. Of two in a row at one PC, of the
 * same lanes, the second counts. The immediate of a DEPBAR is its `width`: how many groups may be under way behind it.
 * The header cannot be trusted with the columns in front, so each line says itself which it has: the first field that
 * starts with a capital letter is a register or the opcode, and three fields stand between it and those columns.
 */

/*
 * What a line says from `ndst` to `memwidth` hardly ever changes at one PC, and then need not be read again; nor what
 * it says before that, where it is the line that is expected.
 */
typedef struct gpci_line_template {
    struct gpci_line_template *follows; /* the line that came after it the last time; NULL = none */
    uint8_t length;                     /* of `text`, to behind memwidth; 0 = none */
    uint8_t mask, middle;               /* where the mask begins in it, and `ndst` */
    bool addressed;                     /* memwidth was not 0 */
    uint8_t copy;                       /* gpc_copy */
    uint8_t registers;
    char text[100];
    gpc_instruction instruction;
} gpci_line_template;

_Static_assert(sizeof((gpci_line_template){0}.text) < 128, "shorter than what can be read behind any line");

#define GPCI_LINE_TEMPLATES 2048u

typedef struct gpci_line_parser {
    gpc_context *context;
    gpci_opcodes *opcodes;
    gpci_line_template *templates; /* [GPCI_LINE_TEMPLATES] */
    gpci_line_template *last;      /* that of the last line; NULL: it had none */
    unsigned version;              /* of the tracer */
    unsigned columns;              /* in front of PC on the last line: 0 to 7 (columns.h) */
    gpci_windows windows;
    uint64_t rank;        /* of the block at hand in its cluster, */
    bool clusters;        /* if the GPU has any: of compute capability 9.0 on, or where a rank is told */
    uint64_t immediate;   /* the first of the last line; 0: it had none */
    uint64_t told[32];    /* values of the last line's last register: of all lanes, or one; */
    uint32_t told_count;  /* 0: there are none */
    bool paired;          /* the last LDGSTS had both of its lines */
    const char *expected; /* after a failure; NULL: out of memory */
} gpci_line_parser;

gpc_status gpci_line_parser_init(gpci_line_parser *parser, gpc_context *context, gpci_opcodes *opcodes);
void gpci_line_parser_clear(gpci_line_parser *parser);

/* Append the instruction of a line, which ends with a newline. False: `expected` says why. */
bool gpci_line_parse(gpci_line_parser *parser, gpci_block *block, const char *line);

/*
 * The same for the line that begins at `line`, if it says what the last at its PC said but for mask, source line and
 * addresses. Returns the newline at its end, or NULL, having changed nothing, for whatever else it is.
 */
const char *gpci_line_parse_known(gpci_line_parser *parser, gpci_block *block, const char *line);

/* An instruction as read so far; the block gets it with its addresses. */
typedef struct gpci_line {
    gpc_instruction instruction;
    unsigned registers; /* named on the line, the dropped ones too */
    uint64_t memory_width;
} gpci_line;

/* From behind `memwidth`: addresses by the mask of an instruction for which the block has room. NULL on failure. */
const char *gpci_line_addresses(gpci_line_parser *parser, gpci_block *block, gpc_instruction *instruction,
                                const char *at);
/* From behind `memwidth`, for bulk and tensor copies (version 6): addresses by count. */
const char *gpci_line_bulk(gpci_line_parser *parser, gpci_block *block, const gpci_line *line, const char *at);
/* What may follow the addresses, immediates and register values, to the newline. NULL on failure. */
/* The barrier at this address in shared memory becomes its last source, if there is room for one. */
void gpci_line_barrier(gpc_instruction *instruction, uint64_t address);
/* The block's last instruction is a SYNCS of this gpc_copy: what its line tells besides (syncs.c). */
bool gpci_line_syncs(gpci_line_parser *parser, gpci_block *block, uint8_t copy);
const char *gpci_line_end(gpci_line_parser *parser, unsigned registers, const char *at);

GPCI_INLINE const char *gpci_line_fail(gpci_line_parser *parser, const char *expected) {
    parser->expected = expected;
    return NULL;
}

#endif
