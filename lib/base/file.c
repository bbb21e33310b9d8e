/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/file.h"

#include "base/array.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define FILE_PART 4096u
#define STREAM_PART 65536u

static gpc_status system_failure(const char *path, int number, gpc_error *error) {
    char reason[128] = "unknown reason";
    if (strerror_r(number, reason, sizeof reason))
        snprintf(reason, sizeof reason, "error %d", number);
    return gpci_fail(error, number == ENOMEM ? GPC_ERROR_MEMORY : GPC_ERROR_IO, "%s: %s", path, reason);
}

static gpc_status read_stream(gpc_context *context, FILE *stream, const char *path, gpci_file *file, gpc_error *error) {
    size_t capacity = 0;
    do {
        if (!GPCI_ARRAY_RESERVE(context, file->text, capacity, file->length, FILE_PART))
            return gpci_out_of_memory(error);
        errno = 0;
        file->length += fread(file->text + file->length, 1, capacity - 1 - file->length, stream);
        if (ferror(stream))
            return system_failure(path, errno, error);
        if (file->length > GPCI_FILE_LIMIT)
            return gpci_fail(error, GPC_ERROR_RANGE, "%s: longer than %u bytes", path, GPCI_FILE_LIMIT);
    } while (file->length == capacity - 1);
    file->text[file->length] = '\0';
    const char *nul = memchr(file->text, '\0', file->length);
    if (!nul)
        return GPC_OK;
    size_t line = 1;
    for (const char *at = file->text; at < nul; at++)
        line += *at == '\n';
    return gpci_fail(error, GPC_ERROR_FORMAT, "%s:%zu: a NUL byte: this is no text", path, line);
}

gpc_status gpci_file_read(gpc_context *context, const char *path, gpci_file *out, gpc_error *error) {
    errno = 0;
    FILE *stream = fopen(path, "rb");
    if (!stream)
        return system_failure(path, errno, error);
    struct stat about;
    gpci_file file = {0};
    gpc_status status;
    if (fstat(fileno(stream), &about))
        status = system_failure(path, errno, error);
    else if (S_ISDIR(about.st_mode))
        status = system_failure(path, EISDIR, error);
    else
        status = read_stream(context, stream, path, &file, error);
    fclose(stream);
    if (status < 0) {
        gpci_free(context, file.text);
        return status;
    }
    file.device = (uint64_t)about.st_dev;
    file.inode = (uint64_t)about.st_ino;
    *out = file;
    return GPC_OK;
}

gpc_status gpci_host_stream_take(gpc_stream *ours, const gpc_stream *theirs, const char *name, bool writes,
                                 gpc_error *error) {
    *ours = (gpc_stream)GPC_STREAM_INIT;
    gpc_status status = theirs ? gpci_take(ours, sizeof *ours, sizeof *ours, theirs, "gpc_stream", error)
                               : gpci_fail(error, GPC_ERROR_ARGUMENT, "%s is NULL", name);
    const bool function = writes ? ours->write != NULL : ours->read != NULL;
    if (status == GPC_OK && function == (ours->path != NULL))
        status = gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: gpc_stream has %s path %s %s", name,
                           function ? "both" : "neither", function ? "and" : "nor", writes ? "write" : "read");
    return status;
}

/* A gpc_read_fn for a FILE. */
static gpc_status read_file(void *file, void *data, size_t bytes, size_t *out_read) {
    *out_read = fread(data, 1, bytes, file);
    return *out_read < bytes && ferror((FILE *)file) ? GPC_ERROR_IO : GPC_OK;
}

static gpc_status read_to_end(gpc_read_fn read, void *user_data, const char *name, gpci_buffer *out, gpc_error *error) {
    for (;;) {
        size_t got = 0;
        if (!gpci_buffer_reserve(out, STREAM_PART))
            return gpci_out_of_memory(error);
        gpc_status status = read(user_data, out->data + out->length, STREAM_PART, &got);
        if (status > 0 || (status == GPC_OK && got > STREAM_PART))
            status = GPC_ERROR_CALLBACK;
        if (status < 0)
            return gpci_fail(error, status, "%s: offset %zu cannot be read: %s", name, out->length,
                             gpc_status_string(status));
        if (!got)
            return GPC_OK;
        out->length += got;
    }
}

gpc_status gpci_host_stream_read(gpc_context *context, const gpc_stream *from, const char *name, gpci_buffer *out,
                                 gpc_error *error) {
    *out = (gpci_buffer){.context = context};
    if (!from->path)
        return read_to_end(from->read, from->user_data, name, out, error);
    errno = 0;
    FILE *file = fopen(from->path, "rb");
    if (!file)
        return errno == ENOENT ? gpci_fail(error, GPC_ERROR_NOT_FOUND, "%s: no such file", from->path)
                               : system_failure(from->path, errno, error);
    gpc_status status = read_to_end(read_file, file, from->path, out, error);
    fclose(file);
    return status;
}
