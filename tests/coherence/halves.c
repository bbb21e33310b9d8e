/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/engine/engine.h"
#include "coherence/small.h"
#include "coherence/tree/invariants.h"
#include "effort.h"
#include "measured.h"

#include <stdlib.h>
#include <string.h>

/*
 * Caches that are below one another for different pages: random ones, with single and overlapping accesses. Every byte
 * is stored to by only one L1, 1, 2, 3 and so on, so that any load may be judged alone.
 */

#define BYTES 1024u
#define ACCESSES 300u
#define LONGEST 1000000u /* cycles after the last, by which all must end */

enum { MOST_L1 = 6 };

typedef struct world {
    small *s;
    const char *protocol;
    uint64_t seed, random, tokens, ended;
    uint32_t caches, banks, l1s, near, home, memory; /* numbers; the first of each */
    uint8_t stored[BYTES], seen[MOST_L1][BYTES], own[ACCESSES + 1];
    bool tracked, exact, kept;
} world;

static uint32_t below(world *w, uint32_t bound) {
    return gpci_random_below(&w->random, bound);
}

static void serve(const world *w, gpc_coherence_module *m, uint32_t bank) {
    m->dense = true;
    if (w->banks == 1)
        return;
    m->served = GPC_SERVES_INTERLEAVED;
    m->divisor = 256;
    m->modulus = w->banks;
    m->residue = bank;
}

/* The two halves of a bank of a cache, and the memory behind it. */
static void add_bank(world *w, const gpc_coherence_module *like, uint32_t cache, uint32_t bank) {
    small *s = w->s;
    const uint32_t at = cache * w->banks + bank, near = w->near + at, home = w->home + at, memory = w->memory + at;
    for (uint32_t half = 0; half < 2; half++) {
        gpc_coherence_module *m = &s->modules[half ? home : near];
        const char *name = m->name;
        const uint32_t *low = m->low;
        *m = *like;
        m->name = name;
        m->low = low;
        serve(w, m, bank);
    }
    s->modules[near].near_of = home;
    s->modules[home].home = s->modules[memory].home = (uint8_t)(cache + 1);
    s->modules[memory].memory = true;
    s->modules[memory].block_bytes = like->block_bytes;
    serve(w, &s->modules[memory], bank);
}

static void link_bank(world *w, uint32_t cache, uint32_t bank) {
    small *s = w->s;
    const uint32_t at = cache * w->banks + bank, near = w->near + at, home = w->home + at, memory = w->memory + at;
    for (uint32_t other = 0; other < w->caches; other++)
        if (other != cache)
            small_link(s, near, w->home + other * w->banks + bank);
    small_link(s, home, memory);
}

static void plan(world *w, bool plain) {
    static const char *const policies[] = {"lru", "lru", "fifo", "srrip"};
    gpc_coherence_module like = GPC_COHERENCE_MODULE_INIT;
    const uint32_t block = 32u << below(w, 2), each = w->l1s / w->caches;
    const bool through = below(w, 4) == 0, around = through && below(w, 2);
    like.block_bytes = block << below(w, 2);
    like.sectors = (uint8_t)(1u << below(w, 2));
    like.sets = 1 + below(w, 2);
    like.ways = 2 + below(w, 2);
    like.latency = 1 + below(w, 6);
    like.directory_latency = below(w, 3);
    like.ports = below(w, 3);
    like.replacement = plain ? "lru" : policies[below(w, 4)];
    like.any_victim = below(w, 4) == 0;
    like.non_inclusive = w->tracked && !plain && below(w, 3) == 0;
    like.directory_ways = like.non_inclusive ? 1 + below(w, 3) : 0;
    const bool masks = !plain && below(w, 3) == 0, entries = below(w, 3) != 0;
    for (uint32_t i = 0; i < w->caches * w->banks; i++)
        add_bank(w, &like, i / w->banks, i % w->banks);
    for (uint32_t i = 0; i < w->l1s; i++) {
        gpc_coherence_module *m = &w->s->modules[i];
        m->block_bytes = block;
        m->sets = 1 + below(w, 2);
        m->ways = 1 + below(w, 2);
        m->latency = 1 + below(w, 3);
        m->write_through = through && !plain;
        m->no_write_allocate = around && !plain;
        m->home = (uint8_t)(1 + i / each);
        for (uint32_t bank = 0; bank < w->banks; bank++) {
            small_link(w->s, i, w->near + i / each * w->banks + bank);
            small_link(w->s, i, w->home + i / each * w->banks + bank);
        }
    }
    for (uint32_t i = 0; i < w->caches * w->banks; i++) {
        gpc_coherence_module *memory = &w->s->modules[w->memory + i];
        link_bank(w, i / w->banks, i % w->banks);
        w->s->modules[w->home + i].byte_masks = masks;
        memory->sets = entries ? 2 : 1;
        memory->ways = entries ? 1 + below(w, 4) : 0;
        memory->latency = 10 + below(w, 40);
    }
}

