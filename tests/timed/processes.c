/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"

#include <gpucache/experimental/experimental.h>
#include <gpucache/ext/hierarchy.h>
#include <gpucache/ext/observe.h>
#include <gpucache/ext/parts.h>
#include <gpucache/ext/replay.h>
#include <gpucache/gpucache.h>

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Accesses of several processes (types.h, GPC_PROCESSES), with a clock and without. */

#define LAST ((UINT64_C(1) << GPC_PROCESS_SHIFT) - 128) /* the last line that a process has */

/* Last values told by callbacks and events, and their number. */
typedef struct seen {
    uint64_t fills[3], evictions[3], transfers, events;
    uint64_t fill_address, evict_address, request_address, memory_address, event_address;
    uint8_t fill_process, evict_process, memory_process, event_process;
    uint64_t ids[64], id_count, answered;
    uint64_t completed;
    bool wrong; /* an address has bits of a process */
} seen;

typedef struct made {
    gpc_context *context;
    gpc_config *config;
    gpc_hierarchy *hierarchy;
    gpc_error error;
    bool timed;
} made;

static void make(made *m, bool timed, const char *settings) {
    char text[700];
    *m = (made){.timed = timed, .error = GPC_ERROR_INIT};
    snprintf(text, sizeof text, "mode = %s\nsm.count = 2\nl1.size = 4KiB\nl2.size = 64KiB\nlaunch.sectors = 0\n%s",
             timed ? "timed" : "functional", settings);
    cr_assert_eq(gpc_context_create(NULL, &m->context, &m->error), GPC_OK);
    cr_assert_eq(gpc_config_create(m->context, &m->config, &m->error), GPC_OK);
    cr_assert_eq(gpc_config_load_text(m->config, text, "test", &m->error), GPC_OK, "%s", m->error.message);
    cr_assert_eq(gpc_hierarchy_create(m->context, m->config, &m->hierarchy, &m->error), GPC_OK, "%s: %s", settings,
                 m->error.message);
}

static void destroy(made *m) {
    gpc_hierarchy_destroy(m->hierarchy);
    gpc_config_destroy(m->config);
    gpc_context_destroy(m->context);
}

static uint64_t lanes[32];

/* 128 bytes of a line. */
static gpc_warp_access line_of(uint8_t process, uint64_t address, gpc_kind kind) {
    gpc_warp_access w = GPC_WARP_ACCESS_INIT;
    for (unsigned i = 0; i < 32; i++)
        lanes[i] = address + 4 * i;
    w.addresses = lanes;
    w.mask = UINT32_MAX;
    w.width = 4;
    w.kind = (uint8_t)kind;
    w.process = process;
    return w;
}

static gpc_status offer(const made *m, const gpc_warp_access *w, gpc_error *error) {
    gpc_busy busy;
    gpc_status status;
    if (!m->timed)
        return gpc_hierarchy_access(m->hierarchy, w, NULL, error);
    while ((status = gpc_hierarchy_try_issue(m->hierarchy, w, 7, &busy, error)) == GPC_BUSY)
        cr_assert_eq(gpc_hierarchy_advance(m->hierarchy, 1, NULL), GPC_OK);
    return status;
}

static void settle(const made *m) {
    gpc_error error = GPC_ERROR_INIT;
    if (m->timed)
        cr_assert_eq(gpc_hierarchy_drain(m->hierarchy, &error), GPC_OK, "%s", error.message);
}

static void access(const made *m, uint8_t process, uint64_t address, gpc_kind kind) {
    const gpc_warp_access w = line_of(process, address, kind);
    cr_assert_eq(offer(m, &w, NULL), GPC_OK);
    settle(m);
}

static measured_stats stats_of(const made *m) {
    measured_stats stats;
    measured_clear(&stats);
    cr_assert_eq(measure_hierarchy(m->hierarchy, &stats), GPC_OK);
    return stats;
}

/* A load with a number of sectors found in L1, and read from memory. */
static void expect_load(const made *m, uint8_t process, uint64_t address, uint64_t hits, uint64_t read) {
    const measured_stats before = stats_of(m);
    access(m, process, address, GPC_LOAD);
    const measured_stats after = stats_of(m);
    cr_expect_eq(after.l1_load_sector_hits - before.l1_load_sector_hits, hits, "process %u", process);
    cr_expect_eq(after.dram_read_sectors - before.dram_read_sectors, read, "process %u: %" PRIu64, process,
                 after.dram_read_sectors - before.dram_read_sectors);
}

