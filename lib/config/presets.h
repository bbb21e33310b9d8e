/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_CONFIG_PRESETS_H
#define GPC_CONFIG_PRESETS_H

#include "base/base.h"

/* Preset: configuration text, with a source for every figure. A preset without a summary is a part of other presets. */
typedef struct gpci_preset {
    const char *name;
    const char *path; /* path for messages */
    const char *summary;
    const char *text;
} gpci_preset;

/*
 * Presets of presets/, converted to C by embed.py: first the gpci_preset_count listed presets, then the parts of
 * presets. gpci_preset_text_count counts both.
 */
extern const gpci_preset gpci_presets[];
extern const size_t gpci_preset_count, gpci_preset_text_count;

/* Find a preset, or a part of presets. GPC_ERROR_NOT_FOUND: the message has the nearest name. */
gpc_status gpci_preset_find(const char *name, const gpci_preset **out, gpc_error *error);

#endif
