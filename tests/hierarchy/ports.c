/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"

#include <gpucache/ext/hierarchy.h>
#include <gpucache/ext/replay.h>
#include <gpucache/gpucache.h>

#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

/* Requests into L2 by ports (gpucache/ext/hierarchy.h). */

#define BASE                                                                                                    \
    "mode = timed\nsm.count = 2\nl2.slices = 2\nl2.size = 64KiB\nl1.size = 4KiB\nl1.ways = 4\ndram.channels = " \
    "2\nports = 2\n"

typedef struct rig {
    gpc_context *context;
    gpc_hierarchy *h;
    gpc_error error;
    gpc_completion last;
    uint64_t cycles[64]; /* by token */
    unsigned completed;
} rig;

static void on_complete(void *user_data, const gpc_completion *c) {
    rig *r = user_data;
    r->last = *c;
    r->cycles[c->token % 64] = c->cycle;
    r->completed++;
}

static gpc_status make(rig *r, const char *settings) {
    gpc_config *config;
    memset(r, 0, sizeof *r);
    r->error = (gpc_error)GPC_ERROR_INIT;
    cr_assert_eq(gpc_context_create(NULL, &r->context, &r->error), GPC_OK);
    cr_assert_eq(gpc_config_create(r->context, &config, &r->error), GPC_OK);
    cr_assert_eq(gpc_config_load_text(config, BASE, "base", &r->error), GPC_OK, "%s", r->error.message);
    cr_assert_eq(gpc_config_load_text(config, settings, "set", &r->error), GPC_OK, "%s", r->error.message);
    gpc_status status = gpc_hierarchy_create(r->context, config, &r->h, &r->error);
    gpc_config_destroy(config);
    return status;
}

static void listen(rig *r) {
    gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
    callbacks.user_data = r;
    callbacks.on_complete = on_complete;
    cr_assert_eq(gpc_hierarchy_set_callbacks(r->h, &callbacks, NULL), GPC_OK);
}

static void open_rig(rig *r, const char *settings) {
    cr_assert_eq(make(r, settings), GPC_OK, "%s", r->error.message);
    listen(r);
}

static void close_rig(rig *r) {
    gpc_hierarchy_destroy(r->h);
    gpc_context_destroy(r->context);
}

static gpc_status ask(rig *r, uint32_t port, uint8_t kind, uint64_t address, uint64_t bytes, uint64_t token) {
    gpc_port_request q = GPC_PORT_REQUEST_INIT;
    q.port = port;
    q.kind = kind;
    q.address = address;
    q.bytes = bytes;
    return gpc_hierarchy_try_port(r->h, &q, token, &r->error);
}

static void drain(rig *r) {
    cr_assert_eq(gpc_hierarchy_drain(r->h, &r->error), GPC_OK, "%s", r->error.message);
    cr_assert_eq(gpc_hierarchy_in_flight(r->h), 0);
}

/* Cycles of a single request. */
static uint64_t time_of(rig *r, uint32_t port, uint8_t kind, uint64_t address, uint64_t bytes) {
    const uint64_t since = gpc_hierarchy_now(r->h);
    const unsigned before = r->completed;
    cr_assert_eq(ask(r, port, kind, address, bytes, 7), GPC_OK, "%s", r->error.message);
    cr_assert_eq(gpc_hierarchy_in_flight(r->h), 1);
    drain(r);
    cr_assert_eq(r->completed, before + 1);
    cr_assert_eq(r->last.token, 7);
    cr_assert_eq(r->last.port, 1 + port);
    cr_assert_eq(r->last.sm, UINT32_MAX);
    return r->last.cycle - since;
}

static measured_stats stats_of(const rig *r) {
    measured_stats stats;
    measured_clear(&stats);
    measure_hierarchy(r->h, &stats);
    return stats;
}

static gpc_port_stats of_port(const rig *r, uint32_t port) {
    gpc_port_stats stats = GPC_PORT_STATS_INIT;
    cr_assert_eq(gpc_hierarchy_port_stats(r->h, port, &stats, NULL), GPC_OK);
    return stats;
}

