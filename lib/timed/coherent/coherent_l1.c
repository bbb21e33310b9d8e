/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"
#include "timed/core/coherent.h"

#include "coherence/module/tree.h"
#include "level/rules/level_count.h"

/*
 * Coherent L1. A line has an MSHR entry from the miss until the access is done; later packets for the line wait at the
 * entry, up to l1.mshr_merges. If the access is a load, loads that directly follow are done with the access. The first
 * other packet, and all packets behind, then return to the tags, before packets that were never at the tags; so the
 * line's accesses keep order. An access is done when the line is unlocked. Afterwards other accesses may take the line,
 * so no packet joins any more: a load that an acquire has released must not read old data. The packet that made the
 * entry is the leader, and the token of the engine's access that brings the line.
 *
 * In trees without directories, if requests wait, a store or an atomic that goes below has its entry only until the
 * bytes have left. Messages from L1 to a slice stay in order, and also wait in order at the slice: so others of the
 * line may follow.
 *
 * Example, vi, four atomics of a line and a load, in a row: the atomics leave L1 in cycles 1 to 4, the load's request
 * in cycle 5, and it finds the result of the last.
 */

static uint64_t line_of(const gpci_timed *timed, uint64_t address) {
    return address >> timed->hierarchy->l1_level.line_shift;
}

static gpci_mshr_bucket *bucket_of(const gpci_ctrl *ctrl, uint64_t line) {
    return &ctrl->mshr.buckets[(line * 0x9e3779b97f4a7c15u >> 32) & ctrl->mshr.mask];
}

static uint32_t find(const gpci_timed *timed, const gpci_ctrl *ctrl, uint64_t address) {
    uint64_t line = line_of(timed, address);
    uint32_t mshr_entry = bucket_of(ctrl, line)->mshr_entry;
    while (mshr_entry != GPCI_NO_PACKET && line_of(timed, gpci_packet_at(&timed->pool, mshr_entry)->address) != line)
        mshr_entry = gpci_packet_at(&timed->pool, mshr_entry)->mshr.chain;
    return mshr_entry;
}

/* True if a sector of the line of `address` has an MSHR entry; all sectors of a line count as one entry. */
static bool has_entry(const gpci_timed *timed, const gpci_ctrl *ctrl, uint64_t address) {
    const uint32_t bytes = timed->hierarchy->l1_level.line_bytes, sectors = timed->hierarchy->line_blocks;
    const uint64_t line = address & ~(uint64_t)(bytes * sectors - 1);
    for (uint32_t sector = 0; sector < sectors; sector++)
        if (find(timed, ctrl, line + (uint64_t)sector * bytes) != GPCI_NO_PACKET)
            return true;
    return false;
}

/* True if a new access to the address finds no free entry. */
static bool lacks_entry(const gpci_timed *timed, const gpci_ctrl *ctrl, uint64_t address) {
    return ctrl->mshr.used[0] >= ctrl->options->entries &&
           (timed->hierarchy->line_blocks == 1 || !has_entry(timed, ctrl, address));
}

static void add(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    const bool first = timed->hierarchy->line_blocks == 1 || !has_entry(timed, ctrl, pkt->address);
    gpci_mshr_bucket *bucket = bucket_of(ctrl, line_of(timed, pkt->address));
    pkt->mshr.chain = bucket->mshr_entry;
    bucket->mshr_entry = packet;
    pkt->mshr.first = pkt->mshr.last = GPCI_NO_PACKET;
    pkt->mshr.count = 1;
    pkt->mshr.ordered = pkt->mshr.left = false;
    gpci_log_event(timed, GPC_WHAT_MSHR_ALLOCATE, ctrl, pkt, 0);
    ctrl->mshr.used[0] += first;
    gpci_gauge_set(&ctrl->mshr.gauge, timed->wheel.now, ctrl->mshr.used[0]);
}

