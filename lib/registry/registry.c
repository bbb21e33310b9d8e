/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/array.h"
#include "registry/kinds.h"

#include <string.h>

/* Tables of a kind registered by a host, in order of registration; built-in tables come before. */
typedef struct table_list {
    gpci_entry *entries;
    size_t count, capacity;
} table_list;

struct gpci_registry {
    const void *const *const *builtins; /* by kind, each list ends with NULL */
    table_list lists[GPC_POLICY_KIND_COUNT];
};

static size_t builtin_count(const gpc_context *context, gpc_policy_kind kind) {
    size_t n = 0;
    while (context->registry->builtins[kind][n])
        n++;
    return n;
}

const gpci_table_head *gpci_table_at(const gpc_context *context, gpc_policy_kind kind, size_t index, bool *builtin) {
    size_t count = builtin_count(context, kind);
    *builtin = index < count;
    return *builtin ? context->registry->builtins[kind][index]
                    : context->registry->lists[kind].entries[index - count].table;
}

size_t gpc_policy_count(const gpc_context *context, gpc_policy_kind kind) {
    if (!context || (unsigned)kind >= GPC_POLICY_KIND_COUNT)
        return 0;
    return builtin_count(context, kind) + context->registry->lists[kind].count;
}

gpc_status gpc_policy_at(const gpc_context *context, gpc_policy_kind kind, size_t index, gpc_policy_info *info,
                         gpc_error *error) {
    if (!context || !info)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_policy_at: %s is NULL", context ? "info" : "context");
    if ((unsigned)kind >= GPC_POLICY_KIND_COUNT)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_policy_at: %u is no gpc_policy_kind", (unsigned)kind);
    if (index >= gpc_policy_count(context, kind))
        return gpci_fail(error, GPC_ERROR_RANGE, "gpc_policy_at: index is %zu, and %s names %zu policies", index,
                         gpci_kinds[kind].name, gpc_policy_count(context, kind));
    gpc_policy_info ours = GPC_POLICY_INFO_INIT;
    const gpci_table_head *head = gpci_table_at(context, kind, index, &ours.builtin);
    gpci_parameters parameters = gpci_parameters_of(kind, head);
    ours.name = head->name;
    ours.summary = head->summary;
    ours.source = head->source;
    ours.parameters = parameters.numbers;
    ours.parameter_count = parameters.number_count;
    ours.texts = parameters.texts;
    ours.text_count = parameters.text_count;
    return gpci_give(info, &ours, sizeof ours, "gpc_policy_info", error);
}

gpci_registry *gpci_registry_create(gpc_context *context, const void *const *const *builtins) {
    gpci_registry *registry = gpci_zalloc(context, 1, sizeof *registry);
    if (registry)
        registry->builtins = builtins;
    return registry;
}

void gpci_entry_free(gpc_context *context, gpci_entry *entry) {
    gpci_free(context, entry->strings);
    gpci_free(context, entry->parameters);
    gpci_free(context, entry->texts);
    gpci_free(context, entry->block);
}

void gpci_registry_destroy(gpc_context *context, gpci_registry *registry) {
    for (int kind = 0; kind < GPC_POLICY_KIND_COUNT; kind++) {
        table_list *list = &registry->lists[kind];
        for (size_t i = 0; i < list->count; i++) {
            if (list->entries[i].destroy)
                list->entries[i].destroy(list->entries[i].user_data);
            gpci_entry_free(context, &list->entries[i]);
        }
        gpci_free(context, list->entries);
    }
    gpci_free(context, registry);
}

const gpci_table_head *gpci_table_find(const gpc_context *context, gpc_policy_kind kind, const char *name,
                                       size_t length, void **user_data, bool *builtin) {
    for (size_t i = 0, count = gpc_policy_count(context, kind); i < count; i++) {
        const gpci_table_head *head = gpci_table_at(context, kind, i, builtin);
        if (strlen(head->name) == length && !memcmp(head->name, name, length)) {
            *user_data =
                *builtin ? NULL : context->registry->lists[kind].entries[i - builtin_count(context, kind)].user_data;
            return head;
        }
    }
    return NULL;
}

typedef struct name_list {
    const gpc_context *context;
    gpc_policy_kind kind;
} name_list;

static const char *name_at(const void *data, size_t index) {
    const name_list *list = data;
    bool builtin;
    return gpci_table_at(list->context, list->kind, index, &builtin)->name;
}

gpc_status gpci_table_missing(const gpc_context *context, gpc_policy_kind kind, const char *name, gpc_error *error) {
    name_list list = {context, kind};
    void *user_data;
    bool builtin;
    for (gpc_policy_kind other = 0; other < GPC_POLICY_KIND_COUNT; other++)
        if (gpci_table_find(context, other, name, strlen(name), &user_data, &builtin))
            return gpci_fail(error, GPC_ERROR_NOT_FOUND, "no %s is named '%.63s'; '%.63s' is a %s",
                             gpci_kinds[kind].name, name, name, gpci_kinds[other].name);
    const char *nearest = gpci_nearest(name, gpc_policy_count(context, kind), name_at, &list);
    return gpci_fail(error, GPC_ERROR_NOT_FOUND, "no %s is named '%.63s'%s%s%s", gpci_kinds[kind].name, name,
                     nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

gpc_status gpci_table_is_new(const gpc_context *context, gpc_policy_kind kind, const char *name, gpc_error *error) {
    void *user_data;
    bool builtin;
    if (!gpci_table_find(context, kind, name, strlen(name), &user_data, &builtin))
        return GPC_OK;
    return gpci_fail(error, GPC_ERROR_EXISTS, "a %s named '%s' is registered already", gpci_kinds[kind].name, name);
}

bool gpci_table_is_hosts(const gpc_context *context, gpc_policy_kind kind, const void *table) {
    const table_list *list = &context->registry->lists[kind];
    for (size_t i = 0; i < list->count; i++)
        if (list->entries[i].table == table)
            return true;
    return false;
}

gpc_status gpci_entry_add(gpc_context *context, gpc_policy_kind kind, const gpci_entry *entry, gpc_error *error) {
    table_list *list = &context->registry->lists[kind];
    if (!GPCI_ARRAY_RESERVE(context, list->entries, list->capacity, list->count, 1))
        return gpci_out_of_memory(error);
    list->entries[list->count++] = *entry;
    return GPC_OK;
}
