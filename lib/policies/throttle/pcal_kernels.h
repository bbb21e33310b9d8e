/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_THROTTLE_PCAL_KERNELS_H
#define GPC_POLICIES_THROTTLE_PCAL_KERNELS_H

#include "policies/control/pcal_control.h"

/*
 * Runtime's part of PCAL (seeds/004 section 7.3): "When the runtime loads a new kernel, it first checks whether the
 * PCAL parameters have been set by the software. If the parameters have been set, it allows the hardware to read the
 * value directly from the registers. If [they] have not been set by programmer, the runtime runs the algorithm."
 *
 * A text file sets the parameters, one kernel a line:
 *
 *   # warp-opt (0: the throttle's `warps`)  EBTNum  name, to the line's end; * stands for any further letters
 *   1 0 _Z14invert_mapping*
 *   4 -2 _Z11kmeansPoint*
 *
 * The first matching line counts. For a kernel without a line, the throttle's `ebt` decides: ebt=auto runs the
 * algorithm, and a number sets EBTNum for all such kernels. An addition to seeds/004: with remember=kernels, the next
 * launch of a kernel begins with the choice that the algorithm found for the kernel (pcal.c).
 */

/* Line of the file for a kernel. */
typedef struct gpci_pcal_row {
    const char *name; /* pointer into the text; without the * */
    size_t length;    /* length of the name */
    bool begins;      /* the name ended in *: match the first `length` letters */
    uint32_t warps;
    int32_t ebt;
} gpci_pcal_row;

typedef struct gpci_pcal_rows { /* all zero: no rows */
    char *text;
    gpci_pcal_row *of;
    size_t count;
    uint32_t users; /* schedulers using the rows */
} gpci_pcal_rows;

/*
 * Take the rows for a further scheduler; the first call reads the file. Fails as gpci_file_read; GPC_ERROR_FORMAT,
 * which names file and line; GPC_ERROR_MEMORY. `message`: 256 bytes.
 */
gpc_status gpci_pcal_rows_take(gpci_pcal_rows *rows, gpc_context *context, const char *file, char *message);
/* Give up the rows that a scheduler took. The call for the last scheduler frees the rows. */
void gpci_pcal_rows_leave(gpci_pcal_rows *rows, gpc_context *context);
const gpci_pcal_row *gpci_pcal_rows_find(const gpci_pcal_rows *rows, const char *name);

/* Choices for the kernels launched last. If the table is full, the oldest entry is forgotten. */
#define GPCI_PCAL_REMEMBERED 64u

typedef struct gpci_pcal_memory {         /* all zero: empty */
    uint64_t names[GPCI_PCAL_REMEMBERED]; /* hashes; 0 = free */
    gpci_pcal_choice of[GPCI_PCAL_REMEMBERED];
    uint32_t next;
    uint64_t running; /* hash of the present kernel; 0 = none, or a kernel with numbers set by software */
} gpci_pcal_memory;

/*
 * Begin a kernel. Keep the predictor's choice for the previous kernel. If the memory has a choice for the new kernel,
 * start the predictor with this choice; otherwise start the predictor with the default.
 *   name  NULL = software has set the kernel's numbers
 */
void gpci_pcal_memory_kernel(gpci_pcal_memory *memory, gpci_pcal *predictor, const char *name);

#endif
