/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/array.h"
#include "level/rules/level_count.h"
#include "timed/core/coherent.h"
#include "timed/core/event_log.h"
#include "timed/core/kept_access.h"
#include "timed/core/shards.h"
#include "timed/core/stage_times.h"
#include "timed/ctrl/atomic_unit.h"
#include "timed/ctrl/constant_cache.h"
#include "timed/ctrl/data_banks.h"
#include "timed/ctrl/l1_observe.h"
#include "timed/ctrl/plain_values.h"
#include "timed/ctrl/prefetch.h"
#include "timed/l1/copy_engine.h"

/* Intake of warp instructions, before the tags. */

/* Most packets in flight of one line: the line, fetches of two slices, and evictions, possibly from every L1. */
uint64_t gpci_packets_per_line(const gpci_timed *t) {
    return 8 + (t->h->inclusive ? 2ull * t->h->sms * t->h->l2_level.line_bytes / t->h->l1_level.line_bytes : 0);
}

gpc_status gpci_make_packets(gpci_timed *t, uint32_t lines) {
    if (GPCI_UNLIKELY(t->shards != NULL))
        return gpci_shard_packets(t, lines);
    gpci_pool_expect_waiters(&t->pool);
    if (GPCI_UNLIKELY(t->stage_times != NULL) && gpci_stage_times_reserve(t, lines) < 0)
        return GPC_ERROR_MEMORY;
    /* in a tree, room for packets caused by work in flight is made earlier (coherent_host.c) */
    const uint64_t under_way = t->coherent ? 0 : t->pool.live;
    const gpc_status status = gpci_pool_reserve(&t->pool, gpci_packets_per_line(t) * (under_way + lines));
    return GPCI_UNLIKELY(t->values != NULL) && status == GPC_OK ? gpci_plain_values_carry(t) : status;
}

gpc_status gpci_make_inflights(gpci_timed *t, uint32_t count) {
    if (GPCI_UNLIKELY(t->shards != NULL))
        return gpci_shard_inflights(t, count);
    size_t room = t->inflight_room;
    if (!GPCI_ARRAY_ROOM(t->context, t->inflights, room, t->inflight_fresh, count))
        return GPC_ERROR_MEMORY;
    t->inflight_room = (uint32_t)room;
    return t->stage_times ? gpci_stage_times_reserve_inflights(t) : GPC_OK;
}

gpc_status gpci_make_room(gpci_timed *t, uint32_t lines) {
    gpc_status status = gpci_make_packets(t, lines);
    if (status < 0 || t->inflight_free != UINT32_MAX || t->inflight_fresh < t->inflight_room)
        return status;
    return gpci_make_inflights(t, 1);
}

uint32_t gpci_take_inflight(gpci_timed *t, uint32_t sm, uint32_t warp, uint8_t kind, uint64_t token, uint32_t lines) {
    uint32_t number = t->inflight_free;
    if (number == UINT32_MAX) {
        number = t->inflight_fresh++;
        if (GPCI_UNLIKELY(!(t->inflight_fresh % GPCI_STRAND_FLIGHTS)))
            t->inflight_fresh += t->inflight_stride;
        t->inflights[number] = (gpci_inflight){0}; /* as gpci_pool_take_fresh */
        GPCI_POISON(&t->inflights[number], sizeof *t->inflights);
    } else {
        t->inflight_free = t->inflights[number].next;
    }
    gpci_inflight *f = &t->inflights[number];
    f->token = token;
    f->issued = t->wheel.now;
    f->due = 0;
    f->sm = sm;
    f->warp = warp;
    f->left = lines;
    f->kind = kind;
    f->level = 0;
    f->turns = 0;
    f->unsignalled = 0;
    f->framed = f->acquires = f->performed = f->constant = false;
    f->trace.id = 0;
    if (kind != GPC_LOAD) {
        f->epoch = t->l1[sm].fences.count;
        t->l1[sm].fences.writes += kind != GPC_PREFETCH && kind < GPC_KIND_COUNT;
    }
    t->in_flight++;
    t->taken++;
    t->progress = t->wheel.now;
    return number;
}

/* Lines of an instruction with one or two accesses. */
typedef struct issued_lines {
    gpci_transaction *each;
    uint32_t count, first, segments; /* first: lines of the first access */
    bool given;                      /* coalesced by the host */
} issued_lines;