Test(processes, have_lines_of_their_own) {
    static const char *const settings[] = {
        "",
        "l1.sectors = 4\nl2.sectors = 4\n",
        "l2.partitions = 2\nl2.slices = 2\n",
        "l2.slices = 4\nl2.interleave = hash\nl1.index = ipoly\n",
        "l2.inclusion = inclusive\n",
        "coherence = nmoesi\n",
        "coherence = vi\n",
        "coherence = viper\n",
        "coherence = none\nl1.replacement = ship\nl2.replacement = drrip\n",
        "tlb.page = 2MiB\ntlb.l1_entries = 4\ntlb.l2_entries = 4\ntlb.l2_ways = 4\n"};
    static const uint64_t addresses[] = {0x1000, UINT64_C(1) << 56, LAST};
    for (size_t n = 0; n < sizeof settings / sizeof *settings; n++)
        for (unsigned timed = 0; timed < 2; timed++)
            for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
                made m;
                make(&m, timed, settings[n]);
                static const uint8_t processes[] = {0, 1, 5, 127};
                for (size_t p = 0; p < sizeof processes; p++) {
                    expect_load(&m, processes[p], addresses[i], 0, 4);
                    expect_load(&m, processes[p], addresses[i], 4, 0);
                }
                expect_load(&m, 0, addresses[i], 4, 0);
                destroy(&m);
            }
}

/* Stored bytes are not found by another process's loads and atomics. */
Test(processes, have_values_of_their_own) {
#define PLAIN "l1.write_policy = through\nl1.write_policy_local = through\nl1.write_allocate_local = none\n"
    static const char *const settings[] = {PLAIN "coherence = none\n", "coherence = nmoesi\n",
                                           PLAIN "coherence = viper\n", "coherence = vi\n"};
    for (size_t n = 0; n < sizeof settings / sizeof *settings; n++)
        for (unsigned timed = n % 2 ? 0 : 1; timed < 2; timed++) { /* plain caches have values with a clock only */
            made m;
            char text[200];
            uint8_t bytes[128], found[128], compared[128];
            snprintf(text, sizeof text, "%scoherence.data = true\n", settings[n]);
            make(&m, timed, text);
            for (uint8_t p = 0; p < 3; p++) {
                gpc_warp_access w = line_of(p, 0x4000, GPC_STORE);
                memset(bytes, 0x10 + p, sizeof bytes);
                w.bytes = bytes;
                cr_assert_eq(offer(&m, &w, NULL), GPC_OK);
                settle(&m);
            }
            for (uint8_t p = 0; p < 4; p++) {
                gpc_warp_access w = line_of(p, 0x4000, GPC_LOAD);
                w.out = found;
                memset(compared, p < 3 ? 0x10 + p : 0, sizeof compared);
                cr_assert_eq(offer(&m, &w, NULL), GPC_OK);
                settle(&m);
                cr_expect(!memcmp(found, compared, sizeof found), "%s process %u: %#x", text, p, found[0]);
                w = line_of(p, 0x4000, GPC_ATOMIC);
                w.bytes = bytes, w.out = found, w.atomic = GPC_OP_EXCHANGE;
                cr_assert_eq(offer(&m, &w, NULL), GPC_OK);
                settle(&m);
                cr_expect(!memcmp(found, compared, sizeof found), "%s process %u", text, p);
            }
            destroy(&m);
        }
}

/* Callbacks and events */

static void on_fill(void *data, unsigned level, uint32_t instance, uint64_t address, uint8_t sectors,
                    const gpc_request *request) {
    seen *s = data;
    (void)instance, (void)sectors;
    s->fills[level]++;
    s->fill_process = request->process;
    if (level == 1)
        s->fill_address = address, s->request_address = request->address;
}

static void on_evict(void *data, unsigned level, uint32_t instance, const gpc_eviction *eviction) {
    seen *s = data;
    (void)instance;
    s->evictions[level]++;
    s->evict_process = eviction->process;
    if (level == 1)
        s->evict_address = eviction->line_address;
}

