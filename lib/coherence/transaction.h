/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_TRANSACTION_H
#define GPC_COHERENCE_TRANSACTION_H

#include "coherence/sharers.h"

/*
 * A transaction is everything that one access of a processor causes in the tree: requests towards memory, probes
 * towards the processors, write-backs and the replies to all of them.
 *
 * It is executed as nested calls, depth first: the function that handles a request calls the functions of the requests
 * and probes that this one causes, and returns the point in time at which its reply is received. States, directories
 * and data change while the calls are made. transaction_steps.c appends every message to a list, and every change of a
 * state to another; the two lists are the result of the access. Nothing happens in between: one access is complete
 * before the next begins, and so no block is ever locked and no request is ever refused.
 *
 * Three letters name the modules everywhere in this folder:
 *   R  the requester: it sends a request, or a write-back, to its low module
 *   T  R's low module, the target: it serves the request and keeps the directory of the modules above it
 *   X  a module above T, other than R, that T probes because its directory says that X has a copy
 *
 * Example, a load that misses in its L1, of a block that another L1 has modified:
 *   tree_engine.c          the first level's table says READ_REQUEST for a LOAD in state I
 *   module_lookup.c          the L1 is looked up; its victim leaves (evict.c) and is written back (put.c)
 *   request.c                gpci_tree_read_request: R's read request is received by T, the L2, which has the block
 *   probe.c                    gpci_tree_probe_owners: T sends a read probe to X, the owner; X replies with its data
 *   data.c                     R's block gets the bytes; T's directory lists R as a sharer
 *   transaction_steps.c      gpci_tree_set_state: R's block takes the rule's next state; the last step is FINISH
 * A hit in the first level, the most frequent access, takes a short cut: hit.c.
 */

/*
 * A point in time. In the list of steps it is relative: `delay` cycles after the end of step `after`. A host with a
 * clock of its own schedules the steps by that. `cycle` is the absolute time where nothing else uses modules and
 * networks.
 */
typedef struct gpci_tree_point {
    uint64_t cycle;
    uint32_t after;            /* index of a step; GPC_NO_MESSAGE: the issue of the access */
    uint32_t delay, directory; /* cycles after its end; those of them that are spent in directories */
    uint8_t looks, memory;     /* lookups within `delay`; access to memory within it: 0 none, 1 read, 2 write */
} gpci_tree_point;

/* A read or write request of R. */
typedef struct gpci_tree_request {
    gpci_module *from; /* R */
    uint32_t block;    /* of R: where the data go */
    uint64_t tag;      /* address of that block */
    uint32_t flags;    /* GPC_ACCESS_ bits of the access */
    bool valid;        /* R has a copy already, and asks for the right to write only */
    bool blind; /* likewise, though it has none: its bytes are those of a store (gpc_coherence_module.byte_masks) */
    bool non_coherent;    /* for a non-coherent store: R shares the block and does not become its owner */
    uint8_t event, cause; /* of the protocol's own: at T, and at R, for which it asks; 0: the usual */
} gpci_tree_request;

/* What T's reply, and those of peers, brought R. */
typedef struct gpci_tree_reply {
    gpci_tree_point at; /* R has received all of them */
    bool shared;        /* other modules have copies, too */
    bool dirty;         /* a peer sent R modified bytes, which T does not have */
    bool went_down;     /* gpci_tree_acquire_rights: T had to send a write request to its own low module */
    bool newer;         /* R had a copy, and it lacked bytes that came with the reply */
} gpci_tree_reply;

/* What a lookup found. */
typedef struct gpci_tree_lookup {
    uint32_t block; /* GPCI_TREE_NO_BLOCK: not found, and none allocated */
    uint8_t state;  /* I after an allocation */
    bool hit;
} gpci_tree_lookup;

/* A probe, and X's reply to it while that is worked out. */
typedef struct gpci_tree_probe_reply {
    gpci_tree_point ready;        /* X sends the reply */
    uint64_t processed;           /* cycle at which X's state was changed, before its data were read */
    uint64_t link_cycle, arrives; /* cycles: its first byte is on X's link; T has received it (gpci_tree_star_gather) */
    uint64_t address;
    uint32_t module; /* X */
    uint32_t probe;  /* step of the probe */
    uint32_t bytes;  /* size of the reply to T, header included */
    uint32_t block;  /* of X */
    uint8_t state;   /* in which the probe found it */
    bool received;   /* modules above X replied with modified bytes */
    bool sends;      /* X replies with the block */
    bool data;       /* and it is modified */
    bool found;      /* X has a copy */
    bool keeps;      /* X remains the owner (state O) */
    bool peer;       /* X sends the block straight to R; T gets an acknowledgement */
    bool masked;     /* its modified bytes are non-coherent (state N): only they are valid for others */
} gpci_tree_probe_reply;

