/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/blocks/copies.h"
#include "replay/core/sm_tokens.h"
#include "replay/sm/fetch.h"
#include "replay/sm/together.h"

/*
 * Issue stage of an SM. In a step, warps whose time has come check if they can issue; then each scheduler chooses a
 * warp that can issue and has a free unit.
 *
 * A warp that could issue again in the next cycle stays ready. Other warps are in the calendar, wait for memory, or
 * wait at a barrier.
 *
 * Cost in host memory: an issued instruction touches 5 cache lines if nothing delays it: the scheduler's state and map,
 * its warp, its path step, the instruction with operands (both shared by many warps), and the scoreboard line (16
 * registers) of its result. In addition, once per step, two lines of the SM; and one or two more scoreboard lines while
 * results of the warp are outstanding. L1 accounts for the rest of an access. In bench-replay qv100 reuse-hit with 4
 * schedulers, a warp instruction takes 450 host instructions, including steps of SMs and second looks at stalled warps;
 * an access takes 950 more to reach L1's queue.
 */

/*
 * True if a fence must wait for its warp: always for loads; for writes only if the hierarchy does not execute the
 * fence.
 */
static GPCI_COLD bool waits_before_fence(const gpci_timed_replay *t, const gpci_timed_warp *w,
                                         const gpc_instruction *i) {
    gpc_fence ignored;
    return w->loads || (w->others && !gpci_replay_fence(t->r, w->run, i, 0, 0, &ignored));
}

/* `first`: first cycle in which the warp could issue. */
static bool waits_for_accesses(const gpci_timed_replay *t, gpci_timed_sm *m, uint32_t slot, uint64_t now,
                               uint64_t first) {
    const gpci_timed_warp *w = &m->warps[slot];
    const gpci_form *form = w->next->form;
    const gpc_instruction *i = &form->instruction;
    if (GPCI_UNLIKELY(w->held))
        return true;
    /* The last instruction frees the warp's registers, so no load to them may be in flight. */
    if (w->next + 1 == w->end && (w->loads || gpci_copies_any(&m->copies[slot])))
        return true;
    if (GPCI_UNLIKELY(form->operands.copy > GPC_COPY_ASYNC) && gpci_copies_hold(m, slot, form, now, first))
        return true;
    return i->op_class == GPC_OP_FENCE && i->mask && waits_before_fence(t, w, i);
}

/* Unit of a fence: the memory pipeline if the hierarchy executes it. */
static GPCI_COLD uint8_t unit_of_fence(const gpci_timed_replay *t, const gpci_timed_warp *w, const gpc_instruction *i) {
    gpc_fence ignored;
    return gpci_replay_fence(t->r, w->run, i, 0, 0, &ignored) ? GPCI_UNIT_MEMORY : GPCI_UNIT_NONE;
}

static void stall(const gpci_timed_replay *t, gpci_timed_sm *m, uint32_t slot, uint64_t now, uint64_t until) {
    uint64_t at = until - now < GPCI_CALENDAR ? until : now + GPCI_CALENDAR - 1;
    unsigned place = (unsigned)at % GPCI_CALENDAR;
    m->calendar[place * t->words + slot / 64] |= gpci_warp_bit(slot);
    m->calendar_used |= (uint64_t)1 << place;
}

/* List the warp by its unit. The warp stays listed until another unit is needed; mostly the unit repeats. */
static void list(const gpci_timed_replay *t, const gpci_timed_sm *m, gpci_timed_warp *w) {
    uint64_t *wanting = m->issuers[w->issuer].wanting + w->place / 64;
    if (w->listed)
        wanting[(w->listed - 1u) * t->scheduler_words] &= ~gpci_warp_bit(w->place);
    wanting[w->unit * t->scheduler_words] |= gpci_warp_bit(w->place);
    w->listed = (uint8_t)(w->unit + 1);
}

