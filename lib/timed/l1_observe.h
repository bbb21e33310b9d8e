/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_L1_OBSERVE_H
#define GPC_TIMED_L1_OBSERVE_H

#include "timed/timed.h"

/* Tell who observes the L1s, if anybody (level/rules/observer.h). */

GPCI_COLD void gpci_l1_observe_lookup(gpci_timed *t, const gpci_packet *p, const gpci_tag_access *access, uint8_t hits);
GPCI_COLD void gpci_l1_observe_issue(gpci_timed *t, const gpc_request *request);
GPCI_COLD void gpci_l1_observe_change(gpci_stage *stage, const gpc_request *request, bool bypass);

/* Of a warp instruction. */
GPCI_INLINE void gpci_l1_observe_instruction(gpci_timed *t, const gpc_request *request) {
    if (GPCI_UNLIKELY(t->h->observer != NULL))
        gpci_l1_observe_issue(t, request);
}

/* Of a lookup. `access` NULL: it passes L1 by; `hits`: the segments of a load that are there or in flight. */
GPCI_INLINE void gpci_l1_observe(gpci_timed *t, const gpci_packet *p, const gpci_tag_access *access, uint8_t hits) {
    if (GPCI_UNLIKELY(t->h->observer != NULL))
        gpci_l1_observe_lookup(t, p, access, hits);
}

/* Of a miss that bypasses after all, or does not. */
GPCI_INLINE void gpci_l1_observe_verdict(gpci_stage *stage, const gpc_request *request, bool bypass) {
    if (GPCI_UNLIKELY(stage->timed->h->observer != NULL))
        gpci_l1_observe_change(stage, request, bypass);
}

/* What a fetch brought is not kept: counted, and told. */
void gpci_l1_not_kept(gpci_stage *stage, const gpc_request *request, uint8_t sectors);

#endif
