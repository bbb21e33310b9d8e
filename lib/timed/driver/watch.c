/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/rules/level_rules.h"
#include "timed/core/stage_times.h"
#include "timed/core/strands.h"
#include "timed/core/watch_coherent.h"
#include "timed/l1/copy_engine.h"
#include "timed/l2/port.h"
#include "timed/stage/plain_values.h"

#include <string.h>

/* Events for actions of the timed hierarchy. */

/* True if a stage is an SM's constant cache, not an L1. The second function: an L1.5. */
static bool is_constants(const gpci_stage *stage) {
    return stage->level == 1 && !stage->loads_go && stage->own_lines && !stage->timed->h->coherent;
}

static bool is_l15(const gpci_stage *stage) {
    return stage->level == 1 && !stage->own_lines;
}

static gpc_component component_of(const gpci_stage *stage) {
    if (is_constants(stage))
        return GPC_COMPONENT_CONST;
    if (is_l15(stage))
        return GPC_COMPONENT_L15;
    return stage->level == 1 ? GPC_COMPONENT_L1 : stage->level == 2 ? GPC_COMPONENT_L2 : GPC_COMPONENT_CLUSTER;
}

/* Label of a packet. Waiters and a tree's messages left before the trace was set and have no label. */
static const gpci_packet_label *label_at(const gpci_timed *t, const gpci_packet *p) {
    return p->flags & GPCI_PACKET_WAITER ? t->pool.labels : gpci_label_of(&t->pool, p);
}

/* An event of a packet. Without an access, for example for a write-back, it has no instruction. */
static gpc_event event_of(const gpci_timed *t, gpc_what what, gpc_component component, uint32_t index,
                          const gpci_packet *p) {
    const gpci_packet_label *label = label_at(t, p);
    gpc_event e = gpci_event_of_none(t->trace, what, component, index);
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

static void tell(gpci_timed *t, gpc_what what, const gpci_stage *stage, const gpci_packet *p, uint64_t detail) {
    if (what == GPC_WHAT_REPLY)
        gpci_stages_reply(t, p);
    else
        gpci_stages_see(t, what, stage, p, detail);
    const gpci_packet_label *label = label_at(t, p);
    /* a store's copy on the way below is no line transaction, nor is a fence's write-back */
    if (!label->id || (what == GPC_WHAT_REPLY && (!label->origin || label->parent != label->origin)))
        return;
    gpc_event e = event_of(t, what, component_of(stage), stage->index, p);
    if (stage->level == 2)
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
        t->trace->cause = label->id;
        t->trace->cause_at = stage;
    }
    gpci_trace_tell(t->trace, &e);
}

void gpci_tell(gpci_timed *t, gpc_what what, const gpci_stage *stage, const gpci_packet *p, uint64_t detail) {
    if (t->values && what == GPC_WHAT_SERVE && stage->level == 2)
        gpci_plain_served(t, stage, p);
    else if (t->values && what == GPC_WHAT_REPLY)
        gpci_plain_replied(t, p, p->segments);
    tell(t, what, stage, p, detail);
}

void gpci_tell_reply(gpci_timed *t, const gpci_packet *p, uint8_t level) {
    if (p->line.flight != UINT32_MAX) /* a prefetch has no waiter */
        tell(t, GPC_WHAT_REPLY, &t->l1[t->flights[p->line.flight].sm], p, level);
}

void gpci_tell_kept(gpci_timed *t, const gpci_stage *stage, const gpci_packet *p, const gpc_access_result *got) {
    gpci_tell(t, got->way == GPCI_NO_WAY ? GPC_WHAT_BYPASS : GPC_WHAT_FILL, stage, p, 0);
}

static void tell_access(gpci_timed *t, uint32_t flight, const gpc_request *request, uint32_t segments) {
    gpci_flight *f = &t->flights[flight];
    gpci_stages_access(t, flight, request);
    gpc_event e = gpci_event_of_none(t->trace, GPC_WHAT_ISSUE, GPC_COMPONENT_SM, request->sm);
    f->trace.id = ++t->trace->packets;
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
    gpci_trace_tell(t->trace, &e);
}

