/* SPDX-License-Identifier: BSD-2-Clause */
#include "scheduler/rig.h"

#include <criterion/criterion.h>

void rig_open(rig *r, const char *policy, uint32_t warps, uint32_t limit) {
    *r = (rig){.warps = warps, .error = GPC_ERROR_INIT};
    cr_assert_eq(gpc_context_create(NULL, &r->context, &r->error), GPC_OK);
    gpc_scheduler_options options = GPC_SCHEDULER_OPTIONS_INIT;
    options.warps = warps;
    options.warp_limit = limit;
    options.policy = policy;
    cr_assert_eq(gpc_scheduler_create(r->context, &options, &r->scheduler, &r->error), GPC_OK, "%s", r->error.message);
}

void rig_open_full(rig *r, const char *policy, uint32_t warps, uint32_t limit) {
    rig_open(r, policy, warps, limit);
    for (uint32_t slot = 0; slot < warps; slot++)
        rig_start(r, slot);
}

void rig_close(rig *r) {
    gpc_scheduler_destroy(r->scheduler);
    gpc_context_destroy(r->context);
}

void rig_start(rig *r, uint32_t slot) {
    cr_assert_eq(gpc_scheduler_start(r->scheduler, slot, NULL), GPC_OK, "slot %u", slot);
}

void rig_set(rig *r, uint32_t slot, gpc_warp_state state) {
    cr_assert_eq(gpc_scheduler_set_state(r->scheduler, slot, state, NULL), GPC_OK, "slot %u", slot);
}

void rig_set_all(rig *r, gpc_warp_state state) {
    for (uint32_t slot = 0; slot < r->warps; slot++)
        rig_set(r, slot, state);
}

void rig_end(rig *r, uint32_t slot) {
    rig_set(r, slot, GPC_STATE_ABSENT);
}

uint32_t rig_pick(rig *r, bool memory) {
    uint32_t slot = 12345;
    cr_assert_eq(gpc_scheduler_pick(r->scheduler, 0, memory, &slot, NULL), GPC_OK);
    cr_assert(slot < r->warps || slot == GPC_NO_WARP, "slot %u", slot);
    return slot;
}

uint32_t rig_issue(rig *r, bool memory) {
    uint32_t slot = rig_pick(r, memory);
    if (slot != GPC_NO_WARP)
        cr_assert_eq(gpc_scheduler_issued(r->scheduler, slot, 0, NULL), GPC_OK);
    return slot;
}

uint32_t rig_age(const rig *r, uint32_t slot) {
    return gpc_scheduler_age_of(r->scheduler, slot);
}

gpc_warp_class rig_class(const rig *r, uint32_t slot) {
    return gpc_scheduler_class_of(r->scheduler, slot);
}
