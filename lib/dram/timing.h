/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_DRAM_TIMING_H
#define GPC_DRAM_TIMING_H

#include "config/config.h"

/*
 * What a channel is made of and how long its commands keep each other waiting, in DRAM cycles.
 * X(field, KEY, scaled): a scaled figure is a time of the cells; where its key says `auto` it is
 * the set's time at the present clock.dram, rounded up. The others are cycles at any clock.
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
    uint32_t mhz; /* clock at which the set is stated */
#define X(field, key, scaled) uint32_t field;
    GPCI_DRAM_TIMINGS(X)
#undef X
    uint32_t dual; /* row and column commands have buses of their own */
} gpci_dram_timing;

/* A named set, in the order of the key's choices. */
const gpci_dram_timing *gpci_dram_timing_set(uint64_t choice);

/*
 * Sets of banks that a choice of dram.refresh refreshes in turn, one each so many cycles; 0: all together.
 */
uint32_t gpci_dram_refresh_sets(const gpci_dram_timing *timing, uint64_t choice, uint32_t *out_interval);

/* From the configuration, checked. */
gpc_status gpci_dram_timing_read(const gpc_config *config, gpc_error *error, gpci_dram_timing *timing);

#endif
