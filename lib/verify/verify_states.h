/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_VERIFY_VERIFY_STATES_H
#define GPC_VERIFY_VERIFY_STATES_H

#include "base/base.h"

/*
 * Known states. A state has 128 bits of a hash of its canonical form, the state from which it was first reached
 * (parent), and the choice that led to it. Until a state is expanded, it also has a packed image, without the bytes
 * that equal the first state's image. Two states with equal hashes would count as one state: with 10^8 states, such a
 * pair occurs once in 10^22 searches.
 */

typedef struct gpci_verify_hash {
    uint64_t one, other;
} gpci_verify_hash;

GPCI_INLINE void gpci_verify_put(gpci_verify_hash *hash, uint64_t word) {
    hash->one = (hash->one ^ word) * 0x9e3779b97f4a7c15u;
    hash->one ^= hash->one >> 29;
    hash->other = (hash->other + word) * 0xd6e8feb86659fd93u;
    hash->other ^= hash->other >> 32;
}

/* Put bytes into the hash; the last word is filled up with zeros. */
void gpci_verify_put_bytes(gpci_verify_hash *hash, const void *bytes, size_t count);

#define GPCI_VERIFY_NO_STATE UINT32_MAX

typedef struct gpci_states {
    gpc_context *context;
    gpci_verify_hash *hashes; /* [capacity] */
    uint32_t *slots;          /* [mask + 1] hash table: state + 1; 0: empty */
    uint32_t *parents;        /* [capacity] */
    uint16_t *how;            /* [capacity] choice that led from the parent to the state */
    uint16_t *depths;         /* [capacity] */
    uint8_t **frozen;         /* [capacity] packed image; NULL when the state was expanded */
    uint32_t *pending;        /* [capacity] stack of states to expand; only depth-first searches take from it */
    char *first;              /* [first_bytes] the image of the first state */
    size_t first_bytes;
    uint32_t count, capacity, mask, pending_count;
    size_t bytes; /* memory in use */
} gpci_states;

void gpci_states_open(gpci_states *states, gpc_context *context);
void gpci_states_close(gpci_states *states);
/* Find a state by hash. GPCI_VERIFY_NO_STATE: no known state has the hash. */
uint32_t gpci_states_find(const gpci_states *states, const gpci_verify_hash *hash);
/* Add a new state. GPC_ERROR_MEMORY; GPC_ERROR_RANGE: UINT32_MAX / 4 states are known. */
gpc_status gpci_states_add(gpci_states *states, const gpci_verify_hash *hash, const void *image, size_t bytes,
                           uint32_t parent, uint16_t how);
/* Size of a state's image; and the image itself, unpacked. The packed image stays. */
size_t gpci_states_size(const gpci_states *states, uint32_t state);
void gpci_states_thaw(const gpci_states *states, uint32_t state, char *image);
/* Free a state's packed image. */
void gpci_states_spend(gpci_states *states, uint32_t state);

#endif
