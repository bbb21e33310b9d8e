/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <string.h>

#include "coherence/random.h"

/* Random trees are sound, and of all intended shapes. */

typedef struct seen {
    uint32_t levels[8], places[4], firsts[TREE_FIRST + 1];
    uint32_t banks, ranges, subs, memories, tiny, full, non_inclusive, through, mixed, skipping, policies, lines, masks,
        fetches;
} seen;

static void look_at_module(const gpc_coherence *c, uint32_t i, seen *s) {
    const gpci_module *m = &c->modules[i];
    s->places[m->place]++;
    s->banks += m->given.served == GPC_SERVES_INTERLEAVED;
    s->ranges += m->given.served == GPC_SERVES_RANGE;
    s->subs += m->sub_blocks > 1;
    s->tiny += m->given.memory && m->given.ways && m->given.sets * m->given.ways <= 4;
    s->full += m->given.memory && !m->given.ways;
    s->non_inclusive += m->given.non_inclusive;
    s->through += m->given.write_through || m->given.no_write_allocate;
    s->policies += m->policy != NULL;
    s->lines += m->sectors > 1;
    s->fetches += m->given.fetch_blocks > 1;
    s->masks += m->given.byte_masks;
    s->mixed += m->level == 1 && i && m->given.block_bytes != c->modules[0].given.block_bytes;
    uint32_t low = c->modules[m->given.low_count ? m->given.low[0] : i].level;
    s->skipping += m->level == 1 && i && low > c->modules[c->modules[0].given.low[0]].level;
}

Test(random_trees, sound_and_of_all_shapes) {
    seen s = {0};
    gpc_context *context;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        uint64_t random = gpci_mix(seed);
        tree t;
        gpc_coherence *c;
        gpc_error error = GPC_ERROR_INIT;
        tree_random(&t, &random, 1024u << seed % 3, TREE_ALL);
        gpc_status status = tree_create(&t, context, "nmoesi", true, true, &error, &c);
        cr_assert_eq(status, GPC_OK, "seed %llu: %s", (unsigned long long)seed, status ? error.message : "");
        s.levels[c->levels]++;
        s.firsts[t.first_count]++;
        s.memories += t.modules[t.module_count - 2].memory;
        for (uint32_t i = 0; i < c->module_count; i++) {
            look_at_module(c, i, &s);
            cr_assert_eq(tree_public(&t, i), c->modules[i].place >= GPCI_PLACE_LAST || (t.first_count == 1 && i == 0),
                         "seed %llu, m%u", (unsigned long long)seed, i);
        }
        gpc_coherence_destroy(c);
    }
    gpc_context_destroy(context);
    cr_assert(s.levels[2] && s.levels[3] && s.levels[4]);
    cr_assert(s.places[GPCI_PLACE_FIRST] && s.places[GPCI_PLACE_BETWEEN] && s.places[GPCI_PLACE_LAST] &&
              s.places[GPCI_PLACE_MEMORY]);
    cr_assert(s.firsts[1] && s.firsts[2] && s.firsts[3] && s.firsts[8] && s.firsts[16]);
    cr_assert(s.banks && s.ranges && s.subs && s.memories && s.tiny && s.full && s.non_inclusive && s.through &&
              s.mixed && s.skipping && s.policies && s.lines && s.masks && s.fetches);
}

/* A tree without one of the first-level modules is still a tree. */
Test(random_trees, prune) {
    gpc_context *context;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    for (uint64_t seed = 1; seed <= 200; seed++) {
        uint64_t random = gpci_mix(seed);
        tree t;
        gpc_error error = GPC_ERROR_INIT;
        tree_random(&t, &random, 1024, TREE_ALL);
        while (t.first_count > 1) {
            gpc_coherence *c;
            uint32_t map[TREE_MODULES], before = t.first_count, without = gpci_random_below(&random, before);
            tree_prune(&t, without, map);
            cr_assert_eq(t.first_count, before - 1);
            cr_assert_eq(map[without], GPC_NO_MODULE);
            gpc_status status = tree_create(&t, context, "moesi", false, false, &error, &c);
            cr_assert_eq(status, GPC_OK, "seed %llu without m%u: %s", (unsigned long long)seed, without,
                         status ? error.message : "");
            gpc_coherence_destroy(c);
        }
    }
    gpc_context_destroy(context);
}

/* A few unused addresses belong to only a part of the processors: byte masks are absent there. */
Test(random_trees, accepted_where_turns_do_not_all_come) {
    static const uint64_t seeds[] = {21552, 23562, 25830, 37366, 38166, 46125, 55686};
    gpc_context *context;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        uint64_t random = gpci_mix(seeds[i]);
        tree t;
        gpc_coherence *c;
        gpc_error error = GPC_ERROR_INIT;
        tree_random(&t, &random, 1024u << seeds[i] % 3, TREE_ALL);
        cr_assert_eq(tree_create(&t, context, "nmoesi", true, true, &error, &c), GPC_OK, "%s", error.message);
        gpc_coherence_destroy(c);
    }
    gpc_context_destroy(context);
}
