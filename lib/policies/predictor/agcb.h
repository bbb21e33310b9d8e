/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_PREDICTOR_AGCB_H
#define GPC_POLICIES_PREDICTOR_AGCB_H

/*
 * Bits of the word sent down with a request that `agcb` judged, and of the word sent back with the reply. A request
 * that `agcb` did not judge (a store, a sector of a resident line) carries 0, and leaves the line's bit in L2
 * unchanged.
 */
#define GPCI_AGCB_JUDGED 1u
#define GPCI_AGCB_BYPASS 2u   /* down: the request bypasses */
#define GPCI_AGCB_OVERRIDE 1u /* up: the line was bypassed before */

#endif
