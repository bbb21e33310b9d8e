/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of several blocks: compared with a cache with sectors, and calls of replacement policies. */
#include "coherence/engine/engine.h"
#include "coherence/small.h"

#include "base/base.h"
#include "measured.h"

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

/* A load, at once or message by message, with all consequences; true for a hit. */
static bool load_hits(gpc_coherence *c, uint64_t address, bool issues) {
    gpc_coherence_request load = GPC_COHERENCE_REQUEST_INIT;
    gpc_coherence_result done = GPC_COHERENCE_RESULT_INIT;
    uint64_t token, before = c->modules[0].stats.load_hits;
    load.address = address;
    load.size = 4;
    load.cycle = c->engine ? c->engine->now : 0;
    if (!issues) {
        cr_assert_eq(gpc_coherence_access(c, &load, &done, NULL), GPC_OK);
        return done.hit;
    }
    cr_assert_eq(gpc_coherence_issue(c, &load, &token, NULL), GPC_OK);
    cr_assert_eq(gpc_coherence_advance(c, UINT64_MAX, NULL), GPC_OK);
    return c->modules[0].stats.load_hits > before;
}

/* Loads hit exactly as in a cache of equal geometry, policy and sectors, with as many evicted lines. */
static void like_a_cache(const char *protocol, const char *replacement, uint32_t memory_ways, uint32_t fetch,
                         bool issues) {
    small *s = small_open_bare(2);
    s->modules[0].fetch_blocks = (uint8_t)fetch;
    gpc_coherence *c = sectored(s, protocol, replacement, memory_ways);
    gpc_cache_options o = GPC_CACHE_OPTIONS_INIT;
    gpc_cache *cache;
    uint64_t random = gpci_mix(SETS), sector_misses = 0;
    o.sets = SETS;
    o.ways = WAYS;
    o.line_bytes = LINE;
    o.sectors = LINE / SECTOR;
    o.replacement = replacement;
    o.fetch_sectors = fetch;
    cr_assert_eq(gpc_cache_create(s->context, &o, &cache, NULL), GPC_OK);
    for (uint32_t i = 0; i < (issues ? 6000 : 20000); i++) {
        const uint64_t address = gpci_random_below(&random, 2 * SETS * WAYS * LINE) & ~3ull;
        gpc_request request = {.address = address, .size = 4, .kind = GPC_LOAD};
        gpc_access_result result;
        cr_assert_eq(gpc_cache_access(cache, &request, &result, NULL), GPC_OK);
        cr_assert_eq(load_hits(c, address, issues), result.outcome == GPC_HIT, "access %u", i);
        sector_misses += result.outcome == GPC_SECTOR_MISS;
    }
    measured_cache stats;
    measured_clear(&stats);
    cr_assert_eq(measure_cache(cache, &stats), GPC_OK);
    cr_expect_eq(c->modules[0].stats.evictions, stats.evictions);
    cr_expect_gt(sector_misses, issues ? 300 : 1000);
    cr_expect_eq(gpc_coherence_check(c, 0, 2 * SETS * WAYS * LINE, NULL), GPC_OK);
    gpc_cache_destroy(cache);
    small_close(s);
}

Test(coherence_sectors, lru) {
    like_a_cache("vi", "lru", 0, 1, false);
}

Test(coherence_sectors, fifo) {
    like_a_cache("nmoesi", "fifo", 0, 1, false);
}

Test(coherence_sectors, srrip) {
    like_a_cache("mesi", "srrip", 2 * WAYS, 1, false);
}

Test(coherence_sectors, plru) {
    like_a_cache("moesi", "plru", 2 * WAYS, 1, false);
}

Test(coherence_sectors, neighbours) {
    like_a_cache("vi", "lru", 0, 2, false);
    like_a_cache("mesi", "srrip", 2 * WAYS, 2, false);
    like_a_cache("vi", "lru", 2 * WAYS, 2, true);
    like_a_cache("nmoesi", "fifo", 0, 2, true);
}

static uint8_t state_of(const gpc_coherence *c, uint64_t address) {
    const uint32_t block = gpci_module_find(&c->modules[0], address);
    return block == GPCI_TREE_NO_BLOCK ? GPC_LINE_I : c->modules[0].states[block];
}

/* A way gives up all blocks of the line, modified ones with bytes. */
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
    cr_assert_eq(gpc_coherence_read_memory(c, 0x20, &memory, 1, NULL), GPC_OK);
    cr_expect_eq(memory, 7);
    small_close(s);
}

/* Two L1s over an L2 that reads pairs of blocks; one of the L1s does, too. */
static gpc_coherence *paired(small *s, const char *protocol) {
    for (uint32_t i = 0; i < 3; i++) {
        small_link(s, i, i < 2 ? 2 : 3);
        s->modules[i].ways = 2;
        s->modules[i].sets = 4;
        s->modules[i].sectors = 4;
        s->modules[i].latency = 20;
        s->modules[i].fetch_blocks = i ? 2 : 1;
    }
    s->modules[3].memory = true;
    s->modules[3].ways = 0;
    s->options.protocol = protocol;
    return small_tree(s);
}

