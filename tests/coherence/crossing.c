/* SPDX-License-Identifier: BSD-2-Clause */
/* Two processors reach the same two L2s, with addresses exchanged between them. */
#include "coherence/small.h"

enum { L1_0, L1_1, X0, X1, Y0, Y1, L2_0, L2_1, MM };

#define HALF 0x1000u /* from here on the addresses of x1 and y1 */

static void serve(gpc_coherence_module *m, uint64_t first, uint64_t last) {
    m->served = GPC_SERVES_RANGE;
    m->first = first;
    m->last = last;
}

/* l1-0 over x0 and x1, l1-1 over y0 and y1. x0 and y1 over l2-0; straight: x0 and y0. */
static small *two_ways(const char *protocol, bool straight) {
    small *s = small_open_bare(9);
    s->options.protocol = protocol;
    for (uint32_t i = 0; i < 9; i++) {
        s->modules[i].sets = 4;
        s->modules[i].ways = 2;
    }
    const uint32_t low[] = {0, 0, L2_0, L2_1, straight ? L2_0 : L2_1, straight ? L2_1 : L2_0, MM, MM};
    small_link(s, L1_0, X0);
    small_link(s, L1_0, X1);
    small_link(s, L1_1, Y0);
    small_link(s, L1_1, Y1);
    for (uint32_t i = X0; i <= L2_1; i++)
        small_link(s, i, low[i]);
    serve(&s->modules[X0], 0, HALF - 1);
    serve(&s->modules[Y0], 0, HALF - 1);
    serve(&s->modules[X1], HALF, 2 * HALF - 1);
    serve(&s->modules[Y1], HALF, 2 * HALF - 1);
    s->modules[MM].memory = true;
    return s;
}

Test(coherence_crossing, only_what_all_ask_is_shared) {
    for (int straight = 0; straight < 2; straight++) {
        small *s = two_ways("vi", straight);
        gpc_coherence *c = small_tree(s);
        for (uint32_t i = X0; i <= Y1; i++)
            cr_expect_eq(c->modules[i].place, GPCI_PLACE_BETWEEN);
        for (uint32_t i = L2_0; i <= L2_1; i++)
            cr_expect_eq(c->modules[i].place, straight ? GPCI_PLACE_LAST : GPCI_PLACE_BETWEEN);
        small_close(s);
    }
}

static void sees_the_store_after_an_acquire(const char *protocol, bool straight, uint64_t address) {
    small *s = two_ways(protocol, straight);
    gpc_coherence *c = small_tree(s);
    cr_expect_eq(small_access(c, L1_0, GPC_EVENT_LOAD, address, 0), 0); /* l1-0's path has a copy */
    small_access(c, L1_1, GPC_EVENT_STORE, address, 7);
    cr_assert_eq(gpc_coherence_flush(c, L1_1, 0, NULL, NULL), GPC_OK);
    for (uint32_t i = X0; i <= L2_1; i++) /* caches between write back, and drop possibly old copies */
        if (c->modules[i].place == GPCI_PLACE_BETWEEN)
            cr_assert_eq(gpc_coherence_flush(c, i, 0, NULL, NULL), GPC_OK);
    cr_assert_eq(gpc_coherence_acquire(c, GPC_NO_MODULE, 0, NULL, NULL), GPC_OK);
    cr_expect_eq(small_access(c, L1_0, GPC_EVENT_LOAD, address, 0), 7, "%s, %s, 0x%x", protocol,
                 straight ? "straight" : "crossing", (unsigned)address);
    small_close(s);
}

Test(coherence_crossing, no_stale_read_after_an_acquire) {
    static const char *const protocols[] = {"vi", "slc-glc", "hmg"};
    for (unsigned i = 0; i < 6; i++) {
        sees_the_store_after_an_acquire(protocols[i / 2], i % 2, 0x40);
        sees_the_store_after_an_acquire(protocols[i / 2], i % 2, HALF + 0x40);
    }
}
