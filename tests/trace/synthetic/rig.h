/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_SYNTHETIC_RIG_H
#define TESTS_SYNTHETIC_RIG_H

#include "trace/synthetic/synthetic.h"

/* An open synthetic source, with the caller's part. */
typedef struct rig {
    gpc_context *context;
    gpci_opcodes *opcodes;
    gpci_source *source;
    gpci_block *block;
    gpc_kernel kernel;
} rig;

/* Open the text after `synthetic:`; the test fails otherwise. */
void rig_open(rig *r, const char *name);
void rig_close(rig *r);

/* The next kernel, or block; false at the end. */
bool rig_kernel(rig *r);
const gpc_block *rig_block(rig *r);

const char *rig_opcode(const rig *r, const gpc_instruction *instruction);

/* Totals of the global accesses of a kernel. */
typedef struct traffic {
    uint64_t blocks, warps, instructions;
    uint64_t loads, load_sectors, stores, store_sectors; /* numbers for accesses with active lanes */
    uint64_t barriers, shared_atomics;
} traffic;

/* 32-byte sectors that an access touches. */
unsigned sectors_of(const gpc_instruction *instruction);
void traffic_add(traffic *sum, const gpc_block *block);
/* Traffic of the present kernel's remaining blocks. */
traffic rig_traffic(rig *r);

/* An open source with its arrays. The caller closes the rig. */
typedef struct arrays_rig {
    rig rig;
    const gpci_synthetic_array *arrays;
    size_t count;
} arrays_rig;

typedef void (*each_access)(void *data, uint64_t thread, const gpc_instruction *i, size_t array, uint64_t offset);

void arrays_open(arrays_rig *t, const char *source);
/* All lanes' accesses of the next launch, in order per thread; false at the end. */
bool arrays_next(arrays_rig *t, each_access call, void *data);
/* The same, of a source with a launch left. */
void arrays_run(arrays_rig *t, each_access call, void *data);

#endif