static void tell_line(gpci_timed *t, uint32_t packet, uint32_t flight) {
    const gpci_packet *p = gpci_packet_at(&t->pool, packet);
    gpci_packet_label *label = gpci_label_take(&t->pool, packet);
    label->parent = label->origin = t->flights[flight].trace.id;
    label->id = label->origin ? ++t->trace->packets : 0; /* a copy may have been accepted before the trace was set */
    label->kind = p->request.kind;
    label->port = 0;
    gpci_stages_line(t, p, flight);
    if (!label->id)
        return;
    gpc_event e = event_of(t, GPC_WHAT_LINE, GPC_COMPONENT_SM, p->request.sm, p);
    gpci_trace_tell(t->trace, &e);
}

void gpci_tell_issue(gpci_timed *t, const gpci_queue *queue, uint32_t flight, uint32_t count, uint32_t segments) {
    uint32_t packet = queue->first;
    for (uint32_t i = count; i < queue->count; i++)
        packet = t->pool.links[packet].next;
    tell_access(t, flight, &gpci_packet_at(&t->pool, packet)->request, segments);
    for (uint32_t i = 0; i < count; i++, packet = t->pool.links[packet].next)
        tell_line(t, packet, flight);
}

void gpci_tell_miss(gpci_timed *t, const gpci_stage *stage, uint32_t flight, uint32_t packet) {
    const gpci_packet *p = gpci_packet_at(&t->pool, packet);
    tell_access(t, flight, &p->request, gpci_count_sectors(p->segments));
    tell_line(t, packet, flight);
    gpci_tell(t, GPC_WHAT_QUEUE, stage, p, 0);
}

/* A copy to several SMs is a single access, completing once per SM. */
void gpci_tell_bulk(gpci_timed *t, const gpci_bulk_entry *copy) {
    gpci_bulk rest = copy->bulk;
    gpci_transaction line;
    uint32_t segments = 0;
    while (rest.row < rest.rows) {
        gpci_bulk_next(&rest, gpci_bulk_shift(t->h), &line);
        segments += gpci_count_sectors(line.segments);
    }
    tell_access(t, copy->flight, &copy->request, segments);
    for (uint32_t f = t->flights[copy->flight].next; f != UINT32_MAX && copy->targets > 1; f = t->flights[f].next) {
        gpci_stages_access(t, f, &copy->request);
        t->flights[f].trace = t->flights[copy->flight].trace;
    }
}

void gpci_tell_bulk_request(gpci_timed *t, uint32_t packet) {
    tell_line(t, packet, gpci_packet_at(&t->pool, packet)->line.flight);
}

/* Give a packet a separate label, a copy of the present label of another packet. */
static void copy_label(gpci_timed *t, uint32_t packet) {
    const gpci_packet_label other = *gpci_label_of(&t->pool, gpci_packet_at(&t->pool, packet));
    *gpci_label_take(&t->pool, packet) = other;
}

void gpci_tell_fork(gpci_timed *t, uint32_t packet) {
    copy_label(t, packet);
    gpci_stages_fork(t, gpci_packet_at(&t->pool, packet));
}

/* Set fields unknown to a packet to memory. */
static void complete_write_back(gpci_timed *t, const gpci_stage *stage, uint32_t packet) {
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    *gpci_label_take(&t->pool, packet) = (gpci_packet_label){
        .id = ++t->trace->packets, .parent = t->trace->cause_at == stage ? t->trace->cause : 0, .kind = GPC_STORE};
    if (stage->level != 2)
        return;
    p->request.sm = GPC_NONE;
    p->address = gpci_l2_host_address(t->h, stage->index, p->request.address);
}

static void tell_child(gpci_timed *t, gpc_what what, const gpci_stage *stage, uint32_t packet,
                       const gpci_packet *parent) {
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    gpci_packet_label label = *gpci_label_of(&t->pool, parent);
    label.parent = label.id;
    label.id = label.id ? ++t->trace->packets : 0;
    *gpci_label_take(&t->pool, packet) = label;
    gpci_tell(t, what, stage, p, 0);
}

void gpci_tell_new(gpci_timed *t, gpc_what what, const gpci_stage *stage, uint32_t packet, const gpci_packet *parent,
                   bool passes) {
    const gpci_packet *p = gpci_packet_at(&t->pool, packet);
    if (parent) {
        tell_child(t, what, stage, packet, parent);
    } else {
        complete_write_back(t, stage, packet);
        gpci_tell(t, what, stage, p, 0);
    }
    gpci_tell_queued(t, stage, p, passes);
}

