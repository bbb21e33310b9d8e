/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/tree/invariants.h"
#include "effort.h"
#include "measured.h"
#include "timed/coherent_rig.h"
#include "timed/drive.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*
 * Random trees with few resources, every protocol, random streams: no loss, deadlock or nondeterminism, and the final
 * tree keeps the protocol's promises.
 */

static const char *const protocols[] = {"msi", "mesi",    "mosi", "moesi", "nmoesi", "nmoesi-multi2sim",
                                        "vi",  "slc-glc", "hmg"};
#define PROTOCOLS (sizeof protocols / sizeof *protocols)

/* Every other machine has sectors, of 32 bytes or more, without changing the rest. */
static void draw_sectors(uint64_t state, machine *m, unsigned l1_line, unsigned l2_line) {
    const unsigned l1 = 1u << rig_below(&state, 3), l2 = 1u << rig_below(&state, 3);
    const unsigned l1_sectors = l1 < l1_line / 32 ? l1 : l1_line / 32,
                   l2_sectors = l2 < l2_line / 32 ? l2 : l2_line / 32;
    if (!rig_below(&state, 2))
        return;
    put(m, "l2.write_allocate = %s\nl1.sectors = %u\nl2.sectors = %u\n", rig_below(&state, 2) ? "lazy" : "fetch",
        l1_sectors, l2_sectors);
    put(m, "l1.fetch_sectors = %u\nl2.fetch_sectors = %u\n", l1_sectors > 1 ? 1 + rig_below(&state, 2) : 1,
        l2_sectors >> rig_below(&state, l2_sectors > 2 ? 3 : l2_sectors));
}

static void draw_shape(uint64_t *state, machine *m) {
    unsigned doublings = rig_below(state, 3), l1_line = 32u << doublings;
    unsigned l2_line = l1_line << rig_below(state, 3 - doublings);
    unsigned l1_ways = 1 + rig_below(state, 3), l2_ways = 2 + rig_below(state, 3);
    m->sms = 1 + rig_below(state, 6);
    m->slices = 1 + rig_below(state, 4);
    m->l1_here = true;
    m->l2_here = rig_below(state, 5) > 0;
    put(m, "%ssm.count = %u\nl2.enabled = %d\nl2.slices = %u\n", coherent_base, m->sms, m->l2_here, m->slices);
    put(m, "l1.ways = %u\nl1.line = %u\nl1.size = %u\n", l1_ways, l1_line, 128 * l1_ways << rig_below(state, 4));
    put(m, "l2.ways = %u\nl2.line = %u\nl2.interleave_bytes = %u\nl2.size = %u\n", l2_ways, l2_line, l2_line,
        m->slices * 128 * l2_ways << rig_below(state, 5));
    draw_sectors(*state, m, l1_line, l2_line);
    put(m, "cluster.sms = %u\ncluster.ways = 4\ncluster.size = %u\ncluster.latency = %u\n",
        rig_below(state, 3) ? 0 : 1 + rig_below(state, 3), 512u << rig_below(state, 5), 1 + rig_below(state, 20));
    put(m, "dram.channels = %u\ndram.fixed_latency = %u\ndram.fixed_bandwidth = %u\n", 1 + rig_below(state, 5),
        rig_below(state, 200), rig_below(state, 40));
    put(m, "dram.model = %s\n", rig_below(state, 2) ? "fixed" : "timing");
}

static void draw_room(uint64_t *state, machine *m, const char *key, uint32_t least) {
    if (rig_below(state, 6))
        put(m, "%s = %u\n", key, least + rig_below(state, 4));
}

