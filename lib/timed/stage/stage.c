/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/mshr_table.h"
#include "timed/core/watch.h"
#include "timed/stage/drain.h"
#include "timed/stage/l1_observe.h"

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

void gpci_stage_expect(const gpci_stage *stage, uint64_t address) {
    if (!stage->cache)
        return;
    if (stage->mshr.rows)
        GPCI_PREFETCH(gpci_mshr_row_of(stage, gpci_mshr_hash(gpci_stage_line(stage, address))));
    gpci_expect_set(stage->cache, address);
}

void gpci_stage_expect_fill(const gpci_stage *stage, uint64_t address) {
    if (!stage->cache)
        return;
    if (GPCI_UNLIKELY(!stage->options->on_miss || !stage->cache->places))
        gpci_stage_expect(stage, address);
    else if (stage->mshr.rows)
        GPCI_PREFETCH(gpci_mshr_row_of(stage, gpci_mshr_hash(gpci_stage_line(stage, address))));
}

uint32_t gpci_mshr_find(const gpci_timed *t, const gpci_stage *stage, uint64_t address) {
    return gpci_mshr_look(t, stage, gpci_stage_line(stage, address), NULL).leader;
}

uint32_t gpci_mshr_of_fetch(const gpci_timed *t, const gpci_stage *stage, const gpci_packet *fetch) {
    return gpci_mshr_look(t, stage, gpci_stage_line(stage, fetch->request.address), &fetch->entry).leader;
}

/* A line has been replaced: if in flight, the entry now only serves packets already waiting. */
static GPCI_NOINLINE void part_from_line(gpci_timed *t, gpci_stage *stage, const gpc_eviction *left) {
    const uint32_t leader = gpci_mshr_find(t, stage, left->line_address);
    if (leader == GPCI_NO_PACKET)
        return;
    gpci_packet *l = gpci_packet_at(&t->pool, leader);
    l->mshr.replaced |= l->mshr.slot == (uint32_t)gpci_slot(stage->cache, left->set, left->way);
}

void gpci_stage_outdate(const gpci_timed *t, const gpci_stage *stage, uint64_t address, uint8_t segments) {
    uint32_t leader = gpci_mshr_find(t, stage, address);
    if (leader != GPCI_NO_PACKET)
        gpci_packet_at(&t->pool, leader)->mshr.outdated |= segments;
}

gpci_verdict gpci_stage_block(gpci_stage *stage, gpci_tag_access *access, uint64_t now, gpc_busy reason) {
    access->relieved &= (uint8_t) ~(1u << reason);
    if (access->reason == reason)
        return GPCI_BLOCKED;
    gpci_stage_unblock(stage, access, now);
    stage->counts.failures[reason]++;
    access->reason = (uint8_t)reason;
    access->since = now;
    return GPCI_BLOCKED;
}

