/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/rules/level_rules.h"
#include "level/rules/memory_cache.h"
#include "timed/core/coherent.h"
#include "timed/core/shards.h"
#include "timed/core/stage_times.h"
#include "timed/ctrl/plain_values.h"
#include "timed/l1/copy_engine.h"
#include "timed/l2/port.h"

#include <string.h>

/* Events for actions of the timed hierarchy. */

/* True if a controller is an SM's constant cache, not an L1. */
static bool is_constants(const gpci_ctrl *ctrl) {
    return ctrl->level == 1 && !ctrl->rules->loads_go && ctrl->rules->own_lines && !ctrl->timed->hierarchy->coherent;
}

static gpc_component component_of(const gpci_ctrl *ctrl) {
    if (ctrl->level == 1 && !ctrl->rules->own_lines)
        return GPC_COMPONENT_L15;
    if (ctrl->level == GPCI_LEVEL_MEMORY)
        return GPC_COMPONENT_MEMORY_CACHE;
    if (ctrl->level == 1)
        return is_constants(ctrl) ? GPC_COMPONENT_CONST : GPC_COMPONENT_L1;
    return ctrl->level == 2                ? GPC_COMPONENT_L2
           : ctrl->level == GPCI_LEVEL_GL1 ? GPC_COMPONENT_GL1
                                           : GPC_COMPONENT_CLUSTER;
}

/* An event of a packet. Without an access, for example for a write-back, it has no instruction. */
static gpc_event event_of(const gpci_timed *timed, gpc_what what, gpc_component component, uint32_t index,
                          const gpci_packet *pkt) {
    const gpci_packet_label *label = gpci_label_at(&timed->pool, pkt);
    gpc_event event = gpci_event_of_none(timed->log, what, component, index);
    event.packet = label->id;
    event.parent = label->parent;
    event.access = label->origin;
    event.address = pkt->address;
    event.kind = label->kind;
    event.bytes = gpci_packet_bytes(pkt);
    if (label->port) /* a port's line; the SM of `request` is only for policies (port.c, neighbour) */
        return event;
    event.sm = pkt->request.sm;
    if (label->origin) {
        event.pc = pkt->request.pc;
        event.warp = pkt->request.warp;
        event.block = pkt->request.block;
    }
    return event;
}

static void tell(gpci_timed *timed, gpc_what what, const gpci_ctrl *ctrl, const gpci_packet *pkt, uint64_t detail) {
    if (what == GPC_WHAT_REPLY)
        gpci_stages_reply(timed, pkt);
    else
        gpci_stages_follow(timed, what, ctrl, pkt, detail);
    const gpci_packet_label *label = gpci_label_at(&timed->pool, pkt);
    /* a store's copy on the way below is no line transaction, nor is a fence's write-back */
    if (!label->id || (what == GPC_WHAT_REPLY && (!label->origin || label->parent != label->origin)))
        return;
    gpc_event event = event_of(timed, what, component_of(ctrl), ctrl->index, pkt);
    if (ctrl->level == 2)
        event.address = gpci_l2_line(timed, event.address);
    if (what == GPC_WHAT_SERVE)
        event.until = detail;
    else if (what == GPC_WHAT_MSHR_MERGE)
        event.value = detail;
    else
        event.outcome = (uint8_t)detail;
    if (what == GPC_WHAT_REPLY)
        event.component = GPC_COMPONENT_SM;
    if (what == GPC_WHAT_JOIN)
        event.component = GPC_COMPONENT_COALESCER;
    if (what == GPC_WHAT_FILL) {
        timed->log->cause = label->id;
        timed->log->cause_at = ctrl;
    }
    gpci_event_log_put(timed->log, &event);
}

void gpci_append_event(gpci_timed *timed, gpc_what what, const gpci_ctrl *ctrl, const gpci_packet *pkt,
                       uint64_t detail) {
    if (timed->values && what == GPC_WHAT_SERVE && ctrl->level == 2)
        gpci_plain_served(timed, ctrl, pkt);
    else if (timed->values && what == GPC_WHAT_REPLY)
        gpci_plain_replied(timed, pkt, pkt->segments);
    tell(timed, what, ctrl, pkt, detail);
}

