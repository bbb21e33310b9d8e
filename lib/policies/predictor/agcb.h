/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_PREDICTOR_AGCB_H
#define GPC_POLICIES_PREDICTOR_AGCB_H

/*
 * The word that goes down with a request that `agcb` judged, and the one that comes back. A request that it was not
 * asked about (a store, a sector of a line that is resident) carries 0, and leaves the line's bit below as it is.
 */
#define GPCI_AGCB_JUDGED 1u
#define GPCI_AGCB_BYPASS 2u   /* down: it is to bypass */
#define GPCI_AGCB_OVERRIDE 1u /* up: the line was bypassed before */

#endif
