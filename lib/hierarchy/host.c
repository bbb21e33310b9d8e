/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/experimental/experimental.h>

#include "level/rules/driver.h"
#include "level/rules/events.h"

/* Reply credits between a host and a hierarchy. */

static gpc_status grant(gpc_hierarchy *hierarchy, uint32_t sm, uint64_t credits, bool more, gpc_error *error) {
    const char *call = more ? "gpc_hierarchy_add_reply_credits" : "gpc_hierarchy_set_reply_credits";
    if (!hierarchy)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: hierarchy is NULL", call);
    if (sm >= hierarchy->sms)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: sm %u is not below sm.count", call, sm);
    if (hierarchy->replayed || hierarchy->called_back)
        return gpci_fail(error, GPC_ERROR_STATE, "%s: %s", call,
                         hierarchy->replayed ? "the hierarchy is a replay's" : "called from within a callback");
    return hierarchy->driver->clock->grant(hierarchy, sm, credits, more, error);
}

gpc_status gpc_hierarchy_set_reply_credits(gpc_hierarchy *hierarchy, uint32_t sm, uint64_t credits, gpc_error *error) {
    return grant(hierarchy, sm, credits, false, error);
}

gpc_status gpc_hierarchy_add_reply_credits(gpc_hierarchy *hierarchy, uint32_t sm, uint64_t credits, gpc_error *error) {
    return grant(hierarchy, sm, credits, true, error);
}

uint64_t gpc_hierarchy_reply_credits(const gpc_hierarchy *hierarchy, uint32_t sm) {
    return hierarchy && sm < hierarchy->sms ? hierarchy->driver->clock->credits(hierarchy, sm) : 0;
}
