/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/*
 * Recorder of reached places. reach.py links the file into a test program with files compiled with -fsanitize-
 * coverage=trace-pc, or with calls of gpci_reach (wakes.c). A test is a process of its own, and appends a line to the
 * file named by GPUCACHE_REACH:
 *
 *   SUITE/TEST SECONDS PLACE...     places are offsets in the program, or numbers of wake-ups, in hexadecimal
 */

extern const char __executable_start;

#define LARGEST_PROGRAM (16u << 20)
static unsigned char reached[LARGEST_PROGRAM];
static char name[256]; /* kept in time: at the end Criterion has given the test up */

void __sanitizer_cov_trace_pc(void);
void gpci_reach(size_t at);

void __sanitizer_cov_trace_pc(void) {
    gpci_reach((size_t)((const char *)__builtin_return_address(0) - &__executable_start));
}

void gpci_reach(size_t at) {
    if (at < sizeof reached)
        reached[at] = 1;
    if (!*name && criterion_current_test && criterion_current_suite)
        snprintf(name, sizeof name, "%s/%s", criterion_current_suite->name, criterion_current_test->name);
}

__attribute__((destructor)) static void tell(void) {
    const char *path = getenv("GPUCACHE_REACH");
    if (!path || !*name)
        return;
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    char *line = NULL;
    size_t size = 0;
    FILE *text = open_memstream(&line, &size);
    if (!text)
        return;
    fprintf(text, "%s %.3f", name, (double)used.tv_sec + (double)used.tv_nsec * 1e-9);
    for (size_t at = 0; at < sizeof reached; at++)
        if (reached[at])
            fprintf(text, " %zx", at);
    fputc('\n', text);
    fclose(text);
    const int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (file < 0 || write(file, line, size) != (ssize_t)size)
        perror(path);
    close(file);
    free(line);
}
