/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_TRANSACTION_H
#define GPC_COHERENCE_TRANSACTION_H

#include "coherence/module/tree.h"

/*
 * Rules that the protocol engine (engine.h) applies to blocks, directories and bytes when a message arrives, by the
 * protocol's table. No rule sends a message or waits.
 *
 * Three words name the modules everywhere in this folder:
 *   requester      sends a request, or a write-back, to its low module
 *   target         low module of the requester: serves the request, and keeps the directory of the modules above
 *   probed module  a module above the target, other than the requester: the target's directory lists a copy, and the
 *                  target sends a probe
 *
 * Example, a load that misses in the L1, of a block modified in another L1:
 *   engine_find.c    the L1 is looked up; the victim leaves (engine_evict.c)
 *   engine_access.c  the first level's table says READ_REQUEST for a LOAD in state I
 *   engine_read.c    the L2 is the target: it receives the L1's read request, and has the block
 *   probe.c          gpci_tree_owner_to_probe: the L2 sends a read probe to the other L1, the owner, which replies with
 *                    the data
 *   data.c           the requesting L1's block gets the bytes
 *   directory.c      the L2's directory lists the requesting L1 as a sharer
 *   transaction.c    gpci_tree_set_state: the requesting L1's block takes the rule's next state
 * A hit in the first level, the most frequent access, has a fast path: hit.c.
 *
 * Parameter `at`: the present cycle; 0 if accesses take no time.
 */

/* A read or write request that the requester sends to the target. */
typedef struct gpci_tree_request {
    gpci_module *from; /* the requester */
    uint32_t block;    /* the requester's block for the data */
    uint64_t tag;      /* address of `block` */
    bool valid;        /* the requester has a copy, and requests only write permission */
    bool non_coherent; /* for a non-coherent store: the requester shares the block without becoming its owner */
    /*
     * Events defined by the protocol itself. event: raised at the target; cause: event at the requester that caused the
     * request. 0: the usual event.
     */
    uint8_t event, cause;
} gpci_tree_request;

/* Reply of the probed module to a probe, while the reply is prepared. */
typedef struct gpci_tree_probe_reply {
    uint64_t ready; /* cycle in which the probed module sends the reply */
    uint64_t address;
    uint32_t module; /* the probed module */
    uint32_t bytes;  /* size of the reply to the target, with header */
    uint32_t block;  /* the probed module's block */
    uint8_t state;   /* state of `block` when the probe arrived */
    bool received;   /* modules above the probed module replied with modified bytes */
    bool sends;      /* the reply carries the block */
    bool data;       /* the target gets modified bytes by the reply, or the requester by a write probe's reply */
    bool found;      /* the probed module had a copy */
    bool keeps;      /* the probed module remains the owner (state O) */
    bool peer;       /* the block goes directly to the requester, and the target gets an acknowledgement */
    bool masked;     /* the modified bytes were stored non-coherently (state N): the receiver merges only these bytes */
} gpci_tree_probe_reply;

/* transaction.c */
/*
 * Count a message's bytes at the sender and the receiver. `target`: the lower module of the exchange; for a message
 * between peers, the low module of both.
 */
void gpci_tree_count_bytes(const gpc_coherence *coherence, const gpci_module *target, gpci_module *from,
                           gpci_module *receiver, gpc_message_kind kind, uint32_t bytes);
/* Subtract bytes that gpci_tree_count_bytes has counted, but that the message saves by sharing a packet. */
void gpci_tree_uncount_bytes(const gpci_module *target, gpci_module *from, gpci_module *receiver, uint32_t bytes);
/* Write a block's state and count a transition from `origin`, even if the state is equal. */
void gpci_tree_set_state(gpc_coherence *coherence, gpci_module *module, uint32_t block, uint64_t tag, uint8_t state,
                         uint32_t origin, uint64_t at);
/*
 * Protocol's rule for a state and an event. A forbidden event, or an event without rule, fails the tree
 * (gpci_tree_fail) and returns IGNORE.
 */