void gpci_append_reply(gpci_timed *timed, const gpci_packet *pkt, uint8_t level) {
    if (pkt->line.inflight != UINT32_MAX) /* a prefetch has no waiter */
        tell(timed, GPC_WHAT_REPLY, &timed->l1[timed->inflights[pkt->line.inflight].sm], pkt, level);
}

void gpci_append_kept(gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *pkt, const gpc_access_result *got) {
    gpci_append_event(timed, got->way == GPCI_NO_WAY ? GPC_WHAT_BYPASS : GPC_WHAT_FILL, ctrl, pkt, 0);
}

static void tell_access(gpci_timed *timed, uint32_t inflight, const gpc_request *request, uint32_t segments) {
    gpci_inflight *access = &timed->inflights[inflight];
    gpci_stages_access(timed, inflight, request);
    gpc_event event = gpci_event_of_none(timed->log, GPC_WHAT_ISSUE, GPC_COMPONENT_SM, request->sm);
    access->trace.id = ++timed->log->packets;
    access->trace.pc = request->pc;
    access->trace.block = request->block;
    access->trace.address = request->address & ~(uint64_t)(timed->hierarchy->l1_level.line_bytes - 1);
    event.packet = event.access = access->trace.id;
    event.address = access->trace.address;
    event.pc = request->pc;
    event.sm = request->sm;
    event.warp = request->warp;
    event.block = request->block;
    event.kind = request->kind;
    event.bytes = segments * GPCI_SEGMENT;
    gpci_event_log_put(timed->log, &event);
}

static void tell_line(gpci_timed *timed, uint32_t packet, uint32_t inflight) {
    const gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    gpci_packet_label *label = gpci_label_take(&timed->pool, packet);
    label->parent = label->origin = timed->inflights[inflight].trace.id;
    label->id =
        label->origin ? ++timed->log->packets : 0; /* a copy may have been accepted before the event log was set */
    label->kind = pkt->request.kind;
    label->port = 0;
    gpci_stages_line(timed, pkt, inflight);
    if (!label->id)
        return;
    gpc_event event = event_of(timed, GPC_WHAT_LINE, GPC_COMPONENT_SM, pkt->request.sm, pkt);
    gpci_event_log_put(timed->log, &event);
}

void gpci_append_issue(gpci_timed *timed, const gpci_queue *queue, uint32_t inflight, uint32_t count,
                       uint32_t segments) {
    uint32_t packet = queue->first;
    for (uint32_t i = count; i < queue->count; i++)
        packet = timed->pool.links[packet].next;
    tell_access(timed, inflight, &gpci_packet_at(&timed->pool, packet)->request, segments);
    for (uint32_t i = 0; i < count; i++, packet = timed->pool.links[packet].next)
        tell_line(timed, packet, inflight);
}

void gpci_append_miss(gpci_timed *timed, const gpci_ctrl *ctrl, uint32_t inflight, uint32_t packet) {
    const gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    tell_access(timed, inflight, &pkt->request, gpci_count_sectors(pkt->segments));
    tell_line(timed, packet, inflight);
    gpci_append_event(timed, GPC_WHAT_QUEUE, ctrl, pkt, 0);
}

/* A copy to several SMs is a single access, completing once per SM. */
void gpci_append_bulk(gpci_timed *timed, const gpci_bulk_entry *copy) {
    gpci_bulk rest = copy->bulk;
    gpci_transaction line;
    uint32_t segments = 0;
    while (rest.row < rest.rows) {
        gpci_bulk_next(&rest, gpci_bulk_shift(timed->hierarchy), &line);
        segments += gpci_count_sectors(line.segments);
    }
    tell_access(timed, copy->inflight, &copy->request, segments);
    for (uint32_t f = timed->inflights[copy->inflight].next; f != UINT32_MAX && copy->targets > 1;
         f = timed->inflights[f].next) {
        gpci_stages_access(timed, f, &copy->request);
        timed->inflights[f].trace = timed->inflights[copy->inflight].trace;
    }
}