GPCI_INLINE void queue_line(gpci_timed *t, gpci_queue *queue, const gpc_request *request, const issued_lines *lines,
                            uint32_t i, uint32_t inflight) {
    const gpci_transaction *line = &lines->each[i];
    const bool last = i + 1 == lines->count;
    uint32_t number = gpci_pool_take(&t->pool);
    gpci_packet *p = gpci_packet_at(&t->pool, number);
    t->pool.links[number].due = t->wheel.now + t->issue_latency;
    p->request = *request;
    p->request.address = p->address = line->address;
    p->request.bytes_used = (uint16_t)gpci_transaction_bytes(line);
    p->request.sector_mask = t->h->l1_level.sectors_of[line->segments];
    if (request->kind == GPC_STORE) {
        p->request.byte_mask[0] = line->bytes[0];
        p->request.byte_mask[1] = line->bytes[1];
    }
    if (request->kind != GPC_LOAD || t->h->coherent) { /* for a load of plain caches, segments say the bytes read */
        p->bytes[0] = line->bytes[0];
        p->bytes[1] = line->bytes[1];
    }
    p->line.inflight = inflight;
    p->segments = line->segments;
    p->line.kind = request->kind;
    p->line.fetched = line->asks;
    p->level = 1;
    p->flags = (uint8_t)((last ? GPCI_PACKET_LAST : 0) | (line->follows ? GPCI_PACKET_FOLLOWS : 0));
    if (lines->given || GPCI_UNLIKELY(t->h->sector_packets)) { /* with turns as usual */
        p->request.continues = line->follows;
        p->flags &= (uint8_t)~GPCI_PACKET_FOLLOWS;
    }
    gpci_queue_append(queue, &t->pool, t->wheel.now, number);
}

static bool is_atomic(uint8_t kind) {
    return kind == GPC_ATOMIC || kind == GPC_REDUCTION;
}

static GPCI_COLD gpc_status reserve_values(gpci_timed *t, const gpc_warp_access *w) {
    const gpc_status status = gpci_kept_reserve(t);
    if (status < 0)
        return status;
    return t->values ? gpci_plain_values_reserve(t, w) : gpci_coherent_values_reserve(t, w);
}

static GPCI_COLD void keep_values(gpci_timed *t, uint32_t inflight, const gpc_warp_access *w) {
    gpci_kept_keep(t, inflight, w);
    (t->values ? gpci_plain_values_keep : gpci_coherent_values_keep)(t, inflight, w);
}

static bool is_ordered(const gpc_hierarchy *h, const gpc_warp_access *w) {
    return w->order > GPC_ORDER_RELAXED && gpci_scope_is_wide(w->scope) && !h->lane_packets;
}

GPCI_INLINE gpc_status make_ready(gpci_timed *t, bool ordered) {
    gpc_status status = gpci_make_room(t, GPCI_MAX_TRANSACTIONS);
    if (GPCI_UNLIKELY(ordered) && status == GPC_OK)
        status = gpci_make_inflights(t, 2);
    return status;
}

/* Queues lines `from` to `to` of one access. */
GPCI_INLINE void queue_access(gpci_timed *t, gpci_queue *queue, const gpc_warp_access *w, gpc_request *request,
                              const issued_lines *lines, uint32_t from, uint32_t to, uint32_t inflight) {
    gpci_ctrl *ctrl = &t->l1[w->sm];
    const bool counts_turns = is_atomic(w->kind) && gpci_atomics_are_limited(t);
    request->cycle = t->wheel.now;
    ctrl->sm.anew |= gpci_reads_anew(request);
    gpci_l1_observe_instruction(t, request);
    for (uint32_t i = from; i < to; i++) {
        queue_line(t, queue, request, lines, i, inflight);
        if (GPCI_UNLIKELY(gpci_prefetch_of(ctrl) != NULL))
            gpci_prefetch_note(t, queue->last, w, i - from);
        if (GPCI_UNLIKELY(counts_turns))
            gpci_packet_at(&t->pool, queue->last)->turns = lines->given ? gpci_atomic_turns_of_words(t, &lines->each[i])
                                                                        : gpci_atomic_turns(t, w, &lines->each[i]);
        if (GPCI_UNLIKELY(t->h->with_data) && !t->values)
            gpci_coherent_values_take(t, queue->last, w);
    }
}

static GPCI_NOINLINE void queue_second(gpci_timed *t, gpci_queue *queue, const gpc_warp_access *w, gpc_request *request,
                                       const issued_lines *lines, uint32_t inflight) {
    queue_access(t, queue, w, request, lines, lines->first, lines->count, inflight);
}

/*
 * Queue an access before the tags; if ordered and a release, behind a fence. A second access follows `w`, and a second
 * request follows `request`.
 */