void gpci_stage_unblock(gpci_stage *stage, gpci_tag_access *access, uint64_t now) {
    if (access->reason == GPC_BUSY_NOT)
        return;
    gpci_see_released(stage, access);
    stage->counts.stalls[access->reason] += now - access->since;
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

void gpci_stage_look(gpci_timed *t, gpci_stage *stage, gpci_packet *packet, gpci_tag_access *access) {
    access->looked = access->fresh = true;
    access->reserved = access->declined = false;
    access->asked = access->passes = 0;
    access->flying = 0;
    access->leader = GPCI_NO_PACKET;
    access->result = (gpc_access_result){.way = GPCI_NO_WAY};
    if (!resolve(t, stage->cache, &packet->request, &access->view))
        return;
    gpci_level_look_up(stage->cache, &packet->request, &access->view, !stage->options->on_miss, &access->result);
    if (access->result.outcome == GPC_HIT)
        return;
    access->declined = access->result.admission == GPC_DECLINED;
    if (GPCI_UNLIKELY(stage->options->reserves) && access->result.outcome == GPC_PENDING_HIT)
        access->flying = stage->line->segments_of[access->result.needed_sectors];
    access->leader = gpci_mshr_find(t, stage, packet->request.address);
    if (access->leader == GPCI_NO_PACKET)
        return;
    const gpci_packet *l = gpci_packet_at(&t->pool, access->leader);
    access->flying |= (access->result.outcome == GPC_BYPASSED ? gpci_mshr_in_flight(l) : l->mshr.whole) &
                      stage->line->segments_of[access->result.needed_sectors];
}

/*
 * True if a line is in flight that a packet of this set might wait for. If there are data for fewer lines than ways: of
 * any set.
 */
static bool awaits_line(const gpci_timed *t, const gpci_stage *stage, uint32_t set) {
    const gpc_cache *cache = stage->cache;
    const bool all = cache->spare_ways != 0;
    for (uint32_t s = all ? 0 : set; s < (all ? cache->sets : set + 1); s++)
        for (uint32_t way = 0; way < cache->ways; way++) {
            if (!gpci_valid_way(cache, s, way))
                continue;
            const uint64_t line = gpci_line_at(cache, gpci_slot(cache, s, way));
            const uint32_t leader = gpci_mshr_look(t, stage, line, NULL).leader;
            if (leader != GPCI_NO_PACKET && gpci_mshr_in_flight(gpci_packet_at(&t->pool, leader)))
                return true;
        }
    return false;
}

/* A packet found no victim: if all lines are reserved and none is in flight, replace a reserved line (drain.h). */
static GPCI_NOINLINE gpc_status reserve_late(const gpci_timed *t, const gpci_stage *stage, const gpci_packet *p,
                                             const gpci_tag_access *access, gpc_access_result *got) {
    if (awaits_line(t, stage, access->view.set))
        return GPC_OK;
    *got = (gpc_access_result){.way = GPCI_NO_WAY};
    return gpci_reserve_over_pending(stage->cache, &p->request, &access->view, access->result.fetch_sectors, got);
}

/* Reserve step, for a line in `way`, or no way. GPCI_BLOCKED if all lines are reserved: wait for one. */
GPCI_INLINE gpci_verdict reserve(gpci_timed *t, gpci_stage *stage, const gpci_packet *p, gpci_tag_access *access,
                                 uint32_t *way) {
    gpc_access_result *r = &access->result, got = {.way = GPCI_NO_WAY};
    gpc_status status = gpci_reserve(stage->cache, &p->request, &access->view, *way, r->fetch_sectors, &got);
    if (GPCI_UNLIKELY(stage->options->reserves) && status == GPC_OK && got.outcome == GPC_NO_VICTIM)
        status = reserve_late(t, stage, p, access, &got);
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
        gpci_level_crowded_out(&p->request, p->bytes, r);
        return GPCI_SERVED;
    }
    if (got.outcome == GPC_BYPASSED) { /* the policy declined, or a store leaves nothing anyway */
        gpci_level_refused(&got, r);
        access->declined = true;
        if (stage->level == 1)
            gpci_l1_observe_verdict(stage, &p->request, true);
    }
    if (got.evicted) {
        if (GPCI_UNLIKELY(stage->options->replaceable))
            part_from_line(t, stage, &got.eviction);
        gpci_stage_evicted(t, stage, p, &got.eviction);
    }
    return GPCI_SERVED;
}

/*
 * Lack of a packet, given the line's way (or GPCI_NO_WAY) and segments in flight; `leader`: of the line's MSHR entry,
 * or NULL.
 */
GPCI_INLINE gpci_lack lacks(const gpci_stage *stage, const gpci_packet *p, const gpci_tag_access *access, uint32_t way,
                            const gpci_packet *leader) {
    const gpc_access_result *r = &access->result;
    const uint8_t *segments_of = stage->line->segments_of;
    gpci_line_state line = {.whole = leader ? leader->mshr.whole : 0, .part = leader ? leader->mshr.part : 0};
    if (r->outcome != GPC_BYPASSED && way != GPCI_NO_WAY)
        line.valid = segments_of[GPCI_VALID(stage->cache->states[gpci_slot(stage->cache, r->set, way)])];
    uint8_t own = stage->own_lines ? p->segments : segments_of[r->needed_sectors];
    return gpci_level_lacks(stage->line, &p->request, r, own, stage->options->part, line);
}