void gpci_tell_copy(gpci_timed *t, const gpci_stage *stage, uint32_t packet) {
    gpci_tell_fork(t, packet);
    tell_child(t, GPC_WHAT_WRITE_BACK, stage, packet, gpci_packet_at(&t->pool, packet));
}

void gpci_tell_queued(gpci_timed *t, const gpci_stage *stage, const gpci_packet *p, bool passes) {
    if (passes)
        gpci_tell(t, GPC_WHAT_BYPASS, stage, p, 0);
    gpci_tell(t, GPC_WHAT_QUEUE, stage, p, 0);
}

void gpci_tell_hit(gpci_timed *t, const gpci_stage *stage, const gpci_packet *p, uint64_t due) {
    if (t->values)
        gpci_plain_hit(t, stage, p);
    tell(t, GPC_WHAT_SERVE, stage, p, due);
    tell(t, GPC_WHAT_REPLY, stage, p, 1);
}

/* A load's waiter in L1 is known like the load. */
void gpci_tell_waits(gpci_timed *t, const gpci_stage *stage, uint32_t packet, uint32_t waiter) {
    const gpci_packet *w = gpci_packet_at(&t->pool, waiter);
    if (waiter != packet)
        copy_label(t, waiter);
    if (t->values && stage->loads_go)
        gpci_plain_hit(t, stage, w);
    uint32_t leader = gpci_mshr_find(t, stage, w->request.address);
    if (waiter == leader)
        gpci_tell(t, GPC_WHAT_MSHR_ALLOCATE, stage, w, 0);
    else
        gpci_tell(t, GPC_WHAT_MSHR_MERGE, stage, w, label_at(t, gpci_packet_at(&t->pool, leader))->id);
}

void gpci_tell_lookup(gpci_timed *t, const gpci_stage *stage, const gpci_packet *p, const gpci_tag_access *access) {
    if (t->values)
        gpci_plain_looked(t, stage, p);
    const gpc_access_result *r = &access->result;
    uint8_t needed = stage->line->segments_of[r->needed_sectors];
    uint8_t here = stage->line->segments_of[r->hit_sectors] | access->flying;
    t->trace->cause = label_at(t, p)->id;
    t->trace->cause_at = stage;
    bool pending = r->outcome != GPC_HIT && access->flying && !(needed & (uint8_t)~here);
    gpci_tell(t, GPC_WHAT_LOOKUP, stage, p, pending ? GPC_PENDING_HIT : r->outcome);
}

static gpc_event *blocked_at(const gpci_timed *t, const gpci_stage *stage, const gpci_tag_access *access) {
    const uint32_t client = access == &stage->tag_access[1], sms = t->h->sms;
    const uint32_t place = is_l15(stage)         ? 2 * (sms + t->h->slices)
                           : is_constants(stage) ? sms + 2 * t->h->slices
                           : stage->level == 1   ? 0
                                                 : sms + stage->index + client;
    return &t->trace->blocked[place + stage->index];
}

void gpci_tell_blocked(gpci_timed *t, const gpci_stage *stage, const gpci_packet *p, const gpci_tag_access *access) {
    gpc_event *event = blocked_at(t, stage, access);
    gpci_stages_blocked(t, stage, p);
    if (event->outcome == access->reason || !label_at(t, p)->id)
        return;
    *event = event_of(t, GPC_WHAT_BLOCK, component_of(stage), stage->index, p);
    event->outcome = access->reason;
    gpci_trace_tell(t->trace, event);
}

/* The packet may be on the way already, or gone: use the saved event. */
void gpci_tell_released(const gpci_stage *stage, const gpci_tag_access *access) {
    const gpci_timed *t = stage->timed;
    gpc_event *event = blocked_at(t, stage, access), end = *event;
    if (event->outcome == GPC_BUSY_NOT)
        return;
    event->outcome = GPC_BUSY_NOT;
    end.what = GPC_WHAT_UNBLOCK;
    end.cycle = end.until = t->wheel.now;
    gpci_trace_tell(t->trace, &end);
}

