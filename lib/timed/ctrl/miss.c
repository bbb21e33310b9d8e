/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/cache.h"
#include "level/access/warp_ranks.h"
#include "level/rules/kernels.h"
#include "timed/core/event_log.h"
#include "timed/core/shards.h"
#include "timed/ctrl/atomic_unit.h"
#include "timed/ctrl/l15_ctrl.h"
#include "timed/ctrl/plain_values.h"

#include <string.h>

/* Misses of a host's L1s: requests for a line, into the miss queue of the SM. */

static bool is_out_of_range(const gpc_hierarchy *h, const gpc_request *r) {
    return r->hint >= GPC_HINT_COUNT || r->priority >= GPC_PRIORITY_COUNT || r->token >= GPC_TOKEN_COUNT ||
           r->token_l2 >= GPC_TOKEN_COUNT || r->scope >= GPC_SCOPE_COUNT || r->order >= GPC_ORDER_COUNT ||
           r->continues > 1 || r->admitted > 1 || r->stream >= h->streams;
}

/* First wrong field of a request, apart from the bytes; or NULL. */
static const char *wrong_fields(const gpc_hierarchy *h, const gpc_request *r) {
    if (r->sm >= h->sms)
        return "sm is not below sm.count";
    if (r->kind >= GPC_KIND_COUNT)
        return "kind is out of range";
    if (r->space >= GPC_SPACE_COUNT)
        return "space is out of range";
    if (!gpci_space_is_cached(r))
        return r->space == GPC_SPACE_CONSTANT || r->space == GPC_SPACE_TEXTURE || r->space == GPC_SPACE_INSTRUCTION
                   ? "space is one that is only read"
                   : "space is none that L2 has: GLOBAL, LOCAL, CONSTANT, TEXTURE or INSTRUCTION";
    if (GPCI_UNLIKELY(r->copy > GPC_COPY_ASYNC))
        return r->copy == GPC_COPY_BULK ? "copy is BULK, whose rows the SM's engine requests: gpc_hierarchy_try_issue"
                                        : "copy is neither NONE nor ASYNC";
    return GPCI_UNLIKELY(is_out_of_range(h, r))
               ? "hint, priority, token, token_l2, scope, order, continues, admitted or stream is out of range"
               : NULL;
}

void gpci_cut_bytes(const gpc_request *r, uint32_t offset, gpci_transaction *line) {
    const bool masked = r->kind < GPC_ATOMIC && (r->byte_mask[0] | r->byte_mask[1]);
    const gpci_bytes span = gpci_bytes_between(offset, offset + r->size);
    for (unsigned word = 0; word < 2; word++)
        line->bytes[word] &= masked ? r->byte_mask[word] : r->size ? span.word[word] : UINT64_MAX;
}

const char *gpci_line_of_request(const gpc_hierarchy *h, const gpci_level *level, const gpc_request *r,
                                 gpci_transaction *line) {
    const uint32_t offset = (uint32_t)r->address & (level->line_bytes - 1);
    const char *wrong = wrong_fields(h, r);
    if (GPCI_UNLIKELY(wrong != NULL))
        return wrong;
    if (r->size > level->line_bytes - offset)
        return "size goes beyond the line of address";
    *line = (gpci_transaction){.address = r->address - offset, .segments = level->all_segments};
    if (r->sector_mask)
        line->segments = r->sector_mask;
    else if (r->size)
        line->segments = (uint8_t)((2u << ((offset + r->size - 1) / GPCI_SEGMENT)) - (1u << (offset / GPCI_SEGMENT)));
    if (line->segments & ~level->all_segments)
        return "sector_mask has sectors that the line does not have";
    for (unsigned s = 0; s < 4; s++)
        if (line->segments >> s & 1)
            line->bytes[s / 2] |= (uint64_t)UINT32_MAX << (s % 2 * 32);
    if (r->kind == GPC_LOAD || r->kind == GPC_PREFETCH)
        return NULL;
    if (r->kind == GPC_STORE && gpci_segments_of(r->byte_mask) & ~level->all_segments)
        return "byte_mask has bytes beyond the line";
    gpci_cut_bytes(r, offset, line);
    line->segments = gpci_segments_of(line->bytes);
    return line->segments ? NULL : "byte_mask and sector_mask, or size, have no byte in common";
}

gpc_busy gpci_timed_busy_miss(const gpc_hierarchy *h, uint32_t sm) {
    const gpci_ctrl *ctrl = &h->timed->l1[sm];
    if (!gpci_queue_full(&ctrl->out))
        return GPC_BUSY_NOT;
    return ctrl->unsent.since != GPCI_NEVER ? GPC_BUSY_NETWORK : GPC_BUSY_MISS_QUEUE;
}

/*
 * Put the request's packet into the SM's miss queue, or before the L1.5; room must exist. Returns the in-flight access.
 */
