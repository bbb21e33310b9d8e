/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_TABLE_LINE_TABLE_H
#define GPC_TRACE_TABLE_LINE_TABLE_H

#include "base/map.h"
#include "trace/line_reader.h"
#include "trace/rows.h"
#include "trace/sources.h"

/*
 * Traces of memory instructions alone, a line each, in no order but each warp's own: what NVBit's mem_trace prints, CSV
 * with columns that its header names, and JSON Lines with the same names. The rows of a kernel follow each other, and
 * are held until the next kernel's begin; so a pipe will do. Those of mem_trace's launches may be mixed (below).
 *
 * Columns: `block` (linear), `warp` (within it), `kind` (load, store, atomic, reduction) and `address` must be there;
 * `kernel` (a name or number; a new one begins a kernel), `pc`, `width` (4 bytes), `cycle` (a warp's rows are in its
 * order) and `sm` (where the block ran) may be. With `mask`, `address` has one for each of its lanes, ascending,
 * separated by blanks, `;` or `|`. With `lane` a row is one lane, and rows of one instruction follow each other in
 * ascending lanes. With neither, a row is lane 0. Numbers are decimal or 0x; one that is empty is
 * as if its column were not there. Lanes are 0 to 31, or, in a kernel that names one beyond, 0 to 63: its warps are of
 * 64; mem_trace prints 32 addresses.
 *
 * `local-load` and `local-store` (LDL, STL) are of local memory, and their addresses the thread's own offsets in it, as
 * those of mem_trace's LDL and STL are. Windows of shared and local memory are not known: generic accesses are of
 * global memory.
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
/* A 64-bit handle, as gpci_field_handle. */
bool gpci_span_handle(gpci_span span, uint64_t *value);

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

/* A kernel and its rows. */
typedef struct gpci_table_kernel {
    gpc_kernel kernel;
    char *name, *key; /* key: text of the column `kernel`, or of grid_launch_id; NULL: no kernel yet */
    gpci_rows rows;
} gpci_table_kernel;

void gpci_table_kernel_clear(gpci_table_kernel *kernel);

/* Name of a launch: context, and number in the context. Of equal names the last launch owns the accesses. */
typedef struct gpci_launch_key {
    uint64_t context, id;
    uint32_t launch; /* in the order of the file */
} gpci_launch_key;

/*
 * Launches of a mem_trace. Where the tool waits for no kernel, lines of launches come before accesses of earlier
 * launches. A file is read twice, first to count each launch's accesses: a kernel is complete behind the last access,
 * and only kernels that overlap in the file are held. A pipe is held to the end.
 */
typedef struct gpci_launches {
    gpc_context *context;
    gpci_slots slots; /* of `keys` */
    gpci_launch_key *keys;
    size_t key_capacity;
    uint32_t key_count;
    uint64_t *accesses; /* [known] of each launch, still to come; known 0: not counted */
    size_t known, access_capacity;
    gpci_table_kernel **held; /* [count], NULL where given out */
    size_t count, held_capacity, given;
    uint64_t ahead; /* of an access's number, the number of the launch's line: 1 in old releases */
    bool decided;   /* `ahead` is known */
} gpci_launches;

/* Count launches and accesses of a file; a pipe is not counted. */
gpc_status gpci_launches_count(gpci_table *table, gpc_error *error);
/* Hold a kernel for the launch of the line at hand. */
gpc_status gpci_launches_begin(gpci_table *table, gpc_error *error);
/* Lead the row of the line at hand into the launch. GPC_ERROR_FORMAT where no line has announced the launch. */
gpc_status gpci_launches_find(gpci_table *table, gpc_error *error);
/* True when the next launch has all accesses. */
bool gpci_launches_ready(const gpci_launches *launches);
/* Take the next launch into `kernel`, whose contents go; false: none is left. */
bool gpci_launches_take(gpci_launches *launches, gpci_table_kernel *kernel);
void gpci_launches_clear(gpci_launches *launches);

struct gpci_table {
    gpci_source base;
    const gpci_line_form *form;
    gpci_lines lines;
    const char *expected;                   /* where a line is wrong */
    gpci_column columns[GPCI_COLUMN_COUNT]; /* CSV: of each field; */
    size_t column_count;
    gpci_span fields[GPCI_COLUMN_COUNT]; /* of the line at hand */
    gpci_span opcode;                    /* NVBit: SASS, in place of kind and width; of a launch its kernel's name */
    uint64_t context, launch_id;         /* NVBit: of the line at hand */
    gpc_kernel launch;                   /* NVBit: what the line of a launch says */
    gpci_launches launches;
    gpci_table_kernel now;   /* given out, or, but for NVBit, being read */
    gpci_table_kernel *into; /* where the row at hand goes */
    bool ended, pending;     /* pending: the line at hand is the next kernel's first row */
    uint32_t lane;           /* `lane`: of the row before; UINT32_MAX: the next row is another instruction */
    uint32_t *placement;
    size_t next; /* row that the next block begins with */
};

/* The next line that says something, taken apart; GPC_END behind the last. */
gpc_status gpci_table_line(gpci_table *table, gpci_line_is *is, gpc_error *error);
/* A stretch of a line in memory of its own, in place of `*text`. */
gpc_status gpci_table_keep(gpci_table *table, char **text, gpci_span from, gpc_error *error);

#endif
