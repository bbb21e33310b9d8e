/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/mshr_table.h"
#include "timed/core/timed.h"
#include "timed/ctrl/drain.h"
#include "timed/ctrl/l1_observe.h"

#include <string.h>

/*
 * A cache with a clock. A packet passing the tags is looked up once. A hit is served; a miss takes an MSHR entry, or
 * merges into the line's entry, and the line is reserved (allocate on miss), or receives room when the data arrive (on
 * fill). Lacking resources are found before any change: the packet is then held at the tags, lookup done, until the
 * resources are free.
 *
 * Example, 2 MSHR entries, loads of lines A, B, A, C: A and B take entries and are sent for; the second A merges; C is
 * held (GPC_BUSY_MSHR) until A's data arrive, releasing both As and C.
 */

void gpci_ctrl_sw_prefetch(const gpci_ctrl *ctrl, uint64_t address) {
    if (!ctrl->cache)
        return;
    if (ctrl->mshr.rows)
        GPCI_PREFETCH(gpci_mshr_row_of(ctrl, gpci_mshr_hash(gpci_ctrl_line(ctrl, address))));
    gpci_sw_prefetch_set(ctrl->cache, address);
}

void gpci_ctrl_sw_prefetch_fill(const gpci_ctrl *ctrl, uint64_t address) {
    if (!ctrl->cache)
        return;
    if (GPCI_UNLIKELY(!ctrl->options->on_miss || !ctrl->cache->tags.places))
        gpci_ctrl_sw_prefetch(ctrl, address);
    else if (ctrl->mshr.rows)
        GPCI_PREFETCH(gpci_mshr_row_of(ctrl, gpci_mshr_hash(gpci_ctrl_line(ctrl, address))));
}

uint32_t gpci_mshr_find(const gpci_timed *timed, const gpci_ctrl *ctrl, uint64_t address) {
    return gpci_mshr_look(timed, ctrl, gpci_ctrl_line(ctrl, address), NULL).mshr_entry;
}

uint32_t gpci_mshr_of_fetch(const gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *fetch) {
    return gpci_mshr_look(timed, ctrl, gpci_ctrl_line(ctrl, fetch->request.address), &fetch->entry).mshr_entry;
}

/* A line has been replaced: if in flight, the entry now only serves packets already waiting. */
static GPCI_NOINLINE void part_from_line(gpci_timed *timed, gpci_ctrl *ctrl, const gpc_eviction *left) {
    const uint32_t mshr_entry = gpci_mshr_find(timed, ctrl, left->line_address);
    if (mshr_entry == GPCI_NO_PACKET)
        return;
    gpci_packet *entry = gpci_packet_at(&timed->pool, mshr_entry);
    entry->mshr.replaced |= entry->mshr.slot == (uint32_t)gpci_slot(ctrl->cache, left->set, left->way);
}

void gpci_ctrl_outdate(const gpci_timed *timed, const gpci_ctrl *ctrl, uint64_t address, uint8_t segments) {
    uint32_t mshr_entry = gpci_mshr_find(timed, ctrl, address);
    if (mshr_entry != GPCI_NO_PACKET)
        gpci_packet_at(&timed->pool, mshr_entry)->mshr.outdated |= segments;
}

gpci_verdict gpci_ctrl_block(gpci_ctrl *ctrl, gpci_tag_access *access, uint64_t now, gpc_busy reason) {
    access->freed &= (uint8_t) ~(1u << reason);
    if (access->reason == reason)
        return GPCI_BLOCKED;
    gpci_ctrl_unblock(ctrl, access, now);
    ctrl->counts.failures[reason]++;
    access->reason = (uint8_t)reason;
    access->since = now;
    GPCI_AGAIN(ctrl->counts.stalls_again[reason] -= now);
    return GPCI_BLOCKED;
}

void gpci_ctrl_unblock(gpci_ctrl *ctrl, gpci_tag_access *access, uint64_t now) {
    if (access->reason == GPC_BUSY_NOT)
        return;
    gpci_log_released(ctrl, access);
    ctrl->counts.stalls[access->reason] += now - access->since;
    GPCI_AGAIN(ctrl->counts.stalls_again[access->reason] += now);
    access->reason = GPC_BUSY_NOT;
}

