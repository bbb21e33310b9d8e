/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_TRANSACTION_H
#define GPC_COHERENCE_TRANSACTION_H

#include "coherence/sharers.h"

/*
 * A transaction is everything one access of a processor causes in the tree: requests towards memory, probes towards the
 * processors, write-backs and the replies to all of them.
 *
 * It runs as nested calls, depth first: the function for a request calls the functions for the requests and probes it
 * causes, and returns the time at which its reply is received. States, directories and data change during the calls.
 * transaction_steps.c appends every message to a list, and every state change to another; the two lists are the result
 * of the access. Accesses do not interleave: one is complete before the next begins. Hence no block is ever locked and
 * no request is ever refused.
 *
 * Three letters name the modules everywhere in this folder:
 *   R  the requester: sends a request, or a write-back, to the low module
 *   T  R's low module, the target: serves the request and keeps the directory of the modules above it
 *   X  a module above T, other than R, probed by T because T's directory lists a copy in X
 *
 * Example, a load that misses in the L1, of a block modified in another L1:
 *   tree_engine.c          the first level's table says READ_REQUEST for a LOAD in state I
 *   module_lookup.c          the L1 is looked up; its victim leaves (evict.c) and is written back (put.c)
 *   request.c                gpci_tree_read_request: R's read request is received by T, the L2, which has the block
 *   probe.c                    gpci_tree_probe_owners: T sends a read probe to X, the owner; X replies with its data
 *   data.c                     R's block gets the bytes; T's directory lists R as a sharer
 *   transaction_steps.c      gpci_tree_set_state: R's block takes the rule's next state; the last step is FINISH
 * A hit in the first level, the most frequent access, has a fast path: hit.c.
 */

/*
 * A point in time. In the list of steps it is relative: `delay` cycles after the end of step `after`; a host with its
 * own clock schedules the steps by it. `cycle` is the absolute time on otherwise idle modules and networks.
 */
typedef struct gpci_tree_point {
    uint64_t cycle;
    uint32_t after;            /* index of a step; GPC_NO_MESSAGE: the issue of the access */
    uint32_t delay, directory; /* delay: cycles after the end of `after`; directory: part spent in directories */
    uint8_t looks, memory;     /* looks: lookups within `delay`; memory: access within `delay`: 0 no, 1 read, 2 write */
} gpci_tree_point;

/* A read or write request of R. */
typedef struct gpci_tree_request {
    /* R. */
    gpci_module *from;
    uint32_t block; /* block of R: destination of the data */
    uint64_t tag;   /* address of `block` */
    uint32_t flags; /* GPC_ACCESS_ bits of the access */
    bool valid;     /* R has a copy, and requests only write permission */
    /* R has no copy, but requests only write permission: it keeps a store's bytes (gpc_coherence_module.byte_masks). */
    bool blind;
    bool non_coherent;    /* for a non-coherent store: R shares the block without becoming its owner */
    uint8_t event, cause; /* the protocol's own: event at T; event at R that caused the request; 0: the usual */
} gpci_tree_request;

/* Content of T's reply and of replies from peers to R. */
typedef struct gpci_tree_reply {
    gpci_tree_point at; /* R has received the replies */
    bool shared;        /* further modules have copies */
    bool dirty;         /* a peer sent R modified bytes that T does not have */
    bool went_down;     /* gpci_tree_acquire_rights: T sent a write request to its own low module */
    bool newer;         /* R had a copy that lacked bytes of the reply */
} gpci_tree_reply;

/* Result of a lookup. */
typedef struct gpci_tree_lookup {
    uint32_t block; /* GPCI_TREE_NO_BLOCK: not found, and none allocated */
    uint8_t state;  /* I after an allocation */
    bool hit;
} gpci_tree_lookup;

/* A probe, and X's reply while it is prepared. */
typedef struct gpci_tree_probe_reply {
    gpci_tree_point ready; /* X sends the reply */
    uint64_t processed;    /* cycle of X's state change, before the data were read */
    /* link_cycle: first byte on X's link; arrives: T has received it (gpci_tree_star_gather). */
    uint64_t link_cycle, arrives;
    uint64_t address;
    uint32_t module; /* X */
    uint32_t probe;  /* step of the probe */
    uint32_t bytes;  /* size of the reply to T, with header */
    uint32_t block;  /* X's block */
    uint8_t state;   /* found by the probe */
    bool received;   /* modules above X replied with modified bytes */
    bool sends;      /* X replies with the block */
    bool data;       /* the block is modified */
    bool found;      /* X has a copy */
    bool keeps;      /* X remains the owner (state O) */
    bool peer;       /* X sends the block directly to R; T gets an acknowledgement */
    bool masked;     /* modified bytes are non-coherent (state N): only these bytes are valid elsewhere */
} gpci_tree_probe_reply;

