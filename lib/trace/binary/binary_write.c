/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/array.h"
#include "trace/binary/binary_encode.h"
#include "trace/files/output.h"
#include "trace/writer.h"

#include <string.h>

typedef struct binary_sink {
    gpci_sink base;
    gpci_crc crc;
    gpci_output *output;
    gpci_encoder encoder; /* encoder of the present kernel; context NULL before the first kernel */
    gpci_buffer part;     /* bytes of the block, section or index being made */
    gpci_buffer index;    /* lengths of each kernel's blocks and section */
    uint64_t kernels, blocks_at;
    uint32_t version;  /* 0 = the head is not written yet */
    uint32_t *opcodes; /* [opcode of the trace]: the encoder's opcode number */
    size_t opcode_capacity;
} binary_sink;

static binary_sink *of(gpci_sink *sink) {
    return (binary_sink *)sink;
}

/* Write `part` and its CRC, which starts from `seed`. */
static gpc_status write_part(binary_sink *binary, uint32_t seed, gpc_error *error) {
    uint8_t crc[4];
    if (binary->part.failed)
        return gpci_out_of_memory(error);
    gpci_store32(crc, gpci_crc_of(&binary->crc, seed, binary->part.data, binary->part.length));
    gpc_status status = gpci_output_write(binary->output, binary->part.data, binary->part.length, error);
    return status == GPC_OK ? gpci_output_write(binary->output, crc, sizeof crc, error) : status;
}

static gpc_status end_kernel(binary_sink *binary, gpc_error *error) {
    if (!binary->encoder.context)
        return GPC_OK;
    uint64_t section_at = gpci_output_offset(binary->output);
    binary->part.length = 0;
    if (gpci_encoder_section(&binary->encoder, binary->version, &binary->part) < 0)
        return gpci_out_of_memory(error);
    gpc_status status = write_part(binary, 0, error);
    gpci_buffer_varint(&binary->index, section_at - binary->blocks_at);
    gpci_buffer_varint(&binary->index, gpci_output_offset(binary->output) - section_at);
    binary->kernels++;
    gpci_encoder_clear(&binary->encoder);
    return binary->index.failed ? gpci_out_of_memory(error) : status;
}

/* Write the head. The first kernel determines the version. */
static gpc_status write_head(binary_sink *binary, const gpc_kernel *kernel, gpc_error *error) {
    uint8_t head[GPCI_BINARY_HEAD];
    const bool clusters = kernel->cluster[0] != 0;
    if (binary->version && binary->version < GPCI_BINARY_CLUSTERS && clusters)
        return gpci_fail(error, GPC_ERROR_UNSUPPORTED,
                         "kernel %s has clusters, which the first one of this .gct file has not: they need files of "
                         "their own",
                         kernel->name ? kernel->name : "");
    if (binary->version)
        return GPC_OK;
    binary->version = clusters || kernel->tracer_version >= GPCI_BINARY_CLUSTERS_TRACER ? GPCI_BINARY_CLUSTERS
                      : kernel->recording                                               ? GPCI_BINARY_RECORDED
                                                                                        : GPCI_BINARY_VERSION;
    memcpy(head, GPCI_BINARY_MAGIC, 4);
    gpci_store32(head + 4, binary->version);
    gpci_store32(head + 8, gpci_crc_of(&binary->crc, 0, head, 8));
    return gpci_output_write(binary->output, head, sizeof head, error);
}

static gpc_status begin_kernel(gpci_sink *sink, const gpc_kernel *kernel, gpc_error *error) {
    binary_sink *binary = of(sink);
    gpc_status status = end_kernel(binary, error);
    if (status == GPC_OK)
        status = write_head(binary, kernel, error);
    if (status < 0)
        return status;
    binary->blocks_at = gpci_output_offset(binary->output);
    return gpci_encoder_start(&binary->encoder, sink->context, kernel) == GPC_OK ? GPC_OK : gpci_out_of_memory(error);
}

