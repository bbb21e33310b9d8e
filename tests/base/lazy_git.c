/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Criterion starts libgit2 in every test's process, for text differences shown by newer assertions, and libgit2 reads
 * all certificates trusted by the machine: half of the cost of a short test. A program's functions come before
 * functions of libraries: the functions below start libgit2 only for a difference to show.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef int (*plain_call)(void);
typedef int (*diff_call)(const void *, size_t, const char *, const void *, size_t, const char *, const void *,
                         const void *, const void *, const void *, const void *, void *);

int git_libgit2_init(void);
int git_libgit2_shutdown(void);
int git_diff_buffers(const void *before, size_t before_size, const char *before_name, const void *after,
                     size_t after_size, const char *after_name, const void *options, const void *on_file,
                     const void *on_binary, const void *on_hunk, const void *on_line, void *user_data);

static bool started;

/* Sets the function pointer behind `call`; C has no cast from dlsym's result. */
static void find_call(const char *name, void *call) {
    void *const found = dlsym(RTLD_NEXT, name);
    memcpy(call, &found, sizeof found);
}

int git_libgit2_init(void) {
    return 1;
}

int git_libgit2_shutdown(void) {
    plain_call shutdown = NULL;
    if (started)
        find_call("git_libgit2_shutdown", &shutdown);
    started = false;
    return shutdown ? shutdown() : 0;
}

int git_diff_buffers(const void *before, size_t before_size, const char *before_name, const void *after,
                     size_t after_size, const char *after_name, const void *options, const void *on_file,
                     const void *on_binary, const void *on_hunk, const void *on_line, void *user_data) {
    plain_call start;
    diff_call diff;
    find_call("git_libgit2_init", &start);
    find_call("git_diff_buffers", &diff);
    if (!start || !diff || (!started && start() < 0))
        return -1;
    started = true;
    return diff(before, before_size, before_name, after, after_size, after_name, options, on_file, on_binary, on_hunk,
                on_line, user_data);
}
