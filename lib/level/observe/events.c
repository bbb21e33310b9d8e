/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/rules/events.h"

#include "level/coherent/coherent_level.h"
#include "level/rules/level_rules.h"

/* Names of events, the filter, and events of a hierarchy without a clock. */

static const char *const what_names[] = {
#define X(id, value, name, meaning) [id] = name,
    GPC_WHAT_LIST(X)
#undef X
};

static const char *const what_meanings[] = {
#define X(id, value, name, meaning) [id] = meaning,
    GPC_WHAT_LIST(X)
#undef X
};

static const char *const component_names[] = {
#define X(id, value, name, meaning) [id] = name,
    GPC_COMPONENT_LIST(X)
#undef X
};

static const char *const component_meanings[] = {
#define X(id, value, name, meaning) [id] = meaning,
    GPC_COMPONENT_LIST(X)
#undef X
};

static const char *const lookups[] = {
    [GPC_HIT] = "hit",   [GPC_PENDING_HIT] = "pending", [GPC_SECTOR_MISS] = "sector-miss",
    [GPC_MISS] = "miss", [GPC_BYPASSED] = "bypass",     [GPC_NO_VICTIM] = "no-line",
};

static const char *const reasons[GPC_BUSY_COUNT] = {
    [GPC_BUSY_NOT] = "",
    [GPC_BUSY_PIPELINE] = "pipeline",
    [GPC_BUSY_LINE] = "line",
    [GPC_BUSY_MSHR] = "mshr",
    [GPC_BUSY_MERGE] = "merge",
    [GPC_BUSY_MISS_QUEUE] = "miss-queue",
    [GPC_BUSY_NETWORK] = "network",
    [GPC_BUSY_REPLY] = "reply",
};

static const char *const levels[] = {"", "l1", "l2", "dram"};

static const char *const messages[GPC_MESSAGE_KIND_COUNT] = {
    [GPC_MESSAGE_READ_REQUEST] = "read-request",
    [GPC_MESSAGE_WRITE_REQUEST] = "write-request",
    [GPC_MESSAGE_READ_PROBE] = "read-probe",
    [GPC_MESSAGE_WRITE_PROBE] = "write-probe",
    [GPC_MESSAGE_DATA] = "data",
    [GPC_MESSAGE_ACK] = "acknowledgement",
    [GPC_MESSAGE_WRITE_BACK] = "write-back",
    [GPC_MESSAGE_NOTICE] = "notice",
    [GPC_MESSAGE_CLEAR_OWNER] = "clear-owner",
    [GPC_MESSAGE_WRITE_THROUGH] = "write-through",
    [GPC_MESSAGE_JOIN] = "join",
    [GPC_MESSAGE_FINISH] = "finish",
    [GPC_MESSAGE_EVICTION] = "eviction",
    [GPC_MESSAGE_ACQUIRE] = "acquire",
    [GPC_MESSAGE_INVALIDATION] = "invalidation",
    [GPC_MESSAGE_MARKER] = "marker",
};

#define NAME_IN(table, index) ((index) < sizeof(table) / sizeof *(table) ? (table)[index] : "")

const char *gpc_what_name(unsigned what) {
    return NAME_IN(what_names, what);
}

const char *gpc_what_meaning(unsigned what) {
    return NAME_IN(what_meanings, what);
}

const char *gpc_component_name(unsigned component) {
    return NAME_IN(component_names, component);
}

const char *gpc_component_meaning(unsigned component) {
    return NAME_IN(component_meanings, component);
}

const char *gpc_event_outcome(const gpc_event *event) {
    if (!event)
        return "";
    switch (event->what) {
    case GPC_WHAT_LOOKUP:
        return NAME_IN(lookups, event->outcome);
    case GPC_WHAT_BLOCK:
    case GPC_WHAT_UNBLOCK:
        return NAME_IN(reasons, event->outcome);
    case GPC_WHAT_REPLY:
    case GPC_WHAT_COMPLETE:
        return NAME_IN(levels, event->outcome);
    case GPC_WHAT_MESSAGE:
    case GPC_WHAT_ARRIVE:
    case GPC_WHAT_WAIT:
    case GPC_WHAT_REFUSE:
        return NAME_IN(messages, event->outcome);
    case GPC_WHAT_READ:
    case GPC_WHAT_WRITE:
        return event->outcome ? "closes" : "";
    default:
        return "";
    }
}

