/* SPDX-License-Identifier: BSD-2-Clause */
/* Tags and orders of ways compared with lists moved by hand; calls of registered policies; full maps. */
#include "coherence/module/tree.h"
#include "coherence/small.h"

#include <stdio.h>
#include <string.h>

#define BLOCK 64u
#define MOST_WAYS 34u
#define MOST_SETS 6u

/* A module by definition: per set a list of ways, the most recent first. */
typedef struct naive {
    uint32_t sets, ways, extra;
    bool fifo, any_victim;
    uint32_t list[MOST_SETS][MOST_WAYS], extra_list[MOST_SETS][MOST_WAYS];
    uint64_t tag[MOST_SETS][MOST_WAYS];
    bool valid[MOST_SETS][MOST_WAYS];
} naive;

static void naive_front(uint32_t *list, uint32_t count, uint32_t way) {
    uint32_t moved[MOST_WAYS], n = 0;
    moved[n++] = way;
    for (uint32_t i = 0; i < count; i++)
        if (list[i] != way)
            moved[n++] = list[i];
    cr_assert_eq(n, count, "way %u is not in its list", way);
    memcpy(list, moved, count * sizeof *list);
}

static void naive_move(naive *n, uint32_t set, uint32_t way) {
    if (way < n->ways)
        naive_front(n->list[set], n->ways, way);
    else
        naive_front(n->extra_list[set], n->extra, way);
}

static uint32_t naive_find(const naive *n, uint64_t tag) {
    const uint32_t set = (uint32_t)(tag / BLOCK % n->sets);
    for (uint32_t way = 0; way < n->ways + n->extra; way++)
        if (n->valid[set][way] && n->tag[set][way] == tag)
            return way;
    return GPCI_TREE_NO_BLOCK;
}

static uint32_t naive_victim(naive *n, uint32_t set, bool directory) {
    const uint32_t first = directory ? n->ways : 0, count = directory ? n->extra : n->ways;
    uint32_t *list = directory ? n->extra_list[set] : n->list[set], chosen = list[count - 1];
    for (uint32_t way = first; way < first + count && !n->any_victim; way++)
        if (!n->valid[set][way]) {
            chosen = way;
            break;
        }
    naive_front(list, count, chosen);
    return chosen;
}

static void naive_write(naive *n, uint32_t set, uint32_t way, uint64_t tag, bool valid) {
    const uint64_t written = valid ? tag : 0;
    if (n->fifo && n->tag[set][way] != written)
        naive_move(n, set, way);
    n->tag[set][way] = written;
    n->valid[set][way] = valid;
}

static void compare(const naive *n, const gpc_coherence *c, uint32_t module) {
    for (uint32_t set = 0; set < n->sets; set++)
        for (uint32_t i = 0; i < n->ways + n->extra; i++) {
            const uint32_t way = i < n->ways ? n->list[set][i] : n->extra_list[set][i - n->ways];
            gpc_coherence_block block = GPC_COHERENCE_BLOCK_INIT;
            cr_assert_eq(gpc_coherence_get_block(c, module, set, way, &block, NULL), GPC_OK);
            cr_assert_eq(block.recency, i < n->ways ? i : i - n->ways, "set %u way %u", set, way);
            cr_assert_eq(block.tag, n->tag[set][way]);
            cr_assert_eq(block.state != GPC_LINE_I, n->valid[set][way]);
        }
}

static void both_write(naive *n, gpci_module *m, uint32_t set, uint32_t way, uint64_t tag, uint8_t state) {
    naive_write(n, set, way, tag, state != GPC_LINE_I);
    gpci_module_write(m, set * m->all_ways + way, tag, state);
}

static uint32_t victim_of(gpci_module *m, uint64_t tag) {
    return gpci_module_victim(m, tag, gpci_module_row(m, tag));
}

/* Bring a block to a way, as a transaction does: choose, evict, write. */
static void both_fill(naive *n, gpci_module *m, uint64_t tag, bool directory, uint8_t state) {
    const uint32_t set = (uint32_t)(tag / BLOCK % n->sets), way = naive_victim(n, set, directory);
    const uint32_t block =
        directory ? gpci_module_choose(m, tag, gpci_module_row(m, tag), true, NULL) : victim_of(m, tag);
    cr_assert_eq(block, set * m->all_ways + way, "victim");
    if (n->valid[set][way])
        both_write(n, m, set, way, 0, GPC_LINE_I);
    both_write(n, m, set, way, tag, state);
}