static void open_world(world *w, const char *protocol, uint64_t seed) {
    memset(w, 0, sizeof *w);
    w->protocol = protocol;
    w->seed = seed;
    w->random = gpci_mix(seed);
    w->tracked =
        strcmp(protocol, "vi") && strcmp(protocol, "slc-glc") && strcmp(protocol, "none") && strcmp(protocol, "hmg");
    w->kept = strcmp(protocol, "nmoesi-multi2sim") != 0;
    w->caches = 2 + below(w, 2);
    w->banks = 1 + below(w, 2);
    w->l1s = w->caches * (1 + below(w, 2));
    w->near = w->l1s;
    w->home = w->near + w->caches * w->banks;
    w->memory = w->home + w->caches * w->banks;
    w->s = small_open_bare(w->memory + w->caches * w->banks);
    plan(w, !w->kept);
    w->s->options.protocol = protocol;
    w->s->options.homes = w->caches;
    w->s->options.page_bytes = 256;
    w->s->options.placement = below(w, 3);
    w->s->networks[0].bandwidth = 8u << below(w, 5);
    small_tree(w->s);
}

static uint32_t writer_of(const world *w, uint32_t offset) {
    return (uint32_t)(gpci_mix(offset ^ w->seed << 32) % w->l1s);
}

/* Result of a load. */
static void judge(world *w, uint32_t module, uint32_t offset, uint8_t found, uint8_t own) {
    uint8_t *seen = &w->seen[module][offset];
    if (w->kept && writer_of(w, offset) == module)
        cr_assert_eq(found, own, "%s, seed %llu: m%u reads %u at %#x, where it has stored %u", w->protocol,
                     (unsigned long long)w->seed, module, found, offset, own);
    if (!w->exact)
        return;
    cr_assert_geq(found, *seen, "%s, seed %llu: m%u reads %u at %#x after %u", w->protocol, (unsigned long long)w->seed,
                  module, found, offset, *seen);
    *seen = found;
}

static void on_complete(void *user_data, const gpc_coherence_completion *done) {
    world *w = user_data;
    w->ended++;
    if (done->kind == GPC_COHERENCE_LOAD)
        judge(w, done->module, (uint32_t)done->address, done->bytes[0], w->own[done->token]);
}

/* An access of a byte. */
static gpc_coherence_request request_of(world *w, uint32_t kinds, uint8_t *value) {
    gpc_coherence_request r = GPC_COHERENCE_REQUEST_INIT;
    const uint32_t offset = below(w, BYTES);
    r.address = offset;
    r.kind = below(w, kinds);
    r.module = r.kind ? writer_of(w, offset) : below(w, w->l1s);
    if (r.kind && w->stored[offset] == UINT8_MAX)
        r.kind = GPC_COHERENCE_LOAD;
    if (r.kind)
        *value = ++w->stored[offset];
    r.bytes = value;
    if (w->seed % 2 && !below(w, 3))
        r.flags = GPC_ACCESS_THROUGH << below(w, 3);
    if (!strcmp(w->protocol, "slc-glc"))
        r.flags |= below(w, 4);
    return r;
}

