/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_CONFIG_KEYS_H
#define GPC_CONFIG_KEYS_H

#include "config/keys_dram.h"
#include "config/keys_l1.h"
#include "config/keys_l2.h"
#include "config/keys_run.h"
#include "config/keys_sm.h"

/*
 * Table of every configuration key. To add a key, write a row in the table of its group, and the line that reads the
 * key. Columns of a row:
 *
 *   X(identifier, "name", TYPE, PRESET, "unit", "default", minimum, maximum, "choices", "meaning")
 *
 *   TYPE     end of a gpc_value_type
 *   PRESET   RESET: a key of the machine. Every preset first sets the key to its default (`preset = defaults`).
 *            KEEP: presets leave the key alone. Settings of a run, and values implied by the name of a DRAM's timing.
 *            With `| CLOCK` the key acts only with mode = timed, with `| STEPS` only with mode = functional.
 *   choices  COUNT, SIZE, NUMBER: words that the key takes instead of a number. CHOICE: the words. POLICY: the
 *            registry. TEXT: the kind of text, or "".
 */
#define GPCI_KEYS(X)  \
    GPCI_KEYS_SM(X)   \
    GPCI_KEYS_L1(X)   \
    GPCI_KEYS_L2(X)   \
    GPCI_KEYS_DRAM(X) \
    GPCI_KEYS_RUN(X)

#endif