/* Resolve a request for the cache. Accesses were checked when issued; an invalid request stops the simulation. */
GPCI_INLINE bool resolve(gpci_timed *timed, const gpc_cache *cache, const gpc_request *request, gpci_view *view) {
    if (GPCI_LIKELY(gpci_is_read(request) && request->sector_mask)) {
        gpci_view_read(cache, request, view);
        return true;
    }
    gpc_status status = gpci_view_of_own(cache, request, view, &timed->error);
    if (status < 0)
        timed->failed = status;
    return status >= 0;
}

void gpci_ctrl_look(gpci_timed *timed, gpci_ctrl *ctrl, gpci_packet *packet, gpci_tag_access *access) {
    access->looked = access->fresh = true;
    access->reserved = access->declined = false;
    access->asked = access->passes = 0;
    access->flying = 0;
    access->mshr_entry = GPCI_NO_PACKET;
    access->result = (gpc_access_result){.way = GPCI_NO_WAY};
    if (!resolve(timed, ctrl->cache, &packet->request, &access->view))
        return;
    gpci_level_look_up(ctrl->cache, &packet->request, &access->view, !ctrl->options->on_miss, &access->result);
    if (access->result.outcome == GPC_HIT)
        return;
    access->declined = access->result.admission == GPC_DECLINED;
    if (GPCI_UNLIKELY(ctrl->options->reserves) && access->result.outcome == GPC_PENDING_HIT)
        access->flying = ctrl->line->segments_of[access->result.needed_sectors];
    access->mshr_entry = gpci_mshr_find(timed, ctrl, packet->request.address);
    if (access->mshr_entry == GPCI_NO_PACKET)
        return;
    const gpci_packet *entry = gpci_packet_at(&timed->pool, access->mshr_entry);
    access->flying |= (access->result.outcome == GPC_BYPASSED ? gpci_mshr_in_flight(entry) : entry->mshr.full_sectors) &
                      ctrl->line->segments_of[access->result.needed_sectors];
}

/*
 * True if a line of the set is in flight, for which a packet may wait. If the cache has data for fewer lines than ways
 * (`spare_ways`), a line of any set.
 */
static bool awaits_line(const gpci_timed *timed, const gpci_ctrl *ctrl, uint32_t set) {
    const gpc_cache *cache = ctrl->cache;
    const bool all = cache->spare_ways != 0;
    for (uint32_t s = all ? 0 : set; s < (all ? cache->sets : set + 1); s++)
        for (uint32_t way = 0; way < cache->ways; way++) {
            if (!cache->tags.words[gpci_slot(cache, s, way)])
                continue;
            const uint64_t line = gpci_line_at(&cache->tags, gpci_slot(cache, s, way));
            const uint32_t mshr_entry = gpci_mshr_look(timed, ctrl, line, NULL).mshr_entry;
            if (mshr_entry != GPCI_NO_PACKET && gpci_mshr_in_flight(gpci_packet_at(&timed->pool, mshr_entry)))
                return true;
        }
    return false;
}

/* A packet found no victim: if all lines are reserved and none is in flight, replace a reserved line (drain.h). */
static GPCI_NOINLINE gpc_status reserve_late(const gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *pkt,
                                             const gpci_tag_access *access, gpc_access_result *got) {
    if (awaits_line(timed, ctrl, access->view.set))
        return GPC_OK;
    *got = (gpc_access_result){.way = GPCI_NO_WAY};
    return gpci_reserve_over_pending(ctrl->cache, &pkt->request, &access->view, access->result.fetch_sectors, got);
}

/*
 * Reserve the line of a packet: in `way`, or in a victim's way if `way` is GPCI_NO_WAY. GPCI_BLOCKED: all lines of the
 * set are reserved, and the packet must wait for one.
 */
