/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_TRACE_BLOCK_H
#define GPC_TRACE_TRACE_BLOCK_H

#include "trace/blocks/builder.h"
#include "trace/blocks/packer.h"

/* Chunk of addresses. Chunks never move: instructions can point to addresses while the block grows. */
typedef struct gpci_address_chunk {
    struct gpci_address_chunk *next;
    size_t capacity;
    uint64_t addresses[];
} gpci_address_chunk;

/* Place of a warp's instructions while their array may still move. */
typedef struct gpci_warp_span {
    size_t first;
    size_t count; /* with the EXIT, if `supplied` */
    bool begun;
    bool supplied; /* the builder appended an EXIT, which the trace lacks */
} gpci_warp_span;

struct gpci_block {
    gpc_block view; /* must be the first member (gpci_block_of) */
    gpc_context *context;
    gpc_instruction *instructions;
    size_t count, capacity;
    gpci_address_chunk *first, *current;
    size_t used; /* used addresses of `current` */
    gpc_warp *warps;
    gpci_warp_span *spans;
    uint32_t warp_capacity;
    uint32_t warp;                           /* warp being filled; UINT32_MAX = none */
    gpci_packer *packer;                     /* if not NULL, packs each ended warp; the view has no warps */
    gpci_block *next_free, *previous, *next; /* lists of the trace that owns the block */
};

/* Pack the present warp's instructions, and free their room. False: out of memory. */
bool gpci_block_pack(gpci_block *block);

/* Reserve room for `instructions`, one EXIT behind, and `addresses` contiguous addresses. False: out of memory. */
bool gpci_block_grow(gpci_block *block, size_t instructions, size_t addresses);

GPCI_INLINE bool gpci_block_reserve(gpci_block *block, size_t instructions, size_t addresses) {
    if (GPCI_LIKELY(block->current && block->capacity - block->count > instructions &&
                    block->current->capacity - block->used >= addresses))
        return true;
    return gpci_block_grow(block, instructions, addresses);
}

/* Take `count` addresses from the reserved room. */
GPCI_INLINE uint64_t *gpci_block_take(gpci_block *block, size_t count) {
    uint64_t *addresses = block->current->addresses + block->used;
    block->used += count;
    return addresses;
}

/* Largest number of a block's instructions: far above real blocks; limits the memory for a hostile file. */
#define GPCI_BLOCK_MOST_INSTRUCTIONS (UINT64_C(1) << 26)

GPCI_INLINE uint64_t gpci_full_mask(uint32_t lanes) {
    return lanes >= 64 ? UINT64_MAX : (UINT64_C(1) << lanes) - 1;
}

#endif
