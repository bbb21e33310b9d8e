/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"
#include "cache/cache.h"
#include "functional/functional.h"
#include "level/access/fence.h"
#include "level/coherent/coherent_level.h"
#include "level/rules/level_count.h"

/* Fences without a clock: every access is done before the next begins. A fence never waits, and L1 acts at once. */

static uint64_t lines_in(const gpc_cache *cache) {
    return (uint64_t)cache->sets * cache->ways - cache->free_ways;
}

/* Actions of a plan in L1. */
static gpc_status do_in_l1(gpc_hierarchy *h, uint32_t sm, gpci_fence_plan plan) {
    if (!h->l1 || !plan.write_back)
        return GPC_OK;
    uint64_t before = h->of_sm[sm].l1_write_back_sectors, lines = lines_in(h->l1[sm]);
    gpc_status status = plan.invalidate ? gpci_functional_empty_l1(h, sm) : gpci_functional_clean_l1(h, sm);
    gpci_count_fence_write_back(h, sm, (uint32_t)(h->of_sm[sm].l1_write_back_sectors - before));
    if (plan.invalidate)
        gpci_count_fence_lines(h, sm, lines);
    return status;
}

/* Carry out a plan. In a tree only a protocol without directories acts: an L1 may hold old data, or unwritten data. */
static gpc_status carry_out(gpc_hierarchy *h, uint32_t sm, gpci_fence_plan plan) {
    GPCI_AGAIN(h->of_sm[sm].fence_drops_again +=
               plan.invalidate && (h->coherent ? gpci_coherent_drops(h) : h->l1 && plan.write_back));
    if (!h->coherent)
        return do_in_l1(h, sm, plan);
    return plan.invalidate ? gpci_coherent_acquire(h, sm) : GPC_OK;
}

gpc_status gpci_functional_fence(gpc_hierarchy *h, const gpc_fence *fence, gpc_error *error) {
    gpc_fence f = GPC_FENCE_INIT;
    gpc_status status = gpci_fence_take(h, fence, &f, error);
    if (status < 0)
        return status;
    gpci_count_fence(h, f.sm);
    status = carry_out(h, f.sm, gpci_fence_plan_of(h, f.scope, f.order, f.control));
    return status < 0 ? gpci_fail(error, status, "gpc_hierarchy_fence: %s", gpc_status_string(status)) : GPC_OK;
}

gpc_status gpci_functional_release(gpc_hierarchy *h, const gpc_warp_access *w) {
    if (!gpci_order_releases(w->order))
        return GPC_OK;
    return carry_out(h, w->sm, gpci_fence_plan_of(h, w->scope, GPC_ORDER_RELEASE, GPC_CONTROL_NONE));
}

gpc_status gpci_functional_acquire(gpc_hierarchy *h, const gpc_warp_access *w) {
    if (!gpci_order_acquires(w->order))
        return GPC_OK;
    return carry_out(h, w->sm, gpci_fence_plan_of(h, w->scope, GPC_ORDER_ACQUIRE, GPC_CONTROL_NONE));
}