GPCI_INLINE gpci_verdict reserve(gpci_timed *timed, gpci_ctrl *ctrl, const gpci_packet *pkt, gpci_tag_access *access,
                                 uint32_t *way) {
    gpc_access_result *result = &access->result, got = {.way = GPCI_NO_WAY};
    gpc_status status = gpci_reserve(ctrl->cache, &pkt->request, &access->view, *way, result->fetch_sectors, &got);
    if (GPCI_UNLIKELY(ctrl->options->reserves) && status == GPC_OK && got.outcome == GPC_NO_VICTIM)
        status = reserve_late(timed, ctrl, pkt, access, &got);
    GPCI_AGAIN(ctrl->counts.no_victims_again += status == GPC_OK && got.outcome == GPC_NO_VICTIM);
    if (status < 0) {
        timed->failed = status;
        got.outcome = GPC_BYPASSED;
        got.fetch_sectors = result->fetch_sectors;
    }
    if (got.outcome == GPC_NO_VICTIM && !(pkt->flags & GPCI_PACKET_LINK))
        return GPCI_BLOCKED;
    access->reserved = true;
    *way = got.way;
    if (got.outcome == GPC_NO_VICTIM) { /* a packet of the other partition must not wait: lines here may wait for it */
        gpci_level_spill(&pkt->request, pkt->bytes, result);
        return GPCI_SERVED;
    }
    if (got.outcome == GPC_BYPASSED) { /* the policy declined, or a store leaves nothing anyway */
        gpci_level_refused(&got, result);
        access->declined = true;
        if (ctrl->level == 1)
            gpci_l1_observe_verdict(ctrl, &pkt->request, true);
    }
    if (got.evicted) {
        if (GPCI_UNLIKELY(ctrl->options->replaceable))
            part_from_line(timed, ctrl, &got.eviction);
        gpci_ctrl_evicted(timed, ctrl, pkt, &got.eviction);
    }
    return GPCI_SERVED;
}

/*
 * Segments that a packet lacks: to be fetched, or to be waited for. `way`: way of the line, or GPCI_NO_WAY.
 * `mshr_entry`: leader of the line's MSHR entry, with the segments in flight; or NULL.
 */
GPCI_INLINE gpci_missing lacks(const gpci_ctrl *ctrl, const gpci_packet *pkt, const gpci_tag_access *access,
                               uint32_t way, const gpci_packet *mshr_entry) {
    const gpc_access_result *result = &access->result;
    const uint8_t *segments_of = ctrl->line->segments_of;
    gpci_line_state line = {.full_sectors = mshr_entry ? mshr_entry->mshr.full_sectors : 0,
                            .other_segments = mshr_entry ? mshr_entry->mshr.other_segments : 0};
    if (result->outcome != GPC_BYPASSED && way != GPCI_NO_WAY)
        line.valid = segments_of[GPCI_VALID(ctrl->cache->states[gpci_slot(ctrl->cache, result->set, way)])];
    uint8_t own = ctrl->rules->own_lines ? pkt->segments : segments_of[result->needed_sectors];
    return gpci_level_missing(ctrl->line, &pkt->request, result, own, ctrl->options->part, line);
}

/* Segments that a packet lacks if the line has no way. */
static GPCI_NOINLINE gpci_missing lacks_without(const gpci_ctrl *ctrl, const gpci_packet *pkt,
                                                const gpci_tag_access *access, const gpci_packet *mshr_entry) {
    return lacks(ctrl, pkt, access, GPCI_NO_WAY, mshr_entry);
}

/* Packet that waits for data. In L1 a load that sends a fetch travels as the fetch, and leaves a copy to wait. */
GPCI_INLINE uint32_t target_of(gpci_timed *timed, const gpci_ctrl *ctrl, uint32_t packet, const gpci_packet *pkt,
                               bool sends) {
    if (!ctrl->rules->loads_go || !gpci_is_read(&pkt->request))
        return packet;
    uint32_t mshr_target = gpci_leave_target(timed, pkt);
    if (mshr_target == GPCI_NO_PACKET) {
        if (!sends)
            return packet;
        mshr_target = gpci_pool_take(&timed->pool);
        *gpci_packet_at(&timed->pool, mshr_target) = *pkt;
    } else if (!sends) {
        gpci_pool_give(&timed->pool, packet);
    }
    return mshr_target;
}

/* Way of the packet's line: the lookup's, or looked up again if the cache may have changed since. */
GPCI_INLINE uint32_t way_now(const gpci_ctrl *ctrl, const gpci_packet *pkt, const gpci_tag_access *access) {
    const gpc_access_result *result = &access->result;
    if (access->fresh && !result->evicted)
        return result->way;
    return result->outcome == GPC_BYPASSED
               ? GPCI_NO_WAY
               : gpci_find(&ctrl->cache->tags, result->set, gpci_ctrl_line(ctrl, pkt->request.address));
}

static bool is_full(const gpci_timed *timed, const gpci_ctrl *ctrl, uint32_t mshr_entry, uint8_t needs) {
    const gpci_ctrl_options *options = ctrl->options;
    if (gpci_packet_at(&timed->pool, mshr_entry)->mshr.count < options->merges)
        return false;
    return !options->by_sector || gpci_sector_is_full(timed, ctrl, mshr_entry, needs);
}

