/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/pages/l2_tlb.h"
#include "base/check.h"

#include <stddef.h>

static gpci_group_size size(const gpci_timed *timed, gpci_group_kind kind) {
    (void)kind;
    const uint32_t count = timed->hierarchy->tlbs ? timed->hierarchy->gpus : 0;
    return (gpci_group_size){count, count};
}

static uint32_t words(const gpci_timed *timed) {
    return (timed->hierarchy->sms + 63) / 64;
}

static gpci_l2_tlb *of_gpu(const gpci_timed *timed, uint32_t gpu) {
    return (gpci_l2_tlb *)timed->groups[GPCI_GROUP_TLBS].self + gpu;
}

static gpci_l2_tlb *of_sm(const gpci_timed *timed, uint32_t sm) {
    return of_gpu(timed, sm / timed->hierarchy->tlbs->gpu_sms);
}

static gpc_status make_one(gpci_timed *timed, gpci_l2_tlb *tlb, uint32_t gpu, gpc_error *error) {
    tlb->tags = &timed->hierarchy->tlbs->l2[gpu];
    tlb->ports = (uint32_t)gpci_number(timed->hierarchy, GPCI_KEY_TLB_L2_PORTS);
    tlb->latency = (uint32_t)gpci_number(timed->hierarchy, GPCI_KEY_TLB_L2_LATENCY);
    tlb->entries = (uint32_t)gpci_number(timed->hierarchy, GPCI_KEY_TLB_L2_MSHR);
    tlb->merges = gpci_number(timed->hierarchy, GPCI_KEY_TLB_L2_MERGES);
    tlb->walkers = (uint32_t)gpci_number(timed->hierarchy, GPCI_KEY_TLB_WALKERS);
    tlb->walk_latency = (uint32_t)gpci_number(timed->hierarchy, GPCI_KEY_TLB_WALK_LATENCY);
    tlb->component = timed->groups[GPCI_GROUP_TLBS].first + gpu;
    tlb->since = GPCI_NEVER;
    tlb->walks = gpci_zalloc(timed->context, tlb->entries, sizeof *tlb->walks);
    tlb->asking = gpci_zalloc(timed->context, words(timed), sizeof *tlb->asking);
    return tlb->walks && tlb->asking ? GPC_OK : gpci_out_of_memory(error);
}

static gpc_status make(gpci_group *group, gpc_error *error) {
    gpci_timed *timed = group->timed;
    group->self = gpci_zalloc(timed->context, group->objects, sizeof(gpci_l2_tlb));
    if (!group->self)
        return gpci_out_of_memory(error);
    gpc_status status = GPC_OK;
    for (uint32_t gpu = 0; gpu < group->objects && status == GPC_OK; gpu++)
        status = make_one(timed, of_gpu(timed, gpu), gpu, error);
    return status;
}

static void destroy(gpci_group *group) {
    gpci_l2_tlb *tlbs = group->self;
    for (uint32_t gpu = 0; tlbs && gpu < group->objects; gpu++) {
        gpci_free(group->timed->context, tlbs[gpu].walks);
        gpci_free(group->timed->context, tlbs[gpu].asking);
    }
    gpci_free(group->timed->context, tlbs);
}

/* Note an SM's L1 TLB for a lookup; wake at once unless lookups are held up. */
static void note(gpci_timed *timed, uint32_t sm) {
    gpci_l2_tlb *tlb = of_sm(timed, sm);
    gpci_bit_set(tlb->asking, sm);
    if (tlb->since == GPCI_NEVER)
        gpci_wheel_wake(&timed->wheel, tlb->component, timed->wheel.now);
}

void gpci_l2_tlb_asked(gpci_timed *timed, gpci_ctrl *ctrl) {
    if (timed->shards)
        gpci_l1_tlb_of(ctrl)->asking = true;
    else
        note(timed, ctrl->index);
}

void gpci_l2_tlb_settle(gpci_timed *timed) {
    for (uint32_t sm = 0; sm < timed->hierarchy->sms; sm++) {
        gpci_l1_tlb *tlb = gpci_l1_tlb_of(&timed->l1[sm]);
        if (tlb->asking) {
            tlb->asking = false;
            note(timed, sm);
        }
    }
}

/* MSHR entry by number, counted over all L1 TLBs. */
static gpci_tlb_miss *miss_at(const gpci_timed *timed, uint32_t number) {
    gpci_l1_tlb *tlb = gpci_l1_tlb_of(&timed->l1[number / gpci_l1_tlb_of(timed->l1)->entries]);
    return &tlb->misses[number % tlb->entries];
}

static gpci_tlb_walk *walk_at(const gpci_l2_tlb *tlb, uint32_t place) {
    return &tlb->walks[(tlb->first + place) % tlb->entries];
}

