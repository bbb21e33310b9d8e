/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/event_log.h"
#include "timed/core/mshr_table.h"
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
    if (GPCI_UNLIKELY(!ctrl->options->on_miss || !ctrl->cache->places))
        gpci_ctrl_sw_prefetch(ctrl, address);
    else if (ctrl->mshr.rows)
        GPCI_PREFETCH(gpci_mshr_row_of(ctrl, gpci_mshr_hash(gpci_ctrl_line(ctrl, address))));
}

uint32_t gpci_mshr_find(const gpci_timed *t, const gpci_ctrl *ctrl, uint64_t address) {
    return gpci_mshr_look(t, ctrl, gpci_ctrl_line(ctrl, address), NULL).mshr_entry;
}

uint32_t gpci_mshr_of_fetch(const gpci_timed *t, const gpci_ctrl *ctrl, const gpci_packet *fetch) {
    return gpci_mshr_look(t, ctrl, gpci_ctrl_line(ctrl, fetch->request.address), &fetch->entry).mshr_entry;
}

/* A line has been replaced: if in flight, the entry now only serves packets already waiting. */
static GPCI_NOINLINE void part_from_line(gpci_timed *t, gpci_ctrl *ctrl, const gpc_eviction *left) {
    const uint32_t mshr_entry = gpci_mshr_find(t, ctrl, left->line_address);
    if (mshr_entry == GPCI_NO_PACKET)
        return;
    gpci_packet *l = gpci_packet_at(&t->pool, mshr_entry);
    l->mshr.replaced |= l->mshr.slot == (uint32_t)gpci_slot(ctrl->cache, left->set, left->way);
}

void gpci_ctrl_outdate(const gpci_timed *t, const gpci_ctrl *ctrl, uint64_t address, uint8_t segments) {
    uint32_t mshr_entry = gpci_mshr_find(t, ctrl, address);
    if (mshr_entry != GPCI_NO_PACKET)
        gpci_packet_at(&t->pool, mshr_entry)->mshr.outdated |= segments;
}

gpci_verdict gpci_ctrl_block(gpci_ctrl *ctrl, gpci_tag_access *access, uint64_t now, gpc_busy reason) {
    access->freed &= (uint8_t) ~(1u << reason);
    if (access->reason == reason)
        return GPCI_BLOCKED;
    gpci_ctrl_unblock(ctrl, access, now);
    ctrl->counts.failures[reason]++;
    access->reason = (uint8_t)reason;
    access->since = now;
    return GPCI_BLOCKED;
}

void gpci_ctrl_unblock(gpci_ctrl *ctrl, gpci_tag_access *access, uint64_t now) {
    if (access->reason == GPC_BUSY_NOT)
        return;
    gpci_log_released(ctrl, access);
    ctrl->counts.stalls[access->reason] += now - access->since;
    access->reason = GPC_BUSY_NOT;
}

/* Accesses of the hierarchy have been checked when issued. */
GPCI_INLINE bool resolve(gpci_timed *t, const gpc_cache *cache, const gpc_request *request, gpci_view *view) {
    if (GPCI_LIKELY(gpci_is_read(request) && request->sector_mask)) {
        gpci_view_read(cache, request, view);
        return true;
    }
    gpc_status status = gpci_view_of(cache, request, view);
    if (status < 0)
        t->failed = status;
    return status >= 0;
}