static void random_step(naive *n, gpci_module *m, uint64_t *random) {
    const uint64_t tag = (uint64_t)BLOCK * gpci_random_below(random, n->sets * (n->ways + n->extra) * 2);
    const uint32_t set = (uint32_t)(tag / BLOCK % n->sets), way = naive_find(n, tag);
    const uint8_t state = (uint8_t)gpci_random_below(random, GPC_LINE_I);
    cr_assert_eq(gpci_module_find(m, tag), way == GPCI_TREE_NO_BLOCK ? way : set * m->all_ways + way);
    if (way == GPCI_TREE_NO_BLOCK) {
        both_fill(n, m, tag, n->extra && gpci_random_below(random, 3) == 0, state);
        return;
    }
    switch (gpci_random_below(random, 4)) {
    case 0: /* invalidated */
        both_write(n, m, set, way, tag, GPC_LINE_I);
        break;
    case 1: /* another state */
        both_write(n, m, set, way, tag, state);
        break;
    default: /* looked up; valid, so that with fifo nothing moves */
        if (!n->fifo)
            naive_move(n, set, way);
        gpci_module_touch(m, set * m->all_ways + way);
        break;
    }
}

static void compare_with_lists(uint32_t sets, uint32_t ways, uint32_t extra, bool fifo, bool any_victim) {
    small *s = small_open_bare(3);
    small_link(s, 0, 1);
    small_link(s, 1, 2);
    s->modules[2].memory = true;
    gpc_coherence_module *given = &s->modules[1];
    given->sets = sets;
    given->ways = ways;
    given->directory_ways = extra;
    given->non_inclusive = extra != 0;
    given->replacement = fifo ? "fifo" : extra ? NULL : "lru";
    given->any_victim = any_victim;
    gpci_module *m = &small_tree(s)->modules[1];
    naive n = {.sets = sets, .ways = ways, .extra = extra, .fifo = fifo, .any_victim = any_victim};
    for (uint32_t set = 0; set < sets; set++)
        for (uint32_t way = 0; way < ways + extra; way++)
            *(way < ways ? &n.list[set][way] : &n.extra_list[set][way - ways]) = way;
    compare(&n, s->tree, 1);
    uint64_t random = sets * 1000 + ways * 10 + extra;
    for (int step = 0; step < 2000; step++) {
        random_step(&n, m, &random);
        compare(&n, s->tree, 1);
    }
    small_close(s);
}

Test(coherence_tags, orders_like_lists) {
    const uint32_t sets[] = {1, 4, 5}, ways[] = {1, 2, 3, 8, 17}, extra[] = {0, 1, 4, 17};
    for (int s = 0; s < 3; s++)
        for (int w = 0; w < 5; w++)
            for (int e = 0; e < 4; e++)
                for (int kind = 0; kind < 4; kind++)
                    compare_with_lists(sets[s], ways[w], extra[e], kind & 1, kind & 2);
}

/* The description's example, by hand: two ways, order 0 1. */
Test(coherence_tags, lru_by_hand) {
    small *s = small_open();
    s->modules[0].any_victim = true;
    gpci_module *m = &small_tree(s)->modules[0];
    cr_expect_eq(victim_of(m, 0x000), 1, "the last in order, though all are invalid");
    gpci_module_write(m, 1, 0x000, GPC_LINE_E);
    cr_expect_eq(victim_of(m, 0x100), 0);
    gpci_module_write(m, 0, 0x100, GPC_LINE_E);
    gpci_module_touch(m, gpci_module_find(m, 0x000));
    cr_expect_eq(victim_of(m, 0x200), 0);
    small_close(s);
}

/* FIFO: a lookup of an invalid block moves the block; address 0's tag belongs to an invalid block and does not move. */
Test(coherence_tags, fifo_by_hand) {
    small *s = small_open();
    s->modules[0].replacement = "fifo";
    gpci_module *m = &small_tree(s)->modules[0];
    gpci_module_touch(m, 1);
    cr_expect_eq(gpci_module_way_at(m, 0, false, 0), 1);
    gpci_module_write(m, 0, 0x000, GPC_LINE_E);
    cr_expect_eq(gpci_module_way_at(m, 0, false, 0), 1);
    gpci_module_touch(m, 0);
    cr_expect_eq(gpci_module_way_at(m, 0, false, 0), 1, "it is valid");
    gpci_module_write(m, 0, 0x100, GPC_LINE_E);
    cr_expect_eq(gpci_module_way_at(m, 0, false, 0), 0);
    gpci_module_write(m, 1, 0x200, GPC_LINE_E);
    gpci_module_write(m, 0, 0x100, GPC_LINE_I);
    cr_expect_eq(gpci_module_way_at(m, 0, false, 0), 0, "its tag became 0");
    small_close(s);
}

