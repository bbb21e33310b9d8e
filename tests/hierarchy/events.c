/* SPDX-License-Identifier: BSD-2-Clause */
#include "hierarchy/rig.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The trace of events of a hierarchy without a clock: all events, in order. */

enum { ROOM = 4096 };

typedef struct log {
    gpc_event list[ROOM];
    uint32_t count, stop_after;
} log;

static bool keep(void *user_data, const gpc_event *event) {
    log *l = user_data;
    cr_assert_lt(l->count, ROOM);
    l->list[l->count++] = *event;
    return l->count != l->stop_after;
}

static void listen(rig *r, log *l) {
    gpc_event_options options = GPC_EVENT_OPTIONS_INIT;
    options.on_event = keep;
    options.user_data = l;
    l->count = 0;
    cr_assert_eq(gpc_hierarchy_set_trace(r->hierarchy, &options, NULL), GPC_OK);
}

/*
 * "lookup l1 2<1 128: miss": event, place, packet and parent, bytes and outcome. Fields without a meaning here have
 * their default.
 */
static void expect(log *l, const char *const *lines, int line) {
    uint32_t i = 0;
    for (; lines[i]; i++) {
        const gpc_event *v = &l->list[i];
        char text[160];
        const char *outcome = gpc_event_outcome(v);
        snprintf(text, sizeof text, "%s %s %u<%u %u%s%s", gpc_what_name(v->what), gpc_component_name(v->component),
                 (unsigned)v->packet, (unsigned)v->parent, v->bytes, *outcome ? ": " : "", outcome);
        cr_expect(i < l->count && !strcmp(text, lines[i]), "line %d, event %u: %s, not %s", line, i, text, lines[i]);
        const bool leaves = v->what == GPC_WHAT_EVICT || v->what == GPC_WHAT_INVALIDATE;
        cr_expect(v->until == v->cycle && v->bank == GPC_NONE && !v->process && (leaves || !v->value) &&
                      (v->from == GPC_NONE && v->to == GPC_NONE) == (v->what != GPC_WHAT_MESSAGE) &&
                      (*outcome || !v->outcome),
                  "line %d, event %u: %s: a field that means nothing is used", line, i, text);
    }
    cr_expect_eq(i, l->count, "line %d: %u events, not %u", line, l->count, i);
    l->count = 0;
}

#define EXPECT_EVENTS(l, ...) expect((l), (const char *const[]){__VA_ARGS__, NULL}, __LINE__)

Test(hierarchy_events, loads) {
    rig r;
    static log l;
    rig_open(&r, NULL);
    listen(&r, &l);
    rig_fire(&r, WORD_BY(GPC_LOAD, 0x1004, .warp = 3));
    for (uint32_t i = 0; i < l.count; i++)
        cr_expect(l.list[i].cycle == 1 && l.list[i].access == 1 && l.list[i].address == 0x1000 && l.list[i].warp == 3);
    EXPECT_EVENTS(&l, "issue sm 1<0 32", "line sm 2<1 32", "lookup l1 2<1 32: miss", "fetch l1 3<2 32",
                  "lookup l2 3<2 32: miss", "fetch l2 4<3 32", "memory-read memory 4<3 32", "fill l2 3<2 32",
                  "fill l1 2<1 32", "complete sm 1<0 0: dram");
    rig_fire(&r, WORD(GPC_LOAD, 0x1024));
    cr_expect_eq(l.list[0].cycle, 2, "the second access");
    EXPECT_EVENTS(&l, "issue sm 5<0 32", "line sm 6<5 32", "lookup l1 6<5 32: sector-miss", "fetch l1 7<6 32",
                  "lookup l2 7<6 32: sector-miss", "fetch l2 8<7 32", "memory-read memory 8<7 32", "fill l2 7<6 32",
                  "fill l1 6<5 32", "complete sm 5<0 0: dram");
    rig_fire(&r, WORD(GPC_LOAD, 0x1000));
    EXPECT_EVENTS(&l, "issue sm 9<0 32", "line sm 10<9 32", "lookup l1 10<9 32: hit", "complete sm 9<0 0: l1");
    rig_close(&r);
}

