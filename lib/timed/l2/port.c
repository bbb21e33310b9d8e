/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/l2/port.h"

#include "level/rules/driver.h"
#include "level/rules/recorder.h"
#include "timed/core/event_log.h"

#include <inttypes.h>
#include <string.h>

static uint32_t number(const gpc_hierarchy *h, gpci_key key) {
    const uint64_t value = gpci_number(h, key);
    return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

gpc_status gpci_ports_check(const gpc_hierarchy *h, gpc_error *error) {
    const uint64_t ports = gpci_number(h, GPCI_KEY_PORTS);
    const char *what = !ports                            ? NULL
                       : h->driver != &gpci_timed_caches ? "mode = timed, and coherence = none or viper"
                       : h->with_data                    ? "coherence.data = false: their lines carry no values"
                       : gpci_number(h, GPCI_KEY_THREADS) != 1 && gpci_number(h, GPCI_KEY_THREADS) != UINT64_MAX
                           ? "threads = 1: they reach all slices"
                           : NULL;
    return what ? gpci_fail(error, GPC_ERROR_RANGE, "ports = %" PRIu64 " needs %s", ports, what) : GPC_OK;
}

/* Requests */

static gpci_port_entry *entries_of(const struct gpci_ports *p, uint32_t port) {
    return p->entries + (size_t)port * p->queue;
}

static gpc_status check(const gpc_hierarchy *h, const gpc_port_request *r, gpc_error *error) {
    const uint32_t count = gpc_hierarchy_ports(h);
    if (r->port >= count)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_try_port: port is %u, but ports = %u", r->port,
                         count);
    if (r->kind != GPC_LOAD && r->kind != GPC_STORE)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_try_port: kind is neither LOAD nor STORE");
    if (!r->bytes || r->address + (r->bytes - 1) < r->address)
        return gpci_fail(error, GPC_ERROR_ARGUMENT,
                         "gpc_hierarchy_try_port: bytes is 0, or goes beyond the last address");
    const char *wrong = gpci_process_wrong(h, r->process, r->address, r->bytes);
    return wrong ? gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_try_port: %s", wrong) : GPC_OK;
}

/* Events */

static gpc_event event_of(const gpci_timed *t, gpc_what what, uint32_t number, const gpci_port_entry *e) {
    gpc_event event = gpci_event_of_none(t->log, what, GPC_COMPONENT_PORT, number);
    event.packet = event.access = e->label;
    event.address = e->begin & ~(uint64_t)(t->h->l1_level.line_bytes - 1);
    event.kind = e->kind;
    return event;
}

static void tell_request(gpci_timed *t, uint32_t number, gpci_port_entry *e) {
    e->label = ++t->log->packets;
    gpc_event event = event_of(t, GPC_WHAT_ISSUE, number, e);
    const uint64_t bytes =
        ((e->begin & (GPCI_SEGMENT - 1)) + e->left + GPCI_SEGMENT - 1) & ~(uint64_t)(GPCI_SEGMENT - 1);
    event.bytes = e->left > UINT32_MAX - 2 * GPCI_SEGMENT ? UINT32_MAX : (uint32_t)bytes;
    gpci_event_log_put(t->log, &event);
}

static void tell_end(gpci_timed *t, uint32_t number, const gpci_port_entry *e) {
    gpc_event event = event_of(t, GPC_WHAT_COMPLETE, number, e);
    event.outcome = e->level;
    event.value = event.cycle - e->accepted;
    gpci_event_log_put(t->log, &event);
}

/* A line of a request at its port, or on its way between port and slice: `bytes` move until `until`. */
static void tell_line(gpci_timed *t, gpc_what what, const gpci_packet *l, uint32_t bytes, uint64_t until) {
    const gpci_packet_label *label = gpci_label_of(&t->pool, l);
    gpc_event event = gpci_event_of_none(t->log, what, GPC_COMPONENT_PORT, l->request.warp);
    if (!label->id)
        return;
    event.packet = label->id;
    event.parent = label->parent;
    event.access = label->origin;
    event.address = l->address;
    event.kind = label->kind;
    event.bytes = bytes;
    event.until = until;
    event.outcome = what == GPC_WHAT_REPLY ? l->level : 0;
    gpci_event_log_put(t->log, &event);
}

static void tell_new_line(gpci_timed *t, uint32_t packet, uint32_t number, const gpci_port_entry *e) {
    gpci_packet_label *label = gpci_label_take(&t->pool, packet);
    const gpci_packet *l = gpci_packet_at(&t->pool, packet);
    *label = (gpci_packet_label){.id = e->label ? ++t->log->packets : 0,
                                 .parent = e->label,
                                 .origin = e->label,
                                 .kind = e->kind,
                                 .port = (uint8_t)(1 + number)};
    tell_line(t, GPC_WHAT_LINE, l, gpci_packet_bytes(l), t->wheel.now);
}