static void load(rig *r, uint64_t address) {
    gpc_warp_access a = GPC_WARP_ACCESS_INIT;
    uint64_t lanes[32];
    for (unsigned i = 0; i < 32; i++)
        lanes[i] = address + 4 * i;
    a.mask = UINT32_MAX;
    a.addresses = lanes;
    a.width = 4;
    cr_assert_eq(gpc_hierarchy_try_issue(r->h, &a, 1, NULL, NULL), GPC_OK);
    drain(r);
}

/* A port finds lines fetched by SMs in L2, and vice versa; a store makes lines dirty there. */
Test(ports, share_l2_with_sms) {
    rig r;
    open_rig(&r, "");
    const uint64_t miss = time_of(&r, 0, GPC_LOAD, 0x10000, 128);
    const uint64_t hit = time_of(&r, 1, GPC_LOAD, 0x10000, 128);
    cr_assert_lt(hit, miss);
    measured_stats s = stats_of(&r);
    cr_assert(s.l2_read_sectors == 8 && s.l2_read_sector_hits == 4 && s.dram_read_sectors == 4);
    load(&r, 0x10000);
    s = stats_of(&r);
    cr_assert(s.l2_read_sector_hits == 8 && s.dram_read_sectors == 4);
    load(&r, 0x20000);
    time_of(&r, 0, GPC_LOAD, 0x20000, 128);
    cr_assert_eq(of_port(&r, 0).l2_read_hits, 1);
    cr_assert_eq(of_port(&r, 1).l2_read_hits, 1);
    time_of(&r, 0, GPC_STORE, 0x30000, 256);
    load(&r, 0x30000);
    s = stats_of(&r);
    cr_assert_eq(s.l2_write_sectors, 8);
    cr_assert_eq(s.dram_read_sectors, 8, "what was written is in L2");
    cr_assert_eq(s.accepted, s.completed);
    cr_assert_eq(gpc_hierarchy_flush(r.h, NULL), GPC_OK);
    cr_assert_eq(stats_of(&r).dram_write_sectors, 8);
    close_rig(&r);
}

/* Cycle by cycle: latency in every direction, and a link moves the width. */
Test(ports, latency_and_width) {
    rig r;
    open_rig(&r, "port.width = 128\n");
    time_of(&r, 0, GPC_LOAD, 0, 128);
    const uint64_t near = time_of(&r, 0, GPC_LOAD, 0, 128);
    close_rig(&r);
    open_rig(&r, "port.width = 128\nport.latency = 100\n");
    time_of(&r, 0, GPC_LOAD, 0, 128);
    cr_assert_eq(time_of(&r, 0, GPC_LOAD, 0, 128), near + 200);
    close_rig(&r);
    open_rig(&r, "port.width = 8\n");
    time_of(&r, 0, GPC_LOAD, 0, 128);
    cr_assert_eq(time_of(&r, 0, GPC_LOAD, 0, 128), near + 15, "128 bytes of 8 a cycle on the way back");
    const uint64_t one = time_of(&r, 0, GPC_STORE, 0, 128), many = time_of(&r, 0, GPC_STORE, 0, 16 * 128);
    cr_assert_geq(many, one + 15 * 16);
    cr_assert_leq(many, one + 15 * 16 + 16);
    const gpc_port_stats s = of_port(&r, 0);
    cr_assert_eq(s.write_lines, 17);
    cr_assert_eq(s.write_sectors, 68);
    cr_assert_eq(s.busy_cycles, 17 * 16 + 2);
    cr_assert(s.requests == 4 && s.completed == 4);
    close_rig(&r);
}

