/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/array.h"
#include "base/check.h"
#include "level/rules/level_count.h"
#include "timed/core/coherent.h"
#include "timed/core/kept_access.h"
#include "timed/core/shards.h"
#include "timed/core/stage_times.h"
#include "timed/core/timed.h"
#include "timed/ctrl/atomic_unit.h"
#include "timed/ctrl/constant_cache.h"
#include "timed/ctrl/data_banks.h"
#include "timed/ctrl/l1_observe.h"
#include "timed/ctrl/plain_values.h"
#include "timed/ctrl/prefetch.h"
#include "timed/l1/copy_engine.h"

/* Intake of warp instructions, before the tags. */

/* Most packets in flight of one line: the line, fetches of two slices, and evictions, possibly from every L1. */
uint64_t gpci_packets_per_line(const gpci_timed *timed) {
    return 8 + (timed->gl1 != NULL) + (timed->memory_caches ? 8 : 0) +
           (timed->hierarchy->inclusive ? 2ull * timed->hierarchy->sms * timed->hierarchy->l2_level.line_bytes /
                                              timed->hierarchy->l1_level.line_bytes
                                        : 0);
}

gpc_status gpci_make_packets(gpci_timed *timed, uint32_t lines) {
    if (GPCI_UNLIKELY(timed->shards != NULL))
        return gpci_shard_packets(timed, lines);
    gpci_pool_expect_waiters(&timed->pool);
    if (GPCI_UNLIKELY(timed->stage_times != NULL) && gpci_stage_times_reserve(timed, lines) < 0)
        return GPC_ERROR_MEMORY;
    /* in a tree, room for packets caused by work in flight is made earlier (coherent_host.c) */
    const uint64_t under_way = timed->coherent ? 0 : timed->pool.live;
    const gpc_status status = gpci_pool_reserve(&timed->pool, gpci_packets_per_line(timed) * (under_way + lines));
    return GPCI_UNLIKELY(timed->values != NULL) && status == GPC_OK ? gpci_plain_values_carry(timed) : status;
}

uint64_t gpci_lines_to_begin(const gpci_timed *timed, uint64_t starters) {
    uint64_t lines = timed->self_started;
    if (GPCI_LIKELY(!starters) || timed->coherent)
        return lines;
    for (uint32_t sm = 0; sm < timed->hierarchy->sms; sm++) {
        const gpci_ctrl *ctrl = &timed->l1[sm];
        lines += gpci_part_is_active(ctrl, GPCI_PART_FENCES) ? ctrl->options->ports : 0;
        lines += gpci_part_is_active(ctrl, GPCI_PART_COPIES) ? gpci_copies_ahead(ctrl) : 0;
    }
    return lines;
}

gpc_status gpci_make_inflights(gpci_timed *timed, uint32_t count) {
    if (GPCI_UNLIKELY(timed->shards != NULL))
        return gpci_shard_inflights(timed, count);
    size_t capacity = timed->inflight_capacity;
    if (!GPCI_ARRAY_RESERVE(timed->context, timed->inflights, capacity, timed->inflight_fresh, count))
        return GPC_ERROR_MEMORY;
    timed->inflight_capacity = (uint32_t)capacity;
    return timed->stage_times ? gpci_stage_times_reserve_inflights(timed) : GPC_OK;
}

gpc_status gpci_reserve_inflights(gpci_timed *timed, uint32_t lines) {
    gpc_status status = gpci_make_packets(timed, lines);
    if (status < 0 || timed->inflight_free != UINT32_MAX || timed->inflight_fresh < timed->inflight_capacity)
        return status;
    return gpci_make_inflights(timed, 1);
}

