/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_SM_FRONT_END_H
#define GPC_TIMED_SM_FRONT_END_H

#include "level/rules/hierarchy.h"
#include "timed/wheel.h"

/*
 * The SMs before a timed hierarchy, where they live in this library too: the replay
 * engine's. They are components of the hierarchy's own wheel, and so idle
 * SMs cost nothing and the clock skips to the next cycle in which anything happens.
 */
typedef struct gpci_sm_front_end {
    void *user_data;
    uint32_t most; /* accesses that an SM issues in a step, at most */
    /* SM `sm` asked to be stepped at the present cycle, or is refused for another reason than it knows; may issue. */
    void (*step)(void *user_data, uint32_t sm);
    /* Such a step comes in this cycle: as gpci_component_class.expect. */
    void (*expect)(void *user_data, uint32_t sm, unsigned pass);
    /*
     * May SM `sm` be stepped ahead of the clock, from the cycle on that it has just been stepped in? After each such
     * step this is asked anew; where it may not any more, `hand_over` follows when the clock has come to that cycle.
     */
    bool (*alone)(void *user_data, uint32_t sm);
    void (*hand_over)(void *user_data, uint32_t sm);
    /* An access of SM `completion->sm` is done. May wake the SM; may not issue. */
    void (*complete)(void *user_data, const gpc_completion *completion);
    /* The memory pipeline of `sm` accepts again after a refusal. May wake the SM; may not issue. */
    void (*ready)(void *user_data, uint32_t sm);
    /* An L1 event (set only where a scheduler wants them). */
    void (*cache_event)(void *user_data, uint32_t sm, const gpc_cache_event *event);
} gpci_sm_front_end;

/* Attach, or with NULL detach. What `gpc_hierarchy_set_callbacks` set is told as well. */
void gpci_timed_attach(gpc_hierarchy *h, const gpci_sm_front_end *front);

/* Is an SM being stepped ahead of the clock? Then gpci_timed_now is its own cycle. */
bool gpci_timed_is_ahead(const gpc_hierarchy *h);

/* Step `sm` at core cycle `cycle`, or at the next it can be. */
void gpci_timed_wake(gpc_hierarchy *h, uint32_t sm, uint64_t cycle);

/*
 * gpc_hierarchy_try_issue without its checks, for a memory instruction with addresses in global or local space. Counts
 * the instruction, as gpc_hierarchy_access does. `range`: as for gpci_access_lines. GPC_OK, GPC_BUSY or
 * GPC_ERROR_MEMORY.
 */
gpc_status gpci_timed_issue(gpc_hierarchy *h, const gpc_warp_access *access, uint32_t range, uint64_t token,
                            gpc_busy *busy);

/*
 * Issues an instruction of two accesses, of different lanes and spaces (replay/core/parts.c). The instruction completes
 * with the last line of both accesses, GPCI_MAX_TRANSACTIONS lines at most. `others`: lanes that access no memory here.
 */
gpc_status gpci_timed_issue_both(gpc_hierarchy *h, const gpc_warp_access accesses[2], uint64_t others, uint64_t token,
                                 gpc_busy *busy);

/*
 * The same of a bulk copy for several SMs (gpc_warp_access.multicast), with a token for each. SMs are kept in step
 * (gpci_timed_keep_in_step) and in one thread (gpci_timed_keep_alone) as long as there are such.
 */
gpc_status gpci_timed_multicast(gpc_hierarchy *h, const gpc_warp_access *access, const uint64_t *tokens,
                                gpc_busy *busy);
/* SMs may not run ahead of the clock: others reach them. */
void gpci_timed_keep_in_step(gpc_hierarchy *h, bool in_step);

/* Is an access of `kind` known by the first address alone, where its lanes touch a range? Then `range` may be given. */
GPCI_INLINE bool gpci_timed_takes_range(const gpc_hierarchy *h, uint8_t kind) {
    return !h->with_data && !h->lanes_apart && kind != GPC_ATOMIC && kind != GPC_REDUCTION;
}

/* The same for gpc_hierarchy_try_fence, which counts no instruction. */
gpc_status gpci_timed_fence(gpc_hierarchy *h, const gpc_fence *fence, uint64_t token, gpc_busy *busy);

/*
 * Steps of SMs come from several threads at once, those of one strand from one: strands, 1 or more, and the strand of
 * an SM. Where `alone`, all come from the caller's thread, in the order of SMs.
 */
uint32_t gpci_timed_strands(const gpc_hierarchy *h);
uint32_t gpci_timed_strand_of(const gpc_hierarchy *h, uint32_t sm);
void gpci_timed_keep_alone(gpc_hierarchy *h, bool alone);

/*
 * A read of a line for an SM's own read-only caches: gpc_hierarchy_try_miss without its checks, whose completion is the
 * front end's. GPC_OK, GPC_BUSY (`ready` follows) or GPC_ERROR_MEMORY.
 */
gpc_status gpci_timed_read(gpc_hierarchy *h, const gpc_request *request, uint64_t token);

/* What the memory pipeline of an SM is busy with; GPC_BUSY_NOT if an instruction would be accepted. */
/* Its SM's own reasons: GPC_BUSY, as from gpci_timed_issue. */
gpc_status gpci_timed_refuse(gpc_hierarchy *h, uint32_t sm, gpc_busy *busy);
gpc_busy gpci_timed_busy(const gpc_hierarchy *h, uint32_t sm);
/* The same of its miss queue, for gpc_hierarchy_try_miss. */
gpc_busy gpci_timed_busy_miss(const gpc_hierarchy *h, uint32_t sm);

/* Go to the next cycle in which anything happens, not beyond `limit`, and let it happen. GPC_END: nothing is due. */
gpc_status gpci_timed_run_cycle(gpc_hierarchy *h, uint64_t limit);

/* Who waits for whom, into `text`. */
void gpci_timed_report(const gpc_hierarchy *h, char *text, size_t size);

/* Cycles of the present kernel begin now. Called by the replay and gpc_hierarchy_begin_kernel. */
uint64_t gpci_timed_now(const gpc_hierarchy *h);

#endif
