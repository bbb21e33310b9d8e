/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/coherent.h"

#include "base/array.h"
#include "level/rules/level_count.h"
#include "timed/ctrl/atomic_unit.h"
#include "timed/l1/lsu.h"

#include <string.h>

/* Host of a tree's protocol engine: services for the engine, the times of the engine's steps, and MSHR entries. */

static gpci_clock clock_of(const gpci_timed *timed, uint32_t module) {
    return gpci_coherent_ctrl_of(timed, module)->options->clock;
}

static uint64_t after(void *timed, uint32_t module, uint64_t cycles) {
    const gpci_timed *t = timed;
    return gpci_clock_after(clock_of(t, module), t->wheel.now, cycles);
}

static bool takes(void *timed, const gpci_message *message, bool behind) {
    return gpci_message_has_room(timed, message, behind);
}

/* True if a message brings data that leave no line in L1. */
static bool passes(const gpci_timed *timed, const gpci_message *message) {
    const gpci_engine *engine = gpci_engine_of(timed);
    if (message->kind != GPC_MESSAGE_DATA || message->to >= timed->hierarchy->sms)
        return false;
    const gpci_tree_inflight *access = gpci_tree_inflight_at(engine, gpci_task_at(engine, message->task)->inflight);
    return gpci_coherent_passes(timed->hierarchy->coherent, message->to, access->kind, access->flags);
}

#ifdef GPCI_CHECK
/* Cluster of an L1, or a cluster itself; GPC_NO_MODULE: another module. */
static uint32_t cluster_at(const gpci_coherent *coherent, uint32_t module) {
    return !coherent->clusters || module >= coherent->first_slice ? GPC_NO_MODULE
           : module < coherent->sms                               ? module / coherent->cluster_sms
                                                                  : module - coherent->first_cluster;
}

/* Count a message's bytes again, of each network on the way. */
static void count_again(const gpci_timed *timed, const gpci_message *message, uint32_t bytes) {
    const gpci_coherent *coherent = timed->hierarchy->coherent;
    const uint32_t from = cluster_at(coherent, message->from), to = cluster_at(coherent, message->to);
    gpc_stats *stats = &timed->hierarchy->of_sm[0].again;
    stats->network_request_bytes += message->from < coherent->sms ? bytes : 0;
    stats->network_reply_bytes += message->to < coherent->sms ? bytes : 0;
    stats->cluster_network_request_bytes += from != to && from != GPC_NO_MODULE ? bytes : 0;
    stats->cluster_network_reply_bytes += from != to && to != GPC_NO_MODULE ? bytes : 0;
}
#endif

static uint32_t send(void *timed, const gpci_message *message) {
    gpci_timed *t = timed;
    const bool as_packet = gpci_messages_are_packets(t);
    const uint32_t number = as_packet ? gpci_pool_take(&t->pool) : gpci_pool_take_message(&t->pool);
    gpci_packet *pkt = gpci_packet_at(&t->pool, number);
    gpci_task *task = gpci_task_at(gpci_engine_of(t), message->task);
    pkt->address = message->address;
    pkt->message = (gpci_packet_message){.task = message->receiver,
                                         .from = (uint16_t)message->from,
                                         .step = (uint8_t)message->arrives,
                                         .kind = (uint8_t)message->kind};
    pkt->path.size = message->bytes;
    pkt->segments = gpci_message_segments(t, message->bytes);
    pkt->flags = as_packet ? 0 : GPCI_PACKET_MESSAGE;
    pkt->level = 0;
    pkt->type = GPCI_REPLY;
    gpci_coherent_count(t->hierarchy, message->kind, message->from, message->to, message->bytes, passes(t, message));
    gpci_log_message(t, message, number);
    if (task->mshr && message->from == task->module)
        gpci_coherent_mshr_free(t, message->task);
    const bool joins = gpci_message_send(t, number, message->from, message->to);
    GPCI_AGAIN(count_again(t, message, message->bytes - (joins ? t->header : 0)));
    if (GPCI_LIKELY(!joins))
        return 0;
    gpci_coherent_count_along(t->hierarchy, message->from, message->to, t->header);
    return t->header;
}

