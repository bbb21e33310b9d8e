/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_STRANDS_INTERNAL_H
#define GPC_TIMED_STRANDS_INTERNAL_H

#include "level/build/threads_check.h"
#include "timed/core/strands.h"

/* The inside of strands.h. */

typedef enum gpci_side { GPCI_SIDE_NONE, GPCI_SIDE_BELOW, GPCI_SIDE_ABOVE } gpci_side;

typedef struct gpci_strand {
    gpci_timed view;
    uint64_t *own; /* bitmap of the strand's components */
    int64_t spare; /* packets available, apart from packets taken and given since the last fold (pool.live) */
    uint32_t sms;  /* of the strand */
    uint32_t first_packet, first_flight; /* never used when split off */
    uint64_t apart[8];                   /* distance to the next strand, changed by another thread */
} gpci_strand;

/* Components stepped between two meetings of the threads: bitmap, numbers of the first and last. */
typedef struct gpci_strand_phase {
    gpci_side side; /* NONE: components outside strands, by one thread */
    uint64_t *set;
    uint32_t first, last;
} gpci_strand_phase;

#define GPCI_PHASES GPCI_GROUP_COUNT

struct gpci_strands {
    gpci_timed *main; /* shared view */
    gpci_workers *workers;
    gpci_strand *strand; /* [count] */
    uint8_t *of;         /* [components] strand; or GPCI_NO_STRAND */
    uint64_t *bits;      /* the memory of all bitmaps */
    gpci_wheel **receivers;
    gpci_network_sharing networks[GPCI_GROUP_COUNT];
    gpci_strand_phase phases[GPCI_PHASES];
    const gpci_strand_phase *phase; /* running phase */
    uint32_t count, phase_count;
    uint32_t slot;     /* slot of the wheel, for the present cycle */
    uint32_t least;    /* fewest components of a phase for sharing */
    bool apart;        /* shared phase: only strands' own state may change */
    bool above, below; /* the side is run by one thread, as configured: policies share changing state */
    bool keep_sms;
    uint64_t shared; /* phases shared by threads */
};

#define GPCI_NO_STRAND UINT8_MAX
#define GPCI_MOST_STRANDS 128u

/* strands_check.c: sides that can be shared, by the configuration; reason otherwise, in `text`. */
void gpci_strands_check(const gpci_timed *t, bool *above, bool *below, char text[GPCI_THREADS_TEXT]);

/* strands_rooms.c: at least so many packets and flights per strand, enough for every phase. GPC_ERROR_MEMORY. */
gpc_status gpci_strands_make_room(gpci_strands *strands);
void gpci_strands_share_rooms(gpci_strands *strands);

#endif