static void take_out(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet) {
    uint32_t *at = &bucket_of(ctrl, line_of(timed, gpci_packet_at(&timed->pool, packet)->address))->mshr_entry;
    while (*at != packet)
        at = &gpci_packet_at(&timed->pool, *at)->mshr.chain;
    *at = gpci_packet_at(&timed->pool, packet)->mshr.chain;
    gpci_log_event(timed, GPC_WHAT_MSHR_FREE, ctrl, gpci_packet_at(&timed->pool, packet), 0);
    ctrl->mshr.used[0] -=
        timed->hierarchy->line_blocks == 1 || !has_entry(timed, ctrl, gpci_packet_at(&timed->pool, packet)->address);
    gpci_gauge_set(&ctrl->mshr.gauge, timed->wheel.now, ctrl->mshr.used[0]);
}

/* True if the miss queue has no place for a request. A request that joins a packet of the line needs no place. */
static bool is_full(const gpci_timed *timed, const gpci_ctrl *ctrl, uint64_t address) {
    return gpci_queue_full(&ctrl->out) && !gpci_bundle_goes_with(timed, &ctrl->out, address);
}

static bool is_load(const gpci_packet *pkt) {
    return pkt->line.kind == GPC_LOAD || pkt->line.kind == GPC_PREFETCH;
}

void gpci_coherent_count_load(gpci_timed *timed, const gpci_packet *pkt, bool hit, bool pending) {
    if (GPCI_UNLIKELY(timed->front.cache_event != NULL) && is_load(pkt))
        gpci_l1_notify_scheduler(timed, pkt->request.sm, pkt, hit);
    if (pkt->line.kind != GPC_LOAD)
        return;
    uint32_t segments = gpci_count_sectors(pkt->segments);
    gpci_count_l1_load(timed->hierarchy, pkt->request.sm, hit ? segments : 0, pending ? segments : 0);
    gpci_count_l1_load_line(timed->hierarchy, pkt->request.sm, pkt->request.warp_age, hit);
}

#ifdef GPCI_CHECK
void gpci_coherent_count_load_again(gpci_timed *timed, const gpci_packet *pkt, bool hit, bool pending) {
    const uint32_t sectors = gpci_count_sectors(pkt->segments);
    if (pkt->line.kind == GPC_LOAD)
        gpci_count_load_again(timed->hierarchy, pkt->request.sm, sectors, hit ? 0 : sectors, pending ? sectors : 0);
}
#endif

/*
 * True if the load of a leader brings no line into L1, because of the access's flags or of the protocol (slc-glc, a
 * load of .cg). The bytes of such a load serve no other load.
 */
static bool passes(const gpci_timed *timed, uint32_t mshr_entry) {
    const gpci_engine *engine = gpci_engine_of(timed);
    const gpci_tree_inflight *access =
        gpci_tree_inflight_at(engine, gpci_packet_at(&timed->pool, mshr_entry)->mshr.access);
    return access->flags & GPC_ACCESS_NO_ALLOCATE || gpci_goes_alone(engine, access);
}

/* True if a load must be served below, whatever L1 has or expects (slc-glc, .cg and .cv). */
static bool is_for_below(const gpci_timed *timed, const gpci_packet *pkt) {
    return pkt->request.hint != GPC_HINT_NONE && is_load(pkt) &&
           gpci_coherent_request_of(timed, pkt).flags & gpci_engine_of(timed)->tree->protocol->pass_loads[0];
}

/* True if the first cache line of a waiting packet holds everything needed. */
static bool waits_alone(const gpci_timed *timed, const gpci_packet *pkt) {
    return !timed->hierarchy->with_data && !timed->hierarchy->coherent->tracks && pkt->line.inflight != UINT32_MAX &&
           pkt->line.kind != GPC_ATOMIC && pkt->line.kind != GPC_REDUCTION;
}

