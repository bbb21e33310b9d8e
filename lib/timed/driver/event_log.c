/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/rules/level_rules.h"
#include "timed/core/event_log_coherent.h"
#include "timed/core/shards.h"
#include "timed/core/stage_times.h"
#include "timed/ctrl/plain_values.h"
#include "timed/l1/copy_engine.h"
#include "timed/l2/port.h"

#include <string.h>

/* Events for actions of the timed hierarchy. */

/* True if a controller is an SM's constant cache, not an L1. The second function: an L1.5. */
static bool is_constants(const gpci_ctrl *ctrl) {
    return ctrl->level == 1 && !ctrl->rules->loads_go && ctrl->rules->own_lines && !ctrl->timed->h->coherent;
}

static bool is_l15(const gpci_ctrl *ctrl) {
    return ctrl->level == 1 && !ctrl->rules->own_lines;
}

static gpc_component component_of(const gpci_ctrl *ctrl) {
    if (is_constants(ctrl))
        return GPC_COMPONENT_CONST;
    if (is_l15(ctrl))
        return GPC_COMPONENT_L15;
    return ctrl->level == 1 ? GPC_COMPONENT_L1 : ctrl->level == 2 ? GPC_COMPONENT_L2 : GPC_COMPONENT_CLUSTER;
}

/* Label of a packet. Waiters and a tree's messages left before the event log was set and have no label. */
static const gpci_packet_label *label_at(const gpci_timed *t, const gpci_packet *p) {
    return p->flags & GPCI_PACKET_TARGET ? t->pool.labels : gpci_label_of(&t->pool, p);
}

/* An event of a packet. Without an access, for example for a write-back, it has no instruction. */
static gpc_event event_of(const gpci_timed *t, gpc_what what, gpc_component component, uint32_t index,
                          const gpci_packet *p) {
    const gpci_packet_label *label = label_at(t, p);
    gpc_event e = gpci_event_of_none(t->log, what, component, index);
    e.packet = label->id;
    e.parent = label->parent;
    e.access = label->origin;
    e.address = p->address;
    e.kind = label->kind;
    e.bytes = gpci_packet_bytes(p);
    if (label->port) /* no SM asks; `request` has the neighbour that policies are told */
        return e;
    e.sm = p->request.sm;
    if (label->origin) {
        e.pc = p->request.pc;
        e.warp = p->request.warp;
        e.block = p->request.block;
    }
    return e;
}

static void tell(gpci_timed *t, gpc_what what, const gpci_ctrl *ctrl, const gpci_packet *p, uint64_t detail) {
    if (what == GPC_WHAT_REPLY)
        gpci_stages_reply(t, p);
    else
        gpci_stages_follow(t, what, ctrl, p, detail);
    const gpci_packet_label *label = label_at(t, p);
    /* a store's copy on the way below is no line transaction, nor is a fence's write-back */
    if (!label->id || (what == GPC_WHAT_REPLY && (!label->origin || label->parent != label->origin)))
        return;
    gpc_event e = event_of(t, what, component_of(ctrl), ctrl->index, p);
    if (ctrl->level == 2)
        e.address = gpci_l2_line(t, e.address);
    if (what == GPC_WHAT_SERVE)
        e.until = detail;
    else if (what == GPC_WHAT_MSHR_MERGE)
        e.value = detail;
    else
        e.outcome = (uint8_t)detail;
    if (what == GPC_WHAT_REPLY)
        e.component = GPC_COMPONENT_SM;
    if (what == GPC_WHAT_JOIN)
        e.component = GPC_COMPONENT_COALESCER;
    if (what == GPC_WHAT_FILL) {
        t->log->cause = label->id;
        t->log->cause_at = ctrl;
    }
    gpci_event_log_put(t->log, &e);
}

void gpci_append_event(gpci_timed *t, gpc_what what, const gpci_ctrl *ctrl, const gpci_packet *p, uint64_t detail) {
    if (t->values && what == GPC_WHAT_SERVE && ctrl->level == 2)
        gpci_plain_served(t, ctrl, p);
    else if (t->values && what == GPC_WHAT_REPLY)
        gpci_plain_replied(t, p, p->segments);
    tell(t, what, ctrl, p, detail);
}

