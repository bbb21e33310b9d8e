/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/gl1_ctrl.h"

#include "base/check.h"
#include "timed/core/ctrl_holders.h"
#include "timed/ctrl/constant_cache.h"

/* Replies of a GL1 to its SMs. */

static void serve(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, uint8_t level) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    gpci_ctrl_serve(timed, ctrl, packet, level);
    pkt->request.policy.policy_word = 0;
    pkt->path.size = timed->header + gpci_packet_bytes(pkt);
    pkt->type = GPCI_REPLY;
}

/* Hand a reply to the fill port of an L1. */
static void hand(gpci_timed *timed, gpci_ctrl *l1, uint32_t packet) {
    l1->below.packets--;
    gpci_queue_push(&l1->fills, &timed->pool, timed->wheel.now, packet);
}

static void run_served(gpci_timed *timed, gpci_ctrl *ctrl) {
    while (ctrl->served.count && timed->pool.links[ctrl->served.first].due <= timed->wheel.now) {
        const uint32_t packet = gpci_queue_pop(&ctrl->served, &timed->pool, timed->wheel.now);
        gpci_ctrl *l1 = &timed->l1[gpci_packet_at(&timed->pool, packet)->request.sm];
        hand(timed, l1, packet);
        gpci_wheel_wake(&timed->wheel, l1->component, timed->wheel.now);
    }
    if (ctrl->served.count)
        gpci_wheel_wake(&timed->wheel, ctrl->component, timed->pool.links[ctrl->served.first].due);
}

/* Packets of a GL1 to L2. */

uint32_t gpci_gl1_port(const gpci_timed *timed, const gpci_ctrl *gl1, uint64_t address) {
    const uint32_t most = timed->hierarchy->gl1_sms, first = gl1->index * most, left = timed->hierarchy->sms - first;
    return first + (uint32_t)((address >> gl1->line->line_shift) % (left < most ? left : most));
}

static void send_out(gpci_timed *timed, gpci_ctrl *ctrl) {
    while (ctrl->out.count) {
        const uint32_t packet = ctrl->out.first;
        gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
        const uint32_t port = gpci_gl1_port(timed, ctrl, pkt->address),
                       size = timed->header + gpci_packet_payload(timed, pkt);
        gpci_network *network = timed->l1[port].networks.requests_out;
        if (!gpci_network_takes(network, port, size)) /* with room again, the network wakes the L1 of the port */
            return;
        gpci_queue_pop(&ctrl->out, &timed->pool, timed->wheel.now);
        gpci_ctrl_resource_freed(ctrl, GPC_BUSY_MISS_QUEUE);
        const uint32_t slice = gpci_interleave_slice(&timed->hierarchy->interleave, pkt->address, &pkt->path.inner);
        gpci_network_send(network, port, gpci_l2_slice(timed->hierarchy, timed->hierarchy->sm_partition[port], slice),
                          size, packet);
    }
}

/* Read missing segments from L2, as a read of the SM that asked first. */
static void fetch(gpci_timed *timed, gpci_ctrl *ctrl, const gpci_fetch_request *asked) {
    const uint32_t packet = gpci_pool_take(&timed->pool);
    gpci_packet *fetched = gpci_packet_at(&timed->pool, packet);
    const gpci_packet *target = gpci_packet_at(&timed->pool, asked->mshr_target);
    *fetched = (gpci_packet){.address = target->address,
                             .request = target->request,
                             .line = {.inflight = UINT32_MAX,
                                      .mshr_target = asked->mshr_target,
                                      .fetched = ctrl->line->sectors_of[asked->segments],
                                      .kind = GPC_LOAD},
                             .segments = asked->segments,
                             .level = 1,
                             .type = GPCI_READ,
                             .flags = GPCI_PACKET_FETCH | GPCI_PACKET_GL1,
                             .born = timed->wheel.now};
    fetched->label = target->label;
    fetched->entry = asked->entry;
    fetched->priority = target->priority;
    gpci_count_gl1_fetch(timed->hierarchy, fetched->request.sm, gpci_count_sectors(asked->segments));
    gpci_queue_push(&ctrl->out, &timed->pool, timed->wheel.now, packet);
    gpci_log_new_packet(timed, GPC_WHAT_FETCH, ctrl, packet, target, false);
}

