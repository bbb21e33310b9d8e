/* SPDX-License-Identifier: BSD-2-Clause */
#define _XOPEN_SOURCE 700
#include "trace/rig.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Kinds of output paths: only a file of the user is replaced, and only by a complete file. */

#define SOURCE "synthetic:vectoradd:4KiB"

static gpc_status write_trace(rig *r, const char *path, gpc_trace_format format) {
    return try_convert(r, SOURCE, path, format);
}

static void expect_written(rig *r, const char *path) {
    cr_expect_eq(write_trace(r, path, GPC_TRACE_BINARY), GPC_OK, "%s", r->error.message);
}

static mode_t mode_of(const char *path) {
    struct stat about;
    cr_assert_eq(lstat(path, &about), 0, "%s is gone", path);
    return about.st_mode;
}

static void expect_trace(rig *r, const char *path) {
    uint64_t instructions = 0;
    cr_expect_eq(read_all(r, path, &instructions), GPC_OK, "%s", r->error.message);
    cr_expect_gt(instructions, 0);
}

Test(outputs, device) {
    rig r;
    rig_open(&r);
    expect_written(&r, "/dev/null");
    cr_expect(S_ISCHR(mode_of("/dev/null")));
    shell(&r, "ln -s /dev/null link");
    expect_written(&r, path_of(&r, "link"));
    cr_expect(S_ISLNK(mode_of(path_of(&r, "link"))) && S_ISCHR(mode_of("/dev/null")));
    cr_expect_eq(entries(&r), 1);
    rig_close(&r);
}

Test(outputs, full_device) {
    if (access("/dev/full", W_OK) != 0)
        cr_skip_test("there is no /dev/full");
    rig r;
    rig_open(&r);
    expect_error(&r, write_trace(&r, "/dev/full", GPC_TRACE_BINARY), GPC_ERROR_IO, "/dev/full: No space left");
    cr_expect(S_ISCHR(mode_of("/dev/full")));
    expect_error(&r, write_trace(&r, "/dev/full", GPC_TRACE_TEXT), GPC_ERROR_IO, "it is there and no folder");
    rig_close(&r);
}

/* The reader gets the whole trace. */
Test(outputs, fifo) {
    rig r;
    rig_open(&r);
    shell(&r, "mkfifo pipe; (cat pipe > copy; touch done) &");
    expect_written(&r, path_of(&r, "pipe"));
    cr_expect(S_ISFIFO(mode_of(path_of(&r, "pipe"))));
    for (int i = 0; i < 2000 && !exists(&r, "done"); i++)
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    expect_written(&r, path_of(&r, "file"));
    shell(&r, "cmp copy file");
    rig_close(&r);
}

/* A vanishing reader is an error, without a signal. */
Test(outputs, fifo_without_reader) {
    rig r;
    rig_open(&r);
    shell(&r, "mkfifo pipe; head -c 1 pipe > copy &");
    signal(SIGPIPE, SIG_DFL);
    gpc_status status = try_convert(&r, "synthetic:vectoradd:16MiB", path_of(&r, "pipe"), GPC_TRACE_BINARY);
    expect_error(&r, status, GPC_ERROR_IO, "pipe: Broken pipe");
    rig_close(&r);
}

/* The link stays, and the target file is written, existing or not. */
Test(outputs, links) {
    rig r;
    rig_open(&r);
    shell(&r, "mkdir a b && echo old > a/file && ln -s ../a/file b/second && ln -s b/second first && ln -s b/new lost"
              " && ln -s around around");
    expect_written(&r, path_of(&r, "first"));
    expect_trace(&r, path_of(&r, "a/file"));
    expect_written(&r, path_of(&r, "lost"));
    expect_trace(&r, path_of(&r, "b/new"));
    static const char *const links[] = {"first", "b/second", "lost", "around"};
    for (size_t i = 0; i < 4; i++)
        cr_expect(S_ISLNK(mode_of(path_of(&r, links[i]))), "%s", links[i]);
    expect_error(&r, write_trace(&r, path_of(&r, "around"), GPC_TRACE_BINARY), GPC_ERROR_IO, "Too many levels");
    shell(&r, "ln -s b folder && test $(ls a b | grep -c part) = 0");
    cr_expect_eq(write_trace(&r, path_of(&r, "folder"), GPC_TRACE_TEXT), GPC_OK, "%s", r.error.message);
    cr_expect(S_ISLNK(mode_of(path_of(&r, "folder"))));
    expect_trace(&r, path_of(&r, "b/kernelslist.g"));
    rig_close(&r);
}

Test(outputs, folder) {
    rig r;
    rig_open(&r);
    expect_error(&r, write_trace(&r, r.folder, GPC_TRACE_BINARY), GPC_ERROR_IO, "it is a folder");
    shell(&r, "mkdir -p text && mkfifo text/kernelslist.g && echo mine > text/kernel-1.traceg");
    expect_error(&r, write_trace(&r, path_of(&r, "text"), GPC_TRACE_TEXT), GPC_ERROR_IO,
                 "kernelslist.g: it is there and no file");
    shell(&r, "test -p text/kernelslist.g && grep -q mine text/kernel-1.traceg && test $(ls | wc -l) = 1");
    rig_close(&r);
}

