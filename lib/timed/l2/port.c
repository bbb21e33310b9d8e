/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/l2/port.h"

#include "level/rules/driver.h"
#include "level/rules/recorder.h"
#include "timed/core/timed.h"

#include <inttypes.h>
#include <string.h>

static uint32_t number(const gpc_hierarchy *hierarchy, gpci_key key) {
    const uint64_t value = gpci_number(hierarchy, key);
    return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

gpc_status gpci_ports_check(const gpc_hierarchy *hierarchy, gpc_error *error) {
    const uint64_t ports = gpci_number(hierarchy, GPCI_KEY_PORTS);
    const char *what =
        !ports                                    ? NULL
        : hierarchy->driver != &gpci_timed_caches ? "mode = timed, and coherence = none or viper"
        : hierarchy->with_data                    ? "coherence.data = false: their lines carry no values"
        : gpci_number(hierarchy, GPCI_KEY_THREADS) != 1 && gpci_number(hierarchy, GPCI_KEY_THREADS) != UINT64_MAX
            ? "threads = 1: they reach all slices"
            : NULL;
    return what ? gpci_fail(error, GPC_ERROR_RANGE, "ports = %" PRIu64 " needs %s", ports, what) : GPC_OK;
}

/* Requests */

static gpci_port_entry *entries_of(const struct gpci_ports *ports, uint32_t port) {
    return ports->entries + (size_t)port * ports->queue;
}

static gpc_status check(const gpc_hierarchy *hierarchy, const gpc_port_request *request, gpc_error *error) {
    const uint32_t count = gpc_hierarchy_ports(hierarchy);
    if (request->port >= count)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_try_port: port is %u, but ports = %u", request->port,
                         count);
    if (request->kind != GPC_LOAD && request->kind != GPC_STORE)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_try_port: kind is neither LOAD nor STORE");
    if (!request->bytes || request->address + (request->bytes - 1) < request->address)
        return gpci_fail(error, GPC_ERROR_ARGUMENT,
                         "gpc_hierarchy_try_port: bytes is 0, or goes beyond the last address");
    const char *wrong = gpci_process_wrong(hierarchy, request->process, request->address, request->bytes);
    return wrong ? gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_try_port: %s", wrong) : GPC_OK;
}

/* Events */

static gpc_event event_of(const gpci_timed *timed, gpc_what what, uint32_t number, const gpci_port_entry *entry) {
    gpc_event event = gpci_event_of_none(timed->log, what, GPC_COMPONENT_PORT, number);
    event.packet = event.access = entry->label;
    event.address = entry->begin & ~(uint64_t)(timed->hierarchy->l1_level.line_bytes - 1);
    event.kind = entry->kind;
    return event;
}

static void tell_request(gpci_timed *timed, uint32_t number, gpci_port_entry *entry) {
    entry->label = ++timed->log->packets;
    gpc_event event = event_of(timed, GPC_WHAT_ISSUE, number, entry);
    const uint64_t bytes =
        ((entry->begin & (GPCI_SEGMENT - 1)) + entry->left + GPCI_SEGMENT - 1) & ~(uint64_t)(GPCI_SEGMENT - 1);
    event.bytes = entry->left > UINT32_MAX - 2 * GPCI_SEGMENT ? UINT32_MAX : (uint32_t)bytes;
    gpci_event_log_put(timed->log, &event);
}

static void tell_end(gpci_timed *timed, uint32_t number, const gpci_port_entry *entry) {
    gpc_event event = event_of(timed, GPC_WHAT_COMPLETE, number, entry);
    event.outcome = entry->level;
    event.value = event.cycle - entry->accepted;
    gpci_event_log_put(timed->log, &event);
}

/* Log an event of a line at a port, or on the way between port and slice. The line's `bytes` move until `until`. */
static void tell_line(gpci_timed *timed, gpc_what what, const gpci_packet *entry, uint32_t bytes, uint64_t until) {
    const gpci_packet_label *label = gpci_label_of(&timed->pool, entry);
    gpc_event event = gpci_event_of_none(timed->log, what, GPC_COMPONENT_PORT, entry->request.warp);
    if (!label->id)
        return;
    event.packet = label->id;
    event.parent = label->parent;
    event.access = label->origin;
    event.address = entry->address;
    event.kind = label->kind;
    event.bytes = bytes;
    event.until = until;
    event.outcome = what == GPC_WHAT_REPLY ? entry->level : 0;
    gpci_event_log_put(timed->log, &event);
}