static bool on_memory(void *data, const gpc_memory_request *request) {
    seen *s = data;
    s->transfers++;
    s->memory_address = request->address;
    s->memory_process = request->process;
    if (!request->write)
        s->ids[s->id_count++ % 64] = request->id;
    return true;
}

static void on_complete(void *data, const gpc_completion *c) {
    (void)c;
    ((seen *)data)->completed++;
}

static bool on_event(void *data, const gpc_event *event) {
    seen *s = data;
    s->events++;
    if (event->address == UINT64_MAX)
        return true;
    s->wrong |= event->address >> GPC_PROCESS_SHIFT != 0;
    s->event_address = event->address;
    s->event_process = event->process;
    return true;
}

static void listen(const made *m, seen *s, bool memory) {
    gpc_hierarchy_callbacks c = GPC_HIERARCHY_CALLBACKS_INIT;
    gpc_event_options o = GPC_EVENT_OPTIONS_INIT;
    *s = (seen){0};
    c.user_data = o.user_data = s;
    c.on_fill = on_fill;
    c.on_evict = on_evict;
    c.on_complete = on_complete;
    c.on_memory = memory ? on_memory : NULL;
    o.on_event = on_event;
    if (m->timed)
        cr_assert_eq(gpc_hierarchy_set_callbacks(m->hierarchy, &c, NULL), GPC_OK);
    cr_assert_eq(gpc_hierarchy_set_trace(m->hierarchy, &o, NULL), GPC_OK);
}

/* The host's memory answers until the hierarchy is idle. */
static void answer(const made *m, seen *s) {
    while (gpc_hierarchy_in_flight(m->hierarchy)) {
        cr_assert_eq(gpc_hierarchy_advance(m->hierarchy, 1, NULL), GPC_OK);
        for (; s->answered < s->id_count; s->answered++)
            cr_assert_eq(gpc_hierarchy_memory_reply(m->hierarchy, s->ids[s->answered % 64], NULL), GPC_OK);
    }
}

Test(processes, are_told_apart_from_addresses) {
    static const char *const settings[] = {"l2.slices = 4\nl2.interleave = hash\n", "l2.slices = 3\n",
                                           "l2.partitions = 2\n"};
    for (size_t n = 0; n < sizeof settings / sizeof *settings; n++)
        for (unsigned process = 0; process < 128; process += 9) {
            made m;
            seen s;
            make(&m, true, settings[n]);
            listen(&m, &s, true);
            gpc_warp_access w = line_of((uint8_t)process, 0x123480, GPC_LOAD);
            cr_assert_eq(offer(&m, &w, NULL), GPC_OK);
            answer(&m, &s);
            cr_expect_eq(s.completed, 1);
            cr_expect(s.fills[1] && s.fill_address == 0x123480 && s.request_address == 0x123480);
            cr_expect_eq(s.fill_process, process);
            cr_expect(s.transfers && s.memory_address == 0x123480 && s.memory_process == process);
            cr_expect(s.events && !s.wrong && s.event_address == 0x123480 && s.event_process == process);
            const gpc_event_options none = GPC_EVENT_OPTIONS_INIT;
            cr_assert_eq(gpc_hierarchy_set_trace(m.hierarchy, &none, NULL), GPC_OK);
            for (unsigned i = 1; i < 9; i++) { /* L1 has few sets: the line leaves */
                w = line_of((uint8_t)process, 0x123480 + i * 4096, GPC_LOAD);
                cr_assert_eq(offer(&m, &w, NULL), GPC_OK);
                answer(&m, &s);
            }
            cr_expect(s.evictions[1] && s.evict_process == process);
            cr_expect_eq(s.evict_address >> GPC_PROCESS_SHIFT, 0);
            destroy(&m);
        }
}

