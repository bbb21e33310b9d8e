/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/l1/l1_send.h"

#include "level/rules/level_count.h"
#include "level/rules/level_rules.h"
#include "timed/core/event_log.h"
#include "timed/l1/combine.h"

/* Packets from an L1 to below: reads of MSHR entries, other requests, write-backs; combined or alone. */

/* Send a request without combining; earlier waiting requests leave first. */
GPCI_INLINE void leave_alone(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, uint32_t cycles) {
    if (gpci_part_is_active(ctrl, GPCI_PART_COMBINE))
        gpci_combine_flush(timed, ctrl);
    gpci_l1_queue_miss(timed, ctrl, packet, cycles);
}

static void combine_store(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, const gpci_packet *pkt,
                          uint32_t cycles) {
    const gpci_combine_asked asked = {pkt->address, pkt->request.warp, pkt->line.inflight, pkt->request.policy_word,
                                      GPCI_COMBINE_WRITE};
    const uint32_t mshr_entry = gpci_combine_find(timed, ctrl, &asked);
    if (mshr_entry == GPCI_NO_PACKET)
        gpci_combine_hold(timed, ctrl, packet, GPCI_COMBINE_WRITE, cycles);
    else
        gpci_combine_join(timed, ctrl, mshr_entry, packet);
    GPCI_AGAIN(ctrl->counts.combined_again += mshr_entry != GPCI_NO_PACKET);
}

/* True if other requests of the line may join a fetch: a load without special fields. */
static bool is_combined(const gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_fetch_request *asked) {
    if (!gpci_combine_of(ctrl))
        return false;
    const gpci_packet *pkt = gpci_packet_at(&timed->pool, asked->packet),
                      *mshr_target = gpci_packet_at(&timed->pool, asked->mshr_target);
    return !asked->declined && pkt->request.kind == GPC_LOAD && !pkt->request.admitted &&
           pkt->request.token != GPC_TOKEN_NONE && pkt->request.token_l2 != GPC_TOKEN_NONE &&
           mshr_target->line.inflight != UINT32_MAX;
}

/* Copy of a packet as an independent packet, not part of an access. */
uint32_t gpci_l1_copy(gpci_timed *timed, uint32_t packet, gpci_packet_type type) {
    uint32_t copy = gpci_pool_take(&timed->pool);
    gpci_packet *c = gpci_packet_at(&timed->pool, copy);
    *c = *gpci_packet_at(&timed->pool, packet);
    c->type = (uint8_t)type;
    c->line.inflight = UINT32_MAX;
    c->born = timed->wheel.now;
    return copy;
}

/* Add segments to a read. Sectors now complete are fetched whole, and the MSHR entry has whole sectors in flight. */
static void grow(gpci_timed *timed, const gpci_ctrl *ctrl, gpci_packet *read, uint8_t segments) {
    const gpci_level *level = ctrl->line;
    const uint8_t before = gpci_full_sectors(level, read->segments);
    read->segments |= segments;
    read->line.fetched = level->sectors_of[read->segments];
    const uint8_t joined = gpci_full_sectors(level, read->segments) & (uint8_t) ~(before | segments);
    if (GPCI_LIKELY(!joined))
        return;
    gpci_packet *entry = gpci_packet_at(&timed->pool, gpci_mshr_of_fetch(timed, ctrl, read));
    const uint8_t full_sectors = gpci_full_sectors(level, read->segments) & (uint8_t)~before;
    entry->mshr.full_sectors |= full_sectors;
    entry->mshr.other_segments &= (uint8_t)~full_sectors;
}

/* Join the fetch of other sectors of the line, if not yet sent. */
static bool joins_fetch(gpci_timed *timed, gpci_ctrl *ctrl, const gpci_fetch_request *asked, gpci_combine_kind kind) {
    const gpci_packet *pkt = gpci_packet_at(&timed->pool, asked->packet),
                      *mshr_target = gpci_packet_at(&timed->pool, asked->mshr_target);
    const gpci_combine_asked own = {pkt->address, pkt->request.warp, mshr_target->line.inflight, asked->word, kind};
    const uint32_t mshr_entry = gpci_combine_find(timed, ctrl, &own);
    if (mshr_entry == GPCI_NO_PACKET)
        return false;
    gpci_packet *entry = gpci_packet_at(&timed->pool, mshr_entry);
    if (GPCI_UNLIKELY(entry->entry != asked->entry)) /* the line was replaced; the line's entry is a new entry */
        return false;
    gpci_combine_of(ctrl)->joined++;
    gpci_count_l1_grows(timed->hierarchy, &pkt->request, entry->segments, entry->segments | asked->segments);
    grow(timed, ctrl, entry, asked->segments);
    if (asked->packet != asked->mshr_target)
        gpci_pool_give(&timed->pool, asked->packet);
    return true;
}

