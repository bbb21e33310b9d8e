/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/coherent.h"
#include "timed/core/stage_times.h"

/* Events of the timed protocol engine. */

static const gpci_coherent_origin *origin_of(const gpci_timed *timed, const gpci_task *task) {
    return &timed->coherent->origins[task->inflight];
}

/* Label of the message that brought a task; or 0. */
static uint64_t label_of(const gpci_engine *engine, const gpci_task *task) {
    const size_t number = (size_t)(task - gpci_task_at(engine, 0));
    return number < engine->label_capacity ? engine->labels[number] : 0;
}

static void set_label(const gpci_timed *timed, const gpci_packet *pkt, uint64_t id) {
    const gpci_engine *engine = gpci_engine_of(timed);
    if (pkt->message.task < engine->label_capacity)
        engine->labels[pkt->message.task] = id;
}

/* Label of a sweep, which is no packet: the messages of a sweep are traced without parent. */
#define OF_SWEEP UINT64_MAX

static uint64_t parent_of(const gpci_coherent_origin *origin) {
    return origin->label.id == OF_SWEEP ? 0 : origin->label.id;
}

/* SM of the access, or of the sweeping fence; a kernel's sweeps may be of any module. */
static uint32_t sm_of(const gpci_timed *timed, const gpci_task *task) {
    const uint32_t module = gpci_tree_inflight_at(gpci_engine_of(timed), task->inflight)->module;
    return module < timed->hierarchy->coherent->sms ? module : GPC_NONE;
}

/* Event with the module and the access. */
static gpc_event event_of_task(const gpci_timed *timed, gpc_what what, uint32_t module, const gpci_task *task) {
    const gpci_coherent_origin *origin = origin_of(timed, task);
    uint32_t index;
    const gpc_component component = gpci_component_of(timed->hierarchy, module, &index);
    gpc_event event = gpci_event_of_none(timed->log, what, component, index);
    event.packet = label_of(gpci_engine_of(timed), task);
    event.parent = parent_of(origin);
    event.access = origin->label.origin;
    event.address = task->address;
    event.pc = origin->pc;
    event.sm = sm_of(timed, task);
    event.warp = origin->warp;
    event.block = origin->block;
    event.kind = origin->label.kind;
    return event;
}

void gpci_append_origin(gpci_timed *timed, uint32_t inflight, const gpci_packet *pkt) {
    timed->coherent->origins[inflight] = (gpci_coherent_origin){.label = *gpci_label_at(&timed->pool, pkt),
                                                                .pc = pkt->request.pc,
                                                                .warp = pkt->request.warp,
                                                                .block = pkt->request.block};
}

void gpci_append_sweep(gpci_timed *timed, uint32_t inflight) {
    timed->coherent->origins[inflight] = (gpci_coherent_origin){
        .label = {.id = OF_SWEEP, .kind = GPC_KIND_COUNT}, .pc = UINT64_MAX, .warp = GPC_NONE, .block = GPC_NONE};
}

/* Label the packet of a message or memory access, for events of networks and memory. */
static void label(gpci_timed *timed, const gpci_task *task, uint32_t packet) {
    const gpci_coherent_origin *origin = origin_of(timed, task);
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    gpci_packet_label *own = gpci_label_take(&timed->pool, packet);
    *own = origin->label;
    own->id = origin->label.id ? ++timed->log->packets : 0;
    own->parent = parent_of(origin);
    pkt->request.sm = sm_of(timed, task);
    pkt->request.pc = origin->pc;
    pkt->request.warp = origin->warp;
    pkt->request.block = origin->block;
}

/* An event of a packet's message, at `module`. */
static void tell_packet(gpci_timed *timed, gpc_what what, uint32_t module, const gpci_packet *pkt, uint32_t to) {
    gpc_event event = event_of_task(timed, what, module, gpci_message_task(timed, pkt));
    event.packet = gpci_label_at(&timed->pool, pkt)->id;
    event.address = pkt->address;
    event.bytes = pkt->path.size;
    event.from = pkt->message.from;
    event.to = to;
    event.outcome = pkt->message.kind;
    if (event.packet)
        gpci_event_log_put(timed->log, &event);
}

/* Set the stage of a message's transaction: the message leaves `module`, or (`come`) has arrived there. */
static void stages_of_message(gpci_timed *timed, uint32_t module, const gpci_packet *pkt, bool come) {
    uint32_t index;
    const gpc_component component = gpci_component_of(timed->hierarchy, module, &index);
    const gpci_packet_label *own = gpci_label_at(&timed->pool, pkt);
    if (component != GPC_COMPONENT_L1)
        gpci_stages_enter(timed, own, GPC_STAGE_L2);
    else if (come || index != pkt->request.sm)
        gpci_stages_enter(timed, own, GPC_STAGE_COHERENCE);
    else
        gpci_stages_enter(timed, own, GPC_STAGE_REQUEST);
}

void gpci_append_message(gpci_timed *timed, const gpci_message *message, uint32_t packet) {
    const gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    label(timed, gpci_message_task(timed, pkt), packet);
    stages_of_message(timed, message->from, pkt, false);
    tell_packet(timed, GPC_WHAT_MESSAGE, message->from, pkt, message->to);
}

void gpci_append_memory_access(gpci_timed *timed, uint32_t task, uint32_t packet) {
    label(timed, gpci_task_at(gpci_engine_of(timed), task), packet);
    gpci_stages_enter(timed, gpci_label_of(&timed->pool, gpci_packet_at(&timed->pool, packet)), GPC_STAGE_DRAM_QUEUE);
}

void gpci_append_arrival(gpci_timed *timed, const gpci_packet *pkt) {
    if (gpci_is_bare(timed, pkt)) {
        set_label(timed, pkt, 0);
        return;
    }
    stages_of_message(timed, pkt->message.module, pkt, true);
    tell_packet(timed, GPC_WHAT_ARRIVE, pkt->message.module, pkt, pkt->message.module);
    set_label(timed, pkt, gpci_label_at(&timed->pool, pkt)->id);
}

void gpci_append_met(gpci_timed *timed, gpci_met met, uint32_t number, uint32_t module) {
    const gpci_task *task = gpci_task_at(gpci_engine_of(timed), number);
    const gpc_what what = met == GPCI_MET_WAIT     ? GPC_WHAT_WAIT
                          : met == GPCI_MET_REFUSE ? GPC_WHAT_REFUSE
                                                   : GPC_WHAT_EVICT;
    gpc_event event = event_of_task(timed, what, module, task);
    if (what != GPC_WHAT_EVICT)
        gpci_stages_enter(timed, &origin_of(timed, task)->label, GPC_STAGE_COHERENCE);
    if (what == GPC_WHAT_EVICT) {
        event.packet = event.parent;
        event.parent = event.access;
    } else {
        event.from = task->from;
        event.to = module;
    }
    if (event.packet)
        gpci_event_log_put(timed->log, &event);
}

void gpci_append_entry(gpci_timed *timed, gpc_what what, uint32_t number) {
    const gpci_task *task = gpci_task_at(gpci_engine_of(timed), number);
    gpc_event event = event_of_task(timed, what, task->module, task);
    if (event.packet)
        gpci_event_log_put(timed->log, &event);
}
