/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"
#include "replay/blocks/copies.h"
#include "replay/core/sm_tokens.h"
#include "replay/sm/fetch.h"
#include "replay/sm/together.h"

/*
 * Issue stage of an SM. In a step, warps with an event (a stall ends, memory replies) check if they can issue. Then
 * each scheduler chooses a warp that can issue and has a free unit.
 *
 * A warp that could issue again in the next cycle stays READY. Other warps are in the calendar, wait for memory, or
 * wait at a barrier.
 *
 * Cost of the simulation: an issued instruction touches 5 lines of the CPU's cache if nothing delays the instruction:
 * the scheduler's state and map, the warp, the path step, the instruction with operands (many warps share the step and
 * the instruction), and the scoreboard line (16 registers) of the result. A step touches two more lines of the SM.
 * While results of the warp are outstanding, one or two more scoreboard lines are touched. The rest of an access is the
 * work of L1. In bench-replay qv100 reuse-hit with 4 schedulers, the CPU executes 450 instructions for a warp
 * instruction, including steps of SMs and second checks of stalled warps; an access takes 950 more to reach L1's queue.
 */

/*
 * True if a fence must wait before it issues: for the warp's loads, and, if the hierarchy does not execute the fence,
 * also for the warp's writes.
 */
static GPCI_COLD bool waits_before_fence(const gpci_timed_replay *timed_replay, const gpci_timed_warp *warp,
                                         const gpc_instruction *instruction) {
    gpc_fence ignored;
    return warp->loads ||
           (warp->others && !gpci_replay_fence(timed_replay->replay, warp->run, instruction, 0, 0, &ignored));
}

/* True if the warp's next instruction waits for accesses in flight. `first`: cycle in which the warp could issue. */
static bool waits_for_accesses(const gpci_timed_replay *timed_replay, gpci_timed_sm *core, uint32_t slot, uint64_t now,
                               uint64_t first) {
    const gpci_timed_warp *warp = &core->warps[slot];
    const gpci_form *form = warp->next->form;
    const gpc_instruction *instruction = &form->instruction;
    if (GPCI_UNLIKELY(warp->held))
        return true;
    /* the last instruction frees the registers: no load to a register may be in flight */
    if (warp->next + 1 == warp->end && (warp->loads || gpci_copies_any(&core->copies[slot])))
        return true;
    if (GPCI_UNLIKELY(form->operands.copy > GPC_COPY_ASYNC) && gpci_copies_hold(core, slot, form, now, first))
        return true;
    return instruction->op_class == GPC_OP_FENCE && instruction->mask &&
           waits_before_fence(timed_replay, warp, instruction);
}

/* Unit of a fence: the memory pipeline, if the hierarchy executes the fence. */
static GPCI_COLD uint8_t unit_of_fence(const gpci_timed_replay *timed_replay, const gpci_timed_warp *warp,
                                       const gpc_instruction *instruction) {
    gpc_fence ignored;
    return gpci_replay_fence(timed_replay->replay, warp->run, instruction, 0, 0, &ignored) ? GPCI_UNIT_MEMORY
                                                                                           : GPCI_UNIT_NONE;
}

static void stall(const gpci_timed_replay *timed_replay, gpci_timed_sm *core, uint32_t slot, uint64_t now,
                  uint64_t until) {
    uint64_t at = until - now < GPCI_CALENDAR ? until : now + GPCI_CALENDAR - 1;
    unsigned place = (unsigned)at % GPCI_CALENDAR;
    core->calendar[place * timed_replay->words + slot / 64] |= gpci_warp_bit(slot);
    core->calendar_used |= (uint64_t)1 << place;
}

/* Put the warp into the bit map of its unit (wanting). The warp stays there until it needs another unit. */
static void list(const gpci_timed_replay *timed_replay, const gpci_timed_sm *core, gpci_timed_warp *warp) {
    uint64_t *wanting = core->issuers[warp->issuer].wanting + warp->place / 64;
    if (warp->listed)
        wanting[(warp->listed - 1u) * timed_replay->scheduler_words] &= ~gpci_warp_bit(warp->place);
    wanting[warp->unit * timed_replay->scheduler_words] |= gpci_warp_bit(warp->place);
    warp->listed = (uint8_t)(warp->unit + 1);
}

