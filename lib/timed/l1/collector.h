/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_COLLECTOR_H
#define GPC_TIMED_COLLECTOR_H

#include "timed/core/timed.h"

/*
 * Operand collection between the issue of a memory instruction and L1's tags, with l1.collectors: a register, collector
 * units that read operands from the register file (one a cycle), another register, and the instruction whose lines are
 * at the tags. Ready units are served round robin, not in issue order. [GPGPU-Sim 3.2, shader.cc: opndcoll_rfu_t::step,
 * dispatch_unit_t::find_ready, shader_core_ctx::execute]
 *
 * GPGPU-Sim's accesses carry no values. Here a write and an earlier or later access of the same line keep their order.
 *
 * Example, two units, the tags busy; unit 0 was served last. A, then B are issued and take units 0 and 1. When the
 * register behind them becomes free, B goes first, because unit 1 is next; then A, before whatever is in unit 1 by
 * then.
 *
 *   issued -> units -> ready -> the controller's `in` -> tags
 */

struct gpci_collector {
    uint32_t count; /* number of units */
    uint32_t last;  /* unit served last */
    uint64_t taken; /* instructions that have taken a unit */
    gpci_queue issued, ready;
    struct gpci_collector_unit {
        gpci_queue lines;
        uint64_t ready_at; /* operands are read */
        uint64_t number;   /* number of the instruction, in the order of issue */
    } units[];
};

/* True if an SM's memory pipeline accepts another instruction. */
GPCI_INLINE bool gpci_l1_has_place(const gpci_timed *t, const gpci_ctrl *ctrl) {
    return GPCI_UNLIKELY(ctrl->collector != NULL) ? !ctrl->collector->issued.count : ctrl->waiting < t->l1_queue;
}

gpc_status gpci_collector_create(const gpci_timed *t, gpci_ctrl *ctrl);
void gpci_collector_destroy(const gpci_timed *t, gpci_ctrl *ctrl);
/* Run a cycle, before the tags; gpci_collector_refill: after the tags. */
void gpci_collector_step(gpci_timed *t, gpci_ctrl *ctrl);
void gpci_collector_refill(gpci_timed *t, gpci_ctrl *ctrl);
void gpci_collector_hold(const gpci_ctrl *ctrl, gpci_holders *to);
void gpci_collector_reset(gpci_collector *collector, uint64_t now);
void gpci_collector_state(gpci_collector *collector, gpci_state_fn visit, void *user_data);

#endif
