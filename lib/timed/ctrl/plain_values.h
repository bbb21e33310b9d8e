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
 *  a store or an atomic is performed when looked up in the home slice: the line's value is there, or below
 *  a read takes the value of its home slice when looked up there; in the other partition's slice, when served, a copy
 *  as old as the fetch
 *  a read returns to L1 with the value taken. L1 has the bytes of the SM's stores, and keeps bytes of stores not yet
 *  performed by the home slice when the read was served. Sectors absent from L1 hold the result from then on
 *  a load that hits has the value of L1's line. A load that waits has the value brought by the reads; without bytes
 *  stored later by the SM
 *
 * Example, coherence = viper, another SM's L1 has the line: an atomic adds 1 to 5. The slice has 6, the atomic's lane
 * 5; loads that hit in the other L1 have 5 until the SM acquires.
 */

/* A line in the home slice or below, and in the other partition's slice. */
typedef struct gpci_home_line {
    uint8_t bytes[GPCI_VALUE_BYTES], copy[GPCI_VALUE_BYTES];
    uint64_t copy_served[GPCI_VALUE_BYTES / GPCI_SEGMENT]; /* by segment: `order` when home served the copy */
    uint8_t copied;                                        /* segments of `copy` present */
} gpci_home_line;

/* A line in an L1; bytes brought by reads, with and without the bytes of the SM's stores. */
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
    uint64_t served[GPCI_VALUE_BYTES / GPCI_SEGMENT]; /* by segment: `order` when home served the read */
    uint64_t looked;                                  /* line transaction: `order` at L1's tags */
} gpci_carried_values;

/* Bytes written by an accepted warp access (kept_access.h). */
typedef struct gpci_plain_lanes {
    uint8_t bytes[GPCI_MAX_LANES * GPCI_MAX_LANE_BYTES], compare[GPCI_MAX_LANES * 8];
    /* Load's bytes that the SM's stores had written at L1's tags, and home not yet; bytes brought by a read since. */
    uint8_t own[GPCI_MAX_LANES * GPCI_MAX_LANE_BYTES / 8];
    uint8_t came[GPCI_MAX_LANES * GPCI_MAX_LANE_BYTES / 8];
} gpci_plain_lanes;

struct gpci_plain_values {
    gpci_map home;                /* by line number */
    gpci_map *l1;                 /* [sms] by line number; of all SMs: */
    gpci_home_line *home_lines;   /* [home_capacity] */
    gpci_l1_line *l1_lines;       /* [l1_capacity] */
    gpci_carried_values *carried; /* [carried_capacity] by packet */
    gpci_plain_lanes *lanes;      /* [lane_capacity] by in-flight access */
    size_t home_capacity, l1_capacity, carried_capacity, lane_capacity;
    size_t l1_count;
    uint64_t order;         /* event count */
    gpci_event_log *nobody; /* the event log if the host has none */
};

/* GPC_ERROR_RANGE: caches with unsupported settings. */
gpc_status gpci_plain_values_check(const gpc_hierarchy *hierarchy, gpc_error *error);
gpc_status gpci_plain_values_create(gpci_timed *timed, gpc_error *error);
void gpci_plain_values_destroy(gpci_timed *timed);
/* In a snapshot, after gpci_kept_archive: values in caches, memory and accesses. */
void gpci_plain_values_archive(gpci_timed *timed, gpci_archive *archive);

/* Make room for the values of all packets that the pool has room for. GPC_ERROR_MEMORY. */
gpc_status gpci_plain_values_carry(gpci_timed *timed);
/*
 * Make room for everything an access may lead to. GPC_ERROR_MEMORY. Then keep the access as the accepted in-flight
 * access.
 */
gpc_status gpci_plain_values_reserve(gpci_timed *timed, const gpc_warp_access *access);
void gpci_plain_values_keep(gpci_timed *timed, uint32_t inflight, const gpc_warp_access *access);

/* Events from event_log.c. A packet is looked up at a controller. */
void gpci_plain_looked(gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *pkt);
/*
 * A line transaction hits in L1, or begins to wait for a part of the line. May have been held up since the lookup, with
 * the line, or the other part, brought meanwhile.
 */
void gpci_plain_hit(gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *pkt);
/* A slice serves a read. */
void gpci_plain_served(gpci_timed *timed, const gpci_ctrl *slice, const gpci_packet *pkt);
/* A read returns to the SM; or to a slice, from the other partition. */
void gpci_plain_back(gpci_timed *timed, uint32_t sm, uint32_t packet);
void gpci_plain_copied(gpci_timed *timed, uint32_t packet);
/* A read of another SM brings data for a waiting read. */
void gpci_plain_shared(gpci_timed *timed, uint32_t from, uint32_t to);
/* A load waited for these segments of a line, and has them now. */
void gpci_plain_replied(gpci_timed *timed, const gpci_packet *pkt, uint8_t segments);

#endif
