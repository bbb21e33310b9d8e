/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_CONFIG_KEYS_H
#define GPC_CONFIG_KEYS_H

#include "config/keys_dram.h"
#include "config/keys_l1.h"
#include "config/keys_l2.h"
#include "config/keys_run.h"
#include "config/keys_sm.h"

/*
 * Table of every configuration key. To add a key, write a row in the table of its group and the line that reads the
 * key. X(identifier, "name", TYPE, PRESET, "unit", "default", minimum, maximum, "choices", "meaning") PRESET: RESET, a
 * key of the machine, which every preset first sets to its default (`preset = defaults`); KEEP, a key that presets
 * leave alone: settings of a run, and values implied by the name of a DRAM's timing. With `| CLOCK` a key acts only
 * with mode = timed, with `| STEPS` only with mode = functional. TYPE is the end of a gpc_value_type. A SIZE or COUNT
 * with choices takes one of the words instead of a number. A POLICY's choices name its registry; a TEXT's choices, if
 * any, describe the text.
 */
#define GPCI_KEYS(X)  \
    GPCI_KEYS_SM(X)   \
    GPCI_KEYS_L1(X)   \
    GPCI_KEYS_L2(X)   \
    GPCI_KEYS_DRAM(X) \
    GPCI_KEYS_RUN(X)

#endif
