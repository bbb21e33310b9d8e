/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_TABLE_LINE_TABLE_H
#define GPC_TRACE_TABLE_LINE_TABLE_H

#include "trace/line_reader.h"
#include "trace/rows.h"
#include "trace/sources.h"

/*
 * Traces of memory instructions alone, a line each, in no order but each warp's own: what NVBit's mem_trace prints, CSV
 * with columns that its header names, and JSON Lines with the same names. The rows of a kernel follow each other, and
 * are held until the next kernel's begin; so a pipe will do.
 *
 * Columns: `block` (linear), `warp` (within it), `kind` (load, store, atomic, reduction) and `address` must be there;
 * `kernel` (a name or number; a new one begins a kernel), `pc`, `width` (4 bytes), `cycle` (a warp's rows are in its
 * order) and `sm` (where the block ran) may be. With `mask`, `address` has one for each of its lanes, ascending,
 * separated by blanks, `;` or `|`. With `lane` a row is one lane, and rows of one instruction follow each other in
 * ascending lanes. With neither, a row is lane 0. Numbers are decimal or 0x; one that is empty is
 * as if its column were not there. Lanes are 0 to 31, or, in a kernel that names one beyond, 0 to 63: its warps are of
 * 64; mem_trace prints 32 addresses.
 *
 * Asynchronous copies are kinds, too: `copy` and `copy-bypass` (LDGSTS through L1 and past it; a width of 4, 8 or 16),
 * `bulk-load`, `bulk-store` and `bulk-reduction` (UBLKCP, UBLKRED: a row an active lane, of 1 to 128 bytes). `commit`
 * closes the group of those of its warp since the last one, and `wait` waits until at most `width` groups (0) are under
 * way; neither has an address. A `bulk-load` is in a group as well: a table has no barriers. Of what mem_trace prints
 * of an LDGSTS, a line for each of its two operands, that of addresses below 16 MiB is of shared memory, and left out.
 *
 *   kernel,block,warp,pc,kind,width,mask,address
 *   copy,0,1,0x10,load,4,0x3,0x1000 0x1004
 *   {"kernel": "copy", "block": 0, "warp": 1, "pc": 16, "kind": "load", "width": 4, "mask": 3, "address": [4096, 4100]}
 */

typedef enum gpci_column {
    GPCI_COLUMN_KERNEL,
    GPCI_COLUMN_BLOCK,
    GPCI_COLUMN_WARP,
    GPCI_COLUMN_PC,
    GPCI_COLUMN_KIND,
    GPCI_COLUMN_WIDTH,
    GPCI_COLUMN_MASK,
    GPCI_COLUMN_LANE,
    GPCI_COLUMN_ADDRESS,
    GPCI_COLUMN_CYCLE,
    GPCI_COLUMN_SM,
    GPCI_COLUMN_COUNT
} gpci_column;

/* A stretch of a line; NULL: not there. */
typedef struct gpci_span {
    const char *at, *end;
} gpci_span;

/* The column of a name; GPCI_COLUMN_COUNT: there is none such. */
gpci_column gpci_column_of(gpci_span name);
gpci_span gpci_span_trim(gpci_span span);
bool gpci_span_is(gpci_span span, const char *text);
/* Decimal or 0x, up to `most`. */
bool gpci_span_number(gpci_span span, uint64_t most, uint64_t *value);

typedef struct gpci_table gpci_table;

/* What a line is. */
typedef enum gpci_line_is {
    GPCI_LINE_IS_ROW,
    GPCI_LINE_IS_NOTHING, /* blank, or the program's own output */
    GPCI_LINE_IS_LAUNCH,  /* a kernel's beginning: `launch` is filled in */
    GPCI_LINE_IS_WRONG    /* `expected` says what should be there */
} gpci_line_is;

/* A way to write a row as a line. */
struct gpci_line_form {
    const char *name;
    /* Takes a line apart into `fields` of the table. */
    gpci_line_is (*read)(gpci_table *table, gpci_span line);
};

extern const gpci_line_form gpci_form_csv, gpci_form_json, gpci_form_nvbit;

struct gpci_table {
    gpci_source base;
    const gpci_line_form *form;
    gpci_lines lines;
    const char *expected;                   /* where a line is wrong */
    gpci_column columns[GPCI_COLUMN_COUNT]; /* CSV: of each field; */
    size_t column_count;
    gpci_span fields[GPCI_COLUMN_COUNT]; /* of the line at hand */
    gpci_span opcode;                    /* NVBit: SASS, in place of kind and width; of a launch its kernel's name */
    gpci_rows rows;
    gpc_kernel kernel;             /* of the rows */
    char *name, *next_name;        /* its name; of the kernel whose first line has been read */
    char *key, *next_key;          /* what the column `kernel` has of them */
    gpc_kernel launch;             /* NVBit: what the next kernel's line has said */
    bool launched, ended, pending; /* pending: the line at hand is the next kernel's first row */
    uint32_t lane;                 /* `lane`: of the row before; UINT32_MAX: the next row is another instruction */
    uint32_t *placement;
    size_t next; /* row that the next block begins with */
};

#endif
