/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/l1/copy_engine.h"
#include "base/check.h"

#include "level/rules/level_rules.h"
#include "timed/core/timed.h"
#include "timed/ctrl/atomic_unit.h"
#include "timed/l1/multicast.h"
#include "timed/pages/l1_tlb.h"

static gpc_status make(gpci_timed *timed, gpci_ctrl *ctrl, gpc_error *error) {
    if (timed->hierarchy->coherent || timed->hierarchy->with_data)
        return GPC_OK;
    const uint32_t capacity = (uint32_t)gpci_number(timed->hierarchy, GPCI_KEY_SM_BULK_QUEUE);
    const uint64_t most = gpci_number(timed->hierarchy, GPCI_KEY_SM_BULK_REQUESTS);
    gpci_copy_engine *copy_engine =
        gpci_zalloc(timed->context, 1, sizeof *copy_engine + capacity * sizeof *copy_engine->queue);
    if (!copy_engine)
        return gpci_out_of_memory(error);
    copy_engine->capacity = capacity;
    copy_engine->rate = (uint32_t)gpci_number(timed->hierarchy, GPCI_KEY_SM_BULK_RATE);
    copy_engine->most = most > UINT32_MAX ? UINT32_MAX : (uint32_t)most;
    copy_engine->latency = (uint32_t)gpci_number(timed->hierarchy, GPCI_KEY_SM_BULK_LATENCY);
    gpci_part_add(ctrl, GPCI_PART_COPIES, &gpci_copy_engine_part, copy_engine);
    gpci_part_rests(ctrl, GPCI_PART_COPIES);
    return GPC_OK;
}

static void destroy(gpci_timed *timed, gpci_ctrl *ctrl) {
    gpci_free(timed->context, gpci_copy_engine_of(ctrl));
}

static void state(gpci_ctrl *ctrl, gpci_state_fn visit, void *user_data) {
    gpci_copy_engine *copy_engine = gpci_copy_engine_of(ctrl);
    visit(user_data, copy_engine, sizeof *copy_engine + copy_engine->capacity * sizeof *copy_engine->queue);
}

/*
 * Take an in-flight access for the n-th destination SM of a copy, and link the in-flight access behind earlier
 * in-flight accesses. Returns the first.
 */
static uint32_t take_inflight(gpci_timed *timed, const gpci_copy_asked *asked, uint32_t n, uint32_t requests,
                              uint32_t first) {
    const gpc_warp_access *access = asked->access;
    const uint32_t sm = access->multicast ? access->multicast[n] : access->sm;
    const uint32_t inflight = gpci_take_inflight(timed, sm, access->warp, GPCI_KIND_COPY,
                                                 asked->tokens[asked->token_per_sm ? n : 0], requests);
    gpci_inflight *inflight_access = &timed->inflights[inflight];
    inflight_access->framed = asked->framed;
    inflight_access->fence.phase = access->kind;
    inflight_access->fence.marks = 0;
    inflight_access->next = UINT32_MAX;
    if (sm != access->sm)
        timed->l1[sm].below.packets += requests;
    if (first == UINT32_MAX)
        return inflight;
    uint32_t last = first;
    while (timed->inflights[last].next != UINT32_MAX)
        last = timed->inflights[last].next;
    timed->inflights[last].next = inflight;
    timed->inflights[last].fence.marks = 1; /* only the last linked in-flight access counts the copy's cycles */
    return first;
}

/* Take an in-flight access per destination SM, linked; the copy's own SM, if a destination, comes last. */
static uint32_t take_inflights(gpci_timed *timed, const gpci_copy_asked *asked, uint32_t requests) {
    const gpc_warp_access *access = asked->access;
    uint32_t first = UINT32_MAX, own = access->multicast ? UINT32_MAX : 0;
    for (uint32_t n = 0; n < asked->targets && access->multicast; n++) {
        if (access->multicast[n] == access->sm)
            own = n;
        else
            first = take_inflight(timed, asked, n, requests, first);
    }
    return own == UINT32_MAX ? first : take_inflight(timed, asked, own, requests, first);
}

