/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/stage_times.h"

#include "base/array.h"
#include "level/rules/events.h"

#include <string.h>

gpc_status gpci_stage_times_create(gpci_timed *timed, gpc_error *error) {
    if (!gpci_number(timed->hierarchy, GPCI_KEY_STATS_STAGES))
        return GPC_OK;
    gpci_stage_times *times = timed->stage_times = gpci_zalloc(timed->context, 1, sizeof *times);
    if (!times)
        return gpci_out_of_memory(error);
    times->line_free = UINT32_MAX;
    times->sees_dram = gpci_number(timed->hierarchy, GPCI_KEY_DRAM_MODEL) != 1;
    times->nobody = gpci_event_log_make(timed->hierarchy);
    return times->nobody ? GPC_OK : gpci_out_of_memory(error);
}

void gpci_stage_times_destroy(gpci_timed *timed) {
    gpci_stage_times *times = timed->stage_times;
    if (!times)
        return;
    gpci_free(timed->context, times->lines);
    gpci_free(timed->context, times->accesses);
    gpci_slots_free(timed->context, &times->slots);
    gpci_free(timed->context, times->sums);
    gpci_event_log_free(timed->context, times->nobody);
    gpci_free(timed->context, times);
}

/* Clocks of lines. */

static gpci_line_clock *clock_of_label(const gpci_timed *timed, const gpci_packet_label *label) {
    if (!timed->stage_times || !label->serial)
        return NULL;
    gpci_line_clock *line = &timed->stage_times->lines[label->clock];
    /* if the serials differ, the packet's line is done: the clock is free, or belongs to another line */
    return line->serial == label->serial ? line : NULL;
}