/* Make the warp READY. `later`: from the next cycle on. */
GPCI_INLINE void get_ready(const gpci_timed_replay *timed_replay, gpci_timed_sm *core, gpci_timed_warp *warp,
                           bool later) {
    const gpci_form *form = warp->next->form;
    warp->later = later;
    warp->unit = timed_replay->ops[form->operands.use].unit;
    if (GPCI_UNLIKELY(form->operands.use == GPC_OP_FENCE))
        warp->unit = unit_of_fence(timed_replay, warp, &form->instruction);
    if (warp->unit == GPCI_UNIT_MEMORY) {
        gpci_warp_set(core, warp, GPC_STATE_READY_MEMORY);
        return;
    }
    core->issuers[warp->issuer].wanted |= (uint16_t)(1u << warp->unit);
    if (warp->listed != warp->unit + 1)
        list(timed_replay, core, warp);
    gpci_warp_set(core, warp, GPC_STATE_READY);
}

/*
 * Find the cycle at which a warp can issue, and set its state. If all results of the warp are ready (`settled`) and no
 * load is in flight, the scoreboard is not read. For a stalled warp the scoreboard is not read again: the cycle at
 * which a stall ends does not change.
 */
GPCI_INLINE void look(const gpci_timed_replay *timed_replay, gpci_timed_sm *core, uint32_t slot, uint64_t now,
                      uint64_t horizon) {
    gpci_timed_warp *warp = &core->warps[slot];
    const gpci_operands *operands = &warp->next->form->operands;
    uint64_t at = 0;
    if (warp->settled > now || warp->loads)
        at = gpci_scoreboard_ready(gpci_board_of(core, slot), operands);
    if (at == GPCI_NEVER || waits_for_accesses(timed_replay, core, slot, now, horizon)) {
        gpci_warp_set(core, warp, GPC_STATE_WAITING);
        return;
    }
    at = at > warp->not_before ? at : warp->not_before;
    if (at > horizon) {
        warp->not_before = at;
        gpci_warp_set(core, warp, GPC_STATE_STALLED);
        stall(timed_replay, core, slot, now, at);
        return;
    }
    get_ready(timed_replay, core, warp, at > now);
}

void gpci_sm_look(const gpci_timed_replay *timed_replay, gpci_timed_sm *core, uint32_t slot, uint64_t now,
                  uint64_t horizon) {
    look(timed_replay, core, slot, now, horizon);
}

/* Make the stalled warps of a calendar place READY. If a warp's stall is longer than the calendar, enter it again. */
GPCI_INLINE void wake_stalled(const gpci_timed_replay *timed_replay, gpci_timed_sm *core, uint64_t *slots,
                              uint64_t now) {
    for (uint32_t word = 0; word < timed_replay->words; word++) {
        uint64_t bits = slots[word];
        slots[word] = 0;
        for (; bits; bits &= bits - 1) {
            const uint32_t slot = word * 64 + gpci_lowest(bits);
            gpci_timed_warp *warp = &core->warps[slot];
            if (GPCI_LIKELY(warp->not_before <= now))
                get_ready(timed_replay, core, warp, false);
            else
                stall(timed_replay, core, slot, now, warp->not_before);
        }
    }
}

/* Let the warps in a bit map check if they can issue. */
static void look_all(const gpci_timed_replay *timed_replay, gpci_timed_sm *core, uint64_t *slots, uint64_t now) {
    for (uint32_t word = 0; word < timed_replay->words; word++) {
        uint64_t bits = slots[word];
        slots[word] = 0;
        for (; bits; bits &= bits - 1)
            gpci_sm_look(timed_replay, core, word * 64 + gpci_lowest(bits), now, now);
    }
}

/* Difference of a counter to its earlier value `before`. If the host has reset the counter, the present value. */
static uint64_t since(uint64_t sum, uint64_t before) {
    return sum >= before ? sum - before : sum;
}

/*
 * Count a scheduler's cycles before `end`, in the class issuer->class. L1 measures how long it waits for a line or for
 * an MSHR entry, because the reason may change without a step of the SM.
 */