gpc_status gpci_copy_issue(gpci_timed *timed, const gpci_copy_asked *asked, gpc_busy *busy) {
    const gpc_warp_access *access = asked->access;
    gpci_ctrl *ctrl = &timed->l1[access->sm];
    gpci_copy_engine *copy_engine = gpci_copy_engine_of(ctrl);
    if (!copy_engine)
        return GPC_ERROR_UNSUPPORTED;
    if (copy_engine->count >= copy_engine->capacity) {
        gpci_part_refuses(ctrl, GPCI_PART_COPIES);
        if (busy)
            *busy = GPC_BUSY_PIPELINE;
        return GPC_BUSY;
    }
    gpc_status status = gpci_reserve_inflights(timed, asked->targets);
    if (status == GPC_OK && asked->targets > 1)
        status = gpci_make_inflights(timed, asked->targets);
    if (status < 0)
        return status;
    gpci_bulk_entry *entry = &copy_engine->queue[(copy_engine->first + copy_engine->count) % copy_engine->capacity];
    entry->bulk = gpci_bulk_of(access);
    const uint32_t requests = gpci_bulk_count(&entry->bulk, gpci_bulk_shift(timed->hierarchy));
    entry->request = gpci_bulk_request(timed->hierarchy, access, requests);
    entry->request.cycle = timed->wheel.now;
    entry->due = timed->wheel.now + copy_engine->latency;
    entry->targets = asked->targets;
    entry->named = access->multicast != NULL;
    entry->inflight = take_inflights(timed, asked, requests);
    gpci_log_bulk(timed, entry);
    GPCI_AGAIN(gpci_bulk_count_again(timed->hierarchy, access, requests));
    GPCI_AGAIN(timed->hierarchy->of_sm[access->sm].again.bulk_cycles -= timed->wheel.now);
    copy_engine->count++;
    timed->starters += !gpci_part_is_active(ctrl, GPCI_PART_COPIES);
    gpci_part_wakes(ctrl, GPCI_PART_COPIES);
    if (busy)
        *busy = GPC_BUSY_NOT;
    gpci_wheel_wake(&timed->wheel, ctrl->component, entry->due > timed->wheel.now ? entry->due : timed->wheel.now + 1);
    return GPC_OK;
}

/* Send a request to the miss queue (has room). */
static void send(gpci_timed *timed, gpci_ctrl *ctrl, gpci_bulk_entry *entry, const gpci_transaction *line) {
    const uint32_t number = gpci_pool_take(&timed->pool);
    gpci_packet *pkt = gpci_packet_at(&timed->pool, number);
    const uint8_t kind = entry->request.kind;
    const bool reads = kind == GPC_LOAD || kind == GPC_PREFETCH;
    *pkt = (gpci_packet){.request = entry->request,
                         .address = line->address,
                         .line = {.inflight = entry->inflight, .missed = line->segments, .kind = kind},
                         .segments = line->segments,
                         .level = 1};
    pkt->bytes[0] = line->bytes[0];
    pkt->bytes[1] = line->bytes[1];
    pkt->request.address = line->address;
    pkt->request.bytes_used = (uint16_t)gpci_transaction_bytes(line);
    pkt->request.sector_mask = timed->hierarchy->l1_level.sectors_of[line->segments];
    if (kind == GPC_STORE) {
        pkt->request.byte_mask[0] = line->bytes[0];
        pkt->request.byte_mask[1] = line->bytes[1];
    }
    if (kind == GPC_REDUCTION && gpci_atomics_are_limited(timed))
        pkt->turns = gpci_atomic_turns_of_words(timed, line);
    gpci_log_bulk_request(timed, number);
    gpci_bulk_count_request(timed->hierarchy, &pkt->request, line, entry->targets);
    GPCI_AGAIN(gpci_bulk_count_line_again(timed->hierarchy, &pkt->request, pkt->segments, entry->targets));
    if (GPCI_UNLIKELY(entry->named))
        gpci_multicast_prepare(timed, ctrl->index, pkt, entry->inflight, entry->targets);
    gpci_l1_send_itself(timed, ctrl, number, kind == GPC_STORE ? GPCI_WRITE : reads ? GPCI_READ : GPCI_ATOMIC);
}

