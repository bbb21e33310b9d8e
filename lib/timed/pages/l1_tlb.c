/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/pages/l1_tlb.h"
#include "base/check.h"

#include "timed/pages/l2_tlb.h"

#include <stddef.h>

static gpc_status make(gpci_timed *timed, gpci_ctrl *ctrl, gpc_error *error) {
    gpci_tlbs *tlbs = timed->hierarchy->tlbs;
    if (!tlbs)
        return GPC_OK;
    gpci_l1_tlb *tlb = gpci_zalloc(timed->context, 1, sizeof *tlb);
    if (!tlb)
        return gpci_out_of_memory(error);
    gpci_part_add(ctrl, GPCI_PART_TLB, &gpci_l1_tlb_part, tlb);
    tlb->tags = &tlbs->l1[ctrl->index];
    tlb->engine = &tlbs->engine[ctrl->index];
    tlb->shift = tlbs->shift;
    tlb->ports = (uint32_t)gpci_number(timed->hierarchy, GPCI_KEY_TLB_L1_PORTS);
    tlb->latency = (uint32_t)gpci_number(timed->hierarchy, GPCI_KEY_TLB_L1_LATENCY);
    tlb->entries = (uint32_t)gpci_number(timed->hierarchy, GPCI_KEY_TLB_L1_MSHR);
    tlb->merges = gpci_number(timed->hierarchy, GPCI_KEY_TLB_L1_MERGES);
    tlb->cycle = tlb->since = GPCI_NEVER;
    gpci_queue_init(&tlb->in, GPCI_UNLIMITED);
    gpci_queue_init(&tlb->passed, GPCI_UNLIMITED);
    tlb->misses = gpci_zalloc(timed->context, tlb->entries, sizeof *tlb->misses);
    tlb->asks = gpci_zalloc(timed->context, tlb->entries, sizeof *tlb->asks);
    ctrl->entrance = &tlb->in;
    return tlb->misses && tlb->asks ? GPC_OK : gpci_out_of_memory(error);
}

static void destroy(gpci_timed *timed, gpci_ctrl *ctrl) {
    gpci_l1_tlb *tlb = gpci_l1_tlb_of(ctrl);
    gpci_free(timed->context, tlb->misses);
    gpci_free(timed->context, tlb->asks);
    gpci_free(timed->context, tlb);
}

static void reset(gpci_ctrl *ctrl, uint64_t now) {
    gpci_l1_tlb *tlb = gpci_l1_tlb_of(ctrl);
    tlb->hits_merged = tlb->stalls = 0;
    GPCI_AGAIN(tlb->stalls_again = 0);
    tlb->since = tlb->since == GPCI_NEVER ? GPCI_NEVER : now;
    gpci_gauge_reset(&tlb->wait_gauge, now);
}

static void state(gpci_ctrl *ctrl, gpci_state_fn visit, void *user_data) {
    gpci_l1_tlb *tlb = gpci_l1_tlb_of(ctrl);
    GPCI_STATE_FROM(visit, user_data, gpci_l1_tlb, tlb, in);
    visit(user_data, tlb->misses, tlb->entries * sizeof *tlb->misses);
    visit(user_data, tlb->asks, tlb->entries * sizeof *tlb->asks);
}

static void count(const gpci_ctrl *ctrl, uint64_t now, gpc_stats *stats) {
    const gpci_l1_tlb *tlb = gpci_l1_tlb_of(ctrl);
    stats->tlb_l1_merges += tlb->hits_merged;
    stats->tlb_l1_stalls += tlb->stalls + (tlb->since == GPCI_NEVER ? 0 : now - tlb->since);
    stats->tlb_wait_cycles += gpci_gauge_sum(&tlb->wait_gauge, now);
}

#ifdef GPCI_CHECK
static void count_again(const gpci_ctrl *ctrl, uint64_t now, gpc_stats *stats) {
    const gpci_l1_tlb *tlb = gpci_l1_tlb_of(ctrl);
    stats->tlb_l1_stalls += tlb->stalls_again + (tlb->since == GPCI_NEVER ? 0 : now);
    stats->tlb_wait_cycles += gpci_gauge_sum_again(&tlb->wait_gauge, now);
}
#endif

