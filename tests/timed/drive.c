/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/drive.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

shot stream_shot(const stream *s, uint32_t sm, uint32_t n) {
    static const uint32_t widths[] = {1, 4, 8, 16};
    uint64_t state = s->seed * 0x100000001b3u + sm * 65537u + n;
    shot a = {.lanes = 1 + rig_below(&state, 32), .width = widths[rig_below(&state, 4)], .sm = sm};
    const uint32_t strides[] = {0, a.width, a.width, 2 * a.width, 33, 128, 384};
    uint32_t kind = rig_below(&state, 16);
    a.stride = strides[rig_below(&state, 7)];
    a.address = rig_below(&state, s->bytes);
    a.warp = a.age = rig_below(&state, 8);
    a.pc = 16 * rig_below(&state, 8);
    if (a.address + a.lanes * a.stride + a.width > s->bytes)
        a.stride = a.stride % 4;
    if (kind < s->loads)
        a.kind = GPC_LOAD;
    else if (kind < s->loads + s->stores)
        a.kind = GPC_STORE;
    else
        a.kind = (uint8_t)(GPC_ATOMIC + rig_below(&state, 3));
    if (!s->plain) {
        a.hint = (uint8_t)(rig_below(&state, 4) ? GPC_HINT_NONE : rig_below(&state, GPC_HINT_COUNT));
        a.space = (uint8_t)(rig_below(&state, 4) ? GPC_SPACE_GLOBAL : GPC_SPACE_LOCAL);
        a.token = (uint8_t)rig_below(&state, GPC_TOKEN_COUNT);
        a.token_l2 = (uint8_t)rig_below(&state, GPC_TOKEN_COUNT);
    }
    return a;
}

/* All state visible to a host except the clock. */
static uint64_t seen(const rig *r) {
    uint64_t sum = r->trail;
    const uint64_t parts[] = {r->ready,        r->fills[1],     r->fills[2],          r->evictions[1],
                              r->evictions[2], r->memory.calls, r->memory.read_bytes, r->completed};
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
        sum = sum * 0x100000001b3u + parts[i];
    return sum;
}

static void skip(rig *r, host_kind host) {
    uint64_t event = gpc_hierarchy_next_event(r->hierarchy), now = rig_now(r), due = UINT64_MAX;
    for (uint32_t i = 0; i < r->memory.count; i++)
        due = r->memory.reads[i].due < due ? r->memory.reads[i].due : due;
    cr_assert_gt(event, now, "an event in the past");
    if (event == UINT64_MAX && due == UINT64_MAX) {
        gpc_error error = GPC_ERROR_INIT;
        gpc_hierarchy_drain(r->hierarchy, &error);
        cr_assert_fail("accesses wait, and nothing will ever happen: %s\n%s", error.message, r->settings);
    }
    uint64_t to = event < due ? event : due;
    if (host == HOST_CHECKS && to > now + 1) {
        uint64_t before = seen(r);
        cr_assert_eq(gpc_hierarchy_advance(r->hierarchy, to - 1 - now, NULL), GPC_OK);
        cr_assert_eq(seen(r), before, "something happened before cycle %" PRIu64, to);
        cr_assert_geq(gpc_hierarchy_next_event(r->hierarchy), event, "the next event came nearer by itself");
    }
    rig_skip(r, UINT64_MAX);
}

void drive(rig *r, const stream *s, host_kind host) {
    uint32_t at[64] = {0};
    bool waits[64] = {false};
    uint64_t left = (uint64_t)s->sms * s->accesses, patience = 0;
    cr_assert_leq(s->sms, 64);
    while (left || gpc_hierarchy_in_flight(r->hierarchy)) {
        bool more = false; /* an SM that may issue in the next cycle */
        uint64_t before = left;
        for (uint32_t sm = 0; sm < s->sms; sm++) {
            if (at[sm] == s->accesses || (waits[sm] && host != HOST_POLLS && !r->ready_sms[sm]))
                continue;
            r->ready_sms[sm] = false;
            waits[sm] = rig_try(r, stream_shot(s, sm, at[sm]), NULL) == GPC_BUSY;
            at[sm] += !waits[sm];
            left -= !waits[sm];
            more |= !waits[sm] && at[sm] < s->accesses;
        }
        patience = before == left ? patience + 1 : 0;
        cr_assert_lt(patience, 1000000, "%" PRIu64 " accesses are not accepted, %" PRIu64 " not completed", left,
                     r->issued - r->completed);
        if (!left && !gpc_hierarchy_in_flight(r->hierarchy))
            break;
        if (host == HOST_POLLS || more)
            rig_step(r);
        else
            skip(r, host);
    }
    rig_finish(r);
}