void gpci_ctrl_look(gpci_timed *t, gpci_ctrl *ctrl, gpci_packet *packet, gpci_tag_access *access) {
    access->looked = access->fresh = true;
    access->reserved = access->declined = false;
    access->asked = access->passes = 0;
    access->flying = 0;
    access->mshr_entry = GPCI_NO_PACKET;
    access->result = (gpc_access_result){.way = GPCI_NO_WAY};
    if (!resolve(t, ctrl->cache, &packet->request, &access->view))
        return;
    gpci_level_look_up(ctrl->cache, &packet->request, &access->view, !ctrl->options->on_miss, &access->result);
    if (access->result.outcome == GPC_HIT)
        return;
    access->declined = access->result.admission == GPC_DECLINED;
    if (GPCI_UNLIKELY(ctrl->options->reserves) && access->result.outcome == GPC_PENDING_HIT)
        access->flying = ctrl->line->segments_of[access->result.needed_sectors];
    access->mshr_entry = gpci_mshr_find(t, ctrl, packet->request.address);
    if (access->mshr_entry == GPCI_NO_PACKET)
        return;
    const gpci_packet *l = gpci_packet_at(&t->pool, access->mshr_entry);
    access->flying |= (access->result.outcome == GPC_BYPASSED ? gpci_mshr_in_flight(l) : l->mshr.whole) &
                      ctrl->line->segments_of[access->result.needed_sectors];
}

/*
 * True if a line is in flight that a packet of this set might wait for. If there are data for fewer lines than ways: of
 * any set.
 */
static bool awaits_line(const gpci_timed *t, const gpci_ctrl *ctrl, uint32_t set) {
    const gpc_cache *cache = ctrl->cache;
    const bool all = cache->spare_ways != 0;
    for (uint32_t s = all ? 0 : set; s < (all ? cache->sets : set + 1); s++)
        for (uint32_t way = 0; way < cache->ways; way++) {
            if (!gpci_valid_way(cache, s, way))
                continue;
            const uint64_t line = gpci_line_at(cache, gpci_slot(cache, s, way));
            const uint32_t mshr_entry = gpci_mshr_look(t, ctrl, line, NULL).mshr_entry;
            if (mshr_entry != GPCI_NO_PACKET && gpci_mshr_in_flight(gpci_packet_at(&t->pool, mshr_entry)))
                return true;
        }
    return false;
}

/* A packet found no victim: if all lines are reserved and none is in flight, replace a reserved line (drain.h). */
static GPCI_NOINLINE gpc_status reserve_late(const gpci_timed *t, const gpci_ctrl *ctrl, const gpci_packet *p,
                                             const gpci_tag_access *access, gpc_access_result *got) {
    if (awaits_line(t, ctrl, access->view.set))
        return GPC_OK;
    *got = (gpc_access_result){.way = GPCI_NO_WAY};
    return gpci_reserve_over_pending(ctrl->cache, &p->request, &access->view, access->result.fetch_sectors, got);
}

/* Reserve step, for a line in `way`, or no way. GPCI_BLOCKED if all lines are reserved: wait for one. */
GPCI_INLINE gpci_verdict reserve(gpci_timed *t, gpci_ctrl *ctrl, const gpci_packet *p, gpci_tag_access *access,
                                 uint32_t *way) {
    gpc_access_result *r = &access->result, got = {.way = GPCI_NO_WAY};
    gpc_status status = gpci_reserve(ctrl->cache, &p->request, &access->view, *way, r->fetch_sectors, &got);
    if (GPCI_UNLIKELY(ctrl->options->reserves) && status == GPC_OK && got.outcome == GPC_NO_VICTIM)
        status = reserve_late(t, ctrl, p, access, &got);
    GPCI_AGAIN(ctrl->counts.no_victims_again += status == GPC_OK && got.outcome == GPC_NO_VICTIM);
    if (status < 0) {
        t->failed = status;
        got.outcome = GPC_BYPASSED;
        got.fetch_sectors = r->fetch_sectors;
    }
    if (got.outcome == GPC_NO_VICTIM && !(p->flags & GPCI_PACKET_LINK))
        return GPCI_BLOCKED;
    access->reserved = true;
    *way = got.way;
    if (got.outcome == GPC_NO_VICTIM) { /* must not wait for lines that wait for the other partition */
        gpci_level_spill(&p->request, p->bytes, r);
        return GPCI_SERVED;
    }
    if (got.outcome == GPC_BYPASSED) { /* the policy declined, or a store leaves nothing anyway */
        gpci_level_refused(&got, r);
        access->declined = true;
        if (ctrl->level == 1)
            gpci_l1_observe_verdict(ctrl, &p->request, true);
    }
    if (got.evicted) {
        if (GPCI_UNLIKELY(ctrl->options->replaceable))
            part_from_line(t, ctrl, &got.eviction);
        gpci_ctrl_evicted(t, ctrl, p, &got.eviction);
    }
    return GPCI_SERVED;
}