/* Lack of a packet without a way. */
static GPCI_NOINLINE gpci_lack lacks_without(const gpci_stage *stage, const gpci_packet *p,
                                             const gpci_tag_access *access, const gpci_packet *leader) {
    return lacks(stage, p, access, GPCI_NO_WAY, leader);
}

/* Packet to wait for data: in L1 a load that sends a fetch travels as the fetch. */
GPCI_INLINE uint32_t waiter_of(gpci_timed *t, const gpci_stage *stage, uint32_t packet, const gpci_packet *p,
                               bool sends) {
    if (!stage->loads_go || !gpci_is_read(&p->request))
        return packet;
    uint32_t waiter = gpci_leave_waiter(t, p);
    if (waiter == GPCI_NO_PACKET) {
        if (!sends)
            return packet;
        waiter = gpci_pool_take(&t->pool);
        *gpci_packet_at(&t->pool, waiter) = *p;
    } else if (!sends) {
        gpci_pool_give(&t->pool, packet);
    }
    return waiter;
}

/* Where the packet's line is: as its lookup found it, unless something may have happened since. */
GPCI_INLINE uint32_t way_now(const gpci_stage *stage, const gpci_packet *p, const gpci_tag_access *access) {
    const gpc_access_result *r = &access->result;
    if (access->fresh && !r->evicted)
        return r->way;
    return r->outcome == GPC_BYPASSED ? GPCI_NO_WAY
                                      : gpci_find(stage->cache, r->set, gpci_stage_line(stage, p->request.address));
}

static bool is_full(const gpci_timed *t, const gpci_stage *stage, uint32_t leader, uint8_t needs) {
    const gpci_stage_options *o = stage->options;
    if (gpci_packet_at(&t->pool, leader)->mshr.count < o->merges)
        return false;
    return !o->by_sector || gpci_sector_is_full(t, stage, leader, needs);
}

/* A load hits a reserved line without data in flight: fetch the sectors again (drain.h). */
static GPCI_NOINLINE void ask_again(const gpci_stage *stage, const gpci_packet *p, gpc_access_result *r, uint32_t way) {
    if (way == GPCI_NO_WAY || !gpci_is_read(&p->request) ||
        !(r->needed_sectors & GPCI_PENDING(stage->cache->states[gpci_slot(stage->cache, r->set, way)])))
        return;
    r->outcome = GPC_SECTOR_MISS;
    r->fetch_sectors = r->needed_sectors;
}

/*
 * The line is gone, but its MSHR entry drains: the packet takes a turn of the entry; loads may reserve a line
 * (drain.h).
 */
static GPCI_NOINLINE gpci_verdict settle_late(gpci_timed *t, gpci_stage *stage, uint32_t packet,
                                              gpci_tag_access *access, uint32_t leader, uint32_t way, uint8_t needs) {
    const gpci_packet *p = gpci_packet_at(&t->pool, packet);
    if (gpci_packet_at(&t->pool, leader)->mshr.outdated & needs || !gpci_drain_has_room(t, stage, leader, needs))
        return stage->rules->hold_up(t, stage, packet, access, leader, GPC_BUSY_MERGE);
    if (stage->options->reserves && gpci_is_read(&p->request) && !access->reserved &&
        access->result.outcome == GPC_MISS && reserve(t, stage, p, access, &way) == GPCI_BLOCKED)
        return stage->rules->hold_up(t, stage, packet, access, leader, GPC_BUSY_LINE);
    gpci_drain_join(t, stage, leader);
    return GPCI_SERVED;
}