static void hold(const gpci_timed *timed, const gpci_ctrl *ctrl, gpci_holders *holders) {
    const gpci_l1_tlb *tlb = gpci_l1_tlb_of(ctrl);
    const gpci_mover clock = gpci_by_clock(ctrl->component),
                     l2 = gpci_by_object(GPCI_GROUP_TLBS, ctrl->index / timed->hierarchy->tlbs->gpu_sms);
    const bool fence = tlb->in.count && gpci_packet_at(&timed->pool, tlb->in.first)->request.kind == GPCI_KIND_FENCE;
    const bool held_up = (tlb->since != GPCI_NEVER && !tlb->freed) || (fence && tlb->waiting);
    gpci_held(holders, "packets to look up in its TLB", tlb->in.count,
              held_up && tlb->used ? gpci_by_itself(holders) : clock);
    gpci_held(holders, "packets on their way from its TLB", tlb->passed.count, clock);
    for (uint32_t i = 0, left = tlb->used; left; i++) {
        left -= tlb->misses[i].used;
        gpci_held(holders, "page that its TLB waits for", tlb->misses[i].used,
                  tlb->misses[i].due == GPCI_NEVER ? l2 : clock);
    }
}

/* A packet's page is known: the packet reaches L1's tags after the TLB's latency. */
static void pass(gpci_timed *timed, gpci_l1_tlb *tlb, uint32_t packet) {
    timed->pool.links[packet].due = timed->wheel.now + tlb->latency;
    gpci_queue_push(&tlb->passed, &timed->pool, timed->wheel.now, packet);
}

static void wait_for(gpci_timed *timed, gpci_l1_tlb *tlb, gpci_tlb_miss *miss, uint32_t packet) {
    if (miss->count++)
        timed->pool.links[miss->last].next = packet;
    else
        miss->first = packet;
    miss->last = packet;
    gpci_gauge_move(&tlb->wait_gauge, timed->wheel.now, ++tlb->waiting);
}

static gpci_tlb_miss *find(gpci_l1_tlb *tlb, uint64_t page) {
    for (uint32_t i = 0, left = tlb->used; left; i++)
        if (tlb->misses[i].used) {
            left--;
            if (tlb->misses[i].page == page)
                return &tlb->misses[i];
        }
    return NULL;
}

/* Take a free MSHR entry (must exist), and ask the L2 TLB. */
static gpci_tlb_miss *ask(gpci_timed *timed, gpci_ctrl *ctrl, uint64_t page) {
    gpci_l1_tlb *tlb = gpci_l1_tlb_of(ctrl);
    uint32_t i = 0;
    while (tlb->misses[i].used)
        i++;
    tlb->misses[i] = (gpci_tlb_miss){.page = page, .due = GPCI_NEVER, .used = true};
    tlb->used++;
    tlb->asks[(tlb->first_ask + tlb->ask_count++) % tlb->entries] = i;
    gpci_l2_tlb_asked(timed, ctrl);
    return &tlb->misses[i];
}

static void fill(gpci_timed *timed, gpci_l1_tlb *tlb, gpci_tlb_miss *miss) {
    gpci_tlb_fill(tlb->tags, miss->page);
    if (miss->engine)
        *tlb->engine = miss->page;
    for (uint32_t packet = miss->first, next; miss->count; packet = next, miss->count--) {
        next = timed->pool.links[packet].next;
        pass(timed, tlb, packet);
        gpci_gauge_move(&tlb->wait_gauge, timed->wheel.now, --tlb->waiting);
    }
    miss->used = false;
    tlb->used--;
    tlb->freed = true;
}

static void take_answers(gpci_timed *timed, gpci_ctrl *ctrl) {
    gpci_l1_tlb *tlb = gpci_l1_tlb_of(ctrl);
    uint64_t next = GPCI_NEVER;
    for (uint32_t i = 0, left = tlb->used; left; i++) {
        gpci_tlb_miss *miss = &tlb->misses[i];
        if (!miss->used)
            continue;
        left--;
        if (miss->due <= timed->wheel.now)
            fill(timed, tlb, miss);
        else
            next = miss->due < next ? miss->due : next;
    }
    gpci_wheel_wake(&timed->wheel, ctrl->component, next);
}

/* True if a port is free for the first packet. Further blocks of the same line need no port. */
static bool has_port(const gpci_timed *timed, gpci_l1_tlb *tlb, const gpci_packet *pkt) {
    if (tlb->cycle != timed->wheel.now) {
        tlb->cycle = timed->wheel.now;
        tlb->lookups = 0;
    }
    return pkt->flags & GPCI_PACKET_FOLLOWS || tlb->lookups < tlb->ports;
}

/* Look up the page of the first packet. False: a miss, but no MSHR entry has room. */
static bool look(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, const gpci_packet *pkt) {
    gpci_l1_tlb *tlb = gpci_l1_tlb_of(ctrl);
    const bool counts = !(pkt->flags & GPCI_PACKET_FOLLOWS);
    const uint64_t page = pkt->address >> tlb->shift;
    const bool found = gpci_tlb_look(tlb->tags, page);
    gpci_tlb_miss *miss = found ? NULL : find(tlb, page);
    if (!found && (miss ? counts && miss->count >= tlb->merges : tlb->used == tlb->entries))
        return false;
    gpci_queue_pop(&tlb->in, &timed->pool, timed->wheel.now);
    if (counts)
        gpci_count_l1_tlb(timed->hierarchy, ctrl->index, found);
    tlb->lookups += counts;
    tlb->hits_merged += miss && counts;
    if (found)
        pass(timed, tlb, packet);
    else
        wait_for(timed, tlb, miss ? miss : ask(timed, ctrl, page), packet);
    return true;
}

