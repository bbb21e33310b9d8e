/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/output.h"

#include "trace/paths.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_BYTES (256u << 10)
#define SUFFIX_BYTES 48u
#define ATTEMPTS 1000u

struct gpci_output {
    gpc_context *context;
    char *path, *temporary;
    int file;
    uint64_t offset;
    size_t used;
    uint8_t buffer[BUFFER_BYTES];
};

static gpc_status cannot_create(const char *path, gpc_error *error) {
    int reason = errno;
    size_t folder = gpci_folder_length(path);
    if (reason == ENOENT || reason == ENOTDIR)
        return gpci_fail(error, GPC_ERROR_IO, "cannot create %s: there is no folder %.*s", path, (int)folder,
                         folder ? path : "");
    return gpci_fail(error, GPC_ERROR_IO, "cannot create %s: %s", path, strerror(reason));
}

/* "path.PID-N.part", of which none is there yet: a file, or with `file` NULL a folder. Frees `name` on failure. */
static gpc_status create_temporary(const char *path, char *name, size_t room, int *file, gpc_error *error) {
    for (unsigned n = 0; n < ATTEMPTS; n++) {
        snprintf(name, room, "%s.%ld-%u.part", path, (long)getpid(), n);
        int made = file ? (*file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)) : mkdir(name, 0777);
        if (made >= 0)
            return GPC_OK;
        if (errno != EEXIST)
            break;
    }
    return cannot_create(path, error);
}

/* `path` without slashes at its end, and room for the temporary name. */
static char *copy_path(gpc_context *context, const char *path, size_t *room) {
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    *room = length + SUFFIX_BYTES;
    char *copy = gpci_alloc(context, *room);
    if (!copy)
        return NULL;
    memcpy(copy, path, length);
    copy[length] = 0;
    return copy;
}

gpc_status gpci_temporary_folder(gpc_context *context, const char *path, gpc_error *error, char **out) {
    size_t room;
    char *plain = copy_path(context, path, &room), *name = gpci_alloc(context, room);
    gpc_status status = plain && name ? create_temporary(plain, name, room, NULL, error) : gpci_out_of_memory(error);
    gpci_free(context, plain);
    if (status < 0)
        gpci_free(context, name);
    else
        *out = name;
    return status;
}

static void free_output(gpci_output *output) {
    gpc_context *context = output->context;
    if (output->file >= 0)
        close(output->file);
    gpci_free(context, output->path);
    gpci_free(context, output->temporary);
    gpci_free(context, output);
    gpci_release(context);
}

gpc_status gpci_output_open(gpc_context *context, const char *path, gpc_error *error, gpci_output **out) {
    gpci_output *output = gpci_alloc(context, sizeof *output);
    if (!output)
        return gpci_out_of_memory(error);
    if (gpci_is_folder(path)) {
        gpci_free(context, output);
        return gpci_fail(error, GPC_ERROR_IO, "cannot create %s: it is a folder", path);
    }
    size_t room;
    output->context = gpci_retain(context);
    output->file = -1;
    output->offset = output->used = 0;
    output->path = copy_path(context, path, &room);
    output->temporary = output->path ? gpci_alloc(context, room) : NULL;
    gpc_status status = output->temporary
                            ? create_temporary(output->path, output->temporary, room, &output->file, error)
                            : gpci_out_of_memory(error);
    if (status < 0)
        free_output(output);
    else
        *out = output;
    return status;
}

static gpc_status flush(gpci_output *output, gpc_error *error) {
    for (size_t done = 0; done < output->used;) {
        ssize_t written = write(output->file, output->buffer + done, output->used - done);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return gpci_fail(error, GPC_ERROR_IO, "%s: %s", output->temporary, strerror(errno));
        done += (size_t)written;
    }
    output->used = 0;
    return GPC_OK;
}

gpc_status gpci_output_write(gpci_output *output, const void *data, size_t length, gpc_error *error) {
    const uint8_t *at = data;
    output->offset += length;
    while (length) {
        size_t free = sizeof output->buffer - output->used, part = length < free ? length : free;
        memcpy(output->buffer + output->used, at, part);
        output->used += part;
        at += part;
        length -= part;
        gpc_status status = output->used == sizeof output->buffer ? flush(output, error) : GPC_OK;
        if (status < 0)
            return status;
    }
    return GPC_OK;
}

uint64_t gpci_output_offset(const gpci_output *output) {
    return output->offset;
}

gpc_status gpci_output_commit(gpci_output *output, gpc_error *error) {
    gpc_status status = flush(output, error);
    if (status == GPC_OK) {
        int closed = close(output->file);
        output->file = -1;
        if (closed || rename(output->temporary, output->path))
            status = gpci_fail(error, GPC_ERROR_IO, "cannot create %s: %s", output->path, strerror(errno));
    }
    if (status < 0) {
        gpci_output_discard(output);
        return status;
    }
    free_output(output);
    return GPC_OK;
}

void gpci_output_discard(gpci_output *output) {
    if (!output)
        return;
    unlink(output->temporary);
    free_output(output);
}
