/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of several blocks: against a cache with sectors, and what replacement policies are told of them. */
#include "coherence/small.h"

#include "base/base.h"

#define LINE 128u
#define SECTOR 32u
#define SETS 8u
#define WAYS 4u

/* A first-level module of lines of four blocks over a memory. */
static gpc_coherence *sectored(small *s, const char *protocol, const char *replacement, uint32_t memory_ways) {
    small_link(s, 0, 1);
    s->modules[0].sets = SETS;
    s->modules[0].ways = WAYS;
    s->modules[0].block_bytes = s->modules[1].block_bytes = SECTOR;
    s->modules[0].sectors = s->modules[1].sectors = LINE / SECTOR;
    s->modules[0].replacement = replacement;
    s->modules[1].memory = true;
    s->modules[1].ways = memory_ways;
    s->modules[1].sets = memory_ways ? SETS : 1;
    s->options.protocol = protocol;
    return small_tree(s);
}

/* Loads of what a cache of the same geometry, policy and sectors has hits where that has, and evicts as many lines. */
static void like_a_cache(const char *protocol, const char *replacement, uint32_t memory_ways) {
    small *s = small_open_bare(2);
    gpc_coherence *c = sectored(s, protocol, replacement, memory_ways);
    gpc_cache_options o = GPC_CACHE_OPTIONS_INIT;
    gpc_cache *cache;
    uint64_t random = gpci_mix(SETS), sector_misses = 0;
    o.sets = SETS;
    o.ways = WAYS;
    o.line_bytes = LINE;
    o.sectors = LINE / SECTOR;
    o.replacement = replacement;
    cr_assert_eq(gpc_cache_create(s->context, &o, NULL, &cache), GPC_OK);
    for (uint32_t i = 0; i < 20000; i++) {
        const uint64_t address = gpci_random_below(&random, 2 * SETS * WAYS * LINE) & ~3ull;
        gpc_request request = {.address = address, .size = 4, .kind = GPC_LOAD};
        gpc_coherence_request load = GPC_COHERENCE_REQUEST_INIT;
        gpc_coherence_result done = GPC_COHERENCE_RESULT_INIT;
        gpc_access_result result;
        load.address = address;
        load.size = 4;
        cr_assert_eq(gpc_coherence_access(c, &load, NULL, &done), GPC_OK);
        cr_assert_eq(gpc_cache_access(cache, &request, &result), GPC_OK);
        cr_assert_eq(done.hit, result.outcome == GPC_HIT, "access %u", i);
        sector_misses += result.outcome == GPC_SECTOR_MISS;
    }
    gpc_cache_stats stats;
    gpc_cache_stats_init(&stats);
    cr_assert_eq(gpc_cache_get_stats(cache, &stats), GPC_OK);
    cr_expect_eq(c->modules[0].stats.evictions, stats.evictions);
    cr_expect_gt(sector_misses, 1000);
    cr_expect_eq(gpc_coherence_check(c, 0, 2 * SETS * WAYS * LINE, NULL), GPC_OK);
    gpc_cache_destroy(cache);
    small_close(s);
}

Test(coherence_sectors, lru) {
    like_a_cache("vi", "lru", 0);
}

Test(coherence_sectors, fifo) {
    like_a_cache("nmoesi", "fifo", 0);
}

Test(coherence_sectors, srrip) {
    like_a_cache("mesi", "srrip", 2 * WAYS);
}

Test(coherence_sectors, plru) {
    like_a_cache("moesi", "plru", 2 * WAYS);
}

static uint8_t state_of(const gpc_coherence *c, uint64_t address) {
    const uint32_t block = gpci_module_find(&c->modules[0], address);
    return block == GPCI_TREE_NO_BLOCK ? GPC_LINE_I : c->modules[0].states[block];
}

/* A way gives up all blocks of its line, those that are modified with their bytes. */
Test(coherence_sectors, a_line_leaves_as_one) {
    small *s = small_open_bare(2);
    gpc_coherence *c = sectored(s, "moesi", "lru", 0);
    uint8_t memory = 0;
    small_access(c, 0, GPC_COHERENCE_STORE, 0x20, 7);
    small_access(c, 0, GPC_COHERENCE_LOAD, 0x60, 0);
    for (uint32_t line = 1; line < WAYS; line++)
        small_access(c, 0, GPC_COHERENCE_LOAD, line * SETS * LINE, 0);
    cr_expect_eq(state_of(c, 0x00), GPC_LINE_I);
    cr_expect_eq(state_of(c, 0x20), GPC_LINE_M);
    cr_expect_eq(state_of(c, 0x60), GPC_LINE_E);
    cr_expect_eq(c->modules[0].stats.evictions, 0);
    small_access(c, 0, GPC_COHERENCE_LOAD, WAYS * SETS * LINE + 0x40, 0);
    cr_expect_eq(state_of(c, 0x20), GPC_LINE_I);
    cr_expect_eq(state_of(c, 0x60), GPC_LINE_I);
    cr_expect_eq(c->modules[0].stats.evictions, 1);
    cr_expect_eq(c->modules[1].stats.write_backs_received, 1);
    cr_assert_eq(gpc_coherence_read_memory(c, 0x20, &memory, 1), GPC_OK);
    cr_expect_eq(memory, 7);
    small_close(s);
}

Test(coherence_sectors, counts_that_are_none) {
    static const uint32_t counts[] = {3, 16};
    for (uint32_t i = 0; i < 2; i++) {
        small *s = small_open_bare(2);
        small_link(s, 0, 1);
        s->modules[1].memory = true;
        s->modules[0].sectors = counts[i];
        cr_expect_eq(small_create(s), GPC_ERROR_ARGUMENT);
        cr_expect(strstr(s->error.message, "'m0'.sectors is") != NULL, "%s", s->error.message);
        small_close(s);
    }
}

/* A line is of one module. */
Test(coherence_sectors, divisor_within_a_line) {
    small *s = small_open_bare(3);
    small_link(s, 0, 1);
    small_link(s, 0, 2);
    for (uint32_t i = 1; i < 3; i++) {
        s->modules[i].memory = true;
        s->modules[i].served = GPC_SERVES_INTERLEAVED;
        s->modules[i].divisor = 64;
        s->modules[i].modulus = 2;
        s->modules[i].residue = i - 1;
        s->modules[i].sectors = 2;
    }
    cr_expect_eq(small_create(s), GPC_ERROR_ARGUMENT);
    cr_expect(strstr(s->error.message, "'m1'.divisor is 64, not a multiple of a line") != NULL, "%s", s->error.message);
    small_close(s);
}

/* A host of a header without the field. */
Test(coherence_sectors, older_host) {
    small *s = small_open_bare(2);
    struct {
        char bytes[offsetof(gpc_coherence_module, sectors)];
    } modules[2];
    small_link(s, 0, 1);
    s->modules[1].memory = true;
    s->modules[0].low = s->lows[0];
    for (uint32_t i = 0; i < 2; i++) {
        s->modules[i].struct_size = sizeof *modules;
        s->modules[i].name = i ? "b" : "a";
        memcpy(modules[i].bytes, &s->modules[i], sizeof *modules);
    }
    s->options.modules = (const gpc_coherence_module *)(const void *)modules;
    gpc_coherence *c;
    cr_assert_eq(gpc_coherence_create(s->context, &s->options, &s->error, &c), GPC_OK, "%s", s->error.message);
    cr_expect_eq(c->modules[0].sectors, 1);
    gpc_coherence_destroy(c);
    s->options.modules = s->modules;
    small_close(s);
}
