/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/copy_engine.h"

#include "level/level_rules.h"
#include "timed/atomic_unit.h"
#include "timed/l1_tlb.h"
#include "timed/watch.h"

gpc_status gpci_copy_engine_create(const gpci_timed *t, gpci_stage *stage) {
    if (t->h->coherent || t->h->with_data)
        return GPC_OK;
    const uint32_t room = (uint32_t)gpci_number(t->h, GPCI_KEY_SM_BULK_QUEUE);
    const uint64_t most = gpci_number(t->h, GPCI_KEY_SM_BULK_REQUESTS);
    gpci_copy_engine *e = gpci_zalloc(t->context, 1, sizeof *e + room * sizeof *e->queue);
    if (!e)
        return GPC_ERROR_MEMORY;
    e->room = room;
    e->rate = (uint32_t)gpci_number(t->h, GPCI_KEY_SM_BULK_RATE);
    e->most = most > UINT32_MAX ? UINT32_MAX : (uint32_t)most;
    e->latency = (uint32_t)gpci_number(t->h, GPCI_KEY_SM_BULK_LATENCY);
    stage->engine = e;
    return GPC_OK;
}

void gpci_copy_engine_destroy(const gpci_timed *t, gpci_stage *stage) {
    gpci_free(t->context, stage->engine);
}

void gpci_copy_engine_state(gpci_copy_engine *e, gpci_state_fn visit, void *user_data) {
    visit(user_data, e, sizeof *e + e->room * sizeof *e->queue);
}

gpc_status gpci_copy_issue(gpci_timed *t, const gpc_warp_access *w, uint64_t token, bool framed, gpc_busy *busy) {
    gpci_stage *stage = &t->l1[w->sm];
    gpci_copy_engine *e = stage->engine;
    if (!e)
        return GPC_ERROR_UNSUPPORTED;
    if (stage->bulk >= e->room) {
        stage->refused_bulk = true;
        if (busy)
            *busy = GPC_BUSY_PIPELINE;
        return GPC_BUSY;
    }
    gpc_status status = gpci_make_room(t, 1);
    if (status < 0)
        return status;
    gpci_bulk_entry *entry = &e->queue[(e->first + stage->bulk) % e->room];
    entry->bulk = gpci_bulk_of(w);
    const uint32_t requests = gpci_bulk_count(&entry->bulk, gpci_bulk_shift(t->h));
    entry->request = gpci_bulk_request(t->h, w, requests);
    entry->request.cycle = t->wheel.now;
    entry->due = t->wheel.now + e->latency;
    entry->flight = gpci_take_flight(t, w->sm, w->warp, GPCI_KIND_COPY, token, requests);
    t->flights[entry->flight].framed = framed;
    t->flights[entry->flight].fence.phase = w->kind;
    gpci_see_bulk(t, entry->flight, &entry->request);
    stage->bulk++;
    if (busy)
        *busy = GPC_BUSY_NOT;
    gpci_wheel_wake(&t->wheel, stage->component, entry->due > t->wheel.now ? entry->due : t->wheel.now + 1);
    return GPC_OK;
}

/* One request, into the miss queue, which has room. */
static void send(gpci_timed *t, gpci_stage *stage, gpci_bulk_entry *entry, const gpci_transaction *line) {
    const uint32_t number = gpci_pool_take(&t->pool);
    gpci_packet *p = gpci_packet_at(&t->pool, number);
    const uint8_t kind = entry->request.kind;
    const bool reads = kind == GPC_LOAD || kind == GPC_PREFETCH;
    *p = (gpci_packet){.request = entry->request,
                       .address = line->address,
                       .bytes = {line->bytes[0], line->bytes[1]},
                       .line = {.flight = entry->flight, .missed = line->segments, .kind = kind},
                       .segments = line->segments,
                       .level = 1};
    p->request.address = line->address;
    p->request.bytes_used = (uint16_t)gpci_transaction_bytes(line);
    p->request.sector_mask = t->h->l1_level.sectors_of[line->segments];
    if (kind == GPC_STORE) {
        p->request.byte_mask[0] = line->bytes[0];
        p->request.byte_mask[1] = line->bytes[1];
    }
    if (kind == GPC_REDUCTION && gpci_atomics_are_limited(t))
        p->turns = gpci_atomic_turns_of_words(t, line);
    p->label = (gpci_packet_label){.kind = kind};
    gpci_see_bulk_request(t, p);
    gpci_bulk_count_request(t->h, &p->request, line);
    gpci_l1_send_itself(t, stage, number, kind == GPC_STORE ? GPCI_WRITE : reads ? GPCI_READ : GPCI_ATOMIC);
}

/* The next request of the oldest copy; false: memory is short. */
static bool send_next(gpci_timed *t, gpci_stage *stage, gpci_copy_engine *e) {
    gpci_bulk_entry *entry = &e->queue[e->first];
    gpci_transaction line;
    const gpc_status status = gpci_make_packets(t, 1);
    if (status < 0) {
        t->failed = status;
        return false;
    }
    gpci_bulk_next(&entry->bulk, gpci_bulk_shift(t->h), &line);
    send(t, stage, entry, &line);
    e->under_way++;
    e->sent++;
    if (entry->bulk.row == entry->bulk.rows) {
        e->first = (e->first + 1) % e->room;
        stage->bulk--;
    }
    return true;
}

/* Is the page of the next request known? Else it is asked for, and L1 is stepped when it is. */
static bool is_translated(gpci_timed *t, gpci_stage *stage, const gpci_copy_engine *e) {
    if (GPCI_LIKELY(!stage->tlb))
        return true;
    const gpci_bulk *bulk = &e->queue[e->first].bulk;
    return gpci_l1_tlb_lets_copy(t, stage, bulk->addresses[bulk->row] + bulk->done);
}

void gpci_copy_step(gpci_timed *t, gpci_stage *stage) {
    gpci_copy_engine *e = stage->engine;
    const uint64_t now = t->wheel.now;
    bool translated = true;
    if (e->cycle != now) {
        e->cycle = now;
        e->sent = 0;
    }
    while (stage->bulk && e->queue[e->first].due <= now && e->sent < e->rate && e->under_way < e->most &&
           !gpci_queue_full(&stage->out) && (translated = is_translated(t, stage, e)))
        if (!send_next(t, stage, e))
            break;
    if (!stage->bulk || !translated)
        return;
    const uint64_t due = e->queue[e->first].due;
    e->stalls += due <= now && !e->sent;
    if (e->under_way < e->most || due > now) /* else a reply wakes it */
        gpci_wheel_wake(&t->wheel, stage->component, due > now ? due : now + 1);
}

bool gpci_copy_has_room(const gpci_stage *stage) {
    return stage->bulk < stage->engine->room;
}

void gpci_copy_reply(gpci_stage *stage) {
    stage->engine->under_way--;
}
