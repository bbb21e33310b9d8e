/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_SCHEDULER_RIG_H
#define TESTS_SCHEDULER_RIG_H

/* A context and a scheduler, with assertions. */

#include <gpucache/ext/scheduler.h>
#include <gpucache/gpucache.h>

typedef struct rig {
    gpc_context *context;
    gpc_scheduler *scheduler;
    uint32_t warps;
    gpc_error error;
} rig;

/* Without warps; and with all slots taken, from 0 up. */
void rig_open(rig *r, const char *policy, uint32_t warps, uint32_t limit);
void rig_open_full(rig *r, const char *policy, uint32_t warps, uint32_t limit);
void rig_close(rig *r);

void rig_start(rig *r, uint32_t slot);
void rig_set(rig *r, uint32_t slot, gpc_warp_state state);
void rig_set_all(rig *r, gpc_warp_state state);
void rig_end(rig *r, uint32_t slot);

/* Pick, and issue if possible. */
uint32_t rig_pick(rig *r, bool memory);
uint32_t rig_issue(rig *r, bool memory);

uint32_t rig_age(const rig *r, uint32_t slot);
gpc_warp_class rig_class(const rig *r, uint32_t slot);

#endif