/* Waiter that waits in place of a packet, or the packet itself. In the first case the caller frees the packet. */
static uint32_t target_of(gpci_timed *timed, uint32_t packet) {
    const gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    const uint32_t mshr_target = waits_alone(timed, pkt) ? gpci_leave_target(timed, pkt) : GPCI_NO_PACKET;
    return mshr_target == GPCI_NO_PACKET ? packet : mshr_target;
}

/* Label of a packet; 0 if it has waited since before the event log began. */
static uint64_t label_of(const gpci_timed *timed, const gpci_packet *pkt) {
    return !timed->log || pkt->flags & GPCI_PACKET_TARGET ? 0 : gpci_label_of(&timed->pool, pkt)->id;
}

/* L1 of a packet with an MSHR entry. */
static gpci_ctrl *ctrl_of(const gpci_timed *timed, const gpci_packet *pkt) {
    return &timed->l1[pkt->flags & GPCI_PACKET_TARGET ? timed->inflights[pkt->line.inflight].sm : pkt->request.sm];
}

/* Let a packet wait at the MSHR entry of the line. */
static gpci_verdict merge(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, uint32_t mshr_entry,
                          gpci_tag_access *access) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet), *entry = gpci_packet_at(&timed->pool, mshr_entry);
    if (entry->mshr.count >= ctrl->options->merges)
        return gpci_ctrl_block(ctrl, access, timed->wheel.now, GPC_BUSY_MERGE);
    entry->mshr.ordered |= !is_load(pkt) || !is_load(entry) || passes(timed, mshr_entry) || is_for_below(timed, pkt);
    pkt->mshr.ordered = entry->mshr.ordered;
    pkt->flags &= (uint8_t)~GPCI_PACKET_LAST; /* no longer in the queue of the instruction */
    if (!pkt->mshr.ordered) {
        gpci_coherent_settle_bypass(timed, ctrl->index, pkt, false);
        gpci_coherent_count_load(timed, pkt, true, true);
        GPCI_AGAIN(gpci_coherent_count_load_again(timed, pkt, true, true));
        gpci_log_event(timed, GPC_WHAT_LOOKUP, ctrl, pkt, GPC_PENDING_HIT);
        pkt->line.missed = 0;
    }
    gpci_log_event(timed, GPC_WHAT_MSHR_MERGE, ctrl, pkt, label_of(timed, entry));
    const uint32_t mshr_target = pkt->mshr.ordered ? packet : target_of(timed, packet);
    if (mshr_target != packet)
        gpci_pool_give(&timed->pool, packet);
    *gpci_next_of(&timed->pool, mshr_target) = GPCI_NO_PACKET;
    if (entry->mshr.first == GPCI_NO_PACKET)
        entry->mshr.first = mshr_target;
    else
        *gpci_next_of(&timed->pool, entry->mshr.last) = mshr_target;
    entry->mshr.last = mshr_target;
    entry->mshr.count++;
    return GPCI_WAITING;
}

/* Remove a packet from the record of the line access. */
static void leave_line(const gpci_timed *timed, gpci_packet *pkt) {
    if (GPCI_LIKELY(!(pkt->flags & GPCI_PACKET_PART)))
        return;
    gpci_line_leave(gpci_engine_of(timed), pkt->line.record);
    pkt->flags &= (uint8_t)~GPCI_PACKET_PART;
}