/* A neighbour is in the state after a load, without owner: another may read it, or take it away. */
Test(coherence_sectors, neighbours_are_coherent) {
    small *s = small_open_bare(4);
    gpc_coherence *c = paired(s, "mesi");
    small_access(c, 0, GPC_COHERENCE_LOAD, 0x80, 0);
    cr_expect_eq(state_of(c, 0x80), GPC_LINE_E);
    cr_expect_eq(state_of(c, 0xc0), GPC_LINE_I, "this L1 reads what it needs");
    cr_expect_eq(c->modules[2].stats.read_requests, 1);
    cr_expect_eq(c->modules[3].stats.read_requests, 2);
    small_access(c, 1, GPC_COHERENCE_LOAD, 0x00, 0); /* and 0x40 */
    cr_expect_eq(c->modules[2].stats.read_requests, 3);
    cr_expect_eq(c->modules[3].stats.read_requests, 4);
    small_access(c, 0, GPC_COHERENCE_LOAD, 0x40, 0);
    cr_expect_eq(state_of(c, 0x40), GPC_LINE_S, "shared with who has not asked for it");
    small_access(c, 0, GPC_COHERENCE_STORE, 0x40, 5);
    cr_expect_eq(c->modules[1].stats.write_probes, 1);
    cr_expect_eq(small_access(c, 1, GPC_COHERENCE_LOAD, 0x40, 0), 5);
    const uint64_t before = c->modules[3].stats.read_requests;
    small_access(c, 1, GPC_COHERENCE_STORE, 0x180, 1); /* the rest of this block is needed, and so are the neighbours */
    cr_expect_eq(c->modules[3].stats.read_requests + c->modules[3].stats.write_requests, before + 2);
    cr_expect_eq(c->modules[1].stats.loads, 2);
    cr_expect_eq(gpc_coherence_check(c, 0, 0x400, NULL), GPC_OK);
    small_close(s);
}

static void note(void *user_data, const gpc_coherence_completion *done) {
    *(uint64_t *)user_data = done->cycle;
}

/* A load of a neighbour in flight waits for it, without a request. */
Test(coherence_sectors, neighbours_on_their_way) {
    small *s = small_open_bare(4);
    gpc_coherence *c = paired(s, "moesi");
    gpc_coherence_callbacks callbacks = GPC_COHERENCE_CALLBACKS_INIT;
    gpc_coherence_request load = GPC_COHERENCE_REQUEST_INIT;
    uint64_t token, last = 0, alone;
    callbacks.user_data = &last;
    callbacks.on_complete = note;
    cr_assert_eq(gpc_coherence_set_callbacks(c, &callbacks, NULL), GPC_OK);
    load.module = 1;
    load.size = 1;
    cr_assert_eq(gpc_coherence_issue(c, &load, &token, NULL), GPC_OK);
    cr_assert_eq(gpc_coherence_advance(c, 2, NULL), GPC_OK);
    load.address = 0x40;
    load.cycle = 2;
    cr_assert_eq(gpc_coherence_issue(c, &load, &token, NULL), GPC_OK);
    cr_expect_eq(token, 2, "neighbours are no accesses of the host's");
    cr_assert_eq(gpc_coherence_advance(c, UINT64_MAX, NULL), GPC_OK);
    alone = last;
    cr_expect_eq(c->modules[1].stats.load_hits, 1);
    cr_expect_eq(c->modules[2].stats.read_requests, 2);
    cr_expect_eq(c->modules[3].stats.read_requests, 2);
    cr_expect(alone > 60 && alone < 120, "%llu", (unsigned long long)alone);
    small_close(s);
}

/* A store that misses in L2 brings the neighbour there, too. */
Test(coherence_sectors, neighbours_of_stores) {
    small *s = small_open_bare(4);
    gpc_coherence *c = paired(s, "mesi");
    const gpci_coherence_stats *memory = &c->modules[3].stats;
    small_access(c, 0, GPC_COHERENCE_STORE, 0x200, 1);
    const uint64_t asked = memory->read_requests + memory->write_requests;
    cr_expect_eq(asked, 2);
    small_access(c, 0, GPC_COHERENCE_LOAD, 0x240, 0);
    cr_expect_eq(memory->read_requests + memory->write_requests, asked, "L2 has it");
    small_close(s);
}

Test(coherence_sectors, fetches_that_are_none) {
    static const struct { uint32_t module, sectors, fetch; } rows[] = {{0, 4, 3}, {0, 2, 4}, {0, 1, 2}, {1, 4, 2}};
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        small *s = small_open_bare(2);
        small_link(s, 0, 1);
        s->modules[1].memory = true;
        s->modules[rows[i].module].sectors = (uint8_t)rows[i].sectors;
        s->modules[rows[i].module].fetch_blocks = (uint8_t)rows[i].fetch;
        cr_expect_eq(small_create(s), GPC_ERROR_ARGUMENT);
        cr_expect(strstr(s->error.message, ".fetch_blocks is"), "%s", s->error.message);
        small_close(s);
    }
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

/* A line belongs to one module. */
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
    cr_assert_eq(gpc_coherence_create(s->context, &s->options, &c, &s->error), GPC_OK, "%s", s->error.message);
    cr_expect_eq(c->modules[0].sectors, 1);
    gpc_coherence_destroy(c);
    s->options.modules = s->modules;
    small_close(s);
}
