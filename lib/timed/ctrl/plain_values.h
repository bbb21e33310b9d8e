/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_PLAIN_VALUES_H
#define GPC_TIMED_PLAIN_VALUES_H

#include "base/map.h"
#include "level/access/values.h"
#include "timed/core/timed.h"

/*
 * Values of accesses (coherence.data) with plain caches, which hold no values. Packets tell what is read and written,
 * and when: the hierarchy is watched as by an event log (event_log.c), without a host's event log.
 *
 *  store, atomic  performed at the lookup in the home slice. The home slice, or memory behind it, has the line's value
 *  read           takes the line's value at the lookup in the home slice. A read that the other partition's slice
 *                 serves takes that slice's copy instead; the copy is as old as the fetch that brought the copy
 *  reply in L1    brings the value taken. L1 keeps bytes that the SM has stored and that the home slice had not
 *                 performed when it served the read. From then on, L1 has the sectors that were absent before
 *  load           a load that hits has the value of L1's line. A load that waits has the value that reads bring,
 *                 without bytes that the SM stores later
 *
 * Example, coherence = viper, another SM's L1 has the line: an atomic adds 1 to 5. The slice has 6, the atomic's lane
 * 5; loads that hit in the other L1 have 5 until the SM acquires.
 */

/* A line's value in the home slice or below (`bytes`), and in the other partition's slice (`copy`). */
typedef struct gpci_home_line {
    uint8_t bytes[GPCI_VALUE_BYTES], copy[GPCI_VALUE_BYTES];
    uint64_t copy_served[GPCI_VALUE_BYTES / GPCI_SEGMENT]; /* by segment: `order` when the home slice served `copy` */
    uint8_t copied;                                        /* segments of `copy` present */
} gpci_home_line;

/*
 * A line in an L1. bytes: value of the line. came: bytes that the last read of a byte brought. brought: as `came`, but
 * with the SM's stores that the home slice had not performed when it served the read.
 */
typedef struct gpci_l1_line {
    uint8_t bytes[GPCI_VALUE_BYTES], brought[GPCI_VALUE_BYTES], came[GPCI_VALUE_BYTES];
    /* The SM's last store to a byte: `order` at L1's tags, and when performed at home; or 0. */
    uint64_t stored[GPCI_VALUE_BYTES], performed[GPCI_VALUE_BYTES];
    uint64_t served[GPCI_VALUE_BYTES / GPCI_SEGMENT]; /* by segment: `order` when the home slice served `came` */
    uint16_t pending[GPCI_VALUE_BYTES]; /* by byte: stores of the SM that the home slice has not performed yet */
} gpci_l1_line;

/* A packet: a read on the way, or a line transaction. */
typedef struct gpci_carried_values {
    uint8_t bytes[GPCI_VALUE_BYTES];
    uint64_t served[GPCI_VALUE_BYTES / GPCI_SEGMENT]; /* by segment: `order` when the home slice served the read */
    uint64_t looked;                                  /* line transaction: `order` at the lookup in L1 */
} gpci_carried_values;

/* Bytes written by an accepted warp access (kept_access.h). */
typedef struct gpci_plain_lanes {
    uint8_t bytes[GPCI_MAX_LANES * GPCI_MAX_LANE_BYTES], compare[GPCI_MAX_LANES * 8];
    /* bit per byte of a load: at the lookup in L1, a store of the SM to the byte was not yet performed at home */
    uint8_t own[GPCI_MAX_LANES * GPCI_MAX_LANE_BYTES / 8];
    /* bit per byte of a load: the load has the byte from a read that returned after the load's lookup */
    uint8_t came[GPCI_MAX_LANES * GPCI_MAX_LANE_BYTES / 8];
} gpci_plain_lanes;

struct gpci_plain_values {
    gpci_map home;                /* by line number */
    gpci_map *l1;                 /* [sms] by line number: index in `l1_lines`, which all SMs share */
    gpci_home_line *home_lines;   /* [home_capacity] */
    gpci_l1_line *l1_lines;       /* [l1_capacity] */
    gpci_carried_values *carried; /* [carried_capacity] by packet */
    gpci_plain_lanes *lanes;      /* [lane_capacity] by in-flight access */
    size_t home_capacity, l1_capacity, carried_capacity, lane_capacity;
    size_t l1_count;
    uint64_t order;         /* events so far: tells which of two events is earlier */
    gpci_event_log *nobody; /* the event log if the host has none */
};

/* GPC_ERROR_RANGE: caches with unsupported settings. */
gpc_status gpci_plain_values_check(const gpc_hierarchy *hierarchy, gpc_error *error);
gpc_status gpci_plain_values_create(gpci_timed *timed, gpc_error *error);
void gpci_plain_values_destroy(gpci_timed *timed);
/* Save or load the values in caches, memory and accesses, in a snapshot after gpci_kept_archive. */
void gpci_plain_values_archive(gpci_timed *timed, gpci_archive *archive);

/* Make room for the values of all packets that the pool has room for. GPC_ERROR_MEMORY. */
gpc_status gpci_plain_values_carry(gpci_timed *timed);
/*
 * gpci_plain_values_reserve: make room for the lines and lanes of an access. GPC_ERROR_MEMORY. gpci_plain_values_keep:
 * keep the bytes that the access writes, for the in-flight access `inflight`.
 */
gpc_status gpci_plain_values_reserve(gpci_timed *timed, const gpc_warp_access *access);
void gpci_plain_values_keep(gpci_timed *timed, uint32_t inflight, const gpc_warp_access *access);

/* Events from event_log.c. A packet is looked up at a controller. */
void gpci_plain_looked(gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *pkt);
/*
 * A line transaction hits in L1, or begins to wait for a part of the line: look at L1's line again. If the transaction
 * was held up after the lookup, a read may have brought the line, or a part, meanwhile.
 */
void gpci_plain_hit(gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *pkt);
/* A slice serves a read. */
void gpci_plain_served(gpci_timed *timed, const gpci_ctrl *slice, const gpci_packet *pkt);
/* gpci_plain_back: a read returns to the SM. gpci_plain_copied: a read of a slice returns from the other partition. */
void gpci_plain_back(gpci_timed *timed, uint32_t sm, uint32_t packet);
void gpci_plain_copied(gpci_timed *timed, uint32_t packet);
/* Read `from` of another SM brings the data for read `to`, which waited in a coalescer. */
void gpci_plain_shared(gpci_timed *timed, uint32_t from, uint32_t to);
/* A load waited for these segments of a line, and has them now. */
void gpci_plain_replied(gpci_timed *timed, const gpci_packet *pkt, uint8_t segments);

#endif
