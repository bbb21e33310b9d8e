/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/event_log_coherent.h"

#include "base/array.h"
#include "level/rules/level_count.h"
#include "timed/ctrl/atomic_unit.h"
#include "timed/l1/lsu.h"

#include <string.h>

/* Host of a tree's engine: services for engine, and the time of their steps. */

static gpci_clock clock_of(const gpci_timed *t, uint32_t module) {
    return gpci_coherent_ctrl_of(t, module)->options->clock;
}

static uint64_t after(void *timed, uint32_t module, uint64_t cycles) {
    const gpci_timed *t = timed;
    return gpci_clock_after(clock_of(t, module), t->wheel.now, cycles);
}

static bool takes(void *timed, const gpci_message *l, bool behind) {
    return gpci_message_has_room(timed, l, behind);
}

static uint32_t send(void *timed, const gpci_message *l) {
    gpci_timed *t = timed;
    const bool whole = gpci_messages_are_whole(t);
    const uint32_t number = whole ? gpci_pool_take(&t->pool) : gpci_pool_take_message(&t->pool);
    gpci_packet *p = gpci_packet_at(&t->pool, number);
    gpci_task *task = gpci_task_at(gpci_engine_of(t), l->task);
    p->address = l->address;
    p->message = (gpci_packet_message){
        .task = l->receiver, .from = (uint16_t)l->from, .step = (uint8_t)l->arrives, .kind = (uint8_t)l->kind};
    p->path.size = l->bytes;
    p->segments = gpci_message_segments(t, l->bytes);
    p->flags = whole ? 0 : GPCI_PACKET_MESSAGE;
    p->level = 0;
    p->type = GPCI_REPLY;
    gpci_coherent_count(t->h, l->kind, l->from, l->to, l->bytes);
    gpci_log_message(t, l, number);
    if (task->mshr && l->from == task->module)
        gpci_coherent_mshr_free(t, l->task);
    if (GPCI_LIKELY(!gpci_message_send(t, number, l->from, l->to)))
        return 0;
    gpci_coherent_count_along(t->h, l->from, l->to, t->header);
    return t->header;
}

/* Core cycle of ready data of a module: once the data port is free, plus latency. */
static uint64_t data_at(const gpci_timed *t, const gpci_use *u) {
    gpci_ctrl *ctrl = gpci_coherent_ctrl_of(t, u->module);
    const gpci_clock clock = ctrl->options->clock;
    const uint32_t latency = gpci_module_at(t->h->coherent->tree, u->module)->given.latency;
    if (!u->bytes)
        return gpci_clock_after(clock, t->wheel.now, latency);
    const uint64_t own = gpci_clock_own(clock, t->wheel.now), start = own > ctrl->data.free ? own : ctrl->data.free;
    const uint32_t width = ctrl->options->data_width;
    ctrl->data.free = start + (u->bytes + width - 1) / width;
    return gpci_clock_core(clock, start + latency);
}

/* Packet of an atomic whose bytes a slice writes, if its atomic unit is limited; or NULL. */
static const gpci_packet *performed(const gpci_timed *t, const gpci_use *u) {
    const gpci_engine *e = gpci_engine_of(t);
    const gpci_task *put = gpci_task_at(e, u->task);
    if (GPCI_LIKELY(!u->write || !gpci_atomics_are_limited(t)) || !put->stored || !put->passing ||
        !gpci_is_slice(t->h->coherent, u->module))
        return NULL;
    const gpci_packet *p = gpci_packet_at(&t->pool, (uint32_t)gpci_tree_inflight_at(e, put->inflight)->token);
    return p->line.kind == GPC_ATOMIC || p->line.kind == GPC_REDUCTION ? p : NULL;
}

/* Cycle at which the atomic unit is done with the packet. */
static uint64_t performed_at(gpci_timed *t, const gpci_use *u, const gpci_packet *p) {
    const uint64_t at = data_at(t, u);
    const uint64_t done = gpci_atomic_perform(gpci_coherent_ctrl_of(t, u->module), t->wheel.now, p->turns);
    return done > at ? done : at;
}

