/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/spec.h"

#include "core/registry.h"
#include "core/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

gpc_status gpci_spec_parse(const char *text, gpci_spec *spec, gpc_error *error) {
    const char *start = text + strspn(text, GPCI_BLANK);
    size_t name_length = strcspn(start, "( \t\r\n");
    if (!name_length)
        return gpci_fail(error, GPC_ERROR_FORMAT, "'%s' names no policy", text);
    spec->name = start;
    spec->name_length = name_length;
    spec->arguments[0] = '\0';
    const char *rest = start + name_length;
    rest += strspn(rest, GPCI_BLANK);
    if (!*rest)
        return GPC_OK;
    const char *end = rest + strlen(rest);
    while (end > rest && strchr(GPCI_BLANK, end[-1]))
        end--;
    if (*rest != '(' || end[-1] != ')')
        return gpci_fail(error, GPC_ERROR_FORMAT, "'%s' is not of the form name(parameter=value, ...)", text);
    rest += 1 + strspn(rest + 1, GPCI_BLANK);
    end--;
    while (end > rest && strchr(GPCI_BLANK, end[-1]))
        end--;
    if (end < rest)
        end = rest;
    if ((size_t)(end - rest) >= sizeof spec->arguments)
        return gpci_fail(error, GPC_ERROR_RANGE, "the arguments of '%.*s' are longer than %zu characters",
                         (int)name_length, start, sizeof spec->arguments - 1);
    memcpy(spec->arguments, rest, (size_t)(end - rest));
    spec->arguments[end - rest] = '\0';
    return GPC_OK;
}

typedef struct parameter_list {
    const gpc_parameter *parameters;
} parameter_list;

static const char *parameter_name(const void *data, size_t index) {
    return ((const parameter_list *)data)->parameters[index].name;
}

static gpc_status read_value(const char *text, const gpc_parameter *p, double *value, gpc_error *error) {
    double v;
    const char *end = gpci_read_decimal(text, &v);
    bool found = end != text;
    end += strspn(end, GPCI_BLANK);
    if (!found || *end || !isfinite(v))
        return gpci_fail(error, GPC_ERROR_FORMAT, "parameter '%s': '%s' is not a number", p->name, text);
    if (p->whole && v != floor(v))
        return gpci_fail(error, GPC_ERROR_FORMAT, "parameter '%s': %s is not a whole number", p->name, text);
    if (v < p->minimum || v > p->maximum)
        return gpci_fail(error, GPC_ERROR_RANGE, "parameter '%s': %s is not between %g and %g", p->name, text,
                         p->minimum, p->maximum);
    *value = v;
    return GPC_OK;
}

static gpc_status read_pair(char *pair, const gpc_parameter *parameters, size_t count, double *values,
                            gpc_error *error) {
    char *equals = strchr(pair, '=');
    pair += strspn(pair, GPCI_BLANK);
    if (!equals)
        return gpci_fail(error, GPC_ERROR_FORMAT, "'%s' is not of the form parameter=value", pair);
    char *value = equals + 1 + strspn(equals + 1, GPCI_BLANK);
    while (equals > pair && strchr(GPCI_BLANK, equals[-1]))
        equals--;
    *equals = '\0';
    for (size_t i = 0; i < count; i++)
        if (!strcmp(parameters[i].name, pair))
            return read_value(value, &parameters[i], &values[i], error);
    parameter_list list = {parameters};
    const char *nearest = gpci_nearest(pair, count, parameter_name, &list);
    return gpci_fail(error, GPC_ERROR_NOT_FOUND, "unknown parameter '%s'%s%s%s", pair,
                     nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

gpc_status gpci_spec_parameters(const gpci_spec *spec, const gpc_parameter *parameters, size_t count, double *values,
                                gpc_error *error) {
    for (size_t i = 0; i < count; i++)
        values[i] = parameters[i].initial;
    if (!count || !spec->arguments[0])
        return GPC_OK;
    char text[sizeof spec->arguments];
    snprintf(text, sizeof text, "%s", spec->arguments);
    for (char *pair = text, *next; pair; pair = next) {
        next = strchr(pair, ',');
        if (next)
            *next++ = '\0';
        gpc_status status = read_pair(pair, parameters, count, values, error);
        if (status < 0)
            return status;
    }
    return GPC_OK;
}

/* Levenshtein distance, or SIZE_MAX where it is at least `limit` for the lengths alone. */
static size_t edits(const char *a, size_t a_length, const char *b, size_t limit) {
    size_t row[72], length = strlen(b);
    size_t difference = length > a_length ? length - a_length : a_length - length;
    if (length >= sizeof row / sizeof row[0] || difference >= limit)
        return SIZE_MAX;
    for (size_t j = 0; j <= length; j++)
        row[j] = j;
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < length; j++) {
            size_t cost = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            if (cost > diagonal + 1)
                cost = diagonal + 1;
            if (cost > row[j] + 1)
                cost = row[j] + 1;
            row[j + 1] = cost;
        }
    }
    return row[length];
}

const char *gpci_nearest(const char *name, size_t count, const char *(*at)(const void *data, size_t index),
                         const void *data) {
    const char *nearest = NULL;
    size_t length = strlen(name), best = length / 3 + 2;
    for (size_t i = 0; i < count; i++) {
        size_t distance = edits(name, length, at(data, i), best);
        if (distance < best) {
            best = distance;
            nearest = at(data, i);
        }
    }
    return nearest;
}