/*
 * Lack of a packet, given the line's way (or GPCI_NO_WAY) and segments in flight; `mshr_entry`: of the line's MSHR
 * entry, or NULL.
 */
GPCI_INLINE gpci_missing lacks(const gpci_ctrl *ctrl, const gpci_packet *p, const gpci_tag_access *access, uint32_t way,
                               const gpci_packet *mshr_entry) {
    const gpc_access_result *r = &access->result;
    const uint8_t *segments_of = ctrl->line->segments_of;
    gpci_line_state line = {.whole = mshr_entry ? mshr_entry->mshr.whole : 0,
                            .part = mshr_entry ? mshr_entry->mshr.part : 0};
    if (r->outcome != GPC_BYPASSED && way != GPCI_NO_WAY)
        line.valid = segments_of[GPCI_VALID(ctrl->cache->states[gpci_slot(ctrl->cache, r->set, way)])];
    uint8_t own = ctrl->rules->own_lines ? p->segments : segments_of[r->needed_sectors];
    return gpci_level_missing(ctrl->line, &p->request, r, own, ctrl->options->part, line);
}

/* Lack of a packet without a way. */
static GPCI_NOINLINE gpci_missing lacks_without(const gpci_ctrl *ctrl, const gpci_packet *p,
                                                const gpci_tag_access *access, const gpci_packet *mshr_entry) {
    return lacks(ctrl, p, access, GPCI_NO_WAY, mshr_entry);
}

/* Packet to wait for data: in L1 a load that sends a fetch travels as the fetch. */
GPCI_INLINE uint32_t target_of(gpci_timed *t, const gpci_ctrl *ctrl, uint32_t packet, const gpci_packet *p,
                               bool sends) {
    if (!ctrl->rules->loads_go || !gpci_is_read(&p->request))
        return packet;
    uint32_t mshr_target = gpci_leave_target(t, p);
    if (mshr_target == GPCI_NO_PACKET) {
        if (!sends)
            return packet;
        mshr_target = gpci_pool_take(&t->pool);
        *gpci_packet_at(&t->pool, mshr_target) = *p;
    } else if (!sends) {
        gpci_pool_give(&t->pool, packet);
    }
    return mshr_target;
}

/* Where the packet's line is: as its lookup found it, unless something may have happened since. */
GPCI_INLINE uint32_t way_now(const gpci_ctrl *ctrl, const gpci_packet *p, const gpci_tag_access *access) {
    const gpc_access_result *r = &access->result;
    if (access->fresh && !r->evicted)
        return r->way;
    return r->outcome == GPC_BYPASSED ? GPCI_NO_WAY
                                      : gpci_find(ctrl->cache, r->set, gpci_ctrl_line(ctrl, p->request.address));
}

static bool is_full(const gpci_timed *t, const gpci_ctrl *ctrl, uint32_t mshr_entry, uint8_t needs) {
    const gpci_ctrl_options *o = ctrl->options;
    if (gpci_packet_at(&t->pool, mshr_entry)->mshr.count < o->merges)
        return false;
    return !o->by_sector || gpci_sector_is_full(t, ctrl, mshr_entry, needs);
}

/* A load hits a reserved line without data in flight: fetch the sectors again (drain.h). */
static GPCI_NOINLINE void ask_again(const gpci_ctrl *ctrl, const gpci_packet *p, gpc_access_result *r, uint32_t way) {
    if (way == GPCI_NO_WAY || !gpci_is_read(&p->request) ||
        !(r->needed_sectors & GPCI_PENDING(ctrl->cache->states[gpci_slot(ctrl->cache, r->set, way)])))
        return;
    r->outcome = GPC_SECTOR_MISS;
    r->fetch_sectors = r->needed_sectors;
}

