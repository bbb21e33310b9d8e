/* SPDX-License-Identifier: BSD-2-Clause */
#define _XOPEN_SOURCE 700
#include "trace/rewind.h"
#include "trace/rig.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Lists, folders, compressed files and files beside them. */

/* A kernel of `blocks` blocks, one warp each, with the given id. */
static void write_kernel(const rig *r, const char *name, unsigned id, unsigned blocks) {
    static char text[1 << 20];
    int at = snprintf(text, sizeof text,
                      "-kernel name = k%u\n-kernel id = %u\n-grid dim = (%u,1,1)\n"
                      "-block dim = (32,1,1)\n-accelsim tracer version = 4\n#\n",
                      id, id, blocks);
    for (unsigned b = 0; b < blocks; b++)
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "#BEGIN_TB\nthread block = %u,0,0\nwarp = 0\ninsts = 1\n0000 1 0 EXIT 0 0\n#END_TB\n", b);
    write_text(r, name, text);
}

/* Ids of the kernels, in order: "1 2 3". */
static void expect_kernels(rig *r, const char *source, const char *expected) {
    char ids[256] = "";
    gpc_trace *trace = open_trace(r, source);
    gpc_kernel kernel = GPC_KERNEL_INIT;
    gpc_status status;
    uint32_t index = 0;
    while ((status = gpc_trace_next_kernel(trace, &kernel, &r->error)) == GPC_OK) {
        snprintf(ids + strlen(ids), sizeof ids - strlen(ids), "%s%" PRIu32, *ids ? " " : "", kernel.id);
        cr_assert_eq(kernel.index, index++);
    }
    cr_assert_eq(status, GPC_END, "%s", r->error.message);
    cr_assert_str_eq(ids, expected);
    cr_assert_eq(gpc_trace_kernel_count(trace), index);
    gpc_trace_close(trace);
}

typedef struct copies {
    unsigned count;
    uint64_t address[4], bytes[4];
} copies;

static void on_copy(void *user_data, uint64_t address, uint64_t bytes) {
    copies *c = user_data;
    c->address[c->count] = address;
    c->bytes[c->count++] = bytes;
}

Test(files, list) {
    rig r;
    rig_open(&r);
    write_kernel(&r, "kernel-1.traceg", 1, 2);
    write_kernel(&r, "kernel-2.traceg", 2, 2);
    write_text(&r, "kernelslist.g",
               "MemcpyHtoD,0x00007fb0fc400000,200000\n\nkernel-2.traceg  \nMemcpyDtoH,0x1,2\n# note\n"
               "MemcpyHtoD,0x10,18446744073709551615\r\nkernel-1.traceg\r\nkernel-2.traceg\nMemcpyHtoD,0x20,1");
    expect_kernels(&r, path_of(&r, "kernelslist.g"), "2 1 2");
    expect_kernels(&r, r.folder, "2 1 2");
    char slashed[80];
    snprintf(slashed, sizeof slashed, "%s/", r.folder);
    expect_kernels(&r, slashed, "2 1 2");
    /* Copies come when reached. */
    gpc_trace *trace = open_trace(&r, path_of(&r, "kernelslist.g"));
    copies c = {0};
    gpc_trace_on_memcpy(trace, on_copy, &c);
    cr_assert_eq(c.count, 0);
    next_kernel(&r, trace);
    cr_assert(c.count == 1 && c.address[0] == 0x7fb0fc400000u && c.bytes[0] == 200000);
    next_kernel(&r, trace);
    cr_assert(c.count == 2 && c.address[1] == 0x10 && c.bytes[1] == UINT64_MAX);
    next_kernel(&r, trace);
    cr_assert_eq(c.count, 2);
    expect_last_kernel(&r, trace);
    cr_assert(c.count == 3 && c.address[2] == 0x20);
    expect_last_kernel(&r, trace);
    cr_assert_eq(c.count, 3);
    gpc_trace_close(trace);
    rig_close(&r);
}

