/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_COMBINE_H
#define GPC_TIMED_COMBINE_H

#include "timed/core/timed.h"

/*
 * Combining of requests that leave L1. Requests of a warp instruction wait for the next instruction: requests of
 * the next instruction for the same lines join them. Per scheduler of the SM, the lines of the last instruction wait,
 * together at most l1.combine_lines. A read joins a read of the line and scheduler; a store joins a store of any
 * scheduler. A request leaves when its scheduler brings another line, when all places are taken and the request has
 * waited longest, or when no request has come for l1.combine_cycles.
 *
 * Example, the naive transpose: a warp stores two words into each of 16 sectors, 16 lines; the next warp two more words
 * into each. If that warp comes next, 16 requests go to L2 instead of 32; if a warp of another block comes between, 32.
 *
 * With l1.combine_stores = buffer, a scheduler's next lines do not release stores: they wait in a write-combining
 * buffer of l1.combine_lines lines; the oldest makes room for a new one.
 *
 * Atomics, writes of fences and write-backs of L1 do not wait, and release all waiting requests first.
 */
typedef enum gpci_combine_kind {
    GPCI_COMBINE_READ = 0,    /* L1 keeps the line: joins requests of its own scheduler */
    GPCI_COMBINE_PASSING = 1, /* L1 does not keep the line: joins requests of its own scheduler */
    GPCI_COMBINE_WRITE = 2    /* a store: joins requests of any scheduler */
} gpci_combine_kind;

typedef struct gpci_combine_slot {
    uint64_t line;
    uint64_t order;        /* order among all waiting requests */
    uint32_t packet, word; /* word: for L2's predictor */
    uint32_t group;        /* gpci_combine_unit.group of the last request for the line */
    uint32_t delay;        /* core cycles from the release to the miss queue */
    uint8_t kind;          /* gpci_combine_kind */
} gpci_combine_slot;

typedef struct gpci_combine_unit {
    uint64_t issued;   /* core cycle of the last instruction */
    uint32_t inflight; /* in-flight access of the last instruction; a later instruction may have the same number */
    uint32_t group; /* number of the present group; an instruction of more than `capacity` lines has several groups */
    uint32_t in_group, count; /* in_group: requests so far in the present group. count: waiting requests */
    uint32_t cleared;         /* group at the last release: no older group waits, apart from buffered stores */
    uint32_t reserved;
} gpci_combine_unit;

typedef struct gpci_combine {
    uint32_t units_count, capacity; /* units_count: schedulers; capacity: lines */
    uint32_t patience;              /* core cycles without a request, after which all requests leave */
    bool buffers;                   /* stores wait in a buffer */
    gpci_combine_unit *units;       /* [units_count] */
    gpci_combine_slot *slots;       /* [units_count][capacity] */
    /* state */
    uint64_t last;   /* core cycle of the latest request */
    uint64_t joined; /* combined requests, since the last reset */
    uint64_t held;   /* packets that have waited */
    uint32_t open;   /* waiting requests of all units, at most `capacity` */
    uint32_t stores; /* stores among them */
} gpci_combine;

/* A request that may be combined. */
typedef struct gpci_combine_asked {
    uint64_t line;
    uint32_t warp, inflight; /* in-flight access of the instruction */
    uint32_t word;           /* word for L2's predictor */
    gpci_combine_kind kind;
} gpci_combine_asked;

/*
 * Find a waiting packet that a request may join. Returns the packet, which the caller joins; or GPCI_NO_PACKET: the
 * caller then lets the request's packet wait, by gpci_combine_hold. `cycles`: from the release to the miss queue.
 */
uint32_t gpci_combine_find(gpci_timed *timed, gpci_ctrl *ctrl, const gpci_combine_asked *asked);
void gpci_combine_hold(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, gpci_combine_kind kind, uint32_t cycles);
/* Count a read that has joined a waiting packet. */
void gpci_combine_count(gpci_ctrl *ctrl);
/* Let store `packet` join the waiting store `mshr_entry`; the two stores complete together. */
void gpci_combine_join(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t mshr_entry, uint32_t packet);
/* Complete the stores that joined a completed store. */
void gpci_combine_done(gpci_timed *timed, gpci_ctrl *ctrl, gpci_packet *mshr_entry);
/* Release all waiting requests into the miss queue. */
void gpci_combine_flush(gpci_timed *timed, gpci_ctrl *ctrl);

#endif