/* Bytes of a line on the link to L2, or (`back`) from L2. */
static uint32_t bytes_on_link(const gpci_packet *l, bool back) {
    if (l->line.kind == GPC_STORE)
        return back ? 0 : l->request.bytes_used;
    return back ? gpci_packet_bytes(l) : 0;
}

/* A line enters a link, or leaves a link. */
GPCI_INLINE void see_link(gpci_timed *t, gpc_what what, uint32_t packet, bool back, uint64_t until) {
    const gpci_packet *l = gpci_packet_at(&t->pool, packet);
    if (GPCI_UNLIKELY(t->log != NULL))
        tell_line(t, what, l, bytes_on_link(l, back), until);
}

void gpci_ports_forget(const gpci_timed *t) {
    const struct gpci_ports *p = t->groups[GPCI_GROUP_PORTS].self;
    for (uint32_t i = 0; p && i < p->count * p->queue; i++)
        p->entries[i].label = 0;
}

/* Requests */

gpc_status gpc_hierarchy_try_port(gpc_hierarchy *h, const gpc_port_request *request, uint64_t token, gpc_error *error) {
    if (!h || !request)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_try_port: %s is NULL", h ? "request" : "hierarchy");
    gpc_port_request r = GPC_PORT_REQUEST_INIT;
    if (h->called_back)
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_hierarchy_try_port: called from within a callback");
    gpc_status status = gpci_take(&r, sizeof r, sizeof r, request, "gpc_port_request", error);
    if (status == GPC_OK)
        status = check(h, &r, error);
    if (status < 0)
        return status;
    gpci_timed *t = h->timed;
    struct gpci_ports *p = t->groups[GPCI_GROUP_PORTS].self;
    gpci_port *port = &p->each[r.port];
    if (port->used == p->queue)
        return GPC_BUSY;
    gpci_port_entry *entries = entries_of(p, r.port);
    uint32_t at = 0;
    while (entries[at].used)
        at++;
    entries[at] = (gpci_port_entry){.token = token,
                                    .accepted = t->wheel.now,
                                    .address = gpc_process_address(r.process, r.address),
                                    .begin = gpc_process_address(r.process, r.address),
                                    .left = r.bytes,
                                    .kind = r.kind,
                                    .used = true};
    h->processes |= r.process != 0;
    p->order[(size_t)r.port * p->queue + (port->first + port->sending) % p->queue] = at;
    port->sending++;
    port->used++;
    port->stats.requests++;
    if (GPCI_UNLIKELY(t->log != NULL))
        tell_request(t, r.port, &entries[at]);
    t->in_flight++;
    t->taken++;
    t->progress = t->wheel.now;
    gpci_wheel_wake(&t->wheel, t->groups[GPCI_GROUP_PORTS].first + r.port, t->wheel.now + 1);
    GPCI_RECORD(h, cannot, (h->recorder, "gpc_hierarchy_try_port"));
    return GPC_OK;
}

uint32_t gpc_hierarchy_ports(const gpc_hierarchy *h) {
    return h && h->timed ? h->timed->groups[GPCI_GROUP_PORTS].objects : 0;
}

gpc_status gpc_hierarchy_port_stats(const gpc_hierarchy *h, uint32_t port, gpc_port_stats *out) {
    if (!h || !out)
        return GPC_ERROR_ARGUMENT;
    if (port >= gpc_hierarchy_ports(h))
        return GPC_ERROR_RANGE;
    const struct gpci_ports *p = h->timed->groups[GPCI_GROUP_PORTS].self;
    gpc_port_stats stats = p->each[port].stats;
    if (p->each[port].limited_since != GPCI_NEVER)
        stats.limit_cycles += h->timed->wheel.now - p->each[port].limited_since;
    return gpci_give(out, &stats, sizeof stats);
}

/* Lines */

/* An SM near the line's home: policies and partitions see the request as the SM's. */
static uint32_t neighbour(const gpc_hierarchy *h, uint32_t partition) {
    uint32_t sm = 0;
    while (sm + 1 < h->sms && h->sm_partition[sm] != partition)
        sm++;
    return h->sm_partition[sm] == partition ? sm : 0;
}

static uint32_t cycles_of(const struct gpci_ports *p, uint32_t bytes) {
    return bytes > p->width ? (bytes + p->width - 1) / p->width : 1;
}

