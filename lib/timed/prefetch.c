/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/prefetch.h"

#include "level/level_rules.h"
#include "timed/l1_tlb.h"
#include "timed/watch.h"

#include <string.h>

/*
 * Example, next-line, lines A, B = A + 1 and C = A + 2: a load misses A, and B is queued. In the next cycle no load
 * needs the tag port: B is not there, takes an MSHR entry and goes below. A load of B before its data are here makes it
 * late, one after that useful, and if C takes its way first it is unused.
 */

static gpc_status make_policy(gpci_timed *t, gpci_prefetch *p, uint32_t sm, gpc_error *error) {
    const gpc_policy_env env = {.line_bytes = t->h->l1_level.line_bytes,
                                .sectors = (uint32_t)gpci_number(t->h, GPCI_KEY_L1_SECTORS),
                                .index = sm,
                                .count = t->h->sms,
                                .seed = 3};
    gpc_error detail = GPC_ERROR_INIT;
    gpc_status status =
        gpci_policy_create(t->context, GPC_POLICY_PREFETCHER, gpci_config_text(t->h->config, GPCI_KEY_L1_PREFETCHER),
                           &env, t->h->l1_commons, &detail, &p->policy);
    if (status < 0)
        return gpci_fail(error, status, "l1: %s", detail.message);
    p->ops = p->policy->ops;
    p->self = p->policy->self;
    return GPC_OK;
}

gpc_status gpci_prefetch_create(gpci_timed *t, gpci_stage *stage, gpc_error *error) {
    if (!gpci_has_prefetcher(t->h))
        return GPC_OK;
    const uint32_t room = (uint32_t)gpci_number(t->h, GPCI_KEY_L1_PREFETCH_QUEUE);
    gpci_prefetch *p = gpci_zalloc(t->context, 1, sizeof *p + room * sizeof *p->queue);
    if (!p)
        return gpci_out_of_memory(error);
    stage->prefetch = p;
    p->room = room;
    p->slots = (uint32_t)(gpci_number(t->h, GPCI_KEY_L1_SIZE) / t->h->l1_level.line_bytes);
    p->marks = gpci_zalloc(t->context, p->slots, sizeof *p->marks);
    return p->marks ? make_policy(t, p, stage->index, error) : gpci_out_of_memory(error);
}

void gpci_prefetch_destroy(gpci_timed *t, gpci_stage *stage) {
    if (!stage->prefetch)
        return;
    gpci_policy_destroy(stage->prefetch->policy);
    gpci_free(t->context, stage->prefetch->marks);
    gpci_free(t->context, stage->prefetch);
}

static void tell(gpci_prefetch *p, uint64_t address, gpc_prefetch_outcome outcome) {
    p->counts.outcomes[outcome]++;
    if (p->ops->on_outcome)
        p->ops->on_outcome(p->self, address, outcome);
}

/* What marks a line: never 0. */
static uint32_t mark_of(const gpc_cache *cache, uint64_t address) {
    return (uint32_t)(address >> cache->line_shift) | (uint32_t)1 << 31;
}

/* The mark of a slot, if there is one: L1's size may be less than that of its sets and ways. */
static uint32_t *mark_at(gpci_prefetch *p, const gpc_cache *cache, uint32_t set, uint32_t way) {
    const size_t slot = gpci_slot(cache, set, way);
    return slot < p->slots ? &p->marks[slot] : NULL;
}

/* A marked line is marked no more; true: it was. */
static bool unmark(gpci_prefetch *p, const gpc_cache *cache, uint32_t set, uint32_t way, uint64_t address) {
    uint32_t *mark = mark_at(p, cache, set, way);
    if (!mark || *mark != mark_of(cache, address))
        return false;
    *mark = 0;
    return true;
}

void gpci_prefetch_note(const gpci_timed *t, uint32_t packet, const gpc_warp_access *w, uint32_t line) {
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    if (w->kind != GPC_LOAD)
        return;
    /* a load of plain caches writes no bytes */
    p->bytes[0] = w->addresses[0];
    p->bytes[1] = (uint64_t)line << 32 | gpci_lowest(w->mask);
}