/* Events without a clock, and of trees. */
Test(processes, events) {
    static const char *const settings[] = {"", "l1.write_policy = back\nl1.write_allocate = fetch\n",
                                           "coherence = nmoesi\n"};
    for (size_t n = 0; n < sizeof settings / sizeof *settings; n++)
        for (unsigned timed = 0; timed < 2; timed++) {
            made m;
            seen s;
            make(&m, timed, settings[n]);
            listen(&m, &s, false);
            for (unsigned i = 0; i < 64; i++)
                access(&m, i % 3 ? 3 : 9, 0x1000 + i % 21 * 4096, i % 2 ? GPC_LOAD : GPC_STORE);
            cr_expect(s.events > 64 && !s.wrong, "%s", settings[n]);
            access(&m, 3, 0x777700, GPC_LOAD);
            cr_expect(s.event_address == 0x777700 && s.event_process == 3, "%s %u: %#" PRIx64, settings[n], timed,
                      s.event_address);
            destroy(&m);
        }
}

/* Filters compare the process's addresses. */
static bool count_event(void *data, const gpc_event *event) {
    (void)event;
    ++*(unsigned *)data;
    return true;
}

Test(processes, event_filters) {
    made m;
    unsigned count = 0;
    gpc_event_options o = GPC_EVENT_OPTIONS_INIT;
    make(&m, false, "");
    o.on_event = count_event, o.user_data = &count;
    o.first_address = 0x1000, o.last_address = 0x107f;
    cr_assert_eq(gpc_hierarchy_set_trace(m.hierarchy, &o, NULL), GPC_OK);
    access(&m, 4, 0x1000, GPC_LOAD);
    cr_expect_gt(count, 2);
    count = 0;
    access(&m, 4, 0x2000, GPC_LOAD);
    cr_expect_eq(count, 0);
    destroy(&m);
}

/* Other ways in */

static uint64_t read_sectors(const made *m) {
    return stats_of(m).dram_read_sectors;
}

Test(processes, misses_and_transactions) {
    made m;
    gpc_busy busy;
    make(&m, true, "");
    for (uint8_t p = 0; p < 4; p++) {
        const gpc_request request = {.address = 0x8000, .process = p, .kind = GPC_LOAD};
        for (unsigned again = 0; again < 2; again++) {
            const uint64_t before = read_sectors(&m);
            cr_assert_eq(gpc_hierarchy_try_miss(m.hierarchy, &request, 1, &busy, NULL), GPC_OK);
            settle(&m);
            cr_expect_eq(read_sectors(&m) - before, again ? 0 : 4, "process %u", p);
        }
        gpc_request two[] = {{.address = 0x9000, .process = p}, {.address = 0x9080, .process = p}};
        const uint64_t before = read_sectors(&m);
        cr_assert_eq(gpc_hierarchy_try_transactions(m.hierarchy, two, 2, 1, &busy, NULL), GPC_OK);
        settle(&m);
        cr_expect_eq(read_sectors(&m) - before, 8, "process %u", p);
        two[1].process++;
        cr_expect_eq(gpc_hierarchy_try_transactions(m.hierarchy, two, 2, 1, &busy, &m.error), GPC_ERROR_ARGUMENT);
        cr_expect(strstr(m.error.message, "copy or process is not that of the first"), "%s", m.error.message);
    }
    destroy(&m);
}

Test(processes, ports) {
    made m;
    make(&m, true, "ports = 1\n");
    access(&m, 2, 0x8000, GPC_LOAD);
    for (uint8_t p = 0; p < 4; p++) {
        gpc_port_request r = GPC_PORT_REQUEST_INIT;
        const uint64_t before = read_sectors(&m);
        r.address = 0x8000, r.bytes = 256, r.process = p;
        cr_assert_eq(gpc_hierarchy_try_port(m.hierarchy, &r, 1, &m.error), GPC_OK, "%s", m.error.message);
        settle(&m);
        cr_expect_eq(read_sectors(&m) - before, p == 2 ? 4 : 8, "process %u", p);
    }
    destroy(&m);
}

Test(processes, batches) {
    made m;
    gpc_warp_result results[4];
    gpc_access_batch b = GPC_ACCESS_BATCH_INIT;
    const uint64_t addresses[] = {0x1000, 0x1000, 0x1000, 0x1000};
    const uint8_t processes[] = {0, 6, 6, 0};
    size_t done;
    make(&m, false, "");
    b.count = 4, b.lanes = 1, b.addresses = addresses, b.processes = processes, b.results = results;
    cr_assert_eq(gpc_hierarchy_access_many(m.hierarchy, &b, &done, NULL), GPC_OK);
    cr_expect(done == 4 && !results[0].l1_sector_hits && !results[1].l1_sector_hits);
    cr_expect(results[2].l1_sector_hits == 1 && results[3].l1_sector_hits == 1);
    destroy(&m);
}