/* Let a packet wait at the line's MSHR entry (a new entry if `entry` is NULL), and fetch segments not in flight. */
GPCI_INLINE void wait_with(gpci_timed *t, gpci_stage *stage, uint32_t packet, gpci_packet *p,
                           const gpci_tag_access *access, gpci_packet *entry, uint32_t way, gpci_lack l, bool remote) {
    const gpc_access_result *r = &access->result;
    const bool cached = r->outcome != GPC_BYPASSED;
    p->mshr.cached = cached;
    p->mshr.no_token = p->request.token == GPC_TOKEN_NONE;
    p->mshr.done = false;
    p->mshr.needs = l.wait;
    const uint64_t line = access->view.line;
    uint32_t waiter = waiter_of(t, stage, packet, p, l.fetch != 0);
    if (entry)
        gpci_mshr_join(t, entry, waiter);
    else
        gpci_mshr_add(t, stage, waiter, entry = gpci_packet_at(&t->pool, waiter), line, remote);
    if (cached && way != GPCI_NO_WAY)
        entry->mshr.slot = (uint32_t)gpci_slot(stage->cache, r->set, way);
    if (!l.fetch) {
        gpci_see_waits(t, stage, waiter, waiter);
        return;
    }
    uint8_t whole = gpci_whole_sectors(stage->line, l.fetch);
    if (stage->loads_go && !gpci_mshr_in_flight(entry))
        entry->sent = (uint32_t)t->wheel.now;
    entry->mshr.whole |= whole;
    entry->mshr.part |= l.fetch & (uint8_t)~whole;
    gpci_see_waits(t, stage, packet, waiter);
    stage->rules->send(t, stage,
                       &(gpci_fetch_request){packet, waiter, r->policy_word, l.fetch, cached, access->declined, remote,
                                             entry->mshr.entry});
}

gpci_verdict gpci_stage_settle(gpci_timed *t, gpci_stage *stage, uint32_t packet, gpci_tag_access *access,
                               bool remote) {
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    gpc_access_result *r = &access->result;
    const gpci_stage_options *o = stage->options;
    if (r->outcome == GPC_HIT)
        return GPCI_SERVED;
    uint32_t leader = access->fresh ? access->leader : gpci_mshr_find(t, stage, p->request.address);
    uint32_t way = way_now(stage, p, access);
    access->fresh = false;
    bool found = leader != GPCI_NO_PACKET;
    gpci_packet *entry = found ? gpci_packet_at(&t->pool, leader) : NULL;
    if (GPCI_UNLIKELY(o->reserves) && !(found && entry->mshr.whole))
        ask_again(stage, p, r, way);
    gpci_lack l = lacks(stage, p, access, way, entry);
    if (GPCI_UNLIKELY(o->drains) && found && l.fetch && !gpci_mshr_in_flight(entry))
        return settle_late(t, stage, packet, access, leader, way, l.wait);
    if (l.fetch | l.wait) {
        if (found ? is_full(t, stage, leader, l.wait) || entry->mshr.outdated & (l.fetch | l.wait)
                  : stage->mshr.used[remote] >= o->entries)
            return stage->rules->hold_up(t, stage, packet, access, leader, found ? GPC_BUSY_MERGE : GPC_BUSY_MSHR);
        if (l.fetch && gpci_queue_full(remote ? &stage->link : &stage->out))
            return stage->rules->hold_up(t, stage, packet, access, leader, GPC_BUSY_MISS_QUEUE);
    }
    if (!access->reserved && gpci_level_reserves(&p->request, r, o->on_miss)) {
        if (reserve(t, stage, p, access, &way) == GPCI_BLOCKED)
            return stage->rules->hold_up(t, stage, packet, access, leader, GPC_BUSY_LINE);
        if (r->outcome == GPC_BYPASSED)
            l = lacks_without(stage, p, access, entry);
    }
    if (!(l.fetch | l.wait))
        return GPCI_SERVED;
    wait_with(t, stage, packet, p, access, entry, way, l, remote);
    return GPCI_WAITING;
}