/* Steps to wait for together: replies to several probes, or from several modules. */
typedef struct gpci_tree_gather {
    uint32_t head, count; /* a list through gpc_coherence_message.join */
    uint64_t cycle;       /* of the latest */
} gpci_tree_gather;

#define GPCI_TREE_GATHER_INIT \
    { GPC_NO_MESSAGE, 0, 0 }

/* transaction_steps.c */
/* `at` plus the latency of a lookup in m's directory, or of an access to m's data. Both count in m's statistics. */
gpci_tree_point gpci_tree_read_directory(const gpc_coherence *c, gpci_module *m, gpci_tree_point at);
gpci_tree_point gpci_tree_use_data(const gpc_coherence *c, gpci_module *m, gpci_tree_point at, bool write);
/*
 * Send a message of `bytes`, with header, on the network above T: between T and a module above, or between two of those
 * (peers). Returns the time of the receipt; `after` is the message's index.
 */
gpci_tree_point gpci_tree_send(gpc_coherence *c, const gpci_module *t, gpci_module *from, gpci_module *to,
                               gpc_message_kind kind, uint64_t address, uint32_t bytes, gpci_tree_point at);
/* Send a reply to message `request`. */
gpci_tree_point gpci_tree_send_reply(gpc_coherence *c, uint32_t request, const gpci_module *t, gpci_module *from,
                                     gpci_module *to, gpc_message_kind kind, uint64_t address, uint32_t bytes,
                                     gpci_tree_point at);
/* Send a reply whose arrival gpci_tree_star_gather has computed. */
gpci_tree_point gpci_tree_send_reply_at(gpc_coherence *c, const gpci_tree_probe_reply *reply, const gpci_module *t,
                                        gpci_module *from, gpci_module *to, gpc_message_kind kind);
/*
 * gpci_tree_gather_add: wait for a further message. gpci_tree_gather_end: time after the last message; a JOIN step for
 * several messages; without messages, `start`.
 */
void gpci_tree_gather_add(gpc_coherence *c, gpci_tree_gather *gather, uint32_t message);
gpci_tree_point gpci_tree_gather_end(gpc_coherence *c, const gpci_module *m, gpci_tree_gather *gather,
                                     gpci_tree_point start);
/* Count a message's bytes at sender and receiver. `t`: sender, receiver, or the module below. */
void gpci_tree_count_bytes(const gpc_coherence *c, const gpci_module *t, gpci_module *from, gpci_module *to,
                           gpc_message_kind kind, uint32_t bytes);
/* Subtract bytes saved by sharing a packet. */
void gpci_tree_uncount_bytes(const gpci_module *t, gpci_module *from, gpci_module *to, uint32_t bytes);
/* Append a step that is no message: FINISH, EVICTION. */
gpci_tree_point gpci_tree_mark(gpc_coherence *c, const gpci_module *m, gpc_message_kind kind, uint64_t address,
                               gpci_tree_point at);
/* Write a block's state and count a transition from `origin`, even if the state is equal. */
void gpci_tree_set_state(gpc_coherence *c, gpci_module *m, uint32_t block, uint64_t tag, uint8_t state, uint32_t origin,
                         gpci_tree_point at);
/* Protocol's rule for a state and an event. A forbidden event fails the tree and returns IGNORE. */
gpc_protocol_rule gpci_tree_rule(gpc_coherence *c, const gpci_module *m, uint8_t state, uint32_t event);
/*
 * Fail the tree: something impossible happened (a forbidden event, a policy's invalid victim). The transaction runs to
 * the end without meaning; the access and all later ones return the failure. The first failure counts.
 */
GPCI_PRINTF(3, 4) void gpci_tree_fail(gpc_coherence *c, gpc_status status, const char *format, ...);
/* Write the next state of the event's rule, unless IGNORE. */
void gpci_tree_apply(gpc_coherence *c, gpci_module *m, uint32_t block, gpc_coherence_event event, uint32_t origin,
                     gpci_tree_point at);
/* Sort replies by cycle: of the state change, of sending, of arrival. Stable. */
void gpci_tree_sort_processed(gpci_tree_probe_reply *replies, uint32_t count);
void gpci_tree_sort_ready(gpci_tree_probe_reply *replies, uint32_t count);
void gpci_tree_sort_arrived(gpci_tree_probe_reply *replies, uint32_t count);

/*
 * module_lookup.c: look up an address in m. Both functions wait for the directory, count the lookup, and touch the
 * block for replacement. gpci_tree_find_or_allocate, for accesses and requests from above, allocates on a miss: a
 * victim is evicted, and the block is in state I. gpci_tree_find, for write-backs, does not allocate.
 */