void gpci_append_reply(gpci_timed *t, const gpci_packet *p, uint8_t level) {
    if (p->line.inflight != UINT32_MAX) /* a prefetch has no waiter */
        tell(t, GPC_WHAT_REPLY, &t->l1[t->inflights[p->line.inflight].sm], p, level);
}

void gpci_append_kept(gpci_timed *t, const gpci_ctrl *ctrl, const gpci_packet *p, const gpc_access_result *got) {
    gpci_append_event(t, got->way == GPCI_NO_WAY ? GPC_WHAT_BYPASS : GPC_WHAT_FILL, ctrl, p, 0);
}

static void tell_access(gpci_timed *t, uint32_t inflight, const gpc_request *request, uint32_t segments) {
    gpci_inflight *f = &t->inflights[inflight];
    gpci_stages_access(t, inflight, request);
    gpc_event e = gpci_event_of_none(t->log, GPC_WHAT_ISSUE, GPC_COMPONENT_SM, request->sm);
    f->trace.id = ++t->log->packets;
    f->trace.pc = request->pc;
    f->trace.block = request->block;
    f->trace.address = request->address & ~(uint64_t)(t->h->l1_level.line_bytes - 1);
    e.packet = e.access = f->trace.id;
    e.address = f->trace.address;
    e.pc = request->pc;
    e.sm = request->sm;
    e.warp = request->warp;
    e.block = request->block;
    e.kind = request->kind;
    e.bytes = segments * GPCI_SEGMENT;
    gpci_event_log_put(t->log, &e);
}

static void tell_line(gpci_timed *t, uint32_t packet, uint32_t inflight) {
    const gpci_packet *p = gpci_packet_at(&t->pool, packet);
    gpci_packet_label *label = gpci_label_take(&t->pool, packet);
    label->parent = label->origin = t->inflights[inflight].trace.id;
    label->id = label->origin ? ++t->log->packets : 0; /* a copy may have been accepted before the event log was set */
    label->kind = p->request.kind;
    label->port = 0;
    gpci_stages_line(t, p, inflight);
    if (!label->id)
        return;
    gpc_event e = event_of(t, GPC_WHAT_LINE, GPC_COMPONENT_SM, p->request.sm, p);
    gpci_event_log_put(t->log, &e);
}

void gpci_append_issue(gpci_timed *t, const gpci_queue *queue, uint32_t inflight, uint32_t count, uint32_t segments) {
    uint32_t packet = queue->first;
    for (uint32_t i = count; i < queue->count; i++)
        packet = t->pool.links[packet].next;
    tell_access(t, inflight, &gpci_packet_at(&t->pool, packet)->request, segments);
    for (uint32_t i = 0; i < count; i++, packet = t->pool.links[packet].next)
        tell_line(t, packet, inflight);
}

void gpci_append_miss(gpci_timed *t, const gpci_ctrl *ctrl, uint32_t inflight, uint32_t packet) {
    const gpci_packet *p = gpci_packet_at(&t->pool, packet);
    tell_access(t, inflight, &p->request, gpci_count_sectors(p->segments));
    tell_line(t, packet, inflight);
    gpci_append_event(t, GPC_WHAT_QUEUE, ctrl, p, 0);
}

/* A copy to several SMs is a single access, completing once per SM. */
void gpci_append_bulk(gpci_timed *t, const gpci_bulk_entry *copy) {
    gpci_bulk rest = copy->bulk;
    gpci_transaction line;
    uint32_t segments = 0;
    while (rest.row < rest.rows) {
        gpci_bulk_next(&rest, gpci_bulk_shift(t->h), &line);
        segments += gpci_count_sectors(line.segments);
    }
    tell_access(t, copy->inflight, &copy->request, segments);
    for (uint32_t f = t->inflights[copy->inflight].next; f != UINT32_MAX && copy->targets > 1;
         f = t->inflights[f].next) {
        gpci_stages_access(t, f, &copy->request);
        t->inflights[f].trace = t->inflights[copy->inflight].trace;
    }
}