static const gpci_ctrl_rules rules = {.send = fetch,
                                      .evicted = gpci_read_only_evicted,
                                      .released = serve,
                                      .on_stall = gpci_ctrl_wait,
                                      .on_not_allocated = gpci_ctrl_notify_none};

/* Tags of a GL1. */

/* A packet that is no read, or passes the GL1, goes on. A write or an atomic drops the line first. */
static gpci_verdict go_on(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, gpci_tag_access *access) {
    const gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    if (gpci_queue_full(&ctrl->out))
        return gpci_ctrl_block(ctrl, access, timed->wheel.now, GPC_BUSY_MISS_QUEUE);
    if (pkt->type != GPCI_READ) {
        gpci_gl1_change(timed->hierarchy, pkt->request.sm, pkt->address);
        gpci_ctrl_outdate(timed, ctrl, pkt->address, ctrl->line->all_segments);
    }
    gpci_queue_push(&ctrl->out, &timed->pool, timed->wheel.now, packet);
    return GPCI_WAITING;
}

static void count_lookup(gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *pkt,
                         const gpci_tag_access *access) {
    const uint8_t found = ctrl->line->segments_of[access->result.hit_sectors] | access->flying;
    gpci_count_gl1_read(timed->hierarchy, pkt->request.sm, gpci_count_sectors(pkt->segments),
                        gpci_count_sectors(pkt->segments & found), gpci_count_sectors(pkt->segments & access->flying));
    GPCI_AGAIN(gpci_count_gl1_read_again(timed->hierarchy, pkt->request.sm, pkt->segments, found,
                                         pkt->segments & access->flying));
}

static gpci_verdict pass(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, gpci_tag_access *access) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    if (pkt->type != GPCI_READ || !gpci_gl1_takes(&pkt->request))
        return go_on(timed, ctrl, packet, access);
    if (!access->looked) {
        gpci_gl1_ask(timed->hierarchy, pkt->segments, &pkt->request);
        gpci_ctrl_look(timed, ctrl, pkt, access);
        count_lookup(timed, ctrl, pkt, access);
        gpci_log_lookup(timed, ctrl, pkt, access);
    }
    const gpci_verdict verdict = gpci_ctrl_settle(timed, ctrl, packet, access, false);
    if (verdict == GPCI_SERVED)
        serve(timed, ctrl, packet, 1);
    return verdict;
}

/* A packet of an SM has passed the tags: the SM's L1 may send another. */
static void passed(gpci_timed *timed, const gpci_ctrl *l1) {
    gpci_gl1_way_of(l1)->waiting--;
    if (l1->out.count)
        gpci_wheel_wake(&timed->wheel, l1->component, timed->wheel.now);
}

/*
 * Pass packets through the tags, unless the data port is behind by more than the latency. A packet of the line of the
 * packet before passes along, without a bank: SMs often read a line together.
 */
static void run_tags(gpci_timed *timed, gpci_ctrl *ctrl) {
    gpci_tag_access *access = &ctrl->tag_access[0];
    const uint64_t now = timed->wheel.now;
    uint64_t before = UINT64_MAX;
    while (ctrl->in.count && !gpci_ctrl_stuck(access)) {
        const uint32_t packet = ctrl->in.first, sm = gpci_packet_at(&timed->pool, packet)->request.sm;
        const uint64_t address = gpci_packet_at(&timed->pool, packet)->address;
        if (ctrl->data.free > now + ctrl->options->latency ||
            (address != before && !gpci_ctrl_port(ctrl, now, address))) {
            gpci_wheel_wake(&timed->wheel, ctrl->component, now + 1);
            return;
        }
        const uint32_t next = gpci_tags_take(timed, &ctrl->in);
        if (pass(timed, ctrl, packet, access) == GPCI_BLOCKED) {
            gpci_tags_put_back(timed, ctrl, &ctrl->in, packet, next, access);
            return;
        }
        gpci_tags_passed(ctrl, &ctrl->in, access, now);
        before = address;
        passed(timed, &timed->l1[sm]);
    }
}

