/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/timed_replay.h"

/*
 * The issue stage of an SM. In a step, warps whose time has come look whether they can
 * issue, then each scheduler chooses one that can and whose unit is free.
 *
 * A warp that issues and could issue again in the next cycle stays ready; the others
 * are in the calendar, wait for memory, or for a barrier.
 */

/* A fence waits for its warp's loads; for writes, the hierarchy does, or where it does not, the warp. */
static GPCI_COLD bool waits_before_fence(const gpci_timed_replay *t, const gpci_timed_warp *w,
                                         const gpc_instruction *i) {
    gpc_fence ignored;
    return w->loads || (w->others && !gpci_replay_fence(t->r, i, 0, 0, &ignored));
}

static bool waits_for_accesses(const gpci_timed_replay *t, const gpci_timed_warp *w, const gpc_instruction *i) {
    if (GPCI_UNLIKELY(w->fenced))
        return true;
    /* With its last instruction a warp gives up its registers, and so no load may be on its way to them. */
    if (w->next + 1 == w->end && w->loads)
        return true;
    return i->op_class == GPC_OP_FENCE && i->mask && waits_before_fence(t, w, i);
}

/* The unit of a fence: the memory pipeline, where the hierarchy carries it out. */
static GPCI_COLD uint8_t unit_of_fence(const gpci_timed_replay *t, const gpc_instruction *i) {
    gpc_fence ignored;
    return gpci_replay_fence(t->r, i, 0, 0, &ignored) ? GPCI_UNIT_MEMORY : GPCI_UNIT_NONE;
}

static void stall(const gpci_timed_replay *t, gpci_timed_sm *m, uint32_t slot, uint64_t now, uint64_t until) {
    uint64_t at = until - now < GPCI_CALENDAR ? until : now + GPCI_CALENDAR - 1;
    unsigned place = (unsigned)at % GPCI_CALENDAR;
    m->calendar[place * t->words + slot / 64] |= gpci_warp_bit(slot);
    m->calendar_used |= (uint64_t)1 << place;
}

void gpci_sm_look(const gpci_timed_replay *t, gpci_timed_sm *m, uint32_t slot, uint64_t now, uint64_t horizon) {
    gpci_timed_warp *w = &m->warps[slot];
    const gpc_instruction *i = *w->next;
    uint64_t at = gpci_scoreboard_ready(gpci_board_of(m, slot), i);
    if (at == GPCI_NEVER || waits_for_accesses(t, w, i)) {
        gpci_warp_set(m, w, GPC_STATE_WAITING);
        return;
    }
    w->ready_at = at = at > w->not_before ? at : w->not_before;
    if (at > horizon) {
        gpci_warp_set(m, w, GPC_STATE_STALLED);
        stall(t, m, slot, now, at);
        return;
    }
    w->unit = i->mask ? gpci_op_of(t, i)->unit : GPCI_UNIT_NONE;
    if (GPCI_UNLIKELY(i->op_class == GPC_OP_FENCE))
        w->unit = unit_of_fence(t, i);
    if (w->unit == GPCI_UNIT_MEMORY) {
        gpci_warp_set(m, w, GPC_STATE_READY_MEMORY);
        return;
    }
    m->issuers[w->issuer].wanting[w->unit * t->scheduler_words + w->place / 64] |= gpci_warp_bit(w->place);
    gpci_warp_set(m, w, GPC_STATE_READY);
}

/* Warps whose time has come, and those that memory has answered. */
static void look_all(const gpci_timed_replay *t, gpci_timed_sm *m, uint64_t *slots, uint64_t now) {
    for (uint32_t word = 0; word < t->words; word++) {
        uint64_t bits = slots[word];
        slots[word] = 0;
        for (; bits; bits &= bits - 1)
            gpci_sm_look(t, m, word * 64 + gpci_lowest(bits), now, now);
    }
}