static gpci_line_clock *clock_of(const gpci_timed *timed, const gpci_packet *pkt) {
    return timed->stage_times ? clock_of_label(timed, gpci_label_of(&timed->pool, pkt)) : NULL;
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

static void go_to(const gpci_timed *timed, const gpci_packet *pkt, gpc_stage stage) {
    gpci_line_clock *line = clock_of(timed, pkt);
    if (line)
        enter(line, stage, timed->wheel.now);
}

void gpci_stages_enter(gpci_timed *timed, const gpci_packet_label *label, gpc_stage stage) {
    gpci_line_clock *line = clock_of_label(timed, label);
    if (line)
        enter(line, stage, timed->wheel.now);
}

/* Take a clock for the packet; room must exist. */
static gpci_line_clock *take(gpci_timed *timed, gpci_packet_label *label) {
    gpci_stage_times *times = timed->stage_times;
    uint32_t number = times->line_free;
    if (number == UINT32_MAX) {
        number = times->line_fresh++;
        times->lines[number].serial = 0;
    } else {
        times->line_free = times->lines[number].next;
    }
    times->line_live++;
    label->clock = number;
    label->serial = times->lines[number].serial + 1;
    return &times->lines[number];
}

void gpci_stages_access(gpci_timed *timed, uint32_t inflight, const gpc_request *request) {
    if (timed->stage_times)
        timed->stage_times->accesses[inflight] = (gpci_access_stages){
            .pc = request->pc, .end = timed->inflights[inflight].issued, .kernel = request->kernel};
}

void gpci_stages_acquires(gpci_timed *timed, uint32_t inflight) {
    if (timed->stage_times)
        timed->stage_times->accesses[inflight].acquires = 1;
}

void gpci_stages_line(gpci_timed *timed, const gpci_packet *pkt, uint32_t inflight) {
    gpci_stages_forget(timed, pkt);
    if (!timed->stage_times)
        return;
    gpci_packet_label *label = gpci_label_of(&timed->pool, pkt);
    gpci_line_clock *line = take(timed, label);
    *line = (gpci_line_clock){.serial = label->serial,
                              .since = timed->inflights[inflight].issued,
                              .due = GPCI_NEVER,
                              .stage = GPC_STAGE_QUEUE};
}

void gpci_stages_fork(gpci_timed *timed, const gpci_packet *pkt) {
    if (!clock_of(timed, pkt))
        return;
    gpci_packet_label *label = gpci_label_of(&timed->pool, pkt);
    const uint32_t other = label->clock;
    gpci_line_clock *own = take(timed, label);
    *own = timed->stage_times->lines[other];
    own->serial = label->serial;
}

void gpci_stages_forget(const gpci_timed *timed, const gpci_packet *pkt) {
    gpci_label_of(&timed->pool, pkt)->serial = 0;
}

void gpci_stages_reply(gpci_timed *timed, const gpci_packet *pkt) {
    gpci_line_clock *line = clock_of(timed, pkt);
    gpci_stage_times *times = timed->stage_times;
    if (!line)
        return;
    spend(line, timed->wheel.now);
    gpci_access_stages *stages = pkt->line.inflight == UINT32_MAX ? NULL : &times->accesses[pkt->line.inflight];
    if (stages && line->since >= stages->end) {
        stages->any = true;
        stages->end = line->since;
        memcpy(stages->spent, line->spent, sizeof stages->spent);
    }
    line->serial++;
    line->next = times->line_free;
    times->line_free = gpci_label_of(&timed->pool, pkt)->clock;
    times->line_live--;
}

/* From events to stages. */

/* Stage after an event at an L1; GPC_STAGE_COUNT: unchanged. */
static gpc_stage after_l1(gpc_what what) {
    switch (what) {
    case GPC_WHAT_LOOKUP:
    case GPC_WHAT_SERVE:
        return GPC_STAGE_L1;
    case GPC_WHAT_MSHR_ALLOCATE: /* if a fetch is sent, QUEUE follows at once */
    case GPC_WHAT_MSHR_MERGE:
    case GPC_WHAT_JOIN:
    case GPC_WHAT_FILL: /* the line may still wait for data of other fetches */
        return GPC_STAGE_MERGED;
    case GPC_WHAT_QUEUE:
        return GPC_STAGE_REQUEST;
    default:
        return GPC_STAGE_COUNT;
    }
}

/* Stage after an event at a slice, a cluster's cache or a GL1. `link`: the packet goes to the other partition. */
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

/* Stage after an event at a cache beside memory: as DRAM, for which it stands. */
static gpc_stage after_memory_cache(gpc_what what) {
    return what == GPC_WHAT_SERVE || what == GPC_WHAT_FILL ? GPC_STAGE_DRAM : GPC_STAGE_DRAM_QUEUE;
}

void gpci_stages_follow(gpci_timed *timed, gpc_what what, const gpci_ctrl *ctrl, const gpci_packet *pkt, uint64_t due) {
    gpci_line_clock *line = clock_of(timed, pkt);
    const bool link = pkt->flags & GPCI_PACKET_LINK;
    const gpc_stage next = ctrl->level == 1 || (ctrl->level == GPCI_LEVEL_GL1 && what == GPC_WHAT_QUEUE)
                               ? after_l1(what)
                           : ctrl->level == GPCI_LEVEL_MEMORY ? after_memory_cache(what)
                                                              : after_l2(what, link);
    if (!line || next == GPC_STAGE_COUNT)
        return;
    enter(line, next, timed->wheel.now);
    if (what != GPC_WHAT_SERVE)
        return;
    if (ctrl->level == 1 && ctrl->rules->own_lines) { /* the line is done now: count the way of the data up to `due` */
        spend(line, due);
        return;
    }
    line->due = due;
    if (ctrl->level == GPCI_LEVEL_MEMORY) {
        line->then = timed->memory[ctrl->index].replies_out ? GPC_STAGE_DRAM : GPC_STAGE_L2;
        return;
    }
    line->then = (uint8_t)(link ? GPC_STAGE_PARTITION : ctrl->level == 1 ? GPC_STAGE_FILL : GPC_STAGE_REPLY);
}

void gpci_stages_blocked(gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *pkt) {
    go_to(timed, pkt,
          ctrl->level == 1                   ? GPC_STAGE_L1_STALL
          : ctrl->level == GPCI_LEVEL_MEMORY ? GPC_STAGE_DRAM_QUEUE
                                             : GPC_STAGE_L2_QUEUE);
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
    case GPC_COMPONENT_REPLIES: /* the load of a fetch may still wait for data of other fetches */
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

/* True if a tree's packet is on the way to or from another L1 than the L1 of the access's SM. */
static bool is_of_others(const gpci_timed *timed, uint8_t network, const gpci_packet *pkt) {
    if (!timed->coherent)
        return false;
    return (network == GPC_COMPONENT_REQUESTS && pkt->path.from != pkt->request.sm) ||
           (network == GPC_COMPONENT_REPLIES && pkt->path.to != pkt->request.sm);
}

void gpci_stages_crosses(gpci_timed *timed, uint8_t component, bool leaves, const gpci_packet *pkt) {
    const gpc_stage next = is_of_others(timed, component, pkt) ? GPC_STAGE_COHERENCE
                           : leaves ? behind(component, !timed->coherent && pkt->flags & GPCI_PACKET_FETCH)
                                    : within(component);
    go_to(timed, pkt, next);
}

void gpci_stages_memory(gpci_timed *timed, const gpci_packet *pkt) {
    const bool seen = timed->stage_times && timed->stage_times->sees_dram && !timed->callbacks.on_memory;
    go_to(timed, pkt, seen ? GPC_STAGE_DRAM_QUEUE : GPC_STAGE_DRAM);
}

void gpci_stages_command(gpci_timed *timed, const gpci_packet *pkt, uint64_t cycle) {
    gpci_line_clock *line = clock_of(timed, pkt);
    if (line && line->stage == GPC_STAGE_DRAM_QUEUE)
        enter(line, GPC_STAGE_DRAM, cycle);
}

void gpci_stages_data(gpci_timed *timed, const gpci_packet *pkt) {
    go_to(timed, pkt, timed->memory[pkt->path.channel].replies_out ? GPC_STAGE_DRAM : GPC_STAGE_L2);
}