static void answer(gpci_timed *timed, uint32_t number, uint64_t cycle) {
    const uint32_t entries = gpci_l1_tlb_of(timed->l1)->entries;
    const uint64_t earliest = miss_at(timed, number)->earliest;
    gpci_l1_tlb_answer(timed, &timed->l1[number / entries], number % entries, cycle > earliest ? cycle : earliest);
}

/* Fill the pages of finished walks into the L2 TLB. The L1 TLBs have known the cycle since the start of the walk. */
static void end_walks(gpci_l2_tlb *tlb, uint64_t now) {
    while (tlb->walking && walk_at(tlb, 0)->due <= now) {
        gpci_tlb_fill(tlb->tags, walk_at(tlb, 0)->page);
        tlb->first = (tlb->first + 1) % tlb->entries;
        tlb->count--;
        gpci_gauge_move(&tlb->walk_gauge, now, --tlb->walking);
        if (tlb->since != GPCI_NEVER)
            tlb->stalls += now - tlb->since;
        GPCI_AGAIN(tlb->stalls_again += tlb->since != GPCI_NEVER ? now : 0);
        tlb->since = GPCI_NEVER;
    }
}

static void begin_walks(gpci_timed *timed, gpci_l2_tlb *tlb) {
    const uint64_t now = timed->wheel.now;
    while (tlb->walking < tlb->walkers && tlb->walking < tlb->count && walk_at(tlb, tlb->walking)->ready <= now) {
        gpci_tlb_walk *walk = walk_at(tlb, tlb->walking);
        walk->due = now + tlb->walk_latency;
        for (uint32_t mshr_target = walk->mshr_target; mshr_target != UINT32_MAX;
             mshr_target = miss_at(timed, mshr_target)->next)
            answer(timed, mshr_target, walk->due);
        gpci_count_walk(timed->hierarchy);
        gpci_gauge_move(&tlb->walk_gauge, now, ++tlb->walking);
        gpci_gauge_move(&tlb->wait_gauge, now, tlb->count - tlb->walking);
    }
}

static gpci_tlb_walk *find(const gpci_l2_tlb *tlb, uint64_t page, uint32_t *place) {
    for (*place = 0; *place < tlb->count; ++*place)
        if (walk_at(tlb, *place)->page == page)
            return walk_at(tlb, *place);
    return NULL;
}

/* Look up the page of an L1 TLB's MSHR entry. False: a miss, but no MSHR entry of the L2 TLB has room. */
static bool look(gpci_timed *timed, gpci_l2_tlb *tlb, uint32_t number) {
    gpci_tlb_miss *miss = miss_at(timed, number);
    const bool found = gpci_tlb_look(tlb->tags, miss->page);
    uint32_t place = 0;
    gpci_tlb_walk *walk = found ? NULL : find(tlb, miss->page, &place);
    if (!found && (walk ? walk->count >= tlb->merges : tlb->count == tlb->entries))
        return false;
    miss->earliest = timed->wheel.now + tlb->latency;
    gpci_count_l2_tlb(timed->hierarchy, found);
    if (found) {
        answer(timed, number, miss->earliest);
        return true;
    }
    tlb->hits_merged += walk != NULL;
    if (!walk) {
        walk = walk_at(tlb, tlb->count++);
        *walk = (gpci_tlb_walk){.page = miss->page, .ready = miss->earliest, .mshr_target = UINT32_MAX};
        gpci_gauge_move(&tlb->wait_gauge, timed->wheel.now, tlb->count - tlb->walking);
    }
    miss->next = walk->mshr_target;
    walk->mshr_target = number;
    walk->count++;
    if (place < tlb->walking)
        answer(timed, number, walk->due);
    return true;
}

/* Next SM, in turn, with a page to look up; or UINT32_MAX. */
static uint32_t next_asking(const gpci_timed *timed, const gpci_l2_tlb *tlb) {
    const uint32_t count = words(timed), start = tlb->next_sm / 64;
    for (uint32_t i = 0; i <= count; i++) {
        const uint32_t word = (start + i) % count;
        uint64_t bits = tlb->asking[word];
        if (i == 0)
            bits &= ~(uint64_t)0 << (tlb->next_sm & 63);
        else if (i == count)
            bits &= ~(~(uint64_t)0 << (tlb->next_sm & 63));
        if (bits)
            return word * 64 + gpci_lowest(bits);
    }
    return UINT32_MAX;
}

