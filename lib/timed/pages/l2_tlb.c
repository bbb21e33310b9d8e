/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/pages/l2_tlb.h"

#include <stddef.h>

static gpci_group_size size(const gpci_timed *t, gpci_group_kind kind) {
    (void)kind;
    return (gpci_group_size){t->h->tlbs != NULL, t->h->tlbs != NULL};
}

static uint32_t words(const gpci_timed *t) {
    return (t->h->sms + 63) / 64;
}

static gpc_status make(gpci_group *group, gpc_error *error) {
    gpci_timed *t = group->timed;
    gpci_l2_tlb *l = group->self = gpci_zalloc(t->context, 1, sizeof *l);
    if (!l)
        return gpci_out_of_memory(error);
    l->tags = &t->h->tlbs->l2;
    l->ports = (uint32_t)gpci_number(t->h, GPCI_KEY_TLB_L2_PORTS);
    l->latency = (uint32_t)gpci_number(t->h, GPCI_KEY_TLB_L2_LATENCY);
    l->entries = (uint32_t)gpci_number(t->h, GPCI_KEY_TLB_L2_MSHR);
    l->merges = gpci_number(t->h, GPCI_KEY_TLB_L2_MERGES);
    l->walkers = (uint32_t)gpci_number(t->h, GPCI_KEY_TLB_WALKERS);
    l->walk_latency = (uint32_t)gpci_number(t->h, GPCI_KEY_TLB_WALK_LATENCY);
    l->component = group->first;
    l->since = GPCI_NEVER;
    l->walks = gpci_zalloc(t->context, l->entries, sizeof *l->walks);
    l->asking = gpci_zalloc(t->context, words(t), sizeof *l->asking);
    return l->walks && l->asking ? GPC_OK : gpci_out_of_memory(error);
}

static void destroy(gpci_group *group) {
    gpci_l2_tlb *l = group->self;
    if (!l)
        return;
    gpci_free(group->timed->context, l->walks);
    gpci_free(group->timed->context, l->asking);
    gpci_free(group->timed->context, l);
}

/* Note an SM's L1 TLB for a lookup; wake at once unless lookups are held up. */
static void note(gpci_timed *t, uint32_t sm) {
    gpci_l2_tlb *l = t->groups[GPCI_GROUP_TLBS].self;
    gpci_bit_set(l->asking, sm);
    if (l->since == GPCI_NEVER)
        gpci_wheel_wake(&t->wheel, l->component, t->wheel.now);
}

void gpci_l2_tlb_asked(gpci_timed *t, gpci_ctrl *ctrl) {
    if (t->shards)
        gpci_l1_tlb_of(ctrl)->asking = true;
    else
        note(t, ctrl->index);
}

void gpci_l2_tlb_settle(gpci_timed *t) {
    for (uint32_t sm = 0; sm < t->h->sms; sm++) {
        gpci_l1_tlb *l = gpci_l1_tlb_of(&t->l1[sm]);
        if (l->asking) {
            l->asking = false;
            note(t, sm);
        }
    }
}

/* MSHR entry by number, counted over all L1 TLBs. */
static gpci_tlb_miss *miss_at(const gpci_timed *t, uint32_t number) {
    gpci_l1_tlb *tlb = gpci_l1_tlb_of(&t->l1[number / gpci_l1_tlb_of(t->l1)->entries]);
    return &tlb->misses[number % tlb->entries];
}

static gpci_tlb_walk *walk_at(const gpci_l2_tlb *l, uint32_t place) {
    return &l->walks[(l->first + place) % l->entries];
}

static void answer(gpci_timed *t, uint32_t number, uint64_t cycle) {
    const uint32_t entries = gpci_l1_tlb_of(t->l1)->entries;
    const uint64_t earliest = miss_at(t, number)->earliest;
    gpci_l1_tlb_answer(t, &t->l1[number / entries], number % entries, cycle > earliest ? cycle : earliest);
}

/* Fill the pages of finished walks into the L2 TLB. The L1 TLBs have known the cycle since the start of the walk. */
static void end_walks(gpci_l2_tlb *l, uint64_t now) {
    while (l->walking && walk_at(l, 0)->due <= now) {
        gpci_tlb_fill(l->tags, walk_at(l, 0)->page);
        l->first = (l->first + 1) % l->entries;
        l->count--;
        gpci_gauge_set(&l->walk_gauge, now, --l->walking);
        if (l->since != GPCI_NEVER)
            l->stalls += now - l->since;
        l->since = GPCI_NEVER;
    }
}

static void begin_walks(gpci_timed *t, gpci_l2_tlb *l) {
    const uint64_t now = t->wheel.now;
    while (l->walking < l->walkers && l->walking < l->count && walk_at(l, l->walking)->ready <= now) {
        gpci_tlb_walk *walk = walk_at(l, l->walking);
        walk->due = now + l->walk_latency;
        for (uint32_t mshr_target = walk->mshr_target; mshr_target != UINT32_MAX;
             mshr_target = miss_at(t, mshr_target)->next)
            answer(t, mshr_target, walk->due);
        gpci_count_walk(t->h);
        gpci_gauge_set(&l->walk_gauge, now, ++l->walking);
        gpci_gauge_set(&l->wait_gauge, now, l->count - l->walking);
    }
}

static gpci_tlb_walk *find(const gpci_l2_tlb *l, uint64_t page, uint32_t *place) {
    for (*place = 0; *place < l->count; ++*place)
        if (walk_at(l, *place)->page == page)
            return walk_at(l, *place);
    return NULL;
}

