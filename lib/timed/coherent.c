/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/watch_coherent.h"

/* Exchanges: steps come to their turn, begin, and end. */

/* Steps by the cycle they are due at, those of one cycle in the order in which they were put in. */

static bool earlier(const gpci_event *a, const gpci_event *b) {
    return a->cycle != b->cycle ? a->cycle < b->cycle : a->order < b->order;
}

void gpci_play_at(gpci_timed *t, uint64_t cycle, uint32_t exchange, uint32_t step, bool again) {
    gpci_play *p = t->play;
    gpci_event event = {cycle, p->order++, exchange, step, again};
    uint32_t at = p->event_count++;
    for (; at && earlier(&event, &p->events[(at - 1) / 2]); at = (at - 1) / 2)
        p->events[at] = p->events[(at - 1) / 2];
    p->events[at] = event;
    gpci_wake(t, 0, cycle);
}

static gpci_event take_first(gpci_play *p) {
    gpci_event first = p->events[0], last = p->events[--p->event_count];
    uint32_t at = 0;
    for (uint32_t child; (child = 2 * at + 1) < p->event_count; at = child) {
        child += child + 1 < p->event_count && earlier(&p->events[child + 1], &p->events[child]);
        if (!earlier(&p->events[child], &last))
            break;
        p->events[at] = p->events[child];
    }
    p->events[at] = last;
    return first;
}

void gpci_play_ready(gpci_play *p, uint32_t exchange, uint32_t step) {
    gpci_step *s = gpci_step_at(p, exchange, step);
    s->next_exchange = s->next_step = GPCI_NO_STEP;
    if (p->ready_step == GPCI_NO_STEP) {
        p->ready_exchange = exchange;
        p->ready_step = step;
    } else {
        gpci_step *last = gpci_step_at(p, p->last_exchange, p->last_step);
        last->next_exchange = exchange;
        last->next_step = step;
    }
    p->last_exchange = exchange;
    p->last_step = step;
}

/* Core cycle at which a module has looked up what it sends: data go through its data port. */
static uint64_t prepared(gpci_timed *t, const gpci_step *s) {
    uint64_t now = t->wheel.now;
    gpci_stage *stage = gpci_play_stage(t, s->from, s->address);
    gpci_clock clock = stage->options->clock;
    if (s->bytes <= t->header || s->delay == s->directory)
        return gpci_clock_after(clock, now, s->delay);
    uint64_t own = gpci_clock_own(clock, now), start = own > stage->data_free ? own : stage->data_free;
    uint32_t width = stage->options->data_width;
    stage->data_free = start + (s->bytes - t->header + width - 1) / width;
    return gpci_clock_core(clock, start + s->delay);
}

/* What a step comes after has ended. */
static void begin_step(gpci_timed *t, uint32_t exchange, uint32_t step) {
    gpci_step *s = gpci_step_at(t->play, exchange, step);
    if (s->sectors) {
        gpci_play_access(t, exchange, step);
        return;
    }
    uint64_t due = prepared(t, s);
    if (due <= t->wheel.now)
        gpci_play_ready(t->play, exchange, step);
    else
        gpci_play_at(t, due, exchange, step, false);
}

static void free_exchange(gpci_timed *t, uint32_t exchange) {
    gpci_play *p = t->play;
    gpci_exchange *e = &p->exchanges[exchange];
    for (uint32_t i = 0; i < e->count; i++)
        if (e->steps[i].lock != GPCI_NO_LOCK || e->steps[i].entry)
            gpci_play_let_go(t, exchange, i);
    p->promised -= e->promised;
    p->steps -= e->count;
    p->live--;
    e->next = p->free;
    p->free = exchange;
}