gpc_protocol_rule gpci_tree_rule(gpc_coherence *coherence, const gpci_module *module, uint8_t state, uint32_t event);
/*
 * Put the tree into the failed state, because something impossible happened: a forbidden event, or a policy's invalid
 * victim. The current transaction still runs to its end, but the results have no meaning. The current access and all
 * later accesses return the failure. Only the first failure is recorded.
 */
GPCI_PRINTF(3, 4) void gpci_tree_fail(gpc_coherence *coherence, gpc_status status, const char *format, ...);
/* Write the next state of the rule for the event, unless the rule says IGNORE. */
void gpci_tree_apply(gpc_coherence *coherence, gpci_module *module, uint32_t block, gpc_coherence_event event,
                     uint32_t origin, uint64_t at);
/* gpci_tree_fail, because the module's replacement policy chose an invalid way. */
void gpci_tree_fail_victim(gpc_coherence *coherence, const gpci_module *module);

/* transaction.c: true if the directory lists a sharer of any sub-block of the block. */
bool gpci_module_has_sharers(const gpci_module *module, uint32_t block);
/* module_ask.c */
/*
 * True if policies may be asked to keep out the block that the requester requests: `block` is absent, or a
 * directory-only entry, and no other module above owns a part of the block.
 */
bool gpci_module_may_keep_out(const gpci_module *module, uint32_t block, const gpci_module *requester,
                              uint64_t address);
/* Drop a directory-only entry after a request, if the protocol has no directory and no sharer is listed. */
void gpci_tree_forget_entry(gpc_coherence *coherence, gpci_module *module, uint32_t block, uint64_t at);

/* directory.c */
/*
 * Make the requester a sharer in the target's directory; if there are no other sharers, also the owner. True if the
 * requester shares the block with other modules.
 */
bool gpci_tree_add_requester(const gpc_coherence *coherence, gpci_module *target, uint32_t block,
                             const gpci_tree_request *request, bool shared);
/* Make the requester the owner of the block, after all other sharers have been removed. */
void gpci_tree_make_sole_owner(const gpc_coherence *coherence, gpci_module *target, uint32_t block,
                               const gpci_tree_request *request);
/*
 * List the probed module again in the target's directory, because the probed module refused a write probe. `owner`:
 * list the probed module as the owner, too.
 */
void gpci_tree_list_again(const gpc_coherence *coherence, gpci_module *target, uint32_t block,
                          const gpci_module *probed, uint64_t tag, bool owner);
/* True if the target's block may have newer bytes than copies in modules above. */
bool gpci_tree_has_newer(const gpc_coherence *coherence, const gpci_module *target, uint32_t block);
/* Remove the requester as owner of the requester's block from the target's directory. */
void gpci_tree_clear_owners(const gpc_coherence *coherence, gpci_module *target, uint32_t block,
                            const gpci_module *requester, uint64_t tag);
/* Remove the requester from the sharers in the target's directory. */
void gpci_tree_drop_sharers(const gpc_coherence *coherence, gpci_module *target, uint32_t block,
                            const gpci_module *requester, uint64_t tag);

/*
 * Block that a lone access missed in a module: the module reads neighbours of the block after the access
 * (engine_fetch.c).
 */
typedef struct gpci_tree_neighbour_fetch {
    uint64_t tag;
    uint32_t module;
} gpci_tree_neighbour_fetch;
/*
 * Event that decides the state of an arriving neighbour: a load in the first level, or a read request from above in
 * lower levels.
 */
GPCI_INLINE gpc_coherence_event gpci_neighbour_event(const gpci_module *module) {
    return module->above_count ? GPC_EVENT_READ_ABOVE : GPC_EVENT_LOAD;
}
GPCI_INLINE uint32_t gpci_neighbour_origin(const gpci_module *module) {
    return module->above_count ? GPC_ORIGIN_READ_UP_DOWN : GPC_ORIGIN_LOAD_MISS;
}
/* True if the module keeps blocks that gpci_neighbour_event reads. */
GPCI_INLINE bool gpci_reads_neighbours(const gpci_module *module) {
    return module->above_count || module->rules[GPC_LINE_I][GPC_EVENT_LOAD].actions & GPC_DO_READ_REQUEST;
}

