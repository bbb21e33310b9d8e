/* SPDX-License-Identifier: BSD-2-Clause */
#include "registry/resolve.h"

#include <stdio.h>

/* Resolve a spec or a scheduler's text with the registered tables. */

gpc_status gpci_resolve(const gpc_context *context, gpc_policy_kind kind, const char *text, gpci_resolved *resolved,
                        gpci_values *values, gpc_error *error) {
    gpci_spec *spec = &resolved->spec;
    bool builtin = false;
    gpc_status status = gpci_spec_parse(text, spec, error);
    if (status < 0)
        return status;
    resolved->ops =
        (const void *)gpci_table_find(context, kind, spec->name, spec->name_length, &resolved->user_data, &builtin);
    if (!resolved->ops) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)spec->name_length, spec->name);
        return gpci_table_missing(context, kind, name, error);
    }
    gpci_parameters parameters = gpci_parameters_of(kind, resolved->ops);
    if (builtin && !parameters.number_count && !parameters.text_count && spec->arguments[0])
        return gpci_fail(error, GPC_ERROR_NOT_FOUND, "%s '%s' takes no parameters", gpci_kinds[kind].name,
                         resolved->ops->head.name);
    return gpci_spec_values(spec, &parameters, values, error);
}

gpc_policy_env gpci_resolved_env(const gpc_context *context, const gpci_resolved *resolved, const gpci_values *values,
                                 const gpc_policy_env *geometry) {
    gpc_policy_env env = *geometry;
    env.struct_size = sizeof env;
    env.parameters = values->numbers;
    env.texts = values->texts;
    env.words = values->words;
    env.arguments = resolved->spec.arguments;
    env.user_data = resolved->user_data;
    env.context = (gpc_context *)(uintptr_t)context;
    return env;
}

gpc_status gpci_policy_check(const gpc_context *context, gpc_policy_kind kind, const char *text, gpc_error *error) {
    gpci_resolved resolved;
    gpci_values values;
    return gpci_resolve(context, kind, text, &resolved, &values, error);
}

const void *gpci_policy_table(const gpc_context *context, gpc_policy_kind kind, const char *text) {
    gpci_resolved resolved;
    gpci_values values;
    return gpci_resolve(context, kind, text, &resolved, &values, NULL) == GPC_OK ? resolved.ops : NULL;
}

gpc_status gpci_scheduler_parts(char *text, char *parts[1 + GPCI_MAX_THROTTLES], size_t *out_count, gpc_error *error) {
    size_t count = 0;
    for (char *rest = text; rest;) {
        if (count > GPCI_MAX_THROTTLES)
            return gpci_fail(error, GPC_ERROR_RANGE, "a scheduler has more than %u throttles", GPCI_MAX_THROTTLES);
        parts[count++] = gpci_spec_cut(&rest, '+');
    }
    *out_count = count;
    return GPC_OK;
}

gpc_policy_kind gpci_kind_of_part(size_t part) {
    return part ? GPC_POLICY_THROTTLE : GPC_POLICY_SCHEDULER;
}

gpc_status gpci_scheduler_check(const gpc_context *context, const char *text, gpc_error *error) {
    char *copy = gpci_strdup((gpc_context *)(uintptr_t)context, text);
    if (!copy)
        return gpci_out_of_memory(error);
    char *parts[1 + GPCI_MAX_THROTTLES];
    size_t count = 0;
    gpc_status status = gpci_scheduler_parts(copy, parts, &count, error);
    for (size_t i = 0; i < count && status == GPC_OK; i++)
        status = gpci_policy_check(context, gpci_kind_of_part(i), parts[i], error);
    gpci_free((gpc_context *)(uintptr_t)context, copy);
    return status;
}

gpc_status gpci_scheduler_text_wants_events(gpc_context *context, const char *text, gpc_error *error, bool *out) {
    char *copy = gpci_strdup(context, text), *parts[1 + GPCI_MAX_THROTTLES];
    if (!copy)
        return gpci_out_of_memory(error);
    size_t count = 0;
    gpc_status status = gpci_scheduler_parts(copy, parts, &count, error);
    *out = false;
    for (size_t i = 0; i < count; i++) {
        gpc_policy_kind kind = gpci_kind_of_part(i);
        const void *table = gpci_policy_table(context, kind, parts[i]);
        *out |= table && !gpci_field_is_null(table, gpci_kinds[kind].at.on_cache_event);
    }
    gpci_free(context, copy);
    return status;
}
