/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/ctrl/constant_cache.h"
#include "base/check.h"

#include "timed/core/ctrl_holders.h"
#include "timed/core/timed.h"
#include "timed/ctrl/l15_ctrl.h"

/* A line of constants at the tags, and in flight. */

void gpci_read_only_send(gpci_timed *timed, gpci_ctrl *ctrl, const gpci_fetch_request *asked) {
    const uint32_t fetch = gpci_pool_take(&timed->pool);
    gpci_packet *fetched = gpci_packet_at(&timed->pool, fetch);
    const gpci_packet *mshr_target = gpci_packet_at(&timed->pool, asked->mshr_target);
    *fetched = (gpci_packet){.address = mshr_target->address & ~(uint64_t)(ctrl->line->line_bytes - 1),
                             .request = mshr_target->request,
                             .line = {.inflight = UINT32_MAX,
                                      .mshr_target = asked->mshr_target,
                                      .fetched = ctrl->line->sectors_of[asked->segments],
                                      .kind = mshr_target->line.kind},
                             .segments = asked->segments,
                             .level = 1,
                             .type = GPCI_READ,
                             .flags = GPCI_PACKET_FETCH | GPCI_PACKET_CONSTANT,
                             .born = timed->wheel.now};
    fetched->request.address = fetched->address;
    gpci_queue_push(&ctrl->out, &timed->pool, timed->wheel.now, fetch);
    gpci_log_new_packet(timed, GPC_WHAT_FETCH, ctrl, fetch, mshr_target, false);
}

void gpci_read_only_evicted(gpci_timed *timed, gpci_ctrl *ctrl, const gpc_eviction *eviction) {
    (void)timed;
    (void)ctrl;
    (void)eviction;
}

static const gpci_ctrl_rules rules = {.own_lines = true,
                                      .send = gpci_read_only_send,
                                      .evicted = gpci_read_only_evicted,
                                      .released = gpci_l1_release,
                                      .on_stall = gpci_ctrl_wait,
                                      .on_not_allocated = gpci_ctrl_notify_none};

static gpc_status make(gpci_timed *timed, gpci_ctrl *l1, gpc_error *error) {
    const gpc_hierarchy *hierarchy = timed->hierarchy;
    if (!hierarchy->constants)
        return GPC_OK;
    gpci_ctrl *ctrl = gpci_zalloc(timed->context, 1, sizeof *ctrl);
    if (!ctrl)
        return gpci_out_of_memory(error);
    gpci_part_add(l1, GPCI_PART_CONSTANTS, &gpci_constants_part, ctrl);
    timed->constants_level = gpci_constants_level(hierarchy);
    const uint64_t latency = gpci_number(hierarchy, GPCI_KEY_CONST_LATENCY);
    timed->constants_options = (gpci_ctrl_options){
        .latency = (uint32_t)(latency == GPCI_WORD ? gpci_number(hierarchy, GPCI_KEY_SM_LATENCY_CONSTANT) : latency),
        .ports = 1,
        .banks = 1,
        .data_width = timed->constants_level.line_bytes,
        .fill_width = timed->constants_level.line_bytes,
        .entries = gpci_number(hierarchy, GPCI_KEY_CONST_MSHR),
        .merges = gpci_number(hierarchy, GPCI_KEY_CONST_MERGES),
        .clock = {1, 1}};
    const gpc_status status =
        gpci_ctrl_make_plain(timed, l1, &rules, &timed->constants_options, &timed->constants_level, ctrl);
    gpci_queue_init(&ctrl->out, gpci_number(hierarchy, GPCI_KEY_CONST_MISS_QUEUE));
    ctrl->cache = hierarchy->constants[l1->index];
    return status < 0 ? gpci_out_of_memory(error) : GPC_OK;
}

static void destroy(gpci_timed *timed, gpci_ctrl *l1) {
    gpci_ctrl_unmake(timed, gpci_constants_of(l1));
    gpci_free(timed->context, gpci_constants_of(l1));
}