static void account(const gpci_timed_replay *timed_replay, gpci_timed_sm *core, gpci_issuer *issuer, uint64_t end) {
    if (end <= issuer->since)
        return;
    core->counts.classes[issuer->class] += end - issuer->since;
    issuer->since = end;
    if (issuer->class == GPCI_CYCLE_MEMORY) {
        const gpci_l1_waits before = issuer->waits;
        issuer->waits = gpci_timed_l1_waits(timed_replay->replay->hierarchy, (uint32_t)(core - timed_replay->sms), end);
        core->counts.line += since(issuer->waits.line, before.line);
        core->counts.mshr += since(issuer->waits.mshr, before.mshr);
        GPCI_AGAIN(core->again.scheduler_line_stalls += since(issuer->waits.line, before.line));
        GPCI_AGAIN(core->again.scheduler_mshr_stalls += since(issuer->waits.mshr, before.mshr));
    }
}

void gpci_sm_account(gpci_timed_replay *timed_replay, uint32_t sm, uint64_t end) {
    gpci_timed_sm *core = &timed_replay->sms[sm];
    for (uint32_t n = 0; n < timed_replay->schedulers; n++)
        account(timed_replay, core, &core->issuers[n], end);
    gpci_gauge_set(&core->warps_gauge, end, core->warps_gauge.level);
    gpci_gauge_set(&core->blocks_gauge, end, core->blocks_gauge.level);
    gpci_gauge_set(&core->bypassing_gauge, end, core->bypassing_gauge.level);
    gpci_gauge_set(&core->throttled_gauge, end, core->throttled_gauge.level);
    core->counts.warps += core->warps_gauge.sum;
    core->counts.active += core->blocks_gauge.sum;
    core->counts.bypassing += core->bypassing_gauge.sum;
    core->counts.throttled += core->throttled_gauge.sum;
    gpci_icaches_account(timed_replay, core, end);
    core->warps_gauge.sum = core->blocks_gauge.sum = 0;
    core->bypassing_gauge.sum = core->throttled_gauge.sum = 0;
}

/* If classes of warps may have changed, update the numbers of bypassing and throttled warps, from cycle `from` on. */
static void count_classes(const gpci_timed_replay *timed_replay, gpci_timed_sm *core, uint64_t from) {
    if (core->admissions == core->admissions_counted && !timed_replay->policy_classes)
        return;
    core->admissions_counted = core->admissions;
    uint32_t counts[GPC_CLASS_COUNT] = {0};
    for (uint32_t n = 0; n < timed_replay->schedulers; n++)
        gpci_scheduler_count_classes(core->issuers[n].scheduler, counts);
    gpci_gauge_move(&core->bypassing_gauge, from, counts[GPC_CLASS_BYPASS]);
    gpci_gauge_move(&core->throttled_gauge, from, counts[GPC_CLASS_THROTTLED]);
}

/* Collect the warps that can issue and have a free unit, in scheduler->candidates. False: no candidate. */
GPCI_INLINE bool gather(const gpci_timed_sm *core, const gpci_issuer *issuer, uint64_t now, uint32_t words) {
    gpc_scheduler *scheduler = issuer->scheduler;
    const uint64_t take = core->refused ? 0 : ~(uint64_t)0;
    uint64_t any = 0;
    uint32_t busy = 0;
    for (uint32_t units = issuer->busy_until > now ? issuer->wanted : 0; units; units &= units - 1)
        busy |= issuer->free_at[gpci_lowest(units)] > now ? units & -units : 0;
    for (uint32_t word = 0; word < words; word++) {
        const gpci_warp_word *map = &scheduler->map[word];
        uint64_t ready = map->ready & map->eligible;
        for (uint32_t units = busy; units; units &= units - 1)
            ready &= ~issuer->wanting[gpci_lowest(units) * words + word];
        any |= scheduler->candidates[word] = ready | (map->ready_memory & map->eligible_memory & take);
    }
    return any != 0;
}

/* True if the warp chosen by the host's policy can issue. */
static GPCI_NOINLINE bool is_possible(const gpci_timed_sm *core, const gpci_issuer *issuer, uint32_t place,
                                      uint32_t slot, uint64_t now) {
    if (!gpci_scheduler_possible(issuer->scheduler, place, !core->refused))
        return false;
    uint8_t unit = core->warps[slot].unit;
    return unit >= GPCI_UNIT_NONE || issuer->free_at[unit] <= now;
}

