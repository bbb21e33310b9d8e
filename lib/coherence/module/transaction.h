/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_TRANSACTION_H
#define GPC_COHERENCE_TRANSACTION_H

#include "coherence/module/tree.h"

/*
 * Rules that the protocol engine (engine.h) applies to blocks, directories and bytes when a message arrives, by the
 * protocol's table. No rule sends a message or waits.
 *
 * Three messages name the modules everywhere in this folder:
 *   R  the requester: sends a request, or a write-back, to the low module
 *   T  R's low module, the target: serves the request and keeps the directory of the modules above it
 *   X  a module above T, other than R, probed by T because T's directory lists a copy in X
 *
 * Example, a load that misses in the L1, of a block modified in another L1:
 *   engine_find.c         the L1 is looked up; the victim leaves (engine_evict.c)
 *   engine_access.c       the first level's table says READ_REQUEST for a LOAD in state I
 *   engine_read.c         T, the L2, receives R's read request, and has the block
 *   probe.c               gpci_tree_owner_to_probe: T sends a read probe to X, the owner; X replies with its data
 *   data.c                R's block gets the bytes
 *   directory.c           T's directory lists R as a sharer
 *   transaction.c         gpci_tree_set_state: R's block takes the rule's next state
 * A hit in the first level, the most frequent access, has a fast path: hit.c.
 *
 * Parameter `at`: the present cycle; 0 if accesses take no time.
 */

/* A read or write request of R. */
typedef struct gpci_tree_request {
    gpci_module *from;    /* R */
    uint32_t block;       /* block of R: destination of the data */
    uint64_t tag;         /* address of `block` */
    bool valid;           /* R has a copy, and requests only write permission */
    bool non_coherent;    /* for a non-coherent store: R shares the block without becoming its owner */
    uint8_t event, cause; /* the protocol's own: event at T; event at R that caused the request; 0: the usual */
} gpci_tree_request;

