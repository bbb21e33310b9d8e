/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_TABLE_LINE_TABLE_H
#define GPC_TRACE_TABLE_LINE_TABLE_H

#include "base/map.h"
#include "trace/files/line_reader.h"
#include "trace/rows.h"
#include "trace/sources.h"

/*
 * Traces of only memory instructions, a line each. Only the lines of one warp are in order. Forms: output of NVBit's
 * mem_trace, CSV with columns named by its header, and JSON Lines with the same names. The rows of a kernel follow each
 * other, and are held until the next kernel begins; a pipe is therefore possible. Rows of mem_trace's launches may be
 * mixed (below).
 *
 * Required columns: `block` (linear), `warp` (within the block), `kind` (load, store, atomic, reduction) and `address`.
 * Optional columns: `kernel` (a name or number; a new value begins a kernel), `pc`, `width` (4 bytes), `cycle` (order
 * of a warp's rows) and `sm` (SM of the block). With `mask`, `address` has an address for each lane of the mask,
 * ascending, separated by blanks, `;` or `|`. With `lane` a row is one lane, and rows of one instruction follow each
 * other in ascending lanes. With neither, a row is lane 0. Numbers are decimal or 0x; an empty number counts as a
 * missing column. Lanes are 0 to 31. If a row of a kernel has a higher lane, the kernel's warps have 64 lanes.
 * mem_trace prints 32 addresses.
 *
 * `local-load` and `local-store` (LDL, STL) access local memory. Their addresses are the thread's offsets in local
 * memory, as in mem_trace's LDL and STL. Windows of shared and local memory are unknown: generic accesses are of global
 * memory.
 *
 * Kinds of asynchronous copies: `copy` and `copy-bypass` (LDGSTS through L1 and past L1; a width of 4, 8 or 16),
 * `bulk-load`, `bulk-store` and `bulk-reduction` (UBLKCP, UBLKRED: a row per active lane, of 1 to 128 bytes). `commit`
 * closes the group of the warp's copies since the last `commit`. `wait` waits until at most `width` groups (0) are in
 * flight. Neither has an address. A `bulk-load` also belongs to a group: a table has no barriers. mem_trace prints a
 * line for each of an LDGSTS's two operands; a line with addresses below 16 MiB is of shared memory, and is dropped.
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

/* Part of a line; NULL: absent. */
typedef struct gpci_span {
    const char *at, *end;
} gpci_span;

/* Column of a name; GPCI_COLUMN_COUNT: unknown name. */
gpci_column gpci_column_of(gpci_span name);
gpci_span gpci_span_trim(gpci_span span);
bool gpci_span_is(gpci_span span, const char *text);
/* Read a decimal or 0x number up to `most`. */
bool gpci_span_number(gpci_span span, uint64_t most, uint64_t *value);
/* Read a 64-bit handle, as gpci_field_handle. */
bool gpci_span_handle(gpci_span span, uint64_t *value);

typedef struct gpci_table gpci_table;

/* Kinds of lines. */
typedef enum gpci_line_is {
    GPCI_LINE_IS_ROW,
    GPCI_LINE_IS_NOTHING, /* blank, or the program's own output */
    GPCI_LINE_IS_LAUNCH,  /* begin of a kernel: `launch` is filled in */
    GPCI_LINE_IS_WRONG    /* `expected` describes the expected text */
} gpci_line_is;

/* Form of a line. */
struct gpci_line_form {
    const char *name;
    /* parse a line into the table's `fields` */
    gpci_line_is (*read)(gpci_table *table, gpci_span line);
};

extern const gpci_line_form gpci_form_csv, gpci_form_json, gpci_form_nvbit;

/* Kernel and its rows. */
typedef struct gpci_table_kernel {
    gpc_kernel kernel;
    char *name, *key; /* key: text of the column `kernel`, or of grid_launch_id; NULL: no kernel yet */
    gpci_rows rows;
} gpci_table_kernel;

void gpci_table_kernel_clear(gpci_table_kernel *kernel);

/* Name of a launch: context, and number in the context. If launches have the same name, accesses are the last one's. */
typedef struct gpci_launch_key {
    uint64_t context, id;
    uint32_t launch; /* number in the order of the file */
} gpci_launch_key;

/*
 * Launches of a mem_trace. If the tool does not wait for kernels, lines of launches come before accesses of earlier
 * launches. A file is read twice: the first time counts each launch's accesses. A kernel is complete behind its last
 * access, and only kernels that overlap in the file are held. A pipe is held to the end.
 */
typedef struct gpci_launches {
    gpc_context *context;
    gpci_slots slots; /* index of `keys` */
    gpci_launch_key *keys;
    size_t key_capacity;
    uint32_t key_count;
    uint64_t *accesses;                 /* [known]: accesses of each launch not yet read */
    size_t known, access_capacity;      /* known: launches counted by gpci_launches_count; 0: not counted */
    gpci_table_kernel **held;           /* [count]; NULL: taken by gpci_launches_take */
    size_t count, held_capacity, given; /* given: number of launches taken */
    uint64_t ahead; /* difference between the number in a launch's line and in its accesses: 1 in old releases */
    bool decided;   /* `ahead` is known */
} gpci_launches;

/* Count launches and accesses of a file; a pipe is not counted. */
gpc_status gpci_launches_count(gpci_table *table, gpc_error *error);
/* Begin a kernel for the launch in the present line. */
gpc_status gpci_launches_begin(gpci_table *table, gpc_error *error);
/* Set `into` to the kernel of the present line's access. GPC_ERROR_FORMAT: no line has announced the launch. */
gpc_status gpci_launches_find(gpci_table *table, gpc_error *error);
/* True if all accesses of the next launch have been read. */
bool gpci_launches_ready(const gpci_launches *launches);
/* Move the next launch into `kernel`, and free its old contents. False: no launch is left. */
bool gpci_launches_take(gpci_launches *launches, gpci_table_kernel *kernel);
void gpci_launches_clear(gpci_launches *launches);

struct gpci_table {
    gpci_source base;
    const gpci_line_form *form;
    gpci_lines lines;
    const char *expected;                   /* expected text of a wrong line */
    gpci_column columns[GPCI_COLUMN_COUNT]; /* CSV: column of each field */
    size_t column_count;
    gpci_span fields[GPCI_COLUMN_COUNT]; /* fields of the present line */
    /* NVBit: SASS opcode, in place of kind and width; in a launch's line, the kernel's name */
    gpci_span opcode;
    uint64_t context, launch_id; /* NVBit: context and number in the present line */
    gpc_kernel launch;           /* NVBit: data of a launch's line */
    gpci_launches launches;
    gpci_table_kernel now;   /* kernel of the caller; except for NVBit, also the kernel being read */
    gpci_table_kernel *into; /* destination of the present row */
    bool ended, pending;     /* pending: the present line is the next kernel's first row */
    uint32_t lane;           /* column `lane`: lane of the last row; UINT32_MAX: the next row is a new instruction */
    uint32_t *placement;
    size_t next; /* first row of the next block */
};

/* Read and parse the next line with data; GPC_END behind the last. */
gpc_status gpci_table_line(gpci_table *table, gpci_line_is *line_is, gpc_error *error);
/* Copy a part of a line to new memory, and replace `*text`. */
gpc_status gpci_table_keep(gpci_table *table, char **text, gpci_span from, gpc_error *error);

#endif
