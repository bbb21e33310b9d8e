/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/l1/copy_engine.h"

#include "level/rules/level_rules.h"
#include "timed/core/event_log.h"
#include "timed/ctrl/atomic_unit.h"
#include "timed/l1/multicast.h"
#include "timed/pages/l1_tlb.h"

static gpc_status make(gpci_timed *t, gpci_ctrl *ctrl, gpc_error *error) {
    if (t->h->coherent || t->h->with_data)
        return GPC_OK;
    const uint32_t room = (uint32_t)gpci_number(t->h, GPCI_KEY_SM_BULK_QUEUE);
    const uint64_t most = gpci_number(t->h, GPCI_KEY_SM_BULK_REQUESTS);
    gpci_copy_engine *e = gpci_zalloc(t->context, 1, sizeof *e + room * sizeof *e->queue);
    if (!e)
        return gpci_out_of_memory(error);
    e->room = room;
    e->rate = (uint32_t)gpci_number(t->h, GPCI_KEY_SM_BULK_RATE);
    e->most = most > UINT32_MAX ? UINT32_MAX : (uint32_t)most;
    e->latency = (uint32_t)gpci_number(t->h, GPCI_KEY_SM_BULK_LATENCY);
    gpci_part_add(ctrl, GPCI_PART_COPIES, &gpci_copy_engine_part, e);
    gpci_part_rests(ctrl, GPCI_PART_COPIES);
    return GPC_OK;
}

static void destroy(gpci_timed *t, gpci_ctrl *ctrl) {
    gpci_free(t->context, gpci_copy_engine_of(ctrl));
}

static void state(gpci_ctrl *ctrl, gpci_state_fn visit, void *user_data) {
    gpci_copy_engine *e = gpci_copy_engine_of(ctrl);
    visit(user_data, e, sizeof *e + e->room * sizeof *e->queue);
}

/*
 * Take an in-flight access for the n-th destination SM of a copy, and link the in-flight access behind earlier
 * in-flight accesses. Returns the first.
 */
static uint32_t take_inflight(gpci_timed *t, const gpci_copy_asked *asked, uint32_t n, uint32_t requests,
                              uint32_t first) {
    const gpc_warp_access *w = asked->access;
    const uint32_t sm = w->multicast ? w->multicast[n] : w->sm;
    const uint32_t inflight =
        gpci_take_inflight(t, sm, w->warp, GPCI_KIND_COPY, asked->tokens[asked->apart ? n : 0], requests);
    gpci_inflight *f = &t->inflights[inflight];
    f->framed = asked->framed;
    f->fence.phase = w->kind;
    f->fence.marks = 0;
    f->next = UINT32_MAX;
    if (sm != w->sm)
        t->l1[sm].below.packets += requests;
    if (first == UINT32_MAX)
        return inflight;
    uint32_t last = first;
    while (t->inflights[last].next != UINT32_MAX)
        last = t->inflights[last].next;
    t->inflights[last].next = inflight;
    t->inflights[last].fence.marks = 1; /* the last in-flight access counts the copy */
    return first;
}

/* Take an in-flight access per destination SM, linked; the copy's own SM, if a destination, comes last. */
static uint32_t take_inflights(gpci_timed *t, const gpci_copy_asked *asked, uint32_t requests) {
    const gpc_warp_access *w = asked->access;
    uint32_t first = UINT32_MAX, own = w->multicast ? UINT32_MAX : 0;
    for (uint32_t n = 0; n < asked->targets && w->multicast; n++) {
        if (w->multicast[n] == w->sm)
            own = n;
        else
            first = take_inflight(t, asked, n, requests, first);
    }
    return own == UINT32_MAX ? first : take_inflight(t, asked, own, requests, first);
}

gpc_status gpci_copy_issue(gpci_timed *t, const gpci_copy_asked *asked, gpc_busy *busy) {
    const gpc_warp_access *w = asked->access;
    gpci_ctrl *ctrl = &t->l1[w->sm];
    gpci_copy_engine *e = gpci_copy_engine_of(ctrl);
    if (!e)
        return GPC_ERROR_UNSUPPORTED;
    if (e->count >= e->room) {
        gpci_part_refuses(ctrl, GPCI_PART_COPIES);
        if (busy)
            *busy = GPC_BUSY_PIPELINE;
        return GPC_BUSY;
    }
    gpc_status status = gpci_make_room(t, asked->targets);
    if (status == GPC_OK && asked->targets > 1)
        status = gpci_make_inflights(t, asked->targets);
    if (status < 0)
        return status;
    gpci_bulk_entry *entry = &e->queue[(e->first + e->count) % e->room];
    entry->bulk = gpci_bulk_of(w);
    const uint32_t requests = gpci_bulk_count(&entry->bulk, gpci_bulk_shift(t->h));
    entry->request = gpci_bulk_request(t->h, w, requests);
    entry->request.cycle = t->wheel.now;
    entry->due = t->wheel.now + e->latency;
    entry->targets = asked->targets;
    entry->named = w->multicast != NULL;
    entry->inflight = take_inflights(t, asked, requests);
    gpci_log_bulk(t, entry);
    e->count++;
    gpci_part_wakes(ctrl, GPCI_PART_COPIES);
    if (busy)
        *busy = GPC_BUSY_NOT;
    gpci_wheel_wake(&t->wheel, ctrl->component, entry->due > t->wheel.now ? entry->due : t->wheel.now + 1);
    return GPC_OK;
}