/* X's reply to a probe, while it is prepared. */
typedef struct gpci_tree_probe_reply {
    uint64_t ready; /* cycle in which X sends the reply */
    uint64_t address;
    uint32_t module; /* X */
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

/* transaction.c */
/* Count a message's bytes at sender and receiver. `target`: sender, receiver, or the module below. */
void gpci_tree_count_bytes(const gpc_coherence *coherence, const gpci_module *target, gpci_module *from,
                           gpci_module *receiver, gpc_message_kind kind, uint32_t bytes);
/* Subtract bytes saved by sharing a packet. */
void gpci_tree_uncount_bytes(const gpci_module *target, gpci_module *from, gpci_module *receiver, uint32_t bytes);
/* Write a block's state and count a transition from `origin`, even if the state is equal. */
void gpci_tree_set_state(gpc_coherence *coherence, gpci_module *module, uint32_t block, uint64_t tag, uint8_t state,
                         uint32_t origin, uint64_t at);
/* Protocol's rule for a state and an event. A forbidden event fails the tree and returns IGNORE. */
gpc_protocol_rule gpci_tree_rule(gpc_coherence *coherence, const gpci_module *module, uint8_t state, uint32_t event);
/*
 * Fail the tree: something impossible happened (a forbidden event, a policy's invalid victim). The transaction runs to
 * the end without meaning; the access and all later ones return the failure. The first failure counts.
 */
GPCI_PRINTF(3, 4) void gpci_tree_fail(gpc_coherence *coherence, gpc_status status, const char *format, ...);
/* Write the next state of the event's rule, unless IGNORE. */
void gpci_tree_apply(gpc_coherence *coherence, gpci_module *module, uint32_t block, gpc_coherence_event event,
                     uint32_t origin, uint64_t at);
/* Fail the tree: the module's replacement policy chose an invalid way. */
void gpci_tree_fail_victim(gpc_coherence *coherence, const gpci_module *module);

/* transaction.c: true if a listed module above has a copy of any part of a block. */
bool gpci_module_has_sharers(const gpci_module *module, uint32_t block);
/* module_ask.c */
/*
 * True if policies may be asked about R's block: it is absent, or a directory-only entry not owned by another module.
 */
bool gpci_module_may_keep_out(const gpci_module *module, uint32_t block, const gpci_module *requester,
                              uint64_t address);
/* Drop a directory-only entry after the request, if the protocol has no directory. */
void gpci_tree_forget_entry(gpc_coherence *coherence, gpci_module *module, uint32_t block, uint64_t at);

/* directory.c */
/* Make R a sharer in T's directory, and the owner if there are no other sharers. True if R shares the block. */
bool gpci_tree_add_requester(const gpc_coherence *coherence, gpci_module *target, uint32_t block,
                             const gpci_tree_request *request, bool shared);
/* Make R the only sharer, and the owner. */
void gpci_tree_make_sole_owner(const gpc_coherence *coherence, gpci_module *target, uint32_t block,
                               const gpci_tree_request *request);
/* X has refused T's write probe: list X again; `owner`: as the owner. */
void gpci_tree_list_again(const gpc_coherence *coherence, gpci_module *target, uint32_t block,
                          const gpci_module *probed, uint64_t tag, bool owner);
/* True if T may have bytes that copies above lack. */
bool gpci_tree_has_newer(const gpc_coherence *coherence, const gpci_module *target, uint32_t block);
/* Remove R as owner of the block in T's directory. */
void gpci_tree_clear_owners(const gpc_coherence *coherence, gpci_module *target, uint32_t block,
                            const gpci_module *requester, uint64_t tag);
/* Remove R from the sharers in T's directory. */
void gpci_tree_drop_sharers(const gpc_coherence *coherence, gpci_module *target, uint32_t block,
                            const gpci_module *requester, uint64_t tag);

/* Block that a lone access missed in a module: the neighbours are read after the access (engine_fetch.c). */
typedef struct gpci_tree_neighbour_fetch {
    uint64_t tag;
    uint32_t module;
} gpci_tree_neighbour_fetch;
/* Event by which a neighbour arrives: a load in the first level, otherwise a request from above. */
GPCI_INLINE gpc_coherence_event gpci_neighbour_event(const gpci_module *module) {
    return module->above_count ? GPC_EVENT_READ_ABOVE : GPC_EVENT_LOAD;
}
GPCI_INLINE uint32_t gpci_neighbour_origin(const gpci_module *module) {
    return module->above_count ? GPC_ORIGIN_READ_UP_DOWN : GPC_ORIGIN_LOAD_MISS;
}
/* True if the module keeps blocks read by the event gpci_neighbour_event. */
GPCI_INLINE bool gpci_reads_neighbours(const gpci_module *module) {
    return module->above_count || module->rules[GPC_LINE_I][GPC_EVENT_LOAD].actions & GPC_DO_READ_REQUEST;
}

/* probe.c */
/*
 * Write probes: T invalidates the copies of a block in modules above. Their modified bytes go directly to the
 * requester, if the protocol allows (PEER) and the requester can take them; otherwise to T.
 */
typedef struct gpci_tree_write_probe {
    uint32_t block;                   /* of T */
    bool gone;                        /* leave no detached copy */
    uint8_t event;                    /* the protocol's own, at X; 0: WRITE_PROBE */
    const gpci_tree_request *request; /* write request served, or NULL, T keeps all data */
    bool through_t;                   /* send data to T nevertheless */
} gpci_tree_write_probe;
/*
 * Read probes: T asks the owners above for their data, and they lose write permission. With a `request`: only owners of
 * the requested part, and a peer may send the block directly to R. NULL: all owners, all data to T, because T itself
 * was read-probed.
 */
typedef struct gpci_tree_read_probe {
    uint32_t block; /* of T */
    uint8_t event;  /* the protocol's own, at X; 0: READ_PROBE */
    const gpci_tree_request *request;
    bool probed; /* a probe was sent */
    bool data;   /* T received modified data */
} gpci_tree_read_probe;

/*
 * Walk over the sharers of T's block. A returned sharer is removed from the directory. The caller sets `block` to
 * `room`, and zeroes the other fields.
 */
typedef struct gpci_tree_copies {
    uint32_t block;
    const gpci_module *except; /* module allowed to keep the copy, or NULL */
    uint64_t first, last;      /* only sub-blocks with addresses in [first, last] */
    bool only_owners;
    bool room;          /* only copies to remove before T's directory can name `except` */
    uint32_t module;    /* out: X */
    bool owner;         /* out: X was the owner */
    uint32_t sub, word; /* position of the walk */
    uint64_t bits;
    bool begun;
} gpci_tree_copies;
/* Next sharer; `tag`: of X's block. False: none left. */
bool gpci_tree_next_copy(gpc_coherence *coherence, gpci_module *target, gpci_tree_copies *copies, uint64_t *tag);
/* X has the block (`module`, `block`, `state`, `received` of the reply) and replies to a write probe. */
void gpci_tree_invalidate_copy(gpc_coherence *coherence, gpci_module *target, gpci_tree_probe_reply *reply,
                               const gpci_tree_write_probe *probe);
/* Owner of a sub-block, and the tag of the block; true if it must be probed. */
bool gpci_tree_owner_to_probe(const gpc_coherence *coherence, const gpci_module *target,
                              const gpci_tree_read_probe *probe, uint32_t sub, uint32_t *out_module, uint64_t *out_tag);
/* Sharer to probe if there is no owner, or GPC_NO_MODULE. */
uint32_t gpci_tree_sharer_to_probe(const gpc_coherence *coherence, const gpci_module *target,
                                   const gpci_tree_read_probe *probe);
/* X has `block` and replies to a read probe. `above`: result of probing X's own owners. */
void gpci_tree_reply_to_read_probe(gpc_coherence *coherence, gpci_module *target, gpci_tree_probe_reply *reply,
                                   const gpci_tree_read_probe *probe, uint32_t block,
                                   const gpci_tree_read_probe *above);
/* Update T's directory after the reply. */
void gpci_tree_update_directory(const gpc_coherence *coherence, gpci_module *target, uint32_t block,
                                const gpci_tree_probe_reply *reply);

/* transaction.c: evictions */
/* Set the state of a clean copy after a write-back: E after M, S after O and N. */
void gpci_tree_written_back(gpc_coherence *coherence, gpci_module *module, uint32_t block, uint32_t origin,
                            uint64_t at);
/* True if an eviction leaves the block's entry in the directory, because modules above keep copies. */
bool gpci_tree_keeps_entry(const gpc_coherence *coherence, const gpci_module *module, uint32_t block);
/* True for a directory-only entry with modified bytes, after a refused write-back. */
bool gpci_tree_entry_holds(const gpc_coherence *coherence, const gpci_module *module, uint32_t block);
/* Move a block's tag, state, owners and sharers, without data, to another way of the set. */
void gpci_tree_move_entry(gpc_coherence *coherence, gpci_module *module, uint32_t from, uint32_t to, uint64_t at);
/* Bytes of a store. */
typedef struct gpci_tree_payload {
    uint64_t address;
    const uint8_t *bytes, *mask; /* bytes: [size]; mask: [(size + 7) / 8] bits of valid bytes; NULL: zeroes, all */
    uint32_t size;
    uint32_t atomic_count;
    gpc_atomic *atomics; /* [atomic_count] instead of bytes: performed once; afterwards the results are stored */
} gpci_tree_payload;

/*
 * A store to a block was written through. The copy stays, clean if nothing else in it is modified. Without data this is
 * unknown: if a byte was modified before, one is assumed modified.
 */
void gpci_tree_written_through(gpc_coherence *coherence, gpci_module *module, uint32_t block,
                               const gpci_tree_payload *store, bool was_modified, uint64_t at);
/* Event of R's bytes at T; origin of the transition of T's block, which was in `state`. */
gpc_coherence_event gpci_tree_put_event(bool non_coherent);
uint32_t gpci_tree_put_origin(const gpc_coherence *coherence, gpc_message_kind kind, bool non_coherent, uint8_t state);

/* True if a store writes the module's whole block: nothing must be read, unless by a read-modify-write. */
GPCI_INLINE bool gpci_tree_writes_all(const gpci_module *module, const gpci_tree_payload *store) {
    return store->size == module->given.block_bytes && !store->mask && !store->atomic_count;
}

/* Bytes a request stores. */
GPCI_INLINE gpci_tree_payload gpci_tree_payload_of(const gpc_coherence_request *request) {
    return (gpci_tree_payload){request->address, request->bytes,        request->mask,
                               request->size,    request->atomic_count, request->atomics};
}

/* data.c: bytes and masks of modified bytes. No effect in a tree without data. */
/* Copy T's bytes into R's block, except bytes modified in R. */
void gpci_tree_data_fill(gpc_coherence *coherence, const gpci_module *target, uint32_t target_block,
                         gpci_module *requester, uint32_t requester_block, uint64_t tag);
/* Merge X's modified bytes into T's block, or into memory. */
void gpci_tree_data_merge(gpc_coherence *coherence, const gpci_module *probed, uint32_t probed_block, uint64_t tag,
                          gpci_module *target, uint32_t target_block);
/*
 * Copy bytes from peer X to R, with blocks of equal size: the modified bytes; with `full_block` the others too.
 * `modified`: X's modified bytes become modified in R, because X no longer writes them back.
 */
void gpci_tree_data_transfer(gpc_coherence *coherence, const gpci_module *probed, uint32_t probed_block,
                             gpci_module *requester, uint32_t requester_block, bool full_block, bool modified);
/*
 * X replied to a write probe with non-coherently stored bytes, which T merged. If R, an owner, has modified the same
 * bytes (or received them from one), R's are older: they no longer count as modified, so that T's reply replaces them.
 */
void gpci_tree_data_yield(gpc_coherence *coherence, const gpci_module *probed, uint32_t probed_block,
                          const gpci_tree_request *request);
/* Exchange the bytes and masks of two blocks of a module. */
void gpci_tree_data_exchange(const gpc_coherence *coherence, const gpci_module *module, uint32_t a, uint32_t b);
/*
 * Set masks: no byte modified; all modified (_whole); bytes of `store` not modified (_written). gpci_tree_data_dirty:
 * true if a byte is modified.
 */
void gpci_tree_data_clean(gpc_coherence *coherence, gpci_module *module, uint32_t block);
void gpci_tree_data_mark_full(gpc_coherence *coherence, gpci_module *module, uint32_t block);
void gpci_tree_data_written(gpc_coherence *coherence, gpci_module *module, uint32_t block,
                            const gpci_tree_payload *store);
bool gpci_tree_data_dirty(const gpc_coherence *coherence, const gpci_module *module, uint32_t block);
/* atomic.c: GPC_ERROR_ARGUMENT with the reason if the atomics of an otherwise valid request are invalid. */
GPCI_COLD gpc_status gpci_tree_atomics_check(const gpc_coherence *coherence, const char *call,
                                             const gpc_coherence_request *request, gpc_error *error);
/* Mark atomics as not performed. */
GPCI_COLD void gpci_tree_atomics_begin(gpc_atomic *atomics, uint32_t count);

/* True if the module keeps a store's bytes of an absent block without the rest. `blind`: old bytes are not needed. */
GPCI_INLINE bool gpci_tree_takes(const gpci_module *module, bool blind, const gpci_tree_payload *store) {
    return blind && (module->lacks || (module->lazy && gpci_tree_writes_all(module, store)));
}

/*
 * Begin a block without bytes (with byte_masks), then with the bytes of `store` if given. gpci_tree_data_come: the
 * bytes of a store arrive.
 */
void gpci_tree_lack_all(const gpci_module *module, uint32_t block);
GPCI_INLINE void gpci_tree_data_begin(const gpci_module *module, uint32_t block, const gpci_tree_payload *store) {
    if (GPCI_UNLIKELY(module->lacks != NULL) && !(store && gpci_tree_writes_all(module, store)))
        gpci_tree_lack_all(module, block);
}
void gpci_tree_lack_less(const gpci_module *module, uint32_t block, const gpci_tree_payload *store);
GPCI_INLINE void gpci_tree_data_come(const gpci_module *module, uint32_t block, const gpci_tree_payload *store) {
    if (GPCI_UNLIKELY(gpci_module_is_partial(module, block)))
        gpci_tree_lack_less(module, block, store);
}
/* Write a store's bytes into a block, or memory; gpci_tree_data_load: read a load's bytes. */
void gpci_tree_store_bytes(gpc_coherence *coherence, gpci_module *module, uint32_t block,
                           const gpci_tree_payload *store);
GPCI_INLINE void gpci_tree_data_store(gpc_coherence *coherence, gpci_module *module, uint32_t block,
                                      const gpci_tree_payload *store) {
    if (coherence->with_data)
        gpci_tree_store_bytes(coherence, module, block, store);
}
void gpci_tree_data_load(const gpc_coherence *coherence, const gpci_module *module, uint32_t block, uint64_t address,
                         uint32_t size, uint8_t *out);

/* If R is the near half of a cache, T also counts R's requests and hits separately. */
GPCI_INLINE void gpci_tree_count_near(gpci_module *target, const gpci_module *requester, uint32_t requests,
                                      uint32_t hits) {
    if (GPCI_LIKELY(!requester->near))
        return;
    target->counts.near_requests += requests;
    target->counts.near_hits += hits;
}

GPCI_INLINE bool gpci_tree_has(const gpc_coherence *coherence, uint32_t flag) {
    return (coherence->protocol->flags & flag) != 0;
}

/* engine_tell.c: caches to inform about T's block, without waiting: readers of bytes from `first` to `last`. */
typedef struct gpci_tree_notification {
    uint32_t block;
    const gpci_module *except; /* R, sender of the bytes; or NULL */
    uint64_t first, last;
} gpci_tree_notification;
/* True if T lists R when R reads a block, to inform R later. */
GPCI_INLINE bool gpci_tree_is_notified(const gpc_coherence *coherence, const gpci_module *requester) {
    return gpci_tree_has(coherence, GPC_PROTOCOL_INVALIDATES) && requester->place == GPCI_PLACE_BETWEEN;
}

/* N: modified bytes are sent under a mask. */
GPCI_INLINE bool gpci_tree_is_masked(const gpc_coherence *coherence, uint8_t state) {
    return (gpci_tree_means(coherence, state) & GPC_MEANS_NON_COHERENT) != 0;
}

/* True for a state with possible further copies: O, N, S. */
GPCI_INLINE bool gpci_tree_is_shared(const gpc_coherence *coherence, uint8_t state) {
    return !(gpci_tree_means(coherence, state) & (GPC_MEANS_ONLY | GPCI_MEANS_I));
}

/* True for O and F, owned but not alone: a transition to such a state keeps the directory's view. */
GPCI_INLINE bool gpci_tree_stays_owner(const gpc_coherence *coherence, uint8_t state) {
    return (gpci_tree_means(coherence, state) & (GPC_MEANS_OWNER | GPC_MEANS_ONLY)) == GPC_MEANS_OWNER;
}

/* True if in M and O all bytes of a block may count as modified (GPC_PROTOCOL_WHOLE_BLOCKS). */
GPCI_INLINE bool gpci_tree_may_be_full(const gpc_coherence *coherence, uint8_t state) {
    return (gpci_tree_means(coherence, state) & (GPC_MEANS_MODIFIED | GPC_MEANS_OWNER)) == GPC_MEANS_O;
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

GPCI_INLINE gpci_tree_span gpci_tree_span_of(const gpci_module *target, const gpci_module *requester, uint64_t tag) {
    const uint32_t first = gpci_module_sub_of(target, tag);
    return (gpci_tree_span){first, first + (requester->given.block_bytes >> target->sub_shift)};
}

GPCI_INLINE uint64_t gpci_tree_address_of(const gpci_module *target, uint32_t block, uint32_t sub) {
    return gpci_module_tag(target, block) + ((uint64_t)sub << target->sub_shift);
}

GPCI_INLINE bool gpci_tree_has_sharer(const gpci_module *target, uint32_t block, uint32_t sub, uint32_t slot) {
    return gpci_sharers_word(target, block, sub, slot / GPCI_SHARERS) >> slot % GPCI_SHARERS & 1;
}

GPCI_INLINE void gpci_tree_drop_owner(const gpci_module *target, uint32_t block, uint32_t sub, uint32_t slot) {
    if (gpci_module_owner_of(target, block, sub) == slot)
        gpci_module_set_owner(target, block, sub, GPCI_TREE_NO_OWNER);
}

/* Remove a listed sharer without copy, also from a wide entry: the sharer was probed, and the rest will be. */
GPCI_INLINE void gpci_tree_remove_sharer(gpci_module *target, uint32_t block, uint32_t sub, uint32_t slot) {
    gpci_tree_drop_owner(target, block, sub, slot); /* first, because the code may name the owner */
    gpci_sharers_remove(target, block, sub, slot);
}

/*
 * directory.c: entries that cannot name all copies.
 * gpci_directory_is_exact: true if the entry names exactly the existing copies. If false, it is unknown which copies
 * are gone.
 */
bool gpci_directory_is_exact(const gpci_module *target, uint32_t block, uint32_t sub);
/* Add a sharer. If sharers exceed the pointers, the entry is extended to groups. */
void gpci_directory_add(const gpc_coherence *coherence, gpci_module *target, uint32_t block, uint32_t sub,
                        uint32_t slot);
/* Place of the sharer to invalidate before R's copy can be named, or GPC_NO_MODULE. */
uint32_t gpci_directory_victim(const gpc_coherence *coherence, const gpci_module *target, uint32_t block, uint32_t sub,
                               const gpci_module *requester);
/* True if R's request needs an invalidation for room at a sub-block. */
bool gpci_directory_lacks_room(const gpc_coherence *coherence, const gpci_module *target, uint32_t block,
                               const gpci_module *requester, uint64_t tag);

/* A copy is gone: remove it from the entry, if the entry is exact. */
GPCI_INLINE void gpci_tree_drop_sharer(gpci_module *target, uint32_t block, uint32_t sub, uint32_t slot) {
    if (GPCI_LIKELY(!target->pointers) || gpci_directory_is_exact(target, block, sub))
        gpci_tree_remove_sharer(target, block, sub, slot);
    else
        gpci_tree_drop_owner(target, block, sub, slot);
}

/* True if sharers may send the block to a requester of a copy. A directory knows sharers, but not their states. */
GPCI_INLINE bool gpci_tree_sharers_send(const gpc_coherence *coherence,
                                        const gpc_protocol_rule (*rules)[GPC_EVENT_COUNT]) {
    bool sends = rules[GPC_LINE_S][GPC_EVENT_READ_PROBE].actions & GPC_DO_SEND_DATA;
    for (uint32_t i = GPC_LINE_COUNT; i < coherence->states; i++)
        sends |= gpci_tree_means(coherence, (uint8_t)i) == GPC_MEANS_S &&
                 rules[i][GPC_EVENT_READ_PROBE].actions & GPC_DO_SEND_DATA;
    return sends;
}

#endif