void gpci_play_end(gpci_timed *t, uint32_t exchange, uint32_t step) {
    gpci_play *p = t->play;
    gpci_step *s = gpci_step_at(p, exchange, step);
    if (s->kind == GPC_MESSAGE_EVICTION)
        gpci_see_met(t, GPC_WHAT_EVICT, exchange, s);
    if (s->join != GPCI_NO_STEP && !--gpci_step_at(p, exchange, s->join)->needs)
        gpci_play_ready(p, exchange, s->join);
    if (s->opens != GPCI_NO_STEP && !--gpci_step_at(p, exchange, s->opens)->needs)
        gpci_play_let_go(t, exchange, s->opens);
    for (uint32_t i = s->first; i != GPCI_NO_STEP; i = gpci_step_at(p, exchange, i)->next)
        begin_step(t, exchange, i);
    if (s->kind == GPC_MESSAGE_FINISH)
        gpci_play_done(t, exchange);
    if (!--p->exchanges[exchange].left)
        free_exchange(t, exchange);
}

static void put_on_its_way(gpci_timed *t, uint32_t exchange, uint32_t step) {
    gpci_step *s = gpci_step_at(t->play, exchange, step);
    uint32_t number = gpci_pool_take(&t->pool);
    gpci_packet *p = gpci_at(t, number);
    p->address = s->address;
    p->message.exchange = exchange;
    p->message.step = step;
    p->path.size = s->bytes;
    p->segments = gpci_play_segments(t, s->bytes);
    p->flags = 0;
    p->level = 0;
    p->type = GPCI_REPLY;
    gpci_see_message(t, exchange, s, p);
    gpci_play_send(t, number, s->from, s->to);
}

/* Everything whose turn has come, and what comes of it in this cycle. */
static void run(gpci_timed *t) {
    gpci_play *p = t->play;
    if (p->running)
        return;
    p->running = true;
    while (p->ready_step != GPCI_NO_STEP) {
        uint32_t exchange = p->ready_exchange, step = p->ready_step;
        gpci_step *s = gpci_step_at(p, exchange, step);
        p->ready_exchange = s->next_exchange;
        p->ready_step = s->next_step;
        if (s->request != GPCI_NO_STEP)
            gpci_play_let_go(t, exchange, s->request);
        if (s->bytes)
            put_on_its_way(t, exchange, step);
        else
            gpci_play_end(t, exchange, step);
    }
    p->running = false;
}

void gpci_play_turn(gpci_timed *t) {
    gpci_play *p = t->play;
    while (p->event_count && p->events[0].cycle <= t->wheel.now) {
        gpci_event event = take_first(p);
        if (event.again) {
            gpci_play_again(t, event.exchange, event.step);
        } else {
            gpci_play_ready(p, event.exchange, event.step);
            run(t);
        }
    }
    if (p->event_count)
        gpci_wake(t, 0, p->events[0].cycle);
}

void gpci_play_arrived(gpci_timed *t, uint32_t packet) {
    const gpci_packet *p = gpci_at(t, packet);
    uint32_t exchange = p->message.exchange, step = p->message.step;
    if (!gpci_play_take(t, packet))
        return;
    gpci_pool_give(&t->pool, packet);
    gpci_see_met(t, GPC_WHAT_ARRIVE, exchange, gpci_step_at(t->play, exchange, step));
    gpci_play_end(t, exchange, step);
    run(t);
}

/* Memory that is the host's answers between cycles: what follows waits for the next. */
void gpci_play_memory(gpci_timed *t, uint32_t packet) {
    const gpci_packet *p = gpci_at(t, packet);
    uint32_t exchange = p->message.exchange, step = p->message.step;
    gpci_pool_give(&t->pool, packet);
    const gpci_step *s = gpci_step_at(t->play, exchange, step);
    gpci_clock clock = gpci_play_stage(t, s->from, s->address)->options->clock;
    uint64_t due = gpci_clock_after(clock, t->wheel.now, s->directory);
    if (t->wheel.at >= t->wheel.components || due > t->wheel.now) {
        gpci_play_at(t, due, exchange, step, false);
        return;
    }
    gpci_play_ready(t->play, exchange, step);
    run(t);
}

bool gpci_play_idle(const gpci_timed *t) {
    return !t->play->live && !t->play->lock_count;
}

