/* SPDX-License-Identifier: BSD-2-Clause */
#ifdef __linux__
#define _GNU_SOURCE
#include <sched.h>
#else
#define _XOPEN_SOURCE 700
#endif

#include "hierarchy/snapshot_rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* With threads: each has packets, accesses and times, which the copy's threads divide anew. */
Test(hierarchy_snapshots, threads) {
    static const char *const settings[] = {
        "threads = 2\n",
        "threads = 3\nl2.partitions = 2\nl1.replacement = drrip\n",
        "threads = 4\nl1.reorder = warp\nlrc.sms = 2\n",
        "threads = 2\nnetwork.queues = virtual\nclock.network = 700\n",
        "threads = 2\nl1.enabled = false\nl2.atomic_cycles = 4\n",
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        cr_expect(snapshot_check(settings[i], true), "%s", settings[i]);
}

/* Threads of a hierarchy with this setting. */
static uint32_t threads_of(const char *number) {
    gpc_error error = GPC_ERROR_INIT;
    snapshot_host made;
    char setting[32];
    snprintf(setting, sizeof setting, "threads = %s\n", number);
    cr_assert_eq(snapshot_make(setting, true, &made, &error), GPC_OK, "%s", error.message);
    const uint32_t threads = gpc_hierarchy_threads(made.hierarchy);
    gpc_hierarchy_destroy(made.hierarchy);
    return threads;
}

/* Saved with a number of threads, loaded with another: explicitly, with any number of processors. */
Test(hierarchy_snapshots, numbers_of_threads) {
    static const char *const settings[] = {"threads = 1\n", "threads = 3\n", "threads = auto\n"};
    static const char *const others[] = {"1", "2", "3"};
    gpc_error error = GPC_ERROR_INIT;
    char path[] = "/tmp/gpucache-threads-XXXXXX";
    snapshot_host a;
    cr_assert_geq(mkstemp(path), 0);
    cr_assert_eq(gpc_context_create(NULL, &snapshot_context, &error), GPC_OK);
    for (size_t i = 0; i < 9; i++) {
        cr_assert_eq(snapshot_make(settings[i / 3], true, &a, &error), GPC_OK, "%s", error.message);
        snapshot_drive(&a, 150);
        cr_assert_eq(gpc_hierarchy_save(a.hierarchy, &(gpc_stream)GPC_STREAM_FILE(path), &error), GPC_OK, "%s",
                     error.message);
        snapshot_host b = a;
        snapshot_bytes bytes = snapshot_save(&a);
        cr_assert_eq(i & 1 ? gpc_hierarchy_load(snapshot_context, &(gpc_stream)GPC_STREAM_FILE(path),
                                                &(gpc_load_options){sizeof(gpc_load_options), others[i % 3]},
                                                &b.hierarchy, &error)
                           : gpc_hierarchy_load(
                                 snapshot_context, &(gpc_stream)GPC_STREAM_READ(snapshot_read_bytes, &bytes),
                                 &(gpc_load_options){sizeof(gpc_load_options), others[i % 3]}, &b.hierarchy, &error),
                     GPC_OK, "%s", error.message);
        cr_expect_eq(gpc_hierarchy_threads(b.hierarchy), threads_of(others[i % 3]), "%s, %s", settings[i / 3],
                     others[i % 3]);
        snapshot_attach(&b);
        snapshot_drive(&a, 300), snapshot_drive(&b, 300);
        snapshot_finish(&a), snapshot_finish(&b);
        snapshot_expect_same(&a, &b, others[i % 3]);
        gpc_hierarchy_destroy(b.hierarchy);
        cr_expect_eq(gpc_hierarchy_load(snapshot_context, &(gpc_stream)GPC_STREAM_FILE(path),
                                        &(gpc_load_options){sizeof(gpc_load_options), "many"}, &b.hierarchy, &error),
                     GPC_ERROR_FORMAT);
        cr_expect(strstr(error.message, "threads"), "%s", error.message);
        bytes.at = 0;
        cr_expect_eq(gpc_hierarchy_load(snapshot_context, &(gpc_stream)GPC_STREAM_READ(snapshot_read_bytes, &bytes),
                                        &(gpc_load_options){sizeof(gpc_load_options), "many"}, &b.hierarchy, &error),
                     GPC_ERROR_FORMAT);
        cr_expect(strstr(error.message, "threads"), "%s", error.message);
        free(bytes.data);
        gpc_hierarchy_destroy(a.hierarchy);
    }
    gpc_context_destroy(snapshot_context);
    remove(path);
}

/* Saved at a point with 1, 2 and 3 threads: different bytes, but equal continuations. */
Test(hierarchy_snapshots, saved_with_any_number_of_threads) {
    static const char *const settings[] = {"threads = 1\n", "threads = 2\n", "threads = 3\n"};
    static const char *const then[] = {"2", "1", "1"};
    enum { COUNT = sizeof settings / sizeof *settings };
    gpc_error error = GPC_ERROR_INIT;
    snapshot_host loaded[COUNT];
    cr_assert_eq(gpc_context_create(NULL, &snapshot_context, &error), GPC_OK);
    for (size_t i = 0; i < COUNT; i++) {
        snapshot_host made;
        cr_assert_eq(snapshot_make(settings[i], true, &made, &error), GPC_OK, "%s", error.message);
        snapshot_drive(&made, 150);
        snapshot_bytes bytes = snapshot_save(&made);
        cr_assert_gt(gpc_hierarchy_in_flight(made.hierarchy), 2);
        loaded[i] = made;
        cr_assert_eq(gpc_hierarchy_load(snapshot_context, &(gpc_stream)GPC_STREAM_READ(snapshot_read_bytes, &bytes),
                                        &(gpc_load_options){sizeof(gpc_load_options), then[i]}, &loaded[i].hierarchy,
                                        &error),
                     GPC_OK, "%s", error.message);
        snapshot_attach(&loaded[i]);
        gpc_hierarchy_destroy(made.hierarchy);
        free(bytes.data);
        snapshot_drive(&loaded[i], 300);
        snapshot_finish(&loaded[i]);
        snapshot_expect_same(&loaded[0], &loaded[i], settings[i]);
    }
    for (size_t i = 0; i < COUNT; i++)
        gpc_hierarchy_destroy(loaded[i].hierarchy);
    gpc_context_destroy(snapshot_context);
}

#ifdef __linux__
/* Run on `count` of the existing processors; returns the number. */
static uint32_t run_on(const cpu_set_t *all, uint32_t count) {
    cpu_set_t some;
    uint32_t taken = 0;
    CPU_ZERO(&some);
    for (int cpu = 0; cpu < CPU_SETSIZE && taken < count; cpu++)
        if (CPU_ISSET(cpu, all)) {
            CPU_SET(cpu, &some);
            taken++;
        }
    cr_assert_eq(sched_setaffinity(0, sizeof some, &some), 0);
    return taken;
}

/* Saved with a number of threads, loaded with `auto`, with more processors, or fewer. */
Test(hierarchy_snapshots, other_threads) {
    gpc_error error = GPC_ERROR_INIT;
    cpu_set_t all;
    snapshot_host a;
    cr_assert_eq(sched_getaffinity(0, sizeof all, &all), 0);
    cr_assert_eq(gpc_context_create(NULL, &snapshot_context, &error), GPC_OK);
    for (uint32_t first = 1; first <= 2; first++) {
        const uint32_t before = run_on(&all, first);
        cr_assert_eq(snapshot_make("threads = auto\n", true, &a, &error), GPC_OK, "%s", error.message);
        cr_expect_eq(gpc_hierarchy_threads(a.hierarchy), before);
        snapshot_drive(&a, 150);
        snapshot_bytes file = snapshot_save(&a);
        const uint32_t then = run_on(&all, 3 - first);
        snapshot_host b = snapshot_load(&a, &file);
        cr_expect_eq(gpc_hierarchy_threads(b.hierarchy), then);
        snapshot_attach(&b);
        snapshot_expect_same(&a, &b, "other threads");
        snapshot_drive(&a, 300), snapshot_drive(&b, 300);
        snapshot_finish(&a), snapshot_finish(&b);
        snapshot_expect_same(&a, &b, "other threads");
        gpc_hierarchy_destroy(a.hierarchy);
        gpc_hierarchy_destroy(b.hierarchy);
        free(file.data);
    }
    run_on(&all, CPU_SETSIZE);
    gpc_context_destroy(snapshot_context);
}

static bool refuse_all(void *user_data, const gpc_memory_request *request) {
    (void)user_data, (void)request;
    return false;
}

/* A host's memory needs one thread: if `auto` has several threads instead of the saved one, the file is refused. */
Test(hierarchy_snapshots, memory_of_the_host_and_threads) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
    gpc_hierarchy *loaded = NULL;
    cpu_set_t all;
    snapshot_host a;
    callbacks.on_memory = refuse_all;
    cr_assert_eq(sched_getaffinity(0, sizeof all, &all), 0);
    cr_assert_eq(gpc_context_create(NULL, &snapshot_context, &error), GPC_OK);
    run_on(&all, 1);
    cr_assert_eq(snapshot_make("threads = auto\n", true, &a, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_hierarchy_set_callbacks(a.hierarchy, &callbacks, NULL), GPC_OK);
    snapshot_bytes file = snapshot_save(&a);
    if (run_on(&all, 2) == 2) {
        gpc_status status = gpc_hierarchy_load(
            snapshot_context, &(gpc_stream)GPC_STREAM_READ(snapshot_read_bytes, &file), NULL, &loaded, &error);
        cr_expect_eq(status, GPC_ERROR_UNSUPPORTED);
        cr_expect_not_null(strstr(error.message, "a host's memory with several threads"), "%s", error.message);
        cr_expect_not_null(strstr(error.message, "offset"), "%s", error.message);
        cr_expect_null(loaded);
    }
    run_on(&all, 1);
    const snapshot_host b = snapshot_load(&a, &file);
    cr_expect_eq(gpc_hierarchy_set_callbacks(b.hierarchy, &callbacks, NULL), GPC_OK);
    gpc_hierarchy_destroy(a.hierarchy);
    gpc_hierarchy_destroy(b.hierarchy);
    free(file.data);
    run_on(&all, CPU_SETSIZE);
    gpc_context_destroy(snapshot_context);
}
#endif
