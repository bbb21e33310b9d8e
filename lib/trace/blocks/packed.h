/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_PACKED_H
#define GPC_TRACE_PACKED_H

#include "base/buffer.h"
#include "trace/blocks/operands.h"

/*
 * Bytes of an instruction up to its last field. Some machines of 32 bits have meaningless padding behind the last
 * field.
 */
#define GPCI_INSTRUCTION_FIELDS (offsetof(gpc_instruction, width) + sizeof(uint8_t))
_Static_assert(GPCI_INSTRUCTION_FIELDS == 32 + sizeof(uint64_t *) + GPC_MAX_OPERANDS * sizeof(uint16_t),
               "it is compared byte by byte: nothing may lie between its fields");

/*
 * Thread blocks as stored by a replay during execution: many blocks, each for a long time. Warps of a kernel execute
 * mostly the same instructions, and differ in lanes and addresses. Each distinct instruction, without lanes and
 * addresses, is stored once. A path is a warp's sequence of instructions with their lanes, stored once for all warps
 * with the same path. Addresses are bytes, unpacked when an instruction issues.
 *
 * Example: 1000 warps of 100 instructions, 20 of them loads with a stride. 100 instructions take 104 bytes each, one
 * path 1600 bytes, and addresses 1000 times 20 times 4 bytes. If each warp has its own path, a step takes 16 bytes.
 */

/* Largest number of a warp's lanes. */
#define GPCI_MOST_LANES 64u

/*
 * Value of `addresses` in an instruction that goes to the hierarchy; the real addresses are in the warp's bytes. For
 * all other instructions, also for shared memory, `addresses` is NULL.
 */
extern const uint64_t gpci_packed_addresses[GPCI_MOST_LANES];

/* Instruction, stored once, and the form that followed last time. Mask: all ones, or 0 if no lane is active. */
typedef struct gpci_form {
    gpc_instruction instruction;
    gpci_operands operands;
    struct gpci_form *follows;
} gpci_form;

/* Instruction as executed by a warp. */
typedef struct gpci_path_step {
    const gpci_form *form;
    uint64_t mask; /* lanes of the step */
} gpci_path_step;

typedef struct gpci_path {
    struct gpci_path *next; /* next path of the bucket */
    uint64_t hash;
    size_t users; /* number of warps */
    size_t count;
    size_t barriers;        /* number of steps that wait at a barrier of the thread block */
    uint32_t planes;        /* bit for each scoreboard plane used by the steps */
    gpci_path_step steps[]; /* the last step is an EXIT */
} gpci_path;

/* Position of a warp in its bytes of addresses. */
typedef struct gpci_address_cursor {
    const uint8_t *at;
    const uint8_t *list; /* offsets of the last list */
    uint64_t first;      /* address of the first lane in the last access */
    unsigned width;      /* bytes of each offset in `list` */
} gpci_address_cursor;

typedef struct gpci_packed_warp {
    gpci_path *path;
    const uint8_t *addresses;
} gpci_packed_warp;

typedef struct gpci_packed_block {
    struct gpci_packed_block *next, **link; /* list of blocks lent by the trace; *link is this block */
    struct gpci_form_set *set;              /* set with the block's instructions */
    uint32_t index;                         /* as in gpc_block */
    uint32_t warp_count;
    gpci_packed_warp warps[];
} gpci_packed_block;

/* gpc_trace_next_block and gpc_trace_release_block for packed blocks. Instructions live as long as the block. */
gpc_status gpci_trace_next_packed(gpc_trace *trace, const gpci_packed_block **out, gpc_error *error);
void gpci_trace_release_packed(gpc_trace *trace, const gpci_packed_block *block);
/* True if both traces were opened by the same name. */
bool gpci_trace_is_same(const gpc_trace *one, const gpc_trace *other);

/*
 * Format of an access's addresses: a byte with two halves, then data. The lower half is the number of bytes of the
 * distance from the last access's first lane to this access's first lane, in zigzag code. The upper half is the kind:
 */
enum {
    GPCI_PACK_STRIDE_0, /* lanes at the same address, or a single lane */
    GPCI_PACK_STRIDE_4,
    GPCI_PACK_STRIDE_8,
    GPCI_PACK_STRIDE, /* 8 bytes: the step between lanes */
    GPCI_PACK_AGAIN,  /* distances from the first lane as in the last list */
    GPCI_PACK_LIST    /* a byte with the width, then for each further lane a signed number of `width` bytes */
};

/* Bytes behind the last byte that a reader may read. */
#define GPCI_PACKED_SLACK 8u

/* Number of lanes; most steps have all 32 lanes of a warp. */
GPCI_INLINE unsigned gpci_path_lanes(const gpci_path_step *step) {
    return GPCI_LIKELY(step->mask == UINT32_MAX) ? 32 : gpci_popcount(step->mask);
}

GPCI_INLINE gpci_address_cursor gpci_packed_begin(const gpci_packed_warp *warp) {
    return (gpci_address_cursor){.at = warp->addresses};
}

/* Low `bytes` of eight bytes. */
GPCI_INLINE uint64_t gpci_packed_load(const uint8_t *at, unsigned bytes) {
    uint64_t all = gpci_load64(at);
    return bytes >= 8 ? all : all & ((UINT64_C(1) << 8 * bytes) - 1);
}

/*
 * If the lanes of `width` bytes touch a contiguous range, return the range's bytes, set `first` to its first address,
 * and move the cursor behind the instruction. Otherwise return 0 and change nothing.
 */
GPCI_INLINE uint32_t gpci_packed_range(gpci_address_cursor *cursor, unsigned lanes, unsigned width, uint64_t *first) {
    const unsigned head = *cursor->at, bytes = head & 15, kind = head >> 4;
    if (kind > GPCI_PACK_STRIDE_8 || (kind && kind * 4 != width))
        return 0;
    cursor->first += gpci_unzigzag(gpci_packed_load(cursor->at + 1, bytes));
    cursor->at += 1 + bytes;
    *first = cursor->first;
    return kind ? lanes * width : width;
}

/* Read the addresses of the warp's next instruction with addresses, for `lanes` lanes. */
void gpci_packed_take(gpci_address_cursor *cursor, unsigned lanes, uint64_t *addresses);

#endif