static bool is_queued(const gpci_prefetch *p, uint64_t address) {
    for (uint32_t i = 0; i < p->count; i++)
        if (p->queue[(p->first + i) % p->room].request.address == address)
            return true;
    return false;
}

static void ask(gpci_prefetch *p, const gpci_stage *stage, const gpci_packet *load, const gpc_prefetch *wanted) {
    const gpci_level *level = stage->line;
    const uint64_t address = wanted->address & ~(uint64_t)(level->line_bytes - 1);
    const uint8_t segments =
        wanted->sectors ? level->segments_of[wanted->sectors & level->sectors_of[level->all_segments]] : load->segments;
    if (is_queued(p, address)) {
        tell(p, address, GPC_PREFETCH_REDUNDANT);
        return;
    }
    if (p->count == p->room || !segments) {
        tell(p, address, GPC_PREFETCH_DROPPED);
        return;
    }
    gpci_prefetch_entry *e = &p->queue[(p->first + p->count++) % p->room];
    *e = (gpci_prefetch_entry){.request = load->request, .segments = segments};
    e->request.address = address;
    e->request.kind = GPC_PREFETCH;
    e->request.sector_mask = level->sectors_of[segments];
    e->request.bytes_used = 0;
}

/* Is this the first load of a prefetched line? */
static bool claims(const gpci_timed *t, gpci_prefetch *p, const gpci_stage *stage, const gpci_packet *load,
                   const gpci_tag_access *a) {
    const gpc_access_result *r = &a->result;
    if (r->hit_sectors && r->way != GPCI_NO_WAY && unmark(p, stage->cache, r->set, r->way, load->address)) {
        tell(p, load->address, GPC_PREFETCH_USEFUL);
        return true;
    }
    if (a->leader == GPCI_NO_PACKET)
        return false;
    gpci_packet *leader = gpci_packet_at(&t->pool, a->leader);
    if (!gpci_is_prefetch(leader) || leader->flags & GPCI_PACKET_LATE)
        return false;
    leader->flags |= GPCI_PACKET_LATE;
    tell(p, load->address, GPC_PREFETCH_LATE);
    return true;
}

void gpci_prefetch_train(gpci_timed *t, gpci_stage *stage, const gpci_packet *load, const gpci_tag_access *access,
                         uint8_t hits) {
    gpci_prefetch *p = stage->prefetch;
    gpc_prefetch wanted[GPC_MAX_PREFETCHES] = {{0}};
    const gpc_prefetch_access a = {.request = &load->request,
                                   .lane_address = load->bytes[0],
                                   .lane = (uint32_t)load->bytes[1],
                                   .line = (uint32_t)(load->bytes[1] >> 32),
                                   .sectors = load->request.sector_mask,
                                   .found = (uint8_t)(access->result.outcome == GPC_HIT ? GPC_PREFETCH_FOUND_HIT
                                                      : hits == load->segments          ? GPC_PREFETCH_FOUND_FLIGHT
                                                                                        : GPC_PREFETCH_FOUND_MISS),
                                   .prefetched = claims(t, p, stage, load, access)};
    uint32_t count = p->ops->on_access(p->self, &a, wanted);
    count = count < GPC_MAX_PREFETCHES ? count : GPC_MAX_PREFETCHES;
    for (uint32_t i = 0; i < count; i++)
        ask(p, stage, load, &wanted[i]);
    if (p->count)
        gpci_wheel_wake(&t->wheel, stage->component, t->wheel.now + 1);
}

static bool is_there(const gpci_timed *t, const gpci_stage *stage, const gpci_prefetch_entry *e) {
    gpc_line line;
    if (gpci_mshr_find(t, stage, e->request.address) != GPCI_NO_PACKET)
        return true;
    return gpci_line_of(stage->cache, e->request.address, &line) && !(e->request.sector_mask & ~line.valid_sectors);
}