/* Invariants of a tree at rest; then memory has the last of all stores, and a module that acquires reads them. */
static void check_end(world *w) {
    char text[256];
    gpc_coherence *c = w->s->tree;
    cr_assert(gpci_invariants_of_tags(c, text, sizeof text), "%s, seed %llu: %s", w->protocol,
              (unsigned long long)w->seed, text);
    cr_assert(!w->kept || gpci_invariants_over(c, 0, BYTES, text, sizeof text), "%s, seed %llu: %s", w->protocol,
              (unsigned long long)w->seed, text);
    if (!w->kept)
        return;
    cr_assert_eq(gpc_coherence_acquire(c, GPC_NO_MODULE, 0, NULL, &w->s->error), GPC_OK);
    for (uint32_t i = 0; i < BYTES && w->exact && strcmp(w->protocol, "none"); i += 7)
        for (uint32_t module = 0; module < w->l1s; module++)
            cr_assert_eq(small_access(c, module, GPC_COHERENCE_LOAD, i, 0), w->stored[i], "%s, seed %llu: %#x",
                         w->protocol, (unsigned long long)w->seed, i);
    cr_assert_eq(gpc_coherence_flush(c, GPC_NO_MODULE, 0, NULL, &w->s->error), GPC_OK);
    uint8_t memory[BYTES];
    cr_assert_eq(gpc_coherence_read_memory(c, 0, memory, BYTES, NULL), GPC_OK);
    for (uint32_t i = 0; i < BYTES; i++)
        cr_assert_eq(memory[i], w->stored[i], "%s, seed %llu: byte %#x is %u, last stored %u", w->protocol,
                     (unsigned long long)w->seed, i, memory[i], w->stored[i]);
}

static void run_at_once(const char *protocol, uint64_t seed, uint32_t kinds) {
    world w;
    open_world(&w, protocol, seed);
    w.exact = w.kept && (kinds == 2 || strcmp(protocol, "nmoesi")) && strcmp(protocol, "none");
    char text[256];
    for (uint32_t i = 0; i < ACCESSES; i++) {
        uint8_t value = 0, out = 0;
        gpc_coherence_request r = request_of(&w, kinds, &value);
        r.out = r.kind ? NULL : &out;
        cr_assert_eq(gpc_coherence_access(w.s->tree, &r, NULL, &w.s->error), GPC_OK, "%s, seed %llu: %s", protocol,
                     (unsigned long long)seed, w.s->error.message);
        if (!r.kind)
            judge(&w, r.module, (uint32_t)r.address, out, w.stored[r.address]);
        cr_assert(!w.kept || gpci_invariants_at(w.s->tree, r.address, text, sizeof text), "%s, seed %llu: %s", protocol,
                  (unsigned long long)seed, text);
    }
    check_end(&w);
    small_close(w.s);
}

static void check_rest(const world *w) {
    const gpci_engine *e = w->s->tree->engine;
    cr_assert(e && !e->tasks.used && !e->inflights.used && !e->sent_messages.used && !e->waiters.used && !e->live);
    for (uint32_t i = 0; i < w->s->tree->module_count; i++)
        for (uint32_t bucket = 0; bucket <= e->units[i].lock_mask; bucket++)
            cr_assert_eq(e->units[i].locks[bucket], 0);
}

static void run_overlapping(const char *protocol, uint64_t seed, uint32_t kinds) {
    world w;
    uint64_t cycle = 0;
    gpc_coherence_callbacks callbacks = GPC_COHERENCE_CALLBACKS_INIT;
    open_world(&w, protocol, seed);
    w.exact = w.kept && (kinds == 2 || strcmp(protocol, "nmoesi")) && strcmp(protocol, "none");
    callbacks.user_data = &w;
    callbacks.on_complete = on_complete;
    cr_assert_eq(gpc_coherence_set_callbacks(w.s->tree, &callbacks, NULL), GPC_OK);
    for (uint32_t i = 0; i < ACCESSES; i++) {
        uint8_t value = 0;
        gpc_coherence_request r = request_of(&w, kinds, &value);
        r.cycle = cycle += below(&w, 8) / 3;
        w.own[w.tokens + 1] = w.stored[r.address];
        cr_assert_eq(gpc_coherence_issue(w.s->tree, &r, &w.tokens, &w.s->error), GPC_OK, "%s", w.s->error.message);
        if (below(&w, 4))
            continue;
        cr_assert_eq(gpc_coherence_advance(w.s->tree, cycle += below(&w, 9), &w.s->error), GPC_OK, "%s, seed %llu: %s",
                     protocol, (unsigned long long)seed, w.s->error.message);
    }
    gpc_status status = gpc_coherence_advance(w.s->tree, cycle + LONGEST, &w.s->error);
    cr_assert(status || gpc_coherence_next_event(w.s->tree) == UINT64_MAX, "%s, seed %llu: livelock", protocol,
              (unsigned long long)seed);
    status = status ? status : gpc_coherence_advance(w.s->tree, UINT64_MAX, &w.s->error);
    cr_assert_eq(status, GPC_OK, "%s, seed %llu: %s", protocol, (unsigned long long)seed, w.s->error.message);
    cr_assert_eq(w.ended, ACCESSES);
    check_rest(&w);
    check_end(&w);
    small_close(w.s);
}

