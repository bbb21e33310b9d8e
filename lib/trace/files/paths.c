/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/files/paths.h"

#include "base/array.h"
#include "trace/files/fields.h"
#include "trace/files/line_reader.h"

#include <string.h>
#include <sys/stat.h>

char *gpci_join_part(gpc_context *context, const char *first, size_t length, const char *second) {
    size_t tail = strlen(second) + 1;
    char *joined = gpci_alloc(context, length + tail);
    if (!joined)
        return NULL;
    memcpy(joined, first, length);
    memcpy(joined + length, second, tail);
    return joined;
}

char *gpci_join(gpc_context *context, const char *first, const char *second) {
    return gpci_join_part(context, first, strlen(first), second);
}

size_t gpci_folder_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

bool gpci_is_standard_input(const char *path) {
    return !strcmp(path, "-");
}

const char *gpci_path_opened(const char *path) {
    return gpci_is_standard_input(path) ? "/dev/stdin" : path;
}

const char *gpci_path_shown(const char *path) {
    return gpci_is_standard_input(path) ? "standard input" : path;
}

bool gpci_is_folder(const char *path) {
    struct stat about;
    return !stat(path, &about) && S_ISDIR(about.st_mode);
}

uint64_t gpci_file_size(const char *path) {
    struct stat about;
    return !stat(gpci_path_opened(path), &about) && about.st_size > 0 ? (uint64_t)about.st_size : 0;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

int gpci_natural_order(const char *a, const char *b) {
    while (*a && *b) {
        if (is_digit(*a) && is_digit(*b)) {
            a += strspn(a, "0");
            b += strspn(b, "0");
            size_t in_a = strspn(a, "0123456789"), in_b = strspn(b, "0123456789");
            int order = in_a != in_b ? (in_a < in_b ? -1 : 1) : memcmp(a, b, in_a);
            if (order)
                return order;
            a += in_a;
            b += in_b;
        } else if (*a != *b) {
            break;
        } else {
            a++;
            b++;
        }
    }
    return (unsigned char)*a - (unsigned char)*b;
}

gpc_status gpci_find_file(gpc_context *context, const char *path, gpc_error *error, char **out) {
    size_t length = strlen(path);
    for (const char *const *suffix = gpci_input_suffixes + 1; *suffix; suffix++)
        if (gpci_ends_with(path, *suffix))
            length -= strlen(*suffix);
    *out = NULL;
    struct stat about;
    if (!stat(path, &about)) {
        *out = gpci_strdup(context, path);
        return *out ? GPC_OK : gpci_out_of_memory(error);
    }
    for (const char *const *suffix = gpci_input_suffixes; *suffix; suffix++) {
        char *candidate = gpci_join_part(context, path, length, *suffix);
        if (!candidate)
            return gpci_out_of_memory(error);
        if (!stat(candidate, &about)) {
            *out = candidate;
            return GPC_OK;
        }
        gpci_free(context, candidate);
    }
    return GPC_OK;
}

typedef struct placement {
    uint32_t *sms;
    size_t count, capacity;
} placement;

static gpc_status add_sm(gpc_context *context, placement *path, uint32_t sm, gpc_error *error) {
    if (!GPCI_ARRAY_RESERVE(context, path->sms, path->capacity, path->count, 1))
        return gpci_out_of_memory(error);
    path->sms[path->count++] = sm;
    return GPC_OK;
}

static gpc_status read_placement(gpci_lines *lines, placement *path, uint64_t block_count, gpc_error *error) {
    char *line, *stop;
    gpc_status status;
    while ((status = gpci_lines_next_text(lines, &line, &stop, error)) == GPC_OK) {
        uint64_t sm;
        const char *at = gpci_field_decimal(line, UINT32_MAX, &sm);
        if (!at || gpci_skip_blanks(at) != stop)
            return gpci_lines_expected(lines, error, "the number of an SM");
        if (path->count == block_count)
            return gpci_lines_expected(lines, error, "no more lines than the grid has thread blocks");
        status = add_sm(lines->context, path, (uint32_t)sm, error);
        if (status < 0)
            return status;
    }
    return status < 0 ? status : GPC_OK;
}

gpc_status gpci_placement_load(gpc_context *context, const char *traceg, uint64_t block_count, gpc_error *error,
                               uint32_t **out, uint64_t *count) {
    *out = NULL;
    *count = 0;
    const char *name = traceg + gpci_folder_length(traceg), *suffix = strstr(name, ".trace");
    if (!suffix)
        return GPC_OK;
    char *wanted = gpci_join_part(context, traceg, (size_t)(suffix - traceg), ".sm"), *found = NULL;
    if (!wanted)
        return gpci_out_of_memory(error);
    gpc_status status = gpci_find_file(context, wanted, error, &found);
    gpci_free(context, wanted);
    if (!found)
        return status;
    gpci_lines lines;
    placement path = {NULL, 0, 0};
    status = gpci_lines_open(&lines, context, found, error);
    if (status == GPC_OK) {
        status = read_placement(&lines, &path, block_count, error);
        gpci_lines_close(&lines);
    }
    gpci_free(context, found);
    if (status < 0 || !path.count) {
        gpci_free(context, path.sms);
        return status;
    }
    *out = path.sms;
    *count = path.count;
    return GPC_OK;
}
