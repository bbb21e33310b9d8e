/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/engine/engine_sweep.h"
#include "level/rules/level_count.h"
#include "timed/core/coherent.h"

/*
 * Acquires and flushes of a tree with a clock: sweeps of the protocol engine (coherence/engine/engine_sweep.c),
 * in two orders.
 *
 *   a fence     first the slices of its GPU (several GPUs), or the near halves of its part of L2, and the SM's cluster
 *               cache, one after the other; then its L1, which would otherwise bring stale data from there; then wait
 *               for lines in flight to L1, for later readers that do not wait for the fence
 *   a kernel    between two kernels, by `kernels.flush = l1`: all caches acquire. Then the directories below L1 recall
 *               their blocks; without directories L1s evict their blocks. If stores are non-coherent (nmoesi), the
 *               caches between L1s and the level shared by all processors evict their blocks too. A recall makes room
 *               in directories and detaches copies (nmoesi-d), so L1s acquire once more. Meanwhile no access passes
 *               the tags of any L1. `all` is what profilers do between kernels, and takes no time
 *
 * Example, nmoesi, 2 SMs, a kernel that left A modified in L1 0 and L1 1: every slice probes the holders of the blocks,
 * one block a cycle. A's two answers cross the reply network with their bytes, and the L1s continue when everything has
 * arrived.
 */

/* Tokens of sweeps: a fence's in-flight access; with OF_MARKERS for the fence's markers; OF_KERNEL for a kernel. */
#define OF_KERNEL UINT32_MAX
#define OF_MARKERS ((uint64_t)1 << 32)

static uint32_t abreast_of(uint64_t entries) {
    return entries && entries < UINT32_MAX ? (uint32_t)entries : UINT32_MAX - 1;
}

/* Begin a sweep. False: out of memory; no change; tried again if the simulation continues. */
static bool begin(gpci_timed *timed, const gpci_sweep_order *order, uint64_t token, uint32_t component) {
    const gpc_status status = gpci_coherent_reserve(timed, 0);
    if (status < 0) {
        timed->failed = status;
        gpci_wheel_wake(&timed->wheel, component, timed->wheel.now + 1);
        return false;
    }
    gpci_engine *engine = gpci_engine_of(timed);
    gpci_engine_at(engine, timed->wheel.now);
    const uint32_t inflight = gpci_engine_sweep(engine, order);
    gpci_tree_inflight_at(engine, inflight)->token = token;
    gpci_log_sweep(timed, inflight);
    return true;
}

/* Fences. */

/*
 * gpci_inflight.fence.sweep of a fence that sweeps n modules below the L1: 2 i: sweep i will begin; 2 i + 1: sweep i is
 * in progress. The L1 is number n.
 */

/* Number of modules to sweep below L1. Modules informed of every store, or probed, need no acquire. */
static uint32_t count_below(const gpc_hierarchy *hierarchy, uint32_t sm) {
    if (gpci_coherent_tracks(hierarchy) || hierarchy->coherent->tree->protocol->flags & GPC_PROTOCOL_INVALIDATES)
        return 0;
    return gpci_coherent_private(hierarchy, sm).count + (hierarchy->coherent->clusters != 0);
}

static uint32_t module_below(const gpc_hierarchy *hierarchy, uint32_t sm, uint32_t at) {
    const gpci_private_modules own = gpci_coherent_private(hierarchy, sm);
    return at < own.count ? own.first + at : hierarchy->coherent->first_cluster + sm / hierarchy->coherent->cluster_sms;
}

static bool begin_for_fence(gpci_timed *timed, const gpci_ctrl *ctrl, uint32_t number, uint32_t module) {
    const gpci_sweep_order order = {ctrl->index, module, GPCI_SWEEP_ACQUIRE, abreast_of(ctrl->options->entries)};
    if (!begin(timed, &order, number, ctrl->component))
        return false;
    timed->inflights[number].fence.sweep++;
    gpci_coherent_run(timed);
    return true;
}

/*
 * Begin a new generation of reads: reads sent from now on are new enough. There are two generations; false while the
 * previous one has reads in flight.
 */
