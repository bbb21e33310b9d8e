/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"

#include <gpucache/ext/hierarchy.h>
#include <gpucache/ext/replay.h>
#include <gpucache/gpucache.h>

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Statistics by stream: counts of accesses with the stream's number, in either mode, beside other streams. */

#define STREAMS 3u
#define ACCESSES 600u

typedef struct made {
    gpc_context *context;
    gpc_config *config;
    gpc_hierarchy *hierarchy;
} made;

static gpc_status make(made *m, const char *settings, gpc_error *error) {
    cr_assert_eq(gpc_context_create(NULL, &m->context, error), GPC_OK);
    cr_assert_eq(gpc_config_create(m->context, &m->config, error), GPC_OK);
    cr_assert_eq(gpc_config_load_text(m->config, settings, "test", error), GPC_OK, "%s", error->message);
    return gpc_hierarchy_create(m->context, m->config, &m->hierarchy, error);
}

static void destroy(made *m) {
    gpc_hierarchy_destroy(m->hierarchy);
    gpc_config_destroy(m->config);
    gpc_context_destroy(m->context);
}

static uint64_t value_of(const made *m, gpc_object kind, uint32_t index, uint32_t id) {
    uint64_t value = 0;
    cr_assert_eq(gpc_hierarchy_read(m->hierarchy, kind, index, &id, 1, &value, 1, NULL), GPC_OK);
    return value;
}

static uint64_t of_stream(const made *m, uint32_t stream, const char *name) {
    gpc_counter_info info = GPC_COUNTER_INFO_INIT;
    cr_assert_eq(gpc_counter_by_name(GPC_TABLE_HIERARCHY, name, &info, NULL), GPC_OK);
    return value_of(m, GPC_OBJECT_STREAM, stream, info.id);
}

static void access(const made *m, bool timed, const gpc_warp_access *w) {
    gpc_busy busy;
    while (timed && gpc_hierarchy_try_issue(m->hierarchy, w, 0, &busy, NULL) == GPC_BUSY)
        cr_assert_eq(gpc_hierarchy_advance(m->hierarchy, 1, NULL), GPC_OK);
    if (!timed)
        cr_assert_eq(gpc_hierarchy_access(m->hierarchy, w, NULL, NULL), GPC_OK);
}

/* Loads of streams 0 and 1, two of three; every third a store of stream 2; an atomic in ten of stream 1. */
static void run(const made *m, bool timed) {
    uint64_t addresses[32];
    for (uint32_t n = 0; n < ACCESSES; n++) {
        gpc_warp_access w = GPC_WARP_ACCESS_INIT;
        for (unsigned lane = 0; lane < 32; lane++)
            addresses[lane] = (uint64_t)(n * 7919 % 300) * 128 + lane * 4;
        w.sm = n % 2;
        w.stream = (uint8_t)(n % STREAMS);
        w.kind = w.stream == 2 ? GPC_STORE : n % 30 == 1 ? GPC_REDUCTION : GPC_LOAD;
        w.mask = UINT32_MAX;
        w.width = 4;
        w.addresses = addresses;
        access(m, timed, &w);
    }
    if (timed)
        cr_assert_eq(gpc_hierarchy_drain(m->hierarchy, NULL), GPC_OK);
}

/* Sums over streams are the whole's; returns the number of counters above 0. */
static unsigned check_sums(const made *m) {
    unsigned seen = 0;
    gpc_counter_info info = GPC_COUNTER_INFO_INIT;
    for (size_t i = 0; gpc_counter_table_at(GPC_TABLE_HIERARCHY, i, &info, NULL) == GPC_OK && !info.ratio; i++) {
        uint64_t sum = 0;
        if (!(info.objects >> GPC_OBJECT_STREAM & 1))
            continue;
        for (uint32_t stream = 0; stream < STREAMS; stream++)
            sum += value_of(m, GPC_OBJECT_STREAM, stream, info.id);
        cr_expect_eq(sum, value_of(m, GPC_OBJECT_WHOLE, 0, info.id), "%s", info.name);
        seen += sum > 0;
    }
    return seen;
}

#define SMALL "sm.count = 2\nl1.size = 4KiB\nl2.size = 24KiB\nstreams = 3\n"

