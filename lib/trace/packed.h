/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_PACKED_H
#define GPC_TRACE_PACKED_H

#include "base/buffer.h"
#include "trace/operands.h"

/* Of an instruction, up to its last field: some machines of 32 bits put bytes behind it, which mean nothing. */
#define GPCI_INSTRUCTION_FIELDS (offsetof(gpc_instruction, width) + sizeof(uint8_t))
_Static_assert(GPCI_INSTRUCTION_FIELDS == 32 + sizeof(uint64_t *) + GPC_MAX_OPERANDS * sizeof(uint16_t),
               "it is compared byte by byte: nothing may lie between its fields");

/*
 * Thread blocks as a replay holds them while they run: many of them, each for long. Warps of a kernel execute much the
 * same instructions, and differ in lanes and addresses. So each distinct instruction, both left out, is there once; a
 * warp's path, the instructions that it executes one after the other and which of its lanes do, is there once for all
 * warps that take it; and addresses are bytes, unpacked when an instruction issues.
 *
 * Example: 1000 warps of 100 instructions, 20 of them loads with a stride: 100 instructions of 104 bytes, one path of
 * 1600 bytes, and 1000 times 20 times 4 bytes of addresses. Where each warp goes its own way, a step is 16 bytes.
 */

/* Lanes of a warp, at most. */
#define GPCI_MOST_LANES 64u

/*
 * Where `addresses` of an instruction points that goes to the hierarchy; they themselves are in the warp's bytes. Of
 * all others, those to shared memory among them, it is NULL.
 */
extern const uint64_t gpci_packed_addresses[GPCI_MOST_LANES];

/* An instruction, once, and the one that came behind it the last time. Its mask is all ones, or 0 if no lane runs. */
typedef struct gpci_form {
    gpc_instruction instruction;
    gpci_operands operands;
    struct gpci_form *follows;
} gpci_form;

/* An instruction as a warp executes it. */
typedef struct gpci_path_step {
    const gpci_form *form;
    uint64_t mask; /* its lanes */
} gpci_path_step;

typedef struct gpci_path {
    struct gpci_path *next; /* of the same bucket */
    uint64_t hash;
    size_t users; /* warps */
    size_t count;
    size_t barriers;        /* steps at which a warp waits for its block */
    uint32_t planes;        /* of a scoreboard, that its steps use: a bit for each */
    gpci_path_step steps[]; /* the last is an EXIT */
} gpci_path;

/* How far a warp has come in its bytes of addresses. */
typedef struct gpci_address_cursor {
    const uint8_t *at;
    const uint8_t *list; /* the offsets last listed */
    uint64_t first;      /* address of the first lane, the last time */
    unsigned width;      /* bytes of each of these offsets */
} gpci_address_cursor;

typedef struct gpci_packed_warp {
    gpci_path *path;
    const uint8_t *addresses;
} gpci_packed_warp;

typedef struct gpci_packed_block {
    struct gpci_packed_block *next, **link; /* of those that the trace has lent; *link is this one */
    struct gpci_form_set *set;              /* what its instructions lie in */
    uint32_t index;                         /* as in gpc_block */
    uint32_t warp_count;
    gpci_packed_warp warps[];
} gpci_packed_block;

/* As gpc_trace_next_block and gpc_trace_release_block. Instructions live as long as the block. */
gpc_status gpci_trace_next_packed(gpc_trace *trace, const gpci_packed_block **out, gpc_error *error);
void gpci_trace_release_packed(gpc_trace *trace, const gpci_packed_block *block);
/* Were two traces opened by the same name? */
bool gpci_trace_is_same(const gpc_trace *one, const gpc_trace *other);

/*
 * What an access's addresses are: a byte, then the distance of the first lane's from the last access's, in as many
 * bytes as the lower half says, in zigzag; then as the upper half says.
 */
enum {
    GPCI_PACK_STRIDE_0, /* lanes at the same address, or one lane */
    GPCI_PACK_STRIDE_4,
    GPCI_PACK_STRIDE_8,
    GPCI_PACK_STRIDE, /* 8 bytes: the step from lane to lane */
    GPCI_PACK_AGAIN,  /* distances from the first lane's as last listed */
    GPCI_PACK_LIST    /* a byte: the width; and so many bytes for each further lane, signed */
};

/* Bytes behind the last that a reader may read. */
#define GPCI_PACKED_SLACK 8u

/* How many lanes: of most steps all of a warp of 32. */
GPCI_INLINE unsigned gpci_path_lanes(const gpci_path_step *step) {
    return GPCI_LIKELY(step->mask == UINT32_MAX) ? 32 : gpci_popcount(step->mask);
}

GPCI_INLINE gpci_address_cursor gpci_packed_begin(const gpci_packed_warp *warp) {
    return (gpci_address_cursor){.at = warp->addresses};
}

/* The low `bytes` of eight. */
GPCI_INLINE uint64_t gpci_packed_load(const uint8_t *at, unsigned bytes) {
    uint64_t all = gpci_load64(at);
    return bytes >= 8 ? all : all & ((UINT64_C(1) << 8 * bytes) - 1);
}

/*
 * If lanes of `width` bytes touch a range, its bytes: then the first address is in `first`, and the cursor behind the
 * instruction. Else 0, and nothing has changed.
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

/* Addresses of the warp's next instruction that has any, of so many lanes. */
void gpci_packed_take(gpci_address_cursor *cursor, unsigned lanes, uint64_t *addresses);

#endif
