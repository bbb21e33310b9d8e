/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"
#include "functional/functional.h"

/* Clock calls of a functional hierarchy: all fail, because no clock exists. */

static gpc_status refuse(const char *call, gpc_error *error) {
    return gpci_fail(error, GPC_ERROR_STATE, "%s: the hierarchy is functional", call);
}

static gpc_status issue(gpc_hierarchy *hierarchy, const gpc_warp_access *access, uint64_t token, gpc_busy *out_busy,
                        gpc_error *error) {
    (void)hierarchy;
    (void)access;
    (void)token;
    (void)out_busy;
    return refuse("gpc_hierarchy_try_issue", error);
}

static gpc_status fence(gpc_hierarchy *hierarchy, const gpc_fence *asked, uint64_t token, gpc_busy *out_busy,
                        gpc_error *error) {
    (void)hierarchy;
    (void)asked;
    (void)token;
    (void)out_busy;
    return refuse("gpc_hierarchy_try_fence", error);
}

static gpc_status miss(gpc_hierarchy *hierarchy, const gpc_request *request, uint64_t token, gpc_busy *out_busy,
                       gpc_error *error) {
    (void)hierarchy;
    (void)request;
    (void)token;
    (void)out_busy;
    return refuse("gpc_hierarchy_try_miss", error);
}

static gpc_status transactions(gpc_hierarchy *hierarchy, const gpc_request *requests, uint32_t count, uint64_t token,
                               gpc_busy *out_busy, gpc_error *error) {
    (void)hierarchy;
    (void)requests;
    (void)count;
    (void)token;
    (void)out_busy;
    return refuse("gpc_hierarchy_try_transactions", error);
}

static bool accepts(const gpc_hierarchy *hierarchy, uint32_t sm, bool asked_miss, gpc_busy *out_busy) {
    (void)hierarchy;
    (void)sm;
    (void)asked_miss;
    (void)out_busy;
    return false;
}

static void locate(const gpc_hierarchy *hierarchy, gpc_location *location) {
    (void)hierarchy;
    (void)location;
}

static gpc_status drain(gpc_hierarchy *hierarchy, gpc_error *error) {
    (void)hierarchy;
    return refuse("gpc_hierarchy_drain", error);
}

static gpc_status grant(gpc_hierarchy *hierarchy, uint32_t sm, uint64_t credits, bool more, gpc_error *error) {
    (void)hierarchy;
    (void)sm;
    (void)credits;
    return refuse(more ? "gpc_hierarchy_add_reply_credits" : "gpc_hierarchy_set_reply_credits", error);
}

static uint64_t no_credits(const gpc_hierarchy *hierarchy, uint32_t sm) {
    (void)hierarchy;
    (void)sm;
    return 0;
}

const gpci_clock_calls gpci_no_clock = {.issue = issue,
                                        .fence = fence,
                                        .miss = miss,
                                        .transactions = transactions,
                                        .accepts = accepts,
                                        .locate = locate,
                                        .drain = drain,
                                        .grant = grant,
                                        .credits = no_credits};
