/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/l1/l1_below.h"

#include "base/check.h"
#include "level/rules/level_count.h"
#include "level/rules/level_rules.h"
#include "timed/core/gl1_ctrl.h"
#include "timed/core/kept_access.h"
#include "timed/core/mshr_table.h"
#include "timed/core/stage_times.h"
#include "timed/core/timed.h"
#include "timed/ctrl/constant_cache.h"
#include "timed/ctrl/data_banks.h"
#include "timed/ctrl/plain_values.h"
#include "timed/l1/combine.h"
#include "timed/l1/multicast.h"
#include "timed/l1/replies.h"

/* An L1 and the levels below: packets sent, replies filled, and the accesses that replies complete. */

/* Packets to below: reads of MSHR entries, other requests, write-backs; combined or alone. */

/* Send a request without combining; earlier waiting requests leave first. */
GPCI_INLINE void leave_alone(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, uint32_t cycles) {
    if (gpci_part_is_active(ctrl, GPCI_PART_COMBINE))
        gpci_combine_flush(timed, ctrl);
    gpci_l1_queue_miss(timed, ctrl, packet, cycles);
}

static void combine_store(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, const gpci_packet *pkt,
                          uint32_t cycles) {
    const gpci_combine_asked asked = {pkt->address, pkt->request.warp, pkt->line.inflight,
                                      pkt->request.policy.policy_word, GPCI_COMBINE_WRITE};
    const uint32_t mshr_entry = gpci_combine_find(timed, ctrl, &asked);
    if (mshr_entry == GPCI_NO_PACKET)
        gpci_combine_hold(timed, ctrl, packet, GPCI_COMBINE_WRITE, cycles);
    else
        gpci_combine_join(timed, ctrl, mshr_entry, packet);
    GPCI_AGAIN(ctrl->counts.combined_again += mshr_entry != GPCI_NO_PACKET);
}