void gpci_tell_leaves(gpci_timed *t, const gpci_stage *stage, const gpci_packet *p, const gpc_eviction *eviction) {
    gpc_what what = eviction->forced ? GPC_WHAT_INVALIDATE : GPC_WHAT_EVICT;
    gpc_event e = event_of(t, what, component_of(stage), stage->index, p);
    t->trace->cause = e.packet;
    t->trace->cause_at = stage;
    e.address = eviction->line_address;
    if (stage->level == 2)
        e.address = gpci_l2_host_address(t->h, stage->index, e.address);
    e.value = gpci_count_sectors(eviction->dirty_sectors);
    e.bytes = 0;
    if (e.packet)
        gpci_trace_tell(t->trace, &e);
}

static gpc_event event_of_flight(const gpci_timed *t, gpc_what what, const gpci_flight *f) {
    gpc_event e = gpci_event_of_none(t->trace, what, GPC_COMPONENT_SM, f->sm);
    e.packet = e.access = f->trace.id;
    e.address = f->trace.address;
    e.pc = f->trace.pc;
    e.sm = f->sm;
    e.warp = f->warp;
    e.block = f->trace.block;
    e.kind = f->kind == GPCI_KIND_COPY ? f->fence.phase : f->kind;
    return e;
}

void gpci_tell_done(gpci_timed *t, const gpci_flight *f) {
    if (!f->trace.id)
        return;
    gpc_event e = event_of_flight(t, GPC_WHAT_COMPLETE, f);
    e.outcome = f->level;
    e.value = e.cycle - f->issued;
    gpci_trace_tell(t->trace, &e);
}

void gpci_tell_held(gpci_timed *t, const gpci_flight *f, uint32_t count) {
    if (!f->trace.id)
        return;
    gpc_event e = event_of_flight(t, GPC_WHAT_HOLD, f);
    e.value = count;
    gpci_trace_tell(t->trace, &e);
}

void gpci_tell_memory(gpci_timed *t, const gpci_packet *p) {
    if (gpci_is_bare(t, p))
        return;
    gpci_stages_memory(t, p);
    gpc_what what = p->type == GPCI_WRITE ? GPC_WHAT_MEMORY_WRITE : GPC_WHAT_MEMORY_READ;
    gpc_component component = t->callbacks.on_memory ? GPC_COMPONENT_HOST : GPC_COMPONENT_MEMORY;
    gpc_event e = event_of(t, what, component, p->path.channel, p);
    if (e.packet)
        gpci_trace_tell(t->trace, &e);
}

void gpci_tell_data(gpci_timed *t, const gpci_packet *p) {
    if (gpci_is_bare(t, p))
        return;
    gpci_stages_data(t, p);
    gpc_component component = t->callbacks.on_memory ? GPC_COMPONENT_HOST : GPC_COMPONENT_MEMORY;
    gpc_event e = event_of(t, GPC_WHAT_DATA, component, p->path.channel, p);
    if (e.packet)
        gpci_trace_tell(t->trace, &e);
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
    gpci_trace_tell(t->trace, &e);
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
    gpc_event e = gpci_event_of_none(t->trace, what, GPC_COMPONENT_MEMORY, d->channel);
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
    gpci_trace_tell(t->trace, &e);
}

/* Events of controllers. */

static const gpci_coherent_origin *origin_of(const gpci_timed *t, const gpci_task *task) {
    return &t->coherent->origins[task->flight];
}

/* Label of the message that brought a task; or 0. */
static uint64_t label_of(const gpci_controllers *e, const gpci_task *task) {
    const size_t number = (size_t)(task - gpci_task_at(e, 0));
    return number < e->label_room ? e->labels[number] : 0;
}

static void set_label(const gpci_timed *t, const gpci_packet *p, uint64_t id) {
    const gpci_controllers *e = gpci_controllers_of(t);
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
    const uint32_t module = gpci_tree_flight_at(gpci_controllers_of(t), task->flight)->module;
    return module < t->h->coherent->sms ? module : GPC_NONE;
}

