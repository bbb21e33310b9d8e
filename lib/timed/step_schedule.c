/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/watch_coherent.h"

/*
 * The steps of transactions over time. A step begins when the one that it comes after has ended; after its delay it is
 * ready; then its message is sent, and it ends when that has arrived (a step without a message ends at once).
 *
 * Steps that are ready in one cycle are worked through in the order in which they became so, not one inside the other:
 * a long chain of steps without delay needs no deep stack.
 */

/* The heap of steps with a delay: by cycle, those of one cycle in the order in which they came. */

static bool earlier(const gpci_due_step *a, const gpci_due_step *b) {
    return a->cycle != b->cycle ? a->cycle < b->cycle : a->order < b->order;
}

void gpci_step_schedule(gpci_timed *t, uint64_t cycle, uint32_t transaction, uint32_t step, bool retry) {
    gpci_transactions *all = t->transactions;
    gpci_due_step due = {cycle, all->order++, transaction, step, retry};
    uint32_t at = all->due_count++;
    for (; at && earlier(&due, &all->due[(at - 1) / 2]); at = (at - 1) / 2)
        all->due[at] = all->due[(at - 1) / 2];
    all->due[at] = due;
    gpci_wheel_wake(&t->wheel, 0, cycle);
}

static gpci_due_step take_first(gpci_transactions *all) {
    gpci_due_step first = all->due[0], last = all->due[--all->due_count];
    uint32_t at = 0;
    for (uint32_t child; (child = 2 * at + 1) < all->due_count; at = child) {
        child += child + 1 < all->due_count && earlier(&all->due[child + 1], &all->due[child]);
        if (!earlier(&all->due[child], &last))
            break;
        all->due[at] = all->due[child];
    }
    all->due[at] = last;
    return first;
}

void gpci_step_ready(gpci_transactions *all, uint32_t transaction, uint32_t step) {
    gpci_coherent_step *s = gpci_coherent_step_at(all, transaction, step);
    s->next_transaction = s->next_step = GPCI_NO_STEP;
    if (all->ready_step == GPCI_NO_STEP) {
        all->ready_transaction = transaction;
        all->ready_step = step;
    } else {
        gpci_coherent_step *last = gpci_coherent_step_at(all, all->last_transaction, all->last_step);
        last->next_transaction = transaction;
        last->next_step = step;
    }
    all->last_transaction = transaction;
    all->last_step = step;
}

/* Core cycle at which a step that begins is ready: after its delay, and data when the sender's data port is free. */
static uint64_t ready_at(gpci_timed *t, const gpci_coherent_step *s) {
    uint64_t now = t->wheel.now;
    gpci_stage *stage = gpci_coherent_stage_of(t, s->from, s->address);
    gpci_clock clock = stage->options->clock;
    if (s->bytes <= t->header || s->delay == s->directory)
        return gpci_clock_after(clock, now, s->delay);
    uint64_t own = gpci_clock_own(clock, now), start = own > stage->data_free ? own : stage->data_free;
    uint32_t width = stage->options->data_width;
    stage->data_free = start + (s->bytes - t->header + width - 1) / width;
    return gpci_clock_core(clock, start + s->delay);
}

void gpci_step_begin(gpci_timed *t, uint32_t transaction, uint32_t step) {
    gpci_coherent_step *s = gpci_coherent_step_at(t->transactions, transaction, step);
    if (s->sectors) {
        gpci_message_access_memory(t, transaction, step);
        return;
    }
    uint64_t due = ready_at(t, s);
    if (due <= t->wheel.now)
        gpci_step_ready(t->transactions, transaction, step);
    else
        gpci_step_schedule(t, due, transaction, step, false);
}