void gpci_append_bulk_request(gpci_timed *timed, uint32_t packet) {
    tell_line(timed, packet, gpci_packet_at(&timed->pool, packet)->line.inflight);
}

/* Give a packet a separate label, a copy of the present label of another packet. */
static void copy_label(gpci_timed *timed, uint32_t packet) {
    const gpci_packet_label other = *gpci_label_of(&timed->pool, gpci_packet_at(&timed->pool, packet));
    *gpci_label_take(&timed->pool, packet) = other;
}

void gpci_append_fork(gpci_timed *timed, uint32_t packet) {
    copy_label(timed, packet);
    gpci_stages_fork(timed, gpci_packet_at(&timed->pool, packet));
}

/* Label a new write-back, and set the fields that a slice's packets to memory lack. */
static void complete_write_back(gpci_timed *timed, const gpci_ctrl *ctrl, uint32_t packet) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    *gpci_label_take(&timed->pool, packet) = (gpci_packet_label){
        .id = ++timed->log->packets, .parent = timed->log->cause_at == ctrl ? timed->log->cause : 0, .kind = GPC_STORE};
    if (ctrl->level != 2)
        return;
    pkt->request.sm = GPC_NONE;
    pkt->address = gpci_l2_host_address(timed->hierarchy, ctrl->index, pkt->request.address);
}

static void tell_child(gpci_timed *timed, gpc_what what, const gpci_ctrl *ctrl, uint32_t packet,
                       const gpci_packet *parent) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    gpci_packet_label label = *gpci_label_of(&timed->pool, parent);
    label.parent = label.id;
    label.id = label.id ? ++timed->log->packets : 0;
    *gpci_label_take(&timed->pool, packet) = label;
    gpci_append_event(timed, what, ctrl, pkt, 0);
}

void gpci_append_new_packet(gpci_timed *timed, gpc_what what, const gpci_ctrl *ctrl, uint32_t packet,
                            const gpci_packet *parent, bool passes) {
    const gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    if (parent) {
        tell_child(timed, what, ctrl, packet, parent);
    } else {
        complete_write_back(timed, ctrl, packet);
        gpci_append_event(timed, what, ctrl, pkt, 0);
    }
    gpci_append_queued(timed, ctrl, pkt, passes);
}

void gpci_append_copy(gpci_timed *timed, const gpci_ctrl *ctrl, uint32_t packet) {
    gpci_append_fork(timed, packet);
    tell_child(timed, GPC_WHAT_WRITE_BACK, ctrl, packet, gpci_packet_at(&timed->pool, packet));
}

void gpci_append_queued(gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *pkt, bool passes) {
    if (passes)
        gpci_append_event(timed, GPC_WHAT_BYPASS, ctrl, pkt, 0);
    gpci_append_event(timed, GPC_WHAT_QUEUE, ctrl, pkt, 0);
}

void gpci_append_hit(gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *pkt, uint64_t due) {
    if (timed->values)
        gpci_plain_hit(timed, ctrl, pkt);
    tell(timed, GPC_WHAT_SERVE, ctrl, pkt, due);
    tell(timed, GPC_WHAT_REPLY, ctrl, pkt, 1);
}

/* Log a packet that waits at an MSHR entry. The copy that a load leaves in L1 has the load's label. */
void gpci_append_waits(gpci_timed *timed, const gpci_ctrl *ctrl, uint32_t packet, uint32_t mshr_target) {
    const gpci_packet *target = gpci_packet_at(&timed->pool, mshr_target);
    if (mshr_target != packet)
        copy_label(timed, mshr_target);
    if (timed->values && ctrl->rules->loads_go)
        gpci_plain_hit(timed, ctrl, target);
    uint32_t mshr_entry = gpci_mshr_find(timed, ctrl, target->request.address);
    if (mshr_target == mshr_entry)
        gpci_append_event(timed, GPC_WHAT_MSHR_ALLOCATE, ctrl, target, 0);
    else
        gpci_append_event(timed, GPC_WHAT_MSHR_MERGE, ctrl, target,
                          gpci_label_at(&timed->pool, gpci_packet_at(&timed->pool, mshr_entry))->id);
}

