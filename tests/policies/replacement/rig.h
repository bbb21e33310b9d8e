/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_POLICY_RIG_H
#define TESTS_POLICY_RIG_H

#include "registry/registry.h"

/*
 * A replacement policy under test: the table, called like a cache would, on separate state blocks with guards at both
 * ends, and a plain set of resident lines beside it (line number modulo sets, lowest free way first).
 */
typedef struct rig_block {
    unsigned char *memory; /* guard, `bytes`, guard */
    size_t bytes;
} rig_block;

typedef struct rig {
    gpc_context *context;
    gpci_policy *policy; /* found by spec; only table and parameters are used */
    const gpc_replacement_ops *ops;
    gpc_policy_env env;
    rig_block instance, set_state, line_state;
    void *self;
    uint64_t *lines;  /* [sets][ways]; RIG_FREE = none */
    gpc_request also; /* fields of requests beside address and next use: zero, unless a test sets them */
} rig;

#define RIG_FREE UINT64_MAX
#define RIG_NO_WAY UINT32_MAX

typedef struct rig_outcome {
    bool hit, bypassed, evicted;
    uint32_t set, way; /* RIG_NO_WAY if bypassed */
    uint64_t victim;   /* line number, if evicted */
} rig_outcome;

/* Asserts that the policy can be made. */
void rig_open(rig *r, const char *spec, uint32_t sets, uint32_t ways, uint64_t seed);
void rig_close(rig *r);

rig_outcome rig_access(rig *r, uint64_t line, uint64_t next_use);
/* Choose among `candidates` and replace the way's line by `line`. */
rig_outcome rig_replace(rig *r, uint32_t set, const uint64_t *candidates, uint64_t line, uint64_t next_use);
void rig_invalidate(rig *r, uint32_t set, uint32_t way);

/* True if nothing was written beside the blocks. */
bool rig_guards_intact(const rig *r);

/* Index of the next access to the same line, or UINT64_MAX, by searching. Freed by the caller. */
uint64_t *rig_next_uses(const uint64_t *lines, size_t count);

#endif