static void draw_resources(uint64_t *state, machine *m) {
    static const char *const widths[] = {"l1.data_width",       "l1.fill_width", "network.width",
                                         "network.reply_width", "l2.data_width", "l2.fill_width"};
    draw_room(state, m, "l1.mshr_entries", 1);
    draw_room(state, m, "l1.mshr_merges", 1);
    draw_room(state, m, "l1.queue", 1);
    draw_room(state, m, "l1.miss_queue", 0);
    draw_room(state, m, "l2.queue", 0);
    draw_room(state, m, "l2.miss_queue", 0);
    draw_room(state, m, "l2.reply_queue", 0);
    draw_room(state, m, "network.input_buffer", 0);
    draw_room(state, m, "network.output_buffer", 0);
    draw_room(state, m, "memory.link_buffer", 0);
    if (rig_below(state, 4) == 0)
        put(m,
            "network.buffer_unit = bytes\nnetwork.input_buffer = %u\nnetwork.output_buffer = %u\n"
            "memory.link_buffer = %u\n",
            168 + rig_below(state, 300), 168 + rig_below(state, 300), 168 + rig_below(state, 300));
    for (unsigned i = 0; i < sizeof widths / sizeof *widths; i++)
        put(m, "%s = %u\n", widths[i], 1u << rig_below(state, 9));
    if (rig_below(state, 3) == 0)
        put(m, "memory.link_width = %u\nmemory.link_latency = %u\n", 8u << rig_below(state, 5), rig_below(state, 30));
    put(m, "network.header = %u\nnetwork.latency = %u\nl1.latency = %u\n", 1 + rig_below(state, 40),
        rig_below(state, 10), 1 + rig_below(state, 40));
    put(m, "l2.latency = %u\nl2.rop_latency = %u\nl1.tag_ports = %u\nl2.tag_ports = %u\n", 1 + rig_below(state, 100),
        rig_below(state, 50), 1 + rig_below(state, 3), 1 + rig_below(state, 3));
    if (rig_below(state, 4))
        put(m, "l2.mshr_entries = %u\n", 1 + rig_below(state, 2));
    put(m, "clock.l2 = %u\nclock.network = %u\nclock.dram = %u\n", 300 + rig_below(state, 1500),
        300 + rig_below(state, 1500), 300 + rig_below(state, 1500));
}

/* Lines held above may leave L2, clusters, or both; writes may go through L1. */
static void draw_policies(uint64_t *state, machine *m, const char *protocol) {
    static const char *const inclusions[] = {"inclusive", "non-inclusive"};
    const bool retries = rig_below(state, 2) || !strcmp(protocol, "nmoesi-multi2sim");
    put(m, "coherence = %s\ncoherence.conflict = %s\n", protocol, retries ? "retry" : "wait");
    put(m, "l2.inclusion = %s\ncluster.inclusion = %s\n", inclusions[rig_below(state, 2)],
        inclusions[rig_below(state, 2)]);
    put(m, "coherence.directory_ways = %u\n", 1 + rig_below(state, 4));
    if (rig_below(state, 4) == 0)
        put(m, "l1.write_policy = through\nl1.write_policy_local = through\n");
    if (rig_below(state, 4) == 0)
        put(m, "l1.write_allocate = none\nl1.write_allocate_local = none\n");
    if (rig_below(state, 3) == 0)
        put(m, "coherence.memory_ways = %u\ncoherence.memory_sets = %u\n", 1 + rig_below(state, 8),
            1u << rig_below(state, 5));
    if (rig_below(state, 4) == 0)
        put(m, "l1.replacement = fifo\nl2.replacement = random\n");
    if (rig_below(state, 4) == 0)
        put(m, "l1.coalescer = multi2sim\nsm.lsus = %u\n%s\n", 1 + rig_below(state, 4),
            rig_below(state, 2)   ? "sm.lsu_in_flight = 2"
            : rig_below(state, 2) ? "sm.lsu_in_flight = 1"
                                  : "sm.lsu_waits = false");
}

/*
 * Two or three such GPUs, with pages of a few lines and narrow links. Separate random numbers: the rest is unchanged.
 */
