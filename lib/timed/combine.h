/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_COMBINE_H
#define GPC_TIMED_COMBINE_H

#include "timed/timed.h"

/*
 * Where requests leave L1, those that a warp instruction has just made wait for the next one, and what that asks of the
 * same lines goes with them. Each scheduler of the SM has its last instruction's lines wait, all of them together as
 * many as l1.combine_lines; a read joins the one of its line and scheduler, a store that of any scheduler. A request
 * leaves when its scheduler comes with another line, when another one needs its place and it has waited longest, or
 * when for l1.combine_cycles none has come at all.
 *
 * Example, the naive transpose: a warp stores two words into each of 16 sectors, 16 lines; the next warp two more words
 * into each. If that comes next, 16 requests go to L2, not 32; if another block's comes between, 32.
 *
 * With l1.combine_stores = buffer stores are not let go by their scheduler's next lines: they wait in a write-combining
 * buffer of l1.combine_lines lines, the oldest of which makes room for another.
 *
 * Atomics, what fences write and what L1 writes back do not wait, and let go before them all that does.
 */
typedef enum gpci_combine_kind {
    GPCI_COMBINE_READ = 0,    /* for L1 to keep: joins those of its own scheduler, */
    GPCI_COMBINE_PASSING = 1, /* and not: likewise */
    GPCI_COMBINE_WRITE = 2    /* a store: joins those of any */
} gpci_combine_kind;

typedef struct gpci_combine_slot {
    uint64_t line;
    uint64_t order;        /* of all that have waited */
    uint32_t packet, word; /* word: what it tells L2's predictor */
    uint32_t turn;         /* of the instruction that used it last */
    uint32_t delay;        /* core cycles to the miss queue */
    uint8_t kind;          /* gpci_combine_kind */
} gpci_combine_slot;

typedef struct gpci_combine_unit {
    uint64_t issued; /* core cycle of its last instruction, */
    uint32_t flight; /* whose number later ones have again: which, depends on who else has ended */
    uint32_t turn;   /* its number, or of its part: an instruction of more lines has several */
    uint32_t in_turn, count;
    uint32_t cleared; /* the turn for which all others have left */
    uint32_t reserved;
} gpci_combine_unit;

typedef struct gpci_combine {
    uint64_t last;              /* core cycle of the latest request */
    uint64_t joined;            /* requests, since they are counted */
    uint64_t held;              /* packets that have waited */
    uint32_t open;              /* that wait, of all units, at most room */
    uint32_t units_count, room; /* schedulers; lines */
    uint32_t patience;          /* core cycles */
    bool buffers;               /* stores */
    gpci_combine_unit *units;   /* [units_count] */
    gpci_combine_slot *slots;   /* [units_count][room] */
} gpci_combine;

/* None where l1.combine_lines is 0. GPC_ERROR_MEMORY. */
gpc_status gpci_combine_create(gpci_timed *t, gpci_stage *stage);
void gpci_combine_destroy(gpci_timed *t, gpci_stage *stage);
void gpci_combine_state(gpci_combine *combine, gpci_state_fn visit, void *user_data);

/* What is asked of a request that may go with others. */
typedef struct gpci_combine_asked {
    uint64_t line;
    uint32_t warp, flight; /* its instruction */
    uint32_t word;         /* that it tells L2's predictor */
    gpci_combine_kind kind;
} gpci_combine_asked;

/*
 * A request is to be combined. Returns the packet that waits for its line, which is to take it along; GPCI_NO_PACKET:
 * there is none, and gpci_combine_hold is to follow with its own, which takes `cycles` into the miss queue once it
 * leaves.
 */
uint32_t gpci_combine_find(gpci_timed *t, gpci_stage *stage, const gpci_combine_asked *asked);
void gpci_combine_hold(gpci_timed *t, gpci_stage *stage, uint32_t packet, gpci_combine_kind kind, uint32_t cycles);
/* A store goes with one that waits, and is done when that is. */
void gpci_combine_join(gpci_timed *t, gpci_stage *stage, uint32_t leader, uint32_t packet);
/* Such a one is done: so are those that went with it. */
void gpci_combine_done(gpci_timed *t, gpci_stage *stage, gpci_packet *leader);
/* All that waits leaves, into the miss queue. */
void gpci_combine_flush(gpci_timed *t, gpci_stage *stage);
/* The same if none has come for long enough; else L1 is stepped when that will be so. */
void gpci_combine_step(gpci_timed *t, gpci_stage *stage);

#endif
