/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/stage_times.h"

#include "base/array.h"
#include "level/rules/events.h"

#include <string.h>

gpc_status gpci_stage_times_create(gpci_timed *t, gpc_error *error) {
    if (!gpci_number(t->h, GPCI_KEY_STATS_STAGES))
        return GPC_OK;
    gpci_stage_times *s = t->stage_times = gpci_zalloc(t->context, 1, sizeof *s);
    if (!s)
        return gpci_out_of_memory(error);
    s->line_free = UINT32_MAX;
    s->sees_dram = gpci_number(t->h, GPCI_KEY_DRAM_MODEL) != 1;
    s->nobody = gpci_event_log_make(t->h);
    return s->nobody ? GPC_OK : gpci_out_of_memory(error);
}

void gpci_stage_times_destroy(gpci_timed *t) {
    gpci_stage_times *s = t->stage_times;
    if (!s)
        return;
    gpci_free(t->context, s->lines);
    gpci_free(t->context, s->accesses);
    gpci_slots_free(t->context, &s->slots);
    gpci_free(t->context, s->sums);
    gpci_event_log_free(t->context, s->nobody);
    gpci_free(t->context, s);
}

/* Clocks of lines. */

static gpci_line_clock *clock_of_label(const gpci_timed *t, const gpci_packet_label *label) {
    if (!t->stage_times || !label->serial)
        return NULL;
    gpci_line_clock *line = &t->stage_times->lines[label->clock];
    return line->serial == label->serial ? line : NULL; /* otherwise the line is done, and the packet continues alone */
}

static gpci_line_clock *clock_of(const gpci_timed *t, const gpci_packet *p) {
    return t->stage_times ? clock_of_label(t, gpci_label_of(&t->pool, p)) : NULL;
}

static void spend(gpci_line_clock *line, uint64_t cycle) {
    if (cycle > line->due) {
        line->spent[line->stage] += line->due - line->since;
        line->since = line->due;
        line->stage = line->then;
        line->due = GPCI_NEVER;
    }
    if (cycle <= line->since)
        return;
    line->spent[line->stage] += cycle - line->since;
    line->since = cycle;
}

static void enter(gpci_line_clock *line, gpc_stage stage, uint64_t cycle) {
    spend(line, cycle);
    line->stage = (uint8_t)stage;
    line->due = GPCI_NEVER;
}

static void go_to(const gpci_timed *t, const gpci_packet *p, gpc_stage stage) {
    gpci_line_clock *line = clock_of(t, p);
    if (line)
        enter(line, stage, t->wheel.now);
}

void gpci_stages_enter(gpci_timed *t, const gpci_packet_label *label, gpc_stage stage) {
    gpci_line_clock *line = clock_of_label(t, label);
    if (line)
        enter(line, stage, t->wheel.now);
}

/* Take a clock for the packet; room must exist. */
static gpci_line_clock *take(gpci_timed *t, gpci_packet_label *label) {
    gpci_stage_times *s = t->stage_times;
    uint32_t number = s->line_free;
    if (number == UINT32_MAX)
        number = s->line_fresh++;
    else
        s->line_free = s->lines[number].next;
    s->line_live++;
    label->clock = number;
    label->serial = ++s->serial;
    return &s->lines[number];
}

void gpci_stages_access(gpci_timed *t, uint32_t inflight, const gpc_request *request) {
    if (t->stage_times)
        t->stage_times->accesses[inflight] =
            (gpci_access_stages){.pc = request->pc, .end = t->inflights[inflight].issued, .kernel = request->kernel};
}

void gpci_stages_acquires(gpci_timed *t, uint32_t inflight) {
    if (t->stage_times)
        t->stage_times->accesses[inflight].acquires = 1;
}

void gpci_stages_line(gpci_timed *t, const gpci_packet *p, uint32_t inflight) {
    gpci_stages_forget(t, p);
    if (!t->stage_times)
        return;
    gpci_packet_label *label = gpci_label_of(&t->pool, p);
    gpci_line_clock *line = take(t, label);
    *line = (gpci_line_clock){
        .serial = label->serial, .since = t->inflights[inflight].issued, .due = GPCI_NEVER, .stage = GPC_STAGE_QUEUE};
}

void gpci_stages_fork(gpci_timed *t, const gpci_packet *p) {
    if (!clock_of(t, p))
        return;
    gpci_packet_label *label = gpci_label_of(&t->pool, p);
    const uint32_t other = label->clock;
    gpci_line_clock *own = take(t, label);
    *own = t->stage_times->lines[other];
    own->serial = label->serial;
}

void gpci_stages_forget(const gpci_timed *t, const gpci_packet *p) {
    gpci_label_of(&t->pool, p)->serial = 0;
}

void gpci_stages_reply(gpci_timed *t, const gpci_packet *p) {
    gpci_line_clock *line = clock_of(t, p);
    gpci_stage_times *s = t->stage_times;
    if (!line)
        return;
    spend(line, t->wheel.now);
    gpci_access_stages *a = p->line.inflight == UINT32_MAX ? NULL : &s->accesses[p->line.inflight];
    if (a && line->since >= a->end) {
        a->any = true;
        a->end = line->since;
        memcpy(a->spent, line->spent, sizeof a->spent);
    }
    line->serial = 0;
    line->next = s->line_free;
    s->line_free = gpci_label_of(&t->pool, p)->clock;
    s->line_live--;
}

/* From events to stages. */

