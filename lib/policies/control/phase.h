/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_CONTROL_PHASE_H
#define GPC_POLICIES_CONTROL_PHASE_H

#include "base/base.h"

/*
 * Detector of a new program phase. Statistics of every sampling period are compared with the period before. A relative
 * change above a threshold may be a new phase; a change that lasts is a new phase (seeds/004 section 4.4.3). A lasting
 * change is measured against the period before the change. This period therefore stays the reference until the change
 * is over or a new phase has begun.
 *
 * Example, threshold 0.2, 3 periods, instructions per cycle:
 *   1.0  1.1         no change: 1.1 is the new reference
 *   0.6  1.0         a change of one period: over
 *   0.6  0.6  0.7    a change against 1.0 for three periods: a new phase, of 0.7
 */

#define GPCI_PHASE_MEASURES 4u

typedef struct gpci_phase_options {
    uint32_t measures; /* at most GPCI_PHASE_MEASURES */
    uint32_t periods;  /* periods of a change until a new phase, 1 or more */
    double threshold;  /* relative change of any measure */
    /* if a measure is below its floor, the floor replaces the measure: changes of tiny measures are no changes */
    double floors[GPCI_PHASE_MEASURES];
} gpci_phase_options;

typedef struct gpci_phase {
    gpci_phase_options options;
    double before[GPCI_PHASE_MEASURES]; /* reference: the last period without a change */
    uint32_t lasting;                   /* periods of the present change */
    bool known;                         /* a reference period exists */
} gpci_phase;

void gpci_phase_init(gpci_phase *phase, const gpci_phase_options *options);
/* Take the next period as the new reference, whatever its measures. */
void gpci_phase_restart(gpci_phase *phase);
/* Give a period's measures. True if a new phase has begun. */
bool gpci_phase_observe(gpci_phase *phase, const double *measures);
/* Cost in bits: 32 for each measure of the reference period, and the counter of periods. */
uint64_t gpci_phase_bits(const gpci_phase_options *options);

#endif
