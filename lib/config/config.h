/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_CONFIG_CONFIG_H
#define GPC_CONFIG_CONFIG_H

#include "base/base.h"
#include "config/keys.h"

typedef enum gpci_key {
#define X(id, name, type, preset, unit, initial, minimum, maximum, choices, meaning) GPCI_KEY_##id,
    GPCI_KEYS(X)
#undef X
        GPCI_KEY_COUNT
} gpci_key;

#define GPCI_WORD UINT64_MAX

/* Value of `coherence` for a model that is neither `none` nor a protocol of trees. */
#define GPCI_VIPER "viper"

/*
 * Number of a key: COUNT; SIZE in bytes; BOOL; NUMBER in thousandths; CHOICE as the position in its list. GPCI_WORD if
 * a number's key holds a word (`auto`).
 */
uint64_t gpci_config_number(const gpc_config *config, gpci_key key);

/* True if a replay repeats the calls of a recorded host (warps.order = recorded). */
GPCI_INLINE bool gpci_order_is_recorded(const gpc_config *config) {
    return gpci_config_number(config, GPCI_KEY_WARPS_ORDER) == 2;
}

/* Canonical text of a key of any type. */
const char *gpci_config_text(const gpc_config *config, gpci_key key);

/* Default of a key, as text. */
const char *gpci_key_default(gpci_key key);
/* True if the value of a key is its default. */
bool gpci_config_is_default(const gpc_config *config, gpci_key key);

/*
 * True if the host itself has set the key, by gpc_config_set or in a text or file. Presets, imported options and
 * snapshots do not count.
 */
bool gpci_config_is_own(const gpc_config *config, gpci_key key);

/* True if the key acts only in one mode: if `timed`, only with mode = timed; else only with mode = functional. */
bool gpci_key_wants_mode(gpci_key key, bool timed);

/* True for a key of the machine: presets first set such keys to their defaults. */
bool gpci_key_resets(gpci_key key);

/* Name of a key, for messages. */
const char *gpci_key_name(gpci_key key);

#endif
