/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_CORE_SPEC_H
#define GPC_CORE_SPEC_H

#include "core/core.h"

/* A policy as configuration text writes it: `name` or `name(arguments)`. Points into the text, which is cut up. */
typedef struct gpci_spec {
    const char *name;
    size_t name_length;
    char arguments[512]; /* trimmed, "" if there are none */
} gpci_spec;

gpc_status gpci_spec_parse(const char *text, gpci_spec *spec, gpc_error *error);

/*
 * Read `parameter=value, ...` into `values`, one per declared parameter. A table
 * of no parameters leaves the arguments to the policy itself.
 */
gpc_status gpci_spec_parameters(const gpci_spec *spec, const gpc_parameter *parameters, size_t count, double *values,
                                gpc_error *error);

#endif
