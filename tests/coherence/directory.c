/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/stage.h"
#include "measured.h"
#include "policies/protocol/protocols.h"

#include <string.h>

/* Directories whose entries cannot name all copies: by hand, six L1s over a memory, entries of two pointers. */

#define L1S 6u
#define MEMORY L1S

static small *open_six(gpc_directory_overflow overflow, const char *protocol) {
    small *s = small_open_bare(L1S + 1);
    for (uint32_t i = 0; i < L1S; i++)
        small_link(s, i, MEMORY);
    s->modules[MEMORY].memory = true;
    s->modules[MEMORY].ways = 0;
    s->modules[MEMORY].directory_pointers = 2;
    s->modules[MEMORY].directory_overflow = (uint8_t)overflow;
    s->modules[MEMORY].directory_region = overflow == GPC_OVERFLOW_COARSE ? 2 : 0;
    s->options.protocol = protocol;
    small_tree(s);
    return s;
}

/* A bit per L1 taken for a sharer by the directory. */
static uint32_t sharers(const small *s) {
    uint32_t who[L1S], bits = 0, owner;
    size_t count;
    cr_assert_eq(gpc_coherence_get_directory(s->tree, MEMORY, 0, 0, 0, &owner, who, L1S, &count, NULL), GPC_OK);
    for (size_t i = 0; i < count; i++)
        bits |= 1u << who[i];
    return bits;
}

static measured_module stats_of(const small *s, uint32_t module) {
    measured_module stats = {0};
    cr_assert_eq(measure_module(s->tree, module, &stats), GPC_OK);
    return stats;
}

static void load(const small *s, uint32_t module) {
    small_access(s->tree, module, GPC_COHERENCE_LOAD, 0, 0);
}

/* Write probes received by L1s, and probes without a copy. */
static void expect_probes(const small *s, uint64_t sent, uint64_t in_vain) {
    const measured_module all = stats_of(s, GPC_NO_MODULE);
    cr_expect_eq(all.write_probes, sent, "%llu write probes", (unsigned long long)all.write_probes);
    cr_expect_eq(all.probe_misses, in_vain, "%llu in vain", (unsigned long long)all.probe_misses);
}

/* L1s 0, 3 and 2 read, then 0 writes: 5 probes for two copies. */
Test(coherence_directory, broadcast) {
    small *s = open_six(GPC_OVERFLOW_BROADCAST, "msi");
    load(s, 0);
    load(s, 3);
    cr_expect_eq(sharers(s), 0x9);
    load(s, 2);
    cr_expect_eq(sharers(s), 0x3f);
    load(s, 1);
    cr_expect_eq(stats_of(s, MEMORY).directory_overflows, 1);
    small_access(s->tree, 0, GPC_COHERENCE_STORE, 0, 7);
    cr_expect_eq(sharers(s), 0x1);
    expect_probes(s, 5, 2);
    cr_expect_eq(small_access(s->tree, 4, GPC_COHERENCE_LOAD, 0, 0), 7);
    cr_expect_eq(sharers(s), 0x11);
    small_close(s);
}

/* The groups of 0, 3 and 2 are four L1s. */
Test(coherence_directory, coarse) {
    small *s = open_six(GPC_OVERFLOW_COARSE, "msi");
    load(s, 0);
    load(s, 3);
    load(s, 2);
    cr_expect_eq(sharers(s), 0xf);
    small_access(s->tree, 0, GPC_COHERENCE_STORE, 0, 7);
    expect_probes(s, 3, 1);
    cr_expect_eq(stats_of(s, MEMORY).directory_overflows, 1);
    small_close(s);
}

/* The next after 2 among L1s with copies, 3, loses the copy; 0's goes when 5 reads. */
Test(coherence_directory, evict) {
    small *s = open_six(GPC_OVERFLOW_EVICT, "msi");
    load(s, 0);
    load(s, 3);
    load(s, 2);
    cr_expect_eq(sharers(s), 0x5);
    load(s, 5);
    cr_expect_eq(sharers(s), 0x24);
    expect_probes(s, 2, 0);
    cr_expect_eq(stats_of(s, MEMORY).directory_evictions, 2);
    cr_expect_eq(stats_of(s, MEMORY).directory_overflows, 0);
    load(s, 5);
    expect_probes(s, 2, 0);
    small_access(s->tree, 0, GPC_COHERENCE_STORE, 0, 7);
    expect_probes(s, 4, 0);
    small_close(s);
}

