/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_BINARY_BINARY_ENCODE_H
#define GPC_TRACE_BINARY_BINARY_ENCODE_H

#include "trace/binary/binary.h"
#include "trace/blocks/address_pool.h"

/* Encoder state of the kernel being written. */
typedef struct gpci_encoder {
    gpc_context *context;
    gpc_kernel kernel; /* name and placement are copies */
    gpci_opcodes *opcodes;
    gpci_buffer recording; /* in the file's format; empty: no recording */
    /* each entry is a gpc_instruction. `mask` is 1 if the static has addresses; `opcode` is a number of `opcodes`. */
    gpci_block_pool statics;
    gpci_stream *streams;
    size_t stream_count, stream_capacity;
    gpci_block_pool controls; /* in the file's format */
    gpci_block_pool shapes;   /* entries of u64: one number is a stride, more numbers are differences */
    gpci_block_entry *blocks;
    size_t block_count, block_capacity;
    bool learning; /* a static had its first addresses in this block */

    /* State of the block and of the warp being written. */
    gpci_stream_place place;
    gpci_control_state state;
    gpci_buffer control;   /* runs of the warp */
    gpci_buffer warps;     /* controls of the block's warps, with references to known controls */
    gpci_buffer addresses; /* addresses of the block */
    uint64_t expected;     /* instructions with expected addresses, not yet written */
    uint32_t repeated;     /* warps with `control_number`, not yet written */
    uint32_t control_number;
} gpci_encoder;

/* binary_recording.c: append a kernel's recording in the file's format. If `recording` is NULL, append a 0. */
void gpci_encode_recording(const gpc_recording *recording, gpci_buffer *out);

/* Begin a kernel. Fails with GPC_ERROR_MEMORY. */
gpc_status gpci_encoder_start(gpci_encoder *encoder, gpc_context *context, const gpc_kernel *kernel);
void gpci_encoder_clear(gpci_encoder *encoder);
/*
 * Encode a block for `offset` of the file, and append it to `out` without the CRC. `opcodes` maps the opcode numbers of
 * the block to the numbers of the encoder. After GPC_ERROR_MEMORY the encoder can only be cleared.
 */
gpc_status gpci_encoder_block(gpci_encoder *encoder, const gpc_block *block, const uint32_t *opcodes, uint64_t offset,
                              gpci_buffer *out);
/* Append the kernel's section for a format version, without the CRC. */
gpc_status gpci_encoder_section(const gpci_encoder *encoder, uint32_t version, gpci_buffer *out);

/* Encode the addresses of an instruction of static `number`: `count` addresses, one for each active lane. */
gpc_status gpci_encode_addresses(gpci_encoder *encoder, uint32_t number, const uint64_t *addresses, unsigned count);
/* Write the count of instructions with expected addresses, if there are any, and set the count to 0. */
void gpci_encode_expected(gpci_encoder *encoder);

#endif