static void tell_new_line(gpci_timed *timed, uint32_t packet, uint32_t number, const gpci_port_entry *entry) {
    gpci_packet_label *label = gpci_label_take(&timed->pool, packet);
    const gpci_packet *entry_pkt = gpci_packet_at(&timed->pool, packet);
    *label = (gpci_packet_label){.id = entry->label ? ++timed->log->packets : 0,
                                 .parent = entry->label,
                                 .origin = entry->label,
                                 .kind = entry->kind,
                                 .port = (uint8_t)(1 + number)};
    tell_line(timed, GPC_WHAT_LINE, entry_pkt, gpci_packet_bytes(entry_pkt), timed->wheel.now);
}

/* Bytes that a line moves over the link to L2, or (`back`) over the link from L2. */
static uint32_t bytes_on_link(const gpci_packet *entry, bool back) {
    if (entry->line.kind == GPC_STORE)
        return back ? 0 : entry->request.bytes_used;
    return back ? gpci_packet_bytes(entry) : 0;
}

/* A line enters a link, or leaves a link. */
GPCI_INLINE void see_link(gpci_timed *timed, gpc_what what, uint32_t packet, bool back, uint64_t until) {
    const gpci_packet *entry = gpci_packet_at(&timed->pool, packet);
    if (GPCI_UNLIKELY(timed->log != NULL))
        tell_line(timed, what, entry, bytes_on_link(entry, back), until);
}

void gpci_ports_forget(const gpci_timed *timed) {
    const struct gpci_ports *ports = timed->groups[GPCI_GROUP_PORTS].self;
    for (uint32_t i = 0; ports && i < ports->count * ports->queue; i++)
        ports->entries[i].label = 0;
}

/* Requests */

gpc_status gpc_hierarchy_try_port(gpc_hierarchy *hierarchy, const gpc_port_request *request, uint64_t token,
                                  gpc_error *error) {
    if (!hierarchy || !request)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_try_port: %s is NULL",
                         hierarchy ? "request" : "hierarchy");
    gpc_port_request port_request = GPC_PORT_REQUEST_INIT;
    if (hierarchy->called_back)
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_hierarchy_try_port: called from within a callback");
    gpc_status status =
        gpci_take(&port_request, sizeof port_request, sizeof port_request, request, "gpc_port_request", error);
    if (status == GPC_OK)
        status = check(hierarchy, &port_request, error);
    if (status < 0)
        return status;
    gpci_timed *timed = hierarchy->timed;
    struct gpci_ports *ports = timed->groups[GPCI_GROUP_PORTS].self;
    gpci_port *port = &ports->each[port_request.port];
    if (port->used == ports->queue)
        return GPC_BUSY;
    gpci_port_entry *entries = entries_of(ports, port_request.port);
    uint32_t at = 0;
    while (entries[at].used)
        at++;
    entries[at] = (gpci_port_entry){.token = token,
                                    .accepted = timed->wheel.now,
                                    .address = gpc_process_address(port_request.process, port_request.address),
                                    .begin = gpc_process_address(port_request.process, port_request.address),
                                    .left = port_request.bytes,
                                    .kind = port_request.kind,
                                    .used = true};
    hierarchy->processes |= port_request.process != 0;
    ports->order[(size_t)port_request.port * ports->queue + (port->first + port->sending) % ports->queue] = at;
    port->sending++;
    port->used++;
    port->stats.requests++;
    if (GPCI_UNLIKELY(timed->log != NULL))
        tell_request(timed, port_request.port, &entries[at]);
    timed->in_flight++;
    timed->taken++;
    timed->progress = timed->wheel.now;
    gpci_wheel_wake(&timed->wheel, timed->groups[GPCI_GROUP_PORTS].first + port_request.port, timed->wheel.now + 1);
    GPCI_RECORD(hierarchy, cannot, (hierarchy->recorder, "gpc_hierarchy_try_port"));
    return GPC_OK;
}

uint32_t gpc_hierarchy_ports(const gpc_hierarchy *hierarchy) {
    return hierarchy && hierarchy->timed ? hierarchy->timed->groups[GPCI_GROUP_PORTS].objects : 0;
}

/* Cycles that the link has waited for lines in flight; a link that is still busy has not waited. */
static uint64_t waited(const gpci_port *port, uint64_t now) {
    return port->limited_since < now ? now - port->limited_since : 0;
}