/* Look up pages, as many as ports allow. True: pages are left for the next cycle. False: none is left, or held up. */
static bool look_up(gpci_timed *timed, gpci_l2_tlb *tlb) {
    uint32_t sm = next_asking(timed, tlb);
    for (uint32_t ports = tlb->ports; ports && sm != UINT32_MAX; ports--, sm = next_asking(timed, tlb)) {
        gpci_l1_tlb *asks = gpci_l1_tlb_of(&timed->l1[sm]);
        if (!look(timed, tlb, sm * asks->entries + asks->asks[asks->first_ask])) {
            tlb->since = timed->wheel.now;
            GPCI_AGAIN(tlb->stalls_again -= timed->wheel.now);
            return false;
        }
        asks->first_ask = (asks->first_ask + 1) % asks->entries;
        if (!--asks->ask_count)
            gpci_bit_clear(tlb->asking, sm);
        tlb->next_sm = sm + 1 < timed->hierarchy->sms ? sm + 1 : 0;
    }
    return sm != UINT32_MAX;
}

static void step(const gpci_group *group, uint32_t index) {
    gpci_timed *timed = group->timed;
    gpci_l2_tlb *tlb = of_gpu(timed, index);
    end_walks(tlb, timed->wheel.now);
    begin_walks(timed, tlb);
    if (tlb->since == GPCI_NEVER && look_up(timed, tlb))
        gpci_wheel_wake(&timed->wheel, tlb->component, timed->wheel.now + 1);
    if (tlb->walking)
        gpci_wheel_wake(&timed->wheel, tlb->component, walk_at(tlb, 0)->due);
    if (tlb->walking < tlb->walkers && tlb->walking < tlb->count)
        gpci_wheel_wake(&timed->wheel, tlb->component, walk_at(tlb, tlb->walking)->ready);
}

static void count(const gpci_group *group, uint32_t object, gpc_stats *stats) {
    const gpci_l2_tlb *tlb = of_gpu(group->timed, object);
    const uint64_t now = group->timed->wheel.now;
    stats->tlb_l2_merges += tlb->hits_merged;
    stats->tlb_l2_stalls += tlb->stalls + (tlb->since == GPCI_NEVER ? 0 : now - tlb->since);
    stats->tlb_walk_cycles += gpci_gauge_sum(&tlb->walk_gauge, now);
    stats->tlb_walk_waits += gpci_gauge_sum(&tlb->wait_gauge, now);
}

#ifdef GPCI_CHECK
void gpci_l2_tlb_count_again(const gpci_timed *timed, gpc_stats *stats) {
    const uint64_t now = timed->wheel.now;
    for (uint32_t gpu = 0; gpu < timed->hierarchy->gpus; gpu++) {
        const gpci_l2_tlb *tlb = of_gpu(timed, gpu);
        stats->tlb_l2_stalls += tlb->stalls_again + (tlb->since == GPCI_NEVER ? 0 : now);
        stats->tlb_walk_cycles += gpci_gauge_sum_again(&tlb->walk_gauge, now);
        stats->tlb_walk_waits += gpci_gauge_sum_again(&tlb->wait_gauge, now);
    }
}
#endif

static void reset(const gpci_group *group, uint32_t object, uint64_t now) {
    gpci_l2_tlb *tlb = of_gpu(group->timed, object);
    tlb->hits_merged = tlb->stalls = 0;
    GPCI_AGAIN(tlb->stalls_again = 0);
    tlb->since = tlb->since == GPCI_NEVER ? GPCI_NEVER : now;
    gpci_gauge_reset(&tlb->walk_gauge, now);
    gpci_gauge_reset(&tlb->wait_gauge, now);
}

static void state(const gpci_group *group, uint32_t object, gpci_state_fn visit, void *user_data) {
    gpci_l2_tlb *tlb = of_gpu(group->timed, object);
    GPCI_STATE_FROM(visit, user_data, gpci_l2_tlb, tlb, first);
    visit(user_data, tlb->walks, tlb->entries * sizeof *tlb->walks);
    visit(user_data, tlb->asking, words(group->timed) * sizeof *tlb->asking);
}

static void hold(const gpci_group *group, uint32_t object, gpci_holders *holders) {
    const gpci_timed *timed = group->timed;
    const gpci_l2_tlb *tlb = of_gpu(timed, object);
    gpci_held(holders, "walks", tlb->count, gpci_by_clock(tlb->component));
    gpci_held(holders, "SM with pages to look up", next_asking(timed, tlb) != UINT32_MAX,
              tlb->since != GPCI_NEVER && tlb->count ? gpci_by_itself(holders) : gpci_by_clock(tlb->component));
}

const gpci_component_class gpci_tlb_class =
    GPCI_COMPONENT_CLASS(GPCI_SCOPE_HIERARCHY, size, make, destroy, step, NULL, count, reset, state, hold);
