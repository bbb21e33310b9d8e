/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_PROFILE_RIG_H
#define TESTS_PROFILE_RIG_H

#include <gpucache/ext/observe.h>
#include <gpucache/ext/parts.h>
#include <gpucache/gpucache.h>

/* A profile fed by a test, of one SM with an L1 of two sets of two lines of 128 bytes by default. */
typedef struct rig {
    gpc_context *context;
    gpc_config *config;
    gpc_profile *profile;
    size_t live; /* allocations not freed */
} rig;

/* `settings`: "key=value" each, the last NULL; or NULL. */
void rig_open(rig *r, const char *const *settings);
void rig_close(rig *r); /* all memory must be freed */

/* One lane's access of 4 bytes; whole lines by 32 lanes; and accesses from outside the defaults. */
void rig_load(rig *r, uint32_t warp, uint64_t pc, uint64_t address);
void rig_load_line(rig *r, uint32_t warp, uint64_t pc, uint64_t address);
/* `lanes` lanes, `stride` bytes apart, 4 bytes each. */
void rig_load_strided(rig *r, uint32_t sm, uint64_t pc, uint64_t address, uint32_t lanes, uint64_t stride);
void rig_access(rig *r, gpc_warp_access access);

/* The profile's summary; asserts success. */
gpc_profile_summary rig_summary(const rig *r);
const gpc_profile_sm *rig_sm(const rig *r, uint32_t sm);
const gpc_profile_class *rig_class(const rig *r, uint32_t transactions);
const gpc_profile_instruction *rig_instruction(const rig *r, uint64_t pc); /* NULL: no row */
const gpc_profile_line *rig_line(const rig *r, uint32_t sm, uint64_t address);

/* A profile as JSON with all lines, to be freed: equal texts mean equal profiles. */
char *rig_json(gpc_profile *profile);

/* The profile read by tests/contract's predictors, fed anew. */
void rig_open_contract(rig *r);

#define RIG_CONTRACT_FILE "tests/contract/small.profile"

#endif