void gpci_append_bulk_request(gpci_timed *t, uint32_t packet) {
    tell_line(t, packet, gpci_packet_at(&t->pool, packet)->line.inflight);
}

/* Give a packet a separate label, a copy of the present label of another packet. */
static void copy_label(gpci_timed *t, uint32_t packet) {
    const gpci_packet_label other = *gpci_label_of(&t->pool, gpci_packet_at(&t->pool, packet));
    *gpci_label_take(&t->pool, packet) = other;
}

void gpci_append_fork(gpci_timed *t, uint32_t packet) {
    copy_label(t, packet);
    gpci_stages_fork(t, gpci_packet_at(&t->pool, packet));
}

/* Set fields unknown to a packet to memory. */
static void complete_write_back(gpci_timed *t, const gpci_ctrl *ctrl, uint32_t packet) {
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    *gpci_label_take(&t->pool, packet) = (gpci_packet_label){
        .id = ++t->log->packets, .parent = t->log->cause_at == ctrl ? t->log->cause : 0, .kind = GPC_STORE};
    if (ctrl->level != 2)
        return;
    p->request.sm = GPC_NONE;
    p->address = gpci_l2_host_address(t->h, ctrl->index, p->request.address);
}

static void tell_child(gpci_timed *t, gpc_what what, const gpci_ctrl *ctrl, uint32_t packet,
                       const gpci_packet *parent) {
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    gpci_packet_label label = *gpci_label_of(&t->pool, parent);
    label.parent = label.id;
    label.id = label.id ? ++t->log->packets : 0;
    *gpci_label_take(&t->pool, packet) = label;
    gpci_append_event(t, what, ctrl, p, 0);
}

void gpci_append_new_packet(gpci_timed *t, gpc_what what, const gpci_ctrl *ctrl, uint32_t packet,
                            const gpci_packet *parent, bool passes) {
    const gpci_packet *p = gpci_packet_at(&t->pool, packet);
    if (parent) {
        tell_child(t, what, ctrl, packet, parent);
    } else {
        complete_write_back(t, ctrl, packet);
        gpci_append_event(t, what, ctrl, p, 0);
    }
    gpci_append_queued(t, ctrl, p, passes);
}

void gpci_append_copy(gpci_timed *t, const gpci_ctrl *ctrl, uint32_t packet) {
    gpci_append_fork(t, packet);
    tell_child(t, GPC_WHAT_WRITE_BACK, ctrl, packet, gpci_packet_at(&t->pool, packet));
}

void gpci_append_queued(gpci_timed *t, const gpci_ctrl *ctrl, const gpci_packet *p, bool passes) {
    if (passes)
        gpci_append_event(t, GPC_WHAT_BYPASS, ctrl, p, 0);
    gpci_append_event(t, GPC_WHAT_QUEUE, ctrl, p, 0);
}

void gpci_append_hit(gpci_timed *t, const gpci_ctrl *ctrl, const gpci_packet *p, uint64_t due) {
    if (t->values)
        gpci_plain_hit(t, ctrl, p);
    tell(t, GPC_WHAT_SERVE, ctrl, p, due);
    tell(t, GPC_WHAT_REPLY, ctrl, p, 1);
}

/* A load's waiter in L1 is known like the load. */
void gpci_append_waits(gpci_timed *t, const gpci_ctrl *ctrl, uint32_t packet, uint32_t mshr_target) {
    const gpci_packet *w = gpci_packet_at(&t->pool, mshr_target);
    if (mshr_target != packet)
        copy_label(t, mshr_target);
    if (t->values && ctrl->rules->loads_go)
        gpci_plain_hit(t, ctrl, w);
    uint32_t mshr_entry = gpci_mshr_find(t, ctrl, w->request.address);
    if (mshr_target == mshr_entry)
        gpci_append_event(t, GPC_WHAT_MSHR_ALLOCATE, ctrl, w, 0);
    else
        gpci_append_event(t, GPC_WHAT_MSHR_MERGE, ctrl, w, label_at(t, gpci_packet_at(&t->pool, mshr_entry))->id);
}