uint32_t gpci_take_inflight(gpci_timed *timed, uint32_t sm, uint32_t warp, uint8_t kind, uint64_t token,
                            uint32_t lines) {
    uint32_t number = timed->inflight_free;
    if (number == UINT32_MAX) {
        number = timed->inflight_fresh++;
        if (GPCI_UNLIKELY(!(timed->inflight_fresh % GPCI_STRAND_FLIGHTS)))
            timed->inflight_fresh += timed->inflight_stride;
        timed->inflights[number] = (gpci_inflight){0}; /* zeroed for snapshots, as by gpci_pool_take_fresh */
        GPCI_POISON(&timed->inflights[number], sizeof *timed->inflights);
    } else {
        timed->inflight_free = timed->inflights[number].next;
    }
    gpci_inflight *access = &timed->inflights[number];
    access->token = token;
    access->issued = timed->wheel.now;
    access->due = 0;
    access->sm = sm;
    access->warp = warp;
    access->left = lines;
    access->kind = kind;
    access->level = 0;
    access->turns = 0;
    access->unsignalled = 0;
    access->framed = access->acquires = access->performed = access->constant = false;
    access->trace.id = 0;
    if (kind != GPC_LOAD) {
        access->epoch = timed->l1[sm].fences.count;
        timed->l1[sm].fences.writes += kind != GPC_PREFETCH && kind < GPC_KIND_COUNT;
    }
    timed->in_flight++;
    timed->taken++;
    timed->progress = timed->wheel.now;
    return number;
}

/* Lines of an instruction with one or two accesses. */
typedef struct issued_lines {
    gpci_transaction *each;
    uint32_t count, first, segments; /* first: number of lines of the first access */
    bool given;                      /* the host has coalesced the lines */
    bool by_lanes, range;            /* one access by addresses of lanes; lanes touch adjacent bytes or the same */
} issued_lines;

/* True if packets may be blocks of a line, in a tree. */
GPCI_INLINE bool shares_lines(const gpc_hierarchy *hierarchy) {
    return hierarchy->line_blocks > 1 && !hierarchy->lane_packets;
}

GPCI_INLINE void queue_line(gpci_timed *timed, gpci_queue *queue, const gpc_request *request, const issued_lines *lines,
                            uint32_t i, uint32_t inflight) {
    const gpci_transaction *line = &lines->each[i];
    const bool last = i + 1 == lines->count;
    uint32_t number = gpci_pool_take(&timed->pool);
    gpci_packet *pkt = gpci_packet_at(&timed->pool, number);
    timed->pool.links[number].due = timed->wheel.now + timed->issue_latency;
    pkt->request = *request;
    pkt->request.address = pkt->address = line->address;
    pkt->request.bytes_used = (uint16_t)gpci_transaction_bytes(line);
    pkt->request.sector_mask = timed->hierarchy->l1_level.sectors_of[line->segments];
    if (request->kind == GPC_STORE) {
        pkt->request.byte_mask[0] = line->bytes[0];
        pkt->request.byte_mask[1] = line->bytes[1];
    }
    if (request->kind != GPC_LOAD ||
        timed->hierarchy->coherent) { /* for a load of plain caches, segments say the bytes read */
        pkt->bytes[0] = line->bytes[0];
        pkt->bytes[1] = line->bytes[1];
    }
    pkt->line.inflight = inflight;
    pkt->segments = line->segments;
    pkt->line.kind = request->kind;
    pkt->line.fetched = line->asks;
    pkt->line.marks = 0;
    pkt->level = 1;
    pkt->flags = (uint8_t)((last ? GPCI_PACKET_LAST : 0) | (line->follows ? GPCI_PACKET_FOLLOWS : 0));
    if (lines->given || GPCI_UNLIKELY(timed->hierarchy->sector_packets)) { /* each packet takes a turn at the tags */
        pkt->request.continues = line->follows;
        pkt->flags &= (uint8_t)~GPCI_PACKET_FOLLOWS;
    }
    if (GPCI_UNLIKELY(shares_lines(timed->hierarchy)) && !lines->given &&
        (line->follows || (!last && lines->each[i + 1].follows)))
        gpci_coherent_share_line(timed, pkt, line->follows ? gpci_packet_at(&timed->pool, queue->last) : NULL);
    GPCI_AGAIN(gpci_access_count_again(timed->hierarchy, &pkt->request, line));
    gpci_queue_append(queue, &timed->pool, timed->wheel.now, number);
}

