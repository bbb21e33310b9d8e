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

static uint32_t key_of(const gpci_block_run *run, uint32_t barrier) {
    return run->slot << 16 | barrier;
}

/* Where an SM counts a barrier's copies, or may; GPCI_COPY_BARRIERS: nowhere. */
static uint32_t find(const gpci_timed_sm *m, uint32_t key, bool add) {
    uint32_t free = GPCI_COPY_BARRIERS;
    for (uint32_t n = 0; n < GPCI_COPY_BARRIERS; n++) {
        if (m->barriers[n].pending && m->barriers[n].key == key)
            return n;
        free = !m->barriers[n].pending && free == GPCI_COPY_BARRIERS ? n : free;
    }
    return add ? free : GPCI_COPY_BARRIERS;
}

uint64_t gpci_bulk_place(gpci_timed_sm *m, uint32_t slot, const gpci_block_run *run, const gpc_instruction *i) {
    const uint32_t barrier = gpci_barrier_of(i);
    if (barrier == UINT32_MAX)
        return gpci_copies_place(&m->copies[slot]);
    const uint32_t at = find(m, key_of(run, barrier), true);
    if (at == GPCI_COPY_BARRIERS)
        return 0;
    m->barriers[at].key = key_of(run, barrier);
    return GPCI_COPY_GROUPS + 1 + at;
}

void gpci_bulk_send(gpci_timed_sm *m, uint32_t slot, uint64_t place) {
    if (place <= GPCI_COPY_GROUPS) {
        gpci_copies_send(&m->copies[slot]);
        return;
    }
    m->copies[slot].used = true;
    m->copies[slot].bulk++;
    m->barriers[place - GPCI_COPY_GROUPS - 1].pending++;
}

void gpci_bulk_done(gpci_timed_sm *m, uint32_t slot, uint64_t place) {
    if (place <= GPCI_COPY_GROUPS) {
        gpci_copies_done(&m->copies[slot], place);
        return;
    }
    gpci_copy_barrier *b = &m->barriers[place - GPCI_COPY_GROUPS - 1];
    const gpci_block_run *run = m->warps[slot].run;
    m->copies[slot].bulk--;
    if (--b->pending)
        return;
    for (uint32_t w = 0; w < run->block->warp_count; w++) {
        const uint32_t other = run->first + w;
        if (m->warps[other].run == run && gpci_warp_state(m, &m->warps[other]) == GPC_STATE_WAITING)
            m->answered[other / 64] |= gpci_warp_bit(other);
    }
    m->any_answered = true;
}

static bool waits_at_barrier(const gpci_timed_sm *m, uint32_t slot, const gpci_form *next) {
    const uint32_t barrier = gpci_barrier_of(&next->instruction);
    return barrier != UINT32_MAX && find(m, key_of(m->warps[slot].run, barrier), false) != GPCI_COPY_BARRIERS;
}

static bool holds(const gpci_copy_groups *g, const gpci_form *next) {
    if (next->operands.copy == GPC_COPY_COMMIT)
        return closed(g) >= GPCI_COPY_GROUPS - 1;
    return closed(g) > next->instruction.width;
}

bool gpci_copies_hold(gpci_timed_sm *m, uint32_t slot, const gpci_form *next, uint64_t now) {
    gpci_copy_groups *g = &m->copies[slot];
    if (!next->instruction.mask || next->operands.copy == GPC_COPY_BULK)
        return false;
    const bool held = next->operands.copy == GPC_COPY_BARRIER ? waits_at_barrier(m, slot, next) : holds(g, next);
    if (held && !g->since) {
        g->since = now + 1;
        m->counts.copy_waits++;
    } else if (!held && g->since) {
        m->counts.copy_wait_cycles += now > g->since ? now - g->since : 0;
        g->since = 0;
    }
    return held;
}