gpc_status gpc_hierarchy_port_stats(const gpc_hierarchy *hierarchy, uint32_t port, gpc_port_stats *out,
                                    gpc_error *error) {
    if (!hierarchy || !out)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_port_stats: %s is NULL",
                         hierarchy ? "out" : "hierarchy");
    if (port >= gpc_hierarchy_ports(hierarchy))
        return gpci_fail(error, GPC_ERROR_RANGE, "gpc_hierarchy_port_stats: port is %u, but ports = %u", port,
                         gpc_hierarchy_ports(hierarchy));
    const struct gpci_ports *ports = hierarchy->timed->groups[GPCI_GROUP_PORTS].self;
    gpc_port_stats stats = ports->each[port].stats;
    stats.limit_cycles += waited(&ports->each[port], hierarchy->timed->wheel.now);
    return gpci_give(out, &stats, sizeof stats, "gpc_port_stats", error);
}

/* Lines */

/* An SM of the line's home partition: L2's policies see the request as a request of this SM. */
static uint32_t neighbour(const gpc_hierarchy *hierarchy, uint32_t partition) {
    uint32_t sm = 0;
    while (sm + 1 < hierarchy->sms && hierarchy->sm_partition[sm] != partition)
        sm++;
    return hierarchy->sm_partition[sm] == partition ? sm : 0;
}

static uint32_t cycles_of(const struct gpci_ports *ports, uint32_t bytes) {
    return bytes > ports->width ? (bytes + ports->width - 1) / ports->width : 1;
}

/* Packet for the next `bytes` of an entry, from `offset` in the line. */
static gpci_packet make_line(const gpci_timed *timed, const gpci_port_entry *entry, uint32_t number, uint32_t at,
                             uint32_t offset, uint32_t bytes) {
    const gpci_bytes span = gpci_bytes_between(offset, offset + bytes);
    const uint64_t address = entry->address - offset;
    const uint8_t segments = gpci_segments_of(span.word);
    gpci_packet line = {.address = address,
                        .born = timed->wheel.now,
                        .line = {.inflight = UINT32_MAX, .mshr_target = at, .kind = entry->kind},
                        .segments = segments,
                        .level = 2,
                        .type = entry->kind == GPC_STORE ? GPCI_WRITE : GPCI_READ,
                        .flags = GPCI_PACKET_PORT};
    line.request =
        gpci_request_of_nobody(timed->hierarchy, address, address,
                               neighbour(timed->hierarchy, gpci_l2_home(timed->hierarchy, 0, address)), entry->kind);
    line.request.cycle = timed->wheel.now;
    line.request.warp = number;
    line.request.transactions = 1;
    line.request.bytes_used = (uint16_t)bytes;
    line.request.sector_mask = timed->hierarchy->l1_level.sectors_of[segments];
    memcpy(line.bytes, span.word, sizeof line.bytes);
    if (entry->kind == GPC_STORE)
        memcpy(line.request.byte_mask, span.word, sizeof line.request.byte_mask);
    return line;
}

/* Send the next line of an entry to the slice. */
static void send_line(gpci_timed *timed, struct gpci_ports *ports, uint32_t number, uint32_t at) {
    gpci_port *port = &ports->each[number];
    gpci_port_entry *entry = &entries_of(ports, number)[at];
    const uint32_t line = timed->hierarchy->l1_level.line_bytes, offset = (uint32_t)entry->address & (line - 1);
    const uint32_t bytes = entry->left < line - offset ? (uint32_t)entry->left : line - offset;
    const uint32_t packet = gpci_pool_take(&timed->pool);
    gpci_packet *entry_pkt = gpci_packet_at(&timed->pool, packet);
    const bool store = entry->kind == GPC_STORE;
    *entry_pkt = make_line(timed, entry, number, at, offset, bytes);
    if (GPCI_UNLIKELY(timed->log != NULL))
        tell_new_line(timed, packet, number, entry);
    const uint32_t slice =
        gpci_l2_slice(timed->hierarchy, gpci_l2_home(timed->hierarchy, 0, entry_pkt->address),
                      gpci_interleave_slice(&timed->hierarchy->interleave, entry_pkt->address, &entry_pkt->path.inner));
    const uint32_t cycles = store ? cycles_of(ports, bytes) : 1;
    port->free = timed->wheel.now + cycles;
    port->stats.busy_cycles += cycles;
    port->stats.read_lines += !store;
    port->stats.write_lines += store;
    *(store ? &port->stats.write_sectors : &port->stats.read_sectors) += gpci_count_sectors(entry_pkt->segments);
    port->lines++;
    entry->under_way++;
    entry->address += bytes;
    entry->left -= bytes;
    const uint64_t due = port->free + ports->latency;
    timed->pool.links[packet].due = due;
    see_link(timed, GPC_WHAT_SEND, packet, false, port->free);
    gpci_queue_push(&ports->at_slices[slice], &timed->pool, timed->wheel.now, packet);
    gpci_wheel_wake(&timed->wheel, timed->l2[slice].component, due);
}