/* A load hits a reserved line without data in flight: fetch the sectors again (drain.h). */
static GPCI_NOINLINE void ask_again(const gpci_ctrl *ctrl, const gpci_packet *pkt, gpc_access_result *result,
                                    uint32_t way) {
    if (way == GPCI_NO_WAY || !gpci_is_read(&pkt->request) ||
        !(result->needed_sectors & GPCI_PENDING(ctrl->cache->states[gpci_slot(ctrl->cache, result->set, way)])))
        return;
    result->outcome = GPC_SECTOR_MISS;
    result->fetch_sectors = result->needed_sectors;
}

/*
 * The line is gone, but its MSHR entry drains: the packet takes a turn of the entry; loads may reserve a line
 * (drain.h).
 */
static GPCI_NOINLINE gpci_verdict settle_late(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet,
                                              gpci_tag_access *access, uint32_t mshr_entry, uint32_t way,
                                              uint8_t needs) {
    const gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    if (gpci_packet_at(&timed->pool, mshr_entry)->mshr.outdated & needs ||
        !gpci_drain_has_room(timed, ctrl, mshr_entry, needs))
        return ctrl->rules->on_stall(timed, ctrl, packet, access, mshr_entry, GPC_BUSY_MERGE);
    if (ctrl->options->reserves && gpci_is_read(&pkt->request) && !access->reserved &&
        access->result.outcome == GPC_MISS && reserve(timed, ctrl, pkt, access, &way) == GPCI_BLOCKED)
        return ctrl->rules->on_stall(timed, ctrl, packet, access, mshr_entry, GPC_BUSY_LINE);
    gpci_drain_join(timed, ctrl, mshr_entry);
    return GPCI_SERVED;
}

/* Let a packet wait at the line's MSHR entry (a new entry if `entry` is NULL), and fetch segments not in flight. */
GPCI_INLINE void wait_with(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, gpci_packet *pkt,
                           const gpci_tag_access *access, gpci_packet *entry, uint32_t way, gpci_missing missing,
                           bool remote) {
    const gpc_access_result *result = &access->result;
    const bool cached = result->outcome != GPC_BYPASSED;
    pkt->mshr.cached = cached;
    pkt->mshr.no_token = pkt->request.policy.token == GPC_TOKEN_NONE;
    pkt->mshr.done = false;
    pkt->mshr.needs = missing.wait;
    const uint64_t line = access->view.line;
    uint32_t mshr_target = target_of(timed, ctrl, packet, pkt, missing.fetch != 0);
    if (entry)
        gpci_mshr_join(timed, entry, mshr_target);
    else
        gpci_mshr_add(timed, ctrl, mshr_target, entry = gpci_packet_at(&timed->pool, mshr_target), line, remote);
    if (cached && way != GPCI_NO_WAY)
        entry->mshr.slot = (uint32_t)gpci_slot(ctrl->cache, result->set, way);
    if (!missing.fetch) {
        gpci_log_waits(timed, ctrl, mshr_target, mshr_target);
        return;
    }
    uint8_t full_sectors = gpci_full_sectors(ctrl->line, missing.fetch);
    if (ctrl->rules->loads_go && !gpci_mshr_in_flight(entry))
        entry->sent = (uint32_t)timed->wheel.now;
    gpci_mshr_fly(ctrl, entry, entry->mshr.full_sectors | full_sectors,
                  entry->mshr.other_segments | (missing.fetch & (uint8_t)~full_sectors));
    gpci_log_waits(timed, ctrl, packet, mshr_target);
    ctrl->rules->send(timed, ctrl,
                      &(gpci_fetch_request){packet, mshr_target, result->policy_word, missing.fetch, cached,
                                            access->declined, remote, entry->mshr.entry});
}

/* With an MSHR entry for each sector: true if the sectors of a fetch do not fit. A fetch alone always fits. */
static bool lacks_sectors(const gpci_ctrl *ctrl, uint8_t fetch, bool remote) {
    const uint32_t sectors = ctrl->mshr.sectors[remote];
    return fetch && sectors && (uint64_t)sectors + gpci_popcount(fetch) > ctrl->options->entries;
}