/* Look up the page of an L1 TLB's MSHR entry. False: a miss without room for a miss. */
static bool look(gpci_timed *t, gpci_l2_tlb *l, uint32_t number) {
    gpci_tlb_miss *miss = miss_at(t, number);
    const bool found = gpci_tlb_look(l->tags, miss->page);
    uint32_t place = 0;
    gpci_tlb_walk *walk = found ? NULL : find(l, miss->page, &place);
    if (!found && (walk ? walk->count >= l->merges : l->count == l->entries))
        return false;
    miss->earliest = t->wheel.now + l->latency;
    gpci_count_l2_tlb(t->h, found);
    if (found) {
        answer(t, number, miss->earliest);
        return true;
    }
    l->hits_merged += walk != NULL;
    if (!walk) {
        walk = walk_at(l, l->count++);
        *walk = (gpci_tlb_walk){.page = miss->page, .ready = miss->earliest, .mshr_target = UINT32_MAX};
        gpci_gauge_set(&l->wait_gauge, t->wheel.now, l->count - l->walking);
    }
    miss->next = walk->mshr_target;
    walk->mshr_target = number;
    walk->count++;
    if (place < l->walking)
        answer(t, number, walk->due);
    return true;
}

/* Next SM, in turn, with a page to look up; or UINT32_MAX. */
static uint32_t next_asking(const gpci_timed *t, const gpci_l2_tlb *l) {
    const uint32_t count = words(t), start = l->turn / 64;
    for (uint32_t i = 0; i <= count; i++) {
        const uint32_t word = (start + i) % count;
        uint64_t bits = l->asking[word];
        if (i == 0)
            bits &= ~(uint64_t)0 << (l->turn & 63);
        else if (i == count)
            bits &= ~(~(uint64_t)0 << (l->turn & 63));
        if (bits)
            return word * 64 + gpci_lowest(bits);
    }
    return UINT32_MAX;
}

/* False: no page to look up, or lookups are held up. */
static bool look_up(gpci_timed *t, gpci_l2_tlb *l) {
    uint32_t sm = next_asking(t, l);
    for (uint32_t ports = l->ports; ports && sm != UINT32_MAX; ports--, sm = next_asking(t, l)) {
        gpci_l1_tlb *asks = gpci_l1_tlb_of(&t->l1[sm]);
        if (!look(t, l, sm * asks->entries + asks->asks[asks->first_ask])) {
            l->since = t->wheel.now;
            return false;
        }
        asks->first_ask = (asks->first_ask + 1) % asks->entries;
        if (!--asks->ask_count)
            gpci_bit_clear(l->asking, sm);
        l->turn = sm + 1 < t->h->sms ? sm + 1 : 0;
    }
    return sm != UINT32_MAX;
}

static void step(const gpci_group *group, uint32_t index) {
    gpci_timed *t = group->timed;
    gpci_l2_tlb *l = group->self;
    (void)index;
    end_walks(l, t->wheel.now);
    begin_walks(t, l);
    if (l->since == GPCI_NEVER && look_up(t, l))
        gpci_wheel_wake(&t->wheel, l->component, t->wheel.now + 1);
    if (l->walking)
        gpci_wheel_wake(&t->wheel, l->component, walk_at(l, 0)->due);
    if (l->walking < l->walkers && l->walking < l->count)
        gpci_wheel_wake(&t->wheel, l->component, walk_at(l, l->walking)->ready);
}

static void count(const gpci_group *group, uint32_t object, gpc_stats *s) {
    const gpci_l2_tlb *l = group->self;
    const uint64_t now = group->timed->wheel.now;
    (void)object;
    s->tlb_l2_merges += l->hits_merged;
    s->tlb_l2_stalls += l->stalls + (l->since == GPCI_NEVER ? 0 : now - l->since);
    s->tlb_walk_cycles += gpci_gauge_sum(&l->walk_gauge, now);
    s->tlb_walk_waits += gpci_gauge_sum(&l->wait_gauge, now);
}

static void reset(const gpci_group *group, uint32_t object, uint64_t now) {
    gpci_l2_tlb *l = group->self;
    (void)object;
    l->hits_merged = l->stalls = 0;
    l->since = l->since == GPCI_NEVER ? GPCI_NEVER : now;
    gpci_gauge_reset(&l->walk_gauge, now);
    gpci_gauge_reset(&l->wait_gauge, now);
}

static void state(const gpci_group *group, uint32_t object, gpci_state_fn visit, void *user_data) {
    gpci_l2_tlb *l = group->self;
    (void)object;
    GPCI_STATE_FROM(visit, user_data, gpci_l2_tlb, l, first);
    visit(user_data, l->walks, l->entries * sizeof *l->walks);
    visit(user_data, l->asking, words(group->timed) * sizeof *l->asking);
}

static void hold(const gpci_group *group, uint32_t object, gpci_holders *to) {
    const gpci_timed *t = group->timed;
    const gpci_l2_tlb *l = group->self;
    (void)object;
    gpci_held(to, "walks", l->count, gpci_by_clock(l->component));
    gpci_held(to, "SM with pages to look up", next_asking(t, l) != UINT32_MAX,
              l->since != GPCI_NEVER && l->count ? gpci_by_itself(to) : gpci_by_clock(l->component));
}

const gpci_component_class gpci_tlb_class =
    GPCI_COMPONENT_CLASS(GPCI_SCOPE_HIERARCHY, size, make, destroy, step, NULL, count, reset, state, hold);