/* Steps that all have to end before something goes on: replies to several probes, or from several modules. */
typedef struct gpci_tree_gather {
    uint32_t head, count; /* a list through gpc_coherence_message.join */
    uint64_t cycle;       /* of the latest */
} gpci_tree_gather;

#define GPCI_TREE_GATHER_INIT \
    { GPC_NO_MESSAGE, 0, 0 }

/* transaction_steps.c */
/* `at` plus the latency of a lookup in m's directory, or of an access to its data. Both count in m's statistics. */
gpci_tree_point gpci_tree_read_directory(const gpc_coherence *c, gpci_module *m, gpci_tree_point at);
gpci_tree_point gpci_tree_use_data(const gpc_coherence *c, gpci_module *m, gpci_tree_point at, bool write);
/*
 * Send a message of `bytes`, header included, on the network above T: between T and a module above it, or between two
 * of those (peers). The result is when it is received; its `after` is the message's index.
 */
gpci_tree_point gpci_tree_send(gpc_coherence *c, const gpci_module *t, gpci_module *from, gpci_module *to,
                               gpc_message_kind kind, uint64_t address, uint32_t bytes, gpci_tree_point at);
/* The same for a reply to message `request`. */
gpci_tree_point gpci_tree_send_reply(gpc_coherence *c, uint32_t request, const gpci_module *t, gpci_module *from,
                                     gpci_module *to, gpc_message_kind kind, uint64_t address, uint32_t bytes,
                                     gpci_tree_point at);
/* The same for a reply whose cycle of arrival gpci_tree_star_gather has worked out. */
gpci_tree_point gpci_tree_send_reply_at(gpc_coherence *c, const gpci_tree_probe_reply *reply, const gpci_module *t,
                                        gpci_module *from, gpci_module *to, gpc_message_kind kind);
/* Wait for one more message; then for all: a JOIN step, if there are several. Without any, `start` is the result. */
void gpci_tree_gather_add(gpc_coherence *c, gpci_tree_gather *gather, uint32_t message);
gpci_tree_point gpci_tree_gather_end(gpc_coherence *c, const gpci_module *m, gpci_tree_gather *gather,
                                     gpci_tree_point start);
/* A message's bytes, at both ends. `t`: which of the two, or whose module above both are. */
void gpci_tree_count_bytes(const gpc_coherence *c, const gpci_module *t, gpci_module *from, gpci_module *to,
                           gpc_message_kind kind, uint32_t bytes);
/* Bytes of it that are not sent, since it goes with another. */
void gpci_tree_uncount_bytes(const gpci_module *t, gpci_module *from, gpci_module *to, uint32_t bytes);
/* Append a step that is no message: FINISH, EVICTION. */
gpci_tree_point gpci_tree_mark(gpc_coherence *c, const gpci_module *m, gpc_message_kind kind, uint64_t address,
                               gpci_tree_point at);
/* Write a block's state, which counts as a transition from `origin`, even from a state to itself. */
void gpci_tree_set_state(gpc_coherence *c, gpci_module *m, uint32_t block, uint64_t tag, uint8_t state, uint32_t origin,
                         gpci_tree_point at);
/* The protocol's rule for a state and an event. A forbidden one fails the tree, and is returned as IGNORE. */
gpc_protocol_rule gpci_tree_rule(gpc_coherence *c, const gpci_module *m, uint8_t state, uint32_t event);
/*
 * Something impossible happened (an event that the protocol forbids in this state, a policy's victim that is no way).
 * The transaction goes on to its end without meaning, and the access returns this failure, as do all later ones. Of
 * several failures the first counts.
 */
GPCI_PRINTF(3, 4) void gpci_tree_fail(gpc_coherence *c, gpc_status status, const char *format, ...);
/* Write the next state of the rule for this event, unless it is IGNORE. */
void gpci_tree_apply(gpc_coherence *c, gpci_module *m, uint32_t block, gpc_coherence_event event, uint32_t origin,
                     gpci_tree_point at);
