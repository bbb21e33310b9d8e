/* SPDX-License-Identifier: BSD-2-Clause */
#include "registry/kinds.h"
#include "stats/stats.h"

#include <string.h>

/* Tables of functions registered by a host: checked, and copied with everything that their pointers reach. */

static bool good_name(const char *name) {
    if (!name || !*name || strlen(name) > 63)
        return false;
    return name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-")] == '\0';
}

static gpc_status check_numbers(const char *name, const gpci_parameters *parameters, const char *type,
                                gpc_error *error) {
    if (parameters->number_count > GPC_MAX_PARAMETERS || (parameters->number_count && !parameters->numbers))
        return gpci_fail(error, GPC_ERROR_ARGUMENT,
                         "%s.parameter_count of '%s' is %zu; a table of at most %u is needed", type, name,
                         parameters->number_count, GPC_MAX_PARAMETERS);
    for (size_t i = 0; i < parameters->number_count; i++) {
        const gpc_parameter *parameter = &parameters->numbers[i];
        if (!parameter->name || !*parameter->name ||
            !(parameter->minimum <= parameter->initial && parameter->initial <= parameter->maximum))
            return gpci_fail(error, GPC_ERROR_ARGUMENT,
                             "%s.parameters[%zu] of '%s' has no name or an initial value out of its range", type, i,
                             name);
    }
    return GPC_OK;
}

/* True if `word` is a word of `choices`, a text like "this|that". */
static bool is_choice(const char *choices, const char *word) {
    size_t length = strlen(word);
    for (const char *at = choices; at; at = strchr(at, '|')) {
        at += *at == '|';
        if (strcspn(at, "|") == length && !memcmp(at, word, length))
            return true;
    }
    return false;
}

static gpc_status check_texts(const char *name, const gpci_parameters *parameters, const char *type, gpc_error *error) {
    if (parameters->text_count > GPC_MAX_PARAMETERS || (parameters->text_count && !parameters->texts))
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s.text_count of '%s' is %zu; a table of at most %u is needed",
                         type, name, parameters->text_count, GPC_MAX_PARAMETERS);
    unsigned lists = 0;
    for (size_t i = 0; i < parameters->text_count; i++) {
        const gpc_text_parameter *parameter = &parameters->texts[i];
        lists += parameter->name && !*parameter->name;
        if (!parameter->name || !parameter->initial || lists > 1 ||
            (parameter->choices && !is_choice(parameter->choices, parameter->initial)))
            return gpci_fail(
                error, GPC_ERROR_ARGUMENT,
                "%s.texts[%zu] of '%s' has no name, is a second list, or its initial value is not among its "
                "choices",
                type, i, name);
    }
    return GPC_OK;
}

static gpc_status check(gpc_policy_kind kind, const void *table, gpc_error *error) {
    const gpci_kind *k = &gpci_kinds[kind];
    const gpci_table_head *head = table;
    if (!good_name(head->name))
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s.name must be 1 to 63 characters of a-z, 0-9 and '-'", k->type);
    gpci_parameters parameters = gpci_parameters_of(kind, table);
    gpc_status status = check_numbers(head->name, &parameters, k->type, error);
    if (status == GPC_OK)
        status = check_texts(head->name, &parameters, k->type, error);
    if (status < 0)
        return status;
    if (gpci_field_is_null(table, k->at.function))
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s.%s of '%s' is NULL", k->type, k->function, head->name);
    if (gpci_field_size(table, k->at.reserved) | gpci_field_size(table, k->at.reserved_too))
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s.reserved of '%s' is not 0", k->type, head->name);
    uint64_t reads;
    gpci_field_get(table, k->at.reads, &reads, sizeof reads);
    if (reads & ~(uint64_t)GPC_READS_EVERYTHING)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s.reads of '%s' is 0x%llx, with bits that are none of GPC_READS_",
                         k->type, head->name, (unsigned long long)reads);
    return GPC_OK;
}

/* Replace the caller's tables of parameters by copies, because the caller may free its memory. */
static bool copy_parameters(gpc_context *context, gpc_policy_kind kind, gpci_entry *entry) {
    const gpci_kind *k = &gpci_kinds[kind];
    gpci_parameters parameters = gpci_parameters_of(kind, entry->block);
    if (parameters.number_count) {
        entry->parameters = gpci_zalloc(context, parameters.number_count, sizeof *entry->parameters);
        if (!entry->parameters)
            return false;
        memcpy(entry->parameters, parameters.numbers, parameters.number_count * sizeof *entry->parameters);
        memcpy((char *)entry->block + k->at.parameters, &entry->parameters, sizeof entry->parameters);
    }
    if (parameters.text_count) {
        entry->texts = gpci_zalloc(context, parameters.text_count, sizeof *entry->texts);
        if (!entry->texts)
            return false;
        memcpy(entry->texts, parameters.texts, parameters.text_count * sizeof *entry->texts);
        memcpy((char *)entry->block + k->at.texts, &entry->texts, sizeof entry->texts);
    }
    return true;
}

/* List of a table's strings: addresses of the pointers. add_text replaces NULL by "", add_string skips NULL. */
typedef struct string_list {
    const char **at[4 + 6 * GPC_MAX_PARAMETERS];
    size_t count;
} string_list;

