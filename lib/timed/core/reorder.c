/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/ctrl_holders.h"
#include "timed/core/timed.h"

/*
 * If the loads of several thread blocks pass L1 in turns, the blocks evict one another's lines. If the loads of one
 * block pass before the loads of the next block, loads find the lines of their block. This is the buffer of Jia et al.,
 * HPCA 2014, as described by Aamodt, Fung and Rogers (General-Purpose Graphics Processor Architectures, 2018, section
 * 4.4.3). The best choices are said to be the block as signature, and a fixed priority of the queues. Number and length
 * of queues are not given. A write waits until the buffer is empty: the paper's loads pass no write.
 *
 * Example, two queues by block in fixed order, the tags held up; the coalescer brings A0 B1 C0 D0 (lines A, C and D of
 * block 0, B of 1): queue 0 holds A C D, queue 1 B. The tags then see A C D B: C and D have passed B. A store to E by
 * block 1 enters when B has left.
 */

typedef struct gpci_reorder_counts {
    uint64_t reordered; /* transactions that passed an older transaction */
    uint64_t switches;  /* the tags took from another queue than before */
    uint64_t flushes;   /* writes that had to wait for the buffer to empty */
    uint64_t stalls;    /* core cycles in which the coalescer waited */
#ifdef GPCI_CHECK
    uint64_t switches_again;  /* takes from a queue other than the queue of the take before */
    uint64_t flushes_again;   /* writes that entered after a wait */
    uint64_t stalls_again;    /* cycles in which waits ended, minus cycles in which waits began */
    uint64_t reordered_again; /* takes with an older transaction left */
#endif
} gpci_reorder_counts;

typedef struct gpci_reorder {
    const gpci_reorder_options *options;
    gpci_queue *queues; /* [options->queues] */
    uint32_t *owners;   /* [options->queues] block of the queue */
    uint64_t *used;     /* [options->queues] number of the last transaction that entered, from 1; or 0 */
#ifdef GPCI_CHECK
    uint64_t *took; /* [options->queues] number of the tags' last take from the queue, from 1; or 0 */
#endif
    uint64_t number; /* tags.number of the chosen transaction, within a step */
    /* state */
    uint64_t entered; /* transactions so far */
    uint32_t count;   /* transactions in all queues */
    uint32_t chosen;  /* queue for the tags to take from */
    uint32_t last;    /* queue from which the tags took last; or UINT32_MAX */
    bool write;       /* the last transaction that entered is a write */
    uint32_t flusher; /* write that waits until the buffer is empty; or GPCI_NO_PACKET */
    uint64_t since;   /* core cycle since which the coalescer waits; or GPCI_NEVER */
    gpci_gauge gauge;
    gpci_reorder_counts counts;
#ifdef GPCI_CHECK
    uint64_t takes; /* by the tags */
#endif
} gpci_reorder;

static gpci_reorder *reorder_of(const gpci_ctrl *ctrl) {
    return ctrl->parts.self[GPCI_PART_REORDER];
}

static gpci_queue *choose(const gpci_timed *timed, gpci_ctrl *ctrl);
static void passed(gpci_timed *timed, gpci_ctrl *ctrl);
static const gpci_intake intake = {.choose = choose, .passed = passed};

static gpc_status make(gpci_timed *timed, gpci_ctrl *ctrl, gpc_error *error) {
    const gpci_reorder_options *options = &timed->reorder_options;
    if (options->signature == GPCI_REORDER_NONE)
        return GPC_OK;
    gpci_reorder *reorder = gpci_zalloc(timed->context, 1, sizeof *reorder);
    if (!reorder)
        return gpci_out_of_memory(error);
    *reorder = (gpci_reorder){.options = options, .last = UINT32_MAX, .flusher = GPCI_NO_PACKET, .since = GPCI_NEVER};
    gpci_part_add(ctrl, GPCI_PART_REORDER, &gpci_reorder_part, reorder);
    ctrl->intake = &intake;
    reorder->queues = gpci_zalloc(timed->context, options->queues, sizeof *reorder->queues);
    reorder->owners = gpci_zalloc(timed->context, options->queues, sizeof *reorder->owners);
    reorder->used = gpci_zalloc(timed->context, options->queues, sizeof *reorder->used);
#ifdef GPCI_CHECK
    reorder->took = gpci_zalloc(timed->context, options->queues, sizeof *reorder->took);
    if (!reorder->took)
        return gpci_out_of_memory(error);
#endif
    if (!reorder->queues || !reorder->owners || !reorder->used)
        return gpci_out_of_memory(error);
    for (uint32_t i = 0; i < options->queues; i++)
        gpci_queue_init(&reorder->queues[i], options->entries);
    return GPC_OK;
}