static uint32_t enter(gpci_timed *t, const gpc_request *request, const gpci_transaction *line, uint64_t token) {
    gpci_ctrl *ctrl = &t->l1[request->sm];
    const uint32_t inflight = gpci_take_inflight(t, request->sm, request->warp, request->kind, token, 1),
                   number = gpci_pool_take(&t->pool);
    gpci_packet *p = gpci_packet_at(&t->pool, number);
    *p = (gpci_packet){.request = *request,
                       .address = line->address,
                       .born = t->wheel.now,
                       .line = {.inflight = inflight, .missed = line->segments},
                       .segments = line->segments,
                       .level = 1};
    memset(p->request.reserved, 0, sizeof p->request.reserved); /* a packet's fields, whatever the host has set */
    p->bytes[0] = line->bytes[0];
    p->bytes[1] = line->bytes[1];
    bool read = request->kind == GPC_LOAD || request->kind == GPC_PREFETCH;
    p->type = request->kind == GPC_STORE ? GPCI_WRITE : read ? GPCI_READ : GPCI_ATOMIC;
    if (p->type == GPCI_ATOMIC && gpci_atomics_are_limited(t))
        p->turns = gpci_atomic_turns_of_words(t, line);
    p->request.address = line->address;
    p->request.size = 0;
    p->request.priority = gpci_priority_of(request->hint, request->priority);
    p->request.kernel = gpci_kernel_of(t->h, p->request.stream);
    if (GPCI_UNLIKELY(t->h->warp_ranks != NULL))
        gpci_warp_rerank(t->h, &p->request);
    ctrl->sm.takes_misses = true;
    gpci_log_miss(t, ctrl, inflight, number);
    if (gpci_goes_by_l15(ctrl, request)) {
        gpci_l15_take(t, ctrl, number);
        return inflight;
    }
    gpci_l1_queue_miss(t, ctrl, number, 0);
    gpci_wheel_wake(&t->wheel, ctrl->component, t->wheel.now);
    return inflight;
}

static void refuse(gpci_ctrl *ctrl, bool by_l15) {
    if (by_l15)
        gpci_part_refuses(ctrl, GPCI_PART_L15);
    else
        ctrl->sm.refused_miss = true;
}

/*
 * Enter the request as `*out_flight`; or, without room, note to tell the SM later, and set `*out_busy` to the reason.
 */
static gpc_status try_enter(gpci_timed *t, const gpc_request *request, const gpci_transaction *line, uint64_t token,
                            gpc_busy *out_busy, uint32_t *out_inflight) {
    gpci_ctrl *ctrl = &t->l1[request->sm];
    const bool by_l15 = gpci_goes_by_l15(ctrl, request);
    *out_busy = !by_l15                   ? gpci_timed_busy_miss(t->h, request->sm)
                : gpci_l15_has_room(ctrl) ? GPC_BUSY_NOT
                                          : GPC_BUSY_MISS_QUEUE;
    const gpc_status status = *out_busy == GPC_BUSY_NOT ? gpci_make_room(t, 1) : GPC_BUSY;
    if (status == GPC_OK)
        *out_inflight = enter(t, request, line, token);
    else if (status == GPC_BUSY)
        refuse(ctrl, by_l15);
    return status;
}

gpc_status gpci_timed_read(gpc_hierarchy *h, const gpc_request *request, uint64_t token) {
    gpci_timed *t = gpci_timed_of_sm(h->timed, request->sm);
    gpci_transaction line;
    gpc_busy busy;
    uint32_t inflight;
    if (gpci_line_of_request(h, &h->l1_level, request, &line))
        return GPC_ERROR_ARGUMENT;
    const gpc_status status = try_enter(t, request, &line, token, &busy, &inflight);
    if (status != GPC_OK)
        return status;
    t->inflights[inflight].framed = true;
    t->inflights[inflight].kind = GPC_PREFETCH; /* no access of a warp: no latency is counted, no fence waits */
    return GPC_OK;
}

gpc_status gpci_timed_try_miss(gpc_hierarchy *h, const gpc_request *request, uint64_t token, gpc_busy *out_busy) {
    gpci_transaction line;
    gpc_busy busy;
    uint32_t inflight;
    if (gpci_line_of_request(h, &h->l1_level, request, &line))
        return GPC_ERROR_ARGUMENT;
    if (h->with_data)
        return GPC_ERROR_UNSUPPORTED;
    const gpc_status status =
        try_enter(gpci_timed_of_sm(h->timed, request->sm), request, &line, token, &busy, &inflight);
    if (status >= 0 && out_busy)
        *out_busy = busy;
    return status;
}

gpc_status gpci_timed_check_miss(const gpc_hierarchy *h, const gpc_request *request, gpc_error *error) {
    gpci_transaction line;
    const char *wrong = gpci_line_of_request(h, &h->l1_level, request, &line);
    if (wrong)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_request: %s", wrong);
    if (h->with_data)
        return gpci_fail(error, GPC_ERROR_UNSUPPORTED,
                         "gpc_hierarchy_try_miss: coherence.data: a request carries no values");
    return GPC_OK;
}
