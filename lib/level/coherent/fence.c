/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/access/fence.h"

#include "base/text.h"
#include "level/coherent/coherent_level.h"

gpci_fence_plan gpci_fence_plan_of(const gpc_hierarchy *hierarchy, uint8_t scope, uint8_t order, uint8_t control) {
    const bool wide = gpci_scope_is_wide(scope), releases = wide && gpci_order_releases(order);
    gpci_fence_plan plan = {.waits = releases, .invalidate = control == GPC_CONTROL_INVALIDATE_ALL};
    if (wide && gpci_order_acquires(order))
        plan.invalidate |= hierarchy->coherent ? gpci_coherent_drops(hierarchy) : hierarchy->viper;
    if (releases && hierarchy->coherent)
        plan.invalidate |= gpci_coherent_keeps(hierarchy);
    plan.marks = releases && hierarchy->coherent && gpci_coherent_tells(hierarchy, scope);
    plan.write_back = plan.invalidate || control == GPC_CONTROL_WRITE_BACK_ALL;
    return plan;
}

/* Reason why a fence is invalid; NULL: valid. */
static const char *what_is_wrong(const gpc_hierarchy *hierarchy, const gpc_fence *fence) {
    if (fence->sm >= hierarchy->sms)
        return "sm is not below sm.count";
    if (fence->scope >= GPC_SCOPE_COUNT)
        return "scope is out of range";
    if (fence->order >= GPC_ORDER_COUNT)
        return "order is out of range";
    if (fence->order == GPC_ORDER_RELAXED)
        return "order is RELAXED, which orders nothing";
    if (fence->order == GPC_ORDER_WEAK && fence->scope != GPC_SCOPE_CTA)
        return "scope is given, but order is WEAK";
    if (fence->control != GPC_CONTROL_NONE && fence->control != GPC_CONTROL_INVALIDATE_ALL &&
        fence->control != GPC_CONTROL_WRITE_BACK_ALL)
        return "control is none of a whole L1";
    if (fence->order == GPC_ORDER_WEAK && fence->control == GPC_CONTROL_NONE)
        return "order is WEAK and there is no control: nothing to do";
    return NULL;
}

bool gpci_fence_acts(const gpc_hierarchy *hierarchy, const gpc_fence *fence) {
    return gpci_fence_plan_of(hierarchy, fence->scope, fence->order, fence->control).write_back;
}

/* Reject fences a coherent tree cannot execute. */
static gpc_status check_of_tree(const gpc_hierarchy *hierarchy, const gpc_fence *fence, gpc_error *error) {
    const char *protocol = gpci_config_text(hierarchy->config, GPCI_KEY_COHERENCE);
    if (fence->control != GPC_CONTROL_NONE)
        return gpci_fail(error, GPC_ERROR_UNSUPPORTED,
                         "gpc_fence: control is of L1s alone; with coherence = %s others know what they hold",
                         protocol);
    if (hierarchy->lane_packets)
        return gpci_fail(error, GPC_ERROR_UNSUPPORTED, "gpc_fence: l1.coalescer = multi2sim knows no fences");
    return GPC_OK;
}

gpc_status gpci_fence_take(const gpc_hierarchy *hierarchy, const gpc_fence *fence, gpc_fence *ours, gpc_error *error) {
    gpc_status status = gpci_take(ours, sizeof *ours, sizeof *ours, fence, "gpc_fence", error);
    if (status < 0)
        return status;
    const char *wrong = what_is_wrong(hierarchy, ours);
    if (wrong)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_fence: %s", wrong);
    return hierarchy->coherent ? check_of_tree(hierarchy, ours, error) : GPC_OK;
}

gpc_status gpci_viper_check(const gpc_hierarchy *hierarchy, gpc_error *error) {
    const struct {
        bool lacking;
        const char *need, *why;
    } needs[] = {
        {hierarchy->has_l1 && gpci_number(hierarchy, GPCI_KEY_L1_WRITE) == GPC_WRITE_BACK, "l1.write_policy = through",
         "its L1s write through, or evict"},
        {gpci_number(hierarchy, GPCI_KEY_KERNELS_FLUSH) == 0, "kernels.flush = l1", "a kernel's begin is an acquire"},
    };
    char message[sizeof error->message];
    gpci_text text = gpci_text_of(message, sizeof message);
    bool lacking = false;
    for (size_t i = 0; hierarchy->viper && i < sizeof needs / sizeof *needs; i++) {
        if (!needs[i].lacking)
            continue;
        gpci_text_put(&text, "%s %s (%s)", lacking ? ";" : "coherence = viper needs", needs[i].need, needs[i].why);
        lacking = true;
    }
    return lacking ? gpci_fail(error, GPC_ERROR_RANGE, "%s", message) : GPC_OK;
}
