/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/ctrl_holders.h"
#include "timed/core/timed.h"

/*
 * If the loads of several blocks pass L1 in turns, blocks evict one another's lines; one block after another, blocks
 * find the lines. So Aamodt, Fung and Rogers (General-Purpose Graphics Processor Architectures, 2018, section 4.4.3)
 * describe Jia et al., HPCA 2014, and name the block as signature and a fixed priority of the queues as the best
 * choices; number and length of queues are left open. Writes flush: the paper's loads pass no write.
 *
 * Example, two queues by block in fixed order, the tags held up; the coalescer brings A0 B1 C0 D0 (lines A, C and D of
 * block 0, B of 1): queue 0 holds A C D, queue 1 B. The tags then see A C D B: C and D have passed B. A store to E by
 * block 1 enters when B has left.
 */

typedef struct gpci_reorder_counts {
    uint64_t reordered; /* transactions that passed an older transaction */
    uint64_t switches;  /* the tags took from another queue than before */
    uint64_t flushes;   /* writes that had to wait for the buffer to empty */
    uint64_t stalls;    /* core cycles of waiting of the coalescer */
#ifdef GPCI_CHECK
    uint64_t switches_again; /* takes that were not the next of the queue */
    uint64_t flushes_again;  /* writes that entered after a wait */
#endif
} gpci_reorder_counts;

typedef struct gpci_reorder {
    const gpci_reorder_options *options;
    gpci_queue *queues; /* [options->queues] */
    uint32_t *owners;   /* [options->queues] block of the queue */
    uint64_t *used;     /* [options->queues] number of the last transaction entered, from 1; or 0 */
#ifdef GPCI_CHECK
    uint64_t *took; /* [options->queues] number of the last take of the queue, from 1; or 0 */
#endif
    uint64_t number; /* tags.number of the chosen transaction, within a step */
    /* state */
    uint64_t entered; /* transactions so far */
    uint32_t count;   /* transactions in all queues */
    uint32_t chosen;  /* queue for the tags to take from */
    uint32_t last;    /* queue last taken from; or UINT32_MAX */
    bool write;       /* holds a write */
    uint32_t flusher; /* write that waits until the buffer is empty; or GPCI_NO_PACKET */
    uint64_t since;   /* the coalescer waits since; or GPCI_NEVER */
    gpci_gauge gauge;
    gpci_reorder_counts counts;
#ifdef GPCI_CHECK
    uint64_t takes; /* by the tags */
#endif
} gpci_reorder;

static gpci_reorder *reorder_of(const gpci_ctrl *ctrl) {
    return ctrl->parts.self[GPCI_PART_REORDER];
}

static gpci_queue *choose(const gpci_timed *t, gpci_ctrl *ctrl);
static void passed(gpci_timed *t, gpci_ctrl *ctrl);
static const gpci_intake intake = {.choose = choose, .passed = passed};

static gpc_status make(gpci_timed *t, gpci_ctrl *ctrl, gpc_error *error) {
    const gpci_reorder_options *options = &t->reorder_options;
    if (options->signature == GPCI_REORDER_NONE)
        return GPC_OK;
    gpci_reorder *r = gpci_zalloc(t->context, 1, sizeof *r);
    if (!r)
        return gpci_out_of_memory(error);
    *r = (gpci_reorder){.options = options, .last = UINT32_MAX, .flusher = GPCI_NO_PACKET, .since = GPCI_NEVER};
    gpci_part_add(ctrl, GPCI_PART_REORDER, &gpci_reorder_part, r);
    ctrl->intake = &intake;
    r->queues = gpci_zalloc(t->context, options->queues, sizeof *r->queues);
    r->owners = gpci_zalloc(t->context, options->queues, sizeof *r->owners);
    r->used = gpci_zalloc(t->context, options->queues, sizeof *r->used);
#ifdef GPCI_CHECK
    r->took = gpci_zalloc(t->context, options->queues, sizeof *r->took);
    if (!r->took)
        return gpci_out_of_memory(error);
#endif
    if (!r->queues || !r->owners || !r->used)
        return gpci_out_of_memory(error);
    for (uint32_t i = 0; i < options->queues; i++)
        gpci_queue_init(&r->queues[i], options->entries);
    return GPC_OK;
}

static void destroy(gpci_timed *t, gpci_ctrl *ctrl) {
    gpci_reorder *r = reorder_of(ctrl);
    gpci_free(t->context, r->queues);
    gpci_free(t->context, r->owners);
    gpci_free(t->context, r->used);
#ifdef GPCI_CHECK
    gpci_free(t->context, r->took);
#endif
    gpci_free(t->context, r);
}

/*
 * A block keeps a queue until another block takes the queue. A block without a queue takes the empty queue unused for
 * longest; without an empty queue, blocks share.
 */
