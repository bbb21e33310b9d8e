/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_DRAM_DRAM_H
#define GPC_DRAM_DRAM_H

#include "config/config.h"

/*
 * Interface of gpc_dram for the timed hierarchy: channels run separately, each at its own time. All times are DRAM
 * cycles. A channel may be run at most up to the host's present time: no request may arrive in the channel's past.
 */

/*
 * With dram.latency_at = request, returns dram.latency, which the caller adds to requests; data then come without the
 * latency. Otherwise returns 0.
 */
uint64_t gpci_dram_take_latency(gpc_dram *dram, const gpc_config *config);

/* True if a further request has room. */
bool gpci_dram_has_room(const gpc_dram *dram, uint32_t channel, bool write);

/*
 * Add a burst that arrives at `cycle`, not before the time up to which the channel was run. The channel must have room.
 */
void gpci_dram_enqueue(gpc_dram *dram, uint32_t channel, uint64_t address, bool write, uint64_t token, uint64_t cycle);

/*
 * Issue every command that is due up to and including `cycle`.
 * Returns the next cycle in which a command may issue or a read's data end; UINT64_MAX while idle (refreshes of an idle
 * channel are caught up with at the next run).
 */
uint64_t gpci_dram_run(gpc_dram *dram, uint32_t channel, uint64_t cycle);

/* Take the next completed request, in order of completion, whose data ended by the last run's cycle. False if none. */
bool gpci_dram_done(gpc_dram *dram, uint32_t channel, uint64_t *token, bool *write);

/*
 * Bank of an address within a channel (banks of all pseudo channels are numbered together), row, and byte of the row.
 * UINT32_MAX: DRAM of a fixed latency has no banks.
 */
uint32_t gpci_dram_bank(const gpc_dram *dram, uint64_t address, uint64_t *out_row, uint32_t *out_column);

/* Number of requests queued or in flight. */
uint32_t gpci_dram_count(const gpc_dram *dram, uint32_t channel);

/* Commands in a channel's trace. */
typedef enum gpci_dram_command {
    GPCI_DRAM_ACTIVATE,
    GPCI_DRAM_PRECHARGE,
    GPCI_DRAM_PRECHARGE_ALL,
    GPCI_DRAM_REFRESH,
    GPCI_DRAM_REFRESH_BANK, /* bank: first bank of the refreshed set */
    GPCI_DRAM_REFRESH_DUE,  /* no command: from now on the banks wait for a refresh */
    GPCI_DRAM_READ,
    GPCI_DRAM_WRITE,
} gpci_dram_command;

typedef struct gpci_dram_event {
    /* row and token, if the command has them; for PRECHARGE_ALL the row is the number of rows closed */
    uint64_t cycle, row, token;
    uint64_t end; /* cycle at which the effect is complete: data, an open row, a closed row */
    uint32_t channel, pseudo, bank;
    uint32_t banks;      /* number of banks of a pseudo channel */
    uint8_t command;     /* gpci_dram_command */
    bool auto_precharge; /* for a read or write: the row closes as early as possible */
} gpci_dram_event;

typedef void (*gpci_dram_trace_fn)(void *user_data, const gpci_dram_event *event);

/*
 * Set the callback for commands. Commands of a pseudo channel are shown in order of time. The fixed model has only
 * reads and writes. NULL clears.
 */
void gpci_dram_on_command(gpc_dram *dram, gpci_dram_trace_fn trace, void *user_data);

/*
 * Add a channel's counters, with gauges and cycles up to `cycle`, to `stats` (_add_stats); restart the counters at
 * `cycle` (_reset_stats).
 */
#ifdef GPCI_CHECK
/*
 * Add second counts of a channel to `stats`: by lane, by what opened rows, by open rows, and by the time of refreshes.
 */
void gpci_dram_count_again(const gpc_dram *dram, uint32_t channel, uint64_t cycle, gpc_stats *stats);
#endif
void gpci_dram_add_stats(const gpc_dram *dram, uint32_t channel, uint64_t cycle, gpc_stats *stats);
void gpci_dram_reset_stats(gpc_dram *dram, uint32_t channel, uint64_t cycle);

/* Visit all memory that holds a channel's activity. The memory never moves and never changes its size. */
void gpci_dram_state(gpc_dram *dram, uint32_t channel, gpci_state_fn visit, void *user_data);

#endif
