/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_TABLE_H
#define GPC_COHERENCE_TABLE_H

#include "coherence/protocols.h"

/*
 * Cells of the protocols' files, short enough that rows stand as those of Table 2.5. Included by these files alone.
 *
 * What tells HIT and NONE apart where neither asks for anything: HIT writes the state, and so counts as a transition,
 * be it to the same state; NONE leaves it. Upon a probe both are answered by an acknowledgement. Data that a module
 * hands over are merged in either case.
 */
#define HIT(state) GPCI_HIT(state)
#define NONE(state) GPCI_IGNORE(state)       /* - */
#define NEVER GPCI_FORBID
#define READ(alone, shared) GPCI_READ(alone, shared)
#define WRITE(state) GPCI_WRITE(state)
#define BACK GPCI_DO(GPC_DO_WRITE_BACK, I)   /* Write Back -> I */
#define SEND(state) GPCI_DO(GPC_DO_SEND_DATA, state)
#define SEND_BACK(state) GPCI_DO(GPC_DO_SEND_DATA | GPC_DO_WRITE_BACK, state)
#define DROP GPCI_HIT(I)                     /* -> I, and nobody is told */
#define NOTIFY GPCI_DO(GPC_DO_NOTIFY, I)
#define THROUGH(state) GPCI_DO(GPC_DO_HIT | GPC_DO_WRITE_THROUGH, state)
#define PASS GPCI_DO(GPC_DO_PASS, I)
#define PASS_BACK GPCI_DO(GPC_DO_PASS | GPC_DO_WRITE_BACK, I) /* what is modified here goes before it */

/* The ACQUIRE cell, the last of a row. */
#define ACQUIRE(cell) [GPC_EVENT_ACQUIRE] = cell

/*
 * A memory's directory: E once a block was asked for, M once modified data of it came back. Processors' columns are
 * those of stores and loads that no cache above keeps. A lookup of a block in I puts it in E before any event.
 */
extern const gpc_protocol_rules gpci_memory_rules;

#endif