gpc_status gpci_constants_issue(gpci_timed *timed, const gpc_warp_access *access, uint64_t token, bool framed) {
    gpci_transaction lines[GPCI_MAX_TRANSACTIONS];
    gpci_ctrl *l1 = &timed->l1[access->sm], *ctrl = gpci_constants_of(l1);
    gpci_queue *queue = gpci_part_is_there(l1, GPCI_PART_COLLECTOR) ? l1->entrance : &ctrl->in;
    gpc_request request;
    uint32_t segments = 0;
    const gpc_status status = gpci_reserve_inflights(timed, GPCI_MAX_TRANSACTIONS);
    if (status < 0)
        return status;
    gpci_count_instruction(timed->hierarchy, access->sm, access->mask);
    GPCI_AGAIN(timed->hierarchy->of_sm[access->sm].again.thread_instructions += gpci_popcount(access->mask));
    const uint32_t count = gpci_constants_lines(timed->hierarchy, access, lines, &request);
    const uint32_t inflight = gpci_take_inflight(timed, access->sm, access->warp, access->kind, token, count);
    timed->inflights[inflight].framed = framed;
    timed->inflights[inflight].constant = true;
    GPCI_AGAIN(timed->hierarchy->of_sm[access->sm].again.const_requests++);
    request.cycle = timed->wheel.now;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t number = gpci_pool_take(&timed->pool);
        gpci_packet *pkt = gpci_packet_at(&timed->pool, number);
        *pkt = (gpci_packet){.address = lines[i].address,
                             .request = request,
                             .line = {.inflight = inflight, .kind = access->kind},
                             .segments = lines[i].segments,
                             .level = 1,
                             .flags = i + 1 == count ? GPCI_PACKET_LAST : 0};
        pkt->request.address = lines[i].address;
        pkt->request.bytes_used = (uint16_t)gpci_transaction_bytes(&lines[i]);
        segments += gpci_count_sectors(lines[i].segments);
        timed->pool.links[number].due = timed->wheel.now;
        gpci_queue_append(queue, &timed->pool, timed->wheel.now, number);
    }
    gpci_queue_pushed(queue, &timed->pool, timed->wheel.now);
    gpci_log_issue(timed, queue, inflight, count, segments);
    gpci_ctrl_waits(l1, timed->wheel.now);
    gpci_wheel_wake(&timed->wheel, l1->component, timed->wheel.now);
    return GPC_OK;
}

static gpci_verdict pass(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, gpci_tag_access *access) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    if (!access->looked) {
        gpci_ctrl_look(timed, ctrl, pkt, access);
        gpci_constants_looked(timed->hierarchy, ctrl->index, access->result.outcome == GPC_HIT, access->flying != 0);
        GPCI_AGAIN(timed->hierarchy->of_sm[ctrl->index].again.const_line_merges += access->flying ? 1 : 0);
        gpci_log_lookup(timed, ctrl, pkt, access);
    }
    const gpci_verdict verdict = gpci_ctrl_settle(timed, ctrl, packet, access, false);
    if (verdict == GPCI_SERVED)
        gpci_l1_serve(timed, ctrl, packet);
    return verdict;
}

/* Let data out, and pass lines through the tags. */
static void step(gpci_timed *timed, gpci_ctrl *l1) {
    gpci_ctrl *ctrl = gpci_constants_of(l1);
    gpci_tag_access *access = &ctrl->tag_access[0];
    gpci_l1_run_due(timed, l1, &ctrl->due);
    while (ctrl->in.count && !gpci_ctrl_stuck(access) && !gpci_replies_wait(l1)) {
        const uint32_t packet = ctrl->in.first;
        const bool last = gpci_packet_at(&timed->pool, packet)->flags & GPCI_PACKET_LAST;
        if (!gpci_ctrl_port(ctrl, timed->wheel.now, gpci_packet_at(&timed->pool, packet)->address)) {
            gpci_wheel_wake(&timed->wheel, l1->component, timed->wheel.now + 1);
            return;
        }
        const uint32_t next = gpci_tags_take(timed, &ctrl->in);
        if (pass(timed, ctrl, packet, access) == GPCI_BLOCKED) {
            gpci_tags_put_back(timed, ctrl, &ctrl->in, packet, next, access);
            break;
        }
        gpci_tags_passed(ctrl, &ctrl->in, access, timed->wheel.now);
        if (last)
            gpci_ctrl_waited(l1, timed->wheel.now);
    }
}