/* An invalid block has no directory. */
Test(coherence_tags, invalid_blocks_forget) {
    small *s = small_open();
    gpci_module *l2 = &small_tree(s)->modules[2];
    gpci_module_write(l2, 5, 0x1080, GPC_LINE_M);
    gpci_module_set_owner(l2, 5, 1, 0);
    gpci_sharers_add(l2, 5, 1, 0);
    gpci_sharers_add(l2, 5, 1, 1);
    gpci_module_write(l2, 5, 0x1080, GPC_LINE_E);
    cr_expect(gpci_module_owner_of(l2, 5, 1) == 0 && gpci_sharers_word(l2, 5, 1, 0) == 3);
    gpci_module_write(l2, 5, 0x1080, GPC_LINE_I);
    cr_expect_eq(gpci_module_tag(l2, 5), 0);
    cr_expect(gpci_module_owner_of(l2, 5, 1) == GPCI_TREE_NO_OWNER && gpci_sharers_word(l2, 5, 1, 0) == 0);
    small_close(s);
}

/* Calls of a host's policy: h hit, m miss, v victim, e eviction, f fill, i invalid; set.way. */
static char told[256];

static void tell(char what, uint32_t set, uint32_t way) {
    size_t length = strlen(told);
    snprintf(told + length, sizeof told - length, "%c%u.%u ", what, set, way);
}

static void on_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)self, (void)request;
    tell('h', set, way);
}

static void on_miss(void *self, uint32_t set, const gpc_request *request) {
    (void)self;
    tell('m', set, (uint32_t)(request->address / BLOCK));
}

static uint32_t choose_victim(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)candidates, (void)request;
    tell('v', set, 0);
    return *(uint32_t *)self;
}

static void on_fill(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)self, (void)request;
    tell('f', set, way);
}

static void on_evict(void *self, uint32_t set, uint32_t way, const gpc_eviction *eviction, const gpc_request *request) {
    (void)self;
    cr_expect(eviction->line_address == 0x040 && request->address == 0x240, "who goes, and for whom");
    tell('e', set, way);
}

static void on_invalidate(void *self, uint32_t set, uint32_t way) {
    (void)self;
    tell('i', set, way);
}

static const gpc_replacement_ops own_policy = {.struct_size = sizeof(gpc_replacement_ops),
                                               .name = "own",
                                               .instance_bytes = sizeof(uint32_t),
                                               .on_hit = on_hit,
                                               .on_miss = on_miss,
                                               .choose_victim = choose_victim,
                                               .on_fill = on_fill,
                                               .on_evict = on_evict,
                                               .on_invalidate = on_invalidate,
                                               .reads = GPC_READS_PLACE | GPC_READS_ADDRESS};

static void expect_told(const char *expected) {
    cr_expect_str_eq(told, expected);
    *told = '\0';
}

Test(coherence_tags, policies_are_told) {
    small *s = small_open();
    cr_assert_eq(gpc_context_register_replacement(s->context, &own_policy, NULL, NULL, &s->error), GPC_OK);
    s->modules[0].replacement = "own";
    s->modules[0].sets = 1;
    gpci_module *m = &small_tree(s)->modules[0];
    *told = '\0';
    gpci_module_write(m, victim_of(m, 0x040), 0x040, GPC_LINE_E);
    expect_told("m0.1 f0.0 ");
    gpci_module_write(m, victim_of(m, 0x140), 0x140, GPC_LINE_E);
    expect_told("m0.5 f0.1 ");
    gpci_module_touch(m, 0);
    gpci_module_write(m, 0, 0x040, GPC_LINE_M);
    expect_told("h0.0 ");
    cr_expect_eq(victim_of(m, 0x240), 0);
    expect_told("m0.9 v0.0 ");
    gpci_module_leave(m, 0, 0x240, true);
    gpci_module_write(m, 0, 0x040, GPC_LINE_I);
    gpci_module_write(m, 0, 0x240, GPC_LINE_S);
    expect_told("e0.0 f0.0 ");
    gpci_module_write(m, 0, 0x240, GPC_LINE_I);
    gpci_module_write(m, 0, 0x240, GPC_LINE_I);
    expect_told("i0.0 ");
    *(uint32_t *)m->policy->self = 2;
    gpci_module_write(m, 0, 0x040, GPC_LINE_S);
    *told = '\0';
    cr_expect_eq(victim_of(m, 0x240), GPCI_TREE_NO_BLOCK, "there is no way 2");
    expect_told("m0.9 v0.0 ");
    small_close(s);
}

