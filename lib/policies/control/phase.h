/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_CONTROL_PHASE_H
#define GPC_POLICIES_CONTROL_PHASE_H

#include "base/base.h"

/*
 * Has the program entered a new phase? Statistics of every sampling period are
 * compared with those of the period before; a relative change beyond a threshold
 * may be one, and is one once it has lasted (seeds/004 section 4.4.3). A change can
 * last only against what was before it, so that the period before the change stays
 * the one compared with, until the change is over or a new phase has begun.
 *
 * Example, threshold 0.2, 3 periods, instructions per cycle:
 *   1.0  1.1         no change: 1.1 is what the next is compared with
 *   0.6  1.0         a change of one period: over
 *   0.6  0.6  0.7    a change against 1.0 for three periods: a new phase, of 0.7
 */

#define GPCI_PHASE_MEASURES 4u

typedef struct gpci_phase_options {
    uint32_t measures; /* at most GPCI_PHASE_MEASURES */
    uint32_t periods;  /* for which a change must last, 1 or more */
    double threshold;  /* relative change of any measure */
    /* a smaller measure is taken for this one: twice next to nothing is no change */
    double floors[GPCI_PHASE_MEASURES];
} gpci_phase_options;

typedef struct gpci_phase {
    gpci_phase_options options;
    double before[GPCI_PHASE_MEASURES]; /* the last period without a change */
    uint32_t lasting;                   /* periods that the change has lasted */
    bool known;                         /* there is a period to compare with */
} gpci_phase;

void gpci_phase_init(gpci_phase *phase, const gpci_phase_options *options);
/* The next period begins a phase, whatever it is like. */
void gpci_phase_restart(gpci_phase *phase);
/* A period is over. True: a new phase has begun. */
bool gpci_phase_observe(gpci_phase *phase, const double *measures);
/* Hardware: each measure of the period before, 32 bits, and the counter of periods. */
uint64_t gpci_phase_bits(const gpci_phase_options *options);

#endif
