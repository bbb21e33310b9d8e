/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_KEYS_ROWS_H
#define TESTS_KEYS_ROWS_H

#include "keys/keys.h"

/* Rows of the tables: a kind (KEY_), a key and a value of it, a workload (WORK_). */
#define MOVE(kind, key, value, work) \
    { key, value, NULL, NULL, WORK_##work, KEY_##kind, NULL }
/* A row with prerequisites. */
#define WITH(kind, key, value, with, work) \
    { key, value, with, NULL, WORK_##work, KEY_##kind, NULL }
/* A row with further settings beside the value. */
#define BESIDE(kind, key, value, with, also, work) \
    { key, value, with, also, WORK_##work, KEY_##kind, NULL }
/* A row without an effect, and the reason. */
#define FREE(key, value, work, why) \
    { key, value, NULL, NULL, WORK_##work, KEY_FREE, why }

/* address.mapping of two channels of two slices each. */
#define MAPPING "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS"
/* As MAPPING, with the channel's bit above all addresses of the workloads: half of the slices have all lines. */
#define ONE_CHANNEL "dramid@24;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS"

#endif