static uint32_t queue_of_block(const gpci_reorder *r, uint32_t block) {
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < r->options->queues; i++) {
        if (r->used[i] && r->owners[i] == block)
            return i;
        if (!r->queues[i].count && (best == UINT32_MAX || r->used[i] < r->used[best]))
            best = i;
    }
    return best == UINT32_MAX ? block % r->options->queues : best;
}

static uint32_t queue_of(const gpci_reorder *r, const gpc_request *request) {
    switch (r->options->signature) {
    case GPCI_REORDER_BLOCK:
        return queue_of_block(r, request->block);
    case GPCI_REORDER_WARP:
        return request->warp % r->options->queues;
    default:
        return (uint32_t)(gpci_mix(request->pc) % r->options->queues);
    }
}

/*
 * Queue for a transaction now, or UINT32_MAX: a write waits for all earlier transactions, and later transactions wait
 * for the write.
 */
static uint32_t entry_of(const gpci_reorder *r, const gpci_packet *p) {
    if (r->count && (r->write || !gpci_is_read(&p->request)))
        return UINT32_MAX;
    uint32_t queue = queue_of(r, &p->request);
    return gpci_queue_full(&r->queues[queue]) ? UINT32_MAX : queue;
}

static void enter(gpci_timed *t, gpci_ctrl *ctrl, uint32_t queue) {
    gpci_reorder *r = reorder_of(ctrl);
    uint64_t now = t->wheel.now;
    uint32_t packet = gpci_queue_pop(&ctrl->in, &t->pool, now);
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    gpci_queue *q = &r->queues[queue];
    if (q->count == 0 || r->used[queue] == 0)
        r->owners[queue] = p->request.block;
    r->write = !gpci_is_read(&p->request);
    GPCI_AGAIN(r->counts.flushes_again += r->flusher == packet);
    r->flusher = GPCI_NO_PACKET;
    r->used[queue] = p->tags.number = ++r->entered;
    gpci_queue_push(q, &t->pool, now, packet);
    gpci_gauge_set(&r->gauge, now, ++r->count);
    if (p->flags & GPCI_PACKET_LAST)
        gpci_ctrl_waited(ctrl, now);
}

/* Take the coalescer's transactions of this cycle; a cycle has one step. */
static void fill(gpci_timed *t, gpci_ctrl *ctrl) {
    for (uint32_t left = ctrl->options->ports; ctrl->in.count && left; left--) {
        uint32_t queue = entry_of(reorder_of(ctrl), gpci_packet_at(&t->pool, ctrl->in.first));
        if (queue == UINT32_MAX)
            return;
        enter(t, ctrl, queue);
    }
}

static bool goes_before(const gpci_timed *t, const gpci_reorder *r, uint32_t a, uint32_t b) {
    const gpci_queue *x = &r->queues[a], *y = &r->queues[b];
    switch (r->options->drain) {
    case GPCI_DRAIN_LONGEST:
        return x->count > y->count;
    case GPCI_DRAIN_OLDEST:
        return gpci_packet_at(&t->pool, x->first)->tags.number < gpci_packet_at(&t->pool, y->first)->tags.number;
    default:
        return false; /* the first queue in the order of search */
    }
}

static gpci_queue *next_queue(const gpci_timed *t, gpci_ctrl *ctrl) {
    gpci_reorder *r = reorder_of(ctrl);
    const gpci_tag_access *access = &ctrl->tag_access[0];
    if (!r->count || access->looked || access->reason != GPC_BUSY_NOT)
        return &r->queues[r->chosen];
    if (r->options->greedy && r->last != UINT32_MAX && r->queues[r->last].count) {
        r->chosen = r->last;
        return &r->queues[r->chosen];
    }
    uint32_t count = r->options->queues, best = UINT32_MAX;
    uint32_t first = r->options->drain == GPCI_DRAIN_ROUND_ROBIN && r->last != UINT32_MAX ? r->last + 1 : 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t queue = first + i < count ? first + i : first + i - count;
        if (r->queues[queue].count && (best == UINT32_MAX || goes_before(t, r, queue, best)))
            best = queue;
    }
    r->chosen = best;
    return &r->queues[best];
}

#ifdef GPCI_CHECK
/* A take of the tags that does not follow a take from the same queue. */
static void take_again(gpci_reorder *r) {
    uint64_t *took = &r->took[r->chosen];
    r->counts.switches_again += r->takes && *took != r->takes;
    *took = ++r->takes;
}
#endif

/* Queue with the next transaction for the tags; or an empty queue. */
static gpci_queue *choose(const gpci_timed *t, gpci_ctrl *ctrl) {
    gpci_queue *queue = next_queue(t, ctrl);
    if (queue->count)
        reorder_of(ctrl)->number = gpci_packet_at(&t->pool, queue->first)->tags.number;
    return queue;
}