/* Core cycle in which the data of a module are ready: the data port becomes free, then the latency passes. */
static uint64_t data_at(const gpci_timed *timed, const gpci_use *usage) {
    gpci_ctrl *ctrl = gpci_coherent_ctrl_of(timed, usage->module);
    const gpci_clock clock = ctrl->options->clock;
    const uint32_t latency = gpci_module_at(timed->hierarchy->coherent->tree, usage->module)->given.latency;
    if (!usage->bytes)
        return gpci_clock_after(clock, timed->wheel.now, latency);
    const uint64_t own = gpci_clock_own(clock, timed->wheel.now), start = own > ctrl->data.free ? own : ctrl->data.free;
    const uint32_t width = ctrl->options->data_width;
    ctrl->data.free = start + (usage->bytes + width - 1) / width;
    return gpci_clock_core(clock, start + latency);
}

/* Packet of an atomic that a slice with an atomic unit performs by this use of data; or NULL. */
static const gpci_packet *performed(const gpci_timed *timed, const gpci_use *usage) {
    const gpci_engine *engine = gpci_engine_of(timed);
    const gpci_task *put = gpci_task_at(engine, usage->task);
    if (GPCI_LIKELY(!usage->write || !timed->coherent->limits_atomics) || !put->stored || !put->passing ||
        !gpci_is_slice(timed->hierarchy->coherent, usage->module))
        return NULL;
    const gpci_packet *pkt =
        gpci_packet_at(&timed->pool, (uint32_t)gpci_tree_inflight_at(engine, put->inflight)->token);
    return pkt->line.kind == GPC_ATOMIC || pkt->line.kind == GPC_REDUCTION ? pkt : NULL;
}

/* Cycle at which the atomic unit is done with the packet. */
static uint64_t performed_at(gpci_timed *timed, const gpci_use *usage, const gpci_packet *pkt) {
    const uint64_t at = data_at(timed, usage);
    const uint64_t done =
        gpci_atomic_perform(gpci_coherent_ctrl_of(timed, usage->module), timed->wheel.now, pkt->turns);
    return done > at ? done : at;
}

/* Let the gathered data uses pass the port together. */
static void use_gathered(gpci_timed *timed) {
    gpci_gathered *gathered = &timed->coherent->gathered;
    if (!gathered->count)
        return;
    gpci_use all = gathered->uses[0];
    all.bytes = gathered->bytes;
    const uint64_t at = data_at(timed, &all);
    for (uint32_t i = 0; i < gathered->count; i++)
        gpci_engine_put(gpci_engine_of(timed), gathered->uses[i].task, gathered->uses[i].step, at);
    gathered->count = gathered->bytes = 0;
}

static void gather(gpci_timed *timed, const gpci_use *usage) {
    gpci_gathered *gathered = &timed->coherent->gathered;
    if (gathered->count == sizeof gathered->uses / sizeof *gathered->uses ||
        gathered->uses[0].module != usage->module || gathered->uses[0].write != usage->write)
        use_gathered(timed);
    gathered->uses[gathered->count++] = *usage;
    gathered->bytes += usage->bytes;
}

static void use(void *timed, const gpci_use *usage) {
    gpci_timed *t = timed;
    const uint32_t sectors = (usage->bytes + GPCI_SEGMENT - 1) / GPCI_SEGMENT;
    if (!gpci_is_memory(t->hierarchy->coherent, usage->module) || !sectors) {
        const gpci_packet *atomic = performed(t, usage);
        if (GPCI_UNLIKELY(t->coherent->gathered.open) && sectors && !atomic)
            gather(t, usage);
        else
            gpci_engine_put(gpci_engine_of(t), usage->task, usage->step,
                            GPCI_UNLIKELY(atomic != NULL) ? performed_at(t, usage, atomic) : data_at(t, usage));
        return;
    }
    if (usage->write)
        gpci_count_dram_write(t->hierarchy, sectors);
    else
        gpci_count_dram_read(t->hierarchy, sectors);
    gpci_coherent_access_memory(t, usage, sectors);
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
    const gpci_tree_inflight *access = gpci_tree_inflight_at(gpci_engine_of(t), inflight);
    if (GPCI_UNLIKELY(access->kind == GPC_COHERENCE_ACQUIRE)) {
        gpci_coherent_swept(t, inflight);
        return;
    }
    if (t->hierarchy->lane_packets) {
        gpci_lsu_ended(t, inflight);
        return;
    }
    const gpci_engine *engine = gpci_engine_of(t);
    const uint8_t *line = t->hierarchy->with_data ? gpci_block_copy_of(engine, inflight) : NULL;
    gpci_coherent_l1_done(t, (uint32_t)access->token, access->deepest, line);
}