/* Set the encoder's number of an opcode of the trace. Returns the new count of set entries; 0: out of memory. */
static size_t map_opcode(binary_sink *binary, const gpc_trace *from, uint32_t opcode, size_t mapped) {
    if (opcode >= mapped && !GPCI_ARRAY_RESERVE(binary->base.context, binary->opcodes, binary->opcode_capacity, mapped,
                                                opcode + (size_t)1 - mapped))
        return 0;
    while (mapped <= opcode)
        binary->opcodes[mapped++] = UINT32_MAX;
    const char *text = gpc_trace_opcode(from, opcode);
    binary->opcodes[opcode] = gpci_opcodes_intern(binary->encoder.opcodes, text, strlen(text));
    return binary->opcodes[opcode] == UINT32_MAX ? 0 : mapped;
}

/* Map all opcodes of the block. */
static gpc_status map_opcodes(binary_sink *binary, const gpc_trace *from, const gpc_block *block) {
    size_t mapped = 0;
    for (uint32_t w = 0; w < block->warp_count; w++)
        for (uint64_t i = 0; i < block->warps[w].count; i++) {
            uint32_t opcode = block->warps[w].instructions[i].opcode;
            if (GPCI_LIKELY(opcode < mapped && binary->opcodes[opcode] != UINT32_MAX))
                continue;
            mapped = map_opcode(binary, from, opcode, mapped);
            if (!mapped)
                return GPC_ERROR_MEMORY;
        }
    return GPC_OK;
}

static gpc_status add_block(gpci_sink *sink, const gpc_trace *from, const gpc_block *block, gpc_error *error) {
    binary_sink *binary = of(sink);
    binary->part.length = 0;
    if (map_opcodes(binary, from, block) < 0 ||
        gpci_encoder_block(&binary->encoder, block, binary->opcodes, gpci_output_offset(binary->output),
                           &binary->part) < 0)
        return gpci_out_of_memory(error);
    uint8_t index[4];
    gpci_store32(index, block->index);
    return write_part(binary, gpci_crc_of(&binary->crc, 0, index, sizeof index), error);
}

static gpc_status finish(gpci_sink *sink, gpc_error *error) {
    binary_sink *binary = of(sink);
    gpc_status status = end_kernel(binary, error);
    if (status == GPC_OK)
        status = write_head(binary, &(gpc_kernel){0}, error);
    if (status < 0)
        return status;
    uint64_t index_at = gpci_output_offset(binary->output);
    binary->part.length = 0;
    gpci_buffer_varint(&binary->part, binary->kernels);
    gpci_buffer_put(&binary->part, binary->index.data, binary->index.length);
    status = write_part(binary, 0, error);
    uint8_t tail[GPCI_BINARY_TAIL];
    gpci_store64(tail, index_at);
    gpci_store32(tail + 8, gpci_crc_of(&binary->crc, 0, tail, 8));
    memcpy(tail + 12, GPCI_BINARY_TAIL_MAGIC, 4);
    if (status == GPC_OK)
        status = gpci_output_write(binary->output, tail, sizeof tail, error);
    if (status < 0)
        return status;
    gpci_output *output = binary->output;
    binary->output = NULL;
    return gpci_output_commit(output, error);
}

static void destroy(gpci_sink *sink) {
    binary_sink *binary = of(sink);
    gpc_context *context = sink->context;
    gpci_output_discard(binary->output);
    gpci_encoder_clear(&binary->encoder);
    gpci_buffer_clear(&binary->part);
    gpci_buffer_clear(&binary->index);
    gpci_free(context, binary->opcodes);
    gpci_free(context, binary);
    gpci_release(context);
}

static const gpci_sink_ops binary_ops = {begin_kernel, add_block, finish, destroy};

gpc_status gpci_binary_sink(gpc_context *context, const char *path, gpc_error *error, gpci_sink **out) {
    binary_sink *binary = gpci_zalloc(context, 1, sizeof *binary);
    if (!binary)
        return gpci_out_of_memory(error);
    binary->base = (gpci_sink){&binary_ops, gpci_retain(context)};
    binary->part.context = binary->index.context = context;
    gpci_crc_init(&binary->crc);
    gpc_status status = gpci_output_open(context, path, error, &binary->output);
    if (status < 0)
        destroy(&binary->base);
    else
        *out = &binary->base;
    return status;
}