gpc_event gpci_event_of_none(const gpci_event_log *log, gpc_what what, gpc_component component, uint32_t index) {
    return (gpc_event){.cycle = *log->clock,
                       .until = *log->clock,
                       .address = UINT64_MAX,
                       .pc = UINT64_MAX,
                       .sm = GPC_NONE,
                       .warp = GPC_NONE,
                       .block = GPC_NONE,
                       .index = index,
                       .bank = GPC_NONE,
                       .from = GPC_NONE,
                       .to = GPC_NONE,
                       .what = (uint8_t)what,
                       .component = (uint8_t)component,
                       .kind = GPC_KIND_COUNT};
}

static bool passes(const gpc_event_options *o, const gpc_event *e) {
    return (!o->whats || o->whats >> e->what & 1) && (!o->components || o->components >> e->component & 1) &&
           (!o->kinds || o->kinds >> e->kind & 1) && e->sm >= o->first_sm && e->sm <= o->last_sm &&
           e->address >= o->first_address && e->address <= o->last_address && e->pc >= o->first_pc &&
           e->pc <= o->last_pc && e->cycle >= o->first_cycle && e->cycle <= o->last_cycle;
}

gpci_event_log *gpci_event_log_make(gpc_hierarchy *h) {
    gpci_event_log *log = gpci_zalloc(h->context, 1, sizeof *log);
    if (!log)
        return NULL;
    log->hierarchy = h;
    log->clock = &log->accesses;
    log->blocked = gpci_zalloc(h->context, 2 * ((size_t)h->sms + h->slices) + h->l15_count, sizeof *log->blocked);
    if (log->blocked)
        return log;
    gpci_free(h->context, log);
    return NULL;
}

void gpci_event_log_free(gpc_context *context, gpci_event_log *log) {
    if (!log)
        return;
    gpci_free(context, log->blocked);
    gpci_free(context, log);
}

/* Event with the process split from the address. */
static gpc_event event_of_process(const gpc_hierarchy *h, const gpc_event *event) {
    gpc_event own = *event;
    own.process = gpci_process_of(h, event->address);
    own.address = gpci_process_plain(h, event->address);
    return own;
}

void gpci_event_log_put(gpci_event_log *log, const gpc_event *event) {
    gpc_event own;
    if (!log->options.on_event || log->cancelled)
        return;
    if (GPCI_UNLIKELY(log->hierarchy->processes) && event->address != UINT64_MAX) {
        own = event_of_process(log->hierarchy, event);
        event = &own;
    }
    if (!passes(&log->options, event))
        return;
    bool *called_back = &log->hierarchy->called_back;
    const bool outer = *called_back;
    *called_back = true;
    log->cancelled = !log->options.on_event(log->options.user_data, event);
    *called_back = outer;
}

void gpci_trace_destroy(gpc_hierarchy *h) {
    gpci_event_log *log = h->log;
    h->log = NULL;
    if (!log)
        return;
    if (log->options.destroy)
        log->options.destroy(log->options.user_data);
    gpci_event_log_free(h->context, log);
}

void gpci_append_access(gpci_event_log *log, const gpc_request *request, uint64_t address, uint32_t segments) {
    log->accesses++;
    gpc_event e = gpci_event_of_none(log, GPC_WHAT_ISSUE, GPC_COMPONENT_SM, request->sm);
    e.packet = e.access = ++log->packets;
    e.address = address;
    e.pc = request->pc;
    e.sm = request->sm;
    e.warp = request->warp;
    e.block = request->block;
    e.kind = request->kind;
    log->now = e;
    log->line = log->below = (gpci_ids){0, 0};
    e.bytes = segments * GPCI_SEGMENT;
    gpci_event_log_put(log, &e);
}

void gpci_append_line(gpci_event_log *log, const gpc_request *request, uint8_t segments) {
    log->line = (gpci_ids){++log->packets, log->now.access};
    log->below = (gpci_ids){0, 0};
    gpci_append_step(log, GPC_WHAT_LINE, GPC_COMPONENT_SM, request->sm, request->address, gpci_count_sectors(segments),
                     0);
}

/* Event of the current access: in L1 its line transaction; below, the request sent from there. */
static gpc_event event_of(const gpci_event_log *log, gpc_what what, gpc_component component, uint32_t index) {
    gpc_event e = log->now.access ? log->now : gpci_event_of_none(log, what, component, index);
    bool above = component == GPC_COMPONENT_SM || component == GPC_COMPONENT_L1;
    gpci_ids ids = above || !log->below.packet ? log->line : log->below;
    e.packet = ids.packet;
    e.parent = ids.parent;
    e.what = (uint8_t)what;
    e.component = (uint8_t)component;
    e.index = index;
    return e;
}

