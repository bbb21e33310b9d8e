/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/stage/constant_cache.h"

#include "timed/core/tags.h"
#include "timed/l1/collector.h"
#include "timed/l1/replies.h"
#include "timed/stage/l15_stage.h"

/* A line of constants at the tags, and in flight. */

void gpci_read_only_send(gpci_timed *t, gpci_stage *stage, const gpci_fetch_request *asked) {
    const uint32_t fetch = gpci_pool_take(&t->pool);
    gpci_packet *f = gpci_packet_at(&t->pool, fetch);
    const gpci_packet *waiter = gpci_packet_at(&t->pool, asked->waiter);
    *f = (gpci_packet){.address = waiter->address & ~(uint64_t)(stage->line->line_bytes - 1),
                       .request = waiter->request,
                       .line = {.flight = UINT32_MAX,
                                .waiter = asked->waiter,
                                .fetched = stage->line->sectors_of[asked->segments],
                                .kind = waiter->line.kind},
                       .segments = asked->segments,
                       .level = 1,
                       .type = GPCI_READ,
                       .flags = GPCI_PACKET_FETCH | GPCI_PACKET_CONSTANT,
                       .born = t->wheel.now};
    f->request.address = f->address;
    gpci_queue_push(&stage->out, &t->pool, t->wheel.now, fetch);
    gpci_see_new(t, GPC_WHAT_FETCH, stage, fetch, waiter, false);
}

void gpci_read_only_evicted(gpci_timed *t, gpci_stage *stage, const gpc_eviction *eviction) {
    (void)t;
    (void)stage;
    (void)eviction;
}

static const gpci_stage_rules rules = {.send = gpci_read_only_send,
                                       .evicted = gpci_read_only_evicted,
                                       .released = gpci_l1_release,
                                       .hold_up = gpci_stage_wait,
                                       .passed_by = gpci_stage_tell_nobody};

gpc_status gpci_constants_stage_create(gpci_timed *t, gpci_stage *l1) {
    const gpc_hierarchy *h = t->h;
    if (!h->constants)
        return GPC_OK;
    l1->constants = gpci_zalloc(t->context, 1, sizeof *l1->constants);
    if (!l1->constants)
        return GPC_ERROR_MEMORY;
    t->constants_level = gpci_constants_level(h);
    const uint64_t latency = gpci_number(h, GPCI_KEY_CONST_LATENCY);
    t->constants_options = (gpci_stage_options){
        .latency = (uint32_t)(latency == GPCI_WORD ? gpci_number(h, GPCI_KEY_SM_LATENCY_CONSTANT) : latency),
        .ports = 1,
        .banks = 1,
        .data_width = t->constants_level.line_bytes,
        .fill_width = t->constants_level.line_bytes,
        .entries = gpci_number(h, GPCI_KEY_CONST_MSHR),
        .merges = gpci_number(h, GPCI_KEY_CONST_MERGES),
        .clock = {1, 1}};
    const gpc_status status =
        gpci_stage_make_beside(t, l1, &rules, &t->constants_options, &t->constants_level, l1->constants);
    gpci_queue_init(&l1->constants->out, gpci_number(h, GPCI_KEY_CONST_MISS_QUEUE));
    l1->constants->cache = h->constants[l1->index];
    return status;
}

void gpci_constants_stage_destroy(gpci_timed *t, gpci_stage *l1) {
    if (l1->constants)
        gpci_stage_unmake(t, l1->constants);
    gpci_free(t->context, l1->constants);
}