gpci_verdict gpci_ctrl_settle(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, gpci_tag_access *access,
                              bool remote) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    gpc_access_result *result = &access->result;
    const gpci_ctrl_options *options = ctrl->options;
    if (result->outcome == GPC_HIT)
        return GPCI_SERVED;
    uint32_t mshr_entry = access->fresh ? access->mshr_entry : gpci_mshr_find(timed, ctrl, pkt->request.address);
    uint32_t way = way_now(ctrl, pkt, access);
    access->fresh = false;
    bool found = mshr_entry != GPCI_NO_PACKET;
    gpci_packet *entry = found ? gpci_packet_at(&timed->pool, mshr_entry) : NULL;
    if (GPCI_UNLIKELY(options->reserves) && !(found && entry->mshr.full_sectors))
        ask_again(ctrl, pkt, result, way);
    gpci_missing missing = lacks(ctrl, pkt, access, way, entry);
    if (GPCI_UNLIKELY(options->drains) && found && missing.fetch && !gpci_mshr_in_flight(entry))
        return settle_late(timed, ctrl, packet, access, mshr_entry, way, missing.wait);
    if (missing.fetch | missing.wait) {
        if (found &&
            (is_full(timed, ctrl, mshr_entry, missing.wait) || entry->mshr.outdated & (missing.fetch | missing.wait)))
            return ctrl->rules->on_stall(timed, ctrl, packet, access, mshr_entry, GPC_BUSY_MERGE);
        if (GPCI_UNLIKELY(options->by_sector) ? lacks_sectors(ctrl, missing.fetch, remote)
                                              : !found && ctrl->mshr.used[remote] >= options->entries)
            return ctrl->rules->on_stall(timed, ctrl, packet, access, mshr_entry, GPC_BUSY_MSHR);
        if (missing.fetch && gpci_queue_full(remote ? &ctrl->link : &ctrl->out))
            return ctrl->rules->on_stall(timed, ctrl, packet, access, mshr_entry, GPC_BUSY_MISS_QUEUE);
    }
    if (!access->reserved && gpci_level_reserves(&pkt->request, result, options->on_miss)) {
        if (reserve(timed, ctrl, pkt, access, &way) == GPCI_BLOCKED)
            return ctrl->rules->on_stall(timed, ctrl, packet, access, mshr_entry, GPC_BUSY_LINE);
        if (result->outcome == GPC_BYPASSED)
            missing = lacks_without(ctrl, pkt, access, entry);
    }
    if (!(missing.fetch | missing.wait))
        return GPCI_SERVED;
    wait_with(timed, ctrl, packet, pkt, access, entry, way, missing, remote);
    return GPCI_WAITING;
}

/*
 * General path of keep(): fill sectors of a packet's line into the cache. The cache and its policies see the packet's
 * request, which may differ from the request that was fetched for. The bytes of a store are filled, too.
 */
static GPCI_NOINLINE void fill(gpci_timed *timed, gpci_ctrl *ctrl, const gpci_packet *pkt, uint8_t sectors) {
    gpc_access_result got;
    gpc_status status = gpci_fill_own(ctrl->cache, &pkt->request, sectors, &got);
    GPCI_AGAIN(ctrl->counts.no_victims_again += status == GPC_OK && got.outcome == GPC_NO_VICTIM);
    if (status < 0) {
        timed->failed = status;
        return;
    }
    if (timed->log != NULL)
        gpci_append_kept(timed, ctrl, pkt, &got);
    if (got.evicted)
        gpci_ctrl_evicted(timed, ctrl, pkt, &got.eviction);
    if (got.outcome == GPC_BYPASSED && gpci_is_read(&pkt->request))
        ctrl->rules->on_not_allocated(ctrl, pkt, sectors);
    if (got.way == GPCI_NO_WAY && !gpci_is_read(&pkt->request)) /* no room for written bytes: send them below */
        gpci_ctrl_write_below(timed, ctrl, pkt);
}

/* Keep sectors of a packet in the cache. `slot`: the line's reserved slot, or GPCI_NO_SLOT. */
GPCI_INLINE void keep(gpci_timed *timed, gpci_ctrl *ctrl, const gpci_packet *pkt, uint8_t sectors, uint32_t slot) {
    if (GPCI_UNLIKELY(timed->log != NULL) || !gpci_fill_reserved(ctrl->cache, &pkt->request, slot, sectors))
        fill(timed, ctrl, pkt, sectors);
}

