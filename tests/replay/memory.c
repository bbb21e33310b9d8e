/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/ext/hierarchy.h>
#include <gpucache/gpucache.h>

#include "base/check.h"
#include "effort.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Largest memory use of a replay: equal calls use equal bytes, on every machine with such pointers. */

typedef struct heap {
    size_t live, peak;
} heap;

/* A block has the size in front, with padding for alignment. */
enum { HEAD = 64 };

static void *resize(void *data, void *memory, size_t bytes) {
    heap *h = data;
    char *block = memory ? (char *)memory - HEAD : NULL;
    size_t before = 0;
    if (block)
        memcpy(&before, block, sizeof before);
    block = realloc(block, HEAD + bytes);
    cr_assert(block);
    memcpy(block, &bytes, sizeof bytes);
    h->live += bytes - before;
    h->peak = h->peak > h->live ? h->peak : h->live;
    return block + HEAD;
}

static void *allocate(void *data, size_t bytes) {
    return resize(data, NULL, bytes);
}

static void release(void *data, void *memory) {
    heap *h = data;
    if (!memory)
        return;
    size_t bytes;
    memcpy(&bytes, (char *)memory - HEAD, sizeof bytes);
    h->live -= bytes;
    free((char *)memory - HEAD);
}

/* All kernels of a source run. */
static void run(const gpc_context_options *options, const char *preset, const char *mode, const char *coherence,
                const char *source) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context;
    gpc_config *config;
    gpc_trace *trace;
    gpc_replay *replay;
    cr_assert_eq(gpc_context_create(options, &context, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_config_create(context, &config, &error), GPC_OK);
    cr_assert_eq(gpc_config_load_preset(config, preset, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_config_set(config, "mode", mode, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_config_set(config, "coherence", coherence, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_trace_open(context, source, &trace, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_replay_create(context, config, &replay, &error), GPC_OK, "%s", error.message);
    gpc_kernel kernel = GPC_KERNEL_INIT;
    measured_stats stats;
    measured_clear(&stats);
    gpc_status status;
    do
        status = measure_kernel(replay, trace, &kernel, &stats, &error);
    while (status == GPC_OK);
    cr_assert_eq(status, GPC_END, "%s", error.message);
    gpc_replay_destroy(replay);
    gpc_trace_close(trace);
    gpc_config_destroy(config);
    gpc_context_destroy(context);
}

/* Largest number of bytes in use meanwhile. */
static size_t peak_of(const char *preset, const char *mode, const char *source) {
    heap h = {0, 0};
    gpc_context_options options = GPC_CONTEXT_OPTIONS_INIT;
    options.allocate = allocate;
    options.resize = resize;
    options.release = release;
    options.allocator_data = &h;
    run(&options, preset, mode, "none", source);
    cr_assert_eq(h.live, 0);
    return h.peak;
}

static long resident_kib(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) ? 0 : usage.ru_maxrss;
}

/* KiB of memory touched meanwhile, in a separate process with the C library's allocator. */
static long touched_by(const char *preset, const char *coherence, const char *source) {
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (!child) {
#ifdef __GLIBC__
        mallopt(M_PERTURB, 0); /* MALLOC_PERTURB_, set by test runners, touches all allocations */
#endif
        const long before = resident_kib();
        run(NULL, preset, "timed", coherence, source);
        const long added = resident_kib() - before;
        _exit(write(ends[1], &added, sizeof added) != sizeof added);
    }
    long added = 0;
    int status = 0;
    close(ends[1]);
    cr_assert_eq(read(ends[0], &added, sizeof added), (ssize_t)sizeof added);
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0);
    close(ends[0]);
    return added;
}

#define MIB (1u << 20)

/* A checking build counts twice (base/check.h): a MiB for second counts. */
static void expect_at_most(const char *preset, const char *mode, const char *source, size_t most) {
    const size_t mib = most + GPCI_CHECKING;
    size_t peak = peak_of(preset, mode, source);
    cr_expect_leq(peak, mib * MIB, "%s, %s, %s: %.1f MiB, not at most %zu", preset, mode, source, (double)peak / MIB,
                  mib);
}

/* MiB without a clock: 32, and more for b200's 1 million lines of L2 and the lines of a cache beside memory. */
static size_t functional_mib(const char *preset) {
    return !strcmp(preset, "b200") ? 42 : !strcmp(preset, "rx6900xt") ? 37 : !strcmp(preset, "mi300x") ? 82 : 32;
}

/* Without a clock: lines, mainly of L2 and of the cache beside memory, and a thread block per SM at a time. */
Test(replay_memory, functional) {
    for (size_t i = 0; i < gpc_preset_count(); i++) {
        const char *name = NULL;
        cr_assert_eq(gpc_preset_at(i, &name, NULL, NULL), GPC_OK);
        expect_at_most(name, "functional", "synthetic:gather:256KiB", functional_mib(name));
    }
}

/* With a clock: also a scoreboard per warp and room for accesses in flight. A fifth or less is free. */
Test(replay_memory, timed) {
    expect_at_most("gtx480", "timed", "synthetic:vectoradd:1MiB", 6);
    expect_at_most("gtx480", "timed", "synthetic:gather:256KiB", 7);
    expect_at_most("qv100", "timed", "synthetic:gather:32KiB", 37);
    expect_at_most("qv100", "timed", "synthetic:warp-reuse:1MiB:lines=8,repeats=2", 39);
    expect_at_most("h100", "timed", "synthetic:gather:32KiB", 63);
    expect_at_most("h100", "timed", "synthetic:warp-reuse:1MiB:lines=8,repeats=2", 64);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WATCHED true /* by tools with extra memory per byte */
#else
#define WATCHED false
#endif

/*
 * As many lines under way as L1s allow, followed by all issues of the warps: the process must stay below 64 MiB, with
 * up to 6 for code and libraries. On h100 98,000 lines are under way at once, with 131,000 packets.
 */
Test(replay_memory, touched, .disabled = WATCHED) {
    static const struct {
        const char *preset, *source;
        long mib;
    } cases[] = {{"qv100", "synthetic:gather:256KiB", 36},
                 {"a100", "synthetic:gather:256KiB", 55},
                 {"h100", "synthetic:gather:256KiB", 57},
                 {"qv100", "synthetic:gather:2MiB", 36},
                 {"a100", "synthetic:gather:2MiB", 60},
                 {"h100", "synthetic:gather:2MiB", 79},
                 {"h100", "synthetic:warp-reuse:8MiB:lines=8,repeats=8", 70}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases && !(i && effort_is_small()); i++) {
        const long kib = touched_by(cases[i].preset, "none", cases[i].source);
        cr_expect_leq(kib, cases[i].mib * 1024, "%s, %s: %ld KiB", cases[i].preset, cases[i].source, kib);
    }
}

/*
 * A tree of coherent modules has a tag per possible line, and per block a state and a code of sharers; but tasks,
 * locks, messages, owners other than a single sharer, sets of several sharers and entries of memory's directory only
 * for blocks in use now or earlier. On h100 the contents of L1s and L2 exceed 64 MiB.
 */
Test(replay_memory, touched_by_trees, .disabled = WATCHED) {
    static const struct {
        const char *preset, *protocol, *source;
        long mib;
    } cases[] = {{"qv100", "vi", "synthetic:gather:32KiB", 17},     {"qv100", "vi", "synthetic:gather:256KiB", 42},
                 {"qv100", "nmoesi", "synthetic:gather:1MiB", 52},  {"a100", "vi", "synthetic:gather:32KiB", 22},
                 {"a100", "vi", "synthetic:gather:256KiB", 48},     {"a100", "nmoesi", "synthetic:gather:256KiB", 53},
                 {"a100", "vi", "synthetic:vectoradd:1MiB", 63},    {"h100", "vi", "synthetic:gather:32KiB", 26},
                 {"h100", "vi", "synthetic:gather:256KiB", 56},     {"h100", "nmoesi", "synthetic:gather:32KiB", 30},
                 {"h100", "nmoesi", "synthetic:gather:256KiB", 62}, {"h100", "vi", "synthetic:gather:1MiB", 88},
                 {"h100", "nmoesi", "synthetic:vectoradd:1MiB", 81}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases && !(i && effort_is_small()); i++) {
        const long kib = touched_by(cases[i].preset, cases[i].protocol, cases[i].source);
        cr_expect_leq(kib, cases[i].mib * 1024, "%s, %s, %s: %ld KiB", cases[i].preset, cases[i].protocol,
                      cases[i].source, kib);
    }
}

/* Four times as many thread blocks, with no more of them resident: memory grows by at most a hundredth. */
Test(replay_memory, does_not_grow_with_the_trace) {
    static const char *const modes[] = {"functional", "timed"};
    for (size_t i = 0; i < 2; i++) {
        size_t some = peak_of("gtx480", modes[i], "synthetic:vectoradd:2MiB");
        size_t more = peak_of("gtx480", modes[i], "synthetic:vectoradd:8MiB");
        cr_expect_leq(more, some + some / 100, "%s: %zu and %zu bytes", modes[i], some, more);
    }
}
