/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_TRANSACTION_H
#define GPC_COHERENCE_TRANSACTION_H

#include "coherence/tree.h"

/*
 * A transaction is all that one access of a processor causes in the tree: requests towards memory, probes towards the
 * processors, write-backs. It is written as nested calls: the function of a request calls the functions of the requests
 * and probes that it causes, and each returns the point in time at which its part is over. States, directories and data
 * change as the calls are made; transaction_steps.c records every message and every change of a state, and these lists
 * are the transaction's result.
 *
 * Three modules have the same names everywhere: R sends a request, T is R's low module, which receives it, and X is a
 * module above T that T probes.
 *
 * Example, a load that misses L1, of a block that another L1 has modified:
 *   tree_engine.c        gpc_coherence_access: the table of the first level says READ_REQUEST for a LOAD in I
 *   module_lookup.c        look the block up; it is not there, so a way is made free (evict.c; put.c writes back)
 *   request.c              gpci_tree_read_request: R's request arrives at T, which may have to ask its own low module
 *   probe.c                  gpci_tree_probe_owners: T probes the owner above it, which sends its modified bytes
 *   data.c                   R's block is filled; R is a sharer in T's directory
 *   transaction_steps.c    gpci_tree_set_state: R takes the rule's next state; the last step is FINISH
 * hit.c does the most frequent accesses, plain hits of the first level, without all this.
 */

/* A point in time: `delay` cycles after a step has ended. `cycle` is when that is on an idle system. */
typedef struct gpci_tree_point {
    uint64_t cycle;
    uint32_t after; /* step; GPC_NO_MESSAGE: the issue of the access */
    uint32_t delay, directory;
    uint8_t looks, memory;
} gpci_tree_point;

/* What R asks its low module for. */
typedef struct gpci_tree_request {
    gpci_module *from;
    uint32_t block;    /* of R, that the data are for */
    uint64_t tag;      /* its address */
    uint32_t flags;    /* GPC_ACCESS_, of the access */
    bool valid;        /* R has a copy */
    bool non_coherent; /* for a non-coherent store: R will not be the owner */
} gpci_tree_request;

typedef struct gpci_tree_reply {
    gpci_tree_point at; /* R has it */
    bool shared;        /* others have copies */
    bool dirty;         /* R was given modified bytes that the module it asked has not */
    bool asked;         /* of acquire_rights: T had to ask its own low module */
    bool newer;         /* R's copy, if it had one, was older than what it was given */
} gpci_tree_reply;

/* What a lookup found. */
typedef struct gpci_tree_lookup {
    uint32_t block; /* GPCI_TREE_NO_BLOCK: none, where none is allocated */
    uint8_t state;
    bool hit;
} gpci_tree_lookup;

/* A probed module's answer, on its way. */
typedef struct gpci_tree_probe_reply {
    gpci_tree_point ready; /* when it is sent */
    uint64_t processed;    /* when it was decided, before the data were read */
    uint64_t began, comes; /* when it begins to cross its link, and is received: gpci_tree_star_gather */
    uint64_t address;
    uint32_t module, request, bytes;
    uint32_t block;    /* of X */
    uint8_t state;     /* that it was found in */
    bool received;     /* modules above X gave up modified bytes */
    bool sends, data;  /* sends the block; it is modified */
    bool found, keeps; /* X has a copy; and the duty to write back */
    bool peer, masked; /* X sends the block to who asked T; its modified bytes are non-coherent */
} gpci_tree_probe_reply;

/* Steps that something waits for. */
typedef struct gpci_tree_gather {
    uint32_t head, count;
    uint64_t cycle;
} gpci_tree_gather;

#define GPCI_TREE_GATHER_INIT \
    { GPC_NO_MESSAGE, 0, 0 }

/* transaction_steps.c */
gpci_tree_point gpci_tree_read_directory(const gpc_coherence *c, gpci_module *m, gpci_tree_point at);
gpci_tree_point gpci_tree_use_data(const gpc_coherence *c, gpci_module *m, gpci_tree_point at, bool write);
/* A message between R or X and T, or two modules above T. Its number is the point's `after`. */
gpci_tree_point gpci_tree_send(gpc_coherence *c, const gpci_module *t, gpci_module *from, gpci_module *to,
                               gpc_message_kind kind, uint64_t address, uint32_t bytes, gpci_tree_point at);
/* The same for an answer to message `request`. */
gpci_tree_point gpci_tree_send_reply(gpc_coherence *c, uint32_t request, const gpci_module *t, gpci_module *from,
                                     gpci_module *to, gpc_message_kind kind, uint64_t address, uint32_t bytes,
                                     gpci_tree_point at);
