/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/host.h>

#include "timed/core/shards.h"

/* Warp instructions coalesced by a host: line transactions, before L1's tags. */

_Static_assert(GPC_MAX_TRANSACTIONS == GPCI_MAX_COALESCED, "as many as an instruction of lanes comes to");

/* Compare all common fields of two transactions of an instruction. */
static bool are_of_one_instruction(const gpc_request *a, const gpc_request *b) {
    return a->pc == b->pc && a->sm == b->sm && a->warp == b->warp && a->warp_age == b->warp_age &&
           a->block == b->block && a->kind == b->kind && a->space == b->space && a->hint == b->hint &&
           a->priority == b->priority && a->token == b->token && a->token_l2 == b->token_l2 && a->scope == b->scope &&
           a->order == b->order && a->stream == b->stream && a->copy == b->copy && a->process == b->process;
}

/* The instruction, except lanes. */
static gpc_warp_access instruction_of(const gpc_request *r) {
    gpc_warp_access w = GPC_WARP_ACCESS_INIT;
    w.sm = r->sm;
    w.warp = r->warp;
    w.warp_age = r->warp_age;
    w.block = r->block;
    w.pc = r->pc;
    w.width = 4;
    w.kind = r->kind;
    w.space = r->space;
    w.hint = r->hint;
    w.priority = r->priority;
    w.token = r->token;
    w.token_l2 = r->token_l2;
    w.scope = r->scope;
    w.order = r->order;
    w.stream = r->stream;
    w.copy = r->copy;
    w.process = r->process;
    return w;
}

/* Error in one of the transactions, or NULL. */
static const char *take_line(const gpc_hierarchy *h, const gpc_request *r, const gpc_request *first,
                             gpci_transaction *line) {
    const gpci_level *level = h->has_l1 ? &h->l1_level : &h->l2_level;
    const char *wrong = gpci_line_of_request(h, level, r, line);
    if (wrong)
        return wrong;
    if (r->space > GPC_SPACE_LOCAL)
        return "space is neither GLOBAL nor LOCAL: others enter below L1, by gpc_hierarchy_try_miss";
    if (r->continues)
        return "continues is not 0: that transactions are of one line, their addresses say";
    if (!are_of_one_instruction(r, first))
        return "pc, sm, warp, warp_age, block, kind, space, hint, priority, token, token_l2, scope, order, stream, "
               "copy or process is not that of the first: they are of one instruction";
    if (r->kind != GPC_LOAD)
        return NULL;
    gpci_cut_bytes(r, (uint32_t)r->address & (level->line_bytes - 1), line);
    return line->bytes[0] | line->bytes[1] ? NULL : "byte_mask and sector_mask, or size, have no byte in common";
}

/* Take all transactions; on an error, `*out_at` receives the index. */
static const char *take_lines(const gpc_hierarchy *h, const gpc_request *requests, uint32_t count,
                              gpci_transaction *lines, uint32_t *out_at) {
    for (uint32_t i = 0; i < count; i++) {
        const char *wrong = take_line(h, &requests[i], requests, &lines[i]);
        *out_at = i;
        if (wrong)
            return wrong;
        lines[i].follows = i && lines[i].address == lines[i - 1].address;
    }
    return NULL;
}

gpc_status gpci_timed_try_transactions(gpc_hierarchy *h, const gpc_request *requests, uint32_t count, uint64_t token,
                                       gpc_busy *out_busy) {
    gpci_transaction lines[GPCI_MAX_TRANSACTIONS];
    uint32_t at;
    if (h->with_data)
        return GPC_ERROR_UNSUPPORTED;
    if (take_lines(h, requests, count, lines, &at))
        return GPC_ERROR_ARGUMENT;
    gpc_warp_access w = instruction_of(requests);
    gpc_status status = gpci_access_check(h, &w);
    if (status < 0)
        return status;
    w.mask = 1; /* a prefetcher sees the first address */
    w.addresses = &requests->address;
    gpci_timed *t = gpci_timed_of_sm(h->timed, w.sm);
    gpci_ctrl *ctrl = &t->l1[w.sm];
    if (!gpci_l1_has_place(t, ctrl))
        return gpci_refuse(ctrl, gpci_l1_busy(ctrl), out_busy);
    if (out_busy)
        *out_busy = GPC_BUSY_NOT;
    return gpci_issue_given(t, &w, lines, count, token);
}

gpc_status gpci_timed_check_transactions(const gpc_hierarchy *h, const gpc_request *requests, uint32_t count,
                                         gpc_error *error) {
    gpci_transaction lines[GPCI_MAX_TRANSACTIONS];
    uint32_t at;
    if (h->with_data)
        return gpci_fail(error, GPC_ERROR_UNSUPPORTED,
                         "gpc_hierarchy_try_transactions: coherence.data: a request carries no values");
    const char *wrong = take_lines(h, requests, count, lines, &at);
    if (wrong)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_request %u: %s", at, wrong);
    const gpc_warp_access w = instruction_of(requests);
    return gpc_hierarchy_check_access(h, &w, error);
}
