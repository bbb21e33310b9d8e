/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/file.h"
#include "base/text.h"
#include "config/config_object.h"
#include "config/presets.h"

#include <stdio.h>
#include <string.h>

#define MAX_INCLUDES 16

/* Text being read, and the chain of including texts. */
typedef struct source {
    const char *name; /* name for messages; for a file, the file's path */
    const struct source *parent;
    unsigned depth; /* depth of includes */
    bool is_file, is_preset;
    uint64_t device, inode;
    size_t line;
} source;

/* Fail with "name:line: what; included from name:line...". */
static gpc_status fail_at(const source *input, gpc_status status, gpc_error *error, const char *what) {
    gpc_error told = GPC_ERROR_INIT;
    gpci_fail(&told, status, "%s:%zu: %s", input->name, input->line, what);
    for (const source *from = input->parent; from; from = from->parent)
        gpci_fail(&told, status, "%s; included from %s:%zu", told.message, from->name, from->line);
    return gpci_fail(error, status, "%s", told.message);
}

static gpc_status read_lines(gpc_config *stage, char *text, source *input, gpc_error *error);

static gpc_status read_preset(gpc_config *stage, const char *name, const source *from, gpc_error *error) {
    if (!strcmp(name, "defaults")) {
        stage->preset = NULL;
        return gpci_config_reset(stage, error);
    }
    gpc_error reason = GPC_ERROR_INIT;
    const gpci_preset *preset;
    gpc_status status = gpci_preset_find(name, &preset, &reason);
    if (status < 0)
        return from ? fail_at(from, status, error, reason.message) : gpci_fail(error, status, "%s", reason.message);
    char *text = gpci_strdup(stage->context, preset->text);
    if (!text)
        return gpci_out_of_memory(error);
    source input = {.name = preset->path, .is_preset = true, .parent = from, .depth = from ? from->depth : 0};
    status = read_lines(stage, text, &input, error);
    stage->preset = preset->name; /* read_lines has set the name of the base preset, if the preset has a base preset */
    gpci_free(stage->context, text);
    return status;
}

static gpc_status read_file(gpc_config *stage, const char *path, const source *from, gpc_error *error);

/* Path of the included file: `path` is relative to the folder of the including file. */
static char *resolve(gpc_context *context, const char *path, const source *from) {
    const char *slash = from->is_file && *path != '/' ? strrchr(from->name, '/') : NULL;
    size_t folder = slash ? (size_t)(slash - from->name) + 1 : 0, length = strlen(path) + 1;
    char *joined = gpci_alloc(context, folder + length);
    if (joined) {
        memcpy(joined, from->name, folder);
        memcpy(joined + folder, path, length);
    }
    return joined;
}

static gpc_status include(gpc_config *stage, const char *path, const source *from, gpc_error *error) {
    if (!*path)
        return fail_at(from, GPC_ERROR_FORMAT, error, "include: names no file");
    if (from->depth == MAX_INCLUDES)
        return fail_at(from, GPC_ERROR_RANGE, error, "include: more than 16 deep");
    char *resolved = resolve(stage->context, path, from);
    if (!resolved)
        return gpci_out_of_memory(error);
    gpc_status status = read_file(stage, resolved, from, error);
    gpci_free(stage->context, resolved);
    return status;
}

/* Read a line without its line end: `key = value`, blank, or a comment. */
static gpc_status read_line(gpc_config *stage, char *line, source *input, gpc_error *error) {
    line[strcspn(line, "#")] = '\0';
    const char *start = line, *end = line + strlen(line);
    gpci_trim(&start, &end);
    if (start == end)
        return GPC_OK;
    line[end - line] = '\0';
    char *equals = strchr(line, '=');
    gpc_error reason = GPC_ERROR_INIT;
    if (!equals || equals == start) {
        gpci_fail(&reason, GPC_ERROR_FORMAT, "'%s' is not of the form key = value%s", gpci_quote(start).text,
                  *start == '-' ? ": options of GPGPU-Sim are imported (gpc_config_import_gpgpusim, --gpgpusim)" : "");
        return fail_at(input, GPC_ERROR_FORMAT, error, reason.message);
    }
    const char *value = equals + 1 + strspn(equals + 1, GPCI_BLANK), *key_end = equals;
    gpci_trim(&start, &key_end);
    line[key_end - line] = '\0';
    if (!strcmp(start, "include"))
        return include(stage, value, input, error);
    if (!strcmp(start, "preset"))
        return read_preset(stage, value, input, error);
    gpc_status status = input->is_preset ? gpci_config_assign_named(stage, start, value, &reason)
                                         : gpci_config_assign_own(stage, start, value, &reason);
    return status < 0 ? fail_at(input, status, error, reason.message) : status;
}

