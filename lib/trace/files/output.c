/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/files/output.h"

#include "trace/files/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_BYTES (256u << 10)

struct gpci_output {
    gpc_context *context;
    char *path;               /* path given by the caller, for messages */
    char *target;             /* path with its links followed */
    gpci_temporary temporary; /* without a name, `file` is the target itself */
    int file;
    gpc_write_fn write; /* if not NULL, function of the host that gets the bytes; `file` is not used */
    void *user_data;
    uint64_t offset;
    size_t used;
    uint8_t buffer[BUFFER_BYTES];
};

static void free_output(gpci_output *output) {
    gpc_context *context = output->context;
    if (output->file >= 0)
        close(output->file);
    gpci_temporary_release(&output->temporary);
    gpci_free(context, output->path);
    gpci_free(context, output->target);
    gpci_free(context, output);
    gpci_release(context);
}

static gpc_status open_as_it_is(gpci_output *output, gpc_error *error) {
    output->file = open(output->target, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY);
    return output->file < 0 ? gpci_cannot_create(output->path, error) : GPC_OK;
}

/* For a user's own file: create a new file to replace it, with the same permissions. */
static gpc_status open_temporary(gpci_output *output, const struct stat *there, gpc_error *error) {
    gpc_status status = gpci_temporary_file(output->context, output->target, error, &output->temporary, &output->file);
    if (status == GPC_OK && there)
        fchmod(output->file, there->st_mode & 07777); /* a permission that cannot be kept gets the default */
    return status;
}

/* Open the target. A device, a pipe or another user's file is written in place, not replaced. */
static gpc_status open_target(gpci_output *output, gpc_error *error) {
    struct stat about;
    if (stat(output->target, &about))
        return errno == ENOENT ? open_temporary(output, NULL, error) : gpci_cannot_create(output->path, error);
    if (S_ISDIR(about.st_mode))
        return gpci_fail(error, GPC_ERROR_IO, "cannot create %s: it is a folder", output->path);
    if (!S_ISREG(about.st_mode) || about.st_uid != geteuid())
        return open_as_it_is(output, error);
    if (faccessat(AT_FDCWD, output->target, W_OK, AT_EACCESS))
        return gpci_cannot_create(output->path, error);
    return open_temporary(output, &about, error);
}

gpc_status gpci_output_open_stream(gpc_context *context, const gpc_stream *to, const char *name, gpc_error *error,
                                   gpci_output **out) {
    gpci_output *output = gpci_alloc(context, sizeof *output);
    if (!output)
        return gpci_out_of_memory(error);
    output->context = gpci_retain(context);
    output->target = NULL;
    output->temporary = (gpci_temporary){.context = context, .held = -1};
    output->file = -1;
    output->write = to->write;
    output->user_data = to->user_data;
    output->offset = output->used = 0;
    output->path = gpci_strdup(context, to->path ? to->path : name);
    gpc_status status = output->path ? GPC_OK : gpci_out_of_memory(error);
    if (status == GPC_OK && to->path)
        status = gpci_follow_links(context, to->path, error, &output->target);
    if (status == GPC_OK && to->path)
        status = open_target(output, error);
    if (status < 0)
        free_output(output);
    else
        *out = output;
    return status;
}

gpc_status gpci_output_open(gpc_context *context, const char *path, gpc_error *error, gpci_output **out) {
    return gpci_output_open_stream(context, &(gpc_stream)GPC_STREAM_FILE(path), path, error, out);
}

/* write() to a pipe without a reader: return an error, without a signal that would end the host. */
static ssize_t write_quietly(int file, const void *data, size_t bytes) {
    sigset_t pipe, before, pending;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    ssize_t written = write(file, data, bytes);
    int reason = errno;
    if (!sigismember(&pending, SIGPIPE)) /* the signal also comes after a partial write */
        sigtimedwait(&pipe, NULL, &(struct timespec){0});
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = reason;
    return written;
}

static gpc_status flush_to_host(gpci_output *output, gpc_error *error) {
    gpc_status status = output->used ? output->write(output->user_data, output->buffer, output->used) : GPC_OK;
    status = status > 0 ? GPC_ERROR_CALLBACK : status;
    if (status < 0)
        return gpci_fail(error, status, "%s: offset %llu cannot be written: %s", output->path,
                         (unsigned long long)(output->offset - output->used), gpc_status_string(status));
    output->used = 0;
    return GPC_OK;
}

static gpc_status flush(gpci_output *output, gpc_error *error) {
    if (output->write)
        return flush_to_host(output, error);
    for (size_t done = 0; done < output->used;) {
        ssize_t written = write_quietly(output->file, output->buffer + done, output->used - done);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return gpci_fail(error, GPC_ERROR_IO, "%s: %s", output->path, strerror(errno));
        done += (size_t)written;
    }
    output->used = 0;
    return GPC_OK;
}

gpc_status gpci_output_write(gpci_output *output, const void *data, size_t length, gpc_error *error) {
    const uint8_t *at = data;
    while (length) {
        size_t free = sizeof output->buffer - output->used, part = length < free ? length : free;
        memcpy(output->buffer + output->used, at, part);
        output->used += part;
        output->offset += part;
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

/* Keep the lock until the file has its name: without the lock, another process could take over the file. */
static gpc_status close_and_name(gpci_output *output, gpc_error *error) {
    int closed = close(output->file);
    output->file = -1;
    if (closed || (output->temporary.name && gpci_temporary_rename(&output->temporary, output->target)))
        return gpci_fail(error, GPC_ERROR_IO, "cannot create %s: %s", output->path, strerror(errno));
    return GPC_OK;
}

gpc_status gpci_output_commit(gpci_output *output, gpc_error *error) {
    gpc_status status = flush(output, error);
    if (status == GPC_OK && !output->write)
        status = close_and_name(output, error);
    if (status < 0)
        gpci_output_discard(output);
    else
        free_output(output);
    return status;
}

void gpci_output_discard(gpci_output *output) {
    if (!output)
        return;
    if (output->temporary.name)
        unlink(output->temporary.name);
    free_output(output);
}