static void draw_gpus(uint64_t random, machine *m) {
    static const char *const placements[] = {"round-robin", "first-touch"};
    if (!m->l2_here || rig_below(&random, 3))
        return;
    const unsigned gpus = 2 + rig_below(&random, 2), clustered = rig_below(&random, 3) == 0;
    put(m, "l2.write_allocate = fetch\ngpu.count = %u\nsm.count = %u\ncluster.sms = %u\n", gpus, m->sms,
        clustered ? m->sms : 0);
    m->sms *= gpus;
    m->slices *= gpus;
    put(m, "l2.slices = %u\nl2.ways = 2\nl2.size = %u\ndram.channels = %u\n", m->slices / gpus,
        m->slices / gpus * 256 << rig_below(&random, 5), 1 + rig_below(&random, 3));
    put(m, "page.bytes = %u\npage.placement = %s\n", 128u << rig_below(&random, 4), placements[rig_below(&random, 2)]);
    put(m, "gpu.link_latency = %u\ngpu.link_width = %u\ngpu.link_buffer = %u\n", rig_below(&random, 100),
        1u << rig_below(&random, 8), rig_below(&random, 3) + (strstr(m->text, "buffer_unit = bytes") ? 4096 : 0));
}

/* Entries of a few pointers. */
static void draw_directories(uint64_t random, machine *m, const char *protocol) {
    static const char *const overflows[] = {"broadcast", "evict", "coarse"};
    if (strcmp(protocol, "nmoesi-multi2sim") != 0 && rig_below(&random, 3) == 0)
        put(m, "coherence.directory_pointers = %u\ncoherence.directory_overflow = %s\ncoherence.directory_region = 2\n",
            1 + rig_below(&random, 3), overflows[rig_below(&random, 3)]);
}

/* Every other machine has sets, slices and L1s like presets, without changing the rest. */
static void draw_ways_of_presets(uint64_t state, machine *m) {
    static const char *const indices[] = {"modulo", "xor", "ipoly"}, *const writes[] = {"back", "through", "evict"};
    static const char *const kept[] = {"lru", "bip(bypass=1)", "drrip"};
    if (rig_below(&state, 2))
        return;
    put(m, "l1.index = %s\nl2.index = %s\n", indices[rig_below(&state, 3)], indices[rig_below(&state, 3)]);
    put(m, "l2.interleave = %s\nl2.interleave_bytes = %u\n", rig_below(&state, 2) ? "hash" : "modulo",
        128u << rig_below(&state, 3));
    const char *write = writes[rig_below(&state, 3)];
    put(m, "l1.write_policy = %s\nl1.write_policy_local = %s\n", write, writes[rig_below(&state, 3)]);
    if (strcmp(write, "back") && state >> 9 & 1)
        put(m, "l1.write_allocate = lazy\n");
    put(m, "l1.replacement = %s\n", kept[rig_below(&state, 3)]);
    if (!strstr(m->text, "multi2sim\nsm.lsus") && rig_below(&state, 3) == 0)
        put(m, "l1.spaces = local\n");
    if (rig_below(&state, 2))
        put(m, "l1.bypass = %s\n", rig_below(&state, 2) ? "random-p(p=0.3)" : "mrpb(mshr=1, queue=1)");
    if (rig_below(&state, 2))
        put(m, "l1.reorder = warp\nl1.reorder_queues = 3\n");
}

/* Lines kept out by slices, by a predictor, a declining policy, or both; or by L1s, which ask slices. */
static void draw_askers(uint64_t random, machine *m) {
    static const char *const kept[] = {"lru", "bip(bypass=1)", "protecting-distance(bypass=1)", "combined"};
    static const char *const bypasses[] = {"always-cache", "random-p(p=0.5)", "always-bypass", "sdbp"};
    if (m->l2_here && rig_below(&random, 3) == 0)
        put(m, "l2.inclusion = non-inclusive\nl2.replacement = %s\nl2.bypass = %s\n", kept[rig_below(&random, 4)],
            bypasses[rig_below(&random, 4)]);
    else if (rig_below(&random, 3) == 0)
        put(m, "l1.bypass = %s\n", rig_below(&random, 2) ? "agcb(threshold=3)" : "agcb-early");
}