Test(processes, copies_and_constants) {
    for (unsigned timed = 0; timed < 2; timed++)
        for (unsigned l15 = 0; l15 < 2; l15++) {
            made m;
            make(&m, timed, l15 ? "const.size = 2KiB\nl15.size = 32KiB\n" : "const.size = 2KiB\n");
            for (uint8_t p = 0; p < 3; p++)
                for (unsigned again = 0; again < 2; again++) {
                    gpc_warp_access w = line_of(p, 0x6000, GPC_LOAD);
                    uint64_t before = read_sectors(&m);
                    w.space = GPC_SPACE_CONSTANT;
                    cr_assert_eq(offer(&m, &w, NULL), GPC_OK);
                    settle(&m);
                    cr_expect_eq(read_sectors(&m) > before, !again, "constants of process %u", p);
                    w = line_of(p, 0xa000, GPC_LOAD);
                    w.copy = GPC_COPY_BULK, w.mask = 1, w.width = 1024;
                    before = read_sectors(&m);
                    cr_assert_eq(offer(&m, &w, NULL), GPC_OK);
                    settle(&m);
                    cr_expect_eq(read_sectors(&m) - before, again ? 0 : 32, "copies of process %u", p);
                }
            destroy(&m);
        }
}

/* gpc_hierarchy_preload, _locate and a lent cache take addresses of the hierarchy's memory. */
Test(processes, addresses_of_the_hierarchy) {
    made m;
    gpc_location location = GPC_LOCATION_INIT;
    make(&m, false, "l2.slices = 4\nl2.interleave = hash\n");
    const uint64_t address = gpc_process_address(3, 0x5000);
    cr_assert_eq(gpc_hierarchy_preload(m.hierarchy, 2, 0, address, 128, &m.error), GPC_OK, "%s", m.error.message);
    cr_assert_eq(gpc_hierarchy_locate(m.hierarchy, 0, address, &location, NULL), GPC_OK);
    const gpc_request request = {.address = location.slice_address};
    gpc_access_result found;
    cr_assert_eq(gpc_cache_probe(gpc_hierarchy_cache(m.hierarchy, 2, location.slice), &request, &found, NULL), GPC_OK);
    cr_expect_eq(found.outcome, GPC_HIT);
    expect_load(&m, 0, 0x5000, 0, 4);
    expect_load(&m, 3, 0x5000, 0, 0);
    expect_load(&m, 2, 0x5000, 0, 4);
    destroy(&m);
}

/* Equal addresses of two processes are in other rows, banks or channels. */
Test(processes, rows) {
    static const char *const settings[] = {"", "dram.channels = 3\nl2.slices = 3\n"};
    for (size_t n = 0; n < sizeof settings / sizeof *settings; n++) {
        made m;
        gpc_location own = GPC_LOCATION_INIT, other = GPC_LOCATION_INIT;
        make(&m, true, settings[n]);
        for (uint8_t p = 0; p < 127; p++) {
            cr_assert_eq(gpc_hierarchy_locate(m.hierarchy, 0, gpc_process_address(p, 0x5080), &own, NULL), GPC_OK);
            cr_assert_eq(gpc_hierarchy_locate(m.hierarchy, 0, gpc_process_address(p + 1, 0x5080), &other, NULL),
                         GPC_OK);
            cr_expect(own.row != other.row || own.bank != other.bank || own.channel != other.channel, "%s",
                      settings[n]);
        }
        destroy(&m);
    }
}

/* Offsets of threads: words of local memory are of the process. */
Test(processes, offsets_of_threads) {
    for (unsigned timed = 0; timed < 2; timed++) {
        made m;
        make(&m, timed, "");
        for (uint8_t p = 0; p < 3; p++)
            for (unsigned again = 0; again < 2; again++) {
                const uint64_t before = read_sectors(&m);
                gpc_warp_access w = line_of(p, UINT64_MAX - 255, GPC_LOAD); /* only 28 bits count */
                w.space = GPC_SPACE_LOCAL, w.local_offsets = 1;
                cr_assert_eq(offer(&m, &w, NULL), GPC_OK);
                settle(&m);
                cr_expect_eq(read_sectors(&m) > before, !again, "process %u", p);
            }
        destroy(&m);
    }
}

