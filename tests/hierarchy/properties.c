/* SPDX-License-Identifier: BSD-2-Clause */
#include "hierarchy/rig.h"

#include "effort.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Properties of any accesses to any hierarchy. */

#define SEGMENTS 512u /* 32-byte segments that accesses touch: 16 KiB */
#define ACCESSES 400u

static uint64_t next(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u; /* splitmix64 */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static unsigned below(uint64_t *state, unsigned limit) {
    return (unsigned)(next(state) % limit);
}

typedef struct machine {
    char settings[1024];
    uint32_t sms, slices;
    bool l1_here, l2_here;
    bool l1_keeps, l2_keeps; /* every store stays in the level until written back */
    bool whole;              /* a sector is a segment at both levels */
} machine;

static const char *const writes[] = {"back", "through", "evict"};
static const char *const allocations[] = {"none", "fetch", "lazy"};
static const char *const policies[] = {"lru", "fifo", "random", "plru", "mru"};

/* A small machine: `scale` times 1 KiB of L1 and 4 KiB of L2. */
static machine draw(uint64_t *state, unsigned scale) {
    machine m = {0};
    unsigned doublings = below(state, 3), l1_line = 32u << doublings, l2_line = l1_line << below(state, 3 - doublings);
    unsigned l1_sectors = below(state, 2) ? l1_line / 32 : 1, l2_sectors = below(state, 2) ? l2_line / 32 : 1;
    unsigned l1_write = below(state, 3), l2_write = below(state, 3);
    unsigned l1_allocate = below(state, 3), l2_allocate = below(state, 3);
    unsigned partitions = 1 + below(state, 2);
    m.sms = 1 + below(state, 3);
    m.slices = partitions * (1 + below(state, 2));
    m.l1_here = below(state, 8) > 0;
    m.l2_here = below(state, 8) > 0;
    m.l1_keeps = m.l1_here && l1_write == 0 && l1_allocate > 0;
    m.l2_keeps = m.l2_here && l2_write == 0 && l2_allocate > 0;
    m.whole = l1_sectors == l1_line / 32 && l2_sectors == l2_line / 32;
    snprintf(m.settings, sizeof m.settings,
             "sm.count = %u\nl1.enabled = %d\nl2.enabled = %d\nl1.size = %uKiB\nl1.ways = %u\nl1.line = %u\n"
             "l1.sectors = %u\nl1.write_policy = %s\nl1.write_allocate = %s\nl1.write_policy_local = %s\n"
             "l1.write_allocate_local = %s\nl1.replacement = %s\nl1.bypass = always-cache\nl2.size = %uKiB\n"
             "l2.slices = %u\nl2.partitions = %u\nl2.ways = %u\nl2.line = %u\nl2.sectors = %u\nl2.write_policy = %s\n"
             "l2.write_allocate = %s\nl2.replacement = %s\nl2.fetch_sectors = %u\nl2.interleave = %s\n"
             "l2.inclusion = %s\n",
             m.sms, m.l1_here, m.l2_here, scale, 1u << below(state, 3), l1_line, l1_sectors, writes[l1_write],
             allocations[l1_allocate], writes[l1_write], allocations[l1_allocate], policies[below(state, 5)], 4 * scale,
             m.slices, partitions, 1u << below(state, 3), l2_line, l2_sectors, writes[l2_write],
             allocations[l2_allocate], policies[below(state, 5)], l2_sectors > 1 ? 1 + below(state, 2) : 1,
             below(state, 2) ? "hash" : "modulo", below(state, 2) ? "inclusive" : "non-inclusive");
    return m;
}

/* Requests of the accesses, counted by the test. */
typedef struct tally {
    uint8_t written[SEGMENTS];
    uint64_t distinct, written_segments;
    uint64_t results[5]; /* sums of gpc_warp_result */
} tally;

/* A store or atomic of `width` bytes by each of `lanes` lanes: the written segments. */
static void note(tally *t, const uint64_t *addresses, unsigned lanes, unsigned width) {
    uint8_t now[SEGMENTS] = {0};
    for (unsigned i = 0; i < lanes; i++)
        for (unsigned b = 0; b < width; b++)
            now[(addresses[i] + b) / 32] = 1;
    for (unsigned s = 0; s < SEGMENTS; s++) {
        t->distinct += now[s] && !t->written[s];
        t->written_segments += now[s];
        t->written[s] |= now[s];
    }
}

static void one_access(rig *r, const machine *m, uint64_t *state, tally *t) {
    static const unsigned widths[] = {1, 4, 8, 16};
    uint64_t addresses[32];
    unsigned lanes = 1 + below(state, 32), width = widths[below(state, 4)], stride = below(state, 3) * width;
    uint64_t base = next(state) % (SEGMENTS * 32 - 32 * 32 - 16);
    for (unsigned i = 0; i < lanes; i++)
        addresses[i] = stride ? base + i * stride : next(state) % (SEGMENTS * 32 - 16);
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    access.sm = below(state, m->sms);
    access.warp = below(state, 4);
    access.mask = lanes == 32 ? UINT32_MAX : (1u << lanes) - 1;
    access.addresses = addresses;
    access.width = width;
    access.kind = (uint8_t)(below(state, 2) ? GPC_STORE : below(state, GPC_KIND_COUNT));
    access.space = (uint8_t)below(state, 2);
    if (access.kind == GPC_STORE || access.kind == GPC_ATOMIC || access.kind == GPC_REDUCTION)
        note(t, addresses, lanes, width);
    gpc_warp_result result = GPC_WARP_RESULT_INIT;
    cr_assert_eq(gpc_hierarchy_access(r->hierarchy, &access, &result, NULL), GPC_OK, "%s", m->settings);
    const uint32_t parts[] = {result.lines, result.l1_sector_hits, result.l2_sectors, result.l2_sector_hits,
                              result.dram_sectors};
    for (unsigned i = 0; i < 5; i++)
        t->results[i] = t->results[i] * 31 + parts[i];
}

static measured_stats run(const machine *m, uint64_t seed, tally *t) {
    rig r;
    rig_open(&r, m->settings);
    *t = (tally){0};
    for (unsigned i = 0; i < ACCESSES; i++)
        one_access(&r, m, &seed, t);
    rig_flush(&r);
    cr_expect_eq(rig_lines(&r, 1, m->sms) + rig_lines(&r, 2, m->slices), 0, "%s", m->settings);
    measured_stats stats = rig_stats(&r);
    rig_flush(&r);
    measured_stats again = rig_stats(&r);
    cr_expect_eq(memcmp(&stats, &again, sizeof stats), 0, "a second flush found something: %s", m->settings);
    rig_close(&r);
    return stats;
}

static void check(const machine *m, const measured_stats *s, const tally *t) {
    const char *text = m->settings;
    cr_expect_eq(s->l1_store_sectors + s->l1_atomic_sectors, t->written_segments, "%s", text);
    cr_expect_leq(s->l1_load_sector_hits, s->l1_load_sectors, "%s", text);
    cr_expect_leq(s->l1_load_bytes_used, s->l1_load_bytes_moved, "%s", text);
    cr_expect_leq(s->l2_read_sector_hits, s->l2_read_sectors, "%s", text);
    cr_expect_leq(s->l2_write_sector_hits, s->l2_write_sectors, "%s", text);
    /* every written segment reaches DRAM, at most as often as written */
    cr_expect_geq(s->dram_write_sectors, t->distinct, "%s", text);
    if (m->whole)
        cr_expect_leq(s->dram_write_sectors, t->written_segments, "%s", text);
    if (m->l1_here && m->l2_here)
        cr_expect_eq(s->l2_read_sectors, s->l1_fetched_sectors, "%s", text);
    /* L1's write-backs go to L2, which keeps them, or past L2 if an inclusive L2 evicted the line */
    if (m->l1_keeps && m->l2_keeps)
        cr_expect_eq(s->dram_write_sectors, s->l2_write_back_sectors + s->l1_write_back_sectors - s->l2_write_sectors,
                     "%s", text);
    if (!m->l1_here && m->l2_keeps)
        cr_expect_eq(s->dram_write_sectors, s->l2_write_back_sectors, "%s", text);
}

Test(memory_properties, small_hierarchies) {
    for (uint64_t seed = 0; seed < effort_of(400); seed++) {
        uint64_t state = seed;
        machine m = draw(&state, 1);
        tally first, second;
        measured_stats a = run(&m, seed, &first), b = run(&m, seed, &second);
        cr_expect_eq(memcmp(&a, &b, sizeof a), 0, "seed %u: counters differ between runs", (unsigned)seed);
        cr_expect_eq(memcmp(&first, &second, sizeof first), 0, "seed %u: results differ between runs", (unsigned)seed);
        check(&m, &a, &first);
    }
}

/* With room for everything in a level that keeps stores, written data go to DRAM once, at the flush. */
Test(memory_properties, roomy_hierarchies) {
    const unsigned seeds = effort_is_small() ? 80 : 400;
    unsigned checked = 0;
    for (uint64_t seed = 0; seed < seeds; seed++) {
        uint64_t state = seed;
        machine m = draw(&state, 256);
        tally t;
        measured_stats s = run(&m, seed, &t);
        check(&m, &s, &t);
        if (!m.whole || !m.l2_keeps)
            continue;
        checked++;
        cr_expect_eq(s.l2_evictions, 0, "%s", m.settings);
        cr_expect_eq(s.dram_write_sectors, t.distinct, "seed %u: %s", (unsigned)seed, m.settings);
    }
    cr_assert_gt(checked, seeds / 20);
}