/* Let the gathered data uses pass the port together. */
static void use_gathered(gpci_timed *t) {
    gpci_gathered *g = &t->coherent->gathered;
    if (!g->count)
        return;
    gpci_use all = g->uses[0];
    all.bytes = g->bytes;
    const uint64_t at = data_at(t, &all);
    for (uint32_t i = 0; i < g->count; i++)
        gpci_engine_put(gpci_engine_of(t), g->uses[i].task, g->uses[i].step, at);
    g->count = g->bytes = 0;
}

static void gather(gpci_timed *t, const gpci_use *u) {
    gpci_gathered *g = &t->coherent->gathered;
    if (g->count == sizeof g->uses / sizeof *g->uses || g->uses[0].module != u->module || g->uses[0].write != u->write)
        use_gathered(t);
    g->uses[g->count++] = *u;
    g->bytes += u->bytes;
}

static void use(void *timed, const gpci_use *u) {
    gpci_timed *t = timed;
    const uint32_t sectors = (u->bytes + GPCI_SEGMENT - 1) / GPCI_SEGMENT;
    if (!gpci_is_memory(t->h->coherent, u->module) || !sectors) {
        const gpci_packet *atomic = performed(t, u);
        if (GPCI_UNLIKELY(t->coherent->gathered.open) && sectors && !atomic)
            gather(t, u);
        else
            gpci_engine_put(gpci_engine_of(t), u->task, u->step,
                            GPCI_UNLIKELY(atomic != NULL) ? performed_at(t, u, atomic) : data_at(t, u));
        return;
    }
    if (u->write)
        gpci_count_dram_write(t->h, sectors);
    else
        gpci_count_dram_read(t->h, sectors);
    gpci_coherent_access_memory(t, u, sectors);
}

static void met(void *timed, gpci_met what, uint32_t task, uint32_t module) {
    gpci_log_met(timed, what, task, module);
}

static void left(void *timed, uint32_t inflight) {
    gpci_timed *t = timed;
    gpci_coherent_l1_left(t, (uint32_t)gpci_tree_inflight_at(gpci_engine_of(t), inflight)->token);
}

static void joined(void *timed, uint32_t inflight) {
    gpci_lsu_joined(timed, inflight);
}

static void ended(void *timed, uint32_t inflight) {
    gpci_timed *t = timed;
    const gpci_tree_inflight *a = gpci_tree_inflight_at(gpci_engine_of(t), inflight);
    if (GPCI_UNLIKELY(a->kind == GPC_COHERENCE_ACQUIRE)) {
        gpci_coherent_swept(t, inflight);
        return;
    }
    if (t->h->lane_packets) {
        gpci_lsu_ended(t, inflight);
        return;
    }
    const gpci_engine *e = gpci_engine_of(t);
    const uint8_t *line = t->h->with_data ? gpci_whole_of(e, inflight) : NULL;
    gpci_coherent_l1_done(t, (uint32_t)a->token, a->deepest, line);
}

static void begun(void *timed, uint32_t inflight, uint32_t cause) {
    const gpci_timed *t = timed;
    if (GPCI_UNLIKELY(t->log != NULL)) /* otherwise unused */
        t->coherent->origins[inflight] = t->coherent->origins[cause];
}

/* Make memory for a step and the consequences: all probes of a block, and a few messages more. */
static gpc_status room(void *timed) {
    gpci_timed *t = timed;
    gpci_engine *e = gpci_engine_of(t);
    const uint32_t most = e->fan_out + GPCI_STEP_TASKS;
    if (GPCI_UNLIKELY(t->log != NULL) && !gpci_engine_make_labels(e))
        return GPC_ERROR_MEMORY;
    const gpc_status status = gpci_pool_reserve_messages(&t->pool, 2 * most); /* accesses of memory too */
    return status == GPC_OK && gpci_accesses_are_whole(t) ? gpci_pool_reserve(&t->pool, 2 * most) : status;
}