/* Make the warp ready. `later`: from the next cycle on. */
GPCI_INLINE void get_ready(const gpci_timed_replay *t, gpci_timed_sm *m, gpci_timed_warp *w, bool later) {
    const gpci_form *form = w->next->form;
    w->later = later;
    w->unit = t->ops[form->operands.use].unit;
    if (GPCI_UNLIKELY(form->operands.use == GPC_OP_FENCE))
        w->unit = unit_of_fence(t, w, &form->instruction);
    if (w->unit == GPCI_UNIT_MEMORY) {
        gpci_warp_set(m, w, GPC_STATE_READY_MEMORY);
        return;
    }
    m->issuers[w->issuer].wanted |= (uint16_t)(1u << w->unit);
    if (w->listed != w->unit + 1)
        list(t, m, w);
    gpci_warp_set(m, w, GPC_STATE_READY);
}

/*
 * Find the cycle at which a warp can issue. If all results are ready, or ready by a known near cycle, the scoreboard is
 * not needed. A stalled warp never asks the scoreboard again: a known cycle does not move back.
 */
GPCI_INLINE void look(const gpci_timed_replay *t, gpci_timed_sm *m, uint32_t slot, uint64_t now, uint64_t horizon) {
    gpci_timed_warp *w = &m->warps[slot];
    const gpci_operands *o = &w->next->form->operands;
    uint64_t at = 0;
    if (w->settled > now || w->loads)
        at = gpci_scoreboard_ready(gpci_board_of(m, slot), o);
    if (at == GPCI_NEVER || waits_for_accesses(t, m, slot, now, horizon)) {
        gpci_warp_set(m, w, GPC_STATE_WAITING);
        return;
    }
    at = at > w->not_before ? at : w->not_before;
    if (at > horizon) {
        w->not_before = at;
        gpci_warp_set(m, w, GPC_STATE_STALLED);
        stall(t, m, slot, now, at);
        return;
    }
    get_ready(t, m, w, at > now);
}

void gpci_sm_look(const gpci_timed_replay *t, gpci_timed_sm *m, uint32_t slot, uint64_t now, uint64_t horizon) {
    look(t, m, slot, now, horizon);
}

/* Stalled warps of a calendar place: ready, or stalled again for the rest of their wait. */
GPCI_INLINE void wake_stalled(const gpci_timed_replay *t, gpci_timed_sm *m, uint64_t *slots, uint64_t now) {
    for (uint32_t word = 0; word < t->words; word++) {
        uint64_t bits = slots[word];
        slots[word] = 0;
        for (; bits; bits &= bits - 1) {
            const uint32_t slot = word * 64 + gpci_lowest(bits);
            gpci_timed_warp *w = &m->warps[slot];
            if (GPCI_LIKELY(w->not_before <= now))
                get_ready(t, m, w, false);
            else
                stall(t, m, slot, now, w->not_before);
        }
    }
}

/* Look at warps with a memory reply. */
static void look_all(const gpci_timed_replay *t, gpci_timed_sm *m, uint64_t *slots, uint64_t now) {
    for (uint32_t word = 0; word < t->words; word++) {
        uint64_t bits = slots[word];
        slots[word] = 0;
        for (; bits; bits &= bits - 1)
            gpci_sm_look(t, m, word * 64 + gpci_lowest(bits), now, now);
    }
}

/* Cycles of a sum since an earlier look; the host may have reset the sum in between. */
static uint64_t since(uint64_t sum, uint64_t before) {
    return sum >= before ? sum - before : sum;
}

/*
 * Account for the cycles before `end`. L1 measures how long it waits for a line or an MSHR entry: the reason may change
 * without a step of the SM.
 */
static void account(const gpci_timed_replay *t, gpci_timed_sm *m, gpci_issuer *s, uint64_t end) {
    if (end <= s->since)
        return;
    m->counts.classes[s->class] += end - s->since;
    s->since = end;
    if (s->class == GPCI_CYCLE_MEMORY) {
        const gpci_l1_waits before = s->waits;
        s->waits = gpci_timed_l1_waits(t->r->hierarchy, (uint32_t)(m - t->sms), end);
        m->counts.line += since(s->waits.line, before.line);
        m->counts.mshr += since(s->waits.mshr, before.mshr);
    }
}

