/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/warps.h"

#include <string.h>

void naive_open(naive_warps *w) {
    memset(w, 0, sizeof *w);
    w->youngest = 127; /* the first warp gets 128 */
}

/* The oldest active warp's number, or INT64_MAX. */
static int64_t oldest_of(const naive_warps *w) {
    int64_t oldest = INT64_MAX;
    for (uint32_t i = 0; i < NAIVE_SLOTS; i++)
        if (w->slot[i].state == NAIVE_ACTIVE && w->slot[i].number < oldest)
            oldest = w->slot[i].number;
    return oldest;
}

/* The newest number given out with equal low 8 bits. */
static int64_t newest_like(const naive_warps *w, int64_t number) {
    int64_t n = w->youngest;
    while (((n - number) % 256 + 256) % 256)
        n--;
    return n;
}

static void start(naive_warps *w, uint32_t slot) {
    w->slot[slot].state = NAIVE_UNKNOWN;
    int64_t oldest = oldest_of(w);
    if (oldest == INT64_MAX || w->youngest - oldest < 255)
        w->youngest++;
    w->slot[slot].state = NAIVE_ACTIVE;
    w->slot[slot].number = w->youngest;
}

void naive_use(naive_warps *w, uint32_t slot) {
    if (!w->told)
        return;
    if (w->slot[slot].state == NAIVE_UNKNOWN)
        start(w, slot);
    if (w->slot[slot].state == NAIVE_WAITING) {
        w->slot[slot].number = newest_like(w, w->slot[slot].number);
        w->slot[slot].state = NAIVE_ACTIVE;
    }
}

void naive_event(naive_warps *w, const gpc_warp_event *event) {
    uint32_t slot = event->warp;
    switch (event->kind) {
    case GPC_WARP_START:
        w->told = true;
        start(w, slot);
        break;
    case GPC_WARP_BARRIER:
        w->told = true;
        if (w->slot[slot].state == NAIVE_ACTIVE)
            w->slot[slot].state = NAIVE_WAITING;
        break;
    case GPC_WARP_EXIT:
        w->told = true;
        if (w->slot[slot].state != NAIVE_UNKNOWN)
            w->slot[slot].state = NAIVE_ENDED;
        break;
    default:
        for (uint32_t i = 0; i < NAIVE_SLOTS; i++)
            w->slot[i].state = NAIVE_UNKNOWN;
    }
}

int64_t naive_number(const naive_warps *w, uint32_t slot, uint32_t warp_age) {
    if (w->told)
        return w->slot[slot].number;
    return warp_age > 255 ? 255 : warp_age;
}

int naive_age(const naive_warps *w, int64_t number) {
    if (!w->told)
        return (int)number;
    int64_t oldest = oldest_of(w), like = newest_like(w, number);
    return oldest == INT64_MAX || like < oldest ? NAIVE_INACTIVE : (int)(like - oldest);
}

gpc_warp_event random_event(uint64_t *random, uint32_t slots, bool kernels) {
    gpc_warp_event event = {.warp = gpci_random_below(random, slots)};
    uint32_t kind = gpci_random_below(random, 8);
    event.kind = kind < 4 ? GPC_WARP_START : kind < 6 ? GPC_WARP_BARRIER : GPC_WARP_EXIT;
    if (kernels && gpci_random_below(random, 200) == 0) {
        event.kind = gpci_random_below(random, 2) ? GPC_KERNEL_START : GPC_KERNEL_END;
        event.warp = 0;
    }
    return event;
}

void tell(rig *r, gpc_warp_event_kind kind, uint32_t warp) {
    gpc_warp_event event = {.kind = kind, .warp = warp};
    r->ops->on_warp_event(r->self, &event);
}

void random_candidates(uint64_t *random, uint32_t ways, uint64_t *words) {
    unsigned rarity = gpci_random_below(random, 4);
    memset(words, 0, 16 * sizeof *words);
    uint32_t sure = gpci_random_below(random, ways);
    for (uint32_t way = 0; way < ways; way++)
        if (way == sure || gpci_random_below(random, rarity * rarity * 8 + 1) == 0)
            words[way / 64] |= (uint64_t)1 << (way % 64);
}

bool rig_is_full(const rig *r, uint32_t set) {
    for (uint32_t way = 0; way < r->env.ways; way++)
        if (r->lines[(size_t)set * r->env.ways + way] == RIG_FREE)
            return false;
    return true;
}

bool rig_is_resident(const rig *r, uint32_t set, uint64_t line) {
    for (uint32_t way = 0; way < r->env.ways; way++)
        if (r->lines[(size_t)set * r->env.ways + way] == line)
            return true;
    return false;
}
