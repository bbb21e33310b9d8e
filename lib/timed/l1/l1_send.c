/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/l1/l1_send.h"

#include "level/rules/level_count.h"
#include "level/rules/level_rules.h"
#include "timed/core/event_log.h"
#include "timed/l1/combine.h"

/* Packets from an L1 to below: reads of MSHR entries, other requests, write-backs; combined or alone. */

/* Send a request without combining; earlier waiting requests leave first. */
GPCI_INLINE void leave_alone(gpci_timed *t, gpci_ctrl *ctrl, uint32_t packet, uint32_t cycles) {
    if (gpci_part_is_active(ctrl, GPCI_PART_COMBINE))
        gpci_combine_flush(t, ctrl);
    gpci_l1_queue_miss(t, ctrl, packet, cycles);
}

static void combine_store(gpci_timed *t, gpci_ctrl *ctrl, uint32_t packet, const gpci_packet *p, uint32_t cycles) {
    const gpci_combine_asked asked = {p->address, p->request.warp, p->line.inflight, p->request.policy_word,
                                      GPCI_COMBINE_WRITE};
    const uint32_t mshr_entry = gpci_combine_find(t, ctrl, &asked);
    if (mshr_entry == GPCI_NO_PACKET)
        gpci_combine_hold(t, ctrl, packet, GPCI_COMBINE_WRITE, cycles);
    else
        gpci_combine_join(t, ctrl, mshr_entry, packet);
    GPCI_AGAIN(ctrl->counts.combined_again += mshr_entry != GPCI_NO_PACKET);
}

/* True if other requests of the line may join a fetch: a load without special fields. */
static bool is_combined(const gpci_timed *t, const gpci_ctrl *ctrl, const gpci_fetch_request *asked) {
    if (!gpci_combine_of(ctrl))
        return false;
    const gpci_packet *p = gpci_packet_at(&t->pool, asked->packet),
                      *mshr_target = gpci_packet_at(&t->pool, asked->mshr_target);
    return !asked->declined && p->request.kind == GPC_LOAD && !p->request.admitted &&
           p->request.token != GPC_TOKEN_NONE && p->request.token_l2 != GPC_TOKEN_NONE &&
           mshr_target->line.inflight != UINT32_MAX;
}

/* Copy of a packet as an independent packet, not part of an access. */
uint32_t gpci_l1_copy(gpci_timed *t, uint32_t packet, gpci_packet_type type) {
    uint32_t copy = gpci_pool_take(&t->pool);
    gpci_packet *c = gpci_packet_at(&t->pool, copy);
    *c = *gpci_packet_at(&t->pool, packet);
    c->type = (uint8_t)type;
    c->line.inflight = UINT32_MAX;
    c->born = t->wheel.now;
    return copy;
}

/* Add segments to a read. Sectors now complete are fetched whole, and the MSHR entry has whole sectors in flight. */
static void grow(gpci_timed *t, const gpci_ctrl *ctrl, gpci_packet *read, uint8_t segments) {
    const gpci_level *level = ctrl->line;
    const uint8_t before = gpci_whole_sectors(level, read->segments);
    read->segments |= segments;
    read->line.fetched = level->sectors_of[read->segments];
    const uint8_t joined = gpci_whole_sectors(level, read->segments) & (uint8_t) ~(before | segments);
    if (GPCI_LIKELY(!joined))
        return;
    gpci_packet *entry = gpci_packet_at(&t->pool, gpci_mshr_of_fetch(t, ctrl, read));
    const uint8_t whole = gpci_whole_sectors(level, read->segments) & (uint8_t)~before;
    entry->mshr.whole |= whole;
    entry->mshr.part &= (uint8_t)~whole;
}

/* Join the fetch of other sectors of the line, if not yet sent. */
static bool joins_fetch(gpci_timed *t, gpci_ctrl *ctrl, const gpci_fetch_request *asked, gpci_combine_kind kind) {
    const gpci_packet *p = gpci_packet_at(&t->pool, asked->packet),
                      *mshr_target = gpci_packet_at(&t->pool, asked->mshr_target);
    const gpci_combine_asked own = {p->address, p->request.warp, mshr_target->line.inflight, asked->word, kind};
    const uint32_t mshr_entry = gpci_combine_find(t, ctrl, &own);
    if (mshr_entry == GPCI_NO_PACKET)
        return false;
    gpci_packet *l = gpci_packet_at(&t->pool, mshr_entry);
    if (GPCI_UNLIKELY(l->entry != asked->entry)) /* the line was replaced; the line's entry is a new entry */
        return false;
    gpci_combine_of(ctrl)->joined++;
    gpci_count_l1_grows(t->h, &p->request, l->segments, l->segments | asked->segments);
    grow(t, ctrl, l, asked->segments);
    if (asked->packet != asked->mshr_target)
        gpci_pool_give(&t->pool, asked->packet);
    return true;
}