/* The chosen transaction has left, past the tags. */
static void passed(gpci_timed *t, gpci_ctrl *ctrl) {
    gpci_reorder *r = reorder_of(ctrl);
    gpci_gauge_set(&r->gauge, t->wheel.now, --r->count);
    r->counts.switches += r->last != UINT32_MAX && r->chosen != r->last;
#ifdef GPCI_CHECK
    take_again(r);
#endif
    r->last = r->chosen;
    bool passed_another = false;
    for (uint32_t i = 0; i < r->options->queues && !passed_another; i++)
        passed_another = r->queues[i].count && gpci_packet_at(&t->pool, r->queues[i].first)->tags.number < r->number;
    r->counts.reordered += passed_another;
}

/* A write waits until the buffer is empty; counted once, though a read may have waited before the write. */
static void note_flush(const gpci_timed *t, const gpci_ctrl *ctrl) {
    gpci_reorder *r = reorder_of(ctrl);
    if (gpci_is_read(&gpci_packet_at(&t->pool, ctrl->in.first)->request) || r->flusher == ctrl->in.first)
        return;
    r->flusher = ctrl->in.first;
    r->counts.flushes++;
}

/* The tags are done for this cycle. */
static void settle(gpci_timed *t, gpci_ctrl *ctrl) {
    gpci_reorder *r = reorder_of(ctrl);
    uint64_t now = t->wheel.now;
    bool waits = ctrl->in.count && entry_of(r, gpci_packet_at(&t->pool, ctrl->in.first)) == UINT32_MAX;
    if (ctrl->in.count && !waits)
        gpci_wheel_wake(&t->wheel, ctrl->component, now + 1);
    if (waits)
        note_flush(t, ctrl);
    if (waits == (r->since != GPCI_NEVER))
        return;
    if (waits) {
        r->since = now;
    } else {
        r->counts.stalls += now - r->since;
        r->since = GPCI_NEVER;
    }
}

static void count(const gpci_ctrl *ctrl, uint64_t now, gpc_stats *s) {
    const gpci_reorder *r = reorder_of(ctrl);
    s->l1_reorder_cycles += gpci_gauge_sum(&r->gauge, now);
    s->l1_reorder_stalls += r->counts.stalls + (r->since != GPCI_NEVER ? now - r->since : 0);
    s->l1_reordered += r->counts.reordered;
    s->l1_reorder_switches += r->counts.switches;
    s->l1_reorder_flushes += r->counts.flushes;
}

static void reset(gpci_ctrl *ctrl, uint64_t now) {
    gpci_reorder *r = reorder_of(ctrl);
    r->counts = (gpci_reorder_counts){0};
    gpci_gauge_reset(&r->gauge, now);
    for (uint32_t i = 0; i < r->options->queues; i++)
        gpci_gauge_reset(&r->queues[i].gauge, now);
    r->since = r->since == GPCI_NEVER ? GPCI_NEVER : now;
}

/* Holders of the buffer and before the buffer. */
static void hold(const gpci_timed *t, const gpci_ctrl *ctrl, gpci_holders *to) {
    const gpci_reorder *r = reorder_of(ctrl);
    const bool waits = ctrl->in.count && entry_of(r, gpci_packet_at(&t->pool, ctrl->in.first)) == UINT32_MAX;
    gpci_hold_at_tags(ctrl, r->count, to);
    gpci_held(to, "packets before its reorder buffer", ctrl->in.count,
              waits ? gpci_by_itself(to) : gpci_by_clock(ctrl->component));
}

static void state(gpci_ctrl *ctrl, gpci_state_fn visit, void *user_data) {
    gpci_reorder *r = reorder_of(ctrl);
    GPCI_STATE_FROM(visit, user_data, gpci_reorder, r, entered);
    visit(user_data, r->queues, r->options->queues * sizeof *r->queues);
    visit(user_data, r->owners, r->options->queues * sizeof *r->owners);
    visit(user_data, r->used, r->options->queues * sizeof *r->used);
#ifdef GPCI_CHECK
    visit(user_data, r->took, r->options->queues * sizeof *r->took);
#endif
}

#ifdef GPCI_CHECK
static void count_again(const gpci_ctrl *ctrl, uint64_t now, gpc_stats *s) {
    const gpci_reorder *r = reorder_of(ctrl);
    for (uint32_t i = 0; i < r->options->queues; i++) /* by queue */
        s->l1_reorder_cycles += gpci_gauge_sum_again(&r->queues[i].gauge, now);
    s->l1_reorder_switches += r->counts.switches_again;
    s->l1_reorder_flushes += r->counts.flushes_again;
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