Test(hierarchy_events, write_backs) {
    rig r;
    static log l;
    rig_open(&r, "l1.ways = 1\nl1.size = 512\nl1.write_policy = back\nl1.write_allocate = fetch\n");
    rig_store(&r, 0);
    listen(&r, &l);
    rig_load(&r, 512); /* the same set of L1: the stored line leaves */
    EXPECT_EVENTS(&l, "issue sm 1<0 128", "line sm 2<1 128", "lookup l1 2<1 128: miss", "fetch l1 3<2 128",
                  "lookup l2 3<2 128: miss", "fetch l2 4<3 128", "memory-read memory 4<3 128", "fill l2 3<2 128",
                  "fill l1 2<1 128", "evict l1 2<1 0", "write-back l1 5<2 128", "lookup l2 5<2 128: miss",
                  "complete sm 1<0 0: dram");
    rig_flush(&r); /* without an access: packets of no access */
    EXPECT_EVENTS(&l, "write-back l2 6<0 128", "memory-write memory 6<0 128");
    rig_close(&r);
}

/* A read of L2 that misses beside memory, and a dirty line that leaves there. */
Test(hierarchy_events, memory_cache) {
    rig r;
    static log l;
    rig_open(&r, "l1.enabled = false\nl2.size = 128\nl2.ways = 1\nmemory_cache.size = 128\nmemory_cache.ways = 1\n"
                 "dram.channels = 1\n");
    rig_store(&r, 128);
    rig_load(&r, 256);
    listen(&r, &l);
    rig_load(&r, 128);
    EXPECT_EVENTS(&l, "issue sm 1<0 128", "line sm 2<1 128", "lookup l2 2<1 128: miss", "evict l2 2<1 0",
                  "fetch l2 3<2 128", "lookup memory-cache 3<2 128: miss", "evict memory-cache 3<2 0",
                  "fetch memory-cache 4<3 128", "memory-read memory 4<3 128", "fill memory-cache 3<2 128",
                  "fill l2 2<1 128", "complete sm 1<0 0: dram");
    rig_store(&r, 256);
    EXPECT_EVENTS(&l, "issue sm 5<0 128", "line sm 6<5 128", "lookup l2 6<5 128: miss", "evict l2 6<5 0",
                  "complete sm 5<0 0: l2");
    rig_load(&r, 128);
    EXPECT_EVENTS(&l, "issue sm 7<0 128", "line sm 8<7 128", "lookup l2 8<7 128: miss", "evict l2 8<7 0",
                  "write-back l2 9<8 128", "lookup memory-cache 9<8 128: miss", "evict memory-cache 9<8 0",
                  "fetch l2 10<8 128", "lookup memory-cache 10<8 128: miss", "evict memory-cache 10<8 0",
                  "write-back memory-cache 11<10 128", "memory-write memory 11<10 128", "fetch memory-cache 12<10 128",
                  "memory-read memory 12<10 128", "fill memory-cache 10<8 128", "fill l2 8<7 128",
                  "complete sm 7<0 0: dram");
    rig_close(&r);
}

