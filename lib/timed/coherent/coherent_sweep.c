/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/engine/engine_sweep.h"
#include "level/rules/level_count.h"
#include "timed/core/event_log_coherent.h"

/*
 * Acquires and flushes of a tree with a clock: sweeps of engine (coherence/engine/engine_sweep.c), in two
 * orders.
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

/* Tokens of sweeps: a fence uses the in-flight access, markers OF_MARKERS in addition; kernels use OF_KERNEL. */
#define OF_KERNEL UINT32_MAX
#define OF_MARKERS ((uint64_t)1 << 32)

static uint32_t abreast_of(uint64_t entries) {
    return entries && entries < UINT32_MAX ? (uint32_t)entries : UINT32_MAX - 1;
}

/* Begin a sweep. False: out of memory; no change; tried again if the simulation continues. */
static bool begin(gpci_timed *t, const gpci_sweep_order *order, uint64_t token, uint32_t component) {
    const gpc_status status = gpci_coherent_reserve(t, 0);
    if (status < 0) {
        t->failed = status;
        gpci_wheel_wake(&t->wheel, component, t->wheel.now + 1);
        return false;
    }
    gpci_engine *e = gpci_engine_of(t);
    gpci_engine_at(e, t->wheel.now);
    const uint32_t inflight = gpci_engine_sweep(e, order);
    gpci_tree_inflight_at(e, inflight)->token = token;
    gpci_log_sweep(t, inflight);
    return true;
}

/* Fences. */

/*
 * gpci_inflight.fence.sweep of a fence that sweeps n modules below the L1: 2 i: sweep i will begin; 2 i + 1: sweep i is
 * in progress. The L1 is number n.
 */

/* Number of modules to sweep below L1. Modules informed of every store, or probed, need no acquire. */
static uint32_t count_below(const gpc_hierarchy *h, uint32_t sm) {
    if (gpci_coherent_tracks(h) || h->coherent->tree->protocol->flags & GPC_PROTOCOL_INVALIDATES)
        return 0;
    return gpci_coherent_private(h, sm).count + (h->coherent->clusters != 0);
}

static uint32_t module_below(const gpc_hierarchy *h, uint32_t sm, uint32_t at) {
    const gpci_private_modules own = gpci_coherent_private(h, sm);
    return at < own.count ? own.first + at : h->coherent->first_cluster + sm / h->coherent->cluster_sms;
}

static bool begin_for_fence(gpci_timed *t, const gpci_ctrl *ctrl, uint32_t number, uint32_t module) {
    const gpci_sweep_order order = {ctrl->index, module, GPCI_SWEEP_ACQUIRE, abreast_of(ctrl->options->entries)};
    if (!begin(t, &order, number, ctrl->component))
        return false;
    t->inflights[number].fence.sweep++;
    gpci_coherent_run(t);
    return true;
}

/*
 * Begin a new generation of reads: reads sent from now on are new enough. There are two generations; false while the
 * previous one has reads in flight.
 */
static bool turn(const gpci_timed *t, gpci_ctrl *ctrl) {
    gpci_fences *o = &ctrl->fences;
    if (o->fetches[o->generation ^ 1])
        return false;
    o->generation ^= 1;
    o->dropped_at = t->wheel.now;
    o->joins_since = t->wheel.now + 1;
    return true;
}

bool gpci_coherent_acquires(gpci_timed *t, gpci_ctrl *ctrl, uint32_t number) {
    gpci_inflight *f = &t->inflights[number];
    const uint32_t own = 2 * count_below(t->h, ctrl->index);
    if (f->fence.sweep < own && f->fence.sweep % 2 == 0 &&
        !begin_for_fence(t, ctrl, number, module_below(t->h, ctrl->index, f->fence.sweep / 2)))
        return false;
    if (f->fence.sweep == own && turn(t, ctrl) && !begin_for_fence(t, ctrl, number, ctrl->index))
        return false;
    return f->fence.sweep == own + 2;
}

bool gpci_coherent_marks(gpci_timed *t, gpci_ctrl *ctrl, uint32_t number) {
    gpci_inflight *f = &t->inflights[number];
    const gpci_sweep_order order = {ctrl->index, ctrl->index, GPCI_SWEEP_MARK, 1};
    if (f->fence.marks == 0 && begin(t, &order, number | OF_MARKERS, ctrl->component)) {
        t->inflights[number].fence.marks = 1;
        gpci_coherent_run(t);
    }
    return t->inflights[number].fence.marks == 2;
}

/* An L1 drops `lines` lines at once; the tags are busy accordingly. */
static void fence_swept(gpci_timed *t, uint32_t number, uint32_t lines) {
    gpci_inflight *f = &t->inflights[number];
    gpci_ctrl *ctrl = &t->l1[f->sm];
    if (++f->fence.sweep == 2 * count_below(t->h, f->sm) + 2) {
        const uint64_t rate = gpci_number(t->h, GPCI_KEY_L1_INVALIDATE);
        const uint64_t cycles = rate && lines > rate ? (lines + rate - 1) / rate : 1;
        const uint64_t busy = t->wheel.now + ctrl->options->latency + cycles;
        ctrl->data.free = ctrl->data.free > busy ? ctrl->data.free : busy;
        f->due = ctrl->data.free - ctrl->options->latency;
        gpci_count_fence_lines(t->h, ctrl->index, lines);
    }
    gpci_wheel_wake(&t->wheel, ctrl->component, t->wheel.now);
}

/* Kernels. */