static void step(const gpci_group *group, uint32_t index) {
    gpci_timed *timed = group->timed;
    gpci_ctrl *ctrl = &timed->gl1[index];
    run_served(timed, ctrl);
    send_out(timed, ctrl);
    run_tags(timed, ctrl);
    send_out(timed, ctrl);
    if (gpci_ctrl_may_retry(&ctrl->tag_access[0]))
        gpci_wheel_wake(&timed->wheel, ctrl->component, timed->wheel.now + 1);
}

/* The part of an L1: replies of the SM's port, packets of the miss queue, and room at the port. */

bool gpci_gl1_has_room(const gpci_timed *timed, const gpci_ctrl *l1) {
    return gpci_gl1_way_of(l1)->waiting < timed->gl1_queue;
}

static bool leaves(gpci_timed *timed, gpci_ctrl *l1, uint32_t packet) {
    gpci_gl1_way *way = gpci_gl1_way_of(l1);
    l1->below.packets += !(gpci_packet_at(&timed->pool, packet)->flags & GPCI_PACKET_POSTED);
    way->waiting++;
    gpci_queue_push(&way->gl1->in, &timed->pool, timed->wheel.now, packet);
    gpci_wheel_wake(&timed->wheel, way->gl1->component, timed->wheel.now);
    return true;
}

static void fill(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    pkt->request.address = pkt->address; /* L2 has changed the address */
    GPCI_AGAIN(gpci_count_gl1_fetch_again(timed->hierarchy, pkt->request.sm, pkt->segments));
    gpci_ctrl_fill(timed, ctrl, packet);
    gpci_wheel_wake(&timed->wheel, ctrl->component, timed->wheel.now);
}

/* Take all replies that have come: the GL1's own, and replies of packets that have passed the GL1. */
static void arrive(gpci_timed *timed, gpci_ctrl *l1) {
    while (gpci_network_peek(l1->networks.replies_in, l1->index) != GPCI_NO_PACKET) {
        const uint32_t packet = gpci_network_receive(l1->networks.replies_in, l1->index);
        const gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
        GPCI_AGAIN(l1->counts.reply_bytes_again += gpci_reply_bytes_asked(timed, pkt));
        if (pkt->flags & GPCI_PACKET_FETCH && pkt->flags & GPCI_PACKET_GL1)
            fill(timed, gpci_gl1_way_of(l1)->gl1, packet);
        else
            hand(timed, l1, packet);
    }
}

/* The network may have room again at this port. */
static void end(gpci_timed *timed, gpci_ctrl *l1) {
    gpci_ctrl *gl1 = gpci_gl1_way_of(l1)->gl1;
    if (!gl1->out.count)
        return;
    send_out(timed, gl1);
    if (gpci_ctrl_may_retry(&gl1->tag_access[0]))
        gpci_wheel_wake(&timed->wheel, gl1->component, timed->wheel.now);
}

static void way_state(gpci_ctrl *l1, gpci_state_fn visit, void *user_data) {
    GPCI_STATE_FROM(visit, user_data, gpci_gl1_way, gpci_gl1_way_of(l1), waiting);
}

const gpci_part_class gpci_gl1_way_part = {.levels = GPCI_OF_L1S,
                                           .in_step = true,
                                           .step = {[GPCI_AT_ARRIVE] = arrive, [GPCI_AT_END] = end},
                                           .leaves = leaves,
                                           .state = way_state};

/* Entries in flight, of which no data are kept, and which no later read joins. */
static void outdate_all(const gpci_timed *timed, const gpci_ctrl *ctrl) {
    for (uint32_t i = 0; i <= ctrl->mshr.mask; i++) {
        const gpci_mshr_row *row = &ctrl->mshr.rows[i];
        for (uint32_t n = 0; n < row->count; n++)
            gpci_packet_at(&timed->pool, row->mshr_entries[n])->mshr.outdated = ctrl->line->all_segments;
        for (uint32_t entry = row->chain; entry != GPCI_NO_PACKET;) {
            gpci_packet *pkt = gpci_packet_at(&timed->pool, entry);
            pkt->mshr.outdated = ctrl->line->all_segments;
            entry = pkt->mshr.chain;
        }
    }
}

