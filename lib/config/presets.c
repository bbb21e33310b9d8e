/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/presets.h"

#include "base/text.h"
#include "registry/registry.h"

#include <string.h>

static const gpci_preset *const presets[] = {
    &gpci_preset_gtx480,  &gpci_preset_gtx480_l1_48k, &gpci_preset_kepler, &gpci_preset_qv100,
    &gpci_preset_rtx2060, &gpci_preset_a100,          &gpci_preset_h100,   &gpci_preset_gcn_7970,
};

#define COUNT (sizeof presets / sizeof *presets)

size_t gpc_preset_count(void) {
    return COUNT;
}

gpc_status gpc_preset_at(size_t index, const char **name, const char **summary) {
    if (index >= COUNT)
        return GPC_ERROR_RANGE;
    if (name)
        *name = presets[index]->name;
    if (summary)
        *summary = presets[index]->summary;
    return GPC_OK;
}

const char *gpc_preset_text(const char *name) {
    const char *text = NULL;
    return name && gpci_preset_find(name, &text, NULL) == GPC_OK ? text : NULL;
}

static const char *name_at(const void *data, size_t index) {
    (void)data;
    return presets[index]->name;
}

gpc_status gpci_preset_find(const char *name, const char **out_text, gpc_error *error) {
    for (size_t i = 0; i < COUNT; i++)
        if (!strcmp(presets[i]->name, name)) {
            *out_text = presets[i]->text;
            return GPC_OK;
        }
    const char *nearest = gpci_nearest(name, COUNT, name_at, NULL);
    return gpci_fail(error, GPC_ERROR_NOT_FOUND, "preset: none is named '%s'%s%s%s", gpci_quote(name).text,
                     nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}
