/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/experimental/experimental.h>

#include "level/rules/driver.h"
#include "level/rules/events.h"

/* Reply credits between a host and a hierarchy. */

static gpc_status grant(gpc_hierarchy *hierarchy, uint32_t sm, uint64_t credits, bool more) {
    if (!hierarchy || sm >= hierarchy->sms)
        return GPC_ERROR_ARGUMENT;
    return hierarchy->replayed || hierarchy->called_back
               ? GPC_ERROR_STATE
               : hierarchy->driver->clock->grant(hierarchy, sm, credits, more);
}

gpc_status gpc_hierarchy_set_reply_credits(gpc_hierarchy *hierarchy, uint32_t sm, uint64_t credits) {
    return grant(hierarchy, sm, credits, false);
}

gpc_status gpc_hierarchy_add_reply_credits(gpc_hierarchy *hierarchy, uint32_t sm, uint64_t credits) {
    return grant(hierarchy, sm, credits, true);
}

uint64_t gpc_hierarchy_reply_credits(const gpc_hierarchy *hierarchy, uint32_t sm) {
    return hierarchy && sm < hierarchy->sms ? hierarchy->driver->clock->credits(hierarchy, sm) : 0;
}
