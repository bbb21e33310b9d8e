/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/ctrl/constant_cache.h"

#include "timed/core/ctrl_holders.h"
#include "timed/core/tags.h"
#include "timed/ctrl/l15_ctrl.h"

/* A line of constants at the tags, and in flight. */

void gpci_read_only_send(gpci_timed *t, gpci_ctrl *ctrl, const gpci_fetch_request *asked) {
    const uint32_t fetch = gpci_pool_take(&t->pool);
    gpci_packet *f = gpci_packet_at(&t->pool, fetch);
    const gpci_packet *mshr_target = gpci_packet_at(&t->pool, asked->mshr_target);
    *f = (gpci_packet){.address = mshr_target->address & ~(uint64_t)(ctrl->line->line_bytes - 1),
                       .request = mshr_target->request,
                       .line = {.inflight = UINT32_MAX,
                                .mshr_target = asked->mshr_target,
                                .fetched = ctrl->line->sectors_of[asked->segments],
                                .kind = mshr_target->line.kind},
                       .segments = asked->segments,
                       .level = 1,
                       .type = GPCI_READ,
                       .flags = GPCI_PACKET_FETCH | GPCI_PACKET_CONSTANT,
                       .born = t->wheel.now};
    f->request.address = f->address;
    gpci_queue_push(&ctrl->out, &t->pool, t->wheel.now, fetch);
    gpci_log_new_packet(t, GPC_WHAT_FETCH, ctrl, fetch, mshr_target, false);
}

void gpci_read_only_evicted(gpci_timed *t, gpci_ctrl *ctrl, const gpc_eviction *eviction) {
    (void)t;
    (void)ctrl;
    (void)eviction;
}

static const gpci_ctrl_rules rules = {.own_lines = true,
                                      .send = gpci_read_only_send,
                                      .evicted = gpci_read_only_evicted,
                                      .released = gpci_l1_release,
                                      .on_stall = gpci_ctrl_wait,
                                      .on_not_allocated = gpci_ctrl_notify_none};

static gpc_status make(gpci_timed *t, gpci_ctrl *l1, gpc_error *error) {
    const gpc_hierarchy *h = t->h;
    if (!h->constants)
        return GPC_OK;
    gpci_ctrl *ctrl = gpci_zalloc(t->context, 1, sizeof *ctrl);
    if (!ctrl)
        return gpci_out_of_memory(error);
    gpci_part_add(l1, GPCI_PART_CONSTANTS, &gpci_constants_part, ctrl);
    t->constants_level = gpci_constants_level(h);
    const uint64_t latency = gpci_number(h, GPCI_KEY_CONST_LATENCY);
    t->constants_options = (gpci_ctrl_options){
        .latency = (uint32_t)(latency == GPCI_WORD ? gpci_number(h, GPCI_KEY_SM_LATENCY_CONSTANT) : latency),
        .ports = 1,
        .banks = 1,
        .data_width = t->constants_level.line_bytes,
        .fill_width = t->constants_level.line_bytes,
        .entries = gpci_number(h, GPCI_KEY_CONST_MSHR),
        .merges = gpci_number(h, GPCI_KEY_CONST_MERGES),
        .clock = {1, 1}};
    const gpc_status status = gpci_ctrl_make_side(t, l1, &rules, &t->constants_options, &t->constants_level, ctrl);
    gpci_queue_init(&ctrl->out, gpci_number(h, GPCI_KEY_CONST_MISS_QUEUE));
    ctrl->cache = h->constants[l1->index];
    return status < 0 ? gpci_out_of_memory(error) : GPC_OK;
}

static void destroy(gpci_timed *t, gpci_ctrl *l1) {
    gpci_ctrl_unmake(t, gpci_constants_of(l1));
    gpci_free(t->context, gpci_constants_of(l1));
}

gpc_status gpci_constants_issue(gpci_timed *t, const gpc_warp_access *w, uint64_t token, bool framed) {
    gpci_transaction lines[GPCI_MAX_TRANSACTIONS];
    gpci_ctrl *l1 = &t->l1[w->sm], *ctrl = gpci_constants_of(l1);
    gpci_queue *queue = gpci_part_is_there(l1, GPCI_PART_COLLECTOR) ? l1->entrance : &ctrl->in;
    gpc_request request;
    uint32_t segments = 0;
    const gpc_status status = gpci_make_room(t, GPCI_MAX_TRANSACTIONS);
    if (status < 0)
        return status;
    gpci_count_instruction(t->h, w->sm, w->mask);
    const uint32_t count = gpci_constants_lines(t->h, w, lines, &request);
    const uint32_t inflight = gpci_take_inflight(t, w->sm, w->warp, w->kind, token, count);
    t->inflights[inflight].framed = framed;
    t->inflights[inflight].constant = true;
    request.cycle = t->wheel.now;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t number = gpci_pool_take(&t->pool);
        gpci_packet *p = gpci_packet_at(&t->pool, number);
        *p = (gpci_packet){.address = lines[i].address,
                           .request = request,
                           .line = {.inflight = inflight, .kind = w->kind},
                           .segments = lines[i].segments,
                           .level = 1,
                           .flags = i + 1 == count ? GPCI_PACKET_LAST : 0};
        p->request.address = lines[i].address;
        p->request.bytes_used = (uint16_t)gpci_transaction_bytes(&lines[i]);
        segments += gpci_count_sectors(lines[i].segments);
        t->pool.links[number].due = t->wheel.now;
        gpci_queue_append(queue, &t->pool, t->wheel.now, number);
    }
    gpci_queue_pushed(queue, &t->pool, t->wheel.now);
    gpci_log_issue(t, queue, inflight, count, segments);
    gpci_ctrl_waits(l1, t->wheel.now);
    gpci_wheel_wake(&t->wheel, l1->component, t->wheel.now);
    return GPC_OK;
}