/* Likewise one whose cycle of arrival is known. */
gpci_tree_point gpci_tree_send_reply_at(gpc_coherence *c, const gpci_tree_probe_reply *reply, const gpci_module *t,
                                        gpci_module *from, gpci_module *to, gpc_message_kind kind);
void gpci_tree_gather_add(gpc_coherence *c, gpci_tree_gather *gather, uint32_t message);
/* All of them are there; `start` where there are none. */
gpci_tree_point gpci_tree_gather_end(gpc_coherence *c, const gpci_module *m, gpci_tree_gather *gather,
                                     gpci_tree_point start);
/* A step that is no message. */
gpci_tree_point gpci_tree_mark(gpc_coherence *c, const gpci_module *m, gpc_message_kind kind, uint64_t address,
                               gpci_tree_point at);
/* Write a block's state, and count it. */
void gpci_tree_set_state(gpc_coherence *c, gpci_module *m, uint32_t block, uint64_t tag, uint8_t state, uint32_t origin,
                         gpci_tree_point at);
/* The rule of a state and an event; a forbidden one fails the object, and is as one that ignores. */
gpc_protocol_rule gpci_tree_rule(gpc_coherence *c, const gpci_module *m, uint8_t state, gpc_coherence_event event);
/* A state or event that the protocol excludes was reached: the tree fails, for the first reason that is given. */
GPCI_PRINTF(3, 4) void gpci_tree_fail(gpc_coherence *c, gpc_status status, const char *format, ...);
/* Take the next state of the rule for this event. */
void gpci_tree_apply(gpc_coherence *c, gpci_module *m, uint32_t block, gpc_coherence_event event, uint32_t origin,
                     gpci_tree_point at);
/* Order answers by when they are sent, or come. Equal ones keep theirs. */
void gpci_tree_sort_processed(gpci_tree_probe_reply *replies, uint32_t count);
void gpci_tree_sort_ready(gpci_tree_probe_reply *replies, uint32_t count);
void gpci_tree_sort_arrived(gpci_tree_probe_reply *replies, uint32_t count);

/* module_lookup.c: find_and_lock of the specification. The first makes a way free on a miss (its up-down requests). */
gpci_tree_lookup gpci_tree_find_or_allocate(gpc_coherence *c, gpci_module *m, uint64_t address, gpci_tree_point *at);
gpci_tree_lookup gpci_tree_find(gpc_coherence *c, gpci_module *m, uint64_t address, gpci_tree_point *at);
/* A replacement policy chose a way that is none. */
void gpci_tree_fail_victim(gpc_coherence *c, const gpci_module *m);
/* The way made free: a block for a tag that is not there, after the eviction of what was in it. */
uint32_t gpci_tree_allocate(gpc_coherence *c, gpci_module *m, uint64_t tag, gpci_tree_point *at);

/* request.c */
gpci_tree_reply gpci_tree_read_request(gpc_coherence *c, const gpci_tree_request *ask, gpci_tree_point at);
gpci_tree_reply gpci_tree_write_request(gpc_coherence *c, const gpci_tree_request *ask, gpci_tree_point at);
/* T has no copy: it asks for one itself; `origin`: of its new state. */
gpci_tree_reply gpci_tree_fetch(gpc_coherence *c, gpci_module *t, uint32_t block, uint64_t address,
                                gpc_coherence_event event, uint32_t origin, uint32_t flags, gpci_tree_point at);
/* T gets the rights that a write needs, from its own low module where it has not got them, and the state that goes with
 * them: what is above T, or T's own block, is to be the only copy. */
gpci_tree_reply gpci_tree_acquire_rights(gpc_coherence *c, gpci_module *t, uint32_t block, uint64_t address,
                                         uint32_t flags, gpci_tree_point at);
/* R is no owner any more. */
gpci_tree_point gpci_tree_clear_owner(gpc_coherence *c, gpci_module *r, uint64_t tag, gpci_tree_point at);

/* probe.c */
/*
 * Take a block from the modules above T but `except`, all sub-blocks or those in [first, last]. Modified bytes go to
 * `peer`, where there is one, then counted in `dirty`; otherwise to T. `gather`: what is sent to `peer`.
 */