gpci_tree_lookup gpci_tree_find_or_allocate(gpc_coherence *c, gpci_module *m, uint64_t address, gpci_tree_point *at);
/* evict.c: true if a listed module above has a copy of any part of a block. */
bool gpci_module_has_sharers(const gpci_module *m, uint32_t block);
/*
 * module_ask.c: lookup for a request for a copy, at a module that asks policies to keep the block. A directory-only
 * entry is then no hit; after the request it is dropped, if the protocol has no directory.
 */
gpci_tree_lookup gpci_tree_find_asking(gpc_coherence *c, gpci_module *m, const gpci_module *r, uint64_t address,
                                       gpci_tree_point *at);
/*
 * True if policies may be asked about R's block: it is absent, or a directory-only entry not owned by another module.
 */
bool gpci_module_may_keep_out(const gpci_module *m, uint32_t block, const gpci_module *r, uint64_t address);
void gpci_tree_forget_entry(gpc_coherence *c, gpci_module *m, uint32_t block, gpci_tree_point at);
gpci_tree_lookup gpci_tree_find(gpc_coherence *c, gpci_module *m, uint64_t address, gpci_tree_point *at);
/* Look up for a probe. */
gpci_tree_lookup gpci_tree_find_probed(gpc_coherence *c, gpci_module *m, uint64_t address, gpci_tree_point *at);
/* Fail the tree: the module's replacement policy chose an invalid way. */
void gpci_tree_fail_victim(gpc_coherence *c, const gpci_module *m);
/* Evict the blocks of another line from a way that is to get `tag`; for modules with lines of several blocks. */
void gpci_tree_evict_line(gpc_coherence *c, gpci_module *m, uint32_t block, uint64_t tag, gpci_tree_point *at);
/* Allocate a block in state I for an absent tag; the victim is evicted. */
uint32_t gpci_tree_allocate(gpc_coherence *c, gpci_module *m, uint64_t tag, gpci_tree_point *at);

/* request.c */
/*
 * R asks T for a copy; gpci_tree_write_request: for the only copy, with write permission. The caller sets R's own
 * state.
 */
gpci_tree_reply gpci_tree_read_request(gpc_coherence *c, const gpci_tree_request *request, gpci_tree_point at);
gpci_tree_reply gpci_tree_write_request(gpc_coherence *c, const gpci_tree_request *request, gpci_tree_point at);
/* T misses on `event` and reads the block from T's low module. The block is then in a valid state. */
gpci_tree_reply gpci_tree_fetch(gpc_coherence *c, gpci_module *t, uint32_t block, uint64_t address, uint32_t event,
                                uint32_t origin, uint32_t flags, gpci_tree_point at);
/*
 * T gets write permission and the matching state, so that a module above, or T itself, may have the only copy in the
 * tree. In a state without permission (S, O, N, I) T sends a write request to its own low module.
 */
gpci_tree_reply gpci_tree_acquire_rights(gpc_coherence *c, gpci_module *t, uint32_t block, uint64_t address,
                                         uint32_t flags, gpci_tree_point at);
/* Variant for a store T performs without the other bytes: requests no bytes. */
gpci_tree_reply gpci_tree_acquire_blindly(gpc_coherence *c, gpci_module *t, uint32_t block, uint64_t address,
                                          uint32_t flags, gpci_tree_point at);
/* T reads the missing bytes of a partial block from its own low module. */
gpci_tree_point gpci_tree_complete(gpc_coherence *c, gpci_module *t, uint32_t block, gpci_tree_point at);
/* Make R a sharer in T's directory, and the owner if there are no other sharers. True if R shares the block. */
bool gpci_tree_add_requester(const gpc_coherence *c, gpci_module *t, uint32_t block, const gpci_tree_request *request,
                             bool shared);
/* Make R the only sharer, and the owner. */
void gpci_tree_make_sole_owner(const gpc_coherence *c, gpci_module *t, uint32_t block,
                               const gpci_tree_request *request);
/* True if T may have bytes that copies above lack. */
bool gpci_tree_has_newer(const gpc_coherence *c, const gpci_module *t, uint32_t block);
/* Remove R as owner of the block in T's directory. */
void gpci_tree_clear_owners(const gpc_coherence *c, gpci_module *t, uint32_t block, const gpci_module *r, uint64_t tag);
/* R informs T that it no longer owns the block: T clears the owner; R remains a sharer. */
gpci_tree_point gpci_tree_clear_owner(gpc_coherence *c, gpci_module *r, uint64_t tag, gpci_tree_point at);

