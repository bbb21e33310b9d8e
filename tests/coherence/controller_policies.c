/* SPDX-License-Identifier: BSD-2-Clause */
/* Replacement policies with overlapping accesses: a block in flight is never a victim. */
#include "coherence/engine/engine.h"
#include "coherence/small.h"

#define L1S 4u
#define FLYING 24u
#define ROUNDS 12u

/* Four L1s like Kepler's, 32 sets of 4 ways of 128 bytes, over an L2 and a memory. */
static small *kepler(const char *replacement) {
    small *s = small_open_bare(L1S + 2);
    s->options.network_count = 1;
    s->options.data = false;
    s->options.protocol = "mesi";
    for (uint32_t i = 0; i < L1S + 2; i++) {
        gpc_coherence_module *m = &s->modules[i];
        m->sets = i < L1S ? 32 : 256;
        m->ways = i < L1S ? 4 : 16;
        m->block_bytes = 128;
        m->replacement = i <= L1S ? replacement : NULL;
        m->latency = i < L1S ? 1 : 20;
        if (i <= L1S)
            small_link(s, i, i < L1S ? L1S : L1S + 1);
    }
    s->modules[L1S + 1].memory = true;
    s->modules[L1S + 1].ways = 0;
    s->modules[L1S + 1].sets = 1;
    small_tree(s);
    return s;
}

static gpc_coherence_request load_of(uint32_t n, uint32_t blocks) {
    gpc_coherence_request request = GPC_COHERENCE_REQUEST_INIT;
    request.module = n % L1S;
    request.address = (uint64_t)(n / L1S % blocks + request.module * 1024) * 128;
    return request;
}

/* Hits in L1s of every 10000 loads: in each L1 `blocks` blocks in a loop. Twice: at once, and overlapping. */
static void hits_of(const char *replacement, uint32_t blocks, uint32_t hits[2]) {
    for (uint32_t overlap = 0; overlap < 2; overlap++) {
        small *s = kepler(replacement);
        const uint32_t loads = ROUNDS * blocks * L1S;
        uint64_t token, now = 0, found = 0;
        for (uint32_t n = 0; n < loads; n++) {
            gpc_coherence_request request = load_of(n, blocks);
            request.cycle = now;
            if (!overlap) {
                cr_assert_eq(gpc_coherence_access(s->tree, &request, NULL, &s->error), GPC_OK);
                continue;
            }
            cr_assert_eq(gpc_coherence_issue(s->tree, &request, &token, &s->error), GPC_OK, "%s", s->error.message);
            while (s->tree->engine->live >= FLYING)
                cr_assert_eq(gpc_coherence_advance(s->tree, ++now, &s->error), GPC_OK, "%s", s->error.message);
        }
        if (overlap)
            cr_assert_eq(gpc_coherence_advance(s->tree, UINT64_MAX, &s->error), GPC_OK, "%s", s->error.message);
        for (uint32_t i = 0; i < L1S; i++)
            found += s->tree->modules[i].stats.load_hits;
        hits[overlap] = (uint32_t)(found * 10000 / loads);
        small_close(s);
    }
}

/* 192 blocks in a cache for 128: lru keeps none until reuse, policies against thrashing most. */
Test(coherence_controller_policies, thrash) {
    static const char *const policies[] = {"bip", "brrip", "drrip", "dip", "lip"};
    uint32_t hits[2];
    for (uint32_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        hits_of(policies[i], 192, hits);
        cr_expect_gt(hits[0], 3000, "%s", policies[i]);
        cr_expect_geq(hits[1] * 100, hits[0] * 97, "%s: %u, where nothing overlaps %u", policies[i], hits[1], hits[0]);
    }
    hits_of("lru", 192, hits);
    cr_expect(!hits[0] && !hits[1]);
}