void gpci_gl1_drop(gpci_timed *timed, const gpci_ctrl *l1) {
    const gpci_ctrl *gl1 = gpci_gl1_way_of(l1)->gl1;
    gpci_drop_all(gl1->cache);
    outdate_all(timed, gl1);
}

/* The component. */

static gpci_group_size size(const gpci_timed *timed, gpci_group_kind kind) {
    (void)kind;
    return (gpci_group_size){timed->hierarchy->gl1_count, timed->hierarchy->gl1_count};
}

static gpci_ctrl_options options_of(const gpc_hierarchy *hierarchy) {
    const uint32_t banks = (uint32_t)gpci_number(hierarchy, GPCI_KEY_GL1_BANKS);
    return (gpci_ctrl_options){.latency = (uint32_t)gpci_number(hierarchy, GPCI_KEY_GL1_LATENCY),
                               .ports = banks,
                               .banks = banks,
                               .data_width = (uint32_t)gpci_number(hierarchy, GPCI_KEY_GL1_WIDTH),
                               .fill_width = hierarchy->l1_level.line_bytes,
                               .entries = gpci_number(hierarchy, GPCI_KEY_GL1_MSHR),
                               .merges = gpci_number(hierarchy, GPCI_KEY_GL1_MERGES),
                               .packed = true,
                               .clock = {1, 1}};
}

static gpc_status make(gpci_group *group, gpc_error *error) {
    gpci_timed *timed = group->timed;
    const gpc_hierarchy *hierarchy = timed->hierarchy;
    const uint64_t queue = gpci_number(hierarchy, GPCI_KEY_GL1_QUEUE);
    gpc_status status = GPC_OK;
    timed->gl1_options = options_of(hierarchy);
    timed->gl1_queue = queue >= GPCI_UNLIMITED ? GPCI_UNLIMITED : queue ? (uint32_t)queue : 1;
    group->self = timed->gl1 = gpci_zalloc(timed->context, group->objects, sizeof *timed->gl1);
    timed->gl1_ways = gpci_zalloc(timed->context, hierarchy->sms, sizeof *timed->gl1_ways);
    if (!timed->gl1 || !timed->gl1_ways)
        return gpci_out_of_memory(error);
    for (uint32_t i = 0; i < group->objects && status == GPC_OK; i++) {
        const gpci_ctrl ctrl = {.index = i, .component = group->first + i, .level = GPCI_LEVEL_GL1};
        status = gpci_ctrl_make_plain(timed, &ctrl, &rules, &timed->gl1_options, &hierarchy->l1_level, &timed->gl1[i]);
        timed->gl1[i].cache = hierarchy->gl1[i];
        gpci_queue_init(&timed->gl1[i].out, gpci_number(hierarchy, GPCI_KEY_GL1_MISS_QUEUE));
    }
    for (uint32_t sm = 0; sm < hierarchy->sms; sm++)
        timed->gl1_ways[sm].gl1 = &timed->gl1[gpci_gl1_index(hierarchy, sm)];
    return status < 0 ? gpci_out_of_memory(error) : GPC_OK;
}

static void destroy(gpci_group *group) {
    gpci_timed *timed = group->timed;
    for (uint32_t i = 0; timed->gl1 && i < group->objects; i++)
        gpci_ctrl_unmake(timed, &timed->gl1[i]);
    gpci_free(timed->context, timed->gl1);
    gpci_free(timed->context, timed->gl1_ways);
}

static void count(const gpci_group *group, uint32_t index, gpc_stats *stats) {
    const gpci_ctrl *ctrl = &group->timed->gl1[index];
    const uint64_t now = group->timed->wheel.now;
    stats->gl1_stalls += gpci_ctrl_stalls(ctrl, GPC_BUSY_MSHR, now) + gpci_ctrl_stalls(ctrl, GPC_BUSY_MERGE, now) +
                         gpci_ctrl_stalls(ctrl, GPC_BUSY_MISS_QUEUE, now);
}

const gpci_component_class gpci_gl1_class = GPCI_COMPONENT_CLASS(
    GPCI_SCOPE_HIERARCHY, size, make, destroy, step, NULL, count, gpci_ctrls_reset, gpci_ctrls_state, gpci_gl1_hold);