static void destroy(gpci_timed *timed, gpci_ctrl *ctrl) {
    gpci_reorder *reorder = reorder_of(ctrl);
    gpci_free(timed->context, reorder->queues);
    gpci_free(timed->context, reorder->owners);
    gpci_free(timed->context, reorder->used);
#ifdef GPCI_CHECK
    gpci_free(timed->context, reorder->took);
#endif
    gpci_free(timed->context, reorder);
}

/*
 * A block keeps a queue until another block takes the queue. A block without a queue takes the empty queue unused for
 * longest; without an empty queue, blocks share.
 */
static uint32_t queue_of_block(const gpci_reorder *reorder, uint32_t block) {
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < reorder->options->queues; i++) {
        if (reorder->used[i] && reorder->owners[i] == block)
            return i;
        if (!reorder->queues[i].count && (best == UINT32_MAX || reorder->used[i] < reorder->used[best]))
            best = i;
    }
    return best == UINT32_MAX ? block % reorder->options->queues : best;
}

static uint32_t queue_of(const gpci_reorder *reorder, const gpc_request *request) {
    switch (reorder->options->signature) {
    case GPCI_REORDER_BLOCK:
        return queue_of_block(reorder, request->block);
    case GPCI_REORDER_WARP:
        return request->warp % reorder->options->queues;
    default:
        return (uint32_t)(gpci_mix(request->pc) % reorder->options->queues);
    }
}

/*
 * Queue for a transaction now, or UINT32_MAX: a write waits for all earlier transactions, and later transactions wait
 * for the write.
 */
static uint32_t entry_of(const gpci_reorder *reorder, const gpci_packet *pkt) {
    if (reorder->count && (reorder->write || !gpci_is_read(&pkt->request)))
        return UINT32_MAX;
    uint32_t queue = queue_of(reorder, &pkt->request);
    return gpci_queue_full(&reorder->queues[queue]) ? UINT32_MAX : queue;
}

static void enter(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t queue) {
    gpci_reorder *reorder = reorder_of(ctrl);
    uint64_t now = timed->wheel.now;
    uint32_t packet = gpci_queue_pop(&ctrl->in, &timed->pool, now);
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    gpci_queue *q = &reorder->queues[queue];
    if (q->count == 0 || reorder->used[queue] == 0)
        reorder->owners[queue] = pkt->request.block;
    reorder->write = !gpci_is_read(&pkt->request);
    GPCI_AGAIN(reorder->counts.flushes_again += reorder->flusher == packet);
    reorder->flusher = GPCI_NO_PACKET;
    reorder->used[queue] = pkt->tags.number = ++reorder->entered;
    gpci_queue_push(q, &timed->pool, now, packet);
    gpci_gauge_set(&reorder->gauge, now, ++reorder->count);
    if (pkt->flags & GPCI_PACKET_LAST)
        gpci_ctrl_waited(ctrl, now);
}

/* Take as many transactions from the coalescer as the tags take in a cycle; a cycle has one step. */
static void fill(gpci_timed *timed, gpci_ctrl *ctrl) {
    for (uint32_t left = ctrl->options->ports; ctrl->in.count && left; left--) {
        uint32_t queue = entry_of(reorder_of(ctrl), gpci_packet_at(&timed->pool, ctrl->in.first));
        if (queue == UINT32_MAX)
            return;
        enter(timed, ctrl, queue);
    }
}

static bool goes_before(const gpci_timed *timed, const gpci_reorder *reorder, uint32_t a, uint32_t b) {
    const gpci_queue *queue = &reorder->queues[a], *y = &reorder->queues[b];
    switch (reorder->options->drain) {
    case GPCI_DRAIN_LONGEST:
        return queue->count > y->count;
    case GPCI_DRAIN_OLDEST:
        return gpci_packet_at(&timed->pool, queue->first)->tags.number <
               gpci_packet_at(&timed->pool, y->first)->tags.number;
    default:
        return false; /* the first queue in the order of search */
    }
}

