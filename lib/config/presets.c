/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/presets.h"

#include "base/text.h"
#include "registry/registry.h"

#include <string.h>

size_t gpc_preset_count(void) {
    return gpci_preset_count;
}

gpc_status gpc_preset_at(size_t index, const char **name, const char **summary, gpc_error *error) {
    if (index >= gpci_preset_count)
        return gpci_fail(error, GPC_ERROR_RANGE, "gpc_preset_at: index is %zu, and there are %zu presets", index,
                         gpci_preset_count);
    if (name)
        *name = gpci_presets[index].name;
    if (summary)
        *summary = gpci_presets[index].summary;
    return GPC_OK;
}

const char *gpc_preset_text(const char *name) {
    const gpci_preset *preset = NULL;
    return name && gpci_preset_find(name, &preset, NULL) == GPC_OK ? preset->text : NULL;
}

static const char *name_at(const void *data, size_t index) {
    (void)data;
    return gpci_presets[index].name;
}

gpc_status gpci_preset_find(const char *name, const gpci_preset **out, gpc_error *error) {
    for (size_t i = 0; i < gpci_preset_text_count; i++)
        if (!strcmp(gpci_presets[i].name, name)) {
            *out = &gpci_presets[i];
            return GPC_OK;
        }
    const char *nearest = gpci_nearest(name, gpci_preset_count, name_at, NULL);
    return gpci_fail(error, GPC_ERROR_NOT_FOUND, "preset: none is named '%s'%s%s%s", gpci_quote(name).text,
                     nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}