/* Fill the data of a fetch into the cache, for the first waiting packet to keep the data. */
static GPCI_NOINLINE void fill(gpci_timed *t, gpci_stage *stage, const gpci_packet *p, uint8_t sectors) {
    gpc_access_result got;
    gpc_status status = gpc_cache_fill(stage->cache, &p->request, sectors, &got);
    if (status < 0) {
        t->failed = status;
        return;
    }
    if (t->trace != NULL)
        gpci_tell_kept(t, stage, p, &got);
    if (got.evicted)
        gpci_stage_evicted(t, stage, p, &got.eviction);
    if (got.outcome == GPC_BYPASSED && gpci_is_read(&p->request))
        stage->rules->passed_by(stage, &p->request, sectors);
    if (got.way == GPCI_NO_WAY && !gpci_is_read(&p->request)) /* no room for written bytes: send them below */
        gpci_stage_write_below(t, stage, p);
}

/* `slot`: the line's reserved slot, if known. */
GPCI_INLINE void keep(gpci_timed *t, gpci_stage *stage, const gpci_packet *p, uint8_t sectors, uint32_t slot) {
    if (GPCI_UNLIKELY(t->trace != NULL) || !gpci_fill_reserved(stage->cache, &p->request, slot, sectors))
        fill(t, stage, p, sectors);
}

/*
 * Token for the data of a fetch of L1. The fetch may have been sent for one packet and be wanted by another: held if a
 * packet that keeps the data has a token.
 */
static uint8_t token_of(const gpci_timed *t, uint32_t leader, const gpci_packet *f) {
    for (uint32_t packet = leader; packet != GPCI_NO_PACKET;
         packet = packet == leader ? gpci_packet_at(&t->pool, leader)->mshr.first : *gpci_next_of(&t->pool, packet)) {
        const gpci_packet *p = gpci_packet_at(&t->pool, packet);
        if (p->mshr.cached && !p->mshr.no_token && p->mshr.needs & f->segments)
            return GPC_TOKEN_HELD;
    }
    return GPC_TOKEN_NONE;
}

/* No packet waits for these sectors to keep them, but a packet now gone has reserved room for them. */
static void settle_line(gpci_timed *t, gpci_stage *stage, const gpci_packet *fetch, uint8_t sectors) {
    const gpc_request request =
        gpci_request_of_nobody(t->h, fetch->request.address, fetch->address, fetch->request.sm, GPC_LOAD);
    gpc_access_result got;
    gpc_line line;
    if (!gpci_line_of(stage->cache, request.address, &line) || !(line.pending_sectors & sectors))
        return;
    gpc_status status = gpc_cache_fill(stage->cache, &request, line.pending_sectors & sectors, &got);
    t->failed = status < 0 ? status : t->failed;
}

/*
 * First waiting packet to keep the data of a fetch. Data bypassing the cache are kept for a packet that needs exactly
 * these data.
 */
GPCI_INLINE uint32_t first_cached(const gpci_timed *t, uint32_t leader, const gpci_packet *l, const gpci_packet *f) {
    const uint8_t passes = f->line.marks & GPCI_MARK_PASSES ? f->segments : 0;
    if (l->mshr.cached && (!passes || l->mshr.needs & passes))
        return leader;
    for (uint32_t packet = l->mshr.first; packet != GPCI_NO_PACKET; packet = *gpci_next_of(&t->pool, packet)) {
        const gpci_packet *p = gpci_packet_at(&t->pool, packet);
        if (p->mshr.cached && (!passes || p->mshr.needs & passes))
            return packet;
    }
    return GPCI_NO_PACKET;
}

/* Put bytes written by a waiting packet into the line. */
static void keep_own(gpci_timed *t, gpci_stage *stage, uint32_t packet, uint32_t kept) {
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    uint8_t kind = stage->own_lines ? p->line.kind : p->request.kind;
    if (packet != kept && p->mshr.cached && kind != GPC_LOAD && kind != GPC_PREFETCH)
        keep(t, stage, p, stage->line->sectors_of[p->mshr.needs], GPCI_NO_SLOT);
}

