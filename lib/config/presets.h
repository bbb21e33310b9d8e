/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_CONFIG_PRESETS_H
#define GPC_CONFIG_PRESETS_H

#include "base/base.h"

/* A preset: configuration text, every figure with its source. One without a summary is a part of others. */
typedef struct gpci_preset {
    const char *name;
    const char *path; /* in messages */
    const char *summary;
    const char *text;
} gpci_preset;

/* Those of presets/, which embed.py makes C of: first the presets, in their order, then the parts. */
extern const gpci_preset gpci_presets[];
extern const size_t gpci_preset_count, gpci_preset_text_count;

/* A preset or a part. GPC_ERROR_NOT_FOUND names the nearest. */
gpc_status gpci_preset_find(const char *name, const gpci_preset **out, gpc_error *error);

#endif