/* fetch.c */
/* Note a block of m about to be read: its neighbours are read after the access. */
typedef struct gpci_tree_wish {
    uint64_t tag;
    uint32_t module;
} gpci_tree_wish;
GPCI_COLD void gpci_tree_wish_for(gpc_coherence *c, const gpci_module *m, uint64_t address);
GPCI_INLINE void gpci_tree_misses(gpc_coherence *c, const gpci_module *m, uint64_t address) {
    if (GPCI_UNLIKELY(m->fetch_mask))
        gpci_tree_wish_for(c, m, address);
}
/* Read the noted neighbours, at the end of the access. */
GPCI_COLD void gpci_tree_grant_wishes(gpc_coherence *c, gpci_tree_point at);
/* True if the current access to `address` of first-level module `asker` will itself fetch a part of m's block. */
bool gpci_tree_is_asked(const gpci_module *asker, uint64_t address, gpci_tree_asks asks, const gpci_module *m,
                        uint64_t tag);
/* Event by which a neighbour arrives: a load in the first level, otherwise a request from above. */
GPCI_INLINE gpc_coherence_event gpci_neighbour_event(const gpci_module *m) {
    return m->above_count ? GPC_EVENT_READ_ABOVE : GPC_EVENT_LOAD;
}
GPCI_INLINE uint32_t gpci_neighbour_origin(const gpci_module *m) {
    return m->above_count ? GPC_ORIGIN_READ_UP_DOWN : GPC_ORIGIN_LOAD_MISS;
}
/* True if m keeps blocks read by that event. */
GPCI_INLINE bool gpci_reads_neighbours(const gpci_module *m) {
    return m->above_count || m->rules[GPC_LINE_I][GPC_EVENT_LOAD].actions & GPC_DO_READ_REQUEST;
}

/* probe.c */
/*
 * Write probes: T invalidates the copies of a block in modules above. Their modified bytes go directly to the
 * requester, if the protocol allows (PEER) and the requester can take them; otherwise to T.
 */
typedef struct gpci_tree_write_probe {
    uint32_t block;                   /* of T */
    const gpci_module *except;        /* module allowed to keep the copy, or NULL */
    uint64_t first, last;             /* only sub-blocks with addresses in [first, last] */
    bool room;                        /* only copies to remove before T's directory can name `except` */
    bool gone;                        /* leave no detached copy */
    uint8_t event;                    /* the protocol's own, at X; 0: WRITE_PROBE */
    const gpci_tree_request *request; /* write request served, or NULL, T keeps all data */
    gpci_tree_gather *gather;         /* collects the messages to the peer */
    bool through_t;                   /* send data to T nevertheless */
    bool dirty;                       /* out: the peer received modified bytes */
    bool whole;                       /* out: the peer received a whole valid block */
    bool received;                    /* out: T received modified bytes */
} gpci_tree_write_probe;
gpci_tree_point gpci_tree_probe_copies(gpc_coherence *c, gpci_module *t, gpci_tree_write_probe *probe,
                                       gpci_tree_point at);
/*
 * Read probes: T asks the owners above for their data, and they lose write permission. With a `request`: only owners of
 * the requested part, and a peer may send the block directly to R. NULL: all owners, all data to T, because T itself
 * was read-probed.
 */
typedef struct gpci_tree_read_probe {
    uint32_t block; /* of T */
    uint8_t event;  /* the protocol's own, at X; 0: READ_PROBE */
    const gpci_tree_request *request;
    gpci_tree_gather *gather; /* collects the messages to request->from */
    bool probed;              /* out: a probe was sent */
    bool data;                /* out: T received modified data */
    bool sent;                /* out: a peer sent the block to R */
} gpci_tree_read_probe;
gpci_tree_point gpci_tree_probe_owners(gpc_coherence *c, gpci_module *t, gpci_tree_read_probe *probe,
                                       gpci_tree_point at);

/* Parts of write and read probes for controllers (controller.h), which send the probes themselves. */
/* Walk over the sharers of T's block; each is removed from the directory when returned. Zero every field except: */
typedef struct gpci_tree_copies {
    uint32_t block;
    const gpci_module *except; /* as in gpci_tree_write_probe, also the next fields */
    uint64_t first, last;
    bool only_owners, room;
    uint32_t module;    /* out: X */
    uint32_t sub, word; /* position of the walk */
    uint64_t bits;
    bool begun;
} gpci_tree_copies;
/* Next sharer; `tag`: of X's block. False: none left. */
bool gpci_tree_next_copy(gpc_coherence *c, gpci_module *t, gpci_tree_copies *copies, uint64_t *tag);
/* X has the block (`module`, `block`, `state`, `received` of the reply) and replies to a write probe. */
void gpci_tree_invalidate_copy(gpc_coherence *c, gpci_module *t, gpci_tree_probe_reply *reply,
                               const gpci_tree_write_probe *probe);
/* Owner of a sub-block, and the tag of the block; true if it must be probed. */
bool gpci_tree_owner_to_probe(const gpc_coherence *c, const gpci_module *t, const gpci_tree_read_probe *probe,
                              uint32_t sub, uint32_t *out_module, uint64_t *out_tag);