static void send(gpci_timed *timed, struct gpci_ports *ports, uint32_t number) {
    gpci_port *port = &ports->each[number];
    const uint64_t now = timed->wheel.now;
    if (port->lines < ports->lines) {
        port->stats.limit_cycles += waited(port, now);
        port->limited_since = GPCI_NEVER;
    }
    if (port->sending && port->free <= now && port->lines < ports->lines) {
        const uint32_t at = ports->order[(size_t)number * ports->queue + port->first];
        send_line(timed, ports, number, at); /* room exists (gpci_lines_to_begin) */
        if (!entries_of(ports, number)[at].left) {
            port->first = (port->first + 1) % ports->queue;
            port->sending--;
        }
    }
    if (!port->sending)
        return;
    if (port->lines < ports->lines)
        gpci_wheel_wake(&timed->wheel, timed->groups[GPCI_GROUP_PORTS].first + number,
                        port->free > now ? port->free : now + 1);
    else if (port->limited_since == GPCI_NEVER) /* a reply wakes the port */
        port->limited_since = port->free > now ? port->free : now;
}

bool gpci_ports_enter(gpci_timed *timed, gpci_ctrl *slice, bool others) {
    struct gpci_ports *ports = timed->groups[GPCI_GROUP_PORTS].self;
    gpci_queue *queue = &ports->at_slices[slice->index], *to = slice->entrance;
    const uint64_t now = timed->wheel.now;
    const bool yields = others && !ports->ports_first[slice->index];
    bool entered = false;
    ports->ports_first[slice->index] = yields;
    while (!yields && queue->count && timed->pool.links[queue->first].due <= now && !gpci_queue_full(&slice->in)) {
        const uint32_t packet = gpci_queue_pop(queue, &timed->pool, now);
        see_link(timed, GPC_WHAT_RECEIVE, packet, false, now);
        timed->pool.links[packet].due = gpci_clock_after(slice->options->clock, now, timed->rop_latency);
        gpci_queue_push(to, &timed->pool, now, packet);
        entered = true;
        if (others || timed->rop_queue)
            break;
    }
    if (!queue->count)
        return entered;
    /* if a line is due, but has no room, packets of `in` wake the slice */
    const uint64_t due = timed->pool.links[queue->first].due;
    if (due > now || !gpci_queue_full(&slice->in))
        gpci_wheel_wake(&timed->wheel, slice->component, due > now ? due : now + 1);
    return entered;
}

bool gpci_ports_wait(const gpci_timed *timed, const gpci_ctrl *slice) {
    const struct gpci_ports *ports = timed->groups[GPCI_GROUP_PORTS].self;
    return ports && ports->at_slices[slice->index].count;
}

/* Replies */

static void take(gpci_timed *timed, uint32_t packet) {
    struct gpci_ports *ports = timed->groups[GPCI_GROUP_PORTS].self;
    const gpci_packet *entry = gpci_packet_at(&timed->pool, packet);
    gpci_port *port = &ports->each[entry->request.warp];
    const uint64_t now = timed->wheel.now;
    const uint32_t bytes = entry->line.kind == GPC_STORE ? 0 : gpci_packet_bytes(entry);
    port->reply_free = (port->reply_free > now ? port->reply_free : now) + cycles_of(ports, bytes);
    const uint64_t due = port->reply_free + ports->latency;
    timed->pool.links[packet].due = due;
    see_link(timed, GPC_WHAT_SEND, packet, true, port->reply_free);
    gpci_queue_push(&port->replies, &timed->pool, now, packet);
    gpci_wheel_wake(&timed->wheel, timed->groups[GPCI_GROUP_PORTS].first + entry->request.warp, due);
}