static void begun(void *timed, uint32_t inflight, uint32_t cause) {
    const gpci_timed *t = timed;
    if (GPCI_UNLIKELY(t->log != NULL)) /* otherwise unused */
        t->coherent->origins[inflight] = t->coherent->origins[cause];
}

/* Make room for labels of an event log, and for messages and accesses of memory that are whole packets. */
static GPCI_NOINLINE gpc_status reserve_packets(gpci_timed *timed, uint32_t most) {
    if (timed->log && !gpci_engine_make_labels(gpci_engine_of(timed)))
        return GPC_ERROR_MEMORY;
    return gpci_pool_reserve(&timed->pool, most);
}

/*
 * Make memory for a step and the consequences: all probes of a block, a few messages more, and accesses of memory. The
 * engine has made room for the accesses that it begins by itself.
 */
static gpc_status reserve_step(void *timed) {
    gpci_timed *t = timed;
    const gpci_engine *engine = gpci_engine_of(t);
    const uint32_t most = 2 * engine->most;
    gpc_status status = gpci_pool_reserve_messages(&t->pool, most);
    if (GPCI_UNLIKELY(t->coherent->origin_capacity < engine->inflights.capacity) && status == GPC_OK)
        status = gpci_coherent_make_origins(t);
    if (gpci_accesses_are_packets(t) && status == GPC_OK)
        status = reserve_packets(t, most);
    return status;
}

gpc_status gpci_coherent_host_create(gpci_timed *timed, gpc_error *error) {
    gpci_coherent_host *host = gpci_zalloc(timed->context, 1, sizeof *host);
    if (!host)
        return gpci_out_of_memory(error);
    timed->coherent = host;
    host->unbundled = GPCI_NO_PACKET;
    host->limits_atomics = gpci_atomics_are_limited(timed);
    host->table = (gpci_engine_host){.self = timed,
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
                                     .reserve_step = reserve_step};
    const uint64_t conflict =
        gpci_number(timed->hierarchy, GPCI_KEY_COHERENCE_CONFLICT); /* 0: protocol, 1: retry, 2: wait */
    const bool retries = timed->hierarchy->coherent->tree->protocol->flags & GPC_PROTOCOL_RETRY;
    const bool waits = conflict == 2 || (conflict == 0 && !retries);
    const gpc_status status = gpci_engine_create_for(timed->hierarchy->coherent->tree, &host->table, waits,
                                                     timed->hierarchy->lane_packets, error);
    return status == GPC_OK && gpci_coherent_make_origins(timed) < 0 ? gpci_out_of_memory(error) : status;
}

/* The tree destroys the engine. */
void gpci_coherent_host_destroy(gpci_timed *timed) {
    if (timed->coherent) {
        gpci_array_free(timed->context, timed->coherent->origins,
                        timed->coherent->origin_capacity * sizeof *timed->coherent->origins);
        gpci_coherent_values_free(timed);
    }
    gpci_free(timed->context, timed->coherent);
}

gpc_status gpci_coherent_make_origins(gpci_timed *timed) {
    gpci_coherent_host *host = timed->coherent;
    const size_t capacity = gpci_engine_of(timed)->inflights.capacity;
    if (host->origin_capacity >= capacity)
        return GPC_OK;
    const size_t each = sizeof *host->origins;
    gpci_coherent_origin *larger =
        gpci_array_enlarge(timed->context, host->origins, host->origin_capacity * each, capacity * each);
    if (!larger)
        return GPC_ERROR_MEMORY;
    if (GPCI_UNLIKELY(timed->log != NULL)) /* a snapshot stores all origins, unused without an event log */
        memset(larger + host->origin_capacity, 0, (capacity - host->origin_capacity) * each);
    host->origins = larger;
    host->origin_capacity = capacity;
    return GPC_OK;
}