void gpci_append_lookup(gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *pkt,
                        const gpci_tag_access *access) {
    if (timed->values && ctrl->level != GPCI_LEVEL_MEMORY)
        gpci_plain_looked(timed, ctrl, pkt);
    const gpc_access_result *result = &access->result;
    uint8_t needed = ctrl->line->segments_of[result->needed_sectors];
    uint8_t here = ctrl->line->segments_of[result->hit_sectors] | access->flying;
    timed->log->cause = gpci_label_at(&timed->pool, pkt)->id;
    timed->log->cause_at = ctrl;
    bool pending = result->outcome != GPC_HIT && access->flying && !(needed & (uint8_t)~here);
    gpci_append_event(timed, GPC_WHAT_LOOKUP, ctrl, pkt, pending ? GPC_PENDING_HIT : result->outcome);
}

static gpc_event *blocked_at(const gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_tag_access *access) {
    const uint32_t sms = timed->hierarchy->sms, behind = 2 * timed->hierarchy->slices;
    const uint32_t l15s = timed->hierarchy->l15_count, gl1s = timed->hierarchy->gl1_count;
    const gpc_component component = component_of(ctrl);
    const uint32_t place = component == GPC_COMPONENT_MEMORY_CACHE ? behind + 2 * sms + l15s + gl1s
                           : component == GPC_COMPONENT_GL1        ? behind + 2 * sms + l15s
                           : component == GPC_COMPONENT_L15        ? behind + 2 * sms
                           : component == GPC_COMPONENT_CONST      ? behind + sms
                           : ctrl->level == 1                      ? 0
                                              : sms + ctrl->index + (access == &ctrl->tag_access[1]);
    return &timed->log->blocked[place + ctrl->index];
}

void gpci_append_blocked(gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *pkt,
                         const gpci_tag_access *access) {
    gpc_event *event = blocked_at(timed, ctrl, access);
    gpci_stages_blocked(timed, ctrl, pkt);
    if (event->outcome == access->reason || !gpci_label_at(&timed->pool, pkt)->id)
        return;
    *event = event_of(timed, GPC_WHAT_BLOCK, component_of(ctrl), ctrl->index, pkt);
    event->outcome = access->reason;
    gpci_event_log_put(timed->log, event);
}

/* The packet may be on the way already, or gone: use the saved event. */
void gpci_append_released(const gpci_ctrl *ctrl, const gpci_tag_access *access) {
    const gpci_timed *timed = ctrl->timed;
    gpc_event *event = blocked_at(timed, ctrl, access), end = *event;
    if (event->outcome == GPC_BUSY_NOT)
        return;
    event->outcome = GPC_BUSY_NOT;
    end.what = GPC_WHAT_UNBLOCK;
    end.cycle = end.until = timed->wheel.now;
    gpci_event_log_put(timed->log, &end);
}

/* Address, for the host, of a line of a cache beside memory. */
static uint64_t memory_line(const gpci_timed *timed, const gpci_ctrl *ctrl, uint64_t local) {
    uint64_t inner;
    const uint32_t slice = gpci_memory_slice_of(&timed->hierarchy->memory, ctrl->index, local, &inner);
    return gpci_l2_host_address(timed->hierarchy, slice, inner);
}

void gpci_append_leaves(gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *pkt,
                        const gpc_eviction *eviction) {
    gpc_what what = eviction->forced ? GPC_WHAT_INVALIDATE : GPC_WHAT_EVICT;
    gpc_event event = event_of(timed, what, component_of(ctrl), ctrl->index, pkt);
    timed->log->cause = event.packet;
    timed->log->cause_at = ctrl;
    event.address = eviction->line_address;
    if (ctrl->level == 2)
        event.address = gpci_l2_host_address(timed->hierarchy, ctrl->index, event.address);
    else if (ctrl->level == GPCI_LEVEL_MEMORY)
        event.address = memory_line(timed, ctrl, event.address);
    event.value = gpci_count_sectors(eviction->dirty_sectors);
    event.bytes = 0;
    if (event.packet)
        gpci_event_log_put(timed->log, &event);
}

