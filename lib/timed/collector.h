/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_COLLECTOR_H
#define GPC_TIMED_COLLECTOR_H

#include "timed/timed.h"

/*
 * What a memory instruction passes between its issue and an L1's tags, with l1.collectors: a register, collector units
 * that read its operands from the register file, one a cycle, a further register, and the one whose lines are at the
 * tags. Units that are ready are taken in turn, not in the order of issue.
 * [GPGPU-Sim 3.2, shader.cc: opndcoll_rfu_t::step, dispatch_unit_t::find_ready, shader_core_ctx::execute]
 *
 * Example, two units, the tags busy; unit 0 was the last that went. A, then B are issued and take units 0 and 1. When
 * the register behind them comes free, B goes first, for unit 1's turn is next; then A, before what has unit 1 by then.
 *
 *   issued -> units -> ready -> the stage's `in` -> tags
 */

struct gpci_collector {
    uint32_t count; /* units */
    uint32_t last;  /* unit that went last */
    gpci_queue issued, ready;
    struct gpci_collector_unit {
        gpci_queue lines;
        uint64_t ready_at; /* its operands are read */
    } units[];
};

/* Does the memory pipeline of an SM take one more instruction? */
GPCI_INLINE bool gpci_l1_has_place(const gpci_timed *t, const gpci_stage *stage) {
    return GPCI_UNLIKELY(stage->collector != NULL) ? !stage->collector->issued.count : stage->waiting < t->l1_queue;
}

gpc_status gpci_collector_create(const gpci_timed *t, gpci_stage *stage);
void gpci_collector_destroy(const gpci_timed *t, gpci_stage *stage);
/* A cycle, before the tags'; and after it. */
void gpci_collector_step(gpci_timed *t, gpci_stage *stage);
void gpci_collector_refill(gpci_timed *t, gpci_stage *stage);
void gpci_collector_hold(const gpci_stage *stage, gpci_holders *to);
void gpci_collector_reset(gpci_collector *collector, uint64_t now);
void gpci_collector_state(gpci_collector *collector, gpci_state_fn visit, void *user_data);

#endif