void put(machine *m, const char *format, ...) {
    size_t used = strlen(m->text);
    va_list list;
    va_start(list, format);
    int length = vsnprintf(m->text + used, sizeof m->text - used, format, list);
    va_end(list);
    cr_assert(length >= 0 && (size_t)length < sizeof m->text - used);
}

const char *one_of(uint64_t *state, const char *const *words, uint32_t count) {
    return words[rig_below(state, count)];
}

static void draw_shape(uint64_t *state, machine *m) {
    unsigned doublings = rig_below(state, 3), l1_line = 32u << doublings;
    unsigned l2_line = l1_line << rig_below(state, 3 - doublings);
    unsigned l1_sectors = rig_below(state, 2) ? l1_line / 32 : 1, l2_sectors = rig_below(state, 2) ? l2_line / 32 : 1;
    unsigned partitions = 1 + rig_below(state, 2);
    m->sms = 1 + rig_below(state, 4);
    m->slices = partitions * (1 + rig_below(state, 3));
    m->l1_here = rig_below(state, 8) > 0;
    m->l2_here = rig_below(state, 8) > 0;
    put(m, "sm.count = %u\nl1.enabled = %d\nl2.enabled = %d\n", m->sms, m->l1_here, m->l2_here);
    unsigned l1_ways = 1 + rig_below(state, 2), l2_ways = 1 + rig_below(state, 3);
    put(m, "l1.size = %u\nl1.ways = %u\nl1.line = %u\nl1.sectors = %u\n", 128u * l1_ways << rig_below(state, 5),
        l1_ways, l1_line, l1_sectors);
    put(m, "l1.fetch_sectors = %u\n", l1_sectors > 1 ? 1 + rig_below(state, 2) : 1);
    put(m, "l2.size = %u\nl2.slices = %u\nl2.partitions = %u\n", m->slices * 128u * l2_ways << rig_below(state, 5),
        m->slices, partitions);
    put(m, "l2.ways = %u\nl2.line = %u\nl2.sectors = %u\n", l2_ways, l2_line, l2_sectors);
    put(m, "l2.fetch_sectors = %u\n", l2_sectors > 1 ? 1 + rig_below(state, 2) : 1);
    put(m, "l2.sm_partition = %s\n", ONE_OF(state, "halves", "pairs"));
    put(m, "l2.interleave = %s\nl2.interleave_bytes = %u\n", ONE_OF(state, "modulo", "hash"), 256u);
    put(m, "l2.inclusion = %s\n", ONE_OF(state, "inclusive", "non-inclusive"));
}

static void draw_policies(uint64_t *state, machine *m) {
    put(m, "l1.replacement = %s\nl2.replacement = %s\n",
        ONE_OF(state, "lru", "fifo", "random", "plru", "mru", "nru", "age-lru(bypass=1)", "bip(bypass=1)"),
        ONE_OF(state, "lru", "fifo", "random", "plru", "mru", "nru"));
    if (rig_below(state, 4)) {
        put(m, "l1.bypass = %s\n",
            ONE_OF(state, "hint", "hint", "always-cache", "always-bypass", "random-p", "mrpb", "mrpb(mshr=1,queue=1)",
                   "mrpb(line=0,queue=1)"));
        put(m, "l2.bypass = %s\n", ONE_OF(state, "always-cache", "always-cache", "hint", "always-bypass"));
    } else {
        put(m, "l1.bypass = agcb(initial=%u)\n", rig_below(state, 8)); /* with a separate one below */
    }
    put(m, "l1.bypass_fetch = %s\n", ONE_OF(state, "segments", "line"));
    put(m, "l1.write_policy = %s\nl1.write_policy_local = %s\n", ONE_OF(state, "back", "through", "evict"),
        ONE_OF(state, "back", "through", "evict"));
    put(m, "l1.write_allocate = %s\nl1.write_allocate_local = %s\n", ONE_OF(state, "none", "fetch", "lazy"),
        ONE_OF(state, "none", "fetch", "lazy"));
    put(m, "l2.write_policy = %s\nl2.write_allocate = %s\n", ONE_OF(state, "back", "back", "through", "evict"),
        ONE_OF(state, "none", "fetch", "lazy"));
    put(m, "l1.allocate = %s\nl1.track_warps = %s\nl1.track_reuse = true\n",
        ONE_OF(state, "on-miss", "on-fill", "streaming"), ONE_OF(state, "true", "false"));
    put(m, "l1.spaces = %s\n", ONE_OF(state, "all", "all", "all", "local"));
}

