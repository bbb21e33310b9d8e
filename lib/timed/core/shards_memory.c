/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/shards_internal.h"

#include "base/array.h"

/*
 * Packets and in-flight accesses of shards. Memory is allocated by a single thread, between phases: every shard has
 * room for all possible use in a phase. If a shard gives more than it takes, others take the free packets before new
 * memory.
 */

/* Packets available to a shard now. */
static int64_t spare_of(const gpci_shard *shard) {
    return shard->spare - (int32_t)shard->view.pool.live;
}

static uint64_t live(const gpci_shards *shards) {
    uint32_t sum = shards->main->pool.live;
    for (uint32_t i = 0; i < shards->count; i++)
        sum += shards->shard[i].view.pool.live;
    return sum;
}

void gpci_shards_share_memory(gpci_shards *shards) {
    const gpci_timed *timed = shards->main;
    for (uint32_t i = 0; i < shards->count; i++) {
        gpci_timed *view = &shards->shard[i].view;
        view->pool.chunks = timed->pool.chunks;
        view->pool.links = timed->pool.links;
        view->pool.labels = timed->pool.labels;
        view->pool.chunk_count = timed->pool.chunk_count;
        view->pool.chunk_capacity = timed->pool.chunk_capacity;
        view->inflights = timed->inflights;
        view->inflight_capacity = timed->inflight_capacity;
    }
}

/* Add a chunk for every shard. */
static gpc_status grow(gpci_shards *shards) {
    gpci_pool *pool = &shards->main->pool;
    const uint32_t chunks = pool->chunk_count + shards->count;
    const gpc_status status = gpci_pool_grow(pool, (uint64_t)chunks * GPCI_POOL_CHUNK - pool->live);
    /* use the chunks obtained, even if too few */
    for (uint32_t chunk = chunks - shards->count; chunk < pool->chunk_count; chunk++)
        shards->shard[chunk % shards->count].spare += GPCI_POOL_CHUNK;
    gpci_shards_share_memory(shards);
    return status;
}

/* Give up to `most` free packets of a shard to another. */
static void hand_over(gpci_shard *from, gpci_shard *shard, int64_t most) {
    gpci_pool *pool = &from->view.pool;
    const uint32_t first = pool->free;
    uint32_t last = first;
    int64_t count = first != GPCI_NO_PACKET;
    if (!count)
        return;
    for (; count < most && pool->links[last].next != GPCI_NO_PACKET; count++)
        last = pool->links[last].next;
    pool->free = pool->links[last].next;
    pool->links[last].next = shard->view.pool.free;
    shard->view.pool.free = first;
    from->spare -= count;
    shard->spare += count;
}

/* Take `need` packets from the shard with the most free packets, if at least `need` packets remain there. */
static void borrow(gpci_shards *shards, gpci_shard *shard, int64_t need) {
    gpci_shard *from = shard;
    for (uint32_t i = 0; i < shards->count; i++)
        if (spare_of(&shards->shard[i]) > spare_of(from))
            from = &shards->shard[i];
    if (from != shard && spare_of(from) >= 2 * need)
        hand_over(from, shard, need);
}

static gpc_status need_packets(gpci_shards *shards, gpci_shard *shard, uint64_t need) {
    gpc_status status = GPC_OK;
    if (spare_of(shard) < (int64_t)need)
        borrow(shards, shard, (int64_t)need);
    while (status == GPC_OK && spare_of(shard) < (int64_t)need)
        status = grow(shards);
    return status;
}

static gpc_status need_inflights(gpci_shards *shards, const gpci_shard *shard, uint32_t count) {
    gpci_timed *timed = shards->main;
    const uint64_t chunks = (uint64_t)count / GPCI_STRAND_FLIGHTS + 1;
    const uint64_t needed = shard->view.inflight_fresh + count + chunks * shard->view.inflight_stride;
    size_t capacity = timed->inflight_capacity;
    if (needed <= capacity)
        return GPC_OK;
    if (needed > UINT32_MAX ||
        !GPCI_ARRAY_RESERVE(timed->context, timed->inflights, capacity, capacity, needed - capacity))
        return GPC_ERROR_MEMORY;
    timed->inflight_capacity = (uint32_t)capacity;
    gpci_shards_share_memory(shards);
    return GPC_OK;
}

