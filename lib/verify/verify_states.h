/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_VERIFY_VERIFY_STATES_H
#define GPC_VERIFY_VERIFY_STATES_H

#include "base/base.h"

/*
 * Known states. For each state: 128 bits of a hash of its canonical form, the first state that led to the state, and
 * the choice. Until the expansion also the image, stored as the difference to the first image without runs of equal
 * bytes. Two states with equal hashes would count as one: with 10^8 states this happens once in 10^22 searches.
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

/* Put bytes; the last word is filled up with zeros. */
void gpci_verify_put_bytes(gpci_verify_hash *hash, const void *bytes, size_t count);

#define GPCI_VERIFY_NO_STATE UINT32_MAX

typedef struct gpci_states {
    gpc_context *context;
    gpci_verify_hash *hashes; /* [capacity] */
    uint32_t *slots;          /* [mask + 1] state + 1; 0 = empty */
    uint32_t *parents;        /* [capacity] */
    uint16_t *how;            /* [capacity]: choice before the state */
    uint16_t *depths;         /* [capacity] */
    uint8_t **frozen;         /* [capacity] NULL once expanded */
    uint32_t *pending;        /* [capacity]: stack of states to expand; only for depth-first searches */
    char *first;              /* [first_bytes] the image of the first state */
    size_t first_bytes;
    uint32_t count, capacity, mask, pending_count;
    size_t bytes; /* bytes in use */
} gpci_states;

void gpci_states_open(gpci_states *states, gpc_context *context);
void gpci_states_close(gpci_states *states);
/* Find a state by hash. GPCI_VERIFY_NO_STATE: a new state. */
uint32_t gpci_states_find(const gpci_states *states, const gpci_verify_hash *hash);
/* Add a new state. GPC_ERROR_MEMORY; GPC_ERROR_RANGE: 2^32 states. */
gpc_status gpci_states_add(gpci_states *states, const gpci_verify_hash *hash, const void *image, size_t bytes,
                           uint32_t parent, uint16_t how);
/* Size and bytes of a state's image; the image stays stored. */
size_t gpci_states_size(const gpci_states *states, uint32_t state);
void gpci_states_thaw(const gpci_states *states, uint32_t state, char *image);
/* Forget a state's image. */
void gpci_states_spend(gpci_states *states, uint32_t state);

#endif