/* A buffer's length: mostly short. */
static void put_room(uint64_t *state, machine *m, const char *key, uint32_t least) {
    if (rig_below(state, 8))
        put(m, "%s = %u\n", key, least + rig_below(state, 4));
    else
        put(m, "%s = unlimited\n", key);
}

static void draw_dram(uint64_t *state, machine *m) {
    put(m, "dram.channels = %u\ndram.model = %s\ndram.timing = %s\n", 1 + rig_below(state, 5),
        ONE_OF(state, "timing", "timing", "fixed"), ONE_OF(state, "ddr4", "gddr5", "gddr6", "hbm2", "hbm2e", "hbm3"));
    put(m, "dram.fixed_latency = %u\ndram.fixed_bandwidth = %u\n", rig_below(state, 200), rig_below(state, 40));
    put(m, "dram.read_queue = %u\ndram.write_queue = %u\n", 8 + rig_below(state, 16), 16 + rig_below(state, 16));
    put(m, "dram.write_high = 12\ndram.write_low = 4\ndram.scheduler = %s\ndram.page = %s\ndram.refresh = %s\n",
        ONE_OF(state, "fr-fcfs", "fcfs"), ONE_OF(state, "open", "closed"), ONE_OF(state, "all-bank", "none"));
}

static void draw_resources(uint64_t *state, machine *m) {
    static const char *const buffers[] = {"l1.miss_queue",  "network.input_buffer", "network.output_buffer",
                                          "l2.queue",       "l2.miss_queue",        "l2.reply_queue",
                                          "l2.link_buffer", "memory.link_buffer"};
    static const char *const tables[] = {"l1.mshr_entries", "l1.mshr_merges", "l2.mshr_entries", "l2.mshr_merges",
                                         "l1.queue"};
    static const char *const widths[] = {"l1.data_width", "l1.fill_width", "network.width", "network.reply_width",
                                         "l2.data_width", "l2.fill_width", "l2.link_width"};
    for (unsigned i = 0; i < sizeof buffers / sizeof *buffers; i++)
        put_room(state, m, buffers[i], 0);
    for (unsigned i = 0; i < sizeof tables / sizeof *tables; i++)
        put_room(state, m, tables[i], 1);
    for (unsigned i = 0; i < sizeof widths / sizeof *widths; i++)
        put(m, "%s = %u\n", widths[i], 1u << rig_below(state, 9));
    if (rig_below(state, 3) == 0)
        put(m, "memory.link_width = %u\nmemory.link_latency = %u\n", 8u << rig_below(state, 5), rig_below(state, 30));
    put(m, "network.header = %u\nnetwork.latency = %u\nl2.link_latency = %u\n", rig_below(state, 40),
        rig_below(state, 10), rig_below(state, 40));
    put(m, "l1.latency = %u\nl2.latency = %u\nl2.rop_latency = %u\n", 1 + rig_below(state, 40),
        1 + rig_below(state, 100), rig_below(state, 50));
    put(m, "l1.tag_ports = %u\nl1.banks = %u\nl2.tag_ports = %u\nl2.banks = %u\n", 1 + rig_below(state, 4),
        1 + rig_below(state, 4), 1 + rig_below(state, 3), 1 + rig_below(state, 4));
    put(m, "l1.bypass_queue = %u\nl1.reorder = %s\nl1.reorder_queues = %u\nl1.reorder_entries = %u\n",
        rig_below(state, 3), ONE_OF(state, "none", "none", "block", "warp", "pc"), 1 + rig_below(state, 5),
        1 + rig_below(state, 6));
    put(m, "l1.reorder_drain = %s\nl1.reorder_greedy = %s\n",
        ONE_OF(state, "fixed", "round-robin", "longest", "oldest"), ONE_OF(state, "true", "false"));
    put(m, "network.queues = %s\n", ONE_OF(state, "fifo", "virtual"));
    put(m, "lrc.sms = %u\nlrc.entries = %u\n", rig_below(state, 4), 1 + rig_below(state, 6));
    put(m, "clock.core = %u\nclock.network = %u\nclock.l2 = %u\nclock.dram = %u\n", 500 + rig_below(state, 1000),
        500 + rig_below(state, 1000), 500 + rig_below(state, 1000), 500 + rig_below(state, 1000));
    draw_dram(state, m);
    if (rig_below(state, 5) == 0)
        put(m,
            "network.buffer_unit = bytes\nnetwork.input_buffer = %u\nnetwork.output_buffer = %u\n"
            "memory.link_buffer = %u\nl2.link_buffer = %u\n",
            168 + rig_below(state, 300), 168 + rig_below(state, 300), 168 + rig_below(state, 300),
            168 + rig_below(state, 300));
}

