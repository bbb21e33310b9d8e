/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/source.h"

gpc_status gpci_synthetic_open(gpc_context *context, gpci_opcodes *opcodes, const char *name, gpc_error *error,
                               gpci_source **out) {
    (void)context, (void)opcodes, (void)out;
    return gpci_fail(error, GPC_ERROR_NOT_FOUND, "no synthetic kernel is named '%s'", name);
}

size_t gpc_synthetic_count(void) {
    return 0;
}

gpc_status gpc_synthetic_at(size_t index, const char **name, const char **summary, uint64_t *size) {
    (void)index, (void)name, (void)summary, (void)size;
    return GPC_ERROR_RANGE;
}
