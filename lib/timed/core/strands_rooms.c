/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/strands_internal.h"

#include "base/array.h"

/*
 * Packets and flights of strands. Memory is allocated by a single thread, between phases: every strand has room for all
 * possible use in a phase. If a strand gives more than it takes, others take the free packets before new memory.
 */

/* Packets available to a strand now. */
static int64_t spare_of(const gpci_strand *strand) {
    return strand->spare - (int32_t)strand->view.pool.live;
}

static uint64_t live(const gpci_strands *strands) {
    uint32_t sum = strands->main->pool.live;
    for (uint32_t i = 0; i < strands->count; i++)
        sum += strands->strand[i].view.pool.live;
    return sum;
}

void gpci_strands_share_rooms(gpci_strands *strands) {
    const gpci_timed *t = strands->main;
    for (uint32_t i = 0; i < strands->count; i++) {
        gpci_timed *view = &strands->strand[i].view;
        view->pool.chunks = t->pool.chunks;
        view->pool.links = t->pool.links;
        view->pool.labels = t->pool.labels;
        view->pool.chunk_count = t->pool.chunk_count;
        view->pool.chunk_room = t->pool.chunk_room;
        view->flights = t->flights;
        view->flight_room = t->flight_room;
    }
}

/* Add a chunk for every strand. */
static gpc_status grow(gpci_strands *strands) {
    gpci_pool *pool = &strands->main->pool;
    const uint32_t chunks = pool->chunk_count + strands->count;
    const gpc_status status = gpci_pool_grow(pool, (uint64_t)chunks * GPCI_POOL_CHUNK - pool->live);
    /* use the chunks obtained, even if too few */
    for (uint32_t chunk = chunks - strands->count; chunk < pool->chunk_count; chunk++)
        strands->strand[chunk % strands->count].spare += GPCI_POOL_CHUNK;
    gpci_strands_share_rooms(strands);
    return status;
}

/* Give up to `most` free packets of a strand to another. */
static void hand_over(gpci_strand *from, gpci_strand *to, int64_t most) {
    gpci_pool *pool = &from->view.pool;
    const uint32_t first = pool->free;
    uint32_t last = first;
    int64_t count = first != GPCI_NO_PACKET;
    if (!count)
        return;
    for (; count < most && pool->links[last].next != GPCI_NO_PACKET; count++)
        last = pool->links[last].next;
    pool->free = pool->links[last].next;
    pool->links[last].next = to->view.pool.free;
    to->view.pool.free = first;
    from->spare -= count;
    to->spare += count;
}

/* Take packets from the strand with the most, if as many remain. */
static void borrow(gpci_strands *strands, gpci_strand *to, int64_t need) {
    gpci_strand *from = to;
    for (uint32_t i = 0; i < strands->count; i++)
        if (spare_of(&strands->strand[i]) > spare_of(from))
            from = &strands->strand[i];
    if (from != to && spare_of(from) >= 2 * need)
        hand_over(from, to, need);
}

static gpc_status need_packets(gpci_strands *strands, gpci_strand *strand, uint64_t need) {
    gpc_status status = GPC_OK;
    if (spare_of(strand) < (int64_t)need)
        borrow(strands, strand, (int64_t)need);
    while (status == GPC_OK && spare_of(strand) < (int64_t)need)
        status = grow(strands);
    return status;
}

static gpc_status need_flights(gpci_strands *strands, const gpci_strand *strand, uint32_t count) {
    gpci_timed *t = strands->main;
    const uint64_t chunks = (uint64_t)count / GPCI_STRAND_FLIGHTS + 1;
    const uint64_t needed = strand->view.flight_fresh + count + chunks * strand->view.flight_stride;
    size_t room = t->flight_room;
    if (needed <= room)
        return GPC_OK;
    if (needed > UINT32_MAX || !GPCI_ARRAY_ROOM(t->context, t->flights, room, room, needed - room))
        return GPC_ERROR_MEMORY;
    t->flight_room = (uint32_t)room;
    gpci_strands_share_rooms(strands);
    return GPC_OK;
}