/* Sort replies by cycle: when their state changed, when they are sent, when they arrive. Stable. */
void gpci_tree_sort_processed(gpci_tree_probe_reply *replies, uint32_t count);
void gpci_tree_sort_ready(gpci_tree_probe_reply *replies, uint32_t count);
void gpci_tree_sort_arrived(gpci_tree_probe_reply *replies, uint32_t count);

/*
 * module_lookup.c: look an address up in m. Both wait for the directory, count the lookup, and touch the block for
 * replacement. The first, for accesses and requests from above, allocates on a miss: a victim is evicted, and the
 * block is there in state I. The second, for probes and write-backs, does not.
 */
gpci_tree_lookup gpci_tree_find_or_allocate(gpc_coherence *c, gpci_module *m, uint64_t address, gpci_tree_point *at);
/* evict.c: does any module above have a copy of any part of a block, as far as it is listed? */
bool gpci_module_has_sharers(const gpci_module *m, uint32_t block);
/*
 * module_ask.c: the same of a request for a copy, at a module that asks whether to keep the block. An entry of the
 * directory alone is then no hit. When the request has been served, it goes, if the protocol has no directory.
 */
gpci_tree_lookup gpci_tree_find_asking(gpc_coherence *c, gpci_module *m, const gpci_module *r, uint64_t address,
                                       gpci_tree_point *at);
/* May R's block of an address be asked about: is it not there, or an entry alone that no other module owns? */
bool gpci_module_may_keep_out(const gpci_module *m, uint32_t block, const gpci_module *r, uint64_t address);
void gpci_tree_forget_entry(gpc_coherence *c, gpci_module *m, uint32_t block, gpci_tree_point at);
gpci_tree_lookup gpci_tree_find(gpc_coherence *c, gpci_module *m, uint64_t address, gpci_tree_point *at);
/* The same for a probe. */
gpci_tree_lookup gpci_tree_find_probed(gpc_coherence *c, gpci_module *m, uint64_t address, gpci_tree_point *at);
/* Fail the tree: the module's replacement policy chose a way that does not exist. */
void gpci_tree_fail_victim(gpc_coherence *c, const gpci_module *m);
/* Evict the blocks of another line from the way of a block that is to get a tag. Of a module with lines of several. */
void gpci_tree_evict_line(gpc_coherence *c, gpci_module *m, uint32_t block, uint64_t tag, gpci_tree_point *at);
/* A block in state I for a tag that the module does not hold; the victim has been evicted. */
uint32_t gpci_tree_allocate(gpc_coherence *c, gpci_module *m, uint64_t tag, gpci_tree_point *at);

/* request.c */
/* R asks T for a copy; or for the only copy, with the right to write. R's own state is left to the caller. */
gpci_tree_reply gpci_tree_read_request(gpc_coherence *c, const gpci_tree_request *request, gpci_tree_point at);
gpci_tree_reply gpci_tree_write_request(gpc_coherence *c, const gpci_tree_request *request, gpci_tree_point at);
/* T misses upon `event` and reads the block from its own low module, which puts it into a valid state. */
gpci_tree_reply gpci_tree_fetch(gpc_coherence *c, gpci_module *t, uint32_t block, uint64_t address, uint32_t event,
                                uint32_t origin, uint32_t flags, gpci_tree_point at);
/*
 * T gets the right to write, and the state that goes with it, so that a module above it, or T itself, may have the only
 * copy in the tree. In a state without that right (S, O, N, I) T sends a write request to its own low module.
 */
gpci_tree_reply gpci_tree_acquire_rights(gpc_coherence *c, gpci_module *t, uint32_t block, uint64_t address,
                                         uint32_t flags, gpci_tree_point at);
/* The same for a store that T performs without its other bytes: it asks for none. */
gpci_tree_reply gpci_tree_acquire_blindly(gpc_coherence *c, gpci_module *t, uint32_t block, uint64_t address,
                                          uint32_t flags, gpci_tree_point at);
/* T reads what a block of stored bytes lacks from its own low module. */
gpci_tree_point gpci_tree_complete(gpc_coherence *c, gpci_module *t, uint32_t block, gpci_tree_point at);
/* R is a sharer in T's directory from now on, and the owner if it shares the block with nobody. Whether it does. */
bool gpci_tree_add_requester(const gpc_coherence *c, gpci_module *t, uint32_t block, const gpci_tree_request *request,
                             bool shared);