/* probe.c */
/*
 * Write probe: the target invalidates the copies of a block in modules above. The copies' modified bytes go directly to
 * the requester, if the protocol allows peer transfers (PEER) and the requester's block has the same size; if not, to
 * the target.
 */
typedef struct gpci_tree_write_probe {
    uint32_t block; /* of the target */
    bool gone;      /* the probed module must not keep a detached copy */
    uint8_t event;  /* event at the probed module, defined by the protocol itself; 0: WRITE_PROBE */
    /* write request that the target serves; NULL: the target gets all modified bytes */
    const gpci_tree_request *request;
    bool through_t; /* send modified bytes to the target, even if the protocol allows peer transfers */
} gpci_tree_write_probe;
/*
 * Read probe: the target requests the data of owners above, and the owners lose write permission. `request` not NULL:
 * the target serves a request, and probes only owners of the requested part; a peer may send the block directly to the
 * requester. `request` NULL: the target itself was read-probed; it probes all owners, and gets all data.
 */
typedef struct gpci_tree_read_probe {
    uint32_t block; /* of the target */
    uint8_t event;  /* event at the probed module, defined by the protocol itself; 0: READ_PROBE */
    const gpci_tree_request *request;
    bool probed; /* result: a probe was sent */
    bool data;   /* result: the target received modified bytes */
} gpci_tree_read_probe;

/*
 * Walk over the sharers of the target's block `block`. The walk removes a returned sharer from the directory. The
 * caller sets the fields from `block` to `room`, and zeroes the other fields.
 */
typedef struct gpci_tree_copies {
    uint32_t block;
    const gpci_module *except; /* module allowed to keep the copy, or NULL */
    uint64_t first, last;      /* range of addresses: sub-blocks outside are skipped */
    bool only_owners;
    bool room; /* only sharers that must be removed before the directory can name `except` (gpci_directory_victim) */
    uint32_t module;    /* result: the sharer */
    bool owner;         /* result: the sharer was the owner */
    uint32_t sub, word; /* position of the walk: sub-block, and word of the sub-block's sharers */
    uint64_t bits;
    bool begun;
} gpci_tree_copies;
/* Find the next sharer, and the tag of the sharer's block. False: none left. */
bool gpci_tree_next_copy(gpc_coherence *coherence, gpci_module *target, gpci_tree_copies *copies, uint64_t *tag);
/*
 * Perform a write probe in the probed module, which has the block. The caller has set `module`, `block`, `state` and
 * `received` of the reply; the function sets the rest.
 */
void gpci_tree_invalidate_copy(gpc_coherence *coherence, gpci_module *target, gpci_tree_probe_reply *reply,
                               const gpci_tree_write_probe *probe);
/* Find the owner of a sub-block, and the tag of the owner's block. True if the owner must be probed. */
bool gpci_tree_owner_to_probe(const gpc_coherence *coherence, const gpci_module *target,
                              const gpci_tree_read_probe *probe, uint32_t sub, uint32_t *out_module, uint64_t *out_tag);
/* Sharer to probe if there is no owner, or GPC_NO_MODULE. */
uint32_t gpci_tree_sharer_to_probe(const gpc_coherence *coherence, const gpci_module *target,
                                   const gpci_tree_read_probe *probe);
/*
 * Perform a read probe in the probed module, which has `block`. `above`: result of probing the owners above the probed
 * module.
 */
void gpci_tree_reply_to_read_probe(gpc_coherence *coherence, gpci_module *target, gpci_tree_probe_reply *reply,
                                   const gpci_tree_read_probe *probe, uint32_t block,
                                   const gpci_tree_read_probe *above);
/* Update the target's directory after a reply to a read probe. */
void gpci_tree_update_directory(const gpc_coherence *coherence, gpci_module *target, uint32_t block,
                                const gpci_tree_probe_reply *reply);

/* transaction.c: evictions */
/* Set the state of a clean copy after a write-back: E after M, S after O and N. */
void gpci_tree_written_back(gpc_coherence *coherence, gpci_module *module, uint32_t block, uint32_t origin,
                            uint64_t at);
