/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_PROTOCOL_TABLE_H
#define GPC_POLICIES_PROTOCOL_TABLE_H

#include "policies/protocol/protocols.h"

/*
 * Cells of the protocols' files, short enough that rows stand as those of Table 2.5. Included by these files alone.
 *
 * What tells HIT and NONE apart where neither asks for anything: HIT writes the state, and so counts as a transition,
 * be it to the same state; NONE leaves it. Upon a probe both are answered by an acknowledgement. Data that a module
 * hands over are merged in either case.
 */
/* clang-format off */
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

/* Rows. Of the first level: the columns of Table 2.5. */
#define FIRST(state, load, store, n_store, eviction, read_probe, write_probe, acquire) \
    [GPC_LINE_##state] = {load, store, n_store, eviction, read_probe, write_probe, [GPC_EVENT_ACQUIRE] = acquire}

/* Of caches below it, whose processors are the modules above: these ask, or hand over data. */
#define BELOW(state, eviction, read_probe, write_probe, read_above, write_above, data_above, n_data_above, probe_data, \
              invalidate_data, acquire)                                                                             \
    [GPC_LINE_##state] = {[GPC_EVENT_EVICTION] = eviction, read_probe, write_probe, read_above, write_above,        \
                          data_above, n_data_above, probe_data, invalidate_data, [GPC_EVENT_ACQUIRE] = acquire}

/* Of a memory's directory. */
#define MEMORY(state, read_above, write_above, data_above, n_data_above, probe_data, invalidate_data, eviction) \
    [GPC_LINE_##state] = {[GPC_EVENT_EVICTION] = eviction, [GPC_EVENT_READ_ABOVE] = read_above, write_above,    \
                          data_above, n_data_above, probe_data, invalidate_data}

/* More columns of a row that stands before: what bits of an access steer. */
#define PASSING(state, passing_load, passing_store)                    \
    [GPC_LINE_##state][GPC_EVENT_PASSING_LOAD] = passing_load,         \
    [GPC_LINE_##state][GPC_EVENT_PASSING_STORE] = passing_store

#define STEERED(state, passing_load, passing_store, through_store)     \
    [GPC_LINE_##state][GPC_EVENT_PASSING_LOAD] = passing_load,         \
    [GPC_LINE_##state][GPC_EVENT_PASSING_STORE] = passing_store,       \
    [GPC_LINE_##state][GPC_EVENT_THROUGH_STORE] = through_store
/* clang-format on */

/*
 * E once a block was asked for, M once modified data of it came back. A lookup of a block in I puts it in E before any
 * event.
 */
extern const gpc_protocol_rules gpci_memory_rules;

#endif
