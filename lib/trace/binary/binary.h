/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_BINARY_BINARY_H
#define GPC_TRACE_BINARY_BINARY_H

#include "base/buffer.h"
#include "base/crc.h"
#include "trace/blocks/trace_block.h"

/*
 * The .gct format, versions 1 to 3.
 *
 *   head      "GCT\x1a", u32 version, u32 CRC of the eight bytes before
 *   kernels   per kernel its blocks, then its section
 *   index     number of kernels, per kernel the bytes of its blocks and of its section; u32 CRC
 *   tail      u64 offset of the index, u32 CRC of the offset, "\x1aTCG"
 *
 * Every byte belongs to one part, and every part to one CRC-32C: damage is always found. Offsets are sums of lengths:
 * parts cannot overlap. A kernel's section comes behind its blocks, because some data are known only after writing the
 * blocks: launch, placement, opcodes, statics, controls, shapes, and an index of the blocks.
 *
 *   statics   instructions without mask and addresses, numbered in order of first use: straight code has ascending
 *             numbers. Statics with addresses have a stream: see below.
 *   controls  the paths of warps: runs of consecutive statics under one mask. A control that came twice is in the
 *             section, and costs a warp a byte or nothing; other controls are in the block.
 *   shapes    positions of an instruction's addresses relative to the first: one stride, or differences that came
 *             twice.
 *
 * A block is its warps' controls, then the addresses of all its instructions in order, then a CRC that starts from the
 * block's index. Addresses are predicted per static: from the last address in this warp, in the warp before, or, at the
 * static's first use in the block, from the first blocks (gpci_learned). Regular kernels therefore take almost no
 * space. No block refers to another block: any block can be read alone.
 *
 * In version 2 a section ends with the kernel's recording (gpc_recording), or a 0: launch, counts, turns. In version 3
 * the dimensions of the kernel's clusters follow, 0 0 0 if unknown. A file has version 3 if its first kernel has
 * clusters, or if its tracer could have recorded clusters.
 */

#define GPCI_BINARY_VERSION 1u
#define GPCI_BINARY_RECORDED 2u
#define GPCI_BINARY_CLUSTERS 3u
#define GPCI_BINARY_CLUSTERS_TRACER 6u /* first version of the tracer that may record clusters */
#define GPCI_BINARY_HEAD 12u
#define GPCI_BINARY_TAIL 16u
#define GPCI_BINARY_CRC 4u
#define GPCI_BINARY_MAGIC "GCT\x1a"
#define GPCI_BINARY_TAIL_MAGIC "\x1aTCG"

/*
 * Values of a static's class. ALU means the class in the opcode's text, ALU or FP: files stay as before the class FP
 * existed. This value means ALU for an opcode with FP in its text.
 */
#define GPCI_BINARY_ALU 255u

#define GPCI_NO_ORDINAL UINT32_MAX
#define GPCI_NO_SHAPE UINT32_MAX

/* Place of an instruction's issue. */
typedef struct gpci_stream_place {
    uint32_t ordinal; /* number of the block in the file */
    uint32_t x, y;    /* position of the block in the grid */
    uint32_t warp;
} gpci_stream_place;

/* Data about a static's addresses, learned from the first blocks; each part is valid behind its named block. */
typedef struct gpci_learned {
    uint64_t base;                 /* first address, at block x, y and the warp below */
    uint64_t warp_step, loop_step; /* step to the next warp; step to the next execution in a warp */
    uint64_t dx, dy;               /* steps to the next block */
    uint32_t x, y, warp;
    uint32_t shape;
    uint32_t from, dx_from, dy_from; /* block ordinals; GPCI_NO_ORDINAL = unknown */
} gpci_learned;

/* Stream of a static's addresses: the first address of each instruction. Encoder and decoder keep the same state. */
typedef struct gpci_stream {
    gpci_learned learned;
    uint32_t touched; /* block ordinal + 1 */
    uint32_t warp;    /* warp of the last use */
    uint32_t shape;
    uint64_t warp_first, last;
    uint64_t warp_step, loop_step;
    /* addresses of the warp before, not yet replaced by this warp's; offset: distance of this warp's addresses */
    uint64_t *history, offset;
    size_t capacity; /* capacity of history */
    uint32_t before, count;
    uint8_t trust; /* trust in history instead of steps: from TRUST_LEAST on */
} gpci_stream;

/* Predict the next address from the last pattern; `near` is a fallback near the next address. */
void gpci_stream_predict(gpci_stream *stream, const gpci_stream_place *place, uint64_t *expected, uint64_t *near);
/* False: out of memory. */
bool gpci_stream_update(gpci_stream *stream, gpc_context *context, const gpci_stream_place *place, uint64_t address);

/* Codes of addresses: the low bits of a varint; the upper bits are the argument. */
typedef enum gpci_address_code {
    GPCI_CODE_EXPECTED = 0, /* argument + 1 instructions are as expected, also in shape */
    GPCI_CODE_MOVED = 1,    /* shape as before; followed by the first address's distance from `near` */
    GPCI_CODE_SHAPE = 2,    /* argument: shape; distance as for MOVED */
    GPCI_CODE_PACKED = 3    /* argument: bit 0 = differences, not offsets from the least; shift; see the encoder */
} gpci_address_code;

#define GPCI_MOST_SHIFT 15u

/* Shape. count 0: any number of addresses, `stride` apart; otherwise offsets[count] from the first. */
typedef struct gpci_shape {
    uint32_t count;
    uint64_t stride;
    uint64_t *offsets;
} gpci_shape;

/* Masks in a control's runs. */
enum { GPCI_MASK_WRITTEN = 0, GPCI_MASK_NONE = 1, GPCI_MASK_FULL = 2, GPCI_MASK_RECENT = 3 };
#define GPCI_RECENT_MASKS 8u

/* State of a warp while its control is written or read. */
typedef struct gpci_control_state {
    uint64_t mask, full;
    uint64_t recent[GPCI_RECENT_MASKS];
    uint32_t recent_at; /* place of the next mask */
    uint32_t next;      /* next static without a jump */
} gpci_control_state;

typedef struct gpci_block_entry {
    uint32_t index; /* linear index in the grid */
    uint64_t offset, length;
    uint64_t instructions;
} gpci_block_entry;

#endif