static gpc_event event_of_inflight(const gpci_timed *timed, gpc_what what, const gpci_inflight *access) {
    gpc_event event = gpci_event_of_none(timed->log, what, GPC_COMPONENT_SM, access->sm);
    event.packet = event.access = access->trace.id;
    event.address = access->trace.address;
    event.pc = access->trace.pc;
    event.sm = access->sm;
    event.warp = access->warp;
    event.block = access->trace.block;
    event.kind = access->kind == GPCI_KIND_COPY ? access->fence.phase : access->kind;
    return event;
}

void gpci_append_done(gpci_timed *timed, const gpci_inflight *access) {
    if (!access->trace.id)
        return;
    gpc_event event = event_of_inflight(timed, GPC_WHAT_COMPLETE, access);
    event.outcome = access->level;
    event.value = event.cycle - access->issued;
    gpci_event_log_put(timed->log, &event);
}

void gpci_append_held(gpci_timed *timed, const gpci_inflight *access, uint32_t count) {
    if (!access->trace.id)
        return;
    gpc_event event = event_of_inflight(timed, GPC_WHAT_HOLD, access);
    event.value = count;
    gpci_event_log_put(timed->log, &event);
}

void gpci_append_memory(gpci_timed *timed, const gpci_packet *pkt) {
    if (gpci_is_bare(timed, pkt))
        return;
    gpci_stages_memory(timed, pkt);
    gpc_what what = pkt->type == GPCI_WRITE ? GPC_WHAT_MEMORY_WRITE : GPC_WHAT_MEMORY_READ;
    gpc_component component = timed->callbacks.on_memory ? GPC_COMPONENT_HOST : GPC_COMPONENT_MEMORY;
    gpc_event event = event_of(timed, what, component, pkt->path.channel, pkt);
    if (event.packet)
        gpci_event_log_put(timed->log, &event);
}

void gpci_append_data(gpci_timed *timed, const gpci_packet *pkt) {
    if (gpci_is_bare(timed, pkt))
        return;
    gpci_stages_data(timed, pkt);
    gpc_component component = timed->callbacks.on_memory ? GPC_COMPONENT_HOST : GPC_COMPONENT_MEMORY;
    gpc_event event = event_of(timed, GPC_WHAT_DATA, component, pkt->path.channel, pkt);
    if (event.packet)
        gpci_event_log_put(timed->log, &event);
}

/* A packet enters or leaves a network. */
static void on_network(void *user_data, uint8_t component, bool leaves, uint32_t port, uint32_t packet) {
    gpci_timed *timed = user_data;
    const gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    if (timed->values && leaves && component == GPC_COMPONENT_REPLIES)
        gpci_plain_back(timed, port, packet);
    else if (timed->values && leaves && component == GPC_COMPONENT_PARTITION_REPLIES)
        gpci_plain_copied(timed, packet);
    if (gpci_is_bare(timed, pkt))
        return;
    gpci_stages_crosses(timed, component, leaves, pkt);
    if (!gpci_label_at(&timed->pool, pkt)->id)
        return;
    gpc_event event = event_of(timed, leaves ? GPC_WHAT_RECEIVE : GPC_WHAT_SEND, (gpc_component)component, port, pkt);
    event.bytes = pkt->path.size;
    gpci_event_log_put(timed->log, &event);
}

static const gpc_what commands[] = {
    [GPCI_DRAM_ACTIVATE] = GPC_WHAT_ACTIVATE,
    [GPCI_DRAM_PRECHARGE] = GPC_WHAT_PRECHARGE,
    [GPCI_DRAM_PRECHARGE_ALL] = GPC_WHAT_PRECHARGE,
    [GPCI_DRAM_REFRESH] = GPC_WHAT_REFRESH,
    [GPCI_DRAM_REFRESH_BANK] = GPC_WHAT_REFRESH,
    [GPCI_DRAM_READ] = GPC_WHAT_READ,
    [GPCI_DRAM_WRITE] = GPC_WHAT_WRITE,
};

