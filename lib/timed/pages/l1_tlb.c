/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/pages/l1_tlb.h"

#include "timed/pages/l2_tlb.h"

#include <stddef.h>

static gpc_status make(gpci_timed *t, gpci_ctrl *ctrl, gpc_error *error) {
    gpci_tlbs *tlbs = t->h->tlbs;
    if (!tlbs)
        return GPC_OK;
    gpci_l1_tlb *l = gpci_zalloc(t->context, 1, sizeof *l);
    if (!l)
        return gpci_out_of_memory(error);
    gpci_part_add(ctrl, GPCI_PART_TLB, &gpci_l1_tlb_part, l);
    l->tags = &tlbs->l1[ctrl->index];
    l->engine = &tlbs->engine[ctrl->index];
    l->shift = tlbs->shift;
    l->ports = (uint32_t)gpci_number(t->h, GPCI_KEY_TLB_L1_PORTS);
    l->latency = (uint32_t)gpci_number(t->h, GPCI_KEY_TLB_L1_LATENCY);
    l->entries = (uint32_t)gpci_number(t->h, GPCI_KEY_TLB_L1_MSHR);
    l->merges = gpci_number(t->h, GPCI_KEY_TLB_L1_MERGES);
    l->cycle = l->since = GPCI_NEVER;
    gpci_queue_init(&l->in, GPCI_UNLIMITED);
    gpci_queue_init(&l->passed, GPCI_UNLIMITED);
    l->misses = gpci_zalloc(t->context, l->entries, sizeof *l->misses);
    l->asks = gpci_zalloc(t->context, l->entries, sizeof *l->asks);
    ctrl->entrance = &l->in;
    return l->misses && l->asks ? GPC_OK : gpci_out_of_memory(error);
}

static void destroy(gpci_timed *t, gpci_ctrl *ctrl) {
    gpci_l1_tlb *l = gpci_l1_tlb_of(ctrl);
    gpci_free(t->context, l->misses);
    gpci_free(t->context, l->asks);
    gpci_free(t->context, l);
}

static void reset(gpci_ctrl *ctrl, uint64_t now) {
    gpci_l1_tlb *l = gpci_l1_tlb_of(ctrl);
    l->hits_merged = l->stalls = 0;
    l->since = l->since == GPCI_NEVER ? GPCI_NEVER : now;
    gpci_gauge_reset(&l->wait_gauge, now);
}

static void state(gpci_ctrl *ctrl, gpci_state_fn visit, void *user_data) {
    gpci_l1_tlb *l = gpci_l1_tlb_of(ctrl);
    GPCI_STATE_FROM(visit, user_data, gpci_l1_tlb, l, in);
    visit(user_data, l->misses, l->entries * sizeof *l->misses);
    visit(user_data, l->asks, l->entries * sizeof *l->asks);
}

static void count(const gpci_ctrl *ctrl, uint64_t now, gpc_stats *s) {
    const gpci_l1_tlb *l = gpci_l1_tlb_of(ctrl);
    s->tlb_l1_merges += l->hits_merged;
    s->tlb_l1_stalls += l->stalls + (l->since == GPCI_NEVER ? 0 : now - l->since);
    s->tlb_wait_cycles += gpci_gauge_sum(&l->wait_gauge, now);
}

static void hold(const gpci_timed *t, const gpci_ctrl *ctrl, gpci_holders *to) {
    const gpci_l1_tlb *l = gpci_l1_tlb_of(ctrl);
    const gpci_mover clock = gpci_by_clock(ctrl->component), l2 = gpci_by_object(GPCI_GROUP_TLBS, 0);
    const bool fence = l->in.count && gpci_packet_at(&t->pool, l->in.first)->request.kind == GPCI_KIND_FENCE;
    const bool held_up = (l->since != GPCI_NEVER && !l->freed) || (fence && l->waiting);
    gpci_held(to, "packets to look up in its TLB", l->in.count, held_up && l->used ? gpci_by_itself(to) : clock);
    gpci_held(to, "packets on their way from its TLB", l->passed.count, clock);
    for (uint32_t i = 0, left = l->used; left; i++) {
        left -= l->misses[i].used;
        gpci_held(to, "page that its TLB waits for", l->misses[i].used, l->misses[i].due == GPCI_NEVER ? l2 : clock);
    }
}