static void release(gpci_timed *t, gpci_stage *stage, uint32_t packet, uint32_t kept, uint8_t level) {
    keep_own(t, stage, packet, kept);
    stage->rules->released(t, stage, packet, level);
}

/* Segments have arrived for an entry: release packets with all needed segments; the entry ends with the last packet. */
static void release_waiting(gpci_timed *t, gpci_stage *stage, uint32_t leader, uint32_t kept, uint8_t segments,
                            uint8_t level) {
    gpci_packet *l = gpci_packet_at(&t->pool, leader);
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
            release(t, stage, packet, kept, level);
        }
        packet = next;
    }
}

/*
 * Keep the data of a fetch in the name of a packet: a waiting packet, or in L1, with loads travelling below, the fetch.
 * Returns the waiting packet.
 */
GPCI_INLINE uint32_t keep_fetch(gpci_timed *t, gpci_stage *stage, gpci_packet *f, uint32_t leader,
                                const gpci_packet *l) {
    uint32_t kept = first_cached(t, leader, l, f);
    const uint32_t slot = l->mshr.slot;
    uint8_t sectors = f->line.fetched & stage->line->sectors_of[gpci_whole_sectors(stage->line, f->segments)];
    if (!sectors || GPCI_UNLIKELY(l->mshr.replaced))
        return GPCI_NO_PACKET;
    if (kept == GPCI_NO_PACKET && !(f->line.marks & GPCI_MARK_KEPT)) {
        settle_line(t, stage, f, sectors);
        return kept;
    }
    if (stage->loads_go) {
        bool own = f->line.kind == GPC_STORE && gpci_packet_at(&t->pool, f->line.waiter)->mshr.cached;
        if (GPCI_UNLIKELY(f->request.token != GPC_TOKEN_UNUSED) && kept != GPCI_NO_PACKET)
            f->request.token = token_of(t, leader, f);
        kept = own ? f->line.waiter : GPCI_NO_PACKET;
        keep(t, stage, own ? gpci_packet_at(&t->pool, kept) : f, sectors, slot);
        return kept;
    }
    keep(t, stage, gpci_packet_at(&t->pool, kept), sectors, slot);
    return kept;
}

/* Segments of a fetch are no longer in flight. */
GPCI_INLINE void arrived(const gpci_stage *stage, gpci_packet *leader, uint8_t segments) {
    uint8_t whole = gpci_whole_sectors(stage->line, segments);
    leader->mshr.whole &= (uint8_t)~whole;
    leader->mshr.part &= (uint8_t) ~(segments & (uint8_t)~whole);
}

/* True if an entry's leader has all needed data, once these segments have arrived. */
static bool is_ready(const gpci_packet *leader, uint8_t segments) {
    return !(leader->mshr.needs & gpci_mshr_in_flight(leader) & (uint8_t)~segments) && !leader->mshr.done;
}

/* The leader has all data, but stays as first packet of the entry, not yet free. */
static GPCI_NOINLINE void release_leader(gpci_timed *t, gpci_stage *stage, uint32_t leader, uint32_t kept,
                                         uint8_t segments, uint8_t level) {
    gpci_packet *l = gpci_packet_at(&t->pool, leader);
    l->segments = segments;
    if (!is_ready(l, segments))
        return;
    keep_own(t, stage, leader, kept);
    gpci_l1_done(t, leader, level);
}

void gpci_mshr_free(gpci_timed *t, gpci_stage *stage, uint32_t leader) {
    const gpci_mshr_place at =
        gpci_mshr_look(t, stage, gpci_mshr_line(t, stage, leader), &gpci_packet_at(&t->pool, leader)->mshr.entry);
    gpci_mshr_remove(t, stage, &at);
    gpci_pool_give(&t->pool, leader);
}