/*
 * True if the block's directory entry stays after the eviction of the data, because modules above keep copies
 * (directory_ways).
 */
bool gpci_tree_keeps_entry(const gpc_coherence *coherence, const gpci_module *module, uint32_t block);
/* True for a directory-only entry that holds modified bytes: a write-back of the bytes was refused. */
bool gpci_tree_entry_holds(const gpc_coherence *coherence, const gpci_module *module, uint32_t block);
/* Move a block's tag, state, owners and sharers, without data, to another way of the set. */
void gpci_tree_move_entry(gpc_coherence *coherence, gpci_module *module, uint32_t from, uint32_t to, uint64_t at);
/* Bytes of a store. */
typedef struct gpci_tree_payload {
    uint64_t address;
    /* [size] bytes; NULL: zeroes. mask: [(size + 7) / 8] a bit per stored byte; NULL: all bytes are stored */
    const uint8_t *bytes, *mask;
    uint32_t size;
    uint32_t atomic_count;
    /*
     * [atomic_count] atomics, in place of bytes. The first performance reads the old values; a repeated performance
     * stores the results
     */
    gpc_atomic *atomics;
} gpci_tree_payload;

/*
 * Update a copy whose store was written through. The copy stays, and becomes clean if no other byte of the copy is
 * modified. In a tree without data, modified bytes are unknown: if the block was modified before (`was_modified`),
 * another byte is assumed to be modified.
 */
void gpci_tree_written_through(gpc_coherence *coherence, gpci_module *module, uint32_t block,
                               const gpci_tree_payload *store, bool was_modified, uint64_t at);
/*
 * Event that a put's bytes raise at the target. gpci_tree_put_origin: origin of the transition of the target's block,
 * which was in `state`.
 */
gpc_coherence_event gpci_tree_put_event(bool non_coherent);
uint32_t gpci_tree_put_origin(const gpc_coherence *coherence, gpc_message_kind kind, bool non_coherent, uint8_t state);

/* True if a store writes all bytes of the module's block without reading old bytes, so that nothing must be fetched. */
GPCI_INLINE bool gpci_tree_writes_all(const gpci_module *module, const gpci_tree_payload *store) {
    return store->size == module->given.block_bytes && !store->mask && !store->atomic_count;
}

/* Bytes that the request stores. */
GPCI_INLINE gpci_tree_payload gpci_tree_payload_of(const gpc_coherence_request *request) {
    return (gpci_tree_payload){request->address, request->bytes,        request->mask,
                               request->size,    request->atomic_count, request->atomics};
}

/* data.c: bytes and masks of modified bytes. No effect in a tree without data. */
/* Copy the target's bytes into the requester's block, except bytes that are modified in the requester's block. */
void gpci_tree_data_fill(gpc_coherence *coherence, const gpci_module *target, uint32_t target_block,
                         gpci_module *requester, uint32_t requester_block, uint64_t tag);
/* Copy the modified bytes of the probed module's block to the target's block, or to memory. */
void gpci_tree_data_merge(gpc_coherence *coherence, const gpci_module *probed, uint32_t probed_block, uint64_t tag,
                          gpci_module *target, uint32_t target_block);
/*
 * Copy modified bytes of the probed module's block to the requester's block of equal size; if `full_block`, the other
 * bytes as well. `modified`: the copied modified bytes become modified in the requester's block, because the probed
 * module no longer writes the bytes back.
 */
void gpci_tree_data_transfer(gpc_coherence *coherence, const gpci_module *probed, uint32_t probed_block,
                             gpci_module *requester, uint32_t requester_block, bool full_block, bool modified);
/*
 * Unmark older bytes in the requester's block. The target has merged non-coherently stored bytes of the probed module.
 * If the requester's block has modified the same bytes, the requester's bytes are older: the bytes no longer count as
 * modified, so that the target's reply replaces the bytes.
 */
void gpci_tree_data_yield(gpc_coherence *coherence, const gpci_module *probed, uint32_t probed_block,
                          const gpci_tree_request *request);
