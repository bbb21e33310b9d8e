/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/small.h"

#include <string.h>

/* Homes of pages: four L1s, two and two over an L2, the L2s over two memories, both homes. */

enum { L2 = 4, MEMORY = 6, PAGE = 1024 };

static small *open_two(const char *protocol, gpc_placement placement) {
    small *s = small_open_bare(8);
    for (uint32_t i = 0; i < 4; i++) {
        small_link(s, i, L2 + i / 2);
        s->modules[i].home = (uint8_t)(1 + i / 2);
    }
    for (uint32_t i = 0; i < 2; i++) {
        for (uint32_t k = 0; k < 2; k++)
            small_link(s, L2 + i, MEMORY + k);
        s->modules[L2 + i].sets = 4;
        s->modules[MEMORY + i].memory = true;
        s->modules[MEMORY + i].ways = 0;
        s->modules[MEMORY + i].home = (uint8_t)(1 + i);
    }
    s->options.protocol = protocol;
    s->options.homes = 2;
    s->options.page_bytes = PAGE;
    s->options.placement = placement;
    return s;
}

static bool is_known(const small *s, uint32_t memory, uint64_t address) {
    uint32_t set, way;
    return gpc_coherence_find(s->tree, memory, address, &set, &way, NULL) == GPC_OK;
}

Test(coherence_pages, by_turns) {
    small *s = open_two("moesi", GPC_PLACE_ROUND_ROBIN);
    small_tree(s);
    for (uint32_t page = 0; page < 4; page++) {
        small_access(s->tree, page, GPC_COHERENCE_LOAD, page * PAGE + 64, 0);
        cr_expect_eq(is_known(s, MEMORY + page % 2, page * PAGE + 64), true, "page %u", page);
        cr_expect_eq(is_known(s, MEMORY + 1 - page % 2, page * PAGE + 64), false, "page %u", page);
    }
    cr_expect_eq(gpci_module_at(s->tree, L2)->place, GPCI_PLACE_BETWEEN, "not all processors reach it");
    small_close(s);
}

/* A page is at the place of the first touch, and stays there. */
Test(coherence_pages, first_touch) {
    small *s = open_two("moesi", GPC_PLACE_FIRST_TOUCH);
    small_tree(s);
    for (uint32_t page = 0; page < 4; page++) {
        small_access(s->tree, 3 - page, GPC_COHERENCE_STORE, page * PAGE, (uint8_t)(page + 1));
        cr_expect_eq(small_access(s->tree, page, GPC_COHERENCE_LOAD, page * PAGE, 0), page + 1);
        cr_expect_eq(is_known(s, MEMORY + (page < 2), page * PAGE), true, "page %u", page);
        cr_expect_eq(is_known(s, MEMORY + (page >= 2), page * PAGE), false, "page %u", page);
    }
    cr_expect_eq(gpc_coherence_check(s->tree, 0, 4 * PAGE, &s->error), GPC_OK, "%s", s->error.message);
    small_close(s);
}

static void refused(void (*spoil)(small *s), const char *what) {
    small *s = open_two("moesi", GPC_PLACE_FIRST_TOUCH);
    spoil(s);
    cr_expect_eq(small_create(s), GPC_ERROR_ARGUMENT, "%s", what);
    cr_expect(strstr(s->error.message, what), "'%s' is not in '%s'", what, s->error.message);
    small_close(s);
}

static void no_such_home(small *s) {
    s->modules[MEMORY].home = 3;
}

static void small_pages(small *s) {
    s->options.page_bytes = 32;
}

static void odd_pages(small *s) {
    s->options.page_bytes = 1000;
}

static void nobodys_page(small *s) {
    s->modules[MEMORY].home = 2;
}

static void no_placement(small *s) {
    s->options.placement = 3;
}

Test(coherence_pages, refusals) {
    refused(no_such_home, "'m6'.home is 3, of 2");
    refused(small_pages, "block_bytes is 64, more than a page");
    refused(odd_pages, "page_bytes is 1000; with homes it is a power of two");
    refused(nobodys_page, "'m4'.low has no module that serves address 0x0");
    refused(no_placement, "placement is 3, no gpc_placement");
}