/* Stage after an event at an L1; GPC_STAGE_COUNT: unchanged. */
static gpc_stage after_l1(gpc_what what) {
    switch (what) {
    case GPC_WHAT_LOOKUP:
    case GPC_WHAT_SERVE:
        return GPC_STAGE_L1;
    case GPC_WHAT_MSHR_ALLOCATE: /* and at once below, if sending */
    case GPC_WHAT_MSHR_MERGE:
    case GPC_WHAT_JOIN:
    case GPC_WHAT_FILL: /* other fetches may have more data to wait for */
        return GPC_STAGE_MERGED;
    case GPC_WHAT_QUEUE:
        return GPC_STAGE_REQUEST;
    default:
        return GPC_STAGE_COUNT;
    }
}

/* At a slice, or a cluster's cache. */
static gpc_stage after_l2(gpc_what what, bool link) {
    switch (what) {
    case GPC_WHAT_LOOKUP:
    case GPC_WHAT_SERVE:
    case GPC_WHAT_FILL:
        return GPC_STAGE_L2;
    case GPC_WHAT_MSHR_ALLOCATE:
    case GPC_WHAT_MSHR_MERGE:
        return GPC_STAGE_L2_MERGED;
    case GPC_WHAT_QUEUE:
        return link ? GPC_STAGE_PARTITION : GPC_STAGE_DRAM_QUEUE;
    default:
        return GPC_STAGE_COUNT;
    }
}

void gpci_stages_follow(gpci_timed *t, gpc_what what, const gpci_ctrl *ctrl, const gpci_packet *p, uint64_t due) {
    gpci_line_clock *line = clock_of(t, p);
    const bool link = p->flags & GPCI_PACKET_LINK;
    const gpc_stage next = ctrl->level == 1 ? after_l1(what) : after_l2(what, link);
    if (!line || next == GPC_STAGE_COUNT)
        return;
    enter(line, next, t->wheel.now);
    if (what != GPC_WHAT_SERVE)
        return;
    if (ctrl->level == 1 && ctrl->rules->own_lines) { /* done, though the data are still on the way */
        spend(line, due);
        return;
    }
    line->due = due;
    line->then = (uint8_t)(link ? GPC_STAGE_PARTITION : ctrl->level == 1 ? GPC_STAGE_FILL : GPC_STAGE_REPLY);
}

void gpci_stages_blocked(gpci_timed *t, const gpci_ctrl *ctrl, const gpci_packet *p) {
    go_to(t, p, ctrl->level == 1 ? GPC_STAGE_L1_STALL : GPC_STAGE_L2_QUEUE);
}

static gpc_stage within(uint8_t network) {
    switch (network) {
    case GPC_COMPONENT_REPLIES:
    case GPC_COMPONENT_CLUSTER_REPLIES:
        return GPC_STAGE_REPLY;
    case GPC_COMPONENT_PARTITION_REQUESTS:
    case GPC_COMPONENT_PARTITION_REPLIES:
    case GPC_COMPONENT_GPU_LINKS:
        return GPC_STAGE_PARTITION;
    case GPC_COMPONENT_MEMORY_REQUESTS:
        return GPC_STAGE_DRAM_QUEUE;
    case GPC_COMPONENT_MEMORY_REPLIES:
        return GPC_STAGE_DRAM;
    default:
        return GPC_STAGE_REQUEST;
    }
}

static gpc_stage behind(uint8_t network, bool fetch) {
    switch (network) {
    case GPC_COMPONENT_REPLIES: /* fetch not kept: the load waits for data of others */
        return fetch ? GPC_STAGE_MERGED : GPC_STAGE_FILL;
    case GPC_COMPONENT_PARTITION_REPLIES:
        return fetch ? GPC_STAGE_L2 : GPC_STAGE_REPLY;
    case GPC_COMPONENT_CLUSTER_REPLIES:
    case GPC_COMPONENT_MEMORY_REPLIES:
        return GPC_STAGE_L2;
    case GPC_COMPONENT_MEMORY_REQUESTS:
        return GPC_STAGE_DRAM_QUEUE;
    default:
        return GPC_STAGE_L2_QUEUE;
    }
}

/* In a tree: true on the way to or from an L1 other than the access's. */
static bool is_of_others(const gpci_timed *t, uint8_t network, const gpci_packet *p) {
    if (!t->coherent)
        return false;
    return (network == GPC_COMPONENT_REQUESTS && p->path.from != p->request.sm) ||
           (network == GPC_COMPONENT_REPLIES && p->path.to != p->request.sm);
}

void gpci_stages_crosses(gpci_timed *t, uint8_t component, bool leaves, const gpci_packet *p) {
    const gpc_stage next = is_of_others(t, component, p) ? GPC_STAGE_COHERENCE
                           : leaves ? behind(component, !t->coherent && p->flags & GPCI_PACKET_FETCH)
                                    : within(component);
    go_to(t, p, next);
}

void gpci_stages_memory(gpci_timed *t, const gpci_packet *p) {
    const bool seen = t->stage_times && t->stage_times->sees_dram && !t->callbacks.on_memory;
    go_to(t, p, seen ? GPC_STAGE_DRAM_QUEUE : GPC_STAGE_DRAM);
}

void gpci_stages_command(gpci_timed *t, const gpci_packet *p, uint64_t cycle) {
    gpci_line_clock *line = clock_of(t, p);
    if (line && line->stage == GPC_STAGE_DRAM_QUEUE)
        enter(line, GPC_STAGE_DRAM, cycle);
}

void gpci_stages_data(gpci_timed *t, const gpci_packet *p) {
    go_to(t, p, t->memory[p->path.channel].replies_out ? GPC_STAGE_DRAM : GPC_STAGE_L2);
}