Test(files, list_relative_to_the_working_folder) {
    rig r;
    rig_open(&r);
    write_kernel(&r, "kernel-1.traceg", 1, 1);
    write_text(&r, "kernelslist.g", "kernel-1.traceg\n");
    write_text(&r, "list", "kernel-1.traceg\n"); /* by contents */
    cr_assert_eq(chdir(r.folder), 0);
    expect_kernels(&r, "kernelslist.g", "1");
    expect_kernels(&r, "list", "1");
    expect_kernels(&r, ".", "1");
    expect_kernels(&r, "kernel-1.traceg", "1");
    cr_assert_eq(chdir("/"), 0);
    rig_close(&r);
}

Test(files, malformed_lists) {
    static const struct {
        const char *text, *expected;
        gpc_status status;
    } cases[] = {
        {"\nkernel-9.traceg\n", "kernelslist.g:2: there is no file ", GPC_ERROR_NOT_FOUND},
        {"MemcpyHtoD\n", "kernelslist.g:1: expected \"MemcpyHtoD,0x<address>,<bytes>\"", GPC_ERROR_FORMAT},
        {"MemcpyHtoD,0x1\n", "kernelslist.g:1:", GPC_ERROR_FORMAT},
        {"MemcpyHtoD,0xz,1\n", "kernelslist.g:1:", GPC_ERROR_FORMAT},
        {"MemcpyHtoD,0x1,one\n", "kernelslist.g:1:", GPC_ERROR_FORMAT},
        {"MemcpyHtoD,0x1,1,1\n", "kernelslist.g:1:", GPC_ERROR_FORMAT},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        rig r;
        rig_open(&r);
        gpc_trace *trace = NULL;
        write_text(&r, "kernelslist.g", cases[n].text);
        expect_error(&r, gpc_trace_open(r.context, r.folder, &trace, &r.error), cases[n].status, cases[n].expected);
        cr_assert_null(trace);
        rig_close(&r);
    }
}

/* An error in a later kernel comes when reached; earlier kernels are complete. */
Test(files, damaged_kernel_in_a_list) {
    rig r;
    rig_open(&r);
    write_kernel(&r, "kernel-1.traceg", 1, 3);
    write_text(&r, "kernel-2.traceg", "-grid dim = oops\n");
    uint64_t instructions;
    gpc_status status = read_all(&r, r.folder, &instructions);
    expect_error(&r, status, GPC_ERROR_FORMAT, "kernel-2.traceg:1:");
    cr_assert_eq(instructions, 3);
    rig_close(&r);
}

Test(files, folder_without_a_list) {
    rig r;
    rig_open(&r);
    gpc_trace *trace = NULL;
    expect_error(&r, gpc_trace_open(r.context, r.folder, &trace, &r.error), GPC_ERROR_NOT_FOUND, "no .traceg");
    const unsigned ids[] = {10, 9, 100, 1, 2};
    for (size_t n = 0; n < 5; n++) {
        char name[32];
        snprintf(name, sizeof name, "kernel-%u.traceg", ids[n]);
        write_kernel(&r, name, ids[n], 1);
    }
    write_text(&r, "notes.txt", "x");
    write_text(&r, ".traceg", "not a name");
    shell(&r, "rm .traceg && gzip kernel-9.traceg && gzip -k kernel-10.traceg");
    expect_kernels(&r, r.folder, "1 2 9 10 100");
    rig_close(&r);
}