/*
 * Token for the data of a fetch of L1: GPC_TOKEN_HELD if any waiting packet that keeps the data has a token. The fetch
 * may have been sent for another packet.
 */
static uint8_t token_of(const gpci_timed *timed, uint32_t mshr_entry, const gpci_packet *fetched) {
    for (uint32_t packet = mshr_entry; packet != GPCI_NO_PACKET;
         packet = packet == mshr_entry ? gpci_packet_at(&timed->pool, mshr_entry)->mshr.first
                                       : *gpci_next_of(&timed->pool, packet)) {
        const gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
        if (pkt->mshr.cached && !pkt->mshr.no_token && pkt->mshr.needs & fetched->segments)
            return GPC_TOKEN_HELD;
    }
    return GPC_TOKEN_NONE;
}

/* No waiting packet keeps the sectors. If a packet that is gone has reserved the sectors, fill the reserved sectors. */
static void settle_line(gpci_timed *timed, gpci_ctrl *ctrl, const gpci_packet *fetch, uint8_t sectors) {
    const gpc_request request =
        gpci_request_of_nobody(timed->hierarchy, fetch->request.address, fetch->address, fetch->request.sm, GPC_LOAD);
    gpc_access_result got;
    gpc_line line;
    if (!gpci_line_of(ctrl->cache, request.address, &line) || !(line.pending_sectors & sectors))
        return;
    gpc_status status = gpc_cache_fill(ctrl->cache, &request, line.pending_sectors & sectors, &got, NULL);
    timed->failed = status < 0 ? status : timed->failed;
}

/*
 * First waiting packet that keeps the data of a fetch; or GPCI_NO_PACKET. If the fetch bypasses the cache, only a
 * packet that needs segments of the fetch counts.
 */
GPCI_INLINE uint32_t first_cached(const gpci_timed *timed, uint32_t mshr_entry, const gpci_packet *entry,
                                  const gpci_packet *fetched) {
    const uint8_t passes = fetched->line.marks & GPCI_MARK_PASSES ? fetched->segments : 0;
    if (entry->mshr.cached && (!passes || entry->mshr.needs & passes))
        return mshr_entry;
    for (uint32_t packet = entry->mshr.first; packet != GPCI_NO_PACKET; packet = *gpci_next_of(&timed->pool, packet)) {
        const gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
        if (pkt->mshr.cached && (!passes || pkt->mshr.needs & passes))
            return packet;
    }
    return GPCI_NO_PACKET;
}

/* Put bytes written by a waiting packet into the line. */
static void keep_own(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, uint32_t kept) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    uint8_t kind = ctrl->rules->own_lines ? pkt->line.kind : pkt->request.kind;
    if (packet != kept && pkt->mshr.cached && kind != GPC_LOAD && kind != GPC_PREFETCH)
        keep(timed, ctrl, pkt, ctrl->line->sectors_of[pkt->mshr.needs], GPCI_NO_SLOT);
}

static void release(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, uint32_t kept, uint8_t level) {
    keep_own(timed, ctrl, packet, kept);
    ctrl->rules->released(timed, ctrl, packet, level);
}

/* Segments have arrived for an entry: release packets with all needed segments; the entry ends with the last packet. */
static void release_waiting(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t mshr_entry, uint32_t kept, uint8_t segments,
                            uint8_t level) {
    gpci_packet *entry = gpci_packet_at(&timed->pool, mshr_entry);
    uint8_t missing = gpci_mshr_in_flight(entry) & (uint8_t)~segments;
    uint32_t packet = entry->mshr.first, last = GPCI_NO_PACKET;
    entry->mshr.first = entry->mshr.last = GPCI_NO_PACKET;
    while (packet != GPCI_NO_PACKET) {
        gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
        uint32_t next = *gpci_next_of(&timed->pool, packet);
        if (pkt->mshr.needs & missing) {
            *gpci_next_of(&timed->pool, packet) = GPCI_NO_PACKET;
            if (last == GPCI_NO_PACKET)
                entry->mshr.first = packet;
            else
                *gpci_next_of(&timed->pool, last) = packet;
            entry->mshr.last = last = packet;
        } else {
            entry->mshr.count--;
            release(timed, ctrl, packet, kept, level);
        }
        packet = next;
    }
}