void gpci_l1_send_fetch(gpci_timed *t, gpci_ctrl *ctrl, const gpci_fetch_request *asked) {
    bool itself = asked->packet != asked->mshr_target, cached = asked->cached;
    const uint32_t cycles = cached ? t->miss_latency : t->bypass_latency;
    const gpci_combine_kind kind = cached ? GPCI_COMBINE_READ : GPCI_COMBINE_PASSING;
    const bool combined = is_combined(t, ctrl, asked);
    if (combined && joins_fetch(t, ctrl, asked, kind)) {
        GPCI_AGAIN(ctrl->counts.combined_again++);
        return;
    }
    uint32_t fetch = itself ? asked->packet : gpci_l1_copy(t, asked->packet, GPCI_READ);
    gpci_packet *f = gpci_packet_at(&t->pool, fetch);
    f->segments = asked->segments;
    f->line.fetched = t->h->l1_level.sectors_of[f->segments];
    f->type = GPCI_READ;
    f->line.inflight = UINT32_MAX;
    f->born = t->wheel.now;
    f->flags = GPCI_PACKET_FETCH;
    f->line.marks =
        (uint8_t)((cached ? 0 : GPCI_MARK_PASSES) | (asked->declined ? GPCI_MARK_DECLINED : 0) |
                  (f->request.admitted ? GPCI_MARK_ADMITTED : 0) | f->request.token << GPCI_MARK_TOKEN_SHIFT |
                  ctrl->fences.generation << GPCI_MARK_GENERATION_SHIFT);
    ctrl->fences.fetches[ctrl->fences.generation]++;
    if (!cached && ctrl->cache->predictor_ops->on_reply)
        gpci_open_l1_bypass(t->h, ctrl->index);
    f->line.mshr_target = asked->mshr_target;
    f->entry = asked->entry;
    gpci_l1_ask_read(&f->request, asked->word);
    gpci_count_l1_asked(t->h, &f->request, f->segments);
    if (gpci_lrc_of(ctrl))
        gpci_lrc_expect(gpci_lrc_of(ctrl), ctrl->index, f->address);
    if (combined)
        gpci_combine_hold(t, ctrl, fetch, kind, cycles);
    else
        leave_alone(t, ctrl, fetch, cycles);
    gpci_log_new_packet(t, GPC_WHAT_FETCH, ctrl, fetch, f, f->line.marks & GPCI_MARK_PASSES);
}

/* A dirty line is evicted: send the bytes below; no access waits. */
void gpci_l1_evicted(gpci_timed *t, gpci_ctrl *ctrl, const gpc_eviction *eviction) {
    gpc_request request;
    if (gpci_parts_at(ctrl, GPCI_AT_EVICT))
        gpci_parts_evicted(ctrl, eviction);
    if (!gpci_l1_line_left(t->h, ctrl->index, eviction, &request))
        return;
    uint32_t packet = gpci_pool_take(&t->pool);
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    *p = (gpci_packet){.request = request,
                       .address = eviction->line_address,
                       .born = t->wheel.now,
                       .line = {.inflight = UINT32_MAX},
                       .segments = gpci_segments_of(eviction->dirty_bytes),
                       .type = GPCI_WRITE,
                       .flags = GPCI_PACKET_POSTED};
    p->bytes[0] = eviction->dirty_bytes[0];
    p->bytes[1] = eviction->dirty_bytes[1];
    gpci_log_new_packet(t, GPC_WHAT_WRITE_BACK, ctrl, packet, NULL, false);
    leave_alone(t, ctrl, packet, t->miss_latency);
}

void gpci_l1_send_itself(gpci_timed *t, gpci_ctrl *ctrl, uint32_t packet, gpci_packet_type type) {
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    p->type = (uint8_t)type;
    p->born = t->wheel.now;
    gpci_l1_goes_itself(&p->request);
    gpci_log_queued(t, ctrl, p, type == GPCI_READ);
    const bool through = type == GPCI_WRITE && gpci_l1_for(t->h, p->request.sm, p->request.space);
    const uint32_t cycles = through ? t->miss_latency : t->bypass_latency;
    if (gpci_combine_of(ctrl) && type == GPCI_WRITE)
        combine_store(t, ctrl, packet, p, cycles);
    else
        leave_alone(t, ctrl, packet, cycles);
}

/* Fetch the remaining sectors of a fetch. */
void gpci_l1_send_rest(gpci_timed *t, gpci_ctrl *ctrl, uint32_t fetch) {
    gpci_packet *f = gpci_packet_at(&t->pool, fetch);
    f->segments = t->h->l1_level.segments_of[f->line.fetched] & (uint8_t)~f->segments;
    f->type = GPCI_READ;
    f->line.marks |= GPCI_MARK_VERIFIED;
    f->request.policy_word = 0;
    gpci_log_event(t, GPC_WHAT_QUEUE, ctrl, f, 0);
    gpci_count_l1_asked(t->h, &f->request, f->segments);
    gpci_l1_queue_miss(t, ctrl, fetch, 0);
}