static void account(gpci_timed_sm *m, gpci_issuer *s, uint64_t end) {
    if (end <= s->since)
        return;
    uint64_t cycles = end - s->since;
    s->since = end;
    m->counts.classes[s->class] += cycles;
    if (s->class == GPCI_CYCLE_MEMORY) {
        m->counts.line += s->busy == GPC_BUSY_LINE ? cycles : 0;
        m->counts.mshr += s->busy == GPC_BUSY_MSHR || s->busy == GPC_BUSY_MERGE ? cycles : 0;
    }
}

void gpci_sm_account(gpci_timed_replay *t, uint32_t sm, uint64_t end) {
    gpci_timed_sm *m = &t->sms[sm];
    for (uint32_t n = 0; n < t->schedulers; n++)
        account(m, &m->issuers[n], end);
    gpci_gauge_set(&m->warps_gauge, end, m->warps_gauge.level);
    gpci_gauge_set(&m->blocks_gauge, end, m->blocks_gauge.level);
    gpci_gauge_set(&m->bypassing_gauge, end, m->bypassing_gauge.level);
    gpci_gauge_set(&m->throttled_gauge, end, m->throttled_gauge.level);
    m->counts.warps += m->warps_gauge.sum;
    m->counts.active += m->blocks_gauge.sum;
    m->counts.bypassing += m->bypassing_gauge.sum;
    m->counts.throttled += m->throttled_gauge.sum;
    m->warps_gauge.sum = m->blocks_gauge.sum = 0;
    m->bypassing_gauge.sum = m->throttled_gauge.sum = 0;
}

/* Gauges of warps by class from a cycle on, where they may have changed. */
static void count_classes(const gpci_timed_replay *t, gpci_timed_sm *m, uint64_t from) {
    if (m->admissions == m->admissions_counted && !t->policy_classes)
        return;
    m->admissions_counted = m->admissions;
    uint32_t counts[GPC_CLASS_COUNT] = {0};
    for (uint32_t n = 0; n < t->schedulers; n++)
        gpci_scheduler_count_classes(m->issuers[n].scheduler, counts);
    gpci_gauge_set(&m->bypassing_gauge, from, counts[GPC_CLASS_BYPASS]);
    gpci_gauge_set(&m->throttled_gauge, from, counts[GPC_CLASS_THROTTLED]);
}

/* Of the warps that could issue, those whose unit is busy cannot. */
static bool leave_busy_units(const gpci_timed_replay *t, const gpci_issuer *s, uint64_t now) {
    gpc_scheduler *scheduler = s->scheduler;
    uint64_t any = 0;
    for (uint32_t word = 0; word < t->scheduler_words; word++) {
        uint64_t busy = 0;
        for (uint32_t unit = 0; unit < GPCI_UNIT_NONE; unit++)
            busy |= s->free_at[unit] > now ? s->wanting[unit * t->scheduler_words + word] : 0;
        any |= scheduler->candidates[word] &= ~busy;
    }
    return any != 0;
}

/* The scheduler's choice; GPC_NO_WARP. */
static gpc_status choose(const gpci_timed_replay *t, const gpci_timed_sm *m, gpci_issuer *s, uint64_t now,
                         uint32_t *out_slot) {
    gpc_scheduler *scheduler = s->scheduler;
    *out_slot = GPC_NO_WARP;
    s->declined = false;
    if (!gpci_scheduler_gather(scheduler, !m->refused) || !leave_busy_units(t, s, now))
        return GPC_OK;
    uint32_t place = gpci_scheduler_ask(scheduler, now);
    if (place == GPC_NO_WARP) {
        s->declined = true;
        return GPC_OK;
    }
    if (scheduler->kind == GPCI_SCHEDULER_TABLE && !gpci_scheduler_possible(scheduler, place, !m->refused))
        return GPC_ERROR_CALLBACK;
    uint32_t slot = place * t->schedulers + (uint32_t)(s - m->issuers);
    uint8_t unit = m->warps[slot].unit;
    if (unit < GPCI_UNIT_NONE && s->free_at[unit] > now)
        return GPC_ERROR_CALLBACK;
    *out_slot = slot;
    return GPC_OK;
}

