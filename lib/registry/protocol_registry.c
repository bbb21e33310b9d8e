/* SPDX-License-Identifier: BSD-2-Clause */
#include "registry/protocol_registry.h"

#include "registry/kinds.h"

#include <string.h>

/* Protocols that a host registers: tables of cells, not of functions, each copied in one piece. */

enum { PLACES = 4 };

struct host_protocol {
    gpc_protocol protocol;
    gpc_protocol_rules rules[PLACES];
    char strings[]; /* name, summary, source, letters */
};

const gpc_protocol *gpc_protocol_find(const gpc_context *context, const char *name) {
    void *user_data;
    bool builtin;
    if (!context || !name)
        return NULL;
    return (const void *)gpci_table_find(context, GPC_POLICY_PROTOCOL, name, strlen(name), &user_data, &builtin);
}

gpc_status gpci_protocol_named(const gpc_context *context, const char *name, gpc_error *error,
                               const gpc_protocol **out) {
    *out = gpc_protocol_find(context, name);
    return *out ? GPC_OK : gpci_table_missing(context, GPC_POLICY_PROTOCOL, name, error);
}

static const char *copy_string(char **to, const char *from) {
    size_t bytes = strlen(from) + 1;
    char *copy = memcpy(*to, from, bytes);
    *to += bytes;
    return copy;
}

/* All that a caller's table points to, which may be gone tomorrow, in one block. NULL: no memory. */
static struct host_protocol *copy_protocol(gpc_context *context, const gpc_protocol *from) {
    const char *summary = from->summary ? from->summary : "", *source = from->source ? from->source : "";
    size_t bytes = strlen(from->name) + strlen(summary) + strlen(source) + 3 + GPC_LINE_COUNT + 1;
    struct host_protocol *copy = gpci_zalloc(context, 1, sizeof *copy + bytes);
    if (!copy)
        return NULL;
    char *to = copy->strings;
    copy->protocol = *from;
    copy->protocol.name = copy_string(&to, from->name);
    copy->protocol.summary = copy_string(&to, summary);
    copy->protocol.source = copy_string(&to, source);
    if (from->letters)
        copy->protocol.letters = copy_string(&to, from->letters);
    const gpc_protocol_rules **rules[PLACES] = {&copy->protocol.first, &copy->protocol.between, &copy->protocol.shared,
                                                &copy->protocol.memory};
    for (int place = 0; place < PLACES; place++) {
        if (!*rules[place])
            continue;
        memcpy(copy->rules[place], *rules[place], sizeof copy->rules[place]);
        *rules[place] = (const gpc_protocol_rules *)&copy->rules[place];
    }
    return copy;
}

gpc_status gpc_context_register_protocol(gpc_context *context, const gpc_protocol *protocol, gpc_error *error) {
    if (!context || !protocol)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "registering a protocol: %s is NULL",
                         context ? "protocol" : "context");
    gpc_protocol ours = {.struct_size = 0};
    gpc_status status = gpci_take(&ours, sizeof ours, sizeof ours, protocol, "gpc_protocol", error);
    if (status == GPC_OK)
        status = gpci_protocol_check(&ours, error);
    if (status < 0)
        return status;
    status = gpci_table_is_new(context, GPC_POLICY_PROTOCOL, ours.name, error);
    if (status < 0)
        return status;
    struct host_protocol *copy = copy_protocol(context, &ours);
    if (!copy)
        return gpci_out_of_memory(error);
    gpci_entry entry = {.table = (const void *)&copy->protocol, .block = copy};
    status = gpci_entry_add(context, GPC_POLICY_PROTOCOL, &entry, error);
    if (status < 0)
        gpci_entry_free(context, &entry);
    return status;
}