GPCI_INLINE void queue_lines(gpci_timed *t, const gpc_warp_access *w, gpc_request *request, const issued_lines *lines,
                             uint64_t token, bool framed, bool ordered, uint32_t fence) {
    gpc_hierarchy *h = t->h;
    gpci_ctrl *ctrl = &t->l1[w->sm];
    gpci_queue *queue = gpci_l1_entrance(ctrl, w->warp);
    const uint32_t inflight = gpci_take_inflight(t, w->sm, w->warp, w->kind, token, lines->count);
    t->inflights[inflight].framed = framed;
    ctrl->sm.anew &= ctrl->sm.waiting != 0;
    if (GPCI_UNLIKELY(t->data_banks.count) && (w->kind == GPC_LOAD || w->kind == GPC_STORE))
        t->inflights[inflight].turns = (uint16_t)gpci_data_turns(&t->data_banks, lines->each, lines->count);
    if (GPCI_UNLIKELY(h->with_data))
        keep_values(t, inflight, w);
    queue_access(t, queue, w, request, lines, 0, lines->first, inflight);
    if (GPCI_UNLIKELY(lines->first < lines->count))
        queue_second(t, queue, w + 1, request + 1, lines, inflight);
    gpci_queue_pushed(queue, &t->pool, t->wheel.now);
    gpci_log_issue(t, queue, inflight, lines->count, lines->segments);
    gpci_ctrl_waits(ctrl, t->wheel.now);
    gpci_wheel_wake(&t->wheel, ctrl->component, t->wheel.now);
    if (GPCI_UNLIKELY(ordered))
        gpci_fence_around(t, w, inflight, lines->count, fence);
}

static gpc_status issue(gpci_timed *t, const gpc_warp_access *w, uint32_t range, uint64_t token, bool framed) {
    gpc_hierarchy *h = t->h;
    gpci_transaction each[GPCI_MAX_TRANSACTIONS];
    issued_lines lines = {.each = each, .given = false};
    gpc_request request;
    const bool ordered = is_ordered(h, w);
    gpc_status status = make_ready(t, ordered);
    if (status == GPC_OK && GPCI_UNLIKELY(h->with_data))
        status = reserve_values(t, w);
    if (status < 0)
        return status;
    const uint32_t fence = GPCI_UNLIKELY(ordered) ? gpci_fence_before(t, w) : UINT32_MAX;
    gpci_count_instruction(h, w->sm, w->mask);
    lines.first = lines.count = gpci_access_lines(h, w, range, each, &request, &lines.segments);
    queue_lines(t, w, &request, &lines, token, framed, ordered, fence);
    return GPC_OK;
}

gpc_status gpci_issue_given(gpci_timed *t, const gpc_warp_access *w, gpci_transaction *each, uint32_t count,
                            uint64_t token) {
    gpc_hierarchy *h = t->h;
    issued_lines lines = {.each = each, .count = count, .first = count, .given = true};
    gpc_request request;
    const bool ordered = is_ordered(h, w);
    const gpc_status status = make_ready(t, ordered);
    if (status < 0)
        return status;
    const uint32_t fence = ordered ? gpci_fence_before(t, w) : UINT32_MAX;
    gpci_count_instruction(h, w->sm, 0);
    gpci_given_lines(h, w, each, count, &request, &lines.segments);
    queue_lines(t, w, &request, &lines, token, false, ordered, fence);
    return GPC_OK;
}

gpc_status gpci_refuse(gpci_ctrl *ctrl, gpc_busy reason, gpc_busy *out_busy) {
    ctrl->sm.refused = true;
    if (out_busy)
        *out_busy = reason;
    return GPC_BUSY;
}

gpc_status gpci_timed_refuse(gpc_hierarchy *h, uint32_t sm, gpc_busy *busy) {
    return gpci_refuse(&gpci_timed_of_sm(h->timed, sm)->l1[sm], GPC_BUSY_PIPELINE, busy);
}

gpc_busy gpci_timed_busy(const gpc_hierarchy *h, uint32_t sm) {
    const gpci_ctrl *ctrl = &h->timed->l1[sm];
    return gpci_l1_has_place(h->timed, ctrl) ? GPC_BUSY_NOT : gpci_l1_busy(ctrl);
}

gpci_l1_waits gpci_timed_l1_waits(const gpc_hierarchy *h, uint32_t sm, uint64_t cycle) {
    const gpci_ctrl *ctrl = &h->timed->l1[sm];
    return (gpci_l1_waits){gpci_ctrl_stalls(ctrl, GPC_BUSY_LINE, cycle),
                           gpci_ctrl_stalls(ctrl, GPC_BUSY_MSHR, cycle) +
                               gpci_ctrl_stalls(ctrl, GPC_BUSY_MERGE, cycle)};
}

gpc_status gpci_timed_issue(gpc_hierarchy *h, const gpc_warp_access *access, uint32_t range, uint64_t token,
                            gpc_busy *busy) {
    gpci_timed *t = gpci_timed_of_sm(h->timed, access->sm);
    gpci_ctrl *ctrl = &t->l1[access->sm];
    if (GPCI_UNLIKELY(access->copy == GPC_COPY_BULK))
        return gpci_copy_issue(t, &(gpci_copy_asked){.access = access, .tokens = &token, .framed = true, .targets = 1},
                               busy);
    if (!gpci_l1_has_place(t, ctrl))
        return gpci_refuse(ctrl, gpci_l1_busy(ctrl), busy);
    *busy = GPC_BUSY_NOT;
    if (GPCI_UNLIKELY(access->space == GPC_SPACE_CONSTANT))
        return gpci_constants_issue(t, access, token, true);
    return issue(t, access, range, token, true);
}

