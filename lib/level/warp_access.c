/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/warp_access.h"

/* A warp instruction: checked, coalesced into line transactions, and counted. */

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
        c->l1_transactions_per_load[count < GPC_TRANSACTION_BUCKETS ? count : GPC_TRANSACTION_BUCKETS - 1]++;
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

uint32_t gpci_access_lines(gpc_hierarchy *h, const gpc_warp_access *w, gpci_transaction *lines, gpc_request *request,
                           uint32_t *out_segments) {
    unsigned shift = h->has_l1 ? h->l1_level.line_shift : h->l2_level.line_shift;
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
    sums sum = sum_up(lines, count, gpci_passes_l1(h, w->space) ? &h->l1_level : NULL);
    count_lines(h, w->sm, w->kind, count, sum);
    *out_segments = sum.segments;
    return count;
}