Test(files, skipping_blocks) {
    rig r;
    rig_open(&r);
    write_kernel(&r, "kernel-1.traceg", 1, 500);
    write_kernel(&r, "kernel-2.traceg", 2, 2);
    gpc_trace *trace = open_trace(&r, r.folder);
    cr_assert_float_eq(gpc_trace_progress(trace), 0, 0);
    next_kernel(&r, trace);
    next_block(&r, trace);
    const gpc_block *held = next_block(&r, trace);
    next_kernel(&r, trace);
    double progress = gpc_trace_progress(trace);
    cr_assert(progress > 0.9 && progress <= 1, "%g", progress); /* by bytes: the first kernel is nearly all */
    cr_assert_eq(next_block(&r, trace)->index, 0);
    cr_assert_eq(held->index, 1, "held blocks outlive their kernel");
    expect_last_kernel(&r, trace);
    cr_assert_float_eq(gpc_trace_progress(trace), 1, 0);
    const gpc_block *none = NULL;
    expect_error(&r, gpc_trace_next_block(trace, &none, &r.error), GPC_ERROR_STATE, "gpc_trace_next_kernel");
    gpc_trace_close(trace);
    rig_close(&r);
}

Test(files, placement) {
    rig r;
    rig_open(&r);
    write_kernel(&r, "kernel-1.traceg", 1, 3);
    write_text(&r, "kernel-1.sm", "128\n\n0\n131\n");
    gpc_trace *trace = open_trace(&r, path_of(&r, "kernel-1.traceg"));
    gpc_kernel kernel = next_kernel(&r, trace);
    cr_assert_eq(kernel.placement_count, 3);
    cr_assert(kernel.placement[0] == 128 && kernel.placement[1] == 0 && kernel.placement[2] == 131);
    gpc_trace_close(trace);
    shell(&r, "xz kernel-1.sm kernel-1.traceg");
    trace = open_trace(&r, path_of(&r, "kernel-1.traceg"));
    kernel = next_kernel(&r, trace);
    cr_assert(kernel.placement_count == 3 && kernel.placement[2] == 131);
    gpc_trace_close(trace);
    shell(&r, "rm kernel-1.sm.xz");
    write_text(&r, "kernel-1.sm", "7\n");
    trace = open_trace(&r, path_of(&r, "kernel-1.traceg.xz"));
    kernel = next_kernel(&r, trace);
    cr_assert(kernel.placement_count == 1 && kernel.placement[0] == 7);
    gpc_trace_close(trace);
    static const char *const bad[][2] = {
        {"1\nx\n", "kernel-1.sm:2: expected the number of an SM"},
        {"1 2\n", "kernel-1.sm:1: expected the number"},
        {"4294967296\n", "kernel-1.sm:1: expected the number"},
        {"1\n2\n3\n4\n", "kernel-1.sm:4: expected no more lines"},
    };
    for (size_t n = 0; n < 4; n++) {
        write_text(&r, "kernel-1.sm", bad[n][0]);
        trace = NULL;
        gpc_status status = gpc_trace_open(r.context, path_of(&r, "kernel-1.traceg"), &trace, &r.error);
        expect_error(&r, status, GPC_ERROR_FORMAT, bad[n][1]);
    }
    rig_close(&r);
}

Test(files, kinds) {
    rig r;
    rig_open(&r);
    gpc_trace *trace = NULL;
    write_kernel(&r, "trace", 5, 1);
    expect_kernels(&r, path_of(&r, "trace"), "5"); /* by contents */
    write_text(&r, "a.tracez", "");
    write_text(&r, "photo.png", "\x89PNG\r\n");
    write_text(&r, "empty", "");
    expect_error(&r, gpc_trace_open(r.context, path_of(&r, "a.tracez"), &trace, &r.error), GPC_ERROR_UNSUPPORTED,
                 "a.tracez is neither");
    expect_error(&r, gpc_trace_open(r.context, path_of(&r, "photo.png"), &trace, &r.error), GPC_ERROR_UNSUPPORTED,
                 "photo.png is neither");
    expect_error(&r, gpc_trace_open(r.context, path_of(&r, "empty"), &trace, &r.error), GPC_ERROR_UNSUPPORTED,
                 "empty is neither");
    expect_error(&r, gpc_trace_open(r.context, path_of(&r, "none.traceg"), &trace, &r.error), GPC_ERROR_NOT_FOUND,
                 "none.traceg: there is no such file");
    write_text(&r, "k.traceg", HEADER "-accelsim tracer version = 7\n#\n");
    expect_error(&r, gpc_trace_open(r.context, path_of(&r, "k.traceg"), &trace, &r.error), GPC_ERROR_UNSUPPORTED,
                 "tracer version 7");
    cr_assert_null(trace);
    rig_close(&r);
}