static bool is_atomic(uint8_t kind) {
    return kind == GPC_ATOMIC || kind == GPC_REDUCTION;
}

static GPCI_COLD gpc_status reserve_values(gpci_timed *timed, const gpc_warp_access *access) {
    const gpc_status status = gpci_kept_reserve(timed);
    if (status < 0)
        return status;
    return timed->values ? gpci_plain_values_reserve(timed, access) : gpci_coherent_values_reserve(timed, access);
}

static GPCI_COLD void keep_values(gpci_timed *timed, uint32_t inflight, const gpc_warp_access *access) {
    gpci_kept_keep(timed, inflight, access);
    (timed->values ? gpci_plain_values_keep : gpci_coherent_values_keep)(timed, inflight, access);
}

static bool is_ordered(const gpc_hierarchy *hierarchy, const gpc_warp_access *access) {
    return access->order > GPC_ORDER_RELAXED && gpci_scope_is_wide(access->scope) && !hierarchy->lane_packets;
}

_Static_assert(GPCI_INSTRUCTION_LINES >= GPCI_MAX_TRANSACTIONS / 2, "a line of several blocks is several transactions");

GPCI_INLINE gpc_status make_ready(gpci_timed *timed, bool ordered) {
    gpc_status status = gpci_reserve_inflights(timed, GPCI_MAX_TRANSACTIONS);
    if (GPCI_UNLIKELY(ordered) && status == GPC_OK)
        status = gpci_make_inflights(timed, 2);
    if (GPCI_UNLIKELY(shares_lines(timed->hierarchy)) && status == GPC_OK)
        status = gpci_engine_make_lines(gpci_engine_of(timed), GPCI_INSTRUCTION_LINES) ? GPC_OK : GPC_ERROR_MEMORY;
    return status;
}

/* Queue the lines of one access: `from` to `to` - 1. */
GPCI_INLINE void queue_access(gpci_timed *timed, gpci_queue *queue, const gpc_warp_access *access, gpc_request *request,
                              const issued_lines *lines, uint32_t from, uint32_t to, uint32_t inflight) {
    gpci_ctrl *ctrl = &timed->l1[access->sm];
    const bool counts_turns = is_atomic(access->kind) && gpci_atomics_are_limited(timed);
    request->cycle = timed->wheel.now;
    ctrl->reads_anew |= gpci_reads_anew(request);
    GPCI_AGAIN(timed->hierarchy->of_sm[access->sm].again.l1_copy_requests += request->copy == GPC_COPY_ASYNC);
    if (GPCI_UNLIKELY(timed->hierarchy->observer != NULL))
        gpci_l1_observe_issue(timed, request);
    for (uint32_t i = from; i < to; i++) {
        queue_line(timed, queue, request, lines, i, inflight);
        if (GPCI_UNLIKELY(gpci_part_is_there(ctrl, GPCI_PART_PREFETCH)))
            gpci_prefetch_note(timed, queue->last, access, i - from);
        if (GPCI_UNLIKELY(counts_turns))
            gpci_packet_at(&timed->pool, queue->last)->turns = lines->given
                                                                   ? gpci_atomic_turns_of_words(timed, &lines->each[i])
                                                                   : gpci_atomic_turns(timed, access, &lines->each[i]);
        if (GPCI_UNLIKELY(timed->hierarchy->with_data) && !timed->values)
            gpci_coherent_values_take(timed, queue->last, access);
    }
}

static GPCI_NOINLINE void queue_second(gpci_timed *timed, gpci_queue *queue, const gpc_warp_access *access,
                                       gpc_request *request, const issued_lines *lines, uint32_t inflight) {
    queue_access(timed, queue, access, request, lines, lines->first, lines->count, inflight);
}

/*
 * Queue an access before the tags; if ordered and a release, behind a fence. A second access follows `access`, and a
 * second request follows `request`.
 */
