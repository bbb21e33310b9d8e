/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_DATA_BANKS_H
#define GPC_TIMED_DATA_BANKS_H

#include "timed/timed.h"

/*
 * Banks of L1's data, each of which reads or writes one word a cycle (l1.data_banks, l1.data_bank_width): an access has
 * as many turns as the bank that most of its words are in. Lanes that ask for one word share it; words of different
 * lines are as good as those of one. What one access leaves of a cycle is no other's.
 *
 * A load reads when its last line is there: found in L1, with l1.latency behind the read; or come from below, with
 * nothing behind it. Stores write when their last line passes the tags. They have their turns in that order, and as
 * many accesses as l1.latency has cycles wait for them: then the tags do, as for a data port (l1.data_width), where
 * each wait is a cycle's.
 *
 * Example, 32 banks of 4 bytes, lines of 128: 32 lanes, 128 bytes apart, ask for 32 words of bank 0: 32 turns; 132
 * bytes apart, for one of each bank: 1; the same word: 1; 8 bytes each, side by side: 64 words, 2.
 */

typedef struct gpci_data_queue {
    uint32_t room, next;
    uint64_t starts[]; /* [room] core cycles of the last accesses' first turns; `next`: of the oldest of these */
} gpci_data_queue;

/* None without l1.data_banks. GPC_ERROR_MEMORY. */
gpc_status gpci_data_queue_create(const gpci_timed *t, gpci_stage *stage);
void gpci_data_queue_destroy(const gpci_timed *t, gpci_stage *stage);
void gpci_data_queue_state(gpci_data_queue *queue, gpci_state_fn visit, void *user_data);

/* Turns of an access's lines. */
uint32_t gpci_data_turns(const gpci_data_banks *banks, const gpci_transaction *lines, uint32_t count);
/* A load has all its lines: it is done at `due` from then on. Returns whether it waits for nothing but its turns. */
bool gpci_data_read(gpci_timed *t, gpci_stage *stage, gpci_flight *flight);
/* A line of a load or store has passed the tags. Returns when the data of a load are there, but for its turns. */
uint64_t gpci_data_passed(gpci_timed *t, gpci_stage *stage, const gpci_packet *p, const gpci_flight *flight);

#endif