/*
 * The line is gone, but its MSHR entry drains: the packet takes a turn of the entry; loads may reserve a line
 * (drain.h).
 */
static GPCI_NOINLINE gpci_verdict settle_late(gpci_timed *t, gpci_ctrl *ctrl, uint32_t packet, gpci_tag_access *access,
                                              uint32_t mshr_entry, uint32_t way, uint8_t needs) {
    const gpci_packet *p = gpci_packet_at(&t->pool, packet);
    if (gpci_packet_at(&t->pool, mshr_entry)->mshr.outdated & needs || !gpci_drain_has_room(t, ctrl, mshr_entry, needs))
        return ctrl->rules->on_stall(t, ctrl, packet, access, mshr_entry, GPC_BUSY_MERGE);
    if (ctrl->options->reserves && gpci_is_read(&p->request) && !access->reserved &&
        access->result.outcome == GPC_MISS && reserve(t, ctrl, p, access, &way) == GPCI_BLOCKED)
        return ctrl->rules->on_stall(t, ctrl, packet, access, mshr_entry, GPC_BUSY_LINE);
    gpci_drain_join(t, ctrl, mshr_entry);
    return GPCI_SERVED;
}

/* Let a packet wait at the line's MSHR entry (a new entry if `entry` is NULL), and fetch segments not in flight. */
GPCI_INLINE void wait_with(gpci_timed *t, gpci_ctrl *ctrl, uint32_t packet, gpci_packet *p,
                           const gpci_tag_access *access, gpci_packet *entry, uint32_t way, gpci_missing l,
                           bool remote) {
    const gpc_access_result *r = &access->result;
    const bool cached = r->outcome != GPC_BYPASSED;
    p->mshr.cached = cached;
    p->mshr.no_token = p->request.token == GPC_TOKEN_NONE;
    p->mshr.done = false;
    p->mshr.needs = l.wait;
    const uint64_t line = access->view.line;
    uint32_t mshr_target = target_of(t, ctrl, packet, p, l.fetch != 0);
    if (entry)
        gpci_mshr_join(t, entry, mshr_target);
    else
        gpci_mshr_add(t, ctrl, mshr_target, entry = gpci_packet_at(&t->pool, mshr_target), line, remote);
    if (cached && way != GPCI_NO_WAY)
        entry->mshr.slot = (uint32_t)gpci_slot(ctrl->cache, r->set, way);
    if (!l.fetch) {
        gpci_log_waits(t, ctrl, mshr_target, mshr_target);
        return;
    }
    uint8_t whole = gpci_whole_sectors(ctrl->line, l.fetch);
    if (ctrl->rules->loads_go && !gpci_mshr_in_flight(entry))
        entry->sent = (uint32_t)t->wheel.now;
    entry->mshr.whole |= whole;
    entry->mshr.part |= l.fetch & (uint8_t)~whole;
    gpci_log_waits(t, ctrl, packet, mshr_target);
    ctrl->rules->send(t, ctrl,
                      &(gpci_fetch_request){packet, mshr_target, r->policy_word, l.fetch, cached, access->declined,
                                            remote, entry->mshr.entry});
}

