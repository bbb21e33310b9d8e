/* SPDX-License-Identifier: BSD-2-Clause */
#include "verify/verify_states.h"

#include <string.h>

void gpci_verify_put_bytes(gpci_verify_hash *h, const void *bytes, size_t count) {
    const char *at = bytes;
    for (; count >= sizeof(uint64_t); at += sizeof(uint64_t), count -= sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        gpci_verify_put(h, word);
    }
    uint64_t rest = 0;
    memcpy(&rest, at, count);
    if (count)
        gpci_verify_put(h, rest);
}

void gpci_states_open(gpci_states *k, gpc_context *context) {
    *k = (gpci_states){.context = context};
}

void gpci_states_close(gpci_states *k) {
    for (uint32_t i = 0; i < k->count; i++)
        gpci_free(k->context, k->frozen[i]);
    gpci_free(k->context, k->hashes);
    gpci_free(k->context, k->slots);
    gpci_free(k->context, k->parents);
    gpci_free(k->context, k->how);
    gpci_free(k->context, k->depths);
    gpci_free(k->context, k->frozen);
    gpci_free(k->context, k->pending);
    gpci_free(k->context, k->first);
    gpci_states_open(k, k->context);
}

static uint32_t slot_of(const gpci_states *k, const gpci_verify_hash *hash) {
    uint32_t at = (uint32_t)hash->one & k->mask;
    while (k->slots[at]) {
        const gpci_verify_hash *other = &k->hashes[k->slots[at] - 1];
        if (other->one == hash->one && other->other == hash->other)
            break;
        at = (at + 1) & k->mask;
    }
    return at;
}

uint32_t gpci_states_find(const gpci_states *k, const gpci_verify_hash *hash) {
    return k->slots ? k->slots[slot_of(k, hash)] - 1 : GPCI_VERIFY_NO_STATE;
}

/* Grow an array. False: out of memory, and the array is unchanged. */
static bool larger(gpci_states *k, void *items, uint32_t room, size_t bytes) {
    void *old;
    memcpy(&old, items, sizeof old);
    void *grown = gpci_resize(k->context, old, room, bytes);
    if (grown)
        memcpy(items, &grown, sizeof grown);
    return grown != NULL;
}

static bool grow(gpci_states *k) {
    const uint32_t room = k->room ? k->room * 2 : 1024, mask = room * 2 - 1;
    if (!larger(k, &k->hashes, room, sizeof *k->hashes) || !larger(k, &k->parents, room, sizeof *k->parents) ||
        !larger(k, &k->how, room, sizeof *k->how) || !larger(k, &k->depths, room, sizeof *k->depths) ||
        !larger(k, &k->frozen, room, sizeof *k->frozen) || !larger(k, &k->pending, room, sizeof *k->pending))
        return false;
    uint32_t *slots = gpci_zalloc(k->context, (size_t)mask + 1, sizeof *slots);
    if (!slots)
        return false;
    gpci_free(k->context, k->slots);
    k->slots = slots;
    k->bytes += (room - k->room) * (sizeof *k->hashes + sizeof *k->parents + sizeof *k->how + sizeof *k->depths +
                                    sizeof *k->frozen + sizeof *k->pending + 2 * sizeof *k->slots);
    k->room = room;
    k->mask = mask;
    for (uint32_t i = 0; i < k->count; i++)
        k->slots[slot_of(k, &k->hashes[i])] = i + 1;
    return true;
}

/* -- images */

static uint8_t byte_of_first(const gpci_states *k, size_t at) {
    return at < k->first_bytes ? (uint8_t)k->first[at] : 0;
}

/*
 * Pack an image: its size, then pairs of two counts, at most 255 each. The first counts bytes equal to the first
 * image's bytes, the second counts the bytes that follow. `out` NULL: only count.
 */
static size_t pack(const gpci_states *k, const char *image, size_t bytes, uint8_t *out) {
    size_t at = 0, length = sizeof bytes;
    if (out)
        memcpy(out, &bytes, sizeof bytes);
    while (at < bytes) {
        size_t same = 0, other = 0;
        while (at + same < bytes && same < 255 && (uint8_t)image[at + same] == byte_of_first(k, at + same))
            same++;
        at += same;
        while (at + other < bytes && other < 255 && (uint8_t)image[at + other] != byte_of_first(k, at + other))
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

size_t gpci_states_size(const gpci_states *k, uint32_t state) {
    size_t bytes;
    memcpy(&bytes, k->frozen[state], sizeof bytes);
    return bytes;
}

void gpci_states_thaw(const gpci_states *k, uint32_t state, char *image) {
    const uint8_t *in = k->frozen[state] + sizeof(size_t);
    const size_t bytes = gpci_states_size(k, state);
    for (size_t at = 0; at < bytes; in += 2 + in[1]) {
        const size_t same = in[0];
        for (size_t i = 0; i < same; i++)
            image[at + i] = (char)byte_of_first(k, at + i);
        memcpy(image + at + same, in + 2, in[1]);
        at += same + in[1];
    }
}

static size_t size_of(const gpci_states *k, uint32_t state) {
    const uint8_t *in = k->frozen[state];
    const size_t bytes = gpci_states_size(k, state);
    size_t at = 0, length = sizeof bytes;
    for (; at < bytes; length += 2 + in[length + 1])
        at += (size_t)in[length] + in[length + 1];
    return length;
}

void gpci_states_spend(gpci_states *k, uint32_t state) {
    k->bytes -= size_of(k, state);
    gpci_free(k->context, k->frozen[state]);
    k->frozen[state] = NULL;
}

static bool keep_first(gpci_states *k, const void *image, size_t bytes) {
    if (k->first)
        return true;
    k->first = gpci_alloc(k->context, bytes);
    if (!k->first)
        return false;
    memcpy(k->first, image, bytes);
    k->first_bytes = bytes;
    return true;
}

gpc_status gpci_states_add(gpci_states *k, const gpci_verify_hash *hash, const void *image, size_t bytes,
                           uint32_t parent, uint16_t how) {
    if (k->count == UINT32_MAX / 4)
        return GPC_ERROR_RANGE;
    if ((k->count == k->room && !grow(k)) || !keep_first(k, image, bytes))
        return GPC_ERROR_MEMORY;
    const size_t length = pack(k, image, bytes, NULL);
    uint8_t *frozen = gpci_alloc(k->context, length);
    if (!frozen)
        return GPC_ERROR_MEMORY;
    (void)pack(k, image, bytes, frozen);
    k->bytes += length;
    k->hashes[k->count] = *hash;
    k->parents[k->count] = parent;
    k->how[k->count] = how;
    k->depths[k->count] = k->count ? (uint16_t)(k->depths[parent] + (k->depths[parent] < UINT16_MAX)) : 0;
    k->frozen[k->count] = frozen;
    k->pending[k->pending_count++] = k->count;
    k->slots[slot_of(k, hash)] = k->count + 1;
    k->count++;
    return GPC_OK;
}
