/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/choice.h"

#include "base/array.h"
#include "trace/files/fields.h"
#include "trace/files/paths.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PLAIN_LENGTH 512

/* Names */

/* True if the pattern fits the name: `*` fits any text, `?` any single character. */
static bool fits(const char *pattern, const char *name) {
    const char *star = NULL, *from = NULL;
    while (*name) {
        if (*pattern == '*') {
            star = pattern++;
            from = name;
        } else if (*pattern == '?' || *pattern == *name) {
            pattern++;
            name++;
        } else if (star) {
            pattern = star + 1;
            name = ++from;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Copy the part of a mangled name at `at`. Returns the end of the part; NULL: no part, or too long. */
static const char *take_part(const char *at, char *out, size_t capacity) {
    at += *at == 'L';
    uint64_t length;
    const char *part = is_digit(*at) ? gpci_digits(at, PLAIN_LENGTH, &length) : NULL;
    if (!part || strlen(part) < length)
        return NULL;
    const bool anonymous = !strncmp(part, "_GLOBAL__N_", 11);
    const int written =
        anonymous ? snprintf(out, capacity, "(anonymous)") : snprintf(out, capacity, "%.*s", (int)length, part);
    return written >= 0 && (size_t)written < capacity ? part + length : NULL;
}

/* Plain name: "net::relu" of _ZN3net4reluEPfS0_i. Other names stay unchanged. */
static const char *plain_name(const char *mangled, char *out, size_t size) {
    if (strncmp(mangled, "_Z", 2) != 0)
        return mangled;
    const bool nested = mangled[2] == 'N';
    const char *at = mangled + 2 + nested;
    at += strspn(at, "rVK");
    size_t length = 0;
    do {
        const size_t mark = length ? 2 : 0;
        if (length + mark >= size)
            return mangled;
        const char *next = take_part(at, out + length + mark, size - length - mark);
        if (!next && (!length || is_digit(at[*at == 'L'])))
            return mangled;
        if (!next)
            break;
        memcpy(out + length, "::", mark);
        length += mark + strlen(out + length + mark);
        at = next;
    } while (nested);
    out[length] = 0;
    return out;
}

/* Reading */

static gpc_status refuse(const gpci_choice *choice, const gpci_chosen *item, const char *what, gpc_error *error) {
    return gpci_fail(error, GPC_ERROR_ARGUMENT, "kernels \"%.*s\": %s", (int)item->length, choice->text + item->at,
                     what);
}

/* Read a number or a range: "3", "5-8", "5-" or "-8". */
static gpc_status read_range(const gpci_choice *choice, gpci_chosen *item, gpc_error *error) {
    static const char expected[] = "expected a number from 1 on, or a range such as 5-8, 5- or -8";
    const char *at = choice->text + item->at, *stop = at + item->length;
    item->first = 1;
    item->last = UINT64_MAX;
    const bool open_begin = *at == '-';
    if (!open_begin && !(at = gpci_digits(at, UINT64_MAX - 1, &item->first)))
        return refuse(choice, item, expected, error);
    if (at == stop)
        item->last = item->first;
    else if (at + 1 < stop && !(at = gpci_digits(at + 1, UINT64_MAX - 1, &item->last)))
        return refuse(choice, item, expected, error);
    else if (at + 1 == stop && !open_begin)
        at++;
    if (at != stop || !item->first || !item->last)
        return refuse(choice, item, expected, error);
    if (item->last < item->first)
        return refuse(choice, item, "the range ends before it begins", error);
    return GPC_OK;
}

static gpc_status read_item(gpci_choice *choice, gpc_context *context, gpci_chosen item, gpc_error *error) {
    const char *text = choice->text + item.at;
    if (!item.length)
        return gpci_fail(error, GPC_ERROR_ARGUMENT,
                         "kernels \"%s\": expected numbers, ranges and names with commas between", choice->text);
    gpc_status status = GPC_OK;
    if (strspn(text, "0123456789-") >= item.length)
        status = read_range(choice, &item, error);
    else if (!(item.name = gpci_join_part(context, text, item.length, "")))
        status = gpci_out_of_memory(error);
    if (status == GPC_OK && !GPCI_ARRAY_RESERVE(context, choice->items, choice->capacity, choice->count, 1)) {
        gpci_free(context, item.name);
        status = gpci_out_of_memory(error);
    }
    if (status < 0)
        return status;
    choice->names |= item.name != NULL;
    choice->last = item.last > choice->last ? item.last : choice->last;
    choice->items[choice->count++] = item;
    return GPC_OK;
}

gpc_status gpci_choice_read(gpci_choice *choice, gpc_context *context, const char *text, gpc_error *error) {
    *choice = (gpci_choice){.text = gpci_strdup(context, text)};
    if (!choice->text)
        return gpci_out_of_memory(error);
    gpc_status status = GPC_OK;
    for (size_t at = 0; status == GPC_OK;) {
        const size_t stop = at + strcspn(text + at, ",");
        gpci_chosen item = {.at = at, .length = stop - at};
        for (; item.length && gpci_is_blank(text[item.at]); item.length--)
            item.at++;
        while (item.length && gpci_is_blank(text[item.at + item.length - 1]))
            item.length--;
        status = read_item(choice, context, item, error);
        if (!text[stop])
            break;
        at = stop + 1;
    }
    if (status < 0)
        gpci_choice_clear(choice, context);
    return status;
}

void gpci_choice_clear(gpci_choice *choice, gpc_context *context) {
    for (size_t i = 0; i < choice->count; i++)
        gpci_free(context, choice->items[i].name);
    gpci_free(context, choice->items);
    gpci_free(context, choice->text);
    memset(choice, 0, sizeof *choice);
}

/* Kernels */

static bool has_number(const gpci_chosen *item, uint64_t number) {
    return !item->name && number >= item->first && number <= item->last;
}

bool gpci_choice_has_number(const gpci_choice *choice, uint64_t number) {
    bool has = false;
    for (size_t i = 0; i < choice->count; i++)
        has |= has_number(&choice->items[i], number);
    return has;
}

/* Keep a name once for the error message, if the buffer has room. */
static void know(gpci_choice *choice, const char *name) {
    const size_t had = strlen(choice->known), length = strlen(name);
    for (const char *same = choice->known; (same = strstr(same, name)); same++)
        if ((same == choice->known || same[-1] == ' ') && (!same[length] || same[length] == ','))
            return;
    if (had + length + 3 > sizeof choice->known) {
        choice->more = true;
        return;
    }
    const size_t comma = had ? 2 : 0;
    memcpy(choice->known + had, ", ", comma);
    memcpy(choice->known + had + comma, name, length + 1);
}

bool gpci_choice_takes(gpci_choice *choice, uint64_t number, const char *name) {
    char capacity[PLAIN_LENGTH];
    const char *plain = choice->names ? plain_name(name, capacity, sizeof capacity) : NULL;
    bool chosen = !choice->count;
    for (size_t i = 0; i < choice->count; i++) {
        gpci_chosen *item = &choice->items[i];
        const bool has = item->name ? fits(item->name, name) || fits(item->name, plain) : has_number(item, number);
        item->kernels += has;
        chosen |= has;
    }
    if (choice->names)
        know(choice, plain);
    return chosen;
}

static gpc_status refuse_number(const gpci_choice *choice, const gpci_chosen *item, const char *what, uint64_t kernels,
                                gpc_error *error) {
    return gpci_fail(error, GPC_ERROR_NOT_FOUND, "kernels \"%.*s\": %s has %" PRIu64 ", counted from 1",
                     (int)item->length, choice->text + item->at, what, kernels);
}

gpc_status gpci_choice_check_count(const gpci_choice *choice, const char *what, uint64_t kernels, gpc_error *error) {
    for (size_t i = 0; i < choice->count; i++)
        if (!choice->items[i].name && choice->items[i].first > kernels)
            return refuse_number(choice, &choice->items[i], what, kernels, error);
    return GPC_OK;
}

gpc_status gpci_choice_end(const gpci_choice *choice, gpc_context *context, const char *what, uint64_t kernels,
                           gpc_error *error) {
    for (size_t i = 0; i < choice->count; i++) {
        const gpci_chosen *item = &choice->items[i];
        if (!item->kernels && item->name)
            return gpci_fail(error, GPC_ERROR_NOT_FOUND, "kernels \"%s\": %s has no kernel of this name; it has %s%s",
                             item->name, what, *choice->known ? choice->known : "none",
                             choice->more ? " and others" : "");
        if (!item->kernels)
            return refuse_number(choice, item, what, kernels, error);
        if (!item->name && item->last > kernels && item->last != UINT64_MAX)
            gpci_log(context, GPC_LOG_WARNING, "kernels \"%.*s\": %s has %" PRIu64, (int)item->length,
                     choice->text + item->at, what, kernels);
    }
    return GPC_OK;
}
