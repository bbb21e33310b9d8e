/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/cache.h"
#include "level/access/warp_ranks.h"
#include "level/rules/kernels.h"
#include "timed/core/shards.h"
#include "timed/core/timed.h"
#include "timed/ctrl/atomic_unit.h"
#include "timed/ctrl/l15_ctrl.h"
#include "timed/ctrl/plain_values.h"

#include <string.h>

/* Misses of L1s that the host models: requests for a line enter the miss queue of the SM's L1. */

static bool is_out_of_range(const gpc_hierarchy *hierarchy, const gpc_request *request) {
    return request->hint >= GPC_HINT_COUNT || request->priority >= GPC_PRIORITY_COUNT ||
           request->policy.token >= GPC_TOKEN_COUNT || request->policy.token_l2 >= GPC_TOKEN_COUNT ||
           request->scope >= GPC_SCOPE_COUNT || request->order >= GPC_ORDER_COUNT || request->continues > 1 ||
           request->policy.admitted > 1 || request->stream >= hierarchy->streams;
}

/* First wrong field of a request, apart from the bytes; or NULL. */
static const char *wrong_fields(const gpc_hierarchy *hierarchy, const gpc_request *request) {
    if (gpci_request_has_unknown(request))
        return "reserved or unused is not 0";
    if (request->sm >= hierarchy->sms)
        return "sm is not below sm.count";
    if (request->kind >= GPC_KIND_COUNT)
        return "kind is out of range";
    if (request->space >= GPC_SPACE_COUNT)
        return "space is out of range";
    if (!gpci_space_is_cached(request))
        return request->space == GPC_SPACE_CONSTANT || request->space == GPC_SPACE_TEXTURE ||
                       request->space == GPC_SPACE_INSTRUCTION
                   ? "space is one that is only read"
                   : "space is none that L2 has: GLOBAL, LOCAL, CONSTANT, TEXTURE or INSTRUCTION";
    if (GPCI_UNLIKELY(request->copy > GPC_COPY_ASYNC))
        return request->copy == GPC_COPY_BULK
                   ? "copy is BULK, whose rows the SM's engine requests: gpc_hierarchy_try_issue"
                   : "copy is neither NONE nor ASYNC";
    return GPCI_UNLIKELY(is_out_of_range(hierarchy, request))
               ? "hint, priority, token, token_l2, scope, order, continues, admitted or stream is out of range"
               : NULL;
}

void gpci_cut_bytes(const gpc_request *request, uint32_t offset, gpci_transaction *line) {
    const bool masked = request->kind < GPC_ATOMIC && (request->byte_mask[0] | request->byte_mask[1]);
    const gpci_bytes span = gpci_bytes_between(offset, offset + request->size);
    for (unsigned word = 0; word < 2; word++)
        line->bytes[word] &= masked ? request->byte_mask[word] : request->size ? span.word[word] : UINT64_MAX;
}

const char *gpci_line_of_request(const gpc_hierarchy *hierarchy, const gpci_level *level, const gpc_request *request,
                                 gpci_transaction *line) {
    const uint32_t offset = (uint32_t)request->address & (level->line_bytes - 1);
    const char *wrong = wrong_fields(hierarchy, request);
    if (GPCI_UNLIKELY(wrong != NULL))
        return wrong;
    if (request->size > level->line_bytes - offset)
        return "size goes beyond the line of address";
    *line = (gpci_transaction){.address = request->address - offset, .segments = level->all_segments};
    if (request->sector_mask)
        line->segments = request->sector_mask;
    else if (request->size)
        line->segments =
            (uint8_t)((2u << ((offset + request->size - 1) / GPCI_SEGMENT)) - (1u << (offset / GPCI_SEGMENT)));
    if (line->segments & ~level->all_segments)
        return "sector_mask has sectors that the line does not have";
    for (unsigned s = 0; s < 4; s++)
        if (line->segments >> s & 1)
            line->bytes[s / 2] |= (uint64_t)UINT32_MAX << (s % 2 * 32);
    if (request->kind == GPC_LOAD || request->kind == GPC_PREFETCH)
        return NULL;
    if (request->kind == GPC_STORE && gpci_segments_of(request->byte_mask) & ~level->all_segments)
        return "byte_mask has bytes beyond the line";
    gpci_cut_bytes(request, offset, line);
    line->segments = gpci_segments_of(line->bytes);
    return line->segments ? NULL : "byte_mask and sector_mask, or size, have no byte in common";
}

gpc_busy gpci_timed_busy_miss(const gpc_hierarchy *hierarchy, uint32_t sm) {
    const gpci_ctrl *ctrl = &hierarchy->timed->l1[sm];
    if (!gpci_queue_full(&ctrl->out))
        return GPC_BUSY_NOT;
    return ctrl->unsent.since != GPCI_NEVER ? GPC_BUSY_NETWORK : GPC_BUSY_MISS_QUEUE;
}

/*
 * Put the request's packet into the SM's miss queue, or before the L1.5; room must exist. Returns the in-flight access.
 */
