/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/coherent_level.h"
#include "level/events.h"
#include "level/future.h"

/* A warp instruction: checked, coalesced, counted, and its lines one by one on their way. */

/* Lines looked ahead: what they need comes from memory while others are served. */
#define AHEAD 3u

gpc_status gpci_access_check(const gpc_hierarchy *h, const gpc_warp_access *w) {
    if (w->sm >= h->sms || !w->width || w->width > 64 || w->kind >= GPC_KIND_COUNT || w->space >= GPC_SPACE_COUNT ||
        w->hint >= GPC_HINT_COUNT || w->priority >= GPC_PRIORITY_COUNT || w->token >= GPC_TOKEN_COUNT ||
        w->token_l2 >= GPC_TOKEN_COUNT || (w->mask && !w->addresses) || (h->lanes < 64 && w->mask >> h->lanes))
        return GPC_ERROR_ARGUMENT;
    return GPC_OK;
}

/* What the lines of an instruction come to. */
typedef struct sums {
    uint32_t segments, moved, used; /* moved: segments of the sectors touched; used: bytes */
} sums;

static sums sum_up(const gpci_transaction *lines, uint32_t count, const gpci_level *l1) {
    sums sum = {0, 0, 0};
    for (uint32_t i = 0; i < count; i++) {
        uint8_t segments = lines[i].segments;
        sum.segments += gpci_count_sectors(segments);
        sum.moved += gpci_count_sectors(l1 ? l1->segments_of[l1->sectors_of[segments]] : segments);
        sum.used += gpci_transaction_bytes(&lines[i]);
    }
    return sum;
}

static void count_lines(gpc_hierarchy *h, uint32_t sm, uint8_t kind, uint32_t count, sums sum) {
    gpci_sm_counts *c = &h->of_sm[sm];
    switch (kind) {
    case GPC_LOAD:
        c->l1_load_requests++;
        c->l1_load_lines += count;
        c->l1_load_sectors += sum.segments;
        c->l1_load_bytes_used += sum.used;
        c->l1_load_bytes_moved += (uint64_t)sum.moved * GPCI_SEGMENT;
        h->stats.l1_transactions_per_load[count < GPC_TRANSACTION_BUCKETS ? count : GPC_TRANSACTION_BUCKETS - 1]++;
        break;
    case GPC_STORE:
        c->l1_store_requests++;
        c->l1_store_sectors += sum.segments;
        break;
    case GPC_ATOMIC:
    case GPC_REDUCTION:
        c->l1_atomic_requests++;
        c->l1_atomic_sectors += sum.segments;
        break;
    default:
        break;
    }
}

static gpc_status pass(gpc_hierarchy *h, const gpci_access *a) {
    if (h->coherent)
        return gpci_coherent_line(h, a);
    switch (a->request.kind) {
    case GPC_STORE:
        return gpci_path_store(h, a);
    case GPC_ATOMIC:
    case GPC_REDUCTION:
        return gpci_path_atomic(h, a);
    default:
        return gpci_path_load(h, a);
    }
}

static gpc_status pass_observed(gpc_hierarchy *h, const gpci_access *a) {
    const gpci_observer *o = h->observer;
    uint32_t hits = a->result->l1_sector_hits;
    gpc_status status = o->before_line(o->data, a);
    if (status == GPC_OK)
        status = pass(h, a);
    if (status == GPC_OK)
        o->after_line(o->data, a, a->result->l1_sector_hits - hits);
    return status;
}

static gpc_status serve(gpc_hierarchy *h, gpci_access *a, const gpci_transaction *line) {
    a->line = line;
    a->request.address = line->address;
    a->request.bytes_used = (uint16_t)gpci_transaction_bytes(line);
    if (GPCI_UNLIKELY(h->trace != NULL))
        gpci_tell_line(h->trace, &a->request, line->segments);
    if (GPCI_UNLIKELY(h->future && a->l1))
        a->request.next_use = gpci_future_next(h->future, a->request.sm);
    return GPCI_UNLIKELY(h->observer != NULL) ? pass_observed(h, a) : pass(h, a);
}

uint32_t gpci_access_lines(gpc_hierarchy *h, const gpc_warp_access *w, gpci_transaction *lines, gpc_request *request,
                           uint32_t *out_segments) {
    bool first = h->l1 || h->coherent;
    unsigned shift = first ? h->l1_level.line_shift : h->l2_level.line_shift;
    uint32_t count = gpci_coalesce(w->addresses, gpci_popcount(w->mask), w->width, shift, lines);
    *request = (gpc_request){.pc = w->pc,
                             .sm = w->sm,
                             .warp = w->warp,
                             .warp_age = w->warp_age,
                             .block = w->block,
                             .kernel = h->kernel,
                             .transactions = (uint16_t)count,
                             .kind = w->kind,
                             .space = w->space,
                             .hint = w->hint,
                             .priority = w->priority,
                             .token = w->token,
                             .token_l2 = w->token_l2};
    sums sum = sum_up(lines, count, h->coherent || gpci_l1_for(h, w->sm, w->space) ? &h->l1_level : NULL);
    count_lines(h, w->sm, w->kind, count, sum);
    *out_segments = sum.segments;
    return count;
}

static gpc_status serve_all(gpc_hierarchy *h, const gpc_warp_access *w, gpc_warp_result *result) {
    gpci_transaction lines[GPCI_MAX_TRANSACTIONS];
    gpci_access a = {.l1 = gpci_l1_for(h, w->sm, w->space), .result = result};
    uint32_t count = gpci_access_lines(h, w, lines, &a.request, &result->sectors);
    result->lines = count;
    if (GPCI_UNLIKELY(h->trace != NULL))
        gpci_tell_access(h->trace, &a.request, lines[0].address, result->sectors);
    for (uint32_t i = 1; i < count; i++)
        gpci_path_expect_l1(a.l1, lines[i].address);
    for (uint32_t i = 0; i < count && i < AHEAD; i++)
        gpci_path_expect_below(h, w->sm, a.l1, lines[i].address);
    gpc_status status = h->observer ? h->observer->on_instruction(h->observer->data, &a.request) : GPC_OK;
    for (uint32_t i = 0; i < count && status == GPC_OK; i++) {
        if (i + AHEAD < count)
            gpci_path_expect_below(h, w->sm, a.l1, lines[i + AHEAD].address);
        status = serve(h, &a, &lines[i]);
    }
    return status;
}

gpc_status gpc_hierarchy_access(gpc_hierarchy *h, const gpc_warp_access *access, gpc_warp_result *result) {
    gpc_warp_access w = GPC_WARP_ACCESS_INIT;
    gpc_warp_result own = GPC_WARP_RESULT_INIT;
    if (!h || !access)
        return GPC_ERROR_ARGUMENT;
    if (h->timed || (h->l1_future && !h->future))
        return GPC_ERROR_STATE;
    gpc_status status = gpci_take(&w, sizeof w, sizeof w, access, "gpc_warp_access", NULL);
    if (status == GPC_OK)
        status = gpci_access_check(h, &w);
    if (status < 0)
        return status;
    h->of_sm[w.sm].warp_instructions++;
    h->of_sm[w.sm].thread_instructions += gpci_popcount(w.mask);
    if (w.mask && w.space <= GPC_SPACE_LOCAL)
        status = serve_all(h, &w, &own);
    if (GPCI_UNLIKELY(h->trace != NULL))
        status = gpci_tell_complete(h, &own, status);
    return status == GPC_OK && result ? gpci_give(result, &own, sizeof own) : status;
}
