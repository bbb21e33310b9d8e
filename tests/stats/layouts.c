/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats/stats.h"

#include <gpucache/gpucache.h>

#include <criterion/criterion.h>
#include <string.h>

/* Structs of hosts with other fields, or protocols with another number of states. */

enum { MOST = 9, WORDS = 2 + MOST * MOST * 2 };

static uint64_t cell(uint32_t from, uint32_t to) {
    return 1000 + 100 * from + to;
}

/* One counter, and matrices for a number of states; converted in every direction, keeping common states. */
static void check_states(uint32_t states) {
    const uint32_t id = gpc_coherence_stats_layout()->fields[0].id;
    const gpc_field fields[] = {{id, 1}};
    const size_t cells = (size_t)states * states;
    const gpc_layout layout = {
        .bytes = sizeof(size_t) + 8 + ((cells * 12 + 7) & ~(size_t)7), .fields = fields, .count = 1, .states = states};
    uint64_t theirs[WORDS];
    gpc_coherence_stats ours, back;
    gpc_coherence_stats_init(&ours);
    for (uint32_t from = 0; from < GPC_LINE_COUNT; from++)
        for (uint32_t to = 0; to < GPC_LINE_COUNT; to++) {
            ours.transitions[from][to] = cell(from, to);
            ours.origins[from][to] = (uint32_t)cell(to, from);
        }
    cr_assert_leq(layout.bytes, sizeof theirs);
    memset(theirs, 0xff, sizeof theirs);
    memcpy(theirs, &layout.bytes, sizeof layout.bytes);
    cr_assert_eq(gpci_layout_give(&layout, GPC_TABLE_COHERENCE, &ours, theirs), GPC_OK);
    const uint64_t *counts = theirs + sizeof(size_t) / 8 + 1;
    uint32_t origins[MOST * MOST];
    memcpy(origins, counts + cells, cells * sizeof *origins);
    cr_assert_eq(gpci_layout_take(&layout, GPC_TABLE_COHERENCE, theirs, &back, NULL), GPC_OK);
    for (uint32_t from = 0; from < MOST; from++)
        for (uint32_t to = 0; to < MOST; to++) {
            const bool both = from < GPC_LINE_COUNT && to < GPC_LINE_COUNT;
            if (from < states && to < states) {
                cr_expect_eq(counts[from * states + to], both ? cell(from, to) : 0, "%u to %u of %u", from, to, states);
                cr_expect_eq(origins[from * states + to], both ? cell(to, from) : 0, "%u to %u of %u", from, to,
                             states);
            }
            if (!both)
                continue;
            const bool known = from < states && to < states;
            cr_expect_eq(back.transitions[from][to], known ? cell(from, to) : 0, "%u to %u of %u", from, to, states);
            cr_expect_eq(back.origins[from][to], known ? cell(to, from) : 0, "%u to %u of %u", from, to, states);
        }
}

Test(layouts, matrices) {
    for (uint32_t states = 3; states <= MOST; states++)
        check_states(states);
}

/* A struct with only a size has no room for a counter. */
Test(layouts, empty_structs) {
    const gpc_field fields[] = {{gpc_stats_layout()->fields[0].id, 1}};
    const gpc_layout layout = {.bytes = sizeof(size_t) + sizeof(uint64_t), .fields = fields, .count = 1};
    gpc_stats ours;
    size_t theirs[2] = {sizeof(size_t), 77};
    gpc_stats_init(&ours);
    cr_expect_eq(gpci_layout_give(&layout, GPC_TABLE_HIERARCHY, &ours, theirs), GPC_ERROR_ABI);
    cr_expect_eq(gpci_layout_take(&layout, GPC_TABLE_HIERARCHY, theirs, &ours, NULL), GPC_ERROR_ABI);
    cr_expect_eq(theirs[1], 77);
}

/* A field unknown to the library, at any place. */
Test(layouts, unknown_fields) {
    const uint32_t known = gpc_stats_layout()->fields[0].id, other = gpc_stats_layout()->fields[1].id;
    for (unsigned at = 0; at < 3; at++) {
        gpc_field fields[] = {{known, 1}, {other, 1}, {known, 1}};
        const gpc_layout layout = {.bytes = sizeof(size_t) + sizeof(uint64_t) * 3, .fields = fields, .count = 3};
        cr_expect_eq(gpci_layout_check(&layout, GPC_TABLE_HIERARCHY), GPC_OK);
        fields[at].id = UINT32_MAX;
        cr_expect_eq(gpci_layout_check(&layout, GPC_TABLE_HIERARCHY), GPC_ERROR_ABI, "field %u", at);
    }
}

/*
 * A histogram with other buckets than the library's: with fewer, the last has the rest; with more, the rest are empty.
 */
Test(layouts, histograms) {
    enum { FEW = 3, MANY = GPC_LATENCY_BUCKETS + 2 };
    gpc_counter_info info = GPC_COUNTER_INFO_INIT;
    cr_assert_eq(gpc_counter_by_name(GPC_TABLE_HIERARCHY, "load.latency", &info), GPC_OK);
    cr_assert_eq(info.buckets, GPC_LATENCY_BUCKETS);
    gpc_stats ours;
    uint64_t rest = 0;
    gpc_stats_init(&ours);
    for (uint32_t k = 0; k < info.buckets; k++) {
        ours.load_latency[k] = 10 + k * k;
        rest += k < FEW - 1 ? 0 : ours.load_latency[k];
    }
    ours.round_trip_latency[0] = 1; /* stands behind */
    for (uint32_t words = FEW; words <= MANY; words += MANY - FEW) {
        const gpc_field fields[] = {{info.id, words}};
        const gpc_layout layout = {.bytes = sizeof(size_t) + words * sizeof(uint64_t), .fields = fields, .count = 1};
        struct {
            size_t size;
            uint64_t value[MANY];
        } theirs = {.size = layout.bytes};
        cr_assert_eq(gpci_layout_give(&layout, GPC_TABLE_HIERARCHY, &ours, &theirs), GPC_OK);
        for (uint32_t k = 0; k < words; k++)
            cr_expect_eq(theirs.value[k],
                         words == FEW && k == FEW - 1 ? rest
                         : k < info.buckets           ? ours.load_latency[k]
                                                      : 0,
                         "word %u of %u", k, words);
        gpc_stats back;
        cr_assert_eq(gpci_layout_take(&layout, GPC_TABLE_HIERARCHY, &theirs, &back, NULL), GPC_OK);
        cr_expect_eq(back.load_latency[words == FEW ? FEW - 1 : 7], words == FEW ? rest : ours.load_latency[7]);
        theirs.value[MANY - 1] = 3;
        cr_assert_eq(gpci_layout_take(&layout, GPC_TABLE_HIERARCHY, &theirs, &back, NULL), GPC_OK);
        cr_expect_eq(back.load_latency[info.buckets - 1], words == FEW ? 0 : ours.load_latency[info.buckets - 1] + 3,
                     "%u words", words);
        cr_expect_eq(back.round_trip_latency[0], 0);
    }
}