void gpci_coherent_forget(gpci_timed *timed) {
    gpci_coherent_host *host = timed->coherent;
    const gpci_engine *engine = gpci_engine_of(timed);
    for (size_t i = 0; i < engine->label_capacity; i++)
        engine->labels[i] = 0;
    if (!timed->stage_times && host->origin_capacity) /* stage times keep the other fields */
        memset(host->origins, 0, host->origin_capacity * sizeof *host->origins);
    for (size_t i = 0; timed->stage_times && i < host->origin_capacity; i++)
        host->origins[i].label.id = host->origins[i].label.origin = 0;
}

/* Save or load the origins, after the engine's state. An event log made after loading gives labels new numbers. */
void gpci_coherent_origins_archive(gpci_timed *timed, gpci_archive *archive) {
    if (archive->status == GPC_OK && gpci_coherent_make_origins(timed) < 0)
        gpci_archive_fail(archive, GPC_ERROR_MEMORY, ""); /* as gpci_coherent_values_archive */
    gpci_archive_bytes(archive, timed->coherent->origins,
                       gpci_engine_of(timed)->inflights.count * sizeof *timed->coherent->origins);
}

gpc_status gpci_coherent_reserve(gpci_timed *timed, uint64_t address) {
    const gpci_engine *engine = gpci_engine_of(timed);
    const gpc_status status = gpci_engine_reserve(gpci_engine_of(timed), address);
    const bool lacks = timed->coherent->origin_capacity < engine->inflights.capacity;
    return GPCI_UNLIKELY(lacks) && status == GPC_OK ? gpci_coherent_make_origins(timed) : status;
}

void gpci_coherent_share_line(const gpci_timed *timed, gpci_packet *packet, const gpci_packet *before) {
    gpci_engine *engine = gpci_engine_of(timed);
    packet->line.record = before ? before->line.record : gpci_items_take(&engine->lines);
    packet->flags |= GPCI_PACKET_PART;
    gpci_line_record_at(engine, packet->line.record)->users++;
    gpci_line_record_at(engine, packet->line.record)->parts++;
}

void gpci_coherent_note_bypass(const gpci_timed *timed, gpci_packet *packet, uint8_t segments) {
    gpci_line_record *line = timed->hierarchy->coherent->tree->line;
    const gpci_module *l1 = gpci_module_at(timed->hierarchy->coherent->tree, packet->request.sm);
    const gpc_predictor_ops *ops = l1->predictor ? l1->predictor->ops : NULL;
    if (!segments || !gpci_passes_l1(timed->hierarchy, packet->request.space))
        return;
    if (!ops || !ops->on_reply) {
        gpci_count_l1_bypass(timed->hierarchy, packet->request.sm, segments);
        return;
    }
    packet->born = timed->wheel.now;
    packet->line.marks |= GPCI_MARK_PASSES | (line->open ? 0 : GPCI_MARK_OPEN);
    if (!line->open)
        gpci_open_l1_bypass(timed->hierarchy, packet->request.sm);
    line->open = true;
}

void gpci_coherent_end_bypass(const gpci_timed *timed, uint32_t sm, gpci_packet *packet, bool overturned) {
    gpci_line_record *line =
        packet->flags & GPCI_PACKET_PART ? gpci_line_record_at(gpci_engine_of(timed), packet->line.record) : NULL;
    const bool open = line ? !--line->parts && line->open : packet->line.marks & GPCI_MARK_OPEN;
    if (open && !(line ? line->overturned : overturned)) /* an overturned bypass stays open, and never counts */
        gpci_close_l1_bypass(timed->hierarchy, sm);
    if (packet->line.marks & GPCI_MARK_PASSES && !overturned && gpci_is_counted(timed, packet))
        gpci_count_l1_bypass(timed->hierarchy, sm, gpci_coherent_bypassed(timed->hierarchy, packet->segments));
    packet->line.marks &= (uint8_t) ~(GPCI_MARK_OPEN | GPCI_MARK_PASSES);
}