GPCI_INLINE void queue_lines(gpci_timed *timed, const gpc_warp_access *access, gpc_request *request,
                             const issued_lines *lines, uint64_t token, bool framed, bool ordered, uint32_t fence) {
    gpc_hierarchy *hierarchy = timed->hierarchy;
    gpci_ctrl *ctrl = &timed->l1[access->sm];
    gpci_queue *queue = gpci_l1_entrance(ctrl, access->warp);
    const uint32_t inflight = gpci_take_inflight(timed, access->sm, access->warp, access->kind, token, lines->count);
    timed->inflights[inflight].framed = framed;
    ctrl->reads_anew &= ctrl->sm.waiting != 0;
    if (GPCI_UNLIKELY(timed->data_banks.count) && (access->kind == GPC_LOAD || access->kind == GPC_STORE))
        timed->inflights[inflight].turns =
            (uint16_t)(lines->by_lanes ? gpci_data_turns_of_lanes(&timed->data_banks, access, lines->range, lines->each,
                                                                  lines->count)
                                       : gpci_data_turns(&timed->data_banks, lines->each, lines->count));
    if (GPCI_UNLIKELY(hierarchy->with_data))
        keep_values(timed, inflight, access);
    queue_access(timed, queue, access, request, lines, 0, lines->first, inflight);
    if (GPCI_UNLIKELY(lines->first < lines->count))
        queue_second(timed, queue, access + 1, request + 1, lines, inflight);
    gpci_queue_pushed(queue, &timed->pool, timed->wheel.now);
    gpci_log_issue(timed, queue, inflight, lines->count, lines->segments);
    gpci_ctrl_waits(ctrl, timed->wheel.now);
    gpci_wheel_wake(&timed->wheel, ctrl->component, timed->wheel.now);
    if (GPCI_UNLIKELY(ordered))
        gpci_fence_around(timed, access, inflight, lines->count, fence);
}

static gpc_status issue(gpci_timed *timed, const gpc_warp_access *access, uint32_t range, uint64_t token, bool framed) {
    gpc_hierarchy *hierarchy = timed->hierarchy;
    gpci_transaction each[GPCI_MAX_TRANSACTIONS];
    issued_lines lines = {.each = each, .by_lanes = !access->local_offsets, .range = range != 0};
    gpc_request request;
    const bool ordered = is_ordered(hierarchy, access);
    gpc_status status = make_ready(timed, ordered);
    if (status == GPC_OK && GPCI_UNLIKELY(hierarchy->with_data))
        status = reserve_values(timed, access);
    if (status < 0)
        return status;
    const uint32_t fence = GPCI_UNLIKELY(ordered) ? gpci_fence_before(timed, access) : UINT32_MAX;
    gpci_count_instruction(hierarchy, access->sm, access->mask);
    GPCI_AGAIN(hierarchy->of_sm[access->sm].again.thread_instructions += gpci_popcount(access->mask));
    lines.first = lines.count = gpci_access_lines(hierarchy, access, range, each, &request, &lines.segments);
    queue_lines(timed, access, &request, &lines, token, framed, ordered, fence);
    return GPC_OK;
}

gpc_status gpci_issue_given(gpci_timed *timed, const gpc_warp_access *access, gpci_transaction *each, uint32_t count,
                            uint64_t token) {
    gpc_hierarchy *hierarchy = timed->hierarchy;
    issued_lines lines = {.each = each, .count = count, .first = count, .given = true};
    gpc_request request;
    const bool ordered = is_ordered(hierarchy, access);
    const gpc_status status = make_ready(timed, ordered);
    if (status < 0)
        return status;
    const uint32_t fence = ordered ? gpci_fence_before(timed, access) : UINT32_MAX;
    gpci_count_instruction(hierarchy, access->sm, 0);
    GPCI_AGAIN(hierarchy->of_sm[access->sm].again.thread_instructions += gpci_popcount(0));
    gpci_given_lines(hierarchy, access, each, count, &request, &lines.segments);
    queue_lines(timed, access, &request, &lines, token, false, ordered, fence);
    return GPC_OK;
}