static void draw_tokens(uint64_t *state, machine *m) {
    put(m, "l1.tokens = %s\nl1.token_clear = %s\nl1.token_period = %u\n",
        ONE_OF(state, "ignore", "strict", "opportunistic"), ONE_OF(state, "kernel", "owners", "last-owner", "periodic"),
        1 + rig_below(state, 500));
    put(m, "l2.tokens = %s\nl2.token_clear = %s\nl2.token_period = %u\n",
        ONE_OF(state, "ignore", "strict", "opportunistic"), ONE_OF(state, "kernel", "periodic"),
        1 + rig_below(state, 500));
}

/* In a third of the machines with an L2, by bits of the state that no other draw has. */
static void draw_memory_cache(uint64_t bits, bool limited, machine *m) {
    if (!m->l2_here || bits % 3)
        return;
    put(m, "memory_cache.size = %u\nmemory_cache.ways = 2\nmemory_cache.replacement = %s\n",
        5u * 256u << (bits >> 2 & 3), bits >> 4 & 1 ? "lru" : "random");
    if (!limited)
        return;
    put(m, "memory_cache.latency = %u\nmemory_cache.data_width = %u\n", (unsigned)(bits >> 5 & 63),
        1u << (bits >> 11 & 7));
    put(m, "memory_cache.queue = %u\nmemory_cache.miss_queue = %u\n", (unsigned)(bits >> 14 & 3),
        (unsigned)(bits >> 16 & 3));
    put(m, "memory_cache.mshr_entries = %u\nmemory_cache.mshr_merges = %u\n", 1 + (unsigned)(bits >> 18 & 3),
        1 + (unsigned)(bits >> 20 & 3));
}

void draw_machine(uint64_t *state, bool limited, machine *m) {
    *m = (machine){0};
    put(m, "# seed %" PRIu64 "\n", *state);
    draw_shape(state, m);
    draw_policies(state, m);
    if (limited)
        draw_resources(state, m);
    draw_tokens(state, m);
    draw_memory_cache(*state >> 20, limited, m);
}

/* No line of a cache is still in flight. */
static void nothing_pending(rig *r, unsigned level, uint32_t instances, const char *text) {
    for (uint32_t i = 0; i < instances; i++) {
        const gpc_cache *cache = gpc_hierarchy_cache(r->hierarchy, level, i);
        gpc_line line;
        for (uint64_t cursor = 0; cache && gpc_cache_next_line(cache, &cursor, &line, NULL) == GPC_OK;)
            cr_expect_eq(line.pending_sectors, 0, "level %u: %s", level, text);
    }
}

/* Segments brought by requests of all sizes. */
static uint64_t segments(const uint64_t *requests) {
    uint64_t total = 0;
    for (unsigned n = 0; n < GPC_SEGMENT_BUCKETS; n++)
        total += n * requests[n];
    return total;
}

static uint64_t sum(const uint64_t *values, unsigned count) {
    uint64_t total = 0;
    for (unsigned i = 0; i < count; i++)
        total += values[i];
    return total;
}

