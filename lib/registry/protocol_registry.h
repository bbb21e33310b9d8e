/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REGISTRY_PROTOCOL_REGISTRY_H
#define GPC_REGISTRY_PROTOCOL_REGISTRY_H

#include "base/base.h"

#include <gpucache/protocol.h>

/* Built-in protocols, NULL-terminated: policies/builtin.c, from policies/protocol/list.def. */
extern const void *const gpci_builtin_protocols[];

/* One by name; the message names the nearest where there is none. */
gpc_status gpci_protocol_named(const gpc_context *context, const char *name, gpc_error *error,
                               const gpc_protocol **out);

GPCI_INLINE const char *gpci_letters_of(const gpc_protocol *protocol) {
    return protocol->letters ? protocol->letters : "NMOESI";
}

/*
 * policies/protocol/check_protocol.c: GPC_ERROR_ARGUMENT names place, state and event of the first cell that is missing
 * or wrong.
 */
gpc_status gpci_protocol_check(const gpc_protocol *protocol, gpc_error *error);

#endif
