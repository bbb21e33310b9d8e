/* SPDX-License-Identifier: BSD-2-Clause */
/* Two branches over one memory, the second with a non-inclusive cache: place of the newest bytes of a block. */
#include "coherence/small.h"

enum { A0, A1, B0, B1, MM };

static void shape(gpc_coherence_module *m, uint32_t ways) {
    m->sets = 1;
    m->ways = ways;
    m->block_bytes = 8;
}

/* a0 -- b0 -- mm, a1 -- b1 -- mm; b1 has one way, and a directory of four blocks held only by a1. */
static small *two_branches(void) {
    small *s = small_open_bare(5);
    s->options.network_count = 3;
    s->options.protocol = "nmoesi";
    const uint32_t ways[] = {1, 2, 2, 1, 4};
    for (uint32_t i = 0; i < 5; i++)
        shape(&s->modules[i], ways[i]);
    small_link(s, A0, B0);
    small_link(s, A1, B1);
    small_link(s, B0, MM);
    small_link(s, B1, MM);
    s->modules[A1].low_network = s->modules[B1].high_network = 1;
    s->modules[B0].low_network = s->modules[B1].low_network = s->modules[MM].high_network = 2;
    s->modules[B1].non_inclusive = true;
    s->modules[B1].directory_ways = 4;
    s->modules[MM].memory = true;
    return s;
}

/* 0x64 and 0x65 are bytes of one block, 0xa0 of another. */
static void share(gpc_coherence *c, bool evict) {
    small_access(c, A1, GPC_EVENT_N_STORE, 0x64, 0x0c);
    small_access(c, A0, GPC_EVENT_STORE, 0x65, 0x55); /* takes 0x0c along */
    small_access(c, A1, GPC_EVENT_N_STORE, 0x64, 0x13);
    if (evict)
        small_access(c, A1, GPC_EVENT_LOAD, 0xa0, 0); /* b1 keeps a directory entry for a1's block */
    small_access(c, A0, GPC_EVENT_STORE, 0x65, 0x66); /* invalidates a1's copy, with 0x13 newer than b0's 0x0c */
}

static void keeps_the_newest(bool evict) {
    small *s = two_branches();
    gpc_coherence *c = small_tree(s);
    uint8_t memory[2] = {0, 0};
    share(c, evict);
    cr_expect_eq(small_access(c, A0, GPC_EVENT_LOAD, 0x64, 0), 0x13);
    cr_expect_eq(small_access(c, A1, GPC_EVENT_LOAD, 0x64, 0), 0x13);
    cr_expect_eq(small_access(c, A1, GPC_EVENT_LOAD, 0x65, 0), 0x66);
    cr_assert_eq(gpc_coherence_flush(c, GPC_NO_MODULE, 0, NULL, NULL), GPC_OK);
    cr_assert_eq(gpc_coherence_read_memory(c, 0x64, memory, 2, NULL), GPC_OK);
    cr_expect_eq(memory[0], 0x13);
    cr_expect_eq(memory[1], 0x66);
    small_close(s);
}

Test(coherence_non_inclusive, stored_bytes_from_a_cache) {
    keeps_the_newest(false);
}

Test(coherence_non_inclusive, stored_bytes_from_a_directory_entry) {
    keeps_the_newest(true);
}

/*
 * m2 and m3 share a non-inclusive cache. m0 owns the block n-stored to by m2, whose data the cache then drops; m1's
 * cache, without a copy, asks for the only one. m2's stored bytes go to memory; m0's older bytes go directly to m1's
 * cache, and must not undo the store there.
 */
Test(coherence_non_inclusive, an_owners_bytes_do_not_undo_newer_ones) {
    static const uint32_t low[] = {4, 5, 6, 6, 7, 7, 7};
    small *s = small_open_bare(8);
    uint8_t byte = 0;
    s->options.protocol = "nmoesi";
    for (uint32_t i = 0; i < 8; i++) {
        s->modules[i].sets = 1;
        s->modules[i].ways = i < 7;
        s->modules[i].block_bytes = i < 4 ? 32 : 128;
        if (i < 7)
            small_link(s, i, low[i]);
    }
    s->modules[6].non_inclusive = true;
    s->modules[6].directory_ways = 4;
    s->modules[7].memory = true;
    gpc_coherence *c = small_tree(s);
    (void)small_access(c, 0, GPC_COHERENCE_STORE, 0x460, 1);
    (void)small_access(c, 2, GPC_COHERENCE_N_STORE, 0x460, 2);
    (void)small_access(c, 3, GPC_COHERENCE_LOAD, 0x0, 0);
    (void)small_access(c, 1, GPC_COHERENCE_STORE, 0x440, 4);
    cr_expect_eq(small_access(c, 3, GPC_COHERENCE_LOAD, 0x460, 0), 2);
    cr_assert_eq(gpc_coherence_flush(c, GPC_NO_MODULE, 0, NULL, &s->error), GPC_OK);
    cr_assert_eq(gpc_coherence_read_memory(c, 0x460, &byte, 1, NULL), GPC_OK);
    cr_expect_eq(byte, 2);
    small_close(s);
}