/* Every gauge is at zero: time alone adds nothing. */
static void nothing_queued(rig *r, const machine *m) {
    measured_stats before = rig_stats(r), after;
    cr_expect_eq(gpc_hierarchy_next_event(r->hierarchy), UINT64_MAX, "%s", m->text);
    uint64_t seen_before = seen(r);
    cr_assert_eq(gpc_hierarchy_advance(r->hierarchy, 5000, NULL), GPC_OK);
    cr_expect_eq(seen(r), seen_before);
    after = rig_stats(r);
#define STILL(field) cr_expect_eq(after.field, before.field, #field ": %s", m->text)
    STILL(l1_queue_cycles);
    STILL(l1_mshr_cycles);
    STILL(l1_miss_queue_cycles);
    STILL(l1_reorder_cycles);
    STILL(l1_reorder_stalls);
    STILL(l2_queue_cycles);
    STILL(l2_mshr_cycles);
    STILL(l2_miss_queue_cycles);
    STILL(l2_reply_queue_cycles);
    STILL(network_input_cycles);
    STILL(network_output_cycles);
    STILL(dram_queue_cycles);
    STILL(l1_line_stalls);
    STILL(l1_mshr_stalls);
    STILL(l1_merge_stalls);
    STILL(l1_queue_stalls);
    STILL(l1_network_stalls);
    STILL(l2_line_stalls);
    STILL(l2_mshr_stalls);
    STILL(l2_merge_stalls);
    STILL(l2_queue_stalls);
    STILL(l2_congested_cycles);
#undef STILL
    cr_expect_eq(after.sm_cycles - before.sm_cycles, 5000u * m->sms, "%s", m->text);
}

/* Data carried by a network, and the number of packets; 0 if absent. */
static uint64_t carried(const rig *r, const char *name, uint64_t *packets) {
    const char *const rows[] = {"packets", "bytes"};
    uint64_t values[2] = {0}, header;
    uint32_t ids[2];
    for (unsigned i = 0; i < 2; i++) {
        gpc_counter_info info = GPC_COUNTER_INFO_INIT;
        cr_assert_eq(gpc_counter_by_name(GPC_TABLE_NETWORK, rows[i], &info, NULL), GPC_OK);
        ids[i] = info.id;
    }
    cr_assert_eq(gpc_config_get_u64(r->config, "network.header", &header, NULL), GPC_OK);
    *packets = 0;
    for (uint32_t n = 0; n < gpc_hierarchy_object_count(r->hierarchy, GPC_OBJECT_NETWORK); n++) {
        char found[GPC_OBJECT_NAME];
        cr_assert_eq(gpc_hierarchy_object_name(r->hierarchy, GPC_OBJECT_NETWORK, n, found, sizeof found, NULL), GPC_OK);
        if (strcmp(found, name) != 0)
            continue;
        cr_assert_eq(gpc_hierarchy_read(r->hierarchy, GPC_OBJECT_NETWORK, n, ids, 2, values,
                                        sizeof values / sizeof *values, NULL),
                     GPC_OK);
        *packets = values[0];
    }
    cr_assert_geq(values[1], *packets * header);
    return values[1] - *packets * header;
}

/*
 * Links carry the slices' requests: the memory link carries the reads and writes of DRAM, or of the cache beside
 * memory; between partitions, traffic counted as remote, with the sectors of an atomic in every direction. Requests of
 * reads and answers to writes and reductions are headers alone.
 */
static void check_links(const rig *r, const measured_stats *s, const char *text) {
    uint64_t packets[4];
    uint64_t down = carried(r, "memory request link", &packets[0]), up = carried(r, "memory reply link", &packets[1]);
    if (packets[0]) {
        const bool beside = strstr(text, "memory_cache.size") != NULL;
        cr_expect_eq(down, (beside ? s->memory_cache_write_sectors : s->dram_write_sectors) * 32, "%s", text);
        cr_expect_eq(up, (beside ? s->memory_cache_read_sectors : s->dram_read_sectors - s->dram_launch_sectors) * 32,
                     "%s", text);
        cr_expect_leq(packets[1], packets[0], "%s", text);
    }
    uint64_t there = carried(r, "partition request link", &packets[2]);
    uint64_t back = carried(r, "partition reply link", &packets[3]), remote = s->l2_remote_sectors * 32;
    cr_expect_geq(there + back, packets[2] ? remote : 0, "%s", text);
    cr_expect_leq(there + back, remote + s->l2_atomic_sectors * 32, "%s", text);
    uint64_t header, bytes = down + up + there + back, all = packets[0] + packets[1] + packets[2] + packets[3];
    cr_assert_eq(gpc_config_get_u64(r->config, "network.header", &header, NULL), GPC_OK);
    cr_expect_eq(s->link_packets, all, "%s", text);
    cr_expect_eq(s->link_bytes, bytes + all * header, "%s", text);
}

