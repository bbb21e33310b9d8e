/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_CONFIG_PRESETS_H
#define GPC_CONFIG_PRESETS_H

#include "base/base.h"

/* A preset: configuration text, every figure with its source. */
typedef struct gpci_preset {
    const char *name, *summary, *text;
} gpci_preset;

extern const gpci_preset gpci_preset_gtx480, gpci_preset_gtx480_l1_48k, gpci_preset_kepler, gpci_preset_gcn_7970;
extern const gpci_preset gpci_preset_qv100, gpci_preset_rtx2060, gpci_preset_a100, gpci_preset_h100;

/* The text of a preset. GPC_ERROR_NOT_FOUND names the nearest. */
gpc_status gpci_preset_find(const char *name, const char **out_text, gpc_error *error);

#endif
