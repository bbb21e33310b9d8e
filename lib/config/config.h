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

/* The value of `coherence` that is neither `none` nor a protocol of trees. */
#define GPCI_VIPER "viper"

/*
 * COUNT, SIZE in bytes, BOOL; NUMBER in thousandths; a CHOICE's position in its list; GPCI_WORD where a number's key
 * holds a word (`auto`).
 */
uint64_t gpci_config_number(const gpc_config *config, gpci_key key);

/* Canonical text of any key. */
const char *gpci_config_text(const gpc_config *config, gpci_key key);

/* The value that a key begins with, as text. Has it that? */
const char *gpci_key_default(gpci_key key);
bool gpci_config_is_default(const gpc_config *config, gpci_key key);

/*
 * Has the host itself set a key, by gpc_config_set or in a text or file? Values of presets, imported options and
 * snapshots are no host's own.
 */
bool gpci_config_is_own(const gpc_config *config, gpci_key key);

/* Does a key act in one mode alone, with a clock (`timed`), or without? */
bool gpci_key_wants_mode(gpci_key key, bool timed);

/* Is it a key of the machine, which presets first set to its default? */
bool gpci_key_resets(gpci_key key);

/* Name of a key, for messages. */
const char *gpci_key_name(gpci_key key);

#endif
