/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_BINARY_BINARY_H
#define GPC_TRACE_BINARY_BINARY_H

#include "base/buffer.h"
#include "base/crc.h"
#include "trace/trace_block.h"

/*
 * The .gct format, versions 1 to 3.
 *
 *   head      "GCT\x1a", u32 version, u32 CRC of the eight bytes before
 *   kernels   per kernel its blocks, then its section
 *   index     number of kernels, per kernel the bytes of its blocks and of its section; u32 CRC
 *   tail      u64 offset of the index, u32 CRC of it, "\x1aTCG"
 *
 * Every byte belongs to one part and every part to one CRC-32C, so that damage is always found; offsets are sums of
 * lengths, so that parts cannot overlap. A kernel's section comes behind its blocks, for it holds what is known only
 * when they are written: launch, placement, opcodes, statics, controls, shapes, and an index of the blocks.
 *
 *   statics   what instructions are but for mask and addresses, numbered as they first came, so that straight code
 *             runs upwards. Those with addresses have a stream: see below.
 *   controls  the paths of warps: runs of consecutive statics under one mask. Those that came twice are in the
 *             section and cost a warp a byte or none; the others stand in the block.
 *   shapes    how the addresses of an instruction lie to the first: one stride, or differences that came twice.
 *
 * A block is its warps' controls, then the addresses of all its instructions in order, then a CRC that starts from
 * the block's index. Addresses are predicted per static, from the last in this warp, in the warp before, or, at its
 * first in the block, from what the first blocks showed (gpci_learned), so that regular kernels cost next to nothing.
 * Nothing refers to another block: any can be read alone.
 *
 * In version 2 a section ends with the kernel's recording (gpc_recording), or a 0: its launch, its counts, its turns.
 * In version 3 the dimensions of its clusters follow, 0 0 0 where they are not told. A file is of version 3 if its
 * first kernel's are, or its tracer is one that could tell them.
 */

#define GPCI_BINARY_VERSION 1u
#define GPCI_BINARY_RECORDED 2u
#define GPCI_BINARY_CLUSTERS 3u
#define GPCI_BINARY_CLUSTERS_TRACER 6u /* the first version of the tracer that may tell of clusters */
#define GPCI_BINARY_HEAD 12u
#define GPCI_BINARY_TAIL 16u
#define GPCI_BINARY_CRC 4u
#define GPCI_BINARY_MAGIC "GCT\x1a"
#define GPCI_BINARY_TAIL_MAGIC "\x1aTCG"

/*
 * Written as a static's class: ALU is what the opcode's text says, ALU or FP, so that files are what they were before
 * there was a class for FP; this is ALU where the text says FP.
 */
#define GPCI_BINARY_ALU 255u

#define GPCI_NO_ORDINAL UINT32_MAX
#define GPCI_NO_SHAPE UINT32_MAX

/* Where an instruction is issued. */
typedef struct gpci_stream_place {
    uint32_t ordinal; /* of the block in the file */
    uint32_t x, y;    /* of the block in the grid */
    uint32_t warp;
} gpci_stream_place;

/* What the first blocks teach about a static's addresses; each part holds for the blocks behind the one named. */
typedef struct gpci_learned {
    uint64_t base;                 /* first address, at the block x, y and the warp below */
    uint64_t warp_step, loop_step; /* to the next warp, to the next time round in one warp */
    uint64_t dx, dy;               /* to the next block */
    uint32_t x, y, warp;
    uint32_t shape;
    uint32_t from, dx_from, dy_from; /* block ordinals; GPCI_NO_ORDINAL */
} gpci_learned;

/* A static's addresses as they come: `first` of each instruction's. Encoder and decoder keep the same state. */
typedef struct gpci_stream {
    gpci_learned learned;
    uint32_t touched; /* block ordinal + 1 */
    uint32_t warp;    /* in which it was last */
    uint32_t shape;
    uint64_t warp_first, last;
    uint64_t warp_step, loop_step;
    /* Addresses in the warp before, as far as those of this one have not replaced them, and how far this one is off. */
    uint64_t *history, offset;
    size_t capacity; /* of history */
    uint32_t before, count;
    uint8_t trust; /* in the history rather than the steps: from TRUST_LEAST on */
} gpci_stream;

/* What the next address will be if all goes on as before, and one that it will at least be near to. */
void gpci_stream_predict(gpci_stream *stream, const gpci_stream_place *place, uint64_t *expected, uint64_t *near);
/* False: out of memory. */
bool gpci_stream_update(gpci_stream *stream, gpc_context *context, const gpci_stream_place *place, uint64_t address);

/* How addresses are coded: the low bits of a varint, the rest is the argument. */
typedef enum gpci_address_code {
    GPCI_CODE_EXPECTED = 0, /* argument + 1 instructions are as expected, in shape too */
    GPCI_CODE_MOVED = 1,    /* shape as before; the first address's distance from `near` follows */
    GPCI_CODE_SHAPE = 2,    /* argument: shape; distance as above */
    GPCI_CODE_PACKED = 3    /* argument: bit 0 differences, not offsets from the least; shift; then see the encoder */
} gpci_address_code;

#define GPCI_MOST_SHIFT 15u

/* count 0: any number of addresses, `stride` apart; otherwise offsets[count] from the first. */
typedef struct gpci_shape {
    uint32_t count;
    uint64_t stride;
    uint64_t *offsets;
} gpci_shape;

/* Masks in a control's runs. */
enum { GPCI_MASK_WRITTEN = 0, GPCI_MASK_NONE = 1, GPCI_MASK_FULL = 2, GPCI_MASK_RECENT = 3 };
#define GPCI_RECENT_MASKS 8u

/* A warp's state while its control is written or read. */
typedef struct gpci_control_state {
    uint64_t mask, full;
    uint64_t recent[GPCI_RECENT_MASKS];
    uint32_t recent_at; /* where the next goes */
    uint32_t next;      /* the static that follows without a jump */
} gpci_control_state;

typedef struct gpci_block_entry {
    uint32_t index; /* linear, in the grid */
    uint64_t offset, length;
    uint64_t instructions;
} gpci_block_entry;

#endif
