/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_PROTOCOL_TABLE_H
#define GPC_POLICIES_PROTOCOL_TABLE_H

#include "policies/protocol/protocols.h"

/*
 * Short names for the cells of tables, so that a protocol's tables look like Table 2.5 of seeds/002. Only the
 * protocols' files include this header.
 *
 * HIT and NONE both send no request. HIT writes the state, and counts a transition even if the state stays the same;
 * NONE counts no transition. For a probe, both mean a reply without data. For data from above, both mean that the
 * module merges the data.
 */
/* clang-format off */
#define HIT(state) GPCI_HIT(state)
#define NONE(state) GPCI_IGNORE(state)       /* a dash in Table 2.5 */
#define NEVER GPCI_FORBID
#define READ(alone, shared) GPCI_READ(alone, shared)
#define WRITE(state) GPCI_WRITE(state)
#define BACK GPCI_DO(GPC_DO_WRITE_BACK, I)   /* "Write Back -> I" in Table 2.5 */
#define SEND(state) GPCI_DO(GPC_DO_SEND_DATA, state)
#define SEND_BACK(state) GPCI_DO(GPC_DO_SEND_DATA | GPC_DO_WRITE_BACK, state)
#define DROP GPCI_HIT(I)                     /* go to I without a message */
#define NOTIFY GPCI_DO(GPC_DO_NOTIFY, I)
#define THROUGH(state) GPCI_DO(GPC_DO_HIT | GPC_DO_WRITE_THROUGH, state)
#define PASS GPCI_DO(GPC_DO_PASS, I)
/* write back, then let the low module perform the access */
#define PASS_BACK GPCI_DO(GPC_DO_PASS | GPC_DO_WRITE_BACK, I)

/*
 * A row of the first level: the columns of Table 2.5, and Acquire. The headers of the tables have the names of Table
 * 2.5: Read Req. and Write Req. are a read probe and a write probe, sent for another cache's request.
 */
#define FIRST(state, load, store, n_store, eviction, read_probe, write_probe, acquire) \
    [GPC_LINE_##state] = {load, store, n_store, eviction, read_probe, write_probe, [GPC_EVENT_ACQUIRE] = acquire}

/*
 * A row of caches below the first level: requests and data from modules above take the place of accesses. The headers
 * of the tables shorten the columns. Read ab., Write ab.: a module above requests a copy, or the only copy. Data ab., N
 * data: a module above writes back modified data, or data modified non-coherently. Probe d., Inval. d.: a module above
 * replies to a read probe, or to a write probe, with modified data.
 */
#define BELOW(state, eviction, read_probe, write_probe, read_above, write_above, data_above, n_data_above, probe_data, \
              invalidate_data, acquire)                                                                             \
    [GPC_LINE_##state] = {[GPC_EVENT_EVICTION] = eviction, read_probe, write_probe, read_above, write_above,        \
                          data_above, n_data_above, probe_data, invalidate_data, [GPC_EVENT_ACQUIRE] = acquire}

/* A row of a memory's directory; columns as in BELOW. */
#define MEMORY(state, read_above, write_above, data_above, n_data_above, probe_data, invalidate_data, eviction) \
    [GPC_LINE_##state] = {[GPC_EVENT_EVICTION] = eviction, [GPC_EVENT_READ_ABOVE] = read_above, write_above,    \
                          data_above, n_data_above, probe_data, invalidate_data}

/*
 * More columns of a row given before, for accesses with flags. Passing: the access bypasses the module. Through: the
 * store is also written through.
 */
#define PASSING(state, passing_load, passing_store)                    \
    [GPC_LINE_##state][GPC_EVENT_PASSING_LOAD] = passing_load,         \
    [GPC_LINE_##state][GPC_EVENT_PASSING_STORE] = passing_store

#define STEERED(state, passing_load, passing_store, through_store)     \
    [GPC_LINE_##state][GPC_EVENT_PASSING_LOAD] = passing_load,         \
    [GPC_LINE_##state][GPC_EVENT_PASSING_STORE] = passing_store,       \
    [GPC_LINE_##state][GPC_EVENT_THROUGH_STORE] = through_store
/* clang-format on */

/*
 * Rules of memory, for protocols without a table for memory. E: the block was not written since its directory entry was
 * made. M: the block was written. A lookup of a block in I puts the block into E before any event.
 */
extern const gpc_protocol_rules gpci_memory_rules;

#endif