/* Send a request to the miss queue (has room). */
static void send(gpci_timed *t, gpci_ctrl *ctrl, gpci_bulk_entry *entry, const gpci_transaction *line) {
    const uint32_t number = gpci_pool_take(&t->pool);
    gpci_packet *p = gpci_packet_at(&t->pool, number);
    const uint8_t kind = entry->request.kind;
    const bool reads = kind == GPC_LOAD || kind == GPC_PREFETCH;
    *p = (gpci_packet){.request = entry->request,
                       .address = line->address,
                       .line = {.inflight = entry->inflight, .missed = line->segments, .kind = kind},
                       .segments = line->segments,
                       .level = 1};
    p->bytes[0] = line->bytes[0];
    p->bytes[1] = line->bytes[1];
    p->request.address = line->address;
    p->request.bytes_used = (uint16_t)gpci_transaction_bytes(line);
    p->request.sector_mask = t->h->l1_level.sectors_of[line->segments];
    if (kind == GPC_STORE) {
        p->request.byte_mask[0] = line->bytes[0];
        p->request.byte_mask[1] = line->bytes[1];
    }
    if (kind == GPC_REDUCTION && gpci_atomics_are_limited(t))
        p->turns = gpci_atomic_turns_of_words(t, line);
    gpci_log_bulk_request(t, number);
    gpci_bulk_count_request(t->h, &p->request, line, entry->targets);
    if (GPCI_UNLIKELY(entry->named))
        gpci_multicast_prepare(t, ctrl->index, p, entry->inflight, entry->targets);
    gpci_l1_send_itself(t, ctrl, number, kind == GPC_STORE ? GPCI_WRITE : reads ? GPCI_READ : GPCI_ATOMIC);
}

/* Send the next request of the oldest copy; false: out of memory. */
static bool send_next(gpci_timed *t, gpci_ctrl *ctrl, gpci_copy_engine *e) {
    gpci_bulk_entry *entry = &e->queue[e->first];
    gpci_transaction line;
    const gpc_status status = gpci_make_packets(t, entry->targets);
    if (status < 0) {
        t->failed = status;
        return false;
    }
    gpci_bulk_next(&entry->bulk, gpci_bulk_shift(t->h), &line);
    send(t, ctrl, entry, &line);
    e->under_way++;
    e->sent++;
    if (entry->bulk.row == entry->bulk.rows) {
        e->first = (e->first + 1) % e->room;
        if (!--e->count)
            gpci_part_rests(ctrl, GPCI_PART_COPIES);
    }
    return true;
}

/* True if the page of the next request is known. If not, it is requested, and L1 is woken later. */
static bool is_translated(gpci_timed *t, gpci_ctrl *ctrl, const gpci_copy_engine *e) {
    if (GPCI_LIKELY(!gpci_l1_tlb_of(ctrl)))
        return true;
    const gpci_bulk *bulk = &e->queue[e->first].bulk;
    return gpci_l1_tlb_lets_copy(t, ctrl, bulk->addresses[bulk->row] + bulk->done);
}

/* Send requests, after those of L1's tags. */
static void step(gpci_timed *t, gpci_ctrl *ctrl) {
    gpci_copy_engine *e = gpci_copy_engine_of(ctrl);
    const uint64_t now = t->wheel.now;
    bool translated = true;
    if (gpci_replies_wait(ctrl))
        return;
    if (e->cycle != now) {
        e->cycle = now;
        e->sent = 0;
    }
    while (e->count && e->queue[e->first].due <= now && e->sent < e->rate && e->under_way < e->most &&
           !gpci_queue_full(&ctrl->out) && (translated = is_translated(t, ctrl, e)))
        if (!send_next(t, ctrl, e))
            break;
    if (!e->count || !translated)
        return;
    const uint64_t due = e->queue[e->first].due;
    e->stalls += due <= now && !e->sent;
    if (e->under_way < e->most || due > now) /* otherwise a reply wakes the engine */
        gpci_wheel_wake(&t->wheel, ctrl->component, due > now ? due : now + 1);
}

static bool has_room(const gpci_ctrl *ctrl) {
    return gpci_copy_engine_of(ctrl)->count < gpci_copy_engine_of(ctrl)->room;
}

static void count(const gpci_ctrl *ctrl, uint64_t now, gpc_stats *stats) {
    (void)now;
    stats->bulk_stalls += gpci_copy_engine_of(ctrl)->stalls;
}

static void reset(gpci_ctrl *ctrl, uint64_t now) {
    (void)now;
    gpci_copy_engine_of(ctrl)->stalls = 0;
}

static void hold(const gpci_timed *t, const gpci_ctrl *ctrl, gpci_holders *to) {
    const gpci_copy_engine *e = gpci_copy_engine_of(ctrl);
    const gpci_l1_tlb *tlb = gpci_l1_tlb_of(ctrl);
    const bool due = e->count && e->queue[e->first].due <= t->wheel.now;
    gpci_mover mover = gpci_by_clock(ctrl->component);
    if (e->count && (gpci_replies_wait(ctrl) || (due && tlb && tlb->used)))
        mover = gpci_by_itself(to);
    else if (due && e->under_way >= e->most)
        mover = gpci_by_any();
    gpci_held(to, "bulk copies to ask for", e->count, mover);
    gpci_held(to, "requests of bulk copies under way", e->under_way, gpci_by_any());
}

const gpci_part_class gpci_copy_engine_part = {.levels = GPCI_OF_L1S,
                                               .make = make,
                                               .destroy = destroy,
                                               .step = {[GPCI_AT_AFTER_TAGS] = step},
                                               .has_room = has_room,
                                               .count = count,
                                               .reset = reset,
                                               .state = state,
                                               .hold = hold};
