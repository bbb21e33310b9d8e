/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_TRANSACTION_H
#define GPC_COHERENCE_TRANSACTION_H

#include "coherence/tree.h"

/*
 * A transaction is written as plain nested calls: a request calls what it causes, and each call returns the point in
 * time at which it is over. States, directories and bytes change on the way; steps.c lists the messages and the
 * writings of states, which at last are the result. Names: T is the module that is asked, R who asks, X one above T
 * that is probed.
 *
 * Example, a load that misses L1, of a block that another L1 has modified:
 *   engine.c   gpc_coherence_access: the first level's rule for LOAD in I is READ_REQUEST
 *   lookup.c     find the block, or make room for it (evict.c: what leaves is handed down by below.c)
 *   request.c    gpci_read_request: R asks T, which may have to ask its own low module first
 *   probe.c        gpci_share: T asks the owners above it, and each of these those above itself
 *   data.c         the bytes come to R; T's directory has R as a sharer
 *   steps.c      gpci_set: R is in the rule's next state; the last step is FINISH
 * Hits of the first level that are nothing out of the ordinary are done by hit.c alone.
 */

/* A point in time: `delay` cycles after a step has ended. `cycle` is when that is on an idle system. */
typedef struct gpci_point {
    uint64_t cycle;
    uint32_t after; /* step; GPC_NO_MESSAGE: the issue of the access */
    uint32_t delay, directory;
    uint8_t looks, memory;
} gpci_point;

/* R asks its low module. */
typedef struct gpci_ask {
    gpci_module *from;
    uint32_t block;    /* of R, that the data are for */
    uint64_t tag;      /* its address */
    uint32_t flags;    /* GPC_ACCESS_, of the access */
    bool valid;        /* R has a copy */
    bool non_coherent; /* for a non-coherent store: R will not be the owner */
} gpci_ask;

typedef struct gpci_answer {
    gpci_point at; /* R has it */
    bool shared;   /* others have copies */
    bool dirty;    /* R was given modified bytes that the module it asked has not */
    bool newer;    /* R's copy, if it had one, was older than what it was given */
} gpci_answer;

/* What a lookup found. */
typedef struct gpci_found {
    uint32_t block; /* GPCI_NO_BLOCK: none, where none is allocated */
    uint8_t state;
    bool hit;
} gpci_found;

/* A probed module's answer, on its way. */
typedef struct gpci_reply {
    gpci_point ready;      /* when it is sent */
    uint64_t processed;    /* when it was decided, before the data were read */
    uint64_t began, comes; /* when it begins to cross its link, and is received: gpci_star_gather */
    uint64_t address;
    uint32_t module, request, bytes;
    uint32_t block;    /* of X */
    uint8_t state;     /* that it was found in */
    bool received;     /* modules above X gave up modified bytes */
    bool sends, data;  /* sends the block; it is modified */
    bool found, keeps; /* X has a copy; and the duty to write back */
    bool peer, masked; /* X sends the block to who asked T; its modified bytes are non-coherent */
} gpci_reply;

/* Steps that something waits for. */
typedef struct gpci_gather {
    uint32_t head, count;
    uint64_t cycle;
} gpci_gather;

#define GPCI_GATHER_INIT \
    { GPC_NO_MESSAGE, 0, 0 }

/* steps.c */
gpci_point gpci_look(const gpc_coherence *c, gpci_module *m, gpci_point at);
gpci_point gpci_use_data(const gpc_coherence *c, gpci_module *m, gpci_point at, bool write);
/* A message between R or X and T, or two modules above T. Its number is the point's `after`. */
gpci_point gpci_send(gpc_coherence *c, const gpci_module *t, gpci_module *from, gpci_module *to, gpc_message_kind kind,
                     uint64_t address, uint32_t bytes, gpci_point at);
/* The same for an answer to message `request`. */
gpci_point gpci_answer_to(gpc_coherence *c, uint32_t request, const gpci_module *t, gpci_module *from, gpci_module *to,
                          gpc_message_kind kind, uint64_t address, uint32_t bytes, gpci_point at);
/* Likewise one whose cycle of arrival is known. */
gpci_point gpci_answer_at(gpc_coherence *c, const gpci_reply *reply, const gpci_module *t, gpci_module *from,
                          gpci_module *to, gpc_message_kind kind);
/* What a message found in its receiver. */
void gpci_message_found(gpc_coherence *c, uint32_t message, const gpci_found *found);
void gpci_gather_add(gpc_coherence *c, gpci_gather *gather, uint32_t message);
/* All of them are there; `start` where there are none. */
gpci_point gpci_gather_end(gpc_coherence *c, const gpci_module *m, gpci_gather *gather, gpci_point start);
/* A step that is no message. */
gpci_point gpci_mark(gpc_coherence *c, const gpci_module *m, gpc_message_kind kind, uint64_t address, gpci_point at);
/* Write a block's state, and count it. */
void gpci_set(gpc_coherence *c, gpci_module *m, uint32_t block, uint64_t tag, uint8_t state, uint32_t origin,
              gpci_point at);
