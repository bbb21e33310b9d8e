/* SPDX-License-Identifier: BSD-2-Clause */
#include "verify/verify_states.h"

#include <string.h>

void gpci_verify_put_bytes(gpci_verify_hash *hash, const void *bytes, size_t count) {
    const char *at = bytes;
    for (; count >= sizeof(uint64_t); at += sizeof(uint64_t), count -= sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        gpci_verify_put(hash, word);
    }
    uint64_t rest = 0;
    memcpy(&rest, at, count);
    if (count)
        gpci_verify_put(hash, rest);
}

void gpci_states_open(gpci_states *states, gpc_context *context) {
    *states = (gpci_states){.context = context};
}

void gpci_states_close(gpci_states *states) {
    for (uint32_t i = 0; i < states->count; i++)
        gpci_free(states->context, states->frozen[i]);
    gpci_free(states->context, states->hashes);
    gpci_free(states->context, states->slots);
    gpci_free(states->context, states->parents);
    gpci_free(states->context, states->how);
    gpci_free(states->context, states->depths);
    gpci_free(states->context, states->frozen);
    gpci_free(states->context, states->pending);
    gpci_free(states->context, states->first);
    gpci_states_open(states, states->context);
}

static uint32_t slot_of(const gpci_states *states, const gpci_verify_hash *hash) {
    uint32_t at = (uint32_t)hash->one & states->mask;
    while (states->slots[at]) {
        const gpci_verify_hash *other = &states->hashes[states->slots[at] - 1];
        if (other->one == hash->one && other->other == hash->other)
            break;
        at = (at + 1) & states->mask;
    }
    return at;
}

uint32_t gpci_states_find(const gpci_states *states, const gpci_verify_hash *hash) {
    return states->slots ? states->slots[slot_of(states, hash)] - 1 : GPCI_VERIFY_NO_STATE;
}

/* Grow an array; `items` is the address of the pointer. False: out of memory, and the array is unchanged. */
static bool larger(gpci_states *states, void *items, uint32_t capacity, size_t bytes) {
    void *old;
    memcpy(&old, items, sizeof old);
    void *grown = gpci_resize(states->context, old, capacity, bytes);
    if (grown)
        memcpy(items, &grown, sizeof grown);
    return grown != NULL;
}

static bool grow(gpci_states *states) {
    const uint32_t capacity = states->capacity ? states->capacity * 2 : 1024, mask = capacity * 2 - 1;
    if (!larger(states, &states->hashes, capacity, sizeof *states->hashes) ||
        !larger(states, &states->parents, capacity, sizeof *states->parents) ||
        !larger(states, &states->how, capacity, sizeof *states->how) ||
        !larger(states, &states->depths, capacity, sizeof *states->depths) ||
        !larger(states, &states->frozen, capacity, sizeof *states->frozen) ||
        !larger(states, &states->pending, capacity, sizeof *states->pending))
        return false;
    uint32_t *slots = gpci_zalloc(states->context, (size_t)mask + 1, sizeof *slots);
    if (!slots)
        return false;
    gpci_free(states->context, states->slots);
    states->slots = slots;
    states->bytes += (capacity - states->capacity) *
                     (sizeof *states->hashes + sizeof *states->parents + sizeof *states->how + sizeof *states->depths +
                      sizeof *states->frozen + sizeof *states->pending + 2 * sizeof *states->slots);
    states->capacity = capacity;
    states->mask = mask;
    for (uint32_t i = 0; i < states->count; i++)
        states->slots[slot_of(states, &states->hashes[i])] = i + 1;
    return true;
}

/* -- images */

static uint8_t byte_of_first(const gpci_states *states, size_t at) {
    return at < states->first_bytes ? (uint8_t)states->first[at] : 0;
}

/*
 * Pack an image: the size, then repeatedly two counts of at most 255, and bytes. The first count is of bytes equal to
 * the first image's bytes, which are left out. The second count is of different bytes, which follow. Returns the packed
 * length. `out` NULL: only compute the length.
 */
static size_t pack(const gpci_states *states, const char *image, size_t bytes, uint8_t *out) {
    size_t at = 0, length = sizeof bytes;
    if (out)
        memcpy(out, &bytes, sizeof bytes);
    while (at < bytes) {
        size_t same = 0, other = 0;
        while (at + same < bytes && same < 255 && (uint8_t)image[at + same] == byte_of_first(states, at + same))
            same++;
        at += same;
        while (at + other < bytes && other < 255 && (uint8_t)image[at + other] != byte_of_first(states, at + other))
            other++;
        if (out) {
            out[length] = (uint8_t)same;
            out[length + 1] = (uint8_t)other;
            memcpy(out + length + 2, image + at, other);
        }
        length += 2 + other;
        at += other;
    }
    return length;
}

size_t gpci_states_size(const gpci_states *states, uint32_t state) {
    size_t bytes;
    memcpy(&bytes, states->frozen[state], sizeof bytes);
    return bytes;
}

void gpci_states_thaw(const gpci_states *states, uint32_t state, char *image) {
    const uint8_t *in = states->frozen[state] + sizeof(size_t);
    const size_t bytes = gpci_states_size(states, state);
    for (size_t at = 0; at < bytes; in += 2 + in[1]) {
        const size_t same = in[0];
        for (size_t i = 0; i < same; i++)
            image[at + i] = (char)byte_of_first(states, at + i);
        memcpy(image + at + same, in + 2, in[1]);
        at += same + in[1];
    }
}

static size_t size_of(const gpci_states *states, uint32_t state) {
    const uint8_t *in = states->frozen[state];
    const size_t bytes = gpci_states_size(states, state);
    size_t at = 0, length = sizeof bytes;
    for (; at < bytes; length += 2 + in[length + 1])
        at += (size_t)in[length] + in[length + 1];
    return length;
}

void gpci_states_spend(gpci_states *states, uint32_t state) {
    states->bytes -= size_of(states, state);
    gpci_free(states->context, states->frozen[state]);
    states->frozen[state] = NULL;
}

static bool keep_first(gpci_states *states, const void *image, size_t bytes) {
    if (states->first)
        return true;
    states->first = gpci_alloc(states->context, bytes);
    if (!states->first)
        return false;
    memcpy(states->first, image, bytes);
    states->first_bytes = bytes;
    return true;
}

gpc_status gpci_states_add(gpci_states *states, const gpci_verify_hash *hash, const void *image, size_t bytes,
                           uint32_t parent, uint16_t how) {
    if (states->count == UINT32_MAX / 4)
        return GPC_ERROR_RANGE;
    if ((states->count == states->capacity && !grow(states)) || !keep_first(states, image, bytes))
        return GPC_ERROR_MEMORY;
    const size_t length = pack(states, image, bytes, NULL);
    uint8_t *frozen = gpci_alloc(states->context, length);
    if (!frozen)
        return GPC_ERROR_MEMORY;
    (void)pack(states, image, bytes, frozen);
    states->bytes += length;
    states->hashes[states->count] = *hash;
    states->parents[states->count] = parent;
    states->how[states->count] = how;
    states->depths[states->count] =
        states->count ? (uint16_t)(states->depths[parent] + (states->depths[parent] < UINT16_MAX)) : 0;
    states->frozen[states->count] = frozen;
    states->pending[states->pending_count++] = states->count;
    states->slots[slot_of(states, hash)] = states->count + 1;
    states->count++;
    return GPC_OK;
}