static gpci_verdict pass(gpci_timed *t, gpci_ctrl *ctrl, uint32_t packet, gpci_tag_access *access) {
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    if (!access->looked) {
        gpci_ctrl_look(t, ctrl, p, access);
        gpci_constants_looked(t->h, ctrl->index, access->result.outcome == GPC_HIT, access->flying != 0);
        gpci_log_lookup(t, ctrl, p, access);
    }
    const gpci_verdict verdict = gpci_ctrl_settle(t, ctrl, packet, access, false);
    if (verdict == GPCI_SERVED)
        gpci_l1_serve(t, ctrl, packet);
    return verdict;
}

/* Let data out, and pass lines through the tags. */
static void step(gpci_timed *t, gpci_ctrl *l1) {
    gpci_ctrl *ctrl = gpci_constants_of(l1);
    gpci_tag_access *access = &ctrl->tag_access[0];
    gpci_l1_run_due(t, l1, &ctrl->due);
    while (ctrl->in.count && !gpci_ctrl_stuck(access) && !gpci_replies_wait(l1)) {
        const uint32_t packet = ctrl->in.first;
        const bool last = gpci_packet_at(&t->pool, packet)->flags & GPCI_PACKET_LAST;
        if (!gpci_ctrl_port(ctrl, t->wheel.now, gpci_packet_at(&t->pool, packet)->address)) {
            gpci_wheel_wake(&t->wheel, l1->component, t->wheel.now + 1);
            return;
        }
        const uint32_t next = gpci_tags_take(t, &ctrl->in);
        if (pass(t, ctrl, packet, access) == GPCI_BLOCKED) {
            gpci_tags_put_back(t, ctrl, &ctrl->in, packet, next, access);
            break;
        }
        gpci_tags_passed(ctrl, &ctrl->in, access, t->wheel.now);
        if (last)
            gpci_ctrl_waited(l1, t->wheel.now);
    }
}

/* Move reads to the SM's L1.5, or to L1's miss queue. */
static void ask(gpci_timed *t, gpci_ctrl *l1) {
    gpci_ctrl *ctrl = gpci_constants_of(l1);
    const bool by_l15 = gpci_ctrl_l15(l1) != NULL;
    while (ctrl->out.count && (by_l15 ? gpci_l15_has_room(l1) : !gpci_queue_full(&l1->out))) {
        const uint32_t packet = gpci_queue_pop(&ctrl->out, &t->pool, t->wheel.now);
        if (by_l15)
            gpci_l15_take(t, l1, packet);
        else
            gpci_l1_queue_miss(t, l1, packet, 0);
        gpci_ctrl_resource_freed(ctrl, GPC_BUSY_MISS_QUEUE);
    }
    if (gpci_ctrl_may_retry(&ctrl->tag_access[0]) && !gpci_replies_wait(l1))
        gpci_wheel_wake(&t->wheel, l1->component, t->wheel.now + 1);
}

/* More reads follow, once the miss queue has room. */
static void end(gpci_timed *t, gpci_ctrl *l1) {
    if (!gpci_ctrl_l15(l1) && gpci_constants_of(l1)->out.count && !gpci_queue_full(&l1->out))
        gpci_wheel_wake(&t->wheel, l1->component, t->wheel.now + 1);
}

static void count(const gpci_ctrl *l1, uint64_t now, gpc_stats *s) {
    const gpci_ctrl *ctrl = gpci_constants_of(l1);
    s->const_stalls += gpci_ctrl_stalls(ctrl, GPC_BUSY_MSHR, now) + gpci_ctrl_stalls(ctrl, GPC_BUSY_MERGE, now) +
                       gpci_ctrl_stalls(ctrl, GPC_BUSY_MISS_QUEUE, now);
}

static void reset(gpci_ctrl *l1, uint64_t now) {
    gpci_ctrl_reset(gpci_constants_of(l1), now);
}

static void state(gpci_ctrl *l1, gpci_state_fn visit, void *user_data) {
    gpci_ctrl_state(gpci_constants_of(l1), visit, user_data);
}

static void hold(const gpci_timed *t, const gpci_ctrl *l1, gpci_holders *to) {
    const gpci_ctrl *ctrl = gpci_constants_of(l1), *l15 = gpci_ctrl_l15(l1);
    gpci_mover out = gpci_by_clock(l1->component);
    (void)t;
    if (l15 && !gpci_l15_has_room(l1))
        out = gpci_by_object(GPCI_GROUP_L15S, l15->index);
    else if (!l15 && gpci_queue_full(&l1->out))
        out = gpci_by_itself(to);
    gpci_held(to, "access whose data are coming out", ctrl->due.first != UINT32_MAX, gpci_by_clock(l1->component));
    gpci_held(to, gpci_name_at_tags(ctrl->tag_access), ctrl->in.count,
              gpci_replies_wait(l1) ? gpci_by_itself(to) : gpci_by_tags(to, ctrl, ctrl->tag_access));
    gpci_held(to, "constants to ask for", ctrl->out.count, out);
    gpci_held(to, "lines of constants that are to come from below", ctrl->mshr.used[0], gpci_by_any());
}

const gpci_part_class gpci_constants_part = {
    .levels = GPCI_OF_L1S,
    .in_step = true,
    .make = make,
    .destroy = destroy,
    .step = {[GPCI_AT_BEFORE_TAGS] = step, [GPCI_AT_BELOW] = ask, [GPCI_AT_END] = end},
    .count = count,
    .reset = reset,
    .state = state,
    .hold = hold};
