/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/throttle/pcal_kernels.h"

#include "base/file.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#define MOST 1024

/* Read an integer in front of a blank. Returns the text behind the blanks, or NULL. */
static const char *read_number(const char *text, long least, long *out) {
    char *end;
    *out = strtol(text, &end, 10);
    if (end == text || *out < least || *out > MOST || !*end || !strchr(" \t", *end))
        return NULL;
    return end + strspn(end, " \t");
}

static bool read_row(const char *start, const char *end, gpci_pcal_row *row) {
    long warps, ebt;
    const char *name = read_number(start, 0, &warps);
    name = name ? read_number(name, -MOST, &ebt) : NULL;
    if (!name || name >= end)
        return false;
    row->begins = end[-1] == '*';
    row->name = name;
    row->length = (size_t)(end - name) - row->begins;
    row->warps = (uint32_t)warps;
    row->ebt = (int32_t)ebt;
    return true;
}

static size_t count_lines(const char *text) {
    size_t lines = 1;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

/* Read the rows. Returns 0, or the number of the first invalid line. */
static size_t read_rows(gpci_pcal_rows *rows) {
    char *line = rows->text;
    for (size_t number = 1; line; number++) {
        char *after = strchr(line, '\n');
        const char *start = line, *end = after ? after : line + strlen(line);
        gpci_trim(&start, &end);
        line[end - line] = 0; /* read_number stops at the line's end */
        if (start < end && *start != '#' && !read_row(start, end, &rows->of[rows->count++]))
            return number;
        line = after ? after + 1 : NULL;
    }
    return 0;
}

static void drop(gpci_pcal_rows *rows, gpc_context *context) {
    gpci_free(context, rows->text);
    gpci_free(context, rows->of);
    *rows = (gpci_pcal_rows){0};
}

static gpc_status load(gpci_pcal_rows *rows, gpc_context *context, const char *path, char *message) {
    gpc_error error = GPC_ERROR_INIT;
    gpci_file file;
    gpc_status status = gpci_file_read(context, path, &file, &error);
    if (status < 0)
        return gpci_policy_refuse(message, status, "kernels: %.200s", error.message);
    rows->text = file.text;
    rows->of = gpci_zalloc(context, count_lines(file.text), sizeof *rows->of);
    size_t wrong = rows->of ? read_rows(rows) : 0;
    if (rows->of && !wrong)
        return GPC_OK;
    drop(rows, context);
    if (!wrong)
        return GPC_ERROR_MEMORY;
    return gpci_policy_refuse(message, GPC_ERROR_FORMAT,
                              "%.150s:%zu: expected warp-opt (0 to %d), EBTNum (-%d to %d) and a kernel's name", path,
                              wrong, MOST, MOST, MOST);
}

gpc_status gpci_pcal_rows_take(gpci_pcal_rows *rows, gpc_context *context, const char *file, char *message) {
    gpc_status status = rows->users ? GPC_OK : load(rows, context, file, message);
    rows->users += status == GPC_OK;
    return status;
}

void gpci_pcal_rows_leave(gpci_pcal_rows *rows, gpc_context *context) {
    if (!--rows->users)
        drop(rows, context);
}

const gpci_pcal_row *gpci_pcal_rows_find(const gpci_pcal_rows *rows, const char *name) {
    size_t length = strlen(name);
    for (size_t i = 0; i < rows->count; i++) {
        const gpci_pcal_row *row = &rows->of[i];
        if ((row->begins ? row->length <= length : row->length == length) && !memcmp(row->name, name, row->length))
            return row;
    }
    return NULL;
}

static uint64_t hash_of(const char *name) {
    uint64_t hash = 0;
    for (; *name; name++)
        hash = gpci_mix(hash ^ (uint8_t)*name);
    return hash | 1; /* never 0: 0 means a free place */
}

static gpci_pcal_choice *find(gpci_pcal_memory *memory, uint64_t name) {
    for (uint32_t i = 0; i < GPCI_PCAL_REMEMBERED; i++)
        if (memory->names[i] == name)
            return &memory->of[i];
    return NULL;
}

static void keep(gpci_pcal_memory *memory, const gpci_pcal *predictor) {
    gpci_pcal_choice choice, *place = find(memory, memory->running);
    if (!gpci_pcal_settled(predictor, &choice))
        return;
    if (!place) {
        memory->names[memory->next] = memory->running;
        place = &memory->of[memory->next];
        memory->next = (memory->next + 1) % GPCI_PCAL_REMEMBERED;
    }
    *place = choice;
}

void gpci_pcal_memory_kernel(gpci_pcal_memory *memory, gpci_pcal *predictor, const char *name) {
    if (memory->running)
        keep(memory, predictor);
    memory->running = name ? hash_of(name) : 0;
    if (memory->running)
        gpci_pcal_begin(predictor, find(memory, memory->running));
}