/* Further instructions of the same warp, in the same cycle. */
static gpc_status issue_more(gpci_timed_replay *t, uint32_t number, gpci_issuer *s, uint32_t slot, uint64_t now) {
    gpci_timed_sm *m = &t->sms[number];
    const gpci_timed_warp *w = &m->warps[slot];
    for (uint32_t n = 1; n < t->issue_width && w->run && !t->stopped; n++) {
        gpc_warp_state state = gpci_warp_state(m, w);
        bool memory = state == GPC_STATE_READY_MEMORY;
        if ((!memory && state != GPC_STATE_READY) || w->ready_at > now || (memory && m->refused) ||
            (!memory && s->free_at[w->unit] > now) || !gpci_scheduler_possible(s->scheduler, w->place, true))
            return GPC_OK;
        gpc_status status = gpci_sm_issue(t, number, slot, now);
        if (status != GPC_OK)
            return status;
    }
    return GPC_OK;
}

static gpc_status issue_cycle(gpci_timed_replay *t, uint32_t number, gpci_issuer *s, uint64_t now) {
    gpci_timed_sm *m = &t->sms[number];
    account(m, s, now);
    while (!t->stopped) {
        uint32_t slot;
        gpc_status status = choose(t, m, s, now, &slot);
        if (status < 0 || slot == GPC_NO_WARP)
            return status;
        status = gpci_sm_issue(t, number, slot, now);
        if (status == GPC_BUSY)
            continue; /* without the memory pipeline, which is known to be busy now */
        if (status < 0)
            return status;
        m->counts.classes[GPCI_CYCLE_ISSUED]++;
        s->since = now + 1;
        status = issue_more(t, number, s, slot, now);
        return status == GPC_BUSY ? GPC_OK : status;
    }
    return GPC_OK;
}

static bool any_eligible(const gpc_scheduler *s, bool memory) {
    uint64_t any = 0;
    for (uint32_t word = 0; word < s->words; word++)
        any |= memory ? s->map[word].ready_memory & s->map[word].eligible_memory
                      : s->map[word].ready & s->map[word].eligible;
    return any != 0;
}

/* What a scheduler's cycles are from now on, until something changes. */
static void classify(const gpci_timed_sm *m, gpci_issuer *s) {
    const gpc_scheduler *scheduler = s->scheduler;
    s->busy = m->busy;
    if (!scheduler->running)
        s->class = GPCI_CYCLE_EMPTY;
    else if (m->refused && any_eligible(scheduler, true))
        s->class = GPCI_CYCLE_MEMORY;
    else if (any_eligible(scheduler, false) || any_eligible(scheduler, true))
        s->class = s->declined ? GPCI_CYCLE_THROTTLED : GPCI_CYCLE_UNIT;
    else if (gpci_scheduler_throttles(scheduler, true))
        s->class = GPCI_CYCLE_THROTTLED;
    else if (scheduler->counts[GPC_STATE_WAITING])
        s->class = GPCI_CYCLE_LOAD;
    else if (scheduler->counts[GPC_STATE_STALLED])
        s->class = GPCI_CYCLE_LATENCY;
    else
        s->class = GPCI_CYCLE_BARRIER;
}

/* The next cycle in which a scheduler may issue one of its ready warps. */
static uint64_t next_issue(const gpci_timed_replay *t, const gpci_timed_sm *m, const gpci_issuer *s, uint64_t now) {
    const gpc_scheduler *scheduler = s->scheduler;
    if (s->declined || (!m->refused && any_eligible(scheduler, true)))
        return now + 1;
    uint64_t next = scheduler->again;
    for (uint32_t unit = 0; unit < GPCI_TIMED_UNITS; unit++) {
        uint64_t wanted = 0;
        for (uint32_t word = 0; word < t->scheduler_words; word++)
            wanted |= s->wanting[unit * t->scheduler_words + word] & scheduler->map[word].eligible;
        if (wanted && s->free_at[unit] < next)
            next = s->free_at[unit];
    }
    return next > now ? next : now + 1;
}