/* Sharer to probe if there is no owner, or GPC_NO_MODULE. */
uint32_t gpci_tree_sharer_to_probe(const gpc_coherence *c, const gpci_module *t, const gpci_tree_read_probe *probe);
/* X has `block` and replies to a read probe. `above`: result of probing X's own owners. */
void gpci_tree_reply_to_read_probe(gpc_coherence *c, gpci_module *t, gpci_tree_probe_reply *reply,
                                   const gpci_tree_read_probe *probe, uint32_t block,
                                   const gpci_tree_read_probe *above);
/* Update T's directory after the reply. */
void gpci_tree_update_directory(const gpc_coherence *c, gpci_module *t, uint32_t block,
                                const gpci_tree_probe_reply *reply);

/* evict.c */
/* Remove a block from m: invalidate copies above, write back modified bytes, invalidate the block. */
gpci_tree_point gpci_tree_evict(gpc_coherence *c, gpci_module *m, uint32_t block, gpci_tree_point at);
/* Write a block's modified bytes back to the low module. The block stays with clean bytes and unchanged state. */
gpci_tree_point gpci_tree_write_back(gpc_coherence *c, gpci_module *m, uint32_t block, gpci_tree_point at);
/* Write back by the rule of an event at m. */
gpci_tree_point gpci_tree_write_back_upon(gpc_coherence *c, gpci_module *m, uint32_t block, uint32_t event,
                                          gpci_tree_point at);
/* Set the state of a clean copy after a write-back: E after M, S after O and N. */
void gpci_tree_written_back(gpc_coherence *c, gpci_module *m, uint32_t block, uint32_t origin, gpci_tree_point at);
/*
 * If the block is a directory-only entry (no room for data), write modified bytes it received back to the low module at
 * once. Other blocks are unchanged.
 */
gpci_tree_point gpci_tree_forward_entry(gpc_coherence *c, gpci_module *m, uint32_t block, gpci_tree_point at);
/* True if an eviction leaves the block's entry in the directory, because modules above keep copies. */
bool gpci_tree_keeps_entry(const gpc_coherence *c, const gpci_module *m, uint32_t block);
/* True for a directory-only entry with modified bytes, after a refused write-back. */
bool gpci_tree_entry_holds(const gpc_coherence *c, const gpci_module *m, uint32_t block);
/* Move a block's tag, state, owners and sharers, without data, to another way of the set. */
void gpci_tree_move_entry(gpc_coherence *c, gpci_module *m, uint32_t from, uint32_t to, gpci_tree_point at);
/* Give a directory-only entry a way with data again, read from the low module. Returns the new block. */
uint32_t gpci_tree_promote(gpc_coherence *c, gpci_module *m, uint32_t entry, gpci_tree_point *at);

/*
 * put.c: messages that carry bytes or notices down and ask for nothing: write-backs, notices of evicted clean copies,
 * stores written through. The low module acknowledges.
 */
typedef struct gpci_tree_payload {
    uint64_t address;
    const uint8_t *bytes, *mask; /* bytes: [size]; mask: [(size + 7) / 8] bits of valid bytes; NULL: zeroes, all */
    uint32_t size;
    uint32_t atomic_count;
    gpc_atomic *atomics; /* [atomic_count] instead of bytes: performed once; afterwards the results are stored */
} gpci_tree_payload;

/* True if a store writes m's whole block: nothing must be read, unless by a read-modify-write. */
GPCI_INLINE bool gpci_tree_writes_all(const gpci_module *m, const gpci_tree_payload *store) {
    return store->size == m->given.block_bytes && !store->mask && !store->atomic_count;
}

/* Bytes a request stores. */
GPCI_INLINE gpci_tree_payload gpci_tree_payload_of(const gpc_coherence_request *request) {
    return (gpci_tree_payload){request->address, request->bytes,        request->mask,
                               request->size,    request->atomic_count, request->atomics};
}