/* Packet for the next `bytes` of an entry, from `offset` in the line. */
static gpci_packet make_line(const gpci_timed *t, const gpci_port_entry *e, uint32_t number, uint32_t at,
                             uint32_t offset, uint32_t bytes) {
    const gpci_bytes span = gpci_bytes_between(offset, offset + bytes);
    const uint64_t address = e->address - offset;
    const uint8_t segments = gpci_segments_of(span.word);
    gpci_packet line = {.address = address,
                        .born = t->wheel.now,
                        .line = {.inflight = UINT32_MAX, .mshr_target = at, .kind = e->kind},
                        .segments = segments,
                        .level = 2,
                        .type = e->kind == GPC_STORE ? GPCI_WRITE : GPCI_READ,
                        .flags = GPCI_PACKET_PORT};
    line.request =
        gpci_request_of_nobody(t->h, address, address, neighbour(t->h, gpci_l2_home(t->h, address)), e->kind);
    line.request.cycle = t->wheel.now;
    line.request.warp = number;
    line.request.transactions = 1;
    line.request.bytes_used = (uint16_t)bytes;
    line.request.sector_mask = t->h->l1_level.sectors_of[segments];
    memcpy(line.bytes, span.word, sizeof line.bytes);
    if (e->kind == GPC_STORE)
        memcpy(line.request.byte_mask, span.word, sizeof line.request.byte_mask);
    return line;
}

/* Send the next line of an entry to the slice. */
static void send_line(gpci_timed *t, struct gpci_ports *p, uint32_t number, uint32_t at) {
    gpci_port *port = &p->each[number];
    gpci_port_entry *e = &entries_of(p, number)[at];
    const uint32_t line = t->h->l1_level.line_bytes, offset = (uint32_t)e->address & (line - 1);
    const uint32_t bytes = e->left < line - offset ? (uint32_t)e->left : line - offset;
    const uint32_t packet = gpci_pool_take(&t->pool);
    gpci_packet *l = gpci_packet_at(&t->pool, packet);
    const bool store = e->kind == GPC_STORE;
    *l = make_line(t, e, number, at, offset, bytes);
    if (GPCI_UNLIKELY(t->log != NULL))
        tell_new_line(t, packet, number, e);
    const uint32_t slice = gpci_l2_slice(t->h, gpci_l2_home(t->h, l->address),
                                         gpci_interleave_slice(&t->h->interleave, l->address, &l->path.inner));
    const uint32_t cycles = store ? cycles_of(p, bytes) : 1;
    port->free = t->wheel.now + cycles;
    port->stats.busy_cycles += cycles;
    port->stats.read_lines += !store;
    port->stats.write_lines += store;
    *(store ? &port->stats.write_sectors : &port->stats.read_sectors) += gpci_count_sectors(l->segments);
    port->lines++;
    e->under_way++;
    e->address += bytes;
    e->left -= bytes;
    const uint64_t due = port->free + p->latency;
    t->pool.links[packet].due = due;
    see_link(t, GPC_WHAT_SEND, packet, false, port->free);
    gpci_queue_push(&p->at_slices[slice], &t->pool, t->wheel.now, packet);
    gpci_wheel_wake(&t->wheel, t->l2[slice].component, due);
}

static void send(gpci_timed *t, struct gpci_ports *p, uint32_t number) {
    gpci_port *port = &p->each[number];
    const uint64_t now = t->wheel.now;
    if (port->limited_since != GPCI_NEVER && port->lines < p->lines) {
        port->stats.limit_cycles += now - port->limited_since;
        port->limited_since = GPCI_NEVER;
    }
    if (port->sending && port->free <= now && port->lines < p->lines) {
        const uint32_t at = p->order[(size_t)number * p->queue + port->first];
        gpc_status status = gpci_make_packets(t, 1);
        if (status < 0) {
            t->failed = status;
            return;
        }
        send_line(t, p, number, at);
        if (!entries_of(p, number)[at].left) {
            port->first = (port->first + 1) % p->queue;
            port->sending--;
        }
    }
    if (!port->sending)
        return;
    if (port->lines < p->lines)
        gpci_wheel_wake(&t->wheel, t->groups[GPCI_GROUP_PORTS].first + number, port->free > now ? port->free : now + 1);
    else if (port->limited_since == GPCI_NEVER) /* a reply wakes the port */
        port->limited_since = port->free > now ? port->free : now + 1;
}