/* Let scheduler `n` choose a warp. `out_slot` receives the warp's slot, or GPC_NO_WARP. */
GPCI_INLINE gpc_status choose(const gpci_timed_replay *timed_replay, const gpci_timed_sm *core, uint32_t n,
                              uint64_t now, uint32_t words, uint32_t *out_slot) {
    gpci_issuer *issuer = &core->issuers[n];
    gpc_scheduler *scheduler = issuer->scheduler;
    *out_slot = GPC_NO_WARP;
    issuer->declined = false;
    if (!gather(core, issuer, now, words))
        return GPC_OK;
    uint32_t place = gpci_scheduler_ask(scheduler, now);
    if (place == GPC_NO_WARP) {
        issuer->declined = true;
        return GPC_OK;
    }
    uint32_t slot = place * timed_replay->schedulers + n;
    if (scheduler->kind == GPCI_SCHEDULER_TABLE && !is_possible(core, issuer, place, slot, now))
        return GPC_ERROR_CALLBACK;
    *out_slot = slot;
    return GPC_OK;
}

/* Apply the timing of an issued instruction to the results, the unit and the warp. */
GPCI_INLINE void take_effect(const gpci_timed_replay *timed_replay, gpci_timed_sm *core, gpci_issuer *issuer,
                             uint32_t slot, const gpci_operands *operands, uint64_t now) {
    gpci_timed_warp *warp = &core->warps[slot];
    const gpci_op *op = &timed_replay->ops[operands->use];
    warp->not_before = now + op->holds;
    if (!op->writes)
        return;
    if (operands->writes) {
        uint32_t latency = op->latency;
        if (GPCI_UNLIKELY(timed_replay->latency_operand))
            latency += timed_replay->latency_operand * (uint32_t)(operands->count - operands->writes);
        uint64_t done = now + latency;
        warp->settled = done > warp->settled ? done : warp->settled;
        gpci_scoreboard_write(gpci_board_of(core, slot), operands, now, (uint16_t)latency);
    }
    if (GPCI_UNLIKELY(op->pooled))
        gpci_unit_take(timed_replay, core, (uint32_t)(issuer - core->issuers), op->unit, now + op->interval);
    else if (op->unit < GPCI_UNIT_NONE)
        gpci_unit_is_free_at(issuer, op->unit, now + op->interval);
}

static GPCI_COLD void count_cluster(gpci_timed_sm *core, const gpci_path_step *step) {
    core->counts.cluster_accesses++;
    core->counts.cluster_bytes += (uint64_t)gpci_path_lanes(step) * step->form->instruction.width;
}

#ifdef GPCI_CHECK
static void count_cluster_again(gpci_timed_sm *core, const gpci_operands *operands, const gpci_path_step *step) {
    const bool cluster = operands->use == GPCI_USE_SPACE + GPC_SPACE_CLUSTER;
    core->again.cluster_accesses += cluster;
    core->again.cluster_bytes += cluster ? (uint64_t)gpci_path_lanes(step) * step->form->instruction.width : 0;
}
#endif

/* Prefetch the warp's scoreboard into the CPU's cache. Affects only the simulator's speed. */
GPCI_INLINE void expect_board(const gpci_timed_sm *core, uint32_t slot) {
    const uint32_t *entries = core->boards + gpci_scoreboard_place(slot);
    GPCI_PREFETCH(&core->epochs[slot]);
    for (uint32_t line = 0; line < GPCI_BOARD_ENTRIES; line += 16)
        GPCI_PREFETCH(entries + line);
}