static void on_command(void *user_data, const gpci_dram_event *dram_event) {
    gpci_timed *timed = user_data;
    gpc_what what = commands[dram_event->command];
    bool access = what == GPC_WHAT_READ || what == GPC_WHAT_WRITE || what == GPC_WHAT_ACTIVATE;
    gpc_event event = gpci_event_of_none(timed->log, what, GPC_COMPONENT_MEMORY, dram_event->channel);
    const gpci_packet *pkt = access && !(dram_event->token & GPCI_WRITE_TOKEN)
                                 ? gpci_packet_at(&timed->pool, (uint32_t)dram_event->token)
                                 : NULL;
    if (pkt && gpci_is_bare(timed, pkt))
        pkt = NULL;
    if (pkt)
        gpci_stages_command(timed, pkt, gpci_clock_core(timed->dram_clock, dram_event->cycle));
    if (pkt && gpci_label_at(&timed->pool, pkt)->id)
        event = event_of(timed, what, GPC_COMPONENT_MEMORY, dram_event->channel, pkt);
    else if (access && dram_event->token & GPCI_WRITE_TOKEN)
        event.packet = dram_event->token & ~GPCI_WRITE_TOKEN;
    event.cycle = gpci_clock_core(timed->dram_clock, dram_event->cycle);
    event.until = gpci_clock_core(timed->dram_clock, dram_event->end);
    bool all = dram_event->command == GPCI_DRAM_PRECHARGE_ALL || dram_event->command == GPCI_DRAM_REFRESH;
    event.bank = dram_event->pseudo * dram_event->banks + (all ? 0 : dram_event->bank);
    event.value = access ? dram_event->row : dram_event->command == GPCI_DRAM_PRECHARGE ? 0 : dram_event->token;
    event.bytes = what == GPC_WHAT_READ || what == GPC_WHAT_WRITE ? timed->burst : 0;
    event.outcome = dram_event->auto_precharge;
    gpci_event_log_put(timed->log, &event);
}

/* Clear the event ids of an earlier event log. The clocks of stage times go on. */
static void forget(gpci_timed *timed) {
    const size_t labels = (size_t)timed->pool.chunk_count * GPCI_POOL_CHUNK;
    for (size_t i = 0; i <= labels; i++)
        timed->pool.labels[i].id = timed->pool.labels[i].origin = 0;
    for (uint32_t i = 0; i < timed->inflight_fresh; i++)
        timed->inflights[i].trace.id = 0;
    if (timed->coherent)
        gpci_coherent_forget(timed);
    gpci_ports_forget(timed);
}

gpc_status gpci_timed_watch(gpci_timed *timed, gpci_event_log *log) {
    gpci_event_log *const nobody = timed->values        ? timed->values->nobody
                                   : timed->stage_times ? timed->stage_times->nobody
                                                        : NULL;
    if (gpci_pool_keep_labels(&timed->pool, log || nobody) < 0)
        return GPC_ERROR_MEMORY;
    timed->log = log ? log : nobody;
    if (timed->log) {
        timed->log->clock = &timed->wheel.now;
        forget(timed);
    }
    for (uint32_t kind = 0; kind < GPCI_GROUP_COUNT; kind++)
        if (timed->groups[kind].objects && timed->groups[kind].class == &gpci_network_class)
            gpci_network_watch(timed->groups[kind].self, timed->log ? on_network : NULL, timed);
    gpci_dram_on_command(timed->dram, log || timed->stage_times ? on_command : NULL, timed);
    gpci_shards_refresh(timed);
    return GPC_OK;
}

gpc_status gpci_timed_cancel(gpci_timed *timed) {
    (void)gpci_timed_watch(timed, NULL);
    gpci_trace_destroy(timed->hierarchy);
    return GPC_ERROR_CANCELLED;
}
