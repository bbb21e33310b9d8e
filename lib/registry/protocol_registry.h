/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REGISTRY_PROTOCOL_REGISTRY_H
#define GPC_REGISTRY_PROTOCOL_REGISTRY_H

#include "base/base.h"

#include <gpucache/coherence.h>

/* Built-in protocols, NULL-terminated; the list stands in policies/protocol/builtin_protocol.c. */
extern const gpc_protocol *const gpci_builtin_protocols[];

/* protocol_registry.c: those of a context, built-in ones first; one by name, the message naming the nearest where it is none. */
size_t gpci_protocol_count(const gpc_context *context);
const gpc_protocol *gpci_protocol_at(const gpc_context *context, size_t index, bool *builtin);
gpc_status gpci_protocol_named(const gpc_context *context, const char *name, gpc_error *error,
                               const gpc_protocol **out);
void gpci_protocols_free(gpc_context *context);

GPCI_INLINE const char *gpci_letters_of(const gpc_protocol *protocol) {
    return protocol->letters ? protocol->letters : "NMOESI";
}

/* policies/protocol/check_protocol.c: GPC_ERROR_ARGUMENT names place, state and event of the first cell that is missing or wrong. */
gpc_status gpci_protocol_check(const gpc_protocol *protocol, gpc_error *error);

#endif