/* A load of constants by the second of two SMs of an L1.5, which reads a whole line of its own from L2. */
Test(hierarchy_events, constants) {
    rig r;
    static log l;
    rig_open(&r, "sm.count = 4\nconst.size = 1KiB\nconst.line = 64B\nl15.size = 4KiB\nl15.line = 128B\nl15.sms = 2\n");
    listen(&r, &l);
    rig_fire(&r, WORD_BY(GPC_LOAD, 0x10c4, .sm = 3, .warp = 5, .space = GPC_SPACE_CONSTANT));
    for (uint32_t i = 0; i < l.count; i++) {
        const gpc_event *v = &l.list[i];
        const bool above = v->component == GPC_COMPONENT_SM || v->component == GPC_COMPONENT_CONST;
        cr_expect(v->cycle == 1 && v->access == 1 && v->sm == 3 && v->warp == 5 && v->kind == GPC_LOAD, "%u", i);
        cr_expect_eq(v->address, above ? 0x10c0 : 0x1080, "%u", i);
        cr_expect(v->component != GPC_COMPONENT_CONST || v->index == 3);
        cr_expect(v->component != GPC_COMPONENT_L15 || v->index == 1);
    }
    EXPECT_EVENTS(&l, "issue sm 1<0 32", "line sm 2<1 32", "lookup const 2<1 64: miss", "fetch const 3<2 64",
                  "lookup l15 3<2 128: miss", "fetch l15 4<3 128", "lookup l2 4<3 128: miss", "fetch l2 5<4 128",
                  "memory-read memory 5<4 128", "fill l2 4<3 128", "fill l15 3<2 128", "fill const 2<1 64",
                  "complete sm 1<0 0: dram");
    rig_fire(&r, WORD_BY(GPC_LOAD, 0x1084, .sm = 2, .space = GPC_SPACE_CONSTANT));
    EXPECT_EVENTS(&l, "issue sm 6<0 32", "line sm 7<6 32", "lookup const 7<6 64: miss", "fetch const 8<7 64",
                  "lookup l15 8<7 128: hit", "fill const 7<6 64", "complete sm 6<0 0: l1");
    rig_fire(&r, WORD_BY(GPC_LOAD, 0x1080, .sm = 2, .space = GPC_SPACE_CONSTANT));
    EXPECT_EVENTS(&l, "issue sm 9<0 32", "line sm 10<9 32", "lookup const 10<9 64: hit", "complete sm 9<0 0: l1");
    rig_close(&r);
}

/* A slice asks for missing data, and fills: after a read, a partial write of a sector, an atomic. */
Test(hierarchy_events, fills) {
    rig r;
    static log l;
    rig_open(&r, "l2.write_allocate = fetch\nl1.enabled = false\n");
    listen(&r, &l);
    rig_fire(&r, WORD(GPC_LOAD, 0x1004));
    EXPECT_EVENTS(&l, "issue sm 1<0 32", "line sm 2<1 32", "lookup l2 2<1 32: miss", "fetch l2 3<2 32",
                  "memory-read memory 3<2 32", "fill l2 2<1 32", "complete sm 1<0 0: dram");
    rig_fire(&r, WORD(GPC_STORE, 0x2004));
    EXPECT_EVENTS(&l, "issue sm 4<0 32", "line sm 5<4 32", "lookup l2 5<4 32: miss", "fetch l2 6<5 32",
                  "memory-read memory 6<5 32", "fill l2 5<4 32", "complete sm 4<0 0: dram");
    rig_fire(&r, WORD(GPC_ATOMIC, 0x3004));
    EXPECT_EVENTS(&l, "issue sm 7<0 32", "line sm 8<7 32", "lookup l2 8<7 32: miss", "fetch l2 9<8 32",
                  "memory-read memory 9<8 32", "fill l2 8<7 32", "complete sm 7<0 0: dram");
    rig_fire(&r, WORD(GPC_STORE, 0x2004));
    EXPECT_EVENTS(&l, "issue sm 10<0 32", "line sm 11<10 32", "lookup l2 11<10 32: hit", "complete sm 10<0 0: l2");
    rig_close(&r);
    rig_open(&r, "l2.bypass = always-bypass\nl1.write_policy = back\nl1.write_allocate = fetch\n");
    listen(&r, &l);
    rig_fire(&r, WORD(GPC_STORE, 0x1004));
    EXPECT_EVENTS(&l, "issue sm 1<0 32", "line sm 2<1 32", "lookup l1 2<1 32: miss", "fetch l1 3<2 32",
                  "lookup l2 3<2 32: bypass", "fetch l2 4<3 32", "memory-read memory 4<3 32", "bypass l2 3<2 32",
                  "fill l1 2<1 32", "complete sm 1<0 0: dram");
    rig_close(&r);
}

