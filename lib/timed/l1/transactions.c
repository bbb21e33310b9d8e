/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/hierarchy.h>

#include "timed/core/shards.h"

/* Warp instructions coalesced by a host: line transactions, before L1's tags. */

_Static_assert(GPC_MAX_TRANSACTIONS == GPCI_MAX_COALESCED, "as many as an instruction of lanes comes to");

/* Compare all common fields of two transactions of an instruction. */
static bool are_of_one_instruction(const gpc_request *left, const gpc_request *right) {
    return left->pc == right->pc && left->sm == right->sm && left->warp == right->warp &&
           left->warp_age == right->warp_age && left->block == right->block && left->kind == right->kind &&
           left->space == right->space && left->hint == right->hint && left->priority == right->priority &&
           left->policy.token == right->policy.token && left->policy.token_l2 == right->policy.token_l2 &&
           left->scope == right->scope && left->order == right->order && left->stream == right->stream &&
           left->copy == right->copy && left->process == right->process;
}

/* Describe the instruction of a transaction; the lanes are unknown. */
static gpc_warp_access instruction_of(const gpc_request *request) {
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    access.sm = request->sm;
    access.warp = request->warp;
    access.warp_age = request->warp_age;
    access.block = request->block;
    access.pc = request->pc;
    access.width = 4;
    access.kind = request->kind;
    access.space = request->space;
    access.hint = request->hint;
    access.priority = request->priority;
    access.token = request->policy.token;
    access.token_l2 = request->policy.token_l2;
    access.scope = request->scope;
    access.order = request->order;
    access.stream = request->stream;
    access.copy = request->copy;
    access.process = request->process;
    return access;
}

/* Convert a transaction. Returns a text about an error, or NULL. */
static const char *take_line(const gpc_hierarchy *hierarchy, const gpc_request *request, const gpc_request *first,
                             gpci_transaction *line) {
    const gpci_level *level = hierarchy->has_l1 ? &hierarchy->l1_level : &hierarchy->l2_level;
    const char *wrong = gpci_line_of_request(hierarchy, level, request, line);
    if (wrong)
        return wrong;
    if (request->space > GPC_SPACE_LOCAL)
        return "space is neither GLOBAL nor LOCAL: others enter below L1, by gpc_hierarchy_try_miss";
    if (request->continues)
        return "continues is not 0: that transactions are of one line, their addresses say";
    if (!are_of_one_instruction(request, first))
        return "pc, sm, warp, warp_age, block, kind, space, hint, priority, token, token_l2, scope, order, stream, "
               "copy or process is not that of the first: they are of one instruction";
    if (request->kind != GPC_LOAD)
        return NULL;
    gpci_cut_bytes(request, (uint32_t)request->address & (level->line_bytes - 1), line);
    return line->bytes[0] | line->bytes[1] ? NULL : "byte_mask and sector_mask, or size, have no byte in common";
}

/* Take all transactions; on an error, `*out_at` receives the index. */
static const char *take_lines(const gpc_hierarchy *hierarchy, const gpc_request *requests, uint32_t count,
                              gpci_transaction *lines, uint32_t *out_at) {
    for (uint32_t i = 0; i < count; i++) {
        const char *wrong = take_line(hierarchy, &requests[i], requests, &lines[i]);
        *out_at = i;
        if (wrong)
            return wrong;
        lines[i].follows = i && lines[i].address == lines[i - 1].address;
    }
    return NULL;
}

gpc_status gpci_timed_try_transactions(gpc_hierarchy *hierarchy, const gpc_request *requests, uint32_t count,
                                       uint64_t token, gpc_busy *out_busy, gpc_error *error) {
    gpci_transaction lines[GPCI_MAX_TRANSACTIONS];
    uint32_t at;
    if (hierarchy->with_data)
        return gpci_fail(error, GPC_ERROR_UNSUPPORTED,
                         "gpc_hierarchy_try_transactions: coherence.data: a request carries no values");
    const char *wrong = take_lines(hierarchy, requests, count, lines, &at);
    if (wrong)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_request %u: %s", at, wrong);
    gpc_warp_access access = instruction_of(requests);
    gpc_status status = gpci_access_check(hierarchy, &access, error);
    if (status < 0)
        return status;
    access.mask = 1; /* a prefetcher sees the address of the first transaction, as lane 0 */
    access.addresses = &requests->address;
    gpci_timed *timed = gpci_timed_of_sm(hierarchy->timed, access.sm);
    gpci_ctrl *ctrl = &timed->l1[access.sm];
    if (!gpci_l1_has_place(timed, ctrl))
        return gpci_refuse(ctrl, gpci_l1_busy(ctrl), out_busy);
    if (out_busy)
        *out_busy = GPC_BUSY_NOT;
    status = gpci_issue_given(timed, &access, lines, count, token);
    return status < 0 ? gpci_fail_by_status(error, status, "gpc_hierarchy_try_transactions") : status;
}