Test(streams, sums) {
    static const char *const settings[] = {
        SMALL "mode = functional\n", SMALL "mode = timed\n", SMALL "mode = timed\nl1.enabled = false\nthreads = 2\n",
        SMALL "mode = timed\nl1.sectors = 4\nl2.sectors = 4\nl1.coalescer = sector\n"};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        made m;
        gpc_error error = GPC_ERROR_INIT;
        cr_assert_eq(make(&m, settings[i], &error), GPC_OK, "%s", error.message);
        cr_expect_eq(gpc_hierarchy_object_count(m.hierarchy, GPC_OBJECT_STREAM), STREAMS);
        run(&m, i > 0);
        cr_expect_geq(check_sums(&m), i == 2 ? 9 : 12, "%s", settings[i]);
        cr_expect_eq(of_stream(&m, 0, "l1.load_requests"), ACCESSES / 3);
        cr_expect_eq(of_stream(&m, 1, "l1.load_requests"), ACCESSES / 3 - ACCESSES / 30);
        cr_expect_eq(of_stream(&m, 1, "l1.atomic_requests"), ACCESSES / 30);
        cr_expect_eq(of_stream(&m, 2, "l1.store_sectors"), 4 * ACCESSES / 3);
        cr_expect_eq(of_stream(&m, 2, "l2.read_sectors"), 0);
        cr_expect_gt(of_stream(&m, 0, "l2.read_sectors"), 0);
        gpc_hierarchy_reset_stats(m.hierarchy);
        cr_expect_eq(check_sums(&m), 0);
        destroy(&m);
    }
}

/* Cold lines of every stream: stream 0 loads, 1 copies in bulk, 2 reduces. */
static void run_apart(const made *m, bool timed) {
    uint64_t addresses[32];
    for (uint32_t n = 0; n < ACCESSES; n++) {
        gpc_warp_access w = GPC_WARP_ACCESS_INIT;
        w.stream = (uint8_t)(n % STREAMS);
        for (unsigned lane = 0; lane < 32; lane++)
            addresses[lane] = ((uint64_t)(1 + w.stream) << 30) + n / STREAMS * 4096 + lane * 4;
        w.sm = n % 2;
        w.kind = w.stream == 2 ? GPC_REDUCTION : GPC_LOAD;
        w.copy = w.stream == 1 ? GPC_COPY_BULK : GPC_COPY_NONE;
        w.mask = w.stream == 1 ? 1 : UINT32_MAX;
        w.width = w.stream == 1 ? 128 : 4;
        w.addresses = addresses;
        access(m, timed, &w);
    }
    if (timed)
        cr_assert_eq(gpc_hierarchy_drain(m->hierarchy, NULL), GPC_OK);
}

/* A stream counts its lines, with lines of other streams in between. */
Test(streams, shares) {
    static const char *const settings[] = {"mode = functional\n", "mode = timed\n", "mode = timed\nl2.sectors = 4\n",
                                           "mode = timed\nl2.partitions = 2\nl2.sectors = 4\n",
                                           "mode = timed\nthreads = 2\n"};
    const uint64_t all = 4 * ACCESSES / STREAMS;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        made m;
        gpc_error error = GPC_ERROR_INIT;
        char text[200];
        snprintf(text, sizeof text, "sm.count = 2\nl2.slices = 2\nl2.size = 8MiB\nstreams = 3\n%s", settings[i]);
        cr_assert_eq(make(&m, text, &error), GPC_OK, "%s", error.message);
        run_apart(&m, i > 0);
        cr_expect_geq(check_sums(&m), 6, "%s", settings[i]);
        for (uint32_t stream = 0; stream < STREAMS; stream++) {
            cr_expect_eq(of_stream(&m, stream, "dram.read_sectors"), all, "%s: %u", settings[i], stream);
            cr_expect_eq(of_stream(&m, stream, "l2.read_sectors"), stream < 2 ? all : 0, "%s: %u", settings[i], stream);
            cr_expect_eq(of_stream(&m, stream, "l2.atomic_sectors"), stream < 2 ? 0 : all);
        }
        destroy(&m);
    }
}

/* Write-backs of an L1 belong to no stream. */
Test(streams, write_backs) {
    made m;
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(make(&m, SMALL "mode = timed\nl1.write_policy = back\nl1.write_allocate = fetch\n", &error), GPC_OK);
    run(&m, true);
    measured_stats stats;
    measured_clear(&stats);
    cr_assert_eq(measure_hierarchy(m.hierarchy, &stats), GPC_OK);
    cr_expect_gt(stats.l1_write_back_sectors, 0);
    cr_expect_eq(stats.l2_write_sectors, stats.l1_write_back_sectors);
    for (uint32_t stream = 0; stream < STREAMS; stream++)
        cr_expect_eq(of_stream(&m, stream, "l2.write_sectors"), 0);
    destroy(&m);
}