/* Schedule the engine's next run, after a run. */
static void settle(gpci_timed *timed, gpc_status status) {
    timed->coherent->running = false;
    if (GPCI_UNLIKELY(status < 0)) {
        timed->failed = status;
        gpci_wheel_wake(&timed->wheel, 0, timed->wheel.now + 1);
        return;
    }
    const uint64_t next = gpci_engine_next(gpci_engine_of(timed));
    if (next != UINT64_MAX)
        gpci_wheel_wake(&timed->wheel, 0, next);
}

void gpci_coherent_run(gpci_timed *timed) {
    if (timed->coherent->running)
        return;
    timed->coherent->running = true;
    settle(timed, gpci_engine_run(gpci_engine_of(timed), timed->wheel.now, &timed->error));
}

void gpci_engine_step(const gpci_group *group, uint32_t index) {
    (void)index;
    gpci_coherent_run(group->timed);
    if (GPCI_UNLIKELY(group->timed->coherent->sealed))
        gpci_coherent_flush_on(group->timed);
}

/*
 * Continue the task of a finished message or memory access. If `now` is false or the engine is running, only schedule
 * the task's step.
 */
static void go_on(gpci_timed *timed, gpci_packet_message message, bool now) {
    gpci_engine *engine = gpci_engine_of(timed);
    gpci_engine_at(engine, timed->wheel.now);
    if (!now || timed->coherent->running) {
        gpci_engine_put(engine, message.task, (gpci_step)message.step, timed->wheel.now);
        return;
    }
    timed->coherent->running = true;
    settle(timed, gpci_engine_do(engine, message.task, (gpci_step)message.step, &timed->error));
}

/* All messages of an arrived packet have been handled: let their data pass the port together. */
static void close_gathered(gpci_timed *timed) {
    timed->coherent->gathered.open = false;
    use_gathered(timed);
    const uint64_t next = gpci_engine_next(gpci_engine_of(timed));
    if (next <= timed->wheel.now)
        gpci_coherent_run(timed);
    else if (next != UINT64_MAX)
        gpci_wheel_wake(&timed->wheel, 0, next);
}

/* Continue the task of every message, or memory access, of a packet, in order. */
static void all_go_on(gpci_timed *timed, uint32_t packet, bool message, bool now) {
    const bool several = gpci_packet_at(&timed->pool, packet)->flags & GPCI_PACKET_BUNDLE;
    const bool gathers = several && now && !timed->coherent->running;
    if (GPCI_UNLIKELY(gathers))
        timed->coherent->gathered.open = true;
    for (uint32_t next; packet != GPCI_NO_PACKET; packet = next) {
        gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
        const gpci_packet_message packet_message = pkt->message;
        next = gpci_bundle_split(pkt);
        if (message)
            gpci_log_arrival(timed, pkt);
        if (GPCI_LIKELY(pkt->flags & GPCI_PACKET_MESSAGE))
            gpci_pool_give_message(&timed->pool, packet);
        else
            gpci_pool_give(&timed->pool, packet);
        go_on(timed, packet_message, now);
    }
    if (GPCI_UNLIKELY(gathers))
        close_gathered(timed);
}

void gpci_message_arrived(gpci_timed *timed, uint32_t packet) {
    all_go_on(timed, packet, true, true);
}

/* The host's memory answers between cycles: the consequences wait for the next cycle. */
void gpci_message_memory_done(gpci_timed *timed, uint32_t packet) {
    const bool between = timed->wheel.at >= timed->wheel.components;
    all_go_on(timed, packet, false, !between);
    if (between)
        gpci_wheel_wake(&timed->wheel, 0, timed->wheel.now);
}

gpc_coherence_request gpci_coherent_request_of(const gpci_timed *timed, const gpci_packet *pkt) {
    gpc_coherence_request request = gpci_coherent_request(timed->hierarchy->coherent, &pkt->request, pkt->bytes);
    request.cycle = timed->wheel.now;
    return request;
}

/* -- MSHR entries of slices */