gpci_verdict gpci_ctrl_settle(gpci_timed *t, gpci_ctrl *ctrl, uint32_t packet, gpci_tag_access *access, bool remote) {
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    gpc_access_result *r = &access->result;
    const gpci_ctrl_options *o = ctrl->options;
    if (r->outcome == GPC_HIT)
        return GPCI_SERVED;
    uint32_t mshr_entry = access->fresh ? access->mshr_entry : gpci_mshr_find(t, ctrl, p->request.address);
    uint32_t way = way_now(ctrl, p, access);
    access->fresh = false;
    bool found = mshr_entry != GPCI_NO_PACKET;
    gpci_packet *entry = found ? gpci_packet_at(&t->pool, mshr_entry) : NULL;
    if (GPCI_UNLIKELY(o->reserves) && !(found && entry->mshr.whole))
        ask_again(ctrl, p, r, way);
    gpci_missing l = lacks(ctrl, p, access, way, entry);
    if (GPCI_UNLIKELY(o->drains) && found && l.fetch && !gpci_mshr_in_flight(entry))
        return settle_late(t, ctrl, packet, access, mshr_entry, way, l.wait);
    if (l.fetch | l.wait) {
        if (found ? is_full(t, ctrl, mshr_entry, l.wait) || entry->mshr.outdated & (l.fetch | l.wait)
                  : ctrl->mshr.used[remote] >= o->entries)
            return ctrl->rules->on_stall(t, ctrl, packet, access, mshr_entry, found ? GPC_BUSY_MERGE : GPC_BUSY_MSHR);
        if (l.fetch && gpci_queue_full(remote ? &ctrl->link : &ctrl->out))
            return ctrl->rules->on_stall(t, ctrl, packet, access, mshr_entry, GPC_BUSY_MISS_QUEUE);
    }
    if (!access->reserved && gpci_level_reserves(&p->request, r, o->on_miss)) {
        if (reserve(t, ctrl, p, access, &way) == GPCI_BLOCKED)
            return ctrl->rules->on_stall(t, ctrl, packet, access, mshr_entry, GPC_BUSY_LINE);
        if (r->outcome == GPC_BYPASSED)
            l = lacks_without(ctrl, p, access, entry);
    }
    if (!(l.fetch | l.wait))
        return GPCI_SERVED;
    wait_with(t, ctrl, packet, p, access, entry, way, l, remote);
    return GPCI_WAITING;
}

/* Fill the data of a fetch into the cache, for the first waiting packet to keep the data. */
static GPCI_NOINLINE void fill(gpci_timed *t, gpci_ctrl *ctrl, const gpci_packet *p, uint8_t sectors) {
    gpc_access_result got;
    gpc_status status = gpc_cache_fill(ctrl->cache, &p->request, sectors, &got);
    GPCI_AGAIN(ctrl->counts.no_victims_again += status == GPC_OK && got.outcome == GPC_NO_VICTIM);
    if (status < 0) {
        t->failed = status;
        return;
    }
    if (t->log != NULL)
        gpci_append_kept(t, ctrl, p, &got);
    if (got.evicted)
        gpci_ctrl_evicted(t, ctrl, p, &got.eviction);
    if (got.outcome == GPC_BYPASSED && gpci_is_read(&p->request))
        ctrl->rules->on_not_allocated(ctrl, p, sectors);
    if (got.way == GPCI_NO_WAY && !gpci_is_read(&p->request)) /* no room for written bytes: send them below */
        gpci_ctrl_write_below(t, ctrl, p);
}

/* `slot`: the line's reserved slot, if known. */
GPCI_INLINE void keep(gpci_timed *t, gpci_ctrl *ctrl, const gpci_packet *p, uint8_t sectors, uint32_t slot) {
    if (GPCI_UNLIKELY(t->log != NULL) || !gpci_fill_reserved(ctrl->cache, &p->request, slot, sectors))
        fill(t, ctrl, p, sectors);
}

/*
 * Token for the data of a fetch of L1. The fetch may have been sent for one packet and be wanted by another: held if a
 * packet that keeps the data has a token.
 */
static uint8_t token_of(const gpci_timed *t, uint32_t mshr_entry, const gpci_packet *f) {
    for (uint32_t packet = mshr_entry; packet != GPCI_NO_PACKET;
         packet = packet == mshr_entry ? gpci_packet_at(&t->pool, mshr_entry)->mshr.first
                                       : *gpci_next_of(&t->pool, packet)) {
        const gpci_packet *p = gpci_packet_at(&t->pool, packet);
        if (p->mshr.cached && !p->mshr.no_token && p->mshr.needs & f->segments)
            return GPC_TOKEN_HELD;
    }
    return GPC_TOKEN_NONE;
}

