/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_TRACE_MADE_H
#define TESTS_TRACE_MADE_H

#include "trace/rig.h"

/* Random, but plausible blocks: straight code, loops, divergence, regular and irregular addresses. */
typedef struct made {
    gpc_block block;
    gpc_warp *warps;
    gpc_instruction **instructions;
    uint64_t **addresses;
} made;

/* A trace with the opcodes of made blocks, without blocks. */
gpc_trace *made_opcodes(rig *r);
/* A kernel with the given grid. */
gpc_kernel made_kernel(uint32_t x, uint32_t y, uint32_t z, uint32_t threads, uint32_t lanes);
/* Block `index` of the kernel. Equal seeds make equal blocks. */
made made_block(const gpc_kernel *kernel, uint32_t index, uint64_t seed);
void made_free(made *m);

#endif
