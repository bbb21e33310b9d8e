/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_BINARY_BINARY_DECODE_H
#define GPC_TRACE_BINARY_BINARY_DECODE_H

#include "trace/binary/binary.h"

typedef struct gpci_slice {
    const uint8_t *at;
    uint64_t length;
} gpci_slice;

/* Section of a kernel after reading. No value is trusted: a value out of range ends the reading. */
typedef struct gpci_decoder {
    gpc_context *context;
    gpci_opcodes *opcodes;
    uint8_t *bytes; /* bytes of the section; controls point into the bytes */
    gpc_kernel kernel;
    char *name;
    uint32_t *placement;
    gpc_recording recording;
    gpc_turn *turns;
    gpc_instruction *statics; /* each mask has all lanes */
    gpci_stream *streams;
    uint32_t *next_addressed; /* [i]: first static with addresses from i on; static_count if none follows */
    uint32_t static_count;
    gpci_slice *controls;
    uint32_t control_count;
    gpci_shape *shapes;
    uint64_t *offsets; /* offsets of all shapes */
    uint32_t shape_count;
    gpci_block_entry *blocks;
    uint64_t block_count;
} gpci_decoder;

/*
 * binary_recording.c: read a kernel's recording. Turns may name blocks below `blocks` and warps below `warps`. False:
 * the recording is invalid, or *memory is set (out of memory).
 */
bool gpci_decode_recording(gpci_decoder *decoder, gpci_cursor *cursor, uint64_t blocks, uint32_t warps, bool *memory);

/*
 * Read the section of a kernel in a file of format `version`. The section has `length` bytes; `bytes` has GPCI_SLACK
 * more, and belongs to the decoder from now on. The kernel's blocks begin at `offset` of the file and have `blocks`
 * bytes. Errors: GPC_ERROR_MEMORY; GPC_ERROR_FORMAT, with the place in the section, *at, and the expected part, *what.
 */
gpc_status gpci_decoder_start(gpci_decoder *decoder, gpc_context *context, gpci_opcodes *opcodes, uint32_t version,
                              uint8_t *bytes, uint64_t length, uint64_t offset, uint64_t blocks, uint64_t *at,
                              const char **what);
void gpci_decoder_clear(gpci_decoder *decoder);
/* Forget the blocks already decoded: the kernel's blocks can be decoded again, from the first. */
void gpci_decoder_rewind(gpci_decoder *decoder);
/* Decode block number `ordinal` from its bytes, without the CRC. Errors as for gpci_decoder_start. */
gpc_status gpci_decoder_block(gpci_decoder *decoder, uint32_t ordinal, const uint8_t *bytes, uint64_t length,
                              gpci_block *block, uint64_t *at, const char **what);

#endif