/* An owner is the last to go, unless others have stored non-coherently: then the bytes must first be below. */
Test(coherence_directory, evict_owner) {
    for (unsigned n = 0; n < 2; n++) {
        small *s = open_six(GPC_OVERFLOW_EVICT, n ? "nmoesi" : "moesi");
        small_access(s->tree, 4, GPC_COHERENCE_STORE, 0, 1);
        load(s, 3);
        if (n)
            small_access(s->tree, 3, GPC_COHERENCE_N_STORE, 0, 2);
        cr_expect_eq(small_access(s->tree, 2, GPC_COHERENCE_LOAD, 0, 0), 1);
        cr_expect_eq(sharers(s), n ? 0xc : 0x14, "0x%x under %s", sharers(s), s->options.protocol);
        cr_assert_eq(gpc_coherence_flush(s->tree, GPC_NO_MODULE, 0, NULL, &s->error), GPC_OK);
        uint8_t byte = 0;
        cr_assert_eq(gpc_coherence_read_memory(s->tree, 0, &byte, 1, NULL), GPC_OK);
        cr_expect_eq(byte, 1 + n);
        small_close(s);
    }
}

/* As many pointers as modules above are sufficient; entries of nmoesi-multi2sim are Multi2Sim's. */
Test(coherence_directory, limits) {
    small *s = small_open();
    s->modules[2].directory_pointers = 2;
    s->options.protocol = "nmoesi-multi2sim";
    small_tree(s);
    cr_expect_eq(gpci_module_at(s->tree, 2)->pointers, 0);
    small_close(s);
    s = small_open();
    s->modules[2].directory_pointers = 1;
    s->options.protocol = "nmoesi-multi2sim";
    cr_expect_eq(small_create(s), GPC_ERROR_ARGUMENT);
    cr_expect(strstr(s->error.message, "'l2'.directory_pointers is 1; directories of protocol"), "%s",
              s->error.message);
    small_close(s);
    s = small_open();
    s->modules[0].block_bytes = 32;
    s->modules[2].directory_pointers = 1;
    s->modules[2].directory_overflow = GPC_OVERFLOW_EVICT;
    cr_expect_eq(small_create(s), GPC_ERROR_ARGUMENT);
    cr_expect(strstr(s->error.message, "is EVICT, but blocks above differ in size"), "%s", s->error.message);
    small_close(s);
}

/*
 * Multi2Sim's protocol, but clean blocks leave in silence: cache 1, taken for the owner by the directory, brings the
 * block back for a non-coherent store. Then it is a sharer, and not probed as the owner.
 */
Test(coherence_directory, owner_left_without_a_word) {
    stage s;
    stage_prepare(&s, STAGE_SHARED);
    gpc_protocol p = gpci_nmoesi_multi2sim;
    gpc_protocol_rules first, between;
    memcpy(first, p.first, sizeof first);
    memcpy(between, p.between, sizeof between);
    for (uint32_t state = GPC_LINE_E; state <= GPC_LINE_S; state++)
        first[state][GPC_EVENT_EVICTION] = between[state][GPC_EVENT_EVICTION] =
            (gpc_protocol_rule){.actions = GPC_DO_HIT, .next = GPC_LINE_I, .next_shared = GPC_LINE_I};
    p.name = "silent";
    p.first = (const gpc_protocol_rules *)&first;
    p.between = (const gpc_protocol_rules *)&between;
    cr_assert_eq(gpc_context_register_protocol(s.small->context, &p, NULL), GPC_OK);
    stage_make(&s, "silent");
    stage_play(&s, "L1 X1 N1 L0");
    cr_expect_eq(stage_state(&s, 1), GPC_LINE_N);
    cr_expect_eq(stage_state(&s, 0), GPC_LINE_S);
    stage_close(&s);
}