typedef struct gpci_tree_write_probe {
    uint32_t block;
    const gpci_module *except;
    uint64_t first, last;
    const gpci_tree_request *peer;
    gpci_tree_gather *gather;
    bool dirty;    /* out: the peer was given modified bytes */
    bool whole;    /* out: the peer was sent the whole block */
    bool received; /* out: T was given modified bytes */
} gpci_tree_write_probe;
gpci_tree_point gpci_tree_probe_copies(gpc_coherence *c, gpci_module *t, gpci_tree_write_probe *i, gpci_tree_point at);
/* Ask the owners among those above T for copies: of the block for `ask`, or (NULL) of all of it for T itself. */
typedef struct gpci_tree_read_probe {
    uint32_t block;
    const gpci_tree_request *ask; /* NULL: T is probed itself */
    gpci_tree_gather *gather;     /* what is sent to ask->from */
    bool asked;                   /* out: somebody was */
    bool data;                    /* out: T received modified data */
    bool sent;                    /* out: a peer sends the block */
} gpci_tree_read_probe;
gpci_tree_point gpci_tree_probe_owners(gpc_coherence *c, gpci_module *t, gpci_tree_read_probe *s, gpci_tree_point at);

/* evict.c */
gpci_tree_point gpci_tree_evict(gpc_coherence *c, gpci_module *m, uint32_t block, gpci_tree_point at);
/* Modified bytes of a block, which stays, to the low module; the point of its acknowledgement. */
gpci_tree_point gpci_tree_write_back(gpc_coherence *c, gpci_module *m, uint32_t block, gpci_tree_point at);
/* All modified bytes of a block were written back: its state is that of a clean copy, E after M, S after O and N. */
void gpci_tree_written_back(gpc_coherence *c, gpci_module *m, uint32_t block, uint32_t origin, gpci_tree_point at);
/* An entry of the directory alone has no room for data: modified bytes that were written to it go on to memory. */
gpci_tree_point gpci_tree_forward_entry(gpc_coherence *c, gpci_module *m, uint32_t block, gpci_tree_point at);
/* An entry of the directory alone gets a way again, and its data. */
uint32_t gpci_tree_promote(gpc_coherence *c, gpci_module *m, uint32_t entry, gpci_tree_point *at);

/* put.c: what a module sends to its low module without asking for anything. */
typedef struct gpci_tree_payload {
    uint64_t address;
    const uint8_t *bytes, *mask; /* NULL: zeroes, all */
    uint32_t size;
} gpci_tree_payload;

typedef struct gpci_tree_put {
    gpci_tree_payload bytes;
    uint64_t tag; /* of R's block */
    gpc_message_kind kind;
    uint32_t size;     /* of the message */
    uint32_t flags;    /* GPC_ACCESS_ */
    bool non_coherent; /* N_DATA_ABOVE, or DATA_ABOVE */
    bool modified;     /* there are bytes at all: otherwise a notice */
    bool leaves;       /* R has no copy any more */
    bool passing;      /* the store bypasses R, and T too where its flags say so */
    uint8_t *out;      /* [bytes.size] receives the bytes as they then stand; NULL */
} gpci_tree_put;
gpci_tree_point gpci_tree_send_put(gpc_coherence *c, gpci_module *r, const gpci_tree_put *put, gpci_tree_point at);
/* A store that leaves no copy in R, of a protocol with a directory: T performs it as a store of its own. */
gpci_tree_point gpci_tree_store_at_low(gpc_coherence *c, gpci_module *r, const gpci_tree_put *put, gpci_tree_point at);
/* A load that leaves no copy in R: T, or a module below it, sends the bytes, which go to `out`. */
gpci_tree_point gpci_tree_load_from_low(gpc_coherence *c, gpci_module *r, uint64_t address, uint32_t size, uint8_t *out,
                                        uint32_t flags, gpci_tree_point at);

/* data.c: nothing where the tree holds no data. */
/* R's block from T's, but for the bytes that R has modified. */
void gpci_tree_data_fill(gpc_coherence *c, const gpci_module *t, uint32_t t_block, gpci_module *r, uint32_t r_block,
                         uint64_t tag);
/* X's modified bytes into T's block, or memory. */
void gpci_tree_data_merge(gpc_coherence *c, const gpci_module *x, uint32_t x_block, uint64_t tag, gpci_module *t,
                          uint32_t t_block);
/* From a peer to R, whose blocks have the same size: the modified bytes, and with `whole` all. */
void gpci_tree_data_transfer(gpc_coherence *c, const gpci_module *x, uint32_t x_block, gpci_module *r, uint32_t r_block,
                             bool whole, bool modified);
