/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/shards_internal.h"

#include "level/rules/events.h"
#include "timed/pages/l2_tlb.h"

/* A cycle of a hierarchy with shards, phase by phase. */

static uint64_t *due_of(const gpci_shards *shards, const gpci_wheel *wheel) {
    return wheel->due + (size_t)shards->slot * wheel->words;
}

/* `number` and all earlier components have had their turn. */
static void pass(gpci_shards *shards, uint32_t number) {
    shards->main->wheel.at = number;
    for (uint32_t i = 0; i < shards->count; i++)
        shards->shard[i].view.wheel.at = number;
}

static void step(gpci_timed *view, uint32_t number) {
    const gpci_group *group = &view->groups[view->group_of[number]];
    group->step(group, number - group->first);
}

static void expect(const gpci_timed *view, const uint64_t *due, const gpci_shard_phase *phase) {
    const uint32_t last = phase->last / 64;
    for (unsigned pass = 0; pass < GPCI_EXPECT_PASSES; pass++)
        for (uint32_t word = phase->first / 64; word <= last; word++)
            for (uint64_t bits = due[word] & phase->set[word] & view->expected[word]; bits; bits &= bits - 1) {
                const uint32_t number = word * 64 + gpci_lowest(bits);
                const gpci_group *group = &view->groups[view->group_of[number]];
                group->expect(group, number - group->first, pass);
            }
}

/* Run a shard's part of a phase, or the part outside shards. */
static void run_view(const gpci_shards *shards, gpci_timed *view) {
    const gpci_shard_phase *phase = shards->phase;
    gpci_wheel *wheel = &view->wheel;
    uint64_t *due = due_of(shards, wheel);
    for (uint32_t word = phase->first / 64; word <= phase->last / 64; word++)
        for (uint64_t bits; (bits = due[word] & phase->set[word]);) { /* a step may add a higher number */
            const uint32_t bit = gpci_lowest(bits);
            due[word] &= ~((uint64_t)1 << bit);
            wheel->at = word * 64 + bit;
            step(view, wheel->at);
        }
}

static void share(void *user_data, uint32_t worker) {
    gpci_shards *shards = user_data;
    for (uint32_t i = worker; i < shards->count; i += gpci_workers_count(shards->workers)) {
        gpci_timed *view = &shards->shard[i].view;
        expect(view, due_of(shards, &view->wheel), shards->phase);
        run_view(shards, view);
    }
}

/* Run with one thread, in the order of component numbers, as without shards. */
static void run_alone(gpci_shards *shards) {
    const gpci_shard_phase *phase = shards->phase;
    for (uint32_t i = 0; i < shards->count; i++)
        expect(&shards->shard[i].view, due_of(shards, &shards->shard[i].view.wheel), phase);
    for (uint32_t word = phase->first / 64; word <= phase->last / 64; word++)
        for (;;) {
            uint64_t bits = 0;
            for (uint32_t i = 0; i < shards->count; i++)
                bits |= due_of(shards, &shards->shard[i].view.wheel)[word] & phase->set[word];
            if (!bits)
                break;
            const uint32_t bit = gpci_lowest(bits), number = word * 64 + bit;
            gpci_timed *view = &shards->shard[shards->of[number]].view;
            due_of(shards, &view->wheel)[word] &= ~((uint64_t)1 << bit);
            pass(shards, number);
            step(view, number);
        }
}

/* Move wakes of shards' components from the hierarchy's wheel to the shards' wheels. Returns how many are due. */
static uint32_t gather(gpci_shards *shards) {
    const gpci_shard_phase *phase = shards->phase;
    uint64_t *from = due_of(shards, &shards->main->wheel);
    uint32_t count = 0;
    for (uint32_t word = phase->first / 64; word <= phase->last / 64; word++) {
        const uint64_t bits = from[word] & phase->set[word];
        from[word] &= ~bits;
        for (uint32_t i = 0; i < shards->count; i++) {
            uint64_t *due = &due_of(shards, &shards->shard[i].view.wheel)[word];
            *due |= bits & shards->shard[i].own[word];
            count += gpci_popcount(*due & phase->set[word]);
        }
    }
    return count;
}

/* True if the side must be run by one thread for now. Hosts are called back in the order of events. */
static bool is_alone(const gpci_shards *shards, gpci_phase_part part) {
    const gpc_hierarchy_callbacks *callbacks = &shards->main->callbacks;
    if (shards->main->log || shards->main->hierarchy->observer || callbacks->on_fill || callbacks->on_evict)
        return true;
    if (part == GPCI_PHASE_BELOW)
        return shards->below;
    return shards->above || shards->keep_sms || callbacks->on_complete || callbacks->on_ready;
}