/* Count an issued instruction. If limit.instructions is reached, stop issue. */
GPCI_INLINE void count_issued(gpci_timed_replay *timed_replay, gpci_timed_sm *core, const gpci_issuer *issuer,
                              const gpci_timed_warp *warp, uint64_t pc, uint64_t now) {
    gpci_sm_deeds *deeds = core->deeds;
    if (GPCI_UNLIKELY(pc < deeds->first_pc))
        deeds->first_pc = pc;
    if (GPCI_UNLIKELY(pc > deeds->last_pc))
        deeds->last_pc = pc;
    deeds->progress = now;
    core->counts.instructions++;
    if (GPCI_UNLIKELY(timed_replay->classed))
        core->counts.by_bypassing += gpci_scheduler_class(issuer->scheduler, warp->place) == GPC_CLASS_BYPASS;
    if (GPCI_UNLIKELY(!--deeds->left))
        timed_replay->stopped = true;
}

/* Issue the next instruction of a warp. GPC_BUSY: the memory pipeline rejects the instruction. */
GPCI_INLINE gpc_status issue(gpci_timed_replay *timed_replay, gpci_timed_sm *core, uint32_t number, gpci_issuer *issuer,
                             uint32_t slot, uint64_t now) {
    expect_board(core, slot);
    gpci_timed_warp *warp = &core->warps[slot];
    const gpci_path_step *step = warp->next;
    const gpc_instruction *instruction = &step->form->instruction;
    const gpci_operands *operands = &step->form->operands;
    if (warp->unit == GPCI_UNIT_MEMORY) {
        gpc_status status = gpci_sm_send(timed_replay, number, slot, step);
        if (status != GPC_OK)
            return status;
        if (GPCI_UNLIKELY(timed_replay->turns))
            core->turn = (uint32_t)(issuer - core->issuers + 1) % timed_replay->schedulers;
    } else {
        gpci_sm_count(core, step);
        if (GPCI_UNLIKELY(operands->use == GPCI_USE_CONSTANT))
            gpci_sm_pass_by(core, slot, step);
        if (GPCI_UNLIKELY(operands->use == GPCI_USE_SPACE + GPC_SPACE_CLUSTER))
            count_cluster(core, step);
        GPCI_AGAIN(count_cluster_again(core, operands, step));
    }
    if (GPCI_UNLIKELY(operands->copy > GPC_COPY_ASYNC) && instruction->mask) {
        const gpc_status status = gpci_copies_issued(timed_replay, number, slot, step->form, now);
        if (status != GPC_OK)
            return status;
    }
    gpci_scheduler_issued(issuer->scheduler, warp->place, now);
    count_issued(timed_replay, core, issuer, warp, instruction->pc, now);
    warp->next++;
    take_effect(timed_replay, core, issuer, slot, operands, now);
    if (GPCI_UNLIKELY(timed_replay->fetch) && warp->next != warp->end)
        gpci_fetch_issued(timed_replay, core, warp, instruction, &warp->next->form->instruction, now);
    if (GPCI_UNLIKELY(warp->next == warp->end))
        gpci_warp_end(timed_replay, number, slot, now);
    else if (GPCI_UNLIKELY(operands->use == GPC_OP_BARRIER))
        gpci_warp_barrier(timed_replay, number, slot, now);
    else
        look(timed_replay, core, slot, now, now + 1);
    return GPC_OK;
}

/* Issue further instructions of the warp in the same cycle, up to sm.issue instructions. */
static GPCI_NOINLINE gpc_status issue_more(gpci_timed_replay *timed_replay, uint32_t number, gpci_issuer *issuer,
                                           uint32_t slot, uint64_t now) {
    gpci_timed_sm *core = &timed_replay->sms[number];
    const gpci_timed_warp *warp = &core->warps[slot];
    for (uint32_t n = 1; n < timed_replay->issue_width && warp->run && !timed_replay->stopped; n++) {
        gpc_warp_state state = gpci_warp_state(core, warp);
        bool memory = state == GPC_STATE_READY_MEMORY;
        if ((!memory && state != GPC_STATE_READY) || warp->later || (memory && core->refused) ||
            (!memory && issuer->free_at[warp->unit] > now) ||
            !gpci_scheduler_possible(issuer->scheduler, warp->place, true))
            return GPC_OK;
        gpc_status status = issue(timed_replay, core, number, issuer, slot, now);
        if (status != GPC_OK)
            return status;
    }
    return GPC_OK;
}