void gpci_step_end(gpci_timed *t, uint32_t transaction, uint32_t step) {
    gpci_transactions *all = t->transactions;
    gpci_coherent_step *s = gpci_coherent_step_at(all, transaction, step);
    if (s->kind == GPC_MESSAGE_EVICTION)
        gpci_see_met(t, GPC_WHAT_EVICT, transaction, s);
    if (s->join != GPCI_NO_STEP && !--gpci_coherent_step_at(all, transaction, s->join)->needs)
        gpci_step_ready(all, transaction, s->join);
    if (s->unblocks != GPCI_NO_STEP && !--gpci_coherent_step_at(all, transaction, s->unblocks)->needs)
        gpci_request_release(t, transaction, s->unblocks);
    for (uint32_t i = s->first; i != GPCI_NO_STEP; i = gpci_coherent_step_at(all, transaction, i)->next)
        gpci_step_begin(t, transaction, i);
    if (s->kind == GPC_MESSAGE_FINISH)
        gpci_coherent_l1_done(t, transaction);
    if (!--all->transactions[transaction].left)
        gpci_transaction_end(t, transaction);
}

static void send_message(gpci_timed *t, uint32_t transaction, uint32_t step) {
    gpci_coherent_step *s = gpci_coherent_step_at(t->transactions, transaction, step);
    uint32_t number = gpci_pool_take(&t->pool);
    gpci_packet *p = gpci_packet_at(&t->pool, number);
    p->address = s->address;
    p->message.transaction = transaction;
    p->message.step = step;
    p->path.size = s->bytes;
    p->segments = gpci_message_segments(t, s->bytes);
    p->flags = 0;
    p->level = 0;
    p->type = GPCI_REPLY;
    gpci_see_message(t, transaction, s, p);
    gpci_message_send(t, number, s->from, s->to);
}

void gpci_steps_run(gpci_timed *t) {
    gpci_transactions *all = t->transactions;
    if (all->running)
        return;
    all->running = true;
    while (all->ready_step != GPCI_NO_STEP) {
        uint32_t transaction = all->ready_transaction, step = all->ready_step;
        gpci_coherent_step *s = gpci_coherent_step_at(all, transaction, step);
        all->ready_transaction = s->next_transaction;
        all->ready_step = s->next_step;
        if (s->request != GPCI_NO_STEP)
            gpci_request_release(t, transaction, s->request);
        if (s->bytes)
            send_message(t, transaction, step);
        else
            gpci_step_end(t, transaction, step);
    }
    all->running = false;
}

void gpci_transactions_step(const gpci_group *group, uint32_t index) {
    gpci_timed *t = group->timed;
    gpci_transactions *all = t->transactions;
    (void)index;
    while (all->due_count && all->due[0].cycle <= t->wheel.now) {
        gpci_due_step due = take_first(all);
        if (due.retry) {
            gpci_message_retry(t, due.transaction, due.step);
        } else {
            gpci_step_ready(all, due.transaction, due.step);
            gpci_steps_run(t);
        }
    }
    if (all->due_count)
        gpci_wheel_wake(&t->wheel, 0, all->due[0].cycle);
}

void gpci_message_arrived(gpci_timed *t, uint32_t packet) {
    const gpci_packet *p = gpci_packet_at(&t->pool, packet);
    uint32_t transaction = p->message.transaction, step = p->message.step;
    if (!gpci_message_admit(t, packet))
        return;
    gpci_pool_give(&t->pool, packet);
    gpci_see_met(t, GPC_WHAT_ARRIVE, transaction, gpci_coherent_step_at(t->transactions, transaction, step));
    gpci_step_end(t, transaction, step);
    gpci_steps_run(t);
}

/* The host's memory answers between cycles: what follows from that waits for the next cycle. */
void gpci_message_memory_done(gpci_timed *t, uint32_t packet) {
    const gpci_packet *p = gpci_packet_at(&t->pool, packet);
    uint32_t transaction = p->message.transaction, step = p->message.step;
    gpci_pool_give(&t->pool, packet);
    const gpci_coherent_step *s = gpci_coherent_step_at(t->transactions, transaction, step);
    gpci_clock clock = gpci_coherent_stage_of(t, s->from, s->address)->options->clock;
    uint64_t due = gpci_clock_after(clock, t->wheel.now, s->directory);
    if (t->wheel.at >= t->wheel.components || due > t->wheel.now) {
        gpci_step_schedule(t, due, transaction, step, false);
        return;
    }
    gpci_step_ready(t->transactions, transaction, step);
    gpci_steps_run(t);
}