uint32_t gpci_shards_threads(const gpci_timed *timed) {
    const gpci_shards *shards = timed->shards;
    if (!shards || (is_alone(shards, GPCI_PHASE_BELOW) && is_alone(shards, GPCI_PHASE_ABOVE)))
        return 1;
    return gpci_workers_count(shards->workers);
}

static void settle_networks(gpci_shards *shards) {
    for (uint32_t kind = 0; kind < GPCI_GROUP_COUNT; kind++)
        if (shards->networks[kind].asked | shards->networks[kind].distant)
            gpci_network_settle(shards->main->groups[kind].self);
}

static void run_phase(gpci_shards *shards, const gpci_shard_phase *phase) {
    shards->phase = phase;
    if (phase->part == GPCI_PHASE_OUTSIDE) {
        const uint64_t *due = due_of(shards, &shards->main->wheel);
        bool any = false;
        for (uint32_t word = phase->first / 64; word <= phase->last / 64; word++)
            any |= (due[word] & phase->set[word]) != 0;
        if (!any)
            return;
        pass(shards, phase->last);
        run_view(shards, shards->main);
        pass(shards, phase->last);
        settle_networks(shards); /* a moved packet may be first of an output, and due beyond the wheel's span */
        return;
    }
    const uint32_t count = gather(shards);
    if (!count)
        return;
    if (count < shards->least || is_alone(shards, phase->part)) {
        run_alone(shards);
    } else {
        shards->own_state_only = true;
        shards->shared++;
        gpci_workers_run(shards->workers, share, shards);
        shards->own_state_only = false;
    }
    pass(shards, phase->last);
    settle_networks(shards);
    if (GPCI_UNLIKELY(shards->main->hierarchy->tlbs != NULL))
        gpci_l2_tlb_settle(shards->main);
}

void gpci_shards_go(gpci_timed *timed, uint64_t now) {
    gpci_shards *shards = timed->shards;
    timed->wheel.now = now;
    for (uint32_t i = 0; i < shards->count; i++)
        shards->shard[i].view.wheel.now = now;
}

uint64_t gpci_shards_next(const gpci_timed *timed) {
    uint64_t next = gpci_wheel_next(&timed->wheel);
    for (uint32_t i = 0; i < timed->shards->count; i++) {
        const uint64_t own = gpci_wheel_next(&timed->shards->shard[i].view.wheel);
        next = own < next ? own : next;
    }
    return next;
}

static void begin_cycle(gpci_shards *shards, uint64_t cycle) {
    const uint64_t bit = (uint64_t)1 << (cycle & 63);
    gpci_shards_go(shards->main, cycle);
    shards->slot = (uint32_t)cycle & (GPCI_WHEEL_SPAN - 1);
    shards->main->wheel.occupied[shards->slot / 64] &= ~bit;
    for (uint32_t i = 0; i < shards->count; i++)
        shards->shard[i].view.wheel.occupied[shards->slot / 64] &= ~bit;
}

static void end_cycle(gpci_shards *shards) {
    const uint64_t bit = (uint64_t)1 << (shards->slot & 63);
    shards->main->wheel.occupied[shards->slot / 64] &= ~bit;
    for (uint32_t i = 0; i < shards->count; i++)
        shards->shard[i].view.wheel.occupied[shards->slot / 64] &= ~bit;
    pass(shards, shards->main->wheel.components);
    gpci_shards_fold(shards->main);
}

gpc_status gpci_shards_run_cycle(gpci_timed *timed, uint64_t limit) {
    gpci_shards *shards = timed->shards;
    const uint64_t next = gpci_shards_next(timed);
    if (next == GPCI_NEVER)
        return gpci_timed_end(timed);
    if (next > limit) {
        gpci_shards_go(timed, limit > timed->wheel.now ? limit : timed->wheel.now);
        return timed->failed;
    }
    const gpc_status status = gpci_shards_reserve(shards);
    if (status < 0)
        return status;
    begin_cycle(shards, next);
    for (uint32_t i = 0; i < shards->phase_count; i++)
        run_phase(shards, &shards->phases[i]);
    end_cycle(shards);
    return gpci_timed_end_cycle(timed);
}