void gpci_sm_account(gpci_timed_replay *t, uint32_t sm, uint64_t end) {
    gpci_timed_sm *m = &t->sms[sm];
    for (uint32_t n = 0; n < t->schedulers; n++)
        account(t, m, &m->issuers[n], end);
    gpci_gauge_set(&m->warps_gauge, end, m->warps_gauge.level);
    gpci_gauge_set(&m->blocks_gauge, end, m->blocks_gauge.level);
    gpci_gauge_set(&m->bypassing_gauge, end, m->bypassing_gauge.level);
    gpci_gauge_set(&m->throttled_gauge, end, m->throttled_gauge.level);
    m->counts.warps += m->warps_gauge.sum;
    m->counts.active += m->blocks_gauge.sum;
    m->counts.bypassing += m->bypassing_gauge.sum;
    m->counts.throttled += m->throttled_gauge.sum;
    gpci_icaches_account(t, m, end);
    m->warps_gauge.sum = m->blocks_gauge.sum = 0;
    m->bypassing_gauge.sum = m->throttled_gauge.sum = 0;
}

/* Update the gauges of warps by class from a cycle on, if classes may have changed. */
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

/* Collect the warps with a free unit that can issue, as candidates of the scheduler. False: no candidate. */
GPCI_INLINE bool gather(const gpci_timed_sm *m, const gpci_issuer *s, uint64_t now, uint32_t words) {
    gpc_scheduler *scheduler = s->scheduler;
    const uint64_t take = m->refused ? 0 : ~(uint64_t)0;
    uint64_t any = 0;
    uint32_t busy = 0;
    for (uint32_t units = s->busy_until > now ? s->wanted : 0; units; units &= units - 1)
        busy |= s->free_at[gpci_lowest(units)] > now ? units & -units : 0;
    for (uint32_t word = 0; word < words; word++) {
        const gpci_warp_word *map = &scheduler->map[word];
        uint64_t ready = map->ready & map->eligible;
        for (uint32_t units = busy; units; units &= units - 1)
            ready &= ~s->wanting[gpci_lowest(units) * words + word];
        any |= scheduler->candidates[word] = ready | (map->ready_memory & map->eligible_memory & take);
    }
    return any != 0;
}

/* Check a choice made by a foreign table against the possible ones. */
static GPCI_NOINLINE bool is_possible(const gpci_timed_sm *m, const gpci_issuer *s, uint32_t place, uint32_t slot,
                                      uint64_t now) {
    if (!gpci_scheduler_possible(s->scheduler, place, !m->refused))
        return false;
    uint8_t unit = m->warps[slot].unit;
    return unit >= GPCI_UNIT_NONE || s->free_at[unit] <= now;
}

/* Slot chosen by scheduler `n`; GPC_NO_WARP: none. */
GPCI_INLINE gpc_status choose(const gpci_timed_replay *t, const gpci_timed_sm *m, uint32_t n, uint64_t now,
                              uint32_t words, uint32_t *out_slot) {
    gpci_issuer *s = &m->issuers[n];
    gpc_scheduler *scheduler = s->scheduler;
    *out_slot = GPC_NO_WARP;
    s->declined = false;
    if (!gather(m, s, now, words))
        return GPC_OK;
    uint32_t place = gpci_scheduler_ask(scheduler, now);
    if (place == GPC_NO_WARP) {
        s->declined = true;
        return GPC_OK;
    }
    uint32_t slot = place * t->schedulers + n;
    if (scheduler->kind == GPCI_SCHEDULER_TABLE && !is_possible(m, s, place, slot, now))
        return GPC_ERROR_CALLBACK;
    *out_slot = slot;
    return GPC_OK;
}

