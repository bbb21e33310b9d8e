/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_ERROR_H
#define GPUCACHE_ERROR_H

#include <gpucache/types.h>

GPC_BEGIN_DECLS

/*
 * Detail of a failed call, in storage of the caller. Each function that returns a gpc_status takes a `gpc_error *error`
 * last, which may be NULL. The library writes `error` only on failure. `message` names the file and line, the key or
 * the argument at fault, in a single line without a final full stop. Since: 0.1.
 */
typedef struct gpc_error {
    size_t struct_size; /* sizeof(gpc_error), set by GPC_ERROR_INIT */
    gpc_status status;  /* status returned by the call */
    char message[1012]; /* UTF-8, NUL-terminated, cut if too long */
} gpc_error;

#define GPC_ERROR_INIT               \
    {                                \
        sizeof(gpc_error), GPC_OK, { \
            0                        \
        }                            \
    }

GPC_END_DECLS

#endif
