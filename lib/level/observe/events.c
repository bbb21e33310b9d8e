/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/rules/events.h"

#include "level/coherent/coherent_level.h"
#include "level/rules/level_rules.h"

/* Names of events, the filter of an event log, and the events of a functional hierarchy. */

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

static bool passes(const gpc_event_options *options, const gpc_event *event) {
    return (!options->whats || options->whats >> event->what & 1) &&
           (!options->components || options->components >> event->component & 1) &&
           (!options->kinds || options->kinds >> event->kind & 1) && event->sm >= options->first_sm &&
           event->sm <= options->last_sm && event->address >= options->first_address &&
           event->address <= options->last_address && event->pc >= options->first_pc && event->pc <= options->last_pc &&
           event->cycle >= options->first_cycle && event->cycle <= options->last_cycle;
}

gpci_event_log *gpci_event_log_make(gpc_hierarchy *hierarchy) {
    gpci_event_log *log = gpci_zalloc(hierarchy->context, 1, sizeof *log);
    if (!log)
        return NULL;
    log->hierarchy = hierarchy;
    log->clock = &log->accesses;
    const size_t beside = hierarchy->memory_caches ? hierarchy->memory.channels : 0;
    log->blocked = gpci_zalloc(hierarchy->context,
                               2 * ((size_t)hierarchy->sms + hierarchy->slices) + hierarchy->l15_count +
                                   hierarchy->gl1_count + beside,
                               sizeof *log->blocked);
    if (log->blocked)
        return log;
    gpci_free(hierarchy->context, log);
    return NULL;
}

void gpci_event_log_free(gpc_context *context, gpci_event_log *log) {
    if (!log)
        return;
    gpci_free(context, log->blocked);
    gpci_free(context, log);
}