/* Slices keeping copies of one another's lines: of two partitions, or of several GPUs. */
static void draw_halves(uint64_t random, machine *m) {
    static const char *const partitions[] = {"halves", "pairs"};
    if (!m->l2_here || strstr(m->text, "l2.bypass") || rig_below(&random, 3) == 0)
        return;
    put(m, "l2.mshr_entries = %u\n", 2 + rig_below(&random, 2));
    if (strstr(m->text, "overflow = evict"))
        put(m, "coherence.directory_overflow = broadcast\n"); /* slices may have larger sectors */
    if (strstr(m->text, "gpu.count")) {
        put(m, "gpu.home = l2\n");
        return;
    }
    m->slices *= 2;
    put(m, "l2.slices = %u\nl2.ways = %u\nl2.size = %u\nl2.partitions = 2\nl2.sm_partition = %s\n", m->slices,
        2 + rig_below(&random, 2), m->slices * 384 << rig_below(&random, 4), partitions[rig_below(&random, 2)]);
    put(m, "cluster.sms = 0\nlrc.sms = 0\nl2.link_latency = %u\nl2.link_width = %u\nl2.link_buffer = %u\n",
        rig_below(&random, 50), 1u << rig_below(&random, 8),
        rig_below(&random, 3) + (strstr(m->text, "buffer_unit = bytes") ? 4096 : 0));
}

/* Lines take ways on arrival, in every third machine with waiting requests. */
static void draw_allocation(uint64_t random, machine *m) {
    if (strstr(m->text, "coherence.conflict = wait") && rig_below(&random, 3) == 0)
        put(m, "l1.allocate = %s\nl1.fetch_sectors = 1\n", rig_below(&random, 2) ? "on-fill" : "streaming");
}

static void draw(uint64_t *state, machine *m, const char *protocol) {
    const uint64_t own = gpci_mix(*state);
    *m = (machine){.sms = 0};
    draw_shape(state, m);
    draw_resources(state, m);
    draw_policies(state, m, protocol);
    draw_ways_of_presets(gpci_mix(own + 3), m);
    draw_gpus(gpci_mix(own + 1), m);
    draw_directories(gpci_mix(own + 2), m, protocol);
    draw_askers(gpci_mix(own + 4), m);
    draw_halves(gpci_mix(own + 5), m);
    draw_allocation(gpci_mix(own + 6), m);
}

typedef struct outcome {
    uint64_t trail, now;
    measured_stats stats;
    measured_module coherence;
} outcome;

static outcome run(uint64_t seed, const char *protocol, host_kind host) {
    static rig r;
    uint64_t state = seed;
    machine m;
    draw(&state, &m, protocol);
    stream s = {.seed = rig_random(&state),
                .sms = m.sms,
                .accesses = 1 + rig_below(&state, 60),
                .bytes = 1024u << rig_below(&state, 6),
                .loads = rig_below(&state, 13),
                .stores = rig_below(&state, 4)};
    if (rig_below(&state, 2)) {
        rig_open(&r, m.text, 1 + rig_below(&state, 300));
        r.memory.room = rig_below(&state, 3) ? 0 : 1 + rig_below(&state, 4);
        r.memory.order = rig_below(&state, 2) ? RIG_BACKWARDS : RIG_IN_ORDER;
    } else {
        rig_open_dram(&r, m.text);
    }
    drive(&r, &s, host);
    outcome o = {.trail = r.trail, .now = rig_now(&r), .stats = rig_stats(&r), .coherence = coherent_stats(&r, NULL)};
    coherent_check_idle(&r);
    rig_close(&r);
    return o;
}

