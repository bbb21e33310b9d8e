/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/copies.h"

#include <string.h>

static uint32_t *of_group(gpci_copy_groups *g, uint32_t number) {
    return &g->under_way[number % GPCI_COPY_GROUPS];
}

static uint32_t closed(const gpci_copy_groups *g) {
    return g->open - g->oldest;
}

/* Groups that are done are no longer under way, the oldest first. */
static void advance(gpci_copy_groups *g) {
    while (g->oldest != g->open && !*of_group(g, g->oldest))
        g->oldest++;
}

void gpci_copies_start(gpci_copy_groups *g) {
    if (g->used)
        memset(g, 0, sizeof *g);
}

uint64_t gpci_copies_place(const gpci_copy_groups *g) {
    return 1 + g->open % GPCI_COPY_GROUPS;
}

void gpci_copies_send(gpci_copy_groups *g) {
    g->used = true;
    ++*of_group(g, g->open);
}

void gpci_copies_done(gpci_copy_groups *g, uint64_t place) {
    g->under_way[place - 1]--;
    advance(g);
}

void gpci_copies_commit(gpci_timed_sm *m, gpci_copy_groups *g) {
    g->used = true;
    g->open++;
    advance(g);
    m->counts.copy_groups++;
}

static bool holds(const gpci_copy_groups *g, const gpci_form *next) {
    if (next->operands.copy == GPC_COPY_COMMIT)
        return closed(g) >= GPCI_COPY_GROUPS - 1;
    return closed(g) > next->instruction.width;
}

bool gpci_copies_hold(gpci_timed_sm *m, uint32_t slot, const gpci_form *next, uint64_t now) {
    gpci_copy_groups *g = &m->copies[slot];
    if (!next->instruction.mask)
        return false;
    const bool held = holds(g, next);
    if (held && !g->since) {
        g->since = now + 1;
        m->counts.copy_waits++;
    } else if (!held && g->since) {
        m->counts.copy_wait_cycles += now > g->since ? now - g->since : 0;
        g->since = 0;
    }
    return held;
}