/* The rule of a state and an event; a forbidden one fails the object, and is as one that ignores. */
gpc_protocol_rule gpci_rule(gpc_coherence *c, const gpci_module *m, uint8_t state, gpc_coherence_event event);
/* What must not be has come about: the object fails, for the first reason that is told. */
GPCI_PRINTF(3, 4) void gpci_break(gpc_coherence *c, gpc_status status, const char *format, ...);
/* Let an event have its rule's next state. */
void gpci_apply(gpc_coherence *c, gpci_module *m, uint32_t block, gpc_coherence_event event, uint32_t origin,
                gpci_point at);
/* Order answers by when they are sent, or come. Equal ones keep theirs. */
void gpci_sort_processed(gpci_reply *replies, uint32_t count);
void gpci_sort_ready(gpci_reply *replies, uint32_t count);
void gpci_sort_come(gpci_reply *replies, uint32_t count);

/* lookup.c: find_and_lock of the specification. Up-down: a way is made free on a miss. */
gpci_found gpci_look_up_down(gpc_coherence *c, gpci_module *m, uint64_t address, gpci_point *at);
gpci_found gpci_look_down_up(gpc_coherence *c, gpci_module *m, uint64_t address, gpci_point *at);
/* A replacement policy chose a way that is none. */
void gpci_break_choice(gpc_coherence *c, const gpci_module *m);
/* The second half of the first: a free block for a tag that is not there. */
uint32_t gpci_make_room(gpc_coherence *c, gpci_module *m, uint64_t tag, gpci_point *at);

/* request.c */
gpci_answer gpci_read_request(gpc_coherence *c, const gpci_ask *ask, gpci_point at);
gpci_answer gpci_write_request(gpc_coherence *c, const gpci_ask *ask, gpci_point at);
/* T has no copy: it asks for one itself; `origin`: of its new state. */
gpci_answer gpci_fetch(gpc_coherence *c, gpci_module *t, uint32_t block, uint64_t address, gpc_coherence_event event,
                       uint32_t origin, uint32_t flags, gpci_point at);
/* T's rights, and what it has to answer for, now that what is above it, or its own bytes, is the only copy. */
gpci_answer gpci_take_rights(gpc_coherence *c, gpci_module *t, uint32_t block, uint64_t address, uint32_t flags,
                             gpci_point at);
/* R is no owner any more. */
gpci_point gpci_clear_owner(gpc_coherence *c, gpci_module *r, uint64_t tag, gpci_point at);

/* probe.c */
/*
 * Take a block from the modules above T but `except`, all sub-blocks or those in [first, last]. Modified bytes go to
 * `peer`, where there is one, then counted in `dirty`; otherwise to T. `gather`: what is sent to `peer`.
 */
typedef struct gpci_invalidation {
    uint32_t block;
    const gpci_module *except;
    uint64_t first, last;
    const gpci_ask *peer;
    gpci_gather *gather;
    bool dirty;    /* out: the peer was given modified bytes */
    bool whole;    /* out: the peer was sent the whole block */
    bool received; /* out: T was given modified bytes */
} gpci_invalidation;
gpci_point gpci_invalidate(gpc_coherence *c, gpci_module *t, gpci_invalidation *i, gpci_point at);
/* Ask the owners among those above T for copies: of the block for `ask`, or (NULL) of all of it for T itself. */
typedef struct gpci_sharing {
    uint32_t block;
    const gpci_ask *ask; /* NULL: T is probed itself */
    gpci_gather *gather; /* what is sent to ask->from */
    bool asked;          /* out: somebody was */
    bool data;           /* out: T received modified data */
    bool sent;           /* out: a peer sends the block */
} gpci_sharing;
gpci_point gpci_share(gpc_coherence *c, gpci_module *t, gpci_sharing *s, gpci_point at);

/* evict.c */
gpci_point gpci_evict(gpc_coherence *c, gpci_module *m, uint32_t block, gpci_point at);
/* Modified bytes of a block, which stays, to the low module; the point of its acknowledgement. */
gpci_point gpci_write_back(gpc_coherence *c, gpci_module *m, uint32_t block, gpci_point at);
/* All that is modified in a block was written back: it keeps the rights that are left, E of M, S of O and N. */
void gpci_cleaned(gpc_coherence *c, gpci_module *m, uint32_t block, uint32_t origin, gpci_point at);
/* A directory entry holds no data: what has come to it goes on. */
gpci_point gpci_pass_down(gpc_coherence *c, gpci_module *m, uint32_t block, gpci_point at);
/* An entry of the directory alone gets a way again, and its data. */
uint32_t gpci_promote(gpc_coherence *c, gpci_module *m, uint32_t entry, gpci_point *at);

