/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_DRAM_DRAM_H
#define GPC_DRAM_DRAM_H

#include "config/config.h"

/*
 * Interface of gpc_dram for the timed hierarchy: channels run separately, each up to its own time. All times are DRAM
 * cycles. Run a channel at most up to the caller's present cycle, because no request may arrive in the channel's past.
 */

/* gpc_dram_create with a number of channels in place of dram.channels: of several GPUs. No argument is NULL. */
gpc_status gpci_dram_create(gpc_context *context, const gpc_config *config, uint32_t channels, gpc_dram **out,
                            gpc_error *error);

/*
 * If dram.latency_at = request and the model is not fixed, return dram.latency: the caller must delay requests by the
 * latency, and `dram` no longer delays data by the latency. In all other cases return 0.
 */
uint64_t gpci_dram_take_latency(gpc_dram *dram, const gpc_config *config);

/* True if the channel's queue has room for a further request. */
bool gpci_dram_has_room(const gpc_dram *dram, uint32_t channel, bool write);

/*
 * Add a request for a burst, which arrives at `cycle`. The channel must have room, and must not have been run beyond
 * `cycle`.
 */
void gpci_dram_enqueue(gpc_dram *dram, uint32_t channel, uint64_t address, bool write, uint64_t token, uint64_t cycle);

/*
 * Issue every command that is due up to and including `cycle`.
 * Returns the next cycle in which a command may issue or data end. UINT64_MAX: the channel is idle. Refreshes of an
 * idle channel are simulated only when the next request arrives.
 */
uint64_t gpci_dram_run(gpc_dram *dram, uint32_t channel, uint64_t cycle);

/* Take the next request with data that ended by the cycle of the last run, in order of the end. False: none. */
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
    GPCI_DRAM_REFRESH_BANK, /* gpci_dram_event.bank: first bank of the refreshed set */
    GPCI_DRAM_REFRESH_DUE,  /* not in a trace, only planned: from now on the set of banks waits for its refresh */
    GPCI_DRAM_READ,
    GPCI_DRAM_WRITE,
} gpci_dram_command;

typedef struct gpci_dram_event {
    /*
     * row: UINT64_MAX if the command has no row. token: of the request that is read or written, or for which ACTIVATE
     * opens a row. PRECHARGE_ALL: token is the number of closed rows. REFRESH_BANK: token is the number of banks.
     */
    uint64_t cycle, row, token;
    uint64_t end; /* cycle at which the effect is complete: data, an open row, a closed row */
    uint32_t channel, pseudo, bank;
    uint32_t banks;      /* number of banks of a pseudo channel */
    uint8_t command;     /* gpci_dram_command */
    bool auto_precharge; /* for a read or write: the row closes afterwards, as early as possible */
} gpci_dram_event;

typedef void (*gpci_dram_trace_fn)(void *user_data, const gpci_dram_event *event);

/*
 * Set the callback for commands; NULL: none. Commands of a pseudo channel are reported in order of time. The fixed
 * model has only reads and writes.
 */
void gpci_dram_on_command(gpc_dram *dram, gpci_dram_trace_fn trace, void *user_data);

/*
 * _add_stats: add a channel's counters, with waiting requests and cycles up to `cycle`, to `stats`. _reset_stats:
 * restart the counters at `cycle`. _count_again: in the checking build, add the channel's second counts for the ledger.
 */
#ifdef GPCI_CHECK
void gpci_dram_count_again(const gpc_dram *dram, uint32_t channel, uint64_t cycle, gpc_stats *stats);
#endif
void gpci_dram_add_stats(const gpc_dram *dram, uint32_t channel, uint64_t cycle, gpc_stats *stats);
void gpci_dram_reset_stats(gpc_dram *dram, uint32_t channel, uint64_t cycle);

/* Visit all memory with the changing state of a channel. The memory never moves and never changes its size. */
void gpci_dram_state(gpc_dram *dram, uint32_t channel, gpci_state_fn visit, void *user_data);

#endif