/* Apply an issued instruction: time of results, next free cycle of the unit, next cycle of the warp. */
GPCI_INLINE void take_effect(const gpci_timed_replay *t, gpci_timed_sm *m, gpci_issuer *s, uint32_t slot,
                             const gpci_operands *o, uint64_t now) {
    gpci_timed_warp *w = &m->warps[slot];
    const gpci_op *op = &t->ops[o->use];
    w->not_before = now + op->holds;
    if (!op->writes)
        return;
    if (o->writes) {
        uint32_t latency = op->latency;
        if (GPCI_UNLIKELY(t->latency_operand))
            latency += t->latency_operand * (uint32_t)(o->count - o->writes);
        uint64_t done = now + latency;
        w->settled = done > w->settled ? done : w->settled;
        gpci_scoreboard_write(gpci_board_of(m, slot), o, now, (uint16_t)latency);
    }
    if (GPCI_UNLIKELY(op->pooled))
        gpci_unit_take(t, m, (uint32_t)(s - m->issuers), op->unit, now + op->interval);
    else if (op->unit < GPCI_UNIT_NONE)
        gpci_unit_is_free_at(s, op->unit, now + op->interval);
}

static GPCI_COLD void count_cluster(gpci_timed_sm *m, const gpci_path_step *step) {
    m->counts.cluster_accesses++;
    m->counts.cluster_bytes += (uint64_t)gpci_path_lanes(step) * step->form->instruction.width;
}

/* Prefetch the warp's scoreboard (host memory). Affects only speed. */
GPCI_INLINE void expect_board(const gpci_timed_sm *m, uint32_t slot) {
    const uint32_t *entries = m->boards + gpci_scoreboard_place(slot);
    GPCI_PREFETCH(&m->epochs[slot]);
    for (uint32_t line = 0; line < GPCI_BOARD_ENTRIES; line += 16)
        GPCI_PREFETCH(entries + line);
}

/* Count an issued instruction, and stop if it is the last allowed. */
GPCI_INLINE void count_issued(gpci_timed_replay *t, gpci_timed_sm *m, const gpci_issuer *s, const gpci_timed_warp *w,
                              uint64_t pc, uint64_t now) {
    gpci_sm_deeds *deeds = m->deeds;
    if (GPCI_UNLIKELY(pc < deeds->first_pc))
        deeds->first_pc = pc;
    if (GPCI_UNLIKELY(pc > deeds->last_pc))
        deeds->last_pc = pc;
    deeds->progress = now;
    m->counts.instructions++;
    if (GPCI_UNLIKELY(t->classed))
        m->counts.by_bypassing += gpci_scheduler_class(s->scheduler, w->place) == GPC_CLASS_BYPASS;
    if (GPCI_UNLIKELY(!--deeds->left))
        t->stopped = true;
}

/* Issue the next instruction of a warp; GPC_BUSY: the memory pipeline rejects it. */
GPCI_INLINE gpc_status issue(gpci_timed_replay *t, gpci_timed_sm *m, uint32_t number, gpci_issuer *s, uint32_t slot,
                             uint64_t now) {
    expect_board(m, slot);
    gpci_timed_warp *w = &m->warps[slot];
    const gpci_path_step *step = w->next;
    const gpc_instruction *i = &step->form->instruction;
    const gpci_operands *o = &step->form->operands;
    if (w->unit == GPCI_UNIT_MEMORY) {
        gpc_status status = gpci_sm_send(t, number, slot, step);
        if (status != GPC_OK)
            return status;
    } else {
        gpci_sm_count(m, step);
        if (GPCI_UNLIKELY(o->use == GPCI_USE_CONSTANT))
            gpci_sm_pass_by(m, slot, step);
        if (GPCI_UNLIKELY(o->use == GPCI_USE_SPACE + GPC_SPACE_CLUSTER))
            count_cluster(m, step);
    }
    if (GPCI_UNLIKELY(o->copy > GPC_COPY_ASYNC) && i->mask) {
        const gpc_status status = gpci_copies_issued(t, number, slot, step->form, now);
        if (status != GPC_OK)
            return status;
    }
    gpci_scheduler_issued(s->scheduler, w->place, now);
    count_issued(t, m, s, w, i->pc, now);
    w->next++;
    take_effect(t, m, s, slot, o, now);
    if (GPCI_UNLIKELY(t->fetch) && w->next != w->end)
        gpci_fetch_issued(t, m, w, i, &w->next->form->instruction, now);
    if (GPCI_UNLIKELY(w->next == w->end))
        gpci_warp_end(t, number, slot, now);
    else if (GPCI_UNLIKELY(o->use == GPC_OP_BARRIER))
        gpci_warp_barrier(t, number, slot, now);
    else
        look(t, m, slot, now, now + 1);
    return GPC_OK;
}

