/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/array.h"
#include "trace/blocks/notes.h"
#include "trace/files/fields.h"
#include "trace/files/line_reader.h"
#include "trace/files/paths.h"
#include "trace/sources.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST_WORD 40u /* bytes of a word in a note */

/* A command of a kernelslist.g: a kernel's file, or, with path NULL, a copy to the device. */
typedef struct command {
    char *path;
    uint64_t bytes, address;
} command;

typedef struct list_source {
    gpci_source base;
    command *commands;
    size_t count, capacity, next;
    size_t copies; /* first command behind the last kernel given to the caller */
    uint64_t kernels;
    uint64_t total_bytes, done_bytes, open_bytes; /* bytes of kernels' files: all, already read, being read */
    gpci_source *open;                            /* source of the kernel being read */
} list_source;

static list_source *of(gpci_source *source) {
    return (list_source *)source;
}

static gpc_status add(list_source *list, command line, gpc_error *error) {
    if (!GPCI_ARRAY_RESERVE(list->base.context, list->commands, list->capacity, list->count, 1)) {
        gpci_free(list->base.context, line.path);
        return gpci_out_of_memory(error);
    }
    list->commands[list->count++] = line;
    if (line.path) {
        list->kernels++;
        list->total_bytes += line.bytes;
    }
    return GPC_OK;
}

/* Add a kernel's file. The list may omit the decompressor's suffix. */
static gpc_status add_kernel(list_source *list, const char *path, const char *where, uint64_t line, gpc_error *error) {
    char *found;
    gpc_status status = gpci_find_file(list->base.context, path, error, &found);
    if (status < 0)
        return status;
    if (!found)
        return gpci_fail(error, GPC_ERROR_NOT_FOUND, "%s:%" PRIu64 ": there is no file %s", where, line, path);
    return add(list, (command){found, gpci_file_size(found), 0}, error);
}

/* Read "MemcpyHtoD,0x<address>,<bytes>". */
static gpc_status take_copy(list_source *list, gpci_lines *lines, char *line, char *stop, gpc_error *error) {
    command copy = {0};
    char *comma = memchr(line, ',', (size_t)(stop - line));
    char *second = comma ? memchr(comma + 1, ',', (size_t)(stop - comma - 1)) : NULL;
    const char *at = NULL;
    if (second) {
        *second = ' ';
        at = gpci_field_hex(comma + 1, &copy.address);
        at = at ? gpci_field_decimal(at, UINT64_MAX, &copy.bytes) : NULL;
    }
    if (!at || gpci_skip_blanks(at) != stop)
        return gpci_lines_expected(lines, error, "\"MemcpyHtoD,0x<address>,<bytes>\"");
    if (!gpci_notes_add(list->base.opcodes, GPC_NOTE_COPY, "MemcpyHtoD", 10, copy.bytes))
        return gpci_out_of_memory(error);
    return add(list, copy, error);
}

/* Add a note with the first word of a line that has no effect. */
static gpc_status pass_over(list_source *list, const char *line, const char *stop, gpc_error *error) {
    size_t length = 0;
    while (line + length < stop && length < MOST_WORD && line[length] != ',' && !gpci_is_blank(line[length]))
        length++;
    return gpci_notes_add(list->base.opcodes, GPC_NOTE_PASSED_OVER, line, length, 0) ? GPC_OK
                                                                                     : gpci_out_of_memory(error);
}

static gpc_status take_kernel(list_source *input, gpci_lines *lines, const char *line, const char *stop,
                              gpc_error *error) {
    gpc_context *context = input->base.context;
    const char *list = gpci_input_path(lines->input);
    while (gpci_is_blank(stop[-1]))
        stop--;
    size_t folder = gpci_folder_length(list), length = (size_t)(stop - line);
    char *path = gpci_alloc(context, folder + length + 1);
    if (!path)
        return gpci_out_of_memory(error);
    memcpy(path, list, folder);
    memcpy(path + folder, line, length);
    path[folder + length] = 0;
    gpc_status status = add_kernel(input, path, list, lines->number, error);
    gpci_free(context, path);
    return status;
}

static gpc_status read_list(list_source *list, const char *path, gpc_error *error) {
    gpci_lines lines;
    gpc_status status = gpci_lines_open(&lines, list->base.context, path, error);
    if (status < 0)
        return status;
    char *line, *stop;
    if (!gpci_notes_file(list->base.opcodes, gpci_input_path(lines.input)))
        status = gpci_out_of_memory(error);
    while (status == GPC_OK && (status = gpci_lines_next_text(&lines, &line, &stop, error)) == GPC_OK) {
        gpci_notes_line(list->base.opcodes, lines.number);
        if (!strncmp(line, "MemcpyHtoD", 10))
            status = take_copy(list, &lines, line, stop, error);
        else if (!strncmp(line, "kernel", 6))
            status = take_kernel(list, &lines, line, stop, error);
        else
            status = pass_over(list, line, stop, error);
    }
    gpci_lines_close(&lines);
    return status < 0 ? status : GPC_OK;
}