bool gpci_ports_enter(gpci_timed *t, gpci_ctrl *slice, bool others) {
    struct gpci_ports *p = t->groups[GPCI_GROUP_PORTS].self;
    gpci_queue *queue = &p->at_slices[slice->index], *to = slice->entrance;
    const uint64_t now = t->wheel.now;
    const bool yields = others && !p->turn[slice->index];
    bool entered = false;
    p->turn[slice->index] = yields;
    while (!yields && queue->count && t->pool.links[queue->first].due <= now && !gpci_queue_full(&slice->in)) {
        const uint32_t packet = gpci_queue_pop(queue, &t->pool, now);
        see_link(t, GPC_WHAT_RECEIVE, packet, false, now);
        t->pool.links[packet].due = gpci_clock_after(slice->options->clock, now, t->rop_latency);
        gpci_queue_push(to, &t->pool, now, packet);
        entered = true;
        if (others || t->rop_apart)
            break;
    }
    if (!queue->count)
        return entered;
    const uint64_t due = t->pool.links[queue->first].due; /* if due, but without room, the slice is busy */
    if (due > now || !gpci_queue_full(&slice->in))
        gpci_wheel_wake(&t->wheel, slice->component, due > now ? due : now + 1);
    return entered;
}

bool gpci_ports_wait(const gpci_timed *t, const gpci_ctrl *slice) {
    const struct gpci_ports *p = t->groups[GPCI_GROUP_PORTS].self;
    return p && p->at_slices[slice->index].count;
}

/* Replies */

void gpci_port_reply(gpci_timed *t, uint32_t packet) {
    struct gpci_ports *p = t->groups[GPCI_GROUP_PORTS].self;
    const gpci_packet *l = gpci_packet_at(&t->pool, packet);
    gpci_port *port = &p->each[l->request.warp];
    const uint64_t now = t->wheel.now;
    const uint32_t bytes = l->line.kind == GPC_STORE ? 0 : gpci_packet_bytes(l);
    port->reply_free = (port->reply_free > now ? port->reply_free : now) + cycles_of(p, bytes);
    const uint64_t due = port->reply_free + p->latency;
    t->pool.links[packet].due = due;
    see_link(t, GPC_WHAT_SEND, packet, true, port->reply_free);
    gpci_queue_push(&port->replies, &t->pool, now, packet);
    gpci_wheel_wake(&t->wheel, t->groups[GPCI_GROUP_PORTS].first + l->request.warp, due);
}

static void complete(gpci_timed *t, struct gpci_ports *p, uint32_t number, gpci_port_entry *e) {
    gpci_port *port = &p->each[number];
    if (GPCI_UNLIKELY(t->log != NULL) && e->label)
        tell_end(t, number, e);
    const gpc_completion c = {.token = e->token,
                              .issued = e->accepted,
                              .cycle = t->wheel.now,
                              .sm = UINT32_MAX,
                              .warp = UINT32_MAX,
                              .kind = e->kind,
                              .level = e->level,
                              .port = (uint8_t)(1 + number)};
    port->stats.completed++;
    port->stats.request_cycles += c.cycle - c.issued;
    port->used--;
    e->used = false;
    t->in_flight--;
    t->ended++;
    t->progress = t->wheel.now;
    if (t->callbacks.on_complete)
        t->callbacks.on_complete(t->callbacks.user_data, &c);
}

static void take_replies(gpci_timed *t, struct gpci_ports *p, uint32_t number) {
    gpci_port *port = &p->each[number];
    while (port->replies.count && t->pool.links[port->replies.first].due <= t->wheel.now) {
        const uint32_t packet = gpci_queue_pop(&port->replies, &t->pool, t->wheel.now);
        const gpci_packet *l = gpci_packet_at(&t->pool, packet);
        gpci_port_entry *e = &entries_of(p, number)[l->line.mshr_target];
        port->stats.l2_read_hits += e->kind == GPC_LOAD && l->level == 2;
        e->level = l->level > e->level ? l->level : e->level;
        see_link(t, GPC_WHAT_RECEIVE, packet, true, t->wheel.now);
        if (GPCI_UNLIKELY(t->log != NULL))
            tell_line(t, GPC_WHAT_REPLY, l, gpci_packet_bytes(l), t->wheel.now);
        port->lines--;
        e->under_way--;
        gpci_pool_give(&t->pool, packet);
        if (!e->left && !e->under_way)
            complete(t, p, number, e);
    }
    if (port->replies.count)
        gpci_wheel_wake(&t->wheel, t->groups[GPCI_GROUP_PORTS].first + number, t->pool.links[port->replies.first].due);
}

/* The component */