/* Loads of a stream evict lines that another stream has written: reads of L2 for the write-backs belong to no stream. */
Test(streams, reads_for_write_backs) {
    static const char *const modes[] = {SMALL "mode = functional\n", SMALL "mode = timed\n"};
    for (unsigned timed = 0; timed < 2; timed++) {
        made m;
        gpc_error error = GPC_ERROR_INIT;
        char settings[256];
        snprintf(settings, sizeof settings, "%sl1.write_policy = back\nl1.write_allocate = lazy\n", modes[timed]);
        cr_assert_eq(make(&m, settings, &error), GPC_OK, "%s", error.message);
        for (unsigned n = 0; n < 128; n++) { /* L1 has 32 lines */
            gpc_warp_access w = GPC_WARP_ACCESS_INIT;
            const uint64_t address = n * 128;
            w.kind = n < 32 ? GPC_STORE : GPC_LOAD;
            w.stream = n >= 32;
            w.mask = 1, w.width = 4, w.addresses = &address;
            access(&m, timed, &w);
            if (timed)
                cr_assert_eq(gpc_hierarchy_drain(m.hierarchy, NULL), GPC_OK);
        }
        cr_expect_eq(of_stream(&m, 0, "dram.read_sectors"), 0);
        cr_expect_eq(of_stream(&m, 1, "dram.read_sectors"), 4 * 96, "%s", modes[timed]);
        destroy(&m);
    }
}

Test(streams, names_and_refusals) {
    made m;
    gpc_error error = GPC_ERROR_INIT;
    char name[GPC_OBJECT_NAME];
    const uint64_t address = 0;
    gpc_warp_access w = GPC_WARP_ACCESS_INIT;
    w.mask = 1, w.width = 4, w.addresses = &address, w.stream = STREAMS;
    cr_assert_eq(make(&m, SMALL "mode = timed\n", &error), GPC_OK);
    cr_assert_eq(gpc_hierarchy_object_name(m.hierarchy, GPC_OBJECT_STREAM, 2, name, sizeof name, NULL), GPC_OK);
    cr_expect_str_eq(name, "stream-2");
    cr_expect_eq(gpc_hierarchy_try_issue(m.hierarchy, &w, 0, NULL, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_hierarchy_try_issue(m.hierarchy, &w, 0, NULL, &error), GPC_ERROR_ARGUMENT);
    cr_expect(strstr(error.message, "stream is not below the key streams"), "%s", error.message);
    gpc_request request = {.kind = GPC_LOAD, .stream = STREAMS};
    cr_expect_eq(gpc_hierarchy_try_miss(m.hierarchy, &request, 0, NULL, NULL), GPC_ERROR_ARGUMENT);
    request.stream = 1;
    cr_assert_eq(gpc_hierarchy_try_miss(m.hierarchy, &request, 0, NULL, NULL), GPC_OK);
    cr_assert_eq(gpc_hierarchy_drain(m.hierarchy, &error), GPC_OK);
    cr_expect_eq(of_stream(&m, 1, "l2.read_sectors"), 4);
    destroy(&m);
    cr_assert_eq(make(&m, "mode = timed\n", &error), GPC_OK);
    cr_expect_eq(gpc_hierarchy_object_count(m.hierarchy, GPC_OBJECT_STREAM), 0);
    w.stream = 1;
    cr_expect_eq(gpc_hierarchy_try_issue(m.hierarchy, &w, 0, NULL, NULL), GPC_ERROR_ARGUMENT);
    destroy(&m);
    m.hierarchy = NULL;
    cr_expect_eq(make(&m, SMALL "coherence = nmoesi\n", &error), GPC_ERROR_RANGE);
    cr_expect(strstr(error.message, "streams = 3 needs coherence = none or viper"), "%s", error.message);
    destroy(&m);
}

/* A snapshot contains statistics by stream. */
Test(streams, snapshots) {
    made m;
    gpc_error error = GPC_ERROR_INIT;
    gpc_hierarchy *copy;
    cr_assert_eq(make(&m, SMALL "mode = timed\n", &error), GPC_OK);
    run(&m, true);
    cr_assert_eq(gpc_hierarchy_copy(m.hierarchy, &copy, &error), GPC_OK, "%s", error.message);
    const made other = {m.context, m.config, copy};
    for (uint32_t stream = 0; stream < STREAMS; stream++)
        cr_expect_eq(of_stream(&m, stream, "l2.read_sectors"), of_stream(&other, stream, "l2.read_sectors"));
    cr_expect_gt(check_sums(&other), 0);
    gpc_hierarchy_destroy(copy);
    destroy(&m);
}