gpc_status gpci_timed_issue_both(gpc_hierarchy *h, const gpc_warp_access accesses[2], uint64_t others, uint64_t token,
                                 gpc_busy *busy) {
    const gpc_warp_access *w = &accesses[0];
    gpci_timed *t = gpci_timed_of_sm(h->timed, w->sm);
    if (!gpci_l1_has_place(t, &t->l1[w->sm]))
        return gpci_refuse(&t->l1[w->sm], gpci_l1_busy(&t->l1[w->sm]), busy);
    *busy = GPC_BUSY_NOT;
    gpci_transaction each[GPCI_MAX_TRANSACTIONS];
    issued_lines lines = {.each = each, .given = false};
    gpc_request requests[2];
    uint32_t segments;
    gpc_status status = make_ready(t, false);
    for (uint32_t n = 0; n < 2 && h->with_data && status == GPC_OK; n++)
        status = reserve_values(t, &accesses[n]);
    if (status < 0)
        return status;
    gpci_count_instruction(h, w->sm, w->mask | accesses[1].mask | others);
    lines.first = gpci_access_lines(h, w, 0, each, &requests[0], &lines.segments);
    lines.count = lines.first + gpci_access_lines(h, w + 1, 0, each + lines.first, &requests[1], &segments);
    lines.segments += segments;
    queue_lines(t, w, requests, &lines, token, true, false, UINT32_MAX);
    return GPC_OK;
}

gpc_status gpci_timed_multicast(gpc_hierarchy *h, const gpc_warp_access *access, const uint64_t *tokens,
                                gpc_busy *busy) {
    return gpci_copy_issue(
        gpci_timed_of_sm(h->timed, access->sm),
        &(gpci_copy_asked){
            .access = access, .tokens = tokens, .apart = true, .framed = true, .targets = access->multicast_count},
        busy);
}

/* Issue a host's bulk copy. A multicast to other L1s needs a single thread. */
static gpc_status issue_copy(gpci_timed *t, const gpc_warp_access *w, uint64_t token, gpc_busy *busy) {
    const gpci_copy_asked asked = {
        .access = w, .tokens = &token, .targets = gpci_is_multicast(w) ? w->multicast_count : 1};
    if (gpci_is_multicast(w))
        gpci_timed_keep_alone(t->h, true);
    return gpci_copy_issue(t, &asked, busy);
}

/* Complete an access without modelled memory at once. */
static void complete_at_once(gpci_timed *t, const gpc_warp_access *w, uint64_t token) {
    gpc_completion c = {.token = token,
                        .issued = t->wheel.now,
                        .cycle = t->wheel.now,
                        .sm = w->sm,
                        .warp = w->warp,
                        .kind = w->kind,
                        .level = 1};
    gpci_count_instruction(t->h, w->sm, w->mask);
    t->taken++;
    t->ended++;
    gpci_stage_times_at_once(t, &c);
    if (!t->callbacks.on_complete)
        return;
    t->h->called_back = true;
    t->callbacks.on_complete(t->callbacks.user_data, &c);
    t->h->called_back = false;
}

gpc_status gpci_timed_try_issue(gpc_hierarchy *h, const gpc_warp_access *access, uint64_t token, gpc_busy *out_busy) {
    gpc_warp_access w;
    gpc_status status = gpci_access_take(access, NULL, &w);
    if (status == GPC_OK)
        status = gpci_access_check(h, &w);
    if (status < 0)
        return status;
    gpci_timed *t = gpci_timed_of_sm(h->timed, w.sm);
    gpci_ctrl *ctrl = &t->l1[w.sm];
    const bool constant = GPCI_UNLIKELY(w.space > GPC_SPACE_LOCAL) && gpci_reads_constants(h, &w);
    if (!w.mask || (w.space > GPC_SPACE_LOCAL && !constant))
        complete_at_once(t, &w, token);
    else if (GPCI_UNLIKELY(w.copy == GPC_COPY_BULK))
        return issue_copy(t, &w, token, out_busy);
    else if (!gpci_l1_has_place(t, ctrl))
        return gpci_refuse(ctrl, gpci_l1_busy(ctrl), out_busy);
    else
        status = constant ? gpci_constants_issue(t, &w, token, false) : issue(t, &w, 0, token, false);
    if (status == GPC_OK && out_busy)
        *out_busy = GPC_BUSY_NOT;
    return status;
}