/* R is the only sharer, and the owner. */
void gpci_tree_make_sole_owner(const gpc_coherence *c, gpci_module *t, uint32_t block,
                               const gpci_tree_request *request);
/* May T have bytes that copies above it lack? */
bool gpci_tree_has_newer(const gpc_coherence *c, const gpci_module *t, uint32_t block);
/* R owns its block no longer, in T's directory. */
void gpci_tree_clear_owners(const gpc_coherence *c, gpci_module *t, uint32_t block, const gpci_module *r, uint64_t tag);
/* R tells T that it no longer owns the block: T clears the owner in its directory; R remains a sharer. */
gpci_tree_point gpci_tree_clear_owner(gpc_coherence *c, gpci_module *r, uint64_t tag, gpci_tree_point at);

/* fetch.c */
/* A block of m is about to be read: so will its neighbours be, when the access is done. */
typedef struct gpci_tree_wish {
    uint64_t tag;
    uint32_t module;
} gpci_tree_wish;
GPCI_COLD void gpci_tree_wish_for(gpc_coherence *c, const gpci_module *m, uint64_t address);
GPCI_INLINE void gpci_tree_misses(gpc_coherence *c, const gpci_module *m, uint64_t address) {
    if (GPCI_UNLIKELY(m->fetch_mask))
        gpci_tree_wish_for(c, m, address);
}
/* It is done, at `at`. */
GPCI_COLD void gpci_tree_grant_wishes(gpc_coherence *c, gpci_tree_point at);
/* Does what is part of an access to `address` of first-level module `asker` come for any part of m's block? */
bool gpci_tree_is_asked(const gpci_module *asker, uint64_t address, gpci_tree_asks asks, const gpci_module *m,
                        uint64_t tag);
/* A neighbour comes as for a load here, or for a request of a module above. */
GPCI_INLINE gpc_coherence_event gpci_neighbour_event(const gpci_module *m) {
    return m->above_count ? GPC_EVENT_READ_ABOVE : GPC_EVENT_LOAD;
}
GPCI_INLINE uint32_t gpci_neighbour_origin(const gpci_module *m) {
    return m->above_count ? GPC_ORIGIN_READ_UP_DOWN : GPC_ORIGIN_LOAD_MISS;
}
/* Does m keep what it reads for that? */
GPCI_INLINE bool gpci_reads_neighbours(const gpci_module *m) {
    return m->above_count || m->rules[GPC_LINE_I][GPC_EVENT_LOAD].actions & GPC_DO_READ_REQUEST;
}

/* probe.c */
/*
 * Write probes: T invalidates the copies of a block in the modules above it. Their modified bytes go straight to the
 * requester, where the protocol has that (PEER) and it can take them, otherwise to T.
 */
typedef struct gpci_tree_write_probe {
    uint32_t block;                   /* of T */
    const gpci_module *except;        /* its copy stays; NULL: none does */
    uint64_t first, last;             /* only sub-blocks whose address is in [first, last] */
    bool room;                        /* only who is to go so that T's directory can name `except` */
    bool gone;                        /* no copy is detached */
    uint8_t event;                    /* of the protocol's own, at X; 0: WRITE_PROBE */
    const gpci_tree_request *request; /* the write request that is served; NULL: none, T keeps all data */
    gpci_tree_gather *gather;         /* collects the messages to the peer */
    bool through_t;                   /* data go to T even so */
    bool dirty;                       /* out: the peer was sent modified bytes */
    bool whole;                       /* out: the peer was sent a whole valid block */
    bool received;                    /* out: T received modified bytes */
} gpci_tree_write_probe;
gpci_tree_point gpci_tree_probe_copies(gpc_coherence *c, gpci_module *t, gpci_tree_write_probe *probe,
                                       gpci_tree_point at);
/*
 * Read probes: T asks the owners above it for their data, and they give up the right to write. With a `request`, only
 * owners of what it asks for, and a peer may send the block straight to R. NULL: all owners, all data to T, because T
 * itself has been read-probed.
 */