static void same(const outcome *a, const outcome *b, uint64_t seed, const char *protocol, const char *what) {
    cr_expect_eq(a->trail, b->trail, "%s, seed %" PRIu64 ": %s: completions differ", protocol, seed, what);
    cr_expect_eq(a->now, b->now, "%s, seed %" PRIu64 ": %s: other cycles", protocol, seed, what);
    cr_expect_eq(memcmp(&a->coherence, &b->coherence, sizeof a->coherence), 0, "%s, seed %" PRIu64 ": %s: the tree",
                 protocol, seed, what);
    cr_expect_eq(a->stats.dram_read_sectors, b->stats.dram_read_sectors, "%s, seed %" PRIu64 ": %s: memory", protocol,
                 seed, what);
}

/* Everything completes once, sent bytes are received, no lock or message remains, and every run is equal. */
Test(timed_coherent_stress, conservation) {
    uint64_t retries = 0, peers = 0, held_up = 0;
    for (unsigned p = 0; p < PROTOCOLS; p++)
        for (uint64_t seed = 1; seed <= effort_of(120); seed++) {
            const outcome first = run(seed, protocols[p], HOST_SKIPS);
            if (seed % 4 == 0) {
                const outcome again = run(seed, protocols[p], HOST_SKIPS);
                same(&first, &again, seed, protocols[p], "again");
            }
            retries += first.coherence.retries;
            peers += first.coherence.peer_transfers;
            held_up += first.stats.l2_mshr_failures;
        }
    cr_expect_gt(retries, effort_of(1000));
    cr_expect_gt(peers, effort_of(1000));
    cr_expect_gt(held_up, effort_of(1000), "%u", (unsigned)held_up);
}

/* A host that skips to the next event misses nothing, and nothing happens before the event. */
Test(timed_coherent_stress, hosts_agree) {
    for (unsigned p = 0; p < PROTOCOLS; p++)
        for (uint64_t seed = 1000; seed < 1000 + effort_of(25); seed++) {
            outcome skips = run(seed, protocols[p], HOST_SKIPS), checks = run(seed, protocols[p], HOST_CHECKS);
            same(&skips, &checks, seed, protocols[p], "looked at between");
        }
}

/*
 * Overlapping accesses leave the tree like accesses in sequence: no promise of the protocol is broken. nmoesi-multi2sim
 * promises nothing: with overlapping accesses it leaves two writers, like the simulator's defects.
 */
Test(timed_coherent_stress, the_tree_in_the_end) {
    static rig r;
    for (unsigned p = 0; p < PROTOCOLS; p++)
        for (uint64_t seed = 2000; strcmp(protocols[p], "nmoesi-multi2sim") && seed < 2000 + effort_of(80); seed++) {
            uint64_t state = seed;
            machine m;
            char text[256];
            draw(&state, &m, protocols[p]);
            const stream s = {.seed = seed,
                              .sms = m.sms,
                              .accesses = 120,
                              .bytes = 1024u << rig_below(&state, 4),
                              .loads = 8,
                              .stores = 5};
            rig_open_dram(&r, m.text);
            drive(&r, &s, HOST_SKIPS);
            const gpc_coherence *c = gpc_hierarchy_coherence(r.hierarchy);
            cr_expect(gpci_invariants_of_tags(c, text, sizeof text), "%s, seed %" PRIu64 ": %s", protocols[p], seed,
                      text);
            cr_expect(gpci_invariants_over(c, 0, s.bytes + 4096, text, sizeof text), "%s, seed %" PRIu64 ": %s",
                      protocols[p], seed, text);
            coherent_check_idle(&r);
            rig_close(&r);
        }
}

/*
 * The two halves of a slice send from one queue, with room in turn. Here near halves refuse requests all the time: if
 * refusals came first, a home half's data, and a probe behind that blocks all others, would never leave.
 */