/* A replaced file keeps the permissions; a read-only file stays as it is. */
Test(outputs, permissions) {
    rig r;
    rig_open(&r);
    shell(&r, "echo old > file && chmod 640 file");
    expect_written(&r, path_of(&r, "file"));
    cr_expect_eq(mode_of(path_of(&r, "file")) & 07777, 0640);
    if (geteuid() != 0) {
        shell(&r, "chmod 440 file && cp file copy");
        expect_error(&r, write_trace(&r, path_of(&r, "file"), GPC_TRACE_BINARY), GPC_ERROR_IO, "Permission denied");
        shell(&r, "cmp file copy");
    } else {
        shell(&r, "chown 1 file && ln file other"); /* another user's file is written, not replaced */
        expect_written(&r, path_of(&r, "file"));
        shell(&r, "cmp file other && test $(stat -c %u file) = 1");
    }
    rig_close(&r);
}

/* A full disk: the old file stays, without any other. */
Test(outputs, full_disk) {
    rig r;
    rig_open(&r);
    shell(&r, "echo old > file");
    struct rlimit before;
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit least = {64, before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &least);
    gpc_status binary = write_trace(&r, path_of(&r, "file"), GPC_TRACE_BINARY);
    gpc_error of_binary = r.error;
    gpc_status text = write_trace(&r, path_of(&r, "text"), GPC_TRACE_TEXT);
    setrlimit(RLIMIT_FSIZE, &before);
    cr_expect_eq(text, GPC_ERROR_IO);
    r.error = of_binary;
    expect_error(&r, binary, GPC_ERROR_IO, "file: File too large");
    shell(&r, "grep -q old file && test $(ls | wc -l) = 1");
    rig_close(&r);
}

/* Begin a trace, write a kernel, and die. */
static void die_in_the_middle(rig *r, const char *path, gpc_trace_format format) {
    pid_t child = fork();
    if (!child) {
        gpc_trace *from = open_trace(r, SOURCE);
        gpc_kernel kernel = next_kernel(r, from);
        gpc_trace_writer *writer;
        if (gpc_trace_writer_create(r->context, path, format, &writer, NULL) == GPC_OK &&
            gpc_trace_writer_kernel(writer, &kernel, NULL) == GPC_OK)
            raise(SIGKILL);
        _exit(1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    cr_assert(WIFSIGNALED(status));
}

/* Leftovers of a killed run are reused by the next run with the same output, and by no other run. */
Test(outputs, killed_run) {
    static const gpc_trace_format formats[] = {GPC_TRACE_BINARY, GPC_TRACE_TEXT};
    for (size_t i = 0; i < 2; i++) {
        rig r;
        rig_open(&r);
        for (int run = 0; run < 3; run++) {
            die_in_the_middle(&r, path_of(&r, "out"), formats[i]);
            cr_expect_eq(entries(&r), 1);
        }
        cr_expect_eq(write_trace(&r, path_of(&r, "other"), formats[i]), GPC_OK, "%s", r.error.message);
        cr_expect_eq(entries(&r), 2);
        cr_expect_eq(write_trace(&r, path_of(&r, "out"), formats[i]), GPC_OK, "%s", r.error.message);
        cr_expect_eq(entries(&r), 2);
        shell(&r, "diff -r out other");
        rig_close(&r);
    }
}

/* A file at the temporary folder's name belongs to others: it stays, and the next name is used. */
Test(outputs, file_for_a_folder) {
    rig r;
    rig_open(&r);
    shell(&r, "echo mine > out.gpucache-0.part");
    cr_expect_eq(write_trace(&r, path_of(&r, "out"), GPC_TRACE_TEXT), GPC_OK, "%s", r.error.message);
    shell(&r, "test \"$(cat out.gpucache-0.part)\" = mine && test -f out/kernelslist.g");
    cr_expect_eq(entries(&r), 2);
    rig_close(&r);
}

/* Two writers of one path are independent: the last to end wins. */
Test(outputs, two_writers) {
    rig r;
    rig_open(&r);
    gpc_trace *from = open_trace(&r, SOURCE);
    gpc_trace_writer *first, *second;
    cr_assert_eq(gpc_trace_writer_create(r.context, path_of(&r, "out"), GPC_TRACE_BINARY, &first, &r.error), GPC_OK);
    cr_assert_eq(gpc_trace_writer_create(r.context, path_of(&r, "out"), GPC_TRACE_BINARY, &second, &r.error), GPC_OK);
    cr_expect_eq(entries(&r), 2);
    expect_written(&r, path_of(&r, "out"));
    gpc_trace_writer_destroy(first);
    gpc_trace_writer_destroy(second);
    cr_expect_eq(entries(&r), 1);
    expect_trace(&r, path_of(&r, "out"));
    gpc_trace_close(from);
    rig_close(&r);
}