typedef struct gpci_tree_read_probe {
    uint32_t block; /* of T */
    uint8_t event;  /* of the protocol's own, at X; 0: READ_PROBE */
    const gpci_tree_request *request;
    gpci_tree_gather *gather; /* collects the messages to request->from */
    bool probed;              /* out: at least one probe was sent */
    bool data;                /* out: T received modified data */
    bool sent;                /* out: a peer sent the block to R */
} gpci_tree_read_probe;
gpci_tree_point gpci_tree_probe_owners(gpc_coherence *c, gpci_module *t, gpci_tree_read_probe *probe,
                                       gpci_tree_point at);

/* Parts of both, for controllers (controller.h), which send the probes themselves. */
/* The sharers of a block of T, one after another, each removed from the directory as it is given. Zeroed but for: */
typedef struct gpci_tree_copies {
    uint32_t block;
    const gpci_module *except; /* likewise as in gpci_tree_write_probe */
    uint64_t first, last;
    bool only_owners, room;
    uint32_t module;    /* out: X */
    uint32_t sub, word; /* where the walk has come to */
    uint64_t bits;
    bool begun;
} gpci_tree_copies;
/* False: there is none left. `tag`: of X's block. */
bool gpci_tree_next_copy(gpc_coherence *c, gpci_module *t, gpci_tree_copies *copies, uint64_t *tag);
/* X, which has the block (`module`, `block`, `state`, `received` of the reply), replies to a write probe. */
void gpci_tree_invalidate_copy(gpc_coherence *c, gpci_module *t, gpci_tree_probe_reply *reply,
                               const gpci_tree_write_probe *probe);
/* The owner of a sub-block, and the tag of its block, if it is to be probed. */
bool gpci_tree_owner_to_probe(const gpc_coherence *c, const gpci_module *t, const gpci_tree_read_probe *probe,
                              uint32_t sub, uint32_t *out_module, uint64_t *out_tag);
/* The sharer that is probed where no owner is; GPC_NO_MODULE: none. */
uint32_t gpci_tree_sharer_to_probe(const gpc_coherence *c, const gpci_module *t, const gpci_tree_read_probe *probe);
/* X, which has `block`, replies to a read probe. `above`: what the probe of X's own owners brought. */
void gpci_tree_reply_to_read_probe(gpc_coherence *c, gpci_module *t, gpci_tree_probe_reply *reply,
                                   const gpci_tree_read_probe *probe, uint32_t block,
                                   const gpci_tree_read_probe *above);
/* T's directory after that reply. */
void gpci_tree_update_directory(const gpc_coherence *c, gpci_module *t, uint32_t block,
                                const gpci_tree_probe_reply *reply);

/* evict.c */
/* Remove a block from m: invalidate the copies above it, write modified bytes back, invalidate it. */
gpci_tree_point gpci_tree_evict(gpc_coherence *c, gpci_module *m, uint32_t block, gpci_tree_point at);
/* Write a block's modified bytes back to the low module. The block stays, its bytes clean, its state unchanged. */
gpci_tree_point gpci_tree_write_back(gpc_coherence *c, gpci_module *m, uint32_t block, gpci_tree_point at);
/* The same by the rule for an event at m. */
gpci_tree_point gpci_tree_write_back_upon(gpc_coherence *c, gpci_module *m, uint32_t block, uint32_t event,
                                          gpci_tree_point at);
/* After that, the state of a clean copy: E after M, S after O and N. */
void gpci_tree_written_back(gpc_coherence *c, gpci_module *m, uint32_t block, uint32_t origin, gpci_tree_point at);
/*
 * The block may be an entry of the directory alone (of a non-inclusive module), which has no room for data: modified
 * bytes that it has just received are written back to the low module at once. Any other block is left alone.
 */
gpci_tree_point gpci_tree_forward_entry(gpc_coherence *c, gpci_module *m, uint32_t block, gpci_tree_point at);
/* Does an eviction of the block leave its entry in the directory, because modules above keep their copies? */
bool gpci_tree_keeps_entry(const gpc_coherence *c, const gpci_module *m, uint32_t block);
/* Is it an entry of the directory alone that yet has modified bytes? One whose write-back has been refused has. */
bool gpci_tree_entry_holds(const gpc_coherence *c, const gpci_module *m, uint32_t block);
/* Move tag, state, owners and sharers of a block, but not its data, to another way of its set. */
void gpci_tree_move_entry(gpc_coherence *c, gpci_module *m, uint32_t from, uint32_t to, gpci_tree_point at);
/* Give an entry of the directory alone a way with data again, read from the low module. The new block. */
uint32_t gpci_tree_promote(gpc_coherence *c, gpci_module *m, uint32_t entry, gpci_tree_point *at);

