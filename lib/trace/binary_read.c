/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/sources.h"
gpc_status gpci_binary_open(gpc_context *context, gpci_opcodes *opcodes, const char *path, gpc_error *error,
                            gpci_source **out) {
    (void)context,(void)opcodes,(void)out;
    return gpci_fail(error, GPC_ERROR_UNSUPPORTED, "%s", path);
}