static gpc_status read_lines(gpc_config *stage, char *text, source *input, gpc_error *error) {
    if (!strncmp(text, "\xef\xbb\xbf", 3)) /* some editors write a byte order mark first */
        text += 3;
    for (char *line = text, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        input->line++;
        gpc_status status = read_line(stage, line, input, error);
        if (status < 0)
            return status;
    }
    return GPC_OK;
}

/* Fail for an include cycle: "a -> b -> a". */
static gpc_status fail_cycle(const source *from, const source *again, const char *path, gpc_error *error) {
    const source *chain[MAX_INCLUDES + 1];
    size_t n = 0;
    for (const source *input = from;; input = input->parent) {
        if (input->is_file)
            chain[n++] = input;
        if (input == again)
            break;
    }
    gpc_error told = GPC_ERROR_INIT;
    gpci_fail(&told, GPC_ERROR_FORMAT, "include: files include each other: ");
    while (n--)
        gpci_fail(&told, GPC_ERROR_FORMAT, "%s%s -> ", told.message, chain[n]->name);
    gpci_fail(&told, GPC_ERROR_FORMAT, "%s%s", told.message, path);
    return fail_at(from, GPC_ERROR_FORMAT, error, told.message);
}

static gpc_status read_file(gpc_config *stage, const char *path, const source *from, gpc_error *error) {
    gpci_file file;
    gpc_error reason = GPC_ERROR_INIT;
    gpc_status status = gpci_file_read(stage->context, path, &file, &reason);
    if (status < 0 && from) {
        gpci_fail(&reason, status, "include: %s", reason.message);
        return fail_at(from, status, error, reason.message);
    }
    if (status < 0)
        return gpci_fail(error, status, "%s", reason.message);
    source at = {.name = path,
                 .parent = from,
                 .depth = from ? from->depth + 1 : 0,
                 .is_file = true,
                 .device = file.device,
                 .inode = file.inode};
    for (const source *input = from; input && status == GPC_OK; input = input->parent)
        if (input->is_file && input->device == at.device && input->inode == at.inode)
            status = fail_cycle(from, input, path, error);
    if (status == GPC_OK)
        status = read_lines(stage, file.text, &at, error);
    gpci_free(stage->context, file.text);
    return status;
}

/* Commit or discard the stage; the last step of every loading function. */
static gpc_status settle(gpc_config *config, gpc_config *stage, gpc_status status) {
    if (status < 0)
        gpci_config_discard(stage);
    else
        gpci_config_commit(config, stage);
    return status;
}

gpc_status gpc_config_load_preset(gpc_config *config, const char *name, gpc_error *error) {
    if (!config || !name)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_config_load_preset: %s is NULL", config ? "name" : "config");
    gpc_config stage;
    gpci_config_stage(config, &stage);
    return settle(config, &stage, read_preset(&stage, name, NULL, error));
}

gpc_status gpc_config_load_file(gpc_config *config, const char *path, gpc_error *error) {
    if (!config || !path)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_config_load_file: %s is NULL", config ? "path" : "config");
    gpc_config stage;
    gpci_config_stage(config, &stage);
    return settle(config, &stage, read_file(&stage, path, NULL, error));
}

gpc_status gpc_config_load_text(gpc_config *config, const char *text, const char *name, gpc_error *error) {
    if (!config || !text)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_config_load_text: %s is NULL", config ? "text" : "config");
    char *copy = gpci_strdup(config->context, text);
    if (!copy)
        return gpci_out_of_memory(error);
    source input = {.name = name ? name : "text"};
    gpc_config stage;
    gpci_config_stage(config, &stage);
    gpc_status status = settle(config, &stage, read_lines(&stage, copy, &input, error));
    gpci_free(config->context, copy);
    return status;
}