static bool turn(const gpci_timed *timed, gpci_ctrl *ctrl) {
    gpci_fences *fences = &ctrl->fences;
    if (fences->fetches[fences->generation ^ 1])
        return false;
    fences->generation ^= 1;
    ctrl->dropped_at = timed->wheel.now;
    fences->joins_since = timed->wheel.now + 1;
    return true;
}

bool gpci_coherent_acquires(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t number) {
    gpci_inflight *access = &timed->inflights[number];
    const uint32_t own = 2 * count_below(timed->hierarchy, ctrl->index);
    if (access->fence.sweep < own && access->fence.sweep % 2 == 0 &&
        !begin_for_fence(timed, ctrl, number, module_below(timed->hierarchy, ctrl->index, access->fence.sweep / 2)))
        return false;
    if (access->fence.sweep == own && turn(timed, ctrl) && !begin_for_fence(timed, ctrl, number, ctrl->index))
        return false;
    return access->fence.sweep == own + 2;
}

bool gpci_coherent_marks(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t number) {
    gpci_inflight *access = &timed->inflights[number];
    const gpci_sweep_order order = {ctrl->index, ctrl->index, GPCI_SWEEP_MARK, 1};
    if (access->fence.marks == 0 && begin(timed, &order, number | OF_MARKERS, ctrl->component)) {
        timed->inflights[number].fence.marks = 1;
        gpci_coherent_run(timed);
    }
    return timed->inflights[number].fence.marks == 2;
}

/* A sweep of a fence has ended. After the L1's own sweep, which dropped `lines` lines, the tags are busy for a time. */
static void fence_swept(gpci_timed *timed, uint32_t number, uint32_t lines) {
    gpci_inflight *access = &timed->inflights[number];
    gpci_ctrl *ctrl = &timed->l1[access->sm];
    if (++access->fence.sweep == 2 * count_below(timed->hierarchy, access->sm) + 2) {
        const uint64_t rate = gpci_number(timed->hierarchy, GPCI_KEY_L1_INVALIDATE);
        const uint64_t cycles = rate && lines > rate ? (lines + rate - 1) / rate : 1;
        gpci_ctrl_occupy_data(ctrl, timed->wheel.now + ctrl->options->latency + cycles);
        access->due = ctrl->data.free - ctrl->options->latency;
        gpci_count_fence_lines(timed->hierarchy, ctrl->index, lines);
    }
    gpci_wheel_wake(&timed->wheel, ctrl->component, timed->wheel.now);
}

/* Kernels. */

/* Stretch of a flush: sweeps of one kind over the modules from `first` to `end` - 1, at the same time. */
typedef struct stretch {
    uint32_t first, end;
    gpci_sweep kind;
} stretch;

#define STRETCHES 7u

static stretch stretch_of(gpci_private_modules all, gpci_sweep kind) {
    return (stretch){all.first, all.first + all.count, kind};
}

/* Remove blocks from L1s: by recalls of directories below, or by evictions of L1s. */
static stretch flush_of_l1s(const gpci_timed *timed) {
    const gpci_coherent *coherent = timed->hierarchy->coherent;
    const uint32_t ends[] = {coherent->first_slice, coherent->first_memory, coherent->first_near};
    const uint32_t firsts[] = {coherent->first_cluster, coherent->first_slice, coherent->first_memory},
                   below = coherent->clusters ? 0
                           : coherent->l2     ? 1
                                              : 2;
    /* directories of home halves would also recall copies of near halves */
    return gpci_coherent_tracks(timed->hierarchy) && coherent->parts == 1
               ? (stretch){firsts[below], ends[below], GPCI_SWEEP_RECALL}
               : (stretch){0, coherent->sms, GPCI_SWEEP_EVICT};
}

static stretch stretch_at(const gpci_timed *timed, uint32_t index) {
    const gpci_coherent *coherent = timed->hierarchy->coherent;
    const bool flushes = gpci_number(timed->hierarchy, GPCI_KEY_KERNELS_FLUSH) != 0,
               merges = gpci_coherent_merges(timed->hierarchy);
    if (index <= 1)
        return stretch_of(gpci_coherent_private_level(coherent, 1 - index), GPCI_SWEEP_ACQUIRE);
    if (index == 2)
        return (stretch){0, coherent->sms, GPCI_SWEEP_ACQUIRE};
    if (!flushes)
        return (stretch){0};
    if (index == 3)
        return flush_of_l1s(timed);
    if (index <= 5) /* data written back by L1s must reach the shared level, with no older copy elsewhere */
        return merges ? stretch_of(gpci_coherent_private_level(coherent, index - 4), GPCI_SWEEP_EVICT) : (stretch){0};
    /* recalls make room in directories and detach copies */
    return (stretch){0, coherent->tree->detaches ? coherent->sms : 0, GPCI_SWEEP_ACQUIRE};
}

