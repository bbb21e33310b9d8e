/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE /* for F_SETPIPE_SZ and pipe2; with pipe2, a child of another thread never inherits the pipe */
#include "trace/files/input.h"

#include "trace/files/paths.h"
#include "trace/files/tracez.h"
#include "trace/files/zstd.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef struct decompressor {
    const char *suffix, *tool, *magic;
    size_t magic_length;
} decompressor;

static const decompressor decompressors[] = {
    {".xz", "xz", "\xfd\x37zXZ", 5}, {".gz", "gzip", "\x1f\x8b", 2}, {".zst", "zstd", "\x28\xb5\x2f\xfd", 4}};

const char *const gpci_input_suffixes[] = {"", ".xz", ".gz", ".zst", NULL};

struct gpci_input {
    gpc_context *context;
    const char *tool; /* program name; NULL: plain file */
    int file;         /* shared with the decompressor: the offset shows the bytes read by the decompressor */
    int pipe;         /* from the decompressor; -1 = no pipe */
    pid_t child;      /* 0 = no child, or reaped */
    bool at_end;
    gpci_tracez *tracez; /* used instead of file and pipe; NULL = not a .tracez */
    uint64_t size;
    size_t head_begin, head_end; /* bytes of `head` peeked at but not yet read */
    char head[GPCI_INPUT_HEAD];
    const char *shown; /* `path`, in messages */
    char path[];
};

bool gpci_ends_with(const char *text, const char *suffix) {
    size_t length = strlen(text), tail = strlen(suffix);
    return length >= tail && !memcmp(text + length - tail, suffix, tail);
}

/* Move a descriptor above the standard three, which the child overwrites. */
static int above_standard(int fd) {
    if (fd < 0 || fd > STDERR_FILENO)
        return fd;
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int reason = errno;
    close(fd);
    errno = reason;
    return moved;
}

/*
 * Pipe capacity, for the decompressor's output while the reader is busy: about ten thousand instructions. The usual 64
 * KiB are less than one thread block. With a small pipe both processes take turns instead of running on two processors.
 */
#define PIPE_BYTES (1 << 20)

static void widen(int pipe) {
#ifdef F_SETPIPE_SZ
    /* fails if the user's pipes are at their limit; the pipe then keeps its size */
    (void)fcntl(pipe, F_SETPIPE_SZ, PIPE_BYTES);
#else
    (void)pipe;
#endif
}