void gpci_append_step(gpci_event_log *log, gpc_what what, gpc_component component, uint32_t index, uint64_t address,
                      uint32_t segments, uint8_t outcome) {
    gpc_event e = event_of(log, what, component, index);
    if (what == GPC_WHAT_FETCH || what == GPC_WHAT_WRITE_BACK) {
        log->below = (gpci_ids){++log->packets, e.packet};
        e.packet = log->below.packet;
        e.parent = log->below.parent;
    }
    if (what == GPC_WHAT_WRITE_BACK)
        e.kind = GPC_STORE;
    e.address = address;
    e.bytes = segments * GPCI_SEGMENT;
    e.outcome = outcome;
    gpci_event_log_put(log, &e);
}

void gpci_append_evict(gpci_event_log *log, gpc_component component, uint32_t index, uint64_t address,
                       const gpc_eviction *eviction) {
    gpc_what what = eviction->forced ? GPC_WHAT_INVALIDATE : GPC_WHAT_EVICT;
    gpc_event e = event_of(log, what, component, index);
    e.address = address;
    e.value = gpci_count_sectors(eviction->dirty_sectors);
    gpci_event_log_put(log, &e);
}

void gpci_append_dropped(gpc_hierarchy *h, const gpc_cache *cache, gpc_component component, uint32_t index,
                         uint64_t inner, uint64_t address) {
    if (!cache || !gpci_holds(cache, inner))
        return;
    gpc_event e = gpci_event_of_none(h->log, GPC_WHAT_INVALIDATE, component, index);
    e.address = address;
    e.sm = component == GPC_COMPONENT_L1 ? index : GPC_NONE;
    gpci_event_log_put(h->log, &e);
}

gpc_component gpci_component_of(const gpc_hierarchy *h, uint32_t module, uint32_t *index) {
    const gpci_coherent *c = h->coherent;
    *index = module;
    if (module < c->sms)
        return GPC_COMPONENT_L1;
    *index = module - c->sms;
    if (module < c->first_slice)
        return GPC_COMPONENT_CLUSTER;
    *index = gpci_slice_number(c, module);
    return gpci_is_memory(c, module) ? GPC_COMPONENT_MEMORY : GPC_COMPONENT_L2;
}

static void tell_message(gpc_hierarchy *h, const gpc_coherence_message *m) {
    gpci_event_log *log = h->log;
    uint32_t index;
    gpc_component component = gpci_component_of(h, m->from, &index);
    gpc_event e = event_of(log, GPC_WHAT_MESSAGE, component, index);
    e.address = m->address;
    if (m->kind == GPC_MESSAGE_EVICTION) {
        e.what = GPC_WHAT_EVICT;
    } else {
        e.parent = log->line.packet;
        e.packet = ++log->packets;
        e.outcome = (uint8_t)m->kind;
        e.bytes = m->bytes;
        e.from = m->from;
        e.to = m->to;
    }
    gpci_event_log_put(log, &e);
}

/* Number of the memory used by a step. */
static uint32_t memory_of(const gpc_hierarchy *h, const gpc_coherence_message *m) {
    return gpci_is_memory(h->coherent, m->from) ? gpci_slice_number(h->coherent, m->from)
                                                : gpci_l2_place_of(h, m->address).slice;
}

void gpci_append_messages(gpc_hierarchy *h, const gpc_coherence_result *r) {
    for (uint32_t i = 0; i < r->message_count; i++) {
        const gpc_coherence_message *m = &r->messages[i];
        if (m->bytes || m->kind == GPC_MESSAGE_EVICTION)
            tell_message(h, m);
        uint32_t sectors = m->memory ? gpci_coherent_sectors(h, r->messages, i) : 0;
        if (sectors)
            gpci_append_step(h->log, m->memory == 1 ? GPC_WHAT_MEMORY_READ : GPC_WHAT_MEMORY_WRITE,
                             GPC_COMPONENT_MEMORY, memory_of(h, m), m->address, sectors, 0);
    }
}

gpc_status gpci_append_complete(gpc_hierarchy *h, const gpc_warp_result *result, gpc_status status) {
    gpci_event_log *log = h->log;
    gpc_event e = log->now;
    if (status == GPC_OK && e.access) {
        e.what = GPC_WHAT_COMPLETE;
        e.outcome = result->dram_sectors ? 3 : result->l2_sectors ? 2 : 1;
        gpci_event_log_put(log, &e);
    }
    log->now.access = 0;
    log->line = log->below = (gpci_ids){0, 0};
    if (!log->cancelled)
        return status;
    gpci_trace_destroy(h);
    return status < 0 ? status : GPC_ERROR_CANCELLED;
}