/* Issue further instructions of the warp in the same cycle. */
static GPCI_NOINLINE gpc_status issue_more(gpci_timed_replay *t, uint32_t number, gpci_issuer *s, uint32_t slot,
                                           uint64_t now) {
    gpci_timed_sm *m = &t->sms[number];
    const gpci_timed_warp *w = &m->warps[slot];
    for (uint32_t n = 1; n < t->issue_width && w->run && !t->stopped; n++) {
        gpc_warp_state state = gpci_warp_state(m, w);
        bool memory = state == GPC_STATE_READY_MEMORY;
        if ((!memory && state != GPC_STATE_READY) || w->later || (memory && m->refused) ||
            (!memory && s->free_at[w->unit] > now) || !gpci_scheduler_possible(s->scheduler, w->place, true))
            return GPC_OK;
        gpc_status status = issue(t, m, number, s, slot, now);
        if (status != GPC_OK)
            return status;
    }
    return GPC_OK;
}

GPCI_INLINE gpc_status issue_cycle(gpci_timed_replay *t, gpci_timed_sm *m, uint32_t number, uint32_t n, uint64_t now,
                                   uint32_t words) {
    gpci_issuer *s = &m->issuers[n];
    account(t, m, s, now);
    while (!t->stopped) {
        uint32_t slot;
        gpc_status status = choose(t, m, n, now, words, &slot);
        if (status < 0 || slot == GPC_NO_WARP)
            return status;
        status = issue(t, m, number, s, slot, now);
        if (status == GPC_BUSY)
            continue; /* now without the memory pipeline, which is known to be busy */
        if (status < 0)
            return status;
        m->counts.classes[GPCI_CYCLE_ISSUED]++;
        s->since = now + 1;
        if (GPCI_LIKELY(t->issue_width == 1))
            return GPC_OK;
        status = issue_more(t, number, s, slot, now);
        return status == GPC_BUSY ? GPC_OK : status;
    }
    return GPC_OK;
}

/* Class of a scheduler's cycles from now on, until a change. */
GPCI_INLINE gpci_cycle_class class_of(const gpci_timed_sm *m, const gpci_issuer *s, bool ready, bool memory) {
    const gpc_scheduler *scheduler = s->scheduler;
    if (!scheduler->running)
        return GPCI_CYCLE_EMPTY;
    if (m->refused && memory)
        return GPCI_CYCLE_MEMORY;
    if (ready || memory)
        return s->declined ? GPCI_CYCLE_THROTTLED : GPCI_CYCLE_UNIT;
    if (gpci_scheduler_throttles(scheduler, true))
        return GPCI_CYCLE_THROTTLED;
    if (scheduler->counts[GPC_STATE_WAITING])
        return GPCI_CYCLE_LOAD;
    return scheduler->counts[GPC_STATE_STALLED] ? GPCI_CYCLE_LATENCY : GPCI_CYCLE_BARRIER;
}

/* Next cycle in which a scheduler may issue a ready warp that needs no memory. */
GPCI_INLINE uint64_t next_unit(gpci_issuer *s, bool ready_now, uint64_t now, uint32_t words) {
    const gpc_scheduler *scheduler = s->scheduler;
    uint64_t next = scheduler->again;
    if (s->busy_until <= now + 1) /* all units are free then */
        return ready_now || next <= now ? now + 1 : next;
    for (uint32_t units = s->wanted; units; units &= units - 1) {
        const uint32_t unit = gpci_lowest(units);
        uint64_t any = 0, eligible = 0;
        for (uint32_t word = 0; word < words; word++) {
            const uint64_t ready = s->wanting[unit * words + word] & scheduler->map[word].ready;
            any |= ready;
            eligible |= ready & scheduler->map[word].eligible;
        }
        s->wanted &= (uint16_t) ~(any ? 0 : 1u << unit);
        next = eligible && s->free_at[unit] < next ? s->free_at[unit] : next;
    }
    return next > now ? next : now + 1;
}

