/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/gl1_ctrl.h"
#include "timed/core/shards.h"
#include "timed/core/timed.h"
#include "timed/ctrl/l15_ctrl.h"
#include "timed/l1/l1_below.h"

/* Empty an SM's L1 between two kernels, while other SMs have accesses in flight. Called between cycles. */

bool gpci_timed_is_quiet(const gpc_hierarchy *hierarchy, uint32_t sm) {
    const gpci_timed *timed = hierarchy->timed;
    const gpci_group *l1s = &timed->groups[GPCI_GROUP_L1S];
    return l1s->objects && gpci_holds_nothing(l1s, sm) &&
           (!timed->l15 || gpci_holds_nothing(&timed->groups[GPCI_GROUP_L15S], timed->hierarchy->sm_l15[sm]));
}

gpc_status gpci_timed_reserve_l1(gpc_hierarchy *hierarchy, uint32_t sm, uint32_t lines) {
    /* twice: lines that have left are packets under way */
    return gpci_make_packets(gpci_timed_of_sm(hierarchy->timed, sm), 2 * lines);
}

gpc_status gpci_timed_empty_l1(gpc_hierarchy *hierarchy, uint32_t sm) {
    gpci_timed *timed = gpci_timed_of_sm(hierarchy->timed, sm);
    gpci_ctrl *ctrl = &timed->l1[sm];
    gpc_line line;
    for (size_t slot = 0; gpci_next_dirty(ctrl->cache, &slot, &line);) {
        gpc_eviction eviction = {.line_address = line.line_address, .dirty_sectors = line.dirty_sectors};
        gpc_status status = gpci_make_packets(timed, 1);
        if (status < 0)
            return status;
        gpci_dirty_bytes(ctrl->cache, &line, eviction.dirty_bytes);
        gpc_cache_invalidate_line(ctrl->cache, line.line_address, NULL);
        gpci_l1_evicted(timed, ctrl, &eviction);
    }
    gpci_wheel_wake(&timed->wheel, ctrl->component, timed->wheel.now); /* to send the packets now in the miss queue */
    gpci_drop_all(ctrl->cache);
    if (hierarchy->constants)
        gpci_drop_all(hierarchy->constants[sm]);
    gpci_l15_drop_constants(hierarchy, sm);
    if (hierarchy->gl1)
        gpci_gl1_drop(timed, ctrl);
    return GPC_OK;
}