static uint32_t enter(gpci_timed *timed, const gpc_request *request, const gpci_transaction *line, uint64_t token) {
    gpci_ctrl *ctrl = &timed->l1[request->sm];
    const uint32_t inflight = gpci_take_inflight(timed, request->sm, request->warp, request->kind, token, 1),
                   number = gpci_pool_take(&timed->pool);
    gpci_packet *pkt = gpci_packet_at(&timed->pool, number);
    *pkt = (gpci_packet){.request = *request,
                         .address = line->address,
                         .born = timed->wheel.now,
                         .line = {.inflight = inflight, .missed = line->segments},
                         .segments = line->segments,
                         .level = 1};
    memset(pkt->request.reserved, 0, sizeof pkt->request.reserved); /* a packet has own fields in the reserved bytes */
    pkt->bytes[0] = line->bytes[0];
    pkt->bytes[1] = line->bytes[1];
    bool read = request->kind == GPC_LOAD || request->kind == GPC_PREFETCH;
    pkt->type = request->kind == GPC_STORE ? GPCI_WRITE : read ? GPCI_READ : GPCI_ATOMIC;
    if (pkt->type == GPCI_ATOMIC && gpci_atomics_are_limited(timed))
        pkt->turns = gpci_atomic_turns_of_words(timed, line);
    pkt->request.address = line->address;
    pkt->request.size = 0;
    pkt->request.priority = gpci_priority_of(request->hint, request->priority);
    pkt->request.kernel = gpci_kernel_of(timed->hierarchy, pkt->request.stream);
    if (GPCI_UNLIKELY(timed->hierarchy->warp_ranks != NULL))
        gpci_warp_rerank(timed->hierarchy, &pkt->request);
    ctrl->sm.takes_misses = true;
    gpci_log_miss(timed, ctrl, inflight, number);
    if (gpci_goes_by_l15(ctrl, request)) {
        gpci_l15_take(timed, ctrl, number);
        return inflight;
    }
    gpci_l1_queue_miss(timed, ctrl, number, 0);
    gpci_wheel_wake(&timed->wheel, ctrl->component, timed->wheel.now);
    return inflight;
}

static void refuse(gpci_ctrl *ctrl, bool by_l15) {
    if (by_l15)
        gpci_part_refuses(ctrl, GPCI_PART_L15);
    else
        ctrl->sm.refused_miss = true;
}

/*
 * Enter the request, and set `*out_inflight`. Without room, set `*out_busy` to the reason; the SM is told when there is
 * room.
 */
static gpc_status try_enter(gpci_timed *timed, const gpc_request *request, const gpci_transaction *line, uint64_t token,
                            gpc_busy *out_busy, uint32_t *out_inflight) {
    gpci_ctrl *ctrl = &timed->l1[request->sm];
    const bool by_l15 = gpci_goes_by_l15(ctrl, request);
    *out_busy = !by_l15                   ? gpci_timed_busy_miss(timed->hierarchy, request->sm)
                : gpci_l15_has_room(ctrl) ? GPC_BUSY_NOT
                                          : GPC_BUSY_MISS_QUEUE;
    const gpc_status status = *out_busy == GPC_BUSY_NOT ? gpci_reserve_inflights(timed, 1) : GPC_BUSY;
    if (status == GPC_OK)
        *out_inflight = enter(timed, request, line, token);
    else if (status == GPC_BUSY)
        refuse(ctrl, by_l15);
    return status;
}

gpc_status gpci_timed_read(gpc_hierarchy *hierarchy, const gpc_request *request, uint64_t token) {
    gpci_timed *timed = gpci_timed_of_sm(hierarchy->timed, request->sm);
    gpci_transaction line;
    gpc_busy busy;
    uint32_t inflight;
    if (gpci_line_of_request(hierarchy, &hierarchy->l1_level, request, &line))
        return GPC_ERROR_ARGUMENT;
    const gpc_status status = try_enter(timed, request, &line, token, &busy, &inflight);
    if (status != GPC_OK)
        return status;
    timed->inflights[inflight].framed = true;
    timed->inflights[inflight].kind = GPC_PREFETCH; /* no access of a warp: no latency is counted, no fence waits */
    return GPC_OK;
}

gpc_status gpci_timed_try_miss(gpc_hierarchy *hierarchy, const gpc_request *request, uint64_t token, gpc_busy *out_busy,
                               gpc_error *error) {
    gpci_transaction line;
    gpc_busy busy;
    uint32_t inflight;
    const char *wrong = gpci_line_of_request(hierarchy, &hierarchy->l1_level, request, &line);
    if (wrong)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_request: %s", wrong);
    if (hierarchy->with_data)
        return gpci_fail(error, GPC_ERROR_UNSUPPORTED,
                         "gpc_hierarchy_try_miss: coherence.data: a request carries no values");
    const gpc_status status =
        try_enter(gpci_timed_of_sm(hierarchy->timed, request->sm), request, &line, token, &busy, &inflight);
    if (GPCI_UNLIKELY(status < 0))
        return gpci_fail_by_status(error, status, "gpc_hierarchy_try_miss");
    if (out_busy)
        *out_busy = busy;
    return status;
}
