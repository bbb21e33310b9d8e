/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/file.h"

#include "base/array.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define FILE_PART 4096u

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
