/* SPDX-License-Identifier: BSD-2-Clause */
#include "registry/protocol_registry.h"
#include "registry/registry.h"

#include <stdio.h>
#include <string.h>

/*
 * Registered protocols. They are tables of numbers, not of functions with an instance, parameters and state, so they
 * stand in a list of their own behind the enumeration that all policies share. Built-in ones first, then a host's in
 * the order of their registration, copied in one piece each.
 */

enum { PLACES = 4 };

struct gpci_host_protocol {
    gpc_protocol protocol;
    gpc_protocol_rules rules[PLACES];
    char strings[]; /* name, summary, source, letters */
};

static size_t builtin_count(void) {
    size_t n = 0;
    while (gpci_builtin_protocols[n])
        n++;
    return n;
}

size_t gpci_protocol_count(const gpc_context *context) {
    return builtin_count() + context->protocol_count;
}

const gpc_protocol *gpci_protocol_at(const gpc_context *context, size_t index, bool *builtin) {
    size_t count = builtin_count();
    *builtin = index < count;
    return *builtin ? gpci_builtin_protocols[index] : &context->protocols[index - count]->protocol;
}

const gpc_protocol *gpc_protocol_find(const gpc_context *context, const char *name) {
    bool builtin;
    for (size_t i = 0; context && name && i < gpci_protocol_count(context); i++) {
        const gpc_protocol *protocol = gpci_protocol_at(context, i, &builtin);
        if (!strcmp(protocol->name, name))
            return protocol;
    }
    return NULL;
}

static const char *name_at(const void *context, size_t index) {
    bool builtin;
    return gpci_protocol_at(context, index, &builtin)->name;
}

gpc_status gpci_protocol_named(const gpc_context *context, const char *name, gpc_error *error,
                               const gpc_protocol **out) {
    *out = gpc_protocol_find(context, name);
    if (*out)
        return GPC_OK;
    const char *nearest = gpci_nearest(name, gpci_protocol_count(context), name_at, context);
    return gpci_fail(error, GPC_ERROR_NOT_FOUND, "no protocol is named '%.63s'%s%s%s", name,
                     nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

void gpci_protocols_free(gpc_context *context) {
    for (size_t i = 0; i < context->protocol_count; i++)
        gpci_free(context, context->protocols[i]);
    gpci_free(context, context->protocols);
}

static const char *copy_string(char **to, const char *from) {
    size_t bytes = strlen(from) + 1;
    char *copy = memcpy(*to, from, bytes);
    *to += bytes;
    return copy;
}

/* All that a caller's table points to, which may be gone tomorrow, in one block. NULL: no memory. */
static struct gpci_host_protocol *copy_protocol(gpc_context *context, const gpc_protocol *from) {
    const char *summary = from->summary ? from->summary : "", *source = from->source ? from->source : "";
    size_t bytes = strlen(from->name) + strlen(summary) + strlen(source) + 3 + GPC_LINE_COUNT + 1;
    struct gpci_host_protocol *copy = gpci_zalloc(context, 1, sizeof *copy + bytes);
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
    if (gpc_protocol_find(context, ours.name))
        return gpci_fail(error, GPC_ERROR_EXISTS, "a protocol named '%s' is registered already", ours.name);
    struct gpci_host_protocol **grown =
        gpci_resize(context, context->protocols, context->protocol_count + 1, sizeof(struct gpci_host_protocol *));
    if (!grown)
        return gpci_out_of_memory(error);
    context->protocols = grown;
    struct gpci_host_protocol *copy = copy_protocol(context, &ours);
    if (!copy)
        return gpci_out_of_memory(error);
    grown[context->protocol_count++] = copy;
    return GPC_OK;
}
