/* SPDX-License-Identifier: BSD-2-Clause */
#include "registry/protocol_registry.h"

#include "base/text.h"
#include "registry/kinds.h"

#include <stddef.h>
#include <string.h>

/* Protocols registered by a host: tables of cells, not of functions, copied into a single block. */

enum { PLACES = 4 };

/* Block with the whole protocol: tables, states and strings follow. */
struct host_protocol {
    gpc_protocol protocol;
    gpc_protocol_state states[GPC_MAX_STATES - GPC_LINE_COUNT];
    gpc_protocol_event events[GPC_MAX_EVENTS - GPC_EVENT_COUNT];
    /*
     * rules of all places: first the rules of the sixteen events, then rules of further events, then raises and texts
     */
    gpc_protocol_rule rules[];
};

size_t gpc_protocol_state_name(const gpc_protocol *protocol, uint32_t state, char *buffer, size_t size) {
    gpci_text text = gpci_text_of(buffer, size);
    if (state < GPC_LINE_COUNT)
        gpci_text_put(&text, "%c", (protocol ? gpci_letters_of(protocol) : "NMOESI")[state]);
    else if (protocol && state < gpci_states_of(protocol))
        gpci_text_put(&text, "%s", protocol->states[state - GPC_LINE_COUNT].name);
    return text.length;
}

size_t gpc_protocol_event_name(const gpc_protocol *protocol, uint32_t event, char *buffer, size_t size) {
    gpci_text text = gpci_text_of(buffer, size);
    if (event < GPC_EVENT_COUNT)
        gpci_text_put(&text, "%s", gpc_coherence_event_name((gpc_coherence_event)event));
    else if (protocol && event < gpci_events_of(protocol))
        gpci_text_put(&text, "%s", protocol->events[event - GPC_EVENT_COUNT].name);
    return text.length;
}

gpci_state_name gpci_name_of_event(const gpc_protocol *protocol, uint32_t event) {
    gpci_state_name name;
    gpc_protocol_event_name(protocol, event, name.text, sizeof name.text);
    return name;
}

gpci_state_name gpci_name_of_state(const gpc_protocol *protocol, uint32_t state) {
    gpci_state_name name;
    gpc_protocol_state_name(protocol, state, name.text, sizeof name.text);
    return name;
}

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

/* Number of rows of a table. A memory's table has only the rows of the six standard states. */
static size_t rows_of(const gpc_protocol *protocol, int place) {
    return place == PLACES - 1 ? GPC_LINE_COUNT : gpci_states_of(protocol);
}

static size_t string_bytes(const gpc_protocol *protocol) {
    size_t bytes =
        strlen(protocol->name) + strlen(protocol->summary) + strlen(protocol->source) + 3 + GPC_LINE_COUNT + 1;
    for (uint32_t i = 0; i < protocol->state_count; i++)
        bytes += strlen(protocol->states[i].name) + 1;
    for (uint32_t i = 0; i < protocol->event_count; i++)
        bytes += strlen(protocol->events[i].name) + 1;
    return bytes;
}

static void copy_strings(struct host_protocol *copy, char *to) {
    gpc_protocol *protocol = &copy->protocol;
    protocol->name = copy_string(&to, protocol->name);
    protocol->summary = copy_string(&to, protocol->summary);
    protocol->source = copy_string(&to, protocol->source);
    if (protocol->letters)
        protocol->letters = copy_string(&to, protocol->letters);
    for (uint32_t i = 0; i < protocol->state_count; i++) {
        copy->states[i] = protocol->states[i];
        copy->states[i].name = copy_string(&to, protocol->states[i].name);
    }
    protocol->states = protocol->state_count ? copy->states : NULL;
    for (uint32_t i = 0; i < protocol->event_count; i++) {
        copy->events[i] = protocol->events[i];
        copy->events[i].name = copy_string(&to, protocol->events[i].name);
    }
    protocol->events = protocol->event_count ? copy->events : NULL;
}

/* Copy the tables of all places, if given. Returns the end of the copies. */
static gpc_protocol_rule *copy_rules(gpc_protocol *protocol, gpc_protocol_rule *rule) {
    const gpc_protocol_rules **tables[PLACES] = {&protocol->first, &protocol->between, &protocol->shared,
                                                 &protocol->memory};
    for (int place = 0; place < PLACES; place++) {
        if (!*tables[place])
            continue;
        memcpy(rule, *tables[place], rows_of(protocol, place) * sizeof(gpc_protocol_rule[GPC_EVENT_COUNT]));
        *tables[place] = (const gpc_protocol_rules *)rule;
        rule += rows_of(protocol, place) * GPC_EVENT_COUNT;
    }
    for (int place = 0; place < PLACES; place++) {
        const size_t count = rows_of(protocol, place) * protocol->event_count;
        if (!count || !protocol->event_rules[place])
            continue;
        memcpy(rule, protocol->event_rules[place], count * sizeof *rule);
        protocol->event_rules[place] = rule;
        rule += count;
    }
    return rule;
}

static gpc_protocol_raise *copy_raises(gpc_protocol *protocol, gpc_protocol_raise *raise) {
    for (int place = 0; place < PLACES; place++) {
        const size_t count = rows_of(protocol, place) * gpci_events_of(protocol);
        if (!protocol->event_count || !protocol->raises[place])
            continue;
        memcpy(raise, protocol->raises[place], count * sizeof *raise);
        protocol->raises[place] = raise;
        raise += count;
    }
    return raise;
}

/*
 * Copy a caller's protocol with everything that its pointers reach into a single block, because the caller may free its
 * memory. NULL: out of memory.
 */
static struct host_protocol *copy_protocol(gpc_context *context, const gpc_protocol *from) {
    gpc_protocol protocol = *from;
    protocol.summary = protocol.summary ? protocol.summary : "";
    protocol.source = protocol.source ? protocol.source : "";
    const size_t rows = (PLACES - 1) * (size_t)gpci_states_of(&protocol) + GPC_LINE_COUNT;
    const size_t cells = rows * gpci_events_of(&protocol), raises = protocol.event_count ? cells : 0;
    struct host_protocol *copy = gpci_zalloc(context, 1,
                                             sizeof *copy + cells * sizeof *copy->rules +
                                                 raises * sizeof(gpc_protocol_raise) + string_bytes(&protocol));
    if (!copy)
        return NULL;
    copy->protocol = protocol;
    gpc_protocol_rule *after = copy_rules(&copy->protocol, copy->rules);
    copy_strings(copy, (char *)copy_raises(&copy->protocol, (gpc_protocol_raise *)after));
    return copy;
}

gpc_status gpc_context_register_protocol(gpc_context *context, const gpc_protocol *protocol, gpc_error *error) {
    if (!context || !protocol)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "registering a protocol: %s is NULL",
                         context ? "protocol" : "context");
    gpc_protocol ours = {.struct_size = 0};
    const size_t least = offsetof(gpc_protocol, states);
    gpc_status status = gpci_take(&ours, sizeof ours, least, protocol, "gpc_protocol", error);
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