/* Copy of an event, with the address taken apart into the process and the host's address. */
static gpc_event event_of_process(const gpc_hierarchy *hierarchy, const gpc_event *event) {
    gpc_event own = *event;
    own.process = gpci_process_of(hierarchy, event->address);
    own.address = gpci_process_plain(hierarchy, event->address);
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

void gpci_trace_destroy(gpc_hierarchy *hierarchy) {
    gpci_event_log *log = hierarchy->log;
    hierarchy->log = NULL;
    if (!log)
        return;
    if (log->options.destroy)
        log->options.destroy(log->options.user_data);
    gpci_event_log_free(hierarchy->context, log);
}

void gpci_append_access(gpci_event_log *log, const gpc_request *request, uint64_t address, uint32_t segments) {
    log->accesses++;
    gpc_event event = gpci_event_of_none(log, GPC_WHAT_ISSUE, GPC_COMPONENT_SM, request->sm);
    event.packet = event.access = ++log->packets;
    event.address = address;
    event.pc = request->pc;
    event.sm = request->sm;
    event.warp = request->warp;
    event.block = request->block;
    event.kind = request->kind;
    log->now = event;
    log->line = log->below = (gpci_ids){0, 0};
    event.bytes = segments * GPCI_SEGMENT;
    gpci_event_log_put(log, &event);
}

void gpci_append_line(gpci_event_log *log, const gpc_request *request, uint8_t segments) {
    log->line = (gpci_ids){++log->packets, log->now.access};
    log->below = (gpci_ids){0, 0};
    gpci_append_step(log, GPC_WHAT_LINE, GPC_COMPONENT_SM, request->sm, request->address, gpci_count_sectors(segments),
                     0);
}

/*
 * Event of the current access. At the SM, in L1 and in a constant cache the event's packet is the line transaction
 * (log->line). In the levels below, the packet is the request of L1 or the constant cache (log->below).
 */
static gpc_event event_of(const gpci_event_log *log, gpc_what what, gpc_component component, uint32_t index) {
    gpc_event event = log->now.access ? log->now : gpci_event_of_none(log, what, component, index);
    bool above = component == GPC_COMPONENT_SM || component == GPC_COMPONENT_L1 || component == GPC_COMPONENT_CONST;
    gpci_ids ids = above || !log->below.packet ? log->line : log->below;
    event.packet = ids.packet;
    event.parent = ids.parent;
    event.what = (uint8_t)what;
    event.component = (uint8_t)component;
    event.index = index;
    return event;
}

void gpci_append_step(gpci_event_log *log, gpc_what what, gpc_component component, uint32_t index, uint64_t address,
                      uint32_t segments, uint8_t outcome) {
    gpc_event event = event_of(log, what, component, index);
    if (what == GPC_WHAT_FETCH || what == GPC_WHAT_WRITE_BACK) {
        log->below = (gpci_ids){++log->packets, event.packet};
        event.packet = log->below.packet;
        event.parent = log->below.parent;
    }
    if (what == GPC_WHAT_WRITE_BACK)
        event.kind = GPC_STORE;
    event.address = address;
    event.bytes = segments * GPCI_SEGMENT;
    event.outcome = outcome;
    gpci_event_log_put(log, &event);
}

void gpci_append_evict(gpci_event_log *log, gpc_component component, uint32_t index, uint64_t address,
                       const gpc_eviction *eviction) {
    gpc_what what = eviction->forced ? GPC_WHAT_INVALIDATE : GPC_WHAT_EVICT;
    gpc_event event = event_of(log, what, component, index);
    event.address = address;
    event.value = gpci_count_sectors(eviction->dirty_sectors);
    gpci_event_log_put(log, &event);
}

void gpci_append_dropped(gpc_hierarchy *hierarchy, const gpc_cache *cache, gpc_component component, uint32_t index,
                         uint64_t inner, uint64_t address) {
    if (!cache || !gpci_holds(cache, inner))
        return;
    gpc_event event = gpci_event_of_none(hierarchy->log, GPC_WHAT_INVALIDATE, component, index);
    event.address = address;
    event.sm = component == GPC_COMPONENT_L1 ? index : GPC_NONE;
    gpci_event_log_put(hierarchy->log, &event);
}

gpc_component gpci_component_of(const gpc_hierarchy *hierarchy, uint32_t module, uint32_t *index) {
    const gpci_coherent *coherent = hierarchy->coherent;
    *index = module;
    if (module < coherent->sms)
        return GPC_COMPONENT_L1;
    *index = module - coherent->sms;
    if (module < coherent->first_slice)
        return GPC_COMPONENT_CLUSTER;
    *index = gpci_slice_number(coherent, module);
    return gpci_is_memory(coherent, module) ? GPC_COMPONENT_MEMORY : GPC_COMPONENT_L2;
}

static void tell_message(gpc_hierarchy *hierarchy, const gpc_coherence_message *message) {
    gpci_event_log *log = hierarchy->log;
    uint32_t index;
    gpc_component component = gpci_component_of(hierarchy, message->from, &index);
    gpc_event event = event_of(log, GPC_WHAT_MESSAGE, component, index);
    event.address = message->address;
    if (message->kind == GPC_MESSAGE_EVICTION) {
        event.what = GPC_WHAT_EVICT;
    } else {
        event.parent = log->line.packet;
        event.packet = ++log->packets;
        event.outcome = (uint8_t)message->kind;
        event.bytes = message->bytes;
        event.from = message->from;
        event.to = message->to;
    }
    gpci_event_log_put(log, &event);
}

/* Number of the memory that a step reads or writes. */
static uint32_t memory_of(const gpc_hierarchy *hierarchy, const gpc_coherence_message *message) {
    return gpci_is_memory(hierarchy->coherent, message->from) ? gpci_slice_number(hierarchy->coherent, message->from)
                                                              : gpci_l2_place_of(hierarchy, message->address).slice;
}

void gpci_append_messages(gpc_hierarchy *hierarchy, const gpc_coherence_result *result) {
    for (uint32_t i = 0; i < result->message_count; i++) {
        const gpc_coherence_message *message = &result->messages[i];
        if (message->bytes || message->kind == GPC_MESSAGE_EVICTION)
            tell_message(hierarchy, message);
        uint32_t sectors = message->memory ? gpci_coherent_sectors(hierarchy, result->messages, i) : 0;
        if (sectors)
            gpci_append_step(hierarchy->log, message->memory == 1 ? GPC_WHAT_MEMORY_READ : GPC_WHAT_MEMORY_WRITE,
                             GPC_COMPONENT_MEMORY, memory_of(hierarchy, message), message->address, sectors, 0);
    }
}

gpc_status gpci_append_complete(gpc_hierarchy *hierarchy, const gpc_warp_result *result, gpc_status status) {
    gpci_event_log *log = hierarchy->log;
    gpc_event event = log->now;
    if (status == GPC_OK && event.access) {
        event.what = GPC_WHAT_COMPLETE;
        event.outcome = result->dram_sectors ? 3 : result->l2_sectors ? 2 : 1;
        gpci_event_log_put(log, &event);
    }
    log->now.access = 0;
    log->line = log->below = (gpci_ids){0, 0};
    if (!log->cancelled)
        return status;
    gpci_trace_destroy(hierarchy);
    return status < 0 ? status : GPC_ERROR_CANCELLED;
}