static gpci_queue *next_queue(const gpci_timed *timed, gpci_ctrl *ctrl) {
    gpci_reorder *reorder = reorder_of(ctrl);
    const gpci_tag_access *access = &ctrl->tag_access[0];
    if (!reorder->count || access->looked || access->reason != GPC_BUSY_NOT)
        return &reorder->queues[reorder->chosen];
    if (reorder->options->greedy && reorder->last != UINT32_MAX && reorder->queues[reorder->last].count) {
        reorder->chosen = reorder->last;
        return &reorder->queues[reorder->chosen];
    }
    uint32_t count = reorder->options->queues, best = UINT32_MAX;
    uint32_t first =
        reorder->options->drain == GPCI_DRAIN_ROUND_ROBIN && reorder->last != UINT32_MAX ? reorder->last + 1 : 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t queue = first + i < count ? first + i : first + i - count;
        if (reorder->queues[queue].count && (best == UINT32_MAX || goes_before(timed, reorder, queue, best)))
            best = queue;
    }
    reorder->chosen = best;
    return &reorder->queues[best];
}

#ifdef GPCI_CHECK
/* Count a take of the tags a second time: as a switch of queues, and as a take before an older transaction. */
static void take_again(const gpci_timed *timed, gpci_reorder *reorder) {
    uint64_t *took = &reorder->took[reorder->chosen];
    reorder->counts.switches_again += reorder->takes && *took != reorder->takes;
    *took = ++reorder->takes;
    uint64_t oldest = UINT64_MAX;
    for (uint32_t i = 0; i < reorder->options->queues; i++) {
        const uint64_t number =
            reorder->queues[i].count ? gpci_packet_at(&timed->pool, reorder->queues[i].first)->tags.number : UINT64_MAX;
        oldest = number < oldest ? number : oldest;
    }
    reorder->counts.reordered_again += oldest < reorder->number;
}
#endif

/* Queue with the next transaction for the tags; or an empty queue. */
static gpci_queue *choose(const gpci_timed *timed, gpci_ctrl *ctrl) {
    gpci_queue *queue = next_queue(timed, ctrl);
    if (queue->count)
        reorder_of(ctrl)->number = gpci_packet_at(&timed->pool, queue->first)->tags.number;
    return queue;
}

/* The chosen transaction has left, past the tags. */
static void passed(gpci_timed *timed, gpci_ctrl *ctrl) {
    gpci_reorder *reorder = reorder_of(ctrl);
    gpci_gauge_set(&reorder->gauge, timed->wheel.now, --reorder->count);
    reorder->counts.switches += reorder->last != UINT32_MAX && reorder->chosen != reorder->last;
#ifdef GPCI_CHECK
    take_again(timed, reorder);
#endif
    reorder->last = reorder->chosen;
    bool passed_another = false;
    for (uint32_t i = 0; i < reorder->options->queues && !passed_another; i++)
        passed_another = reorder->queues[i].count &&
                         gpci_packet_at(&timed->pool, reorder->queues[i].first)->tags.number < reorder->number;
    reorder->counts.reordered += passed_another;
}

/* If the coalescer's first transaction is a write, the write waits until the buffer is empty: count the write once. */
static void note_flush(const gpci_timed *timed, const gpci_ctrl *ctrl) {
    gpci_reorder *reorder = reorder_of(ctrl);
    if (gpci_is_read(&gpci_packet_at(&timed->pool, ctrl->in.first)->request) || reorder->flusher == ctrl->in.first)
        return;
    reorder->flusher = ctrl->in.first;
    reorder->counts.flushes++;
}