/* Sleep until something is due. */
static void plan(gpci_timed_replay *t, uint32_t number, uint64_t now) {
    gpci_timed_sm *m = &t->sms[number];
    uint64_t next = m->first_start ? m->first_start->start : GPCI_NEVER;
    if (m->calendar_used) {
        unsigned from = (unsigned)(now + 1) % GPCI_CALENDAR;
        uint64_t turned = m->calendar_used >> from | (from ? m->calendar_used << (GPCI_CALENDAR - from) : 0);
        uint64_t at = now + 1 + gpci_lowest(turned);
        next = at < next ? at : next;
    }
    for (uint32_t n = 0; n < t->schedulers; n++) {
        classify(m, &m->issuers[n]);
        uint64_t at = next_issue(t, m, &m->issuers[n], now);
        next = at < next ? at : next;
    }
    if (next != GPCI_NEVER)
        gpci_timed_wake(t->r->hierarchy, number, next);
}

static void fail(gpci_timed_replay *t, uint32_t number, const gpci_issuer *s, gpc_status status) {
    t->stopped = true;
    t->status = gpci_fail(&t->error, status, "%s: SM %u, scheduler %u: %s", t->r->kernel.file, number,
                          (unsigned)(s - t->sms[number].issuers),
                          status == GPC_ERROR_CALLBACK ? "the policy chose a warp that cannot issue"
                                                       : gpc_status_string(status));
}

void gpci_sm_step(void *replay, uint32_t number) {
    gpci_timed_replay *t = replay;
    gpci_timed_sm *m = &t->sms[number];
    uint64_t now = gpci_timed_now(t->r->hierarchy);
    if (t->stopped)
        return;
    for (uint32_t n = 0; n < t->schedulers && t->throttled; n++)
        gpci_scheduler_clock(m->issuers[n].scheduler, now);
    gpci_sm_start_blocks(t, number, now);
    unsigned place = (unsigned)now % GPCI_CALENDAR;
    if (m->calendar_used >> place & 1) {
        m->calendar_used &= ~((uint64_t)1 << place);
        look_all(t, m, m->calendar + place * t->words, now);
    }
    if (m->any_answered) {
        m->any_answered = false;
        look_all(t, m, m->answered, now);
    }
    if (m->refused) {
        m->busy = (uint8_t)gpci_timed_busy(t->r->hierarchy, number);
        m->refused = m->busy != GPC_BUSY_NOT;
    }
    if (t->classed)
        count_classes(t, m, now);
    for (uint32_t n = 0; n < t->schedulers; n++) {
        gpc_status status = issue_cycle(t, number, &m->issuers[n], now);
        if (status < 0) {
            fail(t, number, &m->issuers[n], status);
            return;
        }
    }
    if (t->classed) /* a warp that ends belongs to this cycle still */
        count_classes(t, m, now + 1);
    plan(t, number, now);
}

void gpci_sm_complete(void *replay, const gpc_completion *completion) {
    gpci_timed_replay *t = replay;
    gpci_timed_sm *m = &t->sms[completion->sm];
    gpci_timed_warp *w = &m->warps[completion->warp];
    m->deeds->in_flight--;
    m->deeds->progress = completion->cycle;
    if (completion->token & 1) {
        if (completion->token >> 1 != w->starts)
            return; /* of a warp that has ended */
        if (completion->fence)
            w->fenced = false;
        else
            w->others--;
    } else {
        const gpc_instruction *i = (const gpc_instruction *)(uintptr_t)completion->token;
        gpci_scoreboard_write(gpci_board_of(m, completion->warp), i, completion->cycle);
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
    gpci_timed_wake(t->r->hierarchy, sm, gpci_timed_now(t->r->hierarchy));
}

void gpci_sm_cache_event(void *replay, uint32_t sm, const gpc_cache_event *event) {
    gpci_timed_replay *t = replay;
    bool changed = false;
    for (uint32_t n = 0; n < t->schedulers; n++)
        changed |= gpci_scheduler_cache_event(t->sms[sm].issuers[n].scheduler, event);
    if (changed) /* L1 is stepped before its SM: warps that may now issue do so in this cycle */
        gpci_timed_wake(t->r->hierarchy, sm, event->cycle);
}