void gpci_append_lookup(gpci_timed *t, const gpci_ctrl *ctrl, const gpci_packet *p, const gpci_tag_access *access) {
    if (t->values)
        gpci_plain_looked(t, ctrl, p);
    const gpc_access_result *r = &access->result;
    uint8_t needed = ctrl->line->segments_of[r->needed_sectors];
    uint8_t here = ctrl->line->segments_of[r->hit_sectors] | access->flying;
    t->log->cause = label_at(t, p)->id;
    t->log->cause_at = ctrl;
    bool pending = r->outcome != GPC_HIT && access->flying && !(needed & (uint8_t)~here);
    gpci_append_event(t, GPC_WHAT_LOOKUP, ctrl, p, pending ? GPC_PENDING_HIT : r->outcome);
}

static gpc_event *blocked_at(const gpci_timed *t, const gpci_ctrl *ctrl, const gpci_tag_access *access) {
    const uint32_t client = access == &ctrl->tag_access[1], sms = t->h->sms;
    const uint32_t place = is_l15(ctrl)         ? 2 * (sms + t->h->slices)
                           : is_constants(ctrl) ? sms + 2 * t->h->slices
                           : ctrl->level == 1   ? 0
                                                : sms + ctrl->index + client;
    return &t->log->blocked[place + ctrl->index];
}

void gpci_append_blocked(gpci_timed *t, const gpci_ctrl *ctrl, const gpci_packet *p, const gpci_tag_access *access) {
    gpc_event *event = blocked_at(t, ctrl, access);
    gpci_stages_blocked(t, ctrl, p);
    if (event->outcome == access->reason || !label_at(t, p)->id)
        return;
    *event = event_of(t, GPC_WHAT_BLOCK, component_of(ctrl), ctrl->index, p);
    event->outcome = access->reason;
    gpci_event_log_put(t->log, event);
}

/* The packet may be on the way already, or gone: use the saved event. */
void gpci_append_released(const gpci_ctrl *ctrl, const gpci_tag_access *access) {
    const gpci_timed *t = ctrl->timed;
    gpc_event *event = blocked_at(t, ctrl, access), end = *event;
    if (event->outcome == GPC_BUSY_NOT)
        return;
    event->outcome = GPC_BUSY_NOT;
    end.what = GPC_WHAT_UNBLOCK;
    end.cycle = end.until = t->wheel.now;
    gpci_event_log_put(t->log, &end);
}

void gpci_append_leaves(gpci_timed *t, const gpci_ctrl *ctrl, const gpci_packet *p, const gpc_eviction *eviction) {
    gpc_what what = eviction->forced ? GPC_WHAT_INVALIDATE : GPC_WHAT_EVICT;
    gpc_event e = event_of(t, what, component_of(ctrl), ctrl->index, p);
    t->log->cause = e.packet;
    t->log->cause_at = ctrl;
    e.address = eviction->line_address;
    if (ctrl->level == 2)
        e.address = gpci_l2_host_address(t->h, ctrl->index, e.address);
    e.value = gpci_count_sectors(eviction->dirty_sectors);
    e.bytes = 0;
    if (e.packet)
        gpci_event_log_put(t->log, &e);
}

static gpc_event event_of_inflight(const gpci_timed *t, gpc_what what, const gpci_inflight *f) {
    gpc_event e = gpci_event_of_none(t->log, what, GPC_COMPONENT_SM, f->sm);
    e.packet = e.access = f->trace.id;
    e.address = f->trace.address;
    e.pc = f->trace.pc;
    e.sm = f->sm;
    e.warp = f->warp;
    e.block = f->trace.block;
    e.kind = f->kind == GPCI_KIND_COPY ? f->fence.phase : f->kind;
    return e;
}

void gpci_append_done(gpci_timed *t, const gpci_inflight *f) {
    if (!f->trace.id)
        return;
    gpc_event e = event_of_inflight(t, GPC_WHAT_COMPLETE, f);
    e.outcome = f->level;
    e.value = e.cycle - f->issued;
    gpci_event_log_put(t->log, &e);
}

