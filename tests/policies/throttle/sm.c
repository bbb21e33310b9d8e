/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/throttle/sm.h"

#include "measured.h"
#include "scheduler/scheduler.h"

#include <criterion/criterion.h>

void sm_open(sm_rig *r, const char *policy, uint32_t count, uint32_t warps) {
    *r = (sm_rig){.count = count, .warps = warps};
    gpc_error error = GPC_ERROR_INIT;
    gpc_scheduler_options options = GPC_SCHEDULER_OPTIONS_INIT;
    cr_assert_eq(gpc_context_create(NULL, &r->context, &error), GPC_OK);
    options.warps = (warps + count - 1) / count;
    options.count = count;
    options.policy = policy;
    for (uint32_t n = 0; n < count; n++) {
        options.index = n;
        options.share_with = r->schedulers[0];
        gpc_status status = gpc_scheduler_create(r->context, &options, &r->schedulers[n], &error);
        cr_assert_eq(status, GPC_OK, "%s", error.message);
    }
}

void sm_close(sm_rig *r) {
    for (uint32_t n = 0; n < r->count; n++)
        gpc_scheduler_destroy(r->schedulers[n]);
    gpc_context_destroy(r->context);
}

void sm_start(sm_rig *r, uint32_t warp, uint32_t block) {
    cr_assert_eq(gpc_scheduler_start_block(r->schedulers[warp % r->count], warp / r->count, block, NULL), GPC_OK);
}

void sm_set(sm_rig *r, uint32_t warp, gpc_warp_state state) {
    gpc_status status = gpc_scheduler_set_state(r->schedulers[warp % r->count], warp / r->count, state, NULL);
    cr_assert_eq(status, GPC_OK, "warp %u", warp);
}

gpc_warp_state sm_state(const sm_rig *r, uint32_t warp) {
    return gpci_scheduler_state(r->schedulers[warp % r->count], warp / r->count);
}

void sm_clock(sm_rig *r, uint64_t cycle) {
    uint32_t slot;
    for (uint32_t n = 0; n < r->count; n++)
        cr_assert_eq(gpc_scheduler_pick(r->schedulers[n], cycle, true, &slot, NULL), GPC_OK);
}

uint32_t sm_issue(sm_rig *r, uint32_t scheduler, uint64_t cycle) {
    uint32_t slot;
    cr_assert_eq(gpc_scheduler_pick(r->schedulers[scheduler], cycle, true, &slot, NULL), GPC_OK);
    if (slot == GPC_NO_WARP)
        return slot;
    cr_assert_eq(gpc_scheduler_issued(r->schedulers[scheduler], slot, cycle, NULL), GPC_OK);
    return slot * r->count + scheduler;
}

void sm_issue_times(sm_rig *r, uint32_t warp, uint32_t times, uint64_t cycle) {
    while (times--)
        cr_assert_eq(gpc_scheduler_issued(r->schedulers[warp % r->count], warp / r->count, cycle, NULL), GPC_OK);
}

void sm_event(sm_rig *r, gpc_cache_event_kind kind, uint32_t warp, uint32_t owner, uint64_t line, uint64_t cycle) {
    gpc_cache_event event = {.kind = kind, .warp = warp, .owner = owner, .line_address = line, .cycle = cycle};
    for (uint32_t n = 0; n < r->count; n++)
        gpc_scheduler_cache_event(r->schedulers[n], &event);
}

void sm_sample(sm_rig *r, const measured_stats *stats, uint64_t cycle) {
    for (uint32_t n = 0; n < r->count; n++)
        give_sample(r->schedulers[n], stats, cycle);
}

const char *sm_classes(const sm_rig *r) {
    static char text[8192];
    for (uint32_t warp = 0; warp < r->warps; warp++) {
        const gpc_scheduler *s = r->schedulers[warp % r->count];
        uint32_t slot = warp / r->count;
        text[warp] = "CBT"[gpci_scheduler_class(s, slot)];
        if (gpci_scheduler_state(s, slot) == GPC_STATE_ABSENT)
            text[warp] = '.';
        else if (text[warp] != 'T' && !(s->map[slot / 64].eligible_memory & gpci_warp_bit(slot)))
            text[warp] = 'H';
    }
    text[r->warps] = '\0';
    return text;
}

void sm_expect_sums(const sm_rig *r) {
    for (uint32_t n = 0; n < r->count; n++) {
        uint32_t sum = 0;
        for (int c = 0; c < GPC_CLASS_COUNT; c++)
            sum += gpc_scheduler_class_count(r->schedulers[n], (gpc_warp_class)c);
        cr_assert_eq(sum, r->schedulers[n]->running, "scheduler %u", n);
    }
}