/* Lines that begin in a phase without an issue. */
static uint64_t lines_to_begin(const gpci_shards *shards) {
    uint64_t starters = shards->main->starters;
    for (uint32_t i = 0; i < shards->count; i++)
        starters += shards->shard[i].view.starters;
    return gpci_lines_to_begin(shards->main, starters);
}

/* In a phase a shard takes a packet per new line, and, per line in flight, packets for the possible consequences. */
gpc_status gpci_shards_reserve(gpci_shards *shards) {
    const uint64_t all = live(shards) + lines_to_begin(shards), each = gpci_packets_per_line(shards->main);
    gpc_status status = GPC_OK;
    for (uint32_t i = 0; status == GPC_OK && i < shards->count; i++) {
        gpci_shard *shard = &shards->shard[i];
        const uint32_t issues = shard->sms * shards->main->front.most;
        status = need_packets(shards, shard, each * all + (uint64_t)issues * GPCI_MAX_TRANSACTIONS);
        if (status == GPC_OK)
            status = need_inflights(shards, shard, 3 * issues); /* an access, and fences before and behind */
    }
    return status;
}

gpc_status gpci_shard_packets(gpci_timed *view, uint32_t lines) {
    gpci_shards *shards = view->shards;
    if (shards->own_state_only)
        return GPC_OK;
    return need_packets(shards, &shards->shard[view->shard], gpci_packets_per_line(view) * (live(shards) + lines));
}

gpc_status gpci_shard_inflights(gpci_timed *view, uint32_t count) {
    gpci_shards *shards = view->shards;
    return shards->own_state_only ? GPC_OK : need_inflights(shards, &shards->shard[view->shard], count);
}

/* Next number in chunks of the shard, from `number` on. */
static uint32_t first_own(const gpci_shards *shards, uint32_t shard, uint32_t number, uint32_t chunk) {
    const uint32_t at = number / chunk, ahead = (shard + shards->count - at % shards->count) % shards->count;
    return ahead ? (at + ahead) * chunk : number;
}

static uint32_t after(const gpci_shards *shards, uint32_t number, uint32_t chunk) {
    number++;
    return number % chunk ? number : number + (shards->count - 1) * chunk;
}

/* End of the numbers used by a shard since the split; or `from` if unused. */
static uint32_t end_of(uint32_t from, uint32_t first, uint32_t fresh, uint32_t chunk, uint32_t stride) {
    if (fresh == first)
        return from;
    return fresh % chunk ? fresh : fresh - stride;
}

static void join_packets(gpci_shards *shards) {
    gpci_pool *pool = &shards->main->pool;
    const uint32_t before = pool->fresh;
    uint32_t *end = &pool->free;
    while (*end != GPCI_NO_PACKET)
        end = &pool->links[*end].next;
    for (uint32_t i = 0; i < shards->count; i++) {
        gpci_pool *own = &shards->shard[i].view.pool;
        const uint32_t last = end_of(before, shards->shard[i].first_packet, own->fresh, GPCI_POOL_CHUNK, own->stride);
        pool->fresh = last > pool->fresh ? last : pool->fresh;
        for (*end = own->free; *end != GPCI_NO_PACKET; end = &pool->links[*end].next)
            ;
        own->free = GPCI_NO_PACKET;
    }
    for (uint32_t i = 0; i < shards->count; i++)
        for (uint32_t p = shards->shard[i].view.pool.fresh; p < pool->fresh; p = after(shards, p, GPCI_POOL_CHUNK)) {
            pool->links[p].next = pool->free;
            pool->free = p;
        }
    for (uint32_t i = 0; i < shards->count; i++)
        shards->shard[i].first_packet = shards->shard[i].view.pool.fresh =
            first_own(shards, i, pool->fresh, GPCI_POOL_CHUNK);
}

/* Give free waiters back to the hierarchy. */
static void join_waiters(gpci_shards *shards) {
    gpci_pool *pool = &shards->main->pool;
    for (uint32_t i = 0; i < shards->count; i++)
        for (gpci_pool *own = &shards->shard[i].view.pool; own->waiter_free != GPCI_NO_PACKET;) {
            const uint32_t mshr_target = own->waiter_free;
            own->waiter_free = gpci_packet_at(own, mshr_target)->next;
            gpci_pool_give(pool, mshr_target);
        }
}

