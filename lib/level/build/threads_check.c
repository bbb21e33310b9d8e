/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/build/threads_check.h"

#include "registry/kinds.h"

#include <ctype.h>
#include <stdio.h>

static bool has_sample(gpc_policy_kind kind, const void *ops) {
    switch (kind) {
    case GPC_POLICY_REPLACEMENT:
        return ((const gpc_replacement_ops *)ops)->on_sample != NULL;
    case GPC_POLICY_PREDICTOR:
        return ((const gpc_predictor_ops *)ops)->on_sample != NULL;
    case GPC_POLICY_THROTTLE:
        return ((const gpc_throttle_ops *)ops)->sample != NULL;
    default:
        return false;
    }
}

/* True if `name` is a policy of any kind that needs a single thread. `hosts`: true if the host registered it. */
static bool is_shared(const gpc_context *context, const char *name, size_t length, bool *hosts) {
    for (int kind = 0; kind < GPC_POLICY_KIND_COUNT; kind++) {
        if (kind == GPC_POLICY_PROTOCOL)
            continue;
        void *user_data;
        bool builtin;
        const void *ops = gpci_table_find(context, (gpc_policy_kind)kind, name, length, &user_data, &builtin);
        if (!ops)
            continue;
        *hosts = !builtin;
        if (!builtin ||
            (gpci_field_size(ops, gpci_kinds[kind].at.shared_bytes) && !has_sample((gpc_policy_kind)kind, ops)))
            return true;
    }
    return false;
}

/* Check every word of the key's text, because the text of a policy may name further policies. */
bool gpci_threads_check_key(const gpc_hierarchy *hierarchy, gpci_key key, char text[GPCI_THREADS_TEXT]) {
    const char *at = gpci_config_text(hierarchy->config, key);
    while (*at) {
        size_t length = 0;
        while (isalnum((unsigned char)at[length]) || at[length] == '-' || at[length] == '_')
            length++;
        bool hosts;
        if (length && is_shared(hierarchy->context, at, length, &hosts)) {
            snprintf(text, GPCI_THREADS_TEXT, "%s: '%.*s' %s", gpci_key_name(key), (int)(length < 80 ? length : 80), at,
                     hosts ? "is the host's, whose functions are called on its own thread" : "is one for all caches");
            return false;
        }
        at += length ? length : 1;
    }
    return true;
}
