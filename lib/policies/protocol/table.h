/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_PROTOCOL_TABLE_H
#define GPC_POLICIES_PROTOCOL_TABLE_H

#include "policies/protocol/protocols.h"

/*
 * Short names for cells: the protocols' tables then look like Table 2.5. Only for the protocols' files.
 *
 * HIT and NONE both send no request. HIT writes the state, and counts as a transition even if the state stays the same;
 * NONE does not count. On a probe both mean a reply without data. On data from above both mean: merge the data.
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
#define DROP GPCI_HIT(I)                     /* -> I, without a message */
#define NOTIFY GPCI_DO(GPC_DO_NOTIFY, I)
#define THROUGH(state) GPCI_DO(GPC_DO_HIT | GPC_DO_WRITE_THROUGH, state)
#define PASS GPCI_DO(GPC_DO_PASS, I)
#define PASS_BACK GPCI_DO(GPC_DO_PASS | GPC_DO_WRITE_BACK, I) /* write back, then pass */

/* A row of the first level: the columns of Table 2.5, and Acquire. */
#define FIRST(state, load, store, n_store, eviction, read_probe, write_probe, acquire) \
    [GPC_LINE_##state] = {load, store, n_store, eviction, read_probe, write_probe, [GPC_EVENT_ACQUIRE] = acquire}

/* A row of caches below the first level: requests and data from modules above take the place of accesses. */
#define BELOW(state, eviction, read_probe, write_probe, read_above, write_above, data_above, n_data_above, probe_data, \
              invalidate_data, acquire)                                                                             \
    [GPC_LINE_##state] = {[GPC_EVENT_EVICTION] = eviction, read_probe, write_probe, read_above, write_above,        \
                          data_above, n_data_above, probe_data, invalidate_data, [GPC_EVENT_ACQUIRE] = acquire}

/* A row of a memory's directory. */
#define MEMORY(state, read_above, write_above, data_above, n_data_above, probe_data, invalidate_data, eviction) \
    [GPC_LINE_##state] = {[GPC_EVENT_EVICTION] = eviction, [GPC_EVENT_READ_ABOVE] = read_above, write_above,    \
                          data_above, n_data_above, probe_data, invalidate_data}

/* More columns of a row given before: accesses with flags. */
#define PASSING(state, passing_load, passing_store)                    \
    [GPC_LINE_##state][GPC_EVENT_PASSING_LOAD] = passing_load,         \
    [GPC_LINE_##state][GPC_EVENT_PASSING_STORE] = passing_store

#define STEERED(state, passing_load, passing_store, through_store)     \
    [GPC_LINE_##state][GPC_EVENT_PASSING_LOAD] = passing_load,         \
    [GPC_LINE_##state][GPC_EVENT_PASSING_STORE] = passing_store,       \
    [GPC_LINE_##state][GPC_EVENT_THROUGH_STORE] = through_store
/* clang-format on */

/*
 * Memory rules for protocols without a memory table: E, not written since the entry was made, or M, written. A lookup
 * of a block in I puts the block into E before any event.
 */
extern const gpc_protocol_rules gpci_memory_rules;

#endif
