/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_PROTOCOL_PROTOCOLS_H
#define GPC_POLICIES_PROTOCOL_PROTOCOLS_H

#include "registry/protocol_registry.h"

#define POLICY(table, file) extern const gpc_protocol table;
#include "policies/protocol/list.def"
#undef POLICY

/* Built-in protocols of list.def, NULL-terminated (policies/builtin.c). */
extern const void *const gpci_builtin_protocols[];

/*
 * Cells of protocol tables, as in Table 2.5 of seeds/002. GPCI_READ(E, S): request a copy; the next state is E, or S if
 * other caches have copies.
 */
#define GPCI_HIT(state) \
    { GPC_DO_HIT, GPC_LINE_##state, GPC_LINE_##state }
#define GPCI_IGNORE(state) \
    { GPC_DO_IGNORE, GPC_LINE_##state, GPC_LINE_##state }
#define GPCI_FORBID \
    { GPC_DO_FORBID, GPC_LINE_I, GPC_LINE_I }
#define GPCI_READ(alone, shared) \
    { GPC_DO_READ_REQUEST, GPC_LINE_##alone, GPC_LINE_##shared }
#define GPCI_WRITE(state) \
    { GPC_DO_WRITE_REQUEST, GPC_LINE_##state, GPC_LINE_##state }
#define GPCI_DO(actions, state) \
    { (actions), GPC_LINE_##state, GPC_LINE_##state }

#endif