static void load_step(const gpci_timed *t, const gpc_coherence_message *messages, uint32_t index, gpci_step *s) {
    const gpc_coherence_message *m = &messages[index];
    *s = (gpci_step){.address = m->address,
                     .from = m->from,
                     .to = m->to,
                     .bytes = m->bytes,
                     .delay = m->delay,
                     .directory = m->directory,
                     .after = m->after,
                     .join = m->join,
                     .needs = m->needs,
                     .opens = GPCI_NO_STEP,
                     .first = GPCI_NO_STEP,
                     .next = GPCI_NO_STEP,
                     .request = m->request,
                     .block = m->block,
                     .lock = GPCI_NO_LOCK,
                     .packet = GPCI_NO_PACKET,
                     .root = m->after == GPC_NO_MESSAGE && m->kind != GPC_MESSAGE_JOIN,
                     .kind = (uint8_t)m->kind,
                     .memory = m->memory};
    s->sectors = (uint8_t)gpci_coherent_sectors(t->h, messages, index);
}

/*
 * A request that the module asked leaves to a peer of R has no answer of its own: its block is let go when those whom
 * that module probed for it have told it so.
 */
static void find_openers(gpci_exchange *e) {
    for (uint32_t i = 0; i < e->count; i++)
        if (e->steps[i].request != GPCI_NO_STEP)
            e->steps[e->steps[i].request].answered = true;
    for (uint32_t i = 0; i < e->count; i++) {
        uint32_t probe = e->steps[i].request;
        if (probe == GPCI_NO_STEP || !gpci_is_probe(e->steps[probe].kind))
            continue;
        uint32_t request = e->steps[probe].after;
        if (request == GPCI_NO_STEP || e->steps[request].kind > GPC_MESSAGE_WRITE_REQUEST ||
            e->steps[request].answered || e->steps[i].to != e->steps[request].to)
            continue;
        e->steps[i].opens = request;
        e->steps[request].needs++;
    }
}

/* From the tree's list to steps that know what comes after them. */
static void load_steps(const gpci_timed *t, const gpc_coherence_result *r, gpci_exchange *e) {
    for (uint32_t i = 0; i < r->message_count; i++)
        load_step(t, r->messages, i, &e->steps[i]);
    for (uint32_t i = r->message_count; i-- > 0;) {
        const gpc_coherence_message *m = &r->messages[i];
        if (m->after == GPC_NO_MESSAGE)
            continue;
        gpci_step *before = &e->steps[m->after];
        e->steps[i].next = before->first;
        before->first = i;
        before->looks = m->looks > before->looks ? m->looks : before->looks;
    }
    find_openers(e);
    gpci_play_find_below(t, e);
}

static uint8_t level_of(const gpc_hierarchy *h, uint8_t level) {
    return level >= h->coherent->memory_level ? 3 : level > 1 ? 2 : 1;
}

void gpci_play_start(gpci_timed *t, uint32_t exchange) {
    gpci_play *p = t->play;
    for (uint32_t i = 0; i < p->exchanges[exchange].count; i++)
        if (gpci_step_at(p, exchange, i)->root)
            begin_step(t, exchange, i);
    run(t);
}

void gpci_play_begin(gpci_timed *t, uint32_t packet, const gpc_coherence_result *r, uint32_t behind) {
    gpci_play *p = t->play;
    uint32_t exchange = gpci_play_take_exchange(t, r);
    gpci_exchange *e = &p->exchanges[exchange];
    e->count = e->left = r->message_count;
    e->packet = packet;
    e->sm = gpci_at(t, packet)->request.sm;
    e->waiting = e->next = GPCI_NO_EXCHANGE;
    e->level = level_of(t->h, r->level);
    gpci_at(t, packet)->mshr.exchange = exchange;
    gpci_see_exchange(t, e, gpci_at(t, packet));
    load_steps(t, r, e);
    if (behind == GPCI_NO_EXCHANGE) {
        gpci_play_start(t, exchange);
    } else {
        e->next = p->exchanges[behind].waiting;
        p->exchanges[behind].waiting = exchange;
    }
}
