/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TESTS_DRAM_RIG_H
#define GPC_TESTS_DRAM_RIG_H

#include <criterion/criterion.h>

#include "dram/dram_internal.h"
#include "measured.h"

/* A DRAM object, completed requests, and every command. */
#define MOST 40000

typedef struct done_row {
    uint64_t token, cycle;
    bool write;
} done_row;

typedef struct rig {
    gpc_context *context;
    gpc_config *config;
    gpc_dram *dram;
    gpci_dram_event events[MOST];
    done_row done[MOST];
    size_t event_count, done_count;
} rig;

/*
 * One channel of 2 groups of 2 banks, rows of 4 bursts, all times different: tRCD 7 (write 6), tRP 5, tCL 9, tCWL 4,
 * tRAS 20, tRC 26, tRRD 3/5, tFAW 30, tWR 11, tWTR 6/8, tRTW 2, tRTP 4, tCCD 2/4, burst 2, no refresh, row over bank
 * over group over column. `more` is further "key=value" pairs, separated by blanks, or NULL.
 */
rig *rig_open(const char *more);
void rig_close(rig *r);

void rig_request(rig *r, uint64_t address, bool write, uint64_t token);
void rig_advance(rig *r, uint64_t cycles);

/* Run until empty. */
void rig_drain(rig *r);

/* Address of a column of a row of a bank (group * 2 + bank of the group), by the rig's mapping. */
uint64_t at(uint64_t row, uint32_t bank, uint32_t column);

/* Cycle of the n-th command of a sort; or UINT64_MAX. */
uint64_t nth(const rig *r, gpci_dram_command command, size_t n);
uint64_t done_at(const rig *r, uint64_t token);
measured_stats rig_stats(const rig *r);

/* Check every pair of commands against every rule, only from the configuration's numbers; count violations. */
size_t violations(const rig *r);

#endif