typedef struct gpci_tree_put {
    gpci_tree_payload bytes;
    uint64_t tag; /* of R's block */
    gpc_message_kind kind;
    uint32_t size;     /* bytes of the message, with header */
    uint32_t flags;    /* GPC_ACCESS_ bits of the access */
    bool non_coherent; /* event at T: N_DATA_ABOVE if true, otherwise DATA_ABOVE */
    bool modified;     /* carries bytes; false: a notice */
    bool leaves;       /* R's copy is gone: T removes R from the sharers */
    bool blind;        /* a store whose old value is not needed */
    bool passing;      /* a store that bypasses R; by flags also T */
    uint8_t event;     /* the protocol's own, at T; 0: by `non_coherent` */
    uint8_t *out;      /* [bytes.size] receives the bytes after the store; NULL: not needed */
} gpci_tree_put;
gpci_tree_point gpci_tree_send_put(gpc_coherence *c, gpci_module *r, const gpci_tree_put *put, gpci_tree_point at);
/* A store that bypasses R, in a protocol with a directory: T invalidates all copies above and performs the store. */
gpci_tree_point gpci_tree_store_at_low(gpc_coherence *c, gpci_module *r, const gpci_tree_put *put, gpci_tree_point at);
/* A load that bypasses R: `size` bytes come to `out` from T, or from below T if the load bypasses T too. */
gpci_tree_point gpci_tree_load_from_low(gpc_coherence *c, gpci_module *r, uint64_t address, uint32_t size, uint8_t *out,
                                        uint32_t flags, gpci_tree_point at);

/* data.c: bytes and masks of modified bytes. No effect in a tree without data. */
/* Copy T's bytes into R's block, except bytes modified in R. */
void gpci_tree_data_fill(gpc_coherence *c, const gpci_module *t, uint32_t t_block, gpci_module *r, uint32_t r_block,
                         uint64_t tag);
/* Merge X's modified bytes into T's block, or into memory. */
void gpci_tree_data_merge(gpc_coherence *c, const gpci_module *x, uint32_t x_block, uint64_t tag, gpci_module *t,
                          uint32_t t_block);
/*
 * Copy bytes from peer X to R, with blocks of equal size: the modified bytes; with `whole` the others too. `modified`:
 * X's modified bytes become modified in R, because X no longer writes them back.
 */
void gpci_tree_data_transfer(gpc_coherence *c, const gpci_module *x, uint32_t x_block, gpci_module *r, uint32_t r_block,
                             bool whole, bool modified);
/*
 * X replied to a write probe with non-coherently stored bytes, which T merged. If R, an owner, has modified the same
 * bytes (or received them from one), R's are older: they no longer count as modified, so that T's reply replaces them.
 */
void gpci_tree_data_yield(gpc_coherence *c, const gpci_module *x, uint32_t x_block, const gpci_tree_request *request);
/* Exchange the bytes and masks of two blocks of a module. */
void gpci_tree_data_exchange(const gpc_coherence *c, const gpci_module *m, uint32_t a, uint32_t b);
/*
 * Set masks: no byte modified; all modified (_whole); bytes of `store` not modified (_written). gpci_tree_data_dirty:
 * true if a byte is modified.
 */
void gpci_tree_data_clean(gpc_coherence *c, gpci_module *m, uint32_t block);
void gpci_tree_data_whole(gpc_coherence *c, gpci_module *m, uint32_t block);
void gpci_tree_data_written(gpc_coherence *c, gpci_module *m, uint32_t block, const gpci_tree_payload *store);
bool gpci_tree_data_dirty(const gpc_coherence *c, const gpci_module *m, uint32_t block);
/* atomic.c: GPC_ERROR_ARGUMENT with the reason if the atomics of an otherwise valid request are invalid. */
GPCI_COLD gpc_status gpci_tree_atomics_check(const gpc_coherence *c, const char *call,
                                             const gpc_coherence_request *request, gpc_error *error);
/* Mark atomics as not performed. */
GPCI_COLD void gpci_tree_atomics_begin(gpc_atomic *atomics, uint32_t count);

/* True if m keeps a store's bytes for an absent block without the others. `blind`: the old value is not needed. */
GPCI_INLINE bool gpci_tree_takes(const gpci_module *m, bool blind, const gpci_tree_payload *store) {
    return blind && (m->lacks || (m->lazy && gpci_tree_writes_all(m, store)));
}

/*
 * Begin a block without bytes (with byte_masks), then with the bytes of `store` if given. gpci_tree_data_come: the
 * bytes of a store arrive.
 */
void gpci_tree_data_begin(gpci_module *m, uint32_t block, const gpci_tree_payload *store);
void gpci_tree_data_come(gpci_module *m, uint32_t block, const gpci_tree_payload *store);
/* Write a store's bytes into a block, or memory; gpci_tree_data_load: read a load's bytes. */
void gpci_tree_data_store(gpc_coherence *c, gpci_module *m, uint32_t block, const gpci_tree_payload *store);
void gpci_tree_data_load(const gpc_coherence *c, const gpci_module *m, uint32_t block, uint64_t address, uint32_t size,
                         uint8_t *out);

/* If R is the near half of a cache, T also counts R's requests and hits separately. */
GPCI_INLINE void gpci_tree_count_near(gpci_module *t, const gpci_module *r, uint32_t requests, uint32_t hits) {
    if (GPCI_LIKELY(!r->near))
        return;
    t->counts.near_requests += requests;
    t->counts.near_hits += hits;
}