void gpci_append_held(gpci_timed *t, const gpci_inflight *f, uint32_t count) {
    if (!f->trace.id)
        return;
    gpc_event e = event_of_inflight(t, GPC_WHAT_HOLD, f);
    e.value = count;
    gpci_event_log_put(t->log, &e);
}

void gpci_append_memory(gpci_timed *t, const gpci_packet *p) {
    if (gpci_is_bare(t, p))
        return;
    gpci_stages_memory(t, p);
    gpc_what what = p->type == GPCI_WRITE ? GPC_WHAT_MEMORY_WRITE : GPC_WHAT_MEMORY_READ;
    gpc_component component = t->callbacks.on_memory ? GPC_COMPONENT_HOST : GPC_COMPONENT_MEMORY;
    gpc_event e = event_of(t, what, component, p->path.channel, p);
    if (e.packet)
        gpci_event_log_put(t->log, &e);
}

void gpci_append_data(gpci_timed *t, const gpci_packet *p) {
    if (gpci_is_bare(t, p))
        return;
    gpci_stages_data(t, p);
    gpc_component component = t->callbacks.on_memory ? GPC_COMPONENT_HOST : GPC_COMPONENT_MEMORY;
    gpc_event e = event_of(t, GPC_WHAT_DATA, component, p->path.channel, p);
    if (e.packet)
        gpci_event_log_put(t->log, &e);
}

