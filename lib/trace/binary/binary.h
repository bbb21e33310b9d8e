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
 *   controls  the paths of warps: runs of consecutive statics under one mask. When a control comes the second time, the
 *             section gets the control; from then on, blocks have only its number, once for consecutive equal warps. A
 *             block has the whole control of any other warp.
 *   shapes    positions of an instruction's addresses relative to the first: a stride, or the differences between
 *             neighbours. Differences are in the section if they came twice.
 *
 * A block is its warps' controls, then the addresses of all its instructions in order, then a CRC of the block's index
 * and these bytes. Addresses are predicted per static: from the last address in this warp, in the warp before, or, at
 * the static's first use in the block, from the first blocks (gpci_learned). Regular kernels therefore take almost no
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
 * Class of a static in the file. The format is older than GPC_OP_FP. For an opcode of the class GPC_OP_FP, the file has
 * therefore GPC_OP_ALU if the instruction's class is GPC_OP_FP, and GPCI_BINARY_ALU if it is GPC_OP_ALU.
 */
#define GPCI_BINARY_ALU 255u

#define GPCI_NO_ORDINAL UINT32_MAX
#define GPCI_NO_SHAPE UINT32_MAX

/* Place of an instruction in the trace: thread block and warp. */
typedef struct gpci_stream_place {
    uint32_t ordinal; /* number of the block in the file */
    uint32_t x, y;    /* position of the block in the grid */
    uint32_t warp;
} gpci_stream_place;

/*
 * Data about a static's addresses, learned from the first blocks. dx is used in blocks behind block `dx_from`, dy
 * behind `dy_from`, all other data behind block `from`.
 */
typedef struct gpci_learned {
    uint64_t base;                 /* first address of the static in block (x, y), by warp `warp` */
    uint64_t warp_step, loop_step; /* steps to the next warp, and to the next execution in a warp */
    uint64_t dx, dy;               /* steps to the next block of the row, and of the column */
    uint32_t x, y, warp;
    uint32_t shape;
    uint32_t from, dx_from, dy_from; /* ordinals of blocks; GPCI_NO_ORDINAL: not learned */
} gpci_learned;

/* Stream of a static's addresses: the first address of each instruction. Encoder and decoder keep the same state. */
typedef struct gpci_stream {
    gpci_learned learned;
    uint32_t touched; /* ordinal + 1 of the last block that used the static; 0: none */
    uint32_t warp;    /* warp of the last use */
    uint32_t shape;
    uint64_t warp_first, last;
    uint64_t warp_step, loop_step;
    /*
     * history: `count` addresses of warp `warp`, then addresses of the warp before, up to `before`. offset: first
     * address of `warp` minus the first address of the warp before.
     */
    uint64_t *history, offset;
    size_t capacity; /* capacity of history */
    uint32_t before, count;
    uint8_t trust; /* from TRUST_LEAST on, history predicts the next address; below, the step does (binary_predict.c) */
} gpci_stream;

/*
 * Predict the static's next address. *expected: the prediction. *near: an address near the next address; if the
 * prediction is wrong, the file has the distance from *near.
 */
void gpci_stream_predict(gpci_stream *stream, const gpci_stream_place *place, uint64_t *expected, uint64_t *near);
/* Add the static's real address to the stream. False: out of memory. */
bool gpci_stream_update(gpci_stream *stream, gpc_context *context, const gpci_stream_place *place, uint64_t address);

/* Varint before addresses: the two lowest bits are a code, the upper bits are the code's argument. */
typedef enum gpci_address_code {
    GPCI_CODE_EXPECTED = 0, /* argument + 1 instructions have the predicted address, and the stream's shape */
    GPCI_CODE_MOVED = 1,    /* stream's shape; the first address's distance from *near follows */
    GPCI_CODE_SHAPE = 2,    /* argument: number of the shape; the distance follows, as for MOVED */
    GPCI_CODE_PACKED = 3    /* argument: how the addresses are packed (put_packed in binary_address.c) */
} gpci_address_code;

#define GPCI_MOST_SHIFT 15u

/*
 * Shape: positions of an instruction's addresses. If `count` is 0, any number of addresses are `stride` apart.
 * Otherwise the instruction has `count` addresses, and offsets[i] is the distance of address i from the first.
 */
typedef struct gpci_shape {
    uint32_t count;
    uint64_t stride;
    uint64_t *offsets;
} gpci_shape;

/*
 * Codes of a run's mask. WRITTEN: the mask's bytes follow. NONE: no lane. FULL: all lanes. RECENT + n: the mask written
 * last, if n is 0; or n masks before.
 */
enum { GPCI_MASK_WRITTEN = 0, GPCI_MASK_NONE = 1, GPCI_MASK_FULL = 2, GPCI_MASK_RECENT = 3 };
#define GPCI_RECENT_MASKS 8u

/* State of a warp while its control is written or read. */
typedef struct gpci_control_state {
    uint64_t mask, full;
    uint64_t recent[GPCI_RECENT_MASKS];
    uint32_t recent_at; /* number of written masks; the next goes to recent[recent_at % GPCI_RECENT_MASKS] */
    uint32_t next;      /* static behind the last run; a run from another static needs a jump */
} gpci_control_state;

typedef struct gpci_block_entry {
    uint32_t index; /* linear index in the grid */
    uint64_t offset, length;
    uint64_t instructions;
} gpci_block_entry;

#endif
