/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_STAGE_TIMES_H
#define GPC_TIMED_STAGE_TIMES_H

#include "base/map.h"
#include "timed/core/timed.h"

#include <gpucache/experimental/experimental.h>
#include <gpucache/ext/observe.h>
#include <gpucache/ext/policies.h>

/*
 * Cycles that accesses spend in stages of the way (stats.stages). The hierarchy is watched as by an event log
 * (event_log.c), even without a host's event log: an event of a packet tells the line's new stage. Without
 * stats.stages, no work is done.
 *
 * A line transaction has a clock, carried on by the labels of packets sent below. When the line is done, the access
 * takes the stages of the last completed line; time from then until the host has the access is FILL.
 *
 * Example, a load of line A, which misses:
 *  issued in cycle 0     QUEUE
 *  lookup, cycle 3       3 cycles of QUEUE; L1
 *  fetch queued, 3       MERGED and at once REQUEST: the waiting packet and the fetch share a clock
 *  received at L2, 40    37 cycles of REQUEST; L2_QUEUE
 *  ... and so on         a served read stays in L2 until the data are out of the port, then REPLY
 */

/* A line's clock. */
typedef struct gpci_line_clock {
    uint64_t serial; /* as in the labels of the line's packets; grows with each line in this place; even: free */
    uint64_t since;  /* core cycle up to which `spent` has counted */
    uint64_t due;    /* core cycle from which the stage is `then`; or GPCI_NEVER */
    uint32_t next;   /* next free clock, if free */
    uint8_t stage, then, reserved[2];
    uint64_t spent[GPC_STAGE_COUNT];
} gpci_line_clock;

/* Stages of an access: from the line done last so far. */
typedef struct gpci_access_stages {
    uint64_t pc, end; /* end: core cycle up to which `spent` has counted */
    uint32_t kernel;
    uint16_t any;      /* at least one line is done */
    uint16_t acquires; /* all lines have arrived; the access completes when L1 has dropped its lines */
    uint64_t spent[GPC_STAGE_COUNT];
} gpci_access_stages;

/* Sum over accesses of an instruction, kind and level. Fences have PC UINT64_MAX and kind GPC_KIND_COUNT. */
typedef struct gpci_stage_sum {
    uint64_t pc;
    uint32_t kernel;
    uint8_t kind, level, reserved[2];
    uint64_t accesses, latency, longest;
    uint64_t spent[GPC_STAGE_COUNT];
} gpci_stage_sum;

typedef struct gpci_stage_times {
    gpci_line_clock *lines; /* [line_capacity] */
    size_t line_capacity;
    uint32_t line_fresh, line_free;
    uint32_t line_live;           /* lines with an odd `serial` */
    gpci_access_stages *accesses; /* [access_capacity] by in-flight access */
    size_t access_capacity;
    gpci_slots slots;
    gpci_stage_sum *sums; /* [sum_capacity] */
    size_t sum_capacity;
    uint32_t sum_count;
    uint64_t total[GPC_STAGE_COUNT];
    bool sees_dram;         /* DRAM reports commands */
    gpci_event_log *nobody; /* the event log if the host has none */
} gpci_stage_times;

/* Does nothing unless stats.stages is set. */
gpc_status gpci_stage_times_create(gpci_timed *timed, gpc_error *error);
void gpci_stage_times_destroy(gpci_timed *timed);
void gpci_stage_times_reset(gpci_timed *timed);
void gpci_stage_times_add(const uint64_t total[GPC_STAGE_COUNT], gpc_stats *stats);
void gpci_stage_times_count(const gpci_timed *timed, gpc_stats *stats);
/* Save or load the stage times. A snapshot has the packets and in-flight accesses before. */
void gpci_stage_times_archive(gpci_timed *timed, gpci_archive *archive);
/*
 * gpci_stage_times_reserve makes room for `lines` further lines and the sums of a further access,
 * gpci_stage_times_reserve_inflights for an access per place in gpci_timed.inflights. GPC_ERROR_MEMORY.
 */
GPCI_COLD gpc_status gpci_stage_times_reserve(gpci_timed *timed, uint32_t lines);
GPCI_COLD gpc_status gpci_stage_times_reserve_inflights(gpci_timed *timed);
/* An access is done: pass the stages to the host. gpci_stage_times_at_once: the access had no lines, and no cycles. */
GPCI_COLD void gpci_stage_times_done(gpci_timed *timed, uint32_t inflight, gpc_completion *completion);
GPCI_COLD void gpci_stage_times_at_once(const gpci_timed *timed, gpc_completion *completion);

/* Events from event_log.c; without effect unless stats.stages is set. An access, or a line of an access, begins. */
void gpci_stages_access(gpci_timed *timed, uint32_t inflight, const gpc_request *request);
void gpci_stages_line(gpci_timed *timed, const gpci_packet *pkt, uint32_t inflight);
/* All lines of an acquire have arrived. */
void gpci_stages_acquires(gpci_timed *timed, uint32_t inflight);
/*
 * gpci_stages_fork: a packet was copied, and its line gets a separate clock, with the times so far of the copied line.
 * gpci_stages_forget: a packet belongs to no access.
 */
void gpci_stages_fork(gpci_timed *timed, const gpci_packet *pkt);
void gpci_stages_forget(const gpci_timed *timed, const gpci_packet *pkt);
/* An event of a packet at an L1, a cluster's cache or a slice; for SERVE, `due` is when the data are out. */
void gpci_stages_follow(gpci_timed *timed, gpc_what what, const gpci_ctrl *ctrl, const gpci_packet *pkt, uint64_t due);
void gpci_stages_blocked(gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *pkt);
/* A packet has the requested data. */
void gpci_stages_reply(gpci_timed *timed, const gpci_packet *pkt);
/* A packet enters or leaves a network. */
void gpci_stages_crosses(gpci_timed *timed, uint8_t component, bool leaves, const gpci_packet *pkt);
/*
 * gpci_stages_memory: memory accepts a packet. gpci_stages_command: DRAM issues a command for a packet, at core cycle
 * `cycle`. gpci_stages_data: the data of a packet are ready.
 */
void gpci_stages_memory(gpci_timed *timed, const gpci_packet *pkt);
void gpci_stages_command(gpci_timed *timed, const gpci_packet *pkt, uint64_t cycle);
void gpci_stages_data(gpci_timed *timed, const gpci_packet *pkt);
/* The line of a packet with label `label` enters a stage, in a tree. */
void gpci_stages_enter(gpci_timed *timed, const gpci_packet_label *label, gpc_stage stage);

#endif
