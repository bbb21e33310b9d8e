/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

gpci_text gpci_text_of(char *buffer, size_t size) {
    gpci_text text = {.buffer = buffer, .size = buffer ? size : 0};
    if (text.size)
        *buffer = '\0';
    return text;
}

void gpci_text_bytes(gpci_text *text, const char *bytes, size_t length) {
    if (text->write) {
        if (text->status == GPC_OK)
            text->status = text->write(text->data, bytes, length);
    } else if (text->length + 1 < text->size) {
        size_t room = text->size - text->length - 1, part = length < room ? length : room;
        memcpy(text->buffer + text->length, bytes, part);
        text->buffer[text->length + part] = '\0';
    }
    text->length += length;
}

void gpci_text_put(gpci_text *text, const char *format, ...) {
    char piece[GPCI_TEXT_PIECE];
    size_t room = text->length < text->size ? text->size - text->length : 0;
    va_list arguments;
    va_start(arguments, format);
    int wrote = text->write ? vsnprintf(piece, sizeof piece, format, arguments)
                            : vsnprintf(room ? text->buffer + text->length : NULL, room, format, arguments);
    va_end(arguments);
    size_t length = wrote > 0 ? (size_t)wrote : 0;
    if (!text->write)
        text->length += length;
    else if (length < sizeof piece)
        gpci_text_bytes(text, piece, length);
    else if (text->status == GPC_OK)
        text->status = GPC_ERROR_RANGE;
}

void gpci_text_json(gpci_text *text, const char *string) {
    gpci_text_bytes(text, "\"", 1);
    for (const char *plain = string;; string++) {
        if ((unsigned char)*string >= ' ' && *string != '"' && *string != '\\')
            continue;
        gpci_text_bytes(text, plain, (size_t)(string - plain));
        if (!*string)
            break;
        gpci_text_put(text, (unsigned char)*string < ' ' ? "\\u%04x" : "\\%c", *string);
        plain = string + 1;
    }
    gpci_text_bytes(text, "\"", 1);
}

void gpci_text_numbers(gpci_text *text, const uint64_t *values, size_t count) {
    gpci_text_bytes(text, "[", 1);
    for (size_t i = 0; i < count; i++)
        gpci_text_put(text, "%s%" PRIu64, i ? ", " : "", values[i]);
    gpci_text_bytes(text, "]", 1);
}

void gpci_text_millionths(gpci_text *text, uint64_t millionths) {
    gpci_text_put(text, "%" PRIu64 ".%06" PRIu64, millionths / 1000000, millionths % 1000000);
}

/*
 * Next decimal digit of *rest / under: the quotient of *rest x 10 / under; *rest becomes the remainder. The product
 * could overflow, and so is computed by ten additions modulo `under`.
 */
static int next_digit(uint64_t *rest, uint64_t under) {
    uint64_t sum = 0;
    int digit = 0;
    for (int i = 0; i < 10; i++) {
        bool wraps = sum >= under - *rest;
        sum = wraps ? sum - (under - *rest) : sum + *rest;
        digit += wraps;
    }
    *rest = sum;
    return digit;
}

void gpci_text_ratio(gpci_text *text, uint64_t over, uint64_t under) {
    uint64_t rest = over % under;
    gpci_text_put(text, "%" PRIu64 ".", over / under);
    for (int i = 0; i < 6; i++)
        gpci_text_put(text, "%d", next_digit(&rest, under));
}

gpc_status gpci_text_end(const gpci_text *text, size_t *out_length) {
    if (out_length)
        *out_length = text->length;
    if (text->status < 0)
        return text->status;
    return text->buffer && text->length >= text->size ? GPC_ERROR_RANGE : GPC_OK;
}