/* True if only a part of the found block is present. A directory entry without a way has no bytes. */
GPCI_INLINE bool gpci_tree_found_part(const gpci_module *t, const gpci_tree_lookup *found) {
    return found->hit && GPCI_UNLIKELY(t->lacks != NULL) && t->states[found->block] != GPC_LINE_I &&
           gpci_module_is_partial(t, found->block);
}

/* Record in a message the result of the lookup at the receiver. */
_Static_assert(GPCI_TREE_NO_BLOCK == GPC_NO_MODULE, "what a message says of a block that is not there");
GPCI_INLINE void gpci_tree_message_found(gpc_coherence *c, uint32_t message, const gpci_tree_lookup *found) {
    c->messages[message].block = found->block;
    c->messages[message].found = found->hit;
}

/*
 * A message from R to the low module T, and T's reply. gpci_tree_open sends it and looks up the block in T; the caller
 * acts; gpci_tree_close sends the reply. Inline, because every request and put is one.
 */
typedef struct gpci_tree_exchange {
    gpci_module *low; /* T */
    uint32_t message; /* index of R's message */
    gpci_tree_lookup found;
} gpci_tree_exchange;

/* `bytes`: of the message, with header. `allocates`: T allocates the block on a miss. */
GPCI_INLINE gpci_tree_exchange gpci_tree_open(gpc_coherence *c, gpci_module *r, gpci_module *t, gpc_message_kind kind,
                                              uint64_t address, uint32_t bytes, bool allocates, gpci_tree_point *at) {
    *at = gpci_tree_send(c, t, r, t, kind, address, bytes, *at);
    gpci_tree_exchange exchange = {.low = t, .message = at->after};
    if (kind == GPC_MESSAGE_READ_REQUEST && allocates && GPCI_UNLIKELY(t->asks))
        exchange.found = gpci_tree_find_asking(c, t, r, address, at);
    else
        exchange.found = allocates ? gpci_tree_find_or_allocate(c, t, address, at) : gpci_tree_find(c, t, address, at);
    gpci_tree_message_found(c, exchange.message, &exchange.found);
    return exchange;
}

/* T's reply: a header and `bytes` of data. */
GPCI_INLINE gpci_tree_point gpci_tree_close(gpc_coherence *c, const gpci_tree_exchange *exchange, gpci_module *r,
                                            gpc_message_kind kind, uint64_t address, uint32_t bytes,
                                            gpci_tree_point at) {
    gpci_module *t = exchange->low;
    return gpci_tree_send_reply(c, exchange->message, t, t, r, kind, address, c->control_bytes + bytes, at);
}

GPCI_INLINE bool gpci_tree_has(const gpc_coherence *c, uint32_t flag) {
    return (c->protocol->flags & flag) != 0;
}

/* tell.c: caches to inform about T's block, without waiting: readers of bytes from `first` to `last`. */
typedef struct gpci_tree_told {
    uint32_t block;
    const gpci_module *except; /* R, sender of the bytes; or NULL */
    uint64_t first, last;
} gpci_tree_told;
void gpci_tree_tell_copies(gpc_coherence *c, gpci_module *t, const gpci_tree_told *told, gpci_tree_point at);
gpci_tree_copies gpci_tree_copies_of(const gpci_module *t, const gpci_tree_told *told);
void gpci_tree_drop_told(gpc_coherence *c, gpci_module *x, uint32_t block, gpci_tree_point at);
/* Inform the caches, if the protocol does so. */
GPCI_INLINE void gpci_tree_tell(gpc_coherence *c, gpci_module *t, const gpci_tree_told *told, gpci_tree_point at) {
    if (GPCI_UNLIKELY(gpci_tree_has(c, GPC_PROTOCOL_INVALIDATES)) && t->sub_blocks)
        gpci_tree_tell_copies(c, t, told, at);
}
/* True if T lists R when R reads a block, to inform R later. */
GPCI_INLINE bool gpci_tree_is_told(const gpc_coherence *c, const gpci_module *r) {
    return gpci_tree_has(c, GPC_PROTOCOL_INVALIDATES) && r->place == GPCI_PLACE_BETWEEN;
}

/* N: modified bytes are sent under a mask. */
GPCI_INLINE bool gpci_tree_is_masked(const gpc_coherence *c, uint8_t state) {
    return (gpci_tree_means(c, state) & GPC_MEANS_NON_COHERENT) != 0;
}

/* True for a state with possible further copies: O, N, S. */
GPCI_INLINE bool gpci_tree_is_shared(const gpc_coherence *c, uint8_t state) {
    return !(gpci_tree_means(c, state) & (GPC_MEANS_ONLY | GPCI_MEANS_I));
}