/*
 * Keep the data of a fetch in the cache. The cache sees the request of the first waiting packet whose data are to be
 * kept. In L1, where loads travel below: the request of the fetch, or of the waiting store that sent the fetch. Returns
 * the waiting packet whose request was used, or GPCI_NO_PACKET.
 */
GPCI_INLINE uint32_t keep_fetch(gpci_timed *timed, gpci_ctrl *ctrl, gpci_packet *fetched, uint32_t mshr_entry,
                                const gpci_packet *entry) {
    uint32_t kept = first_cached(timed, mshr_entry, entry, fetched);
    const uint32_t slot = entry->mshr.slot;
    uint8_t sectors = fetched->line.fetched & ctrl->line->sectors_of[gpci_full_sectors(ctrl->line, fetched->segments)];
    if (!sectors || GPCI_UNLIKELY(entry->mshr.replaced))
        return GPCI_NO_PACKET;
    if (kept == GPCI_NO_PACKET && !(fetched->line.marks & GPCI_MARK_KEPT)) {
        settle_line(timed, ctrl, fetched, sectors);
        return kept;
    }
    if (ctrl->rules->loads_go) {
        bool own =
            fetched->line.kind == GPC_STORE && gpci_packet_at(&timed->pool, fetched->line.mshr_target)->mshr.cached;
        if (GPCI_UNLIKELY(fetched->request.policy.token != GPC_TOKEN_UNUSED) && kept != GPCI_NO_PACKET)
            fetched->request.policy.token = token_of(timed, mshr_entry, fetched);
        kept = own ? fetched->line.mshr_target : GPCI_NO_PACKET;
        keep(timed, ctrl, own ? gpci_packet_at(&timed->pool, kept) : fetched, sectors, slot);
        return kept;
    }
    keep(timed, ctrl, gpci_packet_at(&timed->pool, kept), sectors, slot);
    return kept;
}

/* Segments of a fetch are no longer in flight. */
GPCI_INLINE void arrived(gpci_ctrl *ctrl, gpci_packet *mshr_entry, uint8_t segments) {
    uint8_t full_sectors = gpci_full_sectors(ctrl->line, segments);
    gpci_mshr_fly(ctrl, mshr_entry, mshr_entry->mshr.full_sectors & (uint8_t)~full_sectors,
                  mshr_entry->mshr.other_segments & (uint8_t) ~(segments & (uint8_t)~full_sectors));
}

/* True if an entry's leader has all needed data, once these segments have arrived. */
static bool is_ready(const gpci_packet *mshr_entry, uint8_t segments) {
    return !(mshr_entry->mshr.needs & gpci_mshr_in_flight(mshr_entry) & (uint8_t)~segments) && !mshr_entry->mshr.done;
}

/* With entries that drain: if the leader has all data, complete the leader's line. The leader stays with the entry. */
static GPCI_NOINLINE void release_mshr_entry(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t mshr_entry, uint32_t kept,
                                             uint8_t segments, uint8_t level) {
    gpci_packet *entry = gpci_packet_at(&timed->pool, mshr_entry);
    entry->segments = segments;
    if (!is_ready(entry, segments))
        return;
    keep_own(timed, ctrl, mshr_entry, kept);
    gpci_l1_done(timed, mshr_entry, level);
}

void gpci_mshr_free(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t mshr_entry) {
    const gpci_mshr_place place = gpci_mshr_look(timed, ctrl, gpci_mshr_line(timed, ctrl, mshr_entry),
                                                 &gpci_packet_at(&timed->pool, mshr_entry)->mshr.entry);
    gpci_mshr_remove(timed, ctrl, &place);
    gpci_pool_give(&timed->pool, mshr_entry);
}

/* A fetch has filled sectors of a line that were written while the fetch was in flight: drop the sectors. */
static GPCI_NOINLINE void drop_outdated(gpci_timed *timed, gpci_ctrl *ctrl, uint64_t line, uint8_t sectors) {
    gpc_line kept;
    if (GPCI_UNLIKELY(timed->hierarchy->log != NULL) && gpci_line_of(ctrl->cache, line, &kept) &&
        !(kept.valid_sectors & ~sectors) && !kept.dirty_sectors && !kept.pending_sectors)
        gpci_log_dropped(timed->hierarchy, ctrl->cache,
                         ctrl->level == 2                ? GPC_COMPONENT_L2
                         : ctrl->level == GPCI_LEVEL_GL1 ? GPC_COMPONENT_GL1
                                                         : GPC_COMPONENT_L1,
                         ctrl->index, line,
                         ctrl->level == 2 ? gpci_l2_host_address(timed->hierarchy, ctrl->index, line) : line);
    gpci_fence_stale(ctrl, line, sectors);
}

