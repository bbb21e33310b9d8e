/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_THROTTLE_PCAL_KERNELS_H
#define GPC_POLICIES_THROTTLE_PCAL_KERNELS_H

#include "policies/control/pcal_control.h"

/*
 * The runtime's part of PCAL (seeds/004 section 7.3): "When the runtime loads a new kernel, it first checks whether
 * the PCAL parameters have been set by the software. If the parameters have been set, it allows the hardware to read
 * the value directly from the registers. If [they] have not been set by programmer, the runtime runs the algorithm."
 *
 * Set are those of a text file, one kernel a line:
 *
 *   # warp-opt (0: as `warps`)  EBTNum  name, to the line's end; * stands for any further letters
 *   1 0 _Z14invert_mapping*
 *   4 -2 _Z11kmeansPoint*
 *
 * The first line that fits counts. Beyond the document, a runtime can remember: what the algorithm found for a kernel
 * is what its next launch begins with. Which of the two is done is for the throttle (pcal.c).
 */

/* What software says of a kernel. */
typedef struct gpci_pcal_row {
    const char *name; /* in the text; without the * */
    size_t length;    /* of the name */
    bool begins;      /* it had a * */
    uint32_t warps;
    int32_t ebt;
} gpci_pcal_row;

typedef struct gpci_pcal_rows { /* zero: none */
    char *text;
    gpci_pcal_row *of;
    size_t count;
    uint32_t users; /* schedulers that have taken them */
} gpci_pcal_rows;

/*
 * For one more scheduler; the first reads the file. Fails as gpci_file_read, with GPC_ERROR_FORMAT that names file and
 * line, GPC_ERROR_MEMORY. `message`: 256 bytes.
 */
gpc_status gpci_pcal_rows_take(gpci_pcal_rows *rows, gpc_context *context, const char *file, char *message);
/* The last one to leave frees them. */
void gpci_pcal_rows_leave(gpci_pcal_rows *rows, gpc_context *context);
const gpci_pcal_row *gpci_pcal_rows_find(const gpci_pcal_rows *rows, const char *name);

/* What was found of the kernels launched last; of further ones, that of the kernel longest known is forgotten. */
#define GPCI_PCAL_REMEMBERED 64u

typedef struct gpci_pcal_memory {         /* zero: nothing */
    uint64_t names[GPCI_PCAL_REMEMBERED]; /* hashes; 0 = free */
    gpci_pcal_choice of[GPCI_PCAL_REMEMBERED];
    uint32_t next;
    uint64_t running; /* hash of the present kernel; 0 = none, or one whose numbers are set */
} gpci_pcal_memory;

/*
 * A kernel begins: keep what the predictor settled on for the one before, and let it begin with what it once found for
 * this one, or from the start.
 *   name  NULL = software has set its numbers
 */
void gpci_pcal_memory_kernel(gpci_pcal_memory *memory, gpci_pcal *predictor, const char *name);

#endif