/* A packet's page is known: the packet reaches L1's tags after the TLB's latency. */
static void pass(gpci_timed *t, gpci_l1_tlb *l, uint32_t packet) {
    t->pool.links[packet].due = t->wheel.now + l->latency;
    gpci_queue_push(&l->passed, &t->pool, t->wheel.now, packet);
}

static void wait_for(gpci_timed *t, gpci_l1_tlb *l, gpci_tlb_miss *miss, uint32_t packet) {
    if (miss->count++)
        t->pool.links[miss->last].next = packet;
    else
        miss->first = packet;
    miss->last = packet;
    gpci_gauge_set(&l->wait_gauge, t->wheel.now, ++l->waiting);
}

static gpci_tlb_miss *find(gpci_l1_tlb *l, uint64_t page) {
    for (uint32_t i = 0, left = l->used; left; i++)
        if (l->misses[i].used) {
            left--;
            if (l->misses[i].page == page)
                return &l->misses[i];
        }
    return NULL;
}

/* Take a free MSHR entry (must exist), and ask the L2 TLB. */
static gpci_tlb_miss *ask(gpci_timed *t, gpci_ctrl *ctrl, uint64_t page) {
    gpci_l1_tlb *l = gpci_l1_tlb_of(ctrl);
    uint32_t i = 0;
    while (l->misses[i].used)
        i++;
    l->misses[i] = (gpci_tlb_miss){.page = page, .due = GPCI_NEVER, .used = true};
    l->used++;
    l->asks[(l->first_ask + l->ask_count++) % l->entries] = i;
    gpci_l2_tlb_asked(t, ctrl);
    return &l->misses[i];
}

static void fill(gpci_timed *t, gpci_l1_tlb *l, gpci_tlb_miss *miss) {
    gpci_tlb_fill(l->tags, miss->page);
    if (miss->engine)
        *l->engine = miss->page;
    for (uint32_t packet = miss->first, next; miss->count; packet = next, miss->count--) {
        next = t->pool.links[packet].next;
        pass(t, l, packet);
        gpci_gauge_set(&l->wait_gauge, t->wheel.now, --l->waiting);
    }
    miss->used = false;
    l->used--;
    l->freed = true;
}

static void take_answers(gpci_timed *t, gpci_ctrl *ctrl) {
    gpci_l1_tlb *l = gpci_l1_tlb_of(ctrl);
    uint64_t next = GPCI_NEVER;
    for (uint32_t i = 0, left = l->used; left; i++) {
        gpci_tlb_miss *miss = &l->misses[i];
        if (!miss->used)
            continue;
        left--;
        if (miss->due <= t->wheel.now)
            fill(t, l, miss);
        else
            next = miss->due < next ? miss->due : next;
    }
    gpci_wheel_wake(&t->wheel, ctrl->component, next);
}

/* True if a port is free for the first packet. Further blocks of the same line need no port. */
static bool has_port(const gpci_timed *t, gpci_l1_tlb *l, const gpci_packet *p) {
    if (l->cycle != t->wheel.now) {
        l->cycle = t->wheel.now;
        l->lookups = 0;
    }
    return p->flags & GPCI_PACKET_FOLLOWS || l->lookups < l->ports;
}

/* Look up the first packet. False: a miss without room for a miss. */
static bool look(gpci_timed *t, gpci_ctrl *ctrl, uint32_t packet, const gpci_packet *p) {
    gpci_l1_tlb *l = gpci_l1_tlb_of(ctrl);
    const bool counts = !(p->flags & GPCI_PACKET_FOLLOWS);
    const uint64_t page = p->address >> l->shift;
    const bool found = gpci_tlb_look(l->tags, page);
    gpci_tlb_miss *miss = found ? NULL : find(l, page);
    if (!found && (miss ? counts && miss->count >= l->merges : l->used == l->entries))
        return false;
    gpci_queue_pop(&l->in, &t->pool, t->wheel.now);
    if (counts)
        gpci_count_l1_tlb(t->h, ctrl->index, found);
    l->lookups += counts;
    l->hits_merged += miss && counts;
    if (found)
        pass(t, l, packet);
    else
        wait_for(t, l, miss ? miss : ask(t, ctrl, page), packet);
    return true;
}