static const char *const protocols[] = {"msi", "mesi",    "mosi", "moesi",           "nmoesi",
                                        "vi",  "slc-glc", "hmg",  "nmoesi-multi2sim"};

static void run_all(void (*run)(const char *protocol, uint64_t seed, uint32_t kinds)) {
    const char *count = getenv("GPUCACHE_HALVES"), *first = getenv("GPUCACHE_HALVES_FIRST");
    const uint64_t seeds = count ? strtoull(count, NULL, 0) : effort_of(160);
    for (uint64_t seed = first ? strtoull(first, NULL, 0) : 1; seed <= seeds; seed++)
        for (size_t p = 0; p < sizeof protocols / sizeof *protocols; p++)
            run(protocols[p], seed, 2 + (seed >> 1 & 1));
}

Test(coherence_halves, one_access_at_a_time) {
    run_all(run_at_once);
}

Test(coherence_halves, accesses_that_overlap) {
    run_all(run_overlapping);
}

/* -- two caches of one set of two ways, an L1 above each */

enum { NEAR = 2, HOME = 4, MEMORY = 6, PAGE = 4096 };

static small *open_two(const char *protocol) {
    small *s = small_open_bare(8);
    for (uint32_t i = 0; i < 2; i++) {
        s->modules[i].ways = 4;
        s->modules[NEAR + i].ways = s->modules[HOME + i].ways = 2;
        s->modules[NEAR + i].near_of = HOME + i;
        s->modules[HOME + i].home = s->modules[MEMORY + i].home = (uint8_t)(1 + i);
        s->modules[MEMORY + i].memory = true;
        s->modules[MEMORY + i].ways = 0;
        small_link(s, i, NEAR + i);
        small_link(s, i, HOME + i);
        small_link(s, NEAR + i, HOME + 1 - i);
        small_link(s, HOME + i, MEMORY + i);
    }
    s->options.protocol = protocol;
    s->options.homes = 2;
    s->options.page_bytes = PAGE;
    return s;
}

static uint8_t state_of(const small *s, uint32_t module, uint64_t address) {
    uint32_t set, way;
    gpc_coherence_block block = GPC_COHERENCE_BLOCK_INIT;
    if (gpc_coherence_find(s->tree, module, address, &set, &way, NULL) != GPC_OK)
        return GPC_LINE_I;
    cr_assert_eq(gpc_coherence_get_block(s->tree, module, set, way, &block, NULL), GPC_OK);
    return block.state;
}

/* Ways are common: a half that needs one evicts the least recent block of both halves, with the copies above. */
Test(coherence_halves, share_their_ways) {
    small *s = open_two("moesi");
    small_tree(s);
    cr_expect_eq(gpci_module_at(s->tree, NEAR)->place, GPCI_PLACE_BETWEEN);
    cr_expect_eq(gpci_module_at(s->tree, HOME)->place, GPCI_PLACE_LAST);
    small_access(s->tree, 0, GPC_COHERENCE_STORE, 0, 5);
    small_access(s->tree, 0, GPC_COHERENCE_STORE, PAGE, 6);
    cr_expect(state_of(s, HOME, 0) != GPC_LINE_I && state_of(s, NEAR, PAGE) != GPC_LINE_I);
    small_access(s->tree, 0, GPC_COHERENCE_LOAD, PAGE + 64, 0);
    cr_expect(state_of(s, HOME, 0) == GPC_LINE_I && state_of(s, 0, 0) == GPC_LINE_I, "page 0 is inclusive, too");
    small_access(s->tree, 0, GPC_COHERENCE_LOAD, 64, 0);
    cr_expect(state_of(s, NEAR, PAGE) == GPC_LINE_I && state_of(s, 0, PAGE) == GPC_LINE_I);
    cr_expect_eq(state_of(s, HOME + 1, PAGE), GPC_LINE_M, "the copy was written back to where it is at home");
    cr_expect_eq(small_access(s->tree, 1, GPC_COHERENCE_LOAD, 0, 0), 5);
    cr_expect_eq(small_access(s->tree, 1, GPC_COHERENCE_LOAD, PAGE, 0), 6);
    small_close(s);
}

/*
 * Each L1 loads two lines of the other's pages at once. If these took both ways of both caches, each would wait for a
 * way of the other.
 */