GPCI_INLINE gpc_status issue_cycle(gpci_timed_replay *timed_replay, gpci_timed_sm *core, uint32_t number, uint32_t n,
                                   uint64_t now, uint32_t words) {
    gpci_issuer *issuer = &core->issuers[n];
    account(timed_replay, core, issuer, now);
    while (!timed_replay->stopped) {
        uint32_t slot;
        gpc_status status = choose(timed_replay, core, n, now, words, &slot);
        if (status < 0 || slot == GPC_NO_WARP)
            return status;
        status = issue(timed_replay, core, number, issuer, slot, now);
        if (status == GPC_BUSY)
            continue; /* choose again: gather omits memory instructions now (`refused`) */
        if (status < 0)
            return status;
        core->counts.classes[GPCI_CYCLE_ISSUED]++;
        issuer->since = now + 1;
        if (GPCI_LIKELY(timed_replay->issue_width == 1))
            return GPC_OK;
        status = issue_more(timed_replay, number, issuer, slot, now);
        return status == GPC_BUSY ? GPC_OK : status;
    }
    return GPC_OK;
}

/* Class of a scheduler's cycles until the next event. `ready`, `memory`: a warp is READY, READY_MEMORY. */
GPCI_INLINE gpci_cycle_class class_of(const gpci_timed_sm *core, const gpci_issuer *issuer, bool ready, bool memory) {
    const gpc_scheduler *scheduler = issuer->scheduler;
    if (!scheduler->running)
        return GPCI_CYCLE_EMPTY;
    if (core->refused && memory)
        return GPCI_CYCLE_MEMORY;
    if (ready || memory)
        return issuer->declined ? GPCI_CYCLE_THROTTLED : GPCI_CYCLE_UNIT;
    if (gpci_scheduler_throttles(scheduler, true))
        return GPCI_CYCLE_THROTTLED;
    if (scheduler->counts[GPC_STATE_WAITING])
        return GPCI_CYCLE_LOAD;
    return scheduler->counts[GPC_STATE_STALLED] ? GPCI_CYCLE_LATENCY : GPCI_CYCLE_BARRIER;
}

/* Next cycle in which a scheduler may issue an instruction that is no memory instruction. */
GPCI_INLINE uint64_t next_unit(gpci_issuer *issuer, bool ready_now, uint64_t now, uint32_t words) {
    const gpc_scheduler *scheduler = issuer->scheduler;
    uint64_t next = scheduler->again;
    if (issuer->busy_until <= now + 1) /* all units are free in the next cycle */
        return ready_now || next <= now ? now + 1 : next;
    for (uint32_t units = issuer->wanted; units; units &= units - 1) {
        const uint32_t unit = gpci_lowest(units);
        uint64_t any = 0, eligible = 0;
        for (uint32_t word = 0; word < words; word++) {
            const uint64_t ready = issuer->wanting[unit * words + word] & scheduler->map[word].ready;
            any |= ready;
            eligible |= ready & scheduler->map[word].eligible;
        }
        issuer->wanted &= (uint16_t) ~(any ? 0 : 1u << unit);
        next = eligible && issuer->free_at[unit] < next ? issuer->free_at[unit] : next;
    }
    return next > now ? next : now + 1;
}

/* Set the class and the next cycle of a scheduler with a bit in `stirred`. */
GPCI_INLINE void settle(const gpci_timed_replay *timed_replay, gpci_timed_sm *core, uint32_t n, uint64_t now,
                        uint32_t words) {
    gpci_issuer *issuer = &core->issuers[n];
    const gpc_scheduler *scheduler = issuer->scheduler;
    uint64_t ready = 0, memory = 0;
    account(timed_replay, core, issuer, now);
    for (uint32_t word = 0; word < words; word++) {
        ready |= scheduler->map[word].ready & scheduler->map[word].eligible;
        memory |= scheduler->map[word].ready_memory & scheduler->map[word].eligible_memory;
    }
    if (memory && core->refused)
        issuer->waits =
            gpci_timed_l1_waits(timed_replay->replay->hierarchy, (uint32_t)(core - timed_replay->sms), issuer->since);
    if (issuer->since > now && ((memory && !core->refused) || (ready && issuer->busy_until <= now + 1))) {
        /* the scheduler issued, and takes part in the next cycle: no cycle is counted in this class */
        issuer->class = memory && core->refused ? GPCI_CYCLE_MEMORY : GPCI_CYCLE_UNIT;
        issuer->next = now + 1;
        return;
    }
    issuer->class = (uint8_t)class_of(core, issuer, ready != 0, memory != 0);
    issuer->next = now + 1;
    if (issuer->declined || (memory && !core->refused))
        return;
    issuer->next = next_unit(issuer, ready != 0, now, words);
    if (issuer->next == now + 1)
        return;
    core->stirred &= ~(1u << n);
    core->later = issuer->next < core->later ? issuer->next : core->later;
}