static void on_stall(gpci_l1_tlb *tlb, uint64_t now) {
    GPCI_AGAIN(tlb->stalls_again -= tlb->since == GPCI_NEVER ? now : 0);
    tlb->since = tlb->since == GPCI_NEVER ? now : tlb->since;
    tlb->freed = false;
}

static void go_on(gpci_l1_tlb *tlb, uint64_t now) {
    if (tlb->since != GPCI_NEVER)
        tlb->stalls += now - tlb->since;
    GPCI_AGAIN(tlb->stalls_again += tlb->since != GPCI_NEVER ? now : 0);
    tlb->since = GPCI_NEVER;
}

static void look_up(gpci_timed *timed, gpci_ctrl *ctrl) {
    gpci_l1_tlb *tlb = gpci_l1_tlb_of(ctrl);
    const uint64_t now = timed->wheel.now;
    while (tlb->in.count && (tlb->since == GPCI_NEVER || tlb->freed)) {
        const uint32_t packet = tlb->in.first;
        const gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
        if (timed->pool.links[packet].due > now) {
            gpci_wheel_wake(&timed->wheel, ctrl->component, timed->pool.links[packet].due);
            return;
        }
        if (pkt->request.kind == GPCI_KIND_FENCE) {
            if (tlb->waiting) /* the answer for the page steps L1 */
                return;
            gpci_queue_pop(&tlb->in, &timed->pool, now);
            pass(timed, tlb, packet);
            continue;
        }
        if (!has_port(timed, tlb, pkt)) {
            gpci_wheel_wake(&timed->wheel, ctrl->component, now + 1);
            return;
        }
        if (!look(timed, ctrl, packet, pkt)) {
            on_stall(tlb, now);
            return;
        }
        go_on(tlb, now);
    }
}

/* Fill answered pages, look up packets as ports allow, and pass packets on. */
static void step(gpci_timed *timed, gpci_ctrl *ctrl) {
    gpci_l1_tlb *tlb = gpci_l1_tlb_of(ctrl);
    const uint64_t now = timed->wheel.now;
    if (tlb->used)
        take_answers(timed, ctrl);
    look_up(timed, ctrl);
    while (tlb->passed.count && timed->pool.links[tlb->passed.first].due <= now)
        gpci_queue_push(&ctrl->in, &timed->pool, now, gpci_queue_pop(&tlb->passed, &timed->pool, now));
    if (tlb->passed.count)
        gpci_wheel_wake(&timed->wheel, ctrl->component, timed->pool.links[tlb->passed.first].due);
}

bool gpci_l1_tlb_lets_copy(gpci_timed *timed, gpci_ctrl *ctrl, uint64_t address) {
    gpci_l1_tlb *tlb = gpci_l1_tlb_of(ctrl);
    const uint64_t page = address >> tlb->shift;
    if (*tlb->engine == page)
        return true;
    const bool found = gpci_tlb_look(tlb->tags, page);
    gpci_tlb_miss *miss = found ? NULL : find(tlb, page);
    if ((miss && miss->engine) || (!found && !miss && tlb->used == tlb->entries))
        return false;
    gpci_count_l1_tlb(timed->hierarchy, ctrl->index, found);
    if (found) {
        *tlb->engine = page;
        return true;
    }
    tlb->hits_merged += miss != NULL;
    (miss ? miss : ask(timed, ctrl, page))->engine = true;
    return false;
}

bool gpci_l1_tlb_lets_prefetch(const gpci_ctrl *ctrl, uint64_t address) {
    const gpci_l1_tlb *tlb = gpci_l1_tlb_of(ctrl);
    return gpci_tlb_has(tlb->tags, address >> tlb->shift);
}

void gpci_l1_tlb_answer(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t miss, uint64_t cycle) {
    gpci_l1_tlb_of(ctrl)->misses[miss].due = cycle;
    gpci_wheel_wake(&timed->wheel, ctrl->component, cycle);
}

const gpci_part_class gpci_l1_tlb_part = {.levels = GPCI_OF_L1S,
                                          .in_step = true,
                                          .make = make,
                                          .destroy = destroy,
                                          .step = {[GPCI_AT_BEFORE_TAGS] = step},
                                          .count = count,
                                          GPCI_COUNTS_AGAIN(count_again).reset = reset,
                                          .state = state,
                                          .hold = hold};