/*
 * put.c: messages that carry something down without asking for anything: write-backs, notices of an evicted clean copy,
 * stores that are written through. The low module acknowledges them.
 */
typedef struct gpci_tree_payload {
    uint64_t address;
    const uint8_t *bytes, *mask; /* [size], [(size + 7) / 8] which of them; NULL: zeroes, all */
    uint32_t size;
    uint32_t atomic_count;
    gpc_atomic *atomics; /* [atomic_count] in place of bytes: performed once, and then what they have left is stored */
} gpci_tree_payload;

/* Does it write all of m's block? Nothing has to be read then, but by whoever modifies what is there. */
GPCI_INLINE bool gpci_tree_writes_all(const gpci_module *m, const gpci_tree_payload *store) {
    return store->size == m->given.block_bytes && !store->mask && !store->atomic_count;
}

/* What a request stores. */
GPCI_INLINE gpci_tree_payload gpci_tree_payload_of(const gpc_coherence_request *request) {
    return (gpci_tree_payload){request->address, request->bytes,        request->mask,
                               request->size,    request->atomic_count, request->atomics};
}

typedef struct gpci_tree_put {
    gpci_tree_payload bytes;
    uint64_t tag; /* of R's block */
    gpc_message_kind kind;
    uint32_t size;     /* of the message, header included */
    uint32_t flags;    /* GPC_ACCESS_ bits of the access */
    bool non_coherent; /* T has N_DATA_ABOVE, otherwise DATA_ABOVE */
    bool modified;     /* it carries bytes; false: a notice */
    bool leaves;       /* R's copy is gone: T removes R from the sharers */
    bool blind;        /* a store, of which nobody wants to know what was there before */
    bool passing;      /* a store that bypasses R, and T as well if its flags say so */
    uint8_t event;     /* of the protocol's own, at T; 0: as `non_coherent` says */
    uint8_t *out;      /* [bytes.size] receives the bytes as they are after the store; NULL: not wanted */
} gpci_tree_put;
gpci_tree_point gpci_tree_send_put(gpc_coherence *c, gpci_module *r, const gpci_tree_put *put, gpci_tree_point at);
/* A store that bypasses R, in a protocol with a directory: T invalidates all copies above it and performs the store. */
gpci_tree_point gpci_tree_store_at_low(gpc_coherence *c, gpci_module *r, const gpci_tree_put *put, gpci_tree_point at);
/* A load that bypasses R: `size` bytes come to `out` from T, or from below it where the load bypasses T, too. */
gpci_tree_point gpci_tree_load_from_low(gpc_coherence *c, gpci_module *r, uint64_t address, uint32_t size, uint8_t *out,
                                        uint32_t flags, gpci_tree_point at);

/* data.c: bytes and masks of modified bytes. All of these do nothing in a tree without data. */
/* Copy T's bytes into R's block, except where R has modified bytes of its own. */
void gpci_tree_data_fill(gpc_coherence *c, const gpci_module *t, uint32_t t_block, gpci_module *r, uint32_t r_block,
                         uint64_t tag);
/* Merge X's modified bytes into T's block, or into memory. */
void gpci_tree_data_merge(gpc_coherence *c, const gpci_module *x, uint32_t x_block, uint64_t tag, gpci_module *t,
                          uint32_t t_block);
/*
 * From peer X to R, whose blocks have the same size: the modified bytes, and with `whole` all others, too. `modified`:
 * the bytes that are modified in X are modified in R, since X gives up the duty to write them back.
 */
void gpci_tree_data_transfer(gpc_coherence *c, const gpci_module *x, uint32_t x_block, gpci_module *r, uint32_t r_block,
                             bool whole, bool modified);
/*
 * X replied to a write probe with bytes stored non-coherently, which T merged. Where R, an owner, has modified the same
 * bytes, or has them from one, they are older: they no longer count as modified, so that T's reply replaces them.
 */