static gpci_group_size size(const gpci_timed *t, gpci_group_kind kind) {
    const uint32_t ports = number(t->h, GPCI_KEY_PORTS);
    (void)kind;
    return (gpci_group_size){ports, ports};
}

static void destroy(gpci_group *group) {
    struct gpci_ports *p = group->self;
    gpc_context *context = group->timed->context;
    if (!p)
        return;
    gpci_free(context, p->each);
    gpci_free(context, p->entries);
    gpci_free(context, p->order);
    gpci_free(context, p->at_slices);
    gpci_free(context, p->turn);
    gpci_free(context, p);
}

static gpc_status make(gpci_group *group, gpc_error *error) {
    gpci_timed *t = group->timed;
    struct gpci_ports *p = gpci_zalloc(t->context, 1, sizeof *p);
    if (!p)
        return gpci_out_of_memory(error);
    group->self = p;
    p->count = group->objects;
    p->width = number(t->h, GPCI_KEY_PORT_WIDTH);
    p->latency = number(t->h, GPCI_KEY_PORT_LATENCY);
    p->queue = number(t->h, GPCI_KEY_PORT_QUEUE);
    p->lines = number(t->h, GPCI_KEY_PORT_LINES);
    p->each = gpci_zalloc(t->context, p->count, sizeof *p->each);
    p->entries = gpci_zalloc(t->context, (size_t)p->count * p->queue, sizeof *p->entries);
    p->order = gpci_zalloc(t->context, (size_t)p->count * p->queue, sizeof *p->order);
    p->at_slices = gpci_zalloc(t->context, t->h->slices, sizeof *p->at_slices);
    p->turn = gpci_zalloc(t->context, t->h->slices, sizeof *p->turn);
    if (!p->each || !p->entries || !p->order || !p->at_slices || !p->turn)
        return gpci_out_of_memory(error);
    for (uint32_t i = 0; i < p->count; i++) {
        gpci_queue_init(&p->each[i].replies, GPCI_UNLIMITED);
        p->each[i].limited_since = GPCI_NEVER;
        p->each[i].stats = (gpc_port_stats)GPC_PORT_STATS_INIT;
    }
    for (uint32_t i = 0; i < t->h->slices; i++)
        gpci_queue_init(&p->at_slices[i], GPCI_UNLIMITED);
    return GPC_OK;
}

static void step(const gpci_group *group, uint32_t port) {
    take_replies(group->timed, group->self, port);
    send(group->timed, group->self, port);
}

static void reset(const gpci_group *group, uint32_t port, uint64_t now) {
    gpci_port *p = &((struct gpci_ports *)group->self)->each[port];
    p->stats = (gpc_port_stats)GPC_PORT_STATS_INIT;
    p->limited_since = p->limited_since == GPCI_NEVER ? GPCI_NEVER : now;
}

/* State, with the first port also shared state. */
static void state(const gpci_group *group, uint32_t port, gpci_state_fn visit, void *user_data) {
    struct gpci_ports *p = group->self;
    const uint32_t slices = group->timed->h->slices;
    visit(user_data, &p->each[port], sizeof p->each[port]);
    visit(user_data, entries_of(p, port), p->queue * sizeof *p->entries);
    visit(user_data, p->order + (size_t)port * p->queue, p->queue * sizeof *p->order);
    if (port)
        return;
    visit(user_data, p->at_slices, slices * sizeof *p->at_slices);
    visit(user_data, p->turn, slices * sizeof *p->turn);
}

static void hold(const gpci_group *group, uint32_t number, gpci_holders *to) {
    const gpci_timed *t = group->timed;
    const struct gpci_ports *p = group->self;
    const gpci_port *port = &p->each[number];
    const gpci_mover clock = gpci_by_clock(group->first + number);
    gpci_held(to, "requests", port->used, gpci_by_any());
    gpci_held(to, "requests to send", port->sending, port->lines < p->lines ? clock : gpci_by_any());
    gpci_held(to, "lines under way", port->lines, gpci_by_any());
    gpci_held(to, "replies to take", port->replies.count, clock);
    for (uint32_t slice = 0; slice < t->h->slices && !number; slice++)
        gpci_held(to, "lines before a slice", p->at_slices[slice].count,
                  gpci_queue_full(&t->l2[slice].in) ? gpci_by_object(GPCI_GROUP_SLICES, slice)
                                                    : gpci_by_clock(t->l2[slice].component));
}

const gpci_component_class gpci_port_class =
    GPCI_COMPONENT_CLASS(GPCI_SCOPE_HIERARCHY, size, make, destroy, step, NULL, gpci_count_nothing, reset, state, hold);