/*
 * MSHR entries of a coherent slice (l2.mshr_entries). A request that must ask memory has an entry from the lookup until
 * the reply (or refusal) is sent. While a request waits for a locked block, it has none.
 *
 * Requests pass the tags in order: if no entry is free, the first request that needs one waits, and all requests behind
 * it wait too (in queue `returned`). Replies, probes and write-backs pass them; so do requests that would be refused
 * instead of waiting (gpci_task.forwarded). With coherence.conflict = retry a request is refused instead. Requests for
 * sectors of a line share an entry.
 *
 * No deadlock, for any number of entries: a waiting request is not served, so probes pass the locks of the access
 * nearer to the processors (coherence/requests/engine_find.c), and it holds no lock in the slice. A request with an
 * entry waits for memory, whose locks are held only by such requests and write-backs, and for probes and write-backs,
 * which never wait here. So requests with entries complete, and free them.
 *
 * Near halves of slices share the entries and leave one free. Their requests wait in the controller, so that no request
 * of the home half is behind one (level/coherent/coherent_level.h).
 *
 * Example, one entry: loads of lines A and B that memory has, and C that the slice has. A takes the entry; B waits, and
 * C behind it. When A's data are sent, B takes the entry, and C passes the tags a cycle later.
 */

static bool has_room(const gpci_ctrl *ctrl) {
    return ctrl->mshr.used[0] < ctrl->options->entries;
}

/* Requests of near halves wait for other slices, and leave an entry for lines at home. */
static bool has_room_for(const gpci_timed *timed, const gpci_ctrl *ctrl, uint32_t module) {
    const uint32_t kept = gpci_is_near(timed->hierarchy->coherent, module) ? 1 : 0;
    return ctrl->mshr.used[0] + kept < ctrl->options->entries;
}

static bool is_request(const gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *pkt) {
    return gpci_engine_of(timed)->waits && ctrl->level == 2 &&
           (pkt->message.step == GPCI_STEP_read_come || pkt->message.step == GPCI_STEP_write_come) &&
           gpci_is_slice(timed->hierarchy->coherent, pkt->message.module) && !gpci_message_task(timed, pkt)->down &&
           !gpci_message_task(timed, pkt)->forwarded;
}

/* Head of the list of requests with entries for a line, if sectors share entries. */
static uint32_t *line_of(const gpci_timed *timed, const gpci_ctrl *ctrl, uint64_t address) {
    const uint64_t hash = address / timed->bundle_line * 0x9e3779b97f4a7c15u >> 32;
    return &ctrl->mshr.buckets[hash & ctrl->mshr.mask].mshr_entry;
}

/* True if another request for the line has an entry, in the same half of the slice. */
static bool is_shared(const gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_task *task) {
    if (GPCI_LIKELY(!timed->bundle_line))
        return false;
    const gpci_engine *engine = gpci_engine_of(timed);
    for (uint32_t i = *line_of(timed, ctrl, task->address); i != GPCI_NO_ITEM;
         i = gpci_task_at(engine, i)->next_of_line) {
        const gpci_task *other = gpci_task_at(engine, i);
        if (other->module == task->module && (other->address ^ task->address) < timed->bundle_line)
            return true;
    }
    return false;
}

static void list(const gpci_timed *timed, const gpci_ctrl *ctrl, uint32_t number) {
    gpci_task *task = gpci_task_at(gpci_engine_of(timed), number);
    if (GPCI_LIKELY(!timed->bundle_line))
        return;
    uint32_t *first = line_of(timed, ctrl, task->address);
    task->next_of_line = *first;
    *first = number;
}

static void strike_out(const gpci_timed *timed, const gpci_ctrl *ctrl, uint32_t number) {
    const gpci_engine *engine = gpci_engine_of(timed);
    if (GPCI_LIKELY(!timed->bundle_line))
        return;
    uint32_t *at = line_of(timed, ctrl, gpci_task_at(engine, number)->address);
    while (*at != number)
        at = &gpci_task_at(engine, *at)->next_of_line;
    *at = gpci_task_at(engine, number)->next_of_line;
}