void gpci_tree_data_clean(gpc_coherence *c, gpci_module *m, uint32_t block);
void gpci_tree_data_whole(gpc_coherence *c, gpci_module *m, uint32_t block);
/* These bytes are not modified any more. */
void gpci_tree_data_written(gpc_coherence *c, gpci_module *m, uint32_t block, const gpci_tree_payload *store);
bool gpci_tree_data_dirty(const gpc_coherence *c, const gpci_module *m, uint32_t block);
void gpci_tree_data_store(gpc_coherence *c, gpci_module *m, uint32_t block, const gpci_tree_payload *store);
void gpci_tree_data_load(const gpc_coherence *c, const gpci_module *m, uint32_t block, uint64_t address, uint32_t size,
                         uint8_t *out);

/* Note in a message what its receiver found. */
_Static_assert(GPCI_TREE_NO_BLOCK == GPC_NO_MODULE, "what a message says of a block that is not there");
GPCI_INLINE void gpci_tree_message_found(gpc_coherence *c, uint32_t message, const gpci_tree_lookup *found) {
    c->messages[message].block = found->block;
    c->messages[message].found = found->hit;
}

/*
 * A module R and its low module T, which it sends a message that T answers. Opened, T has the message and has looked the
 * block up; closed, R has the answer. In line: every request and every put is one.
 */
typedef struct gpci_tree_exchange {
    gpci_module *low; /* T */
    uint32_t message; /* R's */
    gpci_tree_lookup found;
} gpci_tree_exchange;

/* `bytes`: of the message. `allocates`: T makes room for the block where it has not got it. */
GPCI_INLINE gpci_tree_exchange gpci_tree_open(gpc_coherence *c, gpci_module *r, gpci_module *t, gpc_message_kind kind,
                                              uint64_t address, uint32_t bytes, bool allocates, gpci_tree_point *at) {
    *at = gpci_tree_send(c, t, r, t, kind, address, bytes, *at);
    gpci_tree_exchange exchange = {.low = t, .message = at->after};
    exchange.found = allocates ? gpci_tree_find_or_allocate(c, t, address, at) : gpci_tree_find(c, t, address, at);
    gpci_tree_message_found(c, exchange.message, &exchange.found);
    return exchange;
}

/* T's answer, of the message's header and `bytes` of data. */
GPCI_INLINE gpci_tree_point gpci_tree_close(gpc_coherence *c, const gpci_tree_exchange *exchange, gpci_module *r,
                                            gpc_message_kind kind, uint64_t address, uint32_t bytes,
                                            gpci_tree_point at) {
    gpci_module *t = exchange->low;
    return gpci_tree_send_reply(c, exchange->message, t, t, r, kind, address, c->control_bytes + bytes, at);
}

GPCI_INLINE bool gpci_tree_has(const gpc_coherence *c, uint32_t flag) {
    return (c->protocol->flags & flag) != 0;
}

GPCI_INLINE bool gpci_tree_is_modified(uint8_t state) {
    return state == GPC_LINE_M || state == GPC_LINE_O || state == GPC_LINE_N;
}

/* Sub-blocks of T, [first, end), that a block of a module above it covers: one at least, as none is smaller. */
typedef struct gpci_tree_span {
    uint32_t first, end;
} gpci_tree_span;

GPCI_INLINE gpci_tree_span gpci_tree_span_of(const gpci_module *t, const gpci_module *r, uint64_t tag) {
    const uint32_t first = gpci_module_sub_of(t, tag);
    return (gpci_tree_span){first, first + (r->given.block_bytes >> t->sub_shift)};
}

GPCI_INLINE uint64_t gpci_tree_address_of(const gpci_module *t, uint32_t block, uint32_t sub) {
    return t->tags[block] + ((uint64_t)sub << t->sub_shift);
}

GPCI_INLINE bool gpci_tree_has_sharer(const gpci_module *t, uint32_t block, uint32_t sub, uint32_t slot) {
    return gpci_module_sharers_of(t, block, sub)[slot / 64] >> (slot & 63) & 1;
}

GPCI_INLINE void gpci_tree_drop_owner(const gpci_module *t, uint32_t block, uint32_t sub, uint32_t slot) {
    uint16_t *owner = gpci_module_owner_of(t, block, sub);
    if (*owner == slot)
        *owner = GPCI_TREE_NO_OWNER;
}

GPCI_INLINE void gpci_tree_drop_sharer(gpci_module *t, uint32_t block, uint32_t sub, uint32_t slot) {
    gpci_module_sharers_of(t, block, sub)[slot / 64] &= ~((uint64_t)1 << (slot & 63));
    gpci_tree_drop_owner(t, block, sub, slot);
}

#endif