/* Lines a strand's slices may prefetch in a phase, without lines in flight. */
static uint64_t fetched_ahead(const gpci_timed *t) {
    return t->l2[0].prefetch ? (uint64_t)t->h->slices * t->l2_options.ports : 0;
}

/* In a phase a strand takes a packet per new line, and, per line in flight, packets for the possible consequences. */
gpc_status gpci_strands_make_room(gpci_strands *strands) {
    const uint64_t all = live(strands) + fetched_ahead(strands->main), each = gpci_packets_per_line(strands->main);
    gpc_status status = GPC_OK;
    for (uint32_t i = 0; status == GPC_OK && i < strands->count; i++) {
        gpci_strand *strand = &strands->strand[i];
        const uint32_t issues = strand->sms * strands->main->front.most;
        status = need_packets(strands, strand, each * all + (uint64_t)issues * GPCI_MAX_TRANSACTIONS);
        if (status == GPC_OK)
            status = need_flights(strands, strand, 3 * issues); /* with fences before and behind */
    }
    return status;
}

gpc_status gpci_strand_packets(gpci_timed *view, uint32_t lines) {
    gpci_strands *strands = view->strands;
    if (strands->apart)
        return GPC_OK;
    return need_packets(strands, &strands->strand[view->strand], gpci_packets_per_line(view) * (live(strands) + lines));
}

gpc_status gpci_strand_flights(gpci_timed *view, uint32_t count) {
    gpci_strands *strands = view->strands;
    return strands->apart ? GPC_OK : need_flights(strands, &strands->strand[view->strand], count);
}

/* Next number in chunks of the strand, from `number` on. */
static uint32_t first_own(const gpci_strands *strands, uint32_t strand, uint32_t number, uint32_t chunk) {
    const uint32_t at = number / chunk, ahead = (strand + strands->count - at % strands->count) % strands->count;
    return ahead ? (at + ahead) * chunk : number;
}

static uint32_t after(const gpci_strands *strands, uint32_t number, uint32_t chunk) {
    number++;
    return number % chunk ? number : number + (strands->count - 1) * chunk;
}

/* End of the numbers used by a strand since the split; or `from` if unused. */
static uint32_t end_of(uint32_t from, uint32_t first, uint32_t fresh, uint32_t chunk, uint32_t stride) {
    if (fresh == first)
        return from;
    return fresh % chunk ? fresh : fresh - stride;
}

static void join_packets(gpci_strands *strands) {
    gpci_pool *pool = &strands->main->pool;
    const uint32_t before = pool->fresh;
    uint32_t *end = &pool->free;
    while (*end != GPCI_NO_PACKET)
        end = &pool->links[*end].next;
    for (uint32_t i = 0; i < strands->count; i++) {
        gpci_pool *own = &strands->strand[i].view.pool;
        const uint32_t last = end_of(before, strands->strand[i].first_packet, own->fresh, GPCI_POOL_CHUNK, own->stride);
        pool->fresh = last > pool->fresh ? last : pool->fresh;
        for (*end = own->free; *end != GPCI_NO_PACKET; end = &pool->links[*end].next)
            ;
        own->free = GPCI_NO_PACKET;
    }
    for (uint32_t i = 0; i < strands->count; i++)
        for (uint32_t p = strands->strand[i].view.pool.fresh; p < pool->fresh; p = after(strands, p, GPCI_POOL_CHUNK)) {
            pool->links[p].next = pool->free;
            pool->free = p;
        }
    for (uint32_t i = 0; i < strands->count; i++)
        strands->strand[i].first_packet = strands->strand[i].view.pool.fresh =
            first_own(strands, i, pool->fresh, GPCI_POOL_CHUNK);
}

/* Give free waiters back to the hierarchy. */
static void join_waiters(gpci_strands *strands) {
    gpci_pool *pool = &strands->main->pool;
    for (uint32_t i = 0; i < strands->count; i++)
        for (gpci_pool *own = &strands->strand[i].view.pool; own->waiter_free != GPCI_NO_PACKET;) {
            const uint32_t waiter = own->waiter_free;
            own->waiter_free = gpci_packet_at(own, waiter)->next;
            gpci_pool_give(pool, waiter);
        }
}