/* Beyond the span of the wheel lines and replies arrive all the same, by either way into the slices. */
Test(ports, latency_beyond_the_wheel) {
    static const char *const ways[] = {"port.latency = 3000\n", "port.latency = 3000\nl2.intake = queue\n"};
    for (unsigned n = 0; n < 2; n++) {
        rig r;
        open_rig(&r, ways[n]);
        const uint64_t cycles = time_of(&r, 0, GPC_LOAD, 0x4000, 1024);
        cr_expect_gt(cycles, 6000);
        cr_expect_lt(cycles, 7000);
        close_rig(&r);
    }
}

/* Any length and alignment; stores write exactly the named bytes. */
Test(ports, any_bytes) {
    rig r;
    open_rig(&r, "");
    time_of(&r, 0, GPC_LOAD, 0x1000 + 120, 16);
    gpc_port_stats s = of_port(&r, 0);
    cr_assert(s.read_lines == 2 && s.read_sectors == 2);
    time_of(&r, 0, GPC_STORE, 0x2000 + 31, 2);
    time_of(&r, 0, GPC_LOAD, 0x100001, 10000);
    s = of_port(&r, 0);
    cr_assert(s.write_lines == 1 && s.write_sectors == 2);
    cr_assert_eq(s.read_lines, 2 + 79);
    cr_assert_eq(s.read_sectors, 2 + 313);
    close_rig(&r);
}

/* As many requests, and as many lines at once, as keys say. */
/* l2.intake = queue: lines of ports enter the queue before the tags, one a cycle, in turn with the network's. */
Test(ports, by_a_queue_before_the_tags) {
    static const char *const settings[] = {"l2.intake = queue\nl2.rop_latency = 30\n",
                                           "l2.intake = queue\nl2.queue = 1\nl2.mshr_entries = 2\nl2.rop_latency = 0\n",
                                           "l2.intake = queue\nclock.l2 = 300\nl2.queue = 2\n"};
    for (unsigned i = 0; i < 3; i++) {
        rig r;
        open_rig(&r, settings[i]);
        for (uint64_t n = 0; n < 16; n++) {
            const uint64_t address = 0x40000 + n * 128;
            gpc_warp_access load = GPC_WARP_ACCESS_INIT;
            load.sm = n % 2;
            load.mask = 1;
            load.width = 4;
            load.addresses = &address;
            while (gpc_hierarchy_try_issue(r.h, &load, n, NULL, NULL) == GPC_BUSY)
                cr_assert_eq(gpc_hierarchy_advance(r.h, 1, NULL), GPC_OK);
            while (ask(&r, n % 2, n % 3 ? GPC_LOAD : GPC_STORE, 0x1000 * n + 60, 1000, 16 + n) == GPC_BUSY)
                cr_assert_eq(gpc_hierarchy_advance(r.h, 1, NULL), GPC_OK);
        }
        drain(&r);
        cr_expect_eq(r.completed, 32, "%s", settings[i]);
        cr_expect(gpc_hierarchy_is_idle(r.h));
        close_rig(&r);
    }
    rig plain, queue;
    open_rig(&plain, "l2.rop_latency = 30\n");
    open_rig(&queue, settings[0]);
    const uint64_t before = time_of(&plain, 0, GPC_LOAD, 0x8000, 128);
    cr_expect_eq(time_of(&queue, 0, GPC_LOAD, 0x8000, 128), before + 1, "from the queue to the tags");
    close_rig(&plain);
    close_rig(&queue);
}

Test(ports, limits) {
    rig r;
    open_rig(&r, "port.queue = 2\n");
    cr_assert_eq(ask(&r, 0, GPC_LOAD, 0, 128, 1), GPC_OK);
    cr_assert_eq(ask(&r, 0, GPC_LOAD, 128, 128, 2), GPC_OK);
    cr_assert_eq(ask(&r, 0, GPC_LOAD, 256, 128, 3), GPC_BUSY);
    cr_assert_eq(ask(&r, 1, GPC_LOAD, 256, 128, 3), GPC_OK, "the other has room");
    drain(&r);
    cr_assert_eq(r.completed, 3);
    cr_assert_eq(ask(&r, 0, GPC_LOAD, 256, 128, 3), GPC_OK);
    drain(&r);
    close_rig(&r);
    uint64_t cycles[2];
    for (unsigned n = 0; n < 2; n++) {
        open_rig(&r, n ? "port.lines = 1\n" : "");
        cycles[n] = time_of(&r, 0, GPC_LOAD, 0x10000, 4096);
        cr_assert_eq(of_port(&r, 0).limit_cycles > 0, n == 1);
        close_rig(&r);
    }
    cr_assert_gt(cycles[1], 2 * cycles[0], "%" PRIu64 " and %" PRIu64, cycles[1], cycles[0]);
}

