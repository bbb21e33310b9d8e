/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_SM_FRONT_END_H
#define GPC_TIMED_SM_FRONT_END_H

#include "level/rules/hierarchy.h"
#include "timed/component/clock.h"

/*
 * SMs in front of a timed hierarchy, if part of this library: the replay engine's. Being components of the hierarchy's
 * wheel, idle SMs cost no time, and the clock skips to the next cycle with an event.
 */
typedef struct gpci_sm_front_end {
    void *user_data;
    uint32_t most; /* most accesses issued per step of an SM */
    /* Step SM `sm`, which asked for a step in the present cycle. The step may issue accesses. */
    void (*step)(void *user_data, uint32_t sm);
    /* A step is coming in this cycle: as gpci_component_class.expect. */
    void (*expect)(void *user_data, uint32_t sm, unsigned pass);
    /*
     * True if SM `sm` may be stepped ahead of the clock, from the cycle just stepped on. Asked after every step; if
     * false, `hand_over` follows when the clock arrives at the cycle.
     */
    bool (*alone)(void *user_data, uint32_t sm);
    void (*hand_over)(void *user_data, uint32_t sm);
    /* An access of SM `completion->sm` is done. May wake the SM; may not issue. */
    void (*complete)(void *user_data, const gpc_completion *completion);
    /* The memory pipeline of `sm` accepts again after a refusal. May wake the SM; may not issue. */
    void (*ready)(void *user_data, uint32_t sm);
    /* An L1 event (set only for a scheduler that needs events). */
    void (*cache_event)(void *user_data, uint32_t sm, const gpc_cache_event *event);
} gpci_sm_front_end;

/* Attach; with NULL detach. Callbacks of `gpc_hierarchy_set_callbacks` are called as well. */
void gpci_timed_attach(gpc_hierarchy *hierarchy, const gpci_sm_front_end *front);

/* True while an SM is stepped ahead of the clock: gpci_timed_now is then the SM's cycle. */
bool gpci_timed_is_ahead(const gpc_hierarchy *hierarchy);

/* Step `sm` at core cycle `cycle`, or at the next possible cycle. */
void gpci_timed_wake(gpc_hierarchy *hierarchy, uint32_t sm, uint64_t cycle);

/*
 * gpc_hierarchy_try_issue without checks, for a memory instruction with addresses in global or local space. Counts the
 * instruction, as gpc_hierarchy_access does. `range`: as for gpci_access_lines. GPC_OK, GPC_BUSY or GPC_ERROR_MEMORY.
 */
gpc_status gpci_timed_issue(gpc_hierarchy *hierarchy, const gpc_warp_access *access, uint32_t range, uint64_t token,
                            gpc_busy *busy);

/*
 * Issue an instruction of two accesses, of different lanes and spaces (replay/core/parts.c). The instruction completes
 * with the last line of both accesses, GPCI_MAX_TRANSACTIONS lines at most. `others`: further active lanes, which only
 * count as thread instructions.
 */
gpc_status gpci_timed_issue_both(gpc_hierarchy *hierarchy, const gpc_warp_access accesses[2], uint64_t others,
                                 uint64_t token, gpc_busy *busy);

/*
 * Issue a bulk copy for several SMs (gpc_warp_access.multicast), with a token per SM. Meanwhile SMs are kept in step
 * (gpci_timed_keep_in_step) and in one thread (gpci_timed_keep_alone).
 */
gpc_status gpci_timed_multicast(gpc_hierarchy *hierarchy, const gpc_warp_access *access, const uint64_t *tokens,
                                gpc_busy *busy);
/* SMs may not run ahead of the clock: other SMs' copies arrive. */
void gpci_timed_keep_in_step(gpc_hierarchy *hierarchy, bool in_step);

/* True if the first address suffices for an access of `kind` whose lanes touch a range: then `range` may be given. */
GPCI_INLINE bool gpci_timed_takes_range(const gpc_hierarchy *hierarchy, uint8_t kind) {
    return !hierarchy->with_data && !hierarchy->lane_packets && kind != GPC_ATOMIC && kind != GPC_REDUCTION;
}

/* gpc_hierarchy_try_fence without counting an instruction. */
gpc_status gpci_timed_fence(gpc_hierarchy *hierarchy, const gpc_fence *fence, uint64_t token, gpc_busy *busy);

/*
 * Steps of SMs may come from several threads at once, but from only one thread per shard: number of shards, 1 or
 * more, and the shard of an SM. `alone`: all steps come from the caller's thread, in the order of SMs.
 */
uint32_t gpci_timed_shards(const gpc_hierarchy *hierarchy);
uint32_t gpci_timed_shard_of(const gpc_hierarchy *hierarchy, uint32_t sm);
void gpci_timed_keep_alone(gpc_hierarchy *hierarchy, bool alone);

/*
 * Read a line for an SM's read-only caches: gpc_hierarchy_try_miss without checks; the front end gets the completion.
 * GPC_OK, GPC_BUSY (`ready` follows) or GPC_ERROR_MEMORY.
 */
gpc_status gpci_timed_read(gpc_hierarchy *hierarchy, const gpc_request *request, uint64_t token);

/*
 * Refuse an instruction of an SM for a reason of the front end. Returns GPC_BUSY, as gpci_timed_issue. gpci_timed_busy:
 * the reason for which an SM's memory pipeline is busy; GPC_BUSY_NOT if an instruction would be accepted.
 */
gpc_status gpci_timed_refuse(gpc_hierarchy *hierarchy, uint32_t sm, gpc_busy *busy);
gpc_busy gpci_timed_busy(const gpc_hierarchy *hierarchy, uint32_t sm);
/* Cycles before `cycle` in which an SM's L1 waited for a line, or for an MSHR entry or merge, since the last reset. */
typedef struct gpci_l1_waits {
    uint64_t line, mshr;
} gpci_l1_waits;
gpci_l1_waits gpci_timed_l1_waits(const gpc_hierarchy *hierarchy, uint32_t sm, uint64_t cycle);
/* Busy reason of the miss queue, for gpc_hierarchy_try_miss. */
gpc_busy gpci_timed_busy_miss(const gpc_hierarchy *hierarchy, uint32_t sm);

/* Run the next cycle with an event, not beyond `limit`. GPC_END: no event is due. */
gpc_status gpci_timed_run_cycle(gpc_hierarchy *hierarchy, uint64_t limit);

/*
 * True if accesses are in flight, but no packet has come or gone for deadlock.cycles. Call at least once in
 * deadlock.cycles.
 */
bool gpci_timed_is_overdue(gpc_hierarchy *hierarchy);

/* Describe in `text` which part waits for which. */
void gpci_timed_report(const gpc_hierarchy *hierarchy, char *text, size_t size);

/* Present cycle. Cycles of a kernel count from gpc_hierarchy_begin_kernel (called by the replay). */
uint64_t gpci_timed_now(const gpc_hierarchy *hierarchy);

#endif