/* A line of the other partition fills the slice at home, and then the SM's slice. */
Test(hierarchy_events, fills_of_two_partitions) {
    rig r;
    static log l;
    uint64_t remote = 0;
    rig_open(&r, "l2.slices = 2\nl2.partitions = 2\nl1.enabled = false\n");
    while (rig_stats(&r).l2_remote_sectors == 0)
        rig_fire(&r, WORD(GPC_LOAD, remote += 4096));
    rig_flush(&r);
    listen(&r, &l);
    rig_fire(&r, WORD(GPC_LOAD, remote));
    cr_expect(l.list[2].index != l.list[4].index && l.list[2].index == l.list[8].index, "own, home, home, own");
    cr_expect_eq(l.list[7].index, l.list[4].index);
    EXPECT_EVENTS(&l, "issue sm 1<0 32", "line sm 2<1 32", "lookup l2 2<1 32: miss", "fetch l2 3<2 32",
                  "lookup l2 3<2 32: miss", "fetch l2 4<3 32", "memory-read memory 4<3 32", "fill l2 3<2 32",
                  "fill l2 2<1 32", "complete sm 1<0 0: dram");
    rig_close(&r);
}

/* Sectors read from below by caches of a level, by the caches' counters. */
static uint64_t fetched(const rig *r, unsigned level) {
    uint64_t sum = 0;
    gpc_cache *cache;
    for (uint32_t i = 0; (cache = gpc_hierarchy_cache(r->hierarchy, level, i)); i++) {
        measured_cache stats;
        measured_clear(&stats);
        cr_assert_eq(measure_cache(cache, &stats), GPC_OK);
        sum += stats.fetched_sectors;
    }
    return sum;
}

/* Two partitions, inclusion, no L2, coherence: sums of events are the counters. */
Test(hierarchy_events, agree_with_counters) {
    static const char *const settings[] = {
        "sm.count = 4\nl2.slices = 2\nl2.partitions = 2\n",
        "sm.count = 4\nl2.inclusion = inclusive\nl1.write_policy = back\nl1.write_allocate = fetch\n",
        "sm.count = 4\nl2.enabled = false\n",
        "sm.count = 4\nl1.enabled = false\n",
        "sm.count = 4\nl1.sectors = 1\nl2.sectors = 1\nl1.write_policy = back\nl1.write_policy_local = back\n"
        "l1.write_allocate = fetch\nl1.write_allocate_local = fetch\nl2.inclusion = inclusive\n"
        "l2.interleave_bytes = 128\ncoherence = nmoesi\ncluster.sms = 2\n",
    };
    for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++) {
        rig r;
        static log l;
        uint64_t read = 0, written = 0, evicted[2] = {0, 0}, dropped = 0, seed = 5, done = 0, packets = 0;
        uint64_t asked[GPC_COMPONENT_COUNT] = {0}, filled[GPC_COMPONENT_COUNT] = {0};
        rig_open(&r, settings[i]);
        listen(&r, &l);
        for (unsigned k = 0; k < 400; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            rig_fire(&r, LINE_BY((uint8_t)(seed >> 60) % 4, (seed >> 40) % 64 * 128, .sm = (uint32_t)(seed >> 34) % 4));
            for (uint32_t n = 0; n < l.count; n++) {
                const gpc_event *v = &l.list[n];
                read += v->what == GPC_WHAT_MEMORY_READ ? v->bytes : 0;
                written += v->what == GPC_WHAT_MEMORY_WRITE ? v->bytes : 0;
                evicted[0] += v->what == GPC_WHAT_EVICT && v->component == GPC_COMPONENT_L1;
                evicted[1] += v->what == GPC_WHAT_EVICT && v->component == GPC_COMPONENT_L2;
                dropped += v->what == GPC_WHAT_INVALIDATE && v->component == GPC_COMPONENT_L1;
                done += v->what == GPC_WHAT_COMPLETE;
                asked[v->component] += v->what == GPC_WHAT_FETCH ? v->bytes : 0;
                filled[v->component] += v->what == GPC_WHAT_FILL ? v->bytes : 0;
                cr_expect(v->cycle == k + 1 && v->parent < v->packet + !v->packet);
                packets = v->packet > packets ? v->packet : packets;
            }
            l.count = 0;
        }
        measured_stats s = rig_stats(&r);
        cr_expect_eq(done, 400);
        cr_expect_gt(packets, 800);
        cr_expect_eq(read, s.dram_read_sectors * 32, "%s", settings[i]);
        cr_expect_eq(written, s.dram_write_sectors * 32, "%s", settings[i]);
        cr_expect_eq(evicted[0], s.l1_evictions, "%s", settings[i]);
        cr_expect_eq(evicted[1], s.l2_evictions, "%s", settings[i]);
        cr_expect(i == 4 || dropped == s.l1_invalidations, "%s", settings[i]);
        for (unsigned level = 1; level <= 2; level++) {
            gpc_component component = level == 1 ? GPC_COMPONENT_L1 : GPC_COMPONENT_L2;
            cr_expect_eq(asked[component], fetched(&r, level) * 32, "%s", settings[i]);
            cr_expect_eq(filled[component], asked[component], "%s", settings[i]);
        }
        rig_close(&r);
    }
}