/* Exchange the bytes and masks of two blocks of a module. */
void gpci_tree_data_exchange(const gpc_coherence *coherence, const gpci_module *module, uint32_t a, uint32_t b);
/*
 * Change the mask of modified bytes. _clean: no byte is modified. _mark_full: all bytes are modified. _written: the
 * bytes of `store` are not modified. _dirty: true if a byte is modified.
 */
void gpci_tree_data_clean(gpc_coherence *coherence, gpci_module *module, uint32_t block);
void gpci_tree_data_mark_full(gpc_coherence *coherence, gpci_module *module, uint32_t block);
void gpci_tree_data_written(gpc_coherence *coherence, gpci_module *module, uint32_t block,
                            const gpci_tree_payload *store);
bool gpci_tree_data_dirty(const gpc_coherence *coherence, const gpci_module *module, uint32_t block);
/*
 * atomic.c: check the atomics of a request whose other fields are valid. GPC_ERROR_ARGUMENT with the reason: an atomic
 * is invalid.
 */
GPCI_COLD gpc_status gpci_tree_atomics_check(const gpc_coherence *coherence, const char *call,
                                             const gpc_coherence_request *request, gpc_error *error);
/* Mark atomics as not performed. */
GPCI_COLD void gpci_tree_atomics_begin(gpc_atomic *atomics, uint32_t count);

/*
 * True if the module can store to an absent block without fetching the block's other bytes. `blind`: the access does
 * not need the old bytes.
 */
GPCI_INLINE bool gpci_tree_takes(const gpci_module *module, bool blind, const gpci_tree_payload *store) {
    return blind && (module->lacks || (module->lazy && gpci_tree_writes_all(module, store)));
}

/*
 * Begin a block of which only the bytes of `store` (if not NULL) are or will be present; with byte_masks, mark all
 * bytes as missing. gpci_tree_data_come: mark the bytes of `store` as present.
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
/*
 * gpci_tree_data_store: write a store's bytes into a block, or into memory. gpci_tree_data_load: read a load's bytes.
 */
void gpci_tree_store_bytes(gpc_coherence *coherence, gpci_module *module, uint32_t block,
                           const gpci_tree_payload *store);
GPCI_INLINE void gpci_tree_data_store(gpc_coherence *coherence, gpci_module *module, uint32_t block,
                                      const gpci_tree_payload *store) {
    if (coherence->with_data)
        gpci_tree_store_bytes(coherence, module, block, store);
}
void gpci_tree_data_load(const gpc_coherence *coherence, const gpci_module *module, uint32_t block, uint64_t address,
                         uint32_t size, uint8_t *out);

/* Count, at the target, requests and hits of a near half (halves.c) in separate counters, too. */
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

/* engine_tell.c: the target informs caches that have read bytes `first` to `last` of its block, without waiting. */
typedef struct gpci_tree_notification {
    uint32_t block;
    const gpci_module *except; /* sender of the new bytes, not informed; or NULL */
    uint64_t first, last;
} gpci_tree_notification;
/* True if a target lists the requester as a reader of a block, to inform the requester later (engine_tell.c). */
GPCI_INLINE bool gpci_tree_is_notified(const gpc_coherence *coherence, const gpci_module *requester) {
    return gpci_tree_has(coherence, GPC_PROTOCOL_INVALIDATES) && requester->place == GPCI_PLACE_BETWEEN;
}

/* True for state N: modified bytes are sent with a mask of the bytes. */
GPCI_INLINE bool gpci_tree_is_masked(const gpc_coherence *coherence, uint8_t state) {
    return (gpci_tree_means(coherence, state) & GPC_MEANS_NON_COHERENT) != 0;
}

/* True for a valid state in which other modules may have copies, too: O, N, S, F. */
GPCI_INLINE bool gpci_tree_is_shared(const gpc_coherence *coherence, uint8_t state) {
    return !(gpci_tree_means(coherence, state) & (GPC_MEANS_ONLY | GPCI_MEANS_I));
}

/*
 * True for O and F: the module is the owner, but other modules may have copies. A transition to O or F keeps the owner
 * in the directory.
 */