void gpci_tree_data_yield(gpc_coherence *c, const gpci_module *x, uint32_t x_block, const gpci_tree_request *request);
/* The bytes of two blocks of a module, with what is modified of them, change places. */
void gpci_tree_data_exchange(const gpc_coherence *c, const gpci_module *m, uint32_t a, uint32_t b);
/* No byte of a block is modified; all are; those of `store` are not. */
void gpci_tree_data_clean(gpc_coherence *c, gpci_module *m, uint32_t block);
void gpci_tree_data_whole(gpc_coherence *c, gpci_module *m, uint32_t block);
void gpci_tree_data_written(gpc_coherence *c, gpci_module *m, uint32_t block, const gpci_tree_payload *store);
bool gpci_tree_data_dirty(const gpc_coherence *c, const gpci_module *m, uint32_t block);
/* atomic.c: GPC_ERROR_ARGUMENT, saying what is wrong with the atomics of a request that is otherwise right. */
GPCI_COLD gpc_status gpci_tree_atomics_check(const gpc_coherence *c, const char *call,
                                             const gpc_coherence_request *request, gpc_error *error);
/* They have not been performed. */
GPCI_COLD void gpci_tree_atomics_begin(gpc_atomic *atomics, uint32_t count);

/*
 * Does m take a store's bytes for a block that it has not, and no others? `blind`: nobody wants to know what was there.
 */
GPCI_INLINE bool gpci_tree_takes(const gpci_module *m, bool blind, const gpci_tree_payload *store) {
    return blind && (m->lacks || (m->lazy && gpci_tree_writes_all(m, store)));
}

/* Of any module; with byte_masks, no byte of a block is there yet. Those of a store come: at once, if it is given. */
void gpci_tree_data_begin(gpci_module *m, uint32_t block, const gpci_tree_payload *store);
void gpci_tree_data_come(gpci_module *m, uint32_t block, const gpci_tree_payload *store);
/* Write a store's bytes into a block, or memory; read a load's. */
void gpci_tree_data_store(gpc_coherence *c, gpci_module *m, uint32_t block, const gpci_tree_payload *store);
void gpci_tree_data_load(const gpc_coherence *c, const gpci_module *m, uint32_t block, uint64_t address, uint32_t size,
                         uint8_t *out);

/* T counts requests of R, and hits, apart from all others' where R is near half of a cache. */
GPCI_INLINE void gpci_tree_count_near(gpci_module *t, const gpci_module *r, uint32_t requests, uint32_t hits) {
    if (GPCI_LIKELY(!r->near))
        return;
    t->counts.near_requests += requests;
    t->counts.near_hits += hits;
}

/* Is there but a part of its bytes? Of an entry of the directory that has just lost its way there is nothing. */
GPCI_INLINE bool gpci_tree_found_part(const gpci_module *t, const gpci_tree_lookup *found) {
    return found->hit && GPCI_UNLIKELY(t->lacks != NULL) && t->states[found->block] != GPC_LINE_I &&
           gpci_module_is_partial(t, found->block);
}

/* Record in a message what the lookup at its receiver found. */
_Static_assert(GPCI_TREE_NO_BLOCK == GPC_NO_MODULE, "what a message says of a block that is not there");
GPCI_INLINE void gpci_tree_message_found(gpc_coherence *c, uint32_t message, const gpci_tree_lookup *found) {
    c->messages[message].block = found->block;
    c->messages[message].found = found->hit;
}

/*
 * A message from R to its low module T, and T's reply. gpci_tree_open sends it and has T look the block up; the caller
 * does what the message asks for; gpci_tree_close sends the reply. In line, because every request and every put is one.
 */
typedef struct gpci_tree_exchange {
    gpci_module *low; /* T */
    uint32_t message; /* index of R's message */
    gpci_tree_lookup found;
} gpci_tree_exchange;

/* `bytes`: of the message, header included. `allocates`: T allocates the block if it misses. */
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

/* tell.c: whom T tells of its block, without waiting: who has read bytes of it from `first` to `last`. */
typedef struct gpci_tree_told {
    uint32_t block;
    const gpci_module *except; /* R, whose bytes these are; NULL */
    uint64_t first, last;
} gpci_tree_told;
void gpci_tree_tell_copies(gpc_coherence *c, gpci_module *t, const gpci_tree_told *told, gpci_tree_point at);
gpci_tree_copies gpci_tree_copies_of(const gpci_module *t, const gpci_tree_told *told);
void gpci_tree_drop_told(gpc_coherence *c, gpci_module *x, uint32_t block, gpci_tree_point at);
/* Where the protocol has it so. */
GPCI_INLINE void gpci_tree_tell(gpc_coherence *c, gpci_module *t, const gpci_tree_told *told, gpci_tree_point at) {
    if (GPCI_UNLIKELY(gpci_tree_has(c, GPC_PROTOCOL_INVALIDATES)) && t->sub_blocks)
        gpci_tree_tell_copies(c, t, told, at);
}
/* Is it listed where it reads a block, so that it is told? */
GPCI_INLINE bool gpci_tree_is_told(const gpc_coherence *c, const gpci_module *r) {
    return gpci_tree_has(c, GPC_PROTOCOL_INVALIDATES) && r->place == GPCI_PLACE_BETWEEN;
}