static unsigned open_files(void) {
    unsigned count = 0;
    DIR *folder = opendir("/proc/self/fd");
    cr_assert_not_null(folder);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

static void expect_no_children(void) {
    cr_assert_eq(waitpid(-1, NULL, WNOHANG), -1, "a child is left behind");
}

Test(files, compressed) {
    rig r;
    rig_open(&r);
    write_kernel(&r, "kernel-1.traceg", 1, 2000);
    shell(&r, "xz -k kernel-1.traceg && gzip -k kernel-1.traceg && zstd -q kernel-1.traceg && mkdir x g z only && "
              "cp *.xz x && cp *.gz g && cp *.zst z");
    unsigned before = open_files();
    static const char *const sources[] = {"kernel-1.traceg.xz",
                                          "kernel-1.traceg.gz",
                                          "kernel-1.traceg.zst",
                                          "x/kernel-1.traceg",
                                          "g/kernel-1.traceg",
                                          "z/kernel-1.traceg",
                                          "x",
                                          "g",
                                          "z"};
    for (size_t n = 0; n < sizeof sources / sizeof *sources; n++) {
        uint64_t instructions;
        gpc_status status = read_all(&r, path_of(&r, sources[n]), &instructions);
        cr_assert_eq(status, GPC_OK, "%s", r.error.message);
        cr_assert_eq(instructions, 2000, "%s", sources[n]);
        expect_same(&r, path_of(&r, "kernel-1.traceg"), path_of(&r, sources[n]));
        expect_no_children();
    }
    /* Closed early, while the decompressor has more output. */
    for (int n = 0; n < 50; n++) {
        gpc_trace *trace = open_trace(&r, path_of(&r, n % 2 ? "kernel-1.traceg.xz" : "kernel-1.traceg.zst"));
        next_kernel(&r, trace);
        if (n % 3)
            next_block(&r, trace);
        gpc_trace_close(trace);
        expect_no_children();
    }
    cr_assert_eq(open_files(), before);
    rig_close(&r);
}

Test(files, damaged_archives) {
    rig r;
    rig_open(&r);
    write_kernel(&r, "kernel-1.traceg", 1, 2000);
    shell(&r, "xz -k kernel-1.traceg && gzip -k kernel-1.traceg && zstd -q -k kernel-1.traceg && "
              "for s in xz gz zst; do head -c 1000 kernel-1.traceg.$s > cut.traceg.$s; "
              "echo rubbish > bad.traceg.$s; done; : > empty.traceg.xz");
    unsigned before = open_files();
    static const char *const names[][2] = {
        {"cut.traceg.xz", "xz"},   {"cut.traceg.gz", "gzip"},  {"cut.traceg.zst", "zstd"}, {"bad.traceg.xz", "xz"},
        {"bad.traceg.gz", "gzip"}, {"bad.traceg.zst", "zstd"}, {"empty.traceg.xz", "xz"}};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        uint64_t instructions;
        char expected[64];
        gpc_status status = read_all(&r, path_of(&r, names[n][0]), &instructions);
        snprintf(expected, sizeof expected, "%s: %s could not decompress it", names[n][0], names[n][1]);
        expect_error(&r, status, GPC_ERROR_IO, expected);
        expect_no_children();
    }
    cr_assert_eq(open_files(), before);
    rig_close(&r);
}