/* A window holds one process's lines. */
Test(processes, windows) {
    for (uint8_t mine = 0; mine < 3; mine++) {
        made m;
        gpc_access_window w = GPC_ACCESS_WINDOW_INIT;
        make(&m, false, "l2.persisting = 16KiB\n");
        w.begin = 0, w.bytes = UINT64_C(1) << 57, w.process = mine;
        cr_assert_eq(gpc_hierarchy_set_window(m.hierarchy, &w, &m.error), GPC_OK, "%s", m.error.message);
        for (uint8_t p = 0; p < 3; p++) {
            const uint64_t before = stats_of(&m).l2_persisting_sectors;
            access(&m, p, 0x3000, GPC_LOAD);
            cr_expect_eq(stats_of(&m).l2_persisting_sectors - before, p == mine ? 4 : 0, "%u %u", mine, p);
        }
        destroy(&m);
    }
    made m;
    gpc_access_window w = GPC_ACCESS_WINDOW_INIT;
    make(&m, false, "l2.persisting = 16KiB\n");
    w.begin = LAST, w.bytes = 129, w.process = 1;
    cr_expect_eq(gpc_hierarchy_set_window(m.hierarchy, &w, &m.error), GPC_ERROR_ARGUMENT);
    cr_expect(strstr(m.error.message, "gpc_access_window: an address is beyond the 57 bits"), "%s", m.error.message);
    destroy(&m);
}

/* The line behind a process's last line is another process's first: prefetchers do not ask for the line. */
Test(processes, prefetches_stay_inside) {
    static const char *const settings[] = {"l1.prefetcher = next-line\n", "l2.slices = 1\nl2.prefetcher = next-line\n"};
    for (size_t n = 0; n < 2; n++) {
        made m;
        make(&m, true, settings[n]);
        access(&m, 2, 0, GPC_LOAD); /* the first lines */
        access(&m, 1, LAST - 256, GPC_LOAD);
        measured_stats s = stats_of(&m);
        const uint64_t sent = n ? s.l2_prefetches : s.l1_prefetches;
        cr_expect_eq(sent, 2);
        access(&m, 1, LAST, GPC_LOAD);
        s = stats_of(&m);
        cr_expect_eq((n ? s.l2_prefetches : s.l1_prefetches) - sent, 0, "%s", settings[n]);
        cr_expect_eq(n ? s.l2_dropped_prefetches : s.l1_dropped_prefetches, 1, "%s", settings[n]);
        destroy(&m);
    }
}

/* Snapshots */

static uint64_t run_on(const made *m, gpc_hierarchy *h, measured_stats *stats) {
    const made other = {.hierarchy = h, .timed = m->timed};
    for (unsigned i = 0; i < 40; i++)
        access(&other, i % 3, 0x1000 + i % 13 * 512, i % 4 ? GPC_LOAD : GPC_STORE);
    measured_clear(stats);
    cr_assert_eq(measure_hierarchy(h, stats), GPC_OK);
    return gpc_hierarchy_now(h);
}

/* A snapshot in the middle of accesses: the copy and the original go on alike. */
Test(processes, snapshots) {
    static const char *const settings[] = {"", "coherence = nmoesi\n", "l2.partitions = 2\nthreads = 2\n"};
    for (size_t n = 0; n < sizeof settings / sizeof *settings; n++)
        for (unsigned timed = n == 2; timed < 2; timed++) {
            made m;
            seen s;
            gpc_hierarchy *copy;
            measured_stats first, second;
            make(&m, timed, settings[n]);
            for (unsigned i = 0; i < 12; i++) {
                const gpc_warp_access w = line_of((uint8_t)(i % 3), 0x1000 + i / 3 * 512, GPC_LOAD);
                cr_assert_eq(offer(&m, &w, NULL), GPC_OK);
            }
            if (timed)
                cr_assert_eq(gpc_hierarchy_advance(m.hierarchy, 20, NULL), GPC_OK);
            cr_assert_eq(gpc_hierarchy_copy(m.hierarchy, &copy, &m.error), GPC_OK, "%s", m.error.message);
            cr_expect_eq(run_on(&m, m.hierarchy, &first), run_on(&m, copy, &second), "%s", settings[n]);
            cr_expect(!memcmp(&first, &second, sizeof first), "%s", settings[n]);
            const made other = {.hierarchy = copy, .timed = timed};
            listen(&other, &s, false);
            access(&other, 2, 0x55500, GPC_LOAD);
            cr_expect(!s.wrong && s.event_process == 2 && s.event_address == 0x55500);
            access(&other, 0, 0x55500, GPC_LOAD);
            cr_expect_eq(s.event_process, 0);
            gpc_hierarchy_destroy(copy);
            destroy(&m);
        }
}