static bool answers(gpci_timed *timed, gpci_ctrl *slice, gpci_queue *replies) {
    const uint32_t packet = replies->first;
    if (!(gpci_packet_at(&timed->pool, packet)->flags & GPCI_PACKET_PORT))
        return false;
    gpci_queue_pop(replies, &timed->pool, timed->wheel.now);
    gpci_ctrl_resource_freed(slice, GPC_BUSY_NETWORK);
    take(timed, packet);
    return true;
}

static void complete(gpci_timed *timed, struct gpci_ports *ports, uint32_t number, gpci_port_entry *entry) {
    gpci_port *port = &ports->each[number];
    if (GPCI_UNLIKELY(timed->log != NULL) && entry->label)
        tell_end(timed, number, entry);
    const gpc_completion completion = {.token = entry->token,
                                       .issued = entry->accepted,
                                       .cycle = timed->wheel.now,
                                       .sm = UINT32_MAX,
                                       .warp = UINT32_MAX,
                                       .kind = entry->kind,
                                       .level = entry->level,
                                       .port = (uint8_t)(1 + number)};
    port->stats.completed++;
    port->stats.request_cycles += completion.cycle - completion.issued;
    port->used--;
    entry->used = false;
    timed->in_flight--;
    timed->ended++;
    timed->progress = timed->wheel.now;
    if (timed->callbacks.on_complete)
        timed->callbacks.on_complete(timed->callbacks.user_data, &completion);
}

static void take_replies(gpci_timed *timed, struct gpci_ports *ports, uint32_t number) {
    gpci_port *port = &ports->each[number];
    while (port->replies.count && timed->pool.links[port->replies.first].due <= timed->wheel.now) {
        const uint32_t packet = gpci_queue_pop(&port->replies, &timed->pool, timed->wheel.now);
        const gpci_packet *entry_pkt = gpci_packet_at(&timed->pool, packet);
        gpci_port_entry *entry = &entries_of(ports, number)[entry_pkt->line.mshr_target];
        port->stats.l2_read_hits += entry->kind == GPC_LOAD && entry_pkt->level == 2;
        entry->level = entry_pkt->level > entry->level ? entry_pkt->level : entry->level;
        see_link(timed, GPC_WHAT_RECEIVE, packet, true, timed->wheel.now);
        if (GPCI_UNLIKELY(timed->log != NULL))
            tell_line(timed, GPC_WHAT_REPLY, entry_pkt, gpci_packet_bytes(entry_pkt), timed->wheel.now);
        port->lines--;
        entry->under_way--;
        gpci_pool_give(&timed->pool, packet);
        if (!entry->left && !entry->under_way)
            complete(timed, ports, number, entry);
    }
    if (port->replies.count)
        gpci_wheel_wake(&timed->wheel, timed->groups[GPCI_GROUP_PORTS].first + number,
                        timed->pool.links[port->replies.first].due);
}

/* The component */

static gpci_group_size size(const gpci_timed *timed, gpci_group_kind kind) {
    const uint32_t ports = number(timed->hierarchy, GPCI_KEY_PORTS);
    (void)kind;
    return (gpci_group_size){ports, ports};
}

static void destroy(gpci_group *group) {
    struct gpci_ports *ports = group->self;
    gpc_context *context = group->timed->context;
    if (!ports)
        return;
    gpci_free(context, ports->each);
    gpci_free(context, ports->entries);
    gpci_free(context, ports->order);
    gpci_free(context, ports->at_slices);
    gpci_free(context, ports->ports_first);
    gpci_free(context, ports);
}