/* No packet waits for these sectors to keep them, but a packet now gone has reserved room for them. */
static void settle_line(gpci_timed *t, gpci_ctrl *ctrl, const gpci_packet *fetch, uint8_t sectors) {
    const gpc_request request =
        gpci_request_of_nobody(t->h, fetch->request.address, fetch->address, fetch->request.sm, GPC_LOAD);
    gpc_access_result got;
    gpc_line line;
    if (!gpci_line_of(ctrl->cache, request.address, &line) || !(line.pending_sectors & sectors))
        return;
    gpc_status status = gpc_cache_fill(ctrl->cache, &request, line.pending_sectors & sectors, &got);
    t->failed = status < 0 ? status : t->failed;
}

/*
 * First waiting packet to keep the data of a fetch. Data bypassing the cache are kept for a packet that needs exactly
 * these data.
 */
GPCI_INLINE uint32_t first_cached(const gpci_timed *t, uint32_t mshr_entry, const gpci_packet *l,
                                  const gpci_packet *f) {
    const uint8_t passes = f->line.marks & GPCI_MARK_PASSES ? f->segments : 0;
    if (l->mshr.cached && (!passes || l->mshr.needs & passes))
        return mshr_entry;
    for (uint32_t packet = l->mshr.first; packet != GPCI_NO_PACKET; packet = *gpci_next_of(&t->pool, packet)) {
        const gpci_packet *p = gpci_packet_at(&t->pool, packet);
        if (p->mshr.cached && (!passes || p->mshr.needs & passes))
            return packet;
    }
    return GPCI_NO_PACKET;
}

/* Put bytes written by a waiting packet into the line. */
static void keep_own(gpci_timed *t, gpci_ctrl *ctrl, uint32_t packet, uint32_t kept) {
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    uint8_t kind = ctrl->rules->own_lines ? p->line.kind : p->request.kind;
    if (packet != kept && p->mshr.cached && kind != GPC_LOAD && kind != GPC_PREFETCH)
        keep(t, ctrl, p, ctrl->line->sectors_of[p->mshr.needs], GPCI_NO_SLOT);
}

static void release(gpci_timed *t, gpci_ctrl *ctrl, uint32_t packet, uint32_t kept, uint8_t level) {
    keep_own(t, ctrl, packet, kept);
    ctrl->rules->released(t, ctrl, packet, level);
}

/* Segments have arrived for an entry: release packets with all needed segments; the entry ends with the last packet. */
static void release_waiting(gpci_timed *t, gpci_ctrl *ctrl, uint32_t mshr_entry, uint32_t kept, uint8_t segments,
                            uint8_t level) {
    gpci_packet *l = gpci_packet_at(&t->pool, mshr_entry);
    uint8_t missing = gpci_mshr_in_flight(l) & (uint8_t)~segments;
    uint32_t packet = l->mshr.first, last = GPCI_NO_PACKET;
    l->mshr.first = l->mshr.last = GPCI_NO_PACKET;
    while (packet != GPCI_NO_PACKET) {
        gpci_packet *p = gpci_packet_at(&t->pool, packet);
        uint32_t next = *gpci_next_of(&t->pool, packet);
        if (p->mshr.needs & missing) {
            *gpci_next_of(&t->pool, packet) = GPCI_NO_PACKET;
            if (last == GPCI_NO_PACKET)
                l->mshr.first = packet;
            else
                *gpci_next_of(&t->pool, last) = packet;
            l->mshr.last = last = packet;
        } else {
            l->mshr.count--;
            release(t, ctrl, packet, kept, level);
        }
        packet = next;
    }
}

/*
 * Keep the data of a fetch in the name of a packet: a waiting packet, or in L1, with loads travelling below, the fetch.
 * Returns the waiting packet.
 */