/* Find the cycle of the SM's next step: the next event that is known. */
GPCI_INLINE void plan(gpci_timed_replay *timed_replay, gpci_timed_sm *core, uint32_t number, uint64_t now,
                      uint32_t words) {
    for (uint32_t stirred = core->stirred; stirred; stirred &= stirred - 1)
        settle(timed_replay, core, gpci_lowest(stirred), now, words);
    uint64_t next = core->stirred ? now + 1 : core->later;
    if (core->first_start && core->first_start->start < next)
        next = core->first_start->start;
    if (core->calendar_used && next > now + 1) {
        unsigned from = (unsigned)(now + 1) % GPCI_CALENDAR;
        uint64_t turned = core->calendar_used >> from | (from ? core->calendar_used << (GPCI_CALENDAR - from) : 0);
        uint64_t at = now + 1 + gpci_lowest(turned);
        next = at < next ? at : next;
    }
    if (next != GPCI_NEVER)
        gpci_timed_wake(timed_replay->replay->hierarchy, number, next);
}

static void fail(gpci_timed_replay *timed_replay, uint32_t number, const gpci_issuer *issuer, gpc_status status) {
    timed_replay->stopped = true;
    timed_replay->status =
        gpci_fail(&timed_replay->error, status, "%s: SM %u, scheduler %u: %s", timed_replay->replay->kernel.file,
                  number, (unsigned)(issuer - timed_replay->sms[number].issuers),
                  status == GPC_ERROR_CALLBACK ? "the policy chose a warp that cannot issue"
                  : status == GPC_ERROR_UNSUPPORTED
                      ? "a bulk copy, which trees of coherent modules and coherence.data do not know"
                  : status == GPC_ERROR_FORMAT ? GPCI_BEYOND_PROCESS
                  : status == GPC_ERROR_RANGE ? "a multicast copy for two thread blocks of a cluster that are on one SM"
                                              : gpc_status_string(status));
}

/* Set the bit in `stirred` of all schedulers whose `next` has come. */
static void stir_due(const gpci_timed_replay *timed_replay, gpci_timed_sm *core, uint64_t now) {
    core->later = GPCI_NEVER;
    for (uint32_t n = 0; n < timed_replay->schedulers; n++) {
        uint64_t next = core->issuers[n].next;
        if (next <= now)
            core->stirred |= 1u << n;
        else
            core->later = next < core->later ? next : core->later;
    }
}

/* Begin a step: start blocks, wake warps whose stall ends or whose access completed, and check the memory pipeline. */
GPCI_INLINE void wake_up(gpci_timed_replay *timed_replay, uint32_t number, uint64_t now) {
    gpci_timed_sm *core = &timed_replay->sms[number];
    unsigned place = (unsigned)now % GPCI_CALENDAR;
    if (core->first_start && core->first_start->start <= now)
        gpci_sm_start_blocks(timed_replay, number, now);
    if (core->calendar_used >> place & 1) {
        core->calendar_used &= ~((uint64_t)1 << place);
        wake_stalled(timed_replay, core, core->calendar + place * timed_replay->words, now);
    }
    if (core->any_answered) {
        core->any_answered = false;
        if (GPCI_UNLIKELY(core->icache != NULL))
            gpci_icache_step(timed_replay, number, now);
        look_all(timed_replay, core, core->answered, now);
    }
    if (core->refused && gpci_timed_busy(timed_replay->replay->hierarchy, number) == GPC_BUSY_NOT) {
        core->refused = false;
        core->stirred = timed_replay->all_schedulers;
    }
    if (timed_replay->watches)
        core->stirred = timed_replay->all_schedulers;
    if (core->later <= now)
        stir_due(timed_replay, core, now);
}