Test(timed_coherent_stress, halves_send_by_turns) {
    static rig r;
    const stream s = {.seed = 2824, .sms = 6, .accesses = 40, .bytes = 8192, .loads = 8, .stores = 5};
    rig_open_dram(&r, "sm.count = 2\nl1.sectors = 1\nl1.line = 32\nl1.index = modulo\nl1.replacement = lru\n"
                      "l1.bypass = random-p(p=0.3)\nl2.slices = 1\nl2.size = 256KiB\nl2.ways = 2\nl2.index = modulo\n"
                      "l2.interleave = hash\nl2.reply_queue = 2\nl2.mshr_entries = 2\ndram.channels = 3\n"
                      "network.buffer_unit = bytes\nnetwork.input_buffer = 376\nnetwork.reply_width = 2\n"
                      "coherence = msi\ncoherence.conflict = retry\ncoherence.directory_ways = 4\n"
                      "coherence.memory_ways = 2\ncoherence.memory_sets = 1\ncoherence.directory_pointers = 3\n"
                      "coherence.directory_overflow = broadcast\ncoherence.directory_region = 2\n"
                      "gpu.count = 3\ngpu.home = l2\ngpu.link_latency = 54\ngpu.link_width = 32\n"
                      "gpu.link_buffer = 4096\npage.bytes = 1024\npage.placement = first-touch\n");
    drive(&r, &s, HOST_SKIPS);
    coherent_check_idle(&r);
    rig_close(&r);
}

/* A cluster's predictor answers for a line although the cluster lacks the requested block. */
Test(timed_coherent_stress, answers_for_other_sectors) {
    static rig r;
    const stream s = {.seed = 140207, .sms = 6, .accesses = 60, .bytes = 8192, .loads = 8, .stores = 5};
    rig_open_dram(&r, "sm.count = 4\nl1.write_policy = back\nl1.write_allocate = fetch\nl1.size = 768\n"
                      "l1.bypass = agcb(threshold=3)\ndram.model = fixed\ndram.fixed_latency = 16\ndram.channels = 1\n"
                      "l2.slices = 4\nl2.ways = 2\nl2.size = 2048\nl2.fetch_sectors = 4\ncluster.sms = 4\n"
                      "gpu.count = 2\ncoherence = slc-glc\ncoherence.conflict = retry\n");
    drive(&r, &s, HOST_SKIPS);
    coherent_check_idle(&r);
    rig_close(&r);
}

/*
 * A slice keeps a block locked while another block's bytes leave, and the other block has an owner in a slice that is in
 * the same position the other way round. One of the two puts is refused; if the probes of both waited, neither access
 * would end.
 */
Test(timed_coherent_stress, puts_give_way) {
    static const char *const conflicts[] = {"retry", "wait"};
    for (unsigned i = 0; i < 2; i++)
        for (uint64_t seed = 7; seed < 17; seed++) {
            static rig r;
            char text[1024];
            const stream s = {.seed = seed, .sms = 15, .accesses = 53, .bytes = 2048, .loads = 11, .stores = 3};
            snprintf(text, sizeof text,
                     "sm.count = 5\nl1.sectors = 2\nl1.line = 64\nl1.fetch_sectors = 2\nl1.mshr_entries = 3\n"
                     "l1.write_policy = back\nl1.write_policy_local = back\nl1.write_allocate = fetch\n"
                     "l1.latency = 27\nl1.tag_ports = 2\nl2.slices = 2\nl2.sectors = 1\nl2.line = 64\nl2.ways = 2\n"
                     "l2.size = 1024\nl2.latency = 57\nl2.rop_latency = 36\nl2.replacement = combined\n"
                     "dram.channels = 3\nnetwork.output_buffer = 1\nnetwork.width = 4\nnetwork.reply_width = 8\n"
                     "network.header = 29\nnetwork.latency = 7\nclock.l2 = 618\nclock.network = 1796\n"
                     "clock.dram = 549\ncoherence = nmoesi\ncoherence.conflict = %s\n"
                     "coherence.directory_ways = 1\ngpu.count = 3\npage.bytes = 128\n"
                     "page.placement = round-robin\nnetwork.input_buffer = 0\n",
                     conflicts[i]);
            rig_open_dram(&r, text);
            drive(&r, &s, HOST_SKIPS);
            coherent_check_idle(&r);
            rig_close(&r);
        }
}