/* Sweeps in turn: modules from `first` to below `end`. */
typedef struct stretch {
    uint32_t first, end;
    gpci_sweep kind;
} stretch;

#define STRETCHES 7u

static stretch stretch_of(gpci_private_modules all, gpci_sweep kind) {
    return (stretch){all.first, all.first + all.count, kind};
}

/* Remove blocks from L1s: by recalls of directories below, or by evictions of L1s. */
static stretch flush_of_l1s(const gpci_timed *t) {
    const gpci_coherent *c = t->h->coherent;
    const uint32_t ends[] = {c->first_slice, c->first_memory, c->first_near};
    const uint32_t firsts[] = {c->first_cluster, c->first_slice, c->first_memory}, below = c->clusters ? 0
                                                                                           : c->l2     ? 1
                                                                                                       : 2;
    /* directories of home halves would also recall copies of near halves */
    return gpci_coherent_tracks(t->h) && c->parts == 1 ? (stretch){firsts[below], ends[below], GPCI_SWEEP_RECALL}
                                                       : (stretch){0, c->sms, GPCI_SWEEP_EVICT};
}

static stretch stretch_at(const gpci_timed *t, uint32_t index) {
    const gpci_coherent *c = t->h->coherent;
    const bool flushes = gpci_number(t->h, GPCI_KEY_KERNELS_FLUSH) != 0, merges = gpci_coherent_merges(t->h);
    if (index <= 1)
        return stretch_of(gpci_coherent_private_level(c, 1 - index), GPCI_SWEEP_ACQUIRE);
    if (index == 2)
        return (stretch){0, c->sms, GPCI_SWEEP_ACQUIRE};
    if (!flushes)
        return (stretch){0};
    if (index == 3)
        return flush_of_l1s(t);
    if (index <= 5) /* data written back by L1s must reach the shared level, with no older copy elsewhere */
        return merges ? stretch_of(gpci_coherent_private_level(c, index - 4), GPCI_SWEEP_EVICT) : (stretch){0};
    /* recalls make room in directories and detach copies */
    return (stretch){0, c->tree->detaches ? c->sms : 0, GPCI_SWEEP_ACQUIRE};
}

/* Find the next module of a stretch, from `*module` on, with blocks to sweep. */
static bool finds(const gpci_timed *t, uint32_t index, uint32_t *module) {
    const stretch s = stretch_at(t, index);
    for (*module = *module > s.first ? *module : s.first; *module < s.end; ++*module)
        if (gpci_engine_sweeps(gpci_engine_of(t), *module, s.kind))
            return true;
    return false;
}

static bool is_wanted(const gpci_timed *t) {
    for (uint32_t index = 0, module = 0; index < STRETCHES; index++, module = 0)
        if (finds(t, index, &module))
            return true;
    return false;
}

gpc_status gpci_coherent_begin_kernel(gpc_hierarchy *h) {
    gpci_timed *t = h->timed;
    gpci_coherent_host *host = t->coherent;
    if (gpci_number(h, GPCI_KEY_KERNELS_FLUSH) == 2) /* 0: none, 1: l1, 2: all */
        return gpci_coherent_begin(h);
    host->stretch = 0;
    host->sealed = is_wanted(t);
    if (host->sealed)
        gpci_wheel_wake(&t->wheel, 0, t->wheel.now);
    return GPC_OK;
}

/* The flush is done: L1s' tags accept accesses again. */
static void unseal(gpci_timed *t) {
    t->coherent->sealed = false;
    t->progress = t->wheel.now;
    for (uint32_t sm = 0; sm < t->h->sms; sm++) {
        gpci_ctrl_resource_freed(&t->l1[sm], GPC_BUSY_LINE);
        gpci_wheel_wake(&t->wheel, t->l1[sm].component, t->wheel.now);
    }
}

/* Begin the sweeps of a stretch; false: out of memory, and the rest begins later. */
static bool begin_stretch(gpci_timed *t, uint32_t index) {
    const gpci_sweep kind = stretch_at(t, index).kind;
    const gpci_ctrl_options *o = kind == GPCI_SWEEP_RECALL ? &t->l2_options : &t->l1_options;
    for (uint32_t module = 0; finds(t, index, &module); module++) {
        const gpci_sweep_order order = {module, module, kind, abreast_of(o->entries)};
        if (!begin(t, &order, OF_KERNEL, 0))
            return false;
        t->coherent->sweeps++;
    }
    return true;
}

void gpci_coherent_flush_on(gpci_timed *t) {
    gpci_coherent_host *host = t->coherent;
    if (!host->sealed || host->sweeps)
        return;
    /* sweeps leave work for later stretches */
    while (host->stretch < STRETCHES && !host->sweeps && begin_stretch(t, host->stretch))
        host->stretch++;
    if (host->sweeps)
        gpci_coherent_run(t);
    else if (host->stretch == STRETCHES)
        unseal(t);
}

void gpci_coherent_swept(gpci_timed *t, uint32_t inflight) {
    const gpci_engine *e = gpci_engine_of(t);
    const gpci_tree_inflight *a = gpci_tree_inflight_at(e, inflight);
    t->progress = t->wheel.now;
    if (a->token == OF_KERNEL) {
        if (!--t->coherent->sweeps)
            gpci_wheel_wake(&t->wheel, 0, t->wheel.now);
    } else if (a->token & OF_MARKERS) {
        t->inflights[(uint32_t)a->token].fence.marks = 2; /* by an answer that L1 takes in a step, before its fences */
    } else {
        fence_swept(t, (uint32_t)a->token, gpci_sweep_dropped(e, a));
    }
}