/* True if other requests of the line may join a fetch: of an access's load, not declined, admitted or without token. */
static bool is_combined(const gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_fetch_request *asked) {
    if (!gpci_part_is_there(ctrl, GPCI_PART_COMBINE))
        return false;
    const gpci_packet *pkt = gpci_packet_at(&timed->pool, asked->packet),
                      *mshr_target = gpci_packet_at(&timed->pool, asked->mshr_target);
    return !asked->declined && pkt->request.kind == GPC_LOAD && !pkt->request.policy.admitted &&
           pkt->request.policy.token != GPC_TOKEN_NONE && pkt->request.policy.token_l2 != GPC_TOKEN_NONE &&
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
static void grow(gpci_timed *timed, gpci_ctrl *ctrl, gpci_packet *read, uint8_t segments) {
    const gpci_level *level = ctrl->line;
    const uint8_t before = gpci_full_sectors(level, read->segments);
    read->segments |= segments;
    read->line.fetched = level->sectors_of[read->segments];
    const uint8_t joined = gpci_full_sectors(level, read->segments) & (uint8_t) ~(before | segments);
    if (GPCI_LIKELY(!joined))
        return;
    gpci_packet *entry = gpci_packet_at(&timed->pool, gpci_mshr_of_fetch(timed, ctrl, read));
    const uint8_t full_sectors = gpci_full_sectors(level, read->segments) & (uint8_t)~before;
    gpci_mshr_fly(ctrl, entry, entry->mshr.full_sectors | full_sectors,
                  entry->mshr.other_segments & (uint8_t)~full_sectors);
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
    gpci_combine_count(ctrl);
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
                                    (fetched->request.policy.admitted ? GPCI_MARK_ADMITTED : 0) |
                                    fetched->request.policy.token << GPCI_MARK_TOKEN_SHIFT |
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
    if (gpci_part_is_there(ctrl, GPCI_PART_COMBINE) && type == GPCI_WRITE)
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
    fetched->request.policy.policy_word = 0;
    gpci_log_event(timed, GPC_WHAT_QUEUE, ctrl, fetched, 0);
    gpci_count_l1_sent(timed->hierarchy, &fetched->request, fetched->segments);
    gpci_l1_queue_miss(timed, ctrl, fetch, 0);
}

/* The first read of a line leaves; a later read waits for the reply. */
static bool leaves(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet) {
    const gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    const uint64_t since = GPCI_UNLIKELY(gpci_reads_anew(&pkt->request)) ? gpci_fence_joins_since(timed, ctrl, pkt)
                                                                         : ctrl->fences.joins_since;
    if (pkt->type == GPCI_ATOMIC)
        gpci_lrc_changes(gpci_lrc_of(ctrl), ctrl->index, pkt->address);
    if (!(pkt->flags & GPCI_PACKET_FETCH) || !gpci_lrc_read(gpci_lrc_of(ctrl), packet, since))
        return false;
    gpci_log_event(timed, GPC_WHAT_JOIN, ctrl, pkt, 0);
    GPCI_AGAIN(ctrl->counts.merged_again += gpci_count_sectors(pkt->segments));
    ctrl->below.joined++;
    return true;
}

/* The way of an L1 to the coalescer, an object shared by SMs. */
const gpci_part_class gpci_lrc_part = {.levels = GPCI_OF_L1S, .leaves = leaves};

/* Replies on the way into an SM's L1 through the fill port: to MSHR entries, or to accesses. */

/* A reply passed on by a coalescer. */
typedef struct merged {
    gpci_timed *timed;
    uint32_t packet;
    uint32_t word;
    uint8_t level;
} merged;

/* A read that waited for another SM's read now has data too, and passes the fill port of the SM. */
static void hand(void *user_data, uint32_t packet) {
    const merged *m = user_data;
    gpci_timed *timed = m->timed;
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    gpci_ctrl *ctrl = &timed->l1[pkt->request.sm];
    pkt->type = GPCI_REPLY;
    pkt->level = m->level;
    pkt->request.policy.policy_word = m->word;
    pkt->path.size = timed->header + gpci_packet_bytes(pkt);
    ctrl->below.joined--;
    gpci_count_lrc_merge(timed->hierarchy, ctrl->index, gpci_count_sectors(pkt->segments));
    if (GPCI_UNLIKELY(timed->values != NULL))
        gpci_plain_shared(timed, m->packet, packet);
    gpci_queue_push(&ctrl->fills, &timed->pool, timed->wheel.now, packet);
    gpci_wheel_wake(&timed->wheel, ctrl->component, timed->wheel.now);
}

/* Fill the line of a returned fetch. */
static void keep(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet) {
    const gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    uint64_t address = pkt->address;
    uint8_t sectors = pkt->line.fetched, generation = pkt->line.marks >> GPCI_MARK_GENERATION_SHIFT;
    if (!(pkt->line.marks & GPCI_MARK_PASSES))
        gpci_count_l1_filled(timed->hierarchy, ctrl->index, pkt->segments);
    if (gpci_parts_at(ctrl, GPCI_AT_FILL))
        gpci_parts_fill(timed, ctrl, packet);
    else
        gpci_ctrl_fill(timed, ctrl, packet);
    ctrl->fences.fetches[generation]--;
    if (GPCI_UNLIKELY(generation != ctrl->fences.generation))
        gpci_fence_stale(ctrl, address, sectors);
}

static void take_reply(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    pkt->request.address = pkt->address; /* L2 has changed `request.address` and `request.priority` */
    pkt->request.priority = pkt->priority;
    bool read = pkt->type == GPCI_REPLY && (pkt->request.kind == GPC_LOAD || pkt->request.kind == GPC_PREFETCH);
    if (pkt->level == 3 && read) {
        gpci_count_round_trip(timed->hierarchy, ctrl->index, timed->wheel.now - pkt->born);
        GPCI_AGAIN(timed->hierarchy->of_sm[ctrl->index].again.round_trip_cycles += timed->wheel.now - pkt->born);
    }
    if (pkt->flags & GPCI_PACKET_FETCH) {
        pkt->request.sector_mask = pkt->line.fetched;
        pkt->request.policy.admitted = pkt->line.marks & GPCI_MARK_ADMITTED ? 1 : 0;
        pkt->request.policy.token = pkt->line.marks >> GPCI_MARK_TOKEN_SHIFT & 3; /* L2 used the field for a token */
        if (gpci_lrc_of(ctrl))
            gpci_lrc_reply(gpci_lrc_of(ctrl), packet, hand,
                           &(merged){timed, packet, pkt->request.policy.policy_word, pkt->level});
        if (GPCI_UNLIKELY(pkt->flags & GPCI_PACKET_CONSTANT)) {
            gpci_constants_fill(timed, ctrl, packet);
            return;
        }
        if (ctrl->cache->predictor_ops->on_reply && gpci_verify(timed, ctrl, packet))
            return;
        if (pkt->line.marks & GPCI_MARK_PASSES && gpci_is_counted(timed, pkt))
            gpci_count_l1_bypass(timed->hierarchy, ctrl->index, pkt->segments);
        keep(timed, ctrl, packet);
        return;
    }
    if (gpci_lrc_of(ctrl) && (pkt->request.kind == GPC_ATOMIC || pkt->request.kind == GPC_REDUCTION))
        gpci_lrc_changed(gpci_lrc_of(ctrl), ctrl->index, pkt->address, timed->wheel.now);
    if (pkt->line.inflight != UINT32_MAX) {
        if (pkt->request.kind == GPC_LOAD && pkt->level == 3 && pkt->line.missed &&
            pkt->request.copy != GPC_COPY_BULK) {
            gpci_count_l1_dram_line(timed->hierarchy, ctrl->index);
            GPCI_AGAIN(timed->hierarchy->of_sm[ctrl->index].again.l1_load_dram_lines++);
        }
        gpci_l1_answer(timed, ctrl, pkt, pkt->level);
    }
    if (GPCI_UNLIKELY(pkt->flags & GPCI_PACKET_JOINED))
        gpci_combine_done(timed, ctrl, pkt);
    gpci_pool_give(&timed->pool, packet);
}

static uint32_t take_handed(gpci_timed *timed, gpci_ctrl *ctrl) {
    const uint32_t packet = gpci_queue_pop(&ctrl->fills, &timed->pool, timed->wheel.now);
    if (GPCI_UNLIKELY(timed->values != NULL))
        gpci_plain_back(timed, ctrl->index, packet);
    return packet;
}

#ifdef GPCI_CHECK
/* Bytes of the reply to a packet: a header, and sectors for a packet that reads. */
uint64_t gpci_reply_bytes_asked(const gpci_timed *timed, const gpci_packet *pkt) {
    const bool reads = pkt->request.kind != GPC_STORE && pkt->request.kind != GPC_REDUCTION;
    return timed->header + (reads ? (uint64_t)gpci_popcount(pkt->segments) * GPCI_SEGMENT : 0);
}
#endif

void gpci_l1_fills(gpci_timed *timed, gpci_ctrl *ctrl) {
    uint64_t now = timed->wheel.now;
    while (!gpci_replies_wait(ctrl) &&
           (ctrl->fills.count || gpci_network_peek(ctrl->networks.replies_in, ctrl->index) != GPCI_NO_PACKET)) {
        if (ctrl->fill_free > now) {
            gpci_wheel_wake(&timed->wheel, ctrl->component, ctrl->fill_free);
            return;
        }
        const bool handed = ctrl->fills.count != 0;
        uint32_t packet =
            handed ? take_handed(timed, ctrl) : gpci_network_receive(ctrl->networks.replies_in, ctrl->index);
        ctrl->below.packets -= !handed;
#ifdef GPCI_CHECK
        ctrl->counts.reply_bytes_again +=
            handed ? 0 : gpci_reply_bytes_asked(timed, gpci_packet_at(&timed->pool, packet));
#endif
        uint32_t size = gpci_packet_at(&timed->pool, packet)->path.size - timed->header;
        ctrl->fill_free = now + (size + ctrl->options->fill_width - 1) / ctrl->options->fill_width;
        take_reply(timed, ctrl, packet);
    }
}

/* Completion of accesses: the last line completes an access, and the host is told. */

/* End an access that is no load: set fields of the completion, and count. */
static void end(gpci_timed *timed, const gpci_inflight *access, gpc_completion *completion) {
    if (access->kind == GPCI_KIND_FENCE) {
        completion->kind = GPC_LOAD;
        completion->fence = 1;
        gpci_count_fence_cycles(timed->hierarchy, access->sm, completion->cycle - completion->issued);
        GPCI_AGAIN(timed->hierarchy->of_sm[access->sm].again.fence_cycles += completion->cycle);
        GPCI_AGAIN(timed->hierarchy->of_sm[access->sm].again.fences++);
    } else if (access->kind == GPCI_KIND_COPY) {
        completion->kind = access->fence.phase;
        if (!access->fence.marks)
            gpci_count_bulk_cycles(timed->hierarchy, access->sm, completion->cycle - completion->issued);
        GPCI_AGAIN(timed->hierarchy->of_sm[access->sm].again.bulk_cycles +=
                   access->fence.marks ? 0 : completion->cycle);
    } else if (GPCI_UNLIKELY(timed->l1[access->sm].fences.first != UINT32_MAX || access->performed)) {
        gpci_fence_wrote(timed, access);
    } else {
        timed->l1[access->sm].fences.writes -= access->kind != GPC_PREFETCH;
    }
}

static void tell_host(gpci_timed *timed, uint32_t number) {
    gpci_inflight *access = &timed->inflights[number];
    gpc_completion completion = {.token = access->token,
                                 .issued = access->issued,
                                 .cycle = timed->wheel.now,
                                 .sm = access->sm,
                                 .warp = access->warp,
                                 .kind = access->kind,
                                 .level = access->level};
    bool framed = access->framed;
    if (access->kind == GPC_LOAD)
        gpci_count_load_cycles(timed->hierarchy, completion.sm, completion.cycle - completion.issued);
    else
        end(timed, access, &completion);
    if (GPCI_UNLIKELY(timed->kept != NULL))
        gpci_kept_done(timed, number, &completion);
    if (GPCI_UNLIKELY(timed->stage_times != NULL))
        gpci_stage_times_done(timed, number, &completion);
    gpci_give_inflight(timed, number);
    timed->in_flight--;
    timed->ended++;
    timed->progress = timed->wheel.now;
    if (framed)
        timed->front.complete(timed->front.user_data, &completion);
    else if (timed->callbacks.on_complete)
        timed->callbacks.on_complete(timed->callbacks.user_data, &completion);
}

static GPCI_COLD void tell_host_watched(gpci_timed *timed, uint32_t number) {
    gpci_append_done(timed, &timed->inflights[number]);
    tell_host(timed, number);
}

/* Complete an access, once the host has room for the reply. */
GPCI_INLINE void complete(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t number) {
    if (GPCI_UNLIKELY(ctrl->replies.credits != GPC_UNLIMITED_CREDITS) && gpci_reply_waits(timed, ctrl, number))
        return;
    if (GPCI_UNLIKELY(timed->log != NULL))
        tell_host_watched(timed, number);
    else
        tell_host(timed, number);
}

void gpci_l1_run_replies(gpci_timed *timed, gpci_ctrl *ctrl) {
    for (uint32_t number; (number = gpci_replies_next(timed, ctrl)) != UINT32_MAX;) {
        gpci_log_done(timed, &timed->inflights[number]);
        tell_host(timed, number);
    }
}

/*
 * All lines of an in-flight access are done; complete the in-flight access when the last hit's data are out of the
 * port.
 */
static void land(gpci_timed *timed, uint32_t number) {
    gpci_inflight *access = &timed->inflights[number];
    gpci_ctrl *ctrl = &timed->l1[access->sm];
    if (GPCI_UNLIKELY(access->acquires)) {
        gpci_fence_after(timed, number);
        return;
    }
    const bool filled = GPCI_UNLIKELY(access->turns) && access->kind == GPC_LOAD && gpci_data_read(timed, ctrl, access);
    if (access->due <= timed->wheel.now) {
        complete(timed, ctrl, number);
        return;
    }
    gpci_due_list *due = GPCI_UNLIKELY(access->constant) ? &gpci_constants_of(ctrl)->due
                         : filled                        ? &ctrl->filled
                                                         : &ctrl->due;
    access->next = UINT32_MAX;
    if (due->first == UINT32_MAX) {
        due->first = number;
    } else {
        gpci_inflight *last = &timed->inflights[due->last];
        last->next = number;
        access->due = access->due > last->due ? access->due : last->due;
    }
    due->last = number;
    gpci_wheel_wake(&timed->wheel, ctrl->component, access->due);
}

void gpci_l1_release_line(gpci_timed *timed, uint32_t number, uint8_t level) {
    if (GPCI_UNLIKELY(number == UINT32_MAX)) /* a prefetch without a waiter */
        return;
    gpci_inflight *access = &timed->inflights[number];
    access->level = access->level > level ? access->level : level;
    if (!--access->left)
        land(timed, number);
}

void gpci_l1_answer(gpci_timed *timed, gpci_ctrl *ctrl, const gpci_packet *pkt, uint8_t level) {
    if (GPCI_UNLIKELY(pkt->request.copy == GPC_COPY_BULK))
        gpci_multicast_reply(timed, ctrl, pkt);
    gpci_log_event(timed, GPC_WHAT_REPLY, ctrl, pkt, level);
    gpci_l1_release_line(timed, pkt->line.inflight, level);
}

/* A load is released: its data pass the release port (l1.release_width) after the data of earlier loads. */
static GPCI_COLD void hand_over(gpci_timed *timed, const gpci_packet *pkt) {
    if (pkt->line.inflight == UINT32_MAX || pkt->line.kind != GPC_LOAD)
        return;
    gpci_inflight *access = &timed->inflights[pkt->line.inflight];
    gpci_ctrl *ctrl = &timed->l1[access->sm];
    const uint64_t now = timed->wheel.now, start = ctrl->release_free > now ? ctrl->release_free : now;
    ctrl->release_free = start + (gpci_packet_bytes(pkt) + timed->release_width - 1) / timed->release_width;
    const uint64_t due = ctrl->release_free + timed->release_latency;
    access->due = access->due > due ? access->due : due;
}

GPCI_INLINE void done(gpci_timed *timed, uint32_t packet, uint8_t level, bool watched) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    if (pkt->line.kind == GPC_LOAD && level == 3 && pkt->line.missed) {
        gpci_count_l1_dram_line(timed->hierarchy, timed->inflights[pkt->line.inflight].sm);
        GPCI_AGAIN(timed->hierarchy->of_sm[timed->inflights[pkt->line.inflight].sm].again.l1_load_dram_lines++);
    }
    pkt->mshr.cached = false;
    if (watched)
        gpci_append_reply(timed, pkt, level);
    pkt->mshr.done = true;
    if (GPCI_UNLIKELY(timed->release_width))
        hand_over(timed, pkt);
    gpci_l1_release_line(timed, pkt->line.inflight, level);
}

void gpci_l1_done(gpci_timed *timed, uint32_t packet, uint8_t level) {
    done(timed, packet, level, timed->log != NULL);
}

static GPCI_COLD void release_watched(gpci_timed *timed, uint32_t packet, uint8_t level) {
    done(timed, packet, level, true);
    gpci_pool_give(&timed->pool, packet);
}

void gpci_l1_release(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, uint8_t level) {
    (void)ctrl;
    if (GPCI_UNLIKELY(timed->log != NULL)) {
        release_watched(timed, packet, level);
        return;
    }
    done(timed, packet, level, false);
    gpci_pool_give(&timed->pool, packet);
}

void gpci_l1_run_due(gpci_timed *timed, gpci_ctrl *ctrl, gpci_due_list *due) {
    while (due->first != UINT32_MAX) {
        uint32_t number = due->first;
        gpci_inflight *access = &timed->inflights[number];
        if (access->due > timed->wheel.now) {
            gpci_wheel_wake(&timed->wheel, ctrl->component, access->due);
            return;
        }
        due->first = access->next;
        complete(timed, ctrl, number);
    }
}
