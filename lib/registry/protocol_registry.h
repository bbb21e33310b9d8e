/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REGISTRY_PROTOCOL_REGISTRY_H
#define GPC_REGISTRY_PROTOCOL_REGISTRY_H

#include "base/base.h"

#include <gpucache/ext/protocol.h>

/* Find a protocol by name. For an unknown name the message has the nearest known name. */
gpc_status gpci_protocol_named(const gpc_context *context, const char *name, gpc_error *error,
                               const gpc_protocol **out);

GPCI_INLINE const char *gpci_letters_of(const gpc_protocol *protocol) {
    return protocol->letters ? protocol->letters : "NMOESI";
}

GPCI_INLINE uint32_t gpci_states_of(const gpc_protocol *protocol) {
    return GPC_LINE_COUNT + protocol->state_count;
}

GPCI_INLINE uint32_t gpci_events_of(const gpc_protocol *protocol) {
    return GPC_EVENT_COUNT + protocol->event_count;
}

/* Standard event for an event: the event itself, or the standard event that an event of the protocol itself is like. */
GPCI_INLINE uint32_t gpci_like(const gpc_protocol *protocol, uint32_t event) {
    return event < GPC_EVENT_COUNT ? event : protocol->events[event - GPC_EVENT_COUNT].like;
}

/* Name of a state or an event, for messages. */
typedef struct gpci_state_name {
    char text[16];
} gpci_state_name;
gpci_state_name gpci_name_of_state(const gpc_protocol *protocol, uint32_t state);
gpci_state_name gpci_name_of_event(const gpc_protocol *protocol, uint32_t event);

/*
 * Check a protocol (check_protocol.c): GPC_ERROR_ARGUMENT names place, state and event of the first missing or wrong
 * cell.
 */
gpc_status gpci_protocol_check(const gpc_protocol *protocol, gpc_error *error);

#endif
