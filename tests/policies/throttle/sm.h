/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_THROTTLE_SM_H
#define TESTS_THROTTLE_SM_H

/* The schedulers of one SM, made together; warp w is slot w / count of scheduler w % count. */

#include "measured.h"

#include <gpucache/ext/scheduler.h>
#include <gpucache/gpucache.h>

enum { SM_MOST = 8 };

typedef struct sm_rig {
    gpc_context *context;
    gpc_scheduler *schedulers[SM_MOST];
    uint32_t count, warps; /* schedulers, warps of the SM */
} sm_rig;

void sm_open(sm_rig *r, const char *policy, uint32_t count, uint32_t warps);
void sm_close(sm_rig *r);
void sm_start(sm_rig *r, uint32_t warp, uint32_t block);
void sm_set(sm_rig *r, uint32_t warp, gpc_warp_state state);
gpc_warp_state sm_state(const sm_rig *r, uint32_t warp);

/* A cycle: every scheduler is asked, and the choice dropped. */
void sm_clock(sm_rig *r, uint64_t cycle);
/* The warp issued by a scheduler in a cycle; or GPC_NO_WARP. */
uint32_t sm_issue(sm_rig *r, uint32_t scheduler, uint64_t cycle);
void sm_issue_times(sm_rig *r, uint32_t warp, uint32_t times, uint64_t cycle);

/* To all schedulers, as an engine does. */
void sm_event(sm_rig *r, gpc_cache_event_kind kind, uint32_t warp, uint32_t owner, uint64_t line, uint64_t cycle);
void sm_sample(sm_rig *r, const measured_stats *stats, uint64_t cycle);

/* A letter per warp: C, B, T by class, H = no memory instructions, '.' = no warp. */
const char *sm_classes(const sm_rig *r);

/* The three classes sum to the running warps, on every scheduler. */
void sm_expect_sums(const sm_rig *r);

#endif
