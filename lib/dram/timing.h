/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_DRAM_TIMING_H
#define GPC_DRAM_TIMING_H

#include "config/config.h"

/*
 * Structure of a channel, and waiting times between its commands, in DRAM cycles. X(field, KEY, scaled). If the key is
 * `auto`, the value comes from the named timing set (dram.timing). A scaled value is a time of the memory cells: the
 * value is converted from the set's clock to clock.dram. A value that is not scaled is a number of cycles at every
 * clock.
 */
#define GPCI_DRAM_TIMINGS(X)        \
    X(trcd, DRAM_TRCD, 1)           \
    X(trcd_write, DRAM_TRCD_W, 1)   \
    X(trp, DRAM_TRP, 1)             \
    X(tcl, DRAM_TCL, 1)             \
    X(tcwl, DRAM_TCWL, 0)           \
    X(tras, DRAM_TRAS, 1)           \
    X(trc, DRAM_TRC, 1)             \
    X(trrd_s, DRAM_TRRD_S, 1)       \
    X(trrd_l, DRAM_TRRD_L, 1)       \
    X(tfaw, DRAM_TFAW, 1)           \
    X(twr, DRAM_TWR, 1)             \
    X(twtr_s, DRAM_TWTR_S, 1)       \
    X(twtr_l, DRAM_TWTR_L, 1)       \
    X(trtw, DRAM_TRTW, 0)           \
    X(trtp, DRAM_TRTP, 1)           \
    X(tccd_s, DRAM_TCCD_S, 0)       \
    X(tccd_l, DRAM_TCCD_L, 1)       \
    X(trefi, DRAM_TREFI, 1)         \
    X(trfc, DRAM_TRFC, 1)           \
    X(trfc_bank, DRAM_TRFC_BANK, 1) \
    X(trrefd, DRAM_TRREFD, 1)       \
    X(pseudo, DRAM_PSEUDO, 0)       \
    X(groups, DRAM_GROUPS, 0)       \
    X(group_banks, DRAM_BANKS, 0)   \
    X(row_bytes, DRAM_ROW, 0)       \
    X(burst_bytes, DRAM_BURST, 0)   \
    X(burst, DRAM_BURST_CYCLES, 0)

typedef struct gpci_dram_timing {
    uint32_t mhz; /* clock of the cycles */
#define X(field, key, scaled) uint32_t field;
    GPCI_DRAM_TIMINGS(X)
#undef X
    uint32_t dual; /* row and column commands have separate buses */
} gpci_dram_timing;

/* Named timing set, by the value of dram.timing; NULL: no such value. */
const gpci_dram_timing *gpci_dram_timing_set(uint64_t choice);

/*
 * Number of sets of banks that are refreshed in turn, for the value `choice` of dram.refresh. 0: all banks are
 * refreshed together, or never. `*out_interval` receives the cycles between two refreshes.
 */
uint32_t gpci_dram_refresh_sets(const gpci_dram_timing *timing, uint64_t choice, uint32_t *out_interval);

/* Read the timing from the configuration, with checks. */
gpc_status gpci_dram_timing_read(const gpc_config *config, gpc_error *error, gpci_dram_timing *timing);

#endif
