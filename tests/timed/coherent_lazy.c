/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"
#include "effort.h"
#include "timed/coherent_rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Stores of whole sectors and of parts, without fetches, by several SMs in turn: every load gets the last value. */

enum { SMS = 3, SECTORS = 24, LANES = 8 };

typedef struct world {
    gpc_context *context;
    gpc_config *config;
    gpc_hierarchy *h;
    uint32_t memory[SECTORS * LANES];
    uint64_t random;
    bool timed;
} world;

/* A number of words of a sector, starting at one. */
static void access_sector(world *w, uint32_t sector, uint32_t sm, bool store, uint32_t first, uint32_t count) {
    uint64_t addresses[LANES];
    uint32_t values[LANES] = {0}, *words = &w->memory[sector * LANES + first];
    gpc_warp_access a = GPC_WARP_ACCESS_INIT;
    gpc_error error = GPC_ERROR_INIT;
    for (uint32_t lane = 0; lane < count; lane++) {
        addresses[lane] = 0x2000 + sector * 32 + (first + lane) * 4;
        values[lane] = store ? words[lane] = (uint32_t)gpci_mix(w->random + lane) : 0;
    }
    a.sm = sm;
    a.kind = store ? GPC_STORE : GPC_LOAD;
    a.mask = (1u << count) - 1;
    a.width = 4;
    a.addresses = addresses;
    a.bytes = store ? (const uint8_t *)values : NULL;
    a.out = store ? NULL : (uint8_t *)values;
    if (w->timed) {
        cr_assert_eq(gpc_hierarchy_try_issue(w->h, &a, 0, NULL, NULL), GPC_OK);
        cr_assert_eq(gpc_hierarchy_drain(w->h, &error), GPC_OK, "%s", error.message);
    } else {
        cr_assert_eq(gpc_hierarchy_access(w->h, &a, NULL, NULL), GPC_OK);
    }
    for (uint32_t lane = 0; !store && lane < count; lane++)
        cr_assert_eq(values[lane], words[lane], "SM %u, sector %u, word %u: %#x, not %#x", sm, sector, first + lane,
                     values[lane], words[lane]);
}

static void run(const char *protocol, const char *settings, bool timed) {
    static world w;
    char text[512];
    w = (world){.random = 5, .timed = timed};
    snprintf(
        text, sizeof text,
        "coherence = %s\ncoherence.data = true\nsm.count = %d\nl1.sectors = 4\nl2.sectors = 4\nl1.size = 512\n"
        "l1.ways = 2\nl1.write_policy = through\nl1.write_allocate = lazy\nl2.write_allocate = lazy\nmode = %s\n%s",
        protocol, SMS, timed ? "timed" : "functional", settings);
    coherent_make(text, &w.context, &w.config, &w.h);
    for (uint32_t n = 0; n < effort_of(1200); n++) {
        const uint32_t draw = rig_below(&w.random, 12);
        const bool whole = draw < 4;
        access_sector(&w, rig_below(&w.random, SECTORS), rig_below(&w.random, SMS), draw < 6,
                      whole ? 0 : rig_below(&w.random, LANES), whole ? LANES : 1);
    }
    gpc_hierarchy_destroy(w.h);
    gpc_config_destroy(w.config);
    gpc_context_destroy(w.context);
}

Test(timed_coherent_lazy, loads_read_the_last_store) {
    static const char *const protocols[] = {"msi", "mesi", "mosi", "moesi"};
    static const char *const shapes[] = {
        "", "l2.size = 2KiB\nl2.ways = 2\nl2.slices = 1\nl2.fetch_sectors = 2\n", "cluster.sms = 2\n",
        "l2.sectors = 1\nl1.fetch_sectors = 2\nl2.size = 256B\nl2.ways = 2\nl2.slices = 1\n"};
    for (unsigned p = 0; p < sizeof protocols / sizeof *protocols; p++)
        for (unsigned s = 0; s < 2 * sizeof shapes / sizeof *shapes; s++)
            run(protocols[p], shapes[s / 2], s % 2);
}