/* Requests passed to a policy, call by call. */
static gpc_request shown[16];
static char calls[17];
static unsigned shown_count;

static void note(char call, const gpc_request *request) {
    cr_assert_lt(shown_count, 16);
    calls[shown_count] = call;
    calls[shown_count + 1] = '\0';
    shown[shown_count++] = *request;
}

static void note_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)self, (void)set, (void)way;
    note('h', request);
}

static void note_miss(void *self, uint32_t set, const gpc_request *request) {
    (void)self, (void)set;
    note('m', request);
}

static uint32_t note_victim(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)self, (void)set, (void)candidates;
    note('v', request);
    return 0;
}

static void note_fill(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)self, (void)set, (void)way;
    note('f', request);
}

static void note_evict(void *self, uint32_t set, uint32_t way, const gpc_eviction *eviction,
                       const gpc_request *request) {
    (void)self, (void)set, (void)way, (void)eviction;
    note('e', request);
}

static const gpc_replacement_ops noting = {.struct_size = sizeof(gpc_replacement_ops),
                                           .name = "noting",
                                           .on_hit = note_hit,
                                           .on_miss = note_miss,
                                           .choose_victim = note_victim,
                                           .on_fill = note_fill,
                                           .on_evict = note_evict,
                                           .reads = GPC_READS_PLACE | GPC_READS_ADDRESS | GPC_READS_CYCLE |
                                                    GPC_READS_SM | GPC_READS_KIND};

static void ask(gpc_coherence *c, uint32_t module, uint32_t kind, uint64_t address, const gpc_request *carried) {
    gpc_coherence_request request = GPC_COHERENCE_REQUEST_INIT;
    request.module = module;
    request.kind = kind;
    request.address = address;
    request.size = 4;
    shown_count = 0;
    *calls = '\0';
    cr_assert_eq(gpci_coherence_access(c, &request, carried, NULL, NULL), GPC_OK);
    cr_expect_null(c->request, "the request is the caller's, and may go");
}

static void expect_whole(unsigned i, uint64_t address) {
    const gpc_request *r = &shown[i];
    cr_expect(r->address == address && r->pc == 99 && r->warp == 7 && r->kind == GPC_LOAD && !r->size, "%u", i);
}

/* For an access the whole request, for moved data the original owner, and for a host's access the address. */
Test(coherence_tags, requests_are_carried) {
    for (uint32_t module = 0; module <= 2; module += 2) {
        small *s = small_open();
        cr_assert_eq(gpc_context_register_replacement(s->context, &noting, NULL, NULL, &s->error), GPC_OK);
        s->modules[module].replacement = "noting";
        s->modules[0].sets = s->modules[0].ways = 1;
        gpc_coherence *c = small_tree(s);
        const gpc_request whole = {
            .address = 0x1048, .pc = 99, .warp = 7, .sm = 6, .kernel = 5, .size = 4, .kind = GPC_LOAD};
        ask(c, 0, GPC_COHERENCE_STORE, 0x2004, NULL);
        cr_assert_str_eq(calls, "mf");
        const gpc_request bare = {.address = 0x2000};
        for (unsigned i = 0; i < shown_count; i++)
            cr_expect_arr_eq(&shown[i], &bare, sizeof bare, "call %u", i);
        ask(c, 0, GPC_COHERENCE_LOAD, 0x1048, &whole);
        cr_assert_str_eq(calls, module ? "hmf" : "mvef");
        for (unsigned i = module ? 1 : 0; i < shown_count; i++)
            expect_whole(i, module ? 0x1000 : 0x1040);
        if (module) { /* L1 wrote back the victim */
            const gpc_request moved = {.address = 0x2000, .sm = 6, .kernel = 5, .kind = GPC_STORE};
            cr_expect_arr_eq(&shown[0], &moved, sizeof moved);
        }
        cr_assert_eq(gpc_coherence_flush(c, GPC_NO_MODULE, 0, NULL, NULL), GPC_OK);
        small_close(s);
    }
}