Test(files, missing_decompressor) {
    rig r;
    rig_open(&r);
    write_kernel(&r, "kernel-1.traceg", 1, 1);
    shell(&r, "xz -k kernel-1.traceg && mkdir none");
    char *path = strdup(getenv("PATH"));
    unsigned before = open_files();
    setenv("PATH", path_of(&r, "none"), 1);
    uint64_t instructions;
    gpc_status status = read_all(&r, path_of(&r, "kernel-1.traceg.xz"), &instructions);
    setenv("PATH", path, 1);
    free(path);
    expect_error(&r, status, GPC_ERROR_UNSUPPORTED, "kernel-1.traceg.xz: reading it needs the program 'xz'");
    expect_no_children();
    cr_assert_eq(open_files(), before);
    rig_close(&r);
}

/* Hosts ignoring SIGCHLD (the child's status is lost), or SIGPIPE, or without the standard three descriptors. */
Test(files, odd_hosts) {
    rig r;
    rig_open(&r);
    write_kernel(&r, "kernel-1.traceg", 1, 2000);
    shell(&r, "xz -k kernel-1.traceg");
    uint64_t instructions;
    signal(SIGPIPE, SIG_IGN);
    signal(SIGCHLD, SIG_IGN);
    for (int n = 0; n < 3; n++) {
        gpc_status status = read_all(&r, path_of(&r, "kernel-1.traceg.xz"), &instructions);
        cr_assert_eq(status, GPC_OK, "%s", r.error.message);
        cr_assert_eq(instructions, 2000);
        gpc_trace_close(open_trace(&r, path_of(&r, "kernel-1.traceg.xz")));
    }
    signal(SIGCHLD, SIG_DFL);
    pid_t child = fork();
    if (child == 0) {
        for (int fd = 0; fd < 3; fd++)
            close(fd);
        gpc_status status = read_all(&r, path_of(&r, "kernel-1.traceg.xz"), &instructions);
        _exit(status == GPC_OK && instructions == 2000 ? 0 : 1);
    }
    int result;
    cr_assert_eq(waitpid(child, &result, 0), child);
    cr_assert(WIFEXITED(result) && WEXITSTATUS(result) == 0);
    rig_close(&r);
}

/* A decompressor gets the usual SIGPIPE, neither ignored nor blocked as in the host: it ends when nobody reads. */
Test(files, signals_of_a_decompressor) {
    rig r;
    rig_open(&r);
    write_kernel(&r, "kernel-1.traceg", 1, 2000);
    shell(&r, "xz -k kernel-1.traceg && mkdir own && printf '#!/bin/sh\n/bin/sh -c \"kill -s PIPE \\$\\$\" && exit 9\n"
              "PATH=\"${PATH#*:}\"\nexec xz \"$@\"\n' > own/xz && chmod +x own/xz");
    char *path = strdup(getenv("PATH")), first[4096];
    snprintf(first, sizeof first, "%s:%s", path_of(&r, "own"), path);
    sigset_t pipes, before;
    sigemptyset(&pipes);
    sigaddset(&pipes, SIGPIPE);
    setenv("PATH", first, 1);
    for (int blocked = 0; blocked < 2; blocked++) {
        uint64_t instructions = 0;
        signal(SIGPIPE, blocked ? SIG_DFL : SIG_IGN);
        cr_assert_eq(sigprocmask(blocked ? SIG_BLOCK : SIG_UNBLOCK, &pipes, &before), 0);
        cr_expect_eq(read_all(&r, path_of(&r, "kernel-1.traceg.xz"), &instructions), GPC_OK, "%s", r.error.message);
        cr_expect_eq(instructions, 2000);
        cr_assert_eq(sigprocmask(SIG_SETMASK, &before, NULL), 0);
    }
    setenv("PATH", path, 1);
    free(path);
    rig_close(&r);
}