/* The first of the queue goes below. False: L1 does not take it. */
static bool send(gpci_timed *t, gpci_stage *stage, const gpci_prefetch_entry *e) {
    gpci_prefetch *p = stage->prefetch;
    if (gpci_make_packets(t, 1) < 0)
        return false;
    const uint32_t number = gpci_pool_take(&t->pool);
    gpci_packet *packet = gpci_packet_at(&t->pool, number);
    *packet = (gpci_packet){.request = e->request,
                            .address = e->request.address,
                            .line = {.flight = UINT32_MAX, .kind = GPC_PREFETCH, .missed = e->segments},
                            .segments = e->segments,
                            .level = 1,
                            .born = t->wheel.now};
    if (GPCI_UNLIKELY(t->trace != NULL))
        packet->label = (gpci_packet_label){.id = ++t->trace->packets, .kind = GPC_PREFETCH};
    gpci_stage_look(t, stage, packet, &p->access);
    gpci_see_lookup(t, stage, packet, &p->access);
    if (p->access.result.outcome != GPC_BYPASSED && !p->access.declined &&
        gpci_stage_settle(t, stage, number, &p->access, false) == GPCI_WAITING)
        return true;
    gpci_pool_give(&t->pool, number);
    return false;
}

/* Does a prefetch have to wait for what loads need? Whoever gives it back has the stage stepped. */
static bool must_wait(const gpci_stage *stage) {
    return stage->tag_access[0].reason != GPC_BUSY_NOT || stage->mshr.used[0] >= stage->options->entries;
}

void gpci_prefetch_step(gpci_timed *t, gpci_stage *stage) {
    gpci_prefetch *p = stage->prefetch;
    while (p->count && stage->cache && !must_wait(stage)) {
        const gpci_prefetch_entry *e = &p->queue[p->first];
        if (gpci_queue_full(&stage->out) || !gpci_stage_port(stage, t->wheel.now, e->request.address)) {
            gpci_wheel_wake(&t->wheel, stage->component, t->wheel.now + 1);
            return;
        }
        const uint64_t address = e->request.address;
        if (is_there(t, stage, e))
            tell(p, address, GPC_PREFETCH_REDUNDANT);
        else if ((!stage->tlb || gpci_l1_tlb_lets_prefetch(stage, address)) && send(t, stage, e))
            p->counts.sent++;
        else
            tell(p, address, GPC_PREFETCH_DROPPED);
        p->first = (p->first + 1) % p->room;
        p->count--;
    }
}

bool gpci_prefetch_is_unclaimed(const gpci_timed *t, uint32_t waiter) {
    const gpci_packet *p = gpci_packet_at(&t->pool, waiter);
    return gpci_is_prefetch(p) && !(p->flags & GPCI_PACKET_LATE);
}

void gpci_prefetch_kept(gpci_stage *stage, uint64_t address, bool unclaimed) {
    gpci_prefetch *p = stage->prefetch;
    gpc_line line;
    uint32_t *mark = NULL;
    if (gpci_line_of(stage->cache, address, &line))
        mark = mark_at(p, stage->cache, line.set, line.way);
    if (mark)
        *mark = unclaimed ? mark_of(stage->cache, address) : 0;
    else if (unclaimed)
        tell(p, address, GPC_PREFETCH_UNUSED);
}

void gpci_prefetch_evicted(gpci_stage *stage, const gpc_eviction *eviction) {
    if (unmark(stage->prefetch, stage->cache, eviction->set, eviction->way, eviction->line_address))
        tell(stage->prefetch, eviction->line_address, GPC_PREFETCH_UNUSED);
}

void gpci_prefetch_state(gpci_prefetch *p, gpci_state_fn visit, void *user_data) {
    visit(user_data, &p->counts, sizeof p->counts);
    visit(user_data, &p->first, sizeof p->first);
    visit(user_data, &p->count, sizeof p->count);
    visit(user_data, p->queue, p->room * sizeof *p->queue);
    visit(user_data, p->marks, p->slots * sizeof *p->marks);
    gpci_policy_state(p->policy, visit, user_data);
}