/* Variant for engine that begin accesses. */
static gpc_status room_for_accesses(void *timed) {
    gpci_timed *t = timed;
    const gpc_status status = gpci_coherent_make_origins(t);
    return status == GPC_OK ? room(timed) : status;
}

/* True if engine begin accesses: reads of neighbours, or invalidations. */
static bool begins_accesses(const gpci_timed *t) {
    const gpc_coherence *tree = t->h->coherent->tree;
    return tree->neighbour_limit || tree->protocol->flags & GPC_PROTOCOL_INVALIDATES;
}

gpc_status gpci_coherent_host_create(gpci_timed *t, gpc_error *error) {
    gpci_coherent_host *host = gpci_zalloc(t->context, 1, sizeof *host);
    if (!host)
        return gpci_out_of_memory(error);
    t->coherent = host;
    host->table = (gpci_engine_host){.self = t,
                                     .takes = takes,
                                     .send = send,
                                     .use = use,
                                     .after = after,
                                     .allocate = gpci_coherent_mshr_allocate,
                                     .release = gpci_coherent_mshr_free,
                                     .met = met,
                                     .left = left,
                                     .joined = joined,
                                     .ended = ended,
                                     .begun = begun,
                                     .room = begins_accesses(t) ? room_for_accesses : room};
    const uint64_t conflict = gpci_number(t->h, GPCI_KEY_COHERENCE_CONFLICT); /* 0: protocol, 1: retry, 2: wait */
    const bool retries = t->h->coherent->tree->protocol->flags & GPC_PROTOCOL_RETRY;
    const bool waits = conflict == 2 || (conflict == 0 && !retries);
    gpc_status status = gpci_engine_create_for(t->h->coherent->tree, &host->table, waits, error);
    if (status == GPC_OK && t->h->lane_packets)
        gpci_engine_order(gpci_engine_of(t));
    return status;
}

/* The tree destroys the engine. */
void gpci_coherent_host_destroy(gpci_timed *t) {
    if (t->coherent) {
        gpci_array_free(t->context, t->coherent->origins, t->coherent->origin_room * sizeof *t->coherent->origins);
        gpci_coherent_values_free(t);
    }
    gpci_free(t->context, t->coherent);
}

gpc_status gpci_coherent_make_origins(gpci_timed *t) {
    gpci_coherent_host *host = t->coherent;
    const size_t room = gpci_engine_of(t)->inflights.room;
    if (GPCI_LIKELY(host->origin_room >= room))
        return GPC_OK;
    const size_t each = sizeof *host->origins;
    gpci_coherent_origin *larger = gpci_array_enlarge(t->context, host->origins, host->origin_room * each, room * each);
    if (!larger)
        return GPC_ERROR_MEMORY;
    if (GPCI_UNLIKELY(t->log != NULL)) /* a snapshot stores all origins, unused without an event log */
        memset(larger + host->origin_room, 0, (room - host->origin_room) * each);
    host->origins = larger;
    host->origin_room = room;
    return GPC_OK;
}

void gpci_coherent_forget(gpci_timed *t) {
    gpci_coherent_host *host = t->coherent;
    const gpci_engine *e = gpci_engine_of(t);
    for (size_t i = 0; i < e->label_room; i++)
        e->labels[i] = 0;
    if (!t->stage_times && host->origin_room) /* controller times keep the other fields */
        memset(host->origins, 0, host->origin_room * sizeof *host->origins);
    for (size_t i = 0; t->stage_times && i < host->origin_room; i++)
        host->origins[i].label.id = host->origins[i].label.origin = 0;
}

/* After the engine. An event log after the load numbers labels of tasks anew. */
void gpci_coherent_origins_archive(gpci_timed *t, gpci_archive *a) {
    if (a->status == GPC_OK && gpci_coherent_make_origins(t) < 0)
        gpci_archive_fail(a, GPC_ERROR_MEMORY, ""); /* as gpci_coherent_values_archive */
    gpci_archive_bytes(a, t->coherent->origins, gpci_engine_of(t)->inflights.count * sizeof *t->coherent->origins);
}

