/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_STRANDS_INTERNAL_H
#define GPC_TIMED_STRANDS_INTERNAL_H

#include "level/build/threads_check.h"
#include "timed/strands.h"

/* The inside of strands.h. */

typedef enum gpci_side { GPCI_SIDE_NONE, GPCI_SIDE_BELOW, GPCI_SIDE_ABOVE } gpci_side;

typedef struct gpci_strand {
    gpci_timed view;
    uint64_t *own; /* bitmap of its components */
    int64_t spare; /* packets that it can take, but for those taken and given since the last fold (pool.live) */
    uint32_t sms;  /* of its own */
    uint32_t first_packet, first_flight; /* never used when it was split off */
    uint64_t apart[8];                   /* from the next one's, which another thread changes */
} gpci_strand;

/* Components that are stepped between two meetings of the threads: bits of those; numbers of the first and last. */
typedef struct gpci_strand_phase {
    gpci_side side; /* NONE: those of no strand, by one thread */
    uint64_t *set;
    uint32_t first, last;
} gpci_strand_phase;

#define GPCI_PHASES GPCI_GROUP_COUNT

struct gpci_strands {
    gpci_timed *main; /* whose view the others are */
    gpci_workers *workers;
    gpci_strand *strand; /* [count] */
    uint8_t *of;         /* [components] strand of each; GPCI_NO_STRAND */
    uint64_t *bits;      /* the memory of all bitmaps */
    gpci_wheel **receivers;
    gpci_network_sharing networks[GPCI_GROUP_COUNT];
    gpci_strand_phase phases[GPCI_PHASES];
    const gpci_strand_phase *phase; /* that is run */
    uint32_t count, phase_count;
    uint32_t slot;     /* of the wheel: the cycle's */
    uint32_t least;    /* components of a phase, from which on threads share it */
    bool apart;        /* they do: nothing that is not a strand's may change */
    bool above, below; /* the side is run by one thread, as configured: its policies share what they change */
    bool keep_sms;
    uint64_t shared; /* phases that threads have shared */
};

#define GPCI_NO_STRAND UINT8_MAX
#define GPCI_MOST_STRANDS 128u

/* strands_check.c: which sides can be shared, by the configuration; why not, in `text`. */
void gpci_strands_check(const gpci_timed *t, bool *above, bool *below, char text[GPCI_THREADS_TEXT]);

/* strands_rooms.c: so many packets and flights for each strand, at least, whatever a phase takes. GPC_ERROR_MEMORY. */
gpc_status gpci_strands_make_room(gpci_strands *strands);
void gpci_strands_share_rooms(gpci_strands *strands);

#endif