/*
 * A link that is busy does not wait for lines in flight: in each cycle the waiting cycles so far grow by 1 at most, also
 * behind a reset in between. The link moves 128 bytes in 64 cycles, and the first line is in flight for longer.
 */
Test(ports, limit_cycles_of_each_cycle) {
    for (unsigned resets = 0; resets < 2; resets++) {
        rig r;
        open_rig(&r, "port.lines = 1\nport.width = 2\n");
        cr_assert_eq(ask(&r, 0, GPC_STORE, 0x10000, 512, 1), GPC_OK);
        uint64_t before = 0, cycles = 0;
        for (; gpc_hierarchy_in_flight(r.h); cycles++) {
            cr_assert_eq(gpc_hierarchy_advance(r.h, 1, NULL), GPC_OK);
            if (resets && cycles == 10) {
                cr_assert_eq(of_port(&r, 0).limit_cycles, 0, "the link is busy");
                gpc_hierarchy_reset_stats(r.h);
            }
            const uint64_t now = of_port(&r, 0).limit_cycles;
            cr_assert(now == before || now == before + 1, "%" PRIu64 ": %" PRIu64 ", %" PRIu64, cycles, before, now);
            before = now;
        }
        const gpc_port_stats s = of_port(&r, 0);
        cr_expect(s.limit_cycles > 0 && s.limit_cycles + s.busy_cycles <= cycles, "%" PRIu64 " of %" PRIu64,
                  s.limit_cycles, cycles);
        close_rig(&r);
    }
}

/* A request that finds all lines in flight is later by the cycles of waiting. */
Test(ports, limit_cycles_of_a_later_request) {
    uint64_t completed[2], waited[2];
    for (unsigned limited = 0; limited < 2; limited++) {
        rig r;
        open_rig(&r, limited ? "port.lines = 1\n" : "");
        time_of(&r, 0, GPC_LOAD, 0x10000, 256); /* into L2 */
        const uint64_t before = of_port(&r, 0).limit_cycles;
        cr_assert_eq(ask(&r, 0, GPC_LOAD, 0x10000, 128, 1), GPC_OK);
        cr_assert_eq(gpc_hierarchy_advance(r.h, 20, NULL), GPC_OK);
        const uint64_t begin = gpc_hierarchy_now(r.h);
        cr_assert_eq(ask(&r, 0, GPC_LOAD, 0x10080, 128, 2), GPC_OK);
        drain(&r);
        completed[limited] = r.cycles[2] - begin;
        waited[limited] = of_port(&r, 0).limit_cycles - before;
        close_rig(&r);
    }
    cr_expect(waited[0] == 0 && waited[1] > 0);
    cr_expect_eq(completed[1], completed[0] + waited[1], "%" PRIu64 ", %" PRIu64 ", %" PRIu64, completed[0],
                 completed[1], waited[1]);
}