/* A packet enters or leaves a network. */
static void on_network(void *user_data, uint8_t component, bool leaves, uint32_t port, uint32_t packet) {
    gpci_timed *t = user_data;
    const gpci_packet *p = gpci_packet_at(&t->pool, packet);
    if (t->values && leaves && component == GPC_COMPONENT_REPLIES)
        gpci_plain_back(t, port, packet);
    else if (t->values && leaves && component == GPC_COMPONENT_PARTITION_REPLIES)
        gpci_plain_copied(t, packet);
    if (gpci_is_bare(t, p))
        return;
    gpci_stages_crosses(t, component, leaves, p);
    if (!label_at(t, p)->id)
        return;
    gpc_event e = event_of(t, leaves ? GPC_WHAT_RECEIVE : GPC_WHAT_SEND, (gpc_component)component, port, p);
    e.bytes = p->path.size;
    gpci_event_log_put(t->log, &e);
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

static void on_command(void *user_data, const gpci_dram_event *d) {
    gpci_timed *t = user_data;
    gpc_what what = commands[d->command];
    bool access = what == GPC_WHAT_READ || what == GPC_WHAT_WRITE || what == GPC_WHAT_ACTIVATE;
    gpc_event e = gpci_event_of_none(t->log, what, GPC_COMPONENT_MEMORY, d->channel);
    const gpci_packet *p =
        access && !(d->token & GPCI_WRITE_TOKEN) ? gpci_packet_at(&t->pool, (uint32_t)d->token) : NULL;
    if (p && gpci_is_bare(t, p))
        p = NULL;
    if (p)
        gpci_stages_command(t, p, gpci_clock_core(t->dram_clock, d->cycle));
    if (p && label_at(t, p)->id)
        e = event_of(t, what, GPC_COMPONENT_MEMORY, d->channel, p);
    else if (access && d->token & GPCI_WRITE_TOKEN)
        e.packet = d->token & ~GPCI_WRITE_TOKEN;
    e.cycle = gpci_clock_core(t->dram_clock, d->cycle);
    e.until = gpci_clock_core(t->dram_clock, d->end);
    bool all = d->command == GPCI_DRAM_PRECHARGE_ALL || d->command == GPCI_DRAM_REFRESH;
    e.bank = d->pseudo * d->banks + (all ? 0 : d->bank);
    e.value = access ? d->row : d->command == GPCI_DRAM_PRECHARGE ? 0 : d->token;
    e.bytes = what == GPC_WHAT_READ || what == GPC_WHAT_WRITE ? t->burst : 0;
    e.outcome = d->auto_precharge;
    gpci_event_log_put(t->log, &e);
}

/* Events of the protocol engine. */

static const gpci_coherent_origin *origin_of(const gpci_timed *t, const gpci_task *task) {
    return &t->coherent->origins[task->inflight];
}

/* Label of the message that brought a task; or 0. */
static uint64_t label_of(const gpci_engine *e, const gpci_task *task) {
    const size_t number = (size_t)(task - gpci_task_at(e, 0));
    return number < e->label_room ? e->labels[number] : 0;
}

static void set_label(const gpci_timed *t, const gpci_packet *p, uint64_t id) {
    const gpci_engine *e = gpci_engine_of(t);
    if (p->message.task < e->label_room)
        e->labels[p->message.task] = id;
}

/* Label of a sweep, which is no packet: the messages of a sweep are traced without parent. */
#define OF_SWEEP UINT64_MAX

static uint64_t parent_of(const gpci_coherent_origin *o) {
    return o->label.id == OF_SWEEP ? 0 : o->label.id;
}

/* SM of the access, or of the sweeping fence; a kernel's sweeps may be of any module. */
static uint32_t sm_of(const gpci_timed *t, const gpci_task *task) {
    const uint32_t module = gpci_tree_inflight_at(gpci_engine_of(t), task->inflight)->module;
    return module < t->h->coherent->sms ? module : GPC_NONE;
}

/* Event with the module and the access. */
static gpc_event event_of_task(const gpci_timed *t, gpc_what what, uint32_t module, const gpci_task *task) {
    const gpci_coherent_origin *o = origin_of(t, task);
    uint32_t index;
    const gpc_component component = gpci_component_of(t->h, module, &index);
    gpc_event e = gpci_event_of_none(t->log, what, component, index);
    e.packet = label_of(gpci_engine_of(t), task);
    e.parent = parent_of(o);
    e.access = o->label.origin;
    e.address = task->address;
    e.pc = o->pc;
    e.sm = sm_of(t, task);
    e.warp = o->warp;
    e.block = o->block;
    e.kind = o->label.kind;
    return e;
}

void gpci_append_origin(gpci_timed *t, uint32_t inflight, const gpci_packet *p) {
    t->coherent->origins[inflight] = (gpci_coherent_origin){
        .label = *label_at(t, p), .pc = p->request.pc, .warp = p->request.warp, .block = p->request.block};
}

void gpci_append_sweep(gpci_timed *t, uint32_t inflight) {
    t->coherent->origins[inflight] = (gpci_coherent_origin){
        .label = {.id = OF_SWEEP, .kind = GPC_KIND_COUNT}, .pc = UINT64_MAX, .warp = GPC_NONE, .block = GPC_NONE};
}

/* Label the packet of a message or memory access, for events of networks and memory. */
static void label(gpci_timed *t, const gpci_task *task, uint32_t packet) {
    const gpci_coherent_origin *o = origin_of(t, task);
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    gpci_packet_label *own = gpci_label_take(&t->pool, packet);
    *own = o->label;
    own->id = o->label.id ? ++t->log->packets : 0;
    own->parent = parent_of(o);
    p->request.sm = sm_of(t, task);
    p->request.pc = o->pc;
    p->request.warp = o->warp;
    p->request.block = o->block;
}

/* An event of a packet's message, at `module`. */
static void tell_packet(gpci_timed *t, gpc_what what, uint32_t module, const gpci_packet *p, uint32_t to) {
    gpc_event e = event_of_task(t, what, module, gpci_message_task(t, p));
    e.packet = label_at(t, p)->id;
    e.address = p->address;
    e.bytes = p->path.size;
    e.from = p->message.from;
    e.to = to;
    e.outcome = p->message.kind;
    if (e.packet)
        gpci_event_log_put(t->log, &e);
}

/* Controller of a transaction when a message leaves or arrives. */
static void stages_of_message(gpci_timed *t, uint32_t module, const gpci_packet *p, bool come) {
    uint32_t index;
    const gpc_component component = gpci_component_of(t->h, module, &index);
    const gpci_packet_label *own = label_at(t, p);
    if (component != GPC_COMPONENT_L1)
        gpci_stages_enter(t, own, GPC_STAGE_L2);
    else if (come || index != p->request.sm)
        gpci_stages_enter(t, own, GPC_STAGE_COHERENCE);
    else
        gpci_stages_enter(t, own, GPC_STAGE_REQUEST);
}

void gpci_append_message(gpci_timed *t, const gpci_message *l, uint32_t packet) {
    const gpci_packet *p = gpci_packet_at(&t->pool, packet);
    label(t, gpci_message_task(t, p), packet);
    stages_of_message(t, l->from, p, false);
    tell_packet(t, GPC_WHAT_MESSAGE, l->from, p, l->to);
}

void gpci_append_memory_access(gpci_timed *t, uint32_t task, uint32_t packet) {
    label(t, gpci_task_at(gpci_engine_of(t), task), packet);
    gpci_stages_enter(t, gpci_label_of(&t->pool, gpci_packet_at(&t->pool, packet)), GPC_STAGE_DRAM_QUEUE);
}

void gpci_append_arrival(gpci_timed *t, const gpci_packet *p) {
    if (gpci_is_bare(t, p)) {
        set_label(t, p, 0);
        return;
    }
    stages_of_message(t, p->message.module, p, true);
    tell_packet(t, GPC_WHAT_ARRIVE, p->message.module, p, p->message.module);
    set_label(t, p, label_at(t, p)->id);
}

void gpci_append_met(gpci_timed *t, gpci_met met, uint32_t number, uint32_t module) {
    const gpci_task *task = gpci_task_at(gpci_engine_of(t), number);
    const gpc_what what = met == GPCI_MET_WAIT     ? GPC_WHAT_WAIT
                          : met == GPCI_MET_REFUSE ? GPC_WHAT_REFUSE
                                                   : GPC_WHAT_EVICT;
    gpc_event e = event_of_task(t, what, module, task);
    if (what != GPC_WHAT_EVICT)
        gpci_stages_enter(t, &origin_of(t, task)->label, GPC_STAGE_COHERENCE);
    if (what == GPC_WHAT_EVICT) {
        e.packet = e.parent;
        e.parent = e.access;
    } else {
        e.from = task->from;
        e.to = module;
    }
    if (e.packet)
        gpci_event_log_put(t->log, &e);
}

void gpci_append_entry(gpci_timed *t, gpc_what what, uint32_t number) {
    const gpci_task *task = gpci_task_at(gpci_engine_of(t), number);
    gpc_event e = event_of_task(t, what, task->module, task);
    if (e.packet)
        gpci_event_log_put(t->log, &e);
}

/* Numbers are for one event log: forget numbers of an earlier event log. The engine's clocks go on. */
static void forget(gpci_timed *t) {
    const size_t labels = (size_t)t->pool.chunk_count * GPCI_POOL_CHUNK;
    for (size_t i = 0; i <= labels; i++)
        t->pool.labels[i].id = t->pool.labels[i].origin = 0;
    for (uint32_t i = 0; i < t->inflight_fresh; i++)
        t->inflights[i].trace.id = 0;
    if (t->coherent)
        gpci_coherent_forget(t);
    gpci_ports_forget(t);
}

gpc_status gpci_timed_watch(gpci_timed *t, gpci_event_log *log) {
    gpci_event_log *const nobody = t->values ? t->values->nobody : t->stage_times ? t->stage_times->nobody : NULL;
    if (gpci_pool_keep_labels(&t->pool, log || nobody) < 0)
        return GPC_ERROR_MEMORY;
    t->log = log ? log : nobody;
    if (t->log) {
        t->log->clock = &t->wheel.now;
        forget(t);
    }
    for (uint32_t kind = 0; kind < GPCI_GROUP_COUNT; kind++)
        if (t->groups[kind].objects && t->groups[kind].class == &gpci_network_class)
            gpci_network_watch(t->groups[kind].self, t->log ? on_network : NULL, t);
    gpci_dram_on_command(t->dram, log || t->stage_times ? on_command : NULL, t);
    gpci_shards_refresh(t);
    return GPC_OK;
}

gpc_status gpci_timed_cancel(gpci_timed *t) {
    (void)gpci_timed_watch(t, NULL);
    gpci_trace_destroy(t->h);
    return GPC_ERROR_CANCELLED;
}