/* Serve a plain hit: the line is stable, and no MSHR entry or miss queue is needed. */
static gpci_verdict hit(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, const gpc_coherence_request *request) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    const gpc_status status = gpci_engine_hit(gpci_engine_of(timed), request, &pkt->request, &timed->error);
    if (status < 0) {
        timed->failed = status;
        return GPCI_BLOCKED;
    }
    gpci_coherent_settle_bypass(timed, ctrl->index, pkt, false);
    gpci_coherent_count_load(timed, pkt, true, false);
    GPCI_AGAIN(gpci_coherent_count_load_again(timed, pkt, true, false));
    if (GPCI_UNLIKELY(timed->hierarchy->coherent->tracks))
        gpci_coherent_follow(timed->hierarchy, &pkt->request, true, &timed->hierarchy->coherent->tree->line->seen);
    gpci_log_event(timed, GPC_WHAT_LOOKUP, ctrl, pkt, GPC_HIT);
    gpci_count_l1_store(timed->hierarchy, ctrl->index,
                        pkt->line.kind == GPC_STORE ? gpci_count_sectors(pkt->segments) : 0);
    pkt->line.missed = 0;
    if (GPCI_UNLIKELY(timed->hierarchy->with_data))
        gpci_coherent_values_deliver(timed, packet, NULL);
    leave_line(timed, pkt);
    gpci_l1_serve(timed, ctrl, packet);
    return GPCI_SERVED;
}

/*
 * Begin an access. The line may be present but need messages first (`has`), or be coming as a neighbour of another miss
 * (`pending`).
 */
static gpci_verdict miss(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, const gpc_coherence_request *request,
                         bool has, bool pending) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    gpci_engine *engine = gpci_engine_of(timed);
    gpci_coherent_count_load(timed, pkt, has, pending);
    GPCI_AGAIN(gpci_coherent_count_load_again(timed, pkt, has, pending));
    if (GPCI_UNLIKELY(timed->hierarchy->coherent->tracks))
        gpci_coherent_follow(timed->hierarchy, &pkt->request,
                             has && !(is_load(pkt) && request->flags & GPC_ACCESS_EVICT),
                             &timed->hierarchy->coherent->tree->line->seen);
    gpci_log_event(timed, GPC_WHAT_LOOKUP, ctrl, pkt, pending ? GPC_PENDING_HIT : has ? GPC_HIT : GPC_MISS);
    gpci_count_l1_store(timed->hierarchy, ctrl->index,
                        pkt->line.kind == GPC_STORE && has ? gpci_count_sectors(pkt->segments) : 0);
    pkt->line.missed = has ? 0 : pkt->segments;
    pkt->born = timed->wheel.now;
    pkt->line.marks &= GPCI_MARK_OPEN | GPCI_MARK_PASSES;
    pkt->line.marks |= (uint8_t)(ctrl->fences.generation << GPCI_MARK_GENERATION_SHIFT);
    ctrl->fences.fetches[ctrl->fences.generation]++;
    const uint32_t mshr_entry = target_of(timed, packet);
    gpci_packet *entry = gpci_packet_at(&timed->pool, mshr_entry);
    add(timed, ctrl, mshr_entry);
    entry->mshr.cached = has && !pending;
    gpci_engine_at(engine, timed->wheel.now);
    const uint32_t inflight = gpci_engine_access(engine, request, &pkt->request);
    gpci_tree_inflight_at(engine, inflight)->token = mshr_entry;
    entry->mshr.access = inflight;
    gpci_log_origin(timed, inflight, pkt);
    if (mshr_entry != packet)
        gpci_pool_give(&timed->pool, packet);
    gpci_coherent_run(timed);
    return GPCI_WAITING;
}

/* Note the decision of L1's policies: GPC_ACCESS_ bits. */
static void mark(gpci_packet *pkt, uint32_t flags) {
    pkt->line.marks |= (uint8_t)(GPCI_MARK_ASKED | (flags & GPC_ACCESS_NO_ALLOCATE ? GPCI_MARK_OUT : 0) |
                                 (flags & GPC_ACCESS_EVICT ? GPCI_MARK_EVICTS : 0));
}

/* Let a load bypass L1. first: L1's policies have decided just now; false: the packet is tried again. */
static void bypass(gpci_timed *timed, uint32_t packet, bool first, const gpci_tag_access *access,
                   gpc_coherence_request *request) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    const uint8_t segments = gpci_coherent_bypass(timed->hierarchy, pkt->segments, access->flags, request);
    if (first)
        gpci_coherent_note_bypass(timed, pkt, segments);
}

