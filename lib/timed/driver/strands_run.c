/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/strands_internal.h"

#include "level/rules/events.h"
#include "timed/pages/l2_tlb.h"

/* A cycle of a hierarchy with strands, phase by phase. */

static uint64_t *due_of(const gpci_strands *strands, const gpci_wheel *wheel) {
    return wheel->due + (size_t)strands->slot * wheel->words;
}

/* `number` and all earlier components have had their turn. */
static void pass(gpci_strands *strands, uint32_t number) {
    strands->main->wheel.at = number;
    for (uint32_t i = 0; i < strands->count; i++)
        strands->strand[i].view.wheel.at = number;
}

static void step(gpci_timed *view, uint32_t number) {
    const gpci_group *group = &view->groups[view->group_of[number]];
    group->step(group, number - group->first);
}

static void expect(const gpci_timed *view, const uint64_t *due, const gpci_strand_phase *phase) {
    for (unsigned pass = 0; pass < GPCI_EXPECT_PASSES; pass++)
        for (uint32_t word = phase->first / 64; word <= phase->last / 64; word++)
            for (uint64_t bits = due[word] & phase->set[word] & view->expected[word]; bits; bits &= bits - 1) {
                const uint32_t number = word * 64 + gpci_lowest(bits);
                const gpci_group *group = &view->groups[view->group_of[number]];
                group->expect(group, number - group->first, pass);
            }
}

/* Run a strand's part of a phase, or the part outside strands. */
static void run_view(const gpci_strands *strands, gpci_timed *view) {
    const gpci_strand_phase *phase = strands->phase;
    gpci_wheel *wheel = &view->wheel;
    uint64_t *due = due_of(strands, wheel);
    for (uint32_t word = phase->first / 64; word <= phase->last / 64; word++)
        for (uint64_t bits; (bits = due[word] & phase->set[word]);) { /* a step may add a higher number */
            const uint32_t bit = gpci_lowest(bits);
            due[word] &= ~((uint64_t)1 << bit);
            wheel->at = word * 64 + bit;
            step(view, wheel->at);
        }
}

static void share(void *user_data, uint32_t worker) {
    gpci_strands *strands = user_data;
    for (uint32_t i = worker; i < strands->count; i += gpci_workers_count(strands->workers)) {
        gpci_timed *view = &strands->strand[i].view;
        expect(view, due_of(strands, &view->wheel), strands->phase);
        run_view(strands, view);
    }
}

/* Run with one thread, in the order of component numbers, as without strands. */
static void run_alone(gpci_strands *strands) {
    const gpci_strand_phase *phase = strands->phase;
    for (uint32_t i = 0; i < strands->count; i++)
        expect(&strands->strand[i].view, due_of(strands, &strands->strand[i].view.wheel), phase);
    for (uint32_t word = phase->first / 64; word <= phase->last / 64; word++)
        for (;;) {
            uint64_t bits = 0;
            for (uint32_t i = 0; i < strands->count; i++)
                bits |= due_of(strands, &strands->strand[i].view.wheel)[word] & phase->set[word];
            if (!bits)
                break;
            const uint32_t bit = gpci_lowest(bits), number = word * 64 + bit;
            gpci_timed *view = &strands->strand[strands->of[number]].view;
            due_of(strands, &view->wheel)[word] &= ~((uint64_t)1 << bit);
            pass(strands, number);
            step(view, number);
        }
}

/* Move wakes of strands' components by others to the strands' wheels. Returns the number of due components. */
static uint32_t gather(gpci_strands *strands) {
    const gpci_strand_phase *phase = strands->phase;
    uint64_t *from = due_of(strands, &strands->main->wheel);
    uint32_t count = 0;
    for (uint32_t word = phase->first / 64; word <= phase->last / 64; word++) {
        const uint64_t bits = from[word] & phase->set[word];
        from[word] &= ~bits;
        for (uint32_t i = 0; i < strands->count; i++) {
            uint64_t *due = &due_of(strands, &strands->strand[i].view.wheel)[word];
            *due |= bits & strands->strand[i].own[word];
            count += gpci_popcount(*due & phase->set[word]);
        }
    }
    return count;
}

