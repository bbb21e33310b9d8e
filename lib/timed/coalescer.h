/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_COALESCER_H
#define GPC_TIMED_COALESCER_H

#include "timed/packet.h"

/*
 * An L2 request coalescer (LRC) stands between the L1s of some SMs and the request network. It knows the reads of its
 * SMs that are on their way to L2; another read of the same line whose segments are all among those of one of them, or
 * are the same, waits for its reply, which goes to all. Reads that tell L2's predictor different things do not merge.
 *
 * A read goes on its own where no such read is in flight; it is then followed if its LRC has a free entry. With none
 * free it goes on just the same, and none can merge with it. Stores and atomics do not concern it.
 */
typedef struct gpci_lrc_options {
    uint32_t sms;             /* of the whole GPU */
    uint32_t groups;          /* LRCs */
    const uint32_t *group_of; /* [sms] the LRC of each, borrowed */
    uint32_t entries;         /* reads in flight that an LRC follows */
    uint32_t merges;          /* reads that one in flight answers, itself included, 1 or more; GPCI_UNLIMITED */
    uint64_t window;          /* reads that an LRC remembers, the last that it sent on, 1 or more; GPCI_UNLIMITED */
    uint32_t line;            /* bytes, a power of two, whose addresses are one; 0: each is its own */
    bool equal;               /* only reads of the very same segments merge */
    bool messages;            /* reads are a tree's messages: of SM `message.from`, and tell L2 nothing */
} gpci_lrc_options;

typedef struct gpci_lrc gpci_lrc;

typedef struct gpci_lrc_stats {
    uint64_t reads;  /* that came */
    uint64_t merged; /* of them, those that did not go on to L2 */
    uint64_t full;   /* of them, those that went on without an entry */
} gpci_lrc_stats;

/* All LRCs of a GPU. `pool` is borrowed. GPC_ERROR_MEMORY, GPC_ERROR_RANGE where the entries cannot be numbered. */
gpc_status gpci_lrc_create(gpc_context *context, const gpci_lrc_options *options, gpci_pool *pool, gpc_error *error,
                           gpci_lrc **out);
void gpci_lrc_destroy(gpci_lrc *lrc);

/*
 * A GPCI_READ leaves the L1 of request.sm. Returns whether it merged: it then waits here, in no queue, until it is
 * handed to the callback of gpci_lrc_reply. Otherwise the caller sends it on; its `address`, `segments` and
 * request.sm must be the same when its reply is here. It merges with none that was born before core cycle `since`.
 */
bool gpci_lrc_read(gpci_lrc *lrc, uint32_t packet, uint64_t since);
/* A read of an SM, or its reply, will soon be looked for: fetch where. No effect but on speed. */
void gpci_lrc_expect(const gpci_lrc *lrc, uint32_t sm, uint64_t address);

/*
 * The reply to a read that did not merge is here; the packet itself is the caller's to deliver. The packets that wait
 * for it go to `hand` in the order in which they merged; they are the caller's again, and `hand` may call
 * gpci_lrc_read. Returns how many there were.
 */
typedef void (*gpci_lrc_hand_fn)(void *user_data, uint32_t packet);
uint32_t gpci_lrc_reply(gpci_lrc *lrc, uint32_t packet, gpci_lrc_hand_fn hand, void *user_data);

void gpci_lrc_state(gpci_lrc *lrc, gpci_state_fn visit, void *user_data);

/* Packets that wait. */
uint32_t gpci_lrc_count(const gpci_lrc *lrc);
gpci_lrc_stats gpci_lrc_get_stats(const gpci_lrc *lrc);
void gpci_lrc_reset_stats(gpci_lrc *lrc);

#endif