/* A coherent line's messages, in the order of the tree's list. */
Test(hierarchy_events, messages) {
    rig r;
    static log l;
    rig_open(&r, "sm.count = 2\nl1.sectors = 1\nl2.sectors = 1\nl1.write_policy = back\nl1.write_policy_local = back\n"
                 "l1.write_allocate = fetch\nl1.write_allocate_local = fetch\nl2.inclusion = inclusive\n"
                 "l2.interleave_bytes = 128\ncoherence = nmoesi\n");
    listen(&r, &l);
    rig_load(&r, 0);
    cr_expect(l.list[3].from == 0 && l.list[3].to == 2, "the L1s are modules 0 and 1, the slice is 2");
    EXPECT_EVENTS(&l, "issue sm 1<0 128", "line sm 2<1 128", "lookup l1 2<1 128: miss",
                  "message l1 3<2 8: read-request", "message l2 4<2 8: read-request", "message memory 5<2 136: data",
                  "memory-read memory 2<1 128", "message l2 6<2 136: data", "complete sm 1<0 0: dram");
    rig_close(&r);
}

/* False: the access is made, and returns the status; the next continues unobserved. */
Test(hierarchy_events, cancelled) {
    rig r;
    static log l;
    uint64_t address = 0;
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    rig_open(&r, NULL);
    l.stop_after = 3;
    listen(&r, &l);
    access.mask = 1;
    access.addresses = &address;
    access.width = 4;
    cr_expect_eq(gpc_hierarchy_access(r.hierarchy, &access, NULL, NULL), GPC_ERROR_CANCELLED);
    cr_expect_eq(gpc_hierarchy_access(r.hierarchy, &access, NULL, NULL), GPC_OK);
    cr_expect_eq(l.count, 3);
    cr_expect_eq(rig_stats(&r).l1_load_sector_hits, 1, "the first brought the line");
    rig_close(&r);
}

static void *take(void *user_data, size_t bytes) {
    ++*(size_t *)user_data;
    return malloc(bytes);
}

static void *resize(void *user_data, void *old, size_t bytes) {
    *(size_t *)user_data += !old;
    return realloc(old, bytes);
}

static void give(void *user_data, void *old) {
    *(size_t *)user_data -= old != NULL;
    free(old);
}

/* A removed or replaced trace leaves no memory behind. */
Test(hierarchy_events, memory_is_given_back) {
    size_t blocks = 0;
    rig r = {0};
    static log l;
    gpc_context_options own = GPC_CONTEXT_OPTIONS_INIT;
    own.allocate = take;
    own.resize = resize;
    own.release = give;
    own.allocator_data = &blocks;
    cr_assert_eq(gpc_context_create(&own, &r.context, NULL), GPC_OK);
    cr_assert_eq(gpc_config_create(r.context, &r.config, NULL), GPC_OK);
    cr_assert_eq(gpc_config_load_text(r.config, rig_base, "base", NULL), GPC_OK);
    cr_assert_eq(gpc_hierarchy_create(r.context, r.config, &r.hierarchy, NULL), GPC_OK);
    const size_t before = blocks;
    listen(&r, &l);
    const size_t with_one = blocks;
    cr_expect_gt(with_one, before);
    listen(&r, &l);
    cr_expect_eq(blocks, with_one);
    cr_assert_eq(gpc_hierarchy_set_trace(r.hierarchy, NULL, NULL), GPC_OK);
    cr_expect_eq(blocks, before);
    rig_close(&r);
    cr_expect_eq(blocks, 0);
}