/*
 * Ask L1's policies about an access, once: the packet keeps the decision. A packet that waits for a resource may lose
 * its place at the tags to a packet that returns there.
 */
static GPCI_NOINLINE void predict(gpci_timed *timed, uint32_t packet, gpci_tag_access *access,
                                  gpc_coherence_request *request) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    const bool first = !(pkt->line.marks & GPCI_MARK_ASKED);
    if (!access->looked || access->mshr_entry != packet)
        access->asked = access->passes = 0;
    access->looked = true;
    access->mshr_entry = packet;
    if (first)
        mark(pkt, gpci_coherent_predict(timed->hierarchy, &pkt->request, request->flags));
    access->flags = (uint8_t)((pkt->line.marks & GPCI_MARK_OUT ? GPC_ACCESS_NO_ALLOCATE : 0) |
                              (pkt->line.marks & GPCI_MARK_EVICTS ? GPC_ACCESS_EVICT : 0));
    bypass(timed, packet, first, access, request);
}

/* True if L1's predictor sends a load delayed for `reason` past L1. Asked once per reason, as in stall.c. */
static bool goes_past(const gpci_timed *timed, const gpci_ctrl *ctrl, uint32_t packet, gpci_tag_access *access,
                      gpc_busy reason) {
    const gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    const gpci_module *l1 = gpci_module_at(timed->hierarchy->coherent->tree, ctrl->index);
    const gpc_predictor_ops *ops = l1->predictor ? l1->predictor->ops : NULL;
    if (!ops || !ops->on_stall || !is_load(pkt))
        return false;
    if (!(access->asked >> reason & 1)) {
        const gpc_request shown = gpci_module_policy_request(l1, gpci_module_tag_of(l1, pkt->address), &pkt->request);
        access->asked |= (uint8_t)(1u << reason);
        access->passes |= (uint8_t)((ops->on_stall(l1->predictor->self, &shown, reason) == GPC_BYPASS) << reason);
    }
    return access->passes >> reason & 1;
}

/*
 * Reason that delays a new access: no free MSHR entry, or a full miss queue. A load sent past L1 for such a reason, or
 * because all ways of the set are locked, still gets an entry, beyond `entries`, to keep the order of the line; and
 * room beyond the miss queue's, up to l1.bypass_queue.
 */
static gpc_busy held_up(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, gpci_tag_access *access,
                        gpc_coherence_request *request) {
    const gpc_busy none = GPC_BUSY_NOT;
    gpc_busy past = none;
    if (lacks_entry(timed, ctrl, request->address)) {
        if (!goes_past(timed, ctrl, packet, access, GPC_BUSY_MSHR))
            return GPC_BUSY_MSHR;
        past = GPC_BUSY_MSHR;
    }
    if (is_full(timed, ctrl, request->address)) {
        if (!goes_past(timed, ctrl, packet, access, GPC_BUSY_MISS_QUEUE) ||
            ctrl->out.count - ctrl->out.capacity >= timed->bypass_capacity)
            return GPC_BUSY_MISS_QUEUE;
        past = GPC_BUSY_MISS_QUEUE;
    }
    if (past == none && is_load(gpci_packet_at(&timed->pool, packet)) &&
        gpci_engine_all_locked(gpci_engine_of(timed), ctrl->index, request->address) &&
        goes_past(timed, ctrl, packet, access, GPC_BUSY_LINE))
        past = GPC_BUSY_LINE;
    if (past != none && !access->flags) {
        access->flags = GPC_ACCESS_NO_ALLOCATE;
        mark(gpci_packet_at(&timed->pool, packet), access->flags);
        gpc_coherence *tree = timed->hierarchy->coherent->tree;
        gpci_module_at(tree, ctrl->index)->counts.bypasses += !tree->line->bypasses;
        tree->line->bypasses = true;
        bypass(timed, packet, true, access, request);
        ctrl->counts.passed[past]++;
        GPCI_AGAIN(ctrl->counts.passed_again[past] += (access->flags & GPC_ACCESS_NO_ALLOCATE) != 0);
    }
    return none;
}