/* Plan a scheduler that took part in the step, or was stirred after its turn. */
GPCI_INLINE void settle(const gpci_timed_replay *t, gpci_timed_sm *m, uint32_t n, uint64_t now, uint32_t words) {
    gpci_issuer *s = &m->issuers[n];
    const gpc_scheduler *scheduler = s->scheduler;
    uint64_t ready = 0, memory = 0;
    account(t, m, s, now);
    for (uint32_t word = 0; word < words; word++) {
        ready |= scheduler->map[word].ready & scheduler->map[word].eligible;
        memory |= scheduler->map[word].ready_memory & scheduler->map[word].eligible_memory;
    }
    if (memory && m->refused)
        s->waits = gpci_timed_l1_waits(t->r->hierarchy, (uint32_t)(m - t->sms), s->since);
    if (s->since > now && ((memory && !m->refused) || (ready && s->busy_until <= now + 1))) {
        /* the warp issued and looks again in the next cycle: class_of is not needed */
        s->class = memory && m->refused ? GPCI_CYCLE_MEMORY : GPCI_CYCLE_UNIT;
        s->next = now + 1;
        return;
    }
    s->class = (uint8_t)class_of(m, s, ready != 0, memory != 0);
    s->next = now + 1;
    if (s->declined || (memory && !m->refused))
        return;
    s->next = next_unit(s, ready != 0, now, words);
    if (s->next == now + 1)
        return;
    m->stirred &= ~(1u << n);
    m->later = s->next < m->later ? s->next : m->later;
}

/* Sleep until the next event. */
GPCI_INLINE void plan(gpci_timed_replay *t, gpci_timed_sm *m, uint32_t number, uint64_t now, uint32_t words) {
    for (uint32_t stirred = m->stirred; stirred; stirred &= stirred - 1)
        settle(t, m, gpci_lowest(stirred), now, words);
    uint64_t next = m->stirred ? now + 1 : m->later;
    if (m->first_start && m->first_start->start < next)
        next = m->first_start->start;
    if (m->calendar_used && next > now + 1) {
        unsigned from = (unsigned)(now + 1) % GPCI_CALENDAR;
        uint64_t turned = m->calendar_used >> from | (from ? m->calendar_used << (GPCI_CALENDAR - from) : 0);
        uint64_t at = now + 1 + gpci_lowest(turned);
        next = at < next ? at : next;
    }
    if (next != GPCI_NEVER)
        gpci_timed_wake(t->r->hierarchy, number, next);
}

static void fail(gpci_timed_replay *t, uint32_t number, const gpci_issuer *s, gpc_status status) {
    t->stopped = true;
    t->status =
        gpci_fail(&t->error, status, "%s: SM %u, scheduler %u: %s", t->r->kernel.file, number,
                  (unsigned)(s - t->sms[number].issuers),
                  status == GPC_ERROR_CALLBACK ? "the policy chose a warp that cannot issue"
                  : status == GPC_ERROR_UNSUPPORTED
                      ? "a bulk copy, which trees of coherent modules and coherence.data do not know"
                  : status == GPC_ERROR_FORMAT ? GPCI_BEYOND_PROCESS
                  : status == GPC_ERROR_RANGE ? "a multicast copy for two thread blocks of a cluster that are on one SM"
                                              : gpc_status_string(status));
}

/* Stir schedulers that are due. */
static void stir_due(const gpci_timed_replay *t, gpci_timed_sm *m, uint64_t now) {
    m->later = GPCI_NEVER;
    for (uint32_t n = 0; n < t->schedulers; n++) {
        uint64_t next = m->issuers[n].next;
        if (next <= now)
            m->stirred |= 1u << n;
        else
            m->later = next < m->later ? next : m->later;
    }
}