static void host_access(gpc_coherence *c, uint32_t module, uint32_t kind, uint64_t address, uint64_t cycle) {
    gpc_coherence_request request = GPC_COHERENCE_REQUEST_INIT;
    request.module = module;
    request.kind = kind;
    request.address = address;
    request.cycle = cycle;
    request.size = 4;
    shown_count = 0;
    *calls = '\0';
    cr_assert_eq(gpc_coherence_access(c, &request, NULL, NULL), GPC_OK);
}

/* For requests of a host on the tree, policies see address, cycle, module and kind; for a flush, stores. */
Test(coherence_tags, policies_are_shown_what_a_host_asks) {
    static const gpc_kind kinds[] = {GPC_LOAD, GPC_ATOMIC, GPC_STORE};
    for (uint32_t kind = 0; kind < 3; kind++) {
        small *s = small_open();
        cr_assert_eq(gpc_context_register_replacement(s->context, &noting, NULL, NULL, &s->error), GPC_OK);
        s->modules[2].replacement = "noting";
        s->modules[1].sets = s->modules[1].ways = 1;
        gpc_coherence *c = small_tree(s);
        host_access(c, 1, GPC_COHERENCE_STORE, 0x2004, 100);
        host_access(c, 1, kind, 0x1048, 200);
        cr_assert_str_eq(calls, "hmf", "the L1 writes 0x2000 back, and asks for 0x1000");
        const gpc_request moved = {.address = 0x2000, .cycle = 200, .sm = 1, .kind = GPC_STORE};
        const gpc_request asked = {.address = 0x1000, .cycle = 200, .sm = 1, .kind = (uint8_t)kinds[kind]};
        cr_expect_arr_eq(&shown[0], &moved, sizeof moved);
        cr_expect_arr_eq(&shown[1], &asked, sizeof asked);
        cr_expect_arr_eq(&shown[2], &asked, sizeof asked);
        host_access(c, 1, GPC_COHERENCE_STORE, 0x1048, 300);
        shown_count = 0;
        cr_assert_eq(gpc_coherence_flush(c, 1, 400, NULL, NULL), GPC_OK);
        const gpc_request flushed = {.address = 0x1000, .cycle = 400, .kind = GPC_STORE};
        cr_assert_geq(shown_count, 1);
        for (unsigned i = 0; i < shown_count; i++)
            cr_expect_arr_eq(&shown[i], &flushed, sizeof flushed, "call %u", i);
        cr_expect_null(c->request);
        small_close(s);
    }
}

/* A memory with an entry per cached block. */
Test(coherence_tags, full_map) {
    small *s = small_open();
    s->modules[3].sets = 1;
    s->modules[3].ways = 0;
    gpci_module *mm = &small_tree(s)->modules[3];
    const uint64_t stride = 0x7f00; /* stride over blocks of 256 bytes */
    cr_expect_eq(gpci_module_find(mm, 0), GPCI_TREE_NO_BLOCK);
    for (uint32_t i = 0; i < 5000; i++) {
        cr_assert_eq(gpci_module_reserve(s->context, mm, 1), GPC_OK);
        const uint32_t block = victim_of(mm, i * stride);
        cr_assert_eq(block, i);
        cr_assert(mm->states[block] == GPC_LINE_I && gpci_module_owner_of(mm, block, 1) == GPCI_TREE_NO_OWNER);
        gpci_module_write(mm, block, i * stride, GPC_LINE_E);
        gpci_module_set_owner(mm, block, 1, i % 7);
    }
    for (uint32_t i = 0; i < 5000; i++) {
        cr_assert_eq(gpci_module_find(mm, i * stride), i);
        cr_assert_eq(gpci_module_owner_of(mm, i, 1), i % 7);
        cr_assert_eq(gpci_module_find(mm, i * stride + 256), GPCI_TREE_NO_BLOCK);
    }
    /* an invalid entry belongs to the block again */
    gpci_module_write(mm, 77, 0, GPC_LINE_I);
    cr_expect_eq(gpci_module_find(mm, 77 * stride), GPCI_TREE_NO_BLOCK);
    cr_expect_eq(victim_of(mm, 77 * stride), 77);
    /* reserved room exists for this number */
    cr_assert_eq(gpci_module_reserve(s->context, mm, 100), GPC_OK);
    for (uint32_t i = 0; i < 100; i++)
        cr_assert_eq(victim_of(mm, (6000 + i) * stride), 5000 + i);
    small_close(s);
}
