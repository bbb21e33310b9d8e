/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_PLAIN_VALUES_H
#define GPC_TIMED_PLAIN_VALUES_H

#include "base/map.h"
#include "level/access/values.h"
#include "timed/timed.h"

/*
 * Values of accesses (coherence.data) where caches are plain ones, which hold none. What packets do says what is read
 * from where, and what is written when: so the hierarchy is watched as by a trace of events (watch.c), of nobody's.
 *
 *   a store or an atomic is performed when its home slice looks it up: there, or below, is the line's value
 *   a read of a slice takes its value as the slice serves it; in the other partition's slice that is a copy, as old as
 *   the fetch that brought it
 *   a read comes back to L1 with the value that it took. L1 has the bytes of its SM's own stores, and keeps them where
 *   the home slice had not performed the stores when the read was served. Sectors that L1 does not have hold the result
 *   from then on
 *   a load that hits has the value of L1's line. A load that waits has what its reads bring; bytes that its SM stores
 *   behind the load are not in it
 *
 * Example, coherence = viper, another SM's L1 has the line: an atomic adds 1 to 5. The slice has 6, the atomic's lane
 * 5; loads that hit in the other L1 have 5 until it acquires.
 */

/* Of a line: in its home slice or below, and in the other partition's. */
typedef struct gpci_home_line {
    uint8_t bytes[GPCI_VALUE_BYTES], copy[GPCI_VALUE_BYTES];
    uint64_t copy_served[GPCI_VALUE_BYTES / GPCI_SEGMENT]; /* by segment: when home served the copy; order */
    uint8_t copied;                                        /* segments of `copy` that there are */
} gpci_home_line;

/* In an L1; what reads have brought there, with and without the bytes of the SM's own stores. */
typedef struct gpci_l1_line {
    uint8_t bytes[GPCI_VALUE_BYTES], brought[GPCI_VALUE_BYTES], came[GPCI_VALUE_BYTES];
    /* Of the SM's last store to a byte: when it passed L1's tags, when home performed it; order, 0: never. */
    uint64_t stored[GPCI_VALUE_BYTES], performed[GPCI_VALUE_BYTES];
    uint16_t pending[GPCI_VALUE_BYTES]; /* the SM's stores to a byte that home has not performed */
} gpci_l1_line;

/* A read on its way. */
typedef struct gpci_carried_values {
    uint8_t bytes[GPCI_VALUE_BYTES];
    uint64_t served[GPCI_VALUE_BYTES / GPCI_SEGMENT]; /* by segment: when home served it; order */
} gpci_carried_values;

/* What a warp access writes, which has been accepted (kept_access.h). */
typedef struct gpci_plain_lanes {
    uint8_t bytes[GPCI_MAX_LANES * GPCI_MAX_LANE_BYTES], compare[GPCI_MAX_LANES * 8];
    /* Of a load: when it last passed L1's tags; and which bytes its SM had stored, and home had not performed, then. */
    uint64_t looked;
    uint8_t own[GPCI_MAX_LANES * GPCI_MAX_LANE_BYTES / 8];
} gpci_plain_lanes;

struct gpci_plain_values {
    gpci_map home;                /* by line number */
    gpci_map *l1;                 /* [sms] likewise; of all of them: */
    gpci_home_line *home_lines;   /* [home_room] */
    gpci_l1_line *l1_lines;       /* [l1_room] */
    gpci_carried_values *carried; /* [carried_room] by packet */
    gpci_plain_lanes *lanes;      /* [lane_room] by flight */
    size_t home_room, l1_room, carried_room, lane_room;
    size_t l1_count;
    uint64_t order;     /* of what happens */
    gpci_trace *nobody; /* the trace where the host has none */
};

/* GPC_ERROR_RANGE: caches that it cannot follow. */
gpc_status gpci_plain_values_check(const gpc_hierarchy *h, gpc_error *error);
gpc_status gpci_plain_values_create(gpci_timed *t, gpc_error *error);
void gpci_plain_values_destroy(gpci_timed *t);
/* In a snapshot: what caches and memory hold, and what accesses carry. Behind gpci_kept_archive. */
void gpci_plain_values_archive(gpci_timed *t, gpci_archive *archive);

/* Room for all that an access may lead to. GPC_ERROR_MEMORY. Then it is accepted, as this flight. */
gpc_status gpci_plain_values_reserve(gpci_timed *t, const gpc_warp_access *access);
void gpci_plain_values_keep(gpci_timed *t, uint32_t flight, const gpc_warp_access *access);

/* What watch.c sees. A packet is looked up at a stage. */
void gpci_plain_looked(gpci_timed *t, const gpci_stage *stage, const gpci_packet *p);
/* A line transaction hits in L1. It may have been held up since its lookup, and its line brought meanwhile. */
void gpci_plain_hit(gpci_timed *t, const gpci_stage *stage, const gpci_packet *p);
/* A slice serves a read. */
void gpci_plain_served(gpci_timed *t, const gpci_stage *slice, const gpci_packet *p);
/* A read is back in its SM; or in a slice, from the other partition. */
void gpci_plain_back(gpci_timed *t, uint32_t sm, uint32_t packet);
void gpci_plain_copied(gpci_timed *t, uint32_t packet);
/* A read of another SM brings along what this one is to read. */
void gpci_plain_shared(gpci_timed *t, uint32_t from, uint32_t to);
/* A load had to wait for these segments of a line, and has them. */
void gpci_plain_replied(gpci_timed *t, const gpci_packet *p, uint8_t segments);

#endif
