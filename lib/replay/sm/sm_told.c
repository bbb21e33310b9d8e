/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/blocks/copies.h"
#include "replay/core/sm_tokens.h"
#include "replay/sm/fetch.h"
#include "replay/sm/together.h"

/* Calls of the hierarchy to an SM: an access has completed, the memory pipeline has room, a load has looked up L1. */

void gpci_sm_complete(void *replay, const gpc_completion *completion) {
    gpci_timed_replay *timed_replay = replay;
    gpci_timed_sm *core = &timed_replay->sms[completion->sm];
    gpci_timed_warp *warp = &core->warps[completion->warp];
    const uint32_t place = gpci_token_place(completion->token);
    core->deeds->in_flight--;
    core->deeds->progress = completion->cycle;
    if (GPCI_UNLIKELY(completion->token >= GPCI_TOKEN_MULTICAST)) {
        (completion->token & GPCI_TOKEN_ICACHE ? gpci_icache_fill : gpci_multicast_done)(timed_replay, completion);
        return;
    }
    if (GPCI_UNLIKELY(timed_replay->at_once))
        gpci_together_done(timed_replay->replay, completion->sm,
                           completion->token & 1 && !place ? gpci_token_stream(completion->token) : warp->run->stream);
    if (completion->token & 1) {
        if (gpci_token_number(completion->token) != warp->starts)
            return; /* the warp of the access has ended, and the slot has another warp */
        if (GPCI_UNLIKELY(place != 0))
            gpci_bulk_done(timed_replay, completion, place);
        if (completion->fence)
            warp->held &= (uint8_t)~GPCI_HELD_FENCE;
        else
            warp->others--;
        if (GPCI_UNLIKELY(timed_replay->keeps_blocks) && !warp->run)
            gpci_warp_wrote(timed_replay, completion->sm, completion->warp, completion->cycle);
    } else {
        const gpci_operands *operands = &warp->end[-(ptrdiff_t)(completion->token >> 1)].form->operands;
        gpci_scoreboard_write(gpci_board_of(core, completion->warp), operands, completion->cycle, 0);
        warp->loads--;
    }
    if (warp->run && gpci_warp_state(core, warp) == GPC_STATE_WAITING) {
        core->answered[completion->warp / 64] |= gpci_warp_bit(completion->warp);
        core->any_answered = true;
        gpci_timed_wake(timed_replay->replay->hierarchy, completion->sm, completion->cycle);
    }
}

void gpci_sm_ready(void *replay, uint32_t sm) {
    gpci_timed_replay *timed_replay = replay;
    if (GPCI_UNLIKELY(timed_replay->icaches != NULL))
        timed_replay->sms[sm].any_answered |= gpci_icaches_ask(timed_replay, &timed_replay->sms[sm]);
    gpci_timed_wake(timed_replay->replay->hierarchy, sm, gpci_timed_now(timed_replay->replay->hierarchy));
}

void gpci_sm_cache_event(void *replay, uint32_t sm, const gpc_cache_event *event) {
    gpci_timed_replay *timed_replay = replay;
    bool changed = false;
    for (uint32_t n = 0; n < timed_replay->schedulers; n++)
        changed |= gpci_scheduler_cache_event(timed_replay->sms[sm].issuers[n].scheduler, event);
    if (changed) /* L1 is stepped before its SM, so the SM can still be stepped in this cycle */
        gpci_timed_wake(timed_replay->replay->hierarchy, sm, event->cycle);
}