/* Event with the module and the access. */
static gpc_event event_of_task(const gpci_timed *t, gpc_what what, uint32_t module, const gpci_task *task) {
    const gpci_coherent_origin *o = origin_of(t, task);
    uint32_t index;
    const gpc_component component = gpci_component_of(t->h, module, &index);
    gpc_event e = gpci_event_of_none(t->trace, what, component, index);
    e.packet = label_of(gpci_controllers_of(t), task);
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

void gpci_tell_origin(gpci_timed *t, uint32_t flight, const gpci_packet *p) {
    t->coherent->origins[flight] = (gpci_coherent_origin){
        .label = *label_at(t, p), .pc = p->request.pc, .warp = p->request.warp, .block = p->request.block};
}

void gpci_tell_sweep(gpci_timed *t, uint32_t flight) {
    t->coherent->origins[flight] = (gpci_coherent_origin){
        .label = {.id = OF_SWEEP, .kind = GPC_KIND_COUNT}, .pc = UINT64_MAX, .warp = GPC_NONE, .block = GPC_NONE};
}

/* Label the packet of a message or memory access, for events of networks and memory. */
static void label(gpci_timed *t, const gpci_task *task, uint32_t packet) {
    const gpci_coherent_origin *o = origin_of(t, task);
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    gpci_packet_label *own = gpci_label_take(&t->pool, packet);
    *own = o->label;
    own->id = o->label.id ? ++t->trace->packets : 0;
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
        gpci_trace_tell(t->trace, &e);
}

/* Stage of a transaction when a message leaves or arrives. */
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

void gpci_tell_message(gpci_timed *t, const gpci_letter *l, uint32_t packet) {
    const gpci_packet *p = gpci_packet_at(&t->pool, packet);
    label(t, gpci_message_task(t, p), packet);
    stages_of_message(t, l->from, p, false);
    tell_packet(t, GPC_WHAT_MESSAGE, l->from, p, l->to);
}

void gpci_tell_memory_access(gpci_timed *t, uint32_t task, uint32_t packet) {
    label(t, gpci_task_at(gpci_controllers_of(t), task), packet);
    gpci_stages_enter(t, gpci_label_of(&t->pool, gpci_packet_at(&t->pool, packet)), GPC_STAGE_DRAM_QUEUE);
}

void gpci_tell_arrival(gpci_timed *t, const gpci_packet *p) {
    if (gpci_is_bare(t, p)) {
        set_label(t, p, 0);
        return;
    }
    stages_of_message(t, p->message.module, p, true);
    tell_packet(t, GPC_WHAT_ARRIVE, p->message.module, p, p->message.module);
    set_label(t, p, label_at(t, p)->id);
}

void gpci_tell_met(gpci_timed *t, gpci_met met, uint32_t number, uint32_t module) {
    const gpci_task *task = gpci_task_at(gpci_controllers_of(t), number);
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
        gpci_trace_tell(t->trace, &e);
}

void gpci_tell_entry(gpci_timed *t, gpc_what what, uint32_t number) {
    const gpci_task *task = gpci_task_at(gpci_controllers_of(t), number);
    gpc_event e = event_of_task(t, what, task->module, task);
    if (e.packet)
        gpci_trace_tell(t->trace, &e);
}

/* Numbers are for one trace: forget numbers of an earlier trace. Clocks of stages go on. */
static void forget(gpci_timed *t) {
    const size_t labels = (size_t)t->pool.chunk_count * GPCI_POOL_CHUNK;
    for (size_t i = 0; i <= labels; i++)
        t->pool.labels[i].id = t->pool.labels[i].origin = 0;
    for (uint32_t i = 0; i < t->flight_fresh; i++)
        t->flights[i].trace.id = 0;
    if (t->coherent)
        gpci_coherent_forget(t);
    gpci_ports_forget(t);
}

gpc_status gpci_timed_watch(gpci_timed *t, gpci_trace *trace) {
    gpci_trace *const nobody = t->values ? t->values->nobody : t->stage_times ? t->stage_times->nobody : NULL;
    if (gpci_pool_keep_labels(&t->pool, trace || nobody) < 0)
        return GPC_ERROR_MEMORY;
    t->trace = trace ? trace : nobody;
    if (t->trace) {
        t->trace->clock = &t->wheel.now;
        forget(t);
    }
    for (uint32_t kind = 0; kind < GPCI_GROUP_COUNT; kind++)
        if (t->groups[kind].objects && t->groups[kind].class == &gpci_network_class)
            gpci_network_watch(t->groups[kind].self, t->trace ? on_network : NULL, t);
    gpci_dram_on_command(t->dram, trace || t->stage_times ? on_command : NULL, t);
    gpci_strands_refresh(t);
    return GPC_OK;
}

gpc_status gpci_timed_cancel(gpci_timed *t) {
    (void)gpci_timed_watch(t, NULL);
    gpci_trace_destroy(t->h);
    return GPC_ERROR_CANCELLED;
}
