/* SPDX-License-Identifier: BSD-2-Clause */
#include "registry/spec.h"

#include "base/text.h"
#include "registry/registry.h"

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

static const char *parameter_name(const void *data, size_t index) {
    const gpci_parameters *parameters = data;
    return index < parameters->number_count ? parameters->numbers[index].name
                                            : parameters->texts[index - parameters->number_count].name;
}

static gpc_status read_number(const char *text, const gpc_parameter *parameter, double *value, gpc_error *error) {
    double v;
    const char *end = gpci_read_decimal(text, &v);
    bool found = end != text;
    end += strspn(end, GPCI_BLANK);
    if (!found || *end || !isfinite(v))
        return gpci_fail(error, GPC_ERROR_FORMAT, "parameter '%s': '%s' is not a number", parameter->name, text);
    if (parameter->whole && v != floor(v))
        return gpci_fail(error, GPC_ERROR_FORMAT, "parameter '%s': %s is not a whole number", parameter->name, text);
    if (v < parameter->minimum || v > parameter->maximum)
        return gpci_fail(error, GPC_ERROR_RANGE, "parameter '%s': %s is not between %.15g and %.15g", parameter->name,
                         text, parameter->minimum, parameter->maximum);
    *value = v;
    return GPC_OK;
}

/* Find the index of `word` in `choices`, a text like "this|that"; false if absent. */
static bool find_word(const char *choices, const char *word, uint32_t *out) {
    size_t length = strlen(word);
    uint32_t index = 0;
    for (const char *at = choices; at; at = strchr(at, '|'), index++) {
        at += *at == '|';
        if (strcspn(at, "|") == length && !memcmp(at, word, length)) {
            *out = index;
            return true;
        }
    }
    return false;
}

static gpc_status read_text(const char *text, const gpc_text_parameter *parameter, gpci_values *values, size_t index,
                            gpc_error *error) {
    if (parameter->choices && !find_word(parameter->choices, text, &values->words[index]))
        return gpci_fail(error, GPC_ERROR_FORMAT, "parameter '%s': '%s' is none of %s", parameter->name, text,
                         parameter->choices);
    values->texts[index] = text;
    return GPC_OK;
}

static gpc_status add_to_list(const char *item, const gpci_parameters *parameters, gpci_values *values,
                              gpc_error *error) {
    for (size_t i = 0; i < parameters->text_count; i++) {
        if (parameters->texts[i].name[0])
            continue;
        size_t length = strlen(values->list);
        snprintf(values->list + length, sizeof values->list - length, "%s%s", length ? ", " : "", item);
        values->texts[i] = values->list;
        return GPC_OK;
    }
    return gpci_fail(error, GPC_ERROR_FORMAT, "'%s' is not of the form parameter=value", item);
}

static gpc_status read_item(char *item, const gpci_parameters *parameters, gpci_values *values, gpc_error *error) {
    size_t name_length = strcspn(item, "=(");
    if (item[name_length] != '=')
        return add_to_list(item, parameters, values, error);
    char *value = item + name_length + 1;
    value += strspn(value, GPCI_BLANK);
    while (name_length && strchr(GPCI_BLANK, item[name_length - 1]))
        name_length--;
    item[name_length] = '\0';
    for (size_t i = 0; i < parameters->number_count; i++)
        if (!strcmp(parameters->numbers[i].name, item))
            return read_number(value, &parameters->numbers[i], &values->numbers[i], error);
    for (size_t i = 0; i < parameters->text_count && *item; i++)
        if (!strcmp(parameters->texts[i].name, item))
            return read_text(value, &parameters->texts[i], values, i, error);
    const char *nearest =
        gpci_nearest(item, parameters->number_count + parameters->text_count, parameter_name, parameters);
    return gpci_fail(error, GPC_ERROR_NOT_FOUND, "unknown parameter '%s'%s%s%s", item,
                     nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

char *gpci_spec_next(char **rest) {
    return gpci_spec_cut(rest, ',');
}

char *gpci_spec_cut(char **rest, char separator) {
    char *item = *rest + strspn(*rest, GPCI_BLANK), *end = item;
    for (unsigned depth = 0; *end && (depth || *end != separator); end++) {
        depth += *end == '(';
        depth -= *end == ')' && depth;
    }
    *rest = *end ? end + 1 : NULL;
    *end = '\0';
    while (end > item && strchr(GPCI_BLANK, end[-1]))
        *--end = '\0';
    return item;
}

gpc_status gpci_spec_values(const gpci_spec *spec, const gpci_parameters *parameters, gpci_values *values,
                            gpc_error *error) {
    values->list[0] = '\0';
    for (size_t i = 0; i < parameters->number_count; i++)
        values->numbers[i] = parameters->numbers[i].initial;
    for (size_t i = 0; i < parameters->text_count; i++) {
        const gpc_text_parameter *parameter = &parameters->texts[i];
        values->texts[i] = parameter->initial;
        values->words[i] = 0;
        if (parameter->choices)
            find_word(parameter->choices, parameter->initial, &values->words[i]);
    }
    if (!(parameters->number_count + parameters->text_count) || !spec->arguments[0])
        return GPC_OK;
    snprintf(values->storage, sizeof values->storage, "%s", spec->arguments);
    for (char *rest = values->storage; rest;) {
        gpc_status status = read_item(gpci_spec_next(&rest), parameters, values, error);
        if (status < 0)
            return status;
    }
    return GPC_OK;
}

gpc_status gpci_spec_parameters(const gpci_spec *spec, const gpc_parameter *parameters, size_t count, double *values,
                                gpc_error *error) {
    gpci_values all;
    gpci_parameters numbers = {.numbers = parameters, .number_count = count};
    gpc_status status = gpci_spec_values(spec, &numbers, &all, error);
    for (size_t i = 0; i < count && status == GPC_OK; i++)
        values[i] = all.numbers[i];
    return status;
}

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/*
 * Levenshtein distance, without regard to case. SIZE_MAX if the difference of the lengths is already `limit` or more,
 * or if `b` is too long.
 */
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
            size_t cost = diagonal + (lower(a[i]) != lower(b[j]));
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