/* A fetch has filled sectors of a line that were written meanwhile. */
static GPCI_NOINLINE void drop_outdated(gpci_timed *t, gpci_stage *stage, uint64_t line, uint8_t sectors) {
    gpc_line kept;
    if (GPCI_UNLIKELY(t->h->trace != NULL) && gpci_line_of(stage->cache, line, &kept) &&
        !(kept.valid_sectors & ~sectors) && !kept.dirty_sectors && !kept.pending_sectors)
        gpci_see_dropped(t->h, stage->cache, stage->level == 2 ? GPC_COMPONENT_L2 : GPC_COMPONENT_L1, stage->index,
                         line, stage->level == 2 ? gpci_l2_host_address(t->h, stage->index, line) : line);
    gpci_fence_stale(stage, line, sectors);
}

void gpci_stage_fill(gpci_timed *t, gpci_stage *stage, uint32_t fetch) {
    gpci_packet *f = gpci_packet_at(&t->pool, fetch);
    const uint64_t line = f->request.address;
    uint8_t segments = f->segments, level = f->level, sectors = f->line.fetched;
    const gpci_mshr_place at = gpci_mshr_look(t, stage, gpci_stage_line(stage, f->request.address), &f->entry);
    const uint32_t leader = at.leader;
    gpci_packet *l = gpci_packet_at(&t->pool, leader);
    gpci_stage_relieve(stage, GPC_BUSY_LINE);
    gpci_stage_relieve(stage, GPC_BUSY_MSHR);
    gpci_stage_relieve(stage, GPC_BUSY_MERGE);
    const uint32_t kept = keep_fetch(t, stage, f, leader, l);
    sectors &= stage->line->sectors_of[l->mshr.outdated];
    gpci_pool_give(&t->pool, fetch);
    arrived(stage, l, segments);
    const uint32_t waiting = l->mshr.count;
    if (GPCI_UNLIKELY(stage->options->drains))
        release_leader(t, stage, leader, kept, segments, level);
    if (l->mshr.first != GPCI_NO_PACKET)
        release_waiting(t, stage, leader, kept, segments, level);
    bool ready = is_ready(l, segments);
    if (GPCI_UNLIKELY(stage->options->drains)) {
        if (!gpci_mshr_in_flight(l))
            gpci_drain_begin(t, stage, leader, waiting);
    } else if (!gpci_mshr_in_flight(l)) {
        gpci_mshr_remove(t, stage, &at);
        if (ready)
            release(t, stage, leader, kept, level);
        else
            gpci_pool_give(&t->pool, leader);
    } else if (ready && l->mshr.first != GPCI_NO_PACKET) {
        gpci_mshr_pass_on(t, stage, &at);
        release(t, stage, leader, kept, level);
    } else if (ready && stage->loads_go && l->line.kind != GPC_STORE) {
        gpci_l1_done(t, leader, level);
    }
    if (GPCI_UNLIKELY(sectors))
        drop_outdated(t, stage, line, sectors);
}

bool gpci_stage_complete_fetch(gpci_timed *t, gpci_stage *stage, uint32_t fetch, uint32_t leader) {
    gpci_packet *f = gpci_packet_at(&t->pool, fetch), *l = gpci_packet_at(&t->pool, leader);
    uint8_t here = f->segments, rest = stage->line->segments_of[f->line.fetched] & (uint8_t) ~(here | l->mshr.whole);
    if (!rest)
        return false;
    gpci_stage_relieve(stage, GPC_BUSY_MERGE);
    uint8_t complete = f->line.fetched & stage->line->sectors_of[gpci_whole_sectors(stage->line, here)];
    if (complete)
        keep(t, stage, f, complete, l->mshr.slot);
    if (f->line.marks >> GPCI_MARK_GENERATION_SHIFT == stage->fences.generation)
        complete &= stage->line->sectors_of[l->mshr.outdated];
    gpci_fence_stale(stage, f->request.address, complete);
    arrived(stage, l, here);
    release_waiting(t, stage, leader, GPCI_NO_PACKET, here, f->level);
    if (is_ready(l, here))
        gpci_l1_done(t, leader, f->level);
    f->line.fetched = stage->line->sectors_of[rest];
    l->mshr.whole |= stage->line->segments_of[f->line.fetched];
    gpci_l1_send_rest(t, stage, fetch);
    return true;
}