/* Start the decompressor. It reads from the file and writes to the pipe; stderr is /dev/null; SIGPIPE ends it. */
static int spawn(const char *tool, int from, int to, pid_t *child) {
    char *const arguments[] = {(char *)(uintptr_t)tool, (char[]){"-dc"}, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int failure = posix_spawn_file_actions_init(&actions);
    if (failure)
        return failure;
    failure = posix_spawnattr_init(&attributes);
    if (failure) {
        posix_spawn_file_actions_destroy(&actions);
        return failure;
    }
    sigset_t none, defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    if (!failure)
        failure = posix_spawn_file_actions_adddup2(&actions, from, STDIN_FILENO);
    if (!failure)
        failure = posix_spawn_file_actions_adddup2(&actions, to, STDOUT_FILENO);
    if (!failure)
        failure = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (!failure)
        failure = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    if (!failure)
        failure = posix_spawnattr_setsigdefault(&attributes, &defaults);
    if (!failure)
        failure = posix_spawnattr_setsigmask(&attributes, &none);
    if (!failure)
        failure = posix_spawnp(child, tool, &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return failure;
}

static gpc_status start_child(gpci_input *input, gpc_error *error) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return gpci_fail(error, GPC_ERROR_IO, "%s: no pipe for %s: %s", input->shown, input->tool, strerror(errno));
    ends[0] = above_standard(ends[0]);
    ends[1] = above_standard(ends[1]);
    if (ends[0] < 0 || ends[1] < 0) {
        int reason = errno;
        for (int i = 0; i < 2; i++)
            if (ends[i] >= 0)
                close(ends[i]);
        return gpci_fail(error, GPC_ERROR_IO, "%s: no pipe for %s: %s", input->shown, input->tool, strerror(reason));
    }
    widen(ends[1]);
    int failure = spawn(input->tool, input->file, ends[1], &input->child);
    close(ends[1]);
    if (failure) {
        input->child = 0;
        close(ends[0]);
        if (failure == ENOENT || failure == EACCES)
            return gpci_fail(error, GPC_ERROR_UNSUPPORTED, "%s: reading it needs the program '%s', which is not there",
                             input->shown, input->tool);
        return gpci_fail(error, failure == ENOMEM ? GPC_ERROR_MEMORY : GPC_ERROR_IO, "%s: cannot run '%s': %s",
                         input->shown, input->tool, strerror(failure));
    }
    input->pipe = ends[0];
    return GPC_OK;
}

/* Decompressor by the first bytes of a regular file; for a pipe, by the name. NULL: plain file. */
static const char *tool_of(const gpci_input *input, const uint8_t *first, size_t length) {
    const char *named = NULL;
    for (size_t i = 0; i < sizeof decompressors / sizeof *decompressors; i++) {
        const decompressor *d = &decompressors[i];
        if (length >= d->magic_length && !memcmp(first, d->magic, d->magic_length))
            return d->tool;
        if (gpci_ends_with(input->shown, d->suffix))
            named = d->tool;
    }
    return named;
}

static gpc_status open_data(gpci_input *input, gpc_error *error) {
    struct stat about;
    uint8_t first[16];
    ssize_t got = 0;
    const bool regular = !fstat(input->file, &about) && S_ISREG(about.st_mode);
    if (regular) {
        input->size = (uint64_t)about.st_size;
        got = pread(input->file, first, sizeof first, 0);
    }
    input->tool = tool_of(input, first, got > 0 ? (size_t)got : 0);
    const uint32_t dictionary = gpci_zstd_dictionary(first, got > 0 ? (size_t)got : 0);
    if (dictionary)
        return gpci_fail(error, GPC_ERROR_UNSUPPORTED,
                         "%s: it was compressed with zstd dictionary %u, which is not in it: decompress it with that "
                         "(zstd -d -D DICTIONARY)",
                         input->shown, dictionary);
    if (input->tool)
        return start_child(input, error);
    return regular && gpci_tracez_is(input->file)
               ? gpci_tracez_open(input->context, input->file, input->shown, error, &input->tracez)
               : GPC_OK;
}

gpc_status gpci_input_open(gpc_context *context, const char *path, gpc_error *error, gpci_input **out) {
    size_t length = strlen(path) + 1;
    gpci_input *input = gpci_zalloc(context, 1, sizeof *input + length);
    if (!input)
        return gpci_out_of_memory(error);
    memcpy(input->path, path, length);
    input->shown = gpci_path_shown(input->path);
    input->context = gpci_retain(context);
    input->pipe = -1;
    input->file = above_standard(open(gpci_path_opened(path), O_RDONLY | O_CLOEXEC | O_NOCTTY));
    gpc_status status = GPC_OK;
    if (input->file < 0) {
        bool missing = errno == ENOENT || errno == ENOTDIR;
        status =
            gpci_fail(error, missing ? GPC_ERROR_NOT_FOUND : GPC_ERROR_IO, "%s: %s", input->shown, strerror(errno));
    } else {
        status = open_data(input, error);
    }
    if (status < 0)
        gpci_input_close(input);
    else
        *out = input;
    return status;
}

/* Wait for the child, which has closed its output. */
static gpc_status reap(gpci_input *input, gpc_error *error) {
    int result = 0;
    pid_t done;
    do
        done = waitpid(input->child, &result, 0);
    while (done < 0 && errno == EINTR);
    input->child = 0;
    /* ECHILD: the host ignores SIGCHLD or reaps children itself; the result is lost */
    if (done < 0 || (WIFEXITED(result) && WEXITSTATUS(result) == 0))
        return GPC_OK;
    if (WIFEXITED(result) && WEXITSTATUS(result) == 127)
        return gpci_fail(error, GPC_ERROR_UNSUPPORTED, "%s: reading it needs the program '%s', which is not there",
                         input->shown, input->tool);
    if (WIFEXITED(result))
        return gpci_fail(error, GPC_ERROR_IO, "%s: %s could not decompress it (exit status %d)", input->shown,
                         input->tool, WEXITSTATUS(result));
    return gpci_fail(error, GPC_ERROR_IO, "%s: %s was ended by signal %d", input->shown, input->tool,
                     WIFSIGNALED(result) ? WTERMSIG(result) : 0);
}

static gpc_status read_on(gpci_input *input, void *buffer, size_t capacity, size_t *got, gpc_error *error) {
    ssize_t count;
    if (input->tracez) {
        gpc_status status = gpci_tracez_read(input->tracez, buffer, capacity, got, error);
        input->at_end = status == GPC_OK && !*got;
        return status;
    }
    const int from = input->tool ? input->pipe : input->file;
    do
        count = read(from, buffer, capacity);
    while (count < 0 && errno == EINTR);
    if (count < 0)
        return gpci_fail(error, GPC_ERROR_IO, "%s: %s", input->shown, strerror(errno));
    *got = (size_t)count;
    input->at_end = count == 0;
    return count == 0 && input->child ? reap(input, error) : GPC_OK;
}

gpc_status gpci_input_peek(gpci_input *input, const char **first, size_t *length, gpc_error *error) {
    size_t got = 1;
    while (got && input->head_end < sizeof input->head) {
        gpc_status status =
            read_on(input, input->head + input->head_end, sizeof input->head - input->head_end, &got, error);
        if (status < 0)
            return status;
        input->head_end += got;
    }
    *first = input->head;
    *length = input->head_end;
    return GPC_OK;
}

gpc_status gpci_input_read(gpci_input *input, void *buffer, size_t capacity, size_t *got, gpc_error *error) {
    size_t left = input->head_end - input->head_begin;
    if (!left)
        return read_on(input, buffer, capacity, got, error);
    *got = left < capacity ? left : capacity;
    memcpy(buffer, input->head + input->head_begin, *got);
    input->head_begin += *got;
    return GPC_OK;
}

double gpci_input_progress(const gpci_input *input) {
    if (input->at_end)
        return 1;
    if (input->tracez)
        return gpci_tracez_progress(input->tracez);
    if (!input->size) /* a pipe, whose length is unknown */
        return 0;
    const uint64_t at = (uint64_t)lseek(input->file, 0, SEEK_CUR);
    return at >= input->size ? 1 : (double)at / (double)input->size;
}

bool gpci_input_is_stream(const gpci_input *input) {
    return lseek(input->file, 0, SEEK_CUR) < 0;
}

const char *gpci_input_path(const gpci_input *input) {
    return input->shown;
}

const char *gpci_input_name(const gpci_input *input) {
    return input->path;
}

/*
 * Kill a child that is no longer needed. If a fork of the host holds the pipe open, the child's next write might never
 * fail.
 */
static void abandon(gpci_input *input) {
    int result;
    pid_t done = waitpid(input->child, &result, WNOHANG);
    if (done == 0) {
        kill(input->child, SIGKILL);
        while (waitpid(input->child, &result, 0) < 0 && errno == EINTR)
            continue;
    }
    input->child = 0;
}

void gpci_input_close(gpci_input *input) {
    if (!input)
        return;
    gpci_tracez_close(input->tracez);
    if (input->pipe >= 0)
        close(input->pipe);
    if (input->file >= 0)
        close(input->file);
    if (input->child)
        abandon(input);
    gpc_context *context = input->context;
    gpci_free(context, input);
    gpci_release(context);
}