/* True if a request of a packet needs an entry and no entry is free. */
static bool lacks(const gpci_timed *timed, const gpci_ctrl *ctrl, uint32_t packet) {
    if (has_room(ctrl))
        return false;
    for (const gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);;
         pkt = gpci_packet_at(&timed->pool, gpci_bundle_next(pkt))) {
        const gpci_packet_message *message = &pkt->message;
        if (gpci_engine_asks_below(gpci_engine_of(timed), message->task, (gpci_step)message->step) &&
            !is_shared(timed, ctrl, gpci_message_task(timed, pkt)))
            return true;
        if (GPCI_LIKELY(!(pkt->flags & GPCI_PACKET_BUNDLE)))
            return false;
    }
}

bool gpci_coherent_mshr_stall(gpci_timed *timed, gpci_ctrl *ctrl, gpci_queue *queue) {
    const uint32_t packet = queue->first;
    if (!is_request(timed, ctrl, gpci_packet_at(&timed->pool, packet)) ||
        (!ctrl->returned.count && !lacks(timed, ctrl, packet)))
        return false;
    gpci_queue_pop(queue, &timed->pool, timed->wheel.now);
    if (!ctrl->returned.count)
        gpci_ctrl_block(ctrl, &ctrl->tag_access[0], timed->wheel.now, GPC_BUSY_MSHR);
    gpci_log_blocked(timed, ctrl, gpci_packet_at(&timed->pool, packet), &ctrl->tag_access[0]);
    gpci_queue_push(&ctrl->returned, &timed->pool, timed->wheel.now, packet);
    return true;
}

bool gpci_coherent_mshr_is_stalled(gpci_timed *timed, gpci_ctrl *ctrl) {
    if (!lacks(timed, ctrl, ctrl->returned.first)) {
        gpci_ctrl_unblock(ctrl, &ctrl->tag_access[0], timed->wheel.now);
        return false;
    }
    gpci_ctrl_block(ctrl, &ctrl->tag_access[0], timed->wheel.now, GPC_BUSY_MSHR);
    gpci_log_blocked(timed, ctrl, gpci_packet_at(&timed->pool, ctrl->returned.first), &ctrl->tag_access[0]);
    return true;
}

bool gpci_coherent_mshr_allocate(void *timed, uint32_t number) {
    gpci_timed *t = timed;
    gpci_task *task = gpci_task_at(gpci_engine_of(t), number);
    if (!gpci_is_slice(t->hierarchy->coherent, task->module) && !gpci_is_near(t->hierarchy->coherent, task->module))
        return true;
    gpci_ctrl *ctrl = gpci_coherent_ctrl_of(t, task->module);
    const bool shared = is_shared(t, ctrl, task);
    if (!shared && !has_room_for(t, ctrl, task->module))
        return false;
    task->mshr = true;
    list(t, ctrl, number);
    gpci_log_entry(t, GPC_WHAT_MSHR_ALLOCATE, number);
    ctrl->mshr.used[0] += !shared;
    gpci_gauge_set(&ctrl->mshr.gauge, t->wheel.now, ctrl->mshr.used[0]);
    return true;
}

void gpci_coherent_mshr_free(void *timed, uint32_t number) {
    gpci_timed *t = timed;
    gpci_task *task = gpci_task_at(gpci_engine_of(t), number);
    gpci_ctrl *ctrl = gpci_coherent_ctrl_of(t, task->module);
    task->mshr = false;
    gpci_log_entry(t, GPC_WHAT_MSHR_FREE, number);
    strike_out(t, ctrl, number);
    ctrl->mshr.used[0] -= !is_shared(t, ctrl, task);
    gpci_gauge_set(&ctrl->mshr.gauge, t->wheel.now, ctrl->mshr.used[0]);
    const gpci_coherent *coherent = t->hierarchy->coherent;
    const uint32_t slice = gpci_slice_number(coherent, task->module);
    gpci_engine_entry_free(gpci_engine_of(t), coherent->first_slice + slice);
    if (GPCI_UNLIKELY(gpci_near_of(coherent, slice) != GPC_NO_MODULE))
        gpci_engine_entry_free(gpci_engine_of(t), gpci_near_of(coherent, slice));
    if (ctrl->returned.count)
        gpci_wheel_wake(&t->wheel, ctrl->component, t->wheel.now);
}
