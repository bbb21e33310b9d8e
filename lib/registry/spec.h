/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REGISTRY_SPEC_H
#define GPC_REGISTRY_SPEC_H

#include "base/base.h"

#define GPCI_MAX_ARGUMENTS 1024u

/* A policy as configuration text writes it: `name` or `name(arguments)`. Points into the text, which is cut up. */
typedef struct gpci_spec {
    const char *name;
    size_t name_length;
    char arguments[GPCI_MAX_ARGUMENTS]; /* trimmed, "" if there are none */
} gpci_spec;

gpc_status gpci_spec_parse(const char *text, gpci_spec *spec, gpc_error *error);

/* The parameters that a table declares. */
typedef struct gpci_parameters {
    const gpc_parameter *numbers;
    size_t number_count;
    const gpc_text_parameter *texts;
    size_t text_count;
} gpci_parameters;

/* Their values; `texts` point into `storage` or are the declared initial ones. */
typedef struct gpci_values {
    double numbers[GPC_MAX_PARAMETERS];
    const char *texts[GPC_MAX_PARAMETERS];
    uint32_t words[GPC_MAX_PARAMETERS]; /* which of its choices a text is */
    char storage[GPCI_MAX_ARGUMENTS], list[2 * GPCI_MAX_ARGUMENTS];
} gpci_values;

/*
 * Read `parameter=value, ...` and list items into `values`. A table of no parameters
 * leaves the arguments to the policy itself.
 */
gpc_status gpci_spec_values(const gpci_spec *spec, const gpci_parameters *parameters, gpci_values *values,
                            gpc_error *error);

/* The same where all parameters are numbers. */
gpc_status gpci_spec_parameters(const gpci_spec *spec, const gpc_parameter *parameters, size_t count, double *values,
                                gpc_error *error);

/*
 * The next of the items that commas separate, those within parentheses aside: cuts `*rest` after it, moves `*rest` on
 * (NULL after the last), and returns it trimmed.
 */
char *gpci_spec_next(char **rest);
/* The same with another separator. */
char *gpci_spec_cut(char **rest, char separator);

#endif