GPCI_INLINE uint32_t keep_fetch(gpci_timed *t, gpci_ctrl *ctrl, gpci_packet *f, uint32_t mshr_entry,
                                const gpci_packet *l) {
    uint32_t kept = first_cached(t, mshr_entry, l, f);
    const uint32_t slot = l->mshr.slot;
    uint8_t sectors = f->line.fetched & ctrl->line->sectors_of[gpci_whole_sectors(ctrl->line, f->segments)];
    if (!sectors || GPCI_UNLIKELY(l->mshr.replaced))
        return GPCI_NO_PACKET;
    if (kept == GPCI_NO_PACKET && !(f->line.marks & GPCI_MARK_KEPT)) {
        settle_line(t, ctrl, f, sectors);
        return kept;
    }
    if (ctrl->rules->loads_go) {
        bool own = f->line.kind == GPC_STORE && gpci_packet_at(&t->pool, f->line.mshr_target)->mshr.cached;
        if (GPCI_UNLIKELY(f->request.token != GPC_TOKEN_UNUSED) && kept != GPCI_NO_PACKET)
            f->request.token = token_of(t, mshr_entry, f);
        kept = own ? f->line.mshr_target : GPCI_NO_PACKET;
        keep(t, ctrl, own ? gpci_packet_at(&t->pool, kept) : f, sectors, slot);
        return kept;
    }
    keep(t, ctrl, gpci_packet_at(&t->pool, kept), sectors, slot);
    return kept;
}

/* Segments of a fetch are no longer in flight. */
GPCI_INLINE void arrived(const gpci_ctrl *ctrl, gpci_packet *mshr_entry, uint8_t segments) {
    uint8_t whole = gpci_whole_sectors(ctrl->line, segments);
    mshr_entry->mshr.whole &= (uint8_t)~whole;
    mshr_entry->mshr.part &= (uint8_t) ~(segments & (uint8_t)~whole);
}

/* True if an entry's leader has all needed data, once these segments have arrived. */
static bool is_ready(const gpci_packet *mshr_entry, uint8_t segments) {
    return !(mshr_entry->mshr.needs & gpci_mshr_in_flight(mshr_entry) & (uint8_t)~segments) && !mshr_entry->mshr.done;
}

/* The leader has all data, but stays as first packet of the entry, not yet free. */
static GPCI_NOINLINE void release_mshr_entry(gpci_timed *t, gpci_ctrl *ctrl, uint32_t mshr_entry, uint32_t kept,
                                             uint8_t segments, uint8_t level) {
    gpci_packet *l = gpci_packet_at(&t->pool, mshr_entry);
    l->segments = segments;
    if (!is_ready(l, segments))
        return;
    keep_own(t, ctrl, mshr_entry, kept);
    gpci_l1_done(t, mshr_entry, level);
}

void gpci_mshr_free(gpci_timed *t, gpci_ctrl *ctrl, uint32_t mshr_entry) {
    const gpci_mshr_place at =
        gpci_mshr_look(t, ctrl, gpci_mshr_line(t, ctrl, mshr_entry), &gpci_packet_at(&t->pool, mshr_entry)->mshr.entry);
    gpci_mshr_remove(t, ctrl, &at);
    gpci_pool_give(&t->pool, mshr_entry);
}

/* A fetch has filled sectors of a line that were written meanwhile. */
static GPCI_NOINLINE void drop_outdated(gpci_timed *t, gpci_ctrl *ctrl, uint64_t line, uint8_t sectors) {
    gpc_line kept;
    if (GPCI_UNLIKELY(t->h->log != NULL) && gpci_line_of(ctrl->cache, line, &kept) &&
        !(kept.valid_sectors & ~sectors) && !kept.dirty_sectors && !kept.pending_sectors)
        gpci_log_dropped(t->h, ctrl->cache, ctrl->level == 2 ? GPC_COMPONENT_L2 : GPC_COMPONENT_L1, ctrl->index, line,
                         ctrl->level == 2 ? gpci_l2_host_address(t->h, ctrl->index, line) : line);
    gpci_fence_stale(ctrl, line, sectors);
}

