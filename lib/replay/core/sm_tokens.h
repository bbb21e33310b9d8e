/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REPLAY_SM_TOKENS_H
#define GPC_REPLAY_SM_TOKENS_H

#include "trace/blocks/packed.h"

/*
 * Token of an SM's completion, from the lowest bit on:
 *
 *   bit   0        0: load or atomic; its warp waits for completion. The other bits are the instruction's number,
 *   counted
 *                  from the end of the warp's path. 1: other accesses, with the fields:
 *   bits  1 to 32  number of the warp in its slot; with MULTICAST the destination thread block; with ICACHE the MSHR
 *                  entry
 *   bits 33 to 41  copies: place (copies.h), from 1; others: 0
 *   bits 42 to 55  copies: bytes for an mbarrier
 *   bits 42 to 49  others, with kernels at once: stream (together.h); for copies the warp has the stream
 *   bit  62        MULTICAST: a multicast copy, at one of its destination SMs
 *   bit  63        ICACHE: a line for the instruction cache
 */
#define GPCI_TOKEN_PLACE 33
#define GPCI_TOKEN_PLACES 0x1ffu
#define GPCI_TOKEN_BYTES 42
#define GPCI_TOKEN_MOST_BYTES 0x3fffu
#define GPCI_TOKEN_STREAM 42
#define GPCI_TOKEN_MULTICAST (UINT64_C(1) << 62)
#define GPCI_TOKEN_ICACHE (UINT64_C(1) << 63)

_Static_assert(GPCI_TOKEN_MOST_BYTES / UINT8_MAX >= GPCI_MOST_LANES, "bytes of a copy, whose width is an uint8_t");
_Static_assert((uint64_t)GPCI_TOKEN_MOST_BYTES << GPCI_TOKEN_BYTES < GPCI_TOKEN_MULTICAST, "bits are one thing each");
_Static_assert((uint64_t)UINT8_MAX << GPCI_TOKEN_STREAM < GPCI_TOKEN_MULTICAST, "likewise");
_Static_assert((uint64_t)GPCI_TOKEN_PLACES << GPCI_TOKEN_PLACE < UINT64_C(1) << GPCI_TOKEN_BYTES, "likewise");

GPCI_INLINE uint32_t gpci_token_number(uint64_t token) {
    return (uint32_t)(token >> 1);
}
GPCI_INLINE uint32_t gpci_token_place(uint64_t token) {
    return (uint32_t)(token >> GPCI_TOKEN_PLACE) & GPCI_TOKEN_PLACES;
}
GPCI_INLINE uint32_t gpci_token_bytes(uint64_t token) {
    return (uint32_t)(token >> GPCI_TOKEN_BYTES) & GPCI_TOKEN_MOST_BYTES;
}
GPCI_INLINE uint8_t gpci_token_stream(uint64_t token) {
    return (uint8_t)(token >> GPCI_TOKEN_STREAM);
}
GPCI_INLINE uint64_t gpci_token_copies(uint64_t place, uint64_t bytes) {
    return bytes << GPCI_TOKEN_BYTES | place << GPCI_TOKEN_PLACE;
}

#endif
