/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_ERROR_H
#define GPUCACHE_ERROR_H

#include <gpucache/types.h>

GPC_BEGIN_DECLS

/*
 * Detail of a failed call, in storage of the caller. Every function that can
 * fail for a reason worth a sentence takes `gpc_error *error`, which may be
 * NULL. It is written only on failure; `message` names the file and line, the
 * key or the argument at fault, in one line without a final full stop.
 * Since: 0.1.
 */
typedef struct gpc_error {
    size_t struct_size; /* sizeof(gpc_error), set by GPC_ERROR_INIT */
    gpc_status status;  /* what the call returned */
    char message[1012]; /* UTF-8, NUL-terminated, cut where it would be longer */
} gpc_error;

#define GPC_ERROR_INIT               \
    {                                \
        sizeof(gpc_error), GPC_OK, { \
            0                        \
        }                            \
    }

/*
 * Make `error` what GPC_ERROR_INIT makes it; for callers that cannot use macros.
 * Thread rule: any thread, on its own object. Since: 0.1.
 */
GPC_API void gpc_error_init(gpc_error *error);

GPC_END_DECLS

#endif