/* After the tags: note whether the coalescer waits. */
static void settle(gpci_timed *timed, gpci_ctrl *ctrl) {
    gpci_reorder *reorder = reorder_of(ctrl);
    uint64_t now = timed->wheel.now;
    bool waits = ctrl->in.count && entry_of(reorder, gpci_packet_at(&timed->pool, ctrl->in.first)) == UINT32_MAX;
    if (ctrl->in.count && !waits)
        gpci_wheel_wake(&timed->wheel, ctrl->component, now + 1);
    if (waits)
        note_flush(timed, ctrl);
    if (waits == (reorder->since != GPCI_NEVER))
        return;
    if (waits) {
        reorder->since = now;
        GPCI_AGAIN(reorder->counts.stalls_again -= now);
    } else {
        reorder->counts.stalls += now - reorder->since;
        GPCI_AGAIN(reorder->counts.stalls_again += now);
        reorder->since = GPCI_NEVER;
    }
}

static void count(const gpci_ctrl *ctrl, uint64_t now, gpc_stats *stats) {
    const gpci_reorder *reorder = reorder_of(ctrl);
    stats->l1_reorder_cycles += gpci_gauge_sum(&reorder->gauge, now);
    stats->l1_reorder_stalls += reorder->counts.stalls + (reorder->since != GPCI_NEVER ? now - reorder->since : 0);
    stats->l1_reordered += reorder->counts.reordered;
    stats->l1_reorder_switches += reorder->counts.switches;
    stats->l1_reorder_flushes += reorder->counts.flushes;
}

static void reset(gpci_ctrl *ctrl, uint64_t now) {
    gpci_reorder *reorder = reorder_of(ctrl);
    reorder->counts = (gpci_reorder_counts){0};
    gpci_gauge_reset(&reorder->gauge, now);
    for (uint32_t i = 0; i < reorder->options->queues; i++)
        gpci_gauge_reset(&reorder->queues[i].gauge, now);
    reorder->since = reorder->since == GPCI_NEVER ? GPCI_NEVER : now;
}

/* Holders of the buffer and before the buffer. */
static void hold(const gpci_timed *timed, const gpci_ctrl *ctrl, gpci_holders *holders) {
    const gpci_reorder *reorder = reorder_of(ctrl);
    const bool waits = ctrl->in.count && entry_of(reorder, gpci_packet_at(&timed->pool, ctrl->in.first)) == UINT32_MAX;
    gpci_hold_at_tags(ctrl, reorder->count, holders);
    gpci_held(holders, "packets before its reorder buffer", ctrl->in.count,
              waits ? gpci_by_itself(holders) : gpci_by_clock(ctrl->component));
}

static void state(gpci_ctrl *ctrl, gpci_state_fn visit, void *user_data) {
    gpci_reorder *reorder = reorder_of(ctrl);
    GPCI_STATE_FROM(visit, user_data, gpci_reorder, reorder, entered);
    visit(user_data, reorder->queues, reorder->options->queues * sizeof *reorder->queues);
    visit(user_data, reorder->owners, reorder->options->queues * sizeof *reorder->owners);
    visit(user_data, reorder->used, reorder->options->queues * sizeof *reorder->used);
#ifdef GPCI_CHECK
    visit(user_data, reorder->took, reorder->options->queues * sizeof *reorder->took);
#endif
}

#ifdef GPCI_CHECK
static void count_again(const gpci_ctrl *ctrl, uint64_t now, gpc_stats *stats) {
    const gpci_reorder *reorder = reorder_of(ctrl);
    for (uint32_t i = 0; i < reorder->options->queues; i++) /* sum over queues, in place of the buffer's gauge */
        stats->l1_reorder_cycles += gpci_gauge_sum_again(&reorder->queues[i].gauge, now);
    stats->l1_reorder_switches += reorder->counts.switches_again;
    stats->l1_reorder_flushes += reorder->counts.flushes_again;
    stats->l1_reordered += reorder->counts.reordered_again;
    stats->l1_reorder_stalls += reorder->counts.stalls_again + (reorder->since != GPCI_NEVER ? now : 0);
}
#endif

const gpci_part_class gpci_reorder_part = {.levels = GPCI_OF_L1S,
                                           .make = make,
                                           .destroy = destroy,
                                           .step = {[GPCI_AT_BEFORE_TAGS] = fill, [GPCI_AT_AFTER_TAGS] = settle},
                                           .count = count,
                                           GPCI_COUNTS_AGAIN(count_again).reset = reset,
                                           .state = state,
                                           .hold = hold};
