/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REGISTRY_SPEC_H
#define GPC_REGISTRY_SPEC_H

#include "base/base.h"

#define GPCI_MAX_ARGUMENTS 1024u

/* A policy in configuration text: `name` or `name(arguments)`. `name` points into the text. */
typedef struct gpci_spec {
    const char *name;
    size_t name_length;
    char arguments[GPCI_MAX_ARGUMENTS]; /* trimmed; "" without arguments */
} gpci_spec;

gpc_status gpci_spec_parse(const char *text, gpci_spec *spec, gpc_error *error);

/* Parameters declared by a table. */
typedef struct gpci_parameters {
    const gpc_parameter *numbers;
    size_t number_count;
    const gpc_text_parameter *texts;
    size_t text_count;
} gpci_parameters;

/*
 * Values of parameters. The elements of `texts` point into `storage` (a copy of the arguments), point to `list` (the
 * joined elements of a list), or are the declared initial texts.
 */
typedef struct gpci_values {
    double numbers[GPC_MAX_PARAMETERS];
    const char *texts[GPC_MAX_PARAMETERS];
    uint32_t words[GPC_MAX_PARAMETERS]; /* index of a text in its choices */
    char storage[GPCI_MAX_ARGUMENTS], list[2 * GPCI_MAX_ARGUMENTS];
} gpci_values;

/*
 * Read `parameter=value, ...` and list items into `values`. If a table has no parameters, the policy itself reads the
 * arguments.
 */
gpc_status gpci_spec_values(const gpci_spec *spec, const gpci_parameters *parameters, gpci_values *values,
                            gpc_error *error);

/* Read values if all parameters are numbers. */
gpc_status gpci_spec_parameters(const gpci_spec *spec, const gpc_parameter *parameters, size_t count, double *values,
                                gpc_error *error);

/*
 * Cut the next item off a list separated by commas; commas within parentheses do not separate. Returns the item
 * trimmed, and moves `*rest` behind the item (NULL after the last item).
 */
char *gpci_spec_next(char **rest);
/* As gpci_spec_next, with another separator. */
char *gpci_spec_cut(char **rest, char separator);

#endif