static int by_name(const void *a, const void *b) {
    return gpci_natural_order(((const command *)a)->path, ((const command *)b)->path);
}

/* True if a name ends in `end`, with or without a decompressor's suffix. */
static bool is_called(const char *name, const char *end) {
    for (const char *const *suffix = gpci_input_suffixes; *suffix; suffix++) {
        const size_t length = strlen(name), tail = strlen(*suffix) + strlen(end);
        if (length > tail && gpci_ends_with(name, *suffix) && !strncmp(name + length - tail, end, strlen(end)))
            return true;
    }
    return false;
}

static bool is_traceg(const char *name) {
    return is_called(name, ".traceg") || is_called(name, ".tracez");
}

/* True for a file as written by the tracer. */
static bool is_trace(const char *name) {
    return is_called(name, ".trace");
}

/* True for a list as written by the tracer. Newer releases of the tracer write a list for each context. */
static bool is_list(const char *name) {
    return !strcmp(name, "kernelslist") || !strncmp(name, "kernelslist_ctx_", 16);
}

/* Drop all but the first file of each kernel. Files are sorted by name: a plain file is before a compressed file. */
static void drop_twins(list_source *list) {
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        const char *path = list->commands[i].path, *before = kept ? list->commands[kept - 1].path : "";
        size_t stem = (size_t)(strstr(path + gpci_folder_length(path), ".trace") - path) + 6;
        if (strncmp(path, before, stem) != 0) {
            list->commands[kept++] = list->commands[i];
            continue;
        }
        list->total_bytes -= list->commands[i].bytes;
        list->kernels--;
        gpci_free(list->base.context, list->commands[i].path);
    }
    list->count = kept;
}

/* Add all files of a kind. */
static gpc_status add_files(list_source *list, const char *path, bool (*is)(const char *), gpc_error *error) {
    gpc_context *context = list->base.context;
    DIR *folder = opendir(path);
    if (!folder)
        return gpci_fail(error, errno == ENOMEM ? GPC_ERROR_MEMORY : GPC_ERROR_IO, "%s: %s", path, strerror(errno));
    gpc_status status = GPC_OK;
    for (struct dirent *entry; status == GPC_OK && (entry = readdir(folder));) {
        if (!is(entry->d_name))
            continue;
        char *parent = gpci_join(context, path, path[strlen(path) - 1] == '/' ? "" : "/");
        char *file = parent ? gpci_join(context, parent, entry->d_name) : NULL;
        gpci_free(context, parent);
        status = file ? add(list, (command){file, gpci_file_size(file), 0}, error) : gpci_out_of_memory(error);
    }
    closedir(folder);
    if (status == GPC_OK && list->count)
        qsort(list->commands, list->count, sizeof *list->commands, by_name);
    return status;
}

/* Replace the only command, the path of a list, by the commands in the list. */
static gpc_status follow_list(list_source *input, const char *path, gpc_error *error) {
    if (input->count > 1)
        return gpci_fail(error, GPC_ERROR_UNSUPPORTED,
                         "%s: the folder has lists of %zu contexts, whose addresses are their own: give one of them, "
                         "such as %s",
                         path, input->count, input->commands[0].path);
    char *list = input->commands[0].path;
    input->count = input->kernels = input->total_bytes = 0;
    gpc_status status = read_list(input, list, error);
    gpci_free(input->base.context, list);
    return status;
}

/* Read a folder: its .traceg files; otherwise the files in the tracer's list; without a list, the tracer's files. */
static gpc_status read_folder(list_source *list, const char *path, gpc_error *error) {
    gpc_status status = add_files(list, path, is_traceg, error);
    if (status == GPC_OK && !list->count) {
        status = add_files(list, path, is_list, error);
        if (status == GPC_OK && list->count)
            return follow_list(list, path, error);
    }
    if (status == GPC_OK && !list->count)
        status = add_files(list, path, is_trace, error);
    if (status == GPC_OK && !list->count)
        return gpci_fail(error, GPC_ERROR_NOT_FOUND,
                         "%s: the folder has no kernelslist.g or kernelslist and no .traceg, .tracez or .trace file",
                         path);
    if (status == GPC_OK)
        drop_twins(list);
    return status;
}

static void close_open(list_source *list) {
    if (list->open)
        list->open->ops->close(list->open);
    list->open = NULL;
    list->done_bytes += list->open_bytes;
    list->open_bytes = 0;
}