static void on_stall(gpci_l1_tlb *l, uint64_t now) {
    l->since = l->since == GPCI_NEVER ? now : l->since;
    l->freed = false;
}

static void go_on(gpci_l1_tlb *l, uint64_t now) {
    if (l->since != GPCI_NEVER)
        l->stalls += now - l->since;
    l->since = GPCI_NEVER;
}

static void look_up(gpci_timed *t, gpci_ctrl *ctrl) {
    gpci_l1_tlb *l = gpci_l1_tlb_of(ctrl);
    const uint64_t now = t->wheel.now;
    while (l->in.count && (l->since == GPCI_NEVER || l->freed)) {
        const uint32_t packet = l->in.first;
        const gpci_packet *p = gpci_packet_at(&t->pool, packet);
        if (t->pool.links[packet].due > now) {
            gpci_wheel_wake(&t->wheel, ctrl->component, t->pool.links[packet].due);
            return;
        }
        if (p->request.kind == GPCI_KIND_FENCE) {
            if (l->waiting) /* a fill steps L1 */
                return;
            gpci_queue_pop(&l->in, &t->pool, now);
            pass(t, l, packet);
            continue;
        }
        if (!has_port(t, l, p)) {
            gpci_wheel_wake(&t->wheel, ctrl->component, now + 1);
            return;
        }
        if (!look(t, ctrl, packet, p)) {
            on_stall(l, now);
            return;
        }
        go_on(l, now);
    }
}

/* Fill answered pages, look up packets as ports allow, and pass packets on. */
static void step(gpci_timed *t, gpci_ctrl *ctrl) {
    gpci_l1_tlb *l = gpci_l1_tlb_of(ctrl);
    const uint64_t now = t->wheel.now;
    if (l->used)
        take_answers(t, ctrl);
    look_up(t, ctrl);
    while (l->passed.count && t->pool.links[l->passed.first].due <= now)
        gpci_queue_push(&ctrl->in, &t->pool, now, gpci_queue_pop(&l->passed, &t->pool, now));
    if (l->passed.count)
        gpci_wheel_wake(&t->wheel, ctrl->component, t->pool.links[l->passed.first].due);
}

bool gpci_l1_tlb_lets_copy(gpci_timed *t, gpci_ctrl *ctrl, uint64_t address) {
    gpci_l1_tlb *l = gpci_l1_tlb_of(ctrl);
    const uint64_t page = address >> l->shift;
    if (*l->engine == page)
        return true;
    const bool found = gpci_tlb_look(l->tags, page);
    gpci_tlb_miss *miss = found ? NULL : find(l, page);
    if ((miss && miss->engine) || (!found && !miss && l->used == l->entries))
        return false;
    gpci_count_l1_tlb(t->h, ctrl->index, found);
    if (found) {
        *l->engine = page;
        return true;
    }
    l->hits_merged += miss != NULL;
    (miss ? miss : ask(t, ctrl, page))->engine = true;
    return false;
}

bool gpci_l1_tlb_lets_prefetch(const gpci_ctrl *ctrl, uint64_t address) {
    const gpci_l1_tlb *l = gpci_l1_tlb_of(ctrl);
    return gpci_tlb_has(l->tags, address >> l->shift);
}

void gpci_l1_tlb_answer(gpci_timed *t, gpci_ctrl *ctrl, uint32_t miss, uint64_t cycle) {
    gpci_l1_tlb_of(ctrl)->misses[miss].due = cycle;
    gpci_wheel_wake(&t->wheel, ctrl->component, cycle);
}

const gpci_part_class gpci_l1_tlb_part = {.levels = GPCI_OF_L1S,
                                          .in_step = true,
                                          .make = make,
                                          .destroy = destroy,
                                          .step = {[GPCI_AT_BEFORE_TAGS] = step},
                                          .count = count,
                                          .reset = reset,
                                          .state = state,
                                          .hold = hold};
