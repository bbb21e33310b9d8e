/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/blocks/copies.h"
#include "replay/core/sm_tokens.h"
#include "replay/sm/fetch.h"
#include "replay/sm/together.h"

/* Notifications from the hierarchy to an SM: completed access, free queue, L1 lookup result. */

void gpci_sm_complete(void *replay, const gpc_completion *completion) {
    gpci_timed_replay *t = replay;
    gpci_timed_sm *m = &t->sms[completion->sm];
    gpci_timed_warp *w = &m->warps[completion->warp];
    const uint32_t place = gpci_token_place(completion->token);
    m->deeds->in_flight--;
    m->deeds->progress = completion->cycle;
    if (GPCI_UNLIKELY(completion->token >= GPCI_TOKEN_MULTICAST)) {
        (completion->token & GPCI_TOKEN_ICACHE ? gpci_icache_fill : gpci_multicast_done)(t, completion);
        return;
    }
    if (GPCI_UNLIKELY(t->at_once))
        gpci_together_done(t->r, completion->sm,
                           completion->token & 1 && !place ? gpci_token_stream(completion->token) : w->run->stream);
    if (completion->token & 1) {
        if (gpci_token_number(completion->token) != w->starts)
            return; /* the warp has ended */
        if (GPCI_UNLIKELY(place != 0))
            gpci_bulk_done(t, completion, place);
        if (completion->fence)
            w->held &= (uint8_t)~GPCI_HELD_FENCE;
        else
            w->others--;
        if (GPCI_UNLIKELY(t->keeps_blocks) && !w->run)
            gpci_warp_wrote(t, completion->sm, completion->warp, completion->cycle);
    } else {
        const gpci_operands *o = &w->end[-(ptrdiff_t)(completion->token >> 1)].form->operands;
        gpci_scoreboard_write(gpci_board_of(m, completion->warp), o, completion->cycle, 0);
        w->loads--;
    }
    if (w->run && gpci_warp_state(m, w) == GPC_STATE_WAITING) {
        m->answered[completion->warp / 64] |= gpci_warp_bit(completion->warp);
        m->any_answered = true;
        gpci_timed_wake(t->r->hierarchy, completion->sm, completion->cycle);
    }
}

void gpci_sm_ready(void *replay, uint32_t sm) {
    gpci_timed_replay *t = replay;
    if (GPCI_UNLIKELY(t->icaches != NULL))
        t->sms[sm].any_answered |= gpci_icaches_ask(t, &t->sms[sm]);
    gpci_timed_wake(t->r->hierarchy, sm, gpci_timed_now(t->r->hierarchy));
}

void gpci_sm_cache_event(void *replay, uint32_t sm, const gpc_cache_event *event) {
    gpci_timed_replay *t = replay;
    bool changed = false;
    for (uint32_t n = 0; n < t->schedulers; n++)
        changed |= gpci_scheduler_cache_event(t->sms[sm].issuers[n].scheduler, event);
    if (changed) /* L1 is stepped before its SM: a warp that may now issue does so in this cycle */
        gpci_timed_wake(t->r->hierarchy, sm, event->cycle);
}
