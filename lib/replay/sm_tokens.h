/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REPLAY_SM_TOKENS_H
#define GPC_REPLAY_SM_TOKENS_H

#include "trace/packed.h"

/*
 * What the token of an SM's completion says, from the lowest bit on:
 *
 *   bit   0        0: a load or an atomic, whose warp stays until it is done; the other bits are then the instruction,
 *                  counted from the end of the warp's path. 1: anything else, and then
 *   bits  1 to 32  its warp, by the number of warps that its slot has had; with MULTICAST the thread block that it is
 *                  for; with ICACHE the MSHR entry
 *   bits 33 to 41  of a copy, its place (copies.h), from 1; of others 0
 *   bits 42 to 55  of a copy, the bytes that it brings to an mbarrier
 *   bits 42 to 49  of others, with kernels at once, the stream (together.h); a copy's warp stays, and has it
 *   bit  62        MULTICAST: of a multicast copy, at one of the SMs that it is for
 *   bit  63        ICACHE: of a line for the instruction cache
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
