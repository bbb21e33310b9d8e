/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/blocks/copies.h"

#include "replay/blocks/mbarriers.h"
#include "replay/core/sm_tokens.h"

#include <string.h>

static uint32_t *of_group(gpci_copy_groups *g, uint32_t number) {
    return &g->under_way[number % GPCI_COPY_GROUPS];
}

static uint32_t closed(const gpci_copy_groups *g) {
    return g->open - g->oldest;
}

/* Advance `oldest` past completed groups. */
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

uint64_t gpci_bulk_place(gpci_timed_sm *m, uint32_t slot, const gpci_block_run *run, const gpc_instruction *i) {
    const uint32_t barrier = gpci_barrier_of(i);
    if (barrier == UINT32_MAX)
        return gpci_copies_place(&m->copies[slot]);
    const uint32_t at = gpci_mbarrier_place(m, run, barrier);
    return at == GPCI_MBARRIERS ? 0 : GPCI_COPY_GROUPS + 1 + at;
}

void gpci_bulk_send(gpci_timed_sm *m, uint32_t slot, uint64_t place) {
    if (place <= GPCI_COPY_GROUPS) {
        gpci_copies_send(&m->copies[slot]);
        return;
    }
    m->copies[slot].used = true;
    m->copies[slot].bulk++;
    gpci_mbarrier_send(m, (uint32_t)place - GPCI_COPY_GROUPS - 1);
}

_Static_assert(GPCI_COPY_GROUPS + GPCI_MBARRIERS <= GPCI_TOKEN_PLACES, "a token has any place");

void gpci_bulk_done(gpci_timed_replay *t, const gpc_completion *c, uint32_t place) {
    const gpci_timed_sm *m = &t->sms[c->sm];
    if (place <= GPCI_COPY_GROUPS) {
        gpci_copies_done(&m->copies[c->warp], place);
        return;
    }
    m->copies[c->warp].bulk--;
    gpci_mbarrier_copied(t, c->sm, place - GPCI_COPY_GROUPS - 1, m->warps[c->warp].run, gpci_token_bytes(c->token));
}

void gpci_multicast_done(gpci_timed_replay *t, const gpc_completion *c) {
    gpci_mbarrier_copied(t, c->sm, gpci_token_place(c->token) - GPCI_COPY_GROUPS - 1,
                         gpci_run_of_block(t, c->sm, gpci_token_number(c->token)), gpci_token_bytes(c->token));
}

gpc_status gpci_copies_issued(gpci_timed_replay *t, uint32_t number, uint32_t slot, const gpci_form *form,
                              uint64_t now) {
    gpci_timed_sm *m = &t->sms[number];
    gpci_block_run *run = m->warps[slot].run;
    const gpc_instruction *i = &form->instruction;
    bool told;
    switch (form->operands.copy) {
    case GPC_COPY_COMMIT:
        gpci_copies_commit(m, &m->copies[slot]);
        break;
    case GPC_COPY_BULK:
        gpci_mbarrier_outside(t, number, run, i, now);
        break;
    case GPC_COPY_BARRIER:
        gpci_mbarrier_holds(m, run, i, &told);
        m->counts.mbarrier_checks++;
        m->counts.mbarrier_untold += !told;
        break;
    case GPC_COPY_BARRIER_INIT:
        gpci_mbarrier_init(m, run, i);
        break;
    case GPC_COPY_BARRIER_ARRIVE:
        return gpci_mbarrier_arrive(t, number, run, i, now);
    }
    return GPC_OK;
}

static bool holds(const gpci_copy_groups *g, const gpci_form *next) {
    if (next->operands.copy == GPC_COPY_COMMIT)
        return closed(g) >= GPCI_COPY_GROUPS - 1;
    return closed(g) > next->instruction.width;
}

/* A wait ends. A warp that is let go before its next issue has not waited. */
static void count_wait(gpci_timed_sm *m, gpci_copy_groups *g, uint64_t now) {
    const uint64_t from = g->since - 1;
    m->counts.copy_waits += now > from;
    m->counts.copy_wait_cycles += now > from ? now - from : 0;
    g->since = 0;
}

bool gpci_copies_hold(gpci_timed_sm *m, uint32_t slot, const gpci_form *next, uint64_t now, uint64_t first) {
    gpci_copy_groups *g = &m->copies[slot];
    const uint8_t copy = next->operands.copy;
    bool told;
    if (!next->instruction.mask || copy == GPC_COPY_BULK || copy > GPC_COPY_BARRIER)
        return false;
    const bool held = copy == GPC_COPY_BARRIER ? gpci_mbarrier_holds(m, m->warps[slot].run, &next->instruction, &told)
                                               : holds(g, next);
    if (held && !g->since)
        g->since = first + 1;
    else if (!held && g->since)
        count_wait(m, g, now);
    return held;
}