/* Find the next module of a stretch, from `*module` on, with blocks to sweep. */
static bool finds(const gpci_timed *timed, uint32_t index, uint32_t *module) {
    const stretch s = stretch_at(timed, index);
    for (*module = *module > s.first ? *module : s.first; *module < s.end; ++*module)
        if (gpci_engine_sweeps(gpci_engine_of(timed), *module, s.kind))
            return true;
    return false;
}

static bool is_wanted(const gpci_timed *timed) {
    for (uint32_t index = 0, module = 0; index < STRETCHES; index++, module = 0)
        if (finds(timed, index, &module))
            return true;
    return false;
}

gpc_status gpci_coherent_begin_kernel(gpc_hierarchy *hierarchy) {
    gpci_timed *timed = hierarchy->timed;
    gpci_coherent_host *host = timed->coherent;
    if (gpci_number(hierarchy, GPCI_KEY_KERNELS_FLUSH) == 2) /* 0: none, 1: l1, 2: all */
        return gpci_coherent_begin(hierarchy);
    host->stretch = 0;
    host->sealed = is_wanted(timed);
    if (host->sealed)
        gpci_wheel_wake(&timed->wheel, 0, timed->wheel.now);
    return GPC_OK;
}

/* The flush is done: L1s' tags accept accesses again. */
static void unseal(gpci_timed *timed) {
    timed->coherent->sealed = false;
    timed->progress = timed->wheel.now;
    for (uint32_t sm = 0; sm < timed->hierarchy->sms; sm++) {
        gpci_ctrl_resource_freed(&timed->l1[sm], GPC_BUSY_LINE);
        gpci_wheel_wake(&timed->wheel, timed->l1[sm].component, timed->wheel.now);
    }
}

/* Begin the sweeps of a stretch; false: out of memory, and the rest begins later. */
static bool begin_stretch(gpci_timed *timed, uint32_t index) {
    const gpci_sweep kind = stretch_at(timed, index).kind;
    const gpci_ctrl_options *options = kind == GPCI_SWEEP_RECALL ? &timed->l2_options : &timed->l1_options;
    for (uint32_t module = 0; finds(timed, index, &module); module++) {
        const gpci_sweep_order order = {module, module, kind, abreast_of(options->entries)};
        if (!begin(timed, &order, OF_KERNEL, 0))
            return false;
        timed->coherent->sweeps++;
    }
    return true;
}

void gpci_coherent_flush_on(gpci_timed *timed) {
    gpci_coherent_host *host = timed->coherent;
    if (host->sweeps)
        return;
    /* a stretch begins only when the sweeps of the former stretch have ended */
    while (host->stretch < STRETCHES && !host->sweeps && begin_stretch(timed, host->stretch))
        host->stretch++;
    if (host->sweeps)
        gpci_coherent_run(timed);
    else if (host->stretch == STRETCHES)
        unseal(timed);
}

void gpci_coherent_swept(gpci_timed *timed, uint32_t inflight) {
    const gpci_engine *engine = gpci_engine_of(timed);
    const gpci_tree_inflight *access = gpci_tree_inflight_at(engine, inflight);
    timed->progress = timed->wheel.now;
    if (access->token == OF_KERNEL) {
        if (!--timed->coherent->sweeps)
            gpci_wheel_wake(&timed->wheel, 0, timed->wheel.now);
    } else if (access->token & OF_MARKERS) {
        timed->inflights[(uint32_t)access->token].fence.marks =
            2; /* the step of L1 that takes the markers' answer continues the fence */
    } else {
        fence_swept(timed, (uint32_t)access->token, gpci_sweep_dropped(engine, access));
    }
}