static void join_flights(gpci_shards *shards) {
    gpci_timed *timed = shards->main;
    const uint32_t before = timed->inflight_fresh;
    uint32_t *end = &timed->inflight_free;
    while (*end != UINT32_MAX)
        end = &timed->inflights[*end].next;
    for (uint32_t i = 0; i < shards->count; i++) {
        gpci_timed *view = &shards->shard[i].view;
        const uint32_t last = end_of(before, shards->shard[i].first_inflight, view->inflight_fresh, GPCI_STRAND_FLIGHTS,
                                     view->inflight_stride);
        timed->inflight_fresh = last > timed->inflight_fresh ? last : timed->inflight_fresh;
        for (*end = view->inflight_free; *end != UINT32_MAX; end = &timed->inflights[*end].next)
            ;
        view->inflight_free = UINT32_MAX;
    }
    for (uint32_t i = 0; i < shards->count; i++)
        for (uint32_t f = shards->shard[i].view.inflight_fresh; f < timed->inflight_fresh;
             f = after(shards, f, GPCI_STRAND_FLIGHTS)) {
            timed->inflights[f] = (gpci_inflight){.next = timed->inflight_free};
            timed->inflight_free = f;
        }
    for (uint32_t i = 0; i < shards->count; i++)
        shards->shard[i].first_inflight = shards->shard[i].view.inflight_fresh =
            first_own(shards, i, timed->inflight_fresh, GPCI_STRAND_FLIGHTS);
}

static void join_wheels(gpci_shards *shards) {
    gpci_wheel *wheel = &shards->main->wheel;
    const size_t words = (size_t)GPCI_WHEEL_SPAN * wheel->words;
    for (uint32_t i = 0; i < shards->count; i++) {
        gpci_wheel *own = &shards->shard[i].view.wheel;
        for (size_t w = 0; w < words; w++)
            wheel->due[w] |= own->due[w];
        for (size_t w = 0; w < GPCI_WHEEL_SPAN / 64; w++)
            wheel->occupied[w] |= own->occupied[w];
        gpci_wheel_clear(own);
    }
}

void gpci_shards_join(gpci_timed *timed) {
    if (!timed->shards)
        return;
    gpci_shards_fold(timed);
    join_packets(timed->shards);
    join_waiters(timed->shards);
    join_flights(timed->shards);
    join_wheels(timed->shards);
}

/* The first shard receives all free packets, until others need packets. Wakes stay on the hierarchy's wheel. */
void gpci_shards_split(gpci_timed *timed) {
    gpci_shards *shards = timed->shards;
    const uint32_t capacity = timed->pool.chunk_count * GPCI_POOL_CHUNK;
    for (uint32_t i = 0; shards && i < shards->count; i++) {
        gpci_shard *shard = &shards->shard[i];
        gpci_timed *view = &shard->view;
        view->pool.fresh = first_own(shards, i, timed->pool.fresh, GPCI_POOL_CHUNK);
        view->pool.free = i ? GPCI_NO_PACKET : timed->pool.free;
        shard->spare = i ? 0 : (int64_t)timed->pool.fresh - timed->pool.live;
        for (uint32_t p = view->pool.fresh; p < capacity; p = first_own(shards, i, p, GPCI_POOL_CHUNK)) {
            const uint32_t end = (p / GPCI_POOL_CHUNK + 1) * GPCI_POOL_CHUNK;
            shard->spare += end - p;
            p = end;
        }
        view->inflight_fresh = first_own(shards, i, timed->inflight_fresh, GPCI_STRAND_FLIGHTS);
        view->inflight_free = i ? UINT32_MAX : timed->inflight_free;
        shard->first_packet = view->pool.fresh;
        shard->first_inflight = view->inflight_fresh;
    }
    if (!shards)
        return;
    timed->pool.free = GPCI_NO_PACKET;
    timed->inflight_free = UINT32_MAX;
    gpci_shards_share_memory(shards);
    gpci_shards_go(timed, timed->wheel.now);
}