/* Show policies the record of a packet's line access. Records move when the engine makes room. */
static void show_line(const gpci_timed *timed, const gpci_packet *pkt) {
    if (GPCI_UNLIKELY(pkt->flags & GPCI_PACKET_PART))
        timed->hierarchy->coherent->tree->line = gpci_line_record_at(gpci_engine_of(timed), pkt->line.record);
}

/* Look up a packet whose line has no MSHR entry. */
static gpci_verdict look(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, gpci_tag_access *access) {
    const gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    gpc_coherence_request request = gpci_coherent_request_of(timed, pkt);
    if (GPCI_UNLIKELY(timed->hierarchy->with_data))
        gpci_coherent_values_attach(timed, packet, &request);
    gpci_tree_begin_line(timed->hierarchy->coherent->tree);
    show_line(timed, pkt);
    gpci_coherent_tell(timed->hierarchy->coherent, &pkt->request, pkt->line.fetched);
    if (gpci_coherent_asks(timed->hierarchy->coherent, &pkt->request))
        predict(timed, packet, access, &request);
    const gpci_sight sight = gpci_engine_look(gpci_engine_of(timed), &request);
    if (sight == GPCI_SIGHT_HIT)
        return hit(timed, ctrl, packet, &request);
    gpc_busy reason = lacks_entry(timed, ctrl, pkt->address) ? GPC_BUSY_MSHR
                      : is_full(timed, ctrl, pkt->address)   ? GPC_BUSY_MISS_QUEUE
                                                             : GPC_BUSY_NOT;
    if (GPCI_UNLIKELY(timed->hierarchy->coherent->predicts))
        reason = held_up(timed, ctrl, packet, access, &request);
    if (reason != GPC_BUSY_NOT)
        return gpci_ctrl_block(ctrl, access, timed->wheel.now, reason);
    const gpc_status status = gpci_coherent_reserve(timed, pkt->address);
    if (status < 0) { /* no state has changed; the packet is tried again if the simulation continues */
        timed->failed = status;
        gpci_wheel_wake(&timed->wheel, ctrl->component, timed->wheel.now + 1);
        return GPCI_BLOCKED;
    }
    show_line(timed, pkt);
    const bool pending = sight == GPCI_SIGHT_MISS && gpci_engine_bring(gpci_engine_of(timed), &request);
    return miss(timed, ctrl, packet, &request, sight == GPCI_SIGHT_TOLD || pending, pending);
}

gpci_verdict gpci_coherent_l1_pass(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, gpci_tag_access *access) {
    const gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    gpc_coherence *tree = timed->hierarchy->coherent->tree;
    if (GPCI_UNLIKELY(timed->coherent->sealed)) /* caches are being flushed for a kernel */
        return gpci_ctrl_block(ctrl, access, timed->wheel.now, GPC_BUSY_LINE);
    if (GPCI_UNLIKELY(pkt->request.kind == GPCI_KIND_FENCE)) {
        gpci_fence_passed(timed, packet);
        return GPCI_WAITING;
    }
    const uint32_t mshr_entry = find(timed, ctrl, pkt->address);
    if (mshr_entry != GPCI_NO_PACKET)
        return merge(timed, ctrl, packet, mshr_entry, access);
    const gpci_verdict verdict = look(timed, ctrl, packet, access);
    tree->line = &tree->own_line;
    return verdict;
}

uint8_t gpci_coherent_depth(const gpc_hierarchy *hierarchy, uint8_t level) {
    return level >= hierarchy->coherent->memory_level ? 3 : level > 1 ? 2 : 1;
}