/* Wake warps whose time has come or whose access completed, and check the memory pipeline. */
GPCI_INLINE void wake_up(gpci_timed_replay *t, uint32_t number, uint64_t now) {
    gpci_timed_sm *m = &t->sms[number];
    unsigned place = (unsigned)now % GPCI_CALENDAR;
    if (m->first_start && m->first_start->start <= now)
        gpci_sm_start_blocks(t, number, now);
    if (m->calendar_used >> place & 1) {
        m->calendar_used &= ~((uint64_t)1 << place);
        wake_stalled(t, m, m->calendar + place * t->words, now);
    }
    if (m->any_answered) {
        m->any_answered = false;
        if (GPCI_UNLIKELY(m->icache != NULL))
            gpci_icache_step(t, number, now);
        look_all(t, m, m->answered, now);
    }
    if (m->refused && gpci_timed_busy(t->r->hierarchy, number) == GPC_BUSY_NOT) {
        m->refused = false;
        m->stirred = t->all_schedulers;
    }
    if (t->watches)
        m->stirred = t->all_schedulers;
    if (m->later <= now)
        stir_due(t, m, now);
}

/*
 * A scheduler takes part in a step if it is stirred (an input changed) or if its `next` has come; other schedulers stay
 * untouched. Earlier schedulers of the step can stir it: by the last warp at a barrier, or by a rejected access. If it
 * is stirred after its turn, it takes part in the next step.
 */
GPCI_INLINE void step(gpci_timed_replay *t, uint32_t number, uint64_t now, uint32_t words) {
    gpci_timed_sm *m = &t->sms[number];
    for (uint32_t left = m->stirred; left;) {
        const uint32_t n = gpci_lowest(left);
        gpc_status status = issue_cycle(t, m, number, n, now, words);
        if (status < 0) {
            fail(t, number, &m->issuers[n], status);
            return;
        }
        left = m->stirred & ~((2u << n) - 1);
    }
    if (GPCI_UNLIKELY(t->classed)) /* a warp that ends now still belongs to this cycle */
        count_classes(t, m, now + 1);
    plan(t, m, number, now, words);
}

void gpci_sm_step(void *replay, uint32_t number) {
    gpci_timed_replay *t = replay;
    gpci_timed_sm *m = &t->sms[number];
    uint64_t now = gpci_timed_now(t->r->hierarchy);
    if (t->stopped)
        return;
    for (uint32_t n = 0; n < t->schedulers && t->throttled; n++)
        gpci_scheduler_clock(m->issuers[n].scheduler, now);
    wake_up(t, number, now);
    if (GPCI_UNLIKELY(t->classed))
        count_classes(t, m, now);
    if (GPCI_LIKELY(t->scheduler_words == 1))
        step(t, number, now, 1);
    else
        step(t, number, now, t->scheduler_words);
    if (GPCI_UNLIKELY(m->ended != NULL) && !gpci_timed_is_ahead(t->r->hierarchy))
        gpci_sm_hand_over(t, number);
}

/*
 * True if the SM can run ahead of the clock. Not possible if a block may be placed, with an instruction limit, or if a
 * callback or sampling must see all SMs at the same cycle.
 */
bool gpci_sm_alone(void *replay, uint32_t number) {
    const gpci_timed_replay *t = replay;
    const gpc_replay *r = t->r;
    const gpci_timed_sm *m = &t->sms[number];
    return !t->stopped && m->live && !t->at_once && m->ended_at != gpci_timed_now(r->hierarchy) &&
           (r->ended || r->sms[number].residents >= r->room) && !t->limit_instructions && !r->sampling &&
           !r->on_progress && !t->icaches;
}

/* Hand over ended blocks; their room is free from now on. */
void gpci_sm_hand_over(void *replay, uint32_t number) {
    const gpci_timed_replay *t = replay;
    gpci_timed_sm *m = &t->sms[number];
    gpci_block_run *first = m->ended;
    if (!m->ended)
        return;
    while (first->queued)
        first = first->queued;
    first->queued = m->deeds->ended;
    m->deeds->ended = m->ended;
    m->ended = NULL;
}