static void join_flights(gpci_strands *strands) {
    gpci_timed *t = strands->main;
    const uint32_t before = t->flight_fresh;
    uint32_t *end = &t->flight_free;
    while (*end != UINT32_MAX)
        end = &t->flights[*end].next;
    for (uint32_t i = 0; i < strands->count; i++) {
        gpci_timed *view = &strands->strand[i].view;
        const uint32_t last = end_of(before, strands->strand[i].first_flight, view->flight_fresh, GPCI_STRAND_FLIGHTS,
                                     view->flight_stride);
        t->flight_fresh = last > t->flight_fresh ? last : t->flight_fresh;
        for (*end = view->flight_free; *end != UINT32_MAX; end = &t->flights[*end].next)
            ;
        view->flight_free = UINT32_MAX;
    }
    for (uint32_t i = 0; i < strands->count; i++)
        for (uint32_t f = strands->strand[i].view.flight_fresh; f < t->flight_fresh;
             f = after(strands, f, GPCI_STRAND_FLIGHTS)) {
            t->flights[f] = (gpci_flight){.next = t->flight_free};
            t->flight_free = f;
        }
    for (uint32_t i = 0; i < strands->count; i++)
        strands->strand[i].first_flight = strands->strand[i].view.flight_fresh =
            first_own(strands, i, t->flight_fresh, GPCI_STRAND_FLIGHTS);
}

static void join_wheels(gpci_strands *strands) {
    gpci_wheel *wheel = &strands->main->wheel;
    const size_t words = (size_t)GPCI_WHEEL_SPAN * wheel->words;
    for (uint32_t i = 0; i < strands->count; i++) {
        gpci_wheel *own = &strands->strand[i].view.wheel;
        for (size_t w = 0; w < words; w++)
            wheel->due[w] |= own->due[w];
        for (size_t w = 0; w < GPCI_WHEEL_SPAN / 64; w++)
            wheel->occupied[w] |= own->occupied[w];
        gpci_wheel_clear(own);
    }
}

void gpci_strands_join(gpci_timed *t) {
    if (!t->strands)
        return;
    gpci_strands_fold(t);
    join_packets(t->strands);
    join_waiters(t->strands);
    join_flights(t->strands);
    join_wheels(t->strands);
}

/* The first strand receives all free packets, until others need packets. Due components stay. */
void gpci_strands_split(gpci_timed *t) {
    gpci_strands *strands = t->strands;
    const uint32_t room = t->pool.chunk_count * GPCI_POOL_CHUNK;
    for (uint32_t i = 0; strands && i < strands->count; i++) {
        gpci_strand *strand = &strands->strand[i];
        gpci_timed *view = &strand->view;
        view->pool.fresh = first_own(strands, i, t->pool.fresh, GPCI_POOL_CHUNK);
        view->pool.free = i ? GPCI_NO_PACKET : t->pool.free;
        strand->spare = i ? 0 : (int64_t)t->pool.fresh - t->pool.live;
        for (uint32_t p = view->pool.fresh; p < room; p = first_own(strands, i, p, GPCI_POOL_CHUNK)) {
            const uint32_t end = (p / GPCI_POOL_CHUNK + 1) * GPCI_POOL_CHUNK;
            strand->spare += end - p;
            p = end;
        }
        view->flight_fresh = first_own(strands, i, t->flight_fresh, GPCI_STRAND_FLIGHTS);
        view->flight_free = i ? UINT32_MAX : t->flight_free;
        strand->first_packet = view->pool.fresh;
        strand->first_flight = view->flight_fresh;
    }
    if (!strands)
        return;
    t->pool.free = GPCI_NO_PACKET;
    t->flight_free = UINT32_MAX;
    gpci_strands_share_rooms(strands);
    gpci_strands_go(t, t->wheel.now);
}
