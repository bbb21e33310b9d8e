/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"
#include "cache/cache.h"
#include "functional/functional.h"
#include "level/access/fence.h"
#include "level/coherent/coherent_level.h"
#include "level/rules/level_count.h"

/* Fences without a clock. Every access is complete before the next begins: a fence never waits, and only acts on L1. */

static uint64_t lines_in(const gpc_cache *cache) {
    return (uint64_t)cache->sets * cache->ways - cache->free_ways;
}

/* Carry out the steps of a plan in the SM's L1, a plain cache: write back dirty lines, and drop all lines. */
static gpc_status do_in_l1(gpc_hierarchy *hierarchy, uint32_t sm, gpci_fence_plan plan) {
    if (!hierarchy->l1 || !plan.write_back)
        return GPC_OK;
    uint64_t before = hierarchy->of_sm[sm].l1_write_back_sectors, lines = lines_in(hierarchy->l1[sm]);
    GPCI_AGAIN(hierarchy->of_sm[sm].again.fence_lines -= plan.invalidate ? hierarchy->l1[sm]->again.invalidations : 0);
    gpc_status status =
        plan.invalidate ? gpci_functional_empty_l1(hierarchy, sm) : gpci_functional_clean_l1(hierarchy, sm);
    GPCI_AGAIN(hierarchy->of_sm[sm].again.fence_lines += plan.invalidate ? hierarchy->l1[sm]->again.invalidations : 0);
    gpci_count_fence_write_back(hierarchy, sm, (uint32_t)(hierarchy->of_sm[sm].l1_write_back_sectors - before));
    if (plan.invalidate)
        gpci_count_fence_lines(hierarchy, sm, lines);
    return status;
}

/* Carry out a plan. A tree acts only if L1s may hold stale data (gpci_coherent_drops) or unwritten data (_keeps). */
static gpc_status carry_out(gpc_hierarchy *hierarchy, uint32_t sm, gpci_fence_plan plan) {
    GPCI_AGAIN(hierarchy->of_sm[sm].again.fence_invalidations +=
               plan.invalidate &&
               (hierarchy->coherent ? gpci_coherent_drops(hierarchy) : hierarchy->l1 && plan.write_back));
    if (!hierarchy->coherent)
        return do_in_l1(hierarchy, sm, plan);
    return plan.invalidate ? gpci_coherent_acquire(hierarchy, sm) : GPC_OK;
}

gpc_status gpci_functional_fence(gpc_hierarchy *hierarchy, const gpc_fence *fence, gpc_error *error) {
    gpc_fence f = GPC_FENCE_INIT;
    gpc_status status = gpci_fence_take(hierarchy, fence, &f, error);
    if (status < 0)
        return status;
    gpci_count_fence(hierarchy, f.sm);
    status = carry_out(hierarchy, f.sm, gpci_fence_plan_of(hierarchy, f.scope, f.order, f.control));
    GPCI_AGAIN(hierarchy->of_sm[f.sm].again.fences++);
    return status < 0 ? gpci_fail(error, status, "gpc_hierarchy_fence: %s", gpc_status_string(status)) : GPC_OK;
}

gpc_status gpci_functional_release(gpc_hierarchy *hierarchy, const gpc_warp_access *access) {
    if (!gpci_order_releases(access->order))
        return GPC_OK;
    return carry_out(hierarchy, access->sm,
                     gpci_fence_plan_of(hierarchy, access->scope, GPC_ORDER_RELEASE, GPC_CONTROL_NONE));
}

gpc_status gpci_functional_acquire(gpc_hierarchy *hierarchy, const gpc_warp_access *access) {
    if (!gpci_order_acquires(access->order))
        return GPC_OK;
    return carry_out(hierarchy, access->sm,
                     gpci_fence_plan_of(hierarchy, access->scope, GPC_ORDER_ACQUIRE, GPC_CONTROL_NONE));
}
