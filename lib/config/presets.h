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

/* Presets of presets/, converted to C by embed.py: first the listed presets in order, then the parts. */
extern const gpci_preset gpci_presets[];
extern const size_t gpci_preset_count, gpci_preset_text_count;

/* A preset or a part. GPC_ERROR_NOT_FOUND names the nearest. */
gpc_status gpci_preset_find(const char *name, const gpci_preset **out, gpc_error *error);

#endif