/* Two partitions, memory with several latencies, and continuing from a snapshot with lines under way. */
Test(ports, snapshots) {
    static const char *const settings[] = {"", "l2.partitions = 2\nl2.slices = 4\nport.latency = 30\n",
                                           "l2.enabled = false\n", "coherence = viper\n"};
    for (size_t n = 0; n < sizeof settings / sizeof *settings; n++) {
        rig r, copy;
        open_rig(&r, settings[n]);
        cr_assert_eq(ask(&r, 0, GPC_LOAD, 0x10000, 8192, 1), GPC_OK);
        cr_assert_eq(ask(&r, 0, GPC_STORE, 0x11000, 1000, 2), GPC_OK);
        cr_assert_eq(ask(&r, 1, GPC_STORE, 0x10000, 4096, 3), GPC_OK);
        for (unsigned step = 0; step < 6; step++) {
            cr_assert_eq(gpc_hierarchy_advance(r.h, 37, NULL), GPC_OK);
            copy = r;
            cr_assert_eq(gpc_hierarchy_copy(r.h, &copy.h, &r.error), GPC_OK, "%s: %s", settings[n], r.error.message);
            gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
            callbacks.user_data = &copy;
            callbacks.on_complete = on_complete;
            cr_assert_eq(gpc_hierarchy_set_callbacks(copy.h, &callbacks, NULL), GPC_OK);
            if (step < 5) {
                drain(&copy);
                cr_assert_eq(copy.completed, 3);
                gpc_hierarchy_destroy(copy.h);
            }
        }
        drain(&r);
        drain(&copy);
        cr_assert_eq(r.completed, 3);
        cr_assert(!memcmp(r.cycles, copy.cycles, sizeof r.cycles), "%s", settings[n]);
        const measured_stats a = stats_of(&r), b = stats_of(&copy);
        cr_assert(!memcmp(&a, &b, sizeof a), "%s", settings[n]);
        const gpc_port_stats p = of_port(&r, 0), q = of_port(&copy, 0);
        cr_assert(!memcmp(&p, &q, sizeof p), "%s", settings[n]);
        gpc_hierarchy_destroy(copy.h);
        close_rig(&r);
    }
}

/* Beside SMs that keep the slices busy, both make progress. */
Test(ports, beside_sms) {
    rig r;
    open_rig(&r, "port.width = 128\n");
    const uint64_t alone = time_of(&r, 0, GPC_LOAD, 0x100000, 32768);
    close_rig(&r);
    open_rig(&r, "port.width = 128\n");
    cr_assert_eq(ask(&r, 0, GPC_LOAD, 0x100000, 32768, 63), GPC_OK);
    uint64_t lanes[32];
    unsigned issued = 0;
    for (uint64_t at = 0; !r.cycles[63]; at++) {
        gpc_warp_access a = GPC_WARP_ACCESS_INIT;
        for (unsigned i = 0; i < 32; i++)
            lanes[i] = (at * 32 + i) * 128;
        a.mask = UINT32_MAX;
        a.addresses = lanes;
        a.width = 4;
        a.sm = at & 1;
        issued += gpc_hierarchy_try_issue(r.h, &a, 1, NULL, NULL) == GPC_OK;
        cr_assert_eq(gpc_hierarchy_advance(r.h, 1, NULL), GPC_OK);
        cr_assert_lt(at, 100000);
    }
    cr_assert_gt(issued, 2, "%u", issued);
    cr_assert_geq(r.cycles[63], alone);
    drain(&r);
    close_rig(&r);
}

/* A slice's replies to ports and of multicast copies are independent. */
Test(ports, beside_multicast_copies) {
    static const uint32_t sms[] = {1, 0};
    rig r;
    open_rig(&r, "");
    const uint64_t address = 0x100000;
    gpc_warp_access a = GPC_WARP_ACCESS_INIT;
    a.mask = 1;
    a.addresses = &address;
    a.width = 4096;
    a.copy = GPC_COPY_BULK;
    a.multicast = sms;
    a.multicast_count = 2;
    cr_assert_eq(ask(&r, 0, GPC_LOAD, 0x100000, 4096, 1), GPC_OK);
    cr_assert_eq(gpc_hierarchy_try_issue(r.h, &a, 2, NULL, NULL), GPC_OK);
    cr_assert_eq(ask(&r, 1, GPC_LOAD, 0x100000, 4096, 3), GPC_OK);
    drain(&r);
    cr_assert_eq(r.completed, 4);
    cr_assert(of_port(&r, 0).completed == 1 && of_port(&r, 1).completed == 1);
    const measured_stats s = stats_of(&r);
    cr_assert_eq(s.network_requests, 32);
    cr_assert_eq(s.network_replies, 64);
    cr_assert_eq(s.bulk_completed, 1);
    close_rig(&r);
}

