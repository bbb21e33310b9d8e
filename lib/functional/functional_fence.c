/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/cache.h"
#include "functional/functional.h"
#include "level/coherent_level.h"
#include "level/fence.h"
#include "level/level_count.h"

/* Fences where every access is done before the next begins: nothing is waited for, and L1 does its part at once. */

static uint64_t lines_in(const gpc_cache *cache) {
    return (uint64_t)cache->sets * cache->ways - cache->free_ways;
}

/* L1's part of a plan. */
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

gpc_status gpci_functional_fence(gpc_hierarchy *h, const gpc_fence *fence, gpc_error *error) {
    gpc_fence f = GPC_FENCE_INIT;
    gpc_status status = gpci_fence_take(h, fence, &f, error);
    if (status < 0)
        return status;
    gpci_count_fence(h, f.sm);
    status = do_in_l1(h, f.sm, gpci_fence_plan_of(h, f.scope, f.order, f.control));
    return status < 0 ? gpci_fail(error, status, "gpc_hierarchy_fence: %s", gpc_status_string(status)) : GPC_OK;
}

/* In a tree without directories an L1 may hold what is old, and keep what others are to see: acquires end both. */
static gpc_status release_in_tree(gpc_hierarchy *h, uint32_t sm, uint8_t scope, uint8_t order) {
    return gpci_scope_is_wide(scope) && gpci_order_releases(order) ? gpci_coherent_release(h, sm) : GPC_OK;
}

static gpc_status acquire_in_tree(gpc_hierarchy *h, uint32_t sm, uint8_t scope, uint8_t order) {
    return gpci_scope_is_wide(scope) && gpci_order_acquires(order) ? gpci_coherent_acquire(h, sm) : GPC_OK;
}

gpc_status gpci_functional_release(gpc_hierarchy *h, const gpc_warp_access *w) {
    return h->coherent ? release_in_tree(h, w->sm, w->scope, w->order) : GPC_OK;
}

gpc_status gpci_functional_acquire(gpc_hierarchy *h, const gpc_warp_access *w) {
    if (h->coherent)
        return acquire_in_tree(h, w->sm, w->scope, w->order);
    return do_in_l1(h, w->sm, gpci_fence_plan_of(h, w->scope, w->order, GPC_CONTROL_NONE));
}

gpc_status gpci_functional_tree_fence(gpc_hierarchy *h, const gpc_fence *fence, gpc_error *error) {
    gpc_fence f = GPC_FENCE_INIT;
    gpc_status status = gpci_fence_take(h, fence, &f, error);
    if (status < 0)
        return status;
    gpci_count_fence(h, f.sm);
    status = release_in_tree(h, f.sm, f.scope, f.order);
    if (status == GPC_OK)
        status = acquire_in_tree(h, f.sm, f.scope, f.order);
    return status < 0 ? gpci_fail(error, status, "gpc_hierarchy_fence: %s", gpc_status_string(status)) : GPC_OK;
}