/* Refusals */

static void expect_refused(made *m, const gpc_warp_access *w, const char *part) {
    cr_expect_eq(offer(m, w, &m->error), GPC_ERROR_ARGUMENT, "%s", part);
    cr_expect(strstr(m->error.message, part), "%s", m->error.message);
}

Test(processes, wide_addresses) {
    for (unsigned timed = 0; timed < 2; timed++) {
        made m;
        gpc_warp_access w;
        gpc_busy busy;
        make(&m, timed, timed ? "ports = 1\n" : "");
        /* process 0 alone has 64 bits, before and after refusals */
        expect_load(&m, 0, UINT64_C(3) << 57 | 0x1000, 0, 4);
        expect_load(&m, 0, 0x1000, 0, 4);
        expect_load(&m, 0, UINT64_C(3) << 57 | 0x1000, 4, 0);
        w = line_of(128, 0x1000, GPC_LOAD);
        expect_refused(&m, &w, "process is not below 128");
        w = line_of(1, LAST + 4, GPC_LOAD);
        expect_refused(&m, &w, "an address is beyond the 57 bits that those of a process above 0 have");
        expect_load(&m, 0, UINT64_C(3) << 57 | 0x1000, 4, 0);
        /* beside other processes 57 */
        expect_load(&m, 1, 0x1000, 0, 4);
        w = line_of(0, UINT64_C(3) << 57 | 0x1000, GPC_LOAD);
        expect_refused(&m, &w,
                       "an address is beyond the 57 bits that those of a hierarchy with several processes have");
        gpc_request r = {.address = LAST + 128, .process = 1};
        cr_expect_eq(gpc_hierarchy_try_miss(m.hierarchy, &r, 0, &busy, &m.error), GPC_ERROR_ARGUMENT);
        cr_expect(strstr(m.error.message, "gpc_request: an address is beyond the 57 bits"), "%s", m.error.message);
        gpc_port_request p = GPC_PORT_REQUEST_INIT;
        p.address = LAST, p.bytes = 129, p.process = 1;
        cr_expect_eq(gpc_hierarchy_try_port(m.hierarchy, &p, 0, &m.error), GPC_ERROR_ARGUMENT);
        cr_expect(!timed || strstr(m.error.message, "gpc_hierarchy_try_port: an address is beyond the 57 bits"), "%s",
                  m.error.message);
        destroy(&m);
    }
}

/* A trace has one process: the recording ends with an error. */
Test(processes, recordings) {
    made m;
    char path[] = "/tmp/gpucache-processes-XXXXXX";
    make(&m, false, "");
    const int file = mkstemp(path);
    cr_assert(file >= 0);
    cr_assert_eq(gpc_hierarchy_record(m.hierarchy, path, &m.error), GPC_OK, "%s", m.error.message);
    access(&m, 0, 0x1000, GPC_LOAD);
    cr_expect(gpc_hierarchy_is_recording(m.hierarchy));
    access(&m, 1, 0x1000, GPC_LOAD);
    cr_expect(!gpc_hierarchy_is_recording(m.hierarchy));
    cr_expect_eq(gpc_hierarchy_record_end(m.hierarchy, &m.error), GPC_ERROR_UNSUPPORTED);
    cr_expect(strstr(m.error.message, "an access of another process than 0 cannot be recorded"), "%s", m.error.message);
    remove(path);
    destroy(&m);
}