/* N: its modified bytes are sent under a mask. */
GPCI_INLINE bool gpci_tree_is_masked(const gpc_coherence *c, uint8_t state) {
    return (gpci_tree_means(c, state) & GPC_MEANS_NON_COHERENT) != 0;
}

/* A copy that others may have, too: O, N, S. */
GPCI_INLINE bool gpci_tree_is_shared(const gpc_coherence *c, uint8_t state) {
    return !(gpci_tree_means(c, state) & (GPC_MEANS_ONLY | GPCI_MEANS_I));
}

/* It is owned, and not alone (O, F): who goes there keeps what the directory says of it. */
GPCI_INLINE bool gpci_tree_stays_owner(const gpc_coherence *c, uint8_t state) {
    return (gpci_tree_means(c, state) & (GPC_MEANS_OWNER | GPC_MEANS_ONLY)) == GPC_MEANS_OWNER;
}

/* In M and O all bytes of a block may count as modified (GPC_PROTOCOL_WHOLE_BLOCKS). */
GPCI_INLINE bool gpci_tree_is_whole(const gpc_coherence *c, uint8_t state) {
    return (gpci_tree_means(c, state) & (GPC_MEANS_MODIFIED | GPC_MEANS_OWNER)) == GPC_MEANS_O;
}

/*
 * Sub-blocks of T's block, [first, end), that a block of R, a module above T, covers. A sub-block is as large as the
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

/* A copy is gone that the entry had, even among many: it has been probed, and so will the others be. */
GPCI_INLINE void gpci_tree_remove_sharer(gpci_module *t, uint32_t block, uint32_t sub, uint32_t slot) {
    gpci_tree_drop_owner(t, block, sub, slot); /* first, for it may be the code that says who owns it */
    gpci_sharers_remove(t, block, sub, slot);
}

/*
 * directory.c: entries that cannot name all copies.
 * Are those that the entry has all there are? If not, it is not known which of them is gone.
 */
bool gpci_directory_is_exact(const gpci_module *t, uint32_t block, uint32_t sub);
/* Add a sharer. Where there are too many now, the entry stands for others as well. */
void gpci_directory_add(const gpc_coherence *c, gpci_module *t, uint32_t block, uint32_t sub, uint32_t slot);
/* The sharer that is to go, by its place, before R's copy can be named; GPC_NO_MODULE: none. */
uint32_t gpci_directory_leaver(const gpc_coherence *c, const gpci_module *t, uint32_t block, uint32_t sub,
                               const gpci_module *r);
/* Is there such a sharer at any sub-block of what R asks for? */
bool gpci_directory_lacks_room(const gpc_coherence *c, const gpci_module *t, uint32_t block, const gpci_module *r,
                               uint64_t tag);

/* A copy is gone: the entry forgets it, if it knows which those are that are left. */
GPCI_INLINE void gpci_tree_drop_sharer(gpci_module *t, uint32_t block, uint32_t sub, uint32_t slot) {
    if (GPCI_LIKELY(!t->pointers) || gpci_directory_is_exact(t, block, sub))
        gpci_tree_remove_sharer(t, block, sub, slot);
    else
        gpci_tree_drop_owner(t, block, sub, slot);
}

/* May a sharer send the block to who asks for a copy? A directory knows sharers, not in which state they are. */
GPCI_INLINE bool gpci_tree_sharers_send(const gpc_coherence *c, const gpc_protocol_rule (*rules)[GPC_EVENT_COUNT]) {
    bool sends = rules[GPC_LINE_S][GPC_EVENT_READ_PROBE].actions & GPC_DO_SEND_DATA;
    for (uint32_t i = GPC_LINE_COUNT; i < c->states; i++)
        sends |=
            gpci_tree_means(c, (uint8_t)i) == GPC_MEANS_S && rules[i][GPC_EVENT_READ_PROBE].actions & GPC_DO_SEND_DATA;
    return sends;
}

#endif