gpc_status gpci_refuse(gpci_ctrl *ctrl, gpc_busy reason, gpc_busy *out_busy) {
    ctrl->sm.refused = true;
    if (out_busy)
        *out_busy = reason;
    return GPC_BUSY;
}

gpc_status gpci_timed_refuse(gpc_hierarchy *hierarchy, uint32_t sm, gpc_busy *busy) {
    return gpci_refuse(&gpci_timed_of_sm(hierarchy->timed, sm)->l1[sm], GPC_BUSY_PIPELINE, busy);
}

gpc_busy gpci_timed_busy(const gpc_hierarchy *hierarchy, uint32_t sm) {
    const gpci_ctrl *ctrl = &hierarchy->timed->l1[sm];
    return gpci_l1_has_place(hierarchy->timed, ctrl) ? GPC_BUSY_NOT : gpci_l1_busy(ctrl);
}

gpci_l1_waits gpci_timed_l1_waits(const gpc_hierarchy *hierarchy, uint32_t sm, uint64_t cycle) {
    const gpci_ctrl *ctrl = &hierarchy->timed->l1[sm];
    return (gpci_l1_waits){gpci_ctrl_stalls(ctrl, GPC_BUSY_LINE, cycle),
                           gpci_ctrl_stalls(ctrl, GPC_BUSY_MSHR, cycle) +
                               gpci_ctrl_stalls(ctrl, GPC_BUSY_MERGE, cycle)};
}

gpc_status gpci_timed_issue(gpc_hierarchy *hierarchy, const gpc_warp_access *access, uint32_t range, uint64_t token,
                            gpc_busy *busy) {
    gpci_timed *timed = gpci_timed_of_sm(hierarchy->timed, access->sm);
    gpci_ctrl *ctrl = &timed->l1[access->sm];
    if (GPCI_UNLIKELY(access->copy == GPC_COPY_BULK))
        return gpci_copy_issue(
            timed, &(gpci_copy_asked){.access = access, .tokens = &token, .framed = true, .targets = 1}, busy);
    if (!gpci_l1_has_place(timed, ctrl))
        return gpci_refuse(ctrl, gpci_l1_busy(ctrl), busy);
    *busy = GPC_BUSY_NOT;
    if (GPCI_UNLIKELY(access->space == GPC_SPACE_CONSTANT))
        return gpci_constants_issue(timed, access, token, true);
    return issue(timed, access, range, token, true);
}

gpc_status gpci_timed_issue_both(gpc_hierarchy *hierarchy, const gpc_warp_access accesses[2], uint64_t others,
                                 uint64_t token, gpc_busy *busy) {
    const gpc_warp_access *access = &accesses[0];
    gpci_timed *timed = gpci_timed_of_sm(hierarchy->timed, access->sm);
    if (!gpci_l1_has_place(timed, &timed->l1[access->sm]))
        return gpci_refuse(&timed->l1[access->sm], gpci_l1_busy(&timed->l1[access->sm]), busy);
    *busy = GPC_BUSY_NOT;
    gpci_transaction each[GPCI_MAX_TRANSACTIONS];
    issued_lines lines = {.each = each, .given = false};
    gpc_request requests[2];
    uint32_t segments;
    gpc_status status = make_ready(timed, false);
    for (uint32_t n = 0; n < 2 && hierarchy->with_data && status == GPC_OK; n++)
        status = reserve_values(timed, &accesses[n]);
    if (status < 0)
        return status;
    gpci_count_instruction(hierarchy, access->sm, access->mask | accesses[1].mask | others);
    GPCI_AGAIN(hierarchy->of_sm[access->sm].again.thread_instructions +=
               gpci_popcount(access->mask | accesses[1].mask | others));
    lines.first = gpci_access_lines(hierarchy, access, 0, each, &requests[0], &lines.segments);
    lines.count =
        lines.first + gpci_access_lines(hierarchy, access + 1, 0, each + lines.first, &requests[1], &segments);
    lines.segments += segments;
    queue_lines(timed, access, requests, &lines, token, true, false, UINT32_MAX);
    return GPC_OK;
}

