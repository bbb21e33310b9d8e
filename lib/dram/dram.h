/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_DRAM_DRAM_H
#define GPC_DRAM_DRAM_H

#include "config/config.h"

/*
 * The inside of gpc_dram, for the timed hierarchy: channels that are run one by
 * one, each at its own time. All times are DRAM cycles. A channel may be run at most
 * up to the time that its host has reached: no request may arrive in its past.
 */

/* dram.latency, which the caller has for requests, where dram.latency_at = request: data come without it. Or 0. */
uint64_t gpci_dram_take_latency(gpc_dram *dram, const gpc_config *config);

/* Room for one more request. */
bool gpci_dram_room(const gpc_dram *dram, uint32_t channel, bool write);

/* One burst arrives at `cycle`, not before the time the channel was last run to. There must be room. */
void gpci_dram_enqueue(gpc_dram *dram, uint32_t channel, uint64_t address, bool write, uint64_t token, uint64_t cycle);

/*
 * Issue every command that is due up to and including `cycle`.
 * Returns the next cycle at which a command may issue or a read's data end; UINT64_MAX while idle (refreshes of an
 * idle channel are caught up with when it is next run).
 */
uint64_t gpci_dram_run(gpc_dram *dram, uint32_t channel, uint64_t cycle);

/* The next completed request, in order of completion, whose data ended by the cycle last run to; false if none. */
bool gpci_dram_done(gpc_dram *dram, uint32_t channel, uint64_t *token, bool *write);

/*
 * Bank of an address within a channel, those of its pseudo channels counted together, the row, and the byte of it.
 * UINT32_MAX: DRAM of a fixed latency has none.
 */
uint32_t gpci_dram_bank(const gpc_dram *dram, uint64_t address, uint64_t *out_row, uint32_t *out_column);

/* Requests queued or in flight. */
uint32_t gpci_dram_count(const gpc_dram *dram, uint32_t channel);

/* Commands as a channel's trace shows them. */
typedef enum gpci_dram_command {
    GPCI_DRAM_ACTIVATE,
    GPCI_DRAM_PRECHARGE,
    GPCI_DRAM_PRECHARGE_ALL,
    GPCI_DRAM_REFRESH,
    GPCI_DRAM_REFRESH_BANK, /* bank: of the set that is refreshed, the first */
    GPCI_DRAM_REFRESH_DUE,  /* no command: from here on its banks wait for it */
    GPCI_DRAM_READ,
    GPCI_DRAM_WRITE,
} gpci_dram_command;

typedef struct gpci_dram_event {
    uint64_t cycle, row, token; /* row and token where the command has one; of PRECHARGE_ALL: how many rows it closes */
    uint64_t end;               /* cycle from which its effect is there: data, an open row, a closed one */
    uint32_t channel, pseudo, bank;
    uint32_t banks;      /* of a pseudo channel */
    uint8_t command;     /* gpci_dram_command */
    bool auto_precharge; /* of a read or write: its row closes as soon as it may */
} gpci_dram_event;

typedef void (*gpci_dram_trace_fn)(void *user_data, const gpci_dram_event *event);

/*
 * Show every command, in each pseudo channel's order of time. The fixed model has reads and writes alone. NULL clears.
 */
void gpci_dram_on_command(gpc_dram *dram, gpci_dram_trace_fn trace, void *user_data);

/* Add a channel's counters, with gauges and cycles up to `cycle`, to `stats`; begin them anew at `cycle`. */
void gpci_dram_add_stats(const gpc_dram *dram, uint32_t channel, uint64_t cycle, gpc_stats *stats);
void gpci_dram_reset_stats(gpc_dram *dram, uint32_t channel, uint64_t cycle);

/* Name all memory that holds what a channel does: it stays where it is, and as large. */
void gpci_dram_state(gpc_dram *dram, uint32_t channel, gpci_state_fn visit, void *user_data);

#endif