static uint32_t asker; /* SM last passed to L2's policy */

static void on_miss(void *self, uint32_t set, const gpc_request *request) {
    (void)self, (void)set;
    asker = request->sm;
}

static uint32_t first(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)self, (void)set, (void)candidates, (void)request;
    return 0;
}

static void no_state(void *self, gpc_state_fn visit, void *visit_data) {
    (void)self, (void)visit, (void)visit_data;
}

/* Policies see an SM near the line's home as asking. */
Test(ports, policies_are_told_an_sm_nearby) {
    static const gpc_replacement_ops watch = {
        .struct_size = sizeof watch, .name = "watch", .choose_victim = first, .on_miss = on_miss, .state = no_state};
    rig r;
    open_rig(&r, "");
    gpc_hierarchy_destroy(r.h);
    gpc_config *config;
    cr_assert_eq(gpc_context_register_replacement(r.context, &watch, NULL, NULL, &r.error), GPC_OK);
    cr_assert_eq(gpc_config_create(r.context, &config, &r.error), GPC_OK);
    cr_assert_eq(
        gpc_config_load_text(config, BASE "sm.count = 4\nl2.partitions = 2\nl2.replacement = watch\n", "set", &r.error),
        GPC_OK, "%s", r.error.message);
    cr_assert_eq(gpc_hierarchy_create(r.context, config, &r.h, &r.error), GPC_OK, "%s", r.error.message);
    gpc_config_destroy(config);
    listen(&r);
    bool seen[4] = {false};
    for (uint32_t n = 0; n < 64; n++) {
        cr_assert_eq(ask(&r, 0, GPC_LOAD, 4096 * n, 128, n), GPC_OK);
        drain(&r);
        seen[asker % 4] = true;
    }
    cr_expect(seen[0] && !seen[1] && seen[2] && !seen[3], "the first of each half");
    close_rig(&r);
}

static void refuse(const char *settings, const char *part) {
    rig r;
    cr_assert_eq(make(&r, settings), GPC_ERROR_RANGE, "%s", settings);
    cr_assert(strstr(r.error.message, part), "%s: %s", settings, r.error.message);
    gpc_context_destroy(r.context);
}

static void expect(const rig *r, gpc_status status, const char *part) {
    cr_assert_eq(status, GPC_ERROR_ARGUMENT);
    cr_assert(strstr(r->error.message, part), "%s: %s", part, r->error.message);
}

Test(ports, refused) {
    rig r;
    refuse("mode = functional\n", "ports = 2 needs mode = timed");
    refuse("coherence = msi\nl1.write_policy = back\nl1.write_allocate = fetch\n", "ports = 2 needs mode = timed, and");
    refuse("threads = 2\n", "ports = 2 needs threads = 1");
    open_rig(&r, "");
    expect(&r, ask(&r, 2, GPC_LOAD, 0, 1, 1), "port is 2");
    expect(&r, ask(&r, 0, GPC_ATOMIC, 0, 1, 1), "kind");
    expect(&r, ask(&r, 0, GPC_LOAD, 0, 0, 1), "bytes is 0");
    expect(&r, ask(&r, 0, GPC_LOAD, UINT64_MAX, 2, 1), "beyond");
    cr_assert_eq(gpc_hierarchy_ports(r.h), 2);
    gpc_port_stats s = GPC_PORT_STATS_INIT;
    cr_assert_eq(gpc_hierarchy_port_stats(r.h, 2, &s, NULL), GPC_ERROR_RANGE);
    time_of(&r, 0, GPC_LOAD, 0, 128);
    gpc_hierarchy_reset_stats(r.h);
    cr_assert_eq(of_port(&r, 0).requests, 0);
    close_rig(&r);
}