/* True if the side must be run by one thread for now. Hosts are called back in the order of events. */
static bool is_alone(const gpci_strands *strands, gpci_side side) {
    const gpc_hierarchy_callbacks *c = &strands->main->callbacks;
    if (strands->main->trace || strands->main->h->observer || c->on_fill || c->on_evict || c->on_memory)
        return true;
    if (side == GPCI_SIDE_BELOW)
        return strands->below;
    return strands->above || strands->keep_sms || c->on_complete || c->on_ready;
}

uint32_t gpci_strands_threads(const gpci_timed *t) {
    const gpci_strands *strands = t->strands;
    if (!strands || (is_alone(strands, GPCI_SIDE_BELOW) && is_alone(strands, GPCI_SIDE_ABOVE)))
        return 1;
    return gpci_workers_count(strands->workers);
}

static void settle_networks(gpci_strands *strands) {
    for (uint32_t kind = 0; kind < GPCI_GROUP_COUNT; kind++)
        if (strands->networks[kind].asked | strands->networks[kind].distant)
            gpci_network_settle(strands->main->groups[kind].self);
}

static void run_phase(gpci_strands *strands, const gpci_strand_phase *phase) {
    strands->phase = phase;
    if (phase->side == GPCI_SIDE_NONE) {
        const uint64_t *due = due_of(strands, &strands->main->wheel);
        bool any = false;
        for (uint32_t word = phase->first / 64; word <= phase->last / 64; word++)
            any |= (due[word] & phase->set[word]) != 0;
        if (!any)
            return;
        pass(strands, phase->last);
        run_view(strands, strands->main);
        pass(strands, phase->last);
        settle_networks(strands); /* a moved packet may be the first, and due late */
        return;
    }
    const uint32_t count = gather(strands);
    if (!count)
        return;
    if (count < strands->least || is_alone(strands, phase->side)) {
        run_alone(strands);
    } else {
        strands->apart = true;
        strands->shared++;
        gpci_workers_run(strands->workers, share, strands);
        strands->apart = false;
    }
    pass(strands, phase->last);
    settle_networks(strands);
    if (GPCI_UNLIKELY(strands->main->h->tlbs != NULL))
        gpci_l2_tlb_settle(strands->main);
}

void gpci_strands_go(gpci_timed *t, uint64_t now) {
    gpci_strands *strands = t->strands;
    t->wheel.now = now;
    for (uint32_t i = 0; i < strands->count; i++)
        strands->strand[i].view.wheel.now = now;
}

uint64_t gpci_strands_next(const gpci_timed *t) {
    uint64_t next = gpci_wheel_next(&t->wheel);
    for (uint32_t i = 0; i < t->strands->count; i++) {
        const uint64_t own = gpci_wheel_next(&t->strands->strand[i].view.wheel);
        next = own < next ? own : next;
    }
    return next;
}

static void begin_cycle(gpci_strands *strands, uint64_t cycle) {
    const uint64_t bit = (uint64_t)1 << (cycle & 63);
    gpci_strands_go(strands->main, cycle);
    strands->slot = (uint32_t)cycle & (GPCI_WHEEL_SPAN - 1);
    strands->main->wheel.occupied[strands->slot / 64] &= ~bit;
    for (uint32_t i = 0; i < strands->count; i++)
        strands->strand[i].view.wheel.occupied[strands->slot / 64] &= ~bit;
}

static void end_cycle(gpci_strands *strands) {
    const uint64_t bit = (uint64_t)1 << (strands->slot & 63);
    strands->main->wheel.occupied[strands->slot / 64] &= ~bit;
    for (uint32_t i = 0; i < strands->count; i++)
        strands->strand[i].view.wheel.occupied[strands->slot / 64] &= ~bit;
    pass(strands, strands->main->wheel.components);
    gpci_strands_fold(strands->main);
}

gpc_status gpci_strands_run_cycle(gpci_timed *t, uint64_t limit) {
    gpci_strands *strands = t->strands;
    const uint64_t next = gpci_strands_next(t);
    if (next == GPCI_NEVER)
        return gpci_timed_end(t);
    if (next > limit) {
        gpci_strands_go(t, limit > t->wheel.now ? limit : t->wheel.now);
        return t->failed;
    }
    const gpc_status status = gpci_strands_make_room(strands);
    if (status < 0)
        return status;
    begin_cycle(strands, next);
    for (uint32_t i = 0; i < strands->phase_count; i++)
        run_phase(strands, &strands->phases[i]);
    end_cycle(strands);
    return gpci_timed_end_cycle(t);
}
