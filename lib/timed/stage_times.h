/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_STAGE_TIMES_H
#define GPC_TIMED_STAGE_TIMES_H

#include "base/map.h"
#include "timed/timed.h"

#include <gpucache/stages.h>

/*
 * In which stages of their way accesses spend their cycles (stats.stages). The hierarchy is watched as by a trace of
 * events (watch.c), of nobody's where the host has none: what happens to a packet says in which stage its line is from
 * then on. So nothing is looked at where stages are not asked for.
 *
 * A line transaction has a clock, which the packets that go below for it carry on in their labels. When the line is
 * done its access has the stages of the line that was done last; what comes then, until the host has it, is FILL.
 *
 * Example, a load of line A, which misses:
 *   issued in cycle 0     QUEUE
 *   lookup, cycle 3       3 cycles of QUEUE; L1
 *   fetch queued, 3       MERGED and at once REQUEST: the packet that waits and the fetch have one clock
 *   received at L2, 40    37 cycles of REQUEST; L2_QUEUE
 *   ... and so on         what was served stays in L2 until its data are out of the port, and is in REPLY then
 */

/* A line's. */
typedef struct gpci_line_clock {
    uint64_t serial; /* of those that its packets' labels have; 0: free */
    uint64_t since;  /* core cycle up to which it has been counted */
    uint64_t due;    /* from this one on it is in stage `then`; GPCI_NEVER */
    uint32_t next;   /* free: a list */
    uint8_t stage, then, reserved[2];
    uint64_t spent[GPC_STAGE_COUNT];
} gpci_line_clock;

/* An access's: those of the line that was done last so far. */
typedef struct gpci_access_stages {
    uint64_t pc, end; /* core cycle up to which `spent` counts */
    uint32_t kernel;
    uint16_t any;      /* a line of it has been done */
    uint16_t acquires; /* what comes then is L1's: it drops its lines */
    uint64_t spent[GPC_STAGE_COUNT];
} gpci_access_stages;

/* Accesses of one instruction, kind and level; PC and kind of fences are beyond all others. */
typedef struct gpci_stage_sum {
    uint64_t pc;
    uint32_t kernel;
    uint8_t kind, level, reserved[2];
    uint64_t accesses, latency, longest;
    uint64_t spent[GPC_STAGE_COUNT];
} gpci_stage_sum;

typedef struct gpci_stage_times {
    gpci_line_clock *lines; /* [line_room] */
    size_t line_room;
    uint32_t line_fresh, line_free;
    uint32_t line_live;
    uint64_t serial;
    gpci_access_stages *accesses; /* [access_room] by flight */
    size_t access_room;
    gpci_slots slots;
    gpci_stage_sum *sums; /* [sum_room] */
    size_t sum_room;
    uint32_t sum_count;
    uint64_t total[GPC_STAGE_COUNT];
    bool sees_dram;     /* DRAM tells of its commands */
    gpci_trace *nobody; /* the trace where the host has none */
} gpci_stage_times;

/* With stats.stages; otherwise nothing is made. */
gpc_status gpci_stage_times_create(gpci_timed *t, gpc_error *error);
void gpci_stage_times_destroy(gpci_timed *t);
void gpci_stage_times_reset(gpci_timed *t);
void gpci_stage_times_count(const gpci_timed *t, gpc_stats *stats);
/* In a snapshot: behind packets and flights. */
void gpci_stage_times_archive(gpci_timed *t, gpci_archive *archive);
/* Room for so many lines more, and what they may lead to; for as many accesses as flights. GPC_ERROR_MEMORY. */
GPCI_COLD gpc_status gpci_stage_times_reserve(gpci_timed *t, uint32_t lines);
GPCI_COLD gpc_status gpci_stage_times_reserve_flights(gpci_timed *t);
/* An access is done: its stages, for the host; the same of one that touches nothing, which has spent no cycle. */
GPCI_COLD void gpci_stage_times_done(gpci_timed *t, uint32_t flight, gpc_completion *completion);
GPCI_COLD void gpci_stage_times_at_once(const gpci_timed *t, gpc_completion *completion);

/* What watch.c sees; none does anything without stats.stages. An access begins, and a line of it. */
void gpci_stages_access(gpci_timed *t, uint32_t flight, const gpc_request *request);
void gpci_stages_line(gpci_timed *t, const gpci_packet *p, uint32_t flight);
/* All lines of an acquire are here. */
void gpci_stages_acquires(gpci_timed *t, uint32_t flight);
/* A packet is a further line of its access, and has been where the other was; or is nobody's. */
void gpci_stages_fork(gpci_timed *t, const gpci_packet *p);
void gpci_stages_forget(const gpci_timed *t, const gpci_packet *p);
/* An event of a packet at an L1, a cluster's cache or a slice; of SERVE, `due` is when its data are out. */
void gpci_stages_see(gpci_timed *t, gpc_what what, const gpci_stage *stage, const gpci_packet *p, uint64_t due);
void gpci_stages_blocked(gpci_timed *t, const gpci_stage *stage, const gpci_packet *p);
/* It has what it asked for. */
void gpci_stages_reply(gpci_timed *t, const gpci_packet *p);
/* It enters or leaves a network. */
void gpci_stages_crosses(gpci_timed *t, uint8_t component, bool leaves, const gpci_packet *p);
/* Memory takes it; its first DRAM command, at a core cycle; its data are there. */
void gpci_stages_memory(gpci_timed *t, const gpci_packet *p);
void gpci_stages_command(gpci_timed *t, const gpci_packet *p, uint64_t cycle);
void gpci_stages_data(gpci_timed *t, const gpci_packet *p);
/* A tree's transaction for a packet, by its label, is from now on in this stage. */
void gpci_stages_enter(gpci_timed *t, const gpci_packet_label *label, gpc_stage stage);

#endif