static void add_string(string_list *list, const char **string) {
    if (*string)
        list->at[list->count++] = string;
}

static void add_text(string_list *list, const char **string) {
    if (!*string)
        *string = "";
    add_string(list, string);
}

/* Copy all strings of a table: the caller may free its memory (a binding always does). */
static bool copy_strings(gpc_context *context, gpc_policy_kind kind, gpci_entry *entry) {
    if (!copy_parameters(context, kind, entry))
        return false;
    gpci_table_head *head = entry->block;
    gpci_parameters parameters = gpci_parameters_of(kind, entry->block);
    string_list list = {.count = 0};
    add_text(&list, &head->name);
    add_text(&list, &head->summary);
    add_text(&list, &head->source);
    if (gpci_kinds[kind].at.string)
        add_string(&list, (const char **)(void *)((char *)entry->block + gpci_kinds[kind].at.string));
    for (size_t i = 0; i < parameters.number_count; i++) {
        add_text(&list, &entry->parameters[i].name);
        add_text(&list, &entry->parameters[i].meaning);
    }
    for (size_t i = 0; i < parameters.text_count; i++) {
        add_text(&list, &entry->texts[i].name);
        add_text(&list, &entry->texts[i].initial);
        add_string(&list, &entry->texts[i].choices);
        add_text(&list, &entry->texts[i].meaning);
    }
    size_t bytes = 0;
    for (size_t i = 0; i < list.count; i++)
        bytes += strlen(*list.at[i]) + 1;
    char *to = entry->strings = gpci_alloc(context, bytes);
    if (!to)
        return false;
    for (size_t i = 0; i < list.count; i++) {
        const char *from = *list.at[i];
        *list.at[i] = strcpy(to, from);
        to += strlen(from) + 1;
    }
    return true;
}

/* Copy and check a table. On failure the caller frees the content of `entry`. */
static gpc_status add_copy(gpc_context *context, gpc_policy_kind kind, const void *ops, gpci_entry *entry,
                           gpc_error *error) {
    const gpci_kind *k = &gpci_kinds[kind];
    entry->block = gpci_zalloc(context, 1, k->size);
    if (!entry->block)
        return gpci_out_of_memory(error);
    entry->table = entry->block;
    size_t given, first = k->at.reads; /* size of the oldest tables */
    memcpy(&given, ops, sizeof given);
    const bool older = given && (given == first || given == k->at.state || given == k->at.on_sector_miss ||
                                 given == k->at.on_block || given == k->at.counter);
    gpc_status status = gpci_take(entry->block, k->size, older ? given : k->size, ops, k->type, error);
    if (status == GPC_OK && given <= k->at.on_sector_miss)
        memcpy((char *)entry->block + k->at.on_sector_miss, (char *)entry->block + k->at.on_hit,
               sizeof(void (*)(void)));
    if (status == GPC_OK)
        status = check(kind, entry->block, error);
    if (status == GPC_OK)
        status = gpci_table_is_new(context, kind, entry->table->name, error);
    if (status < 0)
        return status;
    return copy_strings(context, kind, entry) ? gpci_entry_add(context, kind, entry, error) : gpci_out_of_memory(error);
}

static gpc_status register_ops(gpc_context *context, gpc_policy_kind kind, const void *ops, void *user_data,
                               void (*destroy)(void *), gpc_error *error) {
    gpci_entry entry = {.user_data = user_data, .destroy = destroy};
    gpc_status status = GPC_OK;
    if (!context || !ops)
        status = gpci_fail(error, GPC_ERROR_ARGUMENT, "registering a %s: %s is NULL", gpci_kinds[kind].name,
                           context ? "ops" : "context");
    else
        status = add_copy(context, kind, ops, &entry, error);
    if (status == GPC_OK)
        return GPC_OK;
    if (context)
        gpci_entry_free(context, &entry);
    if (destroy)
        destroy(user_data);
    return status;
}

gpc_status gpc_context_register_replacement(gpc_context *context, const gpc_replacement_ops *ops, void *user_data,
                                            void (*destroy)(void *user_data), gpc_error *error) {
    return register_ops(context, GPC_POLICY_REPLACEMENT, ops, user_data, destroy, error);
}

gpc_status gpc_context_register_predictor(gpc_context *context, const gpc_predictor_ops *ops, void *user_data,
                                          void (*destroy)(void *user_data), gpc_error *error) {
    return register_ops(context, GPC_POLICY_PREDICTOR, ops, user_data, destroy, error);
}

gpc_status gpc_context_register_prefetcher(gpc_context *context, const gpc_prefetcher_ops *ops, void *user_data,
                                           void (*destroy)(void *user_data), gpc_error *error) {
    return register_ops(context, GPC_POLICY_PREFETCHER, ops, user_data, destroy, error);
}

gpc_status gpc_context_register_scheduler(gpc_context *context, const gpc_scheduler_ops *ops, void *user_data,
                                          void (*destroy)(void *user_data), gpc_error *error) {
    return register_ops(context, GPC_POLICY_SCHEDULER, ops, user_data, destroy, error);
}

gpc_status gpc_context_register_throttle(gpc_context *context, const gpc_throttle_ops *ops, void *user_data,
                                         void (*destroy)(void *user_data), gpc_error *error) {
    return register_ops(context, GPC_POLICY_THROTTLE, ops, user_data, destroy, error);
}