/* A host without standard input: a descriptor in the free place is closed with the trace. */
Test(files, standard_input_free) {
    rig r;
    rig_open(&r);
    write_kernel(&r, "kernel-1.traceg", 1, 2);
    convert(&r, path_of(&r, "kernel-1.traceg"), path_of(&r, "k.gct"), GPC_TRACE_BINARY);
    close(STDIN_FILENO);
    const unsigned before = open_files();
    gpc_trace *trace = open_trace(&r, path_of(&r, "k.gct"));
    cr_expect_neq(fcntl(STDIN_FILENO, F_GETFD), -1);
    gpc_trace_close(trace);
    cr_expect_eq(fcntl(STDIN_FILENO, F_GETFD), -1);
    cr_expect_eq(open_files(), before);
    rig_close(&r);
}

/* A decompressor's input is not left at standard input's place. */
Test(files, standard_input_free_of_compressed) {
    rig r;
    rig_open(&r);
    write_kernel(&r, "kernel-1.traceg", 1, 2000);
    shell(&r, "xz -k kernel-1.traceg");
    close(STDIN_FILENO);
    gpc_trace *trace = open_trace(&r, path_of(&r, "kernel-1.traceg.xz"));
    next_kernel(&r, trace);
    cr_expect_eq(fcntl(STDIN_FILENO, F_GETFD), -1);
    next_block(&r, trace);
    gpc_trace_close(trace);
    rig_close(&r);
}

/* "-" as any kind of file, read twice if asked; of a pipe, only single reads. */
Test(files, standard_input) {
    static const struct {
        const char *make, *file;
    } cases[] = {{"true", "kernel-1.traceg"},
                 {"gzip -k kernel-1.traceg", "kernel-1.traceg.gz"},
                 {"printf 'block,warp,kind,address\\n0,0,load,1\\n' > table", "table"}};
    rig r;
    rig_open(&r);
    write_kernel(&r, "kernel-1.traceg", 1, 3);
    convert(&r, strcpy((char[256]){0}, path_of(&r, "kernel-1.traceg")), path_of(&r, "k.gct"), GPC_TRACE_BINARY);
    for (size_t n = 0; n < 4; n++) {
        if (n < 3)
            shell(&r, cases[n].make);
        const int file = open(path_of(&r, n < 3 ? cases[n].file : "k.gct"), O_RDONLY);
        cr_assert(file >= 0 && dup2(file, STDIN_FILENO) == STDIN_FILENO);
        close(file);
        gpc_trace *trace = open_trace(&r, "-");
        gpc_kernel kernel = next_kernel(&r, trace);
        cr_expect_str_eq(kernel.file, "standard input");
        cr_expect_eq(next_block(&r, trace)->index, 0);
        cr_assert_eq(gpci_trace_rewind(trace, &kernel, &r.error), GPC_OK, "%s", r.error.message);
        cr_expect_eq(next_block(&r, trace)->index, 0);
        gpc_trace_close(trace);
    }
    gpc_trace *trace;
    int ends[2];
    cr_assert(!pipe(ends) && dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
    cr_assert(write(ends[1], "-grid", 5) == 5 && !close(ends[1]) && !close(ends[0]));
    gpc_status status = gpc_trace_open(r.context, "-", &trace, &r.error);
    expect_error(&r, status, GPC_ERROR_UNSUPPORTED, "standard input: a pipe can be");
    close(STDIN_FILENO);
    status = gpc_trace_open(r.context, "-", &trace, &r.error);
    cr_expect_lt(status, 0);
    cr_expect(strstr(r.error.message, "standard input: "), "%s", r.error.message);
    rig_close(&r);
}

/* Names split by a shell, or taken for an option. */
Test(files, odd_names) {
    rig r;
    rig_open(&r);
    write_kernel(&r, "-q; $(x) 'k'.traceg", 1, 1);
    shell(&r, "xz -k -- '-q; $(x) '\"'k'\"'.traceg'");
    cr_assert_eq(chdir(r.folder), 0);
    expect_kernels(&r, "-q; $(x) 'k'.traceg.xz", "1");
    expect_kernels(&r, "-q; $(x) 'k'.traceg", "1");
    cr_assert_eq(chdir("/"), 0);
    rig_close(&r);
}
