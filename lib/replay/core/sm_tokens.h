/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REPLAY_SM_TOKENS_H
#define GPC_REPLAY_SM_TOKENS_H

#include "trace/blocks/packed.h"

/*
 * Token of an SM's access, which the completion of the access returns. Bits:
 *
 *   0         0: load or atomic, for which the warp waits. The other bits are the number of the instruction, counted
 *             from the end of the warp's path. 1: another access, with the following fields
 *   1 to 32   number of warps that the slot has had (gpci_timed_warp.starts). With bit 62: index of the destination
 *             thread block. With bit 63: MSHR entry of the instruction cache
 *   33 to 41  copies: place (copies.h), from 1. Other accesses: 0
 *   42 to 55  copies: number of bytes for an mbarrier
 *   42 to 49  other accesses, with concurrent kernels (together.h): stream
 *   62        GPCI_TOKEN_MULTICAST: a multicast copy at one of its destination SMs
 *   63        GPCI_TOKEN_ICACHE: a line for the instruction cache
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