/* below.c: what a module hands to its low module. */
typedef struct gpci_payload {
    uint64_t address;
    const uint8_t *bytes, *mask; /* NULL: zeroes, all */
    uint32_t size;
} gpci_payload;

typedef struct gpci_gift {
    gpci_payload bytes;
    uint64_t tag; /* of R's block */
    gpc_message_kind kind;
    uint32_t size;     /* of the message */
    uint32_t flags;    /* GPC_ACCESS_ */
    bool non_coherent; /* N_DATA_ABOVE, or DATA_ABOVE */
    bool modified;     /* there are bytes at all: otherwise a notice */
    bool leaves;       /* R has no copy any more */
    bool passing;      /* the store passes R: T may have to pass it, too */
    uint8_t *out;      /* [bytes.size] receives the bytes as they then stand; NULL */
} gpci_gift;
gpci_point gpci_hand_down(gpc_coherence *c, gpci_module *r, const gpci_gift *gift, gpci_point at);
/* A store that leaves no copy in R, where modules know who has copies: T has it as if its own processor had stored. */
gpci_point gpci_store_below(gpc_coherence *c, gpci_module *r, const gpci_gift *gift, gpci_point at);
/* A load that leaves no copy in R: the bytes go to `out`. */
gpci_point gpci_load_below(gpc_coherence *c, gpci_module *r, uint64_t address, uint32_t size, uint8_t *out,
                           uint32_t flags, gpci_point at);

/* data.c: nothing where the tree holds no data. */
/* R's block from T's, but for the bytes that R has modified. */
void gpci_data_fill(gpc_coherence *c, const gpci_module *t, uint32_t t_block, gpci_module *r, uint32_t r_block,
                    uint64_t tag);
/* X's modified bytes into T's block, or memory. */
void gpci_data_merge(gpc_coherence *c, const gpci_module *x, uint32_t x_block, uint64_t tag, gpci_module *t,
                     uint32_t t_block);
/* From one module to another beside it, with blocks of the same size: the modified bytes, and with `whole` all. */
void gpci_data_hand(gpc_coherence *c, const gpci_module *x, uint32_t x_block, gpci_module *r, uint32_t r_block,
                    bool whole, bool modified);
void gpci_data_clean(gpc_coherence *c, gpci_module *m, uint32_t block);
void gpci_data_whole(gpc_coherence *c, gpci_module *m, uint32_t block);
/* These bytes are not modified any more. */
void gpci_data_written(gpc_coherence *c, gpci_module *m, uint32_t block, const gpci_payload *store);
bool gpci_data_dirty(const gpc_coherence *c, const gpci_module *m, uint32_t block);
void gpci_data_store(gpc_coherence *c, gpci_module *m, uint32_t block, const gpci_payload *store);
void gpci_data_load(const gpc_coherence *c, const gpci_module *m, uint32_t block, uint64_t address, uint32_t size,
                    uint8_t *out);

GPCI_INLINE bool gpci_flag(const gpc_coherence *c, uint32_t flag) {
    return (c->protocol->flags & flag) != 0;
}

GPCI_INLINE bool gpci_modified(uint8_t state) {
    return state == GPC_LINE_M || state == GPC_LINE_O || state == GPC_LINE_N;
}

/* Sub-blocks of T, [first, end), that a block of a module above it covers: one at least, as none is smaller. */
typedef struct gpci_span {
    uint32_t first, end;
} gpci_span;

GPCI_INLINE gpci_span gpci_span_of(const gpci_module *t, const gpci_module *r, uint64_t tag) {
    const uint32_t first = gpci_sub_of(t, tag);
    return (gpci_span){first, first + (r->given.block_bytes >> t->sub_shift)};
}

GPCI_INLINE uint64_t gpci_address_of(const gpci_module *t, uint32_t block, uint32_t sub) {
    return t->tags[block] + ((uint64_t)sub << t->sub_shift);
}

GPCI_INLINE bool gpci_has_sharer(const gpci_module *t, uint32_t block, uint32_t sub, uint32_t slot) {
    return gpci_sharers_of(t, block, sub)[slot / 64] >> (slot & 63) & 1;
}

GPCI_INLINE void gpci_drop_owner(const gpci_module *t, uint32_t block, uint32_t sub, uint32_t slot) {
    uint16_t *owner = gpci_owner_of(t, block, sub);
    if (*owner == slot)
        *owner = GPCI_NO_OWNER;
}

GPCI_INLINE void gpci_drop_sharer(gpci_module *t, uint32_t block, uint32_t sub, uint32_t slot) {
    gpci_sharers_of(t, block, sub)[slot / 64] &= ~((uint64_t)1 << (slot & 63));
    gpci_drop_owner(t, block, sub, slot);
}

#endif
