/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_BINARY_BINARY_ENCODE_H
#define GPC_TRACE_BINARY_BINARY_ENCODE_H

#include "trace/address_pool.h"
#include "trace/binary/binary.h"

/* What is known of the kernel being written. */
typedef struct gpci_encoder {
    gpc_context *context;
    gpc_kernel kernel; /* name and placement are copies */
    gpci_opcodes *opcodes;
    gpci_buffer recording;   /* as in the file; empty: there is none */
    gpci_block_pool statics; /* gpc_instruction; mask 1 where it has addresses, opcode of `opcodes` */
    gpci_stream *streams;
    size_t stream_count, stream_capacity;
    gpci_block_pool controls; /* as in the file */
    gpci_block_pool shapes;   /* u64: one is a stride, more are differences */
    gpci_block_entry *blocks;
    size_t block_count, block_capacity;
    bool learning; /* some static's first addresses came in this block */

    /* Of the block and the warp being written. */
    gpci_stream_place place;
    gpci_control_state state;
    gpci_buffer control;   /* the warp's */
    gpci_buffer warps;     /* the block's, with references to known controls */
    gpci_buffer addresses; /* the block's */
    uint64_t expected;     /* instructions whose addresses are as expected, not yet written */
    uint32_t repeated;     /* warps that took `control_number`, likewise */
    uint32_t control_number;
} gpci_encoder;

/* binary_recording.c: a kernel's recording, as in the file; NULL: there is none. */
void gpci_encode_recording(const gpc_recording *recording, gpci_buffer *out);

/* Begin a kernel. GPC_ERROR_MEMORY. */
gpc_status gpci_encoder_start(gpci_encoder *encoder, gpc_context *context, const gpc_kernel *kernel);
void gpci_encoder_clear(gpci_encoder *encoder);
/*
 * Encode a block at `offset` of the file, of which opcode o is opcodes[o] here. Appends to `out` all but the CRC.
 * GPC_ERROR_MEMORY, after which the encoder can only be cleared.
 */
gpc_status gpci_encoder_block(gpci_encoder *encoder, const gpc_block *block, const uint32_t *opcodes, uint64_t offset,
                              gpci_buffer *out);
/* Append the kernel's section, of a version of the format, all but the CRC. */
gpc_status gpci_encoder_section(const gpci_encoder *encoder, uint32_t version, gpci_buffer *out);

/* Encode an instruction's addresses, one per active lane. */
gpc_status gpci_encode_addresses(gpci_encoder *encoder, uint32_t number, const uint64_t *addresses, unsigned count);
void gpci_encode_expected(gpci_encoder *encoder);

#endif