/* True for O and F, owned but not alone: a transition to such a state keeps the directory's view. */
GPCI_INLINE bool gpci_tree_stays_owner(const gpc_coherence *c, uint8_t state) {
    return (gpci_tree_means(c, state) & (GPC_MEANS_OWNER | GPC_MEANS_ONLY)) == GPC_MEANS_OWNER;
}

/* True if in M and O all bytes of a block may count as modified (GPC_PROTOCOL_WHOLE_BLOCKS). */
GPCI_INLINE bool gpci_tree_is_whole(const gpc_coherence *c, uint8_t state) {
    return (gpci_tree_means(c, state) & (GPC_MEANS_MODIFIED | GPC_MEANS_OWNER)) == GPC_MEANS_O;
}

/*
 * Sub-blocks of T's block, [first, end), covered by a block of R, a module above T. A sub-block has the size of the
 * smallest block above T, so there is at least one.
 *
 * Example: T has blocks of 256 bytes, the modules above it 64 and 128: 4 sub-blocks of 64. R's block of 128 bytes at
 * 0x1080 covers sub-blocks 2 and 3.
 */
typedef struct gpci_tree_span {
    uint32_t first, end;
} gpci_tree_span;

GPCI_INLINE gpci_tree_span gpci_tree_span_of(const gpci_module *t, const gpci_module *r, uint64_t tag) {
    const uint32_t first = gpci_module_sub_of(t, tag);
    return (gpci_tree_span){first, first + (r->given.block_bytes >> t->sub_shift)};
}

GPCI_INLINE uint64_t gpci_tree_address_of(const gpci_module *t, uint32_t block, uint32_t sub) {
    return gpci_module_tag(t, block) + ((uint64_t)sub << t->sub_shift);
}

GPCI_INLINE bool gpci_tree_has_sharer(const gpci_module *t, uint32_t block, uint32_t sub, uint32_t slot) {
    return gpci_sharers_word(t, block, sub, slot / GPCI_SHARERS) >> slot % GPCI_SHARERS & 1;
}

GPCI_INLINE void gpci_tree_drop_owner(const gpci_module *t, uint32_t block, uint32_t sub, uint32_t slot) {
    if (gpci_module_owner_of(t, block, sub) == slot)
        gpci_module_set_owner(t, block, sub, GPCI_TREE_NO_OWNER);
}

/* Remove a listed sharer without copy, also from a wide entry: the sharer was probed, and the rest will be. */
GPCI_INLINE void gpci_tree_remove_sharer(gpci_module *t, uint32_t block, uint32_t sub, uint32_t slot) {
    gpci_tree_drop_owner(t, block, sub, slot); /* first, because the code may name the owner */
    gpci_sharers_remove(t, block, sub, slot);
}

/*
 * directory.c: entries that cannot name all copies.
 * gpci_directory_is_exact: true if the entry names exactly the existing copies. If false, it is unknown which copies
 * are gone.
 */
bool gpci_directory_is_exact(const gpci_module *t, uint32_t block, uint32_t sub);
/* Add a sharer. If sharers exceed the pointers, the entry is extended to groups. */
void gpci_directory_add(const gpc_coherence *c, gpci_module *t, uint32_t block, uint32_t sub, uint32_t slot);
/* Place of the sharer to invalidate before R's copy can be named, or GPC_NO_MODULE. */
uint32_t gpci_directory_leaver(const gpc_coherence *c, const gpci_module *t, uint32_t block, uint32_t sub,
                               const gpci_module *r);
/* True if R's request needs an invalidation for room at a sub-block. */
bool gpci_directory_lacks_room(const gpc_coherence *c, const gpci_module *t, uint32_t block, const gpci_module *r,
                               uint64_t tag);

/* A copy is gone: remove it from the entry, if the entry is exact. */
GPCI_INLINE void gpci_tree_drop_sharer(gpci_module *t, uint32_t block, uint32_t sub, uint32_t slot) {
    if (GPCI_LIKELY(!t->pointers) || gpci_directory_is_exact(t, block, sub))
        gpci_tree_remove_sharer(t, block, sub, slot);
    else
        gpci_tree_drop_owner(t, block, sub, slot);
}

/* True if sharers may send the block to a requester of a copy. A directory knows sharers, but not their states. */
GPCI_INLINE bool gpci_tree_sharers_send(const gpc_coherence *c, const gpc_protocol_rule (*rules)[GPC_EVENT_COUNT]) {
    bool sends = rules[GPC_LINE_S][GPC_EVENT_READ_PROBE].actions & GPC_DO_SEND_DATA;
    for (uint32_t i = GPC_LINE_COUNT; i < c->states; i++)
        sends |=
            gpci_tree_means(c, (uint8_t)i) == GPC_MEANS_S && rules[i][GPC_EVENT_READ_PROBE].actions & GPC_DO_SEND_DATA;
    return sends;
}

#endif