void check_idle(rig *r, const machine *m, uint64_t loads) {
    measured_stats s = rig_stats(r);
    const char *text = m->text;
    cr_expect_eq(gpc_hierarchy_in_flight(r->hierarchy), 0, "%s", text);
    cr_expect_eq(s.accepted, r->issued, "%s", text);
    cr_expect_eq(s.completed, r->issued, "%s", text);
    cr_expect_eq(s.l1_load_requests, loads, "%s", text);
    cr_expect_eq(s.loads_completed, loads, "%s", text);
    cr_expect_eq(sum(s.load_latency, GPC_LATENCY_BUCKETS), loads, "%s", text);
    cr_expect_eq(sum(s.round_trip_latency, GPC_LATENCY_BUCKETS), s.round_trips, "%s", text);
    cr_expect_eq(sum(s.l1_transactions_per_load, GPC_TRANSACTION_BUCKETS), loads, "%s", text);
    cr_expect_leq(s.l1_load_sector_hits, s.l1_load_sectors, "%s", text);
    cr_expect_leq(s.l1_pending_sector_hits, s.l1_load_sectors, "%s", text);
    cr_expect_leq(s.l1_load_line_misses, s.l1_load_lines, "%s", text);
    cr_expect_leq(s.l1_load_dram_lines, s.l1_load_line_misses, "%s", text);
    cr_expect_leq(s.l1_cache_warp_lines + s.l1_bypass_warp_lines, s.l1_load_lines, "%s", text);
    cr_expect_leq(s.l1_cache_warp_misses + s.l1_bypass_warp_misses, s.l1_load_line_misses, "%s", text);
    cr_expect_leq(s.l2_read_sector_hits, s.l2_read_sectors, "%s", text);
    cr_expect_eq(segments(s.l1_fetches), s.l1_fetched_sectors, "%s", text);
    cr_expect_eq(segments(s.l1_bypass_fetches), s.l1_bypassed_sectors, "%s", text);
    cr_expect_eq(s.l1_fetches[0] + s.l1_bypass_fetches[0], 0, "%s", text);
    cr_expect_leq(s.l1_bypassed_sectors, s.l1_fetched_sectors, "%s", text);
    cr_expect_leq(s.l1_line_bypasses + s.l1_mshr_bypasses + s.l1_queue_bypasses, s.l1_bypasses, "%s", text);
    cr_expect_leq(s.l2_write_sector_hits, s.l2_write_sectors, "%s", text);
    cr_expect_leq(s.network_replies, s.network_requests, "%s", text);
    if (m->l1_here && !strstr(text, "l1.spaces = local"))
        cr_expect_eq(sum(s.l1_hits_by_age, GPC_AGE_BUCKETS) + s.l1_load_line_misses, s.l1_load_lines, "%s", text);
    if (m->l1_here && m->l2_here && !strstr(text, "l1.spaces = local")) {
        /* except traffic kept from L2 by a request coalescer */
        cr_expect_leq(s.l2_read_sectors, s.l1_fetched_sectors, "%s", text);
        if (!strstr(text, "lrc.sms") || strstr(text, "lrc.sms = 0"))
            cr_expect_eq(s.l2_read_sectors, s.l1_fetched_sectors, "%s", text);
        else
            cr_expect_leq(s.l1_fetched_sectors, s.l2_read_sectors + s.l2_merged_sectors, "%s", text);
    }
    if (r->memory.calls) {
        /* a transfer is one stretch, from the first sector to the last */
        cr_expect_leq(s.dram_read_sectors * 32, r->memory.read_bytes, "%s", text);
        cr_expect_leq(s.dram_write_sectors * 32, r->memory.write_bytes, "%s", text);
    }
    check_links(r, &s, text);
    nothing_pending(r, 1, m->sms, text);
    nothing_pending(r, 2, m->slices, text);
    nothing_queued(r, m);
}