GPCI_INLINE bool gpci_tree_stays_owner(const gpc_coherence *coherence, uint8_t state) {
    return (gpci_tree_means(coherence, state) & (GPC_MEANS_OWNER | GPC_MEANS_ONLY)) == GPC_MEANS_OWNER;
}

/* True for a state in which all bytes of a block may count as modified, with GPC_PROTOCOL_WHOLE_BLOCKS: M and O. */
GPCI_INLINE bool gpci_tree_may_be_full(const gpc_coherence *coherence, uint8_t state) {
    return (gpci_tree_means(coherence, state) & (GPC_MEANS_MODIFIED | GPC_MEANS_OWNER)) == GPC_MEANS_O;
}

/*
 * Sub-blocks [first, end) of the target's block that are covered by a block of the requester, a module above the
 * target. A sub-block has the size of the smallest block of the modules above the target, so a span has at least one
 * sub-block.
 *
 * Example: the target has blocks of 256 bytes, the modules above have blocks of 64 and 128 bytes: a block of the target
 * has 4 sub-blocks of 64 bytes. The requester's block of 128 bytes at 0x1080 covers sub-blocks 2 and 3.
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

/*
 * Remove a sharer that no longer has a copy from the entry. An entry that stands for groups (directory.c) may only lose
 * sharers that were probed, and then all its sharers are probed.
 */
GPCI_INLINE void gpci_tree_remove_sharer(gpci_module *target, uint32_t block, uint32_t sub, uint32_t slot) {
    /* before the sharer: the sharers' code may also name the owner (gpci_module.alone) */
    gpci_tree_drop_owner(target, block, sub, slot);
    gpci_sharers_remove(target, block, sub, slot);
}

/*
 * directory.c: entries that cannot name all copies. gpci_directory_is_exact: true if the entry names exactly the
 * modules with copies. False: the entry also names modules of which it is unknown whether they have copies.
 */
bool gpci_directory_is_exact(const gpci_module *target, uint32_t block, uint32_t sub);
/* Add a sharer. If the entry then has more sharers than pointers, the entry is extended to groups of modules. */
void gpci_directory_add(const gpc_coherence *coherence, gpci_module *target, uint32_t block, uint32_t sub,
                        uint32_t slot);
/*
 * Place (in `above`) of a sharer that must be invalidated before the entry can name the requester; GPC_NO_MODULE: none.
 */
uint32_t gpci_directory_victim(const gpc_coherence *coherence, const gpci_module *target, uint32_t block, uint32_t sub,
                               const gpci_module *requester);
/* True if a sharer of a sub-block must be invalidated before the entry can name the requester. */
bool gpci_directory_lacks_room(const gpc_coherence *coherence, const gpci_module *target, uint32_t block,
                               const gpci_module *requester, uint64_t tag);

/* Remove a module whose copy is gone from the entry, if the entry is exact. If not, remove the module only as owner. */
GPCI_INLINE void gpci_tree_drop_sharer(gpci_module *target, uint32_t block, uint32_t sub, uint32_t slot) {
    if (GPCI_LIKELY(!target->pointers) || gpci_directory_is_exact(target, block, sub))
        gpci_tree_remove_sharer(target, block, sub, slot);
    else
        gpci_tree_drop_owner(target, block, sub, slot);
}

/*
 * True if a sharer may send the block to the requester of a copy, by the rules of all states that a sharer may have:
 * the directory does not know the sharers' states.
 */
GPCI_INLINE bool gpci_tree_sharers_send(const gpc_coherence *coherence,
                                        const gpc_protocol_rule (*rules)[GPC_EVENT_COUNT]) {
    bool sends = rules[GPC_LINE_S][GPC_EVENT_READ_PROBE].actions & GPC_DO_SEND_DATA;
    for (uint32_t i = GPC_LINE_COUNT; i < coherence->states; i++)
        sends |= gpci_tree_means(coherence, (uint8_t)i) == GPC_MEANS_S &&
                 rules[i][GPC_EVENT_READ_PROBE].actions & GPC_DO_SEND_DATA;
    return sends;
}

#endif