static gpc_status make(gpci_group *group, gpc_error *error) {
    gpci_timed *timed = group->timed;
    struct gpci_ports *ports = gpci_zalloc(timed->context, 1, sizeof *ports);
    if (!ports)
        return gpci_out_of_memory(error);
    group->self = ports;
    ports->count = group->objects;
    ports->width = number(timed->hierarchy, GPCI_KEY_PORT_WIDTH);
    ports->latency = number(timed->hierarchy, GPCI_KEY_PORT_LATENCY);
    ports->queue = number(timed->hierarchy, GPCI_KEY_PORT_QUEUE);
    ports->lines = number(timed->hierarchy, GPCI_KEY_PORT_LINES);
    ports->each = gpci_zalloc(timed->context, ports->count, sizeof *ports->each);
    ports->entries = gpci_zalloc(timed->context, (size_t)ports->count * ports->queue, sizeof *ports->entries);
    ports->order = gpci_zalloc(timed->context, (size_t)ports->count * ports->queue, sizeof *ports->order);
    ports->at_slices = gpci_zalloc(timed->context, timed->hierarchy->slices, sizeof *ports->at_slices);
    ports->ports_first = gpci_zalloc(timed->context, timed->hierarchy->slices, sizeof *ports->ports_first);
    if (!ports->each || !ports->entries || !ports->order || !ports->at_slices || !ports->ports_first)
        return gpci_out_of_memory(error);
    for (uint32_t i = 0; i < ports->count; i++) {
        gpci_queue_init(&ports->each[i].replies, GPCI_UNLIMITED);
        ports->each[i].limited_since = GPCI_NEVER;
        ports->each[i].stats = (gpc_port_stats)GPC_PORT_STATS_INIT;
    }
    for (uint32_t i = 0; i < timed->hierarchy->slices; i++)
        gpci_queue_init(&ports->at_slices[i], GPCI_UNLIMITED);
    return GPC_OK;
}

static void step(const gpci_group *group, uint32_t port) {
    take_replies(group->timed, group->self, port);
    send(group->timed, group->self, port);
}

static void reset(const gpci_group *group, uint32_t port, uint64_t now) {
    gpci_port *p = &((struct gpci_ports *)group->self)->each[port];
    p->stats = (gpc_port_stats)GPC_PORT_STATS_INIT;
    p->limited_since = p->limited_since < now ? now : p->limited_since;
}

/* Pass the state of a port; with the first port also the state that ports share. */
static void state(const gpci_group *group, uint32_t port, gpci_state_fn visit, void *user_data) {
    struct gpci_ports *ports = group->self;
    const uint32_t slices = group->timed->hierarchy->slices;
    visit(user_data, &ports->each[port], sizeof ports->each[port]);
    visit(user_data, entries_of(ports, port), ports->queue * sizeof *ports->entries);
    visit(user_data, ports->order + (size_t)port * ports->queue, ports->queue * sizeof *ports->order);
    if (port)
        return;
    visit(user_data, ports->at_slices, slices * sizeof *ports->at_slices);
    visit(user_data, ports->ports_first, slices * sizeof *ports->ports_first);
}

static void hold(const gpci_group *group, uint32_t number, gpci_holders *holders) {
    const gpci_timed *timed = group->timed;
    const struct gpci_ports *ports = group->self;
    const gpci_port *port = &ports->each[number];
    const gpci_mover clock = gpci_by_clock(group->first + number);
    gpci_held(holders, "requests", port->used, gpci_by_any());
    gpci_held(holders, "requests to send", port->sending, port->lines < ports->lines ? clock : gpci_by_any());
    gpci_held(holders, "lines under way", port->lines, gpci_by_any());
    gpci_held(holders, "replies to take", port->replies.count, clock);
    for (uint32_t slice = 0; slice < timed->hierarchy->slices && !number; slice++)
        gpci_held(holders, "lines before a slice", ports->at_slices[slice].count,
                  gpci_queue_full(&timed->l2[slice].in) ? gpci_by_object(GPCI_GROUP_SLICES, slice)
                                                        : gpci_by_clock(timed->l2[slice].component));
}

const gpci_component_class gpci_port_class =
    GPCI_COMPONENT_CLASS(GPCI_SCOPE_HIERARCHY, size, make, destroy, step, NULL, gpci_count_nothing, reset, state, hold);

/* Part of a slice. */

static gpc_status join(gpci_timed *timed, gpci_ctrl *slice, gpc_error *error) {
    (void)error;
    if (gpci_number(timed->hierarchy, GPCI_KEY_PORTS))
        gpci_part_add(slice, GPCI_PART_PORTS, &gpci_ports_part, &timed->groups[GPCI_GROUP_PORTS]);
    return GPC_OK;
}

static void enter(gpci_timed *timed, gpci_ctrl *slice) {
    gpci_ports_enter(timed, slice, gpci_network_peek(slice->networks.requests_in, slice->index) != GPCI_NO_PACKET);
}

const gpci_part_class gpci_ports_part = {
    .levels = GPCI_OF_SLICES, .make = join, .step = {[GPCI_AT_ENTER] = enter}, .answers = answers};