void gpci_ctrl_fill(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t fetch) {
    gpci_packet *fetched = gpci_packet_at(&timed->pool, fetch);
    const uint64_t line = fetched->request.address;
    uint8_t segments = fetched->segments, level = fetched->level, sectors = fetched->line.fetched;
    const gpci_mshr_place place =
        gpci_mshr_look(timed, ctrl, gpci_ctrl_line(ctrl, fetched->request.address), &fetched->entry);
    const uint32_t mshr_entry = place.mshr_entry;
    gpci_packet *entry = gpci_packet_at(&timed->pool, mshr_entry);
    gpci_ctrl_resource_freed(ctrl, GPC_BUSY_LINE);
    gpci_ctrl_resource_freed(ctrl, GPC_BUSY_MSHR);
    gpci_ctrl_resource_freed(ctrl, GPC_BUSY_MERGE);
    const uint32_t kept = keep_fetch(timed, ctrl, fetched, mshr_entry, entry);
    sectors &= ctrl->line->sectors_of[entry->mshr.outdated];
    gpci_pool_give(&timed->pool, fetch);
    arrived(ctrl, entry, segments);
    const uint32_t waiting = entry->mshr.count;
    if (GPCI_UNLIKELY(ctrl->options->drains))
        release_mshr_entry(timed, ctrl, mshr_entry, kept, segments, level);
    if (entry->mshr.first != GPCI_NO_PACKET)
        release_waiting(timed, ctrl, mshr_entry, kept, segments, level);
    bool ready = is_ready(entry, segments);
    if (GPCI_UNLIKELY(ctrl->options->drains)) {
        if (!gpci_mshr_in_flight(entry))
            gpci_drain_begin(timed, ctrl, mshr_entry, waiting);
    } else if (!gpci_mshr_in_flight(entry)) {
        gpci_mshr_remove(timed, ctrl, &place);
        if (ready)
            release(timed, ctrl, mshr_entry, kept, level);
        else
            gpci_pool_give(&timed->pool, mshr_entry);
    } else if (ready && entry->mshr.first != GPCI_NO_PACKET) {
        gpci_mshr_pass_on(timed, ctrl, &place);
        release(timed, ctrl, mshr_entry, kept, level);
    } else if (ready && ctrl->rules->loads_go && entry->line.kind != GPC_STORE) {
        gpci_l1_done(timed, mshr_entry, level);
    }
    if (GPCI_UNLIKELY(sectors))
        drop_outdated(timed, ctrl, line, sectors);
}

bool gpci_ctrl_complete_fetch(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t fetch, uint32_t mshr_entry) {
    gpci_packet *fetched = gpci_packet_at(&timed->pool, fetch), *entry = gpci_packet_at(&timed->pool, mshr_entry);
    uint8_t here = fetched->segments,
            rest = ctrl->line->segments_of[fetched->line.fetched] & (uint8_t) ~(here | entry->mshr.full_sectors);
    if (!rest)
        return false;
    gpci_ctrl_resource_freed(ctrl, GPC_BUSY_MERGE);
    uint8_t complete = fetched->line.fetched & ctrl->line->sectors_of[gpci_full_sectors(ctrl->line, here)];
    if (complete)
        keep(timed, ctrl, fetched, complete, entry->mshr.slot);
    if (fetched->line.marks >> GPCI_MARK_GENERATION_SHIFT == ctrl->fences.generation)
        complete &= ctrl->line->sectors_of[entry->mshr.outdated];
    gpci_fence_stale(ctrl, fetched->request.address, complete);
    arrived(ctrl, entry, here);
    release_waiting(timed, ctrl, mshr_entry, GPCI_NO_PACKET, here, fetched->level);
    if (is_ready(entry, here))
        gpci_l1_done(timed, mshr_entry, fetched->level);
    fetched->line.fetched = ctrl->line->sectors_of[rest];
    gpci_mshr_fly(ctrl, entry, entry->mshr.full_sectors | ctrl->line->segments_of[fetched->line.fetched],
                  entry->mshr.other_segments);
    gpci_l1_send_rest(timed, ctrl, fetch);
    return true;
}