/* Send the next request of the oldest copy. Room exists (gpci_copies_ahead). */
static void send_next(gpci_timed *timed, gpci_ctrl *ctrl, gpci_copy_engine *copy_engine) {
    gpci_bulk_entry *entry = &copy_engine->queue[copy_engine->first];
    gpci_transaction line;
    gpci_bulk_next(&entry->bulk, gpci_bulk_shift(timed->hierarchy), &line);
    send(timed, ctrl, entry, &line);
    copy_engine->under_way++;
    timed->progress = timed->wheel.now; /* a long copy moves though no access completes */
    copy_engine->sent++;
    if (entry->bulk.row == entry->bulk.rows) {
        copy_engine->first = (copy_engine->first + 1) % copy_engine->capacity;
        if (!--copy_engine->count) {
            timed->starters--;
            gpci_part_rests(ctrl, GPCI_PART_COPIES);
        }
    }
}

uint64_t gpci_copies_ahead(const gpci_ctrl *ctrl) {
    const gpci_copy_engine *copy_engine = gpci_copy_engine_of(ctrl);
    uint32_t targets = 1;
    for (uint32_t i = 0; i < copy_engine->count; i++) {
        const gpci_bulk_entry *entry = &copy_engine->queue[(copy_engine->first + i) % copy_engine->capacity];
        targets = entry->targets > targets ? entry->targets : targets;
    }
    return (uint64_t)copy_engine->rate * targets;
}

/* True if the page of the next request is known. If not, it is requested, and L1 is woken later. */
static bool is_translated(gpci_timed *timed, gpci_ctrl *ctrl, const gpci_copy_engine *copy_engine) {
    if (GPCI_LIKELY(!gpci_l1_tlb_of(ctrl)))
        return true;
    const gpci_bulk *bulk = &copy_engine->queue[copy_engine->first].bulk;
    return gpci_l1_tlb_lets_copy(timed, ctrl, bulk->addresses[bulk->row] + bulk->done);
}

/* Send requests of copies, after L1's tags have put packets into the miss queue. */
static void step(gpci_timed *timed, gpci_ctrl *ctrl) {
    gpci_copy_engine *copy_engine = gpci_copy_engine_of(ctrl);
    const uint64_t now = timed->wheel.now;
    bool translated = true;
    if (gpci_replies_wait(ctrl))
        return;
    if (copy_engine->cycle != now) {
        copy_engine->cycle = now;
        copy_engine->sent = 0;
    }
    while (copy_engine->count && copy_engine->queue[copy_engine->first].due <= now &&
           copy_engine->sent < copy_engine->rate && copy_engine->under_way < copy_engine->most &&
           !gpci_queue_full(&ctrl->out) && (translated = is_translated(timed, ctrl, copy_engine)))
        send_next(timed, ctrl, copy_engine);
    if (!copy_engine->count || !translated)
        return;
    const uint64_t due = copy_engine->queue[copy_engine->first].due;
    copy_engine->stalls += due <= now && !copy_engine->sent;
    GPCI_AGAIN(ctrl->counts.copy_stalls_again += (due <= now) - (due <= now && copy_engine->sent));
    if (copy_engine->under_way < copy_engine->most || due > now) /* if `most` are under way, a reply wakes the engine */
        gpci_wheel_wake(&timed->wheel, ctrl->component, due > now ? due : now + 1);
}

static bool has_room(const gpci_ctrl *ctrl) {
    return gpci_copy_engine_of(ctrl)->count < gpci_copy_engine_of(ctrl)->capacity;
}

static void count(const gpci_ctrl *ctrl, uint64_t now, gpc_stats *stats) {
    (void)now;
    stats->bulk_stalls += gpci_copy_engine_of(ctrl)->stalls;
}

static void reset(gpci_ctrl *ctrl, uint64_t now) {
    (void)now;
    gpci_copy_engine_of(ctrl)->stalls = 0;
}

static void hold(const gpci_timed *timed, const gpci_ctrl *ctrl, gpci_holders *holders) {
    const gpci_copy_engine *copy_engine = gpci_copy_engine_of(ctrl);
    const gpci_l1_tlb *tlb = gpci_l1_tlb_of(ctrl);
    const bool due = copy_engine->count && copy_engine->queue[copy_engine->first].due <= timed->wheel.now;
    gpci_mover mover = gpci_by_clock(ctrl->component);
    if (copy_engine->count && (gpci_replies_wait(ctrl) || (due && tlb && tlb->used)))
        mover = gpci_by_itself(holders);
    else if (due && copy_engine->under_way >= copy_engine->most)
        mover = gpci_by_any();
    gpci_held(holders, "bulk copies to ask for", copy_engine->count, mover);
    gpci_held(holders, "requests of bulk copies under way", copy_engine->under_way, gpci_by_any());
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