gpc_status gpci_coherent_reserve(gpci_timed *t, uint64_t address) {
    gpc_status status = gpci_engine_reserve(gpci_engine_of(t), address);
    return status == GPC_OK ? gpci_coherent_make_origins(t) : status;
}

/* After engine have run: schedule the next run. */
static void settle(gpci_timed *t, gpc_status status) {
    t->coherent->running = false;
    if (GPCI_UNLIKELY(status < 0)) {
        t->failed = status;
        gpci_wheel_wake(&t->wheel, 0, t->wheel.now + 1);
        return;
    }
    const uint64_t next = gpci_engine_next(gpci_engine_of(t));
    if (next != UINT64_MAX)
        gpci_wheel_wake(&t->wheel, 0, next);
}

void gpci_coherent_run(gpci_timed *t) {
    if (t->coherent->running)
        return;
    t->coherent->running = true;
    settle(t, gpci_engine_run(gpci_engine_of(t), t->wheel.now, &t->error));
}

void gpci_engine_step(const gpci_group *group, uint32_t index) {
    (void)index;
    gpci_coherent_run(group->timed);
    gpci_coherent_flush_on(group->timed);
}

/* Continue the task of a finished message or memory access; if engine are running, schedule its step. */
static void go_on(gpci_timed *t, gpci_packet_message m, bool now) {
    gpci_engine *e = gpci_engine_of(t);
    gpci_engine_at(e, t->wheel.now);
    if (!now || t->coherent->running) {
        gpci_engine_put(e, m.task, (gpci_step)m.step, t->wheel.now);
        return;
    }
    t->coherent->running = true;
    settle(t, gpci_engine_do(e, m.task, (gpci_step)m.step, &t->error));
}

/* All messages of an arrived packet have been handled. */
static void close_gathered(gpci_timed *t) {
    t->coherent->gathered.open = false;
    use_gathered(t);
    const uint64_t next = gpci_engine_next(gpci_engine_of(t));
    if (next <= t->wheel.now)
        gpci_coherent_run(t);
    else if (next != UINT64_MAX)
        gpci_wheel_wake(&t->wheel, 0, next);
}

/* Continue the task of every message, or memory access, of a packet, in order. */
static void all_go_on(gpci_timed *t, uint32_t packet, bool message, bool now) {
    const bool several = gpci_packet_at(&t->pool, packet)->flags & GPCI_PACKET_BUNDLE;
    const bool gathers = several && now && !t->coherent->running;
    if (GPCI_UNLIKELY(gathers))
        t->coherent->gathered.open = true;
    for (uint32_t next; packet != GPCI_NO_PACKET; packet = next) {
        gpci_packet *p = gpci_packet_at(&t->pool, packet);
        const gpci_packet_message m = p->message;
        next = gpci_bundle_split(p);
        if (message)
            gpci_log_arrival(t, p);
        if (GPCI_LIKELY(p->flags & GPCI_PACKET_MESSAGE))
            gpci_pool_give_message(&t->pool, packet);
        else
            gpci_pool_give(&t->pool, packet);
        go_on(t, m, now);
    }
    if (GPCI_UNLIKELY(gathers))
        close_gathered(t);
}

void gpci_message_arrived(gpci_timed *t, uint32_t packet) {
    all_go_on(t, packet, true, true);
}

/* The host's memory answers between cycles: the consequences wait for the next cycle. */
void gpci_message_memory_done(gpci_timed *t, uint32_t packet) {
    const bool between = t->wheel.at >= t->wheel.components;
    all_go_on(t, packet, false, !between);
    if (between)
        gpci_wheel_wake(&t->wheel, 0, t->wheel.now);
}

gpc_coherence_request gpci_coherent_request_of(const gpci_timed *t, const gpci_packet *p) {
    gpc_coherence_request request = gpci_coherent_request(t->h->coherent, &p->request, p->bytes);
    request.cycle = t->wheel.now;
    return request;
}