Test(coherence_halves, near_ones_leave_a_way) {
    for (uint32_t fault = 0; fault < 2; fault++) {
        small *s = open_two("moesi");
        small_tree(s);
        gpci_coherence_inject(s->tree, fault ? GPCI_FAULT_NEAR_TAKES_ALL : 0, 0);
        for (uint32_t i = 0; i < 4; i++) {
            gpc_coherence_request r = GPC_COHERENCE_REQUEST_INIT;
            uint64_t token;
            r.module = i % 2;
            r.address = (1 - i % 2) * PAGE + i / 2 * 64;
            cr_assert_eq(gpc_coherence_issue(s->tree, &r, &token, &s->error), GPC_OK);
        }
        const gpc_status status = gpc_coherence_advance(s->tree, UINT64_MAX, &s->error);
        cr_expect_eq(status, fault ? GPC_ERROR_STATE : GPC_OK, "%s", s->error.message);
        cr_expect_eq(strstr(s->error.message, "deadlock of 4 accesses") != NULL, fault);
        small_close(s);
    }
}

/* A store performed below passes the near half, and removes its copy. */
Test(coherence_halves, stores_go_home) {
    static const char *const those[] = {"moesi", "vi"};
    for (uint32_t p = 0; p < 2; p++) {
        small *s = open_two(those[p]);
        for (uint32_t i = 0; i < 2; i++)
            s->modules[i].write_through = s->modules[i].no_write_allocate = s->modules[HOME + i].byte_masks = true;
        small_tree(s);
        small_access(s->tree, 0, GPC_COHERENCE_LOAD, PAGE, 0);
        small_access(s->tree, 1, GPC_COHERENCE_LOAD, PAGE, 0);
        measured_module stats;
        measured_clear(&stats);
        cr_expect(state_of(s, NEAR, PAGE) != GPC_LINE_I);
        small_access(s->tree, 0, GPC_COHERENCE_STORE, PAGE + 128, 7);
        cr_expect_eq(state_of(s, NEAR, PAGE + 128), GPC_LINE_I, "%s", those[p]);
        cr_expect_eq(state_of(s, HOME + 1, PAGE + 128), GPC_LINE_M, "%s", those[p]);
        measure_module(s->tree, NEAR, &stats);
        cr_expect_eq(stats.write_throughs_received, 1);
        cr_expect_eq(small_access(s->tree, 1, GPC_COHERENCE_LOAD, PAGE + 128, 0), 7);
        small_close(s);
    }
}

static void refused(void (*spoil)(small *s), const char *what) {
    small *s = open_two("moesi");
    spoil(s);
    cr_expect_eq(small_create(s), GPC_ERROR_ARGUMENT, "%s", what);
    cr_expect(strstr(s->error.message, what), "'%s' is not in '%s'", what, s->error.message);
    small_close(s);
}

static void no_module(small *s) {
    s->modules[NEAR].near_of = 8;
}

static void homeless(small *s) {
    s->modules[NEAR].near_of = NEAR + 1;
}

static void shared(small *s) {
    s->modules[NEAR + 1].near_of = HOME;
}

static void masked(small *s) {
    s->modules[NEAR].byte_masks = true;
}

static void one_way(small *s) {
    s->modules[NEAR].ways = s->modules[HOME].ways = 1;
}

static void other_sets(small *s) {
    s->modules[NEAR].sets = 4;
}

static void other_policy(small *s) {
    s->modules[HOME].replacement = "fifo";
}

static void large_lines(small *s) {
    s->options.page_bytes = 64;
    s->modules[NEAR].sectors = s->modules[HOME].sectors = 2;
}

static void not_below(small *s) {
    s->modules[0].low_count = 1;
}

Test(coherence_halves, refusals) {
    refused(no_module, "'m2'.near_of is 8, no other of 8 modules");
    refused(homeless, "'m2'.near_of is 'm3', which is no cache with a home");
    refused(shared, "'m3'.near_of is 'm4', of which 'm2' is, too");
    refused(masked, "'m2'.near_of is 'm4', so it has no memory, byte_masks or home");
    refused(one_way, "'m2'.ways is 1: two halves of a cache need two");
    refused(other_sets, "'m2'.sets is 4, of 'm4', the other half, 1");
    refused(other_policy, "'m2'.replacement is 'lru', of 'm4', the other half, 'fifo'");
    refused(large_lines, "'m2'.sectors make lines of 128 bytes, larger than a page");
    refused(not_below, "'m0'.low has no module that serves address 0x0");
}