gpc_status gpci_timed_multicast(gpc_hierarchy *hierarchy, const gpc_warp_access *access, const uint64_t *tokens,
                                gpc_busy *busy) {
    return gpci_copy_issue(gpci_timed_of_sm(hierarchy->timed, access->sm),
                           &(gpci_copy_asked){.access = access,
                                              .tokens = tokens,
                                              .token_per_sm = true,
                                              .framed = true,
                                              .targets = access->multicast_count},
                           busy);
}

/* Issue a host's bulk copy. A multicast to other L1s needs a single thread. */
static gpc_status issue_copy(gpci_timed *timed, const gpc_warp_access *access, uint64_t token, gpc_busy *busy) {
    const gpci_copy_asked asked = {
        .access = access, .tokens = &token, .targets = gpci_is_multicast(access) ? access->multicast_count : 1};
    if (gpci_is_multicast(access))
        gpci_timed_keep_alone(timed->hierarchy, true);
    return gpci_copy_issue(timed, &asked, busy);
}

/* Complete an access without modelled memory at once. */
static void complete_at_once(gpci_timed *timed, const gpc_warp_access *access, uint64_t token) {
    gpc_completion completion = {.token = token,
                                 .issued = timed->wheel.now,
                                 .cycle = timed->wheel.now,
                                 .sm = access->sm,
                                 .warp = access->warp,
                                 .kind = access->kind,
                                 .level = 1};
    gpci_count_instruction(timed->hierarchy, access->sm, access->mask);
    GPCI_AGAIN(timed->hierarchy->of_sm[access->sm].again.thread_instructions += gpci_popcount(access->mask));
    timed->taken++;
    timed->ended++;
    gpci_stage_times_at_once(timed, &completion);
    if (!timed->callbacks.on_complete)
        return;
    timed->hierarchy->called_back = true;
    timed->callbacks.on_complete(timed->callbacks.user_data, &completion);
    timed->hierarchy->called_back = false;
}

/* End an issue: after a failure, describe the failure in `error`. */
GPCI_INLINE gpc_status end_issue(gpc_status status, gpc_error *error) {
    return GPCI_LIKELY(status >= 0) ? status : gpci_fail_by_status(error, status, "gpc_hierarchy_try_issue");
}

gpc_status gpci_timed_try_issue(gpc_hierarchy *hierarchy, const gpc_warp_access *access, uint64_t token,
                                gpc_busy *out_busy, gpc_error *error) {
    gpc_warp_access warp_access;
    gpc_status status = gpci_access_take(access, error, &warp_access);
    if (status == GPC_OK)
        status = gpci_access_check(hierarchy, &warp_access, error);
    if (status < 0)
        return status;
    gpci_timed *timed = gpci_timed_of_sm(hierarchy->timed, warp_access.sm);
    gpci_ctrl *ctrl = &timed->l1[warp_access.sm];
    const bool constant =
        GPCI_UNLIKELY(warp_access.space > GPC_SPACE_LOCAL) && gpci_reads_constants(hierarchy, &warp_access);
    if (!warp_access.mask || (warp_access.space > GPC_SPACE_LOCAL && !constant))
        complete_at_once(timed, &warp_access, token);
    else if (GPCI_UNLIKELY(warp_access.copy == GPC_COPY_BULK))
        return end_issue(issue_copy(timed, &warp_access, token, out_busy), error);
    else if (!gpci_l1_has_place(timed, ctrl))
        return gpci_refuse(ctrl, gpci_l1_busy(ctrl), out_busy);
    else
        status = constant ? gpci_constants_issue(timed, &warp_access, token, false)
                          : issue(timed, &warp_access, 0, token, false);
    if (status == GPC_OK && out_busy)
        *out_busy = GPC_BUSY_NOT;
    return end_issue(status, error);
}