/* Move reads to the SM's L1.5, or to L1's miss queue. */
static void ask(gpci_timed *timed, gpci_ctrl *l1) {
    gpci_ctrl *ctrl = gpci_constants_of(l1);
    const bool by_l15 = gpci_ctrl_l15(l1) != NULL;
    while (ctrl->out.count && (by_l15 ? gpci_l15_has_room(l1) : !gpci_queue_full(&l1->out))) {
        const uint32_t packet = gpci_queue_pop(&ctrl->out, &timed->pool, timed->wheel.now);
        if (by_l15)
            gpci_l15_take(timed, l1, packet);
        else
            gpci_l1_queue_miss(timed, l1, packet, 0);
        gpci_ctrl_resource_freed(ctrl, GPC_BUSY_MISS_QUEUE);
    }
    if (gpci_ctrl_may_retry(&ctrl->tag_access[0]) && !gpci_replies_wait(l1))
        gpci_wheel_wake(&timed->wheel, l1->component, timed->wheel.now + 1);
}

/* More reads follow, once the miss queue has room. */
static void end(gpci_timed *timed, gpci_ctrl *l1) {
    if (!gpci_ctrl_l15(l1) && gpci_constants_of(l1)->out.count && !gpci_queue_full(&l1->out))
        gpci_wheel_wake(&timed->wheel, l1->component, timed->wheel.now + 1);
}

static void count(const gpci_ctrl *l1, uint64_t now, gpc_stats *stats) {
    const gpci_ctrl *ctrl = gpci_constants_of(l1);
    stats->const_stalls += gpci_ctrl_stalls(ctrl, GPC_BUSY_MSHR, now) + gpci_ctrl_stalls(ctrl, GPC_BUSY_MERGE, now) +
                           gpci_ctrl_stalls(ctrl, GPC_BUSY_MISS_QUEUE, now);
}

void gpci_constants_fill(gpci_timed *timed, gpci_ctrl *l1, uint32_t fetch) {
    if (gpci_ctrl_l15(l1)) {
        gpci_l15_fill(timed, l1, fetch);
        return;
    }
    gpci_packet_at(&timed->pool, fetch)->request.sector_mask = 1;
    gpci_ctrl_fill(timed, gpci_constants_of(l1), fetch);
}

static void reset(gpci_ctrl *l1, uint64_t now) {
    gpci_ctrl_reset(gpci_constants_of(l1), now);
}

static void state(gpci_ctrl *l1, gpci_state_fn visit, void *user_data) {
    gpci_ctrl_state(gpci_constants_of(l1), visit, user_data);
}

static void hold(const gpci_timed *timed, const gpci_ctrl *l1, gpci_holders *holders) {
    const gpci_ctrl *ctrl = gpci_constants_of(l1), *l15 = gpci_ctrl_l15(l1);
    gpci_mover out = gpci_by_clock(l1->component);
    (void)timed;
    if (l15 && !gpci_l15_has_room(l1))
        out = gpci_by_object(GPCI_GROUP_L15S, l15->index);
    else if (!l15 && gpci_queue_full(&l1->out))
        out = gpci_by_itself(holders);
    gpci_held(holders, "access whose data are coming out", ctrl->due.first != UINT32_MAX, gpci_by_clock(l1->component));
    gpci_held(holders, gpci_name_at_tags(ctrl->tag_access), ctrl->in.count,
              gpci_replies_wait(l1) ? gpci_by_itself(holders) : gpci_by_tags(holders, ctrl, ctrl->tag_access));
    gpci_held(holders, "constants to ask for", ctrl->out.count, out);
    gpci_held(holders, "lines of constants that are to come from below", ctrl->mshr.used[0], gpci_by_any());
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