/* Release a packet with the data. `own`: the lookup hit, and the data pass L1's data port as for any hit. */
static void release(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, uint8_t level, bool own, const uint8_t *line) {
    if (line)
        gpci_coherent_values_deliver(timed, packet, line);
    leave_line(timed, gpci_packet_at(&timed->pool, packet));
    if (own)
        gpci_l1_serve(timed, ctrl, packet);
    else
        gpci_l1_release(timed, ctrl, packet, level);
}

/*
 * Waiting packets return to the tags. Packets of their line that returned earlier and were not at the tags since are
 * younger, and stay behind.
 */
static void come_back(gpci_timed *timed, gpci_ctrl *ctrl, uint64_t line, uint32_t waiting) {
    gpci_queue *queue = &ctrl->returned;
    uint32_t before = GPCI_NO_PACKET, after = queue->count ? queue->first : GPCI_NO_PACKET;
    while (after != GPCI_NO_PACKET && line_of(timed, gpci_packet_at(&timed->pool, after)->address) != line) {
        before = after;
        after = after == queue->last ? GPCI_NO_PACKET : timed->pool.links[after].next;
    }
    for (uint32_t next; waiting != GPCI_NO_PACKET; waiting = next) {
        next = *gpci_next_of(&timed->pool, waiting);
        gpci_queue_insert(queue, &timed->pool, timed->wheel.now, before, waiting);
        before = waiting;
    }
}

/* Tell L1's policies that a load has joined a line in flight, which warp `fetcher` has fetched. */
static void follow_joined(const gpci_timed *timed, const gpci_packet *pkt, uint32_t fetcher) {
    uint8_t seen = 0;
    const bool part = pkt->flags & GPCI_PACKET_PART;
    gpci_coherent_follow_joined(timed->hierarchy, &pkt->request, fetcher,
                                part ? &gpci_line_record_at(gpci_engine_of(timed), pkt->line.record)->seen : &seen);
}

/* Let the waiting packets look again, in order. The store's message has just woken L1, which sends the message. */
void gpci_coherent_l1_left(gpci_timed *timed, uint32_t mshr_entry) {
    gpci_packet *entry = gpci_packet_at(&timed->pool, mshr_entry);
    gpci_ctrl *ctrl = ctrl_of(timed, entry);
    uint32_t waiting = entry->mshr.first;
    take_out(timed, ctrl, mshr_entry);
    entry->mshr.left = true;
    ctrl->below.stores++;
    come_back(timed, ctrl, line_of(timed, entry->address), waiting);
    gpci_ctrl_resource_freed(ctrl, GPC_BUSY_MSHR);
    gpci_ctrl_resource_freed(ctrl, GPC_BUSY_MERGE);
}