/* Command of the next kernel; NULL: end of the list. Copies before the kernel are reported to `on_memcpy`. */
static const command *next_command(list_source *list) {
    close_open(list);
    list->copies = list->base.gave ? list->next : list->copies;
    list->base.gave = false;
    while (list->next < list->count) {
        const command *line = &list->commands[list->next++];
        if (line->path)
            return line;
        if (list->base.on_memcpy)
            list->base.on_memcpy(list->base.on_memcpy_data, line->address, line->bytes);
    }
    return NULL;
}

static gpc_status next_kernel(gpci_source *source, gpc_kernel *kernel, gpc_error *error) {
    list_source *list = of(source);
    const command *line = next_command(list);
    if (!line)
        return GPC_END;
    gpc_status status = gpci_text_open(source->context, source->opcodes, line->path, error, &list->open);
    if (status < 0)
        return status;
    list->open_bytes = line->bytes;
    return list->open->ops->next_kernel(list->open, kernel, error);
}

static gpc_status skip_kernel(gpci_source *source, gpc_error *error) {
    (void)error;
    list_source *list = of(source);
    const command *line = next_command(list);
    list->done_bytes += line ? line->bytes : 0;
    return line ? GPC_OK : GPC_END;
}

static gpc_status next_block(gpci_source *source, gpci_block *block, gpc_error *error) {
    list_source *list = of(source);
    return list->open ? list->open->ops->next_block(list->open, block, error) : GPC_END;
}

static gpc_status rewind_kernel(gpci_source *source, gpc_kernel *kernel, gpc_error *error) {
    list_source *list = of(source);
    return list->open->ops->rewind(list->open, kernel, error);
}

static uint64_t kernel_count(const gpci_source *source) {
    return ((const list_source *)source)->kernels;
}

static bool copy_of(const gpci_source *source, size_t *at, uint64_t *address, uint64_t *bytes) {
    const list_source *list = (const list_source *)source;
    while (list->copies + *at < list->next) {
        const command *line = &list->commands[list->copies + (*at)++];
        if (line->path)
            continue;
        *address = line->address;
        *bytes = line->bytes;
        return true;
    }
    return false;
}

static double progress(const gpci_source *source) {
    const list_source *list = (const list_source *)source;
    if (!list->total_bytes)
        return list->next == list->count ? 1 : 0;
    double part = list->open ? list->open->ops->progress(list->open) : 0;
    return ((double)list->done_bytes + part * (double)list->open_bytes) / (double)list->total_bytes;
}

static void close_source(gpci_source *source) {
    list_source *list = of(source);
    gpc_context *context = source->context;
    close_open(list);
    for (size_t i = 0; i < list->count; i++)
        gpci_free(context, list->commands[i].path);
    gpci_free(context, list->commands);
    gpci_free(context, list);
    gpci_release(context);
}

static const gpci_source_ops list_ops = {
    .next_kernel = next_kernel,
    .next_block = next_block,
    .rewind = rewind_kernel,
    .kernel_count = kernel_count,
    .copy = copy_of,
    .progress = progress,
    .close = close_source,
    .skip_kernel = skip_kernel,
};

static gpc_status open_with(gpc_context *context, gpci_opcodes *opcodes, const char *path,
                            gpc_status (*read)(list_source *, const char *, gpc_error *), gpc_error *error,
                            gpci_source **out) {
    list_source *list = gpci_zalloc(context, 1, sizeof *list);
    if (!list)
        return gpci_out_of_memory(error);
    list->base = (gpci_source){.ops = &list_ops, .context = gpci_retain(context), .opcodes = opcodes};
    gpc_status status = read(list, path, error);
    if (status < 0)
        close_source(&list->base);
    else
        *out = &list->base;
    return status;
}

gpc_status gpci_list_open(gpc_context *context, gpci_opcodes *opcodes, const char *path, gpc_error *error,
                          gpci_source **out) {
    return open_with(context, opcodes, path, read_list, error, out);
}

gpc_status gpci_folder_open(gpc_context *context, gpci_opcodes *opcodes, const char *path, gpc_error *error,
                            gpci_source **out) {
    char *parent = gpci_join(context, path, path[strlen(path) - 1] == '/' ? "" : "/");
    char *list = parent ? gpci_join(context, parent, "kernelslist.g") : NULL;
    gpci_free(context, parent);
    if (!list)
        return gpci_out_of_memory(error);
    gpc_status status = gpci_file_size(list) ? gpci_list_open(context, opcodes, list, error, out)
                                             : open_with(context, opcodes, path, read_folder, error, out);
    gpci_free(context, list);
    return status;
}