void gpci_l1_send_fetch(gpci_timed *timed, gpci_ctrl *ctrl, const gpci_fetch_request *asked) {
    bool itself = asked->packet != asked->mshr_target, cached = asked->cached;
    const uint32_t cycles = cached ? timed->miss_latency : timed->bypass_latency;
    const gpci_combine_kind kind = cached ? GPCI_COMBINE_READ : GPCI_COMBINE_PASSING;
    const bool combined = is_combined(timed, ctrl, asked);
    if (combined && joins_fetch(timed, ctrl, asked, kind)) {
        GPCI_AGAIN(ctrl->counts.combined_again++);
        return;
    }
    uint32_t fetch = itself ? asked->packet : gpci_l1_copy(timed, asked->packet, GPCI_READ);
    gpci_packet *fetched = gpci_packet_at(&timed->pool, fetch);
    fetched->segments = asked->segments;
    fetched->line.fetched = timed->hierarchy->l1_level.sectors_of[fetched->segments];
    fetched->type = GPCI_READ;
    fetched->line.inflight = UINT32_MAX;
    fetched->born = timed->wheel.now;
    fetched->flags = GPCI_PACKET_FETCH;
    fetched->line.marks = (uint8_t)((cached ? 0 : GPCI_MARK_PASSES) | (asked->declined ? GPCI_MARK_DECLINED : 0) |
                                    (fetched->request.admitted ? GPCI_MARK_ADMITTED : 0) |
                                    fetched->request.token << GPCI_MARK_TOKEN_SHIFT |
                                    ctrl->fences.generation << GPCI_MARK_GENERATION_SHIFT);
    ctrl->fences.fetches[ctrl->fences.generation]++;
    if (!cached && ctrl->cache->predictor_ops->on_reply)
        gpci_open_l1_bypass(timed->hierarchy, ctrl->index);
    fetched->line.mshr_target = asked->mshr_target;
    fetched->entry = asked->entry;
    gpci_l1_ask_read(&fetched->request, asked->word);
    gpci_count_l1_sent(timed->hierarchy, &fetched->request, fetched->segments);
    if (gpci_lrc_of(ctrl))
        gpci_lrc_expect(gpci_lrc_of(ctrl), ctrl->index, fetched->address);
    if (combined)
        gpci_combine_hold(timed, ctrl, fetch, kind, cycles);
    else
        leave_alone(timed, ctrl, fetch, cycles);
    gpci_log_new_packet(timed, GPC_WHAT_FETCH, ctrl, fetch, fetched, fetched->line.marks & GPCI_MARK_PASSES);
}

/* A dirty line is evicted: send the bytes below; no access waits. */
void gpci_l1_evicted(gpci_timed *timed, gpci_ctrl *ctrl, const gpc_eviction *eviction) {
    gpc_request request;
    if (gpci_parts_at(ctrl, GPCI_AT_EVICT))
        gpci_parts_evicted(ctrl, eviction);
    if (!gpci_l1_line_left(timed->hierarchy, ctrl->index, eviction, &request))
        return;
    uint32_t packet = gpci_pool_take(&timed->pool);
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    *pkt = (gpci_packet){.request = request,
                         .address = eviction->line_address,
                         .born = timed->wheel.now,
                         .line = {.inflight = UINT32_MAX},
                         .segments = gpci_segments_of(eviction->dirty_bytes),
                         .type = GPCI_WRITE,
                         .flags = GPCI_PACKET_POSTED};
    pkt->bytes[0] = eviction->dirty_bytes[0];
    pkt->bytes[1] = eviction->dirty_bytes[1];
    gpci_log_new_packet(timed, GPC_WHAT_WRITE_BACK, ctrl, packet, NULL, false);
    leave_alone(timed, ctrl, packet, timed->miss_latency);
}

void gpci_l1_send_itself(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, gpci_packet_type type) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    pkt->type = (uint8_t)type;
    pkt->born = timed->wheel.now;
    gpci_l1_goes_itself(&pkt->request);
    gpci_log_queued(timed, ctrl, pkt, type == GPCI_READ);
    const bool through = type == GPCI_WRITE && gpci_l1_for(timed->hierarchy, pkt->request.sm, pkt->request.space);
    const uint32_t cycles = through ? timed->miss_latency : timed->bypass_latency;
    if (gpci_combine_of(ctrl) && type == GPCI_WRITE)
        combine_store(timed, ctrl, packet, pkt, cycles);
    else
        leave_alone(timed, ctrl, packet, cycles);
}

/* Fetch the remaining sectors of a fetch. */
void gpci_l1_send_rest(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t fetch) {
    gpci_packet *fetched = gpci_packet_at(&timed->pool, fetch);
    fetched->segments = timed->hierarchy->l1_level.segments_of[fetched->line.fetched] & (uint8_t)~fetched->segments;
    fetched->type = GPCI_READ;
    fetched->line.marks |= GPCI_MARK_VERIFIED;
    fetched->request.policy_word = 0;
    gpci_log_event(timed, GPC_WHAT_QUEUE, ctrl, fetched, 0);
    gpci_count_l1_sent(timed->hierarchy, &fetched->request, fetched->segments);
    gpci_l1_queue_miss(timed, ctrl, fetch, 0);
}