void gpci_coherent_l1_done(gpci_timed *timed, uint32_t mshr_entry, uint8_t deepest, const uint8_t *line) {
    gpci_packet *entry = gpci_packet_at(&timed->pool, mshr_entry);
    gpci_ctrl *ctrl = ctrl_of(timed, entry);
    const uint8_t level = gpci_coherent_depth(timed->hierarchy, deepest);
    const uint64_t place = line_of(timed, entry->address);
    uint32_t waiting = entry->mshr.first;
    const uint32_t fetcher = GPCI_UNLIKELY(timed->hierarchy->coherent->tracks) ? entry->request.warp : 0;
    ctrl->fences.fetches[entry->line.marks >> GPCI_MARK_GENERATION_SHIFT]--;
    const gpci_tree_inflight *access = gpci_tree_inflight_at(gpci_engine_of(timed), entry->mshr.access);
    gpci_coherent_settle_bypass(timed, ctrl->index, entry, access->overturned);
    if (entry->mshr.left) { /* the answer to a store or atomic that had given its MSHR entry back */
        ctrl->below.stores--;
        release(timed, ctrl, mshr_entry, level, false, line);
        return;
    }
    const bool own = access->own && entry->mshr.cached;
    take_out(timed, ctrl, mshr_entry);
    if (level == 3 && is_load(entry)) {
        gpci_count_round_trip(timed->hierarchy, ctrl->index, timed->wheel.now - entry->born);
        GPCI_AGAIN(timed->hierarchy->of_sm[ctrl->index].again.round_trip_cycles += timed->wheel.now - entry->born);
    }
    release(timed, ctrl, mshr_entry, level, own, line);
    for (uint32_t next; waiting != GPCI_NO_PACKET; waiting = next) {
        if (gpci_packet_at(&timed->pool, waiting)->mshr.ordered) { /* and all packets behind it */
            come_back(timed, ctrl, place, waiting);
            break;
        }
        next = *gpci_next_of(&timed->pool, waiting);
        if (GPCI_UNLIKELY(timed->hierarchy->coherent->tracks))
            follow_joined(timed, gpci_packet_at(&timed->pool, waiting), fetcher);
        release(timed, ctrl, waiting, level, own, line);
    }
    gpci_ctrl_resource_freed(ctrl, GPC_BUSY_MSHR);
    gpci_ctrl_resource_freed(ctrl, GPC_BUSY_MERGE);
    if (timed->wheel.at != ctrl->component) /* if L1 is being stepped, the step goes on to the tags */
        gpci_wheel_wake(&timed->wheel, ctrl->component, timed->wheel.now);
}

/* Messages arriving at an L1 take ports before the L1's accesses. */
void gpci_coherent_l1_receive(gpci_timed *timed, gpci_ctrl *ctrl) {
    uint64_t now = timed->wheel.now;
    for (uint32_t packet; (packet = gpci_network_peek(ctrl->networks.replies_in, ctrl->index)) != GPCI_NO_PACKET;) {
        const gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
        if (ctrl->fill_free > now) {
            gpci_wheel_wake(&timed->wheel, ctrl->component, ctrl->fill_free);
            return;
        }
        if (gpci_message_looks(pkt) && !gpci_ctrl_port(ctrl, now, pkt->address))
            return; /* another message has the port, and the network wakes L1 again for what is behind */
        gpci_network_receive(ctrl->networks.replies_in, ctrl->index);
        ctrl->fill_free =
            now + (pkt->path.size - timed->header + ctrl->options->fill_width - 1) / ctrl->options->fill_width;
        gpci_message_arrived(timed, packet);
    }
}

/* The network must have room for the packet's size, with all messages of the packet. */
bool gpci_coherent_l1_room(const gpci_timed *timed, const gpci_ctrl *ctrl) {
    return gpci_network_can_take(ctrl->networks.requests_out, ctrl->index,
                                 gpci_packet_at(&timed->pool, ctrl->out.first)->path.size);
}

/*
 * True if a request for a copy joins another L1's request for the line in the LRC. If L1 has stores in flight, a
 * request joins none, because it could overtake the stores. The slice looks up a joined request separately
 * (coherent_ctrl.c, follow), so strong loads, and loads behind an acquire, get no older data by joining.
 */
static bool goes_along(const gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    if (!gpci_lrc_of(ctrl) || pkt->message.kind != GPC_MESSAGE_READ_REQUEST)
        return false;
    if (timed->bundle_line)
        pkt->segments = gpci_bundle_sectors(timed, pkt);
    pkt->born = timed->wheel.now;
    const bool along = gpci_lrc_read(gpci_lrc_of(ctrl), packet, ctrl->below.stores ? timed->wheel.now + 1 : 0);
    GPCI_AGAIN(ctrl->counts.request_bytes_again -= along ? pkt->path.size : 0);
    return along;
}

void gpci_coherent_l1_send(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet) {
    const gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    gpci_message_left(timed, ctrl->index, false);
    if (goes_along(timed, ctrl, packet))
        return;
    gpci_network_send(ctrl->networks.requests_out, ctrl->index, pkt->path.to, pkt->path.size, packet);
}