gpc_status gpci_constants_issue(gpci_timed *t, const gpc_warp_access *w, uint64_t token, bool framed) {
    gpci_transaction lines[GPCI_MAX_TRANSACTIONS];
    gpci_stage *l1 = &t->l1[w->sm], *stage = l1->constants;
    gpci_queue *queue = l1->collector ? &l1->collector->issued : &stage->in;
    gpc_request request;
    uint32_t segments = 0;
    const gpc_status status = gpci_make_room(t, GPCI_MAX_TRANSACTIONS);
    if (status < 0)
        return status;
    gpci_count_instruction(t->h, w->sm, w->mask);
    const uint32_t count = gpci_constants_lines(t->h, w, lines, &request);
    const uint32_t flight = gpci_take_flight(t, w->sm, w->warp, w->kind, token, count);
    t->flights[flight].framed = framed;
    t->flights[flight].constant = true;
    request.cycle = t->wheel.now;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t number = gpci_pool_take(&t->pool);
        gpci_packet *p = gpci_packet_at(&t->pool, number);
        *p = (gpci_packet){.address = lines[i].address,
                           .request = request,
                           .line = {.flight = flight, .kind = w->kind},
                           .segments = lines[i].segments,
                           .level = 1,
                           .flags = i + 1 == count ? GPCI_PACKET_LAST : 0};
        p->request.address = lines[i].address;
        p->request.bytes_used = (uint16_t)gpci_transaction_bytes(&lines[i]);
        segments += gpci_count_sectors(lines[i].segments);
        t->pool.links[number].due = t->wheel.now;
        gpci_queue_append(queue, &t->pool, number);
    }
    gpci_queue_pushed(queue, &t->pool, t->wheel.now);
    gpci_see_issue(t, queue, flight, count, segments);
    gpci_gauge_set(&l1->waiting_gauge, t->wheel.now, ++l1->waiting);
    gpci_wheel_wake(&t->wheel, l1->component, t->wheel.now);
    return GPC_OK;
}

static gpci_verdict pass(gpci_timed *t, gpci_stage *stage, uint32_t packet, gpci_tag_access *access) {
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    if (!access->looked) {
        gpci_stage_look(t, stage, p, access);
        gpci_constants_looked(t->h, stage->index, access->result.outcome == GPC_HIT, access->flying != 0);
        gpci_see_lookup(t, stage, p, access);
    }
    const gpci_verdict verdict = gpci_stage_settle(t, stage, packet, access, false);
    if (verdict == GPCI_SERVED)
        gpci_l1_serve(t, stage, packet);
    return verdict;
}

void gpci_constants_step(gpci_timed *t, gpci_stage *l1) {
    gpci_stage *stage = l1->constants;
    gpci_tag_access *access = &stage->tag_access[0];
    while (stage->in.count && !gpci_stage_stuck(access) && !gpci_replies_wait(l1)) {
        const uint32_t packet = stage->in.first;
        const bool last = gpci_packet_at(&t->pool, packet)->flags & GPCI_PACKET_LAST;
        if (!gpci_stage_port(stage, t->wheel.now, gpci_packet_at(&t->pool, packet)->address)) {
            gpci_wheel_wake(&t->wheel, l1->component, t->wheel.now + 1);
            return;
        }
        const uint32_t next = gpci_tags_take(t, &stage->in);
        if (pass(t, stage, packet, access) == GPCI_BLOCKED) {
            gpci_tags_put_back(t, stage, &stage->in, packet, next, access);
            break;
        }
        gpci_tags_passed(stage, &stage->in, access, t->wheel.now);
        if (last)
            gpci_gauge_set(&l1->waiting_gauge, t->wheel.now, --l1->waiting);
    }
}

void gpci_constants_send(gpci_timed *t, gpci_stage *l1) {
    gpci_stage *stage = l1->constants;
    while (stage->out.count && (l1->l15 ? gpci_l15_has_room(l1) : !gpci_queue_full(&l1->out))) {
        const uint32_t packet = gpci_queue_pop(&stage->out, &t->pool, t->wheel.now);
        if (l1->l15)
            gpci_l15_take(t, l1, packet);
        else
            gpci_l1_queue_miss(t, l1, packet, 0);
        gpci_stage_relieve(stage, GPC_BUSY_MISS_QUEUE);
    }
    if (gpci_stage_eager(&stage->tag_access[0]) && !gpci_replies_wait(l1))
        gpci_wheel_wake(&t->wheel, l1->component, t->wheel.now + 1);
}
