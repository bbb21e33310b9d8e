/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_COALESCER_H
#define GPC_TIMED_COALESCER_H

#include "timed/component/packet.h"

/*
 * L2 request coalescer (LRC), between the L1s of some SMs and the request network. It knows the reads of the SMs in
 * flight to L2. A later read of the same line waits for such a read, if its segments are among the first read's (or
 * equal, by option); the reply goes to both. Reads with different words for L2's predictor do not merge.
 *
 * A read without matching read in flight goes on, and gets an entry if one is free. Without a free entry it goes on as
 * well, but later reads cannot merge with it. Stores and atomics pass unchanged. A read never merges with a read sent
 * before a change by the read's SM was done, because that read may miss the change.
 */
typedef struct gpci_lrc_options {
    uint32_t sms;             /* SMs of the whole GPU */
    uint32_t groups;          /* number of LRCs */
    const uint32_t *group_of; /* [sms] LRC of every SM, borrowed */
    uint32_t entries;         /* entries per LRC */
    uint32_t merges;          /* most reads answered by one read, including itself, 1 or more; or GPCI_UNLIMITED */
    uint64_t window;          /* most recent reads that can be joined, 1 or more; or GPCI_UNLIMITED */
    uint32_t line;            /* line size in bytes, a power of two; 0: compare whole addresses */
    bool equal;               /* only reads of equal segments merge */
    bool messages;            /* reads are messages of a tree: the SM is `message.from`, and L2 gets no policy word */
} gpci_lrc_options;

typedef struct gpci_lrc gpci_lrc;

typedef struct gpci_lrc_stats {
    uint64_t reads;  /* reads seen */
    uint64_t merged; /* reads merged, not sent to L2 */
    uint64_t full;   /* reads sent without an entry */
} gpci_lrc_stats;

/* Create the LRCs of a GPU. `pool` is borrowed. GPC_ERROR_MEMORY; GPC_ERROR_RANGE: too many entries to number. */
gpc_status gpci_lrc_create(gpc_context *context, const gpci_lrc_options *options, gpci_pool *pool, gpc_error *error,
                           gpci_lrc **out);
void gpci_lrc_destroy(gpci_lrc *lrc);

/*
 * A GPCI_READ leaves the L1 of request.sm. True if merged: the read waits in the LRC, outside queues, until
 * gpci_lrc_reply passes the read to `hand`. False: the caller sends the read; `address`, `segments` and request.sm must
 * be unchanged when the reply arrives. The read merges only with reads born in core cycle `since` or later.
 */
bool gpci_lrc_read(gpci_lrc *lrc, uint32_t packet, uint64_t since);
/*
 * An SM's atomic or reduction changes a line: gpci_lrc_changes when the change sets out for L2, gpci_lrc_changed when
 * the change is done, at core cycle `now`. Between the two calls, the SM's reads of the line merge with no read.
 * Afterwards, the SM's reads merge only with reads that set out after `now`.
 */
void gpci_lrc_changes(gpci_lrc *lrc, uint32_t sm, uint64_t address);
void gpci_lrc_changed(gpci_lrc *lrc, uint32_t sm, uint64_t address, uint64_t now);
/* Prefetch the LRC's table into the CPU's cache, for a read of an SM or a reply. Affects only the simulator's speed. */
void gpci_lrc_expect(const gpci_lrc *lrc, uint32_t sm, uint64_t address);

/*
 * The reply to an unmerged read arrived; the caller delivers the reply itself. The packets that waited for the read go
 * to `hand` in the order of merging, and belong to the caller again; `hand` may call gpci_lrc_read. Returns the number
 * of packets handed.
 */
typedef void (*gpci_lrc_hand_fn)(void *user_data, uint32_t packet);
uint32_t gpci_lrc_reply(gpci_lrc *lrc, uint32_t packet, gpci_lrc_hand_fn hand, void *user_data);

void gpci_lrc_state(gpci_lrc *lrc, gpci_state_fn visit, void *user_data);

/* Number of waiting packets. */
uint32_t gpci_lrc_count(const gpci_lrc *lrc);
gpci_lrc_stats gpci_lrc_get_stats(const gpci_lrc *lrc);
void gpci_lrc_reset_stats(gpci_lrc *lrc);

#endif