void gpci_ctrl_fill(gpci_timed *t, gpci_ctrl *ctrl, uint32_t fetch) {
    gpci_packet *f = gpci_packet_at(&t->pool, fetch);
    const uint64_t line = f->request.address;
    uint8_t segments = f->segments, level = f->level, sectors = f->line.fetched;
    const gpci_mshr_place at = gpci_mshr_look(t, ctrl, gpci_ctrl_line(ctrl, f->request.address), &f->entry);
    const uint32_t mshr_entry = at.mshr_entry;
    gpci_packet *l = gpci_packet_at(&t->pool, mshr_entry);
    gpci_ctrl_resource_freed(ctrl, GPC_BUSY_LINE);
    gpci_ctrl_resource_freed(ctrl, GPC_BUSY_MSHR);
    gpci_ctrl_resource_freed(ctrl, GPC_BUSY_MERGE);
    const uint32_t kept = keep_fetch(t, ctrl, f, mshr_entry, l);
    sectors &= ctrl->line->sectors_of[l->mshr.outdated];
    gpci_pool_give(&t->pool, fetch);
    arrived(ctrl, l, segments);
    const uint32_t waiting = l->mshr.count;
    if (GPCI_UNLIKELY(ctrl->options->drains))
        release_mshr_entry(t, ctrl, mshr_entry, kept, segments, level);
    if (l->mshr.first != GPCI_NO_PACKET)
        release_waiting(t, ctrl, mshr_entry, kept, segments, level);
    bool ready = is_ready(l, segments);
    if (GPCI_UNLIKELY(ctrl->options->drains)) {
        if (!gpci_mshr_in_flight(l))
            gpci_drain_begin(t, ctrl, mshr_entry, waiting);
    } else if (!gpci_mshr_in_flight(l)) {
        gpci_mshr_remove(t, ctrl, &at);
        if (ready)
            release(t, ctrl, mshr_entry, kept, level);
        else
            gpci_pool_give(&t->pool, mshr_entry);
    } else if (ready && l->mshr.first != GPCI_NO_PACKET) {
        gpci_mshr_pass_on(t, ctrl, &at);
        release(t, ctrl, mshr_entry, kept, level);
    } else if (ready && ctrl->rules->loads_go && l->line.kind != GPC_STORE) {
        gpci_l1_done(t, mshr_entry, level);
    }
    if (GPCI_UNLIKELY(sectors))
        drop_outdated(t, ctrl, line, sectors);
}

bool gpci_ctrl_complete_fetch(gpci_timed *t, gpci_ctrl *ctrl, uint32_t fetch, uint32_t mshr_entry) {
    gpci_packet *f = gpci_packet_at(&t->pool, fetch), *l = gpci_packet_at(&t->pool, mshr_entry);
    uint8_t here = f->segments, rest = ctrl->line->segments_of[f->line.fetched] & (uint8_t) ~(here | l->mshr.whole);
    if (!rest)
        return false;
    gpci_ctrl_resource_freed(ctrl, GPC_BUSY_MERGE);
    uint8_t complete = f->line.fetched & ctrl->line->sectors_of[gpci_whole_sectors(ctrl->line, here)];
    if (complete)
        keep(t, ctrl, f, complete, l->mshr.slot);
    if (f->line.marks >> GPCI_MARK_GENERATION_SHIFT == ctrl->fences.generation)
        complete &= ctrl->line->sectors_of[l->mshr.outdated];
    gpci_fence_stale(ctrl, f->request.address, complete);
    arrived(ctrl, l, here);
    release_waiting(t, ctrl, mshr_entry, GPCI_NO_PACKET, here, f->level);
    if (is_ready(l, here))
        gpci_l1_done(t, mshr_entry, f->level);
    f->line.fetched = ctrl->line->sectors_of[rest];
    l->mshr.whole |= ctrl->line->segments_of[f->line.fetched];
    gpci_l1_send_rest(t, ctrl, fetch);
    return true;
}
