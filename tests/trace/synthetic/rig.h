/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_SYNTHETIC_RIG_H
#define TESTS_SYNTHETIC_RIG_H

#include "trace/synthetic/synthetic.h"

/* An open synthetic source, with what its caller must provide. */
typedef struct rig {
    gpc_context *context;
    gpci_opcodes *opcodes;
    gpci_source *source;
    gpci_block *block;
    gpc_kernel kernel;
} rig;

/* Open what follows `synthetic:`; the test fails where it cannot be. */
void rig_open(rig *r, const char *name);
void rig_close(rig *r);

/* The next kernel, or block of it; false at the end. */
bool rig_kernel(rig *r);
const gpc_block *rig_block(rig *r);

const char *rig_opcode(const rig *r, const gpc_instruction *instruction);

/* What the global accesses of a kernel come to. */
typedef struct traffic {
    uint64_t blocks, warps, instructions;
    uint64_t loads, load_sectors, stores, store_sectors; /* of accesses with any lane */
    uint64_t barriers, shared_atomics;
} traffic;

/* 32-byte sectors that an access touches. */
unsigned sectors_of(const gpc_instruction *instruction);
void traffic_add(traffic *sum, const gpc_block *block);
/* Of the present kernel's remaining blocks. */
traffic rig_traffic(rig *r);

#endif