/* Let the stirred schedulers from `from` to `to` - 1 issue. False: the replay has failed. */
GPCI_INLINE bool step_schedulers(gpci_timed_replay *timed_replay, gpci_timed_sm *core, uint32_t number, uint32_t from,
                                 uint32_t to, uint64_t now, uint32_t words) {
    const uint32_t within = ((1u << to) - 1) & ~((1u << from) - 1);
    for (uint32_t left = core->stirred & within; left;) {
        const uint32_t n = gpci_lowest(left);
        gpc_status status = issue_cycle(timed_replay, core, number, n, now, words);
        if (status < 0) {
            fail(timed_replay, number, &core->issuers[n], status);
            return false;
        }
        left = core->stirred & within & ~((2u << n) - 1);
    }
    return true;
}

/*
 * A scheduler takes part in a step if its bit in `stirred` is set: an input of the scheduler has changed, or its `next`
 * has come. Earlier schedulers of the step can set the bit: the last warp arrives at a barrier, or an access is
 * rejected. If the bit is set after the scheduler's turn, the scheduler takes part in the next step.
 */
GPCI_INLINE void step(gpci_timed_replay *timed_replay, uint32_t number, uint64_t now, uint32_t words) {
    gpci_timed_sm *core = &timed_replay->sms[number];
    const uint32_t first = core->turn; /* 0, unless schedulers take turns */
    if (!step_schedulers(timed_replay, core, number, first, timed_replay->schedulers, now, words) ||
        (first && !step_schedulers(timed_replay, core, number, 0, first, now, words)))
        return;
    if (GPCI_UNLIKELY(timed_replay->classed)) /* a warp that ends in this cycle is counted in this cycle */
        count_classes(timed_replay, core, now + 1);
    plan(timed_replay, core, number, now, words);
}

void gpci_sm_step(void *replay, uint32_t number) {
    gpci_timed_replay *timed_replay = replay;
    gpci_timed_sm *core = &timed_replay->sms[number];
    uint64_t now = gpci_timed_now(timed_replay->replay->hierarchy);
    if (timed_replay->stopped)
        return;
    for (uint32_t n = 0; n < timed_replay->schedulers && timed_replay->throttled; n++)
        gpci_scheduler_clock(core->issuers[n].scheduler, now);
    wake_up(timed_replay, number, now);
    if (GPCI_UNLIKELY(timed_replay->classed))
        count_classes(timed_replay, core, now);
    if (GPCI_LIKELY(timed_replay->scheduler_words == 1))
        step(timed_replay, number, now, 1);
    else
        step(timed_replay, number, now, timed_replay->scheduler_words);
    if (GPCI_UNLIKELY(core->ended != NULL) && !gpci_timed_is_ahead(timed_replay->replay->hierarchy))
        gpci_sm_hand_over(timed_replay, number);
}

/*
 * True if the SM can run ahead of the clock. False if a new block may be placed on the SM, if the number of
 * instructions is limited, or if a callback or sampling must see all SMs at the same cycle.
 */
bool gpci_sm_alone(void *replay, uint32_t number) {
    const gpci_timed_replay *timed_replay = replay;
    const gpc_replay *r = timed_replay->replay;
    const gpci_timed_sm *core = &timed_replay->sms[number];
    return !timed_replay->stopped && core->live && !timed_replay->at_once &&
           core->ended_at != gpci_timed_now(r->hierarchy) && (r->ended || r->sms[number].residents >= r->occupancy) &&
           !timed_replay->limit_instructions && !r->sampling && !r->on_progress && !timed_replay->icaches;
}

/* Move the SM's ended blocks to core->deeds, from which gpci_timed_take_over retires the blocks. */
void gpci_sm_hand_over(void *replay, uint32_t number) {
    const gpci_timed_replay *timed_replay = replay;
    gpci_timed_sm *core = &timed_replay->sms[number];
    gpci_block_run *first = core->ended;
    if (!core->ended)
        return;
    while (first->queued)
        first = first->queued;
    first->queued = core->deeds->ended;
    core->deeds->ended = core->ended;
    core->ended = NULL;
}
