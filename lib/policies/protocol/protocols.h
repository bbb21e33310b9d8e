/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_PROTOCOL_PROTOCOLS_H
#define GPC_POLICIES_PROTOCOL_PROTOCOLS_H

#include "base/base.h"

#include <gpucache/coherence.h>

/* Built-in protocols, NULL-terminated; the list stands in builtin.c. */
extern const gpc_protocol *const gpci_builtin_protocols[];

extern const gpc_protocol gpci_msi, gpci_mesi, gpci_mosi, gpci_moesi, gpci_nmoesi, gpci_nmoesi_multi2sim, gpci_vi,
    gpci_no_coherence, gpci_slc_glc;

/* register.c: those of a context, built-in ones first; one by name, the message naming the nearest where it is none. */
size_t gpci_protocol_count(const gpc_context *context);
const gpc_protocol *gpci_protocol_at(const gpc_context *context, size_t index, bool *builtin);
gpc_status gpci_protocol_named(const gpc_context *context, const char *name, gpc_error *error,
                               const gpc_protocol **out);
void gpci_protocols_free(gpc_context *context);

GPCI_INLINE const char *gpci_letters_of(const gpc_protocol *protocol) {
    return protocol->letters ? protocol->letters : "NMOESI";
}

/* check.c: GPC_ERROR_ARGUMENT names place, state and event of the first cell that is missing or wrong. */
gpc_status gpci_protocol_check(const gpc_protocol *protocol, gpc_error *error);

/*
 * Cells, to be read as those of Table 2.5: MISS(READ, E, S) asks for a copy and then is in E, or in S where others
 * have one.
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
