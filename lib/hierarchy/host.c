/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/host.h>

#include "level/rules/driver.h"
#include "level/rules/events.h"

/* Reply credits between a host and a hierarchy. */

static gpc_status grant(gpc_hierarchy *h, uint32_t sm, uint64_t credits, bool more) {
    if (!h || sm >= h->sms)
        return GPC_ERROR_ARGUMENT;
    return h->replayed || h->called_back ? GPC_ERROR_STATE : h->driver->clock->grant(h, sm, credits, more);
}

gpc_status gpc_hierarchy_set_reply_credits(gpc_hierarchy *h, uint32_t sm, uint64_t credits) {
    return grant(h, sm, credits, false);
}

gpc_status gpc_hierarchy_add_reply_credits(gpc_hierarchy *h, uint32_t sm, uint64_t credits) {
    return grant(h, sm, credits, true);
}

uint64_t gpc_hierarchy_reply_credits(const gpc_hierarchy *h, uint32_t sm) {
    return h && sm < h->sms ? h->driver->clock->credits(h, sm) : 0;
}
